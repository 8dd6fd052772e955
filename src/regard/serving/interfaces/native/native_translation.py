"""Translations of our own interface: whole, as a stream, their tokens, scores and alignments; and the models."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, ClassVar, Literal, NotRequired, cast

from pydantic import ConfigDict, Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.documents.sentences import split
from regard.errors import SettingsError
from regard.inspection.residual_stream import check_sums
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.running_translations import PartialTranslation
from regard.pipelines.translation import Candidate, ForcedScore, Translation
from regard.pipelines.translator import Translator
from regard.serving.documents import check_one_line
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, FieldRule, Flag, OptionFields, Text, Texts, Whole, texts_of
from regard.serving.endpoints.replies import EventStream, JSONReply, event
from regard.serving.examples import examples_of
from regard.serving.interfaces.native.native_fields import DirectionFields, Failure, Ids, TargetFields, failure
from regard.serving.limits import Limits, ServingError, serving_error
from regard.serving.text_results import TextResult
from regard.serving.translation_request import TranslationRequest
from regard.serving.translation_service import SentenceEncoder
from regard.training.state import snapshots

MOST_PAIRS = 200
"""Pairs that may be scored in one request."""
NOT_SERVED = ("trace", "workers", "deterministic", "batch_size")
"""Options of the server's owner, and `trace`, which is of one text alone."""
Required = Annotated[
    list[str] | list[list[str]], FieldRule("a list of phrases, or for each text a list of phrases", keeps_empty=True)
]
Alternatives = Annotated[int, Whole(0, Limits.alternatives)]
ONE_OF_TEXTS: Any = {
    "oneOf": [{"required": [name], "properties": {name: {"type": ["string", "array"]}}} for name in ("text", "texts")]
}
Token = tuple[str, float]
"""A token and its log-probability."""


class SearchFields(DirectionFields, OptionFields):
    """Languages, and options of decoding."""

    not_served: ClassVar[Sequence[str]] = NOT_SERVED


class TextFields(SearchFields):
    """A text or a list of texts, constraints on their translations, and options of decoding."""

    model_config = ConfigDict(json_schema_extra=ONE_OF_TEXTS)

    text: Texts | None = None
    texts: Texts | None = None
    prefix: Texts | None = Field(None, description="the beginning of the translation; of a list of texts, a list")
    prefixes: Texts | None = Field(None, description="the same as prefix", json_schema_extra={"deprecated": True})
    required: Required | None = Field(
        None, description="phrases of the translation; of a list of texts, a list for each"
    )
    split: Flag = Field(True, description="whether texts are split into sentences")
    format: Annotated[str, Choice("text", "html", "xml", text="text, html or xml")] = "text"

    @property
    def given(self) -> str | list[str]:
        """The text or texts.

        Raises:
            ServingError: 400, not one of them.
        """
        if (self.text is None) == (self.texts is None):
            raise ServingError(400, "Give one of text and texts.")
        return self.text if self.text is not None else self.texts or []

    def request(self) -> TranslationRequest:
        """The request to translate.

        Raises:
            ServingError: 400, fields that do not go together.
        """
        texts = texts_of(self.given)
        prefix = self.prefixes if self.prefixes is not None else self.prefix
        prefixes = None if prefix is None else texts_of(prefix)
        required: Any = self.required
        if required is not None and isinstance(self.given, str):
            required = [required]
        for name, values in (("prefix", prefixes), ("required", required)):
            if values is not None and len(values) != len(texts):
                raise ServingError(400, f"{name} must be as many as the texts; got {len(values)} and {len(texts)}.")
        for each in required or ():
            if not isinstance(each, list):
                raise ServingError(400, "required must be a list of phrases for each text.")
        return TranslationRequest(
            texts, self.source, self.target, self.options(), prefixes, required, splits=self.split, format=self.format
        )


class TranslateFields(TextFields):
    """A text or a list of texts; of one text, the search can be traced."""

    trace: Flag = Field(False, description="return every candidate of the search; of one text without markup")


class StreamFields(TextFields):
    """A text whose translation is sent as it is written."""

    beams: Flag = Field(False, description="also send all hypotheses after each step")


class TokenizeFields(DirectionFields):
    """A text whose tokens are asked for."""

    text: Text


