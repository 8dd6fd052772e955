"""Averaging of several models' weights: often better than each of them, at no cost in use.

Source: Vaswani et al. 2017, section 6.1, who average the last checkpoints of a run; Wortsman et al. 2022 for runs that began
with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from regard.checkpoint import SOURCE_TOKENIZER, TOKENIZER, LoadedModel, load_model, stored_config
from regard.errors import SettingsError
from regard.models.config import ModelConfig
from regard.models.heads import alignment_head
from regard.models.interface import Model, stored_tensors
from regard.training.state import finished_model

MAY_DIFFER = {"dropout", "attention_dropout", "alignment_head"}
"""Settings that change neither the weights nor what a trained model computes from a text."""


def average_models(folders: Sequence[Path]) -> LoadedModel:
    """Average models: every weight is the mean of theirs, summed in float64.

    Their dropout and their alignment heads may differ. The mean has the dropout of the first model, and the alignment head of
    the first that has one. If none has, the head is that of the finished model of the run that kept them.

    Args:
        folders: of models with the same sizes and vocabulary, at least two.
    Raises:
        SettingsError: fewer than two folders, or models of different shape or vocabulary.
        ModelFolderError: a folder is no model.
    """
    if len(folders) < 2:
        raise SettingsError(f"averaging needs at least 2 models; got {len(folders)}.")
    first, *others = (load_model(folder) for folder in folders)
    sums = {name: tensor.detach().double() for name, tensor in stored_tensors(first.model).items()}
    names = [TOKENIZER] if first.source_tokenizer is first.tokenizer else [TOKENIZER, SOURCE_TOKENIZER]
    vocabularies = {name: (folders[0] / name).read_bytes() for name in names}
    for folder, other in zip(folders[1:], others, strict=True):
        ours, theirs = _compared(first.model.config), _compared(other.model.config)
        if ours != theirs:
            key = next((key for key in ours if ours[key] != theirs.get(key)), "arch")
            raise SettingsError(
                f"models to average must be alike; {key} is {ours[key]} in {folders[0]} and {theirs.get(key)} in {folder}."
            )
        for name, tokenizer in vocabularies.items():
            if not (folder / name).is_file() or (folder / name).read_bytes() != tokenizer:
                raise SettingsError(
                    f"models to average must share one vocabulary; {name} differs between {folders[0]} and {folder}."
                )
        for name, parameter in stored_tensors(other.model).items():
            sums[name] += parameter.detach().double()
    with torch.no_grad():
        for name, parameter in stored_tensors(first.model).items():
            parameter.copy_(sums[name] / len(folders))
    if hasattr(first.model.config, "alignment_head"):
        head = _first_head([first.model, *(other.model for other in others)], folders)
        first.model.config = first.model.config.model_copy(update={"alignment_head": head})
    return first


def _compared(config: ModelConfig) -> dict[str, Any]:
    """The settings that models to average must share."""
    return config.model_dump(exclude=MAY_DIFFER)


def _first_head(models: Sequence[Model], folders: Sequence[Path]) -> str | None:
    """The alignment head of the first model that has one, or else of a run that kept one of the models.

    A run finds the head at its end, when the folders of its best models are written: only its finished model names it.
    """
    for model in models:
        if alignment_head(model) is not None:
            return getattr(model.config, "alignment_head", None)
    for finished in filter(None, map(finished_model, folders)):
        config = stored_config(finished)
        if config is not None and _compared(config) == _compared(models[0].config):
            return getattr(config, "alignment_head", None)
    return None
