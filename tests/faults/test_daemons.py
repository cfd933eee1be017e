"""Daemons that a plugin starts end with the program, however it ends and whatever the plugin kills before."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.users import ordinary_user

from oneclaw.guard.sandbox.group import make_group
from oneclaw.run import keeper

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

def parent_of(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

@tool
def start(mark: str, kills: str) -> str:
    "Start a daemon."
    become_daemon(mark)
    while not os.path.exists(mark):
        time.sleep(0.005)
    if kills != "nobody":
        keeper = os.getppid()
        parent = parent_of(keeper)
        if kills == "both":
            os.kill(keeper, signal.SIGSTOP)  # or it would end all when its parent does
        if kills != "the keeper":
            os.kill(parent, signal.SIGKILL)
        if kills != "the parent of the keeper":
            os.kill(keeper, signal.SIGKILL)
    return "started"
"""

PROGRAM = """
import asyncio, sys
from pathlib import Path
from oneclaw import App, Config, ToolCall
from oneclaw.run import process

async def main(kills, then, keeper, *settings):
    process._KEEPER = Path(keeper)
    if "no group" in settings:
        process.make_group = lambda tasks: None
    here = Path.cwd()
    values = {f"plugins.daemons.{name}": True for name in settings if name != "no group"}
    async with App(Config(home=here / "home", workspace=here / "ws", values=values)) as app:
        result = await app.engine.call(ToolCall("start", {"mark": str(here / "mark"), "kills": kills}))
        print("called", result.message, flush=True)
        if then != "an end":
            await asyncio.sleep(600)

asyncio.run(main(*sys.argv[1:]))
"""


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


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


def started(place: tuple[list[str], Path], kills: str, then: str, keeper_file: str, *settings: str) -> int:
    """Have the program start the daemon and end: the number of the daemon."""
    before, folder = place
    line = [*before, sys.executable, "-c", PROGRAM, kills, then, keeper_file, *settings]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout is not None
            said = program.stdout.readline()
            assert (folder / "mark").exists(), said
            daemon = int((folder / "mark").read_text())
            if then != "an end":
                assert kills != "nobody" or not is_gone(daemon)
                program.send_signal(signal.SIGKILL if then == "a kill" else signal.SIGTERM)
            program.wait(30)
        finally:
            program.kill()
    return daemon


def wait_until_gone(pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not is_gone(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return is_gone(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts what has lost its parent")
@pytest.mark.parametrize("then", ["an end", "a kill", "a request to end"])
@pytest.mark.parametrize("kills", ["nobody", "the keeper", "the parent of the keeper"])
def test_a_daemon_ends_with_the_program(place: tuple[list[str], Path], kills: str, then: str) -> None:
    assert wait_until_gone(started(place, kills, then, keeper.__file__), 10)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts what has lost its parent")
@pytest.mark.parametrize("then", ["an end", "a kill", "a request to end"])
def test_so_does_that_of_a_trusted_plugin(place: tuple[list[str], Path], then: str) -> None:
    assert wait_until_gone(started(place, "nobody", then, keeper.__file__, "trusted"), 10)


def goes_on(daemon: int) -> bool:
    try:
        return not wait_until_gone(daemon, 1.5)
    finally:
        with suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGKILL)


def test_that_of_an_inline_plugin_goes_on(place: tuple[list[str], Path]) -> None:
    """The twin: in the program nobody stands above it."""
    assert goes_on(started(place, "nobody", "an end", keeper.__file__, "inline"))


def test_a_group_ends_the_daemon_of_a_tool_that_kills_both_who_look_after_it() -> None:
    if (group := make_group(tasks=1000)) is None:
        pytest.skip("no control group can be made here")
    group.remove()
    for settings, is_ended in ((["no group"], False), ([], True)):  # the first is the twin
        with plugin_folder() as place:
            assert goes_on(started(place, "both", "an end", keeper.__file__, *settings)) != is_ended


@pytest.mark.parametrize("kills", ["nobody", "the keeper"])
def test_where_nobody_adopts_it_it_goes_on(place: tuple[list[str], Path], kills: str) -> None:
    """The twin: a keeper that adopts nothing, or the parent of one that does not, and no control group."""
    text = Path(keeper.__file__).read_text()
    is_adopting, nothing = "prctl(_PR_SET_CHILD_SUBREAPER, 1)", "prctl(_PR_SET_PDEATHSIG, 0)"
    unguarded = text.replace(is_adopting, nothing, -1 if kills == "nobody" else 1)
    assert unguarded != text
    file = place[1] / "keeper.py"
    file.write_text(unguarded)
    assert goes_on(started(place, kills, "an end", str(file), "no group"))
