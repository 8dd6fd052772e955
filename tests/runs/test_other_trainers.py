"""Hugging Face's `Trainer` and Lightning train our models as our own training does, through the adapters of `examples/`."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import regard
from by_path import module_at
from regard.checkpoint import load_model

EXAMPLES = Path(__file__).parents[2] / "examples"
PAIRS = [(" ".join(letters),) * 2 for count in (1, 2, 3) for letters in product("abcd", repeat=count)]
TINY: dict[str, Any] = {
    "model_dim": 24, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "kind": "words",
    "dropout": 0.0,
}  # fmt: skip
STEPS = 3
PLAIN: dict[str, Any] = {
    "steps": STEPS, "learning_rate": 1e-2, "warmup_steps": 1, "schedule": "constant", "average_decay": 0.0, "clip_norm": 0.5,
    "label_smoothing": 0.1, "adam_epsilon": 1e-4, "precision": "float32",
    "validate_every": STEPS, "batch_tokens": 100,
}  # fmt: skip


def example(name: str) -> ModuleType:
    module: ModuleType = module_at(EXAMPLES / f"{name}.py")
    return module


@pytest.fixture
def translator(tmp_path: Path) -> regard.Translator:
    """An untrained model, which is stored as well, in `before`."""
    made = regard.new(PAIRS, device="cpu", **TINY)
    assert isinstance(made, regard.Translator)
    made.save(tmp_path / "before")
    return made


@pytest.fixture(autouse=True)
def random_numbers() -> Iterator[None]:
    """Both libraries set seeds for good."""
    with torch.random.fork_rng(devices=[]):
        yield


def check_steps_are_ours(tmp_path: Path, translator: regard.Translator) -> None:
    """Make sure that a model has moved as in `STEPS` steps of ours."""
    regard.train(PAIRS, tmp_path / "ours", valid=PAIRS, from_=tmp_path / "before", device="cpu", **PLAIN)
    translator.save(tmp_path / "theirs")
    before, ours, theirs = (load_model(tmp_path / name).model.state_dict() for name in ("before", "ours", "theirs"))
    for name, tensor in ours.items():
        torch.testing.assert_close(theirs[name], tensor, rtol=0, atol=1e-6)
    assert max(float((theirs[name] - before[name]).abs().max()) for name in ours) > 1e-2


def check_copies(tmp_path: Path, translator: regard.Translator) -> None:
    """Make sure that a model has learnt to copy, and that its folder has."""
    translator.save(tmp_path / "trained")
    sources = [source for source, _ in PAIRS]
    untrained, trained = (regard.load(tmp_path / name, device="cpu") for name in ("before", "trained"))
    assert isinstance(untrained, regard.Translator)
    assert isinstance(trained, regard.Translator)
    assert untrained.evaluate(sources, sources)["exact_match"] < 0.1
    assert trained.evaluate(sources, sources)["exact_match"] > 0.9
    batch = next(regard.batches(trained, PAIRS, batch_tokens=1000))
    with torch.no_grad():
        first, last = (float(each.model.loss(batch)) / batch.num_tokens for each in (untrained, trained))
    assert last < 0.3 < 1 < first


def hugging_face(folder: Path, **options: Any) -> Any:
    import transformers

    return transformers.TrainingArguments(
        str(folder), lr_scheduler_type="constant", learning_rate=1e-2, adam_beta2=0.98, adam_epsilon=1e-4,
        weight_decay=0.0, optim="adamw_torch", report_to=[], disable_tqdm=True, use_cpu=True, **options,
    )  # fmt: skip


class TestHuggingFace:
    def test_steps_are_ours(self, tmp_path: Path, translator: regard.Translator) -> None:
        adapter = example("hugging_face_trainer")
        data = adapter.Batches(translator, PAIRS, batch_tokens=100)
        options = hugging_face(tmp_path / "hf", max_steps=STEPS, max_grad_norm=0.5, save_strategy="no")
        adapter.RegardTrainer(translator, data, args=options).train()
        check_steps_are_ours(tmp_path, translator)

    def test_it_learns(self, tmp_path: Path, translator: regard.Translator) -> None:
        adapter = example("hugging_face_trainer")
        data = adapter.Batches(translator, PAIRS, batch_tokens=100)
        options = hugging_face(tmp_path / "hf", max_steps=150, logging_steps=10, save_strategy="no")
        trainer = adapter.RegardTrainer(translator, data, args=options, smoothing=0.0)
        trainer.train()
        losses = [row["loss"] for row in trainer.state.log_history if "loss" in row]
        assert len(losses) == 15
        assert losses[-1] < losses[0] / 3
        check_copies(tmp_path, translator)

    def test_a_run_goes_on(self, tmp_path: Path, translator: regard.Translator) -> None:
        adapter = example("hugging_face_trainer")
        folder = tmp_path / "hf"

        def run(model: Any, resume: bool | str, **options: Any) -> None:
            data = adapter.Batches(model, PAIRS, batch_tokens=100)
            adapter.RegardTrainer(model, data, args=hugging_face(folder, **options)).train(resume)

        run(translator, False, max_steps=6, save_steps=3)
        checkpoint = regard.load(folder / "checkpoint-3", device="cpu")
        end = regard.load(folder / "checkpoint-6", device="cpu").model.state_dict()
        assert any(not torch.equal(tensor, end[name]) for name, tensor in checkpoint.model.state_dict().items())
        fresh = regard.load(tmp_path / "before", device="cpu")
        run(fresh, str(folder / "checkpoint-3"), max_steps=6, save_strategy="no")
        for name, tensor in fresh.model.state_dict().items():
            torch.testing.assert_close(tensor, end[name], rtol=0, atol=1e-6)


@pytest.mark.filterwarnings("ignore:You defined a `validation_step`")
@pytest.mark.filterwarnings("ignore:.isinstance.treespec, LeafSpec:FutureWarning")
class TestLightning:
    def fit(self, translator: regard.Translator, steps: int, module: Any) -> None:
        import lightning

        trainer = lightning.Trainer(
            max_steps=steps, gradient_clip_val=0.5, logger=False, enable_checkpointing=False, accelerator="cpu",
            enable_progress_bar=False, enable_model_summary=False,
        )  # fmt: skip
        trainer.fit(module, regard.batches(translator, PAIRS, batch_tokens=100))
        assert trainer.global_step == steps

    def test_steps_are_ours(self, tmp_path: Path, translator: regard.Translator) -> None:
        module = example("lightning_module").RegardModule(translator, learning_rate=1e-2)
        assert translator.model.training
        (group,) = module.configure_optimizers().param_groups
        assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.9, 0.98), 1e-9, 0.0)
        # With an epsilon as small as that, the sign of a gradient of nearly 0 would decide.
        module.configure_optimizers = lambda: torch.optim.AdamW(
            module.parameters(), group["lr"], betas=group["betas"], eps=1e-4, weight_decay=0.0
        )
        self.fit(translator, STEPS, module)
        check_steps_are_ours(tmp_path, translator)

    def test_it_learns(self, tmp_path: Path, translator: regard.Translator) -> None:
        module = example("lightning_module").RegardModule(translator, learning_rate=1e-2, smoothing=0.0)
        self.fit(translator, 150, module)
        check_copies(tmp_path, translator)
