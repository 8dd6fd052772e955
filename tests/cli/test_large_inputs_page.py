"""The commands of docs/large-inputs.md, and the recipes in deploy/ with what stands in for their schedulers."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from running import command, outcome

from random_models import save_models

ROOT = Path(__file__).parents[2]


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A folder with what the page names, and the translation of its input by one process."""
    save_models(tmp_path)
    (tmp_path / "m").rename(tmp_path / "model")
    (tmp_path / "source").rename(tmp_path / "big.txt")
    monkeypatch.chdir(tmp_path)
    return outcome(capsys, "translate", "model", "big.txt")[1]


def test_the_page_runs_from_top_to_bottom(big: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "large-inputs.md").read_text()
    lines = [line for block in re.findall(r"```\n(.*?)```", page, re.S) for line in block.splitlines()]
    asked = [shlex.split(line)[1:] for line in lines if line.startswith("regard ") and "--ray" not in line]
    assert len(asked) == 8
    for name, language in (("big.txt", "en"), ("target", "de")):
        shutil.copy(name, f"test.{language}")
    for words in asked:
        code, scores, _ = outcome(capsys, *words)
        assert code == 0
    assert (tmp_path / "big.out").read_text() == big
    assert scores == outcome(capsys, "evaluate", "model", "test.en", "test.de")[1]


def test_an_array_of_slurm(big: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = ROOT / "deploy" / "parts.sbatch"
    array = re.search(r"^#SBATCH --array=0-(\d+):(\d+)$", script.read_text(), re.M)
    assert array is not None
    last, step = map(int, array.groups())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "regard").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "bin" / "regard").chmod(0o755)
    given = {"MODEL": "model", "INPUT": "big.txt", "OUTPUT": "out", "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    words: list[str] = []
    for task in (0, last + 1 - step):
        slurm = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_STEP": str(step), "SLURM_CPUS_PER_TASK": "1"}
        done = subprocess.run(["bash", script], env=given | slurm, capture_output=True, text=True, check=True)
        words = done.stdout.splitlines()
        with monkeypatch.context() as patch:
            for name, value in slurm.items():
                patch.setenv(name, value)
            assert command(*words) == 0
    assert len(list((tmp_path / "out").glob("part-*.txt"))) == 2 * step
    assert command(*words) == 0  # all others
    assert command(*words, "--collect", "all") == 0
    assert (tmp_path / "all").read_text() == big


def test_an_indexed_job_of_kubernetes(big: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = yaml.safe_load((ROOT / "deploy" / "parts-job.yaml").read_text())["spec"]
    container = job["template"]["spec"]["containers"][0]
    assert job["completionMode"] == "Indexed"
    assert container["command"] == ["regard"]
    words = [word.replace("/data/", "") for word in container["args"]]
    assert words[words.index("--parts") + 1] == str(job["completions"])
    for index in (0, 3, job["completions"] - 1):
        monkeypatch.setenv("JOB_COMPLETION_INDEX", str(index))
        assert command(*words) == 0
    assert len(list((tmp_path / "out").glob("part-*.txt"))) == 3
    monkeypatch.delenv("JOB_COMPLETION_INDEX")
    assert command(*words) == 0
    assert command(*words, "--collect", "all") == 0
    assert (tmp_path / "all").read_text() == big
