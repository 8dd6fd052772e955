"""Model folders: `model.safetensors`, `config.json` and `tokenizer.json`, written whole or not at all.

Nothing is ever unpickled: weights are safetensors, the rest is JSON.
"""

from __future__ import annotations

import errno
import glob
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pydantic import ValidationError

from regard.errors import ModelFolderError, SettingsError, first_problem, missing_hint
from regard.models.config import ModelConfig
from regard.models.interface import Model
from regard.models.registry import build, parse_config
from regard.names import is_file, is_folder
from regard.text.file_changes import TRIES, read_unchanged
from regard.text.lines import UNIQUE, digest_of, write_whole
from regard.text.locks import claimed, left_behind, remove_left_behind, short
from regard.text.tokenizer import Tokenizer
from regard.weights_file import check_weights, load_weights, save_weights

WEIGHTS, CONFIG, TOKENIZER = PARTS = ("model.safetensors", "config.json", "tokenizer.json")
SOURCE_TOKENIZER = "source_tokenizer.json"
"""The file that exists if the source has its own vocabulary; `tokenizer.json` is then the target's."""
METRICS = "metrics.jsonl"
ABOUT_WEIGHTS = RESULTS, CARD, REPORT, CONFIDENCE = ("results.json", "README.md", "report.html", "confidence.json")
"""Files that are written at the end of a run; the last one also by `regard evaluate --calibrate`."""
ADAPTER_WEIGHTS, ADAPTER_CONFIG = ADAPTER_PARTS = ("adapter.safetensors", "adapter.json")
"""The files of an adapter folder (`adapters.py`)."""
READ = (*PARTS, SOURCE_TOKENIZER)
COMPANIONS = (SOURCE_TOKENIZER, METRICS, *ABOUT_WEIGHTS)
LEFTOVER = re.compile(rf"\..+\.{UNIQUE}")
"""The names of files that were being written when their process was killed (`write_whole`)."""
LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}
"""The names of files that file browsers leave in folders."""
NEW, OLD = "new", "old"
"""The endings of folders beside a model folder while it is replaced: of the new one, and of the old one."""
FORMAT_VERSION = 1


class LoadedModel(NamedTuple):
    """The content of a model folder."""

    model: Model
    tokenizer: Tokenizer
    """The tokenizer of the texts, or of the targets."""
    source_tokenizer: Tokenizer
    """The tokenizer of the sources; equal to `tokenizer`, unless they have their own vocabulary."""


def sizes_of_vocabulary(config: ModelConfig, loaded: LoadedModel) -> dict[str, Any]:
    """The sizes of a configuration that the vocabulary of another model decides."""
    theirs = loaded.model.config
    sizes = {"vocab_size": max(theirs.vocab_size, len(loaded.tokenizer)), "pad_id": theirs.pad_id}
    if loaded.source_tokenizer is loaded.tokenizer or "source_vocab_size" not in type(config).model_fields:
        return sizes
    sizes["source_vocab_size"] = max(loaded.model.vocabulary_sizes[0], len(loaded.source_tokenizer))
    if getattr(config, "tied_embeddings", None) in ("all", "source"):
        sizes["tied_embeddings"] = "target"  # one table cannot be that of two vocabularies
    return sizes


def with_tokens(loaded: LoadedModel, tokens: Sequence[str]) -> LoadedModel:
    """A model whose tokenizers have more tokens than it has embeddings; itself, if there are none."""
    if not tokens:
        return loaded
    target = loaded.tokenizer.with_tokens(tokens)
    source = target if loaded.source_tokenizer is loaded.tokenizer else loaded.source_tokenizer.with_tokens(tokens)
    return loaded._replace(tokenizer=target, source_tokenizer=source)


def check_output(path: Path, *, overwrite: bool) -> None:
    """Make sure, before hours of work, that a model folder can be written at `path`.

    Raises:
        ModelFolderError: there is something else at `path`, or a model and `overwrite` is False.
    """
    try:
        path = path.resolve()
    except RuntimeError as error:
        raise ModelFolderError(f"the output folder must not be a link that leads to itself; got {path}.") from error
    try:
        is_disk = path.is_mount()
    except OSError as error:
        raise ModelFolderError(
            f"the output folder must have a name that can be written; got {path}: {error.strerror}."
        ) from error
    if is_disk:
        raise ModelFolderError(
            f"the output folder must not be a mount point, because it is renamed into place; got {path}. Choose a folder "
            f"inside it: {path / 'model'}"
        )
    _put_back(path)
    entries = {entry.name for entry in path.iterdir()} - LITTER if path.is_dir() else set()
    kind = next((parts for parts in (PARTS, ADAPTER_PARTS) if entries >= set(parts)), None)
    if kind is not None:
        if not overwrite:
            raise ModelFolderError(
                f"the output folder must not hold a model; got {path}. Choose another, or replace it with `--overwrite`."
            )
        ours = {name for name in entries if LEFTOVER.fullmatch(name)}
        if foreign := sorted(entries - {*kind, *COMPANIONS} - ours):
            raise ModelFolderError(
                f"a folder can be replaced only if it holds nothing but a model; {path} also holds {', '.join(foreign)}."
            )
    elif entries or (path.exists() and not path.is_dir()):
        raise ModelFolderError(f"the output folder must be new or empty; got {path}. Choose another name.")
    if path.exists() and path.samefile(Path.cwd()):
        raise ModelFolderError(
            f"the output folder must not be the current working directory; got {path}. Choose another name."
        )
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ModelFolderError(f"the output folder must be in a folder that you can write to; got {path}.")


