"""`regard serve` for a long time, under everything that clients do; ends by itself, with 0 only if all held.

    python benchmarks/soak.py [MODEL SOURCE] [--minutes 60] [--requests N] [--clients 16] [--connections 500] [--json]

Without MODEL, a tiny one is trained. SOURCE is a text file with a sentence per line. What is done is listed in `KINDS`;
`--kinds steady` does that alone. Everything keeps to 127.0.0.1. The server is a process of its own.

It fails if an answer is wrong, or later than `--bound` seconds; at any status of 5xx; at a traceback in the server's log; if
memory grows, after the first `--warm` requests, by more than 20 MB per 100,000 requests (20 MB, where there are fewer; runs
of less than ten times `--warm` are not judged); if files or threads stay open; or if the server, after SIGTERM, does not
answer what it has accepted and exit with 0. oneDNN keeps what it has compiled for up to 1,024 shapes, which takes memory for the
first 10,000 requests or more: `ONEDNN_PRIMITIVE_CACHE_CAPACITY=64` keeps that apart from a leak.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import soak_clients as clients
from soak_clients import Expected, Idle, Load
from soak_http import Connection, Tally

KINDS = {
    "steady": "one sentence at a time, compared with `translate`",
    "breaking": "connections that are broken off in every way, or fall silent",
    "mistaken": "texts that are too long, bodies that are too large or invalid",
    "bursts": "more sentences at once than may wait",
    "slow": "large answers that are read slowly",
    "reloads": "SIGHUP every few seconds",
    "idle": "open connections that say nothing",
}
QUEUE = 400
"""Sentences that may wait: few, so that a burst exceeds them."""
MEMORY_STEP, REQUESTS_STEP = 20.0, 100_000
"""Memory may grow by so many MB in so many requests."""
SPARE_FILES, SPARE_THREADS, EXIT_SECONDS = 8, 12, 60.0
WORDS = """a the two red big old my your dog cat bird horse child man woman plays sleeps runs sings waits near under over with
house tree river garden road"""
BROKEN_LOG = re.compile(r"Traceback|never retrieved|Exception in|could not be loaded anew|decoding failed")


def made_pairs(number: int, seed: int) -> list[tuple[str, str]]:
    """Sentences of three to seven words, and the same with each word reversed."""
    chance, words_known, found = random.Random(seed), WORDS.split(), []
    for _ in range(number):
        words = [chance.choice(words_known) for _ in range(chance.randint(3, 7))]
        found.append((" ".join(words).capitalize() + ".", " ".join(word[::-1] for word in words) + " ."))
    return found


def make_model(folder: Path) -> None:
    """Train a model so small that it answers hundreds of requests per second, each sentence with another translation."""
    import regard

    pairs = made_pairs(3000, seed=1)
    with contextlib.redirect_stderr(sys.stderr), contextlib.redirect_stdout(sys.stderr):
        regard.train(
            pairs[:-50], folder, valid=pairs[-50:], steps=200, batch_tokens=1024, learning_rate=0.01, dropout=0.0,
            kind="words", max_positions=60, model_dim=32, ff_dim=64, num_heads=2, num_encoder_layers=1, num_decoder_layers=1,
            device="cpu", seed=1,
        )  # fmt: skip


def expected_answers(model: Path, lines: list[str], number: int) -> Expected:
    """Single sentences whose translations differ, and what `translate` says for each of them alone."""
    import regard
    from regard.documents.sentences import split
    from regard.pipelines.translator import Translator

    translator = regard.load(model, device="cpu")
    assert isinstance(translator, Translator)
    room = translator.max_positions - len(translator.source_tokenizer.frame_source([]))

    def fits(text: str) -> bool:
        return bool(len(translator.source_tokenizer.encode(text)) <= room)

    by_beam: dict[int, dict[str, str]] = {beam: {} for beam in clients.BEAMS}
    seen: set[str] = set()
    for line in dict.fromkeys(lines):
        if len(seen) < number and line.strip() and split(line, "en", fits).sentences == [line]:
            answers = {beam: translator.translate(line, beam_size=beam).text for beam in clients.BEAMS}
            if answers[clients.BEAM] not in seen:
                seen.add(answers[clients.BEAM])
                for beam, text in answers.items():
                    by_beam[beam][line] = text
    if len(seen) < 2:
        raise SystemExit("The source must have at least two sentences with different translations.")
    return Expected(list(by_beam[clients.BEAM]), by_beam)


@dataclass(frozen=True)
class Server:
    """The server's process."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def megabytes(self) -> float:
        """Resident memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def num_files(self) -> int:
        """Open file descriptors."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def num_threads(self) -> int:
        """Threads."""
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/task").iterdir())


