"""The clients of `soak.py`: steady and slow ones, those that break off, make mistakes, ask for too much, or say nothing."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from soak_http import FORM, JSON, Connection, Pace, Reply, Tally

LOST = (OSError, EOFError, asyncio.LimitOverrunError)
"""What reading from a connection that ends raises."""
BEAM, LARGEST_PAUSE = 5, 5.0
"""The beam where a request names none; the longest time, in seconds, that a refused client waits before it asks again."""
PARAGRAPH = "\n\n"
"""What always ends a sentence."""


@dataclass(frozen=True)
class Expected:
    """What `translate` says for each sentence alone."""

    sentences: Sequence[str]
    by_beam: dict[int, dict[str, str]]

    def mistake(self, sentence: str, found: object, beam: int = BEAM) -> str | None:
        """How an answer differs from the right one; None: it does not."""
        wanted = self.by_beam[beam][sentence]
        return None if found == wanted else f"wrong answer to {sentence!r}: got {found!r}, not {wanted!r}"


class Load:
    """What all clients share."""

    def __init__(self, port: int, expected: Expected, tally: Tally, *, queue: int, bound: float) -> None:
        self.port, self.expected, self.tally, self.queue, self.bound = port, expected, tally, queue, bound
        self.stop = asyncio.Event()
        """No new requests from now on."""
        self.num_bursts = 0
        """Bursts under way: only then may a request be refused."""

    async def pause(self, seconds: float) -> None:
        """Wait, but no longer than until the end."""
        await asyncio.wait({stopped := asyncio.ensure_future(self.stop.wait())}, timeout=seconds)
        stopped.cancel()

    def compare(self, kind: str, pairs: Sequence[tuple[str, object]], beam: int = BEAM) -> None:
        """Hold sentences and what was answered for them against what is right."""
        for sentence, found in pairs:
            if mistake := self.expected.mistake(sentence, found, beam):
                self.tally.fail(f"{kind}: {mistake}")

    def refusal(self, kind: str, reply: Reply, was_burst: bool) -> float:
        """Seconds to wait after a 429, which must come with `Retry-After`, and only during a burst."""
        after = reply.headers.get("retry-after", "")
        if not after.isdigit() or int(after) < 1:
            self.tally.fail(f"{kind}: 429 with Retry-After {after!r}")
        if not (was_burst or self.num_bursts):
            self.tally.fail(f"{kind}: 429 though the queue was not full")
        return min(float(after or 1), LARGEST_PAUSE)


Interface = tuple[str, str, Callable[[str], bytes], str, int, Callable[[Reply], object]]
"""Name, path, body of a sentence, content type, beam, and the translation in the answer."""


def body(**fields: Any) -> bytes:
    """JSON."""
    return json.dumps(fields).encode()


def streamed(reply: Reply) -> object:
    """The translation at the end of a stream, if all that was said to be certain is its beginning."""
    events = reply.events()
    name, content = events[-1]
    if name != "done" or events[0][0] != "meta":
        return events[-1]
    early = [each["text"] for kind, each in events if kind == "token" and each["sentence"] == 0]
    if events[0][1]["sentences"] == 1 and not all(content["text"].startswith(text) for text in early):
        return {"text": content["text"], "said before": early}
    return content["text"]


def _own(beam: int) -> Interface:
    return (
        f"api/v1 beam {beam}", "/api/v1/translate", lambda text: body(text=text, target="de", beam_size=beam), JSON, beam,
        lambda reply: reply.content()["text"],
    )  # fmt: skip


INTERFACES: list[Interface] = [
    (
        "libretranslate json", "/translate", lambda text: body(q=text, source="en", target="de"), JSON, BEAM,
        lambda reply: reply.content()["translatedText"],
    ),
    (
        "libretranslate form", "/translate", lambda text: urlencode({"q": text, "source": "auto", "target": "de"}).encode(),
        FORM, BEAM, lambda reply: reply.content()["translatedText"],
    ),
    *(_own(beam) for beam in (1, 2, 4)),
    (
        "deepl", "/v2/translate", lambda text: body(text=[text], source_lang="EN", target_lang="DE"), JSON, BEAM,
        lambda reply: reply.content()["translations"][0]["text"],
    ),
    (
        "stream", "/api/v1/stream", lambda text: body(text=text, target="de", beam_size=2), JSON, 2, streamed,
    ),
]  # fmt: skip
BEAMS = sorted({interface[4] for interface in INTERFACES})


async def steady(load: Load, seed: int) -> None:
    """One sentence after another on one connection; every answer is compared."""
    chance = random.Random(seed)
    connection = await Connection.open(load.port)
    while not load.stop.is_set():
        name, path, write, kind, beam, read = chance.choice(INTERFACES)
        sentence = chance.choice(load.expected.sentences)
        was_burst, started = bool(load.num_bursts), time.perf_counter()
        try:
            async with asyncio.timeout(load.bound):
                reply = await connection.ask(path, write(sentence), kind)
        except TimeoutError:
            load.tally.fail(f"steady: {name} took longer than {load.bound:g} s")
            break
        except LOST as error:
            load.tally.fail(f"steady: {name} had no answer: {error!r}")
            connection.close()
            connection = await Connection.open(load.port)
            continue
        load.tally.answered("steady", reply.status, time.perf_counter() - started)
        if reply.status == 429:
            await load.pause(load.refusal("steady", reply, was_burst))
        elif reply.status == 200:
            load.compare(f"steady, {name}", [(sentence, read(reply))], beam)
        else:
            load.tally.fail(f"steady: {name} was answered {reply.status}: {reply.body[:200]!r}")
    connection.close()


async def breaking(load: Load, seed: int) -> None:
    """Requests that are broken off in the middle, in every way."""
    chance = random.Random(seed)
    many = body(q=[chance.choice(load.expected.sentences) for _ in range(20)], source="en", target="de")
    text = PARAGRAPH.join(chance.choice(load.expected.sentences) for _ in range(10))
    while not load.stop.is_set():
        way = chance.choice(["closed", "reset", "half a body, closed", "half a body, reset", "sending ended", "stream"])
        connection = await Connection.open(load.port)
        if way == "stream":
            connection.send("/api/v1/stream", body(text=text, target="de"))
            await connection.reader.read(100)
        elif way.startswith("half"):
            connection.send("/translate", many[: len(many) // 2], length=len(many))
        else:
            connection.send("/translate", many)
        await asyncio.sleep(chance.choice([0.0, 0.002, 0.01, 0.05]))
        if way == "sending ended":
            connection.end_sending()
            await connection.reader.read()
        if way.endswith("closed") or way == "sending ended":
            connection.close()
        else:
            connection.reset()
        load.tally.events[f"broken off: {way}"] += 1
        await load.pause(chance.uniform(0.02, 0.2))


async def silent(load: Load) -> None:
    """Half a body, and then nothing: 408 after half a minute."""
    while not load.stop.is_set():
        connection = await Connection.open(load.port)
        connection.send("/translate", b'{"q": "', length=100)
        reply, stopped = asyncio.ensure_future(connection.reply()), asyncio.ensure_future(load.stop.wait())
        await asyncio.wait({reply, stopped}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
        if reply.done():
            load.tally.answered("silent", reply.result().status)
            if reply.result().status != 408:
                load.tally.fail(f"silent: half a body was answered {reply.result().status}, not 408")
        elif not load.stop.is_set():
            load.tally.fail("silent: half a body was not answered within 60 s")
        for waiting in (reply, stopped):
            waiting.cancel()
        connection.close()


def mistakes(expected: Expected) -> list[tuple[str, int, str, bytes]]:
    """Requests that are out of bounds: name, status, path and body."""
    first, second = expected.sentences[:2]
    overlong, libre = "dog " * 5000, {"q": first, "source": "en", "target": "de"}
    return [
        ("overlong", 400, "/api/v1/translate", body(text=overlong, split=False)),
        ("one overlong", 200, "/api/v1/translate", body(texts=[first, overlong, second], split=False)),
        ("cut", 200, "/translate", body(**libre | {"q": overlong[:1000]})),
        ("too many bytes", 413, "/translate", b"q=" + bytes(5_000_000)),
        ("too many texts", 413, "/translate", body(**libre | {"q": ["a"] * 1001})),
        ("too many characters", 413, "/api/v1/translate", body(text="a" * 500_001)),
        ("JSON cut off", 400, "/translate", body(**libre)[:-3]),
        ("not UTF-8", 400, "/translate", b'{"q": "\xff"}'),
        ("no object", 400, "/v2/translate", b"[1, 2]"),
        ("alternatives", 400, "/translate", body(**libre | {"alternatives": 10_000})),
        ("own alternatives", 400, "/api/v1/translate", body(text=first, alternatives=10_000)),
        ("beam", 400, "/api/v1/translate", body(text=first, beam_size=10_000)),
        ("unknown language", 400, "/translate", body(**libre | {"target": "xx"})),
        ("unknown language", 400, "/v2/translate", body(text=[first], target_lang="XX")),
        ("unknown field", 400, "/api/v1/translate", body(text=first, beams=2)),
        ("unknown path", 404, "/nothing", body(**libre)),
        ("wrong method", 405, "/languages", b"{}"),
    ]


async def mistaken(load: Load) -> None:
    """One mistake after another; each has its status."""
    table = mistakes(load.expected)
    connection = await Connection.open(load.port)
    while not load.stop.is_set():
        for name, status, path, content in table:
            was_burst = bool(load.num_bursts)
            async with asyncio.timeout(load.bound):
                reply = await connection.ask(path, content)
            load.tally.answered("mistaken", reply.status)
            if reply.status == 429 and status in (200, 400):  # what is too long is noticed behind the queue
                load.refusal("mistaken", reply, was_burst)
            elif reply.status != status:
                load.tally.fail(f"mistaken: {name} was answered {reply.status}, not {status}: {reply.body[:200]!r}")
            elif name == "one overlong":
                rows = reply.content()["translations"]
                pairs = zip(load.expected.sentences[:2], (rows[0].get("text"), rows[2].get("text")), strict=True)
                load.compare("mistaken", list(pairs))
                if rows[1].get("error", {}).get("status") != 400:
                    load.tally.fail(f"mistaken: an overlong text in a list was answered {rows[1]}")
        await load.pause(0.5)
    connection.close()


async def bursts(load: Load, seconds: float) -> None:
    """Many long lists at once: some must be refused, the others right; afterwards all is as before."""
    while not load.stop.is_set():
        await load.pause(seconds)
        load.num_bursts += 1
        statuses = await asyncio.gather(*(_long_list(load, number) for number in range(16)))
        load.num_bursts -= 1
        load.tally.events["bursts"] += 1
        if 429 not in statuses:
            load.tally.fail(f"burst: nothing was refused, {len(statuses)} lists were answered {statuses}")
        connection = await Connection.open(load.port)
        sentence = load.expected.sentences[0]
        async with asyncio.timeout(load.bound):
            reply = await connection.ask("/translate", body(q=sentence, source="en", target="de"))
        load.tally.answered("after a burst", reply.status)
        found = reply.content()
        load.compare("after a burst", [(sentence, found.get("translatedText", found))])
        connection.close()


async def _long_list(load: Load, seed: int) -> int:
    """The status of a list that is half as long as the queue; a translation is checked."""
    chance = random.Random(seed)
    sentences = [chance.choice(load.expected.sentences) for _ in range(load.queue // 2)]
    connection = await Connection.open(load.port)
    async with asyncio.timeout(2 * load.bound):
        reply = await connection.ask("/translate", body(q=sentences, source="en", target="de"))
    load.tally.answered("burst", reply.status)
    if reply.status == 200:
        load.compare("burst", list(zip(sentences, reply.content()["translatedText"], strict=True)))
    elif reply.status == 429:
        load.refusal("burst", reply, True)
    else:
        load.tally.fail(f"burst: a list was answered {reply.status}: {reply.body[:200]!r}")
    connection.close()
    return reply.status


async def slow(load: Load, seed: int) -> None:
    """Large answers and streams that are read slowly; now and then one is not read to its end."""
    chance = random.Random(seed)
    while not load.stop.is_set():
        sentences = [chance.choice(load.expected.sentences) for _ in range(80)]
        is_stream, is_left = chance.random() < 0.5, chance.random() < 0.2
        text = body(text=PARAGRAPH.join(sentences), target="de")
        asked = text if is_stream else body(texts=sentences, target="de", alternatives=10)
        connection, was_burst = await Connection.open(load.port, is_slow=True), bool(load.num_bursts)
        connection.send("/api/v1/stream" if is_stream else "/api/v1/translate", asked)
        if is_left:
            await connection.reader.read(100)
            await load.pause(2.0)
            connection.reset()
            load.tally.events["broken off: large answer"] += 1
            continue
        async with asyncio.timeout(2 * load.bound):
            reply = await connection.reply(None if load.stop.is_set() else Pace(4096, 0.02))
        load.tally.answered("slow", reply.status)
        if reply.status == 429:
            await load.pause(load.refusal("slow", reply, was_burst))
        elif reply.status != 200:
            load.tally.fail(f"slow: the answer was {reply.status}: {reply.body[:200]!r}")
        elif is_stream:
            _compare_text(load, "slow stream", sentences, streamed(reply))
        else:
            rows = [row.get("text", row) for row in reply.content()["translations"]]
            load.compare("slow list", list(zip(sentences, rows, strict=True)))
        connection.close()


def _compare_text(load: Load, kind: str, sentences: Sequence[str], found: object) -> None:
    """Compare a text of several sentences with the translations of each."""
    wanted = PARAGRAPH.join(load.expected.by_beam[BEAM][sentence] for sentence in sentences)
    if found != wanted:
        load.tally.fail(f"{kind}: wrong answer to a text of {len(sentences)} sentences: {str(found)[:200]!r}")


class Idle:
    """Connections that say nothing."""

    def __init__(self, load: Load, number: int) -> None:
        self.load, self.number = load, number
        self.connections: list[Connection] = []

    async def hold(self) -> None:
        """Open them, and open anew those that the server closes after a while."""
        while not self.load.stop.is_set():
            for connection in [each for each in self.connections if each.is_ended]:
                self.connections.remove(connection)
                connection.close()
                self.load.tally.events["idle connections closed by the server"] += 1
                if time.monotonic() - connection.opened < 10:
                    self.load.tally.fail("idle: the server closed a connection that was younger than 10 s")
            missing = min(100, self.number - len(self.connections))
            self.connections += await asyncio.gather(*(Connection.open(self.load.port) for _ in range(missing)))
            await self.load.pause(0.1 if missing else 2.0)

    async def use(self, number: int = 20) -> None:
        """Ask something on some of them in the end: they must still work."""
        for connection in self.connections[:: max(1, len(self.connections) // number)]:
            async with asyncio.timeout(self.load.bound):
                reply = await connection.ask("/health", method="GET")
            self.load.tally.answered("idle", reply.status)


async def last(load: Load, seed: int, accepted: asyncio.Semaphore) -> None:
    """A stream that is accepted before SIGTERM, and must be answered in full after it.

    Args:
        accepted: is released when the server has accepted the request.
    """
    chance = random.Random(seed)
    sentences = [chance.choice(load.expected.sentences) for _ in range(40)]
    connection = await Connection.open(load.port)
    connection.send("/api/v1/stream", body(text=PARAGRAPH.join(sentences), target="de", beam_size=BEAM))
    head = await connection.reader.readuntil(b"event: meta\n")
    accepted.release()
    status = int(head.split()[1])
    rest = await connection.reader.read()
    load.tally.answered("accepted before SIGTERM", status)
    events = [line for line in rest.decode().split("\n") if line.startswith("event: done")]
    done = rest.decode().rpartition("event: done\ndata: ")[2].partition("\n")[0]
    _compare_text(load, "accepted before SIGTERM", sentences, json.loads(done)["text"] if events else rest[-200:])
    connection.close()
