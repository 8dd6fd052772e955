"""LibreTranslate's interface, as its clients use it (libretranslatepy, deep-translator, Mastodon, Weblate, Subtitle Edit ...),
and nllb-serve, which shares its path.

Source: requests of the clients, and LibreTranslate's documentation of its API.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, cast

from pydantic import Field, field_validator
from starlette.responses import HTMLResponse
from typing_extensions import TypedDict

from regard.generation.options import DecodingOptions
from regard.serving.directions import ANY, language_name
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, Fields, Flag, Text, Texts, Whole, texts_of, whole
from regard.serving.endpoints.openapi import page
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.inspection_cache import InspectionRequest
from regard.serving.limits import Limits, ServingError, UnsupportedLanguageError
from regard.serving.text_results import PendingTranslation, TextResult
from regard.serving.translation_request import TranslationRequest

NO_DETECTION = "This server cannot detect languages: it needs py3langid. Name the source."


class TranslateFields(Fields):
    """A text or a list of texts, and their languages."""

    q: Texts
    source: Text = Field(description="ISO 639 code, or auto")
    target: Text = Field(description="ISO 639 code; with an adapter, as de-x-legal")
    format: Annotated[str, Choice("text", "html")] = "text"
    alternatives: Annotated[int, Whole(0, Limits.alternatives)] = Field(0, description="other translations to return")
    details: Flag = Field(
        False, description="return score, probability, confidence, alignment, spans and inspect_id, too"
    )

    @field_validator("format", mode="wrap")
    @classmethod
    def _check_format(cls, value: Any, check: Any) -> str:
        try:
            return str(check(value))
        except ValueError as error:
            raise ServingError(400, f"{value} format is not supported") from error

    @field_validator("alternatives", mode="before")
    @classmethod
    def _check_number(cls, value: Any) -> Any:
        try:
            return whole(value)
        except ValueError as error:
            raise ServingError(400, "Invalid request: alternatives parameter is not a number") from error


class NllbFields(Fields):
    """The fields of nllb-serve: `source` is the text, or a list of texts."""

    source: Texts
    src_lang: Text = Field("", description="such as eng_Latn")
    tgt_lang: Text

    @classmethod
    def applies(cls, fields: Mapping[str, Any]) -> bool:
        """Whether a request to `/translate` is nllb-serve's: LibreTranslate's clients send `q`."""
        return "q" not in fields and "tgt_lang" in fields


class DetectFields(Fields):
    """A text whose language is asked for, or several that are in one language."""

    q: Texts


DetectedLanguage = TypedDict("DetectedLanguage", {"confidence": float, "language": str})
Language = TypedDict("Language", {"code": str, "name": str})


class TranslateReply(TypedDict):
    """The translation of a text; of a list, each value is a list."""

    translatedText: str | list[str]
    detectedLanguage: NotRequired[DetectedLanguage | list[DetectedLanguage]]
    alternatives: NotRequired[list[str] | list[list[str]]]
    score: NotRequired[float | list[float]]
    probability: NotRequired[float | list[float]]
    confidence: NotRequired[float | list[float | None] | None]
    alignment: NotRequired[list[str] | list[list[str]]]
    spans: NotRequired[list[list[int]] | list[list[list[int]]]]
    inspect_id: NotRequired[list[str] | list[list[str]]]


class NllbReply(TypedDict):
    """The texts, and their translations."""

    source: list[str]
    translation: list[str]


class SourceLanguage(Language):
    """A language, and those that it is translated into."""

    targets: list[str]


class DefaultLanguages(TypedDict):
    """The languages that a page begins with."""

    source: Language
    target: Language


class Settings(TypedDict):
    """The settings that LibreTranslate's page asks for."""

    apiKeys: bool
    charLimit: int
    filesTranslation: bool
    frontendTimeout: int
    keyRequired: bool
    language: DefaultLanguages
    suggestions: bool
    supportedFilesFormat: list[str]


class Failure(TypedDict):
    """An error in LibreTranslate's form."""

    error: str


def failure(error: ServingError) -> Failure:
    """The content of an error."""
    return {"error": str(error)}


