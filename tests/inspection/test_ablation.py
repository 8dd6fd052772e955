"""The importance of heads, held against really cutting them out; and models from which they were cut."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.checkpoint import load_model, save_new
from regard.errors import ModelFolderError, RegardError, SettingsError, ShapeError
from regard.inspection.ablation import (
    Example,
    ablated_gates,
    gated,
    gradient_importance,
    head_names,
    importance_by_token,
    learnt_gates,
    leave_one_out,
    mean_contexts,
)
from regard.inspection.record import HeadName
from regard.models.config import DecoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import Site, multihead_attentions, prune_heads
from regard.models.registry import build, unpruned
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

EXAMPLES = [
    Example([4, 5, 6, 7, 3], [2, 9, 10, 9], [9, 10, 9, 3]),
    Example([8, 5, 3], [2, 12], [12, 3]),
]
POSITIONS = ["sinusoidal", "rotary", "shaw", "t5", "alibi", "relative_key"]


def log_prob(model: EncoderDecoder, example: Example) -> float:
    assert example.source_ids is not None
    with torch.no_grad():
        log_probs = model(torch.tensor([example.source_ids]), torch.tensor([example.read_ids]))[0].log_softmax(dim=-1)
    return float(log_probs.gather(-1, torch.tensor(example.target_ids)[:, None]).double().sum())


def cut(model: EncoderDecoder, name: HeadName) -> EncoderDecoder:
    """A copy whose head writes nothing: its columns of the output projection are 0."""
    model = deepcopy(model)
    attention = multihead_attentions(model)[name.site]
    head = attention.kept_heads.index(name.head)
    width = attention.head_dim
    with torch.no_grad():
        attention.output_proj.weight[:, head * width : (head + 1) * width] = 0
    return model


@pytest.mark.parametrize("positions", POSITIONS)
def test_leaving_one_out_against_cutting_it_out(make_model: Callable[..., EncoderDecoder], positions: str) -> None:
    model = make_model(positions=positions, num_encoder_layers=2, num_decoder_layers=1)
    worth = leave_one_out(model, EXAMPLES)
    for number, example in enumerate(EXAMPLES):
        by_token = importance_by_token(model, example)
        assert by_token.keys() == worth.keys()
        for name, falls in by_token.items():
            assert len(falls) == len(example.target_ids)
            assert sum(falls) / len(falls) == pytest.approx(worth[name][number], abs=1e-6)
    assert list(worth) == head_names(model)
    assert len(worth) == 2 * 3 + 3 + 3
    for name, values in worth.items():
        for example, value in zip(EXAMPLES, values, strict=True):
            lost = (log_prob(model, example) - log_prob(cut(model, name), example)) / len(example.target_ids)
            assert value == pytest.approx(lost, abs=2e-6)


def test_leaving_one_out_leaves_no_hook(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    before = log_prob(model, EXAMPLES[0])
    leave_one_out(model, EXAMPLES)
    gradient_importance(model, EXAMPLES)
    mean_contexts(model, EXAMPLES)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert log_prob(model, EXAMPLES[0]) == before


def test_a_language_model() -> None:
    torch.manual_seed(2)
    model = build(DecoderConfig(vocab_size=23, model_dim=12, ff_dim=20, num_heads=3, num_layers=2)).eval()
    worth = leave_one_out(model, [Example(None, [2, 9, 10], [9, 10, 3])])
    with torch.no_grad(), gated(model, ablated_gates(model, [HeadName("decoder", 1, 2)])):
        fewer = model(torch.tensor([[2, 9, 10]]))[0].log_softmax(dim=-1)
    whole = model(torch.tensor([[2, 9, 10]]))[0].log_softmax(dim=-1)
    lost = (whole - fewer).gather(-1, torch.tensor([9, 10, 3])[:, None]).sum() / 3
    assert worth[HeadName("decoder", 1, 2)] == [pytest.approx(float(lost.detach()), abs=1e-6)]


def test_a_mean_in_a_heads_place(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    means = mean_contexts(model, EXAMPLES)
    contexts: list[torch.Tensor] = []
    attention = multihead_attentions(model)[Site("cross", 1)].attention
    hook = attention.register_forward_hook(lambda _, inputs, context: contexts.append(context[0]))
    for example in EXAMPLES:
        log_prob(model, example)
    hook.remove()
    torch.testing.assert_close(means[Site("cross", 1)], torch.cat(contexts, dim=1).mean(dim=1))
    # A head whose context is the same everywhere is worth nothing when its mean stands in.
    with torch.no_grad():
        values = multihead_attentions(model)[Site("cross", 1)].value_proj
        values.weight[4:8] = 0
    constant = leave_one_out(model, EXAMPLES, means=mean_contexts(model, EXAMPLES))[HeadName("cross", 1, 1)]
    assert constant == pytest.approx([0, 0], abs=1e-6)


def test_a_slope_against_a_small_step(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model().double()
    importance = gradient_importance(model, EXAMPLES)
    for name in (HeadName("encoder", 0, 1), HeadName("decoder", 1, 0), HeadName("cross", 0, 2)):
        slopes = []
        for example in EXAMPLES:
            losses = []
            for step in (1 - 1e-5, 1 + 1e-5):
                gate = torch.ones(3, dtype=torch.float64)
                gate[name.head] = step
                with gated(model, {name.site: gate}):
                    losses.append(-log_prob(model, example) / len(example.target_ids))
            slopes.append(abs(losses[1] - losses[0]) / 2e-5)
        assert importance[name] == pytest.approx(sum(slopes) / 2, rel=1e-2, abs=1e-6)


def test_learnt_gates_close_where_nothing_is_lost(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model(num_encoder_layers=1, num_decoder_layers=1)
    with torch.no_grad():  # heads that write nothing
        multihead_attentions(model)[Site("encoder", 0)].output_proj.weight[:, 4:] = 0
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    kept = learnt_gates(model, EXAMPLES, penalty=0.05, steps=60)
    assert kept == learnt_gates(model, EXAMPLES, penalty=0.05, steps=60)  # the same seed, the same gates
    assert max(kept[HeadName("encoder", 0, head)] for head in (1, 2)) < 0.3
    assert all(torch.equal(parameter, before[name]) for name, parameter in model.named_parameters())
    assert all(parameter.grad is None for parameter in model.parameters())
    free = learnt_gates(model, EXAMPLES, penalty=0.0, steps=5)
    assert min(free.values()) > 0.8


def test_gates_of_a_model_that_has_none() -> None:
    model = build(RecurrentConfig(vocab_size=23, model_dim=12)).eval()
    for measure in (leave_one_out, gradient_importance, learnt_gates):
        with pytest.raises(SettingsError, match=r"heads needs a Transformer.*encoder-decoder or decoder; got rnn"):
            measure(model, EXAMPLES)  # type: ignore[operator]


def test_a_head_that_is_not_there(make_model: Callable[..., EncoderDecoder]) -> None:
    with pytest.raises(
        SettingsError, match=r"head must be one of the model's, encoder\.0\.0 to cross\.1\.2; got cross\.2\.0"
    ):
        ablated_gates(make_model(), [HeadName("cross", 2, 0)])


@given(
    heads=st.dictionaries(
        st.sampled_from(["encoder.0", "encoder.1", "decoder.0", "decoder.1", "cross.0", "cross.1"]),
        st.sets(st.integers(0, 2), min_size=1, max_size=2),
        min_size=1,
    ),
    positions=st.sampled_from(POSITIONS),
)
def test_pruned_models_are_gated_ones_stored_and_whole_again(heads: dict[str, set[int]], positions: str) -> None:
    torch.manual_seed(4)
    config = EncoderDecoderConfig(
        vocab_size=23, model_dim=12, ff_dim=20, num_heads=3, num_encoder_layers=2, num_decoder_layers=2, positions=positions
    )  # fmt: skip
    model = build(config).eval()
    assert isinstance(model, EncoderDecoder)
    sites = {Site(name.split(".")[0], int(name.split(".")[1])): chosen for name, chosen in heads.items()}
    names = [HeadName(*site, head) for site, chosen in sites.items() for head in chosen]
    with gated(model, ablated_gates(model, names)):
        expected = log_prob(model, EXAMPLES[0])
    prune_heads(model, sites)
    assert log_prob(model, EXAMPLES[0]) == pytest.approx(expected, abs=1e-5)
    assert not set(names) & set(head_names(model))
    again = build(model.config).eval()
    again.load_state_dict(model.state_dict())
    assert isinstance(again, EncoderDecoder)
    assert log_prob(again, EXAMPLES[0]) == log_prob(model, EXAMPLES[0])
    whole = unpruned(model)
    assert isinstance(whole, EncoderDecoder)
    assert whole.config == config
    assert log_prob(whole, EXAMPLES[0]) == pytest.approx(expected, abs=1e-5)


def test_heads_are_pruned_by_their_first_numbers_twice(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    prune_heads(model, {Site("cross", 1): [0]})
    prune_heads(model, {Site("cross", 1): [0, 2]})  # 0 is gone already
    assert model.config.pruned_heads == {"cross.1": [0, 2]}
    with pytest.raises(ShapeError, match="at least one head must remain"):
        prune_heads(model, {Site("cross", 1): [1]})
    with pytest.raises(ShapeError, match=r"heads of cross\.0 must be from 0 to 2; got \[3\]"):
        prune_heads(model, {Site("cross", 0): [3]})


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (
            {"encoder.0": [0], "cross.9": [0]},
            "an attention must be one of the model's; got 'cross.9'. Did you mean",
        ),
        ({"encoder.0": [0], "cross.0": [0, 1, 2]}, "at least one head must remain"),
        ({"encoder.0": [0], "cross.1": [7]}, r"heads of cross\.1 must be from 0 to 2; got \[7\]"),
    ],
)
def test_if_one_head_cannot_be_pruned_none_is(
    make_model: Callable[..., EncoderDecoder], heads: dict[str, list[int]], message: str
) -> None:
    model = make_model()
    before = {name: x.shape for name, x in model.named_parameters()}
    with pytest.raises(RegardError, match=message):
        prune_heads(model, heads)
    assert {name: x.shape for name, x in model.named_parameters()} == before
    assert model.config.pruned_heads == {}
    prune_heads(model, {"cross.1": [2]})
    assert model.config.pruned_heads == {"cross.1": [2]}


def test_one_number_is_no_list_of_heads(make_model: Callable[..., EncoderDecoder]) -> None:
    class One:  # as a tensor of one number, which has an iterator by its class alone
        def __iter__(self) -> Iterator[int]:
            raise TypeError("iteration over a 0-d tensor")

    with pytest.raises(RegardError, match=r"heads of cross\.0 must be several whole numbers; got .*One"):
        prune_heads(make_model(), {"cross.0": One()})


def test_a_folder_with_pruned_heads(make_model: Callable[..., EncoderDecoder], tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["abcdefghijklmnopqr"], TokenizerConfig(kind="characters", vocab_size=23))
    model = make_model(vocab_size=len(tokenizer))
    prune_heads(model, {Site("encoder", 1): [1], Site("cross", 0): [0, 2]})
    save_new(tmp_path / "m", model, tokenizer)
    loaded = load_model(tmp_path / "m").model
    assert isinstance(loaded, EncoderDecoder)
    assert log_prob(loaded, EXAMPLES[0]) == log_prob(model, EXAMPLES[0])
    for name, wrong, message in (
        ("cross.0", "cross.7", "pruned_heads must name attentions of the model; got 'cross.7'"),
        ("[\n        1\n      ]", "[0, 1, 2]", "pruned_heads must leave a head in each attention"),
        ("[\n        1\n      ]", "[5]", "pruned_heads must be increasing, from 0 to 2"),
    ):
        config = (tmp_path / "m" / "config.json").read_text()
        assert name in config
        (tmp_path / "m" / "config.json").write_text(config.replace(name, wrong))
        with pytest.raises(ModelFolderError, match=message):
            load_model(tmp_path / "m")
        (tmp_path / "m" / "config.json").write_text(config)
