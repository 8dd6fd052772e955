"""A translator from Python: what it is asked for and what it cannot do, on small random models."""

import math
import re
from typing import Any

import pytest
import torch

from regard.errors import DataError, SettingsError, ShapeError
from regard.generation.options import DecodingOptions
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3}
LAYERS = {"num_encoder_layers": 1, "num_decoder_layers": 2}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["abc d"], TokenizerConfig(kind="characters", vocab_size=20, leading_space=False))


def make(
    tokenizer: Tokenizer, seed: int = 1, *, more: int = 0, others: tuple[Any, ...] = (), **settings: Any
) -> Translator:
    torch.manual_seed(seed)
    config = EncoderDecoderConfig(
        vocab_size=len(tokenizer) + more, **(SIZES | LAYERS | {"max_positions": 40} | settings)
    )
    model = build(config)
    with torch.no_grad():
        model.output_embedding.weight *= 2  # far from uniform
    return Translator(model, tokenizer, others=others)


def test_one_text_has_one_translation(tokenizer: Tokenizer) -> None:
    translator = make(tokenizer)
    (wanted,) = translator.translate(["abc"], max_length=6)
    assert translator.translate("abc", max_length=6) == wanted
    assert translator.translate("", max_length=6).text == ""
    begun = translator.translate("abc", prefixes="dd", required=["c"], max_length=8)
    assert begun.text.startswith("dd")
    assert "c" in begun.text


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_a_beam_may_be_wider_than_a_text_is_long(tokenizer: Tokenizer, positions: str) -> None:
    translator = make(tokenizer, positions=positions, max_positions=8, model_dim=12, head_dim=4)
    (found,) = translator.translate(["abc"], beam_size=9, n_best=9, min_length=8)
    assert len(found.n_best) == 9
    assert {len(candidate.ids) for candidate in found.n_best} <= {7, 8}
    assert (
        translator.translate(["abc"], minimum_bayes_risk="chrf", method="sample", num_candidates=64)[0].text is not None
    )


def test_steps_beyond_the_last_position_are_refused(tokenizer: Tokenizer) -> None:
    model = make(tokenizer, max_positions=3).model
    language = build(DecoderConfig(vocab_size=9, num_layers=1, max_positions=3, **SIZES)).eval()
    for writes, source in ((model, torch.tensor([[4, 3]])), (language, torch.tensor([[4]]))):
        state = writes.prefill(source)
        for _ in range(3):
            _, state = writes.decode_step(torch.tensor([[4]]), state)
        with pytest.raises(ShapeError, match="at most max_positions = 3 tokens; got 4"):
            writes.decode_step(torch.tensor([[4]]), state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_best", 2),
        ("minimum_bayes_risk", "chrf"),
        ("coverage_penalty", 0.2),
        ("alternatives", 2),
        ("alignment", True),
        ("trace", True),
    ],
)
def test_a_stream_refuses_what_needs_the_whole_translation(tokenizer: Tokenizer, name: str, value: object) -> None:
    with pytest.raises(SettingsError, match=f"`stream` .*`{name}`.*remove `{name}`"):
        list(make(tokenizer).stream("abc", **{name: value}))


def test_a_text_that_was_cut_has_no_row_for_its_end(tokenizer: Tokenizer) -> None:
    translator = make(tokenizer)
    for length in (1, 3):
        cut = translator.translate(
            "abcd", max_length=length, min_length=length, alternatives=2, alignment=True, n_best=3
        )
        assert cut.finish_reason == "length"
        assert cut.alternatives is not None
        assert cut.alignment is not None
        assert len(cut.ids) == len(cut.alternatives) == len(cut.alignment.weights) == len(cut.alignment.target_tokens)
        assert [target for _, target in cut.alignment.links] == list(range(length))
        for (likeliest, *_), log_prob in zip(cut.alternatives, cut.token_log_probs, strict=True):
            assert log_prob <= likeliest[1] + 1e-4
    whole = translator.score(["abcd"], ["ab"])[0]
    assert len(translator.align("abcd", "ab").weights) == 3 == len(whole.tokens)
    assert len(translator.align("abcd", "ab").links) == 2


def test_coverage_counts_what_was_written_only(tokenizer: Tokenizer) -> None:
    translator = make(tokenizer)
    plain = translator.translate("abcd", max_length=2, min_length=2, n_best=5)
    covered = translator.translate("abcd", max_length=2, min_length=2, n_best=5, coverage_penalty=0.5)
    scores = {candidate.text: candidate.score for candidate in plain.n_best}
    assert {candidate.finish_reason for candidate in covered.n_best} == {"eos", "length"}
    for candidate in covered.n_best:
        rows = len(candidate.ids) + (candidate.finish_reason == "eos")
        weights = torch.tensor(translator.align("abcd", candidate.text, layer=1).weights)[:rows]
        penalty = float(weights.sum(dim=0).clamp(max=1).log().sum())
        assert candidate.score == pytest.approx(scores[candidate.text] + 0.5 * penalty, abs=1e-3)


