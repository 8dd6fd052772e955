"""A foreign model goes on learning: one step is that of its own library."""

from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import BERT, MODELS, VOCAB, gpt2, stored, t5, transformers
from test_folder_tokenizers import marian_folder, pieces  # noqa: F401

import regard
from regard.checkpoint import load_model
from regard.data.batch import Batch, LabelledBatch
from regard.interop.formats import read_foreign
from regard.pipelines.loading import load_any
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater

STEP: dict[str, Any] = {
    "steps": 1, "learning_rate": 1e-2, "warmup_steps": 1, "schedule": "constant", "average_decay": 0.0,
    "label_smoothing": 0.0, "clip_norm": 1e9, "adam_epsilon": 1e-2, "weight_decay": 0.0, "precision": "float32",
    "validate_every": 1,
}  # fmt: skip
"""A step of Adam; its epsilon is large, so that gradients of nearly 0 do not decide by their sign."""
PAIRS = [("The quick brown fox", "Wie geht es dir heute?"), ("the lazy dogs", "Züge fahren nach Köln")]


def adam(model: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.98), eps=1e-2, weight_decay=0.0)


def padded(rows: list[list[int]], pad: int) -> torch.Tensor:
    return torch.tensor([row + [pad] * (max(map(len, rows)) - len(row)) for row in rows])


def marian(folder: Path, pieces: Path) -> tuple[Any, int]:  # noqa: F811
    folder.mkdir()
    pad = len(marian_folder(folder, pieces)) - 1
    torch.manual_seed(2)
    config = transformers.MarianConfig(
        vocab_size=pad + 1, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
        decoder_attention_heads=3, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
        activation_function="swish", scale_embedding=True, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=0, bos_token_id=0, dropout=0.0, attention_dropout=0.0, activation_dropout=0.0,
    )  # fmt: skip
    model = transformers.MarianMTModel(config)
    model.save_pretrained(folder)
    return model, pad


def test_a_step_of_marian_is_that_of_transformers(tmp_path: Path, pieces: Path) -> None:  # noqa: F811
    theirs, pad = marian(tmp_path / "opus-mt-en-de", pieces)
    base = load_any(tmp_path / "opus-mt-en-de")
    assert base.source_tokenizer is not None
    regard.train(PAIRS, tmp_path / "ours", valid=PAIRS, from_=tmp_path / "opus-mt-en-de", batch_tokens=4000, **STEP)
    sources = [base.source_tokenizer.frame_source(base.source_tokenizer.encode(source)) for source, _ in PAIRS]
    targets = [[*base.tokenizer.encode(target), 0] for _, target in PAIRS]
    assert len({len(row) for row in sources}) > 1
    theirs.train()
    optimizer, ids = adam(theirs), padded(sources, pad)
    theirs(input_ids=ids, attention_mask=(ids != pad).long(), labels=padded(targets, -100)).loss.backward()
    optimizer.step()
    trained = tmp_path / "theirs"
    trained.mkdir()
    for name in ("source.spm", "target.spm", "vocab.json"):
        (trained / name).write_bytes((tmp_path / "opus-mt-en-de" / name).read_bytes())
    theirs.save_pretrained(trained)
    expected, found = (load.model.state_dict() for load in (load_any(trained), load_model(tmp_path / "ours")))
    assert found.keys() == expected.keys()
    moved = 0.0
    for name, tensor in found.items():
        # Theirs never learns the input vector of padding, which is Marian's start symbol; ours does.
        rows = slice(pad) if name.endswith("embedding.weight") else slice(None)
        torch.testing.assert_close(tensor[rows], expected[name][rows], rtol=0, atol=1e-6)
        moved = max(moved, float((tensor - base.model.state_dict()[name]).abs().max()))
    assert moved > 5e-3


