"""The time and space that all parts would take, measured on rows from all over the input: `--dry-run`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from regard.errors import DataError
from regard.parts.input_files import InputFile
from regard.parts.manifest import Manifest
from regard.parts.part_files import Answer, Row, rows_of_part

SAMPLED_PARTS = 16
SAMPLED_ROWS = 32
"""The rows that are answered of each of these parts."""
WARM_UP_ROWS = 8
"""Answered before, unmeasured: the first ones load the model."""


@dataclass(frozen=True)
class Estimate:
    """The cost of answering all parts on machines like this one."""

    num_rows: int
    num_parts: int
    num_bytes: int
    """The size of the input files."""
    rows_per_second: float
    num_sampled: int
    output_bytes: int
    """The size of all answers, unpacked."""

    @property
    def seconds(self) -> float:
        """The time that one such process needs."""
        return self.num_rows / self.rows_per_second


def estimate(manifest: Manifest, files: Sequence[InputFile], answer: Answer) -> Estimate:
    """Answer some rows of some parts, evenly spread, and measure the time.

    Raises:
        DataError: no row can be answered.
    """
    step = max(1, len(manifest.parts) // SAMPLED_PARTS)
    rows: list[Row] = []
    for part in manifest.parts[::step][:SAMPLED_PARTS]:
        readable = (row for row in rows_of_part(files, part) if not isinstance(row, DataError))
        rows += islice(readable, SAMPLED_ROWS)
    list(answer(rows[:WARM_UP_ROWS], 1))
    started = time.perf_counter()
    lines = list(answer(rows, 1))
    seconds = time.perf_counter() - started
    num_bytes = sum(len(line.encode()) + 1 for line in lines) * manifest.num_rows // max(1, len(rows))
    return Estimate(
        manifest.num_rows, len(manifest.parts), sum(file.num_bytes for file in manifest.files),
        len(rows) / max(seconds, 1e-9), len(rows), num_bytes,
    )  # fmt: skip
