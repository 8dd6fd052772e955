"""A report of a run as one HTML file: it opens from disk, asks no network for anything, and follows the theme."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from regard.inspection.alignment import Alignment
from regard.inspection.figures import THEME, alignment_svg, curve_svg

STYLE = (
    THEME
    + """
body{margin:2rem auto;max-width:60rem;padding:0 1rem;background:var(--paper);color:var(--ink);
  font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .25rem} h2{font-size:1.15rem;margin:2.2rem 0 .5rem}
p{max-width:44rem} .faint{color:var(--faint)} svg{max-width:100%;height:auto;display:block}
table{border-collapse:collapse;margin:.5rem 0} td,th{text-align:left;padding:.2rem 1rem .2rem 0;
  border-bottom:1px solid var(--line);vertical-align:top} th{font-weight:600} td.number{font-variant-numeric:tabular-nums}
td.steps{white-space:nowrap}
.wrong{color:var(--second)} .pictures{display:flex;flex-wrap:wrap;gap:1.5rem 2.5rem} figure{margin:0}
figcaption{margin-top:.4rem} code{font-family:ui-monospace,monospace}
"""
)


@dataclass(frozen=True)
class Report:
    """What a report shows."""

    title: str
    summary: str
    facts: dict[str, str]
    """Names and values of the table at the top."""
    history: Sequence[dict[str, float]]
    """The records of `metrics.jsonl`."""
    examples: Sequence[tuple[str, str, str]] = ()
    """Source, what the model wrote, reference."""
    alignments: Sequence[tuple[str, str, Alignment]] = ()
    """Source, what the model wrote, and how it aligned them."""
    alignments_are: str = ""
    """What there is to say of the alignments beside how they are drawn."""
    snapshots: Sequence[tuple[int, Sequence[tuple[str, str, str]]]] = ()
    """Steps of training, with examples as they were written then."""
    pictures: Sequence[tuple[str, str]] = ()
    """Other drawings: a caption, and SVG."""


def report_html(report: Report) -> str:
    """The page."""
    facts = "".join(
        f'<tr><th>{escape(name)}</th><td class="number">{escape(value)}</td></tr>'
        for name, value in report.facts.items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{escape(report.title)}</title><style>{STYLE}</style></head><body>
<h1>{escape(report.title)}</h1><p class="faint">{escape(report.summary)}</p>
<table>{facts}</table>
<h2>Learning curve</h2>{_curve(report.history)}{_other_curves(report.history)}
{_test_examples(report.examples)}{_snapshots(report.snapshots)}
{_alignments(report.alignments, report.alignments_are)}{_pictures(report.pictures)}
</body></html>
"""


def _alignments(alignments: Sequence[tuple[str, str, Alignment]], what: str) -> str:
    if not alignments:
        return ""
    verb = "is to write" if what else "wrote"
    return f"""<h2>Alignments</h2>
<p>{escape(what)} Each row is a token that the model {verb}; its filled cells are the source tokens that cross-attention
looked at while predicting it. Drawn is the mean over the heads of one decoder layer, the one whose weights are sharpest on
the pair. <span class="faint">Attention shows where the model looked, not what it would have written had it not looked
there.</span></p>
<div class="pictures">{"".join(_alignment(*item) for item in alignments)}</div>
"""


def _pictures(pictures: Sequence[tuple[str, str]]) -> str:
    if not pictures:
        return ""
    drawn = "".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for caption, svg in pictures)
    return f'<h2>Attention</h2><div class="pictures">{drawn}</div>'


def _curve(history: Sequence[dict[str, float]]) -> str:
    curves = {name: _points(history, key) for name, key in (("training", "loss"), ("validation", "valid_loss"))}
    drawn = {name: curve for name, curve in curves.items() if curve}
    return curve_svg(drawn, x_label="step", y_label="loss, nats per token (logarithmic)") if drawn else ""


def _points(history: Sequence[dict[str, float]], key: str) -> list[tuple[float, float]]:
    """What can be drawn of a measure: where it is a finite number above 0."""
    return [(record["step"], record[key]) for record in history if 0 < record.get(key, 0) < math.inf]


def _other_curves(history: Sequence[dict[str, float]]) -> str:
    """Scores of validation beside the loss, and the speed, each over the steps."""
    names = sorted({key for record in history for key in record if key.startswith("valid_") and key != "valid_loss"})
    drawn = ""
    for key in (*names, "tokens_per_second"):
        curve = _points(history, key)
        if len(curve) > 1:
            label = (
                key.removeprefix("valid_")
                .replace("_", " ")
                .replace("tokens per second", "tokens/s since the beginning")
            )
            svg = curve_svg({"": curve}, x_label="step", y_label=f"{label} (logarithmic)", width=420, height=200)
            drawn += f"<figure>{svg}</figure>"
    return f'<div class="pictures">{drawn}</div>' if drawn else ""


def _test_examples(examples: Sequence[tuple[str, str, str]]) -> str:
    return f"<h2>Examples from the test set</h2>{_examples(examples)}" if examples else ""


def _snapshots(snapshots: Sequence[tuple[int, Sequence[tuple[str, str, str]]]]) -> str:
    """A table for each fixed example: what was written at which steps, one row as long as it is the same."""
    if not snapshots:
        return ""
    tables = ""
    for number, (source, _, reference) in enumerate(snapshots[-1][1]):
        rows = ""
        for written, same in itertools.groupby(snapshots, key=lambda snapshot: snapshot[1][number][1]):
            first, *others = [step for step, _ in same]
            steps = f"{first:,}" + (f" to {others[-1]:,}" if others else "")
            rows += f'<tr><td class="number steps">{steps}</td><td dir="auto">{escape(written)}</td></tr>'
        end = f'<tr><th>reference</th><td dir="auto">{escape(reference)}</td></tr>' if reference else ""
        tables += (
            f'<p dir="auto"><b>{escape(source)}</b></p><table><tr><th>step</th><th>written</th></tr>{rows}{end}</table>'
        )
    return f"<h2>While it learnt</h2>{tables}"


def _examples(examples: Sequence[tuple[str, str, str]]) -> str:
    rows = "".join(
        f'<tr><td dir="auto">{escape(source)}</td><td dir="auto">{escape(written)}</td>'
        f"<td{'' if written == reference else ' class=wrong'}>{'right' if written == reference else escape(reference)}</td></tr>"
        for source, written, reference in examples
    )
    return f"<table><tr><th>source</th><th>the model wrote</th><th>reference</th></tr>{rows}</table>"


def _alignment(source: str, written: str, alignment: Alignment) -> str:
    arrow = f" → {escape(written)}" if written else ""
    return (
        f'<figure>{alignment_svg(alignment)}<figcaption><span dir="auto">{escape(source)}</span>{arrow}'
        f'<br><span class="faint">cross.{alignment.layer}, mean of its heads</span></figcaption></figure>'
    )
