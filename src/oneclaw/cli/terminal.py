"""What a person sees: colour and tables on a terminal, plain text in a pipe."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from rich.console import Console

MARKS = {"success": ("✓", "green"), "error": ("✗", "red"), "open": ("…", "yellow")}


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person reads this stream; NO_COLOR and TERM=dumb ask for plain text."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


def console(stream: IO[str] | None = None) -> "Console":
    from rich.console import Console

    return Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False)


def printable(text: str) -> str:
    """Text from outside as a terminal may be given it: lines and tabs kept, what moves the cursor escaped."""
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or char.isprintable() else visible(char) for char in text)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_line(text: str, style: str = "", stream: IO[str] | None = None) -> None:
    """One line; the style counts on a terminal only. Text from outside must have gone through `visible`."""
    target = stream or sys.stdout
    if style and is_terminal(target):
        console(target).print(text, style=style, soft_wrap=True)
    else:
        print(text, file=target)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], styles: Sequence[str] = ()) -> None:
    """A table on a terminal; tab-separated lines in a pipe, so that `cut` and `awk` can read them."""
    safe = [[visible(cell) for cell in row] for row in rows]
    if not is_terminal(sys.stdout):
        for row in safe:
            print("\t".join(row))
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, head in enumerate(heads):
        last = number == len(heads) - 1
        style = styles[number] if number < len(styles) else ""
        table.add_column(head, style=style, no_wrap=not last, overflow="fold" if last else "ellipsis")
    for row in safe:
        table.add_row(*row)
    console().print(table)


def seconds_text(seconds: float) -> str:
    """A duration a person reads at a glance: 0.4 ms, 38 ms, 1.2 s, 3 min 4 s."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def time_text(moment: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
