"""Argos packages, `.argosmodel`: the models of Argos Translate and LibreTranslate, written and read.

A package is a zip file with one folder:

    translate-en_de-1_0/
        metadata.json           the languages
        README.md
        sentencepiece.model     cuts sources into tokens; the tokens of targets are joined by it
        model/                  a model in CTranslate2's format, of 8 bits
        minisbd/rules.onnx      finds the ends of sentences; without it, a splitter is fetched at first use

The folder, as it is when a package is installed, is read as well.
"""

from __future__ import annotations

import json
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import torch

from regard.checkpoint import LoadedModel
from regard.errors import MissingExtraError, ModelFolderError, SettingsError
from regard.foreign_files import read_json
from regard.interop.check import Reference
from regard.interop.ctranslate2.layout import MODEL
from regard.interop.ctranslate2.reader import read as read_ctranslate2
from regard.interop.ctranslate2.writer import write as write_ctranslate2
from regard.interop.foreign import ForeignModel
from regard.interop.mapping import NEVER
from regard.interop.sentence_splitter import splitter_model
from regard.memory import free_bytes
from regard.models.encoder_decoder import EncoderDecoder
from regard.names import is_file
from regard.text.languages import english_name
from regard.text.tokenizer import Tokenizer
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model
from regard.version import __version__

ARGOS, ENDING = "argos", ".argosmodel"
METADATA, PIECES, FOLDER, SPLITTER = "metadata.json", "sentencepiece.model", "model", "minisbd/rules.onnx"
VERSION = "1.0"
MOST_GROWTH = 100
"""The most times that the files of a package may be larger than the package."""
MOST_FILES = 1000
TOKENS_TOGETHER = 40
"""The number of tokens that are joined at a time, to see that both join them alike."""
OWN_CODES = {"pb": "Portuguese (Brazil)", "zt": "Chinese (traditional)"}
"""The names of Argos Translate's own codes."""
README = """# {source} to {target}

A package for Argos Translate and LibreTranslate, written by Regard {version}.

    import argostranslate.package
    argostranslate.package.install_from_path("NAME.argosmodel")

The folder minisbd has a splitter of a few rules. A sentence ends at . ! ? or … before a space, unless a small letter
follows, or a single capital comes before the point. Put a model of MiniSBD in its place for a better one, or delete the
folder: Argos Translate then fetches one.
"""


@dataclass(frozen=True)
class Plan:
    """The content of a package besides the model.

    Args:
        source, target: the codes of the languages, as Argos Translate has them, such as en.
        pairs: sources with their targets, which the SentencePiece model must cut as the tokenizer does.
    """

    source: str
    target: str
    pairs: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, direction: str | None, pairs: Sequence[tuple[str, str]] = ()) -> Plan:
        """The plan for a direction such as en-de.

        Raises:
            SettingsError: it does not name two languages.
        """
        codes = (direction or "").lower().split("-")
        if len(codes) != 2 or not all(code.isascii() and code.isalpha() and len(code) in (2, 3) for code in codes):
            raise SettingsError(
                f"direction must be the codes of two languages, such as en-de, for an Argos package; got {direction}. "
                "Add `--direction`."
            )
        return cls(codes[0], codes[1], pairs)

    @property
    def name(self) -> str:
        """The name of the folder in the package."""
        return f"translate-{self.source}_{self.target}-{VERSION.replace('.', '_')}"


def write(loaded: LoadedModel, output: Path, plan: Plan) -> ForeignModel:
    """Write the folder of a package.

    Raises:
        ModelFolderError: CTranslate2, SentencePiece or Argos Translate cannot say something that the model has.
        MissingExtraError: a library is not installed.
    """
    _refuse_frames(loaded)
    source, target = loaded.source_tokenizer, loaded.tokenizer
    both = [text for pair in plan.pairs for text in (pair if source is target else pair[:1])]
    pieces = sentence_piece_model(source, both)
    _check_joined(target, pieces)
    folder = output / FOLDER
    folder.mkdir()
    write_ctranslate2(_never_writing(loaded), folder, quantization="int8")
    for path in folder.glob("*tokenizer.json"):
        path.unlink()
    (output / PIECES).write_bytes(pieces)
    (output / SPLITTER).parent.mkdir()
    (output / SPLITTER).write_bytes(splitter_model())
    names = {"from_name": english_name(plan.source, OWN_CODES), "to_name": english_name(plan.target, OWN_CODES)}
    codes = {"from_code": plan.source, "to_code": plan.target}
    metadata = {"package_version": VERSION, "argos_version": "1.9", "type": "translate"} | codes | names
    (output / METADATA).write_text(json.dumps(metadata, indent=2) + "\n", encoding="utf-8")
    text = README.format(source=names["from_name"], target=names["to_name"], version=__version__)
    (output / "README.md").write_text(text, encoding="utf-8")
    (output / NAME).write_text(plan.name, encoding="utf-8")
    written = read(output)
    notes = [note for note in written.notes if "regard-int8" not in note]
    notes += ["weights are int8 there", "Argos Translate writes a space for each _"]
    return replace(written, notes=notes)


