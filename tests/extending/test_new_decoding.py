"""A decoding rule, without a base class, and a metric that were written from docs/extending.md alone."""

from itertools import accumulate
from pathlib import Path

import pytest
import torch
from torch import Tensor

import regard
from regard.cli.main import run
from regard.extending import ActiveBatch, DecodingOptions, Hypothesis, Rule, Translator, add_decoding_method, add_metric

PAIRS = [(a + b + c, (c + b + a).upper()) for a in "abcd" for b in "abcd" for c in "abcd"]


@pytest.fixture
def translator() -> Translator:
    """A model that has learnt nothing: its sentences end anywhere."""
    model = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 1, "num_decoder_layers": 1}
    return regard.new(PAIRS, settings={"model": model, "tokenizer": {"kind": "characters"}})


class LengthBonus:
    """A beam whose finished hypotheses have a bonus, in nats, for each token. A sentence is done when enough have finished."""

    def __init__(self, options: DecodingOptions, eos_id: int) -> None:
        self.width, self.starts = options.beam_size, (0,)
        self.bonus, self.eos_id, self.num_wanted = options.length_penalty, eos_id, options.num_wanted

    def advance(self, active: ActiveBatch, log_probs: Tensor) -> Tensor:
        log_probs = log_probs.cpu()
        vocab = log_probs.shape[-1]
        parents = torch.zeros(len(active.requests), self.width, dtype=torch.long)
        ids, added = torch.zeros_like(parents), torch.zeros(parents.shape)
        scores = torch.full(parents.shape, -torch.inf)
        totals = (active.scores[:, :, None] + log_probs).flatten(1)
        best = totals.topk(min(2 * self.width, totals.shape[1]))
        for slot, request in enumerate(active.requests):
            if request is None:
                continue
            length, kept = int(active.lengths[slot]) + 1, 0
            pairs = zip(best.values[slot].tolist(), best.indices[slot].tolist(), strict=True)
            found = [each for each in pairs if each[0] > -torch.inf]
            for total, place in found:
                parent, id = divmod(place, vocab)
                log_prob = float(log_probs[slot, parent, id])
                if id == self.eos_id or length >= int(active.limits[slot]):
                    reason = request.finish_reason(at_end=id == self.eos_id)
                    written = None if id == self.eos_id else id
                    active.finish(slot, parent, written, log_prob, total + self.bonus * length, reason)
                elif kept < self.width:
                    parents[slot, kept], ids[slot, kept] = parent, id
                    added[slot, kept], scores[slot, kept] = log_prob, total
                    kept += 1
            if not found:
                alive = (active.scores[slot] > -torch.inf).nonzero()[:, 0].tolist()
                for beam in alive:
                    active.end(slot, beam, float(active.scores[slot, beam]) + self.bonus * (length - 1), "blocked")
            if len(active.finished[slot]) >= self.width:
                scores[slot] = -torch.inf
        active.grow(parents, ids, added, scores)
        return parents

    def done(self, active: ActiveBatch) -> list[int]:
        is_over = (active.scores == -torch.inf).all(dim=1).tolist()
        return [slot for slot, request in enumerate(active.requests) if request is not None and is_over[slot]]

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        return sorted(active.finished[slot], key=lambda found: -found.score)[: self.num_wanted]


def test_a_rule_of_another_kind_without_the_base_class(translator: Translator, tmp_path: Path) -> None:
    assert not issubclass(LengthBonus, Rule)
    add_decoding_method("length-bonus", LengthBonus)
    texts = [source for source, _ in PAIRS[:9]]
    options = DecodingOptions(method="length-bonus", beam_size=3, n_best=3, length_penalty=0.5, max_length=6)
    together = translator.translate(texts, options, batch_size=4)
    for text, found in zip(texts, together, strict=True):
        alone = translator.translate(text, options)
        assert [each.ids for each in alone.n_best] == [each.ids for each in found.n_best]
        assert len(found.n_best) == 3
        assert [each.score for each in found.n_best] == sorted((each.score for each in found.n_best), reverse=True)
        for each in found.n_best:
            length = len(each.token_log_probs)
            assert length <= 6
            assert each.finish_reason == ("eos" if length == len(each.ids) + 1 else "length")
            assert each.score == pytest.approx(sum(each.token_log_probs) + 0.5 * length, abs=1e-4)
    greedy = translator.translate(texts, beam_size=1, max_length=6)
    narrow = translator.translate(texts, options, beam_size=1, n_best=1)
    assert [each.ids for each in narrow] == [each.ids for each in greedy]
    (scored,) = translator.score(texts[:1], [together[0].text])
    if together[0].finish_reason == "eos":
        torch.testing.assert_close(scored.token_log_probs, together[0].token_log_probs, rtol=1e-4, atol=1e-4)
    assert translator.translate(texts[0], options, prefixes="ABC").text.startswith("ABC")
    blocked = translator.translate(texts[0], options, filters=[lambda log_probs, active: log_probs.fill_(-torch.inf)])
    assert (blocked.ids, blocked.finish_reason) == ([], "blocked")
    pieces = list(translator.stream(texts[0], options, n_best=1))
    assert "".join(pieces) == together[0].text


def common_subsequence(texts: list[str], references: list[str]) -> float:
    """The length of the longest common subsequence, as a share of the reference's, from 0 to 1: the mean over texts."""
    shares = []
    for text, reference in zip(texts, references, strict=True):
        row = [0] * (len(reference) + 1)
        for letter in text:
            matched = [row[i] + 1 if letter == other else row[i + 1] for i, other in enumerate(reference)]
            row = list(accumulate([0, *matched], max))
        shares.append(row[-1] / len(reference))
    return sum(shares) / len(shares)


def test_a_metric_of_another_kind(translator: Translator, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert common_subsequence(["abcb", "x"], ["bdcab", "y"]) == (3 / 5 + 0) / 2
    add_metric("common_subsequence", common_subsequence)
    sources, references = map(list, zip(*PAIRS[:6], strict=True))
    written = [found.text for found in translator.translate(sources, max_length=6)]
    scores = translator.evaluate(sources, references, max_length=6)
    assert scores["common_subsequence"] == common_subsequence(written, references)
    translator.save(tmp_path / "m")
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS[:6]))
    with pytest.raises(SystemExit) as ended:
        run(["evaluate", str(tmp_path / "m"), str(tmp_path / "pairs.tsv"), "--set", "max_length=6"])
    assert not ended.value.code
    assert "common_subsequence" in capsys.readouterr().out
