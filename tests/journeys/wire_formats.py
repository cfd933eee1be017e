"""Five wire formats from the side of the server: what an answer is sent as, and what a request says.

Written from what the providers document, without the code under test: `Heard` is what a server understands of
a request, and `complaints` is what it would refuse it for.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from oneclaw.core.message import Usage

Json = dict[str, Any]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_GEMINI_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought and its seal: the signature, or the encrypted content, that has to come back."""

    text: str
    seal: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call; arguments that are a text are sent as they are."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = ""

    @property
    def written(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


Part = Text | Thought | Call


@dataclass(frozen=True, slots=True)
class Said:
    """Text of the user or of the model in a request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Gave:
    """The result of a call."""

    id: str
    result: Json


@dataclass(frozen=True, slots=True)
class Heard:
    """What a server understands of a request."""

    path: str
    headers: Mapping[str, str]
    body: Json
    turns: tuple[Said | Called | Gave, ...]
    pictures: tuple[bytes, ...]
    tools: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def users(self) -> list[str]:
        return [turn.text for turn in self.turns if isinstance(turn, Said) and turn.role == "user"]

    @property
    def answers(self) -> list[str]:
        return [turn.text for turn in self.turns if isinstance(turn, Said) and turn.role == "model"]

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(turn.name, turn.arguments) for turn in self.turns if isinstance(turn, Called)]

    @property
    def results(self) -> list[Json]:
        return [turn.result for turn in self.turns if isinstance(turn, Gave)]

    @property
    def values(self) -> list[Any]:
        """What the results say: the value of a success, the kind of an error."""
        return [each["result"] if "result" in each else each["error_type"] for each in self.results]


def complaints(heard: Heard, wire: str) -> list[str]:
    """What a server refuses a request for: calls and results that do not belong together, names, ids."""
    allowed = _GEMINI_NAME if wire == "gemini" else _NAME
    found: list[str] = []
    calls: list[str] = []
    results: list[str] = []
    ids = [turn.id for turn in heard.turns if isinstance(turn, Called) and turn.id]
    found += [f"the id {each} comes twice" for each in set(ids) if ids.count(each) > 1]
    for turn in (*heard.turns, Said("end", "")):
        if isinstance(turn, Gave):
            results.append(turn.id)
            continue
        if results:
            found += [] if results == calls else [f"calls {calls} have the results {results}"]
            calls, results = [], []
        if isinstance(turn, Called):
            calls.append(turn.id)
            found += [] if allowed.match(turn.name) else [f"the name {turn.name!r} is not allowed"]
        elif calls:
            found.append(f"calls {calls} have no results")
            calls = []
    found += [f"the tool {name!r} is not allowed" for name in heard.tools if not allowed.match(name)]
    return found


class Format(Protocol):
    """One format. `label` is the provider's name in the settings of a test, `model` its model there."""

    label: str
    model: str
    wire: str
    base: str
    is_local: bool

    def stream(self, parts: Sequence[Part], usage: Usage) -> tuple[list[bytes], list[bytes]]:
        """The events of an answer, and those that say that it is whole."""
        ...

    def failure(self, text: str) -> bytes:
        """An error inside a stream."""
        ...

    def key(self, headers: Mapping[str, str]) -> str | None:
        """The key in the headers of a request."""
        ...

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard: ...

    def echo(self, thought: Thought) -> Json:
        """Fields of an object that must stand in the next request, as they are."""
        ...


def event(data: Json | str, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def objects(value: Any) -> Iterator[Json]:
    """Every object in a JSON value."""
    if isinstance(value, dict):
        members: Json = value  # pyright: ignore[reportUnknownVariableType]
        yield members
        for member in members.values():
            yield from objects(member)
    elif isinstance(value, list):
        for member in value:  # pyright: ignore[reportUnknownVariableType]
            yield from objects(member)


def holds(body: Json, fields: Json) -> bool:
    """Whether an object with exactly these values of these fields stands in the body."""
    return any(
        all(each.get(name) == value for name, value in fields.items() if name in each)
        and fields.keys() <= each.keys()
        for each in objects(body)
    )


def says(value: Any, text: str) -> bool:
    """Whether the text stands in any string of a JSON value."""
    if isinstance(value, str):
        return text in value
    members: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return any(says(member, text) for member in members)


def _bearer(headers: Mapping[str, str]) -> str | None:
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key if kind == "Bearer" and key else None


def _picture(url: str) -> bytes:
    return b64decode(url.partition(";base64,")[2])


def _as_list(content: Any) -> list[Json]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]  # pyright: ignore[reportUnknownVariableType]


class Chat:
    """OpenAI Chat Completions, with thoughts as OpenRouter sends them."""

    label, model, wire, base = "chat", "writer-1", "openai_chat", "/v1"
    is_local = False

    def stream(self, parts: Sequence[Part], usage: Usage) -> tuple[list[bytes], list[bytes]]:
        chunks = [self._chunk({"role": "assistant", "content": ""})]
        calls = [part for part in parts if isinstance(part, Call)]
        for part in parts:
            if isinstance(part, Text):
                chunks += [self._chunk({"content": half}) for half in halves(part.text)]
            elif isinstance(part, Thought):
                chunks += [self._chunk(delta) for delta in self._thought(part)]
        chunks += self._calls(calls)
        finish = "tool_calls" if calls else "stop"
        return chunks, [self._chunk({}, finish), self._usage(usage), event("[DONE]")]

    def failure(self, text: str) -> bytes:
        return event({"error": {"message": text, "type": "server_error", "code": "server_error"}})

    def key(self, headers: Mapping[str, str]) -> str | None:
        return _bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"reasoning_details": [self._detail(thought)]}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        for message in body["messages"]:
            shown = [part for part in _as_list(message.get("content")) if part["type"] == "image_url"]
            pictures += [_picture(part["image_url"]["url"]) for part in shown]
            if message["role"] == "tool":
                turns.append(Gave(message["tool_call_id"], json.loads(message["content"])))
            elif message["role"] in ("user", "assistant") and not shown and message.get("content"):
                text = "".join(part.get("text", "") for part in _as_list(message["content"]))
                turns.append(Said("user" if message["role"] == "user" else "model", text))
            for call in message.get("tool_calls", ()):
                function = call["function"]
                turns.append(Called(call["id"], function["name"], json.loads(function["arguments"])))
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools", ())}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)

    def _calls(self, calls: Sequence[Call]) -> list[bytes]:
        """Calls written side by side, each in pieces."""

        def piece(index: int, function: Json, **more: Any) -> bytes:
            return self._chunk({"tool_calls": [{"index": index, **more, "function": function}]})

        begun = [
            piece(index, {"name": call.name, "arguments": ""}, id=call.id or f"call_{index}", type="function")
            for index, call in enumerate(calls)
        ]
        rest = [
            piece(index, {"arguments": halves(call.written)[half]})
            for half in (0, 1)
            for index, call in enumerate(calls)
        ]
        return begun + rest

    def _thought(self, thought: Thought) -> list[Json]:
        return [{"reasoning": thought.text, "reasoning_details": [self._detail(thought)]}]

    @staticmethod
    def _detail(thought: Thought) -> Json:
        return {"type": "reasoning.text", "text": thought.text, "signature": thought.seal, "index": 0}

    def _usage(self, usage: Usage) -> bytes:
        counted = {
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.total,
            "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        }
        return event({**self._head(), "choices": [], "usage": counted})

    def _chunk(self, delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event({**self._head(), "choices": [choice]})

    def _head(self) -> Json:
        return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}


class Local(Chat):
    """A server on this machine as Ollama and llama.cpp are: whole calls, no ids, plain `reasoning`."""

    label, model, is_local = "ollama", "llama3.2", True

    def key(self, headers: Mapping[str, str]) -> str | None:
        return _bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"reasoning": f"{thought.text} {thought.seal}"}

    def _calls(self, calls: Sequence[Call]) -> list[bytes]:
        return [
            self._chunk(
                {
                    "tool_calls": [
                        {
                            "index": index,
                            "id": call.id,
                            "type": "function",
                            "function": {"name": call.name, "arguments": call.written},
                        }
                    ]
                }
            )
            for index, call in enumerate(calls)
        ]

    def _thought(self, thought: Thought) -> list[Json]:
        return [{"reasoning": thought.text}, {"reasoning": f" {thought.seal}"}]


