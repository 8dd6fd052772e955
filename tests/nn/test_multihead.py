import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from transformers import BertConfig, LlamaConfig
from transformers.models.bert.modeling_bert import BertSelfAttention
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding

from regard.errors import ShapeError
from regard.nn import Additive, Attention, MultiHeadAttention, Rotary, attention, length_mask


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("key_dim", "value_dim"), [(None, None), (7, 11)])
def test_parity_with_torch(bias: bool, key_dim: int | None, value_dim: int | None) -> None:
    torch.manual_seed(3)
    ours = MultiHeadAttention(15, 3, key_dim=key_dim, value_dim=value_dim, bias=bias).eval()
    theirs = nn.MultiheadAttention(15, 3, batch_first=True, kdim=key_dim, vdim=value_dim, bias=bias).eval()
    projections = (ours.query_proj, ours.key_proj, ours.value_proj)
    if bias:
        for projection in (*projections, ours.output_proj):
            nn.init.normal_(projection.bias)
    with torch.no_grad():
        if key_dim is None:
            theirs.in_proj_weight.copy_(torch.cat([projection.weight for projection in projections]))
        else:
            for name, projection in zip("qkv", projections, strict=True):
                getattr(theirs, f"{name}_proj_weight").copy_(projection.weight)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([projection.bias for projection in projections]))
        theirs.out_proj.load_state_dict(ours.output_proj.state_dict())
    query, key, value = torch.randn(2, 5, 15), torch.randn(2, 7, key_dim or 15), torch.randn(2, 7, value_dim or 15)
    hidden = torch.zeros(2, 7, dtype=torch.bool)
    hidden[1, 4:] = True  # torch's polarity: True hides
    for x in (query, key, value):
        x.requires_grad_()
    expected, _ = theirs(query, key, value, key_padding_mask=hidden)
    context = ours(query, key, value, mask=~hidden[:, None, None])
    torch.testing.assert_close(context, expected)
    for ours_grad, theirs_grad in zip(
        torch.autograd.grad(context.square().sum(), (query, key, value)),
        torch.autograd.grad(expected.square().sum(), (query, key, value)),
        strict=True,
    ):
        torch.testing.assert_close(ours_grad, theirs_grad)


def test_parity_with_bert() -> None:
    torch.manual_seed(0)
    config = BertConfig(hidden_size=15, num_attention_heads=3, attention_probs_dropout_prob=0.0)
    config._attn_implementation = "eager"
    theirs, ours = BertSelfAttention(config).eval(), MultiHeadAttention(15, 3).eval()
    for name, projection in (("query", ours.query_proj), ("key", ours.key_proj), ("value", ours.value_proj)):
        projection.load_state_dict(getattr(theirs, name).state_dict())
    ours.output_proj = nn.Identity()  # type: ignore[assignment]
    x = torch.randn(2, 5, 15)
    torch.testing.assert_close(ours(x), theirs(x)[0])


def test_parity_with_llama_grouped_heads_and_rotary_positions() -> None:
    torch.manual_seed(0)
    config = LlamaConfig(hidden_size=24, num_attention_heads=6, num_key_value_heads=2, head_dim=8)
    config._attn_implementation = "eager"
    theirs = LlamaAttention(config, layer_idx=0).eval()
    ours = MultiHeadAttention(
        24, 6, num_kv_heads=2, head_dim=8, bias=False, attention=Attention(positions=Rotary(8))
    ).eval()
    for name, letter in (("query_proj", "q"), ("key_proj", "k"), ("value_proj", "v"), ("output_proj", "o")):
        getattr(ours, name).load_state_dict(getattr(theirs, f"{letter}_proj").state_dict())
    x = torch.randn(2, 5, 24)
    positions = LlamaRotaryEmbedding(config)(x, torch.arange(5)[None])
    ahead = torch.full((5, 5), -torch.inf).triu(1)[None, None]
    torch.testing.assert_close(ours(x, causal=True), theirs(x, positions, ahead)[0])


def test_one_input_is_all_three() -> None:
    torch.manual_seed(0)
    module, x = MultiHeadAttention(6, 2), torch.randn(2, 5, 6)
    torch.testing.assert_close(module(x), module(x, x, x))
    key = torch.randn(2, 3, 6)
    torch.testing.assert_close(module(x, key), module(x, key, key))


def test_keys_do_not_know_their_order() -> None:
    torch.manual_seed(0)
    module = MultiHeadAttention(6, 2).eval()
    query, key, value = torch.randn(1, 3, 6), torch.randn(1, 5, 6), torch.randn(1, 5, 6)
    order = torch.tensor([3, 1, 4, 0, 2])
    torch.testing.assert_close(module(query, key[:, order], value[:, order]), module(query, key, value))


