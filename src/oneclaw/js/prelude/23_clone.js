// structuredClone, as the HTML standard has it for what exists here.
(() => {
  "use strict";
  const { DOMException, Map, Set, Date, RegExp, DataView, Error, Array, Object, String } = globalThis;
  const { kit } = host;
  const { free, getter, ownKeys, getOwnPropertyDescriptor, defineProperty, isArray, isView, isBuffer } = kit;
  const { bufferLength, kindOfArray, copyBuffer, bytesBuffer, offer, push } = kit;
  const { construct } = Reflect;
  const { isError } = Error;
  const timeOf = free(Date.prototype.getTime);
  const sourceOf = getter(RegExp.prototype, "source");
  const flagsOf = getter(RegExp.prototype, "flags");
  const mapSize = getter(Map.prototype, "size");
  const setSize = getter(Set.prototype, "size");
  const eachOfMap = free(Map.prototype.forEach);
  const eachOfSet = free(Set.prototype.forEach);
  const addToMap = free(Map.prototype.set);
  const addToSet = free(Set.prototype.add);
  const viewBuffer = getter(DataView.prototype, "buffer");
  const viewStart = getter(DataView.prototype, "byteOffset");
  const viewLength = getter(DataView.prototype, "byteLength");
  const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const arrayStart = getter(TypedArray, "byteOffset");
  const arrayLength = getter(TypedArray, "length");
  const seenGet = free(Map.prototype.get);
  const moveBuffer = free(ArrayBuffer.prototype.transfer);
  const boxes = [Boolean, Number, String, BigInt].map((Box) => free(Box.prototype.valueOf));

  const ARRAYS = { __proto__: null };
  for (const kind of Reflect.ownKeys(globalThis)) {
    if (typeof kind === "string" && /^(Big)?(Uint|Int|Float)\d+(Clamped)?Array$/.test(kind)) ARRAYS[kind] = globalThis[kind];
  }
  const ERRORS = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const is = (check, value) => {
    try {
      check(value);
      return true;
    } catch {
      return false;
    }
  };
  const refuse = (what) => {
    throw new DOMException("structuredClone cannot copy " + what + ".", "DataCloneError");
  };

  // A new value of the same kind without what is in it, or undefined for a plain object.
  const begin = (value, copy) => {
    if (isArray(value)) return new Array(value.length);
    if (is(timeOf, value)) return new Date(timeOf(value));
    if (isRegExp(value)) return new RegExp(sourceOf(value), flagsOf(value));
    if (is(mapSize, value)) return new Map();
    if (is(setSize, value)) return new Set();
    if (isBuffer(value)) return copyBuffer(value, 0, bufferLength(value));
    if (isView(value)) return copyView(value, copy);
    if (isError(value)) return copyError(value, copy);
    for (let at = 0; at < boxes.length; at++) {
      if (is(boxes[at], value)) return Object(boxes[at](value));
    }
    if (isStrange(value)) refuse("this object");
    return undefined;
  };
  // The prototype answers for its source too, but has no lastIndex of its own.
  const isRegExp = (value) => is(sourceOf, value) && getOwnPropertyDescriptor(value, "lastIndex") !== undefined;
  const { getPrototypeOf } = Object;
  const STRANGE = new Set(
    [Promise, WeakMap, WeakSet, WeakRef, FinalizationRegistry].map((Class) => Class.prototype),
  );
  for (const make of [function* () {}, async function* () {}]) STRANGE.add(getPrototypeOf(make.prototype));
  const isStranger = free(Set.prototype.has);
  // What cannot be told by asking is told by where it comes from.
  const isStrange = (value) => {
    for (let one = getPrototypeOf(value); one !== null; one = getPrototypeOf(one)) {
      if (isStranger(STRANGE, one)) return true;
    }
    return false;
  };
  const copyView = (value, copy) => {
    const kind = kindOfArray(value);
    if (kind === undefined) return new DataView(copy(viewBuffer(value)), viewStart(value), viewLength(value));
    return construct(ARRAYS[kind], [copy(bytesBuffer(value)), arrayStart(value), arrayLength(value)]);
  };
  const copyError = (value, copy) => {
    const name = String(value.name);
    const made = new (ERRORS[name] ?? Error)(String(value.message));
    const own = getOwnPropertyDescriptor(value, "cause");
    if (own !== undefined && "value" in own) {
      defineProperty(made, "cause", { __proto__: null, value: copy(own.value), writable: true, configurable: true });
    }
    return made;
  };

  const makeCopy = (seen) => {
    const copy = (value) => {
      if (typeof value === "symbol" || typeof value === "function") refuse("a " + typeof value);
      if (value === null || typeof value !== "object") return value;
      const known = seenGet(seen, value);
      if (known !== undefined) return known;
      const begun = begin(value, copy);
      const made = begun ?? {};
      addToMap(seen, value, made);
      if (begun === undefined || isArray(value)) copyProperties(value, made);
      else if (is(mapSize, value)) copyMap(value, made);
      else if (is(setSize, value)) copySet(value, made);
      return made;
    };
    const copyProperties = (from, to) => {
      const keys = ownKeys(from);
      for (let at = 0; at < keys.length; at++) {
        const key = keys[at];
        if (typeof key === "symbol" || !getOwnPropertyDescriptor(from, key)?.enumerable) continue;
        const value = copy(from[key]);
        defineProperty(to, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      }
    };
    // First all, then copied: what is copied may change the map while it is gone through.
    const copyMap = (from, to) => {
      const pairs = [];
      eachOfMap(from, (value, key) => push(pairs, [key, value]));
      for (let at = 0; at < pairs.length; at++) addToMap(to, copy(pairs[at][0]), copy(pairs[at][1]));
    };
    const copySet = (from, to) => {
      const members = [];
      eachOfSet(from, (value) => push(members, value));
      for (let at = 0; at < members.length; at++) addToSet(to, copy(members[at]));
    };
    return copy;
  };

  offer("structuredClone", function structuredClone(value, options = undefined) {
    const seen = new Map();
    const moved = options?.transfer === undefined ? [] : [...options.transfer];
    for (let at = 0; at < moved.length; at++) {
      if (!isBuffer(moved[at])) refuse("a thing that cannot be moved; only an ArrayBuffer can");
    }
    for (let at = 0; at < moved.length; at++) addToMap(seen, moved[at], moveBuffer(moved[at]));
    return makeCopy(seen)(value);
  });
})();