class Responses:
    """OpenAI Responses."""

    label, model, wire, base = "responses", "gpt-5-mini", "openai_responses", "/v1"
    is_local = False

    def stream(self, parts: Sequence[Part], usage: Usage) -> tuple[list[bytes], list[bytes]]:
        response: Json = {"id": "resp_1", "object": "response", "created_at": 1, "model": self.model}
        response |= {"status": "in_progress", "output": []}
        events: list[Json] = [{"type": "response.created", "response": response}]
        items: list[Json] = []
        for place, part in enumerate(parts):
            item, told = self._item(place, part)
            items.append(item)
            events += told
        counted = {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": usage.total,
        }
        whole = {**response, "status": "completed", "output": items, "usage": counted}
        events.append({"type": "response.completed", "response": whole})
        written = [
            event({**each, "sequence_number": number}, str(each["type"]))
            for number, each in enumerate(events)
        ]
        return written[:-1], written[-1:]

    def failure(self, text: str) -> bytes:
        return event({"type": "error", "code": "server_error", "message": text, "param": None}, "error")

    def key(self, headers: Mapping[str, str]) -> str | None:
        return _bearer(headers)

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
                parts = _as_list(item["output"])
                pictures += [_picture(part["image_url"]) for part in parts if part["type"] == "input_image"]
                turns.append(Gave(item["call_id"], json.loads(parts[0]["text"])))
            elif kind == "message":
                shown = [part for part in _as_list(item["content"]) if part["type"] == "input_image"]
                pictures += [_picture(part["image_url"]) for part in shown]
                text = "".join(part.get("text", "") for part in _as_list(item["content"]))
                turns.append(Said("user" if item["role"] == "user" else "model", text))
        tools = {tool["name"]: tool for tool in body.get("tools", ())}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)

    def _item(self, place: int, part: Part) -> tuple[Json, list[Json]]:
        """An item, and the events by which it comes."""
        at = {"output_index": place, "item_id": f"item_{place}"}
        if isinstance(part, Text):
            begun: Json = {"type": "message", "role": "assistant", "content": []}
            content: Json = {"type": "output_text", "text": part.text, "annotations": []}
            whole: Json = {**begun, "content": [content], "status": "completed"}
            said = {**at, "content_index": 0}
            told = [
                {"type": "response.output_text.delta", **said, "delta": half} for half in halves(part.text)
            ]
        elif isinstance(part, Thought):
            begun = {"type": "reasoning", "summary": []}
            whole = {**begun, "summary": self._summary(part), "encrypted_content": part.seal}
            delta = {"delta": part.text, "summary_index": 0}
            told = [{"type": "response.reasoning_summary_text.delta", **at, **delta}]
        else:
            begun = {"type": "function_call", "call_id": part.id or f"call_{place}", "name": part.name}
            begun |= {"arguments": ""}
            whole = {**begun, "arguments": part.written, "status": "completed"}
            told = [
                {"type": "response.function_call_arguments.delta", **at, "delta": half}
                for half in halves(part.written)
            ]
        whole = {"id": f"item_{place}", **whole}
        added = {"output_index": place, "item": {"id": f"item_{place}", **begun}}
        done = {"type": "response.output_item.done", "output_index": place, "item": whole}
        return whole, [{"type": "response.output_item.added", **added}, *told, done]

    @staticmethod
    def _summary(thought: Thought) -> list[Json]:
        return [{"type": "summary_text", "text": thought.text}]


