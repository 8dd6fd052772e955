"""Looking into models: weights of heads, how they are computed, what affects what, and what changes without heads."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NotRequired

import numpy
from pydantic import ConfigDict, Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.analysis.attribution import trace_flow
from regard.analysis.one_token import PositionTerm, head_writes, position_terms, token_stream
from regard.analysis.pruning import example_of
from regard.generation.options import TextOptions
from regard.inspection.ablation import Example, ablated_gates, gated, importance_by_token
from regard.inspection.drawing.heads_page import packed
from regard.inspection.inspection import Ablation, Inspection
from regard.inspection.record import HeadName, Tokens
from regard.models.heads import alignment_head
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.endpoints.context import RequestContext, Result
from regard.serving.endpoints.fields import Choice, Flag, Text, Texts, Whole, record_of, texts_of
from regard.serving.endpoints.replies import rounded
from regard.serving.inspection_cache import GONE, InspectionRequest
from regard.serving.interfaces.native.native_fields import Ids, NativeFields, TargetFields
from regard.serving.interfaces.native.native_translation import SearchFields
from regard.serving.limits import Limits, ServingError
from regard.serving.translation_request import TranslationRequest

MOST_STEPS = 10**10
Step = Annotated[int, Whole(0, MOST_STEPS)]


class LookFields(SearchFields, TargetFields):
    """A text, its given translation or how it is translated, and the model that is looked into."""

    model_config = ConfigDict(extra="allow")

    text: Text
    model: Text = Field("", description="the name of a model that does not translate")
    ids: Ids | None = Field(None, description="of a language model, the tokens of the text")
    prefix: Text = ""
    index: Step = Field(0, description="of the text among those that were translated with it: samples depend on it")

    def search(self, context: RequestContext) -> dict[str, Any]:
        """The arguments of a translation in the same way.

        Raises:
            ServingError: 400, options that do not go together, or are out of bounds.
        """
        options = self.options()
        context.server.translations.check(TranslationRequest([self.text], options=options))
        return {"options": options, "prefix": self.prefix, "index": self.index}


class InspectFields(LookFields):
    """The fields of an inspection."""

    lens: Flag = Field(False, description="also return what each layer would predict")
    snapshot: Step | None = Field(None, description="a step of training after which the model was kept")


class AblateFields(LookFields):
    """The heads to leave out, and what is written without them."""

    heads: Texts | None = None
    together: Flag = Field(False, description="leave out all heads at once, and not each alone")
    sweep: Flag = Field(False, description="return what each head is worth, in nats; by default, each of all")
    prompt: Text = Field("", description="of a language model: what it continues without the heads")
    max_tokens: Annotated[int, Whole(0, Limits.tokens)] = Field(0, description="of what it continues")


class InspectionFields(NativeFields):
    """The name of an inspection."""

    id: Text


class HeadsFields(InspectionFields):
    """All heads of a kind, and the form of their weights."""

    kind: Text
    format: Annotated[str, Choice("u8", "f16", text="u8 or f16")] = "u8"


class HeadFields(InspectionFields):
    """A head, and the form of its weights."""

    kind: Text
    layer: Annotated[int, Whole(0, 10**6)]
    head: Annotated[int, Whole(0, 10**6)]
    format: Annotated[str, Choice("u8", "f16", "json", text="u8, f16 or json")] = "u8"


class RowFields(InspectionFields):
    """A row of the last stack."""

    row: Annotated[int, Whole(0, 10**6)]


class WritesFields(RowFields):
    """A row of a head."""

    head: Text


class LookupFields(WritesFields):
    """A weight of a head."""

    key: Annotated[int, Whole(0, 10**6)]


class FlowFields(InspectionFields):
    """A method of attribution."""

    method: Text = Field(description="rollout, flow, gradient or integrated-gradients")


Sides = TypedDict("Sides", {"rows": Tokens, "keys": Tokens})
PredictedLabel = TypedDict("PredictedLabel", {"label": str, "prob": float})


class HeadReply(TypedDict):
    """The statistics of a head."""

    head: str
    label: str
    entropy: float
    confidence: float
    offset: float | None
    masses: dict[str, float]
    scores: dict[str, float]


class InspectReply(TypedDict):
    """An inspection without the weights of its heads."""

    id: str
    text: str
    target: str | None
    arch: str
    shows: str
    tokens: dict[str, Sides]
    predicted: NotRequired[list[PredictedLabel]]
    token_log_probs: list[float]
    heads: list[HeadReply]
    lens: list[list[tuple[str, float]]]
    alignment: str | None
    head_names: list[str]
    snapshot: NotRequired[int]
    written: NotRequired[str]


class AblateReply(TypedDict):
    """The changes without heads; with `sweep`, what each head is worth for the text, and for each token."""

    target: NotRequired[str | None]
    token_log_probs: NotRequired[list[float]]
    ablations: NotRequired[list[Ablation]]
    predicted: NotRequired[list[PredictedLabel]]
    worth: NotRequired[dict[str, float]]
    by_token: NotRequired[dict[str, list[float]]]


WeightsReply = TypedDict("WeightsReply", {"weights": list[list[float]]})


class LookupReply(TypedDict):
    """The computation of a weight: query, key, the terms of their score, all scores of the row, softmax."""

    query: list[float]
    is_rotated: bool
    key: list[float]
    terms: list[float]
    factor: float
    cap: float | None
    is_additive: bool
    scores: list[float]
    bias: list[float]
    allowed: list[bool]
    weights: list[float]


class WritesReply(TypedDict):
    """The vector that a head adds to the state of a token: `total`, the sum of the values of all keys by their weights, through
    the output projection. `values` are those of the keys in `keys`, the heaviest first; `lengths` are of all keys.
    """

    keys: list[int]
    weights: list[float]
    values: list[list[float]]
    total: list[float]
    lengths: list[float]
    length: float
    residual: float
    likelier: list[tuple[str, float]]
    said: tuple[str, float] | None


class SublayerReply(TypedDict):
    """The length of what a sublayer adds to the state of a token, that of the state with it, and the likeliest token there."""

    name: str
    length: float
    total: float
    parts: dict[str, float]
    says: tuple[str, float] | None


class StreamReply(TypedDict):
    """The residual stream of a token, and what positions change in the self-attention of its stack."""

    sublayers: list[SublayerReply]
    positions: list[PositionTerm]


class FlowReply(TypedDict):
    """The contribution of each input to each output."""

    method: str
    caveat: str
    rows: Tokens
    keys: Tokens
    shares: list[list[float | None]]


async def inspect(context: RequestContext, fields: InspectFields) -> InspectReply:
    """Tokens, and what every head looks at; the weights are had by the id."""
    context.server.translations.check_texts([fields.text])
    text, lens = fields.text, fields.lens
    if (name := fields.model) in context.registry.text_models:
        request = InspectionRequest(context.registry.models_name, name, text, fields.ids, lens=lens)
        found = await _made(context, request)
        return _shown(context.server.inspections.add(request, found), found)
    target, search, direction = fields.given_target, fields.search(context), fields.direction(context)
    if fields.snapshot is not None:
        return await _of_snapshot(context, fields, fields.snapshot, direction)
    found = await context.use_translator(
        direction, lambda translator: translator.inspect(text, target, hidden_states=lens, **search)
    )
    request = InspectionRequest(context.registry.models_name, direction, text, None, lens=lens)
    return _shown(context.server.inspections.add(_with_target(request, found), found), found)


def _with_target(request: InspectionRequest, found: Inspection) -> InspectionRequest:
    """The request that makes an inspection again, with what was written."""
    has_end = len(found.token_log_probs) > len(found.target_ids)
    return replace(request, ids=found.target_ids, has_end=has_end)


async def _of_snapshot(context: RequestContext, fields: InspectFields, step: int, direction: Direction) -> InspectReply:
    """The inspection of a model as it was after a step of training, and what it wrote then."""
    target, search, registry = fields.given_target, fields.search(context), context.registry

    def look(model: Any) -> tuple[Inspection, str]:
        found = model.inspect(fields.text, target, hidden_states=fields.lens, **search)
        free = found if target is None else model.inspect(fields.text, **search)
        return found, free.target or ""

    request = InspectionRequest(registry.models_name, direction, fields.text, None, snapshot=step, lens=fields.lens)
    found, written = await _use(context, request, look)
    shown = _shown(context.server.inspections.add(_with_target(request, found), found), found)
    if (head := alignment_head(registry.translators[direction].pipeline.model)) is not None:
        shown["alignment"] = str(HeadName("cross", *head))  # one head for a model, whenever it is looked into
    return {**shown, "snapshot": step, "written": written}


async def inspected(context: RequestContext, fields: InspectionFields) -> InspectReply:
    """An inspection that was made, or that an inspect_id promised."""
    return _shown(fields.id, await inspection_of(context, fields))


async def inspection_of(context: RequestContext, fields: InspectionFields) -> Inspection:
    """The inspection of an id, made now where this process does not have it.

    Raises:
        ServingError: 410, it is gone.
    """
    request = _request(context, fields)
    found = context.server.inspections.made(fields.id)
    if found is None:
        found = await _made(context, request)
        context.server.inspections.put(fields.id, found)
    return found


async def use_model_of(
    context: RequestContext, fields: InspectionFields, function: Callable[[Any, Inspection], Result]
) -> Result:
    """The result of a function of the model that was inspected, and of the inspection."""
    seen = await inspection_of(context, fields)
    return await _use(context, _request(context, fields), lambda pipeline: function(pipeline, seen))


def _request(context: RequestContext, fields: InspectionFields) -> InspectionRequest:
    """The request of the inspection that has an id.

    Raises:
        ServingError: 410, it is gone.
    """
    request = context.server.inspections.get(fields.id)
    if request.models != context.registry.models_name:
        raise ServingError(410, GONE)
    return request


async def _made(context: RequestContext, request: InspectionRequest) -> Inspection:
    """An inspection of what was written, or of a text."""

    def look(pipeline: Any) -> Inspection:
        if isinstance(pipeline, Translator):
            options = {"has_end": request.has_end, "hidden_states": request.lens}
            return pipeline.inspect_ids(request.text, request.ids or (), **options)
        return _read(pipeline, request.text, request.ids, lens=request.lens and pipeline.model.predicts_each_position)

    return await _use(context, request, look)


async def _use(context: RequestContext, request: InspectionRequest, function: Callable[[Any], Result]) -> Result:
    registry = context.registry
    if request.snapshot is not None:
        step, folder = request.snapshot, registry.folder_of(request.model)
        asked = asyncio.to_thread(lambda: function(registry.snapshots.at(folder, step)))
        return await asyncio.wait_for(asked, context.limits.seconds)
    if isinstance(request.model, Direction):
        return await context.use_translator(request.model, function)
    return await context.use_text_model(Pipeline, request.model, function)  # type: ignore[type-abstract]


async def attention(context: RequestContext, fields: HeadFields) -> WeightsReply | Response:
    """The weights of one head: bytes, or with format=f16 or json. Forbidden cells are 0; u8 is the weight times 255. The header
    X-Shape has the shape, X-Scale the factor.
    """
    found = await inspection_of(context, fields)
    matrix = found.weights(fields.kind, fields.layer, fields.head).filled(0.0)
    if fields.format == "json":
        return {"weights": [[round(value, 6) for value in row] for row in matrix.tolist()]}
    is_byte = fields.format == "u8"
    numbers = (matrix * 255).round().astype("uint8") if is_byte else matrix.astype("<f2")
    return _matrix(context, numbers.tobytes(), matrix.shape, 255 if is_byte else 1)


async def attentions(context: RequestContext, fields: HeadsFields) -> Response:
    """The weights of all heads of a kind: bytes, or with format=f16; the header X-Heads names them. Of u8, 255 stands for a cell
    that a mask forbids, and 254 for a weight of 1; of f16, NaN stands for a forbidden cell.
    """
    found = await inspection_of(context, fields)
    names = [name for name in found.record if name.kind == fields.kind]
    if not names:
        raise ServingError(400, f"kind must be one of {', '.join(found.record.key_tokens)}; got {fields.kind[:40]!r}.")
    weights, is_byte = numpy.ma.stack([found.record[name] for name in names]), fields.format == "u8"
    body = packed(weights, numpy.uint8) if is_byte else weights.filled(numpy.nan).astype("<f2").tobytes()
    response = _matrix(context, body, weights.shape, 254 if is_byte else 1)
    response.headers["X-Heads"] = ",".join(map(str, names))
    return response


async def lookup(context: RequestContext, fields: LookupFields) -> LookupReply:
    """The computation of a weight of a head: query, key, the terms of their score, the scores of the row, softmax."""
    found = await use_model_of(context, fields, lambda pipeline, seen: pipeline.lookup(seen, fields.head, fields.row))
    if fields.key >= len(found.keys):
        raise ServingError(400, f"key must be from 0 to {len(found.keys) - 1}; got {fields.key}.")
    reply: LookupReply = found.as_dict(fields.key)
    return reply


MOST_STRIPS = 8
"""So many values are returned: those of the heaviest keys."""


async def writes(context: RequestContext, fields: WritesFields) -> WritesReply:
    """The vector that a head adds to the state of a token: values, weights, their sum, lengths, the tokens it makes likelier."""
    found = await use_model_of(context, fields, partial(head_writes, head=fields.head, row=fields.row))
    keys = (-found.weights).argsort(kind="stable")[:MOST_STRIPS]
    return rounded({**vars(found), "keys": keys, "values": found.values[keys]}, 5)


async def stream(context: RequestContext, fields: RowFields) -> StreamReply:
    """The residual stream of a token of the last stack: each sublayer with the length of what it adds, and the logit lens."""
    found, positions = await use_model_of(
        context, fields, lambda pipeline, seen: (token_stream(pipeline, seen, fields.row), position_terms(pipeline))
    )
    return rounded({"sublayers": [each._asdict() for each in found], "positions": positions}, 5)


async def flow(context: RequestContext, fields: FlowFields) -> FlowReply:
    """The contribution of each input to each output, through all layers: rollout, flow, gradient or integrated-gradients."""
    found = await use_model_of(context, fields, partial(trace_flow, method=fields.method))
    shares = await asyncio.to_thread(rounded, found.shares(), 5)
    return {"method": found.method, "caveat": found.caveat, "rows": found.rows, "keys": found.keys, "shares": shares}


async def ablate(context: RequestContext, fields: AblateFields) -> AblateReply:
    """The changes without some heads, forced (the same target) and free (a new translation): first without all, then without each
    alone. With sweep, the worth of each.
    """
    heads = texts_of(fields.heads) if fields.heads is not None else None
    if fields.model in context.registry.text_models:
        return await _ablate_text_model(context, fields, heads)
    target, search, direction = fields.given_target, fields.search(context), fields.direction(context)
    if fields.sweep:
        only = None if heads is None else [HeadName.parse(name) for name in heads]
        written, worth = await context.use_translator(
            direction, lambda translator: _worth(translator, fields.text, target, search, only)
        )
        return {"target": written, **_worth_reply(worth)}
    if heads is None:
        raise ServingError(400, "Give heads, such as cross.0.1; or sweep.", param="heads")
    groups: Sequence[str | Sequence[str]] = [heads] if fields.together else heads
    found = await context.use_translator(
        direction, lambda translator: translator.inspect(fields.text, target, ablate=groups, **search)
    )
    return {"target": found.target, "token_log_probs": found.token_log_probs, "ablations": found.ablations}


async def _ablate_text_model(context: RequestContext, fields: AblateFields, heads: list[str] | None) -> AblateReply:
    """The changes without some heads of a text model. Without them, a language model continues `prompt` by `max_tokens`, as
    `temperature` and `seed` say.
    """
    if heads is None:
        raise ServingError(400, "Give heads, such as decoder.0.1.", param="heads")
    given = {name: value for name, value in (fields.model_extra or {}).items() if name in ("temperature", "seed")}
    options = record_of(TextOptions, **{"temperature": 0.0, "max_tokens": max(1, fields.max_tokens)} | given)
    free = (fields.prompt, options) if fields.max_tokens else None
    return await context.use_text_model(
        Pipeline,  # type: ignore[type-abstract]
        fields.model,
        lambda pipeline: (
            _worth_of_text(pipeline, fields.text, fields.ids, heads)
            if fields.sweep
            else _without(pipeline, fields.text, fields.ids, heads, free)
        ),
    )


def _matrix(context: RequestContext, body: bytes, shape: Sequence[int], scale: int) -> Response:
    """Weights as bytes, with their shape, and the number that stands for a weight of 1; an empty answer where the client has them
    already."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"X-Shape": ",".join(map(str, shape)), "X-Scale": str(scale), "ETag": tag}
    if context.request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/octet-stream")


