"""A family: a causal convolutional language model. Its state is a window of inputs for each layer."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

import regard
from regard.extending import Architecture, Family, LanguageModel, LanguageTask, ModelConfig, TokenModel, add_family


class ConvConfig(ModelConfig):
    arch: Literal["test-conv"] = "test-conv"
    num_layers: int = 2


@dataclass(frozen=True)
class Windows:
    past: Tensor  # (sentence, beam, layer, 2, model_dim)

    def select(self, sentences: Tensor, parents: Tensor) -> "Windows":
        return Windows(self.past[sentences[:, None], parents])

    def replace(self, slots: Tensor, other: "Windows", sentences: Tensor) -> "Windows":
        return Windows(self.past.index_copy(0, slots, other.past[sentences]))

    def release(self, slots: Tensor) -> "Windows":
        return self


class Conv(TokenModel):
    predicts_next = True
    output_bias = None

    def __init__(self, config: ConvConfig) -> None:
        super().__init__()
        self.config, dim = config, config.model_dim
        self.embedding, self.output_embedding = (nn.Embedding(config.vocab_size, dim) for _ in range(2))
        self.maps = nn.ModuleList(nn.Linear(3 * dim, dim) for _ in range(config.num_layers))

    def states(self, ids: Tensor) -> Tensor:
        return self._inputs(ids)[-1]

    def forward(self, ids: Tensor) -> Tensor:
        return self.logits(self.states(ids))

    def labelled_states(self, batch) -> tuple[Tensor, Tensor]:
        return self.at_labels(batch, self.states(batch.ids), lambda labels: labels >= 0)

    def prefill(self, ids: Tensor) -> Windows:
        inputs = torch.stack(self._inputs(ids[:, :-1])[:-1], dim=1)  # (sentence, layer, position, model_dim)
        return Windows(nn.functional.pad(inputs, (0, 0, 2, 0))[:, None, :, -2:])

    def step_states(self, ids: Tensor, state: Windows) -> tuple[Tensor, Windows]:
        x, windows = self.embedding(ids), []
        for layer, past in zip(self.maps, state.past.unbind(2), strict=True):
            windows.append(torch.cat([past, x[:, :, None]], dim=2))
            x = x + layer(windows[-1].flatten(2)).tanh()
        return x, Windows(torch.stack(windows, dim=2)[:, :, :, 1:])

    def _inputs(self, ids: Tensor) -> list[Tensor]:
        """What each layer reads, and the last states; padding, on either side, is zero everywhere."""
        mask = (ids != self.config.pad_id)[..., None]
        inputs = [self.embedding(ids) * mask]
        for layer in self.maps:
            windows = nn.functional.pad(inputs[-1], (0, 0, 2, 0)).unfold(1, 3, 1).transpose(2, 3).flatten(2)
            inputs.append((inputs[-1] + layer(windows).tanh()) * mask)
        return inputs


PRESET = {"model": {"model_dim": 16}, "tokenizer": {"kind": "characters"}, "training": {"batch_tokens": 200}}
ARCHITECTURE = Architecture(ConvConfig, Conv, {"tiny": PRESET})


def add_parts() -> None:
    add_family(Family("a convolutional language model", ARCHITECTURE, LanguageModel, {None: LanguageTask}))


def test_trained_saved_loaded_and_generated_from(tmp_path):
    data, folder = tmp_path / "lines.txt", str(tmp_path / "m")
    data.write_text("".join(f"{a}{b}{a}\n" for a in ("ab", "cde") for b in ("gh", "a", "ik", "lm")))
    regard.train(str(data), folder, arch="test-conv", steps=3, precision="float32")
    lm, model = regard.load(folder), regard.load(folder).model
    assert isinstance(model, Conv)
    prompts, tokenizer = ["ab", "cdecd"], lm.tokenizer
    for prompt, text in zip(prompts, lm.generate(prompts, max_tokens=4, top_k=1), strict=True):
        ids = [tokenizer.eos_id, *tokenizer.encode(prompt)]  # an end stands before a text, and between lines
        for _ in range(4):
            logits = model(torch.tensor([ids])).detach()[0, -1]
            logits[tokenizer.symbols.banned_ids] = -torch.inf
            ids = [*ids, int(logits.argmax())]
        assert str(text) == "".join("\n" if i == tokenizer.eos_id else tokenizer.decode([i]) for i in ids[-4:])
