"""Averaging of several models' weights: often better than each of them, at no cost in use.

Source: Vaswani et al. 2017, section 6.1, who average the last checkpoints of a run; Wortsman et al. 2022 for runs that began
with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from regard.checkpoint import SOURCE_TOKENIZER, TOKENIZER, LoadedModel, load_model
from regard.errors import SettingsError
from regard.models.interface import stored_tensors


def average_models(folders: Sequence[Path]) -> LoadedModel:
    """Average models: every weight is the mean of theirs, summed in float64.

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
        if other.model.config != first.model.config:
            theirs, ours = other.model.config.model_dump(), first.model.config.model_dump()
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
    return first
