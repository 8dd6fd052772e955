"""The model folder of an encoder or of another model with labels, ready to use: texts in, labels out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, overload

import torch

from regard.arguments import check_texts
from regard.data.batch import pad_right
from regard.data.labelled import (
    check_labels,
    encode_whole,
    encode_words,
    read_labelled,
    tagged_words,
    texts_of,
    unknown_label,
)
from regard.errors import DataError, SettingsError, short_repr
from regard.evaluation.label_metrics import label_results
from regard.generation.threads import check_after_fork
from regard.inspection.html_report import facts_html
from regard.inspection.inspection import Inspection
from regard.inspection.record import Tokens
from regard.inspection.texts import inspect_text, texts_as_tokens, words_as_tokens
from regard.models.encoder_decoder_classifier import LabelModel
from regard.models.interface import Model, TokenModel, check_not_training, one_row
from regard.nn.defined import defined
from regard.pipelines.pipeline import Pipeline
from regard.text.length_limits import beginning, check_lengths
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import MASK
from regard.text.unknown_tokens import count_unknown, unknown_notes
from regard.text.wording import shortened

BATCH_SIZE = 64
WINDOW = 1024
"""Lines that are read together."""
SCORES = "the scores of the labels"


@dataclass(frozen=True, repr=False)
class Prediction:
    """The prediction of a model for a text."""

    text: str
    labels: list[str]
    """The labels of a text: its class, or all classes that are likelier than not, or a tag for each word, or for each `<mask>`
    the likeliest token; of a regression, the name of each number.
    """
    probs: list[float]
    """The probability of each label, from 0 to 1; of a regression, none."""
    is_cut: bool = False
    """Whether the text is longer than the model can read, and was truncated."""
    values: list[float] = field(default_factory=list)
    """The numbers of a regression, as its labels name them."""

    def record(self) -> dict[str, Any]:
        """The prediction as an object of JSON: without `is_cut` where it is false, and with either `probs` or `values`."""
        absent = "probs" if self.values else "values"
        return {name: value for name, value in asdict(self).items() if name != absent and (value or name != "is_cut")}

    def __repr__(self) -> str:
        numbers = self.values or self.probs
        said = ", ".join(f"{label} {number:.2f}" for label, number in zip(self.labels[:4], numbers[:4], strict=True))
        more = f" and {len(self.labels) - 4} more" if len(self.labels) > 4 else ""
        return f"Prediction({shortened(self.text)}: {said}{more})"

    def _repr_html_(self) -> str:
        """For notebooks: the text, and each label with its probability or number."""
        numbers = self.values or self.probs
        said = "  ".join(f"{label} {number:.2f}" for label, number in zip(self.labels, numbers, strict=True))
        return facts_html({"text": self.text + (" (cut)" if self.is_cut else ""), "predicted": said})


class Predictor(Pipeline):
    """A trained encoder, or another model with labels, with its tokenizer: classes of texts, tags of words, or what a mask
    hides.
    """

    model: LabelModel
    _model: LabelModel
    kind = "a predictor"
    commands: tuple[str, ...] = ("predict {}", "evaluate {} DATA")

    def __init__(self, model: LabelModel, tokenizer: Tokenizer) -> None:
        super().__init__(model, tokenizer)
        if not model.class_names:
            self.commands = self.commands[:1]  # training alone measures it

    @property
    def reads_pairs(self) -> bool:
        """Whether a text may be two, with a tab between them."""
        return self._model.config.reads_pairs

    @classmethod
    def _takes(cls, model: Model) -> bool:
        """Whether a model labels a text."""
        return not isinstance(model, TokenModel)

    @overload
    def predict(self, texts: str) -> Prediction: ...  # type: ignore[overload-overlap]  # a string is a sequence of strings, too

    @overload
    def predict(self, texts: Sequence[str | Sequence[str]]) -> list[Prediction]: ...

    def predict(self, texts: str | Sequence[str | Sequence[str]]) -> Prediction | list[Prediction]:
        """The prediction for each text, in order; of one string, its prediction.

        A text that is tagged may be a list of words, such as those of a file of words and tags. Of a string, words are what tabs
        separate, where it has any, and else what spaces separate; a no-break space is part of a word.

        A pair of texts, for a model that reads pairs (`model.pair_separators`), is a string with a tab between them, or a list of
        two.

        A text that is longer than the model can read is cut where it classifies or tags, and its prediction says so (`is_cut`).

        Raises:
            DataError: for a masked language model, a text without `<mask>`, or a longer one than it can read; for a tagger, a
                list with what is no word; for another model, a list.
            SettingsError: the model is in training mode.
        """
        return self._predict([texts], 1)[0] if isinstance(texts, str) else self._predict(texts, 1)

    def predict_lines(self, lines: Iterable[str], *, window: int = WINDOW) -> Iterator[Prediction]:
        """The prediction for each line, in order, a window of lines at a time: memory does not grow with their number.

        Raises:
            DataError: as for `predict`.
            SettingsError: `window` is below 1.
        """
        if window < 1:
            raise SettingsError(f"window must be at least 1; got {window}.")
        return self._predict_windows(iter(lines), window)

    def _predict_windows(self, lines: Iterator[str], window: int) -> Iterator[Prediction]:
        first = 1
        while texts := list(islice(lines, window)):
            check_texts(texts, "lines", first - 1)
            yield from self._predict(texts, first)
            first += len(texts)

    @torch.inference_mode()
    def _predict(self, texts: Sequence[str | Sequence[str]], first: int) -> list[Prediction]:
        """The prediction for each text; `first` is the number of the first.

        Raises:
            SettingsError: the model is in training mode.
        """
        check_after_fork()
        check_not_training(self._model)
        task = self._model.config.task
        if task in ("spans", "none"):
            raise SettingsError(
                f"`predict` needs a model for task classify, multilabel, regression, tag or mlm; got one for task {task}."
            )
        if task == "tag":
            words = [_words(text, number) for number, text in enumerate(texts, start=first)]
            written = [text if isinstance(text, str) else " ".join(text) for text in texts]
            return [Prediction(text, *found) for text, found in zip(written, self._label(words), strict=True)]
        pairs = self.reads_pairs
        read = [_string(text, number, task, pairs=pairs) for number, text in enumerate(texts, start=first)]
        if task == "mlm":
            return [self._fill(text, number) for number, text in enumerate(read, start=first)]
        whole = [self._texts_of(text, f"text {number}") for number, text in enumerate(read, start=first)]
        if task == "regression":
            labels, numbers = self._model.config.labels, zip(read, self._logits(whole), strict=True)
            return [Prediction(text, labels, [], is_cut, values.tolist()) for text, (values, _, is_cut) in numbers]
        return [Prediction(text, *found) for text, found in zip(read, self._label(whole), strict=True)]

    def evaluate(self, texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> dict[str, Any]:
        """`accuracy` and `macro_f1`, from 0 to 1, over the labels of some texts; under `labels`, each one's precision, recall and
        F1; under `confusion`, for each label that was right, how often which was predicted.

        A word that was cut off counts as well; validation in training leaves it out.

        Raises:
            SettingsError: the model has no labels.
            DataError: there are no texts, or not as many labels as texts or words; a text is not what the model reads, or a label
                not one of the model's.
        """
        if not self._model.class_names:
            raise SettingsError(
                f"`evaluate` needs a model for task classify or tag; got one for task {self._model.config.task}."
            )
        if not texts:
            raise DataError("texts must be at least one; got none.")
        if len(texts) != len(labels):
            raise DataError(f"each text needs labels; got {len(texts)} texts and {len(labels)} rows of labels.")
        for number, (text, row) in enumerate(zip(texts, labels, strict=True), start=1):
            self._check_labelled(text, row, f"text {number}")
        predicted = [label for found, _, _ in self._label(texts) for label in found]
        right = [label for row in labels for label in row]
        return label_results(predicted, right, self._model.config.labels)

    def _check_labelled(self, text: Sequence[str], labels: Sequence[str], name: str) -> None:
        """Make sure that a text with its labels is what the model reads and says.

        Raises:
            DataError: it is not.
        """
        by_word, known = self._model.config.task == "tag", self._model.class_names
        if by_word and not (len(text) and all(word.strip() for word in text)):
            raise DataError(f"{name} must be a list of words, none of them blank; got {short_repr(text)}.")
        if not by_word and self.reads_pairs and not (len(text) in (1, 2) and all(each.strip() for each in text)):
            raise DataError(f"{name} must be a list of one text or two, none of them blank; got {short_repr(text)}.")
        if not by_word and not self.reads_pairs and len(text) != 1:
            raise DataError(f"{name} must be a list of one text, as the model reads no pairs; got {short_repr(text)}.")
        if len(labels) != (wanted := len(text) if by_word else 1):
            rule = f"a label for each of {wanted} words" if by_word else "one label"
            raise DataError(f"{name} must have {rule}; got {len(labels)}.")
        for label in labels:
            if label not in known:
                raise unknown_label(name, label, known)

    def evaluate_files(
        self, data: Sequence[str | os.PathLike[str]], *, tell: Callable[[str], None] = lambda hint: None, **options: Any
    ) -> dict[str, Any]:
        """The scores of `evaluate` on files of texts with labels.

        Raises:
            SettingsError: the model has no labels: a masked language model is measured in training only.
        """
        self._refuse(options)
        labels, task = self._model.class_names, self._model.config.task
        if not labels:
            raise SettingsError(f"`evaluate` needs a model for task classify or tag; got one for task {task}.")
        text = read_labelled(data, by_word=task == "tag", pairs=self.reads_pairs)
        check_labels(text, labels)
        for note in unknown_notes(text=self.count_unknown(text.texts)):
            tell(note)
        return self.evaluate(text.texts, text.labels)

    def count_unknown(self, texts: Sequence[Sequence[str]]) -> int:
        """The number of tokens of some texts, as `evaluate` has them, that the vocabulary lacks; of what is far too long, in its
        beginning.
        """
        limit = self._model.config.max_positions
        return count_unknown(
            [beginning(part, self.tokenizer, limit) for text in texts for part in text], self.tokenizer
        )

    def inspect(self, text: str, *, hidden_states: bool = False, norms: bool = False) -> Inspection:
        """The attention of every head while the model reads a text, and its prediction.

        Args:
            hidden_states: also every layer's states; and for taggers and masked language models, what each layer would say.
            norms: how much of each token a head really moves, in place of its weights.
        Raises:
            DataError: the text is blank, or too long.
            SettingsError: the model is in training mode.
        """
        ids, tokens = self._read(text)
        seen = inspect_text(self._model, self.tokenizer, text, ids, tokens, hidden_states=hidden_states, norms=norms)
        what, predicted = self._said_of(text, ids)
        return replace(seen, predicted_are=what, predicted=predicted)

    @torch.inference_mode()
    def _said_of(self, text: str, ids: Sequence[int]) -> tuple[str, list[tuple[str, float]]]:
        """The predictions in an inspection: classes, the likeliest first, or each word's tag, or the tokens of masks."""
        config = self._model.config
        if config.task == "classify":
            logits = defined(self._model(one_row(self._model, ids))[0].float(), SCORES)
            probs = logits.softmax(dim=-1).tolist()
            return "class", sorted(zip(config.labels, probs, strict=True), key=lambda said: -said[1])
        if config.task == "multilabel":
            (found,) = self.predict([text])
            return "classes", list(zip(found.labels, found.probs, strict=True))
        if config.task == "tag" or (config.task == "mlm" and self.tokenizer.mask_id in ids):
            (found,) = self.predict([text])
            return "tags" if config.task == "tag" else "masks", list(zip(found.labels, found.probs, strict=True))
        return "", []

    def ids_of(self, text: str) -> list[int]:
        """The ids that the model reads of a text, special tokens included."""
        return self._read(text)[0]

    def _read(self, text: str) -> tuple[list[int], Tokens]:
        """The ids that the model reads of a text, and the offsets of each token; None for special tokens and masks."""
        if not text.strip():
            raise DataError("text must have words to be inspected; got a blank text.")
        config = self._model.config
        self._check_length(text, "text")
        if config.task == "mlm" and self.tokenizer.mask_id is not None:
            ids, spans = self._with_masks(text)
            tokens = Tokens.from_offsets(self.tokenizer.tokens(ids), spans, text)
        elif config.task == "tag":
            ids, tokens = words_as_tokens(tagged_words(text), text, self.tokenizer)
        else:
            ids, tokens = texts_as_tokens(self._texts_of(text, "text"), text, self.tokenizer, config.pair_separators)
        if len(ids) > config.max_positions:
            raise DataError(f"text must have at most {config.max_positions} tokens; got {len(ids)}.")
        return ids, tokens

    def _label(self, texts: Sequence[Sequence[str]]) -> Iterator[tuple[list[str], list[float], bool]]:
        """The labels of each text and their probabilities: one, or one for each word; and whether it was cut. A word that was cut
        off gets the label that is likeliest at the end.
        """
        labels, task = self._model.config.labels, self._model.config.task
        for logits, beginnings, is_cut in self._logits(texts):
            if task == "multilabel":
                found = {label: p for label, p in zip(labels, logits.sigmoid().tolist(), strict=True) if p > 0.5}
                yield [*found], [*found.values()], is_cut
                continue
            of_positions = logits[beginnings] if task == "tag" else logits[None]
            best = of_positions.softmax(dim=-1).max(dim=-1)
            yield [labels[label] for label in best.indices.tolist()], best.values.tolist(), is_cut

    @torch.inference_mode()
    def _logits(self, texts: Sequence[Sequence[str]]) -> Iterator[tuple[torch.Tensor, list[int], bool]]:
        """The logits of each text, or of each of its positions; where its words begin; and whether it was cut."""
        check_not_training(self._model)
        limit, beginnings = self._model.config.max_positions, [[0] for _ in texts]
        if self._model.config.task == "tag":
            ids, beginnings, are_cut = encode_words(texts, self.tokenizer, limit)
        else:
            ids, are_cut = encode_whole(texts, self.tokenizer, limit, self._model.config.pair_separators)
        for first in range(0, len(texts), BATCH_SIZE):
            numbers = range(first, min(first + BATCH_SIZE, len(texts)))
            batch = pad_right([ids[number] for number in numbers], self.tokenizer.pad_id).to(self.device)
            logits = defined(self._model(batch).float().cpu(), SCORES)
            yield from ((logits[index], beginnings[number], are_cut[number]) for index, number in enumerate(numbers))

    def _texts_of(self, text: str, name: str) -> list[str]:
        """A text, or the two texts of a pair."""
        return texts_of(text, name) if self.reads_pairs else [text]

    def _fill(self, text: str, number: int) -> Prediction:
        """The likeliest token for each mask."""
        if self.tokenizer.mask_id is None:
            raise DataError("the model's tokenizer must have a mask token; it has none.")
        self._check_length(text, f"text {number}")
        ids, _ = self._with_masks(text)
        if self.tokenizer.mask_id not in ids:
            spelled = self.tokenizer.tokens([self.tokenizer.mask_id])[0]
            raise DataError(f"text {number} must contain {spelled}, the token to fill; got {text[:60]!r}.")
        if len(ids) > self._model.config.max_positions:
            raise DataError(
                f"text {number} must have at most {self._model.config.max_positions} tokens; got {len(ids)}."
            )
        row = one_row(self._model, ids)
        probs = defined(self._model(row)[0].float(), SCORES).softmax(dim=-1)[row[0] == self.tokenizer.mask_id]
        best = probs.max(dim=-1)
        return Prediction(text, self.tokenizer.tokens(best.indices.tolist()), best.values.tolist())

    def _check_length(self, text: str, what: str) -> None:
        """Make sure that a text is not so long that it need not be cut into tokens; a mask is less than it is spelled with."""
        for part in self._parts(text)[::2]:
            check_lengths([part], self.tokenizer, self._model.config.max_positions - 2, what=what)

    def _parts(self, text: str) -> list[str]:
        """The parts of a text between its masks, and in every second element a mask."""
        if self.tokenizer.mask_id is None:
            return [text]
        # Other models may spell their mask differently, such as [MASK] in BERT.
        spelled = self.tokenizer.tokens([self.tokenizer.mask_id])[0]
        return re.split(f"({re.escape(spelled)}|{re.escape(MASK)})", text)

    def _with_masks(self, text: str) -> tuple[list[int], list[tuple[int, int] | None]]:
        """The ids of a text between begin and end symbol, with the mask's where it is spelled, and where each token stands."""
        assert self.tokenizer.mask_id is not None
        ids, begin = [self.tokenizer.bos_id], 0
        spans: list[tuple[int, int] | None] = [None]
        parts = self._parts(text)
        for index, part in enumerate(parts):
            if index % 2:
                ids.append(self.tokenizer.mask_id)
                spans.append(None)
            else:
                # A mask stands for a token with its space before it; the space that a person writes there is not one more.
                kept = part if index == len(parts) - 1 else part.rstrip(" ")
                if part.strip():
                    ids += self.tokenizer.encode(kept)
                    spans += [(begin + first, begin + last) for first, last in self.tokenizer.offsets(kept)]
            begin += len(part)
        return [*ids, self.tokenizer.eos_id], [*spans, None]


def _words(text: str | Sequence[str], number: int) -> Sequence[str]:
    """The words of a text that is to be tagged."""
    if isinstance(text, str):
        return tagged_words(text)
    wrong = (
        [word for word in text if not isinstance(word, str) or not word.strip()]
        if isinstance(text, Sequence)
        else [text]
    )
    if wrong:
        raise DataError(f"text {number} must be a string, or a list of words, none of them blank; got {wrong[0]!r}.")
    return text


def _string(text: object, number: int, task: str, *, pairs: bool) -> str:
    if pairs and isinstance(text, Sequence) and not isinstance(text, str):
        if len(text) == 2 and all(isinstance(each, str) and each.strip() and "\t" not in each for each in text):
            return "\t".join(text)
        raise DataError(f"text {number} must be a string or two, none of them blank or with a tab; got {text!r}.")
    if not isinstance(text, str):
        raise DataError(
            f"text {number} must be a string for a model for task {task}; got {text!r}. Lists are of words to tag."
        )
    return text
