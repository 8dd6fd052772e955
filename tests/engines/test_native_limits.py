"""Models that the layers in C leave to PyTorch, and the edges of what they take: hand-made parts, NaN, empty texts, padding."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from test_native import LIBRARY, VOCAB_SIZE, assert_near, disturbed, make
from torch import nn

from regard.engines.engine_choice import compile_model, unsupported_reason
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.native_transformer import NativeTransformer
from regard.errors import SettingsError
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSettings
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.nn import Rotary
from regard.nn.positions import AttentionPositions, ClippedRelative, RelativeKey, RelativeKeyQuery

pytestmark = pytest.mark.skipif(LIBRARY is None, reason="there are no native layers")


def set_positions(model: Any, positions: AttentionPositions) -> Any:
    for layers in model.layer_stacks().values():
        for layer in layers:
            layer.self_attention.attention.positions = positions.eval()
    return model


@pytest.mark.parametrize(
    ("positions", "reason"),
    [
        (RelativeKey(3, 30), "of another width than the heads"),
        (RelativeKeyQuery(5, 30), "of another width than the heads"),
        (ClippedRelative(3, 16), "of another width than the heads"),
        (Rotary(8), "of another width than the heads"),
        (Rotary(2), "of another width than the heads"),
        (RelativeKey(4, 29), "for shorter texts than the model's"),
    ],
    ids=str,
)
def test_positions_that_do_not_fit_are_left_to_pytorch(positions: AttentionPositions, reason: str) -> None:
    """Heads are 4 wide, and texts have up to 30 tokens."""
    model = set_positions(make(max_positions=30), positions)
    assert reason in unsupported_reason(model)
    with pytest.raises(SettingsError, match=reason):
        compile_model(model, "native")


def test_relative_vectors_of_two_widths_are_left_to_pytorch() -> None:
    scheme = ClippedRelative(4, 3)
    scheme.value_table = nn.Embedding(7, 5)
    assert "another width" in unsupported_reason(set_positions(make(), scheme))


def shorter_positions(model: Any) -> None:
    model.target_positions.learned.table = nn.Embedding(5, 12)


def fewer_tokens(model: Any) -> None:
    model.target_embedding = nn.Embedding(10, 12)


@pytest.mark.parametrize("change", [shorter_positions, fewer_tokens])
def test_tables_that_were_made_shorter_are_not_read_beyond_their_end(change: Callable[[Any], None]) -> None:
    model = make(positions="learned", max_positions=30, tied_embeddings="none")
    change(model)
    native = compile_model(model, "native")
    state = native.prefill(torch.tensor([[5, 6, 3]]))

    def nine_steps() -> None:
        after = state
        for _ in range(9):
            _, after = native.decode_step(torch.tensor([[22]]), after)

    with pytest.raises(IndexError):
        nine_steps()


@pytest.mark.parametrize("changes", [{}, {"decoder_past": "ssru"}])
def test_nan_is_not_lost(changes: dict[str, Any]) -> None:
    model = make(**changes)
    layer: Any = model.decoder_layers[0]
    with torch.no_grad():
        (layer.feed_forward.inner_proj.bias if not changes else layer.recurrence.new_proj.weight).view(-1)[0] = (
            torch.nan
        )
    native = compile_model(model, "native")
    logits, _ = native.decode_step(torch.tensor([[4]]), native.prefill(torch.tensor([[5, 6, 3]])))
    assert logits.isnan().all()


def test_an_empty_source() -> None:
    torch.manual_seed(1)
    model = disturbed(make())
    native, ids = compile_model(model, "native"), torch.tensor([[4], [7]])
    with torch.inference_mode():
        ours, theirs = (each.decode_step(ids, each.prefill(torch.zeros(2, 0).long()))[0] for each in (native, model))
    assert_near(ours, theirs)
    symbols, search = TargetSymbols([2], 3, 0, (0, 1)), NativeBeamSearch(BeamSettings(2, 2), 3)
    assert Decoding(native, [Request([], 5), Request([5, 3], 5)], search, symbols, batch_size=2).run()[0][0].ids


@pytest.mark.parametrize("positions", ["learned", "rotary", "alibi"])
def test_a_prompt_has_the_same_logits_beside_a_longer_one(positions: str) -> None:
    """To the last bit: the cells of its padding are filled anew, and come first."""
    torch.manual_seed(2)
    config = DecoderConfig(
        vocab_size=VOCAB_SIZE, model_dim=16, num_heads=2, ff_dim=20, num_layers=2, max_positions=40, positions=positions
    )  # fmt: skip
    native = compile_model(disturbed(Decoder(config)), "native")

    def run(rows: list[list[int]]) -> torch.Tensor:
        found, state = [], native.prefill(torch.tensor(rows))
        for id in range(5, 13):
            logits, state = native.decode_step(torch.full((len(rows), 1), id), state)
            found.append(logits[0])
        return torch.stack(found)

    with torch.inference_mode():
        alone = run([[4, 5, 6]])
        for longer in (4, 8, 20):
            assert torch.equal(alone, run([[0] * (longer - 3) + [4, 5, 6], [9] * longer]))

    def search(batch_size: int) -> list[list[float]]:
        requests = [Request([4, 5, 6], 9), Request([9] * 12, 9), Request([7, 8], 9)]
        rule, symbols = NativeBeamSearch(BeamSettings(2, 2), 3), TargetSymbols((), 3, 0, (0, 1, 3))
        found = Decoding(native, requests, rule, symbols, batch_size=batch_size, padding_side="left").run()
        return [each.token_log_probs for of_one in found for each in of_one]

    assert search(3) == search(1)


def test_layers_share_the_tables_of_alibi() -> None:
    config = DecoderConfig(
        vocab_size=VOCAB_SIZE, model_dim=16, num_heads=4, ff_dim=20, num_layers=5, max_positions=50, positions="alibi"
    )  # fmt: skip
    layers = NativeTransformer(Decoder(config).eval(), LIBRARY)._layers._structures.layers
    assert len({layer.self_attention.distances.bias for layer in layers}) == 1


def replaced_map(part: str, name: str, *sizes: int, **options: Any) -> Callable[[Any], None]:
    """Replace a linear map of the first decoder layer."""
    return lambda model: setattr(getattr(model.decoder_layers[0], part), name, nn.Linear(*sizes, **options))


def two_of_three_heads(model: Any) -> None:
    model.decoder_layers[0].self_attention.num_heads = 2


def short_bias(size: int) -> Callable[[Any], None]:
    def change(model: Any) -> None:
        model.decoder_layers[0].feed_forward.output_proj.bias = nn.Parameter(torch.ones(size))

    return change


def narrow_waves(model: Any) -> None:
    model.target_positions.waves = model.target_positions.waves[:, :6]


def set_at(path: str, value: Callable[[], Any]) -> Callable[[Any], None]:
    parent, _, name = path.rpartition(".")
    return lambda model: setattr(model.get_submodule(parent), name, value())


MISFITS: list[tuple[str, Callable[[Any], None]]] = [
    ("feed_forward.output_proj", replaced_map("feed_forward", "output_proj", 20, 400)),
    ("feed_forward.output_proj", replaced_map("feed_forward", "output_proj", 16, 12)),
    ("feed_forward.output_proj", replaced_map("feed_forward", "inner_proj", 12, 800)),
    ("feed_forward.inner_proj", replaced_map("feed_forward", "inner_proj", 6, 20)),
    ("feed_forward.output_proj", short_bias(3)),
    ("feed_forward.output_proj", short_bias(1)),
    ("self_attention.query_proj", replaced_map("self_attention", "query_proj", 12, 8)),
    ("self_attention.output_proj", replaced_map("self_attention", "output_proj", 12, 6)),
    ("cross_attention.key_proj", replaced_map("cross_attention", "key_proj", 12, 6)),
    ("self_attention.num_heads", two_of_three_heads),
    ("decoder_norm", set_at("decoder_norm", lambda: nn.LayerNorm(6))),
    ("self_attention_residual.norm", set_at("encoder_layers.0.self_attention_residual.norm", lambda: nn.LayerNorm(6))),
    ("target_embedding", set_at("target_embedding", lambda: nn.Embedding(VOCAB_SIZE, 6))),
    ("output_embedding", set_at("output_embedding", lambda: nn.Embedding(VOCAB_SIZE, 6))),
    ("target_positions", narrow_waves),
]


def outcome(model: Any) -> Any:
    """Logits of two steps, or the text of an error."""
    with torch.inference_mode():
        try:
            _, state = model.decode_step(torch.tensor([[5]]), model.prefill(torch.tensor([[5, 6, 3]])))
            return model.decode_step(torch.tensor([[7]]), state)[0]
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("name", "change"), MISFITS)
@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_shapes_that_do_not_fit_are_left_to_pytorch(name: str, change: Callable[[Any], None], engine: str) -> None:
    """C read beyond the end of tensors, or the process ended; PyTorch raises an error, or broadcasts."""
    model = make(positions="sinusoidal", max_positions=30, tied_embeddings="none", norm="pre")
    change(model.eval())
    assert name in unsupported_reason(model)
    expected, found = outcome(model), outcome(compile_model(model, engine))
    assert found == expected if isinstance(expected, str) else torch.equal(found, expected)
    with pytest.raises(SettingsError, match=name):
        compile_model(model, "native")


def test_a_module_of_another_kind_that_makes_another_width() -> None:
    class Half(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[..., :6]

    for name in ("decoder_norm", "target_norm", "source_norm", "encoder_norm"):
        model = make(tied_embeddings="none", norm="pre")
        setattr(model, name, Half())
        found = outcome(compile_model(model, "native"))
        assert isinstance(found, str)
        assert "12" in found
        assert "6" in found


@pytest.mark.parametrize(
    ("positions", "name", "value"),
    [
        ("alibi", "slopes", lambda: torch.ones(2)),
        ("t5", "table.weight", lambda: nn.Parameter(torch.ones(32, 2))),
        ("t5", "table.weight", lambda: nn.Parameter(torch.ones(8, 3))),
        ("rotary", "rotated_dim", lambda: 8),
        ("shaw", "key_table.weight", lambda: nn.Parameter(torch.ones(33, 3))),
        ("shaw", "max_distance", lambda: 20),
        ("relative_key", "table.weight", lambda: nn.Parameter(torch.ones(5, 4))),
    ],
)
def test_tables_of_positions_that_do_not_fit(positions: str, name: str, value: Callable[[], Any]) -> None:
    model = make(positions=positions, max_positions=30)
    set_at(f"decoder_layers.0.self_attention.attention.positions.{name}", value)(model)
    assert "positions" in unsupported_reason(model)
