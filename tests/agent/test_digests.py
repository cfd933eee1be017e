"""The digest of memories in the instructions: there, bounded, as data, and the same for a session."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.agent.conftest import Open, drive

from oneclaw import Agent, App, Config, Scripted
from oneclaw.agent.digests import Digests
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call, ScriptedReply

STORE: ScriptedReply = [Call("memory_store", {"key": "town", "value": "Lisbon"})]
KIND = Agent(name="kind", instructions="Be kind.")


async def start(open_app: Open, replies: Sequence[ScriptedReply], **settings: Any) -> tuple[App, Scripted]:
    model = Scripted(replies)
    return await open_app(model, settings=settings), model


def told(requests: Sequence[Request]) -> list[str]:
    return [request.instructions for request in requests]


async def test_what_is_remembered_is_told_to_later_sessions(open_app: Open) -> None:
    app, model = await start(open_app, [STORE, "Noted.", "Hello."])
    await drive(app, agent=KIND)
    assert told(model.requests) == ["Be kind.", "Be kind."]
    await drive(app, agent=KIND)
    text = model.requests[-1].instructions
    assert text.startswith("Be kind.\n\n<memories>\n")
    assert '\n"town": "Lisbon"\n</memories>' in text


async def test_a_session_is_told_the_same_as_long_as_it_lives(open_app: Open) -> None:
    app, model = await start(open_app, [STORE, "1", "2", "3", "4"])
    await app.store.memories.store("name", "Ada")
    session = app.new_session()
    await drive(app, session=session)
    await app.store.memories.store("name", "Grace")
    await app.store.memories.reinforce("town")
    await drive(app, session=session)
    assert len(set(told(model.requests))) == 1
    assert '"name": "Ada"' in model.requests[-1].instructions
    assert "Lisbon" not in model.requests[-1].instructions
    await drive(app)
    assert '"name": "Grace"' in model.requests[-1].instructions
    assert "Lisbon" in model.requests[-1].instructions


async def test_made_anew_each_time_it_would_change_within_a_session(open_app: Open) -> None:
    app, _ = await start(open_app, [])
    session = app.new_session()

    async def anew() -> str:
        return await Digests(app.engine, lambda agent: app.store.memories, 4_000).of(session)

    await app.store.memories.store("name", "Ada")
    kept = Digests(app.engine, lambda agent: app.store.memories, 4_000)
    before = await kept.of(session), await anew()
    await app.store.memories.store("name", "Grace")
    assert await kept.of(session) == before[0]
    assert await anew() != before[1]


async def test_the_digest_keeps_within_the_owner_s_budget(open_app: Open) -> None:
    app, model = await start(open_app, ["1"], **{"memory.digest_chars": 700})
    for number in range(50):
        await app.store.memories.store(f"key {number}", "x" * 100)
    await drive(app, agent=Agent(name="silent"))
    assert 500 < len(model.requests[-1].instructions) <= 700


async def test_with_the_feature_off_nothing_is_told(open_app: Open) -> None:
    app, model = await start(open_app, ["1", "2", "3"])
    await app.store.memories.store("name", "Ada")
    session = app.new_session("kind")
    await app.switch_feature("memory", False)
    await drive(app, agent=KIND, session=session)
    assert model.requests[-1].instructions == "Be kind."
    assert not any(tool.name.startswith("memory_") for tool in model.requests[-1].tools)
    await app.switch_feature("memory", True)
    await drive(app, agent=KIND, session=session)
    assert "Ada" in model.requests[-1].instructions
    await app.switch_feature("memory", False)
    await drive(app, agent=KIND, session=session)
    assert model.requests[-1].instructions == "Be kind."


async def test_an_agent_without_memory_tools_is_told_nothing(open_app: Open) -> None:
    app, model = await start(open_app, ["1"], **{"agents.kind.tools.deny": ["memory_*"]})
    await app.store.memories.store("name", "Ada")
    await drive(app, agent=KIND)
    assert model.requests[-1].instructions == "Be kind."


async def test_what_an_agent_keeps_to_itself_is_told_to_it_alone(open_app: Open) -> None:
    app, model = await start(open_app, ["1", "2"], **{"agents.kind.memory": "own"})
    await app.store.memories.store("name", "Ada")
    await app.store.memories.of("kind").store("mood", "fine")
    await drive(app, agent=KIND)
    assert "fine" in model.requests[-1].instructions
    assert "Ada" in model.requests[-1].instructions
    await drive(app)
    assert "fine" not in model.requests[-1].instructions


async def test_a_secret_that_became_known_later_is_not_told(open_app: Open) -> None:
    app, model = await start(open_app, ["1"])
    await app.store.memories.store("k", "it is correct-horse-battery")
    app.redactor.learn("KEY", "correct-horse-battery")
    await drive(app)
    assert "[redacted:KEY]" in model.requests[-1].instructions
    assert "horse" not in model.requests[-1].instructions


async def test_another_program_makes_its_own_digest(tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"models.default": "test/model"})
    async with App(config, providers={"test": Scripted([STORE, "1"])}) as app:
        _, ended = await drive(app)
    model = Scripted(["2"])
    async with App(config, providers={"test": model}) as app:
        await drive(app, session=ended.session)
    assert '"town": "Lisbon"' in model.requests[-1].instructions
