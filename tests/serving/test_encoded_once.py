"""A sentence is cut into tokens once on its way through the server, whatever is asked about it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from starlette.testclient import TestClient

from regard.text.tokenizer import Tokenizer

SENTENCES = ["Two dogs play.", "A cat sleeps here."]
TEXT = " ".join(SENTENCES)
GLOSSARY = {"name": "n", "source_lang": "en", "target_lang": "de", "entries": "dogs\tHunde", "entries_format": "tsv"}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text was cut into tokens."""
    counts, cut, offsets = Counter[str](), Tokenizer._encodings, Tokenizer.offsets

    def counting(tokenizer: Tokenizer, encode: Any, texts: Any, first: int) -> Any:
        counts.update(texts)
        return cut(tokenizer, encode, texts, first)

    def counting_offsets(tokenizer: Tokenizer, text: str) -> Any:
        counts[text] += 1
        return offsets(tokenizer, text)

    monkeypatch.setattr(Tokenizer, "_encodings", counting)
    monkeypatch.setattr(Tokenizer, "offsets", counting_offsets)
    return counts


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/translate", {"q": TEXT, "source": "en", "target": "de"}),
        ("/translate", {"q": TEXT, "source": "en", "target": "de", "details": True, "alternatives": 2}),
        ("/translate", {"q": f"<p>{TEXT}</p>", "source": "en", "target": "de", "format": "html"}),
        ("/api/v1/translate", {"text": TEXT, "alternatives": 3, "alignment": True, "coverage_penalty": 0.2}),
        ("/api/v1/translate", {"texts": SENTENCES, "prefix": ["ab", "cd"], "split": False}),
        ("/api/v1/stream", {"text": TEXT, "alternatives": 3, "beams": True}),
        (
            "/v1/chat/completions",
            {"messages": [{"role": "user", "content": TEXT}], "logprobs": True, "top_logprobs": 2},
        ),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": TEXT}], "stream": True}),
    ],
)
def test_each_sentence_is_cut_once(
    client: TestClient, counted: Counter[str], path: str, fields: dict[str, Any]
) -> None:
    answer = client.post(path, json=fields)
    assert answer.status_code == 200, answer.text
    assert [counted[sentence] for sentence in SENTENCES] == [1, 1]


def test_so_it_is_with_glossaries(client: TestClient, counted: Counter[str]) -> None:
    glossary = client.post("/v2/glossaries", json=GLOSSARY).json()["glossary_id"]
    fields = {"text": [TEXT], "source_lang": "EN", "target_lang": "DE", "glossary_id": glossary}
    assert "Hunde" in client.post("/v2/translate", json=fields).json()["translations"][0]["text"]
    assert [counted[sentence] for sentence in SENTENCES] == [1, 1]
