"""Guided alignment: from a file of links to the head that learns them."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from running import command, outcome, refused

import regard
from random_models import save_models
from regard.checkpoint import load_model
from regard.data.alignments import token_links
from regard.data.batch import Batch
from regard.data.corpus import AlignedCorpus, Corpus, NumberedPair, TaggedCorpus
from regard.errors import DataError
from regard.inspection.alignment import cross_attention
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.text.words import WORD
from regard.training.objectives.guided_alignment import alignment_loss, guided_loss

STEPS = ["--steps", "2", "--set", "training.batch_tokens=300", "--precision", "float32"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Targets are the sources' words in reverse, and the links say so."""
    path = save_models(tmp_path_factory.mktemp("bases"))
    lines = (path / "source").read_text().splitlines()
    (path / "links").write_text("".join(" ".join(f"{2 - word}-{word}" for word in range(3)) + "\n" for _ in lines))
    return path


def test_words_become_tokens() -> None:
    tokenizer = Tokenizer.train(["ab cde f"], TokenizerConfig(kind="characters", vocab_size=20))
    pair = NumberedPair(1, "ab  cde", "f ab", ((0, 1), (1, 0), (0, 1)))
    found = token_links(pair, tokenizer, tokenizer)
    spelled = {
        (
            tokenizer.tokens(tokenizer.encode(pair.source))[source],
            tokenizer.tokens(tokenizer.encode(pair.target))[target],
        )
        for source, target in zip(found[::2], found[1::2], strict=True)
    }
    assert {pair for pair in spelled if "▁" not in pair} == {
        ("a", "a"),
        ("a", "b"),
        ("b", "a"),
        ("b", "b"),
        ("c", "f"),
        ("d", "f"),
        ("e", "f"),
    }
    assert token_links(NumberedPair(1, "ab", "f"), tokenizer, tokenizer) == []


def test_a_line_for_each_line(folder: Path, tmp_path: Path) -> None:
    corpus = Corpus((str(folder / "source"), str(folder / "target")))
    aligned = AlignedCorpus(corpus, str(folder / "links"))
    pairs = list(aligned.numbered())
    assert [pair[:3] for pair in pairs] == [pair[:3] for pair in corpus.numbered()]
    assert all(pair.links == ((2, 0), (1, 1), (0, 2)) for pair in pairs)
    assert len({aligned.digest, corpus.digest}) == 2
    first = next(iter(TaggedCorpus(aligned, "<t>").numbered()))
    assert first.links == ((3, 0), (2, 1), (1, 2))
    for text, message in (
        ("0-0\n", "must have a line for each of the 12 lines"),
        (
            "0-0\n" * 3 + "0-9\n" + "\n" * 8,
            r"line 4: a link must be of words that are there, 3 and 3; got 0-9, counted from 0",
        ),
        ("0-0\n" * 3 + "0:1\n" + "\n" * 8, r"line 4: a link must be two words, such as 0-1; got '0:1'"),
    ):
        (tmp_path / "bad").write_text(text)
        bad = AlignedCorpus(corpus, str(tmp_path / "bad"))
        with pytest.raises(DataError, match=message):
            _ = bad.digest, list(bad.numbered())


