"""Every line of a text is translated by itself, and every end of a line is in the answer: in all interfaces."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import Running
from test_interfaces import JSON, send

from regard.documents.sentences import split, split_lines
from regard.pipelines.translator import Translator

TEXT = "\n a man\r\na woman, and\n\n  a child\ra dog\u2028and a mat. A cat\n"
WITHIN = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends a line for `str.splitlines`, and not here."""


@pytest.fixture(scope="module")
def expected(translator: Translator) -> str:
    man, woman, child, dog, cat = (
        each.text
        for each in translator.translate(["a man", "a woman, and", "a child", "a dog\u2028and a mat.", "A cat"])
    )
    return f"\n {man}\r\n{woman}\n\n  {child}\r{dog} {cat}\n"


def chat(text: str) -> dict[str, Any]:
    return {"model": "en-de", "messages": [{"role": "user", "content": text}]}


DIRECTION = {"source": "en", "target": "de"}
DEEPL = {"source_lang": "EN", "target_lang": "DE"}


@pytest.mark.parametrize(
    ("path", "body", "read"),
    [
        ("/translate", {"q": TEXT, **DIRECTION}, lambda got: got["translatedText"]),
        ("/translate", {"q": [TEXT], **DIRECTION}, lambda got: got["translatedText"][0]),
        ("/translate", {"q": TEXT, **DIRECTION, "details": True}, lambda got: got["translatedText"]),
        ("/translate", {"source": TEXT, "src_lang": "en", "tgt_lang": "de"}, lambda got: got["translation"][0]),
        ("/v2/translate", {"text": [TEXT], **DEEPL}, lambda got: got["translations"][0]["text"]),
        ("/v2/translate", {"text": TEXT, **DEEPL, "split_sentences": "1"}, lambda got: got["translations"][0]["text"]),
        ("/v1/chat/completions", chat(TEXT), lambda got: got["choices"][0]["message"]["content"]),
        ("/language/translate/v2", {"q": TEXT, **DIRECTION, "format": "text"},
         lambda got: got["data"]["translations"][0]["translatedText"]),
        ("/imme", {"text_list": [TEXT], **DEEPL}, lambda got: got["translations"][0]["text"]),
        ("/kiss", {"text": TEXT, "from": "en", "to": "de"}, lambda got: got["text"]),
        ("/deeplx", {"text": TEXT, **DEEPL}, lambda got: got["data"]),
        ("/api/v1/translate", {"text": TEXT, **DIRECTION}, lambda got: got["text"]),
    ],
)  # fmt: skip
def test_every_line_end_is_kept(server: Running, expected: str, path: str, body: dict[str, Any], read: Any) -> None:
    status, content = send(server, "POST", path, json.dumps(body), JSON)
    assert status == 200, content
    assert read(content) == expected


def test_lines_in_markup(server: Running, translator: Translator) -> None:
    def ask(text: str, form: str, **more: Any) -> str:
        body = {"text": text, "tag_handling": form, **DEEPL, **more}
        status, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
        assert status == 200, content
        return content["translations"][0]["text"]

    one, two, both = (each.text for each in translator.translate(["a man", "a dog", "a man a dog"]))
    for markup, form, more, lines in (
        ("<pre>\n a man\n\n  a dog\n</pre>", "html", {}, f"<pre>\n {one}\n\n  {two}\n</pre>"),
        ("<p>\n a man\n a dog\n</p>", "html", {}, f"<p>\n {both}\n</p>"),
        ("<p>a man\n a dog</p>", "html", {"split_sentences": "1"}, f"<p>{one}\n {two}</p>"),
        ("<d>a man\n\na dog</d>", "xml", {}, f"<d>{one}\n\n{two}</d>"),
        ("a man\na dog", "xml", {}, f"{one}\n{two}"),
        ("a man\n  a dog", "xml", {}, both),  # an editor has wrapped it
        ("a man\na dog", "xml", {"split_sentences": "nonewlines"}, both),
    ):
        assert ask(markup, form, **more) == lines.replace("&", "&amp;"), markup


