"""Trying something with an inspected sentence: sampling of the next token, a change of the model or of the text, and states of
another text.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Annotated, Any

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.analysis.experiments import Experiment, experiment
from regard.analysis.next_token import NextTokens, next_tokens
from regard.analysis.patching import Patching, patch
from regard.generation.rules.sampling import SamplingOptions
from regard.inspection.inspection import Inspection
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, Flag, Real, Text, Whole
from regard.serving.endpoints.progress_stream import Tell, progress_stream
from regard.serving.endpoints.replies import rounded
from regard.serving.interfaces.native.native_fields import failure
from regard.serving.interfaces.native.native_inspection import InspectionFields, RowFields, use_model_of

MOST = 10**6


class NextFields(RowFields):
    """A row of what is written, and how its token is drawn."""

    temperature: Annotated[float, Real(0, 100)] = Field(1.0, description="divides the logits; 0 takes the likeliest")
    top_k: Annotated[int, Whole(0, MOST)] = Field(0, description="draw from so many of the likeliest only; 0: all")
    top_p: Annotated[float, Real(0.001, 1)] = Field(1.0, description="draw from the likeliest of this probability only")


class ExperimentFields(InspectionFields):
    """A change to try."""

    change: Annotated[str, Choice("shuffle", "no-positions", "future")]
    seed: Annotated[int, Whole(0, MOST)] = Field(0, description="of the order of the words")


class PatchFields(InspectionFields):
    """Another text, from which states are taken."""

    other: Text = Field(description="a text of the same number of tokens")
    prefix: Text = Field("", description="what the translations of both begin with")
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


async def next_token(context: RequestContext, fields: NextFields) -> NextTokens:
    """The likeliest tokens at a place of what was written, and the probability with which sampling draws each."""
    settings = SamplingOptions(temperature=fields.temperature, top_k=fields.top_k or None, top_p=fields.top_p)
    found = await use_model_of(context, fields, partial(next_tokens, row=fields.row, settings=settings))
    return rounded(found, 6)


async def try_change(context: RequestContext, fields: ExperimentFields) -> Experiment:
    """The log-probability of each token that was written, before and after a change: the words of the text in another order, a
    model without positions, a decoder that may look at what comes after.
    """
    found = await use_model_of(context, fields, partial(experiment, change=fields.change, seed=fields.seed))
    return rounded(found, 6)


async def patch_states(context: RequestContext, fields: PatchFields) -> PatchReply | Response:
    """The effect of each state of another text, put into the run on the inspected one (activation patching)."""

    def patched(tell: Tell) -> Awaitable[PatchReply]:
        def patched_here(pipeline: Any, seen: Inspection) -> PatchReply:
            ids = seen.read_ids[0] if seen.target is None else None
            return _patched(patch(pipeline, seen.text, fields.other, prefix=fields.prefix, ids=ids, tell=tell))

        return use_model_of(context, fields, patched_here)

    if fields.stream:
        return await progress_stream(patched, failure, context.limits)
    return await patched(lambda *_: None)


def _patched(found: Patching) -> PatchReply:
    return rounded({name: getattr(found, name) for name in PatchReply.__annotations__}, 6)
