"""Language models and predictors behind a server, beside models that translate."""

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import openai
import pytest
import torch
from served import Running, Start
from test_interfaces import JSON, send

from regard.batching.jobs import Job
from regard.batching.metrics import Metrics
from regard.batching.scheduler import Scheduler
from regard.checkpoint import save_new
from regard.errors import SettingsError
from regard.generation.options import TextOptions
from regard.models.config import DecoderConfig, EncoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load_as
from regard.pipelines.predictor import Predictor
from regard.serving.directions import parse_models
from regard.serving.limits import Limits
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LETTERS = "abcdefghijklmnopqrstuvwxyz .,!?\n"
PROMPTS = ["two dogs", "", "a", "the cat sleeps on a", "x\ny"]


def stored(path: Path, config: type[Any], **sizes: Any) -> Path:
    torch.manual_seed(11)
    tokenizer = Tokenizer.train([LETTERS], TokenizerConfig(kind="characters", vocab_size=60))
    both = {"vocab_size": len(tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "num_layers": 1}
    model = build(config(**both, max_positions=48, **sizes))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embedding" in name:
                parameter.mul_(2.0)
    save_new(path, model.eval(), tokenizer)
    return path


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    path = tmp_path_factory.mktemp("others")
    return {
        "letters": stored(path / "letters", DecoderConfig),
        "moods": stored(path / "moods", EncoderConfig, task="classify", labels=("sad", "glad")),
    }


@pytest.fixture(scope="module")
def model(folders: dict[str, Path]) -> LanguageModel:
    return load_as(folders["letters"], LanguageModel, device="cpu")


@pytest.fixture(scope="module")
def mixed(start: Start, folder: Path, folders: dict[str, Path]) -> Running:
    return start(folder, *folders.values())


@pytest.fixture(scope="module")
def client(mixed: Running) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{mixed.url}/v1", api_key="none", max_retries=0)


def test_models_of_all_kinds_are_listed(mixed: Running, client: openai.OpenAI) -> None:
    assert [each.id for each in client.models.list()] == ["en-de", "letters", "moods"]
    _, found = send(mixed, "GET", "/api/v1/models", "", "")
    assert [each.get("direction", each.get("name")) for each in found["models"]] == ["en-de", "letters", "moods"]
    assert json.loads(mixed.get("/ready")[1])["models"] == ["en-de", "letters", "moods"]


@pytest.mark.parametrize("options", [{"temperature": 0.0}, {"temperature": 0.7, "top_p": 0.8, "seed": 5}])
def test_completions_are_what_python_writes(
    client: openai.OpenAI, model: LanguageModel, options: dict[str, Any]
) -> None:
    found = client.completions.create(
        model="letters", prompt=PROMPTS, max_tokens=60, **options
    )  # beyond the window of 48
    wanted = model.continuations(PROMPTS, max_tokens=60, **options)
    assert [each.text for each in found.choices] == [each.text for each in wanted]
    assert [each.index for each in found.choices] == list(range(len(PROMPTS)))
    assert {each.finish_reason for each in found.choices} == {"length"}
    assert found.usage is not None
    assert found.usage.completion_tokens == 60 * len(PROMPTS)
    assert found.usage.prompt_tokens == sum(len(model.ids_of(prompt)) for prompt in PROMPTS)


def test_several_choices_are_several_samples(client: openai.OpenAI, model: LanguageModel) -> None:
    found = client.completions.create(model="letters", prompt="a", n=3, max_tokens=12, seed=2)
    wanted = model.generate(["a"] * 3, max_tokens=12, seed=2, temperature=1.0)
    assert [each.text for each in found.choices] == wanted
    assert len(set(wanted)) == 3


def test_stop_texts_end_a_completion_and_are_left_out(client: openai.OpenAI, model: LanguageModel) -> None:
    (whole,) = model.generate(["two"], max_tokens=40, seed=3, temperature=1.0)
    stop = whole[10:12]
    at = whole.index(stop)
    found = client.completions.create(model="letters", prompt="two", max_tokens=40, seed=3, stop=[stop, "zzzz"])
    assert (found.choices[0].text, found.choices[0].finish_reason) == (whole[:at], "stop")
    pieces = list(
        client.completions.create(model="letters", prompt="two", max_tokens=40, seed=3, stop=stop, stream=True)
    )
    assert "".join(each.choices[0].text for each in pieces) == whole[:at]  # nothing of it was sent before it was known
    assert [each.choices[0].finish_reason for each in pieces][-1] == "stop"
    assert len(pieces) > at // 2
    assert model.generate("two", max_tokens=40, seed=3, temperature=1.0, stop=[stop]) == whole[:at]


def test_a_stream_of_several_prompts(client: openai.OpenAI, model: LanguageModel) -> None:
    texts = ["", "", ""]
    for piece in client.completions.create(
        model="letters", prompt=["a", "b c", ""], max_tokens=20, seed=4, stream=True
    ):
        texts[piece.choices[0].index] += piece.choices[0].text
    assert texts == model.generate(["a", "b c", ""], max_tokens=20, seed=4, temperature=1.0)


def test_log_probabilities(client: openai.OpenAI, model: LanguageModel) -> None:
    prompt = "two dogs"
    found = client.completions.create(
        model="letters", prompt=prompt, max_tokens=9, logprobs=3, echo=True, temperature=0.5
    )
    (wanted,) = model.continuations([prompt], max_tokens=9, temperature=0.5)
    logs = found.choices[0].logprobs
    assert logs is not None
    assert logs.tokens is not None
    assert logs.token_logprobs is not None
    assert found.choices[0].text == prompt + wanted.text
    assert "".join(logs.tokens).endswith(prompt + wanted.text)
    assert logs.token_logprobs[-9:] == pytest.approx(wanted.token_log_probs[:9], abs=1e-4)
    ids = [*model.ids_of(prompt), *wanted.ids]
    with torch.inference_mode():
        every = model.model(torch.tensor([ids]))[0].log_softmax(dim=-1)
    by_hand = [float(every[at, id]) for at, id in enumerate(ids[1:])]
    assert logs.token_logprobs == [None, *(pytest.approx(value, abs=1e-4) for value in by_hand)]
    assert logs.top_logprobs is not None
    for row, likeliest in zip(every.tolist(), logs.top_logprobs[1:], strict=False):
        assert sorted(likeliest.values()) == pytest.approx(sorted(row)[-3:], abs=1e-4)
    only = client.completions.create(model="letters", prompt=prompt, max_tokens=0, logprobs=0, echo=True).choices[0]
    assert only.logprobs is not None
    assert only.logprobs.token_logprobs is not None
    expected = logs.token_logprobs[1 : len(model.ids_of(prompt))]
    assert only.logprobs.token_logprobs == [None, *(pytest.approx(value, abs=1e-4) for value in expected)]


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"model": "en-de"}, 404, "no model that is a language model called 'en-de'"),
        ({"model": "moods"}, 404, "Such models here: letters"),
        ({"prompt": [1, 2]}, 400, "token ids"),
        ({"prompt": "a" * 80}, 400, "at most 48 tokens"),
        ({"max_tokens": 5000}, 400, "max_tokens must be a whole number from 0 to 4096"),
        ({"logprobs": 9}, 400, "logprobs"),
        ({"logprobs": 1, "max_tokens": 80}, 400, "at most 49 tokens"),
        ({"stop": ["a"] * 5}, 400, "at most 4"),
        ({"stop": [""]}, 400, "stop"),
        ({"temperature": -1}, 400, "temperature"),
        ({"presence_penalty": 0.5}, 400, "presence_penalty is not supported"),
        ({"best_of": 3}, 400, "best_of"),
        ({"stream": True, "echo": True}, 400, "stream does not work"),
    ],
)
def test_what_completions_refuse(mixed: Running, fields: dict[str, Any], status: int, message: str) -> None:
    found, content = send(
        mixed, "POST", "/v1/completions", json.dumps({"prompt": "a", "model": "letters"} | fields), JSON
    )
    assert (found, message in content["error"]["message"]) == (status, True), content


