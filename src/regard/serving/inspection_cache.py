"""Inspections that can be asked for by an id for a while, so that the weights of their heads can be had one by one."""

from __future__ import annotations

import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from regard.inspection.inspection import Inspection
from regard.serving.directions import Direction
from regard.serving.limits import ServingError
from regard.serving.shared_state import SharedState

CACHED_SECONDS = 600.0
"""So long can an inspection be asked for."""
MOST_PROMISED, MOST_INSPECTIONS, MOST_BYTES = 10_000, 32, 256_000_000
"""The bounds of ids, and of the inspections that a process keeps in memory; of more, the oldest are dropped."""
GONE = "This inspection is gone; ask for it again."


@dataclass(frozen=True)
class InspectionRequest:
    """All that an inspection is made of."""

    models: str
    """The name of the loading of the models: after another one, it is gone."""
    model: Direction | str
    """The direction of a model that translates, the name of another."""
    text: str
    ids: Sequence[int] | None
    """The ids of the translation; of a language model, those of the text, if they are given."""
    has_end: bool = True
    """Whether the end symbol follows the translation; False: it was cut."""
    snapshot: int | None = None
    """The step of training after which the model was kept that is looked into; None: the model itself."""
    lens: bool = False
    """Whether each layer's states are recorded, too."""

    @classmethod
    def parse(cls, text: str) -> InspectionRequest:
        """The request that was written as JSON."""
        fields = json.loads(text)
        model = fields.pop("model")
        return cls(model=Direction(**model) if isinstance(model, dict) else model, **fields)


class InspectionCache:
    """Inspections by id. The ids are known to all processes of a server; each makes an inspection when it is first asked for it.
    It is for one thread.
    """

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._made: OrderedDict[str, tuple[float, Inspection]] = OrderedDict()
        with self._state.transaction() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS inspections (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, "
                "began REAL, request TEXT)"
            )

    def add(self, request: InspectionRequest, inspection: Inspection | None = None) -> str:
        """The id of an inspection; without `inspection`, of one that is made when it is asked for."""
        name, now = secrets.token_hex(8), time.monotonic()  # the clock of the machine, for all processes
        with self._state.transaction() as database:
            database.execute(
                "INSERT INTO inspections (id, began, request) VALUES (?, ?, ?)",
                [name, now, json.dumps(asdict(request), default=list)],
            )
            database.execute(
                "DELETE FROM inspections WHERE number <= (SELECT max(number) FROM inspections) - ? OR began < ?",
                [MOST_PROMISED, now - CACHED_SECONDS],
            )
        if inspection is not None:
            self.put(name, inspection)
        return name

    def get(self, name: str) -> InspectionRequest:
        """The request of the inspection that has this id.

        Raises:
            ServingError: 410, it is gone.
        """
        with self._state.transaction(only_reads=True) as database:
            found = database.execute("SELECT began, request FROM inspections WHERE id = ?", [name]).fetchone()
        if found is None or time.monotonic() - found[0] > CACHED_SECONDS:
            self._made.pop(name, None)
            raise ServingError(410, GONE)
        return InspectionRequest.parse(found[1])

    def put(self, name: str, inspection: Inspection) -> None:
        """Keep an inspection that was made. Those that are too old or too many are dropped, but never the newest."""
        now, size = time.monotonic(), 0
        self._made[name] = now, inspection
        for number, (each, (began, made)) in enumerate(reversed(list(self._made.items()))):
            size += made.record.num_bytes
            is_much = number >= MOST_INSPECTIONS or size > MOST_BYTES or now - began > CACHED_SECONDS
            if number and is_much:
                del self._made[each]
                size -= made.record.num_bytes

    def made(self, name: str) -> Inspection | None:
        """The inspection of this id, if this process has it."""
        return self._made[name][1] if name in self._made else None
