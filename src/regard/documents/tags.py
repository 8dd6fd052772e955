"""The tags of HTML and XML: where each begins and ends, and which element each closes, as a browser reads them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from html.parser import HTMLParser
from itertools import islice
from typing import Literal, NamedTuple

SPACE = r" \t\n\f\r"
_ATTRIBUTE = (
    rf"[^{SPACE}/>][^{SPACE}/>=]*+"
    rf"(?:[{SPACE}]*+=[{SPACE}]*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^{SPACE}>\"'][^{SPACE}>]*+|(?=>)|\Z))?+"
)
HTML_TAG, XML_TAG = (
    re.compile(rf"</?+(?P<name>{first}[^{SPACE}/>]*+)(?:(?P<gap>[{SPACE}/]++)|{_ATTRIBUTE})*(?P<end>>|\Z)")
    for first in ("[a-zA-Z]", r"(?:[^\W\d]|:)")
)
"""A tag; one whose `end` is empty, as of an open quote, goes on to the end of the text."""
COMMENT_END = re.compile(r"--!?>")
_QUOTED = "\"[^\"]*+\"|'[^']*+'"
_DECLARATIONS = rf"\[(?:[^\]\"'<]++|<(?!!--)|<!--(?:[^-]++|-(?!->))*+-->|{_QUOTED})*+\]"
DOCTYPE = re.compile(rf"<!DOCTYPE(?:[^\[>\"']++|{_QUOTED})*+(?:{_DECLARATIONS}[^>]*+)?+>")
"""In XML, with its declarations. It reads no character twice."""
XML_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<!": ">", "<?": "?>"}
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
FOREIGN = frozenset({"svg", "math"})
"""Elements of HTML in which a tag that ends with `/>` is void, as in XML; elsewhere, the slash says nothing."""
RAW_TEXT = frozenset("script style textarea title xmp iframe noembed noframes".split())  # noqa: SIM905
"""Elements without tags inside: they end at the first end tag of their name."""
CLOSED_BY = {
    "li": frozenset({"li"}),
    "head": frozenset({"body"}),
    "rt": (notes := frozenset({"rt", "rp"})),
    "rp": notes,
    "optgroup": frozenset({"optgroup"}),
    "thead": (parts := frozenset({"tbody", "tfoot"})),
    "tbody": parts,
    "tfoot": frozenset({"tbody"}),
    "dt": (terms := frozenset({"dt", "dd"})),
    "dd": terms,
    "option": frozenset({"option", "optgroup"}),
    "tr": (rows := frozenset({"tr", "tbody", "thead", "tfoot"})),
    "td": rows | {"td", "th"},
    "th": rows | {"td", "th"},
    "p": frozenset(
        """address article aside blockquote details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
        header hgroup hr listing main menu nav ol p pre search section table ul xmp""".split()  # noqa: SIM905
    ),
}
"""Elements of HTML whose end tag may be left out: what they end before, also where elements of a line are open in them."""
CLOSES = {name: {each for each, of in CLOSED_BY.items() if name in of} for of in CLOSED_BY.values() for name in of}
BOUNDS = frozenset(
    """article aside blockquote body button caption dd details dialog dl dt fieldset figcaption figure footer form header
    hgroup html li main menu nav object ol optgroup option search section select table tbody td template tfoot th thead tr
    ul""".split()  # noqa: SIM905
)
"""Elements that no end tag left out reaches beyond: an item of a list in an item ends its own list's items only."""
MAY_HIDE = re.compile(r"hidden|display", re.IGNORECASE)
"""Words without which no tag hides its element: others are not taken apart."""
DISPLAY_NONE = re.compile(r"(?:^|;)\s*display\s*:\s*none\b", re.IGNORECASE)
LONG_NUMBER = re.compile(r"(&#)0*(\d{1,8})\d*|(&#[xX])0*([\da-fA-F]{1,7})[\da-fA-F]*")
"""The number of a character, and as many of its digits as tell whether there is one."""
FARTHEST = 200
"""The most open elements in which one that ends is looked for."""

Kind = Literal["text", "open", "close", "void", "other", "rest"]


class Token(NamedTuple):
    """A text or a tag: `markup[begin:end]`. `other` is a comment or a declaration; `rest`, one that has no end."""

    begin: int
    end: int
    kind: Kind
    name: str = ""
    """In HTML, in small letters."""


def scan(markup: str, *, is_html: bool) -> Iterator[Token]:
    """The texts and tags of a document. They follow each other without a gap.

    Source: the tokenizer of the HTML standard; XML 1.0, of which what is not well-formed is text.
    """
    pattern = HTML_TAG if is_html else XML_TAG
    begin = position = num_foreign = 0
    while (at := markup.find("<", position)) >= 0:
        match = pattern.match(markup, at)
        if match is not None and match["end"]:
            token = _tag(markup, match, is_html=is_html, is_foreign=num_foreign > 0)
            if is_html and token.name in FOREIGN:
                num_foreign = max(0, num_foreign + {"open": 1, "close": -1}.get(token.kind, 0))
        elif match is not None:
            token = Token(at, len(markup), "rest")
        elif (
            markup.startswith(("<!", "<?", "</"), at)
            and (end := _end_of_other(markup, at, is_html=is_html)) is not None
        ):
            token = Token(at, len(markup), "rest") if end < 0 else Token(at, end, "other")
        else:
            position = at + 1
            continue
        if at > begin:
            yield Token(begin, at, "text")
        yield token
        begin = position = token.end
        if is_html and token.name in RAW_TEXT and token.kind == "open":
            found = re.compile(rf"</{token.name}(?=[{SPACE}/>])", re.IGNORECASE).search(markup, begin)
            position = len(markup) if found is None else found.start()
            if position > begin:
                yield Token(begin, position, "text")
            begin = position
    if begin < len(markup):
        yield Token(begin, len(markup), "text")


