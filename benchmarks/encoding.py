"""Large corpora of pairs: the time, memory and bytes that their vocabulary, their ids and a second start take.

    python benchmarks/encoding.py --pairs 300000 --processes 1 2
    python benchmarks/encoding.py --pairs 20000000 --processes 2 --work FOLDER   # 6 GB there; removed at the end
    python benchmarks/encoding.py --words train.en train.de                      # their words, not made-up ones

Pairs of 5 to 15 words are written, drawn independently with frequencies by Zipf's law, the same for the same seed. Then
each step runs in a process of its own, by the functions that `regard train` calls (`encoding_steps.py`). `--processes`
gives it so many processors to run on, which decide how many processes encode. At the end, what is stored is compared with
the text, and a small corpus is damaged. Linux only. The status is 1 where something differs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from encoding_steps import VOCABULARY
from regard.processors import num_allowed, usage

STEPS = Path(__file__).with_name("encoding_steps.py")
LEAST_WORDS, MOST_WORDS = 5, 15
MADE_UP, LETTERS = 20_000, "abcdefghijklmnopqrstuvwxyz"
WRITTEN_AT_ONCE = 1 << 16
SAMPLE = 1_000
SAMPLED_SECONDS = 0.25
PLACES = (0.25, 0.5, 0.75, 0.95)
"""The parts of a step after which its memory is noted."""
LARGE_BYTES = 1 << 26
"""The number of bytes of text above which `regard train` stores ids, as docs/training.md says."""


def words_of(path: Path | None, seed: int) -> list[str]:
    """Different words, frequent ones first: those of a file, or made-up ones."""
    if path is not None:
        with path.open(encoding="utf-8") as lines:
            return [word for word, _ in Counter(word for line in lines for word in line.split()).most_common()]
    rng = np.random.default_rng(seed)
    letters = np.array(list(LETTERS))
    found: dict[str, None] = {}
    while len(found) < MADE_UP:
        found["".join(rng.choice(letters, rng.integers(1, 12)))] = None
    return list(found)


def write_lines(path: Path, words: list[str], num_lines: int, seed: int) -> None:
    """Write lines of random words, the n-th of them 1 / n times as often as the first."""
    rng, table = np.random.default_rng(seed), np.array(words, dtype=object)
    sums = np.cumsum(1 / np.arange(1, len(words) + 1))
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for begin in range(0, num_lines, WRITTEN_AT_ONCE):
            ends = np.cumsum(rng.integers(LEAST_WORDS, MOST_WORDS + 1, min(WRITTEN_AT_ONCE, num_lines - begin)))
            drawn = table[np.searchsorted(sums, rng.random(ends[-1]) * sums[-1], side="right")].tolist()
            starts = [0, *ends.tolist()]
            stream.writelines(" ".join(drawn[start:end]) + "\n" for start, end in itertools.pairwise(starts))


class Memory:
    """The memory of a process and of those that it begins, looked at again and again, in MB."""

    def __init__(self, pid: int) -> None:
        self._pid, self._began, self._is_done = pid, time.monotonic(), threading.Event()
        self.main, self.worker = (dict.fromkeys(("resident", "unshared", "mapped"), 0.0) for _ in range(2))
        """The most that the process had, and any of those that it began: all, what no other process has, and of that what
        files hold as well, so that the system can take it back.
        """
        self.curve: list[tuple[float, float, float]] = []
        """The second, the unshared memory of the process, and all memory, with what is shared counted once."""
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> None:
        self._is_done.set()
        self._thread.join()

    def along(self) -> list[list[float]]:
        """The own and all memory at some places of the time."""
        last = self.curve[-1][0] if self.curve else 0
        return [list(next(row for row in self.curve if row[0] >= place * last)[1:]) for place in PLACES if self.curve]

    def _watch(self) -> None:
        while not self._is_done.wait(SAMPLED_SECONDS):
            total, own = 0.0, 0.0
            for pid in [self._pid, *children(self._pid)]:
                found = memory_of(pid)
                kept = self.main if pid == self._pid else self.worker
                mapped = found.get("Private_Clean", 0)
                unshared = mapped + found.get("Private_Dirty", 0)
                for kind, amount in (("resident", found.get("Rss", 0)), ("unshared", unshared), ("mapped", mapped)):
                    kept[kind] = max(kept[kind], amount)
                own = unshared if pid == self._pid else own
                total += found.get("Pss", 0)
            if own:
                self.curve.append((time.monotonic() - self._began, own, total))


def children(pid: int) -> list[int]:
    """The processes that a process has begun."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in path.read_text().split()]
        except OSError:  # the thread has ended
            continue
    return found


