"""Saved conversations that ended other agents for good: they load, nothing runs, the next request holds."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agent.validity import WIRES, faults, request_faults
from tests.corpus.conftest import Rows

from oneclaw.agent.foreign import read_history
from oneclaw.agent.recall import recall
from oneclaw.core.errors import Kind
from oneclaw.core.message import Message, ResultsMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.store.store import Store


def history_of(row: dict[str, Any]) -> Any:
    return next(row[name] for name in ("messages", "history", "contents", "input", "items") if name in row)


def read(rows: Rows) -> list[tuple[dict[str, Any], list[Message]]]:
    return [(row, read_history(history_of(row), row.get("format"))) for row in rows("broken_histories")]


def test_every_history_loads_and_is_valid(rows: Rows) -> None:
    for row, messages in read(rows):
        assert messages, row["id"]
        assert faults(messages) == [], row["id"]


def test_every_history_loads_when_nobody_says_what_format_it_is(rows: Rows) -> None:
    for row, messages in read(rows):
        assert read_history(history_of(row)) == messages, row["id"]


def test_no_text_and_no_result_that_fits_is_lost(rows: Rows) -> None:
    for row, messages in read(rows):
        kept = json.dumps([repr(message) for message in messages])
        last = history_of(row)[-1]
        if isinstance(last.get("content"), str) and last.get("role") == "user":
            assert last["content"] in kept, row["id"]


def test_a_call_without_a_result_gets_an_error_and_its_effects_are_unknown(rows: Rows) -> None:
    made_up = [
        result
        for _, messages in read(rows)
        for message in messages
        if isinstance(message, ResultsMessage)
        for result in message.results
        if result.kind is Kind.INTERRUPTED
    ]
    assert made_up
    assert {result.effects for result in made_up} == {"unknown"}


@pytest.mark.parametrize("name", WIRES)
def test_the_next_request_pairs_every_call_with_one_result(rows: Rows, name: str) -> None:
    for row, messages in read(rows):
        assert request_faults(messages, name) == [], row["id"]


async def test_a_history_that_is_stored_comes_back_and_goes_on(rows: Rows, tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        for row, messages in read(rows):
            session = Session(row["id"])
            for message in messages:
                await store.messages.append(session, message)
            await store.messages.append(session, UserMessage("go on"))
            recalled = await recall(store, session.id)
            assert recalled.messages == [*messages, UserMessage("go on")]
            assert recalled.notes == ()
            assert await store.calls.history(session=session.id) == []  # nothing was run


def test_every_history_cut_anywhere_is_valid(rows: Rows) -> None:
    for row in rows("broken_histories"):
        document = history_of(row)
        for end in range(len(document) + 1):
            for begin in range(end + 1):
                assert faults(read_history(document[begin:end], row.get("format"))) == [], row["id"]


def test_without_mending_the_history_would_be_refused(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    from oneclaw.agent import mend

    def always(_: object) -> bool:
        return True

    monkeypatch.setattr(mend, "is_sound", always)
    assert any(faults(messages) for _, messages in read(rows))
