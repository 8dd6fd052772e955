"""The page in a real browser: it draws, answers to mouse and keyboard, and asks nobody for anything."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from playwright.sync_api import Page, sync_playwright

from regard.inspection.page import page_html
from regard.inspection.record import Record, Tokens
from regard.models.families import Site

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def a_record(num_rows: int, num_keys: int, layers: int, heads: int) -> Record:
    """Random weights of a decoder, causal, and of cross-attention."""
    random = numpy.random.default_rng(1)
    words = [f"w{i}" for i in range(max(num_rows, num_keys))]
    rows = Tokens(words[:num_rows], [None] * num_rows, [None] * num_rows)
    keys = Tokens(["<b>", "كلب", "▁犬", *words][:num_keys], [None] * num_keys, [None] * num_keys)
    weights = {}
    for kind, columns in (("decoder", num_rows), ("cross", num_keys)):
        for layer in range(layers):
            values = random.random((heads, num_rows, columns)) ** 8
            mask = numpy.zeros_like(values, dtype=bool)
            if kind == "decoder":
                mask[:] = ~numpy.tri(num_rows, dtype=bool)
            values[mask] = 0
            weights[Site(kind, layer)] = numpy.ma.MaskedArray(values / values.sum(axis=-1, keepdims=True), mask)
    return Record(
        weights, {site: list(range(heads)) for site in weights}, {"decoder": rows, "cross": rows},
        {"decoder": rows, "cross": keys},
    )  # fmt: skip


def the_page(record: Record, **more: Any) -> str:
    statistics = {str(name): ("mixed", 1.0, 0.5) for name in record}
    return page_html(record, text="a <script>alert(1)</script>", target="</script>", first="cross.1.2",
                     statistics=statistics, note="A note.", **more)  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens pages; in the end nothing may have gone wrong, and nothing may have left the machine."""
    problems: list[str] = []
    context = browser.new_context(viewport={"width": 1200, "height": 900})

    def load(html: str) -> Page:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda request: (
                problems.append(request.url) if not request.url.startswith(("file:", "data:", "blob:")) else None
            ),
        )
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        return page

    yield load
    context.close()
    assert problems == []


def test_heads_cells_and_keys(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    assert page.title() == "a <script>alert(1)</script>"
    assert page.inner_text("#head-title") == "Head cross.1.2"
    assert page.inner_text("#target") == "→ </script>"
    weight = record["cross", 1, 2][0, 0]
    assert page.inner_text("#cell") == f"w0 (0) looks with {weight:.3f} at <b> (0)"
    page.focus("#matrix")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.inner_text("#cell") == f"w1 (1) looks with {record['cross', 1, 2][1, 2]:.3f} at 犬 (2)"
    page.keyboard.press("End")
    assert page.inner_text("#cell").endswith("at w3 (6)")
    page.keyboard.press("n")  # after the last head, the first
    assert page.inner_text("#head-title") == "Head decoder.0.0"
    assert page.inner_text("#cell") == "w1 (1) may not look at w4 (4)"
    page.keyboard.press("PageDown")
    assert page.inner_text("#head-title") == "Head decoder.1.0"
    assert page.url.endswith("#decoder.1.0")
    page.click('button[value="cross.0.1"]')
    assert page.inner_text("#head-title") == "Head cross.0.1"
    assert page.get_attribute('button[value="cross.0.1"]', "aria-pressed") == "true"


def test_pointing_at_a_cell(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    layout = page.evaluate("layout")
    box = page.locator("#matrix").bounding_box()
    page.mouse.move(
        box["x"] + layout["left"] + 3.5 * layout["size"], box["y"] + layout["top"] + 2.5 * layout["size"]
    )  # fmt: skip
    page.wait_for_function("document.getElementById('cell').textContent.startsWith('w2 (2)')")
    assert page.inner_text("#cell") == f"w2 (2) looks with {record['cross', 1, 2][2, 3]:.3f} at w0 (3)"


def test_every_weight_arrives(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    found = page.evaluate(
        "heads.map(head => Array.from({length: rowsOf(head).length}, (_, row) => Array.from({length: keysOf(head).length},"
        " (_, key) => weight(head, row, key) === FORBIDDEN ? -1 : weight(head, row, key) / SCALE)))"
    )
    for name, values in zip(record, found, strict=True):
        numpy.testing.assert_allclose(values, record[name].filled(-1), atol=1 / 65534)


def test_a_threshold_by_mass_keeps_the_heaviest_cells(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    page.evaluate(
        "document.getElementById('mass').value = 50; document.getElementById('mass').dispatchEvent(new Event('input'))"
    )
    assert page.inner_text("#mass-value") == "the heaviest cells that hold 50 %"
    shown = numpy.array(page.evaluate("[0, 1, 2, 3, 4].map(row => shownKeys(heads[at.head], row))"))
    for row, kept in zip(record["cross", 1, 2].filled(0), shown, strict=True):
        assert row[kept].sum() >= 0.5
        assert row[kept].sum() - row[kept].min() < 0.5
        assert kept.sum() == len(kept) or row[kept].min() >= row[~kept].max()


def test_light_and_dark(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    read = "[...document.querySelector('.layer canvas').getContext('2d').getImageData(4, 0, 1, 1).data]"  # forbidden
    paper, pixels = [], []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(50)
        paper.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        pixels.append(page.evaluate(read))
    assert paper == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
    assert pixels == [[228, 232, 236, 255], [42, 48, 56, 255]]


def test_a_large_model_makes_a_small_page(opened: Any) -> None:
    html = the_page(a_record(64, 64, layers=9, heads=8))  # as many heads as 6 + 6 layers have
    assert len(html.encode()) < 3_000_000
    page = opened(html)
    assert page.evaluate("document.querySelectorAll('*').length") < 5_000


def test_512_tokens_stay_smooth(opened: Any) -> None:
    record = a_record(512, 512, layers=2, heads=3)
    page = opened(the_page(record))
    assert page.evaluate("document.querySelectorAll('*').length") < 5_000
    page.focus("#matrix")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#cell").startswith("w1 (1) looks with ")
    found = page.evaluate("weight(heads[heads.length - 1], 511, 511) / SCALE")
    assert found == pytest.approx(record["cross", 1, 2][511, 511], abs=1 / 254)


def test_what_else_there_is(opened: Any) -> None:
    record = a_record(2, 3, layers=2, heads=3)
    page = opened(
        the_page(
            record, log_probs=[-0.5, -0.25], lens=[[("▁a", 0.5), ("b", 1.0)]] * 3,
            ablations=[("cross.1.2", -0.125, "other & words")],
        )
    )  # fmt: skip
    text = page.inner_text("#more")
    for part in ("cross.1.2", "-0.125", "other & words", "a 0.50", "layer 1", "-0.25"):
        assert part in text
