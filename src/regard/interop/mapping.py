"""The mapping of tensors between formats, for reading and writing: for each of ours, the foreign tensor that holds it.

A format lists a `TensorRef` for each tensor. What all formats share is done here, in both directions: fused and
transposed matrices, rows that nothing reads, and the account of every tensor on both sides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn

from regard.errors import ModelFolderError

PAD = "<pad>"
NEVER = -1e4
"""The output bias of the padding token: a probability of 0, in half precision as well."""
NUMBERS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
"""The dtypes that weights are read from; others, such as float8 and integers, need a scale that is stored elsewhere."""
ROWS = 1 << 14
"""The number of rows of a tensor that are looked at together."""


@dataclass(frozen=True)
class TensorRef:
    """The foreign tensor that holds one tensor of ours.

    Args:
        name: of the foreign tensor.
        first_row: ours are the rows from there on: of a fused matrix, or after rows that nothing reads.
        transposed: the foreign matrix maps rows to columns, as in GPT-2 and Marian.
        factor: ours = (theirs + offset) * factor.
        offset: Gemma's norms multiply by 1 + theirs.
        unsqueezed: the foreign tensor has an axis of length 1 in front.
        num_rows: how many rows the foreign tensor has, where ours are not its last ones: its configuration says that it is
            longer. None: the last row that anything of ours reads is its last.
        num_heads: their rows are those of so many heads, one after the other, each with its query, key and value; 0: ours and
            theirs are in the same order.
    """

    name: str
    first_row: int = 0
    transposed: bool = False
    factor: float = 1.0
    unsqueezed: bool = False
    num_rows: int | None = None
    num_heads: int = 0
    offset: float = 0.0

    def rows(self, tensor: Tensor) -> Tensor:
        """The foreign tensor with its rows in front, in our order."""
        tensor = tensor[0] if self.unsqueezed and tensor.shape[:1] == (1,) else tensor
        return self.by_part(tensor.T if self.transposed and tensor.ndim == 2 else tensor)

    def by_part(self, rows: Tensor) -> Tensor:
        """Rows of all heads' queries, then of their keys, then of their values: of rows head by head."""
        if not self.num_heads or rows.ndim == 0 or len(rows) % (3 * self.num_heads):
            return rows
        return rows.unflatten(0, (self.num_heads, 3, -1)).transpose(0, 1).flatten(0, 2)

    def by_head(self, rows: Tensor) -> Tensor:
        """The opposite of `by_part`."""
        return rows.unflatten(0, (3, self.num_heads, -1)).transpose(0, 1).flatten(0, 2) if self.num_heads else rows


@dataclass(frozen=True)
class Account:
    """The account of every tensor of a conversion."""

    mapped: list[tuple[str, str]]
    """Theirs and ours; one of theirs may hold several of ours, and the other way round."""
    accounted: dict[str, str] = field(default_factory=dict)
    """Theirs that are no part of the model in ours, each with the reason."""
    left_over: list[str] = field(default_factory=list)
    """Theirs that nothing reads, for no known reason."""

    def lines(self) -> list[str]:
        """The lines to print."""
        theirs = {name for name, _ in self.mapped}
        ours = {name for _, name in self.mapped}
        lines = [f"{len(theirs)} of their tensors are {len(ours)} of ours; none of ours is left over"] if ours else []
        by_reason: dict[str, list[str]] = defaultdict(list)
        for name, reason in self.accounted.items():
            by_reason[reason].append(name)
        lines += [f"{names(found)}: {reason}" for reason, found in by_reason.items()]
        if self.left_over:
            lines.append(
                f"LEFT OVER, {len(self.left_over)} of theirs that are not in the model: {names(self.left_over)}"
            )
        return lines


