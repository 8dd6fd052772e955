import json
import logging
from pathlib import Path

import pytest

from regard.data import encoding
from regard.data.corpus import Corpus, find_corpora, read_beside, read_pairs
from regard.data.encoding import encode_corpora
from regard.data.hugging_face.data_sets import HubName
from regard.errors import DataError, MissingExtraError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def parallel(tmp_path: Path, source: str, target: str) -> list[str]:
    return [write(tmp_path / "a.en", source), write(tmp_path / "a.de", target)]


def test_two_files_line_by_line(tmp_path: Path) -> None:
    text = read_pairs(parallel(tmp_path, "one\ntwo\u2028three\n", "eins\nzwei\n"))
    assert (text.sources, text.targets) == (["one", "two\u2028three"], ["eins", "zwei"])


def test_pairs_blank_on_both_sides_are_counted_and_shift_nothing(tmp_path: Path) -> None:
    text = read_pairs(parallel(tmp_path, "a\n\nb\n \nc\n", "1\n\n2\n\t\n3\n"))
    assert list(zip(text.sources, text.targets, strict=True)) == [("a", "1"), ("b", "2"), ("c", "3")]
    assert text.num_blank == 2


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\n\nc\n", "1\n2\n3\n", r"a\.en, line 2: both sides of a pair must have text; got a blank source"),
        ("a\nb\nc\n", "1\n2\n \n", r"a\.de, line 3: both sides of a pair must have text; got a blank target"),
        ("a\nb\n", "1\n2\n3\n", r"same number of lines; got 2 in .*a\.en and 3 in .*a\.de"),
        ("", "", r"must hold at least one pair; got none"),
        ("\n\n", "\n\n", r"must hold at least one pair; got none"),
    ],
)
def test_files_that_do_not_pair_are_refused(tmp_path: Path, source: str, target: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs(parallel(tmp_path, source, target))


def test_tsv(tmp_path: Path) -> None:
    text = read_pairs([write(tmp_path / "a.tsv", "one\teins\n\ntwo\tzwei\n")])
    assert (text.sources, text.targets, text.num_blank) == (["one", "two"], ["eins", "zwei"], 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\nc\n", r"a\.tsv, line 2: a line must be source, tab, target; got 1 column\."),
        ("a\tb\tc\n", r"line 1: a line must be source, tab, target; got 3 columns\."),
        ("a\t\n", r"line 1: both sides of a pair must have text; got a blank target"),
    ],
)
def test_tsv_that_is_none(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs([write(tmp_path / "a.tsv", content)])


def test_jsonl(tmp_path: Path) -> None:
    records = [{"source": "a\tb", "target": "ä"}, {"source": "c", "target": "d", "more": 1}]
    text = read_pairs([write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records)))])
    assert (text.sources, text.targets) == (["a\tb", "c"], ["ä", "d"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"source": "a"', r"a\.jsonl, line 1: a line must be one JSON object"),
        ('{"source": "a"}', r'must have the strings "source" and "target"; got {"source": "a"}'),
        ('{"source": "a", "target": 3}', r'must have the strings "source" and "target"'),
        ('["a", "b"]', r'must have the strings "source" and "target"'),
    ],
)
def test_jsonl_that_is_none(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs([write(tmp_path / "a.jsonl", content)])


def test_other_files_are_refused() -> None:
    with pytest.raises(DataError, match=r"one file of pairs must end in \.tsv or \.jsonl; got pairs\.csv"):
        read_pairs(["pairs.csv"])
    with pytest.raises(DataError, match=r"one file of pairs \(.tsv, .jsonl, hf:...\) each; c has no other side"):
        read_pairs(["a", "b", "c"])


@pytest.fixture
def hub_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A data set as the hub lays it out, in a local folder."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    rows = {
        "en": ["one", "two"],
        "de": ["eins", "zwei"],
        "translation": [{"en": "1", "fr": "un"}, {"en": "2", "fr": "deux"}],
        "number": [1, 2],
    }
    folder = tmp_path / "set"
    folder.mkdir()
    datasets.Dataset.from_dict(rows).to_parquet(folder / "train.parquet")
    return str(folder)


