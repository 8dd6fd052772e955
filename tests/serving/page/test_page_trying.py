"""What a reader can try: another softmax, another way to draw the next token, a change of the sentence or the model. The numbers
are those of Python.
"""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from typing import Any

import numpy
import pytest
from on_page import HEAD, STEP, Shown, numbers, readable

from regard.analysis import patching
from regard.analysis.experiments import experiment
from regard.analysis.next_token import next_tokens
from regard.analysis.patching import patch
from regard.checkpoint import save_new
from regard.errors import DataError
from regard.generation.rules.sampling import SamplingOptions
from regard.models.config import DecoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

STORED = Path(__file__).parents[2] / "stored"
TEXT = "the old cat sleeps near Paris"


@pytest.fixture(scope="module")
def others(serve: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A language model, and a recurrent translator."""
    path = tmp_path_factory.mktemp("others")
    tokenizer = Tokenizer.train(["abcdef "], TokenizerConfig(kind="characters", vocab_size=20))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 16, "max_positions": 30}
    save_new(path / "letters", build(DecoderConfig(num_layers=1, num_heads=2, ff_dim=8, **sizes)).eval(), tokenizer)
    shutil.copytree(STORED / "recurrent", path / "en-de")
    return str(serve(path / "letters", path / "en-de").url), path


def softmax(scores: numpy.ndarray) -> numpy.ndarray:
    shares = numpy.exp(scores - scores.max())
    return numpy.asarray(shares / shares.sum())


def cells(page: Shown, table: str) -> list[list[str]]:
    """The cells of a table's rows."""
    rows = page.page.evaluate(
        f"[...document.querySelectorAll('{table} tbody tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return [[row[0].removesuffix("(hidden)").strip(), *row[1:]] for row in rows]


def test_softmax_with_a_hand_on_it(opened: Any, learnt_url: str, learnt: Translator) -> None:
    head, row = "decoder.1.1", 3
    page = opened(learnt_url, text=TEXT, head=head, step=row, isExplained="true")
    page.page.wait_for_selector("#softmax")
    seen = learnt.inspect(TEXT)
    found, labels = learnt.lookup(seen, head, row), [readable(each) for each in seen.keys("decoder").spelled]
    allowed = found.allowed

    def shown_is(weights: numpy.ndarray, column: int = 2) -> None:
        page.drawn()
        shown = cells(page, "#softmax")
        assert len(shown) >= min(4, len(labels))
        for label, *values in shown:
            same = [weights[place] for place, each in enumerate(labels) if each == label]
            assert min(abs(float(values[column]) - each) for each in same) < 6e-4
        spread = -sum(each * numpy.log(each) for each in weights[weights > 0])
        assert numbers(page.text("#row-spread"))[0] == pytest.approx(spread, abs=0.0051)

    def row_of(scores: numpy.ndarray, among: numpy.ndarray) -> numpy.ndarray:
        return softmax(numpy.where(among, scores, -numpy.inf))

    shown_is(found.weights)  # as the model has it
    assert not page.exists("#own-softmax")
    for temperature in (0.1, 2.0, 10.0):
        page.slide("#softmax-temperature", numpy.log10(temperature))
        actual = page.page.evaluate("regard.state.trial.softmax.temperature")
        assert actual == pytest.approx(temperature, rel=0.03)  # a step of the slider
        shown_is(row_of(found.scores / actual, allowed))
        shown_is_own = [float(values[4]) for values in cells(page, "#softmax")]
        assert max(shown_is_own) <= max(found.weights) + 1e-3
    page.page.click("#own-softmax")
    shown_is(found.weights)
    page.page.click("#scaled")
    shown_is(row_of(found.scores / found.factor, allowed))
    page.page.click("#masked")
    shown_is(row_of(found.scores / found.factor, numpy.ones_like(allowed)))
    page.page.click("#scaled")
    shown_is(row_of(found.scores, numpy.ones_like(allowed)))
    assert "(hidden)" in page.text("#softmax")
    page.page.click("#own-softmax")
    shown_is(found.weights)
    page.choose(HEAD, "cross.1.1")
    page.wait("!document.querySelector('#masked')")  # nothing is hidden


def test_how_the_next_token_is_chosen(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT, step=2, unfolds=False)
    seen = learnt.inspect(TEXT)
    assert not page.exists("#next")
    page.page.click("#next-token summary")

    def shown_is(row: int, **options: Any) -> None:
        page.settled()
        page.wait("document.querySelector('#next') && !document.querySelector('#next-token .stale')")
        found = next_tokens(learnt, seen, row, SamplingOptions(**options))
        wanted = [[readable(each.token), 100 * each.prob, 100 * each.drawn] for each in found.tokens]
        wanted.append([f"{found.num_others:,} others", 100 * found.others, 100 * found.others_drawn])
        shown = [
            [name, *(float(each.removesuffix(" %")) for each in values[:2])] for name, *values in cells(page, "#next")
        ]
        assert [each[0] for each in shown] == [each[0] for each in wanted]
        for one, other in zip(shown, wanted, strict=True):
            assert one[1:] == pytest.approx(other[1:], abs=0.051)
        assert numbers(page.text("#drawable")) == [found.num_drawable]

    shown_is(2)
    assert f"Greedy search takes {readable(next_tokens(learnt, seen, 2).tokens[0].token)}." in page.text("#next-token")
    page.slide("#next-temperature", 0.5)
    shown_is(2, temperature=0.5)
    page.page.select_option("#next-top-k", "2")
    shown_is(2, temperature=0.5, top_k=2)
    page.slide("#next-temperature", 0)
    shown_is(2, temperature=0, top_k=2)
    page.page.select_option("#next-top-k", "0")
    page.slide("#next-temperature", 2)
    page.slide("#next-top-p", 0.6)
    shown_is(2, temperature=2, top_p=0.6)
    page.take_token(0)
    shown_is(0, temperature=2, top_p=0.6)


def test_experiments(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page, seen = opened(learnt_url, text=TEXT), learnt.inspect(TEXT)
    for change in ("no-positions", "future", "shuffle"):
        page.click(f"[data-change={change}]")
        found = experiment(learnt, seen, change, seed=1)
        bars = ".experiments .change"
        assert page.texts(f"{bars} bdi") == [readable(each) for each in found.tokens]
        shown = [float(each) for each in page.texts(f"{bars} .number")]
        assert shown == pytest.approx(found.token_changes, abs=0.0051)
        assert numbers(page.text("#sum-before")) == [pytest.approx(sum(found.before), abs=0.0051)]
        assert numbers(page.text("#sum-after")) == [pytest.approx(sum(found.after), abs=0.0051)]
        assert page.page.get_attribute(f"[data-change={change}]", "aria-pressed") == "true"
    assert page.text("#shuffled") == found.source
    page.click("[data-change=shuffle]")  # again: another order
    assert page.text("#shuffled") == experiment(learnt, seen, "shuffle", seed=2).source
    page.write("my small duck sings")
    assert not page.exists(".experiments .change")  # it was of another sentence


def is_comparable(learnt: Translator, text: str) -> bool:
    """Whether states of a text can be put into the run on `TEXT`."""
    try:
        return bool(patch(learnt, TEXT, text).answers)
    except DataError:  # another number of tokens, or the same translation
        return False


def other_text(learnt: Translator) -> str:
    """A text whose states can be put into the run on `TEXT`."""
    letters = sorted({letter for letter in TEXT if letter != " "})
    others = [TEXT[:place] + letter + TEXT[place + 1 :] for place in (0, 4, 8) for letter in letters]
    return next(text for text in others if is_comparable(learnt, text))


def watch_status(page: Shown) -> None:
    """Keep all that is said while something runs."""
    page.page.evaluate("""() => { window.said = []; const status = document.querySelector('.status');
        new MutationObserver(() => window.said.push(status.textContent)).observe(
            status, {childList: true, characterData: true, subtree: true}); }""")


def test_patching_shows_how_many_runs_are_done(
    opened: Any, serve: Any, learnt_folder: Path, learnt: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    difference = patching._difference

    def slow(*given: Any) -> Any:
        """As of a large model: a small one has done all before the page is drawn once."""
        time.sleep(0.2)
        return difference(*given)

    monkeypatch.setattr(patching, "PLACES_AT_ONCE", 16)
    other = other_text(learnt)
    monkeypatch.setattr(patching, "_difference", slow)
    page = opened(serve(learnt_folder).url, text=TEXT)
    watch_status(page)
    page.page.fill("#other", other)
    page.click("#patch")
    effects = patch(learnt, TEXT, other).effects
    total = 16 + sum(each.numel() for each in effects.values())
    said = [numbers(each) for each in page.page.evaluate("window.said") if "Patching:" in each]
    assert len(said) > 1
    assert {all_runs for _, all_runs in said} == {total}
    done = [runs for runs, _ in said]
    assert done == sorted(done)
    assert set(done) <= {0, total, *range(16, total, 16)}


def test_ranking_shows_how_many_heads_are_done(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=TEXT)
    count = page.page.evaluate("regard.state.inspection.result.heads.length")
    assert f"{count} runs of the model" in page.text(".panel.heads .head")
    watch_status(page)
    page.click("#rank")
    said = [numbers(each) for each in page.page.evaluate("window.said") if "Taking each head away" in each]
    assert said[0] == [0, count]
    assert all(heads == count for _, heads in said)


def test_patching(opened: Any, learnt_url: str, learnt: Translator) -> None:
    page = opened(learnt_url, text=TEXT)
    assert page.all("#patch").is_disabled()  # the other text is still the same
    other = other_text(learnt)
    page.page.fill("#other", other)
    page.click("#patch")
    found = patch(learnt, TEXT, other)
    for stack, effects in found.effects.items():
        rows = cells(page, f".patches[data-stack={stack}]")
        assert numpy.array([row[1:] for row in reversed(rows)], float) == pytest.approx(effects.numpy(), abs=0.0051)
        assert page.texts(f".patches[data-stack={stack}] thead bdi") == [readable(each) for each in found.tokens[stack]]
    assert numbers(page.text("#patch-answers"))[:2] == pytest.approx(
        [found.difference, found.other_difference], abs=0.0051
    )
    page.all(".patches[data-stack=encoder] .patch").last.click()  # the last token, after the lowest layer
    page.drawn()
    assert numbers(page.text("#patch-difference")) == [
        pytest.approx(float(found.differences["encoder"][0, -1]), abs=0.0051)
    ]
    page.page.fill("#other", f"a {TEXT}")
    page.click("#patch")
    page.page.wait_for_selector("p.error")
    assert re.search("texts must have the same number of tokens|must differ", page.text("p.error"))
    assert page.problems.pop().endswith("400 (Bad Request)")
    page.write("my small duck sings")
    assert not page.exists(".patches")  # they were of another sentence
    assert page.page.input_value("#other") == "my small duck sings"


def test_other_families(opened: Any, others: tuple[str, Path]) -> None:
    url, path = others
    recurrent = opened(url, direction="en-de", text="cab bac")
    assert recurrent.all("[data-change=future]").is_disabled()
    assert "no positions to take away" in (recurrent.page.get_attribute("[data-change=no-positions]", "title") or "")
    recurrent.click("[data-change=shuffle]")
    assert recurrent.text("#shuffled") == "bac cab"
    page = opened(url, direction="letters")
    page.page.fill("#text", "ab c")
    page.click("button.primary")
    assert page.all("[data-change=shuffle]").is_disabled()
    page.click("[data-change=future]")
    model = load_as(path / "letters", LanguageModel, device="cpu")
    written = page.page.evaluate("regard.state.output.sentences[0].ids")
    seen = model.inspect_ids(written)
    found = experiment(model, seen, "future")
    shown = [float(each) for each in page.texts(".experiments .change .number")]
    assert shown == pytest.approx(found.token_changes, abs=0.0051)
    page.page.fill(STEP, "0")
    page.drawn()
    assert not page.exists("#next-token")  # nothing is written in the place of the first
    page.page.fill(STEP, "2")
    page.page.click("#next-token summary")
    page.wait("document.querySelector('#next')")
    wanted = next_tokens(model, seen, 1)
    assert [float(each[1].removesuffix(" %")) for each in cells(page, "#next")][:8] == pytest.approx(
        [100 * each.prob for each in wanted.tokens], abs=0.051
    )


@pytest.mark.parametrize("width", [360, 2560])
def test_nothing_is_wider_than_the_window(opened: Any, learnt_url: str, width: int) -> None:
    page = opened(learnt_url, text=TEXT, head="decoder.1.0", step=2, isExplained="true", width=width)
    for selector in ("#masked", "#next-token summary", "[data-change=no-positions]"):
        page.click(selector)
    page.wait("document.querySelector('#next') && document.querySelector('#own-softmax')")
    assert page.page.evaluate("document.documentElement.scrollWidth") == width
    page.write("my small duck sings")
    assert page.page.evaluate("document.documentElement.scrollWidth") == width
