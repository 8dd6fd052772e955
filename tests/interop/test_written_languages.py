"""M2M100, NLLB-200, SMaLL-100 and mBART written from models of ours: whole, in one direction, with another language, and new."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import VOCAB, transformers, words
from test_many_languages import DIRECTIONS, HARD, LINES, beam, changed, made, pieces  # noqa: F401

import regard
from regard.checkpoint import LoadedModel, load_model
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.registry import build_from
from regard.pipelines.translator import Translator
from regard.text.languages import Languages
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXTS = ["the brown fox", "Wie geht es dir", "naïve café"]
WRITTEN = [*DIRECTIONS, "NLLB, pieces"]


def kind_of(name: str) -> str:
    return "mbart" if name.startswith("mBART") else "m2m_100"


@pytest.fixture
def few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 3)


@pytest.mark.parametrize("name", WRITTEN)
@torch.no_grad()
def test_a_model_of_many_languages_comes_back(name: str, pieces: Path, tmp_path: Path, few_tokens: None) -> None:  # noqa: F811
    made(name, pieces, tmp_path / "theirs")
    loaded = read_foreign(tmp_path / "theirs").loaded
    model: Any = loaded.model
    check = write_foreign(loaded, tmp_path / "back", kind_of(name)).check()
    assert check is not None
    assert check.largest_difference <= 1e-5
    assert check.first_difference is None
    again = read_foreign(tmp_path / "back")
    assert again.account.left_over == []
    assert again.loaded.model.config == model.config
    tensors = again.loaded.model.state_dict()
    assert all(torch.equal(tensor, tensors[key]) for key, tensor in model.state_dict().items())
    ours, other = loaded.tokenizer, again.loaded.tokenizer
    assert (other.languages, other.symbols) == (ours.languages, ours.symbols)
    assert other.tokens(range(len(other))) == ours.tokens(range(len(ours)))
    assert [other.encode(text) for text in HARD] == [ours.encode(text) for text in HARD]
    theirs = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "back").eval()
    assert theirs.config.encoder_layerdrop == 0
    row, target = torch.randint(4, 50, (1, 6)), torch.randint(4, 50, (1, 5))
    expected = theirs(input_ids=row, decoder_input_ids=target).logits
    padding = torch.full((1, 2), ours.pad_id)
    for parts in ((row, padding), (padding, row)):
        batch = torch.cat(parts, dim=1)
        torch.testing.assert_close(model(batch, target), expected, rtol=0, atol=1e-5)
        if kind_of(name) == "mbart" and parts[0] is padding:
            continue  # theirs counts positions by columns, padding included
        padded = theirs(input_ids=batch, attention_mask=(batch != ours.pad_id).long(), decoder_input_ids=target).logits
        torch.testing.assert_close(padded, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in DIRECTIONS if name != "SMaLL-100"])
def test_transformers_writes_two_languages_as_ours(name: str, pieces: Path, tmp_path: Path) -> None:  # noqa: F811
    """By `AutoTokenizer`, whose class is that of the model, and a beam of 4."""
    _, original = made(name, pieces, tmp_path / "theirs")
    ours = regard.load(tmp_path / "theirs", kind=Translator, device="cpu")
    write_foreign(load_of(ours), tmp_path / "back", kind_of(name))
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "back").eval()
    model.generation_config.forced_eos_token_id = None  # as the last token; ours has no such rule
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "back")
    assert type(tokenizer) is type(original)
    answers = set()
    for source, target in DIRECTIONS[name]:
        found = ours.translate(
            TEXTS, source=source, target=target, beam_size=4, length_norm="none", max_length=9 - (name != "mBART-25")
        )
        expected = [beam(model, tokenizer, name, text, source, target) for text in TEXTS]
        assert [each.ids for each in found] == expected
        answers |= {tuple(ids) for ids in expected}
        for text in HARD:
            original.src_lang = tokenizer.src_lang = source
            assert tokenizer(text)["input_ids"] == original(text)["input_ids"], text
    assert len(answers) > 2


def load_of(pipeline: Translator) -> LoadedModel:
    return LoadedModel(pipeline.model, pipeline.tokenizer, pipeline.source_tokenizer)


@pytest.mark.parametrize("name", DIRECTIONS)
def test_one_direction_gets_all_languages_back(name: str, pieces: Path, tmp_path: Path, few_tokens: None) -> None:  # noqa: F811
    """It is the usual one then, in `transformers`, too."""
    made(name, pieces, tmp_path / "theirs")
    source, target = DIRECTIONS[name][1]
    whole = regard.load(tmp_path / "theirs", kind=Translator, device="cpu")
    whole.directed(source, target).save(tmp_path / "ours")
    loaded = load_model(tmp_path / "ours")
    check = write_foreign(loaded, tmp_path / "back", kind_of(name)).check()
    assert check is not None
    assert check.largest_difference <= 1e-5
    assert check.first_difference is None
    again = read_foreign(tmp_path / "back").loaded.tokenizer
    before = whole.tokenizer.languages
    assert before is not None
    assert again.languages is not None
    usual = {"source": None if name == "SMaLL-100" else source, "target": target}
    assert again.languages == before.model_copy(update=usual)
    assert again.directed(source, target).symbols == loaded.tokenizer.symbols
    generation = json.loads((tmp_path / "back" / "generation_config.json").read_text())
    id = loaded.tokenizer.id_of(before.tokens[target])
    if name != "SMaLL-100":
        assert generation["decoder_start_token_id" if name == "mBART-25" else "forced_bos_token_id"] == id
        tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "back")
        assert (tokenizer.src_lang, tokenizer.tgt_lang) == (source, target)
        assert tokenizer("the fox")["input_ids"] == loaded.tokenizer.frame_source(loaded.tokenizer.encode("the fox"))


@pytest.mark.parametrize("name", ["NLLB", "NLLB, pieces", "mBART-25", "mBART-50"])
def test_a_language_that_was_added_is_one_of_theirs(name: str, pieces: Path, tmp_path: Path, few_tokens: None) -> None:  # noqa: F811
    made(name, pieces, tmp_path / "theirs")
    loaded = read_foreign(tmp_path / "theirs").loaded
    new = "gsw_CH" if name.startswith("mBART") else "gsw_Latn"
    tokenizer = loaded.tokenizer.with_tokens(["Grüezi", new])
    languages = tokenizer.languages
    assert languages is not None
    tokenizer = tokenizer.with_languages(languages.model_copy(update={"tokens": languages.tokens | {new: new}}))
    config: Any = loaded.model.config
    model, _ = build_from(config.model_copy(update={"vocab_size": len(tokenizer)}), loaded.model)
    check = write_foreign(LoadedModel(model.eval(), tokenizer, tokenizer), tmp_path / "back", kind_of(name)).check()
    assert check is not None
    assert check.largest_difference <= 1e-5
    again = read_foreign(tmp_path / "back").loaded.tokenizer
    assert again.languages == tokenizer.languages
    assert again.tokens(range(len(again))) == tokenizer.tokens(range(len(tokenizer)))
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "back")
    theirs.src_lang = new
    known = tokenizer.directed(new, next(iter(languages.tokens)))
    for text in ("the fox", "Grüezi fox", "a Grüezi"):
        if (name, text) == ("NLLB, pieces", "a Grüezi"):
            continue  # theirs has a token for the space there, as SentencePiece has not
        assert theirs(text)["input_ids"] == known.frame_source(known.encode(text))
        assert again.encode(text) == tokenizer.encode(text)


OURS: dict[str, Any] = {
    "vocab_size": VOCAB, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 1,
    "activation": "gelu", "norm": "pre", "max_positions": 40,
}  # fmt: skip
SHAPES: dict[str, dict[str, Any]] = {
    "m2m_100": {"positions": "sinusoidal_opennmt"},  # as its padding is 0
    "mbart": {"positions": "learned", "embedding_norm": "both", "output_bias": True},
}


def ours(kind: str, symbols: dict[str, Any] | None = None, **choices: Any) -> LoadedModel:
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(**OURS | SHAPES[kind] | choices)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    backend = words(VOCAB)
    backend.add_special_tokens(["w0", "w1", "w2", "w3"])
    tokenizer = Tokenizer(backend, Symbols(**{"start_ids": [2]} | (symbols or {})))
    return LoadedModel(model, tokenizer, tokenizer)


@pytest.mark.parametrize(("kind", "choices", "symbols"), [
    ("m2m_100", {}, {}), ("m2m_100", {"tied_embeddings": "none", "scale_embeddings": False}, {"start_ids": [3, 2]}),
    ("m2m_100", {"positions": "sinusoidal_fairseq", "pad_id": 1}, {"pad_id": 1, "unk_id": 0}),
    ("mbart", {}, {}), ("mbart", {"tied_embeddings": "source", "activation": "relu"}, {"start_ids": [3, 2]}),
], ids=str)  # fmt: skip
def test_a_model_of_ours_is_written_and_read_again(
    kind: str, choices: dict[str, Any], symbols: dict[str, Any], tmp_path: Path, few_tokens: None
) -> None:
    loaded = ours(kind, symbols, **choices)
    check = write_foreign(loaded, tmp_path / "theirs", kind).check()
    assert check is not None
    assert check.largest_difference <= 1e-5
    assert check.first_difference is None
    again = read_foreign(tmp_path / "theirs")
    assert again.account.left_over == []
    both: list[Any] = [loaded.model, again.loaded.model]
    assert both[0].config.positions == both[1].config.positions
    model, other = (found.state_dict() for found in both)
    assert all(torch.equal(tensor, other[name]) for name, tensor in model.items())
    for name in ("pad_id", "eos_id", "bos_id", "start_ids", "source_begin_ids", "source_end_ids"):
        assert getattr(again.loaded.tokenizer.symbols, name) == getattr(loaded.tokenizer.symbols, name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "theirs")
    pad = loaded.tokenizer.pad_id
    assert tokenizer(["w5 w6 w7", "w8"], padding=True)["input_ids"] == [[5, 6, 7, 3], [8, 3, pad, pad]]


UNFIT: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("m2m_100", {"positions": "sinusoidal"}, {}, "positions must be sinusoidal_opennmt to be written as m2m_100; got sinusoidal"),
    ("m2m_100", {"pad_id": 1}, {"pad_id": 1}, "positions must be sinusoidal_fairseq .*got sinusoidal_opennmt"),
    ("m2m_100", {"pad_id": 5}, {"pad_id": 5}, "pad_id must be 0 or 1 to be written as m2m_100; got 5"),
    ("m2m_100", {"pad_id": -1}, {"pad_id": -1}, "pad_id must be an id of the vocabulary .*got -1"),
    ("m2m_100", {"output_bias": True}, {}, "output_bias must be False .*got True"),
    ("m2m_100", {"embedding_norm": "both"}, {}, "embedding_norm must be none .*got both"),
    ("m2m_100", {"norm": "post"}, {}, "norm must be pre to be written as m2m_100; got post"),
    ("m2m_100", {"tied_embeddings": "target"}, {}, "tied_embeddings must be all, source or none .*got target"),
    ("m2m_100", {}, {"start_ids": [2, 3, 4]}, r"start_ids must be \[2, 3\] .*got \[2, 3, 4\]"),
    ("m2m_100", {}, {"source_begin_ids": [2]}, "the symbols around a source must be one behind it .*got 1 before and 1 behind"),
    ("m2m_100", {}, {"language_ids": [20]}, "tokens of languages must be spelled as those of m2m_100 .*got 'w20'"),
    ("mbart", {"positions": "sinusoidal_fairseq"}, {}, "positions must be learned to be written as mbart; got sinusoidal_f"),
    ("mbart", {"embedding_norm": "none"}, {}, "embedding_norm must be both .*got none"),
    ("mbart", {"norm_epsilon": 1e-6}, {}, "norm_epsilon must be 1e-05 .*got 1e-06"),
    ("mbart", {}, {"source_end_ids": []}, "the symbols around a source must be one behind it .*got 0 before and 0 behind"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "choices", "symbols", "message"), UNFIT)
def test_a_model_that_does_not_fit_is_refused_by_its_setting(
    kind: str, choices: dict[str, Any], symbols: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(ours(kind, symbols, **choices), tmp_path / "theirs", kind)
    assert not (tmp_path / "theirs").exists()


def test_languages_that_theirs_cannot_keep_are_refused(pieces: Path, tmp_path: Path) -> None:  # noqa: F811
    for name in ("NLLB", "M2M100"):
        made(name, pieces, tmp_path / name)
    loaded, listed = (read_foreign(tmp_path / name).loaded for name in ("NLLB", "M2M100"))
    had, many = loaded.tokenizer.languages, listed.tokenizer.languages
    assert had is not None
    assert many is not None
    wrong = [
        loaded.tokenizer.with_languages(had.model_copy(update=change))
        for change in ({"begins": False}, {"targets": ["eng_Latn"]}, {"source_begin": ["target", "source"]})
    ]
    for tokenizer in (*wrong, wrong[2].directed("eng_Latn", "deu_Latn")):
        with pytest.raises(ModelFolderError, match="must stand where m2m_100 has them to be written so"):
            write_foreign(LoadedModel(loaded.model, tokenizer, tokenizer), tmp_path / "back", "m2m_100")
    with pytest.raises(ModelFolderError, match="source and target must have one tokenizer to be written as m2m_100"):
        write_foreign(
            loaded._replace(source_tokenizer=loaded.tokenizer.with_languages(had)), tmp_path / "back", "m2m_100"
        )
    with pytest.raises(ModelFolderError, match=r"several languages.*cannot be written as marian.*m2m_100, mbart"):
        write_foreign(loaded, tmp_path / "back", "marian")
    fewer = Languages(**many.model_dump() | {"tokens": dict([*many.tokens.items()][1:])})
    for tokenizer in (listed.tokenizer.with_languages(fewer), listed.tokenizer.without_languages()):
        with pytest.raises(ModelFolderError, match=r"must be the languages of M2M100, in its order.*__zu__"):
            write_foreign(LoadedModel(listed.model, tokenizer, tokenizer), tmp_path / "back", "m2m_100")
    more = listed.tokenizer.with_tokens(["Grüezi"])
    with pytest.raises(ModelFolderError, match=r"must be the languages of M2M100, in its order.*got .*Grüezi"):
        write_foreign(LoadedModel(listed.model, more, more), tmp_path / "back", "m2m_100")


def test_positions_of_m2m_100_count_from_its_padding(tmp_path: Path, few_tokens: None) -> None:
    """Another padding than 0 and 1 is refused: its first position is one that ours does not have."""
    write_foreign(ours("m2m_100"), tmp_path / "m", "m2m_100")
    changed(tmp_path / "m" / "config.json", pad_token_id=5)
    changed(tmp_path / "m" / "generation_config.json", pad_token_id=5)
    with pytest.raises(
        ModelFolderError, match=r"pad_token_id must be 0 or 1, as M2M100.* counts positions from it; got 5"
    ):
        read_foreign(tmp_path / "m")


@pytest.mark.parametrize("name", DIRECTIONS)
def test_ctranslate2_translates_into_two_languages_as_ours(
    name: str,
    pieces: Path,  # noqa: F811
    tmp_path: Path,
    few_tokens: None,
) -> None:
    """Sources have their symbols, and the target's language is the prefix. Without tokens that are never written, beams are
    equal; but after a prefix CTranslate2 may miss an empty text.
    """
    ctranslate2 = pytest.importorskip("ctranslate2")
    made(name, pieces, tmp_path / "theirs")
    loaded = read_foreign(tmp_path / "theirs").loaded
    tokenizer = loaded.tokenizer.with_symbols(loaded.tokenizer.symbols.model_copy(update={"banned_ids": []}))
    loaded = LoadedModel(loaded.model, tokenizer, tokenizer)
    written = write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2")
    for foreign in (written, again):
        check = foreign.check()
        assert check is not None
        assert check.largest_difference < 2e-5
        assert check.first_difference is None
    assert again.loaded.source_tokenizer.languages == again.loaded.tokenizer.languages == tokenizer.languages
    ours, other = (Translator(*found) for found in (loaded, again.loaded))
    package = ctranslate2.Translator(str(tmp_path / "ct2"), compute_type="float32", intra_threads=1)
    answers = []
    for source, target in DIRECTIONS[name]:
        directed = tokenizer.directed(source, target)
        read = [tokenizer.tokens(directed.frame_source(tokenizer.encode(text))) for text in TEXTS]
        start, *prefix = tokenizer.tokens(directed.symbols.start_ids)
        prefix, longest = ([start], 8) if name == "mBART-25" else (prefix, 8 + len(prefix))
        assert not prefix or prefix == [tokenizer.tokens([directed.symbols.start_ids[-1]])[0]]
        for beam_size in (1, 4):
            options = {
                "beam_size": beam_size,
                "length_norm": "none",
                "max_length": 8,
                "source": source,
                "target": target,
            }
            found = ours.translate(TEXTS, **options)
            theirs = package.translate_batch(
                read, target_prefix=[prefix] * len(read) if prefix else None, beam_size=beam_size, length_penalty=0,
                max_decoding_length=longest, min_decoding_length=0,
            )  # fmt: skip
            for each, result in zip(found, theirs, strict=True):
                if each.ids:
                    answers.append(tokenizer.tokens(each.ids))
                    assert result.hypotheses[0][0 if name == "mBART-25" else len(prefix) :] == answers[-1]
            assert [each.ids for each in other.translate(TEXTS, **options)] == [each.ids for each in found]
    assert len(answers) > 8
    (note,) = [note for note in written.notes if note.startswith("pass sources with the tokens of languages")]
    assert ("target_prefix" in note) == (name != "SMaLL-100")


@pytest.mark.parametrize("name", DIRECTIONS)
def test_one_direction_is_written_for_ctranslate2(name: str, pieces: Path, tmp_path: Path, few_tokens: None) -> None:  # noqa: F811
    made(name, pieces, tmp_path / "theirs")
    source, target = DIRECTIONS[name][0]
    ours = regard.load(tmp_path / "theirs", kind=Translator, device="cpu").directed(source, target)
    written = write_foreign(load_of(ours), tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2")
    for foreign in (written, again):
        check = foreign.check()
        assert check is not None
        assert check.largest_difference < 2e-5
    kept = again.loaded.source_tokenizer.symbols
    for key in ("source_begin_ids", "source_end_ids", "language_ids"):
        assert getattr(kept, key) == getattr(ours.tokenizer.symbols, key)
    assert again.loaded.tokenizer.symbols.start_ids == ours.tokenizer.symbols.start_ids


def test_tags_of_our_own_models_are_kept_beside_ctranslate2s(tmp_path: Path, few_tokens: None) -> None:
    pytest.importorskip("ctranslate2")
    tags = {"de": "<2de>", "fr": "<2fr>"}
    tokenizer = Tokenizer.train(LINES, TokenizerConfig(vocab_size=90, add=[*tags.values()]))
    tokenizer = tokenizer.with_languages(Languages(tokens=tags, source_begin=["target"]))
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(**OURS | {"vocab_size": len(tokenizer)})).eval()
    write_foreign(LoadedModel(model, tokenizer, tokenizer), tmp_path / "ct2", "ctranslate2")
    again = read_foreign(tmp_path / "ct2")
    check = again.check()
    assert check is not None
    assert check.largest_difference < 2e-5
    ours, other = Translator(model, tokenizer, tokenizer), Translator(*again.loaded)
    assert other.languages == ours.languages
    options: dict[str, Any] = {"target": "fr", "beam_size": 1, "max_length": 6}
    assert [each.ids for each in other.translate(TEXTS, **options)] == [
        each.ids for each in ours.translate(TEXTS, **options)
    ]


def test_languages_of_m2m100_in_a_tokenizer_json_are_read_by_any_class(tmp_path: Path, few_tokens: None) -> None:
    """M2M100's own reads no such file. The symbols around a text are those of the usual direction."""
    loaded = ours("m2m_100")
    tokenizer = loaded.tokenizer.with_tokens(["__en__", "__de__"])
    tokens = {"en": "__en__", "de": "__de__"}
    tokenizer = tokenizer.with_languages(
        Languages(tokens=tokens, source="en", target="de", source_begin=["source"], begins=True)
    )
    config: Any = loaded.model.config
    model, _ = build_from(config.model_copy(update={"vocab_size": len(tokenizer)}), loaded.model)
    write_foreign(LoadedModel(model.eval(), tokenizer, tokenizer), tmp_path / "theirs", "m2m_100")
    assert read_foreign(tmp_path / "theirs").loaded.tokenizer.languages == tokenizer.languages
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "theirs")
    assert theirs("w5 w6")["input_ids"] == [tokenizer.id_of("__en__"), 5, 6, 3]
