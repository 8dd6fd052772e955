"""Words follow one rule wherever they are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.alignments import token_links
from regard.data.corpus import NumberedPair
from regard.data.labelled import tagged_words
from regard.errors import SettingsError
from regard.inspection.record import Tokens
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.text.words import Separators, parse_separators, split_words, word_spans

UNICODE_SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace()]
OTHERS = [space for space in UNICODE_SPACES if space not in " \t\n\r"]
LETTERS = Tokenizer.train(["ab" + "".join(OTHERS) * 2], TokenizerConfig(kind="characters", vocab_size=60))


def test_how_many_spaces_there_are() -> None:
    assert len(UNICODE_SPACES) == 29
    assert len(OTHERS) == 25


@pytest.mark.parametrize("space", UNICODE_SPACES, ids=ascii)
def test_each_kind_of_space(space: str) -> None:
    text = f"a{space}b c"
    assert split_words(text, "whitespace") == ["a", "b", "c"]
    assert split_words(text) == (["a", "b", "c"] if space not in OTHERS else [f"a{space}b", "c"])
    if space not in "\t":
        assert tagged_words(text) == split_words(text)


@given(
    st.text(st.sampled_from(["a", "b", " ", "\t", *OTHERS]), max_size=12),
    st.sampled_from(["spaces", "whitespace"]),
)
def test_all_who_count_words_count_the_same(text: str, separators: Separators) -> None:
    words, spans = split_words(text, separators), word_spans(text, separators)
    assert [text[begin:end] for begin, end in spans] == words
    offsets = LETTERS.offsets(text)
    tokens = Tokens.from_offsets(LETTERS.tokens(LETTERS.encode(text)), list(offsets), text, separators)
    for word, (begin, end) in enumerate(spans):
        held = [token for token, (first, last) in enumerate(offsets) if begin <= last - 1 < end and first < last]
        assert all(tokens.words[token] == word for token in held)
        pair = NumberedPair(1, text, "a", ((word, 0),), separators)
        assert sorted(set(token_links(pair, LETTERS, LETTERS)[::2])) == held


def test_separators_by_name() -> None:
    assert parse_separators("whitespace") == "whitespace"
    with pytest.raises(SettingsError, match=r"must be spaces or whitespace; got 'space'\. Did you mean 'spaces'"):
        parse_separators("space")