class Anthropic:
    """Anthropic Messages."""

    label, model, wire, base = "anthropic", "claude-sonnet-4-5", "anthropic", ""
    is_local = False

    def stream(self, parts: Sequence[Part], usage: Usage) -> tuple[list[bytes], list[bytes]]:
        message: Json = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model}
        read = {
            "input_tokens": usage.input - usage.cached,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        }
        events: list[Json] = [{"type": "message_start", "message": {**message, "content": [], "usage": read}}]
        events.append({"type": "ping"})
        for index, part in enumerate(parts):
            begun, deltas = self._block(index, part)
            events.append({"type": "content_block_start", "index": index, "content_block": begun})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        reason = "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"
        stop = {"stop_reason": reason, "stop_sequence": None}
        ending: list[Json] = [
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": usage.output}},
            {"type": "message_stop"},
        ]
        return [event(each, each["type"]) for each in events], [event(each, each["type"]) for each in ending]

    def failure(self, text: str) -> bytes:
        return event({"type": "error", "error": {"type": "api_error", "message": text}}, "error")

    def key(self, headers: Mapping[str, str]) -> str | None:
        return None if "x-api-key" in headers else _bearer(headers)

    def echo(self, thought: Thought) -> Json:
        return {"type": "thinking", "thinking": thought.text, "signature": thought.seal}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        for message in body["messages"]:
            for block in _as_list(message["content"]):
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

    def _block(self, index: int, part: Part) -> tuple[Json, list[Json]]:
        if isinstance(part, Text):
            deltas = [{"type": "text_delta", "text": half} for half in halves(part.text)]
            return {"type": "text", "text": ""}, deltas
        if isinstance(part, Thought):
            deltas = [{"type": "thinking_delta", "thinking": half} for half in halves(part.text)]
            deltas.append({"type": "signature_delta", "signature": part.seal})
            return {"type": "thinking", "thinking": "", "signature": ""}, deltas
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in ("", *halves(part.written))]
        begun: Json = {"type": "tool_use", "id": part.id or f"toolu_{index}", "name": part.name, "input": {}}
        return begun, deltas


