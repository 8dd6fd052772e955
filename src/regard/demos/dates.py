"""The built-in task, from nothing to a report: dates as people write them, to ISO 8601."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regard.data.synthetic import LOCALES, date_pairs
from regard.demos.outcome import DemoOutcome, finished
from regard.runs.progress import RunDisplay
from regard.runs.run import RunOptions, run
from regard.runs.run_folder import claimed
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.pairs import PairsTask
from regard.text.wording import counted
from regard.training.training_run import TrainingRun

NUM_TRAINING_PAIRS, NUM_VALID_PAIRS, NUM_TEST_PAIRS = 100_000, 1_000, 2_000
SETTINGS: dict[str, dict[str, Any]] = {
    "model": {
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.0,
        "positions": "rotary",
        "max_positions": 128,
    },
    "tokenizer": {"vocab_size": 1200},
    "training": {
        "steps": 500,
        "batch_tokens": 2048,
        "warmup_steps": 150,
        "learning_rate": 0.003,
        "label_smoothing": 0.0,
        "validate_every": 125,
        "report_every": 10,
        "average_decay": 0.99,
    },
}
DRAWN = (
    "mercredi 4 mai 2016",
    "May 4, '16",
    "2016年5月4日",
    "en_US 5/4/16",
    "среда, 4 мая 2016 г.",
    "الأربعاء، 4 مايو 2016",
)
"""The dates that the report draws; 4 May 2016 is in the test split, so it was not seen in any form."""


def run_demo(
    output: Path, options: dict[str, Any], *, device: str = "auto", overwrite: bool = False
) -> DemoOutcome | TrainingRun:
    """Train on generated dates, measure on dates held out, write `report.html`; the run alone when interrupted.

    Args:
        options: training settings that differ from the demo's own.
    """
    settings = RunSettings.build("tiny", {"training": options}, defaults=SETTINGS)
    with claimed(output, overwrite=overwrite), RunDisplay() as display:
        display.say(f"Dates in {len(LOCALES)} locales to ISO 8601; the split is by calendar date.")
        training, valid, test = (
            date_pairs("train", NUM_TRAINING_PAIRS),
            date_pairs("valid", NUM_VALID_PAIRS),
            date_pairs("test", NUM_TEST_PAIRS),
        )
        task = PairsTask([training], valid, settings, display)
        result = run(task, output, RunOptions(device), display=display, preset="tiny, for the demo")
        if result.run.interrupted:
            return result.run
        translator = result.translator
        display.say(f"writing {NUM_TEST_PAIRS:,} dates that were held out ...")
        scores = translator.evaluate(test.sources, test.targets)
    results = result.results | scores | {"evaluated_on": test.name}
    written = [translation.text for translation in translator.translate(test.sources[:10])]
    drawn = [translation.text for translation in translator.translate(DRAWN)]
    return finished(
        output,
        result.run,
        results,
        counted(len(training), "pair"),
        "Ten dates that the model had not seen in any form:",
        [f"exact match on {len(test):,} held-out dates: {scores['exact_match']:.2%}"],
        title="Dates to ISO 8601",
        summary=f"Dates as people write them in {len(LOCALES)} locales (from Unicode's CLDR). "
        "The split is by calendar date: no test date was seen in training in any form.",
        facts={
            "exact match, held-out dates": f"{scores['exact_match']:.2%} of {len(test):,}",
            "speed": f"{results['target_tokens_per_second']:,.0f} target tokens/s, {results['machine']['precision']}, "
            + counted(results["machine"]["threads"], "thread"),
            "parameters": f"{results['sizes']['num_parameters']:,}",
        },
        examples=list(zip(test.sources[:10], written, test.targets[:10], strict=True)),
        alignments=[(source, text, translator.align(source, text)) for source, text in zip(DRAWN, drawn, strict=True)],
    )
