"""Tokenizers of the library `tokenizers`: read safely, as foreign files may be damaged or malicious, and put right."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import tokenizers

from regard.errors import ModelFolderError, RegardError
from regard.text.json_keys import read_unique

PANIC = "PanicException"
"""The name of the error of a panic in the library. It is no `Exception`, and cannot be imported."""
MOST_SAID = 300
"""The number of characters of the library's message that are shown."""
MOST_GROWTH = 4096
"""The most characters that a tokenizer's rules may make from a single one: none comes near it, and thirty rules that
double a text would fill any memory.
"""
OF_UNICODE = 32
"""The growth that is assumed for Unicode's own rules; in fact they make at most 18 characters from one."""
FINEST_SCORE = 2.0**-12
"""The finest difference of the scores of unigram models. Sums up to 4,096 are exact in float32."""
BEYOND = 1 << 60
"""The number at which counting ends."""


@contextmanager
def guarded(where: Path | str, what: str) -> Iterator[None]:
    """Turn an error of the library into a `ModelFolderError`.

    A regular expression that would take for ever is given up by the library's engine after ten million steps, with a panic.

    Args:
        where: the tokenizer, as the message calls it.
        what: what it must be able to do.
    Raises:
        ModelFolderError: the library failed.
    """
    try:
        yield
    except (RegardError, TypeError, UnicodeError, MemoryError, RecursionError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise  # an interrupt, for one
        raise ModelFolderError(f"{where} must be able to {what}; got: {in_one_line(error)}. Is it whole?") from error


def read_content(path: Path | str) -> dict[str, Any]:
    """Read the content of a `tokenizer.json`.

    Raises:
        ModelFolderError: it is missing, or no JSON object.
    """
    try:
        content = read_unique(Path(path).read_bytes())
    except OSError as error:
        raise ModelFolderError(f"{path} must be a tokenizer; got: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelFolderError(
            f"{path} must be a tokenizer in JSON; got: {in_one_line(error)}. Is it whole?"
        ) from error
    if not isinstance(content, dict):
        raise ModelFolderError(f"{path} must be a tokenizer in JSON; got: a {type(content).__name__}. Is it whole?")
    return content


def read_backend(content: dict[str, Any], path: Path | str) -> tokenizers.Tokenizer:
    """Make the library's tokenizer from the content of a `tokenizer.json`, without padding and truncation.

    Raises:
        ModelFolderError: it is damaged, or its rules could make texts too long for any memory.
    """
    try:
        growth = max(_growth(content.get("normalizer")), _growth(content.get("decoder")))
        if growth > MOST_GROWTH:
            raise ModelFolderError(
                f"its rules could make {growth:,} characters of one, and at most {MOST_GROWTH:,} are allowed"
            )
        text = json.dumps({**content, "padding": None, "truncation": None})
        with guarded(path, "be read"):
            backend = tokenizers.Tokenizer.from_buffer(text.encode())
    except (ModelFolderError, RecursionError, UnicodeError) as error:
        what = in_one_line(error.__cause__ or error)
        raise ModelFolderError(f"{path} must be a tokenizer in JSON; got: {what}. Is it whole?") from error
    return backend


def with_unlikely_symbols(backend: tokenizers.Tokenizer, count: int) -> tokenizers.Tokenizer:
    """A unigram model that reads "</s>" in a text as its characters: the library makes symbols the likeliest of all tokens.

    Scores are rounded to a power of 2, so that their sums are exact: of two cuts with the same score, everybody who adds
    them up chooses the same one.
    """
    content = json.loads(backend.to_str())
    scores = [[token, round(score / FINEST_SCORE) * FINEST_SCORE] for token, score in content["model"]["vocab"]]
    lowest = min(score for _, score in scores)
    scores[:count] = [[token, lowest * (len(token) + 1) - 1] for token, _ in scores[:count]]
    content["model"]["vocab"] = scores
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def joining_json(backend_json: str) -> str:
    """The JSON of a tokenizer that puts a space before the first word of a text alone, and not also after added tokens."""
    content = json.loads(backend_json)
    cut = content["pre_tokenizer"]
    for step in cut.get("pretokenizers", [cut]):
        if step["type"] == "Metaspace" and step["prepend_scheme"] == "always":
            step["prepend_scheme"] = "first"
    return json.dumps(content)


def with_words(backend_json: str, words: Sequence[str]) -> str:
    """The JSON of a tokenizer whose tokens are words, with more of them, after all that it has."""
    content = json.loads(backend_json)
    vocabulary, cut = content["model"]["vocab"], content["pre_tokenizer"]
    schemes = [step["prepend_scheme"] for step in cut.get("pretokenizers", [cut]) if step["type"] == "Metaspace"]
    form: Literal["NFC", "NFD"] = "NFD" if content["normalizer"]["type"] == "NFD" else "NFC"
    ids = [*vocabulary.values(), *(token["id"] for token in content["added_tokens"])]
    for word in (unicodedata.normalize(form, word) for word in words):
        for name in (f"▁{word}", *([word] if "never" in schemes else [])):  # without a space before the first word
            if name not in vocabulary:
                vocabulary[name] = max(ids) + 1
                ids.append(vocabulary[name])
    return json.dumps(content)


def in_one_line(error: BaseException) -> str:
    """The message of an error in one line."""
    return " ".join(str(error).split())[:MOST_SAID].rstrip(".")


def _growth(rule: Any) -> int:
    """The most characters that a normalizer or decoder, with those inside it, can make of one."""
    if not isinstance(rule, dict):
        return 1
    inner = rule.get("normalizers") or rule.get("decoders")
    if isinstance(inner, list):
        return min(math.prod(map(_growth, inner)), BEYOND)
    if rule.get("type") == "Precompiled":
        return OF_UNICODE
    if rule.get("type") == "Prepend" and isinstance(rule.get("prepend"), str):
        return 1 + len(rule["prepend"])
    written, read = rule.get("content"), rule.get("pattern")
    if not isinstance(written, str) or not isinstance(read, dict):
        return 1
    if isinstance(read.get("String"), str):
        return max(1, -(-len(written) // max(len(read["String"]), 1)))
    return 1 + len(written)  # what a regular expression finds may be empty


def is_unicode(text: object) -> bool:
    """Whether something is a string without halves of surrogate pairs."""
    try:
        return isinstance(text, str) and text.encode() is not None
    except UnicodeEncodeError:
        return False
