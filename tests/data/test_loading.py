"""Batches that are made ahead: in a thread, and in processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
import regard.extending
from regard.data.augmentation.noise import Noise
from regard.data.batch import Batch
from regard.data.batching import Epochs, training_batches
from regard.data.prefetching import map_in_processes, num_loading_processes, prefetch
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import DataError
from regard.text.locks import lock
from regard.text.segmentation import BpeDropout
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")  # on a machine with one processor
TEXTS = [f"the {size} dogs of number {n} bark" for n in range(40) for size in ("small", "large", "brown")]


def test_the_next_is_made_while_one_is_used() -> None:
    is_made = threading.Event()

    def numbers() -> Iterator[int]:
        yield 0
        is_made.set()
        yield 1
        raise DataError("the third cannot be read")

    found = prefetch(numbers())
    assert not is_made.is_set()
    assert next(found) == 0
    assert is_made.wait(10)  # without being asked for
    assert next(found) == 1
    with pytest.raises(DataError, match="the third"):
        next(found)
    assert list(prefetch(iter(range(5)))) == [0, 1, 2, 3, 4]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXTS, TokenizerConfig(kind="bpe", vocab_size=90))


def batches(tokenizer: Tokenizer, num_processes: int, **where: Any) -> Iterator[Batch]:
    """Batches that processes make ahead: segmented again, with noise."""
    sides = [Sequences.from_lists(tokenizer.encode_batch(TEXTS)) for _ in range(2)]
    cut = BpeDropout(tokenizer, 0.3, 100)
    epochs = Epochs(segmenters=[cut, cut], noise=Noise((0.1,), np.array([len(TEXTS)]), unk_id=1, num_end=0))
    return training_batches(
        EncodedPairs(*sides), 400, 7, epochs, pad_id=0, start_ids=[2], num_processes=num_processes, **where
    )


def same(ours: Batch, theirs: Batch) -> bool:
    pairs = [(getattr(ours, each.name), getattr(theirs, each.name)) for each in fields(ours)]
    return all(torch.equal(x, y) if isinstance(x, torch.Tensor) else x == y for x, y in pairs)


@pytest.mark.parametrize("where", [{}, {"start": (1, 3)}, {"shard": (1, 2)}])
def test_processes_make_the_same_batches(tokenizer: Tokenizer, where: dict[str, Any]) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    plain, ahead = (batches(tokenizer, count, **where) for count in (0, 2))
    for ours, theirs in itertools.islice(zip(prefetch(ahead), plain, strict=False), 60):  # several epochs
        assert same(ours, theirs)
    assert ours.next_cursor[0] > 1
    assert torch.equal(torch.get_rng_state(), before)  # dropout draws from it


def test_a_run_with_processes_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {
        "model": {"model_dim": 16, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1},
        "training": {"steps": 12, "batch_tokens": 300},
        "data": {"bpe_dropout": 0.2},
    }
    pairs = [(text, text.upper()) for text in TEXTS]
    plain = regard.train(pairs, tmp_path / "plain", settings=settings)
    monkeypatch.setattr("regard.runs.run.num_loading_processes", lambda *_: 2)
    ahead = regard.train(pairs, tmp_path / "ahead", settings=settings)
    assert ahead.results["validation_loss"] == plain.results["validation_loss"]
    assert not multiprocessing.active_children()


def test_processes_end_with_their_batches(tokenizer: Tokenizer) -> None:
    found = batches(tokenizer, 2)
    next(found)
    assert len(multiprocessing.active_children()) == 2
    del found
    assert not multiprocessing.active_children()


def test_what_a_process_cannot_make_is_said() -> None:
    def make(number: int) -> int:
        if number == 3:
            raise DataError("the fourth cannot be made")
        return os.getpid()

    found = map_in_processes(make, iter(range(9)), 2)
    assert os.getpid() not in {next(found), next(found), next(found)}
    with pytest.raises(DataError, match=r"^the fourth cannot be made$"):
        next(found)
    assert not multiprocessing.active_children()


def test_signals_to_a_group_do_not_reach_the_processes() -> None:
    """As of Ctrl-C in a terminal, and of torchrun."""
    program = """
import itertools, os, signal, sys
sys.path.insert(0, os.environ["SOURCES"])
from regard.data.prefetching import map_in_processes
signal.signal(signal.SIGTERM, lambda *_: print("asked to end", flush=True))
found = map_in_processes(int, iter(range(1000)), 2)
print(next(found) + next(found), flush=True)  # both have begun
os.killpg(os.getpgid(0), signal.SIGTERM)
print(list(itertools.islice(found, 200))[-1], flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=100, start_new_session=True,
        env={**os.environ, "SOURCES": str(Path(regard.__file__).parents[1])}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.split("\n")[:-1]) == (0, ["1", "asked to end", "201"]), done.stderr


def test_locks_do_not_outlive_a_process_that_is_killed(tmp_path: Path) -> None:
    """Its children are no writers."""
    held = os.open(tmp_path, os.O_RDONLY)
    assert lock(held)
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(30,))
    child.start()
    time.sleep(0.3)
    os.close(held)  # as when this process is killed
    other = os.open(tmp_path, os.O_RDONLY)
    assert lock(other)
    os.close(other)
    child.kill()


def test_a_run_that_fails_leaves_no_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(regard.extending.Callback):
        def on_step(self, progress: Any) -> None:
            raise ValueError("a callback failed")

    monkeypatch.setattr("regard.runs.run.num_loading_processes", lambda *_: 2)
    pairs = [(text, text.upper()) for text in TEXTS]
    sizes: dict[str, Any] = {"model_dim": 16, "ff_dim": 16, "num_heads": 2, "steps": 50, "bpe_dropout": 0.2}
    with pytest.raises(ValueError, match="a callback failed") as kept:
        regard.train(pairs, tmp_path / "model", callbacks=[Failing()], **sizes)
    assert kept.value.__traceback__ is not None  # which holds what the run had
    assert not multiprocessing.active_children()


def test_memory_maps_are_released_by_the_process_that_reads_them() -> None:
    released = multiprocessing.get_context("fork").Value("i", 0)

    def release() -> None:
        with released.get_lock():
            released.value += 1

    assert list(map_in_processes(int, iter(range(40)), 2, release)) == list(range(40))
    assert released.value == 4 + 5  # each made 20; and lengths were read here
    assert list(map_in_processes(int, iter(range(40)), 0, release)) == list(range(40))
    assert released.value == 9 + 5


def test_a_process_that_is_killed_is_said() -> None:
    def make(number: int) -> int:
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(DataError, match=r"must not be killed; got: DataLoader worker .* memory is used up"):
        list(map_in_processes(make, iter(range(20)), 2))


def test_how_many_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(16), raising=False)
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert [
        num_loading_processes(cpu),
        num_loading_processes(gpu),
        num_loading_processes(gpu, 4),
        num_loading_processes(gpu, 16),
    ] == [0, 8, 3, 0]
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
        assert num_loading_processes(gpu) == 0
    monkeypatch.setattr(multiprocessing.current_process(), "_config", {"daemon": True})  # as in a pool of processes
    assert num_loading_processes(gpu) == 0
