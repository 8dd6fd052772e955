"""Texts with labels: a class for each text, or a tag for each word."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from regard.data.text_streams import NumberedLine, TextFile
from regard.errors import DataError, nearest_hint
from regard.text.file_changes import DerivedText
from regard.text.length_limits import READ_AT_ONCE, beginning
from regard.text.tokenizer import Tokenizer
from regard.text.words import SPACES, split_words

LABEL_NAMES = {"label", "labels", "class", "classes", "category", "sentiment", "intent", "target", "tag", "tags", "pos",
               "ner"}  # fmt: skip
TEXT_NAMES = {"text", "texts", "sentence", "sentences", "question", "review", "document", "content", "word", "words", "token",
              "tokens", "form", "premise", "hypothesis", "sentence1", "sentence2", "text1", "text2", "question1",
              "question2"}  # fmt: skip
"""The names of text columns in the header lines of files that other programs write."""


def tagged_words(text: str) -> list[str]:
    """The words of a text that is to be tagged. Where it has tabs, they alone separate, so that a word may hold a space."""
    if "\t" in text:
        return [word for column in text.split("\t") if (word := column.strip(SPACES))]
    return split_words(text)


def texts_of(text: str, name: str = "a text") -> list[str]:
    """The two texts of a pair, which a tab separates; or one text.

    Args:
        name: what messages call it.
    Raises:
        DataError: there are more, or one is blank.
    """
    texts = text.split("\t")
    if len(texts) > 2 or (len(texts) == 2 and not all(each.strip() for each in texts)):
        raise DataError(f"{name} must be one text, or two with a tab between them; got {text[:60]!r}.")
    return texts


def tag_of(cell: str, place: str) -> str:
    """The tag of a word, without white space around it.

    Args:
        cell: what is written in the place of the tag.
        place: its file and line, for messages.
    Raises:
        DataError: it has white space inside; `regard predict` writes the tags of a text with spaces between them.
    """
    parts = cell.split()
    if len(parts) > 1:
        raise DataError(
            f"{place}: a tag must have no white space inside; got {cell.strip()[:60]!r}. "
            f"Write, for example, {'_'.join(parts)[:60]}."
        )
    return cell.strip()


class LabelledLine(NamedTuple):
    """A text with its labels, and the line where it begins, counted from 1."""

    line: int
    words: list[str]
    """The text's words where they have labels of their own; else the text, or the two texts of a pair."""
    labels: list[str]


@dataclass(frozen=True)
class LabelledText:
    """Texts and their labels, in memory: `labels[i]` has one label for text i, or one for each of its words."""

    texts: list[list[str]]
    """The words of each text where they have labels of their own; else the text, or the two texts of a pair."""
    labels: list[list[str]]
    name: str
    num_blank: int = 0
    """Blank lines that were left out; those between texts of tagged words are not counted."""

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def from_lines(cls, lines: Iterable[LabelledLine], name: str, num_blank: int = 0) -> LabelledText:
        """Collect texts in memory."""
        lines = list(lines)
        return cls([line.words for line in lines], [line.labels for line in lines], name, num_blank)

    @property
    def num_lines(self) -> int:
        """The number of texts."""
        return len(self)

    @property
    def num_bytes(self) -> int:
        """The number of characters, roughly that of bytes."""
        return sum(len(word) for words in self.texts for word in words)

    @property
    def digest(self) -> str:
        """A checksum of texts and labels."""
        return hashlib.sha256(json.dumps([self.texts, self.labels]).encode()).hexdigest()

    def as_pairs(self) -> LabelledText:
        """The same with each text in two where it has a tab.

        Raises:
            DataError: a text has more tabs than one, or nothing on a side of it.
        """
        return replace(self, texts=[texts_of("\t".join(words)) for words in self.texts])

    def check_unchanged(self) -> None:
        """Do nothing: what is in memory stays."""

    def numbered(self) -> Iterator[LabelledLine]:
        """The texts with their labels."""
        for line, (words, labels) in enumerate(zip(self.texts, self.labels, strict=True), start=1):
            yield LabelledLine(line, words, labels)


