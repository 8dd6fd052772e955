"""The commands that answer a large input in parts give the bytes of one process."""

import gzip
import json
from pathlib import Path

import pytest
from running import command, outcome, refused

from random_models import save_models
from regard.text.lines import read_lines


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_models(tmp_path_factory.mktemp("models"))
    lines = read_lines(folder / "source")
    (folder / "pairs.tsv").write_text("".join(f"{line}\t{line[::-1]}\n" for line in lines))
    (folder / "source.gz").write_bytes(gzip.compress((folder / "source").read_bytes()))
    return folder


def without_numbers(line: str) -> object:
    """A line of output with its numbers rounded."""
    found = json.loads(line)
    rounded = json.loads(line, parse_float=lambda number: round(float(number), 3))
    return rounded if isinstance(found, dict) else round(found, 3)


@pytest.mark.parametrize(
    "words",
    [
        "translate m source",
        "translate m source --json",
        "translate m source --beam 3 --nearest-to target",
        "translate rnn source --set method=sample --set seed=5",
        "translate m source --prefixes source",
        "score m source target",
        "score m pairs.tsv --json",
        "predict classify source",
        "predict tag source --json",
        "generate lm --prompts source --max-tokens 6 --stop-at-line --seed 3",
        "generate lm --prompts source --max-tokens 6 --temperature 0 --json",
    ],
)
def test_parts_are_the_bytes_of_one_process(
    words: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(models)
    asked = [*words.split(), "--threads", 1]
    code, expected, _ = outcome(capsys, *asked)
    assert code == 0
    in_parts = [*asked, "--parts", 5, "-o", tmp_path / "out"]
    assert command(*in_parts, "--part", "2-3") == 0
    assert command(*in_parts, "--part", 0) == 0
    assert command(*in_parts) == 0
    assert command(*in_parts, "--collect", tmp_path / "all") == 0
    found = (tmp_path / "all").read_text()
    if "--json" in words or "score" in words:  # numbers may differ in the last bit where batches differ
        assert [without_numbers(line) for line in found.splitlines()] == [
            without_numbers(line) for line in expected.splitlines()
        ]
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("translate m source --part 3", "`--part` has no effect without `--parts`"),
        ("translate m source --collect all", "`--collect` has no effect without `--parts`"),
        ("predict classify source -o out", "`-o` has no effect without `--parts`"),
        ("translate m source --parts 2", "`--parts` needs `-o FOLDER`"),
        ("translate m - --parts 2 -o {out}", "`--parts` needs a file"),
        ("translate m source --parts 2 -o {out} --part 2", "--part must be from 0 to 1"),
        ("translate m source --parts 2 -o {out} --n-best 2", "`--n-best` needs `--json` with `--parts`"),
        ("translate m source --parts 2 --stream", "`--parts` has no effect with --stream"),
        ("translate m source --parts 2 -o {out} --collect all", "manifest.json must be a readable file"),
        ("translate m source --parts 2 -o {out} --collect all --part 1", "`--part` has no effect with `--collect`"),
        ("translate m source --parts 2 --dry-run --part 1", "`--part` has no effect with `--dry-run`"),
        ("translate m source --parts 2 -o source", "source must be a folder that can be written"),
        ("generate lm --parts 2 -o {out}", "`--parts` needs `--prompts FILE`"),
        ("generate lm --prompts source --parts 2 -o {out}", "`--parts` needs `--json` or `--stop-at-line`"),
        ("generate lm --prompts source --prompt a", "`--prompt` and `--prompts` both say what to continue"),
        ("generate lm -o {out}", "`-o` has no effect without `--parts`"),
        ("score m source --parts 2 -o {out}", "one file of pairs must be .tsv, .jsonl or .parquet"),
    ],
)
def test_what_does_not_go_together(
    words: str, message: str, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(models)
    assert message in refused(capsys, *words.format(out=tmp_path / "out").split())
