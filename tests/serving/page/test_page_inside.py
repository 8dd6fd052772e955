"""The first screen shows the inside of the model; a head's values and the stream of a token are in numbers those of Python."""

from __future__ import annotations

import colorsys
import itertools
import json
import re
from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import HEAD, MATRIX, TEXT, Shown, numbers, readable

from regard.analysis.one_token import head_writes, token_stream
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator

EXAMPLE = "the old cat sleeps near Paris"
OTHER = "my small duck sings in Berlin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with norms before the sublayers, whose folder names texts of its validation data."""
    path = page_models.learning(tmp_path_factory.mktemp("inside") / "pre-en-de", num_steps=40, norm="pre")
    (path / "results.json").write_text(json.dumps({"examples": [EXAMPLE, OTHER]}))
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> Translator:
    """The same, asked directly."""
    return load_as(folder, Translator, device="cpu")


@pytest.fixture(scope="module")
def url(serve: Any, folder: Path) -> str:
    """Where it is served."""
    return str(serve(folder).url)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740), (2560, 1300)])
def test_the_first_screen_has_an_alignment(opened: Any, url: str, model: Translator, width: int, height: int) -> None:
    page = opened(url, width=width, unfolds=False)
    page.page.set_viewport_size({"width": width, "height": height})
    page.drawn()
    assert page.page.input_value(TEXT) == EXAMPLE
    assert page.tokens == [readable(each) for each in model.translate(EXAMPLE).tokens]
    assert page.page.input_value(HEAD).startswith("cross.")  # one head, and not a mean
    assert page.address.partition("#")[2] == ""
    curves, panel = page.all("#curves").bounding_box(), page.all(".panel.alignment").bounding_box()
    bar = page.all(".skips").bounding_box()["y"] if width < 700 else height
    assert curves["y"] + 60 < bar  # two rows of a column, or more
    if width > 700:
        assert curves["y"] + curves["height"] <= height
    assert panel["width"] > 0.9 * width
    size = page.page.evaluate("getComputedStyle(document.querySelector('#curves text')).fontSize")
    assert size == "20px"  # as wide as the panel: a short sentence is drawn larger


def test_an_example_is_written_over_and_left_in_no_link(opened: Any, url: str) -> None:
    page = opened(url)
    page.page.focus(TEXT)
    page.page.keyboard.type("my")  # the example is selected
    page.page.wait_for_timeout(350)
    page.settled()
    assert page.page.input_value(TEXT) == "my"
    assert "text=my" in page.address
    assert not page.exists("textarea.example")
    again = opened(url, beside=page)
    again.page.click(f".translate button.link[title='{OTHER}']")
    again.settled()
    assert again.page.evaluate("regard.state.output.sourceText") == OTHER
    assert "text=" in again.address
    third = opened(url, beside=page)
    third.take_token(2)
    assert "text=the" in third.address  # what the reader chose is in a link, with the text that it belongs to


def test_pointing_at_a_word_lights_its_curves(opened: Any, url: str) -> None:
    page = opened(url, share=1)
    page.page.hover("#curves .word[data-row='2']")
    lit = page.all("#curves path.lit").evaluate_all("all => all.map(each => each.dataset.row)")
    assert set(lit) == {"2"}
    opacity = "getComputedStyle(document.querySelector('#curves path:not(.lit)')).opacity"
    assert float(page.page.evaluate(opacity)) < 0.1
    page.page.hover("h1")
    assert not page.exists("#curves .lit")
    page.page.click("#curves .word[data-row='3']")
    page.drawn()
    assert page.page.evaluate("regard.state.view.outputPosition") == 3


def test_a_forced_token_has_a_pin_that_takes_it_back(opened: Any, url: str) -> None:
    page = opened(url, text=EXAMPLE)
    before = page.tokens
    page.take_token(1)
    page.all(".alternatives button.bar:not(:disabled)").first.click()
    page.settled()
    assert page.tokens != before
    page.click("#output .unpin")
    assert page.tokens == before
    assert not page.exists(".unpin")


