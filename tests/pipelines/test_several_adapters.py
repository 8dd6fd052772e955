"""Several adapters of one model: each text has its own, in one batch, and becomes what it becomes with that adapter alone."""

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.adapters import Base, save_adapter, weights_digest
from regard.checkpoint import load_model, save_new
from regard.compiled.library import find
from regard.errors import DataError, ModelFolderError, SettingsError
from regard.generation.mixed_adapters import Adapted
from regard.models.adaptation import AdapterConfig, adapted, add_adapter
from regard.models.config import EncoderDecoderConfig, ModelConfig, RecurrentConfig
from regard.models.registry import build
from regard.nn.lora import AdapterChoice, ChosenAdapter
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXTS = ["ab cde", "f", "abcdef fed cb a", "de", "", "cab", "fade a bead", "bed", "dad fed", "a"]
NAMES = ["legal", None, "news", "legal", "news", "news", None, "legal", "news", None]
SIZES = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
LAYERS = {"num_encoder_layers": 2, "num_decoder_layers": 2}
MODELS: dict[str, Any] = {
    "plain": (EncoderDecoderConfig, {**SIZES, **LAYERS}),
    "gated, grouped, rotary": (
        EncoderDecoderConfig,
        {
            **SIZES,
            **LAYERS,
            "num_heads": 2,
            "num_kv_heads": 1,
            "positions": "rotary",
            "activation": "silu",
            "gated": True,
        },
    ),
    "recurrent": (RecurrentConfig, {"model_dim": 12}),
}


def save_adapter_of(base: Path, path: Path, seed: int, targets: list[str] | None, rank: int) -> Path:
    model = load_model(base).model
    digest = weights_digest(model)
    torch.manual_seed(seed)
    add_adapter(model, AdapterConfig(rank=rank, targets=targets))
    for module in adapted(model).values():
        torch.nn.init.normal_(module.up, std=0.5)
    save_adapter(path, model, Base(name=base.name, sha256=digest))
    return path


