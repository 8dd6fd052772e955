"""Work ahead of its use: batches while a model computes, in a thread, or where they take long to make, in processes; ids of
large corpora, in processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Any, TypeVar

import torch
from torch.utils.data import DataLoader, Dataset

from regard.data.batch import with_tensors
from regard.errors import DataError, RegardError
from regard.processors import num_allowed

RELEASED_EVERY = 8
"""The number of batches after which memory maps are released."""
MOST_PROCESSES = 8
AHEAD = 2
"""The number of batches that each process makes ahead of their use."""
T = TypeVar("T")
Planned = TypeVar("Planned")


def releasing(items: Iterator[T], release: Callable[[], None]) -> Iterator[T]:
    """Pass the items on; memory maps are released every now and then."""
    for number, item in enumerate(items, start=1):
        if number % RELEASED_EVERY == 0:
            release()
        yield item


def prefetch(items: Iterator[T]) -> Generator[T, None, None]:
    """Pass the items on; the next one is prepared in a thread while one is used."""
    with ThreadPoolExecutor(1) as maker:
        coming: Future[T | None] = maker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = maker.submit(next, items, None)
            yield item


def pinned(batch: T) -> T:
    """A batch in memory that a GPU reads while Python goes on: `non_blocking` copies from other memory wait. Batches of one's
    own that are no dataclasses stay as they are.
    """
    if not is_dataclass(batch) or isinstance(batch, type):
        return batch
    return with_tensors(batch, torch.Tensor.pin_memory)


def num_loading_processes(device: torch.device, processes_of_machine: int = 1) -> int:
    """The number of processes that make batches for a model on a device: 0 for a CPU, which has no time to spare for
    them, and where this process cannot have others.

    Args:
        processes_of_machine: how many train on this machine, and share its processors.
    """
    if device.type == "cpu" or not _can_fork():
        return 0
    return max(0, min(MOST_PROCESSES, num_allowed() // processes_of_machine - 1))


def num_encoding_processes() -> int:
    """The number of processes that encode a corpus while nothing else runs; 0: this one encodes it."""
    # Apple's libraries do not survive a fork while they are used.
    can_fork = _can_fork() and sys.platform == "linux"
    return min(MOST_PROCESSES, num_allowed()) if can_fork and num_allowed() > 1 else 0


def _can_fork() -> bool:
    """Whether this process can have copies of itself."""
    return "fork" in multiprocessing.get_all_start_methods() and not multiprocessing.current_process().daemon


def map_in_processes(
    make: Callable[[Planned], T],
    plan: Iterator[Planned],
    num_processes: int = 0,
    release: Callable[[], None] = lambda: None,
) -> Iterator[T]:
    """Apply `make` to each item of a plan, and yield the results in its order.

    Args:
        num_processes: that make results ahead; 0: each is made when it is asked for. They are copies of this process, and must
            not touch a GPU. Python's threads would take turns.
        release: gives back memory maps that `make` reads, in the process that calls it.
    """
    if not num_processes:
        return releasing(map(make, plan), release)
    loader: Any = DataLoader(
        _PlanDataset(make, release),
        batch_size=None,
        sampler=releasing(plan, release),
        num_workers=num_processes,
        prefetch_factor=AHEAD,
        multiprocessing_context="fork",
        worker_init_fn=_leave_process_group,
        collate_fn=_as_it_is,
        generator=torch.Generator(),  # else it would draw from the generator that dropout draws from
    )
    # The processes begin here, not in the thread of `prefetch`, which would be gone in them, and missed.
    with _tokenizers_of_one_thread():
        return _until_closed(iter(loader))


@contextmanager
def _tokenizers_of_one_thread() -> Iterator[None]:
    """Let processes that begin here use no threads of tokenizers, which a copy of a process does not have."""
    name, before = "TOKENIZERS_PARALLELISM", os.environ.get("TOKENIZERS_PARALLELISM")
    os.environ[name] = "false"
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _until_closed(items: Iterator[Any]) -> Iterator[Any]:
    """Pass the items on; an error among them is raised. When this generator is closed, the processes behind it end.

    Raises:
        DataError: a process was killed.
    """
    try:
        while (item := next(items, None)) is not None:
            if isinstance(item, RegardError):
                raise item
            yield item
    except RuntimeError as error:
        if "DataLoader worker" not in str(error):
            raise
        raise DataError(
            f"processes that prepare data must not be killed; got: {str(error).splitlines()[0]} This is so where memory is used "
            "up: they have a copy of what this process changes."
        ) from error
    finally:
        del items


class _PlanDataset(Dataset[Any]):
    """The items of a plan as `DataLoader` asks for them."""

    def __init__(self, make: Callable[[Any], Any], release: Callable[[], None]) -> None:
        self._make, self._release, self._count = make, release, 0

    def __getitem__(self, planned: Any) -> Any:
        self._count += 1
        if self._count % RELEASED_EVERY == 0:
            self._release()
        try:
            return self._make(planned)
        except RegardError as error:  # to be raised as it is; DataLoader would put a traceback into its message
            return error


def _as_it_is(batch: T) -> T:
    return batch


def _leave_process_group(number: int) -> None:
    """Move a worker out of the group of processes that Ctrl-C and torchrun's signals reach; the process that trains
    decides what they mean.
    """
    os.setpgid(0, 0)
