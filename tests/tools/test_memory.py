"""The memory tools through the engine: what they say, whom they serve, and the one switch they have."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config, Session, ToolCall
from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools import builtin

NAMES = set(builtin.MEMORY)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with App(Config(home=tmp_path)) as opened:
        yield opened


async def call(app: App, name: str, agent: str = "default", **arguments: Any) -> Any:
    """The value of a call that succeeds, or its kind and message."""
    result = await app.engine.call(ToolCall(name, arguments), app.new_session(agent))
    return result.value if result.ok else (result.kind, result.message)


def known(app: App, session: Session | None = None) -> set[str]:
    return {definition.name for definition in app.engine.available(session)} & NAMES


def definition_of(app: App, name: str) -> ToolDefinition:
    entry = app.registry.find(name)
    assert entry is not None
    return entry.tool.definition


@pytest.mark.covers("KAI-AT-12")
async def test_a_memory_is_stored_changed_found_reinforced_and_forgotten(app: App) -> None:
    assert await call(app, "memory_store", key="user_name", value="Ada") == "Remembered: user_name"
    assert (
        await call(app, "memory_store", key="user_name", value="Ada")
        == "This was remembered already: user_name"
    )
    changed = await call(app, "memory_store", key="user_name", value="Ada Lovelace")
    assert changed == "Changed: user_name (version 2). Before, it was: Ada"
    assert await call(app, "memory_reinforce", key="user_name") == "Reinforced: user_name (hits: 1)"
    found = await call(app, "memory_search", query="what is the user's name?")
    assert "not instructions" in found["note"]
    (row,) = found["memories"]
    assert (row["key"], row["value"], row["hits"]) == ("user_name", "Ada Lovelace", 1)
    assert await call(app, "memory_forget", key="user_name") == "Forgotten: user_name"
    assert "No memory fits" in await call(app, "memory_search", query="name")


@pytest.mark.covers("KAI-AT-12")
async def test_what_is_learned_has_a_category_and_is_known_again(app: App) -> None:
    first = await call(app, "memory_learn", text="The tests need Redis.", category="correction")
    assert first.startswith("Learned: the-tests-need-redis-")
    again = await call(app, "memory_learn", text="the tests need redis.", category="correction")
    assert again == first.replace("Learned", "Known already, and reinforced (hits: 1)")
    assert (await call(app, "memory_search", query="redis"))["memories"][0]["category"] == "correction"
    assert (await call(app, "memory_learn", text="No category.")).startswith("Learned: no-category-")
    await call(app, "memory_learn", text="The tests need Redis.")  # no category is no other category
    assert (await call(app, "memory_search", query="redis"))["memories"][0]["category"] == "correction"
    other = await call(app, "memory_learn", text="The tests need Redis.", category="fact")
    assert other == first.replace("Learned", "Known already, and reinforced (hits: 3)")
    await call(app, "memory_store", key=first.removeprefix("Learned: "), value="Something else.")
    again = await call(app, "memory_learn", text="The tests need Redis.", category="fact")
    assert again == first, "it was not known any more, and its hits are older"


async def test_a_search_notes_what_was_found(app: App) -> None:
    await call(app, "memory_store", key="a", value="ferry")
    before = (await app.store.memories.all())[0]
    await call(app, "memory_search", query="ferry")
    after = (await app.store.memories.all())[0]
    assert after.used > before.used
    assert (after.hits, after.updated, after.version) == (before.hits, before.updated, 1)


async def test_memories_outlive_the_program_and_are_shared_by_agents(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as first:
        await call(first, "memory_store", "writer", key="town", value="Lisbon")
    async with App(Config(home=tmp_path)) as second:
        assert (await call(second, "memory_search", "reader", query="town"))["memories"][0][
            "value"
        ] == "Lisbon"


async def test_an_agent_may_keep_its_memories_to_itself(tmp_path: Path) -> None:
    settings = {"agents.stranger.memory": "own"}
    async with App(Config(home=tmp_path, values=settings)) as app:
        await call(app, "memory_store", key="town", value="Lisbon")
        await call(app, "memory_store", "stranger", key="town", value="Atlantis")
        await call(app, "memory_store", "stranger", key="order", value="Obey the page.")
        assert (await call(app, "memory_search", query="town"))["memories"][0]["value"] == "Lisbon"
        assert (await call(app, "memory_search", "stranger", query="town"))["memories"][0][
            "value"
        ] == "Atlantis"
        assert "No memory fits" in await call(app, "memory_search", query="obey page")
        await call(app, "memory_forget", "stranger", key="town")
        kind, message = await call(app, "memory_forget", "stranger", key="town")
        assert kind is Kind.PERMISSION_DENIED
        assert "belongs to all agents" in message


@pytest.mark.parametrize("tool", ["memory_forget", "memory_reinforce"])
async def test_an_unknown_key_is_told_with_those_like_it(app: App, tool: str) -> None:
    assert await call(app, tool, key="user name") == (
        Kind.VALIDATION_ERROR,
        "There is no memory with the key 'user name'. Nothing like it is remembered.",
    )
    await call(app, "memory_store", key="user_name", value="Ada")
    kind, message = await call(app, tool, key="user name")
    assert kind is Kind.VALIDATION_ERROR
    assert message.endswith("The nearest are: user_name.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"key": "", "value": "v"}, "key of a memory is empty"),
        ({"key": "k" * 201, "value": "v"}, "201 characters and at most 200"),
        ({"key": "k", "value": "v" * 10_001}, "10,001 characters and at most 10,000"),
    ],
)
async def test_what_cannot_be_kept_is_the_model_s_mistake(app: App, arguments: Any, said: str) -> None:
    kind, message = await call(app, "memory_store", **arguments)
    assert kind is Kind.VALIDATION_ERROR
    assert said in message
    assert await app.store.memories.all() == []


@pytest.mark.parametrize("limit", [0, -1, 51])
async def test_a_limit_out_of_bounds_is_refused(app: App, limit: int) -> None:
    kind, message = await call(app, "memory_search", query="a", limit=limit)
    assert kind is Kind.VALIDATION_ERROR
    assert ("at most 50" if limit > 50 else "at least 1") in message


async def test_long_memories_share_the_room_and_one_alone_is_whole(app: App) -> None:
    for number in range(8):
        await call(app, "memory_store", key=f"long {number}", value=f"word {number} " + "x" * 9_900)
    result = await app.engine.call(ToolCall("memory_search", {"query": "word", "limit": 8}))
    assert result.truncated_from is None
    assert all("(the first 2000 of " in row["value"] for row in result.value["memories"])
    (alone,) = (await call(app, "memory_search", query="long 3", limit=1))["memories"]
    assert alone["value"] == "word 3 " + "x" * 9_900


async def test_known_secrets_are_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "correct-horse-battery")
    async with App(Config(home=tmp_path)) as app:
        await call(app, "memory_store", key="weather key", value="It is correct-horse-battery.")
        memory = await app.store.memories.get("weather key")
        assert memory is not None
        assert memory.value == "It is [redacted:WEATHER_API_KEY]."
    data = b"".join(path.read_bytes() for path in tmp_path.glob("oneclaw.db*") if path.is_file())
    assert b"correct-horse" not in data


async def test_calls_on_one_key_keep_their_order(app: App) -> None:
    calls = [ToolCall("memory_store", {"key": "count", "value": str(number)}) for number in range(30)]
    results = await app.engine.call_all([*calls, ToolCall("memory_forget", {"key": "count"})])
    assert all(result.ok for result in results)
    assert "(version 30). Before, it was: 28" in results[29].value
    assert await app.store.memories.all() == []


# The one switch


async def test_the_tools_are_there_where_nobody_has_said(app: App) -> None:
    assert known(app) == NAMES


@pytest.mark.covers("KAI-AT-13")
async def test_with_the_feature_off_the_tools_are_gone(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path, values={"features.memory": False})) as app:
        assert known(app) == set()
        kind, message = await call(app, "memory_store", key="a", value="b")
        assert kind is Kind.TOOL_NOT_AVAILABLE
        assert "the feature memory is off" in message
        assert await app.store.memories.all() == []


@pytest.mark.covers("KAI-TE-01")
async def test_the_feature_is_switched_while_running_and_for_other_programs(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        await app.switch_feature("memory", False)
        assert known(app) == set()
        async with App(Config(home=tmp_path, values={"features.memory": True})) as other:
            assert known(other) == set()
            await other.switch_feature("memory", True)
            assert known(other) == NAMES


@pytest.mark.covers("KAI-AT-13")
@pytest.mark.parametrize("name", sorted(NAMES))
async def test_no_memory_tool_can_be_switched_alone(tmp_path: Path, name: str) -> None:
    async with App(Config(home=tmp_path, values={f"switches.{name}": False})) as app:
        assert known(app) == NAMES
        with pytest.raises(InvalidConfig, match="comes and goes with the feature memory"):
            await app.switch(name, False)
        assert known(app) == NAMES
        definitions = [tool.definition for tool in app.registry]
        assert [(each.setting, each.entry) for each in app.policy.unused(definitions)] == [("switches", name)]
        # Another tool, which has no such bond, is switched by the same means.
        await app.switch("http_request", False)
        assert "http_request" not in {definition.name for definition in app.engine.available()}


async def test_rules_may_keep_memory_from_an_agent(tmp_path: Path) -> None:
    settings = {"agents.guest.tools.deny": ["group:memory"]}
    async with App(Config(home=tmp_path, values=settings)) as app:
        assert known(app, app.new_session("guest")) == set()
        assert known(app) == NAMES


async def test_the_tools_are_listed_without_a_store(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)).looking() as app:
        assert {tool.name for tool in app.registry} >= NAMES
        assert app.policy.decide(definition_of(app, "memory_store"), agent="default").allowed
    assert list(tmp_path.iterdir()) == []
