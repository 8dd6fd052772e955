"""Steering, early ends of the encoder and probes, held against copies of the model, hooks of PyTorch's own and known labels."""

import copy
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import regard
from regard.analysis.states import _word_states, decoder_lens, mean_difference, probe
from regard.cli.main import run
from regard.engines.packed import packed
from regard.errors import DataError, SettingsError, ShapeError
from regard.generation.options import DecodingOptions
from regard.inspection.steering import ending_after, steered
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer

SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 24, "num_heads": 4, "max_positions": 40, "dropout": 0.0}
STORED = Path(__file__).parents[1] / "stored"


@pytest.fixture
def make(letters: Tokenizer) -> Callable[..., Any]:
    def of(kind: str, **settings: Any) -> Any:
        shared = {"vocab_size": len(letters), **SIZES, **settings}
        torch.manual_seed(4)
        if kind == "text":
            model: Any = build(DecoderConfig(num_layers=2, **shared))
        elif kind == "pairs":
            model = build(EncoderDecoderConfig(num_encoder_layers=3, num_decoder_layers=2, **shared))
        else:
            model = build(EncoderConfig(num_layers=2, task="tag", labels=["x", "y"], **shared))
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
        kinds: dict[str, Any] = {"text": LanguageModel, "pairs": Translator}
        return kinds.get(kind, Predictor)(model.eval(), letters)

    return of


def written(translator: Translator, text: str) -> tuple[list[int], list[float]]:
    """A greedy translation, with its log-probabilities."""
    (found,) = translator.translate([text], beam_size=1, max_length=8)
    return found.ids, found.token_log_probs


@pytest.mark.parametrize("engine", ["torch", "auto"])
@pytest.mark.parametrize("place", ["encoder.1", "decoder.0", "decoder.1"])
def test_steering_against_hooks_of_pytorch(place: str, engine: str, make: Callable[..., Any]) -> None:
    """On every engine, also those that run copies of the layers."""
    translator, vector = make("pairs"), torch.randn(16, generator=torch.Generator().manual_seed(2))
    translator.use_engine(engine)
    before = written(translator, "abcde")
    with steered(translator.model, {place: vector}):
        found = written(translator, "abcde")
    assert written(translator, "abcde") == before
    assert found != before
    other = make("pairs")
    stack, number = place.split(".")
    other.model.layer_stacks()[stack][int(number)].register_forward_hook(lambda _, __, output: output + vector)
    ids, log_probs = written(other, "abcde")
    assert found[0] == ids
    assert found[1] == pytest.approx(log_probs, abs=1e-4)


def test_packed_layers_are_steered(make: Callable[..., Any]) -> None:
    model = make("pairs").model
    fast, source, ids = packed(model), torch.tensor([[4, 5, 6]]), torch.tensor([[2]])
    for place in ("encoder.2", "decoder.1"):
        with torch.inference_mode(), steered(model, {place: torch.ones(16)}):
            logits, _ = fast.decode_step(ids, fast.prefill(source))
            expected = model(source, ids)[:, -1:]
        torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-4)


