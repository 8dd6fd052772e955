"""The page at `/`: its files ship with the package (`web/` has their sources), and are named by their content."""

from __future__ import annotations

import gzip
import hashlib
import re

from starlette.responses import HTMLResponse, Response

from regard.inspection.drawing.heads_page import web_file
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.interfaces.libretranslate import failure

NAME = "page"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
KINDS = {"page.js": "text/javascript", "style.css": "text/css", "LICENCES.txt": "text/plain"}
HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Regard</title>
<link rel="icon" href="page/icon.svg">
<link rel="stylesheet" href="page/{style}">
<script src="page/{script}" defer></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. Programs use the paths at <a href="docs">/docs</a>.</noscript>
</body>
</html>
"""
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M3 4h10M3 12h10" stroke="#1f5fbf" stroke-width="2" stroke-linecap="round"/><path d="M4 11 8 5M12 11 4 5M12 11 12 5" stroke="#d1661a" stroke-width="1.2" fill="none"/></svg>"""  # noqa: E501


def takes_gzip(accepted: str) -> bool:
    """Whether the header `Accept-Encoding` takes gzip. Source: RFC 9110, section 12.5.3."""
    weights = {}
    for part in accepted.lower().split(","):
        coding, _, weight = part.partition(";")
        found = re.fullmatch(r"\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*", weight) if weight else None
        weights[coding.strip()] = float(found[1]) if found else float(not weight)
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0))) > 0


CONTENTS = {name: web_file(name) for name in KINDS}
NAMED = {name: f"{hashlib.sha256(content).hexdigest()[:16]}-{name}" for name, content in CONTENTS.items()}
SERVED = {NAMED[name]: (content, KINDS[name]) for name, content in CONTENTS.items()} | {
    "LICENCES.txt": (CONTENTS["LICENCES.txt"], "text/plain"),
    "icon.svg": (ICON.encode(), "image/svg+xml"),
}
"""The files; a browser keeps those that have their content in their name for good, as another content has another name."""
COMPRESSED = {name: gzip.compress(content, 9, mtime=0) for name, (content, _) in SERVED.items()}


async def page(context: RequestContext) -> HTMLResponse:
    """The page: translate in the browser, and look inside."""
    html = HTML.format(style=NAMED["style.css"], script=NAMED["page.js"])
    return HTMLResponse(html, headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"})


async def file(context: RequestContext) -> Response:
    """A file of the page."""
    name = context.request.path_params["name"]
    if name not in SERVED:
        return Response(status_code=404)
    content, kind = SERVED[name]
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Vary": "Accept-Encoding",
    }
    if takes_gzip(context.request.headers.get("accept-encoding", "")):
        content, headers["Content-Encoding"] = COMPRESSED[name], "gzip"
    return Response(content, media_type=kind, headers=headers)


INTERFACE = Interface(NAME, "/", failure)
ROUTES = [
    Route("GET", "/", page, INTERFACE, media_types=("text/html",), needs_key=False),
    Route("GET", "/page/{name}", file, INTERFACE, needs_key=False, in_document=False),
]
