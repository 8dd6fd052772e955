"""Scripts in processes of their own, forked from one that has imported PyTorch: that takes longer than most scripts do."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

FORKING = """
import gc, json, os, runpy, sys
gc.disable()
import matplotlib.figure, torch
gc.freeze()
gc.enable()

for line in sys.stdin:
    script, arguments, folder, environment, printed = json.loads(line)
    if not (child := os.fork()):
        os.chdir(folder)
        os.environ.update(environment)
        for number, name in enumerate((os.devnull, *printed)):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
        sys.argv, sys.path[0] = [script, *arguments], os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Of our package it has imported nothing, so that a script which does not import what it names fails here, too."""


class Done(NamedTuple):
    """How a script ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Forks:
    """Runs scripts as `python SCRIPT` does, one after the other."""

    def __enter__(self) -> Forks:
        self.process = subprocess.Popen(
            [sys.executable, "-c", FORKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def run(self, script: Path, *arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
        """Run a script to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            printed = [Path(folder) / name for name in ("stdout", "stderr")]
            request = str(script), list(map(str, arguments)), str(cwd), dict(env or {}), list(map(str, printed))
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            code = int(self.process.stdout.readline())
            return Done(code, *(path.read_text(encoding="utf-8") for path in printed))
