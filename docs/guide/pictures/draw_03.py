"""Draws the pictures of "Many heads": `python docs/guide/pictures/draw_03.py`."""

import torch
from diagrams import FAINT, INK, KEY, LINE, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

import regard.nn as rn

WIDTH, HEADS, HEAD_DIM = 512, 8, 64
LENGTHS = [2**power for power in range(5, 14)]


def draw_attention() -> None:
    """Scaled dot-product attention, step by step, with shapes."""
    found = Diagram(400, 472, "Scaled dot-product attention: product, scale, mask, softmax, product")
    for middle, name, shape, colour in (
        (70, "query", "n × d", QUERY),
        (190, "key", "m × d", KEY),
        (320, "value", "m × dᵥ", VALUE),
    ):
        found.box(middle, 10, name, width=90, colour=colour)
        found.text(middle, 58, shape, colour=FAINT, size=12)
    found.arrow((70, 66), (70, 88), colour=QUERY)
    found.arrow((190, 66), (190, 88), colour=KEY)
    found.arrow((320, 66), (320, 372), (235, 372), colour=VALUE)
    steps = (
        ("matrix product: query · key", "scores: n × m"),
        ("divide by √d", "n × m"),
        ("mask: -∞ where forbidden", "n × m"),
        ("softmax over keys", "weights: n × m"),
        ("matrix product: × value", "context: n × dᵥ"),
    )
    for index, (name, shape) in enumerate(steps):
        top = 88 + 67 * index
        found.box(130, top, name, width=210)
        found.arrow((130, top + 30), (130, top + 67))
        found.text(138, top + 52, shape, colour=FAINT, anchor="start", size=12)
    found.box(130, 423, "context", width=110)
    found.save("03-attention")


def draw_heads() -> None:
    """Maps, split, four attentions, concatenation, and the last map."""
    found = Diagram(430, 492, "Four heads: maps, split, attention, concatenation, last map")
    found.box(215, 8, "x: 7 × 32", width=110)
    lines = {QUERY: 118, KEY: 134, VALUE: 150}
    for middle, name, colour in ((70, "Q", QUERY), (215, "K", KEY), (360, "V", VALUE)):
        points = ((215, 38), (215, 48), (middle, 48), (middle, 60)) if middle != 215 else ((215, 38), (215, 60))
        found.arrow(*points, colour=colour)
        found.box(middle, 60, f"W{name}: 32 × 32", width=120, colour=colour)
        found.arrow((middle, 90), (middle, lines[colour]), colour=colour, head=False)
    found.text(222, 108, "split in 4", colour=FAINT, anchor="start", size=12)
    for colour, y in lines.items():
        found.arrow((35, y), (395, y), colour=colour, head=False)
    for head in range(4):
        middle = 62 + 102 * head
        for offset, word, (colour, y) in zip((-26, 0, 26), "qkv", lines.items(), strict=True):
            found.arrow((middle + offset, y), (middle + offset, 190), colour=colour)
            found.text(middle + offset + 4, 178, f"{word}{_low(head + 1)}", colour=colour, anchor="start", size=12)
        found.box(middle, 190, "attention", width=90)
        found.text(middle, 238, f"head {head + 1}", colour=FAINT, size=12)
        joined = 80 + 90 * head
        found.arrow((middle, 244), (middle, 262), (joined, 262), (joined, 286))
        found.text(joined + 5, 280, "7 × 8", colour=FAINT, anchor="start", size=12)
        found.box(joined, 286, f"z{_low(head + 1)}", width=90)
    found.text(215, 336, "concatenated: 7 × 32", colour=FAINT, size=12)
    found.arrow((215, 342), (215, 366))
    found.box(215, 366, "× WO: 32 × 32", width=140)
    found.arrow((215, 396), (215, 420))
    found.box(215, 420, "output: 7 × 32", width=140)
    found.text(215, 478, "q, k, v of each head: 7 × 8.  Weights of each head: 7 × 7.", colour=FAINT, size=12)
    found.save("03-heads")


def _low(number: int) -> str:
    """A number as a subscript."""
    return "₀₁₂₃₄₅₆₇₈₉"[number]


def draw_layers() -> None:
    """Convolution, recurrence and self-attention over five tokens, with the way from the first to the last."""
    found = Diagram(430, 545, "Convolution, recurrence and self-attention, with the shortest way from first to last")
    columns = [60 + 56 * index for index in range(5)]
    found.text(20, 24, "convolutions, kernel 3", anchor="start")
    for layer in range(4):
        below, above = 226 - 44 * layer, 182 - 44 * layer
        for index, x in enumerate(columns):
            for other in range(max(index - 1, 0), min(index + 2, 5)):
                _link(found, (columns[other], below), (x, above), strong=other == layer and index == layer + 1)
    for layer in range(5):
        _dots(found, columns, 226 - 44 * layer, strong=layer)
    found.text(300, 140, "4 layers", anchor="start", size=13)
    found.text(20, 274, "recurrence", anchor="start")
    for index, x in enumerate(columns):
        _link(found, (x, 352), (x, 304), strong=index == 0)
        if index:
            _link(found, (columns[index - 1], 304), (x, 304), strong=True)
    _dots(found, columns, 352, strong=0)
    _dots(found, columns, 304, strong=4)
    found.text(300, 332, "4 steps", anchor="start", size=13)
    found.text(20, 398, "self-attention", anchor="start")
    for index, x in enumerate(columns):
        for other in range(5):
            _link(found, (columns[other], 520), (x, 430), strong=other == 0 and index == 4)
    _dots(found, columns, 520, strong=0)
    _dots(found, columns, 430, strong=4)
    found.text(300, 480, "1 layer", anchor="start", size=13)
    found.save("03-layers")


