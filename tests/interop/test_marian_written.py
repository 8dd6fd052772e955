"""Marian's `.npz` as Regard writes it, held against the arrays that another writer makes, and read by CTranslate2's converter."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from test_marian import OPTIONS, TOKENS, arrays_of, marian_model, write

from regard.checkpoint import LoadedModel, load_model, save_new
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer

pytest.importorskip("ctranslate2")

PRE_NORM = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}


def case(name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and options of a model, made without Regard."""
    if name == "two vocabularies":
        theirs = marian_model(share_encoder_decoder_embeddings=False, decoder_vocab_size=28, tie_word_embeddings=False)
        options = OPTIONS | {"tied-embeddings-all": False}
        return arrays_of(theirs, options, shared=False), options
    options = OPTIONS | (PRE_NORM if name == "pre-norm" else {"transformer-ffn-activation": "relu"})
    arrays = arrays_of(marian_model(), options)
    for side in ("encoder", "decoder") if name == "pre-norm" else ():
        arrays |= {f"{side}_top_ln_scale": np.full((1, 18), 1.3, np.float32), f"{side}_top_ln_bias": np.ones((1, 18))}
    return arrays, options


def read_case(folder: Path, name: str) -> tuple[LoadedModel, dict[str, np.ndarray], dict[str, Any]]:
    arrays, options = case(name)
    folder.mkdir()
    write(folder, arrays, options)
    if not options["tied-embeddings-all"]:
        (folder / "decoder.yml").write_text("vocabs: [source.vocab.yml, target.vocab.yml]\n")
    return read_foreign(folder).loaded, arrays, options


@pytest.mark.parametrize("name", ["shared", "pre-norm", "two vocabularies"])
def test_what_was_read_is_written_as_it_was(name: str, tmp_path: Path) -> None:
    loaded, arrays, options = read_case(tmp_path / "theirs", name)
    written = write_foreign(loaded, tmp_path / "new", "marian-npz")
    with np.load(tmp_path / "new" / "model.npz", allow_pickle=False) as file:
        found = {key: file[key] for key in file.files}
    text = found.pop("special:model.yml").tobytes().removesuffix(b"\0")
    assert found.keys() == arrays.keys()
    for key, array in arrays.items():
        assert found[key].shape == array.shape, key
        assert found[key].dtype == np.float32
        np.testing.assert_array_equal(found[key], array.astype(np.float32), err_msg=key)
    settings = yaml.safe_load(text)
    assert {key: settings[key] for key in options} == options
    names = ["source.vocab.yml", "target.vocab.yml"] if name == "two vocabularies" else ["vocab.yml"]
    if name != "two vocabularies":
        vocabulary = yaml.safe_load((tmp_path / "new" / "vocab.yml").read_text(encoding="utf-8"))
        assert vocabulary == {token: id for id, token in enumerate(TOKENS)}
    # Both lists are equal here, so that one file serves both sides.
    decoder = yaml.safe_load((tmp_path / "new" / "decoder.yml").read_text(encoding="utf-8"))
    assert {*decoder["vocabs"]} <= {*names, "vocab.yml"}
    check = written.check()
    assert check is not None
    assert check.against.startswith("CTranslate2")
    assert check.agrees
    again = read_foreign(tmp_path / "new").loaded
    source, target = torch.randint(2, 27, (2, 6)), torch.randint(2, 27, (2, 5))
    torch.testing.assert_close(again.model(source, target), loaded.model(source, target))


def test_sentencepiece_models_go_along(tmp_path: Path) -> None:
    """A folder as OPUS-MT's, with a SentencePiece model for each side, becomes Marian's own, and is read back."""
    spm = pytest.importorskip("sentencepiece")
    arrays, options = case("shared")
    (tmp_path / "theirs").mkdir()
    write(tmp_path / "theirs", arrays, options)
    lines = ["w1 w2 w3", "w4 w5 w10", "w11 w12 w2"] * 20
    for side in ("source", "target"):
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_prefix=str(tmp_path / side),
            vocab_size=18,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (tmp_path / f"{side}.model").rename(tmp_path / "theirs" / f"{side}.spm")
    loaded = read_foreign(tmp_path / "theirs").loaded
    write_foreign(loaded, tmp_path / "new", "marian-npz")
    again = read_foreign(tmp_path / "new").loaded
    for ours, theirs in ((again.source_tokenizer, loaded.source_tokenizer), (again.tokenizer, loaded.tokenizer)):
        for line in ["w1 w2", "w12 w11 ☃", "w9"]:
            assert ours.encode(line) == theirs.encode(line)
        assert ours.symbols == theirs.symbols


def test_what_marian_cannot_represent_is_refused_by_name(tmp_path: Path) -> None:
    loaded, _, _ = read_case(tmp_path / "theirs", "shared")
    assert isinstance(loaded.model.config.vocab_size, int)

    def refused(named: str, **change: Any) -> None:
        with pytest.raises(ModelFolderError, match=named):
            write_foreign(loaded._replace(**change), tmp_path / "new", "marian-npz")
        assert not (tmp_path / "new").exists()

    for key, value in (("positions", "rotary"), ("activation", "gelu"), ("scale_embeddings", False), ("bias", False)):
        refused(f"{key} must be", model=build(loaded.model.config.model_copy(update={key: value})))
    symbols = loaded.tokenizer.symbols
    refused("decoder must start from the last token", tokenizer=loaded.tokenizer.with_symbols(
        symbols.model_copy(update={"start_ids": [0]})))  # fmt: skip
    fewer = Tokenizer(loaded.tokenizer._backend, symbols, num_ids=20)
    refused("target's vocabulary must have 28 tokens, as the model has; got 20", tokenizer=fewer)
    refused("source's vocabulary must have 28 tokens, as the model has; got 20", source_tokenizer=fewer)
    model = build(loaded.model.config)
    model.load_state_dict(loaded.model.state_dict())
    model.target_embedding.weight.data[27, 3] = 0.5
    refused(r"must be zero to be written as marian-npz; got numbers up to 0\.5.*--to marian`", model=model)
    listed = Tokenizer(loaded.tokenizer._backend, symbols, vocabulary=loaded.tokenizer.tokens(range(28)))
    refused("must be zero .*--to ctranslate2`", model=model, tokenizer=listed)


def test_a_model_of_ours_cannot_start_from_zero(tmp_path: Path) -> None:
    from test_argos import ours

    with pytest.raises(ModelFolderError, match=r"positions must be sinusoidal_halves|decoder must start from"):
        write_foreign(ours(), tmp_path / "new", "marian-npz")
    with pytest.raises(ModelFolderError, match=r"decoder must start from the last token.*got <s>.*OPUS-MT"):
        write_foreign(ours(positions="sinusoidal_halves"), tmp_path / "new", "marian-npz")


def test_a_model_folder_of_ours_that_was_read_from_marian_is_written(tmp_path: Path) -> None:
    loaded, arrays, _ = read_case(tmp_path / "theirs", "shared")
    save_new(tmp_path / "ours", *loaded)
    write_foreign(load_model(tmp_path / "ours"), tmp_path / "new", "marian-npz")
    with np.load(tmp_path / "new" / "model.npz") as file:
        np.testing.assert_array_equal(file["Wemb"], arrays["Wemb"])
