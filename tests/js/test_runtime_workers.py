"""The workers of the runtime: how many there are, what they may use, and that nothing of them is left."""

# ruff: noqa: E501 - a script stands on one line

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.js.caller import CallJs, Echo, caller
from tests.processes import children, is_gone, wait_until_gone

from oneclaw.child.child import Child
from oneclaw.core.call import Output, ToolCall
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.run.runner import CallRunner

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
ONE = "function f() { return 1; }"
SPIN = "function f() { for (;;); }"
WAIT_SECONDS = 30.0


async def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it never came to be so"
        await asyncio.sleep(0.01)


class Told(Echo):
    """Knows when it was first asked something."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        self.asked.set()
        return True


async def spin(runtime: Runtime) -> tuple["asyncio.Task[Any]", list[int]]:
    """A call that never ends, and the processes it runs in, once it does."""
    told = Told()
    text = "function f() { console.log('in'); fs.exists('x'); for (;;); }"
    call = asyncio.ensure_future(caller(runtime)(text, answers=told))
    await asyncio.wait_for(told.asked.wait(), WAIT_SECONDS)
    return call, processes_of(runtime)


def processes_of(runtime: Runtime) -> list[int]:
    """The template, the holder and the caller of each worker, without their supervisor."""
    return [each for pid in runtime.pids for each in children(pid)]


async def test_nothing_starts_before_the_first_call_and_nothing_is_left_after_close() -> None:
    runtime = Runtime()
    assert runtime.pids == []
    await caller(runtime)(ONE)
    assert len(runtime.pids) == 1
    processes = processes_of(runtime)
    await runtime.close()
    assert runtime.pids == []
    assert all(map(is_gone, processes))
    with pytest.raises(ToolError, match="closing"):
        await caller(runtime)(ONE)


async def test_calls_beyond_the_bound_wait_and_all_are_answered(runtime: Runtime, call_js: CallJs) -> None:
    texts = [f"function f() {{ return {number}; }}" for number in range(30)]
    ran = await asyncio.gather(*map(call_js, texts))
    assert [int(each.text) for each in ran] == list(range(30))
    assert len(runtime.pids) == 2


async def test_waiting_for_a_worker_does_not_count_against_the_limit() -> None:
    runtime = Runtime(size=1)
    context = Context()
    first, _ = await spin(runtime)
    second = asyncio.ensure_future(caller(runtime)(ONE, context=context))
    await until(lambda: context.waited_seconds > 0.05)
    first.cancel()
    assert (await second).text == "1"
    waited = context.waited_seconds
    assert waited > 0.05
    await runtime.close()
    assert context.waited_seconds == waited  # the clock runs again


async def test_scripts_and_the_tools_they_call_do_not_wait_for_each_other() -> None:
    runtime = Runtime(size=1)

    class Inner:
        async def answer(self, op: str, arguments: list[Any]) -> Any:
            return (await caller(runtime)(ONE)).text

    ran = await caller(runtime)("const f = () => tools.inner();", tools=["inner"], answers=Inner())
    assert ran.text == "1"
    await runtime.close()


@LINUX
async def test_a_cancelled_call_is_killed_with_all_its_processes_before_it_returns(runtime: Runtime) -> None:
    call, processes = await spin(runtime)
    assert len(processes) == 3
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert all(map(is_gone, processes))
    assert (await caller(runtime)(ONE)).text == "1"


@LINUX
async def test_without_the_kill_the_worker_would_live_on(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, processes = await spin(runtime)
    with monkeypatch.context() as patch:

        async def stay(child: Child) -> None:
            pass

        patch.setattr(Child, "_end", lambda child: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        patch.setattr(Child, "gone", stay)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert not any(map(is_gone, processes))
    for pid in processes:
        os.kill(pid, signal.SIGKILL)
    await runtime.close()
    assert all(map(is_gone, processes))


@LINUX
@pytest.mark.parametrize("member", [0, 1, 2])
async def test_a_process_that_is_killed_from_outside_ends_the_call_with_a_reason(
    runtime: Runtime, member: int
) -> None:
    call, processes = await spin(runtime)
    os.kill(processes[member], signal.SIGKILL)
    with pytest.raises(ToolError, match=r"The process that ran tool\.js") as caught:
        await call
    assert caught.value.details == {"log": "in"}
    assert (await caller(runtime)(ONE)).text == "1"
    assert wait_until_gone(processes)


async def test_idle_workers_end_and_the_next_call_starts_another() -> None:
    runtime = Runtime(idle_seconds=0.05)
    await caller(runtime)(ONE)
    processes = processes_of(runtime)
    await until(lambda: runtime.pids == [])
    assert all(map(is_gone, processes))
    assert (await caller(runtime)(ONE)).text == "1"
    await runtime.close()


@LINUX
async def test_a_worker_has_no_environment_no_descriptors_of_ours_and_hard_limits(runtime: Runtime) -> None:
    own = os.open("/", os.O_RDONLY)
    os.set_inheritable(own, True)
    os.environ["ONECLAW_TEST_SECRET"] = "s3cret"
    try:
        call, processes = await spin(runtime)
        for pid in processes:
            assert Path(f"/proc/{pid}/environ").read_bytes() == b""
            targets = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
            kinds = sorted(target.partition(":")[0] for target in targets)
            assert kinds == ["/dev/null", "pipe", "pipe", "socket"], "no input, its output, and the line"
            assert Path(f"/proc/{pid}/cwd").resolve() == Path("/")
            assert "NoNewPrivs:\t1" in Path(f"/proc/{pid}/status").read_text()
        limits = {
            line[:26].strip(): line[26:].split()[:2]
            for line in Path(f"/proc/{processes[-1]}/limits").read_text().splitlines()
        }
        assert limits["Max file size"] == ["0", "0"]
        assert limits["Max core file size"] == ["0", "0"]
        assert limits["Max processes"] == ["0", "0"]
        assert int(limits["Max open files"][1]) <= 16
        assert int(limits["Max cpu time"][1]) == 70
        assert int(limits["Max address space"][1]) < 1 << 30
        call.cancel()
    finally:
        os.close(own)
        del os.environ["ONECLAW_TEST_SECRET"]


async def test_memory_above_the_limit_fails_and_a_higher_limit_lets_it_grow() -> None:
    text = "function f() { const all = []; for (let i = 0; i < 12; i++) all.push(new Uint8Array(1e7).fill(1)); return all.length; }"
    for memory_bytes, ends in ((64 << 20, None), (256 << 20, "12")):
        runtime = Runtime(size=1, memory_bytes=memory_bytes)
        try:
            if ends is None:
                with pytest.raises(ToolError, match="more than the 64 MB of memory"):
                    await caller(runtime)(text)
            else:
                assert (await caller(runtime)(text)).text == ends
        finally:
            await runtime.close()


async def test_a_stack_above_the_limit_fails_and_a_higher_limit_lets_it_grow() -> None:
    text = "const deep = (n) => (n ? 1 + deep(n - 1) : 0); function f() { return deep(3000); }"
    for stack_bytes, ends in ((256 << 10, None), (6 << 20, "3000")):
        runtime = Runtime(size=1, stack_bytes=stack_bytes)
        try:
            if ends is None:
                with pytest.raises(ToolError, match="stack"):
                    await caller(runtime)(text)
            else:
                assert (await caller(runtime)(text)).text == ends
        finally:
            await runtime.close()


async def test_a_call_out_of_time_ends_as_a_timeout_of_the_engine(runtime: Runtime) -> None:
    async def execute(arguments: dict[str, Any], context: Context) -> Output:
        return Output((await runtime.call(JavaScriptSource.of("t.js", SPIN), "f", {}, Echo(), context)).text)

    runner = CallRunner()
    engine = Engine(
        Registry([Tool(ToolDefinition(name="t", isolation="inline", seconds=0.2), execute)]), runner
    )
    result = await engine.call(ToolCall("t"))
    await runner.close()
    assert (result.kind, result.message) == (Kind.TIMEOUT, "Tool execution timed out after 0.2s")
    assert runtime.pids == []


async def test_a_worker_prefers_the_source_it_holds(runtime: Runtime, call_js: CallJs) -> None:
    first, second = "function f() { return 'a'; }", "function f() { return 'b'; }"
    for text, answer in ((first, "a"), (second, "b")):
        assert (await call_js(text)).text == answer
    pids = set(runtime.pids)
    for _ in range(5):
        assert ((await call_js(first)).text, (await call_js(second)).text) == ("a", "b")
    third = await call_js("function f() { return 'c'; }")
    assert third.text == "c"
    assert set(runtime.pids) == pids  # one of the two has dropped what it held
    assert len(pids) == 2


@LINUX
@pytest.mark.slow
async def test_a_thousand_calls_leave_no_process_no_descriptor_and_no_file(tmp_path: Path) -> None:
    here = Path(__file__).parents[2]
    gc.collect()
    descriptors, files = len(os.listdir("/proc/self/fd")), {path.name for path in here.iterdir()}
    runtime = Runtime(size=4)
    call_js = caller(runtime)
    texts = [
        "function f(p) { return p.n; }",
        "const now = Date.now(); function f(p) { return p.n; }",
        "async function f(p) { await new Promise((go) => setTimeout(go, 1)); return p.n; }",
        "async function f(p) { await tools.t(p.n); return p.n; }",
        "function f() { throw new Error('x'); }",
    ]
    turns = asyncio.Semaphore(16)

    async def one(number: int) -> bool:
        text = texts[number % len(texts)]
        async with turns:
            try:
                ran = await call_js(text, {"n": number}, tools=["t"] if "tools" in text else ())
            except ToolError:
                return "throw" in text
            return ran.text == str(number)

    assert all(await asyncio.gather(*map(one, range(1000))))
    processes = processes_of(runtime)
    await runtime.close()
    assert all(map(is_gone, processes))
    here_now = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(os.getpid())]
    assert not [line for line in here_now if b"child.supervisor" in line]
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert {path.name for path in here.iterdir()} == files
