"""Distillation: a model learns from another one, the teacher, as well as from the labels."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from regard.models.interface import Model
from regard.nn.losses import SoftTargets

CACHE_BYTES = 1 << 30
"""The memory for the teacher's states of examples that it has read."""


@dataclass
class Teacher:
    """A model that another one learns from, and the settings of that.

    Where the examples of a run stay the same, the teacher reads each of them once: its last states are kept, and only their
    logits are computed again. States are `model_dim` numbers a token, logits as many as the vocabulary has tokens.
    """

    model: Model
    """The teacher, in evaluation mode, with the classes of the student."""
    share: float
    """The share of the loss, from 0 to 1."""
    temperature: float
    is_cached: bool = False
    """Whether an example that a batch calls by one index is always the same."""
    _states: dict[int, Tensor] = field(default_factory=dict, repr=False)
    _num_bytes: int = 0
    _is_full: bool = False

    def like(self, student: Model) -> Teacher:
        """A copy of the teacher on the device and in the dtype that the student computes in; nothing of it learns."""
        like = next(student.parameters())
        model = copy.deepcopy(self.model).to(like.device, like.dtype).requires_grad_(False).eval()
        return Teacher(model, self.share, self.temperature, self.is_cached)

    def targets(self, batch: Any) -> SoftTargets:
        """The teacher's probabilities in place of each label of a batch, in the order of `Model.labelled_states`."""
        return SoftTargets(self._states_of(batch), self.model.logits, self.share, self.temperature)

    def remember(self, batches: Iterable[Any]) -> None:
        """Read batches again, as a run did before it was stopped, to keep the same states to the bit.

        The states of an example depend in their last digits on the batch that it was read in.
        """
        self._states.clear()
        self._num_bytes, self._is_full = 0, False
        for batch in batches:
            self._states_of(batch)
            if self._is_full:
                return

    @torch.no_grad()
    def _states_of(self, batch: Any) -> Tensor:
        kept = [self._states.get(index) for index in batch.indices] if self.is_cached else []
        if kept and all(rows is not None for rows in kept):
            return torch.cat([rows for rows in kept if rows is not None])
        states, _ = self.model.labelled_states(batch)
        if self.is_cached and states.ndim == 2 and batch.num_tokens:
            self._keep(batch, states)
        return states

    def _keep(self, batch: Any, states: Tensor) -> None:
        """Keep the states of each example of a batch, until there is no room for one."""
        is_label = batch.labels != self.model.config.pad_id if self.model.reads_source else batch.labels >= 0
        counts = is_label.reshape(len(is_label), -1).sum(dim=1)  # a text has one label, or one for each of its words
        for index, rows in zip(batch.indices, states.split(counts.tolist()), strict=True):
            size = rows.numel() * rows.element_size()
            self._is_full = self._is_full or (index not in self._states and self._num_bytes + size > CACHE_BYTES)
            if index not in self._states and not self._is_full:
                self._states[index] = rows.clone()
                self._num_bytes += size
