"""Requests of every wire format: real tools, and conversations that were recorded and accepted."""

import json
import re
from itertools import pairwise, zip_longest
from typing import Any

import pytest
from anthropic.types.beta.message_create_params import MessageCreateParamsStreaming as BetaMessage
from openai.types.responses import ResponseInputItemParam
from tests.corpus.conftest import Judged, Rows, some
from tests.corpus.recorded_answers import answers
from tests.corpus.recorded_requests import FORMS
from tests.providers.formats.every import BY_WIRE
from tests.providers.formats.format import Call, Heard, Json, complaints
from tests.providers.judges import judge
from tests.providers.rulebook import broken
from tests.providers.typed_dicts import problems
from tests.providers.wires import MAKERS, each_wire

from oneclaw.core.call import ToolResult
from oneclaw.core.define.foreign import adopt
from oneclaw.core.message import Message, ResultsMessage, Usage, UserMessage
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import ProviderError, Request, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.wire import OpenAIResponses, does_reason

HELLO = UserMessage("hello")
TAKEN: list[tuple[Wire, str, str]] = [
    (Anthropic(), "input_schema", "anthropic"),
    (Gemini(), "parametersJsonSchema", "gemini"),
    (Gemini(use_parameters=True), "parameters", "gemini_parameters"),
    (OpenAIChat(strict=True), "parameters", "openai"),
    (OpenAIChat(strict=False), "parameters", "openai"),
    (OpenAIResponses(strict=True), "parameters", "openai"),
    (OpenAIResponses(strict=False), "parameters", "openai"),
]


def hear(wire: str, body: Json) -> Heard:
    heard = BY_WIRE[wire].hear("", {}, body)
    assert complaints(heard, wire) == []
    return heard


@pytest.mark.parametrize(("wire", "field", "dialect"), TAKEN)
def test_every_real_tool_is_taken_by_the_types_and_breaks_no_rule(
    wire: Wire, field: str, dialect: str, tools: tuple[ToolDefinition, ...], judged: Judged
) -> None:
    body = judge(wire.name, wire.write(Request("test-model", [HELLO], "Be brief.", tools)))
    sent = hear(wire.name, body).tools
    assert len(sent) == len(tools)
    strict = [name for name, tool in sent.items() if tool.get("strict")]
    assert bool(strict) is getattr(wire, "_strict", False)
    for name, tool in sent.items():
        with judged(name):
            others = {"type", "name", "description", "strict", "cache_control"}
            assert tool.keys() - others <= {field}
            assert broken(tool.get(field), "openai_strict" if name in strict else dialect) == []


@each_wire
def test_a_call_of_every_real_tool_comes_back_to_it_and_is_sent_again_as_it_was(
    wire: str, tools: tuple[ToolDefinition, ...]
) -> None:
    maker, tools = MAKERS[wire](), tools[::3]
    request = Request("test-model", [HELLO], tools=tools)
    names = [*hear(wire, json.loads(maker.write(request))).tools]
    reader = maker.reader(request)
    calls = [Call(name, {"a": 1}, f"c{number}") for number, name in enumerate(names)]
    reader.take(BY_WIRE[wire].body(calls, Usage()))
    answer = reader.message()
    assert sorted(call.name for call in answer.calls) == sorted(tool.name for tool in tools)
    assert [call.id for call in answer.calls] == [call.id for call in calls]
    results = ResultsMessage(tuple(ToolResult(call.id, call.name, "ok") for call in answer.calls))
    body = judge(wire, maker.write(Request("test-model", [HELLO, answer, results], tools=tools)))
    assert hear(wire, body).calls == [(name, {"a": 1}) for name in names]


# Recorded requests

ONLY_OURS = {
    "anthropic": {"max_tokens", "stream", "tool_choice", "tools"},
    "gemini": set[str](),
    "openai_chat": {"stream", "stream_options", "tools"},
    "openai_responses": {"include", "store", "stream"},
}


def accepted(rows: Rows, wire: str) -> list[dict[str, Any]]:
    """The recorded requests of a format that were accepted."""
    found = [row for row in rows("provider_wire") if FORMS[wire].path in row["path"] and row["status"] == 200]
    return list(some(found, "request of this format"))


def instructions_of(wire: str, request: Json) -> str:
    if wire == "gemini":
        return "".join(part["text"] for part in request.get("systemInstruction", {}).get("parts", ()))
    items = request.get("messages", ()) if wire == "openai_chat" else ()
    return "".join(item["content"] for item in items if item["role"] in ("system", "developer"))


