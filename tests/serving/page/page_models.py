"""Models for the page: one whose weights are set by hand, so that its numbers are known, and one that has learnt a little."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import torch

from regard.checkpoint import save_new
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.registry import build
from regard.nn.multihead import MultiHeadAttention
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SHARPNESS = 200.0
LETTERS = "abcdefghij"
WORDS = (
    ("the/die", "a/eine", "my/meine"), ("small/kleine", "red/rote", "old/alte"), ("cat/Katze", "woman/Frau", "duck/Ente"),
    ("sleeps/schläft", "plays/spielt", "sings/singt"), ("in/in", "near/bei", "by/neben"),
    ("Berlin/Berlin", "Paris/Paris", "London/London"),
)  # fmt: skip


def copying(path: Path, max_positions: int = 24, alphabet: str = LETTERS, window: int | None = None) -> Path:
    """A model that copies. What its heads look at from position p:

    encoder.0.0: p; encoder.0.1: p - 1. decoder.0.0: p - 1; decoder.0.1: 3/4 at p, 1/4 at p - 1.
    cross.0.0: p, whose token it writes; cross.0.1: 1/2 each at p and p + 1.
    """
    tokenizer = Tokenizer.train([alphabet], TokenizerConfig(kind="characters", vocab_size=100))
    vocab, places = len(tokenizer), max_positions
    dim = 2 * vocab + places
    config = EncoderDecoderConfig(
        vocab_size=vocab, model_dim=dim, ff_dim=1, num_heads=2, head_dim=max(vocab, places), num_encoder_layers=1,
        num_decoder_layers=1, dropout=0.0, norm="pre", norm_kind="none", positions="learned", max_positions=places,
        tied_embeddings="none", scale_embeddings=False, windows=[window] if window else [],
    )  # fmt: skip
    model = EncoderDecoder(config)
    eye = torch.eye(places)
    before = eye.roll(1, 0).index_put((torch.tensor(0),), eye[0])  # row p: one at p - 1
    after = eye.roll(-1, 0).index_put((torch.tensor(places - 1),), eye[-1])
    quarter = eye * SHARPNESS + before * (SHARPNESS - torch.tensor(3.0).log())
    quarter[0] = SHARPNESS * eye[0]
    encoder, decoder = model.encoder_layers[0], model.decoder_layers[0]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for side in (model.source_embedding, model.target_embedding):
            side.weight[:, :vocab] = torch.eye(vocab)
        for positions in (model.source_positions, model.target_positions):
            assert positions.learned is not None
            positions.learned.table.weight[:places, vocab : vocab + places] = eye
        _look(encoder.self_attention, vocab, SHARPNESS * eye, SHARPNESS * before)
        _look(decoder.self_attention, vocab, SHARPNESS * before, quarter)
        _look(decoder.cross_attention, vocab, SHARPNESS * eye, SHARPNESS * (eye + after).clamp(max=1))
        across = decoder.cross_attention
        assert isinstance(across, MultiHeadAttention)
        across.value_proj.weight[:vocab, :vocab] = torch.eye(vocab)
        across.output_proj.weight[vocab + places :, :vocab] = torch.eye(vocab)
        model.output_embedding.weight[:, vocab + places :] = SHARPNESS * torch.eye(vocab)
    save_new(path, model.eval(), tokenizer)
    return path


def _look(attention: object, vocab: int, *scores: torch.Tensor) -> None:
    """Let each head look by its scores: a row for each position that looks, a column for each that is looked at."""
    assert isinstance(attention, MultiHeadAttention)
    for head, wanted in enumerate(scores):
        size, begin = len(wanted), head * attention.head_dim
        here, places = slice(begin, begin + size), slice(vocab, vocab + size)
        attention.query_proj.weight[here, places] = attention.head_dim**0.5 * wanted.T
        attention.key_proj.weight[here, places] = torch.eye(size)


def letters(path: Path) -> Path:
    """A language model of letters, whose weights are drawn."""
    tokenizer = Tokenizer.train(["abcdef "], TokenizerConfig(kind="characters", vocab_size=20))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "max_positions": 40}
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = build(DecoderConfig(num_layers=1, **sizes))
    save_new(path, model.eval(), tokenizer)
    return path


def learning(path: Path, num_steps: int = 80, **settings: Any) -> Path:
    """A model that has learnt a little of a small language: two layers with two heads each, and parts of words as tokens."""
    random = Random(1)
    pairs = [_sentence(random) for _ in range(400)]
    tokenizer = Tokenizer.train([text for pair in pairs for text in pair], TokenizerConfig(vocab_size=90))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 32, "ff_dim": 48, "num_heads": 2, "max_positions": 60}
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = EncoderDecoder(
            EncoderDecoderConfig(**sizes, num_encoder_layers=2, num_decoder_layers=2, dropout=0.0, **settings)
        )
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        for _ in range(num_steps):
            drawn = random.choices(pairs, k=16)
            source = _padded([[*tokenizer.encode(text), 3] for text, _ in drawn])
            target = _padded([[2, *tokenizer.encode(text), 3] for _, text in drawn])
            logits = model(source, target[:, :-1])
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0).backward()
            optimizer.step()
    save_new(path, model.eval(), tokenizer)
    return path


def _sentence(random: Random) -> tuple[str, str]:
    chosen = [random.choice(words).split("/") for words in WORDS]
    source, target = ([part[side] for part in chosen] for side in (0, 1))
    return " ".join(source), " ".join([*target[:3], *target[4:], target[3]])  # the verb is last


def _padded(rows: list[list[int]]) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
