"""Changes of the states of whole layers: a vector that is added, and an encoder that ends early.

The changes belong to the thread or task that opened the context (`nn/hooks.py`): others may use the model at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from jaxtyping import Float
from torch import Tensor

from regard.errors import SettingsError, ShapeError, check_known
from regard.models.heads import Site, layer_sites
from regard.models.interface import Model
from regard.nn.hooks import forward_hooks, hooks_of, in_turn


def layer_named(model: Model, name: str) -> Site:
    """The place of a layer, such as `encoder.2`: its stack and its number, from 0.

    Raises:
        SettingsError: the model has no such layer.
    """
    places = {str(site): site for site in layer_sites(model)}
    if not places:
        raise SettingsError("layers need a Transformer; got a recurrent model.")
    check_known("a layer", name, places, "one of the model's")
    return places[name]


@contextmanager
def steered(model: Model, vectors: Mapping[str, Float[Tensor, " model_dim"]]) -> Iterator[None]:
    """Add a vector to the output of some layers at every position, in this thread, while this context lasts.

    Args:
        vectors: by layer, such as `encoder.2`.
    Raises:
        SettingsError: the model has no such layer.
        ShapeError: a vector of another width.
    Source: Turner et al. 2023, section 3; Rimsky et al. 2024, section 3, for means of differences.
    """
    by_site = {layer_named(model, name): vector for name, vector in vectors.items()}
    for name, vector in vectors.items():
        if tuple(vector.shape) != (model.config.model_dim,):
            raise ShapeError(
                f"a vector of {name} must have the shape ({model.config.model_dim},); got {tuple(vector.shape)}."
            )

    def add(site: Site, output: Tensor) -> Tensor:
        return output + by_site[site].to(output) if site in by_site else output

    with forward_hooks(after=hooks_of(layer_sites(model), add)):
        yield


@contextmanager
def ending_after(model: Model, layer: int) -> Iterator[None]:
    """Let the encoder end after one of its layers, in this thread: later ones are computed, and their outputs replaced.

    The norm after the last layer still comes.

    Args:
        layer: from 0; -1: the embeddings.
    Raises:
        SettingsError: the model has no encoder before a decoder, or no such layer.
    Source: Langedijk et al. 2024 (DecoderLens), section 3.
    """
    stacks = model.layer_stacks()
    if stacks.keys() != {"encoder", "decoder"}:
        raise SettingsError(f"the model must have an encoder before a decoder; got arch {model.config.arch}.")
    layers = stacks["encoder"]
    if not -1 <= layer < len(layers):
        raise SettingsError(f"layer must be from -1, the embeddings, to {len(layers) - 1}; got {layer}.")
    kept = list[Tensor]()

    def keep(states: Tensor) -> None:
        kept[:] = [states]

    def replace(site: Site, output: Tensor) -> Tensor:
        if site == Site("encoder", layer):
            keep(output)
        return kept[0] if site == Site("encoder", len(layers) - 1) else output

    first = in_turn([keep, *[lambda states: None] * (layers.count(layers[0]) - 1)])
    before = {layers[0]: first} if layer == -1 else {}
    with forward_hooks(before=before, after=hooks_of(layer_sites(model), replace)):
        yield
