import math
from collections import Counter

import pytest
import torch

from regard.errors import SettingsError
from regard.generation.sampling import SamplingSettings, draw, filtered_logits, sample
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder

PROBS = torch.tensor([[0.5, 0.25, 0.15, 0.1]])


def kept(settings: SamplingSettings) -> list[bool]:
    return filtered_logits(PROBS.log(), settings).isfinite()[0].tolist()


def test_what_can_be_drawn() -> None:
    assert kept(SamplingSettings()) == [True] * 4
    assert kept(SamplingSettings(temperature=0)) == [True, False, False, False]
    assert kept(SamplingSettings(top_k=2)) == [True, True, False, False]
    assert kept(SamplingSettings(top_k=9)) == [True] * 4
    assert kept(SamplingSettings(top_p=0.5)) == [True, False, False, False]
    assert kept(SamplingSettings(top_p=0.51)) == [True, True, False, False]
    assert kept(SamplingSettings(top_p=0.001)) == [True, False, False, False]
    assert kept(SamplingSettings(top_k=3, top_p=0.8)) == [True, True, False, False]  # of the three, two have 5/6


def test_the_temperature_divides_logits() -> None:
    logits = filtered_logits(PROBS.log(), SamplingSettings(temperature=2.0))
    torch.testing.assert_close(logits.softmax(-1), PROBS.sqrt() / PROBS.sqrt().sum())


def test_draws_follow_the_distribution() -> None:
    """Chi-squared with 3 degrees of freedom stays below 16.27 in 999 of 1,000 cases."""
    generator, count = torch.Generator().manual_seed(0), 20_000
    drawn = Counter(draw(PROBS.log().expand(count, 4), generator).tolist())
    chi_squared = sum((drawn[i] - count * p) ** 2 / (count * p) for i, p in enumerate(PROBS[0].tolist()))
    assert chi_squared < 16.27


def test_a_banned_token_is_never_drawn() -> None:
    logits = PROBS.log().expand(2000, 4).clone()
    logits[:, 0] = -math.inf
    assert 0 not in draw(logits, torch.Generator().manual_seed(0)).tolist()


@pytest.fixture
def model() -> Decoder:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Decoder(
            DecoderConfig(vocab_size=11, model_dim=8, ff_dim=8, num_heads=2, num_layers=1, max_positions=32)
        )
        for parameter in model.parameters():
            parameter.data += torch.randn_like(parameter) * 0.5
    return model.eval()


def test_greedy_sampling_takes_the_likeliest(model: Decoder) -> None:
    prompt = torch.tensor([[5, 6, 7]])
    (written,) = sample(model, prompt, SamplingSettings(0), max_tokens=6, generators=[torch.Generator()])
    ids = prompt
    for id in written:
        assert id == model(ids)[0, -1].argmax()
        ids = torch.cat((ids, torch.tensor([[id]])), dim=1)


def test_a_row_does_not_depend_on_the_other_rows(model: Decoder) -> None:
    prompts = torch.tensor([[5, 6, 7], [0, 8, 9], [4, 4, 4]])

    def generators() -> list[torch.Generator]:
        return [torch.Generator().manual_seed(seed) for seed in (1, 2, 3)]

    options = {"max_tokens": 20, "end_ids": (3,), "banned_ids": (0,)}
    together = sample(model, prompts, SamplingSettings(), generators=generators(), **options)  # type: ignore[arg-type]
    for row in range(3):
        (alone,) = sample(
            model, prompts[row : row + 1], SamplingSettings(), generators=[generators()[row]], **options  # type: ignore[arg-type]
        )  # fmt: skip
        assert together[row] == alone
    assert len({len(row) for row in together}) > 1  # some ended early
    assert not any(id in (0, 3) for row in together for id in row)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": -1.0}, "temperature must be at least 0, and finite; got -1.0"),
        ({"temperature": math.nan}, "temperature must be at least 0, and finite; got nan"),
        ({"top_k": 0}, "top_k must be at least 1; got 0"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1; got 0.0"),
        ({"top_p": 1.5}, "top_p must be above 0 and at most 1; got 1.5"),
    ],
)
def test_settings_out_of_range(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SamplingSettings(**settings)  # type: ignore[arg-type]


def test_ties_do_not_widen_the_top_and_tiny_temperatures_do_not_overflow() -> None:
    assert filtered_logits(torch.zeros(1, 5), SamplingSettings(top_k=1)).isfinite().sum() == 1
    cold = filtered_logits(PROBS.log(), SamplingSettings(temperature=1e-40))
    assert cold.softmax(-1)[0, 0] == 1
