"""Contributions of parts, held against their sums, against PyTorch's own hooks and against cutting parts out."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

import random_models
from regard.analysis.explaining import contributions, head_values, why_key
from regard.checkpoint import save_new
from regard.cli.main import run
from regard.errors import SettingsError
from regard.inspection.ablation import ablated_gates, gated
from regard.inspection.contributions import logit_parts, moved_values
from regard.inspection.record import HeadName
from regard.inspection.residual_stream import read
from regard.inspection.score_parts import score_parts
from regard.models.adaptation import AdapterConfig, add_adapter, merged
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.heads import Site, multihead_attentions, prune_heads
from regard.nn.scores import Additive, Cosine, DotProduct
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer

random_model = partial(random_models.random_model, seed=3, noise=0.2)
SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 24, "num_heads": 4, "max_positions": 40, "dropout": 0.0}
PAIR: dict[str, Any] = {"arch": "encoder-decoder", "num_encoder_layers": 2, "num_decoder_layers": 2, "norm": "pre"}
VARIANTS: dict[str, dict[str, Any]] = {
    "layer norm": {"positions": "sinusoidal", "output_bias": True, "tied_embeddings": "none", "value_head_dim": 6},
    "rms norm, rotary, grouped, normed queries": {
        "norm_kind": "rms", "positions": "rotary", "num_kv_heads": 2, "query_key_norm": True, "bias": False, "rotary_dim": 2,
    },
    "sandwich, normed embeddings, types": {"norm": "sandwich", "embedding_norm": "both", "num_source_types": 2},
    "batch norm, gated": {"norm_kind": "batch", "positions": "learned", "gated": True, "activation": "silu"},
    "no norms, post": {"norm_kind": "none", "norm": "post", "positions": "t5", "scale_embeddings": False},
    "alibi": {"positions": "alibi", "num_heads": 8, "head_dim": 3},
    "relative key": {"positions": "relative_key"},
    "relative key and query": {"positions": "relative_key_query", "windows": [2, None]},
    "shaw": {"positions": "shaw", "embedding_norm": "source"},
}  # fmt: skip
IDS = [[4, 5, 6, 7, 3], [2, 9, 10, 9]]
CLASSES = [9, 10, 9, 3]


def pair_model(**settings: Any) -> Any:
    return random_model(EncoderDecoderConfig(**{"vocab_size": 23, **SIZES, **PAIR, **settings}))


@pytest.fixture
def make(letters: Tokenizer) -> Callable[..., Any]:
    def of(kind: str, **settings: Any) -> Any:
        shared = {"vocab_size": len(letters), **SIZES, **settings}
        if kind == "text":
            return LanguageModel(random_model(DecoderConfig(num_layers=2, **shared)), letters)
        if kind == "pairs":
            return Translator(random_model(EncoderDecoderConfig(**{**PAIR, **shared})), letters)
        task: Any = {"task": kind, "labels": ["x", "y", "z"] if kind != "mlm" else []}
        return Predictor(random_model(EncoderConfig(num_layers=2, **{"norm": "pre", **task, **shared})), letters)

    return of


@contextmanager
def outputs_of(model: Any) -> Iterator[dict[str, torch.Tensor]]:
    """The outputs of feed-forward layers, and the inputs of output projections, by PyTorch's hooks."""
    found: dict[str, torch.Tensor] = {}
    hooks = []
    for name, module in model.named_modules():
        if name.endswith(".feed_forward"):
            hooks.append(module.register_forward_hook(lambda _, __, out, name=name: found.__setitem__(name, out[0])))
        elif name.endswith("attention.output_proj"):
            hooks.append(module.register_forward_hook(lambda _, got, __, name=name: found.__setitem__(name, got[0][0])))
    yield found
    for hook in hooks:
        hook.remove()


@pytest.mark.parametrize("variant", VARIANTS)
def test_parts_add_up(variant: str) -> None:
    """The sum of contributions is the logit; those of a head's values are the head's; the terms of a score are the score."""
    model = pair_model(**VARIANTS[variant])
    reading = read(model, IDS)
    found = logit_parts(reading, slice(None), CLASSES)
    with torch.no_grad():
        logits = model(torch.tensor(IDS[:1]), torch.tensor(IDS[1:]))[0][range(4), CLASSES]
    scale = 1 + found.values.abs().sum(dim=1)
    assert float(((found.values.sum(dim=1) - logits).abs() / scale).max()) < 1e-5
    for name in ("encoder.1.2", "decoder.1.3", "cross.1.1"):
        head = HeadName.parse(name)
        score = score_parts(reading, head, 3, 2)
        assert abs(float(score.values.sum()) - score.score) < 1e-5 * (1 + float(score.values.abs().sum()))
        if name.startswith("encoder"):
            continue
        moved = moved_values(reading, head, slice(None), CLASSES)
        assert moved.adds is not None
        if variant != "shaw" or head.kind == "cross":  # else positions add to values
            gaps = moved.adds.sum(dim=1) - found.values[:, found.names.index(name)]
            assert float((gaps.abs() / scale).max()) < 1e-5


