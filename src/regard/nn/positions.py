"""Position schemes: attention ignores order, so positions are added to embeddings, or inside attention.

First what is added to embeddings (sinusoids, learned vectors), then what attention itself does with the distance between
query and key (`AttentionPositions`). Positions count from 0; with a cache, the cached keys come first, so that the same
key has the same position in every step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError, check_above_zero, check_known, check_sizes, check_width
from regard.nn.initialization import embedding
from regard.nn.masks import is_traced

WaveLayout = Literal["interleaved", "halves", "opennmt", "fairseq", "marian"]
Heads = Float[Tensor, "batch head position head_dim"]
Queries = Float[Tensor, "batch head query head_dim"]
Keys = Float[Tensor, "batch head key head_dim"]
Bias = Float[Tensor, "#batch #head query key"]
Distance = Int[Tensor, "*example query key"]
"""The distance of each key from each query, negative before it; may differ by example, as `batch 1 query key`."""
First = int | Int[Tensor, " batch"]
"""The position of the first of several in a row: one for all examples, or one for each."""
HeadNumbers = list[int] | None
"""The numbers of the heads that are computed; None: all."""


FIRST_POSITION: dict[WaveLayout, int] = {"marian": 0, "opennmt": 1, "fairseq": 2}
"""The number of the first position, in the layouts with the exponent i / (model_dim / 2 - 1)."""


def sinusoidal_positions(
    num_positions: int, model_dim: int, *, layout: WaveLayout = "interleaved"
) -> Float[Tensor, "position model_dim"]:
    """A wave of sines and cosines for each position, from fast in the first dimensions to slow in the last.

    encoding[p, 2i] = sin(p / 10000^(2i / model_dim));  encoding[p, 2i + 1] = cos(p / 10000^(2i / model_dim))

    Args:
        num_positions: at least 1.
        model_dim: an even number, at least 2.
        layout: `interleaved` as in the paper; `halves` has all sines first and then all cosines, as `transformers` and
            CTranslate2 have them for Marian's models; `marian` is likewise, with the exponent i / (model_dim / 2 - 1), as in
            Marian; and so are `opennmt`, with positions from 1, as in OpenNMT-tf, and `fairseq`, from 2, as in M2M100.
    Raises:
        ShapeError: `num_positions` is below 1, or `model_dim` is below 2 or odd.
        SettingsError: an unknown layout.
    Source: Vaswani et al. 2017, section 3.5.
    """
    check_known("layout", layout, get_args(WaveLayout), "a known layout")
    check_sizes(num_positions=num_positions, model_dim=model_dim)
    if model_dim % 2:
        raise ShapeError(f"model_dim must be even for sinusoidal positions; got {model_dim}.")
    position = torch.arange(num_positions, dtype=torch.float64)[:, None]
    if layout in FIRST_POSITION:
        exponent = torch.linspace(0, 1, model_dim // 2, dtype=torch.float64)
        angle = (position + FIRST_POSITION[layout]) * 10_000.0**-exponent
    else:
        angle = position * _frequencies(model_dim, 10_000.0)
    waves = (angle.sin(), angle.cos())
    return (torch.stack(waves, dim=-1).flatten(1) if layout == "interleaved" else torch.cat(waves, dim=-1)).float()


class LearnedPositions(nn.Module):
    """A learned vector for each position.

    Raises:
        ShapeError: one of the two sizes is below 1.
    Source: Gehring et al. 2017, section 3.1; Devlin et al. 2019, figure 2.
    """

    def __init__(self, max_positions: int, model_dim: int) -> None:
        super().__init__()
        check_sizes(max_positions=max_positions, model_dim=model_dim)
        self.table = embedding(max_positions, model_dim)

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position model_dim"]:
        """The vectors of these positions, counted from 0."""
        return self.table(positions)

    if TYPE_CHECKING:
        __call__ = forward


class AttentionPositions(nn.Module):
    """The interface of position schemes inside attention. This one does nothing.

    A scheme turns queries and keys (`rotate`), adds to their scores (`bias`), or adds to the values (`values`). It knows
    positions by the distance of a key from a query, or by the position of the first of several in a row, so that it is
    the same with and without a cache. It is meant for self-attention.
    """

    has_values = False
    """Whether `values` adds anything, so that weights are needed."""

    def rotate(self, x: Heads, first: First, step: int = 1) -> Heads:
        """Queries or keys, turned by their positions: first, first + step, first + 2 step ..."""
        return x

    @property
    def has_rotation(self) -> bool:
        """Whether `rotate` turns anything."""
        return type(self).rotate is not AttentionPositions.rotate

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """The bias that is added to the scores."""
        return None

    @property
    def has_bias(self) -> bool:
        """Whether `bias` adds anything."""
        return type(self).bias is not AttentionPositions.bias

    def values(self, weights: Float[Tensor, "batch head query key"], distance: Distance) -> Queries:
        """The vectors that are added to the context."""
        raise NotImplementedError  # called for schemes with `has_values` only


@dataclass(frozen=True)
class RotaryScaling:
    """Slower rotation, so that a model reads texts that are longer than those of its training.

    The frequencies of waves that are longer than `training_length / low_factor` are divided by `factor`. Those of waves
    shorter than `training_length / high_factor` stay. Between, the frequency goes from one to the other, linearly in the
    number of waves that the training length holds. Without `training_length`, all are divided: linear interpolation.

    Raises:
        ShapeError: `training_length` is below 1.
        SettingsError: a factor is not a finite number above 0, or `low_factor` is not below `high_factor`.
    Source: Chen et al. 2023, section 2.3, for linear interpolation; Llama 3.1's code for the parts by wavelength.
    """

    factor: float
    training_length: int | None = None
    """The longest text of training, in tokens."""
    low_factor: float = 1.0
    high_factor: float = 4.0

    def __post_init__(self) -> None:
        check_sizes(training_length=self.training_length)
        check_above_zero(factor=self.factor, low_factor=self.low_factor, high_factor=self.high_factor)
        if self.low_factor >= self.high_factor:
            raise SettingsError(f"low_factor must be below high_factor; got {self.low_factor} and {self.high_factor}.")

    def scaled(self, frequencies: Float[Tensor, " pair"]) -> Float[Tensor, " pair"]:
        """The frequencies, slower."""
        slowed = frequencies / self.factor
        if self.training_length is None:
            return slowed
        waves = self.training_length * frequencies / (2 * math.pi)
        share = ((waves - self.low_factor) / (self.high_factor - self.low_factor)).clamp(0, 1)
        return torch.lerp(slowed, frequencies, share)


class Rotary(AttentionPositions):
    """Queries and keys turned by an angle that grows with their position: scores depend on the distance alone.

    Each pair of dimensions (a, b) at position p becomes (a cos(p f) - b sin(p f), b cos(p f) + a sin(p f)), where the
    frequency f falls from 1 to nearly 1 / base over the pairs.

    Args:
        head_dim: width of queries and keys.
        base: sets the slowest frequency.
        rotated_dim: only so many of the first dimensions turn; even. None: all.
        layout: which dimensions are pairs: `interleaved`, neighbours, as in the paper and GPT-J; `halves`, the first
            half with the second, as in GPT-NeoX, and in Llama of `transformers`.
        scaling: of the frequencies, for texts longer than those of training; None: none.
    Raises:
        ShapeError: `rotated_dim` is odd or above `head_dim`.
        SettingsError: an unknown layout, or a base that is not a finite number above 0.
    Source: Su et al. 2021, section 3.2.2, equation 34.
    """

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = 10_000.0,
        rotated_dim: int | None = None,
        layout: Literal["interleaved", "halves"] = "halves",
        scaling: RotaryScaling | None = None,
    ) -> None:
        super().__init__()
        check_known("layout", layout, ("interleaved", "halves"), "interleaved or halves")
        check_above_zero(base=base)
        self.head_dim, self.scaling = head_dim, scaling
        self.rotated_dim = head_dim if rotated_dim is None else rotated_dim
        self.base, self.layout = base, layout
        if self.rotated_dim % 2 or not 0 < self.rotated_dim <= head_dim:
            raise ShapeError(f"rotated_dim must be even and at most head_dim; got {self.rotated_dim} and {head_dim}.")

    def frequencies(self, device: torch.device | None = None) -> Float[Tensor, " pair"]:
        """The angle between two neighbouring positions, of each pair of dimensions, in radians."""
        frequencies = _frequencies(self.rotated_dim, self.base, device)
        return frequencies if self.scaling is None else self.scaling.scaled(frequencies)

    def rotate(self, x: Heads, first: First, step: int = 1) -> Heads:
        """x, each position turned by its angle.

        Raises:
            ShapeError: queries or keys are not `head_dim` wide.
        """
        check_width("rotary: a query or key", x.shape[-1], self.head_dim)
        position = step * torch.arange(x.shape[-2], dtype=widest_float(x.device), device=x.device)
        position = position + (first[:, None, None] if isinstance(first, Tensor) else first)  # [batch 1] position
        angle = position[..., None] * self.frequencies(x.device)
        wide = torch.promote_types(x.dtype, torch.float32)
        cos, sin = angle.cos().to(wide), angle.sin().to(wide)
        turning, rest = x[..., : self.rotated_dim], x[..., self.rotated_dim :]
        pairs = (self.rotated_dim // 2, 2) if self.layout == "interleaved" else (2, self.rotated_dim // 2)
        axis = -1 if self.layout == "interleaved" else -2
        a, b = turning.unflatten(-1, pairs).unbind(axis)
        turned = torch.stack((a * cos - b * sin, b * cos + a * sin), dim=axis).flatten(-2).to(x.dtype)
        return torch.cat((turned, rest), dim=-1) if rest.shape[-1] else turned


class LinearBias(AttentionPositions):
    """Scores fall with distance, each head at its own rate: bias[h, q, k] = -slope[h] |q - k| (ALiBi).

    With a power of two of heads, slope[h] = 2^(-8 (h + 1) / num_heads); else those of the next lower power of two, then
    every other one of the next higher.

    Raises:
        ShapeError: there is no head.
    Source: Press et al. 2022, section 3, and its code for other numbers of heads.
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        check_sizes(num_heads=num_heads)
        lower = 2 ** math.floor(math.log2(num_heads))
        slopes = [2 ** (-8 * (h + 1) / lower) for h in range(lower)]
        slopes += [2 ** (-4 * (2 * h + 1) / lower) for h in range(num_heads - lower)]
        self.slopes: Tensor
        self.register_buffer("slopes", torch.tensor(slopes), persistent=False)

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """Minus the distance, times each head's slope."""
        _check_heads(query, len(self.slopes), heads)
        slopes = self.slopes if heads is None else self.slopes[heads]
        bias = (-slopes[:, None, None] * distance.abs()).to(query.dtype)
        return bias if bias.ndim == 4 else bias[None]