class ScoreFields(DirectionFields):
    """Texts with given translations; of one text, `target_ids` may be the tokens of its translation."""

    text: Texts | None = None
    texts: Texts | None = None
    target_text: Texts | None = None
    targets: Texts | None = None
    target_ids: Ids | None = None
    alternatives: Alternatives = Field(0, description="likeliest tokens in the place of each to return")


class AlignFields(DirectionFields, TargetFields):
    """A text, and a given translation; by default, the text is translated."""

    text: Text


class CandidateReply(TypedDict):
    """A translation of a sentence."""

    text: str
    score: float
    tokens: list[str]
    token_log_probs: list[float]
    finish_reason: str
    ids: list[int]
    log_prob: float


class AlignmentReply(TypedDict):
    """The alignment of a sentence and its translation."""

    source_tokens: list[str]
    target_tokens: list[str]
    weights: list[list[float]]
    layer: int
    source_offsets: Sequence[Sequence[int]]
    has_end: NotRequired[bool]
    head: NotRequired[int | None]


class SentenceReply(CandidateReply):
    """The translation of a sentence, with what else was asked for."""

    source: NotRequired[str]
    n_best: NotRequired[list[CandidateReply]]
    alternatives: NotRequired[list[list[Token]]]
    alignment: NotRequired[AlignmentReply]


class TextReply(TypedDict):
    """The translation of a text."""

    text: str
    score: float
    log_prob: float
    probability: float
    confidence: float | None
    sentences: list[SentenceReply]
    n_best: NotRequired[list[str]]
    cut: NotRequired[int]


class TranslateReply(TextReply):
    """The translation of a text, and the model's direction."""

    direction: str


class TranslateListReply(TypedDict):
    """The translations of a list of texts; a text without one has an error in its place."""

    translations: list[TextReply | Failure]
    direction: str


class TraceCandidate(TypedDict):
    """A candidate of a step. `parent` is the index of the one that it continues, among those of the step before."""

    parent: int | None
    id: int
    token: str
    log_prob: float
    score: float
    fate: Literal["active", "finished", "dropped"]


class TracedReply(TypedDict):
    """A translation with every candidate of its search, step by step, the best first."""

    text: str
    sentences: list[SentenceReply]
    trace: list[list[TraceCandidate]]
    direction: str


TokenizedSentence = TypedDict("TokenizedSentence", {"text": str, "tokens": list[str]})
TokenizeReply = TypedDict("TokenizeReply", {"sentences": list[TokenizedSentence], "num_cut": int, "max_tokens": int})


class PairScore(TypedDict):
    """The log-probability of a given translation, and those of its tokens."""

    log_prob: float
    tokens: list[str]
    ids: list[int]
    token_log_probs: list[float]
    alternatives: NotRequired[list[list[Token]]]


PairScores = TypedDict("PairScores", {"scores": list[PairScore]})


class AlignReply(AlignmentReply):
    """An alignment, also as Pharaoh writes it."""

    links: str


class ModelReply(TypedDict):
    """A model: with a direction, if it translates; else with a name."""

    direction: NotRequired[str]
    source: NotRequired[str]
    target: NotRequired[str]
    name: NotRequired[str]
    arch: str
    parameters: int
    max_tokens: int | None
    task: NotRequired[str]
    snapshots: NotRequired[list[int]]
    examples: NotRequired[list[str]]
    no_parts: NotRequired[str]
    """The reason why its states are not sums of what its parts add."""


ModelsReply = TypedDict("ModelsReply", {"models": list[ModelReply]})


async def translate(
    context: RequestContext, fields: TranslateFields
) -> TranslateReply | TranslateListReply | TracedReply | JSONReply[Failure]:
    """Translate texts."""
    wanted = fields.request()
    if fields.trace:
        return await _traced(context, fields, wanted)
    if wanted.format != "text" and wanted.options.n_best > 1:
        raise ServingError(400, "n_best is of texts without markup.")
    found, pending = await context.outcomes(wanted)
    return _translated(found, str(pending.direction), is_list=isinstance(fields.given, list))


