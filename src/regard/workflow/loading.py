"""Any model folder, ready to use: a translator, a language model or a predictor, as its family is."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import torch

from regard.checkpoint import LoadedModel, load_model
from regard.errors import SettingsError
from regard.interop.formats import is_foreign, read_foreign
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.workflow.language_model import LanguageModel
from regard.workflow.predictor import Predictor
from regard.workflow.translator import Translator

Loaded = Translator | LanguageModel | Predictor
Kind = TypeVar("Kind", Translator, LanguageModel, Predictor)


def resolve_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU where there is one, else the CPU.

    Raises:
        SettingsError: an unknown device, or one that this machine lacks.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.empty(0, device=name).device
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise SettingsError(
            f"device must be auto, cpu, or a GPU of this machine such as cuda; got {name!r}."
        ) from error
    if device.type == "meta":
        raise SettingsError(f"device must be auto, cpu, or a GPU of this machine such as cuda; got {name!r}.")
    return device


def load(path: Path | str, *, device: str = "auto") -> Loaded:
    """A model, ready to use: a `Translator`, a `LanguageModel` or a `Predictor`.

    Args:
        path: a model folder of ours, or one in a format that we read (Hugging Face, CTranslate2, Marian), or a name on the
            Hugging Face hub.
        device: `auto`, `cpu`, `cuda`.
    Raises:
        ModelFolderError: a folder that is missing, incomplete or damaged, or a foreign model that we cannot represent.
        SettingsError: a device that this machine lacks.
    """
    model, tokenizer, source_tokenizer = load_any(path)
    model.to(resolve_device(device))
    if isinstance(model, Decoder):
        return LanguageModel(model, tokenizer)
    if isinstance(model, Encoder):
        return Predictor(model, tokenizer)
    return Translator(model, tokenizer, source_tokenizer)


def load_any(path: Path | str) -> LoadedModel:
    """The parts of a model, of ours or of a foreign one, on the CPU.

    Raises:
        ModelFolderError: as for `load`.
    """
    return read_foreign(path).loaded if is_foreign(path) else load_model(path)


def load_as(path: Path | str, kind: type[Kind], *, device: str = "auto") -> Kind:
    """The model of a folder, which must be of one kind.

    Raises:
        SettingsError: it is of another kind; the message names the command that it is for.
    """
    loaded = load(path, device=device)
    if not isinstance(loaded, kind):
        commands = {Translator: "regard translate", LanguageModel: "regard generate", Predictor: "regard predict"}
        arch = loaded.model.config.arch
        raise SettingsError(
            f"{path} must be a model for `{commands[kind]}`; got one of arch {arch}. Use: {commands[type(loaded)]} {path}"
        )
    return loaded
