"""The wire formats under test, by name, and their readers."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from oneclaw.core.answer import AnswerProgress
from oneclaw.core.message import AssistantMessage
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import AnswerReader, Request, ServerEvent, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.http.sse import ServerEvents
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.wire import OpenAIResponses
from oneclaw.testing import REQUEST, WIRES

MAKERS: dict[str, type[Wire]] = {
    "anthropic": Anthropic,
    "gemini": Gemini,
    "openai_chat": OpenAIChat,
    "openai_responses": OpenAIResponses,
}
each_wire = pytest.mark.parametrize("wire", WIRES)


def rows_of(table: Mapping[str, Iterable[Any]]) -> list[tuple[Any, ...]]:
    """The rows of every wire format, each with its name before it."""
    return [(wire, *(row if isinstance(row, tuple) else (row,))) for wire in WIRES for row in table[wire]]


def new_reader(wire: str, request: Request = REQUEST) -> AnswerReader:
    return MAKERS[wire]().reader(request)


def feed(reader: AnswerReader, *events: Any) -> list[AnswerProgress]:
    """What the reader tells of events: documents, texts as they are, or the bytes of a stream."""
    progress: list[AnswerProgress] = []
    for event in events:
        for each in events_of(event) if isinstance(event, bytes) else [_event(event)]:
            progress += reader.feed(each)
    return progress


def read(wire: str, *events: Any) -> AssistantMessage:
    """The message that events become."""
    reader = new_reader(wire)
    feed(reader, *events)
    return reader.message()


def events_of(data: bytes) -> list[ServerEvent]:
    parser = ServerEvents()
    return [*parser.feed(data), *parser.finish()]


def _event(event: Any) -> ServerEvent:
    return ServerEvent("", event if isinstance(event, str) else json.dumps(event))
