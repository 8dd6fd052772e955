"""The languages of a model that has several: their codes, their tokens, and where these stand around a text.

Families differ in the place. `source` and `target` are the tokens of the languages that are read and written, X is a text:

    >>deu<< X </s>                the target before the source: OPUS-MT, MADLAD-400, SMaLL-100, and Regard's own models
    source X </s> | </s> target   the target is also the first token that is written: M2M100, NLLB-200, mBART-50
    X </s> source | target        the decoder starts with the target: mBART-25
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import langcodes
from pydantic import BaseModel, ConfigDict, Field, model_validator

from regard.errors import SettingsError, nearest_hint

Side = Literal["source", "target"]
MOST_LANGUAGES, MOST_LISTED = 10_000, 12
SAME_LANGUAGE = 1
"""The largest distance of two codes of one language, by CLDR: that of Norwegian and Bokmål."""


class Languages(BaseModel):
    """The languages of a model, and the place of their tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens: dict[str, str] = Field(
        min_length=1, max_length=MOST_LANGUAGES, description="the token of each language, by its code"
    )
    source_begin: list[Side] = Field(default=[], max_length=2, description="whose tokens stand before a source")
    source_end: list[Side] = Field(
        default=[], max_length=2, description="whose tokens stand after a source and its end symbol"
    )
    starts: bool = Field(default=False, description="whether a decoder starts with the target's token")
    begins: bool = Field(default=False, description="whether the target's token is the first that is written")
    sources: list[str] = Field(default=[], description="codes of the languages that are read; empty: all")
    targets: list[str] = Field(default=[], description="codes of the languages that are written; empty: all")
    source: str | None = Field(default=None, description="the code of the source where none is named")
    target: str | None = Field(default=None, description="the code of the target where none is named")
    trained: list[str] = Field(default=[], description="the directions of training, such as en-de; empty: unknown")

    @model_validator(mode="after")
    def _codes_have_tokens(self) -> Languages:
        named = [*self.sources, *self.targets, *filter(None, (self.source, self.target))]
        if unknown := sorted(set(named) - self.tokens.keys()):
            raise ValueError(f"codes must have tokens; got {unknown[0]!r}.")
        if self.starts and self.begins:
            raise ValueError("the target's token must be the start or the first token; got both.")
        return self

    @property
    def needs_source(self) -> bool:
        """Whether the language of a source must be known."""
        return "source" in (*self.source_begin, *self.source_end)

    def codes(self, side: Side) -> list[str]:
        """The codes of the languages that are read or written."""
        return (self.sources if side == "source" else self.targets) or list(self.tokens)

    def code(self, given: str | None, side: Side) -> str | None:
        """The code of a language that a user named, as this model has it, such as `zho_Hant` for `zh-TW`; None: neither named nor
        needed.

        Raises:
            SettingsError: the model does not have the language; or it must be named, and is not.
        """
        codes = self.codes(side)
        if given is None:
            usual = self.source if side == "source" else self.target
            if usual is None and len(codes) == 1:
                usual = codes[0]
            if usual is None and (side == "target" or self.needs_source):
                options = f"`--{'from' if side == 'source' else 'to'}`, `{side}=` or `directed(...)`"
                raise SettingsError(f"the {side}'s language must be named; got none. Add {options}: {_listed(codes)}.")
            return usual
        found = matching(given, codes)
        if found is None:
            verb = "read" if side == "source" else "written"
            hint = nearest_hint(given, codes)
            raise SettingsError(f"{side} must be a language that is {verb} by this model; got {given!r}. {hint}")
        return found

    def around(
        self, source: str | None, target: str | None, id_of: Callable[[str], int]
    ) -> tuple[list[int], list[int], int | None]:
        """The ids before a source, those after it, and that of the target; None: it is not written.

        Args:
            source, target: codes as `code` gives them.
            id_of: the id of a token.
        """
        named = {"source": source, "target": target}

        def ids(sides: Sequence[Side]) -> list[int]:
            return [id_of(self.tokens[code]) for side in sides if (code := named[side]) is not None]

        written = ids(["target"])[0] if (self.starts or self.begins) and target is not None else None
        return ids(self.source_begin), ids(self.source_end), written

    def is_trained(self, source: str | None, target: str | None) -> bool:
        """Whether a direction was trained, as far as is known."""
        return not self.trained or source is None or f"{source}-{target}" in self.trained


def matching(given: str, codes: Sequence[str]) -> str | None:
    """The code among some that means the same language, in the same script where one is named; None: there is none.

    `eng`, `en-GB` and `eng_Latn` mean `en`; `zh-TW` means `zho_Hant`, as Chinese is written in Taiwan.
    """
    if given in codes:
        return given
    wanted = _tag(given)
    if wanted is None:
        return None
    tags = {code: tag for code in codes if (tag := _tag(code)) is not None and _is_same(wanted, tag)}
    return min(tags, key=lambda code: wanted.distance(tags[code])) if tags else None


def english_name(code: str, own: Mapping[str, str]) -> str:
    """The English name of a language; of one that has none, its code.

    Args:
        own: the names of codes that mean something else than in ISO 639.
    """
    try:
        name = own.get(code) or langcodes.Language.get(code).display_name()
    except (ImportError, LookupError):  # the names are a package of their own
        return code
    return code if name.startswith("Unknown") else name


def _tag(code: str) -> langcodes.Language | None:
    try:
        found = langcodes.Language.get(code.strip().removesuffix("_XX"), normalize=True)  # as mBART names regions
        return found if found.is_valid() else None
    except (ValueError, LookupError):
        return None


def _is_same(wanted: langcodes.Language, other: langcodes.Language) -> bool:
    """Whether two tags mean one language, or one that has two codes, such as Norwegian; and no other script than was named."""
    languages = (langcodes.Language.make(language=each.language) for each in (wanted, other))
    is_one = wanted.language == other.language or next(languages).distance(next(languages)) <= SAME_LANGUAGE
    return is_one and (wanted.script is None or wanted.script == other.maximize().script)


def _listed(codes: Sequence[str]) -> str:
    more = len(codes) - MOST_LISTED
    return ", ".join(codes[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
