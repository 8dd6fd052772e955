"""The README of a model folder, rendered from its results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote
from typing import Any

import yaml

from regard.data.directions_of_corpora import languages_of
from regard.errors import printable
from regard.evaluation.score_table import OLD_TASK, SCORES, changes, shown_score
from regard.models.config import SAME_WEIGHTS, current
from regard.runs.families import find_family
from regard.text.wording import counted

BAR = r"\|"
SPECIAL = re.compile(r"[\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w)")
"""The characters that Markdown reads as something else, such as an underscore that begins or ends a word."""


def model_card(name: str, results: Mapping[str, Any]) -> str:
    """The README of a model in Markdown: its kind, its data, its scores and its use."""
    sizes, machine = results["sizes"], results["machine"]
    family = find_family(results["arch"])
    began, teacher = results.get("from"), results.get("teacher")
    is_adapter = bool(results["settings"].get("adapter"))
    argument = f"{quote(began)} --adapter {quote(name)}" if began and is_adapter else quote(name)
    directions = results["settings"].get("data", {}).get("directions")
    between = "" if not directions else " --from {} --to {}".format(*languages_of(directions[0]))
    settings = yaml.safe_dump(_settable(results), sort_keys=False).rstrip()
    scores = [
        _row(title, shown_score(results, key, form, with_signature=True))
        for key, (title, form, *_) in SCORES.items()
        if key in results
    ]
    counts = {"num_pairs": "pairs measured", "num_labels": "labels measured", "num_tokens": "tokens measured"}
    scores += [_row(what, f"{results[key]:,}") for key, what in counts.items() if key in results]
    rows = "\n".join(scores)
    again = _begins(results) + (f" --teacher {quote(teacher)}" if teacher else "") + _family(results)
    return f"""# {_plain(name)}

{family.description[0].upper()}{family.description[1:]}, trained with Regard {results["versions"]["regard"]}, {_beginning(results)}{f", with the teacher {_code(teacher)}" if teacher else ""}.

```
regard {family.pipeline.commands[0].format(argument)}{between}
```

## Scores

Measured on {_code(results["evaluated_on"])}.

| | |
|---|---|
{rows}
{_old_task(results)}
## Data and size

| | |
|---|---|
{_row("training data", _facts(results["data"]["training"]))}
{_row("validation data", _facts(results["data"]["validation"]))}
| parameters | {sizes["num_parameters"]:,} |
| vocabulary | {sizes["vocab_size"]:,} tokens |
| weights on disk | {sizes["weights_bytes"] / 1e6:.1f} MB |
| steps | {results["steps"]["trained"]:,}, the weights kept are those of step {results["steps"]["kept"]:,} |
| training time | {results["seconds"]["training"]:.0f} s on {machine["device"]} ({counted(machine["threads"], "thread")}), {machine["precision"]} |

## Settings

```yaml
{settings}
```

Saved as `config.yaml`, these train the same model again: {_code(f"regard train ...{again} --config config.yaml")}.
"""


def _plain(text: str) -> str:
    """A text of others, such as the name of a folder, as Markdown that shows it as it is."""
    return SPECIAL.sub(r"\\\g<0>", _on_one_line(text))


def _code(text: str) -> str:
    """The same as code in a line."""
    text = _on_one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def _on_one_line(text: str) -> str:
    return printable(text).replace("\n", r"\n").replace("\t", r"\t")


def _row(*cells: str) -> str:
    """A row of a table in Markdown, where a bar ends a cell even inside of code."""
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def _old_task(results: Mapping[str, Any]) -> str:
    """The scores on data that the model in `--from` was trained for, of that model and of this one."""
    found = results.get(OLD_TASK, {})
    if not (rows := changes(found)):
        return ""
    shown = "\n".join(_row(*row) for row in rows)
    return f"\nOn {_code(found['data'])}, before this training and after it:\n\n| | before | after |\n|---|---|---|\n{shown}\n"


def _beginning(results: Mapping[str, Any]) -> str:
    """The model that a run began with, in words."""
    if began := results.get("from"):
        return f"from the model {_code(began)}"
    preset = f"preset `{results['preset']}`"
    if encoder := results.get("encoder"):
        return f"put together from the encoder {_code(encoder)} and the decoder {_code(results['decoder'])}, training of {preset}"
    return preset


def _begins(results: Mapping[str, Any]) -> str:
    """The options that say what a run began with."""
    return "".join(f" --{name} {quote(results[name])}" for name in ("from", "encoder", "decoder") if results.get(name))


def _settable(results: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that can be given again: of a model that began as another one, only what leaves its weights as they are."""
    settings = dict(results["settings"])
    if results.get("from"):
        settings["model"] = {key: value for key, value in settings["model"].items() if key in SAME_WEIGHTS}
    elif results.get("encoder"):
        settings = {name: values for name, values in settings.items() if name not in ("model", "tokenizer")}
    return settings


def _family(results: Mapping[str, Any]) -> str:
    """The options that name a family other than the encoder-decoder."""
    task = results.get("task") or results["settings"]["model"].get("task")
    is_said = bool(results.get("from")) or current("arch", results["arch"]) == "encoder-decoder"
    family = "" if is_said else f" --arch {results['arch']}"
    return family + (f" --task {task}" if task else "")


def _facts(data: Mapping[str, Any]) -> str:
    """The name of some data, and what was counted in them."""
    counts = (
        counted(value, key.removeprefix("num_").removesuffix("s").replace("_", " "))
        for key, value in data.items()
        if key != "name"
    )
    return f"{_code(data['name'])}: {', '.join(counts)}"
