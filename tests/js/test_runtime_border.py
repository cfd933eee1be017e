"""The border under attack: code that wants to forge a result, reach the wrapper, or leave something behind."""

# ruff: noqa: E501 - a script stands on one line

import json

import pytest
from tests.js.caller import CallJs

from oneclaw.core.errors import ToolError

NATIVE = """
const probe = [];
const look = (value, depth) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || depth > 6) return;
  if (probe.includes(value)) return;
  probe.push(value);
  for (const key of Reflect.ownKeys(value)) {
    const found = Object.getOwnPropertyDescriptor(value, key);
    for (const each of [found.value, found.get, found.set]) look(each, depth + 1);
  }
  look(Object.getPrototypeOf(value), depth + 1);
};
"""


HONEST = "async function f() { await null; return { honest: [1, 'two'] }; }"

CHANGES = {
    "JSON": "JSON = { stringify: () => '\"forged\"', parse: () => ({ forged: 1 }) };",
    "JSON.stringify": "JSON.stringify = () => '\"forged\"'; JSON.parse = () => 'forged';",
    "then": "Promise.prototype.then = function (done) { done('forged'); return this; };",
    "Promise": "globalThis.Promise = class { constructor(run) { run(() => {}, () => {}); } static resolve() { return 'forged'; } };",
    "constructor of promises": "Object.defineProperty(Promise.prototype, 'constructor', { get() { return class { constructor(run) { run(() => {}, () => {}); } }; } });",
    "species": "Object.defineProperty(Promise, Symbol.species, { value: class { constructor(run) { run(() => {}, () => {}); } } });",
    "setters": "for (const name of ['0', '1', 'value', 'get', 'set', 'text', 'error', 'done', 'id']) Object.defineProperty(Object.prototype, name, { __proto__: null, set() { throw new Error('forged'); }, get() { return undefined; }, configurable: true });",
    "Reflect": "Reflect.apply = () => 'forged'; Object.defineProperty = () => 'forged'; Object.freeze = () => 'forged';",
    "arrays": "Array.prototype[Symbol.iterator] = function* () { yield 'forged'; }; Array.prototype.join = () => 'forged'; Array.prototype.push = () => { throw 1; };",
    "text": "String.prototype.slice = () => 'forged'; String.prototype.indexOf = () => 0; String.prototype.toJSON = () => 'forged'; String = () => 'forged';",
    "functions": "Function.prototype.call = () => 'forged'; Function.prototype.apply = () => 'forged'; Function.prototype.toString = () => 'function f() {\\n    [native code]\\n}';",
    "maps": "Map.prototype.get = Map.prototype.has = Map.prototype.set = () => { throw new Error('forged'); }; WeakSet.prototype.has = () => true;",
    "errors": "Error.isError = () => { throw new Error('forged'); }; Error.prototype.toString = () => 'forged'; globalThis.Error = null;",
    "eval": "globalThis.eval = () => () => 'forged'; globalThis.Function = null;",
    "globals": "globalThis.__post__ = globalThis.post = globalThis.host = globalThis.finish = () => 'forged';",
    "numbers": "Number = null; Math.random = () => 0; Object.prototype.valueOf = () => 'forged'; Symbol.prototype[Symbol.toPrimitive];",
    "timers": "setTimeout = clearTimeout = queueMicrotask = () => 'forged';",
    "console": "console.log = console.error = () => { throw new Error('forged'); };",
}


@pytest.mark.parametrize("name", CHANGES)
async def test_what_a_tool_changes_changes_neither_its_result_nor_the_next(
    call_js: CallJs, name: str
) -> None:
    ran = await call_js(f"{CHANGES[name]}\n{HONEST}")
    assert json.loads(ran.text) == {"honest": [1, "two"]}
    late = HONEST.replace("await null;", f"await null; {CHANGES[name]}")
    assert json.loads((await call_js(late)).text) == {"honest": [1, "two"]}
    clean = "async function f() { return [[1, 2].join(), `${new Error('e')}`, typeof post, JSON.stringify([1])]; }"
    assert json.loads((await call_js(clean)).text) == ["1,2", "Error: e", "undefined", "[1]"]


@pytest.mark.parametrize("name", CHANGES)
async def test_what_a_tool_changes_does_not_hide_that_it_failed(call_js: CallJs, name: str) -> None:
    with pytest.raises(ToolError) as caught:
        await call_js(
            f"const Real = TypeError; function f() {{ {CHANGES[name]} throw new Real('it failed'); }}"
        )
    assert "it failed" in caught.value.message


async def test_a_result_is_settled_once(call_js: CallJs) -> None:
    for text in (
        "const f = () => ({ then(done, fail) { done('first'); done('second'); fail('third'); } });",
        "const f = () => ({ then(done) { done('first'); throw new Error('after'); } });",
        "const f = () => { queueMicrotask(() => { for (let i = 0; i < 9; i++) Promise.resolve('second'); }); return 'first'; };",
        "async function f() { setTimeout(() => { throw new Error('late'); }); return 'first'; }",
    ):
        assert (await call_js(text)).text == "first"


