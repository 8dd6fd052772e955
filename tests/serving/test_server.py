"""The process: keys, clients that go away or are slow, and how it ends and begins anew."""

import concurrent.futures
import http.client
import json
import re
import shutil
import signal
import socket
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from served import Running, Start
from starlette.testclient import TestClient
from test_interfaces import FORM, JSON, send

from regard.documents import language_detection as language
from regard.errors import SettingsError
from regard.pipelines.translator import Translator
from regard.serving.character_counts import CharacterCounts
from regard.serving.directions import Direction, parse_models
from regard.serving.http.app import App
from regard.serving.http.connections import protocol
from regard.serving.http.server import listen
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.logs import JsonLines, TextLines
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState
from regard.serving.translation_request import TranslationRequest
from regard.serving.translation_service import TranslationService


def test_64_clients_get_what_each_would_get_alone(server: Running, translator: Translator) -> None:
    texts = [f"{first} {second} {third}" for first in ("a", "two", "red", "my") for second in ("cat", "dog", "mat", "dogs")
             for third in ("plays", "sleeps", "runs", "is here")]  # fmt: skip

    def ask(text: str) -> list[str]:
        bodies = [json.dumps({"q": f"{text} {turn}", "source": "en", "target": "de"}) for turn in range(3)]
        return [send(server, "POST", "/translate", body, JSON)[1]["translatedText"] for body in bodies]

    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        found = list(pool.map(ask, texts))
    wanted = translator.translate([f"{text} {turn}" for text in texts for turn in range(3)])
    assert [each for row in found for each in row] == [each.text for each in wanted]


def test_clients_that_go_away_are_slow_or_say_nothing(server: Running) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    address = host, int(port)
    held = [socket.create_connection(address) for _ in range(200)]
    held[0].sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nq=")  # and no more
    body = json.dumps({"q": ["two dogs play here"] * 500, "source": "en", "target": "de"}).encode()
    head = (
        f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    )
    for leaving in held[1:4]:
        leaving.sendall(head + body)
    wait_for(lambda: is_decoding(server))
    for leaving in held[1:4]:
        leaving.close()
    assert send(server, "POST", "/translate", "q=a&source=en&target=de", FORM)[0] == 200
    wait_for(lambda: re.search(r"^regard_queue_depth 0$", server.get("/metrics")[1], re.M) and not is_decoding(server))
    assert re.search(r'regard_rejected_total\{reason="cancelled"\} [1-9]', server.get("/metrics")[1])
    for each in held:
        each.close()


def test_keys_and_their_limits(start: Start, folder: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text("# ours\nsecret 3\nother\n")
    server = start(folder, "--api-keys", keys)
    body = {"q": "a", "source": "en", "target": "de"}
    assert send(server, "POST", "/translate", json.dumps(body), JSON) == (403, {"error": "An API key is needed."})
    assert send(server, "POST", "/translate", json.dumps(body | {"api_key": "no"}), JSON) == (
        403,
        {"error": "Invalid API key"},
    )
    for _ in range(3):
        assert send(server, "POST", "/translate", json.dumps(body | {"api_key": "secret"}), JSON)[0] == 200
    status, content = send(server, "POST", "/translate", json.dumps(body | {"api_key": "secret"}), JSON)
    assert (status, content) == (429, {"error": "Slowdown: this key may make 3 requests a minute."})
    assert (
        send(server, "POST", "/kiss", json.dumps({"text": "a", "to": "de"}), JSON, Authorization="Bearer other")[0]
        == 200
    )
    deep = json.dumps({"text": ["a"], "target_lang": "DE"})
    assert send(server, "POST", "/v2/translate", deep, JSON, Authorization="DeepL-Auth-Key other")[0] == 200
    for path in ("/health", "/docs", "/spec", "/languages"):
        assert server.get(path)[0] == 200
    log = server.log.read_text()
    assert "POST /translate 403" in log
    assert "secret" not in log
    server.stop()


def test_sigterm_answers_what_was_accepted_and_exits_with_0(start: Start, folder: Path, translator: Translator) -> None:
    server = start(folder, "--batch-size", 2)
    texts = [f"two dogs play {number}" for number in range(800)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        body = json.dumps({"q": texts, "source": "en", "target": "de"})
        accepted = pool.submit(send, server, "POST", "/translate", body, JSON)
        wait_for(lambda: is_decoding(server))
        host, port = server.url.removeprefix("http://").split(":")
        kept = http.client.HTTPConnection(host, int(port))
        kept.request("GET", "/ready")
        assert kept.getresponse().read().startswith(b'{"status": "ready"')
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: _status(kept, "/ready") == 503)
        kept.request(
            "POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "de"}), {"Content-Type": JSON}
        )
        refused = kept.getresponse()
        assert refused.status == 503
        assert refused.getheader("Retry-After")
        assert "shutting down" in refused.read().decode()
        kept.close()
        status, content = accepted.result(120)
    assert status == 200
    assert content["translatedText"] == [each.text for each in translator.translate(texts)]
    assert server.process.wait(30) == 0


def _status(kept: http.client.HTTPConnection, path: str) -> int:
    """The status of an answer on a connection that stays open."""
    kept.request("GET", path)
    answer = kept.getresponse()
    answer.read()
    return answer.status


def test_sighup_loads_models_anew_and_keeps_the_old_where_they_are_broken(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy-en-de"
    shutil.copytree(folder, copy)
    server = start(copy)
    body = json.dumps({"q": "a cat", "source": "en", "target": "de"})
    before = send(server, "POST", "/translate", body, JSON)
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "loaded anew" in server.log.read_text())
    assert send(server, "POST", "/translate", body, JSON) == before
    (copy / "model.safetensors").write_bytes(b"broken")
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "the old ones stay" in server.log.read_text())
    assert send(server, "POST", "/translate", body, JSON) == before
    assert "model.safetensors" in json.loads(server.get("/health")[1])["reload_error"]
    assert server.stop() == 0


