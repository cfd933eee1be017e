"""Whose cancel it is: read from the blocks a suspended coroutine is inside of."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import pytest

from oneclaw.run.scope import cancelling_scopes

Work = Callable[[asyncio.Event], Coroutine[Any, Any, Any]]


async def tidy(is_there: asyncio.Event) -> None:
    try:
        await asyncio.sleep(30)
    finally:
        is_there.set()
        await asyncio.sleep(30)


async def in_a_timeout(is_there: asyncio.Event) -> None:
    async with asyncio.timeout(0.01):
        await tidy(is_there)


async def in_a_timeout_of_a_generator(is_there: asyncio.Event) -> None:
    async def generate() -> AsyncGenerator[int]:
        async with asyncio.timeout(0.01):
            await tidy(is_there)
            yield 1

    async for _ in generate():
        pass


@asynccontextmanager
async def wrapped() -> AsyncGenerator[None]:
    async with asyncio.timeout(0.01):
        yield


async def in_a_wrapped_timeout(is_there: asyncio.Event) -> None:
    async with wrapped():
        await tidy(is_there)


async def in_anyio(is_there: asyncio.Event) -> None:
    with anyio.fail_after(0.01):
        try:
            await asyncio.sleep(30)
        finally:
            with anyio.CancelScope(shield=True):
                is_there.set()
                await asyncio.sleep(30)


async def in_a_task_group(is_there: asyncio.Event) -> None:
    async def fail() -> None:
        raise ValueError

    async with asyncio.TaskGroup() as group:
        group.create_task(fail())
        await tidy(is_there)


async def outside_all(is_there: asyncio.Event) -> None:
    is_there.set()
    await asyncio.sleep(30)


async def after_a_timeout(is_there: asyncio.Event) -> None:
    timeout = asyncio.timeout(0.001)
    try:
        async with timeout:
            await asyncio.sleep(30)
    except TimeoutError:
        await outside_all(is_there)


async def in_a_timeout_with_time_left(is_there: asyncio.Event) -> None:
    async with asyncio.timeout(60):
        await outside_all(is_there)


async def cancelled_during(work: Work) -> bool:
    """Whether a scope is found when the coroutine has come to the place in question."""
    is_there = asyncio.Event()
    coroutine = work(is_there)
    task = asyncio.ensure_future(coroutine)
    await is_there.wait()
    answer = bool(cancelling_scopes(coroutine))
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    with suppress(BaseException):
        task.result()
    return answer


@pytest.mark.parametrize(
    "work", [in_a_timeout, in_a_timeout_of_a_generator, in_a_wrapped_timeout, in_anyio, in_a_task_group]
)
async def test_a_scope_that_has_cancelled_is_found(work: Work) -> None:
    assert await cancelled_during(work)


@pytest.mark.parametrize("work", [outside_all, after_a_timeout, in_a_timeout_with_time_left])
async def test_where_no_scope_has_cancelled_none_is_found(work: Work) -> None:
    assert not await cancelled_during(work)
