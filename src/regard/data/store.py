"""The store of encoded corpora: in memory, or in memory-mapped files that the next run finds again.

A stored corpus is a folder `<key>` in the cache: for each side (`source` and `target`; or `text`, and its `labels` where it
has them) `<side>.ids` and `<side>.offsets`, `lines` (arrays, one number after the other), and `about.json`. It is written
aside, synced and renamed, so that a folder that is there is whole.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from regard.data.sequences import EncodedPairs, EncodedTexts, Sequences
from regard.errors import DataError
from regard.text.lines import digest_of

FORMAT_VERSION = 1
CACHE_VARIABLE = "REGARD_CACHE"
ABANDONED_AFTER = 24 * 3600
"""Seconds without a write after which a temporary folder counts as abandoned."""


class Chunk(NamedTuple):
    """Some examples of one corpus."""

    part: int
    """The number of the corpus, from 0."""
    lines: Sequence[int]
    """The line of each example, counted from 1."""
    sides: Sequence[Sequences]
    """The ids of these examples: sources and targets of pairs, texts and their labels, or texts alone."""


@dataclass(frozen=True)
class EncodedCorpora:
    """Corpora as ids, one after the other."""

    digest: str
    """A checksum of everything that the ids depend on."""
    sides: tuple[Sequences, ...]
    """Sources and targets of pairs, texts and their labels, or texts alone."""
    lines: np.ndarray
    """The line of each example in its own corpus, counted from 1."""
    part_sizes: tuple[int, ...]
    """The number of examples of each corpus."""

    @property
    def pairs(self) -> EncodedPairs:
        """Sources and targets."""
        sources, targets, *links = self.sides
        return EncodedPairs(sources, targets, links=links[0] if links else None)

    @property
    def texts(self) -> Sequences:
        """The lines of texts without another side."""
        (texts,) = self.sides
        return texts

    def labelled(self, *, by_word: bool) -> EncodedTexts:
        """Texts and their labels."""
        ids, labels = self.sides
        return EncodedTexts(ids, labels, by_word)

    def location(self, index: int, names: Sequence[str]) -> str:
        """The file and line of a pair or text, for messages."""
        part = int(np.searchsorted(np.cumsum(self.part_sizes), index, side="right"))
        return f"line {self.lines[index]} of {names[part]}"


def cache_folder() -> Path:
    """The cache folder: `$REGARD_CACHE`, or `regard` in the system's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regard"


