import pytest
import torch
from torch import nn

from regard.training.optimization import WeightAverage
from regard.training.precision import MasterWeights, resolve_precision
from regard.training.schedules import inverse_sqrt_rate, linear_rate, paper_peak


@pytest.mark.parametrize("step", [1, 100, 3999, 4000, 4001, 100_000])
def test_the_papers_learning_rate(step: int) -> None:
    published = 512**-0.5 * min(step**-0.5, step * 4000**-1.5)
    rate = inverse_sqrt_rate(step, peak=paper_peak(512, 4000), warmup_steps=4000)
    assert rate == pytest.approx(published)


def test_the_average_forgets_the_start_and_follows_the_weights() -> None:
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = WeightAverage(model, decay=0.9)
    expected = 0.0
    for step in range(1, 200):
        model.weight.data.fill_(float(step))
        average.update(step)
        decay = min(0.9, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * step
    assert average.model.weight.item() == pytest.approx(expected, rel=1e-5)
    assert 185 < expected < 199


def test_no_average_is_the_model_itself() -> None:
    model = nn.Linear(1, 1)
    assert WeightAverage(model, decay=0.0).model is model


def test_small_updates_survive_in_master_weights() -> None:
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1.0)
    weights = MasterWeights(model, torch.bfloat16)
    for _ in range(100):
        model.weight.data += 0.001  # an eighth of bfloat16's step at 1: each alone would be rounded away
        weights.spread_weights()
    assert model.weight.item() == pytest.approx(1.1, abs=1e-4)
    assert weights.compute.weight.item() == pytest.approx(1.1, abs=0.005)


def test_gradients_of_the_copy_are_added_up_in_float32() -> None:
    model = nn.Linear(1, 1, bias=False)
    weights = MasterWeights(model, torch.bfloat16)
    for gradient in (256.0, 1.0, 1.0):
        weights.compute.weight.grad = torch.full((1, 1), gradient, dtype=torch.bfloat16)
        weights.gather_gradients()
    assert model.weight.grad is not None
    assert model.weight.grad.item() == 258.0  # in bfloat16 it would be 256
    assert weights.compute.weight.grad is None


def test_precision_by_name() -> None:
    cpu = torch.device("cpu")
    assert resolve_precision("float32", cpu) == torch.float32
    assert resolve_precision("bfloat16", cpu) == torch.bfloat16
    assert resolve_precision("auto", cpu) in (torch.float32, torch.bfloat16)


def test_the_linear_schedule_rises_to_its_peak_and_falls_to_nearly_0() -> None:
    rates = [linear_rate(step, peak=3.0, warmup_steps=4, steps=12) for step in range(1, 13)]
    assert rates[:4] == pytest.approx([0.75, 1.5, 2.25, 3.0])
    assert rates[4:] == pytest.approx([3 * left / 9 for left in range(8, 0, -1)])
    assert linear_rate(3, peak=3.0, warmup_steps=50, steps=3) == pytest.approx(3 * 3 / 50)
