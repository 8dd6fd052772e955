"""Words to words: merging, joining two directions, and the error rate, by hand and on the Hansards."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.analysis.aligning import words_of_tokens
from regard.errors import DataError, SettingsError
from regard.evaluation.alignment_error import (
    GoldAlignment,
    alignment_error_rate,
    pharaoh,
    read_alignments,
    reversed_gold,
    reversed_links,
    symmetrized,
)
from regard.inspection.alignment import AttentionReadout, likenesses, readouts, word_links
from regard.text.lines import read_lines

links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)))


def test_tokens_become_words() -> None:
    # The columns: "a" "b1" "b2" </s>; the rows: "x1" "x2" "y".
    weights = torch.tensor([[0.5, 0.3, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4], [0.1, 0.0, 0.0, 0.9]])
    # x: a 0.3, b (0.4 + 0.5) / 2; y has no more than 0.1 for a.
    assert word_links(weights, [0, 0, 1], [0, 1, 1, None]) == [(1, 0), (0, 1)]
    assert word_links(weights, [None, None, None], [0, 1, 1, None]) == []


def test_what_looks_like_an_alignment() -> None:
    diagonal, flat = torch.eye(6), torch.full((6, 6), 1 / 6)
    assert likenesses((diagonal)[None]) == pytest.approx(1)
    assert likenesses((flat)[None]) == pytest.approx(0, abs=1e-6)
    assert likenesses((diagonal.flip(0))[None]) == 0
    assert likenesses((0.5 * diagonal)[None]) == pytest.approx(0.5)  # half of it went to symbols
    assert likenesses((torch.zeros(0, 3))[None]) == 0


def test_where_to_look() -> None:
    weights, heads = [torch.rand(3, 4, 5), torch.rand(2, 4, 5)], [[0, 1, 2], [0, 2]]
    torch.testing.assert_close(AttentionReadout(1, None).read(weights, heads), weights[1].mean(dim=0))
    torch.testing.assert_close(AttentionReadout(1, 2).read(weights, heads), weights[1][1])  # head 1 was pruned
    assert len(readouts(heads)) == (4 + 3) * 2
    assert len(readouts([[0]])) == 2
    assert (str(AttentionReadout(1, None)), str(AttentionReadout(1, 2, True))) == ("cross.1", "cross.1.2, a step later")


def test_the_error_rate_by_hand() -> None:
    gold = [GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 1)}))]
    assert alignment_error_rate([[(0, 0), (1, 1)]], gold) == 0
    assert alignment_error_rate([[(0, 0), (2, 1)]], gold) == pytest.approx(1 - (1 + 2) / 4)
    assert alignment_error_rate([[]], gold) == 1
    with pytest.raises(DataError, match=r"alignment.*gold.*got 2 and 1"):
        alignment_error_rate([[], []], gold)
    with pytest.raises(DataError, match="must have at least one link"):
        alignment_error_rate([[]], [GoldAlignment(frozenset(), frozenset())])


def test_the_hansards(shared_data: Path) -> None:
    folder = shared_data / "word_alignment_enfr"
    gold = read_alignments(read_lines(folder / "enfr.gold"), "gold", first=1)
    shipped = read_alignments(read_lines(folder / "enfr.awesome-align.out"), "shipped")
    found = [row.sure for row in shipped]
    assert alignment_error_rate(found, gold) == pytest.approx(0.041, abs=0.0005)  # the published figure
    assert alignment_error_rate([row.possible for row in gold], gold) == 0


@pytest.mark.parametrize(
    ("line", "first", "message"),
    [("0-0 1", 0, r"f, line 2: a link must be two words, such as 0-1; got '1'"), ("0-1", 1, r"such as 1-2; got '0-1'"),
     ("1?2", 0, r"got '1\?2'")],
)  # fmt: skip
def test_lines_that_are_no_alignments(line: str, first: int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_alignments(["", line], "f", first=first)


def test_two_directions_by_hand() -> None:
    forward, backward = [(0, 0), (1, 1), (2, 1), (4, 4)], [(0, 0), (1, 1), (1, 2), (3, 5)]
    assert symmetrized(forward, backward, "intersection") == [(0, 0), (1, 1)]
    assert len(symmetrized(forward, backward, "union")) == 6
    # (2, 1) and (1, 2) touch (1, 1), and each has a word without a link; (4, 4) and (3, 5) touch nothing.
    assert symmetrized(forward, backward, "grow-diag") == [(0, 0), (1, 1), (1, 2), (2, 1)]
    assert symmetrized(forward, backward, "grow-diag-final-and") == [(0, 0), (1, 1), (1, 2), (2, 1), (3, 5), (4, 4)]
    with pytest.raises(SettingsError, match="Did you mean 'grow-diag'"):
        symmetrized(forward, backward, "grow-dag")


def test_the_other_direction() -> None:
    assert reversed_links([(0, 3), (2, 1)]) == [(1, 2), (3, 0)]
    gold = GoldAlignment(frozenset({(0, 3)}), frozenset({(0, 3), (2, 1)}))
    assert reversed_gold(gold) == GoldAlignment(frozenset({(3, 0)}), frozenset({(3, 0), (1, 2)}))


@given(links, links)
def test_what_joins_lies_between_intersection_and_union(
    forward: set[tuple[int, int]], backward: set[tuple[int, int]]
) -> None:
    least, most = (set(symmetrized(forward, backward, method)) for method in ("intersection", "union"))
    grown, final = (set(symmetrized(forward, backward, method)) for method in ("grow-diag", "grow-diag-final-and"))
    assert least <= grown <= final <= most
    assert symmetrized(backward, forward, "union") == sorted(most)
    assert read_alignments([pharaoh(final)], "again")[0].sure == final


def test_tokens_of_several_words_are_not_aligned_word_by_word() -> None:
    places = [(0, 4), (4, 9), None]
    assert words_of_tokens(["▁turn", "▁left", "</s>"], places, "turn left") == [0, 1, None]
    for text, separators, hint in (
        ("turn left", "spaces", r"tokenizer\.across_spaces"),
        ("turn\tleft", "spaces", "Replace tabs by spaces"),
        ("turn\u00a0left", "whitespace", "--word-separators spaces"),
    ):
        with pytest.raises(SettingsError, match=rf"whose tokens hold one word; got the token .*\. .*{hint}"):
            words_of_tokens(["▁turn▁left", "</s>"], [(0, 9), None], text, separators)
    assert words_of_tokens(["▁turn▁left", "</s>"], [(0, 9), None], "turn\u00a0left") == [0, None]
