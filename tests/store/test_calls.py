"""The journal: a row before, a result after, and what a crash leaves."""

import asyncio
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneclaw.core.call import Image, ToolCall, ToolResult
from oneclaw.core.errors import Kind, StoreError
from oneclaw.core.journal import Journal
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.store import recovery
from oneclaw.store.calls import CallRecord, Calls
from oneclaw.store.column import TEXT_CHARS
from oneclaw.store.runs import RunRecord, StoredRuns
from oneclaw.store.sqlite import SqliteDatabase


def call(number: int = 1, name: str = "look", **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, f"call-{number}")


def result(of: ToolCall, value: Any = "done", **more: Any) -> ToolResult:
    return ToolResult(of.id, of.name, value, **more)


# ---------------------------------------------------------------------- open, close, record


def test_it_is_a_journal_for_the_engine(calls: Calls) -> None:
    journal: Journal = calls
    assert journal is calls


async def test_a_call_is_in_the_file_before_its_tool_starts(
    path: Path, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    made = call(path="a.txt")
    before = time.time()
    key = await calls.open(made, reads, session, {"path": "a.txt"})
    other = sqlite3.connect(path)
    row = other.execute(
        "SELECT status, tool, effect, session, agent, call_id, arguments FROM calls WHERE id = ?", (key,)
    ).fetchone()
    other.close()
    assert row == ("open", "look", "read", "session-1", "helper", "call-1", '{"path":"a.txt"}')
    found = await calls.get(key)
    assert found is not None
    assert before <= found.started <= time.time()
    assert found.seconds is None


async def test_a_closed_call_has_its_whole_result(
    calls: Calls, writes: ToolDefinition, session: Session
) -> None:
    made = call(name="change", text="é\0\n")
    key = await calls.open(made, writes, session, {"text": "é\0\n"})
    whole = result(
        made,
        {"a": [1, None, "x"]},
        seconds=0.25,
        effects="done",
        repairs=("text was a number",),
        truncated_from=50_000,
        details={"path": "/tmp/x"},
    )
    await calls.close(key, whole)
    found = await calls.get(key)
    assert found is not None
    assert (found.status, found.value, found.seconds, found.effects) == (
        "success",
        {"a": [1, None, "x"]},
        0.25,
        "done",
    )
    assert (found.repairs, found.truncated_from, found.details) == (
        ("text was a number",),
        50_000,
        {"path": "/tmp/x"},
    )
    assert found.arguments == {"text": "é\0\n"}
    assert (found.kind, found.message, found.images) == ("", "", ())


@pytest.mark.covers("RFC004-ET-14")
async def test_a_failed_call_has_its_kind_and_message(
    calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    key = await calls.open(call(), reads, session, {})
    await calls.close(
        key, result(call(), None, kind=Kind.TIMEOUT, message="It took 30 s.", effects="possible")
    )
    found = await calls.get(key)
    assert found is not None
    assert (found.status, found.kind, found.message, found.value) == (
        "error",
        "timeout",
        "It took 30 s.",
        None,
    )


async def test_the_first_result_stands(calls: Calls, reads: ToolDefinition, session: Session) -> None:
    key = await calls.open(call(), reads, session, {})
    await calls.close(key, result(call(), "first"))
    await calls.close(key, result(call(), "second"))
    found = await calls.get(key)
    assert found is not None
    assert found.value == "first"


async def test_a_result_without_its_call_is_told(calls: Calls) -> None:
    with pytest.raises(StoreError, match="no call 12345"):
        await calls.close(12345, result(call()))


async def test_a_call_that_never_started_is_one_closed_row(calls: Calls, session: Session) -> None:
    refused = result(
        call(name="no_such"), None, kind=Kind.TOOL_NOT_FOUND, message="Tool 'no_such' not found."
    )
    await calls.record(call(name="no_such"), session, None, refused)
    [found] = await calls.history()
    assert (found.tool, found.status, found.kind, found.effect) == ("no_such", "error", "tool_not_found", "")
    assert found.arguments is None


async def test_a_session_nobody_made_is_known_after_its_first_call(
    database: SqliteDatabase, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    await calls.open(call(), reads, session, {})
    rows = await database.select("SELECT id, agent, workspace FROM sessions")
    assert rows == [("session-1", "helper", str(session.workspace.folder))]


async def test_a_call_without_a_session_is_kept_too(calls: Calls, reads: ToolDefinition) -> None:
    await calls.open(call(), reads, Session(), {})
    assert [found.session for found in await calls.history()] == [""]


# ---------------------------------------------------------------------- bounds


async def test_long_arguments_keep_their_head_and_name_their_length(
    database: SqliteDatabase, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    text = "é" * 3_000_000
    key = await calls.open(call(), reads, session, {"text": text})
    found = await calls.get(key)
    assert found is not None
    assert found.arguments.startswith('{"text":"ééé')
    assert found.arguments.endswith(f"… (the first {TEXT_CHARS:,} of 3,000,011 characters)")
    [(kept,)] = await database.select("SELECT length(arguments) FROM calls")
    assert kept < TEXT_CHARS + 200


async def test_a_long_result_keeps_its_head(calls: Calls, reads: ToolDefinition, session: Session) -> None:
    for value in ("x" * 1_000_000, ["x" * 1_000_000]):
        key = await calls.open(call(), reads, session, {})
        await calls.close(key, result(call(), value, details={"raw": value}))
        found = await calls.get(key)
        assert found is not None
        assert len(found.value) < TEXT_CHARS + 100
        assert len(found.details) < TEXT_CHARS + 100
        assert "of 1,000,0" in found.value


async def test_names_from_a_model_are_bounded(calls: Calls, session: Session) -> None:
    long = "n" * 1_000_000
    await calls.record(
        ToolCall(long, {}, long), session, None, result(call(), None, kind=Kind.TOOL_NOT_FOUND)
    )
    [found] = await calls.history()
    assert len(found.tool) < 300
    assert len(found.call_id) < 300


async def test_of_an_image_only_type_size_and_hash_are_kept(
    path: Path, database: SqliteDatabase, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    data = b"\x89PNG" + os.urandom(5000)
    key = await calls.open(call(), reads, session, {})
    await calls.close(key, result(call(), "a picture", images=(Image(data, "image/png"),)))
    found = await calls.get(key)
    assert found is not None
    assert found.images == ({"type": "image/png", "bytes": 5004, "sha256": hashlib.sha256(data).hexdigest()},)
    database.close()
    assert data[4:104] not in path.read_bytes()


class Odd:
    def __str__(self) -> str:
        raise RuntimeError("no text")


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
DEEP: list[Any] = reduce(lambda inner, _: [inner], range(100_000), list[Any]())


ODD_VALUES = {
    "text raises": Odd(),
    "circle": CIRCLE,
    "deep": DEEP,
    "odd key": {("a", 1): 2},
    "long number": 10**5000,
    "nan": float("nan"),
    "half a pair": "\ud800",
    "half a pair inside": ["\udfff"],
}


@pytest.mark.parametrize("name", ODD_VALUES)
async def test_no_value_is_refused(calls: Calls, reads: ToolDefinition, session: Session, name: str) -> None:
    value = ODD_VALUES[name]
    key = await calls.open(call(), reads, session, {"value": value})
    await calls.close(key, result(call(), value))
    assert await calls.get(key) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(st.text(), JSON), value=JSON)
def test_what_is_put_in_comes_out(
    calls: Calls, reads: ToolDefinition, session: Session, arguments: dict[str, Any], value: Any
) -> None:
    async def keep() -> CallRecord | None:
        key = await calls.open(call(), reads, session, arguments)
        await calls.close(key, result(call(), value))
        return await calls.get(key)

    found = asyncio.run(keep())
    assert found is not None
    assert found.arguments == arguments
    assert found.value == value


async def test_a_token_of_a_known_look_is_not_kept(
    path: Path, database: SqliteDatabase, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    token = "ghp_" + "a1B2" * 9
    key = await calls.open(call(), reads, session, {"header": f"x\n{token}"})
    await calls.close(key, result(call(), f"token: {token}", details={"seen": [token]}))
    await calls.record(
        call(2), session, {"t": token}, result(call(2), None, kind=Kind.CANCELLED, message=token)
    )
    database.close()
    assert token.encode() not in path.read_bytes()
    with SqliteDatabase(path, read_only=True) as looking:
        [refused, ran] = await Calls(looking).history()
        assert ran.arguments == {"header": "x\n[masked:github token]"}
        assert ran.value == "token: [masked:github token]"
        assert ran.details == {"seen": ["[masked:github token]"]}
        assert refused.message == "[masked:github token]"


async def test_without_the_mask_it_would_be_kept(
    path: Path, database: SqliteDatabase, reads: ToolDefinition, session: Session
) -> None:
    token = "ghp_" + "a1B2" * 9
    await Calls(database, mask=str).open(call(), reads, session, {"header": token})
    database.close()
    assert token.encode() in path.read_bytes()


# ---------------------------------------------------------------------- a busy store


async def test_while_another_program_writes_a_call_waits_and_the_loop_does_not(
    path: Path, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(calls.open(call(), reads, session, {}))
    for _ in range(50):
        await asyncio.sleep(0)
    assert not opening.done()
    other.execute("COMMIT")
    other.close()
    assert await calls.get(await opening) is not None


async def test_a_call_cancelled_while_it_is_being_opened_leaves_no_row(
    path: Path, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    await calls.record(call(), session, {}, result(call()))  # so that the session is known
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(calls.open(call(2), reads, session, {}))
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.sleep(0)
    other.execute("COMMIT")
    other.close()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert [found.call_id for found in await calls.history()] == ["call-1"]


async def test_five_hundred_calls_at_once_each_get_their_row_and_result(
    calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    async def one(number: int) -> None:
        key = await calls.open(call(number), reads, session, {"number": number})
        await asyncio.sleep(0)
        await calls.close(key, result(call(number), number))

    await asyncio.gather(*(one(number) for number in range(500)))
    found = await calls.history(limit=1000)
    assert len(found) == 500
    assert all(each.value == each.arguments["number"] for each in found)


# ---------------------------------------------------------------------- after a crash

CRASH = """
import asyncio, os, sys
from functools import reduce
from pathlib import Path
from oneclaw.core.call import ToolCall
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import ToolDefinition
from oneclaw.store.calls import Calls
from oneclaw.store.runs import RunRecord, StoredRuns
from oneclaw.store.sqlite import SqliteDatabase

async def main():
    database = SqliteDatabase(sys.argv[1])
    calls, run = Calls(database), sys.argv[3]
    session = Session("dying", "helper", Workspace(Path("/tmp")), run=run)
    if run:
        record = RunRecord(id=run, session="dying", root=run, agent="helper", model="m", limits={})
        await StoredRuns(database, str).start(record)
    for effect in ("read", "write", "unknown"):
        definition = ToolDefinition(name=f"tool_{effect}", effect=effect)
        await calls.open(ToolCall(definition.name, {}, effect), definition, session, {})
    print("open", flush=True)
    if sys.argv[2] == "die":
        os.kill(os.getpid(), 9)
    sys.stdin.read()

asyncio.run(main())
"""


def start(path: Path, how: str, run: str = "") -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", CRASH, str(path), how, run],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    return child


def stop(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


@pytest.mark.parametrize("run", ["", "run-1"])
async def test_the_calls_of_a_dead_program_are_interrupted_and_say_what_that_means(
    path: Path, run: str
) -> None:
    stop(start(path, "die", run))
    with SqliteDatabase(path) as database:
        found = {each.call_id: each for each in await Calls(database).history()}
        assert {each.status for each in found.values()} == {"error"}
        assert {each.kind for each in found.values()} == {"interrupted"}
        assert {name: each.effects for name, each in found.items()} == {
            "read": "none",
            "write": "unknown",
            "unknown": "unknown",
        }
        assert "may be run again" in found["read"].message
        assert "look before running it again" in found["write"].message
        assert list((path.parent / "oneclaw.db-live").iterdir()) == [
            path.parent / "oneclaw.db-live" / database.process
        ]


@pytest.mark.parametrize("run", ["", "run-1"])
async def test_who_only_looks_is_shown_the_interruption_too(path: Path, run: str) -> None:
    stop(start(path, "die", run))
    with SqliteDatabase(path, read_only=True) as looking:
        assert {each.kind for each in await Calls(looking).history()} == {"interrupted"}
        assert len(await Calls(looking).history(status="interrupted")) == 3


async def test_the_calls_of_a_living_program_are_left_alone(path: Path) -> None:
    child = start(path, "live")
    try:
        for read_only in (False, True):
            with SqliteDatabase(path, read_only=read_only) as database:
                assert {each.status for each in await Calls(database).history()} == {"open"}
    finally:
        stop(child)
    with SqliteDatabase(path) as database:
        assert {each.kind for each in await Calls(database).history()} == {"interrupted"}


async def test_without_the_lock_the_living_would_be_taken_for_dead(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody_lives(folder: Path, name: str) -> bool:
        return False

    child = start(path, "live")
    try:
        monkeypatch.setattr(recovery, "is_alive", nobody_lives)
        with SqliteDatabase(path) as database:
            assert {each.kind for each in await Calls(database).history()} == {"interrupted"}
    finally:
        stop(child)


@pytest.mark.parametrize("is_closed_late", [True, False])
async def test_a_result_that_could_not_be_written_is_written_before_its_run_is_over(
    path: Path, reads: ToolDefinition, session: Session, is_closed_late: bool
) -> None:
    """Without that the call would stay open: nobody looks for open calls of a run that is over."""
    session = replace(session, run="r")
    with SqliteDatabase(path, patience_seconds=0.05) as database:
        calls, runs = Calls(database), StoredRuns(database, str)
        record = RunRecord(id="r", session=session.id, root="r", agent="helper", model="m", limits={})
        await runs.start(record)
        key = await calls.open(call(), reads, session, {})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            await calls.close(key, result(call(), "kept"))
        other.close()
        if is_closed_late:
            await calls.close_late()
        await runs.finish("r", "done", "m", {})
    with SqliteDatabase(path) as database:
        found = await Calls(database).get(key)
        assert found is not None
        assert (found.status, found.value) == (("success", "kept") if is_closed_late else ("open", None))


async def test_two_openings_in_one_program_do_not_take_each_others_calls(
    path: Path, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    key = await calls.open(call(), reads, session, {})
    SqliteDatabase(path).close()
    found = await calls.get(key)
    assert found is not None
    assert found.status == "open"


async def test_a_process_number_used_again_does_not_keep_a_dead_call_open(
    path: Path, calls: Calls, database: SqliteDatabase, reads: ToolDefinition, session: Session
) -> None:
    key = await calls.open(call(), reads, session, {})
    await database.write("UPDATE calls SET process = ?", (f"{os.getpid()}-000000000000",))
    with SqliteDatabase(path):
        found = await calls.get(key)
        assert found is not None
        assert found.kind == "interrupted"


async def test_a_call_open_at_the_end_is_interrupted(
    path: Path, database: SqliteDatabase, reads: ToolDefinition, session: Session
) -> None:
    key = await Calls(database).open(call(), reads, session, {})
    database.close()
    with SqliteDatabase(path, read_only=True) as looking:
        found = await Calls(looking).get(key)
        assert found is not None
        assert (found.status, found.kind) == ("error", "interrupted")


async def test_a_result_that_comes_after_the_interruption_changes_nothing(
    path: Path, database: SqliteDatabase, calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    key = await calls.open(call(), reads, session, {})
    await database.write("UPDATE calls SET process = 'gone'")
    with SqliteDatabase(path):
        await calls.close(key, result(call(), "late"))
    found = await calls.get(key)
    assert found is not None
    assert (found.kind, found.value) == ("interrupted", None)


# ---------------------------------------------------------------------- history


@pytest.fixture
async def history(calls: Calls, reads: ToolDefinition, writes: ToolDefinition, session: Session) -> Calls:
    other = Session("session-2", "helper", session.workspace)
    for number, (definition, where, kind) in enumerate(
        [
            (reads, session, None),
            (writes, session, Kind.TIMEOUT),
            (reads, other, Kind.NETWORK_ERROR),
            (writes, other, None),
        ]
    ):
        made = call(number, definition.name)
        key = await calls.open(made, definition, where, {})
        await calls.close(key, result(made, None if kind else "x", kind=kind))
    await calls.open(call(4), reads, session, {})
    return calls


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [4, 3, 2, 1, 0]),
        ({"limit": 2}, [4, 3]),
        ({"tool": "look"}, [4, 2, 0]),
        ({"tool": "l*"}, [4, 2, 0]),
        ({"tool": "l%"}, []),
        ({"status": "open"}, [4]),
        ({"status": "success"}, [3, 0]),
        ({"status": "error"}, [2, 1]),
        ({"status": "timeout"}, [1]),
        ({"session": "session-2"}, [3, 2]),
        ({"session": "session-2", "tool": "look", "status": "error"}, [2]),
        ({"since": 0.0}, [4, 3, 2, 1, 0]),
        ({"since": 4e9}, []),
        ({"tool": "x' OR '1'='1"}, []),
    ],
)
async def test_the_history_is_filtered_newest_first(
    history: Calls, filters: dict[str, Any], expected: list[int]
) -> None:
    assert [found.call_id for found in (await history.history(**filters))] == [
        f"call-{number}" for number in expected
    ]


async def test_the_history_is_read_page_by_page(history: Calls) -> None:
    first = await history.history(limit=2)
    second = await history.history(limit=2, before=first[-1].key)
    assert [found.call_id for found in first + second] == ["call-4", "call-3", "call-2", "call-1"]


async def test_since_a_moment_means_from_then_on(history: Calls) -> None:
    middle = (await history.history())[2]
    assert [found.call_id for found in (await history.history(since=middle.started))] == [
        "call-4",
        "call-3",
        "call-2",
    ]


async def test_a_call_is_found_by_its_id(history: Calls) -> None:
    assert [found.tool for found in (await history.find("call-3"))] == ["change"]
    assert await history.find("call-9") == []
    assert await history.get(9999) is None


@pytest.mark.parametrize(
    ("condition", "index"),
    [
        ("session = 'x'", "calls_session"),
        ("status = 'open' AND run IS NULL AND process = 'x'", "calls_open"),
    ],
)
async def test_what_is_looked_up_at_work_has_its_index(
    database: SqliteDatabase, condition: str, index: str
) -> None:
    plan = await database.select(f"EXPLAIN QUERY PLAN SELECT * FROM calls WHERE {condition}")
    assert index in json.dumps(plan)


# ---------------------------------------------------------------------- calls that other calls made


async def test_a_call_made_by_another_names_it_and_both_are_found_from_each_other(
    calls: Calls, reads: ToolDefinition, writes: ToolDefinition, session: Session
) -> None:
    outer = ToolCall("script", {}, "outer")
    key = await calls.open(outer, writes, session, {})
    for number in range(3):
        inner = ToolCall("look", {}, f"inner-{number}", parent="outer")
        if number < 2:
            await calls.close(await calls.open(inner, reads, session, {}), result(inner))
        else:
            await calls.record(inner, session, None, result(inner, kind=Kind.TOOL_NOT_FOUND, message="No."))
    elsewhere = Session("session-2", "helper", session.workspace)
    await calls.open(ToolCall("look", {}, "stranger", parent="outer"), reads, elsewhere, {})
    await calls.open(call(9), reads, session, {})
    record = await calls.get(key)
    assert record is not None
    assert record.parent == ""
    made = await calls.made_by(record)
    assert [(each.call_id, each.parent, each.status) for each in made] == [
        ("inner-0", "outer", "success"),
        ("inner-1", "outer", "success"),
        ("inner-2", "outer", "error"),
    ]
    assert [await calls.maker_of(each) for each in made] == [record] * 3
    assert await calls.maker_of(record) is None
    (stranger,) = await calls.find("stranger")
    assert await calls.maker_of(stranger) is None


async def test_the_name_of_the_call_that_made_another_is_bounded_as_its_own_is(
    calls: Calls, reads: ToolDefinition, session: Session
) -> None:
    name = "x" * 5000
    key = await calls.open(ToolCall("script", {}, name), reads, session, {})
    await calls.open(ToolCall("look", {}, "inner", parent=name), reads, session, {})
    record = await calls.get(key)
    assert record is not None
    assert [each.call_id for each in await calls.made_by(record)] == ["inner"]
