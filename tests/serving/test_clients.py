"""What clients expect beyond a translation: ways to write a request, paths, keys, and what is said of models and languages."""

from __future__ import annotations

import http.client
import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import Running, Start
from test_interfaces import FIELDS, FORM, JSON, TEXT, send

from regard.generation.options import DecodingOptions
from regard.pipelines.translator import Translator
from regard.serving.character_counts import CharacterCounts
from regard.serving.directions import parse_models
from regard.serving.endpoints.bodies import fields_of
from regard.serving.limits import Limits, ServingError
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState
from regard.serving.translation_request import TranslationRequest
from regard.serving.translation_service import TranslationService


def multipart(pairs: list[tuple[str, str]], boundary: str = "----x1Y") -> tuple[bytes, str]:
    """A body as browsers write it, and its type."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in pairs
    ]
    return f"{''.join(parts)}--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


# how a request is written


@given(st.lists(st.tuples(st.sampled_from(["q", "source", "text", "ä"]), st.text()), max_size=6))
def test_all_encodings_say_the_same(pairs: list[tuple[str, str]]) -> None:
    pairs = [(name, value) for name, value in pairs if "----x1Y" not in value]
    body, kind = multipart(pairs)
    in_parts = fields_of("", body, kind)
    form = urllib.parse.urlencode(pairs)
    assert in_parts == fields_of("", form.encode(), FORM)
    assert in_parts == fields_of(form, b"", "")
    for mark in ("", "\ufeff"):
        assert fields_of("", (mark + json.dumps(in_parts)).encode(), JSON) == in_parts


@given(st.binary(max_size=200), st.sampled_from(["x", '"a b"', "", "--", "\xe4"]))
def test_a_body_that_is_not_multipart_is_refused_or_read(rest: bytes, boundary: str) -> None:
    refused: list[int] = []
    for body in (
        rest,
        b"--x" + rest + b"\r\n--x--",
        b'--x\r\nContent-Disposition: form-data; name="q"' + rest + b"--x--",
    ):
        try:
            found = fields_of("", body, f"multipart/form-data; boundary={boundary}")
            assert all(isinstance(value, str | list) for value in found.values())
        except ServingError as error:
            refused.append(error.status)
    assert set(refused) <= {400}


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("text[]=a", {"text": ["a"]}),
        ("text[]=a&text[]=b", {"text": ["a", "b"]}),
        ("text%5B%5D=a&text%5B%5D=b&target_lang=DE", {"text": ["a", "b"], "target_lang": "DE"}),
        ("text[1]=b&text[0]=a&text[10]=c", {"text": ["a", "b", "c"]}),
        ("text=a&text[]=b", {"text": ["a", "b"]}),
        ("text=a&text=b", {"text": ["a", "b"]}),
        ("text=a", {"text": "a"}),
        ("[]=a&x[y]=b", {"[]": "a", "x[y]": "b"}),
    ],
)
def test_lists_in_forms(form: str, fields: dict[str, Any]) -> None:
    assert fields_of("", form.encode(), FORM) == fields
    assert fields_of(form, b"", "") == fields
    pairs = [(urllib.parse.unquote(name), value) for name, value in (each.split("=") for each in form.split("&"))]
    body, kind = multipart(pairs)
    assert fields_of("", body, kind) == fields


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b'--x\r\nContent-Disposition: form-data; name="q"; filename="a.txt"\r\n\r\nb\r\n--x--',
            "q must be a field, not a file",
        ),
        (b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n\xff\r\n--x--', "q is not UTF-8 at byte 0"),
        (b"--x\r\nContent-Type: text/plain\r\n\r\nb\r\n--x--", "a part has no name"),
        (
            b'--x\r\nContent-Disposition: form-data; name="q"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--x--',
            "not plain",
        ),
        (b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\nb\r\n', "it has no end"),
    ],
)
def test_what_is_wrong_with_a_multipart_body(body: bytes, message: str) -> None:
    with pytest.raises(ServingError, match=message) as refused:
        fields_of("", body, "multipart/form-data; boundary=x")
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("parameters", "kind", "rest", "message"),
    [
        ('name="q"', "text/plain; charset*=\0''utf-8", "boundary=x", "the encoding of charset is not UTF-8"),
        ('name="q"', "text/plain; charset*=a%00b''utf-8", "boundary=x", "the encoding of charset is not UTF-8"),
        ('name="q"', "text/plain; charset*=utf-8''utf-16", "boundary=x", "q is not plain UTF-8"),
        (f'name*{"9" * 5000}="q"', "text/plain", "boundary=x", "name in Content-Disposition cannot be read"),
        ("name=q; filename*=\0''q", "text/plain", "boundary=x", "the encoding of filename is not UTF-8"),
        ("name*=utf-8''%ff", "text/plain", "boundary=x", "name in Content-Disposition cannot be read"),
        ('name="q"', "text/plain", "boundary*=\0''x", "the encoding of boundary is not UTF-8"),
        ('name="q"', "text/plain", "boundary*=utf-8''%ff", "boundary in Content-Type cannot be read"),
        ('name="q"', "text/plain", f"boundary*{'9' * 5000}=x", "boundary in Content-Type cannot be read"),
    ],
)
def test_a_header_of_a_multipart_body_is_refused(parameters: str, kind: str, rest: str, message: str) -> None:
    body = f"--x\r\nContent-Disposition: form-data; {parameters}\r\nContent-Type: {kind}\r\n\r\nb\r\n--x--".encode()
    with pytest.raises(ServingError, match=f"must be multipart/form-data: {message}") as refused:
        fields_of("", body, f"multipart/form-data; {rest}")
    assert refused.value.status == 400


@pytest.mark.parametrize(
    "head",
    [
        *(f'name="ä"\r\nContent-Type: text/plain; charset={name}' for name in ("utf8", "UTF8", "utf-8", '"us-ascii"')),
        "name*=utf-8''%C3%A4",
    ],
)
def test_names_of_utf_8_in_a_multipart_body(head: str) -> None:
    body = f"--x\r\nContent-Disposition: form-data; {head}\r\n\r\nö\r\n--x--".encode()
    assert fields_of("", body, "multipart/form-data; boundary=x") == {"ä": "ö"}


def test_a_file_that_was_not_chosen_is_no_field() -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n\r\n--x--'
    assert fields_of("", body, "multipart/form-data; boundary=x") == {}


def test_libretranslates_own_page(server: Running, translator: Translator) -> None:
    pairs = [("q", "two dogs\r\n\r\na cat"), ("source", "en"), ("target", "de"), ("format", "text"), ("api_key", "")]
    body, kind = multipart(pairs)
    status, content = send(server, "POST", "/translate", body, kind)
    expected = [translator.translate(text).text for text in ("two dogs", "a cat")]
    assert (status, content) == (200, {"translatedText": "\r\n\r\n".join(expected)})


def test_a_target_with_a_host(server: Running) -> None:
    """RFC 9112, section 3.2.2: `curl -x` sends it, and a server must accept it."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("GET", "http://translate.local/health")
    assert connection.getresponse().status == 200
    connection.close()


