"""The families of models by name: the configuration, the class and the presets of each. Builds the model of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.errors import SettingsError, check_known
from regard.models import presets
from regard.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderClassifierConfig,
    EncoderDecoderConfig,
    ModelConfig,
    RecurrentConfig,
    current,
)
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.encoder_decoder_classifier import EncoderDecoderClassifier
from regard.models.heads import multihead_attentions
from regard.models.interface import Model
from regard.models.presets import Preset
from regard.models.recurrent import Recurrent

OF_TOKENS = ("embedding.weight", "output_bias", "head.bias")
"""The ends of the names of parameters that have a row for each token."""
OF_LABELS = ("head.output_proj.",)
"""The beginnings of the names of parameters that have a row for each label, in models with labels."""


@dataclass(frozen=True)
class Architecture:
    """The configuration, the class and the presets of a family of models."""

    config: type[ModelConfig]
    model: type[Model]
    presets: Mapping[str, Preset]
    """Named sizes with the training settings that suit them."""

    @property
    def arch(self) -> str:
        """The name of the family in `config.json` and `--arch`."""
        return str(self.config.model_fields["arch"].default)


ARCHITECTURES: dict[str, Architecture] = {
    architecture.arch: architecture
    for architecture in (
        Architecture(EncoderDecoderConfig, EncoderDecoder, presets.ENCODER_DECODER),
        Architecture(RecurrentConfig, Recurrent, presets.RECURRENT),
        Architecture(DecoderConfig, Decoder, presets.DECODER),
        Architecture(EncoderConfig, Encoder, presets.ENCODER),
        Architecture(EncoderDecoderClassifierConfig, EncoderDecoderClassifier, presets.ENCODER_DECODER_CLASSIFIER),
    )
}


def architecture(arch: str) -> Architecture:
    """The architecture of this name.

    Raises:
        SettingsError: there is none.
    """
    arch = current("arch", arch)
    check_known("arch", arch, ARCHITECTURES, "a family of models")
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

    New ones are drawn from torch's default generator: those of the head, if the task is another, but for BERT's pooler, which is
    a part of the head of tasks of whole texts. A label has the weights that it had; where the trained model has none of the
    labels, their weights are new. Tokens that were added to the vocabulary begin at the mean of all.
    """
    model = build(config)
    old = trained.state_dict()
    old |= {f"head.{name}": tensor for name, tensor in old.items() if name.startswith("pooler.")}
    begun = {name: _begun_at(old.get(name), tensor, name) for name, tensor in model.state_dict().items()}
    begun |= _labels_begun_at(model, trained, old)
    model.load_state_dict({name: tensor for name, tensor in begun.items() if tensor is not None}, strict=False)
    return model, [name for name, _ in model.named_parameters() if begun[name] is None]


def known_labels(config: ModelConfig, before: ModelConfig) -> list[str]:
    """The labels of a configuration that another one for the same task has, too."""
    if getattr(config, "task", None) != getattr(before, "task", None):
        return []
    return [label for label in getattr(config, "labels", ()) if label in getattr(before, "labels", ())]


def _labels_begun_at(model: Model, trained: Model, old: Mapping[str, Tensor]) -> dict[str, Tensor | None]:
    """The initial values of the parameters that have a row for each label, if the labels are others; None: drawn anew."""
    config, before = model.config, trained.config
    labels, had = getattr(config, "labels", ()), getattr(before, "labels", ())
    if labels == had or not labels or not had:
        return {}
    known = known_labels(config, before)
    to, of = ([one.index(label) for label in known] for one in (labels, had))
    begun = dict[str, Tensor | None]()
    for name, tensor in model.state_dict().items():
        if name.startswith(OF_LABELS):
            begun[name] = tensor.index_copy(0, torch.tensor(to), old[name][of]) if known else None
    return begun


def _begun_at(old: Tensor | None, new: Tensor, name: str) -> Tensor | None:
    """The initial value of a parameter: a trained one, with the mean of its rows for tokens that were added; None: drawn anew."""
    if old is None or old.shape == new.shape:
        return old
    if not name.endswith(OF_TOKENS) or old.shape[1:] != new.shape[1:] or len(old) > len(new):
        return None
    return torch.cat((old, old.mean(dim=0, keepdim=True).expand(len(new) - len(old), *old.shape[1:])))


def classifier_of(pair: EncoderDecoder, *, start_id: int, seed: int = 1) -> EncoderDecoderClassifier:
    """A classifier with the weights of an encoder-decoder. Its head is new, with one label in place of those to come.

    Args:
        start_id: the symbol that the decoder of `pair` reads first.
        seed: what the head is drawn by.
    Raises:
        SettingsError: the encoder-decoder has something that a classifier does not.
    """
    theirs = pair.config
    needed: dict[str, tuple[Any, ...]] = {
        "tied_embeddings": ("all", "source"), "source_vocab_size": (None,), "num_source_types": (0,),
        "encoder_windows": (None,), "embedding_norm": ("none", "both"), "decoder_past": ("self_attention",),
        "output_transform": (False,),
    }  # fmt: skip
    for key, values in needed.items():
        if (found := getattr(theirs, key)) not in values:
            rule = " or ".join("null" if value is None else str(value).lower() for value in values)
            raise SettingsError(f"{key} of the model must be {rule} for a classifier with a decoder; got {found}.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = build(EncoderDecoderClassifierConfig.above(theirs, start_id=start_id, labels=["none"]))
    assert isinstance(made, EncoderDecoderClassifier)
    # Without what is behind the last states: the output matrix of a classifier is the embedding matrix, which nothing reads.
    given = {name: tensor for name, tensor in pair.state_dict().items() if pair.part_of(name) != "output"}
    made.transformer.load_state_dict(given, strict=False)
    return made


def token_parameters(model: Model) -> list[str]:
    """The names of a model's parameters that have a row for each token."""
    sizes = {model.config.vocab_size, getattr(model.config, "source_vocab_size", None)}
    named = model.named_parameters()
    return [name for name, parameter in named if name.endswith(OF_TOKENS) and len(parameter) in sizes]


def changed_head(model: Model, before: ModelConfig) -> list[str]:
    """The names of the parameters of a model's head, if its task or its labels differ from those of another configuration."""
    if all(getattr(model.config, key, None) == getattr(before, key, None) for key in ("task", "labels")):
        return []
    return [name for name, _ in model.named_parameters() if name.startswith("head.")]


def parse_config(values: Any) -> ModelConfig:
    """The configuration that a `config.json` holds; without `arch`, the encoder-decoder Transformer's.

    Raises:
        SettingsError: an unknown family.
        pydantic.ValidationError: a key or value that the family does not have.
    """
    arch = current("arch", values.get("arch", "encoder-decoder"))
    check_known("arch", arch, ARCHITECTURES, "a family of models")  # a file may have anything there
    return architecture(arch).config(**values)


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
