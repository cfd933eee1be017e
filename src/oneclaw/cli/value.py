"""Prints a tool's value for people, one field a line."""

import json
from collections.abc import Mapping
from typing import Any

from oneclaw.cli.terminal import GAP, console, print_line, printable
from oneclaw.core.text.display import visible

INDENT = " " * GAP


def print_fields(
    fields: Mapping[str, Any], labels: Mapping[str, str] | None = None, indent: str = ""
) -> None:
    """Each field that says something, its name before it; `labels` are names people know it by."""
    shown = {
        visible((labels or {}).get(name, name)): value for name, value in fields.items() if is_said(value)
    }
    width = max(map(len, shown), default=0) + GAP
    for label, value in shown.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if isinstance(value, Mapping) and not indent:
            print_line(f"{indent}{label}", "bold")
            print_fields(value, indent=indent + INDENT)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(value, Mapping) or is_nested(value):
            print_block(label, json.dumps(value, ensure_ascii=False, indent=2), indent)
        elif "\n" in text:
            print_block(label, text, indent)
        else:
            print_line(f"{indent}{label:<{width}}{printable(text)}", indent=width)


def has_fields(value: Any) -> bool:
    """Whether there is a field to show."""
    return isinstance(value, Mapping) and any(map(is_said, value.values()))  # pyright: ignore[reportUnknownArgumentType]


def is_said(value: Any) -> bool:
    return value is not None and value not in ("", (), [], {})


def is_nested(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(each, Mapping | list | tuple) for each in value)  # pyright: ignore[reportUnknownVariableType]


def print_block(label: str, text: str, indent: str) -> None:
    """A text of several lines as it is, but for what would move the cursor; the terminal breaks its lines."""
    print_line(f"{indent}{label}", "bold")
    screen = console()
    for line in printable(text).splitlines():
        screen.print(f"{indent}{INDENT}{line}", soft_wrap=True)
