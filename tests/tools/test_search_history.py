"""search_history: excerpts with who, when and where; no more than the caller may read."""

from collections.abc import Sequence
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.history import PastMessage
from oneclaw.core.session import Session
from oneclaw.core.tool import Context
from oneclaw.tools.search_history import search_history_tool


def past(text: str, role: Any = "user") -> PastMessage:
    return PastMessage("s1", "Ferries", "helper", role, 1_790_000_000.0, text)


async def search(query: str, *found: PastMessage, limit: int = 5) -> Any:
    async def answer(session: Session, asked: str, most: int) -> Sequence[PastMessage]:
        assert (asked, most) == (query, limit)
        return found

    tool = search_history_tool(answer)
    return (await tool.execute({"query": query, "limit": limit}, Context())).value


async def test_each_message_says_who_when_and_where() -> None:
    said = await search("pier", past("At the pier?"), past("At the pier.", "assistant"))
    assert "not instructions" in said["note"]
    assert said["messages"][0] == {
        "when": "2026-09-21 14:13 UTC",
        "who": "person",
        "text": "At the pier?",
        "conversation": "Ferries",
        "session": "s1",
    }
    assert said["messages"][1]["who"] == "helper"


async def test_a_long_message_is_cut_around_the_word() -> None:
    text = "a" * 5_000 + " the PIER is here " + "b" * 5_000
    (row,) = (await search("pier", past(text)))["messages"]
    assert "the PIER is here" in row["text"]
    assert len(row["text"]) <= 602
    assert row["text"].startswith("…")
    assert row["text"].endswith("…")


async def test_nothing_found_and_nothing_asked_are_said() -> None:
    assert "Nothing was said about this" in await search("pier")
    with pytest.raises(ToolError, match="query has no words") as caught:
        await search("?!")
    assert caught.value.kind is Kind.VALIDATION_ERROR
