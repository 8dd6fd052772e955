"""The families of models by name: builds the model of a configuration's `arch`, and lists its attentions and which of
their heads are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsIndex

import torch
from torch import Tensor

from regard.errors import SettingsError, ShapeError, as_numbers, nearest_hint
from regard.models import presets
from regard.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderConfig,
    ModelConfig,
    RecurrentConfig,
    current,
)
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import Model, PairModel
from regard.models.presets import Preset
from regard.models.recurrent import Recurrent
from regard.nn.multihead import MultiHeadAttention


@dataclass(frozen=True)
class Architecture:
    """How models of a family are described, built and sized."""

    config: type[ModelConfig]
    model: type[Model]
    presets: Mapping[str, Preset]
    """Named sizes with the training settings that suit them."""

    @property
    def arch(self) -> str:
        """What `config.json` and `--arch` call the family."""
        return str(self.config.model_fields["arch"].default)


ARCHITECTURES: dict[str, Architecture] = {
    architecture.arch: architecture
    for architecture in (
        Architecture(EncoderDecoderConfig, EncoderDecoder, presets.ENCODER_DECODER),
        Architecture(RecurrentConfig, Recurrent, presets.RECURRENT),
        Architecture(DecoderConfig, Decoder, presets.DECODER),
        Architecture(EncoderConfig, Encoder, presets.ENCODER),
    )
}


def architecture(arch: str) -> Architecture:
    """The architecture of this name.

    Raises:
        SettingsError: there is none.
    """
    arch = current("arch", arch)
    if arch not in ARCHITECTURES:
        raise SettingsError(f"arch must be a family of models; got {arch!r}. {nearest_hint(arch, ARCHITECTURES)}")
    return ARCHITECTURES[arch]


def build(config: ModelConfig) -> Model:
    """A model with random weights, drawn from torch's default generator."""
    model = ARCHITECTURES[config.arch].model(config)
    pruned = getattr(config, "pruned_heads", {})
    for site, attention in multihead_attentions(model).items() if pruned else ():
        attention.prune_heads(pruned.get(str(site), ()))
    return model


def build_from(config: ModelConfig, trained: Model) -> tuple[Model, list[str]]:
    """A model of a configuration with a copy of a trained one's weights; and the names of its parameters that are new.

    New ones are drawn from torch's default generator: those of the head, if the task is another. Tokens that were added to the
    vocabulary begin at the mean of all.
    """
    model = build(config)
    old = trained.state_dict()
    begun = {name: _begun_at(old.get(name), tensor, name) for name, tensor in model.state_dict().items()}
    model.load_state_dict({name: tensor for name, tensor in begun.items() if tensor is not None}, strict=False)
    return model, [name for name, _ in model.named_parameters() if begun[name] is None]


def _begun_at(old: Tensor | None, new: Tensor, name: str) -> Tensor | None:
    """What a parameter begins at: at a trained one, with the mean of its rows for tokens that were added; None: drawn anew."""
    if old is None or old.shape == new.shape:
        return old
    is_of_tokens = name.endswith(("embedding.weight", "output_bias", "head.bias"))
    if not is_of_tokens or old.shape[1:] != new.shape[1:] or len(old) > len(new):
        return None
    return torch.cat((old, old.mean(dim=0, keepdim=True).expand(len(new) - len(old), *old.shape[1:])))


def changed_head(model: Model, before: ModelConfig) -> list[str]:
    """The names of the parameters of a model's head, if its task or its labels differ from those of another configuration."""
    if all(getattr(model.config, key, None) == getattr(before, key, None) for key in ("task", "labels")):
        return []
    return [name for name, _ in model.named_parameters() if name.startswith("head.")]


def parse_config(values: dict[str, Any]) -> ModelConfig:
    """The configuration that a `config.json` holds; without `arch`, the encoder-decoder Transformer's.

    Raises:
        SettingsError: an unknown family.
        pydantic.ValidationError: a key or value that the family does not have.
    """
    return architecture(values.get("arch", "encoder-decoder")).config(**values)


class Site(NamedTuple):
    """One attention of a model, `cross.2` for one."""

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


def prune_heads(model: Model, heads: Mapping[Site, Iterable[SupportsIndex]]) -> None:
    """Remove heads from a model for good; its configuration says which, so that it can be stored.

    Args:
        heads: by their first numbers, from 0; those that are gone already may be among them.
    Raises:
        ShapeError: there is no such head, none would be left in an attention, or only a part of a group is named.
    """
    attentions, num_heads = multihead_attentions(model), model.config.num_heads
    for site, given in heads.items():
        numbers = as_numbers(f"heads of {site}", given)
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
def unpruned(model: Model) -> Model:
    """The same function with all its heads: those that were pruned write zeros. For formats that count heads once."""
    if not getattr(model.config, "pruned_heads", {}):
        return model
    whole = build(model.config.model_copy(update={"pruned_heads": {}}))
    ours = dict(model.named_parameters())
    for name, parameter in whole.named_parameters():
        if parameter.shape == ours[name].shape:
            parameter.copy_(ours[name])
    attentions = multihead_attentions(model)
    for site, attention in multihead_attentions(whole).items():
        attention.take_heads_of(attentions[site])
    return whole.eval()
