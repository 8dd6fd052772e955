"""A metric: token F1 (micro-averaged over the whole list), in evaluate and as training.metric."""

from collections import Counter

import pytest

import regard
from regard.extending import add_metric

WORDS = ["red", "blue", "green", "old", "new", "cat", "dog"]
PAIRS = [(f"{a} {b}", f"{b} {a}") for a in WORDS for b in WORDS]
SETTINGS = {
    "model": {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 300, "learning_rate": 0.01, "warmup_steps": 2, "validate_every": 2},
}
seen: list[tuple[list[str], list[str]]] = []


def token_f1(texts: list[str], references: list[str]) -> float:
    """F1 of the words of all texts, from 0 to 100."""
    seen.append((list(texts), list(references)))
    written, wanted = ([Counter(line.split()) for line in lines] for lines in (texts, references))
    common = sum((a & b).total() for a, b in zip(written, wanted, strict=True))
    return 200 * common / max(1, sum(c.total() for c in written + wanted))


def earlier(texts: list[str], references: list[str]) -> float:
    """Lower with each call, so that the first validation is the best."""
    earlier.calls += 1
    return -float(earlier.calls)


earlier.calls = 0


def add_parts() -> None:
    add_metric("test-f1", token_f1)
    add_metric("test-earlier", earlier)
    add_metric("test-f1", token_f1)  # the same again is allowed


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("metric") / "m")
    settings = SETTINGS | {"training": SETTINGS["training"] | {"metric": "test-earlier"}}
    result = regard.train(PAIRS, path, settings=settings, steps=6, precision="float32")
    return result, path


def test_by_hand():
    assert token_f1(["a b", "c"], ["a a", "d"]) == pytest.approx(200 * 1 / 6)


def test_it_decides_which_weights_are_kept(trained):
    assert earlier.calls >= 3  # one at each validation
    assert "step 2 of 6 kept" in repr(trained[0])


def test_evaluate_calls_it_once_with_the_whole_list(trained):
    translator = regard.load(trained[1])
    sources, references = map(list, zip(*PAIRS[:5], strict=True))
    seen.clear()
    scores = translator.evaluate(sources, references, max_length=9)
    assert len(seen) == 1
    assert seen[0] == ([x.text for x in translator.translate(sources, max_length=9)], references)
    assert scores["test-f1"] == pytest.approx(token_f1(*seen[0]))


def test_no_number_is_refused_and_forgotten(trained):
    translator = regard.load(trained[1])
    add_metric("test-words", lambda texts, references: "good")
    with pytest.raises(regard.SettingsError, match="test-words"):
        translator.evaluate(["red cat"], ["cat red"], max_length=5)
    assert "test-words" not in translator.evaluate(["red cat"], ["cat red"], max_length=5)


def test_another_function_cannot_take_the_name():
    with pytest.raises(regard.SettingsError):
        add_metric("test-f1", earlier)
