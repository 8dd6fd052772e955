"""Texts with labels in two: what is held out is not trained on, and knows its lines."""

from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from regard.data.corpus import find_corpora
from regard.data.encoding import encode_labels, find_labels, learn_tokenizer
from regard.data.labelled import find_labelled
from regard.errors import DataError
from regard.runs.tasks.labels import hold_out_labelled
from regard.runs.tasks.pairs import hold_out_pairs
from regard.text.tokenizer_config import TokenizerConfig


def silent(*_: object) -> None: ...


def files(folder: Path, *contents: str) -> list[Path]:
    paths = [folder / f"{number}.tsv" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return paths


@pytest.mark.parametrize("by_word", [False, True])
def test_each_text_is_in_one_part_and_a_label_of_its_own_is_trained_on(by_word: bool, tmp_path: Path) -> None:
    def text(label: str, word: str) -> str:
        return f"{word}\t{label}\n{word}\tx\n\n" if by_word else f"{label}\t{word}\n\n"

    first = "".join(text("xy"[i % 2], f"a{i}") for i in range(60))
    second = "".join(text(f"rare{i}", f"b{i}") for i in range(60))
    whole = find_labelled(files(tmp_path, first, second), by_word=by_word)
    rest, held_out = hold_out_labelled(whole, seed=1)
    texts = Counter(text.words[0] for file in rest for text in file.numbered())
    texts.update(words[0] for words in held_out.texts)
    assert texts == Counter(text.words[0] for file in whole for text in file.numbered())
    assert 1 <= len(held_out) < 6  # of one in twenty, those whose label others have, too
    assert {label for row in held_out.labels for label in row} <= {"x", "y"}
    assert [file.digest for file in rest] != [file.digest for file in whole]
    if not by_word:
        with pytest.raises(DataError, match=r"texts to hold out .*labels.*--valid"):
            hold_out_labelled(whole[1:], seed=1)


def test_what_is_held_out_of_a_file_is_trained_on_in_no_copy_of_it(tmp_path: Path) -> None:
    paths = files(tmp_path, *["".join(f"{'xy'[i % 2]}\ta{i}\n" for i in range(60))] * 2)
    rest, held_out = hold_out_labelled(find_labelled(paths, by_word=False), seed=1)
    trained = {text.words[0] for file in rest for text in file.numbered()}
    assert len(held_out) == len({words[0] for words in held_out.texts}) > 0
    assert trained.isdisjoint(words[0] for words in held_out.texts)
    sides = [path.with_suffix(f".{side}") for path in paths for side in ("source", "target")]
    for side in sides:
        side.write_text("".join(f"{i} a\n" for i in range(60)))
    pairs, valid = hold_out_pairs(find_corpora(sides), seed=1)
    assert {pair.source for part in pairs for pair in part.numbered()}.isdisjoint(valid.sources)
    assert len(valid) == len(set(valid.sources)) > 0


def test_lines_held_out_that_are_blank_are_counted(tmp_path: Path) -> None:
    (path,) = files(tmp_path, "".join("\n" if i % 2 else f"{i}\ta\n" for i in range(800)))
    (rest,), valid = hold_out_pairs(find_corpora([path]))
    assert len(valid) + valid.num_blank == 20
    assert rest.num_lines + len(valid) + valid.num_blank == 800
    assert valid.num_blank > 0


def test_a_file_that_is_wrong_altogether_is_wrong_from_its_first_line_on(tmp_path: Path) -> None:
    (path,) = files(tmp_path, "a\tb\tc\n" * 40)
    with pytest.raises(DataError, match="line 1: a line must be source, tab, target; got 3 columns"):
        hold_out_pairs(find_corpora([path]))


def test_all_of_a_file_cannot_be_held_out(tmp_path: Path) -> None:
    whole = find_labelled(files(tmp_path, "x\ta\ny\tb\nx\tc\n", "x\td\n"), by_word=False)
    allowed = []
    for seed in range(12):
        with suppress(DataError):
            rest, _ = hold_out_labelled(whole, seed)
            assert all(list(file.numbered()) for file in rest)
            allowed.append(seed)
    assert 0 < len(allowed) < 12
    with pytest.raises(DataError, match=r"1\.tsv must have texts left to train on; all of its 1 were held out"):
        hold_out_labelled(whole, seed=5)


def test_an_encoded_text_knows_its_line_and_its_file(tmp_path: Path) -> None:
    paths = files(tmp_path, "a\tX\n\n\nb\tY\nc\tX\n", "a\tY\n")
    texts = find_labelled(paths, by_word=True)
    tokenizer = learn_tokenizer(texts, ["words"], TokenizerConfig(kind="characters"), silent)
    encoded = encode_labels(texts, tokenizer, find_labels(texts, silent), 9, silent, by_word=True)
    assert [encoded.location(index, [text.name for text in texts]) for index in range(3)] == [
        f"line 1 of {paths[0]}", f"line 4 of {paths[0]}", f"line 1 of {paths[1]}",
    ]  # fmt: skip
    labelled = encoded.labelled(by_word=True)
    assert [labelled.labels[index].tolist() for index in range(3)] == [[0, 1, 0, 0], [0, 2, 0, 1, 0, 0], [0, 2, 0, 0]]


@pytest.mark.parametrize("by_word", [False, True])
def test_each_file_must_hold_text(by_word: bool, tmp_path: Path) -> None:
    texts = find_labelled(files(tmp_path, "a\tb\n", "\n"), by_word=by_word)
    with pytest.raises(DataError, match=r"1\.tsv must hold at least one text; got none"):
        find_labels(texts, silent)
