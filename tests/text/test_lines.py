import gzip
import hashlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from regard.errors import DataError
from regard.text import locks
from regard.text.lines import iterate_lines, measure_lines, read_lines, write_lines, write_whole


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("a\u2028b\nc\u0085d\x0be\x0cf\x1cg\nlast".encode())
    assert read_lines(path) == ["a\u2028b", "c\u0085d\x0be\x0cf\x1cg", "last"]


def test_blank_lines_stay() -> None:
    assert list(iterate_lines(io.BytesIO(b"a\n\n\nb\n"), "x")) == ["a", "", "", "b"]


def test_windows_files_lose_carriage_return_and_byte_order_mark() -> None:
    assert list(iterate_lines(io.BytesIO(b"\xef\xbb\xbfa\r\nb\r\n"), "x")) == ["a", "b"]


def test_invalid_utf8_is_named_by_file_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"fine\nM\xe4rz\n")
    with pytest.raises(DataError, match=r"latin\.txt, line 2: text must be UTF-8; got byte 0xe4 at column 2\."):
        read_lines(path)


def test_a_compressed_file_is_to_be_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    with pytest.raises(DataError, match=r"text\.gz must be text; got a compressed file\. Unpack it first: gunzip"):
        read_lines(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_of_windows_is_to_be_converted(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "wide"
    path.write_bytes("ab\ncd\n".encode(encoding))
    for read in (read_lines, lambda path: measure_lines(path, hashlib.sha256())):
        with pytest.raises(DataError, match=r"wide: text must be UTF-8; got UTF-16, .* iconv -f utf-16 -t utf-8"):
            read(path)
    path.write_text("a\nb\0\n")  # further on it may be a slip
    assert read_lines(path) == ["a", "b\0"]


def test_a_zero_byte_is_no_other_encoding(tmp_path: Path) -> None:
    path = tmp_path / "slip"
    for text in ("a\0b\nc\n", "\0", "one\0two\0\n"):
        path.write_text(text)
        assert read_lines(path) == text.removesuffix("\n").split("\n")
        assert measure_lines(path, hashlib.sha256()) == len(read_lines(path))
    path.write_bytes("a\nb\n".encode("utf-16-le"))
    with pytest.raises(DataError, match="got UTF-16"):
        read_lines(path)


def test_lines_that_end_otherwise_are_to_be_converted(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"a\rb\rc\r")
    with pytest.raises(DataError, match=r"old: lines must end with \\n; got \\r alone\. .* tr '\\r' '\\n'"):
        measure_lines(path, hashlib.sha256())
    path.write_bytes(b"a\rb\nc\r\n")  # inside of a line it may be anything
    assert measure_lines(path, hashlib.sha256()) == 2


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing must be a readable text file; got: No such file"):
        read_lines(tmp_path / "nothing")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    lines = ["", "ä\u2028b", "c "]
    write_lines(tmp_path / "out", lines)
    assert read_lines(tmp_path / "out") == lines


def test_a_failed_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(DataError, match=r"No space left on device\. Nothing was changed"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_whole("/dev/null", b"text")
    assert not Path("/dev/null").is_file()


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    """By the message that is ours, whatever else fails on the way out."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    for path, reason in (
        (tmp_path / "file" / "out", "Not a directory"),
        (tmp_path / "nowhere" / "out", "No such file or directory"),
        (tmp_path / ("n" * 300), "File name too long"),
        (tmp_path, "Is a directory"),
        (tmp_path / "loop", "a link that leads to itself|Too many levels of symbolic links"),
        (Path("/"), "Is a directory"),
    ):
        with pytest.raises(DataError, match=rf"must be writable; got: ({reason})\. Nothing was changed\."):
            write_whole(path, b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "loop"]


def test_a_folder_that_may_only_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither writing there works, nor removing what was not written."""

    def refused(*arguments: object, **named: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "open", refused)
    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(DataError, match=r"must be writable; got: Read-only file system\. Nothing was changed"):
        write_whole(tmp_path / "out", b"new")


@pytest.mark.parametrize("name", ["n" * 255, "ä" * 127, "a" + "字" * 84])
def test_the_longest_names_can_be_written(name: str, tmp_path: Path) -> None:
    write_whole(tmp_path / name, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    """When the same file is written again; what anybody else is still writing stays, and what is somebody's own."""
    code = (
        "import os, signal\n"
        "from regard.text.lines import write_whole\n"
        "def parts():\n"
        "    yield b'half'\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"write_whole({str(tmp_path / 'out')!r}, parts())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert [entry.name.split(".")[1] for entry in tmp_path.iterdir()] == ["out"]
    for own in (".out.part", ".out.mine.part", f".other.{'0af1' * 4}.part", f".out.{'0af1' * 4}.part.txt"):
        (tmp_path / own).touch()
    write_whole(tmp_path / "out", b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        f".other.{'0af1' * 4}.part",
        f".out.{'0af1' * 4}.part.txt",
        ".out.mine.part",
        ".out.part",
        "out",
    ]


def test_two_writers_at_once(tmp_path: Path) -> None:
    """Neither removes what the other is writing, and the last to end is the one that is read."""

    def parts() -> Iterator[bytes]:
        yield b"first "
        write_whole(tmp_path / "out", b"second")
        assert (tmp_path / "out").read_bytes() == b"second"
        yield b"last"

    write_whole(tmp_path / "out", parts())
    assert (tmp_path / "out").read_bytes() == b"first last"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_file_that_was_taken_for_left_behind_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making it and locking it, another writer may remove it."""
    lock, taken = locks.lock, []

    def late(descriptor: int) -> bool | None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        return lock(descriptor)

    monkeypatch.setattr(locks, "lock", late)
    write_whole(tmp_path / "out", b"new")
    assert (tmp_path / "out").read_bytes() == b"new"
    assert len(taken) == 1


def test_without_locks_what_is_a_day_old_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "lock", lambda descriptor: None)
    for name, age in (("0" * 16, 3600), ("1" * 16, 2 * 86_400)):
        path = tmp_path / f".out.{name}.part"
        path.touch()
        os.utime(path, (time.time() - age,) * 2)
    write_whole(tmp_path / "out", b"new")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [f".out.{'0' * 16}.part", "out"]
