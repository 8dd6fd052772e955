"""The settings of a run: `reading` takes them as users give them, `record` holds and checks them, `fitting` finds the rest."""

from regard.runs.settings.reading import (
    find_recipe,
    given_arch,
    named_settings,
    parse_assignments,
    parse_options,
    read_yaml,
    recipes,
    together,
)
from regard.runs.settings.run_settings import SECTIONS, RunSettings

__all__ = [
    "SECTIONS",
    "RunSettings",
    "find_recipe",
    "given_arch",
    "named_settings",
    "parse_assignments",
    "parse_options",
    "read_yaml",
    "recipes",
    "together",
]
