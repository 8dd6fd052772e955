"""What clients send, in each of their encodings, and what they must find in the answer; real clients where there are any."""

import contextlib
import http.client
import json
import urllib.parse
from itertools import pairwise
from math import exp
from typing import Any

import deepl
import numpy
import openai
import pytest
from deep_translator import LibreTranslator
from libretranslatepy import LibreTranslateAPI
from served import Running

from regard.analysis.attribution import trace_flow
from regard.pipelines.translator import Translator

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
TEXT = "two dogs play"


def send(
    server: Running, method: str, path: str, body: bytes | str = b"", kind: str = "", **headers: str
) -> tuple[int, Any]:
    """Status and content of an answer; its headers are checked to be JSON's."""
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    if kind:
        headers["Content-Type"] = kind
    connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
    answer = connection.getresponse()
    content = answer.read()
    assert answer.getheader("content-type") == JSON, content
    connection.close()
    return answer.status, json.loads(content)


@pytest.fixture(scope="module")
def expected(translator: Translator) -> str:
    return translator.translate(TEXT).text


FIELDS = {"q": TEXT, "source": "en", "target": "de"}


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        pytest.param("/translate", urllib.parse.urlencode(FIELDS), FORM, id="curl, Weblate: form"),
        pytest.param(
            "/translate?" + urllib.parse.urlencode(FIELDS), "", "", id="deep-translator: query string of a POST"
        ),
        pytest.param("/translate", json.dumps({**FIELDS, "format": "text"}), JSON, id="Zotero: JSON"),
        pytest.param(
            "/translate", json.dumps({**FIELDS, "format": "text", "api_key": None}), JSON, id="Lingarr: api_key null"
        ),
        pytest.param("/translate", json.dumps(FIELDS), JSON + "; charset=utf-8", id="Subtitle Edit: no format"),
        pytest.param(
            "/translate", json.dumps({**FIELDS, "source": "en-GB", "target": "de_AT"}), JSON, id="with regions"
        ),
        pytest.param("/translate", json.dumps(FIELDS), "", id="JSON without a type"),
    ],
)
def test_libretranslate_in_every_encoding(server: Running, expected: str, path: str, body: str, kind: str) -> None:
    assert send(server, "POST", path, body, kind) == (200, {"translatedText": expected})


def test_libretranslate_lists_detection_and_alternatives(server: Running, translator: Translator) -> None:
    texts = [TEXT, "a cat.", ""]
    status, content = send(server, "POST", "/translate", json.dumps({**FIELDS, "q": texts, "source": "auto"}), JSON)
    assert status == 200
    assert content["translatedText"] == [translator.translate(text).text for text in texts]
    assert content["detectedLanguage"] == [{"confidence": 100.0, "language": "en"}] * 3
    _, content = send(server, "POST", "/translate", json.dumps({**FIELDS, "alternatives": 2}), JSON)
    best = translator.translate(TEXT, n_best=3).n_best
    assert [content["translatedText"], *content["alternatives"]] == list(dict.fromkeys(each.text for each in best))
    _, content = send(server, "POST", "/translate", json.dumps({**FIELDS, "details": True}), JSON)
    found = translator.translate(TEXT, alignment=True)
    assert content["score"] == pytest.approx(sum(found.token_log_probs), abs=1e-3)
    assert content["alignment"] == [" ".join(f"{i}-{j}" for i, j in found.alignment.links)]
    assert content["probability"] == pytest.approx(
        exp(sum(found.token_log_probs) / len(found.token_log_probs)), abs=1e-3
    )
    assert content["confidence"] is None  # not calibrated
    spans, offsets = content["spans"], found.alignment.source_offsets
    assert all([begin, end] in [list(each) for each in offsets] for begin, end, _, _ in spans)
    assert "".join(found.text[begin:end] for _, _, begin, end in spans) == found.text
    (name,) = content["inspect_id"]
    status, seen = send(server, "GET", f"/api/v1/inspect/{name}", "", "")
    assert status == 200, seen
    assert (seen["id"], seen["target"]) == (name, found.text)
    status, weights = send(server, "GET", f"/api/v1/inspect/{name}/attention/cross/0/1?format=json", "", "")
    expected = translator.inspect_ids(TEXT, found.ids)["cross.0.1"].filled(0.0)
    assert weights["weights"] == [pytest.approx(row, abs=1e-5) for row in expected.tolist()]
    assert send(server, "GET", "/api/v1/inspect/none", "", "")[0] == 410


