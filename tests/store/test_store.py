"""The tables of a store together: what one has written, another does not write again."""

import sqlite3
from pathlib import Path

import pytest
from tests.store.wal import commits

from oneclaw.core.call import ToolCall
from oneclaw.core.errors import StoreError
from oneclaw.core.message import UserMessage
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.store import Store


async def open_first_call(calls: Calls, store: Store, path: Path, session: Session) -> int:
    """The commits of a first message and the first call after it."""
    before = commits(path)
    store.messages.add(session, UserMessage("go"))
    await calls.open(ToolCall("look", {}, "1"), ToolDefinition(name="look"), session, {})
    return commits(path) - before


async def test_the_row_of_a_session_goes_with_its_first_message_and_call(
    path: Path, session: Session
) -> None:
    with Store(path) as store:
        assert await open_first_call(store.calls, store, path, session) == 1


async def test_a_table_that_does_not_know_of_it_would_write_it_by_itself(
    path: Path, session: Session
) -> None:
    with Store(path) as store:
        assert await open_first_call(Calls(store.database), store, path, session) == 2


async def test_a_session_that_is_gone_is_made_again_after_the_first_failure(
    path: Path, session: Session
) -> None:
    definition = ToolDefinition(name="look")
    with Store(path) as store:
        await store.calls.open(ToolCall("look", {}, "1"), definition, session, {})
        other = sqlite3.connect(path)
        other.execute("DELETE FROM calls")
        other.execute("DELETE FROM sessions")
        other.commit()
        other.close()
        with pytest.raises(StoreError):
            await store.calls.open(ToolCall("look", {}, "2"), definition, session, {})
        assert await store.calls.open(ToolCall("look", {}, "3"), definition, session, {})
