"""The time and space that all parts would take, measured on rows from all over the input: `--dry-run`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from regard.errors import DataError
from regard.parts.input_files import InputFile
from regard.parts.manifest import Manifest
from regard.parts.part_files import Answer, Row, answer_each, rows_of_part

SAMPLED_PARTS = 16
SAMPLED_ROWS = 32
"""The rows that are answered of each of these parts."""
WARM_UP_ROWS = 8
"""Answered before, unmeasured: the first ones load the model."""


class Estimate(NamedTuple):
    """The cost of answering all parts on machines like this one."""

    rows_per_second: float
    num_sampled: int
    seconds: float
    """The time that one such process needs."""
    output_bytes: int
    """The size of all answers, unpacked."""


def estimate(manifest: Manifest, files: Sequence[InputFile], answer: Answer) -> Estimate:
    """Answer some rows of some parts, evenly spread, and measure the time.

    Raises:
        DataError: no row can be answered.
    """
    count = min(SAMPLED_PARTS, len(manifest.parts))
    rows: list[Row] = []
    for index in range(count):
        part = manifest.parts[index * len(manifest.parts) // count]
        readable = (row for row in rows_of_part(files, part) if not isinstance(row, DataError))
        rows += islice(readable, SAMPLED_ROWS)
    numbered = list(enumerate(rows, start=1))
    answer_each(answer, numbered[:WARM_UP_ROWS])
    started = time.perf_counter()
    found = answer_each(answer, numbered)
    seconds = time.perf_counter() - started
    lines = [line for line in found if isinstance(line, str)]
    if not lines:
        errors = [line for line in found if isinstance(line, DataError)]
        raise DataError(f"none of {len(rows)} lines could be answered{f': {errors[0]}' if errors else '.'}")
    num_bytes, speed = sum(len(line.encode()) + 1 for line in lines), len(rows) / max(seconds, 1e-9)
    return Estimate(speed, len(rows), manifest.num_rows / speed, num_bytes * manifest.num_rows // len(rows))
