"""Multi-head attention: several look-ups side by side, each in its own projection of the model's space."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import ShapeError
from regard.nn.attention import Attention
from regard.nn.cache import KeysValues
from regard.nn.initialization import linear


class MultiHeadAttention(nn.Module):
    """Attention in `num_heads` subspaces of width `model_dim / num_heads`.

    head[i] = attention(query W_query[i], key W_key[i], value W_value[i]);  output = concat(head[0], head[1], ...) W_output

    Projections are `model_dim` wide and have biases, so that `torch.nn.MultiheadAttention` is the same function.

    Args:
        model_dim: width of inputs and outputs; a multiple of `num_heads`.
        num_heads: at least 1.
    Raises:
        ShapeError: `model_dim` is not divisible by `num_heads`.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, model_dim: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or model_dim % num_heads:
            raise ShapeError(f"model_dim must be divisible by num_heads; got {model_dim} and {num_heads}.")
        self.num_heads = num_heads
        self.query_proj = linear(model_dim, model_dim)
        self.key_proj = linear(model_dim, model_dim)
        self.value_proj = linear(model_dim, model_dim)
        self.output_proj = linear(model_dim, model_dim)
        self.attention = Attention()

    def forward(
        self,
        query: Float[Tensor, "batch query model_dim"],
        key: Float[Tensor, "batch key model_dim"],
        value: Float[Tensor, "batch key model_dim"],
        *,
        mask: Bool[Tensor, ...] | None = None,
    ) -> Float[Tensor, "batch query model_dim"]:
        """What each query finds: `project`, then `attend`.

        Args:
            mask: True where a query may attend; broadcasts to `batch head query key`.
        """
        return self.attend(query, self.project(key, value), mask=mask)

    def project(
        self, key: Float[Tensor, "batch key model_dim"], value: Float[Tensor, "batch key model_dim"]
    ) -> KeysValues:
        """Keys and values of every head; computed once for a database that is looked up many times."""
        return KeysValues(self._split(self.key_proj(key)), self._split(self.value_proj(value)))

    def attend(
        self,
        query: Float[Tensor, "batch query model_dim"],
        keys_values: KeysValues,
        *,
        mask: Bool[Tensor, ...] | None = None,
    ) -> Float[Tensor, "batch query model_dim"]:
        """What each query finds among keys and values that are projected already."""
        context = self.attention(self._split(self.query_proj(query)), *keys_values, mask)
        return self.output_proj(context.transpose(1, 2).flatten(2))

    def _split(self, x: Float[Tensor, "batch position model_dim"]) -> Float[Tensor, "batch head position head_dim"]:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
