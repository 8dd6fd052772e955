"""A record shows what happened: at every step of decoding, in every family, in numbers that are known beforehand."""

from collections.abc import Callable, Iterator

import numpy
import pytest
import torch

from regard.errors import SettingsError
from regard.inspection.capture import capture
from regard.inspection.head_statistics import head_statistics
from regard.inspection.record import HeadName, Record, Tokens, logit_lens, record
from regard.models import handcrafted
from regard.models.config import DecoderConfig, EncoderConfig, RecurrentConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import attention_sites
from regard.models.interface import Model
from regard.models.registry import build

SOURCE, READ = [4, 5, 6, 7, 3], [2, 9, 10, 9]


def tokens(count: int, *, symbols: bool = False) -> Tokens:
    """So many tokens of one character each, the last one a symbol where asked for."""
    places: list[tuple[int, int] | None] = [(i, i + 1) for i in range(count)]
    if symbols:
        places[-1] = None
    return Tokens.from_offsets([chr(97 + i % 26) for i in range(count)], places, "a" * count)


def recorded(model: Model, source: list[int], read: list[int] | None = None, **options: bool) -> Record:
    kinds = {site.kind for site in attention_sites(model)}
    rows = {kind: tokens(len(source if kind == "encoder" or read is None else read), symbols=True) for kind in kinds}
    keys = {kind: tokens(len(read if kind == "decoder" and read else source), symbols=True) for kind in kinds}
    ids = [torch.tensor([row]) for row in (source, read) if row is not None]
    return record(model, *ids, row_tokens=rows, key_tokens=keys, **options)


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "shaw", "relative_key_query", "t5", "learned"])
def test_row_t_is_what_decoding_saw_at_step_t(make_model: Callable[..., EncoderDecoder], positions: str) -> None:
    model = make_model(positions=positions, model_dim=12, num_heads=3, max_positions=20)
    whole = recorded(model, SOURCE, READ)
    with torch.inference_mode():
        state = model.prefill(torch.tensor([SOURCE]))
        for step, id in enumerate(READ):
            with capture(model) as seen:
                _, state = model.decode_step(torch.tensor([[id]]), state)
            state = state.select(torch.tensor([0]), torch.tensor([[0]]))
            for layer in range(2):
                across = seen[f"decoder_layers.{layer}.cross_attention"].weights()[0, :, 0]
                numpy.testing.assert_allclose(
                    whole.weights["cross", layer][:, step].filled(0), across.numpy(), atol=1e-6
                )
                back = seen[f"decoder_layers.{layer}.self_attention"].weights()[0, :, 0, : step + 1]
                ours = whole.weights["decoder", layer][:, step].filled(0)[:, : step + 1]
                numpy.testing.assert_allclose(ours, back.numpy(), atol=1e-6)


def test_cells_that_a_mask_forbids_are_masked_and_not_0(make_model: Callable[..., EncoderDecoder]) -> None:
    whole = recorded(make_model(), SOURCE, READ)
    back = whole["decoder", 1, 2]
    assert numpy.array_equal(numpy.ma.getmaskarray(back), ~numpy.tri(4, dtype=bool))
    assert back[0, 1] is numpy.ma.masked
    numpy.testing.assert_allclose(back.sum(axis=1), 1, atol=1e-6)
    assert not numpy.ma.getmaskarray(whole["cross", 0, 0]).any()
    assert len(whole) == 2 * 3 * 3
    assert list(whole)[-1] == HeadName("cross", 1, 2)


def test_padding_is_forbidden(make_model: Callable[..., EncoderDecoder]) -> None:
    whole = recorded(make_model(), [4, 5, 6, 0, 0], READ)
    mask = numpy.ma.getmaskarray(whole["cross", 0, 1])
    assert mask[:, 3:].all()
    assert not mask[:, :3].any()


