"""A server of several processes: one port, one copy of the models, and one state, whichever process answers."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import deepl
import pytest
import torch
import uvicorn
from served import Running, Start
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from test_interfaces import FIELDS, JSON, send
from test_server import is_decoding, wait_for

from regard.batching.metrics import Metrics, Numbers, text_of
from regard.checkpoint import save_new
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.translator import Translator
from regard.serving.http.server import Server, listen
from regard.serving.keys import Keys
from regard.serving.limits import ServingError
from regard.serving.shared_state import SharedState
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="several processes need Linux")
NUMBER = 3


@pytest.fixture(scope="module")
def several(start: Start, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """A server of three workers, for tests that leave them alive."""
    keys = tmp_path_factory.mktemp("keys") / "keys"
    keys.write_text("free\nfew 10\n")
    return start(folder, "--workers", NUMBER, "--api-keys", keys)


def ask(server: Running, path: str, key: str = "free", **fields: object) -> tuple[int, bytes]:
    """Status and body of an answer, on a connection of its own, so that any process may give it."""
    body = json.dumps(fields).encode() if fields else None
    headers = {"Content-Type": JSON, "Authorization": f"Bearer {key}", "Connection": "close"}
    try:
        with urllib.request.urlopen(urllib.request.Request(server.url + path, body, headers), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def children(pid: int) -> list[int]:
    """The ids of the processes that a process has begun."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(words[1]) == pid and words[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def workers(server: Running) -> list[int]:
    """The ids of the processes that answer, of all groups."""
    return [worker for group in children(server.process.pid) for worker in children(group)]


def replaced(server: Running, old: list[int]) -> list[int]:
    """The workers, after they are as many new ones."""
    wait_for(lambda: len(now := workers(server)) == len(old) and not set(now) & set(old))
    return workers(server)