def test_grouped_heads_share_keys_and_values() -> None:
    torch.manual_seed(0)
    grouped, x = MultiHeadAttention(12, 4, num_kv_heads=2), torch.randn(2, 5, 12)
    full = MultiHeadAttention(12, 4)
    full.query_proj, full.output_proj = grouped.query_proj, grouped.output_proj
    for name in ("key_proj", "value_proj"):
        few, many = getattr(grouped, name), getattr(full, name)
        by_head = few.weight.data.unflatten(0, (2, 3)).repeat_interleave(2, dim=0)
        many.weight.data.copy_(by_head.flatten(0, 1))
        many.bias.data.copy_(few.bias.data.unflatten(0, (2, 3)).repeat_interleave(2, dim=0).flatten())
    torch.testing.assert_close(grouped(x), full(x))
    assert grouped.project(x, x).key.shape == (2, 2, 5, 3)


@given(st.lists(st.integers(0, 3), max_size=3, unique=True), st.integers(1, 2), st.integers(0, 50))
def test_gates_of_1_are_the_identity_and_gates_of_0_are_pruned_heads(heads: list[int], batch: int, seed: int) -> None:
    torch.manual_seed(seed)
    module, x = MultiHeadAttention(12, 4), torch.randn(batch, 5, 12)
    before = sum(parameter.numel() for parameter in module.parameters())
    assert torch.equal(module(x, gates=torch.ones(4)), module(x))
    gates = torch.ones(4)
    gates[heads] = 0
    gated = module(x, gates=gates)
    module.prune_heads(heads)
    torch.testing.assert_close(module(x), gated, rtol=1e-5, atol=1e-6)
    assert module.num_heads == 4 - len(heads)
    assert module.kept_heads == [head for head in range(4) if head not in heads]
    # each head has 3 rows in three projections with their biases, and 3 columns of the last one
    assert sum(parameter.numel() for parameter in module.parameters()) == before - len(heads) * (
        3 * 3 * (12 + 1) + 3 * 12
    )


def test_a_gate_for_each_head_of_each_example() -> None:
    torch.manual_seed(0)
    module, x, gates = MultiHeadAttention(12, 4), torch.randn(3, 5, 12), torch.rand(3, 4)
    together = module(x, gates=gates)
    for i in range(3):
        torch.testing.assert_close(together[i : i + 1], module(x[i : i + 1], gates=gates[i]))


def test_a_gates_gradient_is_that_of_its_head() -> None:
    torch.manual_seed(0)
    module, x, gates = MultiHeadAttention(12, 4).double(), torch.randn(2, 3, 12).double(), torch.rand(2, 4).double()
    assert torch.autograd.gradcheck(lambda g: module(x, gates=g), (gates.requires_grad_(),))


def test_groups_are_pruned_whole() -> None:
    torch.manual_seed(0)
    module, x = MultiHeadAttention(12, 4, num_kv_heads=2), torch.randn(2, 5, 12)
    with pytest.raises(ShapeError, match=r"heads that share keys and values .*groups of 2; got \[1\]"):
        module.prune_heads([1])
    gated = module(x, gates=torch.tensor([0.0, 0.0, 1.0, 1.0]))
    module.prune_heads([0, 1])
    torch.testing.assert_close(module(x), gated)
    assert (module.num_heads, module.num_kv_heads) == (2, 1)


def test_a_pruned_module_trains() -> None:
    module = MultiHeadAttention(12, 4)
    module.prune_heads({1, 2})
    module(torch.randn(2, 5, 12)).square().sum().backward()
    assert all(parameter.grad is not None for parameter in module.parameters())


@pytest.mark.parametrize(
    ("heads", "message"),
    [([4], r"heads must be from 0 to 3; got \[4\]"), (range(4), "at least one head must remain; got all")],
)
def test_heads_that_cannot_be_pruned(heads: list[int], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        MultiHeadAttention(12, 4).prune_heads(heads)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 2, 4)])
def test_gates_that_do_not_fit_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="gates must be one number for each of 4 heads, or one row of them for each"):
        MultiHeadAttention(12, 4)(torch.zeros(2, 5, 12), gates=torch.ones(shape))


def test_any_score_will_do() -> None:
    torch.manual_seed(0)
    module = MultiHeadAttention(12, 3, attention=Attention(Additive(4, 4, 7)))
    x, mask = torch.randn(2, 5, 12), length_mask(torch.tensor([2, 5]), 5)
    query, (key, value) = module.project_self(x)
    context = attention(query, key, value, mask=mask, score=module.attention.score)
    torch.testing.assert_close(module(x, mask=mask), module.output_proj(context.transpose(1, 2).flatten(2)))


def test_a_head_width_of_ones_own() -> None:
    module = MultiHeadAttention(10, 3, head_dim=4)
    assert module.output_proj.weight.shape == (10, 12)
    assert module(torch.randn(2, 5, 10)).shape == (2, 5, 10)


def test_widths_that_heads_cannot_share_are_refused() -> None:
    with pytest.raises(ShapeError, match="model_dim must be divisible by num_heads; got 300 and 8"):
        MultiHeadAttention(300, 8)
    with pytest.raises(ShapeError, match="num_heads must be divisible by num_kv_heads; got 4 and 3"):
        MultiHeadAttention(12, 4, num_kv_heads=3)
