"""structuredClone in JavaScript tools: what is copied, what is kept apart, and what cannot be."""

from tests.js.conftest import Evaluate, outcomes


async def test_values_of_every_kind_are_copied(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const given = { text: 'a', none: null, gone: undefined, big: 10n, list: [1, , 3], date: new Date(5),
            flag: true,
            pattern: /a+/gi, map: new Map([[{ k: 1 }, new Set([1, 'b'])]]), bytes: new Uint8Array([1, 2,
                3]).subarray(1),
            wide: new Float64Array([0.5]), buffer: new ArrayBuffer(8),
                view: new DataView(new ArrayBuffer(4), 1, 2),
            error: new RangeError('bad', { cause: { why: 1 } }), boxed: Object('s'), number: Object(7) };
        given.self = given;
        given.list.extra = 'x';
        const copy = structuredClone(given);
        const [key] = copy.map.keys();
        return [copy !== given, copy.self === copy, copy.text, 'gone' in copy, copy.big === 10n,
            copy.list.length,
                1 in copy.list, copy.list.extra, copy.date instanceof Date && copy.date.getTime(),
                    String(copy.pattern),
                key.k, [...copy.map.get(key)], key !== [...given.map.keys()][0], [...copy.bytes],
                copy.bytes.buffer.byteLength, copy.wide[0], copy.buffer.byteLength,
                    copy.buffer !== given.buffer,
                [copy.view.byteOffset, copy.view.byteLength], copy.error instanceof RangeError,
                    copy.error.message,
                copy.error.cause.why, typeof copy.boxed, String(copy.boxed), copy.number + 1, copy.flag];
    """)
    assert told == [
        *[True, True, "a", True, True, 3, False, "x", 5, "/a+/gi", 1, [1, "b"], True, [2, 3]],
        *[3, 0.5, 8, True, [1, 2], True, "bad", 1, "object", "s", 8, True],
    ]


async def test_what_two_places_share_is_shared_in_the_copy(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const shared = { n: 1 };
        const buffer = new ArrayBuffer(4);
        const copy = structuredClone({ a: shared, b: [shared], c: new Uint8Array(buffer),
            d: new Uint8Array(buffer) });
        copy.c[0] = 9;
        copy.a.n = 2;
        return [copy.b[0].n, copy.d[0], shared.n, new Uint8Array(buffer)[0]];
    """)
    assert told == [2, 9, 1, 0]


async def test_classes_getters_and_prototypes_become_plain(evaluate: Evaluate) -> None:
    told = await evaluate("""
        class Point { constructor() { this.x = 1 } get y() { return 2 } }
        const given = Object.assign(Object.create({ inherited: 1 }), { own: new Point() });
        Object.defineProperty(given, 'hidden', { value: 1 });
        Object.defineProperty(given, 'made', { get: () => 3, enumerable: true });
        given[Symbol('s')] = 1;
        const copy = structuredClone(given);
        const evil = structuredClone(JSON.parse('{"__proto__": {"polluted": 1}}'));
        return [copy, copy.own instanceof Point, Object.getPrototypeOf(copy) === Object.prototype,
            ({}).polluted ?? null,
                Object.keys(evil)];
    """)
    assert told == [{"own": {"x": 1}, "made": 3}, False, True, None, ["__proto__"]]


FIXED = [
    *["() => 1", "Symbol()", "{ a: [() => 1] }", "Promise.resolve()", "new WeakMap()", "new WeakSet()"],
    *["new WeakRef({})", "(function* () {})()", "class {}"],
]


async def test_what_cannot_be_copied_is_refused(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"structuredClone({value})" for value in FIXED])
    for value, outcome in zip(FIXED, told, strict=True):
        assert str(outcome).startswith("DataCloneError: structuredClone cannot copy "), value


async def test_a_buffer_can_be_moved(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const buffer = new Uint8Array([1, 2]).buffer;
        const copy = structuredClone({ buffer }, { transfer: [buffer] });
        return [new Uint8Array(copy.buffer)[1], buffer.byteLength];
    """)
    assert told == [2, 0]
