"""Raw arguments are checked against the tool: ready to use, with notes, or refused with every problem."""

import json
import time
from copy import deepcopy
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.check.arguments import MESSAGE_CHARS, ArgumentCheck, Checked
from oneclaw.core.errors import InvalidSchema, Kind, ToolError
from oneclaw.core.tool import ToolDefinition

PARAMETERS = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "offset": {"type": "integer", "minimum": 0},
        "mode": {"enum": ["text", "bytes"], "default": "text"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "deep": {"type": "boolean"},
    },
    "required": ["path"],
}


def build(
    parameters: Any = PARAMETERS,
    effect: Literal["read", "write", "unknown"] = "read",
    name: str = "read_file",
) -> ArgumentCheck:
    return ArgumentCheck(ToolDefinition(name=name, parameters=parameters, effect=effect))


def refuse(check: ArgumentCheck, raw: Any) -> str:
    with pytest.raises(ToolError) as caught:
        check.check(raw)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert len(caught.value.message) <= MESSAGE_CHARS + 1
    return caught.value.message


# The schema of a tool


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"properties": {}},
        {"type": "string"},
        {"type": "null"},
        {"type": ["object", "string", "null"]},
        {"type": "array"},
        {"$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}},
    ],
)
def test_parameters_that_are_not_an_object_are_refused(parameters: Any) -> None:
    with pytest.raises(InvalidSchema, match="must be an object") as caught:
        build(parameters)
    assert caught.value.path == "$.type"


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object"},
        {"type": ["object"]},
        {"type": ["object", "null"]},
        {"type": ["null", "object"]},
        {"$ref": "#/$defs/o", "$defs": {"o": {"type": "object"}}},
        {"allOf": [{"type": "object"}]},
    ],
)
def test_parameters_that_can_only_be_an_object_are_taken(parameters: Any) -> None:
    assert build(parameters).check("{}") == Checked({})


def test_a_wrong_schema_is_refused_when_the_tool_is_registered() -> None:
    with pytest.raises(InvalidSchema) as caught:
        build({"type": "object", "properties": {"n": {"type": "strin"}}})
    assert caught.value.path == "$.properties.n.type"
    wrongs: list[Any] = [5, "x", None, []]
    for wrong in wrongs:
        with pytest.raises(InvalidSchema, match="A schema is an object"):
            build(wrong)


def test_the_signature_is_one_short_line() -> None:
    assert build().signature == (
        'read_file(path: string, offset?: integer, mode?: "text"|"bytes", tags?: string[], deep?: boolean)'
    )


# What fits


def test_arguments_that_fit_pass_as_they_are() -> None:
    given = {"path": "a", "offset": 3, "mode": "bytes", "tags": ["x"], "deep": True}
    for raw in (given, json.dumps(given), json.dumps(given).encode()):
        assert build().check(raw) == Checked(given)


def test_the_callers_arguments_are_never_changed_or_shared() -> None:
    raw = {"path": "a", "offset": "3", "tags": ["x", {"y": None}], "extra": 1}
    before = deepcopy(raw)
    check = build({"type": "object", "properties": {"path": {}, "offset": {"type": "integer"}, "tags": {}}})
    checked = check.check(raw)
    checked.arguments["tags"][1]["y"] = 5
    assert raw == before


def test_defaults_are_filled_in() -> None:
    assert build().check('{"path": "a"}') == Checked({"path": "a", "mode": "text"})


def test_a_required_parameter_with_a_default_may_be_left_out() -> None:
    parameters = {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}, "required": ["n"]}
    assert build(parameters).check("") == Checked({"n": 3})


def test_defaults_that_the_schema_does_not_want_together_are_not_filled_in() -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"default": 1}, "b": {"default": 2}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert build(parameters).check({"a": 5}) == Checked({"a": 5})


@pytest.mark.covers("RFC004-EC-02")
def test_unknown_parameters_are_ignored_with_a_note() -> None:
    checked = build().check({"path": "a", "mode": "text", "ofset": 3, "zzz": 1})
    assert checked.arguments == {"path": "a", "mode": "text"}
    assert checked.repairs == (
        "unknown parameter 'ofset' was ignored (did you mean 'offset'?)",
        "unknown parameter 'zzz' was ignored",
    )


