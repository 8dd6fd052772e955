"""The recurrent model against its equations, written out for one example."""

import pytest
import torch
from torch import Tensor

from regard.inspection.alignment import cross_attention
from regard.models.config import RecurrentConfig
from regard.models.recurrent import Recurrent
from regard.nn import Additive

SOURCE, TARGET = torch.tensor([4, 9, 6, 5]), torch.tensor([2, 7, 8])


def model_of(**choices: object) -> Recurrent:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = Recurrent(RecurrentConfig(vocab_size=11, model_dim=6, **choices))  # type: ignore[arg-type]
        for parameter in model.parameters():
            parameter.data += 0.2 * torch.randn_like(parameter)
    return model.double().eval()


@pytest.mark.parametrize("cell", ["gru", "lstm"])
@torch.no_grad()
def test_the_equations(cell: str) -> None:
    model = model_of(cell=cell)
    embed = lambda id: model.source_embedding.weight[id] * 6**0.5  # noqa: E731
    memory, _ = model.encoder(torch.stack([embed(id) for id in SOURCE])[None])
    memory = memory[0]
    hidden = torch.tanh(model.initial_proj.weight @ memory[0, 6:] + model.initial_proj.bias)
    second = torch.zeros_like(hidden)
    score = model.cross_attention.score
    assert isinstance(score, Additive)
    logits, weights = [], []
    for id in TARGET:
        scores = torch.stack(
            [score.vector @ torch.tanh(score.query_proj.weight @ hidden + model.key_proj.weight @ h) for h in memory]
        )
        weights.append(scores.softmax(0))
        context = weights[-1] @ memory
        inputs = torch.cat((embed(id), context))[None]
        if cell == "gru":
            hidden = model.cell(inputs, hidden[None])[0]
        else:
            hidden, second = (x[0] for x in model.cell(inputs, (hidden[None], second[None])))
        readout = model.readout_proj.weight @ torch.cat((hidden, embed(id), context)) + model.readout_proj.bias
        logits.append(model.output_embedding.weight @ torch.tanh(readout))
    torch.testing.assert_close(model(SOURCE[None], TARGET[None])[0], torch.stack(logits))
    # and what capture sees is what the decoder looked at
    torch.testing.assert_close(cross_attention(model, SOURCE, TARGET)[0][0], torch.stack(weights).to(torch.float64))


def test_without_teacher_forcing_the_model_reads_its_own_words() -> None:
    model = model_of(teacher_forcing=0.0, dropout=0.0).train()
    free = model.states(SOURCE[None], TARGET[None])
    other = model.states(SOURCE[None], torch.tensor([[2, 3, 3]]))
    torch.testing.assert_close(free, other)  # only the first token of the target counts
    forced = model.eval().states(SOURCE[None], TARGET[None])
    torch.testing.assert_close(free[:, :1], forced[:, :1])
    own: Tensor = torch.tensor([[2]])
    for _ in range(2):
        own = torch.cat((own, model(SOURCE[None], own)[:, -1:].argmax(-1)), dim=1)
    torch.testing.assert_close(free, model.states(SOURCE[None], own))


def test_hypotheses_of_a_sentence_go_their_own_ways() -> None:
    model = model_of()
    state = model.prefill(SOURCE[None])
    _, state = model.decode_step(torch.tensor([[2]]), state)
    state = state.select(torch.tensor([0]), torch.tensor([[0, 0]]))
    logits, state = model.decode_step(torch.tensor([[7, 8]]), state)
    state = state.select(torch.tensor([0]), torch.tensor([[1, 0]]))
    logits, _ = model.decode_step(torch.tensor([[5, 5]]), state)
    for beam, prefix in enumerate(([2, 8, 5], [2, 7, 5])):
        torch.testing.assert_close(logits[0, beam], model(SOURCE[None], torch.tensor([prefix]))[0, -1])
