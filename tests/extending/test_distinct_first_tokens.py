"""A decoding rule: the hypotheses of a sentence differ in their first token, and each goes on greedily."""

import pytest
import torch
from torch import Tensor

import regard
from regard.extending import ActiveBatch, DecodingOptions, Hypothesis, Rule, add_decoding_method

SOURCES = ["anna", "bo", "hanna", "noah", "o", "hannah"]
SETTINGS = {
    "model": {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 300, "learning_rate": 0.02, "warmup_steps": 2},
}


class FirstTokens(Rule):
    starts = (0,)

    def __init__(self, options: DecodingOptions, eos_id: int) -> None:
        self.width, self.eos_id = max(options.beam_size, options.num_wanted), eos_id
        self.num_wanted = options.num_wanted

    def advance(self, active: ActiveBatch, log_probs: Tensor) -> Tensor:
        added, ids = (log_probs := log_probs.float().cpu()).max(dim=-1)
        parents = torch.arange(self.width).repeat(len(added), 1)
        for slot, request in enumerate(active.requests):
            if request is None:
                continue
            for beam in ((added[slot] == -torch.inf) & (active.scores[slot] > -torch.inf)).nonzero().flatten().tolist():
                active.end(slot, beam, float(active.scores[slot, beam]), "blocked")
            if int(active.lengths[slot]) == len(request.prefix_ids or ()):  # the first token that is free
                k = min(self.width, log_probs.shape[-1])
                added[slot], parents[slot] = -torch.inf, 0
                added[slot, :k], ids[slot, :k] = log_probs[slot, 0].topk(k)
        before = active.scores.gather(1, parents)
        scores = torch.where(before > -torch.inf, before + added, before)
        ends = (ids == self.eos_id) | (active.lengths + 1 >= active.limits)[:, None]
        for slot, beam in (ends & (scores > -torch.inf)).nonzero().tolist():
            id, score, at_end = int(ids[slot, beam]), float(scores[slot, beam]), int(ids[slot, beam]) == self.eos_id
            reason = active.requests[slot].finish_reason(at_end=at_end)
            last, mean = (None if at_end else id, float(added[slot, beam])), score / (int(active.lengths[slot]) + 1)
            active.finish(slot, int(parents[slot, beam]), *last, mean, reason)
        active.grow(parents, ids, added, scores.masked_fill(ends, -torch.inf))
        return parents

    def done(self, active: ActiveBatch) -> list[int]:
        present = (active.scores > -torch.inf).any(dim=-1).tolist()
        return [slot for slot, request in enumerate(active.requests) if request is not None and not present[slot]]

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        return sorted(active.finished[slot], key=lambda h: -h.score)[: self.num_wanted]


def add_parts() -> None:
    add_decoding_method("test-first-tokens", FirstTokens)


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("rule") / "m")
    pairs = [(s + t, t + s) for s in SOURCES for t in SOURCES]
    regard.train(pairs, path, settings=SETTINGS, steps=10, precision="float32")
    return regard.load(path)


@torch.no_grad()
def expected(translator, source: str, num: int, limit: int) -> list[tuple[str, float]]:
    model, tokenizer, found = translator.model, translator.tokenizer, []
    source_ids = torch.tensor([tokenizer.frame_source(tokenizer.encode(source))])
    for rank in range(num):
        ids, total = [], 0.0
        while len(ids) < limit and tokenizer.eos_id not in ids:
            log_probs = model(source_ids, torch.tensor([[*tokenizer.symbols.start_ids, *ids]])).log_softmax(-1)[0, -1]
            log_probs[tokenizer.symbols.banned_ids] = -torch.inf
            best = log_probs.topk(num)
            choice = 0 if ids else rank
            ids, total = [*ids, int(best.indices[choice])], total + float(best.values[choice])
        found.append((tokenizer.decode(ids), total / len(ids)))
    return sorted(found, key=lambda x: -x[1])


@pytest.mark.parametrize("limit", [3, 9])
def test_each_first_token_goes_on_greedily(translator, limit):
    options = {"method": "test-first-tokens", "beam_size": 4, "n_best": 4, "max_length": limit}
    results = translator.translate(SOURCES, batch_size=4, **options)
    for source, result in zip(SOURCES, results, strict=True):
        texts, scores = zip(*expected(translator, source, 4, limit), strict=True)
        assert [h.text for h in result.n_best] == list(texts)
        assert [h.score for h in result.n_best] == pytest.approx(scores, abs=1e-3)
