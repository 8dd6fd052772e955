"""Running text: files of lines, and for language models one stream of ids, cut into windows."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch

from regard.data.batch import ALL, BatchCursor, LabelledBatch, Shard, rows_of_shard, with_cursor
from regard.data.prefetching import releasing
from regard.errors import DataError
from regard.text.file_changes import FileMeasurements, check_same, stamp
from regard.text.lines import decode_line, measure_lines, open_lines, read_lines
from regard.text.tokenizer import Tokenizer

LARGEST_HELD_OUT = 1_000_000
"""The largest number of characters of text that are held out for validation."""


class NumberedLine(NamedTuple):
    """A line of text and its number, counted from 1."""

    line: int
    text: str


@dataclass(frozen=True)
class TextFile:
    """The lines of a file, read anew each time they are asked for, so that it may be larger than memory."""

    name: str
    with_blank: bool = True
    """Whether blank lines count; to a language model they are breaks between paragraphs."""
    end: int | None = None
    """The number of lines that belong to the text; None: all."""

    @property
    def num_lines(self) -> int:
        """The number of lines of the file that belong to the text, blank ones included.

        Raises:
            DataError: the file cannot be read.
        """
        return self._measured.num_lines if self.end is None else self.end

    @property
    def digest(self) -> str:
        """A checksum of the file, and of the part of it that is read."""
        return hashlib.sha256(f"{self._measured.digest} {self.with_blank} {self.end}".encode()).hexdigest()

    @cached_property
    def num_bytes(self) -> int:
        """The size of the file."""
        with open_lines(self.name) as stream:
            return os.fstat(stream.fileno()).st_size

    def until(self, end: int) -> TextFile:
        """The text up to a line and with it; what is known of the file is not measured again."""
        text = replace(self, end=end)
        text.__dict__["_measured"] = self._measured
        return text

    def numbered(self) -> Iterator[NumberedLine]:
        """The lines.

        Raises:
            DataError: the file cannot be read, or a line is not UTF-8.
        """
        with open_lines(self.name) as stream:
            for number, raw in enumerate(itertools.islice(stream, self.end), start=1):
                text = decode_line(raw, number, self.name)
                if self.with_blank or text.strip():
                    yield NumberedLine(number, text)

    def check_unchanged(self) -> None:
        """Make sure that the file is the one that was measured.

        Raises:
            DataError: it has been changed since.
        """
        check_same([self.name], self._measured, self.name, lambda: TextFile(self.name)._measured.digest)

    @cached_property
    def _measured(self) -> FileMeasurements:
        before, digest = stamp([self.name]), hashlib.sha256()
        return FileMeasurements(measure_lines(self.name, digest), digest.hexdigest(), before)


def find_texts(names: Sequence[str | os.PathLike[str]], *, with_blank: bool) -> list[TextFile]:
    """The texts of some files.

    Raises:
        DataError: a file cannot be read more than once, or there is no text in any.
    """
    texts = [TextFile(os.fspath(name), with_blank) for name in names]
    num_lines = sum(text.num_lines for text in texts)  # first, as it refuses pipes before anything is read from them
    if not num_lines or not any(line.text.strip() for text in texts for line in text.numbered()):
        raise _no_text(names)
    return texts


def hold_out_end(texts: Sequence[TextFile]) -> tuple[list[TextFile], list[str]]:
    """Divide running text in two: its beginning, and the lines of its last tenth, a million characters at most, for
    validation. Both have a line that is not blank.

    Raises:
        DataError: fewer than two lines that are not blank.
    """
    # One pass: of the lines read last, those that may be held out, as no line of text before them can.
    tail: deque[tuple[int, int, str, int]] = deque()
    read, seen = 0, 0
    for part, text in enumerate(texts):
        for number, line in replace(text, with_blank=True).numbered():
            size = len(line) if line.strip() else 0
            tail.append((part, number, line, size))
            read, seen = read + size, seen + size
            while seen - tail[0][-1] >= LARGEST_HELD_OUT:
                seen -= tail.popleft()[-1]
    wanted = max(1, min(read // 10, LARGEST_HELD_OUT))
    while tail and (seen == read or seen - tail[0][-1] >= wanted or not tail[0][-1]):
        seen -= tail.popleft()[-1]
    if not tail:
        name = " + ".join(text.name for text in texts)
        raise DataError(
            f"{name} must have at least 2 lines of text, to hold some out for validation; got 1. Give --valid a file."
        )
    first_part, first_line, *_ = tail[0]
    rest = [*texts[:first_part], texts[first_part].until(first_line - 1)]
    held_out = [line for _, _, line, size in tail if size or texts[0].with_blank]
    return [text for text in rest if text.num_lines], held_out


def _no_text(names: Sequence[str | os.PathLike[str]]) -> DataError:
    return DataError(f"{' + '.join(map(str, names))} must hold text; got none. Is it the right file?")


def read_text(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Read the lines of some text files, one file after the other, blank lines included.

    Raises:
        DataError: a file cannot be read, or there is no text in any.
    """
    lines = [line for path in paths for line in read_lines(os.fspath(path))]
    if not any(line.strip() for line in lines):
        raise _no_text(paths)
    return lines


def encode_stream(lines: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """The ids of all lines, each line ended by the end symbol if that is the line break; otherwise as one document."""
    if not tokenizer.symbols.lines_end:
        return np.array([*tokenizer.symbols.start_ids, *tokenizer.encode("\n".join([*lines, ""]))], dtype=np.int32)
    rows = tokenizer.encode_batch(list(lines))
    return np.fromiter((id for row in rows for id in (*row, tokenizer.eos_id)), dtype=np.int32)


def random_windows(
    stream: np.ndarray,
    batch_tokens: int,
    context: int,
    seed: int,
    *,
    release: Callable[[], None] = lambda: None,
    start: BatchCursor = (0, 0),
    shard: Shard = ALL,
) -> Iterator[LabelledBatch]:
    """Windows of `context` ids at random places, and the ids that follow each as labels: batches without end.

    Args:
        release: gives back what was read of a stream that is a memory map.
        start: begin with this batch; all are of epoch 0.
        shard: the rows of each batch that are read here.
    """
    context = min(context, len(stream) - 1)
    rows = max(1, batch_tokens // context)
    for number in releasing(itertools.count(start[1]), release):
        rng = np.random.default_rng((seed, number))
        own, counts = rows_of_shard(rng.integers(0, len(stream) - context, rows), shard)
        yield with_cursor(_windows(stream, own, context), (0, number + 1), counts)


def windows_in_order(stream: np.ndarray | Sequence[int], batch_tokens: int, context: int) -> Iterator[LabelledBatch]:
    """Every id of the stream but the first as a label, once: windows side by side, for validation."""
    stream = np.asarray(stream)
    context = min(context, len(stream) - 1)
    starts = np.arange(0, len(stream) - context, context)
    rows = max(1, batch_tokens // context)
    for first in range(0, len(starts), rows):
        yield _windows(stream, starts[first : first + rows], context)
    done = len(starts) * context
    if rest := len(stream) - 1 - done:
        yield _windows(stream, np.array([done]), rest)


def _windows(stream: np.ndarray, starts: np.ndarray, context: int) -> LabelledBatch:
    places = starts[:, None] + np.arange(context)
    ids, labels = (torch.from_numpy(stream[at].astype(np.int64)) for at in (places, places + 1))
    return LabelledBatch(ids, labels, labels.numel(), starts.tolist(), num_counted=labels.numel(), pads_right=True)