def test_alternatives_of_an_ensemble_are_those_of_its_mean(tokenizer: Tokenizer) -> None:
    one, other = make(tokenizer), make(tokenizer, seed=2)
    both = make(tokenizer, others=(other.model,))
    found = both.translate("abc", max_length=6, alternatives=4, beam_size=1)
    assert found.alternatives is not None
    for step, log_prob in zip(found.alternatives, found.token_log_probs, strict=True):
        assert step[0][1] == pytest.approx(log_prob, abs=1e-4)  # greedy: the likeliest was chosen
    assert one.translate("abc", max_length=6, alternatives=4, beam_size=1).alternatives != found.alternatives


def test_an_ensemble_has_the_positions_of_its_shortest_model(tokenizer: Tokenizer) -> None:
    short = make(tokenizer, seed=2, max_positions=6, positions="learned").model
    for translator in (make(tokenizer, others=(short,)), Translator(short, tokenizer, others=[make(tokenizer).model])):
        assert len(translator.translate("abc", min_length=6, alternatives=1).ids) == 6
        with pytest.raises(DataError, match="a text must have at most 5 tokens; got 7"):
            translator.translate(["abcdabc"])
    with pytest.raises(SettingsError, match=r"ensemble.*same size; got 9 and 11"):
        make(tokenizer, others=(make(tokenizer, more=2).model,))


def test_ids_without_a_token_are_never_written(tokenizer: Tokenizer) -> None:
    translator = make(tokenizer, more=7)
    for options in (
        {"method": "sample", "n_best": 40},
        {"beam_size": 9, "n_best": 9},
        {"method": "stochastic_beam", "n_best": 9},
    ):
        found = translator.translate("abc", max_length=8, **options)
        assert max(id for candidate in found.n_best for id in candidate.ids) < len(tokenizer)
    model = build(DecoderConfig(vocab_size=len(tokenizer) + 50, num_layers=1, max_positions=30, **SIZES))
    assert isinstance(model, Decoder)
    written = LanguageModel(model, tokenizer).generate(["ab"] * 5, max_tokens=25, temperature=1.0)
    assert all(len(text) >= 12 for text in written)  # a third and less where 50 of 59 ids had no text


BLOCKED: list[dict[str, Any]] = [
    {"vocabulary": ("a",), "no_repeat_ngram": 1, "min_length": 4},
    {"banned": ("a",), "vocabulary": ("a",), "min_length": 2},
]


@pytest.mark.parametrize("options", BLOCKED)
@pytest.mark.parametrize(
    "method",
    [{}, {"method": "sample"}, {"method": "stochastic_beam"}, {"num_groups": 5}, {"minimum_bayes_risk": "chrf"}],
)
def test_where_nothing_may_be_written_a_text_ends(
    tokenizer: Tokenizer, options: dict[str, Any], method: dict[str, Any]
) -> None:
    translator = make(tokenizer)
    found = translator.translate(["abc", "", "ca"], **options, **method)
    assert [one.finish_reason for one in found] == ["blocked", "eos", "blocked"]
    assert set(found[0].text) <= {"a"}


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters"])
@pytest.mark.parametrize("method", [{"beam_size": 8}, {"method": "sample"}, {"method": "stochastic_beam"}])
def test_a_banned_word_is_in_no_text(kind: str, method: dict[str, Any]) -> None:
    """In whatever tokens, at the beginning, and beside marks."""
    lines = ["a b c'a d", "ab-a c, a", "b c a"] * 30
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind=kind, vocab_size=30))
    words = re.compile(r"\b(a|b c)\b")

    def num_with_it(**options: Any) -> int:
        found = [
            make(tokenizer, seed).translate("a b", max_length=16, n_best=8, **method, **options) for seed in range(20)
        ]
        return sum(words.search(each.text) is not None for one in found for each in one.n_best)

    assert num_with_it() > 0
    assert num_with_it(banned=("a", "b  c\n")) == 0


PREFIXES = ["aba", "ab"]


@pytest.mark.parametrize(
    "options", [{}, {"method": "sample"}, {"no_repeat_ngram": 1}, {"banned": ("ab",)}, {"vocabulary": ("d",)}]
)
def test_a_prefix_is_written_whatever_is_forbidden(tokenizer: Tokenizer, options: dict[str, Any]) -> None:
    found = make(tokenizer).translate(["abc"] * 2, prefixes=PREFIXES, max_length=9, **options)
    assert [one.text[: len(prefix)] for one, prefix in zip(found, PREFIXES, strict=True)] == PREFIXES


@pytest.mark.parametrize("prefix", ["xyz", "axb"])
def test_a_prefix_that_cannot_be_written_is_refused(tokenizer: Tokenizer, prefix: str) -> None:
    message = f"line 2: prefix '{prefix}' cannot be written: it is not in the model's vocabulary"
    with pytest.raises(DataError, match=message):
        make(tokenizer).translate(["a", "b"], prefixes=["d", prefix])


