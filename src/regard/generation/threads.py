"""CPU threads: parallel work, and the limits of a forked process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from threading import Barrier, Lock, local

import torch

from regard.errors import RegardError

_setting_threads = Lock()
_started = local()
_is_forked = False


def num_threads() -> int:
    """PyTorch's threads, as the calling thread has them."""
    return torch.get_num_threads()


def available_threads() -> int:
    """The number of threads that a call of the layers in C may use: those of all threads that were started together. C
    takes one less for each other call that is under way.
    """
    return getattr(_started, "num_threads", None) or torch.get_num_threads()


@contextmanager
def starting(num_workers: int, num_threads: int) -> Iterator[Callable[[], None]]:
    """While some threads are started: what each of them calls first, and gets its share of PyTorch's threads by.

    Args:
        num_threads: of PyTorch, for all of them, and for threads that are started later.
    """
    share = max(num_threads // num_workers, 1)
    all_set = Barrier(num_workers + 1)

    def begin() -> None:
        torch.get_num_threads()  # a thread's first question sets its number to that for threads to come
        torch.set_num_threads(share)
        _started.num_threads = num_threads
        all_set.wait()

    # PyTorch keeps the number for threads to come beside each thread's own: it is put back before any work begins.
    with _setting_threads:
        yield begin
        all_set.wait()
        torch.set_num_threads(num_threads)


@contextmanager
def side_by_side(num_workers: int) -> Iterator[Callable[[Sequence[Callable[[], None]]], None]]:
    """A function that runs several functions in parallel, each in a thread with its share of PyTorch's threads.

    The threads have the caller's context variables, so that hooks which the caller has set (`nn/hooks.py`) hold in them, too.
    """
    with ThreadPoolExecutor(num_workers) as pool:

        def run(work: Sequence[Callable[[], None]]) -> None:
            with starting(num_workers, torch.get_num_threads()) as begin:
                begun = [pool.submit(begin) for _ in range(num_workers)]
            for future in begun:
                future.result()
            contexts = [copy_context() for _ in work]
            futures = [pool.submit(context.run, piece) for context, piece in zip(contexts, work, strict=True)]
            for future in futures:
                future.result()

        yield run


def check_after_fork() -> None:
    """Make sure that a forked process does not wait for threads that were left behind in its parent.

    Raises:
        RegardError: the process was forked, and PyTorch is to use several threads in it.
    """
    if _is_forked and torch.get_num_threads() > 1:
        raise RegardError(
            f"a forked process must use one PyTorch thread, because PyTorch's threads do not survive a fork; got "
            f"{torch.get_num_threads()}. Remove torch.set_num_threads, or start processes with "
            "multiprocessing.get_context('spawn')."
        )


def prepare_to_fork() -> None:
    """Use one thread of PyTorch from now on, so that the process can be forked: called before anything is computed."""
    torch.set_num_threads(1)


def begin_forked(num_threads: int) -> None:
    """Let a process use several threads of PyTorch that was forked of one which was prepared for it."""
    global _is_forked
    _is_forked = False
    torch.set_num_threads(num_threads)


def _after_fork() -> None:
    global _is_forked
    _is_forked = True
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork)
