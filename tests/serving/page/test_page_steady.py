"""What is shown stays until there is something new; the tour covers nothing and ends where it began; links, copies, media."""

from __future__ import annotations

import gzip
import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from on_page import CELL, ERROR, HEAD, MATRIX, OUTPUT, SEARCH, TEXT, TOKEN, Served, Shown, numbers

from regard.pipelines.translator import Translator
from regard.serving.http.page import takes_gzip

SENTENCE = "the old cat sleeps near Paris"
WATCH = """() => { window.frames_ = []; const look = () => { frames_.push([document.documentElement.scrollHeight, scrollY,
    document.querySelectorAll('#matrix').length, document.querySelectorAll('#output .token').length]);
    requestAnimationFrame(look); }; look(); }"""


def without_failed_requests(page: Shown) -> None:
    page.problems[:] = [each for each in page.problems if not each.startswith("Failed to load resource")]


LINES_ABOVE = 80
"""Pixels by which the browser scrolls along when lines are added above what is visible, so that this stays where it is."""


def test_nothing_vanishes_while_something_new_is_made(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE, head="cross.1.0", off="cross.0.1", isExplained="true")
    page.click(SEARCH)

    def act(change: str) -> None:
        page.page.evaluate("scrollTo(0, 500)")
        page.page.evaluate(WATCH)
        page.page.evaluate(change)
        page.page.wait_for_timeout(500)
        page.settled()
        frames = page.page.evaluate("frames_.slice(2)")
        heights = [height for height, _, _, _ in frames]
        assert min(heights) > 0.8 * heights[0], change
        moves = [abs(scrolled - frames[0][1]) for _, scrolled, _, _ in frames]
        assert max(moves) <= LINES_ABOVE, change
        assert all(matrices == 1 and tokens > 0 for _, _, matrices, tokens in frames), change

    write = "(it => {{ it.value = '{}'; it.dispatchEvent(new Event('input')); }})(document.querySelector('#text'))"
    act(write.format("my small duck sings in Berlin"))
    act("document.querySelector('.alternatives button:not(:disabled)').click()")
    act("document.querySelector('#take-back').click()")
    act("[...document.querySelectorAll('.nbest button.link')].at(-1).click()")
    act(
        "(it => { it.value = 'flow.rollout'; it.dispatchEvent(new Event('change')); })(document.querySelector('#head'))"
    )
    assert page.page.input_value(HEAD) == "flow.rollout"


