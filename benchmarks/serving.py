"""The server under load, beside `translate` in one process and two plain servers around CTranslate2.

    python benchmarks/serving.py MODEL SOURCE [--sentences 512] [--clients 1 8 64 256]

Each client sends one sentence at a time and waits for its translation. All clients together send each sentence once. The plain
servers are what people write: one translates each request by itself, the other collects requests for 5 ms. Both need the
extras `convert` and `serve`. Everything keeps to 127.0.0.1 and ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from functools import partial
from pathlib import Path

PLAIN = """
import asyncio, json, sys
import ctranslate2, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from regard.pipelines.loading import load_any
folder, ours, window, port, threads = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
parts = load_any(ours)
translator = ctranslate2.Translator(folder, intra_threads=threads)
queue = asyncio.Queue()

def tokens(text):
    tokenizer = parts.source_tokenizer
    return tokenizer.tokens(tokenizer.frame_source(tokenizer.encode(text)))

def run(batch):
    found = translator.translate_batch(batch, beam_size=5, max_batch_size=64)
    backend = parts.tokenizer._backend
    return [parts.tokenizer.decode([backend.token_to_id(token) for token in each.hypotheses[0]]) for each in found]

async def worker():
    while True:
        batch = [await queue.get()]
        await asyncio.sleep(window)
        while not queue.empty():
            batch.append(queue.get_nowait())
        written = await asyncio.to_thread(run, [source for source, _ in batch])
        for text, (_, future) in zip(written, batch, strict=True):
            future.set_result(text)

async def translate(request):
    source = tokens((await request.json())["q"])
    if not window:
        (text,) = await asyncio.to_thread(run, [source])
        return JSONResponse({"translatedText": text})
    future = asyncio.get_running_loop().create_future()
    await queue.put((source, future))
    return JSONResponse({"translatedText": await future})

class App(Starlette):
    pass

app = App(routes=[Route("/translate", translate, methods=["POST"])])

async def main():
    if window:
        app.state.worker = asyncio.ensure_future(worker())
    print(f"http://localhost:{port}/", flush=True)
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="error")).serve()

asyncio.run(main())
"""


async def load(port: int, texts: list[str], num_clients: int) -> tuple[float, list[float], dict[str, str]]:
    """Seconds in all, seconds of each request, and what was answered."""
    waiting, seconds, found = list(reversed(texts)), list[float](), dict[str, str]()

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            text = waiting.pop()
            body = json.dumps({"q": text, "source": "auto", "target": "und"}).encode()
            head = f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            started = time.perf_counter()
            writer.write(head.encode() + body)
            status = await reader.readline()
            assert b"200" in status, status
            size = 0
            while (line := await reader.readline()).strip():
                if line.lower().startswith(b"content-length"):
                    size = int(line.split(b":")[1])
            content = json.loads(await reader.readexactly(size))
            seconds.append(time.perf_counter() - started)
            found[text] = content["translatedText"]
        writer.close()

    begun = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(num_clients)))
    return time.perf_counter() - begun, seconds, found


def begin(command: list[str]) -> tuple[subprocess.Popen[str], int]:
    """A server and its port."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://localhost:(\d+)/", line):
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(found[1]))):
                    lines = partial(
                        deque, process.stdout, maxlen=0
                    )  # the log is read, or the server would wait for that
                    threading.Thread(target=lines, daemon=True).start()
                    return process, int(found[1])
                time.sleep(0.1)
        print(line, end="")
    raise SystemExit("the server did not begin")


def memory(pid: int) -> float:
    """Memory of a process and those that it has begun, in MB; what several share counts once (proportional set size)."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) * 1024 / 1e6
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(memory(int(child)) for child in children)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("--sentences", type=int, default=512)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    import torch

    import regard
    from regard.errors import ModelFolderError
    from regard.interop.convert import convert

    torch.set_num_threads(options.threads)
    texts = list(dict.fromkeys(options.source.read_text(encoding="utf-8").split("\n")))
    texts = [text for text in texts if text.strip()][: options.sentences]
    translator = regard.load(options.model, device="cpu")
    translator.translate(texts[:64])
    alone: list[float] = []
    for _ in range(options.rounds):
        started = time.perf_counter()
        expected = [found.text for found in translator.translate(texts)]
        alone.append(time.perf_counter() - started)
    print(f"translate: {len(texts) / statistics.median(alone):.1f} sentences/s")
    with tempfile.TemporaryDirectory() as folder:
        try:
            convert(options.model, Path(folder) / "ct2", format="ctranslate2", check=False)
        except ModelFolderError as error:
            print(f"without CTranslate2: {error}")
        (Path(folder) / "plain.py").write_text(PLAIN)
        plain = [sys.executable, f"{folder}/plain.py", f"{folder}/ct2", str(options.model)]
        threads = str(options.threads)
        served = [sys.executable, "-m", "regard", "serve", f"und-und={options.model}", "--port", "0"]
        servers = {
            "regard serve": [*served, "--threads", threads],
            f"regard serve, {threads} processes": [*served, "--workers", threads, "--threads", "1"],
        }
        if (Path(folder) / "ct2").is_dir():
            servers |= {
                "CTranslate2, each alone": [*plain, "0", "8231", threads],
                "CTranslate2, 5 ms window": [*plain, "0.005", "8232", threads],
            }
        for name, command in servers.items():
            process, port = begin(command)
            try:
                asyncio.run(load(port, texts[:64], 8))
                for num_clients in options.clients:
                    speeds, all_seconds = [], list[float]()
                    for _ in range(options.rounds):
                        total, seconds, found = asyncio.run(load(port, texts, num_clients))
                        speeds.append(len(texts) / total)
                        all_seconds += seconds
                        if name.startswith("regard serve"):
                            wrong = sum(found[text] != wanted for text, wanted in zip(texts, expected, strict=True))
                            assert not wrong, f"{wrong} answers differ from translate"
                    ranked = sorted(all_seconds)
                    print(
                        f"{name}, {num_clients} clients: {statistics.median(speeds):.1f} sentences/s, median "
                        f"{1000 * ranked[len(ranked) // 2]:.0f} ms, 99th percentile "
                        f"{1000 * ranked[int(0.99 * len(ranked))]:.0f} ms, "
                        f"{memory(process.pid):.0f} MB"
                    )
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(30)


if __name__ == "__main__":
    main()