@pytest.mark.parametrize("path", ["/translate/", "//translate", "/translate//", "//translate/"])
def test_slashes_too_many(server: Running, translator: Translator, path: str) -> None:
    expected = translator.translate(TEXT).text
    assert send(server, "POST", path, json.dumps(FIELDS), JSON) == (200, {"translatedText": expected})
    for other in ("/languages/", "/v2/usage/", "/health/", "/api/v1/models/", "/language/translate/v2/languages/"):
        assert send(server, "GET", other)[0] == 200


# what is said


def test_libretranslates_error_texts(server: Running) -> None:
    for fields, message in (
        ({**FIELDS, "target": "zz"}, "zz is not supported"),
        ({**FIELDS, "source": "zz"}, "zz is not supported"),
        ({**FIELDS, "format": "xml"}, "xml format is not supported"),
        ({**FIELDS, "alternatives": "abc"}, "Invalid request: alternatives parameter is not a number"),
        ({"source": "en", "target": "de"}, "Invalid request: missing q parameter"),
    ):
        for body, kind in ((json.dumps(fields), JSON), (urllib.parse.urlencode(fields), FORM)):
            assert send(server, "POST", "/translate", body, kind) == (400, {"error": message})
    # other interfaces say what there is
    deep = json.dumps({"text": ["a"], "target_lang": "FR"})
    assert send(server, "POST", "/v2/translate", deep, JSON)[1]["message"].endswith("This server translates en-de.")


