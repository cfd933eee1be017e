// What the files after this one share: built-in methods taken before a tool could change them.
//
// They are called as functions, `slice(text, 1)`, and text is put together with +: to the engine a template is
// a call of String.prototype.concat. Arrays are gone through by index, since a loop asks for an iterator.
host.kit = (() => {
  "use strict";
  const { Uint8Array, String } = globalThis;
  const { bind } = Function.prototype;
  const free = bind.bind(Function.prototype.call);
  const getter = (object, name) => free(Object.getOwnPropertyDescriptor(object, name).get);
  const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const text = String.prototype;
  const list = Array.prototype;
  const { apply, ownKeys } = Reflect;
  const { defineProperty, defineProperties, freeze, getOwnPropertyDescriptor, hasOwn } = Object;
  const { isView } = ArrayBuffer;
  const test = free(RegExp.prototype.test);
  const replace = free(RegExp.prototype[Symbol.replace]);
  const regExpMethods = { exec: { value: RegExp.prototype.exec } };
  const flagsOf = getter(RegExp.prototype, "flags");

  // A pattern whose own methods stand before whatever a tool puts on the prototype.
  const pattern = (regExp) => {
    defineProperties(regExp, regExpMethods);
    defineProperty(regExp, "flags", { value: flagsOf(regExp) });
    return regExp;
  };

  // Makes a global as the language makes its own: a tool may declare the same name for itself.
  const offer = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  // A class as the platform has it: methods enumerable, and a name for Object.prototype.toString.
  const offerClass = (Class, name) => {
    for (const key of ownKeys(Class.prototype)) {
      if (typeof key === "string" && key !== "constructor") {
        defineProperty(Class.prototype, key, { enumerable: true });
      }
    }
    defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
    offer(name, Class);
  };

  const toWellFormed = free(text.toWellFormed);
  // Text without half surrogate pairs, of whatever was given: what the platform calls a USVString.
  const toText = (value) => toWellFormed(String(value));

  const bufferOf = getter(TypedArray, "buffer");
  const startOf = getter(TypedArray, "byteOffset");
  const lengthOf = getter(TypedArray, "byteLength");
  const viewBufferOf = getter(DataView.prototype, "buffer");
  const viewStartOf = getter(DataView.prototype, "byteOffset");
  const viewLengthOf = getter(DataView.prototype, "byteLength");
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const kindOfArray = getter(TypedArray, Symbol.toStringTag);
  const isBuffer = (value) => {
    try {
      bufferLength(value);
      return true;
    } catch {
      return false;
    }
  };

  // The bytes of an ArrayBuffer, a typed array or a DataView, not copied; undefined for anything else.
  const bytesOf = (value) => {
    if (value === null || typeof value !== "object") return undefined;
    if (isView(value)) {
      if (kindOfArray(value) === undefined) {
        return new Uint8Array(viewBufferOf(value), viewStartOf(value), viewLengthOf(value));
      }
      return new Uint8Array(bufferOf(value), startOf(value), lengthOf(value));
    }
    return isBuffer(value) ? new Uint8Array(value) : undefined;
  };

  // What goes to the host has no prototype: a toJSON that a tool puts on one is not asked.
  const { setPrototypeOf } = Object;
  const bare = (value) => setPrototypeOf(value, null);

  return {
    __proto__: null,
    call: (op, values) => host.call(op, bare(values)),
    sync: (op, values) => host.sync(op, bare(values)),
    local: (op, values) => host.local(op, bare(values)),
    bare,
    free,
    getter,
    pattern,
    offer,
    offerClass,
    toText,
    toWellFormed,
    bytesOf,
    isBuffer,
    bufferLength,
    kindOfArray,
    apply,
    ownKeys,
    freeze,
    defineProperty,
    getOwnPropertyDescriptor,
    hasOwn,
    isView,
    test,
    replace,
    isArray: Array.isArray,
    push: free(list.push),
    pop: free(list.pop),
    join: free(list.join),
    sort: free(list.sort),
    splice: free(list.splice),
    charCodeAt: free(text.charCodeAt),
    slice: free(text.slice),
    indexOf: free(text.indexOf),
    startsWith: free(text.startsWith),
    endsWith: free(text.endsWith),
    toLowerCase: free(text.toLowerCase),
    toUpperCase: free(text.toUpperCase),
    trim: free(text.trim),
    toBase64: free(Uint8Array.prototype.toBase64),
    fromBase64: bind.call(Uint8Array.fromBase64, Uint8Array),
    toHex: free(Uint8Array.prototype.toHex),
    subarray: free(TypedArray.subarray),
    copyBuffer: free(ArrayBuffer.prototype.slice),
    put: free(TypedArray.set),
    bytesBuffer: bufferOf,
    byteLength: lengthOf,
  };
})();
