"""The recurrent encoder-decoder in C: both directions of its encoder, and the steps of its decoder."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.compiled import library as c
from regard.compiled.library import INTEGERS, NUMBERS, Library, PointedTensors, address
from regard.engines.kinds import DROPOUTS
from regard.engines.native_model import NativeModel
from regard.engines.native_search import NativeSearch
from regard.engines.packed import with_shared_weights
from regard.engines.structures import INNER_PRODUCTS, NativeLinear
from regard.errors import ShapeError
from regard.generation.step_limit import StepLimit
from regard.generation.threads import available_threads
from regard.models.recurrent import Recurrent, RecurrentState
from regard.nn.attention import Attention
from regard.nn.scores import Additive

ENDS = ("", "_reverse")
"""The ends of the names of an encoder's weights, forwards and backwards."""
LSTMS = (nn.LSTM, nn.LSTMCell)


class _StepArguments(NamedTuple):
    """The arguments that the steps of a search have in common. The search keeps them."""

    input: c.RecurrentInput
    tensors: tuple[Tensor | None, ...]
    """The state's tensors that are pointed to."""
    kept: tuple[Tensor, ...]
    """The other tensors that are pointed to."""

    def fits(self, state: RecurrentState) -> bool:
        """Whether the state still has the same memory."""
        return all(ours is theirs for ours, theirs in zip(self.tensors, _tensors(state), strict=True))


def _tensors(state: RecurrentState) -> tuple[Tensor | None, ...]:
    return state.hidden, state.cell, state.keys, state.memory, state.source_mask


