"""execute_shell_command through the engine: off by default, asked for, held to its limits, shut in."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.marked import unmark
from tests.sandboxes import needs_bubblewrap

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.event import ToolProgressed
from oneclaw.core.session import Session
from oneclaw.tools.execute_shell_command import find_shell

pytestmark = needs_bubblewrap
TOOL = "execute_shell_command"


@asynccontextmanager
async def opened(tmp_path: Path, **settings: Any) -> AsyncGenerator[App]:
    workspace = tmp_path / "ws"
    workspace.mkdir(exist_ok=True)
    values = {"features.shell": True, "permissions.needs.shell": "granted"}
    values |= {key.replace("__", "."): value for key, value in settings.items()}
    async with App(Config(home=tmp_path / "home", workspace=workspace, values=values)) as app:
        yield app


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with opened(tmp_path) as made:
        yield made


async def run(app: App, command: str, session: Session | None = None, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(TOOL, {"command": command, **arguments}), session)


@pytest.mark.covers("KAI-AT-14", "KAI-TE-04")
async def test_it_is_off_where_nobody_has_turned_it_on(tmp_path: Path) -> None:
    async with App(Config(home=tmp_path)) as app:
        assert (await run(app, "true")).kind is Kind.TOOL_NOT_AVAILABLE
        names = [tool.name for tool in app.engine.available(app.new_session())]
    assert TOOL not in names
    assert "manage_process" not in names


async def test_without_a_grant_nothing_runs(tmp_path: Path) -> None:
    async with opened(tmp_path, permissions__needs__shell="denied") as app:
        result = await run(app, "echo x >ran")
    assert result.kind is Kind.PERMISSION_DENIED
    assert not (tmp_path / "ws" / "ran").exists()


NAME_LOOKUP = "python3 -c \"import socket; socket.getaddrinfo('example.com', 80)\""


@pytest.mark.parametrize(
    ("command", "setting"), [(NAME_LOOKUP, "shell.network"), ("touch /usr/x", "workspace.write")]
)
async def test_where_the_sandbox_is_the_cause_of_a_failure_it_is_said_with_the_setting(
    app: App, command: str, setting: str
) -> None:
    result = await run(app, command)
    assert result.ok
    assert result.value["exit_code"] != 0
    assert result.value["note"].startswith("The sandbox is the likely cause: ")
    assert setting in result.value["note"]
    assert result.details is not None
    assert result.value["note"].startswith(result.details["cause"])


async def test_a_failure_of_the_commands_own_is_not_put_on_the_sandbox(app: App) -> None:
    result = await run(app, "ls nowhere; false")
    assert "note" not in result.value
    assert "cause" not in (result.details or {})


@pytest.mark.covers("KAI-SH-06")
async def test_a_model_is_told_of_shell_and_system(app: App) -> None:
    entry = app.registry.find(TOOL)
    assert entry is not None
    assert f"Run a command with {find_shell()}." in entry.tool.definition.description
    assert "bash on Linux" in find_shell()
    assert "It is shut in" in entry.tool.definition.description


@pytest.mark.parametrize("settings", [{"shell__mode": "native"}, {"shell__sandbox": "none"}])
async def test_a_model_is_told_that_nothing_shuts_a_command_in(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    async with opened(tmp_path, **settings) as app:
        entry = app.registry.find(TOOL)
        assert entry is not None
        assert "It is not shut in" in entry.tool.definition.description


async def test_the_result_has_code_and_both_streams(app: App) -> None:
    result = await run(app, "echo out; echo err >&2; exit 3")
    assert result.value["exit_code"] == 3
    assert (result.value["stdout"], result.value["stderr"]) == ("out\n", "err\n")
    assert "starts anew" in result.value["note"]


@pytest.mark.covers("KAI-SH-04", "KAI-SH-05")
async def test_state_is_of_the_conversation_and_no_other(app: App) -> None:
    one, other = app.new_session(), app.new_session()
    await run(app, "cd /usr; export A=1", one)
    assert (await run(app, "pwd; echo $A", one)).value["stdout"] == "/usr\n1\n"
    assert "/usr" not in (await run(app, "pwd; echo $A", other)).value["stdout"]
    assert (await run(app, "echo [$A]", one, fresh=True)).value["stdout"] == "[]\n"
    await run(app, "A=2; cd /", one, fresh=True)
    assert (await run(app, "pwd; echo $A", one)).value["stdout"] == "/usr\n1\n"


async def test_calls_of_one_message_run_one_after_the_other(app: App) -> None:
    commands = [f"N=$((N + 1)); echo $N; sleep 0.05; echo {number}" for number in range(4)]
    results = await app.engine.call_all([ToolCall(TOOL, {"command": command}) for command in commands])
    seen = sorted(result.value["stdout"] for result in results)
    assert [text.split()[0] for text in seen] == ["1", "2", "3", "4"]


async def test_a_timeout_says_what_became_of_the_shell_and_what_was_written(app: App) -> None:
    await run(app, "A=1")
    result = await run(app, "echo begun; sleep 60", timeout=1)
    assert result.kind is Kind.TIMEOUT
    assert "stopped after 1 second" in result.message
    assert "The shell was kept" in result.message
    assert "begun" in result.message
    assert result.effects == "possible"
    assert (await run(app, "echo $A")).value["stdout"] == "1\n"


async def test_the_model_gets_what_a_command_wrote_before_it_was_stopped(app: App) -> None:
    result = await run(app, "seq 1000; echo why >&2; sleep 60", timeout=1)
    assert result.kind is Kind.TIMEOUT
    assert "\n1\n2\n3\n" in result.message
    assert "\n999\n1000" in result.message
    assert result.message.endswith("why")
    assert len((await run(app, "yes; yes >&2", timeout=1)).message) <= 20_000


@pytest.mark.covers("KAI-SH-01")
@pytest.mark.parametrize("timeout", [0, 121, -1])
async def test_a_timeout_out_of_bounds_is_refused(app: App, timeout: int) -> None:
    entry = app.registry.find(TOOL)
    assert entry is not None
    bounds = entry.tool.definition.parameters["properties"]["timeout"]
    assert (bounds["default"], bounds["maximum"]) == (30, 120)
    assert (await run(app, "true", timeout=timeout)).kind is Kind.VALIDATION_ERROR


async def test_a_call_that_is_cancelled_leaves_nothing_running(app: App, tmp_path: Path) -> None:
    task = asyncio.create_task(run(app, "echo $$ >begun; sleep 60; echo >late"))
    async with asyncio.timeout(60):
        while not (tmp_path / "ws" / "begun").exists():
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await run(app, "ps ax -o comm=")).value["stdout"] == "bash\nbash\nps\n"


@pytest.mark.covers("KAI-SH-07")
@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "LD_PRELOAD", "ld_library_path", "BASH_ENV", "PYTHONSTARTUP", "NODE_OPTIONS"),
        *("GIT_SSH_COMMAND", "DYLD_INSERT_LIBRARIES", "A-B", "A=B", "", "A\nB"),
    ],
)
async def test_a_dangerous_variable_is_refused_and_nothing_runs(app: App, tmp_path: Path, name: str) -> None:
    result = await run(app, "echo x >ran", env={name: "x"})
    assert result.kind is Kind.PERMISSION_DENIED
    assert not (tmp_path / "ws" / "ran").exists()


async def test_our_keys_reach_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-9f8e7d6c5b4a")
    async with opened(tmp_path) as app:
        shown = await run(app, "env; cat /proc/*/environ | tr '\\0' '\\n'")
        assert "OPENAI" not in shown.text
        assert "canary" not in shown.text


async def test_network_is_refused_unless_the_owner_allows_it(app: App, tmp_path: Path) -> None:
    result = await run(app, "echo x >ran", network=True)
    assert result.kind is Kind.PERMISSION_DENIED
    assert "shell.network" in result.message
    assert not (tmp_path / "ws" / "ran").exists()


async def test_network_is_asked_for_where_the_owner_wants_that(tmp_path: Path) -> None:
    async with opened(tmp_path, shell__network="ask") as app:  # nobody is there to ask
        assert (await run(app, "echo x >ran", network=True)).kind is Kind.PERMISSION_DENIED
    granted = {"permissions__needs__network.private": "granted"}
    async with opened(tmp_path, shell__network="ask", **granted) as app:
        result = await run(app, "echo on; echo off >&2", network=True)
        assert unmark(result.value["stdout"]).inside == "on\n", "it may be what a stranger wrote"
        assert unmark(result.value["stderr"]).inside == "off\n"
        stopped = await run(app, "echo on; sleep 60", network=True, timeout=1)
        assert unmark(stopped.message.partition("so far:\n")[2]).inside == "on"


async def test_with_network_the_state_is_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path, shell__network="always") as app:
        await run(app, "A=1; cd /usr; echo x >/tmp/f")
        result = await run(app, "echo $A; pwd; cat /tmp/f", network=True)
        assert unmark(result.value["stdout"]).inside == "1\n/usr\nx\n"
        assert (await run(app, "echo $A")).value["stdout"] == "1\n"


@pytest.mark.parametrize("arguments", [{"working_dir": "a\0b"}, {"env": {"A": "a\0b"}}])
async def test_a_nul_character_is_refused_wherever_it_stands(app: App, arguments: dict[str, Any]) -> None:
    assert (await run(app, "pwd", **arguments)).kind is Kind.VALIDATION_ERROR


async def test_a_relative_folder_is_one_of_the_workspace(app: App, tmp_path: Path) -> None:
    (tmp_path / "ws" / "sub").mkdir()
    await run(app, "cd /usr")
    assert (await run(app, "pwd", working_dir="sub")).value["stdout"] == f"{tmp_path}/ws/sub\n"
    assert (await run(app, "pwd")).value["stdout"] == "/usr\n"
    assert (await run(app, "pwd", working_dir="absent")).kind is Kind.FILE_NOT_FOUND


@pytest.mark.parametrize(
    "command", ["", "  \n", "echo \0", "x" * 100_001], ids=["empty", "blank", "nul", "long"]
)
async def test_a_command_that_is_none_is_refused(app: App, command: str) -> None:
    assert (await run(app, command)).kind is Kind.VALIDATION_ERROR


@pytest.mark.covers("KAI-SH-14")
async def test_a_long_result_is_cut_in_the_middle_and_kept_whole_in_a_file(app: App) -> None:
    result = await run(app, "seq 100000; echo the end >&2")
    assert result.truncated_from is not None
    assert len(result.text) <= 20_000
    assert (result.value["exit_code"], result.value["stderr"]) == (0, "the end\n")
    assert result.value["stdout"].startswith("1\n2\n")
    assert result.value["stdout"].endswith("99999\n100000\n")
    assert "read it in pieces with read_file" in result.text


async def test_people_are_told_what_a_command_writes_while_it_runs(app: App, tmp_path: Path) -> None:
    told: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, ToolProgressed):
            told.append(event.text)
            (tmp_path / "ws" / "go").touch()

    app.listeners.add(listen)
    result = await run(app, "echo first; until [ -e go ]; do sleep 0.01; done; echo last", timeout=60)
    assert result.value["stdout"] == "first\nlast\n"
    assert told[0] == "first"


async def test_people_are_told_no_part_of_a_secret(tmp_path: Path) -> None:
    secret = "tide-7f3Q/xW+9zK=ebb&flow"
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "secrets.toml").write_text(f'TOKEN = "{secret}"\n')
    (tmp_path / "home" / "secrets.toml").chmod(0o600)
    told: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, ToolProgressed):
            told.append(event.text)

    async with opened(tmp_path) as app:
        app.listeners.add(listen)
        result = await run(app, f"printf '%s' '{secret}{'x' * 490}'; sleep 0.3", timeout=60)
    assert result.value["stdout"].startswith("[redacted:TOKEN]")
    assert told
    assert not any("flow" in text for text in told)


@pytest.mark.covers("KAI-SH-08")
async def test_the_owner_can_have_commands_run_natively_and_every_result_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-9f8e7d6c5b4a")
    (tmp_path / "outside").write_text("seen\n")
    async with opened(tmp_path, shell__mode="native") as app:
        result = await run(app, f"cat {tmp_path}/outside; echo $HOME; A=1; sleep 60 & echo $!")
        seen, home, left = unmark(result.value["stdout"]).inside.split()
        assert (seen, home) == ("seen", str(Path.home()))
        assert "without a sandbox" in result.value["note"]
        assert not Path(f"/proc/{left}").exists(), "what it left behind is gone all the same"
        assert "OPENAI" not in (await run(app, "env; echo $A")).value["stdout"]


async def test_the_program_leaves_nothing_behind(tmp_path: Path) -> None:
    mark = f"MARK_{os.urandom(6).hex()}"
    async with opened(tmp_path) as app:
        await run(app, "sleep 60", background=True, env={mark: "1"})
        await run(app, f"export {mark}=1; true")
    assert not [name for name in filter(str.isdigit, os.listdir("/proc")) if holds(name, mark)]


def holds(pid: str, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
