"""What a run stores of a model that translates beside its weights: where alignments are read, and texts to try it with."""

import json
import random
from pathlib import Path

import pytest
import torch

import regard
from regard.analysis.aligning import find_alignment_head
from regard.checkpoint import save_new
from regard.errors import SettingsError
from regard.inspection.alignment import cross_attention, likenesses
from regard.models.config import EncoderDecoderConfig
from regard.models.heads import Site, alignment_head, prune_heads
from regard.models.registry import build
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator
from regard.runs.tasks.pairs import few_examples
from regard.serving.examples import examples_of
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

WORDS = {"red": "rot", "cat": "katze", "runs": "rennt", "old": "alt", "dog": "hund", "here": "hier"}
SMALL = {"model_dim": 16, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 2}


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    chosen = random.Random(3)
    rows = [chosen.choices(list(WORDS), k=chosen.randint(2, 5)) for _ in range(150)]
    return [(" ".join(row), " ".join(WORDS[word] for word in row)) for row in rows]


@pytest.fixture(scope="module")
def folder(pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("found") / "model"
    regard.train(pairs, path, valid=pairs[:30], steps=6, validate_every=3, batch_tokens=200, **SMALL)
    return path


def by_hand(translator: Translator, pairs: list[tuple[str, str]]) -> str:
    """The head whose weights between the words of both sides look most like an alignment, pair by pair and head by head."""
    totals: dict[str, float] = {}
    reader, writer = translator.source_tokenizer, translator.tokenizer
    for source, target in pairs:
        source_ids = reader.frame_source(reader.encode(source))
        read = [*writer.symbols.start_ids, *writer.encode(target)]
        kept = [place for place, id in enumerate(source_ids) if id != reader.eos_id]
        for layer, weights in enumerate(
            cross_attention(translator.model, torch.tensor(source_ids), torch.tensor(read))
        ):
            for head, rows in enumerate(weights):
                name = f"cross.{layer}.{head}"
                totals[name] = totals.get(name, 0.0) + float(likenesses(rows[None, :-1, kept])[0])
    return max(totals, key=lambda name: totals[name])


def test_the_alignment_head_is_found_on_validation_pairs_and_stored(folder: Path, pairs: list[tuple[str, str]]) -> None:
    translator = load_as(folder, Translator, device="cpu")
    stored = json.loads((folder / "config.json").read_text())["model"]["alignment_head"]
    assert stored == by_hand(translator, pairs[:30])
    _, layer, head = stored.split(".")
    assert alignment_head(translator.model) == (int(layer), int(head))
    for source, target in pairs[:4]:
        aligned = translator.align(source, target)
        assert aligned == translator.align(source, target, layer=int(layer), head=int(head))
        seen = translator.inspect(source, target)
        assert seen.alignment == seen.summary()["alignment"] == stored
        assert aligned.weights[0] == pytest.approx(seen[stored].filled(0)[0].tolist(), abs=1e-5)


def test_a_head_that_is_named_stays(folder: Path, pairs: list[tuple[str, str]], tmp_path: Path) -> None:
    named = {"steps": 2, "validate_every": 2, "batch_tokens": 200}
    regard.train(pairs, tmp_path / "named", valid=pairs[:9], alignment_head="cross.0.1", **named, **SMALL)
    assert '"alignment_head": "cross.0.1"' in (tmp_path / "named" / "config.json").read_text()
    regard.train(pairs, tmp_path / "adapter", valid=pairs[:9], from_=folder, rank=2, **named)
    record = json.loads((tmp_path / "adapter" / "adapter.json").read_text())
    assert (
        record["model"]["alignment_head"] == json.loads((folder / "config.json").read_text())["model"]["alignment_head"]
    )


@pytest.fixture(scope="module")
def pruned(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without head 0 of its last layer, which it names as its alignment head, as older versions wrote."""
    path, loaded = tmp_path_factory.mktemp("pruned") / "model", load_as(folder, Translator, device="cpu")
    prune_heads(loaded.model, {Site("cross", 1): [0], Site("cross", 0): [0]})
    loaded.model.config = loaded.model.config.model_copy(update={"alignment_head": "cross.1.0"})
    save_new(path, loaded.model, loaded.tokenizer)
    return path


def test_pruning_removes_the_alignment_head_from_the_configuration(folder: Path) -> None:
    model = load_as(folder, Translator, device="cpu").model
    model.config = model.config.model_copy(update={"alignment_head": "cross.1.0"})
    prune_heads(model, {Site("cross", 0): [0]})
    assert model.config.alignment_head == "cross.1.0"
    prune_heads(model, {Site("cross", 1): [0]})
    assert model.config.alignment_head is None


def test_a_model_whose_alignment_head_was_pruned_gets_another(
    pruned: Path, pairs: list[tuple[str, str]], tmp_path: Path
) -> None:
    named = {"steps": 2, "validate_every": 2, "batch_tokens": 200}
    regard.train(pairs, tmp_path / "found", valid=pairs[:9], from_=pruned, **named)
    assert load_as(tmp_path / "found", Translator, device="cpu").model.config.alignment_head in (
        "cross.0.1",
        "cross.1.1",
    )
    (tmp_path / "links").write_text("0-0\n" * len(pairs))
    links = [str(tmp_path / "links")]
    regard.train(pairs, tmp_path / "guided", valid=pairs[:9], from_=pruned, alignments=links, **named)
    assert load_as(tmp_path / "guided", Translator, device="cpu").model.config.alignment_head == "cross.0.1"
    with pytest.raises(SettingsError, match=r"model\.alignment_head must .*; got cross\.1\.0"):
        regard.train(pairs, tmp_path / "x", valid=pairs[:9], from_=pruned, alignment_head="cross.1.0", **named)


def test_models_without_a_head_to_find(letters: Tokenizer, pairs: list[tuple[str, str]]) -> None:
    config = EncoderDecoderConfig(vocab_size=len(letters), max_positions=12, **SMALL)
    translator = Translator(build(config), letters)  # type: ignore[arg-type]
    sources, targets = ["", " ", "a b", "ab" * 40], ["a", "b", "", "c"]
    assert find_alignment_head(translator, sources, targets) is None
    found = find_alignment_head(translator, [*sources, "a b"], [*targets, "b a"])
    assert found == by_hand(translator, [("a b", "b a")])
    seen, aligned = translator.inspect("a b", "b a"), translator.align("a b", "b a")
    assert seen.alignment == f"cross.{aligned.layer}"  # of a model that names none: what `align` takes


def test_heads_are_measured_together_as_one_by_one() -> None:
    weights = torch.rand(3, 4, 5, generator=torch.Generator().manual_seed(2)).softmax(dim=-1)
    weights = torch.cat([weights, torch.eye(5)[None, :4], torch.full((1, 4, 5), 0.2)])
    one_by_one = [float(likenesses(rows[None])[0]) for rows in weights]
    assert likenesses(weights).tolist() == pytest.approx(one_by_one, abs=1e-6)
    assert one_by_one[-1] == pytest.approx(0.0, abs=1e-6)  # looks everywhere alike
    assert likenesses(torch.zeros(2, 0, 3)).tolist() == [0.0, 0.0]


def test_examples_are_sources_of_the_validation_data(folder: Path, pairs: list[tuple[str, str]]) -> None:
    stored = json.loads((folder / "results.json").read_text())["examples"]
    assert len(stored) == len(set(stored)) == 3
    assert set(stored) <= {source for source, _ in pairs[:30]}
    tokenizer = load_as(folder, Translator, device="cpu").source_tokenizer
    assert examples_of(folder, "en", tokenizer) == stored


def test_few_examples_are_usual_and_readable() -> None:
    tokenizer = Tokenizer.train(["abc de"], TokenizerConfig(kind="characters", vocab_size=30))
    texts = ["", "  ", "a" * 300, "zzz", "abc", "abc", "ab", "abcde abcde abcde", "dea", "cab"]
    assert few_examples(texts, tokenizer) == ["abc", "dea", "cab"]
    assert few_examples(["zz"], tokenizer) == ["zz"]
    assert few_examples([], tokenizer) == []


@pytest.mark.parametrize(
    "content", [None, "", "{", "[]", "null", '{"examples": 3}', '{"examples": [3, "", "  "]}', "[" * 9000]
)
def test_folders_that_name_no_examples(tmp_path: Path, letters: Tokenizer, content: str | None) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    assert examples_of(tmp_path, "und", letters) == []
    (usual,) = examples_of(tmp_path, "en", letters)
    assert "dogs" in usual
