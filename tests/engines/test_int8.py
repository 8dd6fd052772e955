"""Weights and inputs of 8 bits: exact sums, so one result with every kernel, on every processor, in any batch."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_native import LIBRARY, configurations, decode, disturbed, followed, make, some_sources
from torch import nn

from regard.compiled import library
from regard.engines.native_transformer import NativeTransformer
from regard.engines.structures import NativeLinear
from regard.errors import SettingsError
from regard.generation.request import Request
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn.quantization import quantized

pytestmark = pytest.mark.skipif(LIBRARY is None, reason="there are no native layers")
KINDS = {
    "avx512vnni": (0, 1, 2, 3, 4),
    "avx512": (0, 1, 2),
    "avxvnni": (0, 1, 2, 3),
    "avx2": (0, 1, 2),
    "i8mm": (0, 1, 3, 5),
    "dotprod": (0, 1, 3),
    "neon": (0, 1),
}
"""The kernels that each library has, by the numbers of `linear.h`; 0 is its fastest, 1 has no instructions of its own."""


def libraries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The libraries that this processor can run."""
    found = {}
    for kind in KINDS:
        monkeypatch.setenv("REGARD_CPU", kind)
        try:
            opened = library.find_in(Path(library.__file__).parent).library
        except SettingsError:
            continue  # of another processor
        assert opened is not None
        found[kind] = opened
    monkeypatch.delenv("REGARD_CPU")
    return found


