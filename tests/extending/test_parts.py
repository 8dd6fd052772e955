"""Everything that can be added from outside is: through the public names alone, and no file of ours knows of it."""

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
import tokenizers
import torch
from torch import Tensor, nn

import regard
from regard.cli.main import run
from regard.extending import (
    Account,
    ActiveBatch,
    Architecture,
    AttentionPositions,
    Decoder,
    DecoderConfig,
    DecodingOptions,
    Family,
    ForeignModel,
    Format,
    Hypothesis,
    Inputs,
    LoadedModel,
    ModelConfig,
    PairModel,
    PairsTask,
    RunDisplay,
    RunSettings,
    Tokenizer,
    Translator,
    add_attention_score,
    add_decoding_method,
    add_family,
    add_format,
    add_metric,
    add_position_scheme,
    add_task,
)

NAMES = [
    "ada",
    "bea",
    "cleo",
    "dana",
    "eda",
    "fabio",
    "gabi",
    "hedda",
    "ida",
    "jo",
    "kai",
    "lea",
    "mia",
    "noa",
    "ole",
    "pia",
]
WORDS = sorted({first + second for first in NAMES for second in NAMES})
PAIRS = [(word, word.upper()) for word in WORDS]
TINY = {
    "tokenizer": {"kind": "characters"},
    "training": {"batch_tokens": 400, "learning_rate": 0.01, "warmup_steps": 10},
}
SMALL = {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}


def small(**changes: Any) -> dict[str, dict[str, Any]]:
    """Settings for a small Transformer."""
    model = SMALL | changes.pop("model", {})
    return {"model": model, "tokenizer": TINY["tokenizer"], "training": TINY["training"] | changes}


# (a) an attention score


class Manhattan(nn.Module):
    """score(q, k) = - sum over dimensions of |q - k|."""

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        return -(query[..., :, None, :] - key[..., None, :, :]).abs().sum(dim=-1)


def test_a_score_is_an_argument_of_attention() -> None:
    query, key, value = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    expected = (-torch.cdist(query, key, p=1)).softmax(dim=-1) @ value
    torch.testing.assert_close(regard.nn.attention(query, key, value, score=Manhattan()), expected)


def test_a_score_has_a_name_in_settings(tmp_path: Path) -> None:
    add_attention_score("manhattan", lambda dim: Manhattan())
    settings = {"model": {"model_dim": 24, "score": "manhattan"}, **TINY}
    result = regard.train(PAIRS, tmp_path / "m", arch="rnn", settings=settings, steps=2)
    assert isinstance(regard.load(tmp_path / "m").model.cross_attention.score, Manhattan)
    weights = torch.tensor(result.translator.align("kaimia", "KAIMIA").weights)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(weights)))
    with pytest.raises(regard.SettingsError, match=r"score must be one of .*manhattan.*; got 'euclid'"):
        regard.train(PAIRS, tmp_path / "n", arch="rnn", settings=settings | {"model": {"score": "euclid"}}, steps=1)
    with pytest.raises(regard.SettingsError, match="new name; got dot"):
        add_attention_score("dot", lambda dim: Manhattan())


# (b) a position scheme