def save_new(
    path: Path,
    model: Model,
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer | None = None,
    dtype: torch.dtype = torch.float32,
    accept: Callable[[Path], None] = lambda new: None,
) -> None:
    """Write a model folder under a temporary name, sync it and rename it; an existing model is replaced last.

    Args:
        source_tokenizer: of the source, if it has its own vocabulary.
        dtype: of the matrices in the file: float32, or int8.
        accept: gets the written folder before it is renamed into place; if it raises, nothing is changed.
    Raises:
        RegardError: the disk is full or the folder cannot be written. Nothing was changed.
    """
    with aside(path) as new:
        tokenizer.save(new / TOKENIZER)
        config = {
            "format_version": FORMAT_VERSION,
            "model": model.config.model_dump(mode="json"),
            "tokenizer_sha256": digest_of(new / TOKENIZER),
        }
        if source_tokenizer is not None and source_tokenizer is not tokenizer:
            source_tokenizer.save(new / SOURCE_TOKENIZER)
            config["source_tokenizer_sha256"] = digest_of(new / SOURCE_TOKENIZER)
        write_whole(new / CONFIG, (json.dumps(config, indent=2) + "\n").encode("utf-8"))
        save_weights(new / WEIGHTS, model, dtype)
        accept(new)


def save_config(path: Path, model: Model) -> None:
    """Replace the model's part of the configuration of a folder, in one rename."""
    config = json.loads((path / CONFIG).read_text(encoding="utf-8")) | {"model": model.config.model_dump(mode="json")}
    write_whole(path / CONFIG, (json.dumps(config, indent=2) + "\n").encode("utf-8"))


def remove_leftovers(path: Path) -> None:
    """Remove files that killed processes left in a model folder and beside it.

    A model that was moved aside, and not replaced yet, is moved back.
    """
    path = path.resolve()
    remove_left_behind(path, LEFTOVER)
    for beside in _temporary_folders(path):
        with left_behind(beside) as is_left:
            if not is_left:
                continue
            with suppress(OSError):  # there is nothing to move back, or the name is taken
                (beside / OLD).rename(path)
            if path.exists() or not (beside / OLD).exists():
                with suppress(OSError):
                    shutil.rmtree(beside)


def _temporary_folders(path: Path) -> list[Path]:
    """The temporary folders beside a model folder: of a process that is writing it, or of one that was killed."""
    found = path.parent.glob(f".{glob.escape(short(path.name))}.????????")
    try:
        return [
            beside for beside in found if beside.is_dir() and {entry.name for entry in beside.iterdir()} <= {NEW, OLD}
        ]
    except OSError:  # one has just gone, or may not be looked into
        return []


