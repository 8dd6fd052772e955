"""Every setting of PEFT's LoRA: what `peft` makes of a changed one, Regard makes as well, or refuses it by its name."""

import dataclasses
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import stored
from safetensors.torch import load_file, save_file
from test_peft import adapted_by_peft, outputs

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.peft_config import LoraSettings
from regard.pipelines.loading import load

peft = pytest.importorskip("peft")
pytestmark = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")

CHANGED: dict[str, list[Any]] = {
    "peft_type": ["LOHA"],
    "task_type": ["SEQ_2_SEQ_LM", None],
    "base_model_name_or_path": ["elsewhere"],
    "auto_mapping": [{"base_model_class": "X", "parent_library": "y"}],
    "r": [4],
    "target_modules": [["q_proj"], "all-linear", r".*\.(q_proj|v_proj|fc1)", r".*decoder.*q_proj", ["layers.0.fc1"]],
    "exclude_modules": [["v_proj"], r".*\.encoder\..*", ["lm_head"]],
    "lora_alpha": [7, 2.5, 0, -3],
    "fan_in_fan_out": [True],
    "bias": ["all", "lora_only"],
    "use_rslora": [True],
    "modules_to_save": [["lm_head"], []],
    "init_lora_weights": [  # test_peft.py has orthogonal, which PEFT takes with even ranks alone
        False, "gaussian", "eva", "olora", "pissa", "pissa_niter_4", "corda", "loftq", "mica", "lora_ga", "new",
    ],
    "layers_to_transform": [0, [0, 1], [7]],
    "layers_pattern": ["layers", ["layers", "h"], "blocks"],
    "rank_pattern": [{"q_proj": 3}, {"q_proj": 4}],
    "alpha_pattern": [
        {"q_proj": 50}, {r"layers\.[0-5]\.fc1": 50}, {"^model.decoder.*": 40, "q_proj": 9}, {"q_proj": 9, "^model.decoder.*": 40},
        {"proj": 50}, {r"(self|encoder)_attn\.[qv]_proj": 4.5}, {"model.encoder.layers.0": 6}, {"q_proj|fc1": 6}, {".*": 0},
    ],
    "megatron_config": [{"num_layers": 2}],
    "megatron_core": ["other.core"],
    "loftq_config": [{"loftq_bits": 4}],
    "eva_config": [{"rho": 2.0}],
    "corda_config": [{"corda_method": "kpm"}],
    "lora_ga_config": [{"direction": "ArB2r"}],
    "velora_config": [{"num_groups": 2}],
    "monteclora_config": [{"num_samples": 2}],
    "runtime_config": [{"ephemeral_gpu_offload": True}],
    "use_bdlora": [{"nblocks": 2}],
    "arrow_config": [{"top_k": 1}],
    "kasa_config": [{"beta": 1e-4}],
    "layer_replication": [[[0, 2], [1, 2]]],
    "alora_invocation_tokens": [[5, 6]],
    "target_parameters": [["fc1.weight"]],
    "trainable_token_indices": [[3]],
    "a_setting_of_tomorrow": [True, 1, "on", [0], {"scale": 2}, 0.5],
}  # fmt: skip
"""The values that each setting may have, beside its default. Others of `LoraConfig` get a value of their type."""


def other_value(default: Any) -> Any:
    """A value of the same type that is not the default."""
    if isinstance(default, bool) or default is None:
        return True
    if isinstance(default, int | float):
        return default + 1 if isinstance(default, int) else 0.25
    return f"{default}x"


