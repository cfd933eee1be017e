"""Who may do what: people are asked and remembered, the owner's settings hold, nothing goes round them."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from tests.person import Person

from oneclaw import App, Config, Context, Kind, ToolCall, ToolResult, tool
from oneclaw.config import load_config
from oneclaw.core.tool import Tool


def send_mail(text: str = "Send a letter.") -> Tool:
    """A tool that has to ask; its description is what a person saw."""

    @tool(effect="write", needs=["mail"], description=text)
    def send(context: Context, to: str) -> str:
        with (context.workspace.folder / "sent.txt").open("a") as file:
            file.write(f"{to}\n")
        return f"sent to {to}"

    return send


def sent(folder: Path) -> list[str]:
    file = folder / "workspace" / "sent.txt"
    return file.read_text().split() if file.exists() else []


async def send(app: App, to: str = "ada") -> ToolResult:
    return await app.engine.call(ToolCall("send", {"to": to}))


async def test_an_answer_is_remembered_by_the_next_program(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path), tools=[send_mail()]) as app:
        person = Person("always", app.broker)
        assert (await send(app, "ada")).ok
        assert (await send(app, "bob")).ok
        assert len(person.asked) == 1
        assert "ada" in person.asked[0].text
    async with App(Config(home=tmp_path), tools=[send_mail()]) as app:
        assert (await send(app, "eve")).ok, "nobody is there, and nobody need be"
    assert sent(tmp_path) == ["ada", "bob", "eve"]


async def test_never_outlives_the_program_and_a_new_version(tmp_path: Path, command_line: Any) -> None:
    command_line.home = tmp_path
    async with App(Config(home=tmp_path), tools=[send_mail()]) as app:
        Person("never", app.broker)
        assert (await send(app)).kind is Kind.PERMISSION_DENIED
    async with App(Config(home=tmp_path), tools=[send_mail("Send a letter at night.")]) as app:
        person = Person("once", app.broker)
        refused = await send(app)
        assert (refused.kind, person.asked) == (Kind.PERMISSION_DENIED, [])
        denials = [one for one in await app.grants.all() if one.verdict == "deny"]
        assert any(one.id in refused.message for one in denials)
    for one in denials:
        assert command_line.run("grants", "revoke", one.id).returncode == 0
    async with App(Config(home=tmp_path), tools=[send_mail()]) as app:
        Person("once", app.broker)
        assert (await send(app)).ok
    assert sent(tmp_path) == ["ada"]


async def test_a_grant_taken_back_at_the_command_line_is_gone_for_a_running_program(
    tmp_path: Path, command_line: Any
) -> None:
    command_line.home = tmp_path
    async with App(Config(home=tmp_path), tools=[send_mail()]) as app:
        person = Person("always", app.broker)
        assert (await send(app)).ok
        grants = json.loads(command_line.run("grants", "--json").stdout)
        for grant in grants:
            assert command_line.run("grants", "revoke", grant["id"]).returncode == 0
        person.answer = "no"
        assert (await send(app)).kind is Kind.PERMISSION_DENIED


async def test_in_the_mode_ask_reading_runs_and_every_change_is_confirmed(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path, mode="ask")) as app:
        person = Person("once", app.broker)
        write = ToolCall("write_file", {"path": "a.txt", "content": "hi"})
        assert (await app.engine.call(write)).ok
        assert (await app.engine.call(ToolCall("read_file", {"path": "a.txt"}))).value == "hi"
        person.answer = "no"
        refused = await app.engine.call(ToolCall("edit_file", {"path": "a.txt", "old": "hi", "new": "ho"}))
        assert (refused.kind, refused.effects) == (Kind.PERMISSION_DENIED, "none")
        assert [prompt.tool for prompt in person.asked] == ["write_file", "edit_file"]
        assert "hi" in person.asked[0].arguments["content"]
    assert (tmp_path / "workspace" / "a.txt").read_text() == "hi"


async def test_the_mode_that_was_set_while_running_outlives_a_switch(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        app.permissions.mode = "deny"
        await app.switch("list_files", False)
        write = ToolCall("write_file", {"path": "a.txt", "content": "hi"})
        assert (await app.engine.call(write)).kind is Kind.PERMISSION_DENIED


def test_modes_hold_through_the_command_line(command_line: Any) -> None:
    for mode in ("ask", "deny"):
        command_line.environment = {"ONECLAW_MODE": mode}
        refused = command_line.call("write_file", path="a.txt", content="hi")
        assert refused["error_type"] == "permission_denied"
    assert command_line.call("list_files")["result"] == "(The folder . is empty.)"


SETTINGS = """
[tools]
deny = ["http_request"]

[agents.clerk.tools]
allow = ["group:files"]
deny = ["write_*", "edit_file", "copy_*", "move_*", "delete_*", "restore_*", "make_folder"]

[agents.clock.tools]
allow = ["get_current_time", "http_request"]

[permissions.needs]
mail = "granted"
notify = "denied"

