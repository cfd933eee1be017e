"""A stored conversation goes on, however the program ended."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agent.validity import faults

from oneclaw.agent.recall import NOT_BEGUN, recall
from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Message,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.store import recovery
from oneclaw.store.calls import STILL_OPEN
from oneclaw.store.store import Store

SESSION = Session("s")
HELLO = UserMessage("hello")
READS = ToolDefinition(name="look", effect="read")
WRITES = ToolDefinition(name="change", effect="write")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


def asks(*ids: str, name: str = "look") -> AssistantMessage:
    return AssistantMessage(tuple(CallPart(ToolCall(name, {}, each)) for each in ids), "calls")


async def keep(store: Store, *messages: Message) -> None:
    for message in messages:
        await store.messages.append(SESSION, message)


async def ran(store: Store, call_id: str, definition: ToolDefinition = READS, value: object = "seen") -> None:
    key = await store.calls.open(ToolCall(definition.name, {}, call_id), definition, SESSION, {})
    await store.calls.close(key, ToolResult(call_id, definition.name, value, seconds=0.5, effects="done"))


def results_of(messages: list[Message]) -> list[ToolResult]:
    return [each for message in messages if isinstance(message, ResultsMessage) for each in message.results]


async def test_a_conversation_that_is_whole_comes_back_as_it_is(store: Store) -> None:
    said: list[Message] = [HELLO, asks("1"), ResultsMessage((ToolResult("1", "look", "x"),)), HELLO]
    await keep(store, *said)
    recalled = await recall(store, "s")
    assert recalled.messages == said
    assert (recalled.summary, recalled.through, recalled.notes) == (None, 0, ())


async def test_a_session_nobody_knows_is_empty(store: Store) -> None:
    assert (await recall(store, "nobody")).messages == []


async def test_a_finished_call_gets_the_result_it_had(store: Store) -> None:
    await keep(store, HELLO, asks("1", "2", name="change"))
    await ran(store, "1", WRITES, {"rows": [1]})
    failed = ToolResult("2", "change", None, Kind.TIMEOUT, "Too slow.", effects="possible", repairs=("r",))
    await store.calls.record(ToolCall("change", {}, "2"), SESSION, {}, failed)
    recalled = await recall(store, "s")
    assert faults(recalled.messages) == []
    first, second = results_of(recalled.messages)
    assert (first.ok, first.value, first.seconds, first.effects) == (True, {"rows": [1]}, 0.5, "done")
    assert (second.kind, second.message, second.effects) == (Kind.TIMEOUT, "Too slow.", "possible")
    assert second.repairs == ("r",)
    assert len(recalled.notes) == 2


async def test_a_call_that_never_began_says_that_it_changed_nothing(store: Store) -> None:
    await keep(store, HELLO, asks("1"))
    (result,) = results_of((await recall(store, "s")).messages)
    assert (result.kind, result.effects, result.message, result.tool) == (
        Kind.INTERRUPTED,
        "none",
        NOT_BEGUN,
        "look",
    )


async def test_a_call_of_another_session_is_not_taken_for_ours(store: Store) -> None:
    await keep(store, HELLO, asks("1"))
    key = await store.calls.open(ToolCall("look", {}, "1"), READS, Session("other"), {})
    await store.calls.close(key, ToolResult("1", "look", "not yours"))
    (result,) = results_of((await recall(store, "s")).messages)
    assert result.message == NOT_BEGUN


async def test_a_call_that_still_runs_elsewhere_is_not_run_again(store: Store) -> None:
    await keep(store, HELLO, asks("1", name="change"))
    await store.calls.open(ToolCall("change", {}, "1"), WRITES, SESSION, {})
    (result,) = results_of((await recall(store, "s")).messages)
    assert (result.kind, result.message, result.effects) == (Kind.INTERRUPTED, STILL_OPEN, "unknown")


async def test_an_id_used_in_every_round_finds_its_own_result(store: Store) -> None:
    await keep(store, HELLO)
    for value in ("one", "two"):
        await keep(store, asks("call_0"))
        await ran(store, "call_0", value=value)
        await keep(store, ResultsMessage((ToolResult("call_0", "look", value),)))
    await keep(store, asks("call_0"))
    await ran(store, "call_0", value="three")
    messages = (await recall(store, "s")).messages
    assert faults(messages) == []
    assert [each.value for each in results_of(messages)] == ["one", "two", "three"]


async def test_an_id_used_again_but_not_begun_gets_no_older_result(store: Store) -> None:
    await keep(store, HELLO, asks("call_0"))
    await ran(store, "call_0", value="one")
    await keep(store, ResultsMessage((ToolResult("call_0", "look", "one"),)), asks("call_0"))
    assert [each.text for each in results_of((await recall(store, "s")).messages)] == ["one", NOT_BEGUN]


async def test_images_that_the_journal_does_not_keep_are_told(store: Store) -> None:
    await keep(store, HELLO, asks("1"))
    key = await store.calls.open(ToolCall("look", {}, "1"), READS, SESSION, {})
    await store.calls.close(key, ToolResult("1", "look", "see", images=(Image(b"x", "image/png"),)))
    (result,) = results_of((await recall(store, "s")).messages)
    assert result.value == "see"
    assert "1 image(s)" in result.repairs[0]


async def test_results_that_cannot_be_read_come_from_the_journal(path: Path, store: Store) -> None:
    await keep(store, HELLO, asks("1"))
    await ran(store, "1")
    await keep(store, ResultsMessage((ToolResult("1", "look", "seen"),)), HELLO)
    other = sqlite3.connect(path)
    other.execute("UPDATE messages SET content = '{' WHERE number = 3")
    other.commit()
    other.close()
    messages = (await recall(store, "s")).messages
    assert faults(messages) == []
    assert [each.value for each in results_of(messages)] == ["seen"]


# ---------------------------------------------------------------------- summaries


async def test_a_summary_says_for_how_many_messages_it_stands(store: Store) -> None:
    said: list[Message] = [UserMessage("1"), AssistantMessage((TextPart("2"),)), UserMessage("3")]
    await keep(store, *said)
    await store.messages.summarise("s", "short", 2)
    recalled = await recall(store, "s")
    assert (recalled.summary, recalled.messages[recalled.through :]) == ("short", said[2:])


async def test_what_is_mended_before_the_border_moves_it(store: Store) -> None:
    rest = UserMessage("rest")
    await keep(store, HELLO, asks("1"), UserMessage(""), HELLO, asks("2"), UserMessage(""), rest)
    await store.messages.summarise("s", "short", 6)
    recalled = await recall(store, "s")
    assert faults(recalled.messages) == []
    assert recalled.messages[recalled.through :] == [rest]


async def test_a_summary_never_parts_a_call_from_its_result(store: Store) -> None:
    await keep(store, HELLO, asks("1"), ResultsMessage((ToolResult("1", "look", "x"),)), HELLO)
    await store.messages.summarise("s", "short", 2)
    recalled = await recall(store, "s")
    assert recalled.messages[recalled.through :] == [HELLO]


# ---------------------------------------------------------------------- kill -9

PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.message import AssistantMessage, CallPart, UserMessage
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.store import Store

async def main():
    store, session = Store(Path(sys.argv[1])), Session("s")
    await store.messages.append(session, UserMessage("go"))
    calls = [ToolCall(name, {}, name) for name in ("change", "look", "done", "later")]
    await store.messages.append(session, AssistantMessage(tuple(map(CallPart, calls)), "calls"))
    for call in calls[:3]:
        definition = ToolDefinition(name=call.name, effect="read" if call.name == "look" else "write")
        key = await store.calls.open(call, definition, session, {})
        if call.name == "done":
            await store.calls.close(key, ToolResult("done", "done", "written", effects="done"))
    print("ready", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""


async def test_after_kill_nine_every_call_has_the_result_that_is_true(path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    program.communicate()
    with Store(path) as store:
        messages = (await recall(store, "s")).messages
    assert faults(messages) == []
    assert [(each.tool, each.text, each.effects) for each in results_of(messages)] == [
        ("change", recovery.OTHER, "unknown"),
        ("look", recovery.READ, "none"),
        ("done", "written", "done"),
        ("later", NOT_BEGUN, "none"),
    ]
