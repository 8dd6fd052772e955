"""The layers of the package, held against the code: who may import whom, and which libraries each package uses."""

import ast
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "regard"

RANKS = {
    "errors": 0,
    "names": 0,
    "arguments": 0,
    "characters": 0,
    "version": 0,
    "processors": 0,
    "compiled": 0,
    "text": 1,
    "documents": 1,
    "foreign_files": 2,
    "tokenizer_formats": 2,
    "nn": 1,
    "data": 2,
    "models": 2,
    "memory": 3,
    "weights_file": 3,
    "checkpoint": 3,
    "assembling": 3,
    "adapters": 3,
    "interop": 3,
    "training": 4,
    "generation": 4,
    "engines": 5,
    "evaluation": 5,
    "inspection": 5,
    "pipelines": 6,
    "analysis": 7,
    "batching": 7,
    "parts": 7,
    "ray": 8,
    "runs": 8,
    "extending": 9,
    "serving": 9,
    "demos": 9,
    "cli": 10,
}
FORBIDDEN = {
    "nn": {"text", "data", "models"},
    "data": {"nn", "models"},
    "models": {"text", "data", "training"},
    "engines": {"text", "interop", "training"},
    "tokenizer_formats": {"models", "data"},
    "interop": {"training", "generation"},
    "memory": {"checkpoint", "interop", "assembling"},
    "weights_file": {"checkpoint", "interop", "assembling"},
    "checkpoint": {"interop", "assembling"},
    "assembling": {"interop"},
    "adapters": {"interop", "assembling"},
    "generation": {"text", "training"},
    "training": {"generation", "evaluation"},
    "evaluation": {"inspection", "training"},
    "inspection": {"evaluation", "training"},
}
THIRD_PARTY = {
    "errors": set(),
    "names": set(),
    "arguments": set(),
    "characters": set(),
    "version": set(),
    "processors": set(),
    "compiled": {"torch"},
    "text": {"tokenizers", "pydantic", "langcodes", "regex"},
    "nn": {"torch", "jaxtyping"},
    "data": {"torch", "numpy", "jaxtyping", "pydantic", "datasets", "pyarrow", "babel"},
    "models": {"torch", "jaxtyping", "pydantic", "pydantic_core"},
    "engines": {"torch", "jaxtyping"},
    "memory": {"torch"},
    "weights_file": {"torch", "safetensors"},
    "checkpoint": {"torch", "pydantic"},
    "assembling": {"torch"},
    "adapters": {"torch", "safetensors", "pydantic"},
    "foreign_files": {"torch", "safetensors", "huggingface_hub"},
    "tokenizer_formats": {"tokenizers", "pydantic", "sentencepiece", "google"},
    "interop": {
        *{"torch", "numpy", "pydantic", "regex", "safetensors", "tokenizers", "yaml"},
        *{"transformers", "ctranslate2", "sentencepiece", "onnx", "onnxruntime", "onnxscript"},
    },
    "training": {"torch", "jaxtyping", "pydantic", "safetensors"},
    "generation": {"torch", "jaxtyping", "pydantic"},
    "evaluation": {"torch", "numpy", "sacrebleu", "comet"},
    "inspection": {"torch", "jaxtyping", "numpy", "matplotlib", "captum", "networkx"},
    "pipelines": {"torch"},
    "batching": set(),
    "parts": {"pydantic", "pyarrow", "backports", "compression", "ray"},
    "ray": {"numpy"},
    "analysis": {"torch", "numpy", "matplotlib", "rich"},
    "runs": {"torch", "numpy", "pydantic", "yaml", "rich", "matplotlib", "IPython"},
    "documents": {"sentencex", "py3langid", "numpy"},
    "extending": set(),
    "serving": {
        *{"numpy", "starlette", "uvicorn", "sentencex", "pydantic", "pydantic_core", "py3langid", "langcodes"},
        "typing_extensions",  # pydantic reads only its TypedDict below Python 3.12
    },
    "demos": {"torch"},
    "cli": {"typer", "torch"},
}
FACES = {"__init__", "__main__"}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


FILES = {path: imports(path) for path in ROOT.rglob("*.py")}


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def our_packages(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("regard.")} - {"__version__"}


