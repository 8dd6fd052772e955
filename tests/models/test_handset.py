"""Models set by hand do exactly what they say; and what looks inside them must see exactly that."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.inspection.capture import capture
from regard.models import handcrafted
from regard.models.encoder import Encoder

BOS, VOCAB = 2, 11


def weights_of(model: Encoder, ids: torch.Tensor) -> torch.Tensor:
    with capture(model) as seen:
        model(ids)
    return seen["layers.0.self_attention"].weights()[0, 0]


@given(st.lists(st.integers(3, VOCAB - 1), min_size=1, max_size=30))
def test_the_histogram_counts(tokens: list[int]) -> None:
    model = handcrafted.histogram(VOCAB, 30, bos_id=BOS)
    ids = torch.tensor([[BOS, *tokens]])
    counted = model(ids)[0, 1:].argmax(-1) + 1
    assert counted.tolist() == [tokens.count(token) for token in tokens]
    weights = weights_of(model, ids)
    for row, token in enumerate(tokens, start=1):
        expected = [1 / (tokens.count(token) + 1) if key in (BOS, token) else 0.0 for key in [BOS, *tokens]]
        assert weights[row].tolist() == pytest.approx(expected, rel=1e-6, abs=0)


def test_the_histogram_does_not_count_padding() -> None:
    model = handcrafted.histogram(VOCAB, 5, bos_id=BOS)
    ids = torch.tensor([[BOS, 5, 5, 6, 0, 0]])
    assert (model(ids)[0, 1:4].argmax(-1) + 1).tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("make", "pattern"),
    [
        (handcrafted.identity, torch.eye(6)),
        (handcrafted.previous_token, torch.eye(6).roll(1, 0).index_put((torch.tensor(0),), torch.eye(6)[0])),
        (handcrafted.reversal, torch.eye(6).flip(0)),
    ],
)
def test_one_key_has_all_the_weight(make: object, pattern: torch.Tensor) -> None:
    model = make(VOCAB, 6)  # type: ignore[operator]
    ids = torch.tensor([[3, 7, 7, 4, 9, 10]])
    assert torch.equal(weights_of(model, ids), pattern)
    assert torch.equal(model(ids)[0].argmax(-1), (pattern.long() @ ids[0]))


def test_row_statistics_of_known_rows() -> None:
    with capture(handcrafted.reversal(VOCAB, 6)) as seen:
        handcrafted.reversal(VOCAB, 6)  # another model: not captured
    assert len(seen) == 0
    model = handcrafted.reversal(VOCAB, 6)
    with capture(model) as seen:
        model(torch.tensor([[3, 4, 5, 6, 7, 8]]))
    statistics = seen["layers.0.self_attention"].row_statistics(positions=[5])
    assert not statistics.entropy.any()
    assert statistics.argmax[0, 0].tolist() == [5, 4, 3, 2, 1, 0]
    assert statistics.mass is not None
    assert statistics.mass[0, 0].tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_decoding_alternates(temperature: float) -> None:
    model = handcrafted.alternating(VOCAB, 12)
    rule, symbols = Sampling(SamplingOptions(temperature=temperature), ()), TargetSymbols((), 3)
    ((sample,),) = Decoding(model, [Request([4, 9], 7)], rule, symbols).run()
    assert sample.ids == [4, 9, 4, 9, 4, 9, 4]
