"""Position schemes against other people's code, or their paper's formula in plain loops; and with a cache."""

import math
import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from transformers import GPTJConfig, LlamaConfig, T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.t5.modeling_t5 import T5Attention

from regard.errors import SettingsError, ShapeError
from regard.nn import (
    Additive,
    Attention,
    AttentionPositions,
    BucketedBias,
    ClippedRelative,
    DotProduct,
    LearnedPositions,
    LearnedPrefix,
    LinearBias,
    MultiHeadAttention,
    RelativeKey,
    RelativeKeyQuery,
    Rotary,
    length_mask,
    mask_with_prefix,
    sinusoidal_positions,
)
from regard.nn.masks import distances

SCHEMES: dict[str, Callable[[], AttentionPositions | None]] = {
    "none": lambda: None,
    "rotary": lambda: Rotary(4),
    "rotary, interleaved, in part": lambda: Rotary(4, rotated_dim=2, layout="interleaved"),
    "linear bias": lambda: LinearBias(3),
    "buckets, bidirectional": lambda: BucketedBias(3, num_buckets=8, max_distance=10),
    "buckets": lambda: BucketedBias(3, num_buckets=8, max_distance=10, bidirectional=False),
    "relative key": lambda: RelativeKey(4, 32),
    "relative key and query": lambda: RelativeKeyQuery(4, 32),
    "clipped": lambda: ClippedRelative(4, 3),
    "clipped, keys only": lambda: ClippedRelative(4, 3, with_values=False),
}


def random(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape)), dtype=torch.float64).to(dtype)


def multihead(scheme: str, **options: object) -> MultiHeadAttention:
    torch.manual_seed(1)
    attention = Attention(positions=SCHEMES[scheme](), **options)  # type: ignore[arg-type]
    return MultiHeadAttention(12, 3, attention=attention).eval()


# what is added to embeddings


def test_sinusoidal_positions_by_hand() -> None:
    expected = [
        [0, 1, 0, 1],
        [0.8414710, 0.5403023, 0.0099998, 0.9999500],
        [0.9092974, -0.4161468, 0.0199987, 0.9998000],
    ]
    torch.testing.assert_close(sinusoidal_positions(3, 4), torch.tensor(expected))


def test_sinusoids_in_two_halves() -> None:
    interleaved, halves = sinusoidal_positions(5, 6), sinusoidal_positions(5, 6, layout="halves")
    assert torch.equal(halves, torch.cat((interleaved[:, 0::2], interleaved[:, 1::2]), dim=1))
    torch.testing.assert_close(halves, modeling_gptj.create_sinusoidal_positions(5, 6))


def test_sinusoidal_positions_need_an_even_width() -> None:
    with pytest.raises(ShapeError, match="model_dim must be even for sinusoidal positions; got 5"):
        sinusoidal_positions(3, 5)


def test_learned_positions_are_looked_up() -> None:
    positions = LearnedPositions(7, 4)
    assert torch.equal(positions(torch.tensor([[2, 0], [6, 6]]))[1, 0], positions.table.weight[6])


# what attention does: parity


def test_rotary_in_halves_is_that_of_llama() -> None:
    query, key = random(2, 3, 5, 8), random(2, 3, 5, 8) + 1
    config = LlamaConfig(
        hidden_size=24, num_attention_heads=3, rope_parameters={"rope_type": "default", "rope_theta": 500.0}
    )
    cos, sin = modeling_llama.LlamaRotaryEmbedding(config)(query, torch.arange(4, 9)[None])
    expected = modeling_llama.apply_rotary_pos_emb(query, key, cos, sin)
    rotary = Rotary(8, base=500.0)
    for x, turned in zip((query, key), expected, strict=True):
        torch.testing.assert_close(rotary.rotate(x, 4), turned)