NAME = ".name"
"""The file that keeps the name of the package's folder until it is packed."""


def pack(folder: Path) -> None:
    """Put a zip file in the place of a package's folder."""
    name = (folder / NAME).read_text(encoding="utf-8")
    packed = folder.with_name(f"{folder.name}{ENDING}")
    try:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != NAME:
                    entry = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}")
                    entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                    archive.writestr(entry, path.read_bytes())
        shutil.rmtree(folder)
        packed.rename(folder)
    finally:
        packed.unlink(missing_ok=True)


def _refuse_frames(loaded: LoadedModel) -> None:
    """Make sure that Argos Translate needs to put nothing around texts but what CTranslate2 puts there by itself.

    Raises:
        ModelFolderError: it does.
    """
    source, target = loaded.source_tokenizer.symbols, loaded.tokenizer.symbols
    for what, ids, possible in (
        ("the symbols before a source", source.source_begin_ids, [[], [source.bos_id]]),
        ("the symbols after a source", source.source_end_ids, [[], [source.eos_id]]),
        ("the symbols that a decoder starts from", target.start_ids, [target.start_ids[:1]]),
    ):
        if ids not in possible:
            tokenizer = loaded.tokenizer if ids is target.start_ids else loaded.source_tokenizer
            raise ModelFolderError(
                f"{what} must be one at most, and of its own kind, in an Argos package; got {' '.join(tokenizer.tokens(ids))}."
            )


def _never_writing(loaded: LoadedModel) -> LoadedModel:
    """The model with an output bias that excludes what is never written: nobody tells CTranslate2 there."""
    model, tokenizer = loaded.model, loaded.tokenizer
    if not isinstance(model, EncoderDecoder):
        return loaded  # the writer refuses it
    banned = sorted({*tokenizer.symbols.banned_ids, *tokenizer.ids_without_token(model.config.vocab_size)})
    with torch.random.fork_rng(devices=[]):
        found = EncoderDecoder(model.config.model_copy(update={"output_bias": True})).eval()
    found.load_state_dict(model.state_dict(), strict=False)
    assert found.output_bias is not None
    with torch.no_grad():
        if not model.config.output_bias:
            found.output_bias.zero_()
        found.output_bias[banned] = NEVER
    return loaded._replace(model=found)


def _check_joined(tokenizer: Tokenizer, pieces: bytes) -> None:
    """Make sure that a SentencePiece model joins the tokens of targets as their tokenizer does; it may be the sources'.

    Raises:
        ModelFolderError: it does not.
    """
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=pieces)
    special = tokenizer.symbols.in_targets
    ids = [id for id in range(len(tokenizer)) if id not in special]
    for begin in range(0, len(ids), TOKENS_TOGETHER):
        portion = ids[begin : begin + TOKENS_TOGETHER]
        theirs = processor.decode_pieces(tokenizer.tokens(portion)).replace("▁", " ").removeprefix(" ")
        if tokenizer.decode(portion).removeprefix(" ") != theirs:
            raise ModelFolderError(
                "tokens of targets must be joined as SentencePiece joins them, in an Argos package; got other texts of "
                f"{' '.join(tokenizer.tokens(portion[:3]))} and the following."
            )


# reading


def is_argos(path: Path) -> bool:
    """Whether a path is that of a package, or of its folder."""
    if path.suffix == ENDING and is_file(path):
        return True
    return is_file(path / METADATA) and is_file(path / FOLDER / MODEL)


