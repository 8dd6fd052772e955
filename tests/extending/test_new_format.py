"""A reader of a format that was written from docs/extending.md alone: an `.npz` of an encoder-decoder with names of its own."""

from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch

import regard
from regard.cli.main import run
from regard.extending import (
    EncoderDecoder,
    EncoderDecoderConfig,
    ForeignModel,
    Format,
    LoadedModel,
    TensorRef,
    Tokenizer,
    add_format,
    load_tensors,
)

SIZES = {"model_dim": 8, "ff_dim": 12, "num_heads": 2, "num_encoder_layers": 2, "num_decoder_layers": 1}
RENAMED = {
    "source_embedding.weight": "words",
    "encoder_layers": "reader",
    "decoder_layers": "writer",
    "self_attention": "own",
    "cross_attention": "other",
    "feed_forward": "wide",
    "inner_proj": "up",
    "output_proj": "down",
}


def place(name: str, dim: int) -> TensorRef:
    """Where they keep a parameter: queries, keys and values in one matrix, which maps rows to columns."""
    for ours, theirs in RENAMED.items():
        name = name.replace(ours, theirs)
    for index, part in enumerate(("query_proj", "key_proj", "value_proj")):
        if part in name:
            return TensorRef(
                "/" + name.replace(part, "qkv").replace(".", "/"),
                first_row=index * dim,
                transposed=name.endswith("weight"),
            )
    return TensorRef("/" + name.replace(".", "/"), factor=0.5 if name == "words" else 1.0)


def read_archive(path: Path) -> ForeignModel:
    """The model in an archive."""
    with np.load(path) as archive:
        tensors = {name: torch.from_numpy(archive[name]) for name in archive.files}
    tokenizer = Tokenizer(tokenizers.Tokenizer.from_str(bytes(tensors.pop("tokenizer").tolist()).decode()))
    config = EncoderDecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, max_positions=20, **SIZES)
    model = EncoderDecoder(config)
    refs = {name: place(name, config.model_dim) for name, _ in model.named_parameters()}
    explained = {"/adam/*": "the state of their optimizer"}
    account = load_tensors(model, refs, tensors, where=str(path), explained=explained)
    return ForeignModel("archive", LoadedModel(model.eval(), tokenizer, tokenizer), account, path=path)


def archive_of(model: EncoderDecoder, tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    """An archive as their program would write it."""
    parts: dict[str, list[np.ndarray]] = {}
    for name, parameter in model.named_parameters():
        ref = place(name, SIZES["model_dim"])
        parts.setdefault(ref.name, []).append((parameter.detach() / ref.factor).numpy())
    arrays = {name: np.concatenate(found) for name, found in parts.items()}
    arrays |= {name: array.T for name, array in arrays.items() if name.endswith("qkv/weight")}
    arrays["/adam/moments"] = np.ones(3, dtype=np.float32)
    return {**arrays, "tokenizer": np.frombuffer(tokenizer.backend_json.encode(), dtype=np.uint8)}


def test_a_format_of_another_kind_is_read_and_every_tensor_accounted_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_format(Format("archive", lambda path: path.name.endswith(".archive.npz"), read_archive))
    tokenizer = Tokenizer.train(["abc", "cab", "bca abc"])
    config = EncoderDecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, max_positions=20, **SIZES)
    model = EncoderDecoder(config).eval()
    path = tmp_path / "their.archive.npz"
    np.savez(path, **archive_of(model, tokenizer))
    account = read_archive(path).account
    assert account.left_over == []
    assert account.accounted == {"/adam/moments": "the state of their optimizer"}
    assert {ours for _, ours in account.mapped} == {name for name, _ in model.named_parameters()}
    loaded = regard.load(path)
    ids = torch.tensor([[5, 6, 3]]), torch.tensor([[2, 5]])
    torch.testing.assert_close(loaded.model(*ids), model(*ids))
    assert loaded.translate("abc", max_length=4).text is not None
    with pytest.raises(SystemExit) as ended:
        run(["convert", str(path), str(tmp_path / "ours")])
    assert not ended.value.code
    assert "the state of their optimizer" in "".join(capsys.readouterr())
    torch.testing.assert_close(regard.load(tmp_path / "ours").model(*ids), model(*ids))


def test_a_tensor_more_or_less_is_told(tmp_path: Path) -> None:
    add_format(Format("archive", lambda path: path.name.endswith(".archive.npz"), read_archive))
    tokenizer = Tokenizer.train(["abc"])
    config = EncoderDecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, max_positions=20, **SIZES)
    arrays = archive_of(EncoderDecoder(config), tokenizer)
    path = tmp_path / "more.archive.npz"
    np.savez(path, **arrays, stray=np.zeros(2, dtype=np.float32))
    assert read_archive(path).account.left_over == ["stray"]
    del arrays["/words"]
    np.savez(path, **arrays)
    with pytest.raises(regard.ModelFolderError, match=r"must hold the tensor /words"):
        regard.load(path)