def test_what_is_old_is_pale(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.page.uncheck(".controls input[type=checkbox]")
    before = page.tokens
    page.page.fill(TEXT, "my small duck")
    page.drawn()
    assert page.tokens == before
    assert page.exists(f".stale {OUTPUT}")
    assert page.exists(".panel.alignment.stale")
    assert page.exists("#other-text")
    page.page.wait_for_timeout(500)
    assert "duck" not in page.address  # a link is of what is shown
    page.page.click("button.primary")
    page.settled()
    assert not page.exists(".stale")
    assert "duck" in page.address


def test_what_is_being_written_is_not_pale(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    before = page.tokens
    slow = {"offline": False, "latency": 0, "downloadThroughput": 6000, "uploadThroughput": -1}
    page.page.context.new_cdp_session(page.page).send("Network.emulateNetworkConditions", slow)
    page.page.evaluate("""() => { window.seen = []; const look = () => {
        const tokens = [...document.querySelectorAll('#output .token')].map(each => each.textContent);
        window.seen.push([document.querySelector('.stale #output') !== null, tokens.join('|')]);
        requestAnimationFrame(look); }; look(); }""")
    page.write("my small duck sings in Berlin, the old cat sleeps, and a red woman plays by London")
    seen = page.page.evaluate("window.seen")
    old = "|".join(before)
    assert any(is_pale for is_pale, tokens in seen if tokens == old)
    new = [is_pale for is_pale, tokens in seen if tokens != old]
    assert len({tokens for _, tokens in seen}) > 2
    assert not any(new)


def test_a_copy_is_said_and_needs_no_safe_address(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # as over http in a network
    wanted = page.page.evaluate("regard.state.output.sentences[0].text")
    page.page.click("#copy")
    page.page.wait_for_selector(".said:has-text('Copied')")
    page.page.uncheck(".controls input[type=checkbox]")
    page.page.fill(TEXT, "")
    page.page.keyboard.press("Control+V")
    assert page.page.input_value(TEXT) == wanted
    page.page.evaluate("document.execCommand = () => false")
    page.page.click("#copy")
    page.page.wait_for_selector(".said:has-text('does not allow')")


def test_a_server_that_was_started_anew_is_asked_to_look_again(opened: Any, learnt_folder: Path) -> None:
    server = Served(learnt_folder)
    page = opened(server.url, text=SENTENCE, head="cross.1.0", isExplained="true")
    server.stop()
    again = Served(learnt_folder, port=server.port)
    try:
        page.press(MATRIX, "ArrowRight", "ArrowDown")
        page.wait("document.querySelector('.computed.stale') === null")
        assert not page.exists(ERROR)
        assert page.text("#softmax tr.strong td bdi") == page.cell[2]
        page.choose(HEAD, "flow.rollout")
        assert page.exists(CELL)
    finally:
        again.stop()
    without_failed_requests(page)


@pytest.mark.parametrize(
    "kept",
    [{"beam": 1_000_000}, {"beam": 2.5}, {"beam": -1}, {"head": "flow.evil"}, {"head": "mean.<b>"}, {"temperature": "Infinity"},
     {"temperature": 1e9, "seed": 3}, {"seed": 1.5}, {"length": 1e9}, {"share": 7}, {"off": "a,b,cross.x.y"}, {"step": 1.5}],
)  # fmt: skip
def test_links_that_cannot_be_meant(opened: Any, learnt_url: str, learnt: Translator, kept: dict[str, object]) -> None:
    page = opened(learnt_url, text=SENTENCE, **kept)
    assert not page.exists(ERROR)
    assert page.page.evaluate("regard.state.output.sentences[0].text") == learnt.translate(SENTENCE, beam_size=5).text
    assert page.exists(MATRIX)


@pytest.fixture(scope="module")
def with_examples(learnt_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose folder names texts, and no direction."""
    folder = tmp_path_factory.mktemp("examples") / "toy"
    shutil.copytree(learnt_folder, folder)
    (folder / "results.json").write_text(json.dumps({"examples": ["my red duck sings by London", SENTENCE]}))
    return folder


SHOWN = (".alternatives", ".frame", "#heads", "#softmax", ".frame", ".changes", ".alternatives", ".scroll")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_tour_covers_nothing_that_it_shows(opened: Any, serve: Any, with_examples: Path, width: int) -> None:
    page = opened(serve(with_examples).url, width=width)
    page.page.emulate_media(reduced_motion="reduce")
    page.page.set_viewport_size({"width": width, "height": 740})
    assert "und" not in page.text(".translate .head")
    assert page.page.input_value(TEXT) == "my red duck sings by London"
    assert page.texts(".translate button.link .whole") == [SENTENCE]  # another example
    page.click("#tour")
    for number, selector in enumerate(SHOWN, start=1):
        page.wait(
            f"document.querySelector('#tour-title').textContent.startsWith('{number} of') && document.querySelector('.toured')"
        )
        page.settled()
        page.page.wait_for_timeout(100)
        box = "(box => [box.top, box.bottom])(document.querySelector('{}').getBoundingClientRect())"
        top, bottom = page.page.evaluate(box.format(f".toured {selector}"))
        bar, end = page.page.evaluate(box.format(".tour"))
        assert 0 <= top < bottom <= bar + 1, selector
        assert bar > 0.6 * end
        if number < len(SHOWN):
            page.page.click("#tour-next")


def test_the_tour_ends_where_it_began(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE, off="cross.0.1,encoder.0.0", head="decoder.1.0", step=2, sortBy="entropy")
    seen = """(({heads: {disabled, undoStack, sortBy}, view: {head, outputPosition}, search: {trace}}) =>
        JSON.stringify({disabled, undoStack, sortBy, head, outputPosition, trace}))(regard.state)"""
    before, address, written = page.page.evaluate(seen), page.address, page.text("#written-then")
    page.page.evaluate("scrollTo(0, 300)")
    page.page.evaluate("document.querySelector('#tour').focus({preventScroll: true})")
    page.page.keyboard.press("Enter")  # a click would scroll to the button
    for _ in range(5):
        page.click("#tour-next")
    assert page.heads_off != ["encoder.0.0", "cross.0.1"]
    page.page.keyboard.press("Escape")
    page.settled()
    page.drawn()
    assert (page.page.evaluate(seen), page.address, page.text("#written-then")) == (before, address, written)
    assert page.page.evaluate("document.activeElement.id") == "tour"
    assert page.page.evaluate("scrollY") == pytest.approx(300, abs=2)


def test_line_breaks_are_copied(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text="the old cat sleeps. London sings.\n\nmy small duck\n  a red woman")
    first, second, third, fourth = (
        learnt.translate(text).text for text in ("the old cat sleeps.", "London sings.", "my small duck", "a red woman")
    )
    wanted = f"{first} {second}\n\n{third}\n  {fourth}"
    page.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async it => { window.kept = it; }}})"
    )
    page.page.click("#copy")
    page.wait("window.kept !== undefined")
    assert page.page.evaluate("window.kept") == wanted
    page.page.click('[data-sentence="2"] .token >> nth=0')
    page.settled()
    page.write_alternative(1)
    third = page.page.evaluate("regard.state.output.sentences[2].text")
    page.page.click("#copy")
    page.wait(f"window.kept !== {json.dumps(wanted)}")
    assert page.page.evaluate("window.kept") == f"{first} {second}\n\n{third}\n  {fourth}"


def test_back_leads_to_the_text_before(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.page.uncheck(".controls input[type=checkbox]")
    page.page.fill(TEXT, "my small duck")
    page.page.click("button.primary")
    page.settled()
    assert page.page.title() == "my small duck · en-de · Regard"
    page.page.go_back()
    page.wait(f"document.querySelector('#text').value === '{SENTENCE}'")
    page.settled()
    assert page.page.evaluate("regard.state.output.sentences[0].source") == SENTENCE
    page.page.go_forward()
    page.wait("document.querySelector('#text').value === 'my small duck'")
    page.settled()


def test_menus_close_and_there_are_ways_past_the_panels(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    for close in ("Escape", "elsewhere"):
        page.page.click('summary[aria-label="Save: heads"]')
        assert page.exists("details.save[open]")
        page.page.keyboard.press("Escape") if close == "Escape" else page.page.click("h1")
        assert not page.exists("details.save[open]")
    page.page.focus(".skips button:nth-child(4)")
    page.page.keyboard.press("Enter")
    assert page.page.evaluate("document.activeElement.classList.contains('heads')")
    small = """() => [...document.querySelectorAll('#output .token, .help, .cell')].filter(it => {
        const {width, height} = it.getBoundingClientRect(); return Math.min(width, height) < 24; }).length"""
    page.page.set_viewport_size({"width": 360, "height": 740})
    assert page.page.evaluate(small) == 0


def test_colours_stay_in_high_contrast_and_in_print(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE, off="cross.0.1", head="cross.1.0")
    code = """() => [...document.querySelectorAll('.track > span, #output .token, .ramp i, .cell[aria-pressed="true"]')].map(it =>
        it.matches('.cell') ? getComputedStyle(it).borderTopColor : getComputedStyle(it).backgroundColor)"""
    usual = page.page.evaluate(code)
    page.page.emulate_media(forced_colors="active")
    contrast = page.page.evaluate(code)
    page.page.emulate_media(forced_colors="none", media="print")
    printed = page.page.evaluate(code)
    assert len(set(usual)) > 3
    assert len(set(contrast)) >= len(set(usual)) - 1  # what is clear becomes paper
    assert printed == usual
    assert page.page.evaluate("getComputedStyle(document.querySelector('.track > span')).printColorAdjust") == "exact"


def test_paper_is_white_whatever_the_screen_is(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE, head="cross.1.0")
    colours = """() => { const canvas = document.querySelector('#matrix'), {width, height} = canvas;
        const pen = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
        pen.drawImage(canvas, 0, 0);
        const cell = pen.getImageData(width - 6, height - 6, 1, 1).data[0];
        return [cell, getComputedStyle(document.querySelector('.panel')).backgroundColor,
                getComputedStyle(document.body).backgroundColor]; }"""
    light = page.page.evaluate(colours)
    page.page.emulate_media(color_scheme="dark")
    page.drawn()
    dark = page.page.evaluate(colours)
    assert all(one != other for one, other in zip(light, dark, strict=True))
    for theme in (None, "dark"):
        if theme:
            page.page.click("button.theme")  # light
            page.page.click("button.theme")
        page.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.page.emulate_media(media="print")
        assert page.page.evaluate(colours) == [*light[:2], "rgb(255, 255, 255)"]
        page.page.emulate_media(media="screen")
        page.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.page.evaluate(colours) == dark
        assert page.page.evaluate("document.documentElement.dataset.theme ?? null") == theme


def test_a_reader_s_colour_for_what_cannot_be_used_is_not_paled(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    opacity = "getComputedStyle(document.querySelector('.patching button:disabled')).opacity"
    assert float(page.page.evaluate(opacity)) < 1
    page.page.emulate_media(forced_colors="active")
    assert float(page.page.evaluate(opacity)) == 1


def test_letters_join_and_columns_run_as_the_text_does(opened: Any, serve: Any, tmp_path: Path) -> None:
    import page_models

    folder = page_models.copying(tmp_path / "arabic", alphabet="سلامأد bc", max_positions=24)
    page = opened(serve(folder).url, text="سلام دد", head="cross.0.0")
    classes = [str(each.get_attribute("class")) for each in page.all(TOKEN).all()]
    letters = ["".join(each) for each in page.texts(TOKEN)]
    joined = {
        letter: ("joins-before" in each, "joins-after" in each) for letter, each in zip(letters, classes, strict=True)
    }
    assert joined["س"] == (False, True)
    assert joined["ل"] == (True, True)
    assert joined["ا"] == (True, False)  # joins with none after it
    assert page.all("#key-tokens > span.part").count() > 1  # letters join only where nothing is isolated
    page.page.focus(MATRIX)
    page.page.keyboard.press("Home")
    page.drawn()
    first = page.page.evaluate("regard.state.view.inputPosition")
    page.page.keyboard.press("ArrowLeft")  # the next letter stands to the left
    page.drawn()
    assert page.page.evaluate("regard.state.view.inputPosition") == first + 1
    layout = page.page.evaluate("regard.matrixLayout()")
    page.page.click(MATRIX, position={"x": layout["left"] + 2, "y": layout["top"] + 2})
    page.drawn()
    count = page.page.evaluate("regard.state.inspection.result.tokens.cross.keys.spelled.length")
    assert page.page.evaluate("regard.state.view.inputPosition") == count - 1
    assert "right to left" in page.text("#reading")


def test_an_unknown_letter_is_named(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="aéb", head="cross.0.0")
    labels = page.texts("#curves text")
    assert any("é" in each for each in labels)


def test_counts_speak_of_the_longest_sentence(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=f"{SENTENCE}. my small duck sings.")
    page.page.wait_for_selector("#count")
    lengths = [
        len(learnt.tokenizer.encode(each))
        for each in page.page.evaluate("regard.state.output.sentences.map(each => each.source)")
    ]
    total, _, longest = numbers(page.text("#count"))
    assert (total, longest) == (sum(lengths), max(lengths))


def test_the_script_is_sent_compressed(copying_url: str) -> None:
    html = urllib.request.urlopen(copying_url).read().decode()
    name = html.split('<script src="')[1].split('"')[0]
    plain = urllib.request.urlopen(f"{copying_url}/{name}").read()
    asked = urllib.request.Request(f"{copying_url}/{name}", headers={"Accept-Encoding": "br, gzip;q=0.5"})
    with urllib.request.urlopen(asked) as answer:
        content = answer.read()
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(content) == plain
    assert len(content) < len(plain) / 2


@pytest.mark.parametrize(
    ("accepted", "is_taken"),
    [("gzip", True), ("GZIP", True), ("x-gzip", True), ("*", True), ("br;q=1, gzip;q=0.8", True), ("", False), ("br", False),
     ("gzip;q=0", False), ("gzip; q=0.000", False), ("*;q=0", False), ("identity, gzip ; q=1", True), ("gzip;q=x", False)],
)  # fmt: skip
def test_which_headers_take_gzip(accepted: str, is_taken: bool) -> None:
    assert takes_gzip(accepted) is is_taken
