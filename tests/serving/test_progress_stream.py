"""The progress of patching as a stream: what it tells, what it ends with, and what happens when nobody listens any more."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from regard.analysis import patching
from regard.errors import SettingsError
from regard.serving.directions import parse_models
from regard.serving.endpoints.progress_stream import Tell, progress_stream
from regard.serving.http.app import App
from regard.serving.interfaces.native.native_fields import failure
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry

FOLDER = Path(__file__).parents[1] / "stored" / "int8"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    registry = ModelRegistry(ModelFolders(parse_models([str(FOLDER)]), device="cpu"), Limits())
    yield TestClient(App(registry, Keys(None)).asgi)
    registry.close(at_once=True)


def events_of(text: str) -> list[tuple[str, Any]]:
    pieces = [piece.split("\n") for piece in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pieces]


def test_patching_tells_how_far_it_is(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patching, "PLACES_AT_ONCE", 8)
    one = client.post("/api/v1/inspect", json={"text": "abcde"}).json()["id"]
    path = f"/api/v1/inspect/{one}/patch?other=abcdf"
    plain = client.get(path)
    assert plain.headers["Content-Type"].startswith("application/json")
    streamed = client.get(f"{path}&stream=true")
    assert streamed.headers["Content-Type"].startswith("text/event-stream")
    *told, (name, reply) = events_of(streamed.text)
    assert name == "done"
    assert reply == plain.json()
    assert {name for name, _ in told} == {"progress"}
    num_places = sum(len(row) for layers in reply["effects"].values() for row in layers)
    assert {each["total"] for _, each in told} == {num_places + 8}
    assert [each["done"] for _, each in told] == [0, 8, *range(16, num_places + 8, 8), num_places + 8]


def test_what_fails_before_the_first_run_has_a_status(client: TestClient) -> None:
    one = client.post("/api/v1/inspect", json={"text": "abcde"}).json()["id"]
    answer = client.get(f"/api/v1/inspect/{one}/patch?other=abcd&stream=true")
    assert answer.status_code == 400
    assert "same number of tokens" in answer.json()["error"]["message"]
    assert client.get("/api/v1/inspect/none/patch?other=abcd&stream=true").status_code == 410


@pytest.mark.parametrize(
    ("raised", "status"),
    [(SettingsError("no such thing"), 400), (ServingError(503, "later"), 503), (TimeoutError(), 504), (ValueError("x"), 500)],
)  # fmt: skip
def test_what_fails_later_is_the_last_event(raised: Exception, status: int) -> None:
    async def work(tell: Tell) -> None:
        tell("work", 0, 2)
        raise raised

    async def all_pieces() -> bytes:
        stream = await progress_stream(work, failure, Limits(body_seconds=5.0))
        return b"".join([piece async for piece in stream.body_iterator])  # type: ignore[misc]

    first, (name, error) = events_of(asyncio.run(all_pieces()).decode())
    assert first == ("progress", {"done": 0, "total": 2})
    assert (name, error["status"]) == ("error", status)


def test_work_ends_when_nobody_listens() -> None:
    left, ended = threading.Event(), list[type[BaseException]]()

    def steps(tell: Tell) -> None:
        tell("work", 0, 2)
        assert left.wait(20)
        try:
            tell("work", 1, 2)
        except ClientDisconnect as error:
            ended.append(type(error))
            raise

    async def leave() -> None:
        stream = await progress_stream(lambda tell: asyncio.to_thread(steps, tell), failure, Limits(body_seconds=5.0))
        stream._cancel()
        left.set()
        while not ended:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(leave(), 20))
    assert ended == [ClientDisconnect]