def test_unknown_parameters_are_refused_where_the_schema_forbids_them() -> None:
    message = refuse(build({**PARAMETERS, "additionalProperties": False}), {"path": "a", "ofset": 3})
    assert message.startswith("Unknown parameter: 'ofset' (did you mean 'offset'?). Call it as read_file(")


def test_other_parameters_are_kept_where_the_schema_wants_them() -> None:
    for keeps in ({"additionalProperties": True}, {"additionalProperties": {"type": "integer"}}):
        check = build({"type": "object", "properties": {"a": {}}, **keeps})
        assert check.check({"a": 1, "b": 2}) == Checked({"a": 1, "b": 2})
    assert build({"type": "object"}).check({"b": 2}) == Checked({"b": 2})


def test_unknown_parameters_do_not_count_for_the_schema() -> None:
    check = build({"type": "object", "properties": {"a": {}}, "minProperties": 1})
    assert "at least 1 properties" in refuse(check, {"b": 1})


@pytest.mark.covers("FEAT004-EC-01")
@pytest.mark.parametrize("text", ["", "  \n", b""])
def test_no_text_is_no_arguments_where_nothing_is_required(text: Any) -> None:
    assert build({"type": "object", "properties": {"a": {}}}).check(text) == Checked({})
    assert refuse(build(), text).startswith("Missing required parameter: 'path'.")


# What is repaired


@pytest.mark.parametrize(
    ("raw", "arguments", "repairs"),
    [
        ('{"path": "a", "offset": "5"}', {"offset": 5}, ['offset: "5" was read as the integer 5']),
        ('{"path": "a", "offset": 5.0}', {"offset": 5}, ["offset: 5.0 was read as the integer 5"]),
        ('{"path": "a", "deep": "true"}', {"deep": True}, ['deep: "true" was read as the boolean true']),
        ('{"path": "a", "tags": "x"}', {"tags": ["x"]}, ['tags: "x" was read as an array of 1 item']),
        ('{"path": "a", "offset": null}', {}, ["offset: null was read as left out"]),
        ('{"path": "a", "mode": null}', {}, ["mode: null was read as left out"]),
        ('{"path": "a",}', {}, ["a trailing comma was ignored"]),
        (
            '```json\n{path: "a", offset: "5"}\n```',
            {"offset": 5},
            [
                "an unquoted key was read as a string",
                "the code fence around the JSON was removed",
                'offset: "5" was read as the integer 5',
            ],
        ),
        (
            json.dumps(json.dumps({"path": "a"})),
            {},
            ["the arguments were JSON inside a JSON string and were decoded once more"],
        ),
    ],
)
@pytest.mark.parametrize("effect", ["read", "write", "unknown"])
def test_a_clear_repair_is_made_and_told(effect: Any, raw: str, arguments: Any, repairs: list[str]) -> None:
    checked = build(effect=effect).check(raw)
    assert checked.arguments == {"path": "a", "mode": "text", **arguments}
    assert list(checked.repairs) == repairs


AMBIGUOUS = [
    ("{'path': 'a'}", "quotes other than double quotes"),
    ('Sure! {"path": "a"} Done.', "text around the JSON object"),
    ('{"path": "\\d"}', "backslash"),
    ('{\u00a0path: "a"}', "a character beside a word or a number was read as a blank"),
    ('{"path": "a", "offset": 1\x0b}', "a character beside a word or a number was read as a blank"),
    ('{"path": "a" // x\u2028, "deep": true\n}', "a comment was read past a character"),
    ('{"path": "a", "tags": "x, y"}', 'tags: "x, y" was read as an array of 1 item'),
    ('{"path": "a", "deep": "yes"}', 'deep: "yes" was read as the boolean true'),
    ('{"path": "a", "offset": ""}', 'offset: "" was read as left out'),
]


@pytest.mark.parametrize(("raw", "note"), AMBIGUOUS)
def test_an_ambiguous_repair_is_made_for_a_tool_that_only_reads(raw: str, note: str) -> None:
    assert note in "; ".join(build(effect="read").check(raw).repairs)


