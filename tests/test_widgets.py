"""Widgets of the guide: their numbers are Python's, they can be used by keyboard alone, and are legible on any screen."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Page
from torch import nn

import regard.nn as rn

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
REFERENCE = ROOT / "docs" / "reference"
ESBUILD = WEB / "node_modules" / "esbuild" / "bin" / "esbuild"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
NODE = shutil.which("node")
NAMES = ("softmax", "bandwidth", "mask", "rotary", "smoothing", "beam")
needs_node = pytest.mark.skipif(
    NODE is None or not ESBUILD.exists(), reason="`npm ci` in web/ brings what builds widgets"
)


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """The value of an expression of JavaScript, in which `w` has the widgets' functions and numbers."""
    assert NODE is not None
    folder = tmp_path_factory.mktemp("widgets")
    bundle = folder / "numbers.mjs"
    subprocess.run(
        [str(ESBUILD), "src/widgets/numbers.ts", "--bundle", "--format=esm", f"--outfile={bundle}", "--log-level=error"],
        cwd=WEB, check=True, timeout=60,
    )  # fmt: skip
    program = folder / "answers.mjs"
    program.write_text(
        'import * as w from "./numbers.mjs"; import {createInterface} from "node:readline";\n'
        "for await (const line of createInterface({input: process.stdin})) console.log(JSON.stringify(eval(line)));\n"
    )
    with subprocess.Popen([NODE, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def evaluate(expression: str) -> Any:
            print(expression, file=process.stdin, flush=True)
            assert process.stdout is not None
            return json.loads(process.stdout.readline())

        yield evaluate
        process.stdin.close()


def tensor(numbers: Any) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def assert_equal(found: Any, expected: torch.Tensor) -> None:
    torch.testing.assert_close(tensor(found), expected.double(), rtol=1e-9, atol=1e-12)


@needs_node
@pytest.mark.parametrize("width", [1, 16, 1024])
@pytest.mark.parametrize(("is_divided", "score"), [(True, rn.ScaledDotProduct()), (False, rn.DotProduct())])
def test_weights_of_a_softmax(
    computed: Callable[[str], Any], width: int, is_divided: bool, score: rn.InnerProduct
) -> None:
    """Keys of one number that is not 0, whose products with the query are those of random vectors."""
    standard = tensor(computed("w.STANDARD"))
    query = torch.zeros(1, width, dtype=torch.float64)
    key = torch.zeros(len(standard), width, dtype=torch.float64)
    query[0, 0] = 1
    key[:, 0] = standard * math.sqrt(width)
    for temperature in (0.5, 1.0, 3.0):
        found = computed(f"w.weightsOf(w.STANDARD, {width}, {json.dumps(is_divided)}, {temperature})")
        weights = rn.attention_weights(query / temperature, key, score=score)[0]
        assert_equal(found, weights)
        entropy = torch.special.entr(weights).sum()
        assert_equal(computed(f"w.perplexity({found})"), entropy.exp())
        jacobian = torch.diag(weights) - torch.outer(weights, weights)
        assert_equal(computed(f"w.largestGradient({found})"), jacobian.diagonal().max())


@needs_node
@pytest.mark.parametrize("bandwidth", [0.05, 0.4, 10.0])
def test_kernel_regression(computed: Callable[[str], Any], bandwidth: float) -> None:
    keys, values = tensor(computed("w.KEYS"))[:, None], tensor(computed("w.VALUES"))[:, None]
    assert len(keys) == len(values)
    for query in (0.0, 2.2, 4.9):
        asked, score = tensor([[query]]), rn.GaussianKernel(bandwidth)
        assert_equal(
            computed(f"w.kernelWeights({query}, w.KEYS, {bandwidth})"),
            rn.attention_weights(asked, keys, score=score)[0],
        )
        assert_equal(
            computed(f"w.estimate({query}, w.KEYS, w.VALUES, {bandwidth})"),
            rn.attention(asked, keys, values, score=score)[0, 0],
        )


@needs_node
def test_masks_and_the_row_where_nothing_is_allowed(computed: Callable[[str], Any]) -> None:
    scores, values = tensor(computed("w.SCORES")), tensor(computed("w.MASK_VALUES"))[:, None]
    size = len(scores)
    masks = computed(
        f"Object.fromEntries(Object.entries(w.MASKS).map(([name, rule]) => [name, w.filled({size}, rule)]))"
    )
    last_two_are_padding = torch.arange(size) < size - 2
    expected = {
        "all": torch.ones(size, size, dtype=torch.bool),
        "causal": rn.causal_mask(size),
        "no padding": last_two_are_padding.expand(size, size),
        "window of 2": rn.window_mask(size, before=1),
        "causal, first key hidden": rn.causal_mask(size) & (torch.arange(size) > 0),
    }
    assert masks.keys() == expected.keys()
    for name, mask in masks.items():
        assert torch.equal(torch.tensor(mask), expected[name]), name
        one = torch.zeros(size, 1, dtype=torch.float64)
        weights = rn.attention_weights(one, one, mask=expected[name], score=lambda query, key: scores)
        found = computed(f"w.maskedWeights(w.SCORES, {json.dumps(mask)})")
        assert_equal(found, weights)
        context = rn.attention(one, one, values, mask=expected[name], score=lambda query, key: scores)
        assert_equal(computed(f"w.contexts({found}, w.MASK_VALUES)"), context[:, 0])
    assert found[0] == [0] * size


@needs_node
def test_rotary_positions(computed: Callable[[str], Any]) -> None:
    query, key, base = tensor(computed("w.QUERY")), tensor(computed("w.KEY")), computed("w.BASE")
    rotary = rn.Rotary(len(query), base=base)
    assert_equal(computed(f"w.frequencies({len(query)}, w.BASE)"), rotary.frequencies())

    def turned(vector: torch.Tensor, position: int) -> torch.Tensor:
        return rotary.rotate(vector[None, None, None], position)[0, 0, 0]

    for m, n in ((0, 0), (5, 2), (40, 13)):
        assert_equal(computed(f"w.rotated(w.QUERY, {m}, w.BASE)"), turned(query, m))
        found = computed(f"w.score(w.QUERY, w.KEY, [{m}, {n}], w.BASE)")
        assert_equal(found, turned(query, m) @ turned(key, n))
        assert_equal(found, tensor(computed(f"w.score(w.QUERY, w.KEY, [{m + 7}, {n + 7}], w.BASE)")))


@needs_node
@pytest.mark.parametrize("classes", [2, 50])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_label_smoothing(computed: Callable[[str], Any], classes: int, share: float) -> None:
    label = torch.full((classes,), share / classes, dtype=torch.float64)
    label[0] += 1 - share
    smoothed = computed(f"w.smoothed({classes}, {share})")
    assert_equal(smoothed["right"], label[0])
    assert_equal(smoothed["other"], label[1])
    assert_equal(computed(f"w.lowest({classes}, {share})"), torch.special.entr(label).sum())
    for right in (0.2, 0.7, 0.95):
        probabilities = torch.full((1, classes), (1 - right) / (classes - 1), dtype=torch.float64)
        probabilities[0, 0] = right
        expected = nn.functional.cross_entropy(probabilities.log(), torch.tensor([0]), label_smoothing=share)
        assert_equal(computed(f"w.loss({classes}, {share}, {right})"), expected)


@needs_node
def test_a_beam_keeps_what_a_search_in_python_keeps(computed: Callable[[str], Any]) -> None:
    tree = computed("w.TREE")
    assert all(math.isclose(sum(following.values()), 1) for following in tree.values())
    found_texts = {}
    for size in (1, 2, 3, 4):
        live, steps = [("", 1.0)], computed(f"w.beamSteps(w.TREE, {size})")
        for step in steps:
            grown = [(f"{text} {word}".strip(), p * q) for text, p in live for word, q in tree[text].items()]
            grown.sort(key=lambda found: -found[1])
            assert [each["words"] for each in step["grown"]] == [text for text, _ in grown]
            assert_equal([each["probability"] for each in step["grown"]], tensor([p for _, p in grown]))
            assert step["kept"] == min(size, len(grown))
            live = grown[:size]
        found_texts[size] = live[0][0]
    assert found_texts == {1: "the old man", 2: "a dog sleeps", 3: "no dog barks", 4: "no dog barks"}


@needs_node
def test_the_bundle_is_what_its_sources_make(tmp_path: Path) -> None:
    assert NODE is not None
    subprocess.run([NODE, "build.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=60)
    for name in ("widgets.js", "widgets.css"):
        assert (REFERENCE / name).read_text() == (tmp_path / name).read_text(), "make web"
    assert (REFERENCE / "widgets.js").stat().st_size < 30_000


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """The demonstration page: all widgets, and below each what is shown without a script."""
    contexts = []
    problems: list[str] = []

    def load(*, width: int = 1280, scheme: str = "default", has_script: bool = True) -> Page:
        script, style = ((REFERENCE / name).read_text() for name in ("widgets.js", "widgets.css"))
        places = "".join(
            f'<div class="widget" data-widget="{name}"></div><p>As a picture: {name}</p>' for name in NAMES
        )
        ground = "#0d1117;color:#e6edf3" if scheme == "slate" else "#fff"
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Widgets</title>'
            '<meta name="viewport" content="width=device-width">'
            f"<style>html {{ font-size: 125% }} main {{ font-size: 0.75rem }} {style}</style></head>"  # as in the site
            f'<body data-md-color-scheme="{scheme}" style="margin:16px;background:{ground}"><main><h1>Widgets</h1>{places}</main>'
            f"<script>{script}</script></body></html>"
        )
        (tmp_path / "demonstration.html").write_text(page)
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=has_script))
        shown = contexts[-1].new_page()
        shown.on("console", lambda message: problems.append(message.text))
        shown.on("pageerror", lambda error: problems.append(str(error)))
        shown.goto((tmp_path / "demonstration.html").as_uri())
        return shown

    yield load
    for context in contexts:
        context.close()
    assert problems == []


def said(page: Page, name: str) -> str:
    return page.locator(f"[data-widget={name}] [role=status]").inner_text()


@pytest.mark.skipif(not AXE.is_file(), reason="`npm ci` in web/ brings axe-core")
@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing(opened: Callable[..., Page], scheme: str, width: int) -> None:
    page = opened(scheme=scheme, width=width)
    page.select_option("[data-widget=mask] select", "causal, first key hidden")
    page.get_by_role("button", name="Step").click()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    assert [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_widget_stands_on_the_page(opened: Callable[..., Page]) -> None:
    page = opened()
    for name in NAMES:
        assert page.locator(f"[data-widget={name}]").get_attribute("role") == "group"
        assert page.locator(f"[data-widget={name}] .widget-picture").bounding_box()["height"] > 80  # type: ignore[index]


def test_without_a_script_only_what_stands_below_is_shown(opened: Callable[..., Page]) -> None:
    page = opened(has_script=False)
    assert page.locator(".widget").first.bounding_box()["height"] == 0  # type: ignore[index]
    assert page.get_by_text("As a picture: mask").is_visible()


def test_sliders_can_be_moved_by_keys(opened: Callable[..., Page]) -> None:
    page = opened()
    before = said(page, "softmax")
    page.get_by_label("width d").focus()
    page.keyboard.press("Home")
    assert said(page, "softmax") != before
    assert page.get_by_label("width d").get_attribute("aria-valuetext") == "1"
    score = re.search(r"score (\S+)\.", said(page, "rotary"))
    assert score is not None
    page.get_by_label("both from").focus()
    page.keyboard.press("ArrowRight")
    assert "Query (blue) at 6, key (orange) at 3" in said(page, "rotary")
    assert f"score {score[1]}." in said(page, "rotary")


def test_a_mask_is_painted_by_keys(opened: Callable[..., Page]) -> None:
    page = opened()
    cells = page.locator(".widget-cell")
    assert cells.evaluate_all("cells => cells.filter(cell => cell.tabIndex === 0).length") == 1
    cells.first.focus()
    page.keyboard.press("Space")
    assert "Nothing is allowed for the." in said(page, "mask")
    assert "NaN" in said(page, "mask")
    assert page.locator(".widget-mask .is-empty").inner_text() == "0.00"
    assert page.locator("[data-widget=mask] select").input_value() == "your own"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert cells.nth(1).inner_text() == "1.00"
    assert cells.nth(1).get_attribute("aria-pressed") == "true"
    assert said(page, "mask") == "Each row of weights sums to 1."


def test_a_beam_steps_forwards_and_back(opened: Callable[..., Page]) -> None:
    page = opened()
    step = page.get_by_role("button", name="Step")
    step.focus()
    for _ in range(4):  # one more than there are: nothing happens, and the focus stays
        page.keyboard.press("Enter")
    assert said(page, "beam").endswith("Found: a dog sleeps.")
    assert step.evaluate("button => document.activeElement === button")
    page.get_by_role("button", name="Back").click()
    assert said(page, "beam").startswith("Step 2 of 3")
