"""A report of a run as one HTML file: it opens from disk, asks no network for anything, and follows the theme."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from regard.inspection.alignment import Alignment
from regard.inspection.drawing.figures import NOTEBOOK, THEME, curve_svg

STYLE = (
    THEME
    + """
body{margin:2rem auto;max-width:60rem;padding:0 1rem;background:var(--paper);color:var(--ink);
  font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 .25rem} h2{font-size:1.15rem;margin:2.2rem 0 .5rem}
p{max-width:44rem} .faint{color:var(--faint)} svg{max-width:100%;height:auto;display:block}
table{border-collapse:collapse;margin:.5rem 0} td,th{text-align:left;padding:.2rem 1rem .2rem 0;
  border-bottom:1px solid var(--line);vertical-align:top} th{font-weight:600} td.number{font-variant-numeric:tabular-nums}
td.steps{white-space:nowrap} td,figcaption,p{overflow-wrap:anywhere}
.wrong{color:var(--second)} .pictures{display:flex;flex-wrap:wrap;gap:1.5rem 2.5rem} figure{margin:0}
.wide{overflow-x:auto} .wide svg{min-width:32rem}
figcaption{margin-top:.4rem} code{font-family:ui-monospace,monospace}
"""
)

SHARES = ("accuracy", "token accuracy", "exact match")
"""The scores that are shares from 0 to 1."""


@dataclass(frozen=True)
class Report:
    """The content of a report."""

    title: str
    summary: str
    facts: dict[str, str]
    """Names and values of the table at the top."""
    history: Sequence[dict[str, float]]
    """The records of `metrics.jsonl`."""
    examples: Sequence[tuple[str, str, str]] = ()
    """Examples: source, output of the model, reference."""
    alignments: Sequence[tuple[str, str, Alignment]] = ()
    """Alignments: source, output of the model, and its alignment of the two."""
    alignments_are: str = ""
    """A note on the alignments."""
    snapshots: Sequence[tuple[int, Sequence[tuple[str, str, str]]]] = ()
    """Steps of training, with examples as they were written then."""
    pictures: Sequence[tuple[str, str]] = ()
    """Other drawings: a caption, and SVG."""
    training_is: str = "training"
    """The title of the curve of the training loss."""
    curves_are: str = ""
    """A note on how the losses were measured."""
    tables: Sequence[tuple[str, Sequence[Sequence[str]]]] = ()
    """Tables: a title, and rows of words, names of columns first."""


def report_html(report: Report) -> str:
    """The page as HTML."""
    facts = "".join(
        f'<tr><th>{escape(name)}</th><td class="number">{escape(value)}</td></tr>'
        for name, value in report.facts.items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{escape(report.title)}</title><style>{STYLE}</style></head><body>
<h1>{escape(report.title)}</h1><p class="faint">{escape(report.summary)}</p>
<table>{facts}</table>{_tables(report.tables)}
<h2>Learning curve</h2>{_curve(report.history, report.training_is)}{_said(report.curves_are)}{_other_curves(report.history)}
{_test_examples(report.examples)}{_snapshots(report.snapshots)}
{_alignments(report.alignments, report.alignments_are)}{_pictures(report.pictures)}
</body></html>
"""


