"""Parses raw arguments (text, bytes or mapping) into one bounded JSON object."""

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, cast

from oneclaw.core.check.plain import (
    DEPTH,
    DIGITS,
    TOO_DEEP,
    VALUES,
    ArgumentsRefused,
    bound,
    copy,
    inspect,
    refuse_surrogates,
)
from oneclaw.core.check.problem import clip, quote, show
from oneclaw.core.check.repair import (
    BLANK,
    CONTROL,
    REPAIR_CHARS,
    MalformedJson,
    Repair,
    TruncatedJson,
    has_odd_edge,
    repair,
)

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

ENCODED_TWICE = Repair("the arguments were JSON inside a JSON string and were decoded once more")
BYTE_ORDER_MARK = Repair("a byte order mark was removed")


def read(raw: object) -> tuple[dict[str, Any], list[Repair]]:
    """The object that text, bytes or a mapping hold, and what was repaired; raises `ArgumentsRefused`."""
    if isinstance(raw, str):
        return _read_text(raw)
    if isinstance(raw, dict | Mapping):  # the first answers at once
        return copy(cast("Mapping[Any, Any]", raw)), []
    if isinstance(raw, bytes | bytearray):
        bound(len(raw))
        try:
            return _read_text(raw.decode())
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise ArgumentsRefused(
                f"The arguments are not valid UTF-8: byte 0x{byte:02x} at position {error.start:,}."
            ) from None
    raise ArgumentsRefused(f"The arguments must be a JSON object, not {show(raw)}.")


def _read_text(text: str) -> tuple[dict[str, Any], list[Repair]]:
    bound(len(text))
    if not text or text.isspace():
        return {}, [BLANK] if has_odd_edge(text) else []
    repairs: list[Repair] = []
    value = _forgive(text, repairs)
    if isinstance(value, str):
        repairs.append(ENCODED_TWICE)
        value = _forgive(value, repairs)
    if not isinstance(value, dict):
        raise ArgumentsRefused(f"The arguments must be a JSON object, not {show(value)}.")
    return cast("dict[str, Any]", value), repairs


def _forgive(text: str, repairs: list[Repair]) -> Any:
    """Strict JSON, else JSON with raw control characters in strings, else a repair of small text."""
    if not text.isascii():
        refuse_surrogates(text, ())
        if text.startswith("\ufeff"):
            repairs.append(BYTE_ORDER_MARK)
            text = text[1:]
    try:
        return decode(text, _short if len(text) <= DIGITS else _strict)
    except json.JSONDecodeError:
        pass
    try:
        value = decode(text, _lenient)
        repairs.append(CONTROL)
        return value
    except json.JSONDecodeError as error:
        value, forgiven = _repair(text, error)
    repairs.extend(forgiven)
    inspect(value)
    return value


def _repair(text: str, error: json.JSONDecodeError) -> tuple[Any, list[Repair]]:
    if len(text) >= REPAIR_CHARS:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        if cut:
            raise _refuse_cut("the text ends before the object does")
        raise ArgumentsRefused(
            f"The arguments are not valid JSON ({error.msg} at {error.pos:,}): send one JSON object."
        )
    try:
        return repair(text, DEPTH, read_number)
    except TruncatedJson as cut:
        raise _refuse_cut(str(cut)) from None
    except MalformedJson as malformed:
        raise ArgumentsRefused(
            f"The arguments are not valid JSON ({malformed}): send one JSON object."
        ) from None


def _refuse_cut(reason: str) -> ArgumentsRefused:
    return ArgumentsRefused(f"The arguments were cut off ({reason}): send the whole JSON object again.")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ArgumentsRefused(
            f"The arguments hold the key {quote(twice)} twice in one object: send it once."
        )
    return found


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ArgumentsRefused(f"The number {clip(text, 40)} in the arguments is too large.")
    return number


def _integer(text: str) -> int:
    if len(text) > DIGITS and len(text.lstrip("-")) > DIGITS:
        raise ArgumentsRefused(f"A number in the arguments has {len(text):,} digits and may have {DIGITS:,}.")
    return int(text)


def _constant(text: str) -> Any:
    raise ArgumentsRefused(f"{text} in the arguments is not a JSON number.")


def read_number(text: str) -> int | float:
    """A number in JSON's own spelling, exact when whole, never infinite."""
    return _integer(text) if text.lstrip("-").isdigit() else _float(text)


def _decoder(strict: bool = True, parse_int: Callable[[str], int] | None = _integer) -> json.JSONDecoder:
    """Python's own decoder with the strictness it leaves to others."""
    return json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_float=_float,
        parse_int=parse_int,
        parse_constant=_constant,
        strict=strict,
    )


_strict, _lenient = _decoder(), _decoder(strict=False)
_short = _decoder(parse_int=None)  # no number in a short text is too long, so none has to be looked at


def decode(text: str, decoder: json.JSONDecoder = _strict) -> Any:
    """One JSON text, bounded; raises `json.JSONDecodeError` where it is not JSON, else `ArgumentsRefused`."""
    try:
        # Most text has no blanks around it; then the search for them can be left out.
        value, end = decoder.raw_decode(text) if text[:1] == "{" else (None, -1)
        if end != len(text):
            value = decoder.decode(text)
    except RecursionError:
        raise ArgumentsRefused(TOO_DEEP) from None
    is_suspect = len(text) > 2 * DEPTH and (
        text.count("{") + text.count("[") > DEPTH or text.count(",") > VALUES
    )
    if is_suspect or ("\\u" in text and _SURROGATE.search(text)):
        inspect(value)
    return value
