"""The parts that the paths of our own interface share: fields, errors, and given translations."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from regard.serving.directions import Direction
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import EmptyText, FieldRule, Fields, Text, whole
from regard.serving.endpoints.routes import Interface
from regard.serving.limits import ServingError

LARGEST_ID = 10**9
Error = TypedDict("Error", {"status": int, "message": str})
Failure = TypedDict("Failure", {"error": Error})


def failure(error: ServingError) -> Failure:
    """The content of an error."""
    return {"error": {"status": error.status, "message": str(error)}}


INTERFACE = Interface("native", "/api", failure, takes_forms=False)


class NativeFields(Fields):
    """Fields of our own interface: there are no others."""

    model_config = ConfigDict(extra="forbid")
    missing: ClassVar[str] = "Give the field {}."

    api_key: Text = ""


class TokenIds(FieldRule):
    """Ids of tokens, which forms write as text."""

    def __init__(self) -> None:
        number = {"type": "integer", "minimum": 0, "maximum": LARGEST_ID - 1}
        super().__init__("whole numbers from 0", {"type": "array", "items": number})

    def read(self, value: Any) -> list[int]:
        """The ids of a list, or the only one."""
        given = value if isinstance(value, list) else [value]
        numbers = list(map(whole, given))
        if min(numbers, default=0) < 0:
            raise ValueError
        return numbers


Ids = Annotated[list[int], TokenIds()]


class DirectionFields(NativeFields):
    """The languages of a translation."""

    source: Text = Field("", description="ISO 639 code; by default the language that the model reads")
    target: Text = Field("", description="ISO 639 code; with an adapter, as de-x-legal")

    def direction(self, context: RequestContext) -> Direction:
        """The direction of the model that is asked.

        Raises:
            ServingError: none that is served.
        """
        return context.registry.route(self.source, self.target)[0]


class TargetFields(NativeFields):
    """A given translation, after which the end symbol is written: `target_text`, which is cut into tokens, or `target_ids`,
    the tokens themselves. Either may be empty.
    """

    target_text: EmptyText | None = None
    target_ids: Ids | None = None

    @property
    def given_target(self) -> str | list[int] | None:
        """The translation; None: none is given.

        Raises:
            ServingError: 400, both.
        """
        if self.target_text is not None and self.target_ids is not None:
            raise ServingError(400, "Give one of target_text and target_ids.")
        return self.target_text if self.target_ids is None else self.target_ids
