"""The browser that pages are tested in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""In the order in which they are tried. The first has no windows, and tests of pages take 0.6 of the processor's time."""
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@contextmanager
def launched() -> Iterator[Any]:
    """A browser. Without one on this machine, the test is skipped."""
    path = next(filter(None, map(shutil.which, COMMANDS)), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield found
        found.close()
