"""The display of a run: one live line in a terminal, one output in a notebook, plain lines elsewhere."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.live import Live
from rich.text import Text

from regard.errors import MissingExtraError, printable, shown
from regard.inspection.drawing.notebook import NotebookOutput
from regard.text.wording import counted
from regard.training.process import random_numbers_kept
from regard.training.training_run import Callback, Progress, Scores

PLAIN_LINE_SECONDS = 10.0
LONG_SECONDS = 2.0
"""From here on, work is long enough for its cost to be said."""


def clock(seconds: float) -> str:
    """Seconds as 1:23 or 1:02:03."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def quantity(number: float) -> str:
    """A number in a few characters: 812, 9.4k, 2.3M."""
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.1f}{unit}"
    return f"{number:.0f}"


def size(num_bytes: float) -> str:
    """Bytes as 812 B, 9.4 kB, 2.3 MB, 1.2 GB."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if num_bytes >= limit:
            return f"{num_bytes / limit:.1f} {unit}"
    return f"{num_bytes:.0f} B"


class RunDisplay(Callback):
    """Shows a run on standard error, so that standard output stays for results. Use it as a context.

    In a terminal the newest state is one live line at the bottom; in a notebook, all is one output with a bar, which is updated;
    elsewhere it is a line now and then.
    """

    def __init__(self, console: Console | None = None, *, is_silent: bool = False) -> None:
        self.console = console or Console(stderr=True, highlight=False, soft_wrap=True, quiet=is_silent)
        self._live: Live | None = None
        self._notebook = notebook_output(self.console)
        self._last_line = -PLAIN_LINE_SECONDS
        self._doing = ""
        self._started = 0.0

    def __enter__(self) -> RunDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_live_line()

    def say(self, message: str) -> None:
        """Print one line that stays."""
        if self._notebook is not None:
            self._notebook.say(shown(message))
        else:
            self.console.print(Text(shown(message)))

    def on_progress(self, what: str, done: int, total: int) -> None:
        """Show the progress of work that takes a while."""
        if what != self._doing:  # outside a terminal, only long work gets a line
            self._doing, self._last_line = what, time.monotonic()
        self._show_share(what, f"{done:,} of {counted(total, 'line')}", done, total)

    def on_items(self, what: str, done: int, total: int) -> None:
        """Show how many items of some work are done."""
        if what != self._doing:
            self._doing, self._started, self._last_line = what, time.monotonic(), time.monotonic()
        self._show_share(what, f"{done:,} of {total:,}", done, total)

    def on_sentences(self, done: int, total: int | None) -> None:
        """Show how many sentences are done, and how fast, since the first call."""
        if done == 0:
            self._started = self._last_line = time.monotonic()
            return
        rate = done / max(time.monotonic() - self._started, 1e-9)
        of_all, speed = "" if not total else f" of {total:,}, {done / total:.0%}", f"{rate:.0f} sentences/s"
        shorter = f"{done:,}{of_all}", speed if not total else f"{done / total:.0%}"
        self._show(f"{done:,}{of_all}  {speed}", *shorter, share=done / total if total else None)

    def on_step(self, progress: Progress) -> None:
        """Update the live line, or print a plain one if the last is some seconds old."""
        step, loss = f"step {progress.step:,}/{progress.num_steps:,}", f"loss {progress.loss:.3f}"
        speed, left = (
            f"{quantity(progress.tokens_per_second)} tokens/s",
            f"{clock(progress.remaining_seconds)} left",
        )
        lines = [
            "  ".join(parts)
            for parts in (
                (step, loss, speed, f"{clock(progress.elapsed_seconds)} elapsed", left),
                (step, loss, speed, left),
                (step, loss, left),
                (step, left),
                (f"{progress.step / progress.num_steps:.0%}", left),
            )
        ]
        is_last = progress.step == progress.num_steps
        if is_last:
            self._end_live_line()
            self.say(lines[0])
        else:
            self._show(*lines, share=progress.step / progress.num_steps)

    def _show_share(self, what: str, counted: str, done: int, total: int) -> None:
        """Show a line with the fraction that is done."""
        share = f"{done / max(total, 1):.0%}"
        self._show(f"{what}: {counted}, {share}", f"{what}: {share}", share, share=done / max(total, 1))

    def _show(self, line: str, *shorter: str, share: float | None) -> None:
        """A line that the next one replaces: the live one, or a plain one when the last is some seconds old.

        Args:
            shorter: what of it is shown where a terminal has no room for more, each shorter than the one before.
            share: how much is done, from 0 to 1; None: nobody knows.
        """
        if self._notebook is not None:
            self._notebook.show(shown(line), share)
        elif self.console.is_terminal:
            if self._live is None:
                self._live = Live(console=self.console, refresh_per_second=4, transient=True)
                self._live.start()
            texts = [Text(printable(each), no_wrap=True, overflow="ellipsis") for each in (line, *shorter)]
            self._live.update(next((text for text in texts if text.cell_len <= self.console.width), texts[-1]))
        elif time.monotonic() - self._last_line >= PLAIN_LINE_SECONDS:
            self._last_line = time.monotonic()
            self.say(line)

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Print the scores of a validation."""
        shown = "  ".join(f"{name.replace('_', ' ')} {score:.3f}" for name, score in scores.items())
        self.say(f"validation at step {step:,}:  {shown}{'  (best, kept)' if is_best else ''}")

    def _end_live_line(self) -> None:
        if self._notebook is not None:
            self._notebook.end()
        if self._live:
            self._live.stop()
            self._live = None


