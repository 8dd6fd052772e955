"""The paths of our own interface, `/api/v1`: translations, streams, tokens, scores, alignments. Those that look inside are in
`inspecting.py`."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from starlette.responses import Response

from regard.pipelines.running_translations import Seen
from regard.pipelines.translation import ForcedScore
from regard.pipelines.translator import Translator
from regard.serving.documents import check_one_line
from regard.serving.http import named
from regard.serving.http.transport import Call, Read, Stream, event
from regard.serving.interfaces import libretranslate, native
from regard.serving.interfaces.encoding import Answer, needed_text, number_of, texts_of, truth_of
from regard.serving.limits import ServingError
from regard.serving.service import Service
from regard.serving.texts.sentences import split

SCORED_TEXTS = 200
"""Pairs that may be scored in one request."""


class Own:
    """What is done at each path."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def table(self) -> list[tuple[str, str, Read]]:
        """Paths, methods and what answers them."""
        return [
            ("translate", "POST", self.translate),
            ("stream", "POST", self.stream),
            ("tokenize", "POST", self.tokenize),
            ("score", "POST", self.score),
            ("align", "POST", self.align),
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
        check_one_line(asked.texts[0])
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
        text, direction = needed_text(call.fields), call.direction
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
        """`/api/v1/score`: how likely the model finds given translations; of one text, `target_ids` are the tokens of its
        translation.
        """
        if (ids := native.ids_of(call.fields, "target_ids")) is not None:
            return await self._score_ids(call, ids)
        sources, is_list = texts_of(call.fields.get("texts", call.fields.get("text")), "texts")
        targets, _ = texts_of(call.fields.get("targets", call.fields.get("target_text")), "targets")
        if len(sources) != len(targets) or not 0 < len(sources) <= SCORED_TEXTS:
            raise ServingError(400, f"texts and targets must be as many, from 1 to {SCORED_TEXTS}.")
        count = number_of(call.fields, "alternatives", 0, self.service.limits.alternatives)
        scored = await call.ask(lambda translator: translator.score(sources, targets, alternatives=count))
        rows = [_scored(each) for each in scored]
        return Answer({"scores": rows} if is_list else rows[0])

    async def _score_ids(self, call: Call, ids: list[int]) -> Answer:
        text, count = (
            needed_text(call.fields),
            number_of(call.fields, "alternatives", 0, self.service.limits.alternatives),
        )
        if call.fields.get("targets", call.fields.get("target_text")) is not None:
            raise ServingError(400, "Give one of target_text and target_ids.")
        (found,) = await call.ask(lambda translator: translator.score([text], [ids], alternatives=count))
        return Answer(_scored(found))

    async def align(self, call: Call) -> Answer:
        """`/api/v1/align`: which source tokens each token of a translation was written from."""
        text, target = needed_text(call.fields), native.target_of(call.fields)
        found = await call.ask(lambda translator: translator.align(text, target))
        return Answer(
            {"source_tokens": found.source_tokens, "target_tokens": found.target_tokens, "weights": found.weights,
             "links": libretranslate.links(found), "source_offsets": found.source_offsets, "layer": found.layer}
        )  # fmt: skip

    async def models(self, call: Call) -> Answer:
        """`/api/v1/models`."""
        return native.models(self.service)


def _scored(found: ForcedScore) -> dict[str, Any]:
    row = {name: getattr(found, name) for name in ("log_prob", "tokens", "ids", "token_log_probs")}
    return row | ({} if found.alternatives is None else {"alternatives": found.alternatives})
