"""Calls of JavaScript functions: what goes in, what comes out, and what is said when one fails."""

# ruff: noqa: E501 - a script stands on one line

import asyncio
import json
import re
from typing import Any

import pytest
from tests.js.caller import CallJs, Echo

from oneclaw.core.call import Output, ToolCall
from oneclaw.core.engine import Engine
from oneclaw.core.errors import ForeignError, Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.js.fields import RESERVED
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.run.runner import CallRunner


async def test_a_call_through_the_engine_gives_what_the_function_returns(runtime: Runtime) -> None:
    source = JavaScriptSource.of(
        "sum.js", "function execute({ a, b }) { console.log('adding'); return { sum: a + b }; }"
    )

    async def execute(arguments: dict[str, Any], context: Context) -> Output:
        ran = await runtime.call(source, "execute", arguments, Echo(), context)
        return Output(ran.text, details={"log": ran.log})

    parameters = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    definition = ToolDefinition(name="sum", parameters=parameters, isolation="inline")
    runner = CallRunner()
    engine = Engine(Registry([Tool(definition, execute)]), runner)
    result = await engine.call(ToolCall("sum", {"a": 40, "b": 2}))
    await runner.close()
    assert (result.value, result.details) == ('{"sum":42}', {"log": "adding"})


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'as it is \"\\n'", 'as it is "\n'),
        ("''", ""),
        ("null", ""),
        ("undefined", ""),
        ("({ toJSON() {} })", ""),
        ("0", "0"),
        ("false", "false"),
        ("NaN", "null"),
        ("[1, [2, undefined]]", "[1,[2,null]]"),
        ("({ b: 1, a: { c: 'ü' } })", '{"b":1,"a":{"c":"ü"}}'),
        ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("new String('boxed')", '"boxed"'),
        ("Promise.resolve('later')", "later"),
        ("({ then(resolve) { resolve(['thenable']); } })", '["thenable"]'),
        ("'\\u0000|\\ud83d\\ude00|\\ud800|'", "\0|😀|\ufffd|"),
        ("'x'.repeat(1e5) + 'y'", "x" * 100_000 + "y"),
        ("2 ** 40", "1099511627776"),
    ],
)
async def test_a_result_is_text_nothing_or_json(call_js: CallJs, expression: str, text: str) -> None:
    assert (await call_js(f"const f = () => ({expression});")).text == text


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("1n", "the result is a BigInt, which JSON does not have"),
        ("[{ deep: 1n }]", "the result holds a BigInt"),
        ("Symbol('s')", "the result is a Symbol"),
        ("() => 1", "the result is a function"),
        ("(() => { const o = { list: [] }; o.list.push(o); return o; })()", "the result refers to itself"),
        ("({ get a() { throw new RangeError('no a'); } })", "RangeError: no a (tool.js:1:"),
    ],
)
async def test_what_json_does_not_have_is_named(call_js: CallJs, expression: str, words: str) -> None:
    with pytest.raises(ToolError) as caught:
        await call_js(f"const f = () => ({expression});")
    assert words in caught.value.message
    assert caught.value.kind is Kind.EXECUTION_ERROR


async def test_arguments_arrive_as_they_are(call_js: CallJs) -> None:
    given: dict[str, Any] = {
        "text": 'a"\\\0\u2028😀\ud800',
        "numbers": [1, -1.5, 2**40, 1e300],
        "none": None,
        "_env": {"KEY": "k"},
    }
    given |= {"__proto__": {"polluted": True}, "deep": {"a": [{}]}}
    ran = await call_js(
        "const f = (p) => JSON.stringify([p, p.polluted === undefined, ({}).polluted]);", given
    )
    assert json.loads(ran.text) == [given, True, None]


