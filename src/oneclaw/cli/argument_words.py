"""Parses tool arguments from KEY=VALUE, KEY:=JSON, JSON text or a pipe."""

import json
import sys
from collections.abc import Sequence
from typing import Any


def read_arguments(words: Sequence[str], text: str | None) -> dict[str, Any] | str:
    """The arguments of the call: raw JSON text as it is, or a mapping made of the words."""
    if text is not None or list(words) == ["-"]:
        if text is not None and words:
            raise ValueError("give the arguments either as --json TEXT or as KEY=VALUE, not both.")
        return text if text is not None else sys.stdin.read()
    given: dict[str, Any] = {}
    for word in words:
        name, value = _read_word(word)
        if name in given:
            earlier = given[name]
            given[name] = [*earlier, value] if isinstance(earlier, list) else [earlier, value]
        else:
            given[name] = value
    return given


def _read_word(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise ValueError(f"{word[:100]!r} is not an argument: write KEY=VALUE, or KEY:=JSON.")
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json.loads(value)
    except ValueError as error:
        raise ValueError(f"{value[:100]!r} after {name}= is not JSON: {error}.") from None
    except RecursionError:
        raise ValueError(f"the JSON after {name}= is nested too deeply.") from None