class BucketedBias(AttentionPositions):
    """A learned number for each head and each bucket of distances: near ones have their own, far ones share (T5).

    Half of the buckets are for keys after the query (none where `bidirectional` is false). Of each half, half are for
    single distances, and the rest grow with the logarithm of the distance up to `max_distance`.

    T5 does not scale its scores: give the attention `score=DotProduct()`.

    Raises:
        ShapeError: there is no head, or too few or too many buckets for single distances.
    Source: Raffel et al. 2020, section 2.1, and its code for the buckets.
    """

    def __init__(
        self, num_heads: int, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
    ) -> None:
        super().__init__()
        check_sizes(num_heads=num_heads)
        num_exact = num_buckets // (4 if bidirectional else 2)
        if not 1 <= num_exact < max_distance:
            raise ShapeError(
                f"num_buckets must leave from 1 to max_distance - 1 buckets for single distances; got {num_buckets} and "
                f"max_distance {max_distance}, which leave {num_exact}."
            )
        self.num_buckets, self.max_distance, self.bidirectional = num_buckets, max_distance, bidirectional
        self.table = embedding(num_buckets, num_heads)

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """The number of each distance's bucket."""
        _check_heads(query, self.table.embedding_dim, heads)
        by_head = self.table(self.bucket(distance))
        by_head = by_head if heads is None else by_head[..., heads]
        by_head = by_head[:, 0] if distance.ndim == 4 else by_head
        bias = by_head.movedim(-1, -3).to(query.dtype)
        return bias if bias.ndim == 4 else bias[None]

    def bucket(self, distance: Int[Tensor, "*example query key"]) -> Int[Tensor, "*example query key"]:
        """Which bucket a distance falls into, from 0."""
        num_buckets, offset = self.num_buckets, torch.zeros_like(distance)
        if self.bidirectional:
            num_buckets //= 2
            offset = (distance > 0) * num_buckets
            length = distance.abs()
        else:
            length = (-distance).clamp(min=0)
        num_exact = num_buckets // 2
        ratio = (length.clamp(min=1).float() / num_exact).log() / math.log(self.max_distance / num_exact)
        far = (num_exact + (ratio * (num_buckets - num_exact)).long()).clamp(max=num_buckets - 1)
        return offset + torch.where(length < num_exact, length, far)


