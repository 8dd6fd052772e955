"""Training that begins with a model: `--from`, for every family, with its vocabulary, its weights and what it scored before."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from running import command, refused

import regard
from random_models import SIZES, TEXT, save_models
from regard.checkpoint import load_model, save_new
from regard.errors import SettingsError
from regard.models.config import EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs.tasks.initial_model import usual_settings
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

STEPS = ["--steps", "3", "--set", "training.batch_tokens=200"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_models(tmp_path_factory.mktemp("bases"))
    lines = (path / "source").read_text().splitlines()
    (path / "classes").write_text(
        "".join(f"{'xy'[number % 2]}{number % 2}\t{line}\n" for number, line in enumerate(lines))
    )
    (path / "tags").write_text(
        "\n\n".join("\n".join(f"{word}\t{'up' if 'a' in word else 'down'}" for word in line.split()) for line in lines)
    )
    return path


def begun(folder: Path, output: Path, base: str, *more: Any) -> Any:
    data = {"lm": ["source"], "mlm": ["source"]}.get(base, ["source", "target"])
    given = [folder / name for name in data]
    assert command("train", *given, "--valid", *given, "--from", folder / base, "-o", output, *STEPS, *more) == 0
    return regard.load(output)


def weights(path: Path) -> dict[str, torch.Tensor]:
    return load_model(path).model.state_dict()


@pytest.mark.parametrize("base", ["m", "two", "rnn", "lm", "mlm"])
def test_every_family_goes_on(folder: Path, tmp_path: Path, base: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With a rate of almost 0 nothing changes; with the usual one all matrices do. The vocabulary stays, to the byte."""
    still = ["--set", "training.learning_rate=1e-30", "--precision", "float32"]
    begun(folder, tmp_path / "still", base, *still)
    before, after = weights(folder / base), weights(tmp_path / "still")
    assert before.keys() == after.keys()
    for name, tensor in before.items():
        torch.testing.assert_close(after[name], tensor, rtol=1e-6, atol=1e-9)
    begun(folder, tmp_path / "moved", base)
    after = weights(tmp_path / "moved")
    assert all(
        (after[name] != tensor).any() for name, tensor in before.items() if tensor.ndim == 2 and "position" not in name
    )
    one, other = (load_model(path) for path in (folder / base, tmp_path / "moved"))
    assert one.tokenizer.backend_json == other.tokenizer.backend_json
    assert (one.source_tokenizer is None) == (other.source_tokenizer is None)
    results = json.loads((tmp_path / "moved" / "results.json").read_text())
    assert results["from"] == base
    card = (tmp_path / "moved" / "README.md").read_text()
    assert f"from the model `{base}`" in card
    assert re.search(rf"--from {base}( --task mlm)? --config config.yaml", card)
    assert "model_dim" not in card


