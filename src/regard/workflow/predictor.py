"""An encoder's model folder, ready to use: texts in, labels out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from regard.data.batch import pad_right
from regard.data.labelled import encode_words
from regard.errors import DataError, SettingsError
from regard.evaluation.label_metrics import accuracy, macro_f1
from regard.inspection.record import Tokens
from regard.models.encoder import Encoder
from regard.text.tokenizer import MASK, Tokenizer
from regard.workflow.inspection.inspecting import inspect_text, words_as_tokens
from regard.workflow.inspection.inspection import Inspection

BATCH_SIZE = 64


@dataclass(frozen=True)
class Prediction:
    """What a model says of a text."""

    text: str
    labels: list[str]
    """One class; or a tag for each word; or for each `<mask>` the likeliest token."""
    probs: list[float]
    """The probability of each label, from 0 to 1."""


class Predictor:
    """A trained encoder with its tokenizer: classes of texts, tags of words, or what a mask hides."""

    def __init__(self, model: Encoder, tokenizer: Tokenizer) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.device = next(model.parameters()).device

    @torch.inference_mode()
    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """The prediction for each text, in order; words are what spaces separate.

        Raises:
            DataError: for a masked language model, a text without `<mask>`.
            SettingsError: one string instead of a list.
        """
        if isinstance(texts, str):
            raise SettingsError("texts must be a list of strings; got one string. Write predict([text]).")
        task = self.model.config.task
        if task == "spans":
            raise SettingsError("predict must have a model that classifies, tags or fills masks; got one for spans.")
        if task == "mlm":
            return [self._fill(text, number) for number, text in enumerate(texts, start=1)]
        words = [text.split() if task == "tag" else [text] for text in texts]
        return [
            Prediction(text, labels, probs) for text, (labels, probs) in zip(texts, self._label(words), strict=True)
        ]

    def evaluate(self, texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> dict[str, Any]:
        """`accuracy` and `macro_f1`, from 0 to 1, over the labels of some texts.

        A word that was cut off counts as well; validation in training leaves it out.

        Raises:
            SettingsError: the model has no labels.
            DataError: there are no texts.
        """
        if not self.model.config.labels:
            raise SettingsError(f"evaluate must have a model with labels; got one for {self.model.config.task}.")
        if not texts:
            raise DataError("texts must be at least one; got none.")
        predicted = [label for found, _ in self._label(texts) for label in found]
        right = [label for row in labels for label in row]
        return {
            "accuracy": accuracy(predicted, right),
            "macro_f1": macro_f1(predicted, right),
            "num_labels": len(right),
        }

    def inspect(self, text: str, *, hidden_states: bool = False, norms: bool = False) -> Inspection:
        """What every head looks at while the model reads a text.

        Args:
            hidden_states: also every layer's states; and for taggers and masked language models, what each layer would say.
            norms: how much of each token a head really moves, in place of its weights.
        Raises:
            DataError: the text is blank, or too long.
        """
        ids, tokens = self._read(text)
        return inspect_text(self.model, self.tokenizer, text, ids, tokens, hidden_states=hidden_states, norms=norms)

    def ids_of(self, text: str) -> list[int]:
        """What the model reads of a text, symbols among it."""
        return self._read(text)[0]

    def _read(self, text: str) -> tuple[list[int], Tokens]:
        """What the model reads of a text, and where each token stands in it; symbols and masks stand nowhere."""
        if not text.strip():
            raise DataError("text must have words to be inspected; got a blank one.")
        config = self.model.config
        if config.task == "mlm" and self.tokenizer.mask_id is not None:
            ids, places = self._with_masks(text)
            tokens = Tokens.of(self.tokenizer.tokens(ids), places, text)
        else:
            words = text.split() if config.task == "tag" else [text]
            ids, tokens = words_as_tokens(words, text, self.tokenizer)
        if len(ids) > config.max_positions:
            raise DataError(f"text must have at most {config.max_positions} tokens; got {len(ids)}.")
        return ids, tokens

    @torch.inference_mode()
    def _label(self, texts: Sequence[Sequence[str]]) -> Iterator[tuple[list[str], list[float]]]:
        """The labels of each text and their probabilities: one, or one for each word. A word that was cut off gets the label
        that is likeliest at the end.
        """
        config = self.model.config
        ids, beginnings = encode_words(texts, self.tokenizer, config.max_positions)
        for first in range(0, len(texts), BATCH_SIZE):
            rows = range(first, min(first + BATCH_SIZE, len(texts)))
            batch = pad_right([ids[row] for row in rows], self.tokenizer.pad_id).to(self.device)
            probs = self.model(batch).float().softmax(dim=-1).cpu()
            for index, row in enumerate(rows):
                places = beginnings[row] if config.task == "tag" else [0]
                of_places = probs[index][places] if config.task == "tag" else probs[index : index + 1]
                best = of_places.max(dim=-1)
                yield [config.labels[label] for label in best.indices.tolist()], best.values.tolist()

    def _fill(self, text: str, number: int) -> Prediction:
        """The likeliest token for each mask."""
        if self.tokenizer.mask_id is None:
            raise DataError("the model's tokenizer must have a mask to be filled; it does not.")
        ids, _ = self._with_masks(text)
        if self.tokenizer.mask_id not in ids:
            spelled = self.tokenizer.tokens([self.tokenizer.mask_id])[0]
            raise DataError(f"text {number} must have a {spelled} to be filled; got {text[:60]!r}.")
        if len(ids) > self.model.config.max_positions:
            raise DataError(
                f"text {number} must have at most {self.model.config.max_positions} tokens; got {len(ids)}."
            )
        row = torch.tensor([ids], device=self.device)
        probs = self.model(row)[0].float().softmax(dim=-1)[row[0] == self.tokenizer.mask_id]
        best = probs.max(dim=-1)
        return Prediction(text, self.tokenizer.tokens(best.indices.tolist()), best.values.tolist())

    def _with_masks(self, text: str) -> tuple[list[int], list[tuple[int, int] | None]]:
        """The ids of a text between begin and end symbol, with the mask's where it is spelled, and where each token stands."""
        assert self.tokenizer.mask_id is not None
        # Somebody else's model may spell its mask otherwise, as BERT does with [MASK].
        spelled = self.tokenizer.tokens([self.tokenizer.mask_id])[0]
        ids, begin = [self.tokenizer.bos_id], 0
        places: list[tuple[int, int] | None] = [None]
        parts = re.split(f"({re.escape(spelled)}|{re.escape(MASK)})", text)
        for index, part in enumerate(parts):
            if index % 2:
                ids.append(self.tokenizer.mask_id)
                places.append(None)
            else:
                # A mask stands for a token with its space before it; the space that a person writes there is not one more.
                kept = part if index == len(parts) - 1 else part.rstrip(" ")
                if part.strip():
                    ids += self.tokenizer.encode(kept)
                    places += [(begin + first, begin + last) for first, last in self.tokenizer.offsets(kept)]
            begin += len(part)
        return [*ids, self.tokenizer.eos_id], [*places, None]
