"""The settings of a LoRA adapter in PEFT's `adapter_config.json`.

Settings that are understood are listed here. Any other that is set is refused by its name, as it may change what is computed.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig

SAME_BASE = ("true", "false", "gaussian", "orthogonal", "eva", "mica")
"""Ways to initialize an update that leave the base's weights as they are. The others change them when PEFT loads the adapter:
it takes the first update off the base."""
MOST_RANK = 1 << 20
"""Far above any rank that there is: matrices of a higher one do not fit into memory."""
MOST_SECONDS = 1.0
"""For one expression and one name: it takes microseconds, but for `(a+)+`, whose time doubles with each letter."""
READ_LATER = {"target_modules", "exclude_modules", "layers_to_transform", "layers_pattern"}
"""Settings that are compared with the modules that have matrices."""
WITHOUT_EFFECT = {
    # where the adapter comes from
    "task_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision",
    # training, and how an update begins
    "inference_mode", "lora_dropout", "eva_config",
    # PEFT corrects it by the kind of module; it never saves the next; the last two are read with settings that are refused
    "fan_in_fan_out", "runtime_config", "megatron_core", "qalora_group_size",
}  # fmt: skip
"""Settings that do not change what a trained adapter computes."""


@dataclass(frozen=True)
class LoraSettings:
    """The settings of an adapter in PEFT's format.

    update of a module = scale B A, with scale = alpha / r, or alpha / sqrt(r) where `use_rslora` is set. Both numbers may differ
    from module to module: a pattern's key is a regular expression, and the first that fits a module's name counts.
    """

    config: ForeignConfig
    rank: int
    alpha: float
    ranks: Mapping[str, int]
    alphas: Mapping[str, float]
    is_rank_stabilized: bool

    @classmethod
    def parse(cls, config: ForeignConfig) -> LoraSettings:
        """Parse the settings in a configuration.

        Raises:
            ModelFolderError: it is of another kind than LoRA, or sets something that ours cannot represent.
        """
        if (kind := config.get("peft_type")) != "LORA":
            raise ModelFolderError(f"{config.where}: peft_type must be LORA; got {kind!r}.")
        config.refuse_unless("bias", "none")
        _check_initialization(config)
        rank, ranks = config.get("r", 8), config.get("rank_pattern", {})
        alpha, alphas = config.get("lora_alpha", 8.0), config.get("alpha_pattern", {})
        is_rank_stabilized = config.get("use_rslora", False)
        config.refuse_others(READ_LATER | WITHOUT_EFFECT)
        named = {"r": rank} | {f"rank_pattern, {pattern}": each for pattern, each in ranks.items()}
        for key, value in named.items():
            if type(value) is not int or not 1 <= value <= MOST_RANK:
                raise ModelFolderError(
                    f"{config.where}: {key} must be a whole number from 1 to {MOST_RANK}; got {value!r}."
                )
        for key, value in {
            "lora_alpha": alpha,
            **{f"alpha_pattern, {pattern}": each for pattern, each in alphas.items()},
        }.items():
            if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
                raise ModelFolderError(
                    f"{config.where}: {key} must be a finite number, and one that a float holds; got {value!r}."
                )
        for key, patterns in (("rank_pattern", ranks), ("alpha_pattern", alphas)):
            for pattern in patterns:
                _check_syntax(config, key, _ending(pattern))
        return cls(config, rank, alpha, ranks, alphas, is_rank_stabilized)

    def scale(self, module: str) -> float:
        """The factor that the product of a module's matrices is multiplied by."""
        alpha, rank = self._first_that_fits("alpha_pattern", self.alphas, module, self.alpha), self.rank_of(module)
        return float(alpha) / (math.sqrt(rank) if self.is_rank_stabilized else rank)

    def rank_of(self, module: str) -> int:
        """The rank of a module's matrices."""
        return int(self._first_that_fits("rank_pattern", self.ranks, module, self.rank))

    def check_rank(self, module: str, rank: int) -> None:
        """Make sure that a module's matrices have the rank that the configuration says.

        Raises:
            ModelFolderError: they do not.
        """
        if rank != self.rank_of(module):
            raise ModelFolderError(
                f"{self.config.where}: r must be the rank of the matrices of {module}, {rank}; got {self.rank_of(module)}. "
                "The files are of two adapters."
            )

    def check_targeted(self, module: str) -> None:
        """Make sure that PEFT adapts a module: it leaves out the matrices of others.

        Raises:
            ModelFolderError: it does not.
        """
        if not self.config.get("target_modules"):
            raise ModelFolderError(
                f"{self.config.where}: target_modules must name {module}, of which there are matrices; got "
                f"{self.config.get('target_modules')!r}: PEFT would choose by the kind of the model. Write the names of the "
                "modules there."
            )
        for key, is_right in self._choices(module).items():
            if not is_right:
                raise ModelFolderError(
                    f"{self.config.where}: {key} must choose {module}, of which there are matrices; "
                    f"got {self.config.get(key)!r}. The files are of two adapters."
                )

    @property
    def targets_all(self) -> bool:
        """Whether all linear maps are adapted but those of the output."""
        return bool(self.config.get("target_modules") == "all-linear")

    def chooses(self, module: str) -> bool:
        """Whether PEFT adapts a module."""
        return all(self._choices(module).values())

    def _choices(self, module: str) -> dict[str, bool]:
        """Whether each setting leaves a module among those that PEFT adapts."""
        return {
            "exclude_modules": not self._names("exclude_modules", module),
            "target_modules": self._names("target_modules", module),
            "layers_to_transform": self._is_in_layers(module),
        }

    def _names(self, key: str, module: str) -> bool:
        """Whether a setting names a module: by the end of its name, or a string as a regular expression."""
        value = self.config.get(key)
        if value is None or (key == "target_modules" and self.targets_all):
            return value is not None
        if isinstance(value, str):
            return self._match(key, value, module, is_whole=True) is not None
        return any(module == end or module.endswith(f".{end}") for end in self._strings(key))

    def _is_in_layers(self, module: str) -> bool:
        """Whether a module is in one of the layers that are chosen, where any are.

        PEFT asks where `target_modules` is a list, and of those modules whose whole name is not in it.
        """
        chosen = self.config.get("layers_to_transform")
        targets = self.config.get("target_modules")
        if chosen is None or chosen == [] or not isinstance(targets, list) or module in targets:
            return True
        numbers = chosen if isinstance(chosen, list) else [chosen]
        patterns = self._strings("layers_pattern")
        if not patterns:
            found = re.match(r".*?\.[^.]*\.(?P<number>\d+)\.", module)
        else:
            tried = (
                self._match("layers_pattern", rf"(?:^|.*?\.){pattern}\.(?P<number>\d+)\.", module)
                for pattern in patterns
            )
            found = next((each for each in tried if each), None)
        return found is not None and int(found["number"]) in numbers

    def _first_that_fits(self, key: str, patterns: Mapping[str, Any], module: str, default: Any) -> Any:
        """The value of the first pattern that fits the name of a module, at its end or whole, as PEFT reads it."""
        fitting = (value for each, value in patterns.items() if self._match(key, _ending(each), module))
        return next(fitting, default)

    def _match(self, key: str, pattern: str, module: str, *, is_whole: bool = False) -> regex.Match[str] | None:
        """The match of a setting's regular expression with the beginning of a module's name, or with the whole.

        Raises:
            ModelFolderError: it is no expression of Python's `re`, as PEFT matches with, or one that takes very long.
        """
        _check_syntax(self.config, key, pattern)
        compiled = regex.compile(pattern)
        try:
            return (compiled.fullmatch if is_whole else compiled.match)(module, timeout=MOST_SECONDS)
        except TimeoutError as error:
            raise ModelFolderError(
                f"{self.config.where}: {key} must be a regular expression that is matched in {MOST_SECONDS:g} second; got "
                f"{pattern!r}, which tries too many ways to match {module}."
            ) from error

    def _strings(self, key: str) -> list[str]:
        value = self.config.get(key) or []
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ModelFolderError(f"{self.config.where}: {key} must be names of modules; got {value!r}.")
        return value


def _check_initialization(config: ForeignConfig) -> None:
    """Make sure that the base's weights are those that the update was learnt with.

    Raises:
        ModelFolderError: PEFT changes them when it loads the adapter.
    """
    value = config.get("init_lora_weights")
    value = True if value is None else value
    name = str(value).lower()
    if not isinstance(value, bool | str) or name not in SAME_BASE:
        raise ModelFolderError(
            f"{config.where}: init_lora_weights must be one of {', '.join(SAME_BASE)} to be represented in Regard; got "
            f"{value!r}, which changes the base's weights. Save the adapter as plain LoRA: "
            "`save_pretrained(..., path_initial_model_for_weight_conversion=...)` of PEFT."
        )


def _check_syntax(config: ForeignConfig, key: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ModelFolderError(
            f"{config.where}: {key} must be a regular expression; got {pattern!r}: {error}."
        ) from error


def _ending(pattern: str) -> str:
    """The regular expression that PEFT makes of a pattern's key."""
    return rf"(.*\.)?({pattern})$"
