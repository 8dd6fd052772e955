"""Other people's tokenizers, held against the libraries that they are for."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from regard.errors import ModelFolderError
from regard.text.tokenizer import Symbols, Tokenizer
from regard.tokenizer_formats.folder_tokenizers import read_tokenizers, word_pieces
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.vocabulary_lists import vocabulary_list

spm = pytest.importorskip("sentencepiece")

LINES = [
    "The quick brown fox jumps over the lazy dog.", "Wie geht es dir heute?", "Züge fahren nach Köln, 1985.",
    "It's a naïve café – déjà vu!", "two  spaces and\ta tab", "数字と文字", "the brown dogs are quick and lazy",
] * 6  # fmt: skip
TRICKY = [
    "",
    " ",
    "The fox",
    "  leading and trailing  ",
    "a\u00a0b",
    "ﬁne ligature",
    "unseen: ☃ ☃☃",
    "KÖLN",
    "▁",
    "</s> <unk>",
]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spm")
    (folder / "text").write_text("\n".join(LINES), encoding="utf-8")
    for side, size in (("source", 90), ("target", 110)):
        spm.SentencePieceTrainer.train(
            input=str(folder / "text"), model_prefix=str(folder / side), vocab_size=size, minloglevel=2,
            hard_vocab_limit=False, character_coverage=0.99,
        )  # fmt: skip
        (folder / f"{side}.model").rename(folder / f"{side}.spm")
    return folder


def test_a_sentencepiece_model_cuts_as_the_library_does(pieces: Path) -> None:
    processor = spm.SentencePieceProcessor(model_file=str(pieces / "source.spm"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(pieces / "source.spm"), symbols)
    for text in [*LINES, *TRICKY]:
        if text == "</s> <unk>":
            continue  # the library reads the pieces of "</s>" as text; ours reads no symbol either, as unknown or as text
        assert tokenizer.encode(text) == processor.encode(text), text
    assert tokenizer.decode(tokenizer.encode("The quick brown fox")) == "The quick brown fox"
    assert 2 not in tokenizer.encode("</s> <unk>")


def marian_folder(folder: Path, pieces: Path) -> list[str]:
    """Both models, and one list of all their pieces, as Marian's."""
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes((pieces / f"{side}.spm").read_bytes())
    processors = [spm.SentencePieceProcessor(model_file=str(pieces / f"{side}.spm")) for side in ("source", "target")]
    found = {processor.id_to_piece(id) for processor in processors for id in range(3, processor.get_piece_size())}
    tokens = ["</s>", "<unk>", ">>deu<<", *sorted(found)[::-1], "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}))
    return tokens


def test_pieces_that_reach_across_spaces_are_decoded_as_the_library_does(tmp_path: Path) -> None:
    lines = ["by the people, for the people", "of the dog, by the dog", "a dog and the people"]
    (tmp_path / "text").write_text("\n".join(lines * 6))
    spm.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "across"), vocab_size=60, minloglevel=2,
        hard_vocab_limit=False, split_by_whitespace=False,
    )  # fmt: skip
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "across.model"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "across.model"), symbols)
    for text in ("the people and the dog", *lines):
        ids = tokenizer.encode(text)
        assert ids == processor.encode(text)
        assert tokenizer.decode(ids) == processor.decode(ids) == text
    assert tokenizer.tokens(tokenizer.encode("the people"))[0].count("▁") == 2


def test_marians_two_models_are_numbered_by_one_list(pieces: Path, tmp_path: Path) -> None:
    from transformers import MarianTokenizer

    tokens = marian_folder(tmp_path, pieces)
    pad_id = len(tokens) - 1
    symbols = Symbols(
        pad_id=-1, unk_id=1, bos_id=0, eos_id=0, start_ids=[pad_id], source_end_ids=[0], banned_ids=[pad_id]
    )
    source, target = read_tokenizers(tmp_path, symbols)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends a package that rewrites punctuation before
        theirs = MarianTokenizer(
            str(tmp_path / "source.spm"), str(tmp_path / "target.spm"), str(tmp_path / "vocab.json"),
            source_lang="en", target_lang="de", separate_vocabs=False,
        )  # fmt: skip
    assert len(source) == len(target) == len(tokens)
    for text in ["The quick brown fox", ">>deu<< The quick fox", "Wie geht es dir heute?", "unseen ☃ here"]:
        assert source.frame_source(source.encode(text)) == theirs(text)["input_ids"], text
        expected = theirs(text_target=text)["input_ids"]
        assert [*target.encode(text), 0] == expected, text
    ids = target.encode("Wie geht es dir heute?")
    assert target.decode([*ids, 0, pad_id]) == "Wie geht es dir heute?"
    target.save(tmp_path / "saved.json")
    again = Tokenizer.load(tmp_path / "saved.json")
    assert again.encode("Wie geht es dir?") == target.encode("Wie geht es dir?")
    assert again.symbols == target.symbols
    assert again.decode(ids) == target.decode(ids)


