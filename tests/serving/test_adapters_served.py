"""Adapters behind a server: each is a model of its own, which clients of every interface can ask for."""

import json
from pathlib import Path

import pytest
import torch
from served import Running, Start
from test_interfaces import JSON, TEXT, send

from regard.adapters import Base, save_adapter, weights_digest
from regard.checkpoint import load_model
from regard.errors import SettingsError
from regard.models.adaptation import AdapterConfig, adapted, add_adapter
from regard.pipelines.loading import load_as, load_with_adapters
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction, adapter_of, parse_adapters


def random_adapter(base: Path, path: Path, seed: int) -> Path:
    model = load_model(base).model
    digest = weights_digest(model)
    torch.manual_seed(seed)
    add_adapter(model, AdapterConfig(rank=2, targets=["query_proj", "value_proj", "feed_forward"]))
    for module in adapted(model).values():
        torch.nn.init.normal_(module.up, std=1.0)
    save_adapter(path, model, Base(name=base.name, sha256=digest))
    return path


@pytest.fixture(scope="module")
def adapters(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    path = tmp_path_factory.mktemp("adapters")
    return {name: random_adapter(folder, path / name, seed) for seed, name in enumerate(("legal", "news"))}


@pytest.fixture(scope="module")
def with_adapters(start: Start, folder: Path, adapters: dict[str, Path]) -> Running:
    return start(folder, "--adapter", adapters["legal"], "--adapter", f"paper={adapters['news']}")


def expected(folder: Path, adapter: Path | None) -> str:
    return load_as(folder, Translator, device="cpu", adapter=adapter).translate(TEXT).text


def test_each_answers_as_it_would_alone(with_adapters: Running, folder: Path, adapters: dict[str, Path]) -> None:
    """LibreTranslate's interface, DeepL's, OpenAI's and our own: a target or the name of a model says which."""
    url = with_adapters
    wanted = {"de": None, "de-x-legal": adapters["legal"], "DE-x-Paper": adapters["news"]}
    texts = {code: expected(folder, adapter) for code, adapter in wanted.items()}
    assert len(set(texts.values())) == 3
    for code, text in texts.items():
        body = json.dumps({"q": TEXT, "source": "en", "target": code})
        assert send(url, "POST", "/translate", body, JSON)[1]["translatedText"] == text
        body = json.dumps({"text": [TEXT], "source_lang": "EN", "target_lang": code})
        assert send(url, "POST", "/v2/translate", body, JSON)[1]["translations"][0]["text"] == text
        body = json.dumps({"text": TEXT, "source": "en", "target": code})
        assert send(url, "POST", "/api/v1/translate", body, JSON)[1]["text"] == text
        chat = {"model": f"en-{code.lower()}", "messages": [{"role": "user", "content": TEXT}]}
        answered = send(url, "POST", "/v1/chat/completions", json.dumps(chat), JSON)[1]
        assert answered["choices"][0]["message"]["content"] == text


def test_they_are_listed_and_others_are_refused(with_adapters: Running) -> None:
    url = with_adapters
    listed = send(url, "GET", "/v1/models")[1]["data"]
    assert [each["id"] for each in listed] == ["en-de", "en-de-x-legal", "en-de-x-paper"]
    languages = {each["code"]: each["targets"] for each in send(url, "GET", "/languages")[1]}
    assert languages["en"] == ["de", "de-x-legal", "de-x-paper", "en"]
    body = json.dumps({"q": TEXT, "source": "en", "target": "de-x-none"})
    status, content = send(url, "POST", "/translate", body, JSON)
    assert status == 400
    assert "Adapters here: legal, paper" in content["error"]


def test_what_is_not_adapted_is_in_memory_once(folder: Path, adapters: dict[str, Path]) -> None:
    base, found = load_with_adapters(folder, adapters, device="cpu")
    shared = {id(parameter) for parameter in base.model.parameters()}
    for name, pipeline in found.items():
        others = {key for key, each in pipeline.model.named_parameters() if id(each) not in shared}
        assert all(key.endswith("_proj.weight") for key in others), name
        assert others


def test_an_adapter_of_no_model_is_refused(
    folder: Path, adapters: dict[str, Path], tmp_path: Path, start: Start
) -> None:
    other = load_model(folder)
    with torch.no_grad():
        next(iter(other.model.parameters())).add_(1.0)
    from regard.checkpoint import save_new

    save_new(tmp_path / "other-en-de", other.model, other.tokenizer)
    with pytest.raises(AssertionError, match="an adapter must belong to one of the models"):
        start(tmp_path / "other-en-de", "--adapter", adapters["legal"])


def test_names() -> None:
    assert parse_adapters(["a/legal", "b2=c/d"]) == {"legal": Path("a/legal"), "b2": Path("c/d")}
    for given, message in ((["a/x-y"], "letters and digits; got 'x-y'"), (["a/n", "n=b"], "got n twice")):
        with pytest.raises(SettingsError, match=message):
            parse_adapters(given)
    assert (adapter_of("de-x-legal"), adapter_of("de"), adapter_of(None)) == ("legal", "", "")
    assert str(Direction("en", "de", "legal")) == "en-de-x-legal"