def _link(found: Diagram, begin: tuple[float, float], end: tuple[float, float], *, strong: bool) -> None:
    """A line between two places; a strong one is thick and of the colour of text."""
    colour, width = (INK, 3.2) if strong else (LINE, 0.9)
    found.parts.append(
        f'<path d="M{begin[0]} {begin[1]}L{end[0]} {end[1]}" stroke="{colour}" stroke-width="{width}" fill="none"/>'
    )


def _dots(found: Diagram, columns: list[int], y: float, *, strong: int) -> None:
    """A row of places, one of which is filled."""
    for index, x in enumerate(columns):
        fill = INK if index == strong else "var(--box)"
        found.parts.append(f'<circle cx="{x}" cy="{y}" r="9" fill="{fill}" stroke="{LINE}" stroke-width="1.5"/>')


def draw_tiling() -> None:
    """The table of scores in tiles: queries down, keys and values across, what is kept on the right."""
    found = Diagram(
        430, 400, "Flash attention: tiles of scores, blocks of keys and values, what is kept for each query"
    )
    left, top, side = 96, 112, 58
    for column in range(4):
        middle = left + side * column + side / 2
        found.box(middle, 24, f"V{_low(column + 1)}", width=50, colour=VALUE)
        found.box(middle, 66, f"K{_low(column + 1)}", width=50, colour=KEY)
        for row in range(4):
            current = (row, column) == (1, 2)
            done = row < 1 or (row == 1 and column < 2)
            found.parts.append(
                f'<rect x="{left + side * column + 2}" y="{top + side * row + 2}" width="{side - 4}" '
                f'height="{side - 4}" fill="{"var(--box)" if current else "none"}" '
                f'stroke="{INK if current else LINE}" stroke-width="{2.5 if current else 1}" '
                f"{'' if current or done else 'stroke-dasharray=' + chr(34) + '3 3' + chr(34)}/>"
            )
            if current:
                found.text(middle, top + side * row + 34, "Q₂·K₃", size=13)
            elif done:
                found.text(middle, top + side * row + 34, "done", colour=FAINT, size=12)
    for row in range(4):
        y = top + side * row + side / 2
        found.box(58, y - 15, f"Q{_low(row + 1)}", width=50, colour=QUERY)
        found.box(382, y - 15, "m, ℓ, a", width=76)
    found.arrow((left + 3 * side + 2, top + 1.5 * side), (344, top + 1.5 * side))
    found.text(212, 14, "blocks of keys and values, one after the other", colour=FAINT, size=12)
    found.text(382, 104, "kept", colour=FAINT, size=12)
    found.text(212, 366, "one tile of scores at a time", size=13)
    found.text(212, 386, "at the end of a row: context = a / ℓ", size=13)
    found.save("03-tiling")


def draw_sparse() -> None:
    """Which pairs are computed under four masks."""
    size, near = 16, 4
    distance = torch.arange(size)[:, None] - torch.arange(size)
    causal = rn.causal_mask(size)
    window = rn.window_mask(size, before=near - 1)
    masks = {
        "causal": causal,
        "window of 4": window,
        "sparse, every 4th": causal & ((distance < near) | (distance % near == 0)),
        "window, first 2": window | (causal & (torch.arange(size) < 2)),
    }
    figure = Figure(figsize=(4.8, 4.9), layout="constrained")
    for axes, (name, mask) in zip(figure.subplots(2, 2).flat, masks.items(), strict=True):
        axes.imshow(mask.float(), cmap="Blues", vmin=0, vmax=1.4)
        plain(axes, f"{name}: {int(mask.sum())} pairs", "key", "query")
        axes.set_xticks([0, 5, 10, 15])
        axes.set_yticks([0, 5, 10, 15])
    save(figure, "03-sparse")


def draw_cost() -> None:
    """Operations of a layer at more lengths, and the largest tensor of an attention."""
    figure = Figure(figsize=(4.8, 6.4), layout="constrained")
    operations, memory = figure.subplots(2, 1)
    layers = {
        "attention": [4 * n**2 * WIDTH for n in LENGTHS],
        "recurrence": [4 * n * WIDTH**2 for n in LENGTHS],
        "convolution, kernel 3": [6 * n * WIDTH**2 for n in LENGTHS],
    }
    for (name, counts), colour in zip(layers.items(), SERIES, strict=False):
        operations.loglog(LENGTHS, counts, color=colour, label=name, base=2)
    operations.axvline(WIDTH, color="#8a929b", linestyle="--", linewidth=1)
    operations.text(WIDTH * 1.1, 4e6, "length = width", fontsize=8, color="#59636e")
    plain(operations, "Operations of a layer of width 512", "length", "operations")
    kernels = {
        "weights stored": [HEADS * n**2 * 4 / 1e6 for n in LENGTHS],
        "flash": [HEADS * n * HEAD_DIM * 4 / 1e6 for n in LENGTHS],
    }
    for (name, sizes), colour in zip(kernels.items(), SERIES, strict=False):
        memory.loglog(LENGTHS, sizes, color=colour, label=name, base=2)
    plain(memory, "Largest tensor of 8 heads of width 64", "length", "MB")
    for axes in (operations, memory):
        axes.legend(fontsize=8, frameon=False)
    save(figure, "03-cost")


if __name__ == "__main__":
    draw_attention()
    draw_heads()
    draw_layers()
    draw_tiling()
    draw_sparse()
    draw_cost()