def test_berts_vocabulary_is_read_as_transformers_reads_it(tmp_path: Path) -> None:
    from transformers import BertTokenizer

    backend = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = tokenizers.normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    backend.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=150, special_tokens=special, show_progress=False)
    )
    words = sorted(backend.get_vocab(), key=backend.get_vocab().__getitem__)
    (tmp_path / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    theirs = BertTokenizer(vocab=str(tmp_path / "vocab.txt"))
    tokenizer, _ = read_tokenizers(tmp_path, encoder_symbols())
    assert tokenizer.symbols.source_begin_ids == [2]
    assert tokenizer.symbols.source_end_ids == [3]
    assert (tokenizer.mask_id, tokenizer.unk_id) == (4, 1)
    for text in LINES:
        assert tokenizer.encode(text) == theirs(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(tokenizer.encode("the lazy dog")) == "the lazy dog"
    assert 3 not in tokenizer.encode("a [SEP] b")
    assert word_pieces(tmp_path).get_vocab_size() == len(words)


def encoder_symbols() -> Symbols:
    return Symbols(
        bos_id=101, eos_id=102, start_ids=[101], source_begin_ids=[101], source_end_ids=[102], banned_ids=[0]
    )


@pytest.mark.parametrize("kind", ["gpt2", "roberta"])
def test_byte_pairs_are_read_as_transformers_reads_them(kind: str, tmp_path: Path) -> None:
    import transformers

    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<|endoftext|>"] if kind == "gpt2" else ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    backend.train_from_iterator(
        LINES,
        trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    backend.model.save(str(tmp_path))
    names = (
        {"bos_token": special[0], "eos_token": special[0], "unk_token": special[0]}
        if kind == "gpt2"
        else {"bos_token": "<s>", "eos_token": "</s>", "mask_token": {"content": "<mask>"}, "unk_token": "<unk>"}
    )
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(names))
    kinds: dict[str, Any] = {"gpt2": transformers.GPT2Tokenizer, "roberta": transformers.RobertaTokenizer}
    theirs = kinds[kind](vocab=str(tmp_path / "vocab.json"), merges=str(tmp_path / "merges.txt"))
    symbols = encoder_symbols() if kind == "roberta" else Symbols(
        pad_id=-1, unk_id=0, bos_id=0, eos_id=0, start_ids=[0], source_end_ids=[], banned_ids=[], lines_end=False
    )  # fmt: skip
    tokenizer, _ = read_tokenizers(tmp_path, symbols)
    for text in [*LINES, *TRICKY[:-1], "two\nlines"]:
        assert tokenizer.encode(text) == theirs(text, add_special_tokens=False)["input_ids"], text
        assert tokenizer.decode(tokenizer.encode(text)) == text
    if kind == "roberta":
        assert (tokenizer.bos_id, tokenizer.eos_id, tokenizer.mask_id) == (0, 2, 4)


def test_a_folder_without_tokenizer_says_what_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"must hold a tokenizer: tokenizer\.json, vocab\.txt"):
        read_tokenizers(tmp_path, encoder_symbols())


def test_damaged_files_are_refused(pieces: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.model").write_bytes((pieces / "source.spm").read_bytes()[:300])
    with pytest.raises(ModelFolderError, match="must be a SentencePiece model"):
        sentence_pieces(tmp_path / "cut.model")
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelFolderError, match="must be a tokenizer in JSON"):
        read_tokenizers(tmp_path, encoder_symbols())
    with pytest.raises(ModelFolderError, match="must number its 2 tokens from 0"):
        vocabulary_list({"a": 0, "b": 2}, tmp_path / "vocab.json")


@pytest.mark.parametrize("fallback", [False, True])
def test_a_byte_pair_model_of_sentencepiece_cuts_as_the_library_does(
    fallback: bool, pieces: Path, tmp_path: Path
) -> None:
    spm.SentencePieceTrainer.train(
        input=str(pieces / "text"), model_prefix=str(tmp_path / "bpe"), vocab_size=360 if fallback else 100,
        model_type="bpe", byte_fallback=fallback, minloglevel=2,
    )  # fmt: skip
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "bpe.model"))
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "bpe.model"), symbols)
    for text in [*LINES, *TRICKY, "aaaa aaa", "ab ba aba"]:
        if text != "</s> <unk>":
            assert tokenizer.encode(text) == processor.encode(text), text
    assert tokenizer.decode(tokenizer.encode("The quick brown fox")) == "The quick brown fox"


