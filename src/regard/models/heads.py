"""The attentions of a model by name, and their heads: which are left, which one aligns, and pruning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, SupportsIndex

from torch import nn

from regard.errors import SettingsError, ShapeError, as_numbers, check_known
from regard.models.interface import Model, PairModel
from regard.nn.multihead import MultiHeadAttention


class Site(NamedTuple):
    """The name of an attention of a model, such as `cross.2`."""

    kind: str
    """`encoder` and `decoder`, where positions look at each other, or `cross`, where a decoder looks at the source."""
    layer: int
    """From 0, the lowest."""

    def __str__(self) -> str:
        return f"{self.kind}.{self.layer}"


def attention_sites(model: Model) -> dict[Site, str]:
    """The names of a model's attention modules, the source's first, from the lowest layer up."""
    return {
        Site(kind, layer): name for kind, names in model.attention_names.items() for layer, name in enumerate(names)
    }


def layer_sites(model: Model) -> dict[Site, nn.Module]:
    """The Transformer layers by stack and number; a recurrent model has none."""
    stacks = model.layer_stacks()
    return {Site(stack, number): layer for stack, layers in stacks.items() for number, layer in enumerate(layers)}


def multihead_attentions(model: Model) -> dict[Site, MultiHeadAttention]:
    """The attentions that have heads; a recurrent model has none."""
    found = {site: model.get_submodule(name) for site, name in attention_sites(model).items()}
    return {site: part for site, part in found.items() if isinstance(part, MultiHeadAttention)}


def cross_heads(model: PairModel) -> list[list[int]]:
    """The original numbers of the remaining heads in each cross-attention layer."""
    kept = {site: part.kept_heads for site, part in multihead_attentions(model).items()}
    return [kept.get(site, [0]) for site in attention_sites(model) if site.kind == "cross"]


def alignment_head(model: Model) -> tuple[int, int] | None:
    """The layer and the first number of the head that alignments are read from; None: no head is special, or it was pruned."""
    if (named := getattr(model.config, "alignment_head", None)) is None:
        return None
    _, layer, head = named.split(".")
    attention = multihead_attentions(model).get(Site("cross", int(layer)))
    return (int(layer), int(head)) if attention is not None and int(head) in attention.kept_heads else None


Heads = Mapping[Site, Iterable[SupportsIndex]] | Mapping[str, Iterable[SupportsIndex]]
"""Numbers of heads, by attention or its name."""


def prune_heads(model: Model, heads: Heads) -> None:
    """Remove heads from a model for good; its configuration says which, so that it can be stored, and names no alignment head
    that is gone. If one cannot be removed, none is.

    Args:
        heads: for each attention, such as `cross.2`, the first numbers of heads, from 0; those that are gone already may be
            among them.
    Raises:
        ShapeError: there is no such head, none would be left in an attention, or only a part of a group is named.
        SettingsError: there is no such attention, or layers share weights, so that a head of one is a head of others.
    """
    if not isinstance(heads, Mapping):
        raise SettingsError(f"heads must be a dictionary, such as {{'cross.2': [0, 3]}}; got {heads!r}.")
    if heads and getattr(model.config, "weights_from", []):
        raise SettingsError("heads of layers that share weights (weights_from) cannot be removed. Use gates of 0.")
    attentions, num_heads = multihead_attentions(model), model.config.num_heads
    by_name = {str(site): attention for site, attention in attentions.items()}
    removed: dict[str, list[int]] = {}
    for site, given in heads.items():
        name = str(site)
        check_known("an attention", name, by_name, "one of the model's")
        numbers = as_numbers(f"heads of {name}", given)
        unknown = sorted(number for number in numbers if not 0 <= number < num_heads)
        if unknown:
            raise ShapeError(f"heads of {name} must be from 0 to {num_heads - 1}; got {unknown}.")
        kept = by_name[name].kept_heads
        removed[name] = [kept.index(number) for number in numbers if number in kept]
        by_name[name].heads_without(removed[name])
    for name, present in removed.items():
        by_name[name].prune_heads(present)
    pruned = {
        str(site): [head for head in range(num_heads) if head not in attention.kept_heads]
        for site, attention in attentions.items()
        if attention.num_heads < num_heads
    }
    changes: dict[str, object] = {"pruned_heads": pruned}
    if getattr(model.config, "alignment_head", None) is not None and alignment_head(model) is None:
        changes["alignment_head"] = None
    model.config = model.config.model_copy(update=changes)
