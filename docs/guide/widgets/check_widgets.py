"""Compares the numbers of the widgets with Python's: `python docs/guide/widgets/check_widgets.py`. Needs node."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import torch

import regard.nn as rn

FOLDER = Path(__file__).parent
KERNELS = {
    "gaussian": lambda u: (-u.square() / 2).exp(),
    "boxcar": lambda u: (u.abs() < 1).float(),
    "triangular": lambda u: (1 - u.abs()).clamp(min=0),
    "epanechnikov": lambda u: (1 - u.square()).clamp(min=0),
    "constant": torch.ones_like,
}


def computed(widget: str, expression: str) -> object:
    """The value of an expression in the script `numbers` of a widget. NaN comes as None."""
    page = (FOLDER / f"{widget}.html").read_text()
    found = re.search(r'<script id="numbers">\n(.*?)</script>', page, re.S)
    assert found is not None, widget
    program = f"{found[1]}\nconsole.log(JSON.stringify({expression}));"
    return json.loads(subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True).stdout)


def near(widget: str, expression: str, expected: torch.Tensor) -> None:
    """The expression gives these numbers, to four digits."""
    numbers = torch.tensor(computed(widget, expression), dtype=torch.float64)
    torch.testing.assert_close(numbers, expected.double(), rtol=1e-4, atol=1e-4, msg=lambda text: f"{widget}: {text}")


def check_softmax() -> None:
    """Weights at a width, divided or not, at a temperature."""
    unit = torch.tensor(computed("01-softmax", "UNIT"), dtype=torch.float64)
    for width in (1, 64, 1024):
        for temperature in (0.1, 1.0, 10.0):
            scores = unit * width**0.5
            near("01-softmax", f"weightsOf({width}, false, {temperature})", (scores / temperature).softmax(dim=0))
            divided = (scores / width**0.5 / temperature).softmax(dim=0)
            near("01-softmax", f"weightsOf({width}, true, {temperature})", divided)


def check_width() -> None:
    """The points are those of the chapter, and so are the errors."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        places = torch.rand(50, 1) * 5
        measured = 2 * places.sin() + places**0.8 + 0.5 * torch.randn(50, 1)
    near("01-width", "POINTS", torch.cat((places, measured), dim=1))
    wanted = torch.linspace(0, 5, 101)[:, None]
    for name, kernel in KERNELS.items():
        for width in (0.5, 1.0, 5.0):
            weights = kernel((wanted - places.T) / width)
            curve = weights / weights.sum(dim=1, keepdim=True) @ measured
            error = (curve - 2 * wanted.sin() - wanted**0.8).square().mean().sqrt()
            found = computed("01-width", f'errorOf("{name}", {width})')
            assert isinstance(found, float)
            assert abs(found - error.item()) < 0.01, (name, width, found, error)


def check_mask() -> None:
    """Weights under masks, and what an empty row gives."""
    scores = torch.tensor(computed("02-mask", "SCORES"), dtype=torch.float64)
    for allowed in (rn.causal_mask(4), torch.eye(4, dtype=torch.bool), torch.ones(4, 4, dtype=torch.bool)):
        text = f"SCORES.map((row, query) => rowWeights(row, {json.dumps(allowed.tolist())}[query], FILLING))"
        for filling in ('"regard"', '"-Infinity"', '"-1e9"'):
            near("02-mask", text.replace("FILLING", filling), rn.masked_softmax(scores, mask=allowed))
    for filling, expected in (('"regard"', [0] * 4), ('"-Infinity"', [None] * 4), ('"-1e9"', [0.25] * 4)):
        assert computed("02-mask", f"rowWeights(SCORES[0], [false, false, false, false], {filling})") == expected


if __name__ == "__main__":
    check_softmax()
    check_width()
    check_mask()
    print("the widgets' numbers are Python's")
