"""Back and forth in the browser, titles of entries, and links that are copied."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import page_models
import pytest
from on_page import BEAM, HEAD, TEXT, Shown, head_button
from served import Start

FIRST, SECOND, THIRD = "the old cat sleeps near Paris", "my small duck sings by London", "a red woman plays in Berlin"
LONGEST_TITLE = 60
LENGTH = "history.length"
NO_REST = """() => { const own = window.setTimeout;
    window.setTimeout = (act, after, ...more) => after === 1500 ? 0 : own(act, after, ...more); }"""
"""On a slow machine, pauses between words are not taken for a rest."""
CHOICES = """(({request, view, heads}) => JSON.stringify([request, {...view, hoveredToken: null}, heads.disabled]))(
    regard.state)"""


def shown_text(page: Shown, text: str) -> None:
    """Wait until a text is shown, and its translation with it."""
    page.wait(f"document.querySelector('#text').value === {json.dumps(text)} && !document.querySelector('.stale')")


def leave_field(page: Shown) -> None:
    """End the writing, so that the text has an entry of its own."""
    page.page.evaluate("document.querySelector('#text').blur()")
    page.drawn()


def asked_of(page: Shown) -> list[str]:
    """What is asked of the server from now on."""
    asked: list[str] = []
    page.page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    return asked


def write(page: Shown, text: str) -> None:
    """Write a text as a reader does, and leave the field."""
    page.page.click(TEXT)
    page.page.keyboard.press("Control+A")
    page.page.keyboard.type(text)
    page.wait(f"regard.state.output.sourceText === {json.dumps(text)}")
    page.settled()
    leave_field(page)


def test_each_translation_has_an_entry_and_no_key_stroke(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    page.page.evaluate(NO_REST)
    before = page.page.evaluate(LENGTH)
    page.page.click(TEXT)
    page.page.keyboard.press("Control+A")
    for word in SECOND.split():  # each pause is long enough for a translation
        page.page.keyboard.type(f"{word} ")
        page.wait(f"regard.state.output.sourceText.endsWith({json.dumps(word + ' ')})")
        page.settled()
    assert page.page.evaluate(LENGTH) == before + 1
    leave_field(page)
    page.choose(HEAD, "cross.1.0")
    page.press(head_button("encoder.1.1"), " ")
    assert page.page.evaluate(LENGTH) == before + 1
    write(page, THIRD)
    assert page.page.evaluate(LENGTH) == before + 2
    page.page.go_back()
    shown_text(page, f"{SECOND} ")
    page.page.go_back()
    shown_text(page, FIRST)


def test_a_text_that_has_rested_keeps_its_entry(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    before = page.page.evaluate(LENGTH)
    for text in (SECOND, THIRD):
        page.page.fill(TEXT, text)
        page.wait(f"regard.state.output.sourceText === {json.dumps(text)}")
        page.settled()
        page.page.evaluate("new Promise(done => setTimeout(done, 2000))")  # the field keeps the focus
    assert page.page.evaluate(LENGTH) == before + 2


def test_back_shows_the_old_result_without_a_request(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    page.choose(BEAM, "3")
    page.choose(HEAD, "flow.rollout")
    page.take_token(2)
    page.press(head_button("cross.0.1"), " ")
    wanted = page.page.evaluate(CHOICES)
    seen, address, title = (page.tokens, page.curves, page.text(".without")), page.address, page.page.title()
    write(page, SECOND)
    page.choose(HEAD, "decoder.1.0")
    page.choose(BEAM, "1")
    second = page.tokens, page.address, page.page.title()
    asked = asked_of(page)
    page.page.go_back()
    shown_text(page, FIRST)
    page.settled()
    assert (page.tokens, page.curves, page.text(".without")) == seen
    assert (page.address, page.page.title()) == (address, title)
    assert page.page.evaluate(CHOICES) == wanted
    page.page.go_forward()
    shown_text(page, SECOND)
    page.settled()
    assert (page.tokens, page.address, page.page.title()) == second
    assert asked == []


def test_back_from_an_edit_and_after_a_reload(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    first = page.tokens
    page.take_token(1)
    page.write_alternative(1)
    forced = page.tokens
    write(page, SECOND)
    page.page.reload()
    page.settled()
    assert page.page.input_value(TEXT) == SECOND
    page.page.evaluate("() => { window.old = regard.state.output.sentences; }")
    page.page.go_back()  # nothing is stored any more: the page asks again, and the old result is pale until then
    page.wait("regard.state.output.sentences[0]?.edit?.kind === 'prefix' && regard.state.output.sentences[0].isDone")
    page.settled()
    assert page.tokens == forced
    page.page.go_back()
    page.wait("regard.state.output.sentences[0]?.edit === null")
    page.settled()
    assert page.tokens == first
    page.page.go_forward()
    page.wait("regard.state.output.sentences[0]?.edit?.kind === 'prefix'")
    page.settled()
    assert page.tokens == forced


def test_back_while_another_text_is_translated(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    first = page.tokens
    write(page, SECOND)
    slow = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
    page.page.context.new_cdp_session(page.page).send("Network.emulateNetworkConditions", slow)
    page.page.fill(TEXT, THIRD)
    page.wait("regard.state.status.busy.translate !== undefined")
    page.page.go_back()
    shown_text(page, FIRST)
    page.settled()
    page.page.evaluate("new Promise(done => setTimeout(done, 700))")  # the late answer would be there
    assert (page.tokens, page.page.input_value(TEXT)) == (first, FIRST)


@pytest.mark.parametrize(
    "text",
    [FIRST, "the old cat sleeps near Paris and my small duck sings by London", pytest.param("🙂" * 80, id="signs")],
)
def test_titles_name_text_and_model(opened: Any, learnt_url: str, text: str) -> None:
    page = opened(learnt_url, text=text)
    title = page.page.title()
    shown, model, program = title.split(" · ")
    assert len(title) <= LONGEST_TITLE
    assert (model, program) == ("en-de", "Regard")
    assert text.startswith(shown.removesuffix("…"))
    assert shown == text or shown.endswith("…")


def copied_link(page: Shown) -> str:
    """The link that “Share” copies, read from the clipboard, as over http in a network."""
    page.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.page.evaluate("""() => document.addEventListener('copy', () => {
        window.copied = document.activeElement.value; }, {once: true})""")
    page.page.click("#share-link")
    page.page.wait_for_selector("#share-link:has-text('Copied')")
    page.page.wait_for_selector(".said:has-text('Link copied')")
    assert page.text("#copy" if page.exists("#copy") else "h1") != "Copied"
    return str(page.page.evaluate("window.copied"))


def test_share_copies_a_link_of_what_is_shown(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=FIRST)
    page.choose(BEAM, "3")
    page.take_token(1)
    page.write_alternative(1)
    page.choose(HEAD, "flow.rollout")
    page.page.uncheck(".controls input[type=checkbox]")
    page.page.fill(TEXT, SECOND)  # not translated: it is not what is shown
    link = copied_link(page)
    assert link == page.address
    other = opened(link)
    assert other.page.input_value(TEXT) == FIRST
    assert (other.tokens, other.curves, other.page.input_value(BEAM)) == (page.tokens, page.curves, "3")
    assert other.page.input_value(HEAD) == "flow.rollout"


def test_share_names_the_text_of_an_example(opened: Any, serve: Any, learnt_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page-en-de"
    shutil.copytree(learnt_folder, folder)
    (folder / "results.json").write_text(json.dumps({"examples": [FIRST]}))
    page = opened(serve(folder).url)
    assert "An example. Write over it." in map(str.strip, page.texts("p.hint"))  # there is no other one to take
    assert page.address.endswith(("/", "#"))
    assert parse_qs(copied_link(page).partition("#")[2])["text"] == [FIRST]


def test_a_link_of_a_language_model_has_the_options_of_what_is_shown(opened: Any, start: Start, tmp_path: Path) -> None:
    page = opened(start(page_models.letters(tmp_path / "letters")).url, text="ab c", temperature=0.8, seed=4, length=20)
    before = page.address
    page.page.fill(TEXT, "fed")  # choices that nothing was written with yet
    page.choose("#temperature", "1.3")
    page.choose("#length", "100")
    assert page.address == before
    assert copied_link(page) == before
    entries = page.page.evaluate(LENGTH)
    page.click("button.primary")
    assert page.page.evaluate(LENGTH) == entries + 1
    assert {"text=fed", "temperature=1.3", "length=100"} <= set(page.address.partition("#")[2].split("&"))
    assert page.page.title() == "fed · letters · Regard"
    page.page.go_back()
    page.wait("document.querySelector('#text').value === 'ab c'")
    page.settled()
    assert page.page.input_value("#temperature") == "0.8"
    assert page.address == before
