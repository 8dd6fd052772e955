"""What else the page shows: how a weight is computed, all layers together, snapshots, other families of models, the tour."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from on_page import ALTERNATIVES, CELL, HEAD, MATRIX, OUTPUT, TOKEN, WRITTEN, head_button, numbers, percent, readable
from playwright.sync_api import expect
from served import Start

from regard.analysis.attribution import trace_flow
from regard.checkpoint import load_model, save_new
from regard.generation.options import TextOptions
from regard.inspection.ablation import ablated_gates, gated
from regard.inspection.record import HeadName
from regard.models import handcrafted
from regard.models.config import DecoderConfig, EncoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load_as
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.state import snapshot_folder, snapshots

SENTENCE = "the small cat sleeps in Berlin"


def test_the_numbers_behind_a_weight(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=SENTENCE, head="cross.1.1", step=2, isExplained="true")
    translation = learnt.translate(SENTENCE)
    seen = learnt.inspect(SENTENCE, translation.text)
    page.page.wait_for_selector("#softmax")
    for moves in ([], ["ArrowRight"], ["ArrowDown", "Home"]):
        page.press(MATRIX, *moves)
        page.page.wait_for_timeout(300)
        view = page.page.evaluate("regard.state.view")
        row, key = view["outputPosition"], view["inputPosition"]
        found = learnt.lookup(seen, "cross.1.1", row)
        key = int(found.weights.argmax()) if key is None else key
        sum_of_terms, factor, root, score = numbers(page.text("#score").replace("√", " "))[:4]
        assert sum_of_terms == pytest.approx(found.terms(key).sum(), abs=2e-3)
        assert (factor, root) == (pytest.approx(found.factor, abs=1e-3), 1)
        assert score == pytest.approx(found.scores[key], abs=2e-3) or len(found.query) == score
        rows = {cells[0]: cells[1:4] for cells in page.page.evaluate(
            "[...document.querySelectorAll('#softmax tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"
        )}  # fmt: skip
        order, labels = (
            sorted(range(len(found.weights)), key=lambda each: -found.weights[each]),
            seen.keys("cross").spelled,
        )
        for each in [each for each in order[:6] if labels.count(labels[each]) == 1]:
            cells = rows[readable(labels[each])]
            assert float(cells[0]) == pytest.approx(found.scores[each], abs=0.011)
            assert float(cells[2]) == pytest.approx(found.weights[each], abs=1e-3)
        for strip, wanted in (("query", found.query), ("key", found.keys[key]), ("terms", found.terms(key))):
            titles = page.texts(f"[data-strip={strip}] title")
            assert [float(each) for each in titles] == pytest.approx(wanted.tolist(), abs=1e-3)
    page.click("#explain")
    assert not page.exists("#softmax")


def test_words_are_the_weights_of_their_tokens(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=SENTENCE, head="cross.1.0", words="true")
    by_word, rows, keys = learnt.inspect(SENTENCE, learnt.translate(SENTENCE).text).words("cross.1.0")
    assert [each.strip() for each in page.texts("#row-tokens bdi")] == rows
    page.page.focus(MATRIX)
    for row in range(2):
        for key in range(3):
            page.click(f"#row-tokens bdi >> nth={row}")
            page.click(f"#key-tokens bdi >> nth={key}")
            assert page.cell[1] == pytest.approx(by_word[row, key], abs=0.011), (rows[row], keys[key])


@pytest.mark.parametrize("method", ["rollout", "gradient"])
def test_through_all_layers(opened: Any, learnt_url: str, learnt: Translator, method: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.choose(HEAD, f"flow.{method}")
    page.page.wait_for_selector("#cell >> text=has a share of")
    wanted = trace_flow(learnt, learnt.inspect(SENTENCE, learnt.translate(SENTENCE).text), method)
    shares = wanted.shares().filled(0)
    for row in range(3):
        page.click(f"#row-tokens bdi >> nth={row}")
        for key in range(3):
            page.click(f"#key-tokens bdi >> nth={key}")
            assert numbers(page.text(CELL))[0] == pytest.approx(shares[row, key], abs=0.006)
    assert wanted.caveat in page.text("#axes")


def test_snapshots_of_training(
    opened: Any, start: Start, learnt_folder: Path, learnt: Translator, tmp_path: Path
) -> None:
    folder = tmp_path / "page-en-de"
    shutil.copytree(learnt_folder, folder)
    for step in (0, 40):
        loaded = load_model(folder)
        torch.manual_seed(step)
        for parameter in loaded.model.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
        snapshot_folder(folder).mkdir(parents=True, exist_ok=True)
        save_new(snapshot_folder(folder) / f"step-{step:08d}", loaded.model, loaded.tokenizer)
    page = opened(start(folder).url, text=SENTENCE, head="cross.0.1")
    translation = learnt.translate(SENTENCE).text
    page.press("#snapshot", "ArrowLeft")
    page.press("#snapshot", "ArrowLeft")
    early = load_as(snapshots(folder)[0], Translator, device="cpu")
    assert page.text("#snapshot-written") == (early.translate(SENTENCE).text or "nothing")
    assert "after 0 steps" in page.text(".panel.snapshots")
    weights = early.inspect(SENTENCE, translation)["cross.0.1"].filled(0)
    page.click("#row-tokens bdi >> nth=1")
    page.click("#key-tokens bdi >> nth=2")
    assert page.cell[1] == pytest.approx(weights[1, 2], abs=0.0051)
    assert not page.exists("#rank")
    page.press("#snapshot", "End")
    assert "the model itself" in page.text(".panel.snapshots")
    assert page.cell[1] == pytest.approx(learnt.inspect(SENTENCE, translation)["cross.0.1"].filled(0)[1, 2], abs=0.0051)


@pytest.fixture(scope="module")
def others(start: Start, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A server with a language model that alternates, one that does not, and a classifier."""
    path = tmp_path_factory.mktemp("others")
    tokenizer = Tokenizer.train(["abcdef "], TokenizerConfig(kind="characters", vocab_size=20))
    sizes = {
        "vocab_size": len(tokenizer),
        "model_dim": 16,
        "ff_dim": 24,
        "num_heads": 2,
        "num_layers": 2,
        "max_positions": 30,
    }
    torch.manual_seed(3)
    save_new(path / "alternating", handcrafted.alternating(len(tokenizer), 12), tokenizer)
    for name, config in (
        ("letters", DecoderConfig(**sizes)),
        ("moods", EncoderConfig(task="classify", labels=["sad", "glad"], **sizes)),
    ):
        model = build(config)
        with torch.no_grad():
            for each, parameter in model.named_parameters():
                if "embedding" in each:
                    parameter.mul_(3.0)
        save_new(path / name, model.eval(), tokenizer)
    return start(path / "alternating", path / "letters", path / "moods").url, path


