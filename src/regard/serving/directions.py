"""Which languages a model translates: what its folder's name or the command line says, and codes as clients write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from regard.errors import SettingsError

PRIVATE = "-x-"
"""What stands between a language and the name of an adapter. Source: RFC 5646, section 2.2.7."""
ANY = "und"
"""ISO 639's code for a language that is not determined."""


@dataclass(frozen=True)
class Direction:
    """From which language into which a model translates."""

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
        pairs = [(code_of(first) or ANY, code_of(second) or ANY) for first, second in _pairs(name)]
        found = [pair for pair in pairs if CODES.issuperset(pair)]
        return cls(*found[-1]) if found else None

    def __str__(self) -> str:
        return f"{self.source}-{self.target_code}"


def _pairs(name: str) -> list[tuple[str, str]]:
    parts = re.split(r"[-_.]", name.lower())
    return [
        (first, second)
        for first, second in pairwise(parts)
        if first != second and all(re.fullmatch("[a-z]{2,3}", part) for part in (first, second))
    ]


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
    return THREE_LETTERS.get(code, code)


CODES = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
    et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
    kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc
    oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn
    to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu""".split()  # noqa: SIM905
)
"""ISO 639-1: what in a folder's name is taken for a language."""
THREE_LETTERS = {
    "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl",
    "dut": "nl", "pol": "pl", "ces": "cs", "cze": "cs", "rus": "ru", "ukr": "uk", "zho": "zh", "jpn": "ja", "kor": "ko",
    "ara": "ar", "tur": "tr", "swe": "sv", "dan": "da", "nob": "nb", "fin": "fi", "ell": "el", "hun": "hu", "ron": "ro",
    "bul": "bg", "hin": "hi", "vie": "vi", "ind": "id", "heb": "he", "slk": "sk", "slv": "sl", "hrv": "hr", "srp": "sr",
    "lit": "lt", "lav": "lv", "est": "et", "cat": "ca",
}  # fmt: skip
"""ISO 639-3 and 639-2 codes with their two-letter ones, as NLLB's clients write them."""
