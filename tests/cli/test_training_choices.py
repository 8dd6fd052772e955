"""What decides which weights stay, and which pairs are learnt from."""

import json
import random
import re
from pathlib import Path

import pytest
from safetensors.torch import load_file

from regard.cli.main import run

SMALL = ["--set", "model.model_dim=24", "--set", "model.ff_dim=32", "--set", "model.num_heads=2", "--threads", "1",
         "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--precision", "float32",
         "--set", "tokenizer.vocab_size=40", "--set", "training.batch_tokens=300"]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("choices"), random.Random(1)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 6))) for _ in range(260)]
    (folder / "a.tsv").write_text("".join(f"{word}\t{word}\n" for word in words[:200]))
    (folder / "b.src").write_text("".join(f"{word}\n" for word in words[200:240]))
    (folder / "b.tgt").write_text("".join(f"{word}\n" for word in words[200:240]))
    (folder / "valid.tsv").write_text("".join(f"{word}\t{word}\n" for word in words[240:]))
    return folder


def command(*arguments: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    assert (ended.value.code or 0) == code


def test_a_decoded_metric_decides_and_the_best_few_can_be_averaged(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "m"
    settings = ["training.metric=chrf", "training.keep_best=2", "training.validate_every=10", "training.warmup_steps=20",
                "training.learning_rate=0.01"]  # fmt: skip
    command("train", data / "a.tsv", "--valid", data / "valid.tsv", "-o", output, *SMALL, "--steps", "40",
            *(part for setting in settings for part in ("--set", setting)))  # fmt: skip
    shown = capsys.readouterr().err
    assert "the 2 best models are in" in shown
    records = [json.loads(line) for line in (output / "metrics.jsonl").read_text().splitlines()]
    scores = {record["step"]: record["valid_chrf"] for record in records if "valid_chrf" in record}
    ranked = sorted(scores, key=lambda step: (-scores[step], step))
    best = tmp_path / "m.training" / "best"
    assert {path.name for path in best.iterdir()} == {f"step-{step:08d}" for step in ranked[:2]}
    assert json.loads((output / "results.json").read_text())["steps"]["kept"] == ranked[0]
    weights = [load_file(path / "model.safetensors") for path in (output, best / f"step-{ranked[0]:08d}")]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    command("average", *sorted(best.iterdir()), "-o", tmp_path / "mean")
    assert "the mean of 2 models" in capsys.readouterr().out
    command("train", data / "a.tsv", "--valid", data / "valid.tsv", "-o", tmp_path / "few", *SMALL, "--steps", "20",
            "--set", "training.keep_best=5", "--set", "training.validate_every=10")  # fmt: skip
    assert "the 2 best models are in" in capsys.readouterr().err


def test_a_metric_that_is_not_measured_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command("train", data / "b.src", "--arch", "decoder", "-o", tmp_path / "m", "--set", "training.metric=bleu", code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"training\.metric .*loss, token_accuracy.*; got bleu\.", shown)
    command("train", data / "a.tsv", "-o", tmp_path / "m", "--set", "training.metric=f1", code=2)
    assert "training.metric must be one that this kind of training measures: loss" in capsys.readouterr().err


def test_several_corpora_weights_filters_and_dropped_merges(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [data / "a.tsv", data / "b.src", data / "b.tgt"]
    sets = ["data.weights=[1, 3]", "data.max_tokens=5", "data.concatenation=0.5", "data.bpe_dropout=0.2"]
    options = [*SMALL, "--steps", "6", *(part for each in sets for part in ("--set", each))]
    command("train", *names, "--valid", data / "valid.tsv", "-o", tmp_path / "m", *options)
    shown = capsys.readouterr().err
    assert "200 pairs from " in shown
    assert "40 pairs from " in shown
    assert "are over 5 tokens with the end symbol: left out" in shown
    facts = json.loads((tmp_path / "m" / "results.json").read_text())["data"]["training"]
    assert facts["num_pairs"] < facts["num_target_tokens"] <= 5 * facts["num_pairs"]
    assert f"an epoch is 25.0% {data / 'a.tsv'}, 75.0% {data / 'b.src'} + {data / 'b.tgt'}" in shown
    command("train", *names, "-o", tmp_path / "n", *options[:-8], "--set", "data.weights=[1, 2, 3]", code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"data\.weights .*each corpus, 2 in all; got \[1\.0, 2\.0, 3\.0\]", shown)
    command("train", *names, "-o", tmp_path / "n", *SMALL, "--set", "data.max_ration=3", code=2)
    assert re.search("data .*'max_ration'.*'max_ratio'", " ".join(capsys.readouterr().err.split()))
    command("train", data / "b.src", "--arch", "decoder", "-o", tmp_path / "n", "--set", "data.max_tokens=3", code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"`data\.max_tokens` needs pairs.*--arch decoder.*Remove", shown)
    command("train", data / "a.tsv", "-o", tmp_path / "n", *SMALL, "--set", "tokenizer.kind=unigram",
            "--set", "data.bpe_dropout=0.1", code=2)  # fmt: skip
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"`data\.bpe_dropout` .*kind bpe; got unigram\.", shown)


def test_what_is_held_out_of_two_corpora_is_not_learnt_from(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command("train", data / "a.tsv", data / "b.src", data / "b.tgt", "-o", tmp_path / "m", *SMALL, "--steps", "2")
    shown = capsys.readouterr().err
    sizes = [int(line.split(" pairs")[0]) for line in shown.splitlines() if " pairs from " in line]
    assert sum(sizes[:2]) == 240 - 10
    assert sizes[2] == 10  # as few as that are not one in forty, but ten


def test_runs_with_other_seeds_hold_out_the_same(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So their models have one vocabulary, and can decide together."""
    for seed in ("1", "2"):
        command("train", data / "a.tsv", "-o", tmp_path / seed, *SMALL, "--steps", "2", "--seed", seed)
    (tmp_path / "words").write_text("ab\n")
    command("translate", tmp_path / "1", tmp_path / "words", "--ensemble", tmp_path / "2")
    first, second = ((tmp_path / seed / "tokenizer.json").read_bytes() for seed in ("1", "2"))
    assert first == second


def test_a_recipe_names_the_family_of_its_model(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "recurrent.yaml"
    recipe.write_text("model: {arch: rnn, model_dim: 24}\ntokenizer: {vocab_size: 40}\ntraining: {batch_tokens: 300}\n")
    files = (data / "a.tsv", "--valid", data / "valid.tsv", "--config", recipe, "--threads", "1", "--steps", "2")
    command("train", *files, "-o", tmp_path / "m")
    assert json.loads((tmp_path / "m" / "config.json").read_text())["model"]["arch"] == "rnn"
    command("train", *files, "--arch", "transformer", "-o", tmp_path / "n", code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"--arch encoder-decoder.*model\.arch: rnn.*remove one", shown)
    command("train", *files[:-6], "--set", "model.arch=rnm", "-o", tmp_path / "n", code=2)
    assert "Did you mean 'rnn'?" in capsys.readouterr().err