@pytest.mark.parametrize("kind", [FORM, FORM + "; charset=utf-8", "text/plain", "application/xml", ""])
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/translate", FIELDS),
        ("/detect", {"q": TEXT}),
        ("/v2/translate", {"text": [TEXT], "source_lang": "EN", "target_lang": "DE"}),
        ("/language/translate/v2", FIELDS),
        ("/v1/chat/completions", {"model": "en-de", "messages": [{"role": "user", "content": TEXT + " = a & b"}]}),
        ("/api/v1/translate", {"text": TEXT, "beam_size": 2}),
        ("/imme", {"text_list": [TEXT], "source_lang": "en", "target_lang": "de"}),
        ("/kiss", {"text": TEXT, "from": "en", "to": "de"}),
        ("/deeplx", {"text": TEXT, "source_lang": "EN", "target_lang": "DE"}),
    ],
)
def test_json_is_read_as_such_whatever_its_type(server: Running, path: str, fields: dict[str, Any], kind: str) -> None:
    def answer(body: str, kind: str) -> Any:
        status, content = send(server, "POST", path, body, kind)
        if isinstance(content, dict):
            content = {name: value for name, value in content.items() if name not in ("id", "created")}
        return status, content

    wanted = answer(json.dumps(fields), JSON)
    assert wanted[0] == 200
    for before in ("", "\ufeff", "\ufeff \r\n\t"):
        assert answer(before + json.dumps(fields, indent=1), kind) == wanted


def test_what_begins_as_json_must_be_it(server: Running) -> None:
    """`curl -d` calls it a form: that a field is missing would not say what is wrong."""
    for body in ('{"q": "a" "source": "en"}', '{"q": "a", "source": "en", "target": "de",}', '{"q": NaN}', "{1"):
        status, content = send(server, "POST", "/translate", body, FORM)
        assert status == 400
        assert "valid JSON" in content["error"]


@pytest.mark.parametrize(
    ("body", "kind", "status", "message"),
    [
        ('{"q": "a" "source": "en"}', JSON, 400, "valid JSON"),
        ("[1]", JSON, 400, "must be a JSON object; got list"),
        ('{"q": "a", "source": "en", "target": "de", "alternatives": NaN}', JSON, 400, "NaN is not a JSON number"),
        ('{"source": "en", "target": "de"}', JSON, 400, "Invalid request: missing q parameter"),
        ('{"q": "a", "source": "en"}', JSON, 400, "Invalid request: missing target parameter"),
        ('{"q": 7, "source": "en", "target": "de"}', JSON, 400, "q must be a string or a list"),
        ('{"q": "\\ud800", "source": "en", "target": "de"}', JSON, 400, "q must be valid Unicode"),
        ('{"q": "a", "source": "zz", "target": "de"}', JSON, 400, "zz is not supported"),
        ('{"q": "a", "source": "de", "target": "en"}', JSON, 400, "de is not supported"),
        ('{"q": "a", "source": "en", "target": "de", "format": "pdf"}', JSON, 400, "pdf format is not supported"),
        (
            '{"q": "a", "source": "en", "target": "de", "alternatives": 10000}',
            JSON,
            400,
            "alternatives.*0 to 10.*10000",
        ),
        (b"q=%ff&source=en&target=de", FORM, 400, "must be URL-encoded UTF-8"),
        (b"\xff\xfe", JSON, 400, "must be UTF-8; byte 0"),
        ("x", "multipart/form-data; boundary=x", 400, "must be multipart/form-data: it has no end"),
        (
            '{"q": "a", "source": "en", "target": "de", "alternatives": "abc"}',
            JSON,
            400,
            "parameter is not a number",
        ),
        ("[" * 100_000, JSON, 400, "valid JSON"),
        (json.dumps({**FIELDS, "q": ["a"] * 1001}), JSON, 413, "at most 1,000 texts; got 1,001"),
        (b"x" * 5_000_001, FORM, 413, "at most 5,000,000 bytes"),
    ],
)
def test_what_is_wrong_is_said_as_json(
    server: Running, body: bytes | str, kind: str, status: int, message: str
) -> None:
    import re

    found, content = send(server, "POST", "/translate", body, kind)
    assert found == status
    assert re.search(message, content["error"]), content


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5, "5"),
        (0.5, "0.5"),
        (True, "true"),
        ({"a": "é"}, '{"a": "é"}'),
        ([["en"]], '[["en"]]'),
        (["a", 5], '["a", 5]'),
    ],
)
def test_a_value_is_shown_as_it_was_sent(server: Running, value: Any, shown: str) -> None:
    for path, body in (
        ("/translate", {"q": value, "source": "en", "target": "de"}),
        ("/v2/translate", {"text": value, "target_lang": "DE"}),
        ("/language/translate/v2", {"q": value, "target": "de"}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "a"}], "stop": value}),
        ("/api/v1/translate", {"text": value}),
    ):
        status, content = send(server, "POST", path, json.dumps(body), JSON)
        assert status == 400
        message = content["message"] if path.startswith("/v2") else content["error"]
        message = message if isinstance(message, str) else message["message"]
        assert message.endswith(f"; got {shown}."), message
    chat = {"messages": [{"role": "user", "content": "a"}], "model": value}
    _, content = send(server, "POST", "/v1/chat/completions", json.dumps(chat), JSON)
    assert content["error"]["message"].startswith(f"The model {shown} does not exist.")
    chat |= {"model": "en-de", "n": "several"}
    _, content = send(server, "POST", "/v1/chat/completions", json.dumps(chat), JSON)
    assert content["error"]["message"].endswith("; got 'several'.")


