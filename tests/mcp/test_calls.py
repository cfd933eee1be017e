"""Calls of tools of MCP servers: both protocols, stdio and HTTP, results of every form, limits."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.servers import RAW, SDK, approve, call, config_of, listening_server, local, opened
from tests.processes import children, is_gone

from oneclaw import App
from oneclaw.core.call import ToolCall
from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.question import Question
from oneclaw.guard.outside_mark import unmarked
from oneclaw.mcp.client.server_source import McpServerSource
from oneclaw.operations.mcp import ask_server, list_servers, tell_programs, try_server

pytestmark = pytest.mark.slow


def source_of(app: App, name: str) -> McpServerSource:
    [found] = [one for one in app.sources if isinstance(one, McpServerSource) and one.server.name == name]
    return found


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


@asynccontextmanager
async def http_server() -> AsyncGenerator[str]:
    """The SDK's server on HTTP."""
    async with listening_server(lambda port: (*SDK, "http", str(port))) as address:
        yield address


@asynccontextmanager
async def served(tmp_path: Path, way: str) -> AsyncGenerator[App]:
    if way == "stdio":
        async with opened(config_of(tmp_path, {"test": local(*SDK)})) as app:
            yield app
    else:
        async with http_server() as url, opened(config_of(tmp_path, {"test": {"url": url}})) as app:
            yield app


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_server_of_the_newer_protocol_is_used_over(way: str, tmp_path: Path) -> None:
    async with served(tmp_path, way) as app:
        plain = await call(app, "test_echo", text="hé")
        assert plain.ok
        assert unmarked(plain.text) == "hé"
        assert plain.text != "hé", "what a server says is marked as foreign"

        typed = await call(app, "test_typed", text="hello")
        assert unmarked(typed.text) == '{"text":"hello"}'
        mistyped = await call(app, "test_mistyped")
        assert mistyped.kind is Kind.EXECUTION_ERROR
        assert "5 is not of type 'string'" in mistyped.message

        missing = await call(app, "test_echo")
        assert missing.kind is Kind.VALIDATION_ERROR
        coerced = await call(app, "test_slow", steps="2")
        assert unmarked(coerced.text) == "done"
        assert coerced.repairs == ('steps: "2" was read as the integer 2',)

        failed = await call(app, "test_fail")
        assert failed.kind is Kind.EXECUTION_ERROR
        assert "The disk is on fire." in failed.message
        assert (await call(app, "test_raise")).kind is Kind.EXECUTION_ERROR

        picture = await call(app, "test_picture")
        assert [image.media_type for image in picture.images] == ["image/png"]
        for part in ("Look:", "audio/wav, 8 bytes, kept as", "test://notes: notes, text/plain", "\ninside"):
            assert part in picture.text
        kept = Path(picture.text.partition("kept as ")[2].partition("]")[0])
        assert kept.read_bytes() == b"RIFFwave"
        assert (await call(app, "test_get_user")).ok


async def test_a_server_of_the_older_protocol_is_used(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"raw": local(*RAW)})) as app:
        result = await call(app, "raw_echo", text="hello")
        assert unmarked(result.text) == "hello"
        async with App(app.config).looking() as looking:
            [record] = await list_servers(looking)
            assert (record.state, record.protocol, record.about) == ("ready", "2025-11-25", "raw 1")


async def test_the_tools_of_mcp_server_time_and_git_are_used(tmp_path: Path) -> None:
    bin_folder = Path(sys.executable).parent
    repository = tmp_path / "workspace"
    servers = {
        "time": local(str(bin_folder / "mcp-server-time"), "--local-timezone=UTC"),
        "git": local(str(bin_folder / "mcp-server-git")),
    }
    config = config_of(tmp_path, servers)
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    async with opened(config) as app:
        time, git = await asyncio.gather(
            call(app, "time_get_current_time", timezone="Europe/Berlin"),
            call(app, "git_git_status", repo_path=str(repository)),
        )
        assert "Europe/Berlin" in time.text
        assert "No commits yet" in git.text


