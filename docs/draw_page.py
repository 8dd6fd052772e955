"""Draw the states of the page of `regard serve`: `python docs/draw_page.py en-fr=MODEL ar-en=MODEL en-ar=MODEL docs/page`.

Each state is drawn light and dark, 1280 pixels wide; those of 360 and 2560 pixels are together on a sheet each. `force.gif`
shows how a word is forced. States are of the first model, unless they name a direction. Needs Chromium.

docs/page.md says which models these are.

With `--review`, whole pages are drawn instead, for looking at: of each width, light, dark, in high contrast and printed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import animate_page
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

COLOURS, METHOD, PLAIN = 256, Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
SENTENCE = "Two young girls play with a big red ball in the snow."
LONG = " ".join([
    "A man in a red shirt is standing on a ladder next to a white house.", "Two dogs run through the deep snow in the forest.",
    "The woman who sold the house smiles at her children.", "A group of people waits for a train at the station.",
    "Children play football in front of an old church.", "A young man with a guitar sings on a stage.",
])  # fmt: skip
NAME = "دوستويفسكي"
DATE = "Friday, March 14, 2025"


def shown(page: Page) -> None:
    """Wait until a translation has been looked into."""
    page.wait_for_selector("#matrix", timeout=60_000)
    page.wait_for_timeout(500)


def typing(page: Page) -> None:
    """A text that is not yet whole."""
    shown(page)
    page.fill("#text", "Two young girls play w")
    page.wait_for_timeout(250)


def streaming(page: Page) -> None:
    """Tokens that come one by one, over a slow line."""
    shown(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": 6000, "uploadThroughput": -1}
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", slow)
    page.fill("#text", LONG)
    page.locator(".busy .token").nth(12).wait_for(timeout=60_000)


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
    shown(page)
    page.route("**/api/**", lambda route: route.abort())
    page.fill("#text", SENTENCE)
    page.wait_for_selector("p.error", timeout=60_000)


class State(NamedTuple):
    """What is done on the page, its address, and the direction of its model; empty: the first one's."""

    prepare: Callable[[Page], None]
    address: dict[str, str]
    direction: str = ""


STATES = {
    "empty": State(shown, {}),
    "typing": State(typing, {}),
    "streaming": State(streaming, {}),
    "translated": State(shown, {"text": SENTENCE, "step": "2"}),
    "long": State(shown, {"text": LONG, "step": "3"}),
    "inside": State(inside, {"text": SENTENCE, "step": "5", "isExplained": "true"}),
    "mask": State(mask, {"text": SENTENCE, "step": "5", "head": "decoder.0.1"}),
    "experiments": State(experiments, {"text": SENTENCE, "step": "5"}),
    "right-to-left": State(shown, {"text": NAME, "step": "2"}, "ar-en"),
    "into-right-to-left": State(shown, {"text": DATE, "step": "2"}, "en-ar"),
    "error": State(gone, {}),
    "heads-off": State(off, {"text": SENTENCE, "off": "cross.1.0,cross.2.0,decoder.1.2"}),
    "tree": State(tree, {"text": SENTENCE}),
    "explain": State(explain, {"text": SENTENCE}),
}

Look = dict[str, Any]
"""What a reader prefers, as Playwright names it, and a medium."""
LOOKS: dict[str, Look] = {"": {"color_scheme": "light"}, "-dark": {"color_scheme": "dark"}}
REVIEWED: dict[str, Look] = {
    **LOOKS,
    "-contrast": {"color_scheme": "light", "forced_colors": "active"},
    "-contrast-dark": {"color_scheme": "dark", "forced_colors": "active"},
    "-print": {"media": "print"},
    "-print-dark": {"media": "print", "color_scheme": "dark"},
}


