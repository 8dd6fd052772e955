"""The command `info`: the content of a model folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regard.cli.option_types import AsJson, FromHub, Model
from regard.cli.output import echo, print_result, program, summary
from regard.errors import ModelFolderError

MOST_LANGUAGES = 12
"""Languages that are named."""


def info(model: Model, as_json: AsJson = False, from_hub: FromHub = False) -> None:
    """Show what a model folder holds: sizes, settings, and the scores measured in training; and what decodes with it here."""
    from regard.adapters import is_adapter
    from regard.checkpoint import CONFIDENCE, WEIGHTS
    from regard.engines.engine_choice import explain_engine
    from regard.evaluation.confidence import Confidence
    from regard.interop.formats import is_foreign
    from regard.pipelines.loading import load_any
    from regard.weights_file import summarize_weights

    if is_adapter(model):
        _adapter_info(model, as_json)
        return
    loaded, tokenizer, source = load_any(model)
    results_file = model / "results.json"
    results: dict[str, Any] = {}
    if results_file.is_file():
        try:
            results = json.loads(results_file.read_text(encoding="utf-8"))
            measured = f"\nmeasured on {results['evaluated_on']}:\n{summary(results)}"
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ModelFolderError(
                f"{results_file} must hold the results of a training run; got {error!r}. Is it complete?"
            ) from error
    num_parameters = sum(parameter.numel() for parameter in loaded.parameters())
    facts: dict[str, Any] = {
        "folder": str(model),
        "num_parameters": num_parameters,
        "vocabulary": len(tokenizer),
        "device": _device_facts(),
        "engine": explain_engine(loaded),
        "model": loaded.config.model_dump(mode="json"),
    }
    if (confidence := Confidence.read(model / CONFIDENCE)) is not None:
        facts["calibrated_on"] = confidence.num_pairs
    if not is_foreign(model):
        facts["weights"] = str(summarize_weights(model / WEIGHTS))
    if (languages := source.languages) is not None:
        facts["languages"] = {side: languages.codes(side) for side in ("source", "target")}
    if as_json:
        print_result(json.dumps(facts | {"results": results}, indent=2, ensure_ascii=False))
        return
    width = max(map(len, facts["model"])) + 2
    lines = [f"{model}: {num_parameters:,} parameters, {len(tokenizer):,} tokens in the vocabulary"]
    lines += [f"  {key:<{width}}{value}" for key, value in facts["model"].items()]
    for side, codes in facts.get("languages", {}).items():
        shown = ", ".join(codes[:MOST_LANGUAGES]) + (
            f" and {len(codes) - MOST_LANGUAGES} more" * (len(codes) > MOST_LANGUAGES)
        )
        lines.append(f"{side} languages: {shown}")
    if "weights" in facts:
        lines.append(f"weights: {facts['weights']}")
    if confidence is not None:
        lines.append(f"confidence: calibrated on {confidence.num_pairs:,} pairs")
    lines += [f"device: {facts['device']}", f"decoding: {facts['engine']}"]
    echo("\n".join([*lines, measured] if results else lines))


def _adapter_info(folder: Path, as_json: bool) -> None:
    """Show what an adapter folder holds."""
    from regard.adapters import read_adapter
    from regard.pipelines.pipeline_types import PIPELINES
    from regard.text.wording import counted

    adapter = read_adapter(folder)
    assert adapter.base is not None
    facts = {
        "folder": str(folder),
        "base": adapter.base.model_dump(),
        "num_maps": len(adapter.scales),
        "whole": list(adapter.whole),
        "tokens": list(adapter.tokens),
        "weights_bytes": adapter.weights.stat().st_size,
    }
    if as_json:
        print_result(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    command = PIPELINES[getattr(adapter.config, "arch", "encoder-decoder")].commands[0].format(adapter.base.name)
    parts = "".join(f", {name} as a whole" for name in adapter.whole)
    parts += f", with {counted(len(adapter.tokens), 'more token')}" if adapter.tokens else ""
    echo(
        f"{folder}: an adapter of {adapter.base.name} for {len(adapter.scales)} linear maps{parts}, "
        f"{adapter.weights.stat().st_size / 1e3:,.0f} kB\n  {'weights of the model':<22}sha256 {adapter.base.sha256}\n"
        f"  {'use':<22}{program()} {command} --adapter {folder}"
    )


def _device_facts() -> str:
    """The device that `--device auto` takes here, for people."""
    from regard.pipelines.devices import resolve_device

    device = resolve_device("auto").type
    if device == "cpu":
        return "cpu"
    return f"{device}, where nothing was measured yet" + (", float32 products in TF32" if device == "cuda" else "")
