"""The directions of a model of several languages: for each, the tokenizers whose symbols name its languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from regard.errors import DataError, SettingsError
from regard.text.languages import Languages
from regard.text.tokenizer import Tokenizer

Codes = str | Sequence[str | None] | None
"""The code of a language for all texts, or for each; None: the model's usual one, if it has one."""
Direction = tuple[str | None, str | None]
"""The languages that a text is in, and is to be written in, by the model's own codes."""


class Directed(NamedTuple):
    """The tokenizers of one direction."""

    writer: Tokenizer
    """The tokenizer of the targets."""
    reader: Tokenizer
    """The tokenizer of the sources."""


class DirectionSet:
    """The directions of a model, by the languages of its source tokenizer.

    Args:
        writer, reader: the tokenizers of targets and sources.
    """

    def __init__(self, writer: Tokenizer, reader: Tokenizer) -> None:
        self._writer, self._reader = writer, reader
        self._known: dict[Direction, Directed] = {}

    @property
    def languages(self) -> Languages | None:
        """The languages; None: the model has one direction."""
        return self._reader.languages

    def find(self, source: str | None, target: str | None) -> Direction:
        """The direction that a user named.

        Raises:
            SettingsError: the model has one direction only, does not have a language, or needs one that is not named.
        """
        if (languages := self.languages) is None:
            raise SettingsError(
                f"`source` and `target` name languages of models that have several; got {source} and {target} for a model "
                "of one direction. Remove them."
            )
        return languages.code(source, "source"), languages.code(target, "target")

    def tokenizers(self, direction: Direction) -> Directed:
        """The tokenizers of a direction."""
        if (known := self._known.get(direction)) is not None:
            return known
        reader = self._reader.directed(*direction)
        writer = reader
        if self._writer is not self._reader:
            writer = self._writer if self._writer.languages is None else self._writer.directed(*direction)
        return self._known.setdefault(direction, Directed(writer, reader))

    def of_texts(self, source: Codes, target: Codes, count: int) -> list[Directed] | None:
        """The tokenizers of each of `count` texts; None: the model has one direction, and none is named.

        Raises:
            DataError: not as many codes as texts.
            SettingsError: as for `find`.
        """
        if self.languages is None and source is None and target is None:
            return None
        named = list(zip(_each("source", source, count), _each("target", target, count), strict=True))
        known = {pair: self.tokenizers(self.find(*pair)) for pair in set(named)}
        return [known[pair] for pair in named]


def _each(name: str, codes: Codes, count: int) -> Sequence[str | None]:
    if codes is None or isinstance(codes, str):
        return [codes] * count
    if len(codes) != count:
        raise DataError(f"`{name}` needs one entry for each text; got {len(codes)} for {count} texts.")
    return codes


def direction_results(scores: Mapping[str, dict[str, Any]], languages: Languages) -> dict[str, Any]:
    """The scores of several directions, such as `en-de`, with their mean."""
    found = {each: {**of, "trained": languages.is_trained(*each.split("-"))} for each, of in scores.items()}
    mean = {name: fmean(each[name] for each in found.values()) for name in ("bleu", "chrf")}
    return {"by_direction": found, "mean": mean, "num_pairs": sum(each["num_pairs"] for each in found.values())}
