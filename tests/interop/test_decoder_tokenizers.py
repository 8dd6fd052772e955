"""Tokenizers of decoders, of bytes as Llama 3's and of SentencePiece's kind as Llama 2's: ids and prompts of `transformers`."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from foreign_models import LLAMA3, decoder
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

from regard.interop.formats import read_foreign
from regard.pipelines.language_model import LanguageModel

transformers = pytest.importorskip("transformers")
spm = pytest.importorskip("sentencepiece")

LINES = [
    "The quick brown fox jumps over the lazy dog.", "Wie geht es dir heute?", "Züge fahren nach Köln, 1985.",
    "It's a naïve café – déjà vu!", "two  spaces and\ta tab", "数字と文字", "the brown dogs are quick and lazy", "👍🏽 yes",
] * 6  # fmt: skip
TEXTS = [
    "", " ", "   ", "\n", "\n\n", "\t", "The quick fox", " The quick fox", "  The quick", "The quick ", "The quick  \n",
    "two  spaces,   three", "a\u00a0b\u2003c", "line\nline\r\nline", "tab\tand \t tabs", "🤖", "👩\u200d👩\u200d👧 and 👍🏽!",
    "e\u0301 o\u0308 n\u0303", "é ö ñ", "ﬁne ½ ①", "数字 и кириллица", "عربي עברית", "\u200b\ufeff", "\x00\x01\x7f",
    "\U0010ffff", "1234567890 3.14 1,000", "don't can't I'LL", "</s>", "<s> a </s> b <unk>", "<|begin|>The<|end|>", "a<|end|>",
    "▁ ▁▁a", "x" * 60, "<0x41> <0xFF>",
]  # fmt: skip
KINDS = ["bytes", "sentencepiece", "sentencepiece of transformers 5"]


def of_bytes() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.BPE(ignore_merges=True))
    words = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    cut = pre_tokenizers.Split(Regex(words), "isolated")
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    backend.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=380, initial_alphabet=alphabet, show_progress=False)
    )
    return framed(backend, "<|begin|>", "<|end|>")


def framed(backend: tokenizers.Tokenizer, begin: str, end: str) -> tokenizers.Tokenizer:
    backend.add_special_tokens([begin, end])
    backend.post_processor = processors.TemplateProcessing(
        single=[begin, "$A"], special_tokens=[(begin, backend.token_to_id(begin))]
    )
    return backend


def of_sentencepiece(folder: Path) -> tokenizers.Tokenizer:
    """A byte-pair model of SentencePiece, as `transformers` 4 converted Llama's."""
    (folder / "text").write_text("\n".join(LINES), encoding="utf-8")
    spm.SentencePieceTrainer.train(
        input=str(folder / "text"), model_prefix=str(folder / "m"), model_type="bpe", vocab_size=360, minloglevel=2,
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=0.98,
    )  # fmt: skip
    processor = spm.SentencePieceProcessor(model_file=str(folder / "m.model"))
    pieces = [processor.id_to_piece(id) for id in range(processor.get_piece_size())]
    ids = {piece: id for id, piece in enumerate(pieces)}
    halves = [(piece[:at], piece[at:]) for piece in pieces[259:] for at in range(1, len(piece))]
    merges = [pair for pair in halves if all(half in ids for half in pair)]
    merges.sort(key=lambda pair: (ids["".join(pair)], ids[pair[0]], ids[pair[1]]))
    backend = tokenizers.Tokenizer(models.BPE(ids, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    backend.decoder = decoders.Sequence(steps)
    backend.add_special_tokens(["<unk>"])
    return framed(backend, "<s>", "</s>")


def read(kind: str, folder: Path) -> tuple[LanguageModel, Any, Any]:
    """Our model, the tokenizer of `transformers`, and its model."""
    backend = of_bytes() if kind == "bytes" else of_sentencepiece(folder)
    begin, end = ("<|begin|>", "<|end|>") if kind == "bytes" else ("<s>", "</s>")
    names = {"bos_token": begin, "eos_token": end} | ({} if kind == "bytes" else {"unk_token": "<unk>"})
    if kind == "sentencepiece of transformers 5":
        content = json.loads(backend.to_str())["model"]
        merges = [tuple(pair) for pair in content["merges"]]
        theirs = transformers.LlamaTokenizer(vocab=content["vocab"], merges=merges, add_bos_token=True)
        theirs.save_pretrained(folder)
    else:
        backend.save(str(folder / "tokenizer.json"))
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", **names}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    torch.manual_seed(2)
    ids = {f"{name}_id": backend.token_to_id(token) for name, token in names.items() if name != "unk_token"}
    model = decoder("Llama", vocab_size=backend.get_vocab_size() + 3, rope_parameters=LLAMA3, **ids)().eval()
    for parameter in model.parameters():
        parameter.data += 0.15 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    return LanguageModel.of(read_foreign(folder).loaded), transformers.AutoTokenizer.from_pretrained(folder), model


@pytest.fixture(scope="module", params=KINDS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LanguageModel, Any, Any]:
    return read(request.param, tmp_path_factory.mktemp("tokenizer"))


def test_ids_are_those_of_transformers(both: tuple[LanguageModel, Any, Any]) -> None:
    """Symbols that are spelled out in a text are letters, as with `split_special_tokens`."""
    ours, theirs, _ = both
    symbols = {ours.tokenizer.bos_id, ours.tokenizer.eos_id}
    for text in TEXTS:
        expected = theirs(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        found = ours.tokenizer.encode(text)
        assert found == expected, text
        assert not symbols & set(found)
        assert ours.tokenizer.decode(found) == theirs.decode(found, clean_up_tokenization_spaces=False)
        begun = theirs(text, split_special_tokens=True)["input_ids"]
        assert ours.ids_of(text) == begun == [ours.tokenizer.bos_id, *expected]


def test_prompts_go_on_as_in_transformers(both: tuple[LanguageModel, Any, Any]) -> None:
    """A continuation is what stands after the prompt in the whole text, the space before its first word included."""
    ours, theirs, model = both
    prompts = ["The quick", "Wie geht es ", "naïve 👍", "数", ""]
    found = ours.continuations(prompts, temperature=0, max_tokens=6, batch_size=2)
    for prompt, continuation in zip(prompts, found, strict=True):
        read = theirs(prompt, return_tensors="pt", split_special_tokens=True)
        never = list(range(len(theirs), model.config.vocab_size))
        best = model.generate(
            read["input_ids"], attention_mask=read["attention_mask"], max_new_tokens=6, do_sample=False,
            suppress_tokens=never, pad_token_id=0,
        )[0]  # fmt: skip
        written = best[read["input_ids"].shape[1] :].tolist()
        assert continuation.ids == [id for id in written if id != model.config.eos_token_id]
        whole = theirs.decode(best, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        before = theirs.decode(read["input_ids"][0], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert whole == before + continuation.text


def test_a_text_that_is_inspected_has_its_begin_symbol(both: tuple[LanguageModel, Any, Any]) -> None:
    ours, _, _ = both
    tokens = ours.inspect("The quick").record.row_tokens["decoder"]
    assert tokens.offsets[0] is None
    assert tokens.offsets[-1] is not None
    assert tokens.offsets[-1][1] == len("The quick")
    assert tokens.words[0] is None
    assert tokens.words[-1] == 1


def test_ids_are_those_of_sentencepiece(tmp_path: Path) -> None:
    """The library that the model is of, on all texts that spell no symbol out."""
    ours, _, _ = read("sentencepiece", tmp_path)
    processor = spm.SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    for text in TEXTS:
        if "<" not in text and text:
            assert ours.tokenizer.encode(text) == processor.encode(text), text


@pytest.mark.parametrize("adds_begin", [True, False])
def test_files_of_opt_say_whether_texts_begin_with_a_symbol(adds_begin: bool, tmp_path: Path) -> None:
    """By `add_bos_token`, beside `vocab.json` and `merges.txt`."""
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    named, alphabet = ["<s>", "<pad>", "</s>", "<unk>"], pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=named, initial_alphabet=alphabet, show_progress=False)
    backend.train_from_iterator(LINES, trainer)
    backend.model.save(str(tmp_path))
    settings = {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": adds_begin, "add_prefix_space": False}
    symbols = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | symbols))
    decoder("OPT", vocab_size=320, ffn_dim=20, bos_token_id=2, pad_token_id=1)().save_pretrained(tmp_path)
    ours = LanguageModel.of(read_foreign(tmp_path).loaded)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs("The")["input_ids"][:1] == [2] or not adds_begin
    for text in ("The quick fox", "Köln 👍🏽", " two  spaces\n"):
        assert ours.ids_of(text) == theirs(text)["input_ids"]
    assert ours.tokenizer.pad_id == 1


def test_the_file_of_the_tokenizer_says_what_stands_before_texts(tmp_path: Path) -> None:
    """Whatever `add_bos_token` says beside it, which `transformers` 5 does not follow."""
    read("sentencepiece", tmp_path)
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"add_bos_token": False}))
    ours, theirs = LanguageModel.of(read_foreign(tmp_path).loaded), transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert ours.ids_of("The fox") == theirs("The fox")["input_ids"] == [1, *ours.tokenizer.encode("The fox")]
