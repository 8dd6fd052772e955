"""An attention score: cosine similarity with a learnt temperature."""

import math

import pytest
import torch
from torch import Tensor, nn

import regard
from regard.extending import add_attention_score

WORDS = ["mina", "otto", "rosa", "karl", "lena", "paul"]
PAIRS = [(a + b, b + a) for a in WORDS for b in WORDS]
SETTINGS = {
    "model": {"model_dim": 16},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 300, "learning_rate": 0.02, "warmup_steps": 2},
}


class Cosine(nn.Module):
    """score(q, k) = exp(t) cos(q, k), with a logarithm of the inverse temperature t that is learnt."""

    made: list[int] = []  # noqa: RUF012
    calls = 0

    def __init__(self, dim: int) -> None:
        super().__init__()
        Cosine.made.append(dim)
        self.log_scale = nn.Parameter(torch.tensor(math.log(4.0)))

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        Cosine.calls += 1
        unit = nn.functional.normalize
        return self.log_scale.exp() * unit(query, dim=-1) @ unit(key, dim=-1).transpose(-1, -2)


class FastCosine(regard.nn.InnerProduct):
    """The same as a dot product of features."""

    def features(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
        unit = nn.functional.normalize
        return 4.0 * unit(query, dim=-1), unit(key, dim=-1)


def add_parts() -> None:
    add_attention_score("test-cosine", Cosine)


def test_attention_is_the_softmax_of_our_score():
    query, key, value = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    logits = 4 * torch.cosine_similarity(query[:, :, None], key[:, None], dim=-1)
    expected = logits.softmax(-1) @ value
    assert torch.allclose(regard.nn.attention(query, key, value, score=Cosine(4)), expected, atol=1e-6)
    assert torch.allclose(regard.nn.attention(query, key, value, score=FastCosine()), expected, atol=1e-6)
    # only the direction of a query matters
    assert torch.allclose(regard.nn.attention(query * 9, key, value, score=Cosine(4)), expected, atol=1e-5)


def test_trained_saved_and_loaded(tmp_path):
    Cosine.made.clear()
    Cosine.calls = 0
    regard.train(PAIRS, str(tmp_path / "m"), arch="rnn", score="test-cosine", settings=SETTINGS, steps=5)
    assert Cosine.made
    assert Cosine.calls >= 5
    first, second = regard.load(str(tmp_path / "m")), regard.load(str(tmp_path / "m"))
    scores = [m for m in first.model.modules() if isinstance(m, Cosine)]
    assert len(scores) == 1
    learnt = float(scores[0].log_scale.detach())
    assert learnt != pytest.approx(math.log(4.0), abs=1e-5)  # trained, and stored
    assert first.model.config.score == "test-cosine"
    sources, targets = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[2, 5, 6]])
    with torch.no_grad():
        same = first.model(sources, targets)
        assert torch.equal(same, second.model(sources, targets))
        scores[0].log_scale.add_(3.0)
        assert not torch.allclose(same, first.model(sources, targets))  # the score is used
    assert isinstance(second.translate("minaotto", max_length=9).text, str)


def test_a_name_is_taken():
    with pytest.raises(regard.SettingsError):
        add_attention_score("test-cosine", Cosine)
