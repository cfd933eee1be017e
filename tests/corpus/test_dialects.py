"""Real schemas in the dialect of every provider: no rule broken, nothing refused that we take."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs
import pytest
from tests.corpus.conftest import Judged, Rows, has_rows
from tests.providers.rulebook import as_json_schema, broken, is_list, is_map, nodes, with_nulls
from tests.providers.values import values_of

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.define.foreign import adopt
from oneclaw.core.define.lint import lint
from oneclaw.core.errors import ToolError
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.definitions import PROVIDERS, definitions_for
from oneclaw.providers.dialect.convert import DIALECTS, Dialected, to_dialect
from oneclaw.providers.names import Names


def raw_schemas(rows: Rows) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in filter(has_rows, ("mcp_tools", "bfcl_functions")):
        for row in rows(name):
            yield row["id"], row["inputSchema"] if name == "mcp_tools" else row["function"]["parameters"]


def test_every_real_tool_is_adopted(rows: Rows, judged: Judged) -> None:
    for name, schema in raw_schemas(rows):
        with judged(name):
            adopt({"name": "t", "parameters": schema})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_rule_is_broken_by_any_real_tool(
    tools: tuple[ToolDefinition, ...], dialect: str, judged: Judged
) -> None:
    for definition in tools:
        with judged(definition.name):
            dialected = to_dialect(definition.parameters, dialect)
            spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
            assert broken(dialected.schema, spoken) == [], definition.name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_rule_is_broken_by_schemas_as_they_were_found(rows: Rows, dialect: str, judged: Judged) -> None:
    for name, schema in raw_schemas(rows):
        with judged(name):
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


def also_refused(schema: Any, provider: str) -> Iterator[str]:
    """What is refused of schemas as they are found, and never sent: empty values, open bounds beside null."""
    for path, node in nodes(schema):
        if provider == "gemini" and is_list(node.get("enum")) and "" in node["enum"]:
            yield f"{path}: an empty value"
        branches = [each for each in (node, *node.get("anyOf", ())) if is_map(each)]
        allows_null = any("null" in str(each.get("type")) or each.get("nullable") for each in branches)
        has_bound = any(key.startswith("exclusive") for each in branches for key in each)
        if provider == "anthropic" and allows_null and has_bound:
            yield f"{path}: an open bound beside null"


TAKEN = {
    "openai": (": const", ": $ref", ": $defs"),
    "anthropic": (": const", ": $ref", ": $defs", ": allOf", ": oneOf", " items", " enum", "no properties"),
}
"""What is written otherwise for a provider, though it takes it as it is."""


def found_in(row: dict[str, Any]) -> list[str]:
    """The rules that a schema breaks as it was found, and its name."""
    is_gemini = row["provider"] == "gemini"
    schema = in_capitals(row["schema"]) if is_gemini else row["schema"]
    name = row["tool_name"] or "q"
    is_name = re.fullmatch(r"[a-zA-Z_][\w.-]{0,63}" if is_gemini else r"[a-zA-Z0-9_-]{1,64}", name, re.ASCII)
    taken = TAKEN.get(row["provider"], ())
    rules = broken(schema, "gemini_parameters" if is_gemini else row["provider"])
    return [
        *(rule for rule in rules if not rule.endswith(taken)),
        *also_refused(row["schema"], row["provider"]),
        *([] if is_name else [f"the name {name}"]),
    ]


def test_the_rules_find_something_in_schemas_that_were_not_converted(rows: Rows, judged: Judged) -> None:
    """What Google's own types refuse, our second writing of the rules refuses too."""
    for row in rows("provider_schema_rejections"):
        if row.get("google_genai_3_1_0_Schema") == "rejects":
            with judged(row["id"]):
                assert found_in(row), row["rule"]


def test_what_was_refused_is_linted_for_that_provider(rows: Rows, judged: Judged) -> None:
    """Some schemas every provider takes; it was the cleaning on the way that broke them."""
    for row in rows("provider_schema_rejections"):
        with judged(row["id"]):
            findings = lint(row["schema"], row["tool_name"] or "")
            refusing = {who.partition(" ")[0] for finding in findings for who in finding.providers}
            assert row["provider"] in refusing or not found_in(row), (row["rule"], findings)


def test_what_providers_refused_is_taken_after_the_conversion(rows: Rows, judged: Judged) -> None:
    for row in rows("provider_schema_rejections"):
        with judged(row["id"]):
            for dialect in DIALECTS:
                dialected = to_dialect(row["schema"], dialect)
                spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
                assert broken(dialected.schema, spoken) == [], (row["rule"], dialect)
            if row["tool_name"]:
                wire = Names([row["tool_name"], "q"]).wire(row["tool_name"])
                assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", wire)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_property_survives_and_is_mapped_back(rows: Rows, dialect: str, judged: Judged) -> None:
    for row in rows("provider_schema_rejections"):
        with judged(row["id"]):
            sent = to_dialect(row["schema"], dialect)
            named = row["schema"].get("properties")
            names = [name for name, each in named.items() if not is_never(each)] if is_map(named) else []
            if names:
                assert sent.schema is not None
                wires = list(sent.schema["properties"])
                restored = sent.restore({wire: wire for wire in wires})
                assert list(restored)[: len(names)] == names
                assert list(restored.values()) == wires


