"""LibreTranslate's interface, as its clients use it: libretranslatepy, deep-translator, Mastodon, Weblate, Subtitle Edit ...

Source: what the clients send, and LibreTranslate's documentation of its API.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.generation.options import DecodingOptions
from regard.serving.answers import Answered, Asked
from regard.serving.directions import ANY
from regard.serving.interfaces.encoding import Answer, Received, number_of, text_of, texts_of, truth_of
from regard.serving.limits import Limits, ServingError, UnsupportedLanguageError

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian Bokmål", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese", ANY: "Undetermined",
}  # fmt: skip
NUMBER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


@dataclass(frozen=True)
class Wanted:
    """What a request to `/translate` asks for, beside the translation."""

    asked: Asked
    is_list: bool
    detects: bool
    alternatives: int
    details: bool


def parse(received: Received, limits: Limits) -> Wanted:
    """A request to `/translate`.

    Raises:
        ServingError: 400, as LibreTranslate words it.
    """
    fields = received.fields()
    for name in ("q", "source", "target"):
        if fields.get(name) is None:
            raise ServingError(400, f"Invalid request: missing {name} parameter")
    texts, is_list = texts_of(fields["q"], "q")
    source, target = text_of(fields, "source", "auto"), text_of(fields, "target")
    form = text_of(fields, "format", "text")
    if form not in ("text", "html"):
        raise ServingError(400, f"{form} format is not supported")
    if not NUMBER.fullmatch(str(fields.get("alternatives") or 0)):
        raise ServingError(400, "Invalid request: alternatives parameter is not a number")
    alternatives = number_of(fields, "alternatives", 0, limits.alternatives)
    details = truth_of(fields, "details")
    n_best = alternatives + 1
    options = DecodingOptions(beam_size=max(5, n_best), n_best=n_best, alignment=details)
    asked = Asked(texts, None if source == "auto" else source, target, options, format=form)
    return Wanted(asked, is_list, source == "auto", alternatives, details)


def answer(
    wanted: Wanted, found: Sequence[Answered], source: str, confidence: float, inspections: Sequence[Sequence[str]]
) -> Answer:
    """The answer to a request.

    Args:
        source: the language that the texts are in.
        confidence: the probability of that, from 0 to 1.
        inspections: with `details`, the names of those of each text's sentences.
    """
    content: dict[str, Any] = {"translatedText": [each.text for each in found]}
    if wanted.detects:
        content["detectedLanguage"] = [{"confidence": round(100 * confidence, 1), "language": source} for _ in found]
    if wanted.alternatives:
        content["alternatives"] = [list(dict.fromkeys(each.n_best))[1:] for each in found]
    if wanted.details:
        content["score"] = [round(each.log_prob, 4) for each in found]
        content["probability"] = [round(each.probability, 4) for each in found]
        content["confidence"] = [None if (value := each.confidence) is None else round(value, 4) for each in found]
        content["alignment"] = [[links(sentence.alignment) for sentence in each.sentences] for each in found]
        content["inspect_id"] = list(inspections)
        content["spans"] = [
            [[*source_span, *target_span] for source_span, target_span in each.origins] for each in found
        ]
    return Answer(content if wanted.is_list else {name: values[0] for name, values in content.items()})


def links(alignment: Any) -> str:
    """An alignment as Pharaoh writes it, `source-target` by tokens of the model: `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in alignment.links) if alignment else ""


def languages(directions: Mapping[str, Sequence[str]]) -> Answer:
    """The answer to `/languages`: those that are translated into others."""
    return Answer(
        [
            {"code": code, "name": NAMES.get(code, code), "targets": sorted(targets)}
            for code, targets in sorted(directions.items())
            if targets
        ]
    )


def detected(ranked: Sequence[tuple[str, float]]) -> Answer:
    """The answer to `/detect`: the languages that are read, with confidences from 0 to 100, the likeliest first.

    Raises:
        ServingError: 501, they cannot be told apart.
    """
    if not ranked:
        raise ServingError(501, "This server cannot detect languages: it needs py3langid. Name the source.")
    return Answer([{"confidence": round(100 * prob, 1), "language": code} for code, prob in ranked])


def settings(directions: Mapping[str, Sequence[str]], limits: Limits, *, keys: bool) -> Answer:
    """The answer to `/frontend/settings`."""
    first = next((code for code, targets in directions.items() if targets), ANY)
    return Answer(
        {
            "apiKeys": keys, "charLimit": limits.characters, "filesTranslation": False, "frontendTimeout": 500,
            "keyRequired": keys, "language": {
                "source": {"code": first, "name": NAMES.get(first, first)},
                "target": {"code": (code := next(iter(directions.get(first, ())), ANY)), "name": NAMES.get(code, code)},
            },
            "suggestions": False, "supportedFilesFormat": [],
        }
    )  # fmt: skip


def unsupported(error: UnsupportedLanguageError) -> ServingError:
    """A language that is not served, as LibreTranslate words it."""
    return ServingError(error.status, f"{error.code} is not supported")


def error(status: int, message: str) -> Answer:
    """An error, never as a page."""
    return Answer({"error": message}, status)