def wait_for(condition: Any) -> None:
    for _ in range(200):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError


def is_decoding(server: Running) -> bool:
    return not re.search("^regard_active_sentences 0$", server.get("/metrics")[1], re.M)


def test_several_models(start: Start, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "m"
    shutil.copytree(folder, other)
    server = start(folder, f"fr-en={other}")
    _, languages = send(server, "GET", "/languages")
    assert {each["code"]: each["targets"] for each in languages} == {
        "de": ["de"],
        "en": ["de", "en"],
        "fr": ["en", "fr"],
    }
    assert send(server, "POST", "/translate", json.dumps({"q": "a", "source": "fr", "target": "en"}), JSON)[0] == 200
    status, content = send(server, "POST", "/translate", json.dumps({"q": "a", "source": "fr", "target": "de"}), JSON)
    assert (status, content["error"]) == (400, "fr to de is not supported. This server translates en-de, fr-en.")
    texts = {"en": "Two dogs play in the snow.", "fr": "Deux chiens jouent dans la neige."}
    for code, text in texts.items():
        _, ranked = send(server, "POST", "/detect", json.dumps({"q": text}), JSON)
        assert (ranked[0]["language"], len(ranked)) == (code, 2)
        assert ranked[0]["confidence"] > 50 > ranked[1]["confidence"]
        target = {"en": "de", "fr": "en"}[code]  # the only source for each
        fields = {"q": text, "source": "auto", "target": target}
        _, content = send(server, "POST", "/translate", json.dumps(fields), JSON)
        assert content["detectedLanguage"] == {"confidence": 100.0, "language": code}
    server.stop()


def test_the_source_is_detected(start: Start, folder: Path, tmp_path: Path) -> None:
    server = start(folder, f"fr-de={folder}", f"nb-de={folder}")
    for code, text in {
        "en": "Two dogs play in the snow.", "fr": "Deux chiens jouent dans la neige.", "nb": "To hunder leker i snøen.",
    }.items():  # fmt: skip
        fields = {"q": [text, text], "source": "auto", "target": "de"}
        status, content = send(server, "POST", "/translate", json.dumps(fields), JSON)
        assert status == 200
        assert [each["language"] for each in content["detectedLanguage"]] == [code, code]
        assert 40 < content["detectedLanguage"][0]["confidence"] < 100
        marked = f"<p title='This is what the reader sees > here' class=the-first-one>{text}</p><!-- and this, a > b, not --><hr>"
        fields = {"q": [marked, marked], "source": "auto", "target": "de", "format": "html"}
        _, of_html = send(server, "POST", "/translate", json.dumps(fields), JSON)
        assert of_html["detectedLanguage"] == content["detectedLanguage"]
    _, content = send(
        server, "POST", "/translate", json.dumps({"q": "Квартира", "source": "auto", "target": "de"}), JSON
    )
    assert content["detectedLanguage"]["confidence"] < 10  # none of the three
    status, content = send(server, "POST", "/translate", json.dumps({"q": "", "source": "auto", "target": "de"}), JSON)
    assert (status, content["translatedText"]) == (200, "")
    server.stop()


def test_names_that_say_a_direction() -> None:
    for name, direction in {
        "opus-mt-en-de": "en-de", "en-de-model": "en-de", "model": None, "my_fr_en.v2": "fr-en", "opus-mt-tc-big-en-fr": "en-fr",
        "tiny-base": None, "ende": None, "my-run": None,
    }.items():  # fmt: skip
        found = Direction.of_name(name)
        assert (None if found is None else str(found)) == direction, name
    assert parse_models(["x/model"]) == [(Path("x/model"), None)]
    assert parse_models(["en-de=x/model"]) == [(Path("x/model"), Direction("en", "de"))]
    assert parse_models(["eng-DEU=x", "de-en=x"]) == [
        (Path("x"), Direction("en", "de")),
        (Path("x"), Direction("de", "en")),
    ]
    with pytest.raises(SettingsError, match="got en-de twice"):
        parse_models(["a/en-de", "b/en-de"])


def test_mistakes_on_the_command_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from regard.cli.main import run

    taken = socket.create_server(("127.0.0.1", 0))
    (tmp_path / "keys").write_text("# none\n")
    for words, message in (
        ([folder, "--port", taken.getsockname()[1]], "cannot be used: Address already in use"),
        ([tmp_path / "nothing", "--port", "0"], "nothing"),
        ([folder, "--api-keys", tmp_path / "keys"], "must hold keys"),
        ([folder, "--api-keys", tmp_path / "no"], "no"),
    ):
        with pytest.raises(SystemExit) as ended:
            run(["serve", *map(str, words)])
        assert ended.value.code == 2
        assert message in " ".join(capsys.readouterr().err.split())
    taken.close()


def test_without_a_detector_the_source_must_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_ranker", lambda: None)
    registry = ModelRegistry(ModelFolders(parse_models([str(folder), f"fr-de={folder}"]), device="cpu"), Limits())
    service = TranslationService(registry, CharacterCounts(SharedState()))
    with pytest.raises(ServingError, match="must be named: this server reads en, fr"):
        service.submit(TranslationRequest(["a"], None, "de"))
    with TestClient(App(registry, Keys(None)).asgi) as client:
        for path in ("/detect", "/language/translate/v2/detect"):
            refused = client.post(path, json={"q": "a"})
            assert (refused.status_code, "py3langid" in refused.text) == (501, True)
    assert service.submit(TranslationRequest(["a"], "fr", "de")).job.futures[0].result(30).text
    registry.close()


def test_pages_of_an_origin_may_read_the_headers_of_answers(folder: Path) -> None:
    registry = ModelRegistry(ModelFolders(parse_models([str(folder)]), device="cpu"), Limits())
    client = TestClient(App(registry, Keys(None), cors=["http://a.example"]).asgi)
    for origin, path in (("http://a.example", "/health"), ("http://a.example", "/x"), ("http://b.example", "/health")):
        headers = client.get(path, headers={"Origin": origin}).headers
        assert headers.get("Access-Control-Allow-Origin") == (origin if "//a" in origin else None)
        exposed = {each.strip() for each in headers["Access-Control-Expose-Headers"].split(",")}
        assert exposed == {"X-Shape", "X-Scale", "X-Heads", "X-Request-ID", "Retry-After", "ETag"}
    registry.close(at_once=True)


@pytest.mark.parametrize("character", ["a", "\0", "\n", "\U000e0001"])
def test_a_long_path_is_shortened_in_the_log_and_in_the_answer(
    folder: Path, character: str, caplog: pytest.LogCaptureFixture
) -> None:
    registry = ModelRegistry(ModelFolders(parse_models([str(folder)]), device="cpu"), Limits())
    client = TestClient(App(registry, Keys(None)).asgi)
    with caplog.at_level("INFO", "regard.serving.access"):
        answer = client.get("/begin" + urllib.parse.quote(character) * 3_000 + "end")
        client.get("/" + "b" * 399)
    registry.close(at_once=True)
    long, short = (record for record in caplog.records if record.name == "regard.serving.access")
    assert answer.status_code == 404
    assert len(answer.json()["error"]) < 3100
    for form in (TextLines(), JsonLines()):
        line = form.format(long)
        assert re.search("GET /begin.*characters.*end 404 ", line)
        assert len(line) < 12_000
        assert len(line) < 2000 or character == "\U000e0001"  # of which JSON has twelve characters
        assert "/" + "b" * 399 + " 404" in form.format(short)


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("/api/v1/translate", "length_penalty", 10**400),
        ("/api/v1/translate", "method", "x" * 5000),
        ("/api/v1/translate", "x" * 5000, 1),
        ("/v1/chat/completions", "temperature", 10**400),
        ("/v1/chat/completions", "seed", 10**400),
        ("/v1/chat/completions", "top_k", "9" * 5000),
    ],
)
def test_a_long_value_or_name_is_not_repeated_in_full(client: TestClient, path: str, name: str, value: Any) -> None:
    model = client.get("/v1/models").json()["data"][0]["id"]
    fields = {"model": model, "messages": [{"role": "user", "content": "a"}]} if "chat" in path else {"text": "a"}
    answer = client.post(path, json={**fields, name: value})
    assert answer.status_code == 400
    assert str(value)[:20] in answer.text or name[:20] in answer.text
    assert len(answer.text) < 1500
    assert not re.search("0{101}|x{101}|9{101}", answer.text)


