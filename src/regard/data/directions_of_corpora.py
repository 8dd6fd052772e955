"""The languages of corpora, such as `en-de`, and the token that tells a model which language to write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regard.errors import SettingsError
from regard.text.languages import Languages

CODE = "([A-Za-z0-9_]{2,20})"
DIRECTION = re.compile(f"{CODE}-{CODE}")
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


def rule_of(directions: Sequence[str]) -> Languages:
    """The rule that a model of some directions keeps. All languages have tokens; those of the targets stand before sources."""
    pairs = [languages_of(direction) for direction in directions]
    sources, targets = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    return Languages(
        tokens={code: tag_of(code) for code in dict.fromkeys([*sources, *targets])},
        source_begin=["target"], sources=sources, targets=targets, trained=list(dict.fromkeys(directions)),
    )  # fmt: skip
