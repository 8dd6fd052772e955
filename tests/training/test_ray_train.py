"""examples/ray_train.py on a real Ray, with a worker killed: `make test-long`, in an environment with `ray[train]`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_workers_of_ray_train_one_model_also_if_one_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("ray.train")
    running = subprocess.Popen(
        [sys.executable, ROOT / "examples" / "ray_train.py", "--steps", "600"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=os.environ | {"TMPDIR": str(tmp_path), "RAY_TMPDIR": "/tmp", "OMP_NUM_THREADS": "1",
             "OMP_WAIT_POLICY": "PASSIVE", "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S": "300"},
    )  # fmt: skip
    deadline = time.monotonic() + 200
    while not list(tmp_path.glob("*/model.training/step-*")):
        assert running.poll() is None, running.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.2)
    found = subprocess.run(["pgrep", "-f", "RayTrainWorker"], capture_output=True, text=True, check=True).stdout
    os.kill(max(map(int, found.split())), signal.SIGKILL)
    shown, _ = running.communicate(timeout=400)
    assert running.returncode == 0, shown[-3000:]
    assert "resumed at step" in shown
    assert "2 processes, 600 steps, chrF" in shown
