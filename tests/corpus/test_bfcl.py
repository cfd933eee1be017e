"""Real function documents register, and real calls get the verdict they deserve."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.define.foreign import adopt
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.subschema import is_array, is_object
from oneclaw.core.tool import NAME, Context, Tool

STANDARD = {"string", "number", "integer", "boolean", "array", "object", "null"}


def do_nothing(arguments: dict[str, Any], context: Context) -> None: ...


def odd_types(schema: Mapping[str, Any], path: str = "$") -> Iterator[str]:
    """The paths of types that are not JSON Schema, found without the code under test."""
    kinds = schema.get("type", "string")
    if not STANDARD.issuperset(kinds if is_array(kinds) else [kinds]):
        yield path
    for name, each in schema.get("properties", {}).items():
        yield from odd_types(each, f"{path}.properties.{name}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from odd_types(schema[keyword], f"{path}.{keyword}")


def test_every_document_registers_and_every_mapping_is_told(rows: Rows, judged: Judged) -> None:
    registry = Registry()
    names: set[str] = set()

    for number, row in enumerate(rows("bfcl_functions"), 1):
        with judged(row["id"]):
            document = row["function"]
            adopted = adopt(document, taken=names)
            definition = adopted.definition
            names.add(definition.name)
            registry.register(Tool(definition, do_nothing))
            told = {note.partition(": ")[0] for note in adopted.notes if ": type " in note}
            assert set(odd_types(document["parameters"])) <= told
            assert NAME.match(definition.name)
            assert definition.label == document["name"]
            assert definition.description == document.get("description", "")
            assert list(definition.parameters["properties"]) == list(
                document["parameters"].get("properties", {})
            )
            assert definition.parameters.get("required", []) == document["parameters"].get("required", [])
            assert len(registry) == number


def test_a_document_in_another_wrapping_is_the_same_tool(rows: Rows, judged: Judged) -> None:
    for row in rows("bfcl_functions"):
        with judged(row["id"]):
            document = row["function"]
            plain = {key: document[key] for key in ("name", "description", "parameters") if key in document}
            renamed = {"input_schema" if key == "parameters" else key: value for key, value in plain.items()}
            shouted = {**plain, "parameters": shout(plain["parameters"])}

            expected = adopt(plain).definition
            assert adopt({"type": "function", "function": plain}).definition == expected
            assert adopt(renamed).definition == expected
            assert adopt(shouted).definition == expected


def shout(schema: Any) -> Any:
    """The same schema with its types in capitals, as Gemini writes them."""
    changed = dict(schema)
    kind = schema.get("type")
    if kind:
        changed["type"] = [each.upper() for each in kind] if is_array(kind) else kind.upper()
    if "properties" in schema:
        changed["properties"] = {name: shout(each) for name, each in schema["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            changed[keyword] = shout(schema[keyword])
    return changed


def calls_of(row: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each expected call of a row, with its document: the first of the accepted values."""
    for expected in row["expected"]:
        for name, accepted in expected.items():
            document = row["expected_functions"][name]
            required = document["parameters"].get("required", [])
            arguments = {
                parameter: first_said(options)
                for parameter, options in accepted.items()
                if parameter in required or any(option != "" for option in options)
            }
            yield document, arguments


def first_said(options: Sequence[Any]) -> Any:
    return unfold(next((option for option in options if option != ""), ""))


def unfold(value: Any) -> Any:
    """Objects inside an accepted value list the accepted values of their members in turn."""
    if is_object(value):
        return {name: first_said(each) if is_array(each) else each for name, each in value.items()}
    if is_array(value):
        return [unfold(each) for each in value]
    return value


def holds(filled: Any, given: Any) -> bool:
    """Whether `filled` is `given`, but for defaults that were put in."""
    if is_object(given):
        return all(name in filled and holds(filled[name], each) for name, each in given.items())
    if is_array(given):
        return len(filled) == len(given) and all(map(holds, filled, given))
    return filled == given


def test_calls_get_the_verdict_of_the_oracle(rows: Rows, judged: Judged) -> None:
    for row in rows("bfcl_calls"):
        with judged(row["id"]):
            checks = [(ArgumentCheck(adopt(document).definition), call) for document, call in calls_of(row)]

            assert all(check.schema.is_valid(call) for check, call in checks) == row["oracle_valid"]
            for check, call in checks if row["oracle_valid"] else []:
                checked = check.check(call)
                assert holds(checked.arguments, call)
                assert not checked.repairs


def test_a_call_without_a_required_argument_fails_and_names_it(rows: Rows, judged: Judged) -> None:
    for row in rows("bfcl_calls"):
        with judged(row["id"]):
            for document, call in calls_of(row) if row["oracle_valid"] else ():
                check = ArgumentCheck(adopt(document).definition)
                for name in document["parameters"].get("required", []):
                    with pytest.raises(ToolError, match=re.escape(name)) as caught:
                        check.check({key: value for key, value in call.items() if key != name})
                    assert caught.value.kind is Kind.VALIDATION_ERROR


def wrong_for(schema: Mapping[str, Any]) -> Any:
    """A value that no reading makes fit, or None where the schema allows any value."""
    kind: Any = schema.get("type")
    if is_array(kind):
        named = [each for each in kind if each != "null"]
        kind = named[0] if len(named) == 1 else None
    if kind is None:
        return None
    if kind == "array":
        return wrong_for(schema.get("items", {}))
    return "not an object" if kind == "object" else {"wrong": ["type"]}


def test_a_call_with_a_wrong_type_fails_and_names_the_argument(rows: Rows, judged: Judged) -> None:
    for row in rows("bfcl_calls"):
        with judged(row["id"]):
            for document, call in calls_of(row) if row["oracle_valid"] else ():
                definition = adopt(document).definition
                check = ArgumentCheck(definition)
                for name in call:
                    wrong = wrong_for(definition.parameters["properties"][name])
                    if wrong is None:
                        continue
                    with pytest.raises(ToolError, match=re.escape(name)) as caught:
                        check.check({**call, name: wrong})
                    assert caught.value.kind is Kind.VALIDATION_ERROR
