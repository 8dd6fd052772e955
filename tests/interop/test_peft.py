"""Adapters against Hugging Face's PEFT: one step of training, and their files in both directions."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import VOCAB, read, stored
from safetensors.torch import load_file, save_file

import regard
from regard.adapters import adapt, read_adapter, with_adapter
from regard.checkpoint import load_model
from regard.errors import ModelFolderError, SettingsError
from regard.interop.convert import convert, convert_adapter
from regard.interop.formats import read_foreign
from regard.interop.peft import read_peft
from regard.models.adaptation import AdapterConfig, adapted, add_adapter
from regard.pipelines.loading import load

peft = pytest.importorskip("peft")
pytestmark = pytest.mark.filterwarnings(
    "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"
)  # PEFT asks for it

TARGETS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "marian": (["q_proj", "v_proj", "fc1"], {}),
    "bart": (["q_proj", "out_proj"], {"use_rslora": True}),
    "t5": (["q", "v", "wo"], {}),
    "t5, gated": (["wi_0", "o"], {"alpha_pattern": {"o": 11}, "rank_pattern": {"o": 4}}),
    "bert, mlm, relu": (["query", "value"], {}),
    "roberta, no head": (["attention.output.dense", "intermediate.dense"], {}),
    "distilbert, mlm": (["q_lin", "ffn.lin1"], {}),
    "gpt2": (["c_attn", "c_proj"], {"fan_in_fan_out": True}),
}
"""Models, what of them is adapted, and options of PEFT."""


def adapted_by_peft(name: str, folder: Path) -> Any:
    """A random model with random adapters, both stored by their own libraries."""
    theirs = stored(name, folder / "base")
    targets, options = TARGETS[name]
    torch.manual_seed(4)
    config = peft.LoraConfig(r=3, lora_alpha=5, target_modules=targets, **options)
    wrapped = peft.get_peft_model(theirs, config).eval()
    for key, parameter in wrapped.named_parameters():
        if "lora_" in key:
            parameter.data = 0.3 * torch.randn_like(parameter)
    wrapped.save_pretrained(folder / "adapter")
    return wrapped


def outputs(name: str, ours: Any, theirs: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The outputs of both for the same ids."""
    ids = torch.randint(4, VOCAB - 2, (3, 7), generator=torch.Generator().manual_seed(5))
    with torch.no_grad():
        if ours.reads_source:
            made = theirs(input_ids=ids, decoder_input_ids=ids[:, :5], attention_mask=torch.ones_like(ids))
            return ours(ids, ids[:, :5]), made.logits
        made = theirs(input_ids=ids, attention_mask=torch.ones_like(ids))
        return ours(ids), made.logits if hasattr(made, "logits") else made.last_hidden_state


@pytest.mark.parametrize("name", TARGETS)
def test_an_adapter_of_peft_is_read(name: str, tmp_path: Path) -> None:
    theirs = adapted_by_peft(name, tmp_path)
    ours = load(tmp_path / "base", adapter=tmp_path / "adapter").model
    one, other = outputs(name, ours, theirs)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    plain, _ = outputs(name, load(tmp_path / "base").model, theirs)
    assert (plain - other).abs().max() > 1e-2


@pytest.mark.parametrize("start", ["gaussian", "orthogonal", False])
def test_an_adapter_that_began_otherwise_is_read(start: Any, tmp_path: Path) -> None:
    """These ways to begin leave the base's weights as they are."""
    config = peft.LoraConfig(r=4, target_modules=["q_proj"], init_lora_weights=start)
    theirs = peft.get_peft_model(stored("marian", tmp_path / "base"), config).eval()
    for key, parameter in theirs.named_parameters():
        if "lora_B" in key:
            parameter.data = 0.3 * torch.randn_like(parameter)
    theirs.save_pretrained(tmp_path / "adapter")
    base = type(theirs.get_base_model()).from_pretrained(tmp_path / "base")
    again = peft.PeftModel.from_pretrained(base, tmp_path / "adapter").eval()
    one, other = outputs("marian", load(tmp_path / "base", adapter=tmp_path / "adapter").model, again)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("start", ["gaussian", "orthogonal", "eva", "mica", "pissa", "olora", 3])
def test_a_beginning_that_changes_the_base_is_refused_with_what_to_do(start: Any, tmp_path: Path) -> None:
    adapted_by_peft("marian", tmp_path)
    file = tmp_path / "adapter" / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"init_lora_weights": start}))
    if start not in ("pissa", "olora", 3):
        assert load(tmp_path / "base", adapter=tmp_path / "adapter")
        return
    with pytest.raises(ModelFolderError, match=r"init_lora_weights must be one of .*Save the adapter as plain LoRA"):
        load(tmp_path / "base", adapter=tmp_path / "adapter")


