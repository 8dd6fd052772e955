"""The tasks of readers, with at most the clicks that each took before the page was designed anew, at the size of their screens.

Parts that are looked at after a click are on the screen then, without scrolling.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import ALTERNATIVES, CELL, CHANGE, CURVES, HEAD, OUTPUT, TEXT, TOGGLE, TOKEN, Shown, numbers

EXAMPLE = "the old cat sleeps near Paris"
TEXT_OF_TASKS = "my small duck sings in Berlin"
SCREENS = {"desk": (1280, 800), "phone": (360, 740)}


@pytest.fixture(scope="module")
def url(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where a model with an example in its folder is served."""
    path = page_models.learning(tmp_path_factory.mktemp("tasks") / "en-de", norm="pre")
    (path / "results.json").write_text(json.dumps({"examples": [EXAMPLE]}))
    return str(serve(path).url)


class Reader:
    """Somebody who clicks, and whose clicks are counted."""

    def __init__(self, page: Shown) -> None:
        self.page, self.num_clicks = page, 0

    def click(self, selector: str) -> None:
        """Click an element's first match, and wait for what it does."""
        self.num_clicks += 1
        self.page.all(selector).first.click()
        self.page.settled()

    def sees(self, selector: str) -> bool:
        """Whether an element is on the screen as it is scrolled, whole and not behind the bar of a phone."""
        self.page.drawn()
        box = self.page.all(selector).first.bounding_box()
        screen = self.page.page.viewport_size
        bar = self.page.all(".skips").bounding_box() if screen["width"] < 700 else None
        return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= (bar["y"] if bar else screen["height"])


@pytest.fixture(params=SCREENS)
def reader(request: Any, opened: Any, url: str) -> Reader:
    width, height = SCREENS[request.param]
    page = opened(url, width=width, unfolds=False)
    page.page.set_viewport_size({"width": width, "height": height})
    page.drawn()
    return Reader(page)


def given(reader: Reader) -> Reader:
    """A reader whose text is translated."""
    reader.page.page.fill(TEXT, TEXT_OF_TASKS)
    reader.page.wait(f"regard.state.output.sourceText === {json.dumps(TEXT_OF_TASKS)}")
    reader.page.settled()
    return reader


def test_translate(reader: Reader) -> None:
    reader.click(TEXT)
    reader.page.page.keyboard.type(TEXT_OF_TASKS)  # over the example
    reader.page.wait(f"regard.state.output.sourceText === {json.dumps(TEXT_OF_TASKS)}")
    reader.page.settled()
    assert reader.page.page.input_value(TEXT) == TEXT_OF_TASKS
    assert reader.sees(OUTPUT)
    assert reader.num_clicks <= 1


def test_copy(reader: Reader) -> None:
    given(reader).click("#copy")
    reader.page.page.wait_for_selector("#copy:has-text('Copied'), .said:has-text('Copied')")
    assert reader.num_clicks <= 1


def test_another_word(reader: Reader) -> None:
    before = given(reader).page.tokens
    reader.click(f"{TOKEN} >> nth=1")
    reader.click(f"{ALTERNATIVES}:not(:disabled)")
    assert reader.page.tokens[1] != before[1]
    assert reader.num_clicks <= 2
    reader.click(f"{OUTPUT} .unpin")  # there was no way back
    assert reader.page.tokens == before


def test_the_head_that_aligns(reader: Reader) -> None:
    page = given(reader).page
    if not page.page.input_value(HEAD).startswith("cross."):
        reader.click("#aligns")
    assert page.page.input_value(HEAD).startswith("cross.")
    assert page.exists(CURVES)
    assert reader.num_clicks <= 1


def test_where_a_word_came_from(reader: Reader) -> None:
    given(reader)
    reader.click(f"{TOKEN} >> nth=2")
    reader.page.all("#curves").scroll_into_view_if_needed()
    assert "looks with" in reader.page.text(CELL)
    assert reader.sees("#curves .word[data-row='2']")
    assert reader.num_clicks <= 1


def test_switch_it_off(reader: Reader) -> None:
    given(reader)
    reader.click(TOGGLE)
    reader.page.page.wait_for_selector(CHANGE)
    assert reader.num_clicks <= 1
    if reader.page.all("#to-change").is_visible():  # on a phone, the panel is below all heads
        assert reader.sees("#to-change")
        told = reader.page.text("#to-change")
        written = reader.page.page.evaluate("regard.state.heads.ablatedSentence.text")
        assert ("the same translation" in told) == (reader.page.text("#written-then") == written)
        changes = (numbers(each.replace("−", "-"))[-1] for each in (told, reader.page.text("#sum")))
        assert next(changes) == pytest.approx(next(changes), abs=0.0051)
        reader.click("#to-change")
        reader.page.page.wait_for_timeout(600)
    assert reader.sees(CHANGE)


def test_share(reader: Reader) -> None:
    given(reader).click("#share-link")
    reader.page.page.wait_for_selector("#share-link:has-text('Copied')")
    assert reader.num_clicks <= 1
    address = reader.page.address
    assert "text=my" in address


def test_a_picture(reader: Reader) -> None:
    given(reader).click(".panel.alignment .save summary")
    with reader.page.page.expect_download() as downloaded:
        reader.click(".panel.alignment .save button:has-text('PNG')")
    assert Path(downloaded.value.path()).read_bytes().startswith(b"\x89PNG")
    assert reader.num_clicks <= 2
