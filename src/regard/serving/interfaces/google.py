"""Google's version 2: texts, languages, and the language of a text.

Source: Google's documentation of its API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regard.serving.answers import Answered, Asked
from regard.serving.directions import ANY
from regard.serving.interfaces.encoding import Answer, text_of, texts_of
from regard.serving.interfaces.libretranslate import NAMES
from regard.serving.limits import ServingError

Fields = Mapping[str, Any]


def parse(fields: Fields) -> Asked:
    """A request to translate, where texts are HTML unless `format` says `text`.

    Raises:
        ServingError: 400, as Google words it.
    """
    form = text_of(fields, "format", "html")
    if form not in ("text", "html"):
        raise ServingError(400, f"Invalid Value: format must be text or html; got {str(form)[:40]}.")
    target = text_of(fields, "target")
    if target is None:
        raise _missing("target")
    return Asked(needed_texts(fields), text_of(fields, "source"), target, format=form)


def needed_texts(fields: Fields) -> list[str]:
    """The texts of a request.

    Raises:
        ServingError: 400, there are none.
    """
    if fields.get("q") is None:
        raise _missing("q")
    return texts_of(fields["q"], "q")[0]


def answer(asked: Asked, found: Sequence[Answered], source: str) -> Answer:
    """The translations; with the language of the source where it was not said."""
    more = {} if asked.source else {"detectedSourceLanguage": source}
    return Answer({"data": {"translations": [{"translatedText": each.text, **more} for each in found]}})


def languages(codes: Iterable[str], *, named: bool) -> Answer:
    """The languages, of which Google does not say which are sources and which targets.

    Args:
        named: whether their names are asked for: by `target`, the language that they should be in. Ours are English.
    """
    rows = [
        {"language": code} | ({"name": NAMES.get(code, code)} if named else {}) for code in sorted(codes) if code != ANY
    ]
    return Answer({"data": {"languages": rows}})


def detections(ranked: Sequence[Sequence[tuple[str, float]]]) -> Answer:
    """For each text, its likeliest language with the confidence, from 0 to 1.

    Raises:
        ServingError: 501, languages cannot be told apart.
    """
    if not all(ranked):
        raise ServingError(501, "This server cannot detect languages: it needs py3langid. Name the source.")
    rows = [
        [{"language": code if prob else ANY, "confidence": round(prob, 4), "isReliable": False}]
        for ((code, prob), *_) in ranked
    ]
    return Answer({"data": {"detections": rows}})


def error(status: int, message: str) -> Answer:
    """An error."""
    errors = [{"message": message, "domain": "global", "reason": REASONS.get(status, "backendError")}]
    return Answer({"error": {"code": status, "message": message, "errors": errors}}, status)


REASONS = {400: "invalid", 403: "forbidden", 404: "notFound", 413: "uploadTooLarge", 429: "rateLimitExceeded"}
"""What Google calls an error, by its status."""


def _missing(name: str) -> ServingError:
    return ServingError(400, f"Required parameter: {name}")
