"""Training that begins with a trained model: its weights, vocabulary and settings; a new head where the task is another."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import nn

from regard.checkpoint import LoadedModel
from regard.data.directions_of_corpora import TAG, tag_of
from regard.errors import SettingsError
from regard.models.config import SAME_WEIGHTS, EncoderDecoderConfig, ModelConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import Model
from regard.models.registry import build_from, changed_head, classifier_of, known_labels
from regard.runs.settings.run_settings import checked_section
from regard.text.wording import counted

CLASSIFIER = "encoder-decoder-classifier"
HIGHEST_RATE = 1e-3
ADAPTERS_RATE = 10
"""The ratio of an adapter's learning rate to that of a model (docs/experiments.md)."""
MANY_UNKNOWN, MOST_NAMED, MOST_ADDED = 0.01, 5, 60
"""The share of unknown tokens from which users are warned, the letters that are named, and those that a user may want to add."""
UNKNOWN, UNKNOWN_RATE = 0.8, 3
"""Texts are unknown to a model whose loss is at least this share of that by chance; the ratio of its learning rate then to
the usual one (docs/experiments.md).
"""


@dataclass(frozen=True)
class InitialModel:
    """The model that a run begins with."""

    loaded: LoadedModel
    has_weights: bool = True
    """Whether its weights are taken over; else its vocabulary only."""


def as_family(loaded: LoadedModel, arch: str | None) -> LoadedModel:
    """A model as one of the family that a run names: an encoder-decoder as a classifier with a decoder, whose head is new. Any
    other model is itself.

    Raises:
        SettingsError: it has something that a classifier does not.
    """
    model, tokenizer = loaded.model, loaded.source_tokenizer
    if arch != CLASSIFIER or not isinstance(model, EncoderDecoder):
        return loaded
    made = classifier_of(model, start_id=loaded.tokenizer.symbols.start_ids[0])
    return LoadedModel(made, tokenizer, tokenizer)


def usual_settings(config: ModelConfig, *, adapts: bool = False) -> dict[str, dict[str, Any]]:
    """Settings of training that suit a model that has learnt already.

    The learning rate is 30 / model_dim^2: of width 256 the best of those measured (docs/experiments.md), of width 768 that
    of Devlin et al. 2019, appendix A.3. An adapter learns at ten times this rate.

    Args:
        adapts: whether an adapter learns, in place of the model.
    """
    rate = 30 / config.model_dim**2 * (ADAPTERS_RATE if adapts else 1)
    training = {
        "steps": 1000,
        "batch_tokens": 2048,
        "learning_rate": min(HIGHEST_RATE * (ADAPTERS_RATE if adapts else 1), float(f"{rate:.1e}")),
        "warmup_steps": 100,
        "schedule": "linear",
        "average_decay": 0.99,
        "validate_every": 100,
    }
    return {"training": training}


def option_that_adds(tokens: Sequence[str]) -> str | None:
    """The option that adds some letters or words to a vocabulary, as a shell reads it; None: they are no letters or words, or too
    many.
    """
    plain = [token for token in tokens if all(unicodedata.category(letter)[0] in "LM" for letter in token)]
    if not 0 < len(plain) <= MOST_ADDED:
        return None
    written = [
        json.dumps(token) if unicodedata.category(token[0])[0] == "M" else token for token in plain
    ]  # an accent alone
    option = f"tokenizer.add=[{','.join(written)}]"
    return f"--set {option}" if written == plain else f"--set '{option}'"


