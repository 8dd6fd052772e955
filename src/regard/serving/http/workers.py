"""Several processes that answer behind one port, and share the memory of their models.

    server          keeps the port and the shared state; begins a group, and at SIGHUP another one in its place
      group         loads the models, then is forked once for each worker, and again where one ends by itself
        worker      answers requests, as a server of one process does

What a process has in memory when it is forked, its child has without a copy, until one of both writes there. So the models are
loaded before, and nothing is computed: PyTorch's threads would not survive. A new group begins to answer before the old one
stops to take requests, so that there is no moment without an answer; a group that cannot load its models changes nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from regard.errors import RegardError, SettingsError
from regard.generation.threads import begin_forked, num_threads, prepare_to_fork
from regard.pipelines.devices import resolve_device
from regard.serving.http.server import serve
from regard.serving.keys import Keys
from regard.serving.limits import Limits
from regard.serving.model_folders import LoadedModels, ModelFolders
from regard.serving.model_registry import ModelRegistry, listed
from regard.serving.process_reports import note_reload
from regard.serving.shared_state import SharedState

LOG = logging.getLogger("regard.serving")
END, RETIRE, END_AT_ONCE = signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2
"""Answer what was accepted and refuse the rest; take no more connections, and answer those that are there; answer nothing."""
WAITED_FOR = {END, RETIRE, END_AT_ONCE, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
"""Signals that a server and a group wait for, one after the other, so that none comes between two steps."""
POLL_SECONDS = 0.1
RESTART_SECONDS = 1.0
"""A worker that ends by itself is followed by another after this time."""
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class WorkerSettings:
    """All that the workers of a server have in common.

    Args:
        number: of workers.
        threads: of PyTorch, for each of them; None: those of this process are divided among them.
    """

    folders: ModelFolders
    limits: Limits
    api_keys: Path | None
    listening: socket.socket
    cors: Sequence[str]
    number: int
    threads: int | None


def serve_by_workers(settings: WorkerSettings, begun: Callable[[str, bool], None]) -> None:
    """Answer requests by several processes until SIGTERM or Ctrl-C, and then until all that was accepted is answered.

    Args:
        begun: called with the names of the models and whether one translates, when the first workers answer.
    Raises:
        SettingsError: on a GPU, which one process keeps busy.
        RegardError: the models cannot be loaded.
    """
    if resolve_device(settings.folders.device).type != "cpu":
        raise SettingsError(
            f"--workers must be 1 with a GPU, which one process keeps busy; got {settings.number}. Add --device cpu, or start a "
            "server for each GPU."
        )
    settings = replace(settings, threads=settings.threads or max(1, num_threads() // settings.number))
    with TemporaryDirectory(prefix="regard-serve-") as folder:
        _Server(settings, Path(folder) / "state.db", begun).run()


class _Group:
    """A group, as the server sees it."""

    def __init__(self, settings: WorkerSettings, state: Path) -> None:
        self._reports, report = os.pipe()
        self.pid = _forked(lambda: _run_group(settings, state, report))
        os.close(report)
        self._said = b""
        self.report: dict[str, Any] = {}
        """Its models when it answers requests, or why it does not."""

    def read(self) -> None:
        """Read what it has reported by now. If it ended without a word, that is the report."""
        os.set_blocking(self._reports, False)
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._reports, 1 << 16):
                self._said += part
        if self._said.endswith(b"\n") and not self.report:
            self.report = json.loads(self._said)

    def has_ended(self) -> bool:
        """Whether the process is gone, with its workers."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid:
            return False
        self.read()
        self.report = self.report or {"error": f"the process that loads the models ended {_ending(status)}"}
        os.close(self._reports)
        return True


