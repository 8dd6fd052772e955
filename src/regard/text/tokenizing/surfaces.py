"""The bytes that each token writes, as the decoder of a tokenizer puts tokens together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from tokenizers.pre_tokenizers import ByteLevel

BYTE = re.compile("<0x([0-9A-F]{2})>")
"""A token that stands for a byte."""


def surfaces_of(tokens: Sequence[str | None], decoder: Any) -> list[bytes]:
    """The bytes of each token; none for a missing one.

    Args:
        decoder: the library's; None: tokens are joined by spaces.
    """
    write = _writer(decoder)
    return [b"" if token is None else write(token) for token in tokens]


def _writer(decoder: Any) -> Callable[[str], bytes]:
    content = {} if decoder is None else json.loads(decoder.__getstate__())
    all_steps = [step for step in content.get("decoders", [content]) if step]
    steps = {step["type"]: step for step in all_steps}
    if "ByteLevel" in steps:
        bytes_of = _bytes_of_characters()
        return lambda token: b"".join(bytes_of.get(character) or character.encode() for character in token)
    if "WordPiece" in steps:
        prefix = steps["WordPiece"]["prefix"]
        return lambda token: (token[len(prefix) :] if token.startswith(prefix) else f" {token}").encode()
    if "BPEDecoder" in steps:
        suffix = steps["BPEDecoder"]["suffix"]
        return lambda token: token.replace(suffix, " ").encode()
    if decoder is None:
        return lambda token: f" {token}".encode()
    falls_back = "ByteFallback" in steps
    replaced = [(step["replacement"], " ") for step in all_steps if step["type"] == "Metaspace"]
    replaced += [
        (step["pattern"]["String"], step["content"])
        for step in all_steps
        if step["type"] == "Replace" and "String" in step["pattern"]
    ]

    def write(token: str) -> bytes:
        if falls_back and (byte := BYTE.fullmatch(token)):
            return bytes.fromhex(byte[1])
        for old, new in replaced:
            token = token.replace(old, new)
        return token.encode()

    return write


def _bytes_of_characters() -> dict[str, bytes]:
    """The byte that each character of byte-level tokens stands for: printable ones for themselves, then from U+0100 on."""
    alphabet, others = set(ByteLevel.alphabet()), count(0x100)
    return {chr(byte) if chr(byte) in alphabet else chr(next(others)): bytes([byte]) for byte in range(256)}
