"""COMET, a score of translations by a neural network, with the library `unbabel-comet` and a checkpoint on the disk."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from regard.errors import DataError, MissingExtraError, ModelFolderError
from regard.names import is_file

INSTALL = (
    "pip install pytorch-lightning entmax scipy pandas sentencepiece 'transformers<5', and then: "
    "pip install --no-deps unbabel-comet jsonargparse==3.13.1 torchmetrics==0.10.3"
)
"""The command that installs COMET. Version 2.2.7 requires numpy below 2, and we require numpy 2, with which it works:
it is installed without what it requires.
"""

Comet = Callable[[Sequence[str], Sequence[str], Sequence[str]], list[float]]
"""A function that scores each sentence, given sources, translations and references."""


def load_comet(checkpoint: str | os.PathLike[str], *, uses_gpu: bool = False) -> Comet:
    """Load a checkpoint of COMET. Nothing is downloaded.

    Args:
        checkpoint: such as `wmt22-comet-da/checkpoints/model.ckpt`; two folders above it is its `hparams.yaml`.
    Raises:
        DataError: there is no such file.
        MissingExtraError: the library is not installed.
        ModelFolderError: the library cannot read the checkpoint.
    Source: Rei et al. 2020.
    """
    path = Path(checkpoint)
    if not is_file(path):
        raise DataError(
            f"--comet must be a checkpoint of COMET on this machine, such as model.ckpt; got {path}, which is no file. "
            "Nothing is downloaded."
        )
    try:
        with _quiet():
            from comet import load_from_checkpoint
    except ImportError as error:
        raise MissingExtraError("--comet", command=INSTALL) from error
    try:
        with _quiet():
            model = load_from_checkpoint(str(path), local_files_only=True)
    except Exception as error:  # which is what it raises
        reason = " ".join(str(error).split())
        raise ModelFolderError(
            f"{path} must be a checkpoint that COMET can read; got: {reason}. The tokenizer of its encoder must be in the cache "
            "of the Hugging Face hub."
        ) from error

    def scores(sources: Sequence[str], texts: Sequence[str], references: Sequence[str]) -> list[float]:
        rows = zip(sources, texts, references, strict=True)
        samples = [{"src": source, "mt": text, "ref": reference} for source, text, reference in rows]
        with _quiet():
            found = model.predict(samples, batch_size=16, gpus=int(uses_gpu), progress_bar=False)
        return [float(score) for score in found.scores]

    return scores


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the messages of COMET and of the trainer it uses. When it is imported, it makes every library's appear."""
    root = logging.getLogger()
    level, handlers, disabled = root.level, list(root.handlers), root.manager.disable
    logging.disable(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
        root.setLevel(level)
        root.handlers[:] = handlers
