"""The display of a run in a notebook: one output that is updated, with a bar, the newest state and the lines that stay."""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from typing import Any

from regard.inspection.drawing.figures import NOTEBOOK

LEAST_SECONDS = 0.25
"""The least seconds between two updates: each is sent to the browser."""


class NotebookOutput:
    """An output of a notebook's cell.

    Args:
        display: `IPython.display.display`.
    """

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display, self._handle = display, None
        self._lines: list[str] = []
        self._state, self._share = "", 0.0
        self._last = -LEAST_SECONDS

    def say(self, line: str) -> None:
        """Add a line that stays."""
        self._lines.append(line)
        self._update()

    def show(self, state: str, share: float | None) -> None:
        """Show the newest state, and how much is done, from 0 to 1; None: nobody knows how much there is."""
        self._state, self._share = state, -1.0 if share is None else share
        if time.monotonic() - self._last >= LEAST_SECONDS:
            self._update()

    def end(self) -> None:
        """Take the bar away; the lines stay."""
        if self._state:
            self._state = ""
            self._update()

    def _update(self) -> None:
        self._last = time.monotonic()
        text = "\n".join([*self._lines, *([self._state] if self._state else [])])
        shown = {"text/plain": text, "text/html": self._html()}
        if self._handle is None:
            self._handle = self._display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def _html(self) -> str:
        lines = "".join(f"{escape(line)}\n" for line in self._lines)
        value = "" if self._share < 0 else f' value="{self._share:.3f}"'
        bar = f'<div><progress max="1"{value}></progress> {escape(self._state)}</div>' if self._state else ""
        return f'<div style="{NOTEBOOK}"><pre style="margin:0;white-space:pre-wrap">{lines}</pre>{bar}</div>'
