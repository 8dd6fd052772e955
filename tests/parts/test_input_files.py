"""Files are divided into sections that, one after the other, hold each of their rows once."""

import gzip
import json
import random
import sys
from pathlib import Path

import pytest

from regard.errors import DataError, RegardError, SettingsError
from regard.parts.input_files import InputFile, open_unpacked, packed_blocks

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXTS = ["a b", "", "ü\u2028ß\x85x", "c" * 300, "", "d\te", "\u00a0", "f", "g h i", "日本"]


def written(path: Path, texts: list[str]) -> Path:
    """A file of these texts, in the format that its name says."""
    name = path.name
    if ".parquet" in name:
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table({"n": list(range(len(texts))), "source": [text or None for text in texts]})
        pyarrow.parquet.write_table(table, path, row_group_size=3)
        return path
    lines = texts
    if ".jsonl" in name:
        lines = [json.dumps({"source": text, "n": 1}) if text else "" for text in texts]
    elif ".tsv" in name:
        lines = [f"{number}\t{text}\tz" if text else "" for number, text in enumerate(texts)]
    raw = "".join(f"{line}\n" for line in lines).encode()
    pack = {".gz": gzip.compress, ".zst": zstd.compress}.get(path.suffix, bytes)
    half = len(raw) // 2
    path.write_bytes(pack(raw[:half]) + pack(raw[half:]) if raw else pack(raw))  # two members, as `cat` joins them
    return path