@pytest.mark.parametrize("head", ["cross.1.0", "decoder.0.1", "encoder.1.1"])
def test_values_and_lengths_of_a_head(opened: Any, url: str, model: Translator, head: str) -> None:
    page = opened(url, text=EXAMPLE, head=head, step=2, source=2, isExplained="true")
    seen = model.inspect(EXAMPLE)
    found = head_writes(model, seen, head, 2)
    assert numbers(page.text("#added-length")) == [pytest.approx(found.length, abs=0.0051)]
    assert numbers(page.text("#residual-length")) == [pytest.approx(found.residual, abs=0.0051)]
    read = """all => all.map(each => [...each.querySelectorAll('rect')].map(rect => Number(rect.textContent)))"""
    strips = page.all("#writes svg[data-strip]").evaluate_all(read)
    heaviest = sorted(range(len(found.weights)), key=lambda key: -found.weights[key])
    for key, strip in zip(heaviest, strips[:-1], strict=False):
        assert strip == pytest.approx(found.values[key].tolist(), abs=0.00051)
    assert strips[-1] == pytest.approx(found.total.tolist(), abs=0.00051)
    weights = [numbers(each)[-1] for each in page.texts("#writes .strip .number")]
    assert weights == pytest.approx([found.weights[key] for key in heaviest[: len(weights)]], abs=0.0051)
    rest = [numbers(each)[-1] for each in page.texts("#writes .hint") if "all other keys" in each]
    expected = 1 - sum(found.weights[key] for key in heaviest[: len(weights)])
    assert rest == ([pytest.approx(expected, abs=0.0051)] if len(weights) < len(heaviest) else [])
    said = [readable(token) for token, _ in found.likelier]
    assert page.texts("#writes .likelier bdi") == said
    if found.said is not None:
        assert numbers(page.text("#said")) == [pytest.approx(found.said[1], abs=0.0051)]
    page.choose(HEAD, "mean")
    assert not page.exists("#writes")


def test_the_stream_of_a_token(opened: Any, url: str, model: Translator) -> None:
    page = opened(url, text=EXAMPLE, step=1)
    seen = model.inspect(EXAMPLE)
    for row in (1, 2):
        found = token_stream(model, seen, row)
        rows = page.all(".junction").all()
        assert [each.get_attribute("data-sublayer") for each in rows] == [each.name for each in found]
        for shown, wanted in zip(rows, found, strict=True):
            title = numbers(shown.locator("svg").get_attribute("aria-label") or "")
            assert title == pytest.approx([wanted.length, wanted.total], abs=0.0051)
            assert wanted.says is not None
            assert shown.locator("bdi").inner_text() == readable(wanted.says[0])
            assert numbers(shown.locator(".number").last.inner_text())[0] == pytest.approx(
                100 * wanted.says[1], abs=0.51
            )
        page.press("#step", "ArrowRight")
    (cross,) = [each for each in found if each.name == "cross.1"]
    heads = {name: length for name, length in cross.parts.items() if name[-1].isdigit()}
    page.click(".junction[data-sublayer='cross.1'] button")
    assert page.page.input_value(HEAD) == max(heads, key=lambda name: heads[name])
    assert page.exists(".junction.here[data-sublayer='cross.1']")


def test_where_the_order_and_the_word_come_from(opened: Any, url: str, model: Translator) -> None:
    page = opened(url, text=EXAMPLE, step=2)
    found = token_stream(model, model.inspect(EXAMPLE), 2)
    assert numbers(page.text("#token-order"))[:2] == pytest.approx(
        [found[0].parts[part] for part in ("token", "position")], abs=0.051
    )
    written = readable(page.tokens[2])
    told = page.text("#made-word")
    assert f"would write {written}" in told
    title = re.search("“(.*?)”", told)
    assert title is not None
    titles = page.all(".junction > span:first-child").all_inner_texts()
    says = [readable(each.says[0]) == written for each in found if each.says]
    first = titles.index(title[1])
    assert all(says[first:])
    assert first == 0 or not says[first - 1]


