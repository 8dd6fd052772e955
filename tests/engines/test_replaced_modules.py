"""Every module of a model is replaced by hand, one after the other: each engine still answers as the model itself does."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from test_changes import logits, pair_model, text_model
from test_native import VOCAB_SIZE, disturbed, some_sources
from torch import nn

from regard.engines.engine_choice import compile_model, unsupported_reason
from regard.models.config import RecurrentConfig
from regard.models.recurrent import Recurrent
from regard.nn.multihead import MultiHeadAttention

MODELS: dict[str, Callable[[], Any]] = {
    "pairs": lambda: pair_model(norm="pre"),
    "pairs, gated, learned positions, three embeddings": lambda: pair_model(
        positions="learned", tied_embeddings="none", norm_kind="rms", activation="silu", gated=True
    ),
    "pairs, relative positions": lambda: pair_model(positions="shaw"),
    "pairs, query norms, transform, embedding norms": lambda: pair_model(
        query_key_norm=True, output_transform=True, embedding_norm="both", norm="sandwich", decoder_past="ssru"
    ),
    "recurrent, lstm": lambda: disturbed(
        Recurrent(RecurrentConfig(model_dim=12, vocab_size=VOCAB_SIZE, cell="lstm", score="dot"))
    ),
    "decoder": lambda: text_model("learned"),
    "decoder, rotary": lambda: text_model("rotary"),
    "recurrent": lambda: disturbed(Recurrent(RecurrentConfig(model_dim=12, vocab_size=VOCAB_SIZE))),
}


class Wrapped(nn.Module):
    """A module that does a little more than the one inside it, and has nothing else of it."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, *given: Any, **named: Any) -> Any:
        found = self.inside(*given, **named)
        return found * 1.5 if isinstance(found, torch.Tensor) and found.is_floating_point() else found


class OwnLinear(nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 1.5 * super().forward(x)


def own_linear(part: nn.Module) -> nn.Module | None:
    if type(part) is not nn.Linear:
        return None
    found = OwnLinear(part.in_features, part.out_features, bias=part.bias is not None)
    found.load_state_dict(part.state_dict())
    return found


def without_bias(part: nn.Module) -> nn.Module | None:
    return nn.Linear(part.in_features, part.out_features, bias=False) if type(part) is nn.Linear else None


def of_other_heads(part: nn.Module) -> nn.Module | None:
    if type(part) is not MultiHeadAttention or part.attention.positions is not None:
        return None
    dim = part.query_proj.in_features
    return MultiHeadAttention(
        dim, next(heads for heads in (6, 4, 2, 1) if heads != part.num_heads and dim % heads == 0)
    )


def nothing(_: nn.Module) -> nn.Module | None:
    return NOTHING


NOTHING = nn.Identity()
"""In place of None, for which a module is left as it is."""


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize("change", [Wrapped, own_linear, without_bias, of_other_heads, nothing])
@pytest.mark.parametrize("family", MODELS)
def test_a_replaced_module_is_asked(family: str, change: Callable[[nn.Module], nn.Module | None], engine: str) -> None:
    torch.manual_seed(1)
    names = [name for name, _ in MODELS[family]().named_modules() if name]
    ids, tried = some_sources(3, 5).flip(1), 0
    for name in names:
        torch.manual_seed(2)
        model = MODELS[family]()
        parent, _, key = name.rpartition(".")
        if (replaced := change(model.get_submodule(name))) is None:
            continue
        setattr(model.get_submodule(parent), key, None if replaced is NOTHING else replaced.eval())
        try:
            wanted = logits(model, ids)
        except Exception:  # the model itself needs more of the module
            continue
        tried += 1
        found = logits(compile_model(model, engine), ids)
        assert torch.allclose(found, wanted, rtol=0, atol=1e-5 * max(20.0, float(wanted.abs().max()))), name
    least = {Wrapped: 10, own_linear: 2, without_bias: 2}.get(change, int(family == "pairs") - 1)
    assert tried > least


def test_a_part_of_another_kind_is_named() -> None:
    model = pair_model()
    model.decoder_layers[1].feed_forward_residual.dropout = Wrapped(nn.Identity()).eval()
    assert unsupported_reason(model) == "modules `dropout` of kind Wrapped are not written in C"
