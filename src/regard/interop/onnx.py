"""A writer of ONNX: a graph for the encoder, and one for a decoder step with its caches; or one for a whole encoder.

`encoder.onnx`       source_ids -> memory.*: the source as keys and values of every decoder layer
`decoder_step.onnx`  ids, source_ids, memory.*, past.* -> logits, present.*: one more token of every row
`model.onnx`         ids -> logits, of a model that only reads

Past keys and values have length 0 before the first step. A decoder without encoder has no source and no memory, and takes
a whole prompt in its first step.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from regard.checkpoint import LoadedModel
from regard.data.batch import pad_right
from regard.data.hugging_face.data_sets import quiet
from regard.errors import MissingExtraError, SettingsError
from regard.interop.check import likeliest
from regard.interop.foreign import ForeignModel
from regard.interop.hugging_face.bert import refuse
from regard.interop.mapping import Account
from regard.models.config import TEXT_TASKS, TransformerConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.encoder_decoder_classifier import LabelModel
from regard.nn.cache import ContiguousCache, KeysValues, Memory
from regard.nn.masks import padding_mask
from regard.text.tokenizer import Symbols

ENCODER, STEP, WHOLE = "encoder.onnx", "decoder_step.onnx", "model.onnx"
ROWS, LENGTH = 2, 3
"""The rows and the length of the example that is traced; all lengths may vary."""


class EncoderGraph(nn.Module):
    """The graph of an encoder: the source as keys and values of every decoder layer, key and value in turn."""

    def __init__(self, model: EncoderDecoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, source_ids: Tensor) -> tuple[Tensor, ...]:
        """The keys, then the values, of each layer."""
        return tuple(part for layer in self.model.project(self.model.encode(source_ids)) for part in layer)


class StepGraph(nn.Module):
    """The graph of a decoder step: a further token of every row, in a model with a source."""

    def __init__(self, model: EncoderDecoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, source_ids: Tensor, memory: list[Tensor], past: list[Tensor]) -> tuple[Tensor, ...]:
        """The logits, and the keys and values with those of the new token."""
        mask = padding_mask(source_ids, self.model.config.pad_id)
        cache = ContiguousCache(_layers(past), [Memory(layer, mask) for layer in _layers(memory)])
        states, cache = self.model.step_states(ids, cache)
        return self.model.logits(states)[:, 0], *cache.tensors


class DecoderGraph(nn.Module):
    """The graph of a decoder alone: further tokens of every row. No row is padded."""

    def __init__(self, model: Decoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, past: list[Tensor]) -> tuple[Tensor, ...]:
        """The logits after the last token, and the keys and values with those of the new tokens."""
        states, cache = self.model.step_states(ids, ContiguousCache(_layers(past)))
        return self.model.logits(states[:, -1]), *cache.tensors


def _layers(parts: Sequence[Tensor]) -> list[KeysValues]:
    return [KeysValues(key, value) for key, value in zip(parts[::2], parts[1::2], strict=True)]


def write(loaded: LoadedModel, output: Path) -> ForeignModel:
    """Write a model of ours as ONNX graphs in a folder, with the tokenizers.

    Raises:
        MissingExtraError: `onnx` or `onnxscript` is not installed.
        ModelFolderError: the model is a recurrent one.
    """
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("writing ONNX models", "convert") from error
    model, symbols = loaded.model, loaded.tokenizer.symbols
    if isinstance(model, EncoderDecoder):
        written = _write_pair(model, output)
    elif isinstance(model, Decoder):
        written = _write_decoder(model, output)
    elif isinstance(model, LabelModel):
        ids = torch.full((ROWS, LENGTH), symbols.eos_id)
        written = [_write(model, (ids,), output / WHOLE, ["ids"], ["logits"], ({0: "batch", 1: "position"},))]
    else:
        refuse("onnx", {"arch": (model.config.arch, "encoder-decoder, decoder, encoder or encoder-decoder-classifier")})
        raise AssertionError
    loaded.tokenizer.save(output / "tokenizer.json")
    if loaded.source_tokenizer is not loaded.tokenizer:
        loaded.source_tokenizer.save(output / "source_tokenizer.json")
    notes = [
        f"{' and '.join(written)}; the weights are inside",
        f"pad rows with the id {symbols.pad_id}" if not isinstance(model, Decoder) else "rows must not be padded",
    ]
    return ForeignModel("ONNX", loaded, Account([]), notes, lambda path: OnnxReference(path, model, symbols), output)


def _num_layers(model: EncoderDecoder | Decoder) -> int:
    return model.config.num_layers if isinstance(model, Decoder) else model.config.num_decoder_layers


def _names(kind: str, num_layers: int) -> list[str]:
    return [f"{kind}.{layer}.{part}" for layer in range(num_layers) for part in ("key", "value")]


def _write_pair(model: EncoderDecoder, output: Path) -> list[str]:
    config, num_layers = model.config, model.config.num_decoder_layers
    source = torch.full((ROWS, LENGTH + 1), 3)
    memory = list(EncoderGraph(model)(source))
    past = _empty_past(config, num_layers, LENGTH)
    batch_source = {0: "batch", 1: "source"}
    heads_source, heads_past = {0: "batch", 2: "source"}, {0: "batch", 2: "past"}
    first = _write(
        EncoderGraph(model), (source,), output / ENCODER, ["source_ids"], _names("memory", num_layers), (batch_source,)
    )
    second = _write(
        StepGraph(model),
        (torch.full((ROWS, 1), 3), source, memory, past),
        output / STEP,
        ["ids", "source_ids", *_names("memory", num_layers), *_names("past", num_layers)],
        ["logits", *_names("present", num_layers)],
        ({0: "batch"}, batch_source, [heads_source] * len(memory), [heads_past] * len(past)),
    )
    return [first, second]


def _write_decoder(model: Decoder, output: Path) -> list[str]:
    config, num_layers = model.config, model.config.num_layers
    if config.cross_attention:
        raise SettingsError(
            "a decoder with cross-attention cannot be written as onnx. Convert the whole encoder-decoder."
        )
    past = _empty_past(config, num_layers, LENGTH)
    return [
        _write(
            DecoderGraph(model),
            (torch.full((ROWS, LENGTH + 1), 3), past),
            output / STEP,
            ["ids", *_names("past", num_layers)],
            ["logits", *_names("present", num_layers)],
            ({0: "batch", 1: "position"}, [{0: "batch", 2: "past"}] * len(past)),
        )
    ]


def _empty_past(config: TransformerConfig, num_layers: int, length: int, rows: int = ROWS) -> list[Tensor]:
    num_heads, widths = (
        config.num_kv_heads or config.num_heads,
        (config.head_dim, config.value_head_dim or config.head_dim),
    )
    return [torch.zeros(rows, num_heads, length, width) for _ in range(num_layers) for width in widths]


def _write(
    graph: nn.Module, example: tuple[Any, ...], path: Path, inputs: list[str], outputs: list[str], axes: tuple[Any, ...]
) -> str:
    """Trace a graph and write it; returns the name of the file."""
    dims: dict[str, Any] = {}

    def named(shape: Any) -> Any:
        if isinstance(shape, list):
            return [named(part) for part in shape]
        return {axis: dims.setdefault(name, torch.export.Dim(name)) for axis, name in shape.items()}

    with quiet("torch.onnx"), warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        torch.onnx.export(
            graph.eval(), example, path, input_names=inputs, output_names=outputs, dynamo=True, verbose=False,
            external_data=False, dynamic_shapes=tuple(named(shape) for shape in axes),
        )  # fmt: skip
    return path.name


class OnnxReference:
    """The written graphs, run by `onnxruntime`."""

    what: Literal["logits"] = "logits"

    def __init__(self, folder: Path, model: EncoderDecoder | Decoder | LabelModel, symbols: Symbols) -> None:
        import onnxruntime

        self.name = f"onnxruntime {onnxruntime.__version__}"
        self.model, self.symbols = model, symbols
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.sessions: dict[str, Any] = {
            path.name: onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            for path in folder.glob("*.onnx")
        }

    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The logits of each text: of a decoder step by step, so that its caches are tried."""
        if isinstance(self.model, LabelModel):
            (logits,) = self._run(WHOLE, [pad_right(texts, self.symbols.pad_id)])
            is_by_token = self.model.config.task not in TEXT_TASKS
            return [logits[row, : len(text)] if is_by_token else logits[row] for row, text in enumerate(texts)]
        if sources is None:
            return [self._steps(None, text)[: len(text)] for text in texts]
        start = self.symbols.start_ids
        found = [self._steps(source, [*start, *text]) for source, text in zip(sources, texts, strict=True)]
        return [logits[len(start) - 1 :] for logits in found]

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """The likeliest tokens, step by step."""
        written: list[int] = []
        for _ in range(num_tokens):
            best = likeliest(self._steps(source, [*beginning, *written])[-1], self.symbols)
            if best == self.symbols.eos_id:
                break
            written.append(best)
        return written

    def _steps(self, source: Sequence[int] | None, text: Sequence[int]) -> Tensor:
        """The logits after each token of one text."""
        assert not isinstance(self.model, LabelModel)
        config, num_layers = self.model.config, _num_layers(self.model)
        past = _empty_past(config, num_layers, 0, rows=1)
        given: list[Tensor] = []
        if source is not None:
            ids = torch.tensor([list(source)])
            given = [ids, *self._run(ENCODER, [ids])]
        rows = []
        for id in text:
            logits, *past = self._run(STEP, [torch.tensor([[id]]), *given, *past])
            rows.append(logits[0])
        return torch.stack(rows)

    def _run(self, graph: str, inputs: Sequence[Tensor]) -> list[Tensor]:
        session = self.sessions[graph]
        # A graph without learned positions, for example, may not read every input that it could.
        named = {node.name: tensor.numpy() for node, tensor in zip(session.get_inputs(), inputs, strict=True)}
        return [torch.from_numpy(array) for array in session.run(None, named)]
