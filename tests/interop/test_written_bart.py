"""BART and Pegasus written from models of ours; what they do not have is refused by its setting."""

from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import VOCAB, beams, transformers, words

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols, Tokenizer

OURS: dict[str, Any] = {
    "vocab_size": VOCAB, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 1,
    "activation": "gelu", "embedding_norm": "both", "positions": "learned", "max_positions": 40,
}  # fmt: skip


def ours(symbols: dict[str, Any] | None = None, **choices: Any) -> LoadedModel:
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(**OURS | choices)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    backend = words(VOCAB)
    backend.add_special_tokens(["w0", "w1", "w2", "w3"])
    tokenizer = Tokenizer(backend, Symbols(**{"source_begin_ids": [2], "start_ids": [3]} | (symbols or {})))
    return LoadedModel(model, tokenizer, tokenizer)


@pytest.mark.parametrize(("choices", "symbols"), [
    ({}, {}), ({"tied_embeddings": "source", "scale_embeddings": False}, {"start_ids": [3, 2]}),
    ({"tied_embeddings": "none", "output_bias": True}, {}),
], ids=str)  # fmt: skip
@torch.no_grad()
def test_a_model_of_ours_is_written_and_read_again(
    choices: dict[str, Any], symbols: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 2)
    loaded = ours(symbols, **choices)
    check = write_foreign(loaded, tmp_path / "bart", "bart").check()
    assert check is not None
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    again = read_foreign(tmp_path / "bart")
    assert again.account.left_over == []
    model, other = (found.model.state_dict() for found in (loaded, again.loaded))
    assert all(torch.equal(tensor, other[name]) for name, tensor in model.items())
    for name in ("pad_id", "eos_id", "start_ids", "source_begin_ids", "source_end_ids"):
        assert getattr(again.loaded.tokenizer.symbols, name) == getattr(loaded.tokenizer.symbols, name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "bart")
    assert tokenizer(["w5 w6 w7", "w8"], padding=True)["input_ids"] == [[2, 5, 6, 7, 3], [2, 8, 3, 0, 0]]


@torch.no_grad()
def test_what_was_written_reads_padding_and_searches_as_ours(tmp_path: Path) -> None:
    foreign = write_foreign(ours({"start_ids": [3, 2]}), tmp_path / "bart", "bart")
    theirs = transformers.BartForConditionalGeneration.from_pretrained(tmp_path / "bart").eval()
    model: Any = foreign.loaded.model
    ids = torch.randint(4, 27, (3, 6), generator=torch.Generator().manual_seed(4))
    found, expected = beams(foreign, theirs, ids)
    assert found == expected
    assert len({tuple(row) for row in expected}) > 6
    row, padding, target = ids[:1], torch.zeros(1, 2, dtype=torch.long), ids[1:2]
    expected_logits = theirs(input_ids=row, decoder_input_ids=target).logits
    for parts in ((row, padding), (padding, row)):
        logits = model(torch.cat(parts, dim=1), target)
        torch.testing.assert_close(logits, expected_logits, rtol=1e-5, atol=1e-5)
    state = model.prefill(row)
    for position in range(6):
        logits, state = model.decode_step(target[:, position : position + 1], state)
        torch.testing.assert_close(logits[0], expected_logits[:, position], rtol=1e-5, atol=1e-5)


UNFIT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"positions": "sinusoidal"}, {}, "positions must be learned to be written as bart; got sinusoidal"),
    ({"norm": "pre"}, {}, "norm must be post to be written as bart; got pre"),
    ({"norm_kind": "rms"}, {}, "norm_kind must be layer .*got rms"),
    ({"embedding_norm": "source"}, {}, "embedding_norm must be both .*got source"),
    ({"gated": True}, {}, "gated must be False .*got True"),
    ({"bias": False}, {}, "bias must be True .*got False"),
    ({"head_dim": 5}, {}, "head_dim must be 12 .*got 15"),
    ({"norm_epsilon": 1e-6}, {}, "norm_epsilon must be 1e-05 .*got 1e-06"),
    ({"tied_embeddings": "target"}, {}, "tied_embeddings must be all, source or none .*got target"),
    ({"source_vocab_size": 31, "tied_embeddings": "target"}, {}, "source_vocab_size must be None .*got 31"),
    ({"pad_id": -1}, {"pad_id": -1}, "pad_id must be an id of the vocabulary .*got -1"),
    ({}, {"source_begin_ids": []}, r"source_begin_ids must be one symbol .*got \[\]"),
    ({}, {"start_ids": [3, 2, 5]}, r"start_ids must be \[3, 2\] .*got \[3, 2, 5\]"),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "symbols", "message"), UNFIT)
def test_a_model_that_bart_cannot_hold_is_refused_by_its_setting(
    choices: dict[str, Any], symbols: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(ours(symbols, **choices), tmp_path / "bart", "bart")
    assert not (tmp_path / "bart").exists()


PEGASUS = {"embedding_norm": "none", "positions": "sinusoidal", "norm": "pre"}


@pytest.mark.parametrize(("choices", "symbols"), [
    ({}, {}), ({"tied_embeddings": "source", "scale_embeddings": False, "positions": "sinusoidal_halves"}, {"start_ids": [3, 2]}),
    ({"tied_embeddings": "none", "output_bias": True, "pad_id": -1}, {"pad_id": -1, "start_ids": [2]}),
], ids=str)  # fmt: skip
@torch.no_grad()
def test_pegasus_is_written(
    choices: dict[str, Any], symbols: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sinusoids that are interleaved become theirs by another order of the axes."""
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 8)
    loaded = ours({"source_begin_ids": []} | symbols, **PEGASUS | choices)
    check = write_foreign(loaded, tmp_path / "pegasus", "pegasus").check()
    assert check is not None
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    again: Any = read_foreign(tmp_path / "pegasus").loaded
    model: Any = loaded.model
    ids = torch.randint(4, 27, (2, 6), generator=torch.Generator().manual_seed(4))
    torch.testing.assert_close(again.model(ids, ids), model(ids, ids), rtol=1e-5, atol=1e-5)
    assert again.tokenizer.symbols.start_ids == loaded.tokenizer.symbols.start_ids
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "pegasus")
    assert tokenizer("w5 w6 w7")["input_ids"] == [5, 6, 7, 3]


@pytest.mark.parametrize(("choices", "message"), [
    ({"norm": "post"}, "norm must be pre to be written as pegasus; got post"),
    ({"positions": "learned"}, "positions must be sinusoidal to be written as pegasus; got learned"),
    ({"positions": "sinusoidal_fairseq"}, "positions must be sinusoidal .*got sinusoidal_fairseq"),
    ({"embedding_norm": "both"}, "embedding_norm must be none .*got both"),
    ({"tied_embeddings": "target"}, "tied_embeddings must be all, source or none .*got target"),
])  # fmt: skip
def test_what_pegasus_lacks_is_not_written(choices: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(ours(**PEGASUS | choices), tmp_path / "pegasus", "pegasus")
    assert not (tmp_path / "pegasus").exists()