def test_a_language_model_does_not_chat_and_does_not_translate(
    client: openai.OpenAI, start: Start, folders: dict[str, Path]
) -> None:
    with pytest.raises(openai.BadRequestError, match="/v1/completions"):
        client.chat.completions.create(model="letters", messages=[{"role": "user", "content": "a"}])
    alone = start(folders["letters"])
    status, content = send(alone, "POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "de"}), JSON)
    assert (status, content) == (400, {"error": "This server has no model that translates."})
    assert send(alone, "GET", "/languages", "", "") == (200, [])
    assert send(alone, "GET", "/frontend/settings", "", "")[0] == 200
    assert alone.stop() == 0


def test_our_own_paths(mixed: Running, model: LanguageModel, folders: dict[str, Path]) -> None:
    fields = {"prompt": "two", "max_tokens": 8, "temperature": 0.6, "seed": 9}
    _, found = send(mixed, "POST", "/api/v1/generate", json.dumps(fields), JSON)
    (wanted,) = model.continuations(["two"], max_tokens=8, temperature=0.6, seed=9)
    assert (found["text"], found["finish_reason"], found["model"]) == (wanted.text, "length", "letters")
    assert found["token_log_probs"] == pytest.approx(wanted.token_log_probs, abs=1e-4)
    status, found = send(mixed, "POST", "/api/v1/generate", json.dumps({"prompt": "a", "temperatur": 1}), JSON)
    assert (status, "temperature" in found["error"]["message"]) == (400, True)
    predictor = load_as(folders["moods"], Predictor, device="cpu")
    _, found = send(mixed, "POST", "/api/v1/predict", json.dumps({"texts": ["two dogs", "x " * 60]}), JSON)
    for row, each in zip(found["predictions"], predictor.predict(["two dogs", "x " * 60]), strict=True):
        assert (row["labels"], row["is_cut"]) == (each.labels, each.is_cut)
        assert row["probs"] == pytest.approx(each.probs, abs=1e-5)


def test_a_stream_whose_client_goes_away_ends(mixed: Running, client: openai.OpenAI) -> None:
    def num_active() -> float:
        found = re.search(r"^regard_active_sentences (\S+)", mixed.get("/metrics")[1], re.MULTILINE)
        assert found
        return float(found[1])

    stream = client.completions.create(model="letters", prompt=["a"] * 4, max_tokens=4096, stream=True)
    next(iter(stream))
    assert num_active() == 4
    stream.close()
    began = time.monotonic()
    while num_active():
        assert time.monotonic() - began < 20
        time.sleep(0.05)
    written = float(re.findall(r"^regard_tokens_total (\S+)", mixed.get("/metrics")[1], re.MULTILINE)[0])
    assert written < 4 * 4096
    assert "never retrieved" not in mixed.log.read_text()


@pytest.mark.parametrize("threads", [1, 2])
def test_prompts_of_many_share_batches(model: LanguageModel, threads: int) -> None:
    scheduler = Scheduler(model, Metrics(), batch_size=5, threads=threads)
    found: dict[int, list[str]] = {}

    def client(number: int) -> None:
        options = TextOptions(max_tokens=10 + 9 * number, seed=number, temperature=(0.0, 0.8)[number % 2], stop=("q",))
        job = Job(PROMPTS, options, 1e12)
        scheduler.submit(job)
        found[number] = [future.result(60).text for future in job.futures]

    clients = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    scheduler.queue.close()
    assert scheduler.join(30)
    for number, texts in found.items():
        options = {"max_tokens": 10 + 9 * number, "seed": number, "temperature": (0.0, 0.8)[number % 2], "stop": ("q",)}
        assert texts == model.generate(PROMPTS, **options), number
    assert len(found) == 8


def test_several_models_that_translate_need_directions(folder: Path, folders: dict[str, Path], tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.symlink_to(folder)
    for words in ([plain, folder], [folder, plain], [folders["letters"], folder, plain]):
        with pytest.raises(SettingsError, match=r"plain does not say its languages.*en-de="):
            ModelRegistry(ModelFolders(parse_models(list(map(str, words))), device="cpu"), Limits())
    again = tmp_path / "letters"
    again.symlink_to(folders["letters"])
    with pytest.raises(SettingsError, match="a name of its own; got letters twice"):
        ModelRegistry(ModelFolders(parse_models([str(folders["letters"]), str(again)]), device="cpu"), Limits())
    registry = ModelRegistry(ModelFolders(parse_models([str(plain), str(folders["moods"])]), device="cpu"), Limits())
    assert registry.names == ["und-und", "moods"]
    registry.close()


def test_looking_inside_other_models(mixed: Running, model: LanguageModel, folders: dict[str, Path]) -> None:
    predictor = load_as(folders["moods"], Predictor, device="cpu")
    for name, pipeline, text in (("letters", model, "two dogs"), ("moods", predictor, "a cat")):
        body = json.dumps({"model": name, "text": text, "lens": True})
        status, found = send(mixed, "POST", "/api/v1/inspect", body, JSON)
        seen = pipeline.inspect(text)
        assert status == 200
        assert (found["target"], found["head_names"]) == (None, seen.head_names)
        assert found["token_log_probs"] == pytest.approx(seen.token_log_probs, abs=1e-4)
        assert bool(found["lens"]) == (name == "letters")  # a classifier's layers predict nothing
        assert [each["label"] for each in found.get("predicted", [])] == [label for label, _ in seen.predicted]
        head = seen.head_names[-1]
        _, looked_up = send(mixed, "GET", f"/api/v1/inspect/{found['id']}/lookup/{head}/1/0")
        assert looked_up["weights"] == pytest.approx(seen[head][1].filled(0).tolist(), abs=1e-4)
        _, flow = send(mixed, "GET", f"/api/v1/inspect/{found['id']}/flow/gradient")
        assert flow["keys"]["spelled"] == seen.keys(head.split(".")[0]).spelled
