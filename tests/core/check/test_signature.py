"""A tool in one short line."""

from typing import Any

import pytest

from oneclaw.core.check.signature import SIGNATURE_CHARS, describe_call, describe_type, resolve


def test_required_parameters_come_first_and_the_rest_is_marked() -> None:
    parameters = {
        "type": "object",
        "properties": {"offset": {"type": "integer"}, "path": {"type": "string"}},
        "required": ["path"],
    }
    assert describe_call("read_file", parameters) == "read_file(path: string, offset?: integer)"


TYPES: list[tuple[Any, str]] = [
    ({}, "any"),
    (True, "any"),
    ({"type": "array", "items": {"type": "string"}}, "string[]"),
    ({"type": "array", "items": {"type": ["string", "null"]}}, "(string|null)[]"),
    ({"type": "array"}, "array"),
    ({"enum": ["a", 1, None]}, '"a"|1|null'),
    ({"enum": list(range(20))}, "0|1|2|3|4|5|6|7|…"),
    ({"const": "x"}, '"x"'),
    ({"enum": []}, "never"),
    (False, "never"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer|null"),
    ({"oneOf": [{"type": "integer"}, {"type": "integer"}]}, "integer"),
    ({"properties": {}}, "object"),
    ({"$ref": "#/$defs/count"}, "integer"),
    ({"$ref": "#/$defs/loop"}, "any[][][]"),
    ({"$ref": "http://elsewhere"}, "any"),
]


@pytest.mark.parametrize(("schema", "text"), TYPES, ids=[text for _, text in TYPES])
def test_a_type_is_short(schema: Any, text: str) -> None:
    root = {
        "$defs": {"count": {"type": "integer"}, "loop": {"type": "array", "items": {"$ref": "#/$defs/loop"}}}
    }
    assert describe_type(schema, root, 6) == text


def test_a_root_that_refers_is_followed() -> None:
    parameters = {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"type": "object", "properties": {"x": {"type": "null"}}}},
    }
    assert describe_call("t", parameters) == "t(x?: null)"


def test_a_signature_stays_short_and_plain() -> None:
    parameters = {"properties": {f"long_name_{number}": {"type": "string"} for number in range(1_000)}}
    assert len(describe_call("t", parameters)) <= SIGNATURE_CHARS + 1
    assert describe_call("t", {"properties": {"a\u202eb": {}}}) == "t(a\\u202eb?: any)"


def test_a_reference_is_resolved_within_the_document_only() -> None:
    root = {"$defs": {"a/b": [{"x": 1}], "~": 2}}
    assert resolve("#", root) is root
    assert resolve("#/$defs/a~1b/0/x", root) == 1
    assert resolve("#/$defs/~0", root) == 2
    for reference in ("#/$defs/no", "#/$defs/a~1b/1", "#/$defs/a~1b/x", "#anchor", "other.json"):
        assert resolve(reference, root) is None


MAIL: dict[str, Any] = {
    "properties": {"kind": {"const": "mail"}, "address": {"type": "string"}},
    "required": ["address"],
}
CALL: dict[str, Any] = {
    "properties": {"kind": {"const": "call"}, "number": {"type": "integer"}},
    "required": ["number"],
}


FORMS: list[tuple[dict[str, Any], str]] = [
    (
        {"oneOf": [MAIL, CALL], "required": ["kind"]},
        'send(kind: "mail", address: string) or send(kind: "call", number: integer)',
    ),
    (
        {"properties": {"q": {"type": "string"}}, "anyOf": [{"required": ["q"]}, {"$ref": "#/$defs/id"}]}
        | {"$defs": {"id": {"properties": {"id": {"type": "integer"}}, "required": ["id"]}}},
        "send(q: string) or send(id: integer, q?: string)",
    ),
    (
        {
            "properties": {"kind": {"enum": ["mail", "call"]}},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "mail"}}},
            "then": {"required": ["address"], "properties": {"address": {"type": "string"}}},
            "else": {"required": ["number"], "properties": {"number": {"type": "integer"}}},
        },
        'send(kind: "mail", address: string) or send(kind: "mail"|"call", number: integer)',
    ),
    ({"allOf": [MAIL, {"properties": {"cc": {}}}]}, 'send(address: string, kind?: "mail", cc?: any)'),
    ({"$ref": "#"}, "send()"),
]


@pytest.mark.parametrize(("schema", "shown"), FORMS)
def test_every_form_of_a_call_is_shown(schema: dict[str, Any], shown: str) -> None:
    assert describe_call("send", {"type": "object", **schema}) == shown


def test_a_parameter_that_may_not_be_given_is_not_shown_unless_it_is_required() -> None:
    parameters: dict[str, Any] = {"properties": {"a": False, "b": {"enum": []}, "c": {"type": "string"}}}
    assert describe_call("t", parameters) == "t(c?: string)"
    assert describe_call("t", {**parameters, "required": ["a"]}) == "t(a: never, c?: string)"
