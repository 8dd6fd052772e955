"""HTTP: which path belongs to which interface, how bodies are read, and what is done when a client goes away."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from regard.errors import RegardError
from regard.serving.http import named, page
from regard.serving.http.access import GONE, Access
from regard.serving.http.google import Google
from regard.serving.http.inspecting import Inspecting
from regard.serving.http.own import Own
from regard.serving.http.transport import Call, Read, http_error, receive, response_of
from regard.serving.interfaces import deepl, google, libretranslate, native, openapi, shapes
from regard.serving.interfaces.deepl_glossaries import DeeplGlossaries
from regard.serving.interfaces.encoding import Answer, texts_of
from regard.serving.interfaces.openai import envelope
from regard.serving.keys import Keys
from regard.serving.limits import ServingError, UnsupportedLanguageError
from regard.serving.service import Service

LOG = logging.getLogger("regard.serving")
WriteError = Callable[[int, str], Answer]
OPEN = ("/languages", "/frontend/settings")
"""Paths that need no key, as with LibreTranslate: clients ask for them before they have one."""


class App:
    """The server as a Starlette application.

    Args:
        cors: origins whose pages may ask; none: those of this server alone.
    """

    def __init__(self, service: Service, keys: Keys, *, cors: Sequence[str] = ()) -> None:
        self.service, self.keys = service, keys
        self.glossaries = DeeplGlossaries(service)
        self._own, self._inspecting, self._google = Own(service), Inspecting(service), Google(service)
        self._paths = self._routes()
        middleware = []
        if cors:
            middleware.append(
                Middleware(CORSMiddleware, allow_origins=list(cors), allow_methods=["*"], allow_headers=["*"])
            )
        app = Starlette(
            routes=self._paths,
            middleware=middleware,
            exception_handlers={HTTPException: http_error, Exception: http_error},
        )
        self.asgi = Access(app, service.limits)

    def _routes(self) -> list[Route]:
        libre = ("libretranslate", libretranslate.error)
        deep, chat, own = ("deepl", deepl.error), ("openai", envelope.error), ("native", native.error)
        plain = libretranslate.error
        table: list[tuple[str, str, tuple[str, WriteError], Read]] = [
            ("/translate", "POST", libre, self.translate),
            ("/languages", "GET", libre, self.languages),
            ("/detect", "POST", libre, self.detect),
            ("/frontend/settings", "GET", libre, self.settings),
            ("/spec", "GET", libre, self.spec),
            ("/docs", "GET", libre, self.docs),
            ("/v2/translate", "GET POST", deep, self.deepl_translate),
            ("/v2/languages", "GET POST", deep, self.deepl_languages),
            ("/v2/usage", "GET POST", deep, self.deepl_usage),
            ("/v1/models", "GET", chat, named.list_models),
            ("/v1/models/{id:path}", "GET", chat, named.show_model),
            ("/v1/chat/completions", "POST", chat, named.chat),
            ("/v1/completions", "POST", chat, named.complete),
            ("/imme", "POST", ("immersive", plain), self.immersive),
            ("/kiss", "POST", ("kiss", plain), self.kiss),
            ("/deeplx", "POST", ("deeplx", plain), self.deeplx),
        ]
        table += [(path, "GET POST", ("google", google.error), read) for path, read in self._google.table()]
        table += [(path, methods, deep, read) for path, methods, read in self.glossaries.table()]
        table += [
            (f"/api/v1/{path}", methods, own, read)
            for path, methods, read in (*self._own.table(), *self._inspecting.table())
        ]
        routes = [
            Route(path, self._endpoint(name, write, read), methods=methods.split())
            for path, methods, (name, write), read in table
        ]
        unread = {"/health": self.health, "/ready": self.ready, "/metrics": self.metrics}
        return [*page.routes(), *routes, *(Route(path, endpoint, methods=["GET"]) for path, endpoint in unread.items())]

    def _endpoint(self, name: str, write_error: WriteError, read: Read) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            started = time.perf_counter()
            response: Response
            try:
                received = await receive(request, self.service.limits)
                call = Call(self.service, request, received)
                if request.url.path not in OPEN:
                    call.owner = self.keys.check(received.headers, call.fields)
                found = await read(call)
                response = found if isinstance(found, Response) else response_of(found)
            except ClientDisconnect:
                response = Response(status_code=GONE)
            except ServingError as error:
                response = response_of(_written(write_error, error))
                if error.retry_after is not None:
                    response.headers["Retry-After"] = str(error.retry_after)
            except TimeoutError:
                response = response_of(write_error(504, f"A request may take {self.service.limits.seconds:g} seconds."))
            except RegardError as error:
                response = response_of(write_error(400, str(error)))
            except Exception:
                LOG.exception("a request failed")
                response = response_of(write_error(500, "The server failed to answer this request."))
            self.service.metrics.count("regard_requests_total", interface=name, status=str(response.status_code))
            self.service.metrics.observe("regard_request_seconds", time.perf_counter() - started)
            return response

        return endpoint

    # LibreTranslate, and nllb-serve, which shares its path

    async def translate(self, call: Call) -> Answer:
        """`/translate`."""
        if shapes.is_nllb(call.fields):
            asked = shapes.nllb(call.fields)
            return shapes.nllb_answer(asked, (await call.answered(asked))[0])
        wanted = libretranslate.parse(call.received, self.service.limits)
        try:
            found, source = await call.answered(wanted.asked)
        except UnsupportedLanguageError as error:
            raise libretranslate.unsupported(error) from error
        names = [
            [
                self._inspecting.inspections.add(source.direction, sentence, each.ids)
                for sentence, each in zip(text.sources, text.sentences, strict=True)
            ]
            for text in (found if wanted.details else ())
        ]
        return libretranslate.answer(wanted, found, source.direction.source, source.confidence, names)

    async def languages(self, call: Call) -> Answer:
        """`/languages`."""
        return libretranslate.languages(self.service.languages())

    async def detect(self, call: Call) -> Answer:
        """`/detect`."""
        if call.fields.get("q") is None:
            raise ServingError(400, "Invalid request: missing q parameter")
        texts, _ = texts_of(call.fields["q"], "q")
        self.service.check_texts(texts)
        return libretranslate.detected(self.service.detect("\n".join(texts)))

    async def settings(self, call: Call) -> Answer:
        """`/frontend/settings`."""
        return libretranslate.settings(self.service.languages(), self.service.limits, keys=self.keys.are_needed)

    async def spec(self, call: Call) -> Answer:
        """`/spec`: the paths, as OpenAPI has them."""
        return Answer(self._spec())

    async def docs(self, call: Call) -> Response:
        """`/docs`: the same as a page."""
        policy = "default-src 'none'; style-src 'unsafe-inline'"
        return HTMLResponse(openapi.page(self._spec()), headers={"Content-Security-Policy": policy})

    def _spec(self) -> dict[str, Any]:
        return openapi.spec((route.path, route.methods or ()) for route in self._paths if route.include_in_schema)

    # DeepL

    async def deepl_translate(self, call: Call) -> Answer:
        """`/v2/translate`."""
        asked = self.glossaries.used(call, deepl.parse(call.received))
        found, source = await call.answered(asked)
        return deepl.answer(asked, found, source.direction.source)

    async def deepl_languages(self, call: Call) -> Answer:
        """`/v2/languages`."""
        return deepl.languages(call.received, self.service.languages())

    async def deepl_usage(self, call: Call) -> Answer:
        """`/v2/usage`."""
        return deepl.usage(self.service.num_characters[call.owner])

    # small ones

    async def immersive(self, call: Call) -> Answer:
        """Immersive Translate."""
        found, source = await call.answered(shapes.immersive(call.fields))
        return shapes.immersive_answer(found, source.direction.source)

    async def kiss(self, call: Call) -> Answer:
        """kiss-translator."""
        asked, is_list = shapes.kiss(call.fields)
        found, source = await call.answered(asked)
        return shapes.kiss_answer(asked, found, source.direction.source, is_list=is_list)

    async def deeplx(self, call: Call) -> Answer:
        """DeepLX."""
        asked = shapes.deeplx(call.fields)
        return shapes.deeplx_answer((await call.answered(asked))[0], asked)

    # for those who run it

    async def health(self, request: Request) -> Response:
        """Whether the server is alive, and what has gone wrong."""
        engines = self.service.all_engines
        crashes = sum(engine.num_crashes for engine in engines)
        content: dict[str, Any] = {"status": "ok"}  # and no more where all is well, as LibreTranslate's clients expect
        if crashes:
            content["crashes"] = crashes
            content["last_crash"] = next(engine.last_crash for engine in engines if engine.num_crashes)
        if self.service.reload_error:
            content["reload_error"] = self.service.reload_error
        return response_of(Answer(content))

    async def ready(self, request: Request) -> Response:
        """Whether requests are taken."""
        engines = {str(name): engine for name, engine in (*self.service.engines.items(), *self.service.others.items())}
        full = [name for name, engine in engines.items() if engine.queue_depth >= self.service.limits.queue]
        if self.service.is_draining or full:
            return response_of(
                Answer({"status": "draining" if self.service.is_draining else "full", "models": full}, 503)
            )
        return response_of(Answer({"status": "ready", "models": list(engines)}))

    async def metrics(self, request: Request) -> Response:
        """Counts, as Prometheus reads them."""
        return PlainTextResponse(self.service.metrics.text(), media_type="text/plain; version=0.0.4")


def _written(write_error: WriteError, error: ServingError) -> Answer:
    """An error in the form of an interface. OpenAI's names the field."""
    if write_error is envelope.error:
        return envelope.error(error.status, str(error), error.param, error.code)
    return write_error(error.status, str(error))
