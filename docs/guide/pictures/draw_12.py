"""Draws the pictures of "Tokens": `python docs/guide/pictures/draw_12.py`."""

import json
import re
from collections import Counter
from pathlib import Path

import tokenizers
from diagrams import FAINT, INK, LINE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

PAGE = (Path(__file__).parents[1] / "12-tokens.md").read_text(encoding="utf-8")
TEXT = re.search(r'^TEXT = """\\\n(.*?)"""', PAGE, re.M | re.S)
NEW = re.search(r'^NEW = "(.*)"', PAGE, re.M)
assert TEXT is not None
assert NEW is not None
LINES, LATER = TEXT[1].splitlines(), NEW[1]
CELL = 56
ALPHABET = {*TEXT[1], "▁"} - {" ", "\n"}


def learnt(num_merges: int) -> tokenizers.Tokenizer:
    """BPE of the page's text."""
    found = tokenizers.Tokenizer(tokenizers.models.BPE())
    found.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=len(ALPHABET) + num_merges, show_progress=False)
    found.train_from_iterator(LINES, trainer)
    return found


def merge(tokens: list[str], pair: list[str]) -> list[str]:
    """Tokens in which each occurrence of a pair is one token."""
    merged: list[str] = []
    for token in tokens:
        if merged and [merged[-1], token] == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def draw_merges() -> None:
    """A word, cut into characters, and after each merge that changes it."""
    merges = json.loads(learnt(60).to_str())["model"]["merges"]
    tokens, rows = list("▁strongest"), []
    rows.append(("characters", "", tokens))
    for number, pair in enumerate(merges, start=1):
        if (merged := merge(tokens, pair)) != tokens:
            rows.append((f"merge {number}", " + ".join(pair), merged))
            tokens = merged
    found = Diagram(720, 84 * len(rows) + 6, "The word strongest: its characters, and the tokens after each merge")
    for row, (name, pair, cut) in enumerate(rows):
        top = 84 * row + 22
        found.text(14, top + 14, name, anchor="start", size=16)
        found.text(14, top + 36, pair, colour=FAINT, anchor="start", size=16)
        at = 0
        before = rows[row - 1][2] if row else []
        for token in cut:
            left, width = 140 + CELL * at, CELL * len(token)
            is_new = bool(row) and _begins(before, at) != len(token)
            found.box(left + width / 2, top, token, width=width - 8, colour=INK if is_new else LINE)
            if is_new:
                for part in (at, at + _begins(before, at)):
                    x = 140 + CELL * part + CELL * _begins(before, part) / 2
                    found.arrow((x, top - 54), (x, top), colour=INK)
            at += len(token)
    found.save("12-merges")


def _begins(tokens: list[str], at: int) -> int:
    """The length of the token that begins at a character."""
    begin = 0
    for token in tokens:
        if begin == at:
            return len(token)
        begin += len(token)
    raise ValueError(at)


def draw_cuts() -> None:
    """All tokens inside a word, and the way of BPE and of the unigram model through them."""
    word, ways = "▁higher", {"BPE": ("▁hig", "he", "r"), "unigram": ("▁hig", "h", "er")}
    vocabulary = learnt(60).get_vocab()
    found = Diagram(720, 346, "The word higher: its characters, all tokens in it, and two ways from left to right")
    left, step, middle = 60, 86, 176
    for place in range(len(word) + 1):
        x = left + step * place
        found.parts.append(f'<circle cx="{x}" cy="{middle}" r="5" fill="{FAINT}"/>')
        found.text(x, middle + 22, str(place), colour=FAINT, size=13)
    for begin in range(len(word)):
        for end in range(begin + 1, len(word) + 1):
            token = word[begin:end]
            if token not in vocabulary:
                continue
            x_begin, x_end = left + step * begin, left + step * end
            sides = []
            for name, side in (("unigram", -1), ("BPE", 1)):
                at = 0
                for part in ways[name]:
                    if (at, part) == (begin, token):
                        sides.append(side)
                    at += len(part)
            for side in sides or [-1]:
                depth = 34 * (end - begin) * side if sides or end - begin > 1 else 0
                bow = f"M{x_begin} {middle}Q{(x_begin + x_end) / 2} {middle + 2 * depth} {x_end} {middle}"
                stroke = f'stroke="{INK}" stroke-width="2.6"' if sides else f'stroke="{LINE}" stroke-width="1.2"'
                dashes = ' stroke-dasharray="8 5"' if side > 0 else ""
                found.parts.append(f'<path d="{bow}" fill="none" {stroke}{dashes}/>')
                y = middle + depth + (18 if side > 0 else -8)
                found.text((x_begin + x_end) / 2, y, token, colour=INK if sides else FAINT, size=16)
    found.text(420, 30, "unigram: ▁hig h er", anchor="start", size=16)
    found.text(420, 330, "BPE: ▁hig he r", anchor="start", size=16)
    found.save("12-cuts")


def draw_count() -> None:
    """Tokens for each word, and rare tokens, by the number of merges."""
    counts = list(range(0, 141, 4))
    words = sum(len(line.split()) for line in LINES)
    read, later, rare = [], [], []
    for count in counts:
        bpe = learnt(count)
        tokens = Counter(token for line in LINES for token in bpe.encode(line).tokens)
        read.append(tokens.total() / words)
        later.append(len(bpe.encode(LATER).tokens) / len(LATER.split()))
        rare.append(100 * sum(tokens[token] < 3 for token in bpe.get_vocab()) / bpe.get_vocab_size())
    figure = Figure(figsize=(5, 5.4), layout="constrained")
    above, below = figure.subplots(2, 1)
    above.plot(counts, read, color=SERIES[0], label="the text")
    above.plot(counts, later, color=SERIES[1], label="the new line")
    above.set_ylim(0)
    above.legend(frameon=False, fontsize=9)
    plain(above, "", "", "tokens for each word")
    below.plot(counts, rare, color=SERIES[0])
    below.set_ylim(0, 100)
    plain(below, "", "merges", "% of tokens seen under 3 times")
    save(figure, "12-merges-count")


if __name__ == "__main__":
    draw_merges()
    draw_cuts()
    draw_count()
