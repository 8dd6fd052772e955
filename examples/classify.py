"""Train a classifier that tells questions from statements, and predict classes with probabilities.

python examples/classify.py
"""

import argparse
import random
import tempfile
from pathlib import Path

import regard

SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_layers": 1}


def labelled(count: int, seed: int) -> list[tuple[str, str]]:
    """Labels and texts, without punctuation: the order of the words is what tells them apart."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        who, what = rng.choice(["the dog", "a bird", "the child", "my friend"]), rng.choice(["here", "tired", "happy"])
        label = rng.choice(["question", "statement"])
        found.append((label, f"is {who} {what} today" if label == "question" else f"{who} is {what} today"))
    return found


def main() -> None:
    """Train, measure and predict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    steps = parser.parse_args().steps

    with tempfile.TemporaryDirectory() as folder:
        result = regard.train(
            labelled(1_000, seed=1), Path(folder) / "model", valid=labelled(100, seed=2),
            arch="encoder", task="classify", steps=steps, batch_tokens=512, **SIZES,
        )  # fmt: skip
        model = result.loaded

    assert isinstance(model, regard.Predictor)
    test = labelled(100, seed=3)
    scores = model.evaluate([[text] for _, text in test], [[label] for label, _ in test])
    print(f"accuracy {scores['accuracy']:.1%}, macro F1 {scores['macro_f1']:.1%}")
    for found in model.predict(["is my friend happy today", "my friend is happy today"]):
        print(f"{found.text}: {found.labels[0]} ({found.probs[0]:.2f})")


if __name__ == "__main__":
    main()
