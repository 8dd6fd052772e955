"""Encoder-decoders from pretrained parts: what they were is still there."""

from typing import Any

import pytest
import torch

from regard.assembling import assemble
from regard.checkpoint import LoadedModel
from regard.errors import SettingsError
from regard.models.config import DecoderConfig, EncoderConfig
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES: dict[str, Any] = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "activation": "gelu", "norm_epsilon": 1e-5}


def loaded(lines: list[str], kind: type[EncoderConfig] | type[DecoderConfig], **choices: Any) -> LoadedModel:
    tokenizer = Tokenizer.train(lines, TokenizerConfig(vocab_size=40, with_mask=kind is EncoderConfig))
    torch.manual_seed(len(lines))
    sizes = SIZES | {"num_layers": 2, "max_positions": 20} | choices
    model = build(kind(vocab_size=len(tokenizer), **sizes)).eval()
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    return LoadedModel(model, tokenizer, tokenizer)


def encoder(**choices: Any) -> LoadedModel:
    return loaded(["the cat sat", "a dog"], EncoderConfig, **choices)


def decoder(**choices: Any) -> LoadedModel:
    return loaded(["die Katze", "ein Hund", "Zug"], DecoderConfig, **choices)


@torch.no_grad()
@pytest.mark.parametrize(("norm", "embedding_norm"), [("pre", True), ("post", True), ("pre", False)])
def test_the_source_is_read_as_the_encoder_reads_it(norm: str, embedding_norm: bool) -> None:
    first = encoder(norm=norm, num_segments=3, embedding_norm=embedding_norm)
    model, _, tokenizer = assemble(first, decoder(norm=norm, max_positions=16))
    ids = torch.tensor([tokenizer.frame_source(tokenizer.encode("the cat"))])
    assert ids[0, 0] == first.tokenizer.bos_id
    assert ids[0, -1] == first.tokenizer.eos_id
    torch.testing.assert_close(model.encode(ids), first.model.states(ids))
    kinds = torch.ones_like(ids)
    torch.testing.assert_close(model.encode(ids, kinds), first.model.states(ids, kinds))
    assert model.config.max_positions == 16


@torch.no_grad()
def test_without_its_cross_attention_it_writes_as_the_decoder_does() -> None:
    second = decoder(norm="pre", output_bias=True)
    model, tokenizer, _ = assemble(encoder(norm="pre"), second)
    for layer in model.decoder_layers:
        layer.cross_attention.output_proj.weight.zero_()
        layer.cross_attention.output_proj.bias.zero_()
    ids = torch.tensor([[tokenizer.bos_id, *tokenizer.encode("ein Hund")]])
    source = torch.randint(5, 15, (1, 6))
    torch.testing.assert_close(model(source, ids), second.model(ids))


@torch.no_grad()
def test_an_encoder_as_decoder_looks_back_only_and_predicts_with_its_head() -> None:
    second = encoder(norm="pre")
    model, tokenizer, _ = assemble(encoder(norm="pre"), second)
    for layer in model.decoder_layers:
        layer.cross_attention.output_proj.weight.zero_()
        layer.cross_attention.output_proj.bias.zero_()
    ids = torch.tensor([[tokenizer.bos_id]])  # one token alone: there is nothing after it to hide
    source = torch.randint(5, 15, (1, 6))
    torch.testing.assert_close(model(source, ids), second.model(ids))
    longer = torch.cat((ids, torch.tensor([[7, 8]])), dim=1)
    torch.testing.assert_close(model(source, longer)[:, :1], model(source, ids))


REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"norm": "post"}, {"norm": "pre"}, "norm .*--encoder.*--decoder.*got post and pre"),
    ({"norm": "pre"}, {"ff_dim": 24, "norm": "pre"}, "ff_dim must be the same"),
    ({"norm": "pre", "positions": "t5"}, {"norm": "pre", "positions": "t5", "max_positions": 9},
     "`--decoder` .*positions .*; got t5"),
    ({"norm": "pre", "embedding_norm": False}, {"norm": "pre", "embedding_norm": True},
     "embedding_norm of `--decoder` must be false where that of `--encoder` is"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "message"), REFUSED)
def test_parts_that_do_not_fit_are_refused(first: dict[str, Any], second: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        assemble(encoder(**first), decoder(**second))


def test_parts_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"`--encoder` .*arch encoder; got decoder"):
        assemble(decoder(), decoder())
    with pytest.raises(SettingsError, match=r"`--decoder` .*arch decoder.*mlm; got encoder tag"):
        assemble(encoder(), encoder(task="tag", labels=["a", "b"]))


def test_different_paddings_become_none() -> None:
    model, target, source = assemble(encoder(norm="pre"), decoder(norm="pre", pad_id=-1))
    assert (model.config.pad_id, target.pad_id, source.pad_id) == (-1, -1, -1)