def test_a_step_of_bert_is_that_of_transformers(tmp_path: Path) -> None:
    """Its head too, as the labels are those that it had."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(24))]
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}')
    torch.manual_seed(3)
    values = BERT | {
        "bos_token_id": None,
        "eos_token_id": None,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    config = transformers.BertConfig(**values, id2label={0: "no", 1: "yes"}, label2id={"no": 0, "yes": 1})
    theirs = transformers.BertForSequenceClassification(config)
    theirs.save_pretrained(folder)
    rows = [("no", "w1 w5 w3"), ("yes", "w7 w2 w9")] * 2
    base = load_any(folder)
    regard.train(rows, tmp_path / "ours", valid=rows, from_=folder, task="classify", batch_tokens=4000, **STEP)
    ours, before = load_model(tmp_path / "ours").model, base.model.state_dict()
    moved = {name for name, tensor in ours.state_dict().items() if name in before and tensor.shape == before[name].shape
             and not torch.equal(tensor, before[name])}  # fmt: skip
    assert ours.config.labels == ["no", "yes"]
    ids = torch.tensor(
        [[base.tokenizer.bos_id, *base.tokenizer.encode(text), base.tokenizer.eos_id] for _, text in rows]
    )
    theirs.train()
    optimizer = adam(theirs)
    theirs(input_ids=ids, labels=torch.tensor([0, 1, 0, 1])).loss.backward()
    optimizer.step()
    theirs.save_pretrained(tmp_path / "theirs")
    for name in ("vocab.txt", "tokenizer_config.json"):
        (tmp_path / "theirs" / name).write_bytes((folder / name).read_bytes())
    expected = load_any(tmp_path / "theirs").model.state_dict()
    assert len(moved) > 20
    for name in moved:
        torch.testing.assert_close(ours.state_dict()[name], expected[name], rtol=0, atol=1e-6)


@pytest.mark.parametrize("task", ["tag", "mlm"])
def test_bert_learns_other_tasks(tmp_path: Path, task: str) -> None:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(24))]
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    transformers.BertForMaskedLM(transformers.BertConfig(**BERT)).save_pretrained(folder)
    if task == "tag":
        data: Any = [(["w1", "w5"], ["up", "down"]), (["w3"], ["up"])] * 4
    else:
        data = tmp_path / "text"
        data.write_text("w1 w5 w3\nw7 w2 w9 w4\n" * 4)
    result = regard.train(data, tmp_path / "ours", valid=data, from_=folder, task=task, steps=2, batch_tokens=100)
    assert result.loaded is not None
    assert result.loaded.model.config.task == task


@pytest.mark.parametrize(("name", "choices"), [("t5", {"dropout_rate": 0.0}), ("t5, gated", {"dropout_rate": 0.0}),
                                               ("gpt2", {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0})])  # fmt: skip
def test_a_step_of_t5_and_gpt2_is_that_of_transformers(
    tmp_path: Path, name: str, choices: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same batch, with rows of two lengths where there is padding, and one step of AdamW."""
    make = (
        gpt2(**choices)
        if name == "gpt2"
        else t5(**choices, **({"feed_forward_proj": "gated-gelu"} if "gated" in name else {}))
    )
    monkeypatch.setitem(MODELS, name, make)
    theirs = stored(name, tmp_path / "base").train()
    ours = read_foreign(tmp_path / "base").loaded.model
    before = {key: tensor.clone() for key, tensor in ours.state_dict().items()}
    ids = torch.randint(4, VOCAB - 2, (3, 7), generator=torch.Generator().manual_seed(5))
    batch: Any
    optimizer = adam(theirs)
    if name == "gpt2":
        labels = torch.cat((ids[:, 1:], torch.full((3, 1), -100)), dim=1)
        batch = LabelledBatch(ids, labels, 18, [0, 1, 2])
        theirs(input_ids=ids, labels=ids).loss.backward()
    else:
        pad = ours.config.pad_id
        targets = torch.randint(4, VOCAB - 2, (3, 6), generator=torch.Generator().manual_seed(6))
        ids[1, 5:] = targets[2, 4:] = pad
        shown = torch.cat((torch.full((3, 1), theirs.config.decoder_start_token_id), targets[:, :-1]), dim=1)
        batch = Batch(ids, shown, targets, 16, [0, 1, 2])
        hidden = targets.masked_fill(targets == pad, -100)
        theirs(input_ids=ids.clamp(min=0), attention_mask=(ids != pad).long(), labels=hidden).loss.backward()
    optimizer.step()
    config = TrainingConfig(**{key: value for key, value in STEP.items() if key in TrainingConfig.model_fields})
    updater: Updater[Any, Any] = Updater(ours, config)
    updater.step([batch], STEP["learning_rate"])
    theirs.save_pretrained(tmp_path / "after")
    (tmp_path / "after" / "tokenizer.json").write_bytes((tmp_path / "base" / "tokenizer.json").read_bytes())
    expected = read_foreign(tmp_path / "after").loaded.model.state_dict()
    assert max(float((tensor - before[key]).abs().max()) for key, tensor in expected.items()) > 5e-3
    for key, tensor in ours.state_dict().items():
        if name != "gpt2" and (key.endswith(("embedding.weight", "query_proj.weight")) or "positions" in key):
            # T5's output is its embeddings, scaled: in ours, it is a matrix of its own, which learns apart. So does the table
            # of positions, which all its layers share. Its queries are not divided by the root of their width: in ours, their
            # matrix is larger by as much, and Adam's steps are not.
            continue
        torch.testing.assert_close(tensor, expected[key], rtol=0, atol=1e-5)