class LongWork:
    """Shows the progress of work that will take more than `LONG_SECONDS`: first how much it is, then how much is done.

    Args:
        display: where it is shown.
        unit: what is counted, such as `run of the model`.
    """

    def __init__(self, display: RunDisplay, unit: str) -> None:
        self._display, self._unit = display, unit
        self._started, self._is_long = 0.0, False

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note how many of all are done; 0 at the start."""
        if done == 0:
            self._started, self._is_long = time.monotonic(), False
            return
        seconds = (time.monotonic() - self._started) * total / done
        if not self._is_long and seconds > LONG_SECONDS and done < total:
            self._is_long = True
            self._display.say(f"{what}: {counted(total, self._unit)}, about {clock(seconds)} in all")
        if self._is_long:
            self._display.on_items(what, done, total)


def notebook_output(console: Console) -> NotebookOutput | None:
    """The output of a run in a notebook; None: the program runs elsewhere, or reports nothing."""
    if not console.is_jupyter or console.quiet:
        return None
    try:
        from IPython.display import display
    except ImportError:
        return None
    return NotebookOutput(display)


class TensorBoard(Callback):
    """Writes what a run tells to event files that `tensorboard --logdir FOLDER` shows.

    Raises:
        MissingExtraError: the package is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError("Writing for TensorBoard", "tensorboard") from error
        self._make = partial(SummaryWriter, str(folder))

    def on_start(self, facts: Mapping[str, Any]) -> None:
        """Note the first step: events of an earlier run from there on are dropped."""
        self._report_every = facts["settings"]["training"]["report_every"]
        self._open = partial(self._make, purge_step=facts["step"] + 1)

    @cached_property
    def _writer(self) -> Any:
        """Opened when there is something to write."""
        return self._open()

    def on_step(self, progress: Progress) -> None:
        """Note loss, learning rate and speed every `report_every` steps."""
        if progress.step % self._report_every == 0 or progress.step == progress.num_steps:
            for name in ("loss", "learning_rate", "tokens_per_second"):
                self._writer.add_scalar(f"training/{name}", getattr(progress, name), progress.step)

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Note the scores of a validation, and write out what was noted."""
        for name, score in scores.items():
            self._writer.add_scalar(f"validation/{name}", score, step)
        self._writer.flush()

    def on_end(self, results: Mapping[str, Any]) -> None:
        """Write out what was noted."""
        self._writer.close()


class Callbacks(Callback):
    """Several callbacks as one."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self.callbacks = callbacks

    def on_start(self, facts: Mapping[str, Any]) -> None:
        """Call all before the first step."""
        for callback in self.callbacks:
            callback.on_start(facts)

    def on_step(self, progress: Progress) -> None:
        """Call all after a step."""
        for callback in self.callbacks:
            callback.on_step(progress)

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Call all after a validation."""
        for callback in self.callbacks:
            callback.on_validation(step, scores, is_best)

    def on_end(self, results: Mapping[str, Any]) -> None:
        """Call all after the run."""
        for callback in self.callbacks:
            callback.on_end(results)


class UserCallback(Callback):
    """A callback of the user's, which only looks: it gets copies, and the random numbers that it draws change no step."""

    def __init__(self, callback: Callback, device: torch.device) -> None:
        self.callback, self.device = callback, device

    def on_start(self, facts: Mapping[str, Any]) -> None:
        """Call it before the first step."""
        with random_numbers_kept(self.device):
            self.callback.on_start(copy.deepcopy(facts))

    def on_step(self, progress: Progress) -> None:
        """Call it after a step."""
        with random_numbers_kept(self.device):
            self.callback.on_step(progress)

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Call it after a validation."""
        with random_numbers_kept(self.device):
            self.callback.on_validation(step, dict(scores), is_best)

    def on_end(self, results: Mapping[str, Any]) -> None:
        """Call it after the run."""
        with random_numbers_kept(self.device):
            self.callback.on_end(copy.deepcopy(results))
