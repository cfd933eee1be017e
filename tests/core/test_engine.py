"""The road of a call: every turn it can take, and the one result at its end."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.call import Image, Output, ToolCall, ToolResult
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, StoreError, ToolError
from oneclaw.core.event import Event, ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.hook import Answer, Block, Hooks, HookVerdict, Rewrite
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.need import State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.question import Question
from oneclaw.core.registry import Registry
from oneclaw.core.result import INNER_CHARS
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run.runner import CallRunner

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


@pytest.fixture
async def runner() -> AsyncIterator[CallRunner]:
    runner = CallRunner()
    yield runner
    await runner.close()


@tool(effect="read")
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(effect="write", seconds=0.05)
async def sleep_long() -> str:
    """Sleep."""
    await asyncio.sleep(30)
    return "never"


@tool
async def fail() -> None:
    """Fail."""
    raise ValueError("first line\nsecond line")


def engine_of(runner: CallRunner, *tools: Tool, **options: Any) -> Engine:
    return Engine(Registry(tools), runner, **options)


@pytest.mark.covers("RFC004-UT-03a")
async def test_a_call_gets_the_value_of_its_tool(runner: CallRunner) -> None:
    result = await engine_of(runner, add).call(ToolCall("add", {"a": 1, "b": 2}, "c1"))
    assert (result.call_id, result.tool, result.value, result.status) == ("c1", "add", 3, "success")
    assert result.to_json() == '{"status":"success","result":3}'
    assert result.effects == "none"
    assert result.seconds > 0


@pytest.mark.parametrize("answer", ["once", "no"])
@pytest.mark.parametrize("is_on_the_way", [False, True])
async def test_how_long_a_person_thinks_is_not_how_long_the_call_took(
    runner: CallRunner, answer: Any, is_on_the_way: bool
) -> None:
    thinks_seconds = 0.3
    broker = Broker()

    def think(prompt: Question) -> None:
        asyncio.get_running_loop().call_later(thinks_seconds, broker.answer, prompt.id, answer)

    broker.bind(think)

    @tool(needs=[] if is_on_the_way else ["shell"], effect="read")
    async def ask(context: Context) -> str:
        """Ask on the way."""
        if is_on_the_way:
            await asyncio.gather(context.require("shell", "One."), context.require("shell", "Two."))
        return "asked"

    engine = engine_of(runner, ask, permissions=Permissions(broker=broker))
    asked = time.monotonic()
    result = await engine.call(ToolCall("ask", {}))
    took = time.monotonic() - asked
    assert took > thinks_seconds
    assert result.ok is (answer == "once")
    assert 0 <= result.seconds <= took - thinks_seconds


async def test_a_call_that_was_refused_is_told_with_its_arguments(runner: CallRunner) -> None:
    @tool(needs=["shell"], effect="read")
    async def ask(text: str) -> str:
        """Ask."""
        return text

    told: list[Event] = []
    for state in (State.GRANTED, State.DENIED):
        engine = engine_of(runner, ask, permissions=Permissions(states={"shell": state}))
        engine.subscribe(told.append)
        await engine.call(ToolCall("ask", {"text": "hello"}))
    finished = [event.arguments for event in told if isinstance(event, ToolFinished)]
    assert finished == [None, {"text": "hello"}]  # of one that ran, `ToolStarted` has told them


@pytest.mark.covers("KAI-CO-02")
async def test_raw_text_of_a_model_is_read(runner: CallRunner) -> None:
    result = await engine_of(runner, add).call(ToolCall("add", '{"a": "1", "b": 2.0}'))
    assert result.value == 3
    assert len(result.repairs) == 2
    assert "note" in result.for_model()


async def test_a_call_without_an_id_gets_one(runner: CallRunner) -> None:
    engine = engine_of(runner, add)
    ids = {(await engine.call(ToolCall("add", {"a": 1, "b": 1}))).call_id for _ in range(3)}
    assert len(ids) == 3
    assert "" not in ids


@pytest.mark.covers("FEAT004-ES-01", "RFC004-ET-01")
async def test_an_invented_name_is_answered_with_the_nearest(runner: CallRunner) -> None:
    result = await engine_of(runner, add, fail).call(ToolCall("ad", {}))
    assert result.kind is Kind.TOOL_NOT_FOUND
    assert "add" in result.message
    assert result.for_model()["error_type"] == "tool_not_found"


async def test_a_name_like_no_other_is_answered_with_the_names_there_are(runner: CallRunner) -> None:
    result = await engine_of(runner, add, fail).call(ToolCall("zzz_qqq", {}))
    assert result.message == "Tool 'zzz_qqq' not found. The tools are: add, fail."
    hidden = Policy(agents={"default": Rules(deny=("fail",))})
    told = await engine_of(runner, add, fail, policy=hidden).call(ToolCall("zzz_qqq", {}))
    assert told.message.endswith("The tools are: add.")  # only those it may call
    names = [f"tool_{number:03}_{'x' * 40}" for number in range(200)]
    many = [replace(add, definition=replace(add.definition, name=name)) for name in names]
    told = await engine_of(runner, *many).call(ToolCall("9!", {}))
    assert len(told.message) < 1_200
    assert re.search(r"tool_000_x+, .* and 1\d\d more\.$", told.message)
    assert "no tools" in (await engine_of(runner).call(ToolCall("zzz_qqq", {}))).message


async def test_a_long_invented_name_is_not_echoed_whole(runner: CallRunner) -> None:
    result = await engine_of(runner, add).call(ToolCall("x" * 1_000_000, {}))
    assert result.kind is Kind.TOOL_NOT_FOUND
    assert len(result.message) < 500
    assert len(result.tool) <= 100


@pytest.mark.covers("FEAT004-FT-14", "RFC004-ET-02")
async def test_a_denied_tool_is_not_available_and_the_rule_is_named(runner: CallRunner) -> None:
    engine = engine_of(runner, add, policy=Policy(everyone=Rules(deny=("add",))))
    result = await engine.call(ToolCall("add", {"a": 1, "b": 2}))
    assert result.kind is Kind.TOOL_NOT_AVAILABLE
    assert "add" in result.message
    assert engine.available() == ()


@pytest.mark.covers("FEAT004-FT-15", "FEAT004-ES-02", "RFC004-GO-07")
async def test_wrong_arguments_are_all_named(runner: CallRunner) -> None:
    result = await engine_of(runner, add).call(ToolCall("add", {"a": "x"}))
    assert result.kind is Kind.VALIDATION_ERROR
    assert "'b'" in result.message
    assert "add(" in result.message


@pytest.mark.covers(
    "FEAT004-TR-05", "FEAT004-ER-03", "FEAT004-ES-05", "RFC004-ET-13", "RFC004-UT-03c", "KAI-CO-02"
)
async def test_an_exception_is_one_line_of_an_execution_error(runner: CallRunner) -> None:
    result = await engine_of(runner, fail).call(ToolCall("fail"))
    assert result.kind is Kind.EXECUTION_ERROR
    assert "first line" in result.message
    assert "second line" not in result.message
    assert result.effects == "possible"


async def test_a_tool_chooses_the_kind_of_its_error(runner: CallRunner) -> None:
    @tool(effect="read")
    async def missing() -> None:
        """Look."""
        raise ToolError("File not found: a.txt", Kind.FILE_NOT_FOUND)

    result = await engine_of(runner, missing).call(ToolCall("missing"))
    assert (result.kind, result.message) == (Kind.FILE_NOT_FOUND, "File not found: a.txt")


async def test_a_failed_tool_can_leave_details_for_people(runner: CallRunner) -> None:
    @tool(effect="read")
    async def noisy() -> None:
        """Look."""
        raise ToolError("No.", details={"log": "tried a\ntried b"})

    result = await engine_of(runner, noisy).call(ToolCall("noisy"))
    assert result.details == {"log": "tried a\ntried b"}
    assert "tried" not in result.to_json()


@pytest.mark.covers("FEAT004-AC-05", "FEAT004-ES-04", "RFC004-ET-12", "RFC004-UT-03b", "KAI-SG-03")
async def test_a_timeout_is_a_result(runner: CallRunner) -> None:
    result = await engine_of(runner, sleep_long).call(ToolCall("sleep_long"))
    assert result.kind is Kind.TIMEOUT
    assert "0.05" in result.message
    assert result.effects == "possible"


@pytest.mark.covers("FEAT004-AC-10", "FEAT004-ER-04", "FEAT004-FT-11", "RFC004-GO-08", "RFC004-IT-05")
async def test_calls_run_side_by_side_and_results_keep_their_order(runner: CallRunner) -> None:
    gate = asyncio.Barrier(3)

    @tool(effect="read")
    async def meet(number: int) -> int:
        """Wait until all three are running."""
        await gate.wait()
        return number

    calls = [ToolCall("meet", {"number": n}, f"c{n}") for n in range(3)]
    results = await engine_of(runner, meet).call_all(calls)
    assert [(r.call_id, r.value) for r in results] == [("c0", 0), ("c1", 1), ("c2", 2)]


async def test_the_limit_on_parallel_calls_holds(runner: CallRunner) -> None:
    running, most = 0, 0

    @tool(effect="read")
    async def count() -> None:
        """Count."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    results = await engine_of(runner, count, parallel=3).call_all([ToolCall("count") for _ in range(20)])
    assert all(result.ok for result in results)
    assert most == 3


