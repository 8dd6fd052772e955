"""T5Gemma, of `transformers` with random weights: read as ours, in every way to run it, and written from a model of ours."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import VOCAB, beams, stored
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.engines.engine_choice import compile_model
from regard.errors import ModelFolderError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder

NAMES = ["t5gemma", "t5gemma, untied", "t5gemma, more layers that write"]


def some_ids(*shape: int, seed: int) -> Tensor:
    return torch.randint(4, VOCAB, shape, generator=torch.Generator().manual_seed(seed))


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    path = folder / "config.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ["torch", "auto"])
@torch.no_grad()
def test_logits_with_padding_and_step_by_step_are_theirs(name: str, engine: str, tmp_path: Path) -> None:
    """Sources longer than the windows of the encoder, in a batch with padding on the right, then on the left."""
    theirs = stored(name, tmp_path)
    ours: Any = read_foreign(tmp_path).loaded.model
    row, longer, target = some_ids(1, 9, seed=1), some_ids(1, 12, seed=2), some_ids(1, 8, seed=3)
    target[0, 0] = 1
    expected = theirs(input_ids=row, decoder_input_ids=target).logits
    padding = torch.zeros(1, 3, dtype=torch.long)
    for parts in ((row, padding), (padding, row)):
        batch = torch.cat((torch.cat(parts, dim=1), longer))
        torch.testing.assert_close(ours(batch, target.expand(2, -1))[:1], expected, rtol=1e-5, atol=1e-5)
    with torch.inference_mode():
        compiled = compile_model(ours, engine)
        state = compiled.prefill(batch)
        for position in range(target.shape[1]):
            logits, state = compiled.decode_step(target[:, position].expand(2)[:, None], state)
            torch.testing.assert_close(logits[0], expected[:, position], rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_beam_of_4_finds_the_same_ids(name: str, tmp_path: Path) -> None:
    theirs = stored(name, tmp_path)
    theirs.generation_config.decoder_start_token_id = 1
    theirs.generation_config.suppress_tokens = [0]  # ours never writes padding
    found, expected = beams(read_foreign(tmp_path), theirs, some_ids(3, 7, seed=4))
    assert found == expected
    assert len({tuple(row) for row in expected}) > 6


def test_windows_of_the_encoder_are_one_position_wider(tmp_path: Path) -> None:
    """Encoders of `transformers` see what is a whole window away; decoders do not."""
    stored("t5gemma", tmp_path)
    config: Any = read_foreign(tmp_path).loaded.model.config
    assert config.windows == [3, None]
    assert config.encoder_windows == [4, None]


REFUSED: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda c: c["encoder"].update(hidden_size=20), "model_dim must be equal in encoder and decoder"),
    (lambda c: c["encoder"].update(attn_logit_softcapping=5.0), "score_cap must be equal in encoder and decoder"),
    (lambda c: c["encoder"].update(query_pre_attn_scalar=5), "query_pre_attn_scalar must be equal in encoder and"),
    (
        lambda c: c["encoder"].update(rope_parameters={"rope_type": "linear", "rope_theta": 10_000.0, "factor": 2.0}),
        "rotary_scaling must be equal in encoder and",
    ),
    (lambda c: c["decoder"].update(num_hidden_layers=3), "layer_types must be 3, one for each layer; got 2"),
    (lambda c: c["decoder"].update(final_logit_softcapping=0.0), "logit_cap: Input should be greater than 0"),
    (lambda c: c["decoder"].update(layer_types=["full_attention", "strided"]), "got 'strided'"),
    (lambda c: c["decoder"].update(some_new_thing=1), "decoder: some_new_thing must be null"),
    (lambda c: c["decoder"].update(rope_parameters={"rope_type": "yarn"}), "rope_type must be one of"),
    (lambda c: c.update(decoder=3), "decoder must be of type dict; got 3"),
    (lambda c: c.pop("encoder"), "must have the key encoder"),
    (lambda c: c.update(vocab_size=30), "vocab_size must be 29"),
    (lambda c: c.update(architectures=["T5GemmaForSequenceClassification"]), "architectures must be"),
    (lambda c: c.update(tie_word_embeddings=False), r"must hold the tensor lm_head\.out_proj\.weight"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_ours_lacks_is_refused_by_name(
    change: Callable[[dict[str, Any]], object], message: str, tmp_path: Path
) -> None:
    stored("t5gemma", tmp_path)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(changed(tmp_path, change))


def ours(letters: LoadedModel, **changes: Any) -> LoadedModel:
    torch.manual_seed(2)
    settings = {
        "vocab_size": len(letters.tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "num_encoder_layers": 2,
        "num_decoder_layers": 2, "positions": "rotary", "norm": "sandwich", "norm_kind": "rms", "gated": True,
        "activation": "gelu_tanh", "bias": False, "max_positions": 50, "pad_id": letters.tokenizer.pad_id,
    }  # fmt: skip
    return letters._replace(model=EncoderDecoder(EncoderDecoderConfig(**settings | changes)).eval())


@pytest.mark.parametrize("changes", [
    {"score_cap": 4.0, "logit_cap": 3.0},
    {"windows": [5, None], "tied_embeddings": "none", "num_kv_heads": 1},
    {"encoder_windows": [None, 6], "tied_embeddings": "source", "num_decoder_layers": 1, "score_cap": 2.0},
])  # fmt: skip
def test_a_model_of_ours_is_written(
    changes: dict[str, Any], letters: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 8)
    loaded = ours(LoadedModel(None, letters, letters), **changes)  # type: ignore[arg-type]
    check = write_foreign(loaded, tmp_path / "written", "t5gemma").check()
    assert check is not None
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    again: Any = read_foreign(tmp_path / "written").loaded.model
    expected: Any = loaded.model
    ids = some_ids(2, 7, seed=1) % len(letters)
    torch.testing.assert_close(again(ids, ids), expected(ids, ids))
    assert again.config.windows == expected.config.windows
    assert again.config.windows_of("encoder") == expected.config.windows_of("encoder")


@pytest.mark.parametrize(("changes", "message"), [
    ({"windows": [1, None]}, "encoder_windows must be of at least 2 positions"),
    ({"windows": [3, 4]}, r"windows must be of one size to be written as t5gemma; got \[3, 4\]|\[2, 3\]"),
    ({"norm": "pre"}, "norm must be sandwich to be written as t5gemma; got pre"),
    ({"query_key_norm": True}, "query_key_norm must be False"),
    ({"scale_embeddings": False}, "scale_embeddings must be True"),
    ({"positions": "t5"}, "positions must be rotary"),
])  # fmt: skip
def test_what_theirs_lacks_is_not_written(changes: dict[str, Any], message: str, letters: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(ours(LoadedModel(None, letters, letters), **changes), tmp_path / "written", "t5gemma")  # type: ignore[arg-type]
    assert not (tmp_path / "written").exists()