async def test_arguments_that_are_not_json_are_refused_before_anything_starts(
    call_js: CallJs, runtime: Runtime
) -> None:
    for odd in ({"n": float("nan")}, {"o": object()}):
        with pytest.raises(ToolError) as caught:
            await call_js("function f() {}", odd)
        assert caught.value.kind is Kind.VALIDATION_ERROR
    assert runtime.pids == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("function f() {\n  return missing.x;\n}", "ReferenceError: missing is not defined (tool.js:2:10)"),
        ("function f() {\n  null.x;\n}", "TypeError: cannot read property 'x' of null (tool.js:2:3)"),
        (
            "async function f() {\n  await 1;\n\n  throw new RangeError('far');\n}",
            "RangeError: far (tool.js:4:13)",
        ),
        ("function f() {\n  return {;\n}", "SyntaxError: invalid property name (tool.js:2:11)"),
        ("\n\nlet a; let a;", "SyntaxError: invalid redefinition of lexical identifier (tool.js:3:13)"),
        ("function f() {\n  eval('\\n\\n nope.x');\n}", "ReferenceError: nope is not defined (tool.js:2:3)"),
        ("class V extends Error {}\nfunction f() { throw new V('v'); }", "Error: v (tool.js:2:26)"),
        ("function f() { throw new DOMException('d', 'AbortError'); }", "AbortError: d (tool.js:1:26)"),
        ("var x = 1;\n  throw new Error('at load');", "Error: at load (tool.js:2:13)"),
        (
            "class Odd extends Error { get name() { return 'Odd'; } }\nfunction f() { throw new Odd('o'); }",
            "Error: o",
        ),
        ("function f() { throw 'just text'; }", "thrown: just text"),
        ("function f() { throw { code: 5 }; }", 'thrown: {"code":5}'),
        ("const f = () => Promise.reject(null);", "thrown: null"),
        (
            "async function f() {\n  await tools.refuse({});\n}",
            "Error: The host said no. (tool.js:2:",
        ),
        ("function f() {\n  [1].map(() => undefined.y);\n}", "(tool.js:2:17)"),
        ("function f() {\n  JSON.parse('{');\n}", "(tool.js:2:8)"),
        ("function f() {\n\n  new URL('::');\n}", "(tool.js:3:"),
    ],
)
async def test_an_error_names_the_file_the_line_and_the_column(
    call_js: CallJs, text: str, message: str
) -> None:
    for _ in range(2):  # loaded for the call, and held from the call before
        with pytest.raises(ToolError) as caught:
            await call_js(text, tools=["refuse"] if "tools." in text else ())
        assert message in caught.value.message
        assert "<input>" not in caught.value.message
        assert "/" not in caught.value.message


async def test_a_long_message_says_where_first_and_is_cut_by_the_engine(call_js: CallJs) -> None:
    with pytest.raises(ForeignError) as caught:
        await call_js("function f() { throw new Error('m'.repeat(10000)); }")
    assert caught.value.message.startswith("tool.js:1:35: Error: mmm")
    assert len(caught.value.message) < 5000


async def test_a_result_is_as_long_as_its_own_text_and_not_as_it_is_spelled(call_js: CallJs) -> None:
    ran = await call_js("const f = () => '\\u0001'.repeat(2 << 20);")
    assert ran.text == "\x01" * (2 << 20)


async def test_a_call_that_is_out_of_time_keeps_its_log(runtime: Runtime) -> None:
    source = JavaScriptSource.of("slow.js", "function execute() { console.log('so far'); for (;;); }")

    async def slow(arguments: dict[str, Any], context: Context) -> Output:
        ran = await runtime.call(source, "execute", arguments, Echo(), context)
        return Output(ran.text)

    quick = JavaScriptSource.of("quick.js", "function execute() { return 1; }")
    await runtime.call(quick, "execute", {}, Echo(), Context())  # a busy machine takes its time to start one
    registry = Registry()
    registry.register(Tool(ToolDefinition(name="slow", isolation="inline", seconds=2), slow))
    runner = CallRunner()
    result = await Engine(registry, runner).call(ToolCall("slow", {}))
    await runner.close()
    assert (result.kind, result.details) == (Kind.TIMEOUT, {"log": "so far"})


async def test_a_failed_call_keeps_its_log(call_js: CallJs) -> None:
    with pytest.raises(ToolError) as caught:
        await call_js("function f() { console.log('so far'); throw new Error('x'); }")
    assert caught.value.details == {"log": "so far"}


async def test_the_console_shows_values_on_lines_with_their_level(call_js: CallJs) -> None:
    ran = await call_js(
        """function f() {
          console.log('text', 1, null, undefined, true, 5n, Symbol('s'), () => 1, function named() {});
          console.info({ a: [1, { b: 'x' }], get g() { return 1; } });
          console.warn(new TypeError('odd'));
          const loop = {}; loop.self = loop; console.error(loop);
          console.debug([[[[[[[1]]]]]]]);
          console.assert(1 === 1, 'not said'); console.assert(false, 'said');
          console.log(); console.dir(Object.create(null));
          console.log(new Proxy({}, { ownKeys() { throw 1; } }));
          console.count(); console.count(); console.count('x'); console.table([1]); console.group('g'); console.groupEnd();
        }"""
    )
    assert ran.log.split("\n") == [
        "text 1 null undefined true 5n Symbol(s) [function without a name] [function named]",
        'info: {"a":[1,{"b":"x"}],"g":[getter]}',
        "warn: TypeError: odd",
        'error: {"self":[circular]}',
        "debug: [[[[[[…]]]]]]",
        "error: said",
        "",
        "{}",
        "[cannot be shown]",
        *("default : 1", "default : 2", "x : 1", "[1]", "g"),
    ]


