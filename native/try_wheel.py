"""Loads the libraries of wheels and lets one of each compute: no PyTorch is needed, so that it runs wherever a wheel is built.

    python native/try_wheel.py dist/regard-0.1.0-py3-none-manylinux_2_28_x86_64.whl
    python native/try_wheel.py dist    # all wheels of a folder

Of processors without AVX2, the libraries are only loaded.
"""

from __future__ import annotations

import ctypes
import math
import sys
import tempfile
import zipfile
from pathlib import Path

from build import digest

LOGITS = [0.5, -1.0, 3.25, 2.0, -7.5]
PORTABLE = ("avx2", "neon")
"""Kinds that every processor with native layers can run."""


def try_library(path: Path) -> str:
    """A sentence about a library that can be loaded.

    Raises:
        OSError: it cannot be loaded.
        SystemExit: it was compiled from other sources, or computes something else.
    """
    functions = ctypes.CDLL(str(path))
    functions.regard_source.restype = ctypes.c_char_p
    if (source := functions.regard_source().decode()) != digest():
        sys.exit(f"{path.name} must be compiled from these sources, {digest()}; got {source}.")
    if not any(f"-{kind}." in path.name for kind in PORTABLE):
        return f"{path.name}: loaded"
    given, found = ((ctypes.c_float * len(LOGITS))(*LOGITS) for _ in range(2))
    functions.regard_log_softmax.restype = None
    functions.regard_log_softmax.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    functions.regard_log_softmax(1, len(LOGITS), ctypes.addressof(given), ctypes.addressof(found))
    total = math.log(sum(map(math.exp, LOGITS)))
    difference = max(abs(mine - (logit - total)) for mine, logit in zip(found, LOGITS, strict=True))
    if not difference < 1e-5:
        sys.exit(f"{path.name} must compute log-probabilities; got {list(found)}, which differ by {difference:.2g}.")
    return f"{path.name}: loaded; log-probabilities differ by {difference:.1g}"


def main() -> None:
    """All wheels that are named."""
    named = [Path(word) for word in sys.argv[1:]]
    wheels = [wheel for path in named for wheel in (sorted(path.glob("*.whl")) if path.is_dir() else [path])]
    if not wheels:
        sys.exit("a wheel, or a folder with wheels, must be named; got none.")
    for wheel in wheels:
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if "/compiled/layers-" in name]
            if not names:
                sys.exit(f"{wheel.name} must have libraries of the layers in C; it has none.")
            print(wheel.name)
            for name in names:
                print(f"  {try_library(Path(archive.extract(name, folder)))}")


if __name__ == "__main__":
    main()
