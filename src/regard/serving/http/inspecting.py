"""The paths that look inside a model: weights, how they are computed, what affects what, and what changes without heads."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy
from starlette.responses import Response

from regard.analysis.attribution import Flow, trace_flow
from regard.analysis.pruning import example_of
from regard.errors import SettingsError
from regard.generation.options import DecodingOptions, TextOptions
from regard.inspection.ablation import Example, ablated_gates, gated, importance_by_token
from regard.inspection.drawing.heads_page import packed
from regard.inspection.inspection import Ablation, Inspection
from regard.inspection.record import HeadName
from regard.models.heads import alignment_head
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.http.kept import Inspections
from regard.serving.http.transport import Call, Read, Result
from regard.serving.interfaces import native
from regard.serving.interfaces.encoding import Answer, needed_text, number_of, text_of, texts_of, truth_of
from regard.serving.limits import ServingError
from regard.serving.service import Service

NOT_OPTIONS = (
    "text",
    "target_text",
    "target_ids",
    "ids",
    "prefix",
    "index",
    "source",
    "target",
    "model",
    "heads",
    "together",
    "sweep",
    "lens",
    "snapshot",
    "api_key",
)
MOST_STEPS = 10**10


class Inspecting:
    """What is done at each path; inspections are kept for a while."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.inspections = Inspections()

    def table(self) -> list[tuple[str, str, Read]]:
        """Paths, methods and what answers them."""
        return [
            ("inspect", "POST", self.inspect),
            ("inspect/{id}", "GET", self.inspected),
            ("inspect/{id}/attention/{kind}", "GET", self.attentions),
            ("inspect/{id}/attention/{kind}/{layer:int}/{head:int}", "GET", self.attention),
            ("inspect/{id}/lookup/{head}/{row:int}/{key:int}", "GET", self.lookup),
            ("inspect/{id}/flow/{method}", "GET", self.flow),
            ("ablate", "POST", self.ablate),
        ]

    async def inspect(self, call: Call) -> Answer:
        """`/api/v1/inspect`: tokens, and what each head looks at; the weights are had by the `id`.

        With `lens`, also what each layer would predict. With `model`, the name of a model that does not translate. With
        `snapshot`, a step of training, after which the model was kept. The target is a text or its tokens, `target_ids`; of a
        language model, `ids` are the tokens of the text.
        """
        text, lens = needed_text(call.fields), truth_of(call.fields, "lens")
        self.service.check_texts([text])
        name = text_of(call.fields, "model")
        if name in self.service.others:
            ids = native.ids_of(call.fields, "ids")
            seen = await call.use(
                lambda: self.service.other(Pipeline, name)[1],  # type: ignore[type-abstract]
                lambda pipeline: _read(pipeline, text, ids, lens=lens and pipeline.model.predicts_each_position),
            )
            return _shown(self.inspections.add(str(name), seen.text, (), seen), seen)
        how, direction = self._how(call), call.direction
        if call.fields.get("snapshot") is not None:
            return await self._of_snapshot(call, direction, text, how)

        seen = await call.ask(
            lambda translator: translator.inspect(text, how.target, hidden_states=lens, **how.free), direction
        )
        return _shown(self.inspections.add(direction, text, (), seen), seen)

    async def _of_snapshot(self, call: Call, direction: Direction, text: str, how: _How) -> Answer:
        """What a model looked at after a step of training, and what it wrote then."""
        step = number_of(call.fields, "snapshot", 0, MOST_STEPS)

        def inspect() -> tuple[Inspection, str]:
            model = self.service.snapshots.at(self.service.folder_of(direction), step)
            assert isinstance(model, Translator)
            lens = truth_of(call.fields, "lens")
            seen = model.inspect(text, how.target, hidden_states=lens, **how.free)
            free = seen if how.target is None else model.inspect(text, **how.free)
            return seen, free.target or ""

        seen, written = await asyncio.wait_for(asyncio.to_thread(inspect), self.service.limits.seconds)
        shown = _shown(self.inspections.add(direction, text, (), seen, step), seen).content
        if (head := alignment_head(self.service.engines[direction].pipeline.model)) is not None:
            shown["alignment"] = str(HeadName("cross", *head))  # one head for a model, whenever it is looked into
        return Answer(shown | {"snapshot": step, "written": written})

    async def inspected(self, call: Call) -> Answer:
        """`/api/v1/inspect/{id}`: an inspection that was made, or that `inspect_id` of a translation promised."""
        name = call.request.path_params["id"]
        return _shown(name, await self._seen(call, name))

    async def _seen(self, call: Call, name: str) -> Inspection:
        """The inspection of this name, made now where it was only promised.

        Raises:
            ServingError: 410, it is gone.
        """
        kept = self.inspections.get(name)
        if kept.seen is None and isinstance(kept.model, Direction):
            seen = await call.ask(lambda translator: translator.inspect_ids(kept.text, kept.target_ids), kept.model)
            self.inspections.put(kept, seen)
            return seen
        assert kept.seen is not None  # of other models nothing is promised
        return kept.seen

    async def _use(self, call: Call, function: Callable[[Any], Result]) -> Result:
        """What a function makes of the model of an inspection."""
        kept = self.inspections.get(call.request.path_params["id"])
        if kept.snapshot is not None:
            step, folder = kept.snapshot, self.service.folder_of(kept.model)
            asked = asyncio.to_thread(lambda: function(self.service.snapshots.at(folder, step)))
            return await asyncio.wait_for(asked, self.service.limits.seconds)
        if isinstance(kept.model, Direction):
            return await call.ask(function, kept.model)
        name = kept.model
        return await call.use(lambda: self.service.other(Pipeline, name)[1], function)  # type: ignore[type-abstract]

    async def attention(self, call: Call) -> Answer | Response:
        """The weights of one head of an inspection: `format` u8 (the default), f16 or json; forbidden cells are 0.

        u8 is the weight times 255. The shape is in the header `X-Shape`, the factor in `X-Scale`.
        """
        parts = call.request.path_params
        seen = await self._seen(call, parts["id"])
        matrix = seen.weights(parts["kind"], parts["layer"], parts["head"]).filled(0.0)
        form = text_of(call.fields, "format", "u8")
        if form == "json":
            return Answer({"weights": [[round(value, 6) for value in row] for row in matrix.tolist()]})
        if form not in ("u8", "f16"):
            raise ServingError(400, f"format must be u8, f16 or json; got {form}.")
        numbers = (matrix * 255).round().astype("uint8") if form == "u8" else matrix.astype("<f2")
        return _matrix(call, numbers.tobytes(), matrix.shape, 255 if form == "u8" else 1)

    async def attentions(self, call: Call) -> Response:
        """The weights of all heads of one kind, as the header `X-Heads` names them, one after the other: u8 or f16.

        Of u8, 255 stands for a cell that a mask forbids, and 254 for a weight of 1; of f16, NaN stands for a forbidden cell.
        """
        seen, kind = await self._seen(call, call.request.path_params["id"]), call.request.path_params["kind"]
        names = [name for name in seen.record if name.kind == kind]
        form = text_of(call.fields, "format", "u8")
        if not names or form not in ("u8", "f16"):
            raise ServingError(400, f"kind must be one of {', '.join(seen.record.key_tokens)}, and format u8 or f16.")
        weights = numpy.ma.stack([seen.record[name] for name in names])
        body = packed(weights, numpy.uint8) if form == "u8" else weights.filled(numpy.nan).astype("<f2").tobytes()
        response = _matrix(call, body, weights.shape, 254 if form == "u8" else 1)
        response.headers["X-Heads"] = ",".join(map(str, names))
        return response

    async def lookup(self, call: Call) -> Answer:
        """How a row of a head's weights was computed: query and key, the terms of their score, all scores, softmax."""
        parts = call.request.path_params
        seen = await self._seen(call, parts["id"])
        found = await self._use(call, lambda pipeline: pipeline.lookup(seen, parts["head"], parts["row"]))
        if parts["key"] >= len(found.keys):
            raise ServingError(400, f"key must be from 0 to {len(found.keys) - 1}; got {parts['key']}.")
        return Answer(found.as_dict(parts["key"]))

    async def flow(self, call: Call) -> Answer:
        """How much each input contributes to each output: rollout or flow of attention, gradient, or integrated-gradients."""
        parts = call.request.path_params
        seen = await self._seen(call, parts["id"])
        found = await self._use(call, partial(_flow, seen=seen, method=parts["method"]))
        return Answer(
            {
                "method": found.method,
                "caveat": found.caveat,
                "rows": vars(found.rows),
                "keys": vars(found.keys),
                "shares": [
                    [None if each is None else round(each, 5) for each in row] for row in found.shares().tolist()
                ],
            }
        )

    async def ablate(self, call: Call) -> Answer:
        """`/api/v1/ablate`: what changes without some heads, forced (the same target) and free (a new translation).

        The first change is without all of the heads, then without each alone; with `together`, only the first. With `sweep`, what
        each of the heads is worth for this text, and for each token: nats that are lost without it; by default, each of all.
        """
        text, names = needed_text(call.fields), call.fields.get("heads")
        if (name := text_of(call.fields, "model")) in self.service.others:
            return await self._ablate_other(call, str(name), text)
        how = self._how(call)
        if truth_of(call.fields, "sweep"):
            only = None if names is None else [HeadName.parse(name) for name in texts_of(names, "heads")[0]]
            written, found = await call.ask(lambda translator: _worth(translator, text, how, only))
            by_token = {str(name): values for name, values in found.items()}
            worth = {name: math.fsum(values) / len(values) for name, values in by_token.items()}
            return Answer({"target": written, "worth": worth, "by_token": by_token})
        heads, _ = texts_of(names, "heads")
        groups = [heads] if truth_of(call.fields, "together") else heads
        seen = await call.ask(lambda translator: translator.inspect(text, how.target, ablate=groups, **how.free))
        return Answer(
            {
                "target": seen.target,
                "token_log_probs": seen.token_log_probs,
                "ablations": [vars(one) for one in seen.ablations],
            }
        )

    async def _ablate_other(self, call: Call, name: str, text: str) -> Answer:
        """The same of a model that does not translate. Without the heads, a language model continues `prompt` by `max_tokens`, as
        `temperature` and `seed` say.
        """
        heads, _ = texts_of(call.fields.get("heads"), "heads")
        prompt, sweeps = text_of(call.fields, "prompt", ""), truth_of(call.fields, "sweep")
        length, ids = (
            number_of(call.fields, "max_tokens", 0, self.service.limits.tokens),
            native.ids_of(call.fields, "ids"),
        )
        drawn = {name: call.fields[name] for name in ("temperature", "seed") if call.fields.get(name) is not None}
        try:
            options = TextOptions(**{"temperature": 0.0, "max_tokens": max(1, length)} | drawn)
        except SettingsError as error:
            raise ServingError(400, str(error)) from error
        free = (prompt, options) if length and prompt is not None else None
        return Answer(
            await call.use(
                lambda: self.service.other(Pipeline, name)[1],  # type: ignore[type-abstract]
                lambda pipeline: (
                    _worth_of_text(pipeline, text, ids, heads) if sweeps else _without(pipeline, text, ids, heads, free)
                ),
            )
        )

    def _how(self, call: Call) -> _How:
        """What was written, and how."""
        given = {key: value for key, value in call.fields.items() if key not in NOT_OPTIONS}
        asked, _ = native.parse({"text": "", **given})
        self.service.check(asked)
        index = number_of(call.fields, "index", 0, MOST_STEPS)
        return _How(native.target_of(call.fields), asked.options, text_of(call.fields, "prefix") or "", index)


