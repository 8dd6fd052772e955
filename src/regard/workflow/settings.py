"""All settings of a run: a preset, then a YAML file, then single keys, each winning over the one before."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.data.selection import DataConfig
from regard.errors import SettingsError, nearest_hint
from regard.models.config import DecoderConfig, EncoderConfig, ModelConfig, RecurrentConfig
from regard.models.families import config_class
from regard.models.presets import PRESETS
from regard.text.lines import read_lines
from regard.text.tokenizer import TokenizerConfig
from regard.text.wording import counted
from regard.training.optimization import TrainingConfig
from regard.training.schedules import paper_peak

Nested = dict[str, dict[str, Any]]
SECTIONS = ("model", "tokenizer", "data", "training")
FOLLOWING = ("warmup_steps", "validate_every", "average_decay", "learning_rate")
"""Settings of training that follow the number of steps and the size of the data, where nobody gives them."""
SHARE_OF_RUN = 0.1
"""The least share of a run that warm-up, running average and the time between two validations shrink to."""
VALIDATED_EPOCHS = 10
"""So many epochs pass between two validations, at most."""
MOST_VALIDATIONS, FEWEST_STEPS = 200, 5
"""So many validations in a run at most, and so many steps from one to the next at least, where there are more than 15."""
RECIPE_PREFIX = "recipe:"
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)")
FLOAT = re.compile(
    r"[-+]?((\.[0-9_]+|[0-9][0-9_]*\.[0-9_]*)([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+|\.(inf|Inf|INF))|\.(nan|NaN|NAN)"
)
NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)
"""How the library says so: dates that no calendar has, and what is nested too deeply, have other errors."""


class _Loader(yaml.SafeLoader):
    """Reads YAML with the numbers and truth values of its version 1.2, where the library's are those of 1.1: `1:30` is no number
    (and not 90), `0100` is not 64, `1e-3` is one, and `yes`, `no`, `on` and `off` are words.
    """


_RESOLVED_ANEW = {f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float")}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _RESOLVED_ANEW]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(f"({INTEGER.pattern})$"), list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(f"({FLOAT.pattern})$"), list("-+0123456789."))


class RunSettings(BaseModel):
    """The settings of a run. `model.vocab_size` becomes the number of tokens that were really learnt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: ModelConfig | RecurrentConfig | DecoderConfig | EncoderConfig
    tokenizer: TokenizerConfig
    data: DataConfig = DataConfig()
    training: TrainingConfig
    usual: TrainingConfig | None = Field(None, exclude=True)
    """How the preset trains, for as many steps as suit it; None: nothing follows from it."""
    given: frozenset[str] = Field(frozenset(), exclude=True)
    """The keys of `training` that the user gave."""

    @classmethod
    def build(
        cls,
        preset: str,
        *layers: Mapping[str, Mapping[str, Any]],
        arch: str = "transformer",
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> RunSettings:
        """A preset of a family, overlaid with settings in sections `model`, `tokenizer`, `data` and `training`.

        Args:
            layers: what the user gave, the later ones winning.
            defaults: what differs from the preset without having been given by the user: that of a demo.
        Raises:
            SettingsError: an unknown family, preset, section or key, or a value out of range.
        """
        family, presets = config_class(arch), PRESETS[arch]
        if preset not in presets:
            raise SettingsError(f"preset must be one of ours; got {preset!r}. {nearest_hint(preset, presets)}")
        merged: Nested = {"data": {}} | {section: dict(values) for section, values in presets[preset].items()}
        for section, values in (defaults or {}).items():
            merged[section] |= values
        usual = TrainingConfig(**merged["training"])
        given: set[str] = set()
        for layer in layers:
            for section, values in layer.items():
                if section not in SECTIONS:
                    hint = nearest_hint(section, SECTIONS)
                    raise SettingsError(f"a section must be one of ours; got {section!r}. {hint}")
                if not isinstance(values, Mapping):
                    raise SettingsError(f"section {section} must hold keys and values; got {values!r}.")
                merged[section] |= values
                given.update(values if section == "training" else ())
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
            _check_numbers(section, kind, merged[section])
            try:
                built[section] = kind(**merged[section])
            except ValidationError as error:
                raise SettingsError(_first_problem(error, section, kind)) from error
        if built["data"] != DataConfig() and arch not in ("transformer", "rnn"):
            raise SettingsError(f"data.{next(iter(merged['data']))} is for pairs of texts; got --arch {arch}.")
        return cls(**built, usual=usual, given=frozenset(given))

    @property
    def following(self) -> list[str]:
        """The keys of `training` that follow steps and data, as nobody gave them."""
        return [] if self.usual is None else [key for key in FOLLOWING if key not in self.given]

    def fitted(self, epoch_steps: float = math.inf) -> RunSettings:
        """The same, with what nobody gave made to fit the number of steps and the size of the data.

        In a run of fewer steps than the preset's, warm-up, running average and the time between two validations shrink in
        proportion, but not below a tenth of the run; so none of them is longer than the run. Of few data, a validation comes
        every `VALIDATED_EPOCHS` epochs; there are at most `MOST_VALIDATIONS`, or as many as the preset has.

        Args:
            epoch_steps: how many steps it takes to see all data once.
        """
        training, usual = self.training, self.usual
        if usual is None:
            return self
        steps = training.steps

        def shrunk(number: float) -> float:
            return min(number, max(number * steps / usual.steps, steps * SHARE_OF_RUN))

        most = max(MOST_VALIDATIONS, usual.steps / usual.validate_every)
        every = max(min(shrunk(usual.validate_every), VALIDATED_EPOCHS * epoch_steps), steps / most)
        found: dict[str, Any] = {
            "warmup_steps": max(round(shrunk(usual.warmup_steps)), 1),
            "validate_every": max(round(every), min(FEWEST_STEPS, -(-steps // 3))),
            "average_decay": usual.average_decay,
            "learning_rate": usual.learning_rate,
        }
        if steps < usual.steps:
            window = max(shrunk(1 / (1 - usual.average_decay)), 2)
            found["average_decay"] = min(usual.average_decay, round(1 - 1 / window, 5))
        if (
            usual.learning_rate is None
            and "warmup_steps" not in self.given
            and found["warmup_steps"] < usual.warmup_steps
        ):
            # The paper's rate depends on its warm-up: without this, a short run would have one that is too high.
            found["learning_rate"] = paper_peak(self.model.model_dim, usual.warmup_steps)
        return self.with_training({key: found[key] for key in self.following})

    def with_training(self, values: Mapping[str, Any]) -> RunSettings:
        """The same with other settings of training."""
        return self.model_copy(update={"training": self.training.model_copy(update=dict(values))})

    def said(self) -> list[str]:
        """What the user should be told of the settings that follow steps and data: in one line, where they differ from the
        preset's; and that a warm-up that was given does not end.
        """
        training, lines = self.training, []
        shown = {
            "warmup_steps": f"warm-up {training.warmup_steps:,}",
            "validate_every": f"validation every {training.validate_every:,}",
            "average_decay": f"average over {1 / (1 - training.average_decay):,.0f}",
            "learning_rate": f"learning rate {training.learning_rate or 0:.2g}",
        }
        changed = {key for key in self.following if getattr(training, key) != getattr(self.usual, key)}
        if changed:
            parts = [shown[key] for key in self.following if key != "learning_rate" or key in changed]
            lines.append(f"fitted to {counted(training.steps, 'step')}: {', '.join(parts)}")
        if training.warmup_steps > training.steps:
            lines.append(
                f"training.warmup_steps is {training.warmup_steps:,}: the run of {counted(training.steps, 'step')} ends "
                "before its learning rate is at its height"
            )
        return lines

    def with_least_vocabulary(self) -> RunSettings:
        """The same with a model of the fewest tokens, which is no larger than the one that the data will ask for."""
        least = {name: 5 for name in ("vocab_size", "source_vocab_size") if getattr(self.model, name, None) is not None}
        return self.model_copy(update={"model": self.model.model_copy(update=least)})


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


def named_settings(named: Mapping[str, Any], arch: str, others: Collection[str] = ()) -> Nested:
    """Settings by their keys alone, such as `steps=10`, in their sections. `vocab_size` is the tokenizer's.

    Args:
        others: what else could have been meant, for hints.
    Raises:
        SettingsError: a key that no section has.
    """
    kinds: dict[str, type[BaseModel]] = {
        "tokenizer": TokenizerConfig, "data": DataConfig, "training": TrainingConfig, "model": config_class(arch),
    }  # fmt: skip
    places = {key: section for section in reversed(kinds) for key in kinds[section].model_fields}
    for key in ("arch", "task", "pad_id", "labels", "source_vocab_size", "pruned_heads"):  # others decide these
        places.pop(key, None)
    nested: Nested = {}
    for key, value in named.items():
        if key not in places:
            hint = nearest_hint(key, {*places, *others})
            raise SettingsError(f"a setting must be one of --arch {arch}; got {key!r}. {hint}")
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
                found[section] = values  # said by `RunSettings.build`
                continue
            for key, value in values.items():
                if found.setdefault(section, {}).setdefault(key, value) != value:
                    before = found[section][key]
                    raise SettingsError(f"{section}.{key} must be given once; got {before!r} and {value!r}.")
    return found


def recipes() -> dict[str, Path]:
    """The files of settings that come with the package, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parents[1] / "recipes").glob("*.yaml"))}


def find_recipe(name: str) -> Path:
    """The file of a recipe.

    Raises:
        SettingsError: there is none of this name.
    """
    found = recipes()
    if name not in found:
        raise SettingsError(f"a recipe must be one of ours; got {name!r}. {nearest_hint(name, found)}")
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
        content = yaml.load(text, _Loader)
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
        return yaml.load(value, _Loader)
    except NOT_YAML as error:
        raise SettingsError(f"--set {name} must have a YAML value; got {value!r}.") from error


def _check_numbers(section: str, kind: type[BaseModel], values: Mapping[str, Any]) -> None:
    """Make sure that no truth value stands where a number belongs: pydantic would take it for 0 or 1."""
    for name, value in values.items():
        field = kind.model_fields.get(name)
        wanted = set() if field is None else set(_parts(field.annotation))
        if {int, float} & wanted and bool not in wanted and any(isinstance(part, bool) for part in _leaves(value)):
            raise SettingsError(f"{section}.{name} must be a number; got {value!r}.")


def _parts(annotation: Any) -> Iterator[Any]:
    """An annotation and all that it is made of."""
    yield annotation if isinstance(annotation, type) else None
    for part in get_args(annotation):
        yield from _parts(part)


def _leaves(value: Any) -> Iterator[Any]:
    """What a value holds that holds nothing else."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _first_problem(error: ValidationError, section: str, kind: type[BaseModel]) -> str:
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{section} must have keys of ours; got {key!r}. {nearest_hint(key, kind.model_fields)}"
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    if problem["type"] == "int_parsing_size":
        return f"{section}.{key} must be a smaller number; got {problem['input']!r}."
    if problem["type"] == "less_than_equal" and (most := problem["ctx"]["le"]) >= 1e12:
        return f"{section}.{key} must be less than or equal to {most:g}; got {problem['input']!r}."
    message = problem["msg"].removeprefix("Input ").removeprefix("should be").strip()
    return f"{section}.{key} must be {message}; got {problem['input']!r}."
