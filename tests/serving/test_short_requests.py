"""Short requests are begun, and answered, without a thread; whatever may take long has one, so that others do not wait."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.testclient import TestClient

TEXT = "ab cd. ba dc."
GLOSSARY = {"name": "n", "source_lang": "en", "target_lang": "de", "entries": "ab\tcd", "entries_format": "tsv"}


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions that were called in a thread."""
    called, in_thread = [], asyncio.to_thread

    async def noted(function: Any, *inputs: Any, **options: Any) -> Any:
        called.append(getattr(getattr(function, "func", function), "__name__", ""))
        return await in_thread(function, *inputs, **options)

    monkeypatch.setattr(asyncio, "to_thread", noted)
    return called


def translated(client: TestClient, **fields: Any) -> str:
    reply = client.post("/translate", json={"source": "en", "target": "de"} | fields)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["translatedText"])


def test_a_short_text_has_no_thread(client: TestClient, threads: list[str]) -> None:
    expected = translated(client, q=TEXT)
    assert client.post("/api/v1/translate", json={"text": TEXT}).json()["text"] == expected
    assert threads == []


@pytest.mark.parametrize(
    "fields",
    [{"q": f"{TEXT} " * 100}, {"q": f"<b>{TEXT}</b>", "format": "html"}, {"q": [TEXT] * 100}],
    ids=["long", "markup", "many"],
)
def test_what_may_take_long_has_threads(client: TestClient, threads: list[str], fields: dict[str, Any]) -> None:
    translated(client, **fields)
    assert threads == ["submit", "joined"]


def test_glossaries_have_threads(client: TestClient, threads: list[str]) -> None:
    """As their phrases are looked for with the model's tokenizer."""
    id = client.post("/v2/glossaries", json=GLOSSARY).json()["glossary_id"]
    fields = {"text": [TEXT], "source_lang": "EN", "target_lang": "DE", "glossary_id": id}
    assert client.post("/v2/translate", json=fields).status_code == 200
    assert "submit" in threads


def test_a_short_text_is_what_a_long_one_has_as_its_part(client: TestClient, threads: list[str]) -> None:
    lines = translated(client, q="\n".join([TEXT] * 100))
    assert threads
    assert set(lines.split("\n")) == {translated(client, q=TEXT)}
