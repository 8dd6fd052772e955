"""What is asked about the tokens that were written is answered about these, and not about those that their text is cut into."""

import json
from typing import Any
from urllib.parse import quote

import pytest
import torch
from served import Running
from test_interfaces import JSON, send
from test_other_models import folders, mixed, model  # noqa: F401

from regard.analysis.attribution import trace_flow
from regard.analysis.patching import patch
from regard.errors import DataError
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.translator import Translator
from regard.serving.inspection_cache import InspectionCache

TEXT = "two dogs play"
HEADS = ["cross.0.1", "decoder.0.0"]


def ask(server: Running, path: str, **fields: Any) -> tuple[int, Any]:
    return send(server, "POST", f"/api/v1/{path}", json.dumps(fields), JSON)


def taken_apart(translator: Translator) -> list[int]:
    """Ids that a text is never cut into: two spaces side by side, and a symbol for what is unknown."""
    (space,) = translator.tokenizer.encode("a b")[1:2]
    return [
        *translator.tokenizer.encode("xy"),
        space,
        space,
        translator.tokenizer.unk_id,
        *translator.tokenizer.encode("z"),
    ]


def log_probs(translator: Translator, target_ids: list[int]) -> list[float]:
    """By hand: the model's own pass over source and target."""
    tokenizer, reader = translator.tokenizer, translator.source_tokenizer
    source = torch.tensor([reader.frame_source(reader.encode(TEXT))])
    read = torch.tensor([[*tokenizer.symbols.start_ids, *target_ids]])
    with torch.no_grad():
        rows = translator.model(source, read)[0].log_softmax(dim=-1)
    return rows.gather(1, torch.tensor([*target_ids, tokenizer.eos_id])[:, None])[:, 0].tolist()


def test_rows_are_the_tokens_that_are_given(server: Running, translator: Translator) -> None:
    ids = taken_apart(translator)
    assert translator.tokenizer.encode(translator.tokenizer.decode(ids)) != ids
    spelled, wanted = translator.tokenizer.tokens([*ids, translator.tokenizer.eos_id]), log_probs(translator, ids)
    status, found = ask(server, "inspect", text=TEXT, target_ids=ids)
    assert status == 200
    assert found["tokens"]["cross"]["rows"]["spelled"] == spelled
    assert found["token_log_probs"] == pytest.approx(wanted, abs=1e-4)
    _, scored = ask(server, "score", text=TEXT, target_ids=ids, alternatives=2)
    assert scored["tokens"] == spelled
    assert scored["token_log_probs"] == pytest.approx(wanted, abs=1e-4)
    assert [len(each) for each in scored["alternatives"]] == [2] * len(spelled)
    _, aligned = ask(server, "align", text=TEXT, target_ids=ids)
    assert aligned["target_tokens"] == spelled
    _, swept = ask(server, "ablate", text=TEXT, target_ids=ids, sweep=True, heads=HEADS)
    _, without = ask(server, "ablate", text=TEXT, target_ids=ids, heads=HEADS)
    for head, one in zip(HEADS, without["ablations"][1:], strict=True):
        assert len(one["token_changes"]) == len(spelled)
        assert swept["by_token"][head] == pytest.approx([-change for change in one["token_changes"]], abs=1e-4)
    for method in ("rollout", "gradient"):
        _, flow = send(server, "GET", f"/api/v1/inspect/{found['id']}/flow/{method}")
        assert flow["rows"]["spelled"] == spelled
        direct = trace_flow(translator, translator.inspect_ids(TEXT, ids), method)
        assert flow["shares"][0] == pytest.approx(direct.shares().tolist()[0], abs=1e-3)


def test_every_answer_tells_the_tokens_it_is_about(server: Running, translator: Translator) -> None:
    _, found = ask(server, "translate", text=TEXT, n_best=3)
    wanted = translator.translate(TEXT, n_best=3)
    (one,) = found["sentences"]
    assert one["ids"] == wanted.ids
    assert [each["ids"] for each in one["n_best"]] == [each.ids for each in wanted.n_best]
    _, traced = ask(server, "translate", text=TEXT, trace=True, prefix="xy", split=False)
    assert traced["sentences"][0]["ids"] == translator.translate(TEXT, prefixes="xy").ids


