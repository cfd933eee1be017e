"""Commands that fork, flood, hide or hang: gone within seconds of their result, and the program never stalls.

Everything here runs where its processes are in a table of their own, and is capped from outside as well: what
watches is the kernel's list of processes, not the guard under test.
"""

import asyncio
import mmap
import os
import pty
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.processes import marked
from tests.sandboxes import needs_bubblewrap
from tests.shells import opened_shell

from oneclaw.child.process_tree import descendants
from oneclaw.guard.sandbox.sandbox_spec import SandboxLimits
from oneclaw.run.shell import disk, script
from oneclaw.run.shell import session as session_module
from oneclaw.run.shell.session import ShellCommand, ShellSession
from oneclaw.run.shell.shell_process import ShellProcess

GONE_SECONDS = 5.0
STALL_SECONDS = 2.0
"""How long a heart that beats every hundredth of a second may pause: late on a full machine, never still."""
MOST_PROCESSES = 4_000

pytestmark = needs_bubblewrap


@pytest.fixture(autouse=True)
def cap() -> Iterator[None]:
    """Ends what we started if it ever has thousands of processes, whatever the guards do."""
    stop = Event()

    def watch() -> None:
        while not stop.wait(0.05):
            ours = descendants(os.getpid(), MOST_PROCESSES)
            if len(ours) > MOST_PROCESSES:
                for pid in ours[:8]:  # the first of them hold the others
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[ShellSession]:
    (tmp_path / "ws").mkdir()
    limits = SandboxLimits(processes=100, memory_bytes=512 << 20)
    async with opened_shell(tmp_path, tmp_path / "ws", limits=limits) as made:
        yield made


