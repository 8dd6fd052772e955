"""The page in a real browser: it draws, answers to mouse and keyboard, and asks nobody for anything."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from playwright.sync_api import Page, expect

from regard.inspection.inspection import Ablation, Inspection
from regard.inspection.record import Record, Tokens
from regard.models.heads import Site

CROSS = Site("cross", 0)


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
    seen = Inspection(
        "a <script>alert(1)</script>", "</script>", record, "transformer", **{"token_log_probs": [], **more}
    )
    return seen.html(head="cross.1.2")


SHOWN = "regard.state.inspection.result.weights.get(regard.state.view.head)"


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


def drawn(page: Page) -> None:
    """Wait until the page is drawn."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def pressed(page: Page, *keys: str) -> None:
    """Press keys, and wait until the page is drawn."""
    for key in keys:
        page.keyboard.press(key)
        drawn(page)


def test_heads_cells_and_keys(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    assert page.title() == "a <script>alert(1)</script>"
    assert page.inner_text("#text") == "a <script>alert(1)</script>"
    assert page.inner_text("#head-title") == "cross.1.2"
    best = record["cross", 1, 2][0].argmax()
    assert page.inner_text("#cell").startswith(
        f"About to write w0, has read up to w0: looks with {record['cross', 1, 2][0, best]:.3f} at "
    )
    page.focus("#matrix")
    pressed(page, "Home", "ArrowDown", "ArrowRight", "ArrowRight")
    assert page.inner_text("#cell").startswith(
        f"About to write w1, has read up to w0: looks with {record['cross', 1, 2][1, 2]:.3f} at 犬."
    )
    pressed(page, "End")
    assert f": looks with {record['cross', 1, 2][1, 6]:.3f} at w3." in page.inner_text("#cell")
    pressed(page, "n")  # after the last head, the first
    assert page.inner_text("#head-title") == "decoder.0.0"
    pressed(page, "Home", *["ArrowRight"] * 4)
    assert page.inner_text("#cell").startswith("About to write w1, has read up to w0: may not look at w4.")
    pressed(page, "PageDown")
    assert page.inner_text("#head-title") == "decoder.1.0"
    assert "head=decoder.1.0" in page.url
    page.click('[data-head="cross.0.1"]')
    drawn(page)
    assert page.inner_text("#head-title") == "cross.0.1"
    assert page.get_attribute('[data-head="cross.0.1"]', "aria-pressed") == "true"


def test_the_address_keeps_what_is_chosen(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    page.click('[data-head="decoder.1.1"]')
    drawn(page)
    page.focus("#matrix")
    pressed(page, "ArrowDown", "Home")
    said, address = page.inner_text("#cell"), page.url
    assert "text=" not in address  # it is inside the page
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("body[data-ready=yes]")
    assert (page.inner_text("#cell"), page.inner_text("#head-title")) == (said, "decoder.1.1")


def test_pointing_at_a_cell(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    layout = page.evaluate("regard.matrixLayout()")
    page.locator("#matrix").scroll_into_view_if_needed()
    box = page.locator("#matrix").bounding_box()
    page.mouse.click(
        box["x"] + layout["left"] + 3.5 * layout["size"], box["y"] + layout["top"] + 2.5 * layout["size"]
    )  # fmt: skip
    expect(page.locator("#row-tokens .here")).to_have_text("w2")
    assert page.inner_text("#cell").startswith(
        f"About to write w2, has read up to w1: looks with {record['cross', 1, 2][2, 3]:.3f} at w0."
    )


def test_every_weight_arrives(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    found = page.evaluate(
        "[...regard.state.inspection.result.weights].map(([name, of]) => [name, of.rows, of.keys,"
        " [...of.values].map(value => value === of.forbidden ? -1 : value / of.scale)])"
    )
    assert [row[0] for row in found] == [str(name) for name in record]
    for name, (_, rows, keys, values) in zip(record, found, strict=True):
        numpy.testing.assert_allclose(numpy.reshape(values, (rows, keys)), record[name].filled(-1), atol=1 / 65534)


def test_a_threshold_by_share_keeps_the_heaviest_cells(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    page.evaluate(
        "document.querySelector('#share').value = 0.6; document.querySelector('#share').dispatchEvent(new Event('input'))"
    )
    expect(page.locator("label:has(#share)")).to_contain_text("60 %")
    for number, row in enumerate(record["cross", 1, 2].filled(0)):
        page.click(f"#row-tokens bdi:nth-child({number + 1})")
        drawn(page)
        expect(page.locator("#row-tokens .here")).to_have_text(record.row_tokens["cross"].spelled[number])
        kept = [int(edge.get_attribute("data-key")) for edge in page.locator(".edge.here").all()]
        assert row[kept].sum() >= 0.6 - 1e-3
        assert row[kept].sum() - row[kept].min() < 0.6
        assert sorted(kept) == sorted(numpy.argsort(-row)[: len(kept)])
        coloured = [
            bool(token.evaluate("it => it.style.background")) for token in page.locator("#key-tokens .part").all()
        ]
        assert [key for key, is_coloured in enumerate(coloured) if is_coloured] == sorted(kept)


def test_light_and_dark(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    read = "[...document.querySelector('.layer canvas').getContext('2d').getImageData(4, 0, 1, 1).data]"  # forbidden
    paper, pixels = [], []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(50)
        paper.append(page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor"))
        pixels.append(page.evaluate(read))
    assert paper == ["rgb(255, 255, 255)", "rgb(23, 28, 34)"]
    assert pixels == [[230, 234, 238, 255], [38, 45, 53, 255]]


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
    pressed(page, "ArrowDown")
    assert page.inner_text("#cell").startswith("About to write w1, has read up to w0: looks with ")
    rows = {edge.get_attribute("data-row") for edge in page.locator(".edge").all()}
    assert len(rows) == 512  # each has its curves
    found = page.evaluate(f"{SHOWN}.values[512 * 512 - 1] / {SHOWN}.scale")
    assert found == pytest.approx(record["cross", 1, 2][511, 511], abs=1 / 254)


def test_what_else_there_is(opened: Any) -> None:
    record = a_record(2, 3, layers=2, heads=3)
    page = opened(
        the_page(
            record, token_log_probs=[-0.5, -0.25], lens=[[("▁a", 0.5), ("b", 1.0)]] * 3,
            ablations=[Ablation(["cross.1.2"], -0.125, [-0.25, 0.0], "other & words")],
        )
    )  # fmt: skip
    assert page.locator("#ablations td").all_inner_texts() == ["cross.1.2", "-0.1250", "other & words"]
    assert page.locator(".lens .change").all_inner_texts() == [
        f"{name}\na\n50 %" for name in ("embeddings", "layer 0", "layer 1")
    ]
    assert page.inner_text("#probability") == "61 %"  # of e^-0.5
    page.focus("#step")
    assert page.locator("#toggle, #rank, #undo").count() == 0  # what needs a model is not offered
    assert "regard serve MODEL" in page.inner_text(".stored")


@pytest.mark.parametrize(
    ("arch", "target", "more", "possible", "has_advice"),
    [
        ("transformer", "b", {"token_log_probs": [-0.5] * 4}, "other tokens can be forced, and heads can be switched off", True),
        ("rnn", "b", {"token_log_probs": [-0.5] * 4}, "other tokens can be forced", False),
        ("decoder", None, {"token_log_probs": [-0.5] * 3}, "other tokens can be forced, and heads can be switched off", True),
        ("encoder", None, {"predicted_are": "tags", "predicted": [("A", 0.5)] * 4}, "heads can be switched off", True),
        ("encoder", None, {"predicted_are": "class", "predicted": [("A", 0.75)]}, "heads can be switched off", False),
        ("encoder", None, {}, "heads can be switched off", False),
    ],
)  # fmt: skip
def test_a_page_advises_what_its_model_can_do(
    opened: Any, arch: str, target: str | None, more: dict[str, Any], possible: str, has_advice: bool
) -> None:
    page = opened(Inspection("a b c", target, a_record(4, 4, 1, 2), arch, **more).html(head="cross.0.0"))
    text = " ".join(page.locator(".stored").inner_text().split())
    assert f"On the page of regard serve MODEL, {possible}." in text
    assert ("regard inspect --lens" in page.locator(".layers").inner_text()) is has_advice


def test_words(opened: Any) -> None:
    """Tokens of a word together: their weights are summed over the keys, and averaged over the rows, as `Inspection.words`."""
    text, target = "Two dogs play", "Zwei Hunde"
    keys, rows = (
        tokens_of(text, ["Two", " do", "gs", " play", "</s>"]),
        tokens_of(target, ["Zwei", " Hun", "de", "</s>"]),
    )
    values = numpy.random.default_rng(1).dirichlet(numpy.ones(5), (1, 4))
    weights = numpy.ma.MaskedArray(values, numpy.zeros_like(values, dtype=bool))
    seen = Inspection(
        text, target, Record({CROSS: weights}, {CROSS: [0]}, {"cross": rows}, {"cross": keys}), "transformer", []
    )
    page = opened(seen.html())
    page.check("#words")
    page.focus("#matrix")
    by_word, row_words, key_words = seen.words("cross.0.0")
    expect(page.locator("#row-tokens bdi")).to_have_count(3)  # when the words are drawn
    assert page.locator("#row-tokens bdi").all_inner_texts() == ["Zwei", "Hunde", "</s>"]
    assert "Zwei Hunde" in page.locator("#row-tokens").inner_text()
    for row, row_word in enumerate(row_words):
        before = f", has read up to {row_words[row - 1]}" if row else ""  # nothing is known before the first
        for key, key_word in enumerate(key_words):
            page.click(f"#row-tokens bdi:nth-child({row + 1})")
            drawn(page)
            page.click(f"#key-tokens bdi:nth-child({key + 1})")
            drawn(page)
            said = f"About to write {row_word}{before}: looks with {by_word[row, key]:.2f} at {key_word}."
            expect(page.locator("#cell")).to_contain_text(said)


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
    return Tokens.from_offsets(spelled, offsets, text)


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
    return Inspection(text, target, record, "transformer", []).html(head="cross.0.0")


def copied(page: Page, selector: str) -> str:
    """The text that arrives elsewhere when all of an element is copied."""
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
    pressed(page, "n")  # the encoder's: rows are the text, too
    assert copied(page, "#row-tokens") == text
    assert page.locator("#key-tokens .symbol").all_inner_texts() == [
        part for part in parts if part in ("<s>", "</s>")
    ]  # fmt: skip


def test_what_is_selected_stays_when_a_token_is_chosen(opened: Any) -> None:
    page = opened(a_text_page("Two dogs play", ["Two", " dogs", " play", "</s>"], "x", ["x", "</s>"]))
    page.dblclick("#key-tokens bdi:nth-child(2)")
    assert page.evaluate("getSelection().toString()").strip() == "dogs"
    expect(page.locator("#cell")).to_contain_text("at dogs.")
    page.focus("#matrix")
    pressed(page, "ArrowRight")
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
    assert page.locator(".tokens bdi").count() > 8
    assert set(
        page.evaluate("[...document.querySelectorAll('.tokens bdi')].map(it => getComputedStyle(it).unicodeBidi)")
    ) == {"isolate"}
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
    page.focus("#matrix")
    pressed(page, "Home", "ArrowLeft")  # the columns run from right to left
    assert page.locator("#cell bdi").all_inner_texts()[:2] == ["big", "كلب"]


@pytest.mark.parametrize("count", [5, 24, 60, 512])
@pytest.mark.parametrize("width", [360, 1280])
def test_labels_neither_overlap_nor_vanish(opened: Any, count: int, width: int) -> None:
    record = a_record(count, count, layers=2, heads=3)
    page = opened(the_page(record))
    page.set_viewport_size({"width": width, "height": 900})
    page.focus("#matrix")
    pressed(page, "End")
    layout = page.evaluate("regard.matrixLayout()")
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
        page.wait_for_timeout(100)
        assert 30 < page.evaluate("regard.matrixLayout().top") <= min(0.25 * width, 120) + 11
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_legend_has_the_colours_of_the_matrix(opened: Any) -> None:
    page = opened(the_page(a_record(5, 7, layers=2, heads=3)))
    assert " ".join(page.inner_text("#legend").split()) == "weight 0 1 the chosen token the others"  # nothing is hidden
    page.focus("#matrix")
    pressed(page, "n")
    said = " ".join(page.inner_text("#legend").split())
    assert said == "weight 0 1 forbidden by a mask the chosen token the others"
    for scheme, ends, forbidden in (
        ("light", ("rgb(255, 255, 255)", "rgb(29, 43, 58)"), "rgb(230, 234, 238)"),
        ("dark", ("rgb(23, 28, 34)", "rgb(213, 223, 233)"), "rgb(38, 45, 53)"),
    ):
        page.emulate_media(color_scheme=scheme)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        ramp = page.evaluate(
            "[...document.querySelectorAll('#legend .ramp i')].map(each => getComputedStyle(each).backgroundColor)"
        )
        assert (ramp[0], ramp[-1]) == ends
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.legend .forbidden')).backgroundColor") == forbidden
        )
    assert page.locator("#legend .ramp").bounding_box()["width"] > 100


def test_how_to_read_it_is_said_for_each_kind(opened: Any) -> None:
    record = a_record(5, 7, layers=2, heads=3)
    page = opened(the_page(record))
    assert page.inner_text("#axes") == (
        "Rows: each token stands for the place where it is about to be written: all tokens before it have been read there. "
        "Columns: the tokens of the text, which it looks at."
    )
    assert page.inner_text("#mask").startswith("No cell is hatched")
    said = page.inner_text("#reading")
    assert "the weights of a row sum to 1" in said
    assert "It does not say how important a token is" in said
    assert 3 <= said.count(". ") + 1 <= 5
    page.focus("#matrix")
    pressed(page, "n")
    assert page.inner_text("#mask").startswith("Hatched: a place may not look at tokens that are not written yet.")
    decoder = Record(
        {site: weights for site, weights in record.weights.items() if site.kind == "decoder"},
        {site: heads for site, heads in record.heads.items() if site.kind == "decoder"},
        {"decoder": record.row_tokens["decoder"]}, {"decoder": record.key_tokens["decoder"]},
    )  # fmt: skip
    alone = opened(Inspection("a", None, decoder, "gpt", [-0.5] * 4).html())
    assert alone.inner_text("#axes").startswith("Rows: each token stands for the place where it has been read, and")
    assert "While the model writes, there are none. To show this, the whole text" in alone.inner_text("#mask")


def test_a_language_models_tokens_have_the_probabilities_that_it_gave_them(opened: Any) -> None:
    tokens = tokens_of("a b c", ["a", " b", " c"])
    weights = numpy.ma.MaskedArray(
        numpy.tri(3)[None] / numpy.arange(1, 4)[None, :, None], ~numpy.tri(3, dtype=bool)[None]
    )
    site = Site("decoder", 0)
    record = Record({site: weights}, {site: [0]}, {"decoder": tokens}, {"decoder": tokens})
    page = opened(Inspection("a b c", None, record, "gpt", [-0.5, -2.0]).html())
    assert [chip.get_attribute("aria-description") for chip in page.locator(".token").all()] == ["", "61 %", "14 %"]
    page.click(".token >> nth=2")
    drawn(page)
    assert page.inner_text("#probability") == "14 %"
    assert page.inner_text("#cell").startswith(
        "About to write the next token, has read up to c: looks with 0.333 at a."
    )


def test_arrows_go_from_head_to_head_and_one_tab_leads_out(opened: Any) -> None:
    page = opened(the_page(a_record(3, 4, layers=3, heads=8)))

    def after(*keys: str) -> str:
        pressed(page, *keys)
        assert page.evaluate("document.querySelectorAll('#heads .cell[tabindex=\"0\"]').length") == 1
        focused = str(page.evaluate("document.activeElement.dataset.head"))
        assert page.inner_text("#head-title") == focused
        return focused

    page.focus('[data-head="cross.1.2"]')
    assert after("ArrowRight") == "cross.1.3"
    assert after("ArrowDown") == "cross.2.3"
    assert after("ArrowDown") == "cross.2.3"  # there is no line below
    assert after("ArrowUp", "ArrowUp", "ArrowUp") == "decoder.2.3"
    assert after("End") == "decoder.2.7"
    assert after("ArrowRight") == "cross.0.0"
    assert after("ArrowLeft") == "decoder.2.7"
    assert after("Home") == "decoder.2.0"
    assert after("ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft") == "decoder.0.0"  # there is nothing before
    assert after("n") == "decoder.0.1"
    assert after("PageDown") == "decoder.1.0"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('#heads')") is None
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.head") == "decoder.1.0"


def test_in_a_notebook_the_page_is_as_high_as_what_it_shows(opened: Any) -> None:
    seen = Inspection("a", "b", a_record(5, 7, layers=2, heads=3), "transformer", [])
    page = opened(f"<!doctype html><body data-ready=yes>{seen._repr_html_()}</body>")
    page.wait_for_function("document.querySelector('iframe').offsetHeight > 900")
    frame, height = page.frames[1], page.evaluate("document.querySelector('iframe').offsetHeight")
    assert 0 <= height - frame.evaluate("document.documentElement.offsetHeight") < 10
    frame.click('[data-head="cross.0.1"]')
    page.mouse.move(0, 0)  # heads that the mouse is over are shown, too
    frame.wait_for_function("document.querySelector('#head-title').innerText == 'cross.0.1'")
