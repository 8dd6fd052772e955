import io
import itertools
import re
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from regard.inspection.drawing import notebook as drawn
from regard.runs.progress import Callbacks, LongWork, RunDisplay, TensorBoard, clock, quantity
from regard.training.training_run import Progress


def progress(step: int) -> Progress:
    return Progress(
        step=step, num_steps=3, loss=1.25, learning_rate=0.1, tokens_per_second=9400, elapsed_seconds=61, remaining_seconds=5
    )  # fmt: skip


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (61.4, "1:01"), (3725, "1:02:05")])
def test_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


@pytest.mark.parametrize(("number", "shown"), [(812, "812"), (9400, "9.4k"), (2_349_056, "2.3M")])
def test_quantity(number: float, shown: str) -> None:
    assert quantity(number) == shown


def test_a_terminal_has_one_live_line_and_a_file_has_none() -> None:
    for is_terminal in (True, False):
        stream = io.StringIO()
        with RunDisplay(Console(file=stream, force_terminal=is_terminal, width=80, highlight=False)) as display:
            for step in (1, 2, 3):
                display.on_step(progress(step))
            display.on_validation(3, {"loss": 0.5, "token_accuracy": 0.25}, is_best=True)
        shown = stream.getvalue()
        assert ("\x1b" in shown) == is_terminal
        assert "step 3/3  loss 1.250  9.4k tokens/s  1:01 elapsed  0:05 left" in shown
        assert "validation at step 3:  loss 0.500  token accuracy 0.250  (best, kept)" in shown
        # elsewhere than in a terminal: the first line, then nothing for ten seconds, then the last
        assert is_terminal or ("step 1/3" in shown and "step 2/3" not in shown)


