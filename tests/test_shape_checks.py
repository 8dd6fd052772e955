"""Tests check types and shapes at every call of our package: these show that they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
import torch
from beartype.roar import BeartypeCallHintViolation, BeartypeDoorHintViolation
from jaxtyping import Float, Int
from torch import Tensor

from regard.nn.attention import attention
from shape_checks import checked


@checked
def joined(left: Float[Tensor, "rows left"], right: Float[Tensor, "rows right"]) -> Float[Tensor, "rows left"]:
    return torch.cat([left, right], dim=-1)[:, : int(right[0, 0])]


@checked
def scaled(number: float, name: str | None = None) -> float:
    return number if name is None else "much"  # type: ignore[return-value]


@checked
def first_of(every: list[Float[Tensor, " width"]], kind: Literal["sum", "mean"] = "sum") -> Float[Tensor, " width"]:
    return every[0] if kind == "sum" else every[0] / len(every)


@checked
def stacked(*rows: Float[Tensor, " width"], **named: Float[Tensor, " width"]) -> Float[Tensor, "rows width"]:
    return torch.stack([*rows, *named.values()])


def added(number: object) -> object:
    @checked
    def inner(more: int, rows: Float[Tensor, "rows width"] | None = None) -> int:
        return number  # type: ignore[return-value]

    return inner(1)


@checked
@dataclass
class Batch:
    ids: Int[Tensor, "batch length"]
    lengths: Int[Tensor, " batch"]


class Rows:
    @checked
    @property
    def first(self) -> int:
        return "0"  # type: ignore[return-value]

    @checked
    @classmethod
    def of(cls, rows: Float[Tensor, "rows width"]) -> Rows:
        return cls()

    @checked
    @staticmethod
    def width(rows: Float[Tensor, "rows width"]) -> int:
        return rows.shape[1]


@checked
def each(rows: Float[Tensor, "rows width"]) -> Iterator[Float[Tensor, " width"]]:
    yield from rows


def test_what_fits_passes() -> None:
    rows = torch.full((2, 3), 3.0)
    assert joined(rows, torch.full((2, 5), 3.0)).shape == (2, 3)
    assert scaled(1) == 1, "an int stands for a float"
    assert Batch(torch.ones(2, 3, dtype=torch.long), torch.ones(2, dtype=torch.long))
    assert isinstance(Rows.of(rows), Rows)
    assert Rows.width(rows) == 3
    assert len(list(each(rows))) == 2
    assert first_of([torch.ones(2)], "mean").sum() == 2
    assert stacked(torch.ones(2), last=torch.ones(2)).shape == (2, 2)
    assert added(1) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: joined(torch.ones(2, 3), torch.ones(4, 5)),  # arguments of other sizes
        lambda: joined(torch.ones(2, 3), torch.ones(2, 5)),  # a result of another size than the argument's
        lambda: first_of([torch.ones(2, 3)]),
        lambda: first_of([torch.ones(2)], "max"),  # type: ignore[arg-type]
        lambda: stacked(torch.ones(2), torch.ones(3)),
        lambda: stacked(torch.ones(2), last=torch.ones(3)),
        lambda: added("1"),
        lambda: joined(torch.ones(2, 3), torch.ones(2, 5, dtype=torch.long)),
        lambda: joined(torch.ones(2, 3), torch.ones(2)),
        lambda: scaled("1"),  # type: ignore[arg-type]
        lambda: scaled(1.0, "name"),
        lambda: Batch(torch.ones(2, 3, dtype=torch.long), torch.ones(3, dtype=torch.long)),
        lambda: Rows().first,
        lambda: Rows.of(torch.ones(3)),
        lambda: Rows.width(torch.ones(3)),
        lambda: each(torch.ones(3)),
        lambda: each("rows"),  # type: ignore[arg-type]
        lambda: attention(torch.ones(2, 3), torch.ones(2, 4), "value"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_does_not_fit_is_found(call) -> None:  # type: ignore[no-untyped-def]
    test_what_fits_passes()  # a check that has passed says nothing of other calls
    for _ in range(2):
        with pytest.raises((BeartypeCallHintViolation, BeartypeDoorHintViolation)):
            call()


def test_sizes_are_those_of_one_call() -> None:
    for width in (3, 4):
        rows = torch.full((2, width), float(width))
        assert joined(rows, rows).shape == (2, width)
