"""CTranslate2's files: `model.bin`, which holds the name of a specification and all variables, and the vocabularies.

Quantised weights are read as the numbers that CTranslate2 computes with: integer / scale.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from regard.errors import ModelFolderError

DTYPES = (np.float32, np.int8, np.int16, np.int32, np.float16, np.uint16)
"""The types of numbers, by CTranslate2's codes; the last are the bits of bfloat16."""
BFLOAT16 = 5


def read_variables(path: Path) -> tuple[str, dict[str, np.ndarray]]:
    """Read the name of the specification and all variables of a `model.bin`; aliases are the same arrays again.

    Raises:
        ModelFolderError: the file is cut off, or of a version that nobody has written.
    """
    content = path.read_bytes()
    at = 0

    def take(form: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from(f"<{form}", content, at)
        at += struct.calcsize(f"<{form}")
        return int(value)

    def text() -> str:
        nonlocal at
        length = take("H")
        at += length
        if at > len(content):
            raise ValueError("cut off")
        return content[at - length : at - 1].decode("utf-8")

    variables: dict[str, np.ndarray] = {}
    try:
        version = take("I")
        if not 2 <= version <= 6:
            raise ModelFolderError(f"{path} must be of binary version 2 to 6; got {version}.")
        name, _revision = text(), take("I")
        for _ in range(take("I")):
            variable = text()
            shape = tuple(take("I") for _ in range(take("B")))
            kind = take("B")
            if version >= 4:
                dtype, num_bytes = np.dtype(DTYPES[kind]), take("I")
            else:
                dtype = np.dtype({4: np.float32, 2: np.int16, 1: np.int8}[kind])
                num_bytes = take("I") * dtype.itemsize
            array = np.frombuffer(content, dtype, count=num_bytes // dtype.itemsize, offset=at).reshape(shape)
            at += num_bytes
            is_half = version >= 4 and kind == BFLOAT16
            variables[variable] = (array.astype(np.uint32) << 16).view(np.float32) if is_half else array
        if version >= 3:
            for _ in range(take("I")):
                alias, target = text(), text()
                variables[alias] = variables[target]
                if f"{target}_scale" in variables:
                    variables[f"{alias}_scale"] = variables[f"{target}_scale"]
    except (struct.error, ValueError, KeyError, IndexError, UnicodeDecodeError) as error:
        raise ModelFolderError(f"{path} must be a whole CTranslate2 model; got: {error}.") from error
    return name, variables


def kinds_of(variables: Mapping[str, np.ndarray]) -> set[str]:
    """The types of numbers of the matrices."""
    return {str(array.dtype) for name, array in variables.items() if name.endswith("/weight") and array.ndim == 2}


def notes_on_types(variables: Mapping[str, np.ndarray]) -> list[str]:
    """Notes for users on weights that are not stored as we read them."""
    kinds = kinds_of(variables)
    if "int8" in kinds:
        return ["weights were int8; `--to regard-int8` writes them so"]
    return [f"weights were {', '.join(sorted(kinds))}; they are float32 now"] if kinds != {"float32"} else []


def dequantized(variables: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """The weights among the variables, as float32.

    Raises:
        ModelFolderError: scales do not suit.
    """
    tensors = {}
    for name, array in variables.items():
        if array.ndim == 0 or name.endswith("_scale"):
            continue
        scale = variables.get(f"{name}_scale")
        numbers = array.astype(np.float32)
        if scale is not None:
            numbers = numbers / _factors(scale, array, name)
        tensors[name] = torch.from_numpy(np.ascontiguousarray(numbers))
    return tensors


def _factors(scale: np.ndarray, array: np.ndarray, name: str) -> np.ndarray:
    """The numbers that a quantised weight is divided by, of each row or of all.

    Raises:
        ModelFolderError: they are not as many as rows, or cannot be divided by.
    """
    if scale.ndim and scale.shape != array.shape[:1]:
        raise ModelFolderError(f"{name}_scale must have one number, or {len(array)}; got shape {scale.shape}.")
    factors = scale.astype(np.float32)
    if not (np.isfinite(factors) & (factors > 0)).all():
        wrong = factors[~(np.isfinite(factors) & (factors > 0))].flat[0]
        raise ModelFolderError(f"{name}_scale must hold finite numbers above 0; got {wrong:g}. The file is damaged.")
    return factors.reshape(-1, *([1] * (array.ndim - 1))) if scale.ndim else factors


def read_vocabulary(folder: Path, side: str, size: int, unk: str) -> list[str]:
    """Read the tokens of one side; the unknown one, where the file does not have it, is the last, as CTranslate2 has
    it.

    Raises:
        ModelFolderError: there is no file, or it has another number of tokens than the model.
    """
    tokens = vocabulary_tokens(folder, side)
    if len(tokens) == size - 1 and unk not in tokens:
        tokens = [*tokens, unk]
    if len(tokens) != size:
        raise ModelFolderError(f"{folder}: the {side} vocabulary must have {size} tokens; got {len(tokens)}.")
    return tokens


def vocabulary_tokens(folder: Path, side: str) -> list[str]:
    """The tokens that a folder lists for one side, `source` or `target`; a decoder alone has one list."""
    for name in (f"{side}_vocabulary", "shared_vocabulary", "vocabulary"):
        if (folder / f"{name}.json").is_file():
            tokens = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
                raise ModelFolderError(f"{folder / name}.json must be a list of tokens; it is not.")
            return tokens
        if (folder / f"{name}.txt").is_file():
            return (folder / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    raise ModelFolderError(f"{folder} must hold {side}_vocabulary.json or .txt, or shared_vocabulary; it does not.")
