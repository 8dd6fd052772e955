"""The state that all processes of a server share: glossaries, requests and characters of keys, ids of inspections, counts.

It is an SQLite database: in memory for a server of one process, else in a file of the server's own temporary folder.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

WAITING_SECONDS = 30.0
"""The longest time for another process to finish what it writes."""


class SharedState:
    """A connection to the database. Its methods may be called from several threads. A forked process opens its own.

    Args:
        path: of the database; None: in memory, for this process alone.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lock = Lock()
        self._database = sqlite3.connect(
            path or ":memory:", timeout=WAITING_SECONDS, isolation_level=None, check_same_thread=False
        )
        if path is not None:
            self._database.execute("PRAGMA secure_delete = ON")  # no text stays in the file when its row is deleted
            # Not WAL, whose shared memory is a file that nobody seems to write: what cleans temporary folders would delete it.
            self._database.execute("PRAGMA journal_mode = TRUNCATE")
            self._database.execute("PRAGMA synchronous = OFF")  # nothing must survive a power cut, but a killed process

    @contextmanager
    def transaction(self, *, only_reads: bool = False) -> Iterator[sqlite3.Connection]:
        """While it lasts, no other thread or process writes. An error takes back what was written in it.

        Args:
            only_reads: another process may write meanwhile, which is not seen.
        """
        with self._lock:
            self._database.execute("BEGIN" if only_reads else "BEGIN IMMEDIATE")
            try:
                yield self._database
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


def owner_name(key: bytes | None) -> str:
    """The name of a key in the database, which does not hold the key itself; empty for all clients where no keys are needed."""
    return "" if key is None else hashlib.sha256(key).hexdigest()
