"""The encoder of BERT, with heads: masked language modelling, classes, tags and spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.models.class_head import ClassHead, loss_of_numbers
from regard.models.config import TEXT_TASKS, EncoderConfig
from regard.models.interface import Model
from regard.models.parts import (
    BERT_SCALE,
    EmbeddedPositions,
    Ids,
    OutputTransform,
    TextInput,
    feed_forward,
    final_norm,
    gates_of_layers,
    initial_scale,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import KeysValues
from regard.nn.dropout import Dropout
from regard.nn.initialization import share_weights, tied
from regard.nn.layers import ACTIVATIONS, Activations, EncoderLayer, IsToken, normalised
from regard.nn.losses import SoftTargets, smoothed_cross_entropy
from regard.nn.masks import mask_with_prefix, prepared


class Encoder(Model):
    """Ids to a vector for each token, and by the head of its task to logits.

    With the defaults of its configuration, BERT: token, position and segment embeddings, normalised; post-norm layers with
    GELU. Source: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        width = config.embedding_dim or config.model_dim
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.segment_embedding = nn.Embedding(config.num_segments, width) if config.num_segments else None
        self.positions = EmbeddedPositions(config, width)
        self.embedding_norm = norm(config)(width) if config.embedding_norm else nn.Identity()
        self.embedding_dropout = Dropout(config.dropout)
        self.embedding_proj = nn.Linear(width, config.model_dim) if config.embedding_dim else nn.Identity()
        self.layers = cast(
            "Sequence[EncoderLayer]",
            nn.ModuleList(
                EncoderLayer(
                    self_attention(config, layer, is_decoder=False), feed_forward(config), lambda: residual(config)
                )
                for layer in range(config.num_layers)
            ),
        )
        for layer, first in enumerate(config.weights_from):
            share_weights(self.layers[layer], self.layers[first])
        if not config.first_norm:
            self.layers[0].self_attention_residual.norm = nn.Identity()
        self.norm = final_norm(config)
        self.head = _head(config)
        self.pooler = nn.Linear(config.model_dim, config.model_dim) if config.pooler else None
        is_untied = config.task == "mlm" and not config.tied_embeddings
        self.output_embedding = nn.Embedding(config.vocab_size, width) if is_untied else tied(self.embedding)
        # Embeddings are normalised, so their scale decides only how fast they move: small ones learn fast.
        tables = {module.weight for module in self.modules() if isinstance(module, nn.Embedding)}
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=BERT_SCALE if parameter in tables else initial_scale(config))

    def forward(
        self, ids: Ids | None = None, segments: Ids | None = None, **given: Any
    ) -> Float[Tensor, "batch *position output"]:
        """The logits of the task: of the vocabulary for each token, of the classes for each sequence, of the tags for each
        token, or of being the begin and the end of the span for each token.

        Args:
            segments: which kind each token is; None: in a pair of texts, 0 in the first and 1 in the second, and else 0. Padding
                may stand on either side.
            given: what else `states` may be given.
        """
        states = self.states(ids, segments, **given)
        if isinstance(self.head, ClassHead):
            is_token = given.get("is_token")
            is_token = ids != self.config.pad_id if is_token is None and ids is not None else is_token
            states = self.head.pooled(states, is_token)
        return self.logits(states)

    if TYPE_CHECKING:
        __call__ = forward

    def states(
        self,
        ids: Ids | None = None,
        segments: Ids | None = None,
        *,
        embedded: Activations | None = None,
        is_token: IsToken | None = None,
        positions: Ids | None = None,
        past: Sequence[KeysValues] | None = None,
        gates: Float[Tensor, "layer *example head"] | None = None,
    ) -> Activations:
        """A vector for each token, in its context.

        Args:
            segments: as for `forward`.
            embedded: the vectors of the tokens, in place of `ids`, without those of kinds and positions.
            is_token: False for padding; None: what `ids` say, and without `ids` all are tokens.
            positions: of each token, from 0, where they are added to embeddings; None: the number of tokens before it, those of
                `past` included.
            past: of each layer, keys and values that every token may see, such as a `LearnedPrefix`.
            gates: what the context of each head is multiplied by: 0 removes it.
        Raises:
            ShapeError: neither or both of `ids` and `embedded` are given, more positions than the model has, or gates for another
                number of layers.
            SettingsError: `positions` where the model's are inside attention, such as rotary ones.
        """
        given = TextInput.of(
            ids, self.config, embedded=embedded, is_token=is_token, positions=positions, past=past,
            num_layers=len(self.layers),
        )  # fmt: skip
        x = given.embedded(self.embedding, self.config.pad_id)
        if self.segment_embedding is not None:
            x = x + self.segment_embedding(self._kinds(given) if segments is None else segments)
        x = self.positions(x, given.positions)
        x = self.embedding_proj(self.embedding_dropout(normalised(self.embedding_norm, x, given.is_token)))
        mask = prepared(given.is_token[:, None, None])
        masks = {0: mask} if past is None else {}
        of_layers = gates_of_layers("gates", gates, len(self.layers))
        for index, layer in enumerate(self.layers):
            before = None if past is None else past[index]
            length = 0 if before is None else before.length
            if length not in masks:
                masks[length] = prepared(mask_with_prefix(mask, length))
            x = layer(x, mask=masks[length], is_token=given.is_token, past=before, gates=of_layers[index])
        return normalised(self.norm, x, given.is_token)

    def _kinds(self, given: TextInput) -> Ids:
        """The kind of each token: in a pair of texts, which of them it is in. The symbol that ends a text belongs to it.

        With two symbols between the texts, as in RoBERTa, all tokens are of one kind.
        """
        config = self.config
        if config.pair_separators != 1 or config.num_segments < 2 or given.ids is None:
            return torch.zeros_like(given.positions)
        is_end = (given.ids == config.separator_id).long()
        return (is_end.cumsum(dim=1) - is_end).clamp(max=1)

    def pooled(self, states: Activations) -> Float[Tensor, "batch model_dim"]:
        """A vector for each sequence, from the state of its first token: the output of BERT's pooler. Padding stands on the
        right.

        Raises:
            SettingsError: the configuration has no pooler.
        Source: Devlin et al. 2019, section 3.2, and its code.
        """
        if self.pooler is None:
            raise SettingsError(
                "`pooled` needs a model with a pooler; got none. Set `model.pooler=true` with task none."
            )
        return ACTIVATIONS[self.config.head_activation or "tanh"](self.pooler(states[:, 0]))

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind, from the lowest layer up."""
        return {"encoder": [f"layers.{index}.self_attention" for index in range(len(self.layers))]}

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The layers by stack, `encoder` and `decoder`, from the lowest up."""
        return {"encoder": list(self.layers)}

    def logits(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*shape output"]:
        """The scores that the task's head gives to the states. Those of a classifier are of texts without padding, or what
        `ClassHead.pooled` made of each text.
        """
        return self.head(states, self.output_embedding.weight)

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer position output"]:
        """The scores that the head gives to the states of any layer, as if it were the last."""
        return self.logits(self.norm(states))

    @property
    def num_classes(self) -> int:
        """The labels, where there are any; else the tokens of the vocabulary."""
        return len(self.config.labels) or self.config.vocab_size

    @property
    def class_names(self) -> list[str]:
        """The labels of a classifier or tagger."""
        return self.config.labels if self.config.task in ("classify", "tag") else []

    @property
    def predicts_each_position(self) -> bool:
        """Whether there are logits for each position: of tags, or of tokens."""
        return self.config.task in ("tag", "mlm")

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label ..."], Int[Tensor, " label"]]:
        """The states of each position, or each sequence, that has a label; and those labels."""
        states = self.states(batch.ids)
        if isinstance(self.head, ClassHead):
            states = self.head.pooled(states, batch.ids != self.config.pad_id)
        return self.at_labels(batch, states, lambda labels: labels >= 0)

    def loss(self, batch: Any, *, smoothing: float = 0.0, soft: SoftTargets | None = None) -> Float[Tensor, ""]:
        """The label-smoothed cross-entropy of a batch's labels, summed, in nats.

        With task `multilabel`, `batch.labels` has a 1 for each label that a text has and a 0 for others, and this is the
        cross-entropy of each. With task `regression`, it has numbers, and this is the sum of squared errors.
        """
        if self.config.task in ("multilabel", "regression"):
            return loss_of_numbers(self.config.task, self(batch.ids), batch.labels)
        if not isinstance(head := self.head, MaskedLanguageHead):
            return super().loss(batch, smoothing=smoothing, soft=soft)
        states, labels = self.labelled_states(batch)
        weight = self.output_embedding.weight
        compared = head.compared(states)
        return smoothed_cross_entropy(compared, weight, labels, bias=head.bias, smoothing=smoothing, soft=soft)


class MaskedLanguageHead(OutputTransform):
    """Predicts the original token at each position. Source: Devlin et al. 2019, section 3.1, task 1, and its code."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__(
            config, config.head_activation or "gelu", config.head_transform or "norm", config.embedding_dim
        )
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(  # type: ignore[override]  # the output matrix is the model's to give
        self, states: Float[Tensor, "*batch model_dim"], embedding: Float[Tensor, "vocab output_dim"]
    ) -> Float[Tensor, "*batch vocab"]:
        """Logits of the vocabulary."""
        return self.compared(states) @ embedding.T + self.bias

    if TYPE_CHECKING:
        __call__ = forward  # type: ignore[assignment]

    def compared(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch output_dim"]:
        """The vectors that are compared with the output embeddings."""
        return super().forward(states)


class NoHead(nn.Module):
    """The states themselves."""

    def forward(
        self, states: Float[Tensor, "*batch model_dim"], embedding: Float[Tensor, "vocab width"]
    ) -> Float[Tensor, "*batch model_dim"]:
        """The input itself."""
        return states

    if TYPE_CHECKING:
        __call__ = forward


class TokenHead(nn.Module):
    """A few numbers for each token: its tag, or whether a span begins and ends there."""

    def __init__(self, config: EncoderConfig, num_outputs: int) -> None:
        super().__init__()
        activation, kind = config.head_activation or "gelu", config.head_transform or "none"
        self.transform = OutputTransform(config, activation, kind)
        self.dropout = Dropout(config.dropout)
        self.output_proj = nn.Linear(config.model_dim, num_outputs)

    def forward(
        self, states: Float[Tensor, "*batch model_dim"], embedding: Float[Tensor, "vocab width"]
    ) -> Float[Tensor, "*batch output"]:
        """The numbers of each token."""
        return self.output_proj(self.dropout(self.transform(states)))

    if TYPE_CHECKING:
        __call__ = forward


def _head(config: EncoderConfig) -> nn.Module:
    if config.task == "mlm":
        return MaskedLanguageHead(config)
    if config.task in TEXT_TASKS:
        return ClassHead(config)
    if config.task == "none":
        return NoHead()
    return TokenHead(config, 2 if config.task == "spans" else len(config.labels))
