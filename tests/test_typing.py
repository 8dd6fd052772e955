"""Types in programs that use the package: right ones pass, and the mistakes of wrong ones are found.

All programs are checked in one run of mypy, with the settings and the cache of `make check`.
"""

import inspect
import os
import re
import subprocess
import sys
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel
from torch import nn

import regard.extending
import regard.nn
from regard.data.selection import DataConfig
from regard.generation.options import DecodingOptions, TextOptions
from regard.generation.rules.sampling import SamplingOptions
from regard.models.adaptation import AdapterConfig
from regard.models.registry import ARCHITECTURES
from regard.pipelines import named_options
from regard.runs.settings import named
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.training_config import TrainingConfig

ROOT = Path(__file__).parents[1]
IMPORTS = "from typing import assert_type\n\nimport regard\nimport regard.nn as rn\nimport torch\nfrom torch import Tensor\n\n"
PROGRAMS = {
    "translator": """
        t = regard.load("m")
        assert_type(t.translate("x"), regard.Translation)
        assert_type(t.translate(["x"], beam_size=3, banned=["a"]), list[regard.Translation])
        print(t.translate("x", n_best=2).n_best[0].score + 1, *t.stream("x", temperature=0.5, method="sample"))
        print(t.score(["a"], ["b"])[0].log_prob, t.align("a", layer=1).pharaoh, t.to("cpu").device.type)
        print(t.evaluate(["a"], ["b"], beam_size=1)["bleu"], t.inspect("a", rank=2, beam_size=3).head_names)
        t.translate("x", beam_sise=3)  # error: beam_sise
        t.translate(["x"], beam_size="3")  # error: translate
        t.stream("x", max_lenght=3)  # error: max_lenght
        t.evaluate(["a"], ["b"], beam=3)  # error: beam
        t.translat("x")  # error: translat
        t.score("x")  # error: score
        t.inspect("x", hidden_state=True)  # error: hidden_state
    """,
    "language_model": """
        m = regard.load("m")
        assert_type(m.generate("x", max_tokens=3), str)
        assert_type(m.generate(["x"], temperature=0, stop=["."]), list[str])
        assert_type(regard.load("m", kind=regard.LanguageModel).evaluate(["x"])["perplexity"] is None, bool)
        m.generate("x", max_token=3)  # error: max_token
        m.generate("x", beam_size=3)  # error: beam_size
        regard.load("m", kind=regard.LanguageModel).translate("x")  # error: translate
    """,
    "predictor": """
        p = regard.load("m", kind=regard.Predictor)
        assert_type(p, regard.Predictor)
        assert_type(p.predict("x"), regard.Prediction)
        assert_type(regard.load("m").predict(["x"]), list[regard.Prediction])
        assert_type(p.to(torch.device("cpu")), regard.Predictor)
        print(p.predict("x").probs[0] + 1)
        p.predict("x", beam_size=3)  # error: predict
        print(p.predict("x").prob)  # error: prob
    """,
    "load": """
        given: regard.Translator = regard.load("m", device="cpu")
        other: regard.LanguageModel = regard.load("m")
        several = regard.load("m", adapters={"a": "b"})
        assert_type(several.translate("x", adapters="a"), regard.Translation)
        assert_type(several.translate(["x"], adapters=["a", None], beam_size=2), list[regard.Translation])
        several.translate(["x"], adapter=["a"])  # error: adapter
        regard.load("m", devise="cpu")  # error: devise
        wrong: regard.Predictor = regard.load("m", kind=regard.Translator)  # error: Predictor
        found = regard.load("m")
        if isinstance(found, regard.LanguageModel):
            print(found.generate("x"))
    """,
    "new": """
        t = regard.new("p.tsv", model_dim=64, seed=2, steps=100, weights=[1, 3])
        assert_type(t, regard.Translator)
        assert_type(regard.new("p", arch="rnn", cell="lstm"), regard.Translator)
        assert_type(regard.new("p", arch="decoder", num_layers=2), regard.LanguageModel)
        assert_type(regard.new("p", arch="encoder", task="mlm"), regard.Predictor)
        regard.new("p", settings={"model": {"arch": "decoder"}}).generate("x")
        regard.new("p", model_dimm=64)  # error: model_dimm
        regard.new("p", norm="pree")  # error: new
        for pairs in regard.batches(t, "p.tsv", weights=[1, 3]):
            print(pairs.source_ids, t.model.loss(pairs) / pairs.num_tokens)
        regard.batches(t, "p.tsv", wights=[1, 3])  # error: wights
    """,
    "train": """
        found = regard.train("p.tsv", "m", steps=10, dropout=0.1, learning_rate=1e-3, vocab_size=100, max_ratio=2, rank=4)
        assert_type(found.translator, regard.Translator)
        assert_type(found.language_model.generate("x"), str)
        assert_type(found.predictor.predict("x"), regard.Prediction)
        if found.loaded is not None:
            assert_type(found.loaded.translate("x"), regard.Translation)
        regard.train("p.tsv", "m", step=10)  # error: step
        regard.train("p.tsv", "m", steps="10")  # error: steps
        regard.train("p.tsv", "m", precision="float16")  # error: precision
        regard.train("p.tsv", from_="m")  # error: output
    """,
    "modules": """
        x = torch.zeros(1, 2, 8)
        attention = rn.MultiHeadAttention(8, 2)
        assert_type(attention(x, mask=rn.causal_mask(2)), Tensor)
        layer = rn.EncoderLayer(attention, rn.FeedForward(8, 8), lambda: rn.PreNorm(8, 0.0))
        assert_type(layer(x), Tensor)
        assert_type(rn.LearnedPrefix(2, 2, 4)(1).key, Tensor)
        assert_type(regard.load("m").model(x), Tensor)
        assert_type(regard.load("m", kind=regard.Translator).model(x, x), Tensor)
        attention(x, maks=x)  # error: maks
        layer("x")  # error: Tensor
        regard.load("m", kind=regard.Translator).model(x)  # error: arguments
    """,
    "options": """
        from regard.extending import DecodingOptions

        regard.load("m").translate("x", DecodingOptions(beam_size=3))
        DecodingOptions(beam_sise=3)  # error: beam_sise
    """,
}


