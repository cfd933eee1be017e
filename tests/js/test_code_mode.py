"""Scripts of a model: what they can call, and that each call walks the whole road."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.event import Event, ToolFinished
from oneclaw.core.permit.need import State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy, Rules
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.js import code_mode
from oneclaw.js.bridges import Bridges
from oneclaw.js.code_mode import (
    CODE_CHARS,
    MOST_AT_ONCE,
    MOST_CALLS,
    RunningScript,
    code_tools,
    describe,
    show,
    unfenced,
)
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.run.runner import CallRunner
from oneclaw.store.store import Store

PATIENCE_SECONDS = 30


@dataclass
class Bench:
    """An engine with the two tools and a few others, and what happened in it."""

    engine: Engine
    session: Session
    store: Store
    budget: list[int]
    events: list[Event] = field(default_factory=list[Event])

    async def run(self, code: str, **more: Any) -> ToolResult:
        return await self.engine.call(
            ToolCall("run_javascript", {"code": code}, "outer"), more.get("session", self.session)
        )

    async def rows(self, parent: str = "outer") -> list[tuple[str, str, str]]:
        found = reversed(await self.store.calls.history(limit=1000))
        return [(each.tool, each.status, each.kind) for each in found if each.parent == parent]


class Meeting:
    """Calls that wait for each other: none goes on before `needed` are there."""

    def __init__(self) -> None:
        self.needed = 1
        self.here = 0
        self.most = 0
        self.gate = asyncio.Event()

    async def join(self) -> None:
        self.here += 1
        self.most = max(self.most, self.here)
        if self.here >= self.needed:
            self.gate.set()
        await asyncio.wait_for(self.gate.wait(), PATIENCE_SECONDS)
        self.here -= 1


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_so():
            await asyncio.sleep(0)


@pytest.fixture
def meeting() -> Meeting:
    return Meeting()


def tools_of(meeting: Meeting) -> list[Tool]:
    @tool(effect="read")
    async def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @tool(effect="read")
    async def rows(count: int) -> list[dict[str, int]]:
        """Many rows."""
        return [{"number": number} for number in range(count)]

    @tool(effect="read")
    async def say(text: str) -> str:
        """Give the text back."""
        return text

    @tool(effect="write")
    async def change(text: str = "") -> str:
        """Change something."""
        return f"changed {text}"

    @tool(effect="read")
    async def miss(path: str) -> str:
        """Find nothing."""
        raise ToolError(f"There is no file {path}.", Kind.FILE_NOT_FOUND)

    @tool(effect="read", seconds=PATIENCE_SECONDS)
    async def meet() -> str:
        """Wait for the others."""
        await meeting.join()
        return "met"

    @tool(effect="write", needs=["mail"])
    async def send() -> str:
        """Send something."""
        return "sent"

    @tool(effect="read", group="agents")
    async def ask_helper(text: str) -> str:
        """Ask another agent."""
        return text

    return [add, rows, say, change, miss, meet, send, ask_helper]


@pytest.fixture
async def bench(tmp_path: Path, meeting: Meeting) -> AsyncIterator[Bench]:
    runner, runtime = CallRunner(), Runtime()
    store = Store(tmp_path / "data" / "oneclaw.db")
    session = Session("s1", "tester", Workspace(tmp_path))
    budget = [1_000_000]

    def spend(session: Session) -> str:
        budget[0] -= 1
        return "" if budget[0] >= 0 else "The limit is reached."

    registry = Registry(tools_of(meeting))
    engine = Engine(
        registry,
        runner,
        journal=store.calls,
        session=session,
        policy=Policy(switches={"run_javascript": True}),
        permissions=Permissions(states={"code": State.GRANTED}),
    )
    for made in code_tools(runtime, lambda: engine, spend):
        registry.register(made)
    made = Bench(engine, session, store, budget)
    engine.subscribe(made.events.append)
    yield made
    await runtime.close()
    await runner.close()
    store.close()


# ---------------------------------------------------------------------- what a script gives


async def test_a_script_loops_over_calls_and_filters_what_they_give(bench: Bench) -> None:
    result = await bench.run(
        """
        const all = await tools.rows({count: 5000});
        let sum = 0;
        for (const row of all.filter((row) => row.number % 1000 === 0)) {
          sum = await tools.add({a: sum, b: row.number});
        }
        return {sum, text: await tools.say({text: 'é "quoted" \\n line'})};
        """
    )
    assert result.ok, result.message
    assert json.loads(result.value) == {"sum": 10_000, "text": 'é "quoted" \n line'}
    assert result.details == {"calls": 7}
    assert await bench.rows() == [
        ("rows", "success", ""),
        *[("add", "success", "")] * 5,
        ("say", "success", ""),
    ]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("return 'text'", "text"),
        ("return [1, null]", "[1,null]"),
        (
            "console.log('one'); console.warn({a: 1}); return 2",
            'Printed:\none\nwarn: {"a":1}\n\nReturned:\n2',
        ),
        ("console.log('one')", "Printed:\none\n\nReturned:\n(nothing)"),
        ("const x = 1", "(The script printed and returned nothing: use `return` or console.log.)"),
        ("```js\nreturn 'in a fence'\n```", "in a fence"),
        ("return 1 // and a remark", "1"),
    ],
)
async def test_what_is_printed_and_returned_comes_back(bench: Bench, code: str, said: str) -> None:
    result = await bench.run(code)
    assert result.ok, result.message
    assert result.value == said


async def test_a_long_result_is_trimmed_and_keeps_its_two_ends(bench: Bench) -> None:
    result = await bench.run("console.log('begin'); return 'x'.repeat(100000) + 'end'")
    assert result.truncated_from is not None
    assert len(result.value) <= 20_000
    assert result.value.startswith("Printed:\nbegin")
    assert result.value.endswith("end")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("throw new Error('oh')", "Error: oh (script.js:1:"),
        ("\n\nnull.x", "(script.js:3:"),
        ("const a = ;", "SyntaxError"),
        ("await tools.miss({path: 'a.txt'})", "Error: There is no file a.txt. (script.js:1:12)"),
        ("await tools.ad({a: 1})", "There is no tool 'ad' for a script; the nearest are: add."),
        ("await tools['sya']({a: 1})", "There is no tool 'sya' for a script; the nearest are: say."),
        ("console.log('so far'); null.x", "Printed before:\nso far"),
    ],
)
async def test_a_failed_script_says_what_and_where(bench: Bench, code: str, said: str) -> None:
    result = await bench.run(code)
    assert (result.kind, result.effects) == (Kind.EXECUTION_ERROR, "none")
    assert said in result.message


async def test_a_failed_script_says_what_its_calls_may_have_changed(bench: Bench) -> None:
    result = await bench.run("await tools.change(); null.x")
    assert (result.kind, result.effects) == (Kind.EXECUTION_ERROR, "done")


async def test_a_failed_call_throws_an_error_that_can_be_caught(bench: Bench) -> None:
    result = await bench.run(
        """
        const seen = [];
        for (const make of [() => tools.miss({path: 'a'}), () => tools.add({a: 1}), () => tools.send(),
                            () => tools.add('1')]) {
          try { await make(); } catch (error) { seen.push([error instanceof Error, error.kind]); }
        }
        return seen;
        """
    )
    assert json.loads(result.value) == [
        [True, "file_not_found"],
        [True, "validation_error"],
        [True, "permission_denied"],
        [True, "validation_error"],
    ]
    assert await bench.rows() == [
        ("miss", "error", "file_not_found"),
        ("add", "error", "validation_error"),
        ("send", "error", "permission_denied"),
    ]


# ---------------------------------------------------------------------- the same road


async def test_a_script_has_the_tools_its_agent_has_and_no_others(bench: Bench) -> None:
    names = "return Object.keys(tools).sort()"
    every = ["add", "change", "meet", "miss", "rows", "say", "send"]
    assert json.loads((await bench.run(names)).value) == every
    bench.engine.policy = replace(bench.engine.policy, agents={"tester": Rules(deny=("change", "s*"))})
    assert json.loads((await bench.run(names)).value) == ["add", "meet", "miss", "rows"]
    only = replace(bench.session, only=("add", "run_javascript"))
    assert json.loads((await bench.run(names, session=only)).value) == ["add"]
    asker = Session("s0", "asker", bench.session.workspace)
    bench.engine.policy = replace(bench.engine.policy, agents={"asker": Rules(deny=("rows",))})
    asked = replace(bench.session, parent=asker)
    assert "rows" not in json.loads((await bench.run(names, session=asked)).value)


@pytest.mark.parametrize("name", ["run_javascript", "describe_tools", "ask_helper", "nothing", "", 7, None])
async def test_a_worker_that_asks_for_another_tool_is_refused(bench: Bench, name: Any) -> None:
    script = RunningScript("", Context("outer", bench.session), bench.engine, lambda session: "")
    with pytest.raises(ToolError, match="There is no tool"):
        await script.answer("tool", [name, {}])
    assert await bench.rows() == []


@pytest.mark.parametrize("op", ["fs.read", "fetch", "fs.write", "shell"])
async def test_a_script_has_no_files_and_no_network_of_its_own(bench: Bench, op: str) -> None:
    script = RunningScript("", Context("outer", bench.session), bench.engine, lambda session: "")
    with pytest.raises(ToolError, match="call a tool"):
        await script.answer(op, ["x", "y"])


async def test_a_tool_denied_while_the_script_runs_is_refused_by_the_engine(bench: Bench) -> None:
    script = RunningScript("", Context("outer", bench.session), bench.engine, lambda session: "")
    assert await script.answer("tool", ["say", {"text": "x"}]) == "x"
    bench.engine.policy = replace(bench.engine.policy, everyone=Rules(deny=("say",)))
    with pytest.raises(ToolError) as refused:
        await script.answer("tool", ["say", {"text": "x"}])
    assert refused.value.kind is Kind.TOOL_NOT_AVAILABLE


async def test_events_name_the_script_that_made_a_call(bench: Bench) -> None:
    await bench.run("await tools.add({a: 1, b: 2})")
    told = [(each.tool, each.parent) for each in bench.events if isinstance(each, ToolFinished)]
    assert told == [("add", "outer"), ("run_javascript", "")]


@pytest.mark.parametrize(
    "text",
    [
        "'); await tools.change({text: 'x'}); ('",
        "${await tools.change()}",
        "*/ tools.change() /*",
        '{"__proto__": {"then": 1}, "op": "tool"}',
        "\u2028tools.change()\u2029",
        "</script><script>tools.change()</script>",
    ],
)
async def test_code_in_a_result_is_only_text(bench: Bench, text: str) -> None:
    code = f"const got = await tools.say({json.dumps({'text': text})}); return got"
    assert (await bench.run(code)).value == text
    assert await bench.rows() == [("say", "success", "")]


# ---------------------------------------------------------------------- limits


async def test_calls_run_side_by_side_as_many_as_may(bench: Bench, meeting: Meeting) -> None:
    meeting.needed = MOST_AT_ONCE  # they only ever end when so many are there at once
    result = await bench.run(
        f"return (await Promise.all(Array.from({{length: {3 * MOST_AT_ONCE}}}, () => tools.meet()))).length"
    )
    assert result.value == str(3 * MOST_AT_ONCE)
    assert meeting.most == MOST_AT_ONCE


async def test_without_that_bound_more_would_run_at_once(
    bench: Bench, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_mode, "MOST_AT_ONCE", 1000)
    meeting.needed = MOST_AT_ONCE + 1
    code = f"await Promise.all(Array.from({{length: {meeting.needed}}}, () => tools.meet()))"
    assert (await bench.run(code)).ok
    assert meeting.most == MOST_AT_ONCE + 1


async def test_a_script_makes_so_many_calls_and_no_more(bench: Bench) -> None:
    result = await bench.run(
        """
        let count = 0;
        try { while (true) { await tools.add({a: 1, b: 1}); count++; } }
        catch (error) { return count + ' ' + error.message; }
        """
    )
    assert result.value.startswith(f"{MOST_CALLS} A script may make {MOST_CALLS} calls and no more")
    assert len(await bench.rows()) == MOST_CALLS


async def test_without_that_limit_it_would_make_more(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_mode, "MOST_CALLS", 1000)
    count = MOST_CALLS + 1
    result = await bench.run(f"for (let at = 0; at < {count}; at++) await tools.add({{a: 1, b: 1}})")
    assert result.ok, result.message
    assert len(await bench.rows()) == count


async def test_calls_count_against_the_limit_of_the_run(bench: Bench) -> None:
    bench.budget[0] = 3
    result = await bench.run("while (true) await tools.add({a: 1, b: 1})")
    assert "The limit is reached." in result.message
    assert len(await bench.rows()) == 3


async def test_the_clock_of_a_script_stands_still_while_its_calls_run(bench: Bench, meeting: Meeting) -> None:
    meeting.needed = 1000
    context = Context("outer", bench.session)
    script = RunningScript("", context, bench.engine, lambda session: "")
    assert context.waited_seconds == 0
    running = asyncio.ensure_future(script.answer("tool", ["meet", {}]))
    await until(lambda: meeting.here == 1)
    so_far = context.waited_seconds
    await until(lambda: context.waited_seconds > so_far)
    meeting.gate.set()
    assert await running == "met"
    assert context.waited_seconds == context.waited_seconds > so_far


async def test_without_the_pause_it_would_go_on(
    bench: Bench, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Context, "paused", lambda self: nullcontext())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    context = Context("outer", bench.session)
    await RunningScript("", context, bench.engine, lambda session: "").answer("tool", ["meet", {}])
    assert context.waited_seconds == 0


async def test_a_script_that_waits_by_itself_is_out_of_time(bench: Bench) -> None:
    entry = bench.engine.registry.find("run_javascript")
    assert entry is not None
    hurried = replace(entry.tool, definition=replace(entry.tool.definition, seconds=0.5))
    bench.engine.registry.remove("run_javascript")
    bench.engine.registry.register(hurried)
    late = await bench.run("await new Promise((resolve) => setTimeout(resolve, 60000))")
    assert late.kind is Kind.TIMEOUT


# ---------------------------------------------------------------------- the end


async def test_cancelling_a_script_cancels_its_calls_and_each_has_one_result(
    bench: Bench, meeting: Meeting
) -> None:
    meeting.needed = 1000
    running = asyncio.ensure_future(bench.run("await Promise.all([1, 2, 3].map(() => tools.meet()))"))
    await until(lambda: meeting.here == 3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await bench.rows() == [("meet", "error", "cancelled")] * 3
    assert await bench.rows(parent="") == [("run_javascript", "error", "cancelled")]
    assert not await bench.store.calls.history(status="open")


async def test_calls_the_script_did_not_wait_for_are_cancelled_with_it(
    bench: Bench, meeting: Meeting
) -> None:
    meeting.needed = 1000
    result = await bench.run("tools.meet(); tools.meet(); await tools.add({a: 1, b: 1}); return 'left'")
    assert result.value == "left"
    assert sorted(await bench.rows()) == [("add", "success", ""), *[("meet", "error", "cancelled")] * 2]


async def test_a_script_that_fails_beside_its_calls_leaves_none_open(bench: Bench, meeting: Meeting) -> None:
    meeting.needed = 1000
    result = await bench.run("tools.meet(); await tools.add({a: 1, b: 1}); throw new Error('enough')")
    assert "Error: enough" in result.message
    assert not await bench.store.calls.history(status="open")


async def test_without_the_stop_such_calls_would_stay_open(
    bench: Bench, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(self: RunningScript) -> None:
        pass

    async def shielded(self: RunningScript, call: ToolCall) -> ToolResult:
        return await asyncio.shield(self._engine.call(call, self._context.session))  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(RunningScript, "_stop_calls", leave)
    monkeypatch.setattr(RunningScript, "_call", shielded)
    meeting.needed = 1000
    await bench.run("tools.meet(); await tools.add({a: 1, b: 1}); return 'left'")
    assert [each.tool for each in await bench.store.calls.history(status="open")] == ["meet"]
    meeting.gate.set()
    while await bench.store.calls.history(status="open"):
        await asyncio.sleep(0.01)


# ---------------------------------------------------------------------- on and off, and what is told


async def test_the_two_tools_are_off_until_the_one_is_switched_on(bench: Bench) -> None:
    names = {"run_javascript", "describe_tools"}
    assert names <= {each.name for each in bench.engine.available(bench.session)}
    bench.engine.policy = Policy()
    assert not names & {each.name for each in bench.engine.available(bench.session)}
    bench.engine.policy = Policy(switches={"run_javascript": False})
    assert not names & {each.name for each in bench.engine.available(bench.session)}


async def test_a_script_needs_the_permission_code(bench: Bench) -> None:
    bench.engine.permissions = Permissions()
    result = await bench.run("return await tools.add({a: 1, b: 1})")
    assert result.kind is Kind.PERMISSION_DENIED
    assert "code" in result.message
    assert await bench.rows() == []


async def test_tools_are_described_on_demand(bench: Bench) -> None:
    async def ask(**arguments: Any) -> ToolResult:
        return await bench.engine.call(ToolCall("describe_tools", arguments), bench.session)

    every = (await ask()).value
    assert "tools.add({a: integer, b: integer})  // Add two numbers." in every
    assert "run_javascript" not in every
    assert "ask_helper" not in every
    some = (await ask(names=["add", "sya", "add"])).value
    assert some.count("add(args: {") == 1
    assert "// There is no tool 'sya' for a script; the nearest are: say." in some
    assert "rows(" not in some
    assert (await ask(names=["nothing_like_it"])).kind is Kind.VALIDATION_ERROR
    bench.engine.policy = replace(bench.engine.policy, everyone=Rules(deny=("add",)))
    assert "tools.add" not in (await ask()).value


async def test_a_script_that_is_too_long_is_refused_with_its_length(bench: Bench) -> None:
    result = await bench.run(" " * (CODE_CHARS + 1))
    assert result.kind is Kind.VALIDATION_ERROR
    assert "100,001 characters" in result.message


@pytest.mark.parametrize(
    ("code", "bare"),
    [
        ("return 1", "return 1"),
        ("```javascript\nreturn 1\n```", "return 1"),
        ("\n```\nreturn `a`\n\nx\n```  \n", "return `a`\n\nx"),
        ("return '```js\\n```'", "return '```js\\n```'"),
        ("```js\nunfinished", "```js\nunfinished"),
    ],
)
def test_a_fence_of_markdown_is_taken_off(code: str, bare: str) -> None:
    assert unfenced(code) == bare


def test_what_was_printed_stands_before_what_was_returned() -> None:
    assert show("a\nb", "c") == "Printed:\na\nb\n\nReturned:\nc"


def test_nothing_is_described_where_there_is_nothing() -> None:
    with pytest.raises(ToolError, match="describe_tools lists all"):
        describe({}, ["x"])
    assert describe({"a": ToolDefinition(name="a")}, None).endswith("tools.a()")


# ---------------------------------------------------------------------- JavaScript that calls JavaScript


def shout_with(runtime: Runtime) -> Tool:
    """A tool that is JavaScript itself, and needs a worker of its runtime."""
    source = JavaScriptSource.of("shout.js", "function execute({text}) { return text.toUpperCase() }")

    @tool(effect="read")
    async def shout(context: Context, text: str) -> str:
        """Say it loud."""
        bridges = Bridges(ToolDefinition(name="shout"), context)
        return (await runtime.call(source, "execute", {"text": text}, bridges, context)).text

    return shout


@pytest.mark.parametrize("are_apart", [True, False])
async def test_scripts_wait_for_javascript_tools_only_with_workers_of_their_own(are_apart: bool) -> None:
    runner, runtime = CallRunner(), Runtime(size=1)
    if not are_apart:
        runtime._script_workers = runtime._workers  # pyright: ignore[reportPrivateUsage]
    registry = Registry([shout_with(runtime)])
    permissions = Permissions(states={"code": State.GRANTED})
    policy = Policy(switches={"run_javascript": True})
    engine = Engine(registry, runner, policy=policy, permissions=permissions)
    for made in code_tools(runtime, lambda: engine):
        registry.register(made)
    call = ToolCall("run_javascript", {"code": "return await tools.shout({text: 'a'})"})
    running = [asyncio.ensure_future(engine.call(call)) for _ in range(3)]
    try:
        done, waiting = await asyncio.wait(running, timeout=PATIENCE_SECONDS if are_apart else 1)
        assert (len(done), len(waiting)) == ((3, 0) if are_apart else (0, 3))
        assert {task.result().value for task in done} <= {"A"}
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        await runtime.close()
        await runner.close()
