"""A recurrence in the place of a decoder's self-attention: one state for each text, however long it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import pad

from regard.errors import ShapeError, check_sizes
from regard.nn.cache import LayerCache, NoCache, StateCache
from regard.nn.initialization import linear
from regard.nn.upcast import upcast
from regard.nn.widths import check_input


class SSRU(nn.Module):
    """The simpler simple recurrent unit: a running mean of what came before, whose weights each position chooses.

    keep[t] = sigmoid(x[t] W_keep + b_keep)
    state[t] = keep[t] * state[t - 1] + (1 - keep[t]) * (x[t] W_new);  state[-1] = 0
    output[t] = relu(state[t])

    States are computed in float32.

    Args:
        bias: whether there is b_keep.
    Source: Kim et al. 2019, section 3.1; `SSRU` of Marian's `rnn/cells.h`.
    """

    def __init__(self, model_dim: int, *, bias: bool = True) -> None:
        super().__init__()
        check_sizes(model_dim=model_dim)
        self.new_proj = linear(model_dim, model_dim, bias=False)
        self.keep_proj = linear(model_dim, model_dim, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "batch position model_dim"],
        past: LayerCache | None = None,
        *,
        is_token: Bool[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "batch position model_dim"]:
        """The output for each position, from itself and those before it.

        Args:
            past: the state before the first position, where the last is kept; with `step` 0, positions are hypotheses, each
                with its own state. None: there is no past.
            is_token: False for padding, which leaves the state as it is. None: all are tokens.
        Raises:
            ShapeError: positions of another width, or a past that has no state.
        """
        check_input("input", x, self.new_proj)
        past = NoCache(causal=True) if past is None else past
        if not isinstance(past, StateCache):
            raise ShapeError(f"the past of an SSRU must be a state; got {type(past).__name__}, which has none.")
        keep = torch.sigmoid(upcast(self.keep_proj(x)))
        new = (1 - keep) * upcast(self.new_proj(x))
        if is_token is not None:
            keep, new = keep.masked_fill(~is_token[..., None], 1), new.masked_fill(~is_token[..., None], 0)
        before = past.state
        if past.step == 0:
            states = new if before is None else keep * before + new
            past.keep_state(states)
        else:
            if before is not None:
                new = torch.cat((new[:, :1] + keep[:, :1] * before, new[:, 1:]), dim=1)
            states = running_states(keep, new)
            past.keep_state(states[:, -1:])
        return torch.relu(states).to(x.dtype)

    if TYPE_CHECKING:
        __call__ = forward


def running_states(
    keep: Float[Tensor, "batch position dim"], new: Float[Tensor, "batch position dim"]
) -> Float[Tensor, "batch position dim"]:
    """All states of a linear recurrence: state[t] = keep[t] * state[t - 1] + new[t].

    In each round, `new[t]` is the sum over twice as many positions up to t, and `keep[t]` their product: as many rounds as
    the length has binary digits, each of all positions at once. Source: Hillis and Steele 1986, "sum of an array".
    """
    distance = 1
    while distance < new.shape[1]:
        earlier_new, earlier_keep = (pad(part[:, :-distance], (0, 0, distance, 0)) for part in (new, keep))
        new, keep = new + keep * earlier_new, keep * earlier_keep
        distance *= 2
    return new
