"""Draws the pictures of chapter 4: `python docs/guide/pictures/draw_04.py`."""

import math

import torch
from diagrams import FAINT, INK, KEY, LINE, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

import regard.nn as rn

WIDTH, LENGTH = 64, 512
SHOWN = (0, 8, 16, 24, 32)


def draw_sinusoids() -> None:
    """Some dimensions over the first positions, and the spectrum of each over all."""
    table = rn.sinusoidal_positions(LENGTH, WIDTH)
    figure = Figure(figsize=(5.6, 6.6), layout="constrained")
    waves, spectra = figure.subplots(2, 1)
    for row, (dimension, colour) in enumerate(zip(SHOWN, SERIES, strict=False)):
        waves.plot(range(65), table[:65, dimension] - 2.5 * row, color=colour)
        waves.text(66, -2.5 * row, f"dimension {dimension}", fontsize=9, color=colour, va="center")
        spectrum = torch.fft.rfft(table[:, dimension] - table[:, dimension].mean()).abs()
        spectra.semilogx(range(1, len(spectrum)), spectrum[1:] / spectrum.max(), color=colour)
        strongest = int(spectrum.argmax())
        spectra.text(strongest, 1.03, str(dimension), fontsize=9, color=colour, ha="center")
    waves.set_yticks([])
    waves.set_xlim(0, 86)
    waves.set_xticks(range(0, 65, 16))
    plain(waves, "Low dimensions are fast, high ones slow", "position", "")
    waves.spines["left"].set_visible(False)
    plain(spectra, "Spectrum of these dimensions", "turns in 512 positions", "share of the strongest")
    save(figure, "04-sinusoids")


def draw_table() -> None:
    """The table as a heat map, and the dot product of each two positions."""
    table = rn.sinusoidal_positions(64, WIDTH)
    figure = Figure(figsize=(5.2, 8.4), layout="constrained")
    above, below = figure.subplots(2, 1)
    shown = above.imshow(table, cmap="RdBu", vmin=-1, vmax=1)
    plain(above, "The table of positions", "dimension", "position")
    figure.colorbar(shown, ax=above, shrink=0.8).set_label("value", fontsize=9)
    products = below.imshow(table @ table.T, cmap="viridis")
    plain(below, "Dot products of positions", "position", "position")
    figure.colorbar(products, ax=below, shrink=0.8).set_label("dot product", fontsize=9)
    save(figure, "04-table")


def draw_where() -> None:
    """The two places where order can be added, one above the other."""
    found = Diagram(400, 770, "Positions are added to the embeddings, or inside attention")
    for top, inside in ((0, False), (390, True)):
        middle, query = 150, 70
        found.text(200, top + 22, "inside attention" if inside else "before attention")
        found.box(middle, top + 322, "embedding", width=150)
        if not inside:
            found.box(middle, top + 272, "+ p(t), the position", width=170, colour=INK)
            found.arrow((middle, top + 322), (middle, top + 304))
        bar = top + 250
        found.arrow((middle, top + (322 if inside else 272)), (middle, bar), head=False)
        for x, word, colour in ((query, "query", QUERY), (200, "key", KEY), (330, "value", VALUE)):
            found.arrow((middle, bar), (x, bar), (x, top + 236), colour=colour)
            found.box(x, top + 206, word, width=110, colour=colour)
        for x, place, colour in ((query, "s", QUERY), (200, "t", KEY)):
            if inside:
                found.arrow((x, top + 206), (x, top + 188), colour=colour)
                found.box(x, top + 158, f"turn by {place} ω", width=110, colour=INK)
            found.arrow((x, top + (158 if inside else 206)), (x, top + 134), colour=colour)
        found.box(
            135, top + 104, "scores + b(s − t)" if inside else "scores", width=180, colour=INK if inside else LINE
        )
        found.arrow((135, top + 104), (135, top + 80))
        found.arrow((330, top + 206), (330, top + 65), (240, top + 65), colour=VALUE)
        found.box(135, top + 50, "softmax, mean of values", width=206)
        words = "rotary turns, the other schemes add b" if inside else "sinusoids, learnt vectors"
        found.text(200, top + 374, words, colour=FAINT, size=13)
    found.save("04-where")


def draw_hands() -> None:
    """A query and a key as hands of a clock: moving both turns both, and the angle between them stays."""
    found = Diagram(460, 236, "Rotary positions: query and key turn with their positions, the angle between them stays")
    rate = 0.45
    for middle, first in ((80, 0), (230, 2), (380, 5)):
        centre = (middle, 108)
        found.parts.append(
            f'<circle cx="{middle}" cy="108" r="68" fill="var(--box)" stroke="{LINE}" stroke-width="1.5"/>'
        )
        query, key = rate * (first + 3), 0.2 + rate * first  # the angles; the key stands three places before
        _arc(found, centre, query, key)
        _hand(found, centre, query, 60, QUERY)
        _hand(found, centre, key, 48, KEY)
        found.text(middle, 200, f"query at {first + 3}", colour=QUERY)
        found.text(middle, 222, f"key at {first}", colour=KEY)
    found.text(230, 24, "the same query and key, moved by 2 and by 5", colour=FAINT)
    found.save("04-hands")


def _hand(found: Diagram, centre: tuple[float, float], angle: float, length: float, colour: str) -> None:
    """A line from the centre, with a head; angles count against the clock, from the right."""
    x, y = math.cos(angle), -math.sin(angle)
    tip = centre[0] + length * x, centre[1] + length * y
    back = centre[0] + (length - 10) * x, centre[1] + (length - 10) * y
    corners = (tip, (back[0] - 6 * y, back[1] + 6 * x), (back[0] + 6 * y, back[1] - 6 * x))
    found.parts.append(
        f'<path d="M{centre[0]} {centre[1]}L{back[0]:.1f} {back[1]:.1f}" stroke="{colour}" stroke-width="3" fill="none"/>'
    )
    found.parts.append(f'<path d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in corners)}z" fill="{colour}"/>')


def _arc(found: Diagram, centre: tuple[float, float], begin: float, end: float) -> None:
    """The angle between two hands."""
    points = [begin + (end - begin) * step / 20 for step in range(21)]
    path = "L".join(f"{centre[0] + 24 * math.cos(a):.1f} {centre[1] - 24 * math.sin(a):.1f}" for a in points)
    found.parts.append(f'<path d="M{path}" stroke="{INK}" stroke-width="1.5" fill="none"/>')


if __name__ == "__main__":
    draw_sinusoids()
    draw_table()
    draw_where()
    draw_hands()
