"""From files of pairs to a model folder: the whole line, in the order in which it happens."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import regard
from regard.checkpoint import check_output, load_model, save_new, save_weights
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


@dataclass(frozen=True)
class TrainingResult:
    """A finished (or interrupted) run: its folder, its record, and the kept model, ready to use."""

    folder: Path
    run: TrainingRun
    translator: Translator
    results: dict[str, Any]
    """What `results.json` holds; empty when the run was interrupted."""


def train(
    pairs: Sequence[str],
    output: Path | str,
    *,
    valid: Sequence[str] | None = None,
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

    def part(indices: list[int], name: str) -> ParallelText:
        return ParallelText([text.sources[i] for i in indices], [text.targets[i] for i in indices], name)

    return part(sorted(order[size:]), text.name), part(sorted(order[:size]), f"{text.name} (held out at random)")


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
    """Train on texts that are in memory: vocabulary, batches, model, training, scores, model folder."""
    start = time.perf_counter()
    place = resolve_device(device)
    tokenizer = Tokenizer.train(training_text.sources + training_text.targets, settings.tokenizer)
    settings = settings.model_copy(update={"model": settings.model.model_copy(update={"vocab_size": len(tokenizer)})})
    training_pairs = encode_pairs(training_text, tokenizer, settings.model.max_positions)
    valid_pairs = encode_pairs(valid_text, tokenizer, settings.model.max_positions)
    for text, encoded in ((training_text, training_pairs), (valid_text, valid_pairs)):
        if not len(encoded):
            raise DataError(f"{text.name} must have pairs of at most {settings.model.max_positions} tokens; got none.")
        if encoded.num_too_long:
            display.say(
                f"{encoded.num_too_long:,} pairs of {text.name} are over {settings.model.max_positions} tokens: left out"
            )

    with torch.random.fork_rng():
        torch.manual_seed(settings.training.seed)
        model = EncoderDecoder(settings.model).to(place)
    num_parameters = sum(parameter.numel() for parameter in model.parameters())
    precision = str(resolve_precision(settings.training.precision, place)).removeprefix("torch.")
    display.say(
        f"{quantity(num_parameters)} parameters, {len(tokenizer):,} tokens in the vocabulary, {precision} on {place}, "
        f"{settings.training.steps:,} steps, {padding_share(training_pairs, settings.training.batch_tokens):.1%} padding"
    )
    symbols = {"pad_id": tokenizer.pad_id, "bos_id": tokenizer.bos_id}
    batch_tokens = settings.training.batch_tokens

    is_saved = False

    def validate(candidate: EncoderDecoder) -> Scores:
        scored = likelihood(candidate, in_order(valid_pairs, batch_tokens, **symbols))
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
        endless(training_pairs, batch_tokens, settings.training.seed, **symbols),
        settings.training,
        validate=validate,
        keep=keep,
        listener=display,
    )
    run = trainer.run()
    if run.interrupted and not is_saved:
        raise KeyboardInterrupt
    _write_metrics(output, run)
    kept, _ = load_model(output)
    translator = Translator(kept.to(place), tokenizer)
    if run.interrupted:
        return TrainingResult(output, run, translator, {})

    display.say(f"trained in {clock(run.seconds)}; measuring the kept model (step {run.best_step:,}) ...")
    results = translator.evaluate(valid_text.sources, valid_text.targets) | {
        "evaluated_on": valid_text.name,
        "validation_loss": run.best_scores["loss"],
        "data": {
            "training": {"name": training_text.name, "num_pairs": len(training_pairs),
                         "num_target_tokens": int(training_pairs.targets.offsets[-1])},
            "validation": {"name": valid_text.name, "num_pairs": len(valid_pairs)},
        },
        "sizes": {"num_parameters": num_parameters, "vocab_size": len(tokenizer),
                  "weights_bytes": (output / "model.safetensors").stat().st_size},
        "steps": {"trained": run.step, "kept": run.best_step},
        "seconds": {"training": run.seconds, "total": time.perf_counter() - start},
        "target_tokens_per_second": run.num_tokens / max(run.seconds - run.validation_seconds, 1e-9),
        "machine": {"device": str(place), "precision": precision, "threads": torch.get_num_threads(),
                    "processors": os.cpu_count(), "system": platform.platform()},
        "versions": {"regard": regard.__version__, "torch": torch.__version__, "python": platform.python_version()},
        "preset": preset,
        "settings": settings.model_dump(mode="json"),
    }  # fmt: skip
    write_results(output, results)
    return TrainingResult(output, run, translator, results)


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


def _write_metrics(folder: Path, run: TrainingRun) -> None:
    lines = (json.dumps(record) + "\n" for record in run.history)
    write_whole(folder / "metrics.jsonl", "".join(lines).encode("utf-8"))
