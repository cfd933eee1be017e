"""A schema is compiled or refused with the place that is wrong; a value fits or every misfit is named."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loopback import Asked, answering

from oneclaw.core.check.schema import KEY_CHARS, PATTERN_WORK, CompiledSchema
from oneclaw.core.errors import InvalidSchema

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("document", "path", "words"),
    [
        ({"properties": {"n": {"type": "strin"}}}, "$.properties.n.type", "must be one of"),
        ({"required": "path"}, "$.required", "expected type 'array'"),
        ({"properties": {"a b": {"minimum": "x"}}}, '$.properties["a b"].minimum', "number"),
        ({"anyOf": [{}, {"items": 5}]}, "$.anyOf[1].items", "expected type"),
        ({"properties": {"n": {"pattern": "(["}}}, "$.properties.n.pattern", "regular expression"),
        ({"patternProperties": {"(": {}}}, '$.patternProperties["("]', "regular expression"),
        ({"patternProperties": {"(?=a)b": {}}}, '$.patternProperties["(?=a)b"]', "regular expression"),
        ({"pattern": "((a{1,99}){1,99}){1,99}"}, "$.pattern", "too large"),
        ({"properties": {"a": {"$ref": "#/$defs/no"}}}, "$.properties.a.$ref", "does not exist"),
        ({"properties": {"a": {"$ref": "#no"}}}, "$.properties.a.$ref", "does not exist"),
        ({"items": {"$ref": "http://127.0.0.1:9/a.json"}}, "$.items.$ref", "no other document is fetched"),
        ({"allOf": [{"$ref": "file:///etc/passwd"}]}, "$.allOf[0].$ref", "no other document is fetched"),
        ({"items": {"$ref": "other.json"}}, "$.items.$ref", "no other document is fetched"),
        ({"$id": "http://h/a/", "items": {"$ref": "x/../b"}}, "$.$id", "no other document is fetched"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "$.$schema", "Unknown meta-schema"),
        ({"default": object()}, "$", "cannot be read"),
        ({"default": "\ud800"}, "$", "cannot be read"),
        ({1: 2}, "$", "cannot be read"),
    ],
)
def test_a_wrong_schema_is_refused_with_the_place_that_is_wrong(document: Any, path: str, words: str) -> None:
    with pytest.raises(InvalidSchema, match="The schema") as caught:
        CompiledSchema(document)
    assert caught.value.path == path
    assert words in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_schema_nested_too_deeply_is_refused() -> None:
    document: dict[str, Any] = {}
    for _ in range(5_000):
        document = {"items": document}
    with pytest.raises(InvalidSchema, match="Recursion"):
        CompiledSchema(document)


@pytest.fixture
def server() -> Iterator[tuple[int, list[str]]]:
    """The port of a server that gives a schema, and the paths it was asked for."""
    paths: list[str] = []

    def answer(asked: Asked) -> bytes:
        paths.append(asked.path)
        return b'{"type": "integer"}'

    with answering(answer, "application/json") as port:
        yield port, paths


def test_a_reference_to_a_server_is_never_fetched(server: tuple[int, list[str]]) -> None:
    document = {"$ref": f"http://127.0.0.1:{server[0]}/a.json"}
    with pytest.raises(InvalidSchema):
        CompiledSchema(document)
    assert server[1] == []


def test_without_the_guard_a_reference_to_a_server_is_fetched(server: tuple[int, list[str]]) -> None:
    document = {"$ref": f"http://127.0.0.1:{server[0]}/a.json"}
    assert not jsonschema_rs.validator_for(document).is_valid("x")
    assert server[1] == ["/a.json"]


def test_a_reference_to_a_file_is_never_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"type": "integer"}')
    document = {"$ref": file.as_uri()}
    with pytest.raises(InvalidSchema):
        CompiledSchema(document)
    assert not jsonschema_rs.validator_for(document).is_valid("x"), "without the guard it is read"


KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "items", "required", "enum", "pattern", "$ref", "$id", "$schema", "anyOf"),
        *("format", "patternProperties", "minimum", "default", "$defs", "$anchor", "additionalProperties"),
        *("not", "x"),
    ]
)
DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["string", "#", "#/$defs/x", "(", "a+", "http://h/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYWORDS, DOCUMENTS, max_size=4) | st.dictionaries(st.text(), DOCUMENTS), DOCUMENTS)
def test_any_document_compiles_or_is_refused_and_judges_any_value(document: Any, value: Any) -> None:
    try:
        schema = CompiledSchema(document)
    except InvalidSchema:
        return
    assert schema.is_valid(value) is not bool(schema.problems(value))


def test_references_within_the_document_and_to_the_standard_work() -> None:
    tree = CompiledSchema(
        {
            "$defs": {"n": {"properties": {"k": {"$ref": "#/$defs/n"}, "v": {"type": "integer"}}}},
            "$ref": "#/$defs/n",
        }
    )
    assert tree.is_valid({"k": {"k": {"v": 1}}})
    assert not tree.is_valid({"k": {"k": {"v": "1"}}})
    assert not CompiledSchema({"$ref": "https://json-schema.org/draft/2020-12/schema"}).is_valid(
        {"type": "strin"}
    )
    assert CompiledSchema({"$ref": "https://json-schema.org/draft/2020-12/schema"}).is_valid(
        {"type": "string"}
    )


def test_a_document_that_names_its_draft_is_read_by_it_and_another_by_the_draft_of_the_schema() -> None:
    draft_7 = {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "http://example.com/pair"}
    newer = {"$schema": "https://json-schema.org/draft/2020-12/schema", "dependentRequired": {"a": ["b"]}}
    assert not CompiledSchema(draft_7, {"http://example.com/pair": newer}).is_valid({"a": 1})
    older = {"dependencies": {"a": ["b"]}, "items": [{"type": "string"}]}
    assert not CompiledSchema(draft_7, {"http://example.com/pair": older}).is_valid({"a": 1})
    assert not CompiledSchema(draft_7, {"http://example.com/pair": older}).is_valid([1])


def test_documents_that_are_handed_over_can_be_referred_to() -> None:
    documents = {"http://example.com/count": {"type": "integer"}}
    assert not CompiledSchema({"$ref": "http://example.com/count"}, documents).is_valid("x")


def test_the_draft_that_a_document_names_is_followed() -> None:
    pair = [{"type": "integer"}, {"type": "string"}]
    old = CompiledSchema({"$schema": DRAFT_7, "items": pair})
    assert old.is_valid([1, "a"])
    assert not old.is_valid(["a", 1])
    with pytest.raises(InvalidSchema):
        CompiledSchema({"items": pair})


def test_formats_are_a_note_in_2020_12_a_rule_in_draft_7_and_a_rule_where_asked_for() -> None:
    assert CompiledSchema({"format": "date"}).is_valid("never")
    assert not CompiledSchema({"$schema": DRAFT_7, "format": "date"}).is_valid("never")
    assert not CompiledSchema({"format": "date"}, formats=True).is_valid("never")
    assert CompiledSchema({"$schema": DRAFT_7, "format": "date"}, formats=False).is_valid("never")


@pytest.mark.parametrize("value", [{1, 2}, b"x", object(), "\ud800", {1: 2}])
def test_what_is_not_json_does_not_fit_and_does_not_raise(value: Any) -> None:
    schema = CompiledSchema(
        {"type": ["string", "object", "array"], "items": {}, "additionalProperties": {"type": "object"}}
    )
    assert not schema.is_valid(value)
    assert schema.problems(value)


PROBLEMS: list[tuple[Any, Any, str]] = [
    ({"required": ["path"]}, {}, "Missing required parameter: 'path'"),
    ({"properties": {"a": {"required": ["b"]}}}, {"a": {}}, "Missing required parameter: 'a.b'"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "Missing required parameter: 'b'"),
    (
        {"properties": {"path": {"type": "string"}}},
        {"path": 5},
        "Parameter 'path' expected type 'string' but got the integer 5",
    ),
    (
        {"properties": {"n": {"type": ["null", "integer"]}}},
        {"n": "ten"},
        "Parameter 'n' expected type 'integer or null' but got the string \"ten\"",
    ),
    (
        {"properties": {"n": {"type": "integer"}}},
        {"n": True},
        "Parameter 'n' expected type 'integer' but got the boolean true",
    ),
    (
        {"properties": {"m": {"enum": ["a", "b"]}}},
        {"m": "c"},
        'Parameter \'m\' must be one of: "a", "b" but got the string "c"',
    ),
    ({"properties": {"m": {"const": 1}}}, {"m": 2}, "Parameter 'm' must be 1 but got the integer 2"),
    (
        {"properties": {"n": {"minimum": 1}}},
        {"n": 0},
        "Parameter 'n' must be at least 1 but got the integer 0",
    ),
    (
        {"properties": {"n": {"exclusiveMaximum": 1}}},
        {"n": 1.5},
        "must be less than 1 but got the number 1.5",
    ),
    ({"properties": {"n": {"multipleOf": 2}}}, {"n": 3}, "must be a multiple of 2"),
    ({"properties": {"s": {"minLength": 3}}}, {"s": "a"}, "must have at least 3 characters"),
    (
        {"properties": {"s": {"pattern": "^a"}}},
        {"s": "b"},
        'must match the pattern "^a" but got the string "b"',
    ),
    (
        {"properties": {"l": {"maxItems": 1}}},
        {"l": [1, 2]},
        "must have at most 1 items but got an array of 2 items",
    ),
    ({"properties": {"l": {"uniqueItems": True}}}, {"l": [1, 1]}, "must have no item twice"),
    (
        {"properties": {"l": {"items": {"type": "integer"}}}},
        {"l": [1, "x"]},
        "Parameter 'l[1]' expected type",
    ),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, "Unknown parameter: 'b'"),
    ({"unevaluatedProperties": False}, {"b": 1}, "Unknown parameter: 'b'"),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, 'must not have the name "b"'),
    ({"not": {"type": "object"}}, {}, "The arguments must not be of a form"),
    ({"minProperties": 2}, {}, "The arguments must have at least 2 properties but got an empty object"),
    ({"properties": {"a": False}}, {"a": 1}, "Parameter 'a' must be left out"),
    (
        {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
        {"a": "x"},
        "Parameter 'a' must fit one of: integer; null but got the string \"x\"",
    ),
    (
        {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["z"]}]}}},
        {"a": {}},
        "Missing required parameter: 'a.z'",
    ),
    ({"properties": {"a": {"oneOf": [{}, {}]}}}, {"a": 1}, "fits several"),
    ({"properties": {"a b": {"type": "string"}}}, {"a b": 1}, "Parameter '[\"a b\"]' expected type"),
    ({"properties": {"n": {"type": "string"}}}, {"n": 10**300}, "an integer of about 299 digits"),
]


@pytest.mark.covers("RFC004-UT-02b")
@pytest.mark.parametrize(("schema", "value", "text"), PROBLEMS, ids=[text for _, _, text in PROBLEMS])
def test_a_problem_says_where_what_and_what_was_expected(schema: Any, value: Any, text: str) -> None:
    (problem,) = CompiledSchema(schema).problems(value)
    assert text in problem.text
    assert problem.expected
    assert problem.value


def test_every_problem_is_found_at_once() -> None:
    schema = CompiledSchema(
        {"required": ["a", "b"], "properties": {"c": {"type": "string"}, "d": {"maximum": 1}}}
    )
    assert {problem.path for problem in schema.problems({"c": 1, "d": 2})} == {"a", "b", "c", "d"}


def test_a_problem_stays_short_and_shows_nothing_that_deceives() -> None:
    name, value = "n" * 10_000, "\u202e\x00" + "v" * 10_000
    schema = CompiledSchema({"additionalProperties": {"type": "integer"}})
    (problem,) = schema.problems({name: value})
    assert len(problem.text) < 400
    assert "\u202e" not in problem.text
    assert "\x00" not in problem.text


def test_of_a_very_large_value_only_the_first_problem_is_looked_for() -> None:
    schema = CompiledSchema({"items": {"type": "string"}})
    assert len(schema.problems([1] * 1_000)) == 1_000
    assert len(schema.problems([1] * 3_000)) == 1
    assert schema.problems(["x"] * 3_000) == []


def test_a_part_of_a_schema_can_be_checked_alone() -> None:
    schema = CompiledSchema(
        {
            "properties": {"a/b": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/x"}]}},
            "$defs": {"x": {"const": "x"}},
        }
    )
    (finding,) = schema.findings({"a/b": "y"})
    parts = [schema.part(f"{finding.location}/{index}") for index in range(2)]
    assert [part is not None and part.is_valid(1) for part in parts] == [True, False]
    assert [part is not None and part.is_valid("x") for part in parts] == [False, True]
    assert schema.part(f"{finding.location}/2") is None


# Patterns


def scramble(chars: int) -> str:
    return "".join(random.Random(1).choices("ab", k=chars))


EVIL = [
    (r"^(a+)+$", "a" * 5_000 + "!"),
    (r"^(a|a)*$", "a" * 5_000 + "!"),
    (r"^(.*a){11}$", "a" * 5_000 + "!"),
    (r"[ab]*a[ab]{200}c", scramble(60_000)),
    (r"[ab]*a[ab]{2000}c", scramble(500_000)),
    (r"(?=[ab]*a[ab]{200}c)x", scramble(16_000)),
    (r"(?:(?=[ab]*a[ab]{40}c)|.)*x\b(?!y)", scramble(1_000)),
    (r"^(?=(a+)+$)(a+)+\1b$", "a" * 100_000),
    (r"(?<=(a+)+)b", "a" * 1_000),
]


@pytest.mark.parametrize(("pattern", "text"), EVIL, ids=[pattern for pattern, _ in EVIL])
def test_no_pattern_stalls_the_check(pattern: str, text: str) -> None:
    schema = CompiledSchema({"type": "array", "items": {"pattern": pattern}})
    start = time.process_time()
    assert not schema.is_valid([text] * 20)
    assert schema.problems([text] * 20)
    assert time.process_time() - start < 1.5


def test_without_the_bounds_a_pattern_stalls_the_check() -> None:
    pattern = "(?=[ab]*a[ab]{200}c)x"
    program = f"import jsonschema_rs as j; j.is_valid({{'pattern': {pattern!r}}}, {scramble(16_000)!r})"
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, "-c", program], timeout=2, check=True)


def test_a_pattern_that_was_not_decided_refuses_even_under_a_not() -> None:
    undecided = "a" * 1_000
    for pattern in (r"(a+)+\1b", r"(?<=x)a"):
        schema = CompiledSchema({"not": {"pattern": pattern}})
        assert schema.is_valid("c")
        assert not schema.is_valid(undecided * 100)
        assert "shorter" in schema.problems(undecided * 100)[0].text


def test_a_text_as_long_as_the_work_allows_is_checked_against_a_small_pattern() -> None:
    schema = CompiledSchema({"pattern": r"^[a-z]+$"})
    assert schema.is_valid("a" * (PATTERN_WORK - 2))
    assert not schema.is_valid("a" * PATTERN_WORK)
    assert schema.is_valid("a"), "each look starts anew"


def test_look_ahead_from_the_start_is_checked_on_long_text() -> None:
    schema = CompiledSchema({"pattern": r"^(?!\s*$)(?!.*forbidden).+"})
    assert schema.is_valid("a" * 50_000)
    assert not schema.is_valid("a" * 50_000 + "forbidden")
    assert not schema.is_valid("   ")


def test_back_references_and_look_behind_work_on_short_text() -> None:
    assert CompiledSchema({"pattern": r"^(['\"]).*\1$"}).is_valid("'quoted'")
    assert not CompiledSchema({"pattern": r"^(['\"]).*\1$"}).is_valid("'quoted\"")
    assert CompiledSchema({"pattern": r"(?<=@)\w+$"}).is_valid("me@here")


def test_names_are_matched_against_patterns_up_to_a_length() -> None:
    schema = CompiledSchema({"patternProperties": {"^[ab]*a[ab]{500}c$": {}}})
    assert schema.is_valid({"a" * KEY_CHARS: 1})
    start = time.process_time()
    assert not schema.is_valid({"ab" * 1_000_000: 1})
    assert "names" in schema.problems({"ab" * 1_000_000: 1})[0].text
    assert time.process_time() - start < 0.5
