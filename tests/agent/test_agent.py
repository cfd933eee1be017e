"""An agent made in code: its tools by plain lists, and mistakes that would open more than was meant."""

from typing import Any

import pytest

from oneclaw import Agent, App, Config, MissingKey, NotFound, Scripted, Session, tool
from oneclaw.agent.document import read_agent, write_agent
from oneclaw.core.errors import InvalidConfig, NotOpen
from oneclaw.core.permit.policy import Rules


@tool
def plus(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool
def minus(a: int, b: int) -> int:
    """Subtract."""
    return a - b


@pytest.mark.parametrize(
    ("agent", "rules"),
    [
        (Agent(), Rules()),
        (Agent(tools=["read_file", "group:web"]), Rules(("read_file", "group:web"))),
        (Agent(allow=["read_*"]), Rules(("read_*",))),
        (Agent(tools=[]), Rules(())),
        (Agent(deny=["shell"]), Rules(None, ("shell",))),
        (Agent(tools=("read_*",), deny=["read_mail"]), Rules(("read_*",), ("read_mail",))),
        (Agent(tools=Rules(("a",), ("b",)), deny=("c",)), Rules(("a",), ("b", "c"))),
    ],
)
def test_tools_are_plain_lists(agent: Agent, rules: Rules) -> None:
    assert agent.rules == rules
    assert read_agent(write_agent(agent), agent.name, "here").rules == rules


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tools": "read_file"}, "tools='read_file'; give a list"),
        ({"deny": "shell"}, "deny='shell'; give a list"),
        ({"allow": 7}, "allow=7; give a list"),
        ({"tools": [plus]}, r"in tools; name tools by their names, and give functions .* to `App\(tools="),
        ({"deny": [None]}, "has None in deny"),
        ({"tools": ["a"], "allow": ["b"]}, "both `tools` and `allow`"),
        ({"model": Scripted([])}, r"`App\(providers="),
        ({"fallbacks": (Scripted([]),)}, r"`App\(providers="),
    ],
)
def test_a_list_that_is_none_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidConfig, match=words):
        Agent(name="reader", **given)


async def test_the_lists_decide_the_tools_the_model_is_given(tmp_path: Any) -> None:
    model = Scripted(["Done.", "Done."])
    async with App(
        Config(home=tmp_path), tools=[plus, minus], builtins=False, providers={"test": model}
    ) as app:
        for agent in (Agent(name="one", model="test/x", tools=["pl*"]), Agent(model="test/x", deny=["pl*"])):
            await app.ask(agent, "Go.")
        offered = [[each.name for each in request.tools] for request in model.requests]
        assert offered == [["plus"], ["minus"]]
        assert [each.name for each in app.engine.available(Session(agent="one"))] == ["plus"]


async def test_an_agent_without_a_name_has_the_instructions_of_the_default_one(tmp_path: Any) -> None:
    model = Scripted(["Done.", "Done.", "Done."])
    async with App(Config(home=tmp_path), providers={"test": model}) as app:
        for agent in (
            Agent(model="test/x"),
            Agent(name="own", model="test/x"),
            Agent(model="test/x", instructions="Hm."),
        ):
            await app.ask(agent, "Go.")
    told = [request.instructions for request in model.requests]
    assert told[0].startswith("You are a careful assistant")
    assert "careful assistant" not in told[1]
    assert told[2].startswith("Hm.")


async def test_an_agent_without_a_name_has_the_instructions_the_owner_gave_the_default_one(
    tmp_path: Any,
) -> None:
    model = Scripted(["Done."])
    default = Agent(instructions="Be brief.", model="test/x")
    async with App(Config(home=tmp_path), agents=[default], providers={"test": model}) as app:
        await app.ask(Agent(model="test/y"), "Go.")
    assert model.requests[0].instructions.startswith("Be brief.")


async def test_an_agent_that_is_known_makes_no_new_policy(tmp_path: Any) -> None:
    model = Scripted(["Done."] * 3)
    async with App(Config(home=tmp_path), providers={"test": model}) as app:
        await app.ask(Agent(model="test/x"), "Go.")
        before = app.policy
        await app.ask(Agent(model="test/x"), "Go.")
        assert app.policy is before
        await app.ask(Agent(model="test/x", deny=["read_file"]), "Go.")
        assert app.policy is not before


async def test_an_app_that_is_not_open_says_how_to_open_it(tmp_path: Any) -> None:
    app = App(Config(home=tmp_path))
    with pytest.raises(NotOpen, match="use it inside `async with App"):
        await app.ask("Hello.", model="test/x")
    with pytest.raises(NotOpen, match="use it inside `async with App"):
        await app.call("read_file", path="x")
    with pytest.raises(NotOpen, match="use it inside `async with App"):
        await app.switch("read_file", False)


async def test_names_that_nothing_has_are_one_family_of_errors(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with App(Config(home=tmp_path)) as app:
        for words, ask in (
            ("no agent 'x'. There are: default", app.ask("x", "Hi.")),
            ("no provider 'nowhere'", app.ask("Hi.", model="nowhere/x")),
            ("no session 'x'; `oneclaw sessions` lists them", app.ask("Hi.", session="x", model="test/x")),
        ):
            with pytest.raises(NotFound, match=words):
                await ask


async def test_a_missing_key_is_an_error_of_its_own_before_a_run_begins(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    words = r"openai has no key\. The secret OPENAI_API_KEY is not set: set the environment variable"
    async with App(Config(home=tmp_path), providers={"test": Scripted(["Done."])}) as app:
        with pytest.raises(MissingKey, match=words):
            await app.ask("Hi.", model="openai/o3")
        with pytest.raises(MissingKey, match=words):
            await app.ask(Agent(model="openai/o3", fallbacks=("gemini/gemini-2.5-pro",)), "Hi.")
        assert (await app.store.runs.list(), await app.store.sessions.list()) == ([], [])
        answered = await app.ask(Agent(model="openai/o3", fallbacks=("test/x",)), "Hi.")
        assert answered.text == "Done.", "a fallback that needs no key takes over"
