"""No setting that changes what a model computes is lost where it is written in another format: it is kept, or refused by name.

Each setting of each family's configuration is changed by itself, whatever settings there are.
"""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import read
from pydantic import ValidationError

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError, SettingsError, ShapeError
from regard.interop.formats import write_foreign
from regard.interop.hugging_face.bert import RELATIVE_NOTE
from regard.models.config import POSITIONS, DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build

ORIGINALS = {
    "bert, mlm, relu": "bert",
    "roberta, mlm": "roberta",
    "distilbert, classes": "distilbert",
    "electra, tags": "electra",
    "albert, mlm": "albert",
    "modernbert, mlm": "modernbert",
    "eurobert, mlm": "eurobert",
    "bert-generation encoder": "bert-generation",
    "bert decoder": "bert",
    "gpt2": "gpt2",
    "llama": "llama",
    "mistral": "mistral",
    "qwen 2": "qwen2",
    "qwen 3": "qwen3",
    "phi 3": "phi3",
    "gemma 2": "gemma2",
    "gemma 3": "gemma3_text",
    "encoder-decoder of bert": "encoder-decoder",
    "marian": "marian",
    "bart": "bart",
    "bart, classes": "bart",
    "pegasus": "pegasus",
    "t5, gated": "t5",
    "umt5": "umt5",
    "t5gemma": "t5gemma",
    "m2m_100": "ctranslate2",
}
NUMBERS = {
    "norm_epsilon": [0.03],
    "rotary_base": [3.0],
    "local_rotary_base": [3.0, None],
    "rotary_dim": [2, None],
    "rotary_scaling": [{"factor": 3.0}, None],
    "score_cap": [0.5, None],
    "logit_cap": [0.5, None],
    "windows": [[2, 2], [2, None], []],
    "encoder_windows": [[2, 2], None],
    "num_kv_heads": [1],
    "head_dim": [2, 8],
    "value_head_dim": [2],
    "feed_forward_chunk": [2],
    "embedding_dim": [6],
    "weights_from": [[0, 0]],
    "num_segments": [0, 3],
    "num_source_types": [3],
    "pruned_heads": [{"encoder.0": [0]}, {"decoder.0": [0]}, {"cross.0": [1]}, {"decoder.0": [0, 1]}],
    "max_positions": [25],
    "pair_separators": [1, 2],
}
"""Values of settings that are neither switches nor choices."""
SMALL: dict[str, Any] = {"vocab_size": 29, "model_dim": 16, "num_heads": 4, "ff_dim": 20}
SIZES = {"vocab_size", "source_vocab_size", "model_dim", "ff_dim", "num_heads", "num_layers", "num_encoder_layers",
         "num_decoder_layers"}  # fmt: skip
"""Settings that stand in each file."""
OF_OTHERS = {
    "arch",
    "dropout",
    "attention_dropout",
    "pad_id",
    "separator_id",
    "alignment_head",
    "task",
    "labels",
    "start_id",
}
"""Settings of training and tokenizers, of what is shown, and of the head, whose class is another one."""


def changed(name: str, config: Any) -> list[Any]:
    """Configurations that differ in one setting."""
    field = type(config).model_fields[name]
    values: Sequence[Any] = NUMBERS.get(name, ())
    if field.annotation in (bool, bool | None):
        values = (True, False, None)
    elif name == "positions":
        values = POSITIONS
    elif not values:
        values = re.findall(r"'(\w+)'", str(field.annotation))  # of a choice
    found = []
    for value in values:
        try:
            new = type(config).model_validate(config.model_dump() | {name: value})
            build(new)
        except (ValidationError, ShapeError):  # heads of one group are removed together
            continue
        found += [new] if new != config else []
    return found


def with_config(loaded: LoadedModel, config: Any) -> LoadedModel:
    """A model of a configuration, with weights that are drawn, no norm of which is 1 and no bias 0."""
    torch.manual_seed(1)
    model = build(config).eval()
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    return loaded._replace(model=model)


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_setting_is_kept_or_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written answers as ours, by the original implementation; a key beside the configuration is no setting."""
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 1)
    loaded, lost, kept = read(name, tmp_path / "theirs").loaded, [], 0
    base = loaded.model.config
    for field in type(base).model_fields.keys() - SIZES - OF_OTHERS:
        for number, config in enumerate(changed(field, base)):
            try:
                written = write_foreign(with_config(loaded, config), tmp_path / f"{field}-{number}", ORIGINALS[name])
            except (ModelFolderError, SettingsError):
                continue
            with warnings.catch_warnings(action="ignore"):
                check = written.check()
            assert check is not None
            kept += 1
            if check.largest_difference > 1e-4 * max(check.largest_value, 1) and RELATIVE_NOTE not in written.notes:
                lost.append((field, getattr(config, field), check.largest_difference))
    assert lost == []
    assert kept


def test_each_setting_is_changed() -> None:
    """A new setting must be among them."""
    for config in (EncoderConfig, DecoderConfig, EncoderDecoderConfig):
        layers = ["num_encoder_layers", "num_decoder_layers"] if config is EncoderDecoderConfig else ["num_layers"]
        sizes = SMALL | dict.fromkeys(layers, 2) | ({"task": "none"} if config is EncoderConfig else {})
        small = config(**sizes, positions="rotary", norm="pre")
        for name in type(small).model_fields.keys() - SIZES - OF_OTHERS:
            assert changed(name, small), name
