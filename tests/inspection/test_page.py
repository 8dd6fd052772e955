"""The page in a real browser: it draws, answers to mouse and keyboard, and asks nobody for anything."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from playwright.sync_api import Page, sync_playwright

from regard.inspection.drawing.page import Measured, page_html
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
    measured = Measured(statistics, note="A note.", **more)
    return page_html(record, measured, text="a <script>alert(1)</script>", target="</script>", first="cross.1.2")


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


def tokens_of(text: str, parts: list[str]) -> Tokens:
    """Tokens of a text by what each covers of it, space in front included; what is in angles is a symbol, `?` is unknown."""
    offsets: list[tuple[int, int] | None] = []
    done = 0
    for part in parts:
        if part.startswith("<"):
            offsets.append(None)
            continue
        begin = text.index(part, done) if part != "?" else done
        done = begin + len(part)
        offsets.append((begin + len(part) - len(part.lstrip()), done))
    spelled = ["<unk>" if part == "?" else part.replace(" ", "▁") for part in parts]
    return Tokens(spelled, offsets, [None] * len(parts))


def a_text_page(text: str, parts: list[str], target: str, target_parts: list[str]) -> str:
    """The page of a pair whose tokens stand in their texts: one head of cross-attention, and one of the encoder."""
    keys, rows = tokens_of(text, parts), tokens_of(target, target_parts)
    random = numpy.random.default_rng(1)
    weights = {}
    for kind, count in (("encoder", len(keys)), ("cross", len(rows))):
        values = random.dirichlet(numpy.ones(len(keys)), (1, count))
        weights[Site(kind, 0)] = numpy.ma.MaskedArray(values, numpy.zeros_like(values, dtype=bool))
    record = Record(
        weights, {site: [0] for site in weights}, {"encoder": keys, "cross": rows}, {"encoder": keys, "cross": keys}
    )
    statistics = {str(name): ("mixed", 1.0, 0.5) for name in record}
    return page_html(record, Measured(statistics), text=text, target=target, first="cross.0.0")


def copied(page: Page, selector: str) -> str:
    """What arrives elsewhere when all of an element is copied."""
    page.evaluate(f"getSelection().selectAllChildren(document.querySelector('{selector}'))")
    page.keyboard.press("Control+C")
    page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), {id: 'pasted'}))")
    page.focus("#pasted")
    page.keyboard.press("Control+V")
    return str(
        page.evaluate("(() => { const it = document.getElementById('pasted'); it.remove(); return it.value; })()")
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Two  dogs play.", ["<s>", "Two", " ", " do", "gs", " play", ".", "</s>"]),
        ("a b\nc", ["a", " b", "\nc", "</s>"]),
        ("犬が 走る", ["犬", "が", " 走る", "</s>"]),
        ("the <mask> sees ☃", ["<s>", "the", "<mask>", " sees", " ", "?", "</s>"]),
        ("كلب كبير", ["كل", "ب", " كبير", "</s>"]),
    ],
)
def test_what_is_copied_of_the_tokens_is_the_text(opened: Any, text: str, parts: list[str]) -> None:
    page = opened(a_text_page(text, parts, "Zwei Hunde", ["Zwei", " Hun", "de", "</s>"]))
    assert copied(page, "#key-tokens") == text
    assert copied(page, "#row-tokens") == "Zwei Hunde"
    page.focus("#matrix")
    page.keyboard.press("n")  # the encoder's: rows are the text, too
    assert copied(page, "#row-tokens") == text
    assert page.locator("#key-tokens .symbol").all_inner_texts() == [
        part for part in parts if part in ("<s>", "</s>")
    ]  # fmt: skip


def test_what_is_selected_stays_when_a_token_is_chosen(opened: Any) -> None:
    page = opened(a_text_page("Two dogs play", ["Two", " dogs", " play", "</s>"], "x", ["x", "</s>"]))
    page.dblclick("#key-tokens bdi:nth-child(2)")
    assert page.evaluate("getSelection().toString()").strip() == "dogs"
    assert page.inner_text("#cell").endswith("at dogs (1)")
    page.focus("#matrix")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("getSelection().toString()").strip() == "dogs"
    assert page.locator("#key-tokens .here").inner_text().strip() == "play"


def test_tokens_wrap_on_a_narrow_screen(opened: Any) -> None:
    words = [f" word{i}" for i in range(40)]
    page = opened(a_text_page("".join(words)[1:], [words[0][1:], *words[1:]], "x" * 200, ["x"] * 200))
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for side in ("#row-tokens", "#key-tokens"):
            sizes = ("scrollWidth", "clientWidth", "scrollHeight")
            line, room, visible = (page.evaluate(f"document.querySelector('{side}').{size}") for size in sizes)
            assert line <= room
            assert visible > 40 or width == 1280


def test_each_text_runs_in_its_own_direction(opened: Any) -> None:
    arabic = ["<s>", "كلب", " (", "كبير", ")", " cat", "</s>"]
    page = opened(a_text_page("كلب (كبير) cat", arabic, "big dog", ["big", " dog", "</s>"]))
    assert page.locator("bdi").count() > 8
    assert set(page.evaluate("[...document.querySelectorAll('bdi')].map(it => getComputedStyle(it).unicodeBidi)")) == {
        "isolate"
    }
    directions = page.evaluate(
        "[...document.querySelectorAll('#key-tokens bdi')].map(it => getComputedStyle(it).direction)"
    )
    assert directions == [
        "ltr",
        "rtl",
        "rtl",
        "rtl",
        "rtl",
        "ltr",
        "ltr",
    ]  # brackets turn as in the text, symbols do not
    assert page.get_attribute("#key-tokens", "dir") == "rtl"
    assert page.get_attribute("#row-tokens", "dir") == "ltr"
    places = {
        side: [token.bounding_box()["x"] for token in page.locator(f"{side} bdi").all()]
        for side in ("#key-tokens", "#row-tokens")
    }
    assert places["#key-tokens"] == sorted(places["#key-tokens"], reverse=True)
    assert places["#row-tokens"] == sorted(places["#row-tokens"])
    arrow = page.evaluate(
        "(() => { const range = document.createRange(); range.selectNode(document.getElementById('target').firstChild);"
        " return range.getBoundingClientRect().x; })()"
    )
    assert arrow < page.locator("#target-text").bounding_box()["x"]
    page.focus("#matrix")
    page.keyboard.press("ArrowRight")
    assert page.locator("#cell bdi").all_inner_texts() == ["big", "كلب"]
    assert page.inner_text("#cell").endswith("at كلب (1)")


@pytest.mark.parametrize("count", [5, 24, 60, 512])
@pytest.mark.parametrize("width", [360, 1280])
def test_labels_neither_overlap_nor_vanish(opened: Any, count: int, width: int) -> None:
    record = a_record(count, count, layers=2, heads=3)
    page = opened(the_page(record))
    page.set_viewport_size({"width": width, "height": 900})
    page.focus("#matrix")
    page.keyboard.press("End")
    layout = page.evaluate("layout")
    for side in ("rows", "keys"):
        places = layout[side]
        gaps = {after - before for before, after in itertools.pairwise(places)}
        assert min(gaps) * layout["size"] >= 12  # the height of a line
        assert (max(places) - min(places)) * layout["size"] >= 0.9 * (count - 1) * layout["size"] - 30
    assert layout["keys"][-1] == count - 1  # the chosen one has its label
    assert layout["rows"][0] == 0
    if width == 1280 and count == 24:
        assert layout["rows"] == layout["keys"] == list(range(24))


def test_long_labels_are_cut_and_leave_room_for_the_matrix(opened: Any) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 2
    page = opened(a_text_page(f"{long} b", [long, " b", "</s>"], "x", ["x", "</s>"]))
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("fitted.get(data.keys.cross).widest <= 0.3 * innerWidth")
        layout = page.evaluate("layout")
        assert layout["top"] <= min(0.3 * width, 140) + 11
        labels = page.evaluate("fitted.get(data.keys.cross).labels")
        assert labels[0].startswith("Donau")
        assert labels[0].endswith("…")
        assert labels[1:] == ["b", "</s>"]


def test_a_legend_has_the_colours_of_the_matrix(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    assert page.inner_text("#legend").split() == ["weight", "0", "1", "forbidden", "by", "a", "mask"]
    for scheme, ends, forbidden in (
        ("light", ("rgb(255, 255, 255)", "rgb(11, 92, 173)"), "rgb(228, 232, 236)"),
        ("dark", ("rgb(13, 17, 23)", "rgb(88, 166, 255)"), "rgb(42, 48, 56)"),
    ):
        page.emulate_media(color_scheme=scheme)
        ramp = page.evaluate("getComputedStyle(document.querySelector('.legend .ramp')).backgroundImage")
        assert ramp == f"linear-gradient(to right, {ends[0]}, {ends[1]})"
        drawn = [
            f"rgb({', '.join(map(str, page.evaluate(f'colour({name!r})')))})" for name in ("paper", "heat", "forbidden")
        ]
        assert drawn == [*ends, forbidden]
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.legend .forbidden')).backgroundColor") == forbidden
        )
    assert page.locator(".legend .ramp").bounding_box()["width"] > 100


def test_how_to_read_it_is_said_for_each_kind(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    said = page.inner_text("#reading")
    assert said.startswith(
        "Each row is a token of the output, as it is predicted; each column is a token of the input. "
    )
    assert "the weights of a row sum to 1" in said
    assert "It does not say how important a token is" in said
    assert 3 <= said.count(". ") + 1 <= 5
    page.keyboard.press("n")
    assert "each column is a token before it." in page.inner_text("#reading")
    record = a_record(5, 7, layers=2, heads=3)
    statistics = {str(name): ("mixed", 1.0, 0.5) for name in record}
    alone = opened(page_html(record, Measured(statistics), text="a", target=None, first="decoder.0.0"))
    assert "Each row is a token of the text; each column" in alone.inner_text("#reading")


def test_arrows_go_from_head_to_head_and_one_tab_leads_out(opened: Any) -> None:
    page = opened(the_page(a_record(3, 4, layers=3, heads=8)))
    stops = []
    for _ in range(4):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate("document.activeElement.value || document.activeElement.id || document.activeElement.tagName")
        )
    assert stops == ["cross.1.2", "100", "matrix", "SUMMARY"]

    def pressed(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        assert page.evaluate("document.querySelectorAll('#heads button[tabindex=\"0\"]').length") == 1
        assert page.inner_text("#head-title") == f"Head {page.evaluate('document.activeElement.value')}"
        return str(page.evaluate("document.activeElement.value"))

    page.focus('button[value="cross.1.2"]')
    assert pressed("ArrowRight") == "cross.1.3"
    assert pressed("ArrowDown") == "cross.2.3"
    assert pressed("ArrowDown") == "cross.2.3"  # there is no line below
    assert pressed("ArrowUp", "ArrowUp", "ArrowUp") == "decoder.2.3"
    assert pressed("End") == "decoder.2.7"
    assert pressed("ArrowRight") == "cross.0.0"
    assert pressed("ArrowLeft") == "decoder.2.7"
    assert pressed("Home") == "decoder.2.0"
    assert pressed("ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft") == "decoder.0.0"  # there is nothing before
    assert pressed("n") == "decoder.0.1"
    assert pressed("PageDown") == "decoder.1.0"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "mass"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.value") == "decoder.1.0"


def test_numbers_of_a_column_have_as_many_decimals(opened: Any) -> None:
    page = opened(the_page(a_record(3, 4, layers=2, heads=3), log_probs=[-0.5, -0.25, -1.0625]))
    assert page.locator("#more td.number").all_inner_texts() == ["-0.500", "-0.250", "-1.063"]
