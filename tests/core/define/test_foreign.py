"""Foreign function documents become definitions, and every change is told."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.define.foreign import adopt
from oneclaw.core.define.typename import read_type
from oneclaw.core.errors import InvalidTool, ToolError

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def mend(schema: Any) -> tuple[Any, list[str]]:
    """The schema of a parameter `x` after adoption, and the notes."""
    adopted = adopt({"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}})
    return adopted.definition.parameters["properties"]["x"], list(adopted.notes)


@pytest.mark.parametrize(
    "document",
    [
        {"name": "get_weather", "description": "Look.", "parameters": SCHEMA},
        {
            "type": "function",
            "name": "get_weather",
            "description": "Look.",
            "parameters": SCHEMA,
            "strict": False,
        },
        {
            "type": "function",
            "function": {"name": "get_weather", "description": "Look.", "parameters": SCHEMA},
        },
        {"name": "get_weather", "description": "Look.", "input_schema": SCHEMA},
        {"name": "get_weather", "description": "Look.", "inputSchema": SCHEMA},
        {"name": "get_weather", "description": "Look.", "parametersJsonSchema": SCHEMA},
    ],
)
def test_every_form_of_a_document_gives_the_same_definition(document: dict[str, Any]) -> None:
    adopted = adopt(document)

    assert adopted.notes == ()
    assert adopted.definition.name == "get_weather"
    assert adopted.definition.description == "Look."
    assert adopted.definition.parameters == SCHEMA
    assert adopted.definition.label == "get_weather"


@pytest.mark.parametrize("parameters", [None, {}, {"type": "object"}, {"type": "dict", "properties": {}}])
def test_a_function_without_parameters_takes_an_empty_object(parameters: Any) -> None:
    definition = adopt({"name": "f", "parameters": parameters}).definition

    assert definition.parameters == {"type": "object", "properties": {}}
    assert ArgumentCheck(definition).check({}).arguments == {}


def test_a_name_is_made_to_fit_and_the_one_it_had_stays_as_label() -> None:
    adopted = adopt({"name": "Weather.getToday", "title": None})

    assert (adopted.definition.name, adopted.definition.label) == ("weather_get_today", "Weather.getToday")
    assert adopted.notes == ("name: 'Weather.getToday' became 'weather_get_today'",)


def test_names_stay_apart() -> None:
    taken: list[str] = []
    for original in ["a.b", "a_b", "a-b", "A.B"]:
        taken.append(adopt({"name": original}, taken=taken).definition.name)

    assert taken == ["a_b", "a_b_2", "a_b_3", "a_b_4"]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({}, "needs a name"),
        ({"name": 5}, "needs a name"),
        ({"name": " "}, "needs a name"),
        ({"name": "f", "parameters": []}, "its parameters are a list, not an object"),
        ({"name": "f", "parameters": {"type": "array", "items": {}}}, "of type 'array', not an object"),
    ],
)
def test_a_document_that_cannot_be_a_tool_is_refused(document: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidTool, match=text):
        adopt(document)


def test_a_document_nested_without_end_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}

    with pytest.raises(InvalidTool, match="nested deeper than 100 levels"):
        mend(schema)


def test_fields_a_definition_does_not_have_are_told() -> None:
    assert adopt({"name": "f", "response": {}, "cost": 3}).notes == (
        "cost: was left out: a tool definition has no such field",
        "response: was left out: a tool definition has no such field",
    )


TYPES: list[tuple[str, Any]] = [
    ("dict", {"type": "object"}),
    ("float", {"type": "number"}),
    ("tuple", {"type": "array"}),
    ("any", {}),
    ("", {}),
    ("String", {"type": "string"}),
    ("OBJECT", {"type": "object"}),
    ("Boolean", {"type": "boolean"}),
    ("ArrayList", {"type": "array"}),
    ("HashMap", {"type": "object"}),
    ("long", {"type": "integer"}),
    ("char", {"type": "string"}),
    ("double", {"type": "number"}),
    ("Bigint", {"type": "integer"}),
    ("java.util.List", {"type": "array"}),
    ("MyOwnClass", {}),
    ("list[int]", {"type": "array", "items": {"type": "integer"}}),
    ("List<String>", {"type": "array", "items": {"type": "string"}}),
    (
        "typing.List[typing.List[float]]",
        {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    ),
    ("string[]", {"type": "array", "items": {"type": "string"}}),
    ("Dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
    (
        "Map<String, List<Integer>>",
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
    ),
    ("Tuple[int, str]", {"type": "array"}),
    ("tuple[float, ...]", {"type": "array", "items": {"type": "number"}}),
    ("Optional[str]", {"type": ["string", "null"]}),
    ("Union[int, str]", {"type": ["integer", "string"]}),
    ("int | None", {"type": ["integer", "null"]}),
    ("string or number", {"type": ["string", "number"]}),
    ("str | list[int]", {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}),
    ("str | Whatever", {}),
    ("list of strings", {"type": "array", "items": {"type": "string"}}),
    ("int, optional", {"type": "integer"}),
    ("string (optional)", {"type": "string"}),
]


@pytest.mark.parametrize(("name", "schema"), TYPES)
def test_a_type_name_of_another_language_is_understood(name: str, schema: Any) -> None:
    mended, notes = mend({"type": name})

    assert mended == schema
    assert len(notes) == 1
    assert notes[0].startswith(f"$.properties.x: type {name!r} became ")


@given(st.text(alphabet="listdct[]<>(),| ofr.", max_size=40))
def test_any_type_name_gives_a_valid_schema(name: str) -> None:
    jsonschema_rs.meta.validate(read_type(name))


def test_types_are_mapped_wherever_a_schema_may_stand() -> None:
    odd = {"type": "float"}
    mended, notes = mend(
        {
            "type": "dict",
            "properties": {"a": odd, "b": {"type": "tuple", "items": odd}},
            "additionalProperties": odd,
            "anyOf": [odd],
        }
    )

    assert json.dumps(mended).count('"number"') == 4
    assert sorted(note.partition(":")[0] for note in notes) == [
        "$.properties.x",
        "$.properties.x.additionalProperties",
        "$.properties.x.anyOf[0]",
        "$.properties.x.properties.a",
        "$.properties.x.properties.b",
        "$.properties.x.properties.b.items",
    ]


def test_properties_named_like_keywords_stay() -> None:
    named = {
        name: {"type": "string"} for name in ("type", "items", "enum", "required", "default", "optional")
    }
    adopted = adopt(
        {"name": "f", "parameters": {"type": "object", "properties": named, "required": ["type"]}}
    )

    assert adopted.definition.parameters["properties"] == named
    assert adopted.notes == ()


MENDED: list[tuple[Any, Any, str]] = [
    (
        {"type": "boolean", "default": "false"},
        {"type": "boolean"},
        "default 'false' was left out: it does not fit",
    ),
    ({"type": "integer", "default": 5}, {"type": "integer", "default": 5}, ""),
    ({"type": "float", "default": 1}, {"type": "number", "default": 1}, "became number"),
    (
        {"type": "array", "items": {"type": "integer"}, "default": ["a"]},
        {"type": "array", "items": {"type": "integer"}},
        "default ['a'] was left out",
    ),
    (
        {"type": "dict", "properties": {"a": {"type": "integer"}}, "default": {"a": "b"}},
        {"type": "object", "properties": {"a": {"type": "integer"}}},
        "default {'a': 'b'} was left out",
    ),
    (
        {"type": "string", "default": None, "enum": ["a"]},
        {"type": ["string", "null"], "default": None, "enum": ["a", None]},
        "null was allowed beside the type: it is the default",
    ),
    (
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
        "nullable became null beside the type",
    ),
    (
        {"type": "array", "items": {"type": "string"}, "enum": ["a", "b"]},
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "enum moved to the items of the array",
    ),
    (
        {"type": "integer", "enum": ["1", "dontcare"], "default": "dontcare"},
        {"type": "string", "enum": ["1", "dontcare"], "default": "dontcare"},
        "type 'integer' became string, the type of its enum",
    ),
    ({"type": "string", "enum": []}, {"type": "string", "enum": []}, "enum is empty: no value fits"),
    ({"type": "string", "$id": "#word"}, {"type": "string", "$anchor": "word"}, "$id '#word' became $anchor"),
    ({"type": "string", "id": "#word"}, {"type": "string", "$anchor": "word"}, "id '#word' became $anchor"),
    ({"type": "string", "$id": "a#b"}, {"type": "string"}, "$id 'a#b' was left out"),
    ({"type": "string", "$id": "#/a"}, {"type": "string"}, "$id '#/a' was left out"),
    ({"type": "string", "enum": "a"}, {"type": "string"}, "enum 'a' was left out"),
    ({"type": "enum", "values": ["a"]}, {"enum": ["a"]}, "type 'enum' became any value"),
    (
        {"properties": {"a": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        "became object",
    ),
    ({"type": ["String", "null"]}, {"type": ["string", "null"]}, "became string or null"),
    ({"type": 5}, {}, "type 5 became any value"),
    (
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        {"type": "integer", "exclusiveMinimum": 0},
        "the boolean exclusiveMinimum of draft 4 became the bound itself",
    ),
    ({"type": "integer", "maximum": "5"}, {"type": "integer", "maximum": 5}, "maximum '5' became 5"),
    ({"type": "integer", "maximum": "many"}, {"type": "integer"}, "maximum None was left out"),
    ({"type": "string", "maxLength": -1}, {"type": "string"}, "maxLength -1 was left out"),
    ({"type": "number", "multipleOf": 0}, {"type": "number"}, "multipleOf 0 was left out"),
    ({"type": "string", "description": ["a"]}, {"type": "string"}, "description ['a'] was left out"),
    (
        {"type": "array", "items": [{"type": "int"}]},
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        "prefixItems",
    ),
    (
        {"type": "array", "items": "str"},
        {"type": "array", "items": {"type": "string"}},
        "'str' became a schema of this type",
    ),
    ({"anyOf": [], "type": "string"}, {"type": "string"}, "anyOf [] was left out"),
    ("string", {"type": "string"}, "'string' became a schema of this type"),
    (None, {}, "None is not a schema: any value is allowed"),
    ({"type": "string", "optional": True}, {"type": "string"}, "what is not required is optional"),
    (
        {"type": "object", "properties": [{"name": "a", "type": "string"}]},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        "a list of properties became an object of properties",
    ),
    (
        {"type": "object", "properties": {"a": {"type": "string", "required": True}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "required at the property moved to its object",
    ),
    (
        {"type": "object", "properties": {"a": {"type": "string", "required": False}}, "required": "a"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "required 'a' became a list",
    ),
    (
        {"type": "object", "properties": {"a": {"type": "string", "default": "b"}}, "required": ["a", "a"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        "default 'b' was left out: it is required",
    ),
    (
        {"type": "string", "$schema": "http://json-schema.org/draft-07/schema#"},
        {"type": "string"},
        "parameters are read as draft 2020-12",
    ),
]


@pytest.mark.parametrize(("schema", "expected", "note"), MENDED, ids=[str(case[0])[:60] for case in MENDED])
def test_an_odd_schema_is_mended_and_the_change_is_told(schema: Any, expected: Any, note: str) -> None:
    mended, notes = mend(schema)

    assert mended == expected
    assert note in " ".join(notes)
    jsonschema_rs.meta.validate(mended)


def test_bare_parameters_become_properties() -> None:
    adopted = adopt({"name": "f", "parameters": {"city": {"type": "str"}, "days": {"type": "int"}}})

    assert adopted.definition.parameters["properties"] == {
        "city": {"type": "string"},
        "days": {"type": "integer"},
    }
    assert adopted.notes[0] == "$: bare parameters became the properties of an object"


def test_a_required_parameter_stays_required_whatever_default_it_had() -> None:
    parameters = {"type": "dict", "properties": {"a": {"type": "integer", "default": 1}}, "required": ["a"]}
    definition = adopt({"name": "f", "parameters": parameters}).definition

    with pytest.raises(ToolError, match="a"):
        ArgumentCheck(definition).check({})
    # Had the default stayed, it would have stood in for the missing argument.
    kept = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}, "required": ["a"]}
    assert ArgumentCheck(type(definition)(name="f", parameters=kept)).check({}).arguments == {"a": 1}


def test_the_document_itself_is_not_changed() -> None:
    document = {
        "name": "F",
        "parameters": {"type": "dict", "properties": {"a": {"type": "float", "default": "x"}}},
    }
    before = json.dumps(document)
    adopt(document)

    assert json.dumps(document) == before


def test_notes_and_schema_are_the_same_in_every_run() -> None:
    schema: Any = {"multipleOf": 0, "maximum": "x", "minimum": "y", "anyOf": [], "oneOf": [], "type": "float"}

    assert [note.split()[1] for note in mend(schema)[1]] == [
        *("anyOf", "oneOf", "type", "multipleOf", "maximum", "maximum", "minimum", "minimum"),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYWORDS = (
    "type properties items required enum default optional nullable minimum maxLength anyOf prefixItems"
    " additionalProperties description exclusiveMinimum multipleOf uniqueItems examples $ref $id"
)
KEYWORD = st.sampled_from(KEYWORDS.split())
ODD_SCHEMA = st.recursive(
    st.dictionaries(KEYWORD, JSON, max_size=4),
    lambda inner: (
        st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=3), inner, max_size=2)})
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["array", "tuple"]), "items": inner, "default": JSON}
        )
    ),
    max_leaves=6,
)


@given(ODD_SCHEMA)
def test_whatever_is_written_at_a_parameter_becomes_a_valid_schema(schema: Any) -> None:
    mended, _ = mend(schema)

    jsonschema_rs.meta.validate(mended)


def test_a_root_that_may_be_null_is_an_object_and_the_change_is_told() -> None:
    for root in (
        {"type": ["object", "null"]},
        {"type": "object", "nullable": True},
        {"type": "object | null"},
    ):
        adopted = adopt({"name": "f", "parameters": {**root, "properties": {"a": {"type": "string"}}}})
        assert adopted.definition.parameters["type"] == "object"
        assert "$: type became object: the arguments of a call are never null" in adopted.notes
        assert ArgumentCheck(adopted.definition).check({"a": "x"}).arguments == {"a": "x"}
        with pytest.raises(ToolError, match="must be a JSON object, not null"):
            ArgumentCheck(adopted.definition).check("null")


NEVER: list[Any] = [False, {"type": "string", "enum": []}, {"anyOf": [False, {"enum": []}]}]


@pytest.mark.parametrize("never", NEVER)
def test_a_property_that_takes_no_value_may_not_be_given(never: Any) -> None:
    parameters = {"type": "object", "properties": {"a": never, "b": {"type": "string"}}}
    check = ArgumentCheck(adopt({"name": "f", "parameters": parameters}).definition)

    assert check.check({"b": "x"}).arguments == {"b": "x"}
    with pytest.raises(ToolError, match="must be left out"):
        check.check({"a": "x", "b": "x"})
    # Without it, the same call is taken: it is the schema that refuses.
    allowed = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    open_check = ArgumentCheck(adopt({"name": "f", "parameters": allowed}).definition)
    assert open_check.check({"a": "x", "b": "x"}).arguments == {"a": "x", "b": "x"}


@pytest.mark.parametrize("draft", [{}, {"$schema": "http://json-schema.org/draft-07/schema#"}])
@pytest.mark.parametrize("keyword", ["$id", "id"])
def test_a_plain_name_of_an_older_draft_leads_to_its_schema(keyword: str, draft: dict[str, str]) -> None:
    parameters = {
        **draft,
        "type": "object",
        "properties": {"a": {"$ref": "#count"}},
        "definitions": {"x": {keyword: "#count", "type": "integer"}},
    }
    check = ArgumentCheck(adopt({"name": "f", "parameters": parameters}).definition)

    assert check.check({"a": 1}).arguments == {"a": 1}
    with pytest.raises(ToolError, match="expected type 'integer'"):
        check.check({"a": "many"})


def test_an_enum_keeps_its_type_where_one_of_its_values_has_it() -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"type": "string", "enum": ["x", None]}},
        "required": ["a"],
    }
    definition = adopt({"name": "f", "parameters": parameters}).definition

    assert definition.parameters["properties"]["a"]["type"] == "string"
    with pytest.raises(ToolError, match="expected type 'string'"):
        ArgumentCheck(definition).check({"a": None})
