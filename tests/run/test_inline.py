"""A coroutine in a task of its own: it ends with its value, its error, a timeout or the caller's cancel."""

import asyncio
import gc
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Any

import anyio
import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context
from oneclaw.run import inline
from oneclaw.run.inline import can_wait, run_inline

Execute = Callable[[dict[str, Any], Context], Any]
LONG = 30.0
SHORT = 0.05
GRACE = 0.1


def run(execute: Execute, seconds: float = LONG, grace: float = GRACE, context: Context | None = None) -> Any:
    return run_inline(execute, {"n": 2}, context or Context(), seconds, grace)


async def hang(arguments: dict[str, Any], context: Context) -> None:
    await asyncio.sleep(LONG)


async def double(arguments: dict[str, Any], context: Context) -> int:
    return arguments["n"] * 2


def ending(seen: list[str], seconds: float = 0) -> Execute:
    """A tool that hangs, takes so long to clean up, and notes its end."""

    async def hang(arguments: dict[str, Any], context: Context) -> None:
        try:
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(seconds)
            seen.append("ended")

    return hang


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel a call, which ends as cancelled."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def nothing_is_left_of_a_cancel() -> None:
    """The task can go on waiting: no cancel of ours is pending in it."""
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)
    await asyncio.sleep(0.001)


async def times_out(execute: Execute, seconds: float = SHORT, grace: float = GRACE) -> ToolError:
    context = Context()
    with pytest.raises(ToolError) as caught:
        await run(execute, seconds, grace, context)
    assert caught.value.kind is Kind.TIMEOUT
    assert caught.value.message == f"Tool execution timed out after {seconds:g}s"
    assert context.cancelled
    await nothing_is_left_of_a_cancel()
    return caught.value


class TestValues:
    async def test_a_coroutine_that_never_waits_gives_its_value(self) -> None:
        assert await run(double) == 4

    async def test_a_plain_function_gives_its_value(self) -> None:
        assert await run(lambda arguments, context: arguments["n"]) == 2

    async def test_a_coroutine_that_waits_gives_its_value(self) -> None:
        async def wait(arguments: dict[str, Any], context: Context) -> str:
            await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            return await asyncio.get_running_loop().run_in_executor(None, lambda: "done")

        assert await run(wait) == "done"

    async def test_futures_tasks_and_other_awaitables_are_awaited(self) -> None:
        class Later:
            def __await__(self) -> Generator[Any, Any, str]:
                yield from asyncio.sleep(0).__await__()
                return "later"

        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()
        loop.call_later(0.001, future.set_result, "future")
        assert await run(lambda arguments, context: future) == "future"
        assert await run(lambda arguments, context: Later()) == "later"
        assert await run(lambda arguments, context: asyncio.create_task(asyncio.sleep(0, "task"))) == "task"

    @pytest.mark.parametrize("waits", [False, True])
    async def test_the_tool_runs_in_one_task_of_its_own_and_in_a_copy_of_the_callers_variables(
        self, waits: bool
    ) -> None:
        name: ContextVar[str] = ContextVar("name")
        name.set("caller")

        async def look(arguments: dict[str, Any], context: Context) -> Any:
            before, seen = asyncio.current_task(), name.get()
            name.set("tool")
            if waits:
                await asyncio.sleep(0)
            assert asyncio.current_task() is before
            return before, seen, name.get()

        task, *names = await run(look)
        assert isinstance(task, asyncio.Task)
        assert task is not asyncio.current_task()
        assert (names, name.get()) == (["caller", "tool"], "caller")

    async def test_a_coroutine_without_await_takes_no_turn_of_the_loop(self) -> None:
        turned: list[str] = []
        asyncio.get_running_loop().call_soon(turned.append, "turned")
        assert await run(double) == 4
        assert not turned

    @pytest.mark.skipif(sys.version_info < (3, 12), reason="tasks do not start eagerly")
    async def test_a_coroutine_that_never_waits_takes_no_turn_of_the_loop(self) -> None:
        async def double(arguments: dict[str, Any], context: Context) -> int:
            if arguments["n"] == 3:
                await asyncio.sleep(0)
            return arguments["n"] * 2

        turned: list[str] = []
        asyncio.get_running_loop().call_soon(turned.append, "turned")
        assert await run(double) == 4
        assert not turned

    async def test_a_coroutine_without_await_leaves_the_callers_variables_alone(self) -> None:
        name: ContextVar[str] = ContextVar("name")
        name.set("caller")

        async def rename(arguments: dict[str, Any], context: Context) -> str:
            seen = name.get()
            name.set("tool")
            return seen

        assert (await run(rename), name.get()) == ("caller", "caller")

    async def test_whatever_can_wait_is_known_by_its_code(self) -> None:
        async def plain(given: Any) -> Any:
            async def inner() -> None:
                await given

            return inner

        async def awaits(given: Any) -> Any:
            return await given

        async def enters(given: Any) -> None:
            async with given:
                pass

        async def loops(given: Any) -> None:
            async for _ in given:
                pass

        async def collects(given: Any) -> Any:
            return [each async for each in given]

        assert not can_wait(plain.__code__)
        assert all(can_wait(each.__code__) for each in (awaits, enters, loops, collects))

    async def test_overlapping_calls_overlap(self) -> None:
        inside, all_inside = 0, asyncio.Event()

        async def meet(arguments: dict[str, Any], context: Context) -> bool:
            nonlocal inside
            inside += 1
            if inside == 100:
                all_inside.set()
            return await all_inside.wait()

        assert await asyncio.gather(*(run(meet) for _ in range(100))) == [True] * 100


