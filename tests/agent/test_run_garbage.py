"""What a finished run leaves to the garbage collector: nothing, so that it is gone at once."""

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.agent.conftest import Open

from oneclaw import Agent, App, tool
from oneclaw.agent.recording import Recording
from oneclaw.core.garbage import NEW_OBJECTS
from oneclaw.providers.scripted import Call

AGENT = Agent(model="test/model")


@tool(effect="read")
async def add(a: int, b: int) -> int:
    """Add two numbers.

    a: one
    b: two
    """
    return a + b


@pytest.fixture
def collected() -> Iterator[list[object]]:
    """What the collector finds in cycles is put here, and nothing is collected by itself."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


def ours(collected: list[object]) -> Counter[str]:
    gc.collect()
    return Counter(type(each).__name__ for each in collected if type(each).__module__.startswith("oneclaw."))


async def ask(app: App) -> None:
    assert (await app.ask(AGENT, "go")).text == "done"
    await asyncio.sleep(0)  # the last callbacks of its tasks


async def test_a_finished_run_leaves_no_cycles(open_app: Open, request: pytest.FixtureRequest) -> None:
    one = [Call("add", {"a": 1, "b": 2})]
    both = [Call("add", {"a": 1, "b": 2}), Call("add", {"a": 1, "b": "no number"})]
    app = await open_app([one, both, "done"] * 3, tools=[add])
    await ask(app)
    collected: list[object] = request.getfixturevalue("collected")
    for _ in range(2):
        await ask(app)
    assert ours(collected) == {}


def test_a_run_that_held_itself_would_be_found(collected: list[object]) -> None:
    recording = Recording("run", "session")
    recording._above = recording  # pyright: ignore[reportPrivateUsage]
    del recording
    assert ours(collected)["Recording"] == 1


async def test_an_open_app_has_the_collector_look_less_often(open_app: Open) -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        await open_app()
        assert gc.get_threshold()[0] == NEW_OBJECTS
    finally:
        gc.set_threshold(*before)