def _put_back(path: Path) -> Path:
    """The path of a model folder. If a killed process had moved it aside, it is moved back, or else read from there."""
    with suppress(OSError, RuntimeError, ValueError):
        if path.exists():
            return path
        place = path.resolve()
        remove_leftovers(place)
        for beside in () if place.exists() else _temporary_folders(place):
            with left_behind(beside) as is_left:
                if is_left and (beside / OLD).is_dir():
                    return beside / OLD
    return path


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Make a folder that replaces `path` when the context ends; after an error, nothing has changed.

    Files that killed processes left behind are removed.

    Raises:
        ModelFolderError: the disk is full or the folder cannot be written.
    """
    try:
        try:
            place = path.resolve()  # a link stays a link: what it points to is replaced
        except RuntimeError as error:
            raise OSError(errno.ELOOP, "a link that leads to itself") from error
        place.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(place)
        with _folder_beside(place) as beside:
            new = beside / NEW
            new.mkdir()
            yield new
            _swap(new, place, beside / OLD)
    except OSError as error:
        raise ModelFolderError(f"{path} must be writable; got: {error.strerror}. Nothing was changed.") from error


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """Make a locked folder that is removed when the context ends."""
    while True:
        with (
            tempfile.TemporaryDirectory(prefix=f".{short(path.name)}.", dir=path.parent) as beside,
            claimed(Path(beside)) as is_ours,
        ):
            if is_ours:
                yield Path(beside)
                return


def _swap(new: Path, path: Path, old: Path) -> None:
    """Rename `path` to `old` and `new` to `path`; if that fails or is interrupted, rename `old` back."""
    if not path.exists():
        new.rename(path)
        return
    path.rename(old)
    try:
        new.rename(path)
    except BaseException:
        if not path.exists():
            old.rename(path)
        raise


def load_model(path: Path | str) -> LoadedModel:
    """Load the model and tokenizer of a folder, on the CPU, in evaluation mode.

    Raises:
        ModelFolderError: a part is missing, damaged, of a later format, or belongs to another model; or the folder is replaced
            again and again while it is read.
    """
    changed = ModelFolderError(f"{path} must not change while it is read; it did, {TRIES} times. Load it again later.")
    return read_unchanged([Path(path) / name for name in READ], lambda: _load(Path(path)), changed)


def _load(path: Path) -> LoadedModel:
    folder = _put_back(path)
    missing = [part for part in PARTS if not is_file(folder / part)]
    if missing:
        what = "an existing folder" if not is_folder(folder) else f"a model folder; {' and '.join(missing)} missing"
        if is_file(folder):
            hint = f" If it is a model in another format, `regard convert {folder} FOLDER` makes one of it."
        else:
            hint = "" if is_folder(folder) else missing_hint(folder)
        if all(is_file(folder / part) for part in ADAPTER_PARTS):
            hint = f" {folder} is an adapter: name its model first, and then `--adapter {folder}`."
        raise ModelFolderError(f"{folder} must be {what}. A model folder holds {', '.join(PARTS)}.{hint}")
    config = _load_config(folder)
    model_config = config["model"]
    check_weights(folder / WEIGHTS, model_config)
    tokenizer = _load_tokenizer(folder / TOKENIZER, config["tokenizer_sha256"], model_config.vocab_size)
    source_size = getattr(model_config, "source_vocab_size", None) or model_config.vocab_size
    source_tokenizer, source_digest = tokenizer, config.get("source_tokenizer_sha256")
    if source_digest is not None:
        source_tokenizer = _load_tokenizer(folder / SOURCE_TOKENIZER, source_digest, source_size)
    check_symbols(folder, model_config, tokenizer, source_tokenizer)
    with torch.random.fork_rng(devices=[]):
        model = build(model_config)
    load_weights(folder / WEIGHTS, model)
    return LoadedModel(model.eval(), tokenizer, source_tokenizer)


def check_symbols(
    where: Path | str,
    config: ModelConfig,
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer,
    *,
    name: Callable[[int], str | None] = lambda id: None,
) -> None:
    """Make sure that a model has embeddings for the symbols that its tokenizers put around texts.

    Args:
        where: the file or folder that says what the symbols are.
        name: gives the file and the key that an id is from, where they are known better.
    Raises:
        ModelFolderError: an id is outside the vocabulary.
    """
    source_size = getattr(config, "source_vocab_size", None) or config.vocab_size
    for side, ids, num_ids in (
        ("source", source_tokenizer.symbols.in_sources, source_size),
        ("target", tokenizer.symbols.in_targets, config.vocab_size),
    ):
        if wrong := sorted(id for id in (*ids, config.pad_id) if id >= num_ids):
            raise ModelFolderError(
                f"{name(wrong[0]) or f'{where}: ids of symbols'} must be below {num_ids:,}, the size of the {side}'s vocabulary; "
                f"got {wrong[0]}."
            )


def _load_tokenizer(path: Path, digest: str, vocab_size: int) -> Tokenizer:
    if not path.is_file() or digest_of(path) != digest:
        raise ModelFolderError(f"{path} must be the tokenizer that the model was trained with; its checksum differs.")
    tokenizer = Tokenizer.load(path)
    # A converted model may have more embeddings than its tokenizer has tokens, because sizes are rounded up for speed.
    if len(tokenizer) > vocab_size or (tokenizer.is_ours and len(tokenizer) != vocab_size):
        raise ModelFolderError(
            f"{path.parent}: tokenizer and model must have the same vocabulary size; got {len(tokenizer)} and {vocab_size}."
        )
    return tokenizer


def stored_config(folder: Path) -> ModelConfig | None:
    """The configuration of a model folder, without its weights; None: it is not a folder of ours, or damaged."""
    try:
        config: ModelConfig = _load_config(folder)["model"]
    except ModelFolderError:
        return None
    return config


def _load_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(config, dict) and "format_version" not in config:
            raise ModelFolderError(
                f"{path} must be the configuration of a Regard model; got one without format_version. To convert a model "
                f"of another library: regard convert {folder} NEW"
            )
        version = config["format_version"]
        if version != FORMAT_VERSION:
            raise ModelFolderError(
                f"{path}: format_version must be {FORMAT_VERSION}; got {version}. A newer Regard wrote it: pip install -U regard"
            )
        return {**config, "model": parse_config(config["model"]), "tokenizer_sha256": config["tokenizer_sha256"]}
    except SettingsError as error:
        raise ModelFolderError(f"{path}: {error}") from error
    except ValidationError as error:
        raise ModelFolderError(f"{path}: {first_problem(error, 'model.')}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise ModelFolderError(f"{path} must be a model's configuration; got {error!r}. Is it whole?") from error
