"""The layers in C, compiled anew by tests."""

import importlib.util
from pathlib import Path
from typing import Any

from regard.engines.library import find

ROOT = Path(__file__).parents[2]


def builder() -> Any:
    """`native/build.py` as a module."""
    spec = importlib.util.spec_from_file_location("native_build", ROOT / "native" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_into(folder: Path, *flags: str) -> None:
    """Compile the library that this processor takes, with further flags."""
    library = find().library
    assert library is not None
    kind = Path(library.functions._name).stem.removeprefix("layers-")
    builder().build(folder, flags, kinds=[kind])