def test_rotary_interleaved_is_that_of_gptj() -> None:
    attention = modeling_gptj.GPTJAttention(GPTJConfig(n_embd=24, n_head=3, rotary_dim=6, n_positions=16), layer_idx=0)
    x = random(2, 5, 3, 8)  # GPT-J turns before it moves the heads forward
    sin, cos = attention.embed_positions[None, 4:9].chunk(2, dim=-1)
    expected = torch.cat((modeling_gptj.apply_rotary_pos_emb(x[..., :6], sin, cos), x[..., 6:]), dim=-1)
    rotary = Rotary(8, rotated_dim=6, layout="interleaved")
    torch.testing.assert_close(rotary.rotate(x.transpose(1, 2), 4), expected.transpose(1, 2))


@pytest.mark.parametrize("layout", ["halves", "interleaved"])
def test_rotated_scores_depend_on_the_distance_alone(layout: str) -> None:
    rotary = Rotary(8, layout=layout)  # type: ignore[arg-type]
    query, key = random(1, 1, 1, 8, dtype=torch.float64), random(1, 1, 1, 8, dtype=torch.float64) * 2
    scores = [(rotary.rotate(query, q) * rotary.rotate(key, k)).sum() for q, k in ((5, 2), (105, 102), (3, 0))]
    torch.testing.assert_close(scores[0], scores[1])
    torch.testing.assert_close(scores[0], scores[2])


@pytest.mark.parametrize("rotated", [3, 10, 0])
def test_rotary_needs_pairs(rotated: int) -> None:
    with pytest.raises(ShapeError, match=f"rotated_dim must be even and at most head_dim; got {rotated} and 8"):
        Rotary(8, rotated_dim=rotated)


@pytest.mark.parametrize("num_heads", [1, 2, 8, 12, 71])
def test_linear_bias_has_the_slopes_of_bloom(num_heads: int) -> None:
    x = random(1, num_heads, 5, 2)
    bias = LinearBias(num_heads).bias(x, x, distances(5))
    assert bias is not None
    # Bloom adds slope * key position, which is the same as ours in each row's softmax, over the past
    theirs = build_alibi_tensor(torch.ones(1, 5), num_heads, torch.float32).view(1, num_heads, 1, 5)
    torch.testing.assert_close(bias[:, :, 4] - bias[:, :, 4, :1], theirs[:, :, 0] - theirs[:, :, 0, :1])


@pytest.mark.parametrize("is_decoder", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(40, 40), (1, 23)])
def test_buckets_are_those_of_t5(is_decoder: bool, queries: int, keys: int) -> None:
    config = T5Config(
        d_model=12, d_kv=4, num_heads=3, relative_attention_num_buckets=12, relative_attention_max_distance=20,
        is_decoder=is_decoder,
    )  # fmt: skip
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = BucketedBias(3, num_buckets=12, max_distance=20, bidirectional=not is_decoder)
    ours.table.load_state_dict(theirs.relative_attention_bias.state_dict())
    expected = theirs.compute_bias(queries, keys, past_seen_tokens=keys - queries)
    bias = ours.bias(random(1, 3, queries, 4), random(1, 3, keys, 4), distances(queries, keys))
    torch.testing.assert_close(bias, expected)


def test_t5_attention_is_one_of_ours() -> None:
    theirs = T5Attention(
        T5Config(d_model=12, d_kv=5, num_heads=3, dropout_rate=0.0), has_relative_attention_bias=True
    ).eval()
    positions = BucketedBias(3)
    ours = MultiHeadAttention(12, 3, head_dim=5, bias=False, attention=Attention(DotProduct(), positions)).eval()
    positions.table.load_state_dict(theirs.relative_attention_bias.state_dict())
    for name, projection in (
        ("query_proj", theirs.q),
        ("key_proj", theirs.k),
        ("value_proj", theirs.v),
        ("output_proj", theirs.o),
    ):
        getattr(ours, name).load_state_dict(projection.state_dict())
    x = random(2, 7, 12)
    torch.testing.assert_close(ours(x), theirs(x)[0])


