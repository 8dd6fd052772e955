"""Direct contributions: what each part of a model adds to what it says, what a head moves, and why it looks at a key.

Exact for models with norms before the sublayers; others are refused. `inspection/contributions.py` has the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy
import torch

from regard.analysis.numbers import Numbers, bars, largest_first
from regard.analysis.patching import class_ids, spelled
from regard.arguments import checked
from regard.errors import SettingsError
from regard.inspection.contributions import logit_parts, moved_values, output_map
from regard.inspection.inspection import Inspection
from regard.inspection.record import HeadName
from regard.inspection.residual_stream import Reading, read
from regard.inspection.score_parts import score_parts
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answers = tuple[str, str] | None
DIRECT = "Direct contributions: what a part does through later layers is not counted."
VALUES = "Weights times the norm of each value after the output projection."


class _Subject(NamedTuple):
    """A text as a model read it, and what is asked of each row."""

    reading: Reading
    seen: Inspection
    rows: slice
    """The positions of the stack that predicts that are rows."""
    classes: list[int]
    """The class that is asked for at each row."""
    others: list[int] | None
    said: list[str]
    """The name of each class, or of two that are compared."""


@dataclass(frozen=True, repr=False)
class Contributions(Numbers):
    """The contribution of each part of a model to the logit of what it says at each row."""

    parts: list[str]
    """Embeddings `token` and `position`; heads such as `cross.2.3`; `decoder.2.feed_forward`; biases such as `cross.2.bias`."""
    rows: list[str]
    """The token or label that is said at each row; `a - b` where two are compared."""
    values: numpy.ndarray
    """The contributions, `row part`. Rows sum to `logits`."""
    logits: numpy.ndarray

    def __repr__(self) -> str:
        return f"Contributions({len(self.rows)} rows x {len(self.parts)} parts)"

    @checked
    def of_row(self, row: int, count: int | None = None) -> dict[str, float]:
        """The contributions to one row, the largest first; those beyond `count` as one sum."""
        return largest_first(
            dict(zip(self.parts, self.values[_checked("row", row, self.rows)].tolist(), strict=True)), count
        )

    def records(self) -> list[dict[str, Any]]:
        """A row for each row and part, as `pandas.DataFrame` takes them."""
        return [
            {"row": row, "token": token, "part": part, "value": value}
            for row, (token, values) in enumerate(zip(self.rows, self.values.tolist(), strict=True))
            for part, value in zip(self.parts, values, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """All content as JSON has it."""
        return {"note": DIRECT, "rows": self.rows, "logits": self.logits.tolist(), "contributions": self.records()}

    @checked
    def figure(self, row: int | None = None) -> Figure:
        """Draw the contributions to a row as bars; None: their means over all rows."""
        values = self.values.mean(axis=0) if row is None else self.values[_checked("row", row, self.rows)]
        title = f"mean of {len(self.rows)} rows" if row is None else f"row {row}: {self.rows[row]}"
        return bars(dict(zip(self.parts, values.tolist(), strict=True)), title=title, x_label="logit", note=DIRECT)


@dataclass(frozen=True, repr=False)
class HeadValues(Numbers):
    """The values that one head moves from each key to each row."""

    head: str
    rows: list[str]
    keys: list[str]
    weights: numpy.ndarray
    """The weights, `row key`."""
    norms: numpy.ndarray
    """The weight times the norm of the key's value after the output projection."""
    adds: numpy.ndarray | None
    """The contribution to the logit of what is said at the row; None for heads of an encoder before a decoder."""
    into: list[list[str]]
    """The tokens or labels that each key's value makes likelier most; empty for heads of an encoder before a decoder."""

    def __repr__(self) -> str:
        return f"HeadValues({self.head}, {len(self.rows)} rows x {len(self.keys)} keys)"

    def records(self) -> list[dict[str, Any]]:
        """A row for each row and key, as `pandas.DataFrame` takes them."""
        return [
            {
                "row": row, "token": token, "key": key, "key_token": key_token, "weight": float(self.weights[row, key]),
                "norm": float(self.norms[row, key]), "adds": None if self.adds is None else float(self.adds[row, key]),
                "into": " ".join(self.into[key]) if self.into else "",
            }
            for row, token in enumerate(self.rows)
            for key, key_token in enumerate(self.keys)
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """All content as JSON has it."""
        return {"note": VALUES, "head": self.head, "rows": self.rows, "keys": self.keys, "values": self.records()}

    @checked
    def figure(self, row: int | None = None) -> Figure:
        """Draw the norms of the values that a row gets as bars; None: their means over all rows."""
        norms = self.norms.mean(axis=0) if row is None else self.norms[_checked("row", row, self.rows)]
        title = f"{self.head}, mean of rows" if row is None else f"{self.head}, row {row}: {self.rows[row]}"
        names = [f"{key} {token}" for key, token in enumerate(self.keys)]
        return bars(dict(zip(names, norms.tolist(), strict=True)), title=title, x_label="norm", note=VALUES)


@dataclass(frozen=True, repr=False)
class KeyReasons(Numbers):
    """The score of a query and a key of one head, by the parts that both come from."""

    head: str
    query: tuple[int, str]
    """The row, and its token."""
    key: tuple[int, str]
    query_parts: list[str]
    key_parts: list[str]
    values: numpy.ndarray
    """The terms of the score, `query_part key_part`. `distance` is what positions inside attention add."""
    means: numpy.ndarray
    """The mean of each term over all keys that the query may attend to. A term that all keys share changes no weight."""
    score: float
    weight: float

    def __repr__(self) -> str:
        return f"KeyReasons({self.head}, {self.query[1]} looks at {self.key[1]}, score {self.score:.2f})"

    @cached_property
    def above_mean(self) -> dict[str, float]:
        """The terms by their names, each less its mean over all keys: why this key rather than another."""
        differences = (self.values - self.means).tolist()
        return {
            f"{one} x {two}": differences[i][j]
            for i, one in enumerate(self.query_parts)
            for j, two in enumerate(self.key_parts)
            if self.values[i, j] or self.means[i, j]
        }

    @property
    def by_query(self) -> dict[str, float]:
        """The terms above their means, summed over the parts of the key."""
        return dict(zip(self.query_parts, (self.values - self.means).sum(axis=1).tolist(), strict=True))

    @property
    def by_key(self) -> dict[str, float]:
        """The terms above their means, summed over the parts of the query."""
        return dict(zip(self.key_parts, (self.values - self.means).sum(axis=0).tolist(), strict=True))

    def records(self) -> list[dict[str, Any]]:
        """A row for each pair of parts, as `pandas.DataFrame` takes them."""
        return [
            {"query_part": one, "key_part": two, "value": float(self.values[i, j]), "mean": float(self.means[i, j])}
            for i, one in enumerate(self.query_parts)
            for j, two in enumerate(self.key_parts)
        ]

    def as_dict(self) -> dict[str, Any]:
        """All content as JSON has it."""
        return {
            "head": self.head, "query": self.query, "key": self.key, "score": self.score, "weight": self.weight,
            "terms": self.records(),
        }  # fmt: skip

    def figure(self, row: int | None = None) -> Figure:
        """Draw the largest terms above their means as bars; there is one row."""
        title = f"{self.head}: {self.query[1]} looks at {self.key[1]}, weight {self.weight:.2f}"
        return bars(self.above_mean, title=title, x_label="score above the mean of all keys")


def contributions(
    pipeline: Pipeline, text: str, target: str | Sequence[int] | None = None, *, answers: Answers = None
) -> Contributions:
    """The contribution of each part of a model to the logit of what it says: exact, without what it does through later layers.

    Args:
        pipeline: a translator, a language model or a tagger, with norms before the sublayers.
        target: what a translator writes, as a text or ids; None: its own translation.
        answers: two tokens or labels; the difference of their logits is split at each row. None: the logit of the token that
            is written at each row, of a language model the next one in the text, of a tagger the tag that it predicts.
    Raises:
        SettingsError: a model whose parts do not add up, or answers that it does not have.
    """
    output_map(pipeline.model)  # refuses, before anything is computed
    subject = _subject(pipeline, text, target, answers)
    found = logit_parts(subject.reading, subject.rows, subject.classes, subject.others)
    return Contributions(found.names, subject.said, found.values.cpu().numpy(), found.logits.cpu().numpy())


def head_values(
    pipeline: Pipeline,
    text: str,
    head: str,
    target: str | Sequence[int] | None = None,
    *,
    answers: Answers = None,
    count: int = 3,
) -> HeadValues:
    """The values that one head moves: how much from each key, and which tokens they make likelier.

    Args:
        head: such as `cross.2.3`.
        target, answers: as for `contributions`.
        count: how many tokens are named for each key.
    Raises:
        SettingsError: a head that the model does not have, or a model whose parts do not add up.
    """
    output_map(pipeline.model)  # refuses, before anything is computed
    subject, name = _subject(pipeline, text, target, answers), HeadName.parse(head)
    seen = subject.seen
    seen[head]
    rows, keys = seen.rows(name.kind), seen.keys(name.kind)
    is_last = name.kind in (list(pipeline.model.layer_stacks())[-1], "cross")
    found = moved_values(
        subject.reading, name, subject.rows if is_last else slice(None), subject.classes, subject.others, count=count
    )
    return HeadValues(
        head, subject.said if is_last else rows.spelled, keys.spelled, found.weights.cpu().numpy(), found.norms.cpu().numpy(),
        None if found.adds is None else found.adds.cpu().numpy(), [spelled(pipeline, ids) for ids in found.classes],
    )  # fmt: skip


def why_key(
    pipeline: Pipeline, text: str, head: str, query: int, key: int, target: str | Sequence[int] | None = None
) -> KeyReasons:
    """The score of a query and a key of one head, split by the parts of the model that both come from.

    Args:
        head: such as `cross.2.3`.
        query, key: a row and a column of the head's matrix, from 0, as `inspect` shows it.
        target: as for `contributions`.
    Raises:
        SettingsError: a head, a row or a key that is not, a key that a mask hides, or a model whose parts do not add up.
    """
    reading, seen = _read(pipeline, text, target)
    name = HeadName.parse(head)
    seen[head]
    rows, keys = seen.rows(name.kind).spelled, seen.keys(name.kind).spelled
    _checked("query", query, rows)
    _checked("key", key, keys)
    stack = "decoder" if name.kind == "cross" else name.kind
    first = reading.ids[stack].shape[1] - len(rows)
    found = score_parts(reading, name, first + query, key)
    return KeyReasons(
        head, (query, rows[query]), (key, keys[key]), found.query_names, found.key_names, found.values.cpu().numpy(),
        found.mean.cpu().numpy(), found.score, found.weight,
    )  # fmt: skip


def _read(pipeline: Pipeline, text: str, target: str | Sequence[int] | None) -> tuple[Reading, Inspection]:
    """A text as a model reads it, with its tokens."""
    if isinstance(pipeline, Translator):
        translator = pipeline.in_one_direction
        seen = translator.inspect_ids(text, translator.written_ids(text, target))
    else:
        if target is not None:
            raise SettingsError(f"`target` is for models that translate; got {pipeline.kind}. Remove it.")
        seen = cast("LanguageModel | Predictor", pipeline).inspect(text)
    return read(pipeline.model, seen.read_ids), seen


def _subject(pipeline: Pipeline, text: str, target: str | Sequence[int] | None, answers: Answers) -> _Subject:
    reading, seen = _read(pipeline, text, target)
    stack = list(reading.model.layer_stacks())[-1]
    length = reading.ids[stack].shape[1]
    first = length - len(seen.rows(stack))
    if isinstance(pipeline, Translator):
        classes = [*seen.target_ids, pipeline.tokenizer.eos_id][: length - first]
    else:
        with torch.no_grad():
            said = reading.model(reading.ids[stack])[0].argmax(dim=-1).tolist()
        classes = [*seen.read_ids[0][1:], said[-1]] if isinstance(pipeline, LanguageModel) else said
    if answers is None:
        return _Subject(reading, seen, slice(first, None), classes, None, spelled(pipeline, classes))
    if len(answers) != 2:  # a and b
        raise SettingsError(f"answers must be two tokens or labels; got {len(answers)}.")
    one, other = ([each] * len(classes) for each in class_ids(pipeline, answers))
    return _Subject(reading, seen, slice(first, None), one, other, [" - ".join(answers)] * len(classes))


def _checked(name: str, number: int, among: Sequence[str]) -> int:
    """A number of a row or key.

    Raises:
        SettingsError: there is none of this number.
    """
    if not 0 <= number < len(among):
        raise SettingsError(f"{name} must be from 0 to {len(among) - 1}; got {number}.")
    return number
