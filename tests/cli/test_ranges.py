"""Every number has a range: an option or setting, a bad value, and what the message names."""

import random
from pathlib import Path

import pytest
import torch

import regard
from regard.checkpoint import save_new
from regard.cli.main import run
from regard.errors import SettingsError
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.runs.settings.reading import parse_assignments, parse_options, read_yaml
from regard.runs.settings.run_settings import RunSettings
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.training_run import SavingTimes

HUGE = "9" * 400
LONGER_THAN_PYTHON_READS = "9" * 5000


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    assert ended.value.code == 2
    shown = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "Traceback" not in shown
    return shown


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("training.steps=true", "training.steps must be a number; got True."),
        ("training.steps=yes", "training.steps must be a valid integer, unable to parse string as an integer; got 'yes'."),
        ("training.steps=1:30", "training.steps must be a valid integer, unable to parse string as an integer; got '1:30'."),
        ("training.steps=1:30.5", "training.steps must be a valid integer"),
        ("training.steps=1e21", "training.steps must be a smaller number; got 1e+21."),
        (f"training.steps={HUGE}", "training.steps must be less than or equal to 1000000000; got 999"),
        ("training.steps=12.5", "training.steps must be a valid integer, got a number with a fractional part; got 12.5."),
        ("training.steps=.nan", "training.steps must be a finite number; got nan."),
        ("training.batch_tokens=1e15", "training.batch_tokens must be less than or equal to 1000000000; got 1000000000000000.0."),
        ("training.accumulation=1e18", "training.accumulation must be less than or equal to 1000000000; got 1e+18."),
        (f"training.warmup_steps={HUGE}", "training.warmup_steps must be less than or equal to 1000000000; got 999"),
        (f"training.validate_every={HUGE}", "training.validate_every must be less than or equal to"),
        (f"training.report_every={HUGE}", "training.report_every must be less than or equal to"),
        (f"training.keep_best={HUGE}", "training.keep_best must be less than or equal to"),
        (f"training.keep_every={HUGE}", "training.keep_every must be less than or equal to"),
        ("training.keep_every=-1", "training.keep_every must be greater than or equal to 0; got -1."),
        (f"training.patience={HUGE}", "training.patience must be less than or equal to"),
        ("training.patience=false", "training.patience must be a number; got False."),
        ("training.seed=true", "training.seed must be a number; got True."),
        ("training.seed=4294967296", "training.seed must be less than 4294967296; got 4294967296."),
        ("training.learning_rate=true", "training.learning_rate must be a number; got True."),
        ("training.learning_rate=1e39", "training.learning_rate must be less than or equal to 1e+38; got 1e+39."),
        ("training.learning_rate=1e400", "training.learning_rate must be a finite number; got inf."),
        ("training.learning_rate=0", "training.learning_rate must be greater than 0; got 0."),
        ("training.weight_decay=-0.1", "training.weight_decay must be greater than or equal to 0; got -0.1."),
        ("training.weight_decay=1e9", "training.weight_decay must be less than or equal to 1000; got 1000000000.0."),
        ("training.label_smoothing=1", "training.label_smoothing must be less than 1; got 1."),
        ("training.clip_norm=.inf", "training.clip_norm must be a finite number; got inf."),
        ("training.adam_epsilon=2", "training.adam_epsilon must be less than or equal to 1; got 2."),
        ("training.adam_betas=[false,0.9]", "training.adam_betas must be a number; got [False, 0.9]."),
        ("training.adam_betas=[.nan,0.9]", "training.adam_betas.0 must be a finite number; got nan."),
        ("training.average_decay=1", "training.average_decay must be less than 1; got 1."),
        ("tokenizer.vocab_size=1e21", "tokenizer.vocab_size must be a smaller number; got 1e+21."),
        (f"tokenizer.vocab_size=1{'0' * 21}", "tokenizer.vocab_size must be less than or equal to 10000000; got 1000"),
        ("tokenizer.vocab_size=true", "tokenizer.vocab_size must be a number; got True."),
        ("tokenizer.max_lines=0", "tokenizer.max_lines must be greater than or equal to 1; got 0."),
        ("data.weights=[true,1]", "data.weights must be a number; got [True, 1]."),
        ("data.weights=[1e308,1e308]", "data.weights.0 must be less than or equal to 1000000000; got 1e+308."),
        ("data.temperature=.nan", "data.temperature must be a finite number; got nan."),
        ("data.concatenation=true", "data.concatenation must be a number; got True."),
        ("model.dropout=true", "model.dropout must be a number; got True."),
        ("model.dropout=.nan", "model.dropout must be a finite number; got nan."),
        ("model.num_heads=true", "model.num_heads must be a number; got True."),
        ("model.max_positions=1:30", "model.max_positions must be a valid integer"),
        ("model.norm_epsilon=1e300", "model.norm_epsilon must be less than or equal to 1; got 1e+300."),
        ("model.pruned_heads={cross.0: [true]}", "model.pruned_heads must be a number; got {'cross.0': [True]}."),
    ],
)  # fmt: skip
def test_settings(setting: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as told:
        RunSettings.build("tiny", parse_assignments([setting]))
    assert str(told.value).startswith(expected)
    name, _, value = setting.partition("=")
    section, _, key = name.partition(".")
    (tmp_path / "c.yaml").write_text(f"{section}:\n  {key}: {value}\n")
    with pytest.raises(SettingsError) as told:
        RunSettings.build("tiny", read_yaml(tmp_path / "c.yaml"))
    assert str(told.value).startswith(expected)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("training.steps=1_000", 1000),
        ("training.steps=1e3", 1000),
        ("training.steps=0100", 100),
        ("training.steps='12'", 12),
        ("training.learning_rate=1e-3", 1e-3),
        ("training.learning_rate=.5", 0.5),
        ("training.learning_rate=2", 2.0),
        ("training.learning_rate=~", None),
        ("tokenizer.shared=no", False),
        ("tokenizer.split_digits=on", True),
        ("tokenizer.leading_space=False", False),
        ("training.metric=loss", "loss"),
        ("training.adam_betas=[0.8, 9e-1]", (0.8, 0.9)),
    ],
)
def test_numbers_and_truth_values_are_read_as_they_are_written(setting: str, value: object) -> None:
    section, _, key = setting.partition("=")[0].partition(".")
    found = getattr(getattr(RunSettings.build("tiny", parse_assignments([setting])), section), key)
    assert (found, type(found)) == (value, type(value))


