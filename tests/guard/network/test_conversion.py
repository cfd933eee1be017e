"""Pages made readable without holding up the program."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from oneclaw.child.worker import Worker
from oneclaw.guard.network import conversion, readable
from oneclaw.guard.network.conversion import SHORT_CHARS, convert

ARTICLE = "<p>Some <b>text</b> and <a href='x'>a link</a></p>"
LONG = "<h1>Long</h1>" + ARTICLE * (200_000 // len(ARTICLE))
CROOKED = "<a><p><b><table></a>"  # each makes the tree crooked, and the next one slower


async def test_short_and_long_pages_come_out_alike() -> None:
    short = await convert("<h1>Long</h1>" + ARTICLE, "https://h.example/a/")
    long = await convert(LONG, "https://h.example/a/")
    assert short == "# Long\n\nSome **text** and [a link](https://h.example/a/x)"
    assert long is not None
    assert long.startswith(short)
    assert len(LONG) > SHORT_CHARS


async def test_what_is_no_page_is_nothing_in_a_child_too() -> None:
    assert await convert("\0" * 100_000) is None


async def longest_pause(page: str) -> float:
    """The longest time the loop was held up while the page was converted."""
    worst, is_done = 0.0, False

    async def beat() -> None:
        nonlocal worst
        while not is_done:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            worst = max(worst, time.perf_counter() - before)

    heart = asyncio.create_task(beat())
    await asyncio.sleep(0)
    await convert(page)
    is_done = True
    await heart
    return worst


async def test_a_long_page_does_not_hold_up_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    page = CROOKED * 15_000
    in_child = await longest_pause(page)
    monkeypatch.setattr(conversion, "SHORT_CHARS", 10**9)  # the twin: converted where the loop runs
    in_loop = await longest_pause(page)
    assert in_child < in_loop / 2


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Worker]:
    """The workers that were started."""
    started: list[Worker] = []

    def start(*given: Any) -> Worker:
        started.append(Worker(*given))
        return started[-1]

    monkeypatch.setattr(conversion, "Worker", start)
    return started


async def test_a_page_that_takes_too_long_is_given_up_and_its_child_is_gone(workers: list[Worker]) -> None:
    assert await convert(CROOKED * 200_000, seconds=0.5) is None
    [worker] = workers
    assert worker.child.is_gone
    with pytest.raises(ProcessLookupError):
        os.kill(worker.child.process_pid, 0)


async def test_a_cancelled_conversion_leaves_no_child() -> None:
    task = asyncio.create_task(convert(CROOKED * 200_000))
    me = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not me.exists():
        pytest.skip("this system does not list the children of a process")
    while (before := me.read_bytes()) == b"":
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not set(before.split()) & set(me.read_bytes().split())


async def test_a_page_that_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "MEMORY_BYTES", 64 << 20)
    assert await convert(LONG * 20) is None
    monkeypatch.undo()
    assert await convert(LONG * 20) is not None, "the twin: with the usual room it is done"


async def test_a_readable_page_is_cut_at_its_most_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "MAX_CHARS", 1_000)
    text = await convert(LONG)
    assert text is not None
    assert len(text) == 1_000


async def test_the_child_knows_no_keys(workers: list[Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary")
    assert await convert(LONG) is not None
    assert "PATH" in workers[0].child.spec.environment
    assert "SOME_API_KEY" not in workers[0].child.spec.environment


@pytest.mark.parametrize("piece", ["<blockquote>x", "<ul><li>a", "<div>x", "<b>x", "<ol><li><blockquote>x"])
async def test_deep_pages_stay_small(piece: str) -> None:
    text = await convert(piece * 10_000)
    assert text is not None
    assert len(text) < 1_000_000


def test_without_the_bound_on_depth_nested_quotes_grow_without_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = "<blockquote>x" * 600
    bounded = readable.to_readable(page)
    monkeypatch.setattr(readable, "MAX_DEPTH", 600)
    grown = readable.to_readable(page)
    assert bounded is not None
    assert grown is not None
    assert len(grown) > 5 * len(bounded)


async def most_children(pages: int) -> int:
    """The most children that were there at once while so many long pages were converted."""
    here = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not here.exists():
        pytest.skip("this system does not tell the children of a process")
    tasks = [asyncio.create_task(convert(LONG, seconds=60)) for _ in range(pages)]
    most = 0
    while not all(task.done() for task in tasks):
        most = max(most, len(here.read_text().split()))
        await asyncio.sleep(0.005)
    assert all(task.result() for task in tasks)
    return most


async def test_few_children_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= await most_children(12) <= conversion.CHILDREN
    conversion._turns.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(conversion, "CHILDREN", 100)  # the twin
    assert await most_children(12) > 4
    conversion._turns.cache_clear()  # pyright: ignore[reportPrivateUsage]


async def test_a_page_whose_turn_does_not_come_is_given_up() -> None:
    slow = [asyncio.create_task(convert(CROOKED * 200_000, seconds=5)) for _ in range(conversion.CHILDREN)]
    await asyncio.sleep(0)
    assert await convert(LONG, seconds=0.01) is None
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    assert await convert(LONG, seconds=60) is not None
