"""The commands as a user runs them: train on a task that can be learnt, then use the model."""

import datetime
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path

import pytest
import torch
from markdown_it import MarkdownIt
from running import command

import regard
from regard.cli.main import spread_values
from regard.data.synthetic import split_of

SMALL = [
    "--set", "model.model_dim=32", "--set", "model.ff_dim=64", "--set", "model.num_encoder_layers=1",
    "--set", "model.num_decoder_layers=1", "--set", "model.dropout=0.0", "--set", "tokenizer.kind=characters",
    "--set", "training.batch_tokens=512", "--set", "training.warmup_steps=50", "--set", "training.average_decay=0.95",
]  # fmt: skip


def reversal_files(folder: Path) -> None:
    """Words of three to seven letters, and the same words backwards."""
    rng = random.Random(3)
    words = list(dict.fromkeys("".join(rng.choices("abcdefg", k=rng.randint(3, 7))) for _ in range(1400)))
    for name, part in (("valid", words[:100]), ("test", words[100:200]), ("train", words[200:])):
        (folder / f"{name}.src").write_text("".join(f"{word}\n" for word in part))
        (folder / f"{name}.tgt").write_text("".join(f"{word[::-1]}\n" for word in part))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and a model trained by the command."""
    folder = tmp_path_factory.mktemp("work")
    reversal_files(folder)
    threads = torch.get_num_threads()
    code = command(
        "train", folder / "train.src", folder / "train.tgt", "--valid", folder / "valid.src", folder / "valid.tgt",
        "-o", folder / "model", *SMALL, "--steps", "800", "--seed", "4", "--precision", "float32",
        "--set", "training.learning_rate=0.005", "--set", "training.validate_every=400",
    )  # fmt: skip
    assert code == 0
    assert torch.get_num_threads() == threads
    return folder


def test_training_learns_reversal(work: Path) -> None:
    results = json.loads((work / "model" / "results.json").read_text())
    assert results["exact_match"] >= 0.95
    assert results["token_accuracy"] >= 0.98


def test_the_model_folder_is_complete(work: Path) -> None:
    folder = work / "model"
    expected = {"model.safetensors", "config.json", "tokenizer.json", "results.json", "README.md", "metrics.jsonl"}
    assert {path.name for path in folder.iterdir()} == expected | {"report.html", "confidence.json"}
    report = (folder / "report.html").read_text()
    assert "While it learnt" in report
    assert "decoder layer" in report
    assert "http" not in report.replace("http://www.w3.org", "")
    results = json.loads((folder / "results.json").read_text())
    for key in ("bleu", "chrf", "exact_match", "token_accuracy", "perplexity"):
        assert isinstance(results[key], float)
    assert results["signatures"]["bleu"].startswith("nrefs:1|case:mixed")
    assert results["sizes"]["weights_bytes"] == (folder / "model.safetensors").stat().st_size
    assert results["seconds"]["training"] > 0
    assert results["versions"]["torch"] == torch.__version__
    assert results["settings"]["training"]["seed"] == 4
    card = (folder / "README.md").read_text()
    assert "no reference has the 4 tokens that BLEU counts by" in card  # as these are single words
    page = unescape(MarkdownIt("commonmark").enable("table").render(card))  # a bar in a signature would end its cell
    for fact in (results["signatures"]["chrf"], "train.src", "vocab_size: ", f"{results['sizes']['num_parameters']:,}"):
        assert fact in page
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [record["step"] for record in records if "valid_loss" in record] == [400, 800]
    assert records[-2]["step"] == 800


def translate(work: Path, capsys: pytest.CaptureFixture[str], *options: str | Path) -> list[str]:
    capsys.readouterr()
    assert command("translate", work / "model", *options) == 0
    return capsys.readouterr().out.splitlines()


def test_translate_a_file(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = translate(work, capsys, work / "test.src")
    references = (work / "test.tgt").read_text().splitlines()
    assert sum(a == b for a, b in zip(out, references, strict=True)) >= 95
    assert translate(work, capsys, work / "test.src", "-o", work / "out.txt") == []
    assert (work / "out.txt").read_text().splitlines() == out
    assert translate(work, capsys, work / "test.src", "--batch-size", "7") == out


def test_translate_keeps_blank_lines_and_order(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "blank.txt").write_text("abcdef\n\nabc\n  \ngfe")
    assert translate(work, capsys, work / "blank.txt") == ["fedcba", "", "cba", "", "efg"]


def test_translate_standard_input(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc\nabcd\n")))
    assert translate(work, capsys) == ["cba", "dcba"]


def test_translate_a_typed_line_at_once(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(b"abc\n" + b"a" * 2000 + b"\nabcd\n")))
    capsys.readouterr()
    assert command("translate", work / "model") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["cba", "dcba"]
    assert "a text must have at most 1023 tokens; got 2001" in shown.err


def test_translate_as_json(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "one.txt").write_text("abcd\n")
    (record,) = map(json.loads, translate(work, capsys, work / "one.txt", "--json", "--length-penalty", "0"))
    assert (record["source"], record["text"], record["finish_reason"]) == ("abcd", "dcba", "eos")
    assert record["tokens"] == ["▁", "d", "c", "b", "a"]
    assert len(record["token_log_probs"]) == 6
    assert record["score"] == pytest.approx(sum(record["token_log_probs"]), abs=1e-5)
    assert "n_best" not in record


def test_translate_n_best(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "two.txt").write_text("abcd\nabc\n")
    rows = [line.split(" ||| ") for line in translate(work, capsys, work / "two.txt", "--n-best", "3")]
    assert [row[0] for row in rows] == ["0"] * 3 + ["1"] * 3
    assert rows[0][1] == "dcba"
    scores = [float(row[2]) for row in rows]
    assert scores[:3] == sorted(scores[:3], reverse=True)


def test_score_agrees_with_translate(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "s.txt").write_text("abcd\ngfa\n")
    records = [json.loads(line) for line in translate(work, capsys, work / "s.txt", "--json")]
    (work / "t.txt").write_text("".join(record["text"] + "\n" for record in records))
    assert command("score", work / "model", work / "s.txt", work / "t.txt") == 0
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert scores == pytest.approx([sum(record["token_log_probs"]) for record in records], abs=1e-5)
    assert command("score", work / "model", work / "s.txt", work / "t.txt", "--json") == 0
    forced = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert forced[0]["tokens"] == [*records[0]["tokens"], "</s>"]
    assert forced[0]["token_log_probs"] == pytest.approx(records[0]["token_log_probs"], abs=1e-5)


def test_evaluate(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("evaluate", work / "model", work / "test.src", work / "test.tgt", "--tokenize", "char")
    assert command(*arguments, "--json") == 0
    results = json.loads(capsys.readouterr().out)
    assert results["exact_match"] >= 0.95
    assert results["num_pairs"] == 100
    assert "tok:char" in results["signatures"]["bleu"]
    assert command(*arguments) == 0
    shown = capsys.readouterr().out
    assert f"{results['bleu']:.2f}   {results['signatures']['bleu']}" in shown


def test_info(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("info", work / "model") == 0
    shown = capsys.readouterr().out
    assert re.search(r"model_dim +32\n", shown)
    assert "measured on" in shown
    assert command("info", work / "model", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["num_parameters"] == facts["results"]["sizes"]["num_parameters"]


def test_info_tells_of_calibration(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = shutil.copytree(work / "model", tmp_path / "model")
    (model / "confidence.json").write_text('{"log_probs": [-2.0, -1.0], "chrf": [0.2, 0.7], "num_pairs": 1014}')
    assert command("info", model) == 0
    assert "confidence: calibrated on 1,014 pairs\n" in capsys.readouterr().out
    (model / "confidence.json").write_text('{"log_probs": [-1.0]}')
    assert command("info", model) == 2
    assert "confidence.json must be a calibration" in " ".join(capsys.readouterr().err.split())


def test_python_does_what_the_commands_do(work: Path) -> None:
    translator = regard.load(work / "model", device="cpu")
    first, second = translator.translate(["abcdef", "gfe"], n_best=2, beam_size=3)
    assert (first.text, second.text) == ("fedcba", "efg")
    assert len(first.n_best) == 2
    assert first.n_best[0].score == first.score >= first.n_best[1].score
    alignment = translator.align("abcdef")
    assert len(alignment.weights) == len(alignment.target_tokens) == 8
    assert all(sum(row) == pytest.approx(1, abs=1e-4) for row in alignment.weights)
    assert translator.translate("abcdef").text == first.text  # of one text, its translation
    with pytest.raises(regard.SettingsError, match="device must be auto, cpu, or a GPU of this machine"):
        regard.load(work / "model", device="gpu")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_train_from_python_and_from_one_file(work: Path, tmp_path: Path, form: str) -> None:
    pairs = zip((work / "train.src").read_text().split(), (work / "train.tgt").read_text().split(), strict=True)
    rows = [f"{a}\t{b}" if form == "tsv" else json.dumps({"source": a, "target": b}) for a, b in pairs]
    path = tmp_path / f"pairs.{form}"
    path.write_text("\n".join(rows) + "\n")
    settings = {"model": {"model_dim": 16, "ff_dim": 16}, "training": {"steps": 3}, "tokenizer": {"kind": "unigram"}}
    result = regard.train(str(path), tmp_path / "model", settings=settings)  # one name needs no list
    assert result.results["data"]["training"]["num_pairs"] + result.results["data"]["validation"]["num_pairs"] == len(
        rows
    )
    assert result.results["data"]["validation"]["name"].endswith("(held out at random)")
    assert len(result.translator.translate(["abc"])) == 1


def test_validation_pairs_that_are_too_long_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("abc\tcba\nab\tba\n" * 20)
    (tmp_path / "valid.tsv").write_text("abc\tcba\nabcabcabcabc\tcba\nab\tba\n")
    settings = {
        "model": {"model_dim": 16, "ff_dim": 16, "max_positions": 8},
        "training": {"steps": 1},
        "tokenizer": {"kind": "characters"},
    }
    result = regard.train([tmp_path / "train.tsv"], tmp_path / "m", valid=tmp_path / "valid.tsv", settings=settings)
    assert result.results["num_pairs"] == 2
    assert result.results["data"]["validation"]["num_pairs"] == 2
    assert 0 < result.results["target_tokens_per_second"] < 1e7


def test_the_demo_from_end_to_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from regard.demos import dates as demo

    sizes = {"NUM_TRAINING_PAIRS": 600, "NUM_VALID_PAIRS": 20, "NUM_TEST_PAIRS": 40}
    for name, size in sizes.items():
        monkeypatch.setattr(demo, name, size)
    assert command("demo", "-o", tmp_path / "demo-model", "--steps", "3") == 0
    shown = capsys.readouterr()
    assert "exact match on 40 held-out dates: 0.00%" in shown.out
    assert len(re.findall("  ->  ", shown.out)) == 10
    assert f"report: {tmp_path / 'demo-model' / 'report.html'}" in shown.out
    assert f"translate {tmp_path / 'demo-model'}" in shown.out
    results = json.loads((tmp_path / "demo-model" / "results.json").read_text())
    assert (results["exact_match"], results["num_pairs"]) == (0.0, 40)
    page = (tmp_path / "demo-model" / "report.html").read_text()
    assert page.count("<svg") == 3 + len(demo.DRAWN)  # loss, accuracy, speed, each measured once
    assert "2016年5月4日" in page
    assert split_of(datetime.date(2016, 5, 4)) == "test"


def test_an_interrupt_before_anything_is_saved_says_so(work: Path, tmp_path: Path) -> None:
    options = ["-o", tmp_path / "m", *SMALL, "--steps", "100000", "--set", "training.validate_every=100000"]
    code = f"import sys; sys.argv[1:] = {[str(word) for word in ['train', work / 'train.src', work / 'train.tgt', *options]]!r}\n"
    code += "import regard.runs.tasks.pairs as t\ndef stop(*a, **k): raise KeyboardInterrupt\nt.find_corpora = stop\n"
    code += "from regard.cli.main import run; run()"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 130
    assert process.stderr == "regard: interrupted before anything was saved; nothing was written.\n"
    assert not (tmp_path / "m").exists()


def test_the_same_seed_gives_the_same_weights(work: Path, tmp_path: Path) -> None:
    weights = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        options = ["-o", tmp_path / name, *SMALL, "--steps", "5", "--seed", seed, "--set", "model.dropout=0.2"]
        assert command("train", work / "train.src", work / "train.tgt", *options) == 0
        weights.append((tmp_path / name / "model.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_settings_come_from_preset_then_file_then_options(work: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("training: {steps: 9, seed: 8, warmup_steps: 77}\nmodel: {num_heads: 2}\n")
    options = ["--config", config, "--set", "training.seed=7", "--steps", "2", *SMALL[:4]]
    assert command("train", work / "train.src", work / "train.tgt", "-o", tmp_path / "m", *options) == 0
    settings = json.loads((tmp_path / "m" / "results.json").read_text())["settings"]
    assert settings["training"]["steps"] == 2
    assert settings["training"]["seed"] == 7
    assert settings["training"]["warmup_steps"] == 77
    assert (settings["model"]["num_heads"], settings["model"]["model_dim"]) == (2, 32)
    assert settings["model"]["num_encoder_layers"] == 4  # the preset's


def spawn(*arguments: str | Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "regard", *map(str, arguments)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def interrupted(process: "subprocess.Popen[str]", model: Path) -> str:
    """What a run says that is interrupted as soon as it has a model."""
    deadline = time.monotonic() + 120
    while not model.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate(timeout=60)
    assert process.returncode == 130
    return shown


def test_an_interrupt_leaves_a_whole_model_and_says_how_to_go_on(work: Path, tmp_path: Path) -> None:
    options = ["-o", tmp_path / "m", *SMALL, "--steps", "100000", "--set", "training.validate_every=20"]
    process = spawn("train", work / "train.src", work / "train.tgt", *options)
    shown = interrupted(process, tmp_path / "m")
    assert "interrupted at step" in shown
    assert f" -m regard translate {tmp_path / 'm'}`. " in shown
    assert re.search("the same command and `--resume`, .*`--overwrite`", shown)
    assert "Traceback" not in shown
    assert len(regard.load(tmp_path / "m").translate(["abc"])) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "m.training"]
    assert not [path for path in (tmp_path / "m").iterdir() if path.name.startswith(".")]


def test_an_interrupted_demo_says_what_it_can_do(tmp_path: Path) -> None:
    process = spawn("demo", "histogram", "-o", tmp_path / "m", "--steps", "100000", "--threads", "1")
    shown = interrupted(process, tmp_path / "m")
    assert re.search("interrupted at step .*with `--overwrite`.\n$", shown)
    assert "--resume" not in shown


def test_output_without_a_terminal_is_plain_lines(work: Path, tmp_path: Path) -> None:
    options = ["-o", tmp_path / "m", *SMALL, "--steps", "10"]
    process = spawn("train", work / "train.src", work / "train.tgt", *options)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "\x1b" not in out + err
    assert "step 10/10  loss " in err
    assert "tokens/s" in err
    assert "validation at step 10:  loss " in err
    assert out.splitlines()[0] == "27 pairs"  # one in forty of 1,098
    assert f" -m regard translate {tmp_path / 'm'}" in out


def test_a_reader_that_leaves_early_is_no_error(work: Path) -> None:
    (work / "many.txt").write_text("abc\n" * 20000)
    process = subprocess.run(
        f'"{sys.executable}" -m regard translate "{work / "model"}" "{work / "many.txt"}" --beam 1 | head -n 1',
        shell=True, capture_output=True, text=True, timeout=120, check=False, env=os.environ,
    )  # fmt: skip
    assert process.stdout == "cba\n"
    assert process.stderr == ""


def test_help_is_quick_and_import_leaves_torch_alone() -> None:
    code = """
