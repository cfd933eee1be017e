"""Runs a call inline, in a thread or in a process, as its tool declares."""

from collections.abc import Coroutine
from typing import Any

from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.tool import Context, Tool
from oneclaw.run.inline import run_inline
from oneclaw.run.pool import ProcessPool
from oneclaw.run.thread import ThreadPool

LIMITS = DEFAULTS.limits


class CallRunner:
    """Runs calls of one event loop; each kind of work has its own pool, so none starves another.

    threads        threads at work side by side
    stuck_threads  threads given up and still running, above which thread calls are refused
    processes      worker processes
    memory_bytes   the memory of one worker process; 0 for no limit
    grace_seconds  how long a cancelled coroutine may clean up
    """

    def __init__(
        self,
        *,
        threads: int = LIMITS.threads,
        stuck_threads: int = 100,
        processes: int = LIMITS.processes,
        memory_bytes: int = LIMITS.memory_mb << 20,
        grace_seconds: float = 0.5,
    ) -> None:
        self._threads = ThreadPool(threads, stuck_threads)
        self._processes = ProcessPool(processes, memory_bytes)
        self._grace_seconds = grace_seconds

    def run(
        self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float
    ) -> Coroutine[Any, Any, Any]:
        """Runs the tool within `seconds` of its start.

        Raises `ToolError` for a call that was stopped, `CancelledError` for a caller that was cancelled, and
        any other `Exception` of the tool as it is.
        """
        # No coroutine of its own: this is on the way of every call.
        isolation = tool.definition.isolation
        if isolation == "thread":
            return self._threads.run(tool, arguments, context, seconds)
        if isolation == "process":
            return self._processes.run(tool, arguments, context, seconds)
        return run_inline(tool.execute, arguments, context, seconds, self._grace_seconds)

    @property
    def stuck_threads(self) -> int:
        """How many threads are given up and still running."""
        return self._threads.stuck

    async def close(self) -> None:
        """Kill the worker processes and let the threads go; further thread and process calls are refused."""
        self._threads.close()
        await self._processes.close()
