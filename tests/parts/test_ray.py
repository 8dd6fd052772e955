"""Parts on a real cluster of Ray, of two nodes in this machine, with an actor, a node and the driver killed.

These tests need the extra `ray`, and take about a minute: `make test-long`.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

CLI = Path(__file__).parents[1] / "cli"
sys.path.insert(0, str(CLI))
from random_models import save_models  # noqa: E402
from regard.text.lines import read_lines  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
PARTS = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_models(tmp_path_factory.mktemp("models"))
    lines = read_lines(folder / "source") * 100
    (folder / "many").write_text("".join(f"{line} {number % 7}\n" for number, line in enumerate(lines)))
    regard(folder, "translate", "m", "many", "-o", "expected").wait()
    return folder


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    made.add_node(num_cpus=1)
    yield made
    ray.shutdown()
    made.shutdown()


def regard(folder: Path, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "regard", *map(str, words), "--threads", "1"], cwd=folder, text=True,
        stderr=subprocess.PIPE, env={**os.environ, "RAY_DEDUP_LOGS": "0"},
    )  # fmt: skip


def on_cluster(folder: Path, cluster: Cluster, output: Path) -> subprocess.Popen[str]:
    return regard(
        folder, "translate", "m", "many", "-o", output, "--parts", PARTS, "--ray", cluster.address
    )  # fmt: skip


def joined(folder: Path, output: Path) -> str:
    words = "translate", "m", "many", "-o", output, "--parts", PARTS, "--collect", output.with_name("all")
    assert regard(folder, *words).wait() == 0
    return output.with_name("all").read_text()


def wait_for(output: Path, count: int) -> None:
    for _ in range(3000):
        if len(list(output.glob("part-*.json"))) >= count:
            return
        time.sleep(0.1)
    raise AssertionError(f"{count} parts were not done in five minutes")


def workers() -> list[int]:
    """The processes of actors that answer parts: Ray names them so."""
    found = subprocess.run(["pgrep", "-f", "^ray::.*PartWorker"], capture_output=True, text=True).stdout
    return [int(line) for line in found.split()]


def test_the_bytes_of_one_process(folder: Path, cluster: Cluster, tmp_path: Path) -> None:
    process = on_cluster(folder, cluster, tmp_path / "out")
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert f"of {PARTS}: 50 lines" in said
    assert joined(folder, tmp_path / "out") == (folder / "expected").read_text()


def test_an_actor_is_killed(folder: Path, cluster: Cluster, tmp_path: Path) -> None:
    process = on_cluster(folder, cluster, tmp_path / "out")
    wait_for(tmp_path / "out", 2)
    os.kill(workers()[0], signal.SIGKILL)
    assert process.wait() == 0
    assert joined(folder, tmp_path / "out") == (folder / "expected").read_text()


def test_a_node_is_killed(folder: Path, cluster: Cluster, tmp_path: Path) -> None:
    process = on_cluster(folder, cluster, tmp_path / "out")
    wait_for(tmp_path / "out", 2)
    cluster.remove_node(next(node for node in cluster.worker_nodes), allow_graceful=False)
    assert process.wait() == 0
    assert joined(folder, tmp_path / "out") == (folder / "expected").read_text()


def test_the_driver_is_killed_and_started_again(folder: Path, cluster: Cluster, tmp_path: Path) -> None:
    process = on_cluster(folder, cluster, tmp_path / "out")
    wait_for(tmp_path / "out", 3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*.json")}
    again = on_cluster(folder, cluster, tmp_path / "out")
    assert again.wait() == 0
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("part-*.json")}
    assert len(kept) == PARTS
    assert joined(folder, tmp_path / "out") == (folder / "expected").read_text()
    assert len(done) < PARTS


def test_a_cluster_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    words = "translate", "m", "many", "-o", tmp_path / "out", "--parts", 2, "--ray", "127.0.0.1:1"
    process = regard(folder, *words)
    _, said = process.communicate()
    assert process.returncode == 2
    assert "of a cluster that can be reached; got 127.0.0.1:1" in said
    assert "Traceback" not in said


def test_batches_get_a_column(folder: Path, cluster: Cluster) -> None:
    import ray.data

    from regard import Translator, load
    from regard.ray import Translate

    ray.init(cluster.address, ignore_reinit_error=True)
    texts = ["ab cde", "fab", "ab cde", None]
    expected = [found.text for found in load(folder / "m", kind=Translator).translate([text or "" for text in texts])]
    rows = ray.data.from_items([{"n": number, "text": text} for number, text in enumerate(texts)])
    found = rows.map_batches(
        Translate,
        fn_constructor_kwargs={"model": str(folder / "m"), "column": "text"},
        compute=ray.data.ActorPoolStrategy(size=1),
        num_cpus=1,
        batch_size=2,
    ).take_all()
    by_number = {row["n"]: row for row in found}
    assert [by_number[n]["translation"] for n in range(4)] == expected
    assert [by_number[n]["translation_error"] for n in range(4)] == [""] * 4
    assert [by_number[n]["text"] for n in range(4)] == texts
