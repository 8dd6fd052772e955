"""Recurrent models in C: the same function as PyTorch's, and the same bits in any batch and with every library."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_int8 import libraries
from test_native import LIBRARY, VOCAB_SIZE, assert_near, disturbed, followed, some_sources
from test_native_search import END, InPyTorch, decode, nothing, some_requests
from torch import nn
from torch.nn.utils import parametrizations

from regard.engines.engine_choice import CompiledModels, compile_model, unsupported_reason
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.native_recurrent import NativeRecurrent, unsupported_in_recurrent
from regard.errors import SettingsError, ShapeError
from regard.generation.rules.beam import BeamSettings
from regard.models.config import RecurrentConfig
from regard.models.recurrent import Recurrent
from regard.nn.hooks import forward_hooks

pytestmark = pytest.mark.skipif(LIBRARY is None, reason="there are no native layers")
SCORES = ("additive", "bilinear", "dot", "scaled_dot")
CELLS = ("gru", "lstm")


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Everything that is written in C, in every combination."""
    return {
        "model_dim": draw(st.integers(1, 40)),
        "cell": draw(st.sampled_from(CELLS)),
        "score": draw(st.sampled_from(SCORES)),
        "source_vocab_size": draw(st.sampled_from([None, VOCAB_SIZE])),
    }


def make(vocab_size: int = VOCAB_SIZE, seed: int = 3, **changes: Any) -> Any:
    torch.manual_seed(seed)
    config = {"vocab_size": vocab_size, "model_dim": 12, "max_positions": 40} | changes
    model = disturbed(Recurrent(RecurrentConfig(**config)))
    with torch.no_grad():
        model.output_embedding.weight[END] += 0.2
    return model


def padded_anywhere(count: int, longest: int, seed: int) -> torch.Tensor:
    """Sources with padding on the right, on the left, and alone."""
    sources = some_sources(count, longest, seed)
    sources[::3] = sources[::3].flip(1)
    sources[4::5] = 0
    return sources


@settings(max_examples=30)
@given(configurations(), st.integers(1, 5), st.integers(1, 12), st.integers(0, 99))
def test_a_model(config: dict[str, Any], beams: int, count: int, seed: int) -> None:
    model = make(seed=seed, **config)
    assert unsupported_reason(model) == ""
    sources, native = padded_anywhere(count, 9, seed), NativeRecurrent(model, LIBRARY)
    with torch.inference_mode():
        for ours, theirs in zip(
            native.prefill(sources).__dict__.values(), model.prefill(sources).__dict__.values(), strict=True
        ):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                torch.testing.assert_close(ours.float(), theirs.float(), rtol=0, atol=1e-5)
        found = [followed(each, sources, beams=beams, steps=4, seed=seed) for each in (native, model)]
    assert_near(*found)


@settings(max_examples=30)
@given(
    configurations(),
    st.integers(1, 6),
    st.integers(1, 9),
    st.integers(0, 99),
    st.sampled_from(["float32", "bfloat16", "int8"]),
)
def test_whole_steps_are_the_same_steps(
    config: dict[str, Any], beams: int, batch_size: int, seed: int, dtype: str
) -> None:
    """In any batch, with prefixes, limits and sentences that come later: equal to the last bit. So is PyTorch's search."""
    model = NativeRecurrent(
        make(vocab_size=60, seed=seed, **config | {"source_vocab_size": None}), LIBRARY, getattr(torch, dtype)
    )
    requests, choices = some_requests(12, 60, seed), BeamSettings(beams, beams)
    rule, own = NativeBeamSearch(choices, END), NativeBeamSearch(choices, END)
    whole = decode(model, requests, rule, batch_size=batch_size)
    assert rule._native is not None
    assert rule._native.kept is not None
    assert decode(model, requests, own, batch_size=12, filters=[nothing]) == whole
    assert own._native is not None
    assert own._native.kept is None
    in_pytorch = decode(model, requests, InPyTorch(choices, END), batch_size=batch_size)
    assert [[each.ids for each in of_one] for of_one in in_pytorch] == [
        [each.ids for each in of_one] for of_one in whole
    ]


