"""Glossaries, as DeepL's own client makes and uses them: what they require is what `required` requires of the model alone."""

import concurrent.futures
import itertools
import json
import re
import shutil
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

import deepl
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries
from hypothesis import given
from hypothesis import strategies as st
from served import Running, Start
from starlette.testclient import TestClient
from test_interfaces import JSON, send
from test_server import wait_for

from regard.documents.terms import MOST_PHRASES, Terms, fitting, target_phrases
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction
from regard.serving.glossaries import Glossaries, Glossary
from regard.serving.glossary_entries import read_entries
from regard.serving.http.app import App
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState

ENTRIES = {"dogs": "Hunde", "cat": "Katze", "red mat": "rote Matte", "mat": "Matte"}
DE = Direction("en", "de")


@pytest.fixture
def client(server: Running) -> Iterator[deepl.DeepLClient]:
    """DeepL's client; what it makes is deleted in the end, as all clients of a server without keys share glossaries."""
    made = deepl.DeepLClient("key", server_url=server.url)
    yield made
    for glossary in made.list_multilingual_glossaries():
        made.delete_multilingual_glossary(glossary)


def ask(client: deepl.DeepLClient, text: Any, glossary: Any, **options: Any) -> Any:
    found = client.translate_text(text, source_lang="EN", target_lang="DE", glossary=glossary, **options)
    return [each.text for each in found] if isinstance(found, list) else found.text


def test_a_glossary_is_made_read_and_deleted(client: deepl.DeepLClient) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    made = client.create_glossary("animals", "EN", "DE", ENTRIES)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made.glossary_id)
    assert (made.name, made.source_lang, made.target_lang, made.entry_count) == ("animals", "EN", "DE", 4)
    assert made.ready
    assert before < made.creation_time < datetime.now(UTC) + timedelta(seconds=1)
    other = client.create_glossary("other", "en-GB", "de", {"a": "b"})
    assert vars(client.get_glossary(made.glossary_id)) == vars(made)
    assert [each.glossary_id for each in client.list_glossaries()] == [made.glossary_id, other.glossary_id]
    assert client.get_glossary_entries(made) == ENTRIES
    assert [(pair.source_lang, pair.target_lang) for pair in client.get_glossary_languages()] == [("en", "de")]
    client.delete_glossary(made)
    assert [each.name for each in client.list_glossaries()] == ["other"]
    for use in (
        lambda: client.get_glossary(made.glossary_id),
        lambda: client.get_glossary_entries(made),
        lambda: client.delete_glossary(made),
    ):
        with pytest.raises(deepl.GlossaryNotFoundException, match=made.glossary_id[:40]):
            use()
    with pytest.raises(deepl.DeepLException, match=r"Not found.*is not there") as refused:
        ask(client, "two dogs", made)
    assert refused.value.http_status_code == 404


def test_csv_with_quotes_and_languages(client: deepl.DeepLClient) -> None:
    lines = '"a ""big"" dog",Hund\r\n\r\n"cat, red",Katze,EN,DE\r\nchat,Katze,fr,de\r\n'
    made = client.create_glossary_from_csv("csv", "EN", "DE", lines)
    assert client.get_glossary_entries(made) == {'a "big" dog': "Hund", "cat, red": "Katze"}


def test_terms_are_required_in_their_sentences_alone(client: deepl.DeepLClient, translator: Translator) -> None:
    made = client.create_glossary("animals", "EN", "DE", ENTRIES)
    text = "two dogs and a cat play"
    found = ask(client, text, made)
    assert found == translator.translate(text, required=["Hunde", "Katze"]).text
    assert "Hunde" in found
    assert "Katze" in found
    assert found != client.translate_text(text, source_lang="EN", target_lang="DE").text

    sentences, required = ["A man runs.", "Two dogs play.", "It is hot."], [[], ["Hunde"], []]
    wanted = [each.text for each in translator.translate(sentences, required=required)]
    assert ask(client, "  ".join(sentences), made.glossary_id) == "  ".join(wanted)
    assert ask(client, ["", *sentences], made) == ["", *wanted]
    assert "Hunde" in wanted[1]
    whole = ask(client, " ".join(sentences), made, split_sentences="0")
    assert whole == translator.translate(" ".join(sentences), required=["Hunde"]).text

    overlapping = ask(client, "a cat on a red mat", made)
    assert overlapping == translator.translate("a cat on a red mat", required=["rote Matte", "Katze"]).text
    assert ask(client, "hotdogs and Dogs", made) == translator.translate("hotdogs and Dogs").text