class Heart:
    """Beats beside what is tested, and knows its longest pause."""

    def __init__(self) -> None:
        self.longest_seconds = 0.0
        self._task = asyncio.get_running_loop().create_task(self._beat())

    async def _beat(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            now = time.monotonic()
            self.longest_seconds = max(self.longest_seconds, now - last)
            last = now

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


async def gone(mark: str, seconds: float = GONE_SECONDS) -> bool:
    until = time.monotonic() + seconds
    while left := marked(mark):
        if time.monotonic() > until:
            return not left
        await asyncio.sleep(0.05)
    return True


BOMBS = {
    "fork bomb": "bomb() { bomb | bomb & }; bomb; sleep 60",
    "fork bomb in Python": "python3 -c 'import os\nwhile 1: os.fork()'",
    "yes": "yes",
    "yes on both": "yes & yes >&2",
    "sleep in the background": "sleep 1000 & sleep 1001 & true",
    "double fork with setsid": "(setsid sh -c '(setsid sleep 1000 &)' &); setsid sleep 1001 &",
    "ignored SIGTERM": "trap '' TERM INT HUP QUIT; sh -c 'trap \"\" TERM INT HUP; sleep 1000; sleep 1000'",
    "reading input": "cat; read x; python3 -c 'input()'; sleep 0.1",
    "opening the terminal": "cat </dev/tty; python3 -c 'open(\"/dev/tty\").read()'; setsid cat </dev/tty",
    "a daemon in Python": (
        "python3 -c 'import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
        "time.sleep(1000)'"
    ),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
async def test_a_bomb_is_gone_with_its_result_and_the_program_never_stalls(
    shell: ShellSession, bomb: str
) -> None:
    mark = f"BOMB_{os.urandom(6).hex()}"
    await shell.run(ShellCommand("KEPT=1", 30))
    heart = Heart()
    outcome = await shell.run(ShellCommand(bomb, 2.0, environment={mark: "1"}))
    is_gone = await gone(mark)
    await heart.stop()
    assert is_gone, f"left behind after {outcome.seconds:.1f} seconds"
    assert outcome.seconds < 2.0 + GONE_SECONDS
    assert heart.longest_seconds < STALL_SECONDS
    after = await shell.run(ShellCommand("echo on $KEPT", 30))
    assert after.out.text == "on 1\n"


@pytest.mark.slow
async def test_a_gigabyte_without_a_newline_comes_through_in_little_memory(shell: ShellSession) -> None:
    before = memory_bytes()
    heart = Heart()
    outcome = await shell.run(ShellCommand("head -c 1000000000 /dev/zero | tr '\\0' x", 90.0))
    await heart.stop()
    assert (outcome.code, outcome.stop) == (0, None)
    assert outcome.out.is_cut
    assert "1,000,000,000 bytes" in outcome.out.text
    assert len(outcome.out.text) <= 30_000
    assert memory_bytes() - before < 64 << 20
    assert heart.longest_seconds < STALL_SECONDS


async def test_too_much_memory_ends_the_command_and_not_the_shell(shell: ShellSession) -> None:
    hog = "python3 -c 'b=bytearray(300<<20); import time; time.sleep(60)'"
    outcome = await shell.run(ShellCommand(f"{hog} & {hog} & {hog} & wait", 60.0))
    assert outcome.stop == "memory"
    assert (await shell.run(ShellCommand("echo on", 30))).out.text == "on\n"


SHARED = {
    "mapped": "import mmap; kept = mmap.mmap(-1, 600 << 20)\nfor _ in range(600): kept.write(bytes(1 << 20))",
    "a file": "import os; kept = os.memfd_create('x')\nfor _ in range(600): os.write(kept, bytes(1 << 20))",
}
"""Memory that no process has for itself."""


@pytest.mark.parametrize("hog", SHARED.values(), ids=SHARED)
async def test_memory_that_can_be_shared_counts_too(shell: ShellSession, hog: str) -> None:
    outcome = await shell.run(ShellCommand(f'python3 -c "{hog}\nimport time; time.sleep(60)"', 60.0))
    assert outcome.stop == "memory"
    assert (await shell.run(ShellCommand("echo on", 30))).out.text == "on\n"


async def test_memory_that_others_share_is_not_held_against_a_command(
    shell: ShellSession, tmp_path: Path
) -> None:
    running = asyncio.create_task(shell.run(ShellCommand("until [ -e go ]; do sleep 0.1; done", 60.0)))
    with mmap.mmap(-1, 600 << 20) as ours:
        for _ in range(60):
            ours.write(bytes(10 << 20))
            await asyncio.sleep(0.01)  # it is looked after meanwhile
        (tmp_path / "ws" / "go").touch()
        assert (await running).stop is None


async def test_one_process_cannot_have_more_memory_than_all_may(shell: ShellSession) -> None:
    outcome = await shell.run(ShellCommand("python3 -c 'bytearray(2<<30)'", 60.0))
    assert outcome.code != 0
    assert "MemoryError" in outcome.err.text


async def test_a_command_that_fills_the_disk_is_stopped_before_it_is_full(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = ShellCommand("head -c 300000000 /dev/zero >filler; sleep 60", 60.0)
    monkeypatch.setattr(disk, "LEAST_BYTES", 1 << 60)
    monkeypatch.setattr(disk, "PART", 1)  # of a disk of which all must stay free, too little is
    assert (await shell.run(fill)).stop == "disk"
    assert (await shell.run(ShellCommand("rm filler; echo on", 30))).out.text == "on\n"
    monkeypatch.setattr(disk, "LEAST_BYTES", 0)  # the twin: with no such limit it goes on
    assert (await shell.run(replace(fill, seconds=2.0))).stop == "time"


async def test_without_looking_after_it_a_bomb_runs_until_its_time_is_up(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the limit on processes: bounded by itself, or the machine would pay."""
    monkeypatch.setattr(ShellProcess, "usage", not_seen)
    many = "for i in $(seq 150); do sleep 60 & done; wait"
    assert (await shell.run(ShellCommand(many, 3.0))).stop == "time"
    monkeypatch.undo()
    assert (await shell.run(ShellCommand(many, 30.0))).stop == "processes"


async def test_what_forks_is_killed_as_a_group_of_which_the_program_is_no_part(shell: ShellSession) -> None:
    """What makes the end of a fork bomb quick: it does not wait for the first process to have its turn."""
    mark = f"BOMB_{os.urandom(6).hex()}"
    running = asyncio.create_task(shell.run(ShellCommand("sleep 60 & sleep 60", 30, environment={mark: "1"})))
    async with asyncio.timeout(60):
        while len(marked(mark)) < 2:
            await asyncio.sleep(0.02)
    groups = {os.getpgid(pid) for pid in marked(mark)}
    [first] = groups
    assert os.getpgid(first) == first != os.getpgid(0)
    os.kill(first, signal.SIGSTOP)  # a first process that never has its turn
    os.killpg(first, signal.SIGKILL)
    assert await gone(mark)
    assert (await running).stop == "killed"


async def test_without_the_sweep_what_was_left_in_the_background_stays(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the sweep after each command: taken out of the script, a sleeper is still there."""
    mark = f"BOMB_{os.urandom(6).hex()}"
    left = ShellCommand("setsid sleep 60 >/dev/null 2>&1 & true", 10.0, environment={mark: "1"})
    monkeypatch.setattr(script, "_KILL", "false")
    await shell.run(left)
    async with asyncio.timeout(60):  # until it has become another program, which is seen by its variables
        while not marked(mark):
            await asyncio.sleep(0.02)
    monkeypatch.undo()
    await shell.let_go()
    assert await gone(mark), "it ended with its process at the latest"
    await shell.run(left)
    assert await gone(mark)


async def test_asked_to_end_what_ignores_that_would_stay(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of killing at once: SIGTERM in its place leaves a command that ignores it."""
    mark = f"BOMB_{os.urandom(6).hex()}"
    deaf = "(trap '' TERM; exec setsid sleep 60) >/dev/null 2>&1 & sleep 0.3"
    left = ShellCommand(deaf, 10.0, environment={mark: "1"})
    monkeypatch.setattr(script, "_KILL", "[[ $$ == 1 ]] && kill -TERM -1")
    monkeypatch.setattr(ShellProcess, "alone", passed)
    await shell.run(left)
    assert marked(mark)
    monkeypatch.undo()
    await shell.let_go()
    await shell.run(left)
    assert await gone(mark)


async def test_with_input_that_never_comes_a_command_would_wait(
    shell: ShellSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the empty input: given a pipe instead, the same command is still there when time is up."""
    monkeypatch.setattr(session_module, "ShellProcess", partial(ShellProcess, has_input=True))
    assert (await shell.run(ShellCommand("cat; read x", 1.0))).stop == "time"
    monkeypatch.undo()
    await shell.let_go()
    assert (await shell.run(ShellCommand("cat; read x", 30.0))).stop is None


ON_TERMINAL = """
import asyncio, subprocess, sys
from pathlib import Path
from oneclaw.guard.sandbox import bubblewrap
from oneclaw.run.shell.session import ShellCommand
from tests.shells import opened_shell

async def main(folder, is_guarded):
    if not is_guarded:
        bubblewrap._ISOLATED = tuple(each for each in bubblewrap._ISOLATED if each != "--new-session")
        popen = subprocess.Popen
        subprocess.Popen = lambda *words, **more: popen(*words, **more | {"start_new_session": False})
    async with opened_shell(folder, folder) as shell:
        said = await shell.run(ShellCommand("exec 3<>/dev/tty && echo HELLO >&3", 10.0))
    print("CODE", said.code)

asyncio.run(main(Path(sys.argv[1]), sys.argv[2] == "guarded"))
"""


@pytest.mark.parametrize("way", ["guarded", "open"])
def test_the_terminal_of_the_program_is_out_of_reach(tmp_path: Path, way: str) -> None:
    """With its twin: in the session of the program, a command writes to the terminal and reads from it."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", ON_TERMINAL, str(tmp_path), way])
    said = b""
    with suppress(OSError):  # how a terminal ends
        while data := os.read(terminal, 4096):
            said += data
    os.close(terminal)
    os.waitpid(child, 0)
    assert (b"CODE 0" in said, b"HELLO" in said) == ((False, False) if way == "guarded" else (True, True)), (
        said
    )
    assert b"CODE" in said


async def test_without_its_time_limit_a_command_goes_on(shell: ShellSession, tmp_path: Path) -> None:
    """The twin of the limit: with time enough, the same command does what comes late."""
    late = "sleep 1.5; echo late >late"
    assert (await shell.run(ShellCommand(late, 0.5))).stop == "time"
    assert not (tmp_path / "ws" / "late").exists()
    assert (await shell.run(ShellCommand(late, 30.0))).stop is None
    assert (tmp_path / "ws" / "late").exists()


def not_seen(process: ShellProcess) -> None:
    return None


async def passed(process: ShellProcess) -> None:
    return None


def memory_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
