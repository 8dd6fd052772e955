import json
from collections.abc import Callable

import pytest
import sacrebleu
import torch
import torch.nn.functional as F

from regard.data.batching import in_order
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import DataError, SettingsError
from regard.evaluation import text_metrics
from regard.evaluation.label_metrics import LabelScore, confusion_table, label_results, label_scores, score_table
from regard.evaluation.likelihood import likelihood
from regard.evaluation.text_metrics import TextMetrics, tokenization_hint
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn import losses

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


def test_one_score_alone_is_that_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(text_metrics.ADDED, "first", lambda texts, references: len(texts[0]) / len(references[1]))
    metrics = TextMetrics(lowercase=True)
    every = metrics.score(TEXTS, REFERENCES).results()
    for name in (*text_metrics.OF_TEXTS, "first"):
        assert metrics.score_by(name, TEXTS, REFERENCES) == every[name], name


def test_equal_texts_have_full_scores() -> None:
    scores = TextMetrics().score(REFERENCES, REFERENCES)
    assert (scores.bleu, scores.chrf, scores.exact_match) == (pytest.approx(100), pytest.approx(100), 1.0)


def test_other_input_is_refused() -> None:
    with pytest.raises(DataError, match=r"text.*reference.*got 1 and 2"):
        TextMetrics().score(["a"], ["a", "b"])
    with pytest.raises(DataError, match="at least one; got 0 and 0"):
        TextMetrics().score([], [])
    with pytest.raises(SettingsError, match=r"tokenize .*sacrebleu.*got 'nome'.*'none'"):
        TextMetrics(tokenize="nome")
    with pytest.raises(SettingsError, match=r"tokenize .*got 'ja-mecab': ."):
        TextMetrics(tokenize="ja-mecab")


@pytest.mark.parametrize(
    ("references", "tokenize", "hint"),
    [
        (["二匹の犬が遊んでいます。", "A犬が公園で走る"], "13a", "Japanese it seems, have none: --tokenize ja-mecab (which"),
        (["カタカナ", "ひらがな"], "intl", "Japanese it seems, have none: --tokenize ja-mecab"),
        (["两只狗在公园里玩耍。", "一个男人在跑步"], "13a", "Chinese it seems, have none: --tokenize zh"),
        (["两只狗在公园里玩耍。"], "zh", None),
        (["二匹の犬が遊ぶ"], "char", None),
        (["二匹 の 犬 が 遊ん で い ます 。", "犬 が 走る"], "13a", None),
        (["2016年5月3日 is the third of May in 2016"], "13a", None),
        (["Zwei Hunde spielen.", "두 마리의 개가 놀고 있다"], "13a", None),
        (["…", ""], "13a", None),
        ([], "13a", None),
    ],
)  # fmt: skip
def test_texts_without_spaces_between_words_are_told(references: list[str], tokenize: str, hint: str | None) -> None:
    found = tokenization_hint(references, tokenize)
    assert (found is None) if hint is None else hint in (found or "")


def test_the_package_that_a_tokenisation_needs_is_named_as_a_shell_reads_it() -> None:
    with pytest.raises(SettingsError, match=r"got 'ja-mecab': .* pip install 'sacrebleu\[ja\]'"):
        TextMetrics(tokenize="ja-mecab")


