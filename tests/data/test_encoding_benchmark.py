"""The benchmark of large corpora runs, here on a small one, and notices what is stored wrongly."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import encoding
from regard.processors import num_allowed

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "encoding.py"
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")


@pytest.mark.slow
def test_every_step_runs_and_nothing_stays(tmp_path: Path) -> None:
    processes = min(2, num_allowed())
    command = [sys.executable, str(BENCHMARK), "--pairs", "2000", "--processes", str(processes), "--json"]
    done = subprocess.run([*command, "--work", str(tmp_path)], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["ok"], found["failures"], list(tmp_path.iterdir())) == (True, [], [])
    assert [(run["processes"], run["pairs"]) for run in found["encode"]] == [(processes, 2000)]
    for step in (found["learn"], *found["encode"], found["cold_start"], found["start"]):
        assert step["main"]["resident"] > step["main"]["unshared"] > 20
    check, tokens = found["check"], sum(found["check"]["tokens"])
    assert check["bytes"] == 2 * tokens + 8 * (2 * 2001 + 2000)  # ids of 16 bits; offsets and lines of 64
    assert check["sampled"] == 1000
    assert found["train"] is None  # too small
    lines = encoding.summary(found | {"failures": ["of a check"]}).split("\n")
    assert max(map(len, lines)) <= 80
    assert "FAILED: of a check" in lines


def test_lines_are_the_same_again_and_frequent_words_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "WRITTEN_AT_ONCE", 300)
    words = encoding.words_of(None, 1)
    assert len(set(words)) == len(words)
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        encoding.write_lines(tmp_path / name, words, 1000, seed)
    text, again, other = ((tmp_path / name).read_text() for name in ("one", "again", "other"))
    assert text == again != other
    lines = [line.split(" ") for line in text.removesuffix("\n").split("\n")]
    assert len(lines) == 1000
    assert {len(line) for line in lines} == set(range(5, 16))
    (tmp_path / "text").write_text(text)
    assert encoding.words_of(tmp_path / "text", 1)[:2] == words[:2]


RIGHT = {"key": "k", "folders": ["k"], "are_sizes_right": True, "wrong": 0, "sampled": 9}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, None),
        ({"key": "l", "folders": ["l"]}, "another digest of text and vocabulary"),
        ({"folders": ["k", "l"]}, "the cache holds k, l"),
        ({"are_sizes_right": False}, "other sizes"),
        ({"wrong": 2}, "2 of 18 texts"),
    ],
)
def test_what_is_stored_wrongly_is_a_failure(
    wrong: dict[str, Any], message: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = encoding.Bench(tmp_path, argparse.Namespace(pairs=9))
    monkeypatch.setattr(bench, "step", lambda *_, **__: RIGHT | wrong)
    bench.check({"digests": ["d"]}, {"digests": ["d"], "key": "k"})
    assert len(bench.failures) == (message is not None)
    assert message is None or message in bench.failures[0]
