"""A task that was written from docs/extending.md alone, from the base up: words are reversed, and there is no data to read."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

import regard
from regard.extending import Batch, Inputs, RunDisplay, RunSettings, Task, Tokenizer, Translator, add_task, likelihood

SETTINGS = {
    "model": {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 1, "num_decoder_layers": 1},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 200, "learning_rate": 0.01, "warmup_steps": 2},
}


class Reverse(Task):
    """Words of random letters; the alphabet is the data."""

    metrics = ("loss", "token_accuracy")

    def __init__(self, letters: str, settings: RunSettings) -> None:
        super().__init__(settings)
        self.letters = letters
        self.tokenizer = Tokenizer.train([letters], settings.tokenizer)
        self.learn_sizes()
        self.valid = [self.word(-1, number) for number in range(8)]
        self.training_facts = {"name": "random words", "num_letters": len(letters)}
        self.validation_facts = {"name": "more random words", "num_pairs": len(self.valid)}
        self.epoch_steps = 10.0

    @classmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> "Reverse":
        (name,) = inputs.training
        letters = Path(name).read_text().strip()
        display.say(f"{len(letters)} letters from {name}")
        return cls(letters, settings)

    def word(self, epoch: int, number: int) -> str:
        random = Random(f"{epoch} {number}")
        return "".join(random.choices(self.letters, k=random.randint(2, 5)))

    def batch(self, words: list[str], numbers: list[int], cursor: tuple[int, int] = (0, 0)) -> Batch:
        tokenizer = self.tokenizer
        sources = [tokenizer.frame_source(tokenizer.encode(word)) for word in words]
        targets = [tokenizer.encode(word[::-1]) for word in words]
        rows = [sources, [[*tokenizer.symbols.start_ids, *ids] for ids in targets]]
        rows.append([[*ids, tokenizer.eos_id] for ids in targets])
        padded = [
            pad_sequence([torch.tensor(ids) for ids in each], batch_first=True, padding_value=tokenizer.pad_id)
            for each in rows
        ]
        return Batch(*padded, num_tokens=sum(map(len, rows[2])), indices=numbers, next_cursor=cursor)

    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Batch]:
        epoch, number = start
        while True:
            numbers = range(20 * number, 20 * number + 20)[shard[0] :: shard[1]]
            epoch_of_batch, number = epoch, number + 1
            if number == 10:
                epoch, number = epoch + 1, 0
            words = [self.word(epoch_of_batch, each) for each in numbers]
            yield self.batch(words, list(numbers), (epoch, number))

    def validate(self, model: Any) -> dict[str, float]:
        found = likelihood(model, [self.batch(self.valid, list(range(len(self.valid))))])
        return {"loss": found.loss, "token_accuracy": found.token_accuracy}

    def evaluate(self, loaded: Translator) -> dict[str, Any]:
        return loaded.evaluate(self.valid, [word[::-1] for word in self.valid], max_length=8)


def test_a_task_of_another_kind(tmp_path: Path) -> None:
    add_task("encoder-decoder", "reverse", Reverse)
    (tmp_path / "letters.txt").write_text("abcdef\n")
    options: dict[str, Any] = {"task": "reverse", "settings": SETTINGS, "precision": "float32", "schedule": "constant"}
    result = regard.train(tmp_path / "letters.txt", tmp_path / "m", steps=3, validate_every=2, **options)
    measured = json.loads((tmp_path / "m" / "results.json").read_text())
    assert measured["data"]["training"] == {"name": "random words", "num_letters": 6}
    assert [row["step"] for row in result.run.history if "valid_token_accuracy" in row] == [2, 3]
    assert "chrf" in str(measured)
    loaded = regard.load(tmp_path / "m")
    assert loaded.translate("abc", max_length=6).ids == result.translator.translate("abc", max_length=6).ids
    # it goes on where it was stopped, with the batches that come then
    resumed = regard.train(tmp_path / "letters.txt", tmp_path / "m", steps=5, validate_every=2, resume=True, **options)
    assert resumed.run.step == 5


def test_its_batches_go_on_where_their_cursor_says() -> None:
    task = Reverse("abcdef", RunSettings.build("tiny", SETTINGS))
    first = list(islice(task.batches(), 12))
    again = next(task.batches(first[10].next_cursor))
    assert torch.equal(again.source_ids, first[11].source_ids)
    halves = [next(task.batches(shard=(rank, 2))).indices for rank in range(2)]
    assert sorted(halves[0] + halves[1]) == first[0].indices
