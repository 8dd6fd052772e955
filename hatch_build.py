"""Hatchling's hook: compiles the native layers for a wheel or an editable installation, where there is a compiler.

It never fails an installation. Without a compiler, the package is pure Python, and PyTorch decodes.
"""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeLayersHook(BuildHookInterface):  # type: ignore[misc]  # hatchling has no types
    """Compiles what is in `native` into the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, before files are collected."""
        if self.target_name != "wheel":
            return
        try:
            spec = importlib.util.spec_from_file_location("native_build", Path(self.root, "native", "build.py"))
            assert spec is not None
            assert spec.loader is not None
            native_build = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(native_build)
            native_build.build()
        except Exception as error:
            self.app.display_warning(f"regard: native layers were not compiled, and PyTorch decodes: {error}")
            return
        build_data["artifacts"].append("src/regard/engines/layers-*")
        if version != "editable":
            build_data["pure_python"] = False
            build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