async def test_cancelling_a_call_reaches_the_server(tmp_path: Path) -> None:
    said = tmp_path / "cancelled"
    servers = {"test": local(*SDK, env=["CANCELLED=PLACE"])}
    config = config_of(tmp_path, servers)
    os.environ["PLACE"] = str(said)
    try:
        async with opened(config) as app:
            assert (await call(app, "test_echo", text="")).ok
            task = asyncio.ensure_future(call(app, "test_hang"))
            while source_of(app, "test").connection.calls.asking() is None:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.wait((task,))
            while not said.exists():
                await asyncio.sleep(0.01)
            assert (await call(app, "test_echo", text="")).ok
    finally:
        del os.environ["PLACE"]


async def test_progress_keeps_a_call_alive_and_silence_ends_it(tmp_path: Path) -> None:
    servers = {"raw": local(*RAW, idle_seconds=1.0), "capped": local(*RAW, total_seconds=1.0)}
    async with opened(config_of(tmp_path, servers)) as app:
        assert (await call(app, "raw_echo", text="")).ok
        slow, hung = await asyncio.gather(call(app, "raw_slow"), call(app, "raw_hang"))
        assert slow.ok, "it took two seconds, and said so all the time"
        assert hung.kind is Kind.TIMEOUT
        assert "no answer and no progress within 1 seconds" in hung.message
        capped = await call(app, "capped_slow")
        assert capped.kind is Kind.TIMEOUT, "progress holds off the limit of silence, not the cap"
        assert (await call(app, "raw_echo", text="")).ok


async def test_a_server_that_dies_in_a_call_is_started_again(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"raw": local(*RAW)})) as app:
        died = await call(app, "raw_die")
        assert died.kind is Kind.EXECUTION_ERROR
        assert died.effects == "unknown"
        assert "exit code 3; its last words were 'I am dying'" in died.message
        assert unmarked((await call(app, "raw_echo", text="again")).text) == "again"


async def test_a_server_ends_with_the_app(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"raw": local(*RAW)})) as app:
        assert (await call(app, "raw_echo", text="")).ok
        [child] = [pid for pid in children(os.getpid()) if "raw_server.py" in command_of(pid)]
        assert not is_gone(child)
    assert is_gone(child)


async def test_a_required_server_that_fails_stops_the_start_and_another_does_not(tmp_path: Path) -> None:
    servers: dict[str, Any] = {
        "raw": local(*RAW),
        "gone": local("/nowhere/server"),
        "wrong": {"url": "http://127.0.0.1:1/mcp"},
    }
    config = config_of(tmp_path, servers)
    await approve(config, "raw")
    async with App(config) as app:
        assert (await call(app, "raw_echo", text="")).ok
        states = {health.source: health for health in app.sources.health if health.source.startswith("mcp")}
        assert states["mcp raw"].state == "ready"
        assert "not approved" in states["mcp gone"].reason
    servers["gone"]["required"] = True
    with pytest.raises(InvalidConfig, match="mcp gone is not there"):
        async with App(config_of(tmp_path, servers)):
            pass


async def test_nothing_is_started_before_a_person_approves_and_a_new_command_is_held(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    config = config_of(tmp_path, {"evil": local("/bin/sh", "-c", f"touch {mark}; cat")})
    async with App(config) as app:
        assert (await call(app, "evil_echo")).kind is Kind.TOOL_NOT_FOUND
    assert not mark.exists()
    config = config_of(tmp_path, {"raw": local(*RAW)})
    await approve(config)
    changed = config_of(tmp_path, {"raw": local(*RAW, "many", "3")})
    async with App(changed) as app:
        assert app.registry.find("raw_echo") is None
        [health] = [one for one in app.sources.health if one.source == "mcp raw"]
        assert "its command line changed since it was approved" in health.reason


async def test_secrets_reach_the_server_that_names_them_and_nothing_else_does(tmp_path: Path) -> None:
    os.environ["ONECLAW_TEST_SECRET"] = "for-nobody-12345678"
    os.environ["SERVER_TOKEN"] = "for-the-server-12345678"
    try:
        async with opened(config_of(tmp_path, {"test": local(*SDK, env=["TOKEN=SERVER_TOKEN"])})) as app:
            result = await call(app, "test_cwd")
            assert str(tmp_path / "workspace") in result.text
            assert "for-nobody" not in result.text
            assert result.text.count("None") == 1, "it was given one of both"
            assert "for-the-server" not in result.text, "results are redacted"
    finally:
        del os.environ["ONECLAW_TEST_SECRET"], os.environ["SERVER_TOKEN"]


@pytest.mark.parametrize("command", [SDK, RAW], ids=["newer", "older"])
async def test_a_person_answers_what_a_server_asks(command: tuple[str, ...], tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"test": local(*command, idle_seconds=1.0)})) as app:
        asked: list[Question] = []

        def show(question: Question) -> None:
            asked.append(question)
            asyncio.get_running_loop().call_later(1.5, app.broker.answer, question.id, {"ok": "true"})

        app.broker.bind(show)
        result = await call(app, "test_ask")
        assert result.ok, "the time a person takes is not the server's"
        assert "accept" in result.text
        assert "blue" in result.text, "defaults of the schema are filled in"
        assert "asks: Sure?" in asked[0].text


