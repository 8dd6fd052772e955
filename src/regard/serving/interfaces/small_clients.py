"""Three small interfaces: Immersive Translate, kiss-translator, DeepLX.

Source: requests of the clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import FieldRule, Fields, Text, Texts, texts_of
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.interfaces.libretranslate import failure
from regard.serving.translation_request import TranslationRequest


class ImmersiveFields(Fields):
    """Texts of Immersive Translate."""

    text_list: Texts
    source_lang: Text = ""
    target_lang: Text


class KissFields(Fields):
    """A text of kiss-translator."""

    text: Texts
    source: Text = Field("", alias="from")
    target: Text = Field(alias="to")


class KissListFields(Fields):
    """Several texts of kiss-translator."""

    texts: Texts
    source: Text = Field("", alias="from")
    target: Text = Field(alias="to")

    @classmethod
    def applies(cls, fields: Mapping[str, Any]) -> bool:
        """Whether a request has several texts."""
        return "texts" in fields


class DeeplxFields(Fields):
    """A text of DeepLX."""

    text: Annotated[str, FieldRule("one string", {"type": "string", "minLength": 0}, keeps_empty=True)]
    source_lang: Text = ""
    target_lang: Text


ImmersiveText = TypedDict("ImmersiveText", {"detected_source_lang": str, "text": str})
ImmersiveReply = TypedDict("ImmersiveReply", {"translations": list[ImmersiveText]})
KissText = TypedDict("KissText", {"text": str, "src": str})
KissTexts = TypedDict("KissTexts", {"translations": list[KissText]})
KissReply = TypedDict("KissReply", {"text": str, "from": str, "to": str})


class DeeplxReply(TypedDict):
    """A translation, in `data`."""

    code: int
    data: str
    alternatives: list[str]
    source_lang: str | None
    target_lang: str


async def immersive(context: RequestContext, fields: ImmersiveFields) -> ImmersiveReply:
    """Immersive Translate."""
    wanted = TranslationRequest(texts_of(fields.text_list), fields.source_lang, fields.target_lang)
    found, pending = await context.translate(wanted)
    source = pending.direction.source
    return {"translations": [{"detected_source_lang": source, "text": each.text} for each in found]}


async def kiss(context: RequestContext, fields: KissListFields | KissFields) -> KissTexts | KissReply:
    """kiss-translator."""
    given = fields.texts if isinstance(fields, KissListFields) else fields.text
    found, pending = await context.translate(TranslationRequest(texts_of(given), fields.source, fields.target))
    source = pending.direction.source
    if isinstance(given, list):
        return {"translations": [{"text": each.text, "src": source} for each in found]}
    return {"text": found[0].text, "from": source, "to": fields.target}


async def deeplx(context: RequestContext, fields: DeeplxFields) -> DeeplxReply:
    """DeepLX."""
    found, _ = await context.translate(TranslationRequest([fields.text], fields.source_lang, fields.target_lang))
    return {
        "code": 200, "data": found[0].text, "alternatives": [],
        "source_lang": fields.source_lang or None, "target_lang": fields.target_lang,
    }  # fmt: skip


ROUTES = [
    Route("POST", "/imme", immersive, Interface("immersive", "/imme", failure)),
    Route("POST", "/kiss", kiss, Interface("kiss", "/kiss", failure)),
    Route("POST", "/deeplx", deeplx, Interface("deeplx", "/deeplx", failure)),
]
