"""The texts of a request: their markup, and the sentences of what is to be translated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from regard.documents.markup import Block, Document, parse
from regard.documents.sentences import Pieces, split, split_lines
from regard.serving.limits import ServingError
from regard.serving.translation_request import TranslationRequest


def documents_of(wanted: TranslationRequest) -> list[Document]:
    """Each text as blocks; one without markup is one block.

    Raises:
        ServingError: 400, prefixes or required phrases of texts with markup.
        DataError: a text whose elements are too many, or nested too deeply.
    """
    if wanted.format == "text":
        return [Document(["", ""], [Block(text)]) for text in wanted.texts]
    if wanted.prefixes is not None or wanted.required is not None:
        raise ServingError(400, "prefix and required are for texts without markup.")
    is_html = wanted.format == "html"
    return [
        parse(text, ignored=wanted.ignored, is_html=is_html, outline=wanted.outline, keeps_lines=wanted.ends_at_lines)
        for text in wanted.texts
    ]


def pieces_of(
    wanted: TranslationRequest, blocks: Sequence[Block], language: str | None, fits: Callable[[str], bool]
) -> list[Pieces]:
    """The sentences of each block. Every line is translated by itself, as LibreTranslate and DeepL do.

    Args:
        language: ISO 639 code; None: unknown.
        fits: whether the model can read a sentence.
    Raises:
        ServingError: 400, a text of several lines whose translation is to have a prefix or phrases.
    """
    if wanted.prefixes is not None or wanted.required is not None:
        return [check_one_line(block.text) for block in blocks]
    if not wanted.splits:
        return [split_lines(block.text) for block in blocks]
    if wanted.format == "text" and wanted.ends_at_lines is False:
        return [_across_lines(split(block.text, language, fits, ends_at_lines=False)) for block in blocks]
    return [split(block.text, language, fits) for block in blocks]


def check_one_line(text: str) -> Pieces:
    """A text as one line and the space around it.

    Raises:
        ServingError: 400, it has several lines.
    """
    pieces = split_lines(text)
    if (count := len(pieces.sentences)) > 1:
        rule = "A text with prefix, required or trace must be one line"
        raise ServingError(400, f"{rule}; got {count}. Send each line by itself.")
    return pieces


def _across_lines(pieces: Pieces) -> Pieces:
    """Sentences with a space for each line end inside: the model was trained on lines, and knows no such sign."""
    sentences = [sentence.translate(SPACES) for sentence in pieces.sentences]
    return Pieces(sentences, pieces.between, pieces.num_cut)


SPACES = str.maketrans(dict.fromkeys("\n\r", " "))
"""A space for each end of a line."""