def test_parts_are_what_modules_give() -> None:
    """Not only their sum: each head by its columns of the projection's matrix, each feed-forward layer by its output."""
    model = pair_model()
    with torch.no_grad(), outputs_of(model) as seen:
        model(torch.tensor(IDS[:1]), torch.tensor(IDS[1:]))
    parts = dict[str, torch.Tensor]()
    reading = read(model, IDS)
    for added in [*reading.added("encoder"), *reading.added("decoder")]:
        parts |= dict(zip(added.names, added.vectors, strict=True))
    for stack in ("encoder", "decoder"):
        torch.testing.assert_close(parts[f"{stack}.1.feed_forward"], seen[f"{stack}_layers.1.feed_forward"])
    weight = model.decoder_layers[1].cross_attention.output_proj.weight
    context = seen["decoder_layers.1.cross_attention.output_proj"]
    torch.testing.assert_close(parts["cross.1.2"], context[:, 8:12] @ weight[:, 8:12].T)
    table = model.target_embedding(torch.tensor(IDS[1])) * 4  # sqrt(16)
    torch.testing.assert_close(parts["token"], table)


def test_the_scores_terms_against_one_part_taken_away() -> None:
    """Without positions inside attention, a term of `token x token` is what the score loses when both vectors lose theirs."""
    model = pair_model()
    reading = read(model, IDS)
    found = score_parts(reading, HeadName("encoder", 0, 1), 2, 4)
    assert found.query_names == ["token", "position", "bias"]
    norm, attention = reading.norm_before(Site("encoder", 0)), model.encoder_layers[0].self_attention
    tokens = norm.linear(next(iter(reading.added("encoder"))).vectors)[0]
    with torch.no_grad():
        query, key = (each.weight[4:8] for each in (attention.query_proj, attention.key_proj))
        term = (query @ tokens[2]) @ (key @ tokens[4]) / 2  # sqrt(4)
    assert float(found.values[0, 0]) == pytest.approx(float(term), abs=1e-5)
    weights = [score_parts(reading, HeadName("encoder", 0, 1), 2, each) for each in range(5)]
    assert sum(each.weight for each in weights) == pytest.approx(1, abs=1e-5)
    softmax = torch.tensor([each.score for each in weights]).softmax(dim=0)
    assert softmax.tolist() == pytest.approx([each.weight for each in weights], abs=1e-5)
    mean = torch.stack([each.values for each in weights]).mean(dim=0)
    torch.testing.assert_close(found.mean, mean, rtol=1e-4, atol=1e-5)