@contextlib.contextmanager
def serving(model: Path, folder: Path) -> Iterator[Server]:
    """A server for a model; it is killed if it has not ended."""
    log = folder / "log"
    words = ["serve", f"en-de={model}", "--port", "0", "--queue", str(QUEUE), "--device", "cpu", "--threads", "1"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "regard", *words], stdout=output, stderr=output, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )  # fmt: skip
    try:
        for _ in range(1200):
            if found := re.search(r"http://localhost:(\d+)/", log.read_text()):
                yield Server(process, int(found[1]), log)
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit(f"the server did not begin: {log.read_text()}")
    finally:
        process.kill()
        process.wait()


class Watch:
    """The server's memory, files and threads over time, and the signals that it gets."""

    def __init__(self, server: Server, load: Load, warm: int) -> None:
        self.server, self.load, self.warm, self.begun = server, load, warm, time.monotonic()
        self.start = {"files": server.num_files(), "threads": server.num_threads(), "memory_mb": server.megabytes()}
        self.warm_mb: float | None = None
        """Memory after the first `warm` requests."""
        self.curve: list[tuple[float, int, float, int, int]] = []
        """Seconds, requests, megabytes, files and threads."""
        self.num_reloads = 0

    def look(self) -> None:
        """Note how it is now."""
        server, number = self.server, self.load.tally.num_requests
        seconds = round(time.monotonic() - self.begun, 1)
        self.curve.append((seconds, number, server.megabytes(), server.num_files(), server.num_threads()))
        if self.warm_mb is None and number >= self.warm:
            self.warm_mb = server.megabytes()

    async def until_stop(self, seconds: float, most_requests: int | None) -> None:
        """Look once in a second, and stop the load when its time or its requests are over, or the server is gone."""
        tally = self.load.tally
        while time.monotonic() - self.begun < seconds and (most_requests is None or tally.num_requests < most_requests):
            if self.server.process.poll() is not None:
                tally.fail(f"the server ended with exit status {self.server.process.returncode}")
                break
            self.look()
            await asyncio.sleep(min(1.0, seconds / 20) if most_requests is None else 0.25)
        self.load.stop.set()

    async def reload(self, seconds: float) -> None:
        """Have the models loaded anew, again and again."""
        while not self.load.stop.is_set():
            await self.load.pause(seconds)
            self.server.process.send_signal(signal.SIGHUP)
            self.num_reloads += 1

    def check_growth(self) -> None:
        """Hold the memory at the end against that after the first `warm` requests, if that is long ago."""
        end, number = self.server.megabytes(), self.load.tally.num_requests
        allowed = MEMORY_STEP * max(1.0, number / REQUESTS_STEP)
        if self.warm_mb is not None and number >= 10 * self.warm and end - self.warm_mb > allowed:
            self.load.tally.fail(f"memory grew from {self.warm_mb:.1f} to {end:.1f} MB in {number:,} requests")


async def guarded(load: Load, name: str, work: Coroutine[Any, Any, None]) -> None:
    """Do something; what it raises is a failure, and does not end the others."""
    try:
        await work
    except TimeoutError:
        load.tally.fail(f"{name}: no answer within the bound")
    except Exception as error:  # of any kind: it is told in the summary, and the run fails
        load.tally.fail(f"{name}: {type(error).__name__}: {error}")


