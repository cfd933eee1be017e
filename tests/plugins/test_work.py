"""Plugin tools through the engine: progress, questions and limits; and in the program where inline."""

import os
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import load_plugins

from oneclaw.core.call import ToolCall
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.event import ToolProgressed
from oneclaw.core.load import Loaded
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.need import State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Context
from oneclaw.plugins.source import PluginImport
from oneclaw.plugins.work import PluginWork
from oneclaw.run.runner import CallRunner

Home = Any
Serve = Any

HARD = """
import asyncio, os, time
from oneclaw import Context, Image, Output, tool, ToolError, Kind

@tool
def steps(context: Context) -> str:
    "Report."
    context.progress("half way", 0.5)
    return "done"

@tool(seconds=1)
def endless(mark: str) -> str:
    "Never end."
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    open(mark, "w").write(str(os.getpid()))
    while True: pass

@tool
def leave() -> str:
    "Leave."
    raise SystemExit(7)

@tool
def fail() -> str:
    "Fail."
    raise ToolError("There is no such city; try Rome.", Kind.FILE_NOT_FOUND)

@tool
async def asks(context: Context) -> str:
    "Ask."
    await context.require("shell", "A program is to be run.")
    return "allowed"

@tool
def picture() -> Output:
    "Draw."
    return Output("drawn", (Image(bytes.fromhex("89504e470d0a1a0a"), "image/png"),), {"made": 1})

@tool(effect="read", secrets=["CITY_KEY"])
def environment(context: Context) -> dict:
    "Tell."
    return {"env": sorted(os.environ), "secrets": dict(context.secrets)}
"""


async def test_progress_pictures_failures_and_secrets_come_through(home: Home) -> None:
    home.write("hard.py", HARD)
    events: list[Any] = []

    def given(names: Iterable[str]) -> dict[str, str]:
        return dict.fromkeys(names, "s3cret")

    async with engine_with(load_plugins(home.config), secrets=given) as engine:
        engine.subscribe(events.append)
        assert (await engine.call(ToolCall("steps", {}))).value == "done"
        told = [event for event in events if isinstance(event, ToolProgressed)]
        assert [(event.text, event.fraction) for event in told] == [("half way", 0.5)]
        drawn = await engine.call(ToolCall("picture", {}))
        assert (drawn.value, drawn.images[0].data[1:4], drawn.details) == ("drawn", b"PNG", {"made": 1})
        failed = await engine.call(ToolCall("fail", {}))
        assert (failed.kind, failed.message) == (Kind.FILE_NOT_FOUND, "There is no such city; try Rome.")
        left = await engine.call(ToolCall("leave", {}))
        assert (left.kind, "SystemExit: 7" in left.message) == (Kind.EXECUTION_ERROR, True)
        seen = (await engine.call(ToolCall("environment", {}))).value
        assert seen["secrets"] == {"CITY_KEY": "s3cret"}
        assert "ONECLAW_HOME" not in seen["env"]


