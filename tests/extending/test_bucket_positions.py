"""A position scheme: a learnt bias and learnt values by bucket of distance."""

import torch
from torch import Tensor, nn

import regard
from regard.extending import AttentionPositions, EncoderDecoder, EncoderDecoderConfig, add_position_scheme

PAIRS = [(a + b + a, b + a + b) for a in ("xo", "pq", "rst") for b in ("uv", "w", "yz")]
SIZES = {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
SETTINGS = {
    "model": SIZES,
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 300, "learning_rate": 0.02, "warmup_steps": 2},
}


class Buckets(AttentionPositions):
    """Distances are put into buckets, by sign and by the number of bits; each has a bias by head and a value."""

    has_values = True
    NUM = 8

    def __init__(self, num_heads: int, head_dim: int, is_decoder: bool) -> None:
        super().__init__()
        self.is_decoder = is_decoder
        self.table = nn.Parameter(torch.zeros(num_heads, 2 * self.NUM))
        self.vectors = nn.Parameter(torch.zeros(2 * self.NUM, head_dim))

    def bucket(self, distance: Tensor) -> Tensor:
        bits = (distance.abs() + 1).log2().long().clamp(max=self.NUM - 1)
        return torch.where(distance > 0, bits + self.NUM, bits)

    def bias(self, query: Tensor, key: Tensor, distance: Tensor, heads: list[int] | None = None) -> Tensor:
        table = self.table if heads is None else self.table[heads]
        bias = table[:, self.bucket(distance)]  # (head, query, key) or (head, batch, 1, query, key)
        return bias[None] if distance.ndim == 2 else bias[:, :, 0].transpose(0, 1)

    def values(self, weights: Tensor, distance: Tensor) -> Tensor:
        vectors = self.vectors[self.bucket(distance)]  # (query, key, head_dim) or (batch, 1, query, key, head_dim)
        return (weights[..., None] * vectors).sum(dim=-2)


def add_parts() -> None:
    add_position_scheme(
        "test-buckets", lambda config, is_decoder: Buckets(config.num_heads, config.head_dim, is_decoder)
    )


def build() -> EncoderDecoder:
    torch.manual_seed(1)
    sizes = SIZES | {"num_encoder_layers": 2}
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=12, pad_id=0, positions="test-buckets", **sizes)).eval()
    for scheme in schemes(model):
        nn.init.normal_(scheme.table)
        nn.init.normal_(scheme.vectors)
    return model


def schemes(model: nn.Module) -> list[Buckets]:
    return [m for m in model.modules() if isinstance(m, Buckets)]


@torch.no_grad()
def test_built_once_for_each_layer_and_used():
    model = build()
    assert [s.is_decoder for s in schemes(model)] == [False, False, True]
    source, target = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[2, 6, 5, 9]])
    before = model(source, target)
    for scheme in schemes(model):  # without them, the encoder cannot tell an order from another
        scheme.table.zero_()
        scheme.vectors.zero_()
    assert not torch.allclose(before, model(source, target), atol=1e-3)
    assert torch.allclose(model(source, target), model(source.flip(1), target), atol=1e-5)


@torch.no_grad()
def test_decoding_agrees_with_training_and_padding_has_no_influence():
    model = build()
    source, target = torch.tensor([[5, 6, 7, 8], [5, 9, 0, 0]]), torch.tensor([[2, 6, 5, 9], [2, 7, 8, 5]])
    state, steps = model.prefill(source), []
    for ids in target.unbind(1):
        states, state = model.step_states(ids[:, None], state)
        steps.append(model.logits(states)[:, 0])
    assert torch.allclose(torch.stack(steps, 1), model(source, target), atol=1e-5)
    assert torch.allclose(model(source, target)[1:], model(source[1:, :2], target[1:]), atol=1e-5)


def test_trained_saved_and_loaded(tmp_path):
    regard.train(PAIRS, str(tmp_path / "m"), positions="test-buckets", settings=SETTINGS, steps=4)
    found = schemes(regard.load(str(tmp_path / "m")).model)
    assert [bool(s.table.detach().any() and s.vectors.detach().any()) for s in found] == [True, True]