def test_a_term_that_is_its_own_translation_is_kept(client: deepl.DeepLClient, translator: Translator) -> None:
    made = client.create_glossary("kept", "EN", "DE", {"Regard": "Regard"})
    assert "Regard" not in translator.translate("I use Regard here").text
    assert ask(client, "I use Regard here", made) == translator.translate("I use Regard here", required=["Regard"]).text


@pytest.mark.parametrize("kind", ["html", "xml"])
def test_terms_in_markup(client: deepl.DeepLClient, translator: Translator, kind: str) -> None:
    made = client.create_glossary("animals", "EN", "DE", ENTRIES | {"cats & mats": "Katzen & Matten"})
    text = "A red\n  <b>mat</b> &amp; <i>a</i> cat. <b>Cats</b> &amp; cats &amp; mats"
    found = ask(client, text, made, tag_handling=kind)
    first, second = translator.translate(
        ["A red\n  mat & a cat.", "Cats & cats & mats"], required=[["rote Matte", "Katze"], ["Katzen & Matten"]]
    )
    assert "Katzen &amp; Matten" in re.sub("<[^>]*>", "", found)
    assert unescape(re.sub("<[^>]*>", "", found)) == f"{first.text} {second.text}"
    assert sorted(re.findall("<[^>]*>", found)) == ["</b>", "</b>", "</i>", "<b>", "<b>", "<i>"]


def test_what_cannot_be_written_is_left_out(client: deepl.DeepLClient, translator: Translator) -> None:
    long, too_long = "x" * 35, "y" * 70  # the model has 60 positions, and no letter ü
    entries = {"dogs": "Hünde", "cat": "Katze", "a red mat": long, "mats": "z" * 35, "house": too_long}
    made = client.create_glossary("long", "EN", "DE", entries)
    for text, required in (
        ("two dogs and a cat", ["Katze"]),
        ("two dogs", []),
        ("a house and a cat", ["Katze"]),
        ("mats on a red mat", [long]),  # not both: the longer term's
    ):
        assert ask(client, text, made) == translator.translate(text, required=required).text, text
    with pytest.raises(deepl.DeepLException, match="at most"):
        ask(client, "cat " * 40, made, split_sentences="0")


def test_several_glossaries_the_first_of_which_counts(client: deepl.DeepLClient, translator: Translator) -> None:
    first = client.create_glossary("first", "EN", "DE", {"cat": "Kater"})
    second = client.create_glossary("second", "EN", "DE", ENTRIES)
    for glossaries, required in (([first, second], ["Kater", "Hunde"]), ([second, first], ["Katze", "Hunde"])):
        found = ask(client, "a cat and dogs", None, glossary_ids=glossaries)
        assert found == translator.translate("a cat and dogs", required=required).text


def test_clients_with_different_glossaries_at_once(client: deepl.DeepLClient, translator: Translator) -> None:
    entries = [{"dogs": "Hunde"}, {"dogs": "Rüden"}, {"dogs": "Doggen", "two": "zwei"}, {"dogs": "dogs"}]
    made = [client.create_glossary(f"number {number}", "EN", "DE", each) for number, each in enumerate(entries)]
    texts = ["two dogs", "dogs sleep here", "a cat and two dogs"]

    def use(number: int) -> list[str]:
        own = deepl.DeepLClient("key", server_url=client.server_url)
        return [ask(own, text, made[number % 4]) for text in texts * 2]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(use, range(8)))
    for number, of_number in enumerate(entries):
        phrases = [[of_number[word] for word in text.split() if word in of_number] for text in texts]
        required = [[phrase for phrase in each if phrase != "Rüden"] for each in phrases]  # the model has no letter ü
        wanted = [each.text for each in translator.translate(texts, required=required)]
        assert found[number] == found[number + 4] == wanted * 2


