"""The base of results that are tables of numbers: rows for a data frame, files, a figure."""

from __future__ import annotations

import csv
import io
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.inspection.inspection import check_ending
from regard.text.lines import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".json", ".csv", ".svg", ".png")
LARGEST = 24
"""The number of bars in a figure."""


class Numbers(ABC):
    """A result of an analysis as a table."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """A row for each number, as `pandas.DataFrame` takes them."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """All content as JSON has it."""

    @abstractmethod
    def figure(self, row: int | None = None) -> Figure:
        """Draw with matplotlib.

        Args:
            row: which row is drawn, where there are several; None: their mean.
        Raises:
            MissingExtraError: matplotlib is not installed.
        """

    def save(self, path: Path | str, *, row: int | None = None) -> None:
        """Write to a file as its ending says: `.json`, `.csv` (the records), `.svg` or `.png` (the figure).

        Args:
            row: which row is drawn, where there are several; None: their mean.
        Raises:
            SettingsError: another ending.
            MissingExtraError: a picture, and matplotlib is not installed.
        """
        path = Path(path)
        check_ending(path, ENDINGS)
        if path.suffix == ".json":
            write_whole(path, (json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n").encode())
        elif path.suffix == ".csv":
            written = io.StringIO()
            writer = csv.DictWriter(written, list(self.records()[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.records())
            write_whole(path, written.getvalue().encode())
        else:
            from regard.inspection.drawing.pictures import picture_bytes

            write_whole(path, picture_bytes(self.figure(row), path.suffix))


def largest_first(values: dict[str, float], count: int | None = None) -> dict[str, float]:
    """The largest numbers, by their size without signs, and the sum of those left out as `others`."""
    names = sorted(values, key=lambda name: -abs(values[name]))
    kept = {name: values[name] for name in names[:count]}
    return kept | ({"others": sum(values[name] for name in names[count:])} if len(kept) < len(names) else {})


def bars(values: dict[str, float], *, title: str, x_label: str, note: str = "") -> Figure:
    """Draw the largest numbers as bars."""
    from regard.inspection.drawing.pictures import bars_figure

    return bars_figure(largest_first(values, LARGEST), title=title, x_label=x_label, note=note)
