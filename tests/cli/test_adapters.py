"""Adapters and frozen parts: what learns, what is stored, and what a model with an adapter answers."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import torch
from running import command, outcome, refused
from safetensors.torch import load_file, save_file

import regard
from random_models import TEXT, save_models
from regard.adapters import read_adapter, weights_digest, with_adapter
from regard.checkpoint import load_model
from regard.errors import ModelFolderError, SettingsError
from regard.models.adaptation import AdapterConfig, adapted, add_adapter, merged
from regard.models.parameter_names import parameters_named
from regard.nn.lora import AdaptedLinear
from regard.pipelines.predictor import Predictor

STEPS = ["--steps", "4", "--set", "training.batch_tokens=200", "--precision", "float32"]
RANK = ["--set", "adapter.rank=2"]
FACTORS = (".down", ".up")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_models(tmp_path_factory.mktemp("bases"))
    lines = (path / "source").read_text().splitlines()
    (path / "classes").write_text("".join(f"{'xyz'[number % 3]}\t{line}\n" for number, line in enumerate(lines)))
    return path


def train(folder: Path, output: Path, base: str, *more: Any) -> int:
    data = {"lm": ["source"], "mlm": ["source"]}.get(base, ["source", "target"])
    given = [folder / name for name in data]
    return command("train", *given, "--valid", *given, "--from", folder / base, "-o", output, *STEPS, *more)


@pytest.fixture(scope="module")
def legal(folder: Path) -> Path:
    """An adapter of `m` that changes what it writes."""
    assert train(folder, folder / "legal", "m", *RANK, "--set", "training.learning_rate=0.5") == 0
    return folder / "legal"


def test_an_adapted_map_is_the_paper_s() -> None:
    """h = W x + scale B A x, on sizes that differ; and the merged map computes the same."""
    torch.manual_seed(0)
    linear = torch.nn.Linear(5, 7)
    module = AdaptedLinear(linear, 3, scale=0.5)
    x = torch.randn(2, 11, 5)
    torch.testing.assert_close(module(x), linear(x), rtol=0, atol=0)  # `up` begins at 0
    with torch.no_grad():
        module.up.normal_()
    wanted = x @ linear.weight.T + linear.bias + 0.5 * (x @ module.down.T @ module.up.T)
    torch.testing.assert_close(module(x), wanted)
    torch.testing.assert_close(module.merged()(x), wanted)
    assert module.weight is linear.weight
    module(x).sum().backward()
    assert linear.weight.grad is None
    assert module.down.grad is not None


@pytest.mark.parametrize("base", ["m", "two", "rnn", "lm", "mlm", "classify"])
def test_every_family_is_adapted_and_merged(folder: Path, base: str) -> None:
    """With targets that the family has. In evaluation mode, the merged model is the adapted one."""
    model = load_model(folder / base).model
    targets = ["*"] if base == "rnn" else ["query_proj", "feed_forward", "output_proj"]
    torch.manual_seed(3)
    add_adapter(model, AdapterConfig(rank=2, targets=targets))
    assert {name for name, each in model.named_parameters() if each.requires_grad} == {
        f"{name}.{factor}" for name in adapted(model) for factor in ("down", "up")
    }
    with torch.no_grad():
        for module in adapted(model).values():
            module.up.normal_(std=0.3)
    plain = merged(model.eval())
    assert not adapted(plain)
    assert plain.state_dict().keys() < model.state_dict().keys()
    ids = torch.tensor([[5, 7, 9, 6]])
    given = (ids, ids) if model.reads_source else (ids,)
    torch.testing.assert_close(plain(*given), model(*given), rtol=1e-4, atol=1e-5)
    assert (load_model(folder / base).model.eval()(*given) - plain(*given)).abs().max() > 1e-3


@pytest.mark.parametrize("base", ["m", "two", "lm", "mlm"])
def test_only_the_adapter_learns_and_is_stored(
    folder: Path, tmp_path: Path, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(folder, tmp_path / "a", base, *RANK, "--set", "training.learning_rate=0.1") == 0
    assert {path.name for path in (tmp_path / "a").iterdir()} >= {"adapter.safetensors", "adapter.json", "README.md"}
    assert not (tmp_path / "a" / "model.safetensors").exists()
    tensors = load_file(tmp_path / "a" / "adapter.safetensors")
    assert {name.rsplit(".", 1)[1] for name in tensors} == {"down", "up"}
    assert any(tensor.abs().max() > 0.05 for name, tensor in tensors.items() if name.endswith(".up"))
    before = load_model(folder / base)
    after = with_adapter(before, read_adapter(tmp_path / "a"))
    changed = {
        name
        for name, tensor in after.model.state_dict().items()
        if not torch.equal(tensor, before.model.state_dict()[name])
    }
    assert changed == {f"{name}.weight" for name in read_adapter(tmp_path / "a").scales}
    assert all(name.endswith("_proj.weight") and "layers." in name for name in changed)
    assert {name.split(".")[-2] for name in changed} >= {
        "query_proj",
        "key_proj",
        "value_proj",
        "inner_proj",
        "output_proj",
    }
    results = json.loads((tmp_path / "a" / "results.json").read_text())
    assert results["settings"]["adapter"]["rank"] == 2
    assert f"{base} --adapter a" in (tmp_path / "a" / "README.md").read_text()
    assert f"{folder / base} --adapter {tmp_path / 'a'}" in capsys.readouterr().out
    assert results["from"] == base


def test_all_commands_take_it(folder: Path, legal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--adapter` answers as the merged folder does, and otherwise than the model alone."""
    assert command("average", folder / "m", "--adapter", legal, "-o", tmp_path / "merged") == 0
    pairs = [folder / "source", folder / "target"]
    for words in (["translate", pairs[0], "--json"], ["score", *pairs], ["evaluate", *pairs, "--json"],
                  ["inspect", TEXT], ["align", *pairs]):  # fmt: skip
        name, *rest = words
        outputs = [
            outcome(capsys, name, *model, *rest)[1]
            for model in ([folder / "m", "--adapter", legal], [tmp_path / "merged"], [folder / "m"])
        ]
        first, second, alone = (
            text.replace(str(folder / "m"), "M").replace(str(tmp_path / "merged"), "M") for text in outputs
        )
        assert first == second != alone, name
    code, shown, _ = outcome(capsys, "info", legal)
    assert code == 0
    assert "an adapter of m" in shown
    assert json.loads(outcome(capsys, "info", legal, "--json")[1])["num_maps"] == 2 * 6 + 2 * 10


