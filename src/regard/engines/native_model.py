"""A model that runs in C, as decoding and beam search see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.compiled.library import Library
from regard.engines.native_search import NativeSearch
from regard.engines.packed import packed
from regard.generation.step_limit import StepLimit
from regard.models.interface import TokenModel
from regard.nn.hooks import hooks_wanted


class NativeModel(ABC):
    """A model for decoding that runs in C. Where hooks are set, which C cannot call, PyTorch decodes.

    Args:
        dtype: of the stored weights of linear maps, as for `NativeLinear`.
    """

    def __init__(self, model: TokenModel, library: Library, dtype: torch.dtype) -> None:
        self.library, self.dtype = library, dtype
        self.vocab_size = model.output_embedding.weight.shape[0]
        self._plain = model
        self._with_hooks: Any = None

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> Any:
        """The state before the first step."""
        return self._hooked().prefill(source_ids) if hooks_wanted() else self._prefill(source_ids)

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: Any
    ) -> tuple[Float[Tensor, "sentence beam vocab"], Any]:
        """Logits of the token that follows, and the state after `ids`."""
        return self._hooked().decode_step(ids, state) if hooks_wanted() else self._decode_step(ids, state)

    def can_search(self) -> bool:
        """Whether `search_steps` may be called."""
        return not hooks_wanted()

    @abstractmethod
    def search_steps(self, state: Any, search: NativeSearch, limit: StepLimit) -> int:
        """Take steps of the model and of a search over its tokens, in one call, until a sentence is done or Python has something
        else to do. Their number. The state is changed in place.
        """

    @abstractmethod
    def _prefill(self, source_ids: Int[Tensor, "sentence source"]) -> Any:
        """As `prefill`, without hooks."""

    @abstractmethod
    def _decode_step(self, ids: Int[Tensor, "sentence beam"], state: Any) -> tuple[Tensor, Any]:
        """As `decode_step`, without hooks."""

    def _hooked(self) -> Any:
        """The model in PyTorch."""
        if self._with_hooks is None:
            self._with_hooks = packed(self._plain)
        return self._with_hooks