@pytest.mark.parametrize("drawn", [{}, {"method": "sample", "temperature": 1.3, "seed": 7}])
def test_what_is_written_without_heads_is_asked_for_in_the_same_way(
    server: Running, translator: Translator, drawn: dict[str, Any]
) -> None:
    """Without heads that change nothing, what is written is what was written: prefix, sampling and seed are the same."""
    none: list[str] = []
    for index, source in enumerate(("two dogs play", "a cat.")):
        written = translator.translate(["two dogs play", "a cat."], prefixes=["xy", "xy"], **drawn)[index]
        _, found = ask(
            server,
            "ablate",
            text=source,
            target_ids=written.ids,
            heads=none,
            together=True,
            prefix="xy",
            index=index,
            **drawn,
        )
        assert found["ablations"][0]["text"] == written.text
    seen = translator.inspect("a cat.", prefix="xy", index=1, **drawn)
    assert seen.target == translator.translate(["-", "a cat."], prefixes=["xy", "xy"], **drawn)[1].text


@pytest.mark.parametrize("ids", [[-1], [10**6], [True], [1.5], ["a"], [None], [[1]], {"a": 1}, "x", [10**30]])
@pytest.mark.parametrize("path", ["inspect", "ablate", "score", "align"])
def test_ids_that_are_none_are_refused(server: Running, path: str, ids: Any) -> None:
    status, found = ask(server, path, text=TEXT, target_ids=ids, **({"heads": HEADS} if path == "ablate" else {}))
    assert status == 400
    assert "whole number" in found["error"]["message"]


def test_a_target_is_given_once_and_is_not_too_long(server: Running, translator: Translator) -> None:
    for path in ("inspect", "score", "align"):
        status, found = ask(server, path, text=TEXT, target_ids=[5], target_text="x")
        assert (status, "one of target_text and target_ids" in found["error"]["message"]) == (400, True)
    for path in ("inspect", "score"):
        status, found = ask(server, path, text=TEXT, target_ids=[5] * 10_000)
        assert (status, "at most" in found["error"]["message"]) == (400, True)
    with pytest.raises(DataError, match=r"an id of a token must be a whole number from 0 to .*; got -1"):
        translator.inspect(TEXT, [-1])


def test_an_empty_target_is_given(server: Running, translator: Translator) -> None:
    wanted = log_probs(translator, [])
    for given in ({"target_text": ""}, {"target_ids": []}):
        status, found = ask(server, "score", text=TEXT, **given)
        assert (status, found["ids"], found["token_log_probs"]) == (200, [], pytest.approx(wanted, abs=1e-4))
        status, found = ask(server, "inspect", text=TEXT, **given)
        assert (status, found["target"], found["token_log_probs"]) == (200, "", pytest.approx(wanted, abs=1e-4))
        status, found = ask(server, "align", text=TEXT, **given)
        assert (status, found["target_tokens"]) == (200, ["</s>"])
        status, found = ask(server, "ablate", text=TEXT, heads=HEADS[:1], **given)
        assert (status, found["target"], found["token_log_probs"]) == (200, "", pytest.approx(wanted, abs=1e-4))
        assert ask(server, "inspect", text=TEXT, **{"target_ids": [5], "target_text": ""})[0] == 400
    for path in ("inspect", "align"):
        keys = ask(server, path, text=TEXT), ask(server, path, text=TEXT, target_text=None, target_ids=None)
        first, second = ({**found, "id": ""} for _, found in keys)
        assert first == second
    assert ask(server, "score", text=TEXT)[0] == 400


def test_a_field_that_is_missing_is_named(server: Running) -> None:
    _, found = ask(server, "inspect", text=TEXT)
    status, refused = send(server, "GET", f"/api/v1/inspect/{found['id']}/patch")
    assert (status, refused["error"]["message"]) == (400, "Give the field other.")


