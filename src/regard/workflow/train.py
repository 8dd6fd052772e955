"""From files of pairs to a model folder: the whole line, in the order in which it happens."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

import regard
from regard.checkpoint import WEIGHTS, check_output, load_model, save_new, save_weights
from regard.data.batching import EncodedPairs, encode_pairs, endless, in_order, plan_batches
from regard.data.corpus import ParallelText, read_pairs
from regard.errors import DataError
from regard.evaluation.likelihood import likelihood
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.lines import write_whole
from regard.text.tokenizer import Tokenizer
from regard.training.precision import resolve_precision
from regard.training.trainer import Scores, Trainer, TrainingRun
from regard.workflow.card import model_card
from regard.workflow.progress import RunDisplay, clock, quantity
from regard.workflow.settings import RunSettings
from regard.workflow.translator import Translator, resolve_device

LARGEST_HOLD_OUT = 1000
VALID_BATCH_TOKENS = 4096


@dataclass(frozen=True)
class TrainingResult:
    """A finished (or interrupted) run: its folder, its record, and the kept model, ready to use."""

    folder: Path
    run: TrainingRun
    translator: Translator
    results: dict[str, Any]
    """What `results.json` holds; empty when the run was interrupted."""


def train(
    pairs: Sequence[str | os.PathLike[str]],
    output: Path | str,
    *,
    valid: Sequence[str | os.PathLike[str]] | None = None,
    preset: str = "tiny",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    device: str = "auto",
    overwrite: bool = False,
    display: RunDisplay | None = None,
) -> TrainingResult:
    """Train a model on pairs of texts and write it to a folder: what `regard train` does.

    Args:
        pairs: `[source file, target file]`, or one `.tsv`, `.jsonl` or `hf:name:split:source_column:target_column`.
        valid: the same, for validation; None: a random share of `pairs` is held out.
        preset: `tiny`, `small`, `base` or `big`.
        settings: what differs from the preset, such as `{"training": {"steps": 1000}}`.
        device: `auto`, `cpu`, `cuda`.
        overwrite: whether a model that stands at `output` is replaced.
    Raises:
        RegardError: anything that the user can mend, before training starts where it can be known by then.
        KeyboardInterrupt: interrupted before anything was saved.
    """
    chosen = RunSettings.build(preset, settings or {})
    check_output(Path(output), overwrite=overwrite)
    with display or RunDisplay() as shown:
        training_text = read_pairs(pairs)
        if valid is None:
            training_text, valid_text = hold_out(training_text, chosen.training.seed)
        else:
            valid_text = read_pairs(valid)
        for text in (training_text, valid_text):
            blank = f" ({text.num_blank} blank on both sides left out)" if text.num_blank else ""
            shown.say(f"{len(text):,} pairs from {text.name}{blank}")
        return train_texts(training_text, valid_text, Path(output), chosen, device=device, display=shown, preset=preset)


def hold_out(text: ParallelText, seed: int) -> tuple[ParallelText, ParallelText]:
    """A text in two: for training, and at random one pair in twenty, at most 1,000, for validation.

    Raises:
        DataError: fewer than two pairs.
    """
    if len(text) < 2:
        raise DataError(f"{text.name} must have at least 2 pairs, to hold one out for validation; got {len(text)}.")
    order = torch.randperm(len(text), generator=torch.Generator().manual_seed(seed)).tolist()
    size = min(LARGEST_HOLD_OUT, max(1, len(text) // 20))
    held_out = _select(text, sorted(order[:size]))
    return _select(text, sorted(order[size:])), replace(held_out, name=f"{text.name} (held out at random)")


def train_texts(
    training_text: ParallelText,
    valid_text: ParallelText,
    output: Path,
    settings: RunSettings,
    *,
    device: str = "auto",
    display: RunDisplay,
    preset: str,
) -> TrainingResult:
    """Train on texts that are in memory: vocabulary, ids, model, training, scores, model folder."""
    start = time.perf_counter()
    place = resolve_device(device)
    tokenizer = Tokenizer.train(training_text.sources + training_text.targets, settings.tokenizer)
    size = {"vocab_size": len(tokenizer), "pad_id": tokenizer.pad_id}
    settings = settings.model_copy(update={"model": settings.model.model_copy(update=size)})
    training_pairs = _encode(training_text, tokenizer, settings, display)
    valid_pairs = _encode(valid_text, tokenizer, settings, display)
    if valid_pairs.too_long:
        fitting = sorted(set(range(len(valid_text))) - set(valid_pairs.too_long))
        valid_text = _select(valid_text, fitting)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = EncoderDecoder(settings.model).to(place)
    facts = _facts(model, tokenizer, training_text, training_pairs, valid_text, settings)
    display.say(
        f"{quantity(facts['sizes']['num_parameters'])} parameters, vocabulary {len(tokenizer):,}, "
        f"{facts['machine']['precision']} on {place}, {settings.training.steps:,} steps, "
        f"{padding_share(training_pairs, settings.training.batch_tokens):.1%} padding"
    )
    run = _run_trainer(model, tokenizer, training_pairs, valid_pairs, settings, output, display)
    translator = Translator(load_model(output).model.to(place), tokenizer)
    if run.interrupted:
        return TrainingResult(output, run, translator, {})

    display.say(f"trained in {clock(run.seconds)}; measuring the kept model (step {run.best_step:,}) ...")
    try:
        scores = translator.evaluate(valid_text.sources, valid_text.targets)
    except KeyboardInterrupt:
        run.interrupted = True
        return TrainingResult(output, run, translator, {})
    results = scores | {
        "evaluated_on": valid_text.name,
        "validation_loss": run.best_scores["loss"],
        **facts,
        "steps": {"trained": run.step, "kept": run.best_step},
        "seconds": {"training": run.seconds, "total": time.perf_counter() - start},
        "target_tokens_per_second": run.tokens_per_second,
        "preset": preset,
        "settings": settings.model_dump(mode="json"),
    }
    results["sizes"]["weights_bytes"] = (output / WEIGHTS).stat().st_size
    write_results(output, results)
    return TrainingResult(output, run, translator, results)


def _run_trainer(
    model: EncoderDecoder,
    tokenizer: Tokenizer,
    training_pairs: EncodedPairs,
    valid_pairs: EncodedPairs,
    settings: RunSettings,
    output: Path,
    display: RunDisplay,
) -> TrainingRun:
    """Train, and keep the best weights in the output folder, with the record of the run beside them.

    Raises:
        KeyboardInterrupt: interrupted before anything was saved.
    """
    symbols = {"pad_id": tokenizer.pad_id, "bos_id": tokenizer.bos_id}
    batch_tokens, seed = settings.training.batch_tokens, settings.training.seed
    is_saved = False

    def validate(candidate: EncoderDecoder) -> Scores:
        batches = in_order(valid_pairs, min(batch_tokens, VALID_BATCH_TOKENS), **symbols)
        scored = likelihood(candidate, batches)
        return {"loss": scored.loss, "token_accuracy": scored.token_accuracy}

    def keep(candidate: EncoderDecoder, run: TrainingRun) -> None:
        nonlocal is_saved
        if is_saved:
            save_weights(output, candidate)
        else:
            save_new(output, candidate, tokenizer)
            is_saved = True
        _write_metrics(output, run)

    trainer = Trainer(
        model,
        endless(training_pairs, batch_tokens, seed, **symbols),
        settings.training,
        validate=validate,
        keep=keep,
        listener=display,
    )
    run = trainer.run()
    if not is_saved:
        raise KeyboardInterrupt
    _write_metrics(output, run)
    return run


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json` of a model folder, and the README rendered from it."""
    content = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / "results.json", content.encode("utf-8"))
    write_whole(folder / "README.md", model_card(folder.name, results).encode("utf-8"))


