"""Train a model of Regard's with Lightning.

pip install lightning
python examples/lightning_module.py
"""

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

import lightning
import torch

import regard
from regard.extending import Pipeline

SIZES = {"model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 1, "num_decoder_layers": 1}


class RegardModule(lightning.LightningModule):
    """A `LightningModule` for a model of Regard's: its loss, and an optimizer."""

    def __init__(self, pipeline: Pipeline, *, learning_rate: float = 1e-3, smoothing: float = 0.1) -> None:
        super().__init__()
        self.model = pipeline.model.train()  # Lightning keeps the mode that a module is in
        self.learning_rate, self.smoothing = learning_rate, smoothing

    def training_step(self, batch: Any) -> torch.Tensor:
        """Nats per label; Lightning has moved the batch to the device."""
        loss = self.model.loss(batch, smoothing=self.smoothing) / batch.num_tokens
        self.log("loss", loss, batch_size=batch.num_tokens)
        return loss

    def validation_step(self, batch: Any) -> None:
        """Nats per label, without smoothing."""
        self.log("valid_loss", self.model.loss(batch) / batch.num_tokens, batch_size=batch.num_tokens)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """AdamW with the moments of Regard's own training."""
        return torch.optim.AdamW(self.parameters(), self.learning_rate, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)


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
        trainer = lightning.Trainer(
            max_steps=steps, val_check_interval=steps, gradient_clip_val=1.0, logger=False, enable_checkpointing=False,
            enable_progress_bar=False, enable_model_summary=False,
        )  # fmt: skip
        batches = regard.batches(translator, copies(2_000, seed=1))
        held_out = list(regard.batches(translator, copies(100, seed=2), epochs=1))
        valid: torch.utils.data.DataLoader[Any] = torch.utils.data.DataLoader(held_out, batch_size=None)
        trainer.fit(RegardModule(translator, learning_rate=3e-3), batches, valid)
        print(f"validation loss {trainer.callback_metrics['valid_loss']:.3f}")
        translator.save(Path(folder) / "model")
        translator = regard.load(Path(folder) / "model")

    test = copies(100, seed=2)
    assert isinstance(translator, regard.Translator)
    scores = translator.evaluate([source for source, _ in test], [target for _, target in test])
    print(f"exact match on {len(test)} texts: {scores['exact_match']:.1%}")


if __name__ == "__main__":
    main()
