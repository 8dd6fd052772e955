"""Safe reading of foreign model folders: JSON and safetensors; pickles only as bare tensors, with a warning.

Nothing in a folder is ever run. What is written `hf:owner/name` is looked up on the Hugging Face hub, or in its local cache; what
is not is never sent anywhere.
"""

from __future__ import annotations

import gzip
import json
import pickle
import warnings
import zlib
from collections.abc import Collection, Hashable, Iterable
from io import BufferedIOBase
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from regard.errors import HUB, MissingExtraError, ModelFolderError, nearest_hint
from regard.text.json_keys import read_unique

SAFE, SAFE_INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLE, PICKLE_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
MOST_SHOWN = 100
"""The number of characters of a value that a message shows."""
MOST_PACKED = 1 << 28
"""The number of bytes that a packed file of a tokenizer may have when it is unpacked."""
HUB_FILES = ["*.json", "*.txt", "*.model", "*.spm", "*.safetensors"]


class PickleWarning(UserWarning):
    """The warning that weights were read from a pickle, with PyTorch's loader for bare tensors."""


def is_hub_name(name: str | Path) -> bool:
    """Whether a name is that of a model on the Hugging Face hub."""
    return str(name).startswith(HUB)


def find_folder(name: str | Path, *, revision: str = "main") -> Path:
    """Find a folder on this machine: `name` itself; or a copy from the hub, of `hf:Helsinki-NLP/opus-mt-en-de`.

    Args:
        revision: a branch, tag or commit of the hub.
    Raises:
        ModelFolderError: the hub has no such model, or cannot be reached.
        MissingExtraError: `huggingface_hub` is not installed.
    """
    if not is_hub_name(name):
        return Path(name)
    asked = Path(name).as_posix().removeprefix(HUB)
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError
    except ImportError as error:
        raise MissingExtraError(f"{name} (a model of the Hugging Face hub)", "convert") from error
    try:
        folder = Path(snapshot_download(asked, revision=revision, allow_patterns=HUB_FILES))
        if not any(folder.glob("*.safetensors")):
            folder = Path(snapshot_download(asked, revision=revision, allow_patterns=[*HUB_FILES, "*.bin"]))
    except (RepositoryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError, ValueError, OSError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ModelFolderError(
            f"{name} must be a model on the Hugging Face hub, or in its local cache; got: {reason}"
        ) from error
    return folder


def unpacked(path: Path) -> BufferedIOBase:
    """Open a file, whose name ends in `.gz` if it is packed."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def read_small(path: Path) -> bytes:
    """The content of a file, packed by gzip or not; a packed one may have `MOST_PACKED` bytes.

    Raises:
        ModelFolderError: it cannot be read or unpacked, or has more.
    """
    try:
        with unpacked(path) as stream:
            content = stream.read(MOST_PACKED + 1) if path.suffix == ".gz" else stream.read()
    except (OSError, EOFError, zlib.error) as error:
        raise ModelFolderError(f"{path} must be a whole file; got: {error}.") from error
    if path.suffix == ".gz" and len(content) > MOST_PACKED:
        raise ModelFolderError(f"{path} must have at most {MOST_PACKED:,} bytes when it is unpacked; it has more.")
    return content


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file.

    Raises:
        ModelFolderError: it is missing or no JSON object, or a key stands twice.
    """
    try:
        content = read_unique(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelFolderError(f"{path} must be a file; got: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelFolderError(f"{path} must be JSON; got: {error}. Is it whole?") from error
    if not isinstance(content, dict):
        raise ModelFolderError(f"{path} must hold a JSON object; got {type(content).__name__}.")
    return content


def read_optional(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file, or an empty one where there is no file."""
    return read_json(path) if path.is_file() else {}


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Read all tensors of a folder as Hugging Face writes it, in one file or in several with an index.

    Raises:
        ModelFolderError: there are none, a file is missing or damaged, or a pickle holds more than tensors.
    """
    for file, index, read in ((SAFE, SAFE_INDEX, read_safetensors), (PICKLE, PICKLE_INDEX, _read_pickle)):
        if (folder / file).is_file():
            return read(folder / file)
        if (folder / index).is_file():
            parts = read_json(folder / index).get("weight_map")
            if not isinstance(parts, dict) or not all(isinstance(part, str) for part in parts.values()):
                raise ModelFolderError(f"{folder / index} must say which file each tensor is in; it does not.")
            names = sorted({Path(part).name for part in parts.values()})  # never a path that leads out of the folder
            return {name: tensor for part in names for name, tensor in read(folder / part).items()}
    found = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) if folder.is_dir() else "no folder"
    raise ModelFolderError(f"{folder} must hold weights: {SAFE} or {PICKLE}; got {found}.")


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Read all tensors of a file.

    Raises:
        ModelFolderError: it is missing or damaged.
    """
    try:
        return safetensors.torch.load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelFolderError(f"{path} must be a whole safetensors file; got: {error}.") from error


def _read_pickle(path: Path) -> dict[str, Tensor]:
    warnings.warn(
        f"{path.name} is a pickle: only bare tensors are read from it, no code is run. Prefer safetensors.",
        PickleWarning,
        stacklevel=2,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pickles that PyTorch did not write, before it refuses them
            content = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, OSError, EOFError, ValueError, KeyError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ModelFolderError(f"{path} must be a pickle of bare tensors; got: {reason} It was not run.") from error
    content = content.get("state_dict", content) if isinstance(content, dict) else content
    if not isinstance(content, dict) or not all(isinstance(tensor, Tensor) for tensor in content.values()):
        raise ModelFolderError(f"{path} must be a pickle of bare tensors by name; got something else.")
    for name, tensor in content.items():  # a view can make one number look like a billion
        if tensor.layout != torch.strided or tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
            raise ModelFolderError(f"{path}: {name} must hold all the numbers of its shape, {tuple(tensor.shape)}.")
    return content


class ForeignConfig:
    """A foreign configuration: values with their defaults, and a refusal of those that we cannot represent.

    It records which keys were asked for. Of the others nobody knows what they change (`refuse_others`).

    Args:
        inside: whether the configuration is part of the file of the weights, where nobody can edit it.
    """

    def __init__(self, values: dict[str, Any], where: Path | str, *, inside: bool = False) -> None:
        self.values, self.where, self._inside = values, where, inside
        self._asked: set[str] = set()
        self._places: dict[str, Path | str] = {}

    def overlay(self, other: ForeignConfig, keys: Iterable[str]) -> None:
        """Take the values of some keys from another file where they are not null; messages about them name that file."""
        for key in keys:
            if other.values.get(key) is not None:
                self.values[key], self._places[key] = other.values[key], other.place(key)

    def place(self, key: str) -> Path | str:
        """The file that the value of a key is from."""
        return self._places.get(key, self.where)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key; `default` where it is missing or null.

        Raises:
            ModelFolderError: it is of another type than the default.
        """
        value = self._value(key)
        if value is None:
            return default
        return value if default is None else self._of(type(default), key, value)

    def id(self, key: str, default: Any = None) -> Any:
        """The id of a token; `default` where the key is missing or null.

        Raises:
            ModelFolderError: it is no whole number from 0.
        """
        value = self._value(key)
        return default if value is None else self.ids(key, [value])[0]

    def ids(self, key: str, values: Iterable[Any]) -> list[int]:
        """The ids of tokens that stand in the value of a key.

        Raises:
            ModelFolderError: one is no whole number from 0.
        """
        found = list(values)
        for value in found:
            if type(value) is not int or value < 0:
                raise ModelFolderError(
                    f"{self.place(key)}: {key} must be an id of the vocabulary, from 0; got {_abridged(value)}."
                )
        return found

    def require(self, key: str, kind: type = int) -> Any:
        """The value of a key that must be there.

        Raises:
            ModelFolderError: it is not there, or of another type than `kind`.
        """
        if (value := self._value(key)) is None:
            raise ModelFolderError(f"{self.where} must have the key {key}; it does not.")
        return self._of(kind, key, value)

    def _value(self, key: str) -> Any:
        self._asked.add(key)
        return self.values.get(key)

    def _of(self, kind: type, key: str, value: Any) -> Any:
        is_right = isinstance(value, (int, float) if kind is float else kind)
        if not is_right or (isinstance(value, bool) and kind in (int, float)):
            raise ModelFolderError(f"{self.place(key)}: {key} must be of type {kind.__name__}; got {value!r}.")
        return value

    def choose(self, key: str, choices: dict[Any, Any], default: Any) -> Any:
        """The value of ours that a key's value means.

        Raises:
            ModelFolderError: it means nothing; the message lists what does.
        """
        value = self.get(key, default) if isinstance(default, str) else self.get(key)
        value = default if value is None else value
        if not isinstance(value, Hashable) or value not in choices:
            hint = nearest_hint(value, choices) if isinstance(value, str) else ""
            allowed = ", ".join(str(choice) for choice in choices)
            raise ModelFolderError(f"{self.place(key)}: {key} must be one of {allowed}; got {value!r}. {hint}".rstrip())
        return choices[value]

    def refuse_unless(self, key: str, allowed: Any, default: Any = None) -> None:
        """Make sure that a key has the one value that we can represent.

        Raises:
            ModelFolderError: it has another.
        """
        value = self._value(key)
        value = default if value is None else value
        if value is not None and value != allowed:
            raise ModelFolderError(
                f"{self.place(key)}: {key} must be {allowed!r} to be represented in Regard; got {value!r}."
            )

    def refuse_others(self, without_effect: Collection[str]) -> None:
        """Make sure that no key is set that was not asked for: nobody knows what it changes.

        Args:
            without_effect: keys that do not change what a model computes.
        Raises:
            ModelFolderError: one is, with a value that is not null, false or empty.
        """
        for key, value in self.values.items():
            if key in self._asked or key in without_effect or value is None or value is False or value in ("", [], {}):
                continue
            off = "false" if value is True else "null"
            remedy = "please report it with this message" if self._inside else "remove it from the file"
            raise ModelFolderError(
                f"{self.place(key)}: {key} must be {off} to be represented in Regard; got {_abridged(value)}. "
                f"If it does not change what the model computes, {remedy}."
            )

    def same(self, key: str, other: str) -> Any:
        """The value of two keys that must agree, as we keep them as one."""
        first, second = self.require(key), self.require(other)
        if first != second:
            raise ModelFolderError(
                f"{self.place(key)}: {key} and {other} must be equal to be represented in Regard; got {first} and {second}."
            )
        return first

    def refuse_difference(self, key: str, encoder: object, decoder: object) -> None:
        """Make sure that encoder and decoder agree in a setting, as we keep one for both.

        Raises:
            ModelFolderError: they do not.
        """
        if encoder != decoder:
            raise ModelFolderError(
                f"{self.place(key)}: {key} must be equal in encoder and decoder to be represented in Regard; got {encoder!r} and "
                f"{decoder!r}."
            )


def _abridged(value: object) -> str:
    """A value of a JSON file in a message."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
