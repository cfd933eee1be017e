"""Answers made from results: the facts stand in them as the tools gave them."""

from typing import Any

import pytest

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw_smollm2.report import SHOWN_LINES, report


def told(tool: str, value: Any, **arguments: Any) -> str:
    return report(ToolCall(tool, arguments), ToolResult("1", tool, value))


def test_the_time_is_told_as_it_is() -> None:
    text = told("get_current_time", "2026-11-16T12:45:18+09:00 (Asia/Tokyo)", timezone="Tokyo")
    assert text == "It is 12:45 in Tokyo on Monday, 16 November 2026 (UTC+09:00)."
    assert told("get_current_time", "noon") == "The time: noon"


def test_text_of_a_file_is_quoted_line_by_line() -> None:
    assert told("read_file", "one\n\ntwo\n", path="a.txt") == "a.txt says:\n\n> one\n>\n> two"
    assert told("read_file", "", path="a.txt") == "a.txt is empty."
    long = told("read_file", "\n".join(map(str, range(1000))), path="a.txt")
    assert long.count("\n> ") == SHOWN_LINES
    assert "more characters" in long


def test_where_nothing_was_found_is_named_and_not_written_as_dots() -> None:
    text = told("find_files", "(Nothing matches *.csv in ..)", pattern="*.csv")
    assert text == "Nothing matches *.csv in the workspace."
    assert told("find_files", "(Nothing matches *.csv in a.)", path="a") == "Nothing matches *.csv in a."


def test_what_was_saved_is_said_short_or_counted() -> None:
    assert told("write_file", "ok", path="a.txt", content="milk") == "Saved “milk” to a.txt."
    assert told("write_file", "ok", path="a", content="x" * 1500) == "Saved 1,500 characters to a."
    assert told("write_file", "ok", path="a", content="x", mode="append") == "Added “x” to a."


def test_lists_and_what_was_remembered_are_items() -> None:
    assert told("list_files", "a.txt (1 bytes)\nb/") == "In the workspace:\n\n- a.txt (1 bytes)\n- b/"
    assert told("list_files", "(The folder . is empty.)") == "The folder . is empty."
    found = {"note": "data", "memories": [{"key": "cat", "value": "Miso", "hits": 0}]}
    assert told("memory_search", found, query="cat") == "I remember:\n\n- cat: Miso"


def test_any_other_tool_is_told_by_its_result() -> None:
    assert told("roll_dice", "7") == "roll_dice: 7"
    assert told("roll_dice", 7) == "roll_dice: 7"
    assert told("weather", {"sky": "blue"}) == 'weather says:\n\n> {\n>   "sky": "blue"\n> }'


@pytest.mark.parametrize("kind", list(Kind))
def test_an_error_is_told_with_its_reason(kind: Kind) -> None:
    result = ToolResult("1", "read_file", None, kind, "Access denied: x is outside.")
    text = report(ToolCall("read_file", {"path": "x"}), result)
    assert text.endswith(": Access denied: x is outside.")
    assert "says" not in text
