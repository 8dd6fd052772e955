"""A server that runs, as tests see it."""

from __future__ import annotations

import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a GET."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self) -> int:
        """Ask the server to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


Start = Callable[..., Running]