async def translate(context: RequestContext, fields: NllbFields | TranslateFields) -> TranslateReply | NllbReply:
    """LibreTranslate: translate. nllb-serve: with src_lang and tgt_lang."""
    if isinstance(fields, NllbFields):
        nllb = TranslationRequest(texts_of(fields.source), fields.src_lang, fields.tgt_lang)
        found, _ = await context.translate(nllb)
        return {"source": list(nllb.texts), "translation": [each.text for each in found]}
    n_best = fields.alternatives + 1
    options = DecodingOptions(beam_size=max(5, n_best), n_best=n_best, alignment=fields.details)
    wanted = TranslationRequest(texts_of(fields.q), fields.source, fields.target, options, format=fields.format)
    try:
        found, pending = await context.translate(wanted)
    except UnsupportedLanguageError as error:
        raise ServingError(error.status, f"{error.code} is not supported") from error
    add, models = context.server.inspections.add, context.registry.models_name
    names = [
        [
            add(InspectionRequest(models, pending.direction, sentence, each.ids, each.finish_reason == "eos"))
            for sentence, each in zip(text.sources, text.sentences, strict=True)
        ]
        for text in (found if fields.details else ())
    ]
    content = _content(fields, found, pending, names)
    if not isinstance(fields.q, list):
        content = {name: values[0] for name, values in content.items()}
    return cast("TranslateReply", content)


def _content(
    fields: TranslateFields, found: Sequence[TextResult], pending: PendingTranslation, names: Sequence[Sequence[str]]
) -> dict[str, Sequence[Any]]:
    """The content of an answer, with a list for each field.

    Args:
        names: the names of the inspections of each text's sentences.
    """
    content: dict[str, Sequence[Any]] = {"translatedText": [each.text for each in found]}
    if fields.source == "auto":
        detected = {"confidence": round(100 * pending.confidence, 1), "language": pending.direction.source}
        content["detectedLanguage"] = [detected for _ in found]
    if fields.alternatives:
        content["alternatives"] = [list(dict.fromkeys(each.n_best))[1:] for each in found]
    if fields.details:
        content["score"] = [round(each.log_prob, 4) for each in found]
        content["probability"] = [round(each.probability, 4) for each in found]
        content["confidence"] = [None if (value := each.confidence) is None else round(value, 4) for each in found]
        alignments = [[sentence.alignment for sentence in each.sentences] for each in found]
        content["alignment"] = [[each.pharaoh if each else "" for each in of_text] for of_text in alignments]
        content["inspect_id"] = names
        content["spans"] = [[[*source, *target] for source, target in each.origins] for each in found]
    return content


async def languages(context: RequestContext) -> list[SourceLanguage]:
    """LibreTranslate: all languages. Each is a target of itself, as there: clients look for targets among the sources."""
    return [
        {"code": code, "name": language_name(code), "targets": sorted({code, *targets})}
        for code, targets in sorted(context.registry.languages().items())
    ]


async def detect(context: RequestContext, fields: DetectFields) -> list[DetectedLanguage]:
    """LibreTranslate: the languages that are read, with confidences from 0 to 100, the likeliest first."""
    texts = texts_of(fields.q)
    context.server.translations.check_texts(texts)
    if not (ranked := context.registry.detect("\n".join(texts))):
        raise ServingError(501, NO_DETECTION)
    return [{"confidence": round(100 * prob, 1), "language": code} for code, prob in ranked]


async def settings(context: RequestContext) -> Settings:
    """LibreTranslate: the settings of its page."""
    directions, keys = context.registry.languages(), context.server.keys.are_needed
    source = next((code for code, targets in directions.items() if targets), ANY)
    target = next(iter(directions.get(source, ())), ANY)
    return {
        "apiKeys": keys, "charLimit": context.limits.characters, "filesTranslation": False, "frontendTimeout": 500,
        "keyRequired": keys, "language": {
            "source": {"code": source, "name": language_name(source)},
            "target": {"code": target, "name": language_name(target)},
        },
        "suggestions": False, "supportedFilesFormat": [],
    }  # fmt: skip


async def document(context: RequestContext) -> dict[str, Any]:
    """This document: all paths in OpenAPI's form."""
    return dict(context.server.document)


async def docs(context: RequestContext) -> HTMLResponse:
    """This document, as a page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return HTMLResponse(page(context.server.document), headers={"Content-Security-Policy": policy})


INTERFACE = Interface("libretranslate", "/", failure)
ROUTES = [
    Route("POST", "/translate", translate, INTERFACE),
    Route("GET", "/languages", languages, INTERFACE, needs_key=False),
    Route("POST", "/detect", detect, INTERFACE, errors={501: NO_DETECTION}),
    Route("GET", "/frontend/settings", settings, INTERFACE, needs_key=False),
    Route("GET", "/spec", document, INTERFACE, needs_key=False),
    Route("GET", "/docs", docs, INTERFACE, needs_key=False, media_types=("text/html",)),
]
