"""Reads settings from YAML files, recipes, `--set` and keyword arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from regard.data.selection import DataConfig
from regard.errors import LONGEST_VALUE, SettingsError, check_known, nearest_hint, short_repr
from regard.models.adaptation import AdapterConfig
from regard.models.config import current
from regard.models.registry import architecture
from regard.text.lines import read_lines
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.training_config import TrainingConfig

Nested = dict[str, dict[str, Any]]
RECIPE_PREFIX = "recipe:"
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)")
FLOAT = re.compile(
    r"[-+]?((\.[0-9_]+|[0-9][0-9_]*\.[0-9_]*)([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+|\.(inf|Inf|INF))|\.(nan|NaN|NAN)"
)
MOST_PARTS = 100_000
"""Values in a file of settings. With aliases of aliases, a short text can have more than there is memory for."""
NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)
"""Errors of the YAML library: impossible dates and deep nesting raise other ones."""


DECIDED = ("arch", "task", "pad_id", "separator_id", "start_id", "labels", "source_vocab_size", "pruned_heads")
"""The settings of a model that the data, the tokenizer and other arguments decide."""
MERGE = "tag:yaml.org,2002:merge"
"""The tag of `<<`, which may stand several times."""


class _Loader(yaml.SafeLoader):
    """Reads YAML with the numbers and truth values of its version 1.2, where the library's are those of 1.1: `1:30` is no number
    (and not 90), `0100` is not 64, `1e-3` is one, and `yes`, `no`, `on` and `off` are words. A key that stands twice is an error.
    """

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """The keys and values of a mapping, before they are read.

        Raises:
            yaml.YAMLError: a key stands twice; the library would keep the last.
        """
        node = super().compose_mapping_node(anchor)
        keys = [(key.tag, str(key.value)) for key, _ in node.value]
        twice = next((place for place, key in enumerate(keys) if key in keys[:place] and key[0] != MERGE), None)
        if twice is not None:
            raise yaml.composer.ComposerError(
                None, None, f"the key {keys[twice][1]} stands twice", node.value[twice][0].start_mark
            )
        return node


_RESOLVED_ANEW = {f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float")}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _RESOLVED_ANEW]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(f"({INTEGER.pattern})$"), list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(f"({FLOAT.pattern})$"), list("-+0123456789."))


def _loaded(text: str) -> Any:
    """The value of a text in YAML.

    Raises:
        YAMLError: it is not YAML; or by aliases it has itself as a part, or more parts than anybody writes.
    """
    content = yaml.load(text, _Loader)
    if _num_parts(content, set(), {}) > MOST_PARTS:
        raise yaml.YAMLError(f"more than {MOST_PARTS:,} parts, by aliases")
    return content


def _num_parts(content: Any, around: set[int], known: dict[int, int]) -> int:
    """The number of values in a value, each counted as often as it is a part of another.

    Args:
        around: what it is in, by identity.
        known: of those that were counted before, the numbers.
    """
    if not isinstance(content, dict | list | set | tuple):
        return 1
    if id(content) in around:
        raise yaml.YAMLError("an alias of what it is a part of")
    if id(content) not in known:
        parts = [*content, *(content.values() if isinstance(content, dict) else ())]
        known[id(content)] = 1 + sum(_num_parts(part, around | {id(content)}, known) for part in parts)
    return known[id(content)]


def check_agreement(options: Mapping[str, tuple[str, Any]], settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Make sure that options do not contradict the settings that they are short for.

    Args:
        options: by the names of options, the settings such as `training.steps`, and the values given; None: not given.
            Decoding options have no section.
        settings: what the user gave in another way.
    Raises:
        SettingsError: both are given, and differ.
    """
    for option, (name, value) in options.items():
        section, _, key = name.rpartition(".")
        values = settings.get(section)
        other = values.get(key) if isinstance(values, Mapping) else None
        if value is not None and other is not None and _differ(current(key, value), current(key, other)):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else current(key, value)
            there = other[:LONGEST_VALUE] if isinstance(other, str) else short_repr(other)
            raise SettingsError(f"`{option} {shown}` contradicts the setting `{name}: {there}`; remove one of them.")


def _differ(one: Any, other: Any) -> bool:
    """Whether two values of a setting differ. NaN, which is refused where its range is checked, does not differ from itself."""
    return one is not other and one != other and repr(one) != repr(other)


