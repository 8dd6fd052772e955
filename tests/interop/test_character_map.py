"""The map of characters of SentencePiece models, against SentencePiece: decomposed text, marks, half-width kana, damaged maps."""

import io
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing.character_map import CharacterMap
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model

spm = pytest.importorskip("sentencepiece")
from sentencepiece import sentencepiece_model_pb2  # noqa: E402

RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
LINES = [
    "Tôi muốn uống một tách cà phê vào buổi sáng hôm nay.",
    "나는 오늘 아침에 커피를 마시고 싶다.",
    "ガギグ パピプ ｶﾞｷﾞｸﾞ",
    "हिन्दी में लिखा हुआ",
    "ǖ ½ ﬁ ① Ĳ",
]
TEXTS = [
    normalize(form, text)
    for form in ("NFC", "NFD", "NFKC", "NFKD")
    for text in ["muốn uống cà phê", "한국어를", "ガパ", *LINES]
]
TEXTS += ["ｶﾞﾊﾟ ﾞ", "½\u0307", "e\u0302\u0323", "ê\u0301", "가\u11a8", "a\r\nb", "\r\n", "\u0301a", "①\u20dd"]
TEXTS += ["👩🏽\u200d🚀 \u200d"]


@cache
def of_rule(rule: str) -> tuple[Any, bytes]:
    """A model of SentencePiece that keeps all spaces, and its map."""
    made, proto = io.BytesIO(), sentencepiece_model_pb2.ModelProto()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=made, model_type="char", vocab_size=12, hard_vocab_limit=False,
        normalization_rule_name=rule, remove_extra_whitespaces=False, add_dummy_prefix=False, minloglevel=2,
    )  # fmt: skip
    proto.ParseFromString(made.getvalue())
    return spm.SentencePieceProcessor(model_proto=made.getvalue()), proto.normalizer_spec.precompiled_charsmap


OF_EVERY_KIND = st.text(
    alphabet=st.one_of(
        st.characters(categories=["M"]), st.characters(blacklist_characters="▁\0", blacklist_categories=["Cs"]),
        st.sampled_from("aeoubkAEO ½ﬁ①ĲﾞﾟｶﾊĲ\r\n\u200d\u1100\u1161\u11a8가\U0001f1e9"),
    ),
    max_size=8,
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
@given(text=OF_EVERY_KIND)
def test_texts_are_mapped_as_sentencepiece_maps_them(rule: str, text: str) -> None:
    processor, compiled = of_rule(rule)
    mapped = "".join(CharacterMap(compiled)._letters(text))
    assert mapped == processor.normalize(text).replace("▁", " ")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("fallback", [True, False])
def test_decomposed_text_is_cut_as_the_library_cuts_it(rule: str, kind: str, fallback: bool, tmp_path: Path) -> None:
    with (tmp_path / "m.model").open("wb") as file:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES * 50), model_writer=file, model_type=kind, vocab_size=400 if fallback else 140,
            hard_vocab_limit=False, character_coverage=1.0, byte_fallback=fallback, normalization_rule_name=rule, minloglevel=2,
        )  # fmt: skip
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "m.model"), symbols)
    expected = processor.encode(TEXTS)
    assert [tokenizer.encode(text) for text in TEXTS] == expected
    assert tokenizer.encode_batch(TEXTS) == expected
    tokenizer.save(tmp_path / "tokenizer.json")
    assert Tokenizer.load(tmp_path / "tokenizer.json").encode_batch(TEXTS) == expected
    again = spm.SentencePieceProcessor(model_proto=sentence_piece_model(tokenizer, LINES))
    assert again.encode(TEXTS) == expected


def test_offsets_are_those_of_the_text_itself(tmp_path: Path) -> None:
    with (tmp_path / "m.model").open("wb") as file:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES * 50), model_writer=file, model_type="char", vocab_size=140, hard_vocab_limit=False,
            character_coverage=1.0, minloglevel=2,
        )  # fmt: skip
    content = (tmp_path / "m.model").read_bytes()
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(content)
    proto.trainer_spec.model_type = 1  # of characters, which is not read, so that each is a piece
    (tmp_path / "m.model").write_bytes(proto.SerializeToString())
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "m.model"), Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1]))
    composed = "muốn ngủ ①"
    text = normalize("NFD", composed)
    spelled = [normalize("NFC", text[begin:end]) for begin, end in tokenizer.offsets(text)]
    assert spelled == [composed[begin:end] for begin, end in tokenizer.offsets(composed)]
    assert "ố" in spelled
    assert tokenizer.encode_sentence(text).offsets == tokenizer.offsets(text)


@given(damage=st.binary(min_size=1, max_size=40), at=st.integers(0, 2000), text=OF_EVERY_KIND)
def test_a_damaged_map_ends(damage: bytes, at: int, text: str) -> None:
    compiled = of_rule("nfkc")[1]
    for changed in (compiled[:at] + damage + compiled[at + len(damage) :], compiled[:at], b"", damage):
        "".join(CharacterMap(changed)._letters(text))