def test_paths_and_methods_that_are_not(server: Running) -> None:
    assert send(server, "GET", "/translate") == (405, {"error": "/translate does not take GET."})
    assert send(server, "GET", "/wp-admin") == (404, {"error": "There is nothing at /wp-admin."})


def test_the_small_paths_of_libretranslate(server: Running) -> None:
    _, languages = send(server, "GET", "/languages", "api_key=", FORM)  # libretranslatepy sends a body
    assert languages == [
        {"code": "de", "name": "German", "targets": ["de"]},
        {"code": "en", "name": "English", "targets": ["de", "en"]},
    ]
    codes = [each["code"] for each in languages]  # Weblate's languages, Discourse's, and those of LibreTranslate's page
    assert all(target in codes for each in languages for target in each["targets"])
    same = send(server, "POST", "/translate", json.dumps({"q": "Zwei Hunde", "source": "de", "target": "de"}), JSON)
    assert same == (200, {"translatedText": "Zwei Hunde"})
    assert send(server, "POST", "/detect", "q=a", FORM)[1] == [{"confidence": 100.0, "language": "en"}]
    _, settings = send(server, "GET", "/frontend/settings")
    assert (settings["language"]["source"]["code"], settings["language"]["target"]["code"]) == ("en", "de")
    assert "/v2/translate" in send(server, "GET", "/spec")[1]["paths"]
    assert settings["charLimit"] == 500_000
    assert send(server, "GET", "/health") == (200, {"status": "ok"})


def test_libretranslatepy(server: Running, expected: str) -> None:
    client = LibreTranslateAPI(server.url + "/")
    assert client.translate(TEXT, "en", "de") == expected
    assert [language["code"] for language in client.languages()] == ["de", "en"]
    assert client.detect("a")[0]["language"] == "en"


def test_deep_translator(server: Running, expected: str) -> None:
    client = LibreTranslator(source="en", target="de", use_free_api=False, custom_url=server.url + "/", api_key="none")
    assert client.translate(TEXT) == expected


