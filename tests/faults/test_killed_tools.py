"""Tools that hang, crash, eat memory or leave children: gone in time, one error each, the next call works."""

import asyncio
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.processes import is_gone, wait_until_gone, written

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Effect, Isolation, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner

LONG = 30.0
LIMIT = 0.3
Execute = Callable[[dict[str, Any], Context], Any]


@pytest_asyncio.fixture
async def runner() -> AsyncGenerator[CallRunner]:
    runner = CallRunner(processes=2, memory_bytes=512 << 20)
    yield runner
    await runner.close()


def tool(execute: Execute, effect: Effect = "write", isolation: Isolation = "process") -> Tool:
    return Tool(ToolDefinition(name="work", isolation=isolation, effect=effect), execute)


async def fail(runner: CallRunner, execute: Execute, seconds: float = LONG, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await runner.run(tool(execute), arguments, Context(), seconds)
    assert await runner.run(tool(who), {}, Context(), LONG) > 0, "the next call works"
    return caught.value


def who(arguments: dict[str, Any], context: Context) -> int:
    return os.getpid()


def spin(arguments: dict[str, Any], context: Context) -> None:
    """Say who we are, spin until told to go, then have an effect."""
    folder = Path(arguments["folder"])
    (folder / "pids").write_text(f"{os.getpid()}\n")
    while not (folder / "go").exists():
        pass
    (folder / "landed").touch()


def leave_children(arguments: dict[str, Any], context: Context) -> None:
    """Start a child, one in a session of its own, and a grandchild whose parent is gone; then spin."""
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    orphan = (
        "import subprocess as s;"
        f"print(s.Popen({sleep!r}, stdout=s.DEVNULL, stderr=s.DEVNULL, start_new_session=True).pid)"
    )
    pids = [
        os.getpid(),
        subprocess.Popen(sleep).pid,
        subprocess.Popen(sleep, start_new_session=True).pid,
        int(subprocess.run([sys.executable, "-c", orphan], capture_output=True, check=True).stdout),
    ]
    Path(arguments["file"]).write_text(" ".join(map(str, pids)) + "\n")
    while arguments.get("spin", True):
        pass


def find_line() -> int:
    """The descriptor a worker is asked on, as a tool might find it."""
    for number in range(3, 100):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
    raise AssertionError


class TestOutOfTime:
    @pytest.mark.covers("FEAT004-ER-02", "FEAT004-FT-07", "RFC004-ET-12")
    async def test_an_endless_loop_is_gone_within_a_second_and_its_effect_never_lands(
        self, runner: CallRunner, tmp_path: Path
    ) -> None:
        with pytest.raises(ToolError) as caught:
            await runner.run(tool(spin), {"folder": str(tmp_path)}, Context(), 1.0)
        now = time.time()
        (pid,) = written(tmp_path / "pids")
        assert is_gone(pid), "gone when the result is there, not some time later"
        assert now - (tmp_path / "pids").stat().st_mtime < 1.0 + 1.0  # the limit, and a second to be gone
        (tmp_path / "go").touch()
        assert await runner.run(tool(who), {}, Context(), LONG) > 0
        assert not (tmp_path / "landed").exists()
        error = caught.value
        assert (error.kind, error.effects) == (Kind.TIMEOUT, "possible")
        assert error.message == "Tool execution timed out after 1s"

    async def test_in_a_thread_the_same_effect_does_land(self, runner: CallRunner, tmp_path: Path) -> None:
        """The twin: what is not killed goes on."""
        with pytest.raises(ToolError, match="may still land"):
            await runner.run(tool(spin, isolation="thread"), {"folder": str(tmp_path)}, Context(), LIMIT)
        (tmp_path / "go").touch()
        until = time.monotonic() + 10
        while not (tmp_path / "landed").exists():
            assert time.monotonic() < until
            await asyncio.sleep(0.005)

    @pytest.mark.covers("FEAT004-FT-07")
    @pytest.mark.parametrize("how", ["sleep", "ignore signals", "hold the interpreter", "async"])
    async def test_whatever_it_does_it_is_stopped(self, runner: CallRunner, how: str) -> None:
        def hang(arguments: dict[str, Any], context: Context) -> None:
            if arguments["how"] == "ignore signals":
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
            if arguments["how"] == "hold the interpreter":
                import ctypes

                ctypes.PyDLL(None).sleep(600)  # a PyDLL does not let go of the interpreter
            if arguments["how"] == "async":
                asyncio.run(asyncio.sleep(600))
            time.sleep(600)

        assert (await fail(runner, hang, LIMIT, how=how)).kind is Kind.TIMEOUT

    async def test_a_tool_that_only_reads_has_changed_nothing(
        self, runner: CallRunner, tmp_path: Path
    ) -> None:
        with pytest.raises(ToolError) as caught:
            await runner.run(tool(spin, effect="read"), {"folder": str(tmp_path)}, Context(), LIMIT)
        assert caught.value.effects == "none"

    async def test_its_children_and_their_children_are_gone_too(
        self, runner: CallRunner, tmp_path: Path
    ) -> None:
        error = await fail(runner, leave_children, 2.0, file=str(tmp_path / "pids"))
        assert error.kind is Kind.TIMEOUT
        pids = written(tmp_path / "pids")
        assert len(pids) == 4
        assert [is_gone(pid) for pid in pids] == [True] * 4

    async def test_killing_the_one_process_would_leave_its_children(self, tmp_path: Path) -> None:
        """The twin: kill what was started, as a plain pool does, and the rest stays."""
        program = [sys.executable, "-c", ALONE, str(Path(__file__).parent), str(tmp_path / "pids")]
        with subprocess.Popen(program) as alone:
            pids = await asyncio.to_thread(written, tmp_path / "pids")
            alone.kill()
        left = [each for each in pids if not is_gone(each)]
        for each in left:
            os.kill(each, signal.SIGKILL)
        assert left == pids[1:]

    @pytest.mark.covers("FEAT004-PT-03")
    async def test_other_kinds_of_work_are_not_kept_waiting(self, runner: CallRunner, tmp_path: Path) -> None:
        spinner = tool(spin)
        stuck = [
            asyncio.ensure_future(runner.run(spinner, {"folder": str(tmp_path)}, Context(), LONG))
            for _ in range(6)
        ]
        await asyncio.to_thread(written, tmp_path / "pids")
        assert await runner.run(tool(who, isolation="thread"), {}, Context(), LONG) == os.getpid()
        assert await runner.run(tool(who, isolation="inline"), {}, Context(), LONG) == os.getpid()
        for call in stuck:
            call.cancel()
        await asyncio.wait(stuck)


class TestCancelled:
    async def test_a_cancelled_call_is_killed(self, runner: CallRunner, tmp_path: Path) -> None:
        call = asyncio.ensure_future(
            runner.run(tool(leave_children), {"file": str(tmp_path / "pids")}, Context(), LONG)
        )
        pids = await asyncio.to_thread(written, tmp_path / "pids")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert [is_gone(pid) for pid in pids] == [True] * 4
        assert await runner.run(tool(who), {}, Context(), LONG) > 0

    async def test_closing_leaves_nothing_of_what_tools_have_left(
        self, runner: CallRunner, tmp_path: Path
    ) -> None:
        file = tmp_path / "pids"
        await runner.run(tool(leave_children), {"file": str(file), "spin": False}, Context(), LONG)
        pids = written(file)
        assert not any(is_gone(pid) for pid in pids)
        await runner.close()
        assert [is_gone(pid) for pid in pids] == [True] * 4


class TestCrash:
    @pytest.mark.covers("FEAT004-AC-06")
    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("os._exit(0)", "The tool's process ended: exit code 0"),
            ("os._exit(7)", "The tool's process ended: exit code 7"),
            ("os.kill(os.getpid(), 9)", "The tool's process ended: killed by signal 9 (SIGKILL)"),
            ("os.abort()", "The tool's process ended: killed by signal 6 (SIGABRT)"),
            ("ctypes.string_at(0)", "The tool's process ended: killed by signal 11 (SIGSEGV)"),
            ("print('Oh no'); os._exit(1)", "exit code 1; its last output was 'Oh no'"),
            ("os.write(2, b'x' * 10000 + b'end'); os._exit(1)", "; its last output was 'xxx"),
            ("os.closerange(3, 100); time.sleep(600)", "The tool's process was stopped: it closed its line"),
            ("os.kill(os.getppid(), 9); time.sleep(600)", "The tool's process ended: nobody knows how"),
        ],
    )
    async def test_a_crash_is_one_error_that_says_how(
        self, runner: CallRunner, statement: str, message: str
    ) -> None:
        space: dict[str, Any] = {}
        exec(f"def work(arguments, context):\n import ctypes, os, time\n {statement}", space)
        error = await fail(runner, space["work"])
        assert message in error.message
        assert (error.kind, error.effects) == (Kind.EXECUTION_ERROR, "possible")
        assert len(error.message) < 400

    async def test_a_tool_that_ends_its_supervisor_as_well_is_ended(
        self, runner: CallRunner, tmp_path: Path
    ) -> None:
        def treason(arguments: dict[str, Any], context: Context) -> None:
            Path(arguments["file"]).write_text(f"{os.getpid()}\n")
            os.kill(os.getppid(), 9)
            while True:
                pass

        await fail(runner, treason, file=str(tmp_path / "pids"))
        assert wait_until_gone(written(tmp_path / "pids"))

    @pytest.mark.parametrize("how", ["at once", "in small pieces"])
    async def test_a_tool_that_eats_memory_meets_its_limit(self, runner: CallRunner, how: str) -> None:
        def eat(arguments: dict[str, Any], context: Context) -> int:
            if arguments["how"] == "at once":
                return len(bytearray(2 << 30))
            eaten: list[bytes] = []
            while True:
                eaten.append(bytes(1000))

        error = await fail(runner, eat, how=how)
        assert error.message == "The tool ran out of memory (the limit is 512 MB)."

    async def test_a_worker_that_ran_out_of_memory_is_not_used_again(self, runner: CallRunner) -> None:
        def eat(arguments: dict[str, Any], context: Context) -> int:
            return len(bytearray(2 << 30)) if arguments else os.getpid()

        eater = tool(eat)
        first = await runner.run(eater, {}, Context(), LONG)
        with pytest.raises(ToolError, match="out of memory"):
            await runner.run(eater, {"much": True}, Context(), LONG)
        assert is_gone(first)
        assert await runner.run(eater, {}, Context(), LONG) != first

    async def test_without_the_limit_the_memory_is_given(self) -> None:
        runner = CallRunner(memory_bytes=0)
        try:
            value = await runner.run(tool(lambda a, c: len(bytearray(600 << 20))), {}, Context(), LONG)
            assert value == 600 << 20
        finally:
            await runner.close()

    @pytest.mark.parametrize(
        ("garbage", "message"),
        [
            ("b'\\xff' * 1000", "it sent a message of 4,294,967,295 bytes"),
            ("(3).to_bytes(4, 'big') + b'[1]'", "it sent a message that is not an object"),
            ("(3).to_bytes(4, 'big') + b'abc'", "it sent a message that is not JSON"),
        ],
    )
    async def test_a_tool_that_writes_garbage_on_the_line_is_stopped(
        self, runner: CallRunner, garbage: str, message: str
    ) -> None:
        space: dict[str, Any] = {}
        exec(
            "def work(arguments, context):\n"
            " import os, time\n"
            f" os.write(arguments['find'](), {garbage})\n"
            " time.sleep(600)",
            space,
        )
        work = space["work"]  # not the space itself: it holds all builtins, and those cannot be sent
        error = await fail(runner, lambda arguments, context: work({"find": find_line}, context))
        assert message in error.message

    async def test_a_flood_of_messages_is_stopped_and_the_program_stays_awake(
        self, runner: CallRunner
    ) -> None:
        def flood(arguments: dict[str, Any], context: Context) -> None:
            line = find_line()
            message = b'{"progress":["x",0]}'
            while True:
                os.write(line, (len(message).to_bytes(4, "big") + message) * 1000)

        lags = list[float]()
        watching = asyncio.ensure_future(_watch_the_loop(lags))
        error = await fail(runner, flood)
        watching.cancel()
        assert "it sent more than 100,000 messages" in error.message
        assert max(lags) < 1

    async def test_a_fork_that_comes_back_too_gives_no_second_result(self, runner: CallRunner) -> None:
        def split(arguments: dict[str, Any], context: Context) -> int:
            os.fork()
            return os.getpid()

        splitter = tool(split)
        first = await runner.run(splitter, {}, Context(), LONG)
        assert await runner.run(splitter, {}, Context(), LONG) == first

    async def test_threads_the_tool_has_left_do_not_keep_the_process(self, runner: CallRunner) -> None:
        def leave(arguments: dict[str, Any], context: Context) -> int:
            threading.Thread(target=time.sleep, args=(600,)).start()
            return os.getpid()

        pid = await runner.run(tool(leave), {}, Context(), LONG)
        await runner.close()
        assert is_gone(pid)


