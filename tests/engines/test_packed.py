"""Models packed for inference: the same function as the model, faster."""

import random
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from regard.engines.native_beam import NativeBeamSearch
from regard.engines.packed import PackedLinear, PackedModel, can_pack, packed
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSettings
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import Site, prune_heads
from regard.nn.hooks import forward_hooks
from regard.nn.scores import Additive

pytestmark = pytest.mark.skipif(not can_pack(torch.device("cpu")), reason="this build of PyTorch cannot pack")
MakeModel = Callable[..., EncoderDecoder]
NARROW = pytest.param(
    torch.bfloat16,
    marks=pytest.mark.skipif(
        not can_pack(torch.device("cpu"), torch.bfloat16), reason="this processor packs nothing in 16 bits"
    ),
)

PLAIN: dict[str, dict[str, object]] = {
    "post-norm": {"norm": "post"},
    "pre-norm": {"norm": "pre"},
    "RMS norm, gated feed-forward, no biases": {"norm_kind": "rms", "gated": True, "bias": False},
    "learned positions, few source positions": {"positions": "learned", "max_positions": 40},
    "wide heads": {"head_dim": 8},
}
OTHER: dict[str, dict[str, object]] = {
    "rotary": {"positions": "rotary", "head_dim": 4},
    "relative": {"positions": "shaw"},
    "shared keys": {"num_heads": 4, "num_kv_heads": 2},
    "sandwich": {"norm": "sandwich"},
}


def decode(model: nn.Module, requests: list[Request], batch_size: int) -> list[list[Hypothesis]]:
    symbols = TargetSymbols([2], 3, 0, (0, 1, 2))
    return Decoding(model, requests, NativeBeamSearch(BeamSettings(3, 3), 3), symbols, batch_size=batch_size).run()  # type: ignore[arg-type]


def some_requests(count: int, longest: int = 9) -> list[Request]:
    rng = random.Random(1)
    return [
        Request([*rng.choices(range(4, 23), k=rng.randint(1, longest)), 3], rng.randint(3, 14)) for _ in range(count)
    ]


@pytest.mark.parametrize("dtype", [torch.float32, NARROW])
@pytest.mark.parametrize("bias", [True, False])
def test_a_packed_map_is_the_same_map(dtype: torch.dtype, bias: bool) -> None:
    linear = nn.Linear(17, 31, bias=bias).to(dtype)
    fast = PackedLinear(linear.weight, linear.bias)
    for shape in ((1, 17), (5, 3, 17), (2, 2, 2, 17)):
        x = torch.randn(shape, dtype=dtype)
        with torch.inference_mode():
            torch.testing.assert_close(fast(x), linear(x))


def test_maps_side_by_side() -> None:
    maps = [nn.Linear(7, size) for size in (3, 5)]
    x = torch.randn(2, 7)
    with torch.inference_mode():
        torch.testing.assert_close(PackedLinear.side_by_side(*maps)(x), torch.cat([each(x) for each in maps], dim=1))


def test_packing_leaves_the_model_as_it_was(make_model: MakeModel) -> None:
    model = make_model()
    before = {name: x.clone() for name, x in model.state_dict().items()}
    fast = packed(model)
    ours, theirs = fast.model.encoder_layers[0], model.encoder_layers[0]
    assert isinstance(ours.feed_forward.inner_proj, PackedLinear)
    assert type(theirs.feed_forward.inner_proj) is nn.Linear
    assert ours.feed_forward_residual.norm.weight is theirs.feed_forward_residual.norm.weight
    assert ours.self_attention.attention is theirs.self_attention.attention
    assert set(vars(model)) == set(vars(make_model())), "no state of decoding hangs on the model"
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())


@pytest.mark.parametrize("name", [*PLAIN, *OTHER])
def test_decoding_is_the_same(make_model: MakeModel, name: str) -> None:
    """With sentences that join late and sources of several lengths; written out where the layers are plain."""
    model = make_model(**{**PLAIN, **OTHER}[name])
    fast = packed(model)
    assert (fast.run_layers is not None) == (name in PLAIN)
    requests = some_requests(12 if name in PLAIN else 4)
    expected = decode(model, requests, 3)
    for batch_size in (3, len(requests)):
        for theirs, ours in zip(expected, decode(fast, requests, batch_size), strict=True):
            assert [h.ids for h in ours] == [h.ids for h in theirs]
            assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=1e-4)


def test_pruned_heads_differ_by_layer(make_model: MakeModel) -> None:
    model = make_model()
    prune_heads(model, {Site("decoder", 0): [1], Site("cross", 0): [0], Site("cross", 1): [0, 2]})
    requests = some_requests(5)
    for theirs, ours in zip(decode(model, requests, 2), decode(packed(model), requests, 2), strict=True):
        assert [h.ids for h in ours] == [h.ids for h in theirs]


def rows_do_not_matter(*maps: nn.Linear) -> bool:
    """Whether this processor's products round a row in the same way, packed or not, alone or among others."""
    found = True
    for linear in maps:
        x = torch.randn(20, linear.in_features, dtype=linear.weight.dtype)
        can = can_pack(torch.device("cpu"), linear.weight.dtype)
        packed_map = PackedLinear(linear.weight, linear.bias) if can else linear
        with torch.inference_mode():
            plain, alone = linear(x), torch.cat([packed_map(row[None]) for row in x])
            found = found and torch.equal(packed_map(x), plain) and torch.equal(alone, plain)
    return found