@pytest.mark.parametrize(
    ("phrase", "options", "message"),
    [
        ("axb", {}, "line 2: required phrase 'axb' cannot be written: it is not in the model's vocabulary"),
        (" ", {}, "line 2: a required phrase must have words; got a blank one"),
        ("d ab", {"banned": ("c", "ab")}, "line 2: required phrase 'd ab' cannot be written: 'ab' is banned"),
        ("dac", {"vocabulary": ("ab", "d")}, "line 2: required phrase 'dac' cannot be written: `vocabulary` does not"),
        ("aa", {"no_repeat_ngram": 1}, "line 2: required phrase 'aa' cannot be written: no_repeat_ngram=1 forbids it"),
        ("abcd", {"max_length": 4}, "line 2: required .*fewer tokens.* max_length; got 4"),
    ],
)
def test_a_phrase_that_cannot_be_written_is_refused(
    tokenizer: Tokenizer, phrase: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        make(tokenizer).translate(["a", "b"], required=[["d"], [phrase]], **options)


def test_the_order_of_required_phrases_says_nothing(tokenizer: Tokenizer) -> None:
    translator = make(tokenizer)
    one, other = (translator.translate("abcd", required=phrases, n_best=5) for phrases in (["ab", "ad"], ["ad", "ab"]))
    assert [found.text for found in one.n_best] == [found.text for found in other.n_best]
    assert len(one.n_best) == 5
    assert all("ab" in found.text and "ad" in found.text for found in one.n_best)
    groups = translator.translate("abcd", required=["ab", "ad"], beam_size=6, n_best=6, num_groups=3)
    assert all("ab" in found.text and "ad" in found.text for found in groups.n_best)


NAN, INFINITY = math.nan, math.inf


@pytest.mark.parametrize(
    "options",
    [
        *({name: value} for name in ("beam_size", "n_best", "num_groups", "batch_size", "workers", "top_k", "max_length")
          for value in (0, -1, 1.5, True, NAN, INFINITY, "1:30")),
        *({name: value} for name in ("length_penalty", "coverage_penalty", "repetition_penalty", "diversity", "temperature",
                                     "min_ratio", "max_ratio", "top_p", "typical", "min_p")
          for value in (-0.1, NAN, INFINITY, -INFINITY, True, "much")),
        {"workers": 10_000}, {"seed": -1}, {"seed": 2**64}, {"min_length": -1}, {"no_repeat_ngram": 0}, {"alternatives": -1},
        {"repetition_penalty": 0.0}, {"top_p": 0.0}, {"top_p": 1.1}, {"min_p": 1.0}, {"typical": 0.0},
        {"num_candidates": 0, "minimum_bayes_risk": "chrf"}, {"min_length": 5, "max_length": 4},
    ],
)  # fmt: skip
def test_every_number_has_a_range(options: dict[str, Any]) -> None:
    needed = {"method": "sample"} if set(options) & {"temperature", "top_k", "top_p", "typical", "min_p"} else {}
    (name, *_) = options
    with pytest.raises(SettingsError, match=f"^{name} must be "):
        DecodingOptions(**options, **needed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.5}, "temperature.*method=beam.*method=sample"),
        ({"top_k": 5}, "top_k.*method=beam"),
        ({"seed": 5}, "seed.*method=beam.*method=sample.*method=stochastic_beam"),
        (
            {"method": "sample", "beam_size": 3},
            "beam_size.*method=sample.*method=beam",
        ),
        ({"method": "sample", "length_penalty": 0.3}, "length_penalty"),
        ({"method": "stochastic_beam", "typical": 0.3}, "typical.*method=stochastic_beam"),
        ({"diversity": 0.2}, r"diversity.* one group.*num_groups"),
        ({"num_candidates": 9}, "num_candidates.*minimum_bayes_risk=chrf"),
        ({"minimum_bayes_risk": "chrf", "coverage_penalty": 0.2}, r"coverage_penalty.*minimum_bayes_risk.* both"),
    ],
)
def test_an_option_without_effect_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        DecodingOptions(**options)


def test_windows_of_lines_have_seeds_of_their_own(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    translator, module = make(tokenizer), "regard.pipelines.translator"
    monkeypatch.setattr(f"{module}.WINDOW", 2)
    lines = ["abc", "d", "ca", "ab", "a"]
    for options in (DecodingOptions(max_length=5), DecodingOptions(method="sample", seed=3, max_length=5)):
        assert len(list(translator.translate_lines(lines, options))) == 5


@pytest.mark.parametrize(
    "options", [{"beam_size": 10**4}, {"method": "sample", "n_best": 10**4}, {"beam_size": 10**4, "n_best": 9}]
)
def test_what_cannot_fit_into_memory_is_said_before_it_is_taken(tokenizer: Tokenizer, options: dict[str, Any]) -> None:
    translator = make(tokenizer)
    texts = ["ab"] * (64 if "n_best" in options else 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regard.pipelines.batch_decoder.ALWAYS_THERE", 0)
        patch.setattr("regard.pipelines.batch_decoder.free_bytes", lambda device: 1_000_000)
        with pytest.raises(
            SettingsError, match=r"must fit into memory; got \d+ texts with [\d,]+ hypotheses each over 9 tokens"
        ):
            translator.translate(texts, workers=1, **options)
