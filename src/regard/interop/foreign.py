"""Foreign models: `Blueprint` before their weights are read, and `ForeignModel` after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError, RegardError
from regard.interop.check import Check, Reference, compare
from regard.interop.mapping import Account, TensorRef, check_refs, load_tensors
from regard.memory import lack_of_memory, meta_model_for
from regard.models.config import ModelConfig
from regard.models.interface import Model
from regard.models.registry import build
from regard.text.tokenizer import Symbols

MOST_SHOWN = 300
"""The number of characters of a foreign error message that are shown."""


@dataclass(frozen=True)
class ForeignModel:
    """A foreign model that was read or written, with ours and the account of its tensors."""

    format: str
    loaded: LoadedModel
    account: Account
    notes: list[str] = field(default_factory=list)
    make_reference: Callable[[Path], Reference] | None = None
    """A function that loads the original implementation of the foreign files; raises ImportError where it is not
    installed.
    """
    path: Path = Path()
    """The path of the foreign files."""
    refs: Mapping[str, TensorRef] = field(default_factory=dict)
    """The foreign tensor that holds each parameter of ours, where the format has named tensors."""

    def at(self, path: Path) -> ForeignModel:
        """A copy that knows the new path of its files."""
        return replace(self, path=path)

    def check(self) -> Check | None:
        """Compare our model with the original; None where that is not installed.

        Raises:
            ModelFolderError: the original cannot be run, or returns another shape.
        """
        if self.make_reference is None:
            return None
        source_symbols = self.loaded.source_tokenizer.symbols
        try:
            reference = self.make_reference(self.path)
            return compare(self.loaded.model, self.loaded.tokenizer.symbols, reference, source_symbols=source_symbols)
        except ImportError:
            return None
        except RegardError:
            raise
        except Exception as error:  # foreign code may raise anything on foreign files
            reason = " ".join(str(error).split())[:MOST_SHOWN]
            raise ModelFolderError(
                f"{self.path} must be readable by the original implementation, to be compared with it; got "
                f"{type(error).__name__}: {reason}. To convert without the comparison, add `--no-check`."
            ) from error


@dataclass(frozen=True)
class Blueprint:
    """A foreign model's configuration, parsed: enough to build our model and load its weights."""

    config: ModelConfig
    refs: Callable[[Any], dict[str, TensorRef]]
    """The place of each parameter of a model that was built from `config`."""
    symbols: Symbols
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other names under which a tensor may be stored, because it is shared."""
    explained: Mapping[str, str] = field(default_factory=dict)
    """Patterns of names of tensors that are no part of our model, each with the reason."""
    notes: list[str] = field(default_factory=list)
    """Notes for the user, such as a setting that only training reads."""
    prepare: Callable[[dict[str, Tensor]], dict[str, str]] | None = None
    """A function that changes the tensors before they are read, and returns for each that is gone what became of it."""

    def build(self, tensors: Mapping[str, Tensor], *, where: str) -> tuple[Model, Account]:
        """Build our model with their tensors, in evaluation mode, and the account of all tensors.

        Nothing as large as the configuration says is made before the tensors are found to be as large.

        Raises:
            ModelFolderError: a tensor is missing, of another shape or kind, or not finite; or there is no room for the model.
        """
        tensors = dict(tensors)
        for name, others in self.aliases.items():
            stored = next((other for other in others if other in tensors), None)
            if name not in tensors and stored is not None:
                tensors[name] = tensors.pop(stored)
        gone = self.prepare(tensors) if self.prepare else {}
        shapes = meta_model_for(self.config, tensors, where)
        refs = self.refs(shapes)
        check_refs(shapes, refs, tensors, where=where)
        if lack := lack_of_memory(self.config, torch.device("cpu")):
            raise ModelFolderError(f"{where} must fit into memory; got {lack}.")
        with torch.random.fork_rng(devices=[]):
            model = build(self.config)
        account = load_tensors(model, refs, tensors, where=where, explained=self.explained)
        account.accounted.update(gone)
        return model.eval(), account
