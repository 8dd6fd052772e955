"""Written ONNX graphs answer as the model does, step by step with caches."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.interop.foreign import ForeignModel
from regard.interop.formats import write_foreign
from regard.interop.onnx import OnnxReference
from regard.models.config import (
    DecoderConfig,
    EncoderConfig,
    EncoderDecoderClassifierConfig,
    EncoderDecoderConfig,
    RecurrentConfig,
)
from regard.models.interface import Model
from regard.models.registry import build
from regard.nn.layers import Chunked, FeedForward
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

pytest.importorskip("onnxscript")
onnxruntime = pytest.importorskip("onnxruntime")

SIZES: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
LAYERS: dict[str, Any] = {"num_encoder_layers": 2, "num_decoder_layers": 2}
FEWER: dict[str, Any] = {"num_encoder_layers": 1, "num_decoder_layers": 1}
"""Layers of what differs from the first model within a layer: each layer takes seconds to write."""
MODELS: dict[str, Any] = {
    "transformer": lambda size: EncoderDecoderConfig(vocab_size=size, **SIZES, **LAYERS),
    "transformer, rotary, pre-norm, grouped": lambda size: EncoderDecoderConfig(
        vocab_size=size, **SIZES, **FEWER, positions="rotary", norm="pre", num_kv_heads=1
    ),
    "transformer, buckets, output bias": lambda size: EncoderDecoderConfig(
        vocab_size=size,
        **SIZES,
        **(LAYERS | {"num_encoder_layers": 1}),
        positions="t5",
        output_bias=True,
        tied_embeddings="none",
    ),
    "decoder": lambda size: DecoderConfig(vocab_size=size, **SIZES, num_layers=2),
    "decoder, window, normalised queries": lambda size: DecoderConfig(
        vocab_size=size, **SIZES, num_layers=1, windows=[3], query_key_norm=True, norm_kind="rms", positions="rotary"
    ),
    "decoder, bounded scores and logits": lambda size: DecoderConfig(
        vocab_size=size, **SIZES, num_layers=1, score_cap=2.0, logit_cap=3.0
    ),
    "encoder-decoder that classifies": lambda size: EncoderDecoderClassifierConfig(
        vocab_size=size, **SIZES, **FEWER, labels=["a", "b", "c"], positions="rotary", separator_id=3
    ),
    "encoder, mlm": lambda size: EncoderConfig(vocab_size=size, **SIZES, num_layers=2),
    "encoder, classes of pairs": lambda size: EncoderConfig(
        vocab_size=size, **SIZES, num_layers=1, task="classify", labels=["a", "b"], pair_separators=1, separator_id=3
    ),
    "encoder, classes by the mean, window longer than the example": lambda size: EncoderConfig(
        vocab_size=size,
        **SIZES,
        num_layers=1,
        task="classify",
        labels=["a", "b", "c"],
        pooling="mean",
        windows=[6],
        positions="rotary",
        embedding_dim=8,
    ),
}


def loaded(name: str | Callable[[int], Any]) -> LoadedModel:
    tokenizer = Tokenizer.train(["the cat sat on the mat"] * 3, TokenizerConfig(vocab_size=40))
    torch.manual_seed(1)
    model: Model = build((MODELS[name] if isinstance(name, str) else name)(len(tokenizer))).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return LoadedModel(model, tokenizer, tokenizer)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ForeignModel]:
    """A model as ONNX, which is written once."""
    folder = tmp_path_factory.mktemp("written")
    return cache(lambda name: write_foreign(loaded(name), folder / name, "onnx"))


RARE = (
    "transformer",
    "transformer, buckets, output bias",
    "decoder",
    "decoder, bounded scores and logits",
    "encoder, mlm",
    "encoder, classes by the mean, window longer than the example",
)
"""Models whose parts others have, too, or few models have: they are among the slow tests."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in RARE)) for name in MODELS])
def test_what_is_written_answers_as_ours(name: str, written: Callable[[str], ForeignModel]) -> None:
    check = written(name).check()
    assert check is not None
    assert check.largest_difference < 1e-5 * max(check.largest_value, 1)
    assert check.first_difference is None
    if not name.startswith("encoder"):
        assert check.num_decoded > 5


def test_rows_and_lengths_vary_and_padding_is_not_read(written: Callable[[str], ForeignModel]) -> None:
    """Written from an example of 2 rows, 4 source tokens and 3 past ones; run with other numbers of each."""
    done = written("transformer")
    found = done.loaded
    encoder, step = (
        onnxruntime.InferenceSession(str(done.path / name)) for name in ("encoder.onnx", "decoder_step.onnx")
    )
    source = torch.randint(4, 20, (5, 9))
    source[3, 6:] = 0
    target = torch.randint(4, 20, (5, 7))
    memory = encoder.run(None, {"source_ids": source.numpy()})
    past = [np.zeros((5, 3, 0, 4), np.float32)] * 4
    inputs = [node.name for node in step.get_inputs()]
    for position in range(7):
        given = [target[:, position : position + 1].numpy(), source.numpy(), *memory, *past]
        logits, *past = step.run(None, dict(zip(inputs, given, strict=True)))
        expected = found.model(source, target)[:, position]
        torch.testing.assert_close(torch.from_numpy(logits), expected, rtol=1e-4, atol=1e-5)


def test_a_graph_has_no_chunks_and_serves_any_length(tmp_path: Path) -> None:
    sizes = {**SIZES, "feed_forward_chunk": 1}
    for name, make in {
        "encoder-decoder": lambda size: EncoderDecoderConfig(vocab_size=size, **sizes, **FEWER),
        "decoder": lambda size: DecoderConfig(vocab_size=size, **sizes, num_layers=1, gated=True),
        "encoder": lambda size: EncoderConfig(vocab_size=size, **sizes, num_layers=1),
    }.items():
        done = write_foreign(loaded(make), tmp_path / name, "onnx")
        graphs = OnnxReference(done.path, done.loaded.model, done.loaded.tokenizer.symbols)
        model: Any = done.loaded.model
        for length in (1, 2, 4, 5, 13):
            ids = torch.randint(5, 20, (1, length))
            source = torch.randint(5, 20, (1, length + 2))
            pair = name == "encoder-decoder"
            (found,) = graphs.values(source.tolist() if pair else None, ids.tolist())
            start = done.loaded.tokenizer.symbols.start_ids
            target = torch.tensor([[*start, *ids[0].tolist()]])
            expected = model(source, target)[:, len(start) - 1 :] if pair else model(ids)
            torch.testing.assert_close(found, expected[0], rtol=1e-4, atol=1e-5)
        assert all(part.chunk == 1 for part in model.modules() if isinstance(part, FeedForward))


def test_an_exported_chunked_module_serves_any_length() -> None:
    chunked = Chunked(FeedForward(4, 6, chunk=1), positions=2)
    dims = {1: torch.export.Dim("position")}
    graph = torch.export.export(chunked, (torch.randn(2, 5, 4),), dynamic_shapes=(dims,)).module()
    for length in (2, 3, 11):
        x = torch.randn(2, length, 4)
        torch.testing.assert_close(graph(x), chunked(x))


def test_a_recurrent_model_is_refused(tmp_path: Path) -> None:
    found = loaded("transformer")
    model = build(RecurrentConfig(vocab_size=len(found.tokenizer), model_dim=8))
    with pytest.raises(
        ModelFolderError, match="arch must be encoder-decoder, decoder, encoder or encoder-decoder-classifier"
    ):
        write_foreign(found._replace(model=model), tmp_path / "onnx", "onnx")
    assert not (tmp_path / "onnx").exists()
