from collections.abc import Callable

import pytest
import sacrebleu
import torch
import torch.nn.functional as F

from regard import evaluation
from regard.data.batching import in_order
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import likelihood
from regard.evaluation.text_metrics import TextMetrics
from regard.models.encoder_decoder import EncoderDecoder

TEXTS = ["Ein Hund läuft .", "Zwei Männer sitzen im Park .", "Eine Frau."]
REFERENCES = ["Ein Hund rennt .", "Zwei Männer sitzen in einem Park .", "Eine Frau."]


@pytest.mark.parametrize(("tokenize", "lowercase"), [("13a", False), ("none", False), ("char", True)])
def test_scores_are_sacrebleus(tokenize: str, lowercase: bool) -> None:
    scores = TextMetrics(tokenize=tokenize, lowercase=lowercase).score(TEXTS, REFERENCES)
    expected = sacrebleu.corpus_bleu(TEXTS, [REFERENCES], tokenize=tokenize, lowercase=lowercase, force=True)
    assert scores.bleu == pytest.approx(expected.score)
    assert scores.exact_match == pytest.approx(1 / 3)
    assert f"tok:{tokenize}" in scores.signatures["bleu"]
    assert 0 < scores.chrf < 100


def test_equal_texts_have_full_scores() -> None:
    scores = TextMetrics().score(REFERENCES, REFERENCES)
    assert (scores.bleu, scores.chrf, scores.exact_match) == (pytest.approx(100), pytest.approx(100), 1.0)


def test_other_input_is_refused() -> None:
    with pytest.raises(DataError, match="must be as many, and at least one; got 1 and 2"):
        TextMetrics().score(["a"], ["a", "b"])
    with pytest.raises(DataError, match="at least one; got 0 and 0"):
        TextMetrics().score([], [])
    with pytest.raises(SettingsError, match=r"one of sacrebleu's; got 'nome'\. Did you mean 'none'\?"):
        TextMetrics(tokenize="nome")
    with pytest.raises(SettingsError, match="must be one that works here; got 'ja-mecab'"):
        TextMetrics(tokenize="ja-mecab")


@pytest.mark.parametrize("chunk", [1, 100, 4_000_000])
def test_likelihood_is_that_of_torch_pair_by_pair(
    chunk: int, make_model: Callable[..., EncoderDecoder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation.likelihood, "CHUNK_LOGITS", chunk)
    model = make_model()
    generator = torch.Generator().manual_seed(0)
    rows = [[*torch.randint(4, 23, (n,), generator=generator).tolist(), 3] for n in (1, 5, 2, 3, 7)]
    pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))
    found = likelihood(model, in_order(pairs, 20, pad_id=0, start_ids=[2]))
    correct = 0
    total = 0.0
    for index, row in enumerate(rows):
        logits = model(torch.tensor([row]), torch.tensor([[2, *row[:-1]]]))[0]
        expected = -F.cross_entropy(logits, torch.tensor(row), reduction="none")
        assert found.token_log_probs[index] == pytest.approx(expected.tolist(), rel=1e-4)
        correct += int((logits.argmax(-1) == torch.tensor(row)).sum())
        total += expected.sum().item()
    assert (found.num_tokens, found.num_correct) == (sum(map(len, rows)), correct)
    assert found.loss == pytest.approx(-total / found.num_tokens, rel=1e-5)
