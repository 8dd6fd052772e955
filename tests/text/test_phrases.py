"""Phrases that are never written, however they are cut into tokens."""

import re
from random import Random
from time import perf_counter

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers, trainers

from regard.text.phrases import PhraseEndings, Surfaces
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

PIECES = ["", " un", "un", "u", "n", "ne", "'", "d'un", " ", " un ", "-", "é", "一", "un."]


def ends_of(phrase: str, text: str) -> list[int]:
    """Where a phrase ends in a text, as whole words, by an expression: an oracle."""
    begin = "" if phrase[0] in "一'" else "(?<![a-zé])"
    end = "" if phrase[-1] in "一'" else "(?![a-zé])"
    return [match.end(1) for match in re.finditer(f"(?={begin}({re.escape(phrase)}){end})", text)]


@given(
    st.lists(st.sampled_from(["un", "n", "d'un", "un un", "é", "一", "一un", "'", "un'un"]), max_size=3),
    st.lists(st.sampled_from(range(len(PIECES))), max_size=8),
)
@settings(max_examples=500)
def test_a_token_is_forbidden_where_it_completes_a_phrase(phrases: list[str], ids: list[int]) -> None:
    surfaces = Surfaces([piece.encode() for piece in PIECES])
    endings = PhraseEndings([phrase.encode() for phrase in phrases], surfaces)
    written = "".join(PIECES[id] for id in ids)
    forbidden = {
        id
        for id, piece in enumerate(PIECES)
        if any(end > len(written) for phrase in phrases for end in ends_of(phrase, written + piece))
    }
    assert set(endings.after(ids)) == forbidden
    assert set(endings.after(ids[-endings.num_tokens :])) == forbidden


def test_characters_of_several_tokens() -> None:
    surfaces = Surfaces([bytes([byte]) for byte in range(256)])
    endings = PhraseEndings(["кот".encode()], surfaces)
    *begun, last = "кот".encode()
    assert endings.after(begun) == endings.after([*b" ", *begun]) == (last,)
    assert endings.after([*"с".encode(), *begun]) == (), "within a word"


LINES = ["un ami d'un homme, c'est l'été", "die Hündin läuft", "나무 아래", "a-b-c un-deux"] * 3


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters", "words"])
@pytest.mark.parametrize("normalization", ["NFC", "NFD"])
def test_tokens_write_the_text(kind: str, normalization: str) -> None:
    tokenizer = Tokenizer.train(LINES, TokenizerConfig(kind=kind, vocab_size=70, normalization=normalization))
    for line in LINES[:4]:
        ids = tokenizer.encode(line)
        for phrase in ("un", "d'un", "été", "Hündin", "나무", "homme", "l'été", "un  ami\n", line):
            is_there = bool(ends_of(" ".join(phrase.split()), line))
            assert tokenizer.endings_of([phrase]).are_in(ids) == is_there, (line, phrase)


def foreign(kind: str) -> Tokenizer:
    """A tokenizer as others make them."""
    symbols = ["<pad>", "<unk>", "<s>", "</s>"]
    if kind == "byte-level":
        backend = tokenizers.Tokenizer(models.BPE())
        backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=symbols, initial_alphabet=alphabet)
    elif kind == "word-piece":
        backend = tokenizers.Tokenizer(models.WordPiece(unk_token="<unk>"))
        backend.pre_tokenizer, backend.decoder = pre_tokenizers.Whitespace(), decoders.WordPiece(cleanup=False)
        trainer = trainers.WordPieceTrainer(vocab_size=90, special_tokens=symbols)
    elif kind == "suffix":
        backend = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
        backend.pre_tokenizer, backend.decoder = pre_tokenizers.Whitespace(), decoders.BPEDecoder()
        trainer = trainers.BpeTrainer(vocab_size=90, special_tokens=symbols, end_of_word_suffix="</w>")
    else:
        mark = "_" if kind == "underscore" else "▁"
        in_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
        pieces = [*symbols, *in_bytes, mark, f"{mark}un", "u", "n", f"{mark}d", "'", "t"]
        backend = tokenizers.Tokenizer(
            models.Unigram([(piece, -1.0) for piece in pieces], unk_id=1, byte_fallback=True)
        )
        backend.pre_tokenizer = pre_tokenizers.Metaspace(replacement=mark)
        backend.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(replacement=mark)])
        return Tokenizer(backend, Symbols())
    backend.train_from_iterator(LINES, trainer)
    return Tokenizer(backend, Symbols())


@pytest.mark.parametrize("kind", ["byte-level", "word-piece", "suffix", "byte-fallback", "underscore"])
def test_tokens_of_others_write_the_text(kind: str) -> None:
    tokenizer = foreign(kind)
    for line in LINES[:4]:
        ids = tokenizer.encode(line)
        for word in ("un", "été", "Hündin", "나무", "c", "'"):
            assert tokenizer.endings_of([word]).are_in(ids) == bool(ends_of(word, line)), (line, word)
        endings = tokenizer.endings_of(["été", "Hündin", "나무"])
        stopped = [place for place, id in enumerate(ids) if id in endings.after(ids[:place])]
        assert len(stopped) == sum(word in line for word in ("été", "Hündin", "나무")), line


@pytest.mark.parametrize(("text", "part"), [("ބަސް", "ސް"), ("བོད", "ད"), ("می\u200cخواهم", "خواهم"), ("ka\u1dc4t", "t")])
def test_marks_and_joiners_belong_to_words(text: str, part: str) -> None:
    tokenizer = Tokenizer.train([text] * 20, TokenizerConfig(kind="characters", vocab_size=60))
    ids = tokenizer.encode(text)
    assert tokenizer.endings_of([text]).are_in(ids)
    assert not tokenizer.endings_of([part]).are_in(ids)


def test_many_long_phrases_take_no_time() -> None:
    random = Random(1)
    words = ["".join(random.choices("abcdefgh", k=random.randint(3, 9))) for _ in range(60_000)]
    surfaces = Surfaces([f" {word}".encode() for word in words])
    started = perf_counter()
    endings = PhraseEndings([word.encode() for word in words[:1000]] + [b"x y " * 250], surfaces)
    assert perf_counter() - started < 20  # of 60,000 x 1,000 comparisons, minutes
    assert set(endings.after([])) >= set(range(1000))


def test_tokens_beyond_those_of_the_model_are_left_out() -> None:
    """A tokenizer may have more tokens than the model has embeddings: there is nothing to forbid there."""
    whole = foreign("byte-level")
    fewer = Tokenizer.train(LINES, TokenizerConfig(vocab_size=70))
    cut = Tokenizer(tokenizers.Tokenizer.from_str(fewer.backend_json), fewer.symbols, num_ids=20)
    for phrase in ("un", "d", "a", "e"):
        assert max(cut.endings_of([phrase]).after([]), default=0) < 20
        assert max(fewer.endings_of([phrase]).after([]), default=0) < len(fewer)
        assert max(whole.endings_of([phrase]).after([]), default=0) < len(whole)
