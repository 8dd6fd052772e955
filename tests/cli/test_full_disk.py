"""A disk that is full, really: a file system of a few pages. Nothing half written stays, and the same command goes on later."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import command, outcome, refused

from random_models import save_models

PAGE = 4096


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_models(tmp_path_factory.mktemp("models"))
    lines = (folder / "source").read_text().splitlines()
    (folder / "many").write_text("".join(f"{line}\n" for line in (lines * 40)[:200]))
    return folder


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Makes a disk of some pages; asked again, it has another number of pages, and its files."""
    place = tmp_path / "disk"
    place.mkdir()

    def sized(pages: int) -> Path:
        again = "remount," if os.path.ismount(place) else ""
        size = ["mount", "-t", "tmpfs", "-o", f"{again}size={pages * PAGE}", "tmpfs", str(place)]
        if sys.platform != "linux" or subprocess.run(size, capture_output=True, check=False).returncode:
            pytest.skip("a file system can be mounted by root only")
        return place

    yield sized
    if os.path.ismount(place):
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.parametrize("words", ["--help", "--version", "recipes", "info m", "inspect m abc", "translate m source"])
def test_a_full_disk_behind_standard_output_is_one_message(words: str, models: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "regard", *words.split()], cwd=models, stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert run.returncode == 2
    assert (
        run.stderr.splitlines()[-1] == "regard: there must be room for what is written; got: No space left on device."
    )
    assert "Traceback" not in run.stderr


def test_parts_go_on_when_there_is_room(
    disk: Callable[[int], Path], models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The parts that were whole stay, and are not made again."""
    monkeypatch.chdir(models)
    asked = ["translate", "m", "many", "--beam", 1, "--threads", 1]
    assert command(*asked, "-o", tmp_path / "expected") == 0
    out = disk(8) / "out"
    in_parts = [*asked, "--parts", 12, "-o", out]
    code, _, err = outcome(capsys, *in_parts)
    assert code != 0
    assert "No space left on device" in err
    assert "Traceback" not in err
    whole = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*.json")}
    assert 0 < len(whole) < 12
    disk(64)
    assert command(*in_parts) == 0
    assert {name: (out / name).stat().st_mtime_ns for name in whole} == whole
    assert command(*in_parts, "--collect", tmp_path / "found") == 0
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        "translate m many -o OUT --beam 1 --threads 1",
        "convert m OUT --to marian",
        "convert m OUT --to regard-int8",
        "average m m -o OUT",
        "train pairs.tsv -o OUT --steps 2 --threads 1",
    ],
)
def test_commands_say_so_and_leave_nothing(
    words: str,
    disk: Callable[[int], Path],
    models: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(models)
    lines = (models / "source").read_text().splitlines()
    Path("pairs.tsv").write_text("".join(f"{line}\t{line[::-1]}\n" for line in lines * 8))
    place = disk(1)
    said = refused(capsys, *words.replace("OUT", str(place / "out")).split())
    assert "No space left on device" in said
    assert "Traceback" not in said
    assert not (place / "out").exists()
