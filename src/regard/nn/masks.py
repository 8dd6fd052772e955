"""Masks: which query may attend to which key. The only file that decides their polarity.

A mask is boolean and True means *may attend*. Its axes end in `query key` and broadcast over the rest, so that masks
are combined with `&`. Masks made from a batch have an axis for heads: `batch 1 query key`.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.errors import ShapeError

Mask = Bool[Tensor, "..."]


def padding_mask(ids: Int[Tensor, "batch key"], pad_id: int) -> Bool[Tensor, "batch 1 1 key"]:
    """True where a key is a real token; the same for every head and query."""
    return (ids != pad_id)[:, None, None, :]


def length_mask(lengths: Tensor, num_keys: int) -> Bool[Tensor, "batch 1 queries key"]:
    """True for the first keys: as many as the length says.

    Args:
        lengths: whole numbers, one for each example, or one for each query of each example; from 0 to `num_keys`.
    Raises:
        ShapeError: lengths are no tensor of whole numbers, one is negative or above `num_keys`, or there are more than two axes.
    """
    _check_lengths(lengths)
    if lengths.ndim not in (1, 2):
        raise ShapeError(f"lengths must have the axes batch, or batch and query; got {lengths.ndim} axes.")
    if _has_values(lengths) and (int(lengths.min()) < 0 or int(lengths.max()) > num_keys):
        raise ShapeError(
            f"lengths must be from 0 to the number of keys, {num_keys}; got {int(lengths.min())} to {int(lengths.max())}."
        )
    by_query = lengths[:, None] if lengths.ndim == 1 else lengths
    return (torch.arange(num_keys, device=lengths.device) < by_query[..., None])[:, None]


def _check_lengths(lengths: object) -> None:
    """Make sure that lengths are whole numbers in a tensor.

    Raises:
        ShapeError: they are not.
    """
    if not isinstance(lengths, Tensor):
        raise ShapeError(f"lengths must be a tensor of whole numbers; got {type(lengths).__name__}. See torch.tensor.")
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise ShapeError(f"lengths must be a tensor of whole numbers; got {lengths.dtype}. See Tensor.long.")


def causal_mask(
    num_queries: int, num_keys: int | None = None, *, first: int | None = None, device: torch.device | None = None
) -> Bool[Tensor, "query key"]:
    """True where the key does not come after the query: the look-ahead mask.

    allowed[q, k] = k <= first + q

    Args:
        first: the position of the first query among the keys; None: the last query stands at the last key and sees them
            all, as it must when the first keys come from a cache.
    Raises:
        ShapeError: a number of queries or keys is negative.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    query, key = _places(num_queries, num_keys, first, device)
    return key <= query


def window_mask(
    num_queries: int, num_keys: int | None = None, *, before: int, after: int = 0, device: torch.device | None = None
) -> Bool[Tensor, "query key"]:
    """True for the keys from `before` positions before the query to `after` positions after it: a sliding window.

    Args:
        before: 0 leaves none of the past but the query's own position.
        after: 0 makes the window causal.
    Raises:
        ShapeError: `before`, `after` or a number of queries or keys is negative.
    Source: Beltagy et al. 2020, section 3.1.
    """
    if not (before >= 0 and after >= 0):  # nor NaN
        raise ShapeError(f"before and after must be at least 0; got {before} and {after}.")
    query, key = _places(num_queries, num_keys, None, device)
    return (key >= query - before) & (key <= query + after)


def segment_mask(
    query_segments: Int[Tensor, "batch query"], key_segments: Int[Tensor, "batch key"] | None = None
) -> Bool[Tensor, "batch 1 query key"]:
    """True where query and key belong to one segment: several sequences packed into one row do not see each other."""
    key_segments = query_segments if key_segments is None else key_segments
    return (query_segments[:, :, None] == key_segments[:, None, :])[:, None]


def prefix_mask(
    prefix_lengths: Int[Tensor, " batch"], num_queries: int, num_keys: int | None = None
) -> Bool[Tensor, "batch 1 query key"]:
    """True for the keys of the prefix, and for keys that do not come after the query: a prefix language model's mask.

    Args:
        prefix_lengths: from 0 to the number of keys.
    Raises:
        ShapeError: a length is negative or above the number of keys.
    Source: Raffel et al. 2020, section 3.2.1.
    """
    num_keys = num_queries if num_keys is None else num_keys
    return length_mask(prefix_lengths, num_keys) | causal_mask(num_queries, num_keys, device=prefix_lengths.device)