@dataclass(frozen=True)
class LabelledFile(DerivedText):
    """Texts and their labels in a file, read anew each time they are asked for, so that it may be larger than memory.

    With a class each: lines of label, tab, text, and of pairs, tab, second text; blank lines are left out. With a tag for
    each word: lines of word, tab, tag; a blank line ends a text.
    """

    whole: TextFile
    """The file, with its blank lines."""
    by_word: bool
    without: frozenset[int] = frozenset()
    """The first lines of texts that are left out."""
    pairs: bool = False
    """Whether a tab separates the two texts of a pair; else it is part of a text."""

    @property
    def digest(self) -> str:
        """A checksum of the file, and of the part of it that is read."""
        kind = "pairs" if self.pairs else str(self.by_word)
        return hashlib.sha256(f"{self.whole.digest} {kind} {sorted(self.without)}".encode()).hexdigest()

    def as_pairs(self) -> LabelledFile:
        """The same with each text in two where it has a tab."""
        return replace(self, pairs=True)

    def numbered(self) -> Iterator[LabelledLine]:
        """The texts with their labels.

        Raises:
            DataError: the file cannot be read, a line has not two columns (a text may have tabs), one is blank, or a tag has
                white space inside.
        """
        return (text for text in self.texts_in(self.whole.numbered()) if text.line not in self.without)

    def read(self) -> tuple[list[LabelledLine], int]:
        """All texts, and how many blank lines are between them; the file is read once.

        Raises:
            DataError: as `numbered`.
        """
        lines = list(self.whole.numbered())
        texts = [text for text in self.texts_in(lines) if text.line not in self.without]
        return texts, 0 if self.by_word else sum(not line.text.strip() for line in lines)

    def texts_in(self, lines: Iterable[NumberedLine]) -> Iterator[LabelledLine]:
        """The texts with their labels in some lines of the file, one after the other."""
        lines = self._without_header(lines)
        if self.by_word:
            return self._tagged(lines)
        return (self._classified(line) for line in lines if line.text.strip())

    def _without_header(self, lines: Iterable[NumberedLine]) -> Iterator[NumberedLine]:
        """The same lines.

        Raises:
            DataError: the first line of the file that is not blank is a header, which the model would learn from.
        """
        is_first = True
        for place, line in enumerate(lines, start=1):
            if is_first and line.text.strip():
                is_first, names = False, {name.strip().lower() for name in line.text.split("\t")}
                is_of_file = line.line == place  # else these lines begin further down, and the first one is a text
                if is_of_file and names & LABEL_NAMES and names & TEXT_NAMES:
                    raise self._not(line, ", a header. Remove that line")
            yield line

    def _classified(self, line: NumberedLine) -> LabelledLine:
        label, tab, text = line.text.partition("\t")
        if not (tab and label.strip() and text.strip()):
            raise self._not(line)
        if not self.pairs:
            return LabelledLine(line.line, [text], [label.strip()])
        try:
            return LabelledLine(line.line, texts_of(text), [label.strip()])
        except DataError as error:
            raise self._not(line) from error

    def _tagged(self, lines: Iterable[NumberedLine]) -> Iterator[LabelledLine]:
        is_text = itertools.groupby(lines, lambda line: bool(line.text.strip()))
        for rows in (list(rows) for has_text, rows in is_text if has_text):
            words, tags = zip(*map(self._word_and_tag, rows), strict=True)
            yield LabelledLine(rows[0].line, list(words), list(tags))

    def _word_and_tag(self, line: NumberedLine) -> tuple[str, str]:
        columns = line.text.split("\t")
        if len(columns) != 2 or not all(column.strip() for column in columns):
            raise self._not(line)
        return columns[0].strip(SPACES), tag_of(columns[1], f"{self.name}, line {line.line}")

    def _not(self, line: NumberedLine, more: str = "") -> DataError:
        of_classes = "label, tab, text" + ", and of pairs, tab, second text" * self.pairs
        form = "word, tab, tag" if self.by_word else of_classes
        return DataError(f"{self.name}, line {line.line}: a line must be {form}; got {line.text[:60]!r}{more}.")


LabelledData = LabelledText | LabelledFile
"""Texts with labels that can be gone through again and again."""


def are_all_pairs(data: Iterable[LabelledData]) -> bool:
    """Whether each of some texts with a class is two, with one tab between them."""
    lines = itertools.chain.from_iterable(each.numbered() for each in data)
    return all(len(parts := "\t".join(line.words).split("\t")) == 2 and all(map(str.strip, parts)) for line in lines)


def find_labelled(names: Sequence[str | os.PathLike[str]], *, by_word: bool) -> list[LabelledFile]:
    """The texts of some files, with a class each or a tag for each word.

    Raises:
        DataError: a file cannot be read more than once, or holds no line.
    """
    files = _files(names, by_word)
    for file in files:
        if not file.num_lines:  # asked first, as it refuses pipes before anything is read from them
            raise no_texts(file.name)
    return files


def read_labelled(names: Sequence[str | os.PathLike[str]], *, by_word: bool, pairs: bool = False) -> LabelledText:
    """Read the texts of some files into memory; so files that can be read only once work, too.

    Args:
        pairs: whether a tab separates the two texts of a pair.
    Raises:
        DataError: a file that cannot be read or holds no text, or a line in the wrong format.
    """
    files, lines, num_blank = _files(names, by_word, pairs=pairs), list[LabelledLine](), 0
    for file in files:
        found, blank = file.read()
        if not found:
            raise no_texts(file.name)
        lines, num_blank = lines + found, num_blank + blank
    return LabelledText.from_lines(lines, " + ".join(file.name for file in files), num_blank)


def _files(names: Sequence[str | os.PathLike[str]], by_word: bool, *, pairs: bool = False) -> list[LabelledFile]:
    return [LabelledFile(TextFile(os.fspath(name)), by_word, pairs=pairs) for name in names]


def no_texts(name: str) -> DataError:
    """The error for a file without texts."""
    return DataError(f"{name} must hold at least one text; got none. Is it the right file?")


