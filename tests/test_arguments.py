"""A value of the wrong type is refused by every public function, by the name of the argument."""

import pickle
import sys
from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent / "cli"))

import regard
from random_models import save_models
from regard.arguments import checked
from regard.errors import DataError, RegardError, SettingsError, UnknownOptionError
from regard.extending import DecodingOptions
from regard.inspection.record import HeadName
from regard.training.training_run import Callback


class Nonsense:
    """A value that no argument may have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("arguments"))


OBJECTS = {"translator": "m", "recurrent": "rnn", "language model": "lm", "tagger": "tag", "classifier": "classify"}
GOOD: dict[str, dict[str, Any]] = {
    "load": {"path": "m"}, "train": {"data": "source", "output": "out"}, "new": {"data": "source"},
    "compare": {"systems": ["m", "m"], "data": ["source", "target"]}, "convert": {"source": "m", "output": "out"},
    "batches": {"data": "source"}, "translate": {"texts": "ab"}, "translate_lines": {"lines": ["ab"]},
    "stream": {"text": "ab"}, "score": {"sources": ["ab"], "targets": ["ab"]}, "align": {"source": "ab"},
    "inspect": {"text": "ab"}, "generate": {"prompts": "ab"}, "continuations": {"prompts": ["ab"]},
    "predict": {"texts": "ab"}, "predict_lines": {"lines": ["ab"]}, "evaluate_files": {"data": ["source", "target"]},
    "use_engine": {"engine": "torch"}, "save": {"folder": "out"}, "ids_of": {}, "written_ids": {"source": "ab"},
    "lookup": {"head": "cross.0.0", "row": 0},
}  # fmt: skip
"""Arguments that are right, where another one is wrong."""
FREE = {"of": {"loaded"}, "inspect_ids": {"target_ids"}}
"""Not for users."""


def public_calls(folder: Path) -> list[tuple[str, Callable[..., Any]]]:
    """Every public function, and every public method of what `load` gives."""
    functions = [
        (name, getattr(regard, name)) for name in regard.__all__ if not isinstance(getattr(regard, name), type)
    ]
    methods = []
    for model in OBJECTS.values():
        loaded = regard.load(folder / model)
        names = [
            name for name in dir(loaded) if not name.startswith("_") and callable(getattr(type(loaded), name, None))
        ]
        methods += [(name, getattr(loaded, name)) for name in names if name not in FREE]
    return functions + methods


def test_no_public_argument_takes_nonsense(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    count, pipeline = 0, regard.load("m")
    for name, function in public_calls(folder):
        for parameter in signature(function).parameters.values():
            if parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL) or parameter.annotation == "Any":
                continue
            for wrong in (Nonsense(), [Nonsense()], b"ab", {1: 2}, 2.5j):
                if isinstance(wrong, dict) and parameter.name in ("settings", "adapters", "data", "valid"):
                    continue
                if isinstance(wrong, list) and parameter.name in ("data", "valid"):
                    continue  # rows, which are refused one by one
                good = {
                    key: value for key, value in GOOD.get(name, {}).items() if key in signature(function).parameters
                }
                good |= {"pipeline": pipeline} if name == "batches" else {}
                with pytest.raises(RegardError, match=rf"^{parameter.name}\b.* must be .*; got "):
                    function(**good | {parameter.name: wrong})
                count += 1
    assert count > 300


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("translate", {"texts": [1]}, r"texts\[0\] must be a string; got 1 \(int\)\.$"),
        ("translate", {"texts": None}, r"texts must be a string or a list of strings; got None \(NoneType\)\.$"),
        ("translate", {"texts": ["a", None]}, r"texts\[1\] must be a string; got None"),
        ("translate", {"texts": {"a": 1}}, r"texts must be a string or a list of strings; got \{'a': 1\} \(dict\)"),
        ("translate", {"texts": {"a"}}, r"texts must be a string or a list of strings; got \{'a'\} \(set\)"),
        ("translate", {"texts": (text for text in "ab")}, r"texts must be a string or a list of strings; got <gen"),
        ("translate", {"texts": ["a"], "prefixes": "a"}, r"prefixes must be a list of strings or None; got 'a' \(str\)"),
        ("translate", {"texts": ["a"], "required": ["a"]}, r"required\[0\] must be a list of strings; got 'a' \(str\)"),
        ("translate", {"texts": ["a"], "required": [[1]]}, r"required\[0\]\[0\] must be a string; got 1"),
        ("score", {"sources": "ab", "targets": "ab"}, r"sources must be a list of strings; got 'ab' \(str\). Write \['ab'\]"),
        ("evaluate", {"sources": ["a"], "references": "b"}, r"references must be a list of strings; got 'b' \(str\)"),
    ],
)  # fmt: skip
def test_texts_are_texts(folder: Path, name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        getattr(regard.load(folder / "m"), name)(**arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("translate", {"texts": "a", "options": {"beam_size": 2}}, r"options must be a DecodingOptions or None; got \{"),
        ("translate", {"texts": "a", "filters": [1]}, r"filters\[0\] must be a Filter; got 1 \(int\)"),
        ("evaluate", {"sources": ["a"], "references": ["b"], "tokenize": [1]}, r"tokenize must be a string; got \[1\] \(list\)"),
        ("inspect", {"text": "ab", "ablate": "cross.0.0"}, r"ablate must be a list; got 'cross.0.0' \(str\). Write"),
        ("inspect", {"text": "ab", "rank": True}, r"rank must be a whole number; got True \(bool\)"),
        ("score", {"sources": ["a"], "targets": ["a"], "alternatives": -1}, "alternatives must be at least 0; got -1"),
    ],
)  # fmt: skip
def test_settings_are_of_their_type(folder: Path, name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        getattr(regard.load(folder / "m"), name)(**arguments)


def test_a_misspelled_argument_has_its_neighbour_whether_it_is_an_option_or_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`translate(text, prefix=...)` listed the options of decoding, among which `prefixes` is not."""
    monkeypatch.chdir(folder)
    num_tried = 0
    for name, function in public_calls(folder):
        parameters = list(signature(function).parameters.values())
        if all(each.kind is not Parameter.VAR_KEYWORD for each in parameters):
            continue
        own = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
        given = {key: value for key, value in GOOD.get(name, {}).items() if key in signature(function).parameters}
        required = [
            each.name
            for each in parameters
            if each.default is Parameter.empty and each.kind is not Parameter.VAR_KEYWORD
        ]
        if not set(required) <= given.keys():
            continue
        for argument in [*own, "temperature"]:
            with pytest.raises((SettingsError, TypeError)) as caught:
                next(iter(function(**given, **{argument + argument[-1]: None})))
            if isinstance(caught.value, UnknownOptionError):
                assert f"Did you mean '{argument}'?" in str(caught.value), (name, argument)
                num_tried += 1
                assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert num_tried > 20
    with pytest.raises(SettingsError, match=r"got 'prefix'\. Did you mean 'prefixes'"):
        regard.load(folder / "m").translate("ab", prefix="a")


