"""What those who run a server rely on: bodies that are too large or do not come, the log, and SIGHUP."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import http.client
import inspect
import json
import logging
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from served import Running, Start
from starlette.responses import PlainTextResponse
from test_interfaces import FIELDS, JSON, send
from test_server import wait_for
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from regard.errors import DataError, SettingsError
from regard.serving.http.access import Access, known_path
from regard.serving.http.connections import places
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.logs import JsonLines, TextLines, escaped
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry

# bodies


@pytest.mark.parametrize(
    ("path", "status"),
    [("/translate", 413), ("/translate/", 413), ("/nothing", 404), ("/languages", 405), ("/health", 405)],
)
def test_urllib_sees_what_is_said_of_a_large_body(server: Running, path: str, status: int) -> None:
    """It sends all of the body before it reads the answer, and asks for the connection to be closed."""
    for _ in range(3):
        request = urllib.request.Request(server.url + path, data=b"q=" + b"x" * 6_000_000)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        assert refused.value.code == status
        assert "error" in json.loads(refused.value.read())
        refused.value.close()


def test_a_connection_goes_on_after_a_large_body(server: Running) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    for body, status in ((b"x" * 6_000_000, 413), (json.dumps(FIELDS).encode(), 200), (b"x" * 5_500_000, 413)):
        connection.request("POST", "/translate", body, {"Content-Type": JSON})
        answer = connection.getresponse()
        answer.read()
        assert (answer.status, answer.getheader("connection")) == (status, None)
    connection.close()


def test_a_body_that_is_only_sent_when_asked_for_is_not_asked_for(server: Running) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        client.sendall(
            b"POST /translate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6000000\r\n\r\n"
        )
        said = b""
        while part := client.recv(65536):  # until the server closes it
            said += part
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in said.lower()


class Client:
    """A client as an application sees it, whose body comes in pieces.

    Args:
        pieces: of the body; None: nothing more comes for a long time.
    """

    def __init__(self, pieces: list[bytes | None], **headers: str) -> None:
        self.pieces, self.taken, self.sent = pieces, 0, list[dict[str, Any]]()
        self.headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

    async def receive(self) -> dict[str, Any]:
        piece = self.pieces[self.taken]
        if piece is None:
            await asyncio.sleep(1000)
        self.taken += 1
        return {"type": "http.request", "body": piece, "more_body": self.taken < len(self.pieces)}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    def ask(self, limits: Limits, path: str = "/x") -> tuple[int, bool]:
        """The status, and whether the connection is closed."""
        scope = {"type": "http", "method": "POST", "path": path, "headers": self.headers}
        registry = ModelRegistry(ModelFolders([]), limits)
        asyncio.run(Access(PlainTextResponse("no", 413), registry)(scope, self.receive, self.send))
        head = dict(self.sent[0]["headers"])
        assert head[b"x-request-id"]
        return self.sent[0]["status"], head.get(b"connection") == b"close"


@pytest.mark.parametrize(
    ("pieces", "headers", "closes", "taken"),
    [
        ([b"a" * 10, b"a" * 10, b""], {"content_length": "20"}, False, 3),
        ([b"a" * 10, b"a" * 10], {"transfer_encoding": "chunked"}, False, 2),
        ([b"a" * 60, b"a" * 60, b"a" * 60], {"transfer_encoding": "chunked"}, True, 2),
        ([b"a" * 60, b"a" * 60], {"content_length": "120"}, True, 0),
        ([b"a", None], {"content_length": "20"}, True, 1),
        ([b"a"], {"content_length": "1", "expect": "100-Continue"}, True, 0),
        ([b""], {}, False, 0),
        ([b""], {"content_length": "0"}, False, 0),
    ],
)
def test_what_nobody_has_read_is_dropped_within_bounds(
    pieces: list[bytes | None], headers: dict[str, str], closes: bool, taken: int
) -> None:
    client = Client(pieces, **headers)
    limits = Limits(request_bytes=5, dropped_bytes=100, body_seconds=0.3)
    assert client.ask(limits) == (413, closes)
    assert client.taken == taken


def test_paths_with_too_many_slashes() -> None:
    for path, known in {
        "/": "/", "//": "/", "/a": "/a", "/a/": "/a", "//a//b//": "/a/b", "": "/", "/a%2F/": "/a%2F",
    }.items():  # fmt: skip
        assert known_path(path) == known


# the log


def logged(*words: Any, **more: Any) -> logging.LogRecord:
    """A record that nothing else sees: pytest-xdist cannot send half of a surrogate pair to another process."""
    logger, records = logging.Logger("regard.serving.test"), list[logging.LogRecord]()
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.info(*words, **more)
    return records[0]


def test_nothing_in_a_line_can_break_it() -> None:
    nasty = "a\nb\r\x1b[31mc\x7f\x85\u2028\u202e\ud800\tä日😀 d"
    shown = r"a\nb\r\x1b[31mc\x7f\x85\u2028\u202e\ud800\tä日😀 d"
    assert escaped(nasty) == shown
    record = logged("got %s", nasty)
    assert re.fullmatch(r"\d\d:\d\d:\d\d got " + re.escape(shown), TextLines().format(record))
    try:
        raise RuntimeError(nasty)
    except RuntimeError:
        record = logged("failed", exc_info=True)
    _, *traceback = TextLines().format(record).split("\n")
    assert all(line.startswith("    ") and line.isprintable() for line in traceback)
    row = json.loads(JsonLines().format(record))
    assert (row["message"], row["level"]) == ("failed", "info")
    assert nasty in row["error"]
    assert JsonLines().format(logged(nasty)).isascii()


@pytest.mark.parametrize("form", [TextLines(), JsonLines()])
@pytest.mark.parametrize("kind", [ValueError, DataError, RuntimeError])
def test_tracebacks_have_no_texts(form: logging.Formatter, kind: type[Exception]) -> None:
    text, machine = "a text of mine", "out of memory"
    try:
        try:
            {}[text]
        except KeyError as error:
            raise kind(machine if kind is RuntimeError else text) from error
    except kind:
        line = form.format(logged("failed", exc_info=True))
    assert text not in line
    assert (machine in line) == (kind is RuntimeError)
    assert line.index("KeyError") < line.index("This led to") < line.rindex(kind.__name__)


NOT_THERE = "/no%0Athing%1B[31m"


@pytest.mark.parametrize("form", ["text", "json"])
def test_every_request_has_a_line(start: Start, folder: Path, form: str) -> None:
    server = start(folder, "--log-format", form)
    asked = {"/health": 200, "/metrics": 200, "/": 200, NOT_THERE: 404, "/translate": 405, "/languages/": 200}
    for number, path in enumerate(asked):
        request = urllib.request.Request(
            server.url + path, headers={"X-Request-ID": f"r{number}", "traceparent": "00-ab"}
        )
        with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.headers["X-Request-ID"] == f"r{number}"
    assert send(server, "POST", "/translate", json.dumps({**FIELDS, "q": "secret words"}), JSON)[0] == 200
    assert server.stop() == 0
    lines = [line for line in server.log.read_text().splitlines() if not line.startswith("regard")]
    assert "secret" not in "".join(lines)
    if form == "json":
        rows = [json.loads(line) for line in lines]
        assert all({"time", "level", "message"} <= row.keys() for row in rows)
        found = {row["request_id"]: row for row in rows if "request_id" in row}
        for number, (path, status) in enumerate(asked.items()):
            row = found[f"r{number}"]
            assert (row["method"], row["status"], row["traceparent"]) == ("GET", status, "00-ab")
            assert row["path"] == ("/no\nthing\x1b[31m" if path == NOT_THERE else path)
            assert row["ms"] >= 0
    else:
        for number, (path, status) in enumerate(asked.items()):
            shown = r"/no\nthing\x1b[31m" if path == NOT_THERE else path
            line = rf"^\d\d:\d\d:\d\d GET {re.escape(shown)} {status} \d+ ms id=r{number} traceparent=00-ab$"
            assert any(re.match(line, each) for each in lines), (line, lines)
    assert re.search(r"POST /translate 200 \d+ ms id=[0-9a-f]{16}\b", "\n".join(lines))


# SIGHUP


def test_a_key_may_contain_the_sign_of_comments(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("# all keys\nabc#long 1 # of the first client\nplain #of the second, without a limit\n")
    keys = Keys(path)
    assert keys.check({}, {"api_key": "abc#long"}) == b"abc#long"
    with pytest.raises(ServingError, match="may make 1 requests"):
        keys.check({}, {"api_key": "abc#long"})
    assert keys.check({}, {"api_key": "plain"}) == b"plain"
    for other in ("abc", "abc#", "#of"):
        with pytest.raises(ServingError, match="Invalid API key"):
            keys.check({}, {"api_key": other})


def test_keys_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("old 1\nboth 2\n")
    keys = Keys(path)

    def status(key: str) -> int:
        try:
            keys.check({"authorization": f"Bearer {key}"}, {})
        except ServingError as error:
            return error.status
        return 200

    assert [status("old"), status("both"), status("new")] == [200, 200, 403]
    path.write_text("new\nboth 2\n")
    keys.reload()
    assert [status("old"), status("both"), status("both"), status("new")] == [
        403,
        200,
        429,
        200,
    ]  # what was made counts
    path.write_text("# none\n")
    with pytest.raises(SettingsError, match="must hold keys, one to a line; got none"):
        keys.reload()
    assert [status("old"), status("new")] == [403, 200]
    Keys(None).reload()


def test_sighup_reads_keys_and_says_what_it_waits_for(start: Start, folder: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("old\n")
    server = start(folder, "--api-keys", keys, "--batch-size", 2)

    def status(key: str) -> int:
        return send(server, "POST", "/translate", json.dumps(FIELDS), JSON, Authorization=f"Bearer {key}")[0]

    def has(*words: str) -> Callable[[], bool]:
        return lambda: all(re.search(word, server.log.read_text()) for word in words)

    assert (status("old"), status("new")) == (200, 403)
    many = json.dumps({**FIELDS, "q": [f"two dogs {number}" for number in range(900)]})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        long = pool.submit(send, server, "POST", "/translate", many, JSON, Authorization="Bearer old")
        wait_for(lambda: not re.search("^regard_queue_depth 0$", server.get("/metrics")[1], re.M))
        keys.write_text("new\n")
        server.process.send_signal(signal.SIGHUP)
        wait_for(has("SIGHUP: the keys were read again", "SIGHUP: loading the models again"))
        assert (status("old"), status("new")) == (403, 200)
        wait_for(has(r"the models were loaded anew, the old ones have [\d,]+ sentences left"))
        assert not long.done()
        for _ in range(2):
            server.process.send_signal(signal.SIGHUP)
            wait_for(has(r"SIGHUP: a reload waits: the old ones have [\d,]+ sentences left"))
        wait_for(has(r"SIGHUP: a reload waits already: the old ones have [\d,]+ sentences left"))
        assert long.result(300)[0] == 200
    wait_for(has("the old models have answered what they had accepted, and are gone"))
    keys.write_text("# none\n")
    server.process.send_signal(signal.SIGHUP)
    wait_for(has("the keys could not be read again, the old ones stay: .*must hold keys"))
    assert (status("old"), status("new")) == (403, 200)
    assert server.stop() == 0


def test_the_protocol_of_uvicorn_has_what_ours_leans_on() -> None:
    """`connections.py` derives from a class that uvicorn does not document, as uvicorn has no bound on clients that send no head
    or read no answer. A version without these names needs another way.
    """
    assert tuple(map(int, uvicorn.__version__.split(".")[:2])) < (1, 0)
    protocol = H11Protocol(uvicorn.Config(PlainTextResponse("")), ServerState(), {}, asyncio.new_event_loop())
    protocol.loop.close()
    assert protocol.connections == set()
    assert protocol.cycle is None
    assert "response_complete" in inspect.getsource(RequestResponseCycle.__init__)
    for name in ("connection_made", "data_received", "pause_writing", "resume_writing", "connection_lost", "shutdown"):
        assert inspect.isfunction(getattr(H11Protocol, name))


@pytest.mark.parametrize("files", [1, 2, 20, 64, 256, 1024, 4096, 1 << 20])
def test_connections_leave_files_for_other_things(files: int) -> None:
    """Even while more are accepted than there may be."""
    most, at_once = places(files)
    assert most is not None
    assert 1 <= most <= files
    assert 1 <= at_once <= 128
    if files >= 64:
        assert most >= files // 2
        assert most + 6 * at_once + min(files // 10, 100) <= files


def test_a_server_with_few_files_says_so_and_serves(folder: Path, tmp_path: Path) -> None:
    """Of 200 clients at once, most are turned away; nothing ends with a traceback, and the rest are served."""
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); from regard.cli.main import run; run()"
    )
    words = ["serve", str(folder), "--port", "0", "--threads", "1", "--device", "cpu"]
    with (tmp_path / "log").open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", limited, *words], stdout=output, stderr=output)
    server = Running(process, "", tmp_path / "log")
    wait_for(lambda: re.search(r"http://localhost:(\d+)/", server.log.read_text()))
    port = re.findall(r"http://localhost:(\d+)/", server.log.read_text())[0]
    server.url = f"http://127.0.0.1:{port}"
    try:
        clients = [socket.create_connection(("127.0.0.1", int(port)), 10) for _ in range(200)]
        for client in clients:
            with suppress(OSError):  # turned away
                client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answered = sum(is_answered(client) for client in clients)
        assert 1 <= answered <= 32
        for client in clients:
            client.close()
        wait_for(lambda: is_served(server))
    finally:
        assert server.stop() == 0
    log = server.log.read_text()
    assert "64 files open: at most 32 connections at once; raise ulimit -n" in log
    assert "there are 32 already" in log
    assert "Traceback" not in log
    assert "out of system resource" not in log


def is_answered(client: socket.socket) -> bool:
    with suppress(OSError):
        return client.recv(100).startswith(b"HTTP/1.1 200")
    return False


def is_served(server: Running) -> bool:
    with suppress(OSError):
        return server.get("/health")[0] == 200
    return False
