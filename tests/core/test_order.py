"""Order among calls on one resource: writers alone and in turn, everybody else side by side."""

import asyncio
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.order import Order, overlaps, resource_key
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition


def is_ready(ticket_turn: "asyncio.Task[None]") -> bool:
    return ticket_turn.done()


async def start(turn: "asyncio.Task[None]") -> None:
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_readers_overlap_and_a_writer_waits_for_them() -> None:
    order = Order()
    first, second, writer = order.take("f:a", False), order.take("f:a", False), order.take("f:a", True)
    turn = asyncio.create_task(writer.turn())
    await first.turn()
    await second.turn()
    await start(turn)
    assert not is_ready(turn)
    first.leave()
    await start(turn)
    assert not is_ready(turn)
    second.leave()
    await turn


async def test_a_reader_waits_for_the_writer_before_it() -> None:
    order = Order()
    writer, reader = order.take("f:a", True), order.take("f:a", False)
    turn = asyncio.create_task(reader.turn())
    await start(turn)
    assert not is_ready(turn)
    writer.leave()
    await turn


async def test_other_resources_do_not_wait() -> None:
    order = Order()
    order.take("f:a", True)
    await asyncio.wait_for(order.take("f:ab", True).turn(), 1)


async def test_a_folder_and_what_lies_in_it_are_one_resource() -> None:
    order = Order()
    inner, folder = order.take("f:/w/a/b", True), order.take("f:/w", False)
    turn = asyncio.create_task(folder.turn())
    await start(turn)
    assert not is_ready(turn)
    inner.leave()
    await turn


async def test_a_waiter_that_gives_up_lets_the_next_one_pass() -> None:
    order = Order()
    first, second, third = (order.take("f:a", True) for _ in range(3))
    turn = asyncio.create_task(third.turn())
    second.leave()
    first.leave()
    await turn
    third.leave()
    assert not order.tickets


def test_a_prefix_of_a_name_is_not_a_folder() -> None:
    assert overlaps("file:/w/a", "file:/w/a/b")
    assert overlaps("file:/", "file:/w")
    assert not overlaps("file:/w/a", "file:/w/ab")


def test_spellings_of_one_path_are_one_key() -> None:
    session = Session(workspace=Workspace(Path("/w")))
    definition = ToolDefinition(name="t", resource="file:{path}")
    keys = {resource_key(definition, {"path": p}, session) for p in ["a", "./a", "b/../a", "/w/a"]}
    assert keys == {"file:/w/a"}


def test_a_missing_argument_stands_for_the_whole_scheme() -> None:
    definition = ToolDefinition(name="t", resource="mail:{box}")
    assert resource_key(definition, {}, Session()) == "mail:"
    assert overlaps("mail:", "mail:inbox")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12))
def test_whatever_the_mixture_everybody_gets_a_turn(calls: list[tuple[str, bool]]) -> None:
    async def main() -> list[int]:
        order, done = Order(), list[int]()
        active: dict[str, list[bool]] = {}

        async def work(number: int, key: str, writes: bool, ticket: object) -> None:
            here = active.setdefault(key, [])
            assert not here or (not writes and not any(here))
            here.append(writes)
            await asyncio.sleep(0)
            here.remove(writes)
            done.append(number)

        async def one(number: int, key: str, writes: bool) -> None:
            ticket = order.take(f"k:{key}", writes)
            await ticket.turn()
            await work(number, key, writes, ticket)
            ticket.leave()

        await asyncio.gather(*(one(n, k, w) for n, (k, w) in enumerate(calls)))
        return done

    assert sorted(asyncio.run(main())) == list(range(len(calls)))
