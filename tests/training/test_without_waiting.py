"""A training step waits for no device and launches few kernels: on the meta device, which has no values to wait for.

Meta tensors take the branches that tensors on a GPU take, and raise at whatever needs a value.
"""

from __future__ import annotations

import copy
import math
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from regard.data.batch import Batch, LabelledBatch, pad_right
from regard.data.batching import make_batch
from regard.data.prefetching import pinned
from regard.data.sequences import EncodedPairs, Sequences
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.presets import ENCODER_DECODER
from regard.models.recurrent import Recurrent
from regard.nn import losses
from regard.nn.losses import smoothed_cross_entropy
from regard.pipelines.devices import resolve_device
from regard.training.precision import prepare_gpu
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater

META = torch.device("meta")
SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 32, "num_heads": 2}
RNG = np.random.default_rng(1)


def pairs(count: int, longest: int = 9, vocab: int = 50) -> Batch:
    sides = [[RNG.integers(4, vocab, RNG.integers(1, longest)).tolist() for _ in range(count)] for _ in range(2)]
    return make_batch(EncodedPairs(*map(Sequences.from_lists, sides)), np.arange(count), pad_id=0, start_ids=[2])


def texts(count: int, labels: Tensor, longest: int = 9, vocab: int = 50) -> LabelledBatch:
    ids = pad_right([RNG.integers(4, vocab, longest).tolist() for _ in range(count)], 0)
    return LabelledBatch(ids, labels, int((labels >= 0).sum()), list(range(count)), pads_right=True)


TOKENS = torch.where(torch.rand(6, 9) < 0.5, torch.randint(4, 50, (6, 9)), -100)
FAMILIES: dict[str, tuple[Any, Any]] = {
    "encoder-decoder": (EncoderDecoder(EncoderDecoderConfig(vocab_size=50, **SIZES)), pairs(6)),
    "t5": (EncoderDecoder(EncoderDecoderConfig(vocab_size=50, positions="t5", norm_kind="rms", **SIZES)), pairs(6)),
    "rotary decoder": (Decoder(DecoderConfig(vocab_size=50, positions="rotary", **SIZES)), texts(6, TOKENS)),
    "decoder": (Decoder(DecoderConfig(vocab_size=50, **SIZES)), texts(6, TOKENS)),
    "mlm": (Encoder(EncoderConfig(vocab_size=50, **SIZES)), texts(6, TOKENS)),
    "tag": (
        Encoder(EncoderConfig(vocab_size=50, task="tag", labels=["a", "b"], **SIZES)),
        texts(6, TOKENS.clamp(max=1)),
    ),
    "classify": (
        Encoder(EncoderConfig(vocab_size=50, task="classify", labels=["a", "b"], **SIZES)),
        texts(6, torch.tensor([0, 1, 0, 1, 1, 0])),
    ),
    "gru": (Recurrent(RecurrentConfig(vocab_size=50, model_dim=16)), pairs(6)),
    "lstm": (Recurrent(RecurrentConfig(vocab_size=50, model_dim=16, cell="lstm", score="dot")), pairs(6)),
}


