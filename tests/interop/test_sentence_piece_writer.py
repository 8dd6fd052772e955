"""SentencePiece models that Regard writes, held against the library: it cuts and joins texts as our tokenizers do."""

import io
import random
from collections.abc import Iterable
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend

from regard.errors import ModelFolderError
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model

spm = pytest.importorskip("sentencepiece")

LINES = [
    "The quick brown fox jumps over the lazy dog.", "Wie geht es dir heute, Köln?", "Züge fahren nach Köln, 1985 und 2024.",
    "It's a naïve café – déjà vu!", "two  spaces and\ta tab", "数字と文字 한국어", "ff off offer of foo fof", "<p>a</p>",
] * 6  # fmt: skip
TRICKY = [
    "",
    "Köln fox  1x9",
    "a\u00a0b",
    "ﬁne",
    "☃",
    "fox ☃☃ 7☃",
    "a ",
    "한국어",
    "Ko\u0308ln",
    "ffff offff foff",
    "x<p>y",
]
LETTERS = " \tabdefoxůöé1٣<▁☃数한" + normalize("NFD", "öếé")


def ours(kind: str, **choices: object) -> Tokenizer:
    return Tokenizer.train(LINES, TokenizerConfig(kind=kind, vocab_size=150, **choices))


def written(tokenizer: Tokenizer, texts: Iterable[str] = ()) -> "spm.SentencePieceProcessor":
    return spm.SentencePieceProcessor(model_proto=sentence_piece_model(tokenizer, texts))


def merged(ids: list[int], unk_id: int) -> list[int]:
    """SentencePiece joins unknown characters in a row."""
    return [id for place, id in enumerate(ids) if id != unk_id or ids[place - 1 : place] != [unk_id]]


KINDS = {
    "unigram": ours("unigram"), "unigram without leading space": ours("unigram", leading_space=False),
    "unigram with whole numbers": ours("unigram", split_digits=False), "unigram with a mask": ours("unigram", with_mask=True),
    "characters": ours("characters"), "bpe": ours("bpe"), "bpe across spaces": ours("bpe", across_spaces=True),
}  # fmt: skip
WRITTEN = {name: written(tokenizer, LINES) for name, tokenizer in KINDS.items()}


@pytest.mark.parametrize("name", KINDS)
def test_texts_have_the_same_ids_and_come_back(name: str) -> None:
    tokenizer, processor = KINDS[name], WRITTEN[name]
    assert [processor.id_to_piece(id) for id in range(len(processor))] == tokenizer.tokens(range(len(tokenizer)))
    assert (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()) == (0, 1, 2, 3)
    for text in [*LINES, *TRICKY]:
        ids = processor.encode(text)
        assert ids == merged(tokenizer.encode(text), 1), text
        if 1 not in ids:
            assert processor.decode(ids) == tokenizer.decode(ids) == normalize("NFC", text)


@given(text=st.text(alphabet=LETTERS, max_size=20))
@pytest.mark.parametrize("name", [name for name in KINDS if "bpe" not in name])
def test_any_text_has_the_same_ids(name: str, text: str) -> None:
    """All but those that begin with a space, and those whose marks Unicode orders otherwise than as they stand."""
    text = text.lstrip(" ▁")
    assert WRITTEN[name].encode(text) == merged(KINDS[name].encode(text), 1)


def test_the_module_says_which_texts_differ() -> None:
    processor, tokenizer = WRITTEN["unigram"], KINDS["unigram"]
    assert processor.encode(" fox", out_type=str) == ["▁", *tokenizer.tokens(tokenizer.encode(" fox"))]
    assert processor.encode("☃☃").count(1) == 1
    assert not {0, 1, 2, 3} & set(processor.encode("<s> </s> <pad>")) - {1}


def test_cuts_with_the_same_score_are_chosen_alike() -> None:
    """`f ff o` and `ff f o` have one score; sums in float32 and float64 would choose by their rounding."""
    lines = [" ".join("".join(random.Random(seed).choices("fo", k=9)) for _ in range(5)) for seed in range(300)]
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind="unigram", vocab_size=40))
    processor = written(tokenizer, lines)
    for line in lines:
        assert processor.encode(line) == tokenizer.encode(line)


