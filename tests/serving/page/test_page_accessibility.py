"""axe-core finds nothing to complain about in any state of the page, nor do those who have a keyboard alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import ALTERNATIVES, ERROR, SEARCH, TEXT, TREE, Shown, head_button

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
DARK = pytest.param("dark", marks=pytest.mark.slow)
"""Colours of parts that the first test looks at, too."""
SENTENCE = "the old cat sleeps near Paris"


def violations(page: Shown) -> list[str]:
    """What axe-core finds: the rule, how bad it is, and where."""
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']} ({each['impact']}): {'; '.join(node['html'][:140] for node in each['nodes'][:3])} [{len(each['nodes'])}]"
        for each in found
    ]


@pytest.mark.skipif(not AXE.is_file(), reason="`npm ci` in web/ brings axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Any, learnt_url: str, scheme: str) -> None:
    page = opened(learnt_url)
    page.page.emulate_media(color_scheme=scheme)
    found = {"empty": violations(page)}
    page.write(SENTENCE)
    found["translated"] = violations(page)
    page.click(head_button("decoder.1.0"))
    for selector in ("#explain", "#masked", "#next-token summary", "[data-change=future]"):
        page.click(selector)
    page.wait("document.querySelector('#next') && document.querySelector('#own-softmax')")
    found["tried"] = violations(page)
    page.page.click("#next-token summary")
    page.take_token(0)
    page.write_alternative(1)
    found["forced"] = violations(page)
    page.press(head_button("cross.1.0"), " ")
    found["heads off"] = violations(page)
    page.click(head_button("cross.1.0"))
    page.click("#rank")
    page.all("#output .token").nth(1).hover()
    page.page.wait_for_selector(".peek")
    page.page.click("summary[aria-label='Save: heads']")
    page.page.click("button[popovertarget=term-worth]")
    found["ranked"] = violations(page)
    page.click(SEARCH)
    assert page.exists(TREE)
    found["search"] = violations(page)
    page.page.route("**/api/v1/stream", lambda route: route.abort())
    page.write("abc")
    assert page.exists(ERROR)
    found["error"] = violations(page)
    answer = {"status": 403, "json": {"error": {"status": 403, "message": "An API key is needed."}}}
    page.page.route("**/api/v1/models", lambda route: route.fulfill(**answer))
    page.page.reload()
    page.settled()
    assert page.exists("#key")
    found["key"] = violations(page)
    page.problems.clear()
    assert {state: each for state, each in found.items() if each} == {}


@pytest.mark.skipif(not AXE.is_file(), reason="`npm ci` in web/ brings axe-core")
@pytest.mark.parametrize("scheme", ["light", DARK])
def test_axe_finds_nothing_in_the_tour_on_a_phone_and_on_paper(opened: Any, learnt_url: str, scheme: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.page.emulate_media(color_scheme=scheme)
    page.page.set_viewport_size({"width": 360, "height": 740})
    page.drawn()
    found = {"translated": violations(page)}
    page.click("#tour")
    step = 0
    while page.exists("#tour-next"):
        found[f"tour {step}"] = violations(page)
        page.click("#tour-next")
        step += 1
        assert step < 12
    page.page.set_viewport_size({"width": 820, "height": 1180})
    page.drawn()
    found["tablet"] = violations(page)
    page.page.emulate_media(media="print", color_scheme=scheme)
    page.drawn()
    found["print"] = violations(page)
    page.page.emulate_media(media="screen", forced_colors="active")
    page.drawn()
    found["forced colours"] = violations(page)
    page.problems.clear()
    assert {state: each for state, each in found.items() if each} == {}


@pytest.mark.skipif(not AXE.is_file(), reason="`npm ci` in web/ brings axe-core")
@pytest.mark.parametrize("scheme", ["light", DARK])
def test_axe_finds_nothing_about_a_language_model(opened: Any, serve: Any, tmp_path: Path, scheme: str) -> None:
    page = opened(serve(page_models.letters(tmp_path / "letters")).url, text="ab c", length=20, off="decoder.0.0")
    page.page.emulate_media(color_scheme=scheme)
    page.drawn()
    found = {"written": violations(page)}
    page.page.click("#share-link")
    page.page.wait_for_selector("#share-link:has-text('Copied')")
    found["shared"] = violations(page)
    page.take_token(7)
    page.all(f"{ALTERNATIVES}:not(:disabled)").first.click()
    page.settled()
    page.click("[data-change=no-positions]")
    found["forced"] = violations(page)
    page.page.emulate_media(forced_colors="active", color_scheme=scheme)
    page.page.set_viewport_size({"width": 360, "height": 740})
    page.drawn()
    found["forced colours"] = violations(page)
    assert {state: each for state, each in found.items() if each} == {}


def test_all_is_done_with_a_keyboard(opened: Any, copying_url: str) -> None:
    page = opened(copying_url)
    reached = []
    page.page.focus(TEXT)
    page.page.keyboard.type("abc")  # over the example, which is selected
    page.page.wait_for_timeout(350)
    page.settled()
    assert page.page.input_value(TEXT) == "abc"
    for _ in range(120):
        page.page.keyboard.press("Tab")
        at = page.page.evaluate("""(() => { const it = document.activeElement; return it.id || it.dataset.head
            || (it.dataset.place ? 'token ' + it.dataset.place : it.className || it.textContent.trim()); })()""")
        if page.page.evaluate("document.activeElement === document.body"):
            break
        reached.append(at)
        outline = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", at
    for wanted in ("beam", "token 0", "head", "share", "matrix", "step", "order", "rank", "search"):
        assert wanted in reached, wanted
    assert sum(each.count(".") == 2 for each in reached) == 1  # the heads are one stop; arrows go on from there
    assert [each for each in reached if each.startswith("token")] == ["token 0"]  # so are the tokens
    page.page.focus('[data-place="0"]')
    page.page.keyboard.press("ArrowRight")
    page.settled()
    assert page.page.evaluate("document.activeElement.dataset.place") == "1"
    assert page.page.input_value("#step") == "1"
    page.page.focus(".alternatives button:not(:disabled)")
    page.page.keyboard.press("Enter")
    page.settled()
    assert page.page.evaluate("document.activeElement.dataset.place") == "1"  # and not nowhere
    assert page.text("#output .before bdi") == "abc"
