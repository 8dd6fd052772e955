"""Settings that follow the number of steps and the size of the data, where nobody gives them."""

import math
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from regard.data.labelled import LabelledText, find_labelled, text_bytes
from regard.demos import dates, histogram
from regard.models.registry import ARCHITECTURES
from regard.runs.settings import defaults
from regard.runs.settings.reading import recipes
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.labels import ClassifyTask, TagTask
from regard.runs.train import train
from regard.training.training_run import TrainingRun

RECIPES = sorted(recipes().values())
EVERY_PRESET = [(arch, name) for arch, found in ARCHITECTURES.items() for name in found.presets]
MANY = 10_000.0
"""Steps of an epoch of large data."""


def built(preset: str = "tiny", arch: str = "encoder-decoder", **training: Any) -> RunSettings:
    return RunSettings.build(preset, {"training": training}, arch=arch)


def test_a_short_run_is_through_its_warm_up_and_validates_several_times() -> None:
    fitted = defaults.resolve_defaults(built(steps=500), MANY)
    assert fitted.training.warmup_steps == 67  # 1,000 of 7,500 steps
    assert fitted.training.validate_every == 50  # a tenth, which is more than 500 of 7,500
    assert fitted.training.average_decay == pytest.approx(1 - 1 / 66.67, abs=1e-4)
    assert defaults.notes(fitted) == [
        "fitted to 500 steps and the data: warm-up 67, validation every 50, average over 67"
    ]


