"""Draw the states of the page of `regard serve`: `python docs/draw_page.py en-de=MODEL docs/page`.

Each state is drawn light and dark, 1280 pixels wide; those of 360 and 2560 pixels are together on a sheet each. Needs Chromium.
The pictures of docs/page.md are of a preset `tiny`, trained on Multi30k from English to French in 1,500 steps.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, sync_playwright

COLOURS, METHOD, PLAIN = 256, Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
SENTENCE = "Two young girls play with a big red ball in the snow."
LONG = " ".join([
    "A man in a red shirt is standing on a ladder next to a white house.", "Two dogs run through the deep snow in the forest.",
    "The woman who sold the house smiles at her children.", "A group of people waits for a train at the station.",
    "Children play football in front of an old church.", "A young man with a guitar sings on a stage.",
])  # fmt: skip
ARABIC = "كلب كبير يلعب (في الثلج) with a ball"


def shown(page: Page) -> None:
    """Wait until a translation has been looked into."""
    page.wait_for_selector("#matrix", timeout=60_000)
    page.wait_for_timeout(500)


def typing(page: Page) -> None:
    """A text that is not yet whole."""
    page.fill("#text", "Two young girls play w")
    page.wait_for_timeout(250)


def streaming(page: Page) -> None:
    """Tokens that come one by one, over a slow line."""
    slow = {"offline": False, "latency": 0, "downloadThroughput": 6000, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    page.fill("#text", LONG)
    page.locator(".token").nth(12).wait_for(timeout=60_000)


def off(page: Page) -> None:
    """Heads that are off."""
    shown(page)
    page.wait_for_selector("#change", timeout=60_000)
    page.evaluate("document.querySelector('.panel.heads').scrollIntoView()")


def tree(page: Page) -> None:
    """The search."""
    shown(page)
    page.click("#search")
    page.wait_for_selector("#tree", timeout=60_000)
    page.evaluate("document.querySelector('.panel.search').scrollIntoView()")


def inside(page: Page) -> None:
    """A weight in numbers, the values, the residual stream."""
    shown(page)
    page.wait_for_selector("#writes .strip", timeout=60_000)
    page.wait_for_selector(".junction", timeout=60_000)
    page.evaluate("document.querySelector('.panel.computed').scrollIntoView()")
    page.wait_for_timeout(300)


def mask(page: Page) -> None:
    """A head that may not look at what is not written yet."""
    shown(page)
    page.evaluate("document.querySelector('.panel.matrix').scrollIntoView()")
    page.wait_for_timeout(300)


def experiments(page: Page) -> None:
    """The translation of a text whose words stand in another order."""
    shown(page)
    page.click("[data-change=shuffle]")
    page.wait_for_selector("#sum-after", timeout=60_000)
    page.evaluate("document.querySelector('.panel.experiments').scrollIntoView({block: 'end'})")
    page.wait_for_timeout(300)


def explain(page: Page) -> None:
    """The tour, at its fourth stop."""
    shown(page)
    page.click("#tour")
    for _ in range(3):
        page.wait_for_timeout(300)
        page.click("#tour-next")
    page.wait_for_selector("#softmax", timeout=60_000)
    page.wait_for_timeout(900)


def gone(page: Page) -> None:
    """A server that does not answer."""
    page.route("**/api/**", lambda route: route.abort())
    page.fill("#text", SENTENCE)
    page.wait_for_selector("p.error", timeout=60_000)


STATES: dict[str, tuple[dict[str, str], Callable[[Page], None]]] = {
    "empty": ({}, shown),
    "typing": ({}, typing),
    "streaming": ({}, streaming),
    "translated": ({"text": SENTENCE, "step": "2"}, shown),
    "long": ({"text": LONG, "step": "3"}, shown),
    "inside": ({"text": SENTENCE, "step": "5", "isExplained": "true"}, inside),
    "mask": ({"text": SENTENCE, "step": "5", "head": "decoder.0.1"}, mask),
    "experiments": ({"text": SENTENCE, "step": "5"}, experiments),
    "right-to-left": ({"text": ARABIC, "head": "encoder.1.2"}, shown),
    "error": ({}, gone),
    "heads-off": ({"text": SENTENCE, "off": "cross.1.0,cross.2.0,decoder.1.2"}, off),
    "tree": ({"text": SENTENCE}, tree),
    "explain": ({"text": SENTENCE}, explain),
}


def main(model: str, folder: Path, sizes: list[int]) -> None:
    """Draw every state at some widths, light and dark."""
    command = [sys.executable, "-m", "regard", "serve", model, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    url = next(found[0] for line in server.stdout if (found := re.search(r"http://[^/ ]+", line)))
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, (address, prepare) in STATES.items():
            for width in sizes:
                for scheme in ("light", "dark"):
                    size = {"width": width, "height": 900 if width < 2000 else 1300}
                    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
                    page.goto(f"{url}/#{urlencode(address)}")
                    page.wait_for_selector("body[data-ready=yes]")
                    prepare(page)
                    end = ("" if width == 1280 else f"-{width}") + ("" if scheme == "light" else "-dark")
                    drawn = BytesIO(page.screenshot())
                    Image.open(drawn).convert("RGB").quantize(COLOURS, METHOD, kmeans=1, dither=PLAIN).save(
                        folder / f"{name}{end}.png"
                    )
                    page.context.close()
        browser.close()
    server.terminate()
    server.wait()


def sheet(pictures: list[Path], path: Path, width: int, columns: int) -> None:
    """Pictures beside and below each other, each reduced to a width."""
    images = [Image.open(picture).convert("RGB") for picture in pictures]
    height = round(images[0].height * width / images[0].width)
    drawn = Image.new("RGB", (columns * width, -(-len(images) // columns) * height), "white")
    for place, image in enumerate(images):
        row, column = divmod(place, columns)
        drawn.paste(image.resize((width, height), Image.Resampling.LANCZOS), (column * width, row * height))
    drawn.quantize(COLOURS, METHOD, kmeans=1, dither=PLAIN).save(path)


def draw(model: str, folder: Path) -> None:
    """All pictures of the documents."""
    main(model, folder, [1280])
    for size, width, columns in ((360, 270, 5), (2560, 800, 2)):
        with tempfile.TemporaryDirectory() as drawn:
            main(model, Path(drawn), [size])
            ends = (f"-{size}", f"-{size}-dark")
            pictures = [Path(drawn) / f"{name}{end}.png" for end in ends for name in STATES]
            sheet(pictures, folder / f"all-{size}.png", width, columns)


if __name__ == "__main__":
    draw(sys.argv[1], Path(sys.argv[2]))