async def test_the_console_shows_what_is_inside_and_not_too_much(call_js: CallJs) -> None:
    ran = await call_js(
        """function f() {
          console.log(new Date(0), new Date(NaN), /a[b]/g, new Map([['k', { v: 1 }]]), new Set([1, 'two']), new Uint8Array(2));
          console.log({ [Symbol.toStringTag]: 'Map' });
          let deep = 1; for (let i = 0; i < 4; i++) deep = Array(300).fill(deep);
          console.log(deep);
        }"""
    )
    first, second, third = ran.log.split("\n")
    assert first == '1970-01-01T00:00:00.000Z {} /a[b]/g [map][["k",{"v":1}]] [set][1,"two"] {"0":0,"1":0}'
    assert second == '{[Symbol(Symbol.toStringTag)]:"Map"}'
    assert len(third) < 8_100


async def test_the_console_tells_how_long_something_took(call_js: CallJs) -> None:
    ran = await call_js(
        "function f() { console.time('t'); console.timeEnd('t'); console.timeEnd('never begun'); }"
    )
    assert re.fullmatch(r"t : \d+ ms", ran.log)


async def test_what_the_host_still_does_is_stopped_when_the_call_has_ended(call_js: CallJs) -> None:
    class Slow:
        def __init__(self) -> None:
            self.begun = asyncio.Barrier(3)
            self.ended: set[str] = set()

        async def answer(self, op: str, arguments: list[Any]) -> Any:
            await self.begun.wait()
            if op == "tool":
                try:
                    await asyncio.Event().wait()
                finally:
                    self.ended.add(arguments[0])

    slow = Slow()
    text = "async function f() { tools.one(); tools.two(); fs.exists('x'); return 1; }"
    assert (await call_js(text, tools=["one", "two"], answers=slow)).text == "1"
    assert slow.ended == {"one", "two"}


async def test_a_flood_of_log_is_bounded_and_counted(call_js: CallJs) -> None:
    ran = await call_js(
        "function f() { for (let i = 0; i < 5000; i++) console.log('line', i); return 'done'; }"
    )
    lines = ran.log.split("\n")
    assert ran.text == "done"
    assert lines[:2] == ["line 0", "line 1"]
    assert lines[-1] == "… and 3,000 more"
    long = await call_js("function f() { for (let i = 0; i < 100; i++) console.log('é'.repeat(5000)); }")
    assert len(long.log) <= 64 * 1024 + 100
    assert long.log.endswith(" more")


@pytest.mark.parametrize(
    "text",
    [
        "function f() { return 'own'; }",
        "const f = () => 'own';",
        "let f = async () => 'own';",
        "var f = function () { return 'own'; };",
        "globalThis.f = async function () { return 'own'; };",
        "const { f } = { f() { return 'own'; } };",
        "'use strict'; function f() { return 'own'; }",
        "function f() { /* [native code] */ return 'own'; // { [native code] }\n}",
    ],
)
async def test_a_function_of_the_file_can_be_called_however_it_is_written(call_js: CallJs, text: str) -> None:
    assert (await call_js(text)).text == "own"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "f is not defined"),
        ("const f = 7;", "f is not a function but number"),
        ("const f = null;", "f is not a function but null"),
        ("const f = eval;", "f is not a function the file defines itself"),
        ("const f = Function;", "f is not a function the file defines itself"),
        ("const f = fetch;", "f is not a function the file defines itself"),
        ("const f = fs.readFile;", "f is not a function the file defines itself"),
        ("const f = console.log;", "f is not a function the file defines itself"),
        ("const f = [].map;", "f is not a function the file defines itself"),
        (
            "const f = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;",
            "f is not a function the file defines itself",
        ),
        ("const f = eval.bind(null);", "f is not a function the file defines itself"),
        ("const f = new Proxy(eval, {});", "f is not a function the file defines itself"),
        ("class f {}", "f is a class"),
        ("function* f() {}", "f is a generator"),
        ("async function* f() {}", "f is a generator"),
        ("{ const f = () => 1; }", "f is not defined"),
    ],
)
async def test_what_the_file_does_not_define_as_a_function_cannot_be_called(
    call_js: CallJs, text: str, words: str
) -> None:
    with pytest.raises(ToolError) as caught:
        await call_js(text)
    assert words in caught.value.message


