"""Glossaries, kept in memory for the keys that made them until they are deleted or the server ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from uuid import uuid4

from regard.documents.terms import Terms, fitting, target_phrases
from regard.errors import RegardError
from regard.generation.options import DecodingOptions
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.limits import Limits, ServingError
from regard.text.encoded_sentence import EncodedSentence, text_of

QUOTA = 456
"""The status with which DeepL says that an account has no more room."""


@dataclass(frozen=True)
class Glossary:
    """Terms for one direction or several. It is replaced as a whole: a translation under way has the terms it began with."""

    name: str
    dictionaries: Mapping[Direction, Terms]
    id: str = field(default_factory=lambda: str(uuid4()))
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def num_entries(self) -> int:
        """Entries in all directions."""
        return sum(len(terms.entries) for terms in self.dictionaries.values())

    @property
    def num_bytes(self) -> int:
        """The bytes of its name, terms and phrases as UTF-8."""
        pairs = (pair for terms in self.dictionaries.values() for pair in terms.entries.items())
        return len(self.name.encode()) + sum(len(source.encode()) + len(target.encode()) for source, target in pairs)

    def terms(self, direction: Direction) -> Terms:
        """The terms for a direction.

        Raises:
            ServingError: 404, there are none.
        """
        if direction not in self.dictionaries:
            known = ", ".join(map(str, self.dictionaries)) or "nothing"
            raise ServingError(404, f"Glossary {self.name!r} must have a dictionary for {direction}; it has {known}.")
        return self.dictionaries[direction]


@dataclass(frozen=True)
class _StoredGlossary:
    glossary: Glossary
    num_entries: int
    num_bytes: int


class Glossaries:
    """The glossaries of all keys. Its methods may be called from several threads.

    Every method takes the key of the client, and sees the glossaries of this key alone; None is the key of all clients where
    no keys are needed.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._stored: dict[bytes | None, dict[str, _StoredGlossary]] = {}
        self._lock = Lock()

    def all(self, owner: bytes | None) -> list[Glossary]:
        """The glossaries of a key, the oldest first."""
        with self._lock:
            return [each.glossary for each in self._stored.get(owner, {}).values()]

    def get(self, owner: bytes | None, id: str) -> Glossary:
        """A glossary.

        Raises:
            ServingError: 404, this key has none of this id.
        """
        with self._lock:
            return self._get(owner, id)

    def add(self, owner: bytes | None, name: str, dictionaries: Mapping[Direction, Terms]) -> Glossary:
        """Keep a new glossary, which is returned.

        Raises:
            ServingError: 400, 413 or 456, it is out of bounds.
        """
        with self._lock:
            return self._keep(owner, Glossary(name, dictionaries))

    def change(self, owner: bytes | None, id: str, changed: Callable[[Glossary], Glossary]) -> Glossary:
        """Put another one in the place of a glossary; the new one is returned.

        Args:
            changed: of the glossary, the other one, with the same id.
        Raises:
            ServingError: 404, this key has none of this id; 400, 413 or 456, the new one is out of bounds.
        """
        with self._lock:
            return self._keep(owner, changed(self._get(owner, id)))

    def remove(self, owner: bytes | None, id: str) -> None:
        """Delete a glossary.

        Raises:
            ServingError: 404, this key has none of this id.
        """
        with self._lock:
            self._get(owner, id)
            del self._stored[owner][id]

    def _get(self, owner: bytes | None, id: str) -> Glossary:
        found = self._stored.get(owner, {}).get(id)
        if found is None:
            raise ServingError(404, f"Glossary {id[:40]!r} is not there. Glossaries are gone when the server ends.")
        return found.glossary

    def _keep(self, owner: bytes | None, glossary: Glossary) -> Glossary:
        """Keep a glossary, if there is room for it beside the others of its key."""
        limits = self.limits
        new = _StoredGlossary(glossary, glossary.num_entries, glossary.num_bytes)
        if not glossary.name.strip() or len(glossary.name.encode()) > limits.phrase_bytes:
            rule = f"must be a name of at most {limits.phrase_bytes:,} bytes"
            raise ServingError(400, f"name {rule}; got {glossary.name[:40]!r}.")
        if new.num_entries > limits.glossary_entries:
            message = f"A glossary may have at most {limits.glossary_entries:,} entries; got {new.num_entries:,}."
            raise ServingError(413, message)
        others = [each for id, each in self._stored.get(owner, {}).items() if id != glossary.id]
        for name, count, most in (
            ("glossaries", len(others) + 1, limits.glossaries),
            ("entries of glossaries", _sum(others, new, "num_entries"), limits.all_glossary_entries),
            ("bytes of glossaries", _sum(others, new, "num_bytes"), limits.all_glossary_bytes),
        ):
            if count > most:
                raise ServingError(QUOTA, f"A key may have at most {most:,} {name}; got {count:,}. Delete some.")
        self._stored.setdefault(owner, {})[glossary.id] = new
        return glossary


def _sum(others: Sequence[_StoredGlossary], new: _StoredGlossary, name: str) -> int:
    return sum(getattr(each, name) for each in (*others, new))


def required_phrases(
    glossaries: Sequence[Terms],
    translator: Translator,
    sentences: Sequence[str | EncodedSentence],
    options: DecodingOptions,
) -> list[Sequence[str]]:
    """The phrases that the translation of each sentence must have, without those that it cannot have: as the tokenizer
    cannot write them, or as they are too long for it.
    """

    def can_have(sentence: str | EncodedSentence, phrases: list[str]) -> bool:
        try:
            translator.requests([sentence], options, None, [phrases])
        except RegardError:
            return False
        return True

    longest = 16 * translator.max_positions  # what is longer cannot be read, and is refused
    return [
        fitting(
            target_phrases(text_of(each), glossaries) if len(text_of(each)) <= longest else [], partial(can_have, each)
        )
        for each in sentences
    ]