def test_a_language_model_continues_and_is_forced(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    model = load_as(path / "letters", LanguageModel, device="cpu")
    page = opened(url, direction="letters")
    page.page.fill("#text", "ab c")
    page.click("button.primary")
    greedy = model.continuations(["ab c"], TextOptions(max_tokens=24, temperature=0.0))[0]
    written = "ab c" + greedy.text
    assert page.page.evaluate("regard.state.output.sentences[0].text") == written
    seen = model.inspect(written)
    tokens = seen.rows("decoder").spelled
    assert page.tokens == [readable(token) for token in tokens]
    assert page.titles[1:] == [percent(value) for value in seen.token_log_probs]
    place = len(tokens) - 6
    page.take_token(place)
    likeliest = model.scored(model.ids_of(written), 5).likeliest[place]
    assert likeliest is not None
    assert [token for token, _ in page.alternatives] == [readable(token) for token, _ in likeliest]
    letters = [number for number, (token, _) in enumerate(likeliest) if token in "abcdef" and token != tokens[place]]
    page.all(ALTERNATIVES).nth(letters[0]).click()
    page.settled()
    forced = "".join(tokens[1:place]).replace("▁", " ").lstrip() + likeliest[letters[0]][0]
    assert page.page.evaluate("regard.state.output.sentences[0].text").startswith(forced)
    assert "before:" in page.text(OUTPUT)
    weights = model.inspect(page.page.evaluate("regard.state.output.sentences[0].text"))["decoder.1.1"].filled(0)
    page.choose(HEAD, "decoder.1.1")
    page.click("#row-tokens bdi >> nth=3")
    page.click("#key-tokens bdi >> nth=1")
    assert page.cell[1] == pytest.approx(weights[3, 1], abs=0.0051)


def test_given_tokens_stand_apart_from_written_ones(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    given = load_as(path / "letters", LanguageModel, device="cpu").ids_of("ab c")
    page = opened(url, direction="letters", text="ab c", length=20, head="decoder.1.0", off="decoder.0.0")
    count = len(given)
    parts = {name: page.page.get_by_role("group", name=name, exact=True) for name in ("Given", "Written by the model")}
    shown = {name: part.locator(".token").all_text_contents() for name, part in parts.items()}
    assert [len(tokens) for tokens in shown.values()] == [count, len(page.tokens) - count]
    assert [token for tokens in shown.values() for token in tokens] == page.tokens
    assert parts["Written by the model"].locator(".run-name").inner_text() == "Written by the model"
    classes = "all => all.map(each => [each.classList.contains('given'), each.classList.contains('begins-written')])"
    wanted = [[index < count, index == count] for index in range(len(page.tokens))]
    for selector in (
        "#curves text[data-row]:not([data-row='-1'])",
        "#curves text:not([data-key='-1'])",
        "#key-tokens .part",
    ):
        found = page.all(selector).evaluate_all(classes)
        if selector == "#key-tokens .part":  # tokens of much weight are written in the colour of the paper
            found = [each if each[0] == one[0] else one for each, one in zip(found, wanted, strict=True)]
        assert found == wanted, selector
    assert page.all(".changes .change").evaluate_all(classes) == wanted[1:]
    for selector in ("#curves", MATRIX):
        assert f"the first {count} were given" in (page.page.get_attribute(selector, "aria-label") or "")
    assert page.all("#curves path.boundary").count() == 2
    place = count - 2  # a token of the prompt is written anew: it and what follows are not given
    page.take_token(place)
    page.all(f"{ALTERNATIVES}:not(:disabled)").first.click()
    page.settled()
    assert parts["Given"].locator(".token").count() == place
    assert parts["Written by the model"].locator(".token").first.get_attribute("title") == "written by you"
    again = opened(page.address)
    assert again.page.evaluate("regard.state.output.sentences[0].numGiven") == place


def test_a_translation_has_nothing_that_was_given(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE)
    assert not page.exists(":is(.run, .given, .begins-written, path.boundary)")


def test_heads_of_a_language_model_are_switched_off_and_ranked(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    model = load_as(path / "letters", LanguageModel, device="cpu")
    page = opened(url, direction="letters", text="ab c", off="decoder.1.0")
    text = page.page.evaluate("regard.state.output.sentences[0].text")
    # as many as were asked for with it
    count = page.page.evaluate("regard.state.output.sentences[0].decoding.max_tokens")
    whole = model.inspect(text).token_log_probs
    with gated(model.model, ablated_gates(model.model, [HeadName.parse("decoder.1.0")])):
        weaker = model.inspect(text).token_log_probs
        written = "ab c" + model.continuations(["ab c"], TextOptions(max_tokens=count, temperature=0.0))[0].text
    changes = [after - before for after, before in zip(weaker, whole, strict=True)]
    assert [float(each) for each in page.texts(".changes .number")] == pytest.approx(changes, abs=0.0051)
    assert float(page.text("#sum")) == pytest.approx(sum(changes), abs=0.00051)
    assert page.page.evaluate("regard.state.heads.ablation.text") == written
    page.click("#rank")
    page.click(head_button("decoder.1.0"))
    page.take_token(3)
    assert page.text("#sweep-cell").startswith(f"decoder.1.0 is worth {-changes[2]:.3f} nats")
    assert opened(page.address).text("#sweep-cell") == page.text("#sweep-cell")


def test_heads_of_a_classifier_are_switched_off(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    model = load_as(path / "moods", Predictor, device="cpu")
    page = opened(url, direction="moods", text="bad face")
    whole = dict(model.inspect("bad face").predicted)
    page.press(head_button("encoder.0.1"), " ")
    with gated(model.model, ablated_gates(model.model, [HeadName.parse("encoder.0.1")])):
        weaker = dict(model.inspect("bad face").predicted)
    found = {
        each.locator("bdi").inner_text(): float(each.locator(".number").inner_text())
        for each in page.all(".changes .change").all()
    }
    assert found == {label: pytest.approx(weaker[label] - whole[label], abs=0.0051) for label in whole}
    assert not page.exists("#rank")


def test_a_classifier_says_what_and_which_tokens_moved_it(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    predictor = load_as(path / "moods", Predictor, device="cpu")
    page = opened(url, direction="alternating")
    page.choose("#model", "moods")
    page.page.fill("#text", "abc de")
    page.click("button.primary")
    seen = predictor.inspect("abc de")
    rows = [text.split("\n") for text in page.page.locator("#predicted [role=listitem]").all_inner_texts()]
    assert [(row[0], numbers(row[-1])[0]) for row in rows] == [
        (label, pytest.approx(100 * prob, abs=0.51)) for label, prob in seen.predicted
    ]
    expect(page.all("#moved .token").first).not_to_have_attribute("data-share", "0.000", timeout=20_000)
    shares = trace_flow(predictor, seen, "gradient").shares().filled(0)[0]
    found = page.all("#moved .token").evaluate_all("all => all.map(each => Number(each.dataset.share))")
    assert found == pytest.approx(shares.tolist(), abs=2e-3)


def test_a_file_is_translated(opened: Any, learnt_url: str, learnt: Translator, tmp_path: Path) -> None:
    page = opened(learnt_url)
    lines = [SENTENCE, "", "my old duck sings near Paris", *["a red cat plays by London"] * 60]
    source = tmp_path / "lines.txt"
    source.write_text("".join(f"{line}\n" for line in lines))
    with page.page.expect_download(timeout=60_000) as downloaded:
        page.page.set_input_files("#file", source)
    assert downloaded.value.suggested_filename == "lines.de.txt"
    found = Path(downloaded.value.path()).read_text().split("\n")
    assert found == [*(learnt.translate(line).text if line else "" for line in lines), ""]


def test_the_list_of_heads_is_what_prune_reads(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=SENTENCE, off="cross.0.1,encoder.1.0")
    with page.page.expect_download() as downloaded:
        page.button("List of heads that are off").click()
    assert Path(downloaded.value.path()).read_text() == "cross.0.1\nencoder.1.0\n"


def test_the_tour_sets_what_it_speaks_of(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url)
    page.click("#tour")
    assert "1 of 8" in page.text("#tour-title")
    assert page.all(TOKEN).count() > 0  # of an example
    page.click("#tour-next")
    head = page.page.input_value(HEAD)
    text = page.page.input_value("#text")
    seen = learnt.inspect(text, learnt.translate(text).text)
    sharpest = max((each for each in seen.heads if each.name.kind == "cross"), key=lambda each: each.confidence)
    assert head == str(sharpest.name)
    page.click("#tour-next")
    page.click("#tour-next")
    page.page.wait_for_selector("#softmax")
    page.click("#tour-next")
    page.click("#tour-next")
    page.page.wait_for_selector(WRITTEN)
    assert page.heads_off == [str(sharpest.name)]
    assert page.page.evaluate("document.activeElement.id") == "tour-next"
    page.click("#tour-next")
    assert page.heads_off == []  # the next stop is about something else
    page.click("#tour-next")
    page.page.wait_for_selector("#tree")
    page.page.keyboard.press("Escape")
    page.settled()
    assert not page.exists("#tour-title")
    assert page.exists(head_button("cross.0.0"))


def test_what_each_head_is_worth_for_each_token(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.click("#rank")
    page.page.wait_for_selector(".sweep")
    translation = learnt.translate(SENTENCE)
    for row, step in ((0, 0), (3, 2), (11, 1)):
        head = page.heads[row]
        page.click(head_button(head))
        page.take_token(step)
        (one,) = learnt.inspect(SENTENCE, translation.text, ablate=[head]).ablations
        assert (
            page.text("#sweep-cell")
            == f"{head} is worth {-one.token_changes[step]:.3f} nats for {readable(translation.tokens[step])}."
        )
    page.page.locator("#sweep").scroll_into_view_if_needed()
    box = page.page.locator("#sweep").bounding_box()
    count = len(translation.tokens) + 1
    page.page.mouse.click(box["x"] + 3.5 * box["width"] / count, box["y"] + 5.5 * box["height"] / 12)
    page.settled()
    assert page.text("#sweep-cell").startswith(f"{page.heads[5]} is worth ")
    assert page.page.evaluate("regard.state.view.outputPosition") == 3


def test_two_translations_are_compared(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=SENTENCE)
    page.click(".compare >> nth=0")
    found = learnt.translate(SENTENCE, n_best=5)
    other = found.n_best[1]
    assert page.texts("#compared .token") == [readable(token) for token in other.tokens]
    scored = learnt.score([SENTENCE, SENTENCE], [other.text, found.text])
    sums = [sum(each.token_log_probs[:-1]) for each in scored]
    assert numbers(page.text("#compared .hint"))[:2] == pytest.approx(sums, abs=0.011)
    marked = {word for word in other.text.split() if word not in found.text.split()}
    assert set(page.texts("#compared mark")) == marked
    page.click(".compare >> nth=0")
    assert not page.exists("#compared")


def test_html_is_translated_with_its_tags(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url)
    page.write("<p>the <b>small</b> cat sleeps in Berlin</p>")
    assert page.page.is_checked("#html") is False
    page.click("#html")
    shown = page.text("pre.html")
    assert shown.startswith("<p>")
    assert shown.count("<b>") == shown.count("</b>") == 1
    page.write("the cat")
    assert not page.exists("pre.html")
    assert page.all(TOKEN).count() > 0
