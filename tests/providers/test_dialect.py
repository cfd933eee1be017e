"""What becomes of one schema in each dialect, keyword by keyword."""

from typing import Any

import pytest
from tests.providers.rulebook import broken

from oneclaw.providers.dialect import resolve
from oneclaw.providers.dialect.convert import DIALECTS, to_dialect
from oneclaw.providers.names import Names
from oneclaw.tools.builtin import load_all

Schema = dict[str, Any]


def sent(schema: Schema, dialect: str) -> Schema:
    made = to_dialect(schema, dialect).schema
    assert made is not None
    return made


def one(schema: Schema, dialect: str) -> Any:
    """A property in a dialect."""
    whole = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return sent(whole, dialect)["properties"]["a"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_own_tools_break_no_rule(dialect: str) -> None:
    for tool in load_all():
        made = to_dialect(tool.definition.parameters, dialect)
        spoken = "openai" if dialect == "openai_strict" and not made.is_strict else dialect
        assert broken(made.schema, spoken) == [], tool.name


def test_a_plain_schema_is_sent_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "A."}, "b": {"type": "integer", "minimum": 1}},
        "required": ["a"],
    }
    for dialect in ("openai", "anthropic", "gemini"):
        made = to_dialect(schema, dialect)
        assert (made.schema, made.changes) == (schema, ())


def test_branches_at_the_root_become_one_object_with_their_enums() -> None:
    schema = {
        "oneOf": [
            {
                "properties": {"action": {"const": "show"}, "url": {"type": "string"}},
                "required": ["action", "url"],
            },
            {"properties": {"action": {"const": "hide"}}, "required": ["action"]},
        ]
    }
    made = sent(schema, "openai")
    assert made["properties"] == {"action": {"enum": ["show", "hide"]}, "url": {"type": "string"}}
    assert made["required"] == ["action"]
    assert sent(schema, "gemini_parameters")["properties"]["action"] == {
        "type": "STRING",
        "enum": ["show", "hide"],
    }


def test_references_are_opened_and_cycles_are_cut_at_the_stated_depth() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    made = to_dialect(
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}, "openai"
    )
    assert made.schema is not None
    place, depth = made.schema["properties"]["a"], 0
    while "properties" in place:
        place, depth = place["properties"]["next"], depth + 1
    assert depth == resolve.AGAIN + 1
    assert place == {}
    assert [change.keyword for change in made.changes if change.verdict == "dropped"] == ["$ref"]


def test_what_stands_beside_a_reference_counts_too() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n", "description": "Mine.", "maximum": 5}},
        "$defs": {"n": {"type": "integer", "minimum": 1, "description": "Theirs."}},
    }
    assert sent(schema, "openai")["properties"]["a"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
        "description": "Mine.",
    }


def test_a_union_of_literals_is_an_enum_and_keeps_what_was_said_of_each() -> None:
    union = {"anyOf": [{"const": "asc", "description": "Oldest first."}, {"const": "desc"}, {"type": "null"}]}
    assert one(union, "anthropic") == {"enum": ["asc", "desc", None], "description": "(asc: Oldest first.)"}
    assert one(union, "gemini_parameters") == {
        "type": "STRING",
        "enum": ["asc", "desc"],
        "description": "(asc: Oldest first.)",
        "nullable": True,
    }


def test_null_beside_a_type_is_said_as_each_provider_says_it() -> None:
    schema = {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "description": "D."}
    assert one(schema, "openai") == {"type": ["string", "null"], "maxLength": 3, "description": "D."}
    assert one(schema, "openai_strict") == {
        "type": ["string", "null"],
        "description": "D. (at most 3 characters)",
    }
    assert one(schema, "gemini_parameters") == {
        "type": "STRING",
        "maxLength": 3,
        "description": "D.",
        "nullable": True,
    }
    assert one({"type": ["string", "null"]}, "gemini") == {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 5}, "1 to 5 characters"),
        ({"type": "string", "pattern": "^[a-z]+$"}, "matches ^[a-z]+$"),
        ({"type": "string", "format": "uri"}, "format uri"),
        ({"type": "number", "multipleOf": 0.5}, "a multiple of 0.5"),
        ({"type": "number", "exclusiveMaximum": 1}, "below 1"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "no item twice"),
        ({"type": "boolean", "default": True}, "default true"),
        ({"type": "boolean", "enum": [True]}, "one of true"),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}, "minProperties": 1},
            "at least 1 properties",
        ),
        ({"type": "string", "not": {"const": "x"}}, 'not {"const": "x"}'),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}, "dependentRequired": {"b": ["c"]}},
            "b needs c",
        ),
    ],
)
def test_what_cannot_be_sent_is_said(schema: Schema, said: str) -> None:
    made = to_dialect({"type": "object", "properties": {"a": schema}}, "gemini")
    assert made.schema is not None
    assert made.schema["properties"]["a"]["description"] == f"({said})"
    assert made.changes


