"""A reader of JSON whose keys are all different: of two values with one key, Python's reader would keep the last."""

from __future__ import annotations

import json
from typing import Any


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise ValueError(f"the key {twice!r} stands twice")
    return content


_DECODER = json.JSONDecoder(object_pairs_hook=_with_unique_keys)


def read_unique(text: str | bytes) -> Any:
    """Parse a JSON text; bytes are decoded in the encoding that they begin like.

    Raises:
        ValueError: it is not JSON, or a key of an object stands twice.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    return _DECODER.decode(text)
