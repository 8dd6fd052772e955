"""The options of decoding by name, for type checkers: a misspelt one, or a value of another type, is found before a program runs.

At run time, options are checked by `Options.changed`. The classes here have the fields of those records, which
`tests/test_typing.py` compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class NamedSamplingOptions(TypedDict, total=False):
    """The fields of `SamplingOptions`."""

    temperature: float
    top_k: int | None
    top_p: float
    min_p: float
    typical: float
    seed: int


class NamedDecodingOptions(NamedSamplingOptions, total=False):
    """The fields of `DecodingOptions`."""

    method: str
    beam_size: int
    n_best: int
    length_penalty: float
    length_norm: str
    coverage_penalty: float
    early_stopping: bool
    num_groups: int
    diversity: float
    minimum_bayes_risk: Literal["chrf", "bleu"] | None
    num_candidates: int
    max_length: int | None
    max_ratio: float | None
    min_length: int
    min_ratio: float
    no_repeat_ngram: int | None
    repetition_penalty: float
    banned: Sequence[str]
    vocabulary: Sequence[str]
    batch_size: int | None
    workers: int | None
    deterministic: bool
    alternatives: int
    alignment: bool
    trace: bool


class NamedTextOptions(NamedSamplingOptions, total=False):
    """The fields of `TextOptions`."""

    max_tokens: int
    stop_at_line: bool
    stop: Sequence[str]
    batch_size: int | None
