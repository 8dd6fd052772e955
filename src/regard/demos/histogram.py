"""The histogram task, learnt and set by hand: count how often each letter occurs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regard.data.labelled import LabelledText
from regard.data.synthetic import HELD_OUT_LENGTHS, HIGHEST_COUNT, histogram_texts
from regard.demos.outcome import DemoOutcome, finished
from regard.inspection.drawing.figures import Panel, panels_svg
from regard.models.handcrafted import histogram
from regard.pipelines.predictor import Predictor
from regard.runs.progress import RunDisplay
from regard.runs.run import RunOptions, run
from regard.runs.run_folder import claimed
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.labels import TagTask
from regard.text.wording import counted
from regard.training.training_run import TrainingRun

NUM_TRAINING_TEXTS, NUM_VALID_TEXTS, NUM_TEST_TEXTS = 40_000, 500, 2_000
DRAWN = ("abacab", "cabbage", "ggggg", "abcdefghabcd")
SETTINGS: dict[str, dict[str, Any]] = {
    "model": {
        "task": "tag", "model_dim": 64, "ff_dim": 256, "num_heads": 1, "num_layers": 1, "norm": "pre", "positions": "none",
        "dropout": 0.0, "max_positions": 64,
    },
    "tokenizer": {"vocab_size": 40},
    "training": {
        "steps": 8000, "batch_tokens": 1024, "learning_rate": 0.006, "warmup_steps": 200, "label_smoothing": 0.0,
        "validate_every": 1000, "report_every": 50, "precision": "float32",
    },
}  # fmt: skip


def run_demo(
    output: Path, options: dict[str, Any], *, device: str = "auto", overwrite: bool = False
) -> DemoOutcome | TrainingRun:
    """Train on generated sequences, measure on held-out ones, write `report.html`; the run alone when interrupted.

    Args:
        options: training settings that differ from the demo's own.
    """
    settings = RunSettings.build("tiny", {"training": options}, arch="encoder", defaults=SETTINGS)
    test = histogram_texts("test", NUM_TEST_TEXTS)
    with claimed(output, overwrite=overwrite), RunDisplay() as display:
        lengths = ", ".join(map(str, sorted(HELD_OUT_LENGTHS)))
        display.say(f"How often does each letter occur? No sequence of length {lengths} is trained on.")
        training, valid = histogram_texts("train", NUM_TRAINING_TEXTS), histogram_texts("valid", NUM_VALID_TEXTS)
        task = TagTask([training], valid, settings, display)
        result = run(task, output, RunOptions(device), display=display, preset="tiny, for the demo")
        if result.run.interrupted:
            return result.run
    predictor = result.loaded
    assert isinstance(predictor, Predictor)
    scores = predictor.evaluate(test.texts, test.labels)
    new = [i for i, text in enumerate(test.texts) if len(text) in HELD_OUT_LENGTHS]
    at_new = predictor.evaluate([test.texts[i] for i in new], [test.labels[i] for i in new])["accuracy"]
    results = result.results | scores | {"accuracy_at_new_lengths": at_new, "evaluated_on": test.name}
    return finished(
        output,
        result.run,
        results,
        counted(len(training), "sequence"),
        "Ten sequences that the model had not seen:",
        [
            f"letters counted right in {len(test):,} held-out sequences: {scores['accuracy']:.3%}",
            f"at lengths that were not trained on: {at_new:.3%}",
        ],
        title="Histograms: how often does each letter occur?",
        summary="Learnt by one layer with one head and no positions, and set by hand (Weiss et al. 2021). By hand, a letter that "
        "occurs n times looks at its like and at the begin symbol <s>, each with weight 1 / (n + 1): from this share the count "
        "is read. What is learnt may do it in its own way, for example by the end symbol, too.",
        facts={
            "letters counted right": f"{scores['accuracy']:.3%} of {scores['num_labels']:,} in {len(test):,} test sequences",
            "at lengths not trained on": f"{at_new:.3%} ({lengths})",
        },
        examples=_examples(predictor, test),
        pictures=[(f"{text}: learnt, and set by hand", _side_by_side(predictor, text)) for text in DRAWN],
    )


def _examples(predictor: Predictor, test: LabelledText) -> list[tuple[str, str, str]]:
    """The first ten of the test's sequences with their counts."""
    chosen = range(0, len(test), max(len(test) // 10, 1))
    found = predictor.predict([" ".join(test.texts[i]) for i in chosen][:10])
    return [
        ("".join(test.texts[i]), " ".join(prediction.labels), " ".join(test.labels[i]))
        for i, prediction in zip(chosen, found, strict=False)
    ]


def _side_by_side(predictor: Predictor, text: str) -> str:
    """The attention of the learnt model and of the one set by hand, for one sequence between begin and end symbol."""
    tokenizer = predictor.tokenizer
    by_hand = Predictor(histogram(len(tokenizer), HIGHEST_COUNT, bos_id=tokenizer.bos_id), tokenizer)
    seen = {"learnt": predictor.inspect(" ".join(text)), "set by hand": by_hand.inspect(" ".join(text))}
    panels = [Panel(name, each["encoder.0.0"][1:-1].tolist()) for name, each in seen.items()]
    return panels_svg(panels, title=text, x_label="<s> letters </s>", y_label="letter", columns=2, cell=15)
