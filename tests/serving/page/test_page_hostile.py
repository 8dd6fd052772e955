"""Texts that are no ordinary text are shown as what they are, and nothing in them is run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import CELL, HEADS, KEYS, LENS, MATRIX, NODES, OUTPUT, SEARCH, TEXT, readable
from served import Start

from regard.documents.sentences import split
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator

POSITIONS = 64
TEXTS = {
    "an image": "<img src=x onerror=alert(1)>",
    "a script": "</script><script>alert(1)</script>",
    "a template": "${alert(1)} {{alert(1)}} <!--?lit$1$-->",
    "quotes": '"><svg/onload=alert(1)> & &lt;b&gt; \\ x',
    "an override": "abc \u202edef\u202c ghi \u2067x\u2069",
    "line separators": "ab\u2028cd\u2029ef",
    "combining marks": "e\u0301a\u0308\u0323 o" + "\u0336" * 12,
    "Arabic": "كلب (كبير) abc",
    "Chinese": "犬が走る。猫は寝る",
    "emoji": "🐕 👩\u200d👩\u200d👧 🇩🇪 x",
    "the mark of spaces": "a▁b ▁ c",
    "controls": "a\tb\u0001c\u0000d",
}
ALPHABET = "".join(sorted({*"".join(TEXTS.values()), *"abcdefghijklmnopqrstuvwxyz. "} - {"\u0000"}))


@pytest.fixture(scope="module")
def copier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that copies all these characters, so that they are in what is written, too."""
    return page_models.copying(tmp_path_factory.mktemp("hostile") / "hostile-en-de", POSITIONS, ALPHABET)


@pytest.fixture(scope="module")
def translator(copier: Path) -> Translator:
    """The same, asked directly."""
    return load_as(copier, Translator, device="cpu")


@pytest.fixture(scope="module")
def url(start: Start, copier: Path) -> str:
    """Where it is served."""
    return start(copier).url


def sentences_of(translator: Translator, text: str) -> list[str]:
    tokenizer = translator.source_tokenizer
    return split(text, "en", lambda part: len(tokenizer.encode(part)) <= POSITIONS - 1).sentences


@pytest.mark.parametrize("names", [list(TEXTS)[:4], list(TEXTS)[4:8], list(TEXTS)[8:]], ids=", ".join)
def test_a_text_is_only_a_text(opened: Any, url: str, translator: Translator, names: list[str]) -> None:
    page = opened(url)
    elements = page.page.evaluate("document.querySelectorAll('script, img, iframe, style, link').length")
    text = "\n\n".join(TEXTS[name] for name in names)  # blank lines end sentences
    page = opened(url, text=text, beam=2)
    sentences = sentences_of(translator, text)
    assert len(sentences) >= len(names)
    for at, sentence in enumerate(sentences):
        wanted = translator.translate(sentence, beam_size=2)
        assert "".join(wanted.tokens).replace("▁", "").replace(" ", "") != ""
        found = page.all(f'[data-sentence="{at}"] .token').all_text_contents()
        assert found == [readable(token) for token in wanted.tokens]
        page.click(f'[data-sentence="{at}"] .token >> nth=0')
        assert page.all(f"{KEYS} .part").count() == len(translator.inspect(sentence).keys("cross").spelled)
        assert page.exists(MATRIX)
        assert page.exists(LENS)
    assert page.all(f"{OUTPUT} p.output").count() == len(sentences)
    page.click(SEARCH)
    assert page.exists(NODES)
    page.press(f"{HEADS} >> nth=0", " ")
    assert page.heads_off == ["encoder.0.0"]
    assert page.page.evaluate("document.querySelectorAll('script, img, iframe, style, link').length") == elements


def test_each_text_runs_in_its_own_direction(opened: Any, url: str) -> None:
    page = opened(url, text=TEXTS["Arabic"])
    assert page.page.evaluate("getComputedStyle(document.querySelector('#output .output')).direction") == "rtl"
    assert page.page.evaluate("getComputedStyle(document.querySelector('#text')).direction") == "rtl"
    assert page.page.evaluate("getComputedStyle(document.querySelector('#cell')).direction") == "ltr"
    assert set(
        page.page.evaluate("[...document.querySelectorAll('bdi')].map(it => getComputedStyle(it).unicodeBidi)")
    ) == {"isolate"}
    places = [token.bounding_box()["x"] for token in page.all(f"{OUTPUT} .token").all()[1:4]]
    assert places == sorted(places, reverse=True)


def test_an_override_does_not_reach_what_stands_beside_it(opened: Any, url: str) -> None:
    page = opened(url, text="ab\u202ecd", step=2, head="cross.0.0", source=3)
    assert page.page.inner_text(CELL).startswith("About to write b, has read up to a: looks with 0.00 at \u202e.")
    range_of = "(text => { const it = document.querySelector('#cell'), walker = document.createTreeWalker(it, 4); let node;" \
        " while ((node = walker.nextNode()) && !node.data.includes(text)); const range = document.createRange();" \
        " range.selectNode(node); return range.getBoundingClientRect().x; })"  # fmt: skip
    assert page.page.evaluate(f"{range_of}('looks with') < {range_of}('Most')")


def test_five_thousand_characters(opened: Any, url: str, translator: Translator) -> None:
    text = ("the quick brown fox jumps over the lazy dog and back again " * 85)[:5000].strip()
    page = opened(url, beam=1)
    page.write(text)
    sentences = sentences_of(translator, text)
    assert len(sentences) > 80
    assert page.all(f"{OUTPUT} p.output").count() == len(sentences)
    for at in (0, 40, len(sentences) - 1):
        assert page.texts(f'[data-sentence="{at}"] .token') == list("␣" + sentences[at].replace(" ", "␣"))
    assert page.exists(MATRIX)
    assert len(page.address) > 5000
    assert re.search(r"tokens; 1 sentence is cut; a sentence may have \d", page.text("#count"))


@pytest.mark.parametrize("text", ["   ", "\n\n", "\u2028 \u00a0", "\t"])
def test_only_space(opened: Any, url: str, text: str) -> None:
    page = opened(url)
    page.write(text)
    assert page.tokens == []
    assert page.page.is_disabled("button.primary")
    assert not page.exists("p.error")
    assert page.page.input_value(TEXT) == text