class TestErrors:
    @pytest.mark.parametrize("waits", [False, True])
    @pytest.mark.parametrize(
        "error", [ValueError("no"), StopAsyncIteration(), ToolError("No.", Kind.TIMEOUT)]
    )
    async def test_an_exception_passes_as_itself(self, error: Exception, waits: bool) -> None:
        error.__cause__ = None

        async def fail(arguments: dict[str, Any], context: Context) -> None:
            if waits:
                await asyncio.sleep(0)
            raise error

        with pytest.raises(type(error)) as caught:
            await run(fail)
        assert caught.value is error
        assert error.__cause__ is None

    @pytest.mark.parametrize("how", ["plain", "at once", "after waiting"])
    @pytest.mark.parametrize(
        "error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()]
    )
    async def test_an_exception_meant_to_end_the_program_is_a_failed_call(
        self, error: BaseException, how: str
    ) -> None:
        async def fail(arguments: dict[str, Any], context: Context) -> None:
            if how == "after waiting":
                await asyncio.sleep(0)
            raise error

        def fail_plainly(arguments: dict[str, Any], context: Context) -> None:
            raise error

        with pytest.raises(ToolError, match=f"Tool execution failed: {type(error).__name__}") as caught:
            await run(fail_plainly if how == "plain" else fail)
        assert caught.value.kind is Kind.EXECUTION_ERROR
        await nothing_is_left_of_a_cancel()

    async def test_a_future_someone_else_cancelled_is_a_failed_call(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.cancel)

        with pytest.raises(ToolError, match="CancelledError"):
            await run(lambda arguments, context: future)
        await nothing_is_left_of_a_cancel()

    async def test_stop_iteration_of_a_plain_function_is_an_error_not_a_value(self) -> None:
        def stop(arguments: dict[str, Any], context: Context) -> None:
            raise StopIteration("sly")

        with pytest.raises(RuntimeError):
            await run(stop)

    async def test_a_coroutine_that_yields_nonsense_is_told_so_as_in_any_task(self) -> None:
        class Nonsense:
            def __await__(self) -> Generator[Any, Any, Any]:
                yield 5

        with pytest.raises(RuntimeError, match="bad yield"):
            await run(lambda arguments, context: Nonsense())