def test_the_last_layers_heads_have_no_other_effect(make: Callable[..., Any]) -> None:
    """Without norms, what a head of the last layer's cross-attention adds passes only the feed-forward layer after it."""
    pipeline = make("pairs", norm_kind="none")
    with torch.no_grad():
        pipeline.model.decoder_layers[1].feed_forward.output_proj.weight.zero_()
    whole = contributions(pipeline, "abc", "de")
    with gated(pipeline.model, ablated_gates(pipeline.model, [HeadName("cross", 1, 2)])):
        without = contributions(pipeline, "abc", "de")
    part = whole.values[:, whole.parts.index("cross.1.2")]
    assert abs(part).max() > 0.1
    numpy.testing.assert_allclose(whole.logits - without.logits, part, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("kind", ["pairs", "text", "tag"])
def test_every_family(kind: str, make: Callable[..., Any], tmp_path: Path) -> None:
    pipeline = make(kind)
    target = "ed" if kind == "pairs" else None
    found = contributions(pipeline, "abcde", target)
    numpy.testing.assert_allclose(found.values.sum(axis=1), found.logits, atol=1e-4)
    answers = ("x", "z") if kind == "tag" else ("b", "d")
    both = contributions(pipeline, "abcde", target, answers=answers)
    assert both.rows == [" - ".join(answers)] * len(both.rows)
    if kind != "pairs":
        with torch.no_grad():
            logits = pipeline.model(torch.tensor([pipeline.ids_of("abcde")]))[0]
        ids = [0, 2] if kind == "tag" else [pipeline.tokenizer.id_of(each) for each in answers]
        numpy.testing.assert_allclose(both.logits, logits[:, ids[0]] - logits[:, ids[1]], atol=1e-4)
    assert len(found.records()) == found.values.size
    found.save(tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text())["contributions"] == found.records()
    assert sum(found.of_row(0, 3).values()) == pytest.approx(float(found.logits[0]), abs=1e-4)
    head = "cross.1.2" if kind == "pairs" else "decoder.1.2" if kind == "text" else "encoder.1.2"
    moved = head_values(pipeline, "abcde", head, target)
    assert moved.adds is not None
    numpy.testing.assert_allclose(moved.adds.sum(axis=1), found.values[:, found.parts.index(head)], atol=1e-4)
    assert {len(names) for names in moved.into} == {3}
    reasons = why_key(pipeline, "abcde", head, 1, 0, target)
    assert reasons.values.sum() == pytest.approx(reasons.score, abs=1e-4)
    for sums in (reasons.by_query, reasons.by_key):
        assert sum(sums.values()) == pytest.approx(sum(reasons.above_mean.values()), abs=1e-4)
    seen = pipeline.inspect("abcde", target) if target else pipeline.inspect("abcde")
    assert reasons.weight == pytest.approx(float(seen[head][1, 0]), abs=1e-5)
    for result in (found, moved, reasons):
        result.save(tmp_path / "found.csv")
        assert len((tmp_path / "found.csv").read_text().splitlines()) == 1 + len(result.records())
    found.figure(0)
    reasons.save(tmp_path / "found.svg")
    assert "looks at" in (tmp_path / "found.svg").read_text()


def test_heads_of_an_encoder_before_a_decoder_write_no_token(make: Callable[..., Any]) -> None:
    found = head_values(make("pairs"), "abc", "encoder.0.1", "de")
    assert found.adds is None
    assert found.into == []
    assert found.norms.shape == (len(found.rows), len(found.keys)) == (len(found.keys),) * 2
    assert head_values(make("pairs"), "abc", "encoder.0.1", "de", count=1).records()[0]["adds"] is None


@pytest.mark.parametrize("is_merged", [False, True])
def test_an_adapter_is_among_the_parts(is_merged: bool, make: Callable[..., Any]) -> None:
    pipeline = make("text")
    before = contributions(pipeline, "abcde").logits
    add_adapter(pipeline.model, AdapterConfig(rank=2))
    for name, parameter in pipeline.model.named_parameters():
        if name.endswith(".up"):
            parameter.data += 0.3 * torch.randn_like(parameter)
    active = contributions(pipeline, "abcde")
    if is_merged:
        pipeline = LanguageModel(merged(pipeline.model), pipeline.tokenizer)
    found = contributions(pipeline, "abcde")
    assert abs(found.logits - before).max() > 0.01
    numpy.testing.assert_allclose(found.values, active.values, atol=1e-4)
    reasons = why_key(pipeline, "abcde", "decoder.1.1", 4, 2)
    assert reasons.values.sum() == pytest.approx(reasons.score, abs=1e-4)


def test_pruned_heads_and_threads(make: Callable[..., Any]) -> None:
    pipeline = make("pairs", num_kv_heads=2)
    prune_heads(pipeline.model, {Site("cross", 1): [0, 1]})
    texts = ["abcde", "bb", "edc", "a"]
    expected = {text: contributions(pipeline, text, "de") for text in texts}
    assert "cross.1.1" not in expected["bb"].parts
    assert why_key(pipeline, "abc", "cross.1.3", 0, 1, "d").values.size
    found: dict[str, Any] = {}
    threads = [
        threading.Thread(target=lambda text=text: found.__setitem__(text, contributions(pipeline, text, "de")))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for text in texts:
        numpy.testing.assert_allclose(found[text].values, expected[text].values, atol=1e-5)


def test_what_cannot_be_split_is_refused_by_name(make: Callable[..., Any]) -> None:
    with pytest.raises(SettingsError, match=r"norms after the residual sum \(model.norm: post\).*regard heads"):
        contributions(make("pairs", norm="post"), "abc", "d")
    with pytest.raises(SettingsError, match=r"the head of task mlm.*regard inspect --flow gradient"):
        contributions(make("mlm"), "abc")
    with pytest.raises(SettingsError, match=r"the head of task classify.*regard patch"):
        head_values(make("classify"), "abc", "encoder.0.0")
    assert why_key(make("classify"), "abc", "encoder.1.0", 1, 2).weight > 0  # needs no head of the task
    with pytest.raises(SettingsError, match="`output_transform`"):
        contributions(make("text", output_transform=True), "abc")
    narrow = make("text")
    narrow.model.bfloat16()
    with pytest.raises(SettingsError, match="weights of float32; got bfloat16"):
        contributions(narrow, "abc")
    for score in (Additive(4, 4, 5), Cosine()):
        pipeline = make("text")
        multihead_attentions(pipeline.model)[Site("decoder", 1)].attention.score = score
        assert contributions(pipeline, "abc").values.size  # the weights are what they are
        with pytest.raises(SettingsError, match=f"dot product to be split into parts; got {type(score).__name__}"):
            why_key(pipeline, "abc", "decoder.1.0", 1, 0)
    multihead_attentions(pipeline.model)[Site("decoder", 1)].attention.score = DotProduct()
    assert why_key(pipeline, "abc", "decoder.1.0", 1, 0).score


def test_a_replaced_module_is_found(make: Callable[..., Any]) -> None:
    pipeline = make("text")
    layer, given = pipeline.model.layers[0], pipeline.model.layers[0].forward
    layer.forward = lambda *inputs, **options: given(*inputs, **options) * 1.5
    with pytest.raises(SettingsError, match="must add up to its logits; got sums that differ by"):
        contributions(pipeline, "abc")


def test_places_that_are_not(make: Callable[..., Any]) -> None:
    text, pairs = make("text"), make("pairs")
    with pytest.raises(SettingsError, match="key must be one that query 1 may attend to; got 2, which a mask hides"):
        why_key(text, "abc", "decoder.0.0", 1, 2)
    with pytest.raises(SettingsError, match=r"query must be from 0 to \d; got 40"):
        why_key(pairs, "abc", "cross.0.0", 40, 2, "de")
    with pytest.raises(SettingsError, match=r"key must be from 0 to \d; got -1"):
        why_key(pairs, "abc", "cross.0.0", 0, -1, "de")
    with pytest.raises(SettingsError, match=r"cross\.7\.0"):
        head_values(pairs, "abc", "cross.7.0", "de")
    with pytest.raises(SettingsError, match=r"row must be from 0 to 3; got 4"):
        contributions(pairs, "abc", "de").of_row(4)
    with pytest.raises(SettingsError, match="`target` is for models that translate; got a language model"):
        contributions(text, "abc", "de")
    with pytest.raises(SettingsError, match=r"the output must end in \.json, \.csv, \.svg, \.png; got 'a.html'"):
        contributions(text, "abc").save("a.html")


def test_the_command(
    make: Callable[..., Any], letters: Tokenizer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    save_new(folder, make("pairs").model, letters)

    def command(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            run(["why", str(folder), "abcde", "--target", "ed", *words, "--device", "cpu"])
        said = capsys.readouterr()
        assert int(ended.value.code or 0) in (0, 2)
        assert not said.out or words[:1] == ("--json",) or max(map(len, said.out.splitlines())) <= 80
        return said.out or said.err

    assert command().splitlines()[0].split() == ["row", "says", "logit", "largest", "parts"]
    lines = command("--at", "1").splitlines()
    assert float(lines[0].split("logit ")[1].split()[0]) == pytest.approx(
        sum(float(line.split()[-1]) for line in lines[2:]), abs=0.3
    )
    assert "weight" in command("--head", "cross.1.2")
    assert len(command("--head", "cross.1.2", "--at", "0").splitlines()) > 6
    assert "above the mean of keys" in command("--key", "cross.1.2:1:2")
    assert json.loads(command("--json", "--answers", "a,b"))["rows"][0] == "a - b"
    assert "`--at` has no effect in JSON" in command("--json", "--at", "1")
    assert "`--json` has no effect with -o" in command("--json", "-o", str(tmp_path / "x.csv"))
    assert "wrote" in command("-o", str(tmp_path / "bars.png"))
    assert "must be written HEAD:ROW:KEY" in command("--key", "cross.1.2")
    assert "`--head` has no effect with --key" in command("--key", "cross.1.2:0:0", "--head", "cross.0.1")
    assert "`--at` must be from 0 to 3" in command("--head", "cross.1.2", "--at", "9")


@pytest.mark.parametrize(
    "settings", [{}, {"scale_embeddings": True}, {"norm": "sandwich", "norm_kind": "rms", "gated": True}]
)
def test_parts_of_parallel_sublayers_add_up(settings: dict[str, Any]) -> None:
    """Feed-forward reads what attention reads, as in GPT-NeoX."""
    config = DecoderConfig(vocab_size=23, num_layers=3, **SIZES, parallel_residual=True, **{"norm": "pre"} | settings)
    reading = read(random_model(config), [[4, 5, 6, 7]])
    total = sum(added.vectors.sum(dim=0) for added in reading.added("decoder"))
    torch.testing.assert_close(total, reading.tops["decoder"], rtol=1e-4, atol=1e-5)
