"""Draws the pictures of "The modern decoder": `python docs/guide/pictures/draw_14.py`."""

import math

from diagrams import FAINT, KEY, LINE, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

CELL, GAP, PROMPT, LENGTH = 34, 6, 3, 6


def draw_cache() -> None:
    """What is computed at each step, and what is kept: a row for each, newest at the bottom."""
    found = Diagram(440, 500, "A key-value cache: computed and kept keys and values at each step")
    left = 150
    for place, token in enumerate(("the", "cat", "sat", "on", "the", "mat")):
        found.text(left + place * (CELL + GAP) + CELL / 2, 24, token)
    for row, first in enumerate((0, *range(PROMPT, LENGTH))):
        top = 44 + row * 112
        last = PROMPT if row == 0 else first + 1
        found.text(8, top + 20, "prefill" if row == 0 else f"step {row}", anchor="start")
        for line, (name, colour) in enumerate((("queries", QUERY), ("keys", KEY), ("values", VALUE))):
            y = top + line * 30
            found.text(138, y + 17, name, colour=colour, anchor="end")
            for place in range(last):
                is_new = place >= first
                if is_new or colour != QUERY:
                    _cell(found, left + place * (CELL + GAP), y, colour, is_new=is_new)
    _cell(found, 60, 473, KEY, is_new=True)
    found.text(102, 490, "computed now", colour=FAINT, anchor="start")
    _cell(found, 230, 473, KEY, is_new=False)
    found.text(272, 490, "kept in the cache", colour=FAINT, anchor="start")
    found.save("14-cache")


def _cell(found: Diagram, left: float, top: float, colour: str, *, is_new: bool) -> None:
    """A vector: filled if it is computed now."""
    found.parts.append(
        f'<rect x="{left}" y="{top}" width="{CELL}" height="22" rx="3" fill="{colour}" stroke="{colour}" '
        f'fill-opacity="{1 if is_new else 0.15}" stroke-opacity="{1 if is_new else 0.4}"/>'
    )


def draw_block() -> None:
    """A block of Llama: two sublayers with the norm before and the sum after."""
    found = Diagram(
        440, 760, "A block of Llama: norm, attention with rotary positions and a cache, sum, norm, SwiGLU, sum"
    )
    middle, stream = 210, 406
    found.text(middle, 750, "states of the tokens")
    found.arrow((middle, 734), (middle, 706))
    found.arrow((middle, 720), (stream, 720), (stream, 396), (middle + 17, 396))
    found.box(middle, 676, "RMSNorm", width=130)
    found.arrow((middle, 676), (middle, 660), head=False)
    for x, name, colour in ((80, "q_proj", QUERY), (210, "k_proj", KEY), (340, "v_proj", VALUE)):
        found.arrow((middle, 660), (x, 660), (x, 642), colour=colour)
        found.box(x, 612, name, width=90, colour=colour)
    for x, colour in ((80, QUERY), (210, KEY)):
        found.arrow((x, 612), (x, 594), colour=colour)
        found.box(x, 564, "rotary", width=90, colour=colour)
    found.arrow((210, 564), (210, 542), colour=KEY)
    found.arrow((340, 612), (340, 542), colour=VALUE)
    found.box(275, 512, "cache: keys and values", width=220)
    found.arrow((80, 564), (80, 470), (115, 470), colour=QUERY)
    found.arrow((210, 512), (210, 488), colour=KEY)
    found.arrow((340, 512), (340, 470), (305, 470), colour=VALUE)
    found.box(middle, 455, "attention, in groups", width=188)
    found.arrow((middle, 455), (middle, 443), head=False)
    found.text(middle + 8, 441, "o_proj", colour=FAINT, anchor="start")
    found.arrow((middle, 443), (middle, 413))
    _sum(found, middle, 396)
    found.arrow((middle, 379), (middle, 342))
    found.arrow((middle, 360), (stream, 360), (stream, 52), (middle + 17, 52))
    found.box(middle, 312, "RMSNorm", width=130)
    found.arrow((middle, 312), (middle, 296), head=False)
    for x, name in ((120, "gate_proj"), (300, "up_proj")):
        found.arrow((middle, 296), (x, 296), (x, 278))
        found.box(x, 248, name, width=110)
    found.arrow((120, 248), (120, 230))
    found.box(120, 200, "silu", width=110)
    found.arrow((120, 200), (120, 172), (middle - 17, 172))
    found.arrow((300, 248), (300, 172), (middle + 17, 172))
    _sum(found, middle, 172, sign="×")
    found.arrow((middle, 155), (middle, 130))
    found.box(middle, 100, "down_proj", width=130)
    found.arrow((middle, 100), (middle, 69))
    _sum(found, middle, 52)
    found.arrow((middle, 35), (middle, 10))
    found.save("14-block")


def _sum(found: Diagram, x: float, y: float, *, sign: str = "+") -> None:
    """A circle around a sign."""
    found.parts.append(f'<circle cx="{x}" cy="{y}" r="16" fill="var(--box)" stroke="{LINE}" stroke-width="1.5"/>')
    found.text(x, y + 6, sign, size=18)


def draw_rotary() -> None:
    """How far each pair has turned, and by what its frequency is divided."""
    head_dim, base, trained, factor = 128, 10_000.0, 4096, 4
    pairs = list(range(head_dim // 2))
    larger = base * factor ** (head_dim / (head_dim - 2))
    plain_ones = [base ** (-2 * pair / head_dim) for pair in pairs]
    methods = {
        "as it is": plain_ones,
        "linear interpolation": [omega / factor for omega in plain_ones],
        "larger base": [larger ** (-2 * pair / head_dim) for pair in pairs],
    }
    figure = Figure(figsize=(5, 6.2), layout="constrained")
    turns, divided = figure.subplots(2, 1)
    turns.plot(
        pairs, [trained * omega / (2 * math.pi) for omega in plain_ones], color="0.25", linestyle="--",
        label="trained: 4,096 tokens",
    )  # fmt: skip
    for number, (name, found) in enumerate(methods.items()):
        turns.plot(
            pairs, [factor * trained * omega / (2 * math.pi) for omega in found], color=SERIES[number],
            label=f"16,384 tokens, {name}", linestyle=":" if name.startswith("linear") else "-",
            linewidth=3 if name.startswith("linear") else 1.5,
        )  # fmt: skip
        divided.plot(pairs, [a / b for a, b in zip(plain_ones, found, strict=True)], color=SERIES[number], label=name)
    turns.axhline(1, color="0.7", linewidth=0.8)
    turns.set_yscale("log")
    turns.legend(fontsize=8, frameon=False)
    plain(turns, "Turns at the end of the text", "pair", "turns")
    divided.legend(fontsize=8, frameon=False)
    plain(divided, "What the frequency is divided by", "pair", "factor")
    save(figure, "14-rotary")


if __name__ == "__main__":
    draw_cache()
    draw_block()
    draw_rotary()
