"""The compiled library: a search for its file, and its structures."""

from __future__ import annotations

import ctypes
import os
import platform
import warnings
from ctypes import POINTER, Structure, c_char_p, c_double, c_int64, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.errors import SettingsError

ON_X86 = ("avx512vnni", "avx512", "avxvnni", "avx2")
ON_ARM = ("i8mm", "dotprod", "neon")
"""The names of the files of a machine, for the newest processors first. The last one, of any processor, knows which of
the others this one can run."""
CPU_VARIABLE = "REGARD_CPU"
"""The environment variable that chooses the file of an older processor for the layers in C alone."""
ARM = ("arm64", "aarch64")
SUFFIXES = {"Darwin": ".dylib", "Windows": ".dll"}
INTEGERS: Any = {"dtype": torch.long, "device": "cpu"}
NUMBERS: Any = {"dtype": torch.float32, "device": "cpu"}
"""The type and device of tensors that C writes to, whatever PyTorch's defaults are."""
WIDTH = 16
"""The number of sums that are computed side by side, on any processor."""
DTYPES = {torch.float32: 0, torch.bfloat16: 1, torch.int8: 2}
"""The types that weights may be stored in."""


class Updates(Structure):
    """The structure `Updates` of `linear.h`."""

    _fields_ = (("num_adapters", c_int64), ("ranks", c_void_p), ("down", c_void_p), ("up", c_void_p))


class Linear(Structure):
    """The structure `Linear` of `linear.h`."""

    _fields_ = (
        ("inputs", c_int64), ("outputs", c_int64), ("dtype", c_int64), ("weight", c_void_p), ("bias", c_void_p),
        ("scales", c_void_p), ("offsets", c_void_p), ("kernel", c_int64), ("updates", POINTER(Updates)),
    )  # fmt: skip


class Norm(Structure):
    """The structure `Norm` of `attention.h`."""

    _fields_ = (("kind", c_int64), ("weight", c_void_p), ("bias", c_void_p), ("epsilon", c_double))


class Residual(Structure):
    """The structure `Residual` of `layers.h`."""

    _fields_ = (("before", Norm), ("made", Norm), ("after", Norm))


class Distances(Structure):
    """The structure `Distances` of `attention.h`."""

    _fields_ = (
        ("window", c_int64), ("num_before", c_int64), ("num_after", c_int64), ("bias", c_void_p),
        ("key_vectors", c_void_p), ("compares_keys", c_int64), ("value_vectors", c_void_p), ("rotated", c_int64),
        ("interleaved", c_int64), ("turns", c_void_p),
    )  # fmt: skip


class Attention(Structure):
    """The structure `Attention` of `attention.h`."""

    _fields_ = (
        ("input", Linear), ("output", Linear), ("num_heads", c_int64), ("num_kv_heads", c_int64), ("head_dim", c_int64),
        ("value_dim", c_int64), ("factor", c_double), ("cap", c_double), ("score_vector", c_void_p),
        ("query_norm", Norm), ("key_norm", Norm), ("distances", Distances),
    )  # fmt: skip


class Layer(Structure):
    """The structure `Layer` of `layers.h`."""

    _fields_ = (
        ("self_residual", Residual), ("cross_residual", Residual), ("feed_forward_residual", Residual),
        ("self_attention", Attention), ("cross_attention", Attention), ("has_cross_attention", c_int64),
        ("is_parallel", c_int64),
        ("recurrence", Linear), ("inner", Linear), ("gate", Linear), ("outer", Linear), ("activation", c_int64),
    )  # fmt: skip


class Stack(Structure):
    """The structure `Stack` of `layers.h`."""

    _fields_ = (
        ("num_layers", c_int64), ("model_dim", c_int64), ("has_turns", c_int64), ("layers", POINTER(Layer)),
        ("embedding", c_void_p), ("num_tokens", c_int64), ("scale", c_double),
        ("positions", c_void_p), ("num_positions", c_int64), ("embedding_norm", Norm), ("last_norm", Norm),
        ("transform", Linear), ("transform_activation", c_int64), ("transform_norm", Norm), ("output", Linear),
        ("logit_cap", c_double),
    )  # fmt: skip


