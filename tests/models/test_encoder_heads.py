"""Encoders: what a class is read from, the layer before the output, narrow embeddings, and layers that share weights."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from regard.errors import SettingsError
from regard.inspection.capture import capture
from regard.memory import model_size
from regard.models.config import EncoderConfig
from regard.models.encoder import Encoder
from regard.models.heads import Site, prune_heads
from regard.models.interface import stored_tensors
from regard.models.registry import build

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


@pytest.mark.parametrize("task", ["multilabel", "regression"])
def test_several_labels_and_numbers_are_learnt_by_their_own_losses(task: str) -> None:
    """By the definitions, one label after the other; and a few steps fit the examples."""
    model = encoder(task=task, labels=LABELS[:3], pooling="mean")
    labels = torch.tensor([[1.0, 0, 1], [0, 0, 1]])
    batch, logits = SimpleNamespace(ids=padded(), labels=labels), model(padded())
    if task == "multilabel":
        probs = logits.sigmoid()
        expected = -torch.where(labels == 1, probs, 1 - probs).log().sum()
    else:
        expected = (logits - labels).square().sum()
    torch.testing.assert_close(model.loss(batch), expected)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(60):
        optimizer.zero_grad()
        model.loss(batch).backward()
        optimizer.step()
    assert model.loss(batch) < 0.05 * expected
    assert model.class_names == []
    assert model.num_classes == 3


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


def test_narrow_embeddings_are_made_as_wide_as_states() -> None:
    for width in (5, 12, 20):
        model = encoder(task="mlm", embedding_dim=width, positions="sinusoidal" if width % 2 == 0 else "learned")
        assert model.embedding.weight.shape == (19, width)
        assert model(padded()).shape == (2, 5, 19)
        assert model_size(model.config).num_parameters == sum(parameter.numel() for parameter in model.parameters())
    model = encoder(embedding_dim=5, num_segments=0)
    ids = torch.tensor(ROWS[:1])
    read: list[torch.Tensor] = []
    model.layers[0].register_forward_pre_hook(lambda _, given: read.append(given[0]))
    model(ids)
    table: Any = model.positions.learned
    x = model.embedding_norm(model.embedding(ids) + table.table.weight[: ids.shape[1]])
    torch.testing.assert_close(read[0], model.embedding_proj(x))
    with pytest.raises(ValueError, match="embedding_dim must be even for sinusoidal positions; got 5"):
        EncoderConfig(**SIZES, embedding_dim=5, positions="sinusoidal")
    with pytest.raises(ValueError, match="embedding_dim must be model_dim with head_transform none"):
        EncoderConfig(**SIZES, embedding_dim=5, head_transform="none")


def sharing(**changes: Any) -> Encoder:
    return encoder(
        num_layers=4, weights_from=[0, 1, 0, 1], positions="relative_key", windows=[2, None, None, 3], **changes
    )


def test_layers_that_share_weights_are_one_in_training_and_two_in_inspection() -> None:
    """A gradient is the sum of those of separate layers, and an update changes both; attention is that of each place."""
    model = sharing()
    apart = Encoder(model.config.model_copy(update={"weights_from": []})).eval()
    names = {name for name, _ in model.named_parameters()}
    for name, parameter in apart.named_parameters():
        source = name.replace("layers.2.", "layers.0.").replace("layers.3.", "layers.1.")
        assert (source == name) == (name in names)
        parameter.data = model.get_parameter(source).data.clone()
    torch.testing.assert_close(model(padded()), apart(padded()))
    batch = SimpleNamespace(ids=padded(), labels=torch.tensor([2, 1]))
    for each in (model, apart):
        each.loss(batch).backward()
    weight = "self_attention.key_proj.weight"
    one, two, shared = (each.get_parameter(f"layers.{layer}.{weight}").grad for each, layer in
                        ((apart, 0), (apart, 2), (model, 2)))  # fmt: skip
    assert one is not None
    assert two is not None
    torch.testing.assert_close(shared, one + two)
    torch.optim.SGD(model.parameters(), 0.1).step()
    assert model.layers[2].feed_forward.inner_proj.weight is model.layers[0].feed_forward.inner_proj.weight  # type: ignore[union-attr]
    with capture(model) as found:
        model(padded())
    assert len(found) == 4
    assert found["layers.0.self_attention"].allowed().sum() < found["layers.2.self_attention"].allowed().sum()
    assert model_size(model.config).num_parameters == sum(parameter.numel() for parameter in model.parameters())


def test_a_model_whose_layers_share_weights_is_stored_once() -> None:
    model = sharing()
    again = build(model.config)
    again.load_state_dict(stored_tensors(model), strict=False)
    torch.testing.assert_close(again.eval()(padded()), model(padded()))
    with pytest.raises(SettingsError, match=r"heads of layers that share weights .* cannot be removed"):
        prune_heads(model, {Site("encoder", 1): [0]})


@pytest.mark.parametrize("wrong", [[0, 0], [0, 1, 1, 2], [1, 1, 0, 0], [0, 0, 0, 9]])
def test_layers_take_weights_of_lower_ones_that_have_their_own(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="weights_from must name, for each of 4 layers, itself or a lower one"):
        EncoderConfig(**{**SIZES, "num_layers": 4}, weights_from=wrong)