class TestTimeout:
    async def test_a_coroutine_past_its_time_is_cancelled(self) -> None:
        seen: list[str] = []

        async def hang(arguments: dict[str, Any], context: Context) -> None:
            try:
                await asyncio.sleep(LONG)
            except asyncio.CancelledError:
                seen.append(f"cancelled {context.cancelled}")
                raise

        await times_out(hang)
        assert seen == ["cancelled True"]

    async def test_the_clock_starts_with_the_first_step_not_with_the_first_wait(self) -> None:
        async def busy_then_wait(arguments: dict[str, Any], context: Context) -> None:
            until = monotonic() + SHORT
            while monotonic() < until:
                pass
            await asyncio.sleep(LONG)

        await times_out(busy_then_wait, seconds=SHORT)

    async def test_a_tool_that_ends_in_the_turn_of_its_deadline_has_ended_in_time(self) -> None:
        def block() -> None:
            until = monotonic() + 2 * SHORT
            while monotonic() < until:
                pass

        async def work(arguments: dict[str, Any], context: Context) -> str:
            await asyncio.sleep(0)
            return "in time"

        asyncio.get_running_loop().call_soon(block)
        assert await run(work, SHORT) == "in time"

    async def test_cleaning_up_may_wait_within_the_grace(self) -> None:
        seen: list[str] = []
        await times_out(ending(seen, 0.01), grace=LONG)
        assert seen == ["ended"]

    async def test_a_value_returned_after_the_time_is_still_a_timeout(self) -> None:
        async def swallow(arguments: dict[str, Any], context: Context) -> str:
            try:
                await asyncio.sleep(LONG)
            except asyncio.CancelledError:
                return "late"
            return "never"

        await times_out(swallow)

    async def test_an_error_raised_while_stopping_is_still_a_timeout(self) -> None:
        async def fail(arguments: dict[str, Any], context: Context) -> None:
            try:
                await asyncio.sleep(LONG)
            finally:
                raise SystemExit(3)

        error = await times_out(fail)
        assert isinstance(error.__cause__, SystemExit)

    async def test_a_coroutine_that_ignores_the_cancel_is_closed_after_the_grace(self) -> None:
        seen: list[str] = []

        async def deaf(arguments: dict[str, Any], context: Context) -> None:
            try:
                while True:
                    try:
                        await asyncio.sleep(LONG)
                    except asyncio.CancelledError:
                        seen.append("cancelled")
            finally:
                seen.append("closed")

        await times_out(deaf)
        assert seen == ["cancelled", "cancelled", "closed"]

    async def test_a_coroutine_that_ignores_everything_is_given_up(self) -> None:
        seen: list[str] = []

        async def immortal(arguments: dict[str, Any], context: Context) -> None:
            while True:
                try:
                    await asyncio.sleep(LONG)
                except BaseException as error:
                    seen.append(type(error).__name__)

        await times_out(immortal)
        gc.collect()  # freeing it would be heard of: warnings are errors here
        assert seen == ["CancelledError", "CancelledError", "GeneratorExit"]

    async def test_one_that_raises_while_it_is_closed_is_a_timeout(self) -> None:
        async def spiteful(arguments: dict[str, Any], context: Context) -> None:
            while True:
                try:
                    await asyncio.sleep(LONG)
                except GeneratorExit:
                    raise SystemExit(3) from None
                except BaseException:
                    continue

        await times_out(spiteful)

    async def test_a_callback_of_on_cancel_that_raises_changes_nothing(self) -> None:
        def fail() -> None:
            raise OSError

        async def hang(arguments: dict[str, Any], context: Context) -> None:
            context.on_cancel(fail)
            await asyncio.sleep(LONG)

        await times_out(hang)

    async def test_many_calls_out_of_time_at_once_each_get_their_timeout(self) -> None:
        ended = await asyncio.gather(*(run(hang, SHORT) for _ in range(200)), return_exceptions=True)
        assert all(isinstance(each, ToolError) and each.kind is Kind.TIMEOUT for each in ended)


