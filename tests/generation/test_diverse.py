"""Diverse beams against a search written out in plain Python, at ordinary costs and not only at 0 and at very many."""

import math
from typing import Any

import pytest
import torch
from table_model import BOS, EOS, SYMBOLS, VOCAB, TableModel

from random_models import random_model
from regard.analysis.searching import search_steps
from regard.generation.decoding import Decoding
from regard.generation.request import Request
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.models.config import EncoderDecoderConfig
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer

MAX_LENGTH = 5


def search(model: TableModel, source: int, settings: BeamSettings, max_length: int = MAX_LENGTH) -> list[list[int]]:
    (found,) = Decoding(model, [Request([source], max_length)], BeamSearch(settings, EOS), SYMBOLS).run()
    return [hypothesis.ids for hypothesis in found]


def written_out(model: TableModel, source: int, settings: BeamSettings) -> list[list[int]]:
    """Vijayakumar et al. 2018, algorithm 1: a group's hypotheses go on by their log-probability, less `diversity` for each
    time that a group before it chose the token at this step.
    """
    size = settings.beam_size // settings.num_groups
    groups: list[list[tuple[tuple[int, ...], float]]] = [[((), 0.0)] for _ in range(settings.num_groups)]
    finished: list[tuple[float, list[int]]] = []
    for length in range(1, MAX_LENGTH + 1):
        chosen = [0] * VOCAB
        for group, hypotheses in enumerate(groups):
            ranked = []
            for ids, score in hypotheses:
                for id, log_prob in enumerate(model.log_probs(source, ids)):
                    total = score + log_prob
                    ranked.append((total - settings.diversity * chosen[id], total, (*ids, id)))
            ranked.sort(key=lambda candidate: -candidate[0])
            ends = [length == MAX_LENGTH or ids[-1] == EOS for _, _, ids in ranked]
            for (_, total, ids), is_end in list(zip(ranked, ends, strict=True))[:size]:
                if is_end:
                    finished.append((total / settings.normalizer(length), list(ids[:-1] if ids[-1] == EOS else ids)))
                chosen[ids[-1]] += 1
            goes_on = [(ids, total) for (_, total, ids), is_end in zip(ranked, ends, strict=True) if not is_end]
            groups[group] = goes_on[:size]
    return [ids for _, ids in sorted(finished, key=lambda found: -found[0])[: settings.n_best]]


@pytest.mark.parametrize("diversity", [0.0, 0.1, 0.3, 1.0, 2.5, 50.0])
@pytest.mark.parametrize(("beam_size", "num_groups"), [(4, 2), (4, 4), (6, 3), (6, 2)])
def test_diverse_beams_are_those_written_out(beam_size: int, num_groups: int, diversity: float) -> None:
    model = TableModel()
    for source in range(8):
        settings = BeamSettings(
            beam_size, beam_size, 0.7, early_stopping=False, num_groups=num_groups, diversity=diversity
        )
        assert search(model, source, settings) == written_out(model, source, settings)


class SameAtEveryStep(TableModel):
    """a .6, b .3, end .1, whatever stands before."""

    def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor([0.6, 0.3, 0.0, 0.1, 0.0, 0.0]).log()


def test_a_group_begins_with_what_costs_least() -> None:
    a, b = 0, 1
    settings = BeamSettings(2, 2, length_norm="none", early_stopping=False, num_groups=2, diversity=0.8)
    first, second = search(SameAtEveryStep(), 5, settings, max_length=3)
    assert first == [a, a, a]
    assert second[0] == b  # log .3 is above log .6 - .8
    cheap = BeamSettings(2, 2, length_norm="none", early_stopping=False, num_groups=2, diversity=0.6)
    assert search(SameAtEveryStep(), 5, cheap, max_length=3) == [[a, a, a], [a, a, a]]  # log .6 - .6 is above log .3
    assert BOS not in first
    assert math.log(0.3) > math.log(0.6) - 0.8


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("changes", [{}, {"max_length": 3}, {"num_groups": 2, "diversity": 0.0}])
def test_one_path_of_the_tree_leads_to_the_result(letters: Tokenizer, groups: int, changes: dict[str, Any]) -> None:
    sizes = {
        "model_dim": 16,
        "ff_dim": 24,
        "num_heads": 4,
        "max_positions": 12,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
    }
    model = random_model(EncoderDecoderConfig(vocab_size=len(letters), **sizes), seed=3, noise=0.2)
    for text in ("abc", "cab", "bb"):
        found = Translator(model, letters).translate(text, beam_size=4, trace=True, **{"num_groups": groups, **changes})
        assert found.trace is not None
        steps = search_steps(found.trace, found.ids, letters)
        path = [[token for _, token, _, is_path in step if is_path] for step in steps]
        assert {len(step) for step in path} <= {0, 1}
        assert [token for step in path for token in step][: len(found.ids)] == found.tokens[: len(found.ids)]