def test_deepl(server: Running, translator: Translator, expected: str) -> None:
    client = deepl.DeepLClient("key", server_url=server.url)
    one = client.translate_text(TEXT, target_lang="DE")
    assert (one.text, one.detected_source_lang, one.billed_characters) == (expected, "EN", len(TEXT))
    many = client.translate_text([TEXT, "a cat"], source_lang="EN", target_lang="DE")
    assert [each.text for each in many] == [expected, translator.translate("a cat").text]
    assert [language.code for language in client.get_source_languages()] == ["EN"]
    assert [language.code for language in client.get_target_languages()] == ["DE"]
    assert client.get_usage().character.count > 0
    with pytest.raises(deepl.DeepLException, match="fr is not supported"):
        client.translate_text(TEXT, target_lang="FR")
    form = urllib.parse.urlencode({"text": TEXT, "target_lang": "DE", "formality": "default"})  # Subtitle Edit
    assert send(server, "POST", "/v2/translate", form, FORM)[1]["translations"][0]["text"] == expected
    repeated = urllib.parse.urlencode([("text", "a"), ("text", "b"), ("target_lang", "de")])
    assert len(send(server, "POST", "/v2/translate", repeated, FORM)[1]["translations"]) == 2
    assert send(server, "POST", "/v2/translate", "text=a", FORM) == (
        400,
        {"message": "Parameter 'target_lang' not specified."},
    )
    assert send(server, "GET", "/v2/languages", '{"type": "target"}', JSON)[1][0]["language"] == "DE"


def test_openai(server: Running, translator: Translator, expected: str) -> None:
    client = openai.OpenAI(api_key="none", base_url=server.url + "/v1", max_retries=0)
    assert [model.id for model in client.models.list()] == ["en-de"]
    ask = client.chat.completions.create
    user = {"role": "user", "content": TEXT}
    found = ask(model="en-de", messages=[{"role": "system", "content": "You translate."}, user])
    assert found.choices[0].message.content == expected
    subtitle = [{"role": "user", "content": f"Translate from English to German, keep line breaks:\n\n{TEXT}"}]
    assert ask(model="en-de", messages=subtitle).choices[0].message.content == expected
    parts = [{"role": "user", "content": f"{TEXT}\n==WEBLATE_PART==\na cat"}]
    written = ask(model="en-de", messages=parts).choices[0].message.content.split("\n==WEBLATE_PART==\n")
    assert written == [expected, translator.translate("a cat").text]
    streamed = ask(model="en-de", messages=[user], stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed) == expected
    with pytest.raises(openai.BadRequestError, match="cannot answer in a form"):
        ask(model="en-de", messages=[{"role": "system", "content": "Respond with a JSON object of segments."}, user])
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        ask(model="gpt-4", messages=[user])
    with pytest.raises(openai.BadRequestError, match="role is user"):
        ask(model="en-de", messages=[{"role": "system", "content": "x"}])


def test_the_small_interfaces(server: Running, expected: str) -> None:
    nllb = {"source": [TEXT], "src_lang": "eng_Latn", "tgt_lang": "deu_Latn"}
    assert send(server, "POST", "/translate", json.dumps(nllb), JSON)[1] == {
        "source": [TEXT],
        "translation": [expected],
    }
    immersive = {"source_lang": "auto", "target_lang": "de", "text_list": [TEXT]}
    found = send(server, "POST", "/imme", json.dumps(immersive), JSON)[1]
    assert found == {"translations": [{"detected_source_lang": "en", "text": expected}]}
    kiss = {"text": TEXT, "from": "en", "to": "de"}
    assert send(server, "POST", "/kiss", json.dumps(kiss), JSON)[1] == {"text": expected, "from": "en", "to": "de"}
    kiss = {"texts": [TEXT], "from": "auto", "to": "de"}
    assert send(server, "POST", "/kiss", json.dumps(kiss), JSON)[1] == {
        "translations": [{"text": expected, "src": "en"}]
    }
    deeplx = {"text": TEXT, "source_lang": "EN", "target_lang": "DE"}
    found = send(server, "POST", "/deeplx", json.dumps(deeplx), JSON)[1]
    assert (found["code"], found["data"]) == (200, expected)
    query = urllib.parse.urlencode([("q", TEXT), ("q", "a cat"), ("target", "de"), ("format", "text")])
    found = send(server, "GET", f"/language/translate/v2?{query}")[1]["data"]["translations"]
    assert (found[0], len(found)) == ({"translatedText": expected, "detectedSourceLanguage": "en"}, 2)


