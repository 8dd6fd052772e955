import json
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.data.labelled import encode_words
from regard.errors import DataError
from regard.text import length_limits as limits
from regard.text import tokenizer as tokenizing
from regard.text.length_limits import beginning, check_lengths
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.text.tokenizing import learning

LINES = ["the cat sees two dogs play in the park 12 zwölf ệ", "각 난 é the park the cat", "thethethe catcatcat"] * 5
KINDS: dict[str, dict[str, Any]] = {
    "bpe": {"vocab_size": 90},
    "unigram": {"kind": "unigram", "vocab_size": 70},
    "characters": {"kind": "characters", "vocab_size": 60},
    "words": {"kind": "words", "vocab_size": 40},
    "phrases": {"vocab_size": 120, "across_spaces": True},
    "no space": {"vocab_size": 90, "leading_space": False, "normalization": "NFD"},
}
HUGE = 10_000_000


def foreign() -> Tokenizer:
    """As BERT's: white space and control characters are dropped, a long word is one unknown token."""
    vocabulary = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "the": 4, "cat": 5, "##s": 6}
    backend = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    backend.normalizer, backend.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return Tokenizer(backend, Symbols(bos_id=2, eos_id=3))


TOKENIZERS = {name: Tokenizer.train(LINES, TokenizerConfig(**config)) for name, config in KINDS.items()}
TOKENIZERS["foreign"] = foreign()
PIECES = st.sampled_from(
    ["the ", "cat", " ", "    ", "Ж", "ЖЖЖЖЖЖЖЖ", "é", "\u0301", "\u1112\u1161\u11ab", "1", "catcat", "\t", "\x01", "s"]
)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(pieces=st.lists(PIECES, min_size=1, max_size=150), limit=st.integers(1, 60), at_once=st.integers(3, 40))
def test_no_text_that_fits_is_cut(name: str, pieces: list[str], limit: int, at_once: int) -> None:
    text, tokenizer = "".join(pieces), TOKENIZERS[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "READ_AT_ONCE", at_once)
        begin = beginning(text, tokenizer, limit)
    assert text.startswith(begin)
    if begin != text:
        assert len(tokenizer.encode(text)) > limit
        assert len(tokenizer.encode(begin)) > limit


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of characters that were cut into tokens, text by text."""
    seen: list[int] = []
    encode = Tokenizer._encode_portion

    def noted(self: Tokenizer, texts: list[str], first: int) -> list[list[int]]:
        seen.extend(map(len, texts))
        return encode(self, texts, first)

    monkeypatch.setattr(Tokenizer, "_encode_portion", noted)
    return seen


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize(
    "text", ["the cat " * (HUGE // 8), "Ж cat " * (HUGE // 6), "a" * HUGE], ids=["words", "unknown", "one"]
)
def test_of_a_huge_text_a_little_is_read(name: str, text: str, sizes: list[int]) -> None:
    if text[1] == "a" and name in ("words", "foreign"):
        return  # a word of any length is one unknown token, so the text fits
    with pytest.raises(
        DataError, match=r"^pair 7: a text must have at most 1000 tokens; got more, in [0-9,]{9,10} char"
    ):
        check_lengths(["the", text], TOKENIZERS[name], 1000, first=6, what="pair {}")
    assert sum(sizes) < 200_000


@pytest.mark.parametrize("name", ["unigram", "words", "foreign"])
def test_a_long_text_of_few_tokens_is_read_whole(name: str) -> None:
    tokenizer, text = TOKENIZERS[name], "the " + "Ж" * 100_000 + " cat"
    assert beginning(text, tokenizer, 10) == text
    assert len(tokenizer.encode(text)) <= 4
    check_lengths([text], tokenizer, 10)


def test_pairs_with_a_huge_side_are_left_out_unread(sizes: list[int]) -> None:
    huge, tokenizer = "the cat " * 100_000, TOKENIZERS["bpe"]
    text = ParallelText(["the", huge, "cat", "the cat " * 40, "two"], ["cat", "the", huge, "the", "dogs"], "pairs")
    pairs = encode_pairs(text, tokenizer, 50)
    assert pairs.too_long == (1, 2, 3)
    assert [len(pairs.sources), len(pairs.targets)] == [2, 2]
    assert pairs.targets[1].tolist() == [*tokenizer.encode("dogs"), tokenizer.eos_id]
    assert sum(sizes) < 100_000


@pytest.mark.parametrize("words", [["the cat " * 100_000], ["the"] * 300_000, ["cat", "the" * 300_000, "cat"]])
def test_a_huge_text_is_cut_as_if_all_had_been_read(words: list[str], sizes: list[int]) -> None:
    tokenizer, limit = TOKENIZERS["bpe"], 40
    ids, beginnings, are_cut = encode_words([words, ["the"]], tokenizer, limit)
    assert sum(sizes) < 100_000
    whole = [id for word in words[:100] for id in tokenizer.encode(word[:2000])]
    assert ids[0] == [tokenizer.bos_id, *whole[: limit - 2], tokenizer.eos_id]
    assert len(beginnings[0]) == len(words)
    assert all(begin == -1 for begin in beginnings[0][limit:])
    assert are_cut == [True, False]


def test_texts_are_encoded_in_portions(monkeypatch: pytest.MonkeyPatch, sizes: list[int]) -> None:
    tokenizer = TOKENIZERS["bpe"]
    texts = ["the cat", "", "two dogs", "the park the park", "a", "zwölf"]
    expected = [tokenizer.encode(text) for text in texts]
    monkeypatch.setattr(tokenizing, "CUT_TOGETHER", 10)
    assert [list(part) for part in tokenizing._portions(texts)] == [[0, 2], [2, 3], [3, 4], [4, 6]]
    assert tokenizer.encode_batch(texts) == expected
    assert tokenizer.encode_batch([]) == []
    with pytest.raises(DataError, match=r"text 5 must be .*Unicode"):
        tokenizer.encode_batch([*texts[:4], "\ud800"])


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters", "words"])
@pytest.mark.parametrize("settings", [{}, {"leading_space": False}, {"normalization": "NFD", "add": ["<br>"]}])
@given(text=st.text("ab1é ▁<br>\u0308\u00a0", min_size=41, max_size=200), most=st.integers(1, 40))
def test_a_long_text_has_the_tokens_of_its_parts(kind: Any, settings: Any, text: str, most: int) -> None:
    tokenizer = learnt_so(kind, json.dumps(settings))
    expected = tokenizer.encode(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizing, "CUT_TOGETHER", most)
        assert tokenizer.encode_batch(["a", text, "b 1"])[1] == expected


@cache
def learnt_so(kind: Any, settings: str) -> Tokenizer:
    config = TokenizerConfig(kind=kind, vocab_size=60, **json.loads(settings))
    return Tokenizer.train(["ab ab1 é <br> ab", "<b r a1 b1  é", "b a \u00a0a < > ▁"], config)


def test_where_tokens_reach_across_spaces_a_long_text_is_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer.train(["the cat"] * 9, TokenizerConfig(vocab_size=40, across_spaces=True))
    expected = tokenizer.encode("the cat the cat")
    monkeypatch.setattr(tokenizing, "CUT_TOGETHER", 4)
    assert tokenizer.encode("the cat the cat") == expected


def test_a_vocabulary_is_learnt_from_a_line_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    line, config = "the cat sees the dog " * 30, TokenizerConfig(vocab_size=40)
    expected = Tokenizer.train([line], config).backend_json
    monkeypatch.setattr(learning, "CUT_TOGETHER", 50)
    assert Tokenizer.train([line], config).backend_json == expected
