"""M2M100, SMaLL-100, NLLB-200, mBART and Pegasus with their tokenizers, against `transformers` and SentencePiece."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import fairseq, stored, transformers

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
    **dict.fromkeys(("NLLB", "NLLB, legacy"), (("eng_Latn", "deu_Latn"), ("fra_Latn", "eng_Latn"))),
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
            parameter.data += (0.1 if "shared" in key else 0.5) * torch.randn_like(parameter)
    model.generation_config.bad_words_ids = [[id] for id in range(len(tokenizer) + 100, size)]  # the madeup words
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
    for token in list(ours.languages.tokens.values())[:5] if ours.languages is not None else []:
        assert ours.id_of(token) not in ours.encode(f"{token} a {token}")


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
    """The ids that `generate` writes, without symbols around them."""
    is_listed = name in ("M2M100", "SMaLL-100")
    id = tokenizer.get_lang_id(target) if is_listed else tokenizer.convert_tokens_to_ids(target)
    tokenizer.src_lang = target if name == "SMaLL-100" else source
    choice = {"mBART-25": {"decoder_start_token_id": id}, "SMaLL-100": {}}.get(name, {"forced_bos_token_id": id})
    banned = [[model.config.pad_token_id], *model.generation_config.bad_words_ids]
    inputs = tokenizer(text, return_tensors="pt")
    found = model.generate(
        **inputs, num_beams=4, length_penalty=0.0, max_new_tokens=9, bad_words_ids=banned, **choice
    )[0].tolist()  # fmt: skip
    written = found[2 if "forced_bos_token_id" in choice else 1 :]
    return [each for each in written if each not in (model.config.eos_token_id, model.config.pad_token_id)]


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


def changed(path: Path, **values: Any) -> None:
    content = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps(content | values))


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    captured = capsys.readouterr()
    assert ended.value.code == 0, captured.err
    return captured.out


def test_a_folder_is_translated_with_and_converted(
    pieces: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made("NLLB, legacy", pieces, tmp_path / "m")
    Path("in.txt").write_text("the brown fox\nWie geht es dir\n")
    direction = ["--from", "en", "--to", "de", "--max-length", "8"]
    expected = output_of(capsys, "translate", "m", "in.txt", *direction)
    assert len(expected.splitlines()) == 2
    assert output_of(capsys, "translate", "m", "in.txt", *direction[:3], "fr", *direction[4:]) != expected
    read = output_of(capsys, "convert", "m", "new")
    assert "none of ours is left over" in read
    assert "largest difference of logits from transformers" in read
    assert output_of(capsys, "translate", "new", "in.txt", *direction) == expected
    assert "\ntarget languages: deu_Latn, eng_Latn, fra_Latn\n" in output_of(capsys, "info", "new")
    assert json.loads(output_of(capsys, "info", "new", "--json"))["languages"]["target"] == CODES


def test_pieces_alone_are_numbered_as_by_fairseq(pieces: Path, tmp_path: Path) -> None:
    """The languages follow the pieces, then comes the mask: `transformers` 5 has them in the other order."""
    made("NLLB, pieces", pieces, tmp_path / "m")
    tokenizer = read_foreign(tmp_path / "m").loaded.tokenizer
    size = processor(pieces, "bpe").get_piece_size() + 1
    assert tokenizer.tokens([0, 1, 2, 3, *range(size, size + 4)]) == ["<s>", "<pad>", "</s>", "<unk>", *CODES, "<mask>"]
    (tmp_path / "m" / "tokenizer_config.json").write_text("{}")
    with pytest.raises(ModelFolderError, match=r"must name the languages of sentencepiece\.bpe\.model"):
        read_foreign(tmp_path / "m")


def test_languages_of_a_folder_are_the_usual_ones(pieces: Path, tmp_path: Path) -> None:
    _, tokenizer = made("NLLB", pieces, tmp_path / "nllb")
    changed(tmp_path / "nllb" / "tokenizer_config.json", src_lang="fra_Latn", tgt_lang="eng_Latn")
    languages = read_foreign(tmp_path / "nllb").loaded.source_tokenizer.languages
    assert languages is not None
    assert (languages.source, languages.target) == ("fra_Latn", "eng_Latn")
    forced = tokenizer.convert_tokens_to_ids("deu_Latn")
    changed(tmp_path / "nllb" / "generation_config.json", forced_bos_token_id=forced)
    found = read_foreign(tmp_path / "nllb").loaded.source_tokenizer
    assert found.languages is not None
    assert (found.languages.target, found.symbols.start_ids) == ("deu_Latn", [2])
    made("mBART-25", pieces, tmp_path / "mbart")  # whose decoder starts with a language
    languages = read_foreign(tmp_path / "mbart").loaded.source_tokenizer.languages
    assert languages is not None
    assert (languages.target, languages.starts, languages.source_end) == ("de_DE", True, ["source"])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("NLLB", {"src_lang": "tlh_Latn"}, "src_lang must be one of the 3 languages; got 'tlh_Latn'"),
        ("NLLB", {"legacy_behaviour": "yes"}, "legacy_behaviour must be of type bool"),
        ("M2M100", {"tokenizer_class": "OtherTokenizer"}, "tokenizer_class must be one that cuts .*M2M100Tokenizer"),
        ("M2M100", {"language_codes": "m2m1000"}, r"language_codes must be one of m2m100, wmt21; .*Did you mean 'm2m100'\?"),
        ("M2M100", {"sp_model_kwargs": {"alpha": 0.1}}, "sp_model_kwargs must be null"),
        ("NLLB, pieces", {"additional_special_tokens": [5, "deu_Latn"], "added_tokens_decoder": {"7": "deu_Latn"}},
         "the id of the added token 'deu_Latn' must be 101; got 7"),
        ("NLLB, pieces", {"additional_special_tokens": 5}, "additional_special_tokens must be of type list; got 5"),
        ("Pegasus, pieces", {"offset": 0}, "offset must be 103"),
    ],
)  # fmt: skip
def test_settings_of_tokenizers_that_we_cannot_follow_are_refused(
    name: str, change: dict[str, Any], message: str, pieces: Path, tmp_path: Path
) -> None:
    made(name, pieces, tmp_path / "m")
    changed(tmp_path / "m" / "tokenizer_config.json", **change)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path / "m")


def test_sinusoids_of_old_files_are_looked_at(tmp_path: Path) -> None:
    """Which old versions stored, with a row for padding."""
    from safetensors.torch import load_file, save_file

    model = stored("m2m_100", tmp_path)
    waves = model.model.encoder.embed_positions.weights.clone()
    tensors = load_file(tmp_path / "model.safetensors")
    name = "model.encoder.embed_positions.weights"
    save_file(tensors | {name: waves}, tmp_path / "model.safetensors", metadata={"format": "pt"})
    assert read_foreign(tmp_path).account.accounted[name] == "sinusoids, which ours computes"
    for wrong in (waves + 0.01, waves[:, :-1].clone(), waves[:2].clone(), waves[0].clone()):
        save_file(tensors | {name: wrong}, tmp_path / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(ModelFolderError, match="must be the sinusoids of M2M100ForConditionalGeneration"):
            read_foreign(tmp_path)


@torch.no_grad()
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("head", ["none", "equal", "other"])
def test_the_file_decides_whether_the_head_is_tied(says: bool, head: str, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    stored("m2m_100", tmp_path)
    changed(tmp_path / "config.json", tie_word_embeddings=says)
    tensors = load_file(tmp_path / "model.safetensors")
    shared = tensors["model.shared.weight"]
    own = {
        "none": {},
        "equal": {"lm_head.weight": shared.clone()},
        "other": {"lm_head.weight": shared.flip(0).contiguous()},
    }
    save_file(tensors | own[head], tmp_path / "model.safetensors", metadata={"format": "pt"})
    foreign = read_foreign(tmp_path)
    model: Any = foreign.loaded.model
    assert foreign.account.left_over == []
    assert (model.config.tied_embeddings == "all") == (head == "none" or (head == "equal" and says))
    assert torch.equal(model.output_embedding.weight, own[head].get("lm_head.weight", shared))
    assert torch.equal(model.source_embedding.weight, shared)
