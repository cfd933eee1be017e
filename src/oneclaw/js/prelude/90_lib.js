// lib: where the files of the folder lib put what they offer, each under its own name.
host.addLibrary = (() => {
  "use strict";
  const lib = {};
  const { defineProperty, freeze } = Object;
  host.kit.offer("lib", lib);
  return (name, library) =>
    defineProperty(lib, name, { value: freeze(library), enumerable: true, writable: false, configurable: false });
})();
