"""A model that is changed by hand between two calls decodes as it is now, whatever was changed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from test_native import VOCAB_SIZE, assert_near, disturbed, followed, some_sources
from torch import Tensor, nn
from torch.nn.utils import parametrize, prune

from regard.compiled.library import FoundLibrary
from regard.engines import model_changes as changes
from regard.engines.engine_choice import CompiledModels
from regard.engines.model_changes import Snapshot
from regard.errors import SettingsError
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn.layers import FeedForward

SIZES = {"vocab_size": VOCAB_SIZE, "num_heads": 3, "ff_dim": 24, "max_positions": 30}


def pair_model(model_dim: int = 12, **changes: Any) -> EncoderDecoder:
    config = SIZES | {"num_encoder_layers": 2, "num_decoder_layers": 2, "model_dim": model_dim} | changes
    return disturbed(EncoderDecoder(EncoderDecoderConfig(**config)))


def text_model(positions: str, **changes: Any) -> Decoder:
    return disturbed(
        Decoder(DecoderConfig(**SIZES | {"num_layers": 2, "model_dim": 12, "positions": positions} | changes))
    )


def logits(model: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        return followed(model, ids, beams=1, steps=3, seed=1).float()


def assert_follows(model: Any, change: Callable[[Any], object], engine: str) -> None:
    """Decode, change the model, decode: the second time as the changed model itself, in PyTorch, and not as before."""
    models, ids = CompiledModels([model]), some_sources(3, 5).flip(1)
    models.use(engine)
    assert_near(before := logits(models.current()[0], ids), logits(model, ids))
    change(model)
    found = logits(models.current()[0], ids)
    assert not torch.allclose(before, found, atol=1e-3, equal_nan=True)
    assert_near(found, logits(model, ids))
    assert models.current()[0] is models.current()[0]


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * x


class Negative(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return -weight


def halve(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.data *= 0.5


def replace_data(model: nn.Module) -> None:
    nn.utils.vector_to_parameters(0.5 * nn.utils.parameters_to_vector(model.parameters()), model.parameters())


def step(model: nn.Module) -> None:
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    torch.optim.SGD(model.parameters(), lr=0.3).step()


def average(model: nn.Module) -> None:
    other = {name: torch.randn_like(value) for name, value in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        parameter.data.lerp_(other[name], 0.5)


def merge(model: Any) -> None:
    weight = model.decoder_layers[1].self_attention.query_proj.weight
    weight.data += torch.randn(len(weight), 2) @ torch.randn(2, weight.shape[1])


def write_by_numpy(model: Any) -> None:
    model.decoder_layers[0].feed_forward.inner_proj.weight.detach().numpy()[:] *= -1


def transpose(model: Any) -> None:
    weight = model.decoder_layers[0].self_attention.value_proj.weight
    weight.data = weight.data.T


def set_epsilon(model: Any) -> None:
    model.decoder_layers[1].feed_forward_residual.norm.eps = 3.0


def set_epsilon_at_the_end(model: Any) -> None:
    model.decoder_norm.eps = 3.0


def replace_norm(model: Any) -> None:
    model.decoder_layers[0].feed_forward_residual.norm = Doubled()


def replace_last_norm(model: Any) -> None:
    model.decoder_norm = Doubled()


def replace_embedding(model: Any) -> None:
    model.target_embedding = nn.Embedding(VOCAB_SIZE, model.config.model_dim, max_norm=0.1)


def replace_feed_forward(model: Any) -> None:
    model.decoder_layers[0].feed_forward = Doubled()


def replace_layer(model: Any) -> None:
    model.decoder_layers[1] = pair_model(model.config.model_dim).decoder_layers[0]


def remove_encoder_layer(model: Any) -> None:
    del model.encoder_layers[0]


def replace_weight(model: Any) -> None:
    old = model.decoder_layers[0].cross_attention.value_proj
    old.weight = nn.Parameter(torch.randn_like(old.weight))


def remove_bias(model: Any) -> None:
    model.decoder_layers[0].feed_forward.output_proj.bias = None


def replace_method(model: Any) -> None:
    linear = model.decoder_layers[0].feed_forward.inner_proj
    linear.forward = lambda x: -nn.functional.linear(x, linear.weight)


def replace_weights_of_attention(model: Any) -> None:
    model.decoder_layers[0].self_attention.attention.score.factor = lambda width: 3.0


def hook_a_map(model: Any) -> None:
    model.decoder_layers[0].self_attention.query_proj.register_forward_hook(lambda module, inputs, output: -output)


def hook_inputs(model: Any) -> None:
    model.decoder_layers[0].feed_forward.register_forward_pre_hook(lambda module, inputs: (2 * inputs[0],))


def parametrize_a_map(model: Any) -> None:
    parametrize.register_parametrization(model.decoder_layers[0].feed_forward.inner_proj, "weight", Negative())


def parametrize_the_output(model: Any) -> None:
    parametrize.register_parametrization(model.output_embedding, "weight", Negative())


def prune_a_map(model: Any) -> None:
    prune.l1_unstructured(model.decoder_layers[0].feed_forward.inner_proj, "weight", amount=0.7)


class NegativeLinear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return -super().forward(x)


class NegativeFeedForward(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return -super().forward(x)


class NegativeNorm(nn.LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        return -super().forward(x)


class Other(EncoderDecoder):
    def encode(self, *given: Any, **options: Any) -> Tensor:
        return -super().encode(*given, **options)


def change_class_of_a_map(model: Any) -> None:
    model.decoder_layers[1].feed_forward.inner_proj.__class__ = NegativeLinear


def change_class_of_feed_forward(model: Any) -> None:
    model.encoder_layers[1].feed_forward.__class__ = NegativeFeedForward


def change_class_of_the_last_norm(model: Any) -> None:
    model.decoder_norm.__class__ = NegativeNorm


def change_class_of_the_model(model: Any) -> None:
    model.__class__ = Other


def load(model: nn.Module, *, assign: bool) -> None:
    model.load_state_dict({name: 0.7 * value for name, value in model.state_dict().items()}, assign=assign)


CHANGES: list[Callable[[Any], object]] = [
    halve, replace_data, step, average, merge, write_by_numpy, transpose, set_epsilon, set_epsilon_at_the_end,
    replace_norm, replace_last_norm, replace_embedding, replace_feed_forward, replace_layer, remove_encoder_layer,
    replace_weight, remove_bias, replace_method, replace_weights_of_attention, hook_a_map, hook_inputs,
    parametrize_a_map, parametrize_the_output, prune_a_map, change_class_of_a_map, change_class_of_feed_forward,
    change_class_of_the_last_norm, change_class_of_the_model,
]  # fmt: skip


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_encoder_decoder(change: Callable[[Any], object], engine: str) -> None:
    torch.manual_seed(1)
    assert_follows(pair_model(norm="pre"), change, engine)


@pytest.mark.parametrize("assign", [False, True])
def test_weights_that_are_loaded(*, assign: bool) -> None:
    torch.manual_seed(2)
    assert_follows(pair_model(), lambda model: load(model, assign=assign), "auto")


@pytest.mark.parametrize("change", [halve, replace_data, step, average, merge, transpose])
def test_a_model_too_large_to_be_compared_whole(change: Callable[[Any], object]) -> None:
    torch.manual_seed(3)
    model = pair_model(model_dim=90, ff_dim=200)
    assert sum(map(Tensor.numel, model.parameters())) > changes.WHOLE_MODEL
    assert_follows(model, change, "auto")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_another_dtype(dtype: torch.dtype) -> None:
    """Numbers in 16 bits are not given to C as 32: the process ended."""
    torch.manual_seed(4)
    model = pair_model()
    models, ids = CompiledModels([model]), some_sources(3, 5)
    before = logits(models.current()[0], ids)
    model.to(dtype)
    assert models.engine == "torch"
    torch.testing.assert_close(
        logits(models.current()[0], ids), before, rtol=0, atol=1e-4 if dtype == torch.float64 else 0.3
    )
    model.float()
    assert models.engine == "native"


def set_base(model: Any, layers: slice) -> None:
    for layer in model.layers[layers]:
        layer.self_attention.attention.positions.base = 3.0


def set_slopes(model: Any) -> None:
    model.layers[1].self_attention.attention.positions.slopes *= -3


def replace_slopes(model: Any) -> None:
    model.layers[0].self_attention.attention.positions.slopes = torch.tensor([1.0, 0.0, -2.0], dtype=torch.float64)


def set_waves(model: Any) -> None:
    model.positions.waves = -model.positions.waves.double()


def set_buckets(model: Any) -> None:
    model.layers[0].self_attention.attention.positions.max_distance = 17
    model.layers[0].self_attention.attention.positions.table.weight.data *= -3


def set_layout(model: Any) -> None:
    model.layers[1].self_attention.attention.positions.layout = "interleaved"


def set_window(model: Any) -> None:
    model.layers[1].self_attention.attention.window = 2


def bound_learned(model: Any) -> None:
    model.positions.learned.table.max_norm = 0.1


def set_vectors(model: Any) -> None:
    model.layers[1].self_attention.attention.positions.table.weight.data *= -3


def set_clipped_vectors(model: Any) -> None:
    model.layers[1].self_attention.attention.positions.value_table.weight.data *= -3


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize(
    ("positions", "change"),
    [
        ("learned", set_window),
        ("learned", bound_learned),
        ("rotary", set_window),
        ("rotary", set_layout),
        ("relative_key", set_vectors),
        ("relative_key_query", set_vectors),
        ("shaw", set_clipped_vectors),
        ("rotary", lambda model: set_base(model, slice(None))),
        ("rotary", lambda model: set_base(model, slice(1, 2))),
        ("alibi", set_slopes),
        ("alibi", replace_slopes),
        ("sinusoidal", set_waves),
        ("t5", set_buckets),
    ],
)
def test_positions(positions: str, change: Callable[[Any], object], engine: str) -> None:
    torch.manual_seed(5)
    assert_follows(text_model(positions), change, engine)


def test_a_hook_on_all_modules() -> None:
    model = text_model("learned")
    models, seen = CompiledModels([model]), []
    assert models.engine == "native"
    handle = nn.modules.module.register_module_forward_hook(lambda module, inputs, output: seen.append(module))
    try:
        assert models.engine == "torch"
        logits(models.current()[0], some_sources(2, 4).flip(1))
        assert model.layers[1].feed_forward in seen
    finally:
        handle.remove()
    assert models.engine == "native"


@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_what_a_hook_is_bound_to_is_not_copied(engine: str) -> None:
    """A method of an object of the user's own notes what it sees there."""

    class Recorder:
        def __init__(self) -> None:
            self.seen: list[Tensor] = []

        def note(self, module: nn.Module, inputs: Any, output: Tensor) -> None:
            self.seen.append(output)

    model, recorder = pair_model(), Recorder()
    models = CompiledModels([model])
    models.use(engine)
    model.decoder_layers[1].cross_attention.register_forward_hook(recorder.note)
    model.decoder_layers[1].cross_attention.value_proj.register_forward_hook(recorder.note)
    logits(models.current()[0], some_sources(2, 4))
    assert len(recorder.seen) >= 1


