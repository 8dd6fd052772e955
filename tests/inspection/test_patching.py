"""Activation patching, held against its laws and against hooks of PyTorch's own."""

import itertools
import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.analysis import patching
from regard.analysis.patching import Place, _head_places, _patched, _runs, _state_places, patch
from regard.cli.main import run
from regard.errors import DataError, SettingsError
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs import progress
from regard.text.tokenizer import Tokenizer

SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 24, "num_heads": 4, "max_positions": 40, "dropout": 0.0}
CONFIGS: dict[str, Any] = {
    "pairs": EncoderDecoderConfig(vocab_size=16, num_encoder_layers=2, num_decoder_layers=2, **SIZES),
    "pre-norm": EncoderDecoderConfig(
        vocab_size=16,
        num_encoder_layers=3,
        num_decoder_layers=1,
        norm="pre",
        num_kv_heads=2,
        positions="rotary",
        **SIZES,
    ),
    "text": DecoderConfig(vocab_size=16, num_layers=3, **SIZES),
    "classes": EncoderConfig(vocab_size=16, num_layers=2, task="classify", labels=["x", "y", "z"], **SIZES),
}


@pytest.fixture
def make(letters: Tokenizer) -> Any:
    def of(name: str) -> Any:
        torch.manual_seed(7)
        model = build(CONFIGS[name].model_copy(update={"vocab_size": len(letters)})).eval()
        for parameter in model.parameters():
            parameter.data += 0.4 * torch.randn_like(parameter)
        kinds: dict[str, Any] = {"text": LanguageModel, "classes": Predictor}
        return kinds.get(name, Translator)(model, letters)

    return of


def answers(name: str) -> tuple[str, str]:
    return ("x", "y") if name == "classes" else ("c", "f")


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("what", ["states", "heads"])
def test_a_text_patched_with_itself_stays(name: str, what: str, make: Any) -> None:
    pipeline = make(name)
    runs, (names, classes) = _runs(pipeline, ("abcde", "abcde"), answers(name), "")
    pair = classes[names[0]], classes[names[1]]
    places = _state_places(pipeline.model, runs[0]) if what == "states" else _head_places(pipeline.model)
    found = _patched(pipeline.model, runs, what, [[], *([place] for place in places)], pair)
    assert found == pytest.approx([found[0]] * len(found), abs=2e-5)
    with pytest.raises(DataError, match="the two texts must differ; got the same text twice"):
        patch(pipeline, "abcde", "abcde", answers=answers(name))


@pytest.mark.parametrize("name", CONFIGS)
def test_all_positions_of_a_layer_give_the_other_text(name: str, make: Any) -> None:
    """From a layer on, all that follows is computed from its states. A target that both share is the same until it looks."""
    pipeline = make(name)
    runs, (names, classes) = _runs(pipeline, ("abcde", "hbgaf"), answers(name), "")
    pair = classes[names[0]], classes[names[1]]
    stack, layers = next(iter(pipeline.model.layer_stacks().items()))
    groups = [[Place(stack, layer, at) for at in range(len(runs[0].tokens[stack]))] for layer in range(len(layers))]
    found = _patched(pipeline.model, runs, "states", groups, pair)
    result = patch(pipeline, "abcde", "hbgaf", answers=answers(name))
    assert result.difference != pytest.approx(result.other_difference, abs=1e-3)
    assert found == pytest.approx([result.other_difference] * len(layers), abs=1e-4)


@pytest.mark.parametrize("name", ["pairs", "text"])
def test_the_last_state_decides_alone(name: str, make: Any) -> None:
    found = patch(make(name), "abcde", "hbgaf", answers=("c", "f"))
    assert float(found.effects["decoder"][-1, -1]) == pytest.approx(1, abs=1e-3)
    if name == "text":
        assert float(found.effects["decoder"][-1, :-1].abs().max()) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("name", CONFIGS)
