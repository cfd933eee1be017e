"""The pool: who is used again, who is closed to make room, and that closing leaves nobody."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from tests.child.test_worker import LIMIT, SPEC, ask
from tests.processes import is_gone

from oneclaw.child.exit_report import Ended
from oneclaw.child.pool import Pool
from oneclaw.child.worker import Worker

Make = Callable[..., Pool]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    made: list[Pool] = []

    def pool(size: int, **settings: float | bool | None) -> Pool:
        made.append(Pool(size, lambda: Worker(SPEC, LIMIT), **settings))  # pyright: ignore[reportArgumentType]
        return made[-1]

    yield pool
    for each in made:
        await each.close()


async def use(pool: Pool, key: object, *, is_fit: bool = True) -> int:
    """Have a worker load something and be idle again; its number."""
    worker = await pool.take(key)
    try:
        worker.holds = key
        return int((await ask(worker, b"who")).split()[-1])
    finally:
        await pool.leave(worker, is_fit=is_fit)


async def test_one_that_holds_what_is_wanted_is_used_again(make: Make) -> None:
    pool = make(2)
    first, second = await use(pool, "a"), await use(pool, "b")
    assert first != second
    assert [await use(pool, key) for key in "abab"] == [first, second] * 2


async def test_the_least_recently_used_makes_room(make: Make) -> None:
    pool = make(2)
    first, second = await use(pool, "a"), await use(pool, "b")
    await use(pool, "a")
    third = await use(pool, "c")
    assert third not in (first, second)
    assert await use(pool, "a") == first
    assert await use(pool, "b") not in (first, second, third)


async def test_where_workers_can_switch_the_least_recently_used_does(make: Make) -> None:
    pool = make(2, can_switch=True)
    first, second = await use(pool, "a"), await use(pool, "b")
    assert [await use(pool, key) for key in "cdc"] == [first, second, first]


async def test_one_that_is_not_fit_is_gone_and_replaced(make: Make) -> None:
    pool = make(1, has_spare=True)
    first = await use(pool, "a", is_fit=False)
    assert is_gone(first)
    assert len(pool.pids) == 1
    assert await use(pool, "a") != first


async def test_an_idle_one_is_closed_after_a_while(make: Make) -> None:
    pool = make(1, idle_seconds=0.05)
    first = await use(pool, "a")
    async with asyncio.timeout(20):
        while pool.pids:
            await asyncio.sleep(0.01)
    assert is_gone(first)
    assert await use(pool, "a") != first


async def test_one_that_speaks_though_nobody_asked_is_not_used_again(make: Make) -> None:
    pool = make(1)
    worker = await pool.take("a")
    worker.holds = "a"
    first = int((await ask(worker, b"who")).split()[-1])
    worker.send(b"echo more")
    async with asyncio.timeout(20):
        while not worker.has_unread:
            await asyncio.sleep(0.01)
    await pool.leave(worker, is_fit=True)
    assert await use(pool, "a") != first


async def test_further_ones_wait_for_their_turn(make: Make) -> None:
    pool = make(1)
    worker = await pool.take("a")
    waiting = asyncio.ensure_future(use(pool, "b"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await pool.leave(worker, is_fit=True)
    assert await waiting


async def test_closing_ends_all_and_refuses_more(make: Make) -> None:
    pool = make(2)
    pids = [await use(pool, key) for key in "abc"]
    taken = await pool.take("a")
    await pool.close()
    assert all(map(is_gone, pids))
    assert pool.pids == []
    assert not taken.is_alive
    with pytest.raises(Ended, match="the program is closing"):
        await pool.take("a")
