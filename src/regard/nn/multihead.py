"""Multi-head attention: attention several times side by side, each in its own projection of the model's space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, SupportsIndex

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import ShapeError, as_numbers, check_sizes
from regard.nn.attention import Attention
from regard.nn.cache import KeysValues
from regard.nn.initialization import linear
from regard.nn.lora import AdaptedLinear
from regard.nn.positions import Distance, First, Heads
from regard.nn.widths import check_input


class MultiHeadAttention(nn.Module):
    """Attention in `num_heads` subspaces of width `head_dim`.

    head[i] = gates[i] attention(query W_query[i], key W_key[i], value W_value[i])
    output = concat(head[0], head[1], ...) W_output

    With the defaults it is the paper's, and the same function as `torch.nn.MultiheadAttention`.

    Args:
        model_dim: width of queries and outputs.
        num_heads: at least 1.
        num_kv_heads: heads of keys and values; groups of `num_heads / num_kv_heads` query heads share one. None: as many
            as query heads. Source: Ainslie et al. 2023, section 2.2.
        head_dim: width of a head's queries and keys, the paper's d_k; None: `model_dim / num_heads`.
        value_head_dim: width of a head's values, the paper's d_v; None: `head_dim`.
        key_dim: width of the key inputs; None: `model_dim`.
        value_dim: width of the value inputs; None: `key_dim`.
        bias: whether the projections have biases.
        output_bias: whether the output projection has one; None: as `bias`.
        norm: makes a norm for a width: queries and keys are normalised in each head, before positions rotate them; None:
            they are not. Source: Henry et al. 2020, section 3, with RMS norm as in Qwen 3 and Gemma 3.
        attention: score, positions and dropout; None: the paper's. Several layers may be given one: they share its score and
            positions, and nothing else.
    Raises:
        ShapeError: `model_dim` is not divisible by `num_heads`, or `num_heads` not by `num_kv_heads`; or a width is below 1.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        value_head_dim: int | None = None,
        key_dim: int | None = None,
        value_dim: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        norm: Callable[[int], nn.Module] | None = None,
        attention: Attention | None = None,
    ) -> None:
        super().__init__()
        widths = {"head_dim": head_dim, "value_head_dim": value_head_dim, "key_dim": key_dim, "value_dim": value_dim}
        check_sizes(model_dim=model_dim, **widths)
        if num_heads < 1 or (head_dim is None and model_dim % num_heads):
            raise ShapeError(f"model_dim must be divisible by num_heads; got {model_dim} and {num_heads}.")
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        if num_kv_heads < 1 or num_heads % num_kv_heads:
            raise ShapeError(f"num_heads must be divisible by num_kv_heads; got {num_heads} and {num_kv_heads}.")
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = model_dim // num_heads if head_dim is None else head_dim
        self.value_head_dim = self.head_dim if value_head_dim is None else value_head_dim
        self.kept_heads = list(range(num_heads))
        """The original numbers of the heads that have not been pruned."""
        key_dim = model_dim if key_dim is None else key_dim
        value_dim = key_dim if value_dim is None else value_dim
        self.query_proj = linear(model_dim, num_heads * self.head_dim, bias=bias)
        self.key_proj = linear(key_dim, num_kv_heads * self.head_dim, bias=bias)
        self.value_proj = linear(value_dim, num_kv_heads * self.value_head_dim, bias=bias)
        has_bias = bias if output_bias is None else output_bias
        self.output_proj = linear(num_heads * self.value_head_dim, model_dim, bias=has_bias)
        self.query_norm, self.key_norm = (None if norm is None else norm(self.head_dim) for _ in range(2))
        self.attention = (Attention() if attention is None else attention).for_layer()

    def forward(
        self,
        query: Float[Tensor, "batch query model_dim"],
        key: Float[Tensor, "batch key key_dim"] | None = None,
        value: Float[Tensor, "batch key value_dim"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        causal: bool = False,
        past: KeysValues | None = None,
        gates: Float[Tensor, "*example gate"] | None = None,
    ) -> Float[Tensor, "batch query model_dim"]:
        """The output of attention for each query: project to heads, attend in each head, project the heads to the output.

        Args:
            key: None: the queries themselves, which is self-attention.
            value: None: the keys.
            mask: True where a query may attend; broadcasts to `batch head query key`, past keys first.
            bias: finite numbers added to the scores; broadcasts likewise.
            causal: a query may not attend to keys after it; together with `mask`.
            past: keys and values before these: a cache, or a prefix.
            gates: what each head's context is multiplied by; one for each head, or also for each example.
        Raises:
            ShapeError: inputs of another width than the projections', a value without a key, or other shapes that do not fit.
        """
        if key is None and value is not None:
            raise ShapeError("`value` needs `key`; got `value` alone.")
        key = query if key is None else key
        newer = self.project(key, key if value is None else value, first=0 if past is None else past.length)
        seen = newer if past is None else past.append(newer)
        heads = self.project_query(query, seen)
        return self.attend(heads, seen, mask=mask, bias=bias, causal=causal, gates=gates)

    if TYPE_CHECKING:
        __call__ = forward

    def project(
        self,
        key: Float[Tensor, "batch key key_dim"],
        value: Float[Tensor, "batch key value_dim"],
        *,
        first: First = 0,
        step: int = 1,
    ) -> KeysValues:
        """Keys and values of every head; computed once for keys that many queries attend to.

        Args:
            first: position of the first key, where position schemes rotate keys; of all examples, or of each.
            step: how far apart keys stand; 0: all at one position.
        """
        check_input("key", key, self.key_proj)
        check_input("value", value, self.value_proj)
        rotated = self._rotated(self._normed(self.key_norm, self.key_proj(key)), first, step)
        return KeysValues(rotated, self._split(self.value_proj(value), self.value_head_dim))

    def project_query(self, query: Float[Tensor, "batch query model_dim"], seen: KeysValues) -> Heads:
        """Queries of every head; the last query is at the position of the last key."""
        check_input("query", query, self.query_proj)
        return self._rotated(self._normed(self.query_norm, self.query_proj(query)), seen.length - query.shape[1])

    def project_self(
        self, x: Float[Tensor, "batch position model_dim"], *, first: First = 0, step: int = 1
    ) -> tuple[Heads, KeysValues]:
        """Queries, keys and values of the same positions.

        Args:
            first: the position of the first one: of all examples, or of each.
            step: how far apart they stand; 0: all at one position.
        """
        query = self._rotated(self._normed(self.query_norm, self.query_proj(x)), first, step)
        return query, self.project(x, x, first=first, step=step)

    def attend(
        self,
        query: Heads,
        seen: KeysValues,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        causal: bool = False,
        gates: Float[Tensor, "*example gate"] | None = None,
        distance: Distance | None = None,
    ) -> Float[Tensor, "batch query model_dim"]:
        """The output for projected queries, keys and values, after the output projection.

        Args:
            distance: of each key from each query, where keys do not stand one after the other.
        """
        if self.num_kv_heads != self.num_heads:
            seen = KeysValues(*(x.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1) for x in seen))
        context = self.attention(query, seen.key, seen.value, mask, bias, causal, distance)
        if gates is not None:
            if gates.ndim not in (1, 2) or gates.shape[-1] != self.num_heads:
                raise ShapeError(
                    f"gates must be one number for each of {self.num_heads} heads, or one row of them for each example; "
                    f"got shape {tuple(gates.shape)}."
                )
            context = context * gates[..., None, None].to(context.dtype)
        return self.output_proj(context.transpose(1, 2).flatten(2))

    @torch.no_grad()
    def prune_heads(self, heads: Iterable[SupportsIndex]) -> None:
        """Remove heads for good: their weights go, and the output is what gates of 0 would give.

        Args:
            heads: by their present numbers, from 0. Heads that share keys and values go together.
        Raises:
            ShapeError: there is no such head, none would be left, or only a part of a group is named; or a projection was
                replaced by a module without a matrix, or has an adapter.
        """
        kept = self.heads_without(heads)
        kept_groups = sorted({head // (self.num_heads // self.num_kv_heads) for head in kept})
        _keep_rows(self.query_proj, self._columns(kept, self.head_dim))
        _keep_rows(self.key_proj, self._columns(kept_groups, self.head_dim))
        _keep_rows(self.value_proj, self._columns(kept_groups, self.value_head_dim))
        columns = self._columns(kept, self.value_head_dim)
        self.output_proj.weight = _part(self.output_proj.weight, slice(None), columns)
        self.output_proj.in_features = self.output_proj.weight.shape[1]
        self.num_heads, self.num_kv_heads = len(kept), len(kept_groups)
        self.kept_heads = [self.kept_heads[head] for head in kept]
        self.attention.head_indices = self.kept_heads

    def heads_without(self, heads: Iterable[SupportsIndex]) -> list[int]:
        """The heads that are left if these are removed. Nothing is changed; arguments and errors are those of `prune_heads`."""
        for name in ("query_proj", "key_proj", "value_proj", "output_proj"):
            if not isinstance(getattr(found := getattr(self, name), "weight", None), Tensor):
                raise ShapeError(f"{name} must be a linear map, for heads to be removed; got {type(found).__name__}.")
            if isinstance(found, AdaptedLinear):
                raise ShapeError(
                    f"{name} must be without an adapter, for heads to be removed; got one. Merge it first, as "
                    "`regard.models.adaptation.merged` does."
                )
        heads = as_numbers("heads", heads)
        unknown = sorted(head for head in heads if not 0 <= head < self.num_heads)
        if unknown:
            raise ShapeError(f"heads must be from 0 to {self.num_heads - 1}; got {unknown}.")
        kept = [head for head in range(self.num_heads) if head not in heads]
        if not kept:
            raise ShapeError("at least one head must remain; got all of them. To switch attention off, use gates of 0.")
        group = self.num_heads // self.num_kv_heads
        if len({head // group for head in kept}) * group != len(kept):
            raise ShapeError(
                f"heads that share keys and values must be removed together, in groups of {group}; got {sorted(heads)}."
            )
        return kept

    @torch.no_grad()
    def take_heads_of(self, pruned: MultiHeadAttention) -> None:
        """Copy an attention with fewer heads of the same kind; the heads that it lacks output zeros."""
        group = self.num_heads // self.num_kv_heads
        groups = sorted({head // group for head in pruned.kept_heads})
        columns = self._columns(pruned.kept_heads, self.value_head_dim)
        for ours, theirs, rows in (
            (self.query_proj, pruned.query_proj, self._columns(pruned.kept_heads, self.head_dim)),
            (self.key_proj, pruned.key_proj, self._columns(groups, self.head_dim)),
            (self.value_proj, pruned.value_proj, self._columns(groups, self.value_head_dim)),
        ):
            for x, y in zip(ours.parameters(), theirs.parameters(), strict=True):
                x.zero_()
                x[rows] = y
        for norm, other in ((self.query_norm, pruned.query_norm), (self.key_norm, pruned.key_norm)):
            if norm is not None and other is not None:
                norm.load_state_dict(other.state_dict())
        self.output_proj.weight.zero_()
        self.output_proj.weight[:, columns] = pruned.output_proj.weight
        if self.output_proj.bias is not None:
            self.output_proj.bias.copy_(pruned.output_proj.bias)

    def _columns(self, heads: Sequence[int], width: int) -> Tensor:
        """The dimensions of some heads of this width."""
        start = torch.tensor(heads)[:, None] * width
        return (start + torch.arange(width)).flatten().to(self.output_proj.weight.device)

    def _split(self, x: Float[Tensor, "batch position dim"], width: int | None = None) -> Heads:
        return x.unflatten(-1, (-1, self.head_dim if width is None else width)).transpose(1, 2)

    def _normed(self, norm: nn.Module | None, x: Float[Tensor, "batch position dim"]) -> Heads:
        heads = self._split(x)
        return heads if norm is None else norm(heads)

    def _rotated(self, x: Heads, first: First, step: int = 1) -> Heads:
        return x if self.attention.positions is None else self.attention.positions.rotate(x, first, step)


def _keep_rows(projection: nn.Linear, rows: Tensor) -> None:
    projection.weight = _part(projection.weight, rows)
    if projection.bias is not None:
        projection.bias = _part(projection.bias, rows)
    projection.out_features = len(rows)


def _part(parameter: Tensor, *index: Tensor | slice) -> nn.Parameter:
    """A part of a parameter, which stays frozen where the whole one is."""
    return nn.Parameter(parameter[index], requires_grad=parameter.requires_grad)
