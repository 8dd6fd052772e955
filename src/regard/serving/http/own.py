"""The paths of our own interface, `/api/v1`: translations and streams, scores, alignments, and looking inside."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Sequence

import numpy
from starlette.responses import Response

from regard.generation.options import DecodingOptions
from regard.inspection.drawing.page import packed
from regard.inspection.result import Inspection
from regard.serving.http import named
from regard.serving.http.kept import Inspections
from regard.serving.http.transport import Call, Read, Stream, event
from regard.serving.interfaces import libretranslate, native
from regard.serving.interfaces.encoding import Answer, text_of, texts_of, truth_of
from regard.serving.limits import ServingError
from regard.serving.service import Service
from regard.serving.texts.sentences import split
from regard.workflow.inspection.pruning import Ranking, examples_of, rank_heads
from regard.workflow.translation.running import Seen
from regard.workflow.translation.translator import Translator

SCORED_TEXTS = 200
"""Pairs that may be scored in one request."""


class Own:
    """What is done at each path."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.inspections = Inspections()

    def table(self) -> list[tuple[str, str, Read]]:
        """Paths, methods and what answers them."""
        return [
            ("translate", "POST", self.translate),
            ("stream", "POST", self.stream),
            ("tokenize", "POST", self.tokenize),
            ("score", "POST", self.score),
            ("align", "POST", self.align),
            ("inspect", "POST", self.inspect),
            ("inspect/{id}", "GET", self.inspected),
            ("inspect/{id}/attention/{kind}", "GET", self.attentions),
            ("inspect/{id}/attention/{kind}/{layer:int}/{head:int}", "GET", self.attention),
            ("ablate", "POST", self.ablate),
            ("generate", "POST", named.generate),
            ("predict", "POST", named.predict),
            ("models", "GET", self.models),
        ]

    async def translate(self, call: Call) -> Answer:
        """`/api/v1/translate`."""
        if truth_of(call.fields, "trace"):
            return await self._traced(call)
        asked, is_list = native.parse(call.fields)
        found, pending = await call.each(asked)
        return native.answer(found, str(pending.direction), is_list=is_list)

    async def _traced(self, call: Call) -> Answer:
        """The translation of one text that is not split, with every candidate of the search."""
        asked, is_list = native.parse({name: value for name, value in call.fields.items() if name != "trace"})
        if is_list or asked.format != "text":
            raise ServingError(400, "`trace` is of one text without markup; give `text`.")
        self.service.check(asked)
        options, direction = asked.options.changed(trace=True), call.direction
        prefixes, required = asked.prefixes, asked.required

        def traced(translator: Translator) -> Answer:
            (found,) = translator.translate(asked.texts, options, prefixes=prefixes, required=required)
            return native.traced(found, str(direction), translator.tokenizer.tokens)

        return await call.ask(traced, direction)

    async def stream(self, call: Call) -> Response:
        """`/api/v1/stream`: server-sent events `meta`, `token`, `beams`, `done`, `error`; of one text.

        With `alternatives`, tokens come with the likeliest others; with `beams`, there are events of all hypotheses.
        """
        shows_beams = truth_of(call.fields, "beams")
        asked, is_list = native.parse({name: value for name, value in call.fields.items() if name != "beams"})
        if is_list:
            raise ServingError(400, "A stream is of one text; give `text`.")
        of_end = {"alternatives": 0, "alignment": False, "n_best": 1}  # the last event has them
        asked.options.changed(**of_end).check_stream()

        progress = await call.begin(asked, watches=shows_beams or asked.options.alternatives > 0)
        direction = str(progress.pending.direction)

        async def events() -> AsyncGenerator[bytes]:
            yield event("meta", {"direction": direction, "sentences": len(progress.pending.job.sentences)})
            told: dict[int, int] = {}
            async for found in progress.pieces():
                if isinstance(found, tuple):
                    index, seen = found
                    if (row := native.token(index, seen, told)) is not None:
                        yield event("token", row)
                    if shows_beams and isinstance(seen, Seen):
                        beams = [{"text": text, "log_prob": value} for text, value in seen.beams]
                        yield event("beams", {"sentence": index, "beams": beams})
                elif isinstance(failed := found[0], Exception):
                    yield event("error", {"status": native.status_of(failed), "message": str(failed)})
                else:
                    yield event("done", native.answer(found, direction, is_list=False).content)

        return Stream(events(), self.service.limits.body_seconds, progress.pending.cancel)

    async def tokenize(self, call: Call) -> Answer:
        """`/api/v1/tokenize`: the sentences of a text, their tokens, and how many a sentence may have."""
        text, direction = text_of(call.fields, "text"), call.direction
        if text is None:
            raise ServingError(400, "Give a text.")
        self.service.check_texts([text])

        def tokenize(translator: Translator) -> Answer:
            tokenizer = translator.source_tokenizer
            room = translator.max_positions - len(tokenizer.frame_source([]))
            found = split(text, direction.source, lambda part: len(tokenizer.encode(part)) <= room)
            rows = [
                {"text": sentence, "tokens": tokenizer.tokens(tokenizer.encode(sentence))}
                for sentence in found.sentences
            ]
            return Answer({"sentences": rows, "num_cut": found.num_cut, "max_tokens": room})

        return await call.ask(tokenize, direction)

    async def score(self, call: Call) -> Answer:
        """`/api/v1/score`: how likely the model finds given translations."""
        sources, is_list = texts_of(call.fields.get("texts", call.fields.get("text")), "texts")
        targets, _ = texts_of(call.fields.get("targets", call.fields.get("target_text")), "targets")
        if len(sources) != len(targets) or not 0 < len(sources) <= SCORED_TEXTS:
            raise ServingError(400, f"texts and targets must be as many, from 1 to {SCORED_TEXTS}.")
        scored = await call.ask(lambda translator: translator.score(sources, targets))
        rows = [
            {"log_prob": each.log_prob, "tokens": each.tokens, "token_log_probs": each.token_log_probs}
            for each in scored
        ]
        return Answer({"scores": rows} if is_list else rows[0])

    async def align(self, call: Call) -> Answer:
        """`/api/v1/align`: which source tokens each token of a translation was written from."""
        text, target = text_of(call.fields, "text"), text_of(call.fields, "target_text")
        if text is None:
            raise ServingError(400, "Give a text.")
        found = await call.ask(lambda translator: translator.align(text, target))
        return Answer(
            {"source_tokens": found.source_tokens, "target_tokens": found.target_tokens, "weights": found.weights,
             "links": libretranslate.links(found), "source_offsets": found.source_offsets, "layer": found.layer}
        )  # fmt: skip

    async def inspect(self, call: Call) -> Answer:
        """`/api/v1/inspect`: tokens, and what each head looks at; the weights are had head by head, by the `id`.

        With `lens`, also what each layer would predict.
        """
        text, target = text_of(call.fields, "text"), text_of(call.fields, "target_text")
        if text is None:
            raise ServingError(400, "Give a text.")
        options, direction, lens = self._options(call), call.direction, truth_of(call.fields, "lens")
        seen = await call.ask(
            lambda translator: translator.inspect(text, target, hidden_states=lens, options=options), direction
        )
        return _shown(self.inspections.add(direction, text, (), seen), seen)

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
        if kept.seen is None:
            seen = await call.ask(lambda translator: translator.inspect_ids(kept.text, kept.target_ids), kept.direction)
            self.inspections.put(kept, seen)
            return seen
        return kept.seen

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

    async def ablate(self, call: Call) -> Answer:
        """`/api/v1/ablate`: what changes without some heads, forced (the same target) and free (a new translation).

        With `sweep`, what each head of the model is worth for this text: nats per token that are lost without it.
        """
        text, target = text_of(call.fields, "text"), text_of(call.fields, "target_text")
        if text is None:
            raise ServingError(400, "Give a text.")
        options = self._options(call)
        if truth_of(call.fields, "sweep"):
            written, ranking = await call.ask(lambda translator: _worth(translator, text, target, options))
            return Answer({"target": written, "worth": {str(name): worth for name, worth in ranking.worth.items()}})
        heads, _ = texts_of(call.fields.get("heads"), "heads")
        seen = await call.ask(lambda translator: translator.inspect(text, target, ablate=heads, options=options))
        return Answer(
            {
                "target": seen.target,
                "token_log_probs": seen.token_log_probs,
                "ablations": [vars(one) for one in seen.ablations],
            }
        )

    def _options(self, call: Call) -> DecodingOptions:
        """The options of decoding among the fields."""
        names = {"text", "target_text", "source", "target", "heads", "sweep", "lens", "api_key"}
        asked, _ = native.parse({"text": "", **{key: value for key, value in call.fields.items() if key not in names}})
        self.service.check(asked)
        return asked.options

    async def models(self, call: Call) -> Answer:
        """`/api/v1/models`."""
        return native.models(self.service)


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
    del content["ablations"], content["predicted"]
    return Answer({"id": name, **content, "head_names": seen.head_names})


def _worth(translator: Translator, text: str, target: str | None, options: DecodingOptions) -> tuple[str, Ranking]:
    """A target (by default, the translation), and what each head is worth for it."""
    written = translator.translate(text, options).text if target is None else target
    return written, rank_heads(translator, examples_of(translator, [text], [written]), "leave-one-out")
