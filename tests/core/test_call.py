"""The result as a model reads it, and ids that are safe."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.call import ToolCall, ToolResult, unique_ids
from oneclaw.core.errors import Kind


def test_success_has_status_and_result_and_nothing_else() -> None:
    assert json.loads(ToolResult("c", "t", "text").to_json()) == {"status": "success", "result": "text"}


def test_error_has_status_type_and_message_and_nothing_else() -> None:
    result = ToolResult("c", "t", None, Kind.TIMEOUT, "Tool execution timed out after 5s")
    assert json.loads(result.to_json()) == {
        "status": "error",
        "error_type": "timeout",
        "message": "Tool execution timed out after 5s",
    }


def test_a_repair_is_told_in_a_note() -> None:
    result = ToolResult("c", "t", 1, repairs=("a was read as 1", "a comma was ignored"))
    assert result.for_model()["note"] == "a was read as 1; a comma was ignored"


@pytest.mark.parametrize("value", ["x", "", 1, 2.5, True, None, [1], {"a": [None]}])
def test_any_value_stands_as_json(value: object) -> None:
    assert json.loads(ToolResult("c", "t", value).to_json())["result"] == value


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert json.loads(ToolResult("c", "t", text).to_json())["result"] == text


@given(st.lists(st.sampled_from(["", "a", "a-2", "b"]), max_size=20))
def test_ids_are_unique_and_good_ones_stay(ids: list[str]) -> None:
    named = unique_ids([ToolCall("t", {}, one) for one in ids])
    assert len({call.id for call in named}) == len(ids)
    assert all(call.id for call in named)
    for position, one in enumerate(ids):
        if one and one not in ids[:position]:
            assert named[position].id == one
