"""What a reader has chosen by hand, and the page then changes: lists, the model, what was switched off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import BEAM, ERROR, HEAD, ORDER, RANK, TEMPERATURE, TEXT, TOGGLE, UNDO, Shown, head_button, numbers
from served import Start

from regard.pipelines.translator import Translator

SENTENCE = "the old cat sleeps near Paris"


@pytest.fixture(scope="module")
def two(serve: Any, copying_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A server with two models that translate."""
    other = tmp_path_factory.mktemp("two") / "copy-fr-en"
    other.symlink_to(copying_folder)
    return str(serve(copying_folder, other).url)


def in_force(page: Shown, selector: str, field: str) -> str:
    """The value of a list, which must be that of the state."""
    value = page.page.input_value(selector)
    assert value == str(page.page.evaluate(f"regard.state.{field}"))
    return value


def test_the_list_of_heads_follows_what_else_chooses_a_head(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    for head in ("cross.0.1", "mean", "cross.1.0", "cross.0.1"):  # each entry was chosen by hand once
        page.choose(HEAD, head)
    page.click(head_button("cross.1.0"))
    assert in_force(page, HEAD, "view.head") == "cross.1.0"
    page.choose(HEAD, "cross.0.0")
    for key, head in (("n", "cross.0.1"), ("p", "cross.0.0"), ("PageDown", "cross.1.0")):
        page.press("#matrix", key)
        assert in_force(page, HEAD, "view.head") == head


def test_the_list_of_temperatures_follows_the_beam(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    for temperature in ("0.8", "0", "0.8"):
        page.choose(TEMPERATURE, temperature)
    page.choose(BEAM, "3")
    assert in_force(page, TEMPERATURE, "request.temperature") == "0"
    assert not page.exists("#again")


def test_lists_follow_the_history(opened: Any, two: str) -> None:
    page = opened(two, text="abc")
    page.page.wait_for_timeout(1600)  # the text keeps its entry
    for value in ("8", "5", "8"):
        page.choose(BEAM, value)
    page.choose("#model", "fr-en")
    page.choose("#model", "en-de")
    page.page.wait_for_timeout(1600)
    page.page.fill(TEXT, "bcd")
    page.button("Translate").click()
    page.settled()
    page.choose("#model", "fr-en")
    page.choose(BEAM, "2")
    for _ in range(3):
        page.page.go_back()
        page.page.wait_for_timeout(100)
        page.settled()
        in_force(page, "#model", "request.modelName")
        in_force(page, BEAM, "request.beamSize")
    page.page.evaluate("() => { location.hash = 'text=cba&beam=1&direction=fr-en'; }")
    page.wait("regard.state.request.text === 'cba'")
    page.settled()
    assert in_force(page, BEAM, "request.beamSize") == "1"
    assert in_force(page, "#model", "request.modelName") == "fr-en"


def test_an_order_that_is_not_measured_any_more_is_not_in_force(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    in_place = page.heads
    page.click(RANK)
    assert page.page.input_value(ORDER) == "worth"
    page.write("my red duck sings in London")
    assert page.page.input_value(ORDER) == "place"
    assert page.heads == in_place
    page.click(RANK)
    assert page.page.input_value(ORDER) == "worth"


def test_undo_brings_no_heads_of_another_model_back(opened: Any, two: str) -> None:
    page = opened(two, text="abc")
    page.click(head_button("cross.0.1"))
    page.click(TOGGLE)
    assert page.exists(UNDO)
    page.choose("#model", "fr-en")
    assert (page.exists(UNDO), page.heads_off) == (False, [])
    page.click(TOGGLE)
    page.page.evaluate("() => { location.hash = 'text=abc&direction=en-de'; }")
    page.wait("regard.state.request.modelName === 'en-de'")
    page.settled()
    assert (page.exists(UNDO), page.heads_off) == (False, [])


def test_a_language_model_draws_again(opened: Any, start: Start, tmp_path: Path) -> None:
    page = opened(start(page_models.letters(tmp_path / "letters")).url, text="ab c", temperature=1.3, seed=4, length=20)
    first = page.tokens
    page.click("#again")
    assert page.tokens != first
    assert "seed=5" in page.address
    page.page.go_back()
    page.wait("regard.state.request.seed === 4")
    page.settled()
    assert page.tokens == first
    page.choose(TEMPERATURE, "0")
    assert not page.exists("#again")


def test_the_end_is_chosen_as_the_first_token(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=SENTENCE)
    written = page.tokens
    page.page.evaluate("regard.state.output.sentences[0].tokens[0].alternatives.push(['</s>', -3])")
    page.take_token(1)
    page.take_token(0)
    page.write_alternative(5)
    for each in (page, opened(page.address)):
        assert (each.tokens, each.texts(ERROR), each.exists(".stale")) == ([], [], False)
        assert each.page.evaluate("regard.state.inspection.result.target") == ""
        assert each.curves
        assert each.cell[0] == "</s>"
    page.click(head_button("cross.0.1"))
    page.click(TOGGLE)
    (changed,) = learnt.inspect(SENTENCE, "", ablate=["cross.0.1"]).ablations[0].token_changes
    assert numbers(page.text("#sum")) == [pytest.approx(changed, abs=0.0011)]
    page.click("#take-back")
    assert page.tokens == written