def test_states_against_hooks_of_pytorch(name: str, make: Any) -> None:
    pipeline = make(name)
    result = patch(pipeline, "abcde", "hbgaf", answers=answers(name))
    runs, (names, classes) = _runs(pipeline, ("abcde", "hbgaf"), answers(name), "")
    model, kept = pipeline.model, dict[Any, torch.Tensor]()
    for stack, layers in model.layer_stacks().items():
        for number, layer in enumerate(layers):
            hook = layer.register_forward_hook(lambda _, __, out, at=(stack, number): kept.__setitem__(at, out.clone()))
            model(*runs[1].rows(1, torch.device("cpu")))
            hook.remove()
            for position in (0, len(runs[0].tokens[stack]) - 1):

                def put(_: Any, __: Any, out: Any, at: Any = (stack, number), where: int = position) -> Any:
                    out = out.clone()
                    out[0, where] = kept[at][0, where]
                    return out

                hook = layer.register_forward_hook(put)
                with torch.no_grad():
                    logits = model(*runs[0].rows(1, torch.device("cpu")))
                hook.remove()
                scores = (logits[0, -1] if logits.ndim == 3 else logits[0]).log_softmax(dim=-1)
                expected = float(scores[classes[names[0]]] - scores[classes[names[1]]])
                assert float(result.differences[stack][number, position]) == pytest.approx(expected, abs=1e-4)


def test_a_head_is_patched_alone(make: Any) -> None:
    """Heads of cross-attention bring all of the source: patched together, they give what B says."""
    pipeline = make("pairs")
    runs, (names, classes) = _runs(pipeline, ("abcde", "hbgaf"), ("c", "f"), "")
    pair = classes[names[0]], classes[names[1]]
    every = [Place("cross", layer, head) for layer in range(2) for head in range(4)]
    result = patch(pipeline, "abcde", "hbgaf", what="heads", answers=("c", "f"))
    together, none = _patched(pipeline.model, runs, "heads", [every, []], pair)
    assert together == pytest.approx(result.other_difference, abs=1e-4)
    assert none == pytest.approx(result.difference, abs=1e-4)
    assert {kind: tuple(grid.shape) for kind, grid in result.differences.items()} == {
        "encoder": (2, 4), "decoder": (2, 4), "cross": (2, 4)
    }  # fmt: skip
    assert result.differences["decoder"][0].std() < 1e-5  # the target so far is the same in both
    assert result.differences["cross"].std() > 1e-3


def test_pruned_heads_have_no_place(make: Any) -> None:
    from regard.models.heads import Site, prune_heads

    pipeline = make("pairs")
    prune_heads(pipeline.model, {Site("encoder", 0): [1]})
    grid = patch(pipeline, "abcde", "hbgaf", what="heads", answers=("c", "f")).differences["encoder"]
    assert grid.isnan().nonzero().tolist() == [[0, 1]]


def test_a_trained_model_is_found_to_read_the_letter_that_differs() -> None:
    """It writes letters backwards, in capitals: the last letter decides the first that is written, and no other does."""
    translator = regard.load(Path(__file__).parents[1] / "stored" / "int8", kind=Translator, device="cpu")
    found = patch(translator, "abcde", "abcdf")
    assert found.answers == ("E", "F")
    assert found.difference > 0 > found.other_difference
    top = found.effects["encoder"][-1]
    assert found.tokens["encoder"][int(top.argmax())] == "e"
    assert float(top.max()) > 0.8
    later = patch(translator, "abcde", "abgde", prefix="ED")
    assert later.answers == ("C", "G")
    assert later.tokens["encoder"][int(later.effects["encoder"][-1].argmax())] == "c"


def test_answers_are_named(make: Any) -> None:
    pipeline = make("pairs")
    found = patch(pipeline, "abcde", "hgfab", answers=("c", "f"))
    assert found.answers == ("c", "f")
    records = found.records()
    assert len(records) == sum(grid.numel() for grid in found.differences.values())
    assert records[0].keys() == {"kind", "layer", "position", "token", "difference", "effect"}
    with pytest.raises(DataError, match=r"must differ; got 'c' for both\. Change another word, or .* in Python"):
        patch(pipeline, "abc", "abd", answers=("c", "c"))
    with pytest.raises(
        DataError, match=r"texts must have the same number of tokens.*; got \d and \d+\. Change one word"
    ):
        patch(pipeline, "abc", "abcd", answers=("c", "d"))
    with pytest.raises(SettingsError, match="what must be states or heads; got 'neurons'"):
        patch(pipeline, "abc", "abd", what="neurons")
    with pytest.raises(SettingsError, match="answers must be labels of the model; got 'w'"):
        patch(make("classes"), "abc", "abd", answers=("x", "w"))
    with pytest.raises(SettingsError, match="`prefix` is for models that translate"):
        patch(make("text"), "abc", "abd", prefix="c")
    with pytest.raises(SettingsError, match="prefix 'Ω' cannot be written: it is not in the model's vocabulary"):
        patch(pipeline, "abc", "abd", answers=("c", "d"), prefix="Ω")


