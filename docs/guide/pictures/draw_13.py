"""Draws the pictures of "Decoding and sampling": `python docs/guide/pictures/draw_13.py`."""

import math

from diagrams import FAINT, INK, LINE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

TOKENS = ("mat", "sofa", "roof", "table", "moon", "idea", "of", "</s>")
PLACES = {
    "sure": (4.0, 2.5, 1.5, 1.0, 0.0, -1.0, -2.0, -2.0),
    "unsure": (1.0, 0.9, 0.8, 0.7, 0.5, 0.3, -2.0, -2.0),
}


def softmax(logits: tuple[float, ...], temperature: float = 1.0) -> list[float]:
    """The probabilities."""
    powers = [math.exp(logit / temperature) for logit in logits]
    return [power / sum(powers) for power in powers]


def draw_temperature() -> None:
    """Both distributions at three temperatures."""
    figure = Figure(figsize=(5, 5.4), layout="constrained")
    for axes, (name, logits) in zip(figure.subplots(2, 1), PLACES.items(), strict=True):
        for index, temperature in enumerate((0.5, 1.0, 2.0)):
            places = [at + 0.27 * (index - 1) for at in range(len(TOKENS))]
            axes.bar(
                places,
                softmax(logits, temperature),
                width=0.25,
                color=SERIES[index],
                label=f"temperature {temperature}",
            )
        axes.set_xticks(range(len(TOKENS)), TOKENS)
        plain(axes, name, "", "probability")
        if name == "sure":
            axes.legend(frameon=False, fontsize=9)
    save(figure, "13-temperature")


def draw_cuts() -> None:
    """What three rules keep of both distributions."""
    figure = Figure(figsize=(5, 6), layout="constrained")
    for axes, (name, logits) in zip(figure.subplots(2, 1), PLACES.items(), strict=True):
        probs = softmax(logits)
        axes.bar(range(len(TOKENS)), probs, width=0.6, color=SERIES[0])
        axes.axhline(0.1 * max(probs), color=SERIES[1], linestyle="--", linewidth=1.2)
        highest = max(probs)
        kept = {
            "top-k 3": [at < 3 for at in range(len(TOKENS))],
            "top-p 0.9": [sum(probs[:at]) < 0.9 for at in range(len(TOKENS))],
            "min-p 0.1": [p >= 0.1 * highest for p in probs],
        }
        for row, (rule, flags) in enumerate(kept.items(), start=1):
            height = -0.09 * highest * row
            axes.text(-0.7, height, rule, fontsize=8, ha="right", va="center")
            axes.scatter(
                [at for at, flag in enumerate(flags) if flag],
                [height] * sum(flags),
                color=SERIES[1],
                s=18,
                clip_on=False,
            )
        axes.set_xticks(range(len(TOKENS)), TOKENS)
        axes.set_xlim(-0.6, len(TOKENS) - 0.4)
        axes.set_ylim(-0.36 * highest, 1.05 * highest)
        axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= highest])
        plain(axes, name, "", "probability")
    save(figure, "13-cuts")


def node(found: Diagram, x: float, y: float, text: str, *, is_kept: bool) -> None:
    """A word of the tree with the probability of the text up to it."""
    dashes = "" if is_kept else ' stroke-dasharray="4 4"'
    found.parts.append(
        f'<rect x="{x - 62}" y="{y - 17}" width="124" height="34" rx="5" fill="var(--box)" '
        f'stroke="{INK if is_kept else LINE}" stroke-width="1.6"{dashes}/>'
    )
    found.text(x, y + 6, text, colour=INK if is_kept else FAINT, size=17)


def draw_beam() -> None:
    """The tree, and what a beam of 2 keeps of it."""
    found = Diagram(720, 470, "A tree of texts with three words; a beam of 2 keeps two beginnings in each step")
    columns = (74, 254, 440, 640)
    for x, name in zip(columns[1:], ("step 1", "step 2", "step 3"), strict=True):
        found.text(x, 24, name, colour=FAINT, size=16)
    words = {
        (): ("start", 230, True),
        ("the",): ("the .500", 130, True),
        ("a",): ("a .300", 300, True),
        ("no",): ("no .200", 430, False),
        ("the", "old"): ("old .200", 80, True),
        ("the", "big"): ("big .175", 130, False),
        ("the", "dog"): ("dog .125", 180, False),
        ("a", "dog"): ("dog .180", 270, True),
        ("a", "cat"): ("cat .120", 330, False),
        ("no", "dog"): ("dog .190", 430, False),
        ("the", "old", "man"): ("man .080", 60, True),
        ("the", "old", "dog"): ("dog .060", 110, False),
        ("the", "old", "cat"): ("cat .060", 160, False),
        ("a", "dog", "sleeps"): ("sleeps .108", 250, True),
        ("a", "dog", "barks"): ("barks .072", 300, False),
        ("no", "dog", "barks"): ("barks .171", 430, False),
    }
    for text, (_, y, is_kept) in words.items():
        if text:
            before = words[text[:-1]]
            x_from, x_to = columns[len(text) - 1] + 62, columns[len(text)] - 62
            colour = INK if is_kept else LINE
            dashes = "" if is_kept else ' stroke-dasharray="4 4"'
            found.parts.append(
                f'<path d="M{x_from} {before[1]}L{x_to} {y}" stroke="{colour}" stroke-width="1.6"{dashes}/>'
            )
    for text, (label, y, is_kept) in words.items():
        node(found, columns[len(text)], y, label, is_kept=is_kept)
    found.text(columns[2] + 100, 462, "never looked at", colour=FAINT, size=15)
    found.save("13-beam")


def draw_speculative() -> None:
    """One step: four drafted tokens, two accepted, one replaced."""
    found = Diagram(720, 400, "One step of speculative decoding: draft, test, result")
    left, step = 230, 124
    drafted = ("sees", "a", "cat", "today")
    for y, name, detail in (
        (50, "draft q", "4 small steps"),
        (180, "target p", "1 large step"),
        (310, "text", "3 new tokens"),
    ):
        found.text(10, y + 12, name, anchor="start", size=17)
        found.text(10, y + 34, detail, colour=FAINT, anchor="start", size=15)
    verdicts = ("accept", "accept", "reject", "dropped")
    for at, (word, verdict) in enumerate(zip(drafted, verdicts, strict=True)):
        x = left + step * at
        found.box(x, 46, word, width=96)
        if at < 3:
            found.arrow((x + 48, 61), (x + step - 48, 61))
        found.arrow((x, 76), (x, 170))
        found.text(x + 6, 128, "p / q", colour=FAINT, anchor="start", size=15)
        found.text(x, 196, verdict, colour=FAINT if at == 3 else INK, size=17)
        if at < 2:
            found.arrow((x, 208), (x, 306))
            found.box(x, 306, word, width=96, colour=INK)
    x = left + 2 * step
    found.arrow((x, 208), (x, 306))
    found.text(x + 8, 250, "draw from the rest,", anchor="start", size=15)
    found.text(x + 8, 270, "p - q where positive", anchor="start", size=15)
    found.box(x, 306, "bird", width=96, colour=INK)
    found.text(left + step, 376, "sees a bird: distributed as if the target had written it", size=16)
    found.save("13-speculative")


if __name__ == "__main__":
    draw_temperature()
    draw_cuts()
    draw_beam()
    draw_speculative()
