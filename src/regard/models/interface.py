"""The interfaces of models, whatever their family: for generation, then for training and inspection.

A family of your own derives from `PairModel` (a source is read, a target written), `TokenModel` (the labels are tokens) or
`Model`, and is made known by `regard.extending.add_family`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from regard.errors import SettingsError
from regard.nn.losses import SoftTargets, smoothed_cross_entropy
from regard.nn.scores import soft_capped

State = TypeVar("State", bound="DecoderState")


@runtime_checkable
class DecoderState(Protocol):
    """Everything a model remembers between decoding steps. A state may change in place: after a step, a `select` or a `replace`,
    only the state that it returned may be used. Indices are on the CPU, wherever the model is.
    """

    def select(self: State, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> State:
        """The state of some sentences, with the selected hypotheses of each.

        Args:
            sentences: which sentences stay, as indices into the present ones.
            parents: for each of them, which of its present hypotheses each new one continues.
        """
        ...

    def replace(self: State, slots: Int[Tensor, " slot"], other: State, sentences: Int[Tensor, " slot"]) -> State:
        """The state with some slots replaced by sentences of another state, with the same number of hypotheses each.

        The other one must not have taken more steps than this.
        """
        ...

    def release(self: State, slots: Int[Tensor, " slot"]) -> State:
        """The state after some slots are finished: nothing is kept for them, and their steps count from 0."""
        ...


@runtime_checkable
class SequenceToSequence(Protocol[State]):
    """A model that turns a source into a target, one token at a time."""

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> State:
        """The state before the first step, with one hypothesis for each sentence. Padding may stand on either side."""
        ...

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: State
    ) -> tuple[Float[Tensor, "sentence beam vocab"], State]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        ...


class Model(nn.Module):
    """A model of any family: what training, evaluation and inspection ask of it.

    A family names its configuration in `config`, and computes in `states` what `logits` turns into scores of its classes.
    """

    config: Any
    """With `arch`, `model_dim`, `vocab_size`, `max_positions` and `pad_id`."""
    states: Callable[..., Float[Tensor, "batch position model_dim"]]
    """The last states: of `(source_ids, target_ids)` where `reads_source`, else of `(ids)`."""
    reads_source: ClassVar[bool] = False
    """Whether a source is read and a target written; else there is one text."""
    predicts_next: ClassVar[bool] = False
    """Whether the text that is read is predicted itself, each token from those before it."""
    input_embedding: ClassVar[str] = "embedding"
    """The name of the module that embeds the text or the source."""
    weights_dtype: torch.dtype = torch.float32
    """The type of the matrices in the file that the model was read from: with int8, `auto` decodes with products of bytes."""

    if TYPE_CHECKING:  # here and in modules of `nn`: without it, what a call returns is Any

        def __call__(self, *inputs: Any, **options: Any) -> Tensor: ...  # noqa: D102

    @property
    def vocabulary_sizes(self) -> list[int]:
        """The number of ids of each text that `states` reads: of a source and a target, or of the only text."""
        size = int(self.config.vocab_size)
        return [getattr(self.config, "source_vocab_size", None) or size, size] if self.reads_source else [size]

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind (`encoder`, `decoder`, `cross`), from the lowest layer up."""
        return {}

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The Transformer layers by stack, `encoder` and `decoder`, from the lowest up; the last stack predicts."""
        return {}

    def ids_by_kind(self, ids: Sequence[int]) -> dict[str, tuple[list[int], list[int]]]:
        """The ids of the rows and of the keys of each kind of attention, for a model that reads one text."""
        return {kind: (list(ids), list(ids)) for kind in self.attention_names}

    def given_embeddings(self, vectors: Float[Tensor, "batch position width"]) -> dict[str, Tensor]:
        """The output of each module that embeds the text or the source, by its name, where these are the tokens' vectors."""
        return {self.input_embedding: vectors}

    def part_of(self, parameter: str) -> str:
        """The part of the model that a parameter belongs to, by its name: `embeddings`, a stack of layers such as `encoder`, or
        `output`; for other parameters, the name of their module.
        """
        first = parameter.partition(".")[0]
        stacks = list(self.layer_stacks())
        if first in ("layers", "norm") and stacks:
            return stacks[0]
        if (stack := first.removesuffix("_layers").removesuffix("_norm")) in stacks:
            return stack
        if first.startswith("output") or first == "head":
            return "output"
        return "embeddings" if "embedding" in first or first.endswith(("positions", "_norm")) else first

    @property
    def num_classes(self) -> int:
        """The number of scores that `logits` gives to each row."""
        raise NotImplementedError  # each family has its own

    @property
    def class_names(self) -> Sequence[str]:
        """The names of the classes, where they are not tokens of the vocabulary."""
        return ()

    @property
    def predicts_each_position(self) -> bool:
        """Whether `logits` of `states` are one row for each position."""
        return True

    def logits(self, states: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The score of each class, before the softmax."""
        raise NotImplementedError  # each family has its own

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer position output"]:
        """The logits of the states of any layer of the last stack, as if it were the last layer."""
        return self.logits(states)

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label ..."], Int[Tensor, " label"]]:
        """The states of a batch that have a label, for `logits`, and their labels."""
        raise NotImplementedError  # each family has its own

    @staticmethod
    def at_labels(
        batch: Any, states: Float[Tensor, "batch ..."], is_label: Callable[[Tensor], Tensor]
    ) -> tuple[Float[Tensor, "label ..."], Int[Tensor, " label"]]:
        """The states at the labels of a batch that count, and those labels. With `label_positions`, nothing waits for the device.

        Args:
            is_label: which labels count, for a batch without `label_positions`.
        """
        labels, places = batch.labels, getattr(batch, "label_positions", None)
        places = is_label(labels).flatten().nonzero()[:, 0] if places is None else places
        rows = states.flatten(0, labels.ndim - 1)
        return rows.index_select(0, places), labels.flatten().index_select(0, places)

    def loss(self, batch: Any, *, smoothing: float = 0.0, soft: SoftTargets | None = None) -> Float[Tensor, ""]:
        """The cross-entropy of a batch's labels, summed, in nats.

        Args:
            smoothing: the probability that is taken from the right class and spread over all.
            soft: what a teacher expects, for a part of the loss.
        """
        states, labels = self.labelled_states(batch)
        logits = self.logits(states).float()
        hard = cross_entropy(logits, labels, reduction="sum", label_smoothing=smoothing)
        return hard if soft is None else soft.loss(logits, hard)


def check_not_training(model: nn.Module) -> None:
    """Make sure that a model is in evaluation mode, with all its modules: those that were put in by hand come in training mode.

    Raises:
        SettingsError: it is in training mode, in which dropout makes its answers random.
    """
    if model.training:
        raise SettingsError("a model must be in evaluation mode to be used; got training mode. Call `model.eval()`.")
    model.eval()


def one_row(model: nn.Module, ids: Sequence[int]) -> Int[Tensor, "1 position"]:
    """A text as a batch of one row, where the model is, for a model that is asked about one text.

    Raises:
        SettingsError: the model is in training mode.
    """
    check_not_training(model)
    return torch.tensor([list(ids)], dtype=torch.long, device=next(model.parameters()).device)


def stored_tensors(model: nn.Module) -> dict[str, Tensor]:
    """The tensors that are stored, by name: parameters, and buffers that training changes, such as the means of batch norms.
    Tied ones are there once.
    """
    found: dict[str, Tensor] = dict(model.named_parameters())
    kept = model.state_dict(keep_vars=True).keys()
    return found | {name: buffer for name, buffer in model.named_buffers() if name in kept}


class TokenModel(Model):
    """A model whose classes are the tokens of the vocabulary: `logits` compares states with the output embeddings."""

    output_embedding: nn.Embedding
    output_bias: nn.Parameter | None
    logit_cap: float | None = None
    """The bound of logits; None: there is none."""
    step_states: Callable[..., tuple[Tensor, Any]]
    """The states of the newest tokens, and the decoder state with them: of `(ids, state)`."""

    @property
    def num_classes(self) -> int:
        """The size of the vocabulary."""
        return int(self.config.vocab_size)

    def logits(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch vocab"]:
        """The score of each token of the vocabulary, before the softmax."""
        logits = states @ self.output_embedding.weight.T
        return self.capped(logits if self.output_bias is None else logits + self.output_bias)

    def capped(self, logits: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:
        """The logits, bounded where the model has a bound for them."""
        return logits if self.logit_cap is None else soft_capped(logits, self.logit_cap)

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: Any
    ) -> tuple[Float[Tensor, "sentence beam vocab"], Any]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        states, state = self.step_states(ids, state)
        return self.logits(states), state

    def loss(self, batch: Any, *, smoothing: float = 0.0, soft: SoftTargets | None = None) -> Float[Tensor, ""]:
        """The label-smoothed cross-entropy of a batch's tokens, summed, in nats."""
        states, labels = self.labelled_states(batch)
        weight, bias = self.output_embedding.weight, self.output_bias
        return smoothed_cross_entropy(
            states, weight, labels, bias=bias, cap=self.logit_cap, smoothing=smoothing, soft=soft
        )


class PairModel(TokenModel):
    """A model that reads a source and writes a target; trained on `source_ids`, `target_ids` and `labels`."""

    reads_source = True
    input_embedding = "source_embedding"
    prefill: Callable[..., Any]
    """The decoder state before the first step, of `(source_ids)`."""

    def forward(
        self, source_ids: Int[Tensor, "batch source"], target_ids: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """Logits of the token that follows each target position. Padding may stand on either side."""
        return self.logits(self.states(source_ids, target_ids))

    if TYPE_CHECKING:
        __call__ = forward

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The states before each target token that is not padding, and those tokens."""
        states = self.states(batch.source_ids, batch.target_ids)
        return self.at_labels(batch, states, self.is_token)

    def is_token(self, ids: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Which ids are no padding."""
        return ids != self.config.pad_id
