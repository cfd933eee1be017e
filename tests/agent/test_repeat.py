"""Repeats: what is the same round, what is news, and what the model is told."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from json import dumps
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.agent import repeat
from oneclaw.agent.repeat import Repeats
from oneclaw.agent.volatile import GONE, IN_ARGUMENTS, IN_RESULTS, Volatile, strip_volatile
from oneclaw.clock.moment import render
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind

Case = tuple[Any, Any]
START = datetime(2026, 11, 16, 9, 58, 57, tzinfo=UTC)


def never(name: str) -> bool:
    return False


def count(repeats: Repeats, arguments: Any, value: Any, *, polls: Callable[[str], bool] = never) -> bool:
    return repeats.count([ToolCall("t", arguments, "c")], [ToolResult("c", "t", value)], polls)


def test_the_same_call_with_the_same_result_counts_to_the_limit() -> None:
    repeats = Repeats(3)
    assert [count(repeats, {"a": 1}, "x") for _ in range(4)] == [False, False, True, True]
    assert [count(Repeats(2), {}, "x"), count(Repeats(1), {}, "x")] == [False, True]


def test_without_a_limit_nothing_is_ever_too_much() -> None:
    repeats = Repeats(None)
    assert not any(count(repeats, {}, "x") for _ in range(50))


def test_another_result_or_other_arguments_begin_anew() -> None:
    repeats = Repeats(3)
    seen = [(1, "x"), (1, "x"), (1, "y"), (1, "y"), (2, "y"), (1, "y"), (1, "y")]
    assert not any(count(repeats, {"a": a}, value) for a, value in seen)
    assert count(repeats, {"a": 1}, "y")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 1, "b": [true, null]}', {"b": [True, None], "a": 1}),
        ('{"a":1,"b":2}', ' {"b" : 2.0,\n"a":1}'),
        (b'{"a": "\\u00e9"}', '{"a": "é"}'),
        ("", {}),
        ("  ", "{}"),
        ('{"cut": ', '{"cut": '),
        ({"q": "x", "request_id": "r-1"}, {"q": "x", "request_id": "r-2"}),
        ({"q": "x", "traceId": 1}, {"q": "x", "traceId": 2}),
        ({"q": "x", "timestamp": 1763286000}, {"q": "x", "timestamp": 1763286001}),
        ({"q": "it is 2026-11-16T09:58:57Z"}, {"q": "it is 2026-11-16T09:58:59Z"}),
        ({"nonce": "a"}, '{"nonce": "b"}'),
    ],
)
def test_arguments_are_the_same_by_value(one: Any, other: Any) -> None:
    repeats = Repeats(2)
    count(repeats, one, "x")
    assert count(repeats, other, "x")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": True}),
        ({"a": "1"}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ('{"cut": 1', '{"cut": 2'),
        ({"date": "2026-01-01"}, {"date": "2026-01-02"}),
        ({"time": "09:00"}, {"time": "10:00"}),
        ({"start": "2026-01-01T09:00:00Z"}, {"start": "2026-01-01T10:00:00Z"}),
        ({"uuid": "550e8400-e29b-41d4-a716-446655440000"}, {"uuid": "550e8400-e29b-41d4-a716-446655440001"}),
        ({"seconds": 5}, {"seconds": 10}),
        ({"id": 1763286000}, {"id": 1763286001}),
        ({"path": "main.c:12:30"}, {"path": "main.c:12:31"}),
    ],
)
def test_what_the_model_chose_is_not_the_same_though_the_result_is(one: Any, other: Any) -> None:
    repeats = Repeats(2)
    count(repeats, one, "ok")
    assert not count(repeats, other, "ok")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("now 2026-11-16", "now 2026-11-17"),
        ("2026-11-16T09:58:57.123+01:00", "2026-11-16T09:58:58.9+01:00"),
        ("2026-11-16 09:58:57 up", "2026-11-16 10:02:00 up"),
        ("at 9:58:57 PM CET", "at 10:00:01 AM CET"),
        ("took 12 ms", "took 9ms"),
        ("done in 1.25 seconds", "done in 13 seconds"),
        ("real 1m30.2s", "real 2m1s"),
        ("at 1763286000", "at 1763286009"),
        ("at 1763286000123.", "at 1763286009456."),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ({"x": 1, "elapsed": 3}, {"x": 1, "elapsed": 4}),
        ({"x": 1, "durationMs": 3.5}, {"x": 1, "durationMs": 4}),
        ({"x": [{"server_time": "a"}]}, {"x": [{"server_time": "b"}]}),
        ({"x": 1, "X-Request-Id": "a"}, {"x": 1, "X-Request-Id": "b"}),
        ({"at": 1763286000.25}, {"at": 1763286001.5}),
        ('{"ok": true, "took": 3}', '{"took": 4, "ok": true}'),
    ],
)
def test_what_changes_by_itself_makes_no_other_result(one: Any, other: Any) -> None:
    repeats = Repeats(2)
    count(repeats, {}, one)
    assert count(repeats, {}, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 files", "13 files"),
        ("v1.2.3", "v1.2.4"),
        ("main.c:12:30: error", "main.c:14:30: error"),
        ("main.c:12:30 error", "main.c:12:31 error"),
        ("order A1763286000", "order A1763286001"),
        ("port 8080", "port 8081"),
        ({"up_to_date": False}, {"up_to_date": True}),
        ({"update": 1}, {"update": 2}),
        ({"state": "running", "seconds": 3}, {"state": "done", "seconds": 4}),
        ({"times": [1, 2]}, {"times": [1, 3]}),
        (["a"], ["a", "a"]),
        ("", None),
        ("x" * 30_000 + "a" + "x" * 30_000, "x" * 30_000 + "b" + "x" * 30_000),
    ],
)
def test_news_is_another_result(one: Any, other: Any) -> None:
    repeats = Repeats(2)
    count(repeats, {}, one)
    assert not count(repeats, {}, other)


def test_results_differ_by_kind_message_and_picture() -> None:
    call = [ToolCall("t", {}, "c")]
    well = ToolResult("c", "t", "x")
    failed = ToolResult("c", "t", None, Kind.TIMEOUT, "Too slow after 30 seconds.")
    for one, other, is_same in [
        (well, failed, False),
        (failed, replace(failed, message="Too slow after 31 seconds."), True),
        (failed, replace(failed, kind=Kind.NETWORK_ERROR), False),
        (failed, replace(failed, message="Gone."), False),
        (well, replace(well, seconds=9.0, call_id="d"), True),
        (well, replace(well, images=(Image(b"1", "image/png"),)), False),
    ]:
        repeats = Repeats(2)
        repeats.count(call, [one], never)
        assert repeats.count(call, [other], never) is is_same


def test_the_order_of_parallel_calls_is_no_difference_but_whose_result_is_whose_is() -> None:
    calls = [ToolCall("t", {"n": n}, f"c{n}") for n in (1, 2)]
    results = [ToolResult(f"c{n}", "t", f"value {n}") for n in (1, 2)]
    repeats = Repeats(2)
    repeats.count(calls, results, never)
    assert repeats.count(calls[::-1], results[::-1], never)
    assert not repeats.count(calls, results[::-1], never)
    assert not repeats.count(calls[:1], results[:1], never)


def ask_the_time(format: Literal["iso8601", "human_readable"]) -> bool:
    """Whether a model that asks for the time again and again, seconds apart, is seen."""
    repeats = Repeats(3)
    moments = [START + timedelta(seconds=2 * n) for n in range(3)]
    return [count(repeats, {"timezone": "UTC"}, render(moment, UTC, format)) for moment in moments][-1]


@pytest.mark.parametrize("format", ["iso8601", "human_readable"])
def test_a_model_that_asks_for_the_time_again_and_again_is_seen(
    format: Literal["iso8601", "human_readable"], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask_the_time(format)
    nothing = Volatile(frozenset(), ("\0",), re.compile(r"(?!)"))
    monkeypatch.setattr(repeat, "IN_RESULTS", nothing)
    assert not ask_the_time(format), "without leaving times out it would never be seen"


def test_chosen_arguments_would_pass_for_repeats_if_they_were_treated_like_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def set_reminders() -> bool:
        repeats = Repeats(3)
        return [count(repeats, {"time": f"{hour}:00"}, "ok") for hour in (10, 11, 12)][-1]

    assert not set_reminders()
    monkeypatch.setattr(repeat, "IN_ARGUMENTS", IN_RESULTS)
    assert set_reminders()


def test_polling_tools_may_be_asked_as_often_as_it_takes() -> None:
    repeats = Repeats(3)
    assert not any(count(repeats, {}, "running", polls=lambda name: name == "t") for _ in range(20))
    assert [count(repeats, {}, "running") for _ in range(3)][-1], "and other tools may not"


def test_a_round_of_polls_alone_counts_neither_for_nor_against() -> None:
    repeats, seen = Repeats(3), list[bool]()
    for _ in range(3):
        assert not count(repeats, {}, "running", polls=lambda name: True)
        seen.append(count(repeats, {"a": 1}, "x"))
    assert seen == [False, False, True]


def test_a_mixed_round_is_compared_without_its_polls() -> None:
    def polls(name: str) -> bool:
        return name == "job_status"

    repeats, seen = Repeats(3), list[bool]()
    for percent in (10, 20, 30):
        calls = [ToolCall("job_status", {}, "p"), ToolCall("read_file", {"path": "a"}, "c")]
        results = [ToolResult("p", "job_status", percent), ToolResult("c", "read_file", "same")]
        seen.append(repeats.count(calls, results, polls))
    assert seen == [False, False, True]
    text = repeats.explanation([ToolCall("job_status", {}, "p"), ToolCall("read_file", {"path": "a"}, "c")])
    assert "read_file" in text
    assert "job_status" not in text


def test_the_explanation_names_the_call_and_how_often_and_what_to_do() -> None:
    repeats = Repeats(3)
    for _ in range(3):
        count(repeats, '{"path": "a.txt"}', "x")
    text = repeats.explanation([ToolCall("t", {"path": "a.txt"}, "c")])
    assert text == (
        'The call `t {"path":"a.txt"}` was made 3 times in a row with the same outcome: its result will not'
        " change. Do not make it again; answer now with what you know, and say what is missing."
    )


def test_the_explanation_stays_short() -> None:
    calls = [ToolCall("t", {"text": "x" * 9_000, "n": n}, f"c{n}") for n in range(40)]
    results = [ToolResult(call.id, "t", "x") for call in calls]
    repeats = Repeats(2)
    repeats.count(calls, results, never)
    assert repeats.count(calls, results, never)
    text = repeats.explanation(calls)
    assert "and 37 more were made 2 times in a row" in text
    assert len(text) < 1_000


def test_arguments_nested_too_deep_are_counted_and_not_raised() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    repeats = Repeats(2)
    for arguments in ({"a": deep}, "[" * 100_000, {"a": 10**6_000}):
        count(repeats, arguments, "x")
        assert count(repeats, arguments, "x")
        assert repeats.explanation([ToolCall("t", arguments, "c")])


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), _json, max_size=4), _json)
def test_any_round_repeats_itself_however_it_is_written(arguments: dict[str, Any], value: Any) -> None:
    repeats = Repeats(3)
    turned = dict(reversed(arguments.items()))
    count(repeats, arguments, value)
    count(repeats, dumps(turned, indent=2), value)
    assert count(repeats, dumps(arguments).encode(), value)


@given(st.text(alphabet="0123456789:.-TZ hmsabcdef", max_size=200))
def test_what_is_settled_stays_settled(text: str) -> None:
    for volatile in (IN_RESULTS, IN_ARGUMENTS):
        settled = strip_volatile(text, volatile)
        assert len(settled) <= len(text)
        assert strip_volatile(text, volatile) == settled
    assert strip_volatile(f"at {START.isoformat()}, id", IN_RESULTS) == f"at {GONE}, id"
