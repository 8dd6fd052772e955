import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from safetensors.torch import load_file, save_file

import regard
from regard.checkpoint import PARTS, aside, check_output, load_model, remove_leftovers, save_new
from regard.errors import DataError, ModelFolderError, SettingsError
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.weights_file import save_weights

MakeModel = Callable[..., EncoderDecoder]


@pytest.fixture
def model(make_model: MakeModel, letters: Tokenizer) -> EncoderDecoder:
    return make_model(vocab_size=len(letters))


@pytest.fixture
def folder(model: EncoderDecoder, letters: Tokenizer, tmp_path: Path) -> Path:
    save_new(tmp_path / "model", model, letters)
    return tmp_path / "model"


@pytest.mark.parametrize("tied", ["all", "target", "none"])
def test_saved_is_loaded(make_model: MakeModel, letters: Tokenizer, tmp_path: Path, tied: str) -> None:
    model = make_model(vocab_size=len(letters), tied_embeddings=tied)
    save_new(tmp_path / "deep" / "model", model, letters)
    state = torch.get_rng_state()
    loaded, tokenizer, _ = load_model(tmp_path / "deep" / "model")
    assert torch.equal(torch.get_rng_state(), state)
    ids = torch.tensor([[5, 6, 7, 3]])
    assert torch.equal(loaded(ids, ids), model(ids, ids))
    assert loaded.config == model.config
    assert tokenizer.encode("abc") == letters.encode("abc")
    assert sorted(path.name for path in (tmp_path / "deep" / "model").iterdir()) == sorted(PARTS)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["model"]


def test_weights_are_replaced(folder: Path, model: EncoderDecoder) -> None:
    model.source_embedding.weight.data += 1
    save_weights(folder / "model.safetensors", model)
    assert torch.equal(load_model(folder).model.source_embedding.weight, model.source_embedding.weight)


def test_a_new_model_takes_the_place_of_an_old_one(folder: Path, make_model: MakeModel, letters: Tokenizer) -> None:
    (folder / "results.json").write_text("of the old model")
    save_new(folder, make_model(vocab_size=len(letters), num_encoder_layers=1), letters)
    assert load_model(folder).model.config.num_encoder_layers == 1
    assert not (folder / "results.json").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_full_disk_leaves_the_old_model(folder: Path, model: EncoderDecoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = (folder / "model.safetensors").read_bytes()
    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(DataError, match=r"No space left on device\. Nothing was changed"):
        save_new(folder, model, load_model(folder).tokenizer)
    with pytest.raises(DataError, match=r"No space left on device\. Nothing was changed"):
        save_weights(folder / "model.safetensors", model)
    assert (folder / "model.safetensors").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(PARTS)


def edit_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"nothing must be an existing folder\. A model folder holds model\.saf"):
        load_model(tmp_path / "nothing")
    with pytest.raises(ModelFolderError, match=r"must be a model folder; model.safetensors and config.json and token"):
        load_model(tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_named(folder: Path, part: str) -> None:
    (folder / part).unlink()
    with pytest.raises(ModelFolderError, match=f"must be a model folder; {part} missing"):
        load_model(folder)


@pytest.mark.parametrize("size", [0, 4, 100, -1])
def test_truncated_weights_are_refused(folder: Path, size: int) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelFolderError, match=r"model\.safetensors must be a whole safetensors file; got"):
        load_model(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format_version": 1}', '{"format_version": 1, "model": 3}'])
def test_a_damaged_configuration_is_refused(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(ModelFolderError, match=r"config\.json must be a model's configuration; got"):
        load_model(folder)


def test_configurations_of_another_kind_are_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    edit_config(folder, format_version=2)
    with pytest.raises(ModelFolderError, match=r"format_version must be 1; got 2\. A newer Regard wrote it"):
        load_model(folder)
    edit_config(folder, format_version=1, model=config["model"] | {"num_heads": -1})
    with pytest.raises(ModelFolderError, match=r"config\.json: model\.num_heads: Input should be greater"):
        load_model(folder)
    edit_config(folder, model=config["model"] | {"ff_dim": 21})
    with pytest.raises(ModelFolderError, match=r"feed_forward.* must have shape \(21"):
        load_model(folder)
    edit_config(folder, model=config["model"] | {"num_encoder_layers": 1})
    with pytest.raises(ModelFolderError, match=r"must hold the tensors .*; encoder_layers\.1\.\S+ is not one of them"):
        load_model(folder)


def test_a_tensor_that_is_missing_is_named(folder: Path) -> None:
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    del tensors["decoder_layers.0.feed_forward.inner_proj.bias"]
    safetensors.torch.save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelFolderError, match=r"decoder_layers\.0\.feed_forward\.inner_proj\.bias is missing"):
        load_model(folder)


def test_a_tokenizer_of_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    other = Tokenizer.train(["k l m n o p"], TokenizerConfig(kind="characters", vocab_size=50))
    other.save(folder / "tokenizer.json")
    with pytest.raises(
        ModelFolderError, match=r"tokenizer\.json must be the tokenizer that the model was trained with"
    ):
        load_model(folder)


def test_a_vocabulary_of_another_size_is_refused(make_model: MakeModel, letters: Tokenizer, tmp_path: Path) -> None:
    save_new(tmp_path / "model", make_model(vocab_size=len(letters) + 1), letters)
    with pytest.raises(ModelFolderError, match=rf"vocabulary size; got {len(letters)} and {len(letters) + 1}"):
        load_model(tmp_path / "model")


def test_weights_are_never_unpickled(folder: Path) -> None:
    torch.save({"a": torch.ones(1)}, folder / "model.safetensors")
    with pytest.raises(ModelFolderError, match="must be a whole safetensors file"):
        load_model(folder)


def test_outputs_in_the_way_are_refused_before_training(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"must not hold a model; got .*model\. .*--overwrite"):
        check_output(folder, overwrite=False)
    check_output(folder, overwrite=True)
    check_output(tmp_path / "new" / "deep", overwrite=False)
    (tmp_path / "empty").mkdir()
    check_output(tmp_path / "empty", overwrite=False)
    shutil.copy(folder / "config.json", tmp_path / "a file")
    with pytest.raises(ModelFolderError, match="must be new or empty"):
        check_output(tmp_path / "a file", overwrite=False)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").touch()
    with pytest.raises(ModelFolderError, match="must be new or empty"):
        check_output(tmp_path / "full", overwrite=True)


def test_an_old_model_comes_back_when_the_new_one_cannot_take_its_place(
    folder: Path, make_model: MakeModel, letters: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "model.safetensors").read_bytes()
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_new(folder, make_model(vocab_size=len(letters)), letters)
    assert (folder / "model.safetensors").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_weights_that_are_no_numbers_are_refused(folder: Path, model: EncoderDecoder) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    tensors["source_embedding.weight"][3, 1] = float("nan")
    save_file(tensors, file)
    with pytest.raises(ModelFolderError, match=r"source_embedding\.weight must hold finite numbers"):
        load_model(folder)
    model.source_embedding.weight.data[3, 1] = float("inf")
    before = file.read_bytes()
    with pytest.raises(SettingsError, match=r"source_embedding\.weight must hold finite numbers to be saved"):
        save_weights(file, model)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [("encoder_layers.0.self_attention.attention", "window", 1), ("encoder_layers.0.self_attention", "num_heads", 1),
     ("decoder_layers.0", "is_parallel", True), ("encoder_layers.0.feed_forward", "chunk", 2)],
)  # fmt: skip
def test_settings_changed_by_hand_are_not_saved(
    folder: Path, model: EncoderDecoder, path: str, name: str, value: Any
) -> None:
    setattr(model.get_submodule(path), name, value)
    with pytest.raises(SettingsError, match=rf"{path}\.{name} is {value}, not "):
        save_weights(folder / "model.safetensors", model)