def make_folder(folder: Path) -> None:
    """Make a folder of the cache.

    Raises:
        DataError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_room(folder, error) from error


def in_memory(key: str, chunks: Iterable[Chunk], num_parts: int, num_sides: int) -> EncodedCorpora:
    """Examples as arrays."""
    ids = [[np.empty(0, dtype=np.int32)] for _ in range(num_sides)]
    lengths = [[np.zeros(1, dtype=np.int64)] for _ in range(num_sides)]
    lines: list[int] = []
    sizes = [0] * num_parts
    for chunk in chunks:
        for side, rows in enumerate(chunk.sides):
            ids[side].append(rows.ids)
            lengths[side].append(rows.lengths)
        lines += chunk.lines
        sizes[chunk.part] += len(chunk.lines)
    sides = (
        Sequences(np.concatenate(each), np.cumsum(np.concatenate(length)))
        for each, length in zip(ids, lengths, strict=True)
    )
    return EncodedCorpora(key, tuple(sides), np.array(lines, dtype=np.int64), tuple(sizes))


def in_files(
    key: str, chunks: Callable[[], Iterable[Chunk]], part_names: Sequence[str], sides: Sequence[str], num_ids: int
) -> EncodedCorpora:
    """Examples as memory maps: of files that are found by their key, or made.

    Args:
        key: a checksum of everything that the ids depend on.
        chunks: makes them.
        sides: what they are called in the names of files.
        num_ids: how many different ids there may be; they count from 0.
    Raises:
        DataError: no room in the cache.
    """
    folder = cache_folder() / "corpora" / key
    if not _is_whole(folder):
        shutil.rmtree(folder, ignore_errors=True)
        _remove_abandoned(folder.parent)
        # A random name: a process on another machine that shares the disk may have the same process id.
        aside = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}.part")
        try:
            make_folder(aside)
            dtype = np.dtype(np.uint16 if num_ids <= 1 << 16 else np.int32)
            sizes, digests = _write(aside, chunks(), len(part_names), sides, dtype)
            written = {path.name: path.stat().st_size for path in aside.iterdir()}
            about = {"format_version": FORMAT_VERSION, "dtype": dtype.name, "part_sizes": sizes, "bytes": written,
                     "sha256": digests, "names": list(part_names)}  # fmt: skip
            (aside / "about.json").write_text(json.dumps(about, indent=2), encoding="utf-8")
            aside.rename(folder)
        except OSError as error:
            if not _is_whole(folder):  # else another run has stored the same in the meantime
                raise _no_room(folder.parent, error) from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return _open(folder, sides)


def _remove_abandoned(folder: Path) -> None:
    """Remove temporary folders of killed runs, a day after the last write."""
    for aside in folder.glob(".*.part"):
        with suppress(OSError):  # another run may have removed it, or be done with it
            newest = max(path.stat().st_mtime for path in (aside, *aside.iterdir()))
            if time.time() - newest > ABANDONED_AFTER:
                shutil.rmtree(aside, ignore_errors=True)


def _write(
    folder: Path, chunks: Iterable[Chunk], num_parts: int, sides: Sequence[str], dtype: np.dtype[np.generic]
) -> tuple[list[int], dict[str, str]]:
    """Write the files of a folder but for its record; the number of examples of each corpus, and the checksum of each file."""
    sizes, ends = [0] * num_parts, [0] * len(sides)
    names = [*(f"{side}.{kind}" for side in sides for kind in ("ids", "offsets")), "lines"]
    with ExitStack() as stack:
        streams = {name: stack.enter_context((folder / name).open("wb")) for name in names}
        digests = {name: hashlib.sha256() for name in names}

        def write(name: str, numbers: np.ndarray) -> None:
            content = numbers.tobytes()
            streams[name].write(content)
            digests[name].update(content)

        for side in sides:
            write(f"{side}.offsets", np.zeros(1, dtype=np.int64))
        for chunk in chunks:
            for number, (side, rows) in enumerate(zip(sides, chunk.sides, strict=True)):
                write(f"{side}.ids", rows.ids.astype(dtype))
                write(f"{side}.offsets", ends[number] + rows.offsets[1:])
                ends[number] += int(rows.offsets[-1])
            write("lines", np.array(chunk.lines, dtype=np.int64))
            sizes[chunk.part] += len(chunk.lines)
        for stream in streams.values():  # on the disk before its name is: a power cut would leave zeros
            stream.flush()
            os.fsync(stream.fileno())
    return sizes, {name: digest.hexdigest() for name, digest in digests.items()}


def _is_whole(folder: Path) -> bool:
    """Whether a stored corpus is there, with files of the sizes and checksums that were written."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        if about["format_version"] != FORMAT_VERSION or not {"dtype", "part_sizes"} <= about.keys():
            return False
        if any((folder / name).stat().st_size != size for name, size in about["bytes"].items()):
            return False
        digests = about.get("sha256", {})  # folders that were written before 27 November 2026 have none
        return all(digest_of(folder / name) == digest for name, digest in digests.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _open(folder: Path, sides: Sequence[str]) -> EncodedCorpora:
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    found = []
    for side in sides:
        ids, ids_map = _mapped(folder / f"{side}.ids", about["dtype"])
        offsets, offsets_map = _mapped(folder / f"{side}.offsets", "int64")
        found.append(Sequences(ids, offsets, release=_releaser(ids_map, offsets_map)))
    lines, _ = _mapped(folder / "lines", "int64")
    return EncodedCorpora(folder.name, tuple(found), lines, tuple(about["part_sizes"]))


def _mapped(path: Path, dtype: str) -> tuple[np.ndarray, mmap.mmap | None]:
    """The numbers of a file. A plain array over a map: each slice of a `np.memmap` would cost microseconds."""
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype), None
    with path.open("rb") as stream:
        pages = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(pages, dtype=dtype), pages


def _releaser(*maps: mmap.mmap | None) -> Callable[[], None]:
    """A function that gives back what was read of some maps: the pages stay in the system's cache as long as there is
    room.
    """

    def release() -> None:
        for pages in maps:
            if pages is not None and hasattr(mmap, "MADV_DONTNEED"):
                pages.madvise(mmap.MADV_DONTNEED)

    return release


def _no_room(folder: Path, error: OSError) -> DataError:
    return DataError(
        f"{folder} must be writable, with room for the ids of large corpora; got: {error.strerror}. To use another "
        f"folder, set the variable {CACHE_VARIABLE}."
    )