def check_refs(model: nn.Module, refs: Mapping[str, TensorRef], tensors: Mapping[str, Tensor], *, where: str) -> None:
    """Make sure that a foreign model's tensors are those of ours: all there, of the right shapes, and read whole.

    Args:
        model: ours; one on the device `meta` will do, so that nothing is allocated for a configuration that is wrong.
        refs: the tensor of theirs that holds each parameter of ours.
        tensors: theirs, by name.
        where: the foreign model, as messages call it.
    Raises:
        ModelFolderError: a tensor is missing, has another shape than the configuration says, or numbers of another kind.
    """
    read: dict[str, tuple[int, TensorRef]] = {}
    for ours, parameter in model.named_parameters():
        ref = refs[ours]
        if ref.name not in tensors:
            raise ModelFolderError(f"{where} must hold the tensor {ref.name}, which {ours} is read from; it does not.")
        theirs = tensors[ref.name]
        if not isinstance(theirs, Tensor):
            raise ModelFolderError(f"{where}: {ref.name} must be a torch.Tensor; got {type(theirs).__name__}.")
        if theirs.dtype not in NUMBERS:
            kinds, found = ", ".join(map(_kind, NUMBERS)), _kind(theirs.dtype)
            raise ModelFolderError(f"{where}: {ref.name} must hold numbers of kind {kinds}; got {found}.")
        end = ref.first_row + parameter.shape[0]
        rows = ref.rows(theirs)
        if rows.shape[:1] < (end,) or rows.shape[1:] != parameter.shape[1:]:
            raise ModelFolderError(
                f"{where}: {ref.name} must have a part of shape {tuple(parameter.shape)} for {ours}; "
                f"got {tuple(theirs.shape)}."
            )
        end = end if ref.num_rows is None else ref.num_rows
        read[ref.name] = max(read.get(ref.name, (0, ref)), (end, ref), key=lambda found: found[0])
    for name, (end, ref) in read.items():
        if (num_rows := len(ref.rows(tensors[name]))) > end:
            what = "columns" if ref.transposed or ref.unsqueezed else "rows"
            raise ModelFolderError(
                f"{where}: {name} must have {end:,} {what}, as its configuration says; got {num_rows:,}."
            )


def load_tensors(
    model: nn.Module,
    refs: Mapping[str, TensorRef],
    tensors: Mapping[str, Tensor],
    *,
    where: str,
    explained: Mapping[str, str] | None = None,
) -> Account:
    """Fill a model of ours with the tensors of a foreign one.

    Args:
        refs: the tensor of theirs that holds each parameter of ours.
        tensors: theirs, by name.
        where: the foreign model, as messages call it.
        explained: patterns of names of tensors that are no part of our model, and why not.
    Raises:
        ModelFolderError: as `check_refs` does; or a tensor holds numbers that are not finite, or too large for ours.
    """
    check_refs(model, refs, tensors, where=where)
    mapped = []
    with torch.no_grad():
        for ours, parameter in model.named_parameters():
            ref = refs[ours]
            part = ref.rows(tensors[ref.name])[ref.first_row : ref.first_row + parameter.shape[0]]
            is_changed = ref.factor != 1 or ref.offset != 0
            parameter.copy_((part.float() + ref.offset) * ref.factor if is_changed else part)
            if not all(
                rows.isfinite().all() for rows in parameter.split(ROWS)
            ):  # a large table's copy would not be small
                raise ModelFolderError(f"{where}: {ref.name} must hold finite numbers, as float32; it does not.")
            mapped.append((ref.name, ours))
    accounted, left_over = _account_for_rest(refs, tensors, {name for name, _ in mapped}, explained or {})
    return Account(mapped, accounted, left_over)


