"""Activation patching: which state or head makes a model say one token rather than another.

A model reads two texts, A and B, and would go on with the token a after A and b after B. A state of B is put into the run on
A, at one place. The change of log p(a) - log p(b) is what that place does.

Source: Vig et al. 2020, section 4, "causal mediation analysis"; Meng et al. 2022, section 2.1, "causal tracing".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn

from regard.errors import DataError, SettingsError, nearest_hint
from regard.models.heads import Site, layer_sites, multihead_attentions
from regard.models.interface import Model
from regard.nn.hooks import forward_hooks, hooks_of
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.requests import ids_to_write
from regard.pipelines.translator import Translator

PLACES_AT_ONCE = 64
"""The number of places that are patched in one batch."""
HINT = "Change another word, or give `answers` in Python."
"""The remedy where both texts lead to the same."""


class Run(NamedTuple):
    """A text as a model reads it."""

    ids: tuple[list[int], ...]
    """The ids of the source and of the target so far; or of the only text."""
    tokens: Mapping[str, list[str]]
    """The spelling of the ids, by the stack of layers that reads them."""

    def rows(self, count: int, device: torch.device) -> list[Tensor]:
        """The ids, `count` times."""
        return [torch.tensor([each] * count, device=device) for each in self.ids]


class Place(NamedTuple):
    """A place of a run: the state after a layer at a position, or the output of a head at all positions."""

    kind: str
    """The stack of a state, `encoder` or `decoder`; the kind of a head's attention, `encoder`, `decoder` or `cross`."""
    layer: int
    """From 0, the lowest."""
    number: int
    """The position of a state, or the number of a head, from 0."""


@dataclass(frozen=True)
class Patching:
    """The effects of all places of one kind.

    The difference is log p(a) - log p(b), in nats. An effect of 0 leaves what A says; an effect of 1 gives what B says.
    """

    what: str
    """`states` or `heads`."""
    answers: tuple[str, str]
    """The tokens or labels a and b."""
    difference: float
    """The difference after A."""
    other_difference: float
    """The difference after B."""
    differences: Mapping[str, Tensor]
    """The difference with each place patched, by kind: layer, position or head."""
    tokens: Mapping[str, list[str]]
    """The tokens of A, by the stack that reads them."""

    @property
    def effects(self) -> dict[str, Tensor]:
        """The share of the way from A to B that each patch goes, by kind."""
        way = self.other_difference - self.difference
        return {kind: (found - self.difference) / way for kind, found in self.differences.items()}

    def records(self) -> list[dict[str, Any]]:
        """A row for each place, as `pandas.DataFrame` takes them."""
        effects, name = self.effects, "position" if self.what == "states" else "head"
        return [
            {
                "kind": kind, "layer": layer, name: index,
                **({"token": self.tokens[kind][index]} if self.what == "states" else {}),
                "difference": float(value), "effect": float(effects[kind][layer, index]),
            }
            for kind, found in self.differences.items()
            for layer, row in enumerate(found)
            for index, value in enumerate(row)
        ]  # fmt: skip


