"""Large sentences, narrow screens, and how large the page itself is."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import CELL, ERROR, HEAD, HEADS, MATRIX, SEARCH, TREE, Shown, head_button
from served import Start

WEB = Path(__file__).parents[3] / "web"
NODE = shutil.which("node")
WIDTH = 360
LEAST_ELEMENTS = 1000


def test_the_longest_sentence(opened: Any, start: Start, tmp_path: Path) -> None:
    server = start(page_models.copying(tmp_path / "large-en-de", 512))
    text = "".join(random.Random(1).choices("abcdefghij", k=510))
    page = opened(server.url, text=text, beam=1, head="cross.0.1", step=2, source=511)
    assert "".join(page.tokens) == f"␣{text}"
    assert page.all(HEADS).count() == 6
    assert LEAST_ELEMENTS < page.page.evaluate("document.querySelectorAll('*').length") < 5000
    assert page.cell == (text[1], 0.0, "</s>")
    page.slide("#step", 300)
    assert page.cell == (text[299], 0.0, "</s>")
    page.choose(HEAD, "decoder.0.1")
    assert page.cell == (text[299], None, text[-1])
    page.press(MATRIX, "Home")
    assert page.cell == (text[299], 0.0, "<s>")
    assert page.page.evaluate("document.querySelectorAll('*').length") < 5000
    box = page.all(MATRIX).bounding_box()
    assert box["width"] > 512
    assert box["height"] > 512
    drawn = """() => { const canvas = document.querySelector('#matrix'), copy = new OffscreenCanvas(canvas.width, canvas.height);
        const pen = copy.getContext('2d', {willReadFrequently: true}); pen.drawImage(canvas, 0, 0);
        return new Set(new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size; }"""
    assert page.page.evaluate(drawn) > 10


def assert_fits(page: Shown) -> None:
    assert page.page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    wide = page.page.evaluate(
        f"""[...document.querySelectorAll('button, select, textarea, input, h2, #cell')].filter(each => {{
            const box = each.getBoundingClientRect();
            return box.width && (box.right > {WIDTH} || box.left < 0) && !each.closest('.scroll, .frame, .alternatives');
        }}).map(each => each.outerHTML.slice(0, 90))"""
    )
    assert wide == []


def test_a_narrow_screen(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, width=WIDTH)
    assert_fits(page)
    page.write("the old cat sleeps near Paris and my small duck sings by London in Berlin")
    assert_fits(page)
    page.take_token(2)
    page.write_alternative(1)
    assert_fits(page)
    page.press(head_button("cross.1.0"), " ")
    page.click("#rank")
    assert_fits(page)
    page.click(SEARCH)
    assert page.page.evaluate(f"document.querySelector('{TREE}').getBoundingClientRect().width") > WIDTH
    assert_fits(page)
    page.write("w" * 300)
    assert_fits(page)


def test_the_bar_of_a_narrow_screen_is_not_on_narrow_paper(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, width=WIDTH)
    shown = "getComputedStyle(document.querySelector('.skips')).display"
    assert page.page.evaluate(shown) == "flex"
    page.page.emulate_media(media="print")
    assert page.page.evaluate(shown) == "none"


def test_paper_has_what_is_shown_and_no_buttons_for_what_could_be_done(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc", off="cross.0.0")
    visible = "all => all.filter(each => each.checkVisibility()).length"
    content = {name: page.all(name).evaluate_all(visible) for name in ("#output .token", ".cell", ".chip")}
    assert all(content.values())
    assert page.all("button[id]").evaluate_all(visible)
    page.page.emulate_media(media="print")
    assert {name: page.all(name).evaluate_all(visible) for name in content} == content
    assert page.all("button[id]:not([aria-pressed='true'])").evaluate_all(visible) == 0


@pytest.mark.parametrize("width", [1280, 2560])
def test_alternatives_are_below_what_is_said_of_them(opened: Any, learnt_url: str, width: int) -> None:
    page = opened(learnt_url, text="the old cat sleeps", width=width)
    hint, first = (page.all(f".alternatives {each}").first.bounding_box() for each in (".hint", ".bar"))
    assert first["y"] >= hint["y"] + hint["height"]
    assert first["x"] < hint["x"] + 10


def test_a_narrow_screen_with_an_error(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, width=WIDTH)
    page.page.route("**/api/v1/stream", lambda route: route.abort())
    page.write("abc")
    assert page.exists(ERROR)
    assert_fits(page)
    page.problems.clear()


def shipped(url: str) -> dict[str, bytes]:
    """The files that the page asks for, by name."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        html = answer.read().decode()
    files = {}
    for path in re.findall(r'(?:src|href)="(page/\w+-[^"]+)"', html):
        with urllib.request.urlopen(f"{url}/{path}", timeout=30) as answer:
            files[path.partition("-")[2]] = answer.read()
    return files


def test_the_page_is_small(copying_url: str) -> None:
    files = shipped(copying_url)
    assert set(files) == {"page.js", "style.css"}
    assert sum(len(gzip.compress(content)) for content in files.values()) <= 250_000


def test_what_ships_is_what_the_sources_make(copying_url: str, tmp_path: Path) -> None:
    if NODE is None or not (WEB / "node_modules" / "esbuild").is_dir():
        pytest.skip("`npm ci` in web/ brings what builds the page")
    subprocess.run([NODE, "build.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=60)
    assert shipped(copying_url) == {name: (tmp_path / name).read_bytes() for name in ("page.js", "style.css")}


def test_types_of_answers_are_those_of_the_api_description(tmp_path: Path) -> None:
    if NODE is None or not (WEB / "node_modules" / "openapi-typescript").is_dir():
        pytest.skip("`npm ci` in web/ brings what writes the types")
    schemas = subprocess.run([sys.executable, WEB / "write_schemas.py"], check=True, capture_output=True, timeout=120)
    (tmp_path / "schemas.json").write_bytes(schemas.stdout)
    flags = json.loads((WEB / "package.json").read_text())["scripts"]["types"].split()[4:]
    command = [NODE, WEB / "node_modules/openapi-typescript/bin/cli.js", "schemas.json", "-o", "api.d.ts", *flags]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    prettier = [NODE, WEB / "node_modules/prettier/bin/prettier.cjs", "--stdin-filepath", "src/api.d.ts"]
    written = (tmp_path / "api.d.ts").read_bytes()
    found = subprocess.run(prettier, cwd=WEB, input=written, check=True, capture_output=True, timeout=60)
    assert found.stdout.decode() == (WEB / "src" / "api.d.ts").read_text(), "run `make web`"


def test_nothing_in_the_page_is_of_another_machine(copying_url: str) -> None:
    for name, content in shipped(copying_url).items():
        found = set(re.findall(rb"https?://[^\s\"'`)]+", content)) - {b"http://www.w3.org/2000/svg"}
        assert found == set(), name


def test_the_cell_is_said_when_it_changes(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc")
    assert page.page.get_attribute(CELL, "role") == "status"
    assert page.page.get_attribute("#output", "aria-live") == "polite"
