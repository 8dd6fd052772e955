"""Learning of a vocabulary from lines of text, with the library `tokenizers`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from regard.errors import RegardError, SettingsError
from regard.text.tokenizer_config import MASK, SPECIAL_TOKENS, UNK, TokenizerConfig
from regard.text.tokenizing.backends import with_unlikely_symbols
from regard.text.tokenizing.divisions import CUT_TOGETHER, divide
from regard.text.tokenizing.spaces import spaces_decoder

INSIDE = "|".join(token.removeprefix("<") for token in (*SPECIAL_TOKENS, MASK))
"""An expression for special tokens without their first character."""


def learn_backend(lines: Iterable[str], config: TokenizerConfig) -> tokenizers.Tokenizer:
    """Learn a tokenizer of the library from lines of text.

    Raises:
        SettingsError: the vocabulary is too small for the text's characters (kind `unigram`).
    """
    special = [*SPECIAL_TOKENS, *([MASK] if config.with_mask else [])]
    size = max(config.vocab_size - len(config.add), len(special) + 1)  # those of `add` come after all others
    model, trainer = _model(config, special, size)
    scheme = "always" if config.leading_space else "never"
    backend = tokenizers.Tokenizer(model)
    backend.normalizer = normalizers.NFC() if config.normalization == "NFC" else normalizers.NFD()
    backend.pre_tokenizer = pre_tokenizers.Sequence(_steps(config, scheme))
    splits = not config.reaches_across_spaces
    backend.decoder = decoders.Metaspace(prepend_scheme=scheme) if splits else spaces_decoder(config.leading_space)
    try:
        backend.train_from_iterator(_parts(lines), trainer)
    except RegardError:  # an error of ours, from reading the lines
        raise
    except Exception as error:  # the library's only word for a unigram vocabulary smaller than the alphabet
        raise SettingsError(
            f"tokenizer.vocab_size must hold all characters of the text; got {size}: {error}. Increase it, or use kind bpe."
        ) from error
    return with_unlikely_symbols(backend, len(special)) if config.kind == "unigram" else backend


def _steps(config: TokenizerConfig, scheme: str) -> list[pre_tokenizers.PreTokenizer]:
    """The pre-tokenizers: they cut a text into pieces, before the pieces are cut into tokens."""
    steps: list[pre_tokenizers.PreTokenizer] = [
        pre_tokenizers.Metaspace(prepend_scheme=scheme, split=not config.reaches_across_spaces)
    ]
    if config.split_digits and config.kind != "words":
        steps.append(pre_tokenizers.Digits(individual_digits=True))
    if config.kind == "characters":
        return [*steps, pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")]
    # A special token that a text spells out is cut after its first character, so that no token is ever learnt that is spelled
    # like it: the library would take the one for the other.
    spelled = rf"^<(?=(?:{INSIDE})$)" if config.kind == "words" else rf"<(?={INSIDE})"
    if config.kind == "words":  # a space before another one, an added token or the end is no word
        steps.append(pre_tokenizers.Split(Regex("^▁$"), behavior="removed"))
    return [*steps, pre_tokenizers.Split(Regex(spelled), behavior="merged_with_previous")]


def _model(config: TokenizerConfig, special: list[str], size: int) -> tuple[models.Model, trainers.Trainer]:
    """The untrained model of a kind, and its trainer."""
    shared: dict[str, Any] = {"vocab_size": size, "special_tokens": special, "show_progress": False}
    if config.kind == "unigram":
        return models.Unigram(), trainers.UnigramTrainer(**shared, unk_token=UNK)
    if config.kind == "words":
        return models.WordLevel(unk_token=UNK), trainers.WordLevelTrainer(**shared)
    return models.BPE(unk_token=UNK), trainers.BpeTrainer(**shared, limit_alphabet=size - len(special))


def _parts(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from divide(line, CUT_TOGETHER)
