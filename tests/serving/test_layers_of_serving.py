"""The parts of the server stand above each other: a request goes down them, and no part imports one above it."""

from __future__ import annotations

import ast
from pathlib import Path

import regard.serving

ROOT = Path(regard.serving.__file__).parent
LAYERS = (
    {"directions", "examples", "limits", "logs", "shared_state", "snapshots"},
    {"character_counts", "keys", "model_folders"},
    {"glossaries", "glossary_entries"},
    {"batching"},
    {"documents", "inspection_cache", "model_registry", "text_results", "translation_request", "translation_service"},
    {"process_reports"},
    {"endpoints"},
    {"interfaces"},
    {"http"},
)
RANKS = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}


def test_no_part_imports_one_above_it() -> None:
    for path in ROOT.rglob("*.py"):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if part != "__init__" else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("regard.serving."):
                other = str(node.module).split(".")[2]
                assert RANKS[other] <= RANKS[part], f"{path} imports {node.module}"


def test_interfaces_do_not_know_each_other_nor_the_application() -> None:
    """But for `libretranslate`, whose form of errors others share; and for the parts of one interface."""
    for path in (ROOT / "interfaces").rglob("*.py"):
        names = path.relative_to(ROOT / "interfaces").parts
        own = {names[0].removesuffix(".py"), names[0].partition("_")[0].removesuffix(".py"), "libretranslate"}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("regard.serving.interfaces."):
                assert str(node.module).split(".")[3] in own | ({"openai"} if path.stem == "text_models" else set()), (
                    path
                )
