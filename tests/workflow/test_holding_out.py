"""Texts with labels in two: what is held out is not trained on, and knows its lines."""

from collections import Counter
from pathlib import Path

import pytest

from regard.data.encoding import encode_labels, find_labels, learn_tokenizer
from regard.data.labelled import find_labelled
from regard.errors import DataError
from regard.text.tokenizer import TokenizerConfig
from regard.workflow.tasks.texts import hold_out_labelled


def silent(*_: object) -> None: ...


def files(folder: Path, *contents: str) -> list[Path]:
    paths = [folder / f"{number}.tsv" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return paths


def test_each_text_is_in_one_part_and_a_label_of_its_own_is_trained_on(tmp_path: Path) -> None:
    first = "".join(f"{'xy'[i % 2]}\ta{i}\n\n" for i in range(60))
    second = "".join(f"rare{i}\tb{i}\n" for i in range(60))
    whole = find_labelled(files(tmp_path, first, second), by_word=False)
    rest, held_out = hold_out_labelled(whole, seed=1)
    texts = Counter(text.words[0] for file in rest for text in file.numbered())
    texts.update(words[0] for words in held_out.texts)
    assert texts == Counter(text.words[0] for file in whole for text in file.numbered())
    assert 1 <= len(held_out) < 6  # of one in twenty, those whose label others have, too
    assert {label for row in held_out.labels for label in row} <= {"x", "y"}
    assert [file.digest for file in rest] != [file.digest for file in whole]
    with pytest.raises(DataError, match="must have labels that occur more than once"):
        hold_out_labelled(whole[1:], seed=1)


def test_an_encoded_text_knows_its_line_and_its_file(tmp_path: Path) -> None:
    paths = files(tmp_path, "a\tX\n\n\nb\tY\nc\tX\n", "a\tY\n")
    texts = find_labelled(paths, by_word=True)
    tokenizer = learn_tokenizer(texts, ["words"], TokenizerConfig(kind="characters"), silent)
    encoded = encode_labels(texts, tokenizer, find_labels(texts, silent), 9, silent, by_word=True)
    assert [encoded.place(index, [text.name for text in texts]) for index in range(3)] == [
        f"line 1 of {paths[0]}", f"line 4 of {paths[0]}", f"line 1 of {paths[1]}",
    ]  # fmt: skip
    labelled = encoded.labelled(by_word=True)
    assert [labelled.labels[index].tolist() for index in range(3)] == [[0, 1, 0, 0], [0, 2, 0, 1, 0, 0], [0, 2, 0, 0]]


@pytest.mark.parametrize("by_word", [False, True])
def test_each_file_must_hold_text(by_word: bool, tmp_path: Path) -> None:
    texts = find_labelled(files(tmp_path, "a\tb\n", "\n"), by_word=by_word)
    with pytest.raises(DataError, match=r"1\.tsv must hold at least one text; got none"):
        find_labels(texts, silent)
