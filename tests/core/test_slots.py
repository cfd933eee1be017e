"""Room for so many calls at once: in turn, and none is lost when somebody waiting leaves."""

import asyncio

import pytest

from oneclaw.core.slots import Slots


async def hold(slots: Slots, inside: list[int], number: int, most: list[int], go: asyncio.Event) -> None:
    if not slots.take():
        await slots.turn()
    try:
        inside.append(number)
        most.append(len(inside))
        await go.wait()
    finally:
        inside.remove(number)
        slots.leave()


async def test_no_more_are_inside_than_there_are_slots_and_all_get_their_turn() -> None:
    slots, inside, most, go = Slots(3), list[int](), list[int](), asyncio.Event()
    tasks = [asyncio.ensure_future(hold(slots, inside, number, most, go)) for number in range(20)]
    await asyncio.sleep(0)
    assert inside == [0, 1, 2]
    go.set()
    await asyncio.gather(*tasks)
    assert (len(most), max(most)) == (20, 3)


@pytest.mark.parametrize("is_given_first", [True, False])
async def test_a_slot_given_to_one_who_was_cancelled_goes_to_the_next(is_given_first: bool) -> None:
    slots = Slots(1)
    assert slots.take()
    leaving, staying = (asyncio.ensure_future(slots.turn()) for _ in range(2))
    await asyncio.sleep(0)
    if is_given_first:
        slots.leave()  # the first has it now, and is cancelled before it can tell
        leaving.cancel()
    else:
        leaving.cancel()
        await asyncio.sleep(0)
        slots.leave()
    await asyncio.wait_for(staying, 5)
    slots.leave()
    assert slots.take()