def memory_of(pid: int) -> dict[str, float]:
    """The memory of a process in MB, by Linux's names; empty where it has ended."""
    try:
        rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]]
    except OSError:
        return {}
    return {row[0].removesuffix(":"): int(row[1]) * 1024 / 1e6 for row in rows}


def measured(command: list[str], cache: Path) -> tuple[str, dict[str, Any]]:
    """Run a command; what it printed, and the time and memory that it took.

    Raises:
        SystemExit: it failed.
    """
    before, began = usage(), time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        environment = {**os.environ, "REGARD_CACHE": str(cache)}
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment, text=True)
        memory = Memory(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # so that /proc has it until nobody looks
        memory.stop()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds, after = time.monotonic() - began, usage()
        output.seek(0)
        text = output.read()
    if status:
        raise SystemExit(f"failed: {' '.join(command)}\n{text}")
    others = 0.0
    if before is not None and after is not None:
        others = (after.busy - before.busy - (after.own - before.own) - used.ru_utime - used.ru_stime) / seconds
    return text, {
        "whole_seconds": seconds,
        "processors_of_others": max(0.0, others),
        "main": memory.main,
        "worker": memory.worker,
        "memory_along": memory.along(),
    }


class Bench:
    """A corpus in a folder, the steps that read it, and what went wrong."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._folder, self.cache = folder, folder / "cache"
        self._paths = {side: folder / f"{side}.txt" for side in ("source", "target")}
        self.failures: list[str] = []
        self._options = options

    def write(self) -> dict[str, Any]:
        """Write the text."""
        began = time.monotonic()
        for number, path in enumerate(self._paths.values()):
            words = words_of(self._options.words[number] if self._options.words else None, number)
            write_lines(path, words, self._options.pairs, seed=number)
        return {
            "seconds": time.monotonic() - began,
            "bytes": sum(path.stat().st_size for path in self._paths.values()),
        }

    def step(self, name: str, processes: int, **given: Any) -> dict[str, Any]:
        """Run a step with so many processors."""
        print(f"--- {name}, on {processes} of the processors", file=sys.stderr, flush=True)
        paths = {side: str(path) for side, path in self._paths.items()}
        asked = json.dumps({**paths, **given, "processes": processes, "began": time.time()})
        text, taken = measured([sys.executable, str(STEPS), name, asked], self.cache)
        return {**json.loads(text.splitlines()[-1]), **taken}

    def expect(self, is_so: bool, message: str) -> None:
        if not is_so:
            self.failures.append(message)

    def encode(self) -> list[dict[str, Any]]:
        """Encode with each number of processes; only the last result is kept."""
        runs, digests = [], set()
        for processes in self._options.processes:
            shutil.rmtree(self.cache / "corpora", ignore_errors=True)
            run = self.step("encode", processes)
            self.expect(run["pairs"] == self._options.pairs, f"{run['pairs']:,} pairs were stored")
            if len(self._options.processes) > 1:
                run["stored_digest"] = self.step("check", 1, sample=1)["stored_digest"]
                digests.add(run["stored_digest"])
            runs.append({"processes": processes, **run})
        self.expect(len(digests) <= 1, "other numbers of processes stored other bytes")
        return runs

    def forget(self) -> None:
        """Let the system forget what it holds of the files, so that they are read from the disk."""
        for path in [*self._paths.values(), *self.cache.rglob("*")]:
            if path.is_file():
                with path.open("r+b") as stream:
                    os.fsync(stream.fileno())
                    os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def check(self, learnt: dict[str, Any], started: dict[str, Any]) -> dict[str, Any]:
        """Compare what is stored with the text."""
        found = self.step("check", 1, sample=SAMPLE)
        self.expect(found["key"] == started["key"], "another process found another digest of text and vocabulary")
        self.expect(learnt["digests"] == started["digests"], "the text had another digest at the second start")
        self.expect(found["folders"] == [found["key"]], f"the cache holds {', '.join(found['folders'])}")
        self.expect(found["are_sizes_right"], "files have other sizes than were recorded")
        self.expect(not found["wrong"], f"{found['wrong']} of {2 * found['sampled']} texts were decoded to others")
        return found

    def damage(self) -> dict[str, Any]:
        """Damage a small corpus. A start must notice files that are too short or changed, and another text."""
        (folder := self._folder / "damaged").mkdir()
        cache, self.cache = self.cache, folder / "cache"
        found = self.step("damage", 1, folder=str(folder))
        self.cache = cache
        for name in ("cut", "byte", "text"):
            self.expect(found[name]["is_noticed"] and found[name]["are_ids_right"], f"damage not noticed: {name}")
        return found

    def train(self) -> dict[str, Any] | None:
        """Let `regard train` begin on the same text; None: it is too small to be stored."""
        if sum(path.stat().st_size for path in self._paths.values()) <= LARGE_BYTES:
            return None
        print("--- regard train --dry-run", file=sys.stderr, flush=True)
        valid = [str(self._folder / f"valid.{side}") for side in self._paths]
        for path, whole in zip(valid, self._paths.values(), strict=True):
            with whole.open("rb") as lines:
                Path(path).write_bytes(b"".join(line for line, _ in zip(lines, range(100), strict=False)))
        command = [sys.executable, "-m", "regard", "train", *map(str, self._paths.values()), "--valid", *valid]
        command += ["-o", str(self._folder / "model"), "--dry-run", "--threads", "1", "--set", "tokenizer.kind=bpe"]
        _, taken = measured([*command, "--set", f"tokenizer.vocab_size={VOCABULARY}"], self.cache)
        num_stored = len(list((self.cache / "corpora").iterdir()))
        self.expect(num_stored == 1, "`regard train` stored other ids than these steps")
        return taken


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure everything, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="encoding-", dir=options.work) as name:
        bench, most = Bench(Path(name), options), max(options.processes)
        found: dict[str, Any] = {"pairs": options.pairs, "processors": num_allowed(), "text": bench.write()}
        found["learn"] = bench.step("learn", most)
        found["encode"] = bench.encode()
        bench.forget()
        found["cold_start"] = bench.step("start", most)
        found["start"] = bench.step("start", most)
        found["check"] = bench.check(found["learn"], found["start"])
        found["train"] = bench.train()
        found["damage"] = bench.damage()
    return {**found, "failures": bench.failures, "ok": not bench.failures}


def time_rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The rows of text, time and bytes."""
    text, learn, cold, start, check = (found[name] for name in ("text", "learn", "cold_start", "start", "check"))
    pairs = found["pairs"]
    rows = [
        ("pairs", f"{pairs:,}"),
        ("text", f"{text['bytes'] / 1e9:.3f} GB, {text['bytes'] / pairs:.0f} bytes a pair"),
        ("digest of the text", f"{learn['digest_seconds']:.1f} s"),
        (f"learning a vocabulary of {learn['vocabulary']:,}", f"{learn['seconds']:.1f} s"),
    ]
    for run in found["encode"]:
        own, others = run["main_processor_seconds"], run["worker_processor_seconds"]
        rows.append((f"encoding, processes: {run['processes']}", f"{run['seconds']:.1f} s"))
        rows.append(("  processors' time", f"{own + others:.1f} s, {own:.1f} s of it in the main process"))
    rows += [
        ("stored", f"{check['bytes'] / 1e9:.3f} GB, {check['bytes'] / pairs:.1f} bytes a pair"),
        ("tokens a pair", f"{check['tokens'][0] / pairs:.1f} and {check['tokens'][1] / pairs:.1f}"),
        ("second start: corpus after", f"{start['seconds']:.1f} s"),
        ("  of it, digest of the text", f"{start['digest_seconds']:.1f} s"),
        ("  of it, finding what is stored", f"{start['found_seconds']:.2f} s"),
        ("  with no file in memory", f"{cold['seconds']:.1f} s, digest {cold['digest_seconds']:.1f} s"),
        ("choosing the pairs", f"{start['select_seconds']:.2f} s"),
        ("first batch of an epoch after", f"{start['first_batch_seconds']:.2f} s"),
        ("planning the whole epoch", f"{start['plan_seconds']:.1f} s, {start['batches']:,} batches"),
    ]
    if found["train"]:
        rows.append(("regard train --dry-run", f"{found['train']['whole_seconds']:.1f} s, all in all"))
    return rows


def memory_rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The rows of memory, and of the processors that other programs had meanwhile."""
    steps = [("vocabulary", found["learn"])]
    steps += [(f"encoding, {run['processes']}", run) for run in found["encode"]]
    steps += [("second start", found["start"]), ("regard train", found["train"])]
    rows = []
    for name, step in steps:
        if step:
            peaks = [step["main"], *([step["worker"]] if step.get("workers") else [])]
            said = (f"{peak['resident']:.0f} ({peak['unshared']:.0f}, {peak['mapped']:.0f})" for peak in peaks)
            rows.append((name, "; ".join(said)))
            rows.append(
                ("  along the way", ", ".join(f"{own:.0f} of {all_:.0f}" for own, all_ in step["memory_along"]))
            )
            rows.append(("  processors of others", f"{step['processors_of_others']:.2f} of {found['processors']}"))
    return rows


def summary(found: dict[str, Any]) -> str:
    """What was measured, for people, in lines of 80 characters."""
    check, damage = found["check"], found["damage"]
    said = {True: "noticed", False: "NOT noticed"}
    right = 2 * check["sampled"] - check["wrong"]
    checks = [
        ("texts decoded to themselves", f"{right:,} of {2 * check['sampled']:,}"),
        ("digest of what is stored", f"{check['stored_digest'][:16]}, takes {check['stored_digest_seconds']:.1f} s"),
        ("a stored file a byte shorter", said[damage["cut"]["is_noticed"]]),
        ("a stored byte changed", said[damage["byte"]["is_noticed"]]),
        ("a byte of the text changed", said[damage["text"]["is_noticed"]]),
    ]
    lines = [f"{name:<34}{value}" for name, value in time_rows(found)]
    lines += ["", "largest memory in MB (unshared, of files): main process; each worker", "along"]
    lines[-1] += f" {', '.join(f'{place:.0%}' for place in PLACES)} of the time: unshared of main, all together"
    lines += [f"{name:<34}{value}" for name, value in memory_rows(found)]
    lines += ["", *(f"{name:<34}{value}" for name, value in checks)]
    lines += [f"FAILED: {message}" for message in found["failures"]]
    lines.append("all held" if found["ok"] else f"{len(found['failures'])} failures")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300_000)
    parser.add_argument(
        "--work", type=Path, help="folder with room for 300 bytes a pair; default: that of temporary files"
    )
    parser.add_argument("--words", type=Path, nargs=2, help="text of the two languages whose words are drawn")
    parser.add_argument("--processes", type=int, nargs="+", default=[num_allowed()], help="default: one a processor")
    parser.add_argument("--json", action="store_true", help="print what was measured as JSON")
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        parser.error("memory is read from /proc, which only Linux has")
    if not 1 <= min(options.processes) <= max(options.processes) <= num_allowed():
        parser.error(f"--processes must be from 1 to the {num_allowed()} processors that this process may use")
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    return options


def main() -> int:
    """Measure and print; 0: all held."""
    options = parse()
    found = run(options)
    print(json.dumps(found) if options.json else summary(found))
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
