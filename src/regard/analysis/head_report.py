"""A ranking of heads, and a model without some of them, as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from regard.analysis.pruning import MEASURES, NOTE, Measured, Ranking
from regard.checkpoint import save_new
from regard.inspection.head_statistics import HeadStatistics
from regard.inspection.inspection import check_ending
from regard.inspection.record import HeadName
from regard.pipelines.translator import Translator
from regard.text.lines import write_whole
from regard.text.wording import counted

Curves = Mapping[str, Sequence[tuple[float, float]]]
Statistics = Mapping[HeadName, HeadStatistics]
MOST_BARS = 60


def ranking_facts(ranking: Ranking, curves: Curves, statistics: Statistics, *, model: str) -> dict[str, Any]:
    """A ranking as JSON has it, the most worth first."""
    return {
        "model": model,
        "measure": ranking.measure,
        "unit": MEASURES[ranking.measure],
        "heads": [
            {
                "head": str(name), "worth": ranking.worth[name], "standard_error": ranking.spread.get(name),
                "label": statistics[name].label, "entropy": statistics[name].entropy,
                "confidence": statistics[name].confidence, "offset": statistics[name].offset,
                "masses": statistics[name].masses, "scores": statistics[name].scores,
            }
            for name in ranking.order[::-1]
        ],
        "bleu": {name: [{"removed_percent": x, "bleu": y} for x, y in curve] for name, curve in curves.items()},
    }  # fmt: skip


def save_ranking(path: Path, ranking: Ranking, curves: Curves, statistics: Statistics, *, model: str) -> None:
    """Write a ranking, and BLEU against heads removed, as the file's ending says: `.svg`, `.png`, `.html`, `.json`, `.csv`.

    Raises:
        SettingsError: another ending.
        MissingExtraError: a picture, and matplotlib is not installed.
    """
    check_ending(path)
    if path.suffix == ".json":
        content = ranking_facts(ranking, curves, statistics, model=model)
        write_whole(path, (json.dumps(content, indent=1) + "\n").encode())
    elif path.suffix == ".csv":
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(["head", "worth", "standard_error", "label", "entropy", "confidence"])
        for name in ranking.order[::-1]:
            found = statistics[name]
            seen = [found.label, f"{found.entropy:.4f}", f"{found.confidence:.4f}"]
            writer.writerow([name, ranking.worth[name], ranking.spread.get(name, ""), *seen])
        write_whole(path, written.getvalue().encode())
    else:
        from regard.inspection.drawing.pictures import bars_figure, curves_figure, picture_bytes

        figures = []
        if curves:
            labels = {"x_label": "heads removed, per cent", "y_label": "BLEU"}
            figures.append(curves_figure(curves, title="", note=NOTE, **labels))
        if path.suffix == ".html" or not curves:  # the page has both, a picture the curves where there are
            best = {str(name): ranking.worth[name] for name in ranking.order[::-1][:MOST_BARS]}
            figures.append(bars_figure(best, title="", x_label=MEASURES[ranking.measure], note=NOTE))
        if path.suffix == ".html":
            write_whole(path, _page([picture_bytes(figure, ".svg").decode() for figure in figures], model).encode())
        else:
            write_whole(path, picture_bytes(figures[0], path.suffix))


def _page(drawings: Sequence[str], model: str) -> str:
    """The drawings one after the other; on white in a dark theme too, as they are drawn for it."""
    figures = "".join(f'<p class="figure">{drawing[drawing.index("<svg") :]}</p>' for drawing in drawings)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>Heads of {escape(model)}</title>
<style>body{{margin:2rem auto;max-width:60rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}}
.figure{{background:#fff;padding:1rem;border-radius:6px}} svg{{max-width:100%;height:auto}}</style></head>
<body><h1>Heads of {escape(model)}</h1><p>{escape(NOTE)}</p>{figures}</body></html>
"""


def save_pruned(
    path: Path, smaller: Translator, removed: Sequence[HeadName], before: Measured, after: Measured
) -> None:
    """Write a model folder, with a README that says what was removed and what it costs."""
    separate = smaller.source_tokenizer if smaller.source_tokenizer is not smaller.tokenizer else None
    save_new(path, smaller.model, smaller.tokenizer, separate)
    rows = "\n".join(
        f"| {title} | {getattr(before, key):{form}} | {getattr(after, key):{form}} |"
        for title, key, form in (
            ("BLEU", "bleu", ".2f"),
            ("heads", "num_heads", ","),
            ("parameters", "num_parameters", ","),
            ("sentences per second", "sentences_per_second", ".0f"),
        )
    )
    heads = f"{counted(len(removed), 'attention head')} {'was' if len(removed) == 1 else 'were'}"
    text = f"""# {path.name}

A model from which {heads} removed by `regard heads --prune`: {", ".join(map(str, removed))}.

| | before | after |
|---|---:|---:|
{rows}
"""
    write_whole(path / "README.md", text.encode())
