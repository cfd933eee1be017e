"""Plugins: found, described in processes, run in processes; what is wrong with one never stops the others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.conftest import load_plugins, look

from oneclaw.core.call import ToolCall
from oneclaw.core.errors import Kind
from oneclaw.core.load import Loaded
from oneclaw.core.permit.grant import definition_hash

Home = Any
Serve = Any

GOOD = """
from oneclaw import tool

@tool
def fine() -> str:
    '''Fine.'''
    return "fine"
"""


def names(loaded: Loaded) -> list[str]:
    return [tool.name for tool in loaded.tools]


def reasons(loaded: Loaded) -> list[str]:
    return [str(problem) for problem in loaded.problems]


def test_without_plugins_nothing_is_loaded_and_nothing_is_kept(home: Home, tmp_path: Path) -> None:
    assert load_plugins(home.config) == Loaded([], [])
    assert not (tmp_path / "cache").exists()


async def test_a_file_in_the_tools_folder_gives_its_tools_in_a_process(
    home: Home, weather: str, engine_of: Serve
) -> None:
    home.write("weather.py", weather)
    loaded = load_plugins(home.config)
    assert (names(loaded), loaded.problems) == (["forecast", "umbrella"], [])
    forecast = loaded.tools[0].definition
    assert (forecast.isolation, forecast.needs, forecast.group) == ("process", ("network",), "weather")
    assert forecast.parameters["properties"]["city"] == {"type": "string", "description": "Where."}
    assert {tool.origin for tool in loaded.tools} == {"weather"}
    assert look(home.config)[0].description == "What the weather will be."
    async with engine_of(loaded) as engine:
        first = await engine.call(ToolCall("forecast", {"city": "Rome"}))
        assert (first.value["city"], first.value["days"], first.value["tool"]) == ("Rome", 3, "forecast")
        assert first.value["process"] != os.getpid()
        assert (await engine.call(ToolCall("umbrella", {"rain": True}))).value == "yes"
        # The tools of a plugin share their process: the code is imported once.
        again = await engine.call(ToolCall("forecast", {"city": "Oslo"}))
        assert again.value["process"] == first.value["process"]
        wrong = await engine.call(ToolCall("forecast", {"days": 3}))
        assert wrong.kind is Kind.VALIDATION_ERROR


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("sunny.tools", ["one", "two"]),
        ("sunny.tools:every", ["one", "two"]),
        ("sunny.tools:give", ["two", "one"]),
        ("sunny.tools:one", ["one"]),
        ("sunny.tools:Box.inner", ["two"]),
        ("sunny.tools:plain", ["plain_function"]),
    ],
)
def test_an_entry_point_is_a_module_a_list_a_function_or_a_tool(
    home: Home, reference: str, expected: list[str]
) -> None:
    code = """
    from oneclaw import tool
    from oneclaw.tools.read_file import read_file  # used, and not its own

    @tool
    def one() -> str:
        "One."
        return "1"

    @tool
    def two() -> str:
        "Two."
        return "2"

    def plain_function() -> int:
        "Three."
        return 3

    class Box:
        inner = two

    every = [one, two]
    plain = [plain_function]

    def give():
        yield two
        yield one
    """
    files = {"sunny/__init__.py": "", "sunny/tools.py": code}
    home.install("Sunny_Days", files, f"some = {reference} [extra]\n")
    loaded = load_plugins(home.config)
    assert (names(loaded), loaded.problems) == (expected, [])
    assert {tool.origin for tool in loaded.tools} == {"sunny-days"}


async def test_a_tool_of_a_package_is_called_in_a_process(home: Home, weather: str, engine_of: Serve) -> None:
    home.install("rainy", {"rainy.py": weather}, "rainy = rainy\n", version="2.5")
    loaded = load_plugins(home.config)
    assert loaded.tools[0].definition.version.startswith("2.5+")
    async with engine_of(loaded) as engine:
        result = await engine.call(ToolCall("forecast", {"city": "Rome"}))
        assert (result.value["city"], result.value["process"] != os.getpid()) == ("Rome", True)


BROKEN = {
    "missing": ("import not_there_at_all", "No module named 'not_there_at_all'"),
    "syntax": ("def (", "invalid syntax"),
    "raises": ("raise ValueError('no key')", "no key"),
    "exits": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "ends": ("import os; os._exit(3)", "exit code 3"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    "hungry": ("x = bytearray(1 << 40)", "memory"),
    "garbage": (
        "import os\nfor n in range(3, 40):\n  try: os.write(n, b'garbage' * 9)\n  except OSError: pass",
        "a message of",
    ),
    "killer": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
}


def test_what_is_broken_is_reported_alone_and_the_rest_loads(home: Home) -> None:
    for name, (code, _) in BROKEN.items():
        home.write(f"{name}.py", code)
    home.write("good.py", GOOD)
    home.install("bad-package", {"bad_package.py": "import nothing_here"}, "x = bad_package\n")
    home.install("bad-name", {}, "x = not a module!\n")
    home.install("gone", {}, "x = no_such_module_here\n")
    loaded = load_plugins(home.config)
    assert names(loaded) == ["fine"]
    said = {problem.place.removeprefix("plugin "): problem.reason for problem in loaded.problems}
    for name, (_, reason) in BROKEN.items():
        assert reason in said.pop(name), name
    assert "No module named 'nothing_here'" in said.pop("bad-package")
    assert "not MODULE or MODULE:NAME" in said.pop("bad-name")
    assert "'no_such_module_here' is not installed" in said.pop("gone")
    assert not said
    # The twin: a plugin without its fault loads.
    for name in BROKEN:
        home.write(f"{name}.py", GOOD.replace("fine", f"fine_{name}"))
    assert len(names(load_plugins(home.config))) == len(BROKEN) + 1


def test_a_plugin_that_takes_too_long_is_stopped_and_not_waited_for_at_each_start(home: Home) -> None:
    mark = home.config.home / "mark"
    home.write("hangs.py", f"open({str(mark)!r}, 'a').write('x')\nwhile True: pass")
    home.write("good.py", GOOD)
    loaded = load_plugins(home.config, seconds=1.0)
    assert reasons(loaded) == ["plugin hangs: It was stopped: importing it took longer than 1 seconds."]
    assert names(loaded) == ["fine"]
    assert reasons(load_plugins(home.config)) == reasons(loaded)
    assert mark.read_text() == "x"
    # The twin: asked for, it is tried again.
    load_plugins(home.config, is_fresh=True, seconds=1.0)
    assert mark.read_text() == "xx"


def test_a_plugin_that_forks_is_described_once_and_its_children_end(home: Home, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    open({str(pids)!r}, 'a').write(f"{{os.getpid()}} ")
    time.sleep(600)
while not os.path.exists({str(pids)!r}) or not open({str(pids)!r}).read().endswith(" "): time.sleep(0.01)
"""
    home.write("forks.py", code + GOOD)
    assert names(load_plugins(home.config)) == ["fine"]
    (pid,) = pids.read_text().split()
    assert not is_running(int(pid))


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_ctrl_c_while_plugins_are_asked_ends_the_program_and_their_processes(
    home: Home, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    home.write(
        "hangs.py", f"import os\nopen({str(mark)!r}, 'w').write(f'{{os.getpid()}} ')\nwhile True: pass"
    )
    code = (
        "import asyncio; from oneclaw.config import load_config; from oneclaw.plugins.loader import Look;"
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "asyncio.run(Look(load_config()).ask(seconds=600))"
    )
    program = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    while not (mark.exists() and mark.read_text().endswith(" ")):
        assert program.poll() is None
        time.sleep(0.01)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said
    assert not is_running(int(mark.read_text()))


def test_a_second_start_starts_no_process(home: Home, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    home.write("counts.py", f"open({str(mark)!r}, 'a').write('x')\n" + GOOD)
    home.install("packed", {"packed.py": f"open({str(mark)!r}, 'a').write('y')"}, "x = packed\n")
    first = load_plugins(home.config)
    assert sorted(mark.read_text()) == ["x", "y"]
    second = load_plugins(home.config)
    assert sorted(mark.read_text()) == ["x", "y"]
    assert [tool.definition for tool in first.tools] == [tool.definition for tool in second.tools]
    kept = list((tmp_path / "cache" / "oneclaw" / "plugins").iterdir())
    assert len(kept) == 2
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}
    # What is kept is only believed where it fits: spoilt, the plugin is asked again.
    for file in kept:
        file.write_text("{")
    load_plugins(home.config)
    assert sorted(mark.read_text()) == ["x", "x", "y", "y"]


async def test_a_changed_file_is_another_version_and_never_runs_as_the_old_one(
    home: Home, engine_of: Serve
) -> None:
    home.write("good.py", GOOD)
    before = load_plugins(home.config)
    home.write("good.py", GOOD + "# changed\n")
    after = load_plugins(home.config)
    assert before.tools[0].definition.version != after.tools[0].definition.version
    assert definition_hash(before.tools[0].definition) != definition_hash(after.tools[0].definition)
    async with engine_of(before) as engine:
        result = await engine.call(ToolCall("fine", {}))
        assert result.kind is Kind.EXECUTION_ERROR
        assert "was changed after it was loaded" in result.message
    async with engine_of(after) as engine:
        assert (await engine.call(ToolCall("fine", {}))).value == "fine"


def test_a_changed_package_is_another_version(home: Home) -> None:
    home.install("packed", {"packed/__init__.py": GOOD, "packed/more.py": ""}, "x = packed\n")
    before = load_plugins(home.config)
    (home.packages / "packed" / "more.py").write_text("changed = True")
    after = load_plugins(home.config)
    assert before.tools[0].definition.version != after.tools[0].definition.version
    # The twin: what Python itself writes there is no change.
    (home.packages / "packed" / "__pycache__").mkdir(exist_ok=True)
    (home.packages / "packed" / "__pycache__" / "more.pyc").write_bytes(b"x")
    assert load_plugins(home.config).tools[0].definition.version == after.tools[0].definition.version


def test_a_plugin_that_is_not_enabled_is_left_out_and_never_run(home: Home, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    home.write("good.py", f"open({str(mark)!r}, 'a')\n" + GOOD)
    off = home.setting("plugins.good.enabled", False)
    assert load_plugins(off.config) == Loaded([], [])
    assert not mark.exists()
    assert [(plugin.name, plugin.is_enabled) for plugin in look(off.config)] == [("good", False)]
    assert names(load_plugins(home.config)) == ["fine"]
    assert mark.exists()


def test_settings_for_a_plugin_that_is_not_there_are_warned_of(home: Home) -> None:
    home.write("good.py", GOOD)
    (problem,) = load_plugins(home.setting("plugins.god.trusted", True).config).problems
    assert (problem.place, problem.is_warning) == ("plugin god", True)


def test_two_plugins_of_one_name_are_told_apart_and_the_file_wins(home: Home) -> None:
    home.write("same.py", GOOD)
    home.install("same", {"same_code.py": GOOD.replace("fine", "other")}, "x = same_code\n")
    loaded = load_plugins(home.config)
    assert names(loaded) == ["fine"]
    assert "has the name of" in loaded.problems[0].reason


@pytest.mark.parametrize("name", ["built-in", "agents", "a.b", "ü"])
def test_a_name_that_cannot_stand_in_the_settings_is_refused(home: Home, name: str) -> None:
    home.write(f"{name}.py", GOOD)
    loaded = load_plugins(home.config)
    assert (names(loaded), len(loaded.problems)) == ([], 1)
    assert "cannot be the name of a plugin" in loaded.problems[0].reason
