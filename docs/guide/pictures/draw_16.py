"""Draws the diagram of "From a model to a service": `python docs/guide/pictures/draw_16.py`."""

from diagrams import FAINT, INK, LINE, Diagram

STEP = 34
SLOTS = (
    (("A", 0, 3, LINE), ("D", 3, 4, INK)),
    (("B", 0, 6, INK),),
    (("C", 0, 5, LINE),),
)
"""For each slot, what is decoded there: name, first step, number of steps, colour."""


def draw_serving() -> None:
    """Requests, the queue, slots that share decoding steps, and replies."""
    found = Diagram(400, 400, "A request, the queue, slots that share decoding steps, and the reply")
    for place, name in enumerate("ABCD"):
        found.box(60 + 93 * place, 12, f"request {name}", width=86)
        found.arrow((60 + 93 * place, 42), (60 + 93 * place, 66))
    found.box(200, 66, "queue: who waits for a slot", width=366)
    found.arrow((200, 96), (200, 122))
    left, top = 96, 150
    found.text(left, 138, "decoding steps, shared by all slots", anchor="start", colour=FAINT, size=12)
    for row, texts in enumerate(SLOTS):
        y = top + 44 * row
        found.text(left - 8, y + 21, f"slot {row + 1}", anchor="end", colour=FAINT, size=12)
        for name, first, steps, colour in texts:
            for step in range(first, first + steps):
                x = left + STEP * step
                found.parts.append(
                    f'<rect x="{x}" y="{y}" width="{STEP - 3}" height="30" rx="3" fill="var(--box)" '
                    f'stroke="{colour}" stroke-width="1.5"/>'
                )
                found.text(x + STEP / 2 - 1.5, y + 20, name, colour=colour)
    bottom = top + 44 * 3
    for step in range(7):
        found.text(left + STEP * step + STEP / 2 - 1.5, bottom + 8, str(step + 1), colour=FAINT, size=12)
    for name, step, colour in (("A", 3, LINE), ("C", 5, LINE), ("B", 6, INK), ("D", 7, INK)):
        x = left + STEP * step - 1.5
        found.arrow((x, bottom + 16), (x, bottom + 46), colour=colour)
        found.text(x, bottom + 62, name, colour=colour)
    found.text(left - 8, bottom + 62, "replies", anchor="end", colour=FAINT, size=12)
    found.arrow((20, bottom + 78), (380, bottom + 78), colour=LINE)
    found.text(380, bottom + 96, "time", anchor="end", colour=FAINT, size=12)
    found.save("16-serving")


if __name__ == "__main__":
    draw_serving()