class RelativeKey(AttentionPositions):
    """Each distance has a vector that the query is compared with: bias[q, k] = query[q] . table[q - k] / sqrt(head_dim).

    Args:
        max_positions: the longest sequence; the table has 2 max_positions - 1 vectors, shared by the heads.
    Raises:
        ShapeError: one of the two sizes is below 1.
    Source: Shaw et al. 2018, equation 4, without clipping, as in BERT's position type `relative_key`.
    """

    def __init__(self, head_dim: int, max_positions: int) -> None:
        super().__init__()
        check_sizes(head_dim=head_dim, max_positions=max_positions)
        self.max_positions = max_positions
        self.table = embedding(2 * max_positions - 1, head_dim)

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """The query against the vector of each distance.

        Raises:
            ShapeError: there are more than `max_positions` keys.
        """
        return _by_distance(query / math.sqrt(query.shape[-1]), *self._near(distance))

    def _near(self, distance: Tensor) -> tuple[Tensor, Tensor]:
        """The part of the table that keys so far away can need, and each distance's row in it; q - k counts upwards."""
        num_keys = distance.shape[-1]
        if num_keys > self.max_positions and not is_traced(distance):  # several keys may stand at one position
            num_keys = int(distance.abs().max()) + 1
        if num_keys > self.max_positions:
            raise ShapeError(
                f"a sequence must have at most max_positions = {self.max_positions} positions; got {num_keys}."
            )
        near = self.table.weight[self.max_positions - num_keys : self.max_positions + num_keys - 1]
        return near, num_keys - 1 - distance


