"""Texts that begin with pieces that are not in the vocabulary: the space after them is not kept, in streams as in whole texts."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LINES = ["hello world foo", "bar foo hello", "a world bar", "hello hello a"] * 20
KINDS: list[dict[str, Any]] = [
    {},
    {"kind": "unigram", "vocab_size": 40},
    {"kind": "characters"},
    {"kind": "words"},
    {"across_spaces": True},
    {"leading_space": False},
    {"normalization": "NFD"},
]
TOKENIZERS = {str(settings): Tokenizer.train(LINES, TokenizerConfig(**settings)) for settings in KINDS}


def of_sentencepiece(**options: Any) -> Tokenizer:
    """A tokenizer of a SentencePiece model; the pieces that it does not know are 0."""
    spm = pytest.importorskip("sentencepiece")
    from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces

    made = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=made,
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "m.model").write_bytes(made.getvalue())
        backend = sentence_pieces(Path(folder, "m.model"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, pad_id=-1, start_ids=[1])
    return Tokenizer(backend, symbols, [backend.id_to_token(id) for id in range(backend.get_vocab_size())])


@pytest.fixture(scope="module", params=[*TOKENIZERS, "sentencepiece"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return TOKENIZERS[request.param] if request.param in TOKENIZERS else of_sentencepiece()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("日 hello", "hello"),
        ("日本 日 hello world", "hello world"),
        ("日hello", "hello"),
        ("hello 日", None),
        ("hello", "hello"),
        ("日", ""),
    ],
)
def test_the_space_after_unknown_pieces_is_not_kept(tokenizer: Tokenizer, text: str, written: str | None) -> None:
    decoded = tokenizer.decode(tokenizer.encode(text))
    assert not decoded.startswith(" ")
    if written is not None and not (text == "日hello" and "WordLevel" in tokenizer.backend_json):
        assert decoded == written


def test_a_space_that_a_text_begins_with_is_kept() -> None:
    """Where the model of SentencePiece keeps it."""
    kept = of_sentencepiece(remove_extra_whitespaces=False)
    assert kept.decode(kept.encode(" hello")) == " hello"
    assert kept.decode(kept.encode("日 hello")) == "hello"


@pytest.mark.parametrize("name", TOKENIZERS)
@given(data=st.data())
def test_what_a_stream_has_shown_stays(name: str, data: st.DataObject) -> None:
    """For any ids: what was certain is the beginning of what is certain later, and of the whole text."""
    tokenizer = TOKENIZERS[name]
    ids = data.draw(st.lists(st.integers(0, len(tokenizer) - 1), max_size=12))
    shown = ""
    for count in range(len(ids) + 1):
        now = tokenizer.decode_so_far(ids[:count])
        assert now.startswith(shown)
        shown = now
    assert tokenizer.decode(ids).startswith(shown)
