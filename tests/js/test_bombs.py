"""Bombs: scripts that loop, grow, recurse, flood or lie. Each is contained, and the next call is clean."""

# ruff: noqa: E501 - a script stands on one line

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from oneclaw.core.call import Output, ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.run.runner import CallRunner

SECONDS = 0.5
LONG_SECONDS = 30
"""Enough for what ends by itself."""
AT_ONCE = 4

LOOPS = {
    "questions without end": "async function f() { for (;;) { try { fs.exists('a'); } catch { } } }",
    "endless loop": "const f = () => { let turns = 0; while (turns >= 0) turns++; }",
    "endless loop at load": "do { var spun = 1 } while (spun); function f() {}",
    "endless await": "async function f() { while (1) await undefined; }",
    "endless await of a settled chain": "async function f() { let p = Promise.resolve(0); while (1) await (p = p.then((n) => n + 1)); }",
    "jobs that make jobs": "function f() { const again = () => queueMicrotask(again); again(); return new Promise(() => {}); }",
    "catch and go on": "function f() { while (1) { try { while (1); } catch { } finally { continue } } }",
    "endless generator": "function f() { function* ones() { while (1) yield 1; } for (const one of ones()); }",
    "endless async iterator": "async function f() { const all = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 0 }) }) }; for await (const one of all); }",
    "timers that never stop": "async function f() { setInterval(() => {}, 1); await new Promise(() => {}); }",
    "a timer that runs for ever": "async function f() { await new Promise(() => setTimeout(() => { for (;;); }, 1)); }",
    "a regex that goes back for ever": "const f = () => /^(\\w+\\s?)*$/.test('word '.repeat(12) + '!');",
    "a nested regex": "const f = () => /(x+x+)+y/.exec('x'.repeat(64));",
    "a sort that never agrees with itself": "const f = () => Array.from({ length: 4000 }, (_, i) => i).sort(() => { for (let i = 0; i < 1e6; i++); return 1; });",
    "a getter that loops": "const f = () => ({ get deep() { for (;;); } });",
    "a toJSON that loops": "const f = () => ({ toJSON() { for (;;); } });",
    "thrown at load, its text loops": "throw { toString() { for (;;); } };",
    "a name that loops": "function f() { const e = new Error('x'); Object.defineProperty(Object.getPrototypeOf(e), 'name', { get() { for (;;); } }); for (;;); }",
    "a thenable that loops": "const f = () => ({ get then() { for (;;); } });",
    "a thenable that answers never": "const f = () => ({ then() { setInterval(() => {}, 5); } });",
    "a proxy that loops": "const f = () => new Proxy({}, { ownKeys() { for (;;); } });",
    "a log that never ends": "function f() { for (let i = 0; ; i++) console.log('line ' + i); }",
    "a log of long lines that never ends": "function f() { const long = 'é'.repeat(1e5); for (;;) console.error(long, [long]); }",
    "a global getter": "Object.defineProperty(globalThis, 'f', { get() { for (;;); }, configurable: true });",
    "a toString of Symbol.toPrimitive": "function f() { Object.prototype[Symbol.toPrimitive] = () => { for (;;); }; throw new Error('' + {}); }",
    "an error whose proto is a proxy": "function f() { const e = new Error('x'); delete e.message; Object.setPrototypeOf(e, new Proxy({}, { getOwnPropertyDescriptor() { for (;;); } })); throw e; }",
    "console of a proxy": "function f() { console.log(new Proxy({}, { ownKeys() { for (;;); } })); }",
}

