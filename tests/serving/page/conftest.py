"""Browsers, servers and models for the tests of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import page_models
import pytest
from on_page import Served, Shown, address
from playwright.sync_api import ConsoleMessage, Request
from served import Start

from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator

VIOLATIONS = (
    "document.addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective));"
)

Open = Callable[..., Shown]


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens pages: `opened(url, text="...")`. In the end nothing may have gone wrong, nor may anything have been asked of
    another machine. What a test expects to go wrong it takes out of `problems` itself.
    """
    problems: list[str] = []
    contexts: list[Any] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            problems.append(request.url)

    def load(
        url: str,
        *,
        beside: Shown | None = None,
        width: int = 1200,
        settles: bool = True,
        unfolds: bool = True,
        **kept: object,
    ) -> Shown:
        if beside is None:
            contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
            contexts[-1].add_init_script(VIOLATIONS)
        page = (contexts[-1] if beside is None else beside.page.context).new_page()
        page.on("console", on_console)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("request", on_request)
        page.goto(address(url, **kept) if kept else url)
        shown = Shown(page, problems)
        if settles:
            shown.settled()
        if unfolds:
            shown.unfold()
        return shown

    yield load
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def learnt_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt a little."""
    return page_models.learning(tmp_path_factory.mktemp("learnt") / "page-en-de")


@pytest.fixture(scope="session")
def learnt(learnt_folder: Path) -> Translator:
    """The same, asked directly."""
    return load_as(learnt_folder, Translator, device="cpu")


@pytest.fixture(scope="session")
def copying_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose weights are known."""
    return page_models.copying(tmp_path_factory.mktemp("copying") / "copy-en-de")


@pytest.fixture(scope="session")
def copying(copying_folder: Path) -> Translator:
    """The same, asked directly."""
    return load_as(copying_folder, Translator, device="cpu")


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., Served]]:
    """Starts servers in this process, which end with the module."""
    begun: list[Served] = []

    def begin(*folders: Path, **options: Any) -> Served:
        begun.append(Served(*folders, **options))
        return begun[-1]

    yield begin
    for each in begun:
        each.stop()


@pytest.fixture(scope="session")
def learnt_url(start: Start, learnt_folder: Path) -> str:
    """Where the model is served that has learnt a little: by a process of its own, as those below."""
    return start(learnt_folder).url


@pytest.fixture(scope="session")
def copying_url(start: Start, copying_folder: Path) -> str:
    """Where the model is served whose weights are known."""
    return start(copying_folder).url