class _Server:
    def __init__(self, settings: WorkerSettings, state: Path, begun: Callable[[str, bool], None]) -> None:
        self._settings, self._state, self._begun = settings, state, begun
        self._answering: _Group | None = None
        self._starting: _Group | None = None
        self._retired: list[_Group] = []
        self._is_ending = self._has_begun = self._reloads_again = False

    def run(self) -> None:
        """Wait for signals and groups, until all is done."""
        SharedState(self._state).close()  # the file is there before two processes make it
        signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
        self._starting = _Group(self._settings, self._state)
        while self._groups:
            found = signal.sigtimedwait(WAITED_FOR, POLL_SECONDS)
            if found is not None and found.si_signo in (signal.SIGTERM, signal.SIGINT):
                self._end()
            elif found is not None and found.si_signo == signal.SIGHUP:
                self._reload()
            self._look()

    @property
    def _groups(self) -> list[_Group]:
        return [each for each in (self._answering, self._starting, *self._retired) if each is not None]

    def _end(self) -> None:
        for each in self._groups:
            if self._is_ending:  # asked twice
                os.kill(each.pid, END_AT_ONCE)
            os.kill(each.pid, END)  # a group that loads its models takes this one only
        self._is_ending = True

    def _reload(self) -> None:
        if self._is_ending:
            return
        for each in self._groups:
            os.kill(each.pid, signal.SIGHUP)  # the keys are read again, also where the models cannot be
        if self._starting is not None:
            LOG.info("SIGHUP: a reload is under way, another one follows it")
            self._reloads_again = True
            return
        LOG.info("SIGHUP: new workers load the models again")
        self._starting = _Group(self._settings, self._state)

    def _look(self) -> None:
        """See which groups have begun to answer, and which have ended."""
        self._retired = [each for each in self._retired if not each.has_ended()]
        if self._answering is not None and self._answering.has_ended():
            if not self._is_ending:
                LOG.error("%s; another one begins", self._answering.report.get("error", "the workers ended"))
                time.sleep(RESTART_SECONDS)
                self._starting = self._starting or _Group(self._settings, self._state)
            self._answering = None
        if self._starting is None:
            return
        self._starting.read()
        has_ended = self._starting.has_ended()
        if "names" in self._starting.report and not has_ended:
            self._replace(self._starting)
        elif has_ended:
            error, self._starting = self._starting.report.get("error", "the workers ended"), None
            if self._is_ending:
                return
            if self._answering is None:
                raise RegardError(error)
            LOG.error("the models could not be loaded anew, the old ones stay: %s", error)
            note_reload(self._state, error)
        else:
            return
        if self._reloads_again and not self._is_ending:
            self._reloads_again = False
            self._reload()

    def _replace(self, group: _Group) -> None:
        """The group answers: the one before it takes no more requests."""
        if not self._has_begun:
            self._has_begun = True
            self._begun(group.report["names"], group.report["translates"])
        else:
            LOG.info("new workers answer; the old ones end when they have answered what they had accepted")
            note_reload(self._state, "")
        if self._answering is not None:
            os.kill(self._answering.pid, RETIRE)
            self._retired.append(self._answering)
        self._answering, self._starting = group, None


def _run_group(settings: WorkerSettings, state: Path, report: int) -> None:
    """Load the models, begin the workers, and see that there are as many, until a signal ends them."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {END})  # which ends this process at once, until there are workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal: the server decides
    prepare_to_fork()
    try:
        loaded = settings.folders.load()
        for name, pipeline in (*loaded.translators.items(), *loaded.text_models.items()):
            LOG.debug("%s decodes with %s", name, pipeline.engine)  # so its weights are packed for it now
    except RegardError as error:
        os.write(report, json.dumps({"error": str(error)}).encode() + b"\n")
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
    gc.collect()
    gc.freeze()  # the collector would write into each object, and so copy its page
    started, starts = os.pipe()
    os.set_blocking(started, False)

    def begin() -> int:
        return _forked(lambda: _run_worker(settings, loaded, state, starts))

    pids = [begin() for _ in range(settings.number)]
    said, has_begun, is_told = b"", False, False
    while pids:
        found = signal.sigtimedwait(WAITED_FOR, POLL_SECONDS)
        if found is not None and found.si_signo in (END, RETIRE, END_AT_ONCE, signal.SIGHUP):
            is_told = is_told or found.si_signo != signal.SIGHUP
            for pid in pids:
                os.kill(pid, found.si_signo)
        with contextlib.suppress(BlockingIOError):
            said += os.read(started, 1 << 16)
        if not has_begun and said.count(b"\n") >= settings.number:
            has_begun = True
            os.write(report, said.splitlines(keepends=True)[0])
        for pid in list(pids):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            pids.remove(pid)
            if not has_begun and not is_told:
                os.write(report, json.dumps({"error": f"a worker ended {_ending(status)}"}).encode() + b"\n")
                return  # the others end with their parent
            if not is_told:
                LOG.error("a worker ended %s; another one begins", _ending(status))
                time.sleep(RESTART_SECONDS)
                pids.append(begin())


def _run_worker(settings: WorkerSettings, loaded: LoadedModels, path: Path, starts: int) -> None:
    """Answer requests until a signal of the group."""
    begin_forked(settings.threads or 1)
    state = SharedState(path)
    registry = ModelRegistry(settings.folders, settings.limits, loaded)

    def started() -> None:
        summary = {"names": listed(registry.names), "translates": bool(registry.translators)}
        os.write(starts, json.dumps(summary).encode() + b"\n")

    keys = Keys(settings.api_keys, state)
    serve(registry, keys, settings.listening, cors=settings.cors, state=state, started=started)


def _forked(run: Callable[[], None]) -> int:
    """The id of a new process that calls a function and ends. It ends, too, when this one does."""
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        _end_after(run, parent)
    return pid


def _end_after(run: Callable[[], None], parent: int) -> NoReturn:
    code = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, END)
        if os.getppid() == parent:
            run()
            code = 0
    except BaseException as error:
        LOG.exception("a process of the server failed: %s", error)  # no request's: those are answered
    finally:
        sys.stderr.flush()
        os._exit(code)


def _ending(status: int) -> str:
    """The ending of a process, for people."""
    code = os.waitstatus_to_exitcode(status)
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
