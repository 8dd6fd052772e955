"""The interface of our own, `/api/v1`: everything that Python can ask of a translator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from regard.errors import SettingsError, nearest_hint
from regard.generation.options import DecodingOptions
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.running_translations import Seen
from regard.pipelines.translation import Candidate, Translation
from regard.pipelines.translator import Translator
from regard.serving.answers import Answered, Asked
from regard.serving.directions import Direction
from regard.serving.examples import examples_of
from regard.serving.interfaces.encoding import Answer, text_of, texts_of
from regard.serving.limits import ServingError
from regard.serving.service import Service
from regard.training.state import snapshots

OF_REQUEST = ("text", "texts", "source", "target", "prefix", "prefixes", "required", "split", "format", "api_key")
NOT_SERVED = ("trace", "workers", "deterministic", "batch_size")
"""Options that belong to who starts the server, or that tell the search of one text alone."""


def parse(fields: Mapping[str, Any]) -> tuple[Asked, bool]:
    """A request to translate, and whether its texts are a list.

    Raises:
        ServingError: 400, fields that are not known or not what they must be.
    """
    if ("text" in fields) == ("texts" in fields):
        raise ServingError(400, "Give one of text and texts.")
    name = "text" if "text" in fields else "texts"
    texts, is_list = texts_of(fields[name], name)
    prefixes = required = None
    if (given := fields.get("prefixes", fields.get("prefix"))) is not None:
        prefixes = texts_of(given, "prefixes")[0]
    if (given := fields.get("required")) is not None:
        if not isinstance(given, list):
            raise ServingError(400, "required must be a list of phrases, or for each text a list of phrases.")
        required = [texts_of(each, "required")[0] for each in (given if is_list else [given])]
    for wanted, values in (("prefixes", prefixes), ("required", required)):
        if values is not None and len(values) != len(texts):
            raise ServingError(400, f"{wanted} must be as many as the texts; got {len(values)} and {len(texts)}.")
    given_options = {key: value for key, value in fields.items() if key not in OF_REQUEST}
    for key in given_options:
        if key in NOT_SERVED or DecodingOptions.former_names.get(key, key) not in DecodingOptions.model_fields:
            hint = nearest_hint(key, {*OF_REQUEST, *DecodingOptions.model_fields} - set(NOT_SERVED))
            raise ServingError(400, f"a field must be a known one; got {key!r}. {hint}")
    if (form := text_of(fields, "format", "text")) not in ("text", "html", "xml"):
        raise ServingError(400, f"format must be text, html or xml; got {form}.")
    try:
        options = DecodingOptions(**given_options)
    except SettingsError as error:
        raise ServingError(400, str(error)) from error
    asked = Asked(
        texts, text_of(fields, "source"), text_of(fields, "target"), options, prefixes, required,
        whole=fields.get("split") is False, format=form,
    )  # fmt: skip
    return asked, is_list


def target_of(fields: Mapping[str, Any]) -> str | list[int] | None:
    """A given translation: `target_text`, which is cut into tokens, or `target_ids`, the tokens themselves; None: neither.

    Raises:
        ServingError: 400, both, or ids that are no numbers.
    """
    text, ids = text_of(fields, "target_text"), ids_of(fields, "target_ids")
    if text is not None and ids is not None:
        raise ServingError(400, "Give one of target_text and target_ids.")
    return text if ids is None else ids


def ids_of(fields: Mapping[str, Any], name: str) -> list[int] | None:
    """A field that is a list of ids of tokens; None: it is not there.

    Raises:
        ServingError: 400, it is something else.
    """
    value = fields.get(name)
    if value is None:
        return None
    given = value if isinstance(value, list) else [value]
    numbers = [
        int(each) if isinstance(each, str) and each.isascii() and each.isdigit() and len(each) < 10 else each
        for each in given
    ]
    for each in numbers:
        if not isinstance(each, int) or isinstance(each, bool) or each < 0:
            raise ServingError(400, f"Invalid request: {name} must be whole numbers from 0; got {str(each)[:40]!r}.")
    return numbers


def answer(found: Sequence[Answered | Exception], direction: str, *, is_list: bool) -> Answer:
    """The translations; a text that could not be translated has an error in the place of its translation."""
    rows = [_failed(each) if isinstance(each, Exception) else _row(each) for each in found]
    if not is_list and "error" in rows[0]:
        return Answer(rows[0], rows[0]["error"]["status"])
    return Answer({"translations": rows, "direction": direction} if is_list else rows[0] | {"direction": direction})


def traced(found: Translation, direction: str, spell: Callable[[Sequence[int]], list[str]]) -> Answer:
    """A translation with every candidate of its search, step by step, the best first. `parent` is the index of the candidate that
    one continues, among those of the step before.

    Args:
        spell: the tokens of some ids.
    """
    steps = [[asdict(each) | {"token": spell([each.id])[0]} for each in step] for step in found.trace or ()]
    return Answer({"text": found.text, "sentences": [_sentence(found)], "trace": steps, "direction": direction})


def token(index: int, seen: str | Seen, told: dict[int, int]) -> dict[str, Any] | None:
    """What is new of a sentence; None: nothing.

    Args:
        told: how many tokens of each sentence have been told, where they are; this is noted there.
    """
    if isinstance(seen, str):
        return {"sentence": index, "text": seen}
    before, told[index] = told.get(index, 0), len(seen.tokens)
    if before >= len(seen.tokens):
        return None
    columns = zip(seen.tokens, seen.token_log_probs, seen.alternatives, strict=False)
    rows = [{"token": each, "log_prob": value, "alternatives": others} for each, value, others in columns]
    return {"sentence": index, "text": seen.text, "tokens": rows[before:]}


def status_of(error: Exception) -> int:
    """The HTTP status of an error: those of users are 400."""
    return error.status if isinstance(error, ServingError) else 400


def _failed(error: Exception) -> dict[str, Any]:
    return {"error": {"status": status_of(error), "message": str(error)}}


def _row(found: Answered) -> dict[str, Any]:
    row: dict[str, Any] = {
        "text": found.text,
        "score": found.score,
        "log_prob": found.log_prob,
        "probability": found.probability,
        "confidence": found.confidence,
        "sentences": [
            _sentence(sentence) | {"source": source}
            for source, sentence in zip(found.sources, found.sentences, strict=True)
        ],
    }
    if len(found.n_best) > 1:
        row["n_best"] = found.n_best
    if found.num_cut:
        row["cut"] = found.num_cut
    return row


def _sentence(found: Translation) -> dict[str, Any]:
    row = _candidate(found)
    if len(found.n_best) > 1:
        row["n_best"] = [_candidate(each) for each in found.n_best]
    if found.alternatives is not None:
        row["alternatives"] = found.alternatives
    if found.alignment is not None:
        row["alignment"] = asdict(found.alignment)
    return row


def _candidate(found: Candidate) -> dict[str, Any]:
    names = ("text", "score", "tokens", "token_log_probs", "finish_reason", "ids")
    return {name: getattr(found, name) for name in names} | {"log_prob": sum(found.token_log_probs)}


def models(service: Service) -> Answer:
    """What is served: models that translate have a direction, others a name."""
    rows = [
        {"direction": str(direction), "source": direction.source, "target": direction.target_code}
        | _sizes(engine.pipeline)
        | _of_folder(service.folder_of(direction), direction, engine.pipeline)
        for direction, engine in service.engines.items()
    ]
    others = [{"name": name} | _sizes(engine.pipeline) for name, engine in service.others.items()]
    return Answer({"models": [*rows, *others]})


def _of_folder(folder: Path, direction: Direction, pipeline: Pipeline) -> dict[str, Any]:
    """What a model's folder says of it beside its weights."""
    assert isinstance(pipeline, Translator)
    examples = examples_of(folder, direction.source, pipeline.source_tokenizer)
    return {"snapshots": list(snapshots(folder)), "examples": examples}


def _sizes(pipeline: Pipeline) -> dict[str, Any]:
    model, task = pipeline.model, getattr(pipeline.model.config, "task", None)
    num_parameters = sum(each.numel() for each in model.parameters())
    sizes = {"arch": model.config.arch, "parameters": num_parameters, "max_tokens": model.config.max_positions}
    return sizes | ({"task": task} if task else {})


def error(status: int, message: str) -> Answer:
    """An error."""
    return Answer({"error": {"status": status, "message": message}}, status)
