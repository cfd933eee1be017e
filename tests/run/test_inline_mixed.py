"""Any mixture of own scopes, stubbornness, limits and cancels: one end each, and nothing left in the task."""

import asyncio
import random
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.tool import Context
from oneclaw.run.inline import run_inline

CALLS = 400
LIMIT = 0.1


class Tool:
    """A tool whose steps are drawn by lot."""

    def __init__(self, lot: random.Random) -> None:
        self.lot = lot

    async def __call__(self, arguments: dict[str, Any], context: Context) -> str:
        for _ in range(self.lot.randint(1, 4)):
            try:
                await self.try_step()
            except asyncio.CancelledError:
                # Before Python 3.11.3 a timeout that follows a failed group raises this for TimeoutError.
                if context.cancelled or sys.version_info >= (3, 11, 3):
                    raise
        return "done"

    async def try_step(self) -> None:
        try:
            await self.step(self.lot.randint(1, 3))
        except* OSError:  # a TimeoutError is one
            pass

    async def step(self, depth: int) -> None:
        match self.lot.randint(0, 5 if depth else 2):
            case 0:
                await asyncio.sleep(0)
            case 1:
                await asyncio.sleep(self.lot.random() * LIMIT)
            case 2:
                try:
                    await asyncio.sleep(self.lot.random() * LIMIT)
                except asyncio.CancelledError:
                    if self.lot.random() < 0.5:
                        raise
            case 3:
                async with asyncio.timeout(self.lot.random() * LIMIT):
                    await self.step(depth - 1)
            case 4:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self.child())
                    await self.step(depth - 1)
            case _:
                try:
                    await self.step(depth - 1)
                finally:
                    await asyncio.sleep(self.lot.random() * 0.02)

    async def child(self) -> None:
        await asyncio.sleep(self.lot.random() * LIMIT)
        if self.lot.random() < 0.5:
            raise OSError("a child failed")


@dataclass
class Call:
    """What is known of a call from outside."""

    is_cancelled: bool = False
    is_running: bool = False


async def run(call: Call, seed: int) -> str:
    """Run one call; say how it ended, and make sure that it left nothing behind."""
    context, task = Context(), asyncio.current_task()
    assert task is not None
    call.is_running = True
    try:
        end = await run_inline(Tool(random.Random(seed)), {}, context, LIMIT, 0.05)
    except ToolError as error:
        assert context.cancelled, f"it failed in time: {error.kind}"  # noqa: PT017
        end = str(error.kind)
    except asyncio.CancelledError:
        assert call.is_cancelled, "nobody had cancelled"
        assert task.cancelling() == 1
        return "cancelled"
    finally:
        call.is_running = False
    assert not call.is_cancelled, "the cancel was lost"
    assert task.cancelling() == 0
    for _ in range(3):
        await asyncio.sleep(0.01)  # a cancel left behind would come out here
    return end


def cancel(call: Call, task: asyncio.Task[str]) -> None:
    if call.is_running:
        call.is_cancelled = True
        task.cancel()


@pytest.mark.parametrize("round_", range(3))
async def test_every_mixture_ends_once_and_leaves_the_task_as_it_was(round_: int) -> None:
    lot, loop = random.Random(round_), asyncio.get_running_loop()
    tasks: list[asyncio.Task[str]] = []
    for n in range(CALLS):
        call = Call()
        tasks.append(asyncio.create_task(run(call, round_ * CALLS + n)))
        if lot.random() < 0.4:
            loop.call_later(lot.random() * LIMIT * 1.5, cancel, call, tasks[-1])
    assert set(await asyncio.gather(*tasks)) == {"done", "timeout", "cancelled"}
