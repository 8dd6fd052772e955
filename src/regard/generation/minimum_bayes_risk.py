"""Minimum Bayes risk: the candidate that the others agree with most, instead of the likeliest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from regard.errors import SettingsError


def expected_utilities(candidates: Sequence[str], utility: Callable[[str, str], float]) -> list[float]:
    """The expected utility of each candidate: its mean score with the others as references.

    expected[c] = mean over r of utility(c, r)

    Args:
        candidates: samples, or an n-best list; duplicates count as often as they occur, also as references.
        utility: of a hypothesis and a reference, such as sentence-level chrF.
    Raises:
        SettingsError: there are no candidates.
    Source: Kumar and Byrne 2004, equation 3; Eikema and Aziz 2020, section 6.
    """
    if not candidates:
        raise SettingsError("candidates must be at least one; got none.")
    counts = {text: candidates.count(text) for text in dict.fromkeys(candidates)}
    expected = {
        text: sum(count * utility(text, reference) for reference, count in counts.items()) / len(candidates)
        for text in counts
    }
    return [expected[text] for text in candidates]
