"""Files whose rows say their languages: read by direction, trained on as if each direction had a file of its own."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.cli.main import run
from regard.data.corpus import Corpus, divided_name, find_corpora, read_pairs
from regard.data.directions_of_corpora import by_direction
from regard.errors import DataError, RegardError, SettingsError
from regard.runs.tasks.pairs import hold_out_pairs

LOW = [f"{a}{b} {b}{a}" for a in "abcdefgh" for b in "abcdefgh"]
PAIRS = {
    "en-de": [(each, each.upper()) for each in LOW],
    "de-en": [(each.upper(), each) for each in LOW[:40]],
    "en-cs": [(each, each.translate(str.maketrans("abcdefgh", "12345678"))) for each in LOW[:30]],
}


def mixed(pairs: dict[str, list[tuple[str, str]]]) -> list[dict[str, str]]:
    """Rows of all directions in turns, each direction in its order."""
    rows = []
    for index in range(max(map(len, pairs.values()))):
        for direction, own in pairs.items():
            if index < len(own):
                codes = dict(zip(("source_lang", "target_lang"), direction.split("-"), strict=True))
                rows.append({**codes, "source": own[index][0], "target": own[index][1]})
    return rows


def write_tsv(path: str, rows: list[dict[str, str]]) -> str:
    """With columns in another order, one more, and a blank line in between."""
    lines = ["target\tscore\tsource_lang\tsource\ttarget_lang"]
    lines += [f"{x['target']}\t0.5\t{x['source_lang']}\t{x['source']}\t{x['target_lang']}" for x in rows]
    Path(path).write_text("\n".join([*lines[:5], "", *lines[5:]]) + "\n")
    return path


def write_jsonl(path: str, rows: list[dict[str, str]]) -> str:
    Path(path).write_text("\n".join(json.dumps({**row, "id": 1}) for row in rows) + "\n")
    return path


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("write", "name"), [(write_tsv, "t.tsv"), (write_jsonl, "t.jsonl")])
def test_each_direction_is_a_corpus_of_its_own(write: Any, name: str) -> None:
    write(name, mixed(PAIRS))
    names, directions = by_direction([name])
    assert (names, directions) == ([f"{name}#{each}" for each in sorted(PAIRS)], sorted(PAIRS))
    for corpus, direction in zip(find_corpora(names), directions, strict=True):
        assert (corpus.name, corpus.num_lines) == (f"{name}#{direction}", len(PAIRS[direction]))
        assert [(pair.source, pair.target) for pair in corpus.numbered()] == PAIRS[direction]
        assert [(pair.line, pair.source) for pair in corpus.numbered({2, 7})] == [
            (number, PAIRS[direction][number - 1][0]) for number in (2, 7)
        ]
    assert len({corpus.digest for corpus in find_corpora(names)}) == 3
    assert read_pairs([f"{name}#en-cs"]).targets == [target for _, target in PAIRS["en-cs"]]


@pytest.mark.parametrize("before", ["\ufeff", "\n", "\ufeff \r\n\n"])
@pytest.mark.parametrize("name", ["t.tsv", "t.jsonl"])
def test_a_byte_order_mark_and_blank_lines_before_the_first_row(name: str, before: str) -> None:
    rows, header = mixed(PAIRS), ("source_lang", "target_lang", "source", "target")
    lines = [json.dumps(row) for row in rows]
    if name == "t.tsv":
        lines = ["\t".join(header), *("\t".join(row[key] for key in header) for row in rows)]
    Path(name).write_text(before + "\n".join(lines) + "\n", encoding="utf-8")
    names, directions = by_direction([name])
    assert directions == sorted(PAIRS)
    for corpus, direction in zip(find_corpora(names), directions, strict=True):
        assert [(pair.source, pair.target) for pair in corpus.numbered()] == PAIRS[direction]
    Path(name).write_text(f"{before}{lines[0]}\nx\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"{name}, line {before.count(chr(10)) + 2}: "):
        by_direction([name])


def test_what_is_held_out_is_of_each_direction_and_not_trained_on() -> None:
    names, _ = by_direction([write_tsv("t.tsv", mixed(PAIRS))])
    corpora = find_corpora(names)
    rest, held = hold_out_pairs(corpora, less=False)
    left = {(part.name, pair.source, pair.target) for part in rest for pair in part.numbered()}
    out = set(zip(held.sources, held.targets, strict=True))
    assert len(left) + len(out) == sum(map(len, PAIRS.values()))
    assert not {(source, target) for _, source, target in left} & out


def test_training_is_that_of_a_file_for_each_direction() -> None:
    """To the last bit: with the directions in the same order."""
    valid = {direction: pairs[::9] for direction, pairs in PAIRS.items()}
    files: dict[str, list[str]] = {"t": [], "v": []}
    for part, all_pairs in (("t", PAIRS), ("v", valid)):
        for direction in sorted(all_pairs):
            for side in (0, 1):
                name = f"{part}.{direction}.{side}"
                Path(name).write_text("".join(f"{pair[side]}\n" for pair in all_pairs[direction]))
                files[part].append(name)
    options: Any = {
        "settings": {"tokenizer": {"kind": "characters"}, "model": {"num_encoder_layers": 1, "num_decoder_layers": 1}},
        "device": "cpu", "steps": 4, "validate_every": 2,
    }  # fmt: skip
    regard.train(files["t"], "apart", valid=files["v"], directions=sorted(PAIRS), **options)
    training, validation = write_tsv("t.tsv", mixed(PAIRS)), write_jsonl("v.jsonl", mixed(valid))
    found = regard.train(training, "mixed", valid=validation, **options)
    weights = [Path(name, "model.safetensors").read_bytes() for name in ("apart", "mixed")]
    assert weights[0] == weights[1]
    assert found.translator.languages is not None
    assert sorted(found.translator.languages.trained) == sorted(PAIRS)
    assert found.results["by_target"].keys() == {"<2cs>", "<2de>", "<2en>"}
    again = regard.train(training, "mixed", valid=validation, resume=True, **options)
    assert again.results["by_target"] == found.results["by_target"]


def test_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    def command(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            run(list(words))
        return int(ended.value.code or 0), *capsys.readouterr()

    write_tsv("t.tsv", mixed(PAIRS))
    small = ["--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--device", "cpu"]
    code, out, err = command("train", "t.tsv", "-o", "m", "--steps", "2", *small)
    assert code == 0
    assert "t.tsv#en-cs" in out + err
    assert "an epoch is" in out + err
    named = ["--from", "en", "--to", "de", "--device", "cpu", "--json"]
    code, out, _ = command("evaluate", "m", "t.tsv#en-de", *named)
    assert (code, json.loads(out)["num_pairs"]) == (0, 64)
    rows = [*mixed(PAIRS), *mixed({"de-cs": [("AB BA", "12 21")]})]
    write_jsonl("e.jsonl", rows)
    code, out, _ = command("evaluate", "m", "e.jsonl", "--device", "cpu", "--json")
    results = json.loads(out)
    found = {name: (each["num_pairs"], each["trained"]) for name, each in results["by_direction"].items()}
    assert found == {"de-cs": (1, False), "de-en": (40, True), "en-cs": (30, True), "en-de": (64, True)}
    assert results["mean"]["chrf"] == pytest.approx(sum(each["chrf"] for each in results["by_direction"].values()) / 4)
    code, out, _ = command("evaluate", "m", "e.jsonl", "--device", "cpu")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["de-cs", "de-en", "en-cs", "en-de", "mean"]
    assert out.splitlines()[1].endswith("1 pair; not trained")
    code, _, err = command("evaluate", "m", "e.jsonl", "--device", "cpu", "--calibrate")
    assert "`calibrate` is for one direction; got 4. Name it: e.jsonl#de-cs." in err
    code, _, err = command("evaluate", "m", "t.tsv", *named)
    assert code != 0
    assert "Its rows say their languages: write, for example, t.tsv#en-de" in err
    code, _, err = command("train", "t.tsv", "-o", "n", "--set", "data.directions=[en-de]")
    assert code != 0
    assert "`data.directions` must be those that the files say, de-en, en-cs, en-de; got en-de. Remove it." in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("en\tde\ta", r"t.tsv, line 3: a line must have 4 columns, as the first one has; got 3"),
        ("en\t\ta\tb", r"t.tsv, line 3: source_lang and target_lang must be codes of two languages.*; got 'en' and ''"),
        ("e n\tde\ta\tb", r"line 3: source_lang and target_lang must be codes .* got 'e n' and 'de'"),
        ("en\tde\t\tb", r"t.tsv, line 3: both sides of a pair must have text; got a blank source"),
        ("en\tde\ta\t ", r"t.tsv, line 3: both sides of a pair must have text; got a blank target"),
    ],
)
def test_lines_that_are_wrong(line: str, message: str) -> None:
    Path("t.tsv").write_text(f"source_lang\ttarget_lang\tsource\ttarget\nen\tde\ta\tb\n{line}\n")
    with pytest.raises(DataError, match=message):
        _ = [list(corpus.numbered()) for corpus in find_corpora(by_direction(["t.tsv"])[0])]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("source_lang\ttarget_lang\tsource", "the columns must be source, target, source_lang, target_lang, each once"),
        ("source_lang\ttarget_lang\tsource\ttarget\tsource", "each once; got source_lang, target_lang, source, target, source"),
        ("source_lang\ttarget_lang\tsource\ttarget", "must hold at least one pair; got none"),
    ],
)  # fmt: skip
def test_columns_that_are_wrong(header: str, message: str) -> None:
    Path("t.tsv").write_text(f"\n{header}\n\n")
    with pytest.raises(DataError, match=message):
        by_direction(["t.tsv"])
    if "each once" in message:
        with pytest.raises(DataError, match="line 2: "):
            by_direction(["t.tsv"])


def test_a_json_line_without_a_language() -> None:
    rows = mixed(PAIRS)
    del rows[3]["target_lang"]
    write_jsonl("t.jsonl", rows)
    with pytest.raises(
        DataError, match=r't.jsonl, line 4: an object must have the strings "source" and .*"target_lang"'
    ):
        by_direction(["t.jsonl"])


def test_corpora_that_say_languages_beside_others(tmp_path: Path) -> None:
    write_tsv("t.tsv", mixed(PAIRS))
    Path("u.tsv").write_text("a\tb\n")
    with pytest.raises(
        SettingsError, match=r"t.tsv does, and u.tsv does not. Name all of them: `--direction en-de=u.tsv`"
    ):
        by_direction(["t.tsv", "u.tsv"])
    assert by_direction(["u.tsv"]) == (["u.tsv"], [])
    assert by_direction(["t.tsv#en-cs", "t.tsv#en-de"])[1] == ["en-cs", "en-de"]
    with pytest.raises(RegardError, match=r"`--valid` must have targets that are learnt \(en-cs\); got t.tsv#de-en"):
        regard.train(["t.tsv#en-cs"], "m", valid="t.tsv", steps=1, device="cpu")


def test_what_is_no_file_is_left_to_who_reads_it(tmp_path: Path) -> None:
    os.mkfifo("pipe.tsv")
    assert by_direction(["pipe.tsv", "gone.tsv"]) == (["pipe.tsv", "gone.tsv"], [])


def test_a_file_whose_name_has_the_sign(tmp_path: Path) -> None:
    Path("a.tsv#en-de").write_text("a\tb\n")
    assert divided_name("a.tsv#en-de") == ("a.tsv#en-de", "")
    assert divided_name("b.tsv#en-de") == ("b.tsv", "en-de")
    assert divided_name("b.tsv#2") == ("b.tsv#2", "")
    assert find_corpora(["b.jsonl#en-de"]) == [Corpus(("b.jsonl",), "en-de")]


def test_rows_that_say_other_languages_than_the_first_are_no_one_direction() -> None:
    plain = [{"source": a, "target": b} for a, b in PAIRS["en-de"][:3]]
    path = write_jsonl("t.jsonl", [*plain, *mixed(PAIRS)])
    for call in (lambda: read_pairs([path]), lambda: regard.train(path, "m", steps=1)):
        with pytest.raises(DataError, match=r"t\.jsonl, line \d+: a line must say the same languages as line \d+, "):
            call()
    with pytest.raises(
        DataError, match=r"the same languages as line 1, en-de; got de-en\. Write, for example, all\.jsonl#en-de"
    ):
        read_pairs([write_jsonl("all.jsonl", mixed(PAIRS))])
    assert len(read_pairs([write_jsonl("one.jsonl", mixed({"en-de": PAIRS["en-de"]}))])) == len(PAIRS["en-de"])
    write_jsonl("words.jsonl", [{"source": "source_lang", "target": "target_lang"}] * 3)
    assert len(read_pairs(["words.jsonl"])) == 3
