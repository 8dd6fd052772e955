"""Every field that OpenAI defines is done, refused by its name, or says nothing by OpenAI's own meaning."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import openai
import pytest
import torch
from served import Running, Start
from test_interfaces import JSON, TEXT, send

from regard.checkpoint import save_new
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.loading import load_as
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SEVERAL = "Two dogs play. A cat sleeps!\nA mat."
LETTERS = "abcdefghijklmnopqrstuvwxyz .,!?\n"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(11)
    tokenizer = Tokenizer.train([LETTERS], TokenizerConfig(kind="characters", vocab_size=60))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "num_layers": 1}
    path = tmp_path_factory.mktemp("letters") / "letters"
    save_new(path, build(DecoderConfig(**sizes, max_positions=48)).eval(), tokenizer)
    return path


@pytest.fixture(scope="module")
def both(start: Start, folder: Path, letters: Path) -> Running:
    return start(folder, letters)


@pytest.fixture(scope="module")
def client(both: Running) -> openai.OpenAI:
    return openai.OpenAI(api_key="none", base_url=both.url + "/v1", max_retries=0)


def chat(server: Running, text: Any = TEXT, **fields: Any) -> tuple[int, Any]:
    """Status and content of the answer to a chat."""
    body = {"model": "en-de", "messages": [{"role": "user", "content": text}]} | fields
    return send(server, "POST", "/v1/chat/completions", json.dumps(body), JSON)


def complete(server: Running, **fields: Any) -> tuple[int, Any]:
    """Status and content of the answer to a completion."""
    body = {"model": "letters", "prompt": "a"} | fields
    return send(server, "POST", "/v1/completions", json.dumps(body), JSON)


def streamed(client: openai.OpenAI, text: str = TEXT, model: str = "en-de", **fields: Any) -> tuple[str, str | None]:
    """The text of a chat's stream, and why it ended."""
    messages: Any = [{"role": "user", "content": text}]
    chunks = list(client.chat.completions.create(model=model, messages=messages, stream=True, **fields))
    (reason,) = {chunk.choices[0].finish_reason for chunk in chunks} - {None}
    assert chunks[-1].choices[0].finish_reason == reason
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks), reason


def text_of(content: Any) -> str:
    return str(content["choices"][0]["message"]["content"])


# finish_reason and max_tokens


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_chat_that_is_cut_at_the_allowed_length_says_so(
    both: Running, client: openai.OpenAI, translator: Translator, name: str
) -> None:
    for most in (1, 3, 7, 200, 128_000):
        wanted = translator.translate(TEXT, max_length=most)
        reason = "length" if wanted.finish_reason == "length" else "stop"
        status, content = chat(both, **{name: most})
        assert (status, text_of(content)) == (200, wanted.text)
        assert content["choices"][0]["finish_reason"] == reason
        assert content["usage"]["completion_tokens"] == len(wanted.ids) <= most
        fields: dict[str, Any] = {name: most}
        assert streamed(client, **fields) == (wanted.text, reason)
    assert translator.translate(TEXT, max_length=3).finish_reason == "length"


