import math
import re
from xml.etree import ElementTree

import pytest

from regard.inspection.alignment import Alignment
from regard.inspection.drawing.figures import curve_svg, readable
from regard.inspection.html_report import Report, report_html

SVG = "{http://www.w3.org/2000/svg}"
ALIGNMENT = Alignment(["▁3", "<&>", "5", "月"], ["▁", "2"], [[0.1, 0.2, 0.7, 0.0], [0.0, 0.0, 0.001, 0.999]], layer=2)


def test_an_alignment_draws_a_cell_for_each_visible_weight() -> None:
    root = ElementTree.fromstring(ALIGNMENT.svg())
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
    assert "prefers-color-scheme:dark" in ALIGNMENT.svg(standalone=True)
    assert "<style>" not in ALIGNMENT.svg()


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
    assert [len(line) for line in lines] == [3]
    assert len(list(root.iter(f"{SVG}circle"))) == 1  # of the one validation
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


def drawn(history: list[dict[str, float]], **more: str) -> dict[str, ElementTree.Element]:
    """The curves of a report, by what their vertical axis is."""
    page = report_html(Report("t", "s", {}, history, **more))
    curves = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.S)]
    return {str(curve.findtext(f"{SVG}title")).removesuffix(" over step"): curve for curve in curves}


def points(curve: ElementTree.Element) -> list[tuple[float, ...]]:
    return [
        tuple(map(float, point.split(",")))
        for line in curve.iter(f"{SVG}polyline")
        for point in line.get("points", "").split()
    ]


def texts(curve: ElementTree.Element) -> list[str]:
    return [str(text.text) for text in curve.iter(f"{SVG}text")]


@pytest.mark.parametrize("measure", ["token_accuracy", "accuracy", "exact_match"])
def test_shares_are_drawn_on_a_linear_axis_from_0_to_1(measure: str) -> None:
    history = [
        {"step": step, f"valid_{measure}": share} for step, share in ((1, 0.0), (2, 0.25), (3, math.nan), (4, 0.5))
    ]
    curve = drawn(history)[measure.replace("_", " ")]
    assert {"0", "1"} <= set(texts(curve))
    ys = [y for _, y in points(curve)]
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.2)
    lines = sorted({float(line.get("y1", "0")) for line in curve.iter(f"{SVG}line")})
    assert ys[0] == pytest.approx(lines[-1], abs=0.1)  # 0 is the lowest line,
    assert ys[2] == pytest.approx((lines[0] + lines[-1]) / 2, abs=0.2)  # and 1 the highest
    assert not any("logarithmic" in text for text in texts(curve))


def test_other_scores_and_the_speed_are_drawn_from_0() -> None:
    history = [{"step": step, "valid_bleu": score, "tokens_per_second": 1000.0 * step}
               for step, score in ((1, 0.0), (2, 20.0), (3, 30.0))]  # fmt: skip
    curves = drawn(history)
    for name in ("bleu", "tokens/s since the beginning"):
        assert "0" in texts(curves[name])
        (_, first), (_, second), (_, third) = points(curves[name])
        assert first - second == pytest.approx((first - third) * (2 / 3 if name == "bleu" else 1 / 2), abs=0.2)


def test_a_single_validation_is_a_dot() -> None:
    losses = [{"step": step, "loss": 2.0 / step} for step in (1, 2, 3, 4)]
    curves = drawn([*losses, {"step": 4, "valid_loss": 0.75, "valid_token_accuracy": 0.5}])
    for name, count in (("loss, nats per token (logarithmic)", 4), ("token accuracy", 0)):
        (dot,) = curves[name].iter(f"{SVG}circle")
        assert float(dot.get("r", "0")) >= 3
        assert len(points(curves[name])) == count
    (dot,) = curves["token accuracy"].iter(f"{SVG}circle")
    lines = [float(line.get("y1", "0")) for line in curves["token accuracy"].iter(f"{SVG}line")]
    assert float(dot.get("cy", "0")) == pytest.approx((min(lines) + max(lines)) / 2, abs=0.2)


@pytest.mark.parametrize("last", [1, 2, 3, 7, 150])
def test_the_steps_below_a_curve_are_whole_and_different(last: int) -> None:
    (curve,) = drawn([{"step": step, "loss": 1.0 + step} for step in (1, last)]).values()
    below = [text for text in texts(curve) if text.isdecimal() and text != "0"]
    steps = [int(text) for text in texts(curve)[texts(curve).index("0") :] if text.isdecimal()]
    assert below
    assert len(set(steps)) == len(steps)
    assert steps[-1] == last
    places = {
        str(text.text): float(text.get("x", "0")) for text in curve.iter(f"{SVG}text") if text.text in map(str, steps)
    }
    zero, end = places["0"], places[str(last)]
    for step in steps:
        assert places[str(step)] == pytest.approx(zero + (end - zero) * step / last, abs=0.2)


def test_what_the_curves_are_is_said_below_them() -> None:
    page = report_html(Report("t", "s", {}, [{"step": 1, "loss": 2.0}], curves_are="Against <smoothed> labels."))
    assert "Against &lt;smoothed&gt; labels." in page
    assert page.index("Learning curve") < page.index("<svg") < page.index("Against &lt;smoothed")
    curve = drawn([{"step": step, "loss": 2.0 / step} for step in (1, 2)], training_is="training, smoothed labels")
    losses = curve["loss, nats per token (logarithmic)"]
    (name,) = [text for text in losses.iter(f"{SVG}text") if text.text == "training, smoothed labels"]
    assert float(losses.get("width", "0")) - float(name.get("x", "0")) > 7 * len("training, smoothed labels")


def test_an_alignment_has_a_legend() -> None:
    root = ElementTree.fromstring(ALIGNMENT.svg())
    (ramp,) = [group for group in root.iter(f"{SVG}g") if group.get("class") == "legend"]
    assert [text.text for text in ramp.iter(f"{SVG}text")] == ["0", "1", "weight"]
    shades = [float(cell.get("fill-opacity", "0")) for cell in ramp.iter(f"{SVG}rect")]
    assert shades == sorted(shades)
    assert (shades[0], shades[-1]) == (0, 1)
    assert float(root.get("width", "0")) >= max(float(text.get("x", "0")) for text in ramp.iter(f"{SVG}text")) + 30


def test_texts_of_both_directions_stand_apart() -> None:
    page = report_html(
        Report("t", "s", {}, [], [("שלום 1", "كلب 2", "dog")], [("שלום 1", "كلب 2", ALIGNMENT)])
    )  # fmt: skip
    assert page.count("<bdi>שלום 1</bdi> → <bdi>كلب 2</bdi>") == 1
    assert page.count('<td dir="auto">') + page.count('<td dir="auto" class=wrong>') == 3