def test_silent_and_slow_clients_are_closed(folder: Path) -> None:
    registry = ModelRegistry(ModelFolders(parse_models([str(folder)]), device="cpu"), Limits(body_seconds=1.0))
    listening = listen("127.0.0.1", 0)
    body = json.dumps({"texts": ["a cat sleeps"] * 1000, "n_best": 5}).encode()
    head = f"POST /api/v1/translate HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    app = App(registry, Keys(None)).asgi
    server = uvicorn.Server(uvicorn.Config(app, http=protocol(1.0, 3), ws="none", log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()

    def connected() -> socket.socket:
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(listening.getsockname())
        return client

    for sent in (
        b"",
        b"POST /translate HT",
        head + body[:5],
        head + body,
    ):  # nothing, half a head, half a body, no reading
        client = connected()
        client.sendall(sent)
        wait_for(lambda: server.server_state.connections)
        began = time.monotonic()
        wait_for(lambda: not server.server_state.connections)
        assert time.monotonic() - began > 0.5
        client.close()
    several = [connected() for _ in range(5)]
    wait_for(lambda: len(server.server_state.connections) == 3)  # more are closed as they come
    time.sleep(0.3)
    assert len(server.server_state.connections) == 3
    for client in several:
        client.close()
    server.should_exit = True
    thread.join(30)
    registry.close()


def test_every_path_is_described(server: Running) -> None:
    _, document = send(server, "GET", "/spec")
    assert document["openapi"].startswith("3.1")
    described = [(path, each) for path, operations in document["paths"].items() for each in operations.values()]
    assert len(described) > 50
    for path, operation in described:
        assert operation["summary"], f"{path} has no description"
        names = [each["name"] for each in operation.get("parameters", []) if each["in"] == "path"]
        assert names == re.findall(r"\{(\w+)\}", path)
    body = document["paths"]["/api/v1/translate"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    fields = document["components"]["schemas"][body["$ref"].rpartition("/")[2]]["properties"]
    assert fields["beam_size"]["default"] == 5
    assert "hypotheses" in fields["beam_size"]["description"]
    assert {"text", "n_best", "prefix", "prefixes", "split", "format", "required", "trace"} <= fields.keys()
    status, page = server.get("/docs")
    assert status == 200
    assert all(path in page for path in document["paths"])
    assert not re.findall(r"<script|https?://|@import|url\(", page)  # it needs no network
    assert "hypotheses kept at each step" in page


def test_many_reloads_hold_nobody_up(start: Start, folder: Path, translator: Translator) -> None:
    server = start(folder)
    texts = [f"a cat {number}" for number in range(900)]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        body = json.dumps({"texts": texts, "beam_size": 12, "max_length": 40})
        long = pool.submit(send, server, "POST", "/api/v1/translate", body, JSON)
        wait_for(lambda: is_decoding(server))
        for _ in range(20):
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.02)
        for number in range(20):
            status, content = send(server, "POST", "/api/v1/translate", json.dumps({"text": f"b {number}"}), JSON)
            assert (status, content["text"]) == (200, translator.translate(f"b {number}").text)
        status, content = long.result(120)
    assert status == 200
    assert len(content["translations"]) == 900
    wait_for(lambda: "loaded anew" in server.log.read_text())
    assert server.stop() == 0


def test_a_text_in_the_targets_language_already_comes_back(start: Start, folder: Path) -> None:
    server = start(folder)
    german = "Zwei braune Hunde spielen mit einem Mann im tiefen Schnee."
    for text, is_same in (
        (german, True),
        (f"<p>{german}</p>", True),
        ("Zwei Hunde", False),
        ("Two brown dogs " * 4, False),
    ):
        kind = "html" if "<" in text else "text"
        fields = {"q": text, "source": "auto", "target": "de", "format": kind}
        status, found = send(server, "POST", "/translate", json.dumps(fields), JSON)
        assert status == 200
        assert (found["translatedText"] == text) == is_same, text
        assert found["detectedLanguage"]["language"] == ("de" if is_same else "en")
    english = json.dumps(
        {"q": "Two brown dogs play with an old man in the deep snow.", "source": "auto", "target": "en"}
    )
    assert send(server, "POST", "/translate", english, JSON)[1]["translatedText"].startswith("Two brown dogs")
