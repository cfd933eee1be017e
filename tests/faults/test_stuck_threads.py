"""Forty threads stuck for ever: they delay neither the next tool nor the end of the program."""

import asyncio
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner

STUCK = 40


def quick(arguments: dict[str, Any], context: Context) -> str:
    time.sleep(0.001)
    return "quick"


QUICK = Tool(ToolDefinition(name="quick", isolation="thread"), quick)


@pytest.mark.covers("FEAT004-AC-03", "FEAT004-PT-03")
async def test_forty_stuck_threads_do_not_delay_a_quick_tool() -> None:
    let_go = threading.Event()

    def stick(arguments: dict[str, Any], context: Context) -> None:
        let_go.wait(60)

    stuck = Tool(ToolDefinition(name="stuck", isolation="thread"), stick)
    runner = CallRunner(threads=8)
    try:
        ended = await asyncio.gather(
            *(runner.run(stuck, {}, Context(), 0.05) for _ in range(STUCK)), return_exceptions=True
        )
        assert [each.kind for each in ended if isinstance(each, ToolError)] == [Kind.TIMEOUT] * STUCK
        assert runner.stuck_threads == STUCK
        took: list[float] = []
        for _ in range(20):
            started = time.monotonic()
            assert await runner.run(QUICK, {}, Context(), 10) == "quick"
            took.append(time.monotonic() - started)
        # The best of twenty: a busy machine may delay some, forty stuck threads would delay each.
        assert min(took) < 0.1
    finally:
        let_go.set()
        await runner.close()


PROGRAM = """
import asyncio, sys, time
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner

def stick(arguments, context):
    time.sleep(3600)

async def main():
    tool = Tool(ToolDefinition(name="stuck", isolation="thread"), stick)
    runner = CallRunner()
    calls = (runner.run(tool, {}, Context(), 0.2) for _ in range(40))
    ended = await asyncio.gather(*calls, return_exceptions=True)
    print(len(ended), {str(each.kind) for each in ended}, runner.stuck_threads)
    await runner.close()

asyncio.run(main())
print("end", flush=True)
"""


def test_forty_stuck_threads_do_not_delay_the_end_of_the_program() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "40 {'timeout'} 40\n"
        assert program.stdout.readline() == "end\n"
        said_goodbye = time.monotonic()
        try:
            assert program.wait(20) == 0
        finally:
            program.kill()
        assert time.monotonic() - said_goodbye < 5


def test_the_executor_of_the_standard_library_would_delay_it() -> None:
    """The twin: the same program with the usual pool of threads does not end."""
    program = """
import asyncio, time
async def main():
    loop = asyncio.get_running_loop()
    try:
        await asyncio.wait_for(loop.run_in_executor(None, time.sleep, 3600), 0.1)
    except TimeoutError:
        print("timeout", flush=True)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "timeout\n"
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            return
        finally:
            process.kill()
        raise AssertionError("The program ended.")
