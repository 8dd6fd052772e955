"""Learning from a teacher: the loss against a plain implementation, what is kept of the teacher, and the command."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy, kl_div

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from running import command, refused

import regard
from random_models import save_models
from regard.checkpoint import load_model
from regard.data.batching import make_batch
from regard.data.sequences import EncodedPairs, Sequences
from regard.nn import losses
from regard.nn.losses import SoftTargets, smoothed_cross_entropy
from regard.training.objectives import distillation
from regard.training.objectives.distillation import Teacher


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_models(tmp_path_factory.mktemp("bases"))
    lines = (path / "source").read_text().splitlines()
    (path / "classes").write_text("".join(f"{'xy'[number % 2]}\t{line}\n" for number, line in enumerate(lines)))
    return path


@pytest.mark.parametrize("temperature", [1.0, 0.7, 3.0])
@pytest.mark.parametrize("share", [0.3, 0.5, 1.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_plain_one(
    temperature: float, share: float, smoothing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so are its gradients, in chunks of two rows. The teacher is wider than the student."""
    monkeypatch.setattr(losses, "CHUNK_LOGITS", 26)
    torch.manual_seed(0)
    states, weight, bias = (torch.randn(*shape, requires_grad=True) for shape in ((7, 5), (13, 5), (13,)))
    labels, taught, theirs = torch.randint(13, (7,)), torch.randn(7, 11), torch.randn(13, 11)
    soft = SoftTargets(taught, lambda rows: rows @ theirs.T, share, temperature)
    loss = smoothed_cross_entropy(states, weight, labels, bias=bias, smoothing=smoothing, soft=soft)
    logits = states @ weight.T + bias
    hard = cross_entropy(logits, labels, reduction="sum", label_smoothing=smoothing)
    plain = (1 - share) * hard + share * temperature**2 * kl_div(
        (logits / temperature).log_softmax(-1), (taught @ theirs.T / temperature).softmax(-1), reduction="sum"
    )
    torch.testing.assert_close(loss, plain)
    torch.testing.assert_close(soft.loss(logits, hard), plain)
    found = torch.autograd.grad(3 * loss, (states, weight, bias), retain_graph=True)
    for one, other in zip(found, torch.autograd.grad(3 * plain, (states, weight, bias)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_a_teacher_that_is_the_student_changes_nothing() -> None:
    torch.manual_seed(0)
    states, weight = torch.randn(7, 5), torch.randn(13, 5, requires_grad=True)
    soft = SoftTargets(states, lambda rows: rows @ weight.detach().T, 1.0, 2.0)
    loss = smoothed_cross_entropy(states, weight, torch.randint(13, (7,)), soft=soft)
    loss.backward()
    assert loss.item() == pytest.approx(0, abs=1e-5)
    assert weight.grad is not None
    assert weight.grad.abs().max() < 1e-5


def batch_of(indices: list[int]) -> Any:
    rows = [[5, 6, 7, 3], [8, 3], [9, 5, 3], [6, 7, 8, 9, 3]]
    pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows[::-1]))
    return make_batch(pairs, torch.tensor(indices).numpy(), pad_id=0, start_ids=[2])


