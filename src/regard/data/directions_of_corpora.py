"""The languages of corpora, such as `en-de`, and the token that tells a model which language to write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.data.corpus import AT, ONE_FILE, directions_in, divided_name
from regard.data.pair_files import CODE, DIRECTION, says_languages
from regard.errors import SettingsError
from regard.names import is_file
from regard.text.languages import Languages

TAG = re.compile(f"<2{CODE}>")
"""The spelling of the token of a language."""
TEMPERATURE = 5.0
"""The usual temperature of mixtures of many languages. Source: Arivazhagan et al. 2019, section 3.2."""


def languages_of(direction: str) -> tuple[str, str]:
    """The source's and the target's code of a direction such as `en-de`.

    Raises:
        SettingsError: it is none.
    """
    found = DIRECTION.fullmatch(direction)
    if found is None or found[1] == found[2]:
        raise SettingsError(
            f"a direction must be two languages with a hyphen between, such as en-de; got {direction!r}."
        )
    return found[1], found[2]


def tag_of(code: str) -> str:
    """The token of a language: what a source begins with that is to be written in it.

    Source: Johnson et al. 2017, section 3.
    """
    return f"<2{code}>"


def target_tags(directions: Sequence[str]) -> list[str]:
    """The tag of each direction's target."""
    return [tag_of(languages_of(direction)[1]) for direction in directions]


def by_direction(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of corpora in which a file whose rows say their languages has become one name for each direction,
    `pairs.tsv#en-de`; and the directions. No directions: no file says them.

    Raises:
        SettingsError: some corpora say them, and others do not.
        DataError: a file that cannot be read.
    """
    given = [divided_name(name) for name in names]
    one_files = [path for path, direction in given if not direction and path.lower().endswith(ONE_FILE)]
    whole = [path for path in one_files if is_file(path) and says_languages(path)]  # no file: refused when it is read
    if not whole and not any(direction for _, direction in given):
        return list(names), []
    found: list[tuple[str, str]] = []
    for path, direction in given:
        if path not in whole and not direction:
            raise SettingsError(
                f"either all corpora say their languages or none; {(whole or [given[0][0]])[0]} does, and {path} does not. "
                f"Name all of them: `--direction en-de={path}`."
            )
        found += [(path, each) for each in (directions_in(path) if path in whole else [direction])]
    return [f"{path}{AT}{direction}" for path, direction in found], [direction for _, direction in found]


def rule_of(directions: Sequence[str]) -> Languages:
    """The rule that a model of some directions keeps. All languages have tokens; those of the targets stand before sources."""
    pairs = [languages_of(direction) for direction in directions]
    sources, targets = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    return Languages(
        tokens={code: tag_of(code) for code in dict.fromkeys([*sources, *targets])},
        source_begin=["target"], sources=sources, targets=targets, trained=list(dict.fromkeys(directions)),
    )  # fmt: skip
