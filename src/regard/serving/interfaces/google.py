"""Google's version 2: texts, languages, and the language of a text.

Source: Google's documentation of its API.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, ClassVar, NotRequired

from typing_extensions import TypedDict

from regard.serving.directions import ANY, language_name
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, Fields, Text, Texts, texts_of
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.interfaces.libretranslate import NO_DETECTION
from regard.serving.limits import ServingError
from regard.serving.translation_request import TranslationRequest

PATH = "/language/translate/v2"
REASONS = {400: "invalid", 403: "forbidden", 404: "notFound", 413: "uploadTooLarge", 429: "rateLimitExceeded"}
"""Google's name for an error, by its status."""


class GoogleFields(Fields):
    """Fields whose errors are worded as Google does."""

    missing: ClassVar[str] = "Required parameter: {}"
    refusal: ClassVar[str] = "Invalid Value: {} must be {}; got {}."


class TranslateFields(GoogleFields):
    """Texts, which are HTML unless `format` says `text`."""

    target: Text
    q: Texts
    source: Text = ""
    format: Annotated[str, Choice("text", "html", text="text or html")] = "html"


class LanguagesFields(GoogleFields):
    """The language that names should be in; ours are English."""

    target: Text = ""


class DetectFields(GoogleFields):
    """Texts whose languages are asked for."""

    q: Texts


class Translation(TypedDict):
    """A translation; with the language of its source, where that was not said."""

    translatedText: str
    detectedSourceLanguage: NotRequired[str]


class Language(TypedDict):
    """A language; with its name, if that is asked for."""

    language: str
    name: NotRequired[str]


Detection = TypedDict("Detection", {"language": str, "confidence": float, "isReliable": bool})
Translations = TypedDict("Translations", {"translations": list[Translation]})
TranslateReply = TypedDict("TranslateReply", {"data": Translations})
Languages = TypedDict("Languages", {"languages": list[Language]})
LanguagesReply = TypedDict("LanguagesReply", {"data": Languages})
Detections = TypedDict("Detections", {"detections": list[list[Detection]]})
DetectReply = TypedDict("DetectReply", {"data": Detections})
Reason = TypedDict("Reason", {"message": str, "domain": str, "reason": str})
GoogleError = TypedDict("GoogleError", {"code": int, "message": str, "errors": list[Reason]})
Failure = TypedDict("Failure", {"error": GoogleError})


def failure(error: ServingError) -> Failure:
    """The content of an error."""
    message = str(error)
    reason: Reason = {"message": message, "domain": "global", "reason": REASONS.get(error.status, "backendError")}
    return {"error": {"code": error.status, "message": message, "errors": [reason]}}


async def translate(context: RequestContext, fields: TranslateFields) -> TranslateReply:
    """Google: translate."""
    wanted = TranslationRequest(texts_of(fields.q), fields.source, fields.target, format=fields.format)
    found, pending = await context.translate(wanted)
    rows: list[Translation] = [{"translatedText": each.text} for each in found]
    for row in () if fields.source else rows:
        row["detectedSourceLanguage"] = pending.direction.source
    return {"data": {"translations": rows}}


async def languages(context: RequestContext, fields: LanguagesFields) -> LanguagesReply:
    """Google: the languages that are read or written; with target, their names."""
    codes = sorted(context.registry.codes - {ANY})
    rows: list[Language] = [{"language": code, "name": language_name(code)} for code in codes]
    return {"data": {"languages": rows if fields.target else [{"language": code} for code in codes]}}


async def detect(context: RequestContext, fields: DetectFields) -> DetectReply:
    """Google: the likeliest language of each text, with the confidence, from 0 to 1."""
    texts = texts_of(fields.q)
    context.server.translations.check_texts(texts)
    ranked = await asyncio.to_thread(lambda: [context.registry.detect(text) for text in texts])
    if not all(ranked):
        raise ServingError(501, NO_DETECTION)
    rows: list[list[Detection]] = [
        [{"language": code if prob else ANY, "confidence": round(prob, 4), "isReliable": False}]
        for ((code, prob), *_) in ranked
    ]
    return {"data": {"detections": rows}}


INTERFACE = Interface("google", "/language", failure)
ROUTES = [
    route
    for method in ("GET", "POST")
    for route in (
        Route(method, PATH, translate, INTERFACE),
        Route(method, f"{PATH}/languages", languages, INTERFACE),
        Route(method, f"{PATH}/detect", detect, INTERFACE, errors={501: NO_DETECTION}),
    )
]
