"""Conversations without a door: what one app exports, another one imports."""

from pathlib import Path

import pytest

from oneclaw import App, Config
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.message import AssistantMessage, TextPart, Usage, UserMessage
from oneclaw.operations.reading import reading
from oneclaw.operations.sessions import (
    export_session,
    find_session,
    import_session,
    list_sessions,
    read_session,
    remove_session,
)


async def talk(app: App) -> str:
    session = app.new_session()
    answer = AssistantMessage((TextPart("Hello."),), model="m", finish="stop", usage=Usage(3, 2))
    await app.store.messages.append(session, UserMessage("hi"))
    await app.store.messages.append(session, answer, cost=0.5)
    await app.store.sessions.touch(session.id, "A greeting")
    return session.id


async def test_an_export_is_imported_by_another_app_with_messages_title_and_cost(
    app: App, tmp_path: Path
) -> None:
    record = await find_session(app.store, await talk(app))
    document = await export_session(app.store, record)
    async with App(Config(home=tmp_path / "other")) as other:
        made = await import_session(other, document)
        content = await read_session(other.store, await find_session(other.store, "last"))
        (listed,) = await list_sessions(other.store)
    before = await read_session(app.store, record)
    assert (made.id, made.agent, made.messages) == (content.session.id, "default", 2)
    assert [each.message for each in content.messages] == [each.message for each in before.messages]
    assert (content.usage, content.cost, content.answers) == (Usage(3, 2), 0.5, 1)
    assert listed.session.title == "A greeting"


async def test_an_import_without_messages_makes_no_session(app: App) -> None:
    with pytest.raises(InvalidConfig, match=r"a\.json holds no messages"):
        await import_session(app, {"format": "oneclaw", "messages": []}, source="a.json")
    assert await app.store.sessions.list() == []


async def test_a_removed_session_is_gone_with_its_long_results(app: App) -> None:
    session_id = await talk(app)
    spilled = app.config.home / "sessions" / session_id / "long.txt"
    spilled.parent.mkdir(parents=True)
    spilled.write_text("long")
    assert (await remove_session(app, session_id[:20])).id == session_id
    assert not spilled.parent.exists()
    with pytest.raises(NotFound) as unknown:
        await find_session(app.store, session_id)
    assert unknown.value.noun == "session"


async def test_where_no_store_was_made_nothing_is_found_and_none_is_made(config: Config) -> None:
    with reading(config) as store:
        assert await list_sessions(store) == []
        with pytest.raises(NotFound, match="There is no session 'last'"):
            await find_session(store, "last")
    assert not config.home.exists()
