"""The outcome of a demo, and the parts of its report that all demos have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.inspection.html_report import Report, report_html
from regard.runs.progress import clock
from regard.runs.report import how_losses_are_measured, training_loss_name
from regard.runs.run_folder import write_results
from regard.text.lines import write_whole
from regard.text.wording import counted
from regard.training.training_run import TrainingRun


@dataclass(frozen=True)
class DemoOutcome:
    """The results of a demo."""

    heading: str
    """A line above the examples."""
    examples: Sequence[tuple[str, str, str]]
    """The examples: source, the model's output, reference."""
    measured: Sequence[str]
    """Lines that say how good the model is."""
    report: Path


def finished(
    output: Path,
    run: TrainingRun,
    results: Mapping[str, Any],
    data: str,
    heading: str,
    measured: Sequence[str],
    **page: Any,
) -> DemoOutcome:
    """Write `results.json` and `report.html` beside a demo's model.

    Args:
        data: how much was trained on, in words.
        heading: the line above the examples.
        measured: lines that say how good the model is.
        page: the fields of `Report` that differ by demo: title, summary, facts, examples, pictures.
    """
    settings = results["settings"]
    write_results(output, dict(results))
    page["facts"] |= {
        "training": f"{data}, {counted(run.step, 'step')}, {clock(run.seconds)}",
        "seed": str(settings["training"]["seed"]),
    }
    page |= {"training_is": training_loss_name(settings), "curves_are": how_losses_are_measured(settings)}
    path = output / "report.html"
    write_whole(path, report_html(Report(history=run.history, **page)).encode("utf-8"))
    return DemoOutcome(heading, page["examples"], measured, path)
