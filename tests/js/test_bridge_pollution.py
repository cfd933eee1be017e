"""A tool that changes the language it runs in changes nothing of what the bridges do, and finds no way in."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.js.conftest import Evaluate

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]

POLLUTE = """
    const Thrown = Error, Awaited = Promise;
    const broken = function () { throw new Thrown('polluted') };
    const { ownKeys } = Reflect, { getOwnPropertyDescriptor: describe, defineProperty: define } = Object;
    const spoil = (object) => {
        const names = ownKeys(object);
        for (let at = 0; at < names.length; at++) {
            const found = describe(object, names[at]);
            if (!found.configurable) continue;
            if (typeof found.value === 'function') define(object, names[at], { value: broken });
            else if (found.get !== undefined) define(object, names[at], { get: broken });
        }
    };
    const language = [Map, Set, WeakSet, RegExp, Uint8Array, ArrayBuffer, DataView, Number, Date,
        URLSearchParams, URL,
        Headers, TextEncoder, TextDecoder, Error, Promise, Function, Object, String, Array, Response, Symbol,
        Object.getPrototypeOf(Uint8Array), JSON, Reflect, Math];
    const globals = ['atob', 'btoa', 'escape', 'unescape', 'encodeURIComponent', 'decodeURIComponent',
        'parseInt',
        'Uint8Array', 'Uint16Array', 'Map', 'Set', 'Error', 'TypeError', 'DOMException', 'Object', 'Array',
            'String',
        'Reflect', 'JSON', 'Symbol', 'Promise', 'Date'];
    const fields = ['value', 'kind', 'body', 'text', 'status', 'toJSON', 'method', 'then', '0', '1', '2',
        'url'];
    const top = Object.prototype;
    for (let at = 0; at < language.length; at++) {
        const { prototype } = language[at];
        spoil(language[at]);
        // Without the then of promises, `await` itself is broken; it stays for the tool's own sake.
        const kept = language[at] === Awaited ? [describe(prototype, 'then'), describe(prototype,
            'constructor')] : null;
        if (prototype !== undefined) spoil(prototype);
        if (kept !== null) define(define(prototype, 'then', kept[0]), 'constructor', kept[1]);
    }
    for (let at = 0; at < globals.length; at++) globalThis[globals[at]] = broken;
    for (let at = 0; at < fields.length; at++) {
        const set = () => { throw new Thrown('set ' + fields[at]) };
        define(top, fields[at], { __proto__: null, get: () => undefined, set, configurable: true });
    }
