"""Validates the fields of a manifest entry."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, cast, get_args

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import InvalidTool
from oneclaw.core.permit.need import NEEDS
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import NAME, Effect, ToolDefinition

ENVIRONMENT = "_env"
"""The argument that holds the environment variables a tool named."""
SECONDS = 30.0
MOST_SECONDS = 86_400.0
DESCRIPTION_CHARS = 10_000
WORD_CHARS = 200
QUOTED_CHARS = 80

NAMES = (
    *("name", "description", "function", "parameters", "requiredPermissions", "timeoutSeconds"),
    *("label", "env", "effect", "version", "defaultOn", "examples"),
)
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

FUNCTION = re.compile(r"[a-zA-Z_$][a-zA-Z0-9_$]*\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NEED = re.compile(r"[!-~]{1,100}\Z")
_TIME = f"above 0 and at most {MOST_SECONDS:,.0f}"
_EFFECT = f"one of {', '.join(get_args(Effect))}"


class Fields:
    """Reads one entry: `wrong` is why it cannot be taken, `odd` what it says in vain."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self.wrong: list[str] = []
        self.odd: list[str] = []

    def name(self, wanted: str | None) -> str:
        """The name; `wanted` is the only one it may be."""
        name = self._document.get("name")
        if not isinstance(name, str) or not name:
            self.wrong.append("it has no name: add the field name, a text.")
            return ""
        if not NAME.match(name):
            self.wrong.append(
                f"the name {quote(name)} is not allowed: use lower-case letters, digits and _, starting with"
                " a letter, at most 64 characters."
            )
            return ""
        if wanted is not None and name != wanted:
            self.wrong.append(
                f"its name is not that of its file, {quote(wanted)}: rename one of them, or write an array,"
                " a group, whose names are free."
            )
        return name

    def function(self) -> str:
        """The function that does the work of an entry of a group."""
        function = self._document.get("function")
        if function is None:
            self.wrong.append("it has no function: name the function of the file that does its work.")
        elif not isinstance(function, str) or not FUNCTION.match(function):
            self.wrong.append(
                f"the function name {quote(function)} is not allowed: use letters, digits, _ and $, and no"
                " digit first."
            )
        elif function in RESERVED:
            self.wrong.append(
                f"the function {function} is not the file's own, but one that every file has; name one that"
                " the file defines."
            )
        return function if isinstance(function, str) else ""

    def definition(self, name: str, function: str, group: str, digest: str) -> ToolDefinition | None:
        """The definition; None when something is wrong."""
        version = self._text("version", "1")
        values: dict[str, Any] = {
            "description": self._text("description", None, DESCRIPTION_CHARS),
            "parameters": self._parameters(),
            "label": self._text("label", ""),
            "needs": self._needs(),
            "seconds": float(self._checked("timeoutSeconds", SECONDS, _is_time, _TIME)),
            "effect": self._checked("effect", "unknown", get_args(Effect).__contains__, _EFFECT),
            "default_on": self._checked("defaultOn", True, lambda on: isinstance(on, bool), "true or false"),
            "secrets": self._words("env", _VARIABLE, "names of environment variables, as API_KEY"),
        }
        if self.wrong:
            return None
        try:
            # Of the function too: another function of the same file is other work under the same name.
            # And all of the hash: two files that agree in its first letters an author can make at leisure.
            work = hashlib.sha256(f"{function}\n{digest}".encode()).hexdigest()
            made = ToolDefinition(
                name=name, group=group, version=f"{version}+{work}", isolation="inline", **values
            )
            ArgumentCheck(made)
        except InvalidTool as error:
            self.wrong.append(f"its parameters cannot be used: {error}")
            return None
        return made

    def warn_of_unknown(self) -> None:
        for field in self._document:
            if field not in NAMES:
                near = get_close_matches(field, NAMES, n=1, cutoff=0.6)
                hint = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(NAMES)}."
                self.odd.append(f"the field {quote(field)} is not known; {hint}")

    def _text(self, field: str, default: str | None, chars: int = WORD_CHARS) -> str:
        """A text; without a default it must be there and say something."""
        value = self._document.get(field, default)
        if value is None and field not in self._document:
            self.wrong.append(f"it has no {field}: add the field {field}, a text.")
        elif not isinstance(value, str):
            self.wrong.append(f"{field} must be a text, not {quote(value)}.")
        elif len(value) > chars:
            self.wrong.append(f"{field} has {len(value):,} characters, and at most {chars:,} are taken.")
        elif not value.strip() and default is None:
            self.wrong.append(f"{field} is empty: say what the tool does, for the model that reads it.")
        else:
            return value
        return ""

    def _parameters(self) -> Mapping[str, Any]:
        given = self._document.get("parameters", {})
        if not is_object(given):
            self.wrong.append(f"parameters must be a JSON Schema of an object, not {quote(given)}.")
            return {}
        properties = given.get("properties", {})
        if is_object(properties) and ENVIRONMENT in properties:
            self.wrong.append(
                f"a parameter cannot be named {ENVIRONMENT}: environment variables are given under that name."
            )
        return {"type": "object", **given}

    def _needs(self) -> tuple[str, ...]:
        needs = self._words("requiredPermissions", _NEED, "names of permissions, as files.read")
        for need in needs:
            if need not in NEEDS:
                near = get_close_matches(need, NEEDS, n=1, cutoff=0.6)
                hint = f"Did you mean {near[0]}?" if near else f"Those we know are {', '.join(NEEDS)}."
                self.odd.append(
                    f"the permission {quote(need)} is not known, so a person is asked for it. {hint}"
                )
        return needs

    def _words(self, field: str, pattern: re.Pattern[str], what: str) -> tuple[str, ...]:
        given: Any = self._document.get(field, [])
        words = cast(list[str], given) if isinstance(given, list) else None
        if words is None or not all(isinstance(word, str) and pattern.match(word) for word in words):  # pyright: ignore[reportUnnecessaryIsInstance]
            self.wrong.append(f"{field} must be an array of {what}, not {quote(given)}.")
            return ()
        return tuple(dict.fromkeys(words))

    def _checked(self, field: str, default: Any, is_right: Callable[[Any], bool], right: str) -> Any:
        """A value that is right, or the default; `right` says what it must be."""
        given = self._document.get(field, default)
        if is_right(given):
            return given
        self.wrong.append(f"{field} must be {right}, not {quote(given)}.")
        return default


def _is_time(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= MOST_SECONDS


def quote(value: Any) -> str:
    """A value from a manifest or of a result as JSON, its beginning where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= QUOTED_CHARS else f"{text[: QUOTED_CHARS - 1]}…"
