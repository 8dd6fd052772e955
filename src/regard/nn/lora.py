"""Low-rank adapters: a linear map that stays as it is, and a small one beside it that learns."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import ShapeError
from regard.nn.dropout import Dropout


class AdaptedLinear(nn.Linear):
    """A linear map with a low-rank update.

    output = x weight^T + bias + scale (dropout(x) down^T) up^T

    `weight` and `bias` are those of the map that is adapted, and are frozen; `down` and `up` learn. `up` begins at 0, so that
    nothing changes at first.

    Args:
        linear: the map to adapt. Its parameters are shared, not copied.
        rank: rows of `down` and columns of `up`.
        scale: what the update is multiplied by.
        dropout: of the inputs of `down`, from 0 up to, not including, 1.
    Raises:
        ShapeError: a rank below 1, or above both widths of the map.
    Source: Hu et al. 2021 (LoRA), section 4.1; initialized as in their code.
    """

    def __init__(self, linear: nn.Linear, rank: int, scale: float = 1.0, dropout: float = 0.0) -> None:
        nn.Module.__init__(self)  # makes no weight of its own
        self.in_features, self.out_features = linear.in_features, linear.out_features
        if not 1 <= rank <= max(self.in_features, self.out_features):
            raise ShapeError(
                f"rank must be from 1 to {max(self.in_features, self.out_features)}, the larger width of the map; got {rank}."
            )
        self.weight = linear.weight.requires_grad_(False)
        self.bias = None if linear.bias is None else linear.bias.requires_grad_(False)  # type: ignore[assignment]  # torch's says never None
        self.scale = scale
        self.down = nn.Parameter(self.weight.new_empty(rank, self.in_features))
        self.up = nn.Parameter(self.weight.new_zeros(self.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.dropout = Dropout(dropout)

    @property
    def rank(self) -> int:
        """The rank of the update."""
        return self.down.shape[0]

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """The output of the map, updated."""
        return super().forward(x) + F.linear(F.linear(self.dropout(x), self.down), self.up) * self.scale

    if TYPE_CHECKING:
        __call__ = forward

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """A plain map of the same function: its weight is weight + scale up down."""
        plain = nn.Linear(self.in_features, self.out_features, bias=self.bias is not None, device="meta")
        weight = self.weight.float() + self.scale * (self.up.float() @ self.down.float())
        plain.weight = nn.Parameter(weight.to(self.weight.dtype))
        plain.bias = self.bias
        return plain.requires_grad_(False)


class AdapterChoice(threading.local):
    """Which adapter each example of a batch has. Each thread has a choice of its own."""

    numbers: Int[Tensor, " example"] | None = None
    """The number of each example's adapter; 0 for none. None: no example has one."""

    @contextmanager
    def of(self, numbers: Int[Tensor, " example"] | None) -> Iterator[None]:
        """Choose in this thread until the block ends."""
        before, self.numbers = self.numbers, numbers
        try:
            yield
        finally:
            self.numbers = before

    def __deepcopy__(self, memo: dict[int, Any]) -> AdapterChoice:
        """Itself: the copy of a model is told the same."""
        return self

    def __reduce__(self) -> tuple[type[AdapterChoice], tuple[()]]:
        """A new one: what a thread has chosen is not for another process."""
        return type(self), ()


class ChosenAdapter(nn.Module):
    """A linear map with several low-rank updates, of which each example of a batch has one or none.

    output[n] = plain(x[n]) + (mask[n] * (x[n] down^T)) up^T,  mask[n, r] = 1 where row r of `down` is of the adapter of n

    The updates stand one after the other in `down` and `up`, so that a batch is two products however many adapters it has. `up`
    includes the scales.

    Args:
        plain: the map that is adapted.
        updates: by the number of their adapter, from 1.
        choice: says which one each example has. Examples are the first dimension of x.
    """

    def __init__(self, plain: nn.Module, updates: Mapping[int, AdaptedLinear], choice: AdapterChoice) -> None:
        super().__init__()
        self.plain, self.choice = plain, choice
        self.in_features, self.out_features = plain.in_features, plain.out_features
        maps = updates.values()
        with torch.no_grad():
            self.down = nn.Parameter(torch.cat([each.down for each in maps]), requires_grad=False)
            up = torch.cat([each.up * each.scale for each in maps], dim=1)
            self.up = nn.Parameter(up, requires_grad=False)
        self.owners: Int[Tensor, " rank"]
        """The adapter that each row of `down` belongs to."""
        owners = [number for number, each in updates.items() for _ in range(each.rank)]
        self.register_buffer("owners", torch.tensor(owners, device=self.down.device), persistent=False)

    @classmethod
    def side_by_side(cls, plain: nn.Module, parts: Sequence[Any]) -> nn.Module:
        """Several maps of one input as one, some of which are adapted: their outputs, one after the other.

        Args:
            plain: the maps without their updates, side by side.
        """
        adapted = [part for part in parts if isinstance(part, cls)]
        if not adapted:
            return plain
        merged = cls.__new__(cls)
        nn.Module.__init__(merged)
        merged.plain, merged.choice = plain, adapted[0].choice
        merged.in_features, merged.out_features = plain.in_features, plain.out_features
        ups = [part.up if isinstance(part, cls) else part.weight.new_zeros(len(part.weight), 0) for part in parts]
        merged.down = nn.Parameter(torch.cat([part.down for part in adapted]), requires_grad=False)
        merged.up = nn.Parameter(torch.block_diag(*ups), requires_grad=False)
        merged.register_buffer("owners", torch.cat([part.owners for part in adapted]), persistent=False)
        return merged

    def forward(self, x: Float[Tensor, "example *position in"]) -> Float[Tensor, "example *position out"]:
        """The output of the map, updated for each example as it was chosen."""
        output = self.plain(x)
        if (numbers := self.choice.numbers) is None:
            return output
        mask = (numbers[:, None] == self.owners).to(x.dtype)
        small = F.linear(x, self.down) * mask.view(len(numbers), *(1,) * (x.ndim - 2), -1)
        return output + F.linear(small, self.up)

    if TYPE_CHECKING:
        __call__ = forward


def without_updates(linear: nn.Module) -> Any:
    """A linear map without its adapters."""
    return linear.plain if isinstance(linear, ChosenAdapter) else linear
