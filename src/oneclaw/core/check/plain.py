"""Limits, traversal and bounded copying of plain JSON values."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, cast

from oneclaw.core.check.problem import Path, clip, render_path, show

ARGUMENT_BYTES = 4 * 1024 * 1024
"""The largest arguments, as text; a mapping is counted as about what it would be as text."""

DEPTH = 64
"""The deepest nesting of objects and arrays: the validator walks values on the machine stack."""

VALUES = 250_000
"""The most values in one call's arguments."""

DIGITS = 4_300
"""The longest number: beyond it Python itself does not print an integer."""

LARGE_VALUES = 2_000
LARGE_CHARS = 524_288
"""Beyond this many values or characters only the first problem is looked for: each one costs a copy."""

_TOO_LONG = 10**DIGITS

TOO_DEEP = f"The arguments are nested deeper than {DEPTH} levels."
_TOO_MANY = f"The arguments hold more than {VALUES:,} values."


class ArgumentsRefused(ValueError):
    """Arguments that are not read at all; the text says why, in one sentence."""


def bound(size: int) -> None:
    if size > ARGUMENT_BYTES:
        raise ArgumentsRefused(f"The arguments are larger than {ARGUMENT_BYTES:,} bytes: send less at once.")


def copy(raw: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping as plain JSON of our own: nothing in it is shared with the caller."""
    try:
        return _copy_flat(raw) or _Copy().object(raw, ())
    except ArgumentsRefused:
        raise
    except Exception as error:  # a mapping is foreign code
        raise ArgumentsRefused(f"The arguments could not be read: {type(error).__name__}.") from None


def _copy_flat(raw: Mapping[Any, Any]) -> dict[str, Any] | None:
    """The copy of a small mapping of plain scalars, which most are; None for any other."""
    found: dict[str, Any] = {}
    for key, value in raw.items():
        if type(key) is not str or not key.isascii() or len(key) > 1_000:
            return None
        if type(value) is str:
            if not value.isascii() or len(value) > 100_000:
                return None
        elif type(value) is int:
            if not -_TOO_LONG < value < _TOO_LONG:
                return None
        elif value is not None and type(value) is not bool:
            return None
        found[key] = value
    return found if len(found) <= 20 else None


class _Copy:
    """One copy: what is left of its size, and how deep it is."""

    __slots__ = ("chars", "values")

    def __init__(self) -> None:
        self.chars = ARGUMENT_BYTES
        self.values = VALUES

    def object(self, raw: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        self.descend(path)
        found: dict[str, Any] = {}
        for key, value in raw.items():
            if not isinstance(key, str):
                raise ArgumentsRefused(
                    f"The arguments hold the key {clip(repr(key))}, which is not a string."
                )
            if type(value) is str:
                self.spend(len(key) + len(value))
                refuse_surrogates(value, (*path, key))
                found[key] = value
            else:
                self.spend(len(key))
                found[key] = (
                    value
                    if value is None or value is True or value is False
                    else self.value(value, (*path, key))
                )
            refuse_surrogates(key, path)
        return found

    def value(self, value: Any, path: Path) -> Any:
        self.spend(1)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            if not -_TOO_LONG < value < _TOO_LONG:
                raise ArgumentsRefused(
                    f"The number in '{render_path(path)}' has more than {DIGITS:,} digits."
                )
            return int(value)
        if isinstance(value, float):
            if not isfinite(value):
                raise ArgumentsRefused(f"{value!r} in '{render_path(path)}' is not a JSON number.")
            return float(value)
        if isinstance(value, str):
            self.spend(len(value))
            refuse_surrogates(value, path)
            return str.__str__(value)
        if isinstance(value, Mapping):
            return self.object(cast("Mapping[Any, Any]", value), path)
        if isinstance(value, list | tuple):
            self.descend(path)
            items = cast("list[Any]", value)
            return [self.value(item, (*path, index)) for index, item in enumerate(items)]
        raise ArgumentsRefused(f"'{render_path(path)}' is {show(value)}, which JSON cannot hold.")

    def descend(self, path: Path) -> None:
        if len(path) >= DEPTH:
            raise ArgumentsRefused(TOO_DEEP)

    def spend(self, chars: int) -> None:
        self.values -= 1
        self.chars -= chars
        if self.chars < 0:
            bound(ARGUMENT_BYTES + 1)
        if self.values < 0:
            raise ArgumentsRefused(_TOO_MANY)


def members(value: Any) -> Iterable[tuple[str | int, Any]]:
    """The steps from an object or array to the values in it; nothing for any other value."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).items()
    return enumerate(cast("list[Any]", value)) if isinstance(value, list) else ()


def walk(value: Any) -> Iterator[Any]:
    """The value and every value within it."""
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, dict):
            waiting.extend(cast("dict[str, Any]", each).values())
        elif isinstance(each, list):
            waiting.extend(cast("list[Any]", each))


def is_large(value: Any) -> bool:
    """Whether a value is too large for all that is wrong with it to be worth the cost of finding it."""
    chars = 0
    for count, each in enumerate(walk(value)):
        if isinstance(each, str):
            chars += len(each)
        if count > LARGE_VALUES or chars > LARGE_CHARS:
            return True
    return False


def inspect(value: Any) -> None:
    """Refuse a decoded value that is too deep, too many, or holds half a character."""
    count, level, depth = 0, [value], 0
    while level:
        count += len(level)
        if count > VALUES:
            raise ArgumentsRefused(_TOO_MANY)
        depth += 1
        below: list[Any] = []
        for each in level:
            if isinstance(each, str):
                refuse_surrogates(each, ())
            elif isinstance(each, dict):
                members = cast("dict[str, Any]", each)
                for key in members:
                    refuse_surrogates(key, ())
                below.extend(members.values())
            elif isinstance(each, list):
                below.extend(cast("list[Any]", each))
            else:
                continue
            if depth > DEPTH and not isinstance(each, str):
                raise ArgumentsRefused(TOO_DEEP)
        level = below


def refuse_surrogates(text: str, path: Path) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        where = f" in '{render_path(path)}'" if path else ""
        code = ord(text[error.start])
        raise ArgumentsRefused(
            f"The arguments hold half a character (U+{code:04X}){where}: send valid Unicode."
        ) from None
