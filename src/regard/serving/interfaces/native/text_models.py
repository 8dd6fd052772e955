"""Text models of our own interface: continuations of language models, and predictions."""

from __future__ import annotations

from typing import ClassVar

from pydantic import ConfigDict
from typing_extensions import TypedDict

from regard.generation.options import TextOptions
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import OptionFields, Text, Texts, texts_of
from regard.serving.interfaces.native.native_fields import NativeFields
from regard.serving.interfaces.native.native_translation import ONE_OF_TEXTS
from regard.serving.interfaces.openai.completions import continuations
from regard.serving.limits import ServingError


class GenerateFields(NativeFields, OptionFields):
    """A prompt or a list of prompts, and options of writing."""

    record: ClassVar[type[TextOptions]] = TextOptions

    model: Text = ""
    prompt: Texts = ""
    prompts: Texts | None = None


class PredictFields(NativeFields):
    """A text or a list of texts."""

    model_config = ConfigDict(json_schema_extra=ONE_OF_TEXTS)

    model: Text = ""
    text: Texts | None = None
    texts: Texts | None = None


class ContinuationReply(TypedDict):
    """The continuation of a prompt."""

    text: str
    token_log_probs: list[float]
    finish_reason: str


class GenerateReply(ContinuationReply):
    """The continuation of a prompt, and the model's name."""

    model: str


GenerateListReply = TypedDict("GenerateListReply", {"model": str, "continuations": list[ContinuationReply]})


class PredictionReply(TypedDict):
    """The prediction for a text."""

    labels: list[str]
    probs: list[float]
    values: list[float]
    is_cut: bool


class PredictReply(PredictionReply):
    """The prediction for a text, and the model's name."""

    model: str


PredictListReply = TypedDict("PredictListReply", {"model": str, "predictions": list[PredictionReply]})


async def generate(context: RequestContext, fields: GenerateFields) -> GenerateReply | GenerateListReply:
    """Continue prompts with a language model."""
    given = fields.prompt if fields.prompts is None else fields.prompts
    prompts, options = texts_of(given), fields.options()
    context.server.translations.check_texts(prompts)
    if options.max_tokens > (most := context.limits.tokens):
        raise ServingError(400, f"max_tokens may be at most {most:,}; got {options.max_tokens:,}.")
    name, _ = context.registry.text_model(LanguageModel, fields.model or None)
    rows: list[ContinuationReply] = [
        {"text": each.text, "token_log_probs": each.token_log_probs, "finish_reason": each.finish_reason}
        for each in await continuations(context, name, prompts, options)
    ]
    if isinstance(given, list):
        return {"model": name, "continuations": rows}
    return {"model": name, **rows[0]}


async def predict(context: RequestContext, fields: PredictFields) -> PredictReply | PredictListReply:
    """Label texts with a classifier, tagger or masked language model."""
    given = fields.text if fields.texts is None else fields.texts
    if given is None or (fields.text is not None and fields.texts is not None):
        raise ServingError(400, "Give one of text and texts.")
    texts = texts_of(given)
    context.server.translations.check_texts(texts)
    name, _ = context.registry.text_model(Predictor, fields.model or None)
    found = await context.use_text_model(Predictor, name, lambda predictor: predictor.predict(texts))
    rows: list[PredictionReply] = [
        {"labels": each.labels, "probs": each.probs, "values": each.values, "is_cut": each.is_cut} for each in found
    ]
    if isinstance(given, list):
        return {"model": name, "predictions": rows}
    return {"model": name, **rows[0]}