@pytest.mark.parametrize(("arch", "preset"), EVERY_PRESET)
@pytest.mark.parametrize("steps", [1, 3, 10, 100, 1000])
def test_nothing_is_longer_than_the_run(arch: str, preset: str, steps: int) -> None:
    training = defaults.resolve_defaults(built(preset, arch, steps=steps), MANY).training
    assert 1 <= training.warmup_steps <= max(steps * 2 / 10, 1)
    assert min(steps, 3) <= -(-steps // training.validate_every) <= 200
    assert training.average_decay == 0 or 1 / (1 - training.average_decay) <= max(steps * 2 / 10, 2)


@pytest.mark.parametrize(("arch", "preset"), EVERY_PRESET)
def test_the_presets_own_number_of_steps_leaves_its_settings_as_they_are(arch: str, preset: str) -> None:
    settings = built(preset, arch)
    for same in (settings, built(preset, arch, steps=settings.training.steps)):
        assert defaults.resolve_defaults(same, MANY).training == settings.training
        assert defaults.notes(defaults.resolve_defaults(same, MANY)) == []


@pytest.mark.parametrize(("demo", "arch"), [(dates, "encoder-decoder"), (histogram, "encoder")])
def test_a_demo_is_as_it_was_and_a_short_one_is_fitted(demo: Any, arch: str) -> None:
    settings = RunSettings.build("tiny", {"training": {}}, arch=arch, defaults=demo.SETTINGS)
    given = demo.SETTINGS["training"]
    trained = defaults.resolve_defaults(settings, 470.0).training.model_dump()
    assert {key: trained[key] for key in given} == given
    few = {"training": {"steps": 100}}
    short = defaults.resolve_defaults(RunSettings.build("tiny", few, arch=arch, defaults=demo.SETTINGS), 470.0)
    assert short.training.warmup_steps <= 30
    assert short.training.learning_rate == given["learning_rate"]


def test_what_is_given_by_hand_wins() -> None:
    given = {"warmup_steps": 400, "validate_every": 250, "average_decay": 0.9, "learning_rate": 0.01}
    for key, value in given.items():
        fitted = defaults.resolve_defaults(built(steps=500, **{key: value}), 3.0)
        assert getattr(fitted.training, key) == value
        assert key.split("_")[0] not in "".join(defaults.notes(fitted)).replace("validation", "validate")
    assert defaults.notes(defaults.resolve_defaults(built(steps=500, **given), 3.0)) == []


def test_a_warm_up_given_by_hand_that_does_not_end_is_said() -> None:
    (line, other) = defaults.notes(defaults.resolve_defaults(built(steps=500, warmup_steps=1000), MANY))
    assert line == "fitted to 500 steps and the data: validation every 50, average over 67"
    assert other == (
        "training.warmup_steps is 1,000: the run of 500 steps ends before its learning rate reaches its peak"
    )


def test_a_short_run_does_not_raise_the_papers_learning_rate() -> None:
    whole, short = (
        defaults.resolve_defaults(built("base"), MANY),
        defaults.resolve_defaults(built("base", steps=1000), MANY),
    )
    assert whole.training.learning_rate is None  # 1 / sqrt(512 * 4000)
    assert short.training.warmup_steps == 100
    assert short.training.learning_rate == pytest.approx((512 * 4000) ** -0.5)
    assert "learning rate 0.0007" in defaults.notes(short)[0]
    by_hand = defaults.resolve_defaults(built("base", steps=1000, warmup_steps=100), MANY)
    assert by_hand.training.learning_rate is None


def test_few_data_are_validated_more_often_and_no_run_too_often() -> None:
    assert defaults.resolve_defaults(built(), 10.0).training.validate_every == 100  # ten epochs
    assert defaults.resolve_defaults(built(steps=7500), 1.0).training.validate_every == 38  # at most 200 times
    assert defaults.resolve_defaults(built(steps=500), 2.0).training.validate_every == 20
    assert defaults.resolve_defaults(built(steps=1_000_000), MANY).training.validate_every == 5000


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_gives_all_its_numbers(recipe: Path) -> None:
    """What it trains does not change with how presets are fitted."""
    layer = yaml.safe_load(recipe.read_text())
    settings = RunSettings.build("tiny", layer, arch=layer["model"].get("arch", "encoder-decoder"))
    assert set(defaults.to_fit(settings)) <= {"training.learning_rate", "training.metric"}
    assert defaults.resolve_defaults(settings, 1.0).training == settings.training


def stopped(settings: RunSettings) -> dict[str, Any]:
    """What the checkpoint of a run with these settings says that it was made of."""
    sections = {name: getattr(settings, name).model_dump(mode="json") for name in ("tokenizer", "training")}
    found = {f"{name}.{key}": value for name, values in sections.items() for key, value in values.items()}
    return found | {defaults.RECORDED_AS: defaults.to_fit(settings)}


def test_a_run_that_goes_on_keeps_what_it_began_with() -> None:
    begun = defaults.resolve_defaults(built(steps=500), 2.0)
    longer = defaults.resolve_defaults(defaults.frozen(built(steps=1000), stopped(begun)), MANY)
    assert longer.training == begun.training.model_copy(update={"steps": 1000})
    assert defaults.notes(longer) == [line.replace("500", "1,000") for line in defaults.notes(begun)]
    again = defaults.resolve_defaults(defaults.frozen(built(steps=2000), stopped(longer)), MANY)
    assert again.training == begun.training.model_copy(update={"steps": 2000})
    by_hand = defaults.resolve_defaults(defaults.frozen(built(steps=1000, warmup_steps=5), stopped(begun)), MANY)
    assert by_hand.training.warmup_steps == 5  # a change, that is refused by name
    given_then = defaults.resolve_defaults(built(steps=500, warmup_steps=5), 2.0)
    assert (
        defaults.resolve_defaults(defaults.frozen(built(steps=500), stopped(given_then)), MANY).training.warmup_steps
        == 1000
    )


@pytest.mark.parametrize("arch", ["encoder-decoder", "encoder"])
def test_a_run_of_an_earlier_version_goes_on_as_the_preset_has_it(arch: str) -> None:
    layer = {"model": {"task": "classify"}} if arch == "encoder" else {}
    earlier = RunSettings.build("tiny", layer, {"training": {"steps": 50}}, arch=arch)
    made_of = {key: value for key, value in stopped(earlier).items() if key != defaults.RECORDED_AS}
    resumed = defaults.with_vocabulary_for(defaults.resolve_defaults(defaults.frozen(earlier, made_of), 2.0), 10_000)
    assert (resumed.training, resumed.tokenizer) == (earlier.training, earlier.tokenizer)
    assert defaults.to_fit(resumed) == defaults.to_fit(earlier)  # which the next checkpoint says


def classifier(preset: str = "tiny", **sections: Any) -> RunSettings:
    return RunSettings.build(preset, {"model": {"task": "classify"}}, sections, arch="encoder")


def test_a_classifier_has_as_many_tokens_as_its_text_can_fill_and_is_kept_by_its_accuracy() -> None:
    sizes = [
        defaults.with_vocabulary_for(classifier(), size).tokenizer.vocab_size for size in (9_000, 280_000, 10_000_000)
    ]
    assert sizes == [300, 2000, 8000]
    usual = ClassifyTask.usual_metric
    fitted = defaults.resolve_defaults(defaults.with_vocabulary_for(classifier(), 280_000), MANY, usual)
    assert fitted.training.metric == "accuracy"
    assert defaults.notes(fitted) == ["fitted to 600 steps and the data: kept by accuracy, vocabulary 2,000"]
    by_hand = classifier(tokenizer={"vocab_size": 5000}, training={"metric": "loss"})
    assert defaults.resolve_defaults(defaults.with_vocabulary_for(by_hand, 280_000), MANY, usual) == by_hand
    tagger = RunSettings.build("tiny", {"model": {"task": "tag"}}, arch="encoder")
    assert defaults.resolve_defaults(tagger, MANY, TagTask.usual_metric).training.metric == "loss"
    begun = stopped(fitted)
    assert defaults.with_vocabulary_for(defaults.frozen(classifier(), begun), 10_000_000).tokenizer.vocab_size == 2000


def test_a_classifier_of_few_texts_drops_more() -> None:
    def dropout(settings: RunSettings, num_texts: int) -> float:
        return defaults.with_dropout_for(settings, num_texts).model.dropout

    usual = classifier().model.dropout
    assert [dropout(classifier(), size) for size in (20, 800, 1_999, 2_000)] == [usual, 0.5, 0.5, usual]
    assert dropout(classifier(model={"dropout": 0.2}), 800) == 0.2
    assert dropout(classifier("small"), 800) == classifier("small").model.dropout
    fitted = defaults.resolve_defaults(defaults.with_dropout_for(classifier(), 800), MANY, ClassifyTask.usual_metric)
    begun = stopped(fitted) | {"model.dropout": 0.5}
    assert dropout(defaults.frozen(classifier(), begun), 800) == 0.5


def test_of_equally_good_models_the_one_of_lower_loss_is_kept() -> None:
    run = TrainingRun()
    measured = [(10, 0.9, 0.5), (20, 1.0, 0.4), (30, 1.0, 0.2), (40, 1.0, 0.3), (50, 1.0, 0.2)]
    run.history = [{"step": step, "valid_accuracy": a, "valid_bleu": a, "valid_loss": b} for step, a, b in measured]
    assert run.best_steps("accuracy", 9) == [30, 50, 40, 20, 10]
    assert run.best_steps("bleu", 9) == [30, 50, 40, 20, 10]
    assert run.best_steps("loss", 9) == [30, 50, 40, 20, 10]


def test_bytes_of_text_are_those_of_words_in_files_and_in_memory(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("yes\tä b\nno\tcd\n", encoding="utf-8")
    files = find_labelled([tmp_path / "t.tsv"], by_word=False)
    held = LabelledText([["ä b"], ["cd"]], [["yes"], ["no"]], "held")
    assert text_bytes(files, 99) == text_bytes([held], 99) == 6
    assert text_bytes([held, held], 7) == 7


def test_a_few_thousand_words_tell_their_language_with_a_vocabulary_that_they_can_fill(
    tmp_path: Path, shared_data: Path
) -> None:
    """With the preset's 8,000 tokens, most words are one token, and 18 % are right (docs/experiments.md)."""
    languages = ("dut", "fre", "hun", "kor", "vie_hanoi")

    def words(part: str, count: int) -> list[tuple[str, str]]:
        lines = {
            name: (shared_data / "g2p" / "medium" / f"{name}_{part}.tsv").read_text("utf-8").splitlines()
            for name in languages
        }
        found = [(name, line.split("\t")[0]) for name in languages for line in sorted(lines[name])]
        random.Random(1).shuffle(found)
        return found[:count]

    result = train(words("train", 3500), tmp_path / "model", arch="encoder", task="classify", steps=200, device="cpu")
    texts = words("dev", 1000)
    assert result.loaded is not None
    assert result.loaded.evaluate([[text] for _, text in texts], [[label] for label, _ in texts])["accuracy"] > 0.7


@pytest.mark.parametrize(
    ("epoch_steps", "steps"), [(4.7, 1000), (9.4, 1880), (20.0, 4000), (30.0, 6000), (1000.0, 7500)]
)
def test_few_data_are_not_read_hundreds_of_times(epoch_steps: float, steps: int) -> None:
    """Where nobody says how many steps there are: at most 200 epochs, 1,000 steps at least, the preset's at most."""
    fitted = defaults.resolve_defaults(built(), epoch_steps)
    assert fitted.training.steps == steps
    assert fitted.training.warmup_steps == max(round(1000 * steps / 7500), steps // 10)
    said = "; ".join(defaults.notes(fitted))
    assert ("at most 200 epochs" in said) == (1000 < steps < 7500)
    assert ("at least 1,000 steps" in said) == (steps == 1000)
    assert defaults.resolve_defaults(built(steps=3000), epoch_steps).training.steps == 3000
    assert defaults.resolve_defaults(built(), math.inf).training.steps == 7500