async def test_duplicate_and_missing_ids_are_made_safe(runner: CallRunner) -> None:
    calls = [ToolCall("add", {"a": n, "b": 0}, "same") for n in range(3)] + [
        ToolCall("add", {"a": 3, "b": 0})
    ]
    results = await engine_of(runner, add).call_all(calls)
    assert [result.value for result in results] == [0, 1, 2, 3]
    assert results[0].call_id == "same"
    assert len({result.call_id for result in results}) == 4


async def test_names_and_ids_that_are_no_text_do_not_touch_the_others(runner: CallRunner) -> None:
    make: Any = ToolCall  # as a model may have it
    odd = [make(None, {}, 7), make(["add"], {}, None), make("add", {"a": 1, "b": 2}, [3])]
    good = ToolCall("add", {"a": 3, "b": 4}, "c1")
    engine = engine_of(runner, add)
    results = await engine.call_all([*odd, good])
    assert [result.kind for result in results] == [Kind.TOOL_NOT_FOUND, Kind.TOOL_NOT_FOUND, None, None]
    assert [results[0].call_id, results[2].call_id, results[3].call_id] == ["7", "[3]", "c1"]
    assert results[3].value == 7
    for call in odd:
        assert isinstance((await engine.call(call)).call_id, str)


async def test_no_calls_no_results(runner: CallRunner) -> None:
    assert await engine_of(runner, add).call_all([]) == []


