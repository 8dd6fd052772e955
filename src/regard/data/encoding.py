"""Encoding of corpora, once: the ids of large ones are stored (`store.py`), as is the vocabulary learnt from them."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from regard.data.alignments import token_links
from regard.data.corpus import NumberedPair, Pairs, ParallelText
from regard.data.labelled import LabelledData, LabelledLine, encode_whole, encode_words, frame, no_texts
from regard.data.prefetching import map_in_processes, num_encoding_processes
from regard.data.sequences import EncodedPairs, Sequences
from regard.data.store import (
    FORMAT_VERSION,
    Chunk,
    EncodedCorpora,
    cache_folder,
    in_files,
    in_memory,
    make_folder,
)
from regard.data.text_streams import NumberedLine, TextFile
from regard.errors import ModelFolderError
from regard.text.length_limits import beginning
from regard.text.lines import write_whole
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LARGE_BYTES = 1 << 26
"""The number of bytes of text above which the ids of a corpus are stored."""
LEARNT_VERSION = "2"
"""The version of the learning: changes where other tokens are learnt from the same text with the same settings."""
ENCODED_AT_ONCE = 4096
Side = Sequence[Sequence[int]]
"""The ids of some texts, or of their labels."""
Report = Callable[[str, int, int], None]
"""The callback of progress: the name of the work, how much is done, and how much there is."""
Corpora = Sequence[Pairs] | Sequence[TextFile] | Sequence[LabelledData]


def is_large(corpora: Corpora) -> bool:
    """Whether the ids of some corpora are stored."""
    return sum(corpus.num_bytes for corpus in corpora) > LARGE_BYTES


def check_unchanged(corpora: Corpora) -> None:
    """Make sure that no file has changed since it was first read: each pass must find the same.

    Raises:
        DataError: one has.
    """
    for corpus in corpora:
        corpus.check_unchanged()


def learn_tokenizer(corpora: Corpora, sides: Sequence[str], config: TokenizerConfig, report: Report) -> Tokenizer:
    """The tokenizer of one side or both, learnt from at most `config.max_lines` lines of each, evenly spread.

    Of large corpora, it is kept in the cache.

    Args:
        sides: `source`, `target` or both, of pairs; `text`, of texts; `words`, of texts with labels.
    """
    path = None
    if is_large(corpora):
        parts = [LEARNT_VERSION, *(corpus.digest for corpus in corpora), ",".join(sides), config.model_dump_json()]
        path = _cache_path("tokenizers", parts)
        with suppress(ModelFolderError):  # missing or damaged: learnt again
            return Tokenizer.load(path)
    num_lines = sum(corpus.num_lines for corpus in corpora)
    every = -(-num_lines // config.max_lines)

    def lines() -> Iterator[str]:
        # One side after the other, as the first of two equally frequent pairs becomes a token.
        for side in sides:
            before = 0
            for corpus in corpora:
                examples: Iterator[Any] = corpus.numbered()
                for done, example in enumerate(itertools.islice(examples, 0, None, every), start=1):
                    if done % ENCODED_AT_ONCE == 0:
                        report("learning the vocabulary", before + example.line, num_lines)
                    found = getattr(example, side)
                    yield from [found] if isinstance(found, str) else found
                before += corpus.num_lines

    tokenizer = Tokenizer.train(lines(), config)
    check_unchanged(corpora)
    if path is not None:
        make_folder(path.parent)
        tokenizer.save(path)
    return tokenizer


def find_labels(corpora: Sequence[LabelledData], report: Report) -> list[str]:
    """Every label that occurs, in alphabetical order. Those of large corpora are kept in the cache.

    Raises:
        DataError: a corpus without text, or files that cannot be read.
    """
    path = None
    if is_large(corpora):
        path = _cache_path("labels", [corpus.digest for corpus in corpora])
        if (kept := _cached_names(path)) is not None:
            return kept
    num_lines, before = sum(corpus.num_lines for corpus in corpora), 0
    names: set[str] = set()
    for corpus in corpora:
        line = 0
        for count, (line, _, labels) in enumerate(corpus.numbered(), start=1):
            names.update(labels)
            if count % ENCODED_AT_ONCE == 0:
                report("finding labels", before + line, num_lines)
        if not line:
            raise no_texts(corpus.name)
        before += corpus.num_lines
    check_unchanged(corpora)
    if path is not None:
        make_folder(path.parent)
        write_whole(path, json.dumps(sorted(names)).encode())
    return sorted(names)


def encode_pairs(
    text: ParallelText, tokenizer: Tokenizer, max_positions: int, *, source_tokenizer: Tokenizer | None = None
) -> EncodedPairs:
    """The ids of a parallel text. Pairs with a side of more than `max_positions` tokens are left out and named.

    Args:
        tokenizer: the targets'.
        source_tokenizer: None: the same.
    """
    reader = source_tokenizer or tokenizer
    read = [
        index
        for index, pair in enumerate(zip(text.sources, text.targets, strict=True))
        if all(beginning(side, by, max_positions) == side for side, by in zip(pair, (reader, tokenizer), strict=True))
    ]
    sources, targets = ([side[index] for index in read] for side in (text.sources, text.targets))
    pairs = zip(read, *encode_sides(sources, targets, tokenizer, reader), strict=True)
    kept = [pair for pair in pairs if max(map(len, pair[1:])) <= max_positions]
    fits = {index for index, _, _ in kept}
    return EncodedPairs(
        Sequences.from_lists([source for _, source, _ in kept]),
        Sequences.from_lists([target for _, _, target in kept]),
        too_long=tuple(index for index in range(len(text)) if index not in fits),
    )


def encode_sides(
    sources: Sequence[str], targets: Sequence[str], tokenizer: Tokenizer, source_tokenizer: Tokenizer
) -> tuple[list[list[int]], list[list[int]]]:
    """The ids of sources with the symbols around them, and of targets with the end symbol."""
    return (
        [source_tokenizer.frame_source(ids) for ids in source_tokenizer.encode_batch(sources)],
        [[*ids, tokenizer.eos_id] for ids in tokenizer.encode_batch(targets)],
    )


def encode_corpora(
    corpora: Sequence[Pairs],
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer | None,
    report: Report,
    *,
    with_links: bool = False,
) -> EncodedCorpora:
    """The ids of pairs: found in the cache, or made, and then stored where they are large.

    Args:
        with_links: also which tokens are aligned.

    Raises:
        DataError: texts that cannot be read, or no room in the cache.
    """
    reader = source_tokenizer or tokenizer

    def encode(chunk: Sequence[NumberedPair]) -> Sequence[Side]:
        sides = encode_sides([pair.source for pair in chunk], [pair.target for pair in chunk], tokenizer, reader)
        return [*sides, [token_links(pair, reader, tokenizer) for pair in chunk]] if with_links else sides

    sides = ("source", "target", "links") if with_links else ("source", "target")
    num_ids = 1 << 31 if with_links else max(len(tokenizer), len(reader))  # places of tokens are no ids
    return _encoded(corpora, sides, encode, (tokenizer, reader), (), num_ids, report)


def encode_texts(
    texts: Sequence[TextFile], tokenizer: Tokenizer, report: Report, *, limit: int | None = None
) -> EncodedCorpora:
    """The ids of lines, found or made as those of pairs: each ended by the end symbol, and so one stream for a language
    model.

    Args:
        limit: lines as examples of their own, with the begin symbol before each, cut to so many tokens.
    """

    def encode(chunk: Sequence[NumberedLine]) -> Sequence[Side]:
        rows = tokenizer.encode_batch([line.text for line in chunk])
        if limit is None:
            return [[[*row, tokenizer.eos_id] for row in rows]]
        return [[frame(row, tokenizer, limit) for row in rows]]

    parts = () if limit is None else (f"cut to {limit}",)
    return _encoded(texts, ("text",), encode, (tokenizer,), parts, len(tokenizer), report)


def encode_labels(
    texts: Sequence[LabelledData],
    tokenizer: Tokenizer,
    label_names: Sequence[str],
    limit: int,
    report: Report,
    *,
    by_word: bool,
    separators: int = 0,
) -> EncodedCorpora:
    """The ids of texts, found or made as those of pairs, cut to so many tokens; and their labels: each text's class, or a number
    for each id, the tag at a word's first.

    Args:
        label_names: all that occur.
        separators: how many end symbols stand between the two texts of a pair.
    """
    numbers = {name: number for number, name in enumerate(label_names, start=1)}  # 0 is none

    def encode(chunk: Sequence[LabelledLine]) -> Sequence[Side]:
        words = [line.words for line in chunk]
        if not by_word:
            rows, _ = encode_whole(words, tokenizer, limit, separators)
            return rows, [[numbers[line.labels[0]]] for line in chunk]
        rows, beginnings, _ = encode_words(words, tokenizer, limit)
        marks = [[0] * len(row) for row in rows]
        for row, line, begins in zip(marks, chunk, beginnings, strict=True):
            for label, begin in zip(line.labels, begins, strict=True):
                if begin >= 0:
                    row[begin] = numbers[label]
        return rows, marks

    parts = (f"cut to {limit}", f"by word {by_word}", f"separators {separators}", *label_names)
    num_ids = max(len(tokenizer), 1 + len(label_names))
    return _encoded(texts, ("text", "labels"), encode, (tokenizer,), parts, num_ids, report)


def _encoded(
    corpora: Corpora,
    sides: Sequence[str],
    encode: Callable[[Sequence[Any]], Sequence[Side]],
    tokenizers: Sequence[Tokenizer],
    other_parts: Sequence[str],
    num_ids: int,
    report: Report,
) -> EncodedCorpora:
    """All ids that `encode` makes of chunks, in memory or in files, and the key of all that they depend on."""
    parts = [str(FORMAT_VERSION), *(corpus.digest for corpus in corpora)]
    parts += [each.identity for each in tokenizers]
    key = _key([*parts, *other_parts])
    *lines_before, num_lines = itertools.accumulate((corpus.num_lines for corpus in corpora), initial=0)

    def pieces() -> Iterator[tuple[int, list[Any]]]:
        for part, corpus in enumerate(corpora):
            examples: Iterator[Any] = corpus.numbered()
            while piece := list(itertools.islice(examples, ENCODED_AT_ONCE)):
                yield part, piece

    def encoded(piece: tuple[int, list[Any]]) -> Chunk:
        part, examples = piece
        lines = [example.line for example in examples]
        return Chunk(part, lines, [Sequences.from_lists(side) for side in encode(examples)])

    def chunks() -> Iterator[Chunk]:
        for chunk in map_in_processes(encoded, pieces(), num_encoding_processes() if is_large(corpora) else 0):
            yield chunk
            report("encoding", lines_before[chunk.part] + chunk.lines[-1], num_lines)
        check_unchanged(corpora)  # before anything is stored

    if not is_large(corpora):
        return in_memory(key, chunks(), len(corpora), len(sides))
    names = [corpus.name for corpus in corpora]
    stored = in_files(key, chunks, names, sides, num_ids)
    check_unchanged(corpora)  # also where the ids were found: other lines may be held out
    return stored


def _cache_path(kind: str, parts: Sequence[str]) -> Path:
    """The file of the cache that keeps what was learnt of large corpora."""
    return cache_folder() / kind / f"{_key(parts)}.json"


def _cached_names(path: Path) -> list[str] | None:
    """The names that a file of the cache holds; None: the file is missing or damaged."""
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return names if isinstance(names, list) and names and all(isinstance(name, str) for name in names) else None


def _key(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:32]
