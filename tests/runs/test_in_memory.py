"""Data that a program holds, and settings by their keys alone."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import regard
from regard.data.labelled import read_labelled
from regard.errors import DataError, SettingsError
from regard.models.registry import ARCHITECTURES
from regard.runs.settings.reading import named_settings, together
from regard.runs.tasks.in_memory import check_columns, is_in_memory, labelled_of, pairs_of, trained_on_too
from regard.runs.tasks.labels import hold_out_labelled
from regard.runs.tasks.pairs import hold_out_pairs

pandas = pytest.importorskip("pandas")
datasets = pytest.importorskip("datasets")

PAIRS = [(f"{word}", word[::-1]) for word in ("abc", "bcd", "cde", "def", "efg", "fgh", "gha", "hab") for _ in range(5)]
SMALL: dict[str, Any] = {
    "steps": 2, "model_dim": 8, "ff_dim": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1,
    "kind": "characters", "vocab_size": 30, "precision": "float32",
}  # fmt: skip
SMALL_ENCODER: dict[str, Any] = {
    "arch": "encoder", "steps": 2, "model_dim": 8, "ff_dim": 8, "num_heads": 2, "num_layers": 1, "vocab_size": 30,
    "precision": "float32",
}  # fmt: skip


def test_a_path_and_settings_by_name(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    result = regard.train(str(tmp_path / "p.tsv"), tmp_path / "m", **SMALL)
    assert result.run.step == 2
    settings = result.results["settings"]
    assert (settings["training"]["steps"], settings["model"]["model_dim"]) == (2, 8)
    assert (settings["tokenizer"]["kind"], settings["tokenizer"]["vocab_size"]) == ("characters", 30)


@pytest.mark.parametrize("how", ["pairs", "frame", "dataset", "nested"])
def test_what_is_in_memory_trains_what_its_file_trains(how: str, tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    rows = [{"de": target, "en": source} for source, target in PAIRS]
    data, columns = {
        "pairs": (PAIRS, None),
        "frame": (pandas.DataFrame(rows), ("en", "de")),
        "dataset": (datasets.Dataset.from_list(rows), ("en", "de")),
        "nested": (datasets.Dataset.from_list([{"translation": row} for row in rows]), ("translation.en", "translation.de")),
    }[how]  # fmt: skip
    valid = PAIRS[:3] if how == "pairs" else [str(tmp_path / "v.tsv")]
    (tmp_path / "v.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS[:3]))
    # The order of a corpus of files and of one in memory is the same, as it depends on the seed alone.
    regard.train([tmp_path / "p.tsv"], tmp_path / "file", valid=str(tmp_path / "v.tsv"), **SMALL)
    result = regard.train(data, tmp_path / how, valid=valid, columns=columns, **SMALL)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("file", how)]
    assert weights[0] == weights[1]
    facts = json.loads((tmp_path / how / "results.json").read_text())["data"]["training"]
    assert facts["num_pairs"] == len(PAIRS)
    assert isinstance(result.translator, regard.Translator)


def test_pairs_of_an_iterator_and_of_columns_named_by_themselves() -> None:
    assert pairs_of(iter(PAIRS), None).sources == [source for source, _ in PAIRS]
    frame = pandas.DataFrame({"target": ["b"], "more": [1], "source": ["a"]}, index=[7])
    found = pairs_of(frame, None)
    assert (found.sources, found.targets, found.name) == (["a"], ["b"], "the DataFrame")
    assert pairs_of([("a", "b"), (" ", ""), ["two\nlines", "c"]], None).sources == ["a", "two lines"]
    assert pairs_of([("a", "b"), (" ", "")], None).num_blank == 1


@pytest.mark.parametrize(
    ("data", "columns", "message"),
    [
        ([("a", "b"), ("c",)], None, r"the rows in memory, row 2: a row .*source and target; got \('c',\)"),
        ([("a", "b"), "cd"], None, "row 2: a row .*source and target; got 'cd'"),
        ([{"source": "a", "target": "b"}], None, "row 1: a row must have two values"),
        ([("a", 3)], None, "row 1: a cell must be text; got 3, a int"),
        ([("a", "\ud800")], None, "row 1: text must be valid Unicode"),
        ([("a", " ")], None, "row 1: both sides of a pair must have text; got a blank target"),
        ([(" ", " ")], None, "must hold at least one pair; got none"),
        (pandas.DataFrame({"en": ["a"], "de": ["b"]}), None, "'source' and 'target'.* has 'en', 'de'.*columns="),
        (pandas.DataFrame({"en": ["a"], "de": ["b"]}), ("en", "dee"), "column .*got 'dee'.*'de'"),
        (pandas.DataFrame({"en": ["a", None], "de": ["b", "c"]}), ("en", "de"), "row 2: a cell must be text; got nan"),
        (datasets.Dataset.from_list([{"t": {"en": "a", "de": "b"}}]), ("t.en", "t.fr"), "row 1: 't.fr' .*'fr' is not there"),
        (datasets.Dataset.from_list([{"t": "a", "u": "b"}]), ("t.en", "u"), "'t.en' .*'en' is not there"),
        (datasets.DatasetDict({"train": datasets.Dataset.from_list([{"t": "a"}])}), ("t", "t"), "a dictionary of 'train'"),
    ],
)  # fmt: skip
def test_what_is_no_pairs_is_said(data: Any, columns: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        regard.train(data, tmp_path / "m", columns=columns, **SMALL)
    assert not (tmp_path / "m").exists()


def test_columns_are_two_names_of_a_table(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"`columns` needs a table; got names of files.*hf:name"):
        regard.train("p.tsv", tmp_path / "m", columns=("en", "de"))
    with pytest.raises(SettingsError, match="`columns` needs a table; got the rows in memory"):
        check_columns(PAIRS, ("en", "de"))
    for wrong in ("en", ("en",)):
        with pytest.raises(SettingsError, match=r"columns must be two names, such as \('en', 'de'\); got"):
            check_columns(pandas.DataFrame({"en": ["a"]}), wrong)
    with pytest.raises(
        DataError, match="data for `--arch decoder` must be names of text files; got the rows in memory"
    ):
        regard.train([("a", "b")], tmp_path / "m", arch="decoder")
    with pytest.raises(DataError, match="data for `--task mlm` must be names of text files; got the DataFrame"):
        regard.train(pandas.DataFrame({"text": ["a"]}), tmp_path / "m", arch="encoder", task="mlm")


def test_names_of_files_are_no_data_in_memory() -> None:
    for names in ("p.tsv", Path("p.tsv"), ["a", "b"], ("a", Path("b")), []):
        assert not is_in_memory(names)
    with pytest.raises(DataError, match="data must be names of files, pairs, or a table with columns by name; got int"):
        is_in_memory(7)
    for data in (PAIRS, iter(PAIRS), pandas.DataFrame(), datasets.Dataset.from_dict({}), {"train": PAIRS}):
        assert is_in_memory(data)


def test_what_is_held_out_of_rows_is_not_trained_on() -> None:
    rows = [(f"s{index}", f"t{index}") for index in range(100)]
    rest, valid = hold_out_pairs([pairs_of(rows, None)])
    assert len(valid) == 5
    trained = {pair.source for part in rest for pair in part.numbered()}
    assert trained | set(valid.sources) == {source for source, _ in rows}
    assert trained.isdisjoint(valid.sources)
    (texts,), held_out = hold_out_labelled(
        [labelled_of([("xy"[i % 2], f"a{i}") for i in range(100)], None, by_word=False)]
    )
    assert len(texts) + len(held_out) == 100
    assert {text.words[0] for text in texts.numbered()}.isdisjoint(words[0] for words in held_out.texts)


def test_texts_with_labels_in_memory(tmp_path: Path) -> None:
    kinds = datasets.Features({"label": datasets.ClassLabel(names=["no", "yes"]), "text": datasets.Value("string")})
    table = datasets.Dataset.from_dict({"text": [f"{'x' * (i % 2)} a" for i in range(40)], "label": [i % 2 for i in range(40)]},
                                       features=kinds)  # fmt: skip
    result = regard.train(table, tmp_path / "m", task="classify", **SMALL_ENCODER)
    assert set(result.results["labels"]) == {"no", "yes"}
    frame = pandas.DataFrame({"stars": [1, 5] * 20, "review": ["bad", "good"] * 20})
    found = labelled_of(frame, ("stars", "review"), by_word=False)
    assert found.labels[:2] == [["1"], ["5"]]
    with pytest.raises(DataError, match="row 1: a text must have a label; got a blank one"):
        labelled_of([(" ", "a")], None, by_word=False)
    with pytest.raises(DataError, match="row 2: a label must have a text; got a blank one"):
        labelled_of([("x", "a"), (1, "\xa0")], None, by_word=False)
    assert labelled_of([("x", "a"), (" ", "")], None, by_word=False).num_blank == 1
    with pytest.raises(DataError, match=r"row 1: a cell must be text; got 0\.5, a float"):
        labelled_of([(0.5, "a")], None, by_word=False)


def test_tagged_words_in_memory() -> None:
    names = datasets.ClassLabel(names=["DET", "NOUN"])
    for kind in (datasets.List(names), datasets.Sequence(names)):
        features = datasets.Features({"words": datasets.List(datasets.Value("string")), "tags": kind})
        table = datasets.Dataset.from_dict({"words": [["the", "dog"]], "tags": [[0, 1]]}, features=features)
        found = labelled_of(table, None, by_word=True)
        assert (found.texts, found.labels) == ([["the", "dog"]], [["DET", "NOUN"]])
    with pytest.raises(DataError, match=r"row 1: words and tags .*same length"):
        labelled_of([(["the", "dog"], ["DET"])], None, by_word=True)
    with pytest.raises(DataError, match=r"row 1: a tag must have no white space inside; got 'B LOC'\. .* B_LOC\."):
        labelled_of([(["Oslo"], ["B LOC"])], None, by_word=True)


@pytest.mark.parametrize("blank", ["", " ", "\xa0", "\u3000", "\x85", "\u2028", "\x1c"])
def test_blank_words_and_tags_are_refused_in_memory_as_in_files(blank: str, tmp_path: Path) -> None:
    good = [(["a", "b"], ["X", "Y"])] * 20
    for words, tags in ((["a", blank], ["X", "Y"]), (["a", "b"], ["X", blank])):
        (tmp_path / "t").write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True)))
        with pytest.raises(DataError, match="line 2: a line must be word, tab, tag"):
            read_labelled([tmp_path / "t"], by_word=True)
        message = r"the rows in memory{}, row 21: words and tags must not be blank; got '"
        with pytest.raises(DataError, match=message.format("")):
            labelled_of([*good, (words, tags)], None, by_word=True)
        with pytest.raises(DataError, match=message.format(r" \(validation\)")):  # before anything is learnt
            regard.train(good, tmp_path / "m", valid=[*good, (words, tags)], task="tag", **SMALL_ENCODER)
    assert not (tmp_path / "m").exists()


def test_messages_say_which_data_in_memory_they_are_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long, frame = [("a" * 300, "b")], pandas.DataFrame({"source": ["a" * 300, "b"], "target": ["b", "c"]})
    result = regard.train([*PAIRS, *long], tmp_path / "m", valid=frame, max_positions=64, **SMALL)
    said = " ".join(capsys.readouterr().err.split())
    assert "1 pair of the DataFrame (validation) is over 64 tokens with the end symbol: left out" in said
    assert result.results["data"]["validation"]["name"] == "the DataFrame (validation)"
    with pytest.raises(DataError, match=r"the rows in memory \(validation\), row 2: a row must have two values"):
        regard.train(PAIRS, tmp_path / "n", valid=[("a", "b"), ("c",)], **SMALL)
    with pytest.raises(SettingsError, match=r"`columns` needs a table; got the rows in memory \(validation\)"):
        regard.train(frame, tmp_path / "n", valid=PAIRS, columns=("source", "target"), **SMALL)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"step": 10}, "setting .*--arch encoder-decoder.*got 'step'.*'steps'"),
        ({"presett": "base"}, "got 'presett'.*'preset'"),
        ({"num_layers": 2}, "got 'num_layers'"),
        ({"steps": 0}, "training.steps must be greater than or equal to 1; got 0."),
        ({"steps": 10, "settings": {"training": {"steps": 11}}}, "training.steps .*twice.*11.*10"),
        ({"learning_rate": math.nan}, "training.learning_rate must be a finite number; got nan."),
        ({"settings": {"model": {"dropout": float("nan")}}, "dropout": math.nan}, "model.dropout .*finite.*got nan."),
    ],
)
def test_settings_by_name_that_are_none(named: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        regard.train(PAIRS, tmp_path / "m", **named)
    assert re.search(message, str(raised.value))


@pytest.mark.parametrize("family", [{}, {"arch": "decoder"}, {"arch": "encoder", "task": "classify"}])
def test_empty_lists(family: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="data must be names of files, or rows; got an empty list"):
        regard.train([], tmp_path / "m", **family)
    (tmp_path / "lines").write_text("ab\n" * 30)
    data = tmp_path / "lines" if family.get("arch") == "decoder" else [("a", "b")] * 30
    with pytest.raises(DataError, match="valid must be names of files, or rows; got an empty tuple"):
        regard.train(data, tmp_path / "m", valid=(), **family)


@pytest.mark.parametrize("arch", list(ARCHITECTURES))
def test_a_name_means_one_setting(arch: str) -> None:
    """Where two sections have a key of one name, a setting by that name alone would go to one of them without a word."""
    from regard.data.selection import DataConfig
    from regard.text.tokenizer_config import TokenizerConfig
    from regard.training.training_config import TrainingConfig

    sections = [ARCHITECTURES[arch].config, TokenizerConfig, DataConfig, TrainingConfig]
    keys = [key for section in sections for key in section.model_fields]
    assert {key for key in keys if keys.count(key) > 1} == {"vocab_size"}
    assert named_settings({"vocab_size": 9, "seed": 2}, arch) == {
        "tokenizer": {"vocab_size": 9},
        "training": {"seed": 2},
    }
    assert together({"training": {"seed": 2}}, {"training": {"seed": 2, "steps": 1}}) == {
        "training": {"seed": 2, "steps": 1}
    }


def test_the_package_lists_what_is_public_and_imports_no_torch_for_it() -> None:
    asked = "import sys, regard; print(*dir(regard)); assert 'torch' not in sys.modules, 'torch'"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    assert set(regard.__all__) < set(found)
    assert len(found) == len(set(found))
    assert "annotations" not in found
    for name in found:
        assert getattr(regard, name) is not None


@pytest.mark.parametrize("table", [pandas.DataFrame.from_records, datasets.Dataset.from_list], ids=["frame", "dataset"])
def test_rows_of_several_directions_are_not_mixed(table: Any) -> None:
    """A file of them is read by directions; a table of one direction is read as any other."""
    rows = [
        {"source": source, "target": target, "source_lang": "en", "target_lang": "de"} for source, target in PAIRS[:4]
    ]
    assert len(pairs_of(table(rows), None)) == 4
    rows[2]["target_lang"] = "fr"
    with pytest.raises(DataError, match=r"one direction; its source_lang and target_lang name en-de and en-fr.*jsonl"):
        pairs_of(table(rows), None)


def test_a_file_that_is_trained_on_and_validates_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, other = tmp_path / "pairs.tsv", tmp_path / "other.tsv"
    for path in (pairs, other):
        path.write_text("".join(f"{i} a\t{i} b\n" for i in range(30)))
    for valid, said in ((pairs, True), (other, False)):
        regard.train(pairs, tmp_path / "m", valid=valid, dry_run=True, device="cpu", model_dim=16, num_heads=1)
        assert ("pairs.tsv is trained on and validates, too" in " ".join(capsys.readouterr().err.split())) == said


def test_which_file_is_trained_on_too(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("a\tb\n")
    (tmp_path / "link.tsv").symlink_to(file)
    assert trained_on_too([file], [tmp_path / "link.tsv"]) == str(tmp_path / "link.tsv")
    assert trained_on_too(f"{file}#en-de", file) == str(file)
    assert trained_on_too(["a", f"{file}#en-de"], f"{file}#en-fr") is None
    assert trained_on_too(["hf:x:train:a:b"], ["hf:x:validation:a:b"]) is None
    assert trained_on_too(["hf:x:train:a:b"], ["hf:x:train:a:b"]) == "hf:x:train:a:b"
    assert trained_on_too([("a", "b")], [("a", "b")]) is None
    assert trained_on_too("text", None) is None