@pytest.mark.covers("FEAT004-AC-10", "FEAT004-EC-07")
async def test_one_bad_call_does_not_touch_the_others(runner: CallRunner) -> None:
    calls = [ToolCall("add", {"a": 1, "b": 1}), ToolCall("nope"), ToolCall("fail"), ToolCall("add", "{")]
    results = await engine_of(runner, add, fail).call_all(calls)
    kinds = [result.kind for result in results]
    assert kinds == [None, Kind.TOOL_NOT_FOUND, Kind.EXECUTION_ERROR, Kind.VALIDATION_ERROR]


async def test_calls_on_one_file_keep_their_order_when_one_writes(runner: CallRunner) -> None:
    content: list[str] = []

    @tool(effect="write", resource="file:{path}")
    async def put(path: str, text: str) -> None:
        """Write slowly."""
        await asyncio.sleep(0.01)
        content.append(text)

    @tool(effect="read", resource="file:{path}")
    async def get(path: str) -> str:
        """Read at once."""
        return "".join(content)

    calls = [
        ToolCall("get", {"path": "a"}),
        ToolCall("put", {"path": "./a", "text": "1"}),
        ToolCall("get", {"path": "a"}),
        ToolCall("put", {"path": "a", "text": "2"}),
        ToolCall("get", {"path": "a"}),
    ]
    results = await engine_of(runner, put, get).call_all(calls)
    assert [result.value for result in results] == ["", None, "1", None, "12"]


