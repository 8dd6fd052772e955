"""The Transformer: parity with torch's, sizes of the paper, and the properties that decoding relies on."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from torch import nn

from regard.errors import ShapeError
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.presets import ENCODER_DECODER
from regard.nn import MultiHeadAttention

PAD, BOS = 0, 2
MakeModel = Callable[..., EncoderDecoder]
VARIANTS = [{"norm": norm, "tied_embeddings": tied} for norm in ("post", "pre") for tied in ("all", "target", "none")]


def random_ids(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(4, 23, shape, generator=torch.Generator().manual_seed(seed))


def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    projections = (ours.query_proj, ours.key_proj, ours.value_proj)
    theirs.in_proj_weight.copy_(torch.cat([projection.weight for projection in projections]))
    theirs.in_proj_bias.copy_(torch.cat([projection.bias for projection in projections]))
    theirs.out_proj.load_state_dict(ours.output_proj.state_dict())


@torch.no_grad()
def as_torch_transformer(model: EncoderDecoder) -> nn.Transformer:
    """`torch.nn.Transformer` with the same weights."""
    config = model.config
    is_pre = config.norm == "pre"
    theirs = nn.Transformer(
        config.model_dim, config.num_heads, config.num_encoder_layers, config.num_decoder_layers, config.ff_dim,
        dropout=0.0, norm_first=is_pre, batch_first=True,
    ).eval()  # fmt: skip
    if is_pre:
        theirs.encoder.norm.load_state_dict(model.encoder_norm.state_dict())  # type: ignore[union-attr]
        theirs.decoder.norm.load_state_dict(model.decoder_norm.state_dict())  # type: ignore[union-attr]
    else:  # torch adds a last norm that the paper's post-norm model does not have
        theirs.encoder.norm = theirs.decoder.norm = None
    for ours_layer, layer in zip(model.encoder_layers, theirs.encoder.layers, strict=True):
        copy_attention(layer.self_attn, ours_layer.self_attention)
        layer.linear1.load_state_dict(ours_layer.feed_forward.inner_proj.state_dict())
        layer.linear2.load_state_dict(ours_layer.feed_forward.output_proj.state_dict())
        layer.norm1.load_state_dict(ours_layer.self_attention_residual.norm.state_dict())
        layer.norm2.load_state_dict(ours_layer.feed_forward_residual.norm.state_dict())
    for ours_layer, layer in zip(model.decoder_layers, theirs.decoder.layers, strict=True):
        copy_attention(layer.self_attn, ours_layer.self_attention)
        copy_attention(layer.multihead_attn, ours_layer.cross_attention)
        layer.linear1.load_state_dict(ours_layer.feed_forward.inner_proj.state_dict())
        layer.linear2.load_state_dict(ours_layer.feed_forward.output_proj.state_dict())
        layer.norm1.load_state_dict(ours_layer.self_attention_residual.norm.state_dict())
        layer.norm2.load_state_dict(ours_layer.cross_attention_residual.norm.state_dict())
        layer.norm3.load_state_dict(ours_layer.feed_forward_residual.norm.state_dict())
    return theirs


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("training", [False, True])
def test_parity_with_torch_transformer(make_model: MakeModel, norm: str, training: bool) -> None:
    model = make_model(norm=norm, num_encoder_layers=2, num_decoder_layers=3, dropout=0.0).train(training)
    theirs = as_torch_transformer(model).train(training)
    source, target = random_ids(3, 7), random_ids(3, 5, seed=1)
    source[1, 4:] = PAD
    target[2, 3:] = PAD
    scale = model.config.model_dim**0.5
    embedded = [
        model.source_embedding(ids) * scale + model.source_positions.waves[: ids.shape[1]] for ids in (source, target)
    ]
    expected = theirs(
        *embedded,
        tgt_mask=~torch.ones(5, 5, dtype=torch.bool).tril(),
        src_key_padding_mask=source == PAD,
        memory_key_padding_mask=source == PAD,
        tgt_key_padding_mask=target == PAD,
    )
    is_token = target != PAD
    torch.testing.assert_close(model.states(source, target)[is_token], expected[is_token])
    torch.testing.assert_close(
        model(source, target)[is_token], expected[is_token] @ model.source_embedding.weight.T, rtol=1e-5, atol=2e-5
    )


@pytest.mark.parametrize(("preset", "published"), [("base", 65e6), ("big", 213e6)])
def test_parameter_counts_of_the_paper(preset: str, published: float) -> None:
    sizes = ENCODER_DECODER[preset]["model"]
    d, f = sizes["model_dim"], sizes["ff_dim"]
    projection = d * d + d  # a square matrix and its bias
    attention, norm = 4 * projection, 2 * d
    feed_forward = (d * f + f) + (f * d + d)
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    embeddings = 37_000 * d  # one matrix: source, target and output
    derived = embeddings + 6 * encoder_layer + 6 * decoder_layer
    with torch.device("meta"):
        model = EncoderDecoder(EncoderDecoderConfig(vocab_size=37_000, **sizes))
    assert sum(parameter.numel() for parameter in model.parameters()) == derived
    assert derived == pytest.approx(published, rel=0.04)


@pytest.mark.parametrize(("tied", "matrices"), [("all", 1), ("target", 2), ("none", 3)])
def test_embeddings_are_shared_as_asked(make_model: MakeModel, tied: str, matrices: int) -> None:
    model = make_model(tied_embeddings=tied)
    tables = {model.source_embedding.weight, model.target_embedding.weight, model.output_embedding.weight}
    assert len(tables) == matrices


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_cached_equals_uncached(make_model: MakeModel, settings: dict[str, str]) -> None:
    model = make_model(**settings)
    source, target = random_ids(3, 7), random_ids(3, 6, seed=1)
    source[1, 4:] = PAD
    source[2, :2] = PAD
    whole = model(source, target)
    state = model.prefill(source)
    for position in range(6):
        logits, state = model.decode_step(target[:, position : position + 1], state)
        torch.testing.assert_close(logits[:, 0], whole[:, position], rtol=1e-4, atol=1e-5)


def test_cached_equals_uncached_when_beams_are_selected(make_model: MakeModel) -> None:
    model = make_model()
    source = random_ids(3, 5)
    state = model.prefill(source)
    _, state = model.decode_step(torch.full((3, 1), BOS), state)
    state = state.select(torch.arange(3), torch.zeros(3, 2, dtype=torch.long))
    newest = random_ids(3, 2, seed=4)
    _, state = model.decode_step(newest, state)
    # sentence 1 leaves; sentence 2's new beams both continue its second, sentence 0's are swapped
    state = state.select(torch.tensor([0, 2]), torch.tensor([[1, 0], [1, 1]]))
    last = random_ids(2, 2, seed=5)
    logits, _ = model.decode_step(last, state)
    for row, (sentence, parents) in enumerate([(0, (1, 0)), (2, (1, 1))]):
        for beam, parent in enumerate(parents):
            prefix = torch.tensor([[BOS, int(newest[sentence, parent]), int(last[row, beam])]])
            whole = model(source[sentence : sentence + 1], prefix)
            torch.testing.assert_close(logits[row, beam], whole[0, -1], rtol=1e-4, atol=1e-5)


@given(lengths=st.tuples(st.integers(1, 6), st.integers(1, 6)), padding=st.tuples(st.integers(0, 3), st.integers(0, 3)))
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_does_not_matter(side: str, lengths: tuple[int, int], padding: tuple[int, int]) -> None:
    model = MODEL
    source, target = random_ids(1, lengths[0]), random_ids(1, lengths[1], seed=2)
    expected = model(source, target)

    def pad(ids: torch.Tensor, amount: int) -> torch.Tensor:
        return nn.functional.pad(ids, (amount, 0) if side == "left" else (0, amount), value=PAD)

    padded = model(pad(source, padding[0]), pad(target, padding[1]))
    start = padding[1] if side == "left" else 0
    torch.testing.assert_close(padded[:, start : start + lengths[1]], expected, rtol=1e-4, atol=1e-5)
    assert padded.isfinite().all()


@pytest.mark.parametrize("training", [False, True])
def test_a_later_target_token_changes_nothing_before_it(make_model: MakeModel, training: bool) -> None:
    model = make_model(dropout=0.0).train(training)
    source, target = random_ids(2, 5), random_ids(2, 6, seed=1)
    changed = target.clone()
    changed[:, 4] = (changed[:, 4] - 3) % 19 + 4
    before, after = model(source, target), model(source, changed)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


def test_a_source_of_padding_alone_gives_no_nan(make_model: MakeModel) -> None:
    model = make_model().train()
    source = random_ids(2, 4)
    source[1] = PAD
    logits = model(source, random_ids(2, 3))
    logits.sum().backward()
    assert logits.isfinite().all()
    assert all(parameter.grad.isfinite().all() for parameter in model.parameters() if parameter.grad is not None)


def test_bfloat16_is_near_float32(make_model: MakeModel) -> None:
    model = make_model()
    source, target = random_ids(2, 5), random_ids(2, 4)
    expected = model(source, target)
    rounded = model.to(torch.bfloat16)(source, target).float()
    assert (rounded - expected).abs().mean() < 0.05 * expected.abs().mean()


def test_too_long_a_sequence_is_refused(make_model: MakeModel) -> None:
    with pytest.raises(ShapeError, match="at most max_positions = 8 tokens; got 9"):
        make_model(max_positions=8)(random_ids(1, 9), random_ids(1, 3))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValidationError, match="model_dim must be divisible by num_heads; got 300 and 8"):
        EncoderDecoderConfig(vocab_size=10, model_dim=300, num_heads=8)
    with pytest.raises(ValidationError, match="model_dim must be even for sinusoidal positions; got 15"):
        EncoderDecoderConfig(vocab_size=10, model_dim=15, num_heads=3)


MODEL = EncoderDecoder(
    EncoderDecoderConfig(
        vocab_size=23, model_dim=12, ff_dim=20, num_heads=3, num_encoder_layers=1, num_decoder_layers=1
    )
).eval()


def test_sentences_may_change_places_between_steps(make_model: MakeModel) -> None:
    model = make_model()
    source = random_ids(2, 5)
    newest = random_ids(2, 1, seed=3)
    straight, _ = model.decode_step(newest, model.prefill(source))
    state = model.prefill(source).select(torch.tensor([1, 0]), torch.tensor([[0], [0]]))
    swapped, _ = model.decode_step(newest.flip(0), state)
    torch.testing.assert_close(swapped.flip(0), straight)