def test_a_glossary_of_several_languages(start: Start, folder: Path, tmp_path: Path, translator: Translator) -> None:
    other, keys = tmp_path / "m", tmp_path / "keys.txt"
    shutil.copytree(folder, other)
    keys.write_text("mine\nyours\n")
    server = start(folder, f"fr-de={other}", "--api-keys", keys)
    mine, yours = (deepl.DeepLClient(key, server_url=server.url) for key in ("mine", "yours"))
    entries = MultilingualGlossaryDictionaryEntries
    made = mine.create_multilingual_glossary(
        "both", [entries("EN", "DE", ENTRIES), entries("FR", "DE", {"chat": "Katze"})]
    )
    counts = {(each.source_lang, each.target_lang): each.entry_count for each in made.dictionaries}
    assert counts == {("EN", "DE"): 4, ("FR", "DE"): 1}
    found = mine.translate_text("un chat", source_lang="FR", target_lang="DE", glossary=made)
    assert found.text == translator.translate("un chat", required=["Katze"]).text

    renamed = mine.update_multilingual_glossary_name(made, "animals")
    assert (renamed.name, renamed.glossary_id, renamed.creation_time) == (
        "animals",
        made.glossary_id,
        made.creation_time,
    )
    mine.update_multilingual_glossary_dictionary(made, entries("FR", "DE", {"chien": "Hund", "chat": "Kater"}))
    (read,) = mine.get_multilingual_glossary_entries(made, "FR", "DE").dictionaries
    assert (read.source_lang, read.target_lang, read.entries) == ("fr", "de", "chat\tKater\nchien\tHund")
    put = mine.replace_multilingual_glossary_dictionary(made, entries("FR", "DE", {"chat": "Mieze"}))
    assert (put.source_lang, put.entry_count) == ("FR", 1)
    found = mine.translate_text("un chat", source_lang="FR", target_lang="DE", glossary=made)
    assert found.text == translator.translate("un chat", required=["Mieze"]).text
    assert mine.list_glossaries() == []  # version 2 has those of one direction alone
    with pytest.raises(deepl.GlossaryNotFoundException, match="must have one dictionary; it has 2"):
        mine.get_glossary(made.glossary_id)
    mine.delete_multilingual_glossary_dictionary(made, source_lang="EN", target_lang="DE")
    with pytest.raises(deepl.GlossaryNotFoundException, match="dictionary for en-de; it has fr-de"):
        mine.get_multilingual_glossary_entries(made, "EN", "DE")
    with pytest.raises(deepl.GlossaryNotFoundException, match="dictionary for en-de"):
        mine.delete_multilingual_glossary_dictionary(made, source_lang="EN", target_lang="DE")
    assert mine.get_glossary_entries(made.glossary_id) == {"chat": "Mieze"}

    for languages in (("EN", "FR"), ("DE", "EN")):
        with pytest.raises(deepl.DeepLException, match="not supported") as refused:
            mine.create_glossary("wrong", *languages, {"a": "b"})
        assert refused.value.http_status_code == 400
    with pytest.raises(deepl.DeepLException, match="dictionary for en-de; it has fr-de") as refused:
        mine.translate_text("a cat", source_lang="EN", target_lang="DE", glossary=made.glossary_id)
    assert refused.value.http_status_code == 400

    assert yours.list_multilingual_glossaries() == []
    for use in (
        lambda: yours.get_multilingual_glossary(made.glossary_id),
        lambda: yours.update_multilingual_glossary_name(made, "stolen"),
        lambda: yours.delete_multilingual_glossary(made),
        lambda: yours.translate_text("un chat", source_lang="FR", target_lang="DE", glossary=made.glossary_id),
    ):
        with pytest.raises(deepl.DeepLException) as refused:
            use()
        assert refused.value.http_status_code == 404
    with pytest.raises(deepl.AuthorizationException):
        deepl.DeepLClient("nobody", server_url=server.url).list_glossaries()
    assert yours.create_glossary("own", "EN", "DE", {"a": "b"}).entry_count == 1

    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "loaded anew" in server.log.read_text())
    assert [each.name for each in mine.list_multilingual_glossaries()] == ["animals"]
    mine.delete_multilingual_glossary(made)
    assert mine.list_multilingual_glossaries() == []
    log = server.log.read_text()
    assert "DELETE /v3/glossaries/" in log
    assert not re.search("Katze|Mieze|mine|animals", log)
    server.stop()