async def test_events_tell_the_story_of_a_call(runner: CallRunner) -> None:
    @tool(effect="read")
    async def work(context: Context) -> str:
        """Work."""
        context.progress("half way", 0.5)
        context.progress("too soon", 0.6)
        context.progress("done", 1.0)
        return "ok"

    events: list[Event] = []
    engine = engine_of(runner, work)
    unsubscribe = engine.subscribe(events.append)
    await engine.call(ToolCall("work", {}, "c1"), Session("s1", "tester", Workspace(Path("/w"))))
    assert [type(event) for event in events] == [ToolStarted, ToolProgressed, ToolProgressed, ToolFinished]
    started, half, done, finished = events
    assert isinstance(started, ToolStarted)
    assert (started.session, started.agent, started.arguments) == ("s1", "tester", {})
    assert isinstance(half, ToolProgressed)
    assert isinstance(done, ToolProgressed)
    assert (half.text, half.fraction, done.text) == ("half way", 0.5, "done")
    assert isinstance(finished, ToolFinished)
    assert finished.result.value == "ok"
    unsubscribe()
    await engine.call(ToolCall("work"))
    assert len(events) == 4


async def test_a_listener_that_fails_harms_nobody(
    runner: CallRunner, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[Event] = []

    def broken(event: Event) -> None:
        raise RuntimeError("listener")

    engine = engine_of(runner, add)
    engine.subscribe(broken)
    engine.subscribe(events.append)
    assert (await engine.call(ToolCall("add", {"a": 1, "b": 1}))).ok
    assert len(events) == 2
    assert "A listener failed" in caplog.text


async def test_a_hook_may_block_with_a_reason(runner: CallRunner) -> None:
    def refuse(*_: Any) -> HookVerdict:
        return Block("not on Sundays")

    engine = engine_of(runner, add, hooks=Hooks(before=(refuse,)))
    result = await engine.call(ToolCall("add", {"a": 1, "b": 2}))
    assert result.kind is Kind.PERMISSION_DENIED
    assert "not on Sundays" in result.message
    assert result.effects == "none"


async def test_a_hook_may_rewrite_arguments_which_are_checked_again(runner: CallRunner) -> None:
    async def double(
        call: ToolCall, definition: ToolDefinition, arguments: dict[str, Any], session: Session
    ) -> HookVerdict:
        return Rewrite({**arguments, "a": arguments["a"] * 2})

    def break_it(*_: Any) -> HookVerdict:
        return Rewrite({"a": "not a number"})

    engine = engine_of(runner, add, hooks=Hooks(before=(double,)))
    assert (await engine.call(ToolCall("add", {"a": 10, "b": 1}))).value == 21
    engine = engine_of(runner, add, hooks=Hooks(before=(break_it,)))
    assert (await engine.call(ToolCall("add", {"a": 10, "b": 1}))).kind is Kind.VALIDATION_ERROR


async def test_what_a_hook_does_to_its_arguments_does_not_reach_the_tool(runner: CallRunner) -> None:
    def meddle(
        call: ToolCall, definition: ToolDefinition, arguments: dict[str, Any], session: Session
    ) -> None:
        arguments["n"] = "unchecked"
        arguments["list"].append("unchecked")

    parameters = {"type": "object", "properties": {"n": {"type": "integer"}, "list": {"type": "array"}}}
    echo = Tool(ToolDefinition(name="echo", parameters=parameters), lambda arguments, context: arguments)
    engine = engine_of(runner, echo, hooks=Hooks(before=(meddle,)))
    result = await engine.call(ToolCall("echo", {"n": 1, "list": [2]}))
    assert result.value == {"n": 1, "list": [2]}


async def test_a_hook_may_answer_in_place_of_the_tool(runner: CallRunner) -> None:
    def cached(*_: Any) -> HookVerdict:
        return Answer("from the cache")

    engine = engine_of(runner, fail, hooks=Hooks(before=(cached,)))
    result = await engine.call(ToolCall("fail"))
    assert (result.value, result.effects) == ("from the cache", "none")


async def test_a_hook_that_raises_blocks_the_call(runner: CallRunner) -> None:
    ran: list[str] = []

    @tool
    async def effect() -> None:
        """Do it."""
        ran.append("ran")

    def broken(*_: Any) -> HookVerdict:
        raise RuntimeError("the guard is ill")

    result = await engine_of(runner, effect, hooks=Hooks(before=(broken,))).call(ToolCall("effect"))
    assert result.kind is Kind.EXECUTION_ERROR
    assert "the guard is ill" in result.message
    assert not ran
    # The twin: without the hook the effect happens.
    await engine_of(runner, effect).call(ToolCall("effect"))
    assert ran == ["ran"]


async def test_a_hook_may_change_the_result(runner: CallRunner) -> None:
    async def sign(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
        return ToolResult("other", "other", value=f"{result.value} signed")

    pages = Pages()
    engine = engine_of(runner, add, hooks=Hooks(after=(sign,)), journal=pages)
    result = await engine.call(ToolCall("add", {"a": 1, "b": 2}, "c1"))
    assert (result.call_id, result.tool, result.value) == ("c1", "add", "3 signed")
    assert pages.rows == [["c1", result]]


async def test_a_hook_that_fails_on_a_result_withholds_it(runner: CallRunner) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("cannot judge")

    engine = engine_of(runner, add, hooks=Hooks(after=(broken,)))
    result = await engine.call(ToolCall("add", {"a": 1, "b": 2}))
    assert result.kind is Kind.EXECUTION_ERROR
    assert result.value is None


@pytest.mark.parametrize("wrong", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_hook_that_would_end_the_program_has_failed(
    runner: CallRunner, wrong: BaseException, is_async: bool
) -> None:
    def leave(*_: Any) -> Any:
        raise wrong

    async def leave_later(*_: Any) -> Any:
        await asyncio.sleep(0)
        raise wrong

    hook = leave_later if is_async else leave
    for hooks in (Hooks(before=(hook,)), Hooks(after=(hook,))):
        pages = Pages()
        result = await engine_of(runner, add, hooks=hooks, journal=pages).call(
            ToolCall("add", {"a": 1, "b": 2})
        )
        assert result.kind is Kind.EXECUTION_ERROR
        assert "A hook failed" in result.message
        assert type(wrong).__name__ in result.message
        assert [row[1] for row in pages.rows] == [result]


@pytest.mark.parametrize("where", ["before", "after"])
async def test_a_call_cancelled_in_a_hook_is_cancelled(runner: CallRunner, where: str) -> None:
    waiting = asyncio.Event()

    async def wait(*_: Any) -> None:
        waiting.set()
        await asyncio.sleep(30)

    pages = Pages()
    engine = engine_of(runner, add, hooks=Hooks(**{where: (wait,)}), journal=pages)
    task = asyncio.create_task(engine.call(ToolCall("add", {"a": 1, "b": 2})))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(pages.rows) == 1


@pytest.mark.covers("KAI-SG-04")
async def test_a_long_result_is_cut_and_kept(runner: CallRunner, tmp_path: Path) -> None:
    @tool(effect="read")
    async def long() -> str:
        """Talk."""
        return "é" * 50_000

    async def spill(session: Session, call_id: str, text: str) -> str:
        (tmp_path / call_id).write_text(text)
        return str(tmp_path / call_id)

    result = await engine_of(runner, long, spill=spill).call(ToolCall("long", {}, "c1"))
    assert len(result.value) <= 20_000
    assert result.truncated_from == 50_000
    assert str(tmp_path / "c1") in result.value
    assert (tmp_path / "c1").read_text() == "é" * 50_000


async def test_a_call_made_by_another_keeps_a_value_that_a_model_would_get_cut(runner: CallRunner) -> None:
    @tool(effect="read", chars=200)
    async def rows(count: int) -> list[int]:
        """List."""
        return list(range(count))

    engine = engine_of(runner, rows)
    whole = await engine.call(ToolCall("rows", {"count": 1000}, parent="outer"))
    assert (whole.value, whole.truncated_from) == (list(range(1000)), None)
    huge = await engine.call(ToolCall("rows", {"count": 200_000}, parent="outer"))
    assert isinstance(huge.value, str)
    assert 200 < len(huge.value) <= INNER_CHARS


async def test_events_name_the_call_that_made_a_call(runner: CallRunner) -> None:
    events: list[Event] = []
    engine = engine_of(runner, add)
    engine.subscribe(events.append)
    await engine.call(ToolCall("add", {"a": 1, "b": 2}, "inner", parent="outer"))
    await engine.call(ToolCall("nothing", {}, "refused", parent="outer"))
    await engine.call(ToolCall("add", {"a": 1, "b": 2}, "plain"))
    told = [
        (event.call_id, event.parent) for event in events if isinstance(event, ToolStarted | ToolFinished)
    ]
    expected = [("inner", "outer"), ("inner", "outer"), ("refused", "outer"), ("plain", ""), ("plain", "")]
    assert told == expected


async def test_a_long_list_stays_a_list(runner: CallRunner) -> None:
    @tool(effect="read", chars=200)
    async def rows() -> list[int]:
        """List."""
        return list(range(1000))

    result = await engine_of(runner, rows).call(ToolCall("rows"))
    assert result.value[:3] == [0, 1, 2]
    assert result.value[-2].endswith("of 1,000 items are shown.)")
    assert "3,891 characters" in result.value[-1]
    assert len(result.text) <= 200
    assert result.truncated_from == 3_891


async def test_a_long_object_stays_one_and_its_lines_are_lines(runner: CallRunner, tmp_path: Path) -> None:
    @tool(effect="read", chars=2_000, trim="middle")
    async def log() -> dict[str, Any]:
        """Read."""
        return {"code": 0, "out": "".join(f"line {number}\n" for number in range(1000)), "err": "none"}

    async def spill(session: Session, call_id: str, text: str) -> str:
        return f"kept/{call_id}"

    result = await engine_of(runner, log, spill=spill).call(ToolCall("log", {}, "c1"))
    assert (result.value["code"], result.value["err"]) == (0, "none")
    assert result.value["out"].startswith("line 0\nline 1\n")
    assert result.value["out"].endswith("line 999\n")
    assert "kept/c1: read it in pieces with read_file" in result.value["(cut)"]
    assert 1_800 < len(result.text) <= 2_000
    assert "\\\\n" not in result.to_json()  # no newline is escaped twice


async def test_an_arbitrary_object_is_an_error_and_its_address_is_not_told(runner: CallRunner) -> None:
    class Connection: ...

    @tool(effect="read")
    async def connect(where: str) -> Any:
        """Connect."""
        made = Connection()
        return {"plain": made, "inside": [{"rows": made}], "key": {made: 1}, "code": made.__init__}[where]

    engine = engine_of(runner, connect)
    for where in ("plain", "inside", "key", "code"):
        result = await engine.call(ToolCall("connect", {"where": where}))
        assert result.kind is Kind.EXECUTION_ERROR
        assert "which is no data; return text" in result.message
        assert "0x" not in result.message


async def test_a_result_that_does_not_fit_its_output_schema_is_an_error_that_names_the_field(
    runner: CallRunner,
) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "degrees": {"type": "array", "items": {"type": "number"}}},
        "required": ["city"],
        "additionalProperties": False,
    }

    @tool(effect="write", output=schema)
    async def weather(how: str) -> Any:
        """Tell the weather."""
        return {
            "right": {"city": "Oslo", "degrees": [1, 2.5]},
            "type": {"city": "Oslo", "degrees": [1, "warm"]},
            "missing": {},
            "more": {"city": "Oslo", "wind": 3},
            "text": "sunny",
        }[how]

    engine = engine_of(runner, weather)
    assert (await engine.call(ToolCall("weather", {"how": "right"}))).ok
    for how, said in {
        "type": "'degrees[1]' expected type 'number' but got the string \"warm\"",
        "missing": "'city' is required",
        "more": "'wind' is not in the schema",
        "text": "it expected type 'object'",
    }.items():
        result = await engine.call(ToolCall("weather", {"how": how}))
        assert (result.kind, result.effects) == (Kind.EXECUTION_ERROR, "possible")
        assert said in result.message


async def test_images_that_are_returned_are_pictures_for_the_model(runner: CallRunner) -> None:
    picture = Image(PNG, "image/png")

    @tool(effect="read")
    async def shoot(how: str) -> Any:
        """Take pictures."""
        return {
            "one": picture,
            "list": ["before", picture, "after", picture],
            "inside": {"pages": [{"scan": picture}]},
            "both": Output([picture], (picture,)),
        }[how]

    expected: dict[str, tuple[Any, int]] = {
        "one": ("(image 1)", 1),
        "list": (["before", "(image 1)", "after", "(image 2)"], 2),
        "inside": ({"pages": [{"scan": "(image 1)"}]}, 1),
        "both": (["(image 2)"], 2),
    }
    engine = engine_of(runner, shoot)
    for how, (value, count) in expected.items():
        result = await engine.call(ToolCall("shoot", {"how": how}))
        assert (result.value, result.images) == (value, (picture,) * count)


async def test_images_and_details_reach_the_result(runner: CallRunner) -> None:
    @tool(effect="read")
    async def shoot() -> Output:
        """Take a picture."""
        return Output("a picture", (Image(PNG, "image/png"),), {"width": 1}, "turned upright")

    @tool(effect="read")
    async def fake() -> Output:
        """Take a false picture."""
        return Output("no picture", (Image(b"<svg>", "image/png"),))

    engine = engine_of(runner, shoot, fake)
    result = await engine.call(ToolCall("shoot"))
    assert result.images[0].data == PNG
    assert result.details == {"width": 1}
    note = "turned upright"
    assert result.for_model() == {"status": "success", "result": "a picture", "note": note}
    assert (await engine.call(ToolCall("fake"))).kind is Kind.EXECUTION_ERROR


class Pages:
    """A journal that is only a list."""

    def __init__(self, broken: str = "") -> None:
        self.rows: list[list[Any]] = []
        self.broken = broken

    async def open(self, call: ToolCall, definition: ToolDefinition, session: Session, arguments: Any) -> int:
        if self.broken == "open":
            raise StoreError("disk full")
        self.rows.append([call.id, None])
        return len(self.rows) - 1

    async def close(self, key: int, result: ToolResult) -> None:
        if self.broken == "close":
            raise StoreError("disk full")
        assert self.rows[key][1] is None, "a second result"
        self.rows[key][1] = result

    async def record(self, call: ToolCall, session: Session, arguments: Any, result: ToolResult) -> None:
        self.rows.append([call.id, result])


@pytest.mark.covers("RFC004-ET-14")
async def test_every_call_is_written_with_its_result(runner: CallRunner) -> None:
    pages = Pages()
    calls = [ToolCall("add", {"a": 1, "b": 1}, "c1"), ToolCall("nope", {}, "c2"), ToolCall("fail", {}, "c3")]
    results = await engine_of(runner, add, fail, journal=pages).call_all(calls)
    assert sorted((row[0], row[1]) for row in pages.rows if row[1] is None) == []
    assert {row[0]: row[1] for row in pages.rows} == {result.call_id: result for result in results}


async def test_a_call_is_not_run_when_it_cannot_be_written(runner: CallRunner) -> None:
    ran: list[int] = []

    @tool(effect="write")
    async def effect() -> None:
        """Do it."""
        ran.append(1)

    result = await engine_of(runner, effect, journal=Pages("open")).call(ToolCall("effect"))
    assert result.kind is Kind.EXECUTION_ERROR
    assert "disk full" in result.message
    assert not ran


async def test_a_result_that_cannot_be_written_is_given_all_the_same(runner: CallRunner) -> None:
    result = await engine_of(runner, add, journal=Pages("close")).call(ToolCall("add", {"a": 1, "b": 2}))
    assert result.value == 3
    assert result.details == {"not_journaled": "disk full"}


@pytest.mark.covers("RFC004-EC-08")
async def test_a_cancelled_call_passes_it_on_and_leaves_its_result(runner: CallRunner) -> None:
    started = asyncio.Event()

    @tool(effect="write")
    async def wait() -> None:
        """Wait."""
        started.set()
        await asyncio.sleep(30)

    pages, events = Pages(), list[Event]()
    engine = engine_of(runner, wait, journal=pages)
    engine.subscribe(events.append)
    task = asyncio.create_task(engine.call(ToolCall("wait", {}, "c1")))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [row[0] for row in pages.rows] == ["c1"]
    assert pages.rows[0][1].kind is Kind.CANCELLED
    assert pages.rows[0][1].effects == "possible"
    assert [type(event) for event in events] == [ToolStarted, ToolFinished]


class Stars:
    """A redactor that knows one secret."""

    def redact(self, text: str) -> str:
        return text.replace("hunter22", "***")

    def redact_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {key: self.redact_value(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return value


@pytest.mark.covers("FEAT004-ST-02")
async def test_secrets_are_redacted_in_results_events_and_errors(runner: CallRunner) -> None:
    @tool(effect="read")
    async def echo(text: str) -> str:
        """Echo."""
        if text.startswith("fail"):
            raise ValueError(text)
        return text

    events: list[Event] = []
    engine = engine_of(runner, echo, redactor=Stars())
    engine.subscribe(events.append)
    assert (await engine.call(ToolCall("echo", {"text": "it is hunter22"}))).value == "it is ***"
    assert "hunter22" not in (await engine.call(ToolCall("echo", {"text": "fail hunter22"}))).message
    assert "hunter22" not in str(events)


@pytest.mark.covers("RFC004-SC-05")
async def test_a_tool_gets_the_secrets_it_declared_and_no_others(runner: CallRunner) -> None:
    @tool(effect="read", secrets=["WEATHER"])
    async def weather(context: Context) -> list[str]:
        """Look."""
        return sorted(context.secrets)

    def given(names: Any) -> dict[str, str]:
        return dict.fromkeys(names, "value")

    assert (await engine_of(runner, weather, secrets=given).call(ToolCall("weather"))).value == ["WEATHER"]


@pytest.mark.covers("RFC004-GO-01")
async def test_a_class_based_tool_that_does_not_await_is_held_to_its_limit(runner: CallRunner) -> None:
    let_go = threading.Event()

    class Sleeper:
        definition = ToolDefinition(name="sleeper", seconds=0.05)

        def execute(self, arguments: dict[str, Any], context: Context) -> str:
            let_go.wait(30)
            return "the loop stood still"

    result = await Engine(Registry([Sleeper()]), runner).call(ToolCall("sleeper"))
    let_go.set()
    assert result.kind is Kind.TIMEOUT


async def test_a_plain_schema_tool_and_a_class_based_tool_are_first_class(runner: CallRunner) -> None:
    plain = Tool(
        ToolDefinition(name="plain", parameters={"type": "object", "properties": {"n": {"type": "integer"}}}),
        lambda arguments: arguments["n"] + 1,  # pyright: ignore[reportArgumentType]
    )

    class Shouter:
        definition = ToolDefinition(name="shout", description="Shout.")

        async def execute(self, arguments: dict[str, Any], context: Context) -> str:
            return f"{context.call_id}!"

    registry = Registry([plain, Shouter()])
    engine = Engine(registry, runner)
    assert (await engine.call(ToolCall("plain", {"n": 1}))).value == 2
    assert (await engine.call(ToolCall("shout", {}, "c9"))).value == "c9!"