FAILURES = {
    "Atomics.wait": (
        "const f = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9);",
        "cannot block",
    ),
    "a thrown object whose text loops": (
        "function f() { throw { toString() { for (;;); }, get message() { for (;;); } }; }",
        "toString",
    ),
    "arrays that grow": (
        "function f() { const all = []; for (;;) all.push(new Array(5e5).fill(7)); }",
        "MB of memory",
    ),
    "objects that grow": (
        "function f() { let tail = null; for (;;) tail = { tail, more: { tail } }; }",
        "MB of memory",
    ),
    "text that doubles": ("function f() { let s = 'ab'; for (;;) s = s + s; }", "too long"),
    "many long texts": (
        "function f() { const all = []; for (let i = 0; ; i++) all.push(('k' + i).repeat(3e5)); }",
        "MB of memory",
    ),
    "one huge text": ("const f = () => 'z'.repeat(2 ** 28).length;", "MB of memory"),
    "a huge buffer": ("const f = () => new Uint8Array(3e9).length;", ""),
    "many buffers": (
        "function f() { const all = []; for (;;) all.push(new ArrayBuffer(2e7)); }",
        "MB of memory",
    ),
    "a map that grows": (
        "function f() { const map = new Map(); for (let i = 0; ; i++) map.set(i, [i]); }",
        "MB of memory",
    ),
    "a big integer": ("function f() { let n = 3n; for (;;) n = n * n; }", ""),
    "a big shift": ("const f = () => String(1n << 2000000000n);", ""),
    "closures that grow": (
        "function f() { let g = () => 0; for (;;) { const h = g, keep = new Array(100).fill(h); g = () => [h, keep]; } }",
        "MB of memory",
    ),
    "promises that grow": (
        "async function f() { const all = []; for (;;) all.push(new Promise(() => {}).then(() => all)); }",
        "MB of memory",
    ),
    "memory at load": (
        "const all = []; for (;;) all.push('m'.repeat(1e6) + all.length); function f() {}",
        "MB of memory",
    ),
    "all memory caught and kept": (
        "const kept = []; function f() { for (let size = 1e6; size > 1; ) { try { kept.push(new Array(size | 0).fill(0)); } catch { size /= 2; } } throw new Error('full'); }",
        "",
    ),
    "recursion": ("function f(n = 0) { return 1 + f(n + 1); }", "stack"),
    "two that call each other": ("const g = () => f(); function f() { return [g()]; }", "stack"),
    "a getter that recurses": (
        "const f = () => { const o = { get deeper() { return this.deeper; } }; return o.deeper; };",
        "stack",
    ),
    "a proxy that recurses": (
        "const f = () => { const p = new Proxy({}, { get: (t, k, me) => me[k] }); return p.any; };",
        "stack",
    ),
    "deep JSON out": (
        "function f() { let o = {}; const top = o; for (let i = 0; i < 1e5; i++) o = o.o = {}; return top; }",
        "",
    ),
    "deep JSON in": ("const f = () => JSON.parse('['.repeat(4e5));", ""),
    "deep source": ("const f = () => eval('('.repeat(2e5) + ')'.repeat(2e5));", ""),
    "a deep regex": ("const f = () => new RegExp('(?:'.repeat(2e5) + ')'.repeat(2e5));", ""),
    "a generator that recurses": ("function* g() { yield* g(); } const f = () => [...g()];", ""),
    "a toString that recurses": (
        "const f = () => { const o = { toString() { return `${this}`; } }; return `${o}`; };",
        "stack",
    ),
    "too many timers": ("function f() { for (;;) setTimeout(() => {}, 1e9); }", "too many timers"),
    "a promise that never settles": ("const f = () => new Promise(() => {});", "never settles"),
    "an await that never ends": ("async function f() { await { then() {} }; }", "never settles"),
    "a long result": ("const f = () => 'r'.repeat(9 << 20);", "longer than"),
    "a result of long characters": ("const f = () => '\\u00e9'.repeat(5 << 20);", "longer than"),
    "an error with a long message": ("function f() { throw new Error('e'.repeat(5e6)); }", "eee"),
    "questions at once without end": (
        "async function f() { const all = []; for (;;) { all.push(fetch('http://a.invalid/')); await null; } }",
        "",
    ),
    "a thrown proxy": (
        "function f() { throw new Proxy(new Error('p'), { get() { throw 1; }, getPrototypeOf() { throw 2; } }); }",
        "",
    ),
    "a thrown nothing": ("function f() { throw undefined; }", "undefined"),
    "a rejected revoked proxy": (
        "function f() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return Promise.reject(proxy); }",
        "",
    ),
    "a revoked result": (
        "function f() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; }",
        "",
    ),
    "a microtask that throws": (
        "function f() { queueMicrotask(() => { throw new Error('later'); }); return new Promise(() => {}); }",
        "later",
    ),
    "a timer that throws": (
        "function f() { setTimeout(() => { throw new RangeError('late'); }); return new Promise(() => {}); }",
        "late",
    ),
}


class Slow:
    """A host that takes its time with everything."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        await asyncio.sleep(0.001)
        raise ToolError(f"{op} is not for you.")


class Heart:
    """Beats in the loop, and knows how late it ever was."""

    def __init__(self) -> None:
        self.worst = 0.0

    async def beat(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            self.worst = max(self.worst, time.monotonic() - before - 0.005)


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    runtime = Runtime(size=AT_ONCE)
    yield runtime
    await runtime.close()


async def run(runtime: Runtime, text: str, seconds: float) -> ToolResult:
    async def execute(arguments: dict[str, Any], context: Context) -> Output:
        ran = await runtime.call(JavaScriptSource.of("bomb.js", text), "f", arguments, Slow(), context)
        return Output(ran.text, details={"log": ran.log})

    definition = ToolDefinition(name="bomb", seconds=seconds, isolation="inline")
    runner = CallRunner()
    try:
        return await Engine(Registry([Tool(definition, execute)]), runner).call(ToolCall("bomb"))
    finally:
        await runner.close()


CANARY = (
    "function f() { return [typeof spun, 'toJSON' in {}, [1, 2].join(), new Error('w').message, `${{}}`]; }"
)
CLEAN = '["undefined",false,"1,2","w","[object Object]"]'


async def explode(runtime: Runtime, bombs: list[str], seconds: float) -> list[ToolResult]:
    """Run the bombs, some at once, each followed by a call that must be clean."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(text: str) -> ToolResult:
        async with turns:
            result = await run(runtime, text, seconds)
            after = await run(runtime, CANARY, seconds=20)
            assert after.value == CLEAN, (text, after)
            return result

    return await asyncio.gather(*map(one, bombs))


@pytest.mark.slow
async def test_what_loops_ends_as_a_timeout_and_the_next_call_is_clean(runtime: Runtime) -> None:
    heart = Heart()
    beating = asyncio.ensure_future(heart.beat())
    results = await explode(runtime, list(LOOPS.values()), SECONDS)
    beating.cancel()
    wrong = {
        name: result for name, result in zip(LOOPS, results, strict=True) if result.kind is not Kind.TIMEOUT
    }
    assert not wrong
    late = {
        name: result.seconds
        for name, result in zip(LOOPS, results, strict=True)
        if result.seconds > SECONDS + 5
    }
    assert not late
    assert heart.worst < 2.0  # under 50 ms where nothing else runs


@pytest.mark.slow
async def test_what_grows_or_breaks_fails_with_a_reason_and_the_next_call_is_clean(runtime: Runtime) -> None:
    results = await explode(runtime, [text for text, _ in FAILURES.values()], LONG_SECONDS)
    for (name, (_, words)), result in zip(FAILURES.items(), results, strict=True):
        assert result.kind is Kind.EXECUTION_ERROR, (name, result)
        assert words in result.message, (name, result.message)
        assert "/" not in result.message.replace("http://a.invalid/", ""), (name, result.message)


def test_there_are_at_least_forty_bombs() -> None:
    assert len(LOOPS) + len(FAILURES) >= 40
