"""The families of models by name: what a configuration's `arch` says is built."""

from __future__ import annotations

from typing import Any

from torch import nn

from regard.errors import SettingsError, nearest_hint
from regard.models.config import AnyConfig, DecoderConfig, EncoderConfig, ModelConfig, RecurrentConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.recurrent import Recurrent

PairModel = EncoderDecoder | Recurrent
"""What reads a source and writes a target."""
AnyModel = PairModel | Decoder | Encoder

CONFIGS: dict[str, type[AnyConfig]] = {
    "transformer": ModelConfig,
    "rnn": RecurrentConfig,
    "decoder": DecoderConfig,
    "encoder": EncoderConfig,
}
MODELS: dict[str, type[nn.Module]] = {
    "transformer": EncoderDecoder,
    "rnn": Recurrent,
    "decoder": Decoder,
    "encoder": Encoder,
}


def config_class(arch: str) -> type[AnyConfig]:
    """The configuration of a family.

    Raises:
        SettingsError: an unknown family.
    """
    if arch not in CONFIGS:
        raise SettingsError(f"arch must be a family of models; got {arch!r}. {nearest_hint(arch, CONFIGS)}")
    return CONFIGS[arch]


def build(config: AnyConfig) -> AnyModel:
    """A model with random weights, drawn from torch's default generator."""
    return MODELS[config.arch](config)  # type: ignore[return-value]  # the tables agree by arch


def parse_config(values: dict[str, Any]) -> AnyConfig:
    """The configuration that a `config.json` holds; without `arch`, the encoder-decoder Transformer's.

    Raises:
        SettingsError: an unknown family.
        pydantic.ValidationError: a key or value that the family does not have.
    """
    return config_class(values.get("arch", "transformer"))(**values)
