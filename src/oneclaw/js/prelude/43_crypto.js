// crypto: chance, digests and signatures of messages, made by the worker process itself.
(() => {
  "use strict";
  const { DOMException, TypeError, String } = globalThis;
  const { kit } = host;
  const { local, offer, freeze, bytesOf, bytesFor, byteLength, put, toBase64, fromBase64, toHex } = kit;
  const { slice, toUpperCase, replace, pattern, bytesBuffer, kindOfArray, isView, test } = kit;
  const LIMIT = 65536;
  const DASHES = pattern(/[-_]/g);
  const FLOAT = pattern(/^Float/);

  const ALGORITHMS = { __proto__: null, MD5: "md5", SHA1: "sha1", SHA256: "sha256", SHA384: "sha384", SHA512: "sha512" };
  const algorithmOf = (algorithm) => {
    const name = algorithm !== null && typeof algorithm === "object" ? algorithm.name : algorithm;
    const known = ALGORITHMS[replace(DASHES, toUpperCase(String(name)), "")];
    if (known === undefined) {
      throw new DOMException(
        "crypto does not know the algorithm " + name + "; use SHA-1, SHA-256, SHA-384, SHA-512 or MD5.",
        "NotSupportedError",
      );
    }
    return known;
  };
  const digest = (algorithm, data) => fromBase64(local("digest", [algorithmOf(algorithm), toBase64(bytesFor(data))]));
  const hmac = (algorithm, key, data) =>
    fromBase64(local("hmac", [algorithmOf(algorithm), toBase64(bytesFor(key)), toBase64(bytesFor(data))]));

  const subtle = freeze({
    async digest(algorithm, data) {
      const bytes = bytesOf(data);
      if (bytes === undefined) throw new TypeError("crypto.subtle.digest needs an ArrayBuffer or a typed array.");
      return bytesBuffer(digest(algorithm, bytes));
    },
  });
  const randomBytes = (count) => fromBase64(local("randomBytes", [count]));

  offer(
    "crypto",
    freeze({
      subtle,
      // In hexadecimal, of text (as UTF-8) or bytes.
      digest: (algorithm, data) => toHex(digest(algorithm, data)),
      hmac: (algorithm, key, data) => toHex(hmac(algorithm, key, data)),
      getRandomValues(array) {
        const bytes = isView(array) && kindOfArray(array) !== undefined ? bytesOf(array) : undefined;
        if (bytes === undefined || test(FLOAT, kindOfArray(array))) {
          throw new DOMException("crypto.getRandomValues needs a typed array of integers.", "TypeMismatchError");
        }
        if (byteLength(bytes) > LIMIT) {
          throw new DOMException("crypto.getRandomValues fills at most " + LIMIT + " bytes at once.", "QuotaExceededError");
        }
        put(bytes, randomBytes(byteLength(bytes)));
        return array;
      },
      randomUUID() {
        const bytes = randomBytes(16);
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        const hex = toHex(bytes);
        const head = slice(hex, 0, 8) + "-" + slice(hex, 8, 12) + "-" + slice(hex, 12, 16);
        return head + "-" + slice(hex, 16, 20) + "-" + slice(hex, 20);
      },
    }),
  );
})();