@pytest.fixture
def fused_on_meta(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's fused optimizer has a kernel for meta tensors, but does not list them."""
    monkeypatch.setattr(sys.modules["torch.optim.optimizer"], "_get_fused_kernels_supported_devices", lambda: ["meta"])


class Launches(TorchDispatchMode):
    """Counts the operations that would be kernels: not those that only look at a tensor in another way."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not func.is_view and "empty" not in func.name() and "detach" not in func.name():
            self.counts[func.name().removeprefix("aten::")] += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.usefixtures("fused_on_meta")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("precision", ["bfloat16", "float32"])
def test_a_step_waits_for_nothing(family: str, precision: str) -> None:
    model, batch = FAMILIES[family]
    model.register_buffer("seen", torch.zeros(3))  # which a step that is skipped must not change
    updater: Updater[Any, Any] = Updater(
        model.to(META), TrainingConfig(precision=precision, label_smoothing=0.1, accumulation=2)
    )
    for _ in range(2):
        outcome = updater.step([batch, batch], learning_rate=0.1)
        updater.average.update(1)
    with pytest.raises((RuntimeError, NotImplementedError)):
        _ = outcome.loss  # which is the one thing that waits


def test_the_loss_of_the_base_preset_is_few_kernels() -> None:
    sizes = ENCODER_DECODER["base"]["model"]
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=37_001, **sizes)).to(
        META, torch.bfloat16
    )  # no multiple of 64
    labels = torch.empty(25_000, dtype=torch.int64, device=META)
    states = torch.empty(25_000, model.config.model_dim, dtype=torch.bfloat16, device=META, requires_grad=True)
    with Launches() as launches:
        loss = smoothed_cross_entropy(states, model.output_embedding.weight, labels, smoothing=0.1)
        loss.backward()
    assert launches.counts["mm"] <= 3 * 7
    assert sum(launches.counts.values()) <= 150


def test_padding_masks_are_made_ready_once() -> None:
    """The mask of 12 attentions of `base`: of the encoder for itself, and of the decoder for the encoder's output."""
    config = EncoderDecoderConfig(vocab_size=50, **ENCODER_DECODER["base"]["model"])
    model, batch = EncoderDecoder(config).to(META).bfloat16(), pairs(6).to(META)
    with Launches() as launches:
        model.labelled_states(batch)
    assert launches.counts["any.dim"] == launches.counts["bitwise_or.Tensor"] == 2


@pytest.mark.parametrize("vocab", [50, 64, 190])
def test_a_filled_up_vocabulary_changes_nothing(vocab: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "aligned", lambda size, device: -(-size // 64) * 64)
    states = torch.randn(30, 8, requires_grad=True)
    weight, bias = torch.randn(vocab, 8, requires_grad=True), torch.randn(vocab, requires_grad=True)
    labels = torch.randint(0, vocab, (30,))
    ours = smoothed_cross_entropy(states, weight, labels, bias=bias, smoothing=0.2)
    theirs = F.cross_entropy(states @ weight.T + bias, labels, reduction="sum", label_smoothing=0.2)
    torch.testing.assert_close(ours, theirs)
    for a, b in zip(*(torch.autograd.grad(x, (states, weight, bias)) for x in (ours, theirs)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


@contextmanager
def seen_by_the_fused_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    seen: list[dict[str, Any]] = []
    fused = F.scaled_dot_product_attention

    def watched(*args: Any, **settings: Any) -> Tensor:
        seen.append(settings)
        return fused(*args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(F, "scaled_dot_product_attention", watched)
        yield seen


@pytest.mark.parametrize(
    ("family", "causal", "others"), [("encoder-decoder", 6, 12), ("decoder", 6, 0), ("rotary decoder", 6, 0)]
)
def test_causal_attention_has_no_mask(family: str, causal: int, others: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = FAMILIES[family]
    with seen_by_the_fused_kernel(monkeypatch) as seen:
        model.to(META).labelled_states(batch.to(META))
    plain = [each for each in seen if each["is_causal"] and each["attn_mask"] is None]
    assert (len(plain), len(seen) - len(plain)) == (causal, others)


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "alibi", "t5", "shaw"])
@pytest.mark.parametrize("gradients", [True, False])
def test_the_causal_mask_alone_hides_padding_on_the_right(positions: str, gradients: bool) -> None:
    torch.manual_seed(2)
    batch = pairs(9)
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=50, dropout=0.0, positions=positions, **SIZES))
    decoder = Decoder(DecoderConfig(vocab_size=50, dropout=0.0, positions=positions, **SIZES))
    is_token = batch.target_ids != 0
    with torch.set_grad_enabled(gradients):
        memory = model.read_source(batch.source_ids)
        masked, plain = (model.decode(batch.target_ids, memory, pads_right=side)[is_token] for side in (False, True))
        assert torch.equal(masked, plain)
        masked, plain = (decoder.states(batch.target_ids, pads_right=side)[is_token] for side in (False, True))
        assert torch.equal(masked, plain)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("norm_kind", ["layer", "batch"])
def test_a_step_that_is_not_finite_changes_nothing(precision: str, norm_kind: str) -> None:
    torch.manual_seed(3)
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=50, dropout=0.0, norm_kind=norm_kind, **SIZES))
    updater: Updater[Any, Any] = Updater(model, TrainingConfig(precision=precision))
    batch = pairs(6)
    assert not updater.step([batch], learning_rate=0.01).problem
    before = {name: tensor.clone() for name, tensor in updater.tensors().items()}
    bad = copy.deepcopy(batch)
    with torch.no_grad():
        kept = updater.weights.compute.output_embedding.weight[0, 0].clone()
        updater.weights.compute.output_embedding.weight[0, 0] = math.inf
    outcome = updater.step([batch, bad], learning_rate=0.01)
    assert outcome.problem == "loss"
    if precision == "float32":
        with torch.no_grad():
            model.output_embedding.weight[0, 0] = kept
    after = updater.tensors()
    assert before.keys() == after.keys()
    assert all(
        torch.equal(before[name], after[name]) for name in before
    )  # weights, running means, moments and how many steps there were
    assert not updater.step([batch], learning_rate=0.01).problem
    assert updater.tensors()["optimizer.source_embedding.weight.step"] == 2


def test_batches_for_a_gpu_are_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Tensor] = []
    monkeypatch.setattr(Tensor, "pin_memory", lambda self: seen.append(self) or self.clone())
    for batch in (pairs(3), texts(6, TOKENS)):
        seen.clear()
        copied = pinned(batch)
        names = {name for name, value in vars(batch).items() if isinstance(value, Tensor)} - {"source_lengths"}
        assert all(getattr(copied, name) is not getattr(batch, name) for name in names)
        assert len(seen) == len(names)
        assert copied.num_tokens == batch.num_tokens


def test_what_is_set_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_float32_matmul_precision(), torch.backends.cuda.cudnn_sdp_enabled()
    prepare_gpu()
    assert (torch.get_float32_matmul_precision(), torch.backends.cuda.cudnn_sdp_enabled()) == before
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto").type == "cuda"
    try:
        prepare_gpu()
        assert torch.get_float32_matmul_precision() == "high"
        assert not torch.backends.cuda.cudnn_sdp_enabled()
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cuda.enable_cudnn_sdp(before[1])


def test_an_intel_gpu_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.xpu, "is_available", lambda: True)
    assert resolve_device("auto").type == "xpu"
