"""Any model folder, ready to use: a translator, a language model or a predictor, as its family is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

from regard.checkpoint import LoadedModel, load_model
from regard.errors import SettingsError, nearest_hint
from regard.interop.formats import is_foreign, read_foreign
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.families import PairModel
from regard.text.tokenizer import Tokenizer
from regard.training.precision import resolve_precision
from regard.workflow.language_model import LanguageModel
from regard.workflow.predictor import Predictor
from regard.workflow.translation.translator import Translator

PRECISIONS = ("float32", "bfloat16", "auto")
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


def load(
    path: Path | str, *, device: str = "auto", precision: str = "float32", others: Sequence[Path | str] = ()
) -> Loaded:
    """A model, ready to use: a `Translator`, a `LanguageModel` or a `Predictor`.

    Args:
        path: a model folder of ours, or one in a format that we read (Hugging Face, CTranslate2, Marian); or
            `hf:owner/name`, a model of the Hugging Face hub.
        device: `auto`, `cpu`, `cuda`.
        precision: `float32`, `bfloat16`, or `auto`, which is bfloat16 where the machine multiplies it faster.
        others: more models that turn one text into another, with the same tokenizers: an ensemble.
    Raises:
        ModelFolderError: a folder that is missing, incomplete or damaged, or a foreign model that we cannot represent.
        SettingsError: a device that this machine lacks, or models that do not make an ensemble.
    """
    if precision not in PRECISIONS:
        hint = nearest_hint(precision, PRECISIONS)
        raise SettingsError(f"precision must be {', '.join(PRECISIONS)}; got {precision!r}. {hint}")
    on = resolve_device(device)
    dtype = resolve_precision(precision, on)
    model, tokenizer, source_tokenizer = load_any(path)
    model.to(on, dtype)
    if others:
        return _ensemble(path, others, model, tokenizer, source_tokenizer, on, dtype)
    if isinstance(model, Decoder):
        return LanguageModel(model, tokenizer)
    if isinstance(model, Encoder):
        return Predictor(model, tokenizer)
    return Translator(model, tokenizer, source_tokenizer)


def _ensemble(
    path: Path | str,
    others: Sequence[Path | str],
    model: nn.Module,
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer | None,
    device: torch.device,
    dtype: torch.dtype,
) -> Translator:
    """A translator of several models."""
    models = [model]
    for other in others:
        more, its_tokenizer, its_source_tokenizer = load_any(other)
        same = its_tokenizer.backend_json == tokenizer.backend_json and (
            (its_source_tokenizer or its_tokenizer).backend_json == (source_tokenizer or tokenizer).backend_json
        )
        if not same:
            raise SettingsError(
                f"models of an ensemble must have one tokenizer; got another one in {other} than in {path}. "
                "Train them on the same files, --valid among them, with the same tokenizer settings."
            )
        models.append(more.to(device, dtype))
    wrong = [name for name, part in zip((path, *others), models, strict=True) if not isinstance(part, PairModel)]
    if wrong:
        raise SettingsError(f"models of an ensemble must turn one text into another; got {wrong[0]}, which does not.")
    first, *rest = (part for part in models if isinstance(part, PairModel))
    return Translator(first, tokenizer, source_tokenizer, rest)


def load_any(path: Path | str) -> LoadedModel:
    """The parts of a model, of ours or of a foreign one, on the CPU.

    Raises:
        ModelFolderError: as for `load`.
    """
    return read_foreign(path).loaded if is_foreign(path) else load_model(path)


def load_as(
    path: Path | str,
    kind: type[Kind],
    *,
    device: str = "auto",
    precision: str = "float32",
    others: Sequence[Path | str] = (),
) -> Kind:
    """The model of a folder, which must be of one kind.

    Raises:
        SettingsError: it is of another kind; the message names the command that it is for.
    """
    loaded = load(path, device=device, precision=precision, others=others)
    if not isinstance(loaded, kind):
        commands = {Translator: "regard translate", LanguageModel: "regard generate", Predictor: "regard predict"}
        arch = loaded.model.config.arch
        raise SettingsError(
            f"{path} must be a model for `{commands[kind]}`; got one of arch {arch}. Use: {commands[type(loaded)]} {path}"
        )
    return loaded
