"""Tokens that are added to a vocabulary: tags of corpora, and new words of a model that goes on."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from running import command, refused

import regard
from random_models import save_models
from regard.checkpoint import load_model
from regard.errors import SettingsError
from regard.pipelines.loading import load_any
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
STEPS = ["--steps", "2", "--set", "training.batch_tokens=200", "--precision", "float32"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("bases"))


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters", "words"])
@pytest.mark.parametrize("normalization", ["NFC", "NFD"])
def test_they_are_never_cut(kind: Any, normalization: Any, tmp_path: Path) -> None:
    lines = ["ab cde fgh", "cab bé", "<bt> a"] * 5
    config = TokenizerConfig(kind=kind, vocab_size=40, normalization=normalization, add=["<bt>", "<é>"])
    tokenizer = Tokenizer.train(lines, config)
    plain = Tokenizer.train(lines, config.model_copy(update={"add": [], "vocab_size": 38}))
    assert len(tokenizer) == len(plain) + 2
    assert tokenizer.tokens([len(plain), len(plain) + 1]) == ["<bt>", "<é>"]
    for text in ("ab cde", "cab bé"):
        if kind != "unigram":  # whose training orders tokens of one score by chance
            assert tokenizer.encode(text) == plain.encode(text)
        assert tokenizer.decode(tokenizer.encode(text)) == plain.decode(plain.encode(text))
    ids = tokenizer.encode("<bt> ab<é> cde")
    assert ids[0] == len(plain)
    assert ids.count(len(plain) + 1) == 1
    tokenizer.save(tmp_path / "t.json")
    assert Tokenizer.load(tmp_path / "t.json").encode("<bt> ab<é> cde") == ids
    assert tokenizer.with_tokens(["<bt>"]).encode("<bt> ab") == tokenizer.encode("<bt> ab")
    assert len(tokenizer.with_tokens(["<bt>"])) == len(tokenizer)
    for bad in ("<s>", "<pad>", "a b", " x"):
        with pytest.raises(SettingsError, match=r"tokenizer\.add must hold tokens without spaces"):
            plain.with_tokens([bad])


@pytest.mark.parametrize(("kind", "across"), [("bpe", False), ("bpe", True), ("unigram", False), ("characters", False)])
def test_letters_that_are_added_are_parts_of_words(kind: Any, across: bool, tmp_path: Path) -> None:
    """What follows one without a space is the same word; and a tag before a text changes nothing."""
    config = TokenizerConfig(kind=kind, vocab_size=40, across_spaces=across)
    plain = Tokenizer.train(["ab cde fgh", "cab be", "dad fed a cab"] * 5, config)
    tokenizer = plain.with_tokens([*"řšě", "<t>"])
    tokenizer.save(tmp_path / "t.json")
    for text in ("řab šcde", "abř", "ab řš cěde ě", "<t> cab", "cab <t> fed", "a", "<t>ab"):
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert tokenizer.unk_id not in ids
        assert Tokenizer.load(tmp_path / "t.json").encode(text) == ids
        sentence = tokenizer.encode_sentence(text)
        assert list(sentence.ids) == ids
    assert tokenizer.encode("ab cde") == plain.encode("ab cde")
    assert tokenizer.encode("<t> ab cde") == [tokenizer.id_of("<t>"), *plain.encode(" ab cde")]


@pytest.mark.parametrize("kind", ["bpe", "unigram", "characters", "words"])
def test_they_are_found_in_composed_and_decomposed_text(kind: Any, tmp_path: Path) -> None:
    config = TokenizerConfig(kind=kind, vocab_size=40, add=["č", "<é>"])
    tokenizer = Tokenizer.train(["ab cde fgh", "cab be"] * 5, config)
    tokenizer.save(tmp_path / "t.json")
    wanted = tokenizer.encode("č ab<é>")
    assert tokenizer.unk_id not in wanted
    assert tokenizer.encode("c\u030c ab<e\u0301>") == Tokenizer.load(tmp_path / "t.json").encode("č ab<é>") == wanted
    assert tokenizer.decode(wanted) == "č ab<é>"
    assert tokenizer.offsets("c\u030c ab<e\u0301>")[-1] == (5, 9)


@pytest.mark.parametrize("normalization", ["NFC", "NFD"])
@pytest.mark.parametrize("space", [True, False])
def test_words_that_are_added_to_words_are_words(normalization: Any, space: bool, tmp_path: Path) -> None:
    """Phones such as t͡ʃ; in a vocabulary of words, a tag alone is found inside of one."""
    config = TokenizerConfig(kind="words", vocab_size=40, normalization=normalization, leading_space=space)
    plain = Tokenizer.train(["t a ʃ d", "a d t"] * 5, config)
    tokenizer = plain.with_tokens(["t͡ʃ", "ɲ", "é", "<x>"])
    tokenizer.save(tmp_path / "t.json")
    for text in ("t͡ʃ a", "a t͡ʃ d ɲ é", "ɲ", "<x> a ɲ"):
        ids = tokenizer.encode(text)
        assert tokenizer.unk_id not in ids
        assert tokenizer.decode(ids) == text
        assert Tokenizer.load(tmp_path / "t.json").encode(text) == ids
        assert tokenizer.offsets(text)[-1][1] == len(text)
    assert len(tokenizer.encode("a t͡ʃ d")) == 3
    assert tokenizer.unk_id in tokenizer.encode("t͡ʃa")
    assert tokenizer.encode("t a ʃ") == plain.encode("t a ʃ")
    assert len(tokenizer.with_tokens(["t͡ʃ", "<x>"])) == len(tokenizer)
    assert sorted(tokenizer.encode("ɲ é t͡ʃ")) == sorted({*tokenizer.encode("ɲ é t͡ʃ")})


def weights(path: Path) -> dict[str, torch.Tensor]:
    return load_model(path).model.state_dict()


@pytest.mark.parametrize("base", ["m", "two", "rnn", "lm", "mlm"])
def test_a_model_that_goes_on_learns_new_tokens(folder: Path, tmp_path: Path, base: str) -> None:
    """Their embeddings begin at the mean of all; the others, and all other weights, begin where they were."""
    files = [folder / name for name in {"lm": ["source"], "mlm": ["source"]}.get(base, ["source", "target"])]
    still = ["--set", "training.learning_rate=1e-30", "--set", "tokenizer.add=[<new>,<other>]"]
    assert (
        command("train", *files, "--valid", *files, "--from", folder / base, "-o", tmp_path / "m", *STEPS, *still) == 0
    )
    before, after = weights(folder / base), weights(tmp_path / "m")
    grown = {name for name in after if after[name].shape != before[name].shape}
    assert grown
    for name, tensor in after.items():
        torch.testing.assert_close(tensor[: len(before[name])], before[name], rtol=1e-5, atol=1e-7)
        if name in grown:
            assert len(tensor) == len(before[name]) + 2
            mean = before[name].mean(dim=0).expand(2, *before[name].shape[1:])
            torch.testing.assert_close(tensor[len(before[name]) :], mean, rtol=1e-4, atol=1e-6)
    loaded = regard.load(tmp_path / "m")
    assert loaded.tokenizer.tokens(loaded.tokenizer.encode("ab <new>"))[-1] == "<new>"


def test_a_foreign_model_learns_new_tokens(tmp_path: Path) -> None:
    """Marian's, whose vocabulary is a list beside two SentencePiece models in other tests, and here a tokenizer of words."""
    from foreign_models import stored

    stored("marian", tmp_path / "base")
    pairs = [("<law> w5 w7", "w9 w7"), ("w6 w8", "w8 w6")] * 4
    regard.train(pairs, tmp_path / "m", valid=pairs, from_=tmp_path / "base", steps=1, batch_tokens=200, add=["<law>"],
                 learning_rate=1e-30)  # fmt: skip
    before, after = load_any(tmp_path / "base"), load_any(tmp_path / "m")
    assert after.model.config.vocab_size == before.model.config.vocab_size + 1
    assert after.tokenizer.tokens(after.tokenizer.encode("<law> w5")) == ["<law>", "w5"]
    ids = torch.tensor([[5, 7, 2]])
    torch.testing.assert_close(after.model(ids, ids)[..., :-1], before.model(ids, ids), rtol=1e-4, atol=1e-5)


