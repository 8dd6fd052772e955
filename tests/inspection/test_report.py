import math
import re
from xml.etree import ElementTree

import pytest

from regard.inspection.alignment import Alignment
from regard.inspection.figures import alignment_svg, curve_svg, readable
from regard.inspection.report import Report, report_html

SVG = "{http://www.w3.org/2000/svg}"
ALIGNMENT = Alignment(["▁3", "<&>", "5", "月"], ["▁", "2"], [[0.1, 0.2, 0.7, 0.0], [0.0, 0.0, 0.001, 0.999]], layer=2)


def test_an_alignment_draws_a_cell_for_each_visible_weight() -> None:
    root = ElementTree.fromstring(alignment_svg(ALIGNMENT))
    cells = [cell for cell in root.iter(f"{SVG}rect") if cell.find(f"{SVG}title") is not None]
    drawn = {cell.findtext(f"{SVG}title"): float(cell.get("fill-opacity", "0")) for cell in cells}
    assert drawn == {
        "␣ from 3: 0.10": 0.1,
        "␣ from <&>: 0.20": 0.2,
        "␣ from 5: 0.70": 0.7,
        "2 from 月: 1.00": 0.999,
    }
    # the strongest cell of the second row stands below that of the first, one column to the right
    strong = [cell for cell in cells if float(cell.get("fill-opacity", "0")) > 0.5]
    (x1, y1), (x2, y2) = [(float(cell.get("x", "0")), float(cell.get("y", "0"))) for cell in strong]
    assert x2 > x1
    assert y2 > y1


def test_a_picture_of_its_own_brings_its_colours() -> None:
    assert "prefers-color-scheme:dark" in alignment_svg(ALIGNMENT, standalone=True)
    assert "<style>" not in alignment_svg(ALIGNMENT)


@pytest.mark.parametrize(("token", "shown"), [("▁mai", "mai"), ("▁", "␣"), ("a▁b", "a␣b"), ("3", "3")])
def test_readable(token: str, shown: str) -> None:
    assert readable(token) == shown


def test_a_curve_falls_when_its_values_do() -> None:
    root = ElementTree.fromstring(
        curve_svg(
            {"training": [(1, 4.0), (50, 2.0), (100, 1.0)], "validation": [(100, 1.5)]}, x_label="step", y_label="loss"
        )
    )
    lines = [
        [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
        for line in root.iter(f"{SVG}polyline")
    ]
    assert [len(line) for line in lines] == [3, 1]
    xs, ys = zip(*lines[0], strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys)  # SVG's y grows downwards
    assert ys[1] == pytest.approx((ys[0] + ys[2]) / 2, abs=0.2)  # logarithmic: 2 is half way from 4 to 1


def test_the_page_is_whole_and_asks_for_nothing() -> None:
    page = report_html(
        Report(
            "Title <x>", "summary", {"exact": "99 %"}, [{"step": 1, "loss": 2.0}, {"step": 2, "valid_loss": 1.0}],
            [("3 <mai>", "2016", "2016"), ("b", "c", "d")], [("3 <mai>", "2016", ALIGNMENT)],
        )
    )  # fmt: skip
    assert "<x>" not in page
    assert "3 &lt;mai&gt;" in page
    assert page.count("<svg") == 2
    assert "color-scheme" in page
    assert not re.search(r"""(src|href)=|url\(|@import|<script""", page)
    for tag in ("table", "svg", "figure", "div", "html"):
        assert page.count(f"<{tag}") == page.count(f"</{tag}>")


def test_what_was_written_at_each_validation_is_one_row_as_long_as_it_is_the_same() -> None:
    written = ["a", "ab", "ab", "ab", "<c>"]
    snapshots = [(1000 * step, [("source", text, "abc")]) for step, text in enumerate(written, start=1)]
    page = report_html(Report("t", "s", {}, [{"step": 1, "loss": 2.0}], snapshots=snapshots))
    rows = re.findall(r'<td class="number steps">([^<]*)</td><td dir="auto">([^<]*)</td>', page)
    assert rows == [("1,000", "a"), ("2,000 to 4,000", "ab"), ("5,000", "&lt;c&gt;")]


def test_losses_that_cannot_be_drawn_are_left_out() -> None:
    history = [{"step": step, "loss": loss} for step, loss in enumerate([2.0, math.inf, math.nan, 1.0], start=1)]
    page = report_html(Report("t", "s", {}, history, [], []))
    (line,) = re.findall(r'<polyline points="([^"]*)"', page)
    assert len(line.split()) == 2
    assert "<svg" not in report_html(Report("t", "s", {}, history[1:3], [], []))


def test_names_of_curves_that_end_together_do_not_overlap() -> None:
    curves = {"training": [(1, 4.0), (2, 1.0)], "validation": [(2, 1.01)]}
    root = ElementTree.fromstring(curve_svg(curves, x_label="step", y_label="loss"))
    y = {text.text: float(text.get("y", "0")) for text in root.iter(f"{SVG}text")}
    assert abs(y["training"] - y["validation"]) >= 15 - 0.1
