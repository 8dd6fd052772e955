"""The settings of a run: `reading` takes them as users give them, `record` holds and checks them, `fitting` finds the rest."""

from regard.runs.settings.reading import (
    chosen_arch,
    find_recipe,
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
    "chosen_arch",
    "find_recipe",
    "named_settings",
    "parse_assignments",
    "parse_options",
    "read_yaml",
    "recipes",
    "together",
]
