"""The layers in C, compiled anew by tests."""

from pathlib import Path
from typing import Any

from by_path import module_at
from regard.compiled.library import find

ROOT = Path(__file__).parents[2]


def builder() -> Any:
    """`native/build.py` as a module."""
    return module_at(ROOT / "native" / "build.py")


def compile_into(folder: Path, *flags: str) -> None:
    """Compile the library that this processor takes, with further flags."""
    library = find().library
    assert library is not None
    kind = Path(library.functions._name).stem.removeprefix("layers-")
    builder().build(folder, flags, kinds=[kind])