def test_texts_are_those_of_pytorch() -> None:
    for cell in CELLS:
        model = make(vocab_size=60, cell=cell, model_dim=20)
        requests, choices = some_requests(20, 60, 1), BeamSettings(4, 4)
        found = [decode(each, requests, NativeBeamSearch(choices, END)) for each in (compile_model(model), model)]
        for ours, theirs in zip(*found, strict=True):
            assert [each.ids for each in ours] == [each.ids for each in theirs]
            for x, y in zip(ours, theirs, strict=True):
                assert x.token_log_probs == pytest.approx(y.token_log_probs, abs=2e-5)


@settings(max_examples=15)
@given(configurations(), st.sampled_from(["float32", "bfloat16", "int8"]))
def test_every_library_gives_the_same_bits(config: dict[str, Any], dtype: str) -> None:
    model, sources = make(**config), padded_anywhere(6, 19, 1)
    with pytest.MonkeyPatch.context() as patch:
        found = libraries(patch)
    with torch.inference_mode():
        first, *others = [
            followed(NativeRecurrent(model, each, getattr(torch, dtype)), sources, beams=3, steps=4, seed=1)
            for each in found.values()
        ]
    assert all(torch.equal(each, first) for each in others)


def test_bytes_are_near_the_numbers_that_they_round() -> None:
    model, sources = make(model_dim=48), some_sources(7, 9)
    with torch.inference_mode():
        ours, exact = (
            followed(NativeRecurrent(model, LIBRARY, dtype), sources, beams=3, steps=4, seed=3)
            for dtype in (torch.int8, torch.float32)
        )
    assert 0 < (ours - exact).abs().mean() < 0.05 * exact.std()


def test_a_state_is_left_as_it_was() -> None:
    """A step of its own changes no tensor of the state that it began with."""
    for cell in CELLS:
        native, ids = compile_model(make(cell=cell)), torch.tensor([[5], [9]])
        state = native.prefill(some_sources(2, 5))
        first, after = native.decode_step(ids, state)
        assert torch.equal(native.decode_step(ids, state)[0], first)
        assert not torch.equal(native.decode_step(ids, after)[0], first)


@pytest.mark.parametrize("cell", CELLS)
def test_nan_is_not_lost(cell: str) -> None:
    model = make(cell=cell)
    with torch.no_grad():
        model.cell.weight_hh[0, 0] = torch.nan
    native = compile_model(model, "native")
    logits, _ = native.decode_step(torch.tensor([[4]]), native.prefill(torch.tensor([[5, 6, 3]])))
    assert logits.isnan().all()


@torch.inference_mode()
def test_an_empty_source() -> None:
    model = make()
    for sources in (torch.zeros(2, 3).long(), torch.tensor([[5, 3, 0], [0, 0, 0]])):
        ids = torch.tensor([[4], [7]])
        ours, theirs = (
            each.decode_step(ids, each.prefill(sources))[0] for each in (compile_model(model, "native"), model)
        )
        assert_near(ours, theirs)


def test_eight_threads_on_one_model() -> None:
    model, requests = compile_model(make(vocab_size=60)), some_requests(9, 60, 2)

    def run(_: int) -> Any:
        return decode(model, requests, NativeBeamSearch(BeamSettings(3, 3), END))

    expected = run(0)
    with ThreadPoolExecutor(8) as pool:
        assert all(each == expected for each in pool.map(run, range(32)))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("engine", ["torch", "native"])
def test_hooks_see_and_change_as_without_c(score: str, engine: str) -> None:
    model, sources = make(score=score), some_sources(3, 5)
    decoder, seen = compile_model(model, engine), list[Any]()

    with torch.inference_mode():
        plain = followed(decoder, sources, beams=2, steps=3, seed=1)
        with forward_hooks(after={model.cross_attention: lambda context: context * 0.5}):
            ours, theirs = (followed(each, sources, beams=2, steps=3, seed=1) for each in (decoder, model))
        with forward_hooks(before={model.cross_attention: lambda *inputs: seen.append(inputs)}):
            followed(decoder, sources, beams=2, steps=3, seed=1)
    assert_near(ours, theirs)
    assert not torch.allclose(ours, plain, atol=1e-3)
    assert len(seen) == 3


def halve_encoder(model: Any) -> None:
    model.encoder.weight_hh_l0_reverse.data *= 0.5


def move_bias(model: Any) -> None:
    model.cell.bias_hh.data += 1


def change_vector(model: Any) -> None:
    model.cross_attention.score.vector.data *= -2


def replace_readout(model: Any) -> None:
    model.readout_proj = nn.Linear(48, 12)


