import torch

from regard.nn.masks import causal_mask, padding_mask, positions_from_mask, target_mask


def test_padding_mask() -> None:
    mask = padding_mask(torch.tensor([[5, 6, 0], [0, 7, 8]]), pad_id=0)
    assert mask.shape == (2, 1, 1, 3)
    assert mask[:, 0, 0].tolist() == [[True, True, False], [False, True, True]]


def test_causal_mask() -> None:
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_causal_mask_after_cached_keys() -> None:
    assert causal_mask(2, 5).int().tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_target_mask_is_both() -> None:
    mask = target_mask(torch.tensor([[2, 5, 0], [0, 2, 5]]), pad_id=0)
    assert mask[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert mask[1, 0].int().tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_positions_count_tokens_whichever_side_is_padded() -> None:
    is_token = torch.tensor([[1, 1, 1, 0], [0, 0, 1, 1]], dtype=torch.bool)
    positions = positions_from_mask(is_token)
    assert positions[0, :3].tolist() == [0, 1, 2]
    assert positions[1, 2:].tolist() == [0, 1]
