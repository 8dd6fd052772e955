"""A small model, and a server in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from served import Running, Start
from starlette.testclient import TestClient

from regard.checkpoint import save_new
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.translator import Translator
from regard.serving.http.app import App
from regard.serving.keys import Keys
from regard.serving.limits import Limits
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LETTERS = "abcdefghijklmnopqrstuvwxyz .,!?'&<>/\"=ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that translates from en to de, as far as its name goes: its weights are random, and sharp."""
    torch.manual_seed(5)
    tokenizer = Tokenizer.train([LETTERS], TokenizerConfig(kind="characters", vocab_size=90))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "max_positions": 60}
    model = build(EncoderDecoderConfig(**sizes, num_encoder_layers=1, num_decoder_layers=1))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embedding" in name:
                parameter.mul_(3.0)
    path = tmp_path_factory.mktemp("models") / "tiny-en-de"
    save_new(path, model.eval(), tokenizer)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    """Requests to an app with this model, without a server."""
    registry = ModelRegistry(ModelFolders([(folder, None)], device="cpu"), Limits())
    yield TestClient(App(registry, Keys(None)).asgi)
    registry.close(at_once=True)


@pytest.fixture(scope="session")
def translator(folder: Path) -> Translator:
    """The same model, asked directly."""
    from regard.pipelines.loading import load_as

    return load_as(folder, Translator, device="cpu")


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts servers on free ports; all end with the tests."""
    begun: list[Running] = []

    def begin(*words: object) -> Running:
        log = tmp_path_factory.mktemp("log") / "log"
        code = "from regard.cli.main import run; run()"
        command = [
            sys.executable,
            "-c",
            code,
            "serve",
            *map(str, words),
            "--port",
            "0",
            "--threads",
            "1",
            "--device",
            "cpu",
        ]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, env={**os.environ, "PYTHONUNBUFFERED": "1"}
            )
        for _ in range(600):
            if found := re.search(r"http://localhost:(\d+)/", log.read_text()):
                running = Running(process, f"http://127.0.0.1:{found[1]}", log)
                begun.append(running)
                return running
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        raise AssertionError(log.read_text())

    yield begin
    for running in begun:
        running.process.kill()
        running.process.wait()


@pytest.fixture(scope="session")
def server(start: Start, folder: Path) -> Running:
    """One server for all tests that leave it as it is."""
    return start(folder)
