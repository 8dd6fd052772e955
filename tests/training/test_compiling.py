"""`regard train --compile`. What PyTorch compiles must be free of the shape checks of all other tests, so `compiled.py` runs in a
process of its own without them.
"""

import os
import subprocess
import sys
from pathlib import Path


def test_compiled_steps_are_the_same() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).with_name("compiled.py"))],
        env={**os.environ, "REGARD_TESTS_UNCHECKED": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:]