class RelativeKeyQuery(RelativeKey):
    """Each distance has a vector that both query and key are compared with: (query[q] + key[k]) . table[q - k] / sqrt(head_dim).

    Source: Huang et al. 2020, method 4, as in BERT's position type `relative_key_query`.
    """

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """Query and key against the vector of each distance."""
        (near, row), factor = self._near(distance), 1 / math.sqrt(query.shape[-1])
        by_query = _by_distance(query * factor, near, row)
        by_key = _by_distance(key * factor, near, row.transpose(-2, -1))
        return by_query + by_key.transpose(-2, -1)


class ClippedRelative(AttentionPositions):
    """Vectors for distances up to `max_distance`, added to keys and to values; farther ones count as the farthest.

    scores[q, k] = query[q] . (key[k] + key_table[k - q]) / sqrt(head_dim)
    context[q] = sum over k of weights[q, k] (value[k] + value_table[k - q])

    Args:
        with_values: whether values get vectors, too.
    Raises:
        ShapeError: one of the two sizes is below 1.
    Source: Shaw et al. 2018, equations 3 and 4.
    """

    def __init__(self, head_dim: int, max_distance: int, *, with_values: bool = True) -> None:
        super().__init__()
        check_sizes(head_dim=head_dim, max_distance=max_distance)
        self.max_distance, self.has_values = max_distance, with_values
        self.key_table = embedding(2 * max_distance + 1, head_dim)
        self.value_table = embedding(2 * max_distance + 1, head_dim) if with_values else None

    def bias(self, query: Queries, key: Keys, distance: Distance, heads: HeadNumbers = None) -> Bias | None:
        """The query against the vector of each distance."""
        return _by_distance(query / math.sqrt(query.shape[-1]), self.key_table.weight, self._row(distance))

    def values(self, weights: Float[Tensor, "batch head query key"], distance: Distance) -> Queries:
        """The vectors of the distances, weighted: the weights of each distance are summed first."""
        assert self.value_table is not None
        row = self._row(distance).expand_as(weights)
        by_row = weights.new_zeros((*weights.shape[:-1], 2 * self.max_distance + 1)).scatter_add(-1, row, weights)
        return by_row @ self.value_table.weight.to(weights.dtype)

    def _row(self, distance: Tensor) -> Tensor:
        return distance.clamp(-self.max_distance, self.max_distance) + self.max_distance


def _check_heads(query: Tensor, num_heads: int, heads: list[int] | None) -> None:
    """Make sure that there is a number for each head, and not one for all of them.

    Raises:
        ShapeError: there is not.
    """
    num_heads = num_heads if heads is None else len(heads)
    if query.shape[-3] != num_heads:
        raise ShapeError(
            f"the positions have {num_heads} heads, and the query has {query.shape[-3]}. Make them with that number of heads."
        )


def widest_float(device: torch.device) -> torch.dtype:
    """float64, but for Apple's GPUs, which have none."""
    return torch.float32 if device.type == "mps" else torch.float64


def _by_distance(
    x: Heads,
    table: Float[Tensor, "rows width"],
    row: Int[Tensor, "*example position other"],
) -> Float[Tensor, "batch head position other"]:
    """x[p] . table[row[p, o]]: all products with the table first, then those that are wanted."""
    check_width("positions: a query or key", x.shape[-1], table.shape[-1])
    products = x @ table.to(x.dtype).T
    return products.gather(-1, row.expand(*x.shape[:-1], row.shape[-1]))


def _frequencies(width: int, base: float, device: torch.device | None = None) -> Float[Tensor, " pair"]:
    """1, falling to nearly 1 / base, one for each pair of dimensions."""
    dtype = torch.float64 if device is None else widest_float(device)
    pair = torch.arange(0, width, 2, dtype=dtype, device=device)
    return torch.exp(pair * (-math.log(base) / width))
