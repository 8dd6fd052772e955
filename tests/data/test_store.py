"""Corpora that are larger than memory would hold: the same ids as in memory, found again, noticed when damaged."""

import json
import os
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from regard.data import encoding
from regard.data.corpus import Corpus, CorpusPart, Pairs, ParallelText, find_corpora, read_pairs
from regard.data.encoding import encode_corpora, encode_labels, encode_texts, learn_tokenizer
from regard.data.labelled import LabelledText, encode_words
from regard.data.store import EncodedCorpora, cache_folder
from regard.data.text_streams import TextFile, encode_stream
from regard.errors import DataError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig


def silent(what: str, done: int, total: int) -> None: ...


@pytest.fixture
def corpora(tmp_path: Path) -> list[Pairs]:
    words = ["ab", "cde", "", "fgh ij", "a", "jihgfedcba", "bad"]
    (tmp_path / "one.en").write_text("".join(f"{word}\n" for word in words))
    (tmp_path / "one.de").write_text("".join(f"{word[::-1]}\n" for word in words))
    (tmp_path / "two.tsv").write_text("ab\tba\n\ncab\tbac\n")
    return list(find_corpora([tmp_path / "one.en", tmp_path / "one.de", tmp_path / "two.tsv"]))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Everything counts as large, chunks are small, and one process encodes them."""
    monkeypatch.setattr(encoding, "LARGE_BYTES", 1)
    monkeypatch.setattr(encoding, "num_encoding_processes", lambda: 0)
    monkeypatch.setattr(encoding, "ENCODED_AT_ONCE", 3)
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def rows(encoded: EncodedCorpora) -> list[tuple[list[int], list[int]]]:
    pairs = encoded.pairs
    return [(pairs.sources[i].tolist(), pairs.targets[i].tolist()) for i in range(len(pairs))]


def same(first: EncodedCorpora, second: EncodedCorpora) -> bool:
    return (rows(first), first.lines.tolist(), first.part_sizes, first.digest) == (
        rows(second), second.lines.tolist(), second.part_sizes, second.digest)  # fmt: skip


def test_ids_lines_and_places(corpora: list[Pairs], letters: Tokenizer) -> None:
    encoded = encode_corpora(corpora, letters, None, silent)
    assert encoded.part_sizes == (6, 2)
    assert rows(encoded)[1] == ([*letters.encode("cde"), 3], [*letters.encode("edc"), 3])
    assert encoded.lines.tolist() == [1, 2, 4, 5, 6, 7, 1, 3]
    names = [corpus.name for corpus in corpora]
    assert [encoded.location(index, names).split("/")[0] for index in (2, 7)] == ["line 4 of ", "line 3 of "]
    assert encoded.location(7, names).endswith("two.tsv")


def test_stored_ids_are_those_in_memory_and_are_found_again(
    corpora: list[Pairs], letters: Tokenizer, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = encode_corpora(corpora, letters, None, silent)
    assert stored.pairs.sources.ids.dtype == np.uint16
    again = encode_corpora(corpora, letters, None, lambda *_: pytest.fail("made again"))
    monkeypatch.setattr(encoding, "LARGE_BYTES", 1 << 30)
    assert same(stored, again)
    assert same(stored, encode_corpora(corpora, letters, None, silent))
    assert [path.name for path in large.rglob("*.part")] == []


@pytest.mark.filterwarnings("ignore:This DataLoader will create")  # on a machine with one processor
def test_several_processes_store_the_same_bytes(
    corpora: list[Pairs],
    letters: Tokenizer,
    large: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def stored() -> dict[str, bytes]:
        encode_corpora(corpora, letters, None, silent)
        (folder,) = (large / "corpora").iterdir()
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    alone = stored()
    monkeypatch.setenv("REGARD_CACHE", str(large := large / "of-two"))
    monkeypatch.setattr(encoding, "num_encoding_processes", lambda: 2)
    assert stored() == alone
    assert capfd.readouterr().err == ""  # such as what tokenizers say of threads that a process lost


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_an_error_in_one_of_several_processes_is_that_of_one(
    large: Path, tmp_path: Path, letters: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "num_encoding_processes", lambda: 2)
    (tmp_path / "x.jsonl").write_text(
        '{"source": "ab", "target": "b"}\n' * 5 + '{"source": "a\\ud800", "target": "b"}\n'
    )
    with pytest.raises(DataError) as error:
        encode_corpora(find_corpora([tmp_path / "x.jsonl"]), letters, None, silent)
    monkeypatch.setattr(encoding, "num_encoding_processes", lambda: 0)
    with pytest.raises(DataError) as expected:
        encode_corpora(find_corpora([tmp_path / "x.jsonl"]), letters, None, silent)
    assert str(error.value) == str(expected.value)
    assert not list(large.rglob("*.part"))


def test_other_texts_or_tokenizers_are_stored_anew(corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    first = encode_corpora(corpora, letters, None, silent)
    other = Tokenizer.train(["abcdefghij", "ab ab ab"], TokenizerConfig(kind="bpe", vocab_size=30))
    assert rows(encode_corpora(corpora, other, None, silent)) != rows(first)
    whole = corpora[0]
    assert isinstance(whole, Corpus)
    without = encode_corpora([CorpusPart(whole, frozenset({2}))], letters, None, silent)
    assert without.lines.tolist() == [1, 4, 5, 6, 7]
    with Path(whole.paths[1]).open("r+") as stream:
        stream.write("xx")
    changed = encode_corpora([Corpus(whole.paths), corpora[1]], letters, None, silent)
    assert rows(changed)[0][1] == [*letters.encode("xx"), 3]


@pytest.mark.parametrize("damage", ["cut", "gone", "key", "record", "source.ids", "target.offsets", "lines"])
def test_a_damaged_store_is_made_again(damage: str, corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    first = encode_corpora(corpora, letters, None, silent)
    kept = rows(first)
    (folder,) = (large / "corpora").iterdir()
    if damage == "cut":
        (folder / "target.ids").write_bytes((folder / "target.ids").read_bytes()[:-1])
    elif damage == "gone":
        (folder / "lines").unlink()
    elif damage == "key":
        about = json.loads((folder / "about.json").read_text())
        (folder / "about.json").write_text(json.dumps({key: about[key] for key in about if key != "dtype"}))
    elif damage == "record":
        (folder / "about.json").write_text("[")
    else:  # one bit, so that sizes stay
        content = bytearray((folder / damage).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / damage).write_bytes(content)
    assert rows(encode_corpora(corpora, letters, None, silent)) == kept


def test_a_store_without_checksums_is_used(corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    """As one of an earlier version."""
    kept = rows(encode_corpora(corpora, letters, None, silent))
    (record,) = large.rglob("about.json")
    about = json.loads(record.read_text())
    assert len(about.pop("sha256")) == 5
    record.write_text(json.dumps(about))
    assert rows(encode_corpora(corpora, letters, None, lambda *_: pytest.fail("made again"))) == kept


def test_two_that_store_the_same_at_once(corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    """On two machines that share a cache, say; there their process ids may be the same, as they are here."""
    others: list[EncodedCorpora] = []

    def halfway(what: str, done: int, total: int) -> None:
        if not others and done:
            others.append(encode_corpora(corpora, letters, None, silent))

    ours = encode_corpora(corpora, letters, None, halfway)
    assert same(ours, others[0])
    assert same(ours, encode_corpora(corpora, letters, None, lambda *_: pytest.fail("made again")))
    assert len(list((large / "corpora").iterdir())) == 1


def test_a_cache_without_room(corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    large.write_text("a file is in the way")
    with pytest.raises(DataError, match=r"must be writable, with room .*another folder.*REGARD_CACHE"):
        encode_corpora(corpora, letters, None, silent)


def test_an_error_in_the_texts_leaves_nothing(letters: Tokenizer, large: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a\tb\n" * 9 + "a\t\n")
    with pytest.raises(DataError, match=r"bad\.tsv, line 10: both sides of a pair must have text; got a blank target"):
        encode_corpora(find_corpora([tmp_path / "bad.tsv"]), letters, None, silent)
    assert list((large / "corpora").iterdir()) == []


def test_what_a_killed_run_left_goes_after_a_day(corpora: list[Pairs], letters: Tokenizer, large: Path) -> None:
    old, new = (large / "corpora" / f".{'ab' * 16}.{pid}.part" for pid in (1, 2))
    for aside, age in ((old, 25), (new, 23)):
        aside.mkdir(parents=True)
        (aside / "source.ids").write_bytes(b"half")
        for path in (aside / "source.ids", aside):
            os.utime(path, (time.time() - age * 3600,) * 2)
    encode_corpora(corpora, letters, None, silent)
    assert not old.exists()
    assert new.exists()


def test_the_vocabulary_is_learnt_once(corpora: list[Pairs], large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = TokenizerConfig(vocab_size=40)
    first = learn_tokenizer(corpora, ["source", "target"], config, silent)
    text = read_pairs([*corpora[0].paths, *corpora[1].paths])  # type: ignore[union-attr]
    assert first.backend_json == Tokenizer.train(text.sources + text.targets, config).backend_json
    monkeypatch.setattr(Tokenizer, "train", lambda *_: pytest.fail("learnt again"))
    again = learn_tokenizer(corpora, ["source", "target"], config, silent)
    assert again.backend_json == first.backend_json
    (kept,) = (large / "tokenizers").iterdir()
    assert json.loads(kept.read_text())["model"]["type"] == "BPE"
    monkeypatch.undo()
    kept.write_bytes(kept.read_bytes()[:99])
    assert learn_tokenizer(corpora, ["source", "target"], config, silent).backend_json == first.backend_json


@pytest.mark.parametrize("limit", [None, 4])
def test_texts_are_stored_as_they_are_in_memory(
    limit: int | None, letters: Tokenizer, large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["ab", "", "fgh ij", "a", "jihgfedcba", "  ", "bad"]
    for name, part in (("one", lines[:4]), ("two", lines[4:])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in part))
    texts = [TextFile(str(tmp_path / name), with_blank=limit is None) for name in ("one", "two")]
    stored = encode_texts(texts, letters, silent, limit=limit)
    again = encode_texts(texts, letters, lambda *_: pytest.fail("made again"), limit=limit)
    monkeypatch.setattr(encoding, "LARGE_BYTES", 1 << 30)
    held = encode_texts(texts, letters, silent, limit=limit)
    if limit is None:
        expected = encode_stream(lines, letters).tolist()
    else:
        expected = list(chain(*encode_words([[line] for line in lines if line.strip()], letters, limit)[0]))
    for encoded in (stored, again, held):
        assert encoded.texts.ids.tolist() == expected
        assert encoded.texts.offsets.tolist() == held.texts.offsets.tolist()
        assert encoded.part_sizes == ((4, 3) if limit is None else (3, 2))
        assert encoded.location(encoded.part_sizes[0] + 1, ["one", "two"]) == f"line {2 if limit is None else 3} of two"
        encoded.texts.release()
        assert encoded.texts.ids.tolist() == expected


def test_a_limit_and_the_end_of_a_text_make_other_ids(letters: Tokenizer, large: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("abc\nab\na\n")
    whole = TextFile(str(tmp_path / "text"))
    found = [
        encode_texts([text], letters, silent, limit=limit)
        for text in (whole, replace(whole, end=2), replace(whole, with_blank=False))
        for limit in (None, 3, 4)
    ]
    assert len({encoded.digest for encoded in found}) == 9
    assert [len(encoded.texts) for encoded in found[2:5]] == [3, 2, 2]


def test_a_vocabulary_of_some_lines() -> None:
    text = ParallelText([chr(97 + i % 26) * 3 for i in range(100)], ["x"] * 100, "letters")
    few = learn_tokenizer([text], ["source"], TokenizerConfig(kind="characters", max_lines=10), silent)
    seen = {chr(97 + i % 26) for i in range(0, 100, 10)}
    assert {token for token in few.tokens(range(4, len(few))) if token != "▁"} == seen


def test_where_the_cache_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGARD_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/regard")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/regard")


def test_more_labels_than_16_bits_can_tell_apart_are_stored(large: Path) -> None:
    names = [f"l{number:05}" for number in range(1 << 16)]
    text = LabelledText([["ab"], ["ba"]], [[names[0]], [names[-1]]], "text")
    tokenizer = Tokenizer.train(["ab"], TokenizerConfig(kind="characters"))
    for count, dtype in ((1 << 16, "int32"), ((1 << 16) - 1, "uint16")):
        labels = [names[0], *names[1 - count :]]
        stored = encode_labels([text], tokenizer, labels, 9, silent, by_word=False).labelled(by_word=False)
        assert stored.labels.ids.dtype == dtype
        assert stored.labels.ids.tolist() == [1, count]
    assert len(list((large / "corpora").iterdir())) == 2
