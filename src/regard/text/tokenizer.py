"""Strings to ids and back: a typed face on Hugging Face `tokenizers`, kept in one `tokenizer.json`.

All kinds share the same frame: text is brought to Unicode's composed form (NFC), spaces are written as `▁` so that
they survive, and the pieces between spaces are cut into tokens. What differs is how:

* `bpe`: byte pair encoding, merges the most frequent pair again and again (Sennrich et al. 2016);
* `unigram`: a unigram language model picks the likeliest cut (Kudo 2018);
* `characters`: every character is a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import tokenizers
from pydantic import BaseModel, ConfigDict, Field
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from regard.errors import DataError, ModelFolderError, SettingsError
from regard.text.lines import write_whole

PAD, UNK, BOS, EOS = SPECIAL_TOKENS = ("<pad>", "<unk>", "<s>", "</s>")
MASK = "<mask>"


class TokenizerConfig(BaseModel):
    """How a vocabulary is learnt from text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["bpe", "unigram", "characters"] = "bpe"
    vocab_size: int = Field(8000, ge=8, description="at most so many tokens, the four special ones included")
    split_digits: bool = Field(True, description="cut numbers into digits, so that unseen numbers are composed")
    leading_space: bool = Field(True, description="read a text as if a space stood before it, so that words are alike")
    with_mask: bool = Field(False, description="a fifth special token, <mask>, for masked language models")


class Tokenizer:
    """Strings to ids and back. Special tokens have fixed ids: pad 0, unknown 1, begin 2, end 3.

    A special token spelled out in a text ("</s>") is never read as the symbol. Decoding gives back what was encoded,
    composed (NFC), but for one leading space, a literal "▁" (which is read as a space), and characters that are not in the
    vocabulary: never seen in training, or too rare for its size.
    """

    pad_id, unk_id, bos_id, eos_id = range(4)

    def __init__(self, backend: tokenizers.Tokenizer) -> None:
        self._backend = backend
        self._backend.encode_special_tokens = True
        self.mask_id: int | None = backend.token_to_id(MASK)
        """The id of <mask>, where there is one."""

    def __len__(self) -> int:
        return self._backend.get_vocab_size()

    @classmethod
    def train(cls, lines: Iterable[str], config: TokenizerConfig | None = None) -> Tokenizer:
        """A tokenizer learnt from lines of text; for translation, give it both languages.

        Raises:
            SettingsError: the vocabulary is too small for the text's characters (`unigram`; `bpe` and `characters` leave
                the rarest out).
        """
        config = config or TokenizerConfig()
        scheme = "always" if config.leading_space else "never"
        steps: list[pre_tokenizers.PreTokenizer] = [pre_tokenizers.Metaspace(prepend_scheme=scheme)]
        if config.split_digits:
            steps.append(pre_tokenizers.Digits(individual_digits=True))
        if config.kind == "characters":
            steps.append(pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated"))
        special, size = [*SPECIAL_TOKENS, *([MASK] if config.with_mask else [])], config.vocab_size
        trainer: trainers.Trainer
        if config.kind == "unigram":
            backend = tokenizers.Tokenizer(models.Unigram())
            trainer = trainers.UnigramTrainer(
                vocab_size=size, special_tokens=special, show_progress=False, unk_token=UNK
            )
        else:
            backend = tokenizers.Tokenizer(models.BPE(unk_token=UNK))
            trainer = trainers.BpeTrainer(
                vocab_size=size, limit_alphabet=size - len(special), special_tokens=special, show_progress=False
            )
        backend.normalizer = normalizers.NFC()
        backend.pre_tokenizer = pre_tokenizers.Sequence(steps)
        backend.decoder = decoders.Metaspace(prepend_scheme=scheme)
        try:
            backend.train_from_iterator(lines, trainer)
        except Exception as error:  # the library's only word for a unigram vocabulary smaller than the alphabet
            raise SettingsError(
                f"tokenizer.vocab_size must hold all characters of the text; got {size}: {error}. Raise it, or use bpe."
            ) from error
        return cls(backend)

    @classmethod
    def load(cls, path: Path | str) -> Tokenizer:
        """The tokenizer kept in a `tokenizer.json`.

        Raises:
            ModelFolderError: the file is missing, damaged, or numbers the special tokens differently.
        """
        try:
            backend = tokenizers.Tokenizer.from_buffer(Path(path).read_bytes())
        except OSError as error:
            raise ModelFolderError(f"{path} must be a tokenizer; got: {error.strerror}.") from error
        except ValueError as error:
            raise ModelFolderError(f"{path} must be a tokenizer in JSON; got: {error}. Is it whole?") from error
        found = [backend.token_to_id(token) for token in SPECIAL_TOKENS]
        if found != [0, 1, 2, 3]:
            raise ModelFolderError(f"{path} must give {', '.join(SPECIAL_TOKENS)} the ids 0 to 3; got {found}.")
        return cls(backend)

    def save(self, path: Path | str) -> None:
        """Write `tokenizer.json`, whole or not at all."""
        write_whole(path, self._backend.to_str(pretty=True).encode("utf-8"))

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without begin and end symbols."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of many texts, on all processors.

        Raises:
            DataError: a text is not a string, or holds half of a surrogate pair.
        """
        try:
            encodings = self._backend.encode_batch_fast(texts, add_special_tokens=False)
        except (TypeError, UnicodeError) as error:
            bad = next(i for i, text in enumerate(texts, start=1) if not _is_unicode(text))
            raise DataError(
                f"text {bad} must be a string of whole Unicode characters; got {texts[bad - 1]!r}."
            ) from error
        return [[self._ordinary(id) for id in encoding.ids] for encoding in encodings]

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The spelling of each id; `▁` stands for a space."""
        return [self._backend.id_to_token(id) or UNK for id in ids]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids; special symbols are left out."""
        return self._backend.decode(list(ids), skip_special_tokens=True)

    def _ordinary(self, id: int) -> int:
        """The id itself, or unknown for a symbol: unigram models would read "</s>" in a text as the end."""
        return id if id > self.eos_id and id != self.mask_id else self.unk_id


def _is_unicode(text: object) -> bool:
    try:
        return isinstance(text, str) and text.encode() is not None
    except UnicodeEncodeError:
        return False
