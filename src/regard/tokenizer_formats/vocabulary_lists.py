"""Vocabularies that are lists of tokens, as Marian, M2M100 and CTranslate2 store them, with a tokenizer beside them or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, pre_tokenizers

from regard.errors import ModelFolderError
from regard.text.tokenizer import Symbols


def vocabulary_list(ids: Mapping[str, Any], path: Path) -> list[str]:
    """The tokens in the order of their ids.

    Raises:
        ModelFolderError: the ids are not 0, 1, 2 and so on.
    """
    if sorted(ids.values(), key=str) != sorted(range(len(ids)), key=str):
        raise ModelFolderError(f"{path} must number its {len(ids)} tokens from 0; it does not.")
    return sorted(ids, key=ids.__getitem__)


def whole_tokens(vocabulary: Sequence[str], symbols: Symbols) -> tuple[tokenizers.Tokenizer, str]:
    """A tokenizer for a vocabulary without tokenizer, and a note on how it splits: into characters, or words at spaces."""
    is_symbol = re.compile(r"<[^<>]+>").fullmatch  # "<blank>", for example
    ordinary = [token for id, token in enumerate(vocabulary) if id not in symbols.special_ids and not is_symbol(token)]
    unk = vocabulary[symbols.unk_id]
    backend = tokenizers.Tokenizer(models.WordLevel({token: id for id, token in enumerate(vocabulary)}, unk_token=unk))
    if ordinary and all(len(token) == 1 for token in ordinary):
        backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
        backend.decoder = decoders.Fuse()
        return backend, "the vocabulary is one of characters: texts are cut into them"
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return backend, "the vocabulary came without a tokenizer: texts must be tokens with spaces between them"
