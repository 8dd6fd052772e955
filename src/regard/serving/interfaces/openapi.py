"""What the server takes, as an OpenAPI document and as a page that needs neither scripts nor a network.

The fields of our own paths come from the records of options, so that they cannot differ from what is read.
Source: the OpenAPI specification 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from pydantic import BaseModel

from regard.generation.options import DecodingOptions, TextOptions
from regard.serving.interfaces import deepl
from regard.serving.interfaces.native import NOT_SERVED
from regard.version import __version__

TEXT, TEXTS, TRUTH, NUMBER = (
    {"type": "string"},
    {"type": "array", "items": {"type": "string"}},
    {"type": "boolean"},
    {"type": "integer"},
)
IDS = {"type": "array", "items": NUMBER}
OBJECT = {"type": "object"}
ONE_OR_MORE = {"oneOf": [TEXT, TEXTS]}
PAIR = {"source": TEXT, "target": TEXT}
GIVEN = {"target_text": TEXT, "target_ids": IDS, "prefix": TEXT, "index": NUMBER, "ids": IDS}
"""A translation, or its tokens; or how it is written; of a language model, the tokens of the text."""


@dataclass(frozen=True)
class Described:
    """A path: what it does, and the fields that it reads."""

    summary: str
    fields: Mapping[str, Any] | None = None
    needed: Sequence[str] = ()
    """Fields that must be there."""


def _options(record: type[BaseModel], without: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a record of options."""
    return {name: field for name, field in record.model_json_schema()["properties"].items() if name not in without}


