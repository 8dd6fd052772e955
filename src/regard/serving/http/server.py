"""The process: models are loaded, connections are taken, and signals end or renew it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import uvicorn

from regard.errors import RegardError, SettingsError
from regard.serving.endpoints.context import ServerContext
from regard.serving.http.app import App
from regard.serving.http.connections import ACCEPTED_AT_ONCE, allow_many_files, places, protocol
from regard.serving.keys import Keys
from regard.serving.model_registry import ModelRegistry
from regard.serving.process_reports import SECONDS
from regard.serving.shared_state import SharedState

LOG = logging.getLogger("regard.serving")
POLL_SECONDS = 0.05
BACKLOG = 4096
"""Connections that wait to be accepted."""


class Server(uvicorn.Server):
    """Uvicorn's server. Its signals are ours, and it loses no connection that it has accepted."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)  # asyncio made it as short as what it accepts at once

    def stop_accepting(self) -> None:
        """Accept no more connections, and keep those that were accepted.

        asyncio's `Server.close` loses a connection that was accepted in the same round of the event loop: its transport is made
        in the next one, for a server that is closed by then, and the client sees a reset.
        """
        if sys.platform == "win32":  # its event loop waits for no sockets
            return
        loop = asyncio.get_running_loop()
        for each in self.servers:
            for listening in each.sockets:
                loop.remove_reader(listening)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and end when those that were accepted are answered."""
        self.stop_accepting()
        await asyncio.sleep(POLL_SECONDS)  # the last ones begin
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections.

    Args:
        port: 0: any that is free.
    Raises:
        SettingsError: the address cannot be used.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # Connections inherit it. asyncio sets it only on sockets whose protocol is named; without it, each answer would wait
        # some 40 ms for the client to acknowledge its head.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SettingsError(f"`--host {host}` and `--port {port}` cannot be used: {reason}.") from error


def serve(
    registry: ModelRegistry,
    keys: Keys,
    listening: socket.socket,
    *,
    cors: Sequence[str] = (),
    state: SharedState | None = None,
    started: Callable[[], object] | None = None,
) -> None:
    """Answer requests until SIGTERM or Ctrl-C, and then until all that was accepted is answered.

    SIGHUP reads the keys again, and loads the models anew.

    Args:
        state: of several processes (`workers.py`), the state that all of them share.
        started: if this process is one of several: called when requests are answered. SIGHUP reads the keys again. SIGUSR1 ends
            it, too, but while it answers what it has accepted, it leaves new connections to the others. SIGUSR2 ends it at once,
            and not a second SIGTERM, as some programs send it to all processes of a server.
    """
    files = allow_many_files()
    most, at_once = places(files)
    if most is not None and most < ACCEPTED_AT_ONCE:
        LOG.warning("the process may have %d files open: at most %d connections at once; raise ulimit -n", files, most)
    app = App(registry, keys, cors=cors, state=state)
    config = uvicorn.Config(
        app.asgi,
        http=protocol(registry.limits.body_seconds, most),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=30,
        h11_max_incomplete_event_size=1 << 16,
        backlog=1 if started else at_once,  # a worker leaves the next connection to one that waits
    )
    asyncio.run(_run(Server(config), app.context, listening, started))


async def _run(
    server: Server, context: ServerContext, listening: socket.socket, started: Callable[[], object] | None
) -> None:
    loop, registry, keys = asyncio.get_running_loop(), context.registry, context.keys
    tasks: set[asyncio.Task[None]] = set()

    def end_at_once() -> None:
        server.force_exit = server.should_exit = True

    def drain() -> None:
        if registry.is_draining:
            if started is None:  # asked twice
                end_at_once()
            return
        registry.is_draining = True
        LOG.info("shutting down: what was accepted is answered")
        tasks.add(asyncio.ensure_future(_end_when_idle(server, registry)))

    def retire() -> None:
        registry.is_retired = True
        server.stop_accepting()
        tasks.add(asyncio.ensure_future(_end_when_idle(server, registry)))

    reloads: set[asyncio.Task[None]] = set()
    reloader = ThreadPoolExecutor(
        1, "regard-reloading"
    )  # its own thread: a reload waits for what the old models still do

    def reload() -> None:
        _reload_keys(keys)
        if len(reloads) < 2:  # one under way, and one that sees what has changed since that began
            LOG.info("SIGHUP: %s", f"a reload waits: {registry.work_left}" if reloads else "loading the models again")
            task = asyncio.ensure_future(_reload(registry, reloader))
            reloads.add(task)
            task.add_done_callback(reloads.discard)
        else:
            LOG.info("SIGHUP: a reload waits already: %s", registry.work_left)

    if started is not None:
        loop.add_signal_handler(signal.SIGTERM, drain)
        loop.add_signal_handler(signal.SIGUSR1, retire)
        loop.add_signal_handler(signal.SIGUSR2, end_at_once)
        loop.add_signal_handler(signal.SIGHUP, _reload_keys, keys)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        tasks.add(asyncio.ensure_future(_report(context)))
    elif sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, drain)
        loop.add_signal_handler(signal.SIGINT, drain)
        loop.add_signal_handler(signal.SIGHUP, reload)
    serving = asyncio.ensure_future(server.serve(sockets=[listening]))
    while not (server.started or serving.done()):
        await asyncio.sleep(POLL_SECONDS)
    if started is not None:
        started()
    await serving
    await asyncio.to_thread(registry.close, at_once=server.force_exit)
    if started is not None:
        context.reports.write(is_last=True)


async def _report(context: ServerContext) -> None:
    """Tell the other processes what this one has counted."""
    while True:
        await asyncio.to_thread(context.reports.write)
        await asyncio.sleep(SECONDS)


async def _end_when_idle(server: Server, registry: ModelRegistry) -> None:
    while not registry.is_idle:
        await asyncio.sleep(POLL_SECONDS)
    server.should_exit = True


def _reload_keys(keys: Keys) -> None:
    if not keys.are_needed:
        return
    try:
        keys.reload()
        LOG.info("SIGHUP: the keys were read again")
    except RegardError as error:
        LOG.error("the keys could not be read again, the old ones stay: %s", error)


async def _reload(registry: ModelRegistry, reloader: ThreadPoolExecutor) -> None:
    try:
        await asyncio.get_running_loop().run_in_executor(reloader, registry.reload)
    except Exception as error:  # the old ones go on
        LOG.error("the models could not be loaded anew, the old ones stay: %s", error)