class TestOwnScopes:
    """What the tool does with timeouts and task groups of its own works as in any task."""

    async def test_a_timeout_of_the_tools_own_is_its_own(self) -> None:
        async def careful(arguments: dict[str, Any], context: Context) -> str:
            try:
                async with asyncio.timeout(0.01):
                    await asyncio.sleep(LONG)
            except TimeoutError:
                await asyncio.sleep(0)
                return "too slow"
            return "never"

        assert await run(careful) == "too slow"
        await nothing_is_left_of_a_cancel()

    async def test_a_scope_of_anyio_is_its_own(self) -> None:
        async def careful(arguments: dict[str, Any], context: Context) -> bool:
            with anyio.move_on_after(0.01) as scope:
                await anyio.sleep(LONG)
            await asyncio.sleep(0)
            return scope.cancelled_caught

        assert await run(careful)
        await nothing_is_left_of_a_cancel()

    async def test_a_task_group_that_fails_is_its_own(self) -> None:
        async def fail() -> None:
            raise OSError("disk full")

        async def group(arguments: dict[str, Any], context: Context) -> str:
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(fail())
                    await asyncio.sleep(LONG)
            except* OSError:
                pass
            await asyncio.sleep(0)
            return "went on"

        assert await run(group) == "went on"
        await nothing_is_left_of_a_cancel()

    async def test_a_task_group_that_fails_while_it_ends_is_its_own(self) -> None:
        """Before Python 3.13 such a group leaves its cancel in the task for ever."""

        async def fail() -> None:
            await asyncio.sleep(0.001)
            raise OSError("disk full")

        async def group(arguments: dict[str, Any], context: Context) -> str:
            try:
                async with AsyncExitStack() as stack:
                    tasks = await stack.enter_async_context(asyncio.TaskGroup())
                    tasks.create_task(fail())
            except* OSError:
                pass
            await asyncio.sleep(0)
            return "went on"

        assert await run(group) == "went on"
        await nothing_is_left_of_a_cancel()

    @pytest.mark.skipif(sys.version_info >= (3, 13), reason="the group takes its cancel back")
    async def test_in_the_callers_task_such_a_group_would_leave_its_cancel(self) -> None:
        async def fail() -> None:
            await asyncio.sleep(0.001)
            raise OSError("disk full")

        async def group() -> int:
            with suppress(BaseException):
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(fail())
            task = asyncio.current_task()
            assert task is not None
            return task.cancelling()

        assert await asyncio.create_task(group()) == 1

    async def test_the_limit_ends_a_tool_inside_its_own_scopes(self) -> None:
        ended: list[str] = []

        async def child() -> None:
            try:
                await asyncio.sleep(LONG)
            finally:
                ended.append("child")

        async def nested(arguments: dict[str, Any], context: Context) -> None:
            async with asyncio.timeout(LONG), asyncio.TaskGroup() as tasks:
                tasks.create_task(child())

        await times_out(nested, grace=LONG)
        assert ended == ["child"]

    async def test_both_limits_at_the_same_moment_are_a_timeout(self) -> None:
        async def nested(arguments: dict[str, Any], context: Context) -> None:
            loop = asyncio.get_running_loop()
            async with asyncio.timeout_at(loop.time() + SHORT):
                # Both timers are due when the loop looks at them next.
                until = monotonic() + SHORT + 0.01
                while monotonic() < until:
                    pass
                await asyncio.sleep(LONG)

        await times_out(nested)

    async def test_slow_cleaning_up_after_its_own_timeout_is_not_taken_for_the_callers_cancel(
        self,
    ) -> None:
        async def slow(arguments: dict[str, Any], context: Context) -> str:
            try:
                async with asyncio.timeout(0.01):
                    try:
                        await asyncio.sleep(LONG)
                    finally:
                        await asyncio.sleep(0.1)
            except TimeoutError:
                return "tidied slowly"
            return "never"

        assert await run(slow, grace=0.02) == "tidied slowly"
        await nothing_is_left_of_a_cancel()

    async def test_a_given_up_tool_does_not_cancel_its_caller_later(self) -> None:
        async def immortal(arguments: dict[str, Any], context: Context) -> None:
            async with asyncio.timeout(0.3):
                while True:
                    try:
                        await asyncio.sleep(LONG)
                    except BaseException:
                        continue

        await times_out(immortal, grace=0.01)
        await asyncio.sleep(0.4)  # past the time of the tool's own timeout: nothing comes

    async def test_children_of_a_closed_tool_are_cancelled_and_do_not_cancel_its_caller(self) -> None:
        ended: list[str] = []

        async def fail_later() -> None:
            try:
                await asyncio.sleep(0.3)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            raise OSError("a child failed")

        async def stubborn(arguments: dict[str, Any], context: Context) -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail_later())
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(LONG)
            # The group waits for its child, which the swallowed cancel did not reach.

        await times_out(stubborn, grace=0.05)
        await asyncio.sleep(0.4)
        assert ended == ["cancelled"]

    async def test_without_time_for_the_second_cancel_the_children_would_go_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(inline, "_LAST_SECONDS", 0)
        with pytest.raises(AssertionError):
            await self.test_children_of_a_closed_tool_are_cancelled_and_do_not_cancel_its_caller()

    async def test_an_anyio_scope_of_a_closed_tool_does_not_cancel_its_caller(self) -> None:
        async def stubborn(arguments: dict[str, Any], context: Context) -> None:
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.sleep, LONG)
                while True:
                    with suppress(asyncio.CancelledError):
                        await asyncio.sleep(LONG)

        await times_out(stubborn, grace=0.01)

    @pytest.mark.parametrize("how", ["awaits", "gathers"])
    async def test_a_tool_that_waits_for_a_stubborn_task_ends_on_time(self, how: str) -> None:
        let_go = asyncio.Event()

        async def stubborn() -> None:
            while not let_go.is_set():
                with suppress(asyncio.CancelledError):
                    await let_go.wait()

        child = asyncio.create_task(stubborn())

        async def wait(arguments: dict[str, Any], context: Context) -> None:
            await (child if how == "awaits" else asyncio.gather(child))

        try:
            async with asyncio.timeout(10):
                await times_out(wait, grace=0.01)
            assert not child.done()
        finally:
            let_go.set()
            await child
        await asyncio.sleep(0)  # the abandoned task ends, and nobody hears of it


