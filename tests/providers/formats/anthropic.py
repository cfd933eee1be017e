"""Anthropic Messages, as a server speaks it."""

import json
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from tests.providers.formats.format import (
    FITTING,
    Call,
    Called,
    Gave,
    Heard,
    Json,
    Part,
    Said,
    Text,
    Thought,
    as_list,
    bearer,
    event,
    halves,
)

from oneclaw.core.message import Usage


class Anthropic:
    """Anthropic Messages."""

    label, model, wire, base = "anthropic", "claude-sonnet-4-5", "anthropic", ""
    is_local = False

    def stream(
        self, parts: Sequence[Part], usage: Usage, reason: Any = FITTING
    ) -> tuple[list[bytes], list[bytes]]:
        whole = self.body(parts, usage)
        read = {**whole["usage"], "output_tokens": 1, "output_tokens_details": None}
        begun: Json = {**whole, "content": [], "stop_reason": None, "usage": read}
        events: list[Json] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
        for index, block in enumerate(whole["content"]):
            empty, deltas = _cut(block)
            events.append({"type": "content_block_start", "index": index, "content_block": empty})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        stop = {"stop_reason": whole["stop_reason"] if reason == FITTING else reason, "stop_sequence": None}
        counted = {name: count for name, count in whole["usage"].items() if name.startswith("output")}
        ending: list[Json] = [{"type": "message_delta", "delta": stop, "usage": counted}]
        ending.append({"type": "message_stop"})
        return [event(each, each["type"]) for each in events], [event(each, each["type"]) for each in ending]

    def body(self, parts: Sequence[Part], usage: Usage) -> Json:
        counted = {
            "input_tokens": usage.input - usage.cached - usage.cache_written,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": usage.cache_written,
            "output_tokens": usage.output,
            "output_tokens_details": {"thinking_tokens": usage.reasoning},
        }
        reason = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model}
        blocks = [_block(index, part) for index, part in enumerate(parts)]
        return {**message, "content": blocks, "stop_reason": reason, "usage": counted}

    def failure(self, text: str) -> bytes:
        return event({"type": "error", "error": {"type": "api_error", "message": text}}, "error")

    def key(self, headers: Mapping[str, str]) -> str | None:
        return None if "x-api-key" in headers else bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"type": "thinking", "thinking": thought.text, "signature": thought.seal}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        for message in body["messages"]:
            for block in as_list(message["content"]):
                if block["type"] == "text":
                    turns.append(Said("user" if message["role"] == "user" else "model", block["text"]))
                elif block["type"] == "image":
                    pictures.append(b64decode(block["source"]["data"]))
                elif block["type"] == "tool_use":
                    turns.append(Called(block["id"], block["name"], block["input"]))
                elif block["type"] == "tool_result":
                    result = json.loads(block["content"][0]["text"])
                    assert block.get("is_error", False) == (result["status"] == "error")
                    turns.append(Gave(block["tool_use_id"], result))
                    shown = [part for part in block["content"] if part["type"] == "image"]
                    pictures += [b64decode(part["source"]["data"]) for part in shown]
        tools = {tool["name"]: tool for tool in body.get("tools", ())}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)


def _block(index: int, part: Part) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thought):
        return {"type": "thinking", "thinking": part.text, "signature": part.seal}
    return {
        "type": "tool_use",
        "id": part.id or f"toolu_{index}",
        "name": part.name,
        "input": part.arguments,
    }


def _cut(block: Json) -> tuple[Json, list[Json]]:
    """A block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": half} for half in halves(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {**block, "thinking": "", "signature": ""}, deltas
    given = block["input"]
    written = given if isinstance(given, str) else json.dumps(given)
    deltas = [{"type": "input_json_delta", "partial_json": half} for half in ("", *halves(written))]
    return {**block, "input": {}}, deltas
