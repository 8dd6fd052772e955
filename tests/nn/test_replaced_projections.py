"""Projections that were replaced by hand by modules that do not say their width are called."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard.errors import ShapeError
from regard.nn import SSRU, Additive, Bilinear, FeedForward, GatedFeedForward, MultiHeadAttention
from regard.nn.lora import AdaptedLinear

X = torch.randn(2, 3, 6, generator=torch.Generator().manual_seed(1))
PARTS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "feed-forward": (lambda: FeedForward(6, 7), 1),
    "feed-forward in chunks": (lambda: FeedForward(6, 7, chunk=2), 1),
    "gated": (lambda: GatedFeedForward(6, 7), 1),
    "attention": (lambda: MultiHeadAttention(6, 2), 1),
    "ssru": (lambda: SSRU(6), 1),
    "bilinear": (lambda: Bilinear(6, 6), 2),
    "additive": (lambda: Additive(6, 6, 5), 2),
    "additive, projected keys": (lambda: Additive(6, None, 6), 2),
}


def projections(part: nn.Module) -> list[str]:
    return [name for name, child in part.named_children() if name.endswith("_proj") and isinstance(child, nn.Linear)]


@pytest.mark.parametrize("name", PARTS)
def test_a_replaced_projection_is_called(name: str) -> None:
    make, num_inputs = PARTS[name]
    torch.manual_seed(0)
    part, given = make(), [X] * num_inputs
    wanted = part(*given)
    names = projections(part)
    assert names
    for each in names:
        setattr(part, each, nn.Sequential(getattr(part, each)))
        torch.testing.assert_close(part(*given), wanted, rtol=0, atol=0)


def test_a_map_that_has_no_width_yet_learns_it() -> None:
    part = FeedForward(6, 7)
    part.inner_proj = nn.LazyLinear(7)
    assert part(X).shape == X.shape
    with pytest.raises(ShapeError, match="input must have width 6; got 5"):
        part(X[..., :5])


def test_heads_are_removed_from_matrices() -> None:
    part = MultiHeadAttention(6, 2)
    part.key_proj = nn.Sequential(part.key_proj)  # type: ignore[assignment]
    with pytest.raises(ShapeError, match="key_proj must be a linear map, for heads to be removed; got Sequential"):
        part.prune_heads([0])


def test_heads_of_adapted_maps_are_not_removed() -> None:
    for name in ("query_proj", "key_proj", "value_proj", "output_proj"):
        part = MultiHeadAttention(6, 2)
        setattr(part, name, AdaptedLinear(getattr(part, name), rank=2))
        wanted = part(X)
        with pytest.raises(
            ShapeError, match=f"{name} must be without an adapter, for heads to be removed; got one. Merge"
        ):
            part.prune_heads([0])
        assert torch.equal(part(X), wanted)
