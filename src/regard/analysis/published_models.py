"""Comparison of published models with their original implementation: logits, ids of texts, and a beam search."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.errors import RegardError, printable
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.interop.check import Check, compare
from regard.interop.foreign import MOST_SHOWN, ForeignModel
from regard.interop.formats import read_foreign
from regard.interop.published import HARD_TEXTS, Beam, Original, commit_of
from regard.models.encoder_decoder_classifier import LabelModel

BEAM, LONGEST = 4, 20
SEARCHED = HARD_TEXTS[:3]
"""The texts that a beam search is run for."""
NEAR = 1e-3
"""Hypotheses whose scores differ by less, relative to the score, are equally likely: rounding chooses between them."""


@dataclass(frozen=True)
class PublishedCheck:
    """The results of a check of a published model."""

    name: str
    commit: str
    """The commit on the hub; empty for a local copy."""
    logits: Check | None = None
    texts: tuple[str, ...] = ()
    """Texts that have other ids."""
    searches: tuple[str, ...] | None = ()
    """Texts with another likeliest target; None: the model writes nothing."""
    problem: str = ""
    """The reason why there is no comparison."""

    @property
    def agrees(self) -> bool:
        """Whether everything is equal, up to rounding."""
        is_compared = self.logits is not None and self.logits.agrees
        return is_compared and not (self.texts or self.searches or self.problem)

    def row(self) -> tuple[str, str, str, str, str, str]:
        """The cells of a table: name, commit, difference of logits, equal texts, equal searches, result."""
        if self.logits is None:
            return self.name, self.commit[:7], "", "", "", "not compared"
        total = len(SEARCHED)
        return (
            self.name,
            self.commit[:7],
            f"{self.logits.largest_difference:.1g} of {self.logits.largest_value:.3g}",
            f"{len(HARD_TEXTS) - len(self.texts)}/{len(HARD_TEXTS)}",
            "" if self.searches is None else f"{total - len(self.searches)}/{total}",
            "equal" if self.agrees else "DIFFERENT",
        )

    def details(self) -> list[str]:
        """Sentences about all that differs."""
        lines = [self.problem] if self.problem else []
        if self.logits is not None and not self.logits.agrees:
            lines.append(f"logits differ by {self.logits.largest_difference:.2g}")
        lines += [f"other ids: {text!r}" for text in self.texts]
        lines += [f"another likeliest target: {text!r}" for text in self.searches or ()]
        return [f"{self.name}: {line}" for line in lines]


HEADER = ("model", "commit", "logits differ", "texts", "beams", "result")


def check_published(name: str, folder: Path) -> PublishedCheck:
    """Compare a published model in a folder with `transformers`. An error becomes the `problem` of the result."""
    commit = commit_of(folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pickles, and those of transformers about its own files
            foreign = read_foreign(folder)
            original = Original(foreign)
            return _compared(name, commit, foreign, original)
    except RegardError as error:
        problem = str(error)
    except Exception as error:  # foreign code may raise anything on foreign files
        problem = f"transformers raised {type(error).__name__}: {' '.join(str(error).split())}"
    return PublishedCheck(name, commit, problem=printable(problem[:MOST_SHOWN]))


def _compared(name: str, commit: str, foreign: ForeignModel, original: Original) -> PublishedCheck:
    loaded = foreign.loaded
    source = loaded.source_tokenizer
    logits = compare(loaded.model, loaded.tokenizer.symbols, original.reference, source_symbols=source.symbols)
    texts = tuple(text for text in HARD_TEXTS if source.encode(text) != original.ids(text))
    searches = None
    if not isinstance(loaded.model, LabelModel):
        sources = [source.frame_source(source.encode(text)) for text in SEARCHED]
        ours = _beams(foreign, sources)
        theirs = [original.beam(each, BEAM, LONGEST) for each in sources]
        found = zip(SEARCHED, ours, theirs, strict=True)
        searches = tuple(text for text, mine, other in found if not _is_as_likely(mine, other))
    return PublishedCheck(name, commit, logits, texts, searches)


def _beams(foreign: ForeignModel, sources: Sequence[Sequence[int]]) -> list[Beam]:
    """Our likeliest targets, by an exact search. Prompts are searched one by one, as they may have no padding."""
    model: Any = foreign.loaded.model
    symbols = foreign.loaded.tokenizer.symbols
    target = TargetSymbols(
        symbols.start_ids if model.config.arch == "encoder-decoder" else (),
        symbols.eos_id,
        symbols.pad_id,
        tuple(symbols.banned_ids),
    )
    settings = BeamSettings(beam_size=BEAM, n_best=1, length_norm="none", early_stopping=False)
    beams = []
    for source in sources:
        ((best, *_),) = Decoding(model, [Request(source, LONGEST)], BeamSearch(settings, symbols.eos_id), target).run()
        beams.append(Beam(list(best.ids), best.score))
    return beams


def _is_as_likely(mine: Beam, other: Beam) -> bool:
    return mine.ids == other.ids or abs(mine.score - other.score) <= NEAR * max(1.0, abs(other.score))
