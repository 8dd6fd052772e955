"""Distributed training: the processes of a run, their communication, and how a model is divided among them.

`torchrun` starts the processes and sets their ranks in the environment; torch connects them.
"""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor, nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor, distribute_tensor

from regard.errors import SettingsError, TrainingError

Thing = TypeVar("Thing")
LOST = ("connection closed", "connection reset", "broken pipe", "timed out", "nccl error", "gloo")
"""The words in the errors of libraries when another process has ended."""
NUMBERS = ("WORLD_SIZE", "RANK", "LOCAL_RANK", "MASTER_PORT")
"""The variables that `torchrun` sets, besides MASTER_ADDR."""
EXCHANGED = 1 << 25
"""The largest number of values that are exchanged at once, if there are several tensors."""
LONGEST_WAIT = timedelta(hours=24)
"""The longest wait for another process between steps. In a step, torch's own timeout holds."""


@dataclass(frozen=True)
class World:
    """The processes of a run, and the place of this one among them."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    """The rank of this process among those of its machine."""
    talk: dist.ProcessGroup | None = None
    """The process group used between steps, when encoding or validation may take hours."""

    @property
    def is_main(self) -> bool:
        """Whether this is the process that prints and writes."""
        return self.rank == 0

    def sums(self, *values: float) -> list[float]:
        """Add each value up over all processes."""
        if self.size == 1:
            return list(values)
        total = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(total, group=self.talk)  # not by the GPUs, which would end all their work before
        return total.tolist()

    def summed(self, value: Float[Tensor, ""]) -> Float[Tensor, ""]:
        """Add a number up over all processes, on their devices: no process waits for its own."""
        if self.size > 1:
            dist.all_reduce(value)
        return value

    def average(self, tensors: Sequence[Tensor]) -> None:
        """Put the mean over all processes into each tensor, many of them in one exchange."""
        waiting = list(tensors) if self.size > 1 else []
        while waiting:
            sizes = itertools.accumulate(tensor.numel() for tensor in waiting)
            count = max(1, sum(size <= EXCHANGED for size in sizes))
            part, waiting = waiting[:count], waiting[count:]
            together = torch.cat([tensor.flatten() for tensor in part]) / self.size
            dist.all_reduce(together)
            pieces = together.split([tensor.numel() for tensor in part])
            torch._foreach_copy_(part, [piece.view_as(tensor) for piece, tensor in zip(pieces, part, strict=True)])

    def broadcast(self, thing: Thing) -> Thing:
        """The main process's value, sent to all."""
        if self.size == 1:
            return thing
        things: list[Any] = [thing]
        dist.broadcast_object_list(things, src=0, group=self.talk)
        return things[0]

    def gather(self, thing: Thing) -> list[Thing]:
        """The values of all processes, in the order of their ranks."""
        if self.size == 1:
            return [thing]
        things: list[Any] = [None] * self.size
        dist.all_gather_object(things, thing, group=self.talk)
        return things

    def wait(self) -> None:
        """Wait for all processes, however long one of them writes."""
        if self.size > 1:
            dist.barrier(group=self.talk)

    @contextmanager
    def first_on_each_machine(self) -> Iterator[None]:
        """Run the block in the first process of each machine before the others, which find its files."""
        if self.local_rank:
            self.wait()
        yield
        if not self.local_rank:
            self.wait()


ALONE = World()


@contextmanager
def joined_world(device: str = "auto") -> Iterator[World]:
    """Join the processes that `torchrun` started; a world of one without it. Once connected, they stay so until they
    end.

    Raises:
        TrainingError: the others cannot be reached, or were not started by `torchrun`.
        SettingsError: there is no GPU for this one.
    """
    if os.environ.get("WORLD_SIZE") in (None, "", "1"):
        yield ALONE
        return
    told = {name: os.environ.get(name, "") for name in (*NUMBERS, "MASTER_ADDR")}
    if wrong := [
        f"{name}={value}" for name, value in told.items() if not (value.isdecimal() if name in NUMBERS else value)
    ]:
        raise TrainingError(
            f"several processes must be started by torchrun, which sets {', '.join(told)}; got {', '.join(wrong)}."
        )
    size, rank, local_rank = (int(told[name]) for name in NUMBERS[:3])
    world = World(rank, size, local_rank)
    with reporting_lost_process(world):
        yield replace(world, talk=_connected(world, on_gpu=device != "cpu" and torch.cuda.is_available()))


