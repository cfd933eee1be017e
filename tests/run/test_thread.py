"""Calls in threads: values, errors, threads given up and replaced."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context, Effect, Tool, ToolDefinition
from oneclaw.run.thread import ThreadPool

LONG = 30.0
SHORT = 0.05


def tool(execute: Callable[[dict[str, Any], Context], Any], effect: Effect = "unknown") -> Tool:
    return Tool(ToolDefinition(name="work", isolation="thread", effect=effect), execute)


def run(pool: ThreadPool, execute: Callable[[dict[str, Any], Context], Any], seconds: float = LONG) -> Any:
    return pool.run(tool(execute), {"n": 2}, Context("c1"), seconds)


class Stuck:
    """A tool that is stuck until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.contexts: list[Context] = []

    def __call__(self, arguments: dict[str, Any], context: Context) -> str:
        self.contexts.append(context)
        self.let_go.wait(LONG)
        return "late"


async def all_ended(pool: ThreadPool) -> None:
    async with asyncio.timeout(10):
        while pool.stuck:
            await asyncio.sleep(0.001)


@pytest.mark.covers("FEAT004-AC-03", "FEAT004-ER-01")
async def test_a_call_runs_in_another_thread_and_gives_its_value() -> None:
    pool = ThreadPool(2, 2)
    thread, value = await run(pool, lambda arguments, context: (threading.current_thread(), arguments["n"]))
    assert value == 2
    assert thread is not threading.current_thread()
    assert thread.daemon


async def test_threads_are_used_again() -> None:
    pool = ThreadPool(2, 2)
    seen = {await run(pool, lambda arguments, context: threading.get_ident()) for _ in range(5)}
    assert len(seen) == 1


async def test_calls_overlap_up_to_the_size_and_the_rest_wait_their_turn() -> None:
    pool = ThreadPool(2, 2)
    both = threading.Barrier(2)
    assert await asyncio.gather(*(run(pool, lambda arguments, context: both.wait(10) >= 0) for _ in range(6)))
    alone = threading.Barrier(3)
    started = [asyncio.ensure_future(run(pool, lambda arguments, context: alone.wait(0.2))) for _ in range(3)]
    ended = await asyncio.gather(*started, return_exceptions=True)
    assert all(isinstance(each, threading.BrokenBarrierError) for each in ended)


async def test_variables_of_the_caller_are_seen_and_not_changed() -> None:
    name: ContextVar[str] = ContextVar("name")
    name.set("caller")

    def look(arguments: dict[str, Any], context: Context) -> str:
        seen = name.get()
        name.set("tool")
        return seen

    assert await run(ThreadPool(1, 1), look) == "caller"
    assert name.get() == "caller"


async def test_an_exception_passes_as_itself_and_the_thread_goes_on() -> None:
    error = ValueError("no")
    pool = ThreadPool(1, 1)

    def fail(arguments: dict[str, Any], context: Context) -> None:
        raise error

    with pytest.raises(ValueError, match="no") as caught:
        await run(pool, fail)
    assert caught.value is error
    assert error.__cause__ is None
    assert await run(pool, lambda arguments, context: 1) == 1


@pytest.mark.parametrize("error", [StopIteration("sly"), TimeoutError("the tool's own")])
async def test_exceptions_that_mean_something_to_the_loop_are_the_tools_own(error: Exception) -> None:
    def fail(arguments: dict[str, Any], context: Context) -> None:
        raise error

    with pytest.raises((RuntimeError, TimeoutError)) as caught:
        await run(ThreadPool(1, 1), fail)
    assert not isinstance(caught.value, ToolError)


@pytest.mark.parametrize(
    ("effect", "effects", "note"),
    [
        ("write", "possible", "may still land"),
        ("unknown", "possible", "may still land"),
        ("read", "none", ""),
    ],
)
async def test_a_thread_past_its_time_is_given_up_and_the_result_says_so(
    effect: Effect, effects: str, note: str
) -> None:
    pool, stuck, context = ThreadPool(1, 5), Stuck(), Context()
    with pytest.raises(ToolError) as caught:
        await pool.run(tool(stuck, effect), {}, context, SHORT)
    assert caught.value.kind is Kind.TIMEOUT
    assert caught.value.message.startswith("Tool execution timed out after 0.05s")
    assert note in caught.value.message
    assert caught.value.effects == effects
    assert context.cancelled
    assert stuck.contexts[0].cancelled
    assert pool.stuck == 1
    assert await run(pool, lambda arguments, context: "replaced") == "replaced"
    stuck.let_go.set()
    await all_ended(pool)


