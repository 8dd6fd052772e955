"""Run by test_tracing.py, without the shape checks: compile, export, vmap, meta device, autocast, quantised layers."""

import math
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn import (
    Additive,
    Attention,
    BucketedBias,
    ClippedRelative,
    DotProduct,
    GaussianKernel,
    LinearBias,
    MultiHeadAttention,
    RelativeKey,
    Rotary,
    ScaledDotProduct,
    attention,
    causal_mask,
    length_mask,
    masked_softmax,
)

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
VARIANTS: dict[str, Callable[[], MultiHeadAttention]] = {
    "plain": lambda: MultiHeadAttention(12, 3),
    "grouped": lambda: MultiHeadAttention(12, 4, num_kv_heads=2, head_dim=4),
    "rotary": lambda: MultiHeadAttention(12, 3, attention=Attention(positions=Rotary(4))),
    "linear bias": lambda: MultiHeadAttention(12, 3, attention=Attention(positions=LinearBias(3))),
    "buckets": lambda: MultiHeadAttention(12, 3, attention=Attention(DotProduct(), BucketedBias(3))),
    "relative key": lambda: MultiHeadAttention(12, 3, attention=Attention(positions=RelativeKey(4, 16))),
    "clipped": lambda: MultiHeadAttention(12, 3, attention=Attention(positions=ClippedRelative(4, 2))),
    "gaussian": lambda: MultiHeadAttention(12, 3, attention=Attention(GaussianKernel())),
    "additive": lambda: MultiHeadAttention(12, 3, attention=Attention(Additive(4, 4, 5))),
}

FAMILIES: dict[str, tuple[Callable[..., Any], int]] = {
    "encoder-decoder": (
        lambda **sizes: EncoderDecoder(EncoderDecoderConfig(num_encoder_layers=1, num_decoder_layers=1, **sizes)), 2,
    ),
    "decoder": (lambda **sizes: Decoder(DecoderConfig(num_layers=1, **sizes)), 1),
}  # fmt: skip
"""How a family's model is made, and how many texts it reads."""
POSITIONS = ["sinusoidal", "learned", "rotary", "alibi", "t5", "relative_key", "shaw"]
PAIRED = [
    pytest.param(positions, training, family, marks=() if (i + training + j) % 2 else pytest.mark.slow)
    for i, positions in enumerate(POSITIONS)
    for training in (False, True)
    for j, family in enumerate(FAMILIES)
]
"""All combinations. Half of them hold every pair of values; the others are slow."""


@pytest.fixture(autouse=True)
def forget_compiled() -> None:
    torch.compiler.reset()


def random(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape))).to(dtype)


@pytest.mark.parametrize("kernel", ["matmul", "sdpa", "tiled"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_closed_rows_stay_0_when_compiled(kernel: str, dtype: torch.dtype) -> None:
    tensors = [random(2, 3, 5, 7, dtype=dtype).requires_grad_() for _ in range(3)]
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[0, 0, 2] = False
    mask[1] = False
    score = Additive(7, 7, 11).to(dtype) if kernel == "tiled" else ScaledDotProduct()
    run = torch.compile(attention, backend="aot_eager", fullgraph=True)
    context = run(*tensors, mask=mask, score=score, kernel=kernel)
    assert context.isfinite().all()
    assert not context[0, :, 2].any()
    assert not context[1].any()
    assert context[0, :, 0].all()
    context.float().square().sum().backward()
    for tensor in tensors:
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
        assert not tensor.grad[1].any()


@pytest.mark.parametrize("name", VARIANTS)
def test_compile_gives_the_same(name: str) -> None:
    torch.manual_seed(0)
    module, x = VARIANTS[name](), random(2, 5, 12)
    mask = length_mask(torch.tensor([3, 5]), 5)
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x, mask=mask, causal=True), module(x, mask=mask, causal=True))
    module.zero_grad()
    compiled(x, mask=mask, causal=True).square().sum().backward()
    ours = {key: parameter.grad.clone() for key, parameter in module.named_parameters() if parameter.grad is not None}
    module.zero_grad()
    module(x, mask=mask, causal=True).square().sum().backward()
    for key, parameter in module.named_parameters():
        torch.testing.assert_close(ours.get(key), parameter.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("positions", "training", "family"), PAIRED)