def test_a_sentencepiece_model_of_words_is_refused(pieces: Path, tmp_path: Path) -> None:
    spm.SentencePieceTrainer.train(
        input=str(pieces / "text"),
        model_prefix=str(tmp_path / "words"),
        vocab_size=20,
        model_type="word",
        minloglevel=2,
    )
    with pytest.raises(ModelFolderError, match="must be a unigram or byte-pair model"):
        sentence_pieces(tmp_path / "words.model")


def test_two_lists_have_symbols_of_their_own(pieces: Path, tmp_path: Path) -> None:
    """The id of one side's padding is an ordinary piece of the other's."""
    tokens = marian_folder(tmp_path, pieces)
    (tmp_path / "target_vocab.json").write_text(
        json.dumps({token: id for id, token in enumerate([*tokens[:40], "<pad>"])})
    )
    symbols = Symbols(pad_id=-1, unk_id=1, bos_id=0, eos_id=0, start_ids=[40], source_end_ids=[0], banned_ids=[40])
    source, target = read_tokenizers(tmp_path, symbols)
    assert 40 not in source.symbols.special_ids
    assert source.symbols.source_end_ids == [0]
    assert target.symbols.start_ids == [40]
    text = tokens[40].replace("▁", " ").strip()
    assert 1 not in source.encode(text)


def test_added_tokens_are_read(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog"]))
    (tmp_path / "added_tokens.json").write_text('{"<e1>": 6, "<e2>": 7}')
    tokenizer, _ = read_tokenizers(tmp_path, encoder_symbols())
    assert tokenizer.encode("the <e1> dog <e2>") == [4, 6, 5, 7]


def test_an_added_token_that_is_there_is_never_cut(tmp_path: Path) -> None:
    """With the id that it has; a symbol stays one that no text spells out."""
    (tmp_path / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "<e1>", "<", "e", "1", ">"])
    )
    (tmp_path / "added_tokens.json").write_text('{"<e1>": 6, "[SEP]": 3}')
    (tmp_path / "tokenizer_config.json").write_text('{"sep_token": "[SEP]"}')
    tokenizer, _ = read_tokenizers(tmp_path, encoder_symbols())
    assert tokenizer.encode("the <e1> dog<e1>") == [4, 6, 5, 6]
    assert 3 not in tokenizer.encode("the [SEP] dog")


@pytest.mark.parametrize("flags", [{}, {"lstrip": True}, {"single_word": True}, {"normalized": True}])
def test_added_tokens_are_found_as_their_flags_say(flags: dict[str, bool], tmp_path: Path) -> None:
    """The library `tokenizers` with the same flags is the reference."""
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "a"]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
    entry = {
        "content": "E1",
        "lstrip": False,
        "rstrip": False,
        "single_word": False,
        "normalized": False,
        "special": False,
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": {"7": entry | flags}}))
    reference = word_pieces(tmp_path)
    kept = {key: value for key, value in (entry | flags).items() if key not in ("content", "special")}
    reference.add_tokens([tokenizers.AddedToken("E1", special=False, **kept)])
    tokenizer, _ = read_tokenizers(tmp_path, encoder_symbols())
    for text in ("the E1 dog", "theE1dog", "the e1 a", "E1  E1"):
        assert tokenizer.encode(text) == reference.encode(text, add_special_tokens=False).ids, text


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ('{"dog": 4}', "'dog' must be that of the vocabulary, 5; got 4"),
        ('{"<e1>": 9}', "'<e1>' must be the next, 6; got 9"),
    ],
)
def test_added_tokens_with_other_ids_are_refused(added: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog"]))
    (tmp_path / "added_tokens.json").write_text(added)
    with pytest.raises(ModelFolderError, match=message):
        read_tokenizers(tmp_path, encoder_symbols())


@pytest.mark.parametrize(
    "change",
    [{"do_basic_tokenize": False}, {"never_split": ["x"]}, {"tokenizer_class": "BertJapaneseTokenizer"}, {"add_bos_token": True},
     {"word_tokenizer_type": "mecab"}, {"wordpieces_prefix": "@@"}, {"of_tomorrow": 3}],
    ids=str,
)  # fmt: skip
def test_a_setting_of_a_tokenizer_that_nobody_reads_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog"]))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "padding_side": "left"}))
    assert read_tokenizers(tmp_path, encoder_symbols())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(change))
    with pytest.raises(ModelFolderError, match=rf"tokenizer_config\.json: {next(iter(change))} must be .*; got "):
        read_tokenizers(tmp_path, encoder_symbols())


