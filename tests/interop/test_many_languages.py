"""M2M100, SMaLL-100, NLLB-200, mBART and Pegasus with tokenizers: texts and directions, against `transformers` and SentencePiece."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import fairseq, transformers

import regard
from regard.cli.main import run
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign
from regard.pipelines.translator import Translator

spm = pytest.importorskip("sentencepiece")

LINES = [
    "The quick brown fox jumps over the lazy dog.", "Wie geht es dir heute?", "Züge fahren nach Köln, 1985.",
    "It's a naïve café – déjà vu!", "two  spaces and\ta tab", "数字と文字", "the brown dogs are quick and lazy",
] * 6  # fmt: skip
HARD = [
    "The fox", "the brown dogs are lazy", "Wie geht es", "Züge nach Köln", "KÖLN, 1985!", "naïve café – vu", "文字と数字",
    "a", "aa", "aaaaaaa", "ab ba aba", "☃ unseen ☃☃", "unseenXYZ", "two  spaces", "a   b    c", "tab\there", "line\nbreak",
    "a\u00a0b", "ﬁne ligature", "full\uff21\uff22", "e\u0301 composed", "½ ² ①", "zero\u200bwidth", "\ufeffmark", "…", "▁a▁b",
    "1985 1985", "don't", "THE END.", "Привет мир", "مرحبا", "🙂 smile",
]  # fmt: skip
"""Texts without spaces at their ends, which tokenizers of `transformers` 5 read otherwise than SentencePiece does."""
CODES = ["deu_Latn", "eng_Latn", "fra_Latn"]
SIZES = {"d_model": 18, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3, "decoder_attention_heads": 3,
         "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "max_position_embeddings": 60}  # fmt: skip


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SentencePiece models of both kinds, and Pegasus's, which has other symbols."""
    folder = tmp_path_factory.mktemp("pieces")
    pegasus = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    for name, kind, symbols in (("bpe", "bpe", {}), ("unigram", "unigram", {}), ("pegasus", "unigram", pegasus)):
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(LINES), model_prefix=str(folder / name), vocab_size=100, model_type=kind,
            hard_vocab_limit=kind == "bpe", minloglevel=2, **symbols,
        )  # fmt: skip
    return folder


def processor(pieces: Path, name: str) -> Any:
    return spm.SentencePieceProcessor(model_file=str(pieces / f"{name}.model"))


def m2m100(pieces: Path, folder: Path, name: str = "M2M100Tokenizer") -> Any:
    """The files of M2M100: its list has the pieces in another order than the SentencePiece model, without the last ones."""
    known = processor(pieces, "bpe")
    listed = [known.id_to_piece(id) for id in range(3, known.get_piece_size() - 2)][::-1]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *listed]
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}))
    shutil.copy(pieces / "bpe.model", folder / "sentencepiece.bpe.model")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, "num_madeup_words": 8}))
    return transformers.M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"))


def backed(name: str, pieces: Path, folder: Path, **settings: Any) -> Any:
    """A tokenizer that `transformers` made of SentencePiece's file, saved as tokenizer.json."""
    kind = {"NllbTokenizer": "bpe", "PegasusTokenizer": "pegasus"}.get(name, "unigram")
    original = folder / "original"
    original.mkdir(parents=True)
    file = "spiece.model" if kind == "pegasus" else "sentencepiece.bpe.model"
    shutil.copy(pieces / f"{kind}.model", original / file)
    (original / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name} | settings))
    found = getattr(transformers, name).from_pretrained(original)
    found.save_pretrained(folder)
    return found


def nllb(pieces: Path, folder: Path, *, legacy: bool = False) -> Any:
    return backed("NllbTokenizer", pieces, folder, additional_special_tokens=CODES, legacy_behaviour=legacy)


def original_only(make: Callable[..., Any]) -> Callable[[Path, Path], Any]:
    """SentencePiece's file alone."""

    def made(pieces: Path, folder: Path) -> Any:
        found = make(pieces, folder)
        for path in folder.glob("*.json"):
            path.unlink()
        for path in (folder / "original").iterdir():
            path.rename(folder / path.name)
        return found

    return made


TOKENIZERS: dict[str, Callable[[Path, Path], Any]] = {
    "M2M100": m2m100,
    "SMaLL-100": lambda pieces, folder: m2m100(pieces, folder, "SMALL100Tokenizer"),
    "NLLB": nllb,
    "NLLB, legacy": lambda pieces, folder: nllb(pieces, folder, legacy=True),
    "NLLB, pieces": original_only(nllb),
    "mBART-25": lambda pieces, folder: backed("MBartTokenizer", pieces, folder),
    "mBART-50": lambda pieces, folder: backed("MBart50Tokenizer", pieces, folder),
    "Pegasus": lambda pieces, folder: backed("PegasusTokenizer", pieces, folder),
    "Pegasus, pieces": original_only(lambda pieces, folder: backed("PegasusTokenizer", pieces, folder)),
}
DIRECTIONS = {
    **dict.fromkeys(("M2M100", "SMaLL-100"), (("en", "de"), ("de", "fr"))),
    **dict.fromkeys(("NLLB", "NLLB, legacy", "NLLB, pieces"), (("eng_Latn", "deu_Latn"), ("fra_Latn", "eng_Latn"))),
    **dict.fromkeys(("mBART-25", "mBART-50"), (("en_XX", "de_DE"), ("fr_XX", "en_XX"))),
}