def metric(server: Running, name: str) -> float:
    """A number of the metrics."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", ask(server, "/metrics")[1].decode(), re.M)
    return float(found[1]) if found else 0.0


def test_answers_are_those_of_one_process(several: Running, translator: Translator) -> None:
    texts = [f"two dogs {number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: ask(several, "/translate", q=text, source="en", target="de"), texts))
    wanted = [each.text for each in translator.translate(texts)]
    assert [json.loads(body)["translatedText"] for _, body in found] == wanted


def test_whoever_is_asked_knows_the_counts_of_all(several: Running) -> None:
    name = 'regard_requests_total{interface="libretranslate",status="200"}'
    time.sleep(1.5)  # each process tells the others once a second
    before = metric(several, name)
    for _ in range(12):
        assert ask(several, "/translate", q="a cat", source="en", target="de")[0] == 200
    wait_for(lambda: {metric(several, name) for _ in range(12)} == {before + 12})
    assert {metric(several, "regard_workers") for _ in range(12)} == {NUMBER}
    assert metric(several, "regard_models") == 1
    assert len(workers(several)) == NUMBER


def test_a_glossary_and_the_usage_of_a_key_are_known_to_all(several: Running) -> None:
    client = deepl.DeepLClient("free", server_url=several.url)
    glossary = client.create_glossary("animals", "EN", "DE", {"dogs": "Hunde"})
    for _ in range(12):
        status, body = ask(several, f"/v2/glossaries/{glossary.glossary_id}")
        assert (status, json.loads(body)["name"]) == (200, "animals")
        status, body = ask(
            several,
            "/v2/translate",
            text=["two dogs"],
            source_lang="EN",
            target_lang="DE",
            glossary_id=glossary.glossary_id,
        )
        assert "Hunde" in json.loads(body)["translations"][0]["text"]
    assert ask(several, f"/v2/glossaries/{glossary.glossary_id}", key="few")[0] == 404

    def counts() -> set[int]:
        return {json.loads(ask(several, "/v2/usage")[1])["character_count"] for _ in range(12)}

    wait_for(lambda: len(counts()) == 1)  # each tells the others from time to time
    assert counts().pop() >= 12 * len("two dogs")


def test_a_limit_of_requests_counts_those_of_all(several: Running) -> None:
    statuses = [ask(several, "/translate", "few", q="a", source="en", target="de")[0] for _ in range(14)]
    assert statuses == [200] * 9 + [429] * 5  # one of the ten has asked for a glossary, in the test before


def test_an_inspection_is_the_same_from_all(several: Running) -> None:
    _, body = ask(several, "/api/v1/inspect", text="two dogs", lens=True)
    promised = json.loads(ask(several, "/translate", q="two dogs", source="en", target="de", details=True)[1])
    for name in (json.loads(body)["id"], promised["inspect_id"][0]):
        for path in ("attention/cross/0/1", "attention/cross", "lookup/cross.0.1/1/1", "flow/rollout"):
            answers = {ask(several, f"/api/v1/inspect/{name}/{path}") for _ in range(8)}
            assert len(answers) == 1, path
            assert answers.pop()[0] == 200
    shown = {ask(several, f"/api/v1/inspect/{json.loads(body)['id']}")[1] for _ in range(8)}
    assert [json.loads(each)["lens"] for each in shown] == [json.loads(body)["lens"]]


def test_a_worker_that_ends_is_followed_by_another(several: Running) -> None:
    before, counted = workers(several), metric(several, 'regard_requests_total{interface="deepl",status="200"}')
    os.kill(before[0], signal.SIGKILL)
    for _ in range(20):
        assert ask(several, "/translate", q="a cat", source="en", target="de")[0] == 200
    wait_for(lambda: len(workers(several)) == NUMBER and before[0] not in workers(several))
    assert "a worker ended by signal SIGKILL; another one begins" in several.log.read_text()
    wait_for(lambda: metric(several, 'regard_requests_total{interface="deepl",status="200"}') == counted)


def test_new_workers_take_over_while_requests_come(start: Start, folder: Path, tmp_path: Path) -> None:
    """And where a model is broken, the old ones go on, with the new keys."""
    copy, keys = tmp_path / "copy-en-de", tmp_path / "keys"
    shutil.copytree(folder, copy)
    keys.write_text("free\n")
    server = start(copy, "--workers", 2, "--api-keys", keys)
    old, is_over = workers(server), False

    def requests(number: int) -> Iterator[int]:
        while not is_over:
            yield ask(server, "/translate", q=f"two dogs {number}", source="en", target="de")[0]

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(lambda number=number: set(requests(number))) for number in range(4)]
        for _ in range(2):
            server.process.send_signal(signal.SIGHUP)
            old = replaced(server, old)
        is_over = True
        assert [each.result() for each in asked] == [{200}] * 4
    weights = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(b"broken")
    keys.write_text("other\n")
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "the old ones stay" in server.log.read_text())
    assert workers(server) == old
    assert [ask(server, "/languages", key)[0] for key in ("free", "other")] == [200, 200]
    assert [ask(server, "/translate", key, **FIELDS)[0] for key in ("free", "other")] == [403, 200]
    assert {"model.safetensors" in json.loads(ask(server, "/health")[1])["reload_error"] for _ in range(8)} == {True}
    (copy / "model.safetensors").write_bytes(weights)
    server.process.send_signal(signal.SIGHUP)
    replaced(server, old)
    wait_for(lambda: all(json.loads(ask(server, "/health")[1]) == {"status": "ok"} for _ in range(8)))
    assert server.stop() == 0


def test_a_connection_that_was_opened_before_its_process_ends_is_answered(start: Start, folder: Path) -> None:
    """A client that has connected and not yet sent its request: a closed connection would lose that."""
    server = start(folder, "--workers", 2)
    old, is_over = workers(server), False
    address = server.url.removeprefix("http://")

    def requests() -> Iterator[int]:
        while not is_over:
            connection = http.client.HTTPConnection(address, timeout=60)
            connection.connect()
            time.sleep(0.15)
            connection.request("GET", "/languages")
            yield connection.getresponse().status
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(lambda: set(requests())) for _ in range(6)]
        for _ in range(3):
            server.process.send_signal(signal.SIGHUP)
            old = replaced(server, old)
        is_over = True
        assert [each.result() for each in asked] == [{200}] * 6
    assert server.stop() == 0


def test_all_processes_end_with_the_server(start: Start, folder: Path) -> None:
    """After SIGTERM, when what was accepted is answered; after SIGKILL, too."""
    server = start(folder, "--workers", 2, "--batch-size", 2)
    group, (first, second) = children(server.process.pid), workers(server)
    many = json.dumps({**FIELDS, "q": [f"two dogs {number}" for number in range(100)]})
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(send, server, "POST", "/translate", many, JSON)
        time.sleep(0.3)
        for pid in (server.process.pid, *group, first, second):  # as systemd does
            os.kill(pid, signal.SIGTERM)
        status, content = long.result()
    assert (status, len(content["translatedText"])) == (200, 100)
    assert server.process.wait(30) == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in (*group, first, second))
    killed = start(folder, "--workers", 2)
    pids = [*children(killed.process.pid), *workers(killed)]
    assert len(pids) == 3
    killed.process.kill()
    killed.process.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def test_a_second_sigterm_ends_all_at_once(start: Start, folder: Path) -> None:
    server = start(folder, "--workers", 2, "--batch-size", 1)
    pids = [*children(server.process.pid), *workers(server)]
    texts = [f"two dogs {number}" for number in range(900)]
    many = json.dumps({"texts": texts, "beam_size": 12, "max_length": 200})  # seconds of work
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(send, server, "POST", "/api/v1/translate", many, JSON)
        wait_for(lambda: is_decoding(server))
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
        assert long.exception() is not None or long.result()[0] == 503
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_models_that_cannot_be_loaded_end_the_server(folder: Path, tmp_path: Path, start: Start) -> None:
    copy = tmp_path / "copy-en-de"
    shutil.copytree(folder, copy)
    (copy / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(AssertionError, match=r"regard: .*model.safetensors must be a whole safetensors file"):
        start(copy, "--workers", 2)


def test_the_models_are_in_memory_once(start: Start, tmp_path: Path) -> None:
    """Also after translations, and with the weights that the layers in C have packed for themselves."""
    tokens = Tokenizer.train(
        ["abcdefghijklmnopqrstuvwxyz 0123456789"], TokenizerConfig(kind="characters", vocab_size=90)
    )
    sizes = {"vocab_size": len(tokens), "model_dim": 512, "ff_dim": 2048, "num_heads": 4, "max_positions": 60}
    torch.manual_seed(1)
    model = build(EncoderDecoderConfig(**sizes, num_encoder_layers=3, num_decoder_layers=3))
    folder = tmp_path / "large-en-de"
    save_new(folder, model.eval(), tokens)
    num_bytes = 4 * sum(each.numel() for each in model.parameters())
    server = start(folder, "--workers", 2)
    for number in range(8):  # one at a time: what a batch needs to be decoded, each process has for itself
        assert ask(server, "/translate", **{**FIELDS, "q": f"dog {number}"})[0] == 200
    own = []
    for pid in workers(server):
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        own.append(sum(1024 * int(row.split()[1]) for row in rows if row.startswith("Private_Dirty")))
    assert num_bytes > 80_000_000
    assert max(own) < num_bytes / 2
    assert server.stop() == 0


# without a server


@pytest.mark.parametrize("how", ["stop_accepting", "shutdown"])
def test_a_connection_accepted_as_the_server_stops_is_answered(how: str) -> None:
    """In the same round of the event loop: asyncio's own `close` would lose it."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("here")(scope, receive, send)

    async def run() -> bytes:
        loop, listening = asyncio.get_running_loop(), listen("127.0.0.1", 0)
        server = Server(uvicorn.Config(app, ws="none", log_config=None, lifespan="off"))
        serving = asyncio.ensure_future(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        told: asyncio.Future[None] = loop.create_future()

        async def stop() -> None:
            await told
            if how == "shutdown":
                await server.shutdown([listening])
            else:
                server.stop_accepting()

        stopping = asyncio.ensure_future(stop())
        await asyncio.sleep(0)  # it waits
        with socket.create_connection(listening.getsockname()) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            client.settimeout(20)
            # It goes on in the next round, before what is accepted in this one begins.
            loop.call_soon(told.set_result, None)
            answer = await asyncio.to_thread(client.recv, 1 << 16)
        server.should_exit = True
        await asyncio.gather(serving, stopping)
        return answer

    assert asyncio.run(run()).startswith(b"HTTP/1.1 200")


def test_numbers_of_processes_are_added() -> None:
    processes = [Metrics(), Metrics()]
    for each in processes:
        each.gauge("regard_models", lambda: 2)
        each.gauge("regard_queue_depth", lambda: 3)
        each.count("regard_tokens_total", 1_234_567)
        each.observe("regard_request_seconds", 0.3)
    processes[1].count("regard_requests_total", interface="a", status="200")
    numbers = [Numbers(*json.loads(json.dumps(each.numbers()))) for each in processes]
    lines = text_of(numbers).splitlines()
    for line in (
        "regard_models 2", "regard_queue_depth 6", "regard_tokens_total 2469134", "regard_request_seconds_count 2",
        'regard_request_seconds_bucket{le="0.25"} 0', 'regard_request_seconds_bucket{le="0.5"} 2',
        'regard_requests_total{interface="a",status="200"} 1',
    ):  # fmt: skip
        assert line in lines, line


def test_a_state_of_several_connections(tmp_path: Path) -> None:
    """Eight of them note requests of a key at once: exactly as many as it may make."""
    keys = tmp_path / "keys"
    keys.write_text("few 50\n")
    states = [SharedState(tmp_path / "state.db") for _ in range(8)]
    checking = [Keys(keys, state) for state in states]

    def tries(own: Keys) -> int:
        made = 0
        for _ in range(10):
            try:
                own.check({"authorization": "Bearer few"}, {})
                made += 1
            except ServingError:
                continue
        return made

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(tries, checking)) == 50
    with pytest.raises(sqlite3.OperationalError), states[0].transaction() as database:
        database.executemany("DELETE FROM requests WHERE time > ? AND nothing", [(0,)])
    with states[1].transaction(only_reads=True) as database:
        assert database.execute("SELECT count(*) FROM requests").fetchone() == (50,)
    assert b"few" not in b"".join(path.read_bytes() for path in tmp_path.glob("state.db*"))
