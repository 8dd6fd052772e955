"""Folders that earlier versions wrote still load, and answer the same. They are never written anew."""

import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.compiled.library import find

STORED = Path(__file__).parent / "stored"
SOURCES = ["abc de", "fghab", "ce dd ab", "hgfe", "dada", "bcb ag"]


def translations(translator: regard.Translator, texts: list[str], **adapter: Any) -> list[dict[str, Any]]:
    found = translator.translate(texts, beam_size=3, n_best=2, **adapter)
    return [
        {
            "text": each.text,
            "ids": each.ids,
            "token_log_probs": each.token_log_probs,
            "n_best": [[one.text, one.score] for one in each.n_best],
        }
        for each in found
    ]


def of_pairs(folder: Path) -> dict[str, Any]:
    """The answers of a model of pairs: a search, samples, given targets, an alignment."""
    translator = regard.load(folder, kind=regard.Translator, device="cpu")
    sampled = translator.translate(SOURCES, method="sample", top_k=5, seed=3)
    return {
        "beam": translations(translator, SOURCES),
        "sampled": [each.text for each in sampled],
        "scores": [each.token_log_probs for each in translator.score(SOURCES, ["ED CBA"] * len(SOURCES))],
        "alignment": translator.align("abc de", "ED CBA", layer=0, head=0).weights,
    }


def of_ensemble(folder: Path) -> dict[str, Any]:
    pair = regard.load(STORED / "encoder-decoder", kind=regard.Translator, others=[folder], device="cpu")
    return {"beam": translations(pair, SOURCES)}


def of_adapter(folder: Path) -> dict[str, Any]:
    """The model with its adapter in the weights, and beside them, where each text chooses."""
    base = STORED / "encoder-decoder"
    merged = regard.load(base, kind=regard.Translator, adapter=folder, device="cpu")
    chosen = regard.load(base, adapters={"own": folder}, device="cpu")
    mixed = translations(chosen, SOURCES, adapters=["own", None] * 3)
    return {"merged": translations(merged, SOURCES), "mixed": mixed}


def of_adapter_with_tokens(folder: Path) -> dict[str, Any]:
    """The model with an adapter that knows a letter which the model lacks."""
    found = regard.load(STORED / "encoder-decoder", kind=regard.Translator, adapter=folder, device="cpu")
    return {"ids": found.tokenizer.encode("éAB"), "beam": translations(found, SOURCES)}


def of_text(folder: Path) -> dict[str, Any]:
    model = regard.load(folder, kind=regard.LanguageModel, device="cpu")
    found = model.generate(["abc", "fg "], max_tokens=12, temperature=0)
    return {"texts": found, "scores": model.evaluate(SOURCES)["nats_per_character"]}


def of_labels(folder: Path) -> list[Any]:
    predictor = regard.load(folder, kind=regard.Predictor, device="cpu")
    gap = ["ab<mask>", "<mask>e"] if folder.name == "masked" else SOURCES
    found = [dict(vars(each)) for each in predictor.predict(gap)]
    assert [each.pop("values") for each in found] == [[]] * len(found)  # of regressions alone; newer than these answers
    return found


ANSWERS: dict[str, Callable[[Path], Any]] = {
    "encoder-decoder": of_pairs,
    "shaw": of_pairs,
    "recurrent": of_pairs,
    "ensemble": of_ensemble,
    "adapter": of_adapter,
    "adapter-with-tokens": of_adapter_with_tokens,
    "decoder": of_text,
    "masked": of_labels,
    "classifier": of_labels,
    "encoder-decoder-classifier": of_labels,
    "tagger": of_labels,
}


def same(found: Any, expected: Any) -> None:
    """Equal texts and ids. Numbers differ in their last bits from one processor to another."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            same(found[key], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-5)
    else:
        assert found == expected


def test_all_stored_models_are_tried() -> None:
    assert {path.name for path in STORED.iterdir() if path.is_dir()} == {*ANSWERS, "int8", "transformer-0.1.0"}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_stored_model_answers_as_it_did(name: str) -> None:
    same(ANSWERS[name](STORED / name), json.loads((STORED / name / "expected.json").read_text(encoding="utf-8")))


def test_a_model_of_the_first_version_answers_as_it_did() -> None:
    folder = STORED / "transformer-0.1.0"
    expected = json.loads((folder / "expected.json").read_text())
    translator = regard.load(folder, kind=regard.Translator, device="cpu")
    found = translator.translate([row["source"] for row in expected], beam_size=3)
    for row, translation in zip(expected, found, strict=True):
        assert translation.text == row["text"]
        assert translation.score == pytest.approx(row["score"], abs=1e-5)
        assert translation.token_log_probs == pytest.approx(row["token_log_probs"], abs=1e-5)


@pytest.mark.skipif(
    find().library is None or platform.machine() not in ("x86_64", "AMD64"), reason="no layers in C for this processor"
)
def test_eight_bits_answer_to_the_last_bit() -> None:
    """Sums of bytes are exact, and all others have one order: the same scores on every processor, in any batch."""
    translator = regard.load(STORED / "int8", kind=regard.Translator, device="cpu")
    assert translator.engine == "native-int8"
    expected = json.loads((STORED / "int8" / "expected.json").read_text())
    assert translations(translator, SOURCES) == expected
    assert [translations(translator, [source])[0] for source in SOURCES] == expected
