"""Options of Marian and numbers of CTranslate2 that nobody reads: refused by name where they may change what is computed."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from foreign_models import stored
from test_marian import OPTIONS, arrays_of, marian_model, write

from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign


@pytest.mark.parametrize(
    "change",
    [
        {"transformer-no-bias": True}, {"transformer-no-affine": True}, {"transformer-tied-layers": [1, 1]}, {"right-left": True},
        {"transformer-pool": True}, {"transformer-rnn-projection": True}, {"transformer-decoder-dim-ffn": 7},
        {"lemma-dim-emb": 4},
        {"transformer-of-tomorrow": "on"}, {"ulr": True}, {"input-types": ["class"]}, {"factors-dim-emb": 3},
        {"layer-normalization": True},
    ],
    ids=str,
)  # fmt: skip
def test_an_option_of_marian_that_nobody_reads_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS | change)
    with pytest.raises(ModelFolderError, match=rf"special:model\.yml: {next(iter(change))} must be .*; got "):
        read_foreign(path)


def test_nobody_is_told_to_edit_options_inside_a_file_of_weights(tmp_path: Path) -> None:
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS | {"transformer-of-tomorrow": "on"})
    with pytest.raises(ModelFolderError, match="what the model computes, please report it with this message"):
        read_foreign(path)


def test_options_of_training_are_passed_over(tmp_path: Path) -> None:
    others = {
        "learn-rate": 0.0003, "cost-type": "ce-mean-words", "transformer-dropout": 0.1, "transformer-depth-scaling": True,
        "transformer-decoder-dim-ffn": 0, "lemma-dim-emb": 0, "enc-cell": "gru", "dec-cell-base-depth": 2, "right-left": False,
        "transformer-tied-layers": [], "input-types": [], "tied-embeddings-src": False, "mini-batch": 64, "version": "v1.12",
    }  # fmt: skip
    assert read_foreign(write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS | others)).account.left_over == []


def test_a_token_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """The library would keep the last: every id from there on would be another token's."""
    path = write(tmp_path, arrays_of(marian_model(), OPTIONS), OPTIONS)
    vocabulary = (tmp_path / "vocab.yml").read_text()
    first = vocabulary.split("\n")[3].partition(":")[0]
    (tmp_path / "vocab.yml").write_text(vocabulary + f"{first}: 3\n")
    with pytest.raises(ModelFolderError, match=r"vocab\.yml must be YAML; got: the key .* stands twice"):
        read_foreign(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("ctranslate2")
    path = tmp_path_factory.mktemp("ct")
    stored("marian", path / "theirs")
    write_foreign(read_foreign(path / "theirs").loaded, path / "ct", "ctranslate2")
    return path / "ct"


def with_number(folder: Path, to: Path, name: str, number: int) -> Path:
    """The model with one more single number, as CTranslate2's files of version 6 have them."""
    content = (folder / "model.bin").read_bytes()
    at = 4
    length = struct.unpack_from("<H", content, at)[0]
    at += 2 + length + 4
    count = struct.unpack_from("<I", content, at)[0]
    spelled = name.encode() + b"\0"
    entry = struct.pack("<H", len(spelled)) + spelled + struct.pack("<BBI", 0, 1, 1) + struct.pack("<b", number)
    to.mkdir()
    (to / "model.bin").write_bytes(content[:at] + struct.pack("<I", count + 1) + entry + content[at + 4 :])
    for file in folder.iterdir():
        if file.name != "model.bin":
            (to / file.name).write_bytes(file.read_bytes())
    return to


@pytest.mark.parametrize(
    "name",
    [
        "encoder/alibi", "decoder/layer_0/self_attention/sliding_window", "decoder/of_tomorrow", "decoder/multi_query_attention",
        "decoder/final_logit_softcapping",
    ],
)  # fmt: skip
def test_a_number_of_ctranslate2_that_nobody_reads_is_refused(name: str, folder: Path, tmp_path: Path) -> None:
    assert read_foreign(with_number(folder, tmp_path / "off", name, 0))
    with pytest.raises(ModelFolderError, match=rf"{name} must be 0 to be represented in Regard; got 1"):
        read_foreign(with_number(folder, tmp_path / "on", name, 1))


@pytest.mark.parametrize("value", [True, 3, "on", [1]])
def test_a_setting_of_ctranslate2_that_nobody_reads_is_refused(value: Any, folder: Path, tmp_path: Path) -> None:
    changed = with_number(folder, tmp_path / "m", "decoder/alibi", 0)
    config = json.loads((changed / "config.json").read_text())
    (changed / "config.json").write_text(json.dumps(config | {"a_setting_of_tomorrow": value}))
    with pytest.raises(ModelFolderError, match=r"config\.json: a_setting_of_tomorrow must be .*; got "):
        read_foreign(changed)
