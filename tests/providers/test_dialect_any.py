"""Schemas nobody wrote: every dialect takes them, in bounded time, and refuses nothing that we take."""

import json
from time import perf_counter
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.providers.rulebook import as_json_schema, broken, is_list, is_map, nodes, with_nulls
from tests.providers.values import values_of

from oneclaw.providers.dialect import resolve, shape
from oneclaw.providers.dialect.convert import DIALECTS, to_dialect

Schema = dict[str, Any]

NAMES = st.sampled_from(["a", "b", "type", "items", "$top", "x y", "properties", "n" * 70])
TEXTS = st.sampled_from(["", "a", "abc", "β", "some longer text"])
NUMBERS = st.sampled_from([-3, 0, 0.5, 1, 2, 5, 10, 100])
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
COUNTS = st.integers(0, 3)


def scalars() -> st.SearchStrategy[Schema]:
    note = {"description": TEXTS, "title": TEXTS, "default": SCALARS}
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("string")},
            optional={
                **note,
                "minLength": COUNTS,
                "maxLength": st.integers(3, 20),
                "pattern": st.sampled_from(["^[a-z]*$", "a", "^(?!x)"]),
                "format": st.sampled_from(["date-time", "uri", "email"]),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.sampled_from(["integer", "number"])},
            optional={
                **note,
                "minimum": NUMBERS,
                "maximum": NUMBERS,
                "exclusiveMinimum": NUMBERS,
                "exclusiveMaximum": NUMBERS,
                "multipleOf": st.sampled_from([0.5, 1, 5]),
            },
        ),
        st.fixed_dictionaries({"type": st.sampled_from(["boolean", "null"])}, optional=note),
        st.fixed_dictionaries({"enum": st.lists(SCALARS, min_size=1, max_size=4)}, optional=note),
        st.fixed_dictionaries({"const": SCALARS}, optional=note),
        st.fixed_dictionaries(
            {
                "type": st.lists(
                    st.sampled_from(["string", "integer", "number", "null"]), min_size=1, unique=True
                )
            }
        ),
        st.sampled_from([{}, {"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/word"}, {"$ref": "#/nowhere"}]),
    )


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=3)},
        optional={
            "required": st.lists(NAMES, max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "description": TEXTS,
            "minProperties": COUNTS,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "dependentRequired": st.just({"a": ["b"]}),
            "propertyNames": st.just({"maxLength": 80}),
            "not": st.just({"required": ["b", "x y"]}),
            "if": st.just({"required": ["a"]}),
            "then": inner,
        },
    )


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    branches = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        objects(inner),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={"items": inner, "minItems": COUNTS, "uniqueItems": st.booleans(), "maxItems": COUNTS},
        ),
        st.fixed_dictionaries({"type": st.just("array"), "prefixItems": branches}),
        st.fixed_dictionaries({"anyOf": branches}, optional={"description": TEXTS, "default": SCALARS}),
        st.fixed_dictionaries({"oneOf": branches}, optional={"type": st.just("object")}),
        st.fixed_dictionaries({"allOf": branches}),
    )


DEFINITIONS: Schema = {
    "tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}, "b": {"type": "string"}}},
    "word": {"type": "string", "enum": ["a", "abc"]},
}
SCHEMAS = st.recursive(scalars(), nested, max_leaves=8)
ROOTS = st.one_of(objects(SCHEMAS), nested(objects(SCHEMAS))).map(lambda one: {**one, "$defs": DEFINITIONS})
KEYWORDS = st.sampled_from(
    (
        *("type", "properties", "items", "anyOf", "allOf", "oneOf", "$ref", "enum", "const", "required"),
        "not",
        *("minimum", "exclusiveMinimum", "prefixItems", "additionalProperties", "nullable", "description"),
        *("default", "format", "pattern", "$defs", "$id", "x-said", "values", "a"),
    )
)
JUNK = st.recursive(
    SCALARS | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            KEYWORDS,
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)
many = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def spoken(dialect: str, is_strict: bool) -> str:
    return "openai" if dialect == "openai_strict" and not is_strict else dialect


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=ROOTS)
@many
def test_no_rule_is_broken_and_nothing_is_touched(schema: Schema, dialect: str) -> None:
    before = json.dumps(schema)
    first = to_dialect(schema, dialect)
    assert broken(first.schema, spoken(dialect, first.is_strict)) == []
    assert json.dumps(schema) == before
    assert to_dialect(json.loads(before), dialect) == first


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=st.dictionaries(st.sampled_from(["type", "properties", "anyOf", "$ref", "allOf"]), JUNK))
@many
def test_what_is_no_schema_at_all_is_taken_too(schema: Schema, dialect: str) -> None:
    first = to_dialect(schema, dialect)
    assert broken(first.schema, spoken(dialect, first.is_strict)) == []
    json.dumps(first.schema, allow_nan=False)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=ROOTS)
