"""Strict mode has null for what is left out: calls come back without it, and only without it."""

import json
from typing import Any

import pytest

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.definitions import definitions_for

TEXT = {"type": "string"}


def obj(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def read(parameters: dict[str, Any], arguments: Any, *, strict: bool = True) -> Any:
    tools = [ToolDefinition(name="look", parameters=parameters)]
    definitions = definitions_for(tools, "openai_responses", strict=strict)
    assert definitions.dialected["look"].is_strict is strict
    return definitions.read_call("look", json.dumps(arguments))[1]


@pytest.mark.parametrize(
    ("parameters", "sent", "meant"),
    [
        (obj(["a"], a=TEXT, b=TEXT), {"a": "x", "b": None}, {"a": "x"}),
        (obj([], a=obj(["c"], c=TEXT, b=TEXT)), {"a": {"c": "x", "b": None}}, {"a": {"c": "x"}}),
        (obj([], a=obj(["c"], c=TEXT)), {"a": None}, {}),
        (
            obj(["a"], a={"type": "array", "items": obj([], b=TEXT)}),
            {"a": [{"b": None}, {"b": "x"}]},
            {"a": [{}, {"b": "x"}]},
        ),
    ],
)
def test_null_for_what_may_be_left_out_is_left_out(parameters: Any, sent: Any, meant: Any) -> None:
    assert read(parameters, sent) == meant
    # Without strict mode nobody asked the model for nulls, so they stay for the check of the arguments.
    assert read(parameters, sent, strict=False) == json.dumps(sent)


@pytest.mark.parametrize(
    "parameters",
    [
        obj(["a"], a={"type": ["string", "null"]}),
        obj([], a={"type": ["string", "null"]}),
        obj([], a={"anyOf": [TEXT, {"type": "null"}]}),
        obj(["a"], a=TEXT),
    ],
)
def test_null_that_is_meant_or_wrong_stays(parameters: Any) -> None:
    assert read(parameters, {"a": None}) == '{"a": null}'


def test_null_stays_where_one_of_two_shapes_takes_it() -> None:
    shapes = [obj(["k"], k=TEXT, b=TEXT), obj(["b"], b={"type": ["string", "null"]})]
    assert read(obj(["a"], a={"anyOf": shapes}), {"a": {"b": None}}) == '{"a": {"b": null}}'


def test_arguments_with_nothing_to_leave_out_stay_as_the_model_wrote_them() -> None:
    assert read(obj(["a"], a=TEXT, b=TEXT), {"a": "x", "b": "y"}) == '{"a": "x", "b": "y"}'
