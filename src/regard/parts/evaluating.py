"""The rows of a test set, each with what its scores are computed from. The scores of all are computed once, over all rows.

Each part stores answers and sums; they are joined in order, and measured by the code that measures in one process. So BLEU
and chrF are those of one process, whatever the parts are.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from regard.data.corpus import divided_name, is_blank_pair, no_pairs, one_line
from regard.data.labelled import LabelledFile, LabelledText, check_labels, no_texts
from regard.data.pair_files import column_names, directed_row, first_line, names_languages, pair_of
from regard.data.text_streams import NumberedLine, TextFile
from regard.errors import DataError, RegardError, SettingsError
from regard.evaluation.label_metrics import label_results
from regard.evaluation.likelihood import LabelLikelihood, Likelihood
from regard.evaluation.text_metrics import TextMetrics, tokenization_hint
from regard.parts.answers import RowAnswers, TranslatedRows
from regard.parts.input_files import InputFile
from regard.parts.part_files import CHUNK, Row
from regard.pipelines.direction_set import direction_results
from regard.pipelines.language_model import LanguageModel, first_token, stream_log_probs
from regard.pipelines.predictor import Predictor
from regard.pipelines.target_analysis import target_likelihood
from regard.pipelines.translator import Translator
from regard.text.unknown_tokens import count_unknown, unknown_notes

Record = dict[str, Any]
Columns = defaultdict[str, list[Any]]
"""Records by the names of their fields, in less memory than as objects."""


@dataclass
class EvaluatedRows(RowAnswers):
    """Answers and sums that scores are computed from: of each row, an object of JSON, or nothing where it does not count."""

    as_json: bool = True
    leaves_out: ClassVar[bool] = True
    """Whether the other rows can be measured where some cannot be answered."""

    def results(self, records: Iterable[Record], tell: Callable[[str], None]) -> dict[str, Any]:
        """The scores of all rows, as `evaluate_files` of the model gives them.

        Args:
            records: of the rows that count, in order.
            tell: is called with advice on how to measure better.
        Raises:
            DataError: there are none.
        """
        raise NotImplementedError  # each kind of model has its own


class Pair(NamedTuple):
    """A pair of a test set. Source and references are empty where it does not count."""

    direction: str
    """The languages of the pair, such as `en-de`; empty: the row does not say them."""
    source: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class PairFile:
    """The lines of a file of pairs."""

    path: str
    is_tsv: bool
    says_languages: bool = False
    names: tuple[str, ...] = ()
    """The names of the columns of a `.tsv` whose rows say their languages."""
    header: int = 0
    """The number of the line with these names, counted from 1; 0: there is none."""
    direction: str = ""
    """The direction whose pairs count; empty: all."""

    @classmethod
    def begin(cls, file: InputFile, name: str, *, has_directions: bool) -> PairFile:
        """The reader of a file, from its first line that is not blank.

        Args:
            name: such as `pairs.tsv` or `pairs.tsv#en-de`.
            has_directions: whether rows that say their languages are read as such.
        Raises:
            DataError: that line is not one of such a file.
        """
        path, direction = divided_name(name)
        is_tsv, (number, first) = file.named_kind == "tsv", first_line(enumerate(file.lines(), start=1))
        if not (direction or (has_directions and names_languages(first, is_tsv=is_tsv))):
            pair_of(first, path, number, is_tsv=is_tsv)
            return cls(path, is_tsv)
        names = tuple(column_names((number, first), path)) if is_tsv else ()
        return cls(path, is_tsv, True, names, number if is_tsv else 0, direction)

    def read(self, line: str, number: int) -> tuple[str, str, str]:
        """The direction, the source and the target of a line; nothing for one that does not count.

        Raises:
            DataError: it is no line of such a file.
        """
        if not self.says_languages:
            return "", *pair_of(line, self.path, number, is_tsv=self.is_tsv)
        if number == self.header:
            return "", "", ""
        row = directed_row(line, self.path, number, self.names or None)
        return row[1:] if self.direction in ("", row.direction) else ("", "", "")


@dataclass
class EvaluatedPairs(EvaluatedRows, TranslatedRows):
    """The translation of each pair's source with its references, and the log-probability of its target.

    Args:
        file: of pairs, where one file has both sides; None: the first two texts of a row are source and target.
        tokenize, lowercase: as for `TextMetrics`. Answers do not depend on them.
    """

    file: PairFile | None = None
    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        self._metrics()  # so that a wrong setting is known before hours of translating

    def _metrics(self) -> TextMetrics:
        return TextMetrics(tokenize=self.tokenize, lowercase=self.lowercase)

    def options(self) -> dict[str, Any]:
        """All options that the answers depend on, for the manifest."""
        direction = self.file.direction if self.file is not None else ""
        return {**super().options(), "the direction": direction}

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        pairs = [self._pair(row, number) for number, row in enumerate(rows, start=first)]
        found = [""] * len(rows)
        for direction in sorted({pair.direction for pair in pairs}):
            # Random choices depend on the number of a row: blank pairs have theirs.
            indices = [index for index, pair in enumerate(pairs) if pair.direction == direction]
            if any(pairs[index].source for index in indices):
                for index, record in zip(indices, self._records([pairs[i] for i in indices], first), strict=True):
                    found[index] = json.dumps(record, ensure_ascii=False) if pairs[index].source else ""
        yield from found

    def _pair(self, row: Row, number: int) -> Pair:
        """The pair of a row.

        Raises:
            DataError: it is none, or blank on one side only.
        """
        if self.file is None:
            direction, (source, target, *more) = "", row
        else:
            (direction, source, target), more = self.file.read(row[0], number), [*row[1:]]
        if is_blank_pair(("",), 0, source, target):
            return Pair("", "", ())
        has_directions = self.loaded.languages is not None
        return Pair(direction if has_directions else "", one_line(source), (one_line(target), *more))

    def _records(self, pairs: Sequence[Pair], first: int) -> Iterator[Record]:
        """The record of each pair of one direction."""
        translator: Translator = self._translator(pairs[0].direction)
        given = [(pair.source, pair.references[0]) for pair in pairs if pair.source]
        models = [translator._model, *translator.others]
        read, written = map(list, zip(*given, strict=True))
        forced = target_likelihood(models, translator.tokenizer, translator.source_tokenizer, read, written)
        numbers = iter(range(len(given)))
        sources = [pair.source for pair in pairs]
        found = translator.translate_lines(sources, self.options_of_decoding, first=first)
        for pair, translation in zip(pairs, found, strict=True):
            record: Record = {"text": translation.text, "references": pair.references}
            if pair.direction:
                record["direction"] = pair.direction
            if forced is not None and pair.source:
                values, correct = forced.token_log_probs[number := next(numbers)], forced.correct[number]
                record |= {"log_prob": math.fsum(values), "num_tokens": len(values), "num_correct": correct}
            if pair.source:
                add_unknown(record, "source", count_unknown([pair.source], translator.source_tokenizer))
                add_unknown(record, "target", count_unknown([pair.references[0]], translator.tokenizer))
            yield record

    def _translator(self, direction: str) -> Any:
        try:
            return self.loaded.directed(*direction.split("-")) if direction else self.loaded.in_one_direction
        except SettingsError as error:  # of the rows of this direction alone
            raise (DataError(str(error)) if direction else error) from error

    def results(self, records: Iterable[Record], tell: Callable[[str], None]) -> dict[str, Any]:
        """The scores of all pairs, or of those of each direction."""
        by_direction: dict[str, Columns] = {}
        for record in records:
            add_record(by_direction.setdefault(record.pop("direction", ""), defaultdict(list)), record)
        if not by_direction:
            raise no_pairs(self.file.path if self.file is not None else "the test set")
        found = {direction: self._scores(by_direction[direction], tell) for direction in sorted(by_direction)}
        return found[""] if "" in found else direction_results(found, self.loaded.languages)

    def _scores(self, pairs: Columns, tell: Callable[[str], None]) -> dict[str, Any]:
        references, *more = (list(column) for column in zip(*pairs["references"], strict=True))
        if hint := tokenization_hint(references, self.tokenize):
            tell(hint)
        tell_unknown(pairs, tell, "source", "target")
        likelihood = Likelihood({0: pairs["log_prob"]}, sum(pairs["num_tokens"]), {0: sum(pairs["num_correct"])})
        forced = likelihood.results() if pairs["log_prob"] else {}
        scores = self._metrics().score(pairs["text"], references, more).results()
        return {**scores, **forced, "num_pairs": len(pairs["text"])}


@dataclass
class EvaluatedLabels(EvaluatedRows):
    """The label that is predicted for each text, and the right one: lines of label, tab, text."""

    path: Path = Path()
    kind = Predictor

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        file = LabelledFile(TextFile(str(self.path)), by_word=False, pairs=self.loaded.reads_pairs)
        lines = [NumberedLine(number, row[0]) for number, row in enumerate(rows, start=first)]
        read = list(file.texts_in(lines))
        check_labels(LabelledText.from_lines(read, file.name), self.loaded.model.class_names)
        predicted = self.loaded.predict_lines(["\t".join(each.words) for each in read])
        records: dict[int, Record] = {
            each.line: {"labels": found.labels, "right": each.labels}
            for each, found in zip(read, predicted, strict=True)
        }
        for each in read:
            add_unknown(records[each.line], "text", self.loaded.count_unknown([each.words]))
        written = {line: json.dumps(record, ensure_ascii=False) for line, record in records.items()}
        yield from (written.get(line.line, "") for line in lines)

    def results(self, records: Iterable[Record], tell: Callable[[str], None]) -> dict[str, Any]:
        """The scores of all labels."""
        columns: Columns = defaultdict(list)
        for record in records:
            add_record(columns, record)
        predicted, right = (list(chain(*columns[name])) for name in ("labels", "right"))
        if not right:
            raise no_texts(str(self.path))
        tell_unknown(columns, tell, "text")
        return label_results(predicted, right, self.loaded.model.config.labels)


@dataclass
class EvaluatedText(EvaluatedRows):
    """The log-probability of the tokens of each line of a text, in the windows in which one process reads it.

    Where a part begins in its window depends on the number of tokens before it. So they are counted, once for
    parts that follow each other.
    """

    file: InputFile | None = None
    next_row: int = field(default=1, init=False)
    """The number of the row before which the text has been read."""
    before: list[int] = field(default_factory=list, init=False)
    """The tokens before it in its window."""
    kind = LanguageModel
    leaves_out = False

    @property
    def is_repeatable(self) -> bool:
        """Whether equal rows have equal answers: they have different texts before them."""
        return False

    def try_out(self, num_files: int) -> None:
        """As for other rows. The blank row is none of the text."""
        super().try_out(num_files)
        self.before, self.next_row = [], 1

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        self._go_to(first)
        model: LanguageModel = self.loaded
        lines = [text for (text,) in rows]
        ids, begin = self._encode(lines), len(self.before)
        stream = [*self.before, *chain(*ids)]
        log_probs, hits = stream_log_probs(model, stream)
        self._keep(stream, first + len(lines))
        for number, (line, row) in enumerate(zip(lines, ids, strict=True), start=first):
            not_predicted = first_token(model.tokenizer, line) if number == 1 else ""
            labels = slice(max(0, begin - 1), begin + len(row) - 1)  # token i is label i - 1
            begin += len(row)
            record: Record = {
                "nats": -math.fsum(log_probs[labels]),
                "num_tokens": len(log_probs[labels]),
                "num_correct": sum(hits[labels]),
                "num_characters": len(line) + 1 - len(not_predicted),
                "num_bytes": len(line.encode()) + 1 - len(not_predicted.encode()),
            }
            add_unknown(record, "text", row[:-1].count(model.tokenizer.unk_id))
            yield json.dumps(record)

    def _encode(self, lines: Sequence[str]) -> list[list[int]]:
        tokenizer = self.loaded.tokenizer
        return [[*row, tokenizer.eos_id] for row in tokenizer.encode_batch(lines)]

    def _keep(self, stream: Sequence[int], next_row: int) -> None:
        """Keep the tokens of the window of the last one, the beginning of a window being that of the stream."""
        context = self.loaded.model.config.max_positions
        self.before = list(stream[(len(stream) - 1) // context * context :])
        self.next_row = next_row

    def _go_to(self, row: int) -> None:
        """Read the text before a row.

        Raises:
            RegardError: a line of it cannot be read, so that no part after it can be measured.
        """
        if row == self.next_row:
            return
        self.before, self.next_row = [], 1
        assert self.file is not None
        texts = islice(self.file.lines(), row - 1)
        try:
            while lines := list(islice(texts, CHUNK)):
                self._keep([*self.before, *chain(*self._encode(lines))], self.next_row + len(lines))
        except DataError as error:
            raise RegardError(str(error)) from error

    def results(self, records: Iterable[Record], tell: Callable[[str], None]) -> dict[str, Any]:
        """The scores of the whole text."""
        columns: Columns = defaultdict(list)
        for record in records:
            add_record(columns, record)
        if not (num_labels := sum(columns["num_tokens"])):
            raise DataError("text must have at least 2 tokens to be predicted; got less.")
        tell_unknown(columns, tell, "text")
        scored = LabelLikelihood(math.fsum(columns["nats"]), num_labels, sum(columns["num_correct"]))
        return scored.text_results(sum(columns["num_characters"]), sum(columns["num_bytes"]))


def add_record(columns: Columns, record: Record) -> None:
    """Add a record to columns that are there when they are first asked for."""
    for name, value in record.items():
        columns[name].append(value)


def add_unknown(record: Record, what: str, count: int) -> None:
    """Add the number of tokens of a text that a vocabulary lacks to its record, where it lacks any."""
    if count:
        record[f"num_unknown_{what}"] = count


def tell_unknown(columns: Columns, tell: Callable[[str], None], *kinds: str) -> None:
    """Tell the user how many such tokens there are in all rows, for each kind of text."""
    for note in unknown_notes(**{what: sum(columns[f"num_unknown_{what}"]) for what in kinds}):
        tell(note)


def check_text_model(model: LanguageModel) -> None:
    """Make sure that a text can be cut into tokens line by line.

    Raises:
        SettingsError: it cannot.
    """
    if not model.tokenizer.symbols.lines_end:
        raise SettingsError(
            "`--parts` needs a language model whose tokenizer reads each line by itself; this one's reads a text as a "
            "whole. Remove `--parts`."
        )