async def test_a_plugin_sees_no_keys_of_the_program(
    home: Home, engine_of: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    home.write("hard.py", "import os\nassert 'OPENAI_API_KEY' not in os.environ\n" + HARD)
    loaded = load_plugins(home.config)
    assert not loaded.problems
    async with engine_of(loaded) as engine:
        assert "OPENAI_API_KEY" not in (await engine.call(ToolCall("environment", {}))).value["env"]
    assert "OPENAI_API_KEY" in os.environ


async def test_a_call_past_its_time_is_killed_with_all_it_started(
    home: Home, engine_of: Serve, tmp_path: Path
) -> None:
    home.write("hard.py", HARD)
    mark = tmp_path / "pid"
    async with engine_of(load_plugins(home.config)) as engine:
        result = await engine.call(ToolCall("endless", {"mark": str(mark)}))
        assert (result.kind, result.effects) == (Kind.TIMEOUT, "possible")
        assert not Path(f"/proc/{mark.read_text()}").exists()
        # The next call of the same plugin gets a new process.
        assert (await engine.call(ToolCall("steps", {}))).value == "done"


async def test_a_plugin_asks_for_what_it_needs_while_it_runs(home: Home) -> None:
    home.write("hard.py", HARD)
    loaded = load_plugins(home.config)
    for answer, expected in (("granted", None), ("denied", Kind.PERMISSION_DENIED)):
        states = {"shell": State(answer)}
        async with engine_with(
            loaded,
            permissions=Permissions(states=states, broker=Broker()),
        ) as engine:
            assert (await engine.call(ToolCall("asks", {}))).kind is expected


async def test_an_inline_plugin_runs_in_the_program_once_it_is_called(
    home: Home, engine_of: Serve, weather: str
) -> None:
    home.write("weather.py", weather)
    home.write("fails.py", "from oneclaw import tool\nimport os\n" + INLINE_FAILS)
    inline = home.setting("plugins.weather.inline", True).setting("plugins.fails.inline", True)
    loaded = load_plugins(inline.config)
    isolation = {tool.name: tool.definition.isolation for tool in loaded.tools}
    expected = {"broken": "inline", "apart": "process", "forecast": "thread", "umbrella": "inline"}
    assert isolation == expected
    async with engine_of(loaded) as engine:
        result = await engine.call(ToolCall("forecast", {"city": "Rome"}))
        assert result.value["process"] == os.getpid()
        assert (await engine.call(ToolCall("umbrella", {"rain": False}))).value == "no"
        assert (await engine.call(ToolCall("apart", {}))).value != os.getpid()
        broken = await engine.call(ToolCall("broken", {}))
        assert (broken.kind, "not in here" in broken.message) == (Kind.EXECUTION_ERROR, True)
    # The twin: by default, it does not.
    async with engine_of(load_plugins(home.config)) as engine:
        result = await engine.call(ToolCall("forecast", {"city": "Rome"}))
        assert result.value["process"] != os.getpid()


INLINE_FAILS = f"""
if os.getpid() == {os.getpid()}:
    raise ValueError("not in here")

@tool
async def broken() -> str:
    "Broken in the program."
    return ""

@tool(isolation="process")
def apart() -> int:
    "Apart."
    return os.getpid()
"""


async def test_an_import_that_never_ends_costs_an_inline_call_its_time_and_not_the_program(
    home: Home, engine_of: Serve
) -> None:
    code = f"""
import os, threading
from oneclaw import tool
if os.getpid() == {os.getpid()}:
    threading.Event().wait(600)

@tool(seconds=1)
async def late() -> str:
    "Late."
    return "here"
"""
    home.write("stuck.py", code)
    loaded = load_plugins(home.setting("plugins.stuck.inline", True).config)
    async with engine_of(loaded) as engine:
        assert (await engine.call(ToolCall("late", {}))).kind is Kind.TIMEOUT


async def test_an_inline_package_that_changed_under_the_program_is_not_mixed_up(
    home: Home, engine_of: Serve
) -> None:
    code = "from oneclaw import tool\n@tool\ndef which() -> int:\n    'Which.'\n    return 1\n"
    name = f"changing_{os.urandom(4).hex()}"
    home.install("changing", {f"{name}.py": code}, f"x = {name}\n")
    inline = home.setting("plugins.changing.inline", True)
    async with engine_of(load_plugins(inline.config)) as engine:
        assert (await engine.call(ToolCall("which", {}))).value == 1
    (home.packages / f"{name}.py").write_text(code.replace("return 1", "return 22"))
    async with engine_of(load_plugins(inline.config)) as engine:
        result = await engine.call(ToolCall("which", {}))
        assert (result.kind, "start it again" in result.message) == (Kind.EXECUTION_ERROR, True)


SPEAKS = """
import os
from oneclaw import tool

@tool
def speaks() -> list:
    "Say where it runs, and what it was given."
    return [os.getpid(), os.environ.get("ONLY_OURS")]
"""


async def test_a_trusted_plugin_runs_in_a_process_with_the_environment_of_the_program(
    home: Home, engine_of: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONLY_OURS", "a value")
    home.write("speaks.py", SPEAKS)
    for is_trusted, expected in ((True, "a value"), (False, None)):  # the second is the twin
        loaded = load_plugins(home.setting("plugins.speaks.trusted", is_trusted).config)
        async with engine_of(loaded) as engine:
            process, given = (await engine.call(ToolCall("speaks", {}))).value
            assert (process != os.getpid(), given) == (True, expected)


def test_the_work_of_a_plugin_that_is_not_inline_refuses_to_run_in_the_program() -> None:
    with pytest.raises(ToolError, match="in a process only"):
        PluginWork(PluginImport("weather", "", file="weather.py"))({}, Context())


@asynccontextmanager
async def engine_with(loaded: Loaded, **more: Any) -> AsyncGenerator[Engine]:
    runner = CallRunner(processes=2)
    try:
        yield Engine(Registry(loaded.tools), runner, **more)
    finally:
        await runner.close()
