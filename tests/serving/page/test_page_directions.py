"""Texts that run from right to left, and what runs the other way within them."""

from __future__ import annotations

from typing import Any

import page_models
import pytest
from on_page import KEYS, MATRIX, TOKEN, Shown, head_button

LETTERS = "سلامأد bcdef123.()"


@pytest.fixture(scope="module")
def url(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(serve(page_models.copying(tmp_path_factory.mktemp("directions") / "both", alphabet=LETTERS)).url)


def places(page: Shown, selector: str) -> list[float]:
    """Where elements are, from the left."""
    middle = "all => all.map(each => { const box = each.getBoundingClientRect(); return box.left + box.width / 2; })"
    return [float(each) for each in page.all(selector).evaluate_all(middle)]


def from_left(page: Shown, selector: str) -> str:
    """The letters of elements as they stand, without spaces and symbols."""
    drawn = zip(places(page, selector), page.texts(selector), strict=True)
    return "".join(text for _, text in sorted(drawn) if len(text) == 1 and text not in " ␣")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("سلا 123 سد", "دس123الس"),
        ("سلا 12.3", "12.3الس"),
        ("سل bc de 12 سد", "دسbcde12لس"),
        ("سل (12) سد", "دس)12(لس"),
        ("bc سل 12 d", "bc12لسd"),
        ("bc 12 سل", "bc12لس"),
    ],
)
def test_numbers_and_words_run_in_their_own_direction(opened: Any, url: str, text: str, seen: str) -> None:
    page = opened(url, text=text, head="cross.0.0", beam=1)
    assert "".join(page.tokens).replace("␣", " ").strip() == text
    assert from_left(page, TOKEN) == seen
    assert from_left(page, f"{KEYS} .part") == seen
    for side in ("key", "row"):
        assert from_left(page, f'#curves text:not([data-{side}="-1"])') == seen
    symbols = "all => all.forEach(each => each.remove())"  # which are not selected
    page.all(f"{KEYS} .symbol").evaluate_all(symbols)
    assert page.page.inner_text(KEYS).strip() == text  # a copy is the text


def test_brackets_are_mirrored_as_their_text_is(opened: Any, url: str) -> None:
    page = opened(url, text="سل (12) د", head="cross.0.0")
    directions = {text: page.all(TOKEN).nth(place).get_attribute("dir") for place, text in enumerate(page.tokens)}
    assert (directions["("], directions[")"], directions["1"], directions["س"]) == ("rtl", "rtl", "ltr", "auto")
    drawn = page.all("#curves text").all_text_contents()
    assert "\u2067(\u2069" in drawn
    assert "\u20661\u2069" in drawn


def test_small_pictures_of_heads_run_as_the_matrix_does(opened: Any, url: str) -> None:
    dark = """([selector, share]) => { const canvas = document.querySelector(selector), {width, height} = canvas;
        const pen = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
        pen.drawImage(canvas, 0, 0);
        return pen.getImageData(share * (width - 1), 0, 1, 1).data[0] < 128; }"""
    for text, corners in (("سلام", [False, True]), ("bcde", [True, False])):
        page = opened(url, text=text, head="cross.0.0")
        canvas = f"{head_button('cross.0.0')} canvas"
        assert [page.page.evaluate(dark, [canvas, share]) for share in (0, 1)] == corners


def test_labels_of_columns_stand_upright_where_all_fit(opened: Any, url: str, learnt_url: str) -> None:
    tops = [opened(url, text="سلام").page.evaluate("regard.matrixLayout().top")]
    text = "the old cat sleeps near Paris and my small duck sings by London in Berlin"
    tops.append(opened(learnt_url, text=text, width=1000).page.evaluate("regard.matrixLayout().top"))
    assert tops[0] < 30 < tops[1]


def test_a_word_of_several_tokens_stays_on_its_line(opened: Any, url: str) -> None:
    page = opened(url, text="bcde fbcd efbc defb", width=360)
    lines = page.all(TOKEN).evaluate_all("all => all.map(each => Math.round(each.getBoundingClientRect().y))")
    words = "".join(" " if token == "␣" else token for token in page.tokens).split()
    assert words == ["bcde", "fbcd", "efbc", "defb"]
    assert len(set(lines)) > 1
    letters = [line for token, line in zip(page.tokens, lines, strict=True) if token != "␣"]
    for begin in range(0, len(letters), 4):
        assert len(set(letters[begin : begin + 4])) == 1
    assert page.exists(MATRIX)
