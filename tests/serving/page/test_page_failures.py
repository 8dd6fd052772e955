"""When something does not go as it should: a slow model, a server that is gone, a key that is missing, a text too long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from on_page import (
    ALTERNATIVES,
    ERROR,
    HEAD,
    KEY,
    KEY_FORM,
    MATRIX,
    ORDER,
    OUTPUT,
    RANK,
    SEARCH,
    STATUS,
    STOP,
    TEXT,
    TOGGLE,
    TOKEN,
    TREE,
    Served,
    Shown,
    head_button,
    readable,
    until,
)  # fmt: skip

from regard.pipelines.translator import Translator

FAILURE = '{"error": {"status": 500, "message": "it broke"}}'
LONG = "abcdefghijabcdefghi"
Serve = Callable[..., Served]


@pytest.fixture
def slow(serve: Serve, copying_folder: Path) -> Iterator[Served]:
    """A server that thinks for a while about each token."""
    server = serve(copying_folder)
    (scheduler,) = server.registry.all_schedulers
    model = scheduler.pipeline.model
    quick = model.step_states

    def step_states(*args: Any) -> Any:
        time.sleep(0.15)
        return quick(*args)

    model.step_states = step_states
    yield server
    del model.step_states


def given_up(server: Served) -> float:
    """Jobs that the server has ended because their clients are gone: not one that came to its end."""
    return server.registry.metrics.numbers().counts.get('regard_rejected_total{reason="cancelled"}', 0)


def without_failed_requests(page: Shown) -> None:
    """Take out of the problems that requests were not answered, or refused: the browser says so by itself."""
    page.problems[:] = [each for each in page.problems if not each.startswith("Failed to load resource")]


def test_tokens_come_while_they_are_written_and_stop(opened: Any, slow: Served) -> None:
    page = opened(slow.url, text=LONG, beam=1, settles=False)
    (scheduler,) = slow.registry.all_schedulers
    counts = []
    for wanted in (2, 4, 6):
        until(lambda wanted=wanted: page.all(TOKEN).count() >= wanted)
        counts.append(page.all(TOKEN).count())
        assert page.text(STATUS) == "Translating …"
        assert scheduler.num_active == 1
    assert counts[-1] < len(LONG)
    written = page.tokens
    assert "".join(written) == f"␣{LONG}"[: len(written)]
    page.button(STOP).click()
    page.drawn()
    assert page.text(STATUS) == ""
    assert page.button(STOP).count() == 0
    until(lambda: given_up(slow) == 1 and scheduler.is_idle)
    stopped = page.tokens
    page.page.wait_for_timeout(600)
    assert page.tokens == stopped
    assert len(stopped) < len(LONG)
    assert not page.exists(ERROR)
    page.write("ab")  # and it goes on working
    assert "".join(page.tokens) == "␣ab"


def test_a_newer_text_ends_the_one_under_way(opened: Any, slow: Served) -> None:
    page = opened(slow.url, text=LONG, beam=1, settles=False)
    (scheduler,) = slow.registry.all_schedulers
    until(lambda: page.all(TOKEN).count() >= 2)
    page.write("ba")
    assert "".join(page.tokens) == "␣ba"
    until(lambda: given_up(slow) == 1 and scheduler.is_idle)
    page.page.wait_for_timeout(400)
    assert "".join(page.tokens) == "␣ba"


def test_a_page_that_is_closed_asks_nothing_any_more(opened: Any, slow: Served) -> None:
    page = opened(slow.url, text=LONG, beam=1, settles=False)
    (scheduler,) = slow.registry.all_schedulers
    until(lambda: page.all(TOKEN).count() >= 2)
    page.page.close()
    until(lambda: given_up(slow) == 1 and scheduler.is_idle)


def test_a_server_that_is_gone_and_comes_back(opened: Any, copying_folder: Path) -> None:
    server = Served(copying_folder)
    page = opened(server.url, text="abc")
    page.settled()  # a request that is cut off is answered otherwise
    server.stop()
    page.page.fill(TEXT, "bcd")
    page.page.wait_for_selector(ERROR)
    page.settled()
    assert page.text(ERROR) == "The server does not answer. Is it still running? Try again"
    page.button("Try again").click()
    page.settled()
    assert page.exists(ERROR)  # it is still gone
    assert "".join(page.tokens) == "␣abc"  # what there was stays
    assert page.exists(MATRIX)
    again = Served(copying_folder, port=server.port)
    try:
        page.wait("document.querySelector('p.error') === null")  # the page notices by itself
        page.settled()
        assert "".join(page.tokens) == "␣bcd"
        assert page.exists(MATRIX)
    finally:
        again.stop()
    without_failed_requests(page)


def test_a_server_that_goes_away_in_the_middle(opened: Any, slow: Served, copying_folder: Path) -> None:
    page = opened(slow.url, text=LONG, beam=1, settles=False)
    until(lambda: page.all(TOKEN).count() >= 2)
    slow.stop()
    page.settled()
    assert page.all(TOKEN).count() < len(LONG)
    assert page.button("Try again").count() == 1
    assert not page.exists(MATRIX)
    assert not page.exists(".caret")  # nothing is written any more
    slow.__init__(copying_folder, port=slow.port)  # type: ignore[misc]
    page.wait("document.querySelector('p.error') === null")
    page.settled()
    assert "".join(page.tokens) == f"␣{LONG}"
    without_failed_requests(page)


def test_a_server_that_goes_away_in_the_middle_is_named(opened: Any, slow: Served) -> None:
    page = opened(slow.url, text=LONG, beam=1, settles=False)
    until(lambda: page.all(TOKEN).count() >= 2)
    slow.stop()
    page.settled()
    without_failed_requests(page)
    assert "server" in page.text(ERROR)


def test_the_first_visit_without_a_server(opened: Any, serve: Serve, copying_folder: Path) -> None:
    server = serve(copying_folder)
    page = opened(server.url)
    page.page.route("**/api/v1/models", lambda route: route.abort())
    page.page.reload()
    page.settled()
    assert page.text(ERROR).startswith("The server does not answer.")
    page.page.unroute("**/api/v1/models")
    page.wait("document.querySelector('p.error') === null")
    page.settled()
    page.write("abc")
    assert "".join(page.tokens) == "␣abc"
    without_failed_requests(page)


def test_keys(opened: Any, copying_folder: Path, tmp_path: Path, serve: Serve) -> None:
    keys = tmp_path / "keys"
    keys.write_text("right\n")
    server = serve(copying_folder, keys=keys)
    page = opened(server.url, text="abc")
    assert page.text(ERROR) == "An API key is needed."
    assert page.exists(KEY_FORM)
    assert page.page.get_attribute(KEY, "type") == "password"
    assert not page.exists(TEXT)
    page.page.fill(KEY, "wrong")
    page.page.keyboard.press("Enter")
    page.settled()
    page.page.wait_for_selector(f"{ERROR}:has-text('Invalid API key')")
    page.page.fill(KEY, "right")
    page.page.click(f"{KEY_FORM} button")
    page.page.wait_for_selector(TEXT)
    page.settled()
    assert not page.exists(ERROR)
    assert not page.exists(KEY_FORM)
    assert "".join(page.tokens) == "␣abc"
    assert page.exists(MATRIX)
    assert "right" not in page.address
    page.page.reload()
    page.settled()
    assert "".join(page.tokens) == "␣abc"  # it is remembered while the tab is open
    without_failed_requests(page)


def test_an_error_of_the_server_is_said_and_goes_away(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc")
    page.write("a" * 500_001)
    assert "500,000 characters" in page.text(ERROR)
    assert "".join(page.tokens) == "␣abc"
    assert page.exists(f".stale {OUTPUT}")
    page.write("cba")
    assert not page.exists(ERROR)
    assert "".join(page.tokens) == "␣cba"
    without_failed_requests(page)


def test_several_models(
    opened: Any, serve: Serve, copying_folder: Path, learnt_folder: Path, learnt: Translator
) -> None:
    other = learnt_folder.with_name("page-fr-en")
    if not other.exists():
        other.symlink_to(learnt_folder)
    page = opened(serve(copying_folder, other).url, text="abc")
    assert "".join(page.tokens) == "␣abc"
    page.choose("select[aria-label=Model]", "fr-en")
    assert page.tokens == [readable(token) for token in learnt.translate("abc").tokens]
    assert "direction=fr-en" in page.address
    assert (
        page.all("#head optgroup:not([label^=Through]) option").count() == 12 + 6
    )  # heads, and the mean of each layer
    assert page.all(OUTPUT).count() == 1


def failing(page: Shown, path: str, act: Callable[[], Any]) -> None:
    """Act, while requests of a path are answered with an error."""
    page.page.route(path, lambda route: route.fulfill(status=500, body=FAILURE))
    act()
    page.settled()
    assert page.texts(ERROR) == ["it broke Try again"]
    page.page.unroute(path)


def try_again(page: Shown) -> None:
    """Ask again for what failed."""
    page.button("Try again").click()
    page.settled()
    assert not page.exists(ERROR)


ACTS: dict[str, tuple[str, str, str]] = {
    "search": ("translate", SEARCH, f"document.querySelector('{TREE}') !== null"),
    "experiment": ("inspect/*/experiment/**", "[data-change=future]", "regard.state.inspection.experiment !== null"),
    "compare": ("score", ".nbest .compare >> nth=0", "regard.state.output.compared !== null"),
    "rank": ("ablate", RANK, "regard.state.heads.importance !== null"),
    "without": ("ablate", TOGGLE, "regard.state.heads.ablation !== null"),
    "flow": (
        "inspect/*/flow/rollout",
        ".flows button[aria-pressed] >> nth=0",
        "regard.state.view.head === 'flow.rollout'",
    ),
    "forced": ("stream", f"{ALTERNATIVES}:not([disabled]) >> nth=0", "regard.state.output.sentences[0].prefix !== ''"),
    "inspection": ("inspect", "#take-back", "regard.state.inspection.sentence.prefix === ''"),
}


def test_whatever_failed_is_tried_again(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text="the old cat sleeps near Paris")
    for name, (path, selector, is_done) in ACTS.items():
        if name == "forced":
            page.take_token(1)
        page.unfold()
        failing(page, f"**/api/v1/{path}", lambda selector=selector: page.page.click(selector))
        assert not page.page.evaluate(is_done), name
        try_again(page)
        assert page.page.evaluate(is_done), name
    without_failed_requests(page)


def test_what_failed_for_want_of_a_server_is_done_when_it_is_back(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text="the old cat sleeps near Paris")
    page.page.route("**/api/v1/**", lambda route: route.abort())
    page.click(SEARCH)
    page.click(RANK)
    assert page.exists(ERROR)
    page.page.unroute("**/api/v1/**")
    page.wait("document.querySelector('p.error') === null")
    page.settled()
    assert page.exists(TREE)
    assert page.page.input_value(ORDER) == "worth"
    without_failed_requests(page)


def test_what_the_reader_has_turned_away_from_is_not_tried_again(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text="the old cat sleeps near Paris")
    failing(page, "**/api/v1/translate", lambda: page.page.click(SEARCH))
    page.write("my red duck sings in London")
    assert not page.exists(ERROR)
    failing(page, "**/api/v1/ablate", lambda: page.page.click(RANK))
    try_again(page)
    assert not page.exists(TREE)
    failing(page, "**/flow/rollout", lambda: page.choose(HEAD, "flow.rollout"))
    assert page.page.input_value(HEAD) != "cross.1.1"
    page.click(head_button("cross.1.1"))
    try_again(page)
    assert page.page.input_value(HEAD) == "cross.1.1"
    without_failed_requests(page)


def test_numbers_of_other_heads_are_pale_until_these_are_measured(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text="the old cat sleeps near Paris", off="cross.0.0")
    before = page.text("#sum")
    assert not page.exists(".without.stale")
    page.click(head_button("cross.1.1"))
    failing(page, "**/api/v1/ablate", lambda: page.page.click(TOGGLE))
    assert page.heads_off == ["cross.0.0", "cross.1.1"]
    assert page.text("#sum") == before
    assert page.exists(".without.stale")
    assert "Without cross.0.0:" in page.texts("#to-change")[0]
    try_again(page)
    assert page.text("#sum") != before
    assert not page.exists(".without.stale")
    page.page.route("**/api/v1/**", lambda route: route.abort())
    page.click(TOGGLE)
    assert page.exists(".without.stale")
    page.page.unroute("**/api/v1/**")
    page.wait("document.querySelector('p.error') === null")
    page.settled()
    assert (page.text("#sum"), page.exists(".without.stale")) == (before, False)
    without_failed_requests(page)