def test_lines_are_checked_as_they_come(folder: Path) -> None:
    translator, classifier = regard.load(folder / "m"), regard.load(folder / "classify")
    for method in (translator.translate_lines, classifier.predict_lines):
        with pytest.raises(DataError, match=r"lines must be a list of strings; got 'ab'"):
            method("ab")  # which would be two lines
        with pytest.raises(DataError, match=r"lines\[1\] must be a string; got 3 \(int\)"):
            list(method(iter(["ab", 3])))


def test_what_was_right_stays_right(folder: Path) -> None:
    translator = regard.load(folder / "m")
    seen = translator.inspect("ab")
    for head in (HeadName("cross", 0, 1), ("cross", 0, 1)):
        assert (seen[head] == seen["cross.0.1"]).all()
    expected = translator.translate(["ab", "c"], beam_size=1)
    assert translator.translate(("ab", "c"), DecodingOptions(beam_size=1)) == expected
    assert list(translator.translate_lines(iter(["ab", "c"]), DecodingOptions(beam_size=1))) == expected
    assert translator.inspect("ab", ablate=["cross.0.0", ["cross.0.1", "cross.1.1"]]).ablations


def test_callbacks_and_data_of_train(folder: Path) -> None:
    pairs = [folder / "source", folder / "target"]
    with pytest.raises(SettingsError, match=r"callbacks\[0\] must be a Callback; got <built-in function print>"):
        regard.train(pairs, folder / "out", callbacks=[print])
    with pytest.raises(SettingsError, match=r"callbacks\[0\] must be a Callback; got <class "):
        regard.train(pairs, folder / "out", callbacks=[Callback])
    with pytest.raises(SettingsError, match=r"settings\['training'\] must be a dictionary; got 3"):
        regard.train(pairs, folder / "out", settings={"training": 3})
    assert not (folder / "out").exists()


def test_annotations_say_what_an_argument_may_be() -> None:
    @checked
    def function(count: int, share: float = 0.5, flag: bool = False, *, tensor: torch.Tensor | None = None) -> str:
        return f"{count} {share} {flag} {tensor}"

    assert function(1, 2, True) == "1 2 True None"
    assert function(numpy.int64(1), numpy.float32(0.25), flag=1) == "1 0.25 1 None"
    assert function.__name__ == "function"

    @checked
    def joined(texts: str | Sequence[str]) -> str:
        return "".join(texts)

    for texts in ("abc", ["ab", "c"], ("ab", "c"), numpy.array(["ab", "c"]), numpy.array(["ab", "c"], dtype=object)):
        assert joined(texts) == "abc"
    for wrong in ({"ab": 1}.keys(), iter(["ab"]), torch.zeros(2), numpy.zeros(2), 3):
        with pytest.raises(DataError, match=r"^texts"):
            joined(wrong)

    @checked
    def placed(head: str | tuple[str, int]) -> str:
        return str(head)

    assert [placed(head) for head in ("a", ("a", 1), ["a", 1])] == ["a", "('a', 1)", "['a', 1]"]
    for wrong, message in (
        (("a",), r"head must be a string or a tuple of a string, a whole number; got \('a',\)"),
        (("a", "b"), r"head\[1\] must be a whole number; got 'b'"),
        ((1, 1), r"head\[0\] must be a string; got 1"),
    ):
        with pytest.raises(SettingsError, match=message):
            placed(wrong)
    for arguments, message in (
        ({"count": 1.0}, r"count must be a whole number; got 1.0 \(float\)"),
        ({"count": True}, r"count must be a whole number; got True \(bool\)"),
        ({"count": 1, "share": "1"}, r"share must be a number; got '1' \(str\)"),
        ({"count": 1, "flag": "no"}, r"flag must be True or False; got 'no' \(str\)"),
        ({"count": 1, "tensor": [1]}, r"tensor must be a Tensor or None; got \[1\] \(list\)"),
        ({"count": "x" * 10_000}, r"^count must be a whole number; got .{,60}\(str\)\.$"),
    ):
        with pytest.raises(SettingsError, match=message):
            function(**arguments)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'count'"):
        function()