def modules() -> list[str]:
    """The public classes of modules that can be called, by where they are imported from."""
    return [
        f"{place.__name__}.{name}"
        for place in (regard.nn, regard.extending)
        for name in place.__all__
        if isinstance(found := getattr(place, name), type)
        and issubclass(found, nn.Module)
        and found.forward is not nn.Module.forward
    ]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[str]]:
    """The messages of mypy for each program and line."""
    folder = tmp_path_factory.mktemp("programs")
    for name, program in PROGRAMS.items():
        (folder / f"use_{name}.py").write_text(IMPORTS + inspect.cleandoc("\n" + program) + "\n")
    lines = [f"def use_{at}(module: {name}) -> None:\n    reveal_type(module.__call__)\n    reveal_type(module.forward)\n"
             for at, name in enumerate(modules())]  # fmt: skip
    (folder / "use_calls.py").write_text("import regard.extending\nimport regard.nn\n\n" + "\n".join(lines))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--hide-error-context"),
            *("--config-file", ROOT / "pyproject.toml", *sorted(folder.glob("*.py"))),
        ],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[tuple[str, int], list[str]] = {}
    for path, line, kind, text in re.findall(r"^(\S+?):(\d+): (error|note): (.*)$", done.stdout, re.M):
        if kind == "error" or "Revealed" in text:
            found.setdefault((Path(path).stem.removeprefix("use_"), int(line)), []).append(text)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_mypy_finds_the_mistakes_of_a_program_and_nothing_else(
    said: Mapping[tuple[str, int], list[str]], name: str
) -> None:
    program = (IMPORTS + inspect.cleandoc("\n" + PROGRAMS[name])).splitlines()
    expected = {at: line.rpartition("# error: ")[2] for at, line in enumerate(program, 1) if "# error: " in line}
    told = {line: texts for (of, line), texts in said.items() if of == name}
    assert told.keys() == expected.keys(), told
    assert all(any(word in text for text in told[line]) for line, word in expected.items()), told


def test_a_call_of_each_public_module_has_the_type_of_its_forward(said: Mapping[tuple[str, int], list[str]]) -> None:
    told = [texts for (of, _), texts in sorted(said.items()) if of == "calls"]
    revealed = [text for texts in told for text in texts]
    assert len(revealed) == 2 * len(modules())
    assert len(modules()) > 20
    for name, call, forward in zip(modules(), revealed[::2], revealed[1::2], strict=True):
        assert "Any" not in call.rpartition("->")[2], f"{name}: {call}"
        assert call == forward, name