def test_in_16_bits(make_model: MakeModel) -> None:
    """A step in bfloat16 is what the layers do, alone and in company, and near what they do in float32.

    To the last bit, where the processor's products allow that: they do on the x86 processors with AVX-512 BF16 tried so far.
    """
    model = make_model(model_dim=24, head_dim=8).bfloat16()
    fast, exact = packed(model), make_model(model_dim=24, head_dim=8)
    exact.load_state_dict({name: x.float() for name, x in model.state_dict().items()})
    source = torch.randint(4, 23, (20, 7))
    source[0, 3:] = 0
    written = torch.randint(4, 23, (3, 20, 1))
    maps = [each for each in model.modules() if isinstance(each, nn.Linear)]
    allowed = 0.0 if rows_do_not_matter(*maps) else 0.05
    states = [fast.prefill(source), exact.prefill(source), fast.prefill(source[:1, :3]), model.prefill(source)]
    with torch.inference_mode():
        for ids in written:
            (ours, states[0]), (theirs, states[1]) = (
                each.decode_step(ids, state) for each, state in zip((fast, exact), states, strict=False)
            )
            alone, states[2] = fast.decode_step(ids[:1], states[2])
            plain, states[3] = model.decode_step(ids, states[3])
            assert ours.dtype == torch.bfloat16
            torch.testing.assert_close(ours[:1], alone, rtol=0, atol=allowed)
            torch.testing.assert_close(ours, plain, rtol=0, atol=allowed)
            torch.testing.assert_close(ours.float(), theirs, atol=0.15, rtol=0.05)


def test_a_source_without_tokens_is_not_looked_at(make_model: MakeModel) -> None:
    model = make_model()
    source = torch.tensor([[5, 6, 3], [0, 0, 0]])
    with torch.inference_mode():
        ours, theirs = (
            each.decode_step(torch.tensor([[2], [2]]), each.prefill(source))[0] for each in (packed(model), model)
        )
    assert not ours.isnan().any()
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)


def test_who_wants_to_see_inputs_gets_the_layers_themselves(make_model: MakeModel) -> None:
    model = make_model()
    fast = packed(model)
    expected = decode(fast, some_requests(3), 2)
    seen: list[int] = []
    watched = model.decoder_layers[1].self_attention.attention  # which the packed copy shares
    with forward_hooks(before={watched: lambda *inputs: seen.append(len(inputs))}):
        watched_too = decode(fast, some_requests(3), 2)
    assert seen
    for theirs, ours in zip(expected, watched_too, strict=True):
        assert [h.ids for h in ours] == [h.ids for h in theirs]


def test_hooks_are_met_where_scores_have_linear_maps(make_model: MakeModel) -> None:
    """Attention is shared with all that is in it, and the model's own maps are left as they are."""
    model = make_model()
    watched = [layer.cross_attention.attention for layer in model.decoder_layers if layer.cross_attention is not None]
    for attention in watched:
        attention.score = Additive(4, 4, 5)
    fast, seen = packed(model.eval()), list[Tensor]()
    assert not any(isinstance(part, PackedLinear) for part in model.modules())
    with torch.inference_mode():
        source, newest = torch.tensor([[5, 6, 3]]), torch.tensor([[2]])
        plain = model.decode_step(newest, model.prefill(source))[0]
        torch.testing.assert_close(fast.decode_step(newest, fast.prefill(source))[0], plain, atol=1e-4, rtol=1e-4)
        with forward_hooks(before={each: lambda *inputs: seen.append(inputs[0]) for each in watched}):
            fast.decode_step(newest, fast.prefill(source))
    assert len(seen) == len(watched)


@pytest.mark.parametrize(("dtype", "check"), [(torch.bfloat16, "bf16"), (torch.float16, "fp16")])
def test_a_processor_without_16_bit_products_packs_nothing(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, check: str
) -> None:
    """oneDNN asks for AVX-512 there, and fails without it while weights are packed."""
    model = make_model().to(dtype)
    for answer in (False, True):
        monkeypatch.setattr(torch.ops.mkldnn, f"_is_mkldnn_{check}_supported", lambda answer=answer: answer)
        assert can_pack(torch.device("cpu"), dtype) == answer
        assert can_pack(torch.device("cpu"))
        if not answer:
            assert packed(model) is model
            assert isinstance(packed(make_model()), PackedModel)
    assert not can_pack(torch.device("meta"))
    assert not can_pack(torch.device("cpu"), torch.float64)


@pytest.mark.parametrize("settings", [{}, {"norm": "post"}, {"embedding_norm": True, "output_bias": True}])
def test_a_language_models_plain_layers_are_written_out(settings: dict[str, object]) -> None:
    torch.manual_seed(3)
    sizes = {"vocab_size": 23, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_layers": 2, "max_positions": 90}
    model = Decoder(DecoderConfig(**{**sizes, **settings})).eval()  # type: ignore[arg-type]
    fast = packed(model)
    assert fast.run_layers is not None
    requests = [Request(tuple(range(4, 4 + n)), 40) for n in (1, 7, 3, 2, 9, 5)]  # of several lengths, some wait

    def written(each: nn.Module) -> list[Hypothesis]:
        rule, symbols = NativeBeamSearch(BeamSettings(3, 1), 3), TargetSymbols((), 3, 0, (0, 1, 2))
        decoding = Decoding(each, requests, rule, symbols, batch_size=2, padding_side="left")  # type: ignore[arg-type]
        return [found[0] for found in decoding.run()]

    for ours, theirs in zip(written(fast), written(model), strict=True):
        assert ours.ids == theirs.ids
        assert ours.score == pytest.approx(theirs.score, abs=1e-4)


def test_a_language_model_with_other_layers_stays_as_it_is() -> None:
    model = Decoder(DecoderConfig(vocab_size=9, model_dim=12, ff_dim=8, num_heads=2, positions="rotary"))
    assert packed(model) is model
