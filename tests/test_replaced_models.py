"""A model that is replaced while it is read is one of the two, or an error; never parts of both."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from regard import adapters, checkpoint
from regard.adapters import Base, adapt, read_adapter, save_adapter, weights_digest
from regard.checkpoint import LoadedModel, load_model, save_new
from regard.errors import ModelFolderError
from regard.interop import formats
from regard.interop.formats import read_foreign
from regard.interop.hugging_face import folder
from regard.models.adaptation import AdapterConfig, adapted, add_adapter
from regard.models.config import EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.text import file_changes as changes
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LONGER = Tokenizer.train(["zyx abcdef ghij"] * 9, TokenizerConfig(kind="characters", vocab_size=30, with_mask=True))
SHORTER = Tokenizer.train(["abc def"] * 9, TokenizerConfig(kind="characters", vocab_size=20, with_mask=True))
KINDS: list[tuple[Tokenizer, dict[str, Any]]] = [
    (SHORTER, {"num_heads": 2}),  # which no shape shows
    (SHORTER, {"model_dim": 24}),
    (LONGER, {}),
]


def save(folder: Path, tokenizer: Tokenizer, value: float, **changed: Any) -> None:
    sizes: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_layers": 1, "max_positions": 9}
    model = build(EncoderConfig(vocab_size=len(tokenizer), task="mlm", **{**sizes, **changed})).eval()
    for parameter in model.parameters():
        parameter.data.fill_(value)
    save_new(folder, model, tokenizer)


def described(loaded: LoadedModel) -> tuple[Any, ...]:
    values = {parameter.max().item() for parameter in loaded.model.parameters()}
    return loaded.model.config, loaded.tokenizer.backend_json, *sorted(values)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "WAIT", 0.0)


def before(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, act: Callable[[], None], times: int = 1) -> None:
    """Act before the first calls of a function."""
    told, left = getattr(module, name), [times]

    def noted(*given: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            act()
        return told(*given, **named)

    monkeypatch.setattr(module, name, noted)


@pytest.mark.parametrize("moment", ["check_weights", "_load_tokenizer", "build", "load_weights"])
@pytest.mark.parametrize(("tokenizer", "changed"), KINDS)
def test_a_model_that_is_replaced_is_read_anew(
    moment: str, tokenizer: Tokenizer, changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "m", SHORTER, 0.25)
    save(tmp_path / "other", tokenizer, 0.5, **changed)
    wanted = described(load_model(tmp_path / "other"))
    before(monkeypatch, checkpoint, moment, lambda: save(tmp_path / "m", tokenizer, 0.5, **changed))
    assert described(load_model(tmp_path / "m")) == wanted


def test_a_model_that_is_replaced_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "m", SHORTER, 0.25)
    before(monkeypatch, checkpoint, "load_weights", lambda: save(tmp_path / "m", SHORTER, 0.5), times=99)
    with pytest.raises(ModelFolderError, match=r"/m must not change while it is read; it did, 5 times\. Load it again"):
        load_model(tmp_path / "m")


def test_a_model_that_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "m", SHORTER, 0.25)
    before(monkeypatch, checkpoint, "load_weights", lambda: shutil.rmtree(tmp_path / "m"))
    with pytest.raises(ModelFolderError, match="/m must be an existing folder"):
        load_model(tmp_path / "m")


def test_a_damaged_model_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "m", SHORTER, 0.25)
    (tmp_path / "m" / "tokenizer.json").write_text("{}")
    readings = list[int]()
    before(monkeypatch, checkpoint, "_load_tokenizer", lambda: readings.append(1), times=99)
    with pytest.raises(ModelFolderError, match="its checksum differs"):
        load_model(tmp_path / "m")
    assert readings == [1]


def test_a_foreign_model_that_is_replaced_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"model_dim": 12, "ff_dim": 20, "num_encoder_layers": 1, "num_decoder_layers": 1, "max_positions": 9}
    torch.manual_seed(1)
    for name, heads in (("m", 3), ("other", 2)):
        config = EncoderDecoderConfig(
            vocab_size=len(SHORTER), num_heads=heads, norm="post", positions="sinusoidal_halves", **sizes
        )
        formats.write_foreign(LoadedModel(build(config).eval(), SHORTER, SHORTER), tmp_path / name, "marian")

    def replace() -> None:
        shutil.rmtree(tmp_path / "m")
        (tmp_path / "other").rename(tmp_path / "m")

    wanted = described(read_foreign(tmp_path / "other").loaded)
    before(monkeypatch, folder, "read_tensors", replace)
    assert described(read_foreign(tmp_path / "m").loaded) == wanted


def test_an_adapter_that_is_replaced_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "m", SHORTER, 0.25)

    def save_one(scale: float) -> None:
        base = load_model(tmp_path / "m")
        digest = weights_digest(base.model)
        add_adapter(base.model, AdapterConfig(rank=2, alpha=scale))
        for module in adapted(base.model).values():
            torch.nn.init.constant_(module.up, scale)
        save_adapter(tmp_path / "a", base.model, Base(name="m", sha256=digest))

    save_one(2.0)
    adapter = read_adapter(tmp_path / "a")
    save_one(4.0)
    with pytest.raises(ModelFolderError, match="/a must not change while it is read"):
        adapt(load_model(tmp_path / "m"), adapter)
    before(monkeypatch, adapters, "_tensors", lambda: save_one(2.0))
    with pytest.raises(ModelFolderError, match="/a must not change while it is read"):
        adapt(load_model(tmp_path / "m"), read_adapter(tmp_path / "a"))