def test_the_same_language_is_not_translated(server: Running, translator: Translator) -> None:
    text = "A  cat.\n\n <b>Two</b> dogs &amp; more.\t"
    for code in ("en", "de", "EN", "en-GB"):
        fields = {"q": [text, ""], "source": code, "target": code.lower(), "format": "html", "alternatives": 2}
        status, content = send(server, "POST", "/translate", json.dumps(fields), JSON)
        assert (status, content) == (200, {"translatedText": [text, ""], "alternatives": [[], []]})
    deep = json.dumps({"text": [text], "source_lang": "DE", "target_lang": "DE", "tag_handling": "xml"})
    assert send(server, "POST", "/v2/translate", deep, JSON)[1]["translations"][0]["text"] == text
    own = json.dumps({"text": text, "source": "en", "target": "en", "n_best": 3})
    status, content = send(server, "POST", "/api/v1/translate", own, JSON)
    assert (status, content["text"], content["direction"], content["sentences"]) == (200, text, "en-en", [])
    query = urllib.parse.urlencode({"q": text, "source": "en", "target": "en"})
    found = send(server, "GET", f"/language/translate/v2?{query}")[1]["data"]["translations"]
    assert found == [{"translatedText": text}]
    assert send(server, "POST", "/translate", json.dumps({**FIELDS, "source": "zz", "target": "zz"}), JSON)[0] == 400
    assert translator.translate(text).text != text


def test_a_model_for_one_language_or_for_any_translates_within_it(folder: Path) -> None:
    for models in (parse_models([f"en-en={folder}"]), [(folder, None)]):
        registry = ModelRegistry(ModelFolders(models, device="cpu"), Limits())
        pending = TranslationService(registry, CharacterCounts(SharedState())).submit(
            TranslationRequest(["a cat"], "en", "en")
        )
        assert [sentence.text for sentence in pending.job.sentences] == ["a cat"]
        pending.job.futures[0].result(30)
        registry.close()


def test_a_model_whose_languages_nobody_named_says_so(folder: Path) -> None:
    registry = ModelRegistry(ModelFolders([(folder, None)], device="cpu"), Limits())
    pending = TranslationService(registry, CharacterCounts(SharedState())).submit(
        TranslationRequest(["a cat"], "auto", "de")
    )
    assert registry.detect("a cat", "de") == registry.detect("a cat") == [("und", 0.0)]
    assert (pending.direction.source, pending.confidence) == ("und", 0.0)
    pending.job.futures[0].result(30)
    registry.close()


def test_the_limit_of_a_beam_is_the_one_that_is_named(folder: Path) -> None:
    registry = ModelRegistry(ModelFolders(parse_models([f"en-de={folder}"]), device="cpu"), Limits())
    service = TranslationService(registry, CharacterCounts(SharedState()))
    for options, named in (
        ({"beam_size": 17}, "beam_size and n_best may be at most 16; got 17"),
        ({"beam_size": 33, "minimum_bayes_risk": "chrf"}, "num_candidates may be at most 32; got 33"),
    ):
        with pytest.raises(ServingError, match=named):
            service.check(TranslationRequest(["a"], "en", "de", options=DecodingOptions(**options)))
    widest = DecodingOptions(beam_size=32, minimum_bayes_risk="chrf")
    service.check(TranslationRequest(["a"], "en", "de", options=widest))
    registry.close()


def test_a_text_without_letters_is_in_no_language(server: Running, start: Start, folder: Path) -> None:
    both = start(folder, f"fr-de={folder}")
    for each in (server, both):
        for text in ("", "  \n", "12.5 %", "😀!", "..."):
            _, found = send(each, "POST", "/detect", json.dumps({"q": text}), JSON)
            assert found
            assert [row["confidence"] for row in found] == [0.0] * len(found)
            status, content = send(
                each, "POST", "/translate", json.dumps({**FIELDS, "q": text, "source": "auto"}), JSON
            )
            assert (status, content["detectedLanguage"]["confidence"]) == (200, 0.0)
    query = urllib.parse.urlencode([("q", "The dogs play in the snow."), ("q", "Les chiens jouent."), ("q", " ")])
    status, content = send(both, "GET", f"/language/translate/v2/detect?{query}")
    assert status == 200
    english, french, nothing = content["data"]["detections"]
    assert [row["language"] for (row,) in (english, french, nothing)] == ["en", "fr", "und"]
    assert 0.5 < english[0]["confidence"] <= 1.0
    assert (nothing[0]["confidence"], nothing[0]["isReliable"]) == (0.0, False)
    both.stop()


