import weakref

import pytest
import torch

from regard.errors import ShapeError
from regard.nn import (
    additive_from_mask,
    attention,
    causal_mask,
    combine_masks,
    length_mask,
    mask_from_additive,
    mask_from_hidden,
    mask_from_hugging_face,
    mask_with_prefix,
    padding_mask,
    prefix_mask,
    segment_mask,
    target_mask,
    window_mask,
)
from regard.nn.masks import check_mask, distances, open_empty_rows, positions_from_mask, prepared


def test_padding_mask() -> None:
    mask = padding_mask(torch.tensor([[5, 6, 0], [0, 7, 8]]), pad_id=0)
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, True, False], [False, True, True]]


def test_length_mask_of_examples_and_of_queries() -> None:
    assert length_mask(torch.tensor([0, 2]), 3)[:, 0, 0].int().tolist() == [[0, 0, 0], [1, 1, 0]]
    by_query = length_mask(torch.tensor([[0, 1], [2, 3]]), 3)
    assert by_query.shape == (2, 1, 2, 3)
    assert by_query[:, 0].int().tolist() == [[[0, 0, 0], [1, 0, 0]], [[1, 1, 0], [1, 1, 1]]]


def test_causal_mask() -> None:
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_mask_after_cached_keys() -> None:
    assert causal_mask(2, 5).int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert causal_mask(2, 5, first=1).int().tolist() == [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0]]


def test_causal_mask_with_more_queries_than_keys_leaves_the_first_with_nothing() -> None:
    assert causal_mask(3, 2).int().tolist() == [[0, 0], [1, 0], [1, 1]]


def test_window_mask() -> None:
    assert window_mask(4, before=1).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert window_mask(3, before=0, after=1).int().tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert window_mask(1, 4, before=2).int().tolist() == [[0, 1, 1, 1]]
    with pytest.raises(ShapeError, match="before and after must be at least 0; got -1 and 0"):
        window_mask(3, before=-1)


def test_segment_mask() -> None:
    mask = segment_mask(torch.tensor([[1, 1, 2]]))
    assert mask[0, 0].int().tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    across = segment_mask(torch.tensor([[1, 2]]), torch.tensor([[2, 2, 1]]))
    assert across[0, 0].int().tolist() == [[0, 0, 1], [1, 1, 0]]


def test_prefix_mask_sees_the_whole_prefix_and_then_the_past() -> None:
    mask = prefix_mask(torch.tensor([2, 0]), 3)
    assert mask[0, 0].int().tolist() == [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    assert mask[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_packed_sequences_give_what_each_gives_alone() -> None:
    torch.manual_seed(0)
    first, second = torch.randn(1, 1, 3, 5), torch.randn(1, 1, 4, 5)
    packed = torch.cat((first, second), dim=2)
    mask = combine_masks(segment_mask(torch.tensor([[0, 0, 0, 1, 1, 1, 1]])), causal_mask(7))
    together = attention(packed, packed, packed, mask=mask)
    apart = [attention(x, x, x, causal=True) for x in (first, second)]
    torch.testing.assert_close(together, torch.cat(apart, dim=2))


def test_target_mask_is_both() -> None:
    mask = target_mask(torch.tensor([[2, 5, 0], [0, 2, 5]]), pad_id=0)
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert mask[1, 0].int().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_masks_are_combined_and_their_shapes_checked() -> None:
    causal, padding = causal_mask(3), torch.tensor([[[[True, True, False]]]])
    assert torch.equal(combine_masks(causal, None, padding), causal & padding)
    assert combine_masks(None, None) is None
    assert combine_masks(causal) is causal
    with pytest.raises(ShapeError, match=r"masks must have shapes that broadcast; got \(3, 3\) and \(2, 4\)"):
        combine_masks(causal, torch.ones(2, 4, dtype=torch.bool))


def test_a_prefix_is_visible_to_all() -> None:
    assert mask_with_prefix(causal_mask(2), 2).int().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]


def test_other_conventions() -> None:
    ours = torch.tensor([[True, False]])
    assert torch.equal(mask_from_hidden(~ours), ours)
    additive = additive_from_mask(ours)
    assert additive.tolist() == [[0.0, float("-inf")]]
    assert torch.equal(mask_from_additive(additive), ours)
    assert torch.equal(mask_from_additive(torch.tensor([[0.0, torch.finfo(torch.float32).min]])), ours)
    assert torch.equal(mask_from_additive(torch.tensor([[0.0, -10_000.0]])), ours)
    assert torch.equal(mask_from_hugging_face(torch.tensor([[1, 0]])), ours[:, None, None])
    assert mask_from_hugging_face(torch.ones(2, 3, 5, dtype=torch.long)).shape == (2, 1, 3, 5)


def test_a_bias_is_not_taken_for_a_mask() -> None:
    with pytest.raises(
        ShapeError, match="an additive mask must hold 0 to allow and -10,000 or less to hide; got other"
    ):
        mask_from_additive(torch.tensor([0.0, -3.0]))
    with pytest.raises(ShapeError, match="attention_mask must hold 0 and 1 only; got other numbers"):
        mask_from_hugging_face(torch.tensor([[0.0, -10_000.0]]))


def test_a_float_mask_is_refused_with_the_way_to_convert_it() -> None:
    with pytest.raises(
        ShapeError, match=r"mask must be boolean, True where a query may attend; got torch.float32. See mask_"
    ):
        check_mask(torch.zeros(3, 5), (2, 3, 5))


def test_distances() -> None:
    assert distances(2, 3).tolist() == [[-1, 0, 1], [-2, -1, 0]]
    assert distances(1, 3, first=0).tolist() == [[0, 1, 2]]


def test_positions_count_tokens_whichever_side_is_padded() -> None:
    is_token = torch.tensor([[1, 1, 1, 0], [0, 0, 1, 1]], dtype=torch.bool)
    positions = positions_from_mask(is_token)
    assert positions[0, :3].tolist() == [0, 1, 2]
    assert positions[1, 2:].tolist() == [0, 1]


def test_a_prepared_mask_is_looked_through_once() -> None:
    mask = prepared(torch.tensor([[True, False], [False, False]]))
    allowed, is_closed = open_empty_rows(mask)
    assert allowed is not None
    assert is_closed is not None
    assert open_empty_rows(mask)[0] is allowed
    assert allowed.tolist() == [[True, False], [True, True]]
    assert is_closed.tolist() == [[False], [True]]
    assert open_empty_rows(mask.clone())[0] is not allowed  # a copy can change, and knows nothing
    plain = torch.tensor([[True, False], [False, False]])
    open_empty_rows(plain)
    plain.numpy()[1, 0] = True
    assert open_empty_rows(plain)[1] is None  # of other masks, nothing is kept


def test_prepared_masks_do_not_hold_themselves() -> None:
    mask = prepared(torch.ones(2, 2, dtype=torch.bool))
    assert open_empty_rows(mask)[1] is None
    is_held = weakref.ref(mask)
    del mask
    assert is_held() is None  # without the garbage collector


def test_a_mask_of_inference_can_be_trained_with() -> None:
    mask, x = torch.zeros(1, 2, 2, dtype=torch.bool), torch.randn(1, 2, 4, requires_grad=True)
    with torch.inference_mode():
        attention(x, x, x, mask=mask, kernel="sdpa")
    attention(x, x, x, mask=mask, kernel="sdpa").sum().backward()
