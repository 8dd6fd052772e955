"""A reader of Marian's binary files, `model.bin`: tensors of float32, and of bytes as Mozilla's models for Firefox have them.

All numbers are little-endian:

    version, count            64 bits each; the version is 1
    count headers             of each tensor 64 bits each: length of the name, type, number of sizes, length of the data
    names, sizes              names end in a zero byte; a size has 32 bits
    offset, offset bytes      up to a multiple of 256
    data                      of each tensor, in the same order; some have bytes behind them that mean nothing

A matrix of type intgemm8 is stored transposed, an embedding table as it is. The number behind the bytes is what the
matrix was multiplied by before it was rounded. Source: browsermt/marian-dev, `common/binary.cpp`,
`tensors/cpu/expression_graph_packable.h` and `integer_common.h`.
"""

from __future__ import annotations

import gzip
import math
import os
import struct
import zlib
from collections.abc import Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from regard.errors import ModelFolderError, printable
from regard.foreign_files import unpacked
from regard.memory import free_bytes

VERSION = struct.pack("<Q", 1)
MOST_TENSORS, MOST_BYTES_OF_NAME, MOST_SIZES, MOST_OFFSET = 1 << 16, 1 << 10, 8, 1 << 16
"""Far above any file that there is; so that nothing large is made for a number that is wrong."""
PORTION = 1 << 20
"""The number of bytes that are read together."""
FLOATS: dict[int, np.dtype[Any]] = {0x0402: np.dtype("<f2"), 0x0404: np.dtype("<f4"), 0x0408: np.dtype("<f8")}
INTGEMM: dict[int, np.dtype[Any]] = {0x4101: np.dtype("<i1"), 0x4102: np.dtype("<i2")}
"""The types of quantized matrices that are the same for all processors."""
TEXT = 0x0101
"""The type of the options, bytes."""
FLOAT32 = np.dtype("<f4")
EMBEDDING = "Wemb"
"""The part of the name of an embedding table, which is not transposed."""
SCALES = "_QuantMultA"
"""The end of the name of a number that scales what a matrix is multiplied with, for products of bytes."""


class _Header(NamedTuple):
    """A tensor's name, type and sizes."""

    name: str
    type: int
    sizes: tuple[int, ...]
    num_bytes: int
    """The length of its data, with what is behind it."""

    @property
    def num_values(self) -> int:
        """The number of its numbers."""
        return math.prod(self.sizes)


def is_binary(path: Path) -> bool:
    """Whether a file is a Marian binary, packed by gzip or not, as far as its first bytes say."""
    if not path.name.endswith((".bin", ".bin.gz")):
        return False
    try:
        with unpacked(path) as stream:
            return stream.read(len(VERSION)) == VERSION
    except (OSError, EOFError, zlib.error):
        return False


def read_binary(path: Path) -> dict[str, np.ndarray]:
    """Read all tensors of a file: in float32, but for bytes such as those of the options.

    Raises:
        ModelFolderError: it is cut off, its numbers contradict each other, it does not fit into memory, or a tensor is of a
            type that is made for one kind of processor.
    """
    try:
        with unpacked(path) as stream:
            headers = _headers(stream, path)
            _check_sizes(headers, stream, path)
            tensors = {header.name: _tensor(header, stream, path) for header in headers}
            if stream.read(1):
                raise ModelFolderError(f"{path} must end after its last tensor; more follows. Is it whole?")
    except (OSError, EOFError, zlib.error) as error:
        raise ModelFolderError(f"{path} must be a whole Marian binary; got: {error}.") from error
    if len(tensors) != len(headers):
        raise ModelFolderError(f"{path} must hold each tensor once; one stands twice.")
    return tensors


def _read(stream: BufferedIOBase, count: int, path: Path) -> bytes:
    """So many bytes, a portion at a time: room is made only for those that are there."""
    portions = []
    while count:
        portions.append(stream.read(min(count, PORTION)))
        if not portions[-1]:
            raise ModelFolderError(f"{path} must be a whole Marian binary; it ends too early.")
        count -= len(portions[-1])
    return b"".join(portions)


def _numbers(stream: BufferedIOBase, count: int, path: Path, code: str = "Q") -> tuple[int, ...]:
    return struct.unpack(f"<{count}{code}", _read(stream, count * struct.calcsize(f"<{code}"), path))


