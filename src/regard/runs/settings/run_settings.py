"""All settings of a run: a preset, then a YAML file, then single keys, each winning over the one before."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationError

from regard.data.directions_of_corpora import TEMPERATURE, rule_of
from regard.data.selection import DataConfig
from regard.errors import SettingsError, check_known, nearest_hint, short_repr
from regard.models.adaptation import AdapterConfig
from regard.models.config import ModelConfig
from regard.models.registry import architecture
from regard.runs.settings.reading import Nested
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.training_config import TrainingConfig

Record = TypeVar("Record", bound=BaseModel)
USUAL_ARCH = "encoder-decoder"
"""The family of a run for which none was given: with the preset `tiny`, few strings, and symbols, have another one (`choosing`).
"""
SECTIONS = ("tokenizer", "model", "data", "training", "adapter")
"""In the order in which they are checked."""


class RunSettings(BaseModel):
    """The settings of a run. `model.vocab_size` becomes the number of tokens that were really learnt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: SerializeAsAny[ModelConfig]
    tokenizer: TokenizerConfig
    data: DataConfig = DataConfig()
    training: TrainingConfig
    adapter: AdapterConfig = AdapterConfig()
    preset_values: dict[str, Any] = Field(default={}, exclude=True)
    """The values of the preset, by names such as `training.steps`; empty: nothing is fitted."""
    explicit: frozenset[str] = Field(default=frozenset(), exclude=True)
    """The names of the settings that the user gave."""
    is_frozen: bool = Field(default=False, exclude=True)
    """Whether the settings are final, because the run is resumed."""
    preset: str = Field(default="", exclude=True)
    """The name of the preset."""
    follows_data: bool = Field(default=False, exclude=True)
    """Whether vocabulary, depth and metric may follow the data: not in a demo, nor in a run that begins with a model."""
    reported: frozenset[str] = Field(default=frozenset(), exclude=True)
    """The names of the settings that the data chose, which the user was told."""
    from_recipe: tuple[str, ...] = Field(default=(), exclude=True)
    """The names of the settings that a recipe gave, because the data chose it."""
    holds_out_less: bool = Field(default=True, exclude=True)
    """Whether less than one in twenty is held out of few data; not in resumed runs of earlier versions."""
    most_epochs: int = Field(default=200, exclude=True)
    """The most epochs of a run whose number of steps was not given, if it has more than `least_steps` (docs/experiments.md)."""
    least_steps: int = Field(default=1000, exclude=True)
    """The fewest steps of such a run."""

    @classmethod
    def build(
        cls,
        preset: str,
        *layers: Mapping[str, Mapping[str, Any]],
        arch: str | None = None,
        defaults: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> RunSettings:
        """A preset of a family, overlaid with settings in its sections.

        Args:
            layers: what the user gave, the later ones winning.
            arch: the family that the user gave; None: `USUAL_ARCH`, which the data may change.
            defaults: of a demo, or of a recipe that the data chose; they differ from the preset, and are not given by the user.
        Raises:
            SettingsError: an unknown family, preset, section or key, or a value out of range.
        """
        found = architecture(arch or USUAL_ARCH)
        family, presets = found.config, found.presets
        check_known("preset", preset, presets, "a known preset")
        merged: Nested = {section: {} for section in SECTIONS} | {
            section: dict(values) for section, values in presets[preset].items()
        }
        for section, values in (defaults or {}).items():
            merged[section] |= values
        preset_sections = {section: dict(values) for section, values in merged.items()}
        explicit = set() if arch is None else {"model.arch"}
        for layer in layers:
            for section, values in layer.items():
                check_known("a section", section, SECTIONS, "a known section of settings")
                if not isinstance(values, Mapping):
                    raise SettingsError(f"the section {section} must hold keys and values; got {values!r}.")
                merged[section] |= values
                explicit.update(f"{section}.{key}" for key in values)
        _check_sizes(merged["model"])
        if merged["data"].get("directions") is not None and merged["data"].get("weights") is None:
            merged["data"].setdefault("temperature", TEMPERATURE)  # as corpora of several directions are usually mixed
        vocab_size = merged["tokenizer"].setdefault("vocab_size", TokenizerConfig.model_fields["vocab_size"].default)
        merged["model"]["vocab_size"] = vocab_size
        if merged["tokenizer"].get("shared") is False and "source_vocab_size" in family.model_fields:
            merged["model"]["source_vocab_size"] = vocab_size
            if "tied_embeddings" in family.model_fields:
                merged["model"].setdefault("tied_embeddings", "target")
        kinds: dict[str, Any] = {name: cls.model_fields[name].annotation for name in SECTIONS} | {"model": family}
        built: dict[str, Any] = {name: checked_section(name, kinds[name], merged[name]) for name in SECTIONS}
        if built["data"] != DataConfig() and not found.model.reads_source:
            key = next(iter(merged["data"]))
            raise SettingsError(f"`data.{key}` needs pairs of texts; `--arch {found.arch}` has none. Remove it.")
        if merged["adapter"] and merged["adapter"].get("rank") is None:
            raise SettingsError(
                f"adapter.{next(iter(merged['adapter']))} has no effect without `adapter.rank`. Set that, too."
            )
        built["tokenizer"] = _with_tags(built["tokenizer"], built["data"])
        preset_values = {
            f"{section}.{key}": value
            for section, kind in (("tokenizer", TokenizerConfig), ("training", TrainingConfig))
            for key, value in dict(kind(**preset_sections[section])).items()
        }
        if found.model.reads_source:
            preset_values["data.concatenation"] = DataConfig().concatenation
        further = {"tied_embeddings", "positions"} & family.model_fields.keys()
        preset_values |= {f"model.{key}": family.model_fields[key].get_default() for key in further}
        preset_values |= {f"model.{key}": value for key, value in preset_sections["model"].items()}
        return cls(
            **built,
            preset_values=preset_values,
            explicit=frozenset(explicit),
            preset=preset,
            follows_data=defaults is None,
        )

    def value(self, name: str) -> Any:
        """The value of a setting, such as `training.steps`."""
        section, _, key = name.partition(".")
        return getattr(getattr(self, section), key)

    def changed(self, values: Mapping[str, Any], keys: Collection[str]) -> RunSettings:
        """The same with the values of some keys, such as `training.steps`, as far as there are any."""
        sections: dict[str, Any] = {}
        for section, _, key in (name.partition(".") for name in keys if name in values):
            before = sections.get(section, getattr(self, section))
            sections[section] = before.model_copy(update={key: values[f"{section}.{key}"]})
        return self.model_copy(update=sections)

    def of_family(self, arch: str, values: Mapping[str, Any]) -> RunSettings:
        """The same for another family, which the user did not give: its preset, and over it the settings of a recipe.

        Args:
            values: what the recipe has, by names such as `training.steps`. What the user gave wins.
        """
        given = _in_sections({name: self.value(name) for name in self.explicit})
        found = RunSettings.build(self.preset, given, arch=arch, defaults=_in_sections(values))
        names = tuple(name for name in values if name not in self.explicit)
        return found.model_copy(update={"explicit": self.explicit, "follows_data": True, "from_recipe": names})

    def with_least_vocabulary(self) -> RunSettings:
        """The same with a model of the fewest tokens, which is no larger than the one that the data will ask for."""
        least = {name: 5 for name in ("vocab_size", "source_vocab_size") if getattr(self.model, name, None) is not None}
        return self.model_copy(update={"model": self.model.model_copy(update=least)})


def _check_sizes(model: Mapping[str, Any]) -> None:
    """Make sure that nobody sets what the tokenizer decides.

    Raises:
        SettingsError: somebody does.
    """
    for key in ("vocab_size", "source_vocab_size", "pad_id", "separator_id", "start_id"):
        if key in model:
            raise SettingsError(
                f"model.{key} comes from the tokenizer; got {model[key]!r}. Set `tokenizer.vocab_size` instead."
            )


def _in_sections(values: Mapping[str, Any]) -> Nested:
    """Settings by names such as `training.steps`, in their sections."""
    nested: Nested = {}
    for name, value in values.items():
        section, _, key = name.partition(".")
        nested.setdefault(section, {})[key] = value
    return nested


def _with_tags(tokenizer: Any, data: Any) -> Any:
    """The settings of a tokenizer to which the tags of corpora and languages are added: each is a token of its own.

    Raises:
        SettingsError: both tags and directions are given, or a vocabulary without spaces before words.
    """
    tags = [tag for tag in data.tags or [] if tag is not None]
    if data.directions is not None:
        if data.tags is not None:
            raise SettingsError("`data.directions` has tags of its own; got `data.tags`, too. Remove one of them.")
        if not tokenizer.leading_space:
            raise SettingsError("`data.directions` needs `tokenizer.leading_space=true`. Remove one of them.")
        tags = list(rule_of(data.directions).tokens.values())
    return tokenizer.model_copy(update={"add": list(dict.fromkeys([*tokenizer.add, *tags]))}) if tags else tokenizer


def checked_section(
    section: str, kind: type[Record], values: Mapping[str, Any], others: Mapping[str, Any] | None = None
) -> Record:
    """The record of a section.

    Args:
        others: the values of keys that were not given.
    Raises:
        SettingsError: an unknown key, or a value out of range.
    """
    _check_numbers(section, kind, values)
    try:
        return kind(**{**(others or {}), **values})
    except ValidationError as error:
        raise SettingsError(_first_problem(error, section, kind)) from error


def _check_numbers(section: str, kind: type[BaseModel], values: Mapping[str, Any]) -> None:
    """Make sure that no truth value is given for a number: pydantic would read it as 0 or 1."""
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
    """The innermost values of a value."""
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
        return f"{section} must have known keys only; got {key!r}. {nearest_hint(key, kind.model_fields)}"
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    if problem["type"] == "int_parsing_size":
        return f"{section}.{key} must be a smaller number; got {short_repr(problem['input'])}."
    if problem["type"] == "less_than_equal" and (most := problem["ctx"]["le"]) >= 1e12:
        return f"{section}.{key} must be less than or equal to {most:g}; got {short_repr(problem['input'])}."
    _, is_rule, rule = problem["msg"].partition(" should ")
    return f"{section}.{key} must {rule if is_rule else 'be ' + problem['msg']}; got {short_repr(problem['input'])}."
