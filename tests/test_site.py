"""The site of the documentation: what its builder finds, and that it builds where its tools are installed."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if any(importlib.util.find_spec(name) is None for name in ("zensical", "latex2mathml", "mkdocstrings")):
    pytest.skip("the extra `docs` is not installed (make docs)", allow_module_level=True)
sys.path.insert(0, str(ROOT / "docs"))
import build_site  # noqa: E402


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text(
        '<h1 id="here">a</h1><a href="../#gone">x</a><a href="../missing/">y</a>'
    )
    (tmp_path / "index.html").write_text(
        '<a href="a/#here">a</a><img src="https://elsewhere.org/x.png">'
        '<a href="https://elsewhere.org">z</a><a href="#me" id="me">m</a>'
    )
    assert sorted(build_site.broken_links(tmp_path)) == [
        "a/index.html: no anchor ../#gone",
        "a/index.html: no file ../missing/",
        "index.html: loads https://elsewhere.org/x.png",
    ]


def test_formulas_become_mathml() -> None:
    page = build_site.finished(
        r'<p><span class="arithmatex">\(a &lt; b\)</span></p><div class="arithmatex">\[\frac{1}{2}\]</div>'
    )
    assert page.count("<math") == 2
    assert "arithmatex" not in page
    assert "<mfrac>" in page
    assert 'display="block"' in page


def test_pages_are_laid_out_with_links_that_hold(tmp_path: Path) -> None:
    build_site.lay_out(tmp_path)
    assert "(training.md" in (tmp_path / "docs" / "index.md").read_text()
    assert "](docs/" not in (tmp_path / "docs" / "index.md").read_text()
    assert not list((tmp_path / "docs").rglob("*.py"))


CHAPTER = """# 1

```python
print("a word")
```

{note}```text
another word
```

```console
$ echo "<p>end</p>" > end.html
```

<!-- page: end.html -->
"""


def small_project(root: Path, note: str) -> None:
    (root / "docs" / "guide").mkdir(parents=True)
    (root / "src").mkdir()
    for name in ("zensical.toml", "README.md", "CHANGELOG.md"):
        (root / name).write_text("")
    (root / "docs" / "guide" / "01-one.md").write_text(CHAPTER.format(note=note))


def test_the_site_shows_a_measured_block_as_it_is_stored_where_it_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small_project(tmp_path / "project", "<!-- measured -->\n")
    monkeypatch.setattr(build_site, "ROOT", tmp_path / "project")
    (tmp_path / "site").mkdir()
    build_site.lay_out(tmp_path / "site")
    told = capsys.readouterr()
    assert told.out == ""
    assert "guide/01-one.md, line 9" in told.err
    assert "a word" in told.err
    page = (tmp_path / "site" / "docs" / "guide" / "01-one.md").read_text()
    assert "another word" in page
    assert "<iframe" in page
    assert (tmp_path / "site" / "docs" / "guide" / "end.html").read_text() == "<p>end</p>\n"


def test_no_site_is_built_where_another_block_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_project(tmp_path, "")
    monkeypatch.setattr(build_site, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=r"guide/01-one\.md, line 8"):
        build_site.main([])
    assert not (tmp_path / "site").exists()


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "zensical.toml").read_text()
    for path in (ROOT / "docs").rglob("*.md"):
        assert f'"{path.relative_to(ROOT / "docs").as_posix()}"' in navigation, path.name
