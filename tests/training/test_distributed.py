"""Loss and gradient are those of one big batch, however it is cut: in one process, in turns, or among processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard.errors import SettingsError, TrainingError
from regard.training.distributed import ALONE, World, joined_world, reporting_lost_process

ONE_STEP, LATE_WRITER = (Path(__file__).with_name(name) for name in ("one_step.py", "late_writer.py"))


def launch(processes: int, script: Path, *arguments: str) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command = [*(torchrun if processes > 1 else [sys.executable]), str(script), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=400, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr[-3000:]


OBJECTIVES = ["labels", "teacher", "links", "adapter", "frozen"]
WAYS = {
    1: [*(f"{objective}:1:copied" for objective in OBJECTIVES), "labels:8:copied", "labels:10:bfloat16"],
    2: [*(f"{objective}:{how}" for objective in OBJECTIVES for how in ("1:copied", "3:sharded")), "labels:5:bfloat16"],
    3: ["labels:4:copied", "links:22:copied", "teacher:22:sharded", "adapter:22:sharded"],
}
"""The ways in which numbers of processes read 64 pairs; 22 cuts leave some of 3 processes without a pair."""
COMPILED = {2: ["labels:1:copied-compiled", "adapter:3:sharded-compiled", "teacher:3:sharded-compiled"]}


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of all ways, in files."""
    folder = tmp_path_factory.mktemp("steps")
    for processes, ways in WAYS.items():
        launch(processes, ONE_STEP, str(folder), *ways)
    return folder


def file_of(processes: int, way: str) -> str:
    return f"{processes}-{way.replace(':', '-')}"


def assert_same_as_alone(steps: Path, processes: int, way: str) -> None:
    found = load_file(steps / file_of(processes, way))
    one_batch = load_file(steps / file_of(1, f"{way.split(':')[0]}:1:copied"))
    assert found.keys() == one_batch.keys()
    for name, expected in one_batch.items():
        torch.testing.assert_close(
            found[name], expected, rtol=1e-4, atol=1e-5, msg=lambda text, name=name: f"{name}: {text}"
        )


@pytest.mark.parametrize(
    ("processes", "way"),
    [(processes, way) for processes, ways in WAYS.items() for way in ways if "bfloat16" not in way],
)
def test_however_64_pairs_are_cut(processes: int, way: str, steps: Path) -> None:
    """1 x 64 = 8 x 8 one after the other = 2 x 32 side by side: losses, weights, averages, and what the averages compute."""
    assert_same_as_alone(steps, processes, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", COMPILED[2])
def test_compiled_steps_of_two_processes(way: str, steps: Path) -> None:
    launch(2, ONE_STEP, str(steps), way)
    assert_same_as_alone(steps, 2, way)


def test_objectives_differ(steps: Path) -> None:
    """What would be equal for another reason: each objective gives another loss."""
    losses = [load_file(steps / file_of(1, f"{objective}:1:copied"))["loss"].item() for objective in OBJECTIVES]
    assert len({round(loss, 3) for loss in losses}) == len(OBJECTIVES)


def test_gradients_in_bfloat16_are_summed_in_float32_before_they_are_exchanged(steps: Path) -> None:
    ways = [(2, "labels:5:bfloat16"), (1, "labels:10:bfloat16"), (1, "labels:1:copied")]
    two, one, exact = (load_file(steps / file_of(*way)) for way in ways)
    for name, expected in exact.items():
        size = expected.norm() + 0.01  # biases of keys have no gradient but rounding
        assert (two[name] - expected).norm() <= 0.15 * size, (
            name
        )  # bfloat16 has 8 bits; one exchange too many or too few changes halves
        assert (two[name] - one[name]).norm() <= 0.15 * size, name


@pytest.mark.parametrize("slow", ["keep", "save"])
def test_the_others_wait_for_the_one_that_writes(slow: str, tmp_path: Path) -> None:
    """By the connection with the long limit, that is: in a step they would give up after half an hour."""
    launch(2, LATE_WRITER, slow, str(tmp_path / "written"))


def test_one_process_is_a_world_of_its_own() -> None:
    assert ALONE.sums(1, 2.5) == [1, 2.5]
    assert ALONE.broadcast("a") == "a"
    assert ALONE.gather("a") == ["a"]


def test_what_torchrun_would_have_said_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"WORLD_SIZE": "2", "RANK": "x", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    with (
        pytest.raises(TrainingError, match=r"must be started by torchrun, which sets .*; got RANK=x, LOCAL_RANK=\."),
        joined_world(),
    ):
        pass
    monkeypatch.setenv("WORLD_SIZE", "")
    with joined_world() as world:
        assert world is ALONE


def test_more_processes_than_gpus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"WORLD_SIZE": "3", "RANK": "2", "LOCAL_RANK": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with (
        pytest.raises(SettingsError, match=r"GPU.*; got 3 .*for 2\. Start fewer"),
        joined_world(),
    ):
        pass


def test_a_lost_process_is_said_and_other_errors_are_left_alone() -> None:
    def failing(message: str, world: World) -> None:
        with reporting_lost_process(world, lambda: 41):
            raise RuntimeError(message)

    with pytest.raises(TrainingError, match=r"all 2 processes .*process 1 lost another one at step 42"):
        failing("[gloo/transport/tcp/pair.cc:553] Connection closed by peer", World(1, 2, 1))
    with pytest.raises(RuntimeError, match="something else"):
        failing("something else", World(1, 2, 1))
    with pytest.raises(RuntimeError, match="Connection closed"):
        failing("Connection closed", ALONE)