@pytest.mark.parametrize("chunk", [1, 100, 4_000_000])
def test_likelihood_is_that_of_torch_pair_by_pair(
    chunk: int, make_model: Callable[..., EncoderDecoder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "CHUNK_LOGITS", chunk)
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


RIGHT = ["a", "a", "a", "b", "b", "c", "a", "b"]
PREDICTED = ["a", "b", "a", "b", "a", "a", "a", "b"]


def test_scores_of_each_label_by_hand() -> None:
    scores = label_scores(PREDICTED, RIGHT, ["a", "b", "c", "never"])
    assert list(scores) == ["a", "b", "c", "never"]
    # a: 3 hits, 5 times predicted, 4 times right; b: 2, 3 and 3; c was right once, and never predicted
    assert scores["a"] == LabelScore(3 / 5, 3 / 4, 6 / 9, 4, 5)
    assert scores["b"] == LabelScore(2 / 3, 2 / 3, 4 / 6, 3, 3)
    assert scores["c"] == LabelScore(None, 0.0, 0.0, 1, 0)
    assert scores["never"] == LabelScore(None, None, None, 0, 0)
    predicted_only = label_scores(["x"], ["y"])["x"]
    assert predicted_only == LabelScore(0.0, None, 0.0, 0, 1)


def test_results_of_labels() -> None:
    results = label_results(PREDICTED, RIGHT, ["a", "b", "c", "never"])
    assert results["accuracy"] == 5 / 8
    assert results["macro_f1"] == pytest.approx(
        (6 / 9 + 4 / 6 + 0) / 3
    )  # a label that does not occur is not among them
    assert results["num_labels"] == 8
    assert results["confusion"] == {"a": {"a": 3, "b": 1}, "b": {"b": 2, "a": 1}, "c": {"a": 1}}
    assert list(results["confusion"]["b"]) == ["b", "a"]  # the commonest first
    assert json.loads(json.dumps(results)) == results
    assert sum(sum(row.values()) for row in results["confusion"].values()) == results["num_labels"]


def test_tables_of_labels() -> None:
    results = label_results(PREDICTED, RIGHT, ["a", "b", "c", "never"])
    head, a, _, c, never = score_table(results)
    assert head == ["label", "precision", "recall", "F1", "right", "predicted"]
    assert a == ["a", "60.00%", "75.00%", "66.67%", "4", "5"]
    assert c == ["c", "-", "0.00%", "0.00%", "1", "0"]
    assert never == ["never", "-", "-", "-", "0", "0"]
    assert confusion_table(results)[0] == ["right, predicted:", "a", "b", "c", "never"]
    assert confusion_table(results)[1:3] == [["a", "3", "1", "0", "0"], ["b", "1", "2", "0", "0"]]
    assert score_table({"bleu": 1.0}) == confusion_table({"bleu": 1.0}) == []


def test_tables_of_many_labels_hold_the_commonest() -> None:
    right = [f"{index:03}" for index in range(100) for _ in range(1 + index // 50)]
    predicted = ["000", *right[1:-2], "001", "001"]
    results = label_results(predicted, right)
    assert len(score_table(results)) == 41
    assert confusion_table(results)[:2] == [["right", "predicted", "times"], ["099", "001", "2"]]


def test_several_references_are_counted_as_sacrebleu_does() -> None:
    second = ["Ein Hund läuft .", "Zwei Männer sitzen im Park .", ""]
    found = TextMetrics().score(TEXTS, REFERENCES, [second])
    columns: list[list[str | None]] = [[*REFERENCES], [*second[:2], None]]
    assert found.bleu == pytest.approx(sacrebleu.corpus_bleu(TEXTS, columns, force=True).score)  # type: ignore[arg-type]
    assert found.chrf == pytest.approx(sacrebleu.corpus_chrf(TEXTS, columns).score)  # type: ignore[arg-type]
    assert found.exact_match == 1.0
    assert "nrefs:var" in found.signatures["bleu"]
    whole = TextMetrics().score(TEXTS, REFERENCES, [[*second[:2], "Frau."]])
    assert "nrefs:2" in whole.signatures["bleu"]
    assert found.bleu > TextMetrics().score(TEXTS, REFERENCES).bleu


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_counts_of_some_texts_at_a_time_give_the_same_score(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_metrics, "COUNTED_AT_ONCE", at_once)
    texts = [*TEXTS, "", *(f"{text} ist da" for text in REFERENCES)]
    references, second = [*REFERENCES, "Ein Haus .", *REFERENCES], [*TEXTS, "", *reversed(REFERENCES)]
    metrics = TextMetrics()
    for more in ([], [second]):
        columns: list[list[str | None]] = [[*references], *([text or None for text in each] for each in more)]
        found = metrics.score(texts, references, more)
        assert found.bleu == sacrebleu.BLEU(force=True).corpus_score(texts, columns).score  # type: ignore[arg-type]
        assert found.chrf == sacrebleu.CHRF().corpus_score(texts, columns).score  # type: ignore[arg-type]
        assert found.signatures["chrf"].startswith("nrefs:var" if more else "nrefs:1")


def test_a_blank_reference_is_none() -> None:
    assert TextMetrics().score(["", "b"], ["a", "b"], [["", " "]]).exact_match == 0.5
    with pytest.raises(DataError, match=r"each text needs one reference.*got 2 and 1"):
        TextMetrics().score(["a", "b"], ["a", "b"], [["a"]])