DECODING = _options(DecodingOptions, NOT_SERVED)
FORMAT = {"enum": ["text", "html", "xml"], "default": "text"}
TRANSLATION = (
    PAIR | {"prefix": TEXT, "required": TEXTS, "split": TRUTH | {"default": True}, "format": FORMAT} | DECODING
)
LIBRE = {"q": ONE_OR_MORE, **PAIR, "format": {"enum": ["text", "html"]}, "alternatives": NUMBER, "details": TRUTH}
DRAWN = {
    "max_tokens": NUMBER, "stop": ONE_OR_MORE, "stream": TRUTH, "stream_options": OBJECT, "temperature": {"type": "number"},
    "top_p": {"type": "number"}, "seed": NUMBER,
}  # fmt: skip
PROMPT = {"model": TEXT, "prompt": ONE_OR_MORE, "n": NUMBER, "logprobs": NUMBER, "echo": TRUTH, **DRAWN}
PATHS: dict[str, Described] = {
    "/": Described("The page: translate in the browser, and look inside."),
    "/api/v1/translate": Described("Translate texts.", {"text": TEXT, "texts": TEXTS, "trace": TRUTH} | TRANSLATION),
    "/api/v1/stream": Described(
        "Translate one text; server-sent events meta, token, beams, done, error.",
        {"text": TEXT, "beams": TRUTH} | TRANSLATION,
        ["text"],
    ),
    "/api/v1/tokenize": Described("The sentences of a text, and their tokens.", {"text": TEXT, **PAIR}, ["text"]),
    "/api/v1/score": Described(
        "Score given translations.",
        {
            "text": TEXT,
            "target_text": TEXT,
            "target_ids": IDS,
            "texts": TEXTS,
            "targets": TEXTS,
            "alternatives": NUMBER,
            **PAIR,
        },
    ),
    "/api/v1/align": Described(
        "Align the tokens of a text and its translation.",
        {"text": TEXT, "target_text": TEXT, "target_ids": IDS, **PAIR},
        ["text"],
    ),
    "/api/v1/inspect": Described(
        "What every head looks at; the weights are had by the id.",
        {"text": TEXT, **GIVEN, "model": TEXT, "lens": TRUTH, "snapshot": NUMBER, **PAIR, **DECODING},
        ["text"],
    ),
    "/api/v1/inspect/{id}": Described("An inspection that was made, or that an inspect_id promised."),
    "/api/v1/inspect/{id}/attention/{kind}": Described(
        "The weights of all heads of a kind: bytes, or with ?format= f16; X-Heads names them."
    ),
    "/api/v1/inspect/{id}/attention/{kind}/{layer}/{head}": Described(
        "The weights of one head: bytes, or with ?format= f16 or json."
    ),
    "/api/v1/inspect/{id}/lookup/{head}/{row}/{key}": Described(
        "How a weight of a head was computed: query, key, the terms of their score, the scores of the row, softmax."
    ),
    "/api/v1/inspect/{id}/flow/{method}": Described(
        "What affects what through all layers: rollout, flow, gradient or integrated-gradients."
    ),
    "/api/v1/ablate": Described(
        "What changes without some heads; with sweep, what each is worth.",
        {
            "text": TEXT,
            **GIVEN,
            "heads": TEXTS,
            "together": TRUTH,
            "sweep": TRUTH,
            "model": TEXT,
            "prompt": TEXT,
            "max_tokens": NUMBER,
            **PAIR,
            **DECODING,
        },
        ["text"],
    ),
    "/api/v1/generate": Described(
        "Continue prompts with a language model.",
        {"model": TEXT, "prompt": TEXT, "prompts": TEXTS} | _options(TextOptions),
    ),
    "/api/v1/predict": Described(
        "Label texts with a classifier, tagger or masked language model.", {"model": TEXT, "text": TEXT, "texts": TEXTS}
    ),
    "/api/v1/models": Described("What is served."),
    "/translate": Described(
        "LibreTranslate: translate. nllb-serve: with src_lang and tgt_lang.", LIBRE, ["q", "source", "target"]
    ),
    "/languages": Described("LibreTranslate: what is translated into what."),
    "/detect": Described("LibreTranslate: the language of a text.", {"q": TEXT}, ["q"]),
    "/frontend/settings": Described("LibreTranslate: what its page asks for."),
    "/spec": Described("This document."),
    "/docs": Described("This document, as a page."),
    "/v2/translate": Described(
        "DeepL: translate.",
        {
            "text": TEXTS,
            "source_lang": TEXT,
            "target_lang": TEXT,
            "tag_handling": {"enum": ["xml", "html"]},
            **dict.fromkeys(("ignore_tags", "splitting_tags", "non_splitting_tags"), TEXTS),
            "outline_detection": TRUTH | {"default": True},
            "split_sentences": {"enum": ["0", "1", "nonewlines"]},
            **{name: {"enum": list(values)} for name, values in deepl.CHOICES.items()},
            "glossary_id": TEXT,
        },
        ["text", "target_lang"],
    ),
    "/v2/languages": Described("DeepL: languages.", {"type": {"enum": ["source", "target"]}}),
    "/v2/usage": Described("DeepL: characters so far."),
    "/v1/models": Described("OpenAI: models."),
    "/v1/chat/completions": Described(
        "OpenAI: the last message of the user is translated; the model's name is the direction.",
        {
            "model": TEXT,
            "messages": {"type": "array", "items": {"type": "object"}},
            "max_completion_tokens": NUMBER,
            "logprobs": TRUTH,
            "top_logprobs": NUMBER,
            **DRAWN,
        },
        ["messages"],
    ),
    "/v1/completions": Described("OpenAI: continue prompts with a language model.", PROMPT, ["prompt"]),
    "/imme": Described(
        "Immersive Translate.",
        {"text_list": TEXTS, "source_lang": TEXT, "target_lang": TEXT},
        ["text_list", "target_lang"],
    ),
    "/kiss": Described("kiss-translator.", {"text": TEXT, "texts": TEXTS, "from": TEXT, "to": TEXT}, ["to"]),
    "/deeplx": Described("DeepLX.", {"text": TEXT, "source_lang": TEXT, "target_lang": TEXT}, ["text", "target_lang"]),
    "/v1/models/{id}": Described("OpenAI: one of the models."),
    "/language/translate/v2/languages": Described("Google: languages; with target, their names.", {"target": TEXT}),
    "/language/translate/v2/detect": Described("Google: the language of each text.", {"q": ONE_OR_MORE}, ["q"]),
    "/language/translate/v2": Described(
        "Google: translate.", {"q": ONE_OR_MORE, **PAIR, "format": {"enum": ["html", "text"]}}, ["q", "target"]
    ),
    "/health": Described("Whether the server is alive, and what has failed."),
    "/ready": Described("Whether requests are taken."),
    "/metrics": Described("Counts, as Prometheus reads them."),
}

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def spec(routes: Iterable[tuple[str, Iterable[str]]]) -> dict[str, Any]:
    """The OpenAPI document of some paths with their methods."""
    paths: dict[str, Any] = {}
    for route, methods in routes:
        path = re.sub(r":\w+\}", "}", route)
        described = PATHS.get(path, Described("DeepL: glossaries." if "glossar" in path else path))
        for method in sorted(set(methods) - {"HEAD"}):
            paths.setdefault(path, {})[method.lower()] = _operation(path, method, described)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Regard", "version": __version__, "description": "Translation, language models, and a look inside."},
        "paths": paths,
    }  # fmt: skip


