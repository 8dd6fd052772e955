"""The paths of Google's version 2."""

from __future__ import annotations

import asyncio

from regard.serving.http.transport import Call, Read
from regard.serving.interfaces import google
from regard.serving.interfaces.encoding import Answer, text_of
from regard.serving.service import Service


class Google:
    """What is done at each path."""

    def __init__(self, service: Service) -> None:
        self.service = service

    def table(self) -> list[tuple[str, Read]]:
        """Paths and what answers them."""
        path = "/language/translate/v2"
        return [(path, self.translate), (f"{path}/languages", self.languages), (f"{path}/detect", self.detect)]

    async def translate(self, call: Call) -> Answer:
        """The translations of texts."""
        asked = google.parse(call.fields)
        found, source = await call.answered(asked)
        return google.answer(asked, found, source.direction.source)

    async def languages(self, call: Call) -> Answer:
        """The languages that are read or written."""
        return google.languages(self.service.codes, named=text_of(call.fields, "target") is not None)

    async def detect(self, call: Call) -> Answer:
        """The language of each text."""
        texts = google.needed_texts(call.fields)
        self.service.check_texts(texts)
        ranked = await asyncio.to_thread(lambda: [self.service.detect(text) for text in texts])
        return google.detections(ranked)