@many
def test_what_we_take_is_not_refused_on_the_way(schema: Schema, dialect: str) -> None:
    text = json.dumps(schema)
    assume('"#/nowhere"' not in text)
    ours = [jsonschema_rs.validator_for(each, validate_formats=False) for each in (schema, closed(schema))]
    sent = to_dialect(schema, dialect)
    assume(sent.schema is not None)
    assert sent.schema is not None
    shape = as_json_schema(sent.schema) if dialect == "gemini_parameters" else sent.schema
    theirs = jsonschema_rs.validator_for(shape, validate_formats=False)
    for value in values_of(schema, schema):
        if is_map(value) and all(each.is_valid(value) for each in ours) and not sent.way:
            spelled = with_nulls(sent.schema, value) if sent.is_strict else value
            assert theirs.is_valid(spelled), (value, sent.schema)


def closed(schema: Any, is_branch: bool = False) -> Any:
    """Branches and tuples that take what they name: silence is not meant to take any value."""
    if is_list(schema):
        return [closed(each, is_branch) for each in schema]
    if not is_map(schema):
        return schema
    fresh = {key: closed(value, key in ("anyOf", "oneOf", "tree")) for key, value in schema.items()}
    if "prefixItems" in schema and "items" not in schema:
        fresh["items"] = False
    return {**fresh, "additionalProperties": False} if is_branch and "properties" in schema else fresh


def deep(levels: int) -> Schema:
    schema: Schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def tangle(size: int) -> Schema:
    links = {f"p{number}": {"$ref": f"#/$defs/d{number}"} for number in range(size)}
    node = {"type": "object", "properties": links}
    return {**node, "$defs": {f"d{number}": dict(node) for number in range(size)}}


def doubling(levels: int) -> Schema:
    """Each definition names the next one twice: written out it would be 2 ** levels schemas."""
    definitions: Schema = {f"d{levels}": {"type": "string"}}
    for number in range(levels):
        pair = {name: {"$ref": f"#/$defs/d{number + 1}"} for name in ("a", "b")}
        definitions[f"d{number}"] = {"type": "object", "properties": pair}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}


def endless() -> Schema:
    schema: Schema = {"type": "object", "properties": {}}
    schema["properties"]["again"] = schema
    return schema


HOSTILE: dict[str, Schema] = {
    "deep": deep(5_000),
    "tangle": tangle(30),
    "doubling": doubling(60),
    "wide": {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(100_000)}},
    "branchy": {"type": "object", "anyOf": [{"properties": {f"p{n}": {}}} for n in range(20_000)]},
    "in itself": endless(),
    "ref to itself": {"$ref": "#"},
    "refs in a ring": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    "enum": {"type": "object", "properties": {"a": {"enum": [[number] for number in range(3_000)]}}},
    "type": {"type": "object", "properties": {"a": {"type": "list" + "[]" * 50_000}}},
    "words": {
        "type": "object",
        "description": "x" * 1_000_000,
        "properties": {"a": {"pattern": "y" * 10**6}},
    },
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_costs_little_and_is_cut(name: str, dialect: str) -> None:
    start = perf_counter()
    dialected = to_dialect(HOSTILE[name], dialect)
    assert perf_counter() - start < 10
    assert broken(dialected.schema, spoken(dialect, dialected.is_strict)) == []
    assert len(json.dumps(dialected.schema)) < 2_000_000
    assert len(dialected.changes) <= 1_001


def size_of(schema: Schema) -> int:
    made = to_dialect(schema, "openai").schema
    return sum(1 for _ in nodes(made))


def test_the_bounds_are_what_keeps_a_doubling_schema_small(monkeypatch: pytest.MonkeyPatch) -> None:
    assert size_of(doubling(13)) <= 2 * resolve.MOST
    for module in (resolve, shape):
        monkeypatch.setattr(module, "MOST", 10**9)
    assert size_of(doubling(13)) > 16_000


def test_the_cut_is_what_ends_a_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    before = size_of(tangle(1))
    monkeypatch.setattr(resolve, "AGAIN", 10**9)
    assert size_of(tangle(1)) > 3 * before
    monkeypatch.setattr(resolve, "DEEPEST", 10**9)
    with pytest.raises(RecursionError):
        to_dialect(tangle(1), "openai")
