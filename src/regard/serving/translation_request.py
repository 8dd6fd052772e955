"""Texts that a client wants translated, whichever interface it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from regard.documents.markup import Outline
from regard.documents.terms import Terms
from regard.generation.options import DecodingOptions


@dataclass(frozen=True)
class TranslationRequest:
    """Texts to translate, and the options of that."""

    texts: Sequence[str]
    source: str | None = None
    """ISO 639 code; None: the language that the model reads, or that is detected."""
    target: str | None = None
    options: DecodingOptions = field(default_factory=DecodingOptions)
    prefixes: Sequence[str] | None = None
    required: Sequence[Sequence[str]] | None = None
    splits: bool = True
    """Whether lines are split into sentences."""
    ends_at_lines: bool | None = None
    """Whether the end of a line in the source ends a sentence; None: in texts and XML, but not in HTML."""
    format: str = "text"
    """`text`, `html` or `xml`."""
    ignored: frozenset[str] = frozenset()
    """Elements that pass as they are."""
    outline: Outline = field(default_factory=Outline)
    """The elements of XML that are paragraphs."""
    glossaries: Sequence[Terms] = ()
    """The translation of a sentence must have the target phrases of the terms in it; in place of `required`."""
