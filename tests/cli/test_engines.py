"""`--engine`: the same translations by both engines, what is refused, and what `regard info` tells."""

import json
from pathlib import Path

import pytest
from running import outcome, refused

import regard
from random_models import save_models
from regard.compiled.library import find
from regard.errors import SettingsError
from regard.models.registry import build

pytestmark = pytest.mark.skipif(find().library is None, reason=f"native layers: {find().reason}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("engines"))


@pytest.mark.parametrize("name", ["m", "two", "one", "rnn"])
def test_both_translate_alike(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("translate", folder / name, folder / "source", "--json", "--n-best", 2)
    found = [
        [json.loads(line) for line in outcome(capsys, *words, "--engine", engine)[1].splitlines()]
        for engine in ("torch", "native", "auto")
    ]
    assert found[1] == found[2]
    for ours, theirs in zip(found[1], found[0], strict=True):
        assert ours["text"] == theirs["text"]
        assert ours["token_log_probs"] == pytest.approx(theirs["token_log_probs"], abs=1e-4)


def test_evaluate_and_generate_have_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = (folder / "source", folder / "target")
    scores = [
        json.loads(outcome(capsys, "evaluate", folder / "m", *pairs, "--json", "--engine", engine)[1])
        for engine in ("torch", "native")
    ]
    assert scores[0]["bleu"] == scores[1]["bleu"]
    texts = [
        outcome(capsys, "generate", folder / "lm", "--prompt", "ab", "--max-tokens", 9, "--temperature", 0, "--engine", engine)
        for engine in ("torch", "native")
    ]  # fmt: skip
    assert texts[0] == texts[1]
    assert texts[0][0] == 0


@pytest.fixture
def cosine(folder: Path, tmp_path: Path) -> Path:
    """A recurrent model whose score is not written in C."""
    given = regard.load(folder / "rnn", kind=regard.Translator)
    config = given.model.config.model_copy(update={"score": "cosine"})
    regard.Translator(build(config), given.tokenizer).save(tmp_path / "cosine")
    return tmp_path / "cosine"


def test_info_tells(folder: Path, cosine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "decoding: native, compiled for" in outcome(capsys, "info", folder / "m")[1]
    assert "decoding: native, compiled for" in outcome(capsys, "info", folder / "rnn")[1]
    assert "decoding: torch, as scores of kind Cosine are not written in C" in outcome(capsys, "info", cosine)[1]
    assert json.loads(outcome(capsys, "info", folder / "m", "--json")[1])["engine"].startswith("native")


def test_what_is_refused(folder: Path, cosine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = refused(capsys, "translate", folder / "m", folder / "source", "--engine", "nativ")
    assert (
        "engine must be auto, torch, native, native-bfloat16, native-int8; got 'nativ'. Did you mean 'native'?"
        in " ".join(error.split())
    )
    error = " ".join(refused(capsys, "translate", cosine, folder / "source", "--engine", "native").split())
    assert "engine=native cannot decode with this model" in error
    assert "Take engine=torch" in error
    words = ("--engine", "native", "--precision", "bfloat16")
    error = " ".join(refused(capsys, "translate", folder / "m", folder / "source", *words).split())
    assert "the model is not in float32" in error
    with pytest.raises(SettingsError, match="is for models that write"):
        regard.load(folder / "classify", engine="native")


def test_from_python(folder: Path) -> None:
    translator = regard.load(folder / "m")
    assert translator.engine == "native"
    text = translator.translate("ab cde").text  # type: ignore[attr-defined]
    translator.use_engine("torch")
    assert translator.engine == "torch"
    assert translator.translate("ab cde").text == text  # type: ignore[attr-defined]
    assert regard.load(folder / "classify").engine == "torch"
    translator.use_engine("native-bfloat16")
    assert translator.engine == "native-bfloat16"
    with pytest.raises(SettingsError, match="engine=native-bfloat16 is for models that write"):
        regard.load(folder / "classify", engine="native-bfloat16")


@pytest.mark.parametrize("engine", ["native-bfloat16", "native-int8"])
def test_weights_of_fewer_bits_change_scores_little(
    folder: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    words = ("evaluate", folder / "m", folder / "source", folder / "target", "--json", "--engine")
    losses = [json.loads(outcome(capsys, *words, name)[1])["perplexity"] for name in ("native", engine)]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    translators = [regard.load(folder / "m", engine=name) for name in ("native", engine)]
    (ours, theirs) = ([each.translate(text) for text in ("ab", "abc de")] for each in translators)  # type: ignore[attr-defined]
    assert [each.score for each in ours] == pytest.approx([each.score for each in theirs], abs=0.05)
    assert [each.score for each in ours] != [each.score for each in theirs]
