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
    whole = [*result, tokenizer.eos_id]
    beginnings: list[tuple[int, ...]] = []  # of each candidate of the step before
    kept_at: dict[int, int] = {}  # of its kept candidates, by their index
    steps = []
    for candidates in trace:
        written = [(*(beginnings[one.parent] if one.parent is not None else ()), one.id) for one in candidates]
        step = [
            (
                -1 if one.parent is None else kept_at.get(one.parent, -1),
                tokenizer.tokens([one.id])[0],
                one.score,
                list(ids) == whole[: len(ids)],
            )
            for one, ids in zip(candidates, written, strict=True)
            if one.fate != "dropped"
        ]
        kept = [index for index, one in enumerate(candidates) if one.fate != "dropped"]
        beginnings, kept_at = written, {index: rank for rank, index in enumerate(kept)}
        steps.append(step)
    return steps
