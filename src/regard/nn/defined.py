"""Results that are NaN: an error, wherever one would be read as an answer.

Weights that are finite can still be so large that sums and products of them are not.
"""

from __future__ import annotations

from torch import Tensor

from regard.errors import SettingsError

LOG_PROBS = "the model's log-probabilities"


def defined(results: Tensor, what: str = LOG_PROBS) -> Tensor:
    """The results of a model, of which none is NaN.

    Args:
        what: they are, in the message.
    Raises:
        SettingsError: one is NaN.
    """
    if bool(results.isnan().any()):
        raise undefined(what)
    return results


def undefined(what: str = LOG_PROBS) -> SettingsError:
    """The error of results that are NaN."""
    return SettingsError(
        f"{what} must be numbers; got NaN. Weights, biases or an adapter are too large for sums and products of them."
    )
