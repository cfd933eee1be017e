"""Converts single JSON values to the Python types of parameters.

A converter takes one JSON value and returns the Python value or raises `TypeMismatch`. Converters are
functions or partials of functions, never closures, so that a tool can be pickled for a worker process.
"""

import binascii
import re
import reprlib
from collections.abc import Callable
from typing import Any, NoReturn

Convert = Callable[[Any], Any]

_NUMBER = r"(\d{1,18}(?:[.,]\d{1,18})?)"
_DURATION = (
    rf"([+-]?)P(?=[\dT])(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?=\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?"
)

_brief = reprlib.Repr()
_brief.maxlevel = 2
_brief.maxstring = _brief.maxother = _brief.maxlong = 80


class TypeMismatch(Exception):
    """A value that is not what its type expects; `path` leads to it from the argument down."""

    def __init__(self, problem: str, expected: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.expected = expected
        self.path: list[str | int] = []

    def at(self, step: str | int) -> "TypeMismatch":
        self.path.insert(0, step)
        return self

    def __str__(self) -> str:
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return f"Argument {where.removeprefix('.') or 'value'!r} {self.problem}"


def misfit(value: object, expected: str) -> TypeMismatch:
    return TypeMismatch(f"is {shorten(value)}, but must be {expected}.", expected)


def refuse(value: object, expected: str) -> NoReturn:
    raise misfit(value, expected)


def shorten(value: object) -> str:
    """A value in at most a hundred characters, whatever it is."""
    try:
        text = _brief.repr(value)
    except Exception:  # a __repr__ of somebody else, or a number too long to print
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 100 else f"{text[:97]}..."


def keep(value: Any) -> Any:
    return value


def to_text(value: Any) -> str:
    return value if isinstance(value, str) else refuse(value, "a string")


def to_boolean(value: Any) -> bool:
    return value if isinstance(value, bool) else refuse(value, "true or false")


def to_integer(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return refuse(value, "an integer")


def to_float(value: Any) -> float:
    if isinstance(value, float):
        return value
    try:
        return float(to_number(value))
    except OverflowError:
        return refuse(value, "a number that fits a float")


def to_number(value: Any) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return refuse(value, "a number")


def to_nothing(value: Any) -> None:
    return None if value is None else refuse(value, "null")


def to_bytes(value: Any) -> bytes:
    try:
        return binascii.a2b_base64(to_text(value), strict_mode=True)
    except ValueError:
        return refuse(value, "base64 text")


def to_parsed(parse: Callable[[str], Any], expected: str, value: Any) -> Any:
    """Text that a type reads itself, as `date.fromisoformat` does."""
    try:
        return parse(to_text(value))
    except (ValueError, TypeMismatch):
        return refuse(value, expected)


def to_decimal(build: Callable[[str], Any], value: Any) -> Any:
    """A `Decimal`: text keeps every digit, a number has those its shortest form shows."""
    try:
        amount = build(value if isinstance(value, str) else repr(to_number(value)))
    except (ValueError, ArithmeticError, TypeMismatch):
        return refuse(value, "a decimal number")
    return amount if amount.is_finite() else refuse(value, "a decimal number")


def to_timedelta(build: Callable[..., Any], value: Any) -> Any:
    """A `timedelta`: ISO 8601 text such as PT1H30M, or a number of seconds."""
    try:
        if not isinstance(value, str):
            return build(seconds=to_number(value))
        match = re.fullmatch(_DURATION, value.strip())
        if match is None:
            return build(seconds=float(value))
        sign, *texts = match.groups()
        units = zip(("weeks", "days", "hours", "minutes", "seconds"), texts, strict=True)
        length = build(**{unit: float(text.replace(",", ".")) for unit, text in units if text})
        return -length if sign == "-" else length
    except (ValueError, OverflowError, TypeMismatch):
        return refuse(value, "an ISO 8601 duration such as PT1H30M, or a number of seconds")