def read(path: Path) -> ForeignModel:
    """Read the model of a package.

    Raises:
        ModelFolderError: it is damaged, or leads out of its folder, or has what we cannot represent.
    """
    with _unpacked(path) as folder:
        try:
            return _read(folder, path)
        except (ModelFolderError, MissingExtraError) as error:
            if folder == path:
                raise
            raise ModelFolderError(
                str(error).replace(f"{folder}/", f"{path}: ").replace(str(folder), str(path))
            ) from error


def _read(folder: Path, path: Path) -> ForeignModel:
    metadata = read_json(folder / METADATA)
    for key, allowed in (("type", "translate"), ("target_prefix", "")):
        if metadata.get(key, allowed) != allowed:
            raise ModelFolderError(
                f"{folder / METADATA}: {key} must be {allowed!r} to be represented in Regard; got {metadata[key]!r}."
            )
    for name in (PIECES, f"{FOLDER}/{MODEL}"):
        if not (folder / name).is_file():
            hint = " It has bpe.model, which Regard does not read." if (folder / "bpe.model").is_file() else ""
            raise ModelFolderError(f"{folder} must hold {name}; it does not.{hint}")
    found = read_ctranslate2(folder / FOLDER, folder / PIECES)
    inner = found.make_reference
    assert inner is not None

    def reference(path: Path) -> Reference:
        with _unpacked(path) as folder:
            return inner(folder / FOLDER)

    if (bias := getattr(found.loaded.model, "output_bias", None)) is not None:
        target = found.loaded.tokenizer
        banned = sorted({*target.symbols.banned_ids, *(bias <= NEVER / 2).nonzero().flatten().tolist()})
        target = target.with_symbols(target.symbols.model_copy(update={"banned_ids": banned}))
        found = replace(found, loaded=found.loaded._replace(tokenizer=target))
    direction = f"{metadata.get('from_code')} to {metadata.get('to_code')}"
    return replace(
        found, format="Argos", notes=[f"it translates {direction}", *found.notes], make_reference=reference, path=path
    )


class _File(NamedTuple):
    """A file of a package, and its place in the package's folder."""

    entry: zipfile.ZipInfo
    place: PurePosixPath


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """Unpack what is read of a package into a temporary folder; a folder stays where it is."""
    if not is_file(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as aside:
        folder = Path(aside)
        try:
            with zipfile.ZipFile(path) as archive:
                for entry, place in _files(archive, path):
                    (folder / place).parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(entry) as packed, (folder / place).open("wb") as file:
                        shutil.copyfileobj(packed, file)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
            if isinstance(error, ModelFolderError):
                raise
            raise ModelFolderError(f"{path} must be a whole zip file; got: {error}.") from error
        yield folder


def _files(archive: zipfile.ZipFile, path: Path) -> list[_File]:
    """The files of a package that are read.

    Raises:
        ModelFolderError: a name leads out of the folder, or is there twice; there are several folders; or they are too large.
    """
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    found, roots = {}, set()
    for entry in entries:
        place = PurePosixPath(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if place.is_absolute() or ".." in place.parts or "\\" in entry.filename or ":" in entry.filename or is_link:
            raise ModelFolderError(f"{path} must hold files inside its folder only; got {entry.filename!r}.")
        if len(place.parts) < 2 or place in found:
            what = "in a folder" if len(place.parts) < 2 else "once"
            raise ModelFolderError(f"{path} must hold each file {what}; got {entry.filename!r}.")
        roots.add(place.parts[0])
        found[place] = entry
    if len(roots) != 1 or len(entries) > MOST_FILES:
        got = f"{len(roots)} folders" if len(roots) != 1 else f"{len(entries):,} files"
        raise ModelFolderError(f"{path} must hold one folder of at most {MOST_FILES:,} files; got {got}.")
    size, num_bytes = sum(entry.file_size for entry in entries), path.stat().st_size
    free = free_bytes(torch.device("cpu"))
    if size > MOST_GROWTH * num_bytes or (free is not None and size > free):
        raise ModelFolderError(
            f"{path} must hold files of at most {MOST_GROWTH} times its size, which fit into memory; got {size / 1e9:,.3f} GB "
            f"in {num_bytes / 1e9:,.3f} GB."
        )
    inside = [_File(entry, PurePosixPath(*place.parts[1:])) for place, entry in found.items()]
    return [
        file for file in inside if str(file.place) in (METADATA, PIECES, "bpe.model") or file.place.parts[0] == FOLDER
    ]
