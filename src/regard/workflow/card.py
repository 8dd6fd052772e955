"""The README of a model folder, rendered from its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml


def model_card(name: str, results: Mapping[str, Any]) -> str:
    """What the model is, what it was trained on, how it was measured and how it is used, in Markdown."""
    data, sizes, machine = results["data"], results["sizes"], results["machine"]
    test = f"\n| pairs measured | {results['num_pairs']:,} |" if "num_pairs" in results else ""
    settings = yaml.safe_dump(results["settings"], sort_keys=False).rstrip()
    return f"""# {name}

An encoder-decoder Transformer trained with Regard {results["versions"]["regard"]}, preset `{results["preset"]}`.

```
regard translate {name} input.txt -o output.txt
```

## Scores

Measured on {results["evaluated_on"]}.

| | |
|---|---|
| BLEU | {results["bleu"]:.2f} (`{results["signatures"]["bleu"]}`) |
| chrF | {results["chrf"]:.2f} (`{results["signatures"]["chrf"]}`) |
| exact match | {results["exact_match"]:.2%} |
| token accuracy | {results["token_accuracy"]:.2%} |
| perplexity per token | {results["perplexity"]:.3f} |{test}

## Data and size

| | |
|---|---|
| training data | {data["training"]["name"]}: {data["training"]["num_pairs"]:,} pairs, {data["training"]["num_target_tokens"]:,} target tokens |
| validation data | {data["validation"]["name"]}: {data["validation"]["num_pairs"]:,} pairs |
| parameters | {sizes["num_parameters"]:,} |
| vocabulary | {sizes["vocab_size"]:,} tokens, shared by source and target |
| weights on disk | {sizes["weights_bytes"] / 1e6:.1f} MB |
| steps | {results["steps"]["trained"]:,}, the weights kept are those of step {results["steps"]["kept"]:,} |
| training time | {results["seconds"]["training"]:.0f} s on {machine["device"]} ({machine["threads"]} threads), {machine["precision"]} |

## Settings

```yaml
{settings}
```

Saved as `config.yaml`, these train the same model again: `regard train ... --config config.yaml`.
"""
