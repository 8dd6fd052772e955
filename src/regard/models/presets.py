"""Named sizes with the training settings that suit them, by family. Settings given by the user win over a preset's.

Encoder-decoder: `base` and `big` are those of Vaswani et al. 2017, table 3, with the batch size, warm-up and number of
steps of section 5; `tiny` has the sizes of the Transformer-Tiny of Wu et al. 2021 (arXiv 2105.14462), made for corpora of
about 30,000 pairs, but pre-norm, with dropout 0.2 and a learning rate that falls to 0, which learn faster in the half hour
that it is meant for (docs/experiments.md).

Decoder: `tiny` has the sizes of nanoGPT's recipe for a CPU, `base` those of GPT-2. Encoder: `base` has those of BERT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Preset = Mapping[str, Mapping[str, Any]]
"""Settings by section (`model`, `tokenizer`, `training`) and key."""

ENCODER_DECODER: dict[str, Preset] = {
    "tiny": {
        "model": {
            "model_dim": 128, "ff_dim": 256, "num_heads": 4, "num_encoder_layers": 4, "num_decoder_layers": 4,
            "dropout": 0.2, "norm": "pre",
        },
        "tokenizer": {"vocab_size": 5000},
        "training": {
            "steps": 7500, "warmup_steps": 1000, "learning_rate": 0.004, "schedule": "linear", "batch_tokens": 2048,
        },
    },
    "small": {
        "model": {
            "model_dim": 256, "ff_dim": 1024, "num_heads": 8, "num_encoder_layers": 3, "num_decoder_layers": 3,
            "dropout": 0.2,
        },
        "tokenizer": {"vocab_size": 8000},
        "training": {"steps": 20_000, "warmup_steps": 4000, "batch_tokens": 4096},
    },
    "base": {
        "model": {
            "model_dim": 512, "ff_dim": 2048, "num_heads": 8, "num_encoder_layers": 6, "num_decoder_layers": 6,
            "dropout": 0.1,
        },
        "tokenizer": {"vocab_size": 37_000},
        "training": {"steps": 100_000, "warmup_steps": 4000, "batch_tokens": 25_000},
    },
    "big": {
        "model": {
            "model_dim": 1024, "ff_dim": 4096, "num_heads": 16, "num_encoder_layers": 6, "num_decoder_layers": 6,
            "dropout": 0.3,
        },
        "tokenizer": {"vocab_size": 37_000},
        "training": {"steps": 300_000, "warmup_steps": 4000, "batch_tokens": 25_000},
    },
}  # fmt: skip

RECURRENT: dict[str, Preset] = {
    "tiny": {
        "model": {"model_dim": 128, "dropout": 0.2},
        "tokenizer": {"vocab_size": 5000},
        "training": {
            "steps": 5000, "warmup_steps": 500, "learning_rate": 0.002, "schedule": "linear", "batch_tokens": 2048,
        },
    },
    "small": {
        "model": {"model_dim": 256, "dropout": 0.3},
        "tokenizer": {"vocab_size": 8000},
        "training": {
            "steps": 10_000, "warmup_steps": 1000, "learning_rate": 0.001, "schedule": "linear",
            "batch_tokens": 4096,
        },
    },
    "base": {
        "model": {"model_dim": 620, "dropout": 0.2},
        "tokenizer": {"vocab_size": 30_000},
        "training": {
            "steps": 100_000, "warmup_steps": 4000, "learning_rate": 0.0005, "schedule": "linear",
            "batch_tokens": 8192,
        },
    },
}  # fmt: skip

DECODER: dict[str, Preset] = {
    "tiny": {
        "model": {
            "model_dim": 128, "ff_dim": 512, "num_heads": 4, "num_layers": 4, "dropout": 0.0, "max_positions": 64,
        },
        "tokenizer": {"kind": "characters", "vocab_size": 1000, "split_digits": False, "leading_space": False},
        "training": {
            "steps": 3000, "warmup_steps": 100, "learning_rate": 0.003, "schedule": "linear", "batch_tokens": 1024,
            "label_smoothing": 0.0, "average_decay": 0.99,
        },
    },
    "small": {
        "model": {
            "model_dim": 256, "ff_dim": 1024, "num_heads": 4, "num_layers": 6, "dropout": 0.1, "max_positions": 256,
        },
        "tokenizer": {"kind": "characters", "vocab_size": 1000, "split_digits": False, "leading_space": False},
        "training": {
            "steps": 5000, "warmup_steps": 200, "learning_rate": 0.002, "schedule": "linear", "batch_tokens": 4096,
            "label_smoothing": 0.0, "average_decay": 0.995,
        },
    },
    "base": {
        "model": {
            "model_dim": 768, "ff_dim": 3072, "num_heads": 12, "num_layers": 12, "dropout": 0.1,
            "max_positions": 1024,
        },
        "tokenizer": {"kind": "bpe", "vocab_size": 32_000},
        "training": {
            "steps": 100_000, "warmup_steps": 2000, "learning_rate": 0.0006, "schedule": "linear",
            "batch_tokens": 65_536, "label_smoothing": 0.0,
        },
    },
}  # fmt: skip

ENCODER: dict[str, Preset] = {
    "tiny": {
        "model": {
            "model_dim": 128, "ff_dim": 256, "num_heads": 4, "num_layers": 2, "dropout": 0.3, "max_positions": 256,
        },
        "tokenizer": {"kind": "bpe", "vocab_size": 8000},
        "training": {
            "steps": 600, "warmup_steps": 100, "learning_rate": 0.001, "schedule": "linear", "batch_tokens": 2048,
            "label_smoothing": 0.1, "validate_every": 100, "average_decay": 0.99,
        },
    },
    "small": {
        "model": {
            "model_dim": 256, "ff_dim": 1024, "num_heads": 4, "num_layers": 4, "dropout": 0.2, "max_positions": 512,
        },
        "tokenizer": {"kind": "bpe", "vocab_size": 8000},
        "training": {
            "steps": 10_000, "warmup_steps": 500, "learning_rate": 0.0005, "schedule": "linear",
            "batch_tokens": 4096, "label_smoothing": 0.0,
        },
    },
    "base": {
        "model": {
            "model_dim": 768, "ff_dim": 3072, "num_heads": 12, "num_layers": 12, "dropout": 0.1,
            "max_positions": 512,
        },
        "tokenizer": {"kind": "bpe", "vocab_size": 30_000},
        "training": {
            "steps": 100_000, "warmup_steps": 5000, "learning_rate": 0.0001, "schedule": "linear",
            "batch_tokens": 65_536, "label_smoothing": 0.0,
        },
    },
}  # fmt: skip

ENCODER_DECODER_CLASSIFIER: dict[str, Preset] = {
    name: {**preset, "model": {key: value for key, value in preset["model"].items() if key != "num_layers"} | layers}
    for (name, preset), layers in zip(
        ENCODER.items(),
        ({"num_encoder_layers": count, "num_decoder_layers": count} for count in (1, 2, 6)),
        strict=True,
    )
}
"""An encoder's, with as many layers, half of them the decoder's."""