class TestCancel:
    async def start(self, execute: Execute, grace: float = GRACE) -> tuple[asyncio.Task[Any], Context]:
        """A task that runs `execute`, which has begun to wait."""
        context = Context()
        task = asyncio.ensure_future(run(execute, LONG, grace, context))
        await asyncio.sleep(0)
        return task, context

    async def test_the_callers_cancel_reaches_the_tool_and_comes_back(self) -> None:
        seen: list[str] = []
        task, context = await self.start(ending(seen))
        await cancelled(task)
        assert seen == ["ended"]
        assert context.cancelled

    @pytest.mark.parametrize("stubborn", ["returns", "fails", "deaf", "immortal"])
    async def test_a_tool_cannot_swallow_the_callers_cancel(self, stubborn: str) -> None:
        async def swallow(arguments: dict[str, Any], context: Context) -> str:
            while True:
                try:
                    await asyncio.sleep(LONG)
                except asyncio.CancelledError:
                    if stubborn == "returns":
                        return "kept"
                    if stubborn == "fails":
                        raise ValueError("kept") from None
                except BaseException:
                    if stubborn == "deaf":
                        raise

        task, context = await self.start(swallow)
        await cancelled(task)
        assert context.cancelled

    async def test_cleaning_up_after_the_callers_cancel_may_wait_within_the_grace(self) -> None:
        seen: list[str] = []
        task, _ = await self.start(ending(seen, 0.01), grace=LONG)
        await cancelled(task)
        assert seen == ["ended"]

    async def test_the_callers_timeout_around_the_call_is_the_callers(self) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await run(hang)
        await nothing_is_left_of_a_cancel()

    async def test_a_cancel_together_with_the_timeout_is_a_cancel(self) -> None:
        async def tidy(arguments: dict[str, Any], context: Context) -> None:
            try:
                await asyncio.sleep(LONG)
            finally:
                stopping.set()
                await asyncio.sleep(0.02)

        stopping = asyncio.Event()
        task = asyncio.ensure_future(run(tidy, SHORT, LONG))
        await stopping.wait()
        await cancelled(task)

    async def test_a_second_cancel_of_the_caller_leaves_the_tool_its_grace(self) -> None:
        seen: list[str] = []

        async def tidy(arguments: dict[str, Any], context: Context) -> None:
            try:
                await asyncio.sleep(LONG)
            finally:
                stopping.set()
                await asyncio.sleep(0.02)
                seen.append("tidied")

        stopping = asyncio.Event()
        task, _ = await self.start(tidy, grace=LONG)
        task.cancel()
        await stopping.wait()
        await cancelled(task)
        assert seen == ["tidied"]
        assert task.cancelling() == 2

    async def test_a_cancel_before_the_call_began_passes(self) -> None:
        async def never(arguments: dict[str, Any], context: Context) -> None:
            raise AssertionError

        task = asyncio.ensure_future(run(never))
        await cancelled(task)

    async def test_a_caller_that_is_closed_closes_the_tool(self) -> None:
        seen: list[str] = []

        async def hang(arguments: dict[str, Any], context: Context) -> None:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                seen.append("closed")

        async def step_by_hand() -> None:
            coroutine = run(hang)
            coroutine.send(None)
            await asyncio.sleep(0)  # the tool has started
            coroutine.close()

        await step_by_hand()
        assert seen == ["closed"]

    async def test_a_caller_that_is_closed_while_it_stops_the_tool_closes_it(self) -> None:
        seen: list[str] = []

        async def deaf(arguments: dict[str, Any], context: Context) -> None:
            try:
                while True:
                    with suppress(asyncio.CancelledError):
                        await asyncio.sleep(LONG)
            finally:
                seen.append("closed")

        coroutine = run(deaf, grace=LONG)
        coroutine.send(None)
        await asyncio.sleep(0)
        coroutine.throw(asyncio.CancelledError)
        coroutine.close()
        assert seen == ["closed"]
        await asyncio.sleep(0)

    async def test_a_cancel_right_after_the_start_stops_the_tool(self) -> None:
        seen: list[str] = []
        task = asyncio.ensure_future(run(ending(seen)))
        asyncio.get_running_loop().call_soon(task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen == ["ended"]

    async def test_a_caller_that_is_closed_before_the_tool_has_started_leaves_no_warning(self) -> None:
        """On Python 3.11 the tool starts a turn later than its caller."""

        coroutine = run(hang)
        coroutine.send(None)
        coroutine.close()
        await asyncio.sleep(0)
        gc.collect()  # warnings are errors here

    @pytest.mark.skipif(sys.version_info >= (3, 12), reason="tasks start eagerly")
    async def test_without_closing_a_tool_that_has_not_started_there_would_be_a_warning(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(inline, "CORO_CREATED", "no such state")
        with pytest.warns(RuntimeWarning, match="was never awaited"):
            await self.test_a_caller_that_is_closed_before_the_tool_has_started_leaves_no_warning()


PROGRAM = """
import asyncio
import gc
from oneclaw.core.tool import Context
from oneclaw.run import abandon, inline

async def forever():
    while True:
        try:
            await asyncio.sleep(30)
        except BaseException:
            pass

async def immortal(arguments, context):
    await forever()

async def generate():
    while True:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            pass
    yield

async def generator(arguments, context):
    async for _ in generate():
        pass

async def leave(arguments, context):
    await asyncio.sleep(0)
    raise SystemExit(3)

async def stop(tool):
    try:
        await inline.run_inline(tool, {}, Context(), 0.01, 0.01)
    except Exception as error:
        print(error)

async def main():
    await stop(TOOL)
    call = asyncio.ensure_future(stop(TOOL))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait([call])
    print(call.cancelled(), len(asyncio.all_tasks()))
    gc.collect()

"""


def run_program(tool: str, change: str = "", seconds: float = 30) -> subprocess.CompletedProcess[str]:
    """Run a tool in a program of its own, out of time and cancelled."""
    program = f"{PROGRAM.replace('TOOL', tool)}\n{change}\nasyncio.run(main())\n"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.mark.parametrize("tool", ["immortal", "generator"])
def test_a_given_up_tool_does_not_keep_the_program_from_ending(tool: str) -> None:
    """`asyncio.run` waits for every task, and Python closes every coroutine, before the program ends."""
    ended = run_program(tool)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "Tool execution timed out after 0.01s\nTrue 1\n"


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        ("immortal", "inline.close = lambda task, work: None"),
        ("immortal", "abandon._keep_for_ever = lambda step: None"),
        pytest.param(
            "generator",
            "abandon._ignores_close = lambda step: False",
            marks=pytest.mark.skipif(sys.version_info >= (3, 13), reason="closing reaches the generator"),
        ),
    ],
)
@pytest.mark.slow
def test_without_closing_or_keeping_it_the_program_would_hang_or_complain(tool: str, change: str) -> None:
    try:
        ended = run_program(tool, change, seconds=5)
    except subprocess.TimeoutExpired:
        return
    assert ended.stderr


