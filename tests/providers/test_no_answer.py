"""Bodies and streams that are no answer, for every wire: errors, places in a queue, counts, lists."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from tests.conftest import Serve
from tests.providers.tiny import HEAD, ask_message, in_turn
from tests.providers.wires import each_wire, new_reader

from oneclaw.providers.anthropic import stream as anthropic_stream
from oneclaw.providers.base import AnswerReader, ProviderError, ServerEvent
from oneclaw.providers.openai_chat import stream as chat_stream
from oneclaw.testing import open_provider

EVERYWHERE: tuple[Mapping[str, Any], ...] = (
    {},
    {"error": {"message": "No.", "type": "server_error", "code": 500}},
    {"error": "No."},
    {"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    {"detail": "Not Found"},
    {"message": "Unauthorized", "code": 401},
    {"status": "queued"},
    {"status": "in_progress", "id": "job_1"},
    {"id": "resp_1", "object": "response", "status": "queued", "output": []},
    {"id": "msgbatch_1", "type": "message_batch", "processing_status": "in_progress"},
    {"name": "operations/1", "done": False},
    {"input_tokens": 12},
    {"object": "response.input_tokens", "input_tokens": 12},
    {"totalTokens": 12, "promptTokensDetails": []},
    {"total_tokens": 12, "usage": {"input_tokens": 12}},
    {"usageMetadata": {"promptTokenCount": 12}},
    {"object": "list", "data": []},
    {"content": "text"},
    {"content": None},
    {"choices": "x"},
    {"choices": []},
    {"output": None},
)
"""What no wire may read as an answer."""
SHAPED: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("anthropic", {"type": "message", "status": "queued", "content": [], "stop_reason": "end_turn"}),
    ("anthropic", {"type": "message", "content": [], "stop_reason": None, "usage": {"input_tokens": 12}}),
    ("anthropic", {"content": [{"type": "text", "text": "x"}], "error": {"message": "No."}}),
    ("anthropic", {"type": "count", "content": [{"type": "text", "text": "12"}]}),
    ("openai_chat", {"status": "queued", "choices": [{"message": {"content": "x"}}]}),
    (
        "openai_chat",
        {"choices": [{"message": {"role": "assistant", "content": None}, "finish_reason": None}]},
    ),
    ("openai_chat", {"choices": [{"message": {"content": "x"}}], "error": {"message": "No."}}),
    ("openai_responses", {"status": "expired", "output": [{"type": "message", "content": []}]}),
    ("openai_responses", {"status": "pending", "output": []}),
    ("openai_responses", {"status": "completed", "output": [], "error": {"message": "No."}}),
    ("anthropic", {"content": [{}]}),
    ("anthropic", {"content": ["x", {"type": None}]}),
    ("openai_responses", {"output": []}),
    ("openai_responses", {"output": [{}]}),
    ("gemini", {"candidates": []}),
    (
        "gemini",
        {
            "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}],
            "error": {"code": 500},
        },
    ),
)
"""What has the shape of an answer and is none."""


def is_answer(reader: AnswerReader, *events: str, body: Mapping[str, Any] | None = None) -> bool:
    """Whether it is read as a whole answer."""
    with suppress(ProviderError):
        if body is not None:
            list(reader.take(body))
        for event in events:
            list(reader.feed(ServerEvent("", event)))
    return reader.is_complete


@each_wire
@pytest.mark.parametrize("body", EVERYWHERE)
def test_an_error_a_place_in_a_queue_or_a_count_is_no_answer(wire: str, body: Mapping[str, Any]) -> None:
    assert not is_answer(new_reader(wire), body=body)
    assert not is_answer(new_reader(wire), json.dumps(body), "[DONE]")


@pytest.mark.parametrize(("wire", "body"), SHAPED)
def test_nor_is_one_that_has_its_shape(wire: str, body: Mapping[str, Any]) -> None:
    assert not is_answer(new_reader(wire), body=body)


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("anthropic", {"content": [{"type": "text", "text": "x"}], "error": None}),
        ("anthropic", {"type": "message", "content": [], "stop_reason": "end_turn"}),
        ("openai_chat", {"choices": [{"message": {"content": "x"}}], "error": None, "status": "completed"}),
        ("openai_chat", {"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]}),
        ("openai_responses", {"status": "completed", "output": [], "error": None}),
        ("gemini", {"candidates": [{"finishReason": "STOP"}]}),
    ],
)
def test_an_answer_is_read_as_one(wire: str, body: Mapping[str, Any]) -> None:
    assert is_answer(new_reader(wire), body=body)


def test_without_the_guard_a_queued_body_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_nothing(body: Mapping[str, Any]) -> None: ...

    monkeypatch.setattr(anthropic_stream, "check_ready", check_nothing)
    monkeypatch.setattr(chat_stream, "check_ready", check_nothing)
    assert is_answer(new_reader("anthropic"), body=SHAPED[0][1])
    assert is_answer(new_reader("openai_chat"), body=SHAPED[4][1])


async def test_over_a_socket_both_are_asked_again_and_one_call_comes_out(serve: Serve) -> None:
    def events(*contents: Mapping[str, Any]) -> bytes:
        return HEAD + b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in contents)

    block = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
    begun = {"type": "content_block_start", "index": 0, "content_block": block}
    first = [{"type": "message_start", "message": {"id": "msg_1"}}, begun]
    second = [{"type": "message_start", "message": {"id": "msg_2"}}, begun]
    ended = {"type": "message_stop"}
    queued = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + json.dumps(SHAPED[0][1]).encode()
    port, seen = await serve(in_turn(queued, events(*first, *second, ended), events(*second, ended)))
    message = await ask_message(open_provider("anthropic", f"http://127.0.0.1:{port}", "k", attempts=3))
    assert [each.arguments for each in message.calls] == [{"path": "a"}]
    assert message.finish == "calls"
    assert len(seen) == 3