def is_never(schema: Any) -> bool:
    """Whether no value fits, so that the property may not be given."""
    return schema is False or (is_map(schema) and schema.get("enum") == [])


def never(address: str) -> Any:
    """The judge fetches no other document, whatever a row refers to."""
    raise ValueError(f"{address} is not fetched")


def checked(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The arguments a tool would be given; None when they are refused."""
    definition = adopt({"name": "t", "parameters": schema}).definition
    try:
        return ArgumentCheck(definition).check(arguments).arguments
    except ToolError:
        return None


def test_arguments_are_checked_by_all_that_a_refused_schema_says(rows: Rows, judged: Judged) -> None:
    """Whatever a provider is not told: a value the schema refuses is still refused."""
    for row in rows("provider_schema_rejections"):
        with judged(row["id"]):
            try:
                meant = jsonschema_rs.validator_for(row["schema"], validate_formats=False, retriever=never)
            except (ValueError, jsonschema_rs.ValidationError):
                continue  # of another draft, or of none
            for value in values_of(row["schema"], row["schema"]):
                given = checked(row["schema"], value) if is_map(value) else None
                said = {name: each for name, each in (given or {}).items() if name in value}
                assert given is None or meant.is_valid(said), value


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_bound_that_is_sent_is_never_wider_for_integers(rows: Rows, dialect: str, judged: Judged) -> None:
    """The edge of an open bound is not told as an allowed value."""
    for row in rows("provider_schema_rejections"):
        with judged(row["id"]):
            sent = to_dialect(row["schema"], dialect)
            named = row["schema"].get("properties")
            for name, each in named.items() if is_map(named) else ():
                for key in ("exclusiveMinimum", "exclusiveMaximum"):
                    edge = each.get(key) if is_map(each) else None
                    if is_map(each) and each.get("type") == "integer" and type(edge) is int and sent.schema:
                        spoken = {name: edge}
                        if sent.is_strict:
                            spoken = with_nulls(sent.schema, spoken)
                        assert not validator(sent, dialect).is_valid(spoken)


NUMBER = {"type": "object", "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": 10}}}
ONE_OF_TWO: dict[str, Any] = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "text": {"type": "string"}},
    "anyOf": [{"required": ["title"]}, {"required": ["text"]}],
}


def test_a_bound_that_cannot_be_sent_is_said() -> None:
    assert checked(NUMBER, {"n": 5}) is None
    told = to_dialect(NUMBER, "gemini_parameters").schema
    assert told is not None
    assert told["properties"]["n"] == {"type": "NUMBER", "minimum": 10, "description": "(above 10)"}


def test_a_union_of_what_is_required_is_still_checked_and_said() -> None:
    assert checked(ONE_OF_TWO, {"id": "i"}) is None
    assert checked(ONE_OF_TWO, {"id": "i", "title": "t"})
    sent = to_dialect(ONE_OF_TWO, "anthropic").schema
    assert sent is not None
    assert "title; text" in sent["description"]


def validator(sent: Dialected, dialect: str) -> jsonschema_rs.Validator:
    schema = as_json_schema(sent.schema) if dialect == "gemini_parameters" else sent.schema or {}
    return jsonschema_rs.validator_for(schema, validate_formats=False, retriever=never)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_call_is_refused_on_the_way_that_we_take(
    tools: tuple[ToolDefinition, ...], dialect: str, judged: Judged
) -> None:
    for definition in tools:
        with judged(definition.name):
            sent = to_dialect(definition.parameters, dialect)
            if sent.schema is None:
                continue
            ours = jsonschema_rs.validator_for(
                dict(definition.parameters), validate_formats=False, retriever=never
            )
            theirs = validator(sent, dialect)
            wires = {ours: wire for wire, ours in sent.way.names.items()} if sent.way else {}
            for value in values_of(definition.parameters, definition.parameters):
                if not ours.is_valid(value):
                    continue
                spoken = {wires.get(name, name): each for name, each in value.items()}
                if sent.is_strict:
                    spoken = with_nulls(sent.schema, spoken)
                assert theirs.is_valid(spoken), (definition.name, spoken, sent.schema)


PLAIN = {"type", "description", "title", "enum", "properties", "required", "items"}


def is_plain(schema: Mapping[str, Any]) -> bool:
    """Whether a schema has only what strict mode knows: named types, and objects with named members."""
    return all(
        node.keys() <= PLAIN
        and isinstance(node.get("type"), str)
        and (node["type"] != "object" or bool(node.get("properties")))
        and (node["type"] != "array" or is_map(node.get("items")))
        for _, node in nodes(schema)
    )


def test_a_plain_tool_can_be_strict(tools: tuple[ToolDefinition, ...], judged: Judged) -> None:
    for definition in tools:
        with judged(definition.name):
            assert to_dialect(definition.parameters, "openai_strict").is_strict or not is_plain(
                definition.parameters
            )


@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_real_tools_are_written_and_mapped_back(tools: tuple[ToolDefinition, ...], provider: str) -> None:
    sent = definitions_for(tools, provider)
    assert definitions_for(reversed(tools), provider).tools == sent.tools
    entries = sent.tools[0]["functionDeclarations"] if provider.startswith("gemini") else sent.tools
    names = [each.get("function", each)["name"] for each in entries]
    assert sorted(sent.names.ours(name) for name in names) == sorted(each.name for each in tools)
    json.dumps(sent.tools, allow_nan=False)
