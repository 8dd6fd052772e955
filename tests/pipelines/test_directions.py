"""Models of several languages: texts that name them, one by one or all in one batch, and folders that keep the rule."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.errors import DataError, ModelFolderError, SettingsError
from regard.generation.options import DecodingOptions
from regard.models.encoder_decoder import EncoderDecoder
from regard.pipelines.translator import Translator
from regard.text.languages import Languages, matching
from regard.text.tokenizer import Tokenizer

MakeModel = Callable[..., EncoderDecoder]
TOKENS = {"en": "<2en>", "de": "<2de>", "zho_Hans": "<2zh>"}
RULES: dict[str, dict[str, Any]] = {
    "a tag of the target": {"source_begin": ["target"]},
    "NLLB": {"source_begin": ["source"], "begins": True},
    "NLLB, legacy": {"source_end": ["source"], "begins": True},
    "mBART-25": {"source_end": ["source"], "starts": True},
}
TEXTS = ["abc de", "hgf", "a b c d e", "fed"]


@pytest.fixture
def many(make_model: MakeModel, letters: Tokenizer) -> Callable[..., Translator]:
    def make(**rule: Any) -> Translator:
        tokenizer = letters.with_tokens(list(TOKENS.values()))
        torch.manual_seed(5)
        model = make_model(vocab_size=len(tokenizer), model_dim=24, ff_dim=30, num_heads=3)
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
        return Translator(model, tokenizer.with_languages(Languages(tokens=TOKENS, **rule)))

    return make


def frames(translator: Translator, source: str, target: str) -> tuple[list[str], list[str]]:
    """The tokens that the encoder reads of the text "a", and those that the decoder starts from."""
    request = translator.requests(["a"], DecodingOptions(), source=source, target=target)[0]
    assert request is not None
    assert request.start_ids is not None
    return translator.tokenizer.tokens(request.source_ids), translator.tokenizer.tokens(request.start_ids)


@pytest.mark.parametrize(
    ("rule", "read", "start"),
    [
        ("a tag of the target", ["<2de>", "▁", "a", "</s>"], ["<s>"]),
        ("NLLB", ["<2en>", "▁", "a", "</s>"], ["<s>", "<2de>"]),
        ("NLLB, legacy", ["▁", "a", "</s>", "<2en>"], ["<s>", "<2de>"]),
        ("mBART-25", ["▁", "a", "</s>", "<2en>"], ["<2de>"]),
    ],
)
def test_languages_stand_where_the_family_has_them(
    rule: str, read: list[str], start: list[str], many: Callable[..., Translator]
) -> None:
    found = frames(many(**RULES[rule]), "en-GB", "deu_Latn")
    assert ([token for token in found[0] if token != "▁"], found[1]) == ([x for x in read if x != "▁"], start)


@pytest.mark.parametrize("rule", RULES)
def test_a_stream_has_its_direction(rule: str, many: Callable[..., Translator]) -> None:
    translator = many(**RULES[rule])
    for one, other in (("en", "de"), ("zh", "en")):
        streamed = "".join(translator.stream(TEXTS[0], source=one, target=other, max_length=12))
        assert streamed == translator.translate(TEXTS[0], source=one, target=other, max_length=12).text


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("engine", ["torch", "auto"])
def test_a_mixed_batch_is_each_direction_alone(rule: str, engine: str, many: Callable[..., Translator]) -> None:
    translator = many(**RULES[rule])
    translator.use_engine(engine)
    source, target = ["en", "de", "zh", "en"], ["de", "zh-CN", "en", "zh"]
    options: dict[str, Any] = {"beam_size": 3, "n_best": 2, "alignment": True, "max_length": 12}
    mixed = translator.translate(TEXTS, source=source, target=target, **options)
    for text, one, other, found in zip(TEXTS, source, target, mixed, strict=True):
        directed = translator.directed(one, other)
        alone = directed.translate(text, **options)
        assert found.ids == alone.ids
        assert found.token_log_probs == pytest.approx(alone.token_log_probs, abs=1e-5)
        assert [each.text for each in found.n_best] == [each.text for each in alone.n_best]
        assert found.alignment is not None
        assert alone.alignment is not None
        torch.testing.assert_close(found.alignment.weights, alone.alignment.weights, rtol=1e-4, atol=1e-5)
        forced = directed.score([text], [alone.ids])[0]
        if alone.finish_reason == "eos":
            assert forced.token_log_probs == pytest.approx(alone.token_log_probs, abs=1e-4)
        assert not any(token in found.text for token in TOKENS.values())


def test_directions_give_other_translations(many: Callable[..., Translator]) -> None:
    """Else the test above would pass for a rule that nothing reads."""
    for rule in RULES.values():
        translator = many(**rule)
        found = translator.translate([TEXTS[0]] * 3, source="en", target=["de", "zh", "en"], max_length=9)
        assert len({tuple(each.token_log_probs) for each in found}) == 3


def test_what_is_not_named_or_not_there(
    many: Callable[..., Translator], letters: Tokenizer, make_model: MakeModel
) -> None:
    translator = many(**RULES["NLLB"])
    with pytest.raises(
        SettingsError,
        match=r"target's language must be named; got none\. Add `--to`, `target=` or .*: en, de, zho",
    ):
        translator.translate("abc", source="en")
    with pytest.raises(SettingsError, match=r"source's language must be named"):
        translator.translate("abc", target="en")
    with pytest.raises(SettingsError, match=r"target must be a language that is written by this model; got 'fr'"):
        translator.translate("abc", source="en", target="fr")
    with pytest.raises(DataError, match=r"`target` needs one entry for each text; got 1 for 2 texts"):
        translator.translate(["abc", "de"], source="en", target=["de"])
    for method in (translator.score, translator.evaluate):
        with pytest.raises(SettingsError, match="must be named"):
            method(["abc"], ["cba"])
    plain = Translator(make_model(vocab_size=len(letters)), letters)
    with pytest.raises(SettingsError, match="a model of one direction"):
        plain.translate("abc", target="de")
    with pytest.raises(SettingsError, match="a model of one direction"):
        plain.directed("en", "de")
    usual = many(**RULES["NLLB"], source="en", target="de")
    assert usual.translate("abc").ids == translator.translate("abc", source="en", target="de").ids
    assert (
        usual.score(["abc"], ["cba"])[0].token_log_probs
        == translator.directed("en", "de").score(["abc"], ["cba"])[0].token_log_probs
    )
    tagged = many(**RULES["a tag of the target"])
    assert tagged.translate("abc", target="de").ids == tagged.translate("abc", source="zh", target="de").ids


def test_blank_lines_and_prefixes_stay_in_their_places(many: Callable[..., Translator]) -> None:
    translator = many(**RULES["NLLB"])
    found = translator.translate(["", "abc", " "], source="en", target=["de", "en", "de"], prefixes=["", "d", ""])
    assert [bool(each.ids) for each in found] == [False, True, False]
    assert found[1].text.startswith("d")
    lines = list(translator.translate_lines(iter(["abc", "", "hg"]), source="en", target="de"))
    assert [each.ids for each in lines] == [
        each.ids for each in translator.translate(["abc", "", "hg"], source="en", target="de")
    ]


@pytest.mark.parametrize("rule", RULES)
def test_a_folder_keeps_the_rule(rule: str, many: Callable[..., Translator], tmp_path: Path) -> None:
    translator = many(**RULES[rule])
    translator.save(tmp_path / "m")
    loaded = regard.load(tmp_path / "m", kind=regard.Translator, device="cpu")
    assert loaded.languages == translator.languages
    assert loaded.tokenizer.is_ours
    expected = translator.translate(TEXTS, source="en", target="de")
    assert [each.ids for each in loaded.translate(TEXTS, source="en", target="de")] == [each.ids for each in expected]
    loaded.directed("en", "de").save(tmp_path / "one")
    one = regard.load(tmp_path / "one", kind=regard.Translator, device="cpu")
    assert one.languages is None
    assert one.tokenizer.is_ours
    assert [each.text for each in one.translate(TEXTS)] == [each.text for each in expected]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": {}}, "at least 1 item"),
        ({"tokens": {"fr": "<2fr>"}}, "the token '<2fr>' of the language fr must be in the vocabulary"),
        ({"source_begin": ["both"]}, "source_begin"),
        ({"source": "fr"}, "codes must have tokens; got 'fr'"),
        ({"starts": True, "begins": True}, "must be the start or the first token; got both"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_damaged_rule_is_refused(
    change: dict[str, Any], message: str, many: Callable[..., Translator], tmp_path: Path
) -> None:
    import hashlib

    many(**RULES["NLLB"]).save(tmp_path / "m")
    path, config = tmp_path / "m" / "tokenizer.json", tmp_path / "m" / "config.json"
    content = json.loads(path.read_text())
    content["regard"]["languages"] |= change
    path.write_text(json.dumps(content))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    config.write_text(json.dumps(json.loads(config.read_text()) | {"tokenizer_sha256": digest}))
    with pytest.raises(ModelFolderError, match=message):
        regard.load(tmp_path / "m")


NLLB = ["eng_Latn", "zho_Hans", "zho_Hant", "deu_Latn", "nob_Latn", "srp_Cyrl", "por_Latn", "hrv_Latn", "yue_Hant"]


@pytest.mark.parametrize(
    ("given", "codes", "expected"),
    [
        ("en", NLLB, "eng_Latn"), ("EN-GB", NLLB, "eng_Latn"), ("zh-TW", NLLB, "zho_Hant"), ("zh", NLLB, "zho_Hans"),
        ("zh_CN", NLLB, "zho_Hans"), ("zh-HK", NLLB, "zho_Hant"), ("yue", NLLB, "yue_Hant"), ("de-AT", NLLB, "deu_Latn"),
        ("ger", NLLB, "deu_Latn"), ("no", NLLB, "nob_Latn"), ("sr", NLLB, "srp_Cyrl"), ("sr-Latn", NLLB, None),
        ("sr", ["hrv_Latn"], None), ("da", NLLB, None), ("gsw", NLLB, None), ("pt-BR", NLLB, "por_Latn"),
        ("zh-TW", ["zh", "en"], "zh"), ("zho_Hant", ["zh_CN"], None), ("en", ["en_XX", "de_DE"], "en_XX"), ("iw", ["he"], "he"),
        ("klingon", NLLB, None), ("", NLLB, None), ("x" * 500, NLLB, None), ("\udc80", NLLB, None), ("den", ["den", "en"], "den"),
    ],
)  # fmt: skip
def test_codes_of_one_language_meet(given: str, codes: list[str], expected: str | None) -> None:
    assert matching(given, codes) == expected


def test_tokens_of_languages_are_not_read_from_texts(letters: Tokenizer) -> None:
    plain = letters.with_tokens(["<2de>"])
    id = plain.id_of("<2de>")
    assert id is not None
    assert id in plain.encode("<2de> a")
    found = plain.with_languages(Languages(tokens={"de": "<2de>"}))
    for tokenizer in (found, found.directed(None, "de")):
        assert id not in tokenizer.encode("<2de> a")
        assert "<2de>" not in tokenizer.decode([id, *tokenizer.encode("a")])
    assert found.id_of("nothing") is None


def test_a_model_is_shared_by_its_directions(many: Callable[..., Translator]) -> None:
    translator = many(**RULES["NLLB"])
    directed = translator.directed("en", "de")
    before = directed.translate("abc").token_log_probs
    with torch.no_grad():
        translator.model.output_embedding.weight.mul_(0.5)
    assert directed.translate("abc").token_log_probs != before
    assert directed.model is translator.model


def test_analyses_read_the_usual_direction(many: Callable[..., Translator]) -> None:
    """As `score` does: what the model reads has the tokens of languages."""
    from regard.analysis.attribution import trace_flow
    from regard.analysis.patching import patch
    from regard.analysis.pruning import examples_of

    for rule in ("NLLB", "a tag of the target"):
        usual = many(**RULES[rule], source="en", target="de")
        directed = usual.directed()
        kinds = [each.inspect("abc", "cba").record.key_tokens["cross"].spelled for each in (usual, directed)]
        assert kinds[0] == kinds[1]
        assert usual.align("abc", "cba").source_tokens == directed.align("abc", "cba").source_tokens
        assert examples_of(usual, ["abc"], ["cba"]) == examples_of(directed, ["abc"], ["cba"])
        if rule != "NLLB":  # whose targets begin with two symbols, which rollout refuses
            flows = [trace_flow(each, each.inspect("abc", "cba"), "rollout").matrix for each in (usual, directed)]
            assert (flows[0] == flows[1]).all()
        effects = [patch(each, "abc", "abd", answers=("a", "b")).difference for each in (usual, directed)]
        assert effects[0] == effects[1]
        with pytest.raises(SettingsError, match="must be named"):
            patch(many(**RULES[rule]), "abc", "abd", answers=("a", "b"))


def test_an_ensemble_has_one_rule_and_other_formats_none(many: Callable[..., Translator], tmp_path: Path) -> None:
    from regard.interop.convert import convert

    many(**RULES["NLLB"]).save(tmp_path / "one")
    many(**RULES["a tag of the target"]).save(tmp_path / "two")
    with pytest.raises(SettingsError, match="models of an ensemble must have one tokenizer"):
        regard.load(tmp_path / "one", others=[tmp_path / "two"])
    many(**RULES["NLLB"]).directed("en", "de").save(tmp_path / "directed")
    for name in ("one", "directed"):
        with pytest.raises(ModelFolderError, match="cannot be written as marian, which does not keep where"):
            convert(tmp_path / name, tmp_path / "out", format="marian")
    assert not (tmp_path / "out").exists()
