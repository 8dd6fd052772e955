"""Training that begins with a trained model: its weights, vocabulary and settings; a new head where the task is another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from regard.checkpoint import LoadedModel
from regard.errors import SettingsError
from regard.models.config import ModelConfig
from regard.models.families import build
from regard.models.interface import Model
from regard.text.wording import counted

HIGHEST_RATE = 1e-3
CHANGEABLE = ("dropout", "attention_dropout", "activation_dropout", "layer_dropout")
"""Settings of a model that leave its weights as they are."""


def usual_settings(config: ModelConfig) -> dict[str, dict[str, Any]]:
    """Settings of training that suit a model that has learnt already.

    The learning rate is 30 / model_dim^2: of width 256 the best of those measured (docs/experiments.md), of width 768 that
    of Devlin et al. 2019, appendix A.3.
    """
    training = {
        "steps": 1000,
        "batch_tokens": 2048,
        "learning_rate": min(HIGHEST_RATE, float(f"{30 / config.model_dim**2:.1e}")),
        "warmup_steps": 100,
        "schedule": "linear",
        "average_decay": 0.99,
        "validate_every": 100,
    }
    return {"training": training}


def check_begin(config: ModelConfig, arch: str | None, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Make sure that a run that begins with a model asks for nothing else than this model.

    Raises:
        SettingsError: another family, or a setting that its weights or its vocabulary decide.
    """
    if arch is not None and arch != config.arch:
        raise SettingsError(f"`--arch` must be that of the model in `--from`, {config.arch}; got {arch}. Remove it.")
    for key in settings.get("model", {}):
        if key not in CHANGEABLE:
            raise SettingsError(
                f"model.{key} comes from the model in `--from`, and cannot be set. Remove it. "
                f"Of the model, {', '.join(name for name in CHANGEABLE if name in type(config).model_fields)} can be set."
            )
    for key in settings.get("tokenizer", {}):
        raise SettingsError(
            f"tokenizer.{key} comes from the model in `--from`, whose embeddings are of its vocabulary. Remove it."
        )


def config_of(config: ModelConfig, task: str | None, settings: Mapping[str, Mapping[str, Any]]) -> ModelConfig:
    """The configuration of a model, for another task and with other dropout."""
    changes = dict(settings.get("model", {}))
    if task is not None and "task" in type(config).model_fields:
        changes["task"] = task
    return config.model_copy(update=changes)


def begun(initial: LoadedModel, config: ModelConfig) -> tuple[Model, list[str]]:
    """A model of a configuration with the weights of a trained one; and the names of the parameters that are new.

    New ones are drawn from torch's default generator: those of the head, if the task is another. A model of the same
    configuration is taken as it is, without a copy.
    """
    if config == initial.model.config:
        return initial.model, []
    model = build(config)
    old = initial.model.state_dict()
    weights = {
        name: old[name] if name in old and old[name].shape == tensor.shape else tensor
        for name, tensor in model.state_dict().items()
    }
    model.load_state_dict(weights)
    new = [name for name, _ in model.named_parameters() if weights[name] is not old.get(name)]
    return model, new


def begun_with_seed(initial: LoadedModel, config: ModelConfig, seed: int) -> tuple[Model, str]:
    """The same for a run, with a line that says what is new, or nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, new = begun(initial, config)
    heads = sorted({name.partition(".")[0] for name in new})
    return model, f"new, and to be learnt: {', '.join(heads)} ({counted(len(new), 'tensor')})" if new else ""
