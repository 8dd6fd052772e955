"""Inspections that are kept for a while, so that the weights of their heads can be had one by one."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from regard.inspection.inspection import Inspection
from regard.serving.directions import Direction
from regard.serving.limits import ServingError

KEPT_SECONDS = 600.0
"""So long is an inspection kept."""
MOST_PROMISED, MOST_INSPECTIONS, MOST_BYTES = 10_000, 32, 256_000_000
"""So many texts that can be inspected are kept, so many inspections, and so much of them; of more, the oldest are dropped."""


@dataclass
class Kept:
    """A text and the ids of its translation, and their inspection once it was asked for."""

    model: Direction | str
    """The direction of a model that translates, the name of another."""
    text: str
    target_ids: Sequence[int]
    began: float
    seen: Inspection | None = None
    snapshot: int | None = None
    """The step of training after which the model was kept that is looked into; None: the model itself."""


class Inspections:
    """Inspections by name. It is for one thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def add(
        self,
        model: Direction | str,
        text: str,
        target_ids: Sequence[int],
        seen: Inspection | None = None,
        snapshot: int | None = None,
    ) -> str:
        """The name of an inspection; without `seen`, of one that is made when it is asked for."""
        name = secrets.token_hex(8)
        self._kept[name] = Kept(model, text, target_ids, time.monotonic(), seen, snapshot)
        self._drop()
        return name

    def put(self, kept: Kept, seen: Inspection) -> None:
        """Note an inspection that was made."""
        kept.seen = seen
        self._drop()

    def get(self, name: str) -> Kept:
        """The inspection of this name.

        Raises:
            ServingError: 410, it is gone.
        """
        kept = self._kept.get(name)
        if kept is None or time.monotonic() - kept.began > KEPT_SECONDS:
            self._kept.pop(name, None)
            raise ServingError(410, "This inspection is gone; ask for it again.")
        return kept

    def _drop(self) -> None:
        """Forget what is too old or too much, but never the newest."""
        now, num_seen, size = time.monotonic(), 0, 0
        for number, (name, kept) in enumerate(reversed(list(self._kept.items()))):
            if kept.seen is not None:
                num_seen, size = num_seen + 1, size + kept.seen.record.num_bytes
            is_much = number >= MOST_PROMISED or num_seen > MOST_INSPECTIONS or size > MOST_BYTES
            if number and (is_much or now - kept.began > KEPT_SECONDS):
                del self._kept[name]
                if kept.seen is not None:
                    num_seen, size = num_seen - 1, size - kept.seen.record.num_bytes
