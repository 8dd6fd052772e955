"""The texts of a request: their markup, and the sentences of what is to be translated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from regard.serving.answers import Asked
from regard.serving.limits import ServingError
from regard.serving.texts.markup import Block, Document, parse
from regard.serving.texts.sentences import Pieces, split, split_lines


def documents_of(asked: Asked) -> list[Document]:
    """Each text as blocks; one without markup is one block.

    Raises:
        ServingError: 400, prefixes or required phrases of texts with markup.
        DataError: a text whose elements are too many, or nested too deeply.
    """
    if asked.format == "text":
        return [Document(["", ""], [Block(text)]) for text in asked.texts]
    if asked.prefixes is not None or asked.required is not None:
        raise ServingError(400, "prefixes and required are for texts without markup.")
    is_html = asked.format == "html"
    return [
        parse(text, ignored=asked.ignored, is_html=is_html, outline=asked.outline, keeps_lines=asked.ends_at_lines)
        for text in asked.texts
    ]


def pieces_of(asked: Asked, blocks: Sequence[Block], language: str | None, fits: Callable[[str], bool]) -> list[Pieces]:
    """The sentences of each block. Every line is translated by itself, as LibreTranslate and DeepL do.

    Args:
        language: ISO 639 code; None: unknown.
        fits: whether the model can read a sentence.
    Raises:
        ServingError: 400, a text of several lines whose translation is to have a prefix or phrases.
    """
    if asked.prefixes is not None or asked.required is not None:
        return [check_one_line(block.text) for block in blocks]
    if asked.whole:
        return [split_lines(block.text) for block in blocks]
    if asked.format == "text" and asked.ends_at_lines is False:
        return [_across_lines(split(block.text, language, fits, ends_at_lines=False)) for block in blocks]
    return [split(block.text, language, fits) for block in blocks]


def check_one_line(text: str) -> Pieces:
    """A text as one line and the space around it.

    Raises:
        ServingError: 400, it has several lines.
    """
    pieces = split_lines(text)
    if (count := len(pieces.sentences)) > 1:
        rule = "A text with prefixes, required or trace must be one line"
        raise ServingError(400, f"{rule}; got {count}. Send each line by itself.")
    return pieces


def _across_lines(pieces: Pieces) -> Pieces:
    """The same, with a space for each line end inside a sentence: the model was trained on lines, and knows no such sign."""
    sentences = [sentence.translate(SPACES) for sentence in pieces.sentences]
    return Pieces(sentences, pieces.between, pieces.num_cut)


SPACES = str.maketrans(dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))
"""A space for each end of a line."""