@pytest.mark.parametrize("numbers", ["one", "row", "column", "first"])
@pytest.mark.parametrize("model_dim", [12, 90])
@pytest.mark.parametrize("has_library", [True, False])
def test_what_is_seen_of_tensors_written_through_data(
    numbers: str, model_dim: int, monkeypatch: pytest.MonkeyPatch, *, has_library: bool
) -> None:
    """In a small model each number; in a large one rows, columns and first numbers, as the documentation says."""
    if not has_library:
        monkeypatch.setattr(changes, "find", lambda: FoundLibrary(None, "not compiled"))
    model = pair_model(model_dim=model_dim, ff_dim=200 if model_dim > 12 else 24)
    weights = [layer.feed_forward.inner_proj.weight for layer in (*model.encoder_layers, *model.decoder_layers)]
    index: Any = {"one": (3, 5), "row": 7, "column": (slice(None), 4), "first": (0, 0)}[numbers]
    for weight in weights:
        before = Snapshot([model])
        assert not before.has_changed()
        weight.data[index] += 1
        assert before.has_changed() == (numbers != "one" or model_dim == 12)


def test_training_mode() -> None:
    """Dropout in a translation would go unnoticed; a module that was put in by hand is switched as the model is."""
    model = pair_model(dropout=0.5)
    models = CompiledModels([model])
    models.current()
    model.train()
    with pytest.raises(SettingsError, match=r"evaluation mode to be used; got training mode. Call `model.eval\(\)`"):
        models.current()
    model.eval()
    model.decoder_layers[0].feed_forward_residual.dropout = nn.Dropout(0.9)
    models.use("torch")
    ids = some_sources(2, 4)
    assert_near(logits(models.current()[0], ids), logits(model, ids))
    assert not any(module.training for module in model.modules())


