"""A value of a tool, field by field."""

import pytest

from oneclaw.cli.value import print_fields


def test_what_a_command_wrote_is_shown_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields(
        {"exit_code": 1, "stdout": "one\n  two\n", "stderr": "", "call_id": "c1"}, {"call_id": "call id"}
    )
    assert capsys.readouterr().out.splitlines() == [
        "exit_code  1",
        "stdout",
        "  one",
        "    two",
        "call id    c1",
    ]


def test_fields_inside_of_fields_are_shown_once_more_and_then_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_fields({"value": {"a": True, "deep": {"b": [1]}, "list": [{"c": 1}]}, "few": [1, 2]})
    shown = capsys.readouterr().out
    assert shown.startswith("value\n  a     true\n  deep\n    {\n")
    assert '"c": 1' in shown
    assert shown.endswith("few    [1, 2]\n")


def test_nothing_in_a_value_moves_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields({"a\x1b[2J": "b\x1b[2J", "c": "d\n\x1b]0;title\x07\re", "f": [{"g": "\x9b2J"}]})
    assert not set(capsys.readouterr().out) & set("\x1b\x07\r\x9b")
