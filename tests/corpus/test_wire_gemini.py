"""Gemini requests for real tools and any history: held to Google's types, the rules and what was recorded."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from tests.corpus.conftest import Judged, Rows
from tests.providers.gemini_turns import NAME, check_turns
from tests.providers.rulebook import broken, is_map

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    UserMessage,
)
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import Request
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.tools.builtin import load_all

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDK has an escape sequence that Python warns of
    from google.genai import types

PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")
MODELS = ("gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-pro-preview")


class Body(BaseModel):
    """The body of a request in the SDK's types, which forbid unknown keys."""

    model_config = ConfigDict(extra="forbid")

    contents: list[types.Content]
    systemInstruction: types.Content | None = None
    tools: list[types.Tool] | None = None
    toolConfig: types.ToolConfig | None = None
    generationConfig: types.GenerationConfig | None = None


def judge(body: bytes) -> Body:
    return Body.model_validate_json(body)


@pytest.mark.parametrize("use_parameters", [False, True])
def test_every_real_tool_is_taken_by_the_types_and_breaks_no_rule(
    tools: tuple[ToolDefinition, ...], use_parameters: bool, judged: Judged
) -> None:
    request = Request("gemini-2.5-pro", [UserMessage("hello")], tools=tools)
    written = Gemini(use_parameters).write(request)
    dialect, field = (
        ("gemini_parameters", "parameters") if use_parameters else ("gemini", "parametersJsonSchema")
    )
    declarations = json.loads(written)["tools"][0]["functionDeclarations"]
    assert len({each["name"] for each in declarations}) == len(tools)
    for each in declarations:
        with judged(each["name"]):
            assert NAME.fullmatch(each["name"])
            assert each.keys() <= {"name", "description", field}
            assert broken(each.get(field), dialect) == [], each["name"]
    taken = judge(written)
    assert taken.tools
    assert len(taken.tools[0].function_declarations or ()) == len(tools)


def test_the_order_of_the_tools_does_not_change_the_request(tools: tuple[ToolDefinition, ...]) -> None:
    some = tools[::40]
    there, back = (
        Gemini().write(Request("m", [UserMessage("x")], tools=each)) for each in (some, some[::-1])
    )
    assert there == back


def test_a_call_of_every_real_tool_is_sent_back_under_its_name(tools: tuple[ToolDefinition, ...]) -> None:
    wire = Gemini()
    request = Request("gemini-2.5-pro", [UserMessage("go")], tools=tools)
    names = [each["name"] for each in json.loads(wire.write(request))["tools"][0]["functionDeclarations"]]
    reader = wire.reader(request)
    parts = [{"functionCall": {"name": name, "args": {"a": 1}}} for name in names]
    reader.take({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})
    answer = reader.message()
    assert {call.name for call in answer.calls} == {tool.name for tool in tools}
    results = ResultsMessage(tuple(ToolResult(call.id, call.name, "ok") for call in answer.calls))
    contents = json.loads(
        wire.write(Request(request.model, [*request.messages, answer, results], tools=tools))
    )["contents"]
    assert contents[1]["parts"] == parts
    check_turns(contents)


def call(name: str = "read_file", call_id: str = "a", **more: Any) -> CallPart:
    return CallPart(ToolCall(name, {"path": "x"}, call_id), **more)


