"""Assembles Gemini call arguments that arrive in pieces."""

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
    """Puts the pieces together: `add` each, then ask for the `value`."""

    def __init__(self) -> None:
        self._root: dict[str, Any] = {}
        self._strings: dict[tuple[ArgumentStep, ...], tuple[Any, ArgumentStep, list[str]]] = {}
        self._growing: tuple[ArgumentStep, ...] | None = None

    def add(self, piece: Mapping[str, Any]) -> None:
        """Take in one piece; raises `PieceError` when it has no place."""
        path = read_path(piece.get("jsonPath"))
        goes_on = piece.get("willContinue") is True
        text = piece.get("stringValue")
        if isinstance(text, str) and path == self._growing:
            self._strings[path][2].append(text)
        else:
            value = text if isinstance(text, str) else _value_of(piece)
            holder, key = self._place(path)
            _put(holder, key, value)
            self._strings.pop(path, None)
            if isinstance(value, str):
                self._strings[path] = (holder, key, [value])
        self._growing = path if goes_on and isinstance(text, str) else None

    def merge(self, arguments: Mapping[str, Any]) -> None:
        """Take in whole arguments beside the pieces."""
        self._growing = None
        self._join()
        self._root.update(arguments)

    def value(self) -> dict[str, Any]:
        """The arguments as far as they came."""
        self._join()
        return deepcopy(self._root)

    def _join(self) -> None:
        for path, (holder, key, pieces) in [*self._strings.items()]:
            _put(holder, key, "".join(pieces))
            if path != self._growing:
                del self._strings[path]

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
