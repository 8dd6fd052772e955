"""Corpora of pairs: sources, targets, and their checks.

Four sources, one result: two files with a line for a line, a TSV file, a JSON-lines file, a Hugging Face data set. A
`Corpus` is read anew each time it is asked for its pairs, so that it may be larger than memory; `ParallelText` is held.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from regard.data.hugging_face.data_sets import HUB_PREFIX, Column, cell, open_hub
from regard.data.pair_files import (
    DIRECTION,
    Row,
    read_directed,
    read_one_file,
    read_parallel,
    unpaired,
)
from regard.errors import DataError
from regard.names import is_file
from regard.text.file_changes import DerivedText, FileMeasurements, check_same, stamp
from regard.text.lines import decode_line, measure_lines, open_lines, read_lines
from regard.text.pharaoh import parse_links
from regard.text.words import Separators, split_words

ONE_FILE = (".tsv", ".jsonl")
AT = "#"
"""The sign between a file whose rows say their languages and the direction of its pairs that is meant."""


class NumberedPair(NamedTuple):
    """A pair and its line, counted from 1; and which of its words are aligned, where that is known."""

    line: int
    source: str
    target: str
    links: tuple[tuple[int, int], ...] = ()
    """Source words and target words, counted from 0."""
    separators: Separators = "spaces"
    """The characters that separate words, by name."""


@dataclass(frozen=True)
class ParallelText:
    """Sources and their targets, line by line, without blank lines, in memory."""

    sources: list[str]
    targets: list[str]
    name: str
    num_blank: int = 0
    lines: Sequence[int] = ()
    """The line of each pair, from 1, through all files; empty where the pairs do not come from files."""

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def from_pairs(cls, pairs: Iterable[NumberedPair], name: str, num_lines: int) -> ParallelText:
        """Collect pairs to a parallel text."""
        lines, sources, targets, *_ = zip(*pairs, strict=True)
        return cls(list(sources), list(targets), name, num_lines - len(lines), lines)

    @property
    def num_lines(self) -> int:
        """The number of pairs."""
        return len(self)

    @property
    def num_bytes(self) -> int:
        """The number of characters, roughly that of bytes."""
        return sum(map(len, self.sources)) + sum(map(len, self.targets))

    @property
    def digest(self) -> str:
        """A checksum of the texts."""
        return hashlib.sha256("\n".join([*self.sources, *self.targets]).encode("utf-8")).hexdigest()

    def check_unchanged(self) -> None:
        """Do nothing: what is in memory stays."""

    def numbered(self, only: Collection[int] | None = None) -> Iterator[NumberedPair]:
        """The pairs; with `only`, those of these numbers."""
        for line, pair in enumerate(zip(self.sources, self.targets, strict=True), start=1):
            if only is None or line in only:
                yield NumberedPair(line, *pair)


@dataclass(frozen=True)
class Corpus:
    """Pairs in files, or in a data set of Hugging Face's.

    A pair blank on both sides is left out. Blank on one side only is an error: where a line was lost, every pair after it
    would be wrong. A line break inside a text, as JSON can hold, becomes a space.

    Args:
        paths: a source file and a target file; or one `.tsv`, `.jsonl` or `hf:name:split:source_column:target_column`, as
            `HubName` reads it.
        direction: of a file whose rows say their languages, that of the pairs: `en-de`. They are counted without the others.
    """

    paths: tuple[str, ...]
    direction: str = ""

    @property
    def name(self) -> str:
        """The names of the corpus's files, as `find_corpora` reads them."""
        return " + ".join(self.paths) + (f"{AT}{self.direction}" if self.direction else "")

    @cached_property
    def num_lines(self) -> int:
        """The number of lines of the sources, blank ones included.

        Raises:
            DataError: a file cannot be read.
        """
        return self._measured.num_lines

    @cached_property
    def digest(self) -> str:
        """A checksum of the files, or the data set's own."""
        return self._measured.digest

    def check_unchanged(self) -> None:
        """Make sure that the files are those that were measured.

        Raises:
            DataError: one has been changed since.
        """
        check_same(self.paths, self._measured, self.name, lambda: replace(self).digest)

    @cached_property
    def num_bytes(self) -> int:
        """The size of the files, or of the data set's table."""
        if self.paths[0].startswith(HUB_PREFIX):
            return int(self._hub[0].data.nbytes)
        return sum(Path(path).stat().st_size for path in self.paths if is_file(path))

    def numbered(self, only: Collection[int] | None = None) -> Iterator[NumberedPair]:
        """The pairs; with `only`, those of these lines, without looking into the others.

        Raises:
            DataError: files that cannot be read, of different lengths, or with a line blank on one side.
        """
        if self.direction:
            rows = self._rows_of_direction(only)
        elif len(self.paths) == 2:
            rows = read_parallel(*self.paths, only)
        elif self.paths[0].startswith(HUB_PREFIX):
            rows = self._rows_of_hub(only)
        else:
            rows = read_one_file(self.paths[0], only)
        for line, source, target in rows:
            if not is_blank_pair(self.paths, line, source, target):
                yield NumberedPair(line, one_line(source), one_line(target))

    @cached_property
    def _measured(self) -> FileMeasurements:
        before = stamp(self.paths)
        if self.paths[0].startswith(HUB_PREFIX):
            print_of_hub = hashlib.sha256(f"{self._hub[0]._fingerprint} {self.name}".encode()).hexdigest()
            return FileMeasurements(len(self._hub[0]), print_of_hub, before)
        digest, counts = hashlib.sha256(), []
        for path in self.paths:
            digest.update(Path(path).suffix.lower().encode() + b"\n")
            counts.append(measure_lines(path, digest))
        if len(set(counts)) > 1:
            raise unpaired(self.paths, counts)
        if self.direction:
            digest.update(self.direction.encode())
            return FileMeasurements(sum(1 for _ in self._rows_of_direction(None)), digest.hexdigest(), before)
        return FileMeasurements(counts[0], digest.hexdigest(), before)

    def _rows_of_direction(self, only: Collection[int] | None) -> Iterator[Row]:
        number = 0
        for row in read_directed(self.paths[0]):
            if row.direction == self.direction:
                number += 1
                is_blank_pair(self.paths, row.line, row.source, row.target)  # an error names the line of the file
                if only is None or number in only:
                    yield number, row.source, row.target

    def _rows_of_hub(self, only: Collection[int] | None) -> Iterator[Row]:
        rows, columns = self._hub
        for line in range(1, len(rows) + 1) if only is None else sorted(only):
            row, place = rows[line - 1], f"{self.name}, row {line}"
            source, target = (cell(row, column, place) for column in columns)
            yield line, source, target

    @cached_property
    def _hub(self) -> tuple[Any, list[Column]]:
        return open_hub(self.paths[0])


