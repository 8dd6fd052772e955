"""Keys of clients: from a file, compared in constant time, with a limit of requests for each."""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from regard.errors import SettingsError
from regard.serving.limits import NO_KEY, ServingError
from regard.serving.shared_state import SharedState, owner_name
from regard.text.lines import read_lines

MINUTE = 60.0


class Keys:
    """The keys of a file: one to a line, a space and the requests a minute that it may make after it, if there is a limit.

    Args:
        path: None: no keys are asked for.
        state: where the requests of each key are counted; None: in this process.
    Raises:
        DataError: the file cannot be read.
        SettingsError: no key in it, or a limit that is no number.
    """

    def __init__(self, path: Path | None, state: SharedState | None = None) -> None:
        self._path, self._state = path, state or SharedState()
        self._limits = {} if path is None else _read(path)
        with self._state.transaction() as database:
            database.execute("CREATE TABLE IF NOT EXISTS requests (owner TEXT, time REAL)")
            database.execute("CREATE INDEX IF NOT EXISTS requests_of_owner ON requests (owner, time)")

    def reload(self) -> None:
        """Read the file again. What each key has asked for in the last minute still counts. If the file cannot be read, the keys
        stay as they are.

        Raises:
            DataError, SettingsError: as at first.
        """
        if self._path is not None:
            self._limits = _read(self._path)

    @property
    def are_needed(self) -> bool:
        """Whether clients must have a key."""
        return bool(self._limits)

    def check(self, headers: Mapping[str, str], fields: Mapping[str, Any]) -> bytes | None:
        """Make sure that a request may be made, and return its key; None: no keys are needed.

        The key is in `Authorization` (`Bearer` or `DeepL-Auth-Key`), in `x-goog-api-key`, or a field `api_key`, `auth_key` or
        `key`.

        Raises:
            ServingError: `NO_KEY`, without a key, or with another; 429, too many requests in a minute.
        """
        if not self._limits:
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() not in ("bearer", "deepl-auth-key") or not given:
            named = (fields.get(name) for name in ("api_key", "auth_key", "key"))
            given = headers.get("x-goog-api-key") or next(
                (each for each in named if isinstance(each, str) and each), ""
            )
        found = None
        for key in self._limits:  # all of them, so that time tells nothing
            if hmac.compare_digest(key, given.strip().encode("utf-8", "replace")):
                found = key
        if found is None:
            message = "Invalid API key" if given else "An API key is needed."
            raise ServingError(NO_KEY, message, code="invalid_api_key")
        limit = self._limits[found]
        if limit is not None:
            self._note(found, limit)
        return found

    def _note(self, key: bytes, limit: int) -> None:
        """Note a request of a key.

        Raises:
            ServingError: 429, too many in a minute.
        """
        owner, now = owner_name(key), time.monotonic()  # the clock of the machine, for all processes
        with self._state.transaction() as database:
            database.execute("DELETE FROM requests WHERE owner = ? AND time < ?", [owner, now - MINUTE])
            count, first = database.execute(
                "SELECT count(*), min(time) FROM requests WHERE owner = ?", [owner]
            ).fetchone()
            if count >= limit:
                wait = max(1, round(MINUTE - (now - first)))
                raise ServingError(429, f"Slowdown: this key may make {limit} requests a minute.", wait)
            database.execute("INSERT INTO requests VALUES (?, ?)", [owner, now])


def _read(path: Path) -> dict[bytes, int | None]:
    """The keys of a file, each with its requests a minute; None: without a limit."""
    limits: dict[bytes, int | None] = {}
    for number, line in enumerate(read_lines(path), start=1):
        words = list(takewhile(lambda word: not word.startswith("#"), line.split()))  # the rest is a comment
        if not words:
            continue
        key, *rest = words[:2]
        if rest and not (rest[0].isascii() and rest[0].isdigit() and int(rest[0])):
            raise SettingsError(f"{path}, line {number}: a limit must be requests a minute; got {rest[0]!r}.")
        limits[key.encode()] = int(rest[0]) if rest else None
    if not limits:
        raise SettingsError(f"{path} must hold keys, one to a line; got none.")
    return limits
