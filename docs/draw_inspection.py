"""Draws the figures of docs/inspection.md, and prints its numbers: python docs/draw_inspection.py MODEL SOURCE TARGET.

MODEL is the model of Multi30k that docs/results.md trains for decoding; SOURCE and TARGET are the validation files.
"""

import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from statistics import correlation

import torch
from matplotlib.figure import Figure

import regard
from regard.analysis.pruning import NOTE, examples_of, orders_of, rank_heads, removal_curves
from regard.evaluation.text_metrics import TextMetrics
from regard.generation.options import DecodingOptions
from regard.inspection.drawing.pictures import MARKERS, SERIES, chart, curves_figure, picture_bytes
from regard.inspection.head_statistics import head_statistics
from regard.text.lines import read_lines

DOCS = Path(__file__).parent
RANKED, MEASURED = slice(0, 200), slice(200, 600)
SENTENCE = "Two young, white males are outside near many bushes."


def main() -> None:
    """Draw and print everything."""
    torch.set_num_threads(2)
    translator = regard.load(sys.argv[1])
    sources, targets = (read_lines(path) for path in sys.argv[2:4])
    translator.inspect(SENTENCE).save(DOCS / "inspection-head.svg", ["cross.2.3"])

    records = [translator.inspect(s, t).record for s, t in zip(sources[RANKED], targets[RANKED], strict=True)]
    statistics = head_statistics(records)
    print("labels by kind:", Counter((found.name.kind, found.label) for found in statistics))
    layers: dict[str, list[list[float]]] = {}
    for found in statistics:
        of_kind = layers.setdefault(found.name.kind, [])
        of_kind += [[] for _ in range(found.name.layer + 1 - len(of_kind))]
        of_kind[found.name.layer].append(found.entropy)
    write("inspection-entropy.svg", entropy_figure(layers))

    examples = examples_of(translator, sources[RANKED], targets[RANKED])
    rankings = [rank_heads(translator, examples, measure) for measure in ("leave-one-out", "gradient", "gates")]
    worth = rankings[0].worth
    points = {
        kind: [(found.confidence, worth[found.name]) for found in statistics if found.name.kind == kind]
        for kind in ("encoder", "decoder", "cross")
    }
    write("inspection-worth.svg", worth_figure(points))
    for kind, group in {**points, "all": list(chain(*points.values()))}.items():
        print(f"correlation of confidence and worth, {kind}: {correlation(*zip(*group, strict=True)):.2f}")
    for ranking in rankings:
        print(
            ranking.measure,
            "most worth:",
            [(str(name), round(ranking.worth[name], 3)) for name in ranking.order[::-1][:5]],
        )
        print(ranking.measure, "below 0:", sum(value < 0 for value in ranking.worth.values()))
    spread = rankings[0].spread
    print(
        "beyond two standard errors of 0:", sum(abs(worth[name]) > 2 * spread[name] for name in worth), "of", len(worth)
    )

    curves = removal_curves(
        translator, orders_of(rankings, translator.model), sources[MEASURED], targets[MEASURED],
        options=DecodingOptions(beam_size=1), metrics=TextMetrics(),
    )  # fmt: skip
    for name, curve in curves.items():
        print(f"{name:<40}", *(f"{x:.0f}%: {y:.1f} " for x, y in curve))
    write("inspection-pruning.svg", curves_figure(
        curves, title="", x_label="heads removed, per cent", y_label="BLEU", note=NOTE,
    ))  # fmt: skip


def entropy_figure(entropies: dict[str, list[list[float]]]) -> Figure:
    """Draw the entropy of every head by layer, and a line through the layers' means, for each kind of attention."""
    with chart(5.6, 3.8, title="", x_label="layer", y_label="entropy of a row, nats") as (figure, axes):
        for (kind, layers), colour, marker in zip(entropies.items(), SERIES, MARKERS, strict=False):
            for layer, heads in enumerate(layers):
                axes.scatter([layer] * len(heads), heads, s=14, color=colour, marker=marker, alpha=0.6, linewidths=0)
            means = [sum(heads) / len(heads) for heads in layers]
            axes.plot(range(len(means)), means, color=colour, marker=marker, markersize=5, label=kind)
        axes.set_xticks(range(max(map(len, entropies.values()))))
    return figure


def worth_figure(points: dict[str, list[tuple[float, float]]]) -> Figure:
    """Draw the worth of every head over its highest weight, each kind of attention with its own colour and marker."""
    labels = {"x_label": "highest weight of a row, mean", "y_label": "worth, nats per token"}
    with chart(5.6, 4.4, title="", note=NOTE, **labels) as (figure, axes):
        for (kind, group), colour, marker in zip(points.items(), SERIES, MARKERS, strict=False):
            x, y = zip(*group, strict=True)
            axes.scatter(x, y, s=22, color=colour, marker=marker, label=kind, alpha=0.8, linewidths=0)
    return figure


def write(name: str, figure: Figure) -> None:
    """Write a figure beside the documents."""
    (DOCS / name).write_bytes(picture_bytes(figure, ".svg"))


if __name__ == "__main__":
    main()
