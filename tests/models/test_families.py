"""What must hold for every family of models. A new family, or a new choice of its configuration, is one more row."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from regard.checkpoint import load_model, save_new
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.interface import Model
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

PAD, BOS, VOCAB = 0, 2, 23
SIZES: dict[str, Any] = {"vocab_size": VOCAB, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 16}


@dataclass(frozen=True)
class Family:
    config: Callable[..., Any]
    is_causal: bool = False
    has_steps: bool = False
    pads_left: bool = True


def transformer(**choices: Any) -> Family:
    layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
    return Family(
        lambda **sizes: EncoderDecoderConfig(**SIZES | layers | choices | sizes), is_causal=True, has_steps=True
    )


def decoder(**choices: Any) -> Family:
    make = lambda **sizes: DecoderConfig(**SIZES | {"num_layers": 2} | choices | sizes)  # noqa: E731
    return Family(make, is_causal=True, has_steps=True)


def encoder(pads_left: bool = True, **choices: Any) -> Family:
    make = lambda **sizes: EncoderConfig(**SIZES | {"num_layers": 2} | choices | sizes)  # noqa: E731
    return Family(make, pads_left=pads_left)


def rnn(**choices: Any) -> Family:
    sizes = {"vocab_size": VOCAB, "model_dim": 12, "max_positions": 16}
    make = lambda **given: RecurrentConfig(**sizes | choices | given)  # noqa: E731
    return Family(make, is_causal=True, has_steps=True)


SINUSOIDS = ["sinusoidal_halves", "sinusoidal_marian"]
POSITIONS = [*SINUSOIDS, "learned", "rotary", "alibi", "t5", "relative_key", "relative_key_query"]
FAMILIES: dict[str, Family] = {
    "transformer": transformer(),
    "transformer, pre-norm": transformer(norm="pre"),
    "transformer, sandwich, rms, gated": transformer(norm="sandwich", norm_kind="rms", gated=True, activation="silu"),
    "transformer, grouped, no bias": transformer(num_kv_heads=1, bias=False, tied_embeddings="none"),
    "transformer, two vocabularies": transformer(source_vocab_size=31, tied_embeddings="target"),
    "transformer, source types": transformer(num_source_types=3, scale_embeddings=False, embedding_norm="source"),
    "transformer, source tied": transformer(
        tied_embeddings="source", output_bias=True, output_transform=True, embedding_norm="both"
    ),
    "transformer, ssru": transformer(decoder_past="ssru"),
    "transformer, ssru, pre-norm, no bias, no pad": transformer(
        decoder_past="ssru", norm="pre", bias=False, positions="rotary", pad_id=-1, windows=[3, None]
    ),
    "transformer, narrow heads, no pad": transformer(head_dim=5, pad_id=-1),
    **{f"transformer, {name}": transformer(positions=name) for name in [*POSITIONS, "shaw", "none"]},
    **{
        f"rnn, {score}": rnn(score=score)
        for score in ["additive", "bilinear", "dot", "scaled_dot", "cosine", "gaussian"]
    },
    "rnn, lstm": rnn(cell="lstm"),
    "rnn, two vocabularies": rnn(source_vocab_size=31),
    "decoder": decoder(),
    "decoder, grouped, untied": decoder(num_kv_heads=1, tied_embeddings=False),
    "decoder, output bias, embedding norm": decoder(output_bias=True, embedding_norm=True, norm="post", pad_id=-1),
    "decoder, llama": decoder(positions="rotary", norm_kind="rms", gated=True, activation="silu", bias=False),
    **{f"decoder, {name}": decoder(positions=name) for name in [*POSITIONS, "shaw", "none"]},
    "encoder, mlm": encoder(),
    "encoder, pre-norm": encoder(norm="pre"),
    "encoder, untied, no segments, no pad": encoder(num_segments=0, tied_embeddings=False, pad_id=-1),
    "encoder, no head": encoder(task="none"),
    "encoder, classes by relu": encoder(task="classify", labels=["a", "b"], pads_left=False, head_activation="relu"),
    "encoder, spans": encoder(task="spans"),
    "encoder, tags": encoder(task="tag", labels=["a", "b", "c"]),
    "encoder, classes": encoder(task="classify", labels=["a", "b"], pads_left=False),
    **{f"encoder, {name}": encoder(positions=name) for name in [*POSITIONS, "shaw", "none"]},
}
CAUSAL = [name for name, family in FAMILIES.items() if family.is_causal]
STEPPING = [name for name, family in FAMILIES.items() if family.has_steps]


def model_of(name: str, **sizes: Any) -> Model:
    """A random model in evaluation mode, with norms and biases away from 1 and 0."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = build(FAMILIES[name].config(**sizes))
        for parameter in model.parameters():
            parameter.data += (0.3 if parameter.ndim == 1 else 0.1) * torch.randn_like(parameter)
    return model.eval()