def test_the_score_of_the_run_is_that_of_the_adapter(folder: Path, legal: Path) -> None:
    """What was validated, kept and stored is one model: its loss on the pairs, computed anew, is the recorded one."""
    results = json.loads((legal / "results.json").read_text())
    translator = regard.load(folder / "m", adapter=legal)
    assert isinstance(translator, regard.Translator)
    sources, targets = ((folder / name).read_text().splitlines() for name in ("source", "target"))
    scored = translator.score(sources, targets)
    loss = -sum(each.log_prob for each in scored) / sum(len(each.tokens) for each in scored)
    assert results["validation_loss"] == pytest.approx(loss, abs=1e-4)


def test_a_new_head_is_stored_with_it(folder: Path, tmp_path: Path) -> None:
    data = folder / "classes"
    options = ["--valid", data, "--from", folder / "mlm", "--task", "classify", "-o", tmp_path / "a", *STEPS, *RANK]
    assert command("train", data, *options) == 0
    tensors = load_file(tmp_path / "a" / "adapter.safetensors")
    assert {name for name in tensors if name.startswith("head.")} == {
        "head.pooler.weight", "head.pooler.bias", "head.output_proj.weight", "head.output_proj.bias"
    }  # fmt: skip
    loaded = regard.load(folder / "mlm", adapter=tmp_path / "a")
    assert isinstance(loaded, Predictor)
    assert loaded.model.config.labels == ["x", "y", "z"]
    assert torch.equal(loaded.model.state_dict()["head.pooler.weight"], tensors["head.pooler.weight"])
    assert loaded.predict("ab cde").labels[0] in "xyz"