@pytest.mark.parametrize("name", TARGETS)
def test_an_adapter_is_written_for_peft(name: str, tmp_path: Path) -> None:
    """Theirs to ours, ours to theirs: PEFT loads what is written and computes what ours does."""
    theirs = adapted_by_peft(name, tmp_path)
    converted = convert_adapter(tmp_path / "adapter", tmp_path / "ours", tmp_path / "base")
    assert len(converted) == len(read_adapter(tmp_path / "ours").scales)
    ours = load(tmp_path / "base", adapter=tmp_path / "ours").model
    expected = outputs(name, ours, theirs)[1]
    convert_adapter(tmp_path / "ours", tmp_path / "back", tmp_path / "base", format="peft")
    base = type(theirs.get_base_model()).from_pretrained(tmp_path / "base")
    again = peft.PeftModel.from_pretrained(base, tmp_path / "back").eval()
    torch.testing.assert_close(outputs(name, ours, again)[1], expected, rtol=1e-4, atol=1e-5)


def test_updates_of_several_maps_in_one_matrix(tmp_path: Path) -> None:
    """Query and value of GPT-2 stand in one matrix: their updates of rank 2 and 3 become one of rank 5, exactly."""
    theirs = stored("gpt2", tmp_path / "base")
    foreign = read_foreign(tmp_path / "base")
    model = foreign.loaded.model
    add_adapter(model, AdapterConfig(rank=2, targets=["layers.*.self_attention.query_proj"]))
    add_adapter(model, AdapterConfig(rank=3, alpha=1.5, targets=["layers.0.self_attention.value_proj"]))
    with torch.no_grad():
        for module in adapted(model).values():
            module.up.normal_(std=0.3)
    from regard.interop.peft import write_peft

    assert len(write_peft(model, foreign, tmp_path / "peft")) == 2
    written = load_file(tmp_path / "peft" / "adapter_model.safetensors")
    assert written["base_model.model.transformer.h.0.attn.c_attn.lora_A.weight"].shape == (5, 15)
    wrapped = peft.PeftModel.from_pretrained(theirs, tmp_path / "peft").eval()
    one, other = outputs("gpt2", model.eval(), wrapped)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["marian", "t5", "gpt2", "bert, mlm, relu"])
def test_a_step_is_that_of_peft(name: str, tmp_path: Path) -> None:
    """The same adapter, one step of Adam on one batch: the same weights. Dropout is off."""
    theirs = adapted_by_peft(name, tmp_path)
    loaded = read_foreign(tmp_path / "base")
    ours = adapt(loaded.loaded, read_peft(tmp_path / "adapter", loaded))
    for module in adapted(ours).values():
        module.down.requires_grad_(True)
        module.up.requires_grad_(True)
    ids = torch.randint(4, VOCAB - 2, (3, 7), generator=torch.Generator().manual_seed(5))
    labels = torch.randint(4, VOCAB - 2, (3, 7), generator=torch.Generator().manual_seed(6))

    def loss_of(model: Any, is_ours: bool) -> torch.Tensor:
        if ours.reads_source:
            made = model(ids, labels) if is_ours else model(input_ids=ids, decoder_input_ids=labels).logits
        else:
            made = model(ids) if is_ours else model(input_ids=ids).logits
        return torch.nn.functional.cross_entropy(made.flatten(0, 1), labels.flatten())

    for model, is_ours in ((ours, True), (theirs, False)):
        learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(learning, lr=1e-2, eps=1e-2, weight_decay=0.0)
        loss_of(model, is_ours).backward()
        optimizer.step()
    theirs.save_pretrained(tmp_path / "after")
    expected = read_peft(tmp_path / "after", loaded).held
    before = read_peft(tmp_path / "adapter", loaded).held
    assert expected is not None
    assert before is not None
    state = ours.state_dict()
    for key, tensor in expected.items():
        if name == "gpt2" and key.endswith(".down"):
            continue  # one matrix of theirs is three of ours here, which move apart
        torch.testing.assert_close(state[key], tensor, rtol=0, atol=1e-6)
    assert max(float((tensor - before[key]).abs().max()) for key, tensor in expected.items()) > 1e-3


