"""A score and a position scheme that were written from docs/extending.md alone."""

from pathlib import Path

import torch
from torch import Tensor, nn

import regard
from regard.extending import AttentionPositions, add_attention_score, add_position_scheme

PAIRS = [(a + b + c, (a + b + c).upper()) for a in "abcd" for b in "abcd" for c in "abcd"]
TINY = {
    "model": {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 1, "num_decoder_layers": 1},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 200, "learning_rate": 0.01, "warmup_steps": 2},
}


class Cauchy(nn.Module):
    """score(q, k) = -log(1 + |q - k|^2 / width^2): the weights are those of a Cauchy kernel, whose width is learnt."""

    def __init__(self) -> None:
        super().__init__()
        self.width = nn.Parameter(torch.tensor(2.0))

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        squared = (query[..., :, None, :] - key[..., None, :, :]).square().sum(dim=-1)
        return -torch.log1p(squared / self.width**2)


def test_a_score_of_another_kind(tmp_path: Path) -> None:
    query, key, value = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    kernel = 1 / (1 + torch.cdist(query, key) ** 2 / 4)
    expected = kernel / kernel.sum(dim=-1, keepdim=True) @ value
    torch.testing.assert_close(regard.nn.attention(query, key, value, score=Cauchy()), expected)
    add_attention_score("cauchy", lambda dim: Cauchy())
    settings = {**TINY, "model": {"model_dim": 12, "score": "cauchy"}}
    result = regard.train(PAIRS, tmp_path / "m", arch="rnn", settings=settings, steps=2, precision="float32")
    loaded = regard.load(tmp_path / "m")
    assert loaded.model.cross_attention.score.width != 2
    weights = torch.tensor(loaded.align("abc", "ABC").weights)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(weights)))
    assert loaded.translate("abc", max_length=5).ids == result.translator.translate("abc", max_length=5).ids


class Fading(AttentionPositions):
    """bias(d) = - rate |d| for each head; and each weight adds a vector that is learnt for its distance, up to 3."""

    has_values = True

    def __init__(self, num_heads: int, head_dim: int) -> None:
        super().__init__()
        self.rate = nn.Parameter(torch.linspace(0.1, 0.5, num_heads))
        self.vectors = nn.Parameter(torch.randn(7, head_dim) * 0.1)

    def bias(self, query: Tensor, key: Tensor, distance: Tensor, heads: list[int] | None = None) -> Tensor:
        rate = self.rate if heads is None else self.rate[heads]
        return -rate[:, None, None] * (distance if distance.ndim > 2 else distance[None]).abs()

    def values(self, weights: Tensor, distance: Tensor) -> Tensor:
        return (weights[..., None] * self.vectors[distance.clamp(-3, 3) + 3]).sum(dim=-2)


def test_a_position_scheme_of_another_kind(tmp_path: Path) -> None:
    add_position_scheme("fading", lambda config, is_decoder: Fading(config.num_heads, config.head_dim))
    regard.train(PAIRS, tmp_path / "m", positions="fading", settings=TINY, steps=2, precision="float32")
    loaded = regard.load(tmp_path / "m")
    changed = [p for name, p in loaded.model.named_parameters() if name.endswith("positions.rate")]
    assert len(changed) == 2
    assert all((p != torch.linspace(0.1, 0.5, 3)).all() for p in changed)
    # step by step, with other lengths beside it, and all at once are the same
    (scored,) = loaded.score(["abcd"], ["ABCD"])
    found = loaded.translate(["abcd", "ab", "a"], prefixes=["ABCD", "", "A"], beam_size=2, max_length=7)[0]
    torch.testing.assert_close(found.token_log_probs[:4], scored.token_log_probs[:4], rtol=1e-4, atol=1e-4)
    seen = loaded.inspect("abcd", "ABCD")
    weights = torch.tensor(seen["decoder.0.2"].filled(0))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(weights)))
