"""The names a schema knows, and the defaults it gives."""

from typing import Any

import pytest

from oneclaw.core.check.parameters import Parameters
from oneclaw.core.check.schema import CompiledSchema


def fill(document: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    Parameters(CompiledSchema(document)).fill(arguments)
    return arguments


A: dict[str, Any] = {"properties": {"a": {}}}
ROOTS: list[tuple[Any, set[str], bool]] = [
    ({}, set(), False),
    ({"properties": {}}, set(), True),
    (A, {"a"}, True),
    ({**A, "additionalProperties": True}, {"a"}, False),
    ({**A, "additionalProperties": False}, {"a"}, False),
    ({**A, "additionalProperties": {"type": "string"}}, {"a"}, False),
    ({**A, "unevaluatedProperties": False}, {"a"}, False),
    ({**A, "patternProperties": {"^x": {}}}, {"a"}, False),
    ({"allOf": [A, {"properties": {"b": {}}}]}, {"a", "b"}, True),
    ({"anyOf": [A, {"properties": {"b": {}}}]}, {"a", "b"}, True),
    ({**A, "if": {}, "then": {"properties": {"b": {}}}}, {"a", "b"}, True),
    ({**A, "dependentSchemas": {"a": {"properties": {"b": {}}}}}, {"a", "b"}, True),
    ({"$ref": "#/$defs/x", "$defs": {"x": A}}, {"a"}, True),
    ({**A, "$ref": "#x", "$defs": {"x": {"$anchor": "x", "properties": {"b": {}}}}}, {"a"}, False),
    ({**A, "allOf": [{"$ref": "#"}]}, {"a"}, True),
]


@pytest.mark.parametrize(("document", "names", "drops_others"), ROOTS)
def test_the_names_that_are_known_and_whether_others_are_dropped(
    document: Any, names: set[str], drops_others: bool
) -> None:
    parameters = Parameters(CompiledSchema(document))
    assert parameters.names == names
    assert parameters.drops_others is drops_others


def test_defaults_are_put_in_where_nothing_is_given() -> None:
    document = {"properties": {"a": {"default": 1}, "b": {"default": None}, "c": {}}}
    assert fill(document, {}) == {"a": 1, "b": None}
    assert fill(document, {"a": 2, "b": 3}) == {"a": 2, "b": 3}


def test_defaults_are_put_in_below_where_the_parent_is_there() -> None:
    point = {"properties": {"x": {"default": 0}, "y": {"$ref": "#/$defs/y"}}}
    document = {
        "properties": {"at": point, "many": {"items": point}, "gone": point},
        "$defs": {"y": {"type": "integer", "default": 5}},
    }
    assert fill(document, {"at": {}, "many": [{}, {"x": 1}, 3]}) == {
        "at": {"x": 0, "y": 5},
        "many": [{"x": 0, "y": 5}, {"x": 1, "y": 5}, 3],
    }


def test_a_default_is_found_through_references_and_all_of() -> None:
    document = {"allOf": [{"properties": {"a": {"$ref": "#/$defs/a"}}}], "$defs": {"a": {"default": 7}}}
    assert fill(document, {}) == {"a": 7}


def test_a_default_that_does_not_fit_its_own_schema_is_left_out() -> None:
    document = {
        "properties": {"a": {"type": "string", "default": None}, "b": {"type": "string", "default": "x"}}
    }
    assert fill(document, {}) == {"b": "x"}


def test_defaults_are_copied_each_time() -> None:
    parameters = Parameters(CompiledSchema({"properties": {"a": {"default": []}}}))
    first: dict[str, Any] = {}
    second: dict[str, Any] = {}
    parameters.fill(first)
    parameters.fill(second)
    first["a"].append(1)
    assert second == {"a": []}


def test_a_schema_that_refers_to_itself_is_filled_to_an_end() -> None:
    document = {"properties": {"child": {"$ref": "#"}, "n": {"default": 1}}}
    value: dict[str, Any] = {}
    for _ in range(10):
        value = {"child": value}
    filled = fill(document, value)
    for _ in range(10):
        assert filled["n"] == 1
        filled = filled["child"]
