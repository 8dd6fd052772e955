"""COMET, a score of translations by a neural network, with the library `unbabel-comet` and a checkpoint on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from regard.errors import DataError, MissingExtraError, ModelFolderError

INSTALL = "pip install --no-deps unbabel-comet, and then what `pip check` misses but numpy"
"""Its own requirements hold numpy below 2, and ours above."""

Comet = Callable[[Sequence[str], Sequence[str], Sequence[str]], list[float]]
"""The score of each sentence, given sources, translations and references."""


def load_comet(checkpoint: str | os.PathLike[str], *, uses_gpu: bool = False) -> Comet:
    """The scores by a checkpoint of COMET. Nothing is downloaded.

    Args:
        checkpoint: such as `wmt22-comet-da/checkpoints/model.ckpt`; two folders above it is its `hparams.yaml`.
    Raises:
        DataError: there is no such file.
        MissingExtraError: the library is not installed.
        ModelFolderError: the library cannot read the checkpoint.
    Source: Rei et al. 2020.
    """
    path = Path(checkpoint)
    if not path.is_file():
        raise DataError(
            f"--comet must be a checkpoint of COMET on this machine, such as model.ckpt; got {path}, which is no file. "
            "Nothing is downloaded."
        )
    try:
        from comet import load_from_checkpoint
    except ImportError as error:
        raise MissingExtraError("--comet", command=INSTALL) from error
    try:
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
        found = model.predict(samples, batch_size=16, gpus=int(uses_gpu), progress_bar=False)
        return [float(score) for score in found.scores]

    return scores