def ids_of(*shape: int, seed: int = 0) -> Tensor:
    return torch.randint(4, VOCAB, shape, generator=torch.Generator().manual_seed(seed))


def outputs(model: Model, ids: Tensor) -> Tensor:
    """The model's logits for some ids; an encoder-decoder reads one fixed source for all rows."""
    source = ids_of(1, 5, seed=9).expand(len(ids), 5)
    return model(source, ids) if reads_source(model) else model(ids)


def reads_source(model: Model) -> bool:
    return model.config.arch in ("encoder-decoder", "rnn")


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("side", ["right", "left"])
def test_a_row_does_not_depend_on_padding_or_on_the_batch(name: str, side: str) -> None:
    if side == "left" and not FAMILIES[name].pads_left:
        pytest.skip("a class is read off the first token")
    model = model_of(name)
    rows = [ids_of(1, length, seed=length) for length in (3, 7, 5)]
    batch = torch.full((3, 9), model.config.pad_id)
    places = []
    for i, row in enumerate(rows):
        place = slice(0, row.shape[1]) if side == "right" else slice(9 - row.shape[1], 9)
        batch[i, place] = row[0]
        places.append(place)
    together = outputs(model, batch)
    for i, (row, place) in enumerate(zip(rows, places, strict=True)):
        alone = outputs(model, row)[0]
        part = together[i] if together.ndim == 2 else together[i, place]
        torch.testing.assert_close(part, alone, rtol=1e-4, atol=1e-5)


@given(name=st.sampled_from(CAUSAL), at=st.integers(1, 7), seed=st.integers(0, 50))
def test_a_later_token_changes_no_earlier_output(name: str, at: int, seed: int) -> None:
    model, ids = model_of(name), ids_of(1, 8, seed=seed)
    changed = ids.clone()
    changed[:, at:] = ids_of(1, 8 - at, seed=seed + 1)
    assert torch.equal(outputs(model, ids)[:, :at], outputs(model, changed)[:, :at])


@pytest.mark.parametrize("name", STEPPING)
def test_cached_equals_uncached(name: str) -> None:
    model, ids = model_of(name), ids_of(3, 7)
    whole = outputs(model, ids)
    if reads_source(model):
        state, first = model.prefill(ids_of(1, 5, seed=9).expand(3, 5)), 0
    else:
        state, first = model.prefill(ids[:, :3]), 2  # a prompt of three; its last token is the first step
    for position in range(first, 7):
        logits, state = model.decode_step(ids[:, position : position + 1], state)
        torch.testing.assert_close(logits[:, 0], whole[:, position], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in STEPPING if name.startswith("decoder")])