WHOLE = {"name": "n", "source_lang": "EN", "target_lang": "DE", "entries": "a\tb", "entries_format": "tsv"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entries": "a\tb\nc"}, "Line 2 of entries must have a source term and a target.*got 1 cells"),
        ({"entries": "a\tb\tc"}, "Line 1.*got 3 cells"),
        ({"entries": "a\tb\n\n \n\tc"}, "Line 4.*a source term; got a blank one"),
        ({"entries": "a\t "}, "Line 1.*a target phrase; got a blank one"),
        ({"entries": "dog\tb\ncat\tc\ndog\td"}, "Line 3.*got 'dog', which line 1 has, too"),
        ({"entries": "a  dog\tb\na dog\td"}, "Line 2.*got 'a dog', which line 1 has, too"),
        ({"entries": "a\tb\x00"}, "Line 1.*target phrase without control characters"),
        ({"entries": "a\u2028b\tb"}, "Line 1.*source term without control characters"),
        ({"entries": "a\t" + "ü" * 513}, "Line 1.*at most 1,024 bytes; got 1,026"),
        ({"entries": "a " * 26 + "\tb"}, "Line 1.*at most 50 words, spaces and marks; got 51"),
        ({"entries": " \n"}, "at least one line for en-de; got none"),
        ({"entries": "a\t\ud800"}, "entries must be valid Unicode"),
        ({"entries": "a,b,c", "entries_format": "csv"}, "Line 1.*or these and two languages; got 3 cells"),
        ({"entries": 'a,"b', "entries_format": "csv"}, "Line 1 of entries must be CSV: unexpected end"),
        ({"entries": "a,b,fr,de", "entries_format": "csv"}, "at least one line for en-de"),
        ({"entries_format": "xls"}, "Parameter 'entries_format' must be tsv or csv; got 'xls'"),
        ({"entries": None}, "Parameter 'entries' not specified"),
        ({"entries": ["a\tb"]}, "Parameter 'entries' must be a string"),
        ({"name": ""}, "Parameter 'name' not specified"),
        ({"name": " "}, "name must be.*got ' '"),
        ({"name": "n" * 1025}, "name must be a name of at most 1,024 bytes"),
        ({"target_lang": None}, "Parameter 'target_lang' not specified"),
        ({"target_lang": "d3"}, "target_lang must be the code of a language; got 'd3'"),
        ({"source_lang": "auto"}, "source_lang must be the code of a language; got 'auto'"),
        ({"target_lang": "FR"}, "fr is not supported"),
    ],
)
def test_what_is_wrong_with_a_glossary_is_said(server: Running, changes: dict[str, Any], message: str) -> None:
    status, content = send(server, "POST", "/v2/glossaries", json.dumps(WHOLE | changes), JSON)
    assert (status, list(content)) == (400, ["message"])
    assert re.search(message, content["message"]), content
    dictionary = {key: value for key, value in (WHOLE | changes).items() if key != "name"}
    body = json.dumps({"name": (WHOLE | changes)["name"], "dictionaries": [dictionary]})
    assert send(server, "POST", "/v3/glossaries", body, JSON) == (400, content)
    assert send(server, "GET", "/v3/glossaries") == (200, {"glossaries": []})