def test_resumed_it_is_the_same(folder: Path, tmp_path: Path) -> None:
    more = [*RANK, "--set", "training.schedule=constant", "--set", "training.validate_every=2", "--set",
            "training.warmup_steps=1", "--set", "training.average_decay=0.5"]  # fmt: skip
    assert train(folder, tmp_path / "whole", "m", *more, "--save-every", "2") == 0
    options = [folder / "source", folder / "target", "--valid", folder / "source", folder / "target", "--from",
               folder / "m", "-o", tmp_path / "parts", *STEPS[2:], *more, "--save-every", "2"]  # fmt: skip
    assert command("train", *options, "--steps", "2") == 0
    assert command("train", *options, "--steps", "4", "--resume") == 0
    one, other = (load_file(tmp_path / name / "adapter.safetensors") for name in ("whole", "parts"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_another_model_is_refused(
    folder: Path, legal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(folder, tmp_path / "other", "m") == 0  # the same shapes, other weights
    message = refused(capsys, "translate", tmp_path / "other", folder / "source", "--adapter", legal)
    assert "legal must be used with the model that it was trained with, m" in message
    assert "--adapter" in refused(capsys, "translate", legal, folder / "source")
    assert "adapter.json" in refused(capsys, "translate", folder / "m", folder / "source", "--adapter", folder / "two")


def test_its_checksum_does_not_depend_on_the_format(folder: Path) -> None:
    loaded = load_model(folder / "m")
    digest = weights_digest(loaded.model)
    assert digest == weights_digest(load_model(folder / "m").model)
    with torch.no_grad():
        next(iter(loaded.model.parameters()))[0, 0] += 1e-3
    assert digest != weights_digest(loaded.model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop(next(iter(t))), "must have shape"),
        (lambda t: t.update({"encoder_layers.0.nothing": torch.ones(2)}), "of no tensor"),
        (lambda t: t.update({next(iter(t)): torch.ones(2, 2)}), "must have shape"),
        (lambda t: t.update({name: tensor * torch.nan for name, tensor in t.items()}), "finite"),
        (lambda t: t.update({name: tensor.long() for name, tensor in t.items()}), "numbers of kind"),
    ],
)
def test_damaged_adapters_are_refused(folder: Path, legal: Path, tmp_path: Path, change: Any, message: str) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "adapter.json").write_bytes((legal / "adapter.json").read_bytes())
    tensors = load_file(legal / "adapter.safetensors")
    change(tensors)
    save_file(tensors, bad / "adapter.safetensors")
    with pytest.raises(ModelFolderError, match=message):
        regard.load(folder / "m", adapter=bad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 2}, "format_version must be 1"),
        ({"scales": {}}, "scales"),
        ({"scales": {"encoder_norm": 1.0}}, "must be a linear map"),
        ({"scales": "x"}, "scales"),
        ({"more": 1}, "more"),
        ({"model": {"arch": "encoder-decoder", "model_dim": 1 << 30, "vocab_size": 9}}, "model"),
    ],
)
def test_hostile_records_are_refused(folder: Path, legal: Path, tmp_path: Path, change: Any, message: str) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    record = json.loads((legal / "adapter.json").read_text())
    (bad / "adapter.json").write_text(json.dumps(record | change))
    (bad / "adapter.safetensors").write_bytes((legal / "adapter.safetensors").read_bytes())
    with pytest.raises(ModelFolderError, match=message):
        regard.load(folder / "m", adapter=bad)


def test_what_does_not_go_together(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "source", folder / "target", "-o", tmp_path / "m"]
    base = ["--from", folder / "m"]
    for options, message in (
        (RANK, "Add `--from MODEL`"),
        ([*base, *RANK, "--set", "training.freeze=[encoder]"], "`training.freeze` has no effect with an adapter"),
        ([*base, "--set", "adapter.alpha=3"], "adapter.alpha has no effect without `adapter.rank`"),
        ([*base, *RANK, "--set", "adapter.targets=[qeury_proj]"], "Did you mean 'query_proj'?"),
        ([*base, *RANK, "--set", "adapter.rnak=3"], "Did you mean 'rank'?"),
        ([*base, "--set", "adapter.rank=1000"], "rank must be from 1 to"),
        ([*base, "--set", "training.freeze=[encoderr]"], "Did you mean 'encoder'?"),
        ([*base, "--set", "training.freeze=['*']"], "training.freeze must leave a part"),
    ):
        assert message in refused(capsys, "train", *files, *options), options
    assert not (tmp_path / "m").exists()
    assert "the one model" in refused(
        capsys, "average", folder / "m", folder / "two", "--adapter", folder, "-o", tmp_path / "x"
    )


