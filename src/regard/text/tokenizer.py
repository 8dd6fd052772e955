"""The tokenizer, strings to ids and back: a typed interface to Hugging Face `tokenizers`, kept in one `tokenizer.json`.

All kinds share the same frame: text is brought to one of Unicode's normal forms, spaces are written as `▁` so that
they survive, and the pieces between spaces are cut into tokens. What differs is how:

* `bpe`: byte pair encoding, merges the most frequent pair again and again (Sennrich et al. 2016);
* `unigram`: a unigram language model picks the likeliest cut (Kudo 2018);
* `characters`: every character is a token;
* `words`: every piece between spaces is a token, such as a phone or a tag; one that was not learnt is unknown.

With `across_spaces`, `bpe` takes a whole line as one piece, so that phrases become tokens, too, as in SuperBPE (Liu et al.
2025, "SuperBPE: space travel for language models"; there in two stages, words first).
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from unicodedata import combining, normalize

import tokenizers
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tokenizers import decoders, models, normalizers

from regard.errors import DataError, ModelFolderError, SettingsError, first_problem
from regard.text.encoded_sentence import EncodedSentence
from regard.text.languages import Languages
from regard.text.lines import write_whole
from regard.text.phrases import PhraseEndings, Surfaces, endings_of
from regard.text.tokenizer_config import MASK, SPECIAL_TOKENS, UNK, TokenizerConfig
from regard.text.tokenizing.backends import guarded, is_unicode, joining_json, read_backend, read_content, with_words
from regard.text.tokenizing.character_map import CharacterMap
from regard.text.tokenizing.divisions import CUT_TOGETHER, divide
from regard.text.tokenizing.learning import learn_backend
from regard.text.tokenizing.spaces import begins_unknown
from regard.text.tokenizing.surfaces import surfaces_of

EXTENSION = "regard"
"""The key of `tokenizer.json` for the settings that a tokenizer of somebody else's model has besides the library's."""

Id = Annotated[int, Field(ge=0)]


class Symbols(BaseModel):
    """The special ids, and their places around a text. The defaults are those of Regard's tokenizers."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    pad_id: int = Field(default=0, ge=-1, description="-1: the vocabulary has no padding token")
    unk_id: int = Field(default=1, ge=0)
    bos_id: int = Field(default=2, ge=0, description="in front of an encoder's texts")
    eos_id: int = Field(default=3, ge=0)
    mask_id: int | None = Field(default=None, ge=0)
    start_ids: list[Id] = Field(default=[2], min_length=1, description="what a decoder has read before it writes")
    source_begin_ids: list[Id] = Field(
        default=[], description="in front of a source; of a decoder without one, of a prompt"
    )
    source_end_ids: list[Id] = [3]
    banned_ids: list[Id] = Field(default=[0, 1, 2], description="what a decoder never writes")
    lines_end: bool = Field(default=True, description="whether eos_id is the line break in running text")
    language_ids: list[Id] = Field(
        default=[], description="tokens of languages, which are never read from a text nor shown in one"
    )

    @property
    def in_sources(self) -> set[int]:
        """The special ids in sources."""
        return {self.pad_id, self.unk_id, *self.source_begin_ids, *self.source_end_ids}

    @property
    def in_targets(self) -> set[int]:
        """The special ids in targets."""
        return self.special_ids | set(self.banned_ids)

    @property
    def special_ids(self) -> set[int]:
        """The special ids, which are never read from a text nor shown in one."""
        ids = {self.pad_id, self.unk_id, self.bos_id, self.eos_id, *self.start_ids}
        return ids | {*self.language_ids} | ({self.mask_id} if self.mask_id is not None else set())


class _Extension(BaseModel):
    """Regard's part of `tokenizer.json`."""

    symbols: Symbols | None = None
    """None: those of Regard's tokenizers."""
    vocabulary: list[str] | None = None
    num_ids: int | None = Field(default=None, ge=1)
    languages: Languages | None = None
    is_ours: bool = False
    """Whether it is a tokenizer of ours with other symbols."""