def test_what_is_wrong_with_dictionaries_and_the_use_of_glossaries(server: Running, client: deepl.DeepLClient) -> None:
    for dictionaries, message in (
        (None, "'dictionaries' not specified"),
        ([], "a list of at least one object"),
        (["a"], "a list of at least one object"),
        ([WHOLE] * 2, "got one twice"),
    ):
        body = json.dumps({"name": "n", "dictionaries": dictionaries})
        status, content = send(server, "POST", "/v3/glossaries", body, JSON)
        assert (status, bool(re.search(message, content["message"]))) == (400, True), content
    id = client.create_glossary("animals", "EN", "DE", ENTRIES).glossary_id
    text = {"text": ["a cat"], "source_lang": "EN", "target_lang": "DE"}
    for fields, status, message in (
        ({"glossary_id": id, "source_lang": None}, 400, "'source_lang' not specified"),
        ({"glossary_id": id, "glossary_ids": [id]}, 400, "one of glossary_id and glossary_ids"),
        ({"glossary_ids": [id] * 6}, 400, "glossary_ids must be at most 5; got 6"),
        ({"glossary_ids": [id, "none"]}, 404, "'none' is not there"),
        ({"glossary_id": 7}, 400, "'glossary_id' must be a string"),
    ):
        found, content = send(server, "POST", "/v2/translate", json.dumps(text | fields), JSON)
        assert (found, bool(re.search(message, content["message"]))) == (status, True), content
    assert send(server, "GET", "/v2/glossaries/none/entries") == send(server, "GET", "/v2/glossaries/none")
    assert "patch" in send(server, "GET", "/spec")[1]["paths"]["/v3/glossaries/{id}"]


def test_a_glossary_has_at_most_10000_entries(client: deepl.DeepLClient, translator: Translator) -> None:
    letters = "abcdefghij"
    terms = {"".join(word): "".join(word[::-1]) for word in itertools.product(letters, repeat=4)}
    made = client.create_glossary("full", "EN", "DE", terms)
    assert client.get_glossary_entries(made) == terms
    assert len(terms) == 10_000
    assert ask(client, "so abij is", made) == translator.translate("so abij is", required=["jiba"]).text
    for use in (
        lambda: client.create_glossary("more", "EN", "DE", terms | {"x": "y"}),
        lambda: client.update_multilingual_glossary_dictionary(
            made.glossary_id, MultilingualGlossaryDictionaryEntries("EN", "DE", {"x": "y"})
        ),
    ):
        with pytest.raises(deepl.DeepLException, match="at most 10,000 entries") as refused:
            use()
        assert refused.value.http_status_code == 413
    assert [each.entry_count for each in client.list_glossaries()] == [10_000]


def test_a_key_has_so_much_room() -> None:
    terms = Terms({"a": "bc", "d": "ef"})
    for limits, status, message in (
        (Limits(glossaries=2), 456, "at most 2 glossaries; got 3"),
        (Limits(all_glossary_entries=5), 456, "at most 5 entries of glossaries; got 6"),
        (Limits(all_glossary_bytes=20), 456, "at most 20 bytes of glossaries; got 21"),
    ):
        kept = Glossaries(limits, SharedState())
        first = kept.add(b"mine", "n", {DE: terms})
        kept.add(b"mine", "m", {DE: terms})
        with pytest.raises(ServingError, match=message) as refused:
            kept.add(b"mine", "o", {DE: terms})
        assert refused.value.status == status
        kept.add(b"yours", "o", {DE: terms})
        kept.change(b"mine", first.id, lambda glossary: Glossary("o", glossary.dictionaries, glossary.id))
        assert [each.name for each in kept.all(b"mine")] == ["o", "m"]
        kept.remove(b"mine", first.id)
        kept.add(b"mine", "o", {DE: terms})
        assert [each.name for each in kept.all(b"mine")] == ["m", "o"]


def test_a_server_that_ends_takes_no_glossary_and_one_without_languages_takes_any(folder: Path) -> None:
    registry = ModelRegistry(ModelFolders([(folder, None)], device="cpu"), Limits())
    with TestClient(App(registry, Keys(None)).asgi) as client:
        assert client.get("/v2/glossary-language-pairs").json() == {"supported_languages": []}
        made = client.post("/v2/glossaries", json=WHOLE | {"target_lang": "ZH-HANS"})
        assert (made.status_code, made.json()["target_lang"]) == (201, "zh")
        registry.is_draining = True
        refused = client.post("/v2/glossaries", json=WHOLE)
        assert (refused.status_code, "shutting down" in refused.text) == (503, True)
        assert client.get("/v2/glossaries").json() == {"glossaries": [made.json()]}
    registry.close()


