"""Variants of the Transformer's parts: each decodes with a cache as without one, is stored, pruned and looked into."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import regard
from regard.checkpoint import load_model, save_new
from regard.engines.engine_choice import CompiledModels
from regard.errors import SettingsError, ShapeError
from regard.extending import Callback
from regard.inspection.ablation import gated
from regard.inspection.capture import capture
from regard.models.adaptation import AdapterConfig, add_adapter, merged
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.heads import Site, multihead_attentions, prune_heads
from regard.models.parts import gates_of_layers
from regard.models.registry import build
from regard.nn import LearnedPrefix
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.weights_file import save_weights

SIZES: dict[str, Any] = {
    "vocab_size": 20, "model_dim": 12, "num_heads": 3, "ff_dim": 16, "max_positions": 20, "norm": "pre", "dropout": 0.0,
}  # fmt: skip
VARIANTS: list[dict[str, Any]] = [
    {"norm_kind": "batch"},
    {"norm_kind": "batch", "norm": "sandwich", "embedding_norm": True},
    {"bias": False, "attention_output_bias": True},
    {"attention_output_bias": False},
    {"value_head_dim": 7},
    {"value_head_dim": 2, "num_kv_heads": 1},
    {"value_head_dim": 5, "positions": "rotary"},
    {"feed_forward_chunk": 2},
    {"output_transform": True, "output_bias": True, "norm_kind": "batch"},
    {"feed_forward_chunk": 3, "gated": True, "value_head_dim": 6, "norm_kind": "batch"},
]


def made(arch: str, variant: dict[str, Any]) -> Any:
    """A model with numbers of its own everywhere, and running means as after some training."""
    torch.manual_seed(1)
    given = SIZES | variant
    if arch == "encoder-decoder":
        if "embedding_norm" in given:
            given["embedding_norm"] = "both"
        model: Any = build(EncoderDecoderConfig(num_encoder_layers=2, num_decoder_layers=2, **given))
    elif arch == "decoder":
        model = build(DecoderConfig(num_layers=2, **given))
    else:
        for key in ("embedding_norm", "output_transform", "output_bias"):
            given.pop(key, None)
        model = build(EncoderConfig(num_layers=2, task="mlm", **given))
    for parameter in model.parameters():
        parameter.data += (0.3 if parameter.ndim == 1 else 0.05) * torch.randn_like(parameter)
    model.train()
    for _ in range(3):
        model.states(*inputs(model))
    return model.eval()


def inputs(model: Any) -> tuple[Tensor, ...]:
    """Ids with padding on the right."""
    ids = torch.randint(4, 20, (3, 7))
    ids[1, 5:], ids[2, 2:] = 0, 0
    return (ids, ids.flip(0)) if model.reads_source else (ids,)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["abcdefghijklmnop"], TokenizerConfig(kind="characters", vocab_size=20))


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize("arch", ["encoder-decoder", "decoder"])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_steps_give_what_the_whole_gives(variant: dict[str, Any], arch: str, engine: str) -> None:
    model = made(arch, variant)
    models = CompiledModels([model])
    models.use(engine)
    decoding = models.current()[0]
    written = torch.randint(4, 20, (3, 6))
    with torch.no_grad():
        if model.reads_source:
            sources = inputs(model)[0]
            expected, state, first = model(sources, written), decoding.prefill(sources), 0
        else:
            expected, state, first = model(written), decoding.prefill(written[:, :3]), 2
        state = state.select(torch.arange(3), torch.zeros(3, 1, dtype=torch.long))
        for step in range(first, 6):
            logits, state = decoding.decode_step(written[:, step : step + 1], state)
            torch.testing.assert_close(logits[:, 0], expected[:, step], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("arch", ["encoder-decoder", "decoder", "encoder"])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_stored_pruned_and_looked_into(
    variant: dict[str, Any], arch: str, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    model = made(arch, variant)
    given = inputs(model)
    save_new(tmp_path / "m", model, tokenizer)
    loaded: Any = load_model(tmp_path / "m").model
    assert loaded.config == model.config
    torch.testing.assert_close(loaded(*given), model(*given), atol=1e-5, rtol=1e-5)
    with capture(model) as seen:
        model(*given)
    for site, attention in multihead_attentions(model).items():
        captured = seen[model.attention_names[site.kind][site.layer]]
        assert captured.value.shape[-1] == attention.value_head_dim == (variant.get("value_head_dim") or 4)
        torch.testing.assert_close(captured.weights().sum(dim=-1), torch.ones(captured.query.shape[:3]))
    if model.config.num_kv_heads:
        return  # heads that share keys go together
    site = Site("encoder" if arch == "encoder" else "decoder", 1)
    with gated(model, {site: torch.tensor([1.0, 0.0, 1.0])}):
        expected = model(*given)
    prune_heads(model, {site: [1]})
    torch.testing.assert_close(model(*given), expected, atol=1e-5, rtol=1e-5)
    save_new(tmp_path / "pruned", model, tokenizer)
    torch.testing.assert_close(load_model(tmp_path / "pruned").model(*given), expected, atol=1e-5, rtol=1e-5)


def test_batch_norm_of_a_head_does_not_count_padding() -> None:
    """Where a class is the mean after the layer before the output."""
    found = []
    for width in (0, 4):
        torch.manual_seed(1)
        given = {"pooling": "late", "head_transform": "norm", "norm_kind": "batch", "labels": ["a", "b"]}
        model = build(EncoderConfig(num_layers=1, task="classify", **SIZES | given)).train()
        logits = model(nn.functional.pad(inputs(model)[0], (0, width)))
        found.append([logits, *model.buffers()])
    assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(*found, strict=True))


@pytest.mark.parametrize("whole", [None, ["norm"]])
def test_an_adapter_leaves_the_running_means_of_its_base_as_they_are(whole: list[str] | None, tmp_path: Path) -> None:
    model = made("decoder", {"norm_kind": "batch"})
    before, given = {name: each.clone() for name, each in model.named_buffers()}, inputs(model)
    computed = model.states(*given)
    add_adapter(model, AdapterConfig(rank=2, targets=["query_proj"], whole=whole))
    assert torch.allclose(model.train().states(*given), computed, atol=1e-6)
    assert all(torch.equal(each, before[name]) for name, each in model.named_buffers())
    save_weights(tmp_path / "merged.safetensors", merged(model))


@pytest.mark.parametrize("arch", ["encoder-decoder", "decoder", "encoder"])
def test_batch_norm_does_not_count_padding(arch: str) -> None:
    """In training, wherever a norm stands: padding changes neither the states of tokens nor the running means."""
    found = []
    for width in (0, 4):
        model = made(arch, VARIANTS[1])
        torch.manual_seed(5)
        given = [nn.functional.pad(ids, (0, width)) for ids in inputs(model)]
        model.train()
        states = model.states(*given)
        means = [buffer.clone() for name, buffer in model.named_buffers() if name.endswith(("mean", "var"))]
        assert means
        found.append((states[given[-1] != 0], means))
    torch.testing.assert_close(found[0], found[1], atol=1e-5, rtol=1e-5)


def test_chunks_are_the_whole() -> None:
    model = made("encoder", {})
    whole, chunked = model, build(model.config.model_copy(update={"feed_forward_chunk": 3})).eval()
    chunked.load_state_dict(model.state_dict())
    ids = inputs(model)[0]
    torch.testing.assert_close(chunked(ids), whole(ids))


def test_a_pooler_without_a_classifier(tokenizer: Tokenizer, tmp_path: Path) -> None:
    torch.manual_seed(2)
    model: Any = build(EncoderConfig(num_layers=1, task="none", pooler=True, **SIZES)).eval()
    ids = inputs(model)[0]
    states = model.states(ids)
    expected = torch.tanh(states[:, 0] @ model.pooler.weight.T + model.pooler.bias)
    torch.testing.assert_close(model.pooled(states), expected)
    save_new(tmp_path / "m", model, tokenizer)
    loaded: Any = load_model(tmp_path / "m").model
    torch.testing.assert_close(loaded.pooled(loaded.states(ids)), expected)
    with pytest.raises(SettingsError, match="`pooled` needs a model with a pooler; got none"):
        made("encoder", {}).pooled(states)
    with pytest.raises(ValueError, match="pooler must be false with a task"):
        EncoderConfig(num_layers=1, task="mlm", pooler=True, **SIZES)


# Models that are given something else than ids


def states_of(model: Any, arch: str, ids: Tensor | None, **given: Any) -> Tensor:
    """The states of the text, or of the source."""
    return model.encode(ids, **given) if arch == "encoder-decoder" else model.states(ids, **given)


def embedding_of(model: Any, arch: str) -> nn.Embedding:
    return model.source_embedding if arch == "encoder-decoder" else model.embedding


@pytest.mark.parametrize("positions", ["learned", "rotary"])
@pytest.mark.parametrize("arch", ["encoder-decoder", "decoder", "encoder"])
def test_vectors_positions_and_gates_as_arguments(arch: str, positions: str) -> None:
    model = made(arch, {"positions": positions})
    ids = inputs(model)[0]
    expected = states_of(model, arch, ids)
    vectors, is_token = embedding_of(model, arch)(ids), ids != 0
    torch.testing.assert_close(states_of(model, arch, None, embedded=vectors, is_token=is_token), expected)
    assert not torch.allclose(states_of(model, arch, None, embedded=vectors), expected, atol=1e-3)
    places = torch.arange(7).expand(3, 7)
    if positions == "rotary":
        with pytest.raises(SettingsError, match=r"`positions` must be left out where .* inside attention \(rotary\)"):
            states_of(model, arch, ids, positions=places)
    else:
        torch.testing.assert_close(states_of(model, arch, ids, positions=places)[is_token], expected[is_token])
        assert not torch.allclose(states_of(model, arch, ids, positions=places + 2), expected, atol=1e-3)
    gates = torch.ones(2, 3)
    gates[1, 2], gates[0, 0] = 0, 0.5
    kind = "decoder" if arch == "decoder" else "encoder"
    with gated(model, {Site(kind, layer): gates[layer] for layer in range(2)}):
        by_hooks = states_of(model, arch, ids)
    torch.testing.assert_close(states_of(model, arch, ids, gates=gates), by_hooks)


def test_gates_of_a_decoder_and_its_cross_attention() -> None:
    model = made("encoder-decoder", {})
    source, target = inputs(model)
    gates, cross = torch.rand(2, 3), torch.rand(2, 3)
    sites = {
        Site(kind, layer): each[layer] for kind, each in (("decoder", gates), ("cross", cross)) for layer in range(2)
    }
    with gated(model, sites):
        expected = model.states(source, target)
    found = model.decode(target, model.read_source(source), gates=gates, cross_gates=cross)
    torch.testing.assert_close(found, expected)
    vectors = model.target_embedding(target)
    is_token = target != 0
    found = model.decode(None, model.read_source(source), embedded=vectors, is_token=is_token)
    torch.testing.assert_close(found, model.states(source, target))


@pytest.mark.parametrize("positions", ["learned", "rotary", "alibi"])
@pytest.mark.parametrize("arch", ["decoder", "encoder"])
def test_a_past_of_each_layer(arch: str, positions: str) -> None:
    """A decoder that reads the second half of a text after keys and values of the first reads what it reads in the whole."""
    model = made(arch, {"positions": positions})
    ids = torch.randint(4, 20, (2, 8))
    with capture(model) as seen:
        whole = model.states(ids)
    past = []
    for layer in range(2):
        call = seen[f"layers.{layer}.self_attention"]
        past.append(model.layers[layer].self_attention.project(torch.zeros(2, 3, 12), torch.zeros(2, 3, 12))._replace(
            key=call.key[:, :, :3], value=call.value[:, :, :3]
        ))  # fmt: skip
    found = model.states(ids[:, 3:], past=past)
    if arch == "decoder":
        torch.testing.assert_close(found, whole[:, 3:], atol=1e-5, rtol=1e-5)
    prefix = [LearnedPrefix(4, 3, 4)(2) for _ in range(2)]
    padded = nn.functional.pad(ids, (0, 3))
    torch.testing.assert_close(
        model.states(padded, past=prefix)[:, :8], model.states(ids, past=prefix), atol=1e-5, rtol=1e-5
    )
    assert not torch.allclose(model.states(ids, past=prefix), whole, atol=1e-3)


def test_a_decoder_with_cross_attention_alone(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """It computes what the decoder of an encoder-decoder with its weights computes, whole and step by step."""
    whole = made("encoder-decoder", {"positions": "learned"})
    settings = SIZES | {"positions": "learned", "activation": "relu"}
    alone: Any = build(DecoderConfig(num_layers=2, cross_attention=True, **settings)).eval()
    renamed = {name.replace("decoder_layers", "layers").replace("decoder_norm", "norm"): value
               for name, value in whole.state_dict().items()}  # fmt: skip
    renamed["embedding.weight"] = whole.target_embedding.weight * 12**0.5
    renamed["output_embedding.weight"] = renamed["embedding.weight"]
    renamed["positions.learned.table.weight"] = whole.target_positions.learned.table.weight
    alone.load_state_dict({name: renamed[name] for name in alone.state_dict()})
    source, target = inputs(whole)
    encoded, is_token = whole.encode(source), source != 0
    expected = whole.states(source, target)
    memory = alone.project(encoded, is_token)
    torch.testing.assert_close(alone.states(target, memory=memory), expected)
    loss = alone.logits(alone.states(target, memory=memory)).square().sum()
    loss.backward()
    assert all(parameter.grad is not None for parameter in alone.parameters())
    save_new(tmp_path / "m", alone, tokenizer)
    loaded: Any = load_model(tmp_path / "m").model
    torch.testing.assert_close(loaded.states(target, memory=loaded.project(encoded, is_token)), expected)
    with capture(alone) as seen, torch.no_grad():
        alone.states(target, memory=memory)
    assert list(alone.attention_names) == ["decoder", "cross"]
    assert seen["layers.1.cross_attention"].weights().shape == (3, 3, 7, 7)
    models = CompiledModels([alone])
    assert models.engine == "torch"
    written = torch.randint(4, 20, (3, 5))
    with torch.no_grad():
        expected = alone.logits(alone.states(written, memory=memory))
        state = alone.prefill(written[:, :2], memory=memory).select(
            torch.arange(3), torch.zeros(3, 1, dtype=torch.long)
        )
        for step in range(1, 5):
            logits, state = alone.decode_step(written[:, step : step + 1], state)
            torch.testing.assert_close(logits[:, 0], expected[:, step], atol=1e-4, rtol=1e-4)
    with pytest.raises(ShapeError, match="memory must be given for each of 2 layers with cross-attention; got 0"):
        alone(target)
    with pytest.raises(ShapeError, match="memory must be given for each of 0 layers with cross-attention; got 2"):
        made("decoder", {}).states(target, memory=memory)
    with pytest.raises(SettingsError, match="`project` needs layers with cross-attention; got none"):
        made("decoder", {}).project(encoded)


@pytest.mark.parametrize("shape", [(1, 3), (3, 3), (3, 3, 3)])
def test_gates_for_other_layers_are_refused(shape: tuple[int, ...]) -> None:
    message = r"gates must be a row of numbers for each of 2 layers, .*; got shape \("
    for arch in ("encoder-decoder", "decoder", "encoder"):
        model = made(arch, {})
        with pytest.raises(ShapeError, match=message):
            states_of(model, arch, inputs(model)[0], gates=torch.ones(shape))
    pairs = made("encoder-decoder", {})
    source, target = inputs(pairs)
    for name in ("gates", "cross_gates"):
        with pytest.raises(ShapeError, match=message):
            pairs.decode(target, pairs.read_source(source), **{name: torch.ones(shape)})
    with pytest.raises(ShapeError, match="`cross_gates` need layers with cross-attention; got none"):
        made("decoder", {}).states(target, cross_gates=torch.ones(2, 3))


@pytest.mark.parametrize("shape", [(), (2,), (2, 1, 1, 3)])
def test_gates_with_other_axes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="gates must be a row of numbers for each of 2 layers"):
        gates_of_layers("gates", torch.ones(shape), 2)


def test_what_a_model_cannot_be_given() -> None:
    model = made("decoder", {})
    ids, vectors = inputs(model)[0], torch.zeros(3, 7, 12)
    with pytest.raises(ShapeError, match="either `ids` or `embedded` must be given; got both"):
        model.states(ids, embedded=vectors)
    with pytest.raises(ShapeError, match="either `ids` or `embedded` must be given; got neither"):
        model.states()
    with pytest.raises(ShapeError, match="positions must be from 0 to 19; got 14 to 20"):
        model.states(ids, positions=torch.arange(14, 21).expand(3, 7))
    with pytest.raises(ShapeError, match="past must have keys and values for each of 2 layers; got 1"):
        model.states(ids, past=[LearnedPrefix(2, 3, 4)(3)])
    for heads, width, batch in ((2, 4, 3), (3, 5, 3), (3, 4, 2)):
        with pytest.raises(ShapeError, match=r"past keys must have shape \(3, 3, any number, 4\); got \("):
            model.states(ids, past=[LearnedPrefix(2, heads, width)(batch)] * 2)
    with pytest.raises(ShapeError, match="at most max_positions = 20 tokens, 14 of a past included; got 21"):
        model.states(ids, past=[LearnedPrefix(14, 3, 4)(3)] * 2)


# Trained


PAIRS = [(word, word[::-1]) for word in ("abc", "bcd", "cde", "def", "efg", "fgh", "gha", "hab") for _ in range(5)]
SMALL: dict[str, Any] = {
    "model_dim": 8, "ff_dim": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "kind": "characters",
    "vocab_size": 30, "validate_every": 4, "output_transform": True, "embedding_norm": "both",
}  # fmt: skip


class Stop(Callback):
    def on_validation(self, step: int, scores: Any, is_best: bool) -> None:
        if step == 4:
            raise LookupError


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("arch", ["encoder-decoder", "decoder", "encoder"])
def test_batch_norm_is_computed_with_16_bits(arch: str, dtype: torch.dtype) -> None:
    model = made(arch, {"norm_kind": "batch"})
    given = inputs(model)
    wanted = model.states(*given)
    found = model.to(dtype).states(*given)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), wanted, rtol=0, atol=0.02 * wanted.abs().max().item())


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_running_means_are_trained_stored_and_resumed(precision: str, tmp_path: Path) -> None:
    """A run that is stopped and resumed gives the same model as one that is not, running means included."""
    variant = SMALL | {"norm_kind": "batch", "precision": precision, "value_head_dim": 3, "feed_forward_chunk": 2}
    regard.train(PAIRS, tmp_path / "whole", steps=8, **variant)
    with pytest.raises(LookupError):
        regard.train(PAIRS, tmp_path / "stopped", steps=8, callbacks=[Stop()], **variant)
    regard.train(PAIRS, tmp_path / "stopped", steps=8, resume=True, **variant)
    models: list[Any] = [load_model(tmp_path / name).model for name in ("whole", "stopped")]
    tensors = [dict(model.named_buffers()) | dict(model.named_parameters()) for model in models]
    means = {name: x for name, x in tensors[0].items() if name.endswith("running_mean")}
    assert len(means) == 10
    assert all(x.dtype == torch.float32 and x.abs().sum() > 1e-3 for x in means.values())
    for name, x in tensors[0].items():
        torch.testing.assert_close(tensors[1][name], x, rtol=0, atol=0, msg=name)
    translator: Any = regard.load(tmp_path / "whole")
    (found,), (scored,) = translator.translate(["abc"], prefixes=["cba"]), translator.score(["abc"], ["cba"])
    assert found.tokens[:4] == scored.tokens[:4]
    assert found.token_log_probs[:4] == pytest.approx(scored.token_log_probs[:4], abs=1e-3)
