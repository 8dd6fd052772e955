"""Hatchling's hook: compiles the native layers for a wheel or an editable installation, where there is a compiler.

Without a compiler, the package is pure Python, and PyTorch decodes. The environment variable REGARD_NATIVE changes this:
`none` compiles nothing, and `require` fails where nothing can be compiled.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "REGARD_NATIVE"


class NativeLayersHook(BuildHookInterface):  # type: ignore[misc]  # hatchling has no types
    """Compiles what is in `native` into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before files are collected."""
        wanted = os.environ.get(VARIABLE, "auto")
        if wanted not in ("auto", "none", "require"):
            raise ValueError(f"{VARIABLE} must be auto, none or require; got {wanted!r}.")
        if self.target_name != "wheel" or wanted == "none":
            return
        try:
            spec = importlib.util.spec_from_file_location("native_build", Path(self.root, "native", "build.py"))
            assert spec is not None
            assert spec.loader is not None
            native_build = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(native_build)
            native_build.build(anew=version != "editable")  # a wheel may be made in another system than what is there
        except Exception as error:  # compilers fail in many ways; PyTorch decodes without them
            if wanted == "require":
                raise
            self.app.display_warning(f"regard: native layers were not compiled, and PyTorch decodes: {error}")
            return
        build_data["artifacts"].append("src/regard/compiled/layers-*")
        if version != "editable":
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{native_build.platform_tag()}"
