"""Helpers that write portable schemas, and the lint that finds what is not."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

import jsonschema_rs
import pytest

from oneclaw.core.define import lint as rules
from oneclaw.core.define.function import tool
from oneclaw.core.define.lint import Finding, lint
from oneclaw.core.define.portable import array, boolean, integer, number, obj, optional, string, string_enum


def within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}}


def found(parameters: dict[str, Any], name: str = "") -> set[tuple[str, str]]:
    return {(each.path, each.keyword) for each in lint(parameters, name)}


FORECAST = obj(
    {
        "city": string("Where.", min_length=1, max_length=80),
        "unit": optional(string_enum(["celsius", "fahrenheit"], "The scale."), default="celsius"),
        "days": optional(integer("How many.", minimum=1, maximum=14)),
        "height": optional(number()),
        "detailed": boolean("All of it."),
        "hours": optional(array(integer(), "Which.", min_items=1, max_items=24)),
        "place": optional(obj({"x": number(), "y": optional(number())}, "A point.")),
    }
)


def test_the_helpers_write_the_schema_one_would_write_by_hand() -> None:
    assert FORECAST == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where.", "minLength": 1, "maxLength": 80},
            "unit": {
                "type": "string",
                "description": "The scale.",
                "enum": ["celsius", "fahrenheit"],
                "default": "celsius",
            },
            "days": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 14},
            "height": {"type": "number"},
            "detailed": {"type": "boolean", "description": "All of it."},
            "hours": {
                "type": "array",
                "description": "Which.",
                "items": {"type": "integer"},
                "minItems": 1,
                "maxItems": 24,
            },
            "place": {
                "type": "object",
                "description": "A point.",
                "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
                "required": ["x"],
            },
        },
        "required": ["city", "detailed"],
    }
    jsonschema_rs.meta.validate(FORECAST)


def test_what_the_helpers_write_is_taken_by_every_provider() -> None:
    assert lint(FORECAST, "get_forecast") == []


def test_what_a_function_gives_is_taken_by_every_provider() -> None:
    @tool
    def plain(
        a: str,
        b: Literal["x", "y"],
        c: int | None = None,
        d: list[str] | None = None,
        e: bool = False,
        f: tuple[float, float] | None = None,
        g: int | str = 3,
    ) -> None: ...

    assert lint(plain.definition.parameters, plain.name) == []


def test_a_type_that_some_provider_refuses_is_told() -> None:
    @tool
    def dated(day: date, table: dict[str, int]) -> None: ...

    assert found(dict(dated.definition.parameters)) == {
        ("$.properties.day", "format"),
        ("$.properties.table", "additionalProperties"),
        ("$.properties.table", "properties"),
    }


RULES: list[tuple[dict[str, Any], str, str, Sequence[str]]] = [
    ({"type": "object", "anyOf": [{"type": "object"}]}, "$", "anyOf", ["openai", "anthropic", "gemini"]),
    ({"type": "object", "oneOf": [], "properties": {}}, "$", "oneOf", ["openai", "anthropic"]),
    ({"type": "object", "allOf": [], "properties": {}}, "$", "allOf", ["openai", "anthropic"]),
    ({"type": "object", "enum": [{}], "properties": {}}, "$", "enum", ["openai"]),
    ({"type": "object", "not": {}, "properties": {}}, "$", "not", ["openai"]),
    ({"type": "array"}, "$", "type", ["openai", "anthropic", "gemini"]),
    ({"properties": {}}, "$", "type", ["openai", "anthropic", "gemini"]),
    ({"type": "object"}, "$", "properties", ["openai"]),
    (within({"$ref": "#/$defs/A"}), "$.properties.x", "$ref", ["gemini"]),
    (within({"const": 1}), "$.properties.x", "const", ["gemini"]),
    (within({"type": ["string", "null"]}), "$.properties.x", "type", ["gemini"]),
    (
        within({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        "$.properties.x.anyOf[1]",
        "type",
        ["gemini"],
    ),
    (within({}), "$.properties.x", "type", ["gemini"]),
    (within({"type": ""}), "$.properties.x", "type", ["openai", "anthropic", "gemini"]),
    (within({"type": "dict"}), "$.properties.x", "type", ["openai", "anthropic", "gemini"]),
    (within({"type": "array"}), "$.properties.x", "items", ["openai", "gemini"]),
    (within({"type": "array", "items": False}), "$.properties.x", "items", ["openai", "gemini"]),
    (within({"type": "array", "items": {}, "prefixItems": []}), "$.properties.x", "prefixItems", ["gemini"]),
    (within({"type": "integer", "enum": [1]}), "$.properties.x", "enum", ["gemini"]),
    (within({"type": "string", "enum": ["a", None]}), "$.properties.x", "enum", ["gemini"]),
    (within({"type": "object", "properties": {}}), "$.properties.x", "properties", ["gemini"]),
    (within({"type": "string", "properties": {"y": {}}}), "$.properties.x", "properties", ["gemini"]),
    (within({"type": "string", "required": ["y"]}), "$.properties.x", "required", ["gemini"]),
    (within({"type": "integer", "exclusiveMinimum": 0}), "$.properties.x", "exclusiveMinimum", ["gemini"]),
    (
        within({"type": "integer", "exclusiveMinimum": True}),
        "$.properties.x",
        "exclusiveMinimum",
        ["anthropic"],
    ),
    ({"$schema": "x", **within({"type": "string"})}, "$", "$schema", ["gemini"]),
    ({"title": "T", **within({"type": "string"})}, "$", "title", ["gemini"]),
    (within({"type": "string", "title": "X"}), "$.properties.x", "title", ["gemini"]),
    ({"type": "object", "properties": {}}, "$", "properties", ["gemini"]),
    (within({"type": "string", "enum": ["", "a"]}), "$.properties.x", "enum", ["gemini"]),
    (within({"type": "string", "enum": []}), "$.properties.x", "enum", ["gemini"]),
    (within({"type": "string", "format": "enum", "enum": []}), "$.properties.x", "enum", ["gemini"]),
    (within({"type": "string", "format": "enum"}), "$.properties.x", "enum", ["gemini"]),
    (
        within({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]}),
        "$.properties.x.anyOf[0]",
        "exclusiveMinimum",
        ["anthropic", "gemini"],
    ),
    (
        within({"type": ["integer", "null"], "exclusiveMaximum": 9}),
        "$.properties.x",
        "exclusiveMaximum",
        ["anthropic"],
    ),
    (
        within({"type": "integer", "nullable": True, "exclusiveMinimum": 0}),
        "$.properties.x",
        "exclusiveMinimum",
        ["anthropic"],
    ),
    (
        within({"type": "integer", "exclusiveMinimum": None}),
        "$.properties.x",
        "exclusiveMinimum",
        ["anthropic", "openai"],
    ),
    (within({"type": "number", "multipleOf": 2}), "$.properties.x", "multipleOf", ["gemini"]),
    (within({"type": "string", "format": "byte"}), "$.properties.x", "format", ["gemini", "openai strict"]),
    (within({"allOf": [{"type": "string"}]}), "$.properties.x", "allOf", ["openai", "gemini"]),
    (within({"oneOf": [{"type": "string"}]}), "$.properties.x", "oneOf", ["openai strict", "gemini"]),
    (within(True), "$.properties.x", "properties", ["gemini"]),
    (
        within({"type": "array", "items": {"type": "object", "patternProperties": {}}}),
        "$.properties.x.items",
        "patternProperties",
        ["gemini", "openai strict"],
    ),
    ({"type": "object", "properties": {}, "required": ["y"]}, "$", "required", ["gemini"]),
    (
        {"type": "object", "properties": {"$top": {"type": "string"}}},
        "$.properties.$top",
        "properties",
        ["anthropic"],
    ),
    (
        {"type": "object", "properties": {"a" * 65: {"type": "string"}}},
        "$.properties." + "a" * 65,
        "properties",
        ["anthropic"],
    ),
]


@pytest.mark.parametrize(
    ("schema", "path", "keyword", "providers"), RULES, ids=[f"{r[1]} {r[2]}" for r in RULES]
)
def test_what_a_provider_refuses_is_found_with_its_place(
    schema: dict[str, Any], path: str, keyword: str, providers: Sequence[str]
) -> None:
    here = [each for each in lint(schema) if (each.path, each.keyword) == (path, keyword)]

    assert here, lint(schema)
    assert set(providers) <= {who for each in here for who in each.providers}
    assert all(each.instead for each in here)


def nothing(*_: object) -> list[Finding]:
    return []


@pytest.mark.parametrize(
    ("schema", "keyword", "provider", "guard", "instead"),
    [
        *(
            ({word: "x", **within({"type": "string"})}, word, "gemini", "_KNOWN_TO_GEMINI", {word})
            for word in ("$schema", "title", "$comment")
        ),
        (within({"type": "string", "format": "enum"}), "enum", "gemini", "_lint_values", nothing),
        (within({"type": "string", "enum": [""]}), "enum", "gemini", "_lint_values", nothing),
        ({"type": "object", "properties": {}}, "properties", "gemini", "_lint_root", nothing),
        (within({"type": "object"}), "properties", "gemini", "_lint_object", nothing),
        (
            within({"type": "string", "examples": ["x"]}),
            "examples",
            "gemini",
            "_KNOWN_TO_GEMINI",
            {"examples"},
        ),
        (within({"type": "string", "enum": []}), "enum", "openai", "_lint_values", nothing),
        (within({"type": "string", "description": 5}), "description", "anthropic", "_FORMS", ()),
        (within({"type": "string", "required": True}), "required", "openai", "_FORMS", ()),
        (within("string"), "properties", "anthropic", "_lint_members", nothing),
        *(
            (within(schema), "exclusiveMinimum", "anthropic", "_lint_bounds", nothing)
            for schema in (
                {"type": ["integer", "null"], "exclusiveMinimum": 0},
                {"type": "integer", "nullable": True, "exclusiveMinimum": 0},
                {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]},
                {"type": ["integer", "null"], "minimum": 0, "exclusiveMinimum": True},
            )
        ),
    ],
)
def test_without_its_rule_what_a_provider_refuses_is_not_named(
    monkeypatch: pytest.MonkeyPatch,
    schema: dict[str, Any],
    keyword: str,
    provider: str,
    guard: str,
    instead: object,
) -> None:
    """The twin of what Gemini and Anthropic refuse: each with its own rule taken out."""

    def is_named() -> bool:
        return any(one.keyword == keyword and provider in one.providers for one in lint(schema))

    assert is_named()
    monkeypatch.setattr(rules, guard, instead)
    assert not is_named()


def test_what_providers_take_is_not_named() -> None:
    bound = {"type": "integer", "exclusiveMinimum": 0}
    assert "anthropic" not in {who for each in lint(within(bound)) for who in each.providers}
    assert lint(within({"type": "string", "format": "enum", "enum": ["a"]}))[0].providers == (
        "openai strict",
    )
    assert lint(obj({"title": string("A title."), "x": string_enum(["a", "b"])})) == []


@pytest.mark.parametrize("name", ["admin.tools.list", "a" * 65, "with space", "1st", "größe"])
def test_a_tool_name_that_is_refused_is_found(name: str) -> None:
    assert ("$", "name") in found(within({"type": "string"}), name)
    assert ("$", "name") not in found(within({"type": "string"}), "list_tools")


def test_properties_named_like_keywords_and_values_like_schemas_are_left_alone() -> None:
    named = {
        name: {"type": "string"} for name in ("const", "allOf", "items", "type", "enum", "not", "format")
    }
    schema = obj(
        {
            "named": {"type": "object", "properties": named},
            "given": {"type": "string", "default": {"const": 1, "$ref": "x"}, "example": [{"oneOf": []}]},
        }
    )

    assert lint(schema) == []


def test_a_finding_reads_as_a_sentence() -> None:
    finding = Finding("$.properties.x", "const", ("gemini",), "an enum with one value")

    assert str(finding) == "$.properties.x: gemini refuses 'const' here; write an enum with one value."


def test_a_schema_nested_very_deep_is_read() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}

    assert lint(obj({"x": schema})) == []