async def mixed(load: Load, watch: Watch, idle: Idle, options: argparse.Namespace) -> None:
    """All kinds of clients at once, until the end."""
    work: list[tuple[str, Coroutine[Any, Any, None]]] = []
    if "steady" in options.kinds:
        work += [("steady", clients.steady(load, seed)) for seed in range(options.clients)]
    if "breaking" in options.kinds:
        work += [("breaking", clients.breaking(load, seed)) for seed in range(2)]
        work += [("silent", clients.silent(load)) for _ in range(3)]
    if "mistaken" in options.kinds:
        work.append(("mistaken", clients.mistaken(load)))
    if "bursts" in options.kinds:
        work.append(("bursts", clients.bursts(load, 6.0)))
    if "slow" in options.kinds:
        work += [("slow", clients.slow(load, seed)) for seed in range(2)]
    if "reloads" in options.kinds:
        work.append(("reloads", watch.reload(4.0)))
    if "idle" in options.kinds:
        work.append(("idle", idle.hold()))
    tasks = [asyncio.ensure_future(guarded(load, name, each)) for name, each in work]
    await watch.until_stop(60 * options.minutes, options.requests)
    _, late = await asyncio.wait(tasks, timeout=3 * options.bound)
    for task in late:
        task.cancel()
    if late:
        load.tally.fail(f"{len(late)} clients were not done {3 * options.bound:g} s after the end")
    await guarded(load, "idle", idle.use())


async def settled(load: Load, watch: Watch, num_idle: int) -> None:
    """Wait until the server has nothing left to do; what it still holds then is a leak."""
    server, wrong = watch.server, ["not looked at"]
    for _ in range(100):
        connection = await Connection.open(load.port)
        metrics = (await connection.ask("/metrics", method="GET")).body.decode()
        health = (await connection.ask("/health", method="GET")).content()
        connection.close()
        numbers = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.e+]+)$", metrics, re.M)}
        files, threads = server.num_files() - num_idle, server.num_threads()
        reloaded = server.log.read_text().count("were loaded anew")
        most_files, most_threads = watch.start["files"] + SPARE_FILES, watch.start["threads"] + SPARE_THREADS
        checks = {
            f"{numbers['regard_queue_depth']:g} sentences wait": numbers["regard_queue_depth"] == 0,
            f"{numbers['regard_active_sentences']:g} sentences are decoded": numbers["regard_active_sentences"] == 0,
            f"{files} files are open, at the start {watch.start['files']}": files <= most_files,
            f"{threads} threads run, at the start {watch.start['threads']}": threads <= most_threads,
            f"{reloaded} of {watch.num_reloads} reloads were done": reloaded == watch.num_reloads,
            f"the health is {health}": health == {"status": "ok"},
        }
        if not (wrong := [name for name, holds in checks.items() if not holds]):
            return
        await asyncio.sleep(0.1)
    load.tally.fail(f"the server did not settle: {'; '.join(wrong)}")