async def test_a_cancelled_call_gives_its_thread_up() -> None:
    pool, stuck = ThreadPool(1, 5), Stuck()
    call = asyncio.ensure_future(run(pool, stuck))
    async with asyncio.timeout(10):
        while not stuck.contexts:
            await asyncio.sleep(0.001)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert stuck.contexts[0].cancelled
    assert pool.stuck == 1
    assert await run(pool, lambda arguments, context: 1) == 1
    stuck.let_go.set()
    await all_ended(pool)


async def test_the_clock_starts_when_the_work_starts_not_while_it_waits_for_a_thread() -> None:
    pool, stuck = ThreadPool(1, 5), Stuck()
    first = asyncio.ensure_future(run(pool, stuck))
    second = asyncio.ensure_future(run(pool, lambda arguments, context: "in time", seconds=0.6))
    await asyncio.sleep(0.7)
    stuck.let_go.set()
    assert await first == "late"
    assert await second == "in time"


async def test_with_too_many_threads_stuck_calls_are_refused_until_one_comes_back() -> None:
    pool, stuck = ThreadPool(4, 3), Stuck()
    ended = await asyncio.gather(*(run(pool, stuck, SHORT) for _ in range(3)), return_exceptions=True)
    assert [isinstance(each, ToolError) for each in ended] == [True] * 3
    with pytest.raises(ToolError, match="3 threads are stuck") as caught:
        await run(pool, lambda arguments, context: 1)
    assert caught.value.kind is Kind.EXECUTION_ERROR
    stuck.let_go.set()
    await all_ended(pool)
    assert await run(pool, lambda arguments, context: 1) == 1


async def test_an_async_function_runs_in_a_loop_of_its_own() -> None:
    home = asyncio.get_running_loop()

    async def look(arguments: dict[str, Any], context: Context) -> bool:
        await asyncio.sleep(0)
        return asyncio.get_running_loop() is home

    assert await run(ThreadPool(1, 1), look) is False


async def test_an_async_function_past_its_time_is_cancelled_in_its_loop() -> None:
    pool, seen = ThreadPool(1, 1), list[str]()

    async def hang(arguments: dict[str, Any], context: Context) -> None:
        try:
            await asyncio.sleep(LONG)
        finally:
            seen.append("cancelled")

    with pytest.raises(ToolError, match="timed out"):
        await run(pool, hang, SHORT)
    await all_ended(pool)
    assert seen == ["cancelled"]


async def test_an_idle_thread_keeps_nothing_of_its_last_call_alive() -> None:
    class Big: ...

    pool = ThreadPool(1, 1)
    big = Big()
    seen = weakref.ref(big)

    def work(arguments: dict[str, Any], context: Context) -> None:
        assert arguments["big"]

    await pool.run(tool(work), {"big": big}, Context(), LONG)
    del big
    await run(pool, lambda arguments, context: 1)
    gc.collect()
    assert seen() is None


async def test_a_closed_pool_lets_its_threads_end_and_refuses_calls() -> None:
    pool, stuck = ThreadPool(4, 4), Stuck()
    with suppress(ToolError):
        await run(pool, stuck, SHORT)
    thread = await run(pool, lambda arguments, context: threading.current_thread())
    pool.close()
    pool.close()
    thread.join(10)
    assert not thread.is_alive()
    with pytest.raises(ToolError, match="closing"):
        await run(pool, lambda arguments, context: 1)
    stuck.let_go.set()
    await all_ended(pool)


def test_a_thread_that_comes_back_after_the_loop_has_ended_ends_quietly() -> None:
    stuck = Stuck()
    threads: list[threading.Thread] = []

    def work(arguments: dict[str, Any], context: Context) -> str:
        threads.append(threading.current_thread())
        return stuck(arguments, context)

    async def main() -> None:
        with suppress(ToolError):
            await run(ThreadPool(1, 1), work, SHORT)

    asyncio.run(main())
    stuck.let_go.set()
    threads[0].join(10)
    assert not threads[0].is_alive()


async def test_the_context_of_a_thread_knows_what_the_call_knows() -> None:
    def look(arguments: dict[str, Any], context: Context) -> list[Any]:
        return [context.call_id, context.tool, context.seconds, context.redact("a secret")]

    context = Context("c1", tool="work", seconds=7.0, redact=lambda text: text.replace("secret", "?"))
    assert await ThreadPool(1, 1).run(tool(look), {}, context, LONG) == ["c1", "work", 7.0, "a ?"]
