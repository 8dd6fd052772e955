"""The options of decoding, and the rules and filters that they choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from regard.arguments import checked
from regard.errors import SettingsError, check_known
from regard.generation.filters import BannedPhrases, Endings, Filter, NoRepeatedNgrams, OnlyTokens, RepetitionPenalty
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.rule import AdoptedRule, Rule
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.generation.rules.stochastic import StochasticBeam
from regard.generation.rules.trace import Trace


@runtime_checkable
class TextTokens(Protocol):
    """A tokenizer, as far as options need it: `text.tokenizer.Tokenizer` is one."""

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        ...

    def endings_of(self, phrases: Sequence[str]) -> Endings:
        """The tokens that would complete phrases."""
        ...


MakeRule = Callable[["DecodingOptions", int], Any]
"""A function of the options and the id of the end symbol that makes the rule: a `Rule`, or an object with its methods."""
METHODS: dict[str, MakeRule | None] = {"beam": None, "sample": None, "stochastic_beam": None}
"""Ways of decoding by name; those that were added with what makes their rule."""
BatchSize = Annotated[
    int | None,
    Field(ge=1, description="texts at once: by default 64, and 256 on a GPU; the result does not depend on it"),
]
MOST_WORKERS = 64
"""Most batches in parallel: more than any CPU can use."""
MOST_HYPOTHESES = 10_000
"""Most hypotheses of a text: each may have a part in common with each other, so that time and memory grow with their square."""
MOST_BANNED, LONGEST_BANNED = 1_000, 1_000
"""Phrases that may be banned, and the characters of one."""
OF_METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("beam_size", "length_penalty", "length_norm", "early_stopping", "num_groups"), ("beam",)),
    **dict.fromkeys(("coverage_penalty", "trace"), ("beam",)),
    **dict.fromkeys(("temperature", "top_k", "top_p", "min_p", "typical"), ("sample",)),
    "seed": ("sample", "stochastic_beam"),
}
"""The options that only some methods use, with these methods."""


@checked
def add_decoding_method(name: str, make: MakeRule) -> None:
    """Let `method` be a way of decoding of your own.

    Raises:
        SettingsError: there is a method of this name.
    """
    if METHODS.get(name, make) is not make:
        raise SettingsError(f"a method must have a new name; got {name}.")
    METHODS[name] = make


class DecodingOptions(SamplingOptions):
    """The options of translation. The defaults search with a beam of 5."""

    former_names = {"risk": "minimum_bayes_risk"}  # noqa: RUF012

    method: str = Field(
        default="beam", description="beam; sample: draw tokens; stochastic_beam: draw whole texts without replacement"
    )
    beam_size: int = Field(
        default=5, ge=1, le=MOST_HYPOTHESES, description="hypotheses kept at each step; 1 is greedy search"
    )
    n_best: int = Field(
        default=1,
        ge=1,
        le=MOST_HYPOTHESES,
        description="translations of each text, at most beam_size; with method=sample, the number of samples",
    )
    length_penalty: float = Field(
        default=1.0, ge=0, le=100, description="the exponent alpha; 0 favours short translations"
    )
    length_norm: str = Field(default="wu", description="wu: ((5 + length) / 6)^alpha; average: length^alpha; none: 1")
    coverage_penalty: float = Field(
        default=0.0,
        ge=0,
        description="beta; finished hypotheses that attended to more of the source rank higher (beam only)",
    )
    early_stopping: bool = Field(
        default=True,
        description="stop when beam_size hypotheses have finished and no active one scores higher; false: exact, slow",
    )
    num_groups: int = Field(
        default=1, ge=1, description="groups of a diverse beam, each with beam_size / num_groups hypotheses"
    )
    diversity: float = Field(default=0.5, ge=0, description="penalty, in nats, for a token that an earlier group chose")
    minimum_bayes_risk: Literal["chrf", "bleu"] | None = Field(
        default=None,
        description="choose the candidate that agrees most with the others by this score (minimum Bayes risk)",
    )
    num_candidates: int = Field(
        default=32,
        ge=1,
        le=MOST_HYPOTHESES,
        description="how many samples, or beam hypotheses, minimum_bayes_risk chooses among",
    )
    max_length: int | None = Field(default=None, ge=1, description="longest translation, in tokens with the end symbol")
    max_ratio: float | None = Field(
        default=None, gt=0, description="longest translation, in tokens per token of the source; not below min_length"
    )
    min_length: int = Field(
        default=0,
        ge=0,
        description="shortest translation, in tokens with the end symbol, also where max_ratio gives less",
    )
    min_ratio: float = Field(default=0.0, ge=0, description="shortest translation, in tokens per token of the source")
    no_repeat_ngram: int | None = Field(default=None, ge=1, description="no n-gram of this size is written twice")
    repetition_penalty: float = Field(
        default=1.0, gt=0, description="multiplies the log-probabilities of tokens that were already written"
    )
    banned: tuple[str, ...] = Field(default=(), description="words or phrases that are never written")
    vocabulary: tuple[str, ...] = Field(default=(), description="write only tokens of these texts; empty: any token")
    batch_size: BatchSize = None
    workers: int | None = Field(
        default=None,
        ge=1,
        le=MOST_WORKERS,
        description="batches decoded in parallel on a CPU; null: 2 if there are enough texts",
    )
    deterministic: bool = Field(
        default=False,
        description="decode each text alone: bit-identical results whatever else is translated, but slower",
    )
    alternatives: int = Field(default=0, ge=0, description="return this many of the likeliest tokens of each step")
    alignment: bool = Field(default=False, description="return which source tokens each token was written from")
    trace: bool = Field(default=False, description="return every candidate of the search")

    def check(self) -> None:
        """Make sure that the options make sense together.

        Raises:
            SettingsError: they do not.
        """
        check_known("method", self.method, METHODS, ", ".join(METHODS))
        known = type(self).model_fields
        for name, methods in OF_METHODS.items() if METHODS[self.method] is None else ():
            if self.method not in methods and getattr(self, name) != known[name].default:
                needs = "` or `".join(f"method={method}" for method in methods)
                raise SettingsError(f"`{name}` has no effect with `method={self.method}`; remove it, or use `{needs}`.")
        if self.diversity != known["diversity"].default and self.num_groups == 1:
            raise SettingsError("`diversity` has no effect with one group; remove it, or set `num_groups`.")
        if self.num_candidates != known["num_candidates"].default and not self.minimum_bayes_risk:
            raise SettingsError(
                "`num_candidates` has no effect without `minimum_bayes_risk`; remove it, or set `minimum_bayes_risk=chrf`."
            )
        if self.coverage_penalty and self.minimum_bayes_risk:
            raise SettingsError(
                "`coverage_penalty` and `minimum_bayes_risk` both choose among hypotheses; remove one of them."
            )
        if self.minimum_bayes_risk and self.n_best > self.num_candidates:
            raise SettingsError(f"n_best must be at most num_candidates; got {self.n_best} and {self.num_candidates}.")
        if self.max_length is not None and self.min_length > self.max_length:
            raise SettingsError(f"min_length must be at most max_length; got {self.min_length} and {self.max_length}.")
        if self.max_ratio is not None and self.min_ratio > self.max_ratio:
            raise SettingsError(f"min_ratio must be at most max_ratio; got {self.min_ratio} and {self.max_ratio}.")
        self.rule(eos_id=0)
        if (blank := next((text for text in self.banned if not text.strip()), None)) is not None:
            raise SettingsError(f"banned must hold words; got {blank!r}.")
        count, longest = len(self.banned), max(map(len, self.banned), default=0)
        if count > MOST_BANNED or longest > LONGEST_BANNED:
            raise SettingsError(
                f"banned must be at most {MOST_BANNED:,} phrases of at most {LONGEST_BANNED:,} characters; got {count:,} of "
                f"up to {longest:,}."
            )

    def check_stream(self) -> None:
        """Make sure that a translation can be streamed.

        Raises:
            SettingsError: an option needs the whole translation.
        """
        for name in ("n_best", "minimum_bayes_risk", "coverage_penalty", "alternatives", "alignment", "trace"):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise SettingsError(
                    f"`stream` does not work with `{name}`, which needs the whole translation; remove `{name}`."
                )

    @property
    def num_wanted(self) -> int:
        """The number of hypotheses that decoding returns for each text."""
        if self.minimum_bayes_risk:
            return self.num_candidates
        return max(self.beam_size, self.n_best) if self.coverage_penalty else self.n_best

    def rule(self, eos_id: int, trace: Trace | None = None, beam_search: type[BeamSearch] = BeamSearch) -> Rule:
        """The decoding rule of these options.

        Args:
            beam_search: an engine's own, or that in PyTorch.
        Raises:
            SettingsError: an option out of range.
        """
        if (make := METHODS[self.method]) is not None:
            rule = make(self, eos_id)
            return rule if isinstance(rule, Rule) else AdoptedRule(rule)
        if self.method == "sample":
            return Sampling(self, (eos_id,), self.num_wanted)
        if self.method == "stochastic_beam":
            return StochasticBeam(self.num_wanted, eos_id)
        beam_size = max(self.beam_size, self.num_candidates) if self.minimum_bayes_risk else self.beam_size
        named_alike = {each.name: getattr(self, each.name) for each in fields(BeamSettings)}
        settings = BeamSettings(**{**named_alike, "beam_size": beam_size, "n_best": self.num_wanted})
        return beam_search(settings, eos_id, trace)

    def filters(self, tokenizer: TextTokens, eos_id: int) -> list[Filter]:
        """The filters of these options.

        Raises:
            SettingsError: an option out of range.
        """
        chosen: list[Filter] = []
        if self.repetition_penalty != 1:
            chosen.append(RepetitionPenalty(self.repetition_penalty))
        if self.no_repeat_ngram is not None:
            chosen.append(NoRepeatedNgrams(self.no_repeat_ngram))
        if self.banned:
            chosen.append(BannedPhrases(tokenizer.endings_of(self.banned)))
        if self.vocabulary:
            chosen.append(OnlyTokens([eos_id, *(id for text in self.vocabulary for id in tokenizer.encode(text))]))
        return chosen

    def lengths(self, num_source_ids: int, max_positions: int) -> tuple[int, int]:
        """The shortest and the longest target of a source, in tokens with the end symbol; by default, the longest is twice
        the source plus 64. A limit that follows from the source gives way to the shortest target; `max_length` does not.
        """
        shortest = max(self.min_length, math.floor(min(self.min_ratio * num_source_ids, max_positions)))
        if self.max_ratio is not None:
            by_source = math.ceil(min(self.max_ratio * num_source_ids, max_positions))
        else:
            by_source = 2 * num_source_ids + 64 if self.max_length is None else max_positions
        longest = min(max_positions, self.max_length or max_positions, max(by_source, shortest, 1))
        return min(shortest, longest), longest


class TextOptions(SamplingOptions):
    """The options of a language model that continues a prompt."""

    temperature: float = Field(default=0.8, ge=0, description="divides the logits; 0 takes the likeliest token")
    max_tokens: int = Field(default=200, ge=1, le=1_000_000, description="how many tokens to write")
    stop_at_line: bool = Field(default=False, description="end with the line")
    stop: tuple[str, ...] = Field(default=(), description="end before any of these texts")
    batch_size: BatchSize = None

    def check(self) -> None:
        """Make sure that the options make sense.

        Raises:
            SettingsError: a stop text is empty.
        """
        if not all(self.stop):
            raise SettingsError("stop must be texts with at least one character; got an empty one.")
