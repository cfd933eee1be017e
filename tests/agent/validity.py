"""Whether a conversation, and a request made of it, is valid: told without the code that mends one."""

import json
from collections.abc import Sequence
from typing import Any

from tests.providers.formats.format import objects
from tests.providers.wires import MAKERS

from oneclaw.core.message import Message, UserMessage
from oneclaw.providers.base import Request
from oneclaw.testing import conversation_problems as faults


def is_valid(messages: Sequence[Message]) -> bool:
    return not faults(messages)


def request_faults(messages: Sequence[Message], wire: str) -> list[str]:
    """What is wrong with calls and results in the next request over a wire."""
    body = json.loads(MAKERS[wire]().write(Request("model", [*messages, UserMessage("go on")])))
    calls, results = _paired(body, wire)
    found = [] if calls == results else [f"the calls are {calls}, the results of {results}"]
    return found if len(set(calls)) == len(calls) else [*found, f"an id comes twice: {calls}"]


def _paired(body: Any, name: str) -> tuple[list[str], list[str]]:
    """The ids of calls and of results in a body, in their order."""
    calls: list[str] = []
    results: list[str] = []
    for each in objects(body):
        if name == "gemini":
            calls += [each["functionCall"]["id"]] if "id" in each.get("functionCall", {}) else []
            results += [each["functionResponse"]["id"]] if "id" in each.get("functionResponse", {}) else []
        elif each.get("type") in ("tool_use", "function_call"):
            calls.append(each.get("call_id") or each["id"])
        elif each.get("type") in ("tool_result", "function_call_output"):
            results.append(each.get("tool_use_id") or each["call_id"])
        calls += [call["id"] for call in each.get("tool_calls") or ()]
        results += [each["tool_call_id"]] if each.get("role") == "tool" else []
    return calls, results
