"""Real schemas in the dialect of every provider: no rule broken, nothing refused that we take."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest
from tests.corpus.conftest import Rows
from tests.providers.rulebook import as_json_schema, broken, is_list, is_map, with_nulls
from tests.providers.values import values_of

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import ToolError
from oneclaw.core.make.foreign import adopt
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.definitions import PROVIDERS, definitions_for
from oneclaw.providers.dialect.convert import DIALECTS, Dialected, can_be_strict, to_dialect
from oneclaw.providers.names import Names


def raw_schemas(rows: Rows) -> Iterator[Mapping[str, Any]]:
    yield from (row["inputSchema"] for row in rows("mcp_tools"))
    yield from (row["function"]["parameters"] for row in rows("bfcl_functions"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_rule_is_broken_by_any_real_tool(tools: tuple[ToolDefinition, ...], dialect: str) -> None:
    for definition in tools:
        dialected = to_dialect(definition.parameters, dialect)
        spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
        assert broken(dialected.schema, spoken) == [], definition.name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_rule_is_broken_by_schemas_as_they_were_found(rows: Rows, dialect: str) -> None:
    for schema in raw_schemas(rows):
        before = json.dumps(schema)
        dialected = to_dialect(schema, dialect)
        spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
        assert broken(dialected.schema, spoken) == [], schema
        assert json.dumps(schema) == before


def in_capitals(schema: Any) -> Any:
    """A schema that fails by more than its small letters."""
    if is_list(schema):
        return [in_capitals(each) for each in schema]
    if not is_map(schema):
        return schema
    fresh = {key: in_capitals(value) for key, value in schema.items()}
    return {**fresh, "type": schema["type"].upper()} if isinstance(schema.get("type"), str) else fresh


def test_the_rules_find_something_in_schemas_that_were_not_converted(rows: Rows) -> None:
    for row in rows("provider_schema_rejections"):
        if not row["rule"].startswith(("property named", "properties named", "literal objects", "tool name")):
            is_gemini = row["provider"] == "gemini"
            schema = in_capitals(row["schema"]) if is_gemini else row["schema"]
            assert broken(schema, "gemini_parameters" if is_gemini else row["provider"]), row["rule"]


def test_what_providers_refused_is_taken_after_the_conversion(rows: Rows) -> None:
    for row in rows("provider_schema_rejections"):
        for dialect in DIALECTS:
            dialected = to_dialect(row["schema"], dialect)
            spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
            assert broken(dialected.schema, spoken) == [], (row["rule"], dialect)
        if row["tool_name"]:
            wire = Names([row["tool_name"], "q"]).wire(row["tool_name"])
            assert len(wire) <= 64
            assert wire.replace("_", "").replace("-", "").isalnum()


def invariants(rows: Rows) -> dict[str, dict[str, Any]]:
    return {row["rule"]: row["schema"] for row in rows("provider_schema_rejections") if row["invariant"]}


def accepts(schema: Mapping[str, Any], arguments: dict[str, Any]) -> bool:
    definition = adopt({"name": "t", "parameters": schema}).definition
    try:
        ArgumentCheck(definition).check(arguments)
    except ToolError:
        return False
    return True


def test_bounds_that_cannot_be_sent_are_not_lost(rows: Rows) -> None:
    found = invariants(rows)
    sent = to_dialect(found["exclusiveMinimum"], "gemini_parameters").schema
    assert sent is not None
    assert sent["properties"]["limit"] == {"type": "INTEGER", "minimum": 1}
    assert not accepts(found["exclusive tighter than inclusive"], {"n": 5})
    told = to_dialect(found["exclusive tighter than inclusive"], "gemini_parameters").schema
    assert told is not None
    assert told["properties"]["n"] == {"type": "NUMBER", "minimum": 10, "description": "(above 10)"}


def test_a_union_of_what_is_required_is_still_checked_and_said(rows: Rows) -> None:
    schema = invariants(rows)["top-level anyOf of required"]
    assert not accepts(schema, {"project": "p", "identifier": "i"})
    assert accepts(schema, {"project": "p", "identifier": "i", "title": "t"})
    sent = to_dialect(schema, "anthropic").schema
    assert sent is not None
    assert "title; description; priority" in sent["description"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_properties_named_like_keywords_survive(rows: Rows, dialect: str) -> None:
    for row in rows("provider_schema_rejections"):
        if row["rule"].startswith(("property named", "properties named")):
            sent = to_dialect(row["schema"], dialect)
            assert sent.schema is not None
            arguments = {name: name for name in sent.schema["properties"]}
            assert list(sent.restore(arguments)) == list(row["schema"]["properties"])


def test_a_tool_gets_its_own_names_though_others_were_sent(rows: Rows) -> None:
    for row in rows("provider_schema_rejections"):
        if row["rule"].startswith("property key"):
            sent = to_dialect(row["schema"], "anthropic")
            assert sent.schema is not None
            wires = list(sent.schema["properties"])
            assert len(set(wires)) == len(row["schema"]["properties"])
            restored = sent.restore({wire: number for number, wire in enumerate(wires)})
            assert restored == {name: number for number, name in enumerate(row["schema"]["properties"])}


def validator(sent: Dialected, dialect: str) -> jsonschema_rs.Validator:
    schema = as_json_schema(sent.schema) if dialect == "gemini_parameters" else sent.schema or {}
    return jsonschema_rs.validator_for(schema, validate_formats=False)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_call_is_refused_on_the_way_that_we_take(tools: tuple[ToolDefinition, ...], dialect: str) -> None:
    looked_at = 0
    for definition in tools:
        sent = to_dialect(definition.parameters, dialect)
        if sent.schema is None:
            continue
        ours = jsonschema_rs.validator_for(dict(definition.parameters), validate_formats=False)
        theirs = validator(sent, dialect)
        wires = {ours: wire for wire, ours in sent.way.names.items()} if sent.way else {}
        for value in values_of(definition.parameters, definition.parameters):
            if not ours.is_valid(value):
                continue
            looked_at += 1
            spoken = {wires.get(name, name): each for name, each in value.items()}
            if sent.is_strict:
                spoken = with_nulls(sent.schema, spoken)
            assert theirs.is_valid(spoken), (definition.name, spoken, sent.schema)
    assert looked_at > 5_000


def test_most_real_tools_can_be_strict(tools: tuple[ToolDefinition, ...]) -> None:
    assert sum(can_be_strict(each.parameters) for each in tools) > 0.9 * len(tools)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_real_tools_are_written_and_mapped_back(tools: tuple[ToolDefinition, ...], provider: str) -> None:
    sent = definitions_for(tools, provider)
    assert definitions_for(reversed(tools), provider).tools == sent.tools
    entries = sent.tools[0]["functionDeclarations"] if provider.startswith("gemini") else sent.tools
    names = [each.get("function", each)["name"] for each in entries]
    assert sorted(sent.names.ours(name) for name in names) == sorted(each.name for each in tools)
    json.dumps(sent.tools, allow_nan=False)
