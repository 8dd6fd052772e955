"""Batches: the tensors that a model reads in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor


def pad_right(sequences: Sequence[np.ndarray | Sequence[int]], pad_id: int) -> Int[Tensor, "batch position"]:
    """Stack sequences as rows of one tensor, padded on the right."""
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    rows = np.full((len(sequences), lengths.max()), pad_id, dtype=np.int64)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = np.concatenate(sequences)
    return torch.from_numpy(rows)


BatchCursor = tuple[int, int]
"""The position of a batch in a run: its epoch, and its number in the epoch, both from 0."""
Shard = tuple[int, int]
"""The rows of each batch that a process reads: (r, n) are those of process r of n."""
ALL: Shard = (0, 1)
IGNORED = -100
"""The label of a token that has none, as in `torch.nn.functional.cross_entropy`. No label below 0 is predicted."""


STAYS = {"stays": True}
"""The mark of fields of batches that stay on the CPU."""
AnyDataclass = TypeVar("AnyDataclass", bound=Any)


def with_tensors(batch: AnyDataclass, change: Callable[[Tensor], Tensor]) -> AnyDataclass:
    """A batch with its tensors changed, such as moved to a device, but for those that stay on the CPU."""
    found = {each.name: getattr(batch, each.name) for each in fields(batch) if not each.metadata.get("stays")}
    return replace(batch, **{name: change(x) for name, x in found.items() if isinstance(x, Tensor)})


def rows_of_shard(rows: np.ndarray, shard: Shard) -> tuple[np.ndarray, bool]:
    """The rows of a batch that one process reads, and whether they count.

    If there are fewer rows than processes, a process without rows reads the first one without counting it, so that all
    take part in every step.
    """
    own = rows[shard[0] :: shard[1]]
    return (own, True) if len(own) else (rows[:1], False)


@dataclass(frozen=True)
class Batch:
    """Pairs of one step. `target_ids` begin with the begin symbol; `labels` are the same tokens one place earlier.

    source_ids: a b c eos pad;  target_ids: bos x y z;  labels: x y z eos
    """

    source_ids: Int[Tensor, "batch source"]
    target_ids: Int[Tensor, "batch target"]
    labels: Int[Tensor, "batch target"]
    num_tokens: int
    """Labels that are not padding: what losses count."""
    indices: list[int]
    """The numbers of these pairs in the corpus, from 0."""
    next_cursor: BatchCursor = (0, 0)
    """The position of the batch after this one."""
    links: Int[Tensor, "link 3"] | None = None
    """Tokens that are aligned, where that is known: row, place of the target token in `labels`, place of the source token."""
    label_positions: Int[Tensor, " label"] | None = None
    """The positions in `labels.flatten()` that count; None: a model looks for them, and waits for its device."""
    pads_right: bool = False
    """Whether all padding of targets is known to stand on the right: then the causal mask alone hides it from all tokens."""
    source_lengths: Int[Tensor, " batch"] | None = field(default=None, metadata=STAYS)
    """The tokens of each source, always on the CPU, if padding is known to stand on the right; for recurrent models."""

    @property
    def num_counted(self) -> int:
        """Target tokens, which the reported speed counts."""
        return self.num_tokens

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        return with_tensors(self, lambda x: x.to(device, non_blocking=True))


@dataclass(frozen=True)
class LabelledBatch:
    """Sequences of one step with their labels: one for each token, or one for each sequence."""

    ids: Int[Tensor, "batch position"]
    labels: Int[Tensor, "..."]
    """`IGNORED` where there is nothing to predict."""
    num_tokens: int
    """Labels that are not ignored: what losses count."""
    indices: list[int]
    """The numbers of these examples in the corpus, from 0."""
    next_cursor: BatchCursor = (0, 0)
    """The position of the batch after this one."""
    num_counted: int = 0
    """Input tokens without padding, which the reported speed counts. A classified text has many tokens and one label."""
    label_positions: Int[Tensor, " label"] | None = None
    """The positions in `labels.flatten()` that count; None: `to` finds them."""
    pads_right: bool = False
    """Whether all padding is known to stand on the right: then the causal mask alone hides it from all tokens."""

    def to(self, device: torch.device) -> LabelledBatch:
        """The batch on a device."""
        found = (
            replace(self, label_positions=label_positions(self.labels >= 0)) if self.label_positions is None else self
        )
        return with_tensors(found, lambda x: x.to(device, non_blocking=True))


def with_cursor(batch: LabelledBatch, cursor: BatchCursor, counts: bool) -> LabelledBatch:
    """A batch with the position of the next one; if its rows do not count, without labels."""
    if counts:
        return replace(batch, next_cursor=cursor)
    nothing = torch.full_like(batch.labels, IGNORED)
    return replace(batch, next_cursor=cursor, labels=nothing, num_tokens=0, num_counted=0)


def label_positions(is_label: Tensor) -> Int[Tensor, " label"]:
    """The positions of the labels that count among all labels, counted through the rows."""
    return is_label.flatten().nonzero()[:, 0]
