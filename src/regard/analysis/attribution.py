"""The effect of inputs on outputs through the whole model, for every family of Transformers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy
import torch

from regard.arguments import checked
from regard.errors import SettingsError, nearest_hint
from regard.generation.options import DecodingOptions
from regard.inspection.alignment import attention_names
from regard.inspection.drawing.figures import heat_map
from regard.inspection.flow import (
    CAVEATS,
    GRADIENTS,
    LARGEST_GAP,
    attention_flow,
    input_attribution,
    joint_layers,
    rollout,
    with_residuals,
)
from regard.inspection.inspection import Inspection, check_ending
from regard.inspection.record import Record, Tokens
from regard.models.interface import Model
from regard.pipelines.pipeline import Pipeline
from regard.text.lines import write_whole

if TYPE_CHECKING:
    from regard.pipelines.language_model import LanguageModel
    from regard.pipelines.predictor import Predictor
    from regard.pipelines.translator import Translator

METHODS = ("rollout", "flow", *GRADIENTS)
MOST_FLOW_CELLS = 2_000
"""Positions times positions above which a maximum flow takes minutes."""


@dataclass(frozen=True, repr=False)
class Flow:
    """The contribution of each input to each output, by one method."""

    method: str
    matrix: numpy.ma.MaskedArray
    """Row by row: shares that sum to 1; of gradients, nats, below 0 where an input makes the output less likely."""
    rows: Tokens
    keys: Tokens
    gap: float = 0.0
    """The relative error of the rows' sums, of integrated gradients."""

    def __repr__(self) -> str:
        return f"Flow({self.method}, {len(self.rows)} rows x {len(self.keys)} keys)"

    @property
    def caveat(self) -> str:
        """The part that is not shown, in a line or two."""
        if self.gap <= LARGEST_GAP:
            return CAVEATS[self.method]
        return f"{CAVEATS[self.method]} The sums miss the changes that they explain by {self.gap:.0%}."

    def shares(self) -> numpy.ma.MaskedArray:
        """The matrix without signs, each row made to sum to 1."""
        size = abs(self.matrix)
        return size / numpy.maximum(size.sum(axis=1).filled(0), 1e-12)[:, None]

    @checked
    def terminal(self, *, width: int = 80, colour: bool = True) -> str:
        """The shares, for a terminal."""
        return heat_map(self.shares(), self.rows, self.keys, width=width, colour=colour)

    @checked
    def save(self, path: Path | str) -> None:
        """Write the matrix as the file's ending says: `.svg` and `.png` (the shares), `.json`, `.csv`.

        Raises:
            SettingsError: another ending.
            MissingExtraError: a picture, and matplotlib is not installed.
        """
        path = Path(path)
        check_flow_ending(path)
        if path.suffix in (".svg", ".png"):
            from regard.inspection.drawing.pictures import matrix_figure, picture_bytes

            figure = matrix_figure(self.shares(), self.rows, self.keys, title=self.method, note=self.caveat)
            write_whole(path, picture_bytes(figure, path.suffix))
        elif path.suffix == ".json":
            content = {
                "method": self.method,
                "caveat": self.caveat,
                "gap": self.gap,
                "rows": self.rows.spelled,
                "keys": self.keys.spelled,
                "matrix": self.matrix.tolist(),
            }
            write_whole(path, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())
        else:
            written = io.StringIO()
            writer = csv.writer(written, lineterminator="\n")
            writer.writerow(["", *self.keys.spelled])
            for token, row in zip(self.rows.spelled, self.matrix.tolist(), strict=True):
                writer.writerow([token, *("" if value is None else f"{value:.6g}" for value in row)])
            write_whole(path, written.getvalue().encode())


def check_flow_ending(path: Path) -> None:
    """Make sure that a flow can be written to a file of this ending.

    Raises:
        SettingsError: it cannot.
    """
    check_ending(path)
    if path.suffix == ".html":
        raise SettingsError(f"with `--flow`, the output must end in .svg, .png, .json or .csv; got {path.name!r}.")


def check_method(method: str, name: str = "method") -> None:
    """Make sure that there is such a method.

    Args:
        name: what the user calls it.
    Raises:
        SettingsError: there is none.
    """
    if method not in METHODS:
        raise SettingsError(f"{name} must be a known one; got {method!r}. {nearest_hint(method, METHODS)}")


