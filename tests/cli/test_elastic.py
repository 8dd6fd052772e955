"""`torchrun --nnodes 1:2 ... -m regard train --resume`: two hosts, each a network namespace, that lose processes and each
other. Slow, and only where namespaces can be made: by root on Linux, with the command `ip`.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from regard.training.state import state_folder

OPTIONS = ["--save-every", "20", "--steps", "1500", "--set", "model.model_dim=24", "--set", "model.ff_dim=32", "--set",
           "model.num_heads=2", "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--precision",
           "float32", "--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=30", "--set", "model.dropout=0",
           "--set", "training.batch_tokens=200", "--set", "training.validate_every=500", "--set", "training.report_every=5",
           "--threads", "1", "--set", "training.learning_rate=0.003", "--device", "cpu",
           "--set", "model.activation=gelu"]  # fmt: skip
"""GELU is smooth: where rounding decides on which side of 0 an input of a ReLU is, two runs part."""
HOST, PORT = "10.77.0.1", 29400
"""The first host, which keeps the list of hosts."""


class Hosts:
    """Two network namespaces that reach each other, and an agent of torchrun in each."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.names = folder, [f"regard-{os.getpid()}-{host}" for host in "ab"]
        self.logs: list[Path] = []
        self.agents: list[subprocess.Popen[bytes]] = []

    def run(self, command: str) -> None:
        subprocess.run(["ip", *command.split()], check=True, capture_output=True)

    def __enter__(self) -> Hosts:
        for name in self.names:
            self.run(f"netns add {name}")
        first, second = self.names
        self.run(f"-n {first} link add eth type veth peer name eth netns {second}")
        for number, name in enumerate(self.names, start=1):
            self.run(f"-n {name} addr add 10.77.0.{number}/24 dev eth")
            self.run(f"-n {name} link set eth up")
            self.run(f"-n {name} link set lo up")
        return self

    def __exit__(self, *_: object) -> None:
        for name in self.names:
            pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
            for pid in pids.split():
                os.kill(int(pid), signal.SIGKILL)
            self.run(f"netns del {name}")
        for agent in self.agents:
            agent.wait()

    def start(self, host: int) -> subprocess.Popen[bytes]:
        """An agent with one worker, which is `regard train --resume`."""
        torchrun = ["-m", "torch.distributed.run", "--nnodes", "1:2", "--nproc-per-node", "1", "--max-restarts", "3",
                    "--rdzv-backend", "c10d", "--rdzv-endpoint", f"{HOST}:{PORT}", "--rdzv-id", "run",
                    "--rdzv-conf", f"is_host={int(not host)},timeout=120", "--local-addr", f"10.77.0.{host + 1}"]  # fmt: skip
        command = [
            "-m",
            "regard",
            "train",
            str(self.folder / "pairs.tsv"),
            "-o",
            str(self.folder / "model"),
            "--resume",
        ]
        self.logs.append(self.folder / f"log-{len(self.logs)}")
        with self.logs[-1].open("wb") as log:
            agent = subprocess.Popen(
                ["ip", "netns", "exec", self.names[host], sys.executable, *torchrun, *command, *OPTIONS],
                stdout=log, stderr=subprocess.STDOUT,
                env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "eth",
                                  "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
            )  # fmt: skip
        self.agents.append(agent)
        return agent


def workers(agent: subprocess.Popen[bytes]) -> list[int]:
    """The processes that an agent has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(agent.pid)], capture_output=True, text=True, check=False)
    return list(map(int, found.stdout.split()))


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    if sys.platform != "linux" or os.getuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root on Linux, and the command ip")
    with Hosts(tmp_path) as hosts:
        yield hosts


@pytest.mark.slow
def test_hosts_that_die_and_join_change_nothing_in_the_curve(hosts: Hosts, tmp_path: Path) -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 8))) for _ in range(300)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    command = [sys.executable, "-m", "regard", "train", str(tmp_path / "pairs.tsv"), "-o", str(tmp_path / "alone")]
    subprocess.run([*command, *OPTIONS], check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})

    def newest() -> int:
        found = (path.name for path in state_folder(tmp_path / "model").glob("step-*"))
        return max((int(name.removeprefix("step-")) for name in found if name[5:].isdecimal()), default=0)

    def wait_for_steps(count: int) -> None:
        goal = newest() + count
        wait_until(lambda: newest() >= goal)

    first, second = hosts.start(0), hosts.start(1)
    wait_for_steps(60)
    (worker,) = workers(second)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: workers(second) not in ([], [worker]))
    wait_for_steps(40)
    for pid in (*workers(second), second.pid):
        os.kill(pid, signal.SIGKILL)
    second.wait()
    wait_for_steps(60)
    third = hosts.start(1)
    assert first.wait(timeout=300) == 0, hosts.logs[0].read_text()[-3000:]
    assert third.wait(timeout=60) == 0, hosts.logs[2].read_text()[-3000:]

    shown = hosts.logs[0].read_text()
    assert re.findall(r"machine\.processes was (\d) and is (\d)", shown) == [("2", "1"), ("1", "2")]
    assert len(re.findall(r"resumed at step \d+", shown)) == 3
    records = [
        [json.loads(line) for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        for name in ("alone", "model")
    ]
    steps = [[(record["step"], "loss" in record) for record in each] for each in records]
    assert steps[0] == steps[1], "each step is in the record once"
    losses = [[record["loss"] for record in each if "loss" in record] for each in records]
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)
