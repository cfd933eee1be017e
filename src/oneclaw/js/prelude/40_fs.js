// fs: files of the workspace, through the host's guard. Each answer is there at once; `await` does no harm.
(() => {
  "use strict";
  const { TypeError, String } = globalThis;
  const { kit } = host;
  const { sync, offer, freeze, bytesOf, toBase64, fromBase64, toLowerCase } = kit;

  const pathOf = (path, name) => {
    if (typeof path !== "string") throw new TypeError("fs." + name + " needs a path, as text.");
    return path;
  };
  // Node calls it by the encoding, or by options that hold it.
  const encodingOf = (options) => {
    const encoding = options !== null && typeof options === "object" ? options.encoding : options;
    return encoding === undefined || encoding === null ? "utf-8" : toLowerCase(String(encoding));
  };

  offer(
    "fs",
    freeze({
      readFile(path, options) {
        const encoding = encodingOf(options);
        const answer = sync("fs.read", [pathOf(path, "readFile"), encoding]);
        return encoding === "bytes" ? fromBase64(answer) : answer;
      },
      writeFile(path, content) {
        const name = pathOf(path, "writeFile");
        const bytes = bytesOf(content);
        if (bytes === undefined && typeof content !== "string") {
          throw new TypeError("fs.writeFile needs text or bytes to write; make text of other values with JSON.stringify.");
        }
        if (bytes === undefined) sync("fs.write", [name, content, false]);
        else sync("fs.write", [name, toBase64(bytes), true]);
      },
      exists: (path) => sync("fs.exists", [pathOf(path, "exists")]),
      list: (path = ".") => sync("fs.list", [pathOf(path, "list")]),
    }),
  );
})();