def _shown(name: str, found: Inspection) -> InspectReply:
    """An inspection without the weights of its heads."""
    content = found.summary()
    del content["ablations"]
    if not found.predicted:
        del content["predicted"]
    reply: Any = {"id": name, **content, "head_names": found.head_names}
    return reply


def _read(pipeline: Pipeline, text: str, ids: Sequence[int] | None, *, lens: bool = False) -> Inspection:
    """The inspection of a text by a text model; of a language model, in its tokens where they are given."""
    if ids is None:
        return pipeline.inspect(text, hidden_states=lens)
    if not isinstance(pipeline, LanguageModel):
        raise ServingError(400, "ids are for language models; leave them out.")
    return pipeline.inspect_ids(ids, hidden_states=lens)


def _worth(
    translator: Translator, text: str, target: str | list[int] | None, search: dict[str, Any],
    heads: Collection[HeadName] | None,
) -> tuple[str, dict[HeadName, list[float]]]:  # fmt: skip
    """A target (by default, the translation), and the worth of each of some heads for each of its tokens."""
    free = target is None
    ids = translator.inspect(text, **search).target_ids if free else translator.written_ids(text, target)
    example = example_of(translator, text, ids)
    return translator.tokenizer.decode(ids), importance_by_token(translator.model, example, heads=heads)


