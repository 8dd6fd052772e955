"""The main one of two processes takes its time to write; started by torchrun from test_distributed.py."""

import sys
import time
from pathlib import Path

import numpy as np
import torch
from stub_run import StubTask, StubWriter

from regard.data.batching import training_batches
from regard.data.sequences import EncodedPairs, Sequences
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.training.distributed import end_at_once, joined_world
from regard.training.trainer import Trainer
from regard.training.training_config import TrainingConfig
from regard.training.training_run import Callback, Progress, SavingTimes, Scores, TrainingRun
from regard.training.updates import Updater

rng = np.random.default_rng(0)
rows = [[*rng.integers(4, 23, rng.integers(1, 9)).tolist(), 3] for _ in range(64)]
pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))
slow, written = sys.argv[1], Path(sys.argv[2])


class Silent(Callback):
    def on_step(self, progress: Progress) -> None: ...

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None: ...


def write_late(*_: object) -> None:
    time.sleep(2)
    written.touch()


class Writer(StubWriter):
    def keep(self, model: EncoderDecoder, run: TrainingRun) -> None:
        if slow == "keep":
            write_late()

    def save(self, *_: object) -> None:
        write_late()


with joined_world("cpu") as world:
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=23, model_dim=12, num_heads=3, ff_dim=20,
                                       num_encoder_layers=1, num_decoder_layers=1))  # fmt: skip
    task = StubTask(
        lambda start, shard: training_batches(pairs, 200, 1, pad_id=0, start_ids=[2], start=start, shard=shard)
    )
    updater = Updater(model, TrainingConfig(precision="float32", steps=2), world)
    trainer = Trainer(updater, task, Writer(), Silent(), saving=SavingTimes() if slow == "save" else None)
    trainer.train()
    assert written.exists(), f"process {world.rank} did not wait"
end_at_once(0)
