"""The page as tests use it: its parts by name, so that a selector that changes is changed here alone; and servers in threads."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from playwright.sync_api import Locator, Page

from regard.serving.directions import parse_models
from regard.serving.http.app import App
from regard.serving.http.connections import protocol
from regard.serving.http.server import listen
from regard.serving.keys import Keys
from regard.serving.limits import Limits
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry

TEXT, OUTPUT, TOKEN, STATUS, ERROR = "#text", "#output", "#output .token", ".status", "p.error[role=alert]"
ALTERNATIVES, BEFORE, N_BEST, STOP = ".alternatives button.bar", "#output .before bdi", ".nbest li", "Stop"
HEAD, SHARE, MATRIX, CELL, CURVES, GRID, KEYS = (
    "#head", "#share", "#matrix", "#cell", "#curves path.edge", "table.unseen td", "#key-tokens",
)  # fmt: skip
HEADS, CHOSEN, TOGGLE, RANK, ORDER = "button.cell[data-head]", ".chosen", "#toggle", "#rank", "#order"
CHANGE, CHANGES, WRITTEN, UNDO, ALL_ON = "#change", ".changes .change", "#written-then", "#undo", "#all-on"
STEP, LENS, SEARCH, TREE, NODES = "#step", ":is(.lens .change, .stream .junction)", "#search", "#tree", "#tree g.node"
KEY_FORM, KEY, BEAM, TEMPERATURE, LIVE = "form.key", "#key", "#beam", "#temperature", ".controls input[type=checkbox]"


class Served:
    """A server in a thread of this process."""

    def __init__(self, *folders: Path, keys: Path | None = None, port: int = 0) -> None:
        self._listening = listen("127.0.0.1", port)
        self.port = int(self._listening.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.registry = ModelRegistry(
            ModelFolders(parse_models([str(folder) for folder in folders]), device="cpu"), Limits()
        )
        app = App(self.registry, Keys(keys)).asgi
        config = uvicorn.Config(app, http=protocol(30.0, None), ws="none", log_config=None, lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._listening],))
        self._thread.start()

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()
        self._listening.close()
        self.registry.close(at_once=True)


def until(is_so: Callable[[], Any], seconds: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def readable(token: str) -> str:
    """A token as the page spells it."""
    return token.removeprefix("▁").replace("▁", "␣") or "␣"


def spelled(tokens: Iterable[str]) -> str:
    """The text of some tokens."""
    return "".join(tokens).replace("▁", " ").lstrip()


def percent(log_prob: float) -> str:
    """A probability as the page writes it."""
    return f"{100 * math.exp(log_prob):.{0 if log_prob > math.log(0.1) else 1}f} %"


def numbers(text: str) -> list[float]:
    """The numbers in a text."""
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", text)]


class Shown:
    """A page that is open."""

    def __init__(self, page: Page, problems: list[str]) -> None:
        self.page, self.problems = page, problems

    def all(self, selector: str) -> Locator:
        """The elements of a selector."""
        return self.page.locator(selector)

    def text(self, selector: str) -> str:
        """The text of an element, without the marks of direction."""
        return re.sub("[\u2066-\u2069]", "", self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements."""
        return [re.sub("[\u2066-\u2069]", "", each) for each in self.all(selector).all_text_contents()]

    def exists(self, selector: str) -> bool:
        """Whether there is such an element."""
        return self.all(selector).count() > 0

    def unfold(self) -> None:
        """Open what is folded: the options, the other translations."""
        code = "all => all.forEach(each => { each.open = true; })"
        self.all("details:not(.save, #next-token)").evaluate_all(code)

    def drawn(self) -> None:
        """Wait until what was changed is drawn."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        """Wait until a condition holds. Playwright's own way evaluates text in the page, which the page's policy forbids."""
        code = f"""() => new Promise((done, fail) => {{ const end = performance.now() + {1000 * seconds};
            const look = () => ({condition}) ? done() : performance.now() > end ? fail(Error('waited')) : setTimeout(look, 10);
            look(); }})"""
        self.page.evaluate(code)

    def settled(self) -> Shown:
        """Wait until nothing is under way."""
        self.page.wait_for_selector("body[data-ready=yes]")
        code = """async selector => {
            const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            const end = performance.now() + 60000;
            for (let quiet = 0; quiet < 2;) {
                await drawn();
                quiet = document.querySelector(selector).textContent.trim() === '' ? quiet + 1 : 0;
                if (performance.now() > end) throw Error('something is still under way');
            } }"""
        self.page.evaluate(code, STATUS)
        return self

    def click(self, selector: str, **options: Any) -> None:
        """Click, and wait until what follows is done."""
        self.page.click(selector, **options)
        self.settled()

    def button(self, name: str) -> Locator:
        """The button with this text."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, selector: str, value: str) -> None:
        """Choose an entry of a list."""
        self.page.select_option(selector, value)
        self.settled()

    def slide(self, selector: str, value: float) -> None:
        """Move a slider."""
        self.page.evaluate(
            "([selector, value]) => { const it = document.querySelector(selector); it.value = value;"
            " it.dispatchEvent(new Event('input', {bubbles: true})); }",
            [selector, str(value)],
        )
        self.drawn()

    def press(self, selector: str, *keys: str) -> None:
        """Press keys in an element."""
        self.page.focus(selector)
        for key in keys:
            self.page.keyboard.press(key)
            self.settled()

    def write(self, text: str) -> None:
        """Write another text, which is translated when the writing has rested."""
        self.page.fill(TEXT, text)
        self.page.wait_for_timeout(350)
        self.settled()

    # what is shown

    @property
    def tokens(self) -> list[str]:
        """The tokens of the output."""
        return self.texts(TOKEN)

    @property
    def titles(self) -> list[str]:
        """What is said of each token of the output."""
        return [each.get_attribute("aria-description") or "" for each in self.all(TOKEN).all()]

    @property
    def alternatives(self) -> list[list[str]]:
        """What could be written in the place of the chosen token, and how probable it is."""
        return [[each.locator("bdi").inner_text(), each.locator(".number").inner_text()]
                for each in self.all(ALTERNATIVES).all()]  # fmt: skip

    def take_token(self, place: int) -> None:
        """Choose a token of the output."""
        self.all(TOKEN).nth(place).click()
        self.settled()

    def write_alternative(self, number: int) -> None:
        """Write the alternative with this number in the place of the chosen token."""
        self.all(ALTERNATIVES).nth(number).click()
        self.settled()

    @property
    def cell(self) -> tuple[str, float | None, str]:
        """The chosen cell of the matrix: the token that looks, its weight or None where it may not, and what it looks at."""
        said = re.sub(r"\s+", " ", self.text(CELL)).strip()
        place = "(?:About to write (?P<writes>.+?)(?:, has read up to .+?)?:|(?P<is>.+?))"
        found = re.match(rf"{place} (?:looks with (?P<weight>\d\.\d+) at|may not look at) (?P<key>.+?)\.( |$)", said)
        assert found, said
        weight = None if found["weight"] is None else float(found["weight"])
        return found["writes"] or found["is"], weight, found["key"]

    @property
    def curves(self) -> dict[tuple[int, int], float]:
        """The weights that are drawn as curves, by row and key."""
        read = "all => all.map(({dataset}) => [dataset.row, dataset.key, dataset.weight].map(Number))"
        return {(int(row), int(key)): weight for row, key, weight in self.all(CURVES).evaluate_all(read)}

    @property
    def heads(self) -> list[str]:
        """The heads as they are shown, in order."""
        return [str(each) for each in self.all(HEADS).evaluate_all("all => all.map(each => each.dataset.head)")]

    @property
    def heads_off(self) -> list[str]:
        """Those that are off."""
        read = "all => all.filter(each => each.ariaLabel.endsWith(', off')).map(each => each.dataset.head)"
        return [str(each) for each in self.all(HEADS).evaluate_all(read)]

    def label_of(self, head: str) -> str:
        """What is said of a head."""
        return self.page.get_attribute(head_button(head), "aria-label") or ""

    @property
    def lens(self) -> list[tuple[str, str]]:
        """What each layer would say at the chosen step, from the lowest up."""
        return [
            (each.locator("bdi").inner_text(), each.locator(".number").last.inner_text())
            for each in self.all(LENS).all()
        ]

    @property
    def address(self) -> str:
        """The address, with what is kept in it."""
        return self.page.url


def head_button(head: str) -> str:
    """The button of a head."""
    return f'button.cell[data-head="{head}"]'


def address(url: str, **kept: object) -> str:
    """The address of a page with something kept in it."""
    return f"{url}/#{urlencode({name: str(value) for name, value in kept.items()})}"