RECORDS = """
    from regard.data.selection import DataConfig
    from regard.generation.options import DecodingOptions, TextOptions
    from regard.models.adaptation import AdapterConfig
    from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderClassifierConfig, EncoderDecoderConfig
    from regard.models.config import RecurrentConfig, RotaryScalingConfig
    from regard.text.languages import Languages
    from regard.text.tokenizer import Symbols
    from regard.text.tokenizer_config import TokenizerConfig
    from regard.training.training_config import TrainingConfig

    DecoderConfig(vocab_size=100, pad_id=0)
    EncoderConfig(vocab_size=100, model_dim=64)
    EncoderDecoderConfig(vocab_size=100, positions="rotary")
    EncoderDecoderClassifierConfig(vocab_size=100)
    RecurrentConfig(vocab_size=100)
    RotaryScalingConfig(factor=2.0)
    TokenizerConfig(vocab_size=100)
    Symbols()
    Languages(tokens={"en": "<en>"})
    TrainingConfig(steps=10)
    DataConfig()
    AdapterConfig(rank=4)
    DecodingOptions(beam_size=3)
    TextOptions(temperature=0.5)
    DecoderConfig()  # error: vocab_size
"""


def test_public_records_need_no_plugin_of_mypy(tmp_path: Path) -> None:
    program = inspect.cleandoc(RECORDS)
    (tmp_path / "use_records.py").write_text(program + "\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--follow-imports=silent", "--config-file="),
            *("--cache-dir", ROOT / ".mypy_cache" / "without-plugins", "use_records.py"),
        ],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": "", "MYPYPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = re.findall(r"^\S+?:(\d+): error: (.*)$", done.stdout, re.M)
    assert [int(line) for line, _ in told] == [len(program.splitlines())], done.stdout + done.stderr
    assert "vocab_size" in told[0][1]


def spelled(kind: Any) -> str:
    """A type as a caller may give it: any sequence for a list, without ranges."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return spelled(parts[0])
    if origin in (Union, types.UnionType):
        return " | ".join(sorted(map(spelled, parts)))
    if origin is tuple and parts[-1] is not Ellipsis:
        return f"tuple[{', '.join(map(spelled, parts))}]"
    if origin is Literal:
        return f"Literal{sorted(parts)}"
    if origin in (list, typing.get_origin(typing.Sequence[int])) or (origin is tuple and parts[-1] is Ellipsis):
        return f"Sequence[{spelled(parts[0])}]"
    return str(kind)


def assert_same_fields(typed: type, *records: type[BaseModel], but_for: tuple[str, ...] = ()) -> None:
    wanted: dict[str, set[str]] = {}
    for record in records:
        for name, field in record.model_fields.items():
            if name not in but_for:
                wanted.setdefault(name, set()).update(spelled(field.annotation).split(" | "))
    given = {name: set(spelled(kind).split(" | ")) for name, kind in get_type_hints(typed).items()}
    file = inspect.getsourcefile(typed)
    assert given == wanted, f"{typed.__name__} in {file} must have the fields of {[each.__name__ for each in records]}"


DECIDED = ("arch", "task", "pad_id", "separator_id", "start_id", "labels", "source_vocab_size", "pruned_heads")
"""Settings that data and other arguments decide."""


def test_options_and_settings_have_the_names_and_types_that_type_checkers_know() -> None:
    assert_same_fields(named_options.NamedSamplingOptions, SamplingOptions)
    assert_same_fields(named_options.NamedDecodingOptions, DecodingOptions)
    assert_same_fields(named_options.NamedTextOptions, TextOptions)
    ours = [found.config for found in ARCHITECTURES.values() if found.config.__module__.startswith("regard.")]
    assert_same_fields(named.NamedDataSettings, DataConfig)
    assert_same_fields(named.NamedModelSettings, *ours, but_for=(*DECIDED, "vocab_size"))
    sections = (TokenizerConfig, DataConfig, TrainingConfig, AdapterConfig)
    assert_same_fields(named.NamedTrainingSettings, *ours, *sections, but_for=DECIDED)
