"""The number of steps of decoding that may be taken at a time, and a flag by which another thread ends them."""

from __future__ import annotations

import ctypes

MOST_STEPS = 16
"""Steps that are taken at a time where nobody reads along."""


class StepLimit:
    """A limit of the steps that are taken at a time.

    Args:
        most: at least 1.
    """

    def __init__(self, most: int) -> None:
        self.most, self._flag = most, ctypes.c_int64(0)

    def interrupt(self) -> None:
        """End the steps after the one under way, if there is one, until `clear` is called. Any thread may call it."""
        self._flag.value = 1

    def clear(self) -> None:
        """Let several steps be taken again."""
        self._flag.value = 0

    @property
    def address(self) -> int:
        """The address of the flag, an integer of 64 bits, for C: 0, or 1 where it was interrupted."""
        return ctypes.addressof(self._flag)


ONE_STEP = StepLimit(1)
