"""The effect of inputs on outputs through the whole model, for every family of Transformers."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import torch

from regard.analysis.numbers import ENDINGS
from regard.arguments import checked
from regard.errors import SettingsError, check_known
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
from regard.models.interface import Model, one_row
from regard.pipelines.pipeline import Pipeline
from regard.text.lines import write_whole

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
        check_ending(path, ENDINGS)
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


def trace_flow(loaded: Pipeline, seen: Inspection, method: str = "integrated-gradients") -> Flow:
    """The contribution of each input to each output. Of a translator: the fractions of the source tokens only.

    Args:
        seen: an inspection by this model, of weights.
        method: `rollout` or `flow` of attention; `gradient` (times input) or `integrated-gradients`.
    Raises:
        SettingsError: as for `check_flow`, or a text too long for a flow.
        MissingExtraError: gradients without captum.
    """
    check_flow(loaded.model, method)
    if method in GRADIENTS:
        return _by_gradient(loaded, seen, method)
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


def check_flow(model: Model, method: str) -> None:
    """Make sure, before anything is computed, that a method is known, and fits a model.

    Raises:
        SettingsError: an unknown method, or a recurrent model or decoder for rollout or flow.
    """
    check_known("method", method, METHODS, "a known one")
    if model.reads_source:
        attention_names(model, "cross")
    if method in GRADIENTS:
        return
    if not model.layer_stacks():
        raise SettingsError(f"`{method}` needs attention layers; got a recurrent model. Use {' or '.join(GRADIENTS)}.")
    if model.reads_source and "decoder" not in model.attention_names:
        raise SettingsError(
            f"`{method}` needs self-attention in the decoder; got an SSRU. Use {' or '.join(GRADIENTS)}."
        )


def _by_gradient(loaded: Pipeline, seen: Inspection, method: str) -> Flow:
    model, ids = loaded.model, seen.read_ids[0]
    given, target = one_row(model, ids), one_row(model, seen.read_ids[1]) if model.reads_source else None
    kind = "cross" if model.reads_source else next(iter(seen.record.key_tokens))
    rows, keys = seen.rows(kind), seen.keys(kind)
    forbidden: Any = numpy.ma.nomask
    if model.reads_source:
        predicted = [*seen.target_ids, loaded.tokenizer.eos_id][: len(rows)]
    elif model.predicts_next:
        if len(ids) < 2:
            raise SettingsError(f"`{method}` needs a token to predict; got a text of one token.")
        predicted, rows, forbidden = ids[1:], keys.part(slice(1, None)), ~numpy.tri(len(ids) - 1, len(ids), dtype=bool)
    else:
        predicted, rows = _said(model, given, seen)
    found = input_attribution(model, given, target, predicted, method=method)
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