def test_a_tag_for_each_corpus(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "source", folder / "target"]
    options = [
        "--set",
        "data.tags=[null, <bt>]",
        "--set",
        "data.noise=[0, 0.1]",
        "--set",
        "tokenizer.vocab_size=40",
        *STEPS,
    ]
    assert command("train", *files, *files, "--valid", *files, "-o", tmp_path / "m", *options) == 0
    tokenizer = load_model(tmp_path / "m").tokenizer
    assert tokenizer.tokens(tokenizer.encode("<bt> ab"))[0] == "<bt>"
    further = ["--from", tmp_path / "m", "-o", tmp_path / "n", *STEPS]
    assert command("train", *files, *files, "--set", "data.tags=[<bt>, null]", *further) == 0
    assert weights(tmp_path / "n").keys() == weights(tmp_path / "m").keys()
    assert len(load_model(tmp_path / "n").tokenizer) == len(tokenizer)  # it had the tag already
    for wrong, message in (
        ("data.tags=[<bt>]", "data.tags must have a value for each corpus, 2 in all"),
        ("data.noise=[0.1]", "data.noise must have a value for each corpus, 2 in all"),
        ("data.noise=[0.1, 0.7]", "data.noise"),
        ("data.tags=[null, 'a b']", "tokenizer.add must hold tokens without spaces"),
    ):
        assert message in refused(capsys, "train", *files, *files, "-o", tmp_path / "x", "--set", wrong, *STEPS)


def test_merges_are_left_out_around_a_tag(folder: Path, tmp_path: Path) -> None:
    """BPE dropout, tags and noise together."""
    files = [folder / "source", folder / "target"]
    options = ["--set", "data.tags=[<a>]", "--set", "data.noise=[0.2]", "--set", "data.bpe_dropout=0.3", "--set",
               "data.concatenation=0.3", "--set", "tokenizer.vocab_size=40"]  # fmt: skip
    assert command("train", *files, "--valid", *files, "-o", tmp_path / "m", *options, *STEPS) == 0
