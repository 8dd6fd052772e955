"""Each row has its answer, whatever fails, whoever works, and in whatever order the parts are done."""

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from regard.errors import DataError, RegardError, SettingsError
from regard.parts import part_files
from regard.parts.answers import ModelChoice
from regard.parts.collecting import check_target, collect
from regard.parts.estimating import estimate
from regard.parts.input_files import InputFile
from regard.parts.manifest import MANIFEST, Manifest, Work, check_input, divide, find_or_divide, folder_digest
from regard.parts.part_files import PartFiles, PartWork, Row, missing_parts, write_part
from regard.parts.part_numbers import part_numbers
from regard.parts.ray_cluster import _check_reachable
from regard.ray import Translate

WORK = Work(command="translate", version="1", models={"model": "0" * 64}, options={"beam_size": 5})
TEXTS = ["one", "two", "", "bad", "one", "two\u2028lines", "three", "one", "bad", "four"]


class Upper:
    """Answers in capitals, fails for `bad`, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[Row] = []

    def __call__(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        for row in rows:
            if row[0] == "bad":
                raise DataError("a text must not be bad.")
        self.asked += rows
        yield from (" ".join(row).upper() for row in rows)


def numbered(rows: Sequence[Row], first: int) -> Iterator[str]:
    """Answers that depend on the number of the row, as random choices do."""
    for number, row in enumerate(rows, start=first):
        if row[0] == "bad":
            raise DataError("a text must not be bad.")
        yield f"{number} {row[0]}"


@pytest.fixture
def file(tmp_path: Path) -> InputFile:
    (tmp_path / "in").write_text("".join(f"{text}\n" for text in TEXTS))
    return InputFile(tmp_path / "in")


def all_parts(folder: Path, manifest: Manifest, files: list[InputFile], answer: part_files.Answer, **how: bool) -> None:
    for number in missing_parts(folder, manifest, range(len(manifest.parts)), ".txt"):
        write_part(PartWork(folder, manifest, files, answer, ".txt", **how), number)


@pytest.mark.parametrize("num_parts", [1, 3, 12])
@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_each_row_has_its_answer(
    num_parts: int, chunk: int, file: InputFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_files, "CHUNK", chunk)
    monkeypatch.setattr(part_files, "MOST_REMEMBERED", 2)
    folder, joined = tmp_path / "out", tmp_path / "all"
    manifest = find_or_divide(folder, WORK, [file], num_parts)
    answer = Upper()
    all_parts(folder, manifest, [file], answer)
    found = collect(folder, manifest, joined, ".txt")
    assert joined.read_text() == "".join(f"{'' if text == 'bad' else text.upper()}\n" for text in TEXTS)
    assert (found.num_rows, found.num_errors) == (10, 2)
    assert [json.loads(line)["line"] for line in (folder / "errors.jsonl").read_text().splitlines()] == [4, 9]
    if num_parts == 1:
        assert found.num_repeated == len(TEXTS) - 2 - len(answer.asked) + (chunk == 100)


def test_an_equal_row_is_answered_once(file: InputFile, tmp_path: Path) -> None:
    manifest, answer = find_or_divide(tmp_path / "out", WORK, [file], 1), Upper()
    record = write_part(PartWork(tmp_path / "out", manifest, [file], answer, ".txt"), 0)
    assert sorted(answer.asked) == sorted({(text,) for text in TEXTS if text != "bad"})
    assert record.num_repeated == 3  # "one" twice, "bad" once


def test_random_choices_depend_on_the_number_of_the_row(file: InputFile, tmp_path: Path) -> None:
    file.path.write_bytes(file.path.read_bytes().replace(b"three", b"\xff"))
    for num_parts in (1, 2, 4):
        folder = tmp_path / str(num_parts)
        manifest = find_or_divide(folder, WORK, [file], num_parts)
        all_parts(folder, manifest, [file], numbered, is_repeatable=False)
        collect(folder, manifest, tmp_path / f"all{num_parts}", ".txt")
        assert (tmp_path / f"all{num_parts}").read_text().split("\n")[:-1] == [
            "" if text in ("bad", "three") else f"{number} {text}" for number, text in enumerate(TEXTS, start=1)
        ]


def test_several_files_are_divided_at_the_same_rows(file: InputFile, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("".join(f"{number}\n" for number in range(10)))
    files = [file, InputFile(tmp_path / "other")]
    manifest = find_or_divide(tmp_path / "out", WORK, files, 4)
    all_parts(tmp_path / "out", manifest, files, Upper())
    collect(tmp_path / "out", manifest, tmp_path / "all", ".txt")
    lines = (tmp_path / "all").read_text().split("\n")
    assert lines[0] == "ONE 0"
    assert lines[9] == "FOUR 9"


def test_an_answer_with_a_line_break_shifts_nothing(file: InputFile, tmp_path: Path) -> None:
    manifest = find_or_divide(tmp_path / "out", WORK, [file], 1)
    write_part(PartWork(tmp_path / "out", manifest, [file], lambda rows, _: ["a\r\nb\n"] * len(rows), ".txt"), 0)
    collect(tmp_path / "out", manifest, tmp_path / "all", ".txt")
    assert (tmp_path / "all").read_text() == "a b \n" * 10


@pytest.mark.parametrize(
    ("work", "num_parts", "content", "message"),
    [
        (WORK.model_copy(update={"options": {"beam_size": 4}}), 3, None, "beam_size is 5 there and 4 here"),
        (WORK.model_copy(update={"options": {"beam_size": 5, "seed": 2}}), 3, None, "seed is None there and 2 here"),
        (WORK.model_copy(update={"models": {"model": "1" * 64}}), 3, None, "the checksum of the model is 0000"),
        (WORK.model_copy(update={"version": "2"}), 3, None, "the version of Regard is 1 there and 2 here"),
        (WORK.model_copy(update={"command": "score"}), 3, None, "the command is translate there and score here"),
        (WORK, 4, None, "parts is 3 there and 4 here"),
        (WORK, 3, "other\n", "the size of input 1"),
    ],
)
def test_other_work_is_refused(
    work: Work, num_parts: int, content: str | None, message: str, file: InputFile, tmp_path: Path
) -> None:
    find_or_divide(tmp_path / "out", WORK, [file], 3)
    if content:
        file.path.write_text(content)
    with pytest.raises(DataError, match=f"must hold parts of the same work; got another one: {message}"):
        find_or_divide(tmp_path / "out", work, [file], num_parts)


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts.__setitem__(1, parts[0]),
        lambda parts: parts[0].update(first_row=-(10**40)),
        lambda parts: parts[0].update(num_rows=10**30),
        lambda parts: parts[0]["section_records"][0].update(start=-1),
        lambda parts: parts[1]["section_records"][0].update(start=10**30),
        lambda parts: parts[1]["section_records"][0].update(num_rows=1),
        lambda parts: parts[1].update(section_records=[]),
        lambda parts: parts[1].update(section_records=parts[1]["section_records"] * 2),
        lambda parts: parts.pop(0),
    ],
)
def test_a_manifest_changed_by_hand_is_refused(
    change: Callable[[list[dict[str, object]]], object], file: InputFile, tmp_path: Path
) -> None:
    find_or_divide(tmp_path / "out", WORK, [file], 2)
    content = json.loads((tmp_path / "out" / MANIFEST).read_text())
    change(content["parts"])
    (tmp_path / "out" / MANIFEST).write_text(json.dumps(content))
    with pytest.raises(DataError, match="must be a manifest of parts"):
        find_or_divide(tmp_path / "out", WORK, [file], 2)


def test_another_input_of_the_same_size_is_found(file: InputFile, tmp_path: Path) -> None:
    (tmp_path / "same").write_bytes(file.path.read_bytes())
    manifest = find_or_divide(tmp_path / "out", WORK, [file], 3)
    check_input(manifest, [InputFile(tmp_path / "same")], range(3))
    (tmp_path / "same").write_bytes(file.path.read_bytes().replace(b"three", b"seven"))
    for numbers in (range(3), range(1, 3)):
        with pytest.raises(DataError, match="it has changed, or differs on this machine"):
            check_input(manifest, [InputFile(tmp_path / "same")], numbers)
    check_input(manifest, [InputFile(tmp_path / "same")], range(1))


def test_a_joined_file_replaces_nothing_that_it_is_made_from(file: InputFile, tmp_path: Path) -> None:
    for target in (file.path, tmp_path / "out" / MANIFEST, tmp_path / "out" / "x" / ".." / "all", Path("-")):
        with pytest.raises(DataError, match="--collect must be a file of its own"):
            check_target(target, tmp_path / "out", [file])
    check_target(tmp_path / "all", tmp_path / "out", [file])


def test_lost_errors_are_found_before_anything_is_written(file: InputFile, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    manifest = find_or_divide(folder, WORK, [file], 1)
    all_parts(folder, manifest, [file], Upper())
    errors = PartFiles.of(folder, 0, ".txt").errors
    whole = errors.read_text()
    errors.write_text(whole.split("\n")[0] + "\n")
    with pytest.raises(DataError, match=r"must have 2 errors; it has changed\. Run part 0 again"):
        collect(folder, manifest, tmp_path / "all", ".txt")
    errors.unlink()
    with pytest.raises(DataError, match=r"errors\.jsonl must be a readable file"):
        collect(folder, manifest, tmp_path / "all", ".txt")
    assert not (tmp_path / "all").exists()


def test_an_estimate_is_of_the_whole_input_and_survives_bad_rows(tmp_path: Path) -> None:
    (tmp_path / "many").write_text("".join(f"{'bad' if n % 5 == 0 else n}\n" for n in range(3100)))
    file, asked = InputFile(tmp_path / "many"), list[str]()

    def answer(rows: Sequence[Row], first: int) -> Iterator[str]:
        if any(row[0] == "bad" for row in rows):
            raise DataError("a text must not be bad.")
        asked.extend(row[0] for row in rows)
        yield from ("x" for _ in rows)

    found = estimate(divide(WORK, [file], 31), [file], answer)
    assert found.seconds == 3100 / found.rows_per_second
    assert max(map(int, asked)) > 2800
    (tmp_path / "many").write_text("bad\n" * 9)
    with pytest.raises(DataError, match="none of 9 lines could be answered: a text must not be bad"):
        estimate(divide(WORK, [file], 2), [file], answer)


def test_a_folder_of_something_else_is_not_touched(file: InputFile, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"must be new or empty, or hold a manifest\.json; got a folder with in"):
        find_or_divide(tmp_path, WORK, [file], 3)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    (tmp_path / "out").mkdir()
    for damaged in ("", "{}", '{"format_version": 1}', "[" * 9999):
        (tmp_path / "out" / MANIFEST).write_text(damaged)
        with pytest.raises(DataError, match="must be a manifest of parts"):
            find_or_divide(tmp_path / "out", WORK, [file], 3)


def test_a_full_disk_leaves_nothing_and_the_next_try_goes_on(
    file: InputFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    manifest = find_or_divide(folder, WORK, [file], 2)
    write_part(PartWork(folder, manifest, [file], Upper(), ".txt"), 0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(DataError, match=r"part-000001\.txt must be writable; got: No space left on device"):
            write_part(PartWork(folder, manifest, [file], Upper(), ".txt"), 1)
    assert not [path.name for path in folder.iterdir() if "1." in path.name or path.name.startswith(".")]
    assert missing_parts(folder, manifest, range(2), ".txt") == [1]
    with pytest.raises(DataError, match=r"all 2 parts must be done before they are joined; missing in .*: 1"):
        collect(folder, manifest, tmp_path / "all", ".txt")
    all_parts(folder, manifest, [file], Upper())
    assert collect(folder, manifest, tmp_path / "all", ".txt").num_rows == 10


def test_joining_finds_what_was_changed(file: InputFile, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    manifest = find_or_divide(folder, WORK, [file], 2)
    all_parts(folder, manifest, [file], Upper())
    answers = PartFiles.of(folder, 1, ".txt").answers
    answers.write_text(answers.read_text().replace("F", "G"))
    with pytest.raises(DataError, match="must be what was written; it has changed"):
        collect(folder, manifest, tmp_path / "all", ".txt")
    assert not (tmp_path / "all").exists()
    answers.write_text("short\n")  # of another size: the part counts as missing
    assert missing_parts(folder, manifest, range(2), ".txt") == [1]


def _work(folder: Path, path: Path) -> None:
    file = InputFile(path)
    manifest = find_or_divide(folder, WORK, [file], 4)
    all_parts(folder, manifest, [file], Upper())


def test_processes_that_begin_at_once(file: InputFile, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for round in range(5):
        folder = tmp_path / f"out{round}"
        workers = [context.Process(target=_work, args=(folder, file.path)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0] * 4
    manifest = find_or_divide(folder, WORK, [file], 4)
    assert collect(folder, manifest, tmp_path / "all", ".txt").num_rows == 10
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_the_checksum_of_a_folder(tmp_path: Path) -> None:
    for name, content in (("config.json", "{}"), ("model.safetensors", "x"), ("README.md", "a"), (".hidden", "b")):
        (tmp_path / name).write_text(content)
    before = folder_digest(tmp_path)
    with pytest.raises(DataError, match="must be a readable model folder; got: No such file"):
        folder_digest(tmp_path / "nothing")
    (tmp_path / "README.md").write_text("c")
    (tmp_path / ".hidden").write_text("d")
    assert folder_digest(tmp_path) == before
    (tmp_path / "model.safetensors").write_text("y")
    assert folder_digest(tmp_path) != before


@pytest.mark.parametrize(
    ("asked", "environment", "expected"),
    [
        (None, {}, range(256)),
        ("7", {"SLURM_ARRAY_TASK_ID": "3"}, range(7, 8)),
        ("16-31", {}, range(16, 32)),
        (None, {"SLURM_ARRAY_TASK_ID": "32", "SLURM_ARRAY_TASK_STEP": "16"}, range(32, 48)),
        (None, {"SLURM_ARRAY_TASK_ID": "250", "SLURM_ARRAY_TASK_STEP": "10"}, range(250, 256)),
        (None, {"JOB_COMPLETION_INDEX": "255"}, range(255, 256)),
        (None, {"AWS_BATCH_JOB_ARRAY_INDEX": "0"}, range(1)),
    ],
)
def test_the_parts_of_a_process(asked: str | None, environment: dict[str, str], expected: range) -> None:
    numbers, variable = part_numbers(asked, 256, environment)
    assert numbers == expected
    assert (variable in environment) == (asked is None and bool(environment))


@pytest.mark.parametrize(
    ("asked", "environment", "message"),
    [
        ("256", {}, r"--part must be from 0 to 255"),
        ("9-3", {}, r"--part must be from 0 to 255"),
        ("-1", {}, r"--part must be a number or a range"),
        ("1,2", {}, r"--part must be a number or a range"),
        (None, {"SLURM_ARRAY_TASK_ID": "256"}, r"SLURM_ARRAY_TASK_ID must be from 0 to 255"),
        (None, {"JOB_COMPLETION_INDEX": ""}, r"JOB_COMPLETION_INDEX must be from 0 to 255"),
    ],
)
def test_parts_that_do_not_exist(asked: str | None, environment: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        part_numbers(asked, 256, environment)


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "nowhere", "127.0.0.1:x", "ray://127.0.0.1:1", "127.0.0.1:99999999"]
)
def test_a_cluster_that_is_not_there(address: str) -> None:
    with pytest.raises(DataError, match="must be auto, local or host:port of a cluster that can be reached; got"):
        _check_reachable(address)


@pytest.mark.parametrize(
    ("given", "batch", "message"),
    [
        ({"output": "source"}, None, "columns must have different names"),
        ({"n_best": 2}, None, "one translation of each text; remove `n_best`"),
        ({"alignment": True}, None, "gives texts alone; remove `alignment`"),
        ({"method": "sample"}, None, "needs `method=beam`"),
        ({"beam_sise": 2}, None, "beam_sise"),
        ({}, {"text": ["a"]}, "column must be one of the rows': text; got source"),
        (
            {},
            {"source": ["a"], "translation": ["b"]},
            "output and errors must be new columns; the rows have translation",
        ),
        ({}, {"source": [1]}, "source must be a column of texts; got 1"),
        ({}, 5, "needs `batch_format"),
    ],
)
def test_batches_of_ray_that_cannot_be_translated(
    given: dict[str, object], batch: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelChoice, "load", lambda *_: None)
    with pytest.raises(RegardError, match=message):
        Translate("m", **given)(batch)