"""


async def test_bridges_work_when_every_method_of_the_language_is_broken(
    evaluate: Evaluate, serve: Serve, tmp_path: Path
) -> None:
    data = '{"größe":1}'.encode()
    answer = b"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: %d\r\n\r\n" % len(data) + data
    port, seen = await serve(answer)
    body = (
        """
        const bytes = new Uint8Array([104, 105]), filled = new Uint8Array(4);
        const params = new URLSearchParams('q=1'), made = new Headers({ 'x-b': 'c' }), U = URL,
            { apply } = Reflect;
        const encoder = new TextEncoder(), decoder = new TextDecoder();
        const { encode } = encoder, { decode } = decoder, { text: textOf } = Response.prototype,
            { stringify } = JSON;
        const hrefOf = Object.getOwnPropertyDescriptor(URL.prototype, 'href').get;
        """
        + POLLUTE
        + """
        fs.writeFile('a', 'größe');
        fs.writeFile('b', bytes);
        const text = fs.readFile('a');
        const back = fs.readFile('b', 'bytes');
        const url = apply(hrefOf, new U('http://ex%41mple.test/a/../b?q#h'), []);
        const sum = crypto.digest('sha256', 'abc');
        const uuid = crypto.randomUUID().length;
        crypto.getRandomValues(filled);
        const when = time.format(0, 'UTC');
        const there = fs.exists('a');
        const code = base64.decode(base64.encode('größe'));
        const plain = apply(decode, decoder, [apply(encode, encoder, ['größe'])]);
        const response = await fetch(p.url, { method: 'POST', body: params, headers: made });
        const sent = await apply(textOf, response, []);
        const copy = structuredClone({ a: [1, { b: bytes }] }).a[1].b[1];
        const result = { __proto__: null, text, first: back[0], url, sum, uuid, when, there, code, plain,
            sent, copy };
        return stringify(result);
    """
    )
    told = json.loads(await evaluate(body, {"url": f"http://127.0.0.1:{port}/"}))
    assert told == {
        "text": "größe",
        "first": 104,
        "url": "http://example.test/b?q#h",
        "sum": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "uuid": 36,
        "when": "1970-01-01T00:00:00+00:00",
        "there": True,
        "code": "größe",
        "plain": "größe",
        "sent": '{"größe":1}',
        "copy": 105,
    }
    assert seen[0].startswith(b"POST / HTTP/1.1\r\n")
    assert seen[0].endswith(b"\r\n\r\nq=1")
    assert b"x-b: c\r\n" in seen[0]


async def test_what_is_offered_cannot_be_changed_but_its_name_can_be_taken(evaluate: Evaluate) -> None:
    told = await evaluate("""
        'use strict';
        const thrown = (work) => { try { work() } catch (error) { return error.name } };
        const frozen = [fs, time, crypto, crypto.subtle, base64, lib.csv].every(Object.isFrozen);
        const names = ['fs', 'fetch', 'time', 'crypto', 'base64', 'lib', 'URL', 'Headers', 'structuredClone'];
        const plain = names.every((name) => {
            const { writable, configurable, enumerable } = Object.getOwnPropertyDescriptor(globalThis, name);
            return writable && configurable && !enumerable;
        });
        return [frozen, plain, thrown(() => { fs.readFile = 1 }), thrown(() => { lib.csv = 1 }),
                Object.keys(lib).slice(0, 2)];
    """)
    assert told == [True, True, "TypeError", "TypeError", ["csv", "dates"]]


@pytest.mark.parametrize(
    "name", ["host", "kit", "post", "primordials", "finish", "__post__", "globalThis.host"]
)
async def test_what_lies_behind_the_bridges_has_no_name(evaluate: Evaluate, name: str) -> None:
    body = f"try {{ return typeof ({name}) }} catch (error) {{ return error.name }}"
    assert await evaluate(body) in ("undefined", "ReferenceError")


async def test_nothing_a_tool_can_reach_from_a_global_is_the_host(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const seen = new Set();
        const found = [];
        const look = (value, path) => {
            const isPlain = value === null || (typeof value !== 'object' && typeof value !== 'function');
            if (isPlain || seen.has(value)) return;
            seen.add(value);
            for (const key of Reflect.ownKeys(value)) {
                if (['kit', 'sync', 'local', 'settle', 'addLibrary', 'primordials',
                    'bytesOf'].includes(key)) {
                    found.push(`${path}.${String(key)}`);
                }
                const { value: next, get, set } = Object.getOwnPropertyDescriptor(value, key);
                for (const one of [next, get, set]) look(one, `${path}.${String(key)}`);
            }
            look(Object.getPrototypeOf(value), `${path}.__proto__`);
        };
        look(globalThis, 'global');
        look(await fetch('x').catch((error) => error), 'error');
        return [found, seen.size > 500];
    """)
    assert told == [[], True]


async def test_what_a_patched_builtin_is_handed_is_never_the_host(evaluate: Evaluate) -> None:
    body = """
        const seen = [];
        const spy = (object, name) => {
            const own = object[name];
            object[name] = function (...values) {
                for (const value of [this,
                    ...values]) if (value && typeof value.sync === 'function') seen.push(name);
                return Reflect.apply(own, this, values);
            };
        };
        for (const name of ['push', 'map', 'join', 'slice', 'sort']) spy(Array.prototype, name);
        for (const name of ['call', 'apply', 'bind']) spy(Function.prototype, name);
        for (const name of ['then', 'catch']) spy(Promise.prototype, name);
        for (const name of ['stringify', 'parse']) spy(JSON, name);
        fs.writeFile('a', 'x');
        await fetch('nonsense').catch(() => 0);
        String(new URL('http://a/?b').searchParams);
        return seen;
    """
    assert await evaluate(body) == []