class Tokenizer:
    """A tokenizer: strings to ids and back.

    A tokenizer of ours gives its special tokens fixed ids: pad 0, unknown 1, begin 2, end 3. One that came with somebody
    else's model has the ids that its `symbols` say, and may name its tokens by a list of its own, its `vocabulary`.

    A special token spelled out in a text ("</s>") is never read as the symbol. Decoding gives back what was encoded,
    composed (NFC), but for one leading space, a literal "▁" (which is read as a space), and characters that are not in the
    vocabulary: never seen in training, or too rare for its size.
    """

    def __init__(
        self,
        backend: tokenizers.Tokenizer,
        symbols: Symbols | None = None,
        vocabulary: Sequence[str] | None = None,
        *,
        num_ids: int | None = None,
        languages: Languages | None = None,
    ) -> None:
        self.languages = languages
        """The languages of the model, and how texts name them; None: nothing in a text names a language."""
        self._backend = backend
        self._backend.encode_special_tokens = True
        self._backend.no_padding()  # what a file may ask for; batches are ours to pad, and texts to cut off
        self._backend.no_truncation()
        self.symbols = Symbols(mask_id=backend.token_to_id(MASK)) if symbols is None else symbols
        self.pad_id, self.unk_id = self.symbols.pad_id, self.symbols.unk_id
        self.bos_id, self.eos_id = self.symbols.bos_id, self.symbols.eos_id
        self.mask_id = self.symbols.mask_id
        """The id of <mask>, where there is one."""
        self._special = self.symbols.special_ids
        self.is_ours = symbols is None
        self._is_taken_apart = self.is_ours and isinstance(backend.normalizer, normalizers.NFD)
        self._divides = self.is_ours and isinstance(backend.decoder, decoders.Metaspace)
        """Whether a text that is divided before a space has the tokens of its parts."""
        self.vocabulary = None if vocabulary is None else list(vocabulary)
        """The token of each id, where the backend only cuts texts into tokens; None: the backend's ids are the ids."""
        size = backend.get_vocab_size() if vocabulary is None else len(vocabulary)
        self.num_ids = size if num_ids is None else min(num_ids, size)
        """The number of ids; those from there on are unknown to the model, whose tokenizer came with more tokens than
        it has embeddings.
        """
        self._ids = {token: id for id, token in enumerate(self.vocabulary or ())}

    @property
    def has_words(self) -> bool:
        """Whether its tokens are words, as it was learnt here."""
        return self.is_ours and isinstance(self._backend.model, models.WordLevel)

    def __len__(self) -> int:
        return self.num_ids

    @classmethod
    def train(cls, lines: Iterable[str], config: TokenizerConfig | None = None) -> Tokenizer:
        """Learn a tokenizer from lines of text; for translation, give it both languages.

        Raises:
            SettingsError: the vocabulary is too small for the text's characters (`unigram`; `bpe` and `characters` leave
                the rarest out).
        """
        config = config or TokenizerConfig()
        return cls(learn_backend(lines, config)).with_tokens(config.add)

    def with_tokens(self, tokens: Sequence[str]) -> Tokenizer:
        """A copy of the tokenizer with more tokens, which are found anywhere in a text and never cut; itself, if there are none.

        They have the ids after all others, but for those that it has already. In a tokenizer of ours, what follows one without
        a space belongs to the same word, so that letters can be added. Where its tokens are words, a new one is a word, too,
        unless it is a tag such as `<x>`.

        Raises:
            SettingsError: a token is a symbol, or has a space; or the model has no embedding for the last tokens as it is.
        """
        if not tokens:
            return self
        special = {self._token(id) for id in self._special if id >= 0} | {*SPECIAL_TOKENS, MASK}
        if wrong := next(
            (token for token in tokens if token in special or token != token.strip() or " " in token), None
        ):
            raise SettingsError(f"tokenizer.add must hold tokens without spaces that are no symbols; got {wrong!r}.")
        if self.vocabulary is None and self.num_ids < self._backend.get_vocab_size():
            raise SettingsError(
                "tokenizer.add needs a model with an embedding for each token of its tokenizer; this has fewer."
            )
        words = [token for token in tokens if self.has_words and not (token[0] == "<" and token[-1] == ">")]
        others = [token for token in tokens if token not in words]
        content = with_words(self.backend_json, words) if words else self.backend_json
        backend = tokenizers.Tokenizer.from_str(joining_json(content) if self.is_ours and others else content)
        # Looked for in composed text, like all others. In taken-apart text, the library would spell them taken apart, too.
        composes = self.is_ours and isinstance(backend.normalizer, normalizers.NFC)
        backend.add_tokens([tokenizers.AddedToken(token, normalized=composes, special=False) for token in others])
        vocabulary = None if self.vocabulary is None else list(dict.fromkeys([*self.vocabulary, *tokens]))
        return Tokenizer(backend, None if self.is_ours else self.symbols, vocabulary, languages=self.languages)

    def with_languages(self, languages: Languages) -> Tokenizer:
        """A copy of the tokenizer for a model of several languages. Their tokens are symbols from now on: they are never read
        from a text, nor shown in one.

        Raises:
            ModelFolderError: the token of a language is not in the vocabulary.
        """
        ids = []
        for code, token in languages.tokens.items():
            if (id := self.id_of(token)) is None:
                raise ModelFolderError(
                    f"the token {token!r} of the language {code} must be in the vocabulary; it is not."
                )
            ids.append(id)
        return self._with_own(self.symbols.model_copy(update={"language_ids": ids}), languages)

    def without_languages(self) -> Tokenizer:
        """A copy of the tokenizer that reads the tokens of languages as any others."""
        return self._with_own(self.symbols.model_copy(update={"language_ids": []}))

    def directed(self, source: str | None, target: str | None) -> Tokenizer:
        """A copy of the tokenizer for texts of one direction, whose symbols name its languages.

        Args:
            source, target: codes as `Languages.code` gives them; None: unknown.
        """
        assert self.languages is not None
        before, after, written = self.languages.around(source, target, self._id_of_language)
        symbols, changes = self.symbols, dict[str, Any]()
        changes["source_begin_ids"] = [*before, *symbols.source_begin_ids]
        changes["source_end_ids"] = [*symbols.source_end_ids, *after]
        if written is not None:
            changes["start_ids"] = [written] if self.languages.starts else [*symbols.start_ids, written]
        return self._with_own(symbols.model_copy(update=changes))

    def _with_own(self, symbols: Symbols, languages: Languages | None = None) -> Tokenizer:
        """A copy with other symbols at the same ids, of the same kind, and with these languages."""
        found = copy.copy(self)
        found.symbols, found._special, found.languages = symbols, symbols.special_ids, languages
        return found

    def _id_of_language(self, token: str) -> int:
        id = self.id_of(token)
        assert id is not None  # `with_languages` has looked
        return id

    def with_symbols(self, symbols: Symbols) -> Tokenizer:
        """A copy of the tokenizer with other symbols; itself, where they are equal."""
        if symbols == self.symbols:
            return self
        return Tokenizer(
            tokenizers.Tokenizer.from_str(self.backend_json), symbols, self.vocabulary, num_ids=self.num_ids,
            languages=self.languages,
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path | str) -> Tokenizer:
        """Load a tokenizer from a `tokenizer.json`.

        Raises:
            ModelFolderError: the file is missing, damaged, or numbers the special tokens differently.
        """
        content = read_content(path)
        extra = content.pop(EXTENSION, {})
        backend = read_backend(content, path)
        try:
            kept = _Extension.model_validate(extra)
        except ValidationError as error:
            what = first_problem(error, f"{EXTENSION}.")
            raise ModelFolderError(f"{path} must be a tokenizer in JSON; got: {what} Is it whole?") from error
        ids = [backend.token_to_id(token) for token in SPECIAL_TOKENS]
        if kept.symbols is None and ids != [0, 1, 2, 3]:
            raise ModelFolderError(f"{path} must give {', '.join(SPECIAL_TOKENS)} the ids 0 to 3; got {ids}.")
        found = cls(backend, None if kept.is_ours else kept.symbols, kept.vocabulary, num_ids=kept.num_ids)
        if kept.is_ours and kept.symbols is not None:
            found = found._with_own(kept.symbols)
        return found if kept.languages is None else found.with_languages(kept.languages)

    def save(self, path: Path | str) -> None:
        """Write `tokenizer.json`, whole or not at all. What Hugging Face's format does not have is under the key `regard`."""
        content = self._backend.to_str(pretty=True)
        extra: dict[str, Any] = {}
        if self.is_ours and self.symbols != Symbols(mask_id=self.mask_id):
            extra = {"symbols": self.symbols.model_dump(), "is_ours": True}
        if not self.is_ours:
            extra = {"symbols": self.symbols.model_dump(), "vocabulary": self.vocabulary, "num_ids": self.num_ids}
        if self.languages is not None:
            extra["languages"] = self.languages.model_dump()
        if extra:
            content = json.dumps({**json.loads(content), EXTENSION: extra}, ensure_ascii=False, indent=2)
        write_whole(path, content.encode("utf-8"))

    def check_saved(self) -> None:
        """Make sure that what `save` writes is read as the same tokenizer.

        Raises:
            ModelFolderError: it is not.
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / "tokenizer.json"
            self.save(path)
            loaded = Tokenizer.load(path)
        ids = range(len(self))
        if (len(loaded), loaded.symbols, loaded.tokens(ids)) != (len(self), self.symbols, self.tokens(ids)):
            raise ModelFolderError(
                "a tokenizer must be the same after it was saved and read; got another one. Please report this."
            )

    @property
    def backend_json(self) -> str:
        """The tokenizer as Hugging Face `tokenizers` reads it, without symbols and vocabulary of its own."""
        return self._backend.to_str(pretty=True)

    @property
    def identity(self) -> str:
        """All that decides how texts are cut into tokens and framed: equal for tokenizers that do so alike, whatever languages
        they name.
        """
        parts = [self.backend_json, self.symbols.model_dump_json()]
        if self.vocabulary is not None:
            parts.append(json.dumps([self.vocabulary, self.num_ids]))
        elif self.num_ids < self._backend.get_vocab_size():
            parts.append(str(self.num_ids))
        return "".join(parts)

    @cached_property
    def _character_map(self) -> CharacterMap | None:
        """The map that texts go through before the backend reads them; None: there is none."""
        return CharacterMap.of(self._backend.normalizer)

    @cached_property
    def longest_token(self) -> int:
        """The number of characters of the longest token of the vocabulary."""
        tokens = self._backend.get_vocab() if self.vocabulary is None else self.vocabulary
        return max(map(len, tokens), default=1)

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without begin and end symbols."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Encode many texts on all processors; about a megabyte of text at a time, as memory is some 300 times that.

        Raises:
            DataError: a text is not a string, or holds half of a surrogate pair.
            ModelFolderError: the tokenizer cannot cut it.
        """
        ids: list[list[int]] = []
        for begin, end in _portions(texts):
            portion = texts[begin:end]
            if self._divides and len(portion[0]) > CUT_TOGETHER:
                parts = (self._encode_portion([part], end)[0] for part in divide(portion[0], CUT_TOGETHER))
                ids.append(list(itertools.chain.from_iterable(parts)))
            else:
                ids += self._encode_portion(portion, begin + 1)
        return ids

    def _encode_portion(self, texts: Sequence[str], first: int) -> list[list[int]]:
        """Encode a few texts; `first` is the number of the first, for messages."""
        # The fast way leaves out how tokens are spelled.
        encode = self._backend.encode_batch_fast if self.vocabulary is None else self._backend.encode_batch
        return [self._ids_of(row) for row in self._encodings(encode, texts, first)]

    def _encodings(self, encode: Callable[..., list[Any]], texts: Sequence[str], first: int) -> list[Any]:
        """The tokens of a few texts, as a function of the backend cuts them."""
        try:
            with guarded("the tokenizer", "cut these texts"):
                if self._character_map is not None:
                    texts = [self._character_map(text) for text in texts]
                return encode(texts, add_special_tokens=False)
        except (TypeError, UnicodeError) as error:
            bad, text = next((i, text) for i, text in enumerate(texts, start=first) if not is_unicode(text))
            raise DataError(f"text {bad} must be a string of valid Unicode; got {text!r}.") from error

    def _ids_of(self, row: Any) -> list[int]:
        if self.vocabulary is None:
            ids: list[int] = row.ids
            if self._special.isdisjoint(ids) and max(ids, default=-1) < self.num_ids:  # as almost always
                return ids
            return [self._ordinary(id) for id in ids]
        return [self._ordinary(self._ids.get(token, self.unk_id)) for token in row.tokens]

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """The character offsets (begin, end) of each token in a text."""
        (row,) = self._encodings(self._backend.encode_batch, [text], 1)
        return self._offsets_of(row, text)

    def _offsets_of(self, row: Any, text: str) -> list[tuple[int, int]]:
        found = [(int(first), int(last)) for first, last in row.offsets]
        return found if self._character_map is None else self._character_map.original(text, found)

    def encode_sentence(self, text: str) -> EncodedSentence:
        """A text with its ids and their offsets.

        Raises:
            DataError, ModelFolderError: as for `encode_batch`.
        """
        if self._divides and len(text) > CUT_TOGETHER:
            return EncodedSentence(text, self.encode(text), self.offsets(text))
        (row,) = self._encodings(self._backend.encode_batch, [text], 1)
        return EncodedSentence(text, self._ids_of(row), self._offsets_of(row, text))

    def spans(self, ids: Sequence[int]) -> list[tuple[int, int]]:
        """The character offsets of each id in `decode(ids)`, for any segmentation; (n, n) for special tokens."""
        whole, ends = len(self.decode(ids)), [0]
        for count in range(1, len(ids) + 1):
            ends.append(min(max(len(self.decode(ids[:count])), ends[-1]), whole))
        return list(itertools.pairwise(ends))

    def frame_source(self, ids: Sequence[int]) -> list[int]:
        """Put the symbols that an encoder expects around the ids of a text."""
        return [*self.symbols.source_begin_ids, *ids, *self.symbols.source_end_ids]

    def id_of(self, token: str) -> int | None:
        """The id of a token, by its spelling; None: it is not in the vocabulary."""
        id = self._backend.token_to_id(token) if self.vocabulary is None else self._ids.get(token)
        return id if id is not None and id < self.num_ids else None

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """The spelling of each id; `▁` is a space."""
        return [self._token(id) or UNK for id in ids]

    def ids_without_token(self, num_embeddings: int) -> list[int]:
        """The ids below `num_embeddings` that have no token: a model may have more embeddings than there are tokens."""
        return [id for id in range(num_embeddings) if self._token(id) is None]

    def endings_of(self, phrases: Sequence[str]) -> PhraseEndings:
        """The tokens that would complete phrases, wherever they are written and however they are cut. White space in a phrase is
        one space.
        """
        normalizer = self._backend.normalizer
        written = [" ".join(phrase.split()) for phrase in phrases]
        if self._character_map is not None:
            written = [self._character_map(phrase) for phrase in written]
        if normalizer is not None:
            written = [normalizer.normalize_str(phrase).replace("▁", " ").strip() for phrase in written]
        return endings_of(tuple(phrase.encode() for phrase in written if phrase), self._surfaces)

    @cached_property
    def _surfaces(self) -> Surfaces:
        tokens = [None if id in self._special else self._token(id) for id in range(self.num_ids)]
        return Surfaces(surfaces_of(tokens, self._backend.decoder))

    def decode(self, ids: Sequence[int]) -> str:
        """Decode ids to a text, without special symbols; where it begins with unknown pieces, also without the spaces
        after them.
        """
        with guarded("the tokenizer", "put these tokens together"):
            if self.vocabulary is None and self.is_ours:
                shown = [id for id in ids if id not in self._special] if self.symbols.language_ids else list(ids)
                text = self._backend.decode(shown, skip_special_tokens=True)
                text = normalize("NFC", text) if self._is_taken_apart else text
            else:
                tokens = [token for id in ids if id not in self._special and (token := self._token(id)) is not None]
                text = str(self._backend.decoder.decode(tokens)) if self._backend.decoder else " ".join(tokens)
        begins = text[:1] == " " and begins_unknown(ids, self.unk_id, self._special, self._token)
        return text.lstrip(" ") if begins else text

    def decode_so_far(self, ids: Sequence[int]) -> str:
        """Decode the part of a text that no following id can change."""
        text = self.decode(ids).rstrip("\N{REPLACEMENT CHARACTER}")
        if not self._is_taken_apart or not text.strip(" "):  # an unknown piece may follow spaces
            return text if text.strip(" ") else ""
        last = max((place for place, character in enumerate(text) if not combining(character)), default=0)
        return text[:last]

    def _token(self, id: int) -> str | None:
        if self.vocabulary is None:
            return self._backend.id_to_token(id)
        return self.vocabulary[id] if 0 <= id < len(self.vocabulary) else None

    def _ordinary(self, id: int) -> int:
        """The id itself, or unknown for a symbol: unigram models would read "</s>" in a text as the end."""
        return self.unk_id if id in self._special or id >= self.num_ids else id


def _portions(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of texts with about a million characters each at most, to be encoded together."""
    begin, size = 0, 0
    for index, text in enumerate(texts):
        more = len(text) if isinstance(text, str) else 1
        if index > begin and size + more > CUT_TOGETHER:
            yield begin, index
            begin, size = index, 0
        size += more
    if begin < len(texts):
        yield begin, len(texts)