async def _traced(context: RequestContext, fields: TranslateFields, wanted: TranslationRequest) -> TracedReply:
    """The translation of one text that is not split, with every candidate of the search."""
    if isinstance(fields.given, list) or wanted.format != "text":
        raise ServingError(400, "`trace` is of one text without markup; give `text`.")
    check_one_line(wanted.texts[0])
    context.server.translations.check(wanted)
    options, direction = wanted.options.changed(trace=True), fields.direction(context)

    def traced(translator: Translator) -> TracedReply:
        (found,) = translator.translate(wanted.texts, options, prefixes=wanted.prefixes, required=wanted.required)
        spell = translator.tokenizer.tokens
        steps = [
            [cast("TraceCandidate", asdict(each) | {"token": spell([each.id])[0]}) for each in step]
            for step in found.trace or ()
        ]
        return {"text": found.text, "sentences": [_sentence(found)], "trace": steps, "direction": str(direction)}

    return await context.use_translator(direction, traced)


async def stream(context: RequestContext, fields: StreamFields) -> Response:
    """Translate one text; server-sent events meta, token, beams, done, error. With alternatives, tokens come with the likeliest
    others; with beams, there are events of all hypotheses.
    """
    wanted = fields.request()
    if isinstance(fields.given, list):
        raise ServingError(400, "A stream is of one text; give `text`.")
    last_only = {"alternatives": 0, "alignment": False, "n_best": 1}  # the last event has them
    wanted.options.changed(**last_only).check_stream()
    pending, pieces = await context.stream(wanted, watches=fields.beams or wanted.options.alternatives > 0)
    direction = str(pending.direction)

    async def events() -> AsyncGenerator[bytes]:
        yield event("meta", {"direction": direction, "sentences": len(pending.job.sentences)})
        sent: dict[int, int] = {}
        async for index, piece, is_last in pieces.pieces():
            if is_last:
                continue
            if (row := _new_tokens(index, piece, sent)) is not None:
                yield event("token", row)
            if fields.beams and isinstance(piece, PartialTranslation):
                beams = [{"text": text, "log_prob": value} for text, value in piece.beams]
                yield event("beams", {"sentence": index, "beams": beams})
        reply = _translated(await pending.results(), direction, is_list=False)
        failed = reply.content["error"] if isinstance(reply, JSONReply) else None
        yield event("done", reply) if failed is None else event("error", failed)

    return EventStream(events(), context.limits.body_seconds, pending.cancel)


def _new_tokens(index: int, piece: str | PartialTranslation, sent: dict[int, int]) -> dict[str, Any] | None:
    """The new part of a sentence; None: there is none.

    Args:
        sent: the number of tokens of each sentence that were sent, where there are tokens; it is updated.
    """
    if isinstance(piece, str):
        return {"sentence": index, "text": piece}
    before, sent[index] = sent.get(index, 0), len(piece.tokens)
    if before >= len(piece.tokens):
        return None
    columns = zip(piece.tokens, piece.token_log_probs, piece.alternatives, strict=False)
    rows = [{"token": each, "log_prob": value, "alternatives": others} for each, value, others in columns]
    return {"sentence": index, "text": piece.text, "tokens": rows[before:]}


async def tokenize(context: RequestContext, fields: TokenizeFields) -> TokenizeReply:
    """The sentences of a text, and their tokens."""
    direction = fields.direction(context)
    context.server.translations.check_texts([fields.text])

    def tokenized(translator: Translator) -> TokenizeReply:
        encoder, spell = SentenceEncoder(translator), translator.source_tokenizer.tokens
        found = split(fields.text, direction.source, encoder.fits)
        rows: list[TokenizedSentence] = [
            {"text": sentence, "tokens": spell(encoder.encode(sentence).ids)} for sentence in found.sentences
        ]
        return {"sentences": rows, "num_cut": found.num_cut, "max_tokens": encoder.most_tokens}

    return await context.use_translator(direction, tokenized)


async def score(context: RequestContext, fields: ScoreFields) -> PairScore | PairScores:
    """Score given translations."""
    texts = fields.text if fields.texts is None else fields.texts
    targets = fields.target_text if fields.targets is None else fields.targets
    if texts is None:
        raise ServingError(400, "Give a text.")
    if fields.target_ids is not None and targets is not None:
        raise ServingError(400, "Give one of target_text and target_ids.")
    sources = texts_of(texts)
    given: Sequence[str | list[int]] = texts_of([] if targets is None else targets)
    if fields.target_ids is not None:
        given = [fields.target_ids]
    if len(sources) != len(given) or not 0 < len(sources) <= MOST_PAIRS:
        raise ServingError(400, f"texts and targets must be as many, from 1 to {MOST_PAIRS}.")
    scored = await context.use_translator(
        fields.direction(context),
        lambda translator: translator.score(sources, given, alternatives=fields.alternatives),
    )
    rows = [_scored(each) for each in scored]
    return {"scores": rows} if isinstance(texts, list) else rows[0]