def test_a_default_of_null_is_kept_where_it_is_taken_and_told_where_it_is_not() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["string", "null"], "default": None}}}
    assert to_dialect(schema, "openai").schema == schema
    assert to_dialect(schema, "openai").changes == ()
    assert "default" in {change.keyword for change in to_dialect(schema, "gemini_parameters").changes}


def test_what_can_be_sent_is_not_said_again() -> None:
    assert one({"type": "string", "pattern": "^a"}, "gemini_parameters") == {
        "type": "STRING",
        "pattern": "^a",
    }


def test_whole_numbers_in_an_enum_keep_their_bounds_where_only_text_may_be_listed() -> None:
    schema = {"type": "integer", "enum": [3, 1, 2]}
    assert one(schema, "gemini") == schema
    assert one(schema, "gemini_parameters") == {
        "type": "INTEGER",
        "minimum": 1,
        "maximum": 3,
        "description": "(one of 3, 1, 2)",
    }


def test_a_tuple_keeps_its_length_and_says_its_order() -> None:
    schema = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": False,
        "minItems": 2,
    }
    made = one(schema, "gemini_parameters")
    assert made["items"] == {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}
    assert (made["minItems"], made["maxItems"]) == (2, 2)
    assert made["description"] == "(in order: string, integer)"
    assert one(schema, "anthropic")["prefixItems"] == schema["prefixItems"]


def test_closing_an_object_is_left_out_with_the_patterns_that_opened_it() -> None:
    schema = {
        "type": "object",
        "properties": {"b": {"type": "string"}},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    }
    assert "additionalProperties" not in one(schema, "gemini")
    assert one(schema, "openai") == schema


def test_strict_mode_wants_every_property_and_takes_null_for_those_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"enum": ["x", "y"], "type": "string", "default": "x"}},
        "required": ["a"],
    }
    made = to_dialect(schema, "openai_strict")
    assert made.is_strict
    assert made.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["string", "null"], "enum": ["x", "y", None], "description": '(default "x")'},
        },
        "required": ["a", "b"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {
            "type": "object",
            "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}},
        },
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {"a": {"type": "array"}}},
        {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(5_001)}},
    ],
)
def test_where_strict_mode_would_take_less_it_stays_off_and_says_why(schema: Schema) -> None:
    made = to_dialect(schema, "openai_strict")
    assert not made.is_strict
    assert not to_dialect(schema, "openai_strict").is_strict
    assert made.schema == to_dialect(schema, "openai").schema
    assert made.changes[0].keyword == "strict"


def test_names_of_properties_are_mapped_back_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"$top": {"type": "integer"}, "top": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": inner},
            "x y": {"anyOf": [inner, {"type": "string"}]},
            "free": {"type": "object", "additionalProperties": inner},
            "some": {"type": "object", "patternProperties": {"^k": inner}},
        },
        "required": ["x y"],
    }
    made = to_dialect(schema, "anthropic")
    assert made.schema is not None
    wire = next(name for name in made.schema["properties"]["list"]["items"]["properties"] if name != "top")
    assert made.schema["required"] == ["x_y"]
    assert made.restore(
        {
            "list": [{wire: 1, "top": 2}],
            "x_y": {wire: 3},
            "free": {"k": {wire: 4}},
            "some": {"k": {wire: 6}},
            "other": {wire: 5},
        }
    ) == {
        "list": [{"$top": 1, "top": 2}],
        "x y": {"$top": 3},
        "free": {"k": {"$top": 4}},
        "some": {"k": {"$top": 6}},
        "other": {wire: 5},
    }


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(ValueError, match="no dialect 'mistral'"):
        to_dialect({}, "mistral")