@pytest.mark.parametrize("effect", ["write", "unknown"])
@pytest.mark.parametrize(("raw", "note"), AMBIGUOUS)
def test_an_ambiguous_repair_is_refused_for_a_tool_that_may_change_things(
    effect: Any, raw: str, note: str
) -> None:
    message = refuse(build(effect=effect), raw)
    assert message.startswith("The arguments would have to be guessed, and this tool may change things: ")
    assert note in message


@pytest.mark.parametrize(
    "raw", ['{"path":\u00a0"a"}', '{\x0b"path": "a"}', '\x0c{"path": "a"}', '{"path": "a"\ufeff}']
)
def test_another_blank_than_jsons_is_told_and_no_guess(raw: str) -> None:
    checked = build(effect="write").check(raw)
    assert checked.arguments["path"] == "a"
    assert checked.repairs == ("a character that JSON does not count as a blank was read as one",)


def test_without_the_look_at_blanks_a_guess_would_reach_a_tool_that_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def skip_all(self: Any) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    monkeypatch.setattr("oneclaw.core.check.repair._JsonReader.skip_blanks", skip_all)
    assert build(effect="write").check('{\u00a0path: "a"}').repairs == (
        "an unquoted key was read as a string",
    )
    assert build(effect="write").check('{"path":\x0b"a"}').repairs == ()


def test_many_repairs_are_told_in_a_few_lines() -> None:
    check = build({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}})
    checked = check.check({"l": ["1"] * 500})
    assert checked.arguments == {"l": [1] * 500}
    assert len(checked.repairs) == 21
    assert checked.repairs[-1] == "and 480 more like these"


# What is refused


@pytest.mark.covers("FEAT004-ES-02", "RFC004-GO-07")
def test_every_problem_is_told_at_once_with_the_signature() -> None:
    assert refuse(build(), {"offset": -1, "mode": "other", "tags": [1], "pat": "a"}) == (
        "Missing required parameter: 'path';"
        " Parameter 'offset' must be at least 0 but got the integer -1;"
        ' Parameter \'mode\' must be one of: "text", "bytes" but got the string "other";'
        " Parameter 'tags[0]' expected type 'string' but got the integer 1;"
        " Unknown parameter: 'pat' (did you mean 'path'?)."
        ' Call it as read_file(path: string, offset?: integer, mode?: "text"|"bytes", tags?: string[],'
        " deep?: boolean)."
    )


@pytest.mark.covers("RFC004-ET-03", "RFC004-ET-04", "RFC004-UT-02a", "RFC004-UT-02c")
def test_the_messages_of_the_first_description_hold() -> None:
    assert "Missing required parameter: 'path'" in refuse(build(), {})
    assert "Parameter 'path' expected type 'string' but got the integer 5" in refuse(build(), {"path": 5})
    assert 'Parameter \'mode\' must be one of: "text", "bytes"' in refuse(build(), {"path": "a", "mode": "x"})


def test_many_problems_are_counted_and_the_message_stays_short() -> None:
    check = build({"type": "object", "required": [f"k{number}" for number in range(100)]})
    assert "; and 80 more. Call it as" in refuse(check, {})
    check = build({"type": "object", "required": [f"k{number}" + "x" * 300 for number in range(100)]})
    assert refuse(check, {}).endswith("Call it as read_file().")


def test_a_secret_in_a_large_value_is_not_repeated() -> None:
    secret = "s3cret" * 1_000
    assert len(refuse(build(), {"path": "a", "offset": secret})) < 400


