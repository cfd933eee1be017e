"""Children: what they are given, how they end, and that nothing they started is left."""

import asyncio
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from tests.processes import is_gone, wait_until_gone, written

from oneclaw.child import child as child_file
from oneclaw.child import supervisor
from oneclaw.child.child import Child
from oneclaw.child.child_spec import LIFELINE, ChildSpec, environment
from oneclaw.child.exit_report import Ended, Exit
from oneclaw.child.group import make_group

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts what has lost its parent")

FAMILY = """
import os, signal, subprocess, sys, time

def become_daemon():
    ours, theirs = os.pipe()
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.write(theirs, b"%d" % os.getpid())
        os.closerange(0, 256)
        time.sleep(600)
    return int(os.read(ours, 20))

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as a shell does, collect what was killed
sleep = ["sleep", "600"]
pids = [os.getpid(), subprocess.Popen(sleep).pid, subprocess.Popen(sleep, start_new_session=True).pid]
pids.append(become_daemon())
with open(sys.argv[1], "w") as file:
    file.write(" ".join(map(str, pids)) + "\\n")
time.sleep(600)
"""
"""Starts a child, one in a session of its own and a daemon; writes the numbers of all, and sleeps."""


def python(
    code: str, *arguments: str, fds: Mapping[int, int] | None = None, limits: Mapping[int, int] | None = None
) -> ChildSpec:
    argv = [sys.executable, "-c", code, *arguments]
    return ChildSpec(argv, environment=environment(), descriptors=fds or {}, limits=limits or {})


async def run(code: str, *arguments: str, **given: Mapping[int, int]) -> Exit:
    return await Child(python(code, *arguments, **given)).wait()


def copy_without(folder: Path, guard: str, instead: str) -> Path:
    """A copy of the library whose supervisor lacks a guard: where it is found."""
    copy = shutil.copytree(Path(supervisor.__file__).parent, folder / "oneclaw" / "child")
    text = (copy / "supervisor.py").read_text()
    assert guard in text
    (copy / "supervisor.py").write_text(text.replace(guard, instead))
    return folder


class TestGiven:
    """What a child has: nothing it was not given."""

    def test_the_environment_is_a_short_list(self) -> None:
        ours = {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC", "OPENAI_API_KEY": "k", "PYTHONPATH": "x"}
        assert environment(ours) == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}

    async def test_descriptors_have_the_numbers_that_were_asked_for(self) -> None:
        """As Chromium wants two pipes, at 3 and 4; here a number of ours is another one of theirs."""
        (to_read, to_write), (their_read, their_write) = os.pipe(), os.pipe()
        zero = os.open("/dev/zero", os.O_RDONLY)
        code = f"os.write(3, os.read(4, 5) + os.read({to_read}, 1)); print(*os.listdir('/proc/self/fd'))"
        child = Child(python(f"import os; {code}", fds={3: their_write, 4: to_read, to_read: zero}))
        os.write(to_write, b"hello")
        ended = await child.wait()
        assert os.read(their_read, 10) == b"hello\0"
        numbers = {int(number) for number in ended.tail.split()}
        assert {0, 1, 2, 3, 4, to_read} < numbers
        assert len(numbers) == 7, "and the one by which it looked"
        for fd in (to_read, to_write, their_read, their_write, zero):
            os.close(fd)

    async def test_a_program_speaks_on_its_own_stdin_and_stdout(self) -> None:
        """As servers of tools do, with a line for each message."""
        (their_in, ours_out), (ours_in, their_out) = os.pipe(), os.pipe()
        code = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)\nsys.exit('over')"
        child = Child(python(code, fds={0: their_in, 1: their_out}))
        os.close(their_in)
        os.close(their_out)
        os.write(ours_out, b"one\n")
        assert await asyncio.to_thread(os.read, ours_in, 100) == b"ONE\n"
        os.close(ours_out)
        ended = await child.wait()
        assert (ended.code, ended.tail) == (1, "over\n")
        os.close(ours_in)

    async def test_input_is_empty_and_of_output_the_end_is_kept(self) -> None:
        ended = await run("import sys; sys.stdin.read(); print('x' * 10**6, flush=True); sys.exit('the end')")
        assert (ended.code, ended.last_line, len(ended.tail)) == (1, "the end", supervisor.TAIL_BYTES)

    async def test_limits_hold_and_are_named(self, tmp_path: Path) -> None:
        spinning = await run("while True: pass", limits={resource.RLIMIT_CPU: 2})
        assert spinning.limit == "processor time"
        usual = "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)"  # which Python ignores
        code, file = f"{usual}; open(sys.argv[1], 'w').write('x' * 99)", str(tmp_path / "large")
        writing = await run(code, file, limits={resource.RLIMIT_FSIZE: 10})
        assert writing.limit == "size of files"

    async def test_a_module_may_be_served_from_inside_its_supervisor(self) -> None:
        folder = str(Path(__file__).parents[2])
        child = Child(
            ChildSpec(module="tests.child.watching", arguments=[b"heard "], is_watched=True, path=[folder])
        )
        ended = await child.wait()
        assert (ended.code, ended.tail) == (0, f"heard from the child, {child.supervisor_pid}")

    async def test_a_program_that_is_not_there_says_so(self) -> None:
        ended = await Child(ChildSpec(["no-such-program"], environment=environment())).wait()
        assert (ended.code, ended.last_line[:32]) == (1, "no-such-program: FileNotFoundErr")

    async def test_what_cannot_be_started_leaves_nothing_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        before = os.listdir("/proc/self/fd")
        for spec in (ChildSpec(["true"]), ChildSpec(["/nowhere/program", LIFELINE])):
            with pytest.raises(FileNotFoundError):
                Child(spec)
        assert os.listdir("/proc/self/fd") == before