def given_arch_and_task(
    arch: str | None, task: str | None, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[str | None, str | None]:
    """The family and the task that the user gave, as options or as `model.arch` and `model.task` in the settings; None: neither.

    Raises:
        SettingsError: both are given, and differ.
    """
    options = {"arch": arch, "task": task}
    check_agreement({f"--{key}": (f"model.{key}", value) for key, value in options.items()}, settings)
    section = settings.get("model")
    named = section if isinstance(section, Mapping) else {}
    arch, task = (current(key, value) or current(key, named.get(key)) for key, value in options.items())
    return arch, task


def named_settings(named: Mapping[str, Any], arch: str, others: Collection[str] = ()) -> Nested:
    """Settings by their keys alone, such as `steps=10`, in their sections. `vocab_size` is the tokenizer's.

    Args:
        others: further names for hints.
    Raises:
        SettingsError: a key that no section has.
    """
    kinds: dict[str, type[BaseModel]] = {
        "tokenizer": TokenizerConfig, "data": DataConfig, "training": TrainingConfig, "model": architecture(arch).config,
        "adapter": AdapterConfig,
    }  # fmt: skip
    places = {key: section for section in reversed(kinds) for key in kinds[section].model_fields}
    for key in DECIDED:
        places.pop(key, None)
    nested: Nested = {}
    for key, value in named.items():
        if key not in places:
            hint = nearest_hint(key, {*places, *others})
            raise SettingsError(f"a setting must be a known setting of `--arch {arch}`; got {key!r}. {hint}")
        nested.setdefault(places[key], {})[key] = value
    return nested


def together(*layers: Mapping[str, Mapping[str, Any]]) -> Nested:
    """Settings that are given in several ways, none of them twice.

    Raises:
        SettingsError: one is given twice, and differs.
    """
    found: Nested = {}
    for layer in layers:
        for section, values in layer.items():
            if not isinstance(values, Mapping):
                found[section] = values  # `RunSettings.build` raises the error
                continue
            for key, value in values.items():
                before = found.setdefault(section, {}).setdefault(key, value)
                if _differ(before, value):
                    raise SettingsError(
                        f"{section}.{key} is given twice, as {before!r} and as {value!r}; remove one of them."
                    )
    return found


def recipes() -> dict[str, Path]:
    """The files of settings that come with the package, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parents[2] / "recipes").glob("*.yaml"))}


def find_recipe(name: str) -> Path:
    """The file of a recipe.

    Raises:
        SettingsError: there is none of this name.
    """
    found = recipes()
    check_known("a recipe", name, found, "a known recipe")
    return found[name]


def read_yaml(path: Path | str) -> Nested:
    """The settings of a YAML file.

    Args:
        path: of the file; or `recipe:` and the name of a recipe.
    Raises:
        DataError: the file cannot be read.
        SettingsError: it is not YAML, or not made of sections; or there is no recipe of this name.
    """
    if str(path).startswith(RECIPE_PREFIX):
        path = find_recipe(str(path).removeprefix(RECIPE_PREFIX))
    text = "\n".join(read_lines(path))
    try:
        content = _loaded(text)
    except NOT_YAML as error:
        raise SettingsError(f"{path} must be YAML; got: {' '.join(str(error).split())}") from error
    if content is None:
        return {}
    wrong = (
        [key for key, value in content.items() if not isinstance(value, dict)]
        if isinstance(content, dict)
        else [content]
    )
    if wrong:
        raise SettingsError(
            f"{path} must hold sections, such as training:, with keys and values below them; got {wrong[0]!r}."
        )
    return {str(section): {str(key): value for key, value in values.items()} for section, values in content.items()}


def parse_assignments(assignments: Sequence[str]) -> Nested:
    """Settings written `section.key=value`; the value is read as YAML.

    Raises:
        SettingsError: one is not written so.
    """
    nested: Nested = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not (equals and dot and section and key):
            raise SettingsError(f"--set must be section.key=value, such as training.steps=1000; got {assignment!r}.")
        nested.setdefault(section, {})[key] = _value(name, value)
    return nested


def parse_options(assignments: Sequence[str]) -> dict[str, Any]:
    """Options written `key=value`; the value is read as YAML.

    Raises:
        SettingsError: one is not written so.
    """
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (equals and name.strip()):
            raise SettingsError(f"--set must be key=value, such as no_repeat_ngram=3; got {assignment!r}.")
        options[name.strip()] = _value(name, value)
    return options


def _value(name: str, value: str) -> Any:
    """The text after the equals sign, read as YAML."""
    try:
        return _loaded(value)
    except NOT_YAML as error:
        raise SettingsError(f"--set {name} must have a YAML value; got {value!r}.") from error
