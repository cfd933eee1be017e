"""Daemons that a plugin starts end with the program, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.processes import is_gone, wait_until_gone
from tests.users import ordinary_user

PLUGIN = """
import os, signal, time
from oneclaw import tool

def become_daemon(mark):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.closerange(0, 256)
    with open(mark + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(mark + ".new", mark)
    time.sleep(600)
    os._exit(0)

@tool
def start(mark: str) -> str:
    "Start a daemon."
    become_daemon(mark)
    while not os.path.exists(mark):
        time.sleep(0.005)
    return "started"
"""

PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw import App, Config, ToolCall

async def main(then, *settings):
    here = Path.cwd()
    values = {f"plugins.daemons.{name}": True for name in settings}
    async with App(Config(home=here / "home", workspace=here / "ws", values=values)) as app:
        result = await app.engine.call(ToolCall("start", {"mark": str(here / "mark")}))
        print("called", result.message, flush=True)
        if then != "an end":
            await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(params=["the user", "an ordinary user"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[list[str], Path]]:
    with plugin_folder(is_ordinary=request.param == "an ordinary user") as made:
        yield made


@contextmanager
def plugin_folder(*, is_ordinary: bool = False) -> Generator[tuple[list[str], Path]]:
    """What stands before a command line, and a folder with the plugin in it."""
    with ordinary_user() as (before, folder):
        (folder / "home" / "tools").mkdir(parents=True)
        (folder / "ws").mkdir()
        (folder / "home" / "tools" / "daemons.py").write_text(PLUGIN)
        before = before if is_ordinary else []
        if before:
            status = folder.stat()
            for path in folder.rglob("*"):
                os.chown(path, status.st_uid, status.st_gid)
        yield before, folder


def started(place: tuple[list[str], Path], then: str, *settings: str) -> int:
    """Have the program start the daemon and end: the number of the daemon."""
    before, folder = place
    line = [*before, sys.executable, "-c", PROGRAM, then, *settings]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout is not None
            said = program.stdout.readline()
            assert (folder / "mark").exists(), said
            daemon = int((folder / "mark").read_text())
            if then != "an end":
                assert not is_gone(daemon)
                program.send_signal(signal.SIGKILL if then == "a kill" else signal.SIGTERM)
            program.wait(30)
        finally:
            program.kill()
    return daemon


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts what has lost its parent")
@pytest.mark.parametrize("then", ["an end", "a kill", "a request to end"])
@pytest.mark.parametrize("settings", [(), ("trusted",)], ids=["untrusted", "trusted"])
def test_a_daemon_ends_with_the_program(
    place: tuple[list[str], Path], then: str, settings: tuple[str, ...]
) -> None:
    assert wait_until_gone([started(place, then, *settings)])


def test_that_of_an_inline_plugin_goes_on(place: tuple[list[str], Path]) -> None:
    """The twin: in the program nobody stands above it."""
    daemon = started(place, "an end", "inline")
    goes_on = not wait_until_gone([daemon], 1.5)
    with suppress(ProcessLookupError):
        os.kill(daemon, signal.SIGKILL)
    assert goes_on