@pytest.mark.parametrize(
    ("positions", "told"),
    [
        ("rotary", "rotates its query and its keys"),
        ("shaw", "adds a number to each score"),
        ("none", "does not come in"),
    ],
)
def test_the_order_is_known_by_attention_or_by_nothing(
    opened: Any, serve: Any, tmp_path: Path, positions: str, told: str
) -> None:
    folder = page_models.learning(tmp_path / "model", num_steps=2, norm="pre", positions=positions)
    page = opened(str(serve(folder).url), text=EXAMPLE, step=1, head="decoder.0.1", isExplained="true")
    assert told in page.text("#token-order")
    assert ("adds a vector to each value" in page.text("#token-order")) == (positions == "shaw")
    assert ("reads what is written" in page.text("#token-order")) == (positions != "none")
    assert ("rotated by angles" in page.text("#place")) == (positions == "rotary")


def test_a_model_whose_parts_do_not_add_up_says_so(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=EXAMPLE, head="cross.1.0", isExplained="true")
    assert "norms after the residual sum" in page.text("#no-writes")
    assert page.exists(".lens .change")
    assert not page.exists(".stream")
    assert page.exists(MATRIX)


def hues(page: Shown, scheme: str) -> dict[str, float]:
    """The hue of each colour that says something, in degrees."""
    page.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    names = ["accent", "doubt", "less", "more", "bad"]
    found = page.page.evaluate(
        "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim())",
        names,
    )
    parts = {
        name: [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        for name, colour in zip(names, found, strict=True)
    }
    return {name: 360 * colorsys.rgb_to_hsv(*rgb)[0] for name, rgb in parts.items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_colour_has_one_meaning(opened: Any, learnt_url: str, scheme: str) -> None:
    page = opened(learnt_url, text=EXAMPLE, off="cross.0.1")
    found = hues(page, scheme)
    for (one, hue), (other, its) in itertools.combinations(found.items(), 2):
        apart = abs(hue - its)
        assert min(apart, 360 - apart) > 18, (one, other)
    page.take_token(1)
    page.write_alternative(1)
    colours = page.page.evaluate("""() => {
        const style = selector => getComputedStyle(document.querySelector(selector));
        const root = name => { const probe = document.createElement('i'); probe.style.color = `var(--${name})`;
            document.body.append(probe); const {color} = getComputedStyle(probe); probe.remove(); return color; };
        return {ink: root('ink'), less: root('less'), frame: style('.token.prefix-end').boxShadow,
            bar: style('.changes .less').backgroundColor, legend: style('.without .legend .less').backgroundColor}; }""")
    assert colours["bar"] == colours["legend"] == colours["less"]
    assert colours["frame"].startswith(colours["ink"])  # what the reader writes is no change of a probability


def test_bars_of_changes_say_their_unit(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=EXAMPLE, off="cross.0.1")
    page.click("[data-change=no-positions]")
    page.click("#rank")
    for panel in (".without", ".experiments", ".sweep"):
        assert "In nats: −0.69 halves a probability" in page.text(f"{panel} .legend"), panel


def test_layers_of_the_map_have_numbers(opened: Any, learnt_url: str) -> None:
    page = opened(learnt_url, text=EXAMPLE, head="cross.1.0")
    assert page.texts("#map text.number") == ["layer 0", "layer 1"] * 2  # of the encoder, and of the decoder
    assert page.texts("#map text.number.here") == ["layer 1"]
    height = "(selector => document.querySelector(selector).getBoundingClientRect().y)"
    for stack in ("encoder", "decoder"):
        above, below = (page.page.evaluate(f"{height}('[data-layer=\"{stack}.{layer}\"]')") for layer in (1, 0))
        assert above < below
    assert "counted from 1" in page.text(".layers .controls")
