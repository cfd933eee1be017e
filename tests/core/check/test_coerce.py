"""A value of the wrong type is read as the type the schema asks for, where that can be done."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.coerce import coerce, has_whole_floats, read_as, round_whole_floats
from oneclaw.core.check.schema import CompiledSchema

NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
INTEGERS = {"type": "array", "items": {"type": "integer"}}
POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

CLEAR: list[tuple[Any, Any, Any]] = [
    ({"type": "integer"}, "5", 5),
    ({"type": "integer"}, " -5 ", -5),
    ({"type": "integer"}, "+5", 5),
    ({"type": "integer"}, "5.0", 5),
    ({"type": "integer"}, "1e3", 1000),
    ({"type": "integer"}, "123456789012345678901234567890", 123456789012345678901234567890),
    ({"type": "number"}, "5.5", 5.5),
    ({"type": "number"}, "5", 5),
    ({"type": "boolean"}, "true", True),
    ({"type": "boolean"}, "False", False),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": ["integer", "null"]}, "", None),
    ({"type": ["integer", "null"]}, "7", 7),
    (NULLABLE, "7", 7),
    (NULLABLE, "null", None),
    ({"anyOf": [{"type": "array"}, {"type": "object"}, {"type": "null"}]}, "", None),
    ({"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, "7", 7),
    ({"enum": [1, 2]}, "2", 2),
    ({"type": "integer", "enum": [1, 2]}, "2", 2),
    ({"const": True}, "true", True),
    (INTEGERS, "[1, 2]", [1, 2]),
    (INTEGERS, '["1", 2]', [1, 2]),
    (INTEGERS, 5, [5]),
    (INTEGERS, "5", [5]),
    (INTEGERS, ["1", "2"], [1, 2]),
    ({"type": "array", "items": {"type": "string"}}, "x", ["x"]),
    ({"type": "array", "items": POINT}, {"x": "1"}, [{"x": 1}]),
    ({"type": "array", "items": POINT}, '[{"x": 1}]', [{"x": 1}]),
    (POINT, '{"x": 1}', {"x": 1}),
    (POINT, '{"x": "1"}', {"x": 1}),
    (POINT, "{x: 1,}", {"x": 1}),
    ({"$ref": "#/$defs/point"}, {"x": "1"}, {"x": 1}),
    ({"allOf": [{"$ref": "#/$defs/point"}]}, {"x": "1"}, {"x": 1}),
    ({"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/point"}]}, {"x": "1"}, {"x": 1}),
    ({"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/point"}]}, '{"x": "1"}', {"x": 1}),
    ({"anyOf": [{"type": "integer"}, INTEGERS]}, "5", 5),
    (
        {
            "oneOf": [
                {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]},
                {"properties": {"kind": {"const": "b"}, "n": {"type": "boolean"}}, "required": ["kind"]},
            ]
        },
        {"kind": "b", "n": "true"},
        {"kind": "b", "n": True},
    ),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "1", "b": 2}, {"a": 1, "b": 2}),
    ({"prefixItems": [{"type": "string"}, {"type": "integer"}]}, ["a", "1"], ["a", 1]),
    ({"if": {"required": ["x"]}, "then": POINT}, {"x": "1"}, {"x": 1}),
    ({"type": "object", "properties": {"x": {"type": "string"}}}, {"x": None}, {}),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}, 5.0, 5),
]

AMBIGUOUS: list[tuple[Any, Any, Any]] = [
    ({"type": "boolean"}, "yes", True),
    ({"type": "boolean"}, "0", False),
    ({"type": "array", "items": {"type": "string"}}, "a, b", ["a, b"]),
    ({"type": "array", "items": {"type": "string"}}, "[draft] x", ["[draft] x"]),
    ({"type": "array", "items": {"type": "string"}}, "['a', 'b']", ["a", "b"]),
    ({"anyOf": [{"type": "boolean"}, INTEGERS]}, "0", [0]),
]

UNTOUCHED: list[tuple[Any, Any]] = [
    ({"type": "string"}, 5),
    ({"type": "string"}, True),
    ({"type": "string"}, ["a"]),
    ({"type": "integer"}, True),
    ({"type": "integer"}, "1.5"),
    ({"type": "integer"}, "five"),
    ({"type": "integer"}, "007"),
    ({"type": "integer"}, "0x10"),
    ({"type": "integer"}, "1,000"),
    ({"type": "integer"}, "٣"),
    ({"type": "integer"}, "1e999"),
    ({"type": "integer"}, "9" * 5_000),
    ({"type": "integer"}, 5.5),
    ({"type": "integer"}, [5]),
    ({"type": "number"}, "NaN"),
    ({"type": "number"}, "inf"),
    ({"type": "boolean"}, 1),
    ({"type": "boolean"}, "maybe"),
    ({"type": "object"}, "[1]"),
    ({"type": "object"}, '{"a": 1'),
    ({"type": "object"}, '{"a": 1, "a": 2}'),
    ({"type": "array"}, None),
    ({"type": "array"}, ""),
    ({"type": "integer"}, None),
    ({"enum": ["1", "2"]}, 1),
    ({"enum": ["a"]}, "A"),
    ({"enum": [1]}, "true"),
    ({"const": True}, "1"),
    ({"minimum": 5}, 1),
]


def wrap(schema: Any) -> CompiledSchema:
    """The schema as that of the required parameter `v`."""
    root: dict[str, Any] = {"properties": {"v": schema}, "required": ["v"], "$defs": {"point": POINT}}
    if "$schema" in schema:
        root["$schema"] = schema["$schema"]
    return CompiledSchema(root)


@pytest.mark.parametrize(("schema", "given", "meant"), CLEAR)
def test_what_has_one_reading_is_read_so(schema: Any, given: Any, meant: Any) -> None:
    root = wrap(schema)
    value, repairs = coerce(root, {"v": deepcopy(given)})
    assert json.dumps(value) == json.dumps({"v": meant})
    assert root.is_valid(value)
    assert repairs
    assert not any(repair.ambiguous for repair in repairs)


@pytest.mark.parametrize(("schema", "given", "meant"), AMBIGUOUS)
def test_what_has_more_than_one_reading_is_marked(schema: Any, given: Any, meant: Any) -> None:
    value, repairs = coerce(wrap(schema), {"v": deepcopy(given)})
    assert json.dumps(value) == json.dumps({"v": meant})
    assert any(repair.ambiguous for repair in repairs) is True


@pytest.mark.parametrize(("schema", "given"), UNTOUCHED)
def test_what_has_no_reading_is_left_as_it_is(schema: Any, given: Any) -> None:
    value, repairs = coerce(wrap(schema), {"v": deepcopy(given)})
    assert json.dumps(value) == json.dumps({"v": given})
    assert repairs == []


def test_two_alternatives_that_fit_equally_are_a_guess() -> None:
    schema = wrap(
        {
            "anyOf": [
                {"type": "array", "items": {"type": "integer"}},
                {"type": "array", "maxItems": 1, "items": {"type": "boolean"}},
            ]
        }
    )
    _, (repair, *_) = coerce(schema, {"v": ["1"]})
    assert not repair.ambiguous, "only one of them fits"
    choice = {
        "anyOf": [
            {"required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
            {"required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}},
        ]
    }
    _, (repair, *_) = coerce(wrap(choice), {"v": {"a": "1", "b": "2"}})
    assert repair.ambiguous


def test_each_change_says_where_what_and_how_it_was_read() -> None:
    schema = CompiledSchema(
        {"properties": {"limit": {"type": "integer"}, "edits": {"type": "array", "items": POINT}}}
    )
    _, repairs = coerce(schema, {"limit": "5", "edits": [{"x": "1"}]})
    assert {repair.text for repair in repairs} == {
        'limit: "5" was read as the integer 5',
        'edits[0].x: "1" was read as the integer 1',
    }


@pytest.mark.parametrize("nothing", [None, "", "null", "None"])
def test_nothing_given_for_a_parameter_that_may_be_left_out_is_left_out(nothing: Any) -> None:
    schema = CompiledSchema({"properties": {"n": {"type": "integer"}, "m": {"enum": ["a"]}}})
    value, repairs = coerce(schema, {"n": nothing, "m": nothing})
    assert value == {}
    assert len(repairs) == 2
    assert all(repair.ambiguous is (nothing is not None) for repair in repairs)


def test_nothing_given_for_a_required_parameter_stays_and_is_a_problem() -> None:
    schema = CompiledSchema(
        {"properties": {"n": {"type": "integer"}, "m": {"type": "string"}}, "required": ["n"]}
    )
    value, repairs = coerce(schema, {"n": None, "m": None})
    assert value == {"n": None}
    assert [repair.text for repair in repairs] == ["m: null was read as left out"]
    assert [problem.text for problem in schema.problems(value)] == [
        "Parameter 'n' expected type 'integer' but got null"
    ]


def test_nothing_in_a_list_stays() -> None:
    value, repairs = coerce(CompiledSchema({"properties": {"l": INTEGERS}}), {"l": [1, None]})
    assert (value, repairs) == ({"l": [1, None]}, [])


def test_what_was_read_is_still_held_to_the_rest_of_its_schema() -> None:
    schema = wrap({"type": "integer", "maximum": 3})
    value, _ = coerce(schema, {"v": "5"})
    assert [problem.text for problem in schema.problems(value)] == [
        "Parameter 'v' must be at most 3 but got the integer 5"
    ]


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    tree = {
        "anyOf": [
            {"type": "integer"},
            {"type": "object", "properties": {"k": {"$ref": "#/$defs/t"}}},
            {"$ref": "#/$defs/t"},
        ]
    }
    schema = CompiledSchema({"properties": {"v": {"$ref": "#/$defs/t"}}, "$defs": {"t": tree}})
    value: Any = "x"
    for _ in range(30):
        value = {"k": value}
    assert coerce(schema, {"v": value})[1] == []


# 5.0


def test_a_whole_float_becomes_an_integer_where_only_an_integer_fits() -> None:
    schema = CompiledSchema(
        {
            "properties": {
                "i": {"type": "integer"},
                "n": {"type": "number"},
                "any": {},
                "list": INTEGERS,
                "maybe": NULLABLE,
                "either": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
                "huge": {"type": "integer"},
            }
        }
    )
    value = {"i": 5.0, "n": 5.0, "any": 5.0, "list": [1.0, 2], "maybe": 5.0, "either": 5.0, "huge": 1e300}
    assert schema.is_valid(value)
    repairs = round_whole_floats(schema, value)
    assert json.dumps(value) == json.dumps(
        {"i": 5, "n": 5.0, "any": 5.0, "list": [1, 2], "maybe": 5, "either": 5.0, "huge": 1e300}
    )
    assert {repair.text for repair in repairs} == {
        "i: 5.0 was read as the integer 5",
        "list[0]: 1.0 was read as the integer 1",
        "maybe: 5.0 was read as the integer 5",
    }


def test_whole_floats_are_noticed_wherever_they_are() -> None:
    assert has_whole_floats({"a": 1.0})
    assert has_whole_floats({"a": [{"b": 1.0}]})
    assert not has_whole_floats({"a": 1.5, "b": [1, "1.0", None, True]})


# Properties


def array_of(inner: Any) -> dict[str, Any]:
    return {"type": "array", "items": inner}


def any_of(one: Any, two: Any) -> dict[str, Any]:
    return {"anyOf": [one, two]}


def object_of(a: Any, b: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": a, "b": b}, "required": ["a"]}


SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [{}, {"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": ["integer", "null"]}]
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(array_of, inner) | st.builds(any_of, inner, inner) | st.builds(object_of, inner, inner)
    ),
    max_leaves=5,
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.sampled_from(["", "5", "true", "null", "[1]", '{"a": 1}', "a,b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_a_valid_value_is_never_changed_and_a_change_only_helps(schema: Any, given: Any) -> None:
    root = wrap(schema)
    before = {"v": deepcopy(given)}
    value, repairs = coerce(root, {"v": given})
    if root.is_valid(before):
        assert json.dumps(value) == json.dumps(before)
        assert repairs == []
    elif json.dumps(value, sort_keys=True) != json.dumps(before, sort_keys=True):  # order means nothing
        assert repairs


@given(
    VALUES,
    st.sets(
        st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]), min_size=1
    ),
)
def test_a_reading_is_of_a_type_that_was_asked_for(value: Any, types: set[str]) -> None:
    schema = CompiledSchema({"type": sorted(types)})
    reading = None if schema.is_valid(value) else read_as(value, types)
    assert reading is None or schema.is_valid(reading.value)
