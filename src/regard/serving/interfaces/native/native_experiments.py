"""Trying something with an inspected sentence: sampling of the next token, a change of the model or of the text, and states of
another text.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import asdict
from typing import Annotated

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.analysis.experiments import experiment
from regard.analysis.next_token import next_tokens
from regard.analysis.patching import Patching, patch
from regard.generation.rules.sampling import SamplingOptions
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, Flag, Real, Text, Whole
from regard.serving.endpoints.progress_stream import Tell, progress_stream
from regard.serving.interfaces.native.native_fields import failure, rounded
from regard.serving.interfaces.native.native_inspection import InspectionFields, inspection_of, use_model_of

MOST = 10**6


class NextFields(InspectionFields):
    """A row of what is written, and how its token is drawn."""

    row: Annotated[int, Whole(0, MOST)]
    temperature: Annotated[float, Real(0, 100)] = Field(1.0, description="divides the logits; 0 takes the likeliest")
    top_k: Annotated[int, Whole(0, MOST)] = Field(0, description="draw from so many of the likeliest only; 0: all")
    top_p: Annotated[float, Real(0.001, 1)] = Field(1.0, description="draw from the likeliest of this probability only")


class NextTokenReply(TypedDict):
    """A token that may be written next: its probability, and the one with which sampling draws it."""

    token: str
    prob: float
    drawn: float


class NextReply(TypedDict):
    """The likeliest next tokens, the likeliest first; all others together; how many of all can be drawn."""

    tokens: list[NextTokenReply]
    num_others: int
    others: float
    others_drawn: float
    num_drawable: int


class ExperimentFields(InspectionFields):
    """A change to try."""

    change: Annotated[str, Choice("shuffle", "no-positions", "future")]
    seed: Annotated[int, Whole(0, MOST)] = Field(0, description="of the order of the words")


class ExperimentReply(TypedDict):
    """The log-probability of each token before and after a change; and the text that was read then."""

    change: str
    source: str
    tokens: list[str]
    before: list[float]
    after: list[float]


class PatchFields(InspectionFields):
    """Another text, from which states are taken."""

    other: Text = Field(description="a text of the same number of tokens")
    stream: Flag = Field(
        False, description="server-sent events: progress, with the runs that are done and all, and done"
    )


class PatchReply(TypedDict):
    """The effects of the states of another text, each put into the run on the inspected one.

    `answers` are the tokens or labels that the two texts lead to; the difference of their log-probabilities is
    `difference` after the inspected text and `other_difference` after the other one. An effect is by stack, layer and
    position: 0 leaves what the inspected text leads to, 1 gives what the other one does.
    """

    answers: list[str]
    difference: float
    other_difference: float
    tokens: dict[str, list[str]]
    effects: dict[str, list[list[float]]]


async def next_token(context: RequestContext, fields: NextFields) -> NextReply:
    """The likeliest tokens at a place of what was written, and the probability with which sampling draws each."""
    seen = await inspection_of(context, fields)
    settings = SamplingOptions(temperature=fields.temperature, top_k=fields.top_k or None, top_p=fields.top_p)
    found = await use_model_of(context, fields, lambda pipeline: next_tokens(pipeline, seen, fields.row, settings))
    reply: NextReply = rounded(asdict(found), 6)
    return reply


async def try_change(context: RequestContext, fields: ExperimentFields) -> ExperimentReply:
    """The log-probability of each token that was written, before and after a change: the words of the text in another order, a
    model without positions, a decoder that may look at what comes after.
    """
    seen = await inspection_of(context, fields)
    found = await use_model_of(
        context, fields, lambda pipeline: experiment(pipeline, seen, fields.change, seed=fields.seed)
    )
    reply: ExperimentReply = rounded(asdict(found), 6)
    return reply


async def patch_states(context: RequestContext, fields: PatchFields) -> PatchReply | Response:
    """The effect of each state of another text, put into the run on the inspected one (activation patching)."""
    seen = await inspection_of(context, fields)

    def patched(tell: Tell) -> Awaitable[PatchReply]:
        return use_model_of(
            context, fields, lambda pipeline: _patched(patch(pipeline, seen.text, fields.other, tell=tell))
        )

    if fields.stream:
        return await progress_stream(patched, failure, context.limits.body_seconds)
    return await patched(lambda *_: None)


def _patched(found: Patching) -> PatchReply:
    names = ("answers", "difference", "other_difference", "tokens", "effects")
    reply: PatchReply = rounded({name: getattr(found, name) for name in names}, 6)
    return reply