def test_our_own(server: Running, translator: Translator, expected: str) -> None:
    def ask(path: str = "translate", **fields: Any) -> tuple[int, Any]:
        return send(server, "POST", f"/api/v1/{path}", json.dumps(fields), JSON)

    status, found = ask(text=TEXT, beam_size=3, n_best=2, alternatives=2, alignment=True, length_penalty=0.5)
    wanted = translator.translate(TEXT, beam_size=3, n_best=2, alternatives=2, alignment=True, length_penalty=0.5)
    assert status == 200
    (sentence,) = found["sentences"]
    assert (found["text"], sentence["tokens"], found["direction"]) == (wanted.text, wanted.tokens, "en-de")
    assert sentence["token_log_probs"] == pytest.approx(wanted.token_log_probs, abs=1e-4)
    assert [each["text"] for each in sentence["n_best"]] == [each.text for each in wanted.n_best]
    assert [[token for token, _ in step] for step in sentence["alternatives"]] == [
        [token for token, _ in step] for step in wanted.alternatives
    ]
    assert sentence["alignment"]["source_tokens"] == wanted.alignment.source_tokens
    _, found = ask(texts=["ab", "cd"], method="sample", seed=9, n_best=2)
    assert [each["text"] for each in found["translations"]] == [
        each.text for each in translator.translate(["ab", "cd"], method="sample", seed=9, n_best=2)
    ]
    _, found = ask(text=TEXT, prefix="abc", required=["dog"])
    assert found["text"] == translator.translate(TEXT, prefixes="abc", required=["dog"]).text
    status, found = ask(texts=["ab", "a" * 80, "cd"], prefixes=["", "", ""])  # is not split, and fails alone
    assert status == 200
    assert [sorted(row)[0] for row in found["translations"]] == ["confidence", "error", "confidence"]
    assert "at most" in found["translations"][1]["error"]["message"]
    scored = translator.score([TEXT], ["xyz"])[0]
    assert ask("score", text=TEXT, target_text="xyz")[1]["log_prob"] == pytest.approx(scored.log_prob, abs=1e-4)
    assert ask("align", text=TEXT)[1]["target_tokens"] == translator.align(TEXT).target_tokens
    assert send(server, "GET", "/api/v1/models")[1]["models"][0]["direction"] == "en-de"
    for fields, message in (
        ({}, "one of text and texts"),
        ({"text": "a", "beam_sise": 3}, "Did you mean 'beam_size'"),
        ({"text": "a", "beam_size": 0}, "beam_size must be at least 1"),
        ({"text": "a", "beam_size": 17}, "at most 16; got 17"),
        ({"text": "a", "workers": 2}, "a known one; got 'workers'"),
        ({"text": "a", "temperature": 2}, "temperature.*method=sample"),
        ({"texts": ["a"], "prefixes": ["b", "c"]}, "as many as the texts; got 2 and 1"),
    ):
        import re

        status, found = ask(**fields)
        assert status == 400
        assert re.search(message, found["error"]["message"]), found


def test_a_stream_is_what_the_whole_is(server: Running, translator: Translator) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    body = json.dumps({"text": f"{TEXT}. A cat sleeps.", "beam_size": 2})
    connection.request("POST", "/api/v1/stream", body, {"Content-Type": JSON})
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    events = [event.split("\n") for event in answer.read().decode().strip().split("\n\n")]
    answer.close()
    connection.close()
    named = [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]
    assert named[0] == ("meta", {"direction": "en-de", "sentences": 2})
    assert named[-1][0] == "done"
    sentences = [translator.translate(text, beam_size=2).text for text in (f"{TEXT}.", "A cat sleeps.")]
    assert named[-1][1]["text"] == " ".join(sentences)
    for index, sentence in enumerate(sentences):
        told = [data["text"] for name, data in named if name == "token" and data["sentence"] == index]
        assert told
        assert all(sentence.startswith(text) for text in told)
        assert all(later.startswith(earlier) for earlier, later in pairwise(told))


