"""Sliding windows by layer, norms of queries and keys, and the settings of rotary positions: in every way to run a model."""

import math
from typing import Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.engines.engine_choice import compile_model
from regard.errors import SettingsError
from regard.inspection.capture import capture
from regard.models.config import POSITIONS, DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn import Attention, MultiHeadAttention, Rotary, RotaryScaling

SIZES: dict[str, Any] = {
    "vocab_size": 19,
    "model_dim": 16,
    "ff_dim": 24,
    "num_heads": 4,
    "max_positions": 40,
    "dropout": 0.0,
}


def decoder(**changes: Any) -> Decoder:
    torch.manual_seed(1)
    model = Decoder(DecoderConfig(**{**SIZES, "num_layers": 3, "positions": "rotary", **changes})).eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


FEATURES: list[dict[str, Any]] = [
    {"windows": [3, None, 5]},
    {"query_key_norm": True, "norm_kind": "rms"},
    {"windows": [2, 2, 2], "query_key_norm": True, "num_kv_heads": 2, "positions": "alibi"},
    {"rotary_base": 500.0, "rotary_dim": 2, "feed_forward_bias": False, "attention_output_bias": False},
    {"rotary_scaling": {"factor": 4.0, "training_length": 8}, "windows": [4, 1, None]},
    {"windows": [3, 3, None], "positions": "shaw"},
    {"windows": [3, None, 3], "local_rotary_base": 20.0, "rotary_scaling": {"factor": 4.0}},
    {"parallel_residual": True, "norm": "pre", "windows": [3, None, 5]},
    {"parallel_residual": True, "norm": "sandwich", "gated": True, "num_kv_heads": 2, "positions": "alibi"},
    {"score_cap": 0.7, "logit_cap": 2.0, "positions": "t5", "num_kv_heads": 2},
    {"score_cap": 5.0, "windows": [3, None, 3], "query_key_norm": True, "output_bias": True, "logit_cap": 30.0},
    {"norm_bias": False, "norm": "sandwich", "positions": "alibi", "scale_embeddings": True},
    *({"windows": [3, None, 5], "positions": positions} for positions in sorted(POSITIONS)),
]


@pytest.mark.parametrize("changes", FEATURES)
@pytest.mark.parametrize("engine", ["torch", "auto"])
def test_steps_through_a_cache_are_the_whole_pass(changes: dict[str, Any], engine: str) -> None:
    """Prompts of two lengths, padded on the left; two hypotheses that change places."""
    model = decoder(**changes)
    ids = torch.randint(4, 19, (2, 14))
    prompts = ids[:, :6].clone()
    prompts[1, :2] = 0
    compiled = compile_model(model, engine)
    with torch.inference_mode():
        state = compiled.prefill(prompts)
        state = state.select(torch.arange(2), torch.zeros(2, 2, dtype=torch.long))
        texts = [[prompts[row, :6].tolist()] * 2 for row in range(2)]
        newest = prompts[:, 5:6].expand(-1, 2)
        for step in range(8):
            logits, state = compiled.decode_step(newest, state)
            for row in range(2):
                for beam in range(2):
                    text = [id for id in texts[row][beam] if id]
                    expected = model(torch.tensor([text]))[0, -1]
                    torch.testing.assert_close(logits[row, beam], expected, rtol=1e-4, atol=1e-4)
            newest = torch.randint(4, 19, (2, 2))
            parents = torch.tensor([[1, 0], [0, 0]]) if step % 2 else torch.tensor([[0, 1], [1, 0]])
            state = state.select(torch.arange(2), parents)
            texts = [
                [texts[row][parents[row, beam]] + [int(newest[row, beam])] for beam in range(2)] for row in range(2)
            ]


@settings(max_examples=25)
@given(st.integers(1, 9), st.integers(1, 12), st.booleans(), st.integers(0, 3))
def test_a_window_is_the_mask_of_its_definition(window: int, length: int, causal: bool, extra: int) -> None:
    torch.manual_seed(2)
    query = torch.randn(2, 3, length, 8)
    key, value = torch.randn(2, 2, 3, length + extra, 8)
    place = torch.arange(length + extra)
    allowed = (place[None] - (place[:length] + extra)[:, None]).abs() < window
    windowed, plain = Attention(window=window), Attention()
    expected = plain(query, key, value, allowed, causal=causal)
    torch.testing.assert_close(windowed(query, key, value, causal=causal), expected)
    weights = windowed.weights(query, key, causal=causal)
    assert not weights[..., ~allowed].any()
    torch.testing.assert_close(weights @ value, expected)


def test_a_position_beyond_all_windows_changes_nothing() -> None:
    """Three layers that look two back reach six positions."""
    model = decoder(windows=[3, 3, 3])
    ids = torch.randint(4, 19, (1, 12))
    other = ids.clone()
    other[0, 0] = 4 + (other[0, 0] - 3) % 15
    before, after = model(ids)[0], model(other)[0]
    assert not torch.allclose(before[6], after[6])
    torch.testing.assert_close(before[7:], after[7:])


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_encoder_looks_both_ways_in_its_windows(side: str) -> None:
    torch.manual_seed(3)
    model = Encoder(EncoderConfig(**SIZES, num_layers=2, windows=[2, 3], norm="pre", query_key_norm=True)).eval()
    ids = torch.randint(4, 19, (1, 9))
    padding = torch.zeros(1, 3, dtype=torch.long)
    padded = torch.cat((padding, ids) if side == "left" else (ids, padding), dim=1)
    real = slice(3, None) if side == "left" else slice(None, 9)
    torch.testing.assert_close(model(padded)[:, real], model(ids), rtol=1e-4, atol=1e-5)
    changed = ids.clone()
    changed[0, 8] = 4 + (changed[0, 8] - 3) % 15
    same = (model(ids) == model(changed)).all(dim=-1)[0]
    torch.testing.assert_close(model(ids)[0, :5], model(changed)[0, :5])
    assert not same[5:].any()