def _worth_reply(worth: dict[HeadName, list[float]]) -> AblateReply:
    by_token = {str(name): values for name, values in worth.items()}
    return {"worth": {name: math.fsum(values) / len(values) for name, values in by_token.items()}, "by_token": by_token}


def _without(
    pipeline: Pipeline, text: str, ids: list[int] | None, heads: list[str], free: tuple[str, TextOptions] | None
) -> AblateReply:
    """The changes without some heads: of each token after the first, of the text of a language model, of predictions.

    Args:
        free: the prompt that a language model continues, and its options; None: it writes nothing.
    """
    whole, written = _read(pipeline, text, ids), ""
    with gated(pipeline.model, ablated_gates(pipeline.model, [HeadName.parse(name) for name in heads])):
        weaker = _read(pipeline, text, ids)
        if isinstance(pipeline, LanguageModel) and free is not None:
            prompt, options = free
            written = prompt + pipeline.continuations([prompt], options)[0].text
    pairs = zip(weaker.token_log_probs, whole.token_log_probs, strict=True)
    changes = [after - before for after, before in pairs]
    change = Ablation(heads, math.fsum(changes) / max(len(changes), 1), changes, written)
    return {"target": None, "ablations": [change], "predicted": weaker.summary()["predicted"]}


def _worth_of_text(pipeline: Pipeline, text: str, ids: list[int] | None, heads: list[str]) -> AblateReply:
    """The worth of each of some heads of a language model for each token of a text after the first."""
    if not isinstance(pipeline, LanguageModel):
        raise ServingError(400, "sweep is for models that write: they translate or continue a text.")
    read = pipeline.ids_of(text) if ids is None else pipeline.inspect_ids(ids).read_ids[0]
    found = importance_by_token(
        pipeline.model, Example(None, read[:-1], read[1:]), heads=[HeadName.parse(name) for name in heads]
    )
    return _worth_reply(found)