def test_byte_pairs_need_texts() -> None:
    with pytest.raises(ModelFolderError, match=r"byte-pair.*given texts.*--valid.*kind=unigram"):
        sentence_piece_model(Tokenizer.train(LINES, TokenizerConfig(vocab_size=220)))


def test_byte_pairs_that_are_merged_otherwise_are_refused() -> None:
    """`abc` was learnt from `ab` and `c`; of `a bc`, ours makes no `abc`, and SentencePiece does."""
    vocab = {
        token: id for id, token in enumerate(["<pad>", "<unk>", "<s>", "</s>", "▁", "a", "b", "c", "bc", "ab", "abc"])
    }
    backend = Backend(models.BPE(vocab, [("b", "c"), ("a", "b"), ("ab", "c")], unk_token="<unk>"))
    backend.add_special_tokens(["<pad>", "<unk>", "<s>", "</s>"])
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer = Tokenizer(backend)
    assert tokenizer.tokens(tokenizer.encode("abc")) == ["▁", "a", "bc"]
    assert written(tokenizer, ["ab", "bc b"]).encode("bc ab", out_type=str) == ["▁", "bc", "▁", "ab"]
    with pytest.raises(ModelFolderError, match=r"another cut of 'abc': 'abc' in place of 'a bc'.*kind=unigram"):
        sentence_piece_model(tokenizer, ["ab", "abc"])


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("options", [
    {}, {"remove_extra_whitespaces": False}, {"add_dummy_prefix": False}, {"byte_fallback": True, "vocab_size": 360},
    {"split_by_whitespace": False}, {"normalization_rule_name": "identity"},
], ids=str)  # fmt: skip
def test_a_model_that_was_read_is_written_as_it_was(
    options: dict[str, object], model_type: str, tmp_path: object
) -> None:
    made = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=made, model_type=model_type, hard_vocab_limit=False, minloglevel=2,
        **{"vocab_size": 130} | options,
    )  # fmt: skip
    path = tmp_path / "m.model"  # type: ignore[operator]
    path.write_bytes(made.getvalue())
    theirs = spm.SentencePieceProcessor(model_file=str(path))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    again = written(Tokenizer(sentence_pieces(path), symbols))
    for text in [*LINES, *TRICKY, "  The  fox ", "\u00a0The fox\t", "▁The fox▁"]:
        assert again.encode(text) == theirs.encode(text), text
        assert again.decode(again.encode(text)) == theirs.decode(theirs.encode(text))


@pytest.mark.parametrize(("change", "named"), [
    (lambda backend: setattr(backend, "normalizer", normalizers.Lowercase()), "normalization.*Lowercase"),
    (lambda backend: setattr(backend, "normalizer", normalizers.NFD()), "normalization.*NFD"),
    (lambda backend: setattr(backend, "normalizer", normalizers.Strip()), "normalization.*Strip"),
    (lambda backend: setattr(backend, "pre_tokenizer", pre_tokenizers.ByteLevel()), "first cut.*ByteLevel"),
    (lambda backend: setattr(backend, "pre_tokenizer", pre_tokenizers.Metaspace(prepend_scheme="first")), "cut.*first"),
    (lambda backend: setattr(backend, "pre_tokenizer", pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Split(Regex("[.]"), "isolated")])), "cut.*Split"),
    (lambda backend: backend.add_tokens([">>deu<<"]), "added.*>>deu<<"),
])  # fmt: skip
def test_what_sentencepiece_cannot_say_is_refused_by_name(change: object, named: str) -> None:
    backend = Backend.from_str(KINDS["unigram"].backend_json)
    change(backend)  # type: ignore[operator]
    with pytest.raises(ModelFolderError, match=named):
        sentence_piece_model(Tokenizer(backend))


def test_words_are_refused() -> None:
    with pytest.raises(ModelFolderError, match=r"kind.*words"):
        sentence_piece_model(ours("words"), LINES)