def tokenizer_json(folder: Path, begin: list[str], end: list[str], **parts: Any) -> None:
    vocabulary = {token: id for id, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "<x>", "a"])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = tokenizers.normalizers.BertNormalizer()
    backend.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single=" ".join([*begin, "$A", *end]), special_tokens=[(token, vocabulary[token]) for token in {*begin, *end}]
    )
    backend.save(str(folder / "tokenizer.json"))


def test_the_symbols_around_a_text_are_those_of_the_post_processor(tmp_path: Path) -> None:
    tokenizer_json(tmp_path, ["<x>"], ["[SEP]"])
    tokenizer, _ = read_tokenizers(tmp_path, encoder_symbols())
    assert tokenizer.frame_source(tokenizer.encode("the dog")) == [6, 4, 5, 3]
    assert (tokenizer.bos_id, tokenizer.eos_id) == (6, 3)


def test_other_numbers_of_symbols_are_refused(tmp_path: Path) -> None:
    tokenizer_json(tmp_path, ["[CLS]", "<x>"], ["[SEP]"])
    with pytest.raises(
        ModelFolderError, match=r"post_processor must put 1 symbols before a text and 1 behind it; got 2 and 1"
    ):
        read_tokenizers(tmp_path, encoder_symbols())


@pytest.mark.parametrize(
    "change", [{"do_lower_case": False}, {"strip_accents": True}, {"tokenize_chinese_chars": False}], ids=str
)
def test_settings_that_contradict_tokenizer_json_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    tokenizer_json(tmp_path, ["[CLS]"], ["[SEP]"])
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer"})
    )
    assert read_tokenizers(tmp_path, encoder_symbols())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(change))
    with pytest.raises(ModelFolderError, match=rf"{next(iter(change))} must be that of tokenizer\.json, .*; got "):
        read_tokenizers(tmp_path, encoder_symbols())


@pytest.mark.parametrize(
    "option",
    [
        {"treat_whitespace_as_suffix": True},
        {"user_defined_symbols": ["<sep>"], "model_type": "bpe"},
        {"user_defined_symbols": ["½"]},
    ],
)
def test_sentencepiece_models_that_would_be_cut_otherwise_are_refused(
    option: dict[str, Any], pieces: Path, tmp_path: Path
) -> None:
    spm.SentencePieceTrainer.train(
        input=str(pieces / "text"), model_prefix=str(tmp_path / "m"), vocab_size=100, minloglevel=2,
        hard_vocab_limit=False, **option,
    )  # fmt: skip
    with pytest.raises(
        ModelFolderError, match=r"must (mark spaces before words|have no user-defined|be one that stays)"
    ):
        sentence_pieces(tmp_path / "m.model")


def test_user_defined_symbols_of_sentencepiece_are_never_cut(pieces: Path, tmp_path: Path) -> None:
    """Whatever stands beside them, and also as a part of longer words."""
    symbols = ["__source__", "<sep>", "__a__"]
    spm.SentencePieceTrainer.train(
        input=str(pieces / "text"), model_prefix=str(tmp_path / "m"), vocab_size=100, minloglevel=2,
        hard_vocab_limit=False, user_defined_symbols=symbols,
    )  # fmt: skip
    tokenizer = Tokenizer(
        sentence_pieces(tmp_path / "m.model"),
        Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[]),
    )
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    for text in (
        "the <sep> fox",
        "the<sep>fox__source__",
        "<sep><sep>",
        "__source__",
        "fox__a__source__a",
        "<se p> __sourc",
    ):
        assert tokenizer.encode(text) == processor.encode(text)


def test_bytes_of_sentencepiece_are_decoded(pieces: Path, tmp_path: Path) -> None:
    spm.SentencePieceTrainer.train(
        input=str(pieces / "text"), model_prefix=str(tmp_path / "m"), vocab_size=330, minloglevel=2,
        hard_vocab_limit=False, byte_fallback=True, character_coverage=0.98,
    )  # fmt: skip
    symbols = Symbols(unk_id=0, bos_id=1, eos_id=2, start_ids=[1], pad_id=-1, banned_ids=[])
    tokenizer = Tokenizer(sentence_pieces(tmp_path / "m.model"), symbols)
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    for text in ("数字と文字", "the ☃ fox"):
        assert tokenizer.encode(text) == processor.encode(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text