@dataclass(frozen=True)
class _How:
    """What was written, and how: what is written anew is asked for in the same way."""

    target: str | list[int] | None
    """A text, or the ids of its tokens; None: the translation."""
    options: DecodingOptions
    prefix: str
    index: int
    """Of the sentence among those that were translated with it."""

    @property
    def free(self) -> dict[str, Any]:
        """How translations are written."""
        return {"options": self.options, "prefix": self.prefix, "index": self.index}


def _matrix(call: Call, body: bytes, shape: Sequence[int], scale: int) -> Response:
    """Weights as bytes, with their shape, and the number that stands for a weight of 1; an empty answer where the client has them
    already."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"X-Shape": ",".join(map(str, shape)), "X-Scale": str(scale), "ETag": tag}
    if call.received.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/octet-stream")


def _shown(name: str, seen: Inspection) -> Answer:
    """An inspection without the weights of its heads."""
    content = seen.summary()
    del content["ablations"]
    if not seen.predicted:
        del content["predicted"]
    return Answer({"id": name, **content, "head_names": seen.head_names})


def _read(pipeline: Pipeline, text: str, ids: list[int] | None, *, lens: bool = False) -> Inspection:
    """What a model that does not translate looks at in a text; of a language model, in its tokens where they are given."""
    if ids is None:
        return pipeline.inspect(text, hidden_states=lens)
    if not isinstance(pipeline, LanguageModel):
        raise ServingError(400, "ids are for language models; leave them out.")
    return pipeline.inspect_ids(ids, hidden_states=lens)


def _flow(pipeline: Pipeline, seen: Inspection, method: str) -> Flow:
    """What affects what in the tokens that were inspected."""
    ids = None
    if seen.target is not None:
        ids = seen.target_ids
    elif isinstance(pipeline, LanguageModel):
        ids = seen.read_ids[0]
    return trace_flow(pipeline, seen.text, method=method, ids=ids)


def _worth(
    translator: Translator, text: str, how: _How, heads: Collection[HeadName] | None
) -> tuple[str, dict[HeadName, list[float]]]:
    """A target (by default, the translation), and what each of some heads is worth for each of its tokens."""
    ids = (
        translator.inspect(text, **how.free).target_ids
        if how.target is None
        else translator.written_ids(text, how.target)
    )
    example = example_of(translator, text, ids)
    return translator.tokenizer.decode(ids), importance_by_token(translator.model, example, heads=heads)


def _without(
    pipeline: Pipeline, text: str, ids: list[int] | None, heads: list[str], free: tuple[str, TextOptions] | None
) -> dict[str, Any]:
    """What changes without some heads: of each token after the first, of what a language model writes, of what others predict.

    Args:
        free: what a language model continues, and how; None: nothing.
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
    return {"target": None, "ablations": [vars(change)], "predicted": weaker.summary()["predicted"]}


def _worth_of_text(pipeline: Pipeline, text: str, ids: list[int] | None, heads: list[str]) -> dict[str, Any]:
    """What each of some heads of a language model is worth for each token of a text after the first."""
    if not isinstance(pipeline, LanguageModel):
        raise ServingError(400, "sweep is for models that write: they translate or continue a text.")
    read = pipeline.ids_of(text) if ids is None else pipeline.inspect_ids(ids).read_ids[0]
    found = importance_by_token(
        pipeline.model, Example(None, read[:-1], read[1:]), heads=[HeadName.parse(name) for name in heads]
    )
    by_token = {str(name): values for name, values in found.items()}
    return {"worth": {name: math.fsum(values) / len(values) for name, values in by_token.items()}, "by_token": by_token}
