"""A step of plain gradient descent by each way of cutting 64 pairs; started by test_distributed.py, alone or by
torchrun.
"""

import sys

import numpy as np
import torch
from safetensors.torch import save_file

from regard.data.batch import rows_of_shard
from regard.data.batching import make_batch
from regard.data.sequences import EncodedPairs, Sequences
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.training.distributed import joined_world, whole
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater


class Descent(torch.optim.SGD):
    """Adam would hide a gradient of the wrong length. PyTorch's fused descent cannot be divided, and the other skips no step."""

    found_inf = property(lambda self: None, lambda self, value: None)


rng = np.random.default_rng(0)
rows = [[*rng.integers(4, 23, rng.integers(1, 9)).tolist(), 3] for _ in range(64)]
pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows[::-1]))
smoothing, cut, shard, output = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "shard", sys.argv[4]
precision = "bfloat16" if sys.argv[3] == "bfloat16" else "float32"

with joined_world("cpu") as world:
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=23, model_dim=12, num_heads=3, ff_dim=20, dropout=0.0,
                                       num_encoder_layers=2, num_decoder_layers=2))  # fmt: skip
    config = TrainingConfig(precision=precision, label_smoothing=smoothing, clip_norm=1e9, average_decay=0.0)
    updater = Updater(model, config, world, shard=shard)
    updater.optimizer = Descent(model.parameters())
    batches = []
    for part in np.array_split(np.arange(64), cut):
        own, counts = rows_of_shard(part, (world.rank, world.size))
        batches.append(make_batch(pairs, own, pad_id=0, start_ids=[2], counts=counts))
    (num_tokens,) = world.sums(sum(batch.num_tokens for batch in batches))
    loss = updater.step(batches, 0.5, int(num_tokens)).loss
    weights = {name: whole(parameter.detach()).clone() for name, parameter in model.named_parameters()}
    if world.is_main:
        save_file({"loss": torch.tensor(loss), **weights}, output)
