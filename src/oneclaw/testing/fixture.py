"""Recorded answers by wire format, with their expected outcomes."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.message import AssistantMessage, CallPart, Finish, Usage, UserMessage
from oneclaw.core.message import ResultsMessage as Results
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request, Trouble

WIRES = ("anthropic", "gemini", "openai_chat", "openai_responses")
KEY = "sk-test-0123456789abcdef"
"""The key a provider is given, and that some recorded errors repeat."""


def _definition(name: str, parameter: str = "") -> ToolDefinition:
    properties = {parameter: {"type": "string"}} if parameter else {}
    required = {"required": [parameter]} if parameter else {}
    schema = {"type": "object", "properties": properties, **required}
    return ToolDefinition(name=name, description=f"The tool {name}.", parameters=schema)


TOOLS = (_definition("get_time", "zone"), _definition("list_all"), _definition("read_file", "path"))
REQUEST = Request("test-model", (UserMessage("Look at notes.txt."),), "You are a test.", TOOLS)
"""The request that each recorded answer is for."""
CONVERSATION = Request(
    "test-model",
    (
        UserMessage("Look at notes.txt."),
        AssistantMessage((CallPart(ToolCall("read_file", {"path": "notes.txt"}, "call_1")),), "calls"),
        Results((ToolResult("call_1", "read_file", "buy milk"),)),
    ),
    "You are a test.",
    TOOLS,
)
"""A request in the middle of a conversation: a call was made and has its result."""


@dataclass(frozen=True, slots=True)
class ExpectedOutcome:
    """The outcome of a recorded answer.

    calls     name and arguments of each call that may run
    faulted   the number of calls that must not run, because their arguments were cut
    usage     None where it is not checked
    troubles  the ways the request may fail; with a `finish` too, it may also end as the message says
    """

    text: str | None = ""
    thoughts: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    faulted: int = 0
    finish: Finish | None = None
    usage: Usage | None = None
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """One recorded answer: `answer` is the whole HTTP answer as the server sends it."""

    wire: str
    name: str
    about: str
    answer: bytes
    expected: ExpectedOutcome


@dataclass(frozen=True, slots=True)
class SentRequest:
    """Required content of a request.

    path         the end of its path, query included
    key_headers  the headers of which one carries the key
    body         a part of the JSON body; lists have the length they have here
    """

    path: str
    key_headers: tuple[str, ...]
    body: Mapping[str, Any]


def fixtures(wire: str) -> tuple[Fixture, ...]:
    """The recorded answers of one of `WIRES`; the cases are the same for all of them."""
    recorded, cases = _read(wire), _read("cases")
    return tuple(
        Fixture(wire, name, case["about"], _answer(recorded[name]), _expected(name, case))
        for name, case in cases.items()
    )


def fixture(wire: str, name: str) -> Fixture:
    """One recorded answer by its name, as `fixture("anthropic", "text")`."""
    for each in fixtures(wire):
        if each.name == name:
            return each
    raise ValueError(f"There is no fixture {name!r}; use one of {', '.join(_read('cases'))}.")


def sent_request(wire: str) -> SentRequest:
    """The request a provider must send for `CONVERSATION`."""
    found = _read(wire)["request"]
    return SentRequest(found["path"], tuple(found["key_headers"]), json.loads(found["body"]))


@cache
def _read(name: str) -> dict[str, Any]:
    if name not in (*WIRES, "cases"):
        raise ValueError(f"There is no wire format {name!r}; use one of {', '.join(WIRES)}.")
    text = files("oneclaw.testing.recordings").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _answer(recorded: Mapping[str, Any]) -> bytes:
    """A recorded answer as bytes: a stream without a length, or a body with its status."""
    if "stream" in recorded:
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        return (head + recorded["stream"]).encode()
    body = recorded["body"].replace("{key}", KEY).encode()
    kind = recorded.get("type", "application/json")
    wait = "Retry-After: 0\r\n" if recorded["status"] >= 429 else ""
    head = f"HTTP/1.1 {recorded['status']} Recorded\r\nContent-Type: {kind}\r\n{wait}Connection: close\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _expected(name: str, case: Mapping[str, Any]) -> ExpectedOutcome:
    usage = case.get("usage")
    return ExpectedOutcome(
        None if name == "refusal" else case.get("text", ""),  # each provider has its own words for it
        case.get("thoughts", ""),
        tuple((each[0], each[1]) for each in case.get("calls", ())),
        case.get("faulted", 0),
        case.get("finish"),
        None if usage is None else Usage(**usage),
        tuple(case.get("troubles", ())),
    )
