"""DeepL's parameters of XML and of sentences: what they split, and that a misspelt one is an error."""

import json
import re
from typing import Any

import deepl
import pytest
from served import Running
from test_interfaces import FORM, JSON, send

from regard.documents.markup import Outline, parse
from regard.pipelines.translator import Translator

PARAGRAPHS = "<doc><title>A cat</title><body><p>two dogs</p>\n<p>the <b>red</b> mat</p></body></doc>"


@pytest.mark.parametrize(
    ("markup", "outline", "blocks"),
    [
        (PARAGRAPHS, Outline(), ["A cat", "two dogs", "the red mat"]),
        (PARAGRAPHS, Outline(is_detected=False), ["A cattwo dogs\nthe red mat"]),
        (PARAGRAPHS, Outline(frozenset({"p", "title"}), is_detected=False), ["A cat", "two dogs", "the red mat"]),
        (PARAGRAPHS, Outline(frozenset({"b"})), ["A cat", "two dogs", "the", "red", "mat"]),
        ("<p>The firm said it was </p><p>looking into it.</p>", Outline(), ["The firm said it was", "looking into it."]),
        ("<p>It was </p><p>looking into it.</p>", Outline(joined=frozenset({"p"})), ["It was looking into it."]),
        ("Press <b>Continue</b> to <i>advance</i>.", Outline(), ["Press Continue to advance."]),
        ("<p>Press <b>Continue</b> to advance.</p>", Outline(), ["Press Continue to advance."]),
        ("<p>the <b>red <i>mat</i></b></p>", Outline(), ["the red mat"]),
        ("<p><b>Two</b> <i>dogs</i></p><p>a <b>red</b>, <i>old</i> <b>x</b> <i>y</i></p>",
         Outline(), ["Two dogs", "a red, old x y"]),
        ("<d><x/><p>one</p><!-- no --><p>two</p></d>", Outline(), ["one", "two"]),
        ("<d><p>one</p> and <p>two</p></d>", Outline(), ["one and two"]),
        ("<d><![CDATA[x]]><p>one</p><p>two</p></d>", Outline(), ["onetwo"]),
        ("<d>two<![CDATA[ & ]]>dogs<![CDATA[ ]]>s</d>", Outline(), ["two dogss"]),
        ("Hello <x id='7'></x>world", Outline(), ["Hello world"]),
        ("<s>Hello</s><s>world</S>", Outline(), ["Hello", "world"]),
        ("<!DOCTYPE d [<!ENTITY a 'b'>]><d><a><b><c>one</c></b></a><c>two</c></d>", Outline(), ["one", "two"]),
    ],
)  # fmt: skip
def test_paragraphs_of_xml(markup: str, outline: Outline, blocks: list[str]) -> None:
    document = parse(markup, is_html=False, outline=outline)
    assert [block.text for block in document.blocks] == blocks


def test_names_of_html_have_no_case() -> None:
    for name in ("span", "SPAN"):
        blocks = parse("<SPAN>Two dogs</SPAN> <span>play.</span>", outline=Outline(splitting=frozenset({name}))).blocks
        assert [block.text for block in blocks] == ["Two dogs", "play."]
    for name in ("p", "P"):
        (block,) = parse("<P>Two dogs</P> <p>play.</p>", outline=Outline(joined=frozenset({name}))).blocks
        assert block.text == "Two dogs play."


def test_what_is_ignored_is_no_text(server: Running) -> None:
    markup = "<d><x>keep</x><p>one</p><p>two</p></d>"
    blocks = parse(markup, is_html=False, ignored=frozenset({"x"})).blocks
    assert [block.text for block in blocks] == ["one", "two"]
    (block,) = parse("<d>one <x/><x>keep <y>this</y></x>two</d>", is_html=False, ignored=frozenset({"x"})).blocks
    assert block.text == "one two"


def ask(server: Running, text: str, **fields: Any) -> str:
    body = {"text": [text], "source_lang": "EN", "target_lang": "DE", "tag_handling": "xml", **fields}
    status, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    assert status == 200, content
    found: str = content["translations"][0]["text"]
    return found