def test_every_package_has_a_rank() -> None:
    assert {package_of(path) for path in FILES} - FACES == RANKS.keys()


def test_imports_go_down_the_ranks() -> None:
    for path, names in FILES.items():
        here = package_of(path)
        if here in FACES:
            continue
        for there in our_packages(names) - {here}:
            assert RANKS[there] <= RANKS[here], f"{path} imports {there}, which stands above it"
            assert there not in FORBIDDEN.get(here, set()), f"{path} must not import {there}"


def test_generation_knows_no_concrete_model_and_no_engine() -> None:
    for path, names in FILES.items():
        if package_of(path) == "generation":
            known = {name for name in names if name.startswith(("regard.models", "regard.engines"))}
            assert all(name.startswith("regard.models.interface") for name in known), path


def test_each_package_uses_its_libraries_only() -> None:
    for path, names in FILES.items():
        if package_of(path) not in FACES:
            used = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"regard"}
            assert used <= THIRD_PARTY[package_of(path)], f"{path} uses {used - THIRD_PARTY[package_of(path)]}"


def test_there_is_no_cycle() -> None:
    modules = {
        ".".join(("regard", *path.relative_to(ROOT).with_suffix("").parts)): names for path, names in FILES.items()
    }
    below = {
        module: {other for other in modules if other != module for name in names if f"{name}.".startswith(f"{other}.")}
        for module, names in modules.items()
        if module.rsplit(".", 1)[1] not in FACES
    }

    without_cycle: set[str] = set()

    def reach(module: str, seen: tuple[str, ...]) -> None:
        assert module not in seen, f"a cycle: {' -> '.join([*seen, module])}"
        for other in below.get(module, set()) - without_cycle:
            reach(other, (*seen, module))
        without_cycle.add(module)

    for module in below:
        reach(module, ())


def test_there_is_no_arrow_up_inside_a_package() -> None:
    """A folder inside a package is above the files that it imports, or below those that import it, and never both."""
    for package in {path.relative_to(ROOT).parts[0] for path in FILES if path.parent != ROOT}:
        folder, arrows = ROOT / package, set[tuple[str, str]]()
        for path in folder.rglob("*.py"):
            here = path.relative_to(folder).parts[0]
            for name in FILES[path] if path.stem not in FACES else ():
                if name.startswith(f"regard.{package}."):
                    there = name.split(".")[2]
                    there = there if (folder / there).is_dir() else f"{there}.py"
                    arrows |= {(here, there)} if here != there else set()
        assert not {arrow for arrow in arrows if arrow[::-1] in arrows}, package


def test_functions_fit_on_a_screen() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not (path.parent.name == "cli" and node.decorator_list):
                start = node.body[1 if ast.get_docstring(node) and len(node.body) > 1 else 0].lineno
                assert node.end_lineno is not None
                assert node.end_lineno - start <= 65, f"{path}: {node.name}"


COMMANDS = "a command of this name"
SIBLINGS = "the same part of two formats"
SHARED_NAMES = {
    "convert": COMMANDS, "heads": COMMANDS, "reference": SIBLINGS,
}  # fmt: skip
"""File names that stand twice, with the reason."""


def test_a_file_has_one_subject_named_by_its_name() -> None:
    """Of two files with one name, a reader cannot tell which one is meant."""
    stems = Counter(path.stem for path in FILES if path.stem not in FACES)
    assert {stem for stem, count in stems.items() if count > 1} <= SHARED_NAMES.keys()
    for path in FILES:
        assert path.stem not in {"utils", "helpers", "common", "misc", "constants", "base"}
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path


def test_no_two_files_of_tests_have_one_name() -> None:
    """A test imports what stands beside it by its name alone, and pytest puts all folders of tests on one path."""
    stems = Counter(path.stem for path in Path(__file__).parent.rglob("*.py") if path.stem != "conftest")
    assert {stem for stem, count in stems.items() if count > 1} == set()


def test_what_c_is_given_has_a_name() -> None:
    """A tensor that is made in the call of `address` is freed before C reads it."""
    for path, names in FILES.items():
        if not any(name.startswith("regard.compiled") for name in names):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("address", "c.address", "integers"):
                made = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Call)]
                assert not made, f"{path}:{node.lineno}: {ast.unparse(node)}"
