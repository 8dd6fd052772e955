"""Settings that follow the number of steps and the size of the data, where nobody gives them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from regard.demos import dates, histogram
from regard.models.presets import PRESETS
from regard.text.tokenizer import Tokenizer, TokenizerConfig
from regard.training.state import TrainingState
from regard.workflow.resuming import FOLLOWING, as_begun
from regard.workflow.settings import RunSettings
from regard.workflow.tasks.task import Task

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.yaml"))
EVERY_PRESET = [(arch, name) for arch, presets in PRESETS.items() for name in presets]
MANY = 10_000.0
"""Steps of an epoch of large data."""


def built(preset: str = "tiny", arch: str = "transformer", **training: Any) -> RunSettings:
    return RunSettings.build(preset, {"training": training}, arch=arch)


def test_a_short_run_is_through_its_warm_up_and_validates_several_times() -> None:
    fitted = built(steps=500).fitted(MANY)
    assert fitted.training.warmup_steps == 67  # 1,000 of 7,500 steps
    assert fitted.training.validate_every == 50  # a tenth, which is more than 500 of 7,500
    assert fitted.training.average_decay == pytest.approx(1 - 1 / 66.67, abs=1e-4)
    assert fitted.said() == ["fitted to 500 steps: warm-up 67, validation every 50, average over 67"]


@pytest.mark.parametrize(("arch", "preset"), EVERY_PRESET)
@pytest.mark.parametrize("steps", [1, 3, 10, 100, 1000])
def test_nothing_is_longer_than_the_run(arch: str, preset: str, steps: int) -> None:
    training = built(preset, arch, steps=steps).fitted(MANY).training
    assert 1 <= training.warmup_steps <= max(steps * 2 / 10, 1)
    assert min(steps, 3) <= -(-steps // training.validate_every) <= 200
    assert training.average_decay == 0 or 1 / (1 - training.average_decay) <= max(steps * 2 / 10, 2)


@pytest.mark.parametrize(("arch", "preset"), EVERY_PRESET)
def test_the_presets_own_number_of_steps_leaves_its_settings_as_they_are(arch: str, preset: str) -> None:
    settings = built(preset, arch)
    for same in (settings, built(preset, arch, steps=settings.training.steps)):
        assert same.fitted(MANY).training == settings.training
        assert same.fitted(MANY).said() == []


@pytest.mark.parametrize(("demo", "arch"), [(dates, "transformer"), (histogram, "encoder")])
def test_a_demo_is_as_it_was_and_a_short_one_is_fitted(demo: Any, arch: str) -> None:
    settings = RunSettings.build("tiny", {"training": {}}, arch=arch, defaults=demo.SETTINGS)
    given = demo.SETTINGS["training"]
    trained = settings.fitted(470.0).training.model_dump()
    assert {key: trained[key] for key in given} == given
    short = RunSettings.build("tiny", {"training": {"steps": 100}}, arch=arch, defaults=demo.SETTINGS).fitted(470.0)
    assert short.training.warmup_steps <= 30
    assert short.training.learning_rate == given["learning_rate"]


def test_what_is_given_by_hand_wins() -> None:
    given = {"warmup_steps": 400, "validate_every": 250, "average_decay": 0.9, "learning_rate": 0.01}
    for key, value in given.items():
        fitted = built(steps=500, **{key: value}).fitted(3.0)
        assert getattr(fitted.training, key) == value
        assert key.split("_")[0] not in "".join(fitted.said())
    assert built(steps=500, **given).fitted(3.0).said() == []


def test_a_warm_up_given_by_hand_that_does_not_end_is_said() -> None:
    (line, other) = built(steps=500, warmup_steps=1000).fitted(MANY).said()
    assert line == "fitted to 500 steps: validation every 50, average over 67"
    assert other == (
        "training.warmup_steps is 1,000: the run of 500 steps ends before its learning rate is at its height"
    )


def test_a_short_run_does_not_raise_the_papers_learning_rate() -> None:
    whole, short = built("base").fitted(MANY), built("base", steps=1000).fitted(MANY)
    assert whole.training.learning_rate is None  # 1 / sqrt(512 * 4000)
    assert short.training.warmup_steps == 100
    assert short.training.learning_rate == pytest.approx((512 * 4000) ** -0.5)
    assert "learning rate 0.0007" in short.said()[0]
    by_hand = built("base", steps=1000, warmup_steps=100).fitted(MANY)
    assert by_hand.training.learning_rate is None


def test_few_data_are_validated_more_often_and_no_run_too_often() -> None:
    assert built().fitted(10.0).training.validate_every == 100  # ten epochs
    assert built().fitted(1.0).training.validate_every == 38  # at most 200 times
    assert built(steps=500).fitted(2.0).training.validate_every == 20
    assert built(steps=1_000_000).fitted(MANY).training.validate_every == 5000


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_gives_all_its_numbers(recipe: Path) -> None:
    """What it trains does not change with how presets are fitted."""
    layer = yaml.safe_load(recipe.read_text())
    settings = RunSettings.build("tiny", layer, arch=layer["model"].get("arch", "transformer"))
    assert set(settings.following) <= {"learning_rate"}
    assert settings.fitted(1.0).training == settings.training


def stopped(settings: RunSettings, *, with_list: bool = True) -> TrainingState:
    values = {f"training.{key}": value for key, value in settings.training.model_dump(mode="json").items()}
    return TrainingState({}, {}, values | ({FOLLOWING: settings.following} if with_list else {}))


def task(settings: RunSettings) -> Task:
    """What of a task matters here; nothing is trained."""
    tokenizer = Tokenizer.train(["a b"], TokenizerConfig(kind="characters"))

    def nothing(*_: object, **__: object) -> Any: ...

    return Task(tokenizer, settings, nothing, nothing, nothing, {}, {}, epoch_steps=MANY)


def test_a_run_that_goes_on_keeps_what_it_began_with() -> None:
    begun = built(steps=500).fitted(2.0)
    longer = as_begun(task(built(steps=1000)), stopped(begun)).settings
    assert longer.training == begun.training.model_copy(update={"steps": 1000})
    by_hand = as_begun(task(built(steps=1000, warmup_steps=5)), stopped(begun)).settings
    assert by_hand.training.warmup_steps == 5  # a change, that is refused by name
    given_then = built(steps=500, warmup_steps=5).fitted(2.0)
    assert as_begun(task(built(steps=500)), stopped(given_then)).settings.training.warmup_steps == 1000


def test_a_run_of_an_earlier_version_goes_on_as_the_preset_has_it() -> None:
    earlier = built(steps=500)
    assert as_begun(task(built(steps=500)), stopped(earlier, with_list=False)).settings.training == earlier.training


def test_a_run_that_begins_is_fitted() -> None:
    assert as_begun(task(built(steps=500)), None).settings == built(steps=500).fitted(MANY)
