"""The learning rate of each step, counted from 1: pure functions, all linear up to `peak` during warm-up."""

from __future__ import annotations

import math
from typing import Literal

Schedule = Literal["inverse_sqrt", "linear", "cosine", "warmup_stable_decay", "constant"]
DECAY_SHARE = 0.2
"""The share of a run in which `warmup_stable_decay` falls."""


def learning_rate(schedule: Schedule, step: int, *, peak: float, warmup_steps: int, steps: int) -> float:
    """The learning rate of a step on a schedule.

    Args:
        peak: the highest rate, at the end of warm-up.
        steps: the length of the run; a warm-up that is longer is cut off by its end.
    """
    if schedule == "inverse_sqrt":
        return inverse_sqrt_rate(step, peak=peak, warmup_steps=warmup_steps)
    if schedule == "constant":
        return constant_rate(step, peak=peak, warmup_steps=warmup_steps)
    return FALLING[schedule](step, peak=peak, warmup_steps=warmup_steps, steps=steps)


def inverse_sqrt_rate(step: int, *, peak: float, warmup_steps: int) -> float:
    """A rate that falls with the root of the step: rate = peak min(step / warmup_steps, sqrt(warmup_steps / step)).

    With `peak = paper_peak(...)` this is equation 3 of Vaswani et al. 2017, section 5.3, also called Noam's schedule.
    """
    return peak * min(step / warmup_steps, (warmup_steps / step) ** 0.5)


def linear_rate(step: int, *, peak: float, warmup_steps: int, steps: int) -> float:
    """A rate that falls straight to 0 after the last step.

    rate = peak min(step / warmup_steps, (steps + 1 - step) / (steps + 1 - warmup_steps))

    Source: Devlin et al. 2019, appendix A.2.
    """
    return peak * min(step / warmup_steps, _remaining(step, warmup_steps, steps))


def cosine_rate(step: int, *, peak: float, warmup_steps: int, steps: int) -> float:
    """A rate that falls along half a cosine to 0 after the last step: rate = peak (1 - cos(pi remaining)) / 2,
    remaining from 1 to 0.

    Source: Loshchilov and Hutter 2017, equation 5, without restarts.
    """
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (1 - math.cos(math.pi * _remaining(step, warmup_steps, steps))) / 2


def warmup_stable_decay_rate(step: int, *, peak: float, warmup_steps: int, steps: int) -> float:
    """A constant rate that falls straight to 0 in the last fifth of the run. Source: Hu et al. 2024, equation 1."""
    decay_steps = max(round(DECAY_SHARE * steps), 1)
    return peak * min(step / warmup_steps, 1.0, (steps + 1 - step) / (decay_steps + 1))


def constant_rate(step: int, *, peak: float, warmup_steps: int) -> float:
    """A rate that is constant after warm-up."""
    return peak * min(step / warmup_steps, 1.0)


def paper_peak(model_dim: int, warmup_steps: int) -> float:
    """The highest learning rate of Vaswani et al. 2017, equation 3: 1 / sqrt(model_dim warmup_steps)."""
    return float((model_dim * warmup_steps) ** -0.5)


def _remaining(step: int, warmup_steps: int, steps: int) -> float:
    """The share of the time after warm-up that is left, from 1 to 0."""
    return (steps + 1 - step) / max(steps + 1 - warmup_steps, 1)


FALLING = {"linear": linear_rate, "cosine": cosine_rate, "warmup_stable_decay": warmup_stable_decay_rate}
"""The schedules that depend on the length of the run."""
