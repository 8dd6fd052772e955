"""All settings of a run: a preset, then a YAML file, then single keys, each winning over the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from regard.data.selection import DataConfig
from regard.errors import SettingsError, nearest_hint
from regard.models.config import DecoderConfig, EncoderConfig, ModelConfig, RecurrentConfig
from regard.models.families import config_class
from regard.models.presets import PRESETS
from regard.text.lines import read_lines
from regard.text.tokenizer import TokenizerConfig
from regard.training.optimization import TrainingConfig

Nested = dict[str, dict[str, Any]]
NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)
"""How the library says so: dates that no calendar has, and what is nested too deeply, have other errors."""


class RunSettings(BaseModel):
    """The settings of a run. `model.vocab_size` becomes the number of tokens that were really learnt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: ModelConfig | RecurrentConfig | DecoderConfig | EncoderConfig
    tokenizer: TokenizerConfig
    data: DataConfig = DataConfig()
    training: TrainingConfig

    @classmethod
    def build(cls, preset: str, *layers: Mapping[str, Mapping[str, Any]], arch: str = "transformer") -> RunSettings:
        """A preset of a family, overlaid with settings in sections `model`, `tokenizer`, `data` and `training`.

        Raises:
            SettingsError: an unknown family, preset, section or key, or a value out of range.
        """
        family, presets = config_class(arch), PRESETS[arch]
        if preset not in presets:
            raise SettingsError(f"preset must be one of ours; got {preset!r}. {nearest_hint(preset, presets)}")
        merged: Nested = {"data": {}} | {section: dict(values) for section, values in presets[preset].items()}
        for layer in layers:
            for section, values in layer.items():
                if section not in cls.model_fields:
                    hint = nearest_hint(section, cls.model_fields)
                    raise SettingsError(f"a section must be one of ours; got {section!r}. {hint}")
                if not isinstance(values, Mapping):
                    raise SettingsError(f"section {section} must hold keys and values; got {values!r}.")
                merged[section] |= values
        for key in ("vocab_size", "source_vocab_size", "pad_id"):
            if key in merged["model"]:
                raise SettingsError(
                    f"model.{key} comes from the tokenizer; got {merged['model'][key]!r}. Set tokenizer.vocab_size."
                )
        merged["model"]["vocab_size"] = merged["tokenizer"]["vocab_size"]
        if merged["tokenizer"].get("shared") is False and "source_vocab_size" in family.model_fields:
            merged["model"]["source_vocab_size"] = merged["tokenizer"]["vocab_size"]
            if "tied_embeddings" in family.model_fields:
                merged["model"].setdefault("tied_embeddings", "target")
        sections: dict[str, type[BaseModel]] = {
            "tokenizer": TokenizerConfig,  # first, as its size becomes the model's
            "model": family,
            "data": DataConfig,
            "training": TrainingConfig,
        }
        built = {}
        for section, kind in sections.items():
            try:
                built[section] = kind(**merged[section])
            except ValidationError as error:
                raise SettingsError(_first_problem(error, section, kind)) from error
        if built["data"] != DataConfig() and arch not in ("transformer", "rnn"):
            raise SettingsError(f"data.{next(iter(merged['data']))} is for pairs of texts; got --arch {arch}.")
        return cls(**built)


def chosen_arch(arch: str | None, settings: Mapping[str, Mapping[str, Any]]) -> str:
    """The family of a run: what is asked for, or what its settings have as `model.arch`; else `transformer`.

    Raises:
        SettingsError: both are given, and differ.
    """
    section = settings.get("model")
    named = section.get("arch") if isinstance(section, Mapping) else None
    if arch is not None and named is not None and arch != named:
        raise SettingsError(f"--arch must be what the settings have as model.arch, {named}; got {arch}.")
    return str(arch or named or "transformer")


def read_yaml(path: Path | str) -> Nested:
    """The settings of a YAML file.

    Raises:
        DataError: the file cannot be read.
        SettingsError: it is not YAML, or not made of sections.
    """
    text = "\n".join(read_lines(path))
    try:
        content = yaml.safe_load(text)
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
    """What is written behind the equals sign, read as YAML."""
    try:
        return yaml.safe_load(value)
    except NOT_YAML as error:
        raise SettingsError(f"--set {name} must have a YAML value; got {value!r}.") from error


def _first_problem(error: ValidationError, section: str, kind: type[BaseModel]) -> str:
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{section} must have keys of ours; got {key!r}. {nearest_hint(key, kind.model_fields)}"
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    message = problem["msg"].removeprefix("Input ").removeprefix("should be").strip()
    return f"{section}.{key} must be {message}; got {problem['input']!r}."
