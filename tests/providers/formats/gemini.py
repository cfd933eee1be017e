"""Gemini generateContent, as a server speaks it."""

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
    event,
    halves,
)

from oneclaw.core.message import Usage


class Gemini:
    """Gemini: calls come whole and without ids, a signature on the first of them."""

    label, model, wire, base = "gemini", "gemini-2.5-flash", "gemini", ""
    is_local = False

    def stream(
        self, parts: Sequence[Part], usage: Usage, reason: Any = FITTING
    ) -> tuple[list[bytes], list[bytes]]:
        *begun, last = self._parts(parts, is_cut=True)
        ended = {"finishReason": "STOP" if reason == FITTING else reason}
        return [event(_chunk(part)) for part in begun], [event({**_chunk(last, **ended), **_count(usage)})]

    def body(self, parts: Sequence[Part], usage: Usage) -> Json:
        return {**_chunk(*self._parts(parts, is_cut=False), finishReason="STOP"), **_count(usage)}

    def _parts(self, parts: Sequence[Part], *, is_cut: bool) -> list[Json]:
        """The parts; the last one is empty but for a signature that no call took."""
        seal = next((part.seal for part in parts if isinstance(part, Thought)), None)
        sent: list[Json] = []
        for part in parts:
            if isinstance(part, Text):
                sent += [{"text": half} for half in (halves(part.text) if is_cut else [part.text])]
            elif isinstance(part, Thought):
                sent.append({"text": part.text, "thought": True})
            else:
                call: Json = {"name": part.name, "args": _arguments(part)}
                call |= {"id": part.id} if part.id else {}
                signed, seal = ({} if seal is None else {"thoughtSignature": seal}), None
                sent.append({"functionCall": call, **signed})
        return [*sent, {"text": ""} if seal is None else {"text": "", "thoughtSignature": seal}]

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
            has_results = any("functionResponse" in part for part in content["parts"])
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
                elif part.get("text") and not has_results:  # text beside results is about their pictures
                    turns.append(Said("user" if content["role"] == "user" else "model", part["text"]))
        declared = [each for tool in body.get("tools", ()) for each in tool["functionDeclarations"]]
        tools = {each["name"]: each for each in declared}
        return Heard(path, headers, body, tuple(turns), tuple(pictures), tools)


def _arguments(call: Call) -> Any:
    """Arguments are never a text here: one that is broken comes as whatever object it can be."""
    if not isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.loads(call.arguments)
    except ValueError:
        return {"broken": call.arguments}


def _chunk(*parts: Json, **more: Any) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": [*parts]}, "index": 0, **more}]}


def _count(usage: Usage) -> Json:
    counted = {
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "thoughtsTokenCount": usage.reasoning,
        "cachedContentTokenCount": usage.cached,
    }
    return {"usageMetadata": counted}
