"""No building block of `regard.nn` takes a size below 1, or a factor that is no finite number above 0."""

import inspect
import math
import re
from typing import Any

import pytest
import torch

from regard import nn
from regard.errors import SettingsError, ShapeError

USUAL: dict[str, Any] = {
    "query_dim": 4, "key_dim": 4, "hidden_dim": 5, "window": 3, "model_dim": 8, "num_heads": 2, "max_distance": 128,
    "positions": 4, "head_dim": 4, "ff_dim": 8, "max_positions": 16, "num_positions": 4, "factor": 2.0, "cap": 5.0,
    "dropout": 0.1, "rate": 0.1, "num_queries": 3, "before": 1, "feed_forward": torch.nn.Identity(),
}  # fmt: skip
"""A value for each argument that has no default."""
FROM_ZERO = {"dropout", "rate", "momentum", "num_queries", "num_keys", "before", "after"}
"""Arguments that may be 0."""
ANY = {"first", "pad_id"}
"""Arguments that may be any whole number."""


def numeric_arguments() -> list[tuple[str, str]]:
    """The names of what can be built from numbers alone, each with the name of one of these."""
    found = []
    for name in nn.__all__:
        thing = getattr(nn, name)
        if not callable(thing) or isinstance(thing, type(list[int])):
            continue
        arguments = inspect.signature(thing).parameters.values()
        if any(argument.default is inspect.Parameter.empty and argument.name not in USUAL for argument in arguments):
            continue
        annotated = {argument.name: str(argument.annotation) for argument in arguments}
        numbers = [
            each for each, kind in annotated.items() if re.search(r"\b(int|float)\b", kind) and "Callable" not in kind
        ]
        found += [(name, each) for each in numbers if each not in ANY]
    return found


CASES = numeric_arguments()


def test_the_building_blocks_are_found() -> None:
    assert {name for name, _ in CASES} >= {
        "Additive",
        "BatchNorm",
        "Cosine",
        "Rotary",
        "RotaryScaling",
        "causal_mask",
        "SSRU",
    }
    assert len(CASES) > 50


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_a_number_without_a_meaning_is_refused(name: str, argument: str) -> None:
    build = getattr(nn, name)
    arguments = inspect.signature(build).parameters
    usual = {each: USUAL[each] for each, what in arguments.items() if what.default is inspect.Parameter.empty}
    assert build(**usual) is not None
    is_real = "float" in str(arguments[argument].annotation)
    wrong: list[float] = [-1.0, math.nan, math.inf, -math.inf] if is_real else [-1]
    for number in [*wrong, *([] if argument in FROM_ZERO else [0.0 if is_real else 0])]:
        with pytest.raises((SettingsError, ShapeError), match=r"must be|must leave"):
            build(**usual | {argument: number})


def test_factors_of_a_scaling_grow() -> None:
    with pytest.raises(SettingsError, match=r"low_factor must be below high_factor; got 4\.0 and 4\.0"):
        nn.RotaryScaling(2.0, 8, low_factor=4.0)
