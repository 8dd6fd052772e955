"""All heads of one text on one HTML page: it opens from disk, asks no network for anything, and follows the theme.

It is the page of `regard serve` with its data inside. The sources of its script are in `web/`, at the root of the repository;
what they are bundled to is in the folder beside this file. The weights travel as packed numbers, a byte or two for each cell.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

import numpy

from regard.inspection.record import HeadName, Matrix, Record

FINE_CELLS = 2_000_000
"""The number of cells up to which each has two bytes: 65,535 levels. With more cells, one byte: 255 levels."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="page"></div>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
<!--
The script contains:

{licences}-->
"""


def web_file(name: str) -> bytes:
    """A file of the page: page.js, style.css or LICENCES.txt."""
    return (files("regard.inspection.drawing") / "web" / name).read_bytes()


def page_html(
    record: Record, summary: Mapping[str, Any], *, first: str, note: str = "", says: str = "", can_lens: bool = False
) -> str:
    """The page as HTML.

    Args:
        summary: of the inspection: everything but the weights.
        first: the head that is shown at first.
        note: one line on what is not shown.
        says: one line on what a model that does not write says of the text.
        can_lens: whether an inspection with `--lens` could have what each layer would say.
    """
    num_cells = sum(matrix.size for matrix in record.weights.values())
    kind = numpy.uint16 if num_cells <= FINE_CELLS else numpy.uint8
    data = {
        "inspection": summary,
        "parts": [
            {"heads": [str(HeadName(*site, head)) for head in record.heads[site]],
             "rows": matrix.shape[-2], "keys": matrix.shape[-1]}
            for site, matrix in record.weights.items()
        ],
        "bytes": kind().itemsize,
        "packed": base64.b64encode(
            zlib.compress(b"".join(packed(matrix, kind) for matrix in record.weights.values()), 6)
        ).decode(),
        "first": first,
        "note": note,
        "says": says,
        "can_lens": can_lens,
    }  # fmt: skip
    return HTML.format(
        policy=POLICY,
        title=escape(str(summary["text"])[:80]),
        style=web_file("style.css").decode(),
        script=web_file("page.js").decode(),
        licences=web_file("LICENCES.txt").decode().replace("--", "-"),
        # Inside a script element, only "<" could end it.
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    )


def packed(weights: Matrix, kind: type[numpy.unsignedinteger]) -> bytes:
    """Pack weights as whole numbers, the lowest byte first. The largest number stands for a cell that a mask forbids,
    and the one below it for a weight of 1.
    """
    forbidden = int(numpy.iinfo(kind).max)
    numbers = numpy.where(
        numpy.ma.getmaskarray(weights), forbidden, numpy.rint(weights.filled(0) * (forbidden - 1))
    )  # fmt: skip
    return numbers.astype(numpy.dtype(kind).newbyteorder("<")).tobytes()
