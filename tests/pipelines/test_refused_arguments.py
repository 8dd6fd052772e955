"""What predictors, language models and lookups refuse, and ids that come as numbers of other libraries."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

import regard
from random_models import TEXT, save_models
from regard.data.batching import plan_batches
from regard.errors import DataError, SettingsError
from regard.text.length_limits import check_ids


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def load(folder: Path) -> Callable[[str], Any]:
    return lambda name: regard.load(folder / name)


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_has_a_line_at_least(load: Callable[[str], Any], window: int) -> None:
    with pytest.raises(SettingsError, match=f"window must be at least 1; got {window}"):
        load("classify").predict_lines([TEXT], window=window)


WRONG: list[tuple[str, list[list[str]], list[list[str]], str]] = [
    ("classify", [["a"], ["b"]], [["x"]], "each text needs labels; got 2 texts and 1 rows of labels"),
    ("classify", [["a"], ["b"]], [["x", "y"], []], "text 1 must have one label; got 2"),
    ("classify", [["a"], ["b"]], [["x"], ["z"]], "text 2: a label must be one that the model was trained on; got 'z'"),
    ("classify", [["a"], ["a", "b"]], [["x"], ["x"]], "text 2 must be a list of one text, as the model reads no pairs"),
    ("classify", [[]], [[]], "text 1 must be a list of one text"),
    ("tag", [["a", "b"]], [["x"]], "text 1 must have a label for each of 2 words; got 1"),
    ("tag", [["a", "b"], ["a"]], [["x"], ["x", "y"]], "text 1 must have a label for each of 2 words; got 1"),
    ("tag", [["a"], []], [["x"], []], r"text 2 must be a list of words, none of them blank; got \[\]"),
    ("tag", [["a", " "]], [["x", "x"]], "text 1 must be a list of words, none of them blank"),
    ("tag", [["a"]], [["z"]], "text 1: a label must be one that the model was trained on; got 'z'"),
]


@pytest.mark.parametrize(("task", "texts", "labels", "message"), WRONG)
def test_labels_are_those_of_the_texts(
    load: Callable[[str], Any], task: str, texts: list[list[str]], labels: list[list[str]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load(task).evaluate(texts, labels)


def test_labels_that_fit_are_scored(load: Callable[[str], Any]) -> None:
    assert load("tag").evaluate([["a", "b"], ["c"]], [["x", "y"], ["x"]])["num_labels"] == 3
    assert load("classify").evaluate([["a b"], ["c"]], [["x"], ["y"]])["num_labels"] == 2


def test_tokens_are_scored_from_a_place_in_the_text(load: Callable[[str], Any]) -> None:
    model = load("lm")
    ids = model.ids_of(TEXT)
    whole = model.scored(ids, 2)
    for first in range(len(ids) + 2):
        part = model.scored(ids, 2, first)
        assert vars(part) == {name: each[first:] for name, each in vars(whole).items()}
    assert {len(each) for each in vars(model.scored([])).values()} == {0}
    for given, message in (({"first": -1}, "first must be at least 0"), ({"count": -1}, "count must be at least 0")):
        with pytest.raises(SettingsError, match=message):
            model.scored(ids, **given)
    for id in (-1, model.model.config.vocab_size):
        with pytest.raises(DataError, match=f"an id of a token must be a whole number from 0 to .*; got {id}"):
            model.scored([*ids, id])


@pytest.mark.parametrize("make", [numpy.array, lambda ids: list(numpy.array(ids, dtype=numpy.uint8)), torch.tensor])
def test_ids_are_numbers_of_any_library(make: Callable[[list[int]], Any]) -> None:
    found = check_ids(make([5, 0]), 12)
    assert found == [5, 0]
    assert {type(id) for id in found} == {int}


@pytest.mark.parametrize(
    "id", [True, numpy.True_, torch.tensor(True), 1.0, numpy.float32(1), "1", None, 12, numpy.int64(-1)]
)
def test_what_is_no_id_is_refused(id: Any) -> None:
    with pytest.raises(DataError, match="an id of a token must be a whole number from 0 to 11; got"):
        check_ids([id], 12)


@pytest.mark.parametrize(("by", "other"), [("lm", "m"), ("m", "lm"), ("m", "rnn"), ("m", "two"), ("two", "m")])
def test_an_inspection_is_of_the_model_that_looks_up(load: Callable[[str], Any], by: str, other: str) -> None:
    seen, looks_up = load(by).inspect(TEXT), load(other)
    if by == "two":  # a target whose tokens the other model has, too, cannot be told apart
        seen.read_ids[0][0] = looks_up.model.config.vocab_size
    if other == "two":
        seen.read_ids[1].append(looks_up.model.config.vocab_size)
    with pytest.raises(SettingsError, match="inspection"):
        looks_up.lookup(seen, seen.head_names[0], 0)


def test_an_untold_translation_has_no_part(load: Callable[[str], Any]) -> None:
    running = load("m").running()
    with pytest.raises(SettingsError, match="number must be that of a translation that is watched; got 0"):
        running.partial(0)


USES: list[tuple[str, Callable[[Any], Any]]] = [
    *((name, lambda model: model.predict([TEXT])) for name in ("classify", "tag")),
    ("mlm", lambda model: model.predict([f"{TEXT} <mask>"])),
    ("classify", lambda model: model.evaluate([[TEXT]], [["x"]])),
    ("lm", lambda model: model.scored(model.ids_of(TEXT))),
    ("lm", lambda model: model.inspect_ids(model.ids_of(TEXT))),
    ("m", lambda model: model.inspect(TEXT, TEXT)),
    ("m", lambda model: model.align(TEXT, TEXT)),
    *((name, lambda model: model.inspect(TEXT)) for name in ("classify", "tag", "mlm", "lm")),
]


@pytest.mark.parametrize(("name", "use"), USES)
def test_a_model_in_training_mode_is_refused(load: Callable[[str], Any], name: str, use: Callable[[Any], Any]) -> None:
    model = load(name)
    use(model)
    seen = model.inspect(TEXT)
    model.model.train()
    with pytest.raises(
        SettingsError, match=r"must be in evaluation mode to .*; got training mode. Call `model.eval\(\)`"
    ):
        use(model)
    with pytest.raises(SettingsError, match="must be in evaluation mode to be used"):
        model.lookup(seen, seen.head_names[0], 0)
    model.model.eval()
    next(part for part in model.model.modules() if type(part).__name__ == "Dropout").train()
    use(model)
    assert not any(part.training for part in model.model.modules())


def test_no_pairs_have_no_batches_and_no_scores(load: Callable[[str], Any]) -> None:
    assert plan_batches([numpy.zeros(0, dtype=numpy.int64)] * 2, 100) == []
    assert load("m").score([], []) == []