def test_a_file_that_counts_from_one_and_words_between_other_spaces(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("10\u00a0000 km\tkm 10\u00a0000\n")
    corpus = Corpus((str(tmp_path / "pairs.tsv"),))
    for links, settings, found in (
        ("0-1 1-0", {}, ((0, 1), (1, 0))),
        ("1-2 2-1", {"first": 1}, ((0, 1), (1, 0))),
        ("0-1 1-2 2-0", {"separators": "whitespace"}, ((0, 1), (1, 2), (2, 0))),
    ):
        (tmp_path / "links").write_text(f"{links}\n")
        aligned = AlignedCorpus(corpus, str(tmp_path / "links"), **settings)
        (pair,) = aligned.numbered()
        assert pair.links == found
        assert pair.separators == settings.get("separators", "spaces")
    digests = {AlignedCorpus(corpus, str(tmp_path / "links"), first, by).digest for first in (0, 1) for by in WORD}
    assert len(digests) == 4
    with pytest.raises(DataError, match=r"there, 2 and 2; got 1-2, counted from 0\. Does the file count from 1\?"):
        list(AlignedCorpus(corpus, str(tmp_path / "links")).numbered())


def test_the_loss_is_the_mean_over_the_links_of_each_target() -> None:
    """By hand: target 0 of row 0 has two links, target 2 of row 1 one; others count for nothing."""
    weights = torch.rand(2, 3, 4, generator=torch.Generator().manual_seed(0)) + 0.1
    weights /= weights.sum(dim=-1, keepdim=True)
    links = torch.tensor([[0, 0, 1], [0, 0, 3], [1, 2, 2]])
    by_hand = -(weights[0, 0, 1].log() + weights[0, 0, 3].log()) / 2 - weights[1, 2, 2].log()
    torch.testing.assert_close(alignment_loss(weights.log(), links), by_hand)


@pytest.mark.parametrize("head", ["cross.0.2", "cross.1.0"])
def test_the_weights_are_those_that_the_inspector_shows(folder: Path, head: str) -> None:
    """Two rows of which one is padded: the loss from the weights of `cross_attention`, and gradients by the projections."""
    model = load_model(folder / "m").model.train()
    model.config = model.config.model_copy(update={"alignment_head": head})
    source_ids, target_ids = torch.tensor([[5, 6, 7, 3], [8, 3, 0, 0]]), torch.tensor([[2, 7, 6], [2, 8, 0]])
    labels = torch.tensor([[7, 6, 3], [8, 3, 0]])
    links = torch.tensor([[0, 0, 2], [0, 1, 1], [0, 1, 0], [1, 0, 0]])
    batch = Batch(source_ids, target_ids, labels, 5, [0, 1], links=links)
    for module in model.modules():
        if hasattr(module, "rate"):
            module.rate = 0.0
    plain = model.loss(batch)
    whole = guided_loss(model, batch, lambda: model.loss(batch), 0.3)
    model.eval()
    _, layer, number = head.split(".")
    long, short = (
        cross_attention(model, source_ids[row][: sizes[0]], target_ids[row][: sizes[1]])[int(layer)][int(number)]
        for row, sizes in enumerate([(4, 3), (2, 2)])
    )
    expected = -long[0, 2].log() - (long[1, 1].log() + long[1, 0].log()) / 2 - short[0, 0].log()
    torch.testing.assert_close(whole - plain, 0.3 * expected, rtol=1e-4, atol=1e-5)
    (whole - plain).backward()
    attention = model.get_submodule(f"decoder_layers.{layer}.cross_attention")
    size = attention.head_dim
    by_head = attention.query_proj.weight.grad.unflatten(0, (-1, size)).abs().amax(dim=(1, 2))
    assert (by_head > 1e-8).nonzero().flatten().tolist() == [int(number)]


def test_a_head_learns_the_alignment_and_is_read(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After some steps it finds the words in reverse; `align` reads it without being told."""
    files = [folder / "source", folder / "target"]
    more = ["--set", f"data.alignments=[{folder / 'links'}]", "--set", "training.alignment_weight=1", "--steps", "120",
            "--set", "training.learning_rate=0.01", "--set", "model.dropout=0"]  # fmt: skip
    options = ["--valid", *files, "--from", folder / "m", *STEPS[2:], *more]
    assert command("train", *files, *options, "-o", tmp_path / "m") == 0
    assert load_model(tmp_path / "m").model.config.alignment_head == "cross.0.0"
    code, shown, told = outcome(capsys, "align", tmp_path / "m", *files, "--gold", folder / "links")
    assert code == 0
    assert shown.splitlines().count("0-2 1-1 2-0") >= 10
    assert "read from" not in told
    translator = regard.load(tmp_path / "m")
    assert isinstance(translator, regard.Translator)
    source, target = ((folder / name).read_text().splitlines()[0] for name in ("source", "target"))
    found, named = translator.align(source, target), translator.align(source, target, layer=0, head=0)
    assert found.weights == named.weights


def test_every_way_to_train_takes_it(folder: Path, tmp_path: Path) -> None:
    """With a tag, an adapter, a teacher, and in bfloat16; from files that are held out from."""
    files, links = [folder / "source", folder / "target"], f"data.alignments=[{folder / 'links'}]"
    base = ["train", *files, "--set", links, *STEPS[:4]]
    assert command(*base, "-o", tmp_path / "a", "--set", "data.tags=[<t>]", "--set", "tokenizer.vocab_size=40") == 0
    assert command(*base, "-o", tmp_path / "b", "--from", folder / "m", "--set", "adapter.rank=2") == 0
    assert regard.load(folder / "m", adapter=tmp_path / "b").model.config.alignment_head == "cross.0.0"
    assert command(*base, "-o", tmp_path / "c", "--teacher", folder / "m", "--precision", "bfloat16",
                   "--set", "model.alignment_head=cross.3.1") == 0  # fmt: skip
    assert load_model(tmp_path / "c").model.config.alignment_head == "cross.3.1"


def test_what_does_not_go_together(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "source", folder / "target", "-o", tmp_path / "x", *STEPS]
    links = ["--set", f"data.alignments={folder / 'links'}"]  # of one corpus, without brackets
    cases: list[tuple[list[Any], str]] = [
        ([*links, "--arch", "rnn"], "`data.alignments` needs `--arch encoder-decoder`; got rnn"),
        ([*links, "--set", "data.noise=[0.1]"], "`data.noise` moves tokens"),
        ([*links, "--set", "data.bpe_dropout=0.1"], "`data.bpe_dropout` moves tokens"),
        (
            [*links, "--set", "model.alignment_head=cross.9.0"],
            "model.alignment_head must be one of cross.0.0 to cross.3.3",
        ),
        (["--set", "data.alignments=[none]"], "none"),
        (["--set", "data.alignments=[a, b]"], "data.alignments must have a value for each corpus, 1 in all"),
        (["--set", "training.alignment_weight=1"], "training.alignment_weight has no effect without `data.alignments`"),
    ]
    for options, message in cases:
        assert message in refused(capsys, "train", *files, *options), options
    assert not (tmp_path / "x").exists()
