"""The manifest: an object is one tool, an array a group; what is wrong is reported, and the rest is taken."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.errors import Kind
from oneclaw.core.load import LoadProblem
from oneclaw.core.permit.grant import definition_hash
from oneclaw.js.fields import RESERVED
from oneclaw.js.manifest import ManifestTool, read_manifest

DIGEST = "d" * 64


def read(
    document: Any, base: str = "files", digest: str = DIGEST
) -> tuple[list[ManifestTool], list[LoadProblem]]:
    text = document if isinstance(document, str) else json.dumps(document)
    return read_manifest(text, base, f"{base}.json", digest)


def tool(**fields: Any) -> dict[str, Any]:
    return {"name": "list_files", "description": "List files.", "function": "listFiles", **fields}


def single(**fields: Any) -> dict[str, Any]:
    return {"name": "files", "description": "Files.", **fields}


def without(document: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != field}


GROUP = [
    tool(),
    tool(
        name="read_file",
        function="readFile",
        description="Read a file.",
        parameters={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    ),
    tool(name="upload_file", function="uploadFile", description="Upload a file."),
]


@pytest.mark.covers("RFC018-FD-01", "RFC018-GO-03", "RFC018-GO-07")
def test_an_object_is_one_tool_with_the_function_execute() -> None:
    entries, problems = read(single())
    assert [(entry.definition.name, entry.function, entry.index) for entry in entries] == [
        ("files", "execute", None)
    ]
    assert entries[0].definition.group == ""
    assert not problems


@pytest.mark.covers("RFC018-FD-02", "RFC018-GP-01", "RFC018-GO-01", "RFC018-GO-02", "RFC018-GO-03")
def test_an_array_is_a_group_with_a_function_for_each_tool() -> None:
    entries, problems = read(GROUP)
    assert [(entry.definition.name, entry.function, entry.index) for entry in entries] == [
        ("list_files", "listFiles", 0),
        ("read_file", "readFile", 1),
        ("upload_file", "uploadFile", 2),
    ]
    assert {entry.definition.group for entry in entries} == {"files"}
    assert not problems


@pytest.mark.covers("RFC018-GP-02")
def test_each_entry_has_its_own_name_description_parameters_and_function() -> None:
    entries, _ = read(GROUP)
    assert entries[1].definition.description == "Read a file."
    assert entries[1].definition.parameters == GROUP[1]["parameters"]
    assert entries[2].definition.description == "Upload a file."
    assert entries[2].definition.parameters == {"type": "object"}


@pytest.mark.covers("RFC018-GP-03", "RFC018-GP-04", "RFC018-GO-05", "RFC018-LO-07")
@pytest.mark.parametrize("field", ["name", "function", "description"])
def test_an_entry_that_lacks_a_field_is_left_out_and_the_others_are_taken(field: str) -> None:
    entries, (problem,) = read([GROUP[0], without(GROUP[1], field), GROUP[2]])
    assert [entry.definition.name for entry in entries] == ["list_files", "upload_file"]
    assert [entry.index for entry in entries] == [0, 2]
    assert (problem.place, problem.index, problem.is_warning) == ("files.json", 1, False)
    assert f"it has no {field}" in problem.reason


@pytest.mark.covers("RFC018-GP-05")
def test_of_two_entries_with_one_name_the_first_is_taken() -> None:
    entries, (problem,) = read([tool(), tool(function="other"), GROUP[2]])
    assert [(entry.definition.name, entry.function) for entry in entries] == [
        ("list_files", "listFiles"),
        ("upload_file", "uploadFile"),
    ]
    assert (problem.index, problem.is_warning) == (1, False)
    assert "stands twice" in problem.reason


def test_a_name_is_free_for_the_next_entry_when_the_first_that_has_it_is_wrong() -> None:
    entries, problems = read([tool(function="1st"), tool(function="second")])
    assert [entry.function for entry in entries] == ["second"]
    assert [problem.index for problem in problems] == [0]


@pytest.mark.covers("RFC018-GP-06")
def test_an_empty_group_is_a_warning() -> None:
    entries, (problem,) = read([])
    assert not entries
    assert problem.is_warning
    assert "empty" in problem.reason


@pytest.mark.covers("RFC018-GP-07")
def test_a_group_of_more_than_fifty_is_refused_whole() -> None:
    def group(count: int) -> list[dict[str, Any]]:
        return [tool(name=f"tool_{number}") for number in range(count)]

    entries, (problem,) = read(group(51))
    assert not entries
    assert (problem.index, problem.is_warning) == (None, False)
    assert "51 tools" in problem.reason
    assert "50" in problem.reason
    # The twin: fifty are taken.
    entries, problems = read(group(50))
    assert (len(entries), problems) == (50, [])


@pytest.mark.covers("RFC018-FN-01", "RFC018-FN-02")
@pytest.mark.parametrize("function", ["listFiles", "search", "_", "$", "$list_2", "execute", "A1", "f" * 200])
def test_a_function_name_of_javascript_is_accepted(function: str) -> None:
    entries, problems = read([tool(function=function)])
    assert [entry.function for entry in entries] == [function]
    assert not problems


@pytest.mark.covers("RFC018-FN-03", "RFC018-FN-04")
@pytest.mark.parametrize(
    "function",
    [
        *(
            "../inject",
            "",
            "1st",
            "a-b",
            "a b",
            "a.b",
            "a()",
            "f;g",
            "f\n",
            "\nf",
            "é",
            "ｆ",
            "a\u0000",
            "a\u200c",
        ),
        *("f)(", "f//", "${x}", "[]", 7, None, True, [], {}, ["listFiles"]),
    ],
)
def test_any_other_function_name_is_refused(function: Any) -> None:
    entries, (problem,) = read([tool(function=function), GROUP[2]])
    assert [entry.definition.name for entry in entries] == ["upload_file"]
    assert problem.index == 0
    assert "function" in problem.reason


@pytest.mark.parametrize(
    "function",
    [
        *("eval", "constructor", "toString", "fetch", "__proto__", "hasOwnProperty", "JSON", "fs"),
        *("console", "Function"),
    ],
)
def test_a_function_that_is_not_the_files_own_is_refused(function: str) -> None:
    entries, (problem,) = read([tool(function=function)])
    assert not entries
    assert f"the function {function} is not the file's own" in problem.reason


def test_every_reserved_name_that_could_be_a_function_is_refused() -> None:
    for start in range(0, len(RESERVED), 50):
        names = sorted(RESERVED)[start : start + 50]
        entries, problems = read(
            [tool(name=f"t{number}", function=name) for number, name in enumerate(names)]
        )
        assert not entries
        assert len(problems) == len(names)


@pytest.mark.covers("RFC018-LO-05")
def test_a_single_tool_has_the_name_of_its_file_and_a_group_need_not() -> None:
    entries, (problem,) = read(single(name="other"))
    assert not entries
    assert '"files"' in problem.reason
    entries, problems = read([tool(name="other")])
    assert [entry.definition.name for entry in entries] == ["other"]
    assert not problems


@pytest.mark.covers("RFC018-LO-06")
@pytest.mark.parametrize(
    "name",
    ["listFiles", "list-files", "2nd", "_x", "", "a" * 65, "list files", "ｌist", "a\n", "../x", 7, None, []],
)
def test_a_name_outside_snake_case_is_refused(name: Any) -> None:
    entries, problems = read([tool(name=name), GROUP[2]])
    assert [entry.definition.name for entry in entries] == ["upload_file"]
    assert {problem.index for problem in problems} == {0}
    assert "name" in problems[0].reason


@pytest.mark.covers("RFC018-LO-04")
@pytest.mark.parametrize("text", ['"text"', "7", "null", "true", "1.5"])
def test_a_top_level_that_is_neither_is_reported(text: str) -> None:
    entries, (problem,) = read(text)
    assert not entries
    assert "an object for one tool, or an array" in problem.reason


@pytest.mark.covers("RFC018-LO-03")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1"),
        ('{"name": "files",\n  oops}', "line 2, column 3"),
        ('{"name": "files"} {}', "extra data"),
        ('{"timeoutSeconds": NaN}', "NaN is no number"),
        ('{"timeoutSeconds": 1e999}', "too large a number"),
        ('{"timeoutSeconds": ' + "9" * 5000 + "}", "too large a number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"name": "' + "1" * 5, "line 1"),
    ],
)
def test_what_is_not_json_is_reported_with_its_place(text: str, said: str) -> None:
    entries, (problem,) = read(text)
    assert not entries
    assert "it is not JSON" in problem.reason
    assert said in problem.reason


def test_a_manifest_that_is_nested_too_deeply_or_holds_half_a_character_is_refused() -> None:
    deep: Any = {}
    for _ in range(70):
        deep = {"items": deep}
    entries, (problem,) = read(single(parameters={"properties": {"a": deep}}))
    assert (entries, problem.reason) == ([], "it is nested deeper than 64 levels.")
    entries, (problem,) = read('{"name": "files", "description": "\\ud800"}')
    assert not entries
    assert "half a character" in problem.reason


@pytest.mark.covers("RFC018-LO-08", "RFC018-LO-09")
def test_what_is_not_said_has_its_default() -> None:
    definition = read(single())[0][0].definition
    assert definition.parameters == {"type": "object"}
    assert (definition.needs, definition.secrets, definition.label) == ((), (), "")
    assert (definition.seconds, definition.effect, definition.isolation) == (30.0, "unknown", "inline")
    assert definition.version.startswith("1+")


@pytest.mark.covers("RFC018-LO-10")
def test_the_whole_schema_and_every_field_is_kept() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where.", "enum": ["Rome", "Oslo"], "default": "Rome"},
            "days": {
                "type": "array",
                "items": {"type": "object", "properties": {"day": {"type": "integer"}}},
            },
        },
        "required": ["days"],
        "$defs": {"x": {"type": "string"}},
    }
    document = single(
        parameters=parameters,
        requiredPermissions=["network", "files.read", "network"],
        timeoutSeconds=2.5,
        label="The files",
        env=["API_KEY", "OTHER"],
        effect="read",
        version="2.1",
    )
    (entry,), problems = read(document)
    definition = entry.definition
    assert definition.parameters == parameters
    assert definition.needs == ("network", "files.read")
    assert (definition.seconds, definition.label, definition.effect) == (2.5, "The files", "read")
    assert definition.secrets == ("API_KEY", "OTHER")
    assert definition.version.startswith("2.1+")
    assert not problems


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("description", "", "description is empty"),
        ("description", "  \n", "description is empty"),
        ("description", 7, "description must be a text"),
        ("description", None, "description must be a text"),
        ("description", "x" * 10_001, "10,001 characters"),
        ("label", 7, "label must be a text"),
        ("label", "x" * 201, "201 characters"),
        ("version", 2, "version must be a text"),
        ("defaultOn", "no", "defaultOn must be true or false"),
        ("parameters", [], "parameters must be a JSON Schema of an object"),
        ("parameters", None, "parameters must be a JSON Schema of an object"),
        ("parameters", {"type": "string"}, "parameters cannot be used"),
        ("parameters", {"properties": {"a": {"type": "text"}}}, "$.properties.a.type"),
        ("parameters", {"properties": {"a": {"items": {"pattern": "("}}}}, "$.properties.a.items.pattern"),
        ("parameters", {"properties": []}, "$.properties"),
        ("parameters", {"properties": {"_env": {}}}, "cannot be named _env"),
        (
            "parameters",
            {"properties": {"a": {"$ref": "http://example.org/s.json"}}},
            "no other document is fetched",
        ),
        ("requiredPermissions", "network", "requiredPermissions must be an array"),
        ("requiredPermissions", [7], "requiredPermissions must be an array"),
        ("requiredPermissions", ["a b"], "requiredPermissions must be an array"),
        ("requiredPermissions", [""], "requiredPermissions must be an array"),
        ("env", "KEY", "env must be an array"),
        ("env", ["A-B"], "env must be an array"),
        ("env", {"KEY": "1"}, "env must be an array"),
        ("timeoutSeconds", 0, "timeoutSeconds must be above 0"),
        ("timeoutSeconds", -1, "timeoutSeconds must be above 0"),
        ("timeoutSeconds", True, "timeoutSeconds must be above 0"),
        ("timeoutSeconds", "30", "timeoutSeconds must be above 0"),
        ("timeoutSeconds", 86_401, "timeoutSeconds must be above 0 and at most 86,400"),
        ("effect", "delete", "effect must be one of read, write, unknown"),
        ("effect", [], "effect must be one of read, write, unknown"),
    ],
)
def test_a_field_that_is_wrong_is_named_and_its_entry_alone_left_out(
    field: str, value: Any, said: str
) -> None:
    entries, problems = read([tool(**{field: value}), GROUP[2]])
    assert [entry.definition.name for entry in entries] == ["upload_file"]
    wrong = [problem for problem in problems if not problem.is_warning]
    assert [problem.index for problem in wrong] == [0]
    assert said in wrong[0].reason
    assert wrong[0].reason.startswith("list_files: ")


def test_all_that_is_wrong_with_an_entry_is_said_at_once() -> None:
    _, problems = read([tool(effect="x", timeoutSeconds=0, function="..")])
    assert len(problems) == 3


ODD: list[tuple[str, Any, str]] = [
    ("timeout", 30, "did you mean timeoutSeconds?"),
    ("permissions", [], 'the field "permissions" is not known'),
    ("zzz", 1, "the fields are name, description"),
    ("requiredPermissions", ["file.read"], "Did you mean files.read?"),
    ("requiredPermissions", ["android.permission.CAMERA"], "a person is asked for it"),
    ("examples", {}, "examples is not an array"),
    ("examples", [7], "examples[0] is left out: it is not an object"),
    ("examples", [{"arguments": []}], "examples[0] is left out: its arguments"),
    ("examples", [{"input": {}}], 'the field "input" is none of arguments, result, error'),
    ("examples", [{"result": 1, "error": "timeout"}], "both a result and an error"),
    ("examples", [{"error": "oops"}], "its error must be one of"),
    ("examples", [{"error": ["timeout"]}], "its error must be one of"),
]


@pytest.mark.parametrize(("field", "value", "said"), ODD)
def test_what_is_said_in_vain_is_a_warning_and_the_tool_is_taken(field: str, value: Any, said: str) -> None:
    entries, (problem,) = read([tool(**{field: value})])
    assert [entry.definition.name for entry in entries] == ["list_files"]
    assert (problem.index, problem.is_warning) == (0, True)
    assert said in problem.reason


def test_a_function_in_a_single_tool_is_a_warning_and_execute_is_called() -> None:
    entries, (problem,) = read(single(function="other"))
    assert entries[0].function == "execute"
    assert problem.is_warning
    assert read(single(function="execute"))[1] == []


def test_a_field_that_stands_twice_is_a_warning() -> None:
    text = '{"name": "files", "description": "One.", "description": "Two."}'
    (entry,), (problem,) = read(text)
    assert entry.definition.description == "Two."
    assert problem.is_warning
    assert '"description" stands twice' in problem.reason


def test_entries_that_are_not_objects_are_reported_by_their_index() -> None:
    entries, problems = read([7, tool(), None, [], "x"])
    assert [entry.definition.name for entry in entries] == ["list_files"]
    assert [problem.index for problem in problems] == [0, 2, 3, 4]


def test_examples_are_read() -> None:
    examples: list[dict[str, Any]] = [
        {"arguments": {"a": 1}, "result": {"b": 2}},
        {"arguments": {"a": 2}, "error": "execution_error"},
        {"arguments": {}, "result": None},
        {},
    ]
    (entry,), problems = read(single(examples=examples))
    assert not problems
    assert [(one.arguments, one.result, one.has_result, one.error) for one in entry.examples] == [
        ({"a": 1}, {"b": 2}, True, None),
        ({"a": 2}, None, False, Kind.EXECUTION_ERROR),
        ({}, None, True, None),
        ({}, None, False, None),
    ]


def test_another_source_or_function_is_another_version_and_a_yes_to_the_old_one_does_not_count() -> None:
    def approved(document: Any, digest: str = DIGEST) -> str:
        return definition_hash(read(document, digest=digest)[0][0].definition)

    same = approved([tool()])
    assert same == approved([tool(), GROUP[2]])
    assert same == approved([tool(timeoutSeconds=5)])
    others = [
        approved([tool()], "e" * 64),
        # Files whose hashes begin alike can be made: all of it counts.
        approved([tool()], DIGEST[:-1] + "e"),
        approved([tool(function="other")]),
        approved([tool(env=["KEY"])]),
        approved([tool(requiredPermissions=["network"])]),
    ]
    assert len({same, *others}) == 1 + len(others)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=20,
)
_FIELDS = st.dictionaries(
    st.sampled_from(
        ["name", "description", "function", "parameters", "requiredPermissions", "timeoutSeconds"]
    )
    | st.sampled_from(["label", "env", "effect", "version", "defaultOn", "examples", "other"]),
    _JSON | st.sampled_from(["files", "read", "listFiles"]),
)


@given(st.text(max_size=200) | (_JSON | _FIELDS | st.lists(_FIELDS | _JSON, max_size=60)).map(json.dumps))
def test_whatever_a_manifest_says_reading_it_never_raises_and_nothing_is_left_out_silently(text: str) -> None:
    entries, problems = read(text)
    assert entries or problems
    names = [entry.definition.name for entry in entries]
    assert len(names) == len(set(names))
