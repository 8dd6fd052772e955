"""Animate the page of `regard serve`: a word is forced, and taken back. `draw_page.py` calls it."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page

SENTENCE = "Two young girls play with a big red ball in the snow."
PLACE, ALTERNATIVE = 5, 1
"""The token in whose place another is written, and which of the likeliest that is, both from 0."""
SIZE = (960, 780)
COLOURS = 256
STEPS, STEP_MS = 5, 70
"""The pictures of a movement of the pointer, and the time of each."""

POINTER = """() => {
    const drawing = (name, attributes, parent) => {
        const element = document.createElementNS('http://www.w3.org/2000/svg', name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        return parent.appendChild(element);
    };
    const pointer = drawing('svg', {id: 'pointer', width: 48, height: 48, viewBox: '-24 -24 48 48'}, document.body);
    Object.assign(pointer.style, {position: 'fixed', zIndex: 9, pointerEvents: 'none', left: 0, top: 0});
    drawing('circle', {r: 13, fill: 'none', stroke: '#1c2127', 'stroke-width': 3, visibility: 'hidden'}, pointer);
    drawing('path', {d: 'M 0 0 V 17 L 4.5 13 L 7.5 20 L 10.5 18.7 L 7.5 12 H 13 Z', fill: '#1c2127', stroke: '#fff',
        'stroke-width': 1.5, 'stroke-linejoin': 'round'}, pointer);
}"""
"""Draws a pointer on the page, with a ring about its tip for a click: a screenshot has none."""
MOVE = """([x, y, clicks]) => {
    const pointer = document.querySelector('#pointer');
    pointer.style.transform = `translate(${x - 24}px, ${y - 24}px)`;
    pointer.querySelector('circle').setAttribute('visibility', clicks ? 'visible' : 'hidden');
}"""


def settle(page: Page) -> None:
    """Wait until nothing is under way."""
    page.wait_for_timeout(300)
    page.wait_for_selector("#page:not(.busy)", timeout=60_000)
    page.wait_for_timeout(700)


class Film:
    """Pictures of a page, each with the time for which it stands."""

    def __init__(self, page: Page) -> None:
        self.page, self.frames, self.durations = page, list[Image.Image](), list[int]()
        self._x, self._y = float(SIZE[0] - 60), float(SIZE[1] - 60)
        page.evaluate(POINTER)
        self._draw()

    def _draw(self, clicks: bool = False) -> None:
        self.page.evaluate(MOVE, [self._x, self._y, clicks])

    def hold(self, duration: int) -> None:
        """Take a picture, which stands for some milliseconds."""
        drawn = Image.open(BytesIO(self.page.screenshot())).convert("RGB")
        if self.frames and drawn.tobytes() == self.frames[-1].tobytes():
            self.durations[-1] += duration
        else:
            self.frames.append(drawn)
            self.durations.append(duration)

    def _path(self, target: Locator) -> Iterator[tuple[float, float]]:
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + 0.6 * box["height"]
        for step in range(1, STEPS + 1):
            share = step / STEPS
            eased = share * share * (3 - 2 * share)
            yield self._x + eased * (x - self._x), self._y + eased * (y - self._y)

    def go_to(self, target: Locator, duration: int) -> None:
        """Move the pointer to an element, and stay there."""
        for x, y in list(self._path(target))[:-1]:
            self.page.evaluate(MOVE, [x, y, False])
            self.hold(STEP_MS)
        *_, (self._x, self._y) = self._path(target)
        self.page.mouse.move(self._x, self._y)
        self._draw()
        self.page.wait_for_timeout(200)
        self.hold(duration)

    def click(self, duration: int) -> None:
        """Click where the pointer is, and show what comes of it."""
        self._draw(clicks=True)
        self.hold(250)
        self.page.mouse.click(self._x, self._y)
        self._draw()
        settle(self.page)
        self.hold(duration)

    def save(self, path: Path) -> None:
        """Store the film. All pictures have the same colours, the commonest as they are, so that what rests is stored once."""
        packed = [np.asarray(frame).astype(np.int32) @ (65536, 256, 1) for frame in self.frames]
        numbers, counts = np.unique(np.concatenate(packed), return_counts=True)
        colours = np.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], axis=1)
        kept = colours[np.argsort(-counts, kind="stable")[:COLOURS]]
        nearest = np.abs(colours[:, None] - kept).sum(2).argmin(1).astype(np.uint8)
        pictures = [Image.fromarray(nearest[np.searchsorted(numbers, frame)]) for frame in packed]
        for picture in pictures:
            picture.putpalette(kept.astype(np.uint8).tobytes())
        first, *others = pictures
        first.save(path, save_all=True, append_images=others, duration=self.durations, loop=0)


def force(page: Page, path: Path) -> None:
    """Another word is written, the rest is decoded again, and the word is taken back."""
    page.wait_for_selector("#matrix", timeout=60_000)
    settle(page)
    film = Film(page)
    film.hold(1200)
    film.go_to(page.locator("#output .token").nth(PLACE), 1300)
    film.go_to(page.locator(".peek .bar").nth(ALTERNATIVE), 600)
    film.click(2600)
    film.go_to(page.locator(".unpin"), 500)
    film.click(1800)
    film.save(path)