@dataclass(frozen=True)
class CorpusPart(DerivedText):
    """A corpus without some of its lines."""

    whole: Corpus | ParallelText
    without: frozenset[int]

    @property
    def num_lines(self) -> int:
        """The number of lines that are left."""
        return self.whole.num_lines - len(self.without)

    @property
    def digest(self) -> str:
        """A checksum of the other corpus, and of the lines that are left out."""
        return hashlib.sha256(f"{self.whole.digest} {sorted(self.without)}".encode()).hexdigest()

    def numbered(self) -> Iterator[NumberedPair]:
        """The pairs of the other lines."""
        return (pair for pair in self.whole.numbered() if pair.line not in self.without)


@dataclass(frozen=True)
class AlignedCorpus(DerivedText):
    """A corpus whose pairs have word alignments, from a file with a line for each line of the corpus.

    Args:
        path: of a file in Pharaoh's format, as aligners and `regard align` write it.
        first: the number of the first word there, 0 or 1.
        separators: what separates words.
    """

    whole: ParallelText | Corpus | CorpusPart
    path: str
    first: int = 0
    separators: Separators = "spaces"

    @property
    def digest(self) -> str:
        """A checksum of the other corpus and the file.

        Raises:
            DataError: the file has another number of lines than the corpus.
        """
        return self._measured.digest

    def check_unchanged(self) -> None:
        """Make sure that the files of the other corpus are unchanged, and that of the alignments."""
        super().check_unchanged()
        check_same([self.path], self._measured, self.path, lambda: replace(self).digest)

    @cached_property
    def _measured(self) -> FileMeasurements:
        counted = "" if (self.first, self.separators) == (0, "spaces") else f" {self.first} {self.separators}"
        before, found = stamp([self.path]), hashlib.sha256(f"{self.whole.digest}{counted}".encode())
        num_lines = measure_lines(self.path, found)
        expected = (self.whole.whole if isinstance(self.whole, CorpusPart) else self.whole).num_lines
        if num_lines != expected:
            raise DataError(
                f"{self.path} must have a line for each of the {expected:,} lines of {self.name}; got {num_lines:,}."
            )
        return FileMeasurements(num_lines, found.hexdigest(), before)

    def numbered(self) -> Iterator[NumberedPair]:
        """The pairs, with the links of each."""
        with open_lines(self.path) as lines:
            read = enumerate(lines, start=1)
            for pair in self.whole.numbered():
                raw = next((raw for number, raw in read if number == pair.line), b"")
                text = decode_line(raw, pair.line, self.path)
                source, target = (len(split_words(side, self.separators)) for side in (pair.source, pair.target))
                links = parse_links(
                    text, self.path, pair.line, (source, target), first=self.first, option="`data.first_word=1`"
                )
                yield pair._replace(links=tuple(link[:2] for link in links), separators=self.separators)


@dataclass(frozen=True)
class TaggedCorpus(DerivedText):
    """A corpus whose sources begin with a tag of its own.

    Source: Caswell et al. 2019, "Tagged back-translation", section 3.
    """

    whole: ParallelText | Corpus | CorpusPart | AlignedCorpus
    tag: str

    @property
    def digest(self) -> str:
        """A checksum of the other corpus and the tag."""
        return hashlib.sha256(f"{self.whole.digest} {self.tag}".encode()).hexdigest()

    def numbered(self) -> Iterator[NumberedPair]:
        """The pairs, with the tag before each source."""
        for pair in self.whole.numbered():
            links = tuple((source + 1, target) for source, target in pair.links)  # the tag is a word
            yield pair._replace(source=f"{self.tag} {pair.source}", links=links)