def text_bytes(texts: Sequence[LabelledData], most: int) -> int:
    """The number of bytes of UTF-8 in some texts, labels not counted. Counting stops at `most`."""
    count = 0
    for line in itertools.chain.from_iterable(text.numbered() for text in texts):
        count += sum(len(word.encode()) for word in line.words)
        if count >= most:
            return most
    return count


def format_warnings(texts: Sequence[LabelledData], label_names: Sequence[str], num_texts: int) -> list[str]:
    """A warning in words about files that look unusual: a first line that may be a header, or columns that may be the
    other way round. Empty where there is nothing to say.
    """
    found = []
    for text in texts:
        lines = text.numbered()
        first = next(lines).labels
        if first[0] not in itertools.chain(first[1:], *(line.labels for line in lines)):
            found.append(
                f"the first label of {text.name}, {first[0]!r}, occurs there only: if that line is a header, remove it"
            )
    if all(len(line.labels) == 1 for line in itertools.islice(texts[0].numbered(), 100)) and len(label_names) > max(
        num_texts // 2, 20
    ):
        found.append(
            f"{len(label_names):,} labels in {num_texts:,} texts: if the columns are text, tab, label, swap them"
        )
    return found


def check_labels(text: LabelledText, label_names: Iterable[str]) -> None:
    """Make sure that a text has labels that were trained on only.

    Raises:
        DataError: it has another.
    """
    known = set(label_names)
    for label in itertools.chain.from_iterable(text.labels):
        if label not in known:
            raise unknown_label(text.name, label, known)


def unknown_label(name: str, label: str, known: Collection[str]) -> DataError:
    """The error of texts with a label that a model does not know."""
    hint = nearest_hint(label, known)
    return DataError(f"{name}: a label must be one that the model was trained on; got {label!r}. {hint}")


def frame(ids: Sequence[int], tokenizer: Tokenizer, max_positions: int) -> list[int]:
    """A text's ids between begin and end symbol, cut where there would be more than `max_positions`."""
    return [tokenizer.bos_id, *ids[: max_positions - 2], tokenizer.eos_id]


def encode_whole(
    texts: Sequence[Sequence[str]], tokenizer: Tokenizer, max_positions: int, separators: int
) -> tuple[list[list[int]], list[bool]]:
    """The ids of some texts, or pairs of texts, and whether each was cut, as one longer than `max_positions` is.

    A text stands between begin and end symbol. Of a pair, the second text follows the end symbol of the first, and ends with one,
    too. What is too long is cut at the ends, always of the text that is the longer one then.

    Args:
        separators: how many end symbols stand between the texts of a pair; 0: no text is a pair.
    """
    rows, are_cut = [], []
    flat = iter(tokenizer.encode_batch([beginning(part, tokenizer, max_positions) for text in texts for part in text]))
    for text in texts:
        parts = [next(flat) for _ in text]
        room = max_positions - 2 - separators * (len(parts) - 1)
        kept = _lengths_in([len(part) for part in parts], room)
        row = frame(parts[0][: kept[0]], tokenizer, max_positions)
        for part, length in zip(parts[1:], kept[1:], strict=True):
            row += [tokenizer.eos_id] * (separators - 1) + part[:length] + [tokenizer.eos_id]
        rows.append(row)
        are_cut.append(sum(map(len, parts)) > room)
    return rows, are_cut


def _lengths_in(lengths: Sequence[int], room: int) -> list[int]:
    """The lengths of one text or two, cut to the room for all: the longer one first. Of an odd number it has one more."""
    if len(lengths) == 1:
        return [min(lengths[0], room)]
    shorter = min(*lengths, max(room // 2, room - max(lengths)))
    longer = min(max(lengths), room - shorter)
    return [longer, shorter] if lengths[0] > lengths[1] else [shorter, longer]


def encode_words(
    texts: Sequence[Sequence[str]], tokenizer: Tokenizer, max_positions: int
) -> tuple[list[list[int]], list[list[int]], list[bool]]:
    """The ids of some texts between begin and end symbol, at which position each word begins (-1: cut off), and whether the text
    was cut, as one longer than `max_positions` is.
    """
    rows, beginnings, are_cut = [], [], []
    read = [_first_words(words, tokenizer, max_positions) for words in texts]
    flat = iter(tokenizer.encode_batch([word for words in read for word in words]))
    for words, read_words in zip(texts, read, strict=True):
        ids, begins = [tokenizer.bos_id], []
        for _ in read_words:
            begins.append(len(ids) if len(ids) < max_positions - 1 else -1)
            ids += next(flat)
        rows.append(frame(ids[1:], tokenizer, max_positions))
        beginnings.append(begins + [-1] * (len(words) - len(read_words)))
        are_cut.append(len(ids) > max_positions - 1)
    return rows, beginnings, are_cut


def _first_words(words: Sequence[str], tokenizer: Tokenizer, limit: int) -> Sequence[str]:
    """The words; of a text that is far too long, only so many that they have at least `limit` tokens."""
    if sum(map(len, words)) <= READ_AT_ONCE:
        return words
    read, count = list[str](), 0
    for word in words:
        read.append(beginning(word, tokenizer, limit))
        count += len(tokenizer.encode(read[-1]))
        if count >= limit:
            break
    return read
