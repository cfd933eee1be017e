"""Recorded conversations of every wire format as messages of ours, and how both are compared."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.subschema import is_array

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """How the requests of one format are compared.

    path      what stands in the path of its requests
    field     where the conversation is
    is_ours   whether a request has only what we write ourselves
    messages  its conversation as ours
    shape     an item of the conversation without what is ours to choose
    tools     its definitions of tools, each as name, description and parameters
    """

    path: str
    field: str
    is_ours: Callable[[Json], bool]
    messages: Callable[[Json], Iterator[Message]]
    shape: Callable[[Json], Any]
    tools: Callable[[Json], list[Json]]


# Anthropic


def _blocks(message: Json) -> list[Json]:
    said = message["content"]
    return [{"type": "text", "text": said}] if isinstance(said, str) else said


def _anthropic_is_ours(request: Json) -> bool:
    kinds = [block["type"] for message in request["messages"] for block in _blocks(message)]
    first = request["messages"][0]["role"]
    return first == "user" and {"text", "tool_use", "tool_result"}.issuperset(kinds)


def _anthropic_messages(request: Json) -> Iterator[Message]:
    for message in request["messages"]:
        blocks = _blocks(message)
        if message["role"] == "assistant":
            yield AssistantMessage(
                tuple(
                    TextPart(block["text"])
                    if block["type"] == "text"
                    else CallPart(ToolCall(block["name"], block["input"], block["id"]))
                    for block in blocks
                ),
                "calls",
                "anthropic",
            )
        elif blocks[0]["type"] == "tool_result":
            yield ResultsMessage(tuple(ToolResult(block["tool_use_id"], "t") for block in blocks))
        else:
            yield UserMessage("\n".join(block["text"] for block in blocks))


def _anthropic_shape(message: Json) -> Any:
    """Without how results are said, markers, and the parting of text."""
    blocks: list[Json] = []
    for block in _blocks(message):
        kept = {name: each for name, each in block.items() if name not in ("cache_control", "is_error")}
        if block["type"] == "tool_result":
            kept["content"] = [{"type": "text"}]
        if block["type"] == "text" and message["role"] == "user" and blocks:
            blocks[-1]["text"] += "\n" + block["text"]
            continue
        blocks.append(kept)
    return message["role"], blocks


def _anthropic_tools(request: Json) -> list[Json]:
    tools = [each for each in request.get("tools") or () if "input_schema" in each]
    return [{**each, "parameters": each["input_schema"]} for each in tools if not each.get("defer_loading")]


# Gemini


def _gemini_is_ours(request: Json) -> bool:
    """Its calls have ids, no text is empty, and the user only speaks and answers."""
    for content in request["contents"]:
        for part in content["parts"]:
            said = part.get("functionCall") or part.get("functionResponse")
            if (said and "id" not in said) or part == {"text": ""}:
                return False
            if content.get("role") == "user" and not {"text", "functionResponse"} & part.keys():
                return False
    return all("role" in content for content in request["contents"])


def _gemini_messages(request: Json) -> Iterator[Message]:
    for content in request["contents"]:
        parts: list[Json] = content["parts"]
        if content["role"] == "model":
            yield AssistantMessage(tuple(_gemini_part(part) for part in parts), wire="gemini")
        elif "functionResponse" in parts[0]:
            said = [part["functionResponse"] for part in parts]
            yield ResultsMessage(
                tuple(ToolResult(each.get("id", each["name"]), each["name"], each) for each in said)
            )
        else:
            yield UserMessage("".join(part["text"] for part in parts))


def _gemini_part(part: Json) -> Part:
    echo = {key: part[key] for key in ("thoughtSignature",) if key in part} or None
    if "functionCall" in part:
        said = part["functionCall"]
        return CallPart(ToolCall(said["name"], said.get("args") or {}, said.get("id", said["name"])), echo)
    if "text" in part:
        return ThoughtPart(part["text"], echo) if part.get("thought") else TextPart(part["text"], echo)
    return ForeignPart({"part": part})


def _gemini_shape(content: Json) -> Any:
    """Without thoughts that have no signature, and how results are said."""
    kept: list[Json] = []
    for part in content["parts"]:
        if "functionResponse" in part:
            said = part["functionResponse"]
            kept.append({"functionResponse": [said.get("id"), said["name"]]})
        elif not part.get("thought") or "thoughtSignature" in part:
            kept.append(part)
    return content["role"], kept


def _gemini_tools(request: Json) -> list[Json]:
    told: Any = request.get("tools") or []
    sets: Sequence[Json] = told if is_array(told) else [told]
    declared: list[Json] = [each for tools in sets for each in tools.get("functionDeclarations", [])]
    names = ("parameters", "parametersJsonSchema", "parameters_json_schema")
    schemas: list[Json] = [next(filter(None, map(each.get, names)), Json()) for each in declared]
    return [{**each, "parameters": schema} for each, schema in zip(declared, schemas, strict=True)]


# Chat servers


def _chat_is_ours(request: Json) -> bool:
    contents = [item.get("content") or "" for item in request["messages"]]
    return all(isinstance(said, str) or all(part["type"] == "text" for part in said) for said in contents)


def _chat_text(item: Json) -> str:
    said = item.get("content") or ""
    return said if isinstance(said, str) else "".join(part.get("text", "") for part in said)


def _chat_messages(request: Json) -> Iterator[Message]:
    results: list[ToolResult] = []
    items: list[Json] = [*request["messages"], {"role": "end"}]
    for item in items:
        if item["role"] == "tool":
            results.append(ToolResult(item["tool_call_id"], "", _chat_text(item)))
            continue
        if results:
            yield ResultsMessage(tuple(results))
            results = []
        if item["role"] == "user":
            yield UserMessage(_chat_text(item))
        elif item["role"] == "assistant":
            text = _chat_text(item)
            calls = [
                CallPart(ToolCall(call["function"]["name"], call["function"]["arguments"], call["id"]))
                for call in item.get("tool_calls") or ()
            ]
            yield AssistantMessage((*([TextPart(text)] if text else []), *calls))


def _chat_shape(item: Json) -> Any:
    """The role and the calls."""
    made: list[Json] = item.get("tool_calls") or []
    calls = [
        (sorted(call), call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in made
    ]
    return "system" if item["role"] == "developer" else item["role"], calls


def _chat_tools(request: Json) -> list[Json]:
    return [tool["function"] for tool in request.get("tools") or () if "function" in tool]


# The Responses API


def _responses_items(request: Json) -> list[Json]:
    """The items we write: no instructions among them, no empty ones, and no null as a status."""
    return [
        {name: value for name, value in item.items() if name != "status" or value is not None}
        for item in request["input"]
        if item.get("role") != "system" and item.get("content") != ""
    ]


def _responses_is_ours(request: Json) -> bool:
    """A list of items in which the user says text; a call is not kept at the provider."""
    if isinstance(request["input"], str):
        return False
    items = _responses_items(request)
    users = [item for item in items if item.get("role") == "user"]
    is_kept = any(item.get("type") == "function_call_output" for item in items[:1])
    return not is_kept and all(isinstance(item.get("content", ""), str) for item in users)


def _responses_messages(request: Json) -> Iterator[Message]:
    model = f"openai/{request['model']}"
    parts: list[Part] = []
    results: list[ToolResult] = []
    names: dict[str, str] = {}
    for item in (*_responses_items(request), {"role": "end"}):
        kind = item.get("type", item.get("role"))
        is_result = kind == "function_call_output"
        is_answer = not is_result and kind not in ("user", "end")
        if parts and not is_answer:
            yield AssistantMessage(tuple(parts), wire="openai_responses", model=model)
            parts = []
        if results and not is_result:
            yield ResultsMessage(tuple(results))
            results = []
        if kind == "user":
            yield UserMessage(item["content"])
        elif is_result:
            results.append(ToolResult(item["call_id"], names[item["call_id"]], item["output"]))
        elif is_answer:
            names[item.get("call_id", "")] = item.get("name", "")
            parts.append(_responses_part(kind, item))


def _responses_part(kind: Any, item: Json) -> Part:
    if kind == "reasoning":
        return ThoughtPart("", item)
    if kind == "function_call":
        return CallPart(ToolCall(item["name"], item["arguments"], item["call_id"]), item)
    if kind == "message":
        return TextPart("", item)
    return TextPart(item["content"]) if kind == "assistant" else ForeignPart(item)


def _responses_shape(item: Json) -> Any:
    """All but the words of a result."""
    return {name: value for name, value in item.items() if name != "output"}, isinstance(
        item.get("output"), str
    )


def _responses_tools(request: Json) -> list[Json]:
    return [tool for tool in request.get("tools") or () if tool.get("type") == "function"]


FORMS = {
    "anthropic": Form(
        "/messages",
        "messages",
        _anthropic_is_ours,
        _anthropic_messages,
        _anthropic_shape,
        _anthropic_tools,
    ),
    "gemini": Form(
        "enerateContent", "contents", _gemini_is_ours, _gemini_messages, _gemini_shape, _gemini_tools
    ),
    "openai_chat": Form(
        "/chat/completions", "messages", _chat_is_ours, _chat_messages, _chat_shape, _chat_tools
    ),
    "openai_responses": Form(
        "/responses", "input", _responses_is_ours, _responses_messages, _responses_shape, _responses_tools
    ),
}
