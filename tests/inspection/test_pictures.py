"""Figures of every kind, from three tokens to many, in several scripts, with what fonts there are."""

import itertools
import warnings
from xml.etree import ElementTree

import numpy
import pytest
from matplotlib.text import Text

from regard.inspection import pictures
from regard.inspection.record import Tokens
from regard.nn.positions import sinusoidal_positions

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
        "scatter": pictures.scatter_figure({"cross": [(0.1, 0.2)]}, title="", x_label="x", y_label="y"),
        "entropy": pictures.entropy_figure({"cross": [[0.1, 0.2], [0.3]], "encoder": [[0.5]]}),
        "positions": pictures.positions_figure(sinusoidal_positions(20, 16).numpy(), title="sinusoids"),
        "tree": pictures.tree_figure(
            [[(-1, "▁a", -0.1, True), (-1, "犬", -2.0, False)], [(0, "</s>", -0.2, True)]], note="n"
        ),
        "links": pictures.links_figure(a_matrix(3, 40), tokens(3), tokens(40), title="cross.0.0"),
        "grid": pictures.grid_figure({f"cross.{i}.{j}": a_matrix(4, 5) for i in range(2) for j in range(2 - i)}),
    }
    for name, figure in figures.items():
        shown = [text.get_text() for text in figure.findobj(Text)]
        assert {"curves": "order 4", "bars": "cross.0.1", "scatter": "cross", "entropy": "layer", "positions": "sinusoids",
                "tree": "-2.00", "links": "Haus", "grid": "cross.1.0"}[name] in shown  # fmt: skip
        ElementTree.fromstring(written(figure, ".svg").decode())


def test_curves_differ_by_more_than_colour() -> None:
    figure = pictures.curves_figure({str(i): [(0, i), (1, i)] for i in range(6)}, title="", x_label="", y_label="")
    markers = [line.get_marker() for line in figure.axes[0].lines]
    assert len(set(markers)) == 6


def test_nothing_is_changed_for_other_figures_of_the_reader() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    written(pictures.matrix_figure(a_matrix(3, 3), tokens(3), tokens(3)), ".svg")
    assert dict(matplotlib.rcParams) == before