def test_the_parameters_of_xml_have_an_effect(server: Running, translator: Translator) -> None:
    title, dogs, mat = (
        each.text.replace("&", "&amp;") for each in translator.translate(["A cat", "two dogs", "the red mat"])
    )
    split = ask(server, PARAGRAPHS)
    assert f"<title>{title}</title>" in split
    assert f"<p>{dogs}</p>\n" in split
    assert re.sub("</?b>", "", split.partition("\n")[2]) == f"<p>{mat}</p></body></doc>"
    for more in (
        {"outline_detection": "0", "splitting_tags": ["title", "p"]},
        {"outline_detection": False, "splitting_tags": "title,p"},
        {"outline_detection": 0, "splitting_tags": ["title, p", "none"]},
        {"outline_detection": True},
        {"outline_detection": "1"},
    ):
        assert ask(server, PARAGRAPHS, **more) == split
    client = deepl.DeepLClient("k", server_url=server.url)
    found = client.translate_text(
        PARAGRAPHS, target_lang="DE", tag_handling="xml", outline_detection=False, splitting_tags=["title", "p"]
    )
    assert str(found) == split
    joined = ask(server, "<p>two </p><p>dogs</p>", non_splitting_tags=["p"])
    assert re.sub("<[^>]*>", "", joined) == dogs
    assert ask(server, "<p>two </p><p>dogs</p>") != joined


@pytest.mark.parametrize(
    ("field", "value", "known"),
    [
        ("formality", "formal", "default, more, less, prefer_more, prefer_less"),
        ("split_sentences", "2", "0, 1, nonewlines"),
        ("split_sentences", ["0", "1"], "0, 1, nonewlines"),
        ("split_sentences", True, "0, 1, nonewlines"),
        ("model_type", "fast", "latency_optimized, quality_optimized, prefer_quality_optimized"),
        ("outline_detection", "maybe", "0, 1, false, true"),
        ("preserve_formatting", 2, "0, 1, false, true"),
        ("show_billed_characters", "yes", "0, 1, false, true"),
        ("tag_handling_version", "v3", "v1, v2"),
        ("tag_handling", "markdown", "xml or html"),
    ],
)
def test_a_misspelt_value_is_an_error(server: Running, field: str, value: Any, known: str) -> None:
    body = {"text": "a cat", "target_lang": "DE", field: value}
    status, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    assert status == 400
    assert content["message"].startswith(f"Parameter '{field}' must be ")
    assert known in content["message"]
    sent = value if isinstance(value, str) else json.dumps(value)
    assert sent[:3] in content["message"].partition("; got ")[2]


@pytest.mark.parametrize(
    "more",
    [
        {"formality": "prefer_less"}, {"formality": "default"}, {"formality": ""}, {"formality": None},
        {"model_type": "prefer_quality_optimized"}, {"split_sentences": 1}, {"split_sentences": "nonewlines"},
        {"split_sentences": 0}, {"preserve_formatting": True}, {"show_billed_characters": "1"},
    ],
)  # fmt: skip
def test_what_deepl_takes_is_taken(server: Running, translator: Translator, more: dict[str, Any]) -> None:
    body = {"text": "a cat", "target_lang": "DE", **more}
    _, content = send(server, "POST", "/v2/translate", json.dumps(body), JSON)
    assert content["translations"][0]["text"] == translator.translate("a cat").text
    fields = "&".join(f"{name}={value}" for name, value in more.items() if not isinstance(value, bool) and value)
    status, _ = send(server, "POST", "/v2/translate", f"text=a+cat&target_lang=DE&{fields}", FORM)
    assert status == 200


@pytest.mark.parametrize("split", ["0", "1"])
def test_lines_of_xml_stay_lines(split: str, server: Running) -> None:
    assert ask(server, "<d>two dogs.\na cat\n\nthe mat</d>", split_sentences=split).count("\n") == 3