def test_words_stay_words() -> None:
    """`no` is Norwegian, too."""
    assert parse_options(["banned=[no, on, 1:30, true]"]) == {"banned": ["no", "on", "1:30", True]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random translator `m`, a language model `lm`, and pairs in `a` and `b`."""
    folder, rng = tmp_path_factory.mktemp("ranges"), random.Random(1)
    lines = ["".join(rng.choices("abc", k=4)) for _ in range(4)]
    for name in ("a", "b"):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind="characters", vocab_size=20))
    torch.manual_seed(1)
    sizes = {"vocab_size": len(tokenizer), "model_dim": 8, "ff_dim": 8, "num_heads": 2, "max_positions": 16}
    pair = EncoderDecoderConfig(num_encoder_layers=1, num_decoder_layers=1, **sizes)
    save_new(folder / "m", build(pair).eval(), tokenizer)
    save_new(folder / "lm", build(DecoderConfig(num_layers=1, **sizes)).eval(), tokenizer)
    return folder


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("score m a b --threads 0", "'--threads'"),
        ("score m a b --threads nan", "'--threads'"),
        ("score m a b --threads 5000", "--threads must be at most"),
        (f"predict m a --threads {HUGE}", "--threads must be at most"),
        ("demo --steps 0", "'--steps'"),
        ("demo --steps nan", "'--steps'"),
        (f"demo -o d --steps {HUGE}", "training.steps must be less than or equal to 1000000000"),
        (f"demo histogram -o d --steps {HUGE}", "training.steps must be less than or equal to 1000000000"),
        ("demo --seed -1", "training.seed must be greater than or equal to 0; got -1."),
        ("train a b -o x --steps 1:30", "'--steps'"),
        (f"train a b -o x --steps {LONGER_THAN_PYTHON_READS}", "'--steps'"),
        (f"train a b -o x --set training.steps={LONGER_THAN_PYTHON_READS}", "--set training.steps must have a YAML value"),
        ("train a b -o x --seed 4294967296", "training.seed must be less than 4294967296"),
        (f"train a b -o x --save-every {LONGER_THAN_PYTHON_READS}", "--save-every must be a number of steps"),
        ("heads m a b --prune nan -o p", "--prune"),
        ("heads m a b --prune -0.1 -o p", "--prune must be from 0 to 1"),
        ("heads m a b --sentences 0", "'--sentences'"),
        ("inspect m abc --rank 0", "'--rank'"),
        ("inspect m abc --rank 1001", "'--rank'"),
        (f"inspect m abc --rank {HUGE}", "'--rank'"),
        ("align m a b --from cross.nan", "must be written kind.layer.head"),
        ("align m a b --from cross.1", "--from must name cross-attention, cross.0 to cross.0; got cross.1."),
        ("align m a b --from cross.999999999", "--from must name cross-attention"),
        (f"align m a b --from cross.{HUGE}", "must be written kind.layer.head"),
        ("inspect m abc --head cross.0.-1", "must be written kind.layer.head"),
        (f"inspect m abc --ablate cross.{LONGER_THAN_PYTHON_READS}.0", "must be written kind.layer.head"),
        ("generate lm --max-tokens 0", "'--max-tokens'"),
        (f"generate lm --max-tokens {HUGE}", "'--max-tokens'"),
        ("generate lm --temperature nan", "temperature"),
        ("generate lm --temperature inf", "temperature"),
        ("generate lm --temperature -1", "'--temperature'"),
        ("generate lm --top-k 0", "'--top-k'"),
        ("generate lm --top-p nan", "top_p must be a finite number; got nan."),
        ("generate lm --top-p 0", "top_p must be greater than 0; got 0.0."),
        ("generate lm --min-p nan", "min_p must be a finite number; got nan."),
        ("generate lm --typical inf", "typical must be a finite number; got inf."),
        ("generate lm --seed 4294967296", "'--seed'"),
        ("generate lm --seed nan", "'--seed'"),
    ],
)  # fmt: skip
def test_options(
    words: str, expected: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert expected in refused(capsys, *words.split())
    assert not {path.name for path in folder.iterdir()} - {"a", "b", "m", "lm"}


@pytest.mark.parametrize("max_tokens", [0, -1, True])
def test_tokens_to_write_are_a_whole_number(folder: Path, max_tokens: int) -> None:
    model = regard.load(folder / "lm", device="cpu")
    assert isinstance(model, regard.LanguageModel)
    with pytest.raises(SettingsError, match=r"max_tokens must be .*; got"):
        model.generate(["a"], max_tokens=max_tokens)


@pytest.mark.parametrize("layer_and_head", [{"layer": 1}, {"layer": -1}, {"layer": 0, "head": 2}, {"head": -1}])
def test_a_layer_or_head_that_is_not_there(folder: Path, layer_and_head: dict[str, int]) -> None:
    translator = regard.load(folder / "m", device="cpu")
    assert isinstance(translator, regard.Translator)
    with pytest.raises(SettingsError, match=r"(layer|head) must be"):
        translator.align("abc", "abc", **layer_and_head)


def test_saving_times() -> None:
    assert SavingTimes.parse("0500") == SavingTimes(every_steps=500)
    assert SavingTimes.parse("10m") == SavingTimes(every_seconds=600)
