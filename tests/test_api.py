"""The page on the public interface names what is public, and nothing else."""

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import regard
import regard.analysis
import regard.extending
import regard.nn
from forked import Forks

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))
import site_groups  # noqa: E402

PAGE = (DOCS / "api.md").read_text(encoding="utf-8")
MODULES = (regard, regard.analysis, regard.extending, regard.nn)


def documented(module: ModuleType) -> dict[str, str]:
    """The names in the table of a module, each with its line."""
    (section,) = re.findall(rf"^## `{re.escape(module.__name__)}`\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.M)
    assert len(dict(rows)) == len(rows), "a name has two rows"
    return dict(rows)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_on_the_page_and_no_other(module: ModuleType) -> None:
    assert list(documented(module)) == sorted(module.__all__)


@pytest.mark.parametrize(
    ("module", "name"), [pytest.param(module, name, id=name) for module in MODULES for name in module.__all__]
)
def test_every_public_name_exists_and_has_a_docstring(module: ModuleType, name: str) -> None:
    found = getattr(module, name)
    assert name in dir(module)
    assert (vars(found) if isinstance(found, type) else {"__doc__": found.__doc__})["__doc__"], "it has none of its own"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_is_in_one_group_of_the_reference(module: ModuleType) -> None:
    assert site_groups.groups(module.__name__).keys() == set(module.__all__) - {"__version__"}


def test_a_name_in_two_groups_or_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "docs" / "reference" / "regard.md"
    page.parent.mkdir(parents=True)
    text = (DOCS / "reference" / "regard.md").read_text()
    page.write_text(text.replace("<!-- names: train load", "<!-- names: train train gone"))
    monkeypatch.setattr(site_groups, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"\['gone', 'load', 'train'\]"):
        site_groups.groups("regard")


@pytest.mark.parametrize("name", sorted(regard.__all__))
def test_methods_that_the_page_names_exist(name: str) -> None:
    methods = re.findall(r"`(\w+)`", documented(regard)[name].partition(": ")[2])
    for method in methods:
        if method not in regard.__all__:
            found = getattr(getattr(regard, name), method)
            assert callable(found) or isinstance(found, property), f"{name} has no {method}"


def test_the_package_is_imported_without_torch() -> None:
    code = "import sys, regard.analysis; dir(regard); dir(regard.analysis); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_attention_library_brings_nothing_else(forks: Forks, tmp_path: Path) -> None:
    """A program that only wants `regard.nn` loads no server, no page, no converter, and no library of theirs."""
    script = tmp_path / "alone.py"
    script.write_text(
        "import sys\n"
        "before = set(sys.modules)\n"
        "import regard.nn\n"
        "print(*sorted({'.'.join(name.split('.')[:2]) for name in set(sys.modules) - before}))\n"
    )
    done = forks.run(script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = set(done.stdout.split()) - sys.stdlib_module_names
    ours = {name for name in names if name.startswith("regard")}
    assert "regard.nn" in ours
    assert ours <= {"regard", "regard.nn", "regard.errors", "regard.version", "regard.compiled"}
    assert {name.split(".")[0] for name in names - ours} <= {*sys.stdlib_module_names, "torch", "jaxtyping", "regard"}
