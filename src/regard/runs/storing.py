"""Stores of a run's model: as a whole model folder, or as an adapter of the model that the run began with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from regard.adapters import Base, change_adapter_config, read_adapter, save_adapter, save_adapter_weights, with_adapter
from regard.checkpoint import ADAPTER_WEIGHTS, WEIGHTS, LoadedModel, save_config, save_new
from regard.models.interface import Model
from regard.pipelines.loading import load
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.pipeline_types import pipeline_type
from regard.text.tokenizer import Tokenizer
from regard.weights_file import save_weights


@dataclass(frozen=True)
class ModelStore:
    """Stores whole models."""

    tokenizer: Tokenizer
    source_tokenizer: Tokenizer | None
    weights: str = WEIGHTS

    def write(self, path: Path, model: Model) -> None:
        """Write a model folder, whole or not at all."""
        save_new(path, model, self.tokenizer, self.source_tokenizer)

    def rewrite(self, path: Path, model: Model) -> None:
        """Replace the weights of a model folder."""
        save_weights(path / WEIGHTS, model)

    def rewrite_config(self, path: Path, model: Model) -> None:
        """Replace the configuration of a model folder: what was found of the model after it was trained."""
        save_config(path, model)

    def load(self, path: Path, device: torch.device) -> Pipeline:
        """The model of a folder."""
        return load(path, device=str(device))


@dataclass(frozen=True)
class AdapterStore:
    """Stores what a run has learnt beside a model that stays as it is."""

    base: Base
    loaded: LoadedModel
    """The same model."""
    new: Collection[str] = ()
    """Parameters that learn beside the adapters: those of another head."""
    whole: Collection[str] = ()
    """Parameters of the base that learn as a whole."""
    tokens: Sequence[str] = ()
    """Tokens that the vocabulary has beside the base's."""
    weights: str = ADAPTER_WEIGHTS

    def write(self, path: Path, model: Model) -> None:
        """Write an adapter folder, whole or not at all."""
        save_adapter(path, model, self.base, self.new, self.whole, self.tokens)

    def rewrite(self, path: Path, model: Model) -> None:
        """Replace the weights of an adapter folder."""
        save_adapter_weights(path, model, self.new, self.whole)

    def rewrite_config(self, path: Path, model: Model) -> None:
        """Replace the configuration of an adapter folder."""
        change_adapter_config(path, model.config)

    def load(self, path: Path, device: torch.device) -> Pipeline:
        """The base with the adapter of a folder."""
        loaded = with_adapter(self.loaded, read_adapter(path), self.base.sha256)
        loaded.model.to(device)
        return pipeline_type(loaded.model.config).of(loaded)


Store = ModelStore | AdapterStore
"""The store of a run."""