@cache
def _connected(world: World, *, on_gpu: bool) -> dist.ProcessGroup:
    """Connect the processes. Returns the process group used between steps; a step uses torch's default group."""
    if on_gpu:
        if world.local_rank >= (count := torch.cuda.device_count()):
            raise SettingsError(
                f"each process on a machine needs a GPU of its own; got {world.local_rank + 1} processes for {count}. Start "
                "fewer (`--nproc-per-node`), or add `--device cpu`."
            )
        torch.cuda.set_device(world.local_rank)
    if not dist.is_initialized():
        gpu = (
            torch.device("cuda", world.local_rank) if on_gpu else None
        )  # told now, it connects now, and not in the first step
        dist.init_process_group("nccl" if on_gpu else "gloo", device_id=gpu)
        atexit.register(_leave)
    try:
        return dist.new_group(backend="gloo", timeout=LONGEST_WAIT)
    except RuntimeError as error:
        raise TrainingError(
            f"processes must reach each other through gloo to synchronize; got: {error}. Set GLOO_SOCKET_IFNAME to the "
            "network interface to use."
        ) from error


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def end_at_once(status: int) -> None:
    """End a process of several with an exit status; nothing, if it is one alone.

    A thread of gloo may free a tensor while Python shuts down, for which it needs Python: the process is then aborted
    ("terminate called without an active exception"), after all its work was done. So Python does not shut down.
    """
    if dist.is_initialized():
        _leave()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


@contextmanager
def reporting_lost_process(world: World, step: Callable[[], int] = lambda: 0) -> Iterator[None]:
    """Turn the libraries' errors about a lost process into a `TrainingError`.

    Raises:
        TrainingError: another process of the run has ended.
    """
    try:
        yield
    except RuntimeError as error:
        if world.size == 1 or not any(word in str(error).lower() for word in LOST):
            raise
        raise TrainingError(
            f"all {world.size} processes of a run must keep running; process {world.rank} lost another one at step "
            f"{step() + 1:,}. That process printed the reason. What was saved is intact: restart all with `--resume`."
        ) from error


def replicated(module: nn.Module) -> nn.Module:
    """Copy a module to each process; gradients become the mean over processes while they are computed (DDP)."""
    with warnings.catch_warnings():  # torch 2.13 renamed the argument; earlier versions do not know the new name
        warnings.filterwarnings("ignore", "`broadcast_buffers` is deprecated", FutureWarning)
        return nn.parallel.DistributedDataParallel(module, broadcast_buffers=False, gradient_as_bucket_view=True)


def sharded(module: nn.Module, dtype: torch.dtype, methods: tuple[str, ...] = ()) -> nn.Module:
    """Divide the float32 weights of a module among the processes; each layer's are put together while it computes
    (FSDP2).

    Args:
        dtype: of the numbers that layers compute in.
        methods: other methods than `forward` that may be called.
    Raises:
        SettingsError: a family that cannot be divided.
    """
    if any(isinstance(part, nn.RNNBase) for part in module.modules()):
        raise SettingsError("`--shard` needs a Transformer; got a recurrent model. Remove `--shard`.")
    warnings.filterwarnings("ignore", "FSDP2-wrapped module", UserWarning)  # no layer of ours changes what it is given
    policy = MixedPrecisionPolicy(param_dtype=None if dtype == torch.float32 else dtype, reduce_dtype=torch.float32)
    for part in list(module.modules()):
        if isinstance(part, nn.ModuleList):
            for layer in part:
                if (outer := getattr(layer, "cross_attention", None)) is not None:
                    for early in (outer.key_proj, outer.value_proj):  # used before the layer is, to project the source
                        fully_shard(early, mp_policy=policy)
                fully_shard(layer, mp_policy=policy)
    fully_shard(module, mp_policy=policy)
    for method in methods:
        if hasattr(module, method):
            register_fsdp_forward_method(module, method)
    return module


def whole(tensor: Tensor) -> Tensor:
    """Put together a tensor that may be divided among processes; all of them must ask."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


@torch.no_grad()
def put(tensor: Tensor, value: Tensor) -> None:
    """Write a whole value into a tensor that may be divided among processes."""
    if isinstance(tensor, DTensor):
        value = distribute_tensor(value.to(tensor.device, tensor.dtype), tensor.device_mesh, tensor.placements)
    tensor.copy_(value)