def padding_share(pairs: EncodedPairs, batch_tokens: int) -> float:
    """The share of target positions that are padding when all pairs are batched."""
    lengths = pairs.targets.lengths
    positions = sum(len(rows) * int(lengths[rows].max()) for rows in plan_batches(pairs, batch_tokens))
    return 1 - int(lengths.sum()) / positions


def _encode(text: ParallelText, tokenizer: Tokenizer, settings: RunSettings, display: RunDisplay) -> EncodedPairs:
    """The ids of a text; what does not fit the model is left out and said."""
    limit = settings.model.max_positions
    pairs = encode_pairs(text, tokenizer, limit)
    if not len(pairs):
        raise DataError(f"{text.name} must have pairs of at most {limit} tokens; got none.")
    if pairs.too_long:
        display.say(f"{len(pairs.too_long):,} pairs of {text.name} are over {limit} tokens: left out")
    return pairs


def _select(text: ParallelText, indices: Sequence[int]) -> ParallelText:
    return replace(text, sources=[text.sources[i] for i in indices], targets=[text.targets[i] for i in indices])


def _facts(
    model: EncoderDecoder,
    tokenizer: Tokenizer,
    training_text: ParallelText,
    training_pairs: EncodedPairs,
    valid_text: ParallelText,
    settings: RunSettings,
) -> dict[str, Any]:
    """What `results.json` says of data, sizes, machine and versions."""
    place = next(model.parameters()).device
    precision = str(resolve_precision(settings.training.precision, place)).removeprefix("torch.")
    num_target_tokens = int(training_pairs.targets.offsets[-1])
    return {
        "data": {
            "training": {"name": training_text.name, "num_pairs": len(training_pairs),
                         "num_target_tokens": num_target_tokens},
            "validation": {"name": valid_text.name, "num_pairs": len(valid_text)},
        },
        "sizes": {"num_parameters": sum(parameter.numel() for parameter in model.parameters()),
                  "vocab_size": len(tokenizer)},
        "machine": {"device": str(place), "precision": precision, "threads": torch.get_num_threads(),
                    "processors": os.cpu_count(), "system": platform.platform()},
        "versions": {"regard": regard.__version__, "torch": torch.__version__, "python": platform.python_version()},
    }  # fmt: skip


def _write_metrics(folder: Path, run: TrainingRun) -> None:
    lines = (json.dumps(record) + "\n" for record in run.history)
    write_whole(folder / "metrics.jsonl", "".join(lines).encode("utf-8"))