def test_a_folder_with_other_things_is_never_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "thesis.tex").touch()
    with pytest.raises(ModelFolderError, match=r"replaced only if .*model also holds thesis\.tex"):
        check_output(folder, overwrite=True)
    with pytest.raises(ModelFolderError, match="must be in a folder that you can write to"):
        check_output(folder / "thesis.tex" / "m", overwrite=False)
    empty = folder / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    with pytest.raises(ModelFolderError, match="must not be the current working directory; got "):
        check_output(Path(), overwrite=False)


def test_a_link_stays_a_link(tmp_path: Path, make_model: MakeModel, letters: Tokenizer) -> None:
    """To another disk, say: the model is written there, whether there was a folder or not."""
    for name in ("there", "not-yet"):
        (tmp_path / f"link-{name}").symlink_to(tmp_path / "disk" / name)
    (tmp_path / "disk" / "there").mkdir(parents=True)
    for name in ("there", "not-yet"):
        check_output(tmp_path / f"link-{name}", overwrite=False)
        save_new(tmp_path / f"link-{name}", make_model(vocab_size=len(letters)), letters)
        assert (tmp_path / f"link-{name}").is_symlink()
        load_model(tmp_path / "disk" / name)
    assert sorted(path.name for path in (tmp_path / "disk").iterdir()) == ["not-yet", "there"]


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="such a link is one to nothing there")
def test_a_link_to_itself_is_no_output(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ModelFolderError, match=r"must not be a link that leads to itself; got .*loop"):
        check_output(tmp_path / "loop", overwrite=False)


def test_a_disk_of_its_own_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path)
    with pytest.raises(ModelFolderError, match=r"must not be a mount point, .*/model"):
        check_output(tmp_path, overwrite=False)
    check_output(tmp_path / "model", overwrite=False)


