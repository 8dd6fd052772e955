"""Train a model that turns English dates into ISO 8601, and translate dates that it has not seen.

    python examples/train_and_translate.py

The pairs are made in memory. Files work the same: `regard.train("pairs.tsv", "model")`.
"""

import argparse
import datetime
import random
import tempfile
from pathlib import Path

import regard

FIRST_DAY, NUM_DAYS = datetime.date(2000, 1, 1), 7_000
SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}


def date_pairs(seed: int = 1) -> list[tuple[str, str]]:
    """Every day once, in random order: `May 4, 2016` and `2016-05-04`."""
    days = [FIRST_DAY + datetime.timedelta(days=number) for number in range(NUM_DAYS)]
    random.Random(seed).shuffle(days)
    return [(f"{day:%B} {day.day}, {day.year}", day.isoformat()) for day in days]


def main() -> None:
    """Train, measure and translate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps

    pairs = date_pairs()
    training, valid, test = pairs[:-300], pairs[-300:-200], pairs[-200:]
    with tempfile.TemporaryDirectory() as folder:
        result = regard.train(
            training, Path(folder) / "model", valid=valid, steps=steps,
            batch_tokens=1024, learning_rate=0.005, dropout=0.0, kind="characters", **SIZES,
        )  # fmt: skip
        translator = result.translator

    sources, references = [source for source, _ in test], [target for _, target in test]
    scores = translator.evaluate(sources, references)
    print(f"exact match on {len(test)} dates that were held out: {scores['exact_match']:.1%}")
    for source, translation in zip(sources[:5], translator.translate(sources[:5], beam_size=3), strict=True):
        print(f"{source:>20} -> {translation.text}  (score {translation.score:.3f})")


if __name__ == "__main__":
    main()