def changes() -> list[tuple[str, Any]]:
    defaults = {each.name: getattr(peft.LoraConfig(), each.name) for each in dataclasses.fields(peft.LoraConfig)}
    values = {name: [other_value(default)] for name, default in defaults.items()} | CHANGED
    return [(key, value) for key, several in values.items() for value in several]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and an adapter of rank 3."""
    path = tmp_path_factory.mktemp("peft")
    adapted_by_peft("marian", path)
    return path


def with_settings(folder: Path, to: Path, **settings: Any) -> Path:
    """The adapter with some settings changed."""
    to.mkdir()
    config = json.loads((folder / "adapter" / "adapter_config.json").read_text())
    (to / "adapter_config.json").write_text(json.dumps(config | settings))
    (to / "adapter_model.safetensors").write_bytes((folder / "adapter" / "adapter_model.safetensors").read_bytes())
    return to


def by_peft(base: Path, adapter: Path) -> Any:
    """The model with the adapter, as PEFT reads both."""
    import transformers

    theirs = transformers.MarianMTModel.from_pretrained(base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peft.PeftModel.from_pretrained(theirs, adapter).eval()


@pytest.mark.parametrize(("key", "value"), changes(), ids=lambda value: str(value)[:40])
def test_a_setting_does_what_it_does_in_peft_or_is_refused(key: str, value: Any, folder: Path, tmp_path: Path) -> None:
    needed = (
        {"layers_to_transform": [0, 1]} if key == "layers_pattern" else {}
    )  # PEFT refuses the one without the other
    adapter = with_settings(folder, tmp_path / "adapter", **needed | {key: value})
    said = ""
    try:
        ours = load(folder / "base", adapter=adapter).model
    except ModelFolderError as error:
        said = str(error)
    if said:
        assert (
            key in said
            or (key == "layers_pattern" and "layers_to_transform" in said)
            or (key == "rank_pattern" and ": r must" in said)
        )
        return
    one, other = outputs("marian", ours, by_peft(folder / "base", adapter))
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


REFUSED = [
    ("init_lora_weights", "pissa"), ("init_lora_weights", "pissa_niter_16"), ("init_lora_weights", "olora"),
    ("init_lora_weights", "OLoRA"), ("init_lora_weights", "corda"), ("init_lora_weights", "loftq"),
    ("init_lora_weights", "lora_ga"), ("alora_invocation_tokens", [5, 6]), ("a_setting_of_tomorrow", "on"),
    ("trainable_token_indices", [3]), ("lora_bias", True), ("use_qalora", True), ("target_parameters", ["fc1.weight"]),
    ("kasa_config", {"beta": 0.1}), ("exclude_modules", ["v_proj"]), ("target_modules", ["q_proj"]),
    ("target_modules", None), ("target_modules", []),
    ("rank_pattern", {"q_proj": "3"}),
    ("alpha_pattern", {"q_proj": "high"}), ("alpha_pattern", {"q_(proj": 3}), ("alpha_pattern", [3]),
    ("lora_alpha", float("inf")),
    ("r", 10**400), ("lora_alpha", 10**400), ("alpha_pattern", {"q_proj": -(10**400)}), ("rank_pattern", {"q_proj": 10**400}),
    ("lora_alpha", float("nan")),
    ("lora_alpha", "5"), ("use_rslora", "no"), ("layers_to_transform", [7]), ("r", 0), ("r", True), ("target_modules", "q_(proj"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_would_be_wrong_is_refused(key: str, value: Any, folder: Path, tmp_path: Path) -> None:
    adapter = with_settings(folder, tmp_path / "adapter", **{key: value})
    with pytest.raises(ModelFolderError, match=rf"adapter_config\.json: {key}.*got "):
        load(folder / "base", adapter=adapter)


@pytest.mark.parametrize("value", [None, False, "", [], {}])
def test_a_setting_that_is_off_is_none(value: Any, folder: Path, tmp_path: Path) -> None:
    adapter = with_settings(folder, tmp_path / "adapter", a_setting_of_tomorrow=value)
    assert load(folder / "base", adapter=adapter)


def test_settings_that_peft_leaves_out_are_its_defaults(folder: Path, tmp_path: Path) -> None:
    """An old file has only some settings: the rank is 8 and alpha 8, which is not the rank of these matrices."""
    adapter = with_settings(folder, tmp_path / "adapter")
    (adapter / "adapter_config.json").write_text('{"peft_type": "LORA", "target_modules": ["q_proj", "v_proj", "fc1"]}')
    with pytest.raises(ModelFolderError, match=r"r must be the rank of the matrices of .*, 3; got 8"):
        load(folder / "base", adapter=adapter)
    (adapter / "adapter_config.json").write_text(
        '{"peft_type": "LORA", "r": 3, "target_modules": ["q_proj", "v_proj", "fc1"]}'
    )
    one, other = outputs("marian", load(folder / "base", adapter=adapter).model, by_peft(folder / "base", adapter))
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("patterns", "module", "alpha"),
    [
        ({r"h\.[0-5]\.attn\.c_attn": 25}, "transformer.h.3.attn.c_attn", 25),
        ({r"h\.[0-5]\.attn\.c_attn": 25}, "transformer.h.7.attn.c_attn", 2),
        ({"c_attn": 25, "h.3.attn.c_attn": 4}, "transformer.h.3.attn.c_attn", 25),
        ({"h.3.attn.c_attn": 4, "c_attn": 25}, "transformer.h.3.attn.c_attn", 4),
        ({"attn": 25}, "transformer.h.3.attn.c_attn", 2),
        ({"transformer": 25}, "transformer.h.3.attn.c_attn", 2),
        ({"^transformer.*": 25}, "transformer.h.3.attn.c_attn", 25),
        ({"^h.*": 25}, "transformer.h.3.attn.c_attn", 2),
        ({"c.attn": 25}, "transformer.h.3.attn.c_attn", 25),
    ],
)
def test_patterns_are_regular_expressions(patterns: dict[str, int], module: str, alpha: int) -> None:
    """PEFT's own rule is in its words: `(.*\\.)?(KEY)$` from the beginning, and the first key that fits."""
    from peft.utils.other import get_pattern_key

    assert patterns.get(get_pattern_key(patterns.keys(), module), 2) == alpha
    settings = LoraSettings.parse(
        ForeignConfig({"peft_type": "LORA", "r": 1, "lora_alpha": 2, "alpha_pattern": patterns}, "x")
    )
    assert settings.scale(module) == alpha


