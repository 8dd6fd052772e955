"""The families of models as runs know them: what each is trained for. A family that is added here can be trained, stored,
loaded, used and inspected by every function of the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from regard.arguments import checked
from regard.errors import SettingsError, nearest_hint
from regard.models.registry import ARCHITECTURES, Architecture, architecture
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.pipeline_types import PIPELINES
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs.tasks.labels import ClassifyTask, TagTask
from regard.runs.tasks.pairs import PairsTask
from regard.runs.tasks.running_text import LanguageTask, MaskedTask
from regard.runs.tasks.task import Task


@dataclass(frozen=True)
class Family:
    """A family of models."""

    description: str
    """The kind of model, for its README."""
    architecture: Architecture
    """Its configuration, its model, and presets."""
    pipeline: type[Pipeline]
    """The class of a loaded model."""
    tasks: Mapping[str | None, type[Task]]
    """The tasks that it can be trained for, by the name that `--task` has; under None, the task without a name."""

    @property
    def arch(self) -> str:
        """The name of the family in `config.json` and `--arch`."""
        return self.architecture.arch

    def task(self, name: str | None) -> type[Task]:
        """The task of this name.

        Raises:
            SettingsError: there is none.
        """
        if name in self.tasks:
            return self.tasks[name]
        names = [task for task in self.tasks if task is not None]
        if not names:
            others = [f"`--arch {family.arch}`" for family in FAMILIES.values() if name in family.tasks]
            remedy = f"Use {' or '.join(others)}, or remove it." if others else "Remove it."
            raise SettingsError(f"`--task {name}` does not go with `--arch {self.arch}`. {remedy}")
        if name is None:
            rest = f" {names[0]}`." if len(names) == 1 else f"`, one of {', '.join(names)}."
            raise SettingsError(f"`--arch {self.arch}` needs `--task{rest}")
        rule = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
        hint = nearest_hint(name, names)
        raise SettingsError(f"`--task` must be {rule} for `--arch {self.arch}`; got {name}. {hint}")


FAMILIES: dict[str, Family] = {
    family.arch: family
    for family in (
        Family("an encoder-decoder Transformer", ARCHITECTURES["encoder-decoder"], Translator, {None: PairsTask}),
        Family("a recurrent encoder-decoder with attention", ARCHITECTURES["rnn"], Translator, {None: PairsTask}),
        Family("a decoder-only language model", ARCHITECTURES["decoder"], LanguageModel, {None: LanguageTask}),
        Family(
            "a Transformer encoder",
            ARCHITECTURES["encoder"],
            Predictor,
            {"mlm": MaskedTask, "classify": ClassifyTask, "tag": TagTask},
        ),
        Family(
            "an encoder-decoder Transformer that classifies",
            ARCHITECTURES["encoder-decoder-classifier"],
            Predictor,
            {"classify": ClassifyTask},
        ),
    )
}


@checked
def add_family(family: Family) -> None:
    """Make a family known to this process: `train`, `load` and all that follows from them.

    Raises:
        SettingsError: there is another family of this name.
    """
    known = FAMILIES.get(family.arch)
    if known is not None and known != family:
        raise SettingsError(f"arch must be a new name; got {family.arch}, which is another family's.")
    ARCHITECTURES[family.arch], PIPELINES[family.arch] = family.architecture, family.pipeline
    FAMILIES[family.arch] = family


@checked
def add_task(arch: str, name: str, task: type[Task]) -> None:
    """Make a task known to this process: what models of a family are trained for by `train(..., task=name)`.

    Raises:
        SettingsError: there is no such family, or it has another task of this name.
    """
    family = find_family(arch)
    if family.tasks.get(name, task) is not task:
        raise SettingsError(f"a task of {arch} must have a new name; got {name}, which is another's.")
    FAMILIES[family.arch] = replace(family, tasks={**family.tasks, name: task})


def find_family(arch: str) -> Family:
    """The family of this name.

    Raises:
        SettingsError: there is none.
    """
    return FAMILIES[architecture(arch).arch]