async def _watch_the_loop(lags: list[float]) -> None:
    """The processor time that the loop took between two turns; on a busy machine it waits for longer."""
    while True:
        before = time.thread_time()
        await asyncio.sleep(0.001)
        lags.append(time.thread_time() - before)


ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
from test_killed_tools import leave_children
leave_children({"file": sys.argv[2]}, None)
"""

PROGRAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from test_killed_tools import leave_children, tool
from oneclaw.core.tool import Context
from oneclaw.run.runner import CallRunner

async def main():
    await CallRunner().run(tool(leave_children), {"file": sys.argv[2]}, Context(), 600)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_the_program_not_even_one_killed(tmp_path: Path, how: signal.Signals) -> None:
    here, file = str(Path(__file__).parent), tmp_path / "pids"
    with subprocess.Popen([sys.executable, "-c", PROGRAM, here, str(file)]) as program:
        try:
            pids = written(file)
            assert not any(is_gone(pid) for pid in pids)
        finally:
            program.send_signal(how)
        program.wait(10)
    assert wait_until_gone(pids)


async def test_calls_cancelled_at_any_moment_leave_no_process_and_no_place_taken(runner: CallRunner) -> None:
    def nap(arguments: dict[str, Any], context: Context) -> int:
        time.sleep(arguments["seconds"])
        return os.getpid()

    lot, tools = random.Random(4), [tool(nap), tool(lambda arguments, context: nap(arguments, context))]
    calls: list[asyncio.Task[int]] = []
    for _ in range(40):
        arguments = {"seconds": lot.random() * 0.02}
        call = asyncio.ensure_future(runner.run(lot.choice(tools), arguments, Context(), LONG))
        calls.append(call)
        asyncio.get_running_loop().call_later(lot.random() * 1.5, call.cancel)
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(each, int | asyncio.CancelledError) for each in ended)
    pids = [await runner.run(each, {"seconds": 0}, Context(), LONG) for each in tools]
    await runner.close()
    assert all(is_gone(pid) for pid in pids)
    assert _supervisors() == []


def _supervisors() -> list[str]:
    """The supervisors that are children of this process."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [pid for pid in children if "child.supervisor" in Path(f"/proc/{pid}/cmdline").read_text()]