def test_google(server: Running) -> None:
    base = "/language/translate/v2"
    assert send(server, "GET", f"{base}/languages")[1] == {
        "data": {"languages": [{"language": "de"}, {"language": "en"}]}
    }
    named = [{"language": "de", "name": "German"}, {"language": "en", "name": "English"}]
    assert send(server, "POST", f"{base}/languages", json.dumps({"target": "en"}), JSON)[1] == {
        "data": {"languages": named}
    }
    status, content = send(server, "POST", f"{base}/detect", json.dumps({"q": "a"}), JSON)
    assert (status, content["data"]["detections"]) == (
        200,
        [[{"language": "en", "confidence": 1.0, "isReliable": False}]],
    )
    for path, missing in ((base, "target"), (f"{base}?target=de", "q"), (f"{base}/detect", "q")):
        status, content = send(server, "GET", path)
        assert (status, content["error"]["code"], content["error"]["message"]) == (
            400, 400, f"Required parameter: {missing}",
        )  # fmt: skip


def test_deepl_by_get(server: Running, translator: Translator) -> None:
    query = urllib.parse.urlencode([("text[]", TEXT), ("text[]", "a cat"), ("target_lang", "DE")])
    status, content = send(server, "GET", f"/v2/translate?{query}")
    assert status == 200
    assert [each["text"] for each in content["translations"]] == [translator.translate(t).text for t in (TEXT, "a cat")]


# OpenAI