def test_an_encoder_decoder_has_windows_in_both_stacks() -> None:
    torch.manual_seed(4)
    config = {**SIZES, "num_encoder_layers": 2, "num_decoder_layers": 2, "windows": [2, None]}
    model = EncoderDecoder(EncoderDecoderConfig(**config)).eval()
    assert [layer.self_attention.attention.window for layer in model.encoder_layers] == [2, None]
    assert [layer.self_attention.attention.window for layer in model.decoder_layers] == [2, None]
    assert [layer.cross_attention.attention.window for layer in model.decoder_layers] == [None, None]


def test_inspection_sees_the_window() -> None:
    model = decoder(windows=[2, None, 4])
    ids = torch.randint(4, 19, (1, 8))
    with capture(model) as found:
        model(ids)
    place = torch.arange(8)
    for layer, window in enumerate([2, None, 4]):
        attention = found[f"layers.{layer}.self_attention"]
        before = place[:, None] - place[None]
        allowed = (before >= 0) & (before < (window or 99))
        assert torch.equal(attention.allowed()[0, 0], allowed)
        weights = attention.weights()
        assert not weights[..., ~allowed].any()
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(1, 4, 8))


def test_layers_with_a_window_have_a_base_of_their_own() -> None:
    """Which scaling leaves as it is; and engines that take one for all layers refuse it."""
    model = decoder(windows=[3, None, 3], local_rotary_base=20.0, rotary_base=500.0, rotary_scaling={"factor": 4.0})
    schemes: Any = [layer.self_attention.attention.positions for layer in model.layers]
    local, everywhere = Rotary(4, base=20.0).frequencies(), Rotary(4, base=500.0).frequencies() / 4
    for scheme, expected in zip(schemes, (local, everywhere, local), strict=True):
        torch.testing.assert_close(scheme.frequencies(), expected)
    plain = decoder(local_rotary_base=20.0, rotary_base=500.0)
    for layer in plain.layers:
        torch.testing.assert_close(cast("Any", layer).self_attention.attention.positions.base, 500.0)


def test_normalised_queries_and_keys_have_one_length() -> None:
    attention = MultiHeadAttention(12, 3, norm=torch.nn.RMSNorm, attention=Attention(positions=Rotary(4)))
    x = 7 * torch.randn(2, 5, 12)
    query, seen = attention.project_self(x)
    for heads in (query, seen.key):
        torch.testing.assert_close(heads.norm(dim=-1), torch.full((2, 3, 5), 2.0))
    again = attention.project_query(x, attention.project(x, x))
    torch.testing.assert_close(again, query)


def test_pruned_heads_are_gone_beside_norms() -> None:
    model = decoder(query_key_norm=True, norm_kind="rms")
    ids = torch.randint(4, 19, (1, 6))
    gates = torch.ones(3, 4)
    gates[1, [0, 2]] = 0
    expected = model(ids, gates=gates)
    model.layers[1].self_attention.prune_heads([0, 2])
    torch.testing.assert_close(model(ids), expected, rtol=1e-4, atol=1e-5)


def test_llama_3_scales_long_waves_only() -> None:
    """Against the three cases of its definition, one frequency at a time."""
    scaling = RotaryScaling(8.0, training_length=100, low_factor=1.0, high_factor=4.0)
    frequencies = Rotary(64, base=10_000.0).frequencies()
    for before, after in zip(frequencies.tolist(), scaling.scaled(frequencies).tolist(), strict=True):
        length = 2 * math.pi / before
        if length < 100 / 4:
            expected = before
        elif length > 100:
            expected = before / 8
        else:
            share = (100 / length - 1) / 3
            expected = (1 - share) * before / 8 + share * before
        assert after == pytest.approx(expected, rel=1e-6)
    linear = RotaryScaling(2.0).scaled(frequencies)
    torch.testing.assert_close(linear, frequencies / 2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": [3, 3]}, "windows must be one for each of 3 layers; got 2"),
        ({"windows": [0, 1, 1]}, "greater than or equal to 1"),
        ({"rotary_dim": 3}, "rotary_dim must be even and at most head_dim"),
        ({"rotary_dim": 6}, "rotary_dim must be even and at most head_dim"),
        ({"rotary_scaling": {"factor": 0.0}}, "greater than 0"),
        ({"query_key_norm": True, "norm_kind": "batch"}, "query_key_norm must be false with norm_kind batch"),
        ({"rotary_scaling": {"factor": 2.0, "low_factor": 4.0}}, "low_factor must be below high_factor"),
    ],
)
def test_settings_that_no_model_can_have(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DecoderConfig(**{**SIZES, "num_layers": 3, "positions": "rotary", **changes})
    with pytest.raises(SettingsError, match="window must be a whole number of at least 1"):
        Attention(window=0)
