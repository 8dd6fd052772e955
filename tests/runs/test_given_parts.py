"""What others give: metrics, scores, tasks and families of their own that are not as ours are."""

from pathlib import Path
from typing import Any

import pytest
import torch

import regard.nn
from regard.errors import SettingsError
from regard.evaluation.text_metrics import ADDED, TextMetrics, add_metric
from regard.inspection.alignment import attention_names
from regard.models.config import DecoderConfig
from regard.models.registry import build
from regard.runs.tasks.task import Inputs


@pytest.mark.parametrize("found", [None, "0.5", [1.0], 1j, torch.zeros(2)])
def test_a_metric_without_a_number_does_not_end_later_runs(found: Any) -> None:
    add_metric("mine", lambda texts, references: found)
    try:
        with pytest.raises(SettingsError, match=r"^the metric mine must return a number; got .* not measured any more"):
            TextMetrics().score(["a b"], ["a b"])
        assert "mine" not in ADDED
        assert TextMetrics().score(["a b"], ["a b"]).exact_match == 1
        add_metric("mine", lambda texts, references: torch.tensor(0.5))
        assert TextMetrics().score(["a b"], ["a b"]).added == {"mine": 0.5}
    finally:
        ADDED.pop("mine", None)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("backward", [False, True])
def test_a_score_that_has_no_16_bits_is_computed_in_32(dtype: torch.dtype, backward: bool) -> None:
    def distance(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        return -torch.cdist(query, key)

    torch.manual_seed(0)
    query, key, value = (torch.randn(2, count, 4) for count in (3, 5, 5))
    expected = (-torch.cdist(query, key)).softmax(dim=-1)
    narrow = [each.to(dtype).requires_grad_(backward) for each in (query, key, value)]
    weights = regard.nn.attention_weights(*narrow[:2], score=distance)
    context = regard.nn.attention(*narrow, score=distance)
    assert (weights.dtype, context.dtype) == (dtype, dtype)
    torch.testing.assert_close(weights.float(), expected, atol=0.03, rtol=0.05)
    torch.testing.assert_close(context.float(), expected @ value, atol=0.06, rtol=0.05)
    if backward:
        context.float().sum().backward()
        assert all(bool(each.grad.isfinite().all()) for each in narrow if each.grad is not None)


def test_a_task_gets_a_list_of_names_even_of_one() -> None:
    assert Inputs("lines.txt").training == ["lines.txt"]
    assert Inputs(Path("lines.txt"), valid="more").valid == ["more"]
    assert Inputs(["a", "b"]).training == ["a", "b"]
    assert Inputs([("a", "b")]).training == [("a", "b")]
    assert Inputs(["a"]).valid is None


def test_a_model_without_cross_attention_is_named() -> None:
    model = build(DecoderConfig(vocab_size=9, model_dim=4, ff_dim=4, num_heads=2, num_layers=2))
    assert attention_names(model, "decoder") == model.attention_names["decoder"]
    with pytest.raises(SettingsError, match=r"^the model must have cross-attention, .*; got one with decoder\.$"):
        attention_names(model, "cross")
