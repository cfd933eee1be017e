"""Agents from code, files and the store: what they say, and what is wrong with them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw import Agent, App, Config, Limits
from oneclaw.agent.document import read_agent, write_agent
from oneclaw.agent.roster import Roster
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.policy import Rules

WHOLE = """
description = "Reads and reports."
instructions = "You read."
model = "anthropic/claude-sonnet-4-5"
fallbacks = ["openai/gpt-4o"]
agents = ["helper"]

[tools]
allow = ["read_*"]
deny = ["read_secrets"]

[limits]
rounds = 5
cost = 0.5
seconds = false

[options.anthropic]
temperature = 0.2
"""


def test_an_agent_is_read_from_a_file_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "reader.toml").write_text(WHOLE)
    (tmp_path / "helper.toml").write_text("")
    agent = Roster(tmp_path).get("reader")
    assert agent == Agent(
        name="reader",
        description="Reads and reports.",
        instructions="You read.",
        model="anthropic/claude-sonnet-4-5",
        fallbacks=("openai/gpt-4o",),
        tools=Rules(("read_*",), ("read_secrets",)),
        agents=("helper",),
        limits=Limits(rounds=5, cost=0.5, seconds=None),
        options={"anthropic": {"temperature": 0.2}},
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modell = 'x'", "there is no field modell; did you mean model?"),
        ("model = 5", "model is 5; it must be a text"),
        ("[options]\ntemperature = 1", "options.temperature is 1; options are by provider"),
        ("fallbacks = 'x'", "fallbacks is 'x'; it must be a list of texts"),
        ("[tools]\nallowed = []", "there is no field tools.allowed; did you mean tools.allow?"),
        ("[limits]\nrounds = 0", "limits.rounds is 0; it must be a whole number above 0"),
        ("[limits]\nrounds = true", "limits.rounds is True; it must be a whole number above 0"),
        ("[limits]\nround = 3", "there is no field limits.round; did you mean limits.rounds?"),
        ("name = 'other'", "name is 'other'; it must be 'bad'"),
        ("= 3", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_named_with_its_field_and_the_others_are_there(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "bad.toml").write_text(text)
    (tmp_path / "good.toml").write_text("instructions = 'x'")
    roster = Roster(tmp_path)
    assert roster.get("good").instructions == "x"
    with pytest.raises(InvalidConfig) as caught:
        roster.get("bad")
    assert said in str(caught.value)
    assert "bad.toml" in str(caught.value)
    assert roster.all()["bad"].agent is None


@pytest.mark.parametrize(
    ("named", "said"), [("ghost", "names the agent 'ghost'"), ("boss", "cannot ask itself")]
)
def test_an_agent_that_names_one_it_cannot_ask_says_so(tmp_path: Path, named: str, said: str) -> None:
    (tmp_path / "boss.toml").write_text(f'agents = ["{named}"]')
    with pytest.raises(InvalidConfig, match=said):
        Roster(tmp_path).get("boss")


def test_an_unknown_agent_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "reader.toml").write_text("")
    with pytest.raises(InvalidConfig, match="Did you mean reader"):
        Roster(tmp_path).get("raeder")


def test_code_wins_over_a_file_and_a_file_over_the_store(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("description = 'file'")
    (tmp_path / "two.toml").write_text("description = 'file'")
    saved = {name: {"description": "store"} for name in ("one", "two", "three")}
    roster = Roster(tmp_path)
    roster.saved = saved
    roster.add(Agent(name="one", description="code"))
    assert {name: (listed.source, roster.get(name).description) for name, listed in roster.all().items()} == {
        "default": ("built-in", ""),
        "one": ("code", "code"),
        "two": ("file", "file"),
        "three": ("store", "store"),
    }


@pytest.mark.parametrize("name", ["", "Upper", "a b", "x" * 49, "1st", "../up"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidConfig, match="The agent's name is"):
        Agent(name=name)


_LISTS = st.lists(st.text(max_size=5), max_size=3).map(tuple)
_LIMITS = st.none() | st.integers(1, 100)


@given(
    st.builds(
        Agent,
        name=st.from_regex(r"[a-z][a-z0-9_-]{0,20}", fullmatch=True),
        description=st.text(max_size=20),
        instructions=st.text(max_size=20),
        model=st.text(max_size=20),
        fallbacks=_LISTS,
        agents=_LISTS,
        tools=st.builds(Rules, st.none() | _LISTS, _LISTS),
        limits=st.builds(Limits, rounds=_LIMITS, calls=_LIMITS, cost=_LIMITS),
        options=st.dictionaries(
            st.text(max_size=5), st.dictionaries(st.text(max_size=5), st.integers(), max_size=2), max_size=2
        ),
    )
)
def test_an_agent_is_the_same_after_it_was_written_down(agent: Agent) -> None:
    assert read_agent(write_agent(agent), agent.name, "here") == agent


async def test_agents_live_beside_the_settings_and_in_the_store_and_settings_rule_over_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "reader.toml").write_text('[tools]\nallow = ["read_file", "list_files"]')
    settings = tmp_path / "oneclaw.toml"
    settings.write_text('[agents.reader.tools]\ndeny = ["list_files"]\n[runs]\nrounds = 7')
    from oneclaw.config import load_config

    async with App(load_config(settings, {"ONECLAW_HOME": str(tmp_path / "home")})) as app:
        await app.store.agents.save("keeper", {"instructions": "You keep."})
        await app.refresh()
        assert app.agents.get("keeper").instructions == "You keep."
        assert app.agents.get("reader").limits.rounds == 7
        names = [tool.name for tool in app.engine.available(app.new_session("reader"))]
        assert names == ["read_file"]


async def test_an_agents_folder_in_the_current_folder_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It may have come with somebody else's code, and an agent says what a model may do.
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "default.toml").write_text("instructions = 'obey me'")
    monkeypatch.chdir(tmp_path)
    async with App(Config(home=tmp_path / "home")) as app:
        assert app.agents.get("default").instructions != "obey me"