@pytest.mark.filterwarnings("default")  # what the library warns of is not ours
def test_hub_data_sets(hub_folder: str) -> None:
    text = read_pairs([f"hf:{hub_folder}:train:en:de"])
    assert (text.sources, text.targets) == (["one", "two"], ["eins", "zwei"])
    text = read_pairs([f"hf:{hub_folder}:train:translation.en:translation.fr"])
    assert (text.sources, text.targets) == (["1", "2"], ["un", "deux"])


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("train:en:dee", r"a column must be one of the data set's; got 'dee'. Did you mean 'de'\?"),
        ("train:en:number", r"row 1: column 'number' must hold text; got int"),
        ("train:en:translation.it", r"one of the data set's; got 'translation.it'. translation has: en, fr\."),
        ("train:en:translation", r"row 1: column 'translation' must hold text; got dict. Write translation.en"),
        ("test:en:de", r"must be a data set that can be loaded; got"),
    ],
)
def test_hub_data_sets_that_do_not_fit(hub_folder: str, columns: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_pairs([f"hf:{hub_folder}:{columns}"])


@pytest.mark.parametrize(
    "name", ["hf:iwslt", "hf:a:b:c", "hf:a::train:b:c", "hf::train:b:c", "hf:a:b:c:train:d:e", "hf:a:train[:3:b:c"]
)
def test_hub_names_have_four_or_five_parts(name: str) -> None:
    with pytest.raises(
        DataError, match=r"a data set must be hf:name:split:source_column:target_column, or with .*; got "
    ):
        read_pairs([name])


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("hf:iwslt:train:en:de", ("iwslt", None, "train", "en", "de")),
        ("hf:wmt14:de-en:train:translation.de:translation.en",
         ("wmt14", "de-en", "train", "translation.de", "translation.en")),
        ("hf:a/b:c:train[:1%]:d:e", ("a/b", "c", "train[:1%]", "d", "e")),
        ("hf:a/b:train[10:20]+test[:5]:d:e", ("a/b", None, "train[10:20]+test[:5]", "d", "e")),
    ],
)  # fmt: skip
def test_what_hub_names_say(name: str, parts: tuple[str | None, ...]) -> None:
    assert HubName.parse(name) == parts


@pytest.fixture
def wmt_folder(hub_folder: str, tmp_path: Path) -> str:
    """A data set laid out as WMT14: a configuration for each pair of languages, and its texts inside a column."""
    import datasets

    folder = tmp_path / "wmt"
    for config, rows in (("cs-en", [{"cs": "jedna", "en": "one"}]), ("de-en", [{"de": "eins", "en": "one"}] * 3)):
        (folder / config).mkdir(parents=True)
        features = datasets.Features({"translation": datasets.Translation(languages=sorted(rows[0]))})
        datasets.Dataset.from_dict({"translation": rows}, features=features).to_parquet(
            folder / config / "train.parquet"
        )
    configs = "".join(
        f"- config_name: {config}\n  data_files:\n  - split: train\n    path: {config}/train*\n"
        for config in ("cs-en", "de-en")
    )
    (folder / "README.md").write_text(f"---\nconfigs:\n{configs}---\n")
    return str(folder)