def test_prompts_of_different_length_are_padded_on_the_left(name: str) -> None:
    model = model_of(name)
    long, short = ids_of(1, 6, seed=1), ids_of(1, 4, seed=2)
    prompts = torch.cat((long, torch.cat((torch.full((1, 2), model.config.pad_id), short), dim=1)))
    state = model.prefill(prompts)
    logits, state = model.decode_step(prompts[:, -1:], state)
    for row, alone in enumerate((long, short)):
        torch.testing.assert_close(logits[row, 0], model(alone)[0, -1], rtol=1e-4, atol=1e-5)
    state = state.select(torch.tensor([1]), torch.tensor([[0]]))
    newest = torch.tensor([[7]])
    logits, _ = model.decode_step(newest, state)
    torch.testing.assert_close(logits[0, 0], model(torch.cat((short, newest), dim=1))[0, -1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", FAMILIES)
def test_saved_equals_loaded(name: str, tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["abcdefghij"], TokenizerConfig(kind="characters", vocab_size=50))
    model = model_of(name, vocab_size=len(tokenizer))
    save_new(tmp_path / "model", model, tokenizer)
    loaded, *_ = load_model(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.config == model.config
    ids = ids_of(2, 6) % (len(tokenizer) - 4) + 4
    for mine, theirs in zip(model.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    source = ids[:, :4]
    arguments = (source, ids) if reads_source(model) else (ids,)
    assert torch.equal(model(*arguments), loaded(*arguments))


@pytest.mark.parametrize("name", FAMILIES)
def test_every_parameter_learns(name: str) -> None:
    model = model_of(name).train()
    outputs(model, ids_of(2, 7)).square().sum().backward()
    silent = [name for name, parameter in model.named_parameters() if parameter.grad is None]
    assert silent == []


# parity


@torch.no_grad()
def copy_linear(ours: nn.Linear, weight: Tensor, bias: Tensor) -> None:
    ours.weight.copy_(weight)
    ours.bias.copy_(bias)


@torch.no_grad()
def test_the_decoder_is_gpt2() -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=VOCAB,
        n_positions=16,
        n_embd=12,
        n_layer=3,
        n_head=3,
        n_inner=20,
        attn_pdrop=0,
        embd_pdrop=0,
        resid_pdrop=0,
    )
    theirs = GPT2LMHeadModel(config).eval()
    for parameter in theirs.parameters():
        parameter += 0.1 * torch.randn_like(parameter)
    ours = build(DecoderConfig(**SIZES, num_layers=3)).eval()
    ours.embedding.weight.copy_(theirs.transformer.wte.weight)
    ours.positions.learned.table.weight.copy_(theirs.transformer.wpe.weight)
    ours.norm.load_state_dict(theirs.transformer.ln_f.state_dict())
    for layer, block in zip(ours.layers, theirs.transformer.h, strict=True):
        layer.self_attention_residual.norm.load_state_dict(block.ln_1.state_dict())
        layer.feed_forward_residual.norm.load_state_dict(block.ln_2.state_dict())
        attention, three = (
            layer.self_attention,
            zip(block.attn.c_attn.weight.T.chunk(3), block.attn.c_attn.bias.chunk(3), strict=True),
        )
        for projection, (weight, bias) in zip(
            (attention.query_proj, attention.key_proj, attention.value_proj), three, strict=True
        ):
            copy_linear(projection, weight, bias)
        copy_linear(attention.output_proj, block.attn.c_proj.weight.T, block.attn.c_proj.bias)
        copy_linear(layer.feed_forward.inner_proj, block.mlp.c_fc.weight.T, block.mlp.c_fc.bias)
        copy_linear(layer.feed_forward.output_proj, block.mlp.c_proj.weight.T, block.mlp.c_proj.bias)
    ids = torch.randint(1, VOCAB, (2, 9))
    torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("task", ["mlm", "classify"])
@torch.no_grad()
def test_the_encoder_is_bert(task: str) -> None:
    from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCAB, hidden_size=12, num_hidden_layers=3, num_attention_heads=3, intermediate_size=20,
        max_position_embeddings=16, num_labels=3,
    )  # fmt: skip
    theirs = (BertForMaskedLM if task == "mlm" else BertForSequenceClassification)(config).eval()
    for parameter in theirs.parameters():
        parameter += 0.1 * torch.randn_like(parameter)
    labels = ["a", "b", "c"] if task == "classify" else []
    ours = build(EncoderConfig(**SIZES, num_layers=3, task=task, labels=labels)).eval()
    embeddings = theirs.bert.embeddings
    ours.embedding.weight.copy_(embeddings.word_embeddings.weight)
    ours.segment_embedding.weight.copy_(embeddings.token_type_embeddings.weight)
    ours.positions.learned.table.weight.copy_(embeddings.position_embeddings.weight)
    ours.embedding_norm.load_state_dict(embeddings.LayerNorm.state_dict())
    for layer, block in zip(ours.layers, theirs.bert.encoder.layer, strict=True):
        for name in ("query", "key", "value"):
            getattr(layer.self_attention, f"{name}_proj").load_state_dict(
                getattr(block.attention.self, name).state_dict()
            )
        layer.self_attention.output_proj.load_state_dict(block.attention.output.dense.state_dict())
        layer.self_attention_residual.norm.load_state_dict(block.attention.output.LayerNorm.state_dict())
        layer.feed_forward.inner_proj.load_state_dict(block.intermediate.dense.state_dict())
        layer.feed_forward.output_proj.load_state_dict(block.output.dense.state_dict())
        layer.feed_forward_residual.norm.load_state_dict(block.output.LayerNorm.state_dict())
    if task == "mlm":
        transform = theirs.cls.predictions.transform
        ours.head.inner_proj.load_state_dict(transform.dense.state_dict())
        ours.head.norm.load_state_dict(transform.LayerNorm.state_dict())
        ours.head.bias.copy_(theirs.cls.predictions.bias)
    else:
        ours.head.pooler.load_state_dict(theirs.bert.pooler.dense.state_dict())
        ours.head.output_proj.load_state_dict(theirs.classifier.state_dict())
    ids, segments = torch.randint(1, VOCAB, (2, 9)), torch.randint(0, 2, (2, 9))
    ids[1, 6:] = PAD
    expected = theirs(ids, token_type_ids=segments, attention_mask=(ids != PAD).long()).logits
    logits = ours(ids, segments)
    real = ids != PAD if task == "mlm" else slice(None)
    torch.testing.assert_close(logits[real], expected[real], rtol=1e-5, atol=2e-5)