[limits.tools.search_text]
chars = 500
"""


@tool(effect="write", needs=["notify"])
def ring() -> str:
    """Ring."""
    return "ringing"


async def test_settings_from_a_file_rule_agent_by_agent(tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(SETTINGS)
    config = load_config(file, {"ONECLAW_HOME": str(tmp_path)})
    async with App(config, tools=[send_mail(), ring]) as app:
        sessions = {agent: app.new_session(agent) for agent in ("clerk", "clock", "default")}
        leave = app.broker.bind(lambda _: None)  # somebody who could be asked: ask_user is there, too
        tools = {
            agent: {one.name for one in app.engine.available(session)} for agent, session in sessions.items()
        }
        leave()
        assert tools["clerk"] == {"read_file", "list_files", "find_files", "search_text"}
        assert tools["clock"] == {"get_current_time"}
        plain = App(Config(home=tmp_path / "plain"), tools=[send_mail(), ring])
        on = {
            one.name for one in plain.registry if plain.policy.decide(one.definition, agent="default").allowed
        }
        assert tools["default"] == on - {"http_request"}
        for agent, session in sessions.items():
            for name in on - tools[agent]:
                refused = await app.engine.call(ToolCall(name, {}), session)
                assert refused.kind is Kind.TOOL_NOT_AVAILABLE, (agent, name)
                assert "allow" in refused.message or "deny" in refused.message
        assert (await send(app)).ok, "the owner granted mail"
        refused = await app.engine.call(ToolCall("ring"))
        assert refused.kind is Kind.PERMISSION_DENIED
        assert "permissions.needs.notify" in refused.message
        (tmp_path / "workspace" / "a.txt").write_text("line\n" * 1000)
        found = await app.engine.call(ToolCall("search_text", {"pattern": "line"}))
        assert len(found.value) <= 500


def test_the_command_line_obeys_the_same_file(command_line: Any, tmp_path: Path) -> None:
    file = tmp_path / "oneclaw.toml"
    file.write_text(SETTINGS)
    command_line.environment = {"ONECLAW_CONFIG": str(file)}
    ended = command_line.run("call", "write_file", "path=a", "content=b", "--agent", "clerk")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert 'agents.clerk.tools.deny has "write_*"' in ended.stderr
    said = command_line.run("why", "http_request", "--agent", "clock").stdout
    assert "tools.deny" in said
    rows = json.loads(command_line.run("tools", "--json", "--agent", "clock").stdout)
    assert [row["name"] for row in rows if row["on"]] == ["get_current_time"]


async def test_a_tool_switched_off_at_the_command_line_is_off_for_a_running_program(
    tmp_path: Path, command_line: Any
) -> None:
    command_line.home = tmp_path
    async with App(Config(home=tmp_path)) as app:
        assert (await app.engine.call(ToolCall("list_files"))).ok
        assert command_line.run("tools", "off", "list_files").returncode == 0
        until = time.monotonic() + 10  # half a second on an idle machine
        while (refused := await app.engine.call(ToolCall("list_files"))).ok:
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
        assert refused.kind is Kind.TOOL_NOT_AVAILABLE
        assert "switched off" in refused.message
        assert "list_files" not in {one.name for one in app.engine.available()}
    async with App(Config(home=tmp_path)) as app:
        assert (await app.engine.call(ToolCall("list_files"))).kind is Kind.TOOL_NOT_AVAILABLE
        await app.switch("list_files", True)
        assert (await app.engine.call(ToolCall("list_files"))).ok


async def test_a_question_nobody_answers_is_a_no_after_its_time(tmp_path: Path) -> None:
    config = Config(home=tmp_path, values={"permissions.prompt_seconds": 0.05})
    withdrawn: list[str] = []
    async with App(config, tools=[send_mail()]) as app:
        app.broker.bind(lambda prompt: None, withdrawn.append)
        refused = await send(app)
        assert refused.kind is Kind.PERMISSION_DENIED
        assert "Nobody answered within 0.05 seconds" in refused.message
        assert len(withdrawn) == 1
        assert app.broker.pending() == ()
    assert sent(tmp_path) == []


ROOTS = """
[workspace]
folder = "{0}/work"
read = ["{0}/library"]
write = ["{0}/out"]
"""


async def test_folders_the_owner_adds_are_open_as_far_as_he_said(tmp_path: Path) -> None:
    for name in ("work", "library", "out", "library-evil"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    file = tmp_path / "work" / "oneclaw.toml"
    file.write_text(ROOTS.format(tmp_path))
    config = load_config(file, {"ONECLAW_HOME": str(tmp_path / "work" / "home")})
    async with App(config) as app:

        async def attempt(name: str, path: str) -> str:
            arguments = {"path": path, **({"content": "x"} if name == "write_file" else {})}
            result = await app.engine.call(ToolCall(name, arguments))
            return "ok" if result.ok else str(result.kind)

        expected = {
            "a.txt": ("ok", "ok"),
            f"{tmp_path}/library/a.txt": ("ok", "path_not_allowed"),
            f"{tmp_path}/out/a.txt": ("ok", "ok"),
            f"{tmp_path}/library-evil/a.txt": ("path_not_allowed", "path_not_allowed"),
            "oneclaw.toml": ("ok", "path_not_allowed"),
            "home/oneclaw.db": ("path_not_allowed", "path_not_allowed"),
            "home/secrets.toml": ("path_not_allowed", "path_not_allowed"),
        }
        for path, outcome in expected.items():
            assert (await attempt("read_file", path), await attempt("write_file", path)) == outcome, path
    assert file.read_text() == ROOTS.format(tmp_path)