def test_what_is_not_split_has_lines_all_the_same(server: Running, translator: Translator) -> None:
    first, second = (each.text for each in translator.translate(["A cat. A dog.", "a man"]))
    body = {"text": "A cat. A dog.\na man", **DEEPL, "split_sentences": "0"}
    _, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    assert content["translations"][0]["text"] == f"{first}\n{second}"
    _, content = send(server, "POST", "/api/v1/translate", json.dumps({"text": body["text"], "split": False}), JSON)
    assert content["text"] == f"{first}\n{second}"
    body = {"text": "a man\nand a dog. A cat.\n\na man", **DEEPL, "split_sentences": "nonewlines"}
    _, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    joined = (each.text for each in translator.translate(["a man and a dog.", "A cat.", "a man"]))
    assert content["translations"][0]["text"] == "{} {}\n\n{}".format(*joined)


@pytest.mark.parametrize("character", WITHIN, ids=ascii)
def test_nothing_else_ends_a_line(server: Running, translator: Translator, character: str) -> None:
    text = f"a man{character}and a dog"
    expected = translator.translate(text).text
    for more in ({}, {"split": False}):
        _, content = send(server, "POST", "/api/v1/translate", json.dumps({"text": text, **more}), JSON)
        assert content["text"] == expected
    _, content = send(server, "POST", "/api/v1/translate", json.dumps({"text": text, "prefix": "ab"}), JSON)
    assert content["text"] == translator.translate(text, prefixes="ab").text
    body = {"text": text, **DEEPL, "split_sentences": "nonewlines"}
    _, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    assert content["translations"][0]["text"] == expected
    body = {"text": f"{character}\na man{character}", **DIRECTION}  # around a line, it is space
    _, content = send(server, "POST", "/api/v1/translate", json.dumps(body), JSON)
    assert content["text"] == f"{character}\n{translator.translate('a man').text}{character}"


def test_a_prefix_and_a_trace_are_of_one_line(server: Running, translator: Translator) -> None:
    for more in ({"prefix": "a"}, {"required": ["a"]}, {"trace": True}):
        body = {"text": "a man\na dog", **more}
        status, content = send(server, "POST", "/api/v1/translate", json.dumps(body), JSON)
        assert status == 400
        assert "must be one line; got 2. Send each line by itself." in content["error"]["message"]
    _, content = send(server, "POST", "/api/v1/translate", json.dumps({"text": "\n a man\n", "prefix": "ab"}), JSON)
    assert content["text"] == f"\n {translator.translate('a man', prefixes='ab').text}\n"


LINES = st.text(st.sampled_from("ab,. !-1\n\r\t\v\f\x1c\x85\u2028\u2029\u00a0。"), max_size=40)


@given(LINES)
def test_pieces_of_lines_are_the_text(text: str) -> None:
    for pieces in (split(text, "en", lambda _: True), split_lines(text)):
        assert pieces.join(pieces.sentences) == text
        assert not any("\n" in sentence or "\r" in sentence for sentence in pieces.sentences)
        assert all(sentence and sentence.strip() == sentence for sentence in pieces.sentences)
    assert split_lines(text).sentences == [line.strip() for line in re.split("[\n\r]", text) if line.strip()]


@pytest.mark.parametrize(
    "text", ["J\xa0. Smith came. She left.", "A\u3000.", "Vol\u202f. M\u202f. End.", "É\xa0. Oui."]
)
def test_texts_at_which_the_library_panics_are_split(text: str) -> None:
    """sentencex looks for a name's initial at a byte that is none of a character's."""
    for language in ("en", "fr", "de", None):
        pieces = split(text, language, lambda _: True)
        assert pieces.join(pieces.sentences) == text
    assert len(split("J\xa0. Smith came. She left.", "en", lambda _: True).sentences) >= 2
