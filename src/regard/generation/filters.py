"""What changes log-probabilities before a token is chosen: pure rules on what has been written so far."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from regard.generation.live import Live


@runtime_checkable
class Filter(Protocol):
    """Changes log-probabilities in place; -inf forbids."""

    def __call__(self, log_probs: Float[Tensor, "place beam vocab"], live: Live) -> None:
        """Change the log-probabilities of the next token of each hypothesis."""
        ...
