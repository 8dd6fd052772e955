"""Languages that a model translates: as its folder's name or the command line says, and codes as clients write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import langcodes

from regard.errors import SettingsError

PRIVATE = "-x-"
"""The separator of a language and the name of an adapter. Source: RFC 5646, section 2.2.7."""
ANY = "und"
"""ISO 639's code for a language that is not determined."""


@dataclass(frozen=True)
class Direction:
    """The languages that a model reads and writes."""

    source: str
    target: str
    adapter: str = ""
    """The name of the adapter that the model has; empty: none."""

    @property
    def target_code(self) -> str:
        """The target as clients name it: `de`, or with an adapter `de-x-legal`, a private subtag of BCP 47."""
        return f"{self.target}{PRIVATE}{self.adapter}" if self.adapter else self.target

    @classmethod
    def of_name(cls, name: str) -> Direction | None:
        """The direction that a folder's name says, such as `opus-mt-en-de`; None: it says none."""
        found = [pair for pair in pairwise(re.split(r"[-_.]", name.lower())) if _is_direction(*pair)]
        return cls(*(code_of(code) or ANY for code in found[-1])) if found else None

    def __str__(self) -> str:
        return f"{self.source}-{self.target_code}"


def _is_direction(first: str, second: str) -> bool:
    """Whether two words of a folder's name are languages: codes of equally many letters, each with one of two letters."""
    codes = [code_of(word) or "" for word in (first, second)]
    return first != second and len(first) == len(second) and all(len(c) == 2 and is_language(c) for c in codes)


def parse_models(given: Sequence[str]) -> list[tuple[Path, Direction | None]]:
    """The models of a command line: folders, or `en-de=folder`; with None where neither says a direction.

    Raises:
        SettingsError: two models say the same direction.
    """
    found: list[tuple[Path, Direction | None]] = []
    for word in given:
        name, equals, folder = word.partition("=")
        parts = name.split("-")
        if equals and len(parts) == 2 and all(parts):
            found.append((Path(folder), Direction(*(code_of(part) or ANY for part in parts))))
        else:
            found.append((Path(word), Direction.of_name(Path(word).name)))
    directions = [direction for _, direction in found if direction]
    for direction in directions:
        if directions.count(direction) > 1:
            raise SettingsError(f"each model must have a direction of its own; got {direction} twice.")
    return found


def parse_adapters(given: Sequence[str]) -> dict[str, Path]:
    """The adapters of a command line, by name: folders, or `name=folder`.

    Raises:
        SettingsError: a name that no language code can have, or the same one twice.
    """
    found: dict[str, Path] = {}
    for word in given:
        name, equals, folder = word.rpartition("=")
        path = Path(folder)
        name = (name if equals else path.name).lower()
        if not re.fullmatch("[a-z0-9]+", name, re.ASCII):
            raise SettingsError(
                f"the name of an adapter must be letters and digits; got {name!r}. Write, for example, legal={path}."
            )
        if name in found:
            raise SettingsError(f"each adapter must have a name of its own; got {name} twice.")
        found[name] = path
    return found


def adapter_of(language: str | None) -> str:
    """The adapter that a language code asks for: `legal` of `de-x-legal`; empty: none."""
    return (language or "").lower().partition(PRIVATE)[2]


def code_of(language: str | None) -> str | None:
    """The code of a language without its region: `de` of `de-AT`, `DE` or `deu_Latn`; None: not said."""
    if language is None or language.lower() in ("", "auto", ANY):
        return None
    code = re.split(r"[-_]", language.strip().lower())[0]
    is_long = re.fullmatch("[a-z]{3}", code) is not None
    return langcodes.standardize_tag(code) if is_long else code  # of two letters where there are such


def language_name(code: str) -> str:
    """The English name of a language; of one that has none, its code."""
    name = langcodes.Language.get(code).display_name() if is_language(code) else "Unknown"
    return "Undetermined" if code == ANY else code if name.startswith("Unknown") else name


def is_language(code: str) -> bool:
    """Whether a code is that of a language, by ISO 639."""
    return len(code) > 1 and langcodes.tag_is_valid(code)