@pytest.mark.filterwarnings("default")
def test_a_configuration_of_a_hub_data_set(wmt_folder: str) -> None:
    text = read_pairs([f"hf:{wmt_folder}:de-en:train[:2]:translation.de:translation.en"])
    assert (text.sources, text.targets) == (["eins"] * 2, ["one"] * 2)
    text = read_pairs([f"hf:{wmt_folder}:cs-en:train:translation.en:translation.cs"])
    assert (text.sources, text.targets) == (["one"], ["jedna"])
    one, other = (Corpus((f"hf:{wmt_folder}:{pair}",)) for pair in (
        "de-en:train:translation.de:translation.en", "de-en:train:translation.en:translation.de"))  # fmt: skip
    assert one.digest != other.digest


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("train:translation.de:translation.en",
         r"must name a configuration of the data set, which has several: cs-en, de-en\. Write hf:.*wmt:cs-en:train:"),
        ("de-eng:train:translation.de:translation.en", r"a configuration must be one .* got 'de-eng'\. Did you mean 'de-en'"),
        ("de-en:test:translation.de:translation.en", r"must be a data set that can be loaded; got: Unknown split .test"),
        ("de-en:train:translation.fr:translation.en", r"got 'translation\.fr'\. translation has: de, en\."),
        ("de-en:train:de:en", r"a column must be one of the data set's; got 'de'\. Allowed: translation, translation\.de"),
    ],
)  # fmt: skip
def test_a_configuration_that_is_not_there(wmt_folder: str, rest: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as told:
        read_pairs([f"hf:{wmt_folder}:{rest}"])
    assert "\n" not in str(told.value)


def test_a_column_with_a_dot_and_a_folder_with_a_colon_in_its_name(hub_folder: str, tmp_path: Path) -> None:
    import datasets

    folder = tmp_path / "a:b"
    folder.mkdir()
    (folder / "train.jsonl").write_text('{"text.de": "eins", "en": "one"}\n')
    assert tmp_path / "cache" == datasets.config.HF_DATASETS_CACHE
    text = read_pairs([f"hf:{folder}:train:en:text.de"])
    assert (text.sources, text.targets) == (["one"], ["eins"])


@pytest.mark.parametrize("kind", [ConnectionError, TimeoutError, type("ConnectError", (Exception,), {})])
def test_without_a_connection_there_is_one_message(
    kind: type[Exception], hub_folder: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import datasets

    def fails(*_: object, **__: object) -> None:
        logging.getLogger("huggingface_hub.utils._http").warning("Retrying in 1s [Retry 1/5].")
        try:
            raise kind("[Errno -2] Name or service not known")
        except kind as error:
            raise ValueError("Couldn't find it\nanywhere") from error

    monkeypatch.setattr(datasets, "load_dataset", fails)
    monkeypatch.setattr(datasets, "load_dataset_builder", fails)  # which would wait for a network that is not there
    expected = r"^hf:wmt14:de-en:train:a:b must be reached on the Hugging Face hub; got no connection\."
    with pytest.raises(DataError, match=expected):
        read_pairs(["hf:wmt14:de-en:train:a:b"])
    assert capsys.readouterr().err == ""


def test_offline_there_is_the_same_message(hub_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(DataError, match="must be reached on the Hugging Face hub; got no connection"):
        read_pairs(["hf:wmt14:de-en:train:translation.de:translation.en"])


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    with pytest.raises(
        MissingExtraError, match=r"Run: pip install '\.\[datasets\]' in a clone.* pip install 'regard\[data"
    ):
        read_pairs(["hf:name:train:en:de"])


def test_a_line_break_inside_a_text_becomes_a_space(tmp_path: Path) -> None:
    record = {"source": "one\ntwo", "target": "eins\r\nzwei"}
    text = read_pairs([write(tmp_path / "a.jsonl", json.dumps(record))])
    assert (text.sources, text.targets) == (["one two"], ["eins zwei"])


def test_names_may_be_paths_but_not_one_string(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("one\teins\n")
    assert len(read_pairs([path])) == 1
    with pytest.raises(DataError, match=r"pairs must be a list of names; got one string\. Write \["):
        read_pairs(str(path))


@pytest.mark.filterwarnings("default")
def test_a_large_hub_data_set_is_stored_as_files_are(
    hub_folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (corpus,) = find_corpora([f"hf:{hub_folder}:train:en:de"])
    assert 20 < corpus.num_bytes < 1000
    letters = Tokenizer.train(["one two eins zwei"], TokenizerConfig(kind="characters"))
    held = encode_corpora([corpus], letters, None, lambda *_: None)
    monkeypatch.setattr(encoding, "LARGE_BYTES", 10)
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "stored"))
    for _ in range(2):
        (again,) = find_corpora([f"hf:{hub_folder}:train:en:de"])
        stored = encode_corpora([again], letters, None, lambda *_: None)
        assert stored.pairs.targets.ids.tolist() == held.pairs.targets.ids.tolist()
        assert stored.digest == held.digest
    assert len(list((tmp_path / "stored" / "corpora").iterdir())) == 1


@pytest.mark.filterwarnings("default")
def test_a_slice_of_a_hub_data_set(hub_folder: str) -> None:
    assert read_pairs([f"hf:{hub_folder}:train[:1]:en:de"]).sources == ["one"]


def test_real_data(shared_data: Path) -> None:
    folder = shared_data / "multi30k_ende"
    assert len(read_pairs([folder / "train.en", folder / "train.de"])) == 29_000
    assert len(read_pairs([shared_data / "g2p" / "low" / "ita_train.tsv"])) == 800


def test_lines_of_another_file_belong_to_the_pairs(tmp_path: Path) -> None:
    for name, lines in (
        ("s", "a\n\nc\n"),
        ("t", "A\n\nC\n"),
        ("pairs.tsv", "d\tD\n\t\ne\tE\n"),
        ("more", "1\n2\n3\n4\n5\n6"),
    ):
        (tmp_path / name).write_text(lines)
    pairs = read_pairs([tmp_path / "s", tmp_path / "t", tmp_path / "pairs.tsv"])
    assert list(pairs.lines) == [1, 3, 4, 6]
    assert read_beside(tmp_path / "more", pairs) == ["1", "3", "4", "6"]
    with pytest.raises(
        DataError, match=rf"s must have as many lines as {pairs.name.replace('+', '.')}, 6; got 3. Line N"
    ):
        read_beside(tmp_path / "s", pairs)
    with pytest.raises(DataError, match=r"pairs\.tsv must be a text file with one text per line; got a file of pairs"):
        read_beside(tmp_path / "pairs.tsv", pairs)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library `datasets`, offline, with a cache of the test's own."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()


TABS = [('He said "yes', "a"), ("No", "b"), ('"Never" ', 'c"'), ("null", "NA"), ("one, two", "d"), ("it's", "e")]


@pytest.mark.parametrize("in_a_folder", [True, False])
def test_quotation_marks_in_tsv_are_characters(in_a_folder: bool, tmp_path: Path, own_cache: None) -> None:
    """With the quoting of CSV, rows between two marks become one: six rows would be four pairs."""
    rows = "".join(f"{source}\t{target}\n" for source, target in TABS)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.tsv").write_text(("source\ttarget\n" if in_a_folder else "") + rows)
    name = f"hf:{tmp_path / 'set'}:train:source:target" if in_a_folder else str(tmp_path / "set" / "train.tsv")
    text = read_pairs([name])
    assert list(zip(text.sources, text.targets, strict=True)) == TABS


def in_folder(tmp_path: Path, content: str, name: str = "train.tsv") -> str:
    """A data set in a folder, with a file of this content."""
    (tmp_path / "set").mkdir(exist_ok=True)
    (tmp_path / "set" / name).write_bytes(content.encode())
    return f"hf:{tmp_path / 'set'}:train:source:target"


@pytest.mark.parametrize(
    ("content", "line", "columns"),
    [
        ("source\ttarget\na dog\tein Hund\tnote\na cat\teine Katze\tnote\n", 2, 3),
        ("source\ttarget\na dog\tein Hund\t\na cat\teine Katze\t\n", 2, 3),
        ("source\ttarget\na dog\tein Hund\n\njust one\nb\tc\n", 4, 1),
        ("source\ttarget\tnote\na dog\tein Hund\n", 2, 2),
    ],
)
def test_a_line_of_a_tsv_in_a_folder_has_as_many_columns_as_the_first(
    content: str, line: int, columns: int, tmp_path: Path, own_cache: None
) -> None:
    """The library shifts columns and fills short rows."""
    name = in_folder(tmp_path, content)
    wanted = len(content.partition("\n")[0].split("\t"))
    message = rf"train\.tsv, line {line}: a line must have {wanted} columns, as the first one has; got {columns}\."
    for _ in range(2):  # what was refused is not stored
        with pytest.raises(DataError, match=message):
            read_pairs([name])


@pytest.mark.parametrize("first", ["", "source\tsource", "\t"])
def test_columns_of_a_tsv_in_a_folder_have_names(first: str, tmp_path: Path, own_cache: None) -> None:
    with pytest.raises(DataError, match=r"train\.tsv, line 1: the columns must have names, each once; got "):
        read_pairs([in_folder(tmp_path, f"{first}\na\tb\n")])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_cells_of_a_tsv_in_a_folder_are_text_as_it_stands(end: str, tmp_path: Path, own_cache: None) -> None:
    """As in a file that is named itself: only `\\n` ends a line, and no number or date is guessed."""
    rows = [
        ("a dog\rruns", "ein Hund"),
        ("007", "1e3"),
        ("null", "2024-01-01"),
        (" a\x00b ", "\u2028 c"),
        ("b", "True"),
    ]
    rows = [("text", f"Text {number}") for number in range(10_001)] + rows
    lines = [f"{source}\t{target}{end}" for source, target in rows]
    own = tmp_path / "own.tsv"
    own.write_bytes("".join(lines).encode())
    text = read_pairs([in_folder(tmp_path, "\ufeff" + f"source\ttarget{end}" + "".join(lines))])
    assert list(zip(text.sources, text.targets, strict=True)) == rows
    named = read_pairs([own])
    assert (named.sources, named.targets) == (text.sources, text.targets)


def test_a_tsv_in_a_folder_without_rows(tmp_path: Path, own_cache: None) -> None:
    with pytest.raises(DataError, match=r"must be a data set that can be loaded; got: .*no data"):
        read_pairs([in_folder(tmp_path, "source\ttarget\n")])


def test_tsv_files_of_a_folder_may_have_their_columns_in_other_orders(tmp_path: Path, own_cache: None) -> None:
    in_folder(tmp_path, "target\tsource\neins\tone\n", "train-2.tsv")
    text = read_pairs([in_folder(tmp_path, "source\ttarget\nfour\tvier\nfive\tfünf\n", "train-1.tsv")])
    assert (text.sources, text.targets) == (["four", "five", "one"], ["vier", "fünf", "eins"])


def test_names_of_columns_that_a_folder_gives_to_its_tsv_files(tmp_path: Path, own_cache: None) -> None:
    settings = "configs:\n- config_name: default\n  data_files: train.tsv\n  column_names: [source, target]\n"
    in_folder(tmp_path, f"---\n{settings}---\n", "README.md")
    text = read_pairs([in_folder(tmp_path, '"a\t007\nb"\t1\n')])
    assert (text.sources, text.targets) == (['"a', 'b"'], ["007", "1"])


def test_quotation_marks_in_csv_of_a_folder_are_quotes(tmp_path: Path, own_cache: None) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.csv").write_text('source,target\n"one, two",b\n"a ""b""",c\n')
    text = read_pairs([f"hf:{tmp_path / 'set'}:train:source:target"])
    assert text.sources == ["one, two", 'a "b"']


def test_a_key_that_stands_twice_in_jsonl_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"source": "a", "target": "b"}\n{"source": "a", "source": "c", "target": "b"}\n')
    with pytest.raises(DataError, match=r"line 2: a line must be one JSON object; got: the key 'source' stands twice"):
        read_pairs([tmp_path / "p.jsonl"])


@pytest.mark.parametrize("header", ["source\ttarget", "Source\tTarget", "src\ttgt"])
def test_a_header_of_a_file_of_pairs_is_refused(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(f"{header}\na\tA\n")
    with pytest.raises(DataError, match=r"a\.tsv, line 1: a line must be source, tab, target; got .*a header\. Remove"):
        read_pairs([str(tmp_path / "a.tsv")])
    (tmp_path / "b.tsv").write_text(f"a\tA\n{header}\n")
    assert len(read_pairs([str(tmp_path / "b.tsv")])) == 2
