"""Train a language model on generated sentences, measure it, and continue a prompt.

python examples/language_model.py
"""

import argparse
import random
import tempfile
from pathlib import Path

import regard

SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_layers": 2, "max_positions": 48}


def sentences(count: int, seed: int) -> list[str]:
    """Sentences such as `the small dog sees a bird.`"""
    rng = random.Random(seed)
    nouns, adjectives = ["dog", "cat", "bird", "child"], ["small", "old", "quick", "quiet"]

    def phrase() -> str:
        return " ".join([rng.choice(["the", "a"]), *rng.sample(adjectives, rng.randint(0, 1)), rng.choice(nouns)])

    return [f"{phrase()} {rng.choice(['sees', 'follows', 'hears'])} {phrase()}." for _ in range(count)]


def main() -> None:
    """Train, evaluate and generate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.txt").write_text("\n".join(sentences(4_000, seed=1)) + "\n", encoding="utf-8")
        (folder / "valid.txt").write_text("\n".join(sentences(100, seed=2)) + "\n", encoding="utf-8")
        result = regard.train(
            folder / "train.txt", folder / "model", valid=folder / "valid.txt", arch="decoder", steps=steps,
            batch_tokens=1024, learning_rate=0.005, dropout=0.0, **SIZES,
        )  # fmt: skip
        model = result.loaded

    assert isinstance(model, regard.LanguageModel)
    scores = model.evaluate(sentences(100, seed=3))
    print(f"{scores['nats_per_character']:.3f} nats per character, perplexity {scores['perplexity']:.2f} per token")
    for text in model.generate(["the ", "a quick "], max_tokens=40, temperature=0.7, stop_at_line=True):
        print(f"... {text}")


if __name__ == "__main__":
    main()