def patch(
    pipeline: Pipeline,
    text: str,
    other: str,
    *,
    what: str = "states",
    answers: tuple[str, str] | None = None,
    prefix: str = "",
    ids: Sequence[int] | None = None,
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> Patching:
    """The effect of each state, or of each head, on what a model says next.

    Args:
        pipeline: a translator, a language model, or a predictor that classifies; a recurrent model has no such places.
        text, other: A and B, with the same number of tokens.
        what: `states`: the state after each layer at each position; `heads`: the output of each head at all positions.
        answers: the tokens or labels a and b; None: what the model says after A and after B. Of a translator, the first
            tokens in which the greedy translations differ.
        prefix: what the translations begin with.
        ids: of a model that reads only A, the ids that it reads in the place of those of the text: a model may write others.
        tell: called with `patching`, the number of runs of the model that are made, and that of all.
    Raises:
        SettingsError: an unknown `what`, a recurrent model, answers that are no tokens or labels of the model, or a prefix with
            unknown tokens.
        DataError: texts with different numbers of tokens, or the same answer for both.
    """
    if what not in ("states", "heads"):
        raise SettingsError(f"what must be states or heads; got {what!r}.")
    if text == other:
        raise DataError("the two texts must differ; got the same text twice.")
    if answers is not None and len(answers) != 2:  # a and b
        raise SettingsError(f"answers must be two tokens or labels; got {len(answers)}.")
    model = pipeline.model
    if not model.layer_stacks():
        raise SettingsError("patching needs layers of attention; got a recurrent model.")
    runs, classes = _runs(pipeline, (text, other), answers, prefix, ids)
    if len({tuple(map(len, run.ids)) for run in runs}) > 1:
        sizes = " and ".join(str(len(run.ids[0])) for run in runs)
        raise DataError(
            f"the two texts must have the same number of tokens, so that they can exchange their states; got {sizes}. "
            "Change one word."
        )
    a, b = (classes[1][answer] for answer in classes[0])
    places = _state_places(model, runs[0]) if what == "states" else _head_places(model)
    found = _patched(model, runs, what, [[place] for place in places], (a, b), tell)
    grids: dict[str, Tensor] = {}
    for place, value in zip(places, found, strict=True):
        size = [1 + max(part) for part in zip(*(each[1:] for each in places if each.kind == place.kind), strict=True)]
        grids.setdefault(place.kind, torch.full(size, float("nan")))[place.layer, place.number] = value
    own, others = (float(_difference(model, run.rows(1, _device(model)), (a, b))[0]) for run in runs)
    return Patching(what, classes[0], own, others, grids, runs[0].tokens)


def _device(model: Model) -> torch.device:
    return next(model.parameters()).device


def _runs(
    pipeline: Pipeline,
    texts: tuple[str, str],
    answers: tuple[str, str] | None,
    prefix: str,
    first_ids: Sequence[int] | None = None,
) -> tuple[list[Run], tuple[tuple[str, str], dict[str, int]]]:
    """The runs on both texts; the answers, and the class of each."""
    if isinstance(pipeline, Translator):
        return _runs_of_pairs(pipeline.in_one_direction, texts, answers, prefix)
    if prefix:
        raise SettingsError(f"`prefix` is for models that translate; got {pipeline.kind}. Remove it.")
    ids = [cast("LanguageModel | Predictor", pipeline).ids_of(text) for text in texts]
    ids[0] = ids[0] if first_ids is None else list(first_ids)
    model, tokenizer = pipeline.model, pipeline.tokenizer
    runs = [
        Run((each,), {kind: tokenizer.tokens(model.ids_by_kind(each)[kind][0]) for kind in model.layer_stacks()})
        for each in ids
    ]
    if isinstance(pipeline, Predictor) and pipeline.model.predicts_each_position:
        raise SettingsError("patching needs a model that says one thing of a text; got one that labels each token.")
    if isinstance(pipeline, Predictor) and not pipeline.model.class_names:
        task = pipeline.model.config.task
        raise SettingsError(f"patching needs a model that says one thing of a text; got one for task {task}.")
    said = [int(_logits(pipeline.model, run.rows(1, pipeline.device))[0].argmax()) for run in runs]
    classes = said if answers is None else class_ids(pipeline, answers)
    names = answers or spelled(pipeline, classes)
    return runs, _different(names, classes)


def _runs_of_pairs(
    translator: Translator, texts: tuple[str, str], answers: tuple[str, str] | None, prefix: str
) -> tuple[list[Run], tuple[tuple[str, str], dict[str, int]]]:
    writer, reader = translator.tokenizer, translator.source_tokenizer
    given = ids_to_write("prefix", prefix, writer)
    if answers is None:
        written = [each.ids for each in translator.translate(list(texts), beam_size=1, prefixes=[prefix] * 2)]
        common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*written, strict=False))]
        if any(len(ids) == len(common) for ids in written):
            raise DataError(f"the translations must differ before one of them ends; they do not. {HINT}")
        given, said = common, [ids[len(common)] for ids in written]
    else:
        said = []
    read = [*writer.symbols.start_ids, *given]
    sources = [reader.frame_source(reader.encode(text)) for text in texts]
    runs = [Run((ids, read), {"encoder": reader.tokens(ids), "decoder": writer.tokens(read)}) for ids in sources]
    if answers is None:
        return runs, _different(spelled(translator, said), said)
    return runs, _different(answers, class_ids(translator, answers))


