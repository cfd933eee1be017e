"""OpenAI Responses, as a server speaks it."""

import json
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
    picture,
)

from oneclaw.core.message import Usage


class Responses:
    """OpenAI Responses."""

    label, model, wire, base = "responses", "gpt-5-mini", "openai_responses", "/v1"
    is_local = False

    def stream(
        self, parts: Sequence[Part], usage: Usage, reason: Any = FITTING
    ) -> tuple[list[bytes], list[bytes]]:
        whole = self.body(parts, usage)
        begun: Json = {**whole, "status": "in_progress", "output": [], "usage": None}
        told = [each for place, part in enumerate(parts) for each in self._told(place, part)]
        status = "completed"
        if reason != FITTING:
            status = "incomplete"
            whole["incomplete_details"] = reason and {"reason": reason}
        ended = {"type": f"response.{status}", "response": {**whole, "status": status}}
        events: list[Json] = [{"type": "response.created", "response": begun}, *told, ended]
        written = [
            event({**each, "sequence_number": number}, str(each["type"]))
            for number, each in enumerate(events)
        ]
        return written[:-1], written[-1:]

    def body(self, parts: Sequence[Part], usage: Usage) -> Json:
        read = {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_written}
        counted = {
            "input_tokens": usage.input,
            "input_tokens_details": read,
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.total,
        }
        head: Json = {"id": "resp_1", "object": "response", "created_at": 1, "model": self.model}
        head |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        items = [self._item(place, part) for place, part in enumerate(parts)]
        return {**head, "status": "completed", "output": items, "usage": counted}

    def failure(self, text: str) -> bytes:
        return event({"type": "error", "code": "server_error", "message": text, "param": None}, "error")

    def key(self, headers: Mapping[str, str]) -> str | None:
        return bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"type": "reasoning", "encrypted_content": thought.seal, "summary": self._summary(thought)}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        for item in body["input"]:
            kind = item.get("type", "message")
            if kind == "function_call":
                turns.append(Called(item["call_id"], item["name"], json.loads(item["arguments"])))
            elif kind == "function_call_output":
                parts = as_list(item["output"])
                pictures += [picture(part["image_url"]) for part in parts if part["type"] == "input_image"]
                turns.append(Gave(item["call_id"], json.loads(parts[0]["text"])))
            elif kind == "message":
                shown = [part for part in as_list(item["content"]) if part["type"] == "input_image"]
                pictures += [picture(part["image_url"]) for part in shown]
                text = "".join(part.get("text", "") for part in as_list(item["content"]))
                turns += [Said("user" if item["role"] == "user" else "model", text)] if text else []
        tools = {tool["name"]: tool for tool in body.get("tools", ())}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)

    def _item(self, place: int, part: Part) -> Json:
        head: Json = {"id": f"item_{place}", "status": "completed"}
        if isinstance(part, Text):
            content: list[Json] = [{"type": "output_text", "text": part.text, "annotations": []}]
            return {**head, "type": "message", "role": "assistant", "content": content}
        if isinstance(part, Thought):
            return {**head, **self.echo(part)}
        call = {"call_id": part.id or f"call_{place}", "name": part.name, "arguments": part.written}
        return {**head, "type": "function_call", **call}

    def _told(self, place: int, part: Part) -> list[Json]:
        """The events by which an item comes."""
        at: Json = {"output_index": place, "item_id": f"item_{place}"}
        whole = self._item(place, part)
        begun: Json = {**whole, "status": "in_progress"}
        first: list[Json] = []
        if isinstance(part, Call):
            begun["arguments"], kind, text = "", "function_call_arguments", part.written
        elif isinstance(part, Text):
            at |= {"content_index": 0}
            begun["content"], kind, text = [], "output_text", part.text
            empty: Json = {"type": "output_text", "text": "", "annotations": []}
            first = [{"type": "response.content_part.added", **at, "part": empty}]
        else:
            at |= {"summary_index": 0}
            begun["summary"], kind, text = [], "reasoning_summary_text", part.text
            empty = {"type": "summary_text", "text": ""}
            first = [{"type": "response.reasoning_summary_part.added", **at, "part": empty}]
        deltas = [{"type": f"response.{kind}.delta", **at, "delta": half} for half in halves(text)]
        return [
            {"type": "response.output_item.added", "output_index": place, "item": begun},
            *first,
            *deltas,
            {"type": "response.output_item.done", "output_index": place, "item": whole},
        ]

    @staticmethod
    def _summary(thought: Thought) -> list[Json]:
        return [{"type": "summary_text", "text": thought.text}]
