"""Hints for code written for Node or a browser."""

import re

_MODULES = "a tool is one file, without modules; fs, fetch, crypto and lib are there as they are"
_INSTEAD = {
    "require": _MODULES,
    "module": f"{_MODULES}, and functions are found by their names",
    "exports": f"{_MODULES}, and functions are found by their names",
    "process": "name environment variables in env of the manifest, and read them from the argument _env",
    "Buffer": "use Uint8Array, TextEncoder and base64",
    "Intl": "use time.format and lib.dates",
    "XMLHttpRequest": "use fetch",
    "axios": "use fetch",
    "window": "globals are reached by their names, or through globalThis",
    "global": "globals are reached by their names, or through globalThis",
    "document": "there is no page here, only data",
}
_MISSING = re.compile(r"ReferenceError: '?(\w+)'? is not defined")
_OF_MODULES = re.compile(r"\s*(?:import|export)\b")


def hint(words: str, line: str = "") -> str:
    """A hint for an error in this line; empty when its message says enough."""
    missing = _MISSING.fullmatch(words)
    if missing is not None:
        return _INSTEAD.get(missing[1], "")
    return _MODULES if words.startswith("SyntaxError: ") and _OF_MODULES.match(line) else ""
