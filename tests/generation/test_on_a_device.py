"""Decoding on a device that must be waited for: the same results, and one wait a step."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from table_model import without

from regard.data.prefetching import pinned
from regard.generation.decoding import Decoding, Rule, texts_at_once
from regard.generation.filters import Filter, Likeliest, NoRepeatedNgrams, OnlyTokens, RepetitionPenalty
from regard.generation.mixed_adapters import AdaptedState
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules import sampling
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.generation.rules.stochastic import StochasticBeam
from regard.models.config import DecoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.recurrent import Recurrent
from regard.nn import positions
from regard.nn.positions import widest_float
from simulated_device import META, SimulatedDevice, moved

VOCAB = 40
SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 32, "num_heads": 2}
SYMBOLS = TargetSymbols(start_ids=(2,), eos_id=3, pad_id=0, banned_ids=(0, 1))
MODELS: dict[str, Any] = {
    "sinusoidal": lambda: EncoderDecoder(EncoderDecoderConfig(vocab_size=VOCAB, **SIZES)),
    "rotary": lambda: EncoderDecoder(EncoderDecoderConfig(vocab_size=VOCAB, positions="rotary", **SIZES)),
    "t5": lambda: EncoderDecoder(EncoderDecoderConfig(vocab_size=VOCAB, positions="t5", **SIZES)),
    "shaw": lambda: EncoderDecoder(EncoderDecoderConfig(vocab_size=VOCAB, positions="shaw", **SIZES)),
    "gru": lambda: Recurrent(RecurrentConfig(vocab_size=VOCAB, model_dim=16)),
    "decoder": lambda: Decoder(DecoderConfig(vocab_size=VOCAB, **SIZES)),
}
RULES: dict[str, Any] = {
    "beam": lambda: BeamSearch(BeamSettings(4, length_norm="average"), 3),
    "greedy": lambda: BeamSearch(BeamSettings(1), 3),
    "groups": lambda: BeamSearch(BeamSettings(4, num_groups=2, diversity=0.7), 3),
    "sample": lambda: Sampling(SamplingOptions(top_p=0.9), (3,), 2),
    "stochastic": lambda: StochasticBeam(3, 3),
}
FILTERS: list[Filter] = [
    OnlyTokens(range(2, VOCAB - 3)), without((7,), (8, 9), vocab=VOCAB), NoRepeatedNgrams(2), RepetitionPenalty(1.2)
]  # fmt: skip


def requests(count: int, phrases: tuple[tuple[int, ...], ...] = ()) -> list[Request]:
    """Some with a prefix, a least length, or phrases that their targets must contain."""
    torch.manual_seed(5)
    sources = [[*torch.randint(4, VOCAB, (1 + 5 * number % 9,)).tolist(), 3] for number in range(count)]
    return [
        Request(
            ids, 6 + number % 9, min_length=number % 4, prefix_ids=(5, 6) if number % 3 == 2 else (), seed=number,
            required=phrases if number % 2 else (),
        )
        for number, ids in enumerate(sources)
    ]  # fmt: skip


def model(kind: str) -> Any:
    torch.manual_seed(4)
    made = MODELS[kind]().eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(1.5)  # so that some targets end and others go on
    return made


PHRASES = ((11, 12), (20,))


def decoding(
    kind: Any, rule: Rule, filters: list[Filter], *, phrases: tuple[tuple[int, ...], ...] = (), **where: Any
) -> Decoding:
    side = "left" if isinstance(kind, Decoder) else "right"
    symbols = TargetSymbols((), 3, 0, (0, 1)) if isinstance(kind, Decoder) else SYMBOLS
    return Decoding(
        kind, requests(7, phrases), rule, symbols, batch_size=4, filters=filters, padding_side=side, **where
    )


@pytest.mark.parametrize(
    ("kind", "rule", "filtered", "phrases"),
    [
        *(
            pytest.param(kind, "beam", False, (), marks=[pytest.mark.slow] * (kind in ("sinusoidal", "t5")))
            for kind in MODELS
        ),
        *(("rotary", rule, rule != "groups", ()) for rule in RULES),
        ("gru", "groups", True, ()),
        *(("rotary", rule, False, PHRASES) for rule in ("beam", "groups")),
    ],
)
def test_results_are_those_of_the_cpu(kind: str, rule: str, filtered: bool, phrases: Any) -> None:
    filters = FILTERS if filtered else []
    expected: list[list[Hypothesis]] = decoding(model(kind), RULES[rule](), filters, phrases=phrases).run()
    with SimulatedDevice():
        found = decoding(moved(model(kind)), RULES[rule](), filters, phrases=phrases, device=META).run()
    for ours, theirs in zip(found, expected, strict=True):
        assert [(each.ids, each.finish_reason) for each in ours] == [(each.ids, each.finish_reason) for each in theirs]
        assert [each.score for each in ours] == pytest.approx([each.score for each in theirs], rel=1e-3)
    if phrases:
        assert all({11, 12, 20} <= set(each.ids) for ours in found[1::2] for each in ours)


@pytest.mark.parametrize(
    ("kind", "rule", "phrases"),
    [
        *(
            pytest.param(
                kind, rule, (), marks=[pytest.mark.slow] * (kind != "rotary" and (kind, rule) != ("shaw", "beam"))
            )
            for kind in MODELS
            if kind != "gru"
            for rule in RULES
        ),
        *(("rotary", rule, PHRASES) for rule in ("beam", "groups")),
    ],
)
def test_a_step_waits_once(kind: str, rule: str, phrases: Any) -> None:
    with SimulatedDevice() as device:
        running = decoding(moved(model(kind)), RULES[rule](), FILTERS, phrases=phrases, device=META)
        running.step()
        while running.num_open:
            refills = bool(running._waiting)
            device.waits.clear()
            running.step()
            assert sum(device.waits.values()) <= (2 if refills else 1), device.waits


def test_the_likeliest_tokens_of_all_sentences_are_one_wait() -> None:
    noted = []
    for is_simulated in (False, True):
        likeliest = Likeliest()
        for number in (1, 2, 4, 7):
            likeliest.counts[number], likeliest.noted[number] = 1 + number, {}
        if not is_simulated:
            decoding(model("rotary"), RULES["beam"](), [likeliest]).run()
        else:
            with SimulatedDevice() as device:
                running = decoding(moved(model("rotary")), RULES["beam"](), [likeliest], device=META)
                while running.num_open:
                    device.waits.clear()
                    running.step()
                    assert sum(device.waits.values()) <= 3, device.waits  # with one for sentences that take free slots
        noted.append(likeliest.noted)
    for number, ours in noted[0].items():
        assert list(ours) == list(noted[1][number])
        for before, tokens in ours.items():
            assert [id for id, _ in tokens] == [id for id, _ in noted[1][number][before]]
            assert len(tokens) == 1 + number


def test_which_adapter_a_sentence_has_is_on_the_device() -> None:
    with SimulatedDevice():
        model_on_device: Any = moved(model("rotary"))
        ids = torch.full((3, 4), 5).to(META)
        states = [
            AdaptedState(model_on_device.prefill(ids), torch.tensor(each).to(META), True)
            for each in ([1, 2, 0], [3, 3, 4])
        ]
        replaced = states[0].replace(torch.tensor([2, 0]), states[1], torch.tensor([2, 1]))
        kept = replaced.select(torch.tensor([2, 1, 0]), torch.zeros(3, 1, dtype=torch.long))
        assert kept.adapters.cpu().tolist() == [4, 2, 3]


def test_how_many_sentences_are_decoded_together() -> None:
    assert [texts_at_once(None, torch.device(name)) for name in ("cpu", "cuda")] == [64, 256]
    assert [texts_at_once(8, torch.device(name)) for name in ("cpu", "cuda")] == [8, 8]


def test_apples_gpu_is_given_no_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    assert widest_float(torch.device("mps")) == torch.float32
    exact = decoding(model("rotary"), RULES["sample"](), []).run()
    for module in (sampling, positions):
        monkeypatch.setattr(module, "widest_float", lambda _: torch.float32)
    draw = sampling.draw
    moved_numbers: list[torch.dtype] = []
    monkeypatch.setattr(sampling, "draw", lambda *given: moved_numbers.append(given[1].dtype) or draw(*given))
    found = decoding(model("rotary"), RULES["sample"](), []).run()
    assert set(moved_numbers) == {torch.float32}
    assert positions.Rotary(8).frequencies(torch.device("cpu")).dtype == torch.float32
    assert [[each.ids for each in ours] for ours in found] == [[each.ids for each in theirs] for theirs in exact]


def test_a_batch_of_ones_own_is_not_pinned() -> None:
    batch = object()
    assert pinned(batch) is batch
