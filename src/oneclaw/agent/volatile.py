"""Strips values that differ in every result: times, durations and request ids."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

GONE = "~"
"""Stands where something was taken out."""

LEAST_ID = 1_000_000_000
"""A smaller number is neither a time nor an id."""

# Each pattern goes on after one digit that `_DIGIT` has taken: it is looked for fast because it comes first,
# and it must not stand in the middle of a word, a number or a place such as `main.c:12:30`.
_DIGIT, _END = r"[0-9](?<![\w.:][0-9])", r"(?![\w:])"
_DATE = r"\d{3}-\d\d-\d\d"
_ZONE = r"(?:Z|\s?[+-]\d\d:?\d\d)?"
_CLOCK = r"\d?:\d\d(?::\d\d(?:[.,]\d+)?)?"
_READING = r"\d?:\d\d:(?!00)\d\d(?:[.,]\d+)?"
_EPOCH = r"(?<=1)\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?"
_UNIT = r"(?:[mµun]?s|secs?|seconds?|mins?|minutes?|hours?|hrs?|(?:milli|micro|nano)(?:s|seconds?))"
_DURATION = rf"\d{{,9}}(?:\s?h\s?\d{{1,9}})?(?:\s?m\s?\d{{1,9}})?(?:\.\d+)?\s?{_UNIT}"
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")


@dataclass(frozen=True, slots=True, eq=False)
class Volatile:
    """Patterns of volatile values: member names, parts of texts, numbers and ids."""

    words: frozenset[str]
    endings: tuple[str, ...]
    texts: re.Pattern[str]
    takes_ids: bool = False


_IDS = ("requestid", "traceid", "spanid", "correlationid", "idempotencykey")

IN_RESULTS = Volatile(
    frozenset(
        {
            *("time", "timestamp", "ts", "date", "datetime"),
            *("duration", "elapsed", "latency", "took", "uptime"),
            *("seconds", "secs", "sec", "milliseconds", "millis", "ms", "microseconds", "nanoseconds"),
            *("nonce", "uuid", "guid"),
        }
    ),
    _IDS,
    re.compile(
        rf"{_DIGIT}(?:{_DATE}(?:[T ]\d{_CLOCK})?{_ZONE}|{_CLOCK}(?:\s?[AaPp]\.?[Mm]\b)?{_ZONE}"
        rf"|{_DURATION}|{_EPOCH}){_END}"
    ),
    takes_ids=True,
)
"""All that says when something was, how long it took, or which request it was."""

IN_ARGUMENTS = Volatile(
    frozenset({"timestamp", "nonce"}),
    _IDS,
    re.compile(rf"{_DIGIT}(?:{_DATE}[T ]\d)?{_READING}{_ZONE}{_END}"),
)
"""Machine-made values: request ids, and clock readings that are not on a full minute."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def strip_volatile(value: Any, volatile: Volatile) -> Any:
    """A plain value without what changes by itself; raises `RecursionError` for one nested too deep."""
    if type(value) is int and (value < LEAST_ID or not volatile.takes_ids):
        return value
    if isinstance(value, str):
        return _settle_text(value, volatile)
    if isinstance(value, Mapping):
        members = cast(Mapping[Any, Any], value)
        # In the order of the names, so that the same members read the same.
        names = sorted(members, key=str)
        return {str(name): _settle_member(str(name), members[name], volatile) for name in names}
    if isinstance(value, list | tuple):
        return [strip_volatile(each, volatile) for each in cast(Sequence[Any], value)]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1.0 and 1 are one value
    if volatile.takes_ids and isinstance(value, int | float) and LEAST_ID <= value < 2e18:
        return _settle_text(str(value), volatile)
    return value


def _settle_text(text: str, volatile: Volatile) -> str:
    if volatile.takes_ids and text.count("-") >= 4:
        text = _UUID.sub(GONE, text)
    return volatile.texts.sub(GONE, text)


def _settle_member(name: str, value: Any, volatile: Volatile) -> Any:
    # A yes or no is never a time, whatever its name: `up_to_date` turning true is news.
    if _is_named(name, volatile) and isinstance(value, str | int | float) and not isinstance(value, bool):
        return GONE
    return strip_volatile(value, volatile)


@lru_cache(1024)
def _is_named(name: str, volatile: Volatile) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    return not volatile.words.isdisjoint(words) or "".join(words).endswith(volatile.endings)