@pytest.mark.parametrize(
    "name", ["eval", "constructor", "toString", "fetch", "tools", "f.g", "f()", "", "f;f", "ü"]
)
async def test_a_name_of_the_language_or_of_nothing_cannot_be_called(call_js: CallJs, name: str) -> None:
    with pytest.raises(ToolError):
        await call_js("function f() {}; function toString() {}", function=name)


async def test_the_reserved_names_are_those_of_the_engine_and_the_prelude(call_js: CallJs) -> None:
    ran = await call_js(
        "function f() { return [globalThis, Object.prototype].flatMap(Object.getOwnPropertyNames); }"
    )
    assert set(json.loads(ran.text)) - {"f"} | {"tools"} == set(RESERVED)


async def test_a_file_is_checked_without_being_called(runtime: Runtime) -> None:
    source = JavaScriptSource.of(
        "t.js", "function good() { throw 1; } const alias = eval; const at = Date.now();"
    )
    reasons = await runtime.check(source, ["good", "alias", "gone", "x.y", "good"])
    assert reasons["good"] == ""
    assert "defines itself" in reasons["alias"]
    assert "not defined" in reasons["gone"]
    assert "not the name of a function" in reasons["x.y"]
    with pytest.raises(ToolError, match="SyntaxError"):
        await runtime.check(JavaScriptSource.of("t.js", "function {"), ["f"])
    with pytest.raises(ToolError, match="while the file is checked"):
        await runtime.check(JavaScriptSource.of("t.js", "fs.readFile('x'); function f() {}"), ["f"])


async def test_a_file_that_cannot_be_sent_is_refused_with_a_reason(call_js: CallJs) -> None:
    for text, words in (
        ("const f = '\0';", "NUL"),
        ("const f = '\ud800';", "Unicode"),
        ("\n" * 100_001, "more than"),
    ):
        with pytest.raises(ToolError, match=words):
            await call_js(text)


async def test_tools_are_frozen_functions_that_ask_the_host(call_js: CallJs) -> None:
    text = """async function f() {
      const said = await Promise.all([tools.one({ a: 1 }), tools.two()]);
      let refused = ''; try { await tools.refuse({}); } catch (error) { refused = `${error.message} ${error.kind}`; }
      return [said, refused, Object.isFrozen(tools), Object.keys(tools)];
    }"""
    ran = await call_js(text, tools=["one", "two", "refuse"])
    assert json.loads(ran.text) == [
        [["tool", "one", {"a": 1}], ["tool", "two", {}]],
        "The host said no. execution_error",
        True,
        ["one", "two", "refuse"],
    ]
    assert (await call_js("const f = () => typeof tools;")).text == "undefined"


async def test_questions_to_the_host_overlap(call_js: CallJs) -> None:
    class Meeting:
        """Answers only once five are here."""

        def __init__(self) -> None:
            self.together = asyncio.Barrier(5)

        async def answer(self, op: str, arguments: list[Any]) -> Any:
            await self.together.wait()
            return arguments[0]

    text = "const f = async () => (await Promise.all('abcde'.split('').map((n) => tools.t(n)))).length;"
    assert (await call_js(text, tools=["t"], answers=Meeting())).text == "5"


async def test_a_host_that_fails_or_gives_no_json_is_an_error_in_the_tool(call_js: CallJs) -> None:
    class Broken:
        async def answer(self, op: str, arguments: list[Any]) -> Any:
            if arguments[0] == "raise":
                raise ValueError("of the host")
            return {"odd": object()}

    text = "const f = async () => { try { await tools[NAME](); } catch (error) { return error.message; } };"
    for name, words in (("raise", "tool failed: of the host"), ("odd", "tool failed: ")):
        ran = await call_js(text.replace("NAME", f"'{name}'"), tools=["raise", "odd"], answers=Broken())
        assert ran.text.startswith(words)