def test_openai_models_and_usage(server: Running, translator: Translator) -> None:
    client = openai.OpenAI(api_key="none", base_url=server.url + "/v1/", max_retries=0)
    assert client.models.retrieve("en-de").id == "en-de"
    with pytest.raises(openai.NotFoundError, match=r"'gpt-4' does not exist\. Models here: en-de"):
        client.models.retrieve("gpt-4")
    ask: Any = {"model": "en-de", "messages": [{"role": "user", "content": TEXT}]}
    whole = client.chat.completions.create(**ask)
    assert whole.usage is not None
    assert whole.usage.completion_tokens == len(translator.translate(TEXT).ids)
    assert whole.usage.prompt_tokens == len(translator.source_tokenizer.encode(TEXT))
    *chunks, last = client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True})
    assert (last.choices, last.usage) == ([], whole.usage)
    assert all(chunk.usage is None and len(chunk.choices) == 1 for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == whole.choices[0].message.content
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["length"]
    assert whole.choices[0].finish_reason == translator.translate(TEXT).finish_reason == "length"
    assert len({chunk.id for chunk in (*chunks, last)}) == 1
    assert all(chunk.choices for chunk in client.chat.completions.create(**ask, stream=True))
    for wrong, message in (
        ({"n": 0}, "n must be a whole number from 1 to 1; got 0"),
        ({"n": 2}, "from 1 to 1; got 2"),
        ({"n": False}, "from 1 to 1; got false"),
        ({"stream_options": {"include_usage": True}}, "stream_options needs stream to be true"),
        ({"stream": True, "stream_options": [1]}, "stream_options must be an object"),
    ):
        with pytest.raises(openai.BadRequestError, match=message):
            client.chat.completions.create(**ask, extra_body=wrong)
    assert isinstance(client.chat.completions.create(**ask, extra_body={"n": None, "stream": None}).id, str)


# keys


def test_keys_paths_without_one_and_usage_of_each(start: Start, folder: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text("first\nsecond\n")
    server = start(folder, "--api-keys", keys)
    assert send(server, "GET", "/languages")[0] == 200
    assert send(server, "GET", "/languages/")[0] == 200
    status, settings = send(server, "GET", "/frontend/settings")
    assert (status, settings["keyRequired"]) == (200, True)
    for path in (
        "/v2/languages",
        "/v1/models",
        "/v1/models/en-de",
        "/language/translate/v2/languages",
        "/api/v1/models",
    ):
        refused = 401 if path.startswith("/v1/") else 403  # the client of OpenAI tells them apart
        assert send(server, "GET", path)[0] == refused
        assert send(server, "GET", path, **{"x-goog-api-key": "wrong"})[0] == refused
        assert send(server, "GET", path, **{"x-goog-api-key": "second"})[0] == 200

    def used(key: str) -> int:
        return int(send(server, "GET", "/v2/usage", Authorization=f"DeepL-Auth-Key {key}")[1]["character_count"])

    body = {"text": ["a cat", "dogs"], "target_lang": "DE"}
    assert send(server, "POST", "/v2/translate", json.dumps(body), JSON, Authorization="DeepL-Auth-Key first")[0] == 200
    assert (used("first"), used("second")) == (9, 0)
    assert send(server, "POST", "/translate", json.dumps({**FIELDS, "api_key": "second"}), JSON)[0] == 200
    assert (used("first"), used("second")) == (9, len(TEXT))
    parts, kind = multipart([*FIELDS.items(), ("api_key", "first")])
    assert send(server, "POST", "/translate", parts, kind)[0] == 200
    assert used("first") == 9 + len(TEXT)
    server.stop()


# scores and n-best lists


def test_a_score_means_the_same_at_the_top_and_in_a_sentence(server: Running, translator: Translator) -> None:
    def ask(**fields: Any) -> Any:
        return send(server, "POST", "/api/v1/translate", json.dumps(fields), JSON)[1]

    for options in ({}, {"length_penalty": 0.0}, {"method": "sample", "seed": 3}, {"minimum_bayes_risk": "chrf"}):
        found = ask(text="a cat", **options)
        wanted = translator.translate("a cat", **options)
        assert found["score"] == pytest.approx(wanted.score, abs=1e-4)
        assert found["score"] == found["sentences"][0]["score"]
        assert found["log_prob"] == pytest.approx(sum(wanted.token_log_probs), abs=1e-3)
        assert found["log_prob"] == pytest.approx(sum(found["sentences"][0]["token_log_probs"]))
    several = ask(text="A cat. Two dogs! A mat.")
    for name in ("score", "log_prob"):
        assert several[name] == pytest.approx(sum(each[name] for each in several["sentences"]))
    assert len(several["sentences"]) == 3
    assert (ask(text=" ")["score"], ask(text=" ")["log_prob"]) == (0, 0)


def test_n_best_lists_are_those_of_the_command(
    start: Start, server: Running, translator: Translator, tmp_path: Path
) -> None:
    lines = [f"{a}{b}{c}" for a in "abc" for b in (" ", "d", "ee") for c in "xyz"]
    texts = json.dumps({"texts": lines, "n_best": 4, "split": False, "max_length": 4})
    found = send(server, "POST", "/api/v1/translate", texts, JSON)[1]["translations"]
    wanted = translator.translate(lines, DecodingOptions(n_best=4, max_length=4))
    assert [row["n_best"] for row in found] == [[each.text for each in one.n_best] for one in wanted]
    for row in found:
        assert [each["text"] for each in row["sentences"][0]["n_best"]] == row["n_best"]


def test_every_answer_has_the_id_of_its_request(server: Running) -> None:
    for path, method in (
        ("/health", "GET"),
        ("/nothing", "GET"),
        ("/translate", "POST"),
        ("/", "GET"),
        ("/translate", "GET"),
    ):
        for named, kept in (("mine-1", True), ("two words", False), ("x" * 129, False), ("", False)):
            request = urllib.request.Request(server.url + path, method=method, headers={"X-Request-ID": named})
            answer = urllib.request.OpenerDirector()
            answer.add_handler(urllib.request.HTTPHandler())
            response = answer.open(request)
            name = response.headers["X-Request-ID"]
            response.close()
            assert (name == named) == kept
            assert name


def test_a_stream_that_asks_to_be_a_stream_in_words(server: Running) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    for value, kind in (("true", "text/event-stream"), (False, JSON), ("false", JSON)):
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        body = json.dumps({"model": "en-de", "messages": [{"role": "user", "content": "a"}], "stream": value})
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": JSON})
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("content-type", "").partition(";")[0]) == (200, kind)
        answer.read()
        connection.close()


def test_the_languages_of_deepl_3(server: Running) -> None:
    for resource in ("translate_text", "glossary"):  # Weblate asks for both
        status, listed = send(server, "GET", f"/v3/languages?resource={resource}")
        assert status == 200
        uses = {each["lang"]: (each["usable_as_source"], each["usable_as_target"]) for each in listed}
        assert uses == {"de": (False, True), "en": (True, False)}
    assert send(server, "GET", "/v3/languages?resource=voice")[0] == 400


def test_what_is_not_done_is_refused(server: Running) -> None:
    body = json.dumps({"text": "Two <b>dogs</b>", "n_best": 3, "format": "html"})
    assert "n_best is of texts without markup" in str(send(server, "POST", "/api/v1/translate", body, JSON))
    headers = {"Content-Encoding": "gzip"}
    assert send(server, "POST", "/translate", b"\x1f\x8b", JSON, **headers)[0] == 415


def test_the_longest_text_fits_however_it_is_written(server: Running) -> None:
    fields = {"q": "\u3000" * 499_000, "source": "en", "target": "de"}
    for body, kind in ((json.dumps(fields), JSON), (urllib.parse.urlencode(fields), FORM)):
        assert send(server, "POST", "/translate", body, kind)[0] == 200
