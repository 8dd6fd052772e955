"""Draws the diagrams of "Encoders and decoders alone": `python docs/guide/pictures/draw_10.py`."""

from collections.abc import Sequence
from html import escape

from diagrams import FAINT, INK, KEY, LINE, QUERY, VALUE, Diagram

CELL = 20
IMAGE = ("........", ".....#..", "....###.", ".....#..", "........", "........", "........", "........")


def square(found: Diagram, left: float, top: float, size: float, colour: str, *, faint: bool = False) -> None:
    """A cell of a grid: filled with a colour, or empty."""
    fill = "var(--box)" if faint else colour
    found.parts.append(
        f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="{fill}" stroke="var(--paper)"/>'
    )


def slanted(found: Diagram, x: float, y: float, text: str) -> None:
    """A word that rises to the right from a point."""
    found.parts.append(
        f'<text transform="translate({x} {y}) rotate(-45)" fill="{INK}" font-size="12">{escape(text)}</text>'
    )


def grid(found: Diagram, left: float, top: float, colours: Sequence[Sequence[str]]) -> None:
    """A table of cells; an empty name is an empty cell."""
    for row, line in enumerate(colours):
        for column, colour in enumerate(line):
            square(found, left + CELL * column, top + CELL * row, CELL, colour, faint=not colour)


def lower(count: int, colour: str) -> list[list[str]]:
    """A causal mask."""
    return [[colour if key <= query else "" for key in range(count)] for query in range(count)]


def draw_two_masks() -> None:
    """A layer of BERT and one of GPT: the same parts, another mask, other labels."""
    found = Diagram(400, 560, "A layer of BERT beside a layer of GPT, with their masks")
    columns = (
        (100, "BERT", ("the", "[MASK]", "sleeps"), ("", "dog", ""), [[FAINT] * 3] * 3, "every key"),
        (300, "GPT", ("<s>", "the", "dog"), ("the", "dog", "sleeps"), lower(3, FAINT), "keys up to itself"),
    )
    for middle, name, read, written, mask, words in columns:
        found.text(middle, 22, name, size=16)
        found.text(middle, 48, "predicts", colour=FAINT, size=12)
        for offset, token in zip((-58, 0, 58), written, strict=True):
            found.text(middle + offset, 68, token)
            if token:
                found.arrow((middle + offset, 100), (middle + offset, 76))
        found.box(middle, 100, "add, norm")
        found.arrow((middle, 152), (middle, 130))
        found.box(middle, 152, "feed-forward")
        found.arrow((middle, 204), (middle, 182))
        found.box(middle, 204, "add, norm")
        found.arrow((middle, 256), (middle, 234))
        found.box(middle, 256, "self-attention")
        found.arrow((middle, 330), (middle, 318), head=False)
        for offset, word, colour in ((-58, "query", QUERY), (0, "key", KEY), (58, "value", VALUE)):
            found.arrow((middle, 318), (middle + offset, 318), (middle + offset, 286), colour=colour)
            found.text(middle + offset + 4, 308, word, colour=colour, anchor="start", size=12)
        for offset, token in zip((-58, 0, 58), read, strict=True):
            found.text(middle + offset, 348, token)
        found.text(middle, 366, "reads", colour=FAINT, size=12)
        for offset, token in zip((8, 28, 48), read, strict=True):
            slanted(found, middle - 30 + offset, 432, token)
        grid(found, middle - 30, 438, mask)
        for row, token in enumerate(read):
            found.text(middle - 36, 453 + CELL * row, token, anchor="end", size=12)
        found.text(middle, 522, "a query may attend to", size=12, colour=FAINT)
        found.text(middle, 538, words, size=12)
    found.arrow((200, 12), (200, 545), head=False)
    found.save("10-two-masks")


def draw_sights() -> None:
    """Which tokens the state of each token can depend on, in the three kinds of model."""
    source, target = ["the", "dog", "sleeps"], ["<s>", "der", "Hund", "schläft"]
    found = Diagram(400, 520, "What each state depends on, in an encoder, a decoder and an encoder-decoder")
    both = [[LINE] * 3 + [""] * 4 for _ in source]
    both += [[INK] * 3 + line for line in lower(4, LINE)]
    panels = (
        (70, 90, "Encoder", [[LINE] * 4] * 4, [*target[1:], "."]),
        (275, 90, "Decoder", lower(4, LINE), target),
        (150, 315, "Encoder-decoder", both, [*source, *target]),
    )
    for left, top, name, table, tokens in panels:
        found.text(left + CELL * len(tokens) / 2, top - 64, name, size=16)
        grid(found, left, top, table)
        for place, token in enumerate(tokens):
            slanted(found, left + CELL * place + 8, top - 6, token)
            found.text(left - 6, top + CELL * place + 15, token, anchor="end", size=12)
    for left, colour, words in ((95, LINE, "self-attention"), (215, INK, "cross-attention")):
        square(found, left, 470, 14, colour)
        found.text(left + 20, 482, words, anchor="start", size=12)
    found.text(200, 508, "rows: the state of; columns: depends on", colour=FAINT, size=12)
    found.save("10-what-each-sees")


def draw_patches() -> None:
    """An image and a word become the tokens of one row."""
    found = Diagram(400, 420, "Patches of an image and a word become tokens of one row")
    size, left, top = 16, 200, 12
    for row, line in enumerate(IMAGE):
        for column, pixel in enumerate(line):
            square(found, left + size * column, top + size * row, size, INK, faint=pixel == ".")
    for step in range(5):
        at = 2 * size * step
        found.arrow((left + at, top), (left + at, top + 128), colour=LINE, head=False)
        found.arrow((left, top + at), (left + 128, top + at), colour=LINE, head=False)
    found.text(264, 160, "8 × 8 pixels, 16 patches", size=12, colour=FAINT)
    found.text(66, 160, "“where”")
    found.arrow((66, 170), (66, 186))
    found.box(66, 186, "embedding", width=110)
    found.arrow((264, 170), (264, 186))
    found.box(264, 186, "Linear(4, 32) of each patch", width=230)
    found.arrow((66, 216), (66, 240))
    found.arrow((264, 216), (264, 240))
    for place in range(17):
        edge = 58 if place == 0 else 106 + 18 * (place - 1)
        found.parts.append(
            f'<rect x="{edge - (0 if place else 6)}" y="242" width="{16 if place else 28}" height="26" rx="3" '
            f'fill="var(--box)" stroke="{LINE if place else INK}"/>'
        )
    found.text(200, 286, "17 tokens; a vector of its place is added to each", size=12, colour=FAINT)
    found.arrow((200, 292), (200, 308))
    found.box(200, 308, "layers: each token attends to all 17", width=290)
    found.arrow((66, 338), (66, 362), colour=LINE)
    found.box(66, 362, "output", width=110)
    found.arrow((121, 377), (160, 377))
    found.text(168, 382, "“right”, from the word's state", anchor="start")
    found.save("10-patches")


if __name__ == "__main__":
    draw_two_masks()
    draw_sights()
    draw_patches()