def class_ids(pipeline: Pipeline, answers: Sequence[str]) -> list[int]:
    """The class of each label, or the id of each token. Of a text, the first token counts.

    Raises:
        SettingsError: the model has no such label or token.
    """
    names, tokenizer = list(pipeline.model.class_names), pipeline.tokenizer
    if names:
        if unknown := [name for name in answers if name not in names]:
            raise SettingsError(
                f"answers must be labels of the model; got {unknown[0]!r}. {nearest_hint(unknown[0], names)}"
            )
        return [names.index(name) for name in answers]
    ids = []
    for name in answers:
        known = tokenizer.id_of(name)
        tokens = [known] if known is not None else tokenizer.encode(name)
        if not tokens or tokens[0] == tokenizer.unk_id:
            raise SettingsError(f"answers must be tokens of the model; got {name!r}.")
        ids.append(tokens[0])
    return ids


def spelled(pipeline: Pipeline, classes: Sequence[int]) -> list[str]:
    """The names of some classes: labels or tokens."""
    names = pipeline.model.class_names
    return [names[each] for each in classes] if names else pipeline.tokenizer.tokens(classes)


def _different(names: Sequence[str], classes: Sequence[int]) -> tuple[tuple[str, str], dict[str, int]]:
    if classes[0] == classes[1]:
        raise DataError(f"the answers to both texts must differ; got {names[0]!r} for both. {HINT}")
    return (names[0], names[1]), dict(zip(names, classes, strict=True))


def _logits(model: Model, rows: Sequence[Tensor]) -> Tensor:
    """The logits of what is said of each row: after its last token, or of the whole."""
    found = model(*rows)
    return found[:, -1] if found.ndim == 3 else found  # row, position, class


def _difference(model: Model, rows: Sequence[Tensor], classes: tuple[int, int]) -> Tensor:
    with torch.inference_mode():
        log_probs = _logits(model, rows).float().log_softmax(dim=-1)
    return log_probs[:, classes[0]] - log_probs[:, classes[1]]


def _state_places(model: Model, run: Run) -> list[Place]:
    return [Place(*site, at) for site in layer_sites(model) for at in range(len(run.tokens[site.kind]))]


def _head_places(model: Model) -> list[Place]:
    return [Place(*site, head) for site, part in multihead_attentions(model).items() for head in part.kept_heads]


def _modules(model: Model, what: str) -> dict[Site, nn.Module]:
    """The module whose output each site is."""
    if what == "states":
        return layer_sites(model)
    return {site: part.attention for site, part in multihead_attentions(model).items()}


def _noted(model: Model, run: Run, what: str, count: int) -> dict[Site, Tensor]:
    """The outputs of all sites on a text. It is read in a batch as large as it will be put into, so that roundings agree."""
    noted: dict[Site, Tensor] = {}

    def note(site: Site, output: Tensor) -> Tensor:
        noted[site] = output[0]
        return output

    with torch.inference_mode(), forward_hooks(after=hooks_of(_modules(model, what), note)):
        model(*run.rows(min(count, PLACES_AT_ONCE), _device(model)))
    return noted


def _patched(
    model: Model,
    runs: Sequence[Run],
    what: str,
    groups: Sequence[Sequence[Place]],
    classes: tuple[int, int],
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> list[float]:
    """The difference after the first run with each group of places taken from the second one."""
    num_read = min(len(groups), PLACES_AT_ONCE)  # runs on the second text
    total = num_read + len(groups)
    tell("patching", 0, total)
    noted, attentions, found = _noted(model, runs[1], what, len(groups)), multihead_attentions(model), list[float]()
    tell("patching", num_read, total)
    for first in range(0, len(groups), PLACES_AT_ONCE):
        rows = [(row, place) for row, group in enumerate(groups[first : first + PLACES_AT_ONCE]) for place in group]

        def put(site: Site, output: Tensor, rows: Sequence[tuple[int, Place]] = rows) -> Tensor:
            output = output.clone()
            for row, place in rows:
                if Site(place.kind, place.layer) == site:
                    index = place.number if what == "states" else attentions[site].kept_heads.index(place.number)
                    output[row, index] = noted[site][index]
            return output

        with forward_hooks(after=hooks_of(_modules(model, what), put)):
            count = min(PLACES_AT_ONCE, len(groups) - first)
            found += _difference(model, runs[0].rows(count, _device(model)), classes).tolist()
        tell("patching", num_read + len(found), total)
    return found
