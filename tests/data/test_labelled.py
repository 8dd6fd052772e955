import os
import threading
from pathlib import Path
from typing import Any

import pytest

from regard.data.batch import IGNORED
from regard.data.batching import (
    Masking,
    labelled_in_order,
    labelled_training_batches,
    masked_in_order,
    masked_training_batches,
)
from regard.data.encoding import encode_labels, find_labels
from regard.data.labelled import (
    LabelledText,
    check_labels,
    encode_words,
    find_labelled,
    format_warnings,
    read_labelled,
)
from regard.errors import DataError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["a b c d e f g h"], TokenizerConfig(kind="characters", vocab_size=50, with_mask=True))


def test_classes_are_read(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("pos\ta good\tone\n\nneg\tbad\n")
    text = read_labelled([tmp_path / "t.tsv"], by_word=False)
    assert text.texts == [["a good\tone"], ["bad"]]
    assert text.labels == [["pos"], ["neg"]]
    assert find_labels([text], lambda *_: None) == ["neg", "pos"]


def test_tags_are_read(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("the\tDET\ndog\tNOUN\n\n\nruns\tVERB\n")
    text = read_labelled([tmp_path / "t.tsv"], by_word=True)
    assert text.texts == [["the", "dog"], ["runs"]]
    assert text.labels == [["DET", "NOUN"], ["VERB"]]


@pytest.mark.parametrize(
    ("by_word", "content", "message"),
    [
        (False, "pos\tx\nno tab\n", r"line 2: a line must be label, tab, text; got 'no tab'"),
        (False, "\tx\n", r"line 1: a line must be label, tab, text"),
        (False, "\n", "must hold at least one text; got none"),
        (True, "dog\tNOUN\tx\n", r"line 1: a line must be word, tab, tag; got 'dog\\tNOUN\\tx'"),
        (True, "", "must hold at least one text; got none"),
        (True, "the\tDET\nOslo\tB LOC\n", r"line 2: a tag must have no white space inside; got 'B LOC'\. .* B_LOC\."),
        (True, "Oslo\tB\u00a0LOC\n", r"line 1: a tag must have no white space inside; got 'B\\xa0LOC'"),
    ],
)
def test_lines_that_cannot_be_used_are_named(tmp_path: Path, by_word: bool, content: str, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_labelled([path], by_word=by_word)


def test_each_file_must_hold_a_text(tmp_path: Path) -> None:
    paths = [tmp_path / "full.tsv", tmp_path / "blank.tsv"]
    for path, content in zip(paths, ("pos\tgood\n", "\n\n"), strict=True):
        path.write_text(content)
    with pytest.raises(DataError, match=r"^\S*blank\.tsv must hold at least one text; got none"):
        read_labelled(paths, by_word=False)


def test_a_pipe_is_read_once_and_refused_where_it_would_be_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("pos\tgood\n",), daemon=True)
    writer.start()
    with pytest.raises(DataError, match=r"pipe must be a file, as it is read more than once; got a pipe"):
        find_labelled([pipe], by_word=False)
    assert read_labelled([pipe], by_word=False).texts == [["good"]]
    writer.join()


def test_words_begin_where_their_first_token_stands(tokenizer: Tokenizer) -> None:
    ids, beginnings, are_cut = encode_words([["ab", "c"], ["abcdef", "g"]], tokenizer, 7)
    assert are_cut == [False, True]
    assert tokenizer.tokens(ids[0]) == ["<s>", "▁", "a", "b", "▁", "c", "</s>"]
    assert beginnings == [[1, 4], [1, -1]]
    assert tokenizer.tokens(ids[1]) == ["<s>", "▁", "a", "b", "c", "d", "</s>"]


def encoded(texts: LabelledText, tokenizer: Tokenizer, labels: list[str], limit: int, *, by_word: bool) -> Any:
    return encode_labels([texts], tokenizer, labels, limit, lambda *_: None, by_word=by_word).labelled(by_word=by_word)


def test_tags_stand_at_the_first_token_of_each_word(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "t.tsv").write_text("ab\tX\nc\tY\n\nabcdef\tY\ng\tX\n")
    texts = encoded(read_labelled([tmp_path / "t.tsv"], by_word=True), tokenizer, ["X", "Y"], 7, by_word=True)
    (batch,) = labelled_in_order(texts, 100, pad_id=0)
    rows = dict(zip(batch.indices, batch.labels.tolist(), strict=True))
    assert rows[0] == [IGNORED, 0, IGNORED, IGNORED, 1, IGNORED, IGNORED]
    assert rows[1] == [IGNORED, 1, *[IGNORED] * 5]  # the second word was cut off
    assert batch.num_tokens == 3
    assert batch.num_counted == 7 + 7


def test_a_text_of_a_class_counts_as_many_tokens_as_are_read(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "t.tsv").write_text("X\tabc\nY\ta\n")
    texts = encoded(read_labelled([tmp_path / "t.tsv"], by_word=False), tokenizer, ["X", "Y"], 9, by_word=False)
    (batch,) = labelled_in_order(texts, 100, pad_id=0)
    assert batch.num_tokens == 2  # labels, by which the loss is divided
    assert batch.num_counted == int((batch.ids != 0).sum()) == 6 + 4
    shares = [next(labelled_training_batches(texts, 100, 1, pad_id=0, shard=(rank, 3))) for rank in range(3)]
    assert [share.num_tokens for share in shares] == [1, 1, 0]  # the third has no row of its own
    assert sum(share.num_counted for share in shares) == 10
    masking = Masking(tokenizer.mask_id or 0, 5, len(tokenizer))
    (hidden,) = masked_in_order(texts.ids, masking, 100, pad_id=0)
    assert hidden.num_tokens < hidden.num_counted == 10
    parts = [next(masked_training_batches(texts.ids, masking, 100, 1, pad_id=0, shard=(rank, 3))) for rank in range(3)]
    assert sum(part.num_counted for part in parts) == 10


def test_a_label_that_was_not_trained_on_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("posi\tx\n")
    with pytest.raises(DataError, match=r"a label .*got 'posi'.*'pos'"):
        check_labels(read_labelled([tmp_path / "t.tsv"], by_word=False), ["neg", "pos"])
    with pytest.raises(DataError, match=r"got 'posi'. Allowed: 0, 1, 10, .* and 9,940 more\.$") as raised:
        check_labels(read_labelled([tmp_path / "t.tsv"], by_word=False), map(str, range(10_000)))
    assert len(str(raised.value)) < 600


def test_every_text_is_seen_once_in_an_epoch(tmp_path: Path, tokenizer: Tokenizer) -> None:
    lines = [f"{'xy'[i % 2]}\t{'a' * (1 + i % 5)}" for i in range(30)]
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    texts = encoded(read_labelled([tmp_path / "t.tsv"], by_word=False), tokenizer, ["x", "y"], 9, by_word=False)
    stream, seen, labels = labelled_training_batches(texts, 40, 1, pad_id=0), [], {}
    while len(seen) < 30:
        batch = next(stream)
        seen += batch.indices
        labels |= dict(zip(batch.indices, batch.labels.tolist(), strict=True))
        assert batch.ids.numel() <= 40
    assert sorted(seen) == list(range(30))
    assert all(labels[i] == i % 2 for i in range(30))


@pytest.mark.parametrize(
    ("by_word", "content", "message"),
    [
        (
            False,
            "label\ttext\npos\tgood\n",
            r"line 1: a line must be label, tab, text; got 'label\\ttext', a header",
        ),
        (False, "Sentence\tLabel\ngood\tpos\n", r"a header\. Remove that line\."),
        (True, "word\ttag\ndog\tNOUN\n", r"line 1: a line must be word, tab, tag; got 'word\\ttag', a header"),
    ],
)
def test_a_header_is_not_learnt_from(tmp_path: Path, by_word: bool, content: str, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_labelled([path], by_word=by_word)
    with pytest.raises(DataError, match=message):
        list(find_labelled([path], by_word=by_word)[0].numbered())
    path.write_text(f"\n \n{content}")
    with pytest.raises(DataError, match=message.replace("line 1", "line 3")):
        read_labelled([path], by_word=by_word)
    path.write_text("\n".join(reversed(content.strip().split("\n"))) + "\n")  # further down it is a text like others
    assert len(read_labelled([path], by_word=by_word)) in (1, 2)


def test_what_may_be_a_header_or_swapped_columns_is_said(tmp_path: Path) -> None:
    def found(content: str, *, by_word: bool = False) -> list[str]:
        (tmp_path / "t.tsv").write_text(content)
        files = find_labelled([tmp_path / "t.tsv"], by_word=by_word)
        labels = find_labels(files, lambda *_: None)
        assert format_warnings(files, labels, 60) == format_warnings(
            [read_labelled([tmp_path / "t.tsv"], by_word=by_word)], labels, 60
        )
        return [warning.replace(str(tmp_path), "") for warning in format_warnings(files, labels, 60)]

    rows = "".join(f"{'yes' if i % 2 else 'no'}\ta text {i}\n" for i in range(60))
    assert found(rows) == []
    assert found("polarity\tcomment\n" + rows) == [
        "the first label of /t.tsv, 'polarity', occurs there only: if that line is a header, remove it"
    ]
    assert found("comment\tpolarity\n" + "dog\tNOUN\n\n" * 3, by_word=True)[0].startswith("the first label of")
    assert found("dog\tNOUN\ncat\tNOUN\n" * 3, by_word=True) == []
    swapped = "".join(f"a text {i}\tyes\n" for i in range(60))
    assert found(swapped)[-1] == "60 labels in 60 texts: if the columns are text, tab, label, swap them"


def test_blank_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("pos\tgood\n\n \nneg\tbad\n\n")
    assert read_labelled([tmp_path / "t.tsv"] * 2, by_word=False).num_blank == 6
    (tmp_path / "t.tsv").write_text("dog\tNOUN\n\ncat\tNOUN\n\n\n")
    assert read_labelled([tmp_path / "t.tsv"], by_word=True).num_blank == 0
