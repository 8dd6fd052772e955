"""Four small interfaces: nllb-serve, Immersive Translate, kiss-translator, DeepLX.

Source: what the clients send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regard.serving.answers import Answered, Asked
from regard.serving.interfaces.encoding import Answer, text_of, texts_of
from regard.serving.limits import ServingError

Fields = Mapping[str, Any]


def _asked(fields: Fields, texts: str, source: str, target: str) -> tuple[Asked, bool]:
    for name in (texts, target):
        if fields.get(name) is None:
            raise ServingError(400, f"Invalid request: missing {name} parameter")
    found, is_list = texts_of(fields[texts], texts)
    return Asked(found, text_of(fields, source), text_of(fields, target)), is_list


def is_nllb(fields: Fields) -> bool:
    """Whether a request to `/translate` is nllb-serve's: LibreTranslate's clients send `q`."""
    return "q" not in fields and "tgt_lang" in fields


def nllb(fields: Fields) -> Asked:
    """nllb-serve: `source` is the text, or a list of them."""
    return _asked(fields, "source", "src_lang", "tgt_lang")[0]


def nllb_answer(asked: Asked, found: Sequence[Answered]) -> Answer:
    """Always a list."""
    return Answer({"source": list(asked.texts), "translation": [each.text for each in found]})


def immersive(fields: Fields) -> Asked:
    """Immersive Translate: `text_list`."""
    return _asked(fields, "text_list", "source_lang", "target_lang")[0]


def immersive_answer(found: Sequence[Answered], source: str) -> Answer:
    """The translations, each with the language of its source."""
    return Answer({"translations": [{"detected_source_lang": source, "text": each.text} for each in found]})


def kiss(fields: Fields) -> tuple[Asked, bool]:
    """kiss-translator: one `text`, or `texts`."""
    return _asked(fields, "texts" if "texts" in fields else "text", "from", "to")


def kiss_answer(asked: Asked, found: Sequence[Answered], source: str, *, is_list: bool) -> Answer:
    """One answer for one text, a list of them for a list."""
    if is_list:
        return Answer({"translations": [{"text": each.text, "src": source} for each in found]})
    return Answer({"text": found[0].text, "from": source, "to": asked.target})


def deeplx(fields: Fields) -> Asked:
    """DeepLX: one `text`."""
    asked, is_list = _asked(fields, "text", "source_lang", "target_lang")
    if is_list:
        raise ServingError(400, "Invalid request: text must be one string.")
    return asked


def deeplx_answer(found: Sequence[Answered], asked: Asked) -> Answer:
    """`data` is the text."""
    return Answer(
        {
            "code": 200, "data": found[0].text, "alternatives": [],
            "source_lang": asked.source, "target_lang": asked.target,
        }
    )  # fmt: skip
