"""An inspection of a model on one text: shown as a page or picture, as arrays, or stored as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import torch

from regard.arguments import checked
from regard.errors import SettingsError, check_known
from regard.inspection.drawing.figures import heat_map
from regard.inspection.drawing.heads_page import page_html
from regard.inspection.flow import CAVEATS
from regard.inspection.head_statistics import HeadStatistics, head_statistics
from regard.inspection.record import HeadName, Matrix, Record, Tokens
from regard.text.lines import write_whole
from regard.text.wording import shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DECIMALS = 4
MOST_OTHERS = 4
"""The number of classes besides the likeliest that a line names."""
ENDINGS = (".html", ".svg", ".png", ".json", ".csv")
ATTENTION_IS_NOT = "Attention shows where the model looked, not what it would have written had it not looked there."


@dataclass(frozen=True)
class Ablation:
    """The effect of taking some heads away."""

    heads: list[str]
    log_prob_change: float
    """The change of the log-probability of the target that was inspected, in nats per token; below 0: less likely
    without the heads.
    """
    token_changes: list[float]
    """The change of each token of the target, the end symbol among them."""
    text: str
    """The output of the model without them; empty for a language model."""


@dataclass(frozen=True, repr=False)
class Inspection:
    """A text, the model's output for it, and the attention weights of every head.

        seen = translator.inspect("Two dogs play.")
        seen["cross.2.3"]           # a masked array, target tokens x source tokens
        seen.figure("cross.2.3")    # matplotlib
        seen.save("page.html")      # or .svg, .png, .json, .csv

    In a notebook it shows itself.
    """

    text: str
    """The source, or the text of a model that reads only one."""
    target: str | None
    """The text that was written, or given to be written; None where the model reads one text only."""
    record: Record
    arch: str
    token_log_probs: list[float] = field(default_factory=list)
    """The log-probability of each token of the target, the end symbol among them."""
    lens: list[list[tuple[str, float]]] = field(default_factory=list)
    """The prediction of each layer from the embeddings up, at each row, with its probability; if requested."""
    ablations: list[Ablation] = field(default_factory=list)
    shows: str = "weights"
    """The kind of numbers in the matrices: `weights`, or `norms`, how much of each token a head really moves; rows sum
    to 1.
    """
    predicted_are: str = ""
    """The kind of the entries of `predicted`: `class`, `tags` or `masks`; empty for models that write."""
    predicted: list[tuple[str, float]] = field(default_factory=list)
    """The predictions of the model, with probabilities from 0 to 1: the classes, the likeliest first; a tag for each
    word; a token for each mask.
    """
    read_ids: list[list[int]] = field(default_factory=list)
    """The ids that the model read: of the text, and of the target where there is one."""
    alignment: str = ""
    """The place that alignments are read from: the head that the model's configuration names, `cross.2.3`; of a model
    that names none, the layer whose weights are sharpest on this pair, `cross.2`; nothing without cross-attention.
    """
    target_ids: list[int] = field(default_factory=list)
    """The ids that were written, or given to be written, without symbols; none where the model reads one text only."""

    def __repr__(self) -> str:
        said = f", {shortened(self.headline)}" if self.headline else ""
        return f"Inspection({shortened(self.text)}{said}, {len(self.record)} heads of {self.arch}, {self.shows})"

    @property
    def headline(self) -> str:
        """A line that says what was written, or what the model predicts of the text."""
        if self.target is not None:
            return self.target
        if self.predicted_are != "class":
            said = "  ".join(f"{label} {prob:.2f}" for label, prob in self.predicted)
            return f"{self.predicted_are}: {said}" if said else ""
        (best, prob), *others = self.predicted
        more = ", ".join(f"{label} {prob:.2f}" for label, prob in others[:MOST_OTHERS])
        left = f" and {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else ""
        return f"class: {best}, probability {prob:.2f} ({more}{left})"

    @property
    def note(self) -> str:
        """A line that says what is not shown."""
        return CAVEATS["norms"] if self.shows == "norms" else ATTENTION_IS_NOT

    @checked
    def __getitem__(self, head: str | tuple[str, int, int]) -> Matrix:
        return self.record[HeadName.parse(head) if isinstance(head, str) else HeadName(*head)]

    def weights(self, kind: str, layer: int, head: int) -> Matrix:
        """The weights of one head: rows that sum to 1, cells that a mask forbids being masked."""
        return self.record[kind, layer, head]

    @property
    def head_names(self) -> list[str]:
        """Every head: `encoder.0.0` and so on."""
        return [str(name) for name in self.record]

    @checked
    def rows(self, kind: str) -> Tokens:
        """The tokens of the rows of a kind of attention: where a target is written, the tokens that are predicted
        there; elsewhere those that are read.
        """
        return self.record.row_tokens[self._kind(kind)]

    @checked
    def keys(self, kind: str) -> Tokens:
        """The tokens of the columns: those that are attended to."""
        return self.record.key_tokens[self._kind(kind)]

    def _kind(self, kind: str) -> str:
        check_known("kind", kind, self.record.key_tokens, "one of the model's")
        return kind

    @cached_property
    def heads(self) -> list[HeadStatistics]:
        """Statistics of every head on this text, with a label where one fits."""
        return head_statistics([self.record])

    @property
    def hidden_states(self) -> dict[str, numpy.ndarray]:
        """The states of `encoder` and `decoder`: `layer position model_dim`, the embeddings first; where they were
        asked for.
        """
        return self.record.hidden_states

    @checked
    def words(self, head: str) -> tuple[numpy.ndarray, list[str], list[str]]:
        """A head's weights between words: summed over the tokens of a word that is looked at, the mean over those of one that
        looks; with the words of the rows and of the columns. Symbols stand for themselves.
        """
        name = HeadName.parse(head)
        matrix, rows, keys = self.record[name].filled(0), self.rows(name.kind), self.keys(name.kind)
        row_groups, key_groups = word_groups(rows), word_groups(keys)
        by_key = numpy.stack([matrix[:, group].sum(axis=1) for group in key_groups], axis=1)
        by_word = numpy.stack([by_key[group].mean(axis=0) for group in row_groups])
        return by_word, [_spelled(rows, group) for group in row_groups], [_spelled(keys, group) for group in key_groups]

    def default_head(self) -> str:
        """The head to begin with: the sharpest of the last layer that looks at the source, or of the last layer."""
        last = max(self.record.weights, key=lambda site: (site.kind == "cross", site.kind == "decoder", site.layer))
        of_layer = [found for found in self.heads if found.name.site == last]
        return str(max(of_layer, key=lambda found: found.confidence).name)

    @checked
    def figure(self, heads: str | Sequence[str] | None = None, *, links: bool = False) -> Figure:
        """Draw with matplotlib: of one head, its matrix; of several, or of all where none is named, a grid of small
        ones, with their tokens where it is one head of each attention.

        Args:
            links: one head as curves between two lines of tokens, in place of a matrix.
        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        from regard.inspection.drawing.pictures import grid_figure, layers_figure, links_figure, matrix_figure

        if links and not heads:
            heads = self.default_head()
        chosen = [heads] if isinstance(heads, str) else heads
        names = [HeadName.parse(head) for head in chosen] if chosen else list(self.record)
        if len(names) == 1:
            (name,) = names
            return (links_figure if links else matrix_figure)(
                self.record[name], self.rows(name.kind), self.keys(name.kind), title=str(name), note=self.note
            )
        matrices = {str(name): self.record[name] for name in names}
        if len({name.site for name in names}) < len(names):
            return grid_figure(matrices, note=self.note)
        tokens = {kind: (self.rows(kind), self.keys(kind)) for kind in self.record.key_tokens}
        return layers_figure(matrices, tokens, note=self.note)

    @checked
    def html(self, *, head: str | None = None) -> str:
        """A page with everything that opens from disk and asks the network for nothing.

        Args:
            head: which is shown first.
        """
        first = head or self.default_head()
        self[first]
        says = "" if self.target is not None else self.headline
        can_lens = self.arch != "rnn" and (bool(self.token_log_probs) or self.predicted_are in ("tags", "masks"))
        return page_html(self.record, self.summary(), first=first, note=self.note, says=says, can_lens=can_lens)

    def _repr_html_(self) -> str:
        page = self.html().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:46rem;border:0" title="attention"></iframe>'

    @checked
    def terminal(self, head: str | None = None, *, width: int = 80, colour: bool = True) -> str:
        """Draw a heat map for a terminal, `width` characters wide."""
        name = HeadName.parse(head or self.default_head())
        return heat_map(self.record[name], self.rows(name.kind), self.keys(name.kind), width=width, colour=colour)

    @checked
    def as_dict(self, heads: Iterable[str] | None = None) -> dict[str, Any]:
        """All content as JSON has it; forbidden cells are null.

        Args:
            heads: whose matrices are among it; None: all.
        """
        names = [HeadName.parse(head) for head in heads] if heads else list(self.record)
        return self.summary(names) | {"attentions": {str(name): _listed(self.record[name]) for name in names}}

    def summary(self, names: Collection[HeadName] | None = None) -> dict[str, Any]:
        """All content but the weights, as JSON has it.

        Args:
            names: heads whose statistics are among it; None: all.
        """
        return {
            "text": self.text,
            "target": self.target,
            "arch": self.arch,
            "shows": self.shows,
            "tokens": {
                kind: {"rows": vars(self.record.row_tokens[kind]), "keys": vars(self.record.key_tokens[kind])}
                for kind in self.record.key_tokens
            },
            "predicted": [{"label": label, "prob": round(prob, DECIMALS)} for label, prob in self.predicted],
            "token_log_probs": [round(value, DECIMALS) for value in self.token_log_probs],
            "heads": [
                {
                    "head": str(found.name), "label": found.label, "entropy": found.entropy,
                    "confidence": found.confidence, "offset": found.offset, "masses": found.masses, "scores": found.scores,
                }
                for found in self.heads if names is None or found.name in names
            ],
            "lens": self.lens,
            "ablations": [vars(one) for one in self.ablations],
            "alignment": self.alignment,
        }  # fmt: skip

    @checked
    def as_csv(self, heads: Iterable[str] | None = None) -> str:
        """A table in CSV, a line for each weight that a mask does not forbid: head, row, key, their tokens, weight."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(["head", "row", "key", "row_token", "key_token", "weight"])
        for name in [HeadName.parse(head) for head in heads] if heads else list(self.record):
            matrix, rows, keys = self.record[name], self.rows(name.kind).spelled, self.keys(name.kind).spelled
            for row, key in zip(*numpy.nonzero(~numpy.ma.getmaskarray(matrix)), strict=True):
                writer.writerow([name, row, key, rows[row], keys[key], f"{matrix[row, key]:.6g}"])
        return written.getvalue()

    @checked
    def save(self, path: Path | str, heads: Sequence[str] | None = None, *, links: bool = False) -> None:
        """Write to a file; its ending names the format: `.html`, `.svg`, `.png`, `.json` or `.csv`.

        Args:
            heads: which are shown, or written; None: all. The page has all, and shows the first of these first.
            links: a picture of one head as curves, in place of a matrix.
        Raises:
            SettingsError: another ending.
            MissingExtraError: a picture is asked for, and matplotlib is not installed.
        """
        path = Path(path)
        check_ending(path)
        if path.suffix == ".html":
            write_whole(path, self.html(head=heads[0] if heads else None).encode())
        elif path.suffix == ".json":
            write_whole(path, (json.dumps(self.as_dict(heads), ensure_ascii=False, indent=1) + "\n").encode())
        elif path.suffix == ".csv":
            write_whole(path, self.as_csv(heads).encode())
        else:
            from regard.inspection.drawing.pictures import picture_bytes

            write_whole(path, picture_bytes(self.figure(heads, links=links), path.suffix))


def check_ending(path: Path, endings: Sequence[str] = ENDINGS, name: str = "the output") -> None:
    """Make sure that a file's ending is one that pictures, pages and numbers are written with.

    Args:
        endings: those that fit.
        name: what messages call the file.
    Raises:
        SettingsError: it is not.
    """
    if path.suffix not in endings:
        raise SettingsError(f"{name} must end in {', '.join(endings)}; got {path.name!r}.")


def _listed(matrix: Matrix) -> list[list[float | None]]:
    rows: list[list[float | None]] = numpy.ma.round(matrix, DECIMALS).tolist()
    return [[None if value is None else round(value, DECIMALS) for value in row] for row in rows]


def word_groups(tokens: Tokens) -> list[list[int]]:
    """The positions of each word's tokens; symbols, and tokens of no word, alone."""
    groups: list[list[int]] = []
    before: int | None = None
    for position, word in enumerate(tokens.words):
        if word is not None and word == before:
            groups[-1].append(position)
        else:
            groups.append([position])
        before = word
    return groups


def _spelled(tokens: Tokens, group: Sequence[int]) -> str:
    return "".join(tokens.spelled[position] for position in group).replace("▁", " ").strip() or " "


def lens_predictions(log_probs: torch.Tensor, spell: Any) -> list[list[tuple[str, float]]]:
    """The likeliest token and its probability, for each layer and row."""
    best = log_probs.exp().max(dim=-1)
    return [
        [(token, round(value, DECIMALS)) for token, value in zip(spell(ids), values, strict=True)]
        for ids, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
