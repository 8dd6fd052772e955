"""A heat map as characters: what stands for which weight, in terminals of either theme and of any width."""

import re

import numpy
import pytest

from regard.inspection.drawing.figures import BAR_COLOUR, heat_map
from regard.inspection.record import Matrix, Tokens

ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


def tokens(count: int) -> Tokens:
    return Tokens([f"▁w{i}" for i in range(count)], [None] * count, [None] * count)


def a_matrix(count: int, *, masked: bool) -> Matrix:
    """Rows whose weights go from 0 to 1."""
    values = numpy.tile(numpy.linspace(0, 1, count), (count, 1))
    return numpy.ma.MaskedArray(values, ~numpy.tri(count, dtype=bool) if masked else numpy.zeros_like(values, bool))


def colours_of_256() -> list[tuple[float, float, float]]:
    """The colours of a terminal's 256, from the 17th on: a cube of six steps, then greys."""
    steps = [0, *range(95, 256, 40)]
    cube = [(red, green, blue) for red in steps for green in steps for blue in steps]
    return [tuple(part / 255 for part in colour) for colour in [*cube, *((grey,) * 3 for grey in range(8, 239, 10))]]


def luminance(colour: tuple[float, ...]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_cells_stand_out_from_white_and_from_black() -> None:
    """Contrast of at least 3, as WCAG asks of what is not text; and no background is painted."""
    codes = set(ESCAPE.findall(heat_map(a_matrix(9, masked=True), tokens(9), tokens(9))))
    assert codes == {BAR_COLOUR[2:-1], "0"}
    number = int(BAR_COLOUR[2:-1].removeprefix("38;5;"))
    found = luminance(colours_of_256()[number - 16])
    assert min(1.05 / (found + 0.05), (found + 0.05) / 0.05) >= 3


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_a_legend_says_which_filling_is_which_weight(colour: bool, masked: bool) -> None:
    count = 9 if colour else 10
    shown = ESCAPE.sub("", heat_map(a_matrix(count, masked=masked), tokens(count), tokens(count), colour=colour))
    cells, _, legend = shown.partition("\n\n")
    steps = dict(reversed(pair) for pair in re.findall(r"(?:^|  )(\S+) ([\d.]+)", "  ".join(legend.splitlines())))
    assert len(steps) == count
    last = cells.splitlines()[count][-2 * count :]
    for key, weight in enumerate(numpy.linspace(0, 1, count)):
        drawn = last[2 * key + 1]
        told = steps[f"{weight:.2f}"] if weight else {"blank": " "}[steps["0"]]
        assert drawn == told
    assert ("· forbidden by a mask" in legend) == ("·" in cells) == masked


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("colour", [True, False])
def test_no_line_is_wider_than_the_terminal(width: int, colour: bool) -> None:
    shown = heat_map(a_matrix(30, masked=True), tokens(30), tokens(30), width=width, colour=colour)
    assert max(len(ESCAPE.sub("", line)) for line in shown.splitlines()) <= max(width, len("· forbidden by a mask"))
    assert shown.count(BAR_COLOUR) == shown.count("\x1b[0m") == (shown.count("\x1b") // 2)


def test_the_numbers_of_columns_stand_apart() -> None:
    header = heat_map(a_matrix(14, masked=False), tokens(14), tokens(14), colour=False).splitlines()[0]
    assert header.split() == [*map(str, range(9)), "10", "12"]
    for number in header.split():
        assert re.search(rf"(?<!\d){number}(?!\d)", header)