class Input(Structure):
    """The structure `Input` of `layers.h`."""

    _fields_ = (
        ("num_sentences", c_int64), ("width", c_int64), ("num_rows", c_int64), ("rows", c_void_p), ("x", c_void_p),
        ("ids", c_void_p), ("positions", c_void_p), ("logits", c_void_p), ("workspace", c_void_p),
        ("num_threads", c_int64), ("adapters", c_void_p), ("cells", POINTER(c_void_p)), ("states", POINTER(c_void_p)),
        ("num_cells", c_int64),
        ("step", c_int64), ("steps", c_void_p), ("first_step", c_void_p), ("ancestry", c_void_p), ("newest", c_void_p),
        ("step_of", c_void_p), ("source_keys", POINTER(c_void_p)), ("source_values", POINTER(c_void_p)),
        ("source_length", c_int64), ("source_mask", c_void_p),
    )  # fmt: skip


class Cell(Structure):
    """The structure `Cell` of `recurrent.h`."""

    _fields_ = (("input", Linear), ("hidden", Linear), ("is_lstm", c_int64))


class Recurrent(Structure):
    """The structure `Recurrent` of `recurrent.h`."""

    _fields_ = (
        ("embedding", c_void_p), ("num_tokens", c_int64), ("model_dim", c_int64), ("scale", c_double),
        ("attention", Attention), ("cell", Cell), ("readout", Linear), ("output", Linear),
    )  # fmt: skip


class RecurrentInput(Structure):
    """The structure `RecurrentInput` of `recurrent.h`."""

    _fields_ = (
        ("num_sentences", c_int64), ("width", c_int64), ("num_rows", c_int64), ("rows", c_void_p), ("ids", c_void_p),
        ("hidden", c_void_p), ("cell", c_void_p), ("logits", c_void_p), ("keys", c_void_p), ("memory", c_void_p),
        ("source_length", c_int64), ("source_mask", c_void_p), ("workspace", c_void_p), ("num_threads", c_int64),
    )  # fmt: skip


class Candidates(Structure):
    """The structure `Candidates` of `search.c`."""

    _fields_ = (("best", c_void_p), ("parents", c_void_p), ("ids", c_void_p), ("added", c_void_p))


class Search(Structure):
    """The structure `Search` of `search.c`."""

    _fields_ = (
        ("num_sentences", c_int64), ("beams", c_int64), ("vocab_size", c_int64), ("room", c_int64), ("end_id", c_int64),
        ("lengths", c_void_p), ("limits", c_void_p), ("minima", c_void_p), ("prefix_room", c_int64),
        ("prefixes", c_void_p), ("num_banned", c_int64), ("banned", c_void_p), ("newest", c_void_p),
        ("scores", c_void_p), ("ids", c_void_p), ("token_log_probs", c_void_p), ("logits", c_void_p),
        ("totals", c_void_p),
        ("parents", c_void_p), ("num_ended", c_int64), ("ended", c_void_p), ("ended_scores", c_void_p),
        ("ended_ids", c_void_p), ("ended_log_probs", c_void_p), ("num_blocked", c_int64), ("is_blocked", c_void_p),
        ("loop_tokens", c_int64), ("longest_block", c_int64), ("num_repeating", c_int64), ("num_undefined", c_int64),
        ("most_steps", c_int64), ("interrupt", c_void_p), ("most_ended", c_int64), ("num_steps", c_int64),
        ("is_open", c_void_p), ("num_best", c_int64), ("stops_early", c_int64), ("normalizers", c_void_p),
        ("num_finished", c_void_p), ("best_finished", c_void_p),
        ("candidates", Candidates), ("old_ids", c_void_p), ("old_log_probs", c_void_p), ("old_ancestry", c_void_p),
        ("old_states", c_void_p), ("rows", c_void_p),
    )  # fmt: skip


