"""Corpora as ids, made once: in memory where they are small, else in memory-mapped files that the next run finds again.

A stored corpus is a folder `<key>` in the cache: `source.ids`, `source.offsets`, `target.ids`, `target.offsets`, `lines`
(arrays, one number after the other), and `about.json`. The key is a checksum of everything that the ids depend on: the
texts, the tokenizers, what is left out. It is written aside and renamed, so that a folder that is there is whole.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from regard.data.batching import EncodedPairs, Sequences, encode_sides
from regard.data.corpus import NumberedPair, Pairs
from regard.errors import DataError
from regard.text.tokenizer import Tokenizer, TokenizerConfig

FORMAT_VERSION = 1
LARGE_BYTES = 1 << 26
"""Corpora of more than 64 MiB of text are stored."""
ENCODED_AT_ONCE = 4096
SIDES = ("source", "target")
CACHE_VARIABLE = "REGARD_CACHE"

Report = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class EncodedCorpora:
    """Corpora as ids, one after the other."""

    pairs: EncodedPairs
    lines: np.ndarray
    """The line of each pair in its own corpus, counted from 1."""
    part_sizes: tuple[int, ...]
    """How many pairs each corpus has."""
    digest: str
    """Of all that the ids depend on."""

    def place(self, index: int, names: Sequence[str]) -> str:
        """Where a pair stands, in words."""
        part = int(np.searchsorted(np.cumsum(self.part_sizes), index, side="right"))
        return f"line {self.lines[index]} of {names[part]}"


def cache_folder() -> Path:
    """Where things are kept that can be made again: `$REGARD_CACHE`, else a folder `regard` where the system keeps such."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regard"


def is_large(corpora: Sequence[Pairs]) -> bool:
    """Whether their ids are stored."""
    return sum(corpus.num_bytes for corpus in corpora) > LARGE_BYTES


def learn_tokenizer(
    corpora: Sequence[Pairs], sides: Sequence[str], config: TokenizerConfig, report: Report
) -> Tokenizer:
    """The tokenizer of one side or both, learnt from at most `config.max_lines` lines of each, evenly spread.

    Of large corpora, it is kept in the cache.
    """
    path = None
    if is_large(corpora):
        parts = [*(corpus.digest for corpus in corpora), ",".join(sides), config.model_dump_json()]
        path = cache_folder() / "tokenizers" / f"{_key(parts)}.json"
        if path.is_file():
            return Tokenizer.load(path)
    num_lines = sum(corpus.num_lines for corpus in corpora)
    every = -(-num_lines // config.max_lines)

    def lines() -> Iterator[str]:
        # One side after the other, as the first of two equally frequent pairs becomes a token.
        for side in sides:
            for corpus in corpora:
                for done, pair in enumerate(itertools.islice(corpus.numbered(), 0, None, every), start=1):
                    if done % ENCODED_AT_ONCE == 0:
                        report("learning the vocabulary", done * every, num_lines)
                    yield getattr(pair, side)

    tokenizer = Tokenizer.train(lines(), config)
    if path is not None:
        _make_folder(path.parent)
        tokenizer.save(path)
    return tokenizer


def encode_corpora(
    corpora: Sequence[Pairs], tokenizer: Tokenizer, source_tokenizer: Tokenizer | None, report: Report
) -> EncodedCorpora:
    """The ids of corpora: found in the cache, or made, and then stored where they are large.

    Raises:
        DataError: texts that cannot be read, or no room in the cache.
    """
    reader = source_tokenizer or tokenizer
    parts = [str(FORMAT_VERSION), *(corpus.digest for corpus in corpora)]
    parts += [each.backend_json + each.symbols.model_dump_json() for each in (tokenizer, reader)]
    key = _key(parts)
    if not is_large(corpora):
        writer = _InMemory()
        sizes = _encode(corpora, tokenizer, reader, writer, report)
        source, target = (_sequences(np.concatenate(writer.ids[side]), writer.lengths[side]) for side in SIDES)
        return EncodedCorpora(EncodedPairs(source, target), np.array(writer.lines, dtype=np.int64), sizes, key)
    folder = cache_folder() / "corpora" / key
    if not _is_whole(folder):
        shutil.rmtree(folder, ignore_errors=True)
        _store(corpora, tokenizer, reader, folder, report)
    return _open(folder, key)


class _InMemory:
    """Keeps ids as arrays."""

    def __init__(self) -> None:
        self.ids: dict[str, list[np.ndarray]] = {side: [np.empty(0, dtype=np.int32)] for side in SIDES}
        self.lengths: dict[str, list[int]] = {side: [] for side in SIDES}
        self.lines: list[int] = []

    def add(self, side: str, rows: Sequence[Sequence[int]]) -> None:
        self.lengths[side] += map(len, rows)
        self.ids[side].append(np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int32))

    def add_lines(self, lines: Sequence[int]) -> None:
        self.lines += lines


