"""Running text for language models: one stream of ids, cut into windows."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from regard.data.batch import ALL, IGNORED, LabelledBatch, Place, Share, own_rows
from regard.errors import DataError
from regard.text.lines import read_lines
from regard.text.tokenizer import Tokenizer


def read_text(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The lines of some text files, one file after the other, blank lines included.

    Raises:
        DataError: a file cannot be read, or there is no text in any.
    """
    lines = [line for path in paths for line in read_lines(os.fspath(path))]
    if not any(line.strip() for line in lines):
        raise DataError(f"{' + '.join(map(str, paths))} must hold text; got none. Is it the right file?")
    return lines


def encode_stream(lines: Sequence[str], tokenizer: Tokenizer) -> np.ndarray:
    """The ids of all lines, each line ended by the end symbol where it stands for the line break, else one document."""
    if not tokenizer.symbols.lines_end:
        return np.array([*tokenizer.symbols.start_ids, *tokenizer.encode("\n".join([*lines, ""]))], dtype=np.int32)
    rows = tokenizer.encode_batch(list(lines))
    return np.fromiter((id for row in rows for id in (*row, tokenizer.eos_id)), dtype=np.int32)


def random_windows(
    stream: np.ndarray, batch_tokens: int, context: int, seed: int, *, start: Place = (0, 0), share: Share = ALL
) -> Iterator[LabelledBatch]:
    """Windows of `context` ids at random places, and the ids that follow each as labels: batches without end.

    Args:
        start: begin with this batch; all are of epoch 0.
        share: the rows of each batch that are read here.
    """
    context = min(context, len(stream) - 1)
    rows = max(1, batch_tokens // context)
    for number in itertools.count(start[1]):
        rng = np.random.default_rng((seed, number))
        own, counts = own_rows(rng.integers(0, len(stream) - context, rows), share)
        batch = replace(_windows(stream, own, context), next_place=(0, number + 1))
        yield batch if counts else replace(batch, labels=torch.full_like(batch.labels, IGNORED), num_tokens=0)


def windows_in_order(stream: np.ndarray, batch_tokens: int, context: int) -> Iterator[LabelledBatch]:
    """Every id of the stream but the first as a label, once: windows side by side, for validation."""
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
    return LabelledBatch(ids, labels, labels.numel(), starts.tolist())
