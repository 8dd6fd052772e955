import math
from collections import Counter

import pytest
import torch

from regard.errors import SettingsError
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.sampling import Sampling, SamplingOptions, draw, filtered_logits
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder

PROBS = torch.tensor([[0.5, 0.25, 0.15, 0.1]])


def kept(settings: SamplingOptions) -> list[bool]:
    return filtered_logits(PROBS.log(), settings).isfinite()[0].tolist()


def test_what_can_be_drawn() -> None:
    assert kept(SamplingOptions()) == [True] * 4
    assert kept(SamplingOptions(temperature=0)) == [True, False, False, False]
    assert kept(SamplingOptions(top_k=2)) == [True, True, False, False]
    assert kept(SamplingOptions(top_k=9)) == [True] * 4
    assert kept(SamplingOptions(top_p=0.5)) == [True, False, False, False]
    assert kept(SamplingOptions(top_p=0.51)) == [True, True, False, False]
    assert kept(SamplingOptions(top_p=0.001)) == [True, False, False, False]
    assert kept(SamplingOptions(top_p=1e-50)) == [True, False, False, False]  # 0 in float32
    assert kept(SamplingOptions(typical=1e-50)) == [False, True, False, False]
    assert kept(SamplingOptions(min_p=0.25)) == [True, True, True, False]
    assert kept(SamplingOptions(min_p=0.51)) == [True, False, False, False]
    # Surprises 0.69, 1.39, 1.90, 2.30 nats; their mean is 1.21: the second is nearest, then the first.
    assert kept(SamplingOptions(typical=0.25)) == [False, True, False, False]
    assert kept(SamplingOptions(typical=0.26)) == [True, True, False, False]
    assert kept(SamplingOptions(top_k=3, top_p=0.8)) == [True, True, False, False]  # of the three, two have 5/6


def test_the_temperature_divides_logits() -> None:
    logits = filtered_logits(PROBS.log(), SamplingOptions(temperature=2.0))
    torch.testing.assert_close(logits.softmax(-1), PROBS.sqrt() / PROBS.sqrt().sum())


def test_draws_follow_the_distribution() -> None:
    """Chi-squared with 3 degrees of freedom stays below 16.27 in 999 of 1,000 cases."""
    generator, count = torch.Generator().manual_seed(0), 5_000
    drawn = Counter(draw(PROBS.log().expand(count, 4), torch.rand(count, generator=generator)).tolist())
    chi_squared = sum((drawn[i] - count * p) ** 2 / (count * p) for i, p in enumerate(PROBS[0].tolist()))
    assert chi_squared < 16.27


def test_a_banned_token_is_never_drawn() -> None:
    logits = PROBS.log().expand(2000, 4).clone()
    logits[:, 0] = -math.inf
    uniform = torch.cat((torch.tensor([0.0, 1.0]), torch.rand(1998, generator=torch.Generator().manual_seed(0))))
    assert 0 not in draw(logits, uniform).tolist()


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


def samples(
    model: Decoder,
    prompts: list[list[int]],
    settings: SamplingOptions,
    max_tokens: int,
    width: int = 1,
    size: int = 64,
) -> list[list[list[int]]]:
    requests = [Request(prompt, max_tokens, seed=sum(prompt)) for prompt in prompts]
    rule, symbols = Sampling(settings, (3,), width), TargetSymbols((), 3, banned_ids=(0,))
    found = Decoding(model, requests, rule, symbols, padding_side="left", batch_size=size).run()  # type: ignore[arg-type]
    return [[sample.ids for sample in drawn] for drawn in found]


def test_greedy_sampling_takes_the_likeliest(model: Decoder) -> None:
    (((*written,),),) = samples(model, [[5, 6, 7]], SamplingOptions(temperature=0), 6)
    ids = torch.tensor([[5, 6, 7]])
    for id in written:
        assert id == model(ids)[0, -1, 1:].argmax() + 1
        ids = torch.cat((ids, torch.tensor([[id]])), dim=1)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_samples_do_not_depend_on_what_else_is_decoded(model: Decoder, size: int) -> None:
    prompts = [[5, 6, 7], [8, 9], [4, 4, 4, 4], [10], [6, 5], [9, 9, 8], [7, 4, 5, 6]]
    together = samples(model, prompts, SamplingOptions(), 20, width=3, size=size)
    for prompt, drawn in zip(prompts, together, strict=True):
        assert samples(model, [prompt], SamplingOptions(), 20, width=3) == [drawn]
    assert len({len(ids) for drawn in together for ids in drawn}) > 1  # some ended early
    assert not any(id in (0, 3) for drawn in together for ids in drawn for id in ids)


def test_samples_of_whole_targets_follow_the_distribution(model: Decoder) -> None:
    """All targets of two tokens, against their exact probabilities; the chi-squared limit is passed once in 1,000 times."""
    (drawn,) = samples(model, [[5, 6]], SamplingOptions(), 2, width=5_000)
    counts = Counter(map(tuple, drawn))

    def log_probs(ids: list[int]) -> torch.Tensor:
        logits = model(torch.tensor([ids]))[0, -1].detach().double()
        return logits.log_softmax(-1)

    first = log_probs([5, 6])
    banned = first[0].exp().item()
    expected = {(): first[3].exp().item() / (1 - banned)}
    for a in (x for x in range(1, 11) if x != 3):
        second = log_probs([5, 6, a])
        scale = first[a].exp().item() / (1 - banned) / (1 - second[0].exp().item())
        expected[(a,)] = scale * second[3].exp().item()
        expected.update({(a, b): scale * second[b].exp().item() for b in range(1, 11) if b != 3})
    assert sum(expected.values()) == pytest.approx(1)
    chi_squared = sum((counts[ids] - 5_000 * p) ** 2 / (5_000 * p) for ids, p in expected.items())
    assert chi_squared < 149.4  # 100 degrees of freedom


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": -1.0}, "temperature must be at least 0; got -1.0"),
        ({"temperature": math.nan}, "temperature must be a finite number; got nan"),
        ({"top_k": 0}, "top_k must be at least 1; got 0"),
        ({"top_p": 0.0}, "top_p must be greater than 0; got 0.0"),
        ({"top_p": 1.5}, "top_p must be at most 1; got 1.5"),
    ],
)
def test_settings_out_of_range(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SamplingOptions(**settings)  # type: ignore[arg-type]


def test_ties_do_not_widen_the_top_and_tiny_temperatures_do_not_overflow() -> None:
    assert filtered_logits(torch.zeros(1, 5), SamplingOptions(top_k=1)).isfinite().sum() == 1
    cold = filtered_logits(PROBS.log(), SamplingOptions(temperature=1e-40))
    assert cold.softmax(-1)[0, 0] == 1
