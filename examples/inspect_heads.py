"""Train a model that reverses words, and look at what its attention heads attend to.

python examples/inspect_heads.py [-o page.html]
"""

import argparse
import random
import tempfile
from pathlib import Path

import regard

SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}


def words(count: int, seed: int = 1) -> list[str]:
    """Distinct words of three to seven letters."""
    rng, found = random.Random(seed), dict[str, None]()
    while len(found) < count:
        found["".join(rng.choices("abcdefgh", k=rng.randint(3, 7)))] = None
    return list(found)


def main() -> None:
    """Train, print statistics of every head, and draw one head in the terminal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("-o", "--output", type=Path, help="write every head to this page")
    options = parser.parse_args()

    pairs = [(word, word[::-1]) for word in words(4_000)]
    with tempfile.TemporaryDirectory() as folder:
        result = regard.train(
            pairs, Path(folder) / "model", steps=options.steps,
            batch_tokens=1024, learning_rate=0.005, dropout=0.0, kind="characters", **SIZES,
        )  # fmt: skip
        translator = result.translator

    seen = translator.inspect("fedcabg")
    print(f"fedcabg -> {seen.target}\n")
    for head in seen.heads:
        print(f"{head.name!s:<12} {head.label:<16} entropy {head.entropy:.2f} nats")
    sharpest = min((head for head in seen.heads if head.name.kind == "cross"), key=lambda head: head.entropy)
    print(f"\n{seen.terminal(str(sharpest.name), colour=False)}")
    if options.output is not None:
        seen.save(options.output)


if __name__ == "__main__":
    main()
