"""An agent made in code: its tools by plain lists, and mistakes that would open more than was meant."""

from typing import Any

import pytest

from oneclaw import Agent, App, Config, Scripted, Session, tool
from oneclaw.agent.document import read_agent, write_agent
from oneclaw.core.errors import InvalidConfig
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
