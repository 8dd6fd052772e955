"""Whatever stands in a field, the answer is JSON and no failure of the server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest
from served import Running

SURROGATES = ["\ud800", "a\udfff", "\udc00\ud800 b"]
"""Halves of surrogate pairs, which JSON can write and UTF-8 cannot."""
ODD: list[Any] = [
    *SURROGATES, "\x00", "\ufeff", "\ufffe\U0010ffff", "e\u0301\u200d\u202e", "\r\n\u2028", "", " ", "</s><pad>", None, True, 7,
    -1, 0.5, 1e308, 10**30, [], {}, [[]], [None], ["a", 7], [["\ud800"]], {"a": "\ud800"}, {"\ud800": 1}, [{}], "auto",
    "a" * 3000,
]  # fmt: skip
USUAL: dict[str, Any] = {
    "text": "a", "texts": ["a"], "q": "a", "source": "en", "target": "de", "text_list": ["a"], "target_lang": "de", "to": "de",
    "targets": ["a"], "messages": [{"role": "user", "content": "a"}], "model": "en-de", "prompt": "a", "max_length": 3,
    "name": "n", "entries": "a\tb", "entries_format": "tsv", "source_lang": "en",
}  # fmt: skip
ALONE = ("texts", "prompts", "dictionaries", "glossary_ids")
"""Fields that stand in the place of another one."""
KEPT = ("text", "texts", "source", "target", "prefix", "required", "format", "banned", "vocabulary", "seed", "method")
"""Fields of our own interface that are tried; there are many."""
Case = tuple[str, str, str, dict[str, Any]]


@pytest.fixture(scope="module")
def cases(server: Running) -> list[Case]:
    """Each path that takes fields, with its method, one of its fields, and usual values of the others."""
    document, found = json.loads(server.get("/spec")[1]), []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            whole = operation.get("requestBody", {"content": {}})["content"].get("application/json", {"schema": {}})
            for schema in whole["schema"].get("anyOf", [whole["schema"]]):
                named = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
                fields = [name for name in named.get("properties", {}) if name not in ("id", "api_key")]
                usual = {each: USUAL[each] for each in fields if each in USUAL and each not in ALONE}
                for name in fields:
                    if not path.startswith("/api/v1/") or name in KEPT:
                        others = {each: value for each, value in usual.items()
                                  if name not in ALONE or each not in ("text", "prompt")}  # fmt: skip
                        found.append((path.replace("{id}", "x"), method.upper(), name, others))
    assert len(found) > 100
    return found


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: bytes) -> tuple[int, Any]:
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    kind = answer.getheader("content-type", "")
    return answer.status, json.loads(content) if kind == "application/json" else content.decode()


@pytest.fixture
def connection(server: Running) -> Iterator[http.client.HTTPConnection]:
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    yield connection
    connection.close()


def test_odd_values_in_every_field(connection: http.client.HTTPConnection, cases: list[Case]) -> None:
    failed = []
    for number, (path, method, name, others) in enumerate(cases):
        # all that is no text at all, and each path sees each odd text somewhere
        for value in [*SURROGATES[:1], *ODD[number % 5 :: 5]]:
            status, content = ask(connection, method, path, json.dumps(others | {name: value}).encode())
            if status == 201:  # a glossary, which would be there for other tests
                assert ask(connection, "DELETE", f"/v3/glossaries/{content['glossary_id']}", b"")[0] == 204
            if status >= 500 and status != 501:
                failed.append((path, name, value, status, content))
            json.dumps(content)
    assert not failed


@pytest.mark.parametrize("value", SURROGATES, ids=ascii)
def test_half_of_a_surrogate_pair_is_refused_wherever_it_is(
    connection: http.client.HTTPConnection, cases: list[Case], value: str
) -> None:
    for path, method, name, others in cases:
        for nested, named in ((value, name), ([[value]], name), ({"inner": [value]}, "inner"), ({value: 1}, name)):
            status, content = ask(connection, method, path, json.dumps(others | {name: nested}).encode())
            assert status == 400, (path, name, nested, content)
            assert f"Invalid request: {named} must be valid Unicode" in json.dumps(content)


def test_odd_paths_and_names(connection: http.client.HTTPConnection) -> None:
    odd = ("%ED%A0%80", "%FF", "%00", "%0A", "a%2Fb", "%F0%9F%98%80", "..", "%25", "a" * 3000)
    for path in ("/v1/models/", "/api/v1/inspect/", "/v2/glossaries/", "/v3/glossaries/", "/page/", "/"):
        for name in odd if path != "/" else odd[:3]:
            assert ask(connection, "GET", path + name, b"")[0] in (404, 405, 410), (path, name)
    for query in ("q=%ED%A0%80", "q=%FF", "q=a&q[]=%C0%80"):
        for path in ("/translate", "/language/translate/v2", "/detect"):
            status, content = ask(connection, "POST", f"{path}?{query}&target=de&source=en", b"")
            assert status == 400
            assert "URL-encoded UTF-8" in json.dumps(content)
    for value in ("1e400", "-1e999", "123456789" * 600):
        body = f'{{"text": "a", "beam_size": {value}, "length_penalty": {value}}}'.encode()
        assert ask(connection, "POST", "/api/v1/translate", body)[0] == 400
