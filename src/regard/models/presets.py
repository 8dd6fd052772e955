"""Named sizes with the training settings that suit them. Settings given by the user win over a preset's.

`base` and `big` are those of Vaswani et al. 2017, table 3, with the batch size, warm-up and number of steps of section
5; `tiny` has the sizes of the Transformer-Tiny of Wu et al. 2021 (arXiv 2105.14462), made for corpora of about 30,000
pairs, but pre-norm and with dropout 0.2, which learn faster in the half hour that it is meant for (docs/experiments.md).
"""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "tiny": {
        "model": {
            "model_dim": 128,
            "ff_dim": 256,
            "num_heads": 4,
            "num_encoder_layers": 4,
            "num_decoder_layers": 4,
            "dropout": 0.2,
            "norm": "pre",
        },
        "tokenizer": {"vocab_size": 5000},
        "training": {
            "steps": 7500,
            "warmup_steps": 1000,
            "learning_rate": 0.004,
            "schedule": "linear",
            "batch_tokens": 2048,
        },
    },
    "small": {
        "model": {
            "model_dim": 256,
            "ff_dim": 1024,
            "num_heads": 8,
            "num_encoder_layers": 3,
            "num_decoder_layers": 3,
            "dropout": 0.2,
        },
        "tokenizer": {"vocab_size": 8000},
        "training": {"steps": 20_000, "warmup_steps": 4000, "batch_tokens": 4096},
    },
    "base": {
        "model": {
            "model_dim": 512,
            "ff_dim": 2048,
            "num_heads": 8,
            "num_encoder_layers": 6,
            "num_decoder_layers": 6,
            "dropout": 0.1,
        },
        "tokenizer": {"vocab_size": 37_000},
        "training": {"steps": 100_000, "warmup_steps": 4000, "batch_tokens": 25_000},
    },
    "big": {
        "model": {
            "model_dim": 1024,
            "ff_dim": 4096,
            "num_heads": 16,
            "num_encoder_layers": 6,
            "num_decoder_layers": 6,
            "dropout": 0.3,
        },
        "tokenizer": {"vocab_size": 37_000},
        "training": {"steps": 300_000, "warmup_steps": 4000, "batch_tokens": 25_000},
    },
}
