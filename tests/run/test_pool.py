"""Calls in worker processes: values, errors, who is used again, who waits, who is replaced."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.processes import is_gone

from oneclaw.core.call import Image, Output
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run.pool import ProcessPool

LONG = 30.0
MEMORY = 1 << 30
Execute = Callable[[dict[str, Any], Context], Any]


@pytest_asyncio.fixture
async def pool() -> AsyncGenerator[ProcessPool]:
    pool = ProcessPool(2, MEMORY)
    yield pool
    await pool.close()


def tool(execute: Execute) -> Tool:
    return Tool(ToolDefinition(name="work", isolation="process"), execute)


def run(pool: ProcessPool, execute: Execute, seconds: float = LONG, **arguments: Any) -> Any:
    return pool.run(tool(execute), arguments, Context("c1"), seconds)


def who(arguments: dict[str, Any], context: Context) -> int:
    return os.getpid()


class TestValues:
    @pytest.mark.covers("FEAT004-ER-01")
    async def test_a_call_runs_in_another_process_and_gives_its_value(self, pool: ProcessPool) -> None:
        def work(arguments: dict[str, Any], context: Context) -> Any:
            return {"pid": os.getpid(), "got": arguments, "tuple": (1, {"two"})}

        given: dict[str, Any] = {
            "text": "ä😀",
            "half": "\ud800",
            "big": "x" * 3_000_000,
            "none": None,
            "float": 1.5,
        }
        value = await run(pool, work, **given)
        assert value["pid"] != os.getpid()
        assert value["got"] == given | {"half": "\ufffd"}
        assert value["tuple"] == [1, ["two"]]

    async def test_images_and_details_come_back(self, pool: ProcessPool) -> None:
        output = Output("a picture", (Image(b"\x89PNG", "image/png"),), {"width": 1})
        assert await run(pool, lambda arguments, context: output) == output

    async def test_an_async_function_is_awaited(self, pool: ProcessPool) -> None:
        async def work(arguments: dict[str, Any], context: Context) -> str:
            await asyncio.sleep(0.001)
            return "awaited"

        assert await run(pool, work) == "awaited"

    async def test_progress_of_a_thread_the_tool_has_left_is_not_heard_after_the_reply(
        self, pool: ProcessPool
    ) -> None:
        def work(arguments: dict[str, Any], context: Context) -> int:
            def babble() -> None:
                while True:
                    context.progress("still here", 1)

            threading.Thread(target=babble, daemon=True).start()
            return os.getpid()

        worker = tool(work)
        first = await pool.run(worker, {}, Context(), LONG)
        assert await pool.run(worker, {}, Context(), LONG) == first

    async def test_a_result_too_large_to_pass_on_is_an_error_that_says_so(self, pool: ProcessPool) -> None:
        with pytest.raises(ToolError, match=r"result is 20,000,0\d\d bytes as JSON"):
            await run(pool, lambda arguments, context: "x" * 20_000_000)


class TestErrors:
    async def test_a_tool_error_keeps_its_parts(self, pool: ProcessPool) -> None:
        def fail(arguments: dict[str, Any], context: Context) -> None:
            raise ToolError("No such file.", Kind.FILE_NOT_FOUND, "none")

        with pytest.raises(ToolError) as caught:
            await run(pool, fail)
        error = caught.value
        assert (error.message, error.kind, error.effects) == ("No such file.", Kind.FILE_NOT_FOUND, "none")

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("raise ValueError('one\\ntwo')", "Tool execution failed: one"),
            ("raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})", "Mute (its text cannot"),
            ("return (n for n in [])", "returned a generator"),
        ],
    )
    async def test_whatever_is_raised_is_one_sentence_and_the_process_lives(
        self, pool: ProcessPool, statement: str, message: str
    ) -> None:
        space: dict[str, Any] = {"os": os}
        exec(f"def work(arguments, context):\n if arguments: {statement}\n return os.getpid()", space)
        worker = tool(space["work"])
        with pytest.raises(ToolError) as caught:
            await pool.run(worker, {"fail": True}, Context(), LONG)
        assert message in caught.value.message
        assert caught.value.kind is Kind.EXECUTION_ERROR
        first = await pool.run(worker, {}, Context(), LONG)
        assert await pool.run(worker, {}, Context(), LONG) == first

    async def test_a_tool_that_cannot_be_loaded_says_why(
        self, pool: ProcessPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = "import os\nif 'HERE' not in os.environ: raise OSError('only here')"
        (tmp_path / "fragile.py").write_text(source)
        monkeypatch.setenv("HERE", "1")
        monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
        import fragile  # pyright: ignore[reportMissingImports]

        def work(arguments: dict[str, Any], context: Context) -> str:
            return str(fragile)  # pyright: ignore[reportUnknownArgumentType]

        with pytest.raises(ToolError, match="'work' could not be loaded in its process: only here"):
            await run(pool, work)
        assert await run(pool, who) != os.getpid()

    async def test_arguments_that_cannot_be_sent_are_named(self, pool: ProcessPool) -> None:
        with pytest.raises(ToolError, match="arguments of tool 'work' cannot be sent"):
            await run(pool, who, lock=threading.Lock())


class TestSeclusion:
    """What a worker has of us: nothing it was not given."""

    @pytest.mark.covers("RFC004-SC-05")
    async def test_the_environment_holds_no_keys(
        self, pool: ProcessPool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOME_API_KEY", "secret")
        monkeypatch.setenv("PYTHONSTARTUP", "x")
        names = await run(pool, lambda arguments, context: sorted(os.environ))
        assert "PATH" in names
        assert not {"SOME_API_KEY", "PYTHONSTARTUP"} & set(names)

    async def test_open_files_are_not_inherited(self, pool: ProcessPool, tmp_path: Path) -> None:
        kept = tmp_path / "kept"
        with kept.open("w") as file:
            os.set_inheritable(file.fileno(), True)

            def look(arguments: dict[str, Any], context: Context) -> list[str]:
                folder = Path("/proc/self/fd")
                return [os.readlink(each) for each in list(folder.iterdir()) if each.is_symlink()]

            seen = await run(pool, look)
        assert str(kept) not in seen
        assert len(seen) == 4  # stdin, stdout, stderr and the line

    async def test_output_goes_nowhere_and_input_is_empty(
        self, pool: ProcessPool, capfd: pytest.CaptureFixture[str]
    ) -> None:
        def noise(arguments: dict[str, Any], context: Context) -> str:
            print("loud" * 1_000_000)
            os.write(1, b"raw" * 100_000)
            os.write(2, b"raw")
            subprocess.run("echo shell; echo shell >&2", shell=True, check=True)
            return sys.stdin.read()

        assert await run(pool, noise) == ""
        assert capfd.readouterr() == ("", "")

    async def test_a_tool_never_meets_another_in_one_process(self, pool: ProcessPool) -> None:
        def spoil(arguments: dict[str, Any], context: Context) -> int:
            import oneclaw.run.worker as worker

            def forge(*_: Any) -> dict[str, Any]:
                return {"value": "forged"}

            worker.run = forge
            return os.getpid()

        spoiler, honest = tool(spoil), tool(who)
        spoiled = await pool.run(spoiler, {}, Context(), LONG)
        assert await pool.run(spoiler, {}, Context(), LONG) == "forged"
        assert await pool.run(honest, {}, Context(), LONG) not in (spoiled, "forged")

    async def test_there_is_no_terminal_and_no_core_dump(self, pool: ProcessPool) -> None:
        def look(arguments: dict[str, Any], context: Context) -> Any:
            import resource

            cores = resource.getrlimit(resource.RLIMIT_CORE)
            return [os.getsid(0) in (arguments["session"], os.getpid()), cores, os.getpgid(0) == os.getpid()]

        assert await run(pool, look, session=os.getsid(0)) == [False, [0, 0], True]


class TestTurns:
    async def test_a_warm_worker_is_used_again(self, pool: ProcessPool) -> None:
        worker = tool(who)
        assert len({await pool.run(worker, {}, Context(), LONG) for _ in range(5)}) == 1

    async def test_calls_overlap(self, pool: ProcessPool, tmp_path: Path) -> None:
        meet = tool(_meet)
        both = ({"me": me, "you": 1 - me, "folder": str(tmp_path)} for me in (0, 1))
        calls = (pool.run(meet, arguments, Context(), LONG) for arguments in both)
        assert await asyncio.gather(*calls) == ["met", "met"]

    async def test_more_calls_than_workers_wait_and_their_clock_does_not_run(self, pool: ProcessPool) -> None:
        def nap(arguments: dict[str, Any], context: Context) -> int:
            time.sleep(0.6)
            return os.getpid()

        napper = tool(nap)
        pids = await asyncio.gather(*(pool.run(napper, {}, Context(), 1.5) for _ in range(6)))
        assert len(set(pids)) == 2

    async def test_more_tools_than_workers_take_turns(self, pool: ProcessPool) -> None:
        tools = [tool(lambda arguments, context, n=n: n) for n in range(5)]
        for _ in range(2):
            values = await asyncio.gather(*(pool.run(each, {}, Context(), LONG) for each in tools))
            assert values == [0, 1, 2, 3, 4]


class TestEnd:
    async def test_closing_waits_for_those_killed_before(self) -> None:
        pool = ProcessPool(1, MEMORY)
        pids = [await run(pool, lambda arguments, context, n=n: os.getpid()) for n in range(3)]
        await pool.close()
        assert all(map(is_gone, pids))

    async def test_closing_kills_the_workers_and_refuses_calls(self, pool: ProcessPool) -> None:
        pid = await run(pool, who)
        await pool.close()
        await pool.close()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        with pytest.raises(ToolError, match="closing"):
            await run(pool, who)

    async def test_closing_ends_running_and_waiting_calls(self) -> None:
        pool = ProcessPool(1, MEMORY)
        sleeper = tool(lambda arguments, context: time.sleep(LONG))
        calls = [asyncio.ensure_future(pool.run(sleeper, {}, Context(), LONG)) for _ in range(3)]
        await asyncio.sleep(0)
        await pool.close()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(each, ToolError) and "closing" in each.message for each in ended)

    def test_one_program_may_use_one_loop_after_the_other(self) -> None:
        async def main() -> int:
            pool = ProcessPool(1, MEMORY)
            try:
                return await run(pool, who)
            finally:
                await pool.close()

        assert asyncio.run(main()) != asyncio.run(main())

    async def test_a_process_that_cannot_be_started_is_an_error(
        self, pool: ProcessPool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        for _ in range(3):
            with pytest.raises(ToolError, match=r"No process could be started: .*nowhere"):
                await run(pool, who)

    async def test_a_worker_that_ended_while_idle_is_replaced(self, pool: ProcessPool) -> None:
        worker = tool(who)
        first = await pool.run(worker, {}, Context(), LONG)
        os.kill(first, 9)
        async with asyncio.timeout(10):
            while not is_gone(first):
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # the news is on its way
        assert await pool.run(worker, {}, Context(), LONG) != first


def _meet(arguments: dict[str, Any], context: Context) -> str:
    folder = Path(arguments["folder"])
    (folder / str(arguments["me"])).touch()
    while not (folder / str(arguments["you"])).exists():
        time.sleep(0.001)
    return "met"
