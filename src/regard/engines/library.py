"""The compiled library: finding it, and its structures."""

from __future__ import annotations

import ctypes
import platform
from ctypes import POINTER, Structure, c_char_p, c_double, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

KINDS = {"AVX512": "avx512", "AVX2": "avx2"}
"""What the file of an x86 processor is called, by what PyTorch calls the processor; ATEN_CPU_CAPABILITY changes both."""
ARM = ("arm64", "aarch64")
SUFFIXES = {"Darwin": ".dylib", "Windows": ".dll"}
DTYPES = {torch.float32: 0, torch.bfloat16: 1}
"""Weights may be stored in these; arithmetic is in float32."""


class Linear(Structure):
    """`Linear` of `layers.c`."""

    _fields_ = (
        ("inputs", c_int64), ("outputs", c_int64), ("dtype", c_int64), ("weight", c_void_p), ("bias", c_void_p),
    )  # fmt: skip


class Norm(Structure):
    """`Norm` of `layers.c`."""

    _fields_ = (("kind", c_int64), ("weight", c_void_p), ("bias", c_void_p), ("epsilon", c_double))


class Residual(Structure):
    """`Residual` of `layers.c`."""

    _fields_ = (("before", Norm), ("made", Norm), ("after", Norm))


class Attention(Structure):
    """`Attention` of `layers.c`."""

    _fields_ = (
        ("input", Linear), ("output", Linear), ("num_heads", c_int64), ("num_kv_heads", c_int64), ("head_dim", c_int64),
        ("factor", c_double), ("bias", c_void_p), ("num_distances", c_int64),
    )  # fmt: skip


class Layer(Structure):
    """`Layer` of `layers.c`."""

    _fields_ = (
        ("self_residual", Residual), ("cross_residual", Residual), ("feed_forward_residual", Residual),
        ("self_attention", Attention), ("cross_attention", Attention), ("has_cross_attention", c_int64),
        ("inner", Linear), ("gate", Linear), ("outer", Linear), ("activation", c_int64),
    )  # fmt: skip


class Stack(Structure):
    """`Stack` of `layers.c`."""

    _fields_ = (
        ("num_layers", c_int64), ("model_dim", c_int64), ("rotated", c_int64), ("interleaved", c_int64),
        ("layers", POINTER(Layer)), ("embedding", c_void_p), ("scale", c_double), ("positions", c_void_p),
        ("embedding_norm", Norm), ("last_norm", Norm), ("output", Linear),
    )  # fmt: skip


class Input(Structure):
    """`Input` of `layers.c`."""

    _fields_ = (
        ("num_sentences", c_int64), ("width", c_int64), ("x", c_void_p), ("ids", c_void_p), ("positions", c_void_p),
        ("logits", c_void_p), ("turns", c_void_p), ("workspace", c_void_p),
        ("cells", POINTER(c_void_p)), ("num_cells", c_int64), ("steps", c_void_p), ("descends", c_void_p),
        ("newest", c_void_p), ("step_of", c_void_p), ("source_keys", POINTER(c_void_p)),
        ("source_values", POINTER(c_void_p)), ("source_length", c_int64), ("source_mask", c_void_p),
    )  # fmt: skip


class Library(NamedTuple):
    """The functions of `layers.c`. They let other threads run Python meanwhile."""

    functions: ctypes.CDLL
    panel: int
    """How many outputs of a linear map are packed together."""


class Found(NamedTuple):
    """The library, or why there is none."""

    library: Library | None
    reason: str
    """One sentence for people."""


@cache
def find() -> Found:
    """The library for this processor."""
    return find_in(Path(__file__).parent)


def find_in(folder: Path) -> Found:
    """The library of a folder for this processor."""
    on_arm = platform.machine().lower() in ARM
    kind = "neon" if on_arm else KINDS.get(torch.backends.cpu.get_cpu_capability())
    if kind is None:
        return Found(None, "not written for processors without AVX2")
    path = folder / f"layers-{kind}{SUFFIXES.get(platform.system(), '.so')}"
    if not path.is_file():
        return Found(None, f"not compiled for {kind}; docs/engines.md says how")
    try:
        functions = ctypes.CDLL(str(path))
        functions.regard_source.restype = c_char_p
        functions.regard_panel.restype = functions.regard_row_size.restype = c_int64
        functions.regard_row_size.argtypes = [POINTER(Stack)]
        functions.regard_run.argtypes = [POINTER(Stack), POINTER(Input)]
        functions.regard_linear.argtypes = [POINTER(Linear), c_int64, c_void_p, c_void_p]
        functions.regard_candidates.argtypes = [*[c_int64] * 4, *[c_void_p] * 6]
        functions.regard_run.restype = functions.regard_linear.restype = functions.regard_candidates.restype = None
        return Found(Library(functions, functions.regard_panel()), f"compiled for {kind}")
    except (OSError, AttributeError) as error:
        return Found(None, f"{path.name} cannot be loaded ({error})")
