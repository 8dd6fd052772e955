"""The options of commands that answer a large input in parts, and what they do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.option_types import Command, given, refuse_given, with_options
from regard.cli.output import echo, log
from regard.errors import DataError, SettingsError
from regard.names import is_file
from regard.version import __version__

if TYPE_CHECKING:
    from regard.parts.answers import RowAnswers
    from regard.parts.evaluating import EvaluatedRows
    from regard.parts.input_files import InputFile
    from regard.parts.manifest import Manifest
    from regard.parts.part_files import PartRecord, PartWork


@dataclass(frozen=True)
class PartOptions:
    """The options of a command about parts."""

    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="With --parts: the folder to write.", metavar="FOLDER")
    ] = None
    parts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000,
            help="Divide the input into this many parts; each is a file in the folder -o.",
            metavar="N",
        ),
    ] = None
    part: Annotated[
        str | None,
        typer.Option(
            help="Answer this part, counted from 0, or a range such as 16-31; by default what Slurm, Kubernetes or AWS "
            "Batch says, otherwise all.",
            metavar="I[-J]",
        ),
    ] = None
    column: Annotated[
        str | None,
        typer.Option(
            help="With --parts: the column of a .tsv (from 1; several: 2-3), or the key of a .jsonl or .parquet."
        ),
    ] = None
    collect: Path | bool | None = None
    """The file that `Collect` names; of `evaluate`, whether scores are asked for."""
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="With --parts: measure on some lines what all would take, and write nothing."),
    ] = False
    ray: Annotated[
        str | None,
        typer.Option(help="With --parts: answer on a cluster of Ray: auto, local or an address.", metavar="ADDRESS"),
    ] = None

    @property
    def num_parts(self) -> int:
        """The number of parts."""
        assert self.parts is not None
        return self.parts

    def checked(self) -> PartOptions | None:
        """The options; None: the input is not divided.

        Raises:
            SettingsError: options that do not go together.
        """
        if self.parts is None:
            refuse_given("folder", "part", "column", "collect", "dry_run", "ray", because="without `--parts`")
            return None
        if self.collect:
            refuse_given("part", "dry_run", "ray", because="with `--collect`, which joins the parts that are done")
        if self.dry_run:
            refuse_given("part", because="with `--dry-run`, which measures all parts")
            refuse_given("ray", because="with `--dry-run`, which measures this machine")
        return self


Collect = Annotated[
    Path | None, typer.Option(help="With --parts: join all parts, once they are done, to this file.", metavar="FILE")
]
CollectScores = Annotated[
    bool,
    typer.Option("--collect", help="With --parts: print the scores of all parts together, once they are done."),
]


def divisible(*without: str, collect: Any = Collect) -> Callable[[Command], Command]:
    """A decorator that gives a command the options about parts. It gets them as `in_parts`, None where there are none.

    Args:
        without: the names of options that the command does not have.
        collect: the type of `--collect`.
    """
    options = [
        each.replace(annotation=collect) if name == "collect" else each
        for name, each in signature(PartOptions, eval_str=True).parameters.items()
        if name not in without
    ]
    return partial(with_options, "in_parts", options, lambda **found: PartOptions(**found).checked())


def answer_in_parts(
    command: str, answer: RowAnswers, files: Sequence[InputFile], options: PartOptions
) -> dict[str, Any] | None:
    """Do what the options ask for: answer the parts that are missing, join all, or estimate the cost.

    Returns:
        The scores, where all parts of an evaluation are joined.
    Raises:
        SettingsError: no folder is given, or parts that do not exist.
        DataError: as for `find_or_divide`, `write_part` and `collect`.
    """
    from regard.parts.collecting import check_target, collect
    from regard.parts.evaluating import EvaluatedRows
    from regard.parts.manifest import MANIFEST, Work, check_input, divide, find, find_or_divide
    from regard.parts.part_files import PartWork
    from regard.runs.progress import clock

    work = Work(command=command, version=__version__, models=answer.model.digests(), options=answer.options())
    if options.dry_run:
        _estimate(divide(work, files, options.num_parts), files, answer)
        return None
    if (folder := options.folder) is None:
        raise SettingsError("`--parts` needs `-o FOLDER`, where each part is a file.")
    ending = f"{answer.ending}{files[0].packing}"
    if not options.collect:
        if not is_file(folder / MANIFEST):
            answer.try_out(len(files))
        manifest = find_or_divide(folder, work, files, options.num_parts)
        _answer_missing(PartWork(folder, manifest, files, answer, ending, answer.is_repeatable), options)
        return None
    if isinstance(options.collect, Path):
        check_target(options.collect, folder, files)
    manifest = find(folder, work, files, options.num_parts)
    check_input(manifest, files, range(options.num_parts))
    if not isinstance(options.collect, Path):
        assert isinstance(answer, EvaluatedRows)
        return _scores(folder, manifest, answer, ending)
    found = collect(folder, manifest, options.collect, ending)
    errors = (
        f"{found.num_errors:,} could not be answered (errors.jsonl)" if found.num_errors else "none without an answer"
    )
    log(
        f"{options.collect}: {found.num_rows:,} lines in, {found.num_rows:,} lines out, in order; {errors}; "
        f"{found.num_repeated:,} equal to an earlier one"
    )
    log(f"sha256 {found.sha256}; all parts together took {clock(found.seconds)}")
    return None


def _scores(folder: Path, manifest: Manifest, answer: EvaluatedRows, ending: str) -> dict[str, Any]:
    """The scores of all parts together.

    Raises:
        DataError: as for `join`, or rows without which the others cannot be measured.
    """
    from regard.parts.collecting import ERRORS, join
    from regard.runs.progress import clock

    results: dict[str, Any] = {}

    def measure(parts: Iterator[Iterator[bytes]]) -> None:
        lines = (line for part in parts for line in list(part))  # a part is checked before it is read as JSON
        results.update(answer.results((json.loads(line) for line in lines if line.strip()), log))

    found = join(folder, manifest, ending, measure)
    if found.num_errors:
        left_out = f"{found.num_errors:,} of {found.num_rows:,} lines could not be measured ({folder / ERRORS})"
        if not answer.leaves_out:
            raise DataError(f"{left_out}: a text is measured as a whole. Mend them, and begin again in another folder.")
        log(f"{left_out}; the scores are those of the others")
        results["num_errors"] = found.num_errors
    log(f"{folder}: {found.num_rows:,} lines in, each answered once; all parts together took {clock(found.seconds)}")
    return results


def _answer_missing(work: PartWork, options: PartOptions) -> None:
    """Answer the chosen parts that are not done."""
    import torch

    from regard.parts.manifest import check_input
    from regard.parts.part_files import missing_parts, write_part
    from regard.parts.part_numbers import part_numbers
    from regard.parts.ray_cluster import answer_on_cluster
    from regard.runs.progress import RunDisplay

    folder, manifest = work.folder, work.manifest
    chosen, variable = part_numbers(options.part, len(manifest.parts), os.environ)
    missing = missing_parts(folder, manifest, chosen, work.ending)
    if variable:
        log(f"{variable} chooses {_named(chosen)} of {len(manifest.parts):,}")
    if not missing:
        check_input(manifest, work.files, chosen)
        log(f"{folder}: {_named(chosen)} of {len(manifest.parts):,} {'is' if len(chosen) == 1 else 'are'} done already")
        return
    done, total = 0, sum(manifest.parts[number].num_rows for number in missing)
    with RunDisplay() as display:
        display.on_sentences(0, total)

        def count(more: int) -> None:
            nonlocal done
            done += more
            display.on_sentences(done, total)

        if options.ray is None:
            records: Iterator[PartRecord] = (
                write_part(work, number, count)
                for number in missing
                if missing_parts(folder, manifest, [number], work.ending)  # another process may have done it since
            )
        else:  # its actors work in other folders: all names become absolute
            here = [replace(file, path=file.path.absolute()) for file in work.files]
            answer = replace(work.answer, model=work.answer.model.absolute())
            work = replace(work, folder=folder.absolute(), files=here, answer=answer)
            threads = torch.get_num_threads() if "threads" in given.get() else 1
            records = answer_on_cluster(options.ray, work, missing, threads=threads)
        for record in records:
            errors = f", {record.num_errors:,} without an answer" if record.num_errors else ""
            repeated = f", {record.num_repeated:,} equal to an earlier one" if record.num_repeated else ""
            display.say(
                f"part {record.part} of {len(manifest.parts):,}: {record.num_rows:,} lines{repeated}{errors}; "
                f"{record.num_rows / max(record.seconds, 1e-3):,.0f} lines/s"
            )
            if options.ray is not None:
                count(record.num_rows)
        for note in work.answer.notes:
            display.say(note)


def _estimate(manifest: Manifest, files: Sequence[InputFile], answer: RowAnswers) -> None:
    """Print what all parts would take."""
    import torch

    from regard.parts.estimating import estimate
    from regard.runs.progress import clock, size

    found, threads = estimate(manifest, files, answer), torch.get_num_threads()
    num_rows, num_parts = manifest.num_rows, len(manifest.parts)
    echo(
        f"input: {num_rows:,} lines, {size(sum(file.num_bytes for file in manifest.files))}, in {num_parts:,} parts of about "
        f"{-(-num_rows // num_parts):,}\n"
        f"speed: {found.rows_per_second:,.1f} lines/s here, with {threads} thread{'s' if threads > 1 else ''}, measured over "
        f"{found.num_sampled:,} lines\n"
        f"time: {clock(found.seconds)} on one such machine; {clock(found.seconds / num_parts)} for each part\n"
        f"output: about {size(found.output_bytes)}, before compression"
    )


def _named(numbers: range) -> str:
    return f"part {numbers[0]}" if len(numbers) == 1 else f"parts {numbers[0]} to {numbers[-1]}"


def input_file(name: str, column: str | None, *, has_lines: bool = False) -> InputFile:
    """An input file of a command that divides it.

    Args:
        has_lines: whether each line is a text, whatever the name says.
    Raises:
        DataError: it is standard input, or no file.
    """
    from regard.parts.input_files import InputFile

    if name == "-":
        raise DataError(
            "`--parts` needs a file, as each part is read by itself; got standard input. Write it to a file."
        )
    return InputFile(Path(name), column, has_lines)


def pair_files(source: str, target: str | None) -> list[InputFile]:
    """The input files of pairs: two, or the two columns of one.

    Raises:
        DataError: as for `input_file`, or one file that has no columns.
    """
    if target is not None:
        return [input_file(source, None, has_lines=True), input_file(target, None, has_lines=True)]
    names = {"tsv": ("1", "2"), "jsonl": ("source", "target"), "parquet": ("source", "target")}
    if (kind := input_file(source, None).kind) not in names:
        raise DataError(
            f"one file of pairs must be .tsv, .jsonl or .parquet; got {source}. Or name the file of targets."
        )
    return [input_file(source, column) for column in names[kind]]
