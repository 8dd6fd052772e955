"""Makes `report.html` of a run, for every kind of model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regard.evaluation.label_metrics import confusion_table, score_table
from regard.evaluation.score_table import OLD_TASK, changes, shown_scores
from regard.inspection.alignment import Alignment
from regard.inspection.html_report import Report
from regard.models.config import current
from regard.runs.progress import clock, quantity
from regard.text.wording import counted
from regard.training.training_run import TrainingRun

DRAWN_ALIGNMENTS = 6


def training_report(name: str, results: dict[str, Any], run: TrainingRun) -> Report:
    """The page of a finished run: scores, curves, and what it wrote and looked at while it learnt."""
    machine, steps, settings = results["machine"], results["steps"], results["settings"]
    read = "target tokens" if current("arch", results["arch"]) in ("encoder-decoder", "rnn") else "tokens"
    facts = shown_scores(results)
    facts |= {
        "measured on": str(results["evaluated_on"]),
        "steps": f"{steps['trained']:,}; kept: the weights of step {steps['kept']:,}",
        "training": clock(run.seconds),
        "speed": f"{quantity(run.tokens_per_second)} {read}/s, {machine['precision']} on {machine['device']}, "
        + counted(machine["threads"], "thread"),
        "parameters": f"{results['sizes']['num_parameters']:,}",
        "seed": str(settings["training"]["seed"]),
    }
    if (old_task := results.get(OLD_TASK)) is not None:
        facts |= {
            f"{title} on {old_task['data']}": f"{then} before, {now} after" for title, then, now in changes(old_task)
        }
    if steps["skipped"]:
        facts["steps without a finite gradient"] = f"{steps['skipped']:,}, which moved nothing"
    aligned = _spread([snapshot for snapshot in run.snapshots if "alignment" in snapshot])
    return Report(
        title=name,
        summary=f"Trained on {results['data']['training']['name']}.",
        facts=facts,
        history=run.history,
        training_is=training_loss_name(settings),
        curves_are=how_losses_are_measured(settings),
        snapshots=[(snapshot["step"], [tuple(row) for row in snapshot["texts"]]) for snapshot in run.snapshots],
        alignments=[(f"step {snapshot['step']:,}", "", Alignment(**snapshot["alignment"])) for snapshot in aligned],
        alignments_are="One validation pair as cross-attention sees it while it is learnt, each token of the reference after "
        "the right ones.",
        tables=[(title, rows) for title, rows in _tables_of_labels(results).items() if rows],
    )


def training_loss_name(settings: Mapping[str, Any]) -> str:
    """The name of the curve of the training loss, by the settings of a run as `results.json` has them."""
    return "training, smoothed" if settings["training"]["label_smoothing"] else "training"


def how_losses_are_measured(settings: Mapping[str, Any]) -> str:
    """An explanation of the two losses of a run, which differ in more than their data.

    Args:
        settings: of the run, as `results.json` has them.
    """
    training, dropout = settings["training"], settings["model"].get("dropout")
    every, smoothing = training["report_every"], training["label_smoothing"]
    over = "all classes" if training["smoothing_over"] == "all" else "all classes but the right one"
    return (
        f"Training: the loss of every {'step' if every == 1 else f'{_ordinal(every)} step'}, each on its own batch"
        + (", with dropout" if dropout else "")
        + (f", against labels smoothed by {smoothing:g} over {over}" if smoothing else "")
        + ". Validation: the loss on all validation data, of the "
        + ("running average of the weights" if training["average_decay"] else "weights as they are")
        + (", without dropout" if dropout else "")
        + (", against the labels themselves." if smoothing else ".")
    )


def _ordinal(number: int) -> str:
    """A number as 1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _tables_of_labels(results: dict[str, Any]) -> dict[str, list[list[str]]]:
    return {"Each label": score_table(results), "Which label was taken for which": confusion_table(results)}


def _spread(snapshots: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A few of many, evenly spread, the first and the last among them."""
    if len(snapshots) <= DRAWN_ALIGNMENTS:
        return list(snapshots)
    last = len(snapshots) - 1
    return [snapshots[round(i * last / (DRAWN_ALIGNMENTS - 1))] for i in range(DRAWN_ALIGNMENTS)]