def test_looking_inside(server: Running, translator: Translator) -> None:
    def ask(path: str, **fields: Any) -> tuple[int, Any]:
        return send(server, "POST", f"/api/v1/{path}", json.dumps(fields), JSON)

    status, found = ask("inspect", text=TEXT, target_text="xyz", beam_size=2)
    assert status == 200
    seen = translator.inspect(TEXT, "xyz")
    assert found["head_names"] == seen.head_names
    assert found["tokens"]["cross"]["keys"]["spelled"] == seen.keys("cross").spelled
    assert found["token_log_probs"] == pytest.approx(seen.token_log_probs, abs=1e-4)
    assert {each["head"] for each in found["heads"]} == set(seen.head_names)
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    path = f"/api/v1/inspect/{found['id']}/attention/cross/0/1"
    wanted = seen["cross.0.1"].filled(0)
    for form, kind, tolerance in (("u8", "uint8", 0.51 / 255), ("f16", "<f2", 1e-3)):
        connection.request("GET", f"{path}?format={form}")
        answer = connection.getresponse()
        shape = [int(size) for size in answer.getheader("X-Shape", "").split(",")]
        weights = numpy.frombuffer(answer.read(), kind).reshape(shape) / float(answer.getheader("X-Scale", "1"))
        assert abs(weights - wanted).max() <= tolerance
        tag = answer.getheader("ETag", "")
        connection.request("GET", f"{path}?format={form}", headers={"If-None-Match": tag})
        again = connection.getresponse()
        assert (again.status, again.read()) == (304, b"")
    connection.close()
    assert abs(numpy.array(send(server, "GET", f"{path}?format=json")[1]["weights"]) - wanted).max() < 1e-5
    assert send(server, "GET", "/api/v1/inspect/none/attention/cross/0/1")[0] == 410
    status, content = send(server, "GET", f"/api/v1/inspect/{found['id']}/attention/cross/7/1")
    assert (status, "cross.7.1" in content["error"]["message"]) == (400, True)
    _, found = ask("ablate", text=TEXT, target_text="xyz", heads=["cross.0.0", "encoder.0.1"])
    forced = translator.inspect(TEXT, "xyz", ablate=["cross.0.0", "encoder.0.1"]).ablations
    assert [each["log_prob_change"] for each in found["ablations"]] == pytest.approx(
        [each.log_prob_change for each in forced], abs=1e-4
    )
    assert [each["text"] for each in found["ablations"]] == [each.text for each in forced]
    _, found = ask("ablate", text=TEXT, target_text="xyz", sweep=True)
    assert found["worth"].keys() == set(seen.head_names)
    alone = {each.heads[0]: each.log_prob_change for each in forced if len(each.heads) == 1}
    for head, change in alone.items():
        assert found["worth"][head] == pytest.approx(-change, abs=1e-4)
    _, part = ask("ablate", text=TEXT, target_text="xyz", sweep=True, heads=["cross.0.1", "encoder.0.0"])
    assert part["by_token"] == {name: pytest.approx(found["by_token"][name], abs=1e-4) for name in part["by_token"]}
    assert part["by_token"].keys() == {"cross.0.1", "encoder.0.0"}
    for sweep in (False, True):
        assert ask("ablate", text=TEXT, target_text="xyz", heads=["cross.9.9"], sweep=sweep)[0] == 400
    _, found = ask("score", text=TEXT, target_text="xyz", alternatives=3)
    (scored,) = translator.score([TEXT], ["xyz"], alternatives=3)
    assert scored.alternatives is not None
    for token, value, others in zip(scored.tokens, scored.token_log_probs, scored.alternatives, strict=True):
        assert len(others) == 3
        assert dict(others).get(token, value) == pytest.approx(value, abs=1e-4)
    assert [[token for token, _ in each] for each in found["alternatives"]] == [
        [token for token, _ in each] for each in scored.alternatives
    ]
    assert "alternatives" not in ask("score", text=TEXT, target_text="xyz")[1]
    assert ask("inspect", text=TEXT, beam_sise=2)[0] == 400


