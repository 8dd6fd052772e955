import os
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.data import text_streams as language
from regard.data.text_streams import (
    TextFile,
    encode_stream,
    find_texts,
    hold_out_end,
    random_windows,
    read_text,
    windows_in_order,
)
from regard.errors import DataError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig


def test_a_stream_has_a_symbol_for_every_character_and_line_break() -> None:
    lines = ["ab a", "", " b"]
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind="characters", vocab_size=50, leading_space=False))
    stream = encode_stream(lines, tokenizer)
    assert len(stream) == len("\n".join(lines)) + 1
    assert tokenizer.tokens(stream.tolist()) == ["a", "b", "▁", "a", "</s>", "</s>", "▁", "b", "</s>"]


def test_windows_in_order_predict_every_token_once() -> None:
    stream = np.arange(100, 123, dtype=np.int32)
    batches = list(windows_in_order(stream, batch_tokens=10, context=5))
    labels = torch.cat([batch.labels.flatten() for batch in batches])
    assert labels.tolist() == list(range(101, 123))
    for batch in batches:
        assert torch.equal(batch.ids + 1, batch.labels)
        assert batch.num_tokens == batch.labels.numel() <= 10
    assert [batch.ids.shape[1] for batch in batches][-1] == 2


def test_random_windows_repeat_from_their_seed_and_reach_every_place() -> None:
    stream = np.arange(50, dtype=np.int32)
    first, second, other = (random_windows(stream, 40, 8, seed) for seed in (1, 1, 2))
    batch = next(first)
    assert batch.ids.shape == (5, 8)
    assert torch.equal(batch.ids, next(second).ids)
    assert not torch.equal(batch.ids, next(other).ids)
    seen = torch.cat([next(first).labels.flatten() for _ in range(200)]).unique()
    assert seen.tolist() == list(range(1, 50))


def test_a_text_shorter_than_the_window_is_one_window() -> None:
    batch = next(random_windows(np.arange(4, dtype=np.int32), 64, 16, 0))
    assert batch.ids.shape[1] == 3


def text_files(folder: Path, *contents: str, with_blank: bool = True) -> list[TextFile]:
    paths = [folder / f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    return [TextFile(str(path), with_blank) for path in paths]


def lines_of(texts: list[TextFile]) -> list[str]:
    return [line.text for text in texts for line in text.numbered()]


def test_the_last_tenth_of_a_text_is_held_out(tmp_path: Path) -> None:
    whole = text_files(tmp_path, *["x" * 9 + "\n"] * 100)
    training, valid = hold_out_end(whole)
    assert len(valid) == 10
    assert lines_of(training) + valid == lines_of(whole)
    assert len(training) == 100 - len(valid)


def test_a_cut_inside_a_file_is_between_lines(tmp_path: Path) -> None:
    whole = text_files(tmp_path, "first\n\n", "".join(f"line {number}\n" for number in range(50)) + "\n\u2028end")
    training, valid = hold_out_end(whole)
    assert lines_of(training) + valid == lines_of(whole)
    assert valid[-2:] == ["", "\u2028end"]
    assert [text.num_lines for text in training] == [2, 52 - len(valid)]
    assert training[1].digest not in (whole[1].digest, training[0].digest)


def test_a_long_text_has_no_whole_tenth_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "LARGEST_HELD_OUT", 25)
    _, valid = hold_out_end(text_files(tmp_path, "x" * 9 + "\n" + ("y" * 9 + "\n") * 99))
    assert len(valid) == 3


def test_something_is_left_on_both_sides(tmp_path: Path) -> None:
    training, valid = hold_out_end(text_files(tmp_path, "a\n" + "b" * 100))
    assert (lines_of(training), valid) == (["a"], ["b" * 100])
    with pytest.raises(
        DataError, match=r"0\.txt must have at least 2 lines of text, to hold some out for validation; got 1"
    ):
        hold_out_end(text_files(tmp_path, "a\n\n"))


def test_blank_lines_count_where_they_are_breaks(tmp_path: Path) -> None:
    content = "a\n\nb\n \nc\n"
    (with_blank,) = text_files(tmp_path, content)
    assert [line.line for line in with_blank.numbered()] == [1, 2, 3, 4, 5]
    (without,) = text_files(tmp_path, content, with_blank=False)
    assert list(without.numbered()) == [(1, "a"), (3, "b"), (5, "c")]
    assert hold_out_end([without])[1] == ["c"]


def test_blank_lines_at_the_end_are_not_all_that_is_held_out(tmp_path: Path) -> None:
    whole = text_files(tmp_path, "\n" * 30 + "a dog\n" * 20 + "\n" * 100 + "\u2028\u3000\n" * 100)
    training, valid = hold_out_end(whole)
    assert lines_of(training) + valid == lines_of(whole)
    assert [line for line in valid if line.strip()] == ["a dog"] * 2


def test_a_pipe_cannot_be_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match=r"pipe must be a file, as it is read more than once; got a pipe. Write it"):
        find_texts([tmp_path / "pipe"], with_blank=True)


def test_files_follow_each_other_and_blank_lines_stay(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n\ntwo\n")
    (tmp_path / "b").write_text("three\n")
    assert read_text([tmp_path / "a", tmp_path / "b"]) == ["one", "", "two", "three"]
    (tmp_path / "blank").write_text("\n \n")
    with pytest.raises(DataError, match=r"blank must hold text; got none. Is it the right file"):
        read_text([tmp_path / "blank"])
    with pytest.raises(DataError, match=r"blank must hold text; got none. Is it the right file"):
        find_texts([tmp_path / "blank"], with_blank=True)