@dataclass
class _InFiles:
    """Writes ids to files."""

    ids: dict[str, BinaryIO]
    offsets: dict[str, BinaryIO]
    lines: BinaryIO
    dtype: np.dtype[np.generic]
    ends: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIDES, 0))

    def add(self, side: str, rows: Sequence[Sequence[int]]) -> None:
        self.ids[side].write(np.fromiter(itertools.chain.from_iterable(rows), dtype=self.dtype).tobytes())
        ends = self.ends[side] + np.cumsum([len(row) for row in rows], dtype=np.int64)
        self.offsets[side].write(ends.tobytes())
        self.ends[side] = int(ends[-1])

    def add_lines(self, lines: Sequence[int]) -> None:
        self.lines.write(np.array(lines, dtype=np.int64).tobytes())


def _encode(
    corpora: Sequence[Pairs], tokenizer: Tokenizer, reader: Tokenizer, writer: _InMemory | _InFiles, report: Report
) -> tuple[int, ...]:
    """Hand all ids to a writer; how many pairs each corpus has."""
    num_lines, before, sizes = sum(corpus.num_lines for corpus in corpora), 0, []
    for corpus in corpora:
        size, pairs = 0, corpus.numbered()
        while chunk := list(itertools.islice(pairs, ENCODED_AT_ONCE)):
            _add(chunk, tokenizer, reader, writer)
            size += len(chunk)
            report("encoding", before + chunk[-1].line, num_lines)
        sizes.append(size)
        before += corpus.num_lines
    return tuple(sizes)


def _add(chunk: Sequence[NumberedPair], tokenizer: Tokenizer, reader: Tokenizer, writer: _InMemory | _InFiles) -> None:
    lines, sources, targets = zip(*chunk, strict=True)
    for side, rows in zip(SIDES, encode_sides(sources, targets, tokenizer, reader), strict=True):
        writer.add(side, rows)
    writer.add_lines(lines)


def _store(corpora: Sequence[Pairs], tokenizer: Tokenizer, reader: Tokenizer, folder: Path, report: Report) -> None:
    """Write the folder of some corpora, whole or not at all."""
    dtype = np.dtype(np.uint16 if max(len(tokenizer), len(reader)) <= 1 << 16 else np.int32)
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        _make_folder(aside)
        names = [f"{side}.{what}" for side in SIDES for what in ("ids", "offsets")] + ["lines"]
        files: dict[str, BinaryIO] = {name: (aside / name).open("wb") for name in names}
        try:
            ids, offsets = ({side: files[f"{side}.{what}"] for side in SIDES} for what in ("ids", "offsets"))
            for stream in offsets.values():
                stream.write(np.zeros(1, dtype=np.int64).tobytes())
            sizes = _encode(corpora, tokenizer, reader, _InFiles(ids, offsets, files["lines"], dtype), report)
        finally:
            for stream in files.values():
                stream.close()
        lengths = {name: (aside / name).stat().st_size for name in names}
        about = {"format_version": FORMAT_VERSION, "dtype": dtype.name, "part_sizes": sizes, "bytes": lengths,
                 "names": [corpus.name for corpus in corpora]}  # fmt: skip
        (aside / "about.json").write_text(json.dumps(about, indent=2), encoding="utf-8")
        aside.rename(folder)
    except OSError as error:
        if not _is_whole(folder):  # else another run has stored the same in the meantime
            raise _no_room(folder.parent, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _is_whole(folder: Path) -> bool:
    """Whether a stored corpus is there, with files of the sizes that were written."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        return bool(about["format_version"] == FORMAT_VERSION) and all(
            (folder / name).stat().st_size == size for name, size in about["bytes"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _open(folder: Path, key: str) -> EncodedCorpora:
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    maps: list[mmap.mmap] = []
    source, target = (
        Sequences(
            _mapped(folder / f"{side}.ids", about["dtype"], maps), _mapped(folder / f"{side}.offsets", "int64", maps)
        )
        for side in SIDES
    )

    def release() -> None:
        for each in maps:
            each.madvise(mmap.MADV_DONTNEED)  # the pages stay in the system's cache as long as there is room

    lines = _mapped(folder / "lines", "int64", maps)
    pairs = EncodedPairs(source, target, release=release if hasattr(mmap, "MADV_DONTNEED") else lambda: None)
    return EncodedCorpora(pairs, lines, tuple(about["part_sizes"]), key)


def _mapped(path: Path, dtype: str, maps: list[mmap.mmap]) -> np.ndarray:
    """The numbers of a file. A plain array over a map: each slice of a `np.memmap` would cost microseconds."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    with path.open("rb") as stream:
        maps.append(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    return np.frombuffer(maps[-1], dtype=dtype)


def _sequences(ids: np.ndarray, lengths: Sequence[int]) -> Sequences:
    return Sequences(ids, np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_room(folder, error) from error


def _no_room(folder: Path, error: OSError) -> DataError:
    return DataError(
        f"{folder} must be writable, with room for the ids of large corpora; got: {error.strerror}. Another folder can be "
        f"named with the variable {CACHE_VARIABLE}."
    )


def _key(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:32]
