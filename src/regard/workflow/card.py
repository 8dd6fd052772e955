"""The README of a model folder, rendered from its results."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import yaml

from regard.models.config import current
from regard.text.wording import counted

KINDS = {
    "encoder-decoder": ("An encoder-decoder Transformer", "regard translate {} input.txt -o output.txt"),
    "rnn": ("A recurrent encoder-decoder with attention", "regard translate {} input.txt -o output.txt"),
    "decoder": ("A decoder-only Transformer, a language model,", 'regard generate {} --prompt "..."'),
    "encoder": ("A Transformer encoder", "regard predict {} input.txt"),
}
SCORES = {
    "bleu": ("BLEU", ".2f"),
    "chrf": ("chrF", ".2f"),
    "exact_match": ("exact match", ".2%"),
    "accuracy": ("accuracy", ".2%"),
    "macro_f1": ("macro F1", ".2%"),
    "token_accuracy": ("token accuracy", ".2%"),
    "nats_per_token": ("nats per token", ".4f"),
    "perplexity": ("perplexity per token", ".3f"),
    "nats_per_character": ("nats per character", ".4f"),
    "bits_per_byte": ("bits per byte", ".4f"),
}

_short = reprlib.Repr()
_short.maxstring = 60


def shortened(text: str) -> str:
    """A text as Python spells it, its middle left out where it is long."""
    return _short.repr(text)


def in_brief(loaded: Any) -> str:
    """A translator, language model or predictor in one line: what it is, its size, and where it computes."""
    model, tokenizer, others = loaded.model, loaded.tokenizer, getattr(loaded, "others", ())
    sizes = sum(parameter.numel() for parameter in model.parameters()), len(tokenizer)
    task = getattr(model.config, "task", "")
    weights = next(model.parameters())
    return (
        f"{type(loaded).__name__}({model.config.arch}{', ' if task else ''}{task}, {sizes[0]:,} parameters, vocabulary "
        f"{sizes[1]:,}, {str(weights.dtype).removeprefix('torch.')} on {weights.device}"
        f"{f', and {len(others)} more models' if others else ''})"
    )


NO_BLEU = "no reference has the 4 tokens that BLEU counts by"


def shown_score(results: Mapping[str, Any], key: str, form: str, *, with_signature: bool = False) -> str:
    """A score as it is told, and how it was counted; or why it says nothing."""
    if key == "bleu" and not results.get("bleu_counts", True):
        return f"- ({NO_BLEU})"
    signature = results.get("signatures", {}).get(key) if with_signature else None
    return f"{results[key]:{form}}" + (f" (`{signature}`)" if signature else "")


def shown_scores(results: Mapping[str, Any]) -> dict[str, str]:
    """The scores that some results have, by their titles."""
    return {title: shown_score(results, key, form) for key, (title, form) in SCORES.items() if key in results}


def model_card(name: str, results: Mapping[str, Any]) -> str:
    """What the model is, what it was trained on, how it was measured and how it is used, in Markdown."""
    sizes, machine = results["sizes"], results["machine"]
    kind, command = KINDS[current("arch", results["arch"])]
    settings = yaml.safe_dump(results["settings"], sort_keys=False).rstrip()
    scores = [
        f"| {title} | {shown_score(results, key, form, with_signature=True)} |"
        for key, (title, form) in SCORES.items()
        if key in results
    ]
    counts = {"num_pairs": "pairs measured", "num_labels": "labels measured", "num_tokens": "tokens measured"}
    scores += [f"| {what} | {results[key]:,} |" for key, what in counts.items() if key in results]
    rows = "\n".join(scores)
    return f"""# {name}

{kind} trained with Regard {results["versions"]["regard"]}, preset `{results["preset"]}`.

```
{command.format(name)}
```

## Scores

Measured on {results["evaluated_on"]}.

| | |
|---|---|
{rows}

## Data and size

| | |
|---|---|
| training data | {_facts(results["data"]["training"])} |
| validation data | {_facts(results["data"]["validation"])} |
| parameters | {sizes["num_parameters"]:,} |
| vocabulary | {sizes["vocab_size"]:,} tokens |
| weights on disk | {sizes["weights_bytes"] / 1e6:.1f} MB |
| steps | {results["steps"]["trained"]:,}, the weights kept are those of step {results["steps"]["kept"]:,} |
| training time | {results["seconds"]["training"]:.0f} s on {machine["device"]} ({counted(machine["threads"], "thread")}), {machine["precision"]} |

## Settings

```yaml
{settings}
```

Saved as `config.yaml`, these train the same model again: `regard train ...{_family(results)} --config config.yaml`.
"""


def _family(results: Mapping[str, Any]) -> str:
    """The options that name a family other than the encoder-decoder."""
    task = results["settings"]["model"].get("task")
    family = "" if current("arch", results["arch"]) == "encoder-decoder" else f" --arch {results['arch']}"
    return family + (f" --task {task}" if task else "")


def _facts(data: Mapping[str, Any]) -> str:
    """The name of some data, and what was counted in them."""
    counts = (
        counted(value, key.removeprefix("num_").removesuffix("s").replace("_", " "))
        for key, value in data.items()
        if key != "name"
    )
    return f"{data['name']}: {', '.join(counts)}"
