"""What the page says of a translation is what the translator says: tokens, probabilities, alternatives."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from on_page import BEAM, BEFORE, N_BEST, OUTPUT, STATUS, TEMPERATURE, TEXT, TOKEN, numbers, percent, readable, spelled

from regard.pipelines.translator import Translator

TEXT_ONE, TEXT_TWO = "the old cat sleeps near Paris", "my small duck sings by London"


@pytest.mark.parametrize("beam_size", [1, 5])
def test_tokens_and_probabilities(opened: Any, learnt_url: str, learnt: Translator, beam_size: int) -> None:
    page = opened(learnt_url, text=TEXT_ONE, beam=beam_size)
    wanted = learnt.translate(TEXT_ONE, beam_size=beam_size)
    assert page.tokens == [readable(token) for token in wanted.tokens]
    assert page.titles == [percent(value) for value in wanted.token_log_probs[: len(wanted.tokens)]]
    colours = page.all(TOKEN).evaluate_all("all => all.map(each => each.style.background)")
    strengths = [numbers(colour)[3] if len(numbers(colour)) == 4 else 1.0 for colour in colours]
    shares = [min(1.0, -value / 3) for value in wanted.token_log_probs[: len(wanted.tokens)]]
    assert strengths == pytest.approx([0.55 * share for share in shares], abs=0.004)  # a browser keeps 8 bits
    assert max(strengths) > 3 * min(strengths)


def test_beams_differ_and_can_be_chosen(opened: Any, learnt_url: str, learnt: Translator) -> None:
    text = next(text for text in (TEXT_ONE, TEXT_TWO, "a woman plays", "the red duck by Berlin", "my old Paris", "sings cat")
                if learnt.translate(text, beam_size=1).text != learnt.translate(text, beam_size=5).text)  # fmt: skip
    page = opened(learnt_url, text=text)
    assert page.tokens == [readable(token) for token in learnt.translate(text, beam_size=5).tokens]
    page.choose(BEAM, "1")
    assert page.tokens == [readable(token) for token in learnt.translate(text, beam_size=1).tokens]
    assert "beam=1" in page.address


def test_alternatives_of_every_token(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    wanted = learnt.translate(TEXT_ONE, alternatives=5)
    assert wanted.alternatives is not None
    for place in range(len(wanted.tokens)):
        page.take_token(place)
        assert page.alternatives == [[readable(token), percent(value)] for token, value in wanted.alternatives[place]]
        assert page.all(TOKEN).nth(place).get_attribute("aria-pressed") == "true"
    own = [each.is_disabled() for each in page.all(".alternatives button.bar").all()]
    assert own == [token == wanted.tokens[-1] for token, _ in wanted.alternatives[len(wanted.tokens) - 1]]


def test_an_alternative_is_forced(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    before = learnt.translate(TEXT_ONE, alternatives=5)
    for place, number in ((0, 1), (3, 2)):
        was = learnt.translate(TEXT_ONE, alternatives=5, prefixes=spelled(before.tokens[:place]) or None)
        assert was.alternatives is not None
        page.take_token(place)
        token = was.alternatives[place][number][0]
        prefix = spelled([*was.tokens[:place], token])
        page.write_alternative(number)
        wanted = learnt.translate(TEXT_ONE, prefixes=prefix, alternatives=5)
        assert wanted.text.startswith(prefix)
        assert page.tokens == [readable(each) for each in wanted.tokens]
        assert page.titles == [percent(value) for value in wanted.token_log_probs[: len(wanted.tokens)]]
        assert page.text(BEFORE) == before.text
        new = page.all(TOKEN).evaluate_all("all => all.map(each => each.classList.contains('new'))")
        words: dict[int, str] = {}
        at = -1
        for index, each in enumerate(wanted.tokens):
            at += each.startswith("▁") or index == 0
            words[at] = words.get(at, "") + each
        numbered = [sum(each.startswith("▁") for each in wanted.tokens[1 : index + 1]) for index in range(len(new))]
        known = before.text.split()
        assert new == [words[word].replace("▁", "") not in known for word in numbered]
        assert any(new)
        page.write(TEXT_TWO)
        page.write(TEXT_ONE)
        assert page.tokens == [readable(each) for each in before.tokens]


def test_a_forced_letter_stands_and_the_rest_is_copied(opened: Any, copying_url: str) -> None:
    page = opened(copying_url, text="abcde")
    assert "".join(page.tokens) == "␣abcde"
    page.take_token(2)
    forced = page.alternatives[1][0]
    assert forced in "acdefghij"
    page.write_alternative(1)
    assert "".join(page.tokens) == f"␣a{forced}cde"
    assert page.text(BEFORE) == "abcde"
    page.take_token(4)
    other = page.alternatives[1][0]
    page.write_alternative(1)
    assert "".join(page.tokens) == f"␣a{forced}c{other}e"  # what was forced before stays
    assert page.text(BEFORE) == "abcde"


def test_an_end_is_forced_and_not_its_letters(opened: Any, learnt_url: str, learnt: Translator) -> None:
    wanted = learnt.translate(TEXT_ONE, alternatives=5)
    assert wanted.alternatives is not None
    ends = [(place, [token for token, _ in others].index("</s>")) for place, others in enumerate(wanted.alternatives[:-1])
            if "</s>" in dict(others)]  # fmt: skip
    assert ends
    page = opened(learnt_url, text=TEXT_ONE, step=ends[-1][0])
    bar = page.all(".alternatives button.bar").nth(ends[-1][1])
    if bar.is_enabled():
        bar.click()
        page.settled()
    assert not {"</s>", "<unk>", "<", ">"} & set(page.tokens)
    assert "<" not in page.text(OUTPUT)


def test_the_best_translations(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE, beam=3)
    wanted = learnt.translate(TEXT_ONE, beam_size=3, n_best=3).n_best
    rows = [re.sub(r"\s+", " ", each).strip() for each in page.texts(N_BEST)]
    # All but the one that is shown can be compared with it.
    assert rows == [f"{each.text} {each.score:.3f}{' compare' if rank else ''}" for rank, each in enumerate(wanted)]
    page.all(f"{N_BEST} button").nth(1).click()
    page.settled()
    scored = learnt.score([TEXT_ONE], [wanted[1].text])[0]
    assert page.tokens == [readable(token) for token in scored.tokens[:-1]]
    assert page.titles == [percent(value) for value in scored.token_log_probs[:-1]]


def test_several_sentences_each_with_its_own_panels(opened: Any, learnt_url: str, learnt: Translator) -> None:
    text = "the old cat sleeps in Paris. London sings."
    page = opened(learnt_url, text=text)
    parts = ["the old cat sleeps in Paris.", "London sings."]
    for at, part in enumerate(parts):
        wanted = learnt.translate(part)
        assert page.texts(f'[data-sentence="{at}"] .token') == [readable(token) for token in wanted.tokens]
    page.page.click('[data-sentence="1"] .token >> nth=0')
    page.settled()
    assert page.texts("#key-tokens bdi")[:2] == ["London", "sing"]
    assert page.text("#key-tokens").startswith("London sing")


def test_typing_is_translated_when_it_rests_and_counted(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url)
    page.page.type(TEXT, TEXT_ONE, delay=5)  # over the example, which is selected
    page.page.wait_for_timeout(350)
    page.settled()
    assert page.tokens == [readable(token) for token in learnt.translate(TEXT_ONE).tokens]
    tokenizer = learnt.source_tokenizer
    page.wait("document.querySelector('.controls').textContent.includes('; a sentence may have')")
    assert numbers(page.text(".controls"))[-2:] == [
        learnt.max_positions - len(tokenizer.frame_source([])), len(tokenizer.encode(TEXT_ONE)),
    ]  # fmt: skip
    page.page.uncheck(".controls input[type=checkbox]")
    page.write(TEXT_TWO)
    assert page.tokens == [readable(token) for token in learnt.translate(TEXT_ONE).tokens]  # not while typing
    page.page.press(TEXT, "Control+Enter")
    page.settled()
    assert page.tokens == [readable(token) for token in learnt.translate(TEXT_TWO).tokens]


def test_nothing_is_left_of_a_text_that_was_removed(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    assert page.exists("#matrix")
    page.write("   ")
    assert page.tokens == []
    assert not page.exists("#matrix")
    assert page.text(STATUS) == ""
    assert page.text(OUTPUT).startswith("The translation appears here")


def test_sampling(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    page.choose(TEMPERATURE, "0.5")
    wanted = learnt.translate(TEXT_ONE, method="sample", temperature=0.5)
    assert page.tokens == [readable(token) for token in wanted.tokens]
    assert "temperature=0.5" in page.address


def test_the_tokens_of_the_text_are_the_text(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    without_symbols = """() => { const copy = document.querySelector('#key-tokens').cloneNode(true);
        copy.querySelectorAll('.symbol').forEach(each => each.remove()); return copy.textContent; }"""
    assert page.page.evaluate(without_symbols) == TEXT_ONE


def test_pointing_at_a_token_shows_what_could_stand_there_and_forces_it(
    opened: Any, learnt_url: str, learnt: Translator
) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    found = learnt.translate(TEXT_ONE, alternatives=5)
    assert found.alternatives is not None
    page.all(TOKEN).nth(3).hover()
    page.page.wait_for_selector(".peek")
    rows = [
        [each.locator("bdi").inner_text(), each.locator(".number").inner_text()]
        for each in page.all(".peek button").all()
    ]
    assert rows == [[readable(token), percent(value)] for token, value in found.alternatives[3]]
    assert page.page.input_value("#step") == "0"  # pointing chooses nothing
    page.page.mouse.move(5, 5)
    page.page.wait_for_selector(".peek", state="detached")
    page.all(TOKEN).nth(3).hover()
    page.page.hover(".peek button >> nth=4")  # it stays while the pointer is on its way, and on it
    page.page.wait_for_timeout(400)
    page.click(".peek button >> nth=2")
    wanted = learnt.translate(TEXT_ONE, prefixes=spelled([*found.tokens[:3], found.alternatives[3][2][0]]))
    assert page.tokens == [readable(token) for token in wanted.tokens]
    assert (page.page.input_value("#step"), page.text(BEFORE)) == ("3", found.text)
    assert not page.exists(".peek")


def test_another_of_the_best_translations_can_be_forced_too(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT_ONE)
    other = learnt.translate(TEXT_ONE, n_best=5).n_best[1]
    page.click(f"{N_BEST} >> nth=1 >> button.link")
    (scored,) = learnt.score([TEXT_ONE], [other.text], alternatives=5)
    assert scored.alternatives is not None
    page.take_token(2)
    assert page.alternatives == [[readable(token), percent(value)] for token, value in scored.alternatives[2]]
    page.write_alternative(1)
    wanted = learnt.translate(TEXT_ONE, prefixes=spelled([*scored.tokens[:2], scored.alternatives[2][1][0]]))
    assert page.tokens == [readable(token) for token in wanted.tokens]


def test_a_text_is_listed_once_among_the_best(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url)
    best = [{"text": text, "score": -number} for number, text in enumerate(["die Katze", "die Ente", "die Katze", ""])]
    one = {
        "text": "die Katze",
        "source": TEXT_ONE,
        "score": 0,
        "tokens": ["▁die", "▁Katze"],
        "token_log_probs": [-0.1, -0.2],
        "n_best": best,
    }
    done = {"text": "die Katze", "sentences": [one]}
    body = f"event: meta\ndata: {json.dumps({'sentences': 1})}\n\nevent: done\ndata: {json.dumps(done)}\n\n"
    page.page.route("**/api/v1/stream", lambda route: route.fulfill(content_type="text/event-stream", body=body))
    page.write(TEXT_ONE)
    listed = [each.inner_text() for each in page.all(N_BEST).all()]
    assert listed == [
        "die Katze 0.000",
        "die Ente -1.000 compare",
        "nothing -3.000",
    ]