def test_what_is_kept_is_what_would_be_computed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples come again in other batches; the second time, the teacher does not read them."""
    model = load_model(folder / "m").model
    teacher = Teacher(model, 0.5, 1.0, is_cached=True)
    plain = Teacher(model, 0.5, 1.0)
    for indices in ([0, 1], [2, 3]):
        torch.testing.assert_close(
            teacher.targets(batch_of(indices)).states, plain.targets(batch_of(indices)).states, rtol=0, atol=0
        )
    expected = [plain.targets(batch_of(indices)).states for indices in ([3, 0], [1, 2, 0])]
    monkeypatch.setattr(model, "labelled_states", lambda batch: pytest.fail("it was read again"))
    for indices, states in zip(([3, 0], [1, 2, 0]), expected, strict=True):
        torch.testing.assert_close(teacher.targets(batch_of(indices)).states, states, rtol=1e-4, atol=1e-5)


def test_no_more_is_kept_than_there_is_room_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model(folder / "m").model
    monkeypatch.setattr(distillation, "CACHE_BYTES", 5 * 12 * 4)
    teacher = Teacher(model, 0.5, 1.0, is_cached=True)
    expected = Teacher(model, 0.5, 1.0).targets(batch_of([0, 1, 2, 3])).states
    for _ in range(2):
        torch.testing.assert_close(teacher.targets(batch_of([0, 1, 2, 3])).states, expected)
    assert 0 < sum(len(rows) for rows in teacher._states.values()) <= 5


STEPS = ["--steps", "3", "--set", "training.batch_tokens=200", "--precision", "float32"]
SIZES = ["--set", "model.model_dim=8", "--set", "model.ff_dim=12", "--set", "model.num_heads=2"]
LAYERS = ["--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1"]


def learn(folder: Path, output: Path, teacher: str, *more: Any) -> int:
    data = [folder / name for name in {"lm": ["source"], "mlm": ["source"]}.get(teacher, ["source", "target"])]
    return command("train", *data, "--valid", *data, "--teacher", folder / teacher, "-o", output, *STEPS, *more)


@pytest.mark.parametrize("teacher", ["m", "two", "rnn"])
def test_a_student_takes_the_teacher_s_vocabulary(folder: Path, tmp_path: Path, teacher: str) -> None:
    """Also of a family of its own, and where source and target have one each."""
    assert learn(folder, tmp_path / "s", teacher, *SIZES, *LAYERS) == 0
    student, taught = load_model(tmp_path / "s"), load_model(folder / teacher)
    assert student.model.config.model_dim == 8
    assert student.tokenizer.backend_json == taught.tokenizer.backend_json
    assert student.source_tokenizer.backend_json == taught.source_tokenizer.backend_json
    results = json.loads((tmp_path / "s" / "results.json").read_text())
    assert results["teacher"] == teacher
    assert results["from"] is None
    assert f"--teacher {teacher}" in (tmp_path / "s" / "README.md").read_text()


def test_other_families_learn_from_a_teacher(folder: Path, tmp_path: Path) -> None:
    one = ["--set", "model.num_layers=1"]
    assert (
        learn(folder, tmp_path / "lm", "lm", "--arch", "decoder", *SIZES, *one, "--set", "model.max_positions=16") == 0
    )
    assert learn(folder, tmp_path / "mlm", "mlm", "--arch", "encoder", "--task", "mlm", *SIZES, *one) == 0
    data = folder / "classes"
    options = ["--valid", data, "--teacher", folder / "classify", "-o", tmp_path / "c", *STEPS, *SIZES, *one]
    assert command("train", data, *options, "--arch", "encoder", "--task", "classify") == 0


def test_with_the_teacher_alone_a_student_comes_near_it(folder: Path, tmp_path: Path) -> None:
    """Labels that say nothing of the teacher, and a share of 1: the student's probabilities become the teacher's."""
    pairs = list(zip(*((folder / name).read_text().splitlines() for name in ("source", "target")), strict=True))

    def distance(student: regard.Translator) -> float:
        sources, targets = map(list, zip(*pairs, strict=True))
        scores = [each.score(sources, targets) for each in (student, teacher)]
        return sum(abs(one.log_prob - other.log_prob) for one, other in zip(*scores, strict=True))

    teacher = regard.load(folder / "m")
    assert isinstance(teacher, regard.Translator)
    found = {}
    for share, name in ((1.0, "taught"), (0.01, "alone")):
        result = regard.train(pairs, tmp_path / name, valid=pairs, teacher=folder / "m", steps=150, batch_tokens=400,
                              teacher_weight=share, model_dim=12, ff_dim=20, num_heads=3, num_encoder_layers=1,
                              num_decoder_layers=1, learning_rate=0.01, dropout=0.0, average_decay=0.0,
                              precision="float32", validate_every=150)  # fmt: skip
        found[name] = distance(result.translator)
    assert found["taught"] < 0.25 * found["alone"]


def test_a_resumed_run_must_have_the_same_teacher(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [*SIZES, *LAYERS, "--save-every", "2"]
    assert learn(folder, tmp_path / "s", "m", *more) == 0
    other = folder / "other"
    data = [folder / "source", folder / "target"]
    assert command("train", *data, "--from", folder / "m", "-o", other, *STEPS) == 0
    files = [*data, "--valid", *data, "-o", tmp_path / "s", *STEPS, *more, "--resume"]
    assert "data.teacher is not what it was" in refused(capsys, "train", *files, "--teacher", other)


def test_what_does_not_go_together(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "source", folder / "target", "-o", tmp_path / "x", *STEPS]
    for options, message in (
        (["--set", "training.teacher_weight=0.3"], "training.teacher_weight has no effect without a teacher"),
        (["--teacher", folder / "m", "--set", "tokenizer.vocab_size=50"], "comes from the model in `--teacher`"),
        (["--teacher", folder / "two", "--from", folder / "m"], "`--teacher` must have the vocabulary"),
        (["--teacher", folder / "none"], "none"),
        (["--teacher", folder / "m", "--set", "training.teacher_weight=1.5"], "training.teacher_weight"),
    ):
        assert message in refused(capsys, "train", *files, *options), options
    assert not (tmp_path / "x").exists()


def test_the_teacher_in_from_lends_its_vocabulary(folder: Path, tmp_path: Path) -> None:
    """`--from teacher --teacher teacher` is a new model: one that begins as its teacher learns nothing from it."""
    assert learn(folder, tmp_path / "s", "m", "--from", folder / "m", *SIZES, *LAYERS) == 0
    assert load_model(tmp_path / "s").model.config.model_dim == 8


def test_a_resumed_run_learns_the_same_of_its_teacher(folder: Path, tmp_path: Path) -> None:
    """The teacher's states are of the batches in which it has first read the examples, to the bit."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdef", k=rng.randint(1, 12))) for _ in range(60)]
    for name, lines in (("many", words), ("back", [word[::-1] for word in words])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / f"few-{name}").write_text(f"{lines[0]}\n")
    files, few = ([tmp_path / f"{kind}{name}" for name in ("many", "back")] for kind in ("", "few-"))
    more = [*SIZES, *LAYERS, "--set", "training.batch_tokens=61", "--set", "training.validate_every=100",
            "--set", "training.schedule=inverse_sqrt", "--set", "training.warmup_steps=3", "--set",
            "training.average_decay=0.9", "--threads", "1"]  # fmt: skip

    def learn(output: str, steps: int, *given: str) -> None:
        words = ["train", *files, "--valid", *few, "--teacher", folder / "m", "-o", tmp_path / output, *more]
        assert command(*words, "--precision", "float32", "--steps", str(steps), "--save-every", "100", *given) == 0

    def state(output: str) -> dict[str, torch.Tensor]:
        (file,) = (tmp_path / f"{output}.training").glob("step-00000040/state.safetensors")
        return load_file(file)

    learn("whole", 40)
    wanted = state("whole")
    for stops in ((5,), (15, 25)):
        name = f"parts-{len(stops)}-{stops[0]}"
        for number, steps in enumerate((*stops, 40)):
            learn(name, steps, *(["--resume"] if number else []))
        found = state(name)
        assert [key for key, tensor in wanted.items() if not torch.equal(tensor, found[key])] == []
