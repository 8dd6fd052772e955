"""States of texts, layer by layer: translations from each layer of an encoder, directions between sets of texts, probes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from regard.analysis.numbers import Numbers
from regard.arguments import checked
from regard.errors import DataError, SettingsError
from regard.generation.options import DecodingOptions
from regard.inspection.inspection import Inspection
from regard.inspection.steering import ending_after, layer_named
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translation import Translation
from regard.pipelines.translator import Translator

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PENALTY, ITERATIONS = 1e-3, 100
"""The weight of squared parameters in a probe's loss, and its steps of L-BFGS."""


def decoder_lens(translator: Translator, text: str, options: DecodingOptions | None = None) -> list[Translation]:
    """The translation from the embeddings of the encoder, and from each of its layers as if it were the last.

    The last one is the model's own translation.

    Raises:
        SettingsError: the model has no layers.
    Source: Langedijk et al. 2024 (DecoderLens).
    """
    stacks, found = translator.model.layer_stacks(), list[Translation]()
    if "encoder" not in stacks:
        raise SettingsError("layers need a Transformer; got a recurrent model.")
    for layer in range(-1, len(stacks["encoder"])):
        with ending_after(translator.model, layer):
            found += translator.translate([text], options)
    return found


def mean_difference(pipeline: Pipeline, texts: Sequence[str], others: Sequence[str], layer: str) -> Tensor:
    """The mean state of some texts' tokens after a layer, less that of others: a vector for `steered`.

    Args:
        layer: such as `encoder.2`; of a translator, a layer of its encoder.
    Raises:
        SettingsError: the model has no such layer.
        DataError: no texts.
    """
    site = layer_named(pipeline.model, layer)
    means = []
    for name, some in (("texts", texts), ("others", others)):
        if not some or isinstance(some, str):
            raise DataError(f"{name} must be a list of at least one text; got {some!r}.")
        states = [_seen(pipeline, text, site.kind).hidden_states[site.kind][site.layer + 1] for text in some]
        means.append(torch.cat([torch.from_numpy(each) for each in states]).mean(dim=0))
    return means[0] - means[1]