def _scored(found: ForcedScore) -> PairScore:
    return cast("PairScore", {name: value for name, value in vars(found).items() if value is not None})


async def align(context: RequestContext, fields: AlignFields) -> AlignReply:
    """Align the tokens of a text and its translation."""
    target = fields.given_target
    found = await context.use_translator(
        fields.direction(context), lambda translator: translator.align(fields.text, target)
    )
    return {
        "source_tokens": found.source_tokens, "target_tokens": found.target_tokens, "weights": found.weights,
        "links": found.pharaoh, "source_offsets": found.source_offsets, "layer": found.layer,
    }  # fmt: skip


def _translated(
    found: Sequence[TextResult | Exception], direction: str, *, is_list: bool
) -> TranslateReply | TranslateListReply | JSONReply[Failure]:
    """The content of an answer; an error, if the only text has one."""
    if is_list:
        errors = {id(each): each for each in found if isinstance(each, Exception)}  # several texts may have one
        said = {key: failure(serving_error(error)) for key, error in errors.items()}
        rows = [said[id(each)] if isinstance(each, Exception) else _text(each) for each in found]
        return {"translations": rows, "direction": direction}
    (one,) = found
    if isinstance(one, Exception):
        failed = failure(serving_error(one))
        return JSONReply(failed, failed["error"]["status"])
    return {**_text(one), "direction": direction}


def _text(found: TextResult) -> TextReply:
    row: TextReply = {
        "text": found.text, "score": found.score, "log_prob": found.log_prob, "probability": found.probability,
        "confidence": found.confidence, "sentences": [
            {**_sentence(sentence), "source": source}
            for source, sentence in zip(found.sources, found.sentences, strict=True)
        ],
    }  # fmt: skip
    if len(found.n_best) > 1:
        row["n_best"] = found.n_best
    if found.num_cut:
        row["cut"] = found.num_cut
    return row


def _sentence(found: Translation) -> SentenceReply:
    row = cast("SentenceReply", _candidate(found))
    if len(found.n_best) > 1:
        row["n_best"] = [_candidate(each) for each in found.n_best]
    if found.alternatives is not None:
        row["alternatives"] = found.alternatives
    if found.alignment is not None:
        row["alignment"] = cast("AlignmentReply", asdict(found.alignment))
    return row


def _candidate(found: Candidate) -> CandidateReply:
    return {
        "text": found.text, "score": found.score, "tokens": found.tokens, "token_log_probs": found.token_log_probs,
        "finish_reason": found.finish_reason, "ids": found.ids, "log_prob": sum(found.token_log_probs),
    }  # fmt: skip


async def list_models(context: RequestContext) -> ModelsReply:
    """The models: those that translate have a direction, others a name."""
    registry, rows = context.registry, list[ModelReply]()
    for direction, scheduler in registry.translators.items():
        row, folder = _sizes(scheduler.pipeline), registry.folder_of(direction)
        row |= {"direction": str(direction), "source": direction.source, "target": direction.target_code}
        row["snapshots"] = list(snapshots(folder))
        row["examples"] = examples_of(folder, direction.source, scheduler.pipeline.source_tokenizer)
        rows.append(row)
    for name, text_model in registry.text_models.items():
        rows.append({**_sizes(text_model.pipeline), "name": name})
    return {"models": rows}


def _sizes(pipeline: Pipeline) -> ModelReply:
    model, task = pipeline.model, getattr(pipeline.model.config, "task", None)
    num_parameters = sum(each.numel() for each in model.parameters())
    sizes: ModelReply = {
        "arch": model.config.arch, "parameters": num_parameters, "max_tokens": model.config.max_positions,
    }  # fmt: skip
    if task:
        sizes["task"] = task
    try:
        check_sums(model)
    except SettingsError as error:
        sizes["no_parts"] = str(error)
    return sizes