def test_a_language_model_is_looked_into_in_the_tokens_it_wrote(
    mixed: Running,  # noqa: F811
    model: LanguageModel,  # noqa: F811
) -> None:
    drawn = {"prompt": "two\nx", "max_tokens": 12, "temperature": 1.0, "seed": 4}
    fields = {"model": "letters", "logprobs": 2, "echo": True, **drawn}
    _, completion = send(mixed, "POST", "/v1/completions", json.dumps(fields), JSON)
    ids = completion["choices"][0]["logprobs"]["token_ids"]
    assert ids[: len(model.ids_of("two\nx"))] == model.ids_of("two\nx")
    ids = [*ids, model.tokenizer.unk_id, *model.tokenizer.encode("a b")[1:2] * 2, *model.tokenizer.encode("c")]
    status, found = ask(mixed, "inspect", model="letters", text="two", ids=ids)
    assert status == 200
    (sides,) = found["tokens"].values()
    assert sides["rows"]["spelled"] == model.tokenizer.tokens(ids)
    with torch.no_grad():
        rows = model.model(torch.tensor([ids]))[0, :-1].log_softmax(dim=-1)
    by_hand = rows.gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()
    assert found["token_log_probs"] == pytest.approx(by_hand, abs=1e-4)
    heads = ["decoder.0.0"]
    _, without = ask(mixed, "ablate", model="letters", text="two", ids=ids, heads=heads, together=True, **drawn)
    _, swept = ask(mixed, "ablate", model="letters", text="two", ids=ids, heads=heads, sweep=True)
    changes = without["ablations"][0]["token_changes"]
    assert swept["by_token"]["decoder.0.0"] == pytest.approx([-change for change in changes], abs=1e-4)
    _, same = ask(mixed, "ablate", model="letters", text="two", ids=ids, heads=[], together=True, **drawn)
    assert same["ablations"][0]["text"] == completion["choices"][0]["text"]
    _, flow = send(mixed, "GET", f"/api/v1/inspect/{found['id']}/flow/rollout")
    assert flow["keys"]["spelled"] == model.tokenizer.tokens(ids)
    for wrong in ([], [-1], [10**9]):
        assert ask(mixed, "inspect", model="letters", text="two", ids=wrong)[0] == 400
    assert ask(mixed, "inspect", model="moods", text="two", ids=ids)[0] == 400


def test_a_translation_that_was_cut_has_no_row_for_its_end(
    server: Running, translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a process that makes the inspection anew, and of one that a translation promised."""
    seen = translator.inspect(TEXT)
    assert len(seen.token_log_probs) == len(seen.target_ids), "the stored model ends this text: take another"
    _, found = ask(server, "inspect", text=TEXT)
    body = json.dumps({"q": TEXT, "source": "en", "target": "de", "details": True})
    _, told = send(server, "POST", "/translate", body, JSON)
    monkeypatch.setattr(InspectionCache, "made", lambda cache, name: None)
    for name in (found["id"], *told["inspect_id"]):
        _, again = send(server, "GET", f"/api/v1/inspect/{name}")
        assert again["tokens"] == found["tokens"]
        assert again["token_log_probs"] == found["token_log_probs"] == pytest.approx(seen.token_log_probs, abs=1e-4)


def test_patching_is_about_the_tokens_and_the_beginning_that_are_given(
    mixed: Running,  # noqa: F811
    model: LanguageModel,  # noqa: F811
    server: Running,
    translator: Translator,
) -> None:
    ids = model.ids_of("ab cd")
    ids[-2:] = [model.tokenizer.unk_id, ids[-2]]
    _, found = ask(mixed, "inspect", model="letters", text="ab cd", ids=ids)
    for other in ("ab ce", "xy ce", "ed cb", "aa aa"):
        status, reply = send(mixed, "GET", f"/api/v1/inspect/{found['id']}/patch?other={quote(other)}")
        if status == 200:
            break
    direct = patch(model, "ab cd", other, ids=ids)
    assert reply["tokens"]["decoder"] == model.tokenizer.tokens(ids)
    assert reply["difference"] == pytest.approx(direct.difference, abs=1e-4)
    _, found = ask(server, "inspect", text=TEXT, prefix="xy")
    path = f"/api/v1/inspect/{found['id']}/patch?other={quote('abc defg hijk')}&prefix=xy"
    _, reply = send(server, "GET", path)
    begun = translator.tokenizer.tokens([*translator.tokenizer.symbols.start_ids, *translator.tokenizer.encode("xy")])
    assert reply["tokens"]["decoder"][: len(begun)] == begun
    direct = patch(translator, TEXT, "abc defg hijk", prefix="xy")
    assert reply["answers"] == list(direct.answers)
    assert reply["difference"] == pytest.approx(direct.difference, abs=1e-4)
