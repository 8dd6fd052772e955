"""What one tag does: the text of a release, the steps of the workflow, and versions that agree."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from by_path import module_at
from regard.version import __version__

ROOT = Path(__file__).parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"


def release_notes() -> Any:
    """`docs/release_notes.py` as a module."""
    return module_at(ROOT / "docs" / "release_notes.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that tell a version, with a dated section of 0.2.0 between two others."""
    (tmp_path / "src" / "regard").mkdir(parents=True)
    (tmp_path / "src" / "regard" / "version.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text('cff-version: 1.2.0\nversion: "0.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## 0.2.0.1, no\n\nz\n\n## 0.2.0, 2027-01-02\n\n- a\n- b\n\n## 0.1.0, 2026-12-01\n\nc\n"
    )
    return tmp_path


def test_the_text_of_a_release_is_the_section_of_its_version(tree: Path) -> None:
    assert release_notes().notes("v0.2.0", tree) == "- a\n- b"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("src/regard/version.py", "0.2.0", "0.2.1", r"the tag must be v0.2.1.*; got v0.2.0"),
        (
            "CITATION.cff",
            'version: "0.2.0"',
            "version: 0.1.0",
            r"CITATION.cff must have the version 0.2.0; got \['0.1.0'\]",
        ),
        ("CHANGELOG.md", "2027-01-02", "unreleased", "must date its section.*got '0.2.0, unreleased'"),
        ("CHANGELOG.md", "## 0.2.0, 2027-01-02", "## 0.3.0, 2027-01-02", "must have a section of 0.2.0; it has none"),
    ],
)
def test_files_that_disagree_stop_a_release(file: str, old: str, new: str, message: str, tree: Path) -> None:
    text = (tree / file).read_text()
    assert old in text
    (tree / file).write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=message):
        release_notes().notes("v0.2.0", tree)


def test_this_version_is_prepared(tmp_path: Path) -> None:
    """But for the date, which is that of its release."""
    for name in ("src/regard/version.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    path = tmp_path / "CHANGELOG.md"
    path.write_text(path.read_text().replace(f"## {__version__}, unreleased", f"## {__version__}, 2026-12-01"))
    assert release_notes().notes(f"v{__version__}", tmp_path).count("\n- ") > 10
    assert (ROOT / "tests" / "stored" / f"transformer-{__version__}").is_dir()


def test_the_workflow_publishes_only_a_tag_that_passed_everything() -> None:
    workflow = yaml.safe_load((WORKFLOWS / "release.yml").read_text())
    jobs = workflow["jobs"]
    assert workflow[True]["push"] == {"tags": ["v*"]}  # YAML 1.1 takes `on` for a truth value
    needed: set[str] = set()
    waiting = ["publish"]
    while waiting:
        given = jobs[waiting.pop()].get("needs", [])
        waiting += [given] if isinstance(given, str) else given
        needed |= set(waiting)
    assert needed == {"notes", "tests", "wheels", "sources", "site"}
    assert "tag" in jobs["publish"]["if"]
    rest = jobs.keys() - needed - {"publish"}
    assert all(jobs[name]["needs"] == "publish" for name in rest)
    assert [name for name, job in jobs.items() if job.get("permissions", {}).get("id-token")] == ["publish", "pages"]
    assert not re.search(r"password:|secrets\.", (WORKFLOWS / "release.yml").read_text())


def test_steps_and_settings_name_files_that_exist() -> None:
    text = (WORKFLOWS / "release.yml").read_text()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    repair = " ".join(settings["linux"]["repair-wheel-command"])
    named = {*re.findall(r"(?:docs|native)/\w+\.py", text), *re.findall(r"\{project\}/(\S+\.py)", repair)}
    assert named == {"docs/release_notes.py", "native/try_wheel.py"}
    called = [job["uses"] for job in yaml.safe_load(text)["jobs"].values() if "uses" in job]
    assert called == ["./.github/workflows/ci.yml"]
    assert "workflow_call" in yaml.safe_load((WORKFLOWS / "ci.yml").read_text())[True]
    for target in re.findall(r"run: make ([\w-]+)", text):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)
    for kind in ("linux", "macos", "windows"):
        assert settings[kind].get("environment", settings["environment"])["REGARD_NATIVE"] == "require"


def test_the_table_of_versions_is_that_of_the_settings() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    lowest = dict(each.split(">=") for group in groups for each in group if ">=" in each)
    tested = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M))
    rows = re.findall(r"^\| ([a-z]+) \| ([\d.]+) \| ([\d.]+) \|$", (ROOT / "docs" / "versions.md").read_text(), re.M)
    assert {"torch", "tokenizers", "pydantic", "numpy", "starlette"} <= {name for name, *_ in rows}
    assert rows == [(name, lowest[name], tested[name]) for name, *_ in rows]