def _at_most(what: str, number: int, most: int, path: Path) -> int:
    if number > most:
        raise ModelFolderError(f"{path}: {what} must be at most {most:,}; got {number:,}. Is it whole?")
    return number


def _headers(stream: BufferedIOBase, path: Path) -> list[_Header]:
    """Everything before the data."""
    version, count = _numbers(stream, 2, path)
    if version != 1:
        raise ModelFolderError(f"{path} must be a Marian binary of version 1; got {version}.")
    _at_most("the number of tensors", count, MOST_TENSORS, path)
    heads = [_numbers(stream, 4, path) for _ in range(count)]
    names = []
    for length, *_ in heads:
        spelled = _read(stream, _at_most("the length of a name", length, MOST_BYTES_OF_NAME, path), path)
        names.append(printable(spelled.rstrip(b"\0").decode("utf-8", "replace")))
    sizes = [
        _numbers(stream, _at_most(f"the number of sizes of {name}", head[2], MOST_SIZES, path), path, "i")
        for name, head in zip(names, heads, strict=True)
    ]
    (offset,) = _numbers(stream, 1, path)
    _read(stream, _at_most("the offset of the data", offset, MOST_OFFSET, path), path)
    parts = zip(names, heads, sizes, strict=True)
    return [_Header(name, head[1], size, head[3]) for name, head, size in parts]


def _check_sizes(headers: Sequence[_Header], stream: BufferedIOBase, path: Path) -> None:
    """Make sure that the data of each tensor is as long as its sizes need, and that all of it is there and fits into memory.

    Raises:
        ModelFolderError: it is not.
    """
    for header in headers:
        if any(size < 1 for size in header.sizes):
            raise ModelFolderError(f"{path}: the sizes of {header.name} must be positive; got {header.sizes}.")
        if header.num_bytes < (needed := _needed(header, path)):
            raise ModelFolderError(
                f"{path}: {header.name} of sizes {header.sizes} must have {needed:,} bytes; got {header.num_bytes:,}."
            )
    total = sum(header.num_bytes for header in headers)
    if not isinstance(stream, gzip.GzipFile):
        there = os.fstat(stream.fileno()).st_size - stream.tell()
        if total != there:
            raise ModelFolderError(f"{path} must have {total:,} bytes of data; got {there:,}. Is it whole?")
    wanted = total + sum(FLOAT32.itemsize * header.num_values for header in headers)
    if (free := free_bytes(torch.device("cpu"))) is not None and wanted > free:
        raise ModelFolderError(f"{path} must fit into memory; got {wanted / 1e9:,.1f} GB, of {free / 1e9:,.1f} GB.")


def _needed(header: _Header, path: Path) -> int:
    """The least number of bytes of a tensor's data.

    Raises:
        ModelFolderError: it is of a type that we do not read.
    """
    if header.type == TEXT:
        return header.num_values
    if header.type in FLOATS:
        return header.num_values * FLOATS[header.type].itemsize
    if header.type in INTGEMM:
        return header.num_values * INTGEMM[header.type].itemsize + FLOAT32.itemsize
    raise ModelFolderError(
        f"{path}: {header.name} must be of type float16, float32, float64, intgemm8 or intgemm16; got type "
        f"{header.type:#06x}. Types whose numbers lie as one kind of processor wants them are not read; `marian-conv "
        "--gemm-type intgemm8` writes the other ones."
    )


def _tensor(header: _Header, stream: BufferedIOBase, path: Path) -> np.ndarray:
    content = _read(stream, header.num_bytes, path)
    if header.type == TEXT:
        return np.frombuffer(content, np.int8, header.num_values)
    if header.type in FLOATS:
        return np.frombuffer(content, FLOATS[header.type], header.num_values).reshape(header.sizes).astype(np.float32)
    kind = INTGEMM[header.type]
    integers = np.frombuffer(content, kind, header.num_values)
    (scale,) = np.frombuffer(content, FLOAT32, 1, header.num_values * kind.itemsize)
    if not (math.isfinite(scale) and scale > 0):
        raise ModelFolderError(f"{path}: the scale of {header.name} must be a positive number; got {scale}.")
    values = integers.astype(np.float32) * (np.float32(1) / scale)
    if EMBEDDING in header.name or len(header.sizes) < 2:
        return values.reshape(header.sizes)
    return values.reshape(header.sizes[-1], -1).T.reshape(header.sizes)