def made(name: str, pieces: Path, folder: Path) -> tuple[Any, Any]:
    """A folder with a small random model and its tokenizer, and both as `transformers` has them."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = TOKENIZERS[name](pieces, folder)
    family = {"m": "MBart", "P": "Pegasus"}.get(name[0], "M2M100")
    size = {"M2M100": len(tokenizer) + 108, "SMaLL-100": len(tokenizer) + 108}.get(name, len(tokenizer))
    start = {"decoder_start_token_id": tokenizer.convert_tokens_to_ids("de_DE")} if name == "mBART-25" else {}
    torch.manual_seed(7)
    model = fairseq(family, vocab_size=size, forced_eos_token_id=None, **SIZES | start)().eval()
    for key, parameter in model.named_parameters():
        if "embed_positions" not in key or family == "MBart":
            parameter.data += 0.2 * torch.randn_like(parameter)
    model.generation_config.bad_words_ids = [
        [id] for id in range(size - (108 if size > len(tokenizer) else 0), size)
    ] or None
    model.save_pretrained(folder)
    return model, tokenizer


@pytest.mark.parametrize("name", TOKENIZERS)
def test_hard_texts_have_their_ids(name: str, pieces: Path, tmp_path: Path) -> None:
    _, theirs = made(name, pieces, tmp_path / "m")
    ours = read_foreign(tmp_path / "m").loaded.source_tokenizer
    for text in HARD:
        expected = theirs(text, add_special_tokens=False)["input_ids"]
        assert ours.encode(text) == expected, text
    assert ours.symbols.unk_id == theirs.unk_token_id


@pytest.mark.parametrize(("name", "kind", "offset"), [("NLLB, pieces", "bpe", 1), ("Pegasus, pieces", "pegasus", 103)])
def test_pieces_alone_are_cut_as_sentencepiece_does(
    name: str, kind: str, offset: int, pieces: Path, tmp_path: Path
) -> None:
    """With spaces at both ends, too."""
    made(name, pieces, tmp_path / "m")
    ours, known = read_foreign(tmp_path / "m").loaded.tokenizer, processor(pieces, kind)
    for text in [*HARD, " a", "a ", "  a  b  ", "the  brown \n"]:
        ids = known.encode(text)
        assert ours.encode(text) == [ours.unk_id if id == known.unk_id() else id + offset for id in ids], text
        assert (
            ours.decode(ours.encode(text)).strip() == known.decode([id for id in ids if id != known.unk_id()]).strip()
            or known.unk_id() in ids
        )


def beam(model: Any, tokenizer: Any, name: str, text: str, source: str, target: str) -> list[int]:
    """The ids that `generate` writes, without symbols."""
    code = f"__{target}__" if name in ("M2M100", "SMaLL-100") else target
    id = tokenizer.get_lang_id(target) if code != target else tokenizer.convert_tokens_to_ids(target)
    tokenizer.src_lang = target if name == "SMaLL-100" else source
    choice = {"mBART-25": {"decoder_start_token_id": id}, "SMaLL-100": {}}.get(name, {"forced_bos_token_id": id})
    found = model.generate(
        **tokenizer(text, return_tensors="pt"), num_beams=4, length_penalty=0.0, max_new_tokens=9, bad_words_ids=BANNED(model),
        **choice,
    )[0].tolist()  # fmt: skip
    written = found[2 if "forced_bos_token_id" in choice else 1 :]
    return [each for each in written if each not in (model.config.eos_token_id, model.config.pad_token_id)]


def BANNED(model: Any) -> list[list[int]]:
    return [[model.config.pad_token_id], *(model.generation_config.bad_words_ids or [])]


@pytest.mark.parametrize("name", DIRECTIONS)
def test_two_directions_are_written_as_theirs(name: str, pieces: Path, tmp_path: Path) -> None:
    model, tokenizer = made(name, pieces, tmp_path / "m")
    ours = regard.load(tmp_path / "m", kind=Translator, device="cpu")
    texts, answers = ["the brown fox", "Wie geht es dir", "naïve café"], set()
    for source, target in DIRECTIONS[name]:
        longest = 9 if name in ("mBART-25", "SMaLL-100") else 8
        found = ours.translate(texts, source=source, target=target, beam_size=4, length_norm="none", max_length=longest)
        expected = [beam(model, tokenizer, name, text, source, target) for text in texts]
        assert [each.ids for each in found] == expected
        answers |= {tuple(ids) for ids in expected}
    assert len(answers) > 2
