"""Glossaries, kept for the keys that made them until they are deleted or the server ends."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from regard.documents.terms import Terms, fitting, target_phrases
from regard.errors import RegardError
from regard.generation.options import DecodingOptions
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.limits import Limits, ServingError
from regard.serving.shared_state import SharedState, owner_name
from regard.text.encoded_sentence import EncodedSentence, text_of

QUOTA = 456
"""The status with which DeepL says that an account has no more room."""
MOST_READ = 100
"""Glossaries that stay in a process, ready to be searched for."""


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

    def as_json(self) -> str:
        """The glossary as a text, for `parse`."""
        entries = [(*vars(direction).values(), terms.entries) for direction, terms in self.dictionaries.items()]
        return json.dumps([self.name, entries, self.id, self.created.isoformat()])

    @classmethod
    def parse(cls, text: str) -> Glossary:
        """The glossary of a text that `as_json` has made."""
        name, entries, id, created = json.loads(text)
        dictionaries = {Direction(*direction): Terms(terms) for *direction, terms in entries}
        return cls(name, dictionaries, id, datetime.fromisoformat(created))

    def terms(self, direction: Direction) -> Terms:
        """The terms for a direction.

        Raises:
            ServingError: 404, there are none.
        """
        if direction not in self.dictionaries:
            known = ", ".join(map(str, self.dictionaries)) or "nothing"
            raise ServingError(404, f"Glossary {self.name!r} must have a dictionary for {direction}; it has {known}.")
        return self.dictionaries[direction]


class Glossaries:
    """The glossaries of all keys. Its methods may be called from several threads.

    Every method takes the key of the client, and sees the glossaries of this key alone; None is the key of all clients where
    no keys are needed.
    """

    def __init__(self, limits: Limits, state: SharedState) -> None:
        self.limits, self._state = limits, state
        self._read: OrderedDict[str, Glossary] = OrderedDict()
        with self._state.transaction() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS glossaries (place INTEGER PRIMARY KEY, version TEXT, owner TEXT, id TEXT, "
                "entries INTEGER, bytes INTEGER, content TEXT, UNIQUE (owner, id))"
            )

    def all(self, owner: bytes | None) -> list[Glossary]:
        """The glossaries of a key, the oldest first."""
        with self._state.transaction(only_reads=True) as database:
            rows = database.execute(
                "SELECT version, content FROM glossaries WHERE owner = ? ORDER BY place", [owner_name(owner)]
            )
            return [self._glossary(*row) for row in rows.fetchall()]

    def get(self, owner: bytes | None, id: str) -> Glossary:
        """A glossary.

        Raises:
            ServingError: 404, this key has none of this id.
        """
        with self._state.transaction(only_reads=True) as database:
            return self._get(database, owner, id)

    def add(self, owner: bytes | None, name: str, dictionaries: Mapping[Direction, Terms]) -> Glossary:
        """Keep a new glossary, which is returned.

        Raises:
            ServingError: 400, 413 or 456, it is out of bounds.
        """
        with self._state.transaction() as database:
            return self._keep(database, owner, Glossary(name, dictionaries))

    def change(self, owner: bytes | None, id: str, changed: Callable[[Glossary], Glossary]) -> Glossary:
        """Put another one in the place of a glossary; the new one is returned.

        Args:
            changed: of the glossary, the other one, with the same id.
        Raises:
            ServingError: 404, this key has none of this id; 400, 413 or 456, the new one is out of bounds.
        """
        with self._state.transaction() as database:
            return self._keep(database, owner, changed(self._get(database, owner, id)))

    def remove(self, owner: bytes | None, id: str) -> None:
        """Delete a glossary.

        Raises:
            ServingError: 404, this key has none of this id.
        """
        with self._state.transaction() as database:
            self._get(database, owner, id)
            database.execute("DELETE FROM glossaries WHERE owner = ? AND id = ?", [owner_name(owner), id])

    def _get(self, database: sqlite3.Connection, owner: bytes | None, id: str) -> Glossary:
        found = database.execute("SELECT version FROM glossaries WHERE owner = ? AND id = ?", [owner_name(owner), id])
        row = found.fetchone()
        if row is None:
            raise ServingError(404, f"Glossary {id[:40]!r} is not there. Glossaries are gone when the server ends.")
        if row[0] not in self._read:
            row += database.execute("SELECT content FROM glossaries WHERE version = ?", row).fetchone()
        return self._glossary(*row)

    def _glossary(self, version: str, content: str = "") -> Glossary:
        """The glossary of a version; the last few are not read again."""
        if version not in self._read:
            self._read[version] = Glossary.parse(content)
        self._read.move_to_end(version)
        found = self._read[version]
        while len(self._read) > MOST_READ:
            self._read.popitem(last=False)
        return found

    def _keep(self, database: sqlite3.Connection, owner: bytes | None, glossary: Glossary) -> Glossary:
        """Keep a glossary, if there is room for it beside the others of its key."""
        limits, name = self.limits, owner_name(owner)
        num_entries, num_bytes = glossary.num_entries, glossary.num_bytes
        if not glossary.name.strip() or len(glossary.name.encode()) > limits.phrase_bytes:
            rule = f"must be a name of at most {limits.phrase_bytes:,} bytes"
            raise ServingError(400, f"name {rule}; got {glossary.name[:40]!r}.")
        if num_entries > limits.glossary_entries:
            message = f"A glossary may have at most {limits.glossary_entries:,} entries; got {num_entries:,}."
            raise ServingError(413, message)
        others = database.execute(
            "SELECT count(*), total(entries), total(bytes) FROM glossaries WHERE owner = ? AND id != ?",
            [name, glossary.id],
        ).fetchone()
        for what, count, most in (
            ("glossaries", others[0] + 1, limits.glossaries),
            ("entries of glossaries", int(others[1]) + num_entries, limits.all_glossary_entries),
            ("bytes of glossaries", int(others[2]) + num_bytes, limits.all_glossary_bytes),
        ):
            if count > most:
                raise ServingError(QUOTA, f"A key may have at most {most:,} {what}; got {count:,}. Delete some.")
        database.execute(
            "INSERT INTO glossaries (version, owner, id, entries, bytes, content) "
            "VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (owner, id) DO UPDATE SET version = excluded.version, entries = excluded.entries, "
            "bytes = excluded.bytes, content = excluded.content",
            [str(uuid4()), name, glossary.id, num_entries, num_bytes, glossary.as_json()],
        )
        return glossary


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
