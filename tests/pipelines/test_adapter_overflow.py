"""Adapters whose numbers are too large for the types that models compute in: refused, in both formats and all ways of use."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

import regard
from regard.adapters import Base, adapt, read_adapter, save_adapter, weights_digest
from regard.checkpoint import load_model, save_new
from regard.errors import ModelFolderError
from regard.models.adaptation import AdapterConfig, adapted, add_adapter, overflowing
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, ModelConfig, RecurrentConfig
from regard.models.registry import build
from regard.nn.lora import AdaptedLinear
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXTS = ["ab cde", "f", "abcdef fed cb a", "de"]
SIZES: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
FAMILIES: dict[str, ModelConfig] = {
    "pairs": EncoderDecoderConfig(**SIZES, vocab_size=30, num_encoder_layers=1, num_decoder_layers=1),
    "recurrent": RecurrentConfig(model_dim=12, vocab_size=30),
    "decoder": DecoderConfig(**SIZES, vocab_size=30, num_layers=1),
    "encoder": EncoderConfig(**SIZES, vocab_size=30, num_layers=1, task="classify", labels=["x", "y"]),
}


def stored(folder: Path, config: ModelConfig) -> Path:
    """A random model and an adapter of it, `m` and `a`."""
    tokenizer = Tokenizer.train(TEXTS, TokenizerConfig(kind="characters", vocab_size=30))
    torch.manual_seed(1)
    model = build(config.model_copy(update={"vocab_size": len(tokenizer)})).eval()
    save_new(folder / "m", model, tokenizer, tokenizer)
    digest = weights_digest(model)
    add_adapter(model, AdapterConfig(rank=2))
    for module in adapted(model).values():
        torch.nn.init.normal_(module.up, std=0.5)
    save_adapter(folder / "a", model, Base(name="m", sha256=digest))
    return folder


def changed(
    folder: Path, *, part: str = "", scale: float | None = None, down: float | None = None, up: float | None = None
) -> None:
    """The adapter with another scale, or with all numbers of one of its matrices of one size, with random signs."""
    record = json.loads((folder / "a" / "adapter.json").read_text())
    name = next(
        name for name in record["scales"] if (f"decoder_layers.0.{part}" == name if part else "output" not in name)
    )
    if scale is not None:
        record["scales"][name] = scale
        (folder / "a" / "adapter.json").write_text(json.dumps(record))
    tensors = load_file(folder / "a" / "adapter.safetensors")
    for factor, number in (("down", down), ("up", up)):
        if number is not None:
            tensors[f"{name}.{factor}"] = number * (
                1 - 2 * (torch.rand_like(tensors[f"{name}.{factor}"]) > 0.5).float()
            )
    save_file(tensors, folder / "a" / "adapter.safetensors")


TOO_LARGE: list[dict[str, float]] = [
    {"scale": 1e39},
    {"scale": -1e39},
    {"scale": 3.4e38},
    {"down": 3e38},
    {"up": 3e38},
    {"down": 3e38, "up": 3e38},
    {"down": 1e20, "up": 1e20},
    {"down": 1e25, "up": 1e10, "scale": 1e5},
    {"up": 1e30, "scale": 1e20, "down": 1e-30},
    {"down": 3e38, "up": 1e-38},
    {"down": 1e25, "up": 1e25, "scale": 1e-30},
]


@pytest.mark.parametrize("change", TOO_LARGE, ids=str)
@pytest.mark.parametrize("how", ["merged", "several", "bfloat16"])
def test_an_adapter_that_overflows_is_refused(change: dict[str, float], how: str, tmp_path: Path) -> None:
    folder = stored(tmp_path, FAMILIES["pairs"])
    changed(folder, **change)
    given: dict[str, Any] = {"adapters": {"a": folder / "a"}} if how == "several" else {"adapter": folder / "a"}
    with pytest.raises(
        ModelFolderError, match=r"adapter\.safetensors: .* must be finite in float32 and bfloat16; it is not"
    ):
        regard.load(folder / "m", precision="bfloat16" if how == "bfloat16" else "float32", **given)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_asked(family: str, tmp_path: Path) -> None:
    """A scale that every number of the update can be multiplied by, but whose states cannot be computed further."""
    folder = stored(tmp_path, FAMILIES[family])
    assert regard.load(folder / "m", adapter=folder / "a")
    changed(folder, scale=1e39)
    with pytest.raises(ModelFolderError, match="must be finite in float32 and bfloat16"):
        regard.load(folder / "m", adapter=folder / "a")


@pytest.mark.parametrize("part", ["self_attention.query_proj", "feed_forward.inner_proj", "cross_attention.value_proj"])
def test_states_that_overflow_are_found(part: str, tmp_path: Path) -> None:
    """Every matrix is finite, and so are their products; what the next norm makes of them is not: it squares them."""
    folder = stored(tmp_path, FAMILIES["pairs"])
    changed(folder, part=part, scale=1.0, down=1e12, up=1e12)
    loaded = load_model(folder / "m")
    with pytest.raises(ModelFolderError, match=rf"decoder_layers\.0\.{part} with its update must be finite"):
        adapt(loaded, read_adapter(folder / "a"))
    assert not any(module._forward_hooks for module in loaded.model.modules())


@pytest.mark.parametrize("name", ["embedding", "norm"])
@pytest.mark.parametrize("number", [1e16, 3e38])
def test_a_whole_parameter_is_asked_in_all_its_rows(name: str, number: float, tmp_path: Path) -> None:
    """Also the rows of tokens that the model is not tried with."""
    folder = stored(tmp_path, FAMILIES["decoder"])
    loaded = load_model(folder / "m")
    model = load_model(folder / "m").model
    add_adapter(model, AdapterConfig(rank=2))
    whole = next(
        key for key, value in model.named_parameters() if name in key and (value.dim() == 2) == (name != "norm")
    )
    save_adapter(folder / "b", model, Base(name="m", sha256=weights_digest(loaded.model)), whole=[whole])
    assert adapt(loaded, read_adapter(folder / "b"))
    file = folder / "b" / "adapter.safetensors"
    tensors = load_file(file)
    tensors[whole][-1] = -number
    save_file(tensors, file)
    with pytest.raises(ModelFolderError, match=rf"{whole} must hold numbers of at most 1e\+15; it does not"):
        adapt(loaded, read_adapter(folder / "b"))


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(down=st.lists(numbers, min_size=6, max_size=6), up=st.lists(numbers, min_size=4, max_size=4),
       scale=st.floats(allow_nan=False, allow_infinity=False))  # fmt: skip
def test_what_passes_is_finite_merged_and_beside(down: list[float], up: list[float], scale: float) -> None:
    """For inputs up to 1, on every way that an update is computed: merged, beside, scaled before and after, in both types."""
    torch.manual_seed(0)
    module = AdaptedLinear(torch.nn.Linear(3, 2), 2, scale)
    with torch.no_grad():
        module.down.copy_(torch.tensor(down).view(2, 3))
        module.up.copy_(torch.tensor(up).view(2, 2))
    holder = torch.nn.ModuleDict({"map": module})
    if overflowing(holder) is not None:
        return
    for dtype in (torch.float32, torch.bfloat16):
        plain = module.merged().to(dtype)
        scaled = (module.up * module.scale).to(dtype)
        made: list[Tensor] = [plain.weight, scaled, module.down.to(dtype)]
        assert all(bool(each.isfinite().all()) for each in made)
    for signs in torch.cartesian_prod(*[torch.tensor([-1.0, 1.0])] * 3):
        assert bool(torch.nn.functional.linear(signs, module.down).isfinite().all())
