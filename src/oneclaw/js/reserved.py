"""Reserved JavaScript names."""

RESERVED = frozenset(
    """
    __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ AggregateError
    Array ArrayBuffer AsyncDisposableStack atob Atomics base64 BigInt BigInt64Array BigUint64Array
    Boolean btoa clearInterval clearTimeout console constructor crypto DataView Date decodeURI
    decodeURIComponent DisposableStack DOMException encodeURI encodeURIComponent Error escape eval
    EvalError fetch FinalizationRegistry Float16Array Float32Array Float64Array fs Function
    globalThis hasOwnProperty Headers Infinity Int16Array Int32Array Int8Array InternalError
    isFinite isNaN isPrototypeOf Iterator JSON lib Map Math NaN Number Object parseFloat parseInt
    performance Promise propertyIsEnumerable Proxy queueMicrotask RangeError ReferenceError Reflect
    RegExp Response Set setInterval setTimeout SharedArrayBuffer String structuredClone
    SuppressedError Symbol SyntaxError TextDecoder TextEncoder time toLocaleString tools toString
    TypeError Uint16Array Uint32Array Uint8Array Uint8ClampedArray undefined unescape URIError URL
    URLSearchParams valueOf WeakMap WeakRef WeakSet
    """.split()  # noqa: SIM905
)
"""Every global of a worker and what all objects inherit; a test holds this to the engine and the prelude."""