def check_initial(config: ModelConfig, arch: str | None, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Make sure that a run that begins with a model asks for nothing else than this model.

    Raises:
        SettingsError: another family, a setting that its weights or its vocabulary decide, or an alignment head that was pruned.
    """
    if arch is not None and arch != config.arch:
        raise SettingsError(f"`--arch` must be that of the model in `--from`, {config.arch}; got {arch}. Remove it.")
    for key in settings.get("model", {}):
        if key not in SAME_WEIGHTS or key not in type(config).model_fields:
            raise SettingsError(
                f"model.{key} comes from the model in `--from`, and cannot be set. Remove it. "
                f"Of the model, {', '.join(name for name in SAME_WEIGHTS if name in type(config).model_fields)} can be set."
            )
    pruned = config.pruned_heads if isinstance(config, EncoderDecoderConfig) else {}
    head = settings.get("model", {}).get("alignment_head")
    if head in [f"{site}.{number}" for site, numbers in pruned.items() for number in numbers]:
        raise SettingsError(
            f"model.alignment_head must be a head that the model in `--from` has; got {head}, which was pruned."
        )
    check_vocabulary(settings, "--from")


def check_vocabulary(settings: Mapping[str, Mapping[str, Any]], option: str) -> None:
    """Make sure that a run that takes the vocabulary of a model asks for no other.

    Raises:
        SettingsError: it does.
    """
    for key in settings.get("tokenizer", {}).keys() - {"add"}:
        raise SettingsError(
            f"tokenizer.{key} comes from the model in `{option}`, whose embeddings are of its vocabulary. Remove it. Tokens can "
            "be added: `tokenizer.add`."
        )


def config_of(config: ModelConfig, task: str | None, settings: Mapping[str, Mapping[str, Any]]) -> ModelConfig:
    """The configuration of a model, for another task and with other dropout.

    Raises:
        SettingsError: a value out of range, or one that does not go with the others.
    """
    changes = dict(settings.get("model", {}))
    if task is not None and "task" in type(config).model_fields:
        changes["task"] = task
        if getattr(config, "pooler", False):
            changes["pooler"] = task == "none"  # the head of a task takes its place
    checked = checked_section("model", type(config), changes, config.model_dump())
    return config.model_copy(update={key: getattr(checked, key) for key in changes})


def build_initialized(initial: LoadedModel, config: ModelConfig, seed: int) -> tuple[Model, list[str], str]:
    """A model of a configuration with the weights of a trained one; the names of its parameters that must learn, as they are
    new or those of a head for other labels; and a line that says what is new, or nothing.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, new = build_from(config, initial.model)
    before = initial.model.config
    heads = sorted({name.partition(".")[0] for name in new})
    notes = [f"{', '.join(heads)} ({counted(len(new), 'tensor')})"] if new else []
    if known := known_labels(config, before):
        labels = [label for label in model.class_names if label not in known]
        shown = [*labels[:MOST_NAMED], *(["..."] if len(labels) > MOST_NAMED else [])]
        notes += [f"{counted(len(labels), 'label')} of the head, {', '.join(shown)}"] if labels else []
    must_learn = sorted({*new, *changed_head(model, before)})
    return model, must_learn, f"new, and to be learnt: {'; '.join(notes)}" if notes else ""


@torch.no_grad()
def begin_new_languages(model: Model, before: LoadedModel, after: LoadedModel) -> None:
    """Let the tokens of languages that were added begin at the mean of those of the languages that the model had.

    Args:
        before: the model that `model` began with.
        after: the same with the vocabulary of `model`.
    """
    languages = before.source_tokenizer.languages
    if languages is None:
        return
    had = [after.source_tokenizer.id_of(token) for token in languages.tokens.values()]
    added = range(len(before.source_tokenizer), len(after.source_tokenizer))
    spelled = zip(added, after.source_tokenizer.tokens(added), strict=True)
    new = [id for id, token in spelled if TAG.fullmatch(token)]
    weight = cast("nn.Embedding", model.get_submodule(model.input_embedding)).weight
    weight[new] = weight[had].mean(dim=0)


def without_languages(loaded: LoadedModel, directions: Sequence[str] | None) -> LoadedModel:
    """A model of several languages, its tags as ordinary tokens, for corpora of some directions; another model as it is.

    Raises:
        SettingsError: no direction is named, or the model's tags are not those that corpora get.
    """
    languages = loaded.source_tokenizer.languages
    if languages is None:
        return loaded
    if directions is None:
        raise SettingsError(
            "the model has several languages. Name those of the data, such as `--set data.directions=en-de`."
        )
    if languages.needs_source or any(token != tag_of(code) for code, token in languages.tokens.items()):
        raise SettingsError(
            f"a run can go on with several languages whose tags are such as {tag_of('de')}; got "
            f"{', '.join(list(languages.tokens.values())[:3])}. Save the direction that you want, and begin with that: "
            '`regard.load(MODEL).directed("en", "de").save("en-de")`, then `--from en-de`.'
        )
    target = loaded.tokenizer.without_languages()
    is_same = loaded.source_tokenizer is loaded.tokenizer
    source = target if is_same else loaded.source_tokenizer.without_languages()
    return loaded._replace(tokenizer=target, source_tokenizer=source)
