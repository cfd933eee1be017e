"""Acme's provider: chat completions with an HTTP client of its own."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import urlsplit

from oneclaw import ToolCall
from oneclaw.providers import (
    Answered,
    AnswerEvent,
    ArgumentsAdded,
    AssistantMessage,
    CallBegun,
    CallPart,
    Finish,
    Part,
    ProviderError,
    Request,
    ResultsMessage,
    TextAdded,
    TextPart,
    ThoughtAdded,
    ThoughtPart,
    Trouble,
    Usage,
    UserMessage,
)

TROUBLES: dict[int, Trouble] = {401: "key", 429: "limit", 503: "overload"}


class AcmeProvider:
    """Answers with what a server of chat completions says."""

    path = "/chat/completions"

    def __init__(self, url: str, key: str) -> None:
        address = urlsplit(url)
        self.host, self.port, self.key = address.hostname, address.port, key

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(self.sent(json.dumps(self.body(request)).encode()))
            status, kind = await read_head(reader)
            if status != 200:
                raise self.refusal(status, await reader.read())
            if kind != "text/event-stream":
                raise ProviderError("Acme answered without a stream of events. Check its address.", "stream")
            draft = Draft()
            while not draft.is_complete and (line := await reader.readline()):
                if line.startswith(b"data: {"):
                    for each in draft.add(json.loads(line[6:])):
                        yield each
            yield Answered(self.message(draft))
        finally:
            writer.close()

    async def close(self) -> None:
        """Each answer closes its own connection."""

    def sent(self, body: bytes) -> bytes:
        head = f"POST {self.path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.key}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def body(self, request: Request) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.instructions}]
        for message in request.messages:
            messages += written(message)
        tools = [
            {"type": "function", "function": {"name": each.name, "parameters": dict(each.parameters)}}
            for each in request.tools
        ]
        return {"model": request.model, "stream": True, "messages": messages, "tools": tools}

    def refusal(self, status: int, body: bytes) -> Exception:
        said = str(json.loads(body)["error"]["message"]).replace(self.key, "[key]")
        other: Trouble = "server" if status >= 500 else "window" if "context length" in said else "request"
        return ProviderError(f"Acme answered {status}: {said}", TROUBLES.get(status, other), status=status)

    def message(self, draft: "Draft") -> AssistantMessage:
        return draft.message()


class Draft:
    """An answer while it is read."""

    def __init__(self) -> None:
        self.thought = self.text = self.reason = ""
        self.calls: list[dict[str, str]] = []
        self.usage = Usage()
        self.is_complete = self.is_refused = False

    def add(self, chunk: dict[str, Any]) -> list[AnswerEvent]:
        if "error" in chunk:
            raise ProviderError(f"Acme broke off: {chunk['error']['message']}", "overload")
        self.take_usage(chunk.get("usage"))
        made: list[AnswerEvent] = []
        for choice in chunk["choices"]:
            made += self.take(choice["delta"])
            self.reason = choice["finish_reason"] or self.reason
        return made

    def take(self, delta: Mapping[str, Any]) -> list[AnswerEvent]:
        made: list[AnswerEvent] = []
        if thought := delta.get("reasoning_content"):
            self.thought += thought
            made.append(ThoughtAdded(thought))
        if text := delta.get("content") or delta.get("refusal"):
            self.is_refused = self.is_refused or "refusal" in delta
            self.text += text
            made.append(TextAdded(text))
        for each in delta.get("tool_calls", ()):
            index, function = each["index"], each["function"]
            if index == len(self.calls):
                self.calls.append({"id": each["id"], "name": function["name"], "arguments": ""})
                made.append(CallBegun(index, function["name"]))
            self.calls[index]["arguments"] += function["arguments"]
            made.append(ArgumentsAdded(index, function["arguments"]))
        return made

    def take_usage(self, usage: Mapping[str, Any] | None) -> None:
        if usage is not None:
            cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            reasoning = usage.get("completion_tokens_details", {}).get("reasoning_tokens", 0)
            self.usage = Usage(usage["prompt_tokens"], usage["completion_tokens"], cached, 0, reasoning)
            self.is_complete = True

    def message(self) -> AssistantMessage:
        parts: list[Part] = [ThoughtPart(self.thought)] if self.thought else []
        parts += [TextPart(self.text)] if self.text else []
        ids: set[str] = set()
        for number, call in enumerate(self.calls):
            call_id = call["id"] if call["id"] not in ids else f"{call['id']}-{number}"
            ids.add(call_id)
            is_whole = self.reason and (self.reason != "length" or is_json(call["arguments"]))
            fault = "" if is_whole else "The call was cut."
            parts.append(CallPart(ToolCall(call["name"], call["arguments"] or "{}", call_id, fault)))
        return AssistantMessage(tuple(parts), self.finish(), "acme", "acme/model", self.usage)

    def finish(self) -> Finish:
        if not self.reason:
            return "cut"
        if self.is_refused:
            return "refusal"
        return "length" if self.reason == "length" else "calls" if self.calls else "stop"


def written(message: object) -> list[dict[str, Any]]:
    """A message as chat completions has it."""
    match message:
        case UserMessage():
            return [{"role": "user", "content": message.text}]
        case AssistantMessage():
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for call in message.calls
            ]
            return [{"role": "assistant", "content": message.text, "tool_calls": calls}]
        case ResultsMessage():
            return [
                {"role": "tool", "tool_call_id": each.call_id, "content": each.to_json()}
                for each in message.results
            ]
        case _:
            return []


async def read_head(reader: asyncio.StreamReader) -> tuple[int, str]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    kinds = [line.partition(": ")[2] for line in lines if line.startswith("Content-Type: ")]
    return int(lines[0].split(" ")[1]), "".join(kinds)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
