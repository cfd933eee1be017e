"""Recorded Gemini sessions: every answer of them is read, and goes back as history."""

import json
from typing import Any

import pytest
from tests.corpus.conftest import corpus_folder, read_rows
from tests.corpus.test_gemini_loop import answers_of
from tests.providers.gemini_turns import check_turns

from oneclaw.core.call import ToolResult
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage
from oneclaw.providers.base import Request, ServerEvent
from oneclaw.providers.gemini.wire import Gemini

SESSIONS: dict[str, list[dict[str, Any]]] = (
    {row["id"]: answers_of(row) for row in read_rows("gemini_cli_transcripts")}
    if corpus_folder().exists()
    else {}
)


def read_answer(recorded: dict[str, Any], wire: Gemini, request: Request) -> AssistantMessage:
    reader = wire.reader(request)
    if recorded["method"] == "generateContent":
        reader.take(recorded["response"])
    else:
        for chunk in recorded["response"]:
            reader.feed(ServerEvent("", json.dumps(chunk)))
    assert reader.is_complete
    return reader.message()


def parts_of(recorded: dict[str, Any]) -> list[dict[str, Any]]:
    response = recorded["response"]
    chunks: list[Any] = [response] if recorded["method"] == "generateContent" else [*response]
    candidates: list[Any] = [each for chunk in chunks for each in chunk.get("candidates", [])]
    return [part for each in candidates for part in each.get("content", {}).get("parts", [])]


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3-pro-preview"])
def test_each_answer_is_read_and_the_session_goes_on(name: str, model: str) -> None:
    wire = Gemini()
    messages: list[Message] = [UserMessage("go")]
    for recorded in SESSIONS[name]:
        request = Request(model, messages)
        json.loads(wire.write(request))
        answer = read_answer(recorded, wire, request)
        parts = parts_of(recorded)
        assert [(call.name, call.arguments) for call in answer.calls] == [
            (part["functionCall"]["name"], part["functionCall"].get("args") or {})
            for part in parts
            if "functionCall" in part
        ]
        assert answer.text == "".join(
            part.get("text", "") for part in parts if not part.get("thought") and "text" in part
        )
        assert not [call for call in answer.calls if call.fault]
        messages = [*messages, answer]
        if answer.calls:
            messages.append(
                ResultsMessage(tuple(ToolResult(call.id, call.name, "done") for call in answer.calls))
            )
        else:
            messages.append(UserMessage("and now?"))
    check_turns(json.loads(wire.write(Request(model, messages)))["contents"])