def test_not_a_number_is_no_change() -> None:
    model = text_model("learned")
    model.embedding.weight.data[0] = torch.nan
    assert not Snapshot([model]).has_changed()


def test_defaults_of_pytorch_do_not_reach_c() -> None:
    """C reads and writes the dtype that it expects, whatever `torch.set_default_dtype` says."""
    torch.manual_seed(6)
    model, ids = pair_model(positions="rotary"), some_sources(3, 5)
    models = CompiledModels([model])
    expected = logits(models.current()[0], ids)
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        models = CompiledModels([model])
        found = logits(models.current()[0], ids)
    finally:
        torch.set_default_dtype(before)
    assert_near(found, expected)


@pytest.mark.parametrize(
    "shape", [(70, 130), (128, 256), (70, 70), (130, 70), (71, 70), (2, 4000), (4000, 2), (5, 30, 40)]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("has_library", [True, False])
def test_each_row_and_each_column_of_a_large_matrix_is_looked_at(
    shape: tuple[int, ...],
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_transposed: bool,
    has_library: bool,
) -> None:
    if not has_library:
        monkeypatch.setattr(changes, "find", lambda: FoundLibrary(None, "not compiled"))
    x = torch.zeros(shape, dtype=dtype)
    parts = [*x.flatten(0, -2), *x.flatten(0, -2).T, x.view(-1)[-1], x.view(-1)[0]]
    contents = changes._Contents([x.mT if is_transposed else x, torch.zeros(changes.WHOLE_MODEL)])
    for part in parts:
        part += 1
        assert contents.have_changed()
        part -= 1
        assert not contents.have_changed()
