"""DeepL's glossaries: of one direction (version 2) and of several (version 3), and their use in a translation.

Source: DeepL's documentation of its API, and what the official Python client sends and reads.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from regard.serving.answers import Asked
from regard.serving.directions import ANY, Direction, code_of
from regard.serving.http.transport import Call, Read
from regard.serving.interfaces.encoding import Answer, text_of, texts_of
from regard.serving.limits import ServingError
from regard.serving.service import Service
from regard.serving.texts.glossaries import Glossaries, Glossary
from regard.serving.texts.terms import Terms, read_entries

MOST_AT_ONCE = 5
"""Glossaries for one translation, as DeepL has it."""


class DeeplGlossaries:
    """What is done at each path."""

    def __init__(self, service: Service) -> None:
        self.service, self.kept = service, Glossaries(service.limits)

    def table(self) -> list[tuple[str, str, Read]]:
        """Paths, methods and what answers them."""
        return [
            ("/v2/glossary-language-pairs", "GET", self.pairs),
            ("/v2/glossaries", "POST", self.create),
            ("/v2/glossaries", "GET", self.all),
            ("/v2/glossaries/{id}", "GET", self.one),
            ("/v2/glossaries/{id}", "DELETE", self.delete),
            ("/v2/glossaries/{id}/entries", "GET", self.entries),
            ("/v3/glossaries", "POST", self.create_multilingual),
            ("/v3/glossaries", "GET", self.all_multilingual),
            ("/v3/glossaries/{id}", "GET", self.one_multilingual),
            ("/v3/glossaries/{id}", "PATCH", self.update),
            ("/v3/glossaries/{id}", "DELETE", self.delete),
            ("/v3/glossaries/{id}/entries", "GET", self.entries_multilingual),
            ("/v3/glossaries/{id}/dictionaries", "PUT", self.put_dictionary),
            ("/v3/glossaries/{id}/dictionaries", "DELETE", self.delete_dictionary),
        ]

    def used(self, call: Call, asked: Asked) -> Asked:
        """A request to translate, with the glossaries that it names.

        Raises:
            ServingError: 404, no such glossary; 400, it is for other languages, or the source language is not named.
        """
        one, several = text_of(call.fields, "glossary_id"), call.fields.get("glossary_ids") or []
        ids = several.split(",") if isinstance(several, str) else texts_of(several, "glossary_ids")[0]
        if one is not None and ids:
            raise ServingError(400, "Give one of glossary_id and glossary_ids.")
        ids = ids if one is None else [one]
        if not ids:
            return asked
        if len(ids) > MOST_AT_ONCE:
            raise ServingError(400, f"glossary_ids must be at most {MOST_AT_ONCE}; got {len(ids):,}.")
        source, target = code_of(asked.source), code_of(asked.target)
        if source is None or target is None:
            raise ServingError(400, "Parameter 'source_lang' not specified. A glossary needs it.")
        found = [self.kept.get(call.owner, id.strip()) for id in ids]
        try:
            return replace(asked, glossaries=[glossary.terms(Direction(source, target)) for glossary in found])
        except ServingError as error:  # the glossary is there: what is wrong are the languages
            raise ServingError(400, str(error)) from error

    async def pairs(self, call: Call) -> Answer:
        """`/v2/glossary-language-pairs`; of a server that does not know its languages, none."""
        found = [
            {"source_lang": source, "target_lang": target}
            for source, targets in self.service.languages().items()
            for target in targets
            if source != ANY
        ]
        return Answer({"supported_languages": found})

    async def create(self, call: Call) -> Answer:
        """POST `/v2/glossaries`."""
        name = _text(call.fields, "name")
        direction, terms = await asyncio.to_thread(self._dictionary, call.fields)
        return Answer(_mono(self.kept.add(call.owner, name, {direction: terms})), 201)

    async def all(self, call: Call) -> Answer:
        """GET `/v2/glossaries`: those of one direction."""
        found = [glossary for glossary in self.kept.all(call.owner) if len(glossary.dictionaries) == 1]
        return Answer({"glossaries": [_mono(glossary) for glossary in found]})

    async def one(self, call: Call) -> Answer:
        """GET `/v2/glossaries/{id}`."""
        return Answer(_mono(self._get(call)))

    async def entries(self, call: Call) -> Response:
        """GET `/v2/glossaries/{id}/entries`, as lines with tabs."""
        glossary = self._get(call)
        _mono(glossary)
        (terms,) = glossary.dictionaries.values()
        return Response(_lines(terms), media_type="text/tab-separated-values")

    async def delete(self, call: Call) -> Response:
        """DELETE of a glossary, in both versions."""
        self.kept.remove(call.owner, call.request.path_params["id"])
        return Response(status_code=204)

    async def create_multilingual(self, call: Call) -> Answer:
        """POST `/v3/glossaries`."""
        name = _text(call.fields, "name")
        dictionaries = await asyncio.to_thread(self._dictionaries, call.fields)
        return Answer(_multilingual(self.kept.add(call.owner, name, dictionaries)), 201)

    async def all_multilingual(self, call: Call) -> Answer:
        """GET `/v3/glossaries`: those of one direction, too."""
        return Answer({"glossaries": [_multilingual(glossary) for glossary in self.kept.all(call.owner)]})

    async def one_multilingual(self, call: Call) -> Answer:
        """GET `/v3/glossaries/{id}`."""
        return Answer(_multilingual(self._get(call)))

    async def update(self, call: Call) -> Answer:
        """PATCH `/v3/glossaries/{id}`: another name, and dictionaries whose entries are added to those there are."""
        name = _text(call.fields, "name") if "name" in call.fields else None
        newer = await asyncio.to_thread(self._dictionaries, call.fields) if "dictionaries" in call.fields else {}

        def changed(glossary: Glossary) -> Glossary:
            merged = dict(glossary.dictionaries)
            for direction, terms in newer.items():
                older = merged[direction].entries if direction in merged else {}
                merged[direction] = Terms(older | terms.entries)
            return replace(glossary, name=name or glossary.name, dictionaries=merged)

        return Answer(_multilingual(await self._change(call, changed)))

    async def entries_multilingual(self, call: Call) -> Answer:
        """GET `/v3/glossaries/{id}/entries`: of one direction, as lines with tabs."""
        direction = _direction(call.fields)
        terms = self._get(call).terms(direction)
        found = {**_languages(direction), "entries": _lines(terms), "entries_format": "tsv"}
        return Answer({"dictionaries": [found]})

    async def put_dictionary(self, call: Call) -> Answer:
        """PUT `/v3/glossaries/{id}/dictionaries`: a dictionary in the place of the one for its direction, if there is one."""
        direction, terms = await asyncio.to_thread(self._dictionary, call.fields)
        await self._change(
            call, lambda glossary: replace(glossary, dictionaries={**glossary.dictionaries, direction: terms})
        )
        return Answer({**_languages(direction), "entry_count": len(terms.entries)})

    async def delete_dictionary(self, call: Call) -> Response:
        """DELETE `/v3/glossaries/{id}/dictionaries`: that of one direction."""
        direction = _direction(call.fields)

        def changed(glossary: Glossary) -> Glossary:
            glossary.terms(direction)
            left = {each: terms for each, terms in glossary.dictionaries.items() if each != direction}
            return replace(glossary, dictionaries=left)

        await self._change(call, changed)
        return Response(status_code=204)

    def _get(self, call: Call) -> Glossary:
        return self.kept.get(call.owner, call.request.path_params["id"])

    async def _change(self, call: Call, changed: Callable[[Glossary], Glossary]) -> Glossary:
        return await asyncio.to_thread(self.kept.change, call.owner, call.request.path_params["id"], changed)

    def _dictionaries(self, fields: Mapping[str, Any]) -> dict[Direction, Terms]:
        """The dictionaries of a request.

        Raises:
            ServingError: 400, they are no such; 413, too many entries.
        """
        given = fields.get("dictionaries")
        if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
            raise ServingError(400, "dictionaries must be a list of at least one object.")
        pairs = [self._dictionary(each) for each in given]
        if len(found := dict(pairs)) < len(pairs):
            raise ServingError(400, "dictionaries must have a direction of its own each; got one twice.")
        return found

    def _dictionary(self, fields: Mapping[str, Any]) -> tuple[Direction, Terms]:
        """The direction and the terms of a request.

        Raises:
            ServingError: 400, they are no such, or the direction is not served; 413, too many entries; 503, the server ends.
        """
        self.service.check(Asked([]))
        direction = _direction(fields)
        self.service.engine_for(direction.source, direction.target)
        text, form = _text(fields, "entries"), _text(fields, "entries_format")
        entries = read_entries(text, form.lower(), direction.source, direction.target, self.service.limits)
        return direction, Terms(entries)


def _text(fields: Mapping[str, Any], name: str) -> str:
    """A field that must be there.

    Raises:
        ServingError: 400, it is not, or it is no text.
    """
    value = text_of(fields, name)
    if value is None:
        raise ServingError(400, f"Parameter '{name}' not specified.")
    return texts_of(value, name)[0][0]


def _direction(fields: Mapping[str, Any]) -> Direction:
    """The languages of a dictionary.

    Raises:
        ServingError: 400, they are missing, or no codes of languages.
    """
    codes = []
    for name in ("source_lang", "target_lang"):
        given = _text(fields, name)
        code = code_of(given)
        if code is None or not re.fullmatch("[a-z]{2,3}", code):
            raise ServingError(400, f"{name} must be the code of a language; got {given[:40]!r}.")
        codes.append(code)
    return Direction(*codes)


def _mono(glossary: Glossary) -> dict[str, Any]:
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


def _multilingual(glossary: Glossary) -> dict[str, Any]:
    """A glossary without its entries."""
    found = [
        {**_languages(direction), "entry_count": len(terms.entries)}
        for direction, terms in glossary.dictionaries.items()
    ]
    return {**_head(glossary), "dictionaries": found}


def _head(glossary: Glossary) -> dict[str, str]:
    time = glossary.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"glossary_id": glossary.id, "name": glossary.name, "creation_time": time}


def _languages(direction: Direction) -> dict[str, str]:
    return {"source_lang": direction.source, "target_lang": direction.target}


def _lines(terms: Terms) -> str:
    return "\n".join(f"{source}\t{target}" for source, target in terms.entries.items())
