"""Conversations in the store: kept as they happen, read back whatever became of them."""

import asyncio
import json
import logging
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import StoreError
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
    TextPart,
    ThoughtPart,
    Usage,
    UserMessage,
)
from oneclaw.core.session import Session, Workspace
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.store.messages import Messages, Round
from oneclaw.store.sessions import Sessions
from oneclaw.store.sqlite import SqliteDatabase

SECRET = "hunter2-and-more"  # a word nobody uses elsewhere


@pytest.fixture
def messages(database: SqliteDatabase) -> Messages:
    return Messages(database)


def answer(text: str = "hi", model: str = "scripted/one", usage: Usage | None = None) -> AssistantMessage:
    return AssistantMessage((TextPart(text),), model=model, usage=usage or Usage(10, 2))


def spoil(path: Path, number: int, content: str, role: str | None = None) -> None:
    other = sqlite3.connect(path)
    other.execute("UPDATE messages SET content = ? WHERE number = ?", (content, number))
    if role is not None:
        other.execute("UPDATE messages SET role = ? WHERE number = ?", (role, number))
    other.commit()
    other.close()


# ---------------------------------------------------------------------- append and load


async def test_a_conversation_comes_back_in_its_order(
    path: Path, database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    said: list[Message] = [
        UserMessage("look", (Image(b"\x89PNG", "image/png"),)),
        AssistantMessage((ThoughtPart("hm", {"signature": "s"}), CallPart(ToolCall("look", '{"a"', "1")))),
        ResultsMessage((ToolResult("1", "look", {"a": "\ud800\0"}, images=(Image(b"x", "image/gif"),)),)),
        answer(),
    ]
    before = time.time()
    assert [await messages.append(session, each) for each in said] == [1, 2, 3, 4]
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        loaded = await Messages(looking).load(session.id)
    assert [each.message for each in loaded] == said
    assert [each.number for each in loaded] == [1, 2, 3, 4]
    assert all(before <= each.created <= time.time() for each in loaded)


async def test_a_message_is_in_the_file_when_append_returns(
    path: Path, messages: Messages, session: Session
) -> None:
    await messages.append(session, UserMessage("here"))
    other = sqlite3.connect(path)
    assert other.execute("SELECT session, number, role FROM messages").fetchall() == [
        ("session-1", 1, "user")
    ]
    other.close()


async def test_only_later_messages_are_loaded_when_asked(messages: Messages, session: Session) -> None:
    for number in range(5):
        await messages.append(session, UserMessage(str(number)))
    assert [each.number for each in await messages.load(session.id, after=3)] == [4, 5]


# ---------------------------------------------------------------------- results in the row of their answer


def rounds(count: int) -> list[Message]:
    """What a user says, and rounds of one call each."""
    said: list[Message] = [UserMessage("count")]
    for number in map(str, range(count)):
        said.append(AssistantMessage((CallPart(ToolCall("look", "{}", number)),)))
        said.append(ResultsMessage((ToolResult(number, "look", number),)))
    return [*said, answer()]


async def rows(database: SqliteDatabase) -> list[tuple[int, str, bool]]:
    sql = "SELECT number, role, results IS NOT NULL FROM messages ORDER BY number"
    return [(number, role, bool(results)) for number, role, results in await database.select(sql)]


async def test_results_stand_in_the_row_of_the_answer_after_them(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    session = replace(session, run="run-1")
    said = rounds(2)
    for each in said:
        messages.add(session, each)
    await messages.flush()
    assert await rows(database) == [
        (1, "user", False),
        (2, "assistant", False),
        (4, "assistant", True),
        (6, "assistant", True),
    ]
    loaded = await messages.load(session.id)
    assert [each.message for each in loaded] == said
    assert [each.number for each in loaded] == [1, 2, 3, 4, 5, 6]
    assert [each.number for each in await messages.load(session.id, after=3)] == [4, 5, 6]
    assert await messages.last(session.id) == 6
    assert [each.messages for each in await Sessions(database).totals()] == [6]


async def test_results_that_are_written_before_the_answer_keep_their_row(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    session = replace(session, run="run-1")
    said = rounds(1)
    for each in said:
        messages.add(session, each)
        await messages.flush()
    assert await rows(database) == [
        (1, "user", False),
        (2, "assistant", False),
        (3, "results", False),
        (4, "assistant", False),
    ]
    assert [each.message for each in await messages.load(session.id)] == said


async def test_results_are_not_moved_past_another_message_nor_to_another_session(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    session = replace(session, run="run-1")
    other = replace(session, id="session-2", run="run-2")
    messages.add(other, UserMessage("hello"))
    said = [*rounds(1)[:-1], UserMessage("and now?"), answer()]
    for each in said:
        messages.add(session, each)
    said += rounds(1)[1:-1]
    for each in said[-2:]:
        messages.add(session, each)
    messages.add(other, answer("hi"))
    await messages.flush()
    assert [each.message for each in await messages.load(session.id)] == said
    assert [each.message for each in await messages.load(other.id)] == [UserMessage("hello"), answer("hi")]
    assert not any(has_results for _, _, has_results in await rows(database))


async def test_results_that_wait_are_kept_when_the_store_is_closed(path: Path, session: Session) -> None:
    session = replace(session, run="run-1")
    said = rounds(1)[:-1]
    with SqliteDatabase(path) as database:
        messages = Messages(database)
        for each in said:
            messages.add(session, each)
    with SqliteDatabase(path) as database:
        assert [each.message for each in await Messages(database).load(session.id)] == said


async def test_sessions_count_for_themselves(messages: Messages, session: Session) -> None:
    other = Session("session-2")
    assert await messages.append(session, UserMessage("a")) == 1
    assert await messages.append(other, UserMessage("b")) == 1
    assert await messages.append(session, UserMessage("c")) == 2
    assert await messages.load("nobody") == []


async def test_numbers_go_on_after_the_program_ended(path: Path, session: Session) -> None:
    for expected in (1, 2, 3):
        with SqliteDatabase(path) as database:
            assert await Messages(database).append(session, UserMessage("again")) == expected


async def test_two_programs_in_one_session_lose_nothing(path: Path, session: Session) -> None:
    with SqliteDatabase(path) as one, SqliteDatabase(path) as two:
        first, second = Messages(one), Messages(two)
        for number in range(20):
            await first.append(session, UserMessage(f"first {number}"))
            await second.append(session, UserMessage(f"second {number}"))
        loaded = await first.load(session.id)
    assert [each.number for each in loaded] == list(range(1, 41))
    said = [each.message for each in loaded]
    assert [each for each in said if "first" in str(each)] == [UserMessage(f"first {n}") for n in range(20)]


async def test_messages_appended_at_once_all_get_a_number(
    path: Path, messages: Messages, session: Session
) -> None:
    blocking = sqlite3.connect(path, isolation_level=None)
    await messages.append(session, UserMessage("first"))
    blocking.execute("BEGIN IMMEDIATE")  # so that every one of them has to wait in the queue
    waiting = [asyncio.ensure_future(messages.append(session, UserMessage(str(n)))) for n in range(50)]
    await asyncio.sleep(0)
    blocking.execute("COMMIT")
    blocking.close()
    assert sorted(await asyncio.gather(*waiting)) == list(range(2, 52))
    assert len(await messages.load(session.id)) == 51


async def test_the_session_is_made_with_its_parent(
    database: SqliteDatabase, messages: Messages, tmp_path: Path
) -> None:
    asked = Session("child", "helper", Workspace(tmp_path), parent=Session("above"))
    await messages.append(asked, UserMessage("x"))
    found = await Sessions(database).get("child")
    assert found is not None
    assert (found.agent, found.workspace, found.parent) == ("helper", tmp_path, "above")


async def test_a_message_of_no_session_is_refused(messages: Messages) -> None:
    with pytest.raises(StoreError, match="has no id"):
        await messages.append(Session(), UserMessage("x"))


async def test_a_message_to_a_removed_session_is_refused_and_says_why(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    await messages.append(session, UserMessage("x"))
    assert await Sessions(database).remove(session.id)
    with pytest.raises(StoreError, match="was removed"):
        await messages.append(session, UserMessage("y"))


async def test_a_store_opened_to_read_takes_no_message(path: Path, session: Session) -> None:
    SqliteDatabase(path).close()
    with SqliteDatabase(path, read_only=True) as looking, pytest.raises(StoreError, match="read only"):
        await Messages(looking).append(session, UserMessage("x"))


# ---------------------------------------------------------------------- title and time


async def test_a_session_is_named_by_what_the_user_says_first(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    await messages.append(session, UserMessage("a summary", origin="summary"))
    await messages.append(session, UserMessage("  Sort my\n tax   letters, " + "please " * 40))
    await messages.append(session, UserMessage("something else"))
    found = await Sessions(database).get(session.id)
    assert found is not None
    assert found.title.startswith("Sort my tax letters, please")
    assert len(found.title) == 80


async def test_a_title_that_is_there_stays(database: SqliteDatabase, messages: Messages) -> None:
    made = await Sessions(database).create("a", Path("/"), "Mine")
    await messages.append(Session(made.id), UserMessage("hello"))
    found = await Sessions(database).get(made.id)
    assert found is not None
    assert found.title == "Mine"


async def test_the_session_that_was_talked_in_last_stands_first(
    database: SqliteDatabase, messages: Messages
) -> None:
    sessions = Sessions(database)
    first, second = [await sessions.create("a", Path("/")) for _ in range(2)]
    assert [each.id for each in await sessions.list()] == [second.id, first.id]
    await messages.append(Session(first.id), UserMessage("hello"))
    assert [each.id for each in await sessions.list()] == [first.id, second.id]


# ---------------------------------------------------------------------- rows that cannot be read


@pytest.mark.parametrize("content", ["", "{", '{"role":"robot"}', "[1]", '{"role":"user","text":["x"]}'])
async def test_a_row_that_cannot_be_read_does_not_cost_the_rest(
    path: Path, messages: Messages, session: Session, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(3):
        await messages.append(session, UserMessage(str(number)))
    spoil(path, 2, content)
    with caplog.at_level(logging.WARNING, "oneclaw"):
        loaded = [each.message for each in await messages.load(session.id)]
    assert [loaded[0], loaded[2]] == [UserMessage("0"), UserMessage("2")]
    assert "can no longer be read" in str(loaded[1])
    assert "Message 2 of session session-1" in caplog.text


async def test_an_answer_and_results_that_cannot_be_read_leave_their_place(
    path: Path, messages: Messages, session: Session
) -> None:
    await messages.append(session, answer())
    await messages.append(session, ResultsMessage((ToolResult("1", "t"),)))
    spoil(path, 1, "broken")
    spoil(path, 2, "broken")
    loaded = [each.message for each in await messages.load(session.id)]
    assert len(loaded) == 1
    assert isinstance(loaded[0], AssistantMessage)


# ---------------------------------------------------------------------- secrets


def secretive() -> list[Message]:
    inside = f"before {SECRET} after"
    return [
        UserMessage(inside),
        AssistantMessage(
            (
                TextPart(inside, {"signature": SECRET}),
                ThoughtPart(inside, {"signature": SECRET}),
                CallPart(ToolCall("t", {"a": [inside, {SECRET: 1}]}, "1", fault=inside), {"id": SECRET}),
                CallPart(ToolCall("t", inside, "2")),
                CallPart(ToolCall("t", inside.encode(), "3")),
                ForeignPart({"x": SECRET}, inside),
            )
        ),
        ResultsMessage(
            (
                ToolResult("1", "t", inside, message=inside, repairs=(inside,), details={"a": inside}),
                ToolResult("2", "t", {"a": [inside]}),
            )
        ),
    ]


async def test_known_secrets_are_out_before_anything_is_kept(
    database: SqliteDatabase, session: Session
) -> None:
    messages = Messages(database, SecretRedactor({"KEY": SECRET}).redact)
    for message in secretive():
        await messages.append(session, message)
    await messages.summarise(session.id, f"uses {SECRET}", 2)
    rows = await database.select("SELECT content FROM messages ORDER BY number")
    assert [row for row in rows if SECRET in row[0]] == []  # nor in an echo, which may hold the whole text
    found = await Sessions(database).get(session.id)
    assert found is not None
    assert found.title == "before [redacted:KEY] after"
    assert await messages.summary(session.id) == ("uses [redacted:KEY]", 2)
    loaded = [each.message for each in await messages.load(session.id)]
    assert isinstance(loaded[1], AssistantMessage)
    calls = loaded[1].calls
    assert calls[0].arguments == {"a": ["before [redacted:KEY] after", {"[redacted:KEY]": 1}]}
    assert calls[2].arguments == b"before [redacted:KEY] after"
    # A sealed thought that was changed would be refused: it has lost its seal.
    assert [part.echo for part in loaded[1].parts] == [
        {"signature": "[redacted:KEY]"},
        None,
        {"id": "[redacted:KEY]"},
        None,
        None,
        {"x": "[redacted:KEY]"},
    ]


async def test_only_a_thought_that_told_a_secret_loses_its_seal(
    database: SqliteDatabase, session: Session
) -> None:
    messages = Messages(database, SecretRedactor({"KEY": SECRET}).redact)
    parts = (
        ThoughtPart("harmless", {"signature": "s1"}),
        ThoughtPart(f"it is {SECRET}", {"signature": "s2"}),
        ThoughtPart(
            f"it is {SECRET}", {"field": "reasoning"}
        ),  # not sealed: its text goes back as it is kept
        ThoughtPart("", {"summary": [{"text": SECRET}], "encrypted_content": "s3"}),
        TextPart("done", {"signature": "s4"}),
    )
    await messages.append(session, AssistantMessage(parts))
    loaded = (await messages.load(session.id))[0].message
    assert isinstance(loaded, AssistantMessage)
    kept = [{"signature": "s1"}, None, {"field": "reasoning"}, None, {"signature": "s4"}]
    assert [part.echo for part in loaded.parts] == kept


async def test_a_secret_in_an_echo_alone_is_found(database: SqliteDatabase, session: Session) -> None:
    messages = Messages(database, SecretRedactor({"KEY": SECRET}).redact)
    await messages.append(session, AssistantMessage((TextPart("done", {"content": [{"text": SECRET}]}),)))
    loaded = (await messages.load(session.id))[0].message
    assert isinstance(loaded, AssistantMessage)
    assert loaded.parts[0].echo == {"content": [{"text": "[redacted:KEY]"}]}


async def test_a_secret_in_arguments_that_are_json_text_is_found(
    path: Path, database: SqliteDatabase, session: Session
) -> None:
    secret = 'say "friend" \\ enter'
    messages = Messages(database, SecretRedactor({"door": secret}).redact)
    for arguments in (json.dumps({"word": secret}), f'{{"word": "{secret}"}}', f"{secret}\t"):
        await messages.append(session, AssistantMessage((CallPart(ToolCall("open", arguments, "1")),)))
    for each in await messages.load(session.id):
        assert isinstance(each.message, AssistantMessage)
        arguments = each.message.calls[0].arguments
        assert isinstance(arguments, str)
        assert "[redacted:door]" in arguments
        assert "friend" not in arguments


async def test_without_the_redactor_the_secret_would_be_kept(
    database: SqliteDatabase, messages: Messages, session: Session
) -> None:
    for message in secretive():
        await messages.append(session, message)
    assert all(SECRET in content for (content,) in await database.select("SELECT content FROM messages"))


async def test_a_number_that_is_a_secret_is_out_too(database: SqliteDatabase, session: Session) -> None:
    messages = Messages(database, SecretRedactor({"PIN": "4929123456781234"}).redact)
    call = ToolCall("pay", {"card": 4929123456781234, "sum": 5}, "1")
    await messages.append(session, AssistantMessage((CallPart(call),)))
    loaded = (await messages.load(session.id))[0].message
    assert isinstance(loaded, AssistantMessage)
    assert loaded.calls[0].arguments == {"card": "[redacted:PIN]", "sum": 5}


# ---------------------------------------------------------------------- summary, usage, rounds


async def test_the_last_summary_stands_and_the_messages_stay(messages: Messages, session: Session) -> None:
    assert await messages.summary(session.id) is None
    for number in range(4):
        await messages.append(session, UserMessage(str(number)))
    await messages.summarise(session.id, "first", 1)
    await messages.summarise(session.id, "second", 3)
    assert await messages.summary(session.id) == ("second", 3)
    assert len(await messages.load(session.id)) == 4


async def test_tokens_and_cost_of_a_session_are_added_up(messages: Messages, session: Session) -> None:
    assert await messages.usage(session.id) == (Usage(), None, 0)
    await messages.append(session, UserMessage("hi"))
    await messages.append(session, answer(usage=Usage(100, 10, 50, 5, 3)), cost=0.25)
    await messages.append(session, answer(usage=Usage(200, 20)), cost=None)
    await messages.append(session, answer(usage=Usage(1, 2, 3, 4, 5)), cost=0.5)
    await messages.append(Session("other"), answer(usage=Usage(7, 7)), cost=9.0)
    assert await messages.usage(session.id) == (Usage(301, 32, 53, 9, 8), 0.75, 3)


async def test_tokens_of_any_size_are_taken(messages: Messages, session: Session) -> None:
    for _ in range(3):
        await messages.append(session, answer(usage=Usage(10**40, 1)))
    assert (await messages.usage(session.id))[0].output == 3
    loaded = (await messages.load(session.id))[0].message
    assert isinstance(loaded, AssistantMessage)
    assert loaded.usage.input == 10**40


async def test_the_last_answers_are_listed(messages: Messages, session: Session) -> None:
    other = Session("other")
    await messages.append(session, answer(model="a/one", usage=Usage(1, 1)), cost=0.5)
    await messages.append(session, UserMessage("more"))
    await messages.append(other, answer(model="b/two", usage=Usage(2, 2)))
    await messages.append(session, answer(model="c/three", usage=Usage(3, 3)))
    assert [each.model for each in await messages.rounds()] == ["c/three", "b/two", "a/one"]
    assert [each.model for each in await messages.rounds(limit=2)] == ["c/three", "b/two"]
    mine = await messages.rounds(session.id, 10)
    assert [(each.model, each.number) for each in mine] == [("c/three", 3), ("a/one", 1)]
    assert mine[1] == Round(session.id, 1, mine[1].created, "a/one", Usage(1, 1), 0.5)


async def test_ten_thousand_messages_are_loaded_within_a_second(messages: Messages, session: Session) -> None:
    call = AssistantMessage((TextPart("Let me look."), CallPart(ToolCall("look", {"path": "a"}, "1"))))
    for _ in range(5_000):
        await messages.append(session, call)
        await messages.append(session, ResultsMessage((ToolResult("1", "look", "x" * 200),)))
    begun = time.process_time()
    assert len(await messages.load(session.id)) == 10_000
    assert time.process_time() - begun < 1.0