async def test_nobody_to_ask_cancels_and_a_no_declines(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"test": local(*SDK)})) as app:
        assert "cancel" in (await call(app, "test_ask")).text

        def show(question: Question) -> None:
            app.broker.answer(question.id, None)

        app.broker.bind(show)
        assert "decline" in (await call(app, "test_ask")).text
        assert "decline" in (await call(app, "test_ask_url")).text


async def test_a_person_is_shown_the_page_that_a_server_wants_opened(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"test": local(*SDK)})) as app:
        asked: list[Question] = []

        def show(question: Question) -> None:
            asked.append(question)
            app.broker.answer(question.id, question.answers[0])

        app.broker.bind(show)
        assert "accept" in (await call(app, "test_ask_url")).text
        assert "https://login.example/x" in asked[0].text


@pytest.mark.parametrize("command", [SDK, RAW], ids=["newer", "older"])
async def test_a_new_tool_is_held_until_it_is_approved(command: tuple[str, ...], tmp_path: Path) -> None:
    listing = tmp_path / "tools.json"
    listing.write_text('[{"name": "add_tool", "inputSchema": {"type": "object"}}]')
    more = ("file", str(listing)) if command is RAW else ()
    config = config_of(tmp_path, {"test": local(*command, *more)})
    async with opened(config) as app:
        assert (await call(app, "test_add_tool")).ok
        listing.write_text(
            '[{"name": "add_tool", "inputSchema": {"type": "object"}},'
            ' {"name": "added", "description": "New.", "inputSchema": {"type": "object"}}]'
        )
        while not any("added" in problem.place for problem in app.problems):
            await asyncio.sleep(0.01)
        assert app.registry.find("test_added") is None
        if command is RAW:
            async with App(config).looking() as looking, try_server(looking, "test") as trial:
                assert trial.approve(["test_added"]) == ["test_added"]
            await tell_programs(config)
            while app.registry.find("test_added") is None:
                await app.refresh()
                await asyncio.sleep(0.01)


async def test_hints_of_a_server_skip_no_question(tmp_path: Path) -> None:
    config = config_of(tmp_path, {"test": local(*SDK)}, permissions={"mode": "auto"})
    async with opened(config) as app:
        definition = app.registry.get("test_get_user").definition
        assert definition.effect == "unknown", "readOnlyHint is the server's word alone"
        result = await app.engine.call(ToolCall("test_get_user", {}))
        assert result.kind is Kind.PERMISSION_DENIED, "nobody is there to say yes"


async def test_resources_and_prompts_are_tools_and_commands(tmp_path: Path) -> None:
    async with opened(config_of(tmp_path, {"test": local(*SDK)})) as app:
        assert (await call(app, "test_echo", text="")).ok
        assert "test://notes: notes, text/plain" in (await call(app, "test_list_resources")).text
        assert "The notes." in (await call(app, "test_read_resource", uri="test://notes")).text
        assert "poem(topic): A poem." in (await call(app, "test_list_prompts")).text
        poem = await call(app, "test_get_prompt", name="poem", arguments={"topic": "rain"})
        assert "user:\nWrite a poem about rain." in poem.text
        async with App(app.config).looking() as looking:
            assert "test://notes" in await ask_server(looking, "test", "resources", {})
            asked = {"name": "poem", "arguments": {"topic": "snow"}}
            assert "about snow" in await ask_server(looking, "test", "prompt", asked)
