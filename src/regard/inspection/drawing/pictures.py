"""Figures with matplotlib: matrices with their tokens, grids of heads, curves, bars, trees.

Right at 3 tokens and at 120, in any script for which a font is installed, and told apart by the colour-blind: weights by
the lightness of one hue, series by the colours of Okabe and Ito 2008 and by markers. Needs the extra `inspect`.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy

from regard.errors import MissingExtraError
from regard.inspection.drawing.figures import readable
from regard.inspection.record import Matrix, Tokens

try:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from regard.inspection.drawing.fonts import MissingFontWarning, families, missing, missing_characters_warning
except ImportError as error:
    raise MissingExtraError("pictures", "inspect") from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WEIGHTS = "Blues"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = "osD^vP"
FORBIDDEN = "#e4e8ec"
CELL_INCHES = 0.24
SMALLEST_CELL, LARGEST_SIDE = 0.09, 14.0
LABELLED_CELL = 0.11
"""The size in inches of cells that are all labelled: smaller ones have a label for every few of them."""
MOST_ABREAST = 4
"""The number of matrices with their tokens that stand side by side."""
LEGEND_INCHES = 0.7
FAINTEST_LINK = 0.02
"""The weight below which no curve is drawn."""
DPI = 150


def picture_bytes(figure: Figure, ending: str) -> bytes:
    """The content of a figure's file: `.svg`, whose text stays text and is set by the reader's fonts, or `.png`.

    Warns, once, of characters that are drawn here and that no installed font has.
    """
    written = io.BytesIO()
    # The list of fonts that "sans-serif" may be would be written out with each text.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "regard", "font.sans-serif": ["DejaVu Sans"]}
    with matplotlib.rc_context(settings), _without_glyph_warnings():
        metadata = {"Date": None} if ending == ".svg" else {}
        figure.savefig(written, format=ending.removeprefix("."), dpi=DPI, bbox_inches="tight", metadata=metadata)
    if ending != ".svg" and (lacking := missing(_text_of(figure))):
        warnings.warn(missing_characters_warning(lacking), MissingFontWarning, stacklevel=2)
    return written.getvalue()


def matrix_figure(matrix: Matrix, rows: Tokens, keys: Tokens, *, title: str = "", note: str = "") -> Figure:
    """Draw one head: rows down, keys across, the weight of each cell as its darkness; forbidden cells are grey.

    Args:
        note: one line below, on what is not shown.
    """
    cell = max(min(CELL_INCHES, LARGEST_SIDE / max(matrix.shape)), SMALLEST_CELL)
    height, width = (max(count * cell, 0.8) for count in matrix.shape)
    figure = _figure(width + 1.6, height + 1.6)
    axes = figure.add_axes((1.2 / (width + 1.6), 0.3 / (height + 1.6), width / (width + 1.6), height / (height + 1.6)))
    drawn = _draw(axes, matrix)
    bar = figure.add_axes(
        ((1.2 + width + 0.1) / (width + 1.6), 0.3 / (height + 1.6), 0.1 / (width + 1.6), height / (height + 1.6))
    )
    _draw_legend(figure, drawn, bar)
    _name_cells(axes, rows, keys, cell)
    axes.set_title(title, fontsize=10)  # above the tokens, wherever they end
    _finish(figure, "", _with_mask(note, [matrix]))
    return figure


def layers_figure(
    matrices: Mapping[str, Matrix], tokens: Mapping[str, tuple[Tokens, Tokens]], *, note: str = ""
) -> Figure:
    """Draw a head of each attention, with its tokens: a line for each kind of attention, or more where it has many
    layers.

    Args:
        matrices: by the head's name, kind.layer.head.
        tokens: what rows and keys are, by kind.
    """
    kinds: dict[str, list[str]] = {}
    for name in matrices:
        kinds.setdefault(name.partition(".")[0], []).append(name)
    lines = [
        names[first : first + MOST_ABREAST] for names in kinds.values() for first in range(0, len(names), MOST_ABREAST)
    ]
    columns = max(map(len, lines))
    most_rows, most_keys = (max(matrix.shape[axis] for matrix in matrices.values()) for axis in (0, 1))
    cell = max(min(CELL_INCHES, (LARGEST_SIDE / columns - 0.9) / most_keys), SMALLEST_CELL)
    figure = _figure(columns * (most_keys * cell + 0.9) + LEGEND_INCHES, len(lines) * (most_rows * cell + 1.1))
    grid = figure.subplots(len(lines), columns, squeeze=False)
    for line, names in zip(grid, lines, strict=True):
        for axes, name in zip(line, names, strict=False):
            drawn = _draw(axes, matrices[name])
            _name_cells(axes, *tokens[name.partition(".")[0]], cell)
            axes.set_title(name, fontsize=9)
        for axes in line[len(names) :]:
            axes.axis("off")
    _finish(figure, "", _with_mask(note, matrices.values()))
    _place_matrices(figure, drawn)
    return figure


def links_figure(matrix: Matrix, rows: Tokens, keys: Tokens, *, title: str = "", note: str = "") -> Figure:
    """Draw one head as curves between two lines of tokens, keys above and rows below, each as strong as its weight is
    high.
    """
    count = max(len(rows), len(keys))
    step = max(min(0.75, 2 * LARGEST_SIDE / count), 0.3)
    figure = _figure(count * step + 0.6, 3.0)
    axes = figure.add_axes((0, 0.1, 1, 0.8))
    above, below = ([x * count / len(tokens) for x in range(len(tokens))] for tokens in (keys, rows))
    for places, tokens, y, side in ((above, keys, 1.03, "bottom"), (below, rows, -0.03, "top")):
        options: dict[str, Any] = {"ha": "center", "va": side, "rotation": 0 if step > 0.5 else 60}
        for x, token in zip(places, tokens.spelled, strict=True):
            axes.text(x, y, readable(token), fontsize=8, **options)
    rise = numpy.linspace(0, 1, 24)
    bend = (1 - numpy.cos(numpy.pi * rise)) / 2
    for row, weights in enumerate(matrix.filled(0)):
        for key, weight in enumerate(weights):
            if weight >= FAINTEST_LINK:
                across = below[row] + bend * (above[key] - below[row])
                axes.plot(across, rise, color=SERIES[0], alpha=float(weight), linewidth=0.5 + 2.5 * float(weight))
    axes.set_xlim(-0.8, count - 0.2)
    axes.set_ylim(-0.25, 1.25)
    axes.axis("off")
    _finish(figure, title, note)
    return figure


def grid_figure(matrices: Mapping[str, Matrix], *, note: str = "") -> Figure:
    """Draw many heads as thumbnails, one line for each attention, where they are named kind.layer.head."""
    lines: dict[str, list[str]] = {}
    for name in matrices:
        lines.setdefault(name.rpartition(".")[0], []).append(name)
    columns = max(map(len, lines.values()))
    figure = _figure(columns * 1.05 + LEGEND_INCHES, len(lines) * 1.2 + 0.6)
    grid = figure.subplots(len(lines), columns, squeeze=False)
    for line, names in zip(grid, lines.values(), strict=True):
        for axes, name in zip(line, names, strict=False):
            axes.set_xticks([])
            axes.set_yticks([])
            drawn = _draw(axes, matrices[name], aspect="auto")
            axes.set_title(name, fontsize=7, pad=2)
        for axes in line[len(names) :]:
            axes.axis("off")
    _finish(figure, "", _with_mask(note, matrices.values()))
    _place_matrices(figure, drawn)
    return figure


@contextmanager
def chart(
    width: float, height: float, *, title: str, x_label: str, y_label: str, note: str = ""
) -> Iterator[tuple[Figure, Axes]]:
    """A figure, in inches, with one pair of axes to draw on; labels, title and note are set afterwards."""
    figure = _figure(width, height)
    axes = figure.add_subplot()
    yield figure, axes
    axes.set_xlabel(x_label, fontsize=9)
    axes.set_ylabel(y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 0.97))
    _finish(figure, title, note)


def curves_figure(
    curves: Mapping[str, Sequence[tuple[float, float]]], *, title: str, x_label: str, y_label: str, note: str = ""
) -> Figure:
    """Draw curves over one axis, each with its own colour and marker."""
    with chart(6.4, 4.0, title=title, x_label=x_label, y_label=y_label, note=note) as (figure, axes):
        for (name, curve), colour, marker in zip(curves.items(), SERIES, MARKERS, strict=False):
            axes.plot(*zip(*curve, strict=True), color=colour, marker=marker, markersize=4, label=name)
    return figure


def bars_figure(values: Mapping[str, float], *, title: str, x_label: str, note: str = "") -> Figure:
    """Draw a horizontal bar for each name, in the order given."""
    height = max(0.19 * len(values) + 1.0, 1.6)
    with chart(6.4, height, title=title, x_label=x_label, y_label="", note=note) as (figure, axes):
        colours = [SERIES[value < 0] for value in values.values()]
        axes.barh(range(len(values)), list(values.values()), color=colours, height=0.75)
        axes.set_yticks(range(len(values)), list(values), fontsize=7)
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.axvline(0, color="#59636e", linewidth=0.8)
    return figure


def tree_figure(steps: Sequence[Sequence[tuple[int, str, float, bool]]], *, note: str = "") -> Figure:
    """Draw a beam search: a column for each step, a line from each hypothesis to the ones it went on as.

    Args:
        steps: for each step, its hypotheses from the best down: the place of the parent in the step before, the token, the
            score, and whether it is an ancestor of the result. A parent of -1 is the start.
    """
    tallest = max(len(step) for step in steps)
    width, height = len(steps) * 0.95 + 0.8, tallest * 0.42 + 0.6
    figure = _figure(width, height)
    axes = figure.add_axes((0, 0.06, 1, 0.9))
    for x, step in enumerate(steps):
        for y, (parent, token, score, kept) in enumerate(step):
            colour, weight = (SERIES[0], "bold") if kept else ("#8a939c", "normal")
            if x and parent >= 0:
                axes.plot([x - 0.55, x - 0.38], [-parent, -y], color=colour, linewidth=1.6 if kept else 0.7)
            axes.text(x - 0.35, -y, readable(token), fontsize=8, va="center", color=colour, fontweight=weight)
            axes.text(x - 0.35, -y - 0.3, f"{score:.2f}", fontsize=5.5, va="center", color="#59636e")
    axes.set_xlim(-0.5, len(steps) - 0.3)
    axes.set_ylim(-tallest + 0.4, 0.5)
    axes.axis("off")
    _finish(figure, "", note)
    return figure


def _draw(axes: Axes, matrix: Matrix, aspect: Literal["equal", "auto"] = "equal") -> Any:
    colours = matplotlib.colormaps[WEIGHTS].with_extremes(bad=FORBIDDEN)
    return axes.imshow(matrix, cmap=colours, vmin=0, vmax=1, aspect=aspect, interpolation="nearest")


def _name_cells(axes: Axes, rows: Tokens, keys: Tokens, cell: float) -> None:
    """The tokens beside and above a matrix; where cells of this many inches are too small, every few of them."""
    every = max(math.ceil(LABELLED_CELL / cell), 1)
    size = min(9.0, cell * 72 * every * 0.8)
    axes.xaxis.tick_top()
    axes.set_xticks(
        range(0, len(keys), every), [readable(token) for token in keys.spelled[::every]], rotation=90, fontsize=size
    )
    axes.set_yticks(range(0, len(rows), every), [readable(token) for token in rows.spelled[::every]], fontsize=size)
    axes.tick_params(length=0)


def _place_matrices(figure: Figure, drawn: Any) -> None:
    """Put the matrices of a figure side by side, and the legend of its colours on their right."""
    width, height = figure.get_size_inches()
    with _without_glyph_warnings():
        figure.tight_layout(pad=0.4, rect=(0, 0.02, 1 - LEGEND_INCHES / width, 1))
    bar_height = min(1.5, 0.6 * height)
    bar = figure.add_axes(
        (1 - (LEGEND_INCHES - 0.15) / width, 1 - (bar_height + 0.3) / height, 0.1 / width, bar_height / height)
    )
    _draw_legend(figure, drawn, bar)


def _draw_legend(figure: Figure, drawn: Any, bar: Axes) -> None:
    """Draw the legend of a matrix's colours on axes of their own."""
    figure.colorbar(drawn, cax=bar, label="share of the row")
    bar.yaxis.label.set_fontsize(7)
    bar.tick_params(labelsize=7)


def _with_mask(note: str, matrices: Iterable[Matrix]) -> str:
    """A note, with the meaning of grey cells where there are any."""
    has_grey = any(numpy.ma.getmaskarray(matrix).any() for matrix in matrices)
    return f"{note} Grey cells are forbidden by a mask.".strip() if has_grey else note


def _figure(width: float, height: float) -> Figure:
    """An empty figure that needs no window."""
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def _finish(figure: Figure, title: str, note: str) -> None:
    """Set the title above, the note below, and for every text fonts that have its characters."""
    if title:
        figure.suptitle(title, fontsize=10, y=1.0, va="bottom")
    if note:
        figure.text(0.01, 0.0, note, fontsize=6.5, color="#59636e", va="top")
    chosen = families(_text_of(figure))
    for text in figure.findobj(Text):
        text.set_fontfamily(chosen)
        text.set_parse_math(False)  # a dollar is a dollar


def _text_of(figure: Figure) -> str:
    return "".join(text.get_text() for text in figure.findobj(Text))


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    """Silence matplotlib's warnings of each character that its fonts lack, while this context lasts: we say it once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield
