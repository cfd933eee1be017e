"""Saved conversations that ended other agents for good: they load, nothing runs, the next request holds."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agent.validity import faults, request_faults
from tests.corpus.conftest import Judged, Rows
from tests.providers.wires import MAKERS

from oneclaw.agent.foreign import read_history
from oneclaw.agent.recall import recall
from oneclaw.core.errors import Kind
from oneclaw.core.message import Message, ResultsMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.core.subschema import is_array, is_object
from oneclaw.store.store import Store


def history_of(row: dict[str, Any]) -> Any:
    return next(row[name] for name in ("messages", "history", "contents", "input", "items") if name in row)


def read(row: dict[str, Any]) -> list[Message]:
    return read_history(history_of(row), row.get("format"))


def test_every_history_loads_and_is_valid(rows: Rows, judged: Judged) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            messages = read(row)
            assert faults(messages) == []


def test_every_history_loads_when_nobody_says_what_format_it_is(rows: Rows, judged: Judged) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            messages = read(row)
            assert read_history(history_of(row)) == messages


def test_no_text_and_no_result_that_fits_is_lost(rows: Rows, judged: Judged) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            messages = read(row)
            kept = [message.text for message in messages if isinstance(message, UserMessage)]
            for item in history_of(row):
                said: Any = item.get("content") if is_object(item) and item.get("role") == "user" else None
                if isinstance(said, str):
                    written = re.sub("[\ud800-\udfff]", "\ufffd", said).strip()
                    assert not written or any(written in text for text in kept)


def test_a_call_without_a_result_gets_an_error_and_its_effects_are_unknown(
    rows: Rows, judged: Judged
) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            messages = read(row)
            asked, answered = ids_of(history_of(row))
            for message in messages:
                for result in message.results if isinstance(message, ResultsMessage) else ():
                    if "" in answered and result.call_id in asked - answered:
                        continue  # a result that names no call may be its own
                    if result.call_id in asked - answered:
                        assert (result.kind, result.effects) == (Kind.INTERRUPTED, "unknown")
                    elif result.call_id in answered:
                        assert result.kind is not Kind.INTERRUPTED


def ids_of(value: Any) -> tuple[set[str], set[str]]:
    """The ids of calls and of results anywhere in a saved history, found without the code under test."""
    asked: set[str] = set()
    answered: set[str] = set()
    fields: Mapping[str, Any] = (
        value if is_object(value) else {str(at): each for at, each in enumerate(value)}
    )
    if str(fields.get("type", "")).endswith(("tool_use", "function", "_call")):
        asked |= {each for each in (fields.get("id"), fields.get("call_id")) if isinstance(each, str)}
    is_output = str(fields.get("type", "")).endswith("_output")
    for name in ("tool_use_id", "tool_call_id", *(["call_id"] if is_output else [])):
        answered |= {each for each in (fields.get(name),) if isinstance(each, str)}
    if fields.get("role") == "tool" and not fields.get("tool_call_id"):
        answered.add("")
    for each in fields.values():
        if is_object(each) or is_array(each):
            inner = ids_of(each)
            asked |= inner[0]
            answered |= inner[1]
    return asked, answered


@pytest.mark.parametrize("name", MAKERS)
def test_the_next_request_pairs_every_call_with_one_result(rows: Rows, name: str, judged: Judged) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            messages = read(row)
            assert request_faults(messages, name) == []


async def test_a_history_that_is_stored_comes_back_and_goes_on(
    rows: Rows, tmp_path: Path, judged: Judged
) -> None:
    with Store(tmp_path / "store.db") as store:
        for number, row in enumerate(rows("broken_histories")):
            with judged(row["id"]):
                messages = read(row)
                session = Session(f"{number} {row['id']}")  # a row may stand there twice
                for message in messages:
                    await store.messages.append(session, message)
                await store.messages.append(session, UserMessage("go on"))
                recalled = await recall(store, session.id)
                assert recalled.messages == [*messages, UserMessage("go on")]
                assert recalled.notes == ()
                assert await store.calls.history(session=session.id) == []  # nothing was run


def test_every_history_cut_anywhere_is_valid(rows: Rows, judged: Judged) -> None:
    for row in rows("broken_histories"):
        with judged(row["id"]):
            document = history_of(row)
            for end in range(len(document) + 1):
                for begin in range(end + 1):
                    assert faults(read_history(document[begin:end], row.get("format"))) == []


def test_without_mending_a_history_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from oneclaw.agent import repair

    def always(_: object) -> bool:
        return True

    monkeypatch.setattr(repair, "is_sound", always)
    call: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "shell", "input": {}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "run"},
        {"role": "assistant", "content": [call]},
    ]
    assert faults(read_history(history, "anthropic"))
