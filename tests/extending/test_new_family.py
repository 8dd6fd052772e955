"""A family that was written from docs/extending.md alone: a language model without attention, of one GRU."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

import regard
from regard.cli.main import run
from regard.extending import Architecture, Family, LanguageModel, LanguageTask, ModelConfig, TokenModel, add_family


class GRUConfig(ModelConfig):
    """The sizes of a `GRU`."""

    arch: Literal["gru"] = "gru"


@dataclass(frozen=True)
class Hidden:
    """The decoder state: the hidden state of each hypothesis."""

    hidden: Tensor

    def select(self, sentences: Tensor, parents: Tensor) -> "Hidden":
        return Hidden(self.hidden[sentences[:, None], parents])

    def replace(self, slots: Tensor, other: "Hidden", sentences: Tensor) -> "Hidden":
        hidden = self.hidden.clone()
        hidden[slots] = other.hidden[sentences]
        return Hidden(hidden)

    def release(self, slots: Tensor) -> "Hidden":
        return self


class GRU(TokenModel):
    """A recurrent language model. Source: Cho et al. 2014, for the cell."""

    predicts_next = True

    def __init__(self, config: GRUConfig) -> None:
        super().__init__()
        self.config, dim = config, config.model_dim
        self.embedding, self.output_embedding = (nn.Embedding(config.vocab_size, dim) for _ in range(2))
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.cell = nn.GRUCell(dim, dim)

    def forward(self, ids: Tensor) -> Tensor:
        return self.logits(self.states(ids))

    def states(self, ids: Tensor) -> Tensor:
        hidden = self.embedding.weight.new_zeros(len(ids), self.config.model_dim)
        states = []
        for column in ids.unbind(dim=1):
            is_token = (column != self.config.pad_id)[:, None]
            hidden = torch.where(is_token, self.cell(self.embedding(column), hidden), hidden)
            states.append(hidden)
        return torch.stack(states, dim=1)

    def labelled_states(self, batch: Any) -> tuple[Tensor, Tensor]:
        return self.at_labels(batch, self.states(batch.ids), lambda labels: labels >= 0)

    def prefill(self, ids: Tensor) -> Hidden:
        if ids.shape[1] == 1:
            return Hidden(self.embedding.weight.new_zeros(len(ids), 1, self.config.model_dim))
        return Hidden(self.states(ids[:, :-1])[:, -1:])

    def step_states(self, ids: Tensor, state: Hidden) -> tuple[Tensor, Hidden]:
        rows = self.cell(self.embedding(ids).flatten(0, 1), state.hidden.flatten(0, 1))
        hidden = rows.view(state.hidden.shape)
        return hidden, Hidden(hidden)


PRESET = {
    "model": {"model_dim": 16, "max_positions": 16},
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 160, "learning_rate": 0.02, "warmup_steps": 2, "schedule": "constant"},
}


def test_a_family_of_another_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_family(
        Family(
            "a GRU language model", Architecture(GRUConfig, GRU, {"tiny": PRESET}), LanguageModel, {None: LanguageTask}
        )
    )
    (tmp_path / "text.txt").write_text("abcabcabc\n" * 60)
    result = regard.train(tmp_path / "text.txt", tmp_path / "m", arch="gru", steps=60, precision="float32")
    assert result.run.best_scores["token_accuracy"] > 0.8
    model = regard.load(tmp_path / "m")
    prompts = ["abc", "b", "cabca", "a"]
    together = model.generate(prompts, temperature=0, max_tokens=5, batch_size=2)
    assert together == [model.generate(prompt, temperature=0, max_tokens=5) for prompt in prompts]
    assert together[0].startswith("abca"[:3])
    # the tokens one by one and the text at once are the same
    (found,) = model.continuations(["ab"], temperature=0, max_tokens=5)
    text = model.scored([*model.ids_of("ab"), *found.ids])
    torch.testing.assert_close(
        text.log_probs[-len(found.ids) :], found.token_log_probs[: len(found.ids)], rtol=1e-4, atol=1e-4
    )
    with pytest.raises(regard.SettingsError, match="attention"):
        model.inspect("abc")
    with pytest.raises(SystemExit) as ended:
        run(["generate", str(tmp_path / "m"), "--prompt", "abc", "--max-tokens", "3", "--temperature", "0"])
    assert not ended.value.code
    assert model.generate("abc", temperature=0, max_tokens=3).strip() in capsys.readouterr().out