def test_what_it_scored_before_is_measured_first(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(folder, tmp_path / "m", "m", "--set", "training.validate_every=2", "--precision", "float32")
    records = [json.loads(line) for line in (tmp_path / "m" / "metrics.jsonl").read_text().splitlines()]
    measured = [record for record in records if "valid_loss" in record]
    assert [record["step"] for record in measured] == [0, 2, 3]
    base = regard.load(folder / "m")
    assert isinstance(base, Translator)
    sources, targets = ((folder / name).read_text().splitlines() for name in ("source", "target"))
    scored = base.score(sources, targets)
    count = sum(len(each.tokens) for each in scored)
    assert measured[0]["valid_loss"] == pytest.approx(-sum(each.log_prob for each in scored) / count, abs=1e-4)
    shown = capsys.readouterr()
    assert "validation at step 0:" in shown.out + shown.err


def test_a_model_that_only_gets_worse_is_said_to(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(
        folder,
        tmp_path / "m",
        "m",
        "--set",
        "training.learning_rate=5",
        "--set",
        "training.warmup_steps=1",
        "--set",
        "training.average_decay=0",
    )
    shown = capsys.readouterr()
    assert re.search(r"no validation was better than the model it began with: loss \d", shown.out + shown.err)


@pytest.mark.parametrize(("task", "labels"), [("classify", ["x0", "y1"]), ("tag", ["down", "up"])])
def test_an_encoder_learns_another_task(folder: Path, tmp_path: Path, task: str, labels: list[str]) -> None:
    data = folder / ("classes" if task == "classify" else "tags")
    options = ["--valid", data, "--from", folder / "mlm", "--task", task, "-o", tmp_path / task, *STEPS]
    assert command("train", data, *options, "--set", "training.learning_rate=1e-30", "--precision", "float32") == 0
    loaded = regard.load(tmp_path / task)
    assert isinstance(loaded, Predictor)
    assert sorted(loaded.model.config.labels) == labels
    before, after = weights(folder / "mlm"), weights(tmp_path / task)
    same = {name for name in before if name in after and before[name].shape == after[name].shape}
    assert {name.partition(".")[0] for name in after.keys() - same} <= {
        "head",
        "output",
        "output_embedding",
        "classifier",
    }
    assert len(same) > 20
    for name in same:
        torch.testing.assert_close(after[name], before[name], rtol=1e-6, atol=1e-9)


def test_a_classifier_with_other_classes(folder: Path, tmp_path: Path) -> None:
    """Three classes where there were two: the head is new, the rest stays."""
    lines = (folder / "source").read_text().splitlines()
    data = tmp_path / "three"
    data.write_text("".join(f"{'abc'[number % 3]}\t{line}\n" for number, line in enumerate(lines)))
    options = ["--valid", data, "--from", folder / "classify", "-o", tmp_path / "m", *STEPS]
    assert command("train", data, *options) == 0
    loaded = regard.load(tmp_path / "m")
    assert isinstance(loaded, Predictor)
    assert sorted(loaded.model.config.labels) == ["a", "b", "c"]
    assert loaded.predict(["ab cde"])[0].labels[0] in ("a", "b", "c")


def test_dropout_may_change_and_nothing_else(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert begun(folder, tmp_path / "m", "m", "--set", "model.dropout=0.3").model.config.dropout == 0.3
    files = [folder / "source", folder / "target", "--from", folder / "m", "-o", tmp_path / "other"]
    for options, message in (
        (["--set", "model.num_heads=2"], "model.num_heads comes from the model in `--from`"),
        (["--set", "tokenizer.vocab_size=99"], "tokenizer.vocab_size comes from the model in `--from`"),
        (["--arch", "decoder"], "`--arch` must be that of the model in `--from`, encoder-decoder; got decoder"),
        (["--task", "classify"], "`--task classify` does not go with"),
        (["--encoder", folder / "mlm", "--decoder", folder / "lm"], "use one of them"),
    ):
        assert message in refused(capsys, "train", *files, *options)
    assert "none" in refused(capsys, "train", *files[:2], "--from", folder / "none", "-o", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.training.trainer import Trainer

    more = [
        "--set",
        "training.validate_every=2",
        "--set",
        "training.schedule=constant",
        "--save-every",
        "2",
        "--precision",
        "float32",
    ]
    files = [
        folder / "source",
        folder / "target",
        "--valid",
        folder / "source",
        folder / "target",
        "--from",
        folder / "m",
    ]
    options = [*files, "--set", "training.batch_tokens=200", "--steps", "6", *more]
    assert command("train", *options, "-o", tmp_path / "whole") == 0
    advance = Trainer._advance

    def dies(self: Any, *, stop: bool) -> None:
        if self.progress.step == 5:
            raise RuntimeError("killed")
        advance(self, stop=stop)

    monkeypatch.setattr(Trainer, "_advance", dies)
    with pytest.raises(RuntimeError, match="killed"):
        command("train", *options, "-o", tmp_path / "parts")
    monkeypatch.setattr(Trainer, "_advance", advance)
    assert command("train", *options, "-o", tmp_path / "parts", "--resume") == 0
    for name, tensor in weights(tmp_path / "whole").items():
        assert torch.equal(tensor, weights(tmp_path / "parts")[name])


def test_from_python(folder: Path, tmp_path: Path) -> None:
    pairs = [("ab cde", "edc ba"), ("fa be", "eb af")] * 8
    result = regard.train(pairs, tmp_path / "m", from_=folder / "m", steps=2, batch_tokens=100)
    assert result.translator.translate(TEXT).text is not None
    with pytest.raises(SettingsError, match=r"model\.num_heads comes from the model"):
        regard.train(pairs, tmp_path / "n", from_=folder / "m", num_heads=2)


@pytest.mark.parametrize(("width", "rate"), [(12, 1e-3), (256, 4.6e-4), (768, 5.1e-5)])
def test_the_usual_rate_falls_with_the_width(width: int, rate: float) -> None:
    config = EncoderDecoderConfig(vocab_size=50, model_dim=width, num_heads=4, ff_dim=16)
    assert usual_settings(config)["training"]["learning_rate"] == pytest.approx(rate)


def test_the_settings_that_were_used_are_recorded(folder: Path, tmp_path: Path) -> None:
    begun(folder, tmp_path / "m", "m", "--set", "training.warmup_steps=2")
    training = json.loads((tmp_path / "m" / "results.json").read_text())["settings"]["training"]
    usual, unknown = 1e-3, 3  # a random model knows nothing of any text
    assert (training["learning_rate"], training["schedule"], training["warmup_steps"]) == (usual * unknown, "linear", 2)
    assert training["batch_tokens"] == 200


@pytest.mark.parametrize("task", ["classify", "tag", "mlm"])
def test_a_model_without_a_task_learns_one(
    folder: Path, tmp_path: Path, task: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `BertModel` of Hugging Face is stored. The head of a classifier begins with its pooler; of a head that is new, the
    loss says nothing about what the model knows."""
    tokenizer = load_model(folder / "mlm").tokenizer
    config = EncoderConfig(vocab_size=len(tokenizer), num_layers=1, task="none", pooler=True, **SIZES)
    save_new(tmp_path / "none", build(config).eval(), tokenizer)
    data = folder / {"classify": "classes", "tag": "tags", "mlm": "source"}[task]
    given = ["train", data, "--valid", data, "--task", task, "--from", tmp_path / "none", *STEPS]
    assert command(*given, "-o", tmp_path / "m", "--set", "training.learning_rate=1e-30") == 0
    assert "knows nothing" not in capsys.readouterr().err
    assert regard.load(tmp_path / "m").predict("ab <mask>" if task == "mlm" else "ab").labels
    before, after = weights(tmp_path / "none"), weights(tmp_path / "m")
    assert before["pooler.weight"].shape == (SIZES["model_dim"], SIZES["model_dim"])
    if task == "classify":
        torch.testing.assert_close(after["head.pooler.weight"], before["pooler.weight"])
    assert command(*given, "-o", tmp_path / "usual") == 0
    assert "knows nothing" not in capsys.readouterr().err
    assert command(*given, "-o", tmp_path / "a", "--set", "adapter.rank=2") == 0
    assert regard.load(tmp_path / "none", adapter=tmp_path / "a").predict("ab <mask>" if task == "mlm" else "ab").labels


def test_a_vocabulary_that_lacks_the_letters_of_a_language_is_said(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a model learns to write the symbol for what is unknown, and nobody knows why."""
    lines = (folder / "source").read_text(encoding="utf-8").splitlines()
    for name, line_of in (("own", str), ("foreign", lambda line: line.replace("a", "ě").replace("e", "ř"))):
        path = tmp_path / f"{name}.tsv"
        path.write_text("".join(f"{line}\t{line_of(line)}\n" for line in lines), encoding="utf-8")
        given = ["train", path, "--valid", path, "--from", folder / "m", "-o", tmp_path / name, *STEPS]
        assert command(*given) == 0
        said = capsys.readouterr().err
        warning = "% of the tokens of the targets are unknown to the model's vocabulary, such as ě, ř"
        assert (warning in said) == (name == "foreign")
        assert "tokens of the sources are unknown" not in said
        assert ("leave out --from" in said) == (name == "foreign")
        assert ("to add them: --set tokenizer.add=[ě,ř]\n" in said) == (name == "foreign")
        if name == "foreign":
            assert command(*given, "--overwrite", "--set", "tokenizer.add=[ě,ř]") == 0
            assert "unknown" not in capsys.readouterr().err
            assert (
                regard.load(tmp_path / name).tokenizer.decode(regard.load(tmp_path / name).tokenizer.encode("běd"))
                == "běd"
            )
    (tmp_path / "russian").write_text("".join(f"жя {line}\n" for line in lines), encoding="utf-8")
    for base in ("lm", "mlm"):
        given = ["train", tmp_path / "russian", "--valid", tmp_path / "russian", "--from", folder / base, *STEPS]
        assert command(*given, "-o", tmp_path / base) == 0
        assert (
            "of the tokens of the texts are unknown to the model's vocabulary, such as ж, я" in capsys.readouterr().err
        )
    given = ["train", tmp_path / "foreign.tsv", "--valid", tmp_path / "foreign.tsv", "--teacher", folder / "m", *STEPS]
    assert command(*given, "-o", tmp_path / "taught") == 0
    said = capsys.readouterr().err
    assert warning in said
    assert "leave out --from" not in said


@pytest.mark.parametrize("task", ["classify", "tag"])
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["x", "y", "z"], ""),
        (["y", "z", "zz"], "new, and to be learnt: 1 label of the head, zz"),
        (["a", "x", "y", "z"], "new, and to be learnt: 1 label of the head, a"),
        (["p", "q", "r"], "new, and to be learnt: head (2 tensors)"),
    ],
)
def test_a_label_keeps_its_weights_by_its_name(
    task: str, labels: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = Tokenizer.train([TEXT], TokenizerConfig(kind="characters", vocab_size=30))
    had = ["x", "y", "z"]
    config = EncoderConfig(vocab_size=len(tokenizer), num_layers=1, task=task, labels=had, **SIZES)
    torch.manual_seed(7)  # not that of runs
    base = build(config).eval()
    save_new(tmp_path / "base", base, tokenizer)
    rows = [(label, "ab cd") if task == "classify" else (["ab", "cd"], [label, label]) for label in labels] * 4
    given: dict[str, Any] = {
        "task": task,
        "from_": tmp_path / "base",
        "valid": rows,
        "steps": 1,
        "learning_rate": 1e-30,
    }
    regard.train(rows, tmp_path / "m", **given)
    regard.train(rows, tmp_path / "a", **given, rank=2)
    printed = capsys.readouterr().err
    assert printed.count(said) >= 2
    assert bool(said) == ("to be learnt" in printed)
    for found in (regard.load(tmp_path / "m"), regard.load(tmp_path / "base", adapter=tmp_path / "a")):
        after = dict(found.model.named_parameters())
        for name, tensor in base.named_parameters():
            if name.startswith("head.output_proj") and set(labels) & set(had):
                known = [label for label in labels if label in had]
                to, of = ([one.index(label) for label in known] for one in (labels, had))
                torch.testing.assert_close(after[name][to], tensor[of])
            elif name.startswith("head.output_proj"):
                assert not torch.allclose(after[name], tensor, atol=1e-4)
