"""OpenAI Chat Completions, as servers speak it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
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


class Chat:
    """OpenAI Chat Completions, with thoughts as OpenRouter sends them."""

    label, model, wire, base = "chat", "writer-1", "openai_chat", "/v1"
    is_local = False

    def stream(
        self, parts: Sequence[Part], usage: Usage, reason: Any = FITTING
    ) -> tuple[list[bytes], list[bytes]]:
        deltas: list[Json] = [{"role": "assistant", "content": ""}]
        calls = [part for part in parts if isinstance(part, Call)]
        for part in parts:
            if isinstance(part, Text):
                deltas += [{"content": half} for half in halves(part.text)]
            elif isinstance(part, Thought):
                deltas += self._thought(part)
        deltas += self._calls(calls)
        ended = self._chunk({}, ("tool_calls" if calls else "stop") if reason == FITTING else reason)
        counted = event({**self._head(), "choices": [], "usage": _count(usage)})
        return [self._chunk(delta) for delta in deltas], [ended, counted, event("[DONE]")]

    def body(self, parts: Sequence[Part], usage: Usage) -> Json:
        calls = [part for part in parts if isinstance(part, Call)]
        message: Json = {"role": "assistant", "content": ""}
        for part in parts:
            if isinstance(part, Text):
                message["content"] += part.text
            elif isinstance(part, Thought):
                message |= {name: value for delta in self._thought(part) for name, value in delta.items()}
        message["tool_calls"] = [_whole(index, call) for index, call in enumerate(calls)]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        return {**self._head(), "object": "chat.completion", "choices": [choice], "usage": _count(usage)}

    def failure(self, text: str) -> bytes:
        return event({"error": {"message": text, "type": "server_error", "code": "server_error"}})

    def key(self, headers: Mapping[str, str]) -> str | None:
        return bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"reasoning_details": [self._detail(thought)]}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        before = ""
        for message in body["messages"]:
            content = as_list(message.get("content") or "")
            shown = [part for part in content if part["type"] == "image_url"]
            pictures += [picture(part["image_url"]["url"]) for part in shown]
            text = "".join(part.get("text", "") for part in content)
            is_of_result = bool(shown) and before == "tool"  # results hold text only: their pictures follow
            if message["role"] == "tool":
                turns.append(Gave(message["tool_call_id"], json.loads(message["content"])))
            elif message["role"] in ("user", "assistant") and text and not is_of_result:
                turns.append(Said("user" if message["role"] == "user" else "model", text))
            for call in message.get("tool_calls", ()):
                function = call["function"]
                turns.append(Called(call["id"], function["name"], json.loads(function["arguments"])))
            before = message["role"]
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools", ())}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)

    def _calls(self, calls: Sequence[Call]) -> list[Json]:
        """Calls written side by side, each in pieces."""
        begun = [_whole(index, replace(call, arguments="")) for index, call in enumerate(calls)]
        rest: list[Json] = [
            {"index": index, "function": {"arguments": halves(call.written)[half]}}
            for half in (0, 1)
            for index, call in enumerate(calls)
        ]
        return [{"tool_calls": [each]} for each in begun + rest]

    def _thought(self, thought: Thought) -> list[Json]:
        return [{"reasoning": thought.text, "reasoning_details": [self._detail(thought)]}]

    @staticmethod
    def _detail(thought: Thought) -> Json:
        return {"type": "reasoning.text", "text": thought.text, "signature": thought.seal, "index": 0}

    def _chunk(self, delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event({**self._head(), "choices": [choice]})

    def _head(self) -> Json:
        return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}


class Local(Chat):
    """A server on this machine as Ollama and llama.cpp are: whole calls, no ids, plain `reasoning`."""

    label, model, is_local = "ollama", "llama3.2", True

    def echo(self, thought: Thought) -> Json:
        return {"reasoning": f"{thought.text} {thought.seal}"}

    def _calls(self, calls: Sequence[Call]) -> list[Json]:
        return [{"tool_calls": [{**_whole(index, call), "id": call.id}]} for index, call in enumerate(calls)]

    def _thought(self, thought: Thought) -> list[Json]:
        return [{"reasoning": thought.text}, {"reasoning": f" {thought.seal}"}]


def _whole(index: int, call: Call) -> Json:
    function = {"name": call.name, "arguments": call.written}
    return {"index": index, "id": call.id or f"call_{index}", "type": "function", "function": function}


def _count(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.cache_written},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