def histories() -> Iterator[tuple[str, list[Message]]]:
    hello = UserMessage("hello")
    ok = ToolResult("a", "read_file", "text")
    error = ToolResult("b", "read_file", None, Kind.FILE_NOT_FOUND, "There is no file.", repairs=("mended",))
    pictures = ToolResult("b", "read_file", {"seen": [1, None, 2.5]}, images=(PNG, PNG))
    gif = ToolResult("b", "read_file", "", images=(Image(b"GIF89a", "image/gif"),))
    two = (call(), call("list_files", "b"))
    yield "a word", [hello]
    yield "a picture", [UserMessage("look", (PNG, Image(b"GIF89a", "image/gif")))]
    yield "nothing", [UserMessage("")]
    yield (
        "one call",
        [hello, AssistantMessage((TextPart("so"), call()), "calls", "gemini"), ResultsMessage((ok,))],
    )
    for name, result in (("error", error), ("pictures", pictures), ("gif", gif)):
        yield name, [hello, AssistantMessage(two, "calls", "gemini"), ResultsMessage((ok, result)), hello]
    signed: tuple[Part, ...] = (
        ThoughtPart("hm", {"thoughtSignature": "c2ln"}),
        ThoughtPart("unsigned"),
        TextPart("", {"thoughtSignature": "c2ln"}),
        ForeignPart({"part": {"executableCode": {"language": "PYTHON", "code": "1"}}}),
        ForeignPart({"part": {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}}),
        ForeignPart({"about": {"groundingMetadata": {}}}),
        call(echo={"thoughtSignature": "c2ln"}),
    )
    for wire in ("gemini", "anthropic", "openai", ""):
        yield f"all of {wire}", [hello, AssistantMessage(signed, "calls", wire), ResultsMessage((ok,))]
    made_up = CallPart(ToolCall("default_api:no such", '{"cut', "toolu_" + "x" * 60, "It was cut."))
    denied = ToolResult("toolu_" + "x" * 60, "default_api:no such", None, Kind.CANCELLED, "It was cut.")
    yield (
        "a cut call",
        [hello, AssistantMessage((made_up,), "cut", "openai"), ResultsMessage((denied,)), hello],
    )
    stopped = AssistantMessage((ThoughtPart("hm"),), "stopped", "gemini")
    yield "a stopped thought", [hello, stopped, hello, AssistantMessage((), "stopped", "gemini"), hello]
    yield (
        "answers in a row",
        [
            AssistantMessage((TextPart("first"),), "stop", "x"),
            AssistantMessage((call(),), "calls", "x"),
            ResultsMessage((ok,)),
        ],
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "history"), [*histories()])
def test_every_history_is_taken_by_the_types_and_keeps_its_turns(
    name: str, history: list[Message], model: str
) -> None:
    del name
    builtin = tuple(tool.definition for tool in load_all())
    options = {"temperature": 0.1, "thinkingConfig": {"includeThoughts": True}}
    for can_call in (True, False):
        request = Request(model, history, "Be brief.", builtin, can_call, 100, options)
        written = Gemini().write(request)
        judged = judge(written)
        contents = json.loads(written)["contents"]
        check_turns(contents)
        assert all(part != {"text": ""} for content in contents for part in content["parts"])
        # The types keep all of it: nothing was sent that they only pass over.
        again = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in judged.contents]
        assert again == contents


def from_recorded(contents: list[dict[str, Any]]) -> list[Message]:
    """A recorded conversation as ours."""
    messages: list[Message] = []
    for content in contents:
        parts: list[dict[str, Any]] = content["parts"]
        if content["role"] == "model":
            messages.append(AssistantMessage(tuple(from_part(part) for part in parts), wire="gemini"))
        elif "functionResponse" in parts[0]:
            said = [part["functionResponse"] for part in parts]
            messages.append(
                ResultsMessage(
                    tuple(ToolResult(each.get("id", each["name"]), each["name"], each) for each in said)
                )
            )
        else:
            messages.append(UserMessage("".join(part["text"] for part in parts)))
    return messages


def from_part(part: dict[str, Any]) -> Part:
    echo = {key: part[key] for key in ("thoughtSignature",) if key in part} or None
    if "functionCall" in part:
        said = part["functionCall"]
        return CallPart(ToolCall(said["name"], said.get("args") or {}, said.get("id", said["name"])), echo)
    if "text" in part:
        return ThoughtPart(part["text"], echo) if part.get("thought") else TextPart(part["text"], echo)
    return ForeignPart({"part": part})


def is_ours(request: dict[str, Any]) -> bool:
    """Whether a conversation can be compared: its calls have ids, and the user only speaks and answers."""
    for content in request["contents"]:
        for part in content["parts"]:
            said = part.get("functionCall") or part.get("functionResponse")
            if said and "id" not in said:
                return False
            if content.get("role") == "user" and not {"text", "functionResponse"} & part.keys():
                return False
            if part == {"text": ""}:  # we send no empty text
                return False
    return all("role" in content for content in request["contents"])


def is_sent(part: dict[str, Any]) -> bool:
    return not part.get("thought") or "thoughtSignature" in part


def test_recorded_conversations_are_written_as_they_were_accepted(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_wire"):
        with judged(row["id"]):
            if row["status"] != 200 or "enerateContent" not in row["path"] or not is_ours(row["request"]):
                continue
            recorded = row["request"]["contents"]
            system = row["request"].get("systemInstruction")
            instructions = system["parts"][0]["text"] if system else ""
            model = row["path"].rpartition("/")[2].partition(":")[0]
            written = json.loads(Gemini().write(Request(model, from_recorded(recorded), instructions)))
            assert written.get("systemInstruction") == system
            for ours, theirs in zip(written["contents"], recorded, strict=True):
                # Thoughts without a signature stay out, and what a result says is ours to word.
                for part in ours["parts"]:
                    if "functionResponse" in part:
                        part["functionResponse"] = part["functionResponse"]["response"]["result"]
                assert ours["role"] == theirs["role"]
                assert ours["parts"] == [part for part in theirs["parts"] if is_sent(part)]


def test_recorded_definitions_have_the_keys_of_ours(rows: Rows, judged: Judged) -> None:
    keys = {"name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema"}
    for row in rows("provider_wire"):
        with judged(row["id"]):
            if "enerateContent" in row["path"]:
                told = row["request"].get("tools", [])
                for tool in [told] if is_map(told) else told:
                    for each in tool.get("functionDeclarations", []):
                        assert each.keys() <= keys