def _tables(tables: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> str:
    drawn = ""
    for title, (head, *rows) in tables:
        names = "".join(f"<th><bdi>{escape(word)}</bdi></th>" for word in head)
        cells = "".join(
            f"<tr>{''.join(f'<td class=number><bdi>{escape(word)}</bdi></td>' for word in row)}</tr>" for row in rows
        )
        drawn += f"<h2>{escape(title)}</h2><table><tr>{names}</tr>{cells}</table>"
    return drawn


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


def _curve(history: Sequence[dict[str, float]], training_is: str = "training") -> str:
    """The losses, on a logarithmic axis: those above 0."""
    measures = ((training_is, "loss"), ("validation", "valid_loss"))
    curves = {name: [point for point in _points(history, key) if point[1] > 0] for name, key in measures}
    drawn = {name: curve for name, curve in curves.items() if curve}
    if not drawn:
        return ""
    svg = curve_svg(drawn, x_label="step", y_label="loss, nats per token (logarithmic)")
    return f'<div class="wide">{svg}</div>'


def _said(text: str) -> str:
    return f'<p class="faint">{escape(text)}</p>' if text else ""


def _points(history: Sequence[dict[str, float]], key: str) -> list[tuple[float, float]]:
    """The points of a measure that can be drawn: finite numbers, 0 or above."""
    return [(record["step"], record[key]) for record in history if 0 <= record.get(key, -1) < math.inf]


def _other_curves(history: Sequence[dict[str, float]]) -> str:
    """Scores of validation beside the loss, and the speed, each over the steps; shares from 0 to 1, all else from 0."""
    names = sorted({key for record in history for key in record if key.startswith("valid_") and key != "valid_loss"})
    drawn = ""
    for key in (*names, "tokens_per_second"):
        curve = _points(history, key)
        if curve:
            label = (
                key.removeprefix("valid_")
                .replace("_", " ")
                .replace("tokens per second", "tokens/s since the beginning")
            )
            highest = 1.0 if label in SHARES else 1.05 * max(y for _, y in curve) or 1.0
            svg = curve_svg({"": curve}, x_label="step", y_label=label, width=420, height=200, y_range=(0.0, highest))
            drawn += f"<figure>{svg}</figure>"
    return f'<div class="pictures">{drawn}</div>' if drawn else ""


def _test_examples(examples: Sequence[tuple[str, str, str]]) -> str:
    return f"<h2>Examples from the test set</h2>{_examples(examples)}" if examples else ""


def _snapshots(snapshots: Sequence[tuple[int, Sequence[tuple[str, str, str]]]]) -> str:
    """A table for each fixed example: its output at each step, with equal outputs in one row."""
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
        + ("<td>right" if written == reference else f'<td dir="auto" class=wrong>{escape(reference)}')
        + "</td></tr>"
        for source, written, reference in examples
    )
    return f"<table><tr><th>source</th><th>the model wrote</th><th>reference</th></tr>{rows}</table>"


def _alignment(source: str, written: str, alignment: Alignment) -> str:
    arrow = f" → <bdi>{escape(written)}</bdi>" if written else ""
    return (
        f"<figure>{alignment.svg()}<figcaption><bdi>{escape(source)}</bdi>{arrow}"
        f'<br><span class="faint">cross.{alignment.layer}, mean of its heads</span></figcaption></figure>'
    )


DOUBT = "201,118,27"
"""The colour of a token that was improbable; a certain one has none."""
Candidate = tuple[str, float, Sequence[str], Sequence[float]]
"""A text with its score, its tokens and their log-probabilities."""


def candidates_html(candidates: Sequence[Candidate], alignment: Alignment | None = None) -> str:
    """A drawing for a notebook: each text with its score, its tokens the more coloured the less probable they were, and
    an alignment.
    """
    rows = "".join(
        f'<tr><td style="text-align:right">{score:.3f}</td>'
        f'<td style="text-align:left">{_coloured(text, tokens, log_probs)}</td></tr>'
        for text, score, tokens, log_probs in candidates
    )
    drawn = "" if alignment is None else alignment.svg()
    return (
        f'<div style="{NOTEBOOK}"><table><tr><th>score</th><th style="text-align:left">text, the less probable a token the '
        f"more coloured</th></tr>{rows}</table>{drawn}</div>"
    )


def curve_html(facts: Mapping[str, str], history: Sequence[dict[str, float]]) -> str:
    """A drawing for a notebook: a table of names and values, and the learning curve."""
    return facts_html(facts, _curve(history))


def facts_html(facts: Mapping[str, str], drawn: str = "") -> str:
    """A drawing for a notebook: a table of names and values, and below it something drawn, in HTML."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left" dir="auto">{escape(value)}</td></tr>'
        for name, value in facts.items()
    )
    return f'<div style="{NOTEBOOK}"><table>{rows}</table>{drawn}</div>'


def _coloured(text: str, tokens: Sequence[str], log_probs: Sequence[float]) -> str:
    """A text token by token; as a whole where it has none. A script from right to left keeps its order, and to itself."""
    spans = ""
    for index, (token, log_prob) in enumerate(zip(tokens, log_probs, strict=False)):
        spelled = token.replace("▁", " ")
        prob = math.exp(min(log_prob, 0.0))
        spans += (
            f'<span style="background:rgba({DOUBT},{(1 - prob) * 0.7:.2f})" title="{escape(token)}: {prob:.3f}">'
            f"{escape(spelled.lstrip() if index == 0 else spelled)}</span>"
        )
    return f'<bdi style="white-space:pre-wrap">{spans or escape(text)}</bdi>'