def test_states_are_one_graph_for_any_shape(positions: str, training: bool, family: str) -> None:
    torch.manual_seed(0)
    make, sides = FAMILIES[family]
    model = make(model_dim=12, ff_dim=20, num_heads=3, vocab_size=50, positions=positions)
    graphs = []

    def keep(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(model.train(training).states, backend=keep, dynamic=True, fullgraph=True)
    for batch, length in ((3, 7), (4, 9), (6, 5), (2, 11)):
        ids = [torch.randint(0, 50, (batch, length + side)) for side in range(sides)]
        states = compiled(*ids)
        if not training:
            torch.testing.assert_close(states, model.states(*ids), rtol=1e-4, atol=1e-5)
    assert len(graphs) == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch's own compiler needs g++")
def test_the_default_compiler() -> None:
    torch.manual_seed(0)
    module, x = VARIANTS["rotary"]().eval(), random(2, 5, 12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context = torch.compile(module)(x, causal=True)
    torch.testing.assert_close(context, module(x, causal=True))


@pytest.mark.parametrize("name", VARIANTS)
def test_export_with_a_length_of_ones_own(name: str) -> None:
    torch.manual_seed(0)
    module = VARIANTS[name]().eval()
    length = torch.export.Dim("length", min=2, max=16)
    exported = torch.export.export(
        module, (random(2, 5, 12),), {"causal": True}, dynamic_shapes={"query": {1: length}, "causal": None}
    ).module()
    for size in (5, 9):
        x = random(2, size, 12)
        torch.testing.assert_close(exported(x, causal=True), module(x, causal=True), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", ["matmul", "sdpa", "tiled"])
def test_vmap(kernel: str) -> None:
    query, key, value = random(6, 2, 5, 4), random(6, 2, 7, 4), random(6, 2, 7, 3)
    mask = torch.rand(6, 5, 7) < 0.6
    score = Additive(4, 4, 5) if kernel == "tiled" else ScaledDotProduct()

    def run(q: Tensor, k: Tensor, v: Tensor, m: Tensor) -> Tensor:
        return attention(q, k, v, mask=m, score=score, kernel=kernel)

    with torch.no_grad():
        mapped = torch.func.vmap(run)(query, key, value, mask)
        expected = torch.stack([run(*parts) for parts in zip(query, key, value, mask, strict=True)])
    torch.testing.assert_close(mapped, expected, rtol=1e-5, atol=1e-5)


def test_vmap_over_lengths() -> None:
    scores, lengths = random(6, 2, 5, 7), torch.arange(12).view(6, 2) % 8
    mapped = torch.func.vmap(lambda s, n: masked_softmax(s, valid_lengths=n))(scores, lengths)
    for part, s, n in zip(mapped, scores, lengths, strict=True):
        torch.testing.assert_close(part, masked_softmax(s, valid_lengths=n))


def test_gradients_of_each_example() -> None:
    """What `torch.func` is used for: the gradient of every example of a batch at once."""
    torch.manual_seed(0)
    module, x = MultiHeadAttention(12, 3), random(4, 5, 12)
    parameters = dict(module.named_parameters())

    def loss(parameters: dict[str, Tensor], example: Tensor) -> Tensor:
        return torch.func.functional_call(module, parameters, (example[None],)).square().sum()

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x)
    for i, example in enumerate(x):
        alone = torch.func.grad(loss)(parameters, example)
        for name in parameters:
            torch.testing.assert_close(each[name][i], alone[name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_meta_device_knows_the_shape(name: str) -> None:
    with torch.device("meta"):
        module, x = VARIANTS[name](), torch.empty(2, 5, 12)
        assert module(x, mask=length_mask(torch.tensor([3, 5]), 5), causal=True).shape == (2, 5, 12)
    big = torch.empty(1, 4096, 12, device="meta")
    assert module(big[:, :16]).shape == (1, 16, 12)


@pytest.mark.parametrize("name", VARIANTS)
def test_autocast(name: str) -> None:
    torch.manual_seed(0)
    module, x = VARIANTS[name](), random(2, 5, 12)
    expected = module(x, causal=True)
    with torch.autocast("cpu", torch.bfloat16):
        context = module(x, causal=True)
        context.float().square().sum().backward()
    assert context.dtype == torch.bfloat16
    torch.testing.assert_close(context.float(), expected, rtol=0.1, atol=0.1)
    assert all(parameter.grad is not None for parameter in module.parameters() if parameter is not None)


@pytest.mark.parametrize("name", VARIANTS)
def test_quantised_linear_maps(name: str) -> None:
    torch.manual_seed(0)
    module, x = VARIANTS[name]().eval(), random(2, 5, 12)
    expected = module(x, mask=causal_mask(5))
    with warnings.catch_warnings():  # torch.ao is to move to torchao
        warnings.simplefilter("ignore")
        quantised = torch.ao.quantization.quantize_dynamic(module, {nn.Linear}, dtype=torch.qint8)
        context = quantised(x, mask=causal_mask(5))
    assert not isinstance(quantised.query_proj, nn.Linear)
    torch.testing.assert_close(context, expected, rtol=0.2, atol=0.1)
