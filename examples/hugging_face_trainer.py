"""Train a model of Regard's with the `Trainer` of Hugging Face's transformers.

pip install transformers accelerate
python examples/hugging_face_trainer.py
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers

import regard
from regard.extending import Pipeline

SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}


class WithLoss(torch.nn.Module):
    """A model that returns its loss, nats per label."""

    def __init__(self, pipeline: Pipeline, smoothing: float = 0.1) -> None:
        super().__init__()
        self.model, self.smoothing, self.device = pipeline.model, smoothing, pipeline.device

    def forward(self, batch: Any) -> dict[str, torch.Tensor]:
        """The loss of a batch, by the name that a `Trainer` looks for."""
        return {"loss": self.model.loss(batch.to(self.device), smoothing=self.smoothing) / batch.num_tokens}

    def load_state_dict(self, state: Mapping[str, Any], *_: Any, **__: Any) -> Any:
        """Load the weights of a checkpoint, which is a model folder: it has a matrix that is tied to another one once."""
        names = {parameter: name for name, parameter in self.model.named_parameters()}
        pairs = self.model.named_parameters(remove_duplicate=False)
        return self.model.load_state_dict({name: state[names[parameter]] for name, parameter in pairs})


class Batches(torch.utils.data.IterableDataset[dict[str, Any]]):
    """The batches of `regard.batches`, from the first one whenever they are asked for."""

    def __init__(self, pipeline: Pipeline, data: Any, **options: Any) -> None:
        self.make = partial(regard.batches, pipeline, data, **options)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each as the arguments of `WithLoss.forward`."""
        return ({"batch": batch} for batch in self.make())


class RegardTrainer(transformers.Trainer):
    """A `Trainer` for a model of Regard's, on one process. Each checkpoint can be loaded by `regard.load`."""

    def __init__(self, pipeline: Pipeline, data: Batches, *, smoothing: float = 0.1, **options: Any) -> None:
        super().__init__(WithLoss(pipeline, smoothing), train_dataset=data, **options)
        self.pipeline = pipeline

    def get_train_dataloader(self) -> torch.utils.data.DataLoader[dict[str, Any]]:
        """The batches as they are."""
        return torch.utils.data.DataLoader(self.train_dataset, batch_size=None)

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        """Write a model folder."""
        self.pipeline.save(output_dir or self.args.output_dir, overwrite=True)


def copies(count: int, seed: int) -> list[tuple[str, str]]:
    """Letters, and the same letters."""
    rng = random.Random(seed)
    return [(" ".join(rng.choices("abcdefgh", k=rng.randint(2, 6))),) * 2 for _ in range(count)]


def main() -> None:
    """Train, save, load and translate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps

    with tempfile.TemporaryDirectory() as folder:
        translator = regard.new(copies(2_000, seed=1), kind="words", dropout=0.0, **SIZES)
        options = transformers.TrainingArguments(
            folder, max_steps=steps, learning_rate=3e-3, warmup_steps=20, logging_steps=50, save_strategy="no",
            report_to=[], disable_tqdm=True,
        )  # fmt: skip
        trainer = RegardTrainer(translator, Batches(translator, copies(2_000, seed=1)), args=options)
        trainer.train()
        translator.save(Path(folder) / "model")
        translator = regard.load(Path(folder) / "model")

    test = copies(100, seed=2)
    assert isinstance(translator, regard.Translator)
    scores = translator.evaluate([source for source, _ in test], [target for _, target in test])
    print(f"exact match on {len(test)} texts: {scores['exact_match']:.1%}")


if __name__ == "__main__":
    main()