def export_tensors(model: nn.Module, refs: Mapping[str, TensorRef]) -> dict[str, Tensor]:
    """Write the tensors of a foreign model, from ours. Rows that nothing reads are zeros.

    Raises:
        ModelFolderError: the format has no place for one of ours.
    """
    parts: dict[str, list[tuple[TensorRef, Tensor]]] = defaultdict(list)
    for ours, parameter in model.named_parameters():
        if ours not in refs:
            raise ModelFolderError(
                f"the format must have a place for {ours}; it has none. Try another format, such as onnx."
            )
        parts[refs[ours].name].append((refs[ours], parameter.detach().cpu().float()))
    written = {}
    for name, pieces in parts.items():
        pieces.sort(key=lambda piece: piece[0].first_row)
        rows: list[Tensor] = []
        for ref, tensor in pieces:
            gap = ref.first_row - sum(map(len, rows))
            assert gap >= 0, name
            if gap:
                rows.append(tensor.new_zeros((gap, *tensor.shape[1:])))
            rows.append(tensor / ref.factor - ref.offset if ref.factor != 1 or ref.offset else tensor)
        ref = pieces[0][0]
        whole = ref.by_head(torch.cat(rows))
        whole = whole.T if ref.transposed else whole
        written[name] = (whole[None] if ref.unsqueezed else whole).contiguous()
    return written


def modules(model: nn.Module, *tables: Mapping[str, str | TensorRef], transposed: bool = False) -> dict[str, TensorRef]:
    """`TensorRef`s for whole modules, whose `weight` and `bias` have the same names in both.

    Args:
        tables: their module for each of ours, by name; a `TensorRef` of one says where ours is in it. The last table counts;
            modules that our model does not have are passed over.
        transposed: their linear maps go from rows to columns.
    """
    linear = {name for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    places = {ours: theirs for table in tables for ours, theirs in table.items()}
    refs = {}
    for name, _ in model.named_parameters():
        module, _, kind = name.rpartition(".")
        if (place := places.get(module)) is not None:
            ref = TensorRef(place) if isinstance(place, str) else place
            is_turned = transposed and kind == "weight" and module in linear
            refs[name] = replace(ref, name=f"{ref.name}.{kind}", transposed=is_turned)
    return refs


def add_zeros(tensors: dict[str, Tensor], sizes: Mapping[str, int]) -> dict[str, str]:
    """Add biases of zeros, in place, where their model has none, for `Blueprint.prepare`."""
    for name, size in sizes.items():
        tensors.setdefault(name, torch.zeros(size))
    return {}


def add_zero_start(tensors: dict[str, Tensor], tables: Sequence[str], bias: str) -> None:
    """Add a token, in place: its vector is zero, as that which Marian's decoder starts from, and it is never written.

    Args:
        tables: names of embedding and output matrices, those that there are; one with `_W` is transposed.
        bias: the name of the output bias.
    """
    for name in tables:
        if name in tensors:
            axis = 1 if name.endswith("_W") else 0
            row = torch.zeros_like(tensors[name].narrow(axis, 0, 1))
            tensors[name] = torch.cat((tensors[name], row), dim=axis)
    last = torch.full_like(tensors[bias][..., :1], NEVER)
    tensors[bias] = torch.cat((tensors[bias], last), dim=-1)


def _account_for_rest(
    refs: Mapping[str, TensorRef], tensors: Mapping[str, Tensor], used: set[str], explained: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Account for the tensors that were not read: a copy of one that was, a known reason, or none."""
    accounted, left_over = {}, []
    by_shape: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name in sorted(used):
        by_shape[tuple(tensors[name].shape)].append(name)
    for name, tensor in tensors.items():
        if name in used:
            continue
        reason = next((why for pattern, why in explained.items() if fnmatchcase(name, pattern)), None)
        equal = next((other for other in by_shape[tuple(tensor.shape)] if torch.equal(tensors[other], tensor)), None)
        if equal is not None:
            accounted[name] = f"the same as {equal}"
        elif reason is not None:
            accounted[name] = reason
        else:
            left_over.append(name)
    for ref in refs.values():
        if ref.first_row and ref.name in used and ref.name.endswith("positions.weight"):
            accounted[f"rows 0 to {ref.first_row - 1} of {ref.name}"] = "no position reads them"
    return accounted, left_over


def _kind(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def names(of: Sequence[str]) -> str:
    """Join names to print: all of a few, the first of many."""
    return ", ".join(of) if len(of) <= 4 else f"{', '.join(of[:3])} and {len(of) - 3} more"