def replace_cell(model: Any) -> None:
    model.cell = nn.GRUCell(36, 12)


@pytest.mark.parametrize("change", [halve_encoder, move_bias, change_vector, replace_readout, replace_cell])
def test_a_model_changed_by_hand_decodes_as_it_is_now(change: Callable[[Any], object]) -> None:
    model, ids = make(), torch.tensor([[5], [9]])
    models, sources = CompiledModels([model]), some_sources(2, 5)

    def logits(decoder: Any) -> torch.Tensor:
        found: torch.Tensor = decoder.decode_step(ids, decoder.prefill(sources))[0]
        return found

    with torch.inference_mode():
        before = logits(models.current()[0])
        change(model)
        after = logits(models.current()[0])
        assert isinstance(models.current()[0], NativeRecurrent)
        assert_near(after, logits(model))
        assert (after - before).abs().max() > 1e-3


def without_bias(model: Any) -> None:
    model.cell = nn.GRUCell(36, 12, bias=False)


def two_layers(model: Any) -> None:
    model.encoder = nn.GRU(12, 12, num_layers=2, bidirectional=True, batch_first=True)


def own_score(model: Any) -> None:
    model.cross_attention.score = nn.Bilinear(12, 12, 1)


def parametrize(model: Any) -> None:
    parametrizations.weight_norm(model.readout_proj)


def bound_logits(model: Any) -> None:
    model.logit_cap = 1.5  # no configuration of a recurrent model has it


def replace_method(model: Any) -> None:
    model._readout = lambda seen: seen[..., :12]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without_bias, "recurrent layers of this kind"), (two_layers, "recurrent layers of this kind"),
        (own_score, "scores of kind Bilinear"), (parametrize, "linear maps"), (replace_method, "_readout was replaced"),
        (bound_logits, "a bound of a recurrent model's logits"),
    ],
)  # fmt: skip
def test_what_is_not_written_in_c_is_left_to_pytorch(change: Callable[[Any], object], reason: str) -> None:
    model = make()
    change(model)
    assert reason in unsupported_reason(model.eval())
    with pytest.raises(SettingsError, match=reason):
        compile_model(model, "native")


@pytest.mark.parametrize("score", ["cosine", "gaussian"])
def test_scores_that_are_left_to_pytorch(score: str) -> None:
    assert "scores of kind" in unsupported_reason(make(score=score))


def test_tokens_beyond_the_table_are_refused() -> None:
    native = compile_model(make(), "native")
    with pytest.raises(ShapeError, match="tokens must be below 23"):
        native.decode_step(torch.tensor([[VOCAB_SIZE]]), native.prefill(some_sources(1, 4)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cell.weight_ih", lambda: nn.Parameter(torch.ones(36, 30))),
        ("cell.bias_hh", lambda: nn.Parameter(torch.ones(3))),
        ("encoder.weight_hh_l0_reverse", lambda: nn.Parameter(torch.ones(36, 6))),
        ("key_proj", lambda: nn.Linear(24, 6)),
        ("initial_proj", lambda: nn.Linear(6, 12)),
        ("readout_proj", lambda: nn.Linear(48, 400)),
        ("target_embedding", lambda: nn.Embedding(VOCAB_SIZE, 6)),
        ("source_embedding", lambda: nn.Embedding(VOCAB_SIZE, 6)),
        ("output_embedding", lambda: nn.Embedding(VOCAB_SIZE, 6)),
        ("cross_attention.score.vector", lambda: nn.Parameter(torch.ones(6))),
        ("cross_attention.score.query_proj", lambda: nn.Linear(12, 6, bias=False)),
    ],
)
def test_shapes_that_do_not_fit_are_left_to_pytorch(name: str, value: Callable[[], Any]) -> None:
    model = make(score="additive", source_vocab_size=VOCAB_SIZE)
    parent, _, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, value())
    assert f"the shapes of {name} do not fit" in unsupported_reason(model)
    assert compile_model(model, "auto") is model


def test_embeddings_with_a_largest_norm_are_not_written_in_c() -> None:
    model = Recurrent(RecurrentConfig(vocab_size=9, model_dim=8)).eval()
    assert unsupported_in_recurrent(model) == ""
    model.target_embedding.max_norm = 0.1
    assert unsupported_in_recurrent(model) == "embeddings with max_norm are not written in C"