def products(linear: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    """A linear map by its definition: bytes times bytes as whole numbers, then scales and bias."""
    scales, weights = quantized(linear.weight.detach())
    largest = x.abs().amax(dim=1, keepdim=True)
    inputs = torch.round(x * torch.where(largest > 0, 127 / largest, torch.zeros(())))
    sums = (inputs.double() @ weights.double().mT).float()
    of_both = scales * (largest / 127)
    bias = 0.0 if linear.bias is None else linear.bias.detach().double()
    return (sums.double() * of_both.double() + bias).float()


@settings(max_examples=40)
@given(st.integers(1, 150), st.integers(1, 100), st.integers(1, 140), st.booleans(), st.integers(0, 10**6))
def test_every_kernel_gives_the_same_bits(inputs: int, outputs: int, rows: int, bias: bool, seed: int) -> None:
    torch.manual_seed(seed)
    linear = nn.Linear(inputs, outputs, bias=bias)
    x = torch.randn(rows, inputs) * torch.logspace(-6, 6, rows)[:, None]
    x[:: rows // 3 + 1] = 0
    x[-1] = -x[-1].abs()
    with pytest.MonkeyPatch.context() as patch:
        found = libraries(patch)
    expected = products(linear, x)
    for kind, opened in found.items():
        native = NativeLinear(opened, [linear], torch.int8)
        for kernel in KINDS[kind]:
            native.structure.kernel = kernel
            torch.testing.assert_close(native(x), expected, rtol=2e-7, atol=0)
            assert torch.equal(native(x), torch.cat([native(row[None]) for row in x]))
            one = NativeLinear(LIBRARY, [linear], torch.int8)
            assert torch.equal(native(x), one(x)), (kind, kernel)


def test_the_largest_sums_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes are 127 or -127, where instructions that sum in 16 bits would saturate."""
    inputs = 4096
    linear = nn.Linear(inputs, 40, bias=False)
    with torch.no_grad():
        linear.weight.copy_(torch.where(torch.rand(40, inputs) < 0.3, -127.0, 127.0))
        linear.weight[0], linear.weight[1] = 127, -127
    x = torch.where(torch.rand(3, inputs) < 0.3, -127.0, 127.0)
    x[0] = 127
    expected = (x.double() @ linear.weight.detach().double().mT).float()
    for kind, opened in libraries(monkeypatch).items():
        native = NativeLinear(opened, [linear], torch.int8)
        for kernel in KINDS[kind]:
            native.structure.kernel = kernel
            assert torch.equal(native(x), expected), (kind, kernel)


def test_inputs_that_cannot_be_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with a number that is not finite gives NaN, as in float32 it may; no other row does."""
    linear = nn.Linear(37, 5)
    x = torch.randn(6, 37)
    x[1, 3], x[2, 36], x[3, 0], x[4] = math.nan, math.inf, -math.inf, 1e-42
    for opened in libraries(monkeypatch).values():
        found = NativeLinear(opened, [linear], torch.int8)(x)
        assert found[1:4].isnan().all()
        assert torch.equal(found[4], linear.bias.detach())
        assert torch.equal(found[[0, 5]], NativeLinear(opened, [linear], torch.int8)(x[[0, 5]]))


def test_rows_of_weights_that_are_zero() -> None:
    linear = nn.Linear(8, 3)
    with torch.no_grad():
        linear.weight[1] = 0
    found = NativeLinear(LIBRARY, [linear], torch.int8)(torch.randn(4, 8))
    assert torch.equal(found[:, 1], linear.bias.detach()[1].expand(4))


def test_weights_near_0_keep_their_sign() -> None:
    """A scale of some 1e-44 has a digit or two."""
    linear = nn.Linear(4, 60, bias=False)
    with torch.no_grad():
        linear.weight.copy_(torch.logspace(-45, -30, 60)[:, None] * torch.tensor([1.0, -1.0, 0.5, 1.0]))
    scales, weights = quantized(linear.weight.detach())
    assert (weights.sign().float() * linear.weight.detach().sign() >= 0).all()
    found = NativeLinear(LIBRARY, [linear], torch.int8)(torch.ones(1, 4))[0]
    assert ((found > 0) | (scales < 1e-43)).all()


@pytest.mark.parametrize("changes", [{}, {"positions": "rotary", "gated": True, "norm_kind": "rms", "norm": "pre"}])
def test_a_model_is_near_the_one_in_float32(changes: dict[str, Any]) -> None:
    torch.manual_seed(5)
    sizes = {"model_dim": 48, "ff_dim": 96, "num_decoder_layers": 2, "num_encoder_layers": 2}
    model, sources = disturbed(make(**sizes, **changes)), some_sources(7, 9)
    with torch.inference_mode():
        ours, exact = (
            followed(NativeTransformer(model, LIBRARY, dtype), sources, beams=3, steps=4, seed=3)
            for dtype in (torch.int8, torch.float32)
        )
    away = (ours - exact).abs()
    assert 0 < away.mean() < 0.02 * exact.std()
    assert away.max() < 0.2 * exact.std()


def test_scores_are_equal_in_any_batch() -> None:
    torch.manual_seed(6)
    model = NativeTransformer(disturbed(make(model_dim=36, ff_dim=50)), LIBRARY, torch.int8)
    requests = [Request([*row.tolist(), 3], 12) for row in some_sources(60, 11)]
    alone = [decode(model, [request], 1)[0] for request in requests]
    for batch_size in (3, 60):  # more rows than are rounded at once
        found = decode(model, requests, batch_size)
        assert [[each.token_log_probs for each in of_one] for of_one in found] == [
            [each.token_log_probs for each in of_one] for of_one in alone
        ]


def test_inputs_whose_sums_could_overflow_are_refused() -> None:
    linear = nn.Linear(140_000, 1, bias=False, device="meta")
    linear.weight = nn.Parameter(torch.zeros(1, 140_000))
    with pytest.raises(SettingsError, match="at most 131,072"):
        NativeLinear(LIBRARY, [linear], torch.int8)


@settings(max_examples=15)
@given(st.data(), st.sampled_from(["sinusoidal", "rotary"]), st.sampled_from(["float32", "bfloat16", "int8"]))
def test_every_library_gives_the_same_bits(data: st.DataObject, positions: str, dtype: str) -> None:
    """Whole models: norms, attention and log-probabilities, too, are summed in one order on every processor."""
    torch.manual_seed(7)
    config = data.draw(configurations()) | {"positions": positions, "num_decoder_layers": 1, "num_encoder_layers": 1}
    config["output_transform"] = data.draw(st.booleans())
    model, sources = disturbed(EncoderDecoder(EncoderDecoderConfig(**config))), some_sources(5, 19)
    with pytest.MonkeyPatch.context() as patch:
        found = libraries(patch)
    with torch.inference_mode():
        results = [
            followed(NativeTransformer(model, each, getattr(torch, dtype)), sources, beams=3, steps=4, seed=1)
            for each in found.values()
        ]
    for each in results[1:]:
        assert torch.equal(each.nan_to_num(), results[0].nan_to_num())


def test_every_library_sums_probabilities_in_the_same_order() -> None:
    logits = 5 * torch.randn(3, 2, 3001)
    with pytest.MonkeyPatch.context() as patch:
        found = libraries(patch)
    results = []
    for each in found.values():
        results.append(torch.empty_like(logits))
        each.functions.regard_log_softmax(6, 3001, logits.data_ptr(), results[-1].data_ptr())
    assert all(torch.equal(each, results[0]) for each in results)
    torch.testing.assert_close(results[0], logits.log_softmax(dim=-1))
