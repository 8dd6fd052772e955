"""Train a model of dates from English to Arabic, for a picture of the page whose output runs from right to left.

`python docs/train_dates.py en-ar`: a minute on one core. The dates are those of the Unicode CLDR, which Babel has.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from random import Random

from babel.dates import format_date

NUM_PAIRS, FIRST_DAY, NUM_DAYS = 6000, date(1950, 1, 1), 80 * 365
FORMS = {
    "full": "full", "long": "long", "EEEE, MMMM d": "EEEE، d MMMM", "d MMMM y": "long", "EEEE, d MMMM y": "full",
}  # fmt: skip
"""Forms of English dates, and of the same in Arabic."""
SETTINGS = [
    "model.model_dim=64", "model.ff_dim=128", "model.num_heads=4", "model.num_encoder_layers=2", "model.num_decoder_layers=2",
    "tokenizer.vocab_size=300", "training.validate_every=100",
]  # fmt: skip


def pairs() -> dict[str, str]:
    """Dates in English and in Arabic, each once."""
    random = Random(1)
    found: dict[str, str] = {}
    while len(found) < NUM_PAIRS:
        day = FIRST_DAY + timedelta(days=random.randrange(NUM_DAYS))
        form = random.choice(list(FORMS))
        found[format_date(day, form, locale="en")] = format_date(day, FORMS[form], locale="ar")
    return found


def train(model: Path) -> None:
    """Write the dates as files, and train with them."""
    with tempfile.TemporaryDirectory() as folder:
        sources, targets = Path(folder) / "dates.en", Path(folder) / "dates.ar"
        found = pairs()
        sources.write_text("\n".join(found) + "\n")
        targets.write_text("\n".join(found.values()) + "\n")
        settings = [word for setting in SETTINGS for word in ("--set", setting)]
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "regard",
            "train",
            sources,
            targets,
            "-o",
            model,
            "--steps",
            "700",
            *settings,
        ]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    train(Path(sys.argv[1]))
