"""Two steps of plain gradient descent by each way of cutting 64 pairs; started by test_distributed.py, alone or by
torchrun.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from regard.data.batch import Batch, rows_of_shard
from regard.data.batching import make_batch
from regard.data.sequences import EncodedPairs, Sequences
from regard.models.adaptation import AdapterConfig, add_adapter
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import stored_tensors
from regard.training.distributed import World, end_at_once, joined_world
from regard.training.objectives.distillation import Teacher
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater


class Descent(torch.optim.SGD):
    """Adam would hide a gradient of the wrong length. PyTorch's fused descent cannot be divided, and the other skips no step."""

    found_inf = property(lambda self: None, lambda self, value: None)


rng = np.random.default_rng(0)
rows = [[*rng.integers(4, 23, rng.integers(1, 9)).tolist(), 3] for _ in range(64)]
links = [
    rng.integers(0, (len(source), len(target)), (2, 2)).flatten().tolist()
    for source, target in zip(rows, rows[::-1], strict=True)
]
links[::3] = [[]] * len(links[::3])


def new_model(seed: int) -> EncoderDecoder:
    torch.manual_seed(seed)
    return EncoderDecoder(
        EncoderDecoderConfig(vocab_size=23, model_dim=12, num_heads=3, ff_dim=20, dropout=0.0,
                             num_encoder_layers=2, num_decoder_layers=2, alignment_head="cross.1.1")
    )  # fmt: skip


def steps(world: World, objective: str, cut: int, how: str) -> dict[str, torch.Tensor]:
    """The second step's loss, the weights after it, their average, and the average's logits for some pairs.

    Args:
        objective: labels, teacher, links; or labels, where only an adapter learns, or the decoder (frozen).
        cut: batches one after the other.
        how: weights are copied, sharded, or copied and in bfloat16; and whether they are compiled.
    """
    model = new_model(1)
    if objective == "adapter":
        add_adapter(model, AdapterConfig(rank=3, targets=["query_proj", "value_proj", "feed_forward"]))
        for (
            name,
            parameter,
        ) in model.named_parameters():  # an update that begins at 0 gives the other factor no gradient
            if name.endswith(".up"):
                torch.nn.init.normal_(parameter, std=0.3)
    if objective == "frozen":
        for parameter in model.encoder_layers.parameters():
            parameter.requires_grad_(False)
    teacher = Teacher(new_model(2).eval(), 0.6, 2.0, is_cached=True) if objective == "teacher" else None
    pairs = EncodedPairs(
        Sequences.from_lists(rows), Sequences.from_lists(rows[::-1]),
        links=Sequences.from_lists(links) if objective == "links" else None,
    )  # fmt: skip
    config = TrainingConfig(
        precision="bfloat16" if how == "bfloat16" else "float32", label_smoothing=0.1, clip_norm=1e9, average_decay=0.5,
        alignment_weight=0.7,
    )  # fmt: skip
    updater = Updater(model, config, world, shard="sharded" in how, teacher=teacher, compiles="compiled" in how)
    updater.optimizer = Descent([each for each in model.parameters() if each.requires_grad])

    def batch(part: np.ndarray, shard: tuple[int, int] = (0, 1)) -> Batch:
        own, counts = rows_of_shard(part, shard)
        return make_batch(pairs, own, pad_id=0, start_ids=[2], counts=counts)

    for number in (1, 2):
        batches = [batch(part, (world.rank, world.size)) for part in np.array_split(np.arange(64), cut)]
        (num_tokens,) = world.sums(sum(batch.num_tokens for batch in batches))
        loss = updater.step(batches, 0.5, int(num_tokens)).loss
        updater.average.update(number)
    logits = updater.measure(lambda model: model.logits(model.labelled_states(batch(np.arange(8)))[0]).detach())
    stored = {f"stored.{name}": tensor.detach() for name, tensor in stored_tensors(updater.whole_model()).items()}
    stored |= {name: tensor for name, tensor in updater.tensors().items() if not name.startswith("optimizer")}
    return {
        "loss": torch.tensor(loss),
        "logits": logits.clone(),
        **{name: tensor.clone() for name, tensor in stored.items()},
    }


folder = Path(sys.argv[1])
with joined_world("cpu") as world:
    for way in sys.argv[2:]:
        objective, cut, how = way.split(":")
        found = steps(world, objective, int(cut), how)
        if world.is_main:
            save_file(found, folder / f"{world.size}-{objective}-{cut}-{how}")
end_at_once(0)