def test_a_recurrent_model_has_no_places(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("ab\tba\ncd\tdc\n" * 20)
    regard.train(tmp_path / "p.tsv", tmp_path / "m", arch="rnn", steps=1, device="cpu")
    with pytest.raises(SettingsError, match="got a recurrent model"):
        patch(regard.load(tmp_path / "m"), "ab", "cd")


def test_threads_on_one_model(make: Any) -> None:
    pipeline = make("pairs")
    texts = ["abcde", "hbgaf", "aaaaa", "ffbbc"]
    expected = {text: patch(pipeline, "bcbcb", text, answers=("c", "f")).differences["encoder"] for text in texts}
    found: dict[str, torch.Tensor] = {}

    def work(text: str) -> None:
        found[text] = patch(pipeline, "bcbcb", text, answers=("c", "f")).differences["encoder"]

    threads = [threading.Thread(target=work, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for text in texts:
        torch.testing.assert_close(found[text], expected[text], rtol=0, atol=2e-5)


def test_more_places_than_fit_in_a_batch(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = patch(make("pairs"), "abcde", "hbgaf", answers=("c", "f")).differences
    monkeypatch.setattr(patching, "PLACES_AT_ONCE", 3)
    parts = patch(make("pairs"), "abcde", "hbgaf", answers=("c", "f")).differences
    for kind, grid in whole.items():
        torch.testing.assert_close(parts[kind], grid, rtol=0, atol=2e-5)


@pytest.mark.parametrize("what", ["states", "heads"])
def test_how_many_runs_are_made_is_told(what: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patching, "PLACES_AT_ONCE", 4)
    pipeline, told, rows = make("pairs"), list[tuple[str, int, int]](), list[int]()
    whole = patch(pipeline, "abcde", "hbgaf", what=what, answers=("c", "f")).differences
    num_places = sum(grid.isfinite().sum().item() for grid in whole.values())

    def tell(name: str, done: int, total: int) -> None:
        told.append((name, done, total))

    pipeline.model.register_forward_pre_hook(lambda _, inputs: rows.append(len(inputs[0])))
    patch(pipeline, "abcde", "hbgaf", what=what, answers=("c", "f"), tell=tell)
    assert told[0] == ("patching", 0, num_places + 4)
    assert [done for _, done, _ in told[1:]] == list(itertools.accumulate(rows[:-2]))  # the last two are A and B alone
    assert told[-1] == ("patching", num_places + 4, num_places + 4)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(Path(__file__).parents[1] / "stored" / "int8")

    def command(*words: str) -> int:
        with pytest.raises(SystemExit) as ended:
            run(["patch", folder, *words, "--device", "cpu"])
        return int(ended.value.code or 0)

    assert command("abcde", "abcdf") == 0
    said = capsys.readouterr().out
    assert "log p(E) - log p(F): +" in said
    rows = {line.split()[0]: line for line in said.splitlines() if line[:1] not in ("", " ") and "effects" not in line}
    assert float(rows["e"].split()[1]) > 0.8
    assert max(map(len, said.splitlines())) <= 80
    monkeypatch.setattr(progress, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(patching, "PLACES_AT_ONCE", 4)
    assert command("abcde", "abcdf") == 0
    captured = capsys.readouterr()
    assert captured.out == said
    assert re.fullmatch(r"patching: \d+ runs, about 0:\d\d in all\n", captured.err)  # no bar, as this is no terminal
    monkeypatch.undo()
    assert command("abcde", "abcdf", "--heads", "--answers", "E,F", "-o", str(tmp_path / "found.json")) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    assert {place["kind"] for place in found["places"]} == {"encoder", "decoder", "cross"}
    assert command("abcde", "abcdf", "--answers", "E") == 2
    assert "must be two tokens or labels with a comma between" in capsys.readouterr().err
    assert command("abcde", "abcd") == 2
    assert "texts must have the same number of tokens" in capsys.readouterr().err