def _operation(path: str, method: str, described: Described) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": described.summary, "responses": {"200": {"description": "OK"}}}
    if named := re.findall(r"\{(\w+)\}", path):
        found["parameters"] = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in named]
    if described.fields is not None and method != "GET":
        schema = {"type": "object", "properties": dict(described.fields), "required": list(described.needed)}
        kinds = ["application/json", *(() if path.startswith("/v1/") else FORMS)]
        found["requestBody"] = {"content": {kind: {"schema": schema} for kind in kinds}}
    return found


STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1rem/1.5 ui-monospace,monospace;margin:2rem 0 0;overflow-wrap:anywhere}
p{margin:.25rem 0}table{border-collapse:collapse;width:100%}
td{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.25rem .5rem .25rem 0;vertical-align:top}
td:first-child{font-family:ui-monospace,monospace;overflow-wrap:anywhere}summary{cursor:pointer}"""


def page(document: Mapping[str, Any]) -> str:
    """The document as a page in HTML."""
    parts = []
    for path, operations in document["paths"].items():
        methods = " ".join(method.upper() for method in operations)
        some = next(iter(operations.values()))
        parts.append(f"<h2>{methods} {escape(path)}</h2>\n<p>{escape(some['summary'])}</p>")
        bodies = [each["requestBody"]["content"] for each in operations.values() if "requestBody" in each]
        if bodies:
            schema = bodies[0]["application/json"]["schema"]
            rows = "\n".join(
                _row(name, field, name in schema["required"]) for name, field in schema["properties"].items()
            )
            parts.append(
                f"<details><summary>{len(schema['properties'])} fields</summary><table>\n{rows}\n</table></details>"
            )
    info = document["info"]
    title = f"{info['title']} {info['version']}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    said = f'{info["description"]} The same as OpenAPI: <a href="spec">spec</a>.'
    body = "\n".join([f"<h1>{title}</h1>\n<p>{said}</p>", *parts])
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>{body}\n</body></html>\n'


def _row(name: str, field: Mapping[str, Any], is_needed: bool) -> str:
    said = [_kind(field), "required" if is_needed else ""]
    if "default" in field and field["default"] not in (None, [], ""):
        said.append(f"default {field['default']}")
    what = field.get("description", "")
    return f"<tr><td>{escape(name)}</td><td>{escape(', '.join(each for each in said if each))}</td><td>{escape(what)}</td></tr>"


def _kind(field: Mapping[str, Any]) -> str:
    """The type of a field, in words."""
    if "enum" in field:
        return " or ".join(map(str, field["enum"]))
    if several := field.get("oneOf", field.get("anyOf")):
        return " or ".join(_kind(each) for each in several)
    kind = str(field.get("type", "string"))
    return f"list of {_kind(field.get('items', {}))}" if kind == "array" else kind
