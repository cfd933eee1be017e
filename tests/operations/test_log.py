"""Queries on the journal without a door."""

import pytest

from oneclaw import App, ToolCall
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.operations.log import LogFilter, find_call, list_calls, read_since


async def test_pages_follow_each_other_without_gap_or_overlap(app: App) -> None:
    session = app.new_session()
    for number in range(5):
        await app.engine.call(ToolCall("get_current_time", {}, f"c{number}"), session)
    seen: list[str] = []
    before = None
    while page := await list_calls(app.store, LogFilter(session=session.id, before=before, limit=2)):
        seen += [record.call_id for record in page]
        before = page[-1].key
    assert seen == ["c4", "c3", "c2", "c1", "c0"]


async def test_what_is_asked_for_wrongly_is_named(app: App) -> None:
    with pytest.raises(InvalidConfig, match="There is no status 'lost'; use one of: open, success"):
        LogFilter(status="lost")
    with pytest.raises(InvalidConfig, match="'soon' is not a time: write 30m"):
        read_since("soon")
    with pytest.raises(NotFound, match="There is no session 'nope'"):
        await list_calls(app.store, LogFilter(session="nope"))
    with pytest.raises(NotFound, match="There is no call 7; `oneclaw log` lists them"):
        await find_call(app.store, 7)


def test_since_reads_ages_and_dates() -> None:
    assert read_since("30m", 10_000.0) == 10_000 - 1800
    assert read_since("1.5h", 10_000.0) == 10_000 - 5400
    assert read_since("2026-01-31", 0.0) > 1_700_000_000
