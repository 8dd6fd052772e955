"""Words that hold a space or a no-break space: one word each in training, `evaluate` and `predict`."""

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import regard
from regard.data.labelled import read_labelled, tagged_words
from regard.errors import DataError
from regard.models.config import EncoderConfig
from regard.models.registry import build
from regard.pipelines.predictor import Predictor
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_layers": 1, "max_positions": 40}
ROWS = [(["New York", "is", "10\u00a0000", "km"], ["X", "Y", "X", "Y"]), (["a", "b"], ["Y", "X"])]


def predictor(task: str = "tag") -> Predictor:
    tokenizer = Tokenizer.train(["New York is 10\u00a0000 km a b"], TokenizerConfig(kind="characters"))
    torch.manual_seed(1)
    labels = [] if task == "mlm" else ["X", "Y"]
    model = build(EncoderConfig(**SIZES, vocab_size=len(tokenizer), task=task, labels=labels)).eval()
    return Predictor(model, tokenizer)  # type: ignore[arg-type]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The rows in a file of words and tags."""
    lines = ["".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True)) for words, tags in ROWS]
    (tmp_path / "data").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "data"


def test_words_are_what_the_columns_say(data: Path) -> None:
    assert read_labelled([data], by_word=True).texts == [words for words, _ in ROWS]


def test_lists_of_words_have_a_tag_for_each(data: Path) -> None:
    """And the tags are those that `evaluate` counts."""
    tagger = predictor()
    texts = read_labelled([data], by_word=True).texts
    predictions = tagger.predict(texts)
    assert [len(prediction.labels) for prediction in predictions] == [4, 2]
    assert predictions[0].text == "New York is 10\u00a0000 km"
    scores = tagger.evaluate(texts, [prediction.labels for prediction in predictions])
    assert scores["accuracy"] == 1


def test_a_string_has_the_words_that_the_data_have() -> None:
    """A no-break space is part of a word; a space is one between tabs."""
    tagger = predictor()
    assert tagger.predict("is 10\u00a0000 km").labels == tagger.predict([["is", "10\u00a0000", "km"]])[0].labels
    assert len(tagger.predict("is 10\u00a0000 km").labels) == 3
    assert tagger.predict("New York\tis\t10\u00a0000\tkm").labels == tagger.predict([ROWS[0][0]])[0].labels
    seen = tagger.inspect("is 10\u00a0000 km")
    assert [label for label, _ in seen.predicted] == tagger.predict("is 10\u00a0000 km").labels


words = st.text(st.characters(blacklist_characters=" \t\n\r\f\v", blacklist_categories=["Cs"]), min_size=1, max_size=5)


@given(st.lists(words.filter(lambda word: bool(word.strip())), max_size=6))
def test_words_joined_by_spaces_or_tabs_are_those_words(many: list[str]) -> None:
    assert tagged_words(" ".join(many)) == many
    assert tagged_words("  ".join(["", *many, ""])) == many
    assert tagged_words("\t".join(many)) == many


def test_training_in_memory_has_the_same_words(tmp_path: Path) -> None:
    """Rows, a file, and what the model then says of lists."""
    result = regard.train(
        ROWS * 4, tmp_path / "m", arch="encoder", task="tag", valid=ROWS, steps=2, kind="characters", **SIZES
    )
    loaded = result.loaded
    assert isinstance(loaded, Predictor)
    assert [len(each.labels) for each in loaded.predict([words for words, _ in ROWS])] == [4, 2]


@pytest.mark.parametrize(("wrong", "shown"), [(["a", ""], "''"), (["a", " "], "' '")])
def test_what_is_no_word_is_refused(wrong: Any, shown: str) -> None:
    with pytest.raises(
        DataError, match=rf"text 2 must be a string, or a list of words, none of them blank; got {shown}\."
    ):
        predictor().predict(["a b", wrong])


@pytest.mark.parametrize("task", ["classify", "mlm"])
def test_lists_are_for_taggers(task: str) -> None:
    with pytest.raises(
        DataError, match=rf"text 1 must be a string for a model for task {task}; got \['a'\]\. Lists are of words"
    ):
        predictor(task).predict([["a"]])