def trace_flow(
    loaded: Pipeline,
    text: str,
    target: str | None = None,
    *,
    method: str = "integrated-gradients",
    options: DecodingOptions | None = None,
    ids: Sequence[int] | None = None,
) -> Flow:
    """The contribution of each input to each output. Of a translator: the fractions of the source tokens only.

    Args:
        target: a given translation; None: the model's own.
        method: `rollout` or `flow` of attention; `gradient` (times input) or `integrated-gradients`.
        options: how a translator decodes.
        ids: of the tokens of the target, or of the text of a language model; None: those that it is cut into.
    Raises:
        SettingsError: an unknown method, a recurrent model or decoder for rollout or flow, or a text too long for a flow.
        MissingExtraError: gradients without captum.
    """
    check_method(method)
    if loaded.model.reads_source:
        loaded = cast("Translator", loaded).in_one_direction
        attention_names(loaded.model, "cross")
    if method in GRADIENTS:
        return _by_gradient(loaded, text, target if ids is None else ids, method, options)
    if not loaded.model.layer_stacks():
        raise SettingsError(f"`{method}` needs attention layers; got a recurrent model. Use {' or '.join(GRADIENTS)}.")
    is_pair = loaded.model.reads_source
    if is_pair and "decoder" not in loaded.model.attention_names:
        raise SettingsError(
            f"`{method}` needs self-attention in the decoder; got an SSRU. Use {' or '.join(GRADIENTS)}."
        )
    if is_pair:
        seen = cast("Translator", loaded).inspect(text, target if ids is None else ids, options=options)
    else:
        seen = loaded.inspect(text) if ids is None else cast("LanguageModel", loaded).inspect_ids(ids)
    record = seen.record
    has_sides = "cross" in record.key_tokens
    kind = "cross" if has_sides else next(iter(record.key_tokens))
    layers = _joint(record) if has_sides else with_residuals(_means(record, kind))
    rows, keys = record.row_tokens[kind], record.key_tokens[kind]
    # Where the rows begin, and where the inputs end.
    first, end = (len(keys), len(keys)) if has_sides else (0, len(keys))
    if method == "rollout":
        matrix = rollout(layers)[first:, :end]
    else:
        if layers.size / layers.shape[0] > MOST_FLOW_CELLS:
            raise SettingsError(
                f"`--flow {method}` needs fewer than {MOST_FLOW_CELLS**0.5:.0f} tokens in total; got {layers.shape[1]}."
            )
        matrix = numpy.stack([attention_flow(layers, first + row)[:end] for row in range(len(rows))])
    matrix = matrix / numpy.maximum(matrix.sum(axis=1, keepdims=True), 1e-12)
    forbidden = numpy.ma.getmaskarray(next(cells[0] for site, cells in record.weights.items() if site.kind == kind))
    return Flow(method, numpy.ma.MaskedArray(matrix, forbidden), rows, keys)


def _by_gradient(
    loaded: Pipeline,
    text: str,
    target: str | Sequence[int] | None,
    method: str,
    options: DecodingOptions | None,
) -> Flow:
    device = loaded.device
    if loaded.model.reads_source:
        translator = cast("Translator", loaded)
        target_ids = translator.written_ids(text, target, options=options)
        seen = translator.inspect_ids(text, target_ids)
        source_ids = translator.source_tokenizer.frame_source(translator.source_tokenizer.encode(text))
        read = [*translator.tokenizer.symbols.start_ids, *target_ids][: translator.model.config.max_positions]
        predicted = [*target_ids, translator.tokenizer.eos_id][: len(seen.rows("cross"))]
        found = input_attribution(
            loaded.model,
            torch.tensor([source_ids], device=device),
            torch.tensor([read], device=device),
            predicted,
            method=method,
        )
        matrix = numpy.ma.MaskedArray(found.matrix, numpy.zeros(found.matrix.shape, bool))
        return Flow(method, matrix, seen.rows("cross"), seen.keys("cross"), found.gap)
    if target is None or isinstance(target, str):
        seen, ids = loaded.inspect(text), cast("LanguageModel | Predictor", loaded).ids_of(text)
    else:
        seen, ids = cast("LanguageModel", loaded).inspect_ids(target), list(target)
    kind = next(iter(seen.record.key_tokens))
    keys = seen.keys(kind)
    row = torch.tensor([ids], device=device)
    if loaded.model.predicts_next:
        if len(ids) < 2:
            raise SettingsError(f"`{method}` needs a token to predict; got a text of one token.")
        predicted, rows = ids[1:], keys.part(slice(1, None))
        forbidden = ~numpy.tri(len(ids) - 1, len(ids), dtype=bool)
    else:
        predicted, rows = _said(loaded.model, row, seen)
        forbidden = numpy.zeros((len(predicted), len(ids)), bool)
    found = input_attribution(loaded.model, row, None, predicted, method=method)
    return Flow(method, numpy.ma.MaskedArray(found.matrix, forbidden), rows, keys, found.gap)


def _said(model: Model, row: torch.Tensor, seen: Inspection) -> tuple[list[int], Tokens]:
    """The output of an encoder: its class for the text, or its likeliest tag or token at each position."""
    if not (model.predicts_each_position or model.class_names):
        raise SettingsError(
            f"gradients need a model that predicts labels or tokens; got one for task {model.config.task}."
        )
    with torch.no_grad():
        best = model(row)[0].argmax(dim=-1)
    if not model.predicts_each_position:
        return [int(best)], Tokens([model.class_names[int(best)]], [None], [None])
    return best.tolist(), seen.rows("encoder")


def _joint(record: Record) -> numpy.ndarray:
    """The layers of an encoder-decoder, source and target side by side."""
    if record.own_position("decoder"):
        raise SettingsError(
            "`rollout` and `flow` need a model whose targets begin with one symbol; got one with several."
        )
    return joint_layers(_means(record, "encoder"), _means(record, "decoder"), _means(record, "cross"))


def _means(record: Record, kind: str) -> numpy.ndarray:
    """The weights of each layer, the mean over its heads."""
    return numpy.stack([matrix.filled(0).mean(axis=0) for site, matrix in record.weights.items() if site.kind == kind])