async def test_timers_run_in_order_repeat_and_can_be_stopped(call_js: CallJs) -> None:
    text = """async function f() {
      const said = [];
      const at = (ms, ...words) => new Promise((go) => setTimeout((...all) => { said.push(all.join()); go(); }, ms, ...words));
      const never = setTimeout(() => said.push('never'), 1);
      clearTimeout(never); clearTimeout(never); clearTimeout(99); clearTimeout('x'); clearTimeout();
      let beats = 0;
      await new Promise((go) => { const id = setInterval(() => { if (++beats === 3) { clearInterval(id); go(); } }, 1); });
      await Promise.all([at(20, 'late'), at(5, 'early', 'two'), at(), at(-5), at('2')]);
      return [beats, said];
    }"""
    assert json.loads((await call_js(text)).text) == [3, ["", "", "", "early,two", "late"]]


async def test_a_promise_that_waits_for_nothing_is_told_at_once(call_js: CallJs) -> None:
    for text in (
        "const f = () => new Promise(() => {});",
        "async function f() { await new Promise(() => {}); }",
    ):
        with pytest.raises(ToolError, match="the promise never settles: nothing is left to wait for"):
            await call_js(text)


async def test_what_is_thrown_where_nobody_catches_it_ends_the_call(call_js: CallJs) -> None:
    for start in ("queueMicrotask", "setTimeout"):
        with pytest.raises(ToolError, match="Error: nobody"):
            await call_js(
                f"const f = () => {{ {start}(() => {{ throw new Error('nobody'); }}); return new Promise(() => {{}}); }};"
            )


async def test_each_call_starts_from_the_same_state(call_js: CallJs) -> None:
    text = """let count = 0; const list = [];
    function f() { globalThis.left = (globalThis.left ?? 0) + 1; Array.prototype.more = 1; return [++count, list.push(0), left]; }"""
    assert [(await call_js(text)).text for _ in range(4)] == ["[1,1,1]"] * 4


async def test_chance_differs_between_calls_that_share_a_loaded_source(call_js: CallJs) -> None:
    text = "function f() { return [Math.random(), Math.random(), crypto.randomUUID()]; }"
    seen = [value for _ in range(5) for value in json.loads((await call_js(text)).text)]
    assert len(set(seen)) == len(seen)
    assert all(0 <= value < 1 for value in seen if isinstance(value, float))


@pytest.mark.parametrize(
    "asked",
    ["Math.random()", "Date.now()", "+new Date()", "Date()", "performance.now()", "crypto.randomUUID()"],
)
async def test_what_a_file_learns_while_it_is_loaded_is_new_in_each_call(call_js: CallJs, asked: str) -> None:
    text = f"const learned = {asked}; const f = async () => {{ await new Promise((go) => setTimeout(go, 2)); return learned; }}"
    if asked == "Date()":  # whole seconds
        text = "const made = Date(); const f = () => made.length > 20;"
        assert (await call_js(text)).text == "true"
        return
    assert len({(await call_js(text)).text for _ in range(3)}) == 3


async def test_a_file_may_ask_the_host_and_log_while_it_is_loaded(call_js: CallJs) -> None:
    text = "console.log('loading'); const found = fs.exists('a'); function f() { return found; }"
    for _ in range(3):
        ran = await call_js(text)
        assert (json.loads(ran.text), ran.log) == (["fs.exists", "a"], "loading")


async def test_dates_are_as_the_language_has_them(call_js: CallJs) -> None:
    ran = await call_js(
        """function f() {
          class Day extends Date { next() { return new Day(this.getTime() + 864e5); } }
          const day = new Day(0).next();
          return [new Date(2020, 0, 1) instanceof Date, Date.UTC(1970, 0, 2), day instanceof Day, day instanceof Date,
            day.toISOString(), Math.abs(Date.now() - new Date()) < 1000, typeof Date(), new Date(5).constructor === Date,
            Date.name, Date.length, Object.prototype.toString.call(new Date())];
        }"""
    )
    assert json.loads(ran.text) == [
        *(True, 86400000, True, True, "1970-01-02T00:00:00.000Z", True, "string", True),
        *("Date", 7, "[object Date]"),
    ]


async def test_a_sync_question_is_answered_while_others_are_under_way(call_js: CallJs) -> None:
    class Gate:
        def __init__(self) -> None:
            self.opened = asyncio.Event()

        async def answer(self, op: str, arguments: list[Any]) -> Any:
            if op == "tool":
                await self.opened.wait()
                return "slow"
            self.opened.set()
            return True

    text = "async function f() { const slow = tools.t(); const quick = fs.exists('x'); return [quick, await slow]; }"
    assert (await call_js(text, tools=["t"], answers=Gate())).text == '[true,"slow"]'