Pairs = ParallelText | Corpus | CorpusPart | AlignedCorpus | TaggedCorpus
"""Pairs that can be gone through again and again."""


def find_corpora(names: Sequence[str | os.PathLike[str]]) -> list[Corpus]:
    """The corpora of some names: `.tsv`, `.jsonl` and `hf:` are one corpus each, other names come in pairs of files.

    Raises:
        DataError: a name without its other side, or none.
    """
    if isinstance(names, str):
        raise DataError(f"pairs must be a list of names; got one string. Write [{names!r}].")
    corpora: list[Corpus] = []
    left = [os.fspath(name) for name in names]
    while left:
        size = 1 if is_one_file(left[0]) else 2
        paths, left = tuple(left[:size]), left[size:]
        if len(paths) < size and not corpora:
            raise DataError(
                f"one file of pairs must end in .tsv or .jsonl; got {paths[0]}. For two parallel files, give both names."
            )
        if len(paths) < size or (size == 2 and is_one_file(paths[1])):
            raise DataError(
                f"corpora must come from two parallel files or one file of pairs (.tsv, .jsonl, hf:...) each; {paths[0]} "
                "has no other side."
            )
        corpora.append(Corpus(*_divided(paths)))
    if not corpora:
        raise DataError("pairs must come from two parallel files or one file of pairs; got an empty list.")
    return corpora


def _divided(paths: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    path, direction = divided_name(paths[0])
    return ((path,), direction) if direction else (paths, "")


def is_one_file(name: str) -> bool:
    """Whether a name stands for pairs in one file or data set, and not for one side of them."""
    return name.startswith(HUB_PREFIX) or divided_name(name)[0].lower().endswith(ONE_FILE)


def divided_name(name: str) -> tuple[str, str]:
    """The file and the direction of a name such as `pairs.tsv#en-de`; without a direction, the name and nothing."""
    path, at, direction = name.rpartition(AT)
    is_divided = at and path.lower().endswith(ONE_FILE) and not is_file(name) and DIRECTION.fullmatch(direction)
    return (path, direction) if is_divided else (name, "")


def directions_in(path: str) -> list[str]:
    """The directions of the rows of a file that says them, in the order of the alphabet.

    Raises:
        DataError: a line that is not so; or there are no pairs.
    """
    found = sorted({row.direction for row in read_directed(path)} - {""})
    if not found:
        raise no_pairs(path)
    return found


def is_blank_pair(paths: Sequence[str], line: int, source: str, target: str) -> bool:
    """Whether a pair is blank.

    Raises:
        DataError: it has text on one side only.
    """
    blank_source, blank_target = not source.strip(), not target.strip()
    if blank_source != blank_target:
        name, side = (paths[0], "source") if blank_source else (paths[-1], "target")
        raise DataError(
            f"{name}, line {line}: both sides of a pair must have text; got a blank {side}. "
            "If a line was lost, all pairs after it are misaligned. Otherwise remove the line from both sides."
        )
    return blank_source


def read_pairs(names: Sequence[str | os.PathLike[str]]) -> ParallelText:
    """Read the pairs of some corpora into memory.

    Raises:
        DataError: names or files that are not pairs, or one that holds none.
    """
    corpora, pairs, num_lines = find_corpora(names), list[NumberedPair](), 0
    for corpus in corpora:
        found = list(corpus.numbered())
        if not found:
            raise no_pairs(corpus.name)
        pairs += (pair._replace(line=num_lines + pair.line) for pair in found)
        num_lines += corpus.num_lines
    return ParallelText.from_pairs(pairs, " + ".join(corpus.name for corpus in corpora), num_lines)


def read_beside(path: str | os.PathLike[str], pairs: ParallelText) -> list[str]:
    """Read the line of another file for each pair, such as another reference. The pairs are of `read_pairs`.

    Raises:
        DataError: a file that cannot be read, that holds pairs, or that has more or fewer lines than those of the pairs.
    """
    name = os.fspath(path)
    if is_one_file(name):
        raise DataError(
            f"{name} must be a text file with one text per line; got a file of pairs. Write one side to a file."
        )
    lines, num_lines = read_lines(name), len(pairs) + pairs.num_blank
    if len(lines) != num_lines:
        raise DataError(
            f"{name} must have as many lines as {pairs.name}, {num_lines:,}; got {len(lines):,}. Line N must belong to line N."
        )
    return [lines[number - 1] for number in pairs.lines]


def no_pairs(name: str) -> DataError:
    """The error for files without pairs."""
    return DataError(f"{name} must hold at least one pair; got none. Is it the right file?")


def one_line(text: str) -> str:
    """A text without line breaks, as each pair has a line."""
    return re.sub(r"\r?\n", " ", text) if "\n" in text else text
