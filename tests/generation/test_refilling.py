"""Sentences that take the slot of finished ones are decoded as if they were alone, whatever the position scheme."""

import random

import pytest
import torch
from table_model import EOS, SYMBOLS, TableModel

from regard.generation.decoding import FEW, MOST_HELD, Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.generation.step_limit import StepLimit
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build

POSITIONS = [
    "sinusoidal",
    "learned",
    "rotary",
    "alibi",
    "t5",
    "relative_key",
    "relative_key_query",
    "shaw",
]
SIZES = {"vocab_size": 23, "model_dim": 24, "ff_dim": 32, "num_heads": 3, "head_dim": 8, "max_positions": 14}


def sharp(model: torch.nn.Module) -> torch.nn.Module:
    """Weights so large that attention is far from flat: a key at a wrong distance is another answer."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "query_proj" in name or "key_proj" in name or "positions" in name:
                parameter.mul_(4)
    return model.eval()


def same(found: list[Hypothesis], alone: list[Hypothesis]) -> bool:
    pairs = list(zip(found, alone, strict=True))
    return all(a.ids == b.ids and a.score == pytest.approx(b.score, abs=1e-4) for a, b in pairs)


@pytest.mark.parametrize("positions", [*POSITIONS, "ssru"])
def test_an_encoder_decoder(positions: str) -> None:
    """Of a decoder with an SSRU, states change places."""
    torch.manual_seed(1)
    choices = {"decoder_past": "ssru", "positions": "none"} if positions == "ssru" else {"positions": positions}
    model = sharp(build(EncoderDecoderConfig(**SIZES, num_encoder_layers=1, num_decoder_layers=2, **choices)))
    rng = random.Random(1)
    requests = [
        Request([*rng.choices(range(4, 23), k=rng.randint(1, 9)), 3], rng.randint(3, 14)) for _ in range(8)
    ]  # fmt: skip
    symbols = TargetSymbols([2], 3, 0, (0, 1, 2))
    for width in (1, 3) if positions in ("rotary", "shaw", "ssru") else (3,):
        rule = BeamSettings(width, width)
        alone = [Decoding(model, [request], BeamSearch(rule, 3), symbols).run()[0] for request in requests]
        for batch_size, side in ((1, "right"), (3, "left")):
            found = Decoding(
                model, requests, BeamSearch(rule, 3), symbols, batch_size=batch_size, padding_side=side
            ).run()  # fmt: skip
            assert all(same(a, b) for a, b in zip(found, alone, strict=True)), (width, batch_size)


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_language_model(positions: str) -> None:
    torch.manual_seed(1)
    model = sharp(build(DecoderConfig(**SIZES, num_layers=2, positions=positions)))
    rng = random.Random(1)
    requests = [
        Request(rng.choices(range(4, 23), k=(length := rng.randint(1, 9))), rng.randint(3, 15 - length), seed=seed)
        for seed in range(8)
    ]
    symbols = TargetSymbols((), 3, 0, (0, 1, 2))
    for temperature in (0.0, 1.0):
        rule = SamplingOptions(temperature=temperature)
        options = {"padding_side": "left"}
        alone = [Decoding(model, [request], Sampling(rule, (3,)), symbols, **options).run()[0] for request in requests]
        for batch_size in (1, 3):
            found = Decoding(model, requests, Sampling(rule, (3,)), symbols, batch_size=batch_size, **options).run()
            assert all(same(a, b) for a, b in zip(found, alone, strict=True)), (temperature, batch_size)


def test_a_place_that_is_done_while_others_run_on() -> None:
    # At step 60 seven leave, and seven others take their slots; at 100 the first leaves, whose slot stays free to 160.
    lengths = [100, *[60] * 7, *[100] * 7]
    requests = [Request([number], length, length) for number, length in enumerate(lengths)]
    rule = BeamSearch(BeamSettings(1), EOS)
    found = Decoding(TableModel(), requests, rule, SYMBOLS, batch_size=8).run()
    assert [len(hypotheses[0].token_log_probs) for hypotheses in found] == lengths


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "shaw"])
@pytest.mark.parametrize("family", ["encoder-decoder", "decoder"])
def test_a_slot_that_stays_free_for_longer_than_the_model_can_write(family: str, positions: str) -> None:
    torch.manual_seed(3)
    if family == "decoder":
        model = sharp(build(DecoderConfig(**SIZES, num_layers=1, positions=positions)))
    else:
        sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1}
        model = sharp(build(EncoderDecoderConfig(**SIZES, **sizes, positions=positions)))
    symbols = TargetSymbols(
        [2] if family == "encoder-decoder" else [], 3, 0, (0, 1, 2, 3)
    )  # they end at their limits only
    rng = random.Random(2)

    def request(length: int) -> Request:
        return Request([*rng.choices(range(4, 23), k=4), 3], length)

    decoding = Decoding(model, [], BeamSearch(BeamSettings(2), 3), symbols, batch_size=5)
    asked = {
        number: request(length) for number, length in enumerate((5, 6, 7, 8, 1))
    }  # the last slot is free after a step
    for number, one in asked.items():
        decoding.add(number, one)
    found: dict[int, list[Hypothesis]] = {}
    for _ in range(36):
        for number, hypotheses in decoding.step():
            found[number] = hypotheses
            if number != 4:  # one more for each that is done: it takes the first free slot
                asked[len(asked)] = request(rng.randint(4, 8))
                decoding.add(len(asked) - 1, asked[len(asked) - 1])
        assert decoding.active is not None
        assert decoding.active.requests[4] is None or 4 not in found
    assert len(found) > 16
    for number, hypotheses in found.items():
        alone = Decoding(model, [asked[number]], BeamSearch(BeamSettings(2), 3), symbols).run()[0]
        assert same(hypotheses, alone), number


@pytest.mark.parametrize(("count", "steps"), [(1, MOST_HELD), (3, MOST_HELD), (FEW, 0)])
def test_few_that_come_to_a_large_batch_wait_a_little_for_others(count: int, steps: int) -> None:
    """They are encoded together, and none waits for more than some steps."""
    torch.manual_seed(2)
    model = sharp(build(EncoderDecoderConfig(**SIZES, num_encoder_layers=1, num_decoder_layers=1)))
    requests = [Request([5, 6, 7, 3], 14, min_length=14) for _ in range(64 - count)]
    running = Decoding(
        model, requests, BeamSearch(BeamSettings(2), 3), TargetSymbols([2], 3, 0, (0, 1, 2)), batch_size=64
    )
    running.step()
    for number in range(count):
        running.add(100 + number, Request([8, 9, 3], 4))
    for step in range(steps + 1):
        assert running.num_open == 64
        running.step(StepLimit(16))
        assert running.active is not None
        has_slots = {running.active.slot_of(100 + number) is not None for number in range(count)}
        assert has_slots == {step == steps}
