"""A task of language models, from `Task`: after a noisy line and a bar comes the line; only that is scored."""

from pathlib import Path
from random import Random

import pytest
import torch

import regard
from regard.extending import LabelledBatch, Task, Tokenizer, add_task, label_likelihood

SETTINGS = {
    "model": {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_layers": 1},
    "training": {"learning_rate": 0.01, "warmup_steps": 2, "validate_every": 4},
}


class Restore(Task):
    metrics = ("loss", "accuracy")
    usual_metric = "accuracy"
    made: list["Restore"] = []  # noqa: RUF012

    @classmethod
    def read(cls, inputs, settings, display):
        lines = [line for name in inputs.training for line in Path(name).read_text().split("\n") if line]
        return cls(lines, settings)

    def __init__(self, lines: list[str], settings) -> None:
        super().__init__(settings)
        self.tokenizer = Tokenizer.train([*lines, "|"])
        self.learn_sizes()
        random = Random(3)
        self.rows = [self._example("".join(c for c in line if random.random() < 0.8), line) for line in lines]
        self.training_facts = {"name": "lines", "lines": len(lines) - 2}
        self.validation_facts = {"name": "last lines", "lines": 2}
        Restore.made.append(self)

    def _example(self, noisy: str, line: str) -> tuple[list[int], list[int]]:
        read, written = self.tokenizer.encode(noisy + "|"), [*self.tokenizer.encode(line), self.tokenizer.eos_id]
        start = self.tokenizer.symbols.start_ids
        return [*start, *read, *written[:-1]], [-100] * (len(start) + len(read) - 1) + written

    def _batch(self, indices: list[int], cursor: tuple[int, int]) -> LabelledBatch:
        rows = [self.rows[i] for i in indices]
        length = max(len(ids) for ids, _ in rows)
        ids = torch.tensor([ids + [self.tokenizer.pad_id] * (length - len(ids)) for ids, _ in rows])
        labels = torch.tensor([labels + [-100] * (length - len(labels)) for _, labels in rows])
        num = int((labels >= 0).sum())
        return LabelledBatch(ids=ids, labels=labels, num_tokens=num, indices=indices, next_cursor=cursor)

    def batches(self, start=(0, 0), shard=(0, 1)):
        (epoch, first), size, total = start, 4, len(self.rows) - 2
        while True:
            order, num = Random(epoch).sample(range(total), total), -(-total // size)
            for n in range(first, num):
                cursor = (epoch, n + 1) if n + 1 < num else (epoch + 1, 0)
                yield self._batch(order[n * size : (n + 1) * size][shard[0] :: shard[1]], cursor)
            epoch, first = epoch + 1, 0

    def validate(self, model):
        found = label_likelihood(model, [self._batch([len(self.rows) - 2, len(self.rows) - 1], (0, 0))])
        return {"loss": found.loss, "accuracy": found.accuracy}

    def evaluate(self, loaded):
        return {"restored": self.validate(loaded.model)["accuracy"]}

    def example(self, index: int) -> str:
        return f"line {index + 1}"


def add_parts() -> None:
    add_task("decoder", "test-restore", Restore)


def test_trained_on_the_labels_of_the_task(tmp_path):
    (tmp_path / "lines.txt").write_text("\n".join(f"{a} {b}" for a in ("red", "blue", "old") for b in ("cat", "dog")))
    options = {"arch": "decoder", "task": "test-restore", "settings": SETTINGS}
    regard.train(str(tmp_path / "lines.txt"), str(tmp_path / "m"), steps=4, precision="float32", **options)
    task, model = Restore.made[0], regard.load(str(tmp_path / "m")).model
    assert '"restored"' in (tmp_path / "m" / "results.json").read_text()
    batch = task._batch([4, 5], (0, 0))
    log_probs = model(batch.ids).detach().log_softmax(-1)[batch.labels >= 0]
    loss = torch.nn.functional.nll_loss(log_probs, batch.labels[batch.labels >= 0])
    assert task.validate(model)["loss"] == pytest.approx(float(loss), abs=1e-4)


def test_metric_must_be_one_of_the_task(tmp_path):
    (tmp_path / "x.txt").write_text("ab\ncd\nef\n")
    options = {"arch": "decoder", "task": "test-restore", "settings": SETTINGS, "metric": "chrf", "steps": 1}
    with pytest.raises(regard.SettingsError, match="metric"):
        regard.train(str(tmp_path / "x.txt"), str(tmp_path / "m"), **options)
