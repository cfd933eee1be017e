"""Strings that break programs, as arguments: they arrive as they were sent, or are refused cleanly."""

import json
from typing import Any

from tests.corpus.conftest import Judged, Rows

from oneclaw.core.check.arguments import ArgumentCheck, Checked
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import ToolDefinition

TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"]


def build(schema: Any, effect: Any = "write") -> ArgumentCheck:
    parameters = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    return ArgumentCheck(ToolDefinition(name="take", parameters=parameters, effect=effect))


def judge(check: ArgumentCheck, raw: Any) -> Checked | ToolError:
    try:
        return check.check(raw)
    except ToolError as caught:
        error = caught
    assert error.kind is Kind.VALIDATION_ERROR
    assert len(error.message) < 500
    assert error.message.isprintable()
    return error


def test_a_string_for_a_string_arrives_as_it_was_sent_in_every_form(rows: Rows, judged: Judged) -> None:
    check = build({"type": "string"})
    for row in rows("naughty_strings"):
        with judged(row["id"]):
            expected = Checked({"v": row["s"]})
            for raw in (
                expected.arguments,
                json.dumps(expected.arguments),
                json.dumps(expected.arguments, ensure_ascii=False),
            ):
                assert check.check(raw) == expected


def test_a_string_as_a_name_arrives_as_it_was_sent(rows: Rows, judged: Judged) -> None:
    check = ArgumentCheck(ToolDefinition(name="take", parameters={"type": "object"}))
    for row in rows("naughty_strings"):
        with judged(row["id"]):
            for raw in ({row["s"]: 1}, json.dumps({row["s"]: 1})):
                assert check.check(raw) == Checked({row["s"]: 1})


def test_a_string_for_another_type_is_read_by_name_or_refused_in_a_short_clean_message(
    rows: Rows, judged: Judged
) -> None:
    for kind in TYPES[1:]:
        check = build({"type": kind}, effect="read")
        for row in rows("naughty_strings"):
            with judged(row["id"]):
                answer = judge(check, {"v": row["s"]})
                if isinstance(answer, Checked):
                    assert answer.repairs
                    assert all(line.isprintable() for line in answer.repairs)
                    assert check.schema.is_valid(answer.arguments)


def test_a_string_as_the_whole_text_is_never_taken_in_silence(rows: Rows, judged: Judged) -> None:
    check = ArgumentCheck(ToolDefinition(name="take", parameters={"type": "object"}, effect="read"))
    for row in rows("naughty_strings"):
        with judged(row["id"]):
            answer = judge(check, row["s"])
            if isinstance(answer, Checked) and row["s"].strip():
                assert answer.repairs or json.loads(row["s"]) == answer.arguments


def test_a_string_as_an_unknown_name_is_told_in_a_clean_line(rows: Rows, judged: Judged) -> None:
    check = build({"type": "string"})
    for row in rows("naughty_strings"):
        with judged(row["id"]):
            if row["s"].strip().lower() != "v":
                checked = check.check({"v": "x", row["s"]: 1})
                assert checked.arguments == {"v": "x"}
                assert len(checked.repairs) == 1
                assert checked.repairs[0].isprintable()
