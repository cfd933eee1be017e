"""Schemas of structured answers on the four wires, judged by the types and the rules of the official SDKs."""

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest
from anthropic import transform_schema
from pydantic import BaseModel, Field
from tests.providers.judges import judge
from tests.providers.rulebook import broken

from oneclaw.agent.answer_type import AnswerType
from oneclaw.core.message import UserMessage
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import OutputSchema, Request, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.wire import OpenAIResponses

READ = ToolDefinition(name="read", parameters={"type": "object", "properties": {"path": {"type": "string"}}})


@dataclass
class Line:
    """One line of a bill."""

    what: str
    price: float


@dataclass
class Bill:
    """A bill.

    number: As printed.
    """

    number: str
    lines: list[Line]
    kind: Literal["paid", "open"] = "open"
    note: str | None = None


class Model(BaseModel):
    number: str
    lines: list[int] = Field(min_length=1)
    rating: int = Field(ge=1, le=5)
    note: str | None = None


SCHEMA: dict[str, Any] = {
    "title": "A bill!",
    "type": "object",
    "properties": {"number": {"type": "string", "maxLength": 9}, "total": {"$ref": "#/$defs/money"}},
    "required": ["number"],
    "$defs": {"money": {"type": ["number", "null"], "minimum": 0}},
}
OUTPUTS = [Bill, Model, SCHEMA, list[Line], Line | Bill, {"anyOf": [{"type": "string"}, {"type": "null"}]}]
OPEN: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "integer"}}


NATIVE: list[tuple[Wire, str, tuple[str, ...], str]] = [
    (Anthropic(), "claude-sonnet-4-5", ("output_config", "format", "schema"), ""),
    (OpenAIChat(), "gpt-4o", ("response_format", "json_schema", "schema"), "openai_strict"),
    (OpenAIResponses(), "gpt-5", ("text", "format", "schema"), "openai_strict"),
    (Gemini(), "gemini-3-pro", ("generationConfig", "responseJsonSchema"), "gemini"),
    (
        Gemini(use_parameters=True),
        "gemini-3-pro",
        ("generationConfig", "responseSchema"),
        "gemini_parameters",
    ),
]
IN_WORDS: list[tuple[Wire, str]] = [
    (Anthropic(), "claude-3-5-haiku-20241022"),
    (Anthropic(), "claude-sonnet-4-20250514"),
    (OpenAIChat(strict=False), "llama3.2"),
    (OpenAIResponses(strict=False), "gpt-oss"),
    (Gemini(), "gemini-2.5-pro"),
]
_NATIVE = pytest.mark.parametrize(("wire", "model", "place", "dialect"), NATIVE)


def asked(output: Any, model: str, **more: Any) -> Request:
    sent = output if isinstance(output, OutputSchema) else AnswerType(output).sent
    return Request(model, [UserMessage("hello")], "Be brief.", (READ,), output=sent, **more)


def at(body: Any, place: tuple[str, ...]) -> Any:
    for step in place:
        body = body.get(step, {})
    return body


def system_of(body: dict[str, Any]) -> str:
    first = body.get("messages", [{}])[0]
    told = first if first.get("role") == "system" else ""
    return json.dumps([body.get("system"), body.get("instructions"), body.get("systemInstruction"), told])


@_NATIVE
@pytest.mark.parametrize("output", OUTPUTS)
def test_the_schema_goes_in_the_field_of_the_format(
    wire: Wire, model: str, place: tuple[str, ...], dialect: str, output: Any
) -> None:
    body = wire.write(asked(output, model))
    judge(wire.name, body)
    schema = at(json.loads(body), place)
    assert schema["type"].lower() == "object"
    assert "$ref" not in json.dumps(schema)
    assert (broken(schema, dialect) if dialect else taken_by_anthropic(schema)) == []
    assert "JSON Schema" not in system_of(json.loads(body))


def taken_by_anthropic(schema: Any) -> list[str]:
    """What the SDK would send otherwise, but for the type beside an enum, which it leaves out."""

    def untyped(node: dict[str, Any]) -> dict[str, Any]:
        return {word: each for word, each in node.items() if word != "type" or "enum" not in node}

    bare = json.loads(json.dumps(schema), object_hook=untyped)
    return [] if transform_schema(bare) == bare else [json.dumps(transform_schema(bare))]


@pytest.mark.parametrize(("wire", "model"), IN_WORDS)
def test_where_no_field_is_taken_the_schema_is_an_instruction(wire: Wire, model: str) -> None:
    body = wire.write(asked(Bill, model))
    judge(wire.name, body)
    told = system_of(json.loads(body))
    assert "Be brief." in told
    assert "JSON Schema" in told
    assert "As printed." in told
    for place in ("output_config", "response_format", "text"):
        assert place not in json.loads(body)
    assert "responseMimeType" not in json.loads(body).get("generationConfig", {})


@_NATIVE
def test_a_schema_that_a_server_has_refused_is_told_in_words(
    wire: Wire, model: str, place: tuple[str, ...], dialect: str
) -> None:
    output = AnswerType(Bill).sent
    body = wire.write(asked(replace(output, is_native=False), model))
    judge(wire.name, body)
    assert at(json.loads(body), place) == {}
    assert "As printed." in system_of(json.loads(body))


@_NATIVE
def test_without_a_schema_the_request_is_as_ever(
    wire: Wire, model: str, place: tuple[str, ...], dialect: str
) -> None:
    body = json.loads(wire.write(replace(asked(Bill, model), output=None)))
    assert at(body, place) == {}
    assert "JSON Schema" not in system_of(body)


def test_gemini_before_3_takes_a_format_only_without_tools() -> None:
    request = asked(Bill, "gemini-2.5-pro")
    assert "responseJsonSchema" not in json.loads(Gemini().write(request)).get("generationConfig", {})
    alone = json.loads(Gemini().write(replace(request, tools=())))
    assert alone["generationConfig"]["responseMimeType"] == "application/json"
    assert "JSON Schema" not in system_of(alone)


def test_an_open_object_is_not_closed_to_please_a_format() -> None:
    """Closed, it could hold nothing: the model would be held to answering {}."""
    chat = json.loads(OpenAIChat().write(asked(OPEN, "gpt-4o")))["response_format"]["json_schema"]
    assert chat["strict"] is False
    assert chat["schema"]["additionalProperties"] == {"type": "integer"}
    anthropic = json.loads(Anthropic().write(asked(OPEN, "claude-sonnet-4-5")))
    assert "output_config" not in anthropic
    assert "additionalProperties" in system_of(anthropic)


def test_anthropic_lets_a_model_leave_out_what_is_optional() -> None:
    body = json.loads(Anthropic().write(asked(Bill, "claude-sonnet-4-5")))
    schema = body["output_config"]["format"]["schema"]
    assert schema["required"] == ["number", "lines"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["lines"]["items"]["additionalProperties"] is False


def test_other_fields_of_the_same_object_are_kept() -> None:
    claude = asked(Bill, "claude-sonnet-4-5", options={"output_config": {"effort": "low"}})
    assert json.loads(Anthropic().write(claude))["output_config"].keys() == {"effort", "format"}
    gpt = asked(Bill, "gpt-5", options={"text": {"verbosity": "low"}})
    assert json.loads(OpenAIResponses().write(gpt))["text"].keys() == {"verbosity", "format"}


def test_the_name_is_one_that_is_taken() -> None:
    body = json.loads(OpenAIChat().write(asked(SCHEMA, "gpt-4o")))
    assert body["response_format"]["json_schema"]["name"] == "A_bill_"