@pytest.mark.parametrize("num_parts", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz", "x.zst", "x.tsv", "x.jsonl", "x.jsonl.zst", "x.parquet"])
def test_sections_hold_each_row_once_and_in_order(name: str, num_parts: int, tmp_path: Path) -> None:
    texts = [text.replace("\t", " ") for text in TEXTS] if "tsv" in name else TEXTS
    file = InputFile(written(tmp_path / name, texts), "2" if "tsv" in name else None)
    sections = file.split(num_parts)
    assert len(sections) == num_parts
    read, first = [], 1
    for section in sections:
        read += list(file.texts(section, first))
        first += section.num_rows
    assert read == texts
    assert file.cut([section.num_rows for section in sections]) == sections


def test_parts_are_about_equal(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = ["x" * rng.randint(0, 80) for _ in range(4000)]
    path = written(tmp_path / "x.txt", texts)
    sizes = [section.start for section in InputFile(path).split(8)]
    lengths = [end - start for start, end in zip(sizes, [*sizes[1:], path.stat().st_size], strict=True)]
    assert max(lengths) - min(lengths) < 200


def test_a_last_line_without_an_end_and_windows_ends(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree")
    file = InputFile(tmp_path / "x")
    assert [text for number, each in enumerate(file.split(3)) for text in file.texts(each, number + 1)] == [
        "one",
        "two",
        "three",
    ]


def test_files_of_other_lengths_and_changed_files_are_refused(tmp_path: Path) -> None:
    file, other = InputFile(written(tmp_path / "x", TEXTS)), InputFile(written(tmp_path / "y", TEXTS[:-1]))
    sections = file.split(3)
    with pytest.raises(DataError, match=r"y must have a row for each row of the other file; got 9 and 10\."):
        other.cut([section.num_rows for section in sections])
    file.path.write_bytes(file.path.read_bytes().replace(b"a b", b"a c"))
    with pytest.raises(DataError, match="it has changed, or differs on this machine"):
        list(file.texts(sections[0], 1))


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_damaged_packed_files(ending: str, tmp_path: Path) -> None:
    lines = (f"{number} {random.Random(number).random()}\n".encode() for number in range(900))
    whole = b"".join(packed_blocks(lines, tmp_path / f"x{ending}"))
    for number, raw in enumerate(
        (whole[:-6], whole[:40], b"no packed file at all\n", whole[:90] + b"xyz" + whole[93:])
    ):
        path = tmp_path / f"{number}.txt{ending}"
        path.write_bytes(raw)
        with pytest.raises(DataError, match=f"must be a whole {ending} file"):
            InputFile(path).split(2)


@pytest.mark.parametrize(
    ("name", "content", "column", "message"),
    [
        ("x.tsv", b"a\tb\nc\n", "2", "line 2: a line must have column 2; got 1"),
        ("x.jsonl", b'{"source": "a"}\n{"source": 1}\n', None, 'line 2: an object must have the string "source"'),
        ("x.jsonl", b'{"source": "a"}\n[1]\n', None, 'line 2: an object must have the string "source"'),
        ("x.jsonl", b'{"source": "a"}\n{"source"\n', None, "line 2: a line must be one JSON object"),
        ("x.jsonl", b'{"source": "a"}\n{"source": "\\ud800"}\n', None, "line 2: text must be valid Unicode"),
        ("x.txt", b"a\n\xff\n", None, "line 2: text must be UTF-8"),
    ],
)
def test_a_row_that_cannot_be_read_leaves_its_place(
    name: str, content: bytes, column: str | None, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    file = InputFile(tmp_path / name, column)
    first, second = file.texts(file.split(1)[0], 1)
    assert isinstance(first, str)
    assert message in str(second)


@pytest.mark.parametrize(
    ("name", "column", "kind", "message"),
    [
        ("x.txt", "2", SettingsError, "--column"),
        *(
            ("x.tsv", column, SettingsError, r"from 1, or two such as 2-3; got")
            for column in ("0", "00", "-1", "9" * 5000, "²", "3-2", "1-", "1-2-3")
        ),
        ("x.tsv", "source", SettingsError, "must be the number of a column"),
        ("y.txt", None, DataError, "must be a file"),
        ("x.parquet", "m", DataError, "must be a column of .*: n, source; got m"),
        ("x.parquet", "n", DataError, "must be a column of texts; got n"),
        ("z.parquet", None, DataError, "must be a Parquet file"),
    ],
)
def test_wrong_names_and_columns(
    name: str, column: str | None, kind: type[RegardError], message: str, tmp_path: Path
) -> None:
    for each in ("x.txt", "x.tsv", "x.parquet"):
        written(tmp_path / each, TEXTS)
    (tmp_path / "z.parquet").write_bytes(b"PAR1")
    with pytest.raises(kind, match=message):
        InputFile(tmp_path / name, column).split(2)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.txt", "ab\ncd\n".encode("utf-16"), "got UTF-16, it seems"),
        ("x.txt", "ab\ncd\n".encode("utf-16-le"), "got UTF-16, it seems"),
        ("x.txt", gzip.compress(b"ab\n"), "got a compressed file"),
        ("x.txt.gz", gzip.compress(gzip.compress(b"ab\n")), "got a compressed file"),
    ],
)
def test_a_file_of_another_encoding_is_refused_as_a_whole(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        InputFile(tmp_path / name).split(2)


def test_names_say_what_a_file_is_in_capitals_too_unless_each_line_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "x.TXT.GZ").write_bytes(gzip.compress(b"ab\n"))
    (tmp_path / "y.tsv").write_bytes(b"a\tb\n")
    for file, expected in ((InputFile(tmp_path / "x.TXT.GZ"), "ab"), (InputFile(tmp_path / "y.tsv"), "a"),
                           (InputFile(tmp_path / "y.tsv", has_lines=True), "a\tb")):  # fmt: skip
        assert list(file.texts(file.split(1)[0], 1)) == [expected]


@pytest.mark.parametrize("name", ["x", "x.gz", "x.zst"])
def test_what_is_packed_is_read_again(name: str, tmp_path: Path) -> None:
    blocks = [text.encode() for text in TEXTS]
    packed = b"".join(packed_blocks(blocks, tmp_path / name))
    (tmp_path / name).write_bytes(packed)
    assert packed == b"".join(packed_blocks(blocks, tmp_path / name))
    with open_unpacked(tmp_path / name) as stream:
        assert stream.read() == b"".join(blocks)