@each_wire
def test_a_conversation_is_written_as_it_was_accepted(wire: str, rows: Rows, judged: Judged) -> None:
    form = FORMS[wire]
    for row in accepted(rows, wire):
        request = row["request"]
        if "countTokens" in row["path"] or not form.is_ours(request):
            continue
        with judged(row["id"]):
            model = request.get("model") or row["path"].rpartition("/")[2].partition(":")[0]
            messages = [*form.messages(request)]
            written = json.loads(
                MAKERS[wire]().write(Request(model, messages, instructions_of(wire, request)))
            )
            assert written.get("systemInstruction") == request.get("systemInstruction")
            theirs = [each for each in request[form.field] if wire != "openai_responses" or is_item(each)]
            assert [*map(form.shape, written[form.field])] == [*map(form.shape, map(without_status, theirs))]
            for ours, other in zip_longest(written[form.field], theirs):
                assert ours.keys() <= other.keys()
            assert written.keys() - request.keys() <= ONLY_OURS[wire]


def is_item(item: Json) -> bool:
    return item.get("role") != "system" and item.get("content") != ""


def without_status(item: Json) -> Json:
    """A null as a status was taken, though the types have none there."""
    return {name: value for name, value in item.items() if name != "status" or value is not None}


@each_wire
def test_a_tool_is_written_as_it_was_accepted(wire: str, rows: Rows, judged: Judged) -> None:
    for row in accepted(rows, wire):
        for recorded in FORMS[wire].tools(row["request"]):
            with judged(f"{row['id']} {recorded['name']}"):
                definition = adopt(recorded).definition
                body = judge(wire, MAKERS[wire]().write(Request("m", [HELLO], tools=(definition,))))
                [(name, ours)] = hear(wire, body).tools.items()
                assert name == recorded["name"]
                assert ours.keys() - {"cache_control", "strict"} <= {*recorded, "parametersJsonSchema"}
                sent = [ours[field] for _, field, _ in TAKEN if field in ours][:1]
                properties: Json = recorded["parameters"].get("properties", {})
                assert [each["properties"].keys() for each in sent] == [properties.keys()][: len(sent)]


def test_recorded_answers_of_anthropic_go_back_with_keys_the_sdk_knows(judged: Judged) -> None:
    for recorded in answers("anthropic"):
        with judged(recorded.name):
            if recorded.is_stream:
                continue
            wire, asked = Anthropic(), Request("m", [HELLO])
            reader = wire.reader(asked)
            reader.take(recorded.documents[0])
            message = reader.message()
            results = tuple(ToolResult(call.id, call.name) for call in message.calls)
            messages: list[Message] = [HELLO, message, *([ResultsMessage(results)] if results else [])]
            sent = json.loads(wire.write(Request("m", messages)))
            # Told by the provider, unknown to every type of the SDK, which sends it back as it came as well.
            found = [each for each in problems(sent, BetaMessage) if ".abort_reason is unknown" not in each]
            assert found == []


def test_what_is_asked_of_a_model_was_asked_of_it_in_what_was_recorded(rows: Rows, judged: Judged) -> None:
    for row in accepted(rows, "openai_responses"):
        with judged(row["id"]):
            model = row["request"]["model"]
            asked = "reasoning.encrypted_content" in (row["request"].get("include") or ())
            text = row["response"] if isinstance(row["response"], str) else json.dumps(row["response"])
            if asked or re.search(r'"type": ?"reasoning"|"reasoning_tokens": ?[1-9]', text):
                assert does_reason(Request(model, ())), model
            elif re.search(r'"effort": ?null', text):  # some recordings leave out that it does not think
                assert not does_reason(Request(model, ())), model


def test_answers_are_sent_back_as_the_next_recorded_request_has_them(rows: Rows, judged: Judged) -> None:
    """A recorded answer is read, written, and found again in the request that followed it."""
    for row, following in pairwise(accepted(rows, "openai_responses")):
        same = row["id"].partition("#")[0] == following["id"].partition("#")[0]
        if row["response_kind"] != "json" or not same:
            continue
        with judged(row["id"]):
            wire = OpenAIResponses()
            reader = wire.reader(request := Request(row["request"]["model"], ()))
            try:
                reader.take(row["response"])
            except ProviderError:
                continue
            ours = json.loads(wire.write(Request(request.model, [reader.message()])))["input"]
            assert problems(ours, list[ResponseInputItemParam]) == []
            theirs = {item["id"]: item for item in following["request"]["input"] if "id" in item}
            for item in ours:
                known = theirs.get(item.get("id"))
                if known is not None and item["type"] in ("reasoning", "function_call"):
                    told = {key: value for key, value in known.items() if value is not None}
                    assert {key: item[key] for key in told} == told