@pytest.mark.parametrize(
    ("base", "names", "frozen"),
    [
        ("m", ["embeddings"], {"source_embedding"}),
        ("m", ["encoder"], {"encoder_layers"}),
        ("m", ["decoder_layers.0", "decoder_layers.*.feed_forward"], {"decoder_layers"}),
        ("two", ["output"], set()),
        ("rnn", ["decoder"], {"initial_proj", "key_proj", "cross_attention", "cell", "readout_proj"}),
        ("lm", ["decoder", "embeddings"], None),
        ("classify", ["encoder"], {"layers"}),
    ],
)
def test_parts_by_name(folder: Path, base: str, names: list[str], frozen: set[str] | None) -> None:
    model = load_model(folder / base).model
    if frozen == set():
        with pytest.raises(SettingsError, match="embeddings, encoder"):  # the output is tied to the target embeddings
            parameters_named(model, names, "training.freeze")
        return
    found = parameters_named(model, names, "training.freeze")
    first = {name.partition(".")[0] for name in found}
    assert first == frozen if frozen is not None else found == [name for name, _ in model.named_parameters()]
    if "decoder_layers.0" in names:
        assert {name.split(".")[2] for name in found if name.startswith("decoder_layers.1")} == {"feed_forward"}


def test_frozen_parts_stay_and_cost_nothing(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    more = [
        "--set",
        "training.freeze=[embeddings, encoder]",
        "--save-every",
        "2",
        "--set",
        "training.learning_rate=0.01",
    ]
    assert train(folder, tmp_path / "m", "m", *more) == 0
    before, after = (load_model(path).model.state_dict() for path in (folder / "m", tmp_path / "m"))
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert all(name.startswith("decoder") for name in moved)
    assert {name for name in before if name.startswith("decoder") and before[name].ndim == 2} <= moved
    state = load_file(max((tmp_path / "m.training").glob("step-*")) / "state.safetensors")
    assert {name.split(".")[1] for name in state if name.startswith("optimizer.")} == {"decoder_layers"}
    assert "of them learn" in capsys.readouterr().err


def test_the_average_shares_what_is_frozen(folder: Path) -> None:
    from regard.training.optimization import WeightAverage

    model = load_model(folder / "m").model
    for name in parameters_named(model, ["encoder"], "training.freeze"):
        model.get_parameter(name).requires_grad_(False)
    average = WeightAverage(model, 0.9)
    shared = {name for name, each in average.model.named_parameters() if each is model.get_parameter(name)}
    assert shared == {name for name, each in model.named_parameters() if not each.requires_grad}
    assert shared


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_frozen_parts_do_not_change_the_gradients_of_others(folder: Path, precision: str, tmp_path: Path) -> None:
    """One step with a frozen encoder moves the decoder as one step without: to the bit, where all gradients are of one norm."""
    still = ["--steps", "1", "--set", "training.clip_norm=1e9", "--set", "model.dropout=0", "--set",
             "training.average_decay=0", "--precision", precision]  # fmt: skip
    assert train(folder, tmp_path / "all", "m", *still) == 0
    assert train(folder, tmp_path / "some", "m", *still, "--set", "training.freeze=[encoder, embeddings]") == 0
    one, other = (load_model(tmp_path / name).model.state_dict() for name in ("all", "some"))
    assert all(torch.equal(one[name], other[name]) for name in one if name.startswith("decoder"))


def test_from_python(folder: Path, tmp_path: Path) -> None:
    pairs = [("ab cde", "edc ba"), ("fa be", "eb af")] * 8
    result = regard.train(
        pairs, tmp_path / "a", from_=folder / "m", steps=2, batch_tokens=100, rank=3, targets=["decoder"]
    )
    assert all(name.startswith("decoder_layers") for name in read_adapter(tmp_path / "a").scales)
    assert (
        result.translator.translate(TEXT).text == regard.load(folder / "m", adapter=tmp_path / "a").translate(TEXT).text
    )


@pytest.mark.parametrize("base", ["m", "two", "rnn", "lm", "mlm", "classify"])
def test_parts_that_learn_as_a_whole_are_stored_with_the_adapter(folder: Path, tmp_path: Path, base: str) -> None:
    """What is loaded is what was trained, its base stays as it is, and embeddings that were tied still are."""
    names = {"lm": ["source"], "mlm": ["source"], "classify": ["classes"]}.get(base, ["source", "target"])
    data = [folder / name for name in names]
    arguments = ("train", *data, "--valid", *data, "--from", folder / base, "-o", tmp_path / "own", *STEPS)
    whole = ["--set", "adapter.whole=[embeddings]", "--set", "training.learning_rate=0.1"]
    assert command(*arguments, *RANK, *whole) == 0
    loaded = load_model(folder / base)
    digest, embeddings = weights_digest(loaded.model), parameters_named(loaded.model, ["embeddings"], "")
    stored, record = load_file(tmp_path / "own" / "adapter.safetensors"), read_adapter(tmp_path / "own")
    head = {name for name in stored if name.startswith("head.")}  # of classes of its own
    assert set(record.whole) == set(embeddings) == {name for name in stored if not name.endswith(FACTORS)} - head
    found = with_adapter(loaded, record).model
    assert weights_digest(loaded.model) == digest
    before, after = dict(loaded.model.named_parameters()), dict(found.named_parameters())
    assert before.keys() == after.keys()  # named once each: what was tied is tied
    assert all(torch.equal(after[name], stored[name]) for name in embeddings)
    assert not all(torch.equal(after[name], before[name]) for name in embeddings)
    touched = {*embeddings, *head, *(f"{name}.weight" for name in record.scales)}
    assert all(torch.equal(after[name], before[name]) for name in before.keys() - touched)
    command("average", folder / base, "--adapter", tmp_path / "own", "-o", tmp_path / "merged")
    merged_states = load_model(tmp_path / "merged").model.state_dict()
    torch.testing.assert_close(merged_states, found.state_dict())


def test_parts_that_learn_as_a_whole_are_refused_where_they_cannot_be(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ["--set", "adapter.whole=[embeddings]"]
    assert train(folder, tmp_path / "own", "m", *RANK, *whole) == 0
    with pytest.raises(SettingsError, match=r"updates of linear maps alone; own has .*regard average"):
        regard.load(folder / "m", adapters={"own": tmp_path / "own"})
    record = json.loads((tmp_path / "own" / "adapter.json").read_text())
    (tmp_path / "own" / "adapter.json").write_text(json.dumps(record | {"whole": ["nothing.weight"]}))
    with pytest.raises(ModelFolderError, match=r"`whole` must name parameters of the model; got nothing\.weight"):
        regard.load(folder / "m", adapter=tmp_path / "own")
    model = load_model(folder / "m").model
    with pytest.raises(SettingsError, match=r"both name .*query_proj"):
        add_adapter(model, AdapterConfig(rank=2, targets=["query_proj"], whole=["encoder"]))
    with pytest.raises(SettingsError, match=r"adapter\.whole must name parts.*Did you mean 'embeddings'"):
        add_adapter(model, AdapterConfig(rank=2, whole=["embedings"]))
    with pytest.raises(
        SettingsError, match=r"weights of their own .*; got 'output', which shares those of another part"
    ):
        add_adapter(model, AdapterConfig(rank=2, whole=["output"]))
    for all_maps in ("[encoder,decoder]", "['*']"):
        said = refused(capsys, "train", folder / "source", folder / "target", "--from", folder / "m", *RANK,
                       "--set", f"adapter.whole={all_maps}", "-o", tmp_path / "all")  # fmt: skip
        assert "adapter.whole must leave linear maps to adapt; got all of them." in said
    said = refused(capsys, "train", folder / "source", folder / "target", "--from", folder / "m", *RANK,
                   "--set", "adapter.whole=[]", "-o", tmp_path / "all")  # fmt: skip
    assert "adapter.whole must have at least 1 item" in said


@pytest.mark.parametrize("base", ["m", "two", "lm", "mlm", "classify"])
def test_an_adapter_adds_tokens(folder: Path, base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their embeddings are stored with it; the base stays as it is, and the two are the model that was trained."""
    before = {path.name: path.read_bytes() for path in (folder / base).iterdir() if path.is_file()}
    data = {"lm": ["source"], "mlm": ["source"], "classify": ["classes"]}.get(base, ["source", "target"])
    task = {"mlm": ["--task", "mlm"], "classify": ["--task", "classify"]}.get(base, [])
    for name in data:
        (tmp_path / name).write_text((folder / name).read_text().replace("a", "ař"))
    files = [tmp_path / name for name in data]
    added = ["--set", "tokenizer.add=[ř,<x>]", "--set", "training.learning_rate=0.1"]
    given = [
        "train",
        *files,
        "--valid",
        *files,
        "--from",
        folder / base,
        "-o",
        tmp_path / "a",
        *task,
        *STEPS,
        *RANK,
        *added,
    ]
    assert command(*given) == 0
    assert {path.name: path.read_bytes() for path in (folder / base).iterdir() if path.is_file()} == before
    record = json.loads((tmp_path / "a" / "adapter.json").read_text())
    assert record["tokens"] == ["ř", "<x>"]
    assert any("embedding" in name for name in record["whole"])
    old, ours = load_model(folder / base), regard.load(folder / base, adapter=tmp_path / "a")
    assert len(ours.tokenizer) == len(old.tokenizer) + 2
    assert ours.tokenizer.decode(ours.tokenizer.encode("<x> ař")) == "<x> ař"
    changed = ours.model.get_parameter(record["whole"][0])[-2:]
    assert not torch.equal(changed[0], changed[1])  # both began at the mean of all, and one is in the texts
    stored = load_file(tmp_path / "a" / "adapter.safetensors")
    assert torch.equal(stored[record["whole"][0]][-2:], changed.float())
    again = with_adapter(old, read_adapter(tmp_path / "a"))
    assert again.tokenizer.identity == ours.tokenizer.identity
    for mine, other in zip(again.model.parameters(), ours.model.parameters(), strict=True):
        assert torch.equal(mine, other)
    assert command("average", folder / base, "--adapter", tmp_path / "a", "-o", tmp_path / "whole") == 0
    whole = load_model(tmp_path / "whole")
    assert whole.tokenizer.identity == ours.tokenizer.identity
    assert whole.model.config == ours.model.config
    assert "with 2 more tokens" in outcome(capsys, "info", tmp_path / "a")[1]


def test_records_of_added_tokens_that_do_not_fit_are_refused(folder: Path, tmp_path: Path) -> None:
    files = [folder / "source", folder / "target"]
    given = ["train", *files, "--valid", *files, "--from", folder / "m", "-o", tmp_path / "a", *STEPS, *RANK]
    assert command(*given, "--set", "tokenizer.add=[ř,š]") == 0
    file = tmp_path / "a" / "adapter.json"
    record = json.loads(file.read_text())
    tensors = load_file(tmp_path / "a" / "adapter.safetensors")
    for tokens, message in (
        (["ř"], "`model` must be the base's"),
        (["ř", "š", "ž"], "`model` must be the base's"),
        (["ř", "<s>"], "`tokens` must be tokens to add"),
        (["ř", "a b"], "`tokens` must be tokens to add"),
        ([], "`model` must be the base's"),
    ):
        file.write_text(json.dumps(record | {"tokens": tokens}))
        with pytest.raises(ModelFolderError, match=message):
            regard.load(folder / "m", adapter=tmp_path / "a")
    file.write_text(json.dumps(record))
    save_file({name: tensor[:-1] if name in record["whole"] else tensor for name, tensor in tensors.items()},
              tmp_path / "a" / "adapter.safetensors")  # fmt: skip
    with pytest.raises(ModelFolderError, match="must have shape"):
        regard.load(folder / "m", adapter=tmp_path / "a")


def test_an_adapter_never_replaces_its_base(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copytree(folder / "m", tmp_path / "base")
    (tmp_path / "link").symlink_to(tmp_path / "base")
    digest = weights_digest(load_model(tmp_path / "base").model)
    for output in ("base", "link", "x/../base"):
        said = refused(capsys, "train", folder / "source", folder / "target", "--from", tmp_path / "base", *RANK,
                       "-o", tmp_path / output, "--overwrite")  # fmt: skip
        assert "an adapter must have another folder than its base" in said
    assert weights_digest(load_model(tmp_path / "base").model) == digest


def test_a_model_that_knows_nothing_of_the_texts_learns_faster(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A random model is as good as chance; one that was trained on the texts is not. What the user gave stays."""

    def rate(name: str, base: str, *more: Any) -> tuple[float, str]:
        assert train(folder, tmp_path / name, base, *more) == 0
        settings = json.loads((tmp_path / name / "results.json").read_text())["settings"]
        return settings["training"]["learning_rate"], capsys.readouterr().err

    unknown, said = rate("unknown", "m")
    assert "m knows nothing of these texts: a loss of" in said
    assert f"so the learning rate is {unknown:g}, 3 times the usual one" in said
    given, said = rate("given", "m", "--set", "training.learning_rate=0.02", "--steps", "60")
    assert (given, "knows nothing" in said) == (0.02, False)
    adapters, said = rate("adapter", "m", *RANK)
    assert "an adapter learns more if embeddings learn, too: --set adapter.whole=[embeddings]" in said
    assert adapters == pytest.approx(10 * unknown / 3)
    known, said = rate("known", str(tmp_path / "given"))
    assert (known, "knows nothing" in said) == (pytest.approx(unknown / 3), False)
