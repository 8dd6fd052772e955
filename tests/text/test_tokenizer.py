from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from regard.errors import DataError, ModelFolderError, SettingsError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXTS = [
    "Zwei junge weiße Männer sind im Freien in der Nähe vieler Büsche.",
    "Two young, white males are outside near many bushes in 1998 or 2016.",
    "2016年5月3日火曜日 mardi 3 mai 2016",
] * 5
KINDS = ["bpe", "unigram", "characters"]


@pytest.fixture(params=KINDS, scope="module")
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer.train(TEXTS, TokenizerConfig(kind=request.param, vocab_size=150))


@given(
    words=st.lists(st.text(alphabet="abdeimnoruüß2016年月,.", min_size=1), min_size=1), gap=st.sampled_from([" ", "  "])
)
@pytest.mark.parametrize("kind", KINDS)
def test_decoding_gives_back_what_was_encoded(kind: str, words: list[str], gap: str) -> None:
    text = gap.join(words)
    trained = CACHE.setdefault(kind, Tokenizer.train(TEXTS, TokenizerConfig(kind=kind, vocab_size=150)))
    assert trained.decode(trained.encode(text)) == text


CACHE: dict[str, Tokenizer] = {}


def test_special_tokens_have_the_first_ids(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens([0, 1, 2, 3]) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)


