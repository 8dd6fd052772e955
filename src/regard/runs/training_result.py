"""The result of a run: its folder, its record, its scores, and the kept model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from regard.errors import SettingsError
from regard.evaluation.score_table import shown_scores
from regard.inspection.html_report import curve_html, facts_html
from regard.pipelines.any_pipeline import AnyPipeline
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs.progress import clock
from regard.training.training_run import TrainingRun

Kind = TypeVar("Kind", Translator, LanguageModel, Predictor)


@dataclass(frozen=True, repr=False)
class TrainingResult:
    """A finished (or interrupted) run: its folder, its record, and the kept model, ready to use."""

    folder: Path
    run: TrainingRun
    loaded: AnyPipeline | None
    """A `Translator`, a `LanguageModel` or a `Predictor`, depending on the family; None in other processes."""
    results: dict[str, Any]
    """The content of `results.json`; empty when the run was interrupted. Of a dry run, its plan."""
    adapts: Path | None = None
    """The model that the folder is an adapter of; None: the folder is a model."""

    @property
    def argument(self) -> str:
        """The model as an argument of commands: its folder, or that of its base and `--adapter`."""
        return str(self.folder) if self.adapts is None else f"{self.adapts} --adapter {self.folder}"

    @property
    def _is_plan(self) -> bool:
        """Whether this was a dry run."""
        return "seconds_per_step" in self.results

    def __repr__(self) -> str:
        if self._is_plan:
            return f"TrainingResult({str(self.folder)!r}, dry run: nothing was written)"
        run, scores = self.run, shown_scores(self.results)
        said = ", ".join(f"{title} {score}" for title, score in scores.items()) or "not measured"
        return f"TrainingResult({str(self.folder)!r}, step {run.best_step:,} of {run.step:,} kept: {said})"

    def _repr_html_(self) -> str:
        """For notebooks: the scores, and the learning curve; of a dry run, the expected time."""
        if self._is_plan:
            expected = clock(self.results["seconds"])
            return facts_html({"folder": str(self.folder), "dry run": "nothing was written", "expected time": expected})
        run, facts = self.run, {"folder": str(self.folder)} | shown_scores(self.results)
        facts |= {"steps": f"{run.step:,}; kept: the weights of step {run.best_step:,}", "training": clock(run.seconds)}
        return curve_html(facts, run.history)

    @property
    def translator(self) -> Translator:
        """The kept encoder-decoder.

        Raises:
            SettingsError: the model is of another family.
        """
        return self._as(Translator, "translator")

    @property
    def language_model(self) -> LanguageModel:
        """The kept decoder.

        Raises:
            SettingsError: the model is of another family.
        """
        return self._as(LanguageModel, "language_model")

    @property
    def predictor(self) -> Predictor:
        """The kept encoder.

        Raises:
            SettingsError: the model is of another family.
        """
        return self._as(Predictor, "predictor")

    def _as(self, kind: type[Kind], name: str) -> Kind:
        """The kept model, which must be of this kind."""
        loaded: Any = self.loaded
        if not isinstance(loaded, kind):
            raise SettingsError(f"`{name}` needs {kind.kind}; got a {type(loaded).__name__}. Use `loaded`.")
        return loaded
