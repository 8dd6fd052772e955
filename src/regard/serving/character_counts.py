"""The characters that each client has had translated."""

from __future__ import annotations

from collections import Counter
from threading import Lock

from regard.serving.shared_state import SharedState, owner_name


class CharacterCounts:
    """Counts of characters, by the client's key.

    A request is counted in this process, so that it does not wait for the database. `write` adds what was counted to that of all
    processes: `ProcessReports` calls it from time to time, and `total` before it reads.
    """

    def __init__(self, state: SharedState) -> None:
        self._state, self._lock, self._new = state, Lock(), Counter[str]()
        with state.transaction() as database:
            database.execute("CREATE TABLE IF NOT EXISTS characters (owner TEXT PRIMARY KEY, number INTEGER)")

    def add(self, owner: bytes | None, number: int) -> None:
        """Count the characters of a request."""
        with self._lock:
            self._new[owner_name(owner)] += number

    def write(self) -> None:
        """Tell the other processes what was counted."""
        with self._lock:
            new, self._new = self._new, Counter()
        if new:
            with self._state.transaction() as database:
                database.executemany(
                    "INSERT INTO characters VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET number = number + excluded.number",
                    new.items(),
                )

    def total(self, owner: bytes | None) -> int:
        """The characters of all texts of a client so far, by its key; None: no keys are needed."""
        self.write()
        with self._state.transaction(only_reads=True) as database:
            found = database.execute("SELECT number FROM characters WHERE owner = ?", [owner_name(owner)]).fetchone()
        return int(found[0]) if found else 0