@dataclass(frozen=True)
class Probing(Numbers):
    """The accuracy of linear probes, layer by layer, the embeddings first; on words that they were not trained on."""

    labels: list[str]
    accuracy: list[float]
    control_accuracy: list[float]
    """The accuracy on the control task: a random label for each word type, drawn as often as the real ones occur."""
    majority: float
    """The accuracy of always saying the label that is commonest in training."""
    num_words: tuple[int, int]
    """The number of words that were trained on, and of those that were tested."""

    @property
    def selectivity(self) -> list[float]:
        """The accuracy less that of the control task: a probe that only remembers words has none."""
        return [one - other for one, other in zip(self.accuracy, self.control_accuracy, strict=True)]

    def records(self) -> list[dict[str, Any]]:
        """A row for each layer, as `pandas.DataFrame` takes them."""
        return [
            {
                "layer": "embeddings" if layer < 0 else layer, "accuracy": self.accuracy[layer + 1],
                "control_accuracy": self.control_accuracy[layer + 1], "selectivity": self.selectivity[layer + 1],
                "majority": self.majority,
            }
            for layer in range(-1, len(self.accuracy) - 1)
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """All content as JSON has it."""
        return {"labels": self.labels, "num_words": self.num_words, "layers": self.records()}

    def figure(self, row: int | None = None) -> Figure:
        """Draw both accuracies by layer as curves."""
        from regard.inspection.drawing.pictures import curves_figure

        curves = {"labels": self.accuracy, "control task": self.control_accuracy}
        return curves_figure(
            {name: list(enumerate(values)) for name, values in curves.items()},
            title="linear probes", x_label="layer; 0 is the embeddings", y_label="accuracy",
            note=f"Always saying the commonest label is right for {self.majority:.0%}.",
        )  # fmt: skip


@checked
def probe(
    pipeline: Pipeline,
    texts: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    *,
    test_share: float = 0.25,
    seed: int = 1,
) -> Probing:
    """Train a linear probe on each layer's states: whether the label of a word can be read off its state.

    A probe is multinomial logistic regression on the mean state of a word's tokens. Whole texts are kept for testing.

    Args:
        pipeline: any but a recurrent model; of a translator, its encoder is probed.
        texts: the words of each text.
        labels: a label for each word.
        test_share: the share of the texts that probes are tested on, above 0 and below 1.
    Raises:
        DataError: words without labels, words with spaces, or a single label.
        SettingsError: a share outside its range, or a recurrent model.
    Source: Hewitt and Liang 2019, for the control task and selectivity.
    """
    if not 0 < test_share < 1:
        raise SettingsError(f"test_share must be above 0 and below 1; got {test_share}.")
    _check(texts, labels)
    rng = random.Random(seed)
    order = rng.sample(range(len(texts)), len(texts))
    num_test = min(max(round(test_share * len(texts)), 1), len(texts) - 1)
    train, test = order[num_test:], order[:num_test]
    states = [_word_states(pipeline, words) for words in texts]
    every = [label for of_text in labels for label in of_text]
    names = sorted(set(every))
    drawn = {word: rng.choice(every) for word in sorted({word for text in texts for word in text})}
    tasks = labels, [[drawn[word] for word in words] for words in texts]
    accuracies: tuple[list[float], list[float]] = [], []
    for layer in range(len(states[0])):
        for task, found in zip(tasks, accuracies, strict=True):
            x, y = (torch.cat([states[text][layer] for text in part]) for part in (train, test))
            of_x, of_y = (
                torch.tensor([names.index(label) for text in part for label in task[text]]) for part in (train, test)
            )
            found.append(_accuracy(x, of_x, y, of_y, len(names)))
    (commonest, _), *_ = Counter(label for text in train for label in labels[text]).most_common(1)
    tested = [label for text in test for label in labels[text]]
    return Probing(names, *accuracies, tested.count(commonest) / len(tested), (len(every) - len(tested), len(tested)))


def _accuracy(x: Tensor, of_x: Tensor, y: Tensor, of_y: Tensor, num_labels: int) -> float:
    """The accuracy on y of logistic regression on x, whose features are scaled to variance 1."""
    mean, scale = x.mean(dim=0), x.std(dim=0).clamp(min=1e-6)
    x, y = (((each - mean) / scale).double() for each in (x, y))
    weight = torch.zeros(x.shape[1], num_labels, dtype=x.dtype, requires_grad=True)
    bias = torch.zeros(num_labels, dtype=x.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=ITERATIONS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = cross_entropy(x @ weight + bias, of_x) + PENALTY * weight.square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(loss)  # type: ignore[no-untyped-call,unused-ignore]  # has no types in some versions of PyTorch
    with torch.no_grad():
        return float(((y @ weight + bias).argmax(dim=-1) == of_y).double().mean())


def _check(texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> None:
    if len(texts) != len(labels) or len(texts) < 2:  # one to train on, one to test on
        raise DataError(f"probes need at least two texts, and labels for each; got {len(texts)} and {len(labels)}.")
    for number, (words, of_words) in enumerate(zip(texts, labels, strict=True), start=1):
        if isinstance(words, str) or isinstance(of_words, str):
            raise DataError(f"text {number} must be a list of words, and its labels a list; got a string.")
        if len(words) != len(of_words) or not words:
            raise DataError(
                f"text {number} must have a label for each word; got {len(words)} words and {len(of_words)} labels."
            )
        if wrong := [word for word in words if word.split() != [word]]:
            raise DataError(f"words of text {number} must be without spaces; got {wrong[0]!r}.")
    if len(names := {label for of_words in labels for label in of_words}) < 2:  # one tells nothing apart
        raise DataError(f"probes need at least two labels; got {len(names)}.")


def _word_states(pipeline: Pipeline, words: Sequence[str]) -> Tensor:
    """The mean state of each word's tokens, in each layer."""
    stack = next(iter(pipeline.model.layer_stacks()), "")
    if not stack:
        raise SettingsError("probes need a Transformer; got a recurrent model.")
    seen = _seen(pipeline, " ".join(words), stack)
    states, of_tokens = torch.from_numpy(seen.hidden_states[stack]), seen.keys(stack).words
    rows = [[place for place, word in enumerate(of_tokens) if word == number] for number in range(len(words))]
    if [] in rows:
        raise DataError(f"every word must have a token; got none for {words[rows.index([])]!r}.")
    return torch.stack([states[:, places].mean(dim=1) for places in rows], dim=1)


def _seen(pipeline: Pipeline, text: str, stack: str) -> Inspection:
    """A text as a model reads it, with its states."""
    if not isinstance(pipeline, Translator):
        return cast("LanguageModel | Predictor", pipeline).inspect(text, hidden_states=True)
    if stack != "encoder":
        raise SettingsError(f"the layer must be one of the encoder, which reads texts; got one of the {stack}.")
    return pipeline.in_one_direction.inspect_ids(text, [], hidden_states=True)