async def ended(load: Load, server: Server) -> float:
    """SIGTERM while requests are under way: all that were accepted are answered, and the exit status is 0; the seconds."""
    accepted = asyncio.Semaphore(0)
    tasks = [asyncio.ensure_future(guarded(load, "SIGTERM", clients.last(load, seed, accepted))) for seed in range(8)]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(load.bound):
            for _ in tasks:
                await accepted.acquire()
    started = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    _, late = await asyncio.wait(tasks, timeout=EXIT_SECONDS)
    if late:
        load.tally.fail(f"{len(late)} requests that were accepted before SIGTERM had no answer")
    try:
        status = await asyncio.to_thread(server.process.wait, EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        status = None
    if status != 0:
        load.tally.fail(f"the exit status after SIGTERM was {status}")
    return time.monotonic() - started


async def soak(server: Server, expected: Expected, options: argparse.Namespace) -> dict[str, Any]:
    """The whole run: what was measured, and what failed."""
    load = Load(server.port, expected, Tally(), queue=QUEUE, bound=options.bound)
    watch = Watch(server, load, options.warm)
    tally, idle = load.tally, Idle(load, options.connections)
    await mixed(load, watch, idle, options)
    seconds = time.monotonic() - watch.begun
    answered = tally.num_requests
    exit_seconds = None
    if server.process.poll() is None:
        await guarded(load, "settling", settled(load, watch, len(idle.connections)))
        watch.look()
        watch.check_growth()
        exit_seconds = round(await ended(load, server), 2)
    for connection in idle.connections:
        connection.close()
    if found := BROKEN_LOG.search(log := server.log.read_text()):
        tally.fail(f"the server's log has: {log[max(0, found.start() - 200) : found.start() + 2000]}")
    memory = {"start": watch.start["memory_mb"], f"after_{options.warm}": watch.warm_mb, "end": watch.curve[-1][2]}
    return {
        "ok": not tally.num_failures, "num_failures": tally.num_failures, "failures": tally.failures,
        "requests": answered, "seconds": round(seconds, 1), "per_second": round(answered / seconds, 1),
        "by_status": tally.by_status(), "answers": dict(sorted(tally.statuses.items())),
        "events": dict(sorted(tally.events.items())), "reloads": watch.num_reloads,
        "median_ms": round(tally.rank(0.5), 1), "p99_ms": round(tally.rank(0.99), 1), "longest_ms": round(tally.rank(1), 1),
        "memory_mb": {name: None if value is None else round(value, 1) for name, value in memory.items()},
        "files": {"start": watch.start["files"], "most": max(row[3] for row in watch.curve), "end": watch.curve[-1][3]},
        "threads": {"start": watch.start["threads"], "most": max(row[4] for row in watch.curve), "end": watch.curve[-1][4]},
        "longest_gap_s": round(max((b[0] - a[0] for a, b in pairwise(watch.curve)), default=0.0), 1),
        "idle_connections": len(idle.connections), "exit_status": server.process.poll(), "exit_seconds": exit_seconds,
        "curve": watch.curve,
    }  # fmt: skip


def summary(found: dict[str, Any]) -> str:
    """What was measured, for people, in lines of 80 characters."""
    rows: list[tuple[str, object]] = [
        ("requests answered", f"{found['requests']:,} in {found['seconds']:,} s, {found['per_second']} per second"),
        ("by status", ", ".join(f"{status}: {number:,}" for status, number in found["by_status"].items())),
        *((name, f"{number:,}") for name, number in {**found["answers"], **found["events"]}.items()),
        ("reloads (SIGHUP)", found["reloads"]),
        ("idle connections", found["idle_connections"]),
        ("steady clients", f"median {found['median_ms']} ms, 99 % in {found['p99_ms']} ms, all in {found['longest_ms']} ms"),
        *((name, ", ".join(f"{when.replace('_', ' ')} {value}" for when, value in found[key].items()))
          for name, key in (("memory, MB", "memory_mb"), ("open files", "files"), ("threads", "threads"))),
        ("this program was held up", f"{found['longest_gap_s']} s at most, between two samples"),
        ("exit after SIGTERM", f"status {found['exit_status']}, after {found['exit_seconds']} s"),
    ]  # fmt: skip
    step = max(1, len(found["curve"]) // 10)
    rows += [
        ("memory over time", f"{row[0]:8.1f} s {row[1]:9,} requests {row[2]:8.1f} MB") for row in found["curve"][::step]
    ]
    lines = [f"{name:<40} {value}" if len(f"{value}") < 40 else f"{name:<20} {value}" for name, value in rows]
    lines += [f"FAILED: {message}" for message in found["failures"]]
    lines.append("all held" if found["ok"] else f"{found['num_failures']} failures")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, nargs="?", help="a model folder; without it, a tiny model is trained")
    parser.add_argument("source", type=Path, nargs="?", help="sentences for the model, one per line")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after this time")
    parser.add_argument("--requests", type=int, help="stop after so many answers, if that is earlier")
    parser.add_argument("--clients", type=int, default=16, help="steady clients")
    parser.add_argument("--connections", type=int, default=500, help="idle connections")
    parser.add_argument("--sentences", type=int, default=100, help="different sentences")
    parser.add_argument("--bound", type=float, default=30.0, help="longest time, in seconds, for one sentence")
    parser.add_argument("--warm", type=int, default=1000, help="requests after which memory must not grow")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="what is done; default: all")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON, with every sample of memory")
    options = parser.parse_args()
    if options.model and not options.source:
        parser.error("MODEL needs SOURCE: sentences that it can translate")
    return options


def main() -> int:
    """Make what is missing, run, and print; 0: all held."""
    import torch

    torch.set_num_threads(1)  # a tiny model: a second thread costs more than it brings
    options = parse()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the server inherits it
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, lines = options.model, [source for source, _ in made_pairs(3 * options.sentences, seed=2)]
        if model is None:
            make_model(model := folder / "soak-en-de")
        else:
            lines = options.source.read_text(encoding="utf-8").split("\n")
        expected = expected_answers(model, lines, options.sentences)
        with serving(model, folder) as server:
            found = asyncio.run(soak(server, expected, options))
    print(json.dumps(found) if options.json else summary(found))
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