@pytest.fixture(scope="module")
def ending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose translations end by themselves, as a rule."""
    torch.manual_seed(11)
    tokenizer = Tokenizer.train([LETTERS + "ABT"], TokenizerConfig(kind="characters", vocab_size=60))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 16, "ff_dim": 24, "num_heads": 2, "max_positions": 90}
    model = build(EncoderDecoderConfig(**sizes, num_encoder_layers=1, num_decoder_layers=1))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embedding" in name:
                parameter.mul_(2.0)
                parameter[tokenizer.eos_id] *= 2.0
    path = tmp_path_factory.mktemp("ending") / "ending-fr-de"
    save_new(path, model.eval(), tokenizer)
    return path


def test_each_translation_says_why_it_ended(start: Start, ending: Path) -> None:
    translator, server = load_as(ending, Translator, device="cpu"), start(ending)
    texts = [*(f"{one}{two}" for one in "abcdefgh" for two in ("", " dog", "zz")), "a b c d e"]
    reasons = set()
    for text in texts:
        wanted = translator.translate(text)
        content = chat(server, text, model="fr-de")[1]
        assert text_of(content) == wanted.text
        reason = content["choices"][0]["finish_reason"]
        assert reason == ("length" if wanted.finish_reason == "length" else "stop")
        reasons.add(reason)
    assert reasons == {"stop", "length"}
    server.stop()


def test_the_allowed_length_is_that_of_all_sentences_together(start: Start, ending: Path) -> None:
    server = start(ending)
    client = openai.OpenAI(api_key="none", base_url=server.url + "/v1", max_retries=0)
    whole = chat(server, SEVERAL, model="fr-de")[1]
    total = whole["usage"]["completion_tokens"]
    assert whole["choices"][0]["finish_reason"] == "stop"
    for most in (1, 5, total - 1, total + 90):
        content = chat(server, SEVERAL, max_tokens=most, model="fr-de")[1]
        assert content["usage"]["completion_tokens"] <= most
        choice = content["choices"][0]
        if choice["finish_reason"] == "length":
            assert content["usage"]["completion_tokens"] == most
        found = streamed(client, SEVERAL, "fr-de", max_tokens=most)
        assert found == (text_of(content), choice["finish_reason"])
    assert text_of(content) == text_of(whole)
    assert chat(server, SEVERAL, max_tokens=1, model="fr-de")[1]["choices"][0]["finish_reason"] == "length"
    server.stop()


def test_two_names_of_the_allowed_length(both: Running) -> None:
    assert chat(both, max_tokens=3, max_completion_tokens=3)[0] == 200
    status, content = chat(both, max_tokens=3, max_completion_tokens=4)
    assert (status, content["error"]["param"]) == (400, "max_tokens")


def test_each_choice_of_a_completion_says_why_it_ended(both: Running, client: openai.OpenAI) -> None:
    whole = client.completions.create(model="letters", prompt="two", max_tokens=30, n=4, seed=3)
    assert {each.finish_reason for each in whole.choices} == {"length"}
    stop = whole.choices[0].text[5:7]
    ask: dict[str, Any] = {
        "model": "letters", "prompt": "two", "max_tokens": 30, "n": 4, "seed": 3, "stop": stop,
    }  # fmt: skip
    found = client.completions.create(**ask)
    wanted = ["stop" if stop in each.text else "length" for each in whole.choices]
    assert [each.finish_reason for each in found.choices] == wanted
    assert "stop" in wanted
    reasons, texts = [""] * 4, [""] * 4
    for chunk in client.completions.create(**ask, stream=True):
        (choice,) = chunk.choices
        reasons[choice.index], texts[choice.index] = choice.finish_reason or "", texts[choice.index] + choice.text
    assert (reasons, texts) == (wanted, [each.text for each in found.choices])


# stop


def test_a_chat_ends_before_the_first_stop_text(both: Running, client: openai.OpenAI) -> None:
    whole = text_of(chat(both, SEVERAL)[1])
    places = {whole[at : at + 2]: whole.index(whole[at : at + 2]) for at in (0, 4, len(whole) // 2, len(whole) - 2)}
    for stop, at in places.items():
        content = chat(both, SEVERAL, stop=stop)[1]
        assert (text_of(content), content["choices"][0]["finish_reason"]) == (whole[:at], "stop")
        assert content["usage"]["completion_tokens"] <= max(at, 0)
        assert streamed(client, SEVERAL, stop=stop) == (whole[:at], "stop")
    several = [*places, "zzzzz"][-4:]
    first = min(whole.find(stop) for stop in several if stop in whole)
    assert text_of(chat(both, SEVERAL, stop=several)[1]) == whole[:first]
    nothings: list[Any] = [None, [], "zzzzzz"]
    for nothing in nothings:
        assert text_of(chat(both, SEVERAL, stop=nothing)[1]) == whole
    lines = chat(both, "a\nb", stop="\n")[1]
    assert text_of(lines) == text_of(chat(both, "a")[1]).split("\n")[0]


def test_what_ends_a_text_first_says_why(both: Running) -> None:
    cut = chat(both, max_tokens=5)[1]
    assert cut["choices"][0]["finish_reason"] == "length"
    text = text_of(cut)
    found = chat(both, max_tokens=5, stop=text[3:])[1]["choices"][0]
    assert (found["message"]["content"], found["finish_reason"]) == (text[: text.index(text[3:])], "stop")


def test_a_chat_is_streamed_as_it_becomes_certain(both: Running, client: openai.OpenAI) -> None:
    """In several pieces, the first of which comes before the last is written; a stop text is never sent in part."""
    messages: Any = [{"role": "user", "content": SEVERAL}]
    whole = text_of(chat(both, SEVERAL, temperature=0.7, seed=3)[1])
    for stop in (None, whole[len(whole) // 2 :][:3]):
        fields: dict[str, Any] = {"model": "en-de", "messages": messages, "temperature": 0.7, "seed": 3, "stop": stop}
        pieces = [
            chunk.choices[0].delta.content
            for chunk in client.chat.completions.create(**fields, stream=True)
            if chunk.choices[0].delta.content
        ]
        assert "".join(pieces) == (whole if stop is None else whole[: whole.index(stop)])
        assert len(pieces) > 10


# logprobs


def test_log_probabilities_of_a_chat(both: Running, client: openai.OpenAI, translator: Translator) -> None:
    wanted = translator.translate(TEXT, alternatives=3)
    assert wanted.alternatives is not None
    messages: Any = [{"role": "user", "content": TEXT}]
    ask: dict[str, Any] = {"model": "en-de", "messages": messages, "logprobs": True, "top_logprobs": 3}
    choice = client.chat.completions.create(**ask).choices[0]
    assert choice.logprobs is not None
    assert choice.logprobs.content is not None
    rows = choice.logprobs.content
    assert "".join(row.token for row in rows) == choice.message.content == wanted.text
    assert bytes(byte for row in rows for byte in row.bytes or []) == wanted.text.encode()
    assert [row.logprob for row in rows] == pytest.approx(wanted.token_log_probs[: len(wanted.ids)], abs=1e-4)
    for row, likeliest in zip(rows, wanted.alternatives, strict=False):
        assert [each.logprob for each in row.top_logprobs] == pytest.approx([lp for _, lp in likeliest], abs=1e-4)
        same = [each.token for each in row.top_logprobs if math.isclose(each.logprob, row.logprob, abs_tol=1e-5)]
        assert not same or row.token in same
    chunks = list(client.chat.completions.create(**ask, stream=True))
    told = [row for chunk in chunks if (found := chunk.choices[0].logprobs) for row in found.content or []]
    assert [(row.token, len(row.top_logprobs)) for row in told] == [(row.token, 3) for row in rows]
    plain = chat(both, logprobs=True)[1]["choices"][0]["logprobs"]["content"]
    assert [(row["token"], row["top_logprobs"]) for row in plain] == [(row.token, []) for row in rows]
    assert chat(both, logprobs=False, top_logprobs=0)[1]["choices"][0]["logprobs"] is None


def test_log_probabilities_of_what_is_cut(both: Running) -> None:
    for fields in ({"max_tokens": 4}, {"stop": text_of(chat(both)[1])[4:6]}, {"max_tokens": 7, "stop": "q"}):
        content = chat(both, logprobs=True, **fields)[1]
        rows = content["choices"][0]["logprobs"]["content"]
        assert "".join(row["token"] for row in rows) == text_of(content)
        assert len(rows) == content["usage"]["completion_tokens"]
    content = chat(both, SEVERAL, logprobs=True)[1]
    assert len(content["choices"][0]["logprobs"]["content"]) == content["usage"]["completion_tokens"]


# drawing


def test_a_temperature_draws(both: Running, translator: Translator) -> None:
    searched = translator.translate(TEXT).text
    fields: dict[str, Any]
    for fields in ({}, {"temperature": 0}, {"temperature": 1, "top_p": 1, "seed": 7}, {"temperature": None}):
        assert text_of(chat(both, **fields)[1]) == searched, fields
    for fields in ({"temperature": 0.7, "seed": 3}, {"top_p": 0.8}, {"temperature": 1.5, "top_p": 0.9, "seed": 4}):
        wanted = translator.translate(TEXT, method="sample", **fields)
        assert text_of(chat(both, **fields)[1]) == wanted.text, fields
    assert len({text_of(chat(both, temperature=1.5, seed=seed)[1]) for seed in range(4)}) > 1


# what is refused, and what says nothing

IMAGE = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
AUDIO = [{"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}]
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
REFUSED_IN_BOTH: dict[str, Any] = {
    "logit_bias": {"5": 3},
    "frequency_penalty": 0.5,
    "presence_penalty": -0.5,
    "suffix": "x",
    "response_format": {"type": "json_object"},
    "tools": [TOOL],
    "tool_choice": "required",
    "functions": [{"name": "f"}],
    "function_call": {"name": "f"},
    "modalities": ["text", "audio"],
    "audio": {"voice": "alloy", "format": "wav"},
    "reasoning_effort": "high",
    "verbosity": "low",
    "web_search_options": {},
    "stop": ["a", "b", "c", "d", "e"],
    "seed": "x",
    "temperature": -1,
    "top_p": 2,
    "stream_options": {"include_usage": True},
    "stream": "perhaps",
}
REFUSED_IN_CHAT: dict[str, Any] = {
    "n": 2, "best_of": 2, "echo": True, "logprobs": 3, "top_logprobs": 2, "max_tokens": 0, "max_completion_tokens": -1,
    "prompt": "a",
}  # fmt: skip
REFUSED_IN_COMPLETIONS: dict[str, Any] = {
    "best_of": 3, "top_logprobs": 2, "logprobs": 6, "max_tokens": -1, "max_completion_tokens": 4, "n": 0,
    "messages": [{"role": "user", "content": "a"}],
}  # fmt: skip
HARMLESS: dict[str, Any] = {
    "user": "me",
    "metadata": {"a": "b"},
    "store": True,
    "service_tier": "flex",
    "safety_identifier": "x",
    "prompt_cache_key": "x",
    "parallel_tool_calls": False,
    "tools": [],
    "functions": [],
    "tool_choice": "none",
    "function_call": "auto",
    "response_format": {"type": "text"},
    "modalities": ["text"],
    "logit_bias": {},
    "frequency_penalty": 0,
    "presence_penalty": 0.0,
    "reasoning_effort": "none",
    "suffix": "",
    "echo": False,
    "n": 1,
    "best_of": 1,
    "stop": None,
    "stream": False,
    "temperature": 1,
    "top_p": 1,
}


def check_error(status: int, content: Any, name: str) -> None:
    assert status == 400, content
    error = content["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", name)
    assert name in error["message"]
    assert isinstance(error["code"], str | None)


@pytest.mark.parametrize("name", [*REFUSED_IN_BOTH, *REFUSED_IN_CHAT])
def test_what_a_chat_refuses_by_its_name(both: Running, name: str) -> None:
    check_error(*chat(both, **{name: (REFUSED_IN_BOTH | REFUSED_IN_CHAT)[name]}), name)
    assert chat(both, **{name: None})[0] == 200


@pytest.mark.parametrize("name", [*REFUSED_IN_BOTH, *REFUSED_IN_COMPLETIONS])
def test_what_a_completion_refuses_by_its_name(both: Running, name: str) -> None:
    check_error(*complete(both, **{name: (REFUSED_IN_BOTH | REFUSED_IN_COMPLETIONS)[name]}), name)
    assert complete(both, **{name: None})[0] == 200


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": IMAGE},
        {"role": "user", "content": AUDIO},
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]},
        {"role": "user", "content": [{"text": "a"}]},
        {"role": "user", "content": [{"type": "text", "text": None}]},
        {"role": "user", "content": ["a"]},
        {"role": "user", "content": 7},
        {"role": "narrator", "content": "a"},
        {"content": "a"},
    ],
)
def test_messages_that_are_no_text_are_refused(both: Running, message: Any) -> None:
    user = {"role": "user", "content": "a"}
    for messages in ([message], [message, user], [user, message]):
        check_error(*chat(both, messages=messages), "messages")
    texts = [{"type": "text", "text": "two "}, {"type": "text", "text": "dogs play"}]
    assert text_of(chat(both, texts)[1]) == text_of(chat(both)[1])


def test_what_says_nothing_is_accepted(both: Running) -> None:
    plain, completed = text_of(chat(both)[1]), complete(both)[1]["choices"]
    for name, value in HARMLESS.items():
        status, content = chat(both, **{name: value})
        assert (status, content["choices"][0]["message"]["content"]) == (200, plain), name
        status, content = complete(both, **{name: value})
        assert (status, content["choices"]) == (200, completed), name
    assert text_of(chat(both, **HARMLESS)[1]) == plain
    assert complete(both, **HARMLESS)[1]["choices"] == completed
    assert chat(both, tools=[TOOL], tool_choice="none")[0] == 200


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "application/xml", ""])
def test_json_of_another_type_is_read(both: Running, kind: str) -> None:
    fields = {"model": "letters", "prompt": "two dogs", "max_tokens": 5, "echo": True}
    status, content = send(both, "POST", "/v1/completions", json.dumps(fields), kind)
    assert status == 200
    assert content["choices"] == complete(both, **fields)[1]["choices"]
    assert content["choices"][0]["text"].startswith("two dogs")


def test_a_field_that_nobody_defines_is_ignored_and_said_once(both: Running) -> None:
    for _ in range(3):
        assert chat(both, kwargs_of_mine=1, top_a=[2])[0] == 200
        assert (
            complete(both, **{"line\nbreak": 1, "a text of mine": 1, "w" * 41: 1, "extra-body.x_1": 1, "größe": 1})[0]
            == 200
        )
    lines = [line for line in both.log.read_text().splitlines() if "ignored" in line]
    assert len([line for line in lines if "kwargs_of_mine" in line and "top_a" in line]) == 1
    shown = [line.partition("/v1/completions: fields that OpenAI does not define are ignored: ")[2] for line in lines]
    assert "extra-body.x_1, 4 whose name is not shown" in shown
    for text in ("break", "of mine", "wwww", "größe"):
        assert text not in both.log.read_text()


def test_a_model_that_is_not_there_is_named_as_openai_does(both: Running) -> None:
    for status, content in (chat(both, model="gpt-4"), complete(both, model="gpt-4")):
        assert status == 404
        assert (content["error"]["param"], content["error"]["code"]) == ("model", "model_not_found")


def test_the_last_chunk_has_the_usage(both: Running, client: openai.OpenAI) -> None:
    asked: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
    messages: Any = [{"role": "user", "content": TEXT}]
    for chunks in (
        list(client.chat.completions.create(model="en-de", messages=messages, max_tokens=4, **asked)),
        list(client.completions.create(model="letters", prompt="a", max_tokens=4, **asked)),
    ):
        *others, last = chunks
        assert all("usage" in chunk.model_fields_set and chunk.usage is None for chunk in others)
        assert (last.choices, last.usage is not None and last.usage.completion_tokens) == ([], 4)
        assert others[-1].choices[0].finish_reason == "length"


@pytest.mark.parametrize(
    ("prompt", "status"),
    [
        ("Keep XML tags intact. Output only the translation.", 200),
        ("You translate. Do not output JSON, only return text.", 200),
        ("You are a translator for JSON i18n files. Only respond with the translation.", 200),
        ("Translate, and respond in JSON.", 400),
        ("Return a JSON array of the translations.", 400),
    ],
)
def test_prompts_that_ask_for_a_form(both: Running, prompt: str, status: int) -> None:
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": TEXT}]
    body = json.dumps({"model": "en-de", "messages": messages})
    assert send(both, "POST", "/v1/chat/completions", body, JSON)[0] == status


def test_options_of_drawing_as_others_have_them(both: Running) -> None:
    fields = {"model": "letters", "prompt": "a", "max_tokens": 4, "temperature": 1.0}

    def answer(**options: Any) -> Any:
        status, content = send(both, "POST", "/v1/completions", json.dumps(fields | options), JSON)
        return status, content.get("choices")

    assert answer(seed=3, top_k=-1) == answer(seed=3, top_k=0) == answer(seed=3)
    assert answer(seed=-1)[0] == 200
    assert answer(top_k=-2)[0] == 400


def test_a_missing_part_is_named(both: Running) -> None:
    body = json.dumps({"model": "en-de", "messages": [{"role": "user"}]})
    _, content = send(both, "POST", "/v1/chat/completions", body, JSON)
    assert content["error"]["message"] == "messages[0].content must be given."