def test_weights_are_the_softmax_of_the_scores_in_float64(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model(positions="none", norm="post").double()
    whole = recorded(model, SOURCE, READ)
    layer = model.encoder_layers[0].self_attention
    x = model.source_embedding(torch.tensor([SOURCE])) * 12**0.5
    query, key = (projection(x)[0].view(5, 3, 4).transpose(0, 1) for projection in (layer.query_proj, layer.key_proj))
    expected = (query @ key.transpose(1, 2) / 2).softmax(dim=-1)
    numpy.testing.assert_allclose(whole.weights["encoder", 0].filled(0), expected.detach().numpy(), atol=1e-6)


def test_states_and_what_each_layer_would_say(make_model: Callable[..., EncoderDecoder]) -> None:
    for norm in ("post", "pre"):
        model = make_model(norm=norm)
        whole = recorded(model, SOURCE, READ, hidden_states=True)
        assert whole.hidden_states["encoder"].shape == (3, 5, 12)
        assert whole.hidden_states["decoder"].shape == (3, 4, 12)
        embedded = model._embed_target(torch.tensor([READ]), torch.arange(4)[None])[0]
        numpy.testing.assert_allclose(whole.hidden_states["decoder"][0], embedded.detach().numpy(), atol=1e-6)
        log_probs = model(torch.tensor([SOURCE]), torch.tensor([READ]))[0].log_softmax(dim=-1)
        torch.testing.assert_close(logit_lens(model, whole)[-1], log_probs)
        assert logit_lens(model, whole).shape == (3, 4, 23)


def small(arch: str) -> Iterator[Model]:
    sizes = {"vocab_size": 23, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_layers": 2}
    torch.manual_seed(3)
    if arch == "decoder":
        yield build(DecoderConfig(**sizes)).eval()
    elif arch == "encoder":
        yield build(EncoderConfig(**sizes)).eval()
        yield build(EncoderConfig(**sizes, task="tag", labels=["a", "b"])).eval()
        yield build(EncoderConfig(**sizes, task="classify", labels=["a", "b"])).eval()


@pytest.mark.parametrize("arch", ["decoder", "encoder"])
def test_models_that_read_one_text(arch: str) -> None:
    for model in small(arch):
        whole = recorded(model, SOURCE, hidden_states=True)
        assert next(iter(whole)) == HeadName(arch, 0, 0)
        forbidden = ~numpy.tri(5, dtype=bool) if arch == "decoder" else numpy.zeros((5, 5), dtype=bool)
        assert numpy.array_equal(numpy.ma.getmaskarray(whole[arch, 1, 2]), forbidden)
        if isinstance(model, Encoder) and model.config.task == "classify":
            with pytest.raises(
                SettingsError,
                match="tokens or tags; got one for task classify",
            ):
                logit_lens(model, whole)
        else:
            assert isinstance(model, Encoder | Decoder)
            said = model(torch.tensor([SOURCE]))[0].float().log_softmax(dim=-1)
            torch.testing.assert_close(logit_lens(model, whole)[-1], said)


def test_a_recurrent_model() -> None:
    torch.manual_seed(3)
    model = build(RecurrentConfig(vocab_size=23, model_dim=12)).eval()
    whole = recorded(model, SOURCE, READ)
    assert list(whole) == [("cross", 0, 0)]
    numpy.testing.assert_allclose(whole["cross", 0, 0].sum(axis=1), 1, atol=1e-6)
    for what in ("hidden_states", "norms"):
        with pytest.raises(SettingsError, match=rf"`{what}`.* needs a Transformer; got a recurrent model"):
            recorded(model, SOURCE, READ, **{what: True})


@pytest.mark.parametrize(
    ("oracle", "label"),
    [(handcrafted.identity, "diagonal"), (handcrafted.previous_token, "previous token")],
)
def test_oracles_have_their_labels(oracle: Callable[[int, int], Encoder], label: str) -> None:
    (found,) = head_statistics([recorded(oracle(11, 9), [4, 5, 6, 7, 8, 9, 10, 4, 5])])
    assert found.label == label
    assert (found.entropy, found.confidence) == (pytest.approx(0, abs=1e-6), pytest.approx(1))
    if label == "diagonal":
        assert found.offset == pytest.approx(0)
        assert found.masses["self"] == pytest.approx(1)
    else:
        assert found.offset == pytest.approx(-8 / 9)  # the first looks at itself
        assert found.masses["previous"] == pytest.approx(1)
        assert found.masses["self"] == pytest.approx(1 / 9)


def test_the_histogram_looks_at_the_same_token() -> None:
    model = handcrafted.histogram(11, 6, bos_id=2)
    (found,) = head_statistics([recorded(model, [2, 4, 4, 4, 4, 4])])
    assert found.masses["first"] == pytest.approx((5 / 6 + 1) / 6 - 4 / 36, abs=0.2)
    ids = [2, 4, 5, 4, 5, 4]
    same = Tokens.from_offsets(["<s>", *"abab", "a"], [None, *((i, i + 1) for i in range(5))], "ababa")
    whole = record(model, torch.tensor([ids]), row_tokens={"encoder": same}, key_tokens={"encoder": same})
    (found,) = head_statistics([whole])
    # A token of n is at itself and n - 1 others with 1 / (n + 1) each.
    assert found.scores["same token"] == pytest.approx((3 * 2 / 4 + 2 * 1 / 3) / 5)


def test_an_induction_head_looks_after_the_last_time() -> None:
    """At a token that was there before, it looks at what came next; elsewhere at the first token."""
    text = Tokens.from_offsets(["<s>", *"abcabb"], [None, *((i, i + 1) for i in range(6))], "abcabb")
    model, ids = handcrafted.looking_at(11, [0, 0, 0, 0, 2, 3, 3]), torch.tensor([[2, 4, 5, 6, 4, 5, 5]])
    (found,) = head_statistics([record(model, ids, row_tokens={"encoder": text}, key_tokens={"encoder": text})])
    assert found.scores["induction"] == pytest.approx(1)  # after the third b, c counts, and b itself does not
    assert found.label == "induction"
    model = handcrafted.looking_at(11, [0, 0, 0, 0, 1, 2, 2])
    (found,) = head_statistics([record(model, ids, row_tokens={"encoder": text}, key_tokens={"encoder": text})])
    assert found.scores["induction"] == pytest.approx(0)
    assert found.label == "same token"


def test_sinks_and_punctuation() -> None:
    model = handcrafted.looking_at(11, [0] * 6)
    signs = Tokens(["a", "b", ".", "▁!", "c", "</s>"], [*((i, i + 1) for i in range(5)), None], [0] * 5 + [None])
    whole = record(
        model, torch.tensor([[4, 5, 6, 7, 8, 3]]), row_tokens={"encoder": signs}, key_tokens={"encoder": signs}
    )
    (found,) = head_statistics([whole])
    assert found.label == "sink"
    assert found.masses["first"] == pytest.approx(1)
    model = handcrafted.looking_at(11, [2, 2, 3, 3, 5, 5])
    whole = record(
        model, torch.tensor([[4, 5, 6, 7, 8, 3]]), row_tokens={"encoder": signs}, key_tokens={"encoder": signs}
    )
    (found,) = head_statistics([whole])
    assert found.masses["punctuation"] == pytest.approx(4 / 6)
    assert found.masses["end"] == pytest.approx(2 / 6)


def test_statistics_are_means_over_rows_of_all_texts() -> None:
    model = handcrafted.looking_at(11, [0] * 6)
    one, two = recorded(model, [4, 5, 6, 7, 8, 3]), recorded(model, [4, 5])
    (both,) = head_statistics([one, two])
    assert both.offset == pytest.approx(-(0 + 1 + 2 + 3 + 4 + 5 + 0 + 1) / 8)


def test_words_of_tokens() -> None:
    text = "Zwei  Häuser."
    found = Tokens.from_offsets(
        ["▁Zwei", "▁", "▁Häu", "ser", ".", "</s>"], [(0, 4), (4, 5), (5, 9), (9, 12), (12, 13), None], text
    )
    assert found.words == [0, None, 1, 1, 1, None]


@pytest.mark.parametrize("name", ["cross", "cross.1", "cros.1.2", "cross.1.x", "cross.-1.2"])
def test_names_that_are_no_heads(name: str) -> None:
    with pytest.raises(SettingsError, match=r"a head must be written kind\.layer\.head, such as cross\.2\.3"):
        HeadName.parse(name)


def test_a_head_that_is_not_there(make_model: Callable[..., EncoderDecoder]) -> None:
    with pytest.raises(
        SettingsError, match=r"head must be one of the model's; got cross\.1\.3\. Did you mean 'cross\.1\.\d'"
    ):
        recorded(make_model(), SOURCE, READ)["cross", 1, 3]
