"""DeepL's glossaries, of one direction (version 2) and of several (version 3). `deepl.py` uses them in translations.

Source: DeepL's documentation of its API, and requests and answers of the official Python client.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, field_validator
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.documents.terms import Terms
from regard.serving.directions import ANY, Direction, code_of
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, FieldRule, Text
from regard.serving.endpoints.routes import Route
from regard.serving.glossaries import QUOTA, Glossary
from regard.serving.glossary_entries import read_entries
from regard.serving.interfaces.deepl import INTERFACE, INTERFACE_3, NO_GLOSSARY, DeeplFields
from regard.serving.limits import ServingError


class GlossaryFields(DeeplFields):
    """The id of a glossary."""

    id: Text


class DirectionFields(DeeplFields):
    """The languages of a dictionary."""

    source_lang: Text
    target_lang: Text

    @field_validator("source_lang", "target_lang")
    @classmethod
    def _check_code(cls, given: str, info: Any) -> str:
        code = code_of(given)
        if code is None or not re.fullmatch("[a-z]{2,3}", code):
            raise ServingError(400, f"{info.field_name} must be the code of a language; got {given[:40]!r}.")
        return code

    @property
    def direction(self) -> Direction:
        """The direction of the dictionary."""
        return Direction(self.source_lang, self.target_lang)


class DictionaryFields(DirectionFields):
    """The languages and the entries of a dictionary."""

    entries: Text = Field(description="a line for each: a source term, a tab or comma, and its target phrase")
    entries_format: Annotated[str, Choice("tsv", "csv", text="tsv or csv")]


class NewGlossaryFields(DictionaryFields):
    """The name of a new glossary, and its only dictionary."""

    name: Text


class DictionaryList(FieldRule):
    """Dictionaries, at least one."""

    def read(self, value: Any) -> list[DictionaryFields]:
        """The dictionaries of a list of objects."""
        if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
            raise ValueError
        return [DictionaryFields.read(each) for each in value]


Dictionaries = Annotated[list[DictionaryFields], Field(min_length=1), DictionaryList("a list of at least one object")]


class NewMultilingualFields(DeeplFields):
    """The name of a new glossary, and its dictionaries."""

    name: Text
    dictionaries: Dictionaries


class ChangeFields(GlossaryFields):
    """Another name of a glossary, and dictionaries whose entries are added to those that it has."""

    name: Text = ""
    dictionaries: Dictionaries | None = None


class GlossaryDirectionFields(GlossaryFields, DirectionFields):
    """The id of a glossary, and the languages of one of its dictionaries."""


class PutFields(GlossaryFields, DictionaryFields):
    """The id of a glossary, and a dictionary."""


LanguagePair = TypedDict("LanguagePair", {"source_lang": str, "target_lang": str})
LanguagePairs = TypedDict("LanguagePairs", {"supported_languages": list[LanguagePair]})


class DictionaryInfo(LanguagePair):
    """The languages of a dictionary, and the number of its entries."""

    entry_count: int


class DictionaryEntries(LanguagePair):
    """The languages of a dictionary, and its entries."""

    entries: str
    entries_format: str


class GlossaryHead(TypedDict):
    """A glossary without its dictionaries."""

    glossary_id: str
    name: str
    creation_time: str


class GlossaryInfo(GlossaryHead, DictionaryInfo):
    """A glossary of one direction, without its entries."""

    ready: bool


class MultilingualInfo(GlossaryHead):
    """A glossary without its entries."""

    dictionaries: list[DictionaryInfo]


GlossaryList = TypedDict("GlossaryList", {"glossaries": list[GlossaryInfo]})
MultilingualList = TypedDict("MultilingualList", {"glossaries": list[MultilingualInfo]})
EntriesReply = TypedDict("EntriesReply", {"dictionaries": list[DictionaryEntries]})


async def language_pairs(context: RequestContext) -> LanguagePairs:
    """DeepL: the language pairs of glossaries; of a server that does not know its languages, none."""
    languages = context.registry.languages()
    pairs: list[LanguagePair] = [
        {"source_lang": source, "target_lang": target}
        for source, targets in languages.items()
        for target in targets
        if source != ANY
    ]
    return {"supported_languages": pairs}


async def create(context: RequestContext, fields: NewGlossaryFields) -> GlossaryInfo:
    """DeepL: make a glossary of one direction."""
    direction, terms = await asyncio.to_thread(_dictionary, context, fields)
    return _monolingual(context.server.glossaries.add(context.owner, fields.name, {direction: terms}))


async def list_all(context: RequestContext) -> GlossaryList:
    """DeepL: the glossaries of one direction."""
    found = [glossary for glossary in context.server.glossaries.all(context.owner) if len(glossary.dictionaries) == 1]
    return {"glossaries": [_monolingual(glossary) for glossary in found]}


async def show(context: RequestContext, fields: GlossaryFields) -> GlossaryInfo:
    """DeepL: a glossary of one direction."""
    return _monolingual(_get(context, fields))


async def entries(context: RequestContext, fields: GlossaryFields) -> Response:
    """DeepL: the entries of a glossary of one direction, as lines with tabs."""
    glossary = _get(context, fields)
    _monolingual(glossary)
    (terms,) = glossary.dictionaries.values()
    return Response(_lines(terms), media_type="text/tab-separated-values")


async def delete(context: RequestContext, fields: GlossaryFields) -> Response:
    """DeepL: delete a glossary."""
    context.server.glossaries.remove(context.owner, fields.id)
    return Response(status_code=204)


async def create_multilingual(context: RequestContext, fields: NewMultilingualFields) -> MultilingualInfo:
    """DeepL: make a glossary of several directions."""
    dictionaries = await asyncio.to_thread(_dictionaries, context, fields.dictionaries)
    return _multilingual(context.server.glossaries.add(context.owner, fields.name, dictionaries))


async def list_all_multilingual(context: RequestContext) -> MultilingualList:
    """DeepL: all glossaries."""
    return {"glossaries": [_multilingual(glossary) for glossary in context.server.glossaries.all(context.owner)]}


async def show_multilingual(context: RequestContext, fields: GlossaryFields) -> MultilingualInfo:
    """DeepL: a glossary."""
    return _multilingual(_get(context, fields))


async def change(context: RequestContext, fields: ChangeFields) -> MultilingualInfo:
    """DeepL: rename a glossary, or add entries to its dictionaries."""
    added = await asyncio.to_thread(_dictionaries, context, fields.dictionaries or [])

    def changed(glossary: Glossary) -> Glossary:
        merged = dict(glossary.dictionaries)
        for direction, terms in added.items():
            present = merged[direction].entries if direction in merged else {}
            merged[direction] = Terms(present | terms.entries)
        return replace(glossary, name=fields.name or glossary.name, dictionaries=merged)

    return _multilingual(await _change(context, fields, changed))


async def entries_multilingual(context: RequestContext, fields: GlossaryDirectionFields) -> EntriesReply:
    """DeepL: the entries of a dictionary, as lines with tabs."""
    terms = _get(context, fields).terms(fields.direction)
    return {"dictionaries": [{**_languages(fields.direction), "entries": _lines(terms), "entries_format": "tsv"}]}


async def put_dictionary(context: RequestContext, fields: PutFields) -> DictionaryInfo:
    """DeepL: put a dictionary in the place of the one for its direction, if there is one."""
    direction, terms = await asyncio.to_thread(_dictionary, context, fields)
    await _change(
        context, fields, lambda glossary: replace(glossary, dictionaries={**glossary.dictionaries, direction: terms})
    )
    return {**_languages(direction), "entry_count": len(terms.entries)}


async def delete_dictionary(context: RequestContext, fields: GlossaryDirectionFields) -> Response:
    """DeepL: delete a dictionary."""

    def changed(glossary: Glossary) -> Glossary:
        glossary.terms(fields.direction)
        others = {each: terms for each, terms in glossary.dictionaries.items() if each != fields.direction}
        return replace(glossary, dictionaries=others)

    await _change(context, fields, changed)
    return Response(status_code=204)


def _get(context: RequestContext, fields: GlossaryFields) -> Glossary:
    return context.server.glossaries.get(context.owner, fields.id)


async def _change(context: RequestContext, fields: GlossaryFields, changed: Callable[[Glossary], Glossary]) -> Glossary:
    return await asyncio.to_thread(context.server.glossaries.change, context.owner, fields.id, changed)


def _dictionaries(context: RequestContext, given: Sequence[DictionaryFields]) -> dict[Direction, Terms]:
    """The terms of each dictionary, by its direction.

    Raises:
        ServingError: 400, two have the same direction; or as for each of them.
    """
    pairs = [_dictionary(context, each) for each in given]
    if len(found := dict(pairs)) < len(pairs):
        raise ServingError(400, "dictionaries must have a direction of its own each; got one twice.")
    return found


def _dictionary(context: RequestContext, fields: DictionaryFields) -> tuple[Direction, Terms]:
    """The direction and the terms of a dictionary.

    Raises:
        ServingError: 400, entries that are none, or the direction is not served; 413, too many entries; 503, the server ends.
    """
    context.server.translations.check_texts([])
    direction = fields.direction
    context.registry.route(direction.source, direction.target)
    rows = read_entries(fields.entries, fields.entries_format, direction.source, direction.target, context.limits)
    return direction, Terms(rows)


def _monolingual(glossary: Glossary) -> GlossaryInfo:
    """A glossary of one direction, without its entries.

    Raises:
        ServingError: 404, it is of several, or of none.
    """
    if len(glossary.dictionaries) != 1:
        count = len(glossary.dictionaries)
        message = f"Glossary {glossary.id!r} must have one dictionary; it has {count}. Ask for it at /v3/glossaries."
        raise ServingError(404, message)
    (found,) = _multilingual(glossary)["dictionaries"]
    return {**_head(glossary), "ready": True, **found}


def _multilingual(glossary: Glossary) -> MultilingualInfo:
    found: list[DictionaryInfo] = [
        {**_languages(direction), "entry_count": len(terms.entries)}
        for direction, terms in glossary.dictionaries.items()
    ]
    return {**_head(glossary), "dictionaries": found}


def _head(glossary: Glossary) -> GlossaryHead:
    time = glossary.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"glossary_id": glossary.id, "name": glossary.name, "creation_time": time}


def _languages(direction: Direction) -> LanguagePair:
    return {"source_lang": direction.source, "target_lang": direction.target}


def _lines(terms: Terms) -> str:
    return "\n".join(f"{source}\t{target}" for source, target in terms.entries.items())


TWO, THREE = INTERFACE, INTERFACE_3
NO_ROOM = {QUOTA: "The key has no more room for glossaries."}
ALL_TWO, ONE_TWO = "/v2/glossaries", "/v2/glossaries/{id}"
ALL_THREE, ONE_THREE = "/v3/glossaries", "/v3/glossaries/{id}"
ROUTES = [
    Route("GET", "/v2/glossary-language-pairs", language_pairs, TWO),
    Route("POST", ALL_TWO, create, TWO, 201, NO_ROOM),
    Route("GET", ALL_TWO, list_all, TWO),
    Route("GET", ONE_TWO, show, TWO, errors=NO_GLOSSARY),
    Route("DELETE", ONE_TWO, delete, TWO, 204, NO_GLOSSARY),
    Route("GET", f"{ONE_TWO}/entries", entries, TWO, 200, NO_GLOSSARY, ("text/tab-separated-values",)),
    Route("POST", ALL_THREE, create_multilingual, THREE, 201, NO_ROOM),
    Route("GET", ALL_THREE, list_all_multilingual, THREE),
    Route("GET", ONE_THREE, show_multilingual, THREE, errors=NO_GLOSSARY),
    Route("PATCH", ONE_THREE, change, THREE, errors=NO_GLOSSARY | NO_ROOM),
    Route("DELETE", ONE_THREE, delete, THREE, 204, NO_GLOSSARY),
    Route("GET", f"{ONE_THREE}/entries", entries_multilingual, THREE, errors=NO_GLOSSARY),
    Route("PUT", f"{ONE_THREE}/dictionaries", put_dictionary, THREE, errors=NO_GLOSSARY | NO_ROOM),
    Route("DELETE", f"{ONE_THREE}/dictionaries", delete_dictionary, THREE, 204, NO_GLOSSARY),
]
