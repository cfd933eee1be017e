"""Tools as each provider is sent them."""

from typing import Any

import pytest

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.definitions import definitions_for

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"$q": {"type": "string"}}, "required": ["$q"]}
FIND = ToolDefinition(name="find", description="Finds.", parameters=SCHEMA)
CLOCK = ToolDefinition(name="clock", description="Tells the time.")
FREE = ToolDefinition(name="free", parameters={"type": "object", "properties": {"a": {"type": "object"}}})


def test_openai_chat_wraps_each_function() -> None:
    assert definitions_for([FIND, FREE], "openai_chat").tools == [
        {
            "type": "function",
            "function": {
                "name": "find",
                "description": "Finds.",
                "parameters": {**SCHEMA, "additionalProperties": False},
                "strict": True,
            },
        },
        {"type": "function", "function": {"name": "free", "parameters": FREE.parameters}},
    ]


def test_openai_responses_says_always_whether_it_is_strict() -> None:
    tools = definitions_for([FIND, FREE], "openai_responses").tools
    assert [(tool["name"], tool["strict"]) for tool in tools] == [("find", True), ("free", False)]
    assert all("parameters" in tool and tool["type"] == "function" for tool in tools)
    assert definitions_for([FIND], "openai_responses", strict=False).tools == [
        {"type": "function", "name": "find", "description": "Finds.", "parameters": SCHEMA, "strict": False}
    ]


def test_anthropic_has_an_input_schema_also_without_parameters() -> None:
    assert definitions_for([CLOCK], "anthropic").tools == [
        {
            "name": "clock",
            "description": "Tells the time.",
            "input_schema": {"type": "object", "properties": {}},
        }
    ]


def test_gemini_has_one_list_and_leaves_empty_parameters_out() -> None:
    clock = {"name": "clock", "description": "Tells the time."}
    find = {"name": "find", "description": "Finds."}
    assert definitions_for([FIND, CLOCK], "gemini").tools == [
        {"functionDeclarations": [clock, {**find, "parametersJsonSchema": SCHEMA}]}
    ]
    older = {"type": "OBJECT", "properties": {"$q": {"type": "STRING"}}, "required": ["$q"]}
    assert definitions_for([FIND, CLOCK], "gemini_parameters").tools == [
        {"functionDeclarations": [clock, {**find, "parameters": older}]}
    ]
    assert definitions_for([], "gemini").tools == []


@pytest.mark.parametrize("arguments", [{"q": "x"}, '{"q": "x"}', b'{"q": "x"}'])
def test_a_call_comes_back_with_the_names_of_its_tool(arguments: Any) -> None:
    assert definitions_for([FIND], "anthropic").read_call("find", arguments) == ("find", {"$q": "x"})


def test_what_cannot_be_read_is_left_to_the_engine() -> None:
    definitions = definitions_for([FIND], "anthropic")
    assert definitions.read_call("find", '{"q": ') == ("find", '{"q": ')
    assert definitions.read_call("find", "[1]") == ("find", "[1]")
    assert definitions.read_call("no_such_tool", {"q": 1}) == ("no_such_tool", {"q": 1})


def test_the_order_of_tools_does_not_change_what_is_sent() -> None:
    for provider in ("openai_chat", "anthropic", "gemini"):
        one, other = (definitions_for(tools, provider).tools for tools in ([FIND, CLOCK], [CLOCK, FIND]))
        assert one == other


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(ValueError, match="no provider 'acme'"):
        definitions_for([], "acme")
