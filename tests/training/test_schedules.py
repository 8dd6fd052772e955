"""The learning rate of every schedule at the steps that define it."""

import itertools
import math
from typing import get_args

import pytest
import torch

from regard.training.schedules import Schedule, learning_rate, paper_peak

NAMES = get_args(Schedule)


def rates(schedule: Schedule, steps: int = 100, warmup_steps: int = 20) -> list[float]:
    settings = {"peak": 2.0, "warmup_steps": warmup_steps, "steps": steps}
    return [learning_rate(schedule, step, **settings) for step in range(1, steps + 1)]


@pytest.mark.parametrize("schedule", NAMES)
def test_all_rise_alike_to_the_peak_and_never_after(schedule: Schedule) -> None:
    found = rates(schedule)
    assert found[:20] == pytest.approx([2.0 * step / 20 for step in range(1, 21)])
    assert max(found) == pytest.approx(2.0)
    assert all(first >= second for first, second in itertools.pairwise(found[19:]))
    assert min(found) > 0


def test_each_falls_in_its_way() -> None:
    assert rates("inverse_sqrt")[79] == pytest.approx(2 * (20 / 80) ** 0.5)
    assert rates("constant")[99] == 2.0
    assert rates("linear")[59] == pytest.approx(2 * 41 / 81)
    assert rates("linear")[99] == pytest.approx(2 / 81)
    assert rates("cosine")[59] == pytest.approx(1 - math.cos(math.pi * 41 / 81))
    assert rates("warmup_stable_decay")[79] == pytest.approx(2.0)
    assert rates("warmup_stable_decay")[89] == pytest.approx(2 * 11 / 21)


@pytest.mark.parametrize("schedule", NAMES)
def test_a_warm_up_longer_than_the_run_is_cut_off(schedule: Schedule) -> None:
    found = rates(schedule, steps=10, warmup_steps=40)
    assert all(0 < rate <= 2.0 * 10 / 40 + 1e-9 for rate in found)


def test_cosine_is_pytorchs() -> None:
    """Counted from the end of warm-up."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=2.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=81)
    expected = []
    for _ in range(80):
        optimizer.step()
        theirs.step()
        expected.append(theirs.get_last_lr()[0])
    assert rates("cosine")[20:] == pytest.approx(expected)


def test_the_papers_peak() -> None:
    """Vaswani et al. 2017, equation 3, at the end of warm-up: 512^-0.5 4000^-0.5."""
    assert paper_peak(512, 4000) == pytest.approx(512**-0.5 * 4000**-0.5)
