"""What the page shows is in its address, and pages do not disturb each other."""

from __future__ import annotations

from typing import Any

from on_page import (
    BEAM,
    BEFORE,
    CELL,
    CHANGE,
    HEAD,
    MATRIX,
    N_BEST,
    NODES,
    ORDER,
    OUTPUT,
    RANK,
    SEARCH,
    STEP,
    TEXT,
    WRITTEN,
    Shown,
    address,
    head_button,
    readable,
)  # fmt: skip

from regard.pipelines.translator import Translator

TEXTS = "the old cat sleeps near Paris", "my small duck sings by London"


def seen_of(page: Shown) -> dict[str, Any]:
    """What a page shows, in numbers."""
    return {
        "text": page.page.input_value(TEXT), "tokens": page.tokens, "titles": page.titles, "head": page.page.input_value(HEAD),
        "step": page.page.input_value(STEP), "cell": page.text(CELL), "off": page.heads_off, "beam": page.page.input_value(BEAM),
        "change": page.text(CHANGE), "written": page.text(WRITTEN), "curves": page.curves, "lens": page.lens,
    }  # fmt: skip


DONE = {
    "before": BEFORE, "alternatives": ".alternatives", "heads": "button.cell[data-head] .number", "tree": NODES,
    "compared": "#compared",
    "sweep": "#sweep-cell", "best": ".nbest",
}  # fmt: skip


def seen_of_source(page: Shown) -> dict[str, Any]:
    """What a page shows of several sentences."""
    return {"tokens": page.tokens, "cell": page.text(CELL), "order": page.heads, "sorted": page.page.input_value(ORDER),
            "step": page.page.input_value(STEP)}  # fmt: skip


def test_an_address_opened_elsewhere_shows_the_same(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url)
    page.write(TEXTS[0])
    page.choose(BEAM, "3")
    page.take_token(4)
    page.choose(HEAD, "cross.1.0")
    page.press(MATRIX, "ArrowDown", "Home")
    page.slide("#share", 0.5)
    page.press(head_button("encoder.1.1"), " ")
    first = seen_of(page)
    assert (first["head"], first["step"], first["off"]) == ("cross.1.0", "5", ["encoder.1.1"])
    for beside in (page, None):
        other = opened(page.address, beside=beside)
        assert seen_of(other) == first
        assert other.address == page.address


def test_an_address_has_what_was_done_to_a_text(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=f"{TEXTS[0]}. {TEXTS[1]}.")
    page.all("[data-sentence='1'] .token").nth(2).click()
    page.settled()
    page.write_alternative(1)
    page.click(RANK)
    page.choose(ORDER, "label")
    page.click(SEARCH)
    page.all("[data-sentence='0'] .token").nth(0).click()
    page.settled()
    page.click(f"{N_BEST} >> nth=1 >> button.link")
    page.click(RANK)
    page.choose(ORDER, "entropy")
    page.click(SEARCH)
    page.click(".compare >> nth=0")
    page.choose(HEAD, "encoder.0.1")
    page.press(MATRIX, "ArrowDown", "End")
    assert page.exists("#compared")
    kinds = "regard.state.output.sentences.map(each => each.edit?.position ?? null)"
    assert page.page.evaluate(kinds) == [None, 2]
    parts = {name: page.texts(selector) for name, selector in DONE.items()}
    first = seen_of_source(page) | parts
    for beside in (page, None):
        other = opened(page.address, beside=beside)
        assert seen_of_source(other) | {name: other.texts(selector) for name, selector in DONE.items()} == first
        assert other.page.evaluate(kinds) == [None, 2]
        assert other.address == page.address
    page.write(TEXTS[1])  # of another text nothing was done
    assert all(name not in page.address for name in ("edits", "searched", "ranked", "compared"))


def test_an_address_has_the_sample(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXTS[0], temperature=1.3)
    drawn = {page.text(OUTPUT)}
    for seed in (1, 2, 3):
        page.click("#again")
        wanted = learnt.translate(TEXTS[0], method="sample", temperature=1.3, seed=seed)
        assert page.tokens == [readable(token) for token in wanted.tokens]
        drawn.add(page.text(OUTPUT))
    assert len(drawn) > 1
    assert opened(page.address).tokens == page.tokens


