"""The command `serve`: a translation server."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from regard.cli.option_types import Device, Engine, Precision, Threads, prepare_process
from regard.cli.output import log
from regard.errors import MissingExtraError, SettingsError

LogFormat = Literal["text", "json"]


def serve(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="Model folders. The name of a folder says its languages (opus-mt-en-de); otherwise write en-de=FOLDER. A "
            "single model needs no languages.",
        ),
    ],
    adapter: Annotated[
        list[str] | None,
        typer.Option(
            help="An adapter of one of the models, as FOLDER or NAME=FOLDER; may be repeated. Clients name it in the target "
            "language: de-x-NAME.",
            metavar="FOLDER",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 is every network of this machine.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    api_keys: Annotated[
        Path | None,
        typer.Option(help="File with an API key per line. A number after a key limits its requests per minute."),
    ] = None,
    cors: Annotated[
        list[str] | None, typer.Option(help="Origin whose pages may ask, or *; may be repeated.", metavar="ORIGIN")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences decoded together.")] = 64,
    queue: Annotated[
        int, typer.Option(min=1, help="Sentences that may wait for one model, in each process; more are refused (429).")
    ] = 20_000,
    workers: Annotated[
        int, typer.Option(min=1, max=1024, help="Processes that answer, with one copy of the models in memory (Linux).")
    ] = 1,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Longest time for a request; after that, the answer is 504.")
    ] = 300.0,
    log_format: Annotated[LogFormat, typer.Option(help="What a line of the log is: text or json.")] = "text",
    precision: Precision = "float32",
    engine: Engine = "auto",
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Serve models over HTTP, for clients of LibreTranslate, DeepL, OpenAI and others.

    Ctrl-C or SIGTERM stops the server after it has answered all accepted requests. SIGHUP loads the models again, and
    reads the keys again.
    """
    try:
        from regard.serving.http.server import listen
        from regard.serving.http.server import serve as serve_models
    except ImportError as error:
        raise MissingExtraError("serve", "serve") from error
    from regard.serving.directions import parse_adapters, parse_models
    from regard.serving.keys import Keys
    from regard.serving.limits import Limits
    from regard.serving.logs import begin_log
    from regard.serving.model_folders import ModelFolders
    from regard.serving.model_registry import ModelRegistry, listed

    begin_log(log_format)
    # What oneDNN has compiled for each shape of a batch takes memory. By default it keeps 1,024 shapes, which is no faster.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
    prepare_process(threads)
    if workers > 1 and sys.platform != "linux":
        raise SettingsError(f"--workers must be 1 on this system; got {workers}. Several processes need Linux.")
    keys = Keys(api_keys)
    limits = Limits(batch_size=batch_size, queue=queue, seconds=seconds)
    folders = ModelFolders(
        parse_models(models), parse_adapters(adapter or []), device=device, precision=precision, engine=engine
    )
    with contextlib.closing(listen(host, port)) as listening:

        def begun(names: str, translates: bool) -> None:
            shown = "localhost" if host in ("127.0.0.1", "0.0.0.0") else host
            path = "translate" if translates else "api/v1/models"
            said = f"{names}: http://{shown}:{listening.getsockname()[1]}/{path} (Ctrl-C ends)"
            log(said) if log_format == "text" else logging.getLogger("regard.serving").info(said)

        if workers > 1:
            from regard.serving.http.workers import WorkerSettings, serve_by_workers

            settings = WorkerSettings(folders, limits, api_keys, listening, cors or (), workers, threads)
            serve_by_workers(settings, begun)
            return
        registry = ModelRegistry(folders, limits)
        begun(listed(registry.names), bool(registry.translators))
        serve_models(registry, keys, listening, cors=cors or ())