@pytest.mark.parametrize("with_query", [False, True])
def test_relative_keys_are_the_formula_of_bert(with_query: bool) -> None:
    """Hugging Face's BERT has lost its relative positions: here is what they were, in loops."""
    scheme = (RelativeKeyQuery if with_query else RelativeKey)(4, 9).double()
    query, key = random(2, 3, 5, 4, dtype=torch.float64), random(2, 3, 5, 4, dtype=torch.float64) + 1
    expected = torch.zeros(2, 3, 5, 5, dtype=torch.float64)
    for q in range(5):
        for k in range(5):
            vector = scheme.table.weight[q - k + 9 - 1]
            expected[:, :, q, k] = (query[:, :, q] @ vector + (key[:, :, k] @ vector if with_query else 0)) / math.sqrt(
                4
            )
    torch.testing.assert_close(scheme.bias(query, key, distances(5)), expected)


def test_relative_keys_have_an_end() -> None:
    x = random(1, 1, 10, 4)
    with pytest.raises(ShapeError, match="a sequence must have at most max_positions = 9 positions; got 10"):
        RelativeKey(4, 9).bias(x, x, distances(10))


def test_clipped_relative_positions_are_shaws_formula() -> None:
    scheme = ClippedRelative(4, 2).double()
    attention = Attention(positions=scheme).double()
    query, key, value = (random(2, 3, 6, 4, dtype=torch.float64) + n for n in range(3))
    expected = torch.zeros(2, 3, 6, 4, dtype=torch.float64)
    assert scheme.value_table is not None
    for b in range(2):
        for h in range(3):
            for q in range(6):
                rows = [min(max(k - q, -2), 2) + 2 for k in range(q + 1)]
                scores = [query[b, h, q] @ (key[b, h, k] + scheme.key_table.weight[r]) / 2 for k, r in enumerate(rows)]
                weights = torch.stack(scores).softmax(0)
                for k, r in enumerate(rows):
                    expected[b, h, q] += weights[k] * (value[b, h, k] + scheme.value_table.weight[r])
    torch.testing.assert_close(attention(query, key, value, causal=True), expected)


# what holds for all of them


