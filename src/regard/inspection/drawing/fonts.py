"""Fonts for the text of figures: matplotlib's own, and for each character that it lacks an installed one that has it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from unicodedata import name as character_name

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

OWN = "DejaVu Sans"
WIDE = ("Noto Sans", "Arial Unicode", "Unifont")
"""Font families that have many scripts; they are tried first."""
MOST_NAMED = 10
"""The number of characters that a message names."""


class MissingFontWarning(UserWarning):
    """The warning about characters of a picture that no installed font has."""


def families(text: str) -> list[str]:
    """The fonts for a text, the preferred first; at the end the reader's own, for what is drawn elsewhere (SVG).

    Fonts that were installed since matplotlib listed them, which it does only once, are found, too.
    """
    chosen, lacking = _chosen(text)
    if lacking and _find_new():
        chosen, _ = _chosen(text)
    return [*chosen, "sans-serif"]


def missing(text: str) -> str:
    """The characters of a text that no installed font has, each once, in order."""
    return _chosen(text)[1]


def missing_characters_warning(lacking: str) -> str:
    """A warning about characters in a picture that no font has."""
    scripts = sorted({character_name(character, "unnamed").split()[0].split("-")[0] for character in lacking})
    more = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
    return (
        f"no installed font has {', '.join(lacking[:MOST_NAMED])}{more} ({', '.join(scripts)}): boxes are drawn in their "
        "place. Install a font that has them, such as Noto Sans CJK for Chinese, Japanese and Korean or Noto Sans for "
        "other scripts; or write .svg, whose text the reader's fonts draw."
    )


def _chosen(text: str) -> tuple[list[str], str]:
    """The fonts for a text, and its characters that none has."""
    chosen, lacking = [OWN], ""
    candidates = _in_order(_installed(), text)
    for character in sorted(set(text)):
        if character.isspace() or not character.isprintable() or any(_has(family, character) for family in chosen):
            continue
        found = next((family for family in candidates if _has(family, character)), None)
        if found:
            chosen.append(found)
        else:
            lacking += character
    return chosen, lacking


def _in_order(names: Iterable[str], text: str) -> list[str]:
    """Font names as they are tried: of those that differ by country only, that of the text's language first.

    Chinese, Japanese and Korean share characters that each draws in its own way.
    """
    scripts = {character_name(character, "").split(" ")[0] for character in set(text)}
    country = " JP" if scripts & {"HIRAGANA", "KATAKANA"} else " KR" if "HANGUL" in scripts else " SC"
    return sorted(names, key=lambda name: (not name.startswith(WIDE), not name.endswith(country), name))


@cache
def _installed() -> dict[str, str]:
    """The fonts of this machine by name, and a file of each."""
    fonts = sorted(
        font_manager.fontManager.ttflist, key=lambda font: (font.style != "normal", str(font.weight) != "400")
    )
    files: dict[str, str] = {}
    for font in fonts:
        if not font.name.startswith("Last Resort"):  # has a box for every character, and a picture for none
            files.setdefault(font.name, font.fname)
    return files


def _find_new() -> bool:
    """Add fonts that were installed after matplotlib wrote its list; returns whether there are any."""
    listed = {font.fname for font in font_manager.fontManager.ttflist} | _unreadable
    new = [path for path in font_manager.findSystemFonts() if path not in listed]
    for path in new:
        try:
            font_manager.fontManager.addfont(path)
        except Exception:  # any exception, as in matplotlib's own list: an unreadable font
            _unreadable.add(path)
    if new:
        _installed.cache_clear()
        _characters.cache_clear()
    return bool(new)


_unreadable: set[str] = set()
"""Files that matplotlib cannot read, such as fonts of coloured pictures."""


@cache
def _characters(family: str) -> frozenset[int]:
    return frozenset(FT2Font(_installed()[family]).get_charmap())


def _has(family: str, character: str) -> bool:
    try:
        return ord(character) in _characters(family)
    except (KeyError, OSError, RuntimeError):  # a font that is not there, or that matplotlib cannot read
        return False