def test_threads_steer_for_themselves(make: Callable[..., Any]) -> None:
    translator = make("pairs")
    vectors = [torch.randn(16, generator=torch.Generator().manual_seed(seed)) * seed for seed in range(8)]

    def steer(seed: int) -> tuple[list[int], list[float]]:
        with steered(translator.model, {"decoder.1": vectors[seed], "encoder.0": -vectors[seed]}):
            return written(translator, "abcde")

    expected, found = [steer(seed) for seed in range(8)], dict[int, Any]()
    threads = [threading.Thread(target=lambda seed=seed: found.__setitem__(seed, steer(seed))) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({str(ids) for ids, _ in expected}) > 2
    for seed in range(8):
        assert found[seed][0] == expected[seed][0]
        assert found[seed][1] == pytest.approx(expected[seed][1], abs=1e-4)


@pytest.mark.parametrize("kind", ["text", "tag", "pairs"])
def test_a_difference_of_means(kind: str, make: Callable[..., Any]) -> None:
    """The state of each token moves by the vector; the mean of the others' states becomes that of the texts."""
    pipeline, place = make(kind), "decoder.1" if kind == "text" else "encoder.1"
    texts, others = ["abc", "bb"], ["efg", "g", "hh"]
    vector = mean_difference(pipeline, texts, others, place)
    with steered(pipeline.model, {place: vector}):
        moved = mean_difference(pipeline, texts, others, place)
        torch.testing.assert_close(moved, vector, rtol=1e-4, atol=1e-4)
    assert vector.norm() > 0.1
    back = mean_difference(pipeline, others, texts, place)
    torch.testing.assert_close(back, -vector)


def test_the_encoder_ends_early(make: Callable[..., Any]) -> None:
    translator, options = make("pairs", norm="pre"), DecodingOptions(beam_size=2, max_length=8)
    found = decoder_lens(translator, "abcde", options)
    assert len(found) == 4
    for layer in range(-1, 3):
        cut = copy.deepcopy(translator.model)
        cut.encoder_layers = nn.ModuleList(list(cut.encoder_layers)[: layer + 1])
        with torch.no_grad():
            source = torch.tensor([[4, 5, 6, 3]])
            with ending_after(translator.model, layer):
                torch.testing.assert_close(translator.model.encode(source), cut.encode(source))
    assert found[-1].ids == translator.translate(["abcde"], options)[0].ids


def test_layers_that_are_one_module_end_early(make: Callable[..., Any]) -> None:
    translator = make("pairs")
    layers = translator.model.encoder_layers
    layers[1] = layers[2] = layers[0]
    source = torch.tensor([[4, 5, 6, 3]])
    whole = translator.model.encode(source)
    for layer in (-1, 0, 1, 2):
        cut = copy.deepcopy(translator.model)
        cut.encoder_layers = nn.ModuleList(list(cut.encoder_layers)[: layer + 1])
        for _ in range(2):  # every pass begins anew
            with ending_after(translator.model, layer):
                torch.testing.assert_close(translator.model.encode(source), cut.encode(source))
    torch.testing.assert_close(translator.model.encode(source), whole)


def data(count: int = 6) -> tuple[list[list[str]], list[list[str]]]:
    rng = random.Random(3)
    texts = [rng.sample("abcdefgh", 8) for _ in range(count)]
    return texts, [["early" if word < "e" else "late" for word in words] for words in texts]


@pytest.mark.parametrize("kind", ["text", "tag", "pairs"])
def test_a_probe_reads_what_the_embeddings_say(kind: str, make: Callable[..., Any], tmp_path: Path) -> None:
    pipeline, (texts, labels) = make(kind), data()
    found = probe(pipeline, texts, labels)
    assert found.accuracy[0] > 0.9
    assert found.majority == 0.5
    assert found.num_words == (32, 16)
    assert len(found.accuracy) == 1 + len(next(iter(pipeline.model.layer_stacks().values())))
    assert found.control_accuracy[0] > 0.8  # eight words are remembered
    assert found.selectivity == [a - b for a, b in zip(found.accuracy, found.control_accuracy, strict=True)]
    assert [row["layer"] for row in found.records()] == ["embeddings", *range(len(found.accuracy) - 1)]
    found.save(tmp_path / "probe.json")
    if kind == "tag":
        assert probe(pipeline, texts, labels) == found
        found.save(tmp_path / "probe.png")


def test_labels_by_chance_cannot_be_read(make: Callable[..., Any]) -> None:
    """A random label for each occurrence: nothing in the embeddings tells it."""
    texts, _ = data(8)
    rng = random.Random(5)
    found = probe(make("text"), texts, [[rng.choice("xy") for _ in words] for words in texts])
    assert found.accuracy[0] < 0.75
    assert found.selectivity[0] < 0


def test_a_probe_finds_a_direction_of_its_layer(make: Callable[..., Any]) -> None:
    """Labels that are one side of a plane through the states of the last layer, which embeddings do not tell as well."""
    pipeline, (texts, _) = make("text"), data(16)
    states = [_word_states(pipeline, words)[-1] for words in texts]
    plane = torch.randn(16, generator=torch.Generator().manual_seed(6))
    middle = torch.cat(states).mean(dim=0) @ plane
    found = probe(pipeline, texts, [["yes" if side else "no" for side in (each @ plane > middle)] for each in states])
    assert found.accuracy[-1] > 0.85
    assert found.accuracy[-1] >= found.accuracy[0]
    assert found.accuracy[-1] > found.majority


def test_what_is_refused(make: Callable[..., Any]) -> None:
    translator, (texts, labels) = make("pairs"), data(4)
    with pytest.raises(SettingsError, match=r"a layer must be one of the model's; got 'encoder.9'"), \
            steered(translator.model, {"encoder.9": torch.zeros(16)}):  # fmt: skip
        pass
    with pytest.raises(ShapeError, match=r"a vector of encoder.0 must have the shape \(16,\); got \(3,\)"), \
            steered(translator.model, {"encoder.0": torch.zeros(3)}):  # fmt: skip
        pass
    with pytest.raises(SettingsError, match="layer must be from -1, the embeddings, to 2; got 3"), \
            ending_after(translator.model, 3):  # fmt: skip
        pass
    with pytest.raises(SettingsError, match="an encoder before a decoder; got arch decoder"), \
            ending_after(make("text").model, 0):  # fmt: skip
        pass
    with pytest.raises(SettingsError, match="one of the encoder, which reads texts; got one of the decoder"):
        mean_difference(translator, ["a"], ["b"], "decoder.0")
    with pytest.raises(DataError, match="texts must be a list of at least one text; got 'abc'"):
        mean_difference(translator, "abc", ["b"], "encoder.0")
    with pytest.raises(SettingsError, match=r"test_share must be above 0 and below 1; got 1\.5"):
        probe(translator, texts, labels, test_share=1.5)
    with pytest.raises(DataError, match="text 1 must have a label for each word; got 8 words and 1 labels"):
        probe(translator, texts, [["early"], *labels[1:]])
    with pytest.raises(DataError, match="words of text 1 must be without spaces; got 'a b'"):
        probe(translator, [["a b"], ["c"]], [["x"], ["y"]])
    with pytest.raises(DataError, match="at least two labels; got 1"):
        probe(translator, [["a"], ["c"]], [["x"], ["x"]])
    recurrent = regard.load(STORED / "recurrent", kind=Translator, device="cpu")
    for call in (lambda: decoder_lens(recurrent, "ab"), lambda: probe(recurrent, texts, labels)):
        with pytest.raises(SettingsError, match="got a recurrent model"):
            call()


def test_the_command_shows_both_lenses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["inspect", str(STORED / "int8"), "abcde", "--lens", "--device", "cpu", "--threads", "1"])
    said = capsys.readouterr().out.splitlines()
    begin = said.index("translations from the embeddings and from each layer of the encoder")
    assert said[begin + 1].startswith("embeddings  ")
    assert said[begin + 2] == f"layer 0     {said[0]}"  # the only layer: the model's own
