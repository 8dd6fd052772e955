"""Print schemas of the server's OpenAPI document: those of the answers that the page reads. `make web` makes types of them."""

import json
import re
from typing import Any

from regard.serving.http.app import App
from regard.serving.keys import Keys
from regard.serving.limits import Limits
from regard.serving.model_folders import ModelFolders
from regard.serving.model_registry import ModelRegistry

READ = (
    *("ModelsReply", "TokenizeReply", "NativeTranslateReply", "TranslateListReply", "TracedReply", "PairScore"),
    *("InspectReply", "AblateReply", "LookupReply", "WritesReply", "StreamReply", "FlowReply", "PredictReply"),
    *("NextTokens", "Experiment", "PatchReply", "Completion", "NativeFailure"),
)


def reachable(schemas: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The schemas of some names, and those that they refer to."""
    found: dict[str, Any] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = schemas[name]
            left += re.findall(r"#/components/schemas/(\w+)", json.dumps(schemas[name]))
    return {name: found[name] for name in sorted(found)}


document = App(ModelRegistry(ModelFolders([]), Limits()), Keys(None)).context.document
kept = {"schemas": reachable(document["components"]["schemas"], READ)}
print(json.dumps({**document, "paths": {}, "components": kept}))