def test_a_model_that_a_killed_process_had_moved_away_is_put_back(
    tmp_path: Path, make_model: MakeModel, letters: Tokenizer
) -> None:
    folder, beside = tmp_path / "m", tmp_path / ".m.abcd1234"
    save_new(folder, make_model(vocab_size=len(letters)), letters)
    for has_followed in (False, True):
        (beside / "new").mkdir(parents=True)
        if has_followed:
            (beside / "old").mkdir()
        else:
            folder.rename(beside / "old")
        remove_leftovers(folder)
        load_model(folder)
        assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_what_a_killed_process_left_is_no_obstacle_and_is_removed(
    tmp_path: Path, make_model: MakeModel, letters: Tokenizer
) -> None:
    folder = tmp_path / "m"
    save_new(folder, make_model(vocab_size=len(letters)), letters)
    (folder / f".model.safetensors.{'0af1' * 4}.part").write_bytes(b"half")
    (folder / ".DS_Store").write_bytes(b"of a file browser")
    (tmp_path / ".m.abcd1234" / "new").mkdir(parents=True)
    (tmp_path / ".m.mine" / "new").mkdir(parents=True)
    check_output(folder, overwrite=True)
    remove_leftovers(folder)
    assert {path.name for path in folder.iterdir()} == {
        ".DS_Store",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == [".m.mine", "m"]


def killed_between_renames(folder: Path) -> Path:
    """The folder that a process leaves which is killed when the old model has gone and the new one has not come: a real
    one.
    """
    code = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from regard.checkpoint import aside\n"
        "rename = Path.rename\n"
        "def killed(path, target):\n"
        "    if path.name == 'new':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return rename(path, target)\n"
        "Path.rename = killed\n"
        f"with aside(Path({str(folder)!r})) as new:\n"
        "    (new / 'half').touch()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert not folder.exists()
    (beside,) = folder.parent.glob(f".{folder.name}.*")
    return beside


def test_a_kill_between_the_renames_does_not_lose_the_model(folder: Path) -> None:
    before = (folder / "model.safetensors").read_bytes()
    beside = killed_between_renames(folder)
    regard.load(folder)
    assert (folder / "model.safetensors").read_bytes() == before
    assert not beside.exists()


def test_where_it_cannot_be_put_back_it_is_read_where_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = killed_between_renames(folder)

    def refused(*arguments: object, **named: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refused)
        patch.setattr(shutil, "rmtree", refused)
        load_model(folder)
        assert (beside / "old").is_dir()
    load_model(folder)
    assert folder.is_dir()


def test_such_a_model_is_in_the_way_of_another(folder: Path) -> None:
    killed_between_renames(folder)
    with pytest.raises(ModelFolderError, match="must not hold a model; got "):
        check_output(folder, overwrite=False)
    check_output(folder, overwrite=True)


def test_saving_removes_what_killed_processes_left(folder: Path, model: EncoderDecoder, letters: Tokenizer) -> None:
    """Whatever command saves, not only training."""
    (folder.parent / ".model.abcd1234" / "new").mkdir(parents=True)
    save_new(folder, model, letters)
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    (folder / f".model.safetensors.{'0af1' * 4}.part").write_bytes(b"half")
    save_weights(folder / "model.safetensors", model)
    assert sorted(path.name for path in folder.iterdir()) == sorted(PARTS)


def test_two_that_save_at_once(folder: Path, model: EncoderDecoder, letters: Tokenizer) -> None:
    """Neither removes what the other is writing, nor takes a model for one that was left moved away."""
    with aside(folder) as new:
        save_new(folder, model, letters)
        for part in PARTS:
            shutil.copy(folder / part, new / part)
        (new / "last").touch()
        remove_leftovers(folder)
    assert (folder / "last").is_file()
    load_model(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_while_it_is_being_replaced_nobody_puts_it_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename
    seen = []

    def watched(path: Path, target: Path) -> Path:
        if path.name == "new":
            with pytest.raises(ModelFolderError, match="must be an existing folder"):
                load_model(folder)
            seen.append(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", watched)
    with aside(folder) as new:
        (new / "mine").touch()
    assert len(seen) == 1
    assert (folder / "mine").is_file()


@pytest.mark.parametrize("name", ["n" * 250, "ä" * 120])
def test_the_longest_names_can_be_written(name: str, model: EncoderDecoder, letters: Tokenizer, tmp_path: Path) -> None:
    check_output(tmp_path / name, overwrite=False)
    save_new(tmp_path / name, model, letters)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_names_that_no_disk_has_are_no_output(model: EncoderDecoder, letters: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"must have a name that can be written; got .*: File name too long"):
        check_output(tmp_path / ("n" * 300), overwrite=False)
    with pytest.raises(ModelFolderError, match="must be writable; got: File name too long"):
        save_new(tmp_path / ("n" * 300), model, letters)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ModelFolderError, match="must be writable; got: "):
        save_new(tmp_path / "loop", model, letters)
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]
