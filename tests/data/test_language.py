from pathlib import Path

import numpy as np
import pytest
import torch

from regard.data.language import encode_stream, random_windows, read_text, windows_in_order
from regard.errors import DataError
from regard.text.tokenizer import Tokenizer, TokenizerConfig
from regard.workflow.tasks.texts import hold_out_end


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


def test_the_last_tenth_of_the_characters_is_held_out() -> None:
    lines = ["x" * 9] * 100
    training, valid = hold_out_end(lines, "text")
    assert (len(training), len(valid)) == (90, 10) or (len(training), len(valid)) == (89, 11)
    assert training + valid == lines
    assert hold_out_end(["a", "b" * 100], "text") == (["a"], ["b" * 100])
    with pytest.raises(DataError, match="text must have at least 2 lines, to hold some out for validation; got 1"):
        hold_out_end(["a"], "text")


def test_files_follow_each_other_and_blank_lines_stay(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n\ntwo\n")
    (tmp_path / "b").write_text("three\n")
    assert read_text([tmp_path / "a", tmp_path / "b"]) == ["one", "", "two", "three"]
    (tmp_path / "blank").write_text("\n \n")
    with pytest.raises(DataError, match=r"blank must hold text; got none. Is it the right file"):
        read_text([tmp_path / "blank"])