class TestKilled:
    async def family(self, tmp_path: Path) -> tuple[Child, list[int]]:
        child = Child(python(FAMILY, str(tmp_path / "pids")))
        return child, await asyncio.to_thread(written, tmp_path / "pids")

    async def test_all_that_it_started_is_gone_a_daemon_too(self, tmp_path: Path) -> None:
        child, pids = await self.family(tmp_path)
        child.kill("enough")
        ended = await child.gone()
        assert (ended.reason, ended.signal) == ("enough", signal.SIGKILL)
        assert [is_gone(pid) for pid in pids] == [True] * 4

    async def test_where_nobody_adopts_it_the_daemon_goes_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The twin."""
        root = copy_without(tmp_path, "prctl(SET_CHILD_SUBREAPER, 1)", "pass")
        monkeypatch.setattr(child_file, "ROOT", root)
        child, pids = await self.family(tmp_path)
        child.kill()
        await child.gone()
        goes_on = not is_gone(pids[-1])
        os.kill(pids[-1], signal.SIGKILL)
        assert goes_on

    async def test_when_it_ends_by_itself_what_it_left_is_gone_too(self, tmp_path: Path) -> None:
        child, pids = await self.family(tmp_path)
        os.kill(child.pid, signal.SIGSEGV)
        assert (await child.wait()).signal == signal.SIGSEGV
        assert [is_gone(pid) for pid in pids] == [True] * 4

    async def test_a_sweep_kills_all_but_the_child(self, tmp_path: Path) -> None:
        child, pids = await self.family(tmp_path)
        await child.sweep()
        assert [is_gone(pid) for pid in pids] == [False, True, True, True]
        child.kill()
        await child.gone()
        with pytest.raises(Ended):
            await child.sweep()

    @pytest.mark.parametrize("who", ["supervisor", "guardian", "both"])
    async def test_whoever_does_not_answer_is_killed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
    ) -> None:
        monkeypatch.setattr(child_file, "GONE_SECONDS", 0.3)
        child, pids = await self.family(tmp_path)
        if who != "guardian":
            os.kill(child.supervisor_pid, signal.SIGSTOP)
        if who != "supervisor":
            os.kill(child.process_pid, signal.SIGSTOP)
        child.kill()
        await child.gone()
        assert child.is_gone
        assert is_gone(pids[0])
        for pid in pids[1:] if who == "both" else ():  # nobody may be left to end these
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert wait_until_gone(pids)

    async def test_without_that_it_would_stay(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The twin."""
        child, pids = await self.family(tmp_path)
        os.kill(child.supervisor_pid, signal.SIGSTOP)
        with monkeypatch.context() as patch:
            patch.setattr(child_file, "GONE_SECONDS", 0.1)
            patch.setattr(os, "killpg", lambda group, number: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
            child.kill()
            await child.gone()
        assert not child.is_gone
        assert not any(map(is_gone, pids))
        os.kill(child.supervisor_pid, signal.SIGCONT)
        await child.gone()
        assert all(map(is_gone, pids))


PROGRAM = """
import asyncio, os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.child.test_child import FAMILY, python
from oneclaw.child import child as child_file
from oneclaw.child.group import make_group
from oneclaw.child.child import Child

async def main(root, file, *words):
    child_file.ROOT = root
    child = Child(python(FAMILY, file), group=make_group(tasks=1 << 22) if "group" in words else None)
    while not (os.path.exists(file) and open(file).read().endswith("\\n")):
        await asyncio.sleep(0.01)
    if "both" in words:
        os.kill(child.supervisor_pid, signal.SIGSTOP)  # or it would end all when the guardian does
    if "guardian" in words or "both" in words:
        os.kill(child.process_pid, signal.SIGKILL)
    if "supervisor" in words or "both" in words:
        os.kill(child.supervisor_pid, signal.SIGKILL)
    if words:
        await child.wait()
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main(*sys.argv[2:]))
"""


class TestProgram:
    """What is left when the program is killed, and when a child kills those who look after it."""

    @pytest.fixture
    def left(self, tmp_path: Path) -> Callable[..., list[int]]:
        def start(*words: str, how: int = signal.SIGKILL, found_in: Path = child_file.ROOT) -> list[int]:
            root, file = str(Path(__file__).parents[2]), tmp_path / "pids"
            line = [sys.executable, "-c", PROGRAM, root, str(found_in), str(file), *words]
            with subprocess.Popen(line, stdout=subprocess.PIPE) as program:
                assert program.stdout is not None
                try:
                    program.stdout.readline()
                    pids = written(file)
                    assert words or not any(map(is_gone, pids))
                finally:
                    program.send_signal(how)
            return pids

        return start

    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
    def test_nothing_outlives_a_program_that_is_killed(
        self, left: Callable[..., list[int]], how: int
    ) -> None:
        assert wait_until_gone(left(how=how))

    def test_without_the_lifeline_all_of_it_would(
        self, left: Callable[..., list[int]], tmp_path: Path
    ) -> None:
        """The twin: a supervisor that does not look at its lifeline."""
        pids = left(found_in=copy_without(tmp_path, "in (lifeline, output, wake)", "in (output, wake)"))
        go_on = not wait_until_gone(pids, 1.0)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert go_on

    @pytest.mark.parametrize("killed", ["supervisor", "guardian"])
    def test_either_of_those_who_look_after_it_is_enough(
        self, left: Callable[..., list[int]], killed: str
    ) -> None:
        assert wait_until_gone(left(killed))

    def test_if_both_are_killed_the_control_group_ends_it(self, left: Callable[..., list[int]]) -> None:
        if (group := make_group(tasks=1000)) is None:
            pytest.skip("no control group can be made here")
        group.remove()
        assert wait_until_gone(left("both", "group"))

    def test_without_a_group_the_daemon_goes_on(self, left: Callable[..., list[int]]) -> None:
        """The twin."""
        pids = left("both")
        goes_on = not wait_until_gone(pids, 1.0)
        for pid in pids:
            if not is_gone(pid):
                os.kill(pid, signal.SIGKILL)
        assert goes_on
