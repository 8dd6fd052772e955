"""The adapters of a translator: each request names one, and all share a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import Any

from regard.engines.model_changes import Snapshot
from regard.errors import DataError, SettingsError, check_known
from regard.evaluation.confidence import Confidence
from regard.models.adaptation import with_choice, with_same_updates
from regard.models.interface import PairModel, check_not_training
from regard.nn.lora import AdapterChoice


class AdapterSet:
    """Several adapters of one model, by name. A request has the number of its adapter; 0 is none.

    Args:
        models: the same model with each adapter beside its weights, as `adapt` makes it.
        confidences: of the translations with each adapter, where they were measured.
    """

    def __init__(self, models: Mapping[str, PairModel], confidences: Mapping[str, Confidence | None]) -> None:
        self.models, self.confidences = dict(models), dict(confidences)
        self.names = list(models)
        self.choice = AdapterChoice()
        self.merging = RLock()
        """Held while an adapter is added to the weights, or beside them."""
        self.version = 0
        """The number of times that `models` were made again."""
        self._snapshot: Snapshot | None = None
        self._is_copy = False

    def __getstate__(self) -> dict[str, Any]:
        """Without the lock and what was seen of the base: a copy has another base, of which `models` are made again."""
        return {name: value for name, value in vars(self).items() if name not in ("merging", "_snapshot")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, merging=RLock(), _snapshot=None, _is_copy=True)

    def follow(self, model: PairModel) -> None:
        """Make `models` again if their base has changed since they were made, as with hooks, other modules or other parameters.

        Args:
            model: the base. The first call takes it as it is: `models` have just been made of it.
        Raises:
            SettingsError: it is in training mode, or has no linear map any more where an adapter has an update.
        """
        with self.merging:
            if self._is_copy or (self._snapshot is not None and self._snapshot.has_changed()):
                self.renew(model)
            elif self._snapshot is None:
                self._snapshot = Snapshot([model])

    def renew(self, model: PairModel) -> None:
        """Make `models` again from their base. Arguments and errors are those of `follow`."""
        with self.merging:
            check_not_training(model)
            models = {name: with_same_updates(model, each) for name, each in self.models.items()}
            self.models, self._snapshot, self.version = models, Snapshot([model]), self.version + 1
            self._is_copy = False

    def joined(self, model: PairModel) -> list[PairModel]:
        """The base as it is now, with all adapters, alone in a list; `choice` says which adapter each sentence has. Errors are
        those of `follow`.
        """
        with self.merging:
            self.follow(model)
            return [with_choice(model, list(self.models.values()), self.choice)]

    def number(self, name: str | None) -> int:
        """The number of an adapter.

        Raises:
            SettingsError: there is no adapter of this name.
        """
        if name is None:
            return 0
        if not self.names:
            raise SettingsError(
                f"`adapters` are for a model that was loaded with some; got {name!r}. Load it with "
                f"`adapters={{{name!r}: folder}}`."
            )
        check_known("adapter", name, self.names, f"one of {', '.join(self.names)}")
        return 1 + self.names.index(name)

    def numbers(self, names: str | Sequence[str | None], num_texts: int) -> list[int]:
        """The number of the adapter of each text.

        Raises:
            DataError: not as many names as texts.
            SettingsError: there is no adapter of a name.
        """
        if isinstance(names, str) or len(names) != num_texts:
            got = "one name" if isinstance(names, str) else f"{len(names)}"
            raise DataError(f"`adapters` needs one entry for each text; got {got} for {num_texts} texts.")
        return [self.number(name) for name in names]


NO_ADAPTERS = AdapterSet({}, {})
"""The set of a translator without adapters."""
