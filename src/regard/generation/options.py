"""How texts are to be translated: one record of options, and the rules of decoding that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.errors import SettingsError, nearest_hint
from regard.generation.decoding import Rule
from regard.generation.filters import BannedPhrases, Filter, NoRepeatedNgrams, OnlyTokens, RepetitionPenalty
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.sampling import Sampling, SamplingSettings
from regard.generation.rules.stochastic import StochasticBeam
from regard.generation.rules.trace import Trace

METHODS = ("beam", "sample", "stochastic_beam")
MOST_WORKERS = 64
"""Batches side by side: more than processors have use for."""
OF_METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("beam_size", "length_penalty", "length_norm", "early_stopping", "num_groups"), ("beam",)),
    **dict.fromkeys(("coverage_penalty", "trace"), ("beam",)),
    **dict.fromkeys(("temperature", "top_k", "top_p", "min_p", "typical"), ("sample",)),
    "seed": ("sample", "stochastic_beam"),
}
"""The methods that read an option, where it is not all of them."""


class DecodingOptions(BaseModel):
    """How to decode. The defaults search with a beam of 5."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    method: str = Field(
        "beam", description="beam; sample: draw tokens; stochastic_beam: draw whole texts without replacement"
    )
    beam_size: int = Field(5, ge=1, description="hypotheses that go on at each step; 1 is greedy search")
    n_best: int = Field(1, ge=1, description="translations of each text, at most beam_size; how many samples are drawn")
    length_penalty: float = Field(1.0, ge=0, description="the exponent alpha; 0 favours short translations")
    length_norm: str = Field("wu", description="wu: ((5 + length) / 6)^alpha; average: length^alpha; none: 1")
    coverage_penalty: float = Field(
        0.0,
        ge=0,
        description="beta; the beam's finished hypotheses are ranked by how much of the source they attended to, too",
    )
    early_stopping: bool = Field(
        True, description="stop when beam_size have finished and none live is better now; false: exact, slow"
    )
    num_groups: int = Field(1, ge=1, description="of a diverse beam; each has beam_size / num_groups hypotheses")
    diversity: float = Field(
        0.5, ge=0, description="what a group pays for a token that an earlier group chose, in nats"
    )
    temperature: float = Field(1.0, ge=0, description="of samples; divides the logits")
    top_k: int | None = Field(None, ge=1, description="draw from so many of the likeliest tokens only")
    top_p: float = Field(1.0, gt=0, le=1, description="draw from the likeliest tokens of this probability only")
    min_p: float = Field(
        0.0, ge=0, lt=1, description="draw from tokens with at least this share of the likeliest one's probability"
    )
    typical: float = Field(1.0, gt=0, le=1, description="draw from the most typical tokens of this probability only")
    seed: int = Field(1, ge=0, lt=2**63, description="number that all random choices come from")
    risk: Literal["chrf", "bleu"] | None = Field(
        None, description="choose among candidates the one that agrees most with the others, by this score"
    )
    num_candidates: int = Field(32, ge=1, description="how many samples, or beam hypotheses, risk chooses among")
    max_length: int | None = Field(None, ge=1, description="tokens that a translation may have, the end included")
    max_ratio: float | None = Field(None, gt=0, description="the same, for each token of the source, its end included")
    min_length: int = Field(0, ge=0, description="tokens that a translation must have, the end included")
    min_ratio: float = Field(0.0, ge=0, description="the same, for each token of the source, its end included")
    no_repeat_ngram: int | None = Field(None, ge=1, description="no n-gram of this size is written twice")
    repetition_penalty: float = Field(
        1.0, gt=0, description="log-probabilities of tokens written before are multiplied by it"
    )
    banned: tuple[str, ...] = Field((), description="phrases that are not written")
    vocabulary: tuple[str, ...] = Field((), description="only tokens of these texts are written; empty: all")
    batch_size: int = Field(64, ge=1, description="texts under way at once; the result does not depend on it")
    workers: int | None = Field(
        None,
        ge=1,
        le=MOST_WORKERS,
        description="batches that are decoded side by side on a processor; null: 2 where there is work for them",
    )
    deterministic: bool = Field(
        False, description="each text on its own: the same to the last bit whatever else is translated, and slower"
    )
    alternatives: int = Field(0, ge=0, description="give the so many likeliest tokens of each step")
    alignment: bool = Field(False, description="say which source tokens each token was written from")
    trace: bool = Field(False, description="tell every candidate of the search")

    @classmethod
    def of(cls, **options: Any) -> DecodingOptions:
        """Options by name, the rest being the defaults.

        Raises:
            SettingsError: an unknown name, a value out of range, or options of which one would have no effect.
        """
        for name, value in options.items():  # YAML's `yes` and `on` would be numbers to Python
            if (
                isinstance(value, bool)
                and name in cls.model_fields
                and not isinstance(cls.model_fields[name].default, bool)
            ):
                raise SettingsError(f"{name} must be a number or text; got the truth value {value}.")
        try:
            made = cls(**options)
        except ValidationError as error:
            problem = error.errors()[0]
            name = ".".join(str(part) for part in problem["loc"])
            if problem["type"] == "extra_forbidden":
                hint = nearest_hint(name, cls.model_fields)
                raise SettingsError(f"options must be known ones; got {name!r}. {hint}") from error
            message = problem["msg"].removeprefix("Input ").removeprefix("should be").strip()
            message = message.replace("greater than or equal to", "at least").replace(
                "less than or equal to", "at most"
            )
            raise SettingsError(f"{name} must be {message}; got {problem['input']!r}.") from error
        made.check()
        return made

    def changed(self, **changes: Any) -> DecodingOptions:
        """These options but for some.

        Raises:
            SettingsError: as for `of`.
        """
        return self.of(**(self.model_dump() | changes)) if changes else self

    def seeded(self, seed: int) -> DecodingOptions:
        """These options with another seed, whatever the method."""
        return self.model_copy(update={"seed": seed})

    def check(self) -> None:
        """Make sure that the options make sense together.

        Raises:
            SettingsError: they do not.
        """
        if self.method not in METHODS:
            hint = nearest_hint(self.method, METHODS)
            raise SettingsError(f"method must be {', '.join(METHODS)}; got {self.method!r}. {hint}")
        fields = type(self).model_fields
        for name, methods in OF_METHODS.items():
            if self.method not in methods and getattr(self, name) != fields[name].default:
                needs = " or ".join(f"method={method}" for method in methods)
                raise SettingsError(f"{name} has no effect with method={self.method}; remove it, or use {needs}.")
        if self.diversity != fields["diversity"].default and self.num_groups == 1:
            raise SettingsError("diversity has no effect with one group; remove it, or set num_groups.")
        if self.num_candidates != fields["num_candidates"].default and not self.risk:
            raise SettingsError("num_candidates has no effect without risk; remove it, or set risk=chrf.")
        if self.coverage_penalty and self.risk:
            raise SettingsError("coverage_penalty and risk both choose among hypotheses; remove one of them.")
        if self.coverage_penalty and self.n_best > self.beam_size:
            raise SettingsError(
                f"n_best must be from 1 to beam_size; got n_best {self.n_best} and beam_size {self.beam_size}."
            )
        if self.risk and self.n_best > self.num_candidates:
            raise SettingsError(f"n_best must be at most num_candidates; got {self.n_best} and {self.num_candidates}.")
        if self.max_length is not None and self.min_length > self.max_length:
            raise SettingsError(f"min_length must be at most max_length; got {self.min_length} and {self.max_length}.")
        self.rule(eos_id=0)
        self.filters(lambda text: [0], eos_id=0)

    def check_stream(self) -> None:
        """Make sure that a translation can be told while it is written.

        Raises:
            SettingsError: an option needs all of it.
        """
        for name in ("n_best", "risk", "coverage_penalty", "alternatives", "alignment", "trace"):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise SettingsError(
                    f"stream cannot be told with {name}, which needs the whole translation; remove {name}."
                )

    @property
    def num_wanted(self) -> int:
        """Hypotheses that decoding is asked for."""
        if self.risk:
            return self.num_candidates
        return self.beam_size if self.coverage_penalty else self.n_best

    def rule(self, eos_id: int, trace: Trace | None = None) -> Rule:
        """What is done with logits.

        Raises:
            SettingsError: an option out of range.
        """
        if self.method == "sample":
            settings = SamplingSettings(self.temperature, self.top_k, self.top_p, self.min_p, self.typical)
            return Sampling(settings, (eos_id,), self.num_wanted)
        if self.method == "stochastic_beam":
            return StochasticBeam(self.num_wanted, eos_id)
        beam_size = max(self.beam_size, self.num_candidates) if self.risk else self.beam_size
        settings_of_beam = BeamSettings(
            beam_size,
            self.num_wanted,
            self.length_penalty,
            self.length_norm,
            self.early_stopping,
            self.num_groups,
            self.diversity,
        )
        return BeamSearch(settings_of_beam, eos_id, trace)

    def filters(self, encode: Callable[[str], Sequence[int]], eos_id: int) -> list[Filter]:
        """What changes log-probabilities.

        Args:
            encode: the ids of a text.
        Raises:
            SettingsError: an option out of range.
        """
        chosen: list[Filter] = []
        if self.repetition_penalty != 1:
            chosen.append(RepetitionPenalty(self.repetition_penalty))
        if self.no_repeat_ngram is not None:
            chosen.append(NoRepeatedNgrams(self.no_repeat_ngram))
        if self.banned:
            chosen.append(BannedPhrases([list(encode(text)) for text in self.banned]))
        if self.vocabulary:
            chosen.append(OnlyTokens([eos_id, *(id for text in self.vocabulary for id in encode(text))]))
        return chosen

    def lengths(self, num_source_ids: int, max_positions: int) -> tuple[int, int]:
        """The shortest and the longest target of a source, in tokens with the end symbol; where nothing is said, up to twice
        the source, and 64 more.
        """
        limits = [max_positions]
        if self.max_length is not None:
            limits.append(self.max_length)
        if self.max_ratio is not None:
            limits.append(max(math.ceil(self.max_ratio * num_source_ids), 1))
        if len(limits) == 1:
            limits.append(2 * num_source_ids + 64)
        longest = min(limits)
        shortest = max(self.min_length, math.floor(self.min_ratio * num_source_ids))
        return min(shortest, longest), longest
