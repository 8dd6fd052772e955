"""Model folders are as docs/model-folder.md specifies them."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import regard
from regard.checkpoint import load_model, save_new
from regard.models.config import EncoderConfig, EncoderDecoderClassifierConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer

PAGE = (Path(__file__).parents[1] / "docs" / "model-folder.md").read_text(encoding="utf-8")
STATE = {"format_version", "tensors_sha256", "progress", "made_of", "record_sha256"}


def table(heading: str) -> list[list[str]]:
    """The cells of the table with this heading row, without the quotes of code."""
    rows = PAGE.split(f"\n{heading}\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    return [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in rows]


FILES = {name: when for name, _, when in table("| file | content | exists |")}
CONFIG = [key for key, _ in table("| key | value |")]
RESULTS = {key for key, _ in table("| key in `results.json` | value |")}
FORMER = table("| key | former value | value now |")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few steps, with a vocabulary for each side."""
    work = tmp_path_factory.mktemp("folders")
    words = [f"{first}{second}{third}" for first in "abcdef" for second in "abcdef" for third in "abcd"]
    pairs = [(word, word[::-1]) for word in words]
    small = {"model_dim": 8, "ff_dim": 8, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
    regard.train(
        pairs, work / "model", valid=pairs,
        steps=4, validate_every=2, batch_tokens=64, shared=False, keep_best=2, keep_every=2, **small,
    )  # fmt: skip
    return work


def test_a_finished_run_has_every_file_that_is_named_and_no_other(work: Path) -> None:
    assert names(work / "model") == FILES.keys()


def test_a_model_alone_has_the_files_that_are_always_there(
    make_model: Callable[..., EncoderDecoder], letters: Tokenizer, tmp_path: Path
) -> None:
    save_new(tmp_path / "model", make_model(vocab_size=len(letters)), letters)
    assert names(tmp_path / "model") == {name for name, when in FILES.items() if when == "always"}
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert list(config) == [key for key in CONFIG if key != "source_tokenizer_sha256"]


def test_the_keys_of_its_files(work: Path) -> None:
    folder = work / "model"
    config = json.loads((folder / "config.json").read_text())
    assert list(config) == CONFIG
    assert config["format_version"] == 1
    for key, name in (("tokenizer_sha256", "tokenizer.json"), ("source_tokenizer_sha256", "source_tokenizer.json")):
        assert config[key] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    special = {key for key, _ in table("| key in `model` | value |")}
    of_others = {*EncoderConfig.model_fields, *EncoderDecoderClassifierConfig.model_fields}
    assert special - config["model"].keys() == {"labels", "separator_id", "start_id"} <= of_others
    results = json.loads((folder / "results.json").read_text())
    assert results.keys() >= RESULTS
    sentence = PAGE.split("depend on the family: ")[1].split("These keys")[0]
    assert results.keys() - RESULTS <= set(re.findall(r"`(\w+)`", sentence))
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert {frozenset(record) for record in records} == {
        frozenset({"step", "loss", "learning_rate", "tokens_per_second", "elapsed_seconds"}),
        frozenset(
            {"step", "valid_loss", "valid_token_accuracy", "valid_exact_match"}
        ),  # the metric that these data decide for
    }


def test_its_checkpoints(work: Path) -> None:
    folder = work / "model.training"
    assert names(folder) == {"best", "snapshots", "step-00000002", "step-00000004"}
    assert "| `snapshots/step-00000500/` |" in PAGE
    assert names(folder / "snapshots") == {"step-00000000", "step-00000002", "step-00000004"}
    for path in (folder / "snapshots").iterdir():
        assert names(path) == {
            name for name, when in FILES.items() if when in ("always", "if tokenizer.shared is false")
        }
    assert names(folder / "best") == {"step-00000002", "step-00000004"}
    for step in ("step-00000002", "step-00000004"):
        assert names(folder / step) == {"state.safetensors", "state.json"}
        assert json.loads((folder / step / "state.json").read_text()).keys() == STATE
        load_model(folder / "best" / step)
    for key in STATE:
        assert f"`{key}`" in PAGE


@pytest.mark.parametrize(("key", "former", "now"), FORMER, ids=[row[1] for row in FORMER])
def test_former_values_are_read_and_answer_the_same(
    make_model: Callable[..., EncoderDecoder], letters: Tokenizer, tmp_path: Path, key: str, former: str, now: str
) -> None:
    model = make_model(vocab_size=len(letters), **({key: now} if key != "arch" else {}))
    save_new(tmp_path / "model", model, letters)
    path = tmp_path / "model" / "config.json"
    content = json.loads(path.read_text())
    assert content["model"][key] == now
    content["model"][key] = former
    path.write_text(json.dumps(content))
    loaded, ids = load_model(tmp_path / "model").model, torch.tensor([[5, 6, 7, 3]])
    assert torch.equal(loaded(ids, ids), model(ids, ids))
