"""The law of markup: a document whose words are translated as themselves comes back as it was, to the last character; and the
text that is translated is the text that a browser shows.
"""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from regard.documents.markup import UNIT, Document, Outline, parse, projected


def units(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in UNIT.finditer(text)]


def unchanged(document: Document) -> str:
    """A document whose words are aligned to themselves."""
    return document.render([projected(each, each.text, units(each.text), units(each.text)) for each in document.blocks])


PARAGRAPH, LINE, SEEN = "\f", "\v", "\0"
BLOCKS = ("p", "div", "li", "ul", "h1", "td", "tr", "table", "blockquote", "pre", "title", "section")
KEPT = ("code", "kbd", "script", "svg")


class Browser(HTMLParser):
    """What is shown of a document, by a program of its own: it knows the names that these tests use, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.open: list[tuple[str, bool]] = []
        self.pre = 0

    @property
    def is_kept(self) -> bool:
        return bool(self.open) and self.open[-1][1]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        found = dict(reversed(attrs))
        if tag in ("br", "img", "wbr", "input"):
            self.shown.append({"br": SEEN if self.is_kept else LINE, "wbr": ""}.get(tag, SEEN))
            return
        says = {"no": True, "yes": False}.get(found.get("translate") or "")
        if "notranslate" in (found.get("class") or "").split():
            says = True
        is_kept = self.is_kept if says is None else says
        if tag in BLOCKS:
            self.shown.append(PARAGRAPH)
            self.pre += tag == "pre"
        if tag in KEPT and says is None:
            is_kept = True
        self.open.append((tag, is_kept))

    def handle_endtag(self, tag: str) -> None:
        if tag not in [name for name, _ in self.open]:
            return
        while self.open.pop()[0] != tag:
            pass
        if tag in BLOCKS:
            self.shown.append(PARAGRAPH)
            self.pre -= tag == "pre"

    def handle_data(self, data: str) -> None:
        kept = [name for name, is_kept in self.open if is_kept]
        if self.is_kept:
            if "script" not in kept:
                self.shown.append(SEEN)
            return
        self.shown.append(data.replace("\n", LINE) if self.pre else re.sub(r"[ \t\n]+", " ", data))


def shown(markup: str) -> list[str]:
    """The lines of text of a document, without blank ones and without the space about them."""
    browser = Browser()
    browser.feed(markup)
    browser.close()
    text = re.sub(r"(?<=\w)\0+(?=\w)", " ", "".join(browser.shown)).replace(SEEN, "")
    lines = [re.sub(" +", " ", line).strip(" ") for line in re.split(f"[{PARAGRAPH}{LINE}]", text)]
    return [line for line in lines if line]


def lines_of(document: Document) -> list[str]:
    lines = [line.strip(" ") for block in document.blocks for line in block.text.split("\n")]
    return [re.sub(" +", " ", line) for line in lines if line]


TEXTS = st.sampled_from(
    ["one", "two ", " three", "Vier.", " ", "\n", "\n   ", "1", ",", "&amp;", " & ", "&lt;b&gt;", "caf&eacute;", "a&nbsp;b", "<>",
     " < 3", "AT&T", "&#10;", ">", "'", "ä"]
)  # fmt: skip
VOIDS = st.sampled_from(
    ["<img src='a>b'>", "<br>", "<br/>", "<wbr>", "<input disabled>", "<!-- no -->", "<!x>", "<?x>"]
)
ATTRIBUTES = st.sampled_from(
    ["", "", "", " href='?translate=no'", ' data-translate="no"', ' title="translate=no"', " class='x-notranslate-y'",
     ' title="a>b"', " translate=no", ' TRANSLATE="no"', ' class="x notranslate"', " a=it's"]
)  # fmt: skip


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["b", "i", "a", "span", "x-foo", "b", "em", "sub", *KEPT[:2]])
    return st.builds(lambda name, more, text: f"<{name}{more}>{text}</{name}>", names, ATTRIBUTES, inner)


INLINE = st.recursive(
    st.one_of(
        TEXTS, TEXTS, TEXTS, VOIDS, st.sampled_from(["<b></b>", "<code>x = <b>1</b></code>", "<script>a<b</script>"])
    ),
    lambda inner: wrapped(st.lists(inner, max_size=5).map("".join)),
    max_leaves=20,
)  # fmt: skip
LINES = st.lists(INLINE, max_size=8).map("".join)
DOCUMENTS = st.lists(
    st.one_of(
        LINES,
        st.builds(
            lambda name, more, text: f"<{name}{more}>{text}</{name}>", st.sampled_from(BLOCKS[:5]), ATTRIBUTES, LINES
        ),
        st.builds("<pre>{}</pre>".format, LINES),
        st.builds("<ul><li>{}</li>\n<li>{}</li></ul>".format, LINES, LINES),
    ),
    max_size=4,
).map("".join)
EXAMPLES = (
    "<p>Run <b>the tool <code>make</code></b> now.</p>",
    '<a href="#">Line one<br>Line two</a>',
    "<a href=x>\n <em>One</em>\n <em>two</em>\n</a>",
    "<p>Click <b>here <img src=x></b> now, <i>or <input></i> <u>there <span translate=no>X</span></u>.</p>",
    "un<b>believ</b>able, H<sub>2</sub>O",
    "<div translate=no>Foo <p translate=yes>two <b>dogs</b></p> bar</div> end",
    "one <span translate=no>Foo <i>x <b translate=yes>bar</b></i></span> two",
    "<b>one<br><br>two</b><br>three",
    "<pre>\n one\n\n   <b>two\n three</b>\n</pre> four\n five",
    "a<!-- b -->c<wbr>d<img>e<kbd>f</kbd>g",
)


@settings(max_examples=50)
@given(DOCUMENTS)
def test_what_goes_in_comes_out(markup: str) -> None:
    assert unchanged(parse(markup)) == markup
    assert unchanged(parse(markup, keeps_lines=True)) == markup
    assert unchanged(parse(markup, is_html=False)) == markup
    assert unchanged(parse(markup, is_html=False, outline=Outline(frozenset({"b"}), frozenset({"p"})))) == markup


@settings(max_examples=50)
@given(DOCUMENTS)
def test_what_is_translated_is_what_a_browser_shows(markup: str) -> None:
    assert lines_of(parse(markup)) == shown(markup)


@pytest.mark.parametrize("markup", EXAMPLES)
def test_of_examples(markup: str) -> None:
    assert unchanged(parse(markup)) == markup
    assert lines_of(parse(markup)) == shown(markup)
    assert unchanged(parse(markup, is_html=False)) == markup


SNIPPETS = """< > </ b <b </b> <i> ' " = ! - <!-- --> <! ? / & &lt ; p <p> </p> x <![CDATA[ ]]> <pre> <title> </title
    <code> translate=no <br>""".split()  # noqa: SIM905
BROKEN = st.lists(st.sampled_from([*SNIPPETS, " ", "\n"]), max_size=25).map("".join)


@settings(max_examples=100)
@given(BROKEN, st.booleans())
@example("<b><i></b></i>x<!--> a &ltb; &fjlig; &#1;", True)
@example("&#1;", True)
def test_what_is_not_well_formed_comes_out_as_it_went_in(markup: str, is_html: bool) -> None:
    assert unchanged(parse(markup, is_html=is_html)) == markup


TAG = re.compile(r"<(?:/?[a-z][^<>]*|!--[^>]*|[!?][^>]*)>")


@settings(max_examples=40)
@given(DOCUMENTS, st.data())
def test_whatever_the_alignment_words_stand_as_they_are_translated(markup: str, data: Any) -> None:
    document, rendered = parse(markup), []
    for block in document.blocks:
        words = data.draw(
            st.lists(st.sampled_from(["eins", "zwei,", "<", "&", "(drei)", "vier"]), min_size=1, max_size=8)
        )
        text = " ".join(words)
        origins = [data.draw(st.sampled_from([*units(block.text), None])) for _ in units(text)]
        rendered.append(projected(block, text, units(text), origins))
        again = parse(f"<p>{rendered[-1]}</p>")
        assert "".join(re.sub(r"\s", "", each.text) for each in again.blocks) == text.replace(" ", "")
    assert sorted(TAG.findall(document.render(rendered))) == sorted(TAG.findall(markup))
