"""SentencePiece models against the library: the settings of their normalisers."""

import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.tokenizer import Symbols, Tokenizer
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model

spm = pytest.importorskip("sentencepiece")

LINES = ["hello world  foo", "bar foo   hello", "a world bar b c", "hello   hello a"] * 30
MODELS: dict[tuple[bool, bool, bool], bytes] = {}
for extra in (True, False):
    for dummy in (True, False):
        for split in (True, False):
            made = io.BytesIO()
            spm.SentencePieceTrainer.train(
                sentence_iterator=iter(LINES), model_writer=made, vocab_size=40, hard_vocab_limit=False, minloglevel=2,
                remove_extra_whitespaces=extra, add_dummy_prefix=dummy, split_by_whitespace=split,
            )  # fmt: skip
            MODELS[extra, dummy, split] = made.getvalue()


@pytest.fixture(scope="module", params=MODELS, ids=str)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[object, Tokenizer, bool]:
    path: Path = tmp_path_factory.mktemp("pieces") / "m.model"
    path.write_bytes(MODELS[request.param])
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    keeps_spaces = not request.param[0]
    return spm.SentencePieceProcessor(model_file=str(path)), Tokenizer(sentence_pieces(path), symbols), keeps_spaces


@given(text=st.text(alphabet=" \t\u3000\u00a0helowrdfabc", max_size=24))
def test_spaces_are_read_as_the_library_reads_them(both: tuple[object, Tokenizer, bool], text: str) -> None:
    processor, tokenizer, _ = both
    assert tokenizer.encode(text) == processor.encode(text)  # type: ignore[attr-defined]
    assert tokenizer.decode(tokenizer.encode(text)) == processor.decode(processor.encode(text))  # type: ignore[attr-defined]


def trained(path: Path, **options: object) -> tuple[object, Tokenizer]:
    """A model of SentencePiece, and ours that was read of it."""
    with path.open("wb") as file:
        spm.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=file, minloglevel=2, **options)
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    return spm.SentencePieceProcessor(model_file=str(path)), Tokenizer(sentence_pieces(path), symbols)


WHITE = " \t\u00a0\u3000\u2028\u0085\u200b\u2009\u1680\u2581"
"""White space of many kinds, and the character that SentencePiece writes for a space."""


@pytest.mark.parametrize("rule", ["identity", "nfkc", "nmt_nfkc"])
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("extra", [True, False])
@pytest.mark.parametrize("dummy", [True, False])
def test_only_spaces_are_extra_at_the_edges_of_a_text(
    rule: str, kind: str, extra: bool, dummy: bool, tmp_path: Path
) -> None:
    """As in SentencePiece, white space of other kinds stays at the edges, if its normalization keeps it."""
    processor, tokenizer = trained(
        tmp_path / "m.model", vocab_size=18, model_type=kind, normalization_rule_name=rule,
        remove_extra_whitespaces=extra, add_dummy_prefix=dummy,
    )  # fmt: skip
    rng = random.Random(1)
    texts = ["", *WHITE, *(f"{one}hello{other}" for one in WHITE for other in ["", *WHITE])]
    texts += ["".join(rng.choice(WHITE + "helowrd") for _ in range(rng.randint(2, 9))) for _ in range(300)]
    for text in texts:
        assert tokenizer.encode(text) == processor.encode(text), text  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [" hello", "  hello  world  ", "   ", "hello   b"])
def test_no_space_is_lost_where_the_model_keeps_them(both: tuple[object, Tokenizer, bool], text: str) -> None:
    _, tokenizer, keeps_spaces = both
    if keeps_spaces:
        assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize("fallback", [True, False])
@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("split", [True, False])
def test_no_symbol_is_read_from_a_text(kind: str, fallback: bool, split: bool, tmp_path: Path) -> None:
    """What is spelled like a control symbol, the unknown one or a byte is cut as any other text, as SentencePiece does."""
    lines = [*LINES, *["a </b> <s p> [y] 0x41 <0 c> tl> </ ct"] * 40]
    with (tmp_path / "m.model").open("wb") as file:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=file, minloglevel=2, model_type=kind, byte_fallback=fallback,
            control_symbols=["<ctl>", "[x]", "＜né＞"], pad_id=3, hard_vocab_limit=False, split_by_whitespace=split,
            vocab_size=360 if fallback else 80,
        )  # fmt: skip
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=3, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "m.model"), symbols)
    rng = random.Random(2)
    parts = ["<ctl>", "[x]", "＜né＞", "</s>", "<s>", "<unk>", "<pad>", "<0x41>", "<0xE2>"]
    parts += ["hello", " ", "<", "</", "[", "c", ">"]
    texts = [*parts, *("".join(rng.choices(parts, k=rng.randint(2, 7))) for _ in range(400))]
    for text in texts:
        assert tokenizer.encode(text) == processor.encode(text), text
    again = spm.SentencePieceProcessor(model_proto=sentence_piece_model(tokenizer, lines))
    assert [again.encode(text) for text in texts] == [processor.encode(text) for text in texts]