FOR_EVER = r"(\w|\.|[a-z])*(?=Q)"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("target_modules", FOR_EVER), ("exclude_modules", FOR_EVER), ("alpha_pattern", {FOR_EVER: 3}),
        ("rank_pattern", {FOR_EVER: 3}), ("layers_pattern", [FOR_EVER]),
    ],
)  # fmt: skip
def test_an_expression_that_takes_for_ever_is_refused(key: str, value: Any, folder: Path, tmp_path: Path) -> None:
    others = {"layers_to_transform": [0]} if key == "layers_pattern" else {}
    adapter = with_settings(folder, tmp_path / "adapter", **{key: value}, **others)
    with pytest.raises(ModelFolderError, match=rf"{key} must be a regular expression that is matched in 1 second; got"):
        load(folder / "base", adapter=adapter)


def test_a_name_that_several_modules_have_is_refused(tmp_path: Path) -> None:
    """An encoder-decoder of two BERTs has two layers of each name; without its beginning, nobody knows which is meant."""
    stored("encoder-decoder of bert", tmp_path / "base")
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    name = "encoder.layer.0.attention.self.query"
    factors = {
        f"base_model.model.{name}.lora_{letter}.weight": torch.ones(shape)
        for letter, shape in (("A", (2, 15)), ("B", (15, 2)))
    }
    save_file(factors, adapter / "adapter_model.safetensors")
    (adapter / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 2, "target_modules": ["query"]}))
    with pytest.raises(
        ModelFolderError, match=rf"must have one linear map {name}.*got decoder.bert.*, encoder.encoder"
    ):
        load(tmp_path / "base", adapter=adapter)


def test_ranks_that_differ_are_written_so_that_peft_reads_them(tmp_path: Path) -> None:
    """The name of one module may be the end of another's: the longer stands first, with its own rank."""
    from regard.interop.formats import read_foreign
    from regard.interop.peft import write_peft
    from regard.models.adaptation import AdapterConfig, adapted, add_adapter

    theirs = stored("t5", tmp_path / "base")
    foreign = read_foreign(tmp_path / "base")
    model = foreign.loaded.model
    add_adapter(model, AdapterConfig(rank=2, targets=["encoder_layers.*.self_attention.query_proj"]))
    add_adapter(model, AdapterConfig(rank=3, alpha=1.5, targets=["decoder_layers.0.self_attention.query_proj"]))
    with torch.no_grad():
        for module in adapted(model).values():
            module.up.normal_(std=0.3)
    write_peft(model, foreign, tmp_path / "peft")
    config = json.loads((tmp_path / "peft" / "adapter_config.json").read_text())
    assert set(config["rank_pattern"].values()) == {2, 3}
    wrapped = peft.PeftModel.from_pretrained(theirs, tmp_path / "peft").eval()
    one, other = outputs("t5", model.eval(), wrapped)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    again = load(tmp_path / "base", adapter=tmp_path / "peft").model
    torch.testing.assert_close(outputs("t5", again, wrapped)[0], other, rtol=1e-4, atol=1e-5)
    assert load_file(tmp_path / "peft" / "adapter_model.safetensors")
