"""One worker process: what it is started with, and that it ends even when its keeper does not help."""

import os
import signal
import sys
from typing import Any

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run import process
from oneclaw.run.pool import ProcessPool
from oneclaw.run.process import environment


def family(arguments: dict[str, Any], context: Context) -> list[int]:
    return [os.getpid(), os.getppid()]


FAMILY = Tool(ToolDefinition(name="family", isolation="process"), family)


def test_the_environment_is_a_short_list() -> None:
    ours = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "TZ": "UTC",
        "OPENAI_API_KEY": "k",
        "HTTPS_PROXY": "p",
        "PYTHONPATH": "x",
    }
    assert environment(ours) == {"PATH": "/bin", "LC_ALL": "C", "TZ": "UTC"}


async def test_a_keeper_that_does_not_answer_is_killed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = ProcessPool(1, 0)
    worker, keeper = await pool.run(FAMILY, {}, Context(), 30)
    os.kill(keeper, signal.SIGSTOP)
    monkeypatch.setattr(process, "GONE_SECONDS", 0.2)
    await pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(keeper, 0)
    # Whoever adopted the worker may not have taken leave of it yet, but it runs no more.
    try:
        with open(f"/proc/{worker}/stat") as file:
            assert file.read().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        pass


async def test_without_that_it_would_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ProcessPool(1, 0)
    worker, keeper = await pool.run(FAMILY, {}, Context(), 30)
    os.kill(keeper, signal.SIGSTOP)

    def spare(group: int, number: int) -> None: ...

    with monkeypatch.context() as patch:
        patch.setattr(process, "GONE_SECONDS", 0.1)
        patch.setattr(os, "killpg", spare)
        await pool.close()
        os.kill(keeper, 0)
    os.kill(worker, signal.SIGKILL)
    os.kill(keeper, signal.SIGCONT)
    monkeypatch.setattr(process, "GONE_SECONDS", 20)
    await pool.close()


async def test_a_process_that_cannot_be_started_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    pool = ProcessPool(1, 0)
    for _ in range(2):
        with pytest.raises(ToolError, match=r"No process could be started: .*nowhere"):
            await pool.run(FAMILY, {}, Context(), 30)
    await pool.close()


async def test_a_request_larger_than_the_socket_takes_at_once_arrives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def measure(arguments: dict[str, Any], context: Context) -> int:
        return len(arguments["text"])

    pool = ProcessPool(1, 0)
    tool = Tool(ToolDefinition(name="measure", isolation="process"), measure)
    assert await pool.run(tool, {"text": "x" * 30_000_000}, Context(), 30) == 30_000_000
    await pool.close()
