"""The metrics and the health of all processes of a server together, whichever of them is asked."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from regard.batching.metrics import Numbers, text_of
from regard.serving.character_counts import CharacterCounts
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState

SECONDS = 1.0
"""The time between two reports of a process to the others."""
STALE_SECONDS = 15.0
"""A process that has not reported for so long is gone: what it counted stays, what it is doing does not."""


class Health(TypedDict):
    """`ok`, and no more where nothing has failed, as LibreTranslate's clients expect."""

    status: str
    crashes: NotRequired[int]
    last_crash: NotRequired[str]
    reload_error: NotRequired[str]


class ProcessReports:
    """The reports of the processes. Each writes its own from time to time; the one that is asked adds the others' to it."""

    def __init__(self, state: SharedState, registry: ModelRegistry, characters: CharacterCounts) -> None:
        self._state, self._registry, self._characters = state, registry, characters
        registry.metrics.gauge("regard_workers", lambda: 1)
        self._number: int | None = None
        with state.transaction() as database:
            database.execute("CREATE TABLE IF NOT EXISTS reports (number INTEGER PRIMARY KEY, time REAL, report TEXT)")
            database.execute("CREATE TABLE IF NOT EXISTS failed_reloads (error TEXT)")

    def write(self, *, is_last: bool = False) -> None:
        """Tell the other processes.

        Args:
            is_last: the process ends, and does nothing any more.
        """
        self._characters.write()
        report = json.dumps([self._numbers(), self._own_health()])
        now = 0.0 if is_last else time.monotonic()
        with self._state.transaction() as database:
            row = database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?, ?)", [self._number, now, report])
            self._number = row.lastrowid

    def metrics(self) -> str:
        """The metrics of all processes, as Prometheus reads them."""
        others = []
        for is_alive, (numbers, _) in self._others():
            each = Numbers(*numbers)
            others.append(each if is_alive else Numbers(each.counts, each.times, {}))
        return text_of([self._numbers(), *others])

    def health(self) -> Health:
        """Whether the server is alive, and what has failed in one of its processes."""
        found = [self._own_health(), *(health for is_alive, (_, health) in self._others() if is_alive)]
        content: Health = {"status": "ok"}
        if failed := [each for each in found if "crashes" in each]:
            content["crashes"] = sum(each["crashes"] for each in failed)
            content["last_crash"] = failed[0]["last_crash"]
        errors = [each["reload_error"] for each in found if "reload_error" in each]
        with self._state.transaction(only_reads=True) as database:
            errors += [error for (error,) in database.execute("SELECT error FROM failed_reloads")]
        if errors:
            content["reload_error"] = errors[0]
        return content

    def _numbers(self) -> Numbers:
        return self._registry.metrics.numbers()

    def _own_health(self) -> Health:
        content: Health = {"status": "ok"}
        if failed := [each.queue for each in self._registry.all_schedulers if each.queue.num_crashes]:
            content["crashes"] = sum(each.num_crashes for each in failed)
            content["last_crash"] = failed[0].last_crash
        if self._registry.reload_error:
            content["reload_error"] = self._registry.reload_error
        return content

    def _others(self) -> list[tuple[bool, list[Any]]]:
        """Whether each other process is alive, and its last report."""
        oldest = time.monotonic() - STALE_SECONDS
        with self._state.transaction(only_reads=True) as database:
            rows = database.execute("SELECT time, report FROM reports WHERE number IS NOT ?", [self._number]).fetchall()
        return [(reported > oldest, json.loads(report)) for reported, report in rows]


def note_reload(path: Path, error: str) -> None:
    """Note whether the models could be loaded anew, for the health of the server.

    Args:
        path: of the state.
        error: empty: they could.
    """
    with closing(SharedState(path)) as state, state.transaction() as database:
        database.execute("CREATE TABLE IF NOT EXISTS failed_reloads (error TEXT)")
        database.execute("DELETE FROM failed_reloads")
        if error:
            database.execute("INSERT INTO failed_reloads VALUES (?)", [error])
