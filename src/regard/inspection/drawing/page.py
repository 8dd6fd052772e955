"""All heads of one text on one HTML page: it opens from disk, asks no network for anything, and follows the theme.

The weights travel as packed numbers, a byte or two for each cell, and are drawn on canvas; `web/page.js` does it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

import numpy

from regard.inspection.record import Record, Tokens

FINE_CELLS = 2_000_000
"""Up to this many cells have two bytes each: 65,535 levels. With more cells, one byte: 255 levels."""
LENS_CELLS = 1_500
"""A larger logit-lens table is left out: a page should have fewer than 5,000 nodes."""


@dataclass(frozen=True)
class Measured:
    """What a page shows beside the weights."""

    statistics: Mapping[str, tuple[str, float, float]]
    """Of each head: its label, entropy and highest weight."""
    log_probs: Sequence[float] = ()
    """Of each token that was written."""
    lens: Sequence[Sequence[tuple[str, float]]] = ()
    """For each layer and row, the likeliest token and its probability."""
    ablations: Sequence[tuple[str, float, str]] = ()
    """Heads that were taken away, the change of the log-probability, and what was written then."""
    note: str = ""
    """One line on what is not shown."""
    says: str = ""
    """One line on what a model that does not write says of the text."""


def page_html(record: Record, measured: Measured, *, text: str, target: str | None, first: str) -> str:
    """The page.

    Args:
        first: the head that is shown at first.
    """
    num_cells = sum(matrix.size for matrix in record.weights.values())
    kind = numpy.uint16 if num_cells <= FINE_CELLS else numpy.uint8
    data = {
        "text": text,
        "target": target,
        "first": first,
        "sites": [
            {"kind": site.kind, "layer": site.layer, "heads": record.heads[site]} for site in record.weights
        ],
        "rows": {kind: tokens.spelled for kind, tokens in record.row_tokens.items()},
        "keys": {kind: tokens.spelled for kind, tokens in record.key_tokens.items()},
        "pieces": {side: {kind: _pieces(tokens, *_text_of(side, kind, text, target)) for kind, tokens in of_side.items()}
                   for side, of_side in (("rows", record.row_tokens), ("keys", record.key_tokens))},
        "statistics": {name: [label, round(a, 4), round(b, 4)] for name, (label, a, b) in measured.statistics.items()},
        "logProbs": [round(value, 4) for value in measured.log_probs],
        "lens": measured.lens if len(measured.lens) * len(measured.lens[0] if measured.lens else ()) <= LENS_CELLS else [],
        "ablations": measured.ablations,
        "bytes": kind().itemsize,
        "packed": _packed(record, kind),
    }  # fmt: skip
    web = files("regard.inspection.drawing") / "web"
    parts = {
        "title": escape(text[:80]),
        "note": escape(measured.note),
        "says": escape(measured.says),
        "style": (web / "page.css").read_text(encoding="utf-8"),
        "script": (web / "page.js").read_text(encoding="utf-8"),
        # Inside a script element, only "<" could end it.
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    pieces = (web / "page.html").read_text(encoding="utf-8").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def _text_of(side: str, kind: str, text: str, target: str | None) -> tuple[str, str]:
    """Which text the rows or keys of a kind of attention are tokens of, and the id of its element on the page."""
    if target is None or kind == "encoder" or (kind == "cross" and side == "keys"):
        return text, "text"
    return target, "target-text"


def _pieces(tokens: Tokens, text: str, text_id: str) -> dict[str, Any]:
    """What each token covers of its text: together they are the text, up to its last word. Those that stand nowhere in it have
    none."""
    pieces, done = [], 0
    for token, span in zip(tokens.spelled, tokens.offsets, strict=True):
        end = done if span is None else max(done, span[1])
        if span is None and token.strip() and text[done:].lstrip().startswith(token):  # a symbol that was typed: <mask>
            end = text.index(token, done) + len(token)
        pieces.append(text[done:end])
        done = end
    return {"of": text_id, "pieces": pieces}


def _packed(record: Record, kind: type[numpy.unsignedinteger]) -> str:
    """All weights, one attention after the other, each `head row key`; the largest number stands for a forbidden cell."""
    forbidden = int(numpy.iinfo(kind).max)
    flat = [
        numpy.where(numpy.ma.getmaskarray(matrix), forbidden, numpy.rint(matrix.filled(0) * (forbidden - 1)))
        .astype(numpy.dtype(kind).newbyteorder("<"))
        .tobytes()
        for matrix in record.weights.values()
    ]
    return base64.b64encode(zlib.compress(b"".join(flat), 6)).decode()
