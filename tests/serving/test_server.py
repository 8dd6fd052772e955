"""The process: keys, clients that go away or are slow, and how it ends and begins anew."""

import concurrent.futures
import http.client
import json
import re
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from served import Running, Start
from test_interfaces import FORM, JSON, send

from regard.errors import SettingsError
from regard.serving.directions import Direction, parse_models
from regard.workflow.translation.translator import Translator


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
    time.sleep(0.3)
    for leaving in held[1:4]:
        leaving.close()
    assert send(server, "POST", "/translate", "q=a&source=en&target=de", FORM)[0] == 200
    for _ in range(100):
        metrics = server.get("/metrics")[1]
        if re.search(r"^regard_queue_depth 0$", metrics, re.M) and re.search(
            r"^regard_active_sentences 0$", metrics, re.M
        ):
            break
        time.sleep(0.1)
    else:
        raise AssertionError(metrics)
    assert re.search(r'regard_rejected_total\{reason="cancelled"\} [1-9]', metrics)
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
    assert server.get("/health")[0] == 200
    log = server.log.read_text()
    assert "POST /translate 403" in log
    assert "secret" not in log
    server.stop()


def test_sigterm_answers_what_was_accepted_and_exits_with_0(start: Start, folder: Path, translator: Translator) -> None:
    server = start(folder, "--batch-size", 2)
    texts = [f"two dogs play {number}" for number in range(80)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        body = json.dumps({"q": texts, "source": "en", "target": "de"})
        accepted = pool.submit(send, server, "POST", "/translate", body, JSON)
        time.sleep(0.4)
        host, port = server.url.removeprefix("http://").split(":")
        kept = http.client.HTTPConnection(host, int(port))
        kept.request("GET", "/ready")
        assert kept.getresponse().read().startswith(b'{"status": "ready"')
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        kept.request(
            "POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "de"}), {"Content-Type": JSON}
        )
        refused = kept.getresponse()
        assert refused.status == 503
        assert refused.getheader("Retry-After")
        assert "shutting down" in refused.read().decode()
        kept.request("GET", "/ready")
        assert kept.getresponse().status == 503
        kept.close()
        status, content = accepted.result(120)
    assert status == 200
    assert content["translatedText"] == [each.text for each in translator.translate(texts)]
    assert server.process.wait(30) == 0


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


def test_several_models(start: Start, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "m"
    shutil.copytree(folder, other)
    server = start(folder, f"fr-en={other}")
    _, languages = send(server, "GET", "/languages")
    assert {each["code"]: each["targets"] for each in languages} == {"de": [], "en": ["de"], "fr": ["en"]}
    assert send(server, "POST", "/translate", json.dumps({"q": "a", "source": "fr", "target": "en"}), JSON)[0] == 200
    status, content = send(server, "POST", "/translate", json.dumps({"q": "a", "source": "fr", "target": "de"}), JSON)
    assert (status, content["error"]) == (400, "fr to de is not supported. This server translates en-de, fr-en.")
    assert send(server, "POST", "/detect", json.dumps({"q": "a"}), JSON)[0] == 501
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
    with pytest.raises(SettingsError, match=r"does not say its languages.*en-de=x/model"):
        parse_models(["x/model", "y-en-fr"])
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


def test_a_source_that_is_not_named_must_be_the_only_one(start: Start, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "m"
    shutil.copytree(folder, other)
    server = start(folder, f"fr-de={other}")
    status, content = send(server, "POST", "/translate", json.dumps({"q": "a", "source": "auto", "target": "de"}), JSON)
    assert (status, "must be named: this server reads en, fr" in content["error"]) == (400, True)
    assert send(server, "POST", "/translate", json.dumps({"q": "a", "source": "fr", "target": "de"}), JSON)[0] == 200
    server.stop()