@pytest.fixture(scope="module", params=list(MODELS))
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model, and beside it adapters of other maps and ranks."""
    folder = tmp_path_factory.mktemp("several")
    tokenizer = Tokenizer.train(TEXTS, TokenizerConfig(kind="characters", vocab_size=40))
    torch.manual_seed(2)
    kind, sizes = MODELS[request.param]
    config: ModelConfig = kind(vocab_size=len(tokenizer), **sizes)
    model = build(config).eval()
    for parameter in model.parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.6)  # so that it writes different texts
    save_new(folder / "base", model, tokenizer)
    few = ["decoder"] if request.param == "recurrent" else ["query_proj", "feed_forward"]
    save_adapter_of(folder / "base", folder / "legal", 3, few, 2)
    save_adapter_of(folder / "base", folder / "news", 4, None, 3)
    return folder / "base"


@pytest.fixture(scope="module")
def folders(base: Path) -> dict[str, Path]:
    return {name: base.parent / name for name in ("legal", "news")}


@pytest.fixture(scope="module")
def translator(base: Path, folders: dict[str, Path]) -> Translator:
    found = regard.load(base, adapters=folders)
    assert isinstance(found, Translator)
    return found


@pytest.fixture(scope="module")
def alone(base: Path, folders: dict[str, Path]) -> dict[str | None, Translator]:
    """A translator with each adapter, and with none."""
    found: dict[str | None, Any] = {name: regard.load(base, adapter=folder) for name, folder in folders.items()}
    return {**found, None: regard.load(base)}


@pytest.mark.parametrize(
    "options",
    [
        {"beam_size": 3},
        {"batch_size": 2},
        {"beam_size": 1, "batch_size": 3},
        {"n_best": 3, "alignment": True, "alternatives": 2},
        {"method": "sample", "seed": 5},
        {"coverage_penalty": 0.3, "batch_size": 4},
    ],
    ids=str,
)
def test_each_text_has_its_adapter(
    translator: Translator, alone: dict[str | None, Translator], options: dict[str, Any]
) -> None:
    if options.get("alignment") and "rnn" in translator.model.config.arch:
        options = {**options, "alignment": False}
    options = {"max_length": 12, **({} if "method" in options else {"beam_size": 3}), **options}
    found = translator.translate(TEXTS, adapters=NAMES, **options)
    wanted = [
        alone[name].translate(TEXTS, **options)[index] if options.get("method") else
        alone[name].translate(text, **options)
        for index, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True))
    ]  # fmt: skip
    assert [each.text for each in found] == [each.text for each in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours.token_log_probs, theirs.token_log_probs, rtol=1e-4, atol=1e-4)
        assert [each.text for each in ours.n_best] == [each.text for each in theirs.n_best]
        assert str(ours.alignment) == str(theirs.alignment)
        for mine, yours in zip(ours.alternatives or [], theirs.alternatives or [], strict=True):
            assert [token for token, _ in mine] == [token for token, _ in yours]


def test_adapters_change_what_is_written(translator: Translator) -> None:
    found = {name: translator.translate(TEXTS, adapters=[name] * len(TEXTS)) for name in ("legal", "news", None)}
    assert len({str([each.text for each in texts]) for texts in found.values()}) == 3


def test_without_a_choice_it_is_the_model(translator: Translator, alone: dict[str | None, Translator]) -> None:
    assert [each.text for each in translator.translate(TEXTS)] == [each.text for each in alone[None].translate(TEXTS)]
    assert translator.score(["ab"], ["cd"]) == alone[None].score(["ab"], ["cd"])
    assert translator.translate("ab cde", adapters="news").text == alone["news"].translate("ab cde").text
    assert translator.adapted("news").score(["ab"], ["cd"])[0].log_prob == pytest.approx(
        alone["news"].score(["ab"], ["cd"])[0].log_prob, abs=1e-5
    )


def test_prefixes_and_required_phrases(translator: Translator, alone: dict[str | None, Translator]) -> None:
    short: dict[str, Any] = {"max_length": 12}
    given: dict[str, Any] = {"prefixes": ["a", "b", "c"], "required": [["f"], [], ["e"]]}
    found = translator.translate(TEXTS[:3], adapters=NAMES[:3], **given, **short)
    for index, (name, each) in enumerate(zip(NAMES, found, strict=False)):
        one = {key: values[index] for key, values in given.items()}
        assert each.text == alone[name].translate(TEXTS[index], **one, **short).text


def test_texts_come_and_go(translator: Translator, alone: dict[str | None, Translator]) -> None:
    """As in a server: others with other adapters join while some are under way, and one is cancelled."""
    running = translator.running(batch_size=4, beam_size=2)
    options = running.options
    requests = translator.requests(TEXTS, options, adapters=NAMES)
    found: dict[int, str] = {}
    for number, (text, request) in enumerate(zip(TEXTS, requests, strict=True)):
        running.add(number, text, request)
        for done, translation in running.step():
            found[done] = translation.text
        if number == 3:
            running.cancel(2)
    while len(running):
        found |= {done: translation.text for done, translation in running.step()}
    wanted = {
        n: alone[name].translate(text, beam_size=2).text
        for n, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True))
    }
    assert {number: text for number, text in wanted.items() if number != 2} == {
        number: text for number, text in found.items() if number != 2
    }


def test_eight_threads(translator: Translator, alone: dict[str | None, Translator]) -> None:
    """Each thread has a choice of its own."""
    few: dict[str, Any] = {"max_length": 8, "beam_size": 2}
    wanted = {name: alone[name].translate("fade a bead", **few).text for name in ("legal", "news", None)}
    wrong: list[str] = []

    def work(number: int) -> None:
        names = [("legal", "news", None)[(number + shift) % 3] for shift in range(4)]
        for _ in range(5):
            for name, each in zip(names, translator.translate(["fade a bead"] * 4, adapters=names, **few), strict=True):
                if each.text != wanted[name]:
                    wrong.append(f"{name}: {each.text}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))], ids=["copy", "pickle"]
)
def test_a_copy_has_its_own_weights(
    base: Path, folders: dict[str, Path], copied: Callable[[Translator], Translator]
) -> None:
    first = regard.load(base, adapters=folders)
    assert isinstance(first, Translator)
    wanted = first.translate(TEXTS, adapters=NAMES)
    other = copied(first)
    assert other.translate(TEXTS, adapters=NAMES) == wanted
    with torch.no_grad():
        for parameter in other.model.parameters():
            parameter.mul_(1.5)
    changed = other.translate(TEXTS, adapters=NAMES)
    assert first.translate(TEXTS, adapters=NAMES) == wanted
    assert changed != wanted
    assert copied(other).translate(TEXTS, adapters=NAMES) == changed
    with torch.no_grad():
        for parameter in first.model.parameters():
            parameter.mul_(1.5)
    assert first.translate(TEXTS, adapters=NAMES) == changed


def test_weights_are_shared(translator: Translator) -> None:
    """The base is in memory once; beside it are only the adapters."""
    (several,) = translator._adapters.joined(translator.model)
    shared = {id(parameter) for parameter in translator.model.parameters()}
    own = [parameter.numel() for parameter in several.parameters() if id(parameter) not in shared]
    small = sum(each.numel() for model in translator._adapters.models.values() for module in adapted(model).values()
                for each in (module.down, module.up))  # fmt: skip
    assert sum(own) == small


def test_what_is_refused(base: Path, folders: dict[str, Path], translator: Translator) -> None:
    with pytest.raises(SettingsError, match=r"adapter must be one of legal, news; got 'lega'\. Did you mean 'legal'"):
        translator.translate(["ab", "cd"], adapters=["lega", None])
    with pytest.raises(SettingsError, match="got 'nws'"):
        translator.translate("ab", adapters="nws")
    with pytest.raises(DataError, match="`adapters` needs one entry for each text; got 1 for 2 texts"):
        translator.translate(["ab", "cd"], adapters=["legal"])
    with pytest.raises(DataError, match="got one name for 2 texts"):
        translator.translate(["ab", "cd"], adapters="legal")
    with pytest.raises(SettingsError, match="`adapters` needs one model"):
        regard.load(base, adapters=folders, adapter=folders["legal"])
    with pytest.raises(ModelFolderError, match="must be an existing folder"):
        regard.load(base, adapters={"x": base / "nowhere"})


def test_maps_side_by_side() -> None:
    """Several maps as one, of which one has no adapter and the others have adapters of other ranks."""
    torch.manual_seed(0)
    from regard.nn.lora import AdaptedLinear

    choice = AdapterChoice()
    plain = [torch.nn.Linear(5, size) for size in (3, 4, 2)]
    updates = {part: {number: AdaptedLinear(plain[part], rank, 0.5) for number, rank in ranks}
               for part, ranks in ((0, [(1, 2)]), (2, [(1, 1), (2, 3)]))}  # fmt: skip
    for each in (module for of_part in updates.values() for module in of_part.values()):
        torch.nn.init.normal_(each.up)
    parts = [ChosenAdapter(linear, updates[n], choice) if n in updates else linear for n, linear in enumerate(plain)]
    whole = torch.nn.Linear(5, 9)
    with torch.no_grad():
        whole.weight.copy_(torch.cat([linear.weight for linear in plain]))
        whole.bias.copy_(torch.cat([linear.bias for linear in plain]))
    merged, x = ChosenAdapter.side_by_side(whole, parts), torch.randn(4, 6, 5)
    for numbers in (None, torch.tensor([0, 1, 2, 1])):
        with choice.of(numbers):
            torch.testing.assert_close(merged(x), torch.cat([part(x) for part in parts], dim=-1))
    with choice.of(torch.tensor([2, 2, 1, 0])):
        torch.testing.assert_close(parts[2](x)[0], updates[2][2](x[0]))
        torch.testing.assert_close(parts[2](x)[3], plain[2](x[3]))
    assert choice.numbers is None


def test_only_a_model_with_adapters_is_told_of_them() -> None:
    class Model:
        def prefill(self, source_ids: Any) -> Any:
            return "state"

        def decode_step(self, ids: Any, state: Any) -> Any:
            raise NotImplementedError

    choice = AdapterChoice()
    state = Adapted(Model(), choice).prefill(torch.zeros(2, 3, dtype=torch.long))
    assert (state.state, state.adapters.tolist(), state.has_adapters) == ("state", [0, 0], False)


def test_the_layers_in_c_give_what_pytorch_gives(base: Path, folders: dict[str, Path]) -> None:
    """Whole steps of a beam, single steps with a filter, sampling; and the same bits in any batch."""
    translators = {
        engine: regard.load(base, adapters=folders, engine=engine, kind=Translator)
        for engine in ("torch", "auto", "native-int8")
        if engine != "native-int8" or translator_runs_in_c(base)
    }
    expected = "native" if translator_runs_in_c(base) else "torch"
    assert translators["auto"].engine == expected
    options: dict[str, Any]
    for options in (
        {"beam_size": 3, "n_best": 3},
        {"beam_size": 2, "no_repeat_ngram": 2},
        {"method": "sample", "seed": 5},
    ):
        found = {
            engine: each.translate(TEXTS, adapters=NAMES, max_length=12, **options)
            for engine, each in translators.items()
        }
        for ours, theirs in zip(found["auto"], found["torch"], strict=True):
            assert ours.text == theirs.text
            assert ours.score == pytest.approx(theirs.score, rel=1e-4, abs=1e-4)
        for engine, whole in found.items():
            if engine == "torch" or expected == "torch" or "method" in options:
                continue
            parts = translators[engine].translate(TEXTS, adapters=NAMES, max_length=12, batch_size=3, **options)
            assert [each.token_log_probs for each in parts] == [each.token_log_probs for each in whole]


def translator_runs_in_c(base: Path) -> bool:
    return find().library is not None and load_model(base).model.config.arch == "encoder-decoder"


@pytest.mark.parametrize("adapters", [1, 1.5, {"a": 1}, [["x"]], iter(["x"]), ["unknown"]])
def test_adapters_of_another_kind_are_refused(translator: Translator, adapters: Any) -> None:
    with pytest.raises(SettingsError, match=r"adapters?(\[0\])? must be"):
        translator.translate(["a"], adapters=adapters)


def test_a_model_without_adapters_has_none(base: Path) -> None:
    plain = regard.load(base)
    assert isinstance(plain, Translator)
    with pytest.raises(SettingsError, match=r"loaded with some; got 'x'. Load it with `adapters=\{'x': folder\}`"):
        plain.translate(["a"], adapters=["x"])


def test_the_engine_is_that_of_the_translator(translator: Translator) -> None:
    before = translator.adapted("news")
    try:
        translator.use_engine("torch")
        assert [before.engine, translator.adapted("legal").engine] == ["torch", "torch"]
        assert translator.adapted("news") is before
        if translator.model.config.arch == "encoder-decoder":  # C runs no other family with adapters beside its weights
            translator.use_engine("native-int8")
            assert {translator.adapted(name).engine for name in ("news", "legal")} == {"native-int8"}
    finally:
        translator.use_engine("auto")
