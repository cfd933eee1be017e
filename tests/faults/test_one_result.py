"""The first promise: whatever mixture of calls and faults, every call id has exactly one result."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneclaw.core.call import ToolCall
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event, ToolFinished
from oneclaw.core.hook import Block, Hooks, HookVerdict
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session, Workspace
from oneclaw.run.runner import CallRunner
from oneclaw.store.store import Store


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@tool(effect="read")
async def fine(n: int) -> int:
    """Work."""
    return n


@tool
async def raises() -> None:
    """Raise."""
    raise ValueError("no")


@tool
async def unspeakable() -> None:
    """Raise what cannot be printed."""
    raise Unspeakable


@tool
async def leaves() -> None:
    """Try to end the program."""
    raise SystemExit(3)


@tool
async def interrupts() -> None:
    """Pretend that a person pressed Ctrl-C."""
    raise KeyboardInterrupt


@tool
async def cancels() -> None:
    """Pretend to have been cancelled."""
    raise asyncio.CancelledError


@tool
async def cancels_its_task() -> None:
    """Cancel the task that runs it."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


@tool(seconds=0.02)
async def slow() -> None:
    """Take too long."""
    await asyncio.sleep(30)


@tool(seconds=0.02)
async def stubborn() -> str:
    """Take too long and swallow the cancellation."""
    while True:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue


@tool(effect="write", resource="file:{path}")
async def writes(path: str) -> str:
    """Hold a resource."""
    await asyncio.sleep(0)
    return path


@tool(effect="read")
def in_thread(n: int) -> int:
    """Work in a thread."""
    return n


@tool
def thread_leaves() -> None:
    """Try to end the program from a thread."""
    raise SystemExit(1)


@tool
async def unprintable_value() -> Any:
    """Return what no JSON can hold."""
    circle: list[Any] = []
    circle.append(circle)
    return circle


TOOLS = [
    fine,
    raises,
    unspeakable,
    leaves,
    interrupts,
    cancels,
    cancels_its_task,
    slow,
    stubborn,
    writes,
    in_thread,
    thread_leaves,
    unprintable_value,
]
ODD: list[tuple[str, Any]] = [
    ("raises", {}),
    ("unspeakable", {}),
    ("leaves", {}),
    ("interrupts", {}),
    ("cancels", {}),
    ("cancels_its_task", {}),
    ("slow", {}),
    ("stubborn", {}),
    ("thread_leaves", {}),
    ("unprintable_value", {}),
    ("invented", {}),
    ("", {}),
    ("fine", {"n": "many"}),
    ("fine", "{"),
    ("fine", b"\xff"),
    ("fine", ""),
]


def numbered(name: str) -> "st.SearchStrategy[tuple[str, Any]]":
    return st.integers().map(lambda n: (name, {"n": n}))


CALLS: "st.SearchStrategy[tuple[str, Any]]" = st.one_of(
    numbered("fine"),
    numbered("in_thread"),
    st.sampled_from(["a", "b", "a/b"]).map(lambda path: ("writes", {"path": path})),
    st.sampled_from(ODD),
)
IDS = st.sampled_from(["", "a", "b", "a-2"])


@pytest.fixture
async def runner() -> AsyncIterator[CallRunner]:
    runner = CallRunner(grace_seconds=0.02)
    yield runner
    await runner.close()


@pytest.mark.covers("FEAT004-TR-06")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(st.tuples(CALLS, IDS), max_size=12))
def test_any_mixture_of_calls_and_faults_gives_one_result_each(
    calls: list[tuple[tuple[str, Any], str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def main() -> None:
        runner, events = CallRunner(grace_seconds=0.02), list[Event]()
        with Store(tmp_path_factory.mktemp("store") / "s.db") as store:
            engine = Engine(Registry(TOOLS), runner, journal=store.calls)
            engine.subscribe(events.append)
            try:
                results = await engine.call_all([ToolCall(name, given, id) for (name, given), id in calls])
            finally:
                await runner.close()
            assert len(results) == len(calls)
            ids = [result.call_id for result in results]
            assert len(set(ids)) == len(ids)
            told = Counter(event.call_id for event in events if isinstance(event, ToolFinished))
            assert told == Counter(ids)
            rows = await store.calls.history(limit=1000)
            assert Counter(row.call_id for row in rows) == Counter(ids)
            assert all(row.status != "open" for row in rows)
            for ((name, given), _), result in zip(calls, results, strict=True):
                if name in ("fine", "in_thread") and (name, given) not in ODD:
                    assert result.value == given["n"]

    asyncio.run(main())


@pytest.mark.covers("FEAT004-PT-04", "FEAT004-FT-11")
async def test_a_thousand_calls_at_once_keep_their_order(runner: CallRunner) -> None:
    @tool(effect="read")
    async def echo(n: int) -> int:
        """Answer, after turns of the loop that differ."""
        for _ in range(n * 7919 % 5):
            await asyncio.sleep(0)
        return n

    engine = Engine(Registry([echo]), runner)
    results = await engine.call_all([ToolCall("echo", {"n": n}, f"c{n}") for n in range(1000)])
    assert [result.value for result in results] == list(range(1000))
    assert [result.call_id for result in results] == [f"c{n}" for n in range(1000)]


@pytest.mark.covers("RFC004-EC-08")
@pytest.mark.parametrize("seed", range(8))
async def test_cancel_at_every_stage_leaves_one_result(runner: CallRunner, tmp_path: Path, seed: int) -> None:
    """A cancel after any number of turns of the loop: in a queue, a hook, the tool, the journal."""

    async def hesitate(*_: Any) -> HookVerdict:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return Block("unlucky") if random.Random(seed).random() < 0.1 else None

    async def look(*_: Any) -> None:
        await asyncio.sleep(0)

    @tool(effect="write", resource="file:{path}")
    async def work(path: str) -> str:
        """Work in steps."""
        for _ in range(3):
            await asyncio.sleep(0)
        return "done"

    events: list[Event] = []
    with Store(tmp_path / "s.db") as store:
        engine = Engine(
            Registry([work, in_thread]),
            runner,
            journal=store.calls,
            hooks=Hooks((hesitate,), (look,)),
            session=Session("s", workspace=Workspace(tmp_path)),
        )
        engine.subscribe(events.append)
        for turns in range(20):
            call_ids = [f"{turns}-{n}" for n in range(3)]
            calls = [ToolCall("work", {"path": "a"}, one) for one in call_ids]
            task = asyncio.create_task(engine.call_all(calls))
            for _ in range(turns + seed):
                await asyncio.sleep(0)
            task.cancel()
            if turns % 3 == 0:
                await asyncio.sleep(0)
                task.cancel()
            await asyncio.wait([task])
            started = {row.call_id for row in await store.calls.history(limit=1000)}
            if task.cancelled() and not started & set(call_ids):
                continue  # cancelled before any call had begun: nothing happened and nothing is written
            while len([e for e in events if isinstance(e, ToolFinished) and e.call_id in call_ids]) < 3:
                await asyncio.sleep(0)
        rows = await store.calls.history(limit=1000)
        assert all(row.status != "open" for row in rows)
        assert set(Counter(row.call_id for row in rows).values()) == {1}
        told = Counter(event.call_id for event in events if isinstance(event, ToolFinished))
        assert told == Counter(row.call_id for row in rows)
