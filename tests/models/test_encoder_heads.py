"""The heads of encoders: what a class is read from, the layer before the output, and an encoder without its first norm."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from regard.models.config import EncoderConfig
from regard.models.encoder import Encoder

SIZES: dict[str, Any] = {
    "vocab_size": 19, "model_dim": 12, "ff_dim": 16, "num_heads": 3, "num_layers": 2, "max_positions": 12, "dropout": 0.0,
}  # fmt: skip
LABELS = ["a", "b", "c", "d"]
ROWS = [[4, 9, 7, 11, 5], [6, 8]]


def encoder(**changes: Any) -> Encoder:
    torch.manual_seed(1)
    model = Encoder(EncoderConfig(**{**SIZES, "task": "classify", "labels": LABELS, **changes})).eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def padded() -> torch.Tensor:
    return torch.tensor([row + [0] * (5 - len(row)) for row in ROWS])


@pytest.mark.parametrize("pooling", ["first", "mean", "late"])
@pytest.mark.parametrize("transform", ["none", "dense", "norm"])
def test_a_text_has_its_classes_alone_and_in_a_batch(pooling: str, transform: str) -> None:
    """By the definition, one token after the other; and the loss is that of these logits."""
    model = encoder(pooling=pooling, head_transform=transform, head_activation="relu")
    head: Any = model.head

    def change(x: torch.Tensor) -> torch.Tensor:
        x = x if transform == "none" else torch.relu(head.pooler(x))
        return head.norm(x) if transform == "norm" else x

    expected = []
    for row in ROWS:
        states = model.states(torch.tensor([row]))[0]
        mean = sum(states) / len(row)
        late = sum(map(change, states)) / len(row)
        pooled = {"first": lambda s=states: change(s[0]), "mean": lambda m=mean: change(m), "late": lambda t=late: t}
        expected.append(head.output_proj(pooled[pooling]()))
    logits = torch.stack(expected)
    torch.testing.assert_close(model(padded()), logits, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(model.logits(model.states(torch.tensor(ROWS[:1]))), logits[:1], rtol=1e-4, atol=1e-5)
    given = model(embedded=model.embedding(padded()), is_token=padded() != 0)
    torch.testing.assert_close(given, logits, rtol=1e-4, atol=1e-5)
    labels = torch.tensor([2, 1])
    loss = model.loss(SimpleNamespace(ids=padded(), labels=labels))
    torch.testing.assert_close(loss, nn.functional.cross_entropy(logits, labels, reduction="sum"), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("task", ["mlm", "tag", "spans"])
def test_the_layer_before_the_output(task: str) -> None:
    ids = padded()
    for kind in ("none", "dense", "norm"):
        model = encoder(task=task, head_transform=kind, head_activation="silu")
        head: Any = model.head
        states, part = model.states(ids), head if task == "mlm" else head.transform
        if kind != "none":
            states = nn.functional.silu(part.inner_proj(states))
        states = part.norm(states) if kind == "norm" else states
        expected = states @ model.output_embedding.weight.T + head.bias if task == "mlm" else head.output_proj(states)
        torch.testing.assert_close(model(ids), expected, rtol=1e-4, atol=1e-5)
        assert kind == "norm" or not any("head" in name and "norm" in name for name, _ in model.named_parameters())


def test_the_first_layer_reads_normalised_embeddings_as_they_are() -> None:
    model = encoder(first_norm=False, norm="pre", norm_bias=False, windows=[2, None], positions="rotary")
    names = {name for name, _ in model.named_parameters() if "norm" in name and name.startswith("layers.")}
    assert names == {
        "layers.0.feed_forward_residual.norm.weight",
        "layers.1.self_attention_residual.norm.weight",
        "layers.1.feed_forward_residual.norm.weight",
    }
    read: list[torch.Tensor] = []
    model.layers[0].self_attention.query_proj.register_forward_pre_hook(lambda _, given: read.append(given[0]))
    ids = torch.tensor(ROWS[:1])
    model(ids)
    torch.testing.assert_close(read[0], model.embedding_norm(model.embedding(ids) + model.segment_embedding.weight[0]))
    with pytest.raises(ValueError, match="first_norm must be true with norm post; got false"):
        EncoderConfig(**SIZES, first_norm=False)
