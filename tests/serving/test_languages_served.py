"""A server with a model of several languages: all its directions, in the clients' codes, through one batch."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import torch
from served import Running, Start

import regard
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.limits import Limits
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.text.languages import Languages
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TOKENS = {"eng_Latn": "<2en>", "deu_Latn": "<2de>", "zho_Hans": "<2zh>"}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    letters = Tokenizer.train(["abcdefgh "], TokenizerConfig(kind="characters", vocab_size=20))
    tokenizer = letters.with_tokens(list(TOKENS.values()))
    torch.manual_seed(5)
    sizes: dict[str, Any] = {
        "model_dim": 24,
        "ff_dim": 30,
        "num_heads": 3,
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
    }
    model = EncoderDecoder(EncoderDecoderConfig(vocab_size=len(tokenizer), max_positions=60, **sizes)).eval()
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    rule = Languages(tokens=TOKENS, source_begin=["source"], begins=True)
    folder = tmp_path_factory.mktemp("many") / "m"
    Translator(model, tokenizer.with_languages(rule)).save(folder)
    return folder


@pytest.fixture(scope="module")
def running(start: Start, many: Path) -> Running:
    return start(many)


def post(running: Running, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(running.url + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_every_direction_is_served(running: Running, many: Path) -> None:
    translator = regard.load(many, kind=regard.Translator, device="cpu")
    texts = ["abc de", "hgf", "fed a"]
    for source, target in (("EN", "DE"), ("de", "zh"), ("zh-CN", "en")):
        status, found = post(running, "/v2/translate", {"text": texts, "source_lang": source, "target_lang": target})
        expected = translator.translate(texts, source=source, target=target)
        assert status == 200, found
        assert [each["text"] for each in found["translations"]] == [each.text for each in expected]


def test_languages_are_listed_and_unknown_ones_refused(running: Running) -> None:
    listed = {each["code"]: sorted(each["targets"]) for each in json.loads(running.get("/languages")[1])}
    assert listed == {each: ["de", "en", "zh"] for each in ("de", "en", "zh")}
    status, answer = post(running, "/translate", {"q": "abc", "source": "en", "target": "fr"})
    assert status == 400
    assert "fr" in json.dumps(answer)


def test_one_direction_of_it_may_be_named(many: Path) -> None:
    registry = ModelRegistry(ModelFolders([(many, Direction("en", "de"))]), Limits())
    try:
        assert registry.languages() == {"en": ["de"], "de": []}
        _, scheduler = registry.route("en", "de")
        assert scheduler.pipeline.languages is None
        assert registry.folder_of(Direction("en", "de")) == many
    finally:
        registry.close()


def test_the_folder_of_a_direction(many: Path) -> None:
    registry = ModelRegistry(ModelFolders([(many, None)]), Limits())
    try:
        direction, scheduler = registry.route("deu", "zh-CN")
        assert direction == Direction("de", "zh")
        assert registry.folder_of(direction) == many
        assert len(registry.all_schedulers) == 1
        assert registry.names == ["de-en", "de-zh", "en-de", "en-zh", "zh-de", "zh-en"]
        written = scheduler.call(lambda translator: translator.translate("abc").ids).result(60)
        translator = regard.load(many, kind=regard.Translator, device="cpu")
        assert written == translator.translate("abc", source="de", target="zh").ids
    finally:
        registry.close()