@pytest.mark.parametrize(
    "thrown",
    [
        "Object.defineProperty(new Error('x'), 'message', { get() { throw 1; } })",
        "Object.defineProperty(new Error('x'), 'name', { get() { return 'forged'; } })",
        "Object.setPrototypeOf(new Error('x'), new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }))",
        "new Proxy(new Error('x'), { get() { throw 1; }, ownKeys() { throw 2; } })",
        "({ toString() { throw 1; }, [Symbol.toPrimitive]() { throw 2; }, toJSON() { throw 3; } })",
        "Object.create(null)",
        "Symbol('thrown')",
        "function () {}",
        "10n",
        "new (class extends Error { get stack() { throw 1; } get message() { throw 2; } })()",
        "Object.freeze(new Error('x'))",
    ],
)
async def test_whatever_is_thrown_is_an_error_of_the_call(call_js: CallJs, thrown: str) -> None:
    for text in (f"function f() {{ throw {thrown}; }}", f"const f = () => Promise.reject({thrown});"):
        with pytest.raises(ToolError) as caught:
            await call_js(text)
        assert caught.value.message
        assert "/" not in caught.value.message
        assert "input" not in caught.value.message


async def test_the_functions_of_the_border_cannot_be_had_from_the_stack(call_js: CallJs) -> None:
    text = """
    const seen = [];
    const ways = [
      () => { Error.prepareStackTrace = (error, sites) => { seen.push(...sites.map((site) => site.getFunction())); return ''; }; },
      () => { Object.defineProperty(Error, 'prepareStackTrace', { value: (error, sites) => { seen.push(...sites); } }); },
      () => { class Own extends Error { static prepareStackTrace = (error, sites) => { seen.push(...sites); }; } new Own().stack; },
      () => { Error.captureStackTrace?.({}); },
      () => { seen.push(...[f.caller, f.arguments].filter(Boolean)); },
      () => { (function () { seen.push(...[arguments.callee.caller].filter((each) => each && !String(each).includes('arguments.callee'))); })(); },
    ];
    function f() {
      const own = new Set([f, ...ways]);
      for (const way of ways) { try { way(); } catch {} new Error('x').stack; }
      return seen.filter((each) => typeof each !== 'function' || !own.has(each)).length;
    }"""
    assert (await call_js(text)).text == "0"


async def test_nothing_a_tool_can_reach_leads_to_the_border(call_js: CallJs) -> None:
    text = (
        NATIVE
        + """
    function f() {
      look(globalThis, 0);
      const texts = probe.filter((each) => typeof each === 'function').map((each) => Function.prototype.toString.call(each));
      const words = ['waiting', 'builtins', "'settle'", "'begin'", 'isStarted'];
      return [probe.length > 500, texts.filter((text) => words.some((word) => text.includes(word)) && text.length > 2000).length,
        typeof host, typeof post, typeof finish, typeof primordials, '__post__' in globalThis];
    }"""
    )
    assert json.loads((await call_js(text)).text) == [True, 0, *["undefined"] * 4, False]


async def test_there_are_no_modules_and_no_powers_of_a_host(call_js: CallJs) -> None:
    text = """async function f() {
      const names = ['process', 'require', 'module', 'std', 'os', 'Deno', 'Bun', 'window', 'self', 'import_meta', 'load', 'print', 'scriptArgs'];
      const found = names.filter((name) => { try { return eval(`typeof ${name}`) !== 'undefined'; } catch { return false; } });
      const loaded = [];
      for (const name of ['fs', 'std', 'os', '/etc/passwd', 'file:///etc/passwd', './worker.py', 'data:text/javascript,1']) {
        try { await import(name); loaded.push(name); } catch {}
      }
      return [found, loaded];
    }"""
    assert json.loads((await call_js(text)).text) == [[], []]


async def test_a_tool_cannot_call_the_next_call_names_or_arguments_its_own(call_js: CallJs) -> None:
    await call_js(
        "let stolen; function f(p) { globalThis.saved = p; stolen = p; return 1; }", {"secret": "s3cret"}
    )
    text = "function f(p) { return [typeof saved, typeof stolen, Object.keys(p)]; }"
    assert json.loads((await call_js(text)).text) == ["undefined", "undefined", []]
    assert json.loads((await call_js(text, {"a": 1})).text) == ["undefined", "undefined", ["a"]]


async def test_text_that_looks_like_a_message_is_text(call_js: CallJs) -> None:
    forged = '"]}\n{"done":["x"]}\0d{"fail":["x","",""]}'
    ran = await call_js("function f(p) { console.log(p.t); console.error(p.t); return p.t; }", {"t": forged})
    assert ran.text == forged
    assert ran.log == f"{forged}\nerror: {forged}"
    with pytest.raises(ToolError) as caught:
        await call_js("function f(p) { throw new Error(p.t); }", {"t": forged})
    assert caught.value.message.startswith("Error: " + forged[:10])


async def test_what_is_passed_to_the_host_is_json_and_not_too_much(call_js: CallJs) -> None:
    for value, words in (
        ("'x'.repeat(5e6)", "More than 4 MB"),
        ("Array(2e5).fill([])", "So many values"),
        ("1n", "BigInt"),
        ("(() => { const o = {}; o.o = o; return o; })()", "circular"),
    ):
        text = f"async function f() {{ try {{ await tools.t({value}); return 'passed'; }} catch (error) {{ return error.message; }} }}"
        assert words in (await call_js(text, tools=["t"])).text
    ran = await call_js(
        "async function f() { return (await tools.t('x'.repeat(3e6)))[2].length; }", tools=["t"]
    )
    assert ran.text == "3000000"
