"""The confidence of a translation is the chrF that translations with such probabilities have."""

import json
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import regard
from regard.cli.main import run
from regard.errors import ModelFolderError
from regard.evaluation.confidence import Confidence
from regard.evaluation.text_metrics import sentence_utility
from regard.pipelines.translator import Translator

WORDS = [
    "dog", "cat", "bird", "horse", "child", "plays", "sleeps", "runs", "sings", "waits", "house", "tree", "river", "garden",
]  # fmt: skip


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(list(words))
    return ended.value.code if isinstance(ended.value.code, int) else 0


def made(number: int, seed: int) -> tuple[list[list[float]], list[str], list[str]]:
    """Log-probabilities, texts and references: the less probable, the more words are wrong."""
    chance = random.Random(seed)
    log_probs, texts, references = [], [], []
    for _ in range(number):
        doubt, reference = chance.random(), [chance.choice(WORDS) for _ in range(8)]
        texts.append(" ".join(chance.choice(WORDS) if chance.random() < doubt else word for word in reference))
        references.append(" ".join(reference))
        log_probs.append([-2 * doubt + chance.gauss(0, 0.1) for _ in range(9)])
    return log_probs, texts, references


def test_it_holds_on_pairs_that_it_was_not_measured_on() -> None:
    found = Confidence.calibrate(*made(2000, seed=1))
    assert found is not None
    log_probs, texts, references = made(2000, seed=2)
    expected = np.array([found.expect(values) for values in log_probs])
    chrf = sentence_utility("chrf")
    seen = np.array([chrf(text, reference) / 100 for text, reference in zip(texts, references, strict=True)])
    order = np.argsort(expected)
    for part in np.array_split(order, 8):  # in every range of confidence, not only on average
        assert expected[part].mean() == pytest.approx(seen[part].mean(), abs=0.04)
    assert np.ptp(expected) > 0.5
    assert np.corrcoef(expected, seen)[0, 1] > 0.7


def test_it_does_not_fall_as_probability_rises() -> None:
    chance = random.Random(3)
    log_probs, texts, references = made(400, seed=3)
    chance.shuffle(texts)  # quality that has nothing to do with probability
    found = Confidence.calibrate(log_probs, texts, references)
    assert found is not None
    values = [found.expect([value]) for value in np.linspace(-5, 0, 200)]
    assert all(first <= second for first, second in pairwise(values))
    assert all(0 <= value <= 1 for value in values)
    assert found.expect([]) == 1.0


def test_equal_probabilities_are_one_group() -> None:
    _, texts, references = made(200, seed=4)
    found = Confidence.calibrate([[-0.5, -0.5]] * 200, texts, references)
    assert found is not None
    chrf = sentence_utility("chrf")
    mean = np.mean([chrf(text, reference) / 100 for text, reference in zip(texts, references, strict=True)])
    assert list(found.log_probs) == [-0.5]
    assert found.expect([-9.0]) == found.expect([0.0]) == pytest.approx(mean)


def test_a_few_pairs_are_not_enough() -> None:
    assert Confidence.calibrate(*made(99, seed=5)) is None
    assert Confidence.calibrate(*made(100, seed=5)) is not None


def test_it_is_stored(tmp_path: Path) -> None:
    found = Confidence.calibrate(*made(300, seed=6))
    assert found is not None
    found.write(tmp_path / "confidence.json")
    assert Confidence.read(tmp_path / "confidence.json") == found
    assert Confidence.read(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", '{"log_probs": [], "chrf": [], "num_pairs": 3}', '{"log_probs": 3, "chrf": [1], "num_pairs": 3}',
        '{"log_probs": [-2, -1], "chrf": [0.5], "num_pairs": 3}', '{"log_probs": [-1, -2], "chrf": [0.1, 0.2], "num_pairs": 3}',
        '{"log_probs": [NaN], "chrf": [0.1], "num_pairs": 3}', '{"log_probs": [-1], "chrf": ["x"], "num_pairs": 3}',
        '{"log_probs": [-1], "chrf": [0.1], "num_pairs": Infinity}', '{"log_probs": [-1], "chrf": [1.1], "num_pairs": 3}',
        f'{{"log_probs": [-{"9" * 400}], "chrf": [0.1], "num_pairs": 3}}', '{"log_probs": [-1], "chrf": [-0.1], "num_pairs": 3}',
        f'{{"log_probs": [-1], "chrf": [{"9" * 400}], "num_pairs": 3}}', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "confidence.json").write_text(content)
    with pytest.raises(ModelFolderError, match=r"confidence\.json"):
        Confidence.read(tmp_path / "confidence.json")


def test_training_measures_it_and_the_command_measures_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(7)
    words = ["".join(chance.choice("abcdef") for _ in range(chance.randint(2, 6))) for _ in range(130)]
    pairs = [(word, word[::-1]) for word in words]
    small = {"model_dim": 16, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    regard.train(pairs, "model", valid=pairs, steps=20, batch_tokens=128, device="cpu", **small)
    first = Confidence.read(tmp_path / "model" / "confidence.json")
    assert first is not None
    assert first.num_pairs == 130
    translator = regard.load("model", device="cpu")
    assert isinstance(translator, Translator)
    found = translator.translate("abc")
    assert found.confidence == pytest.approx(first.expect(found.token_log_probs))
    assert regard.load("model", device="cpu", others=["model"]).confidence is None  # type: ignore[attr-defined]

    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs[:110]))
    assert command("evaluate", "model", "pairs.tsv", "--calibrate", "--beam", "1") == 0
    second = Confidence.read(tmp_path / "model" / "confidence.json")
    assert second is not None
    assert second.num_pairs == 110
    (tmp_path / "text").write_text("abc\n")
    capsys.readouterr()
    assert command("translate", "model", "text", "--json") == 0
    row = json.loads(capsys.readouterr().out)
    assert row["confidence"] == pytest.approx(second.expect(row["token_log_probs"]))

    (tmp_path / "few.tsv").write_text("ab\tba\n")
    assert command("evaluate", "model", "few.tsv", "--calibrate") == 2
    assert "--calibrate needs 100 pairs; got 1." in capsys.readouterr().err
    assert command("evaluate", "model", "few.tsv", "--calibrate", "--ensemble", "model") == 2
    assert "--ensemble" in capsys.readouterr().err
    assert Confidence.read(tmp_path / "model" / "confidence.json") == second
