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

CACHED_SECONDS = 600.0
"""So long is an inspection cached."""
MOST_PROMISED, MOST_INSPECTIONS, MOST_BYTES = 10_000, 32, 256_000_000
"""The bounds of texts whose inspection is promised, of inspections, and of their memory; of more, the oldest are dropped."""


@dataclass
class CachedInspection:
    """A text and the ids of its translation, and their inspection once it was asked for."""

    model: Direction | str
    """The direction of a model that translates, the name of another."""
    text: str
    target_ids: Sequence[int]
    began: float
    inspection: Inspection | None = None
    snapshot: int | None = None
    """The step of training after which the model was kept that is looked into; None: the model itself."""


class InspectionCache:
    """Inspections by name. It is for one thread."""

    def __init__(self) -> None:
        self._cached: OrderedDict[str, CachedInspection] = OrderedDict()

    def add(
        self,
        model: Direction | str,
        text: str,
        target_ids: Sequence[int],
        inspection: Inspection | None = None,
        snapshot: int | None = None,
    ) -> str:
        """The name of an inspection; without `inspection`, of one that is made when it is asked for."""
        name = secrets.token_hex(8)
        self._cached[name] = CachedInspection(model, text, target_ids, time.monotonic(), inspection, snapshot)
        self._drop()
        return name

    def put(self, cached: CachedInspection, inspection: Inspection) -> None:
        """Note an inspection that was made."""
        cached.inspection = inspection
        self._drop()

    def get(self, name: str) -> CachedInspection:
        """The inspection of this name.

        Raises:
            ServingError: 410, it is gone.
        """
        cached = self._cached.get(name)
        if cached is None or time.monotonic() - cached.began > CACHED_SECONDS:
            self._cached.pop(name, None)
            raise ServingError(410, "This inspection is gone; ask for it again.")
        return cached

    def _drop(self) -> None:
        """Forget inspections that are too old or too many, but never the newest."""
        now, num_inspections, size = time.monotonic(), 0, 0
        for number, (name, cached) in enumerate(reversed(list(self._cached.items()))):
            if cached.inspection is not None:
                num_inspections, size = num_inspections + 1, size + cached.inspection.record.num_bytes
            is_much = number >= MOST_PROMISED or num_inspections > MOST_INSPECTIONS or size > MOST_BYTES
            if number and (is_much or now - cached.began > CACHED_SECONDS):
                del self._cached[name]
                if cached.inspection is not None:
                    num_inspections, size = num_inspections - 1, size - cached.inspection.record.num_bytes
