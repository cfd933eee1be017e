"""Kill -9 at any moment: the store is sound, and every call has one result or was interrupted.

A small program that is started once forks a victim for each round; the victim opens the store and makes calls
whose effect is a file, and is killed while it opens, writes, works or closes.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.nursery import KILLED, Nursery

from oneclaw.store.calls import CallRecord, Calls
from oneclaw.store.sqlite import SqliteDatabase

PROGRAM = """
import asyncio, os, sys
from pathlib import Path
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.sqlite import SqliteDatabase

def die_at(step, chosen):
    if step == chosen:
        os.kill(os.getpid(), 9)

async def work(folder, round, chosen):
    database = SqliteDatabase(folder / "oneclaw.db")
    calls = Calls(database)
    session = Session(f"round-{round}", "victim", Workspace(folder))
    definition = ToolDefinition(name="make_file", effect="write")

    async def one(number):
        call = ToolCall("make_file", {"number": number}, f"{round}-{number}")
        die_at("before", chosen)
        if chosen != "effect first":
            key = await calls.open(call, definition, session, call.arguments)
        die_at("opened", chosen)
        (folder / "effects" / call.id).write_text(str(number))
        die_at("effect first", chosen)
        die_at("done", chosen)
        if number % 3 == 1:
            await asyncio.sleep(0.001)
        await calls.close(key, ToolResult(call.id, "make_file", "x" * (number % 5000), effects="done"))
        die_at("closed", chosen)
        (folder / "told" / call.id).touch()

    number = 0
    while True:
        await asyncio.gather(*(one(number + each) for each in range(3)))
        number += 3

def run(folder, round, chosen):
    asyncio.run(work(Path(folder), round, chosen))
"""


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    made = Nursery(PROGRAM)
    yield made
    made.end()


def kill_one(
    nursery: Nursery, folder: Path, number: int, after_seconds: float | None, step: str = "-"
) -> None:
    """Let one victim work in the folder until it is killed, or until it kills itself at a step."""
    for name in ("effects", "told"):
        (folder / name).mkdir(exist_ok=True)
    nursery.start(folder, number, step)
    time.sleep(after_seconds or 0)
    assert nursery.wait(kills=after_seconds is not None) == KILLED, "it ended by itself"


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def check(folder: Path) -> dict[str, CallRecord]:
    """What must hold after a crash, whenever it came; the calls by their id."""
    with SqliteDatabase(folder / "oneclaw.db") as database:
        assert (await database.find_faults(60))[0] == []
        found = await Calls(database).history(limit=1_000_000)
    calls = {each.call_id: each for each in found}
    assert len(calls) == len(found), "a call has two rows"
    for each in found:
        ended = (each.status, each.kind) in {("success", ""), ("error", "interrupted")}
        assert ended, f"call {each.call_id} is {each.status} {each.kind}"
        assert each.status == "success" or each.effects == "unknown"
    succeeded = {each.call_id for each in found if each.status == "success"}
    assert names(folder / "effects") <= set(calls), "an effect without its row"
    assert succeeded <= names(folder / "effects"), "a result without its effect"
    assert names(folder / "told") <= succeeded, "a result that was told is lost"
    return calls


@pytest.mark.slow
async def test_after_kill_nine_every_call_has_one_result_or_is_interrupted(
    tmp_path: Path, nursery: Nursery, many: int
) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    print(f"seed {seed}")
    ended = {"success": 0, "error": 0}
    for number in range(many):
        # Some rounds begin a new store, so that victims also die while they make one.
        folder = tmp_path / str(number // 7)
        folder.mkdir(exist_ok=True)
        kill_one(nursery, folder, number, chance.choice([0.02, 0.06, 0.15]) * chance.random())
        for each in (await check(folder)).values():
            ended[each.status] += each.call_id.startswith(f"{number}-")
    print(ended)
    assert ended["success"] > 0
    assert ended["error"] > 0


@pytest.mark.parametrize(
    ("step", "row", "effect"),
    [
        ("before", None, False),
        ("opened", "error", False),
        ("done", "error", True),
        ("closed", "success", True),
    ],
)
async def test_a_crash_at_each_step_leaves_what_it_must(
    tmp_path: Path, nursery: Nursery, step: str, row: str | None, effect: bool
) -> None:
    kill_one(nursery, tmp_path, 1, None, step)
    first = (await check(tmp_path)).get("1-0")
    assert (first and first.status) == row
    assert (tmp_path / "effects" / "1-0").exists() == effect


async def test_a_tool_that_ran_before_its_row_was_written_would_be_caught(
    tmp_path: Path, nursery: Nursery
) -> None:
    kill_one(nursery, tmp_path, 1, None, "effect first")
    with pytest.raises(AssertionError, match="an effect without its row"):
        (await check(tmp_path))
