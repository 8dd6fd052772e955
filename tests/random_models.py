"""Random models, and a folder of one of every family with pairs of texts, for the tests of what looks inside."""

import random
from pathlib import Path
from typing import Any

import torch

from regard.checkpoint import save_new
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
TEXT = "ab cde"


def random_model(config: Any, *, seed: int, noise: float) -> Any:
    """A model for evaluation whose norms and biases are random, too."""
    torch.manual_seed(seed)
    model = build(config).eval()
    for parameter in model.parameters():
        parameter.data += noise * torch.randn_like(parameter)
    return model


def save_models(folder: Path) -> Path:
    """A random model of every family, and pairs of texts."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdef", k=rng.randint(1, 4))) for _ in range(60)]
    lines = [" ".join(rng.choices(words, k=3)) for _ in range(12)]
    (folder / "source").write_text("".join(f"{line}\n" for line in lines))
    (folder / "target").write_text("".join(f"{' '.join(line.split()[::-1])}\n" for line in lines))
    tokenizer = Tokenizer.train(lines, TokenizerConfig(kind="characters", vocab_size=40, with_mask=True))
    own, sizes = Tokenizer.train(["fedcba "], TokenizerConfig(kind="characters", vocab_size=40)), len(tokenizer)
    torch.manual_seed(1)
    pair = {**SIZES, "num_encoder_layers": 2, "num_decoder_layers": 2}
    save_new(folder / "m", build(EncoderDecoderConfig(vocab_size=sizes, **pair)).eval(), tokenizer)
    two = EncoderDecoderConfig(
        vocab_size=len(own), source_vocab_size=sizes, tied_embeddings="target", positions="rotary", **pair
    )
    save_new(folder / "two", build(two).eval(), own, tokenizer)
    one = {**pair, "num_heads": 1}
    save_new(folder / "one", build(EncoderDecoderConfig(vocab_size=sizes, **one)).eval(), tokenizer)
    save_new(folder / "rnn", build(RecurrentConfig(vocab_size=sizes, model_dim=12)).eval(), tokenizer)
    save_new(folder / "lm", build(DecoderConfig(vocab_size=sizes, num_layers=2, **SIZES)).eval(), tokenizer)
    for task, labels in (("mlm", []), ("tag", ["x", "y"]), ("classify", ["x", "y"])):
        config = EncoderConfig(vocab_size=sizes, num_layers=2, task=task, labels=labels, **SIZES)
        save_new(folder / task, build(config).eval(), tokenizer)
    return folder
