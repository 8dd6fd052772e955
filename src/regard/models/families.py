"""The families of models by name: what a configuration's `arch` says is built, where its attentions are, and which of
their heads are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar, cast

import torch
from torch import nn

from regard.errors import SettingsError, ShapeError, nearest_hint
from regard.models.config import AnyConfig, DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig, current
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.recurrent import Recurrent
from regard.nn.multihead import MultiHeadAttention

PairModel = EncoderDecoder | Recurrent
"""What reads a source and writes a target."""
AnyModel = PairModel | Decoder | Encoder

CONFIGS: dict[str, type[AnyConfig]] = {
    "encoder-decoder": EncoderDecoderConfig,
    "rnn": RecurrentConfig,
    "decoder": DecoderConfig,
    "encoder": EncoderConfig,
}
MODELS: dict[str, type[nn.Module]] = {
    "encoder-decoder": EncoderDecoder,
    "rnn": Recurrent,
    "decoder": Decoder,
    "encoder": Encoder,
}


def config_class(arch: str) -> type[AnyConfig]:
    """The configuration of a family.

    Raises:
        SettingsError: an unknown family.
    """
    arch = current("arch", arch)
    if arch not in CONFIGS:
        raise SettingsError(f"arch must be a family of models; got {arch!r}. {nearest_hint(arch, CONFIGS)}")
    return CONFIGS[arch]


def build(config: AnyConfig) -> AnyModel:
    """A model with random weights, drawn from torch's default generator."""
    model = cast("AnyModel", MODELS[config.arch](config))
    pruned = getattr(config, "pruned_heads", {})
    for site, attention in multihead_attentions(model).items() if pruned else ():
        attention.prune_heads(pruned.get(str(site), ()))
    return model


def parse_config(values: dict[str, Any]) -> AnyConfig:
    """The configuration that a `config.json` holds; without `arch`, the encoder-decoder Transformer's.

    Raises:
        SettingsError: an unknown family.
        pydantic.ValidationError: a key or value that the family does not have.
    """
    return config_class(values.get("arch", "encoder-decoder"))(**values)


class Site(NamedTuple):
    """One attention of a model, `cross.2` for one."""

    kind: str
    """`encoder` and `decoder`, where positions look at each other, or `cross`, where a decoder looks at the source."""
    layer: int
    """From 0, the lowest."""

    def __str__(self) -> str:
        return f"{self.kind}.{self.layer}"


def attention_sites(model: AnyModel) -> dict[Site, str]:
    """The names of a model's attention modules, the source's first, from the lowest layer up."""
    return {
        Site(kind, layer): name for kind, names in model.attention_names.items() for layer, name in enumerate(names)
    }


def multihead_attentions(model: AnyModel) -> dict[Site, MultiHeadAttention]:
    """The attentions that have heads; a recurrent model has none."""
    found = {site: model.get_submodule(name) for site, name in attention_sites(model).items()}
    return {site: part for site, part in found.items() if isinstance(part, MultiHeadAttention)}


def cross_heads(model: PairModel) -> list[list[int]]:
    """The numbers of the heads that are left in each layer that looks at the source, as they were at first."""
    kept = {site: part.kept_heads for site, part in multihead_attentions(model).items()}
    return [kept.get(site, [0]) for site in attention_sites(model) if site.kind == "cross"]


Transformer = TypeVar("Transformer", EncoderDecoder, Decoder, Encoder)


def prune_heads(model: Transformer, heads: Mapping[Site, Iterable[int]]) -> None:
    """Remove heads from a model for good; its configuration says which, so that it can be stored.

    Args:
        heads: by their first numbers, from 0; those that are gone already may be among them.
    Raises:
        ShapeError: there is no such head, none would be left in an attention, or heads that share keys and values are parted.
    """
    attentions, num_heads = multihead_attentions(model), model.config.num_heads
    for site, given in heads.items():
        numbers = set(given)
        kept = attentions[site].kept_heads
        unknown = sorted(number for number in numbers if not 0 <= number < num_heads)
        if unknown:
            raise ShapeError(f"heads of {site} must be from 0 to {num_heads - 1}; got {unknown}.")
        attentions[site].prune_heads([kept.index(number) for number in numbers if number in kept])
    pruned = {
        str(site): [head for head in range(num_heads) if head not in attention.kept_heads]
        for site, attention in attentions.items()
        if attention.num_heads < num_heads
    }
    model.config = model.config.model_copy(update={"pruned_heads": pruned})


@torch.no_grad()
def unpruned(model: AnyModel) -> AnyModel:
    """The same function with all its heads: those that were pruned write zeros. For formats that count heads once."""
    if isinstance(model, Recurrent) or not model.config.pruned_heads:
        return model  # a recurrent model has no heads
    whole = build(model.config.model_copy(update={"pruned_heads": {}}))
    ours = dict(model.named_parameters())
    for name, parameter in whole.named_parameters():
        if parameter.shape == ours[name].shape:
            parameter.copy_(ours[name])
    attentions = multihead_attentions(model)
    for site, attention in multihead_attentions(whole).items():
        attention.take_heads_of(attentions[site])
    return whole.eval()
