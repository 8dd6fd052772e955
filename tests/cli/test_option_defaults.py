"""The command line repeats defaults and choices, so that help is quick; the records of options and the formats own them."""

import inspect
import re
from typing import Any

import annotated_types
import pytest
import typer

from regard.cli import inspect as inspecting
from regard.cli.compare import compare
from regard.cli.convert import convert
from regard.cli.evaluate import evaluate
from regard.cli.generate import generate
from regard.cli.serve import serve
from regard.cli.training import train
from regard.cli.translate import translate
from regard.engines.engine_choice import ENGINES
from regard.generation.options import DecodingOptions, TextOptions
from regard.interop.formats import EIGHT_BITS, FORMATS
from regard.models.registry import ARCHITECTURES
from regard.runs.families import FAMILIES

COMMANDS: list[tuple[Any, Any]] = [
    (translate, DecodingOptions),
    (evaluate, DecodingOptions),
    (compare, DecodingOptions),
    (inspecting.inspect, DecodingOptions),
    (inspecting.align, DecodingOptions),
    (generate, TextOptions),
]
RENAMED = {"beam": "beam_size"}


@pytest.mark.parametrize(("command", "options"), COMMANDS, ids=lambda thing: thing.__name__)
def test_commands_have_the_defaults_and_ranges_of_the_records(command: Any, options: Any) -> None:
    compared = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        field = options.model_fields.get(RENAMED.get(name, name))
        if field is None:
            continue
        assert parameter.default == field.default, name
        (option,) = (part for part in parameter.annotation.__metadata__ if isinstance(part, typer.models.OptionInfo))
        bounds = {type(part): part for part in field.metadata}
        if option.min is not None:
            assert option.min == bounds[annotated_types.Ge].ge, name
        compared.append(name)
    expected = {"generate": 8, "translate": 5, "evaluate": 3, "compare": 3, "inspect": 2, "align": 0}
    assert len(compared) >= expected[command.__name__], compared


@pytest.mark.parametrize(
    ("command", "name", "choices"),
    [
        (convert, "to", (EIGHT_BITS, *FORMATS)),
        (train, "arch", ARCHITECTURES),
        (train, "task", {task for family in FAMILIES.values() for task in family.tasks if task}),
        *((command, "engine", ENGINES) for command in (translate, generate, evaluate, serve)),
    ],
)
def test_help_names_every_choice(command: Any, name: str, choices: Any) -> None:
    parameter = inspect.signature(command, eval_str=True).parameters[name]
    (option,) = (part for part in parameter.annotation.__metadata__ if isinstance(part, typer.models.OptionInfo))
    words = set(re.findall(r"[\w-]+", option.help))
    assert set(choices) - words == set()
