// base64 for text and bytes; atob and btoa are the engine's own.
(() => {
  "use strict";
  const { TypeError } = globalThis;
  const { kit } = host;
  const { offer, freeze, bytesOf, encodeUtf8, decodeUtf8, toText, toBase64, fromBase64 } = kit;
  const { replace, pattern } = kit;
  const BLANKS = pattern(/[\t\n\f\r ]+/g);
  const DASHES = pattern(/-/g);
  const LOWER = pattern(/_/g);

  // Both alphabets, with and without the signs at the end.
  const decodeBytes = (text) => {
    const plain = replace(LOWER, replace(DASHES, replace(BLANKS, toText(text), ""), "+"), "/");
    try {
      return fromBase64(plain);
    } catch {
      throw new TypeError("The text is not base64.");
    }
  };
  const bytesFor = (data) => bytesOf(data) ?? encodeUtf8(toText(data));

  offer(
    "base64",
    freeze({
      // Of text, as UTF-8, or of bytes.
      encode: (data) => toBase64(bytesFor(data)),
      // The same in the alphabet of addresses, without = at the end.
      encodeUrl: (data) => toBase64(bytesFor(data), { __proto__: null, alphabet: "base64url", omitPadding: true }),
      decode: (text) => decodeUtf8(decodeBytes(text)),
      decodeBytes: (text) => decodeBytes(text),
    }),
  );
  kit.bytesFor = bytesFor;
})();
