"""Packages as strangers get them: built from the source, installed in an empty environment, run outside of the checkout.

All of it takes minutes, and needs a package index.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = "Scripts" if os.name == "nt" else "bin"
TOOLS = ("build", "twine", "uv")
PAIRS = "".join(f"{a}{b}\t{b}{a}\n" for a in "abcdefgh" for b in "abcdefgh")
IN_THE_WHEEL = (
    "regard/py.typed",
    "regard/inspection/drawing/web/page.js",
    "regard/inspection/drawing/web/style.css",
    "regard/inspection/drawing/web/LICENCES.txt",
    "regard/recipes/multi30k.yaml",
)


def call(*words: object, cwd: Path, **variables: str) -> str:
    """What a program prints; it must end well. Nothing leads it to the checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, f"{words}:\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs that build, check and install."""
    place = tmp_path_factory.mktemp("tools")
    call(sys.executable, "-m", "venv", place, cwd=place)
    done = subprocess.run([place / BIN / "python", "-m", "pip", "install", "--quiet", *TOOLS], check=False)
    if done.returncode:
        pytest.skip("the registry of packages cannot be reached")
    return place / BIN


@pytest.fixture(scope="module")
def dist(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, the wheel that it builds (in `dist`), and the one that the checkout builds (in `direct`)."""
    place = tmp_path_factory.mktemp("dist")
    call(tools / "python", "-m", "build", "--outdir", place, ROOT, cwd=place)
    call(tools / "python", "-m", "build", "--wheel", "--outdir", place / "direct", ROOT, cwd=place)
    return place


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
def test_the_archive_of_the_sources_builds_the_same_wheel(dist: Path, tools: Path) -> None:
    (wheel,), (direct,), (source,) = dist.glob("*.whl"), (dist / "direct").glob("*.whl"), dist.glob("*.tar.gz")
    assert wheel.name == direct.name
    assert content(wheel) == content(direct)
    call(tools / "twine", "check", "--strict", wheel, source, cwd=dist)
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"native/layers.c", "tests/conftest.py", "hatch_build.py", "constraints.txt"} <= names
    assert not [name for name in names if re.match(r"\.venv|web/node_modules|dist/|.*layers-\w+\.", name)]


@pytest.mark.slow
def test_a_wheel_has_what_it_needs_and_a_name_that_says_where_it_runs(dist: Path, tools: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    found = content(wheel)
    assert [name for name in IN_THE_WHEEL if name not in found] == []
    assert [name for name in found if name.startswith(("tests", "native", "docs"))] == []
    assert any("License-Expression: MIT" in text.decode() for name, text in found.items() if name.endswith("METADATA"))
    has_layers = any("/compiled/layers-" in name for name in found)
    assert ("py3-none-any" in wheel.name) != has_layers
    if has_layers:
        assert "loaded; log-probabilities differ by" in call(
            tools / "python", ROOT / "native" / "try_wheel.py", dist, cwd=dist
        )


@pytest.mark.slow
@pytest.mark.parametrize(("native", "cc"), [("none", None), ("auto", "false"), ("require", "false"), ("some", None)])
def test_the_layers_can_be_left_out_and_asked_for(native: str, cc: str | None, tools: Path, tmp_path: Path) -> None:
    variables = {"REGARD_NATIVE": native, **({"CC": cc} if cc else {})}
    words = tools / "python", "-m", "build", "--wheel", "--outdir", tmp_path, ROOT
    if native in ("require", "some"):
        with pytest.raises(AssertionError, match=r"failed:|must be auto, none or require; got 'some'"):
            call(*words, cwd=tmp_path, **variables)
        assert not list(tmp_path.glob("*.whl"))
    else:
        call(*words, cwd=tmp_path, **variables)
        (wheel,) = tmp_path.glob("*.whl")
        assert wheel.name.endswith("-py3-none-any.whl")
        assert not [name for name in content(wheel) if "/compiled/layers-" in name]


@pytest.fixture(scope="module", params=["pip", "uv, serve and demo"])
def installed(
    request: pytest.FixtureRequest, dist: Path, tools: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The folder of programs of an environment that has the wheel and what it depends on, once with extras."""
    place, (wheel,) = tmp_path_factory.mktemp("site"), dist.glob("*.whl")
    call(sys.executable, "-m", "venv", place, cwd=place)
    python, constraints = place / BIN / "python", place / "constraints.txt"
    # PyTorch in the build that is here: another may be gigabytes.
    named = re.sub(r"^torch==.*$", f"torch=={version('torch')}", (ROOT / "constraints.txt").read_text(), flags=re.M)
    constraints.write_text(named)
    if request.param == "pip":
        call(python, "-m", "pip", "install", "--quiet", "-c", constraints, wheel, cwd=place)
    else:
        links = os.environ.get("PIP_FIND_LINKS", "")
        words = [f"{wheel}[serve,demo]", "--python", python, "-c", constraints]
        call(tools / "uv", "pip", "install", *words, cwd=place, UV_FIND_LINKS=links, UV_NO_CONFIG="1")
    yield place / BIN
    shutil.rmtree(place)  # more than 1 GB


@pytest.mark.slow
def test_an_installed_wheel_trains_translates_and_shows(installed: Path, tmp_path: Path) -> None:
    regard, python = installed / "regard", installed / "python"
    call(python, "-m", "pip", "check", cwd=tmp_path)
    where = call(python, "-c", "import regard; print(regard.__file__)", cwd=tmp_path)
    assert str(ROOT) not in where
    assert "multi30k" in call(regard, "recipes", cwd=tmp_path)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    call(regard, "train", "pairs.tsv", "-o", "m", "--steps", "3", "--arch", "encoder-decoder", cwd=tmp_path)
    told = call(regard, "info", "m", cwd=tmp_path)
    assert re.search(r"^decoding: native, compiled for", told, re.M), told
    (tmp_path / "texts").write_text("ab\nhg\n")
    assert len(call(regard, "translate", "m", "texts", cwd=tmp_path).splitlines()) == 2
    call(regard, "inspect", "m", "ab", "-o", "page.html", cwd=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" in page
    assert len(page) > 50_000  # the bundle is inside
    has_extras = (installed.parent / "lib").is_dir() and bool(list(installed.parent.glob("lib/*/site-packages/babel")))
    if has_extras:
        call(regard, "demo", "--steps", "2", cwd=tmp_path)
        assert (tmp_path / "demo-model" / "report.html").is_file()


@pytest.mark.slow
def test_help_takes_a_fraction_of_the_import_of_pytorch(installed: Path, tmp_path: Path) -> None:
    """The best of three of each, in one run."""

    def seconds(*words: object) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            call(*words, cwd=tmp_path)
            best = min(best, time.perf_counter() - start)
        return best

    importing = seconds(installed / "python", "-c", "import torch")
    assert seconds(installed / "regard", "--help") < importing / 2
    assert seconds(installed / "python", "-c", "import regard") < importing / 4
