"""Heads: what is said of each, and what a translation becomes without some of them, is what the translator says."""

from __future__ import annotations

import math
from typing import Any

import pytest
from on_page import (
    ALL_ON,
    CHANGE,
    CHANGES,
    CHOSEN,
    HEAD,
    HEADS,
    NODES,
    ORDER,
    RANK,
    SEARCH,
    TOGGLE,
    TOKEN,
    TREE,
    UNDO,
    WRITTEN,
    Shown,
    head_button,
    numbers,
    readable,
    spelled,
)  # fmt: skip

from regard.analysis.pruning import examples_of, rank_heads
from regard.inspection.inspection import Ablation
from regard.pipelines.translator import Translator

TEXT = "the old cat sleeps near Paris"


def without(translator: Translator, *heads: str, text: str = TEXT, beam_size: int = 5) -> Ablation:
    written = translator.translate(text, beam_size=beam_size).text
    return translator.inspect(text, written, ablate=heads, beam_size=beam_size).ablations[0]  # all together


def assert_shows(page: Shown, wanted: Ablation) -> None:
    assert page.heads_off == sorted(wanted.heads, key=page.heads.index)
    assert float(page.text(CHANGE)) == pytest.approx(wanted.log_prob_change, abs=0.00051)
    assert page.text(WRITTEN) == wanted.text
    changes = [float(each.locator(".number").inner_text()) for each in page.all(CHANGES).all()]
    assert changes == pytest.approx(wanted.token_changes, abs=0.0051)


