// The border between a tool and its host: what starts a call, what may cross, and how it ends.
//
// The files of this folder are one function body in strict mode, evaluated before any tool. Nothing here trusts
// what a tool may have changed since: builtins are used through the references taken below, arrays are not
// iterated by protocol, promises not awaited, objects of ours have no prototype. `post` is the only way out;
// all that goes through it is a short constant, a number, or flat text made by JSON.stringify.

const post = globalThis.__post__;
delete globalThis.__post__;

const primordials = Object.freeze({
  __proto__: null,
  apply: Reflect.apply,
  construct: Reflect.construct,
  ownKeys: Reflect.ownKeys,
  define: Object.defineProperty,
  describe: Object.getOwnPropertyDescriptor,
  freeze: Object.freeze,
  prototypeOf: Object.getPrototypeOf,
  names: Object.getOwnPropertyNames,
  isArray: Array.isArray,
  stringify: JSON.stringify,
  parse: JSON.parse,
  evaluate: eval,
  String, Number, Array, Object, Error, TypeError, RangeError, Promise, Map, Set, WeakSet, Uint8Array, ArrayBuffer,
  then: Promise.prototype.then,
  functionText: Function.prototype.toString,
  isError: Error.isError,
  stackOf: Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get,
  mapGet: Map.prototype.get,
  mapSet: Map.prototype.set,
  mapHas: Map.prototype.has,
  mapDelete: Map.prototype.delete,
  weakHas: WeakSet.prototype.has,
  weakAdd: WeakSet.prototype.add,
  slice: String.prototype.slice,
  indexOf: String.prototype.indexOf,
  endsWith: String.prototype.endsWith,
  join: Array.prototype.join,
  now: Date.now,
});

const host = (() => {
  const { apply, define, stringify, parse, mapGet, mapSet, mapDelete, Error, Promise, Map } = primordials;
  const waiting = new Map();
  let number = 0;

  const text = (args) => {
    const written = stringify(args);
    if (typeof written !== 'string') throw new primordials.TypeError('only JSON values can be passed to the host');
    return written;
  };
  // Made when the call is, so that it knows where in the tool that was.
  const failure = (error, said) => {
    define(error, 'message', { __proto__: null, value: said[1], writable: true, configurable: true });
    if (said.length > 2) define(error, 'kind', { __proto__: null, value: said[2], writable: true, configurable: true });
    return error;
  };
  const read = (answer, error) => {
    const said = parse(answer);
    if (!said[0]) throw failure(error, said);
    return said[1];
  };

  return {
    __proto__: null,
    primordials,
    // Answered by the program while the tool goes on; many may be under way at once.
    call(op, args) {
      const error = new Error('');
      const written = text(args);
      const id = ++number;
      const promise = new Promise((resolve, reject) => {
        apply(mapSet, waiting, [id, { __proto__: null, resolve, reject, error }]);
      });
      const refused = post('call', id, op, written);
      if (typeof refused === 'string') settle(id, refused);
      return promise;
    },
    // Answered by the program while the tool stands still.
    sync(op, args) {
      const error = new Error('');
      return read(post('sync', op, text(args)), error);
    },
    // Answered by the worker process itself: `randomBytes` [count], `digest` [algorithm, data], `hmac`
    // [algorithm, key, data], `decode` [encoding, data, is strict], `url` [text, base], `url.set` [address, part,
    // value]; up to three texts and whole numbers, bytes as base64.
    local(op, args) {
      const error = new Error('');
      const at = (index) => (index < args.length ? text(args[index]) : 'null');
      return read(post('local', op, at(0), at(1), at(2)), error);
    },
    settle,
  };

  function settle(id, answer) {
    const waits = apply(mapGet, waiting, [id]);
    if (waits === undefined) return;
    apply(mapDelete, waiting, [id]);
    const said = parse(answer);
    if (said[0]) waits.resolve(said[1]);
    else waits.reject(failure(waits.error, said));
  }
})();