def test_looking_further_inside(server: Running, translator: Translator) -> None:
    """All heads of a kind at once, how a weight is computed, and what affects what."""
    body = json.dumps({"text": TEXT, "target_text": "xyz", "lens": True})
    _, found = send(server, "POST", "/api/v1/inspect", body, JSON)
    seen = translator.inspect(TEXT, "xyz", hidden_states=True)
    assert [[token for token, _ in layer] for layer in found["lens"]] == [
        [token for token, _ in each] for each in seen.lens
    ]
    path = f"/api/v1/inspect/{found['id']}"
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    for kind in ("encoder", "decoder", "cross"):
        wanted = numpy.stack([seen[name].filled(-1) for name in seen.head_names if name.startswith(kind)])
        for form, dtype, forbidden in (("u8", "uint8", 255), ("f16", "<f2", None)):
            connection.request("GET", f"{path}/attention/{kind}?format={form}")
            answer = connection.getresponse()
            shape = [int(size) for size in answer.getheader("X-Shape", "").split(",")]
            numbers = numpy.frombuffer(answer.read(), dtype).reshape(shape)
            is_forbidden = numpy.isnan(numbers) if forbidden is None else numbers == forbidden
            weights = numpy.where(is_forbidden, -1, numbers / float(answer.getheader("X-Scale", "")))
            assert abs(weights - wanted).max() <= 0.51 / 254
            assert is_forbidden.any() == (kind == "decoder")
            names = answer.getheader("X-Heads", "").split(",")
            assert names == [name for name in seen.head_names if name.startswith(kind)]
    connection.close()
    assert send(server, "GET", f"{path}/attention/sideways")[0] == 400
    status, looked_up = send(server, "GET", f"{path}/lookup/cross.0.1/2/3")
    assert (status, looked_up) == (200, translator.lookup(seen, "cross.0.1", 2).as_dict(3) | looked_up)
    assert looked_up["weights"] == pytest.approx(seen["cross.0.1"][2].filled(0).tolist(), abs=1e-4)
    assert send(server, "GET", f"{path}/lookup/cross.0.1/2/99")[0] == 400
    assert send(server, "GET", f"{path}/lookup/cross.7.1/2/3")[0] == 400
    for ending in ("writes/cross.0.1/2", "stream/2"):  # the parts of this model do not add up to its states
        status, refused = send(server, "GET", f"{path}/{ending}")
        assert (status, "norms after the residual sum" in refused["error"]["message"]) == (400, True)
    assert "norms after" in send(server, "GET", "/api/v1/models")[1]["models"][0]["no_parts"]
    for method in ("rollout", "gradient"):
        status, flow = send(server, "GET", f"{path}/flow/{method}")
        wanted = trace_flow(translator, translator.inspect(TEXT, "xyz"), method)
        assert (status, flow["caveat"], flow["rows"]["spelled"]) == (200, wanted.caveat, wanted.rows.spelled)
        numpy.testing.assert_allclose(flow["shares"], wanted.shares().filled(0), atol=1e-3)
    assert send(server, "GET", f"{path}/flow/magic")[0] == 400


def events_of(server: Running, **fields: Any) -> list[tuple[str, Any]]:
    host, port = server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    connection.request("POST", "/api/v1/stream", json.dumps(fields), {"Content-Type": JSON})
    with contextlib.closing(connection):
        blocks = connection.getresponse().read().decode().strip().split("\n\n")
    pairs = [block.split("\n", 1) for block in blocks]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pairs]


@pytest.mark.parametrize("beam_size", [1, 4])
def test_a_stream_tells_alternatives_and_beams(server: Running, translator: Translator, beam_size: int) -> None:
    text = "Two dogs play. A cat!"
    events = events_of(server, text=text, alternatives=3, beams=True, beam_size=beam_size, max_length=25)
    done = events[-1][1]
    assert events[-1][0] == "done"
    for index, sentence in enumerate(["Two dogs play.", "A cat!"]):
        found = translator.translate(sentence, beam_size=beam_size, max_length=25, alternatives=1000)
        assert found.alternatives is not None
        told = [row for name, each in events if name == "token" and each["sentence"] == index for row in each["tokens"]]
        assert len(told) > 3 or beam_size > 1  # of several hypotheses, this model is certain in the end only
        assert [row["token"] for row in told] == found.tokens[: len(told)]
        assert [row["log_prob"] for row in told] == pytest.approx(found.token_log_probs[: len(told)], abs=1e-4)
        for row, every in zip(told, found.alternatives, strict=False):
            values = [value for _, value in row["alternatives"]]
            assert (len(values), values) == (3, sorted(values, reverse=True))
            assert values == pytest.approx([dict(every)[token] for token, _ in row["alternatives"]], abs=1e-4)
        beams = [each["beams"] for name, each in events if name == "beams" and each["sentence"] == index]
        assert max(map(len, beams)) == beam_size
        for step in beams:
            assert [row["log_prob"] for row in step] == sorted((row["log_prob"] for row in step), reverse=True)
        assert done["sentences"][index]["tokens"] == found.tokens
        assert len(done["sentences"][index]["alternatives"]) >= len(found.tokens)
    plain = events_of(server, text=text, beam_size=beam_size, max_length=25)
    assert {"meta", "done"} <= {name for name, _ in plain} <= {"meta", "token", "done"}
    assert plain[-1][1]["text"] == done["text"]
    assert all("tokens" not in each for _, each in plain)


