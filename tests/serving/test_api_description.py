"""The OpenAPI document against the server: it describes every answer; what it forbids is refused, and what it allows is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient
from test_other_models import folders  # noqa: F401

from regard.serving.http.app import App
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry

EXAMPLES = 8
"""Requests of a path that follow the document, and as many that do not."""
MORE_RULES = {
    "options that rule each other out": (
        "api/v1/translate",
        "stream",
        "generate",
        "/api/v1/inspect",
        "ablate",
        "completions",
    ),
    "as many translations as texts": ("score",),
    "kinds, heads and tokens of a model": ("inspect/{id}", "align"),
    "glossaries of the source language, whose lines are entries": ("v2/translate", "glossaries"),
}
"""Rules that the document cannot state, with the paths whose valid requests may be refused by them."""


@pytest.fixture(scope="module")
def app(folder: Path, folders: dict[str, Path]) -> Iterator[App]:  # noqa: F811
    """A server of a model that translates any language, a language model and a classifier."""
    registry = ModelRegistry(
        ModelFolders([(folder, None), *((path, None) for path in folders.values())], device="cpu"), Limits(tokens=40)
    )
    yield App(registry, Keys(None))
    registry.close(at_once=True)


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")  # libraries' threads may use it
def test_requests_by_the_document_and_against_it(app: App) -> None:
    config = SchemathesisConfig.from_dict(
        {"request-timeout": 60, "checks": {
            "negative_data_rejection": {"expected-statuses": [400, 403, 404, 405, 410, 413, 501]},
            "positive_data_acceptance": {"expected-statuses": ["2xx", 404]},
        }}
    )  # fmt: skip
    schema = schemathesis.openapi.from_asgi("/spec", app.asgi, config=config)
    inspected = TestClient(app.asgi).post("/api/v1/inspect", json={"text": "a cat", "target_text": "xy"}).json()["id"]
    faults, num_requests = list[str](), 0

    def check(case: schemathesis.Case) -> None:
        nonlocal num_requests
        num_requests += 1
        if "/inspect/{id}" in case.operation.path:
            case.path_parameters["id"] = inspected
        is_beyond = any(part in case.operation.path for parts in MORE_RULES.values() for part in parts)
        try:
            case.call_and_validate(excluded_checks=[positive_data_acceptance] if is_beyond else [])
        except BaseExceptionGroup as error:
            answer = case.call().text[:200]
            faults.extend(f"{case.operation.label} {case.body}: {each} {answer}" for each in error.exceptions)

    for operation in schema.get_all_operations():
        for mode in GenerationMode:
            settings = hypothesis.settings(
                max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
                suppress_health_check=list(hypothesis.HealthCheck), phases=[hypothesis.Phase.generate],
            )  # fmt: skip
            given = hypothesis.given(operation.ok().as_strategy(generation_mode=mode))
            try:
                settings(given(check))()
            except hypothesis.errors.Unsatisfiable:  # nothing can be wrong with a request without fields
                assert mode is GenerationMode.NEGATIVE
    assert num_requests > 500
    assert not faults, "\n".join(faults)


def test_a_method_that_a_path_does_not_take_is_told_the_others(app: App) -> None:
    client, document = TestClient(app.asgi), app.context.document
    for path, operations in document["paths"].items():
        taken = {method.upper() for method in operations} | ({"HEAD"} if "get" in operations else set())
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
            answer = client.request(method, path)
            assert answer.status_code == 405, (method, path)
            assert {each.strip() for each in answer.headers["Allow"].split(",")} == taken


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("/api/v1/x", "status"), ("/v1/x", "type"), ("/v2/x", None), ("/language/x", "code"), ("/x", None)),
        *(("/language", "code"), ("/v1", "type")),
    ],
)
def test_a_path_that_is_not_there_is_refused_in_the_form_of_its_interface(
    app: App, path: str, name: str | None
) -> None:
    content: Any = TestClient(app.asgi).get(path).json()
    message = content.get("message", content.get("error"))
    assert f"There is nothing at {path}." in str(message)
    assert name is None or name in message


@pytest.mark.parametrize(
    ("method", "path", "error"),
    [
        ("POST", "/languages", "/languages does not take POST."),
        ("GET", "/languagesx", "There is nothing at /languagesx."),
        ("GET", "/v10", "There is nothing at /v10."),
        ("GET", "/apis/x", "There is nothing at /apis/x."),
    ],
)
def test_a_path_that_only_begins_with_the_letters_of_a_prefix_is_of_another_interface(
    app: App, method: str, path: str, error: str
) -> None:
    assert TestClient(app.asgi).request(method, path).json() == {"error": error}


def test_a_method_that_a_path_does_not_take_is_refused_in_the_form_of_its_interface(app: App) -> None:
    client = TestClient(app.asgi)
    paths = {route.path: route.interface for route in reversed(app.routes)}
    for path, interface in paths.items():
        content = client.request("TRACE", path).json()
        assert content == interface.error(ServingError(405, f"{path} does not take TRACE."))
