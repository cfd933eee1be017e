"""Reads the YAML front matter of a SKILL.md within bounds. The only file that imports yaml.

The parser gives one event after the other, so the bounds hold while it reads. No YAML type is constructed:
values are texts, lists, mappings and null. An anchor or an alias is refused, so nothing can multiply itself.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

MOST_CHARS = 64_000
MOST_EVENTS = 4_000
DEEPEST = 16

_FENCE = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NULL = ("", "~", "null", "Null", "NULL")


class UnreadableFrontMatter(Exception):
    """Front matter that is no YAML, or goes over a bound."""


def split(text: str) -> tuple[str | None, str]:
    """The front matter and the body of a SKILL.md; None where there is no front matter."""
    found = _FENCE.match(text)
    return (None, text) if found is None else (found[1], text[found.end() :])


def read(text: str) -> dict[str, Any]:
    """The fields of a front matter; empty where it is no mapping. Raises `UnreadableFrontMatter`."""
    if len(text) > MOST_CHARS:
        raise UnreadableFrontMatter(f"it has {len(text):,} characters; at most {MOST_CHARS:,} are read")
    import yaml

    parse: Callable[..., Iterator[Any]] = yaml.parse  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    try:
        value = _document(_bounded(parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))))
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f"line {error.problem_mark.line + 2}: "
        raise UnreadableFrontMatter(f"{line}{error.problem or 'it is no YAML'}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableFrontMatter(" ".join(str(error).partition(' in "<')[0].split())[:200]) from None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _bounded(events: Iterator[Any]) -> Iterator[Any]:
    depth = 0
    for number, event in enumerate(events):
        kind = type(event).__name__
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if number > MOST_EVENTS:
            raise UnreadableFrontMatter(f"it has more than {MOST_EVENTS:,} values")
        if depth > DEEPEST:
            raise UnreadableFrontMatter(f"it is nested deeper than {DEEPEST} levels")
        if getattr(event, "anchor", None) is not None:
            raise UnreadableFrontMatter("it uses an anchor or alias, which are not read; write the value out")
        if kind not in ("StreamStartEvent", "DocumentStartEvent"):
            yield event


def _document(events: Iterator[Any]) -> Any:
    first = next(events)
    return None if type(first).__name__ in ("StreamEndEvent", "DocumentEndEvent") else _value(first, events)


def _value(event: Any, events: Iterator[Any]) -> Any:
    kind = type(event).__name__
    if kind == "ScalarEvent":
        is_plain = event.style in (None, "") and event.implicit[0]
        return None if is_plain and event.value in _NULL else str(event.value)
    if kind == "SequenceStartEvent":
        found: list[Any] = []
        while type(event := next(events)).__name__ != "SequenceEndEvent":
            found.append(_value(event, events))
        return found
    fields: dict[str, Any] = {}
    while type(event := next(events)).__name__ != "MappingEndEvent":
        if type(event).__name__ != "ScalarEvent":
            raise UnreadableFrontMatter("a name of a field is no text")
        fields[str(event.value)] = _value(next(events), events)
    return fields
