"""Answers with any GGUF file, by its own chat template and tool format, through llama.cpp.

A template that has a place for tools is left to llama.cpp, which writes them as the model knows them and
holds the arguments of a call to their schemas. Many small models have none, and llama.cpp leaves the tools
out without a word. For these the tools go into the instructions, calls and results are text, and a grammar
holds an answer that begins as a call to the schema.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from oneclaw.core.answer import Answered, AnswerEvent
from oneclaw.core.subschema import is_array, is_object
from oneclaw.providers.base import ProviderError, Request, ServerEvent
from oneclaw.providers.openai_chat.wire import OpenAIChat

Body = dict[str, Any]
Chat = Callable[[Body], AsyncGenerator[Body]]
"""Has the process answer a request in OpenAI's form; yields its chunks."""

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_INSTRUCTIONS = """\
You may call tools. Each is given as JSON:

{tools}

To call one, write on a line of its own, and nothing after it:
<tool_call>{{"name": "the tool", "arguments": {{...}}}}</tool_call>
The results come in the next message. If no tool is needed, just answer."""


class GenericModel:
    """Answers requests with one model file."""

    def __init__(self, takes_tools: bool, marks: Sequence[str] = ()) -> None:
        self._takes_tools = takes_tools
        longest_first = sorted((mark for mark in marks if len(mark) > 1), key=len, reverse=True)
        self._marks = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._wire = OpenAIChat(strict=False, text_calls=not takes_tools)

    async def answer(self, request: Request, chat: Chat) -> AsyncGenerator[AnswerEvent]:
        body: Body = json.loads(self._wire.write(request))
        if self._marks is not None:
            body |= {key: _spelled(body[key], self._marks) for key in ("messages", "tools") if key in body}
        if not self._takes_tools:
            body = as_text(body)
        reader = self._wire.reader(request)
        async with aclosing(chat(body)) as chunks:
            async for chunk in chunks:
                for progress in reader.feed(ServerEvent("", json.dumps(chunk))):
                    yield progress
        if not reader.is_complete:
            raise ProviderError("The local model broke off its answer. Ask again.", "stream")
        yield Answered(reader.message())


def _spelled(value: Any, marks: re.Pattern[str]) -> Any:
    """The text with a space inside each control token, which llama.cpp would read as the end of a turn.

    A page that a tool has read could else go on as the person, or as the instructions.
    """
    if isinstance(value, str):
        return marks.sub(lambda found: f"{found[0][0]} {found[0][1:]}", value)
    if is_object(value):
        return {key: _spelled(each, marks) for key, each in value.items()}
    return [_spelled(each, marks) for each in value] if is_array(value) else value


def as_text(body: Body) -> Body:
    """A request for a model whose template knows neither tools nor calls nor results."""
    tools: list[Body] = [each["function"] for each in body.pop("tools", [])]
    choice = body.pop("tool_choice", "auto")
    messages: list[Body] = [plain for each in body["messages"] if (plain := _plain(each))]
    if tools and choice != "none":
        told = _INSTRUCTIONS.format(tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools))
        if messages and messages[0]["role"] == "system":
            messages[0] = {**messages[0], "content": f"{messages[0]['content']}\n\n{told}"}
        else:
            messages.insert(0, {"role": "system", "content": told})
        body["grammar"] = call_grammar(tools, is_required=choice == "required")
    return {**body, "messages": _merged(messages)}


def call_grammar(tools: list[Body], is_required: bool = False) -> str:
    """The grammar of one call, or of any text, in the form of LLGuidance, which takes JSON Schema."""
    calls = " | ".join(f"tool{number}" for number in range(len(tools)))
    text = "" if is_required else " | /[^<](.|\\n)*/"
    rules = ["%llguidance {}", f'start: "{_OPEN}" ({calls}) "{_CLOSE}"{text}']
    for number, tool in enumerate(tools):
        # A small model that may add members of its own adds them until it runs out of room.
        own: Body = tool.get("parameters") or {}
        arguments: Body = {"type": "object", "additionalProperties": False, **own}
        schema: Body = {
            "type": "object",
            "properties": {"name": {"const": tool["name"]}, "arguments": arguments},
            "required": ["name", "arguments"],
            "additionalProperties": False,
            # What it cannot hold the model to it lets pass, where it would else hold it to nothing at all.
            "x-guidance": {"lenient": True, "whitespace_flexible": False},
        }
        # References look for their definitions at the root.
        schema |= {key: arguments[key] for key in ("$defs", "definitions") if key in arguments}
        rules.append(f"tool{number}: %json {json.dumps(schema, ensure_ascii=False)}")
    return "\n".join(rules) + "\n"


def _plain(message: Mapping[str, Any]) -> Body:
    content: Any = message.get("content") or ""
    if message["role"] == "tool":
        return {"role": "user", "content": f"<tool_response>{content}</tool_response>"}
    calls = cast("list[Body]", message.get("tool_calls", []))
    functions = [(json.dumps(call["function"]["name"]), call["function"]["arguments"]) for call in calls]
    written = "\n".join(
        f'{_OPEN}{{"name": {name}, "arguments": {arguments}}}{_CLOSE}' for name, arguments in functions
    )
    if written:
        content = f"{content}\n{written}" if content else written
    return {"role": message["role"], "content": content}


def _merged(messages: list[Body]) -> list[Body]:
    """Results of several calls as one message: many templates want user and assistant in turn."""
    merged: list[Body] = []
    for message in messages:
        pair = [*merged[-1:], message]
        if merged and all(each["role"] == "user" and isinstance(each["content"], str) for each in pair):
            text = f"{merged[-1]['content']}\n\n{message['content']}"
            merged[-1] = {"role": "user", "content": text}
        else:
            merged.append(message)
    return merged
