"""`regard evaluate` in parts prints the scores of one process."""

import gzip
import json
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import torch
from running import command, outcome, refused

from random_models import SIZES, save_models
from regard.checkpoint import load_model, save_new
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.parts import part_files, ray_cluster
from regard.parts.part_files import PartRecord, PartWork
from regard.parts.ray_cluster import PartWorker
from regard.text.languages import Languages
from regard.text.lines import read_lines

LANGUAGES = ["en", "de", "fr"]
DIRECTIONS = ["de-en", "en-de", "en-fr"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random models, and test sets of 48 rows: blank ones among them, equal ones, and references that are reached."""
    folder = save_models(tmp_path_factory.mktemp("models"))
    tokenizer = load_model(folder / "m").tokenizer
    tags = {code: f"<2{code}>" for code in LANGUAGES}
    directed = tokenizer.with_tokens(list(tags.values())).with_languages(
        Languages(tokens=tags, source_begin=["target"], trained=DIRECTIONS[:2])
    )
    for name, own in (("varied", tokenizer), ("directed", directed)):
        torch.manual_seed(2)
        model = build(EncoderDecoderConfig(vocab_size=len(own), num_encoder_layers=2, num_decoder_layers=2, **SIZES))
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
        save_new(folder / name, model.eval(), own)
    torch.manual_seed(7)
    windows = DecoderConfig(vocab_size=len(tokenizer), num_layers=2, **{**SIZES, "max_positions": 16})
    save_new(folder / "lm16", build(windows).eval(), tokenizer)

    sources = read_lines(folder / "source")
    words = ("translate", folder / "varied", folder / "source", "-o", folder / "reached", "--set", "max_length=10")
    assert command(*words, "--threads", 1) == 0
    reached = read_lines(folder / "reached")
    assert len({*reached}) > 6
    sources = [
        *sources,
        *(f"{line} a" for line in sources),
        "",
        *sources[:5],
        "",
        *(line[1:] for line in sources),
        *"abcde",
    ]
    targets = [text.strip() or "a" for text in [*reached, *reached, "a", *reached[:5], "a", *reached, *"edcba"]]
    targets = ["" if not source else target for source, target in zip(sources, targets, strict=True)]
    pairs = [*zip(sources, targets, strict=True)]
    assert len(pairs) == 48
    write(folder / "test.en", sources)
    write(folder / "test.de", targets)
    write(folder / "more", [target[::-1] if number % 3 else "" for number, target in enumerate(targets)])
    write(folder / "pairs.tsv", [f"{source}\t{target}" if source else "" for source, target in pairs])
    write(
        folder / "pairs.jsonl",
        [json.dumps({"source": source, "target": target}) if source else "" for source, target in pairs],
    )
    for name in ("test.en", "test.de"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    rows = [(*DIRECTIONS[number % 3].split("-"), *pair) for number, pair in enumerate(pairs) if pair[0]]
    write(folder / "directed.tsv", ["source_lang\ttarget_lang\tsource\ttarget", *("\t".join(row) for row in rows)])
    names = ("source_lang", "target_lang", "source", "target")
    write(folder / "directed.jsonl", [json.dumps(dict(zip(names, row, strict=True))) for row in rows])
    for kind in ("tsv", "jsonl"):
        (folder / f"marked.{kind}").write_text("\ufeff\n" + (folder / f"directed.{kind}").read_text(), encoding="utf-8")
    write(
        folder / "labels.tsv",
        [f"{'xy'[number % 3 % 2]}\t{source}" if source else "" for number, source in enumerate(sources)],
    )
    return folder


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def is_close(found: Any, expected: Any) -> bool:
    """Whether results are equal; log-probabilities may differ in the last bits, where batches differ."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(is_close(found[name], expected[name]) for name in expected)
    return bool(found == pytest.approx(expected, rel=1e-6) if isinstance(expected, float) else found == expected)


PAIRS, DIRECTED, TEXT = (
    "varied test.en test.de --set max_length=10",
    "directed directed.tsv --set max_length=10",
    "lm16 test.de",
)


@pytest.mark.parametrize(
    ("words", "num_parts", "chunk"),
    [
        (PAIRS, 60, 100),  # of which some are empty
        (PAIRS, 3, 4),
        ("varied test.en test.de --set max_length=10 --references more --lowercase --tokenize char --beam 2", 5, 100),
        ("varied pairs.tsv", 5, 4),
        ("varied pairs.jsonl --set no_repeat_ngram=2", 5, 100),
        ("varied test.en test.de --ensemble one", 5, 100),
        ("rnn test.en test.de --beam 1", 5, 100),
        ("rnn source target --set method=sample --set seed=5 --set max_length=10", 5, 100),
        ("two test.en test.de", 5, 100),
        (DIRECTED, 3, 4),
        (DIRECTED, 60, 100),
        ("directed directed.jsonl --beam 2 --set max_length=10", 5, 100),
        ("directed directed.tsv#en-de", 5, 100),
        ("directed marked.tsv --set max_length=10", 5, 100),
        ("directed marked.jsonl --set max_length=10", 5, 100),
        ("directed test.en test.de --from en --to fr", 5, 100),
        ("varied directed.tsv#en-de", 5, 100),
        ("classify labels.tsv", 5, 100),
        ("classify labels.tsv", 60, 100),
        ("lm test.en", 5, 100),
        (TEXT, 60, 100),
        (TEXT, 5, 3),
    ],
)
def test_scores_are_those_of_one_process(
    words: str, num_parts: int, chunk: int, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(models)
    monkeypatch.setattr(part_files, "CHUNK", chunk)
    asked = ["evaluate", *words.split(), "--threads", 1]
    in_parts = [*asked, "--parts", num_parts, "-o", tmp_path / "out"]
    assert command(*in_parts, "--part", "2") == 0
    assert command(*in_parts, "--part", "0-1") == 0
    assert outcome(capsys, *in_parts)[:2] == (0, "")
    code, expected, _ = outcome(capsys, *asked)
    assert code == 0
    assert outcome(capsys, *in_parts, "--collect")[:2] == (0, expected)
    found, results = (json.loads(outcome(capsys, *each, "--json")[1]) for each in ([*in_parts, "--collect"], asked))
    assert is_close(found, results)
    if "max_length=10" in words and "rnn" not in words:
        assert 0 < found.get("exact_match", 0.1) < 1
    for name in ("bleu", "chrf", "exact_match", "token_accuracy", "num_pairs", "signatures", "accuracy"):
        assert found.get(name) == results.get(name)
    assert not list((tmp_path / "out").glob("*errors*"))


@pytest.mark.parametrize(
    "words",
    ["directed directed.tsv --tokenize char", "varied test.en test.de --references more", "classify labels.tsv", TEXT],
)
def test_a_process_of_a_cluster_answers_the_same(
    words: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The work of an actor of Ray can be sent to it, and it works in another folder."""
    monkeypatch.chdir(models)

    def answer(_: str, work: PartWork, numbers: list[int], **options: Any) -> Iterator[PartRecord]:
        sent = pickle.dumps(work)
        with chdir(tmp_path):
            worker = PartWorker(pickle.loads(sent))
            for number in reversed(numbers):
                found = worker({"part": [number]})
                assert found["error"] == [""]
                yield PartRecord.model_validate_json(found["record"][0])

    monkeypatch.setattr(ray_cluster, "answer_on_cluster", answer)
    asked = ["evaluate", *words.split(), "--threads", 1]
    in_parts = [*asked, "--parts", 4, "-o", tmp_path / "out"]
    assert command(*in_parts, "--ray", "auto") == 0
    assert outcome(capsys, *in_parts, "--collect")[:2] == outcome(capsys, *asked)[:2]


def test_how_scores_are_counted_is_said_when_they_are(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(models)
    asked = ["evaluate", "varied", "test.en", "test.de", "--set", "max_length=10", "--threads", 1]
    assert command(*asked, "--parts", 2, "-o", tmp_path / "out") == 0
    for counted in ([], ["--lowercase"], ["--tokenize", "char"]):
        expected = outcome(capsys, *asked, *counted)[1]
        assert outcome(capsys, *asked, *counted, "--parts", 2, "-o", tmp_path / "out", "--collect")[1] == expected


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        ("lm strange.txt", {"text": 3}),
        ("classify strange.classes", {"text": 3}),
        ("varied strange.tsv --set max_length=5", {"source": 3, "target": 1}),
        ("two strange.tsv --set max_length=5", {"source": 3, "target": 1}),
        ("directed strange.jsonl --set max_length=5", {"source": 3, "target": 1}),
        ("lm test.en", {}),
        ("varied test.en test.de --set max_length=5", {}),
    ],
)
def test_tokens_that_a_vocabulary_lacks_are_counted(
    words: str, counts: dict[str, int], models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(models)
    sources, targets = ["ab жя", "abc", "ю"], ["ab", "щ a", "b"]
    write(Path("strange.txt"), sources)
    write(Path("strange.classes"), [f"x\t{source}" for source in sources])
    write(Path("strange.tsv"), list(map("\t".join, zip(sources, targets, strict=True))))
    directed = {"source_lang": "en", "target_lang": "de"}
    write(
        Path("strange.jsonl"),
        [json.dumps({"source": s, "target": t, **directed}) for s, t in zip(sources, targets, strict=True)],
    )
    known = "unknown to the model's vocabulary"
    expected = {
        f"{count} tokens of the {what}s are {known}" if count > 1 else f"1 token of the {what}s is {known}"
        for what, count in counts.items()
    }
    asked = ["evaluate", *words.split(), "--threads", 1]
    in_parts = [*asked, "--parts", 2, "-o", tmp_path / "out"]
    assert command(*in_parts) == 0
    for given in (asked, [*in_parts, "--collect"]):
        code, _, said = outcome(capsys, *given)
        assert code == 0
        assert {line for line in said.splitlines() if "unknown" in line} == expected
    if words.startswith(("varied", "two")) and counts:
        code, _, said = outcome(capsys, "score", *words.split()[:2])
        assert (code, {line for line in said.splitlines() if "unknown" in line}) == (0, expected)


def test_compressed_files_and_columns_of_parquet(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.chdir(models)
    columns = {"source": read_lines("test.en"), "target": read_lines("test.de")}
    parquet.write_table(pyarrow.table(columns), tmp_path / "pairs.parquet")
    expected = outcome(capsys, "evaluate", "varied", "test.en", "test.de", "--threads", 1)[1]
    for number, data in enumerate(("test.en.gz test.de.gz", f"{tmp_path}/pairs.parquet")):
        in_parts = ["evaluate", "varied", *data.split(), "--threads", 1, "--parts", 3, "-o", tmp_path / f"out{number}"]
        assert command(*in_parts) == 0
        assert outcome(capsys, *in_parts, "--collect")[:2] == (0, expected)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("test.en", lambda line: b"\n"),
        ("test.de", lambda line: b" \n"),
        ("test.en", lambda line: b"ab " * 50 + b"\n"),
        ("test.de", lambda line: b"ab " * 50 + b"\n"),
        ("test.en", lambda line: b"\xff\n"),
    ],
)
def test_a_line_that_cannot_be_measured_shifts_nothing(
    name: str, spoil: Callable[[bytes], bytes], models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The scores are those of the other pairs, and it is said."""
    monkeypatch.chdir(tmp_path)
    for each in ("test.en", "test.de"):
        lines = (models / each).read_bytes().splitlines(keepends=True)
        Path(f"rest.{each}").write_bytes(b"".join(lines[:20] + lines[21:]))
        lines[20] = spoil(lines[20]) if each == name else lines[20]
        Path(each).write_bytes(b"".join(lines))
    asked = ["evaluate", models / "varied", "test.en", "test.de", "--threads", 1]
    assert refused(capsys, *asked)
    in_parts = [*asked, "--parts", 4, "-o", "out"]
    assert command(*in_parts) == 0
    code, out, err = outcome(capsys, *in_parts, "--collect")
    assert (code, out) == outcome(
        capsys, "evaluate", models / "varied", "rest.test.en", "rest.test.de", "--threads", 1
    )[:2]
    assert "1 of 48 lines could not be measured (out/errors.jsonl); the scores are those of the others" in err
    (error,) = (json.loads(line) for line in Path("out", "errors.jsonl").read_text().splitlines())
    assert error["line"] == 21
    assert error["error"].startswith(
        ("both sides", "a text must", "source", "the source", "test.en, line 21: text must be UTF-8")
    )
    assert json.loads(outcome(capsys, *in_parts, "--collect", "--json")[1])["num_errors"] == 1


def test_labels_and_languages_that_a_model_does_not_have(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(models)
    for model, name, wrong, message in (
        ("classify", "labels.tsv", "z\tab", "a label must be one that the model was trained on; got 'z'"),
        (
            "directed",
            "directed.tsv",
            "en\tit\tab\tde",
            "target must be a language that is written by this model; got 'it'",
        ),
        ("directed", "directed.tsv", "en\tit\tab", "a line must have 4 columns, as the first one has; got 3."),
    ):
        data = tmp_path / f"{len(wrong)}{name}"
        data.write_text(f"{Path(name).read_text()}{wrong}\n")
        out = tmp_path / f"out{len(wrong)}{name}"
        in_parts = ["evaluate", model, data, "--threads", 1, "--parts", 3, "-o", out]
        assert command(*in_parts) == 0
        assert outcome(capsys, *in_parts, "--collect")[1] == outcome(capsys, "evaluate", model, name, "--threads", 1)[1]
        (error,) = (out / "errors.jsonl").read_text().splitlines()
        assert message in json.loads(error)["error"]


def test_a_text_with_a_line_that_cannot_be_read_is_not_measured(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever comes after it would have other words before it."""
    monkeypatch.chdir(tmp_path)
    text = (models / "source").read_bytes()
    for number, bad in enumerate((b"\xff\n" + text, text + b"\xff\n")):
        Path(f"text{number}").write_bytes(bad)
        in_parts = ["evaluate", models / "lm", f"text{number}", "--parts", 3, "-o", f"out{number}"]
        code, _, err = outcome(capsys, *in_parts)
        if number:
            assert code == 0
            err = refused(capsys, *in_parts, "--collect")
            assert "1 of 13 lines could not be measured" in err
        else:
            assert code == 2
            assert "text0, line 1: text must be UTF-8" in err


def test_a_process_that_is_killed_goes_on(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = read_lines(models / "source")
    write(tmp_path / "source", [f"{line} {chr(97 + number % 6)}" for number, line in enumerate(lines * 60)])
    write(tmp_path / "target", lines * 60)
    asked = ["evaluate", models / "m", tmp_path / "source", tmp_path / "target", "--beam", 1, "--threads", 1]
    out = tmp_path / "out"
    words = [*map(str, asked), "--parts", "40", "-o", str(out)]
    process = subprocess.Popen([sys.executable, "-m", "regard", *words], stderr=subprocess.DEVNULL)
    while not list(out.glob("part-*.json")):
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    whole = {path.name: path.stat().st_mtime_ns for path in out.glob("part-??????.json")}
    assert 0 < len(whole) < 40
    assert command(*words) == 0
    assert {name: (out / name).stat().st_mtime_ns for name in whole} == whole
    assert outcome(capsys, *words, "--collect")[:2] == outcome(capsys, *asked)[:2]


def test_parts_that_are_missing_or_changed_are_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(models)
    out = tmp_path / "out"
    asked = ["evaluate", "varied", "test.en", "test.de", "--threads", 1, "--beam", 1, "--parts", 4, "-o", out]
    assert command(*asked, "--part", "0-1") == 0
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "3")
    assert command(*asked) == 0
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID")
    assert "missing in" in (error := refused(capsys, *asked, "--collect"))
    assert ": 2." in error
    assert command(*asked) == 0
    answers = out / "part-000001.jsonl"
    whole = answers.read_text()
    answers.write_text(whole.replace('"text"', "'text'"))  # no longer JSON, and of the same size
    assert "part-000001.jsonl must be what was written; it has changed" in refused(capsys, *asked, "--collect")
    answers.write_text(whole)
    assert command(*asked, "--collect") == 0
    for other, message in (
        (["evaluate", "one", *asked[2:]], "the checksum of the model is"),
        ([*asked[:7], 2, *asked[8:]], "beam_size is 1 there and 2 here"),
        ([*asked, "--references", "more"], "further files is"),
        ([*asked[:3], "more", *asked[4:]], "the size of input 2"),
        (
            ["score", "varied", "test.en", "test.de", "--parts", 4, "-o", out],
            "the command is evaluate there and score here",
        ),
    ):
        for collecting in ([], ["--collect"] if other[0] == "evaluate" else ["--collect", tmp_path / "all"]):
            assert message in refused(capsys, *other, *collecting)


def test_references_that_have_changed_are_refused(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(models)
    (tmp_path / "target").write_bytes(Path("target").read_bytes())
    asked = ["evaluate", "m", "source", tmp_path / "target", "--threads", 1, "--parts", 2, "-o", tmp_path / "out"]
    assert command(*asked) == 0
    content = (tmp_path / "target").read_bytes()
    (tmp_path / "target").write_bytes(bytes([content[0] ^ 1]) + content[1:])
    assert "must be the file that was divided into parts; it has changed" in refused(capsys, *asked, "--collect")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("m test.en source", "source must have a row for each row of the other file; got 12 and 48"),
        (
            "m test.en test.de --references source",
            "source must have a row for each row of the other file; got 12 and 48",
        ),
        ("m test.en", "one file of pairs must be .tsv, .jsonl or .parquet; got test.en"),
        ("m test.en test.de source target", "`--parts` needs two parallel files, or one file of pairs"),
        ("m pairs.tsv pairs.tsv", "`--parts` needs two parallel files, or one file of pairs"),
        ("m hf:a:b:c:d", "hf:a:b:c:d must be a file"),
        ("m test.en -", "`--parts` needs a file"),
        ("m directed.tsv", "directed.tsv#en-de for the pairs of one direction"),
        ("m test.en test.de --calibrate", "`--calibrate` does not work with `--parts`"),
        ("m test.en test.de --tokenize spaces", "tokenize must be one of sacrebleu's tokenizers"),
        ("m test.en test.de --set bogus=1", "bogus"),
        ("directed test.en test.de", "the target's language must be named"),
        ("directed directed.tsv --references more", "works without `--references` and random choices"),
        ("directed directed.tsv --set method=sample", "works without `--references` and random choices"),
        ("tag labels.tsv", "got one for task tag"),
        ("mlm labels.tsv", "got one for task mlm"),
        ("lm source target", "`--parts` needs one file; got source, target"),
        ("lm source --beam 2", "`evaluate` takes beam_size only with a model that translates"),
        ("m source target --part 1 --collect", "`--part` has no effect with `--collect`"),
    ],
)
def test_what_cannot_be_measured_in_parts(
    words: str, message: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(models)
    assert message in refused(capsys, "evaluate", *words.split(), "--parts", 2, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_options_of_parts_without_parts(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = [models / "source", models / "target"]
    for words in (["-o", "out"], ["--collect"], ["--part", "1"]):
        message = refused(capsys, "evaluate", models / "m", *data, *words)
        assert f"`{words[0]}` has no effect without `--parts`" in message
    assert not Path("out").exists()


def test_a_dry_run(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["m", "source", "target"],
        ["lm", "source"],
        ["classify", "labels.tsv"],
        ["directed", "directed.tsv"],
    ):
        asked = [models / word for word in words]
        code, out, _ = outcome(capsys, "evaluate", *asked, "--parts", 3, "--dry-run")
        assert code == 0
        assert "lines/s here" in out
