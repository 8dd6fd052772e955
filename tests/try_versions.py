"""Tests with the lowest versions that pyproject.toml allows, and with the newest, each in an environment of its own.

    make test-versions                  # or: python tests/try_versions.py [lowest] [newest]
    make test-versions TORCH=2.13.0     # PyTorch in this version in both

It needs a package index and takes half an hour. PyTorch's builds with CUDA are gigabytes: `UV_FIND_LINKS` may name a folder
that has a smaller build, whose version is then given, such as `TORCH=2.13.0+cpu`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS = ("convert", "datasets", "demo", "inspect", "serve")
TOOLS = ("beartype", "deep-translator", "deepl", "hypothesis", "libretranslatepy", "openai", "pytest")
"""Packages that the tests need and a user does not, in any version."""
TESTS = (
    "tests/test_api.py", "tests/test_checkpoint.py", "tests/test_stored_models.py", "tests/text", "tests/nn", "tests/models",
    "tests/data", "tests/evaluation", "tests/generation", "tests/interop", "tests/serving",
)  # fmt: skip
LEFT_OUT = ("tests/serving/page", "tests/serving/test_api_description.py", "tests/nn/test_tracing.py")
"""Tests that need a browser or schemathesis, whose newest version needs newer libraries; or half a minute each."""


def call(*words: object) -> int:
    """Run a program in the root of the project, and show what it prints."""
    print("$", *words, flush=True)
    # The hook that checks shapes cannot read all annotations in older versions of jaxtyping. `make test` checks them.
    environment = os.environ | {"REGARD_TESTS_UNCHECKED": "1"}
    return subprocess.run([*map(str, words)], cwd=ROOT, env=environment, check=False).returncode


def try_resolution(name: str, torch: str | None, place: Path) -> int:
    """Install one resolution and run the tests with it. Returns the exit status of pytest, or that of the installation."""
    pins, override, python = place / f"{name}.txt", place / "torch.txt", place / name / "bin" / "python"
    override.write_text(f"torch=={torch}\n" if torch else "")
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    uv = sys.executable, "-m", "uv"
    resolution = "--resolution", RESOLUTIONS[name], "--override", override
    steps = (
        (*uv, "venv", "--quiet", "--python", sys.executable, place / name),
        (*uv, "pip", "compile", "--quiet", *resolution, "pyproject.toml", *extras, "-o", pins),
        (*uv, "pip", "install", "--quiet", "--python", python, "-r", pins, "-c", pins, *TOOLS),
        (*uv, "pip", "install", "--quiet", "--python", python, "--no-deps", ROOT),
        (*uv, "pip", "check", "--python", python),
    )
    for step in steps:
        if code := call(*step):
            return code
    # Older and newer libraries warn of each other's names.
    left_out = [f"--ignore={path}" for path in LEFT_OUT]
    return call(python, "-m", "pytest", "-W", "default", *TESTS, *left_out)


def main() -> None:
    """Try the resolutions that are named, or both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("resolutions", nargs="*", metavar="lowest|newest", default=list(RESOLUTIONS))
    parser.add_argument("--torch", help="the version of PyTorch in all of them")
    given = parser.parse_args()
    if unknown := set(given.resolutions) - RESOLUTIONS.keys():
        parser.error(f"a resolution must be lowest or newest; got {', '.join(sorted(unknown))}.")
    with tempfile.TemporaryDirectory() as place:
        codes = {name: try_resolution(name, given.torch, Path(place)) for name in given.resolutions}
    for name, code in codes.items():
        print(f"{name}: {'passed' if not code else f'failed with exit status {code}'}")
    sys.exit(any(codes.values()))


if __name__ == "__main__":
    main()
