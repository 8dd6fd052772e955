"""Pairs of texts for classifiers: framed, cut and read as `transformers` does."""

from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from foreign_models import stored
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, processors

import regard
from regard.checkpoint import LoadedModel
from regard.data.labelled import encode_whole
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.registry import build
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

WORDS = {f"w{number}": number for number in range(30)}
BOS, EOS = 1, 2


def words() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.WordLevel(WORDS, unk_token="w3"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return backend


def tokenizer() -> Tokenizer:
    return Tokenizer(words(), Symbols(pad_id=0, unk_id=3, bos_id=BOS, eos_id=EOS, start_ids=[BOS]))


texts = st.lists(st.sampled_from([f"w{number}" for number in range(4, 30)]), min_size=1, max_size=12).map(" ".join)


@settings(max_examples=100)
@given(texts, texts, st.integers(8, 30), st.sampled_from([1, 2]))
def test_pairs_are_framed_and_cut_as_transformers_does(first: str, second: str, limit: int, separators: int) -> None:
    """`truncation=True`, which cuts the longer one first, with the frames of BERT and RoBERTa."""
    theirs = words()
    theirs.post_processor = processors.TemplateProcessing(
        single="w1 $A w2", pair="w1 $A" + " w2" * separators + " $B w2", special_tokens=[("w1", 1), ("w2", 2)]
    )
    theirs.enable_truncation(limit, strategy="longest_first")
    rows, are_cut = encode_whole([[first, second], [first]], tokenizer(), limit, separators)
    assert rows == [theirs.encode(first, second).ids, theirs.encode(first).ids]
    sizes = len(first.split()), len(second.split())
    assert are_cut == [sum(sizes) + 2 + separators > limit, sizes[0] + 2 > limit]


FRAMES = {
    "bert, classes, one layer": [1, 1],
    "bert, next sentence": [1, 1],
    "bert, a number": [1, 1],
    "bert, several labels": [1, 1],
    "roberta, classes": [2, 0],
    "distilbert, classes": [1, None],
    "electra, classes": [1, 1],
    "bart, classes": [2, None],
    "bart, a number": [2, None],
    "albert, classes": [1, 1],
}
"""How many end symbols stand between the texts of a pair, and the kind of the second text's tokens; None: there are no kinds."""


@pytest.mark.parametrize("name", FRAMES)
@torch.no_grad()
def test_a_pair_is_read_as_transformers_reads_it(name: str, tmp_path: Path) -> None:
    """Beside a longer pair and a single text in one batch."""
    theirs = stored(name, tmp_path).eval()
    ours: Any = regard.load(tmp_path)
    separators, kind = FRAMES[name]
    first, second = "w5 w9 w7", "w8 w11"
    begin, end = ours.tokenizer.bos_id, ours.tokenizer.eos_id
    ids = [begin, 5, 9, 7, *[end] * (separators or 0), 8, 11, end]
    assert ours.ids_of(f"{first}\t{second}") == ids
    inputs: dict[str, Any] = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids))}
    if kind is not None:
        inputs["token_type_ids"] = torch.tensor([[0] * 5 + [kind] * (len(ids) - 5)])
    expected = theirs(**inputs).logits[0]
    found = list(ours._logits([[first, second], ["w6 w7 w8 w9", "w4 w5 w6"], [first]]))
    torch.testing.assert_close(found[0][0], expected, rtol=1e-4, atol=1e-5)
    single = theirs(input_ids=torch.tensor([[begin, 5, 9, 7, end]])).logits[0]
    torch.testing.assert_close(found[2][0], single, rtol=1e-4, atol=1e-5)


def test_classes_of_next_sentences_have_names(tmp_path: Path) -> None:
    theirs = stored("bert, next sentence", tmp_path)
    ours: Any = regard.load(tmp_path)
    (found,) = ours.predict([["w5 w9", "w7"]])
    ids = torch.tensor([ours.ids_of("w5 w9\tw7")])
    with torch.no_grad():
        probs = theirs(input_ids=ids, token_type_ids=torch.tensor([[0, 0, 0, 0, 1, 1]])).logits.softmax(-1)[0]
    assert found.labels == [["next", "not next"][int(probs.argmax())]]
    assert found.probs == pytest.approx([float(probs.max())], abs=1e-5)
    assert found.text == "w5 w9\tw7"
    written = write_foreign(read_foreign(tmp_path).loaded, tmp_path / "again", "bert")
    assert written.check().agrees  # type: ignore[union-attr]
    again: Any = regard.load(tmp_path / "again")
    assert again.predict(["w5 w9\tw7"])[0].labels == found.labels


def test_offsets_of_a_pair_are_those_of_the_line(tmp_path: Path) -> None:
    stored("roberta, classes", tmp_path)
    ours: Any = regard.load(tmp_path)
    text = "w5 w9\tw7 w8"
    seen = ours.inspect(text)
    tokens = seen.record.key_tokens["encoder"]
    assert tokens.words == [None, 0, 1, None, None, 2, 3, None]
    assert [None if span is None else text[slice(*span)] for span in tokens.offsets] == [
        None, "w5", "w9", None, None, "w7", "w8", None,
    ]  # fmt: skip


@pytest.mark.parametrize("format", ["bert", "roberta", "distilbert", "electra", "albert"])
@pytest.mark.parametrize("separators", [1, 2])
def test_pairs_of_a_written_model_are_framed_as_ours(format: str, separators: int, tmp_path: Path) -> None:
    """By the tokenizer that is written beside it; frames of another format are refused."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(2)
    activation = {"roberta": "tanh", "electra": "gelu", "distilbert": "relu"}.get(format, "tanh")
    config = regard.extending.EncoderConfig(
        vocab_size=40, model_dim=12, num_heads=3, ff_dim=20, num_layers=2, max_positions=30, task="classify", labels=["a", "b"],
        num_segments={"distilbert": 0, "roberta": 1}.get(format, 2), pair_separators=separators, separator_id=3,
        head_activation=activation, weights_from=[0, 0] if format == "albert" else [],
        embedding_dim=8 if format == "albert" else None,
    )  # fmt: skip
    model = build(config).eval()
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    lines = [" ".join(f"w{(7 * row + word) % 20}" for word in range(5)) for row in range(20)]
    loaded = LoadedModel(model, ours := Tokenizer.train(lines, TokenizerConfig(kind="words", vocab_size=40)), ours)
    if separators != (2 if format == "roberta" else 1):
        with pytest.raises(
            ModelFolderError, match=f"pair_separators must be .* to be written as {format}; got {separators}"
        ):
            write_foreign(loaded, tmp_path / "theirs", format)
        return
    write_foreign(loaded, tmp_path / "theirs", format)
    cut = transformers.AutoTokenizer.from_pretrained(tmp_path / "theirs")
    theirs = transformers.AutoModelForSequenceClassification.from_pretrained(tmp_path / "theirs").eval()
    read = cut("w3 w5", "w4 w4 w1", return_tensors="pt")
    (expected,), _ = encode_whole([["w3 w5", "w4 w4 w1"]], ours, 30, separators)
    assert read["input_ids"][0].tolist() == expected
    with torch.no_grad():
        torch.testing.assert_close(theirs(**read).logits, model(torch.tensor([expected])), rtol=1e-4, atol=1e-5)
    again: Any = regard.load(tmp_path / "theirs")
    assert again.model.config.pair_separators == separators