@pytest.mark.parametrize(
    ("sentence", "entries", "phrases"),
    [
        pytest.param("the dog's dog, dog.", {"dog": "Hund"}, ["Hund"], id="once, whatever marks stand beside it"),
        pytest.param("dogs hotdog dog_1 dog2 Dog DOG", {"dog": "Hund"}, [], id="whole words, as they are spelled"),
        pytest.param("a well-known dog", {"well": "Brunnen", "known": "k"}, ["k", "Brunnen"], id="a hyphen divides"),
        pytest.param("New\n  York", {"New  York": "NY"}, ["NY"], id="any space is one space"),
        pytest.param("cafe\u0301", {"caf\u00e9": "Cafe", "cafe": "x"}, ["Cafe"], id="accents are composed"),
        pytest.param("z\u0307a\u0338b", {"z": "x", "b": "y", "a": "z"}, [], id="what cannot be composed is one word"),
        pytest.param(
            "I use C++, .NET", {"C++": "c", ".NET": "n", "C": "x", "NET": "y"}, ["n", "c"], id="marks in terms"
        ),
        pytest.param("我的狗叫Rex", {"狗": "dog", "Rex": "Rex"}, ["Rex", "dog"], id="writing without spaces"),
        pytest.param("गाय किताब", {"क": "x", "किताब": "book"}, ["book"], id="vowel signs belong to their word"),
        pytest.param(
            "a b c d", {"a": "1", "a b": "2", "b c d": "3"}, ["3", "1"], id="the longest, then what it leaves"
        ),
        pytest.param("a b a", {"a b": "1", "b a": "2"}, ["1"], id="of equals, the first"),
        pytest.param("red mat", {"red": "rot", "mat": "rot"}, ["rot"], id="a phrase is required once"),
        pytest.param("", {"a": "b"}, [], id="nothing"),
    ],
)
def test_which_terms_a_sentence_has(sentence: str, entries: dict[str, str], phrases: list[str]) -> None:
    assert target_phrases(sentence, [Terms(entries)]) == phrases


WORDS = st.lists(st.sampled_from(["a", "b", "aa", "-"]), min_size=1, max_size=4).map(" ".join)


@given(st.lists(WORDS, max_size=4).map(" ".join), st.lists(WORDS, max_size=8, unique=True))
def test_terms_against_a_search_for_each(sentence: str, sources: list[str]) -> None:
    covered: set[int] = set()
    wanted: list[str] = []
    lengths = sorted({len(source) for source in sources}, reverse=True)
    for length in lengths:
        for begin in range(len(sentence) - length + 1):
            part = sentence[begin : begin + length]
            is_word = sentence[max(begin - 1, 0) : begin] in ("", " ") and sentence[begin + length :][:1] in ("", " ")
            if part in sources and is_word and not covered & set(range(begin, begin + length)):
                covered |= set(range(begin, begin + length))
                wanted.append(part.upper())
    found = target_phrases(sentence, [Terms({source: source.upper() for source in sources})])
    assert found == list(dict.fromkeys(wanted))


def test_a_sentence_has_at_most_16_phrases() -> None:
    entries = {letter * size: f"{letter}{size}" for letter in "ab" for size in range(1, 20)}
    found = target_phrases(" ".join(entries), [Terms(entries)])
    assert found == [f"{letter}{size}" for size in range(19, 11, -1) for letter in "ab"]
    assert len(found) == MOST_PHRASES


def test_phrases_that_fit_are_kept() -> None:
    asked: list[list[str]] = []

    def can_have(phrases: list[str]) -> bool:
        asked.append(phrases)
        return len("".join(phrases)) <= 5 and "x" not in phrases

    assert fitting(["abc", "x", "def", "gh"], can_have) == ["abc", "gh"]
    assert asked == [["abc", "x", "def", "gh"], ["abc"], ["abc", "x"], ["abc", "def"], ["abc", "gh"]]
    assert fitting(["ab", "cd"], can_have) == ["ab", "cd"]
    assert fitting([], lambda phrases: pytest.fail("there is nothing to ask")) == []


def test_lines_end_as_any_system_ends_them() -> None:
    assert read_entries("a\tb\r\n\r\n c d \t e f \n", "tsv", "en", "de", Limits()) == {"a": "b", "c d": "e f"}
