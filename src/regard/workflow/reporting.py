"""What a run tells of itself in `report.html`, whatever it learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regard.inspection.alignment import Alignment
from regard.inspection.report import Report
from regard.training.run import TrainingRun
from regard.workflow.card import SCORES
from regard.workflow.progress import clock, quantity

DRAWN_ALIGNMENTS = 6


def training_report(name: str, results: dict[str, Any], run: TrainingRun) -> Report:
    """The page of a finished run: scores, curves, and what it wrote and looked at while it learnt."""
    machine, steps = results["machine"], results["steps"]
    facts = {title: f"{results[key]:{form}}" for key, (title, form) in SCORES.items() if key in results}
    facts |= {
        "measured on": str(results["evaluated_on"]),
        "steps": f"{steps['trained']:,}; kept: the weights of step {steps['kept']:,}",
        "training": clock(run.seconds),
        "speed": f"{quantity(run.tokens_per_second)} target tokens/s, {machine['precision']} on {machine['device']}, "
        f"{machine['threads']} threads",
        "parameters": f"{results['sizes']['num_parameters']:,}",
        "seed": str(results["settings"]["training"]["seed"]),
    }
    if steps["skipped"]:
        facts["steps without a finite gradient"] = f"{steps['skipped']:,}, which moved nothing"
    aligned = _spread([snapshot for snapshot in run.snapshots if "alignment" in snapshot])
    return Report(
        title=name,
        summary=f"Trained on {results['data']['training']['name']}.",
        facts=facts,
        history=run.history,
        snapshots=[(snapshot["step"], [tuple(row) for row in snapshot["texts"]]) for snapshot in run.snapshots],
        alignments=[(f"step {snapshot['step']:,}", "", Alignment(**snapshot["alignment"])) for snapshot in aligned],
        alignments_are="One validation pair as cross-attention sees it while it is learnt, each token of the reference after "
        "the right ones.",
    )


def _spread(snapshots: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A few of many, evenly spread, the first and the last among them."""
    if len(snapshots) <= DRAWN_ALIGNMENTS:
        return list(snapshots)
    last = len(snapshots) - 1
    return [snapshots[round(i * last / (DRAWN_ALIGNMENTS - 1))] for i in range(DRAWN_ALIGNMENTS)]