class Notebook:
    """Stands for IPython: keeps what each output of a cell shows."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, str]] = []
        self.updates = 0

    def display(self, shown: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.outputs.append(shown)
        at = len(self.outputs) - 1

        def update(shown: dict[str, str], *, raw: bool) -> None:
            self.updates += 1
            self.outputs[at] = shown

        return SimpleNamespace(update=update)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    found = Notebook()
    module = ModuleType("IPython.display")
    vars(module)["display"] = found.display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(Console, "is_jupyter", True, raising=False)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return found


def test_in_a_notebook_a_run_is_one_output_that_is_updated(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = itertools.count(0.0, 1.0)
    monkeypatch.setattr(drawn.time, "monotonic", lambda: next(now))
    with RunDisplay() as display:
        display.say("10 pairs from <b>&amp;.tsv")
        display.on_progress("learning the vocabulary", 1, 4)
        assert '<progress max="1" value="0.250">' in notebook.outputs[0]["text/html"]
        for step in (1, 2):
            display.on_step(progress(step))
        assert '<progress max="1" value="0.667">' in notebook.outputs[0]["text/html"]
        assert "step 2/3  loss 1.250" in notebook.outputs[0]["text/html"]
        assert "step 1/3" not in notebook.outputs[0]["text/html"]
        display.on_validation(2, {"loss": 0.5}, is_best=True)
        display.on_step(progress(3))
        display.on_sentences(0, None)
        display.on_sentences(5, None)
        assert '<progress max="1"></progress> 5' in notebook.outputs[0]["text/html"]  # nobody knows how many there are
    (shown,) = notebook.outputs
    assert notebook.updates > 5
    assert "<progress" not in shown["text/html"]
    assert "<b>" not in shown["text/html"]
    assert "10 pairs from &lt;b&gt;&amp;amp;.tsv\n" in shown["text/html"]
    lines = shown["text/plain"].splitlines()
    assert lines[0] == "10 pairs from <b>&amp;.tsv"
    assert lines[1].startswith("validation at step 2:")
    assert lines[2].startswith("step 3/3")
    assert len(lines) == 3
    assert capsys.readouterr().err == ""


def test_a_notebook_is_not_updated_more_often_than_it_can_show(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn.time, "monotonic", lambda: 5.0)
    with RunDisplay() as display:
        for step in range(1, 1000):
            display.on_step(Progress(step, 1000, 1.0, 0.1, 9400, 61, 5))
        assert len(notebook.outputs) == 1
        assert notebook.updates == 0


def test_who_says_nothing_has_no_output_in_a_notebook(notebook: Notebook) -> None:
    with RunDisplay():
        pass
    with RunDisplay(is_silent=True) as display:
        display.say("a")
        display.on_step(progress(1))
    assert notebook.outputs == []


@pytest.mark.parametrize(("width", "expected"), [
    (100, "step 123,456/1,000,000  loss 3.250  123.4k tokens/s  12:34:56 elapsed  101:02:03 left"),
    (80, "step 123,456/1,000,000  loss 3.250  123.4k tokens/s  101:02:03 left"),
    (60, "step 123,456/1,000,000  loss 3.250  101:02:03 left"),
    (40, "step 123,456/1,000,000  101:02:03 left"),
    (20, "12%  101:02:03 left"),
])  # fmt: skip
def test_how_long_it_takes_is_never_cut(width: int, expected: str) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=width, highlight=False, legacy_windows=False)
    with RunDisplay(console) as display:
        display.on_step(Progress(123_456, 1_000_000, 3.25, 0.1, 123_400, 45_296, 363_723))
        assert display._live is not None
        display._live.refresh()
    shown = [line.strip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", stream.getvalue()).splitlines()]
    assert expected in shown
    assert not any("…" in line for line in shown)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_shares_are_never_cut(width: int) -> None:
    for tell in (
        lambda display: display.on_progress("learning the vocabulary", 1_234_567, 12_345_678),
        lambda display: display.on_items("heads removed, least worth first, gradient", 1_234, 12_340),
        lambda display: [display.on_sentences(0, 12_345_678), display.on_sentences(1_234_567, 12_345_678)],
    ):
        stream = io.StringIO()
        with RunDisplay(Console(file=stream, force_terminal=True, width=width, highlight=False)) as display:
            tell(display)
            assert display._live is not None
            display._live.refresh()
        assert "10%" in stream.getvalue()
        assert "…" not in stream.getvalue()


def test_tensorboard_shows_what_was_told(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def tell(first: int, last: int, loss: float) -> None:
        callbacks = Callbacks([TensorBoard(tmp_path / "events"), RunDisplay(Console(file=io.StringIO()))])
        callbacks.on_start({"step": first, "settings": {"training": {"report_every": 2}}})
        for step in range(first + 1, last + 1):
            callbacks.on_step(Progress(step, 100, loss, 0.01, 1000.0, 1.0, 1.0))
        callbacks.on_validation(last, {"loss": loss + 1}, is_best=True)
        callbacks.on_end({})

    tell(0, 6, 3.0)
    time.sleep(1.1)  # event files are named by the second
    tell(4, 8, 2.0)  # a run that was killed after step 6 and goes on from step 4
    events = EventAccumulator(str(tmp_path / "events"))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("training/loss")] == [
        (2, 3.0), (4, 3.0), (6, 2.0), (8, 2.0)]  # fmt: skip
    assert events.Scalars("validation/loss")[-1].value == 3.0


def test_long_work_says_first_how_much_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("regard.runs.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    stream = io.StringIO()
    with RunDisplay(Console(file=stream, width=80)) as display:
        work = LongWork(display, "run")
        for seconds_a_run in (0.01, 0.03):  # the first takes 1.2 seconds in all, the second 3.6
            work("patching", 0, 120)
            for done in (40, 80, 120):
                now[0] += 40 * seconds_a_run
                work("patching", done, 120)
        work("patching", 0, 1)  # done before anything could be said
        now[0] += 60
        work("patching", 1, 1)
    assert stream.getvalue() == "patching: 120 runs, about 0:04 in all\n"
