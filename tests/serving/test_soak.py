"""The long test of the server, made short; and that it notices a wrong answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import soak_clients
from soak_http import Reply, Tally

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TAMPERED = """
import sys
sys.path.insert(0, "BENCHMARKS")
import soak
right = soak.expected_answers
def tampered(*given):
    expected = right(*given)
    expected.by_beam[4][expected.sentences[1]] += "!"
    return expected
soak.expected_answers = tampered
sys.exit(soak.main())
"""


def run(*command: object) -> tuple[int, dict[str, Any]]:
    done = subprocess.run([sys.executable, *map(str, command), "--json"], capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_server_under_everything_that_clients_do() -> None:
    status, found = run(BENCHMARKS / "soak.py", "--minutes", "0.3", "--sentences", "40", "--connections", "300")
    assert not found["failures"], "\n".join(found["failures"])
    assert (status, found["ok"]) == (0, True)
    assert found["exit_status"] == 0
    answers, events = found["answers"], found["events"]
    assert found["requests"] == sum(answers.values()) - answers["accepted before SIGTERM 200"]
    assert answers["accepted before SIGTERM 200"] == 8
    assert answers["steady 200"] > 100
    assert answers["burst 429"] >= events["bursts"] >= 1
    assert answers["after a burst 200"] == events["bursts"]
    for name in (
        "slow 200",
        "idle 200",
        "mistaken 200",
        "mistaken 400",
        "mistaken 404",
        "mistaken 405",
        "mistaken 413",
    ):
        assert answers[name], name
    assert not any(status.startswith("5") for status in found["by_status"])
    assert sum(number for name, number in events.items() if name.startswith("broken off")) > 10
    assert (found["idle_connections"], found["reloads"] > 1) == (300, True)
    assert found["files"]["most"] > 300
    assert found["memory_mb"]["start"] > 0


def test_a_wrong_answer_makes_it_fail(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("".join(f"two dogs play {number}.\n" for number in "abcdefghijklmnop"))
    program = TAMPERED.replace("BENCHMARKS", str(BENCHMARKS))
    status, found = run(
        "-c", program, folder, source, "--kinds", "steady", "--minutes", "1", "--requests", "60", "--clients", "4"
    )
    assert (status, found["ok"], found["exit_status"]) == (1, False, 0)
    assert "not" in found["failures"][0]
    assert found["failures"][0].startswith("steady, api/v1 beam 4: wrong answer to 'two dogs play")


def test_what_counts_as_a_failure() -> None:
    expected = soak_clients.Expected(["a", "b"], {5: {"a": "x", "b": "y"}})
    assert expected.mistake("a", "x") is None
    assert expected.mistake("a", "y") == "wrong answer to 'a': got 'y', not 'x'"
    tally = Tally()
    load = soak_clients.Load(0, expected, tally, queue=1, bound=1.0)
    load.compare("k", [("a", "x"), ("b", "y")])
    assert not tally.num_failures
    load.compare("k", [("a", "x"), ("b", "x")])
    tally.answered("k", 503)
    load.refusal("k", Reply(429, {}, b""), True)
    load.refusal("k", Reply(429, {"retry-after": "1"}, b""), False)
    assert tally.failures == [
        "k: wrong answer to 'b': got 'x', not 'y'",
        "k: the server answered 503",
        "k: 429 with Retry-After ''",
        "k: 429 though the queue was not full",
    ]
    assert load.refusal("k", Reply(429, {"retry-after": "60"}, b""), True) == soak_clients.LARGEST_PAUSE
    assert tally.num_failures == 4
    assert (tally.num_requests, tally.by_status()) == (1, {"503": 1})


def test_a_stream_must_begin_as_it_said() -> None:
    def stream(early: str) -> Reply:
        events = ("meta", {"sentences": 1}), ("token", {"sentence": 0, "text": early}), ("done", {"text": "two dogs"})
        return Reply(200, {}, "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events).encode())

    assert soak_clients.streamed(stream("two")) == "two dogs"
    assert soak_clients.streamed(stream("three")) == {"text": "two dogs", "said before": ["three"]}
