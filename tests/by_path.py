"""Programs of the project that no package holds, as modules."""

import importlib.util
import sys
from pathlib import Path
from typing import Any


def module_at(path: Path) -> Any:
    """A Python file as a module, with a name that hides no package of its name."""
    name = f"by_path_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
