"""Memory that no process is seen to have, page tables and what waits in sockets: the limit holds it too.

Everything here is bounded by itself: 64 MB are allowed, and at most twice that are taken.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.control_groups import lack_of
from tests.sandboxes import skip_without
from tests.shells import opened_shell
from tests.users import run_as_user

from oneclaw.child.group import make_group
from oneclaw.guard.sandbox.sandbox import SandboxChoice
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits
from oneclaw.run.shell import session as session_file
from oneclaw.run.shell import start
from oneclaw.run.shell.session import CommandOutcome, ShellCommand
from oneclaw.run.shell.shell_process import ShellProcess

LIMITS = SandboxLimits(memory_bytes=64 << 20)
HOGS = {
    "sockets": """
import resource, socket, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held, total = [], 0
while total < 128 << 20:
    held.append(socket.socketpair())
    for end in held[-1]:
        end.setblocking(False)
        try:
            while True: total += end.send(bytes(65536))
        except BlockingIOError: pass
print('held', flush=True)
time.sleep(60)
""",
    "page tables": """
import mmap, time
size, unreserved = 64 << 30, 0x4000
held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | unreserved, prot=mmap.PROT_READ)
for at in range(0, size, 2 << 20): held[at]
print('held', flush=True)
time.sleep(60)
""",
    "sockets of many": """
import os, socket, time
children = []
for _ in range(8):
    ready, told = os.pipe()
    if os.fork() == 0:
        held, total = [], 0
        while total < 16 << 20:
            held.append(socket.socketpair())
            for end in held[-1]:
                end.setblocking(False)
                try:
                    while True: total += end.send(bytes(65536))
                except BlockingIOError: pass
        os.write(told, b'x')
        time.sleep(60)
    os.read(ready, 1)
print('held', flush=True)
time.sleep(60)
""",
}

hogs = pytest.mark.parametrize("hog", HOGS)
ways = pytest.mark.parametrize("way", ["bubblewrap", "landlock"])


async def take(folder: Path, way: SandboxChoice, hog: str, seconds: float) -> CommandOutcome:
    """Have a command take that memory; the shell has to be of use after it."""
    (folder / "ws").mkdir()
    (folder / "ws" / "hog.py").write_text(HOGS[hog])
    async with opened_shell(folder, folder / "ws", way, LIMITS) as shell:
        outcome = await shell.run(ShellCommand("python3 hog.py", seconds))
        assert (await shell.run(ShellCommand("echo on", 30.0))).out.text == "on\n"
    return outcome


def no_group(memory_bytes: int = 0, tasks: int = 0) -> None:
    """As on a machine where none can be made."""


@ways
@hogs
async def test_it_counts_on_this_machine(tmp_path: Path, way: SandboxChoice, hog: str) -> None:
    skip_without(way)
    assert (await take(tmp_path, way, hog, 60.0)).stop == "memory"


@ways
@hogs
async def test_it_counts_where_no_control_group_can_be_made(
    tmp_path: Path, way: SandboxChoice, hog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without(way)
    monkeypatch.setattr(start, "make_group", no_group)
    assert (await take(tmp_path, way, hog, 60.0)).stop == "memory"


@ways
@hogs
async def test_in_a_control_group_it_counts_though_nobody_looks(
    tmp_path: Path, way: SandboxChoice, hog: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without(way)
    skip_without_memory_group()
    monkeypatch.setattr(session_file, "LOOK_SECONDS", 60.0)
    outcome = await take(tmp_path, way, hog, 60.0)
    assert (outcome.stop, "held" in outcome.out.text) == ("memory", False)


async def test_counted_by_neither_all_of_it_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin, all of them side by side."""
    skip_without("bubblewrap")
    monkeypatch.setattr(start, "make_group", no_group)
    unguard(monkeypatch.setattr)
    for hog in HOGS:
        (tmp_path / hog).mkdir()
    taken = await asyncio.gather(*(take(tmp_path / hog, "bubblewrap", hog, 5.0) for hog in HOGS))
    assert [(outcome.stop, outcome.out.text) for outcome in taken] == [("time", "held\n")] * len(HOGS)


@ways
@hogs
def test_it_counts_for_an_ordinary_user(way: SandboxChoice, hog: str) -> None:
    skip_without(way)
    assert as_user(way, hog)[0] == "memory"


async def test_counted_by_neither_an_ordinary_user_holds_all_of_it() -> None:
    """The twin, all of them side by side."""
    skip_without("bubblewrap")
    taken = await asyncio.gather(
        *(asyncio.to_thread(as_user, "bubblewrap", hog, "unguarded") for hog in HOGS)
    )
    assert taken == [["time", "held\n"]] * len(HOGS)


def unguard(put: Callable[[object, str, object], None]) -> None:
    def nothing(process: ShellProcess) -> int:
        return 0

    put(ShellProcess, "table_bytes", nothing)
    put(ShellProcess, "socket_bytes", nothing)


def skip_without_memory_group() -> None:
    made = make_group(1 << 30)
    if made is not None:
        made.remove()
    if made is None or not made.holds_memory:
        assert lack_of("memory"), "one can be made here, and was not"
        pytest.skip("no control group that holds memory can be made here")


USERS = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.faults import test_hidden_memory as test
from oneclaw.run.shell import start
if "unguarded" in sys.argv:
    start.make_group = test.no_group
    test.unguard(setattr)
seconds = 5.0 if "unguarded" in sys.argv else 60.0
outcome = asyncio.run(test.take(Path.cwd(), sys.argv[2], sys.argv[3], seconds))
print(json.dumps([outcome.stop, outcome.out.text]))
"""


def as_user(*arguments: str) -> list[str]:
    done = run_as_user(USERS, str(Path(__file__).parents[2]), *arguments, seconds=120.0)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
