"""A foreign format: a .npz of a small language model, with a JSON configuration beside it."""

import json
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch

import regard
import regard.extending as ex
from regard.cli.main import run

WORDS = ["the", "cat", "sat", "on", "a", "mat", "<s>", "</s>", "<unk>", "<pad>"]
SETTINGS = {"kind": "tinylm", "width": 8, "hidden": 12, "heads": 2, "context": 20, "words": WORDS}
PARTS = ("query_proj", "key_proj", "value_proj")


def read_npz(path: Path) -> ex.ForeignModel:
    settings = json.loads(path.with_suffix(".json").read_text())
    if unknown := settings.keys() - SETTINGS.keys():
        raise ValueError(f"unknown settings: {sorted(unknown)}")
    words, dim = settings["words"], settings["width"]
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    bos, eos, unk, pad = (words.index(w) for w in ("<s>", "</s>", "<unk>", "<pad>"))
    ids = {"start_ids": [bos], "source_begin_ids": [], "source_end_ids": [], "banned_ids": [pad, unk, bos]}
    tokenizer = ex.Tokenizer(backend, ex.Symbols(pad_id=pad, unk_id=unk, bos_id=bos, eos_id=eos, **ids))
    sizes = {"ff_dim": settings["hidden"], "num_heads": settings["heads"], "max_positions": settings["context"]}
    model = ex.Decoder(ex.DecoderConfig(vocab_size=len(words), pad_id=pad, model_dim=dim, num_layers=1, **sizes))
    refs = {name: ref(name, dim) for name, _ in model.named_parameters()}
    explained = {"adam.*": "the state of the optimizer"}
    tensors = {name: torch.from_numpy(x) for name, x in np.load(path).items()}
    account = ex.load_tensors(model, refs, tensors, where=str(path), explained=explained)
    return ex.ForeignModel("tinylm", ex.LoadedModel(model.eval(), tokenizer, tokenizer), account, path=path)


def ref(name: str, dim: int) -> ex.TensorRef:
    part, _, kind = name.rpartition(".")
    for number, which in enumerate(PARTS):
        if part.endswith(which):
            return ex.TensorRef(f"qkv.{kind}", first_row=number * dim, transposed=kind == "weight")
    return ex.TensorRef(name)


def add_parts() -> None:
    ex.add_format(
        ex.Format("tinylm", lambda path: path.suffix == ".npz" and path.with_suffix(".json").is_file(), read_npz)
    )


@torch.no_grad()
def write(path: Path, more: dict[str, torch.Tensor], **settings: object) -> ex.Decoder:
    sizes = {"model_dim": 8, "ff_dim": 12, "num_heads": 2, "num_layers": 1, "max_positions": 20}
    model = ex.Decoder(ex.DecoderConfig(vocab_size=10, pad_id=9, **sizes)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter)
    ours = {name: x.detach() for name, x in model.named_parameters()}
    fused = {k: torch.cat([ours.pop(f"layers.0.self_attention.{p}.{k}") for p in PARTS]) for k in ("weight", "bias")}
    theirs = ours | {"qkv.weight": fused["weight"].T, "qkv.bias": fused["bias"], "adam.step": torch.ones(1)} | more
    np.savez(path, **{name: x.numpy() for name, x in theirs.items()})
    path.with_suffix(".json").write_text(json.dumps(SETTINGS | settings))
    return model


def test_loaded_and_converted(tmp_path):
    path, folder, ids = tmp_path / "a.npz", tmp_path / "ours", torch.tensor([[6, 0, 1, 2]])
    theirs = write(path, {})
    assert torch.allclose(regard.load(str(path)).model(ids), theirs(ids), atol=1e-6)
    account = read_npz(path).account
    assert account.left_over == []
    assert len(account.mapped) == len(list(theirs.parameters()))
    with pytest.raises(SystemExit) as ended:
        run(["convert", str(path), str(folder)])
    assert not ended.value.code
    assert torch.allclose(regard.load(str(folder)).model(ids), theirs(ids), atol=1e-6)


def test_unknown_settings_and_bad_tensors_are_refused(tmp_path):
    write(tmp_path / "b.npz", {}, rope_base=10)
    with pytest.raises(regard.ModelFolderError, match=r"b\.npz.*rope_base"):
        regard.load(str(tmp_path / "b.npz"))
    write(tmp_path / "c.npz", {"norm.bias": torch.full((8,), torch.nan)})
    with pytest.raises(regard.ModelFolderError, match=r"norm\.bias"):
        regard.load(str(tmp_path / "c.npz"))