def test_what_is_not_in_an_address_does_no_harm(opened: Any, copying_url: str) -> None:
    first = None
    for kept in (
        {"head": "cross.9.9"}, {"step": "999"}, {"step": "-1"}, {"step": "NaN"}, {"at": "7"}, {"beam": "three"},
        {"edits": "nonsense"}, {"edits": '[[0,99,"abc"]]'}, {"edits": '[["0",1],7]'}, {"snapshot": "5"},
        {"sortBy": "constructor"}, {"key": "900"},
        {"off": "cross.9.9"}, {"direction": "xx-yy"}, {"share": "nothing"}, {"source": "50"}, {"temperature": "x"},
    ):  # fmt: skip
        page = opened(copying_url, beside=first, text="abc", **kept)
        first = first or page
        assert "".join(page.tokens) == "␣abc", kept
        assert page.exists(MATRIX), kept
        assert page.heads_off == [], kept
        assert page.cell[1] is not None, kept
        assert not page.exists("p.error"), kept
        if page is not first:
            page.page.close()


def test_going_back_and_forth_shows_another_text(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc")
    page.page.goto(address(copying_url, text="fgh", head="cross.0.1"))  # the address after the # alone changes
    page.settled()
    assert "".join(page.tokens) == "␣fgh"
    assert page.page.input_value(HEAD) == "cross.0.1"
    page.page.go_back()
    page.settled()
    assert "".join(page.tokens) == "␣abc"


def test_an_address_that_says_less_brings_back_the_defaults(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc", head="cross.0.1", off="cross.0.1", beam=2)
    page.page.goto(address(copying_url, text="abc"))
    page.settled()
    assert (page.page.input_value(HEAD), page.heads_off, page.page.input_value(BEAM)) == ("cross.0.0", [], "5")


def test_two_tabs_at_once(opened: Any, learnt_url: str, learnt: Translator) -> None:
    first = opened(learnt_url)
    second = opened(learnt_url, beside=first)
    for page, text in zip((first, second), TEXTS, strict=True):
        page.page.fill(TEXT, text)
    first.page.wait_for_timeout(350)
    for page, text in zip((first, second), TEXTS, strict=True):
        page.settled()
        assert page.tokens == [readable(token) for token in learnt.translate(text).tokens]
        assert len(page.texts("#key-tokens bdi")) == len(learnt.inspect(text).keys("cross").spelled)
    assert first.address != second.address


def test_saved_links_keep_their_meaning(opened: Any, copying_url: str) -> None:
    """Names and forms of parameters are those of the first page; readers have saved links with them."""
    page = opened(
        copying_url, text="abcde", beam=2, temperature=0, seed=7, length=20, at=0, step=3, source=2, key=1, head="cross.0.1",
        share=0.5, words="true", alone="true", isExplained="true", sortBy="entropy", off="cross.0.0",
        edits='[[0,2,"ad","d",[]]]', compared="abcde", ranked="true", searched="true",
    )  # fmt: skip
    assert "".join(page.tokens) == "␣adcde"
    assert page.text(BEFORE) == "abcde"
    assert page.page.evaluate("regard.state.output.compared.text") == "abcde"
    assert page.exists(NODES)
    assert page.heads_off == ["cross.0.0"]
    assert page.page.evaluate("regard.state.request") == {
        "modelName": "en-de", "text": "abcde", "isHtml": False, "beamSize": 2, "temperature": 0, "seed": 7, "maxTokens": 20,
        "translatesWhileTyping": True,
    }  # fmt: skip
    shown = page.page.evaluate("regard.state.view")
    assert {name: value for name, value in shown.items() if name not in ("isPlaying", "tourStop", "hoveredToken")} == {
        "sentenceIndex": 0, "outputPosition": 3, "inputPosition": 2, "keyPosition": 1, "head": "cross.0.1", "rowShare": 0.5,
        "groupsWords": True, "hidesOtherRows": True, "showsComputation": True,
    }  # fmt: skip
    assert page.page.input_value(ORDER) == "entropy"
    assert page.page.evaluate("regard.state.heads.importance") is not None
    assert "edits=" in page.address
    assert opened(page.address).address == page.address