def test_names_of_tools_go_one_to_one_and_back() -> None:
    long = [f"mcp__{'server_' * 9}_{number}" for number in range(50)]
    every = [
        *long,
        "admin.tools.list",
        "admin/tools/list",
        "admin_tools_list",
        "read_file",
        "日本",
        "中国",
        "9lives",
    ]
    names = Names(every)
    wires = [names.wire(name) for name in every]
    assert len(set(wires)) == len(every)
    assert [names.ours(wire) for wire in wires] == every
    assert all(len(wire) <= 64 and wire.isascii() and not wire[0].isdigit() for wire in wires)
    assert names.wire("admin_tools_list") == "admin_tools_list"
    assert [Names(reversed(every)).wire(name) for name in every] == wires
    assert names.ours("made_up") == "made_up"


@pytest.mark.parametrize("dialect", ["gemini", "gemini_parameters"])
def test_gemini_is_sent_no_title_and_a_property_of_that_name_stays(dialect: str) -> None:
    schema = {"title": "T", "type": "object", "properties": {"title": {"type": "string", "title": "Title"}}}
    made = to_dialect(schema, dialect)
    sent = made.schema
    assert sent is not None
    dropped = {each.path for each in made.changes if each.keyword == "title"}
    assert dropped == {"$", "$.properties.title"}
    assert "title" not in sent
    assert list(sent["properties"]) == ["title"]
    assert "title" not in sent["properties"]["title"]


CONDITION: Schema = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["mail", "call"]}},
    "required": ["kind"],
    "if": {"properties": {"kind": {"const": "mail"}}},
    "then": {"properties": {"address": {"type": "string"}}, "required": ["address"]},
    "else": {"properties": {"number": {"type": "integer"}}, "required": ["number"]},
}
UNION: Schema = {
    "type": "object",
    "oneOf": [
        {"properties": {"kind": {"const": "mail"}, "address": {"type": "string"}}, "required": ["address"]},
        {"properties": {"kind": {"const": "call"}, "number": {"type": "integer"}}, "required": ["number"]},
    ],
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (CONDITION, '(if kind is "mail", then with address, else with number)'),
        (UNION, '(one of: kind "mail", address; kind "call", number)'),
    ],
)
def test_both_halves_of_a_root_condition_or_union_are_sent(dialect: str, schema: Schema, said: str) -> None:
    sent = to_dialect(schema, dialect).schema
    assert sent is not None
    assert list(sent["properties"]) == ["kind", "address", "number"]
    assert sent["description"] == said
    assert broken(sent, dialect) == []


def test_a_condition_beside_closed_properties_opens_none() -> None:
    sent = to_dialect({**CONDITION, "additionalProperties": False}, "openai").schema
    assert sent is not None
    assert list(sent["properties"]) == ["kind"]


NEVER: list[Any] = [False, {"type": "string", "enum": []}, {"anyOf": [False, {"enum": []}]}]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("never", NEVER)
def test_a_property_that_takes_no_value_is_not_offered_and_the_change_is_told(
    never: bool | Schema, dialect: str
) -> None:
    parts: list[Schema] = [
        {"type": "object", "properties": {"a": never, "b": {"type": "string"}}, "required": ["a", "b"]},
        {"type": "object", "allOf": [{"properties": {"a": never}}, {"properties": {"a": {}, "b": {}}}]},
    ]
    for parameters in parts:
        dialected = to_dialect(parameters, dialect)
        assert dialected.schema is not None
        assert list(dialected.schema["properties"]) == ["b"]
        assert "a" not in dialected.schema.get("required", ())
        assert "leave out a" in dialected.schema["description"]
        assert ("$.properties.a", "dropped") in [(each.path, each.verdict) for each in dialected.changes]
    # Twin: the same property with a schema that takes a value is offered.
    offered = to_dialect({"type": "object", "properties": {"a": {"type": "string"}}}, dialect)
    assert offered.schema is not None
    assert list(offered.schema["properties"]) == ["a"]


@pytest.mark.parametrize("name", [{"$id": "#count"}, {"id": "#count"}, {"$anchor": "count"}])
def test_a_plain_name_is_opened_wherever_it_stands(name: Schema) -> None:
    deep: Schema = {"definitions": {"x": {"type": "array", "items": {**name, "type": "integer"}}}}
    parameters: Schema = {"type": "object", "properties": {"a": {"$ref": "#count"}}, **deep}

    assert to_dialect(parameters, "openai").schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
    }
