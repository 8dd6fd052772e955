"""Compiles the layers in C, once for each kind of processor: what an installation and `make native` do.

    python native/build.py            # into src/regard/compiled
    python native/build.py folder     # elsewhere
    python native/build.py --missing  # those that are not compiled from these sources yet
    CC="python -m ziglang cc -target aarch64-linux-gnu" python native/build.py folder arm64    # for other processors

Any C compiler will do: that of the environment variable CC, `cc`, `gcc`, `clang`, or the one of `pip install ziglang`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCES, HEADERS = (sorted(Path(__file__).parent.glob(pattern)) for pattern in ("*.c", "*.h"))
PLACE = Path(__file__).parents[1] / "src" / "regard" / "compiled"
FLAGS = ["-O3", "-std=gnu11", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off"]
if platform.system() != "Windows":  # where clang refuses the first, and there are no such threads
    FLAGS += ["-fPIC", "-pthread"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"]
KINDS: dict[str, dict[str, list[list[str]]]] = {
    "x86_64": {
        "avx512vnni": [[*AVX512, "-mavx512vnni"]],
        "avx512": [AVX512],
        "avxvnni": [[*AVX2, "-mavxvnni"]],
        "avx2": [AVX2],
    },
    "arm64": {
        "i8mm": [["-march=armv8.2-a+dotprod+i8mm"], ["-mcpu=generic+dotprod+i8mm"]],
        "dotprod": [["-march=armv8.2-a+dotprod"], ["-mcpu=generic+dotprod"]],
        "neon": [[]],
    },
}
"""Compiler flags for each kind of processor, by machine: those of GCC and clang, and of `ziglang` where it has others. The
last kind of a machine is its oldest processor, which every compiler knows."""
SUFFIXES = {"Darwin": ".dylib", "Windows": ".dll"}


class NoCompilerError(Exception):
    """Nothing was compiled, and why."""


def machine() -> str:
    """The name of this machine in `KINDS`."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(name, name)


def platform_tag() -> str:
    """The part of a wheel's name that says where its libraries can be loaded, such as `linux_x86_64`.

    A Python of macOS may run on two kinds of processors (`universal2`). The libraries are for this machine's.
    """
    return sysconfig.get_platform().replace("universal2", machine()).replace("-", "_").replace(".", "_")


def compiler() -> list[str]:
    """The command of a C compiler.

    Raises:
        NoCompilerError: there is none.
    """
    if given := os.environ.get("CC"):
        return shlex.split(given)
    if found := next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None):
        return [found]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise NoCompilerError("there is no C compiler; install one, or `pip install ziglang`")


def digest() -> str:
    """Of what is compiled, and of how."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in (*SOURCES, *HEADERS, Path(__file__)))).hexdigest()[:16]


def known(spellings: list[list[str]]) -> list[str] | None:
    """The first flags that the compiler knows. Older compilers know none for newer processors."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "nothing.c")
        source.touch()
        words = [*compiler(), "-c", str(source), "-o", str(source.with_suffix(".o"))]
        for flags in spellings:
            if not subprocess.run([*words, *flags], capture_output=True, check=False).returncode:
                return flags
    return None


def build(
    output: Path = PLACE,
    more: tuple[str, ...] = (),
    of: str | None = None,
    *,
    kinds: Collection[str] | None = None,
    anew: bool = True,
) -> list[Path]:
    """The libraries for all kinds of a machine's processors, but for those that the compiler does not know. They are compiled
    side by side.

    Args:
        more: further flags.
        of: a machine of `KINDS`; this one by default.
        kinds: of processors; None: all of the machine. The oldest is among them in any case.
        anew: False: a library that is there and was compiled from these sources is left as it is.
    Raises:
        NoCompilerError: there is no compiler, or it failed; or the machine is of another kind.
    """
    of = of or machine()
    if of not in KINDS:
        raise NoCompilerError(f"processors of kind {of} have no native layers")
    output.mkdir(parents=True, exist_ok=True)
    oldest = list(KINDS[of])[-1]
    wanted = [kind for kind in KINDS[of] if kinds is None or kind in kinds or kind == oldest]
    libraries = {kind: output / f"layers-{kind}{SUFFIXES.get(platform.system(), '.so')}" for kind in wanted}
    with ThreadPoolExecutor() as pool:
        return [
            path for path in pool.map(lambda kind: _compiled(libraries[kind], of, kind, more, anew), wanted) if path
        ]


def _compiled(path: Path, of: str, kind: str, more: tuple[str, ...], anew: bool) -> Path | None:
    """The library for a kind of processor; None where the compiler does not know that."""
    made_from = digest()
    if not anew and path.is_file() and made_from.encode() in path.read_bytes():
        return path
    spellings = KINDS[of][kind]
    flags = known(spellings) if kind != list(KINDS[of])[-1] else spellings[0]
    if flags is None:
        path.unlink(missing_ok=True)
        return None
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    words = [
        *compiler(),
        *FLAGS,
        *flags,
        *more,
        f'-DSOURCE_DIGEST="{made_from}"',
        *map(str, SOURCES),
        "-o",
        str(partial),
        "-lm",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        partial.unlink(missing_ok=True)
        raise NoCompilerError(f"`{shlex.join(words)}` failed:\n{done.stderr.strip()}")
    partial.replace(path)
    return path


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word != "--missing"]
    try:
        for path in build(*map(Path, options[:1]), of=(options[1:2] or [None])[0], anew="--missing" not in sys.argv):
            print(path)
    except NoCompilerError as error:
        sys.exit(f"native layers were not compiled: {error}")
