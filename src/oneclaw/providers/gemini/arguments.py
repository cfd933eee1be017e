"""Assembles Gemini call arguments that arrive in pieces."""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, cast

ArgumentStep = str | int
_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]]+)|\[(?P<index>\d{1,9})\]|\[(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]"""
)
_MOST_STEPS = 100


class PieceError(ValueError):
    """A piece that fits nowhere in the arguments that came before it."""


class PiecedArguments:
    """Puts the pieces together: `add` each, `end` when the call is closed, then `value`.

    `add` and `end` give the text of the arguments as it grows, for those who watch. It is JSON as long as the
    pieces come in the order of a document, as they do; `value` is right in any order.
    """

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._strings: dict[tuple[ArgumentStep, ...], tuple[Any, ArgumentStep, list[str]]] = {}
        self._growing: tuple[ArgumentStep, ...] | None = None
        self._text = _GrowingJson()

    def add(self, piece: Mapping[str, Any]) -> str:
        """Take in one piece; raises `PieceError` when it has no place."""
        path = read_path(piece.get("jsonPath"))
        goes_on = piece.get("willContinue") is True
        text = piece.get("stringValue")
        if isinstance(text, str):
            return self._add_string(path, text, goes_on)
        value = _value_of(piece)
        holder, key = self._place(path)
        _put(holder, key, value)
        self._strings.pop(path, None)
        self._growing = None
        return self._text.open(path) + json.dumps(value)

    def merge(self, arguments: Mapping[str, Any]) -> None:
        """Take in whole arguments beside the pieces."""
        self._growing = None
        self._join()
        self._root.update(arguments)

    def end(self) -> str:
        """The rest of the text: whatever is open is closed."""
        return self._text.end()

    def value(self) -> dict[str, Any]:
        """The arguments as far as they came."""
        self._join()
        return deepcopy(self._root)

    def _join(self) -> None:
        for path, (holder, key, pieces) in [*self._strings.items()]:
            _put(holder, key, "".join(pieces))
            if path != self._growing:
                del self._strings[path]

    def _add_string(self, path: tuple[ArgumentStep, ...], text: str, goes_on: bool) -> str:
        if path == self._growing:
            self._strings[path][2].append(text)
            shown = _inner(text)
        else:
            holder, key = self._place(path)
            _put(holder, key, text)
            self._strings[path] = (holder, key, [text])
            shown = self._text.open(path) + '"' + _inner(text)
            self._text.is_quoted = True
        self._growing = path if goes_on else None
        return shown if goes_on else shown + self._text.unquote()

    def _place(self, path: tuple[ArgumentStep, ...]) -> tuple[Any, ArgumentStep]:
        """The object or list a path ends in, and the last step into it; what is missing is made."""
        holder: Any = self._root
        for step, following in pairwise(path):
            made: Any = [] if isinstance(following, int) else {}
            _check_step(holder, step)
            if (step == len(holder)) if isinstance(step, int) else (step not in holder):
                _put(holder, step, made)
            holder = holder[step]
        _check_step(holder, path[-1])
        return holder, path[-1]


def read_path(path: object) -> tuple[ArgumentStep, ...]:
    """The steps of a path such as `$.recipe.steps[0]`; raises `PieceError` for anything else."""
    if not isinstance(path, str) or not path.startswith("$"):
        raise PieceError(f"the path {str(path)[:80]!r} cannot be read")
    steps: list[ArgumentStep] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or len(steps) == _MOST_STEPS:
            raise PieceError(f"the path {path[:80]!r} cannot be read")
        if found["index"] is not None:
            steps.append(int(found["index"]))
        else:
            quoted = found["quoted"]
            steps.append(found["name"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted[1:-1]))
        at = found.end()
    if not steps or isinstance(steps[0], int):
        raise PieceError(f"the path {path[:80]!r} leads to no argument")
    return tuple(steps)


def _value_of(piece: Mapping[str, Any]) -> Any:
    for key in ("numberValue", "boolValue"):
        if isinstance(piece.get(key), int | float):
            return piece[key]
    if "nullValue" in piece:
        return None
    raise PieceError("a piece has no value that can be read")


def _check_step(holder: Any, step: ArgumentStep) -> None:
    """Lists grow by one at a time: a far index would have room made for all before it."""
    if isinstance(step, int):
        if not isinstance(holder, list) or step > len(cast("Sequence[Any]", holder)):
            raise PieceError(f"there is no place {step} in a list")
    elif not isinstance(holder, dict):
        raise PieceError(f"{step[:80]!r} belongs to something that is no object")


def _put(holder: Any, key: ArgumentStep, value: Any) -> None:
    if isinstance(key, int) and key == len(holder):
        holder.append(value)
    else:
        holder[key] = value


def _inner(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class _GrowingJson:
    """JSON text that grows: which objects and lists are open, and whether they have anything in them."""

    def __init__(self) -> None:
        self._path: list[ArgumentStep] = []
        self._is_begun = False
        self._has_items: list[bool] = []
        self.is_quoted = False

    def open(self, path: tuple[ArgumentStep, ...]) -> str:
        """Close what does not lead to `path`, open what does, up to where its value begins."""
        shared = 0
        while shared < min(len(path), len(self._path)) - 1 and path[shared] == self._path[shared]:
            shared += 1
        text = self.unquote() + self._close(shared + 1) + ("" if self._is_begun else self._begin())
        for step, following in zip(path[shared:], [*path[shared + 1 :], None], strict=True):
            comma = "," if self._has_items[-1] else ""
            self._has_items[-1] = True
            text += comma + (f'"{_inner(step)}":' if isinstance(step, str) else "")
            if following is not None:
                text += "[" if isinstance(following, int) else "{"
                self._has_items.append(False)
        self._path = list(path)
        return text

    def unquote(self) -> str:
        text = '"' if self.is_quoted else ""
        self.is_quoted = False
        return text

    def end(self) -> str:
        begun = "" if self._is_begun else self._begin()
        return begun + self.unquote() + self._close(1) + "}"

    def _begin(self) -> str:
        self._is_begun = True
        self._has_items.append(False)
        return "{"

    def _close(self, depth: int) -> str:
        """Close all but the outer `depth` objects and lists."""
        text = ""
        while len(self._has_items) > depth:
            self._has_items.pop()
            text += "]" if isinstance(self._path[len(self._has_items)], int) else "}"
        return text