def _tag(markup: str, match: re.Match[str], *, is_html: bool, is_foreign: bool) -> Token:
    begin, end = match.span()
    name = match["name"].lower() if is_html else match["name"]
    if markup[begin + 1] == "/":
        return Token(begin, end, "close", name)
    has_slash = markup[end - 2] == "/"
    if is_html:
        in_value = match.end("gap") != match.start("end")  # a value without quotes goes on to a space or `>`
        is_void = name in VOID or (has_slash and not in_value and (is_foreign or name in FOREIGN))
    else:
        is_void = has_slash
    return Token(begin, end, "void" if is_void else "open", name)


def _end_of_other(markup: str, at: int, *, is_html: bool) -> int | None:
    """The end of a comment or declaration; -1: it has none; None: there is no such thing here."""
    if is_html and markup.startswith("<!--", at):
        if markup.startswith((">", "->"), at + 4):
            return markup.index(">", at) + 1
        found = COMMENT_END.search(markup, at + 4)
        return -1 if found is None else found.end()
    if is_html:
        mark = ">" if len(markup) > at + 2 or markup[at + 1] != "/" else None
    else:
        mark = next((end for begin, end in XML_ENDS.items() if markup.startswith(begin, at)), None)
        is_first = mark == ">" and markup.find("<!DOCTYPE") == at  # there is one at most
        if is_first and (match := DOCTYPE.match(markup, at)) is not None:
            return match.end()
    if mark is None:
        return None
    end = markup.find(mark, at + 2)
    return end + len(mark) if end >= 0 else -1


def nested(tokens: Sequence[Token], *, is_html: bool) -> tuple[list[int], list[int]]:
    """For each token, the index of the one after its element's end tag, or before which its element ends without one; and the
    index of the innermost element that is open there, -1 if none is.
    """
    ends, parents = [index + 1 for index in range(len(tokens))], [-1] * len(tokens)
    stack: list[int] = []
    counts: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        kind, name = token.kind, token.name
        if is_html and kind in ("open", "void"):
            around = (tokens[each].name for each in islice(reversed(stack), FARTHEST))
            for _ in range(_num_closed(name, around, counts)):
                ends[ended := stack.pop()] = index
                counts[tokens[ended].name] -= 1
        is_open = kind == "close" and counts[name] > 0
        while is_open:
            ended = stack.pop()
            is_open = tokens[ended].name != name
            ends[ended] = index if is_open else index + 1
            counts[tokens[ended].name] -= 1
        parents[index] = stack[-1] if stack else -1
        if kind == "open":
            stack.append(index)
            counts[name] += 1
    for index in stack:
        ends[index] = len(tokens)
    return ends, parents


def _num_closed(name: str, around: Iterable[str], counts: Mapping[str, int]) -> int:
    """The number of elements around a tag of HTML that end before it, as their end tags are left out.

    Args:
        around: their names, the innermost first.
        counts: how many of each name are open.
    """
    closes = CLOSES.get(name, ())
    found = 0
    if any(counts[each] for each in closes):
        for number, each in enumerate(around, start=1):
            if each in closes:
                found = number
            elif each in BOUNDS:
                break
    return found


def wish(tag: str) -> bool | None:
    """Whether an opening tag says that its element is to be translated: by `translate`, or by the class `notranslate`; None: it
    does not say.
    """
    if "translate" not in tag.lower():
        return None
    found = _attributes(tag)
    if "notranslate" in found.get("class", "").split():
        return False
    if "translate" in found:
        return {"no": False, "yes": True, "": True}.get(found["translate"].strip().lower())
    return None


def is_hidden(tag: str) -> bool:
    """Whether a tag of HTML says that a browser does not show its element."""
    if not MAY_HIDE.search(tag):
        return False
    found = _attributes(tag)
    return (
        found.get("hidden", "until-found").strip().lower() != "until-found"
        or DISPLAY_NONE.search(found.get("style", "")) is not None
        or (found.get("type", "").strip().lower() == "hidden" and tag[1:6].lower() == "input")
    )


def unescaped(text: str) -> str:
    """Text without entities. Python's `unescape` fails at numbers of thousands of digits, which name no character."""
    return unescape(LONG_NUMBER.sub(r"\1\2\3\4", text))


def _attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag; an empty value where one has none."""
    parser = _Attributes()
    parser.feed(LONG_NUMBER.sub(r"\1\2\3\4", tag))
    return {name: value or "" for name, value in parser.found.items()}


class _Attributes(HTMLParser):
    """The attributes of one tag; of two with one name, the first."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str | None] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = dict(reversed(attrs))
