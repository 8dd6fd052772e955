"""An encoder-decoder Transformer that classifies: the encoder and the decoder read the same text, as in BART."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.models.class_head import ClassHead, loss_of_numbers
from regard.models.config import EncoderDecoderClassifierConfig
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import Model
from regard.models.parts import Ids
from regard.nn.layers import Activations
from regard.nn.losses import SoftTargets


class EncoderDecoderClassifier(Model):
    """Ids to the logits of the classes of each text, by the state of the decoder's last token.

    The decoder reads the text one place later than the encoder, behind its start symbol: its last state has read all but the
    end symbol, and has looked at that through the encoder. Source: Lewis et al. 2020, section 3.1.
    """

    input_embedding = "transformer.source_embedding"

    def __init__(self, config: EncoderDecoderClassifierConfig) -> None:
        super().__init__()
        self.config = config
        self.transformer = EncoderDecoder(config.transformer)
        self.head = ClassHead(config)

    def forward(self, ids: Ids) -> Float[Tensor, "batch label"]:
        """The logits of the classes of each text. Padding may stand on either side."""
        return self.logits(self.head.pooled(self.states(ids), ids != self.config.pad_id))

    if TYPE_CHECKING:
        __call__ = forward

    def states(self, ids: Ids) -> Activations:
        """The decoder's last states: at each position those of the token before it."""
        return self.transformer.states(ids, self.shifted(ids))

    def shifted(self, ids: Int[Tensor, "batch position"]) -> Int[Tensor, "batch position"]:
        """The ids that the decoder reads: the start symbol, then all tokens but the last. Padding stays where it is."""
        before = torch.nn.functional.pad(ids[:, :-1], (1, 0), value=self.config.pad_id)
        is_first = (ids != self.config.pad_id) & (before == self.config.pad_id)
        return before.masked_fill(is_first, self.config.start_id)

    def ids_by_kind(self, ids: Sequence[int]) -> dict[str, tuple[list[int], list[int]]]:
        """The ids of the rows and of the keys of each kind of attention."""
        encoder, decoder = list(ids), [self.config.start_id, *ids[:-1]]
        return {"encoder": (encoder, encoder), "decoder": (decoder, decoder), "cross": (decoder, encoder)}

    def given_embeddings(self, vectors: Float[Tensor, "batch position model_dim"]) -> dict[str, Tensor]:
        """The output of the embeddings of both sides, where these are the tokens' vectors."""
        start = self.transformer.target_embedding.weight[self.config.start_id].expand_as(vectors[:, :1])
        shifted = torch.cat((start, vectors[:, :-1]), dim=1)
        return {"transformer.source_embedding": vectors, "transformer.target_embedding": shifted}

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind, from the lowest layer up."""
        below = self.transformer.attention_names
        return {kind: [f"transformer.{name}" for name in names] for kind, names in below.items()}

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The layers by stack, `encoder` and `decoder`, from the lowest up."""
        return self.transformer.layer_stacks()

    def part_of(self, parameter: str) -> str:
        """The part of the model that a parameter belongs to."""
        return super().part_of(parameter.removeprefix("transformer."))

    def logits(self, states: Float[Tensor, "batch *position model_dim"]) -> Float[Tensor, "batch label"]:
        """The scores of the classes, for the states of texts without padding, or what `ClassHead.pooled` made of them."""
        return self.head(states)

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer label"]:
        """The scores that the head gives to the states of any decoder layer, as if it were the last."""
        return self.logits(self.transformer.decoder_norm(states))

    @property
    def num_classes(self) -> int:
        """The number of labels."""
        return len(self.config.labels)

    @property
    def class_names(self) -> list[str]:
        """The labels of a classifier."""
        return self.config.labels if self.config.task == "classify" else []

    @property
    def predicts_each_position(self) -> bool:
        """Whether there are logits for each position: there is one row for each text."""
        return False

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The pooled states of the texts that have a label, and those labels."""
        pooled = self.head.pooled(self.states(batch.ids), batch.ids != self.config.pad_id)
        return self.at_labels(batch, pooled, lambda labels: labels >= 0)

    def loss(self, batch: Any, *, smoothing: float = 0.0, soft: SoftTargets | None = None) -> Float[Tensor, ""]:
        """The label-smoothed cross-entropy of a batch's labels, summed, in nats; of numbers, as `loss_of_numbers` says."""
        if self.config.task != "classify":
            return loss_of_numbers(self.config.task, self(batch.ids), batch.labels)
        return super().loss(batch, smoothing=smoothing, soft=soft)


LabelModel = Encoder | EncoderDecoderClassifier
"""The models that predict the labels of a text, or of its words, or the tokens that are hidden in it."""
