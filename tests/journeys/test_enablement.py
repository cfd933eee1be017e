"""Which tools are there: features, switches and what they are kept as, defaults, and what a machine lacks."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.programs import make_program

from oneclaw import App, Config, Kind, ToolCall, tool
from oneclaw.core.permit.policy import Policy
from oneclaw.core.registry import Registry
from oneclaw.core.settings.tree import ModelSettings
from oneclaw.providers.catalog import SMALL_TOOLS, Catalog
from oneclaw.providers.packages import ProviderPackages
from oneclaw.store import migration
from oneclaw_smollm2.rules import RULED
from oneclaw_smollm2.verbs import TRAINED

ON = (
    *("get_current_time", "fetch_url", "web_search", "get_location_from_ip", "open_url", "open_file"),
    "memory_store",
)
OFF = ("execute_shell_command", "manage_process", "ssh_configure_host")


def names(app: App) -> set[str]:
    return {definition.name for definition in app.engine.available()}


async def until(holds: Callable[[], bool], app: App) -> None:
    """What was installed or set meanwhile is seen within half a second."""
    while not holds():
        await asyncio.sleep(0.05)
        await app.engine.refresh()


@pytest.mark.covers("KAI-AT-01")
async def test_tools_are_on_and_off_by_default_as_they_should_be(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        there = {one.name for one in app.registry}
        assert names(app) >= {name for name in ON if name in there}
        assert names(app).isdisjoint(OFF)


@pytest.mark.covers("KAI-AT-15", "KAI-SH-09")
@pytest.mark.parametrize("how", ["feature", "switch", "settings"])
async def test_the_shell_is_switched_on_with_what_rides_along(tmp_path: Path, how: str) -> None:
    values = {"features.shell": True} if how == "settings" else {}
    async with App(Config(home=tmp_path, values=values)) as app:
        if how == "feature":
            await app.switch_feature("shell", True)
        elif how == "switch":
            await app.switch("execute_shell_command", True)
        riding = {one.name for one in app.registry if one.definition.feature in ("shell", "sandbox")}
        assert "execute_shell_command" in riding
        lacking = {one.name for one in app.registry if one.definition.missing and one.definition.missing()}
        assert riding - lacking <= names(app)
        await app.switch("execute_shell_command", False)
        assert names(app).isdisjoint(riding)


@pytest.mark.covers("KAI-TE-02")
async def test_a_switch_is_kept_under_the_name_others_know(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        await app.switch("read_file", False)
        assert await app.store.settings.all("tool_enabled_") == {"tool_enabled_read_file": False}
    async with App(Config(home=tmp_path)) as app:
        assert "read_file" not in names(app)


async def test_switches_kept_under_the_name_from_before_hold_on(tmp_path: Path) -> None:
    before = tmp_path / "steps"
    before.mkdir()
    for number, step in migration.steps().items():
        if number < 5:
            (before / step.name).write_text(step.read_text())
    connection = sqlite3.connect(tmp_path / "oneclaw.db", isolation_level=None)
    connection.execute(f"PRAGMA application_id = {migration.APPLICATION}")
    migration.migrate(connection, before)
    kept = [("switch.read_file", "false"), ("switch.edit_file", "true"), ("tool_enabled_edit_file", "false")]
    connection.executemany("INSERT INTO settings (key, value) VALUES (?, ?)", kept)
    connection.close()
    async with App(Config(home=tmp_path)) as app:
        assert await app.store.settings.all("switch.") == {}
        assert await app.store.settings.all("tool_enabled_") == {
            "tool_enabled_edit_file": False,
            "tool_enabled_read_file": False,
        }
        assert names(app).isdisjoint({"read_file", "edit_file"})


@pytest.mark.covers("KAI-AT-02")
async def test_a_call_by_another_name_of_a_tool_works(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        result = await app.engine.call(ToolCall("get_local_time", {"timezone": "Asia/Tokyo"}))
        assert result.ok, result.message
        assert "+09:00" in str(result.value)
        assert "get_local_time" not in names(app), "a model is told one name"


async def test_lists_and_switches_count_for_both_names(tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"tools.deny": ["get_local_time"]})
    async with App(config) as app:
        for name in ("get_local_time", "get_current_time"):
            assert (await app.engine.call(ToolCall(name))).kind is Kind.TOOL_NOT_AVAILABLE


def lacking(what: str) -> Any:
    @tool(effect="read", missing=lambda: what)
    def draw() -> str:
        """Draw."""
        return "drawn"

    return draw


async def test_a_tool_this_machine_lacks_something_for_is_hidden_and_says_what(tmp_path: Path) -> None:
    text = "a pencil is missing; install it with `apt install pencil`."
    async with App(Config(home=tmp_path), tools=[lacking(text)]) as app:
        assert "draw" not in names(app)
        result = await app.engine.call(ToolCall("draw"))
        assert result.kind is Kind.TOOL_NOT_AVAILABLE
        assert text in (result.message or "")
        definition = lacking(text).definition
        assert app.policy.why(definition, agent="default").text.endswith(text)
    async with App(Config(home=tmp_path / "other"), tools=[lacking("")]) as app:
        assert (await app.engine.call(ToolCall("draw"))).value == "drawn", "the twin: with nothing missing"


def test_a_missing_thing_is_the_first_reason() -> None:
    definition = lacking("a pencil is missing.").definition
    why = Policy(switches={"draw": False}).why(definition, agent="default")
    assert [step.setting for step in why.steps][:2] == ["machine", "switches.draw"]
    assert why.decided.setting == "machine"


def test_an_alias_is_taken_as_a_name_is() -> None:
    @tool(aliases=("paint",))
    def draw() -> str:
        """Draw."""
        return ""

    @tool
    def paint() -> str:
        """Paint."""
        return ""

    registry = Registry([draw])
    assert registry.find("paint") is registry.find("draw")
    with pytest.raises(Exception, match="Two tools are named 'paint'"):
        registry.register(paint)
    registry.remove("draw")
    assert registry.find("paint") is None
    registry.register(paint)
    with pytest.raises(Exception, match="Two tools are named 'paint'"):
        registry.register(draw)


@pytest.mark.covers("KAI-TE-03")
def test_small_models_get_the_short_list_and_the_tiny_one_what_it_was_trained_on(tmp_path: Path) -> None:
    kai = {"get_current_time", "get_location_from_ip", "web_search", "open_url", "execute_shell_command"}
    kai |= {"memory_store", "memory_forget", "memory_reinforce"}
    files = {"read_file", "write_file", "edit_file", "list_files", "find_files", "search_text"}
    assert set(SMALL_TOOLS) == kai | files
    packages = ProviderPackages()
    assert Catalog(packages=packages).model("local/smollm2").tools == (*TRAINED, *RULED)
    chosen = Catalog(ModelSettings(small_tools=("read_file",)), packages=packages)
    assert chosen.model("local/smollm2").tools == ()
    assert chosen.small_tools == ("read_file",)


@pytest.mark.parametrize("lacks", ["bash", "ssh"])
async def test_what_rides_along_is_hidden_with_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    programs = tmp_path / "bin"
    for name in {"bash", "ssh"} - {lacks}:
        make_program(programs, name)
    monkeypatch.setenv("PATH", str(programs))
    async with App(Config(home=tmp_path, values={"features.shell": True})) as app:
        hidden = set(OFF) if lacks == "bash" else {"ssh_configure_host"}
        assert names(app).isdisjoint(hidden)
        assert names(app) >= set(OFF) - hidden
        for name in hidden:
            result = await app.engine.call(ToolCall(name))
            assert f"{lacks} is not installed" in (result.message or "")
        make_program(programs, lacks)
        await until(lambda: names(app) >= set(OFF), app)


async def test_a_tool_whose_secret_is_not_set_is_hidden_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    monkeypatch.setitem(sys.modules, "keyring", None)
    values = {"web.search.provider": "brave"}
    async with App(Config(home=tmp_path, values=values)).looking() as looking:
        entry = looking.registry.find("web_search")
        assert entry is not None
        why = looking.policy.why(entry.tool.definition, agent="default")
        assert (why.allowed, "The secret BRAVE_API_KEY is not set" in why.text) == (False, True)
    async with App(Config(home=tmp_path, values=values)) as app:
        assert "web_search" not in names(app)
        secrets = tmp_path / "secrets.toml"
        secrets.touch(mode=0o600)
        secrets.write_text('BRAVE_API_KEY = "a-key-of-brave"\n')
        await until(lambda: "web_search" in names(app), app)


async def test_of_a_secrets_file_that_others_can_read_the_tools_that_need_it_say_so(tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").write_text('BRAVE_API_KEY = "a-key-of-brave"\n')
    (tmp_path / "secrets.toml").chmod(0o644)
    async with App(Config(home=tmp_path, values={"web.search.provider": "brave"})).looking() as app:
        entry = app.registry.find("web_search")
        assert entry is not None
        assert "chmod 600" in app.policy.why(entry.tool.definition, agent="default").text
