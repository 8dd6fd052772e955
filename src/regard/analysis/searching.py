"""A beam search as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.errors import DataError, SettingsError
from regard.generation.options import DecodingOptions
from regard.generation.rules.trace import TracedCandidate
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTE = "A step's candidates, best first; bold ones led to the result. Numbers are sums of log-probabilities, nats."


def search_figure(translator: Translator, text: str, options: DecodingOptions) -> Figure:
    """The hypotheses of a search, step by step, those that led to the result set off.

    Raises:
        DataError: the text is blank.
        SettingsError: no beam search.
        MissingExtraError: matplotlib is not installed.
    """
    from regard.inspection.drawing.pictures import tree_figure

    if not text.strip():
        raise DataError("text must have words to be translated; got a blank text.")
    if options.method != "beam":
        raise SettingsError(f"`--search` draws a beam search only; remove `method={options.method}` or `--search`.")
    found = translator.translate([text], options.changed(trace=True, n_best=1))[0]
    assert found.trace is not None
    return tree_figure(search_steps(found.trace, found.ids, translator.tokenizer), note=NOTE)


def search_steps(
    trace: list[list[TracedCandidate]], result: list[int], tokenizer: Tokenizer
) -> list[list[tuple[int, str, float, bool]]]:
    """The candidates that were kept, for `tree_figure`: index of the parent, token, score, and whether it led to the result."""
    path = _path(trace, result, tokenizer.eos_id)
    kept_at: dict[int, int] = {}  # of the kept candidates of the step before, by their index
    steps = []
    for number, candidates in enumerate(trace):
        kept = [index for index, one in enumerate(candidates) if one.fate != "dropped"]
        steps.append(
            [
                (
                    -1 if (parent := candidates[index].parent) is None else kept_at.get(parent, -1),
                    tokenizer.tokens([candidates[index].id])[0],
                    candidates[index].score,
                    path.get(number) == index,
                )
                for index in kept
            ]
        )
        kept_at = {index: rank for rank, index in enumerate(kept)}
    return steps


def _path(trace: list[list[TracedCandidate]], result: list[int], end_id: int) -> dict[int, int]:
    """The index of the candidate of each step that led to the result. Of several hypotheses with its tokens, as groups have them,
    the best of the first that finished.
    """
    written: list[list[list[int]]] = []
    for candidates in trace:
        before = written[-1] if written else []
        written.append([[*([] if one.parent is None else before[one.parent]), one.id] for one in candidates])
    for whole in ([*result, end_id], result):  # a result that was cut has no end
        for last, candidates in enumerate(trace):
            index = next(
                (at for at, one in enumerate(candidates) if one.fate != "dropped" and written[last][at] == whole), None
            )
            if index is not None:
                return _upwards(trace, last, index)
    return {}


def _upwards(trace: list[list[TracedCandidate]], step: int, index: int) -> dict[int, int]:
    """A candidate and those that it continues, by step."""
    path, at = {}, index
    for number in range(step, -1, -1):
        path[number] = at
        parent = trace[number][at].parent
        if parent is None:
            break
        at = parent
    return path
