"""Search in past conversations: found by words, of the agents that are asked for, gone with their session."""

from pathlib import Path

import pytest

from oneclaw.core.call import ToolResult
from oneclaw.core.message import AssistantMessage, ResultsMessage, TextPart, UserMessage
from oneclaw.core.session import Session, Workspace
from oneclaw.store.history import History
from oneclaw.store.messages import Messages
from oneclaw.store.sessions import Sessions
from oneclaw.store.sqlite import SqliteDatabase


@pytest.fixture
def history(database: SqliteDatabase) -> History:
    return History(database)


async def say(database: SqliteDatabase, session: str, *texts: str, agent: str = "default") -> None:
    """Messages of a person and a model, in turn."""
    messages, place = Messages(database), Session(session, agent, Workspace(Path("/work")))
    for number, text in enumerate(texts):
        said = AssistantMessage((TextPart(text),)) if number % 2 else UserMessage(text)
        await messages.append(place, said)


async def found(history: History, query: str, *agents: str, **more: object) -> list[str]:
    hits = await history.search(query, agents or ("default",), limit=5, **more)  # pyright: ignore[reportArgumentType]
    return [hit.text for hit in hits]


async def test_what_was_said_is_found_by_its_words_the_best_match_first(
    database: SqliteDatabase, history: History
) -> None:
    await say(database, "a", "Where does the ferry leave?", "The ferry leaves from pier nine.")
    await say(database, "b", "I like the piers of Brighton, not the ferry.")
    assert (await found(history, "ferries pier nine"))[0] == "The ferry leaves from pier nine."
    assert await found(history, "Brighton") == ["I like the piers of Brighton, not the ferry."]
    assert await found(history, "submarine") == []
    assert await found(history, "?!") == []


async def test_a_hit_says_who_said_it_when_and_where(database: SqliteDatabase, history: History) -> None:
    await say(database, "a", "Where is the ferry?", "At the pier.")
    (hit,) = await history.search("pier", ["default"], limit=5)
    assert (hit.session, hit.title, hit.agent, hit.role) == (
        "a",
        "Where is the ferry?",
        "default",
        "assistant",
    )
    assert hit.created > 1_700_000_000


async def test_messages_that_come_after_a_search_are_found_by_the_next(
    database: SqliteDatabase, history: History
) -> None:
    await say(database, "a", "one ferry")
    assert await found(history, "ferry") == ["one ferry"]
    await say(database, "a", "another ferry")
    assert set(await found(history, "ferry")) == {"one ferry", "another ferry"}


async def test_more_messages_than_one_page_are_all_indexed(
    database: SqliteDatabase, history: History
) -> None:
    messages, session = Messages(database), Session("a", workspace=Workspace(Path("/work")))
    for number in range(1_203):
        messages.add(session, UserMessage(f"message number{number}"))
    assert await found(history, "number1202") == ["message number1202"]
    assert await found(history, "number0") == ["message number0"]


async def test_only_the_agents_that_are_named_are_searched_and_no_session_that_is_left_out(
    database: SqliteDatabase, history: History
) -> None:
    await say(database, "a", "my ferry", agent="writer")
    await say(database, "b", "your ferry", agent="reader")
    assert await found(history, "ferry", "writer") == ["my ferry"]
    assert set(await found(history, "ferry", "writer", "reader")) == {"my ferry", "your ferry"}
    assert await found(history, "ferry", "writer", "reader", without=["a"]) == ["your ferry"]
    assert await history.search("ferry", [], limit=5) == []


async def test_results_summaries_and_guards_are_no_part_of_it(
    database: SqliteDatabase, history: History
) -> None:
    messages, session = Messages(database), Session("a", workspace=Workspace(Path("/work")))
    await messages.append(session, ResultsMessage((ToolResult("1", "read_file", "a ferry in a file"),)))
    await messages.append(session, UserMessage("a ferry in a summary", origin="summary"))
    assert await found(history, "ferry") == []


async def test_a_removed_session_is_found_no_more_and_its_keys_may_be_used_again(
    database: SqliteDatabase, history: History
) -> None:
    await say(database, "a", "the first ferry")
    await say(database, "b", "the second ferry")
    assert len(await found(history, "ferry")) == 2
    await Sessions(database).remove("b")
    assert await found(history, "ferry") == ["the first ferry"]
    await say(database, "c", "the third ferry")  # gets the key that the second had
    assert set(await found(history, "ferry")) == {"the first ferry", "the third ferry"}
    assert await database.select("SELECT count(*) FROM history_text") == [(2,)]


@pytest.mark.parametrize("query", ['"', "ferry OR", "NEAR(", "text:ferry", "*", "ferry'); --", "東京"])
async def test_no_query_breaks_the_search(database: SqliteDatabase, history: History, query: str) -> None:
    await say(database, "a", "the ferry to 東京 leaves")
    assert len(await found(history, query)) <= 1
    assert await found(history, "東京") == ["the ferry to 東京 leaves"]