def address(x: Tensor, dtype: torch.dtype = torch.float32) -> int:
    """The address of a tensor's numbers for C, which cannot ask what they are and reads them one after the other.

    The caller holds the tensor until C has returned: a copy that has no name is gone before C reads it.

    Raises:
        SettingsError: they are of another dtype, on another device, or do not lie so.
    """
    if x.dtype is not dtype or not x.is_cpu or not x.is_contiguous():
        kind = "" if x.is_contiguous() else ", not contiguous"
        raise SettingsError(
            f"a tensor for the layers in C must be contiguous, {dtype} and on the CPU; got {x.dtype} on {x.device}{kind}. "
            "Take engine=torch."
        )
    return x.data_ptr()


class PointedTensors:
    """Tensors, and structures, whose memory other structures point to."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.structures: list[Structure] = []

    def keep(self, other: PointedTensors) -> None:
        """Keep what another one keeps."""
        self.tensors += other.tensors
        self.structures += other.structures

    def pointer(self, x: Tensor | None, dtype: torch.dtype = torch.float32) -> int | None:
        """The address of a tensor, which is kept from now on."""
        if x is None:
            return None
        self.tensors.append(x.detach().to("cpu", dtype).contiguous())
        return address(self.tensors[-1], dtype)


class Library(NamedTuple):
    """The functions of the code in C. They let other threads run Python meanwhile."""

    functions: ctypes.CDLL
    panel: int
    """The number of outputs of a linear map that are packed together."""


class LibraryWarning(RuntimeWarning):
    """The warning that the library is there and cannot be loaded."""


class FoundLibrary(NamedTuple):
    """The library, or the reason why there is none."""

    library: Library | None
    reason: str
    """A sentence for people."""
    is_broken: bool = False
    """Whether there is a file that cannot be loaded."""


@cache
def find() -> FoundLibrary:
    """Find the library for this processor. A library that is there and cannot be loaded is warned of, once."""
    found = find_in(Path(__file__).parent)
    if found.is_broken:
        warnings.warn(
            f"models are decoded and trained by PyTorch alone, which is slower: {found.reason}. Compile the code in C again: "
            "docs/engines.md says how.",
            LibraryWarning,
            stacklevel=2,
        )
    return found


def find_in(folder: Path) -> FoundLibrary:
    """Find the library of a folder for this processor, or the older one that REGARD_CPU names.

    Raises:
        SettingsError: REGARD_CPU names something else.
    """
    on_arm = platform.machine().lower() in ARM
    capability = torch.backends.cpu.get_cpu_capability()
    if not on_arm and capability not in ("AVX512", "AVX2"):
        return FoundLibrary(None, "not written for processors without AVX2")
    kinds = ON_ARM if on_arm else ON_X86 if capability == "AVX512" else ON_X86[2:]
    found = _open(folder, kinds[-1])
    if found.library is None:
        return found
    can_run = found.library.functions.regard_can_run
    usable = [kind for kind in kinds if can_run(kind.encode()) and _path(folder, kind).is_file()]
    is_held_back = capability == "AVX2" and can_run(b"avx512")
    chosen = os.environ.get(CPU_VARIABLE) or (kinds[-1] if is_held_back else usable[0])
    if chosen not in usable:
        raise SettingsError(f"{CPU_VARIABLE} must be {' or '.join(usable)} on this processor; got {chosen!r}.")
    return found if chosen == kinds[-1] else _open(folder, chosen)


def _path(folder: Path, kind: str) -> Path:
    return folder / f"layers-{kind}{SUFFIXES.get(platform.system(), '.so')}"


def _open(folder: Path, kind: str) -> FoundLibrary:
    """The library of a folder for a kind of processor."""
    path = _path(folder, kind)
    if not path.is_file():
        return FoundLibrary(None, f"not compiled for {kind}; docs/engines.md says how")
    try:
        functions = ctypes.CDLL(str(path))
        functions.regard_source.restype = c_char_p
        functions.regard_panel.restype = functions.regard_workspace_size.restype = c_int64
        functions.regard_room_of_map.restype = c_int64
        functions.regard_can_run.argtypes, functions.regard_can_run.restype = [c_char_p], c_int64
        functions.regard_search_steps.restype = functions.regard_recurrent_search_steps.restype = c_int64
        functions.regard_run_recurrent.restype = functions.regard_recurrent_workspace_size.restype = c_int64
        functions.regard_room_of_reading.restype, functions.regard_read.restype = c_int64, None
        for function in (functions.regard_sample, functions.regard_is_sample):
            function.restype, function.argtypes = c_int64, [c_int64, *[c_void_p] * 4]
        functions.regard_workspace_size.argtypes = [POINTER(Stack), POINTER(Input)]
        functions.regard_room_of_map.argtypes = [POINTER(Linear)]
        functions.regard_run.argtypes = [POINTER(Stack), POINTER(Input)]
        functions.regard_linear.argtypes = [POINTER(Linear), c_int64, *[c_void_p] * 3, c_int64, c_void_p]
        functions.regard_log_softmax.argtypes = [c_int64, c_int64, c_void_p, c_void_p]
        functions.regard_candidates.argtypes = [*[c_int64] * 4, c_void_p, c_void_p, Candidates]
        functions.regard_advance.argtypes = [POINTER(Search)]
        functions.regard_search_steps.argtypes = [POINTER(Stack), POINTER(Input), POINTER(Search)]
        functions.regard_run_recurrent.argtypes = [POINTER(Recurrent), POINTER(RecurrentInput)]
        functions.regard_recurrent_workspace_size.argtypes = functions.regard_run_recurrent.argtypes
        functions.regard_recurrent_search_steps.argtypes = [*functions.regard_run_recurrent.argtypes, POINTER(Search)]
        functions.regard_room_of_reading.argtypes = [POINTER(Cell), c_int64]
        functions.regard_read.argtypes = [
            POINTER(Cell), *[c_int64] * 3, c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_int64,
        ]  # fmt: skip
        functions.regard_drop.argtypes = [*[c_int64] * 2, *[c_void_p] * 3, c_uint64, c_int64, c_double, c_int64]
        functions.regard_loss.argtypes = [
            *[c_int64] * 3, *[c_void_p] * 3, c_double, c_void_p, c_int64, c_void_p, c_int64,
        ]  # fmt: skip
        functions.regard_drop.restype, functions.regard_loss.restype = None, c_int64
        functions.regard_run.restype, functions.regard_linear.restype = c_int64, None
        functions.regard_log_softmax.restype = functions.regard_candidates.restype = (
            functions.regard_advance.restype
        ) = None
        _use_team(functions)
        return FoundLibrary(Library(functions, functions.regard_panel()), f"compiled for {kind}")
    except (OSError, AttributeError) as error:
        return FoundLibrary(None, f"{path.name} cannot be loaded ({error})", is_broken=True)


def _use_team(functions: ctypes.CDLL) -> None:
    """Let C share the work of training with PyTorch's own threads, where these are of an OpenMP library with GCC's interface."""
    program = ctypes.CDLL(None) if os.name == "posix" else None
    fork, number = (getattr(program, name, None) for name in ("GOMP_parallel", "omp_get_thread_num"))
    functions.regard_use_team.restype, functions.regard_use_team.argtypes = None, [c_void_p, c_void_p]
    if fork is not None and number is not None:
        functions.regard_use_team(ctypes.cast(fork, c_void_p), ctypes.cast(number, c_void_p))
