"""Options at the edges of what numbers can be: no result is lost, and what cannot fit is refused before it is tried."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from regard.errors import SettingsError
from regard.generation.options import MOST_HYPOTHESES, DecodingOptions, TextOptions
from regard.generation.rules.beam import BeamSettings
from regard.generation.rules.sampling import SamplingOptions, filtered_logits
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines import batch_decoder
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.translator import Translator
from regard.runs.settings.reading import parse_assignments, parse_options, read_yaml
from regard.runs.settings.run_settings import RunSettings
from regard.text.tokenizer import Tokenizer

TINY, HUGE = (1e-300, 1e-46, 1e-40, 1e-38), (1e38, 1e39, 1e300)
SIZES = {"model_dim": 8, "ff_dim": 8, "num_heads": 2, "max_positions": 12}


@pytest.fixture(scope="module")
def letters() -> Tokenizer:
    return Tokenizer.train(["a b c d e f g h i j"])


@pytest.fixture(scope="module")
def translator(letters: Tokenizer) -> Translator:
    torch.manual_seed(3)
    sizes = {**SIZES, "vocab_size": len(letters), "num_encoder_layers": 1, "num_decoder_layers": 1}
    return Translator(build(EncoderDecoderConfig(**sizes)).eval(), letters)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_a_temperature_that_rounds_to_nothing_takes_the_likeliest_token(dtype: torch.dtype) -> None:
    logits = torch.tensor([[0.0, 3.0, -torch.inf, 1.0]], dtype=dtype)
    for temperature in TINY:
        found = filtered_logits(logits, SamplingOptions(temperature=temperature))
        assert found.softmax(dim=-1).tolist() == [[0, 1, 0, 0]]
    for temperature in HUGE:
        found = filtered_logits(logits, SamplingOptions(temperature=temperature)).double().softmax(dim=-1)
        torch.testing.assert_close(found, torch.tensor([[1 / 3, 1 / 3, 0, 1 / 3]]).double(), atol=1e-3, rtol=0)


@pytest.mark.parametrize("engine", ["torch", "auto"])
def test_no_number_leaves_a_translation_without_a_score(translator: Translator, engine: str) -> None:
    translator.use_engine(engine)
    sampled = [{"method": "sample", "temperature": value} for value in (*TINY, *HUGE)]
    sampled += [{"method": "sample", name: value} for name in ("top_p", "typical", "min_p") for value in TINY]
    searched = [{name: value} for name in ("repetition_penalty", "max_ratio") for value in (*TINY, *HUGE)]
    searched += [{name: value} for name in ("diversity", "coverage_penalty") for value in HUGE]
    for options in [*sampled, *searched, {"length_penalty": 100}, {"min_ratio": 1e300}]:
        more = {"num_groups": 5} if "diversity" in options else {}
        found = translator.translate("a b c", **options, **more)
        assert not math.isnan(found.score), options
        assert found.finish_reason, options


@pytest.mark.parametrize("temperature", TINY)
def test_a_language_model_takes_any_temperature(letters: Tokenizer, temperature: float) -> None:
    torch.manual_seed(1)
    model = LanguageModel(build(DecoderConfig(num_layers=1, vocab_size=len(letters), **SIZES)).eval(), letters)
    options = TextOptions(max_tokens=5)
    assert model.generate("a", options, temperature=temperature) == model.generate("a", options, temperature=0)


def test_a_length_penalty_does_not_overflow() -> None:
    assert BeamSettings(length_penalty=100.0).normalizer(10**6) == pytest.approx(1.797e308, rel=1e-3)
    assert BeamSettings(length_penalty=2.0).normalizer(7) == 4.0


@pytest.mark.parametrize("name", ["beam_size", "n_best", "num_candidates"])
def test_so_many_hypotheses_are_refused(name: str) -> None:
    for count in (MOST_HYPOTHESES + 1, 20_000, 1_000_000, 10**30):
        with pytest.raises(SettingsError, match=rf"^{name} must be at most 10000; got {count}\.$"):
            DecodingOptions(**{name: count})


@pytest.mark.parametrize("number", [10**4400, -(10**4400), [10**4400]], ids=lambda number: type(number).__name__)
def test_a_number_that_python_does_not_write_is_refused(number: Any) -> None:
    """In options, and in the settings of a run."""
    with pytest.raises(SettingsError, match=r"beam_size must be .*; got a number of more than 4,300 digits\."):
        DecodingOptions(beam_size=number)
    with pytest.raises(SettingsError, match=r"model\.num_heads must be .*; got a number of more than 4,300 digits\."):
        RunSettings.build("tiny", {"model": {"num_heads": number}})


@pytest.mark.parametrize(("engine", "of_pair"), [("torch", 2 + 4 * 2), ("native", 2)])
def test_the_memory_of_pairs_of_hypotheses_is_counted(
    translator: Translator, monkeypatch: pytest.MonkeyPatch, engine: str, of_pair: int
) -> None:
    try:
        translator.use_engine(engine)
    except SettingsError:
        pytest.skip("no engine in C here")
    monkeypatch.setattr(batch_decoder, "free_bytes", lambda device: 5 * 10**8)
    vocab_size, width = translator.model.config.vocab_size, MOST_HYPOTHESES
    needed = width * (12 * vocab_size + of_pair * width)
    if needed > 5 * 10**8:
        with pytest.raises(SettingsError, match=rf"10,000 hypotheses each .* need at least {needed / 1e9:,.1f} GB"):
            translator.translate("a b", beam_size=width, workers=1)
    with pytest.raises(SettingsError, match=r"beam_size, n_best and batch_size must fit into memory; got 64 texts"):
        translator.translate(["a b"] * 64, beam_size=width, workers=1)
    assert translator.translate("a b", beam_size=3).text is not None


LAUGHS = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"] + [
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
]
RECURSIVE = ["&a [*a]", "&a {b: *a}", "&a {b: {c: [1, *a]}}", "{" + ", ".join(LAUGHS) + "}", "[" * 2000]


@pytest.mark.parametrize("text", RECURSIVE)
def test_yaml_that_has_itself_as_a_part_is_refused(text: str, tmp_path: Path) -> None:
    for parse in (parse_options, lambda words: parse_assignments([f"training.{words[0]}"])):
        with pytest.raises(SettingsError, match="must have a YAML value; got") as refused:
            parse([f"steps={text}"])
        assert len(str(refused.value)) < 4000
    (tmp_path / "s.yaml").write_text(f"training:\n  steps: {text}\n")
    with pytest.raises(SettingsError, match=r"s\.yaml must be YAML; got"):
        read_yaml(tmp_path / "s.yaml")


def test_yaml_with_aliases_is_read(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("training: &t\n  steps: &n 3\n  warmup_steps: *n\ndata:\n  weights: [*n, *n]\n")
    assert read_yaml(tmp_path / "s.yaml") == {"training": {"steps": 3, "warmup_steps": 3}, "data": {"weights": [3, 3]}}


@pytest.mark.parametrize(
    ("banned", "message"),
    [
        (["a", " \n"], r"banned must hold words; got ' \\n'"),
        (["a"] * 1001, "banned must be at most 1,000 phrases of at most 1,000 characters; got 1,001 of up to 1"),
        (["a", "b" * 1001], "banned must be at most 1,000 phrases .*; got 2 of up to 1,001"),
    ],
)
def test_banned_phrases_have_bounds(banned: list[str], message: str) -> None:
    """Each letter of each is looked up among all tokens before the first one is written."""
    with pytest.raises(SettingsError, match=message):
        DecodingOptions(banned=banned)
    assert DecodingOptions(banned=["a"] * 1000).banned