const finish = (() => {
  const {
    apply, define, describe, freeze, prototypeOf, names, ownKeys, isArray, stringify, parse, evaluate, then,
    functionText, isError, stackOf, weakHas, weakAdd, mapGet, mapSet, mapDelete, mapHas, slice, indexOf, endsWith, join,
    Error, TypeError, RangeError, Promise, Map, String, WeakSet,
  } = primordials;
  const TEXT_CHARS = 4000;

  // A tool that could name the functions on the stack could call those of this file.
  define(Error, 'prepareStackTrace', { __proto__: null, value: undefined, writable: false, configurable: false });

  // ---- errors ----------------------------------------------------------------------------------------------
  const cut = (words, chars) => (words.length > chars ? apply(slice, words, [0, chars]) : words);
  const property = (object, name) => {
    for (let depth = 0; object !== null && depth < 10; depth++) {
      const found = describe(object, name);
      if (found !== undefined) return typeof found.value === 'string' ? found.value : '';
      object = prototypeOf(object);
    }
    return '';
  };
  const exceptionGetters = ['name', 'message'].map((name) => describe(DOMException.prototype, name).get);
  const isException = (value) => {
    try {
      apply(exceptionGetters[0], value, []);
      return true;
    } catch {
      return false;
    }
  };
  const wordsOf = (thrown) => {
    let name, message;
    if (isError(thrown)) {
      name = property(thrown, 'name') || 'Error';
      message = property(thrown, 'message');
    } else if (isException(thrown)) {
      name = apply(exceptionGetters[0], thrown, []);
      message = apply(exceptionGetters[1], thrown, []);
    } else {
      return typeof thrown === 'string' ? thrown : show(thrown);
    }
    return message ? cut(name, 100) + ': ' + cut(message, TEXT_CHARS) : name;
  };
  // What the class of an error is called: its constructor stands on the stack, but is not where it was thrown.
  const classOf = (error) => {
    const made = describe(prototypeOf(error), 'constructor');
    return made !== undefined && typeof made.value === 'function' ? property(made.value, 'name') : '';
  };
  const attempt = (ask, value, otherwise) => {
    try {
      const said = ask(value);
      return typeof said === 'string' ? cut(said, TEXT_CHARS) : otherwise;
    } catch {
      return otherwise;
    }
  };
  const stackFor = (thrown) => (isError(thrown) ? apply(stackOf, thrown, []) : property(thrown, 'stack'));
  const fail = (thrown) => {
    const isKnown = isError(thrown) || isException(thrown);
    const words = (isKnown ? '' : 'thrown: ') + attempt(wordsOf, thrown, 'something that cannot be shown');
    const stack = isKnown ? attempt(stackFor, thrown, '') : '';
    const made = isKnown ? attempt(classOf, thrown, '') : '';
    try {
      post('fail', stringify(words), stringify(stack), stringify(made));
    } catch {
      post('spent'); // no memory is left even for this
    }
  };

  // ---- console ---------------------------------------------------------------------------------------------
  const own = (value) => ({ __proto__: null, value, writable: true, configurable: true, enumerable: true });
  const push = (list, value) => define(list, list.length, own(value));
  const kindOf = Object.prototype.toString;
  const dateText = Date.prototype.toISOString;
  const patternText = RegExp.prototype.toString;
  const eachOfMap = Map.prototype.forEach;
  const eachOfSet = Set.prototype.forEach;
  const MOST_SHOWN = 1000;
  let shownLeft = 0;
  const showAny = (value, depth, seen) => {
    if (--shownLeft < 0) return '…';
    switch (typeof value) {
      case 'string': return depth === 0 ? value : stringify(cut(value, TEXT_CHARS));
      case 'bigint': return String(value) + 'n';
      case 'symbol': return String(value);
      case 'function': return '[function ' + (property(value, 'name') || 'without a name') + ']';
      case 'object': break;
      default: return String(value);
    }
    if (value === null) return 'null';
    if (isError(value) || isException(value)) return wordsOf(value);
    for (let at = 0; at < seen.length; at++) if (seen[at] === value) return '[circular]';
    const isList = isArray(value);
    if (depth > 4) return isList ? '[…]' : '{…}';
    push(seen, value);
    const parts = [];
    const name = showSpecial(value, (part) => shownLeft > 0 && push(parts, showAny(part, depth + 1, seen)));
    if (name === undefined) showMembers(value, isList, parts, depth, seen);
    seen.length -= 1;
    if (name !== undefined && name[0] !== '[') return name;
    const inside = apply(join, parts, [',']);
    if (name !== undefined) return name + '[' + inside + ']';
    return isList ? '[' + inside + ']' : '{' + inside + '}';
  };
  // What has its contents inside: its text, or for a collection '[kind]' and each member given to `add`.
  const showSpecial = (value, add) => {
    try {
      switch (apply(kindOf, value, [])) {
        case '[object Date]': return apply(dateText, value, []);
        case '[object RegExp]': return cut(apply(patternText, value, []), TEXT_CHARS);
        case '[object Map]': apply(eachOfMap, value, [(each, key) => add([key, each])]); return '[map]';
        case '[object Set]': apply(eachOfSet, value, [(each) => add(each)]); return '[set]';
      }
    } catch { /* it is only called so */ }
    return undefined;
  };
  const showMembers = (value, isList, parts, depth, seen) => {
    const keys = ownKeys(value);
    for (let at = 0; at < keys.length && shownLeft > 0; at++) {
      const key = keys[at];
      const found = describe(value, key);
      if (found === undefined || !found.enumerable) continue;
      const shown = 'value' in found ? showAny(found.value, depth + 1, seen) : '[getter]';
      const named = typeof key === 'symbol' ? '[' + String(key) + ']' : stringify(key);
      push(parts, isList ? shown : named + ':' + shown);
    }
  };
  const show = (value) => {
    shownLeft = MOST_SHOWN;
    return showAny(value, 0, []);
  };

  const say = (level, values, from) => {
    let line = '';
    for (let at = from; at < values.length; at++) {
      let shown;
      try {
        shown = show(values[at]);
      } catch {
        shown = '[cannot be shown]';
      }
      line = at === from ? cut(shown, 2 * TEXT_CHARS) : line + ' ' + cut(shown, 2 * TEXT_CHARS);
      if (line.length > 2 * TEXT_CHARS) break;
    }
    post('log', level, stringify(cut(line, 2 * TEXT_CHARS)));
  };
  const console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    console[level] = { [level]: (...values) => say(level, values, 0) }[level];
  }
  console.trace = (...values) => say('debug', values, 0);
  console.dir = (value) => say('log', [value], 0);
  console.table = (value) => say('log', [value], 0);
  console.group = (...values) => say('log', values, 0);
  console.groupEnd = () => {};
  const counts = new Map();
  console.count = (label = 'default') => {
    const count = (apply(mapGet, counts, [label]) ?? 0) + 1;
    apply(mapSet, counts, [label, count]);
    say('log', [label, ':', count], 0);
  };
  const starts = new Map();
  console.time = (label = 'default') => {
    touch();
    apply(mapSet, starts, [label, nativeNow()]);
  };
  console.timeEnd = (label = 'default') => {
    const since = apply(mapGet, starts, [label]);
    if (since !== undefined) say('log', [label, ':', nativeNow() - since, 'ms'], 0);
  };
  console.assert = (condition, ...values) => {
    if (!condition) say('error', values.length ? values : ['the assertion failed'], 0);
  };

  // ---- timers ----------------------------------------------------------------------------------------------
  const timers = new Map();
  let number = 0;
  const start = (callback, milliseconds, values, repeats) => {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function');
    let wait = +milliseconds;
    if (!(wait >= 0)) wait = 0;
    if (repeats && wait < 1) wait = 1;
    if (wait > 2147483647) wait = 2147483647;
    const id = ++number;
    if (post('timer', id, wait) === false) throw new RangeError('too many timers');
    apply(mapSet, timers, [id, { __proto__: null, callback, wait, values, repeats }]);
    return id;
  };
  const stop = (id) => {
    if (typeof id === 'number' && apply(mapHas, timers, [id])) {
      apply(mapDelete, timers, [id]);
      post('untimer', id);
    }
  };
  const fire = (id) => {
    const timer = apply(mapGet, timers, [id]);
    if (timer === undefined) return;
    if (timer.repeats) post('timer', id, timer.wait);
    else apply(mapDelete, timers, [id]);
    guarded(timer.callback, timer.values);
  };
  // What is thrown where nobody can catch it ends the call.
  const guarded = (callback, values) => {
    try {
      apply(callback, undefined, values);
    } catch (error) {
      fail(error);
    }
  };
  const queue = globalThis.queueMicrotask;

  // ---- chance and time -------------------------------------------------------------------------------------
  // A forked process has the random state of the one it came from: each call is seeded anew.
  let a = 0, b = 0, c = 0, d = 1;
  let isSeeded = false;
  const seed = (words) => {
    a = words[0] | 0; b = words[1] | 0; c = words[2] | 0; d = 1;
    isSeeded = true;
    for (let round = 0; round < 12; round++) next();
  };
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  const touch = () => {
    if (!isSeeded) post('touch');
  };
  const random = () => {
    touch();
    return ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
  };
  const NativeDate = Date;
  const nativeNow = primordials.now;
  const SharedDate = new Proxy(NativeDate, {
    __proto__: null,
    apply() {
      touch();
      return NativeDate();
    },
    construct(target, values, made) {
      if (values.length === 0) touch();
      return primordials.construct(target, values, made);
    },
  });
  const clock = globalThis.performance;

  const globals = {
    __proto__: null,
    console,
    setTimeout: (callback, milliseconds, ...values) => start(callback, milliseconds, values, false),
    setInterval: (callback, milliseconds, ...values) => start(callback, milliseconds, values, true),
    clearTimeout: (id) => stop(id),
    clearInterval: (id) => stop(id),
    queueMicrotask: (callback) => {
      if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
      queue(() => guarded(callback, []));
    },
    Date: SharedDate,
  };
  for (const name of ownKeys(globals)) {
    define(globalThis, name, { __proto__: null, value: globals[name], writable: true, configurable: true });
  }
  const replace = (object, name, value) => {
    define(object, name, { __proto__: null, value, writable: true, configurable: true });
  };
  replace(Math, 'random', random);
  replace(NativeDate, 'now', () => { touch(); return nativeNow(); });
  replace(NativeDate.prototype, 'constructor', SharedDate);
  if (clock !== undefined) {
    const read = clock.now;
    replace(globalThis, 'performance', { now: () => { touch(); return apply(read, clock, []); } });
  }

  // ---- the call --------------------------------------------------------------------------------------------
  const baseline = new Map();
  const builtins = new WeakSet();
  const learn = () => {
    for (const name of [...names(globalThis), ...names(Object.prototype), 'tools']) baseline.set(name, true);
    const found = [];
    const seen = new Set();
    const visit = (value) => {
      if ((typeof value === 'function' || (typeof value === 'object' && value !== null)) && !seen.has(value)) {
        seen.add(value);
        found.push(value);
        if (typeof value === 'function') builtins.add(value);
      }
    };
    visit(globalThis);
    while (found.length) {
      const object = found.pop();
      visit(prototypeOf(object));
      const keys = ownKeys(object);
      for (let at = 0; at < keys.length; at++) {
        const property = describe(object, keys[at]);
        if (property.get === undefined && property.set === undefined) {
          visit(property.value);
        } else {
          visit(property.get);
          visit(property.set);
        }
      }
    }
  };
  const isOurs = (value) => apply(weakHas, builtins, [value])
    || apply(endsWith, apply(functionText, value, []), ['{\n    [native code]\n}']);
  const generators = [prototypeOf(function* () {}), prototypeOf(async function* () {})];
  // Why the name is none to be called, or the function and ''.
  const find = (name) => {
    const no = (reason) => [undefined, name + ' ' + reason];
    if (apply(mapHas, baseline, [name])) return no('is a name that is there before the file: give the function another');
    let value;
    try {
      value = evaluate(name);
    } catch {
      return no('is not defined in the file');
    }
    if (typeof value !== 'function') return no('is not a function but ' + (value === null ? 'null' : typeof value));
    if (isOurs(value)) return no('is not a function the file defines itself');
    if (apply(slice, apply(functionText, value, []), [0, 5]) === 'class') return no('is a class, not a function');
    const made = prototypeOf(value);
    if (made === generators[0] || made === generators[1]) return no('is a generator: use a function that returns');
    return [value, ''];
  };

  // How a result is told, as the text it is or as the JSON of a value, and that text.
  const telling = (value) => {
    switch (typeof value) {
      case 'undefined': return ['done', '""'];
      case 'string': return ['done', stringify(value)];
      case 'bigint': throw new TypeError('the result is a BigInt, which JSON does not have: return String(value) instead');
      case 'symbol': throw new TypeError('the result is a Symbol, which JSON does not have: return its description instead');
      case 'function': throw new TypeError('the result is a function, which JSON does not have: return what it gives instead');
    }
    if (value === null) return ['done', '""'];
    let written;
    try {
      written = stringify(value);
    } catch (error) {
      const message = isError(error) ? property(error, 'message') : '';
      if (apply(indexOf, message, ['circular']) !== -1) {
        throw new TypeError('the result refers to itself, which JSON cannot show: return an object without cycles');
      }
      if (apply(indexOf, message, ['BigInt']) !== -1) {
        throw new TypeError('the result holds a BigInt, which JSON does not have: use String(value) in its place');
      }
      throw error;
    }
    return written === undefined ? ['done', '""'] : ['value', stringify(written)];
  };
  const done = (value) => {
    let told;
    try {
      told = telling(value);
    } catch (error) {
      fail(error);
      return;
    }
    post(told[0], told[1]);
  };
  const install = (tools) => {
    const functions = {};
    for (let at = 0; at < tools.length; at++) {
      const name = tools[at];
      define(functions, name, {
        __proto__: null, enumerable: true, value: (values) => host.call('tool', [name, values === undefined ? {} : values]),
      });
    }
    define(globalThis, 'tools', { __proto__: null, value: freeze(functions), writable: false, configurable: false });
  };

  const promisePrototype = Promise.prototype;
  let isStarted = false;
  const begin = (request) => {
    if (isStarted) return;
    isStarted = true;
    const asked = parse(request);
    if (asked.tools.length) install(asked.tools);
    const found = find(asked.function);
    if (found[1]) {
      post('missing', stringify(found[1]));
      return;
    }
    try {
      wait(apply(found[0], undefined, [asked.arguments]));
    } catch (error) {
      fail(error);
    }
  };
  // As `await` does, whatever the tool has made of promises. Without a constructor of its own a promise is given
  // a follower of the language, not one of the tool.
  const listen = (promise) => {
    define(promise, 'constructor', { __proto__: null, value: undefined, configurable: true });
    apply(then, promise, [done, fail]);
  };
  const wait = (value) => {
    if (value !== null && typeof value === 'object' && prototypeOf(value) === promisePrototype) {
      try {
        listen(value);
        return;
      } catch { /* it only looks like a promise, or was frozen */ }
    }
    listen(new Promise((resolve) => resolve(value)));
  };
  const check = (request) => {
    const asked = parse(request);
    const reasons = [];
    for (let at = 0; at < asked.functions.length; at++) {
      define(reasons, at, { __proto__: null, value: find(asked.functions[at])[1], enumerable: true });
    }
    post('checked', stringify(reasons));
  };

  return () => {
    learn();
    return (what, first, second) => {
      try {
        switch (what) {
          case 'seed': seed(parse(first)); break;
          case 'begin': begin(first); break;
          case 'check': check(first); break;
          case 'settle': host.settle(first, second); break;
          case 'fire': fire(first); break;
        }
      } catch (error) {
        fail(error);
      }
      return null;
    };
  };
})();