@contextmanager
def served(model: str) -> Iterator[str]:
    """A server of a model, until it is no longer needed; its address."""
    command = [sys.executable, "-m", "regard", "serve", model, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    try:
        url = next(found[0] for line in server.stdout if (found := re.search(r"http://[^/ ]+", line)))
        threading.Thread(target=server.stdout.read).start()  # a server whose output nobody reads would stop
        yield url
    finally:
        server.terminate()
        server.wait()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, url: str, address: dict[str, str], size: tuple[int, int], look: Look) -> Iterator[Page]:
    """The page at an address."""
    preferred = {key: value for key, value in look.items() if key != "media"}
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **preferred)
    page = context.new_page()
    page.goto(f"{url}/#{urlencode(address)}")
    page.wait_for_selector("body[data-ready=yes]")
    yield page
    context.close()


def draw(
    browser: Browser, url: str, states: Iterable[str], folder: Path, width: int, looks: dict[str, Look], whole: bool
) -> None:
    """Draw states at a width: what is seen at first, or the whole page."""
    folder.mkdir(parents=True, exist_ok=True)
    size = (width, 900 if width < 2000 else 1300)
    for name in states:
        for end, look in looks.items():
            with opened(browser, url, STATES[name].address, size, look) as page:
                STATES[name].prepare(page)
                if "media" in look:
                    page.emulate_media(media=look["media"])
                    page.evaluate("dispatchEvent(new Event('beforeprint'))")
                    page.wait_for_timeout(300)
                drawn = BytesIO(page.screenshot(full_page=whole))
            save(Image.open(drawn), folder / f"{name}{'' if width == 1280 else f'-{width}'}{end}.png")


def save(image: Image.Image, path: Path) -> None:
    """Store a picture in few colours, which takes little room."""
    image.convert("RGB").quantize(COLOURS, METHOD, kmeans=1, dither=PLAIN).save(path)


def sheet(pictures: list[Path], path: Path, width: int, columns: int) -> None:
    """Pictures beside and below each other, each reduced to a width."""
    images = [Image.open(picture).convert("RGB") for picture in pictures]
    height = round(images[0].height * width / images[0].width)
    drawn = Image.new("RGB", (columns * width, -(-len(images) // columns) * height), "white")
    for place, image in enumerate(images):
        row, column = divmod(place, columns)
        drawn.paste(image.resize((width, height), Image.Resampling.LANCZOS), (column * width, row * height))
    save(drawn, path)


def main() -> None:
    """Draw all pictures of the documents, or those for looking at."""
    parser = argparse.ArgumentParser(description="Draw the states of the page of `regard serve`.")
    parser.add_argument("models", nargs="+", help="models, as DIRECTION=FOLDER")
    parser.add_argument("folder", type=Path, help="the folder of the pictures")
    parser.add_argument("--states", default=",".join(STATES), help="states with commas between them; by default all")
    parser.add_argument("--review", action="store_true", help="draw whole pages, in high contrast and printed, too")
    options = parser.parse_args()
    wanted, folder = options.states.split(","), options.folder
    models = {model.partition("=")[0]: model for model in options.models}
    first = next(iter(models))
    if missing := {STATES[name].direction or first for name in wanted} - models.keys():
        parser.error(f"models must have the directions of all states; none is {', '.join(sorted(missing))}")
    with chromium() as browser, tempfile.TemporaryDirectory() as reduced:
        for direction, model in models.items():
            names = [name for name in wanted if (STATES[name].direction or first) == direction]
            with served(model) as url:
                for width in (360, 1280, 2560):
                    place = folder if options.review or width == 1280 else Path(reduced)
                    draw(browser, url, names, place, width, REVIEWED if options.review else LOOKS, options.review)
                if direction == first and not options.review:
                    with opened(browser, url, {"text": animate_page.SENTENCE}, animate_page.SIZE, LOOKS[""]) as page:
                        animate_page.force(page, folder / "force.gif")
        if not options.review:
            for size, width, columns in ((360, 270, 5), (2560, 800, 2)):
                pictures = [Path(reduced) / f"{name}-{size}{end}.png" for end in LOOKS for name in wanted]
                sheet(pictures, folder / f"all-{size}.png", width, columns)


if __name__ == "__main__":
    main()
