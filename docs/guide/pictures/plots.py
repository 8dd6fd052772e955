"""What the pictures of the guide have in common: their look, and that the same numbers give the same file."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from regard.inspection.drawing.pictures import SERIES, picture_bytes

__all__ = ["SERIES", "plain", "save"]

FOLDER = Path(os.environ.get("PICTURES", Path(__file__).parent))
"""Where pictures are written. The tests draw them somewhere else, and compare."""


def plain(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """A title, names of the axes, and no frame on top and on the right."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x_label, fontsize=9)
    axes.set_ylabel(y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, name: str) -> None:
    """The figure as `name`.svg."""
    (FOLDER / f"{name}.svg").write_bytes(picture_bytes(figure, ".svg"))