def test_what_is_said_of_each_head(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    seen = learnt.inspect(TEXT)
    assert page.heads == seen.head_names
    for head in seen.heads:
        name = str(head.name)
        label = page.label_of(name)
        assert label.startswith(f"{name}: {head.label}, entropy ")
        wanted = [head.entropy, head.confidence, *([] if head.offset is None else [head.offset])]
        tolerance = [0.0051, 0.0051, 0.051]
        found = numbers(label.removeprefix(f"{name}: {head.label}"))
        for value, value_wanted, allowed in zip(found, wanted, tolerance, strict=False):
            assert value == pytest.approx(value_wanted, abs=allowed)
        assert len(found) == len(wanted)
    page.click(head_button("cross.1.0"))
    said = page.text(CHOSEN)
    chosen = next(head for head in seen.heads if str(head.name) == "cross.1.0")
    assert said.startswith("Layer 1, head 0 (cross.1.0): reads the text")
    statistics = f"{chosen.label}; spread (entropy) {chosen.entropy:.2f} nats, highest weight {chosen.confidence:.2f}"
    assert statistics in said
    assert page.page.input_value(HEAD) == "cross.1.0"


def test_labels_of_known_heads(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abcde")
    half = 6 / 7 * math.log(2)
    quarter = 6 / 7 * -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    for name, wanted in {
        "encoder.0.0": "diagonal, entropy 0.00 nats, highest weight 1.00, offset 0.0",
        "encoder.0.1": "previous token, entropy 0.00 nats, highest weight 1.00, offset -0.9",
        "decoder.0.1": f"diagonal, entropy {quarter:.2f} nats, highest weight {(1 + 6 * 0.75) / 7:.2f}, offset -0.2",
        "cross.0.1": f"diagonal, entropy {half:.2f} nats, highest weight {(6 * 0.5 + 1) / 7:.2f}",
    }.items():
        assert page.label_of(name) == f"{name}: {wanted}"


def test_a_head_off_by_keyboard_and_by_button_and_undo(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    assert not page.exists(UNDO)
    page.press(head_button("cross.1.0"), " ")
    assert_shows(page, without(learnt, "cross.1.0"))
    page.press(head_button("cross.1.0"), " ")
    assert page.heads_off == []
    assert not page.exists(CHANGE)
    page.click(head_button("encoder.0.1"))
    assert page.text(TOGGLE) == "Switch off"
    page.click(TOGGLE)
    assert page.text(TOGGLE) == "Switch on"
    assert_shows(page, without(learnt, "encoder.0.1"))
    page.click(UNDO)
    assert page.heads_off == []
    page.click(UNDO)
    assert_shows(page, without(learnt, "cross.1.0"))
    page.click(ALL_ON)
    assert page.heads_off == []
    assert not page.exists(ALL_ON)
    page.click(UNDO)
    assert_shows(page, without(learnt, "cross.1.0"))


def test_several_heads_are_off_together(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT, beam=2)
    page.press(head_button("cross.0.1"), "Shift+ ")
    assert_shows(page, without(learnt, "cross.0.0", "cross.0.1", beam_size=2))
    page.press(head_button("encoder.0.0"), " ")
    assert_shows(page, without(learnt, "cross.0.0", "cross.0.1", "encoder.0.0", beam_size=2))


def test_a_layer_and_a_single_head(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT, beam=1)
    page.press(head_button("cross.0.1"), "Shift+ ")
    assert page.heads_off == ["cross.0.0", "cross.0.1"]
    page.press(head_button("cross.0.0"), "Shift+ ")
    assert page.heads_off == []
    page.page.get_by_role("button", name="Layer 1 (decoder.1)", exact=True).click()
    page.settled()
    assert page.heads_off == ["decoder.1.0", "decoder.1.1"]
    page.press(head_button("cross.0.0"), "s")
    assert page.heads_off == [name for name in page.heads if name != "cross.0.0"]
    page.press(head_button("cross.0.0"), "s")
    assert page.heads_off == []


def test_a_model_that_copies_with_one_head_alone(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abc")
    page.press(head_button("cross.0.1"), " ")
    assert (float(page.text(CHANGE)), page.text(WRITTEN)) == (0, "abc")
    page.press(head_button("cross.0.1"), " ")
    page.press(head_button("cross.0.0"), " ")
    assert float(page.text(CHANGE)) == round(-math.log(15), 3)  # any token of the vocabulary is as likely as another
    assert [float(each.locator(".number").inner_text()) for each in page.all(CHANGES).all()] == [-2.71] * 5
    page.click(RANK)
    worths = {name: numbers(page.label_of(name))[-1] for name in page.heads}
    assert worths.pop("cross.0.0") == 2.708
    assert set(worths.values()) == {0}
    assert page.heads[0] == "cross.0.0"


def test_order(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    seen = learnt.inspect(TEXT)
    assert "worth" not in page.texts(f"{ORDER} option")
    page.click(RANK)
    assert page.page.input_value(ORDER) == "worth"
    written = learnt.translate(TEXT).text
    ranking = rank_heads(learnt, examples_of(learnt, [TEXT], [written]), "leave-one-out")
    worth = {str(name): value for name, value in ranking.worth.items()}
    assert page.heads == sorted(worth, key=lambda name: -worth[name])
    for name, value in worth.items():
        assert numbers(page.label_of(name))[-1] == pytest.approx(value, abs=0.00051)
    for order, by in (
        ("entropy", lambda head: head.entropy),
        ("sharpness", lambda head: -head.confidence),
        ("offset", lambda head: math.inf if head.offset is None else abs(head.offset)),
    ):
        page.choose(ORDER, order)
        assert page.heads == [str(head.name) for head in sorted(seen.heads, key=by)]
    page.choose(ORDER, "place")
    assert page.heads == seen.head_names


def test_arrows_go_from_head_to_head(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT)
    names = page.heads
    page.click(head_button("encoder.1.0"))
    for key, at in (("ArrowRight", "encoder.1.1"), ("ArrowDown", "decoder.0.1"), ("ArrowLeft", "decoder.0.0"),
                    ("ArrowUp", "encoder.1.0"), ("ArrowLeft", "encoder.0.1"), ("ArrowUp", "encoder.0.1")):  # fmt: skip
        page.page.keyboard.press(key)
        page.settled()
        assert page.page.evaluate("document.activeElement.dataset.head") == at
        assert page.page.input_value(HEAD) == at
    pressed = page.all(HEADS).evaluate_all("all => all.map(each => each.ariaPressed)")
    assert pressed == [str(name == "encoder.0.1").lower() for name in names]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_search(opened: Any, learnt_url: str, learnt: Translator, beam_size: int) -> None:
    page = opened(learnt_url, text=TEXT, beam=beam_size)
    assert not page.exists(TREE)
    page.click(SEARCH)
    wanted = learnt.translate(TEXT, beam_size=beam_size, trace=True)
    assert wanted.trace is not None
    fates = [[each.fate for each in step] for step in wanted.trace]
    dropped = sum(min(2, step.count("dropped")) for step in fates)
    counts = {"dropped": dropped} | {fate: sum(step.count(fate) for step in fates) for fate in ("active", "finished")}
    for fate, count in counts.items():
        assert page.all(f"{NODES}.{fate}").count() == count
    assert (
        page.page.get_attribute(TREE, "aria-label")
        == f"Tree of the search, {sum(counts.values())} candidates. Arrow keys go from one to another."
    )
    chosen = page.texts(f"{NODES}.best title")
    assert len(chosen) == len(wanted.tokens) + 1
    total = sum(wanted.token_log_probs)
    assert chosen[-1].rpartition(" (")[0] == chosen[-2].rpartition(" (")[0] == wanted.text
    assert numbers(chosen[-1])[-1] == pytest.approx(total, abs=0.00051)
    for place, title in enumerate(chosen[:-1]):
        text, _, score = title.rpartition(" (")
        assert text == spelled(wanted.tokens[: place + 1])
        assert numbers(score)[0] == pytest.approx(sum(wanted.token_log_probs[: place + 1]), abs=0.00051)


def test_another_hypothesis_of_the_search_is_opened(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    page.click(SEARCH)
    others = page.all(f"{NODES}.finished:not(.best)")
    text = (others.first.locator("title").text_content() or "").rpartition(" (")[0]
    best = learnt.translate(TEXT).text
    assert text != best
    others.first.focus()
    page.page.keyboard.press("Enter")
    page.drawn()
    assert page.text("#candidate").startswith(text)
    page.click("#beside")
    assert numbers(page.text("#compared .hint"))[0] == pytest.approx(
        sum(learnt.score([TEXT], [text])[0].token_log_probs[:-1]), abs=0.0051
    )
    page.click("#open")
    scored = learnt.score([TEXT], [text])[0]
    assert page.tokens == [readable(token) for token in scored.tokens[:-1]]
    assert page.text("#output .before bdi") == best
    assert page.all(TOKEN).count() < 60


def test_heads_stay_off_for_the_next_text(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    page.press(head_button("cross.1.1"), " ")
    other = "my small duck sings by London"
    page.write(other)
    assert_shows(page, without(learnt, "cross.1.1", text=other))


def test_order_by_label_and_offset_and_solo(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    seen = {str(each.name): each for each in learnt.inspect(TEXT, learnt.translate(TEXT).text).heads}
    page.choose(ORDER, "label")
    labels = [seen[head].label for head in page.heads]
    assert labels == sorted(labels)
    page.choose(ORDER, "offset")
    assert [head for head in page.heads if seen[head].offset is None] == page.heads[
        -4:
    ]  # of cross-attention there is none
    page.click(head_button("encoder.1.0"))
    assert f"offset {seen['encoder.1.0'].offset:.1f}" in page.text("#statistics")
    page.click("#solo")
    assert page.heads_off == [head for head in page.heads if head != "encoder.1.0"]
    page.click("#solo")
    assert page.heads_off == []


def test_the_sum_of_the_changes(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT, off="cross.1.0,decoder.0.1")
    wanted = sum(without(learnt, "cross.1.0", "decoder.0.1").token_changes)
    assert float(page.text("#sum")) == pytest.approx(wanted, abs=0.00051)


def test_what_heads_are_worth_appears_layer_by_layer(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT)
    held: list[Any] = []
    page.page.route("**/api/v1/ablate", lambda route: held.append(route))
    page.page.click(RANK)
    for done in range(6):
        page.wait(f"Object.keys(regard.state.heads.importance ?? {{}}).length === {2 * done}")
        page.drawn()
        assert page.all(f"{HEADS} .tag.number").count() == 2 * done
        while not held:
            page.page.wait_for_timeout(10)
        held.pop().continue_()
    page.settled()
    assert page.all(f"{HEADS} .tag.number").count() == 12
    assert page.page.input_value(ORDER) == "worth"
    assert page.page.is_visible("#sweep")


def test_ranking_of_a_text_that_is_gone_is_not_shown(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT)
    held: list[Any] = []
    page.page.route("**/api/v1/ablate", lambda route: held.append(route))
    page.page.click(RANK)
    while not held:
        page.page.wait_for_timeout(10)
    page.page.fill("#text", "my small duck sings by London")
    page.wait("regard.state.output.sentences[0]?.source.startsWith('my')")
    page.wait("regard.state.inspection.result?.text.startsWith('my')")
    held.pop().continue_()
    page.settled()
    assert page.page.evaluate("regard.state.heads.importance") is None


def test_the_tree_is_walked_with_arrows(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    page.click(SEARCH)
    tokens = learnt.translate(TEXT).tokens
    assert page.all(f"{TREE} [tabindex='0']").count() == 1
    page.page.focus(f"{TREE} [tabindex='0']")
    for length in (2, 3):
        page.page.keyboard.press("ArrowRight")
        page.drawn()
        assert page.text("#candidate").startswith(f"{spelled(tokens[:length])} went on at step {length}")
    page.page.keyboard.press("ArrowDown")
    page.drawn()
    at = page.page.evaluate("document.activeElement.getBoundingClientRect().y")
    assert "at step 3" in page.text("#candidate")
    assert not page.text("#candidate").startswith(f"{spelled(tokens[:3])} went")
    page.page.keyboard.press("ArrowUp")
    page.page.keyboard.press("ArrowLeft")
    page.drawn()
    assert page.text("#candidate").startswith(f"{spelled(tokens[:2])} went on at step 2")
    assert at > page.page.evaluate("document.activeElement.getBoundingClientRect().y")
    score = page.page.locator(f"{TREE} [aria-pressed=true] .score").text_content()
    assert float(score or "nan") == pytest.approx(sum(learnt.translate(TEXT).token_log_probs[:2]), abs=0.0051)


def test_a_bar_changes_its_side(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT)
    sides = []
    for change in (1.0, -1.0):
        found = {"heads": ["cross.0.1"], "log_prob_change": change, "token_changes": [change], "text": "x"}
        page.page.unroute_all()
        page.page.route(
            "**/api/v1/ablate", lambda route, request, found=found: route.fulfill(json={"ablations": [found]})
        )
        page.click(head_button("cross.0.1" if change > 0 else "cross.1.1"))
        page.click(TOGGLE)
        bar, track = (page.all(f"{CHANGES} {part}").first.bounding_box() for part in (".track > span", ".track"))
        sides.append(bar["x"] + bar["width"] / 2 > track["x"] + track["width"] / 2)
    assert sides == [True, False]
