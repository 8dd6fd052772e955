"""Figures of every kind, from three tokens to many, in several scripts, with what fonts there are."""

import itertools
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib.text import Text

from regard.inspection.drawing import fonts, pictures
from regard.inspection.record import Tokens

WORDS = ["Haus", "كلب", "犬", "▁der", "$x$", "é", "</s>"]


def tokens(count: int) -> Tokens:
    return Tokens([WORDS[i % len(WORDS)] for i in range(count)], [None] * count, [None] * count)


def a_matrix(rows: int, keys: int) -> numpy.ma.MaskedArray:
    weights = numpy.random.default_rng(1).dirichlet(numpy.ones(keys), rows)
    return numpy.ma.MaskedArray(weights, numpy.zeros((rows, keys), dtype=bool) | (numpy.arange(keys) == keys - 1))


def written(figure: object, ending: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a machine without a font for a script
        return pictures.picture_bytes(figure, ending)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 3, 30, 120, 300])
def test_a_matrix_of_any_size(count: int) -> None:
    figure = pictures.matrix_figure(
        a_matrix(count, count), tokens(count), tokens(count), title="cross.1.2", note="A note."
    )
    axes = figure.axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    every = -(-count // len(labels))
    assert labels == [WORDS[i % len(WORDS)].removeprefix("▁") for i in range(0, count, every)]
    assert (every == 1) == (count <= 120)
    width, height = figure.get_size_inches()
    assert max(width, height) < 30
    svg = written(figure, ".svg").decode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(above.y0 >= below.y0 for above, below in itertools.pairwise(boxes))
    assert all(above.y0 - below.y0 >= 0.6 * below.height for above, below in itertools.pairwise(boxes))
    ElementTree.fromstring(svg)
    assert "A note." in svg
    if count >= 3:
        assert "كلب" in svg  # text stays text, for the reader's fonts
        assert "犬" in svg
    if count >= 5:
        assert "$x$" in svg  # no mathematics
    assert written(figure, ".png").startswith(b"\x89PNG")


def test_the_same_picture_is_the_same_file() -> None:
    one, two = (pictures.grid_figure({"cross.0.0": a_matrix(3, 4), "cross.0.1": a_matrix(3, 4)}) for _ in range(2))
    assert written(one, ".svg") == written(two, ".svg")


def test_forbidden_cells_are_grey_and_weights_blue() -> None:
    figure = pictures.matrix_figure(a_matrix(3, 3), tokens(3), tokens(3))
    image = figure.axes[0].images[0]
    colours = image.to_rgba(image.get_array())
    assert [round(255 * part) for part in colours[0, 2][:3]] == [0xE4, 0xE8, 0xEC]
    lightness = colours[..., :3].sum(axis=-1)[:, :2].ravel()
    weights = a_matrix(3, 3)[:, :2].filled(0).ravel()
    assert (numpy.argsort(weights) == numpy.argsort(-lightness)).all()  # darker is more, in greys too


def test_the_other_figures() -> None:
    curves = {f"order {i}": [(0.0, 30.0), (50.0, 20.0 - i)] for i in range(5)}
    figures = {
        "curves": pictures.curves_figure(curves, title="t", x_label="x", y_label="y", note="n"),
        "bars": pictures.bars_figure({"cross.0.0": 0.5, "cross.0.1": -0.1}, title="", x_label="worth"),
        "tree": pictures.tree_figure(
            [[(-1, "▁a", -0.1, True), (-1, "犬", -2.0, False)], [(0, "</s>", -0.2, True)]], note="n"
        ),
        "links": pictures.links_figure(a_matrix(3, 40), tokens(3), tokens(40), title="cross.0.0"),
        "grid": pictures.grid_figure({f"cross.{i}.{j}": a_matrix(4, 5) for i in range(2) for j in range(2 - i)}),
    }
    for name, figure in figures.items():
        shown = [text.get_text() for text in figure.findobj(Text)]
        assert {"curves": "order 4", "bars": "cross.0.1",
                "tree": "-2.00", "links": "Haus", "grid": "cross.1.0"}[name] in shown  # fmt: skip
        ElementTree.fromstring(written(figure, ".svg").decode())


def test_curves_differ_by_more_than_colour() -> None:
    figure = pictures.curves_figure({str(i): [(0, i), (1, i)] for i in range(6)}, title="", x_label="", y_label="")
    markers = [line.get_marker() for line in figure.axes[0].lines]
    assert len(set(markers)) == 6


@pytest.fixture
def own_fonts_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without any font but matplotlib's own."""
    own = [font for font in font_manager.fontManager.ttflist if font.name == fonts.OWN]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    for cached in (fonts._installed, fonts._characters):
        cached.cache_clear()
    yield
    for cached in (fonts._installed, fonts._characters):
        cached.cache_clear()


@pytest.mark.usefixtures("own_fonts_only")
def test_characters_that_no_font_has_are_told_once() -> None:
    figure = pictures.matrix_figure(a_matrix(4, 4), tokens(4), tokens(4), title="はら")
    with pytest.warns() as told:
        assert pictures.picture_bytes(figure, ".png").startswith(b"\x89PNG")
    assert [str(one.message) for one in told] == [
        "no installed font has は, ら, 犬 (CJK, HIRAGANA): boxes are drawn in their place. Install a font that has them, such as "
        "Noto Sans CJK for Chinese, Japanese and Korean or Noto Sans for other scripts; or write .svg, whose text the reader's "
        "fonts draw."
    ]
    svg = pictures.picture_bytes(figure, ".svg").decode()  # without a warning: the reader has other fonts
    assert ">犬</text>" in svg
    assert set(re.findall(r"font-family: ([^;\"]*)", svg)) == {"'DejaVu Sans', sans-serif"}
    pictures.picture_bytes(pictures.grid_figure({"cross.0.0": a_matrix(3, 3)}), ".png")  # nothing to tell
    pictures.layers_figure({"cross.0.0": a_matrix(4, 4)}, {"cross": (tokens(4), tokens(4))})


@pytest.mark.usefixtures("own_fonts_only")
def test_a_font_that_was_installed_after_matplotlib_listed_them_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pen = TTGlyphPen(None)
    for move, place in ((pen.moveTo, (0, 0)), (pen.lineTo, (0, 800)), (pen.lineTo, (800, 0))):
        move(place)
    pen.closePath()
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "dog"])
    builder.setupCharacterMap({ord("犬"): "dog"})
    builder.setupGlyf({".notdef": pen.glyph(), "dog": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (900, 0), "dog": (900, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=0)
    builder.setupNameTable({"familyName": "Newly Installed", "styleName": "Regular"})
    builder.setupOS2(usWeightClass=400)
    builder.setupPost()
    builder.save(tmp_path / "new.ttf")
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    monkeypatch.setattr(
        font_manager, "findSystemFonts", lambda: [str(tmp_path / name) for name in ("broken.ttf", "new.ttf")]
    )
    for _ in range(2):
        figure = pictures.matrix_figure(a_matrix(3, 3), tokens(3), tokens(3))
        pictures.picture_bytes(figure, ".png")  # without a warning
        assert fonts.families("犬") == [fonts.OWN, "Newly Installed", "sans-serif"]


@pytest.mark.parametrize(
    ("text", "country"), [("犬は", "JP"), ("カ犬", "JP"), ("한犬", "KR"), ("犬", "SC"), ("a", "SC")]
)
def test_each_language_has_its_own_form_of_the_characters_that_several_share(text: str, country: str) -> None:
    names = ["Arial", *(f"Noto Sans CJK {one}" for one in ("HK", "JP", "KR", "SC", "TC")), "Noto Serif CJK JP"]
    assert fonts._in_order(names, text)[0] == f"Noto Sans CJK {country}"


def test_what_colours_mean_is_drawn_beside_them() -> None:
    weights = a_matrix(4, 4)
    for figure in (
        pictures.matrix_figure(weights, tokens(4), tokens(4), note="A note."),
        pictures.grid_figure({"cross.0.0": weights, "cross.0.1": weights}, note="A note."),
        pictures.layers_figure({"cross.0.0": weights, "cross.1.0": weights}, {"cross": (tokens(4), tokens(4))}, note="A note."),
    ):  # fmt: skip
        legend = figure.axes[-1]
        assert legend.get_ylabel() == "share of the row"
        assert {0.0, 1.0} <= {float(label.get_text()) for label in legend.get_yticklabels()}
        assert "A note. Grey cells are forbidden by a mask." in [text.get_text() for text in figure.texts]
        boxes = [axes.get_window_extent() for axes in figure.axes]
        assert all(box.x1 < boxes[-1].x0 for box in boxes[:-1])
    plain = pictures.matrix_figure(numpy.ma.MaskedArray(weights.filled(0)), tokens(4), tokens(4), note="A note.")
    assert "A note." in [text.get_text() for text in plain.texts]


@pytest.mark.parametrize(("layers", "count"), [(1, 3), (2, 30), (6, 12), (3, 120)])
def test_one_head_of_each_layer_with_its_tokens(layers: int, count: int) -> None:
    heads = {f"{kind}.{layer}.0": a_matrix(count, count) for kind in ("encoder", "cross") for layer in range(layers)}
    figure = pictures.layers_figure(heads, {kind: (tokens(count), tokens(count)) for kind in ("encoder", "cross")})
    drawn = {axes.get_title(): axes for axes in figure.axes if axes.get_title()}
    assert list(drawn) == list(heads)
    places = {name: axes.get_window_extent() for name, axes in drawn.items()}
    for axes in drawn.values():
        labels = [label.get_text() for label in axes.get_yticklabels()]
        every = -(-count // len(labels))
        assert labels == [WORDS[i % len(WORDS)].removeprefix("▁") for i in range(0, count, every)]
    assert places["encoder.0.0"].y0 > places["cross.0.0"].y1  # a kind of attention begins a line
    if layers > 1:
        assert places["encoder.0.0"].x1 < places["encoder.1.0"].x0
    if layers > 4:
        assert places["encoder.3.0"].y0 > places["encoder.4.0"].y1
    assert max(figure.get_size_inches()) < 50
    ElementTree.fromstring(written(figure, ".svg").decode())


def test_nothing_is_changed_for_other_figures_of_the_reader() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    written(pictures.matrix_figure(a_matrix(3, 3), tokens(3), tokens(3)), ".svg")
    assert dict(matplotlib.rcParams) == before