class NativeRecurrent(NativeModel):
    """A recurrent encoder-decoder that runs in C.

    Each number is summed in an order that depends on its own sentence only, so that a sentence has the same scores, to the last
    bit, in any batch.

    Args:
        model: one that `unsupported_in_recurrent` finds nothing in.
        dtype: of the stored weights of linear maps, as for `NativeLinear`; those of the recurrent layers are among them.
    """

    def __init__(self, model: Recurrent, library: Library, dtype: torch.dtype = torch.float32) -> None:
        super().__init__(model, library, dtype)
        self._kept = PointedTensors()
        self._structure = self._pack(model)
        copied: Any = with_shared_weights(model)
        for name in ("initial_proj", "key_proj"):
            setattr(copied, name, NativeLinear(library, [getattr(model, name)], dtype))
        copied.read_source = _NativeReader(library, model.encoder, dtype)
        self._model = copied

    def _pack(self, model: Recurrent) -> c.Recurrent:
        score: Any = model.cross_attention.score
        dim = model.config.model_dim
        attention = c.Attention(num_heads=1, num_kv_heads=1, head_dim=dim, value_dim=2 * dim)
        if isinstance(score, Additive):
            attention.input = self._map(score.query_proj)
            attention.score_vector = self._kept.pointer(score.vector)
        else:
            attention.factor = score.factor(dim)
        own: Any = model.cell
        maps = (_linear(own.weight_ih, own.bias_ih), _linear(own.weight_hh, own.bias_hh))
        cell = c.Cell(*map(self._map, maps), type(own) in LSTMS)
        embedding, output = model.target_embedding.weight, model.output_embedding.weight
        return c.Recurrent(
            self._kept.pointer(embedding), len(embedding), dim, math.sqrt(dim), attention, cell,
            self._map(model.readout_proj), self._map(_linear(output)),
        )  # fmt: skip

    def _map(self, linear: nn.Module) -> c.Linear:
        packed = NativeLinear(self.library, [linear], self.dtype)
        self._kept.keep(packed.kept)
        return packed.structure

    def _prefill(self, source_ids: Int[Tensor, "sentence source"]) -> RecurrentState:
        return cast("RecurrentState", self._model.prefill(source_ids))

    def _decode_step(self, ids: Int[Tensor, "sentence beam"], state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        hidden, cell = state.hidden.clone(), None if state.cell is None else state.cell.clone()
        state = RecurrentState(state.memory, state.keys, state.source_mask, hidden, cell)
        ids, logits = ids.contiguous(), torch.empty(*ids.shape, self.vocab_size, **NUMBERS)
        given, room = self._input(ids, state, logits)
        if not self.library.functions.regard_run_recurrent(ctypes.byref(self._structure), ctypes.byref(given)):
            raise self._beyond()
        del room
        return logits, state

    def search_steps(self, state: RecurrentState, search: NativeSearch, limit: StepLimit) -> int:
        """Take steps of the model and of a search over its tokens, in one call. Their number. The state is changed in place."""
        step: _StepArguments | None = search.kept
        if step is None or not step.fits(state):
            step = search.kept = self._step_arguments(state, search)
        search.begin(limit.most, limit)
        run = self.library.functions.regard_recurrent_search_steps
        if run(ctypes.byref(self._structure), ctypes.byref(step.input), ctypes.byref(search.structure)) < 0:
            raise self._beyond()
        return search.num_steps

    def _step_arguments(self, state: RecurrentState, search: NativeSearch) -> _StepArguments:
        newest = search.tensors.newest
        logits, totals = torch.empty(*newest.shape, self.vocab_size, **NUMBERS), torch.empty(newest.shape, **NUMBERS)
        rows, old = torch.empty(newest.shape, **INTEGERS), torch.empty_like(state.hidden[0])
        given, room = self._input(newest, state, logits)
        search.structure.logits, search.structure.totals = address(logits), address(totals)
        search.structure.rows, search.structure.old_states = address(rows, torch.long), address(old)
        return _StepArguments(given, _tensors(state), (logits, totals, rows, old, room))

    def _input(self, ids: Tensor, state: RecurrentState, logits: Tensor) -> tuple[c.RecurrentInput, Tensor]:
        """The input of C, and the memory that it computes in."""
        given = c.RecurrentInput(
            *ids.shape, ids.numel(), ids=address(ids, torch.long), hidden=address(state.hidden),
            cell=None if state.cell is None else address(state.cell), logits=address(logits),
            keys=address(state.keys), memory=address(state.memory), source_length=state.memory.shape[2],
            source_mask=address(state.source_mask, torch.bool), num_threads=available_threads(),
        )  # fmt: skip
        sizes = ctypes.byref(self._structure), ctypes.byref(given)
        room = torch.empty(self.library.functions.regard_recurrent_workspace_size(*sizes), **NUMBERS)
        given.workspace = address(room)
        return given, room

    def _beyond(self) -> ShapeError:
        return ShapeError(f"tokens must be below {self._structure.num_tokens}; got one that is not.")


class _NativeReader:
    """Both directions of an encoder over whole sources, in the place of `Recurrent.read_source`."""

    def __init__(self, library: Library, encoder: nn.RNNBase, dtype: torch.dtype) -> None:
        self._library, self._dim = library, encoder.hidden_size
        self._inputs = NativeLinear(library, [self._map_of(encoder, "ih", end) for end in ENDS], dtype)
        self._hidden = [NativeLinear(library, [self._map_of(encoder, "hh", end)], dtype) for end in ENDS]
        self._cells = [c.Cell(hidden=each.structure, is_lstm=type(encoder) in LSTMS) for each in self._hidden]

    @staticmethod
    def _map_of(encoder: nn.Module, kind: str, end: str) -> nn.Linear:
        return _linear(*(getattr(encoder, f"{name}_{kind}_l0{end}") for name in ("weight", "bias")))

    def __call__(
        self, embedded: Float[Tensor, "sentence source model_dim"], source_lengths: Int[Tensor, " sentence"]
    ) -> Float[Tensor, "sentence source memory_dim"]:
        functions, threads = self._library.functions, available_threads()
        sentences, positions, _ = embedded.shape
        gates, lengths = self._inputs(embedded), source_lengths.to(**INTEGERS).contiguous()
        memory = torch.empty(sentences, positions, 2 * self._dim, **NUMBERS)
        for number, cell in enumerate(self._cells):
            own = functions.regard_room_of_reading(ctypes.byref(cell), sentences)
            room = torch.empty(own, **NUMBERS)
            functions.regard_read(
                ctypes.byref(cell), number, sentences, positions, address(lengths, torch.long),
                address(gates) + 4 * number * cell.hidden.outputs, gates.shape[2],
                address(memory) + 4 * number * self._dim, memory.shape[2], address(room), threads,
            )  # fmt: skip
        return memory


def _linear(weight: Tensor, bias: Tensor | None = None) -> nn.Linear:
    """A linear map of some weights."""
    found = nn.Linear(1, 1, bias=False, device="meta")
    found.weight = nn.Parameter(weight.detach(), requires_grad=False)
    if bias is not None:
        found.bias = nn.Parameter(bias.detach(), requires_grad=False)
    return found


def unsupported_in_recurrent(model: Recurrent) -> str:
    """The feature of a recurrent model that is not written in C; empty: none."""
    dim, attention = model.config.model_dim, model.cross_attention
    if type(attention) is not Attention or attention.positions is not None or attention.window is not None:
        return "attention of this kind is not written in C"
    if model.logit_cap is not None:
        return "a bound of a recurrent model's logits is not written in C"
    if any(type(each) not in DROPOUTS for each in (model.embedding_dropout, model.readout_dropout)):
        return "dropout of another kind is not written in C"
    score: Any = attention.score
    is_additive = type(score) is Additive and type(score.key_proj) is nn.Identity
    if not is_additive and type(score) not in INNER_PRODUCTS:
        return f"scores of kind {type(score).__name__} are not written in C"
    maps = [model.initial_proj, model.key_proj, model.readout_proj, *([score.query_proj] if is_additive else [])]
    if any(type(linear) is not nn.Linear for linear in maps):
        return "linear maps with an adapter beside them are not written in C"
    if any(type(each) is not nn.Embedding for each in (model.target_embedding, model.output_embedding)):
        return "embeddings of another kind are not written in C"
    if model.target_embedding.max_norm is not None:
        return "embeddings with max_norm are not written in C"
    encoder, cell = model.encoder, model.cell
    is_known = type(encoder) in (nn.GRU, nn.LSTM) and type(cell) in (nn.GRUCell, nn.LSTMCell)
    if (
        not is_known
        or not encoder.bias
        or not cell.bias
        or encoder.num_layers != 1
        or encoder.proj_size
        or not encoder.bidirectional
    ):
        return "recurrent layers of this kind are not written in C"
    return (
        "" if encoder.hidden_size == cell.hidden_size == dim else "recurrent layers of this width are not written in C"
    )