def test_without_being_carried_system_exit_would_end_the_program() -> None:
    carried = run_program("leave")
    assert (carried.returncode, carried.stdout.splitlines()[0]) == (0, "Tool execution failed: SystemExit: 3")
    assert (
        run_program(
            "leave", "async def pass_on(given): return await given\ninline._carry = pass_on"
        ).returncode
        == 3
    )


async def test_the_limit_holds_after_a_person_was_waited_for() -> None:
    async def ask_slowly(need: str, reason: str) -> None:
        await asyncio.sleep(0.1)

    async def work(arguments: dict[str, Any], context: Context) -> str:
        await context.require("network.private", "The host is private.")
        await asyncio.sleep(30)
        return "never"

    with pytest.raises(ToolError, match="timed out"):
        await run_inline(work, {}, Context(require=ask_slowly), 0.05, 0.05)


async def test_two_questions_at_once_are_waited_for_until_the_last_answer() -> None:
    async def ask_slowly(need: str, reason: str) -> None:
        await asyncio.sleep(0.05 if need == "mail" else 0.25)

    async def work(arguments: dict[str, Any], context: Context) -> str:
        await asyncio.gather(context.require("mail", "To send."), context.require("network", "To look."))
        return "allowed"

    context = Context(require=ask_slowly)
    assert await run_inline(work, {}, context, 0.1, 0.05) == "allowed"
    assert 0.25 <= context.waited_seconds < 0.3 + 5