def test_training_that_begins_with_a_foreign_model(tmp_path: Path) -> None:
    """An adapter of a Hugging Face model is trained, used, and given to PEFT."""
    theirs = stored("marian", tmp_path / "base")
    pairs = [("w5 w7 w9", "w9 w7 w5"), ("w6 w8", "w8 w6")] * 4
    regard.train(pairs, tmp_path / "a", valid=pairs, from_=tmp_path / "base", steps=3, batch_tokens=200, rank=2,
                 learning_rate=0.1)  # fmt: skip
    ours = with_adapter(read_foreign(tmp_path / "base").loaded, read_adapter(tmp_path / "a")).model
    convert_adapter(tmp_path / "a", tmp_path / "peft", tmp_path / "base", format="peft")
    wrapped = peft.PeftModel.from_pretrained(theirs, tmp_path / "peft").eval()
    one, other = outputs("marian", ours, wrapped)
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    assert json.loads((tmp_path / "peft" / "adapter_config.json").read_text())["base_model_name_or_path"] == "base"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"peft_type": "PREFIX_TUNING"}, "peft_type must be LORA"),
        ({"use_dora": True}, "use_dora must be false"),
        ({"bias": "all"}, "bias must be"),
        ({"modules_to_save": ["classifier"]}, "modules_to_save must be null"),
    ],
)
def test_other_kinds_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    adapted_by_peft("marian", tmp_path)
    file = tmp_path / "adapter" / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(ModelFolderError, match=message):
        load(tmp_path / "base", adapter=tmp_path / "adapter")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda name, tensor: {}, "must hold low-rank matrices; got none"),
        (lambda name, tensor: {name: tensor.T.contiguous()}, r"must have (shape|\d+ rows)"),
        (lambda name, tensor: {name: tensor * torch.inf}, "finite"),
        (lambda name, tensor: {name.replace("q_proj", "x_proj"): tensor}, "must have the linear map"),
        (lambda name, tensor: {name: tensor} if "lora_A" in name else {}, "lora_A and lora_B"),
        (lambda name, tensor: {name.replace("lora_A", "lora_magnitude_vector"): tensor}, "low-rank matrices of linear"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: Any, message: str) -> None:
    adapted_by_peft("marian", tmp_path)
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    changed = [change(name, tensor) for name, tensor in load_file(file).items()]
    save_file({key: value for each in changed for key, value in each.items()}, file)
    with pytest.raises(ModelFolderError, match=message):
        load(tmp_path / "base", adapter=tmp_path / "adapter")


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("targets", ["as named", "all-linear"])
def test_a_layer_without_its_matrices_is_refused_by_name(name: str, targets: str, tmp_path: Path) -> None:
    theirs = stored(name, tmp_path / "base")
    chosen: Any = TARGETS[name][0] if targets == "as named" else targets
    config = peft.LoraConfig(r=3, target_modules=chosen, fan_in_fan_out=name == "gpt2")
    peft.get_peft_model(theirs, config).save_pretrained(tmp_path / "adapter")
    assert load(tmp_path / "base", adapter=tmp_path / "adapter")
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    tensors = load_file(file)
    first = next(
        key for key in tensors if "layer.1." in key or "layers.1." in key or "h.1." in key or "block.1." in key
    )
    module = first.removeprefix("base_model.model.").partition(".lora_")[0]
    save_file({key: tensor for key, tensor in tensors.items() if f"{module}." not in key}, file)
    with pytest.raises(
        ModelFolderError, match=f"must hold lora_A and lora_B of {module}, which target_modules .* choose"
    ):
        load(tmp_path / "base", adapter=tmp_path / "adapter")


@pytest.mark.parametrize("name", ["gpt2", "marian"])
def test_matrices_of_another_model_are_refused(name: str, tmp_path: Path) -> None:
    adapted_by_peft(name, tmp_path)
    file = tmp_path / "adapter" / "adapter_model.safetensors"
    tensors = load_file(file)
    key = next(key for key in tensors if "lora_B" in key)
    save_file(tensors | {key: torch.cat([tensors[key], tensors[key][:3]])}, file)
    rows = len(tensors[key])
    with pytest.raises(ModelFolderError, match=rf"lora_B of \S+ must have {rows} rows, .*; got {rows + 3}"):
        load(tmp_path / "base", adapter=tmp_path / "adapter")


def test_what_does_not_go_together(tmp_path: Path) -> None:
    adapted_by_peft("marian", tmp_path)
    regard_folder = tmp_path / "regard"
    convert(tmp_path / "base", regard_folder, check=False)
    assert load_model(regard_folder)
    with pytest.raises(ModelFolderError, match="needs its model in Hugging Face's format"):
        load(regard_folder, adapter=tmp_path / "adapter")
    with pytest.raises(ModelFolderError, match="`--base` must be a model in Hugging Face's format"):
        convert_adapter(tmp_path / "adapter", tmp_path / "x", regard_folder)
    with pytest.raises(SettingsError, match="Add `--base MODEL`"):
        convert(tmp_path / "adapter", tmp_path / "x")
    with pytest.raises(SettingsError, match="`--base` converts an adapter"):
        convert_adapter(tmp_path / "adapter", tmp_path / "x", tmp_path / "base", format="peft")
    assert not (tmp_path / "x").exists()


def test_an_adapter_of_layers_that_share_weights_is_refused(tmp_path: Path) -> None:
    """One update there would be one for each of our layers."""
    base = read("albert, mlm", tmp_path)
    with pytest.raises(ModelFolderError, match="must have weights of its own in each layer for adapters of PEFT"):
        read_peft(tmp_path / "adapter", base)
