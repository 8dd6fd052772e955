"""Files that somebody changes between two passes over them, or during one: an error, never a mixture of old and new."""

import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from regard.data import encoding
from regard.data.corpus import AlignedCorpus, Corpus, TaggedCorpus
from regard.data.encoding import encode_corpora, encode_labels, encode_texts, find_labels, learn_tokenizer
from regard.data.labelled import find_labelled
from regard.data.store import cache_folder
from regard.data.text_streams import find_texts
from regard.errors import DataError
from regard.runs.tasks.pairs import hold_out_pairs
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LINES = ["ab", "cde", "fgh ij", "a", "jihgfedcba", "bad"]


def silent(what: str, done: int, total: int) -> None: ...


def write(folder: Path, lines: Sequence[str]) -> None:
    (folder / "source").write_text("".join(f"{line}\n" for line in lines))
    (folder / "target").write_text("".join(f"{line[::-1]}\n" for line in lines))
    (folder / "pairs.tsv").write_text("".join(f"{line}\t{line[::-1]}\n" for line in lines))
    (folder / "labels").write_text("".join(f"{'xy'[n % 2]}\t{line}\n" for n, line in enumerate(lines)))
    (folder / "links").write_text("0-0\n" * len(lines))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    write(tmp_path, LINES)
    return tmp_path


def encode(kind: str, folder: Path, letters: Tokenizer) -> tuple[Sequence[Any], Callable[[], Any]]:
    """Corpora that have been measured, and what encodes them."""
    if kind == "lines":
        texts = find_texts([folder / "source"], with_blank=True)
        return texts, lambda: encode_texts(texts, letters, silent)
    if kind == "labels":
        labelled = find_labelled([folder / "labels"], by_word=False)
        return labelled, lambda: encode_labels(labelled, letters, ["x", "y"], 9, silent, by_word=False)
    corpus: Any = Corpus((str(folder / "source"), str(folder / "target")))
    if kind != "files":
        corpus = Corpus((str(folder / "pairs.tsv"),))
    if kind == "part":
        ((corpus,), _) = hold_out_pairs([corpus])
    if kind == "aligned":
        corpus = TaggedCorpus(AlignedCorpus(corpus, str(folder / "links")), "a")
    corpora = [corpus]
    assert corpus.digest
    return corpora, lambda: encode_corpora(corpora, letters, None, silent, with_links=kind == "aligned")


@pytest.mark.parametrize("kind", ["files", "one file", "part", "aligned", "lines", "labels"])
@pytest.mark.parametrize("is_large", [False, True])
def test_a_file_that_changes_between_two_passes(
    kind: str, is_large: bool, folder: Path, letters: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "LARGE_BYTES", 1 if is_large else 1 << 30)
    _, run = encode(kind, folder, letters)
    write(folder, [line.replace("a", "b") for line in LINES])  # as many lines, as many bytes
    with pytest.raises(DataError, match=rf"{folder}/\S+ .*must not change while it is read; it did\. Start again"):
        run()
    assert not list(cache_folder().rglob("about.json"))


def test_alignments_that_change_alone(folder: Path, letters: Tokenizer) -> None:
    _, run = encode("aligned", folder, letters)
    (folder / "links").write_text("0-0\n" * (len(LINES) - 1) + "\n")
    with pytest.raises(DataError, match="links must not change"):
        run()


@pytest.mark.parametrize("kind", ["files", "lines"])
def test_a_file_that_is_cut_while_it_is_encoded(
    kind: str, folder: Path, letters: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "ENCODED_AT_ONCE", 2)
    write(folder, LINES * 20_000)  # more than is read ahead
    _, run = encode(kind, folder, letters)
    portions, told = itertools.count(), encoding.Tokenizer.encode_batch

    def cut(self: Tokenizer, *given: Any) -> Any:
        if next(portions) == 3:
            for name in ("source", "target"):
                os.truncate(folder / name, 10)
        return told(self, *given)

    monkeypatch.setattr(encoding.Tokenizer, "encode_batch", cut)
    with pytest.raises(DataError, match=r"must (not change while it is read|have the same number of lines)"):
        run()


def test_what_is_learnt_of_a_changing_file_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "LARGE_BYTES", 1)
    texts = find_texts([folder / "source"], with_blank=True)
    labelled = find_labelled([folder / "labels"], by_word=False)
    assert texts[0].digest != labelled[0].digest
    write(folder, LINES[::-1])
    with pytest.raises(DataError, match="source must not change"):
        learn_tokenizer(texts, ["text"], TokenizerConfig(kind="characters", vocab_size=20), silent)
    with pytest.raises(DataError, match="labels must not change"):
        find_labels(labelled, silent)
    assert not [path for path in cache_folder().rglob("*.json") if path.is_file()]


def test_a_file_that_is_only_touched_or_copied_is_the_same(folder: Path, letters: Tokenizer) -> None:
    _, run = encode("files", folder, letters)
    (folder / "copy").write_bytes((folder / "source").read_bytes())
    (folder / "copy").replace(folder / "source")
    os.utime(folder / "target")
    assert run().part_sizes == (len(LINES),)