@pytest.mark.parametrize("scheme", SCHEMES)
def test_cached_equals_uncached(scheme: str) -> None:
    module, x = multihead(scheme), random(2, 9, 12)
    whole = module(x, causal=True)
    past, steps = None, []
    for start, end in ((0, 4), (4, 5), (5, 9)):
        part = x[:, start:end]
        steps.append(module(part, past=past, causal=True))
        newer = module.project(part, part, first=start)
        past = newer if past is None else past.append(newer)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_side_of_the_padding_does_not_matter(scheme: str) -> None:
    module, x = multihead(scheme), random(1, 5, 12)
    junk = random(1, 3, 12)
    is_token = torch.tensor([[1, 1, 1, 1, 1, 0, 0, 0]], dtype=torch.bool)
    right = module(torch.cat((x, junk), dim=1), mask=is_token[:, None, None])[:, :5]
    left = module(torch.cat((junk, x), dim=1), mask=is_token.flip(1)[:, None, None])[:, 3:]
    torch.testing.assert_close(right, module(x), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(left, module(x), rtol=1e-5, atol=1e-5)


@given(scheme=st.sampled_from(sorted(SCHEMES)), seed=st.integers(0, 50), at=st.integers(1, 8))
def test_a_later_position_changes_no_earlier_one(scheme: str, seed: int, at: int) -> None:
    module, generator = multihead(scheme), torch.Generator().manual_seed(seed)
    x = torch.randn(1, 9, 12, generator=generator)
    changed = x.clone()
    changed[:, at:] = torch.randn(1, 9 - at, 12, generator=generator)
    assert torch.equal(module(x, causal=True)[:, :at], module(changed, causal=True)[:, :at])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_only_positions_tell_the_order(scheme: str) -> None:
    module, x = multihead(scheme), random(1, 6, 12)
    order = torch.tensor([3, 1, 5, 0, 4, 2])
    same = torch.allclose(module(x[:, order]), module(x)[:, order], atol=1e-5)
    assert same == (scheme == "none")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pruned_heads_take_their_positions_along(scheme: str) -> None:
    module, x = multihead(scheme), random(2, 5, 12)
    gated = module(x, gates=torch.tensor([0.0, 1.0, 1.0]))
    module.prune_heads([0])
    torch.testing.assert_close(module(x), gated)
    gated = module(x, gates=torch.tensor([0.0, 1.0]))
    module.prune_heads([0])
    assert module.kept_heads == [2]
    torch.testing.assert_close(module(x), gated)


def test_a_prefix_has_values_of_the_width_of_the_attentions() -> None:
    module = MultiHeadAttention(12, 3, value_head_dim=5)
    past = LearnedPrefix(2, 3, 4, value_head_dim=5)(2)
    assert past.value.shape == (2, 3, 2, 5)
    assert module(torch.randn(2, 6, 12), past=past).shape == (2, 6, 12)
    with pytest.raises(ShapeError, match=r"past values must have shape \(2, 3, any number, 5\); got \(2, 3, 2, 4\)"):
        module(torch.randn(2, 6, 12), past=LearnedPrefix(2, 3, 4)(2))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_learned_prefix_stands_before_everything(scheme: str) -> None:
    module, x = multihead(scheme), random(2, 5, 12)
    prefix = LearnedPrefix(3, 3, 4)
    mask = mask_with_prefix(length_mask(torch.tensor([2, 5]), 5), 3)
    context = module(x, past=prefix(2), mask=mask, causal=True)
    context.square().sum().backward()
    assert prefix.key.grad is not None
    assert prefix.key.grad.abs().sum() > 0
    # a prefix is what a cache would be
    newer = module.project(x, x, first=3)
    query = module.project_query(x, prefix(2).append(newer))
    torch.testing.assert_close(module.attend(query, prefix(2).append(newer), mask=mask, causal=True), context)
    assert not torch.allclose(module(x, mask=mask[..., 3:], causal=True), context)


def test_a_bias_of_ones_own_joins_the_positions() -> None:
    attention, x, bias = Attention(positions=LinearBias(3)), random(2, 3, 5, 4), random(3, 5, 5)
    both = attention(x, x, x, None, bias)
    assert attention.positions is not None
    relative = attention.positions.bias(x, x, distances(5))
    torch.testing.assert_close(both, Attention()(x, x, x, None, bias + relative))


def test_scores_and_positions_combine() -> None:
    attention = Attention(Additive(4, 4, 5), LinearBias(3))
    x = random(2, 3, 5, 4)
    torch.testing.assert_close(attention(x, x, x), attention.weights(x, x) @ x)


@pytest.mark.parametrize("base", [0.0, -1.0, math.nan, math.inf])
def test_a_base_that_means_nothing_is_refused(base: float) -> None:
    with pytest.raises(SettingsError, match="base must be a finite number above 0"):
        Rotary(8, base=base)


@pytest.mark.parametrize("window", [0, -2, True])
def test_a_window_that_means_nothing_is_refused(window: int) -> None:
    with pytest.raises(SettingsError, match="window must be a whole number of at least 1"):
        Attention(window=window)


KINDS = """
import regard
import regard.nn as nn
for call in ("Rotary(8, layout='interleave')", "sinusoidal_positions(4, 4, layout='x')", "Attention(window=2.5)",
             "Attention(window=float('nan'))", "window_mask(4, before=float('nan'))"):
    try:
        eval(f"nn.{call}")
    except regard.RegardError as error:
        print(error)
"""
"""Values of other kinds than the annotations say, which the checks of these tests would refuse first."""


def test_values_of_another_kind_are_refused() -> None:
    said = subprocess.run([sys.executable, "-c", KINDS], capture_output=True, text=True, check=True).stdout.splitlines()
    rules = [
        "layout must be interleaved",
        "layout must be a known",
        *["window must be"] * 2,
        "before and after must be",
    ]
    assert [rule in line for rule, line in zip(rules, said, strict=True)] == [True] * 5