class Kerple(AttentionPositions):
    """bias(d) = - a log(1 + b |d|), a and b learnt by each head. Source: Chi et al. 2022, equation 9."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.a, self.b = (nn.Parameter(torch.full((num_heads,), 0.5)) for _ in range(2))

    def bias(self, query: Tensor, key: Tensor, distance: Tensor, heads: list[int] | None = None) -> Tensor:
        a, b = (x.abs()[slice(None) if heads is None else heads, None, None] for x in (self.a, self.b))
        return -a * (1 + b * (distance if distance.ndim > 2 else distance[None]).abs()).log()


def test_a_position_scheme_has_a_name_in_settings(tmp_path: Path) -> None:
    add_position_scheme("kerple", lambda config, is_decoder: Kerple(config.num_heads))
    result = regard.train(
        PAIRS, tmp_path / "m", settings=small(model={"positions": "kerple", "norm": "pre", "dropout": 0.0}), steps=5
    )
    loaded = regard.load(tmp_path / "m")
    moved = [p for name, p in loaded.model.named_parameters() if name.endswith("positions.a")]
    assert len(moved) == 2
    assert all((p != 0.5).all() for p in moved)
    # step by step with a cache, and all at once, are the same
    (scored,) = loaded.score(["adabea"], ["ADABEA"])
    found = result.translator.translate("adabea", prefixes="ADABEA", beam_size=1)
    torch.testing.assert_close(found.token_log_probs[:6], scored.token_log_probs[:6], rtol=1e-4, atol=1e-4)
    with pytest.raises(regard.SettingsError, match="new name; got rotary"):
        add_position_scheme("rotary", lambda config, is_decoder: Kerple(config.num_heads))


# (c) a family of models


class LookUpConfig(ModelConfig):
    """The configuration of `LookUp`."""

    arch: Literal["look-up"] = "look-up"
    window: float = 4.0


@dataclass
class LookUpState:
    """The source, and how many tokens of each target are written."""

    memory: Tensor
    mask: Tensor
    length: Tensor

    def select(self, sentences: Tensor, parents: Tensor) -> "LookUpState":
        return LookUpState(self.memory[sentences], self.mask[sentences], self.length[sentences])

    def replace(self, slots: Tensor, other: "LookUpState", sentences: Tensor) -> "LookUpState":
        width = max(self.memory.shape[1], other.memory.shape[1])
        ours, theirs = self.widened(width), other.widened(width)
        for mine, new in zip(
            (ours.memory, ours.mask, ours.length), (theirs.memory, theirs.mask, theirs.length), strict=True
        ):
            mine[slots] = new[sentences]
        return ours

    def release(self, slots: Tensor) -> "LookUpState":
        length = self.length.clone()
        length[slots] = 0
        return replace(self, length=length)

    def widened(self, width: int) -> "LookUpState":
        missing = width - self.memory.shape[1]
        memory = nn.functional.pad(self.memory, (0, 0, 0, missing))
        return LookUpState(memory, nn.functional.pad(self.mask, (0, missing)), self.length.clone())


class LookUp(PairModel):
    """Each target token is a look-up: the query is the token before and its position, the database is the source.

    query[t] = target[t] + position[t];  key[s] = value[s] = source[s] + position[s];  states[t] = tanh(W [query, context])
    """

    output_bias = None

    def __init__(self, config: LookUpConfig) -> None:
        super().__init__()
        self.config, dim = config, config.model_dim
        self.source_embedding, self.target_embedding = (nn.Embedding(config.vocab_size, dim) for _ in range(2))
        self.output_embedding = nn.Embedding(config.vocab_size, dim)
        self.positions = nn.Embedding(config.max_positions, dim)
        self.look_up = regard.nn.Attention(regard.nn.ScaledDotProduct())
        self.proj = nn.Linear(2 * dim, dim)
        for table in (self.source_embedding, self.target_embedding, self.output_embedding, self.positions):
            nn.init.normal_(table.weight, std=0.3)

    @property
    def attention_names(self) -> dict[str, list[str]]:
        return {"cross": ["look_up"]}

    def prefill(self, source_ids: Tensor) -> LookUpState:
        mask = source_ids != self.config.pad_id
        memory = self.source_embedding(source_ids) + self.positions((mask.cumsum(dim=1) - 1).clamp(min=0))
        return LookUpState(memory, mask, source_ids.new_zeros(len(source_ids)))

    def states(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        is_token = target_ids != self.config.pad_id
        return self._states(target_ids, (is_token.cumsum(dim=1) - 1).clamp(min=0), self.prefill(source_ids))

    def step_states(self, ids: Tensor, state: LookUpState) -> tuple[Tensor, LookUpState]:
        states = self._states(ids, state.length[:, None].expand(ids.shape), state)
        return states, replace(state, length=state.length + 1)

    def _states(self, ids: Tensor, positions: Tensor, state: LookUpState) -> Tensor:
        query = self.target_embedding(ids) + self.positions(positions) * self.config.window
        memory = state.memory[:, None]
        context = self.look_up(query[:, None], memory, memory, state.mask[:, None, None])[:, 0]
        return torch.tanh(self.proj(torch.cat((query, context), dim=-1)))


PRESET = {"tiny": {"model": {"model_dim": 32, "max_positions": 40}, "tokenizer": TINY["tokenizer"], "training": {
    **TINY["training"], "steps": 300, "learning_rate": 0.02, "schedule": "linear"}}}  # fmt: skip
LOOK_UP = Family("a single look-up", Architecture(LookUpConfig, LookUp, PRESET), Translator, {None: PairsTask})


def test_a_family_is_trained_stored_loaded_searched_and_inspected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_family(LOOK_UP)
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    folder = tmp_path / "m"
    with pytest.raises(SystemExit) as ended:
        run(["train", str(tmp_path / "pairs.tsv"), "-o", str(folder), "--arch", "look-up", "--threads", "1"])
    assert not ended.value.code
    shown = capsys.readouterr().out
    assert f"translate {folder}" in shown
    assert "a single look-up".capitalize() in (folder / "README.md").read_text()
    translator = regard.load(folder)
    assert isinstance(translator, Translator)
    scores = translator.evaluate(*zip(*PAIRS[:60], strict=True))
    assert scores["exact_match"] > 0.9
    # whatever is decoded beside it, and however
    texts = [source for source, _ in PAIRS[:40]]
    together = [found.text for found in translator.translate(texts, beam_size=3, batch_size=7)]
    assert together == [translator.translate(text, beam_size=3).text for text in texts]
    assert translator.translate("adabea", method="sample", n_best=3, seed=2).n_best[2].text
    seen = translator.inspect("adabea", "ADABEA")
    assert torch.tensor(seen["cross.0.0"].filled(0)).argmax(dim=-1)[1:7].tolist() == list(range(1, 7))
    with pytest.raises(regard.SettingsError, match="new name; got look-up"):
        add_family(replace(LOOK_UP, description="another"))


def test_a_family_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    add_family(LOOK_UP)
    options: dict[str, Any] = {
        "arch": "look-up",
        "schedule": "constant",
        "average_decay": 0.9,
        "validate_every": 10,
        "warmup_steps": 5,
    }
    whole = regard.train(PAIRS, tmp_path / "whole", steps=40, **options)
    regard.train(PAIRS, tmp_path / "parts", steps=20, **options)
    parts = regard.train(PAIRS, tmp_path / "parts", steps=40, resume=True, **options)
    losses = [[row["valid_loss"] for row in run.run.history if "valid_loss" in row] for run in (whole, parts)]
    assert losses[0] == losses[1]
    ours, theirs = (dict(result.translator.model.named_parameters()) for result in (whole, parts))
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


# (d) a task


class Denoise(PairsTask):
    """Lines of one text file, each to be restored from what is left when letters are dropped."""

    @classmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> PairsTask:
        random = Random(1)
        lines = [line for name in inputs.training for line in Path(name).read_text().splitlines()]
        rows = [("".join(c for c in line if random.random() < 0.9) or line, line) for line in lines]
        return super().read(replace(inputs, training=rows), settings, display)


def test_a_task_has_a_name_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_task("encoder-decoder", "denoise", Denoise)
    (tmp_path / "words.txt").write_text("\n".join(WORDS) + "\n")
    small_model = [word for key, value in SMALL.items() for word in ("--set", f"model.{key}={value}")]
    with pytest.raises(SystemExit) as ended:
        run(["train", str(tmp_path / "words.txt"), "-o", str(tmp_path / "m"), "--task", "denoise", *small_model,
             "--set", "tokenizer.kind=characters", "--steps", "3", "--threads", "1"])  # fmt: skip
    assert not ended.value.code
    results = json.loads((tmp_path / "m" / "results.json").read_text())
    assert results["data"]["training"]["num_pairs"] + results["data"]["validation"]["num_pairs"] == len(WORDS)
    assert "--task denoise" in (tmp_path / "m" / "README.md").read_text()
    assert regard.load(tmp_path / "m").translate("adbea").text is not None
    with pytest.raises(regard.SettingsError, match=r"task.*denoise.*got denoize.*Did you mean 'denoise'"):
        regard.train([tmp_path / "words.txt"], tmp_path / "n", task="denoize")
    with pytest.raises(regard.SettingsError, match="new name; got mlm"):
        add_task("encoder", "mlm", Denoise)


# (e) an import format


def read_bundle(path: Path) -> ForeignModel:
    """A file with everything in it, as somebody else might store a language model."""
    content = torch.load(path, weights_only=True)
    tokenizer = Tokenizer(tokenizers.Tokenizer.from_str(content["tokenizer"]))
    sizes = content["sizes"]
    model = Decoder(DecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, **sizes))
    theirs = {name: name.replace("layers.", "h.") for name, _ in model.named_parameters()}
    model.load_state_dict({name: content["weights"][other] for name, other in theirs.items()}, strict=False)
    account = Account([(other, name) for name, other in theirs.items()])
    return ForeignModel("bundle", LoadedModel(model.eval(), tokenizer, tokenizer), account, path=path)


def test_a_format_is_loaded_and_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_format(Format("bundle", lambda path: path.suffix == ".bundle", read_bundle))
    tokenizer = Tokenizer.train(WORDS)
    sizes = {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_layers": 2, "max_positions": 30}
    model = Decoder(DecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, **sizes)).eval()
    weights = {name.replace("layers.", "h."): p.detach() for name, p in model.named_parameters()}
    bundle = tmp_path / "model.bundle"
    torch.save({"tokenizer": tokenizer.backend_json, "sizes": sizes, "weights": weights}, bundle)
    ids = torch.tensor([[5, 6, 7, 8]])
    torch.testing.assert_close(regard.load(bundle).model(ids), model(ids))
    with pytest.raises(SystemExit) as ended:
        run(["convert", str(bundle), str(tmp_path / "ours")])
    assert not ended.value.code
    torch.testing.assert_close(regard.load(tmp_path / "ours").model(ids), model(ids))
    broken = tmp_path / "broken.bundle"
    broken.write_bytes(b"no bundle")
    with pytest.raises(regard.ModelFolderError, match=r"broken\.bundle must be a whole model"):
        regard.load(broken)
    with pytest.raises(regard.SettingsError, match="new name; got Marian"):
        add_format(Format("Marian", lambda path: False, read_bundle))


def test_a_file_that_changes_while_it_is_read_is_read_again_whatever_its_name(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(WORDS)
    model = Decoder(DecoderConfig(vocab_size=len(tokenizer), pad_id=tokenizer.pad_id, model_dim=16, num_heads=2)).eval()
    loaded, read = LoadedModel(model, tokenizer, tokenizer), []

    def read_changing(path: Path) -> ForeignModel:
        read.append(path.read_bytes())
        if len(read) == 1:
            path.write_bytes(b"longer than before")
        return ForeignModel("changing", loaded, Account([]), path=path)

    file = tmp_path / "model.changing"
    file.write_bytes(b"old")
    add_format(Format("changing", lambda path: path.suffix == ".changing", read_changing))
    regard.load(file)
    assert read == [b"old", b"longer than before"]


# (f) a decoding rule and a filter


class Greedy:
    """A rule: the likeliest token at each step, until the end symbol."""

    width, starts = 1, (0,)

    def __init__(self, eos_id: int) -> None:
        self.eos_id = eos_id

    def advance(self, active: ActiveBatch, log_probs: Tensor) -> Tensor:
        added, ids = log_probs.max(dim=-1)
        scores, parents = active.scores + added, torch.zeros_like(ids)
        ends = (ids == self.eos_id) | (active.lengths + 1 >= active.limits)[:, None]
        for slot, _ in (ends & (active.scores > -torch.inf)).nonzero().tolist():
            id, at_end = int(ids[slot]), int(ids[slot]) == self.eos_id
            reason = "eos" if at_end else "length"
            active.finish(slot, 0, None if at_end else id, float(added[slot]), float(scores[slot]), reason)
        active.grow(parents, ids, added, scores.masked_fill(ends, -torch.inf))
        return parents

    def done(self, active: ActiveBatch) -> list[int]:
        return [slot for slot, found in enumerate(active.finished) if found and active.requests[slot] is not None]

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        return active.finished[slot]


class Endless(Greedy):
    """Goes on where it must end."""

    def advance(self, active: ActiveBatch, log_probs: Tensor) -> Tensor:
        ids = log_probs.cpu()[:, :, 4:].argmax(dim=-1) + 4
        parents = torch.zeros_like(ids)
        active.grow(parents, ids, torch.zeros(ids.shape), active.scores)
        return parents


@pytest.mark.parametrize("arch", ["encoder-decoder", "rnn"])
def test_a_rule_that_does_not_end_at_the_limit_is_an_error(arch: str) -> None:
    add_decoding_method("endless", lambda options, eos_id: Endless(eos_id))
    sizes = {"model_dim": 16} if arch == "rnn" else small()["model"]
    translator = regard.new(PAIRS, arch=arch, settings={**small(), "model": sizes})
    with pytest.raises(regard.SettingsError, match=r"must end a sentence at its limit; got one .* after 9 tokens"):
        translator.translate([source for source, _ in PAIRS[:5]], method="endless", max_length=9)


class Never:
    """A filter: some tokens are never written."""

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids

    def __call__(self, log_probs: Tensor, active: ActiveBatch) -> None:
        log_probs[..., self.ids] = -torch.inf


def test_a_rule_and_a_filter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_decoding_method("own-greedy", lambda options, eos_id: Greedy(eos_id))
    regard.train(PAIRS, tmp_path / "m", settings=small(model={"dropout": 0.0}), steps=100)
    translator = regard.load(tmp_path / "m")
    texts = [source for source, _ in PAIRS[:50]]
    expected = translator.translate(texts, beam_size=1, max_length=9)
    found = translator.translate(texts, DecodingOptions(method="own-greedy", batch_size=8, max_length=9))
    assert [each.text for each in found] == [each.text for each in expected]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine.token_log_probs, theirs.token_log_probs, rtol=1e-4, atol=1e-4)
    assert any("A" in each.text for each in expected)
    never = Never(translator.tokenizer.encode("A")[-1:])
    for method in ("beam", "sample", "own-greedy"):
        assert not any("A" in each.text for each in translator.translate(texts, method=method, filters=[never]))
    assert "A" not in "".join(translator.stream("adaada", filters=[never]))
    (tmp_path / "in.txt").write_text("adabea\n")
    with pytest.raises(SystemExit) as ended:
        run(["translate", str(tmp_path / "m"), str(tmp_path / "in.txt"), "--set", "method=own-greedy"])
    assert not ended.value.code
    assert capsys.readouterr().out.splitlines()[-1] == translator.translate("adabea", beam_size=1).text


# (g) a metric


def same_length(texts: list[str], references: list[str]) -> float:
    """The share of texts that are as long as their references."""
    return sum(len(a) == len(b) for a, b in zip(texts, references, strict=True)) / len(texts)


def test_a_metric_is_measured_and_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(regard.SettingsError, match=r"training.metric must be one .*; got same_length"):
        regard.train(PAIRS, tmp_path / "n", settings=small(metric="same_length"), steps=1)
    add_metric("same_length", same_length)
    result = regard.train(PAIRS, tmp_path / "m", settings=small(metric="same_length", validate_every=4), steps=12)
    measured = [row["valid_same_length"] for row in result.run.history if "valid_same_length" in row]
    assert len(measured) == 3
    assert result.run.best_scores["same_length"] == max(measured)
    sources, references = map(list, zip(*PAIRS[:30], strict=True))
    scores = result.translator.evaluate(sources, references)
    written = [found.text for found in result.translator.translate(sources)]
    assert scores["same_length"] == same_length(written, references)
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS[:30]))
    with pytest.raises(SystemExit):
        run(["evaluate", str(tmp_path / "m"), str(tmp_path / "pairs.tsv")])
    assert "same_length" in capsys.readouterr().out
    texts = ["--parts", "1", "-o", str(tmp_path / "parts")]
    for options in ([], texts, [*texts, "--collect"]):
        with pytest.raises(SystemExit):
            run(["evaluate", str(tmp_path / "m"), str(tmp_path / "pairs.tsv"), "--json", *options])
    shown = [json.loads(each) for each in re.findall(r"^\{.*?^\}", capsys.readouterr().out, re.M | re.S)]
    assert len(shown) == 2
    for name in {*scores, *shown[0], *shown[1], "loss", "num_errors", "by_direction", "mean"} - {"same_length"}:
        with pytest.raises(regard.SettingsError, match=f"new name; got {name}"):
            add_metric(name, lambda texts, references: 1.0)
    shutil.rmtree(tmp_path / "m")
