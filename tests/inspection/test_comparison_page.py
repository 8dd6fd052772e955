"""The page of a comparison: marks around words that differ, and nothing of a text that a browser would run or load."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from regard.analysis.comparison import comparison_page as comparison
from regard.analysis.comparison.comparison_page import Sentence, comparison_html, marked

HOSTILE = "<script>alert(1)</script><img src=//x.org/a.png onerror=alert(1)>\"'&lt;</p></article>\u2028\u202e<b>"


@pytest.mark.parametrize(
    ("first", "second", "marked_first", "marked_second"),
    [
        ("a b c", "a b c", "a b c", "a b c"),
        ("a b c", "a x c", "a <mark>b</mark> c", "a <mark>x</mark> c"),
        ("a b c d", "a d", "a <mark>b c</mark> d", "a d"),
        ("a dog.", "a dog!", "a dog<mark>.</mark>", "a dog<mark>!</mark>"),
        ("", "a b", "", "<mark>a b</mark>"),
        ("两只狗", "两只猫", "两只<mark>狗</mark>", "两只<mark>猫</mark>"),
        ("a<b> c", "a c", "a<mark>&lt;b&gt;</mark> c", "a c"),
        ("  a  b ", "a c", "  a  <mark>b</mark> ", "a <mark>c</mark>"),
    ],
)
def test_words_that_differ_are_marked(first: str, second: str, marked_first: str, marked_second: str) -> None:
    assert marked(first, second) == (marked_first, marked_second)


def test_very_long_texts_are_shown_without_marks() -> None:
    long = "a < " * 1000
    assert marked(long, "b") == (long.replace("<", "&lt;"), "b")


def page(*sentences: Sentence, name: str = "new") -> str:
    table = [
        ("base", [["BLEU", "30.00 ± 1.00", "", ""]]),
        (name, [["BLEU", "31.00 ± 1.00", "+1.00 ± 0.50", "0.010 *"]]),
    ]
    columns = ["", "score", "difference", "p"]
    return comparison_html(name, columns, table, [name], {name: sentences}, len(sentences) + 3)


def sentence(line: int, *texts: str, source: str = "s", references: tuple[str, ...] = ("r",)) -> Sentence:
    return Sentence(line, source, list(references), texts, (1.0, 2.0))  # type: ignore[arg-type]  # two texts


class Elements(HTMLParser):
    """The elements of a page, and whether each is closed where it must be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_hostile_texts_stay_texts() -> None:
    html = page(sentence(7, HOSTILE, f"{HOSTILE} y", source=HOSTILE, references=(HOSTILE, "x")), name=HOSTILE)
    elements = Elements()
    elements.feed(html)
    assert elements.open == []
    tags = {tag for tag, _ in elements.seen}
    assert not tags & {"script", "img", "b", "iframe", "object", "svg"}
    assert [attributes["href"] for tag, attributes in elements.seen if tag == "link"] == ["data:,"]
    assert not [
        name for _, attributes in elements.seen for name in attributes if name.startswith("on") or name == "src"
    ]
    assert not re.search(r"url\(|@import", html)
    without_tags = unescape(re.sub(r"<[^>]*>", "", html))
    assert without_tags.count(HOSTILE) >= 6


def test_the_page_follows_the_theme_and_asks_for_nothing() -> None:
    html = page(sentence(7, "a", "b"))
    assert "prefers-color-scheme:dark" in html
    assert 'content="light dark"' in html
    assert "default-src 'none'" in html
    assert "http:" not in html
    assert "https:" not in html


def test_what_the_page_says_of_a_sentence() -> None:
    html = page(sentence(1234, "", "x <y>", source="the source", references=("one", "two")))
    texts = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html.partition("</style>")[2])))
    assert "1 sentence better line 1,234: chrF 1.0 to 2.0 (+1.0) source the source reference one reference two" in texts
    assert "baseline (nothing) system x <y>" in texts.replace("x < y >", "x <y>")
    assert "3 sentences with the same chrF." in texts


def test_of_many_sentences_the_first_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MOST_SHOWN", 2)
    html = page(*(sentence(line, "a", "b") for line in (1, 2, 3)))
    assert "3 sentences better" in html
    assert "1 more sentence not shown" in html
    assert re.findall(r"line (\d)", html) == ["1", "2"]