def test_a_trace_is_that_of_python(server: Running, translator: Translator) -> None:
    body = json.dumps({"text": "Two dogs", "trace": True, "beam_size": 3, "max_length": 12})
    status, content = send(server, "POST", "/api/v1/translate", body, JSON)
    found = translator.translate("Two dogs", beam_size=3, max_length=12, trace=True)
    assert found.trace is not None
    assert (status, content["text"], len(content["trace"])) == (200, found.text, len(found.trace))
    for ours, theirs in zip(content["trace"], found.trace, strict=True):
        assert [(each["parent"], each["id"], each["fate"]) for each in ours] == [
            (each.parent, each.id, each.fate) for each in theirs
        ]
        assert [each["score"] for each in ours] == pytest.approx([each.score for each in theirs], abs=1e-4)
    for wrong in ({"texts": ["a"]}, {"text": "a", "format": "html"}, {"text": "a", "method": "sample"}):
        assert send(server, "POST", "/api/v1/translate", json.dumps(wrong | {"trace": True}), JSON)[0] == 400


def test_what_is_wrong_with_a_stream_is_said_before_it_begins(server: Running) -> None:
    body = {"text": "a", "source": "qq", "target": "de"}
    assert send(server, "POST", "/api/v1/stream", json.dumps(body), JSON)[0] == 400
    chat = {"model": "en-de", "stream": True, "messages": [{"role": "user", "content": "a" * 500_001}]}
    assert send(server, "POST", "/v1/chat/completions", json.dumps(chat), JSON)[0] == 413
    for model in (["en-de"], 7):
        assert send(server, "POST", "/v1/chat/completions", json.dumps(chat | {"model": model}), JSON)[0] == 404


def test_alignments_that_do_not_fit_are_refused(server: Running) -> None:
    body = json.dumps({"q": ["ab cd " * 9] * 900, "source": "en", "target": "de", "details": True})
    status, content = send(server, "POST", "/translate", body, JSON)
    assert (status, "alignments" in content["error"]) == (413, True)


def test_whole_numbers_of_json_may_have_a_point(server: Running) -> None:
    """10.0 is an integer in JSON Schema, and in some clients' JSON; 10.5 is none."""
    for path, fields in (
        ("/translate", {**FIELDS, "alternatives": 2}),
        ("/api/v1/translate", {"text": "a cat", "beam_size": 3, "n_best": 2}),
        ("/api/v1/score", {"text": "a cat", "target_ids": [5, 6]}),
    ):
        pointed = {
            name: float(value)
            if isinstance(value, int)
            else [float(each) for each in value]
            if name == "target_ids"
            else value
            for name, value in fields.items()
        }
        first, second = (send(server, "POST", path, json.dumps(each), JSON) for each in (fields, pointed))
        assert first[0] == second[0] == 200, (first, second)
        broken = {
            name: [5.5] if name == "target_ids" else 2.5 if isinstance(value, float) else value
            for name, value in pointed.items()
        }
        assert send(server, "POST", path, json.dumps(broken), JSON)[0] == 400


@pytest.mark.parametrize("written", ["2.0", " 2 ", "+2", "2."])
def test_whole_numbers_of_forms_may_have_a_point(server: Running, written: str) -> None:
    """A client that writes a number of JSON into a form sends 2.0."""
    expected = send(server, "POST", "/translate", json.dumps({**FIELDS, "alternatives": 2}), JSON)
    assert (
        send(server, "POST", "/translate", urllib.parse.urlencode({**FIELDS, "alternatives": written}), FORM)
        == expected
    )
    for wrong in ("2.5", "2.0.0", ".0", "two", "2,0"):
        assert (
            send(server, "POST", "/translate", urllib.parse.urlencode({**FIELDS, "alternatives": wrong}), FORM)[0]
            == 400
        )
