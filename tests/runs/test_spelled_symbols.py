"""A text may spell out a symbol, as Penn Treebank's and WikiText's do: the model that learns from it can be read."""

from pathlib import Path
from typing import Any

import pytest

import regard
from regard.errors import ModelFolderError
from regard.text.tokenizing import learning

SIZES: dict[str, Any] = {"model_dim": 8, "ff_dim": 8, "num_heads": 1, "num_layers": 1, "max_positions": 16}


def train(folder: Path, kind: str) -> Any:
    settings = {
        "model": SIZES, "tokenizer": {"kind": kind, "vocab_size": 60, "leading_space": False},
        "training": {"steps": 2, "validate_every": 2, "batch_tokens": 100},
    }  # fmt: skip
    return regard.train(folder / "text", folder / "out", arch="decoder", settings=settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = ["<unk> is rare", "</s> <s> ends", "<pad> fills <mask>", "<mask> hides <unk>", "the last word"]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines * 20))
    return tmp_path


@pytest.mark.parametrize("kind", ["words", "bpe", "unigram"])
def test_a_model_of_such_a_text_can_be_used(folder: Path, kind: str) -> None:
    train(folder, kind)
    model = regard.load(folder / "out")
    tokenizer = model.tokenizer
    assert tokenizer.tokens(range(4)) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert tokenizer.decode(tokenizer.encode("<unk> hides <mask>")) == "<unk> hides <mask>"
    assert model.generate("<unk> is", max_tokens=3)


def test_a_tokenizer_that_cannot_be_read_is_found_before_the_first_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = learning._steps
    monkeypatch.setattr(learning, "_steps", lambda config, scheme: steps(config, scheme)[:-1])
    with pytest.raises(ModelFolderError, match=r"tokenizer\.json must give .* the ids 0 to 3; got \[\d+"):
        train(folder, "words")
    assert not (folder / "out").exists()
