"""What the page says of a token is about the token that was written, and what it asks for anew is asked for in the same way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from on_page import BEFORE, CHANGES, SEARCH, TOKEN, TREE, WRITTEN, Shown, readable
from playwright.sync_api import Route

from regard.inspection.record import HeadName
from regard.pipelines.translator import Translator

TEXT = "the old cat sleeps near Paris"


def letter_by_letter(translator: Translator, text: str) -> list[int]:
    """The ids of a text in tokens of one letter each: other tokens than it is cut into."""
    tokenizer = translator.tokenizer
    ids = {token: id for id, token in enumerate(tokenizer.tokens(range(len(tokenizer))))}
    found = [ids[letter] for letter in "▁" + text.replace(" ", "▁")]
    assert tokenizer.decode(found) == text
    assert tokenizer.encode(text) != found
    return found


def chips(page: Shown) -> list[str]:
    return page.texts("#output .token")


def rows(page: Shown) -> list[str]:
    return [str(each) for each in page.page.evaluate("regard.state.inspection.result.tokens.cross.rows.spelled")]


def test_rows_chips_and_bars_are_the_tokens_that_were_written(opened: Any, learnt_url: str, learnt: Translator) -> None:
    text = learnt.translate(TEXT, n_best=5).n_best[-1].text
    ids = letter_by_letter(learnt, text)
    tokens = learnt.tokenizer.tokens(ids)
    seen = learnt.inspect(TEXT, ids, ablate=[["cross.1.0"]])
    page = opened(learnt_url, text=TEXT, head="cross.1.0", off="cross.1.0")
    # a search may find such a translation; here it is put among those that were found
    best = {"text": text, "score": -1.0, "ids": ids}
    page.page.evaluate("best => regard.state.output.sentences[0].nBest.splice(1, 9, best)", best)
    page.page.evaluate("dispatchEvent(new Event('resize'))")
    page.page.locator(".nbest button.link").nth(1).click()
    page.settled()
    for shown in (page, opened(page.address, beside=page)):  # the link is of the same tokens
        assert chips(shown) == [readable(token) for token in tokens]
        assert rows(shown) == [*tokens, "</s>"]
        bars = shown.all(CHANGES)
        assert [each.locator("bdi").inner_text() for each in bars.all()] == [*map(readable, tokens), "</s>"]
        changes = [float(each.locator(".number").inner_text()) for each in bars.all()]
        assert changes == pytest.approx(seen.ablations[0].token_changes, abs=0.0051)
        for place in (0, len(tokens) // 2, len(tokens) - 1):
            shown.take_token(place)
            assert shown.cell[0] == readable(tokens[place])
    page.click("#rank")
    worth = page.page.evaluate("regard.state.heads.importanceByToken['cross.1.0']")
    assert worth == pytest.approx([-change for change in seen.ablations[0].token_changes], abs=1e-4)


def test_without_heads_a_forced_word_stays(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT, off="cross.1.0")
    page.take_token(2)
    page.write_alternative(1)
    prefix = page.page.evaluate("regard.state.output.sentences[0].prefix")
    forced = learnt.translate(TEXT, prefixes=prefix)
    assert chips(page) == [readable(token) for token in forced.tokens]
    seen = learnt.inspect(TEXT, forced.ids, ablate=[["cross.1.0"]], prefix=prefix)
    assert page.text(WRITTEN) == seen.ablations[0].text
    assert page.text(WRITTEN).startswith(prefix)
    assert page.exists("#same-prefix")


def test_without_heads_a_sample_is_drawn_in_the_same_way(opened: Any, learnt_url: str, learnt: Translator) -> None:
    drawn = {"method": "sample", "temperature": 1.3, "seed": 5}
    text = f"{TEXT}. my small duck sings in Berlin."
    page = opened(learnt_url, text=text, temperature=1.3, seed=5, off="cross.1.0")
    sources = page.page.evaluate("regard.state.output.sentences.map(each => each.source)")
    written = [each.text for each in learnt.translate(sources, **drawn)]
    assert page.page.evaluate("regard.state.output.sentences.map(each => each.text)") == written
    for index, source in enumerate(sources):
        page.page.click(f'[data-sentence="{index}"] [data-place="0"]')
        page.settled()
        (without,) = learnt.inspect(source, ablate=[["cross.1.0"]], index=index, **drawn).ablations
        assert page.text(WRITTEN) == without.text
    page.click(SEARCH)
    assert "drawn" in page.text("#unsearched")


def test_the_search_is_for_what_was_forced(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    page.click(SEARCH)
    page.take_token(2)
    page.write_alternative(1)  # the search follows
    prefix = page.page.evaluate("regard.state.output.sentences[0].prefix")
    best = learnt.translate(TEXT, prefixes=prefix, trace=True, beam_size=5)
    assert best.trace is not None
    assert page.all(f"{TREE} g.node").count() > 0
    marked = page.texts(f"{TREE} g.node.best text:not(.score)")
    assert [each.rstrip("…") for each in marked] == [readable(token)[:8] if len(readable(token)) > 9 else readable(token)
                                                     for token in [*best.tokens, "</s>"]]  # fmt: skip
    assert page.text("#with-prefix").endswith(prefix)
    assert not page.exists("#unsearched")


def test_of_two_ways_to_one_text_the_tree_marks_the_one_that_was_written(
    opened: Any, learnt_url: str, learnt: Translator
) -> None:
    """The same text in other tokens, which has the better score."""
    written, unknown = learnt.translate(TEXT), learnt.tokenizer.unk_id

    def step(parents: bool, token: str, ids: list[int], fate: str) -> list[dict[str, Any]]:
        return [{"parent": way if parents else None, "id": id, "token": token, "log_prob": -1.0, "score": -1.0 - way,
                 "fate": fate} for way, id in enumerate(ids)]  # fmt: skip

    trace = [step(place > 0, token, [unknown, id], "active")
             for place, (token, id) in enumerate(zip(written.tokens, written.ids, strict=True))]  # fmt: skip
    trace.append(step(True, "</s>", [learnt.tokenizer.eos_id] * 2, "finished"))
    answer = {"text": written.text, "sentences": [{"ids": [unknown]}], "trace": trace, "direction": "en-de"}

    def answered(route: Route) -> None:
        if json.loads(route.request.post_data or "{}").get("trace"):
            route.fulfill(json=answer)
        else:
            route.continue_()

    page = opened(learnt_url, text=TEXT)
    page.page.route("**/api/v1/translate", answered)
    page.click(SEARCH)
    best = page.all(f"{TREE} g.node.best")
    marked = [str(each) for each in best.evaluate_all("all => all.map(each => each.dataset.node)")]
    assert marked == [f"{step}.1" for step in range(len(trace))]


def test_what_is_new_is_found_word_by_word_and_taken_back(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    before, address = chips(page), page.address
    page.take_token(2)
    page.write_alternative(1)
    prefix_end = page.all(f"{TOKEN}.prefix-end")
    assert prefix_end.count() == 1
    assert prefix_end.get_attribute("data-place") == "2"
    new = "".join(page.texts(f"{TOKEN}.new"))
    gone = page.texts("#output .before del")
    was, now = page.text(BEFORE).split(), page.page.evaluate("regard.state.output.sentences[0].text").split()
    assert new or gone
    assert set(gone) == {word for word in was if word not in now}  # no word stands twice in these sentences
    page.click("#take-back")
    assert chips(page) == before
    assert not page.exists(BEFORE)
    assert "edits" not in page.address
    assert page.address.replace("&step=2", "") == address


@pytest.mark.parametrize(
    ("text", "other", "new", "gone"),
    [
        ("a b c", "a b c", "", ""),
        ("a c", "a b c", "", "b"),  # a word is gone, and none is new
        ("b a", "a b", "b", "b"),  # moved: one word less in common
        ("the the cat", "the cat", "the", ""),  # twice now
        ("ROMEO:\nThat", "ROMEO:\nThis", "That", "This"),
        ("Schnee.", "Schnee .", "", ""),  # spaces are no words
        ("猫在睡", "狗在睡", "猫", "狗"),  # no spaces
        ("", "a", "", "a"),
    ],
)
def test_differences_of_texts(opened: Any, learnt_url: str, text: str, other: str, new: str, gone: str) -> None:
    found = opened(learnt_url).page.evaluate(
        "([text, other]) => regard.unmatchedWords(text, other).map(words => words.join(' '))", [text, other]
    )
    assert found == [new, gone]


def test_the_alignment_head_is_one_for_the_model(opened: Any, serve: Any, learnt_folder: Any, tmp_path: Any) -> None:
    """The head that the configuration names, on the page as in Python; of a model that names none, what `align` takes."""
    import shutil

    from regard.pipelines.loading import load_as

    named = tmp_path / "named-en-de"
    shutil.copytree(learnt_folder, named)
    config = json.loads((named / "config.json").read_text())
    config["model"]["alignment_head"] = "cross.0.1"
    (named / "config.json").write_text(json.dumps(config))
    url = serve(named).url
    page = opened(url, text=TEXT)
    for text in (TEXT, "my small duck sings in Berlin", "a red woman plays by London"):
        page.write(text)
        assert page.text("#aligns") == "Show the alignment head"
        page.click("#aligns")
        assert page.page.input_value("#head") == "cross.0.1"
        translator = load_as(named, Translator, device="cpu")
        aligned, seen = translator.align(text), translator.inspect(text)
        assert aligned.weights[0] == pytest.approx(seen[HeadName("cross", 0, 1)].filled(0)[0].tolist(), abs=1e-5)
    old = load_as(learnt_folder, Translator, device="cpu")
    page = opened(serve(learnt_folder).url, text=TEXT)
    page.click("#aligns")
    assert page.page.input_value("#head") == f"mean.cross.{old.align(TEXT).layer}"
    assert "of this sentence" in page.text("#aligns")
