"""Checks of the widths of what maps are given."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from regard.errors import check_width


def check_input(name: str, x: Tensor, projection: Any, width: str = "in_features") -> None:
    """Make sure that vectors are as wide as a map says. A module that was put in its place by hand may not say its width: then
    nothing is checked.

    Args:
        width: the attribute that says how wide they must be.
    Raises:
        ShapeError: they are not.
    """
    expected = getattr(projection, width, None)
    if isinstance(expected, int) and expected > 0:  # 0: a lazy map, which has no width before its first input
        check_width(name, x.shape[-1], expected)
