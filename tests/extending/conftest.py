"""What tests of parts from outside share: each finds the library without the parts of the others."""

from collections.abc import Iterator
from typing import Any

import pytest

from regard.evaluation.text_metrics import ADDED
from regard.generation.options import METHODS
from regard.interop.formats import READ
from regard.models.config import POSITIONS, SCORES
from regard.models.parts import SCHEMES
from regard.models.recurrent import MAKE_SCORE
from regard.models.registry import ARCHITECTURES
from regard.pipelines.pipeline_types import PIPELINES
from regard.runs.families import FAMILIES

TABLES: list[Any] = [
    *[ADDED, METHODS, READ, POSITIONS, SCORES, ARCHITECTURES, SCHEMES, MAKE_SCORE, PIPELINES, FAMILIES],
]


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test adds, the next one does not find."""
    before = [table.copy() for table in TABLES]
    yield
    for table, content in zip(TABLES, before, strict=True):
        table.clear()
        (table.extend if isinstance(table, list) else table.update)(content)
