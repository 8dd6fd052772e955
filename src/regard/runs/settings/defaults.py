"""Fits settings that the user did not give to the number of steps, the task and the size of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from regard.runs.settings.run_settings import SECTIONS, RunSettings
from regard.text.wording import counted
from regard.training.schedules import paper_peak

VOCABULARY = "tokenizer.vocab_size"
STEPS, METRIC, RATE = "training.steps", "training.metric", "training.learning_rate"
FITTED = (STEPS, "training.warmup_steps", "training.validate_every", "training.average_decay", RATE,
          "training.metric", VOCABULARY)  # fmt: skip
"""The settings that are fitted."""
KINDS = ("tokenizer.kind", "tokenizer.target_kind", "tokenizer.shared", "model.tied_embeddings")
WITH_KINDS = (*KINDS, VOCABULARY, "tokenizer.across_spaces", "data.bpe_dropout")
"""Whoever gives one of these decides about the whole vocabulary; else `KINDS` are chosen by the data (`choosing`)."""
DROPOUT = "model.dropout"
SHAPE = ("model.num_encoder_layers", "model.num_decoder_layers", DROPOUT, "model.positions")
NORMALIZATION, BATCH = "tokenizer.normalization", "training.batch_tokens"
JOINED = "data.concatenation"
ARCH = "model.arch"
WITH_ARCH = {*WITH_KINDS, ARCH, "data.alignments", "training.freeze"}
"""Whoever gives one of these, or a setting of the model, has the family that it is for; else the data may choose `ARCH`."""
SIZED = "tiny"
"""The preset whose family, depth, dropout and batches follow the data: another one is asked for because of its size."""
HOLD_OUT = "settings.holds_out_less"
"""No setting: runs that have it in their list hold out less of few data."""
RECORDED_AS = "settings.following"
"""The key of the fitted settings in a checkpoint."""
BYTES_TO_A_TOKEN, SMALLEST_VOCABULARY = 140, 300
"""For a classifier, bytes of text per token of the vocabulary: some 25 words (docs/experiments.md)."""
LEAST_TEXTS, FEW_TEXTS, DROPOUT_OF_FEW = 100, 2_000, 0.5
"""The numbers of texts with a class from which on, and below which, a classifier has this dropout (docs/experiments.md)."""
SHARE_OF_RUN = 0.1
"""The least share of a run that warm-up, running average and the time between two validations shrink to."""
VALIDATED_EPOCHS = 10
"""The most epochs between two validations."""
MOST_VALIDATIONS, FEWEST_STEPS = 200, 5
"""The most validations in a run, and the fewest steps between two, if there are more than 15."""


def to_fit(settings: RunSettings) -> list[str]:
    """The settings, such as `training.warmup_steps`, that are fitted because the user did not give them."""
    if not settings.preset_values:
        return []
    explicit = settings.explicit
    keys = [key for key in FITTED if key not in explicit]
    if not settings.follows_data:
        return keys
    if not explicit.intersection(WITH_KINDS):
        keys += [key for key in (*KINDS, NORMALIZATION) if key in settings.preset_values and key not in explicit]
    if settings.preset == SIZED:
        if not any(key.startswith("model.") for key in explicit - {"model.arch", "model.task"}):
            keys += [key for key in SHAPE if key in settings.preset_values]
            if JOINED in settings.preset_values and not explicit & {
                JOINED,
                "data.alignments",
            }:  # alignments count tokens
                keys.append(JOINED)
            keys += [] if explicit & WITH_ARCH else [ARCH]
        keys += [BATCH] if not explicit & {STEPS, BATCH} else []
    return [*keys, *(key for key in settings.from_recipe if key not in keys)]


def recorded(settings: RunSettings) -> list[str]:
    """The list of the settings that nobody gave, which a checkpoint holds under `RECORDED_AS`."""
    return [*to_fit(settings), *([HOLD_OUT] if settings.holds_out_less else [])]


def resolve_defaults(
    settings: RunSettings, epoch_steps: float = math.inf, usual_metric: str | None = None
) -> RunSettings:
    """The same, with settings that were not given fitted to the number of steps, the task and the size of the data.

    In a run of fewer steps than the preset's, warm-up, running average and the time between two validations shrink in
    proportion, but not below a tenth of the run; so none of them is longer than the run. Of few data, a validation comes
    every `VALIDATED_EPOCHS` epochs; there are at most `MOST_VALIDATIONS`, or as many as the preset has. Where the number of
    steps was not given either, there are at most `settings.most_epochs` epochs, or `settings.least_steps` steps if that is more.

    Args:
        epoch_steps: how many steps it takes to see all data once.
        usual_metric: the score that decides which weights are kept; None: the preset's.
    """
    if not settings.preset_values or settings.is_frozen:
        return settings
    usual = {key: settings.preset_values[f"training.{key}"] for key in type(settings.training).model_fields}
    if STEPS in to_fit(settings) and math.isfinite(epoch_steps):
        enough = max(math.ceil(settings.most_epochs * epoch_steps), settings.least_steps)
        settings = settings.changed({STEPS: min(usual["steps"], enough)}, [STEPS])
    steps = settings.training.steps

    def shrunk(number: float) -> float:
        return min(number, max(number * steps / usual["steps"], steps * SHARE_OF_RUN))

    most = max(MOST_VALIDATIONS, usual["steps"] / usual["validate_every"])
    every = max(min(shrunk(usual["validate_every"]), VALIDATED_EPOCHS * epoch_steps), steps / most)
    found: dict[str, Any] = {
        "training.warmup_steps": max(round(shrunk(usual["warmup_steps"])), 1),
        "training.validate_every": max(round(every), min(FEWEST_STEPS, -(-steps // 3))),
        "training.average_decay": usual["average_decay"],
    }
    if steps < usual["steps"]:
        window = max(shrunk(1 / (1 - usual["average_decay"])), 2)
        found["training.average_decay"] = min(usual["average_decay"], round(1 - 1 / window, 5))
    keys = to_fit(settings)
    is_shorter = "training.warmup_steps" in keys and found["training.warmup_steps"] < usual["warmup_steps"]
    if usual["learning_rate"] is None and is_shorter:
        # The paper's rate depends on its warm-up: without this, a short run would have one that is too high.
        found[RATE] = paper_peak(settings.model.model_dim, usual["warmup_steps"])
    if usual_metric is not None:
        found["training.metric"] = usual_metric
    return settings.changed(found, keys)


def with_vocabulary_for(settings: RunSettings, num_bytes: int) -> RunSettings:
    """The same, with a vocabulary size for this amount of text, unless the user gave one."""
    if settings.is_frozen or VOCABULARY not in to_fit(settings):
        return settings
    size = max(num_bytes // BYTES_TO_A_TOKEN, SMALLEST_VOCABULARY)
    return settings.changed({VOCABULARY: min(size, settings.tokenizer.vocab_size)}, [VOCABULARY])


def with_dropout_for(settings: RunSettings, num_texts: int) -> RunSettings:
    """The same for a classifier, with more dropout if it learns from few texts, unless the user gave some."""
    if settings.is_frozen or DROPOUT not in to_fit(settings) or not LEAST_TEXTS <= num_texts < FEW_TEXTS:
        return settings
    return settings.changed({DROPOUT: DROPOUT_OF_FEW}, [DROPOUT])


def frozen(settings: RunSettings, made_of: Mapping[str, Any]) -> RunSettings:
    """The same for a resumed run: settings that were not given are those of its start.

    Args:
        made_of: what the run was made of, by names such as `training.warmup_steps`; under `RECORDED_AS`, what nobody gave
            then. In a version that had no such list, all was as the preset has it.
    """
    then = made_of.get(RECORDED_AS, ())
    if ARCH in then and ARCH in to_fit(settings) and made_of.get(ARCH, settings.model.arch) != settings.model.arch:
        nobody_gave = [key for key in then if key in made_of and key.partition(".")[0] in SECTIONS]
        settings = settings.of_family(made_of[ARCH], {key: made_of[key] for key in nobody_gave})
    before = settings.changed(made_of, [key for key in to_fit(settings) if key in then])
    return before.model_copy(update={"is_frozen": True, "holds_out_less": HOLD_OUT in then})


def notes(settings: RunSettings) -> list[str]:
    """Notes for the user: in one line, the fitted settings that differ from the preset's; and whether a given warm-up is
    longer than the run.
    """
    training, lines = settings.training, []
    are_least = training.steps <= settings.least_steps
    shown = {
        STEPS: f"at least {settings.least_steps:,} steps" if are_least else f"at most {settings.most_epochs} epochs",
        "training.warmup_steps": f"warm-up {training.warmup_steps:,}",
        "training.validate_every": f"validation every {training.validate_every:,}",
        "training.average_decay": f"average over {1 / (1 - training.average_decay):,.0f}",
        RATE: f"learning rate {training.learning_rate or 0:.2g}",
        "training.metric": f"kept by {training.metric}",
        VOCABULARY: f"vocabulary {settings.tokenizer.vocab_size:,}",
    }
    keys = [key for key in to_fit(settings) if key in shown and key not in settings.reported]
    parts = [shown[key] for key in keys if settings.value(key) != settings.preset_values[key]]
    if parts:
        lines.append(f"fitted to {counted(training.steps, 'step')} and the data: {', '.join(parts)}")
    if training.warmup_steps > training.steps:
        lines.append(
            f"training.warmup_steps is {training.warmup_steps:,}: the run of {counted(training.steps, 'step')} ends "
            "before its learning rate reaches its peak"
        )
    return lines