class Gemini:
    """Gemini: calls come whole and without ids, a signature on the first of them."""

    label, model, wire, base = "gemini", "gemini-2.5-flash", "gemini", ""
    is_local = False

    def stream(self, parts: Sequence[Part], usage: Usage) -> tuple[list[bytes], list[bytes]]:
        counted = {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "cachedContentTokenCount": usage.cached,
        }
        seal = next((part.seal for part in parts if isinstance(part, Thought)), None)
        chunks: list[bytes] = []
        for part in parts:
            if isinstance(part, Text):
                chunks += [self._chunk({"text": half}) for half in halves(part.text)]
            elif isinstance(part, Thought):
                chunks.append(self._chunk({"text": part.text, "thought": True}))
            else:
                call: Json = {"name": part.name, "args": self._arguments(part)}
                call |= {"id": part.id} if part.id else {}
                signed, seal = ({} if seal is None else {"thoughtSignature": seal}), None
                chunks.append(self._chunk({"functionCall": call, **signed}))
        last = {"text": ""} if seal is None else {"text": "", "thoughtSignature": seal}
        candidate = {"content": {"role": "model", "parts": [last]}, "finishReason": "STOP", "index": 0}
        return chunks, [event({"candidates": [candidate], "usageMetadata": counted})]

    def failure(self, text: str) -> bytes:
        return event({"error": {"code": 500, "message": text, "status": "INTERNAL"}})

    def key(self, headers: Mapping[str, str]) -> str | None:
        return headers.get("x-goog-api-key")

    def echo(self, thought: Thought) -> Json:
        return {"thoughtSignature": thought.seal}

    def hear(self, path: str, headers: Mapping[str, str], body: Json) -> Heard:
        turns: list[Said | Called | Gave] = []
        pictures: list[bytes] = []
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionCall" in part:
                    call = part["functionCall"]
                    turns.append(Called(call.get("id", ""), call["name"], call["args"]))
                elif "functionResponse" in part:
                    given = part["functionResponse"]
                    turns.append(Gave(given.get("id", ""), given["response"]))
                    pictures += [b64decode(each["inlineData"]["data"]) for each in given.get("parts", ())]
                elif "inlineData" in part:
                    pictures.append(b64decode(part["inlineData"]["data"]))
                elif part["text"]:
                    turns.append(Said("user" if content["role"] == "user" else "model", part["text"]))
        declared = [each for tool in body.get("tools", ()) for each in tool["functionDeclarations"]]
        tools = {each["name"]: each for each in declared}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)

    @staticmethod
    def _arguments(call: Call) -> Any:
        """Arguments are never a text here: one that is broken comes as whatever object it can be."""
        if not isinstance(call.arguments, str):
            return call.arguments
        try:
            return json.loads(call.arguments)
        except ValueError:
            return {"broken": call.arguments}

    @staticmethod
    def _chunk(part: Json) -> bytes:
        return event({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]})


FORMATS: tuple[Format, ...] = (Chat(), Responses(), Anthropic(), Gemini(), Local())
BY_LABEL = {each.label: each for each in FORMATS}
