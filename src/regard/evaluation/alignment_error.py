"""Word alignments: a reader, symmetrization, and the alignment error rate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from regard.errors import DataError, check_known
from regard.text.pharaoh import parse_links
from regard.text.words import Separators, split_words

Link = tuple[int, int]
"""A source word and a target word, counted from 0."""
BEYOND = 1 << 60
"""A number of words that no text has."""
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True)
class GoldAlignment:
    """A gold alignment of a pair of texts."""

    sure: frozenset[Link]
    possible: frozenset[Link]
    """The possible links, the sure ones included."""


def read_alignments(
    lines: Sequence[str],
    name: str,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    first: int = 0,
    separators: Separators = "spaces",
) -> list[GoldAlignment]:
    """Read alignments in Pharaoh's format, one to a line: `0-0 1-2 2p1`, where p marks a link that is only possible.

    Args:
        name: of the file, for error messages.
        pairs: the texts that are aligned. None: whether the words are there is not checked.
        first: the number of the first word in the file, 0 or 1.
        separators: what separates words.
    Raises:
        DataError: not as many lines as pairs, a line that is not written so, or a word that is not there.
    """
    if pairs is not None and len(lines) != len(pairs):
        raise DataError(f"{name} must have a line for each of the {len(pairs):,} pairs; got {len(lines):,}.")
    found = []
    for number, line in enumerate(lines, start=1):
        sure, possible = set(), set()
        source_words, target_words = (
            (len(split_words(text, separators)) for text in pairs[number - 1]) if pairs else (BEYOND,) * 2
        )
        links = parse_links(line, name, number, (source_words, target_words), first=first, option="`--gold-from-one`")
        for source, target, is_sure in links:
            possible.add((source, target))
            if is_sure:
                sure.add((source, target))
        found.append(GoldAlignment(frozenset(sure), frozenset(possible)))
    return found


def alignment_error_rate(found: Sequence[Iterable[Link]], gold: Sequence[GoldAlignment]) -> float:
    """The alignment error rate, from 0 to 1, over all pairs of texts together.

    AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)

    where A are the links found, S the sure and P the possible gold links.

    Raises:
        DataError: not as many alignments as gold ones, or no link at all.
    Source: Och and Ney 2003, section 5.1.
    """
    if len(found) != len(gold):
        raise DataError(f"each pair needs an alignment and a gold one; got {len(found)} and {len(gold)}.")
    agreed = total = 0
    for links, right in zip(map(frozenset, found), gold, strict=True):
        agreed += len(links & right.sure) + len(links & right.possible)
        total += len(links) + len(right.sure)
    if not total:
        raise DataError("alignments must have at least one link; got none.")
    return 1 - agreed / total


def symmetrized(forward: Iterable[Link], backward: Iterable[Link], method: str) -> list[Link]:
    """Combine two alignments: one of each translation direction, both as (source word, target word).

    Args:
        forward: each target word's source words.
        backward: each source word's target words; as (source word, target word), too.
        method: `intersection`, `union`, `grow-diag` (links of one of the two that touch the intersection, and align a word
            that has no link yet), `grow-diag-final-and` (then also those whose words both have none).
    Raises:
        SettingsError: an unknown method.
    Source: Koehn et al. 2005, section 3; Och and Ney 2003, section 4.5.
    """
    methods = ("intersection", "union", "grow-diag", "grow-diag-final-and")
    check_known("method", method, methods, "a known symmetrization")
    one, other = set(forward), set(backward)
    links, either = one & other, one | other
    if method == "intersection":
        return sorted(links)
    if method == "union":
        return sorted(either)

    def sources() -> set[int]:
        return {source for source, _ in links}

    def targets() -> set[int]:
        return {target for _, target in links}

    most = [1 + max((link[side] for link in either), default=-1) for side in (0, 1)]
    grows = True
    while grows:
        grows = False
        # Word by word, as in Koehn's code: a link that was just added may be extended in the same pass.
        for source, target in product(range(most[0]), range(most[1])):
            if (source, target) not in links:
                continue
            for across, down in NEIGHBOURS:
                near = source + across, target + down
                if near in either - links and (near[0] not in sources() or near[1] not in targets()):
                    links.add(near)
                    grows = True
    if method == "grow-diag-final-and":
        for direction in (one, other):
            for source, target in sorted(direction - links):
                if source not in sources() and target not in targets():
                    links.add((source, target))
    return sorted(links)


def reversed_links(links: Iterable[Link]) -> list[Link]:
    """The links of the other direction, as (source word, target word)."""
    return sorted((target, source) for source, target in links)


def reversed_gold(gold: GoldAlignment) -> GoldAlignment:
    """The gold alignment of the other direction."""
    return GoldAlignment(frozenset(reversed_links(gold.sure)), frozenset(reversed_links(gold.possible)))


def pharaoh(links: Iterable[Link]) -> str:
    """Links as `0-0 1-2`, words counted from 0."""
    return " ".join(f"{source}-{target}" for source, target in sorted(links))
