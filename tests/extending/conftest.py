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


def snapshot() -> list[Any]:
    return [table.copy() for table in TABLES]


def restore(before: list[Any]) -> None:
    for table, content in zip(TABLES, before, strict=True):
        table.clear()
        (table.extend if isinstance(table, list) else table.update)(content)


@pytest.fixture(autouse=True, scope="module")
def parts_of_a_module(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the function `add_parts` of a module adds is there for its tests, and for no others."""
    before = snapshot()
    getattr(request.module, "add_parts", lambda: None)()
    yield
    restore(before)


@pytest.fixture(autouse=True)
def forgotten(parts_of_a_module: None) -> Iterator[None]:
    """What a test adds, the next one does not find."""
    before = snapshot()
    yield
    restore(before)