def nest(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


MEGABYTES_50 = 50 * 1024 * 1024
HOSTILE: dict[str, Any] = {
    "50 MB of text": '{"path": "' + "x" * MEGABYTES_50 + '"}',
    "50 MB of bytes": b'{"path": "' + b"x" * MEGABYTES_50 + b'"}',
    "50 MB in a mapping": {"path": "x" * MEGABYTES_50},
    "many objects": '{"tags": [' + "{}," * 1_390_000 + "{}]}",
    "many numbers": '{"tags": [' + "1," * 2_000_000 + "1]}",
    "many wrong values": '{"tags": [' + "1," * 240_000 + "1]}",
    "many texts to read as numbers": {"offset": ["5"] * 240_000},
    "100,000 levels of text": '{"path":' * 100_000 + "1" + "}" * 100_000,
    "100,000 open brackets": "[" * 100_000,
    "100,000 levels of a mapping": nest(100_000),
    "5,000 digits": '{"offset": ' + "1" * 5_000 + "}",
    "5,000 digits in a mapping": {"offset": 10**5_000},
    "5,000 digits in a string": {"path": "a", "offset": "1" * 5_000},
    "invalid UTF-8": b'{"path": "\xff"}',
    "UTF-16": '{"path": "a"}'.encode("utf-16"),
    "lone surrogates": '{"path": "\\ud800"}',
    "duplicate keys": '{"path": "a", "path": "b"}',
    "NaN": '{"offset": NaN}',
    "overflow": '{"offset": 1e999}',
    "keys that are not strings": {1: 2},
    "what JSON cannot hold": {"path": object()},
    "open braces": "{" * 4_000,
    "open strings": '{"' * 2_000,
    "backslashes": '{"a":"' + "\\" * 4_000,
    "comments": "{" + "/*" * 2_000,
    "cut": '{"path": "a',
    "a number": "5",
    "nothing": None,
}


@pytest.mark.covers("FEAT004-EC-02")
@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_arguments_are_refused_in_no_time(raw: Any) -> None:
    check = build()
    start = time.process_time()
    message = refuse(check, raw)
    assert time.process_time() - start < 5
    assert len(message) < 500


def test_a_cyclic_mapping_is_refused() -> None:
    raw: dict[str, Any] = {}
    raw["path"] = raw
    assert "nested deeper" in refuse(build(), raw)


# Properties

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
FITTING = st.fixed_dictionaries(
    {"path": st.text()},
    optional={
        "offset": st.integers(0, 10**30),
        "mode": st.sampled_from(["text", "bytes"]),
        "tags": st.lists(st.text()),
        "deep": st.booleans(),
    },
)
READS, WRITES = build(), build(effect="write")


@given(FITTING, st.sampled_from([READS, WRITES]))
def test_whatever_fits_passes_unchanged_with_no_repairs(value: Any, check: ArgumentCheck) -> None:
    expected = Checked({"mode": "text", **value})
    assert check.check(value) == expected
    assert check.check(json.dumps(value)) == expected
    assert check.check(json.dumps(value, ensure_ascii=False).encode()) == expected


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=5))
def test_any_object_passes_a_schema_that_asks_for_nothing(value: Any) -> None:
    assert build({"type": "object"}).check(value) == Checked(value)


ANYTHING = st.one_of(
    st.text(),
    st.binary(),
    st.text(alphabet="{}[]\"',:\\path0-5.eE \n`"),
    st.dictionaries(st.sampled_from(["path", "offset", "mode", "tags", "deep", "x"]), JSON),
    st.dictionaries(st.integers() | st.text(), st.binary() | st.floats() | st.text()),
    JSON,
)


@given(ANYTHING, st.sampled_from([READS, WRITES]))
def test_whatever_is_given_the_answer_fits_or_is_a_validation_error(raw: Any, check: ArgumentCheck) -> None:
    try:
        checked = check.check(raw)
    except ToolError:
        refuse(check, raw)
        return
    assert check.schema.is_valid(checked.arguments)
    json.dumps(checked.arguments, allow_nan=False).encode()
    assert all(len(line) < 300 for line in checked.repairs)


def test_what_is_wrong_is_said_of_the_alternative_that_was_meant_and_all_are_shown() -> None:
    alternatives = [
        {"properties": {"kind": {"const": "mail"}, "address": {"type": "string"}}, "required": ["address"]},
        {"properties": {"kind": {"enum": ["call"]}, "number": {"type": "integer"}}, "required": ["number"]},
    ]
    parameters = {"type": "object", "oneOf": alternatives, "required": ["kind"]}
    check = ArgumentCheck(ToolDefinition(name="send", parameters=parameters))
    ending = 'Call it as send(kind: "mail", address: string) or send(kind: "call", number: integer).'
    assert refuse(check, {"kind": "mail"}) == f"Missing required parameter: 'address'. {ending}"
    assert refuse(check, {"kind": "call"}) == f"Missing required parameter: 'number'. {ending}"
    neither = refuse(check, {"kind": "fax", "number": 1})
    assert "'kind' must be \"mail\"" in neither
    assert "'kind' must be one of: \"call\"" in neither
