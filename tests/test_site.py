"""The site of the documentation: what its builder finds, and that it builds where its tools are installed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
if any(importlib.util.find_spec(name) is None for name in ("zensical", "latex2mathml", "griffe")):
    pytest.skip("the extra `docs` is not installed (make docs)", allow_module_level=True)
sys.path.insert(0, str(ROOT / "docs"))
import build_site  # noqa: E402
import site_html  # noqa: E402
import site_reference  # noqa: E402
from site_docstrings import docstring  # noqa: E402
from site_equations import NotAnEquationError, latex  # noqa: E402


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
    build_site.lay_out(tmp_path, quick=True)  # test_guide.py runs the chapters
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
        if path.parent.name == "solutions":
            continue  # its chapter links to it
        assert f'"{path.relative_to(ROOT / "docs").as_posix()}"' in navigation, path.name


PRINTS = '<div class="language-python highlight"><pre><span></span><code>print(1)\n</code></pre></div>'
PRINTED = '<div class="language-text highlight"><pre><span></span><code>1\n</code></pre></div>'


@pytest.mark.parametrize("between", ["\n", "\n\n<!-- measured -->\n\n"])
def test_what_a_block_prints_is_joined_to_it_and_is_not_copied(between: str) -> None:
    page = build_site.finished(PRINTS + "<p>a</p>" + PRINTS + between + PRINTED)
    assert page.count('class="language-python highlight"') == 1
    assert page.count('class="language-python highlight prints"') == 1
    assert page.index("highlight prints") > page.index("<p>a</p>")
    assert '</pre></div>\n<div class="language-text highlight output no-copy">' in page


def test_a_text_block_on_its_own_stays_one() -> None:
    page = PRINTS + "<p>a</p>" + PRINTED
    assert build_site.finished(page) == page


@pytest.mark.parametrize("between", ["</p>\n<p>", "\n", "<br />\n"])
def test_a_picture_and_its_caption_are_a_figure(between: str) -> None:
    image = '<img alt="A" src="a.svg" />'
    page = build_site.finished(f"<p>{image}{between}<em>Figure 2.1. Which <code>mask</code>.</em></p><p><em>b</em></p>")
    assert page == (
        f"<figure>{image}<figcaption>Figure 2.1. Which <code>mask</code>.</figcaption></figure><p><em>b</em></p>"
    )


def test_a_picture_with_two_versions_is_shown_in_that_of_the_theme(tmp_path: Path) -> None:
    for name in ("both.png", "both-dark.png"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "plot.svg").write_text("<svg/>")
    (tmp_path / "diagram.svg").write_text("<svg><style>@media(prefers-color-scheme:dark){}</style></svg>")
    assert site_html.picture('<img alt="A" src="both.png" />', tmp_path) == (
        '<img class="light-only" alt="A" src="both.png" />'
        '<img class="dark-only" loading="lazy" alt="A" src="both-dark.png" />'
    )
    assert 'class="plot"' in site_html.picture('<img alt="A" src="plot.svg" />', tmp_path)
    assert "class" not in site_html.picture('<img alt="A" src="diagram.svg" />', tmp_path)


def test_a_widget_becomes_an_element_and_brings_its_script(tmp_path: Path) -> None:
    line = build_site.WIDGET.sub(build_site.ELEMENT, "a\n\n<!-- widget: mask -->\n\nb")
    assert line == 'a\n\n<div class="widget" data-widget="mask"></div>\n\nb'
    path = tmp_path / "guide" / "02-masks" / "index.html"
    page = f"<html><head></head><body>{line}</body></html>"
    finished = build_site.finished(page, path, tmp_path)
    assert '<script src="../../reference/widgets.js"></script></body>' in finished
    assert 'href="../../reference/widgets.css"' in finished
    assert "widgets.js" not in build_site.finished("<html><head></head><body></body></html>", path, tmp_path)


def test_the_header_has_the_version(tmp_path: Path) -> None:
    page = build_site.finished('<div class="md-header__source">\n </div>', tmp_path / "a" / "index.html", tmp_path)
    assert re.search(r'<a href="../changelog/" title="Changelog">version \d+\.\d+\.\d+</a>', page)


def test_a_function_and_its_argument_are_set_apart() -> None:
    assert site_html.THIN in site_html.formula(r"\log p", is_block=False)
    assert site_html.THIN not in site_html.formula(r"\log(p)", is_block=False)


def test_a_source_file_has_an_anchor_at_each_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("\nx = 1\n\n\ndef f():\n    '''\n    a\n    '''\n")
    page = site_html.source(tmp_path / "a.py")
    assert re.findall(r'id="L(\d+)"', page) == [str(number) for number in range(1, 9)]
    assert '<span id="L3">\n</span>' in page


def test_characters_that_the_font_does_not_have_are_found(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "site.css").write_text("@font-face { unicode-range: U+0061-0063,\n U+03B1; }")
    (tmp_path / "index.html").write_text("<math><mi>a</mi>\n<mi>&#x003B1;</mi><mi>&#x2119;</mi></math>d")
    assert build_site.missing_characters(tmp_path) == ["index.html: the font of formulas has no ℙ"]


def test_chapters_know_their_neighbours(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "02-b.ipynb").write_text("")
    for name in ("01-a", "02-b", "13-c"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\ntext\n")
    build_site.link_chapters(tmp_path)
    line = (tmp_path / "02-b.md").read_text().split("\n")[2]
    assert "[← 01-a](01-a.md) · chapter 2 of 3 · " in line
    assert '<a href="notebooks/02-b.ipynb" download>run it: notebook</a> · [13-c →](13-c.md)' in line
    assert "←" not in (tmp_path / "01-a.md").read_text()
    assert "notebook" not in (tmp_path / "13-c.md").read_text()


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("score(q, k) = q . k / sqrt(key_dim)", r"\mathrm{score}(q,\, k) = \frac{q \cdot k}{\sqrt{\mathrm{key\_dim}}}"),
        ("c[q] = sum over k of w[q, k] v[k]", r"c_{q} = \sum_{k} w_{q,\, k}\, v_{k}"),
        ("a = -|q - k|^2 / (2 b^2)", r"a = -\frac{\lvert q - k \rvert^{2}}{2b^{2}}"),
        ("a = |q| |k| / 2", r"a = \frac{\lvert q \rvert\, \lvert k \rvert}{2}"),
        ("a = p / 10^(2i / b)", r"a = \frac{p}{10^{2i / b}}"),
        ("h[i] = W_q[i] x", r"h_{i} = W_{q,\, i}\, x"),
        ("a[0..t] = W [x, y] * z", r"a_{0\dots t} = W\, \left[x,\, y\right] \odot z"),
        ("w = softmax over the allowed k of s[k] + b", r"w = \operatorname*{softmax}_{k\ \text{allowed}}\left(s_{k} + b\right)"),
        ("m[k] = k <= first + q", r"m_{k} = k \le \mathrm{first} + q"),
    ],
)  # fmt: skip
def test_equations_of_docstrings_are_set(equation: str, expected: str) -> None:
    assert latex(equation) == expected


@pytest.mark.parametrize("words", ["a = the mean over all tokens", "a = (b", "a = b ? c", "a ="])
def test_words_are_not_set_as_an_equation(words: str) -> None:
    with pytest.raises(NotAnEquationError):
        latex(words)


def test_a_docstring_is_read_in_its_parts() -> None:
    read = docstring(
        """Weights that fall with distance: bias[q, k] = -slope |q - k| (ALiBi).

        scores[q] = a
        weights[q] = b

            regard.load("m")

        Args:
            slope: the rate, above 0;
                one | for all.
            key_dim: width.
        Raises:
            ShapeError: it is not.
        Source: Press et al. 2022,
        section 3.
        """
    )
    assert read.text == [
        "Weights that fall with distance (ALiBi):",
        "$$\n\\mathrm{bias}_{q,\\, k} = -\\mathrm{slope}\\, \\lvert q - k \\rvert\n$$",
        "$$\n\\mathrm{scores}_{q} = a\n$$",
        "$$\n\\mathrm{weights}_{q} = b\n$$",
        '```python\nregard.load("m")\n```',
    ]
    assert read.items == {
        "Args": {"slope": "the rate, above 0; one \\| for all.", "key_dim": "width."},
        "Raises": {"ShapeError": "it is not."},
    }
    assert read.source == "Press et al. 2022, section 3."


def test_each_public_name_has_a_page_with_its_shapes_and_source(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    for path in (ROOT / "docs" / "reference").glob("*.md"):
        (tmp_path / "reference" / path.name).write_text(path.read_text())
    navigation = site_reference.write(tmp_path)
    names = site_reference.public_names()
    pages = {name.page for name in names}
    assert len(pages) == len(names)
    assert len({page.lower() for page in pages}) == len(names), "some file systems would have one file for two"
    for name in names:
        page = (tmp_path / "reference" / f"{name.page}.md").read_text()
        found = re.search(r"<!-- at: (\S+) (\d+) -->", page)
        assert found is not None, name.name
        line = (ROOT / "src" / "regard" / found[1]).read_text().split("\n")[int(found[2]) - 1]
        assert re.match(rf"(@|(class|def|async def) {name.name}\b)", line), name.name
        assert f'"reference/{name.page}.md"' in navigation[f"reference/{site_reference.MODULES[name.module]}.md"]
    attention = (tmp_path / "reference" / "nn" / "attention.md").read_text()
    assert "| `query` | float tensor, `*batch query query_dim` |" in attention
    assert attention.count("\n$$\n\\mathrm") == 2
    assert "- [2. Masks](../../guide/02-masks.md)" in attention
    overview = (tmp_path / "reference" / "nn.md").read_text()
    assert "| [`Rotary`](nn/Rotary.md) | rotary position embeddings |" in overview
    assert "<!-- names" not in overview