def target_mask(ids: Int[Tensor, "batch target"], pad_id: int) -> Bool[Tensor, "batch 1 target target"]:
    """True where a target position may see another: not after it, and not padding."""
    return padding_mask(ids, pad_id) & causal_mask(ids.shape[1], device=ids.device)


def combine_masks(*masks: Mask | None) -> Mask | None:
    """True where all masks are; None stands for a mask that allows everything.

    Raises:
        ShapeError: the masks' shapes do not broadcast, or one is not boolean.
    """
    given = [mask for mask in masks if mask is not None]
    for mask in given:
        check_boolean(mask)
    if len(given) < 2:
        return given[0] if given else None
    try:
        torch.broadcast_shapes(*(mask.shape for mask in given))
    except RuntimeError as error:
        shapes = " and ".join(str(tuple(mask.shape)) for mask in given)
        raise ShapeError(f"masks must have shapes that broadcast; got {shapes}.") from error
    combined = given[0]
    for mask in given[1:]:
        combined = combined & mask
    return combined


PREPARED = "_regard_open_rows"
"""The attribute of a mask with what `open_empty_rows` finds in it."""


def open_empty_rows(allowed: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The mask with those queries opened to all keys that may attend to nothing, and which these are, if any are.

    No kernel then meets a row of -inf, about which kernels disagree; the context of such a query is set to 0 afterwards.
    """
    if allowed is None:
        return None, None
    known: tuple[Tensor | None, Tensor | None] | None = getattr(allowed, PREPARED, None)
    if known is None:
        return _open_empty_rows(allowed)
    return allowed if known[0] is None else known[0], known[1]


def prepared(mask: Mask) -> Mask:
    """A mask with what `open_empty_rows` finds in it, so that layers that are all given it need not look for it again.

    It must not change afterwards: for masks that a model makes for one pass, and gives to nobody else.
    """
    if not is_traced(mask):
        found, is_empty = _open_empty_rows(mask)
        setattr(mask, PREPARED, (None if found is mask else found, is_empty))  # a tensor must not hold itself
    return mask


def _open_empty_rows(allowed: Tensor) -> tuple[Tensor, Tensor | None]:
    allowed = torch.atleast_2d(allowed)
    is_open = allowed.any(dim=-1, keepdim=True)
    if can_look(allowed) and bool(is_open.all()):
        return allowed, None
    return allowed | ~is_open, ~is_open


def mask_with_prefix(mask: Bool[Tensor, "*batch key"], num_prefix: int) -> Bool[Tensor, "*batch longer"]:
    """The mask with `num_prefix` more keys in front that every query may attend to.

    Raises:
        ShapeError: it is not boolean, or `num_prefix` is negative.
    """
    check_boolean(mask)
    if num_prefix < 0:
        raise ShapeError(f"num_prefix must be at least 0; got {num_prefix}.")
    front = mask.new_ones((*mask.shape[:-1], num_prefix))
    return torch.cat((front, mask), dim=-1)


def mask_from_hidden(hidden: Mask) -> Mask:
    """Our mask from one in which True *hides*, as in `torch.nn.MultiheadAttention`. It is its own inverse.

    Raises:
        ShapeError: it is not boolean.
    """
    check_boolean(hidden, "hidden", "True where a key is hidden")
    return ~hidden


def mask_from_additive(additive: Float[Tensor, "..."]) -> Mask:
    """Our mask from numbers that are added to scores: 0 allows, -10,000 or less hides.

    Raises:
        ShapeError: there are other numbers among them, so that they are a bias and not a mask; or they are no floating-point
            numbers.
    """
    if not additive.is_floating_point():
        raise ShapeError(f"an additive mask must hold floating-point numbers; got {additive.dtype}.")
    if _has_values(additive) and not bool(((additive == 0) | (additive <= -10_000)).all()):
        raise ShapeError(
            "an additive mask must hold 0 to allow and -10,000 or less to hide; got other numbers. Pass them as `bias`."
        )
    return additive == 0


def additive_from_mask(mask: Mask, dtype: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
    """Numbers to be added to scores: 0 where the mask allows, -inf where it does not."""
    check_boolean(mask)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, float("-inf"))


def mask_from_hugging_face(
    attention_mask: Int[Tensor, "batch *query key"]
    | Float[Tensor, "batch *query key"]
    | Bool[Tensor, "batch *query key"],
) -> Bool[Tensor, "batch 1 queries key"]:
    """Our mask from the `attention_mask` of Hugging Face's models: 1 for a token, 0 for padding.

    Args:
        attention_mask: one row for each example, or one for each query of each example.
    Raises:
        ShapeError: it has other numbers than 0 and 1 (see `mask_from_additive`), or more than three axes.
    """
    if attention_mask.ndim not in (2, 3):
        raise ShapeError(f"attention_mask must have 2 or 3 axes; got {attention_mask.ndim}.")
    if _has_values(attention_mask) and not bool(((attention_mask == 0) | (attention_mask == 1)).all()):
        raise ShapeError("attention_mask must hold 0 and 1 only; got other numbers. See mask_from_additive.")
    allowed = attention_mask != 0
    return allowed[:, None, None] if allowed.ndim == 2 else allowed[:, None]


def check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Make sure that a mask fits scores of this shape.

    Raises:
        ShapeError: the mask is not boolean, or does not broadcast to `shape`.
    """
    check_boolean(mask)
    if not broadcasts(mask, shape):
        raise ShapeError(f"mask must broadcast to the scores' shape {shape}; got {tuple(mask.shape)}.")


def check_boolean(mask: Tensor, name: str = "mask", meaning: str = "True where a query may attend") -> None:
    """Make sure that a mask holds truth values: of other numbers, operators such as `~` make something else.

    Raises:
        ShapeError: it does not.
    """
    if mask.dtype != torch.bool:
        raise ShapeError(
            f"{name} must be boolean, {meaning}; got {mask.dtype}. "
            "See mask_from_additive and mask_from_hugging_face. Pass numbers to add to scores as `bias`."
        )


def broadcasts(x: Tensor, shape: tuple[int, ...]) -> bool:
    """Whether a mask or bias broadcasts to the scores' shape, without making that any larger."""
    return x.ndim <= len(shape) and all(
        size in (1, whole) for size, whole in zip(reversed(x.shape), reversed(shape), strict=False)
    )


def distances(
    num_queries: int,
    num_keys: int | None = None,
    *,
    first: int | None = None,
    device: torch.device | None = None,
) -> Int[Tensor, "query key"]:
    """The distance of each key from each query, negative for keys before it.

    distance[q, k] = k - (first + q)

    Args:
        first: the position of the first query among the keys; None: the last query stands at the last key.
    """
    query, key = _places(num_queries, num_keys, first, device)
    return key - query


def _places(
    num_queries: int, num_keys: int | None, first: int | None, device: torch.device | None
) -> tuple[Int[Tensor, "query 1"], Int[Tensor, " key"]]:
    """The positions of queries and keys, counted from the first key."""
    num_keys = num_queries if num_keys is None else num_keys
    if num_queries < 0 or num_keys < 0:
        raise ShapeError(f"num_queries and num_keys must be at least 0; got {num_queries} and {num_keys}.")
    first = num_keys - num_queries if first is None else first
    query = torch.arange(first, first + num_queries, device=device)
    return query[:, None], torch.arange(num_keys, device=device)


def positions_from_mask(is_token: Bool[Tensor, "batch position"]) -> Int[Tensor, "batch position"]:
    """The position of each token: the number of tokens before it, whichever side the padding is on."""
    return (is_token.long().cumsum(dim=1) - 1).clamp(min=0)


def _has_values(tensor: Tensor) -> bool:
    """Whether values can be looked at now: not while a graph is traced, on the meta device, or under `vmap`."""
    return not is_traced(tensor) and not tensor.is_meta and tensor.numel() > 0


def can_look(x: Tensor) -> bool:
    """Whether a value can be looked at without waiting for a device or breaking a graph that is traced."""
    return x.device.type == "cpu" and not is_traced(x)


def is_mapped(*tensors: Tensor) -> bool:
    """Whether `torch.func` maps or differentiates over one of these tensors, and no graph is being traced."""
    return not torch.compiler.is_compiling() and any(map(torch._C._functorch.is_functorch_wrapped_tensor, tensors))


def is_traced(tensor: Tensor) -> bool:
    """Whether a graph is being traced, or `torch.func` maps or differentiates over this tensor."""
    return torch.compiler.is_compiling() or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