def test_a_special_token_in_a_text_is_text(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a </s> b <pad> <s>")
    assert not {0, 2, 3} & set(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_a_special_token_of_known_characters_is_given_back(kind: str) -> None:
    text = "write </s> here <pad>, <unk> and <s>"
    trained = Tokenizer.train([text, "others > than / these <"], TokenizerConfig(kind=kind, vocab_size=60))
    assert trained.decode(trained.encode(text)) == text
    assert not {0, 1, 2, 3} & set(trained.encode(text))


def test_unknown_characters_become_unknown(tokenizer: Tokenizer) -> None:
    assert tokenizer.unk_id in tokenizer.encode("Ж")


def test_digits_stand_alone(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.tokens(tokenizer.encode("in 2016"))
    assert tokens[-4:] == ["2", "0", "1", "6"]


def test_composed_and_decomposed_letters_are_the_same(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("Ma\u0308nner") == tokenizer.encode("M\u00e4nner")


def test_the_vocabulary_is_no_larger_than_asked(tokenizer: Tokenizer) -> None:
    assert len(tokenizer) <= 150


def test_saved_is_loaded(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.encode_batch([*TEXTS, "</s>"]) == tokenizer.encode_batch([*TEXTS, "</s>"])


@pytest.mark.parametrize("content", ["", "{", '{"version": "1.0"}', "[]"])
def test_a_damaged_file_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(ModelFolderError, match=r"tokenizer\.json must be a tokenizer in JSON; got"):
        Tokenizer.load(path)


def test_other_special_tokens_are_refused(tmp_path: Path) -> None:
    import tokenizers

    backend = tokenizers.Tokenizer(tokenizers.models.BPE({"<pad>": 0, "a": 1}, []))
    backend.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(ModelFolderError, match="the ids 0 to 3; got \\[0, None, None, None\\]"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_a_unigram_vocabulary_smaller_than_the_alphabet_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"tokenizer\.vocab_size must hold all characters of the text; got 8"):
        Tokenizer.train(["abcdefghij"], TokenizerConfig(kind="unigram", vocab_size=8))


@pytest.mark.parametrize("kind", ["bpe", "characters"])
def test_a_small_vocabulary_keeps_the_frequent_characters(kind: str) -> None:
    trained = Tokenizer.train(["aaaa bbbb cccc d"] * 9 + ["xyzuvw"], TokenizerConfig(kind=kind, vocab_size=10))
    assert len(trained) <= 10
    assert trained.unk_id not in trained.encode("abc")


def test_half_a_surrogate_pair_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(DataError, match=r"text 2 must be .*Unicode; got '\\ud800'"):
        tokenizer.encode_batch(["fine", "\ud800"])


def test_a_mask_is_a_fifth_symbol_that_no_text_spells() -> None:
    plain, masked = (
        Tokenizer.train(["abc <mask> abc"], TokenizerConfig(kind="characters", vocab_size=50, with_mask=mask))
        for mask in (False, True)
    )
    assert (plain.mask_id, masked.mask_id) == (None, 4)
    assert masked.mask_id not in masked.encode("a<mask>b")


def test_without_a_leading_space_every_character_is_one_token() -> None:
    config = TokenizerConfig(kind="characters", vocab_size=50, leading_space=False, split_digits=False)
    tokenizer = Tokenizer.train(["ab 1", " a"], config)
    for text in ("ab 1", " a", "a  b", ""):
        ids = tokenizer.encode(text)
        assert len(ids) == len(text)
        assert tokenizer.decode(ids) == text


def test_a_phrase_is_a_token_where_tokens_reach_across_spaces() -> None:
    lines = ["turn left walk turn left walk", "turn left run", "walk"]
    config = TokenizerConfig(vocab_size=60, across_spaces=True)
    tokenizer = Tokenizer.train(lines, config)
    assert tokenizer.tokens(tokenizer.encode(lines[0]))[0].startswith("▁turn▁left")
    assert len(tokenizer.encode(lines[0])) < 6 <= len(Tokenizer.train(lines).encode(lines[0]))
    for text in (*lines, "walk  left turn"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    without = Tokenizer.train(lines, config.model_copy(update={"leading_space": False}))
    assert without.decode(without.encode(" turn  left ")) == " turn  left "
    # words of the sources stay words
    both = TokenizerConfig(kind="words", target_kind="bpe", shared=False, across_spaces=True)
    assert Tokenizer.train(lines, both).tokens(Tokenizer.train(lines, both).encode("turn left")) == ["▁turn", "▁left"]
    with pytest.raises(ValueError, match=r"tokenizer\.across_spaces.*kind bpe; got words"):
        TokenizerConfig(kind="words", across_spaces=True)


@pytest.mark.parametrize("space", [True, False])
def test_a_space_alone_is_no_word(space: bool) -> None:
    config = TokenizerConfig(kind="words", vocab_size=50, add=["<law>"], leading_space=space)
    tokenizer = Tokenizer.train(["a cat", "a  cat "], config)
    first = "▁a" if space else "a"
    assert tokenizer.tokens(range(4, len(tokenizer))) == [first, "▁cat", "<law>"]
    for text in ("a <law> cat", "a  <law>   cat  "):
        ids = tokenizer.encode(text)
        assert tokenizer.tokens(ids) == [first, "<law>", "▁cat"]
        assert [text[begin:end].strip() for begin, end in tokenizer.offsets(text)] == ["a", "<law>", "cat"]
    assert tokenizer.encode(" ") == []
    assert tokenizer.tokens(tokenizer.encode("a  cat ")) == [first, "▁cat"]


def test_words_are_tokens_and_new_ones_unknown() -> None:
    tokenizer = Tokenizer.train(["t͡ʃ a ˧˧", "a 12"], TokenizerConfig(kind="words", vocab_size=50))
    assert tokenizer.tokens(tokenizer.encode("a t͡ʃ 12")) == ["▁a", "▁t͡ʃ", "▁12"]
    assert tokenizer.decode(tokenizer.encode("a t͡ʃ 12")) == "a t͡ʃ 12"
    assert tokenizer.encode("a b") == [*tokenizer.encode("a"), tokenizer.unk_id]


def test_hangul_is_taken_apart_and_put_together() -> None:
    config = TokenizerConfig(kind="characters", vocab_size=50, normalization="NFD")
    tokenizer = Tokenizer.train(["각 난 é"], config)
    ids = tokenizer.encode("간 é")
    assert len(ids) == 1 + 3 + 1 + 2
    assert tokenizer.unk_id not in ids
    assert tokenizer.decode(ids) == "간 é"


@given(text=st.text(alphabet=" 가각난áậxe", max_size=8))
def test_what_is_said_so_far_is_never_taken_back(text: str) -> None:
    config = TokenizerConfig(kind="characters", vocab_size=50, normalization="NFD")
    tokenizer = CACHE.setdefault("NFD", Tokenizer.train(["가각난áậxe x"], config))
    ids = tokenizer.encode(text)
    said = [tokenizer.decode_so_far(ids[:count]) for count in range(len(ids) + 1)]
    whole = tokenizer.decode(ids)
    assert all(later.startswith(earlier) for earlier, later in zip(said, [*said[1:], whole], strict=True))
    assert len(whole) - len(said[-1]) <= 1


def test_a_kind_of_the_targets_alone_needs_two_vocabularies() -> None:
    with pytest.raises(
        ValidationError, match=r"tokenizer\.target_kind=words.*got shared: true.*tokenizer\.shared=false"
    ):
        TokenizerConfig(target_kind="words")


SPELLED = ["<unk>", "<s>", "</s>", "<pad>", "<mask>"]


@pytest.mark.parametrize("kind", [*KINDS, "words", "bpe across spaces"])
@pytest.mark.parametrize("leading_space", [True, False])
@pytest.mark.parametrize("others", [{}, {"with_mask": True}, {"normalization": "NFD"}])
@pytest.mark.parametrize("symbol", SPELLED)
def test_a_text_that_spells_out_a_symbol_is_learnt_as_a_text(
    kind: Any, leading_space: bool, others: dict[str, Any], symbol: str, tmp_path: Path
) -> None:
    texts = [symbol, f"{symbol} is rare {symbol}", f"a{symbol}b {symbol}{symbol}", "last word", f"x{symbol}"] * 30
    config = TokenizerConfig(
        kind=kind.split()[0], across_spaces="across" in kind, vocab_size=90, leading_space=leading_space, **others
    )
    trained = Tokenizer.train(texts, config)
    trained.save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    special = {0, 1, 2, 3, *([4] if "with_mask" in others else [])}
    names = ["<pad>", "<unk>", "<s>", "</s>", *(["<mask>"] if "with_mask" in others else [])]
    assert loaded.tokens(range(len(special))) == names
    assert loaded.mask_id == (4 if "with_mask" in others else None)
    spelled = loaded.tokens(range(len(loaded)))
    assert len(spelled) == len(set(spelled)) == len(loaded)  # each id has a token of its own
    assert not set(spelled[len(special) :]) & set(SPELLED)
    for text in texts[:5]:
        ids = loaded.encode(text)
        assert not special & set(ids)
        assert loaded.decode(ids) == text


def test_tokenizers_that_cut_or_frame_otherwise_have_other_identities(tokenizer: Tokenizer) -> None:
    """Encoded data are kept by it, ensembles and teachers compared: a vocabulary beside the backend is part of it."""
    backend, symbols = tokenizer.backend_json, tokenizer.symbols

    def made(*args: Any, **options: Any) -> str:
        return Tokenizer(tokenizers.Tokenizer.from_str(backend), *args, **options).identity

    tokens = tokenizer.tokens(range(len(tokenizer)))
    found = [
        made(symbols),
        made(symbols.model_copy(update={"source_end_ids": []})),
        made(symbols, tokens),
        made(symbols, tokens[::-1]),
        made(symbols, [*tokens, "more"]),
        made(symbols, num_ids=len(tokenizer) - 1),
        made(symbols, tokens, num_ids=len(tokenizer) - 1),
    ]
    assert len(set(found)) == len(found)
    assert made(symbols) == tokenizer.identity
    assert made(symbols, tokens) == made(symbols, list(tokens))