import contextlib, io, sys
import regard
from regard.cli.main import run
printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
    run(["--help"])
assert "serve" in printed.getvalue(), printed.getvalue()
print([name for name in ("torch", "numpy", "pydantic", "tokenizers", "starlette") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("given", "spread"),
    [
        (
            ["train", "a", "b", "--valid", "c", "d", "-o", "m"],
            ["train", "a", "b", "--valid", "c", "--valid", "d", "-o", "m"],
        ),
        (["a", "--valid", "c"], ["a", "--valid", "c"]),
        (["a", "--valid=c", "d", "-o", "m"], ["a", "--valid=c", "--valid", "d", "-o", "m"]),
        (["translate", "m", "-", "--beam", "2"], ["translate", "m", "-", "--beam", "2"]),
    ],
)
def test_valid_takes_the_words_that_follow(given: list[str], spread: list[str]) -> None:
    assert spread_values(given, "--valid") == spread


def test_what_a_command_imports_is_left_out_of_looks_for_garbage() -> None:
    """Once, with the collector as it was before; where PyTorch is there already, nothing is done."""
    program = """
import gc, sys
from regard.cli.main import import_torch
assert "torch" not in sys.modules
import_torch()
counted = gc.get_freeze_count()
print(gc.isenabled(), counted > 50_000, "torch" in sys.modules)
kept = [[] for _ in range(100)]
import_torch()
print(gc.get_freeze_count() <= counted)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True\nTrue\n"
