"""What a person sees: colour, folded lines and tables on a terminal, plain text in a pipe."""

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import IO, TYPE_CHECKING, Any

from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from rich.console import Console

STATE = "state"
"""The style of a column whose words bring their own."""
STYLES = {
    **dict.fromkeys(("on", "allow", "✓"), "green"),
    **dict.fromkeys(("off", "deny", "✗"), "red"),
    "…": "yellow",
}
LEAST_CHARS = 16
GAP = 2


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person reads this stream on a screen; TERM=dumb asks for plain text."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def console(stream: IO[str] | None = None) -> "Console":
    from rich.console import Console

    colours = None if os.environ.get("NO_COLOR") else "auto"
    return Console(
        file=stream or sys.stdout, color_system=colours, highlight=False, markup=False, emoji=False
    )


def printable(text: str) -> str:
    """Text from outside as a terminal may be given it: lines and tabs kept, what moves the cursor escaped."""
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or char.isprintable() else visible(char) for char in text)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def folded(text: str, width: int, indent: int = 0) -> str:
    """Text broken between words where it is wider than the screen; a longer word, as a path, stays whole.

    The lines that follow stand under the text of the first: as far in as it is, and `indent` more.
    """
    from rich.cells import cell_len

    lines: list[str] = []
    for whole in text.split("\n"):
        hanging = " " * (len(whole) - len(whole.lstrip(" ")) + indent)
        line = ""
        for word in re.findall(r" *[^ ]+ *$| *[^ ]+", whole):
            has_text = bool(line.strip()) and cell_len(line) > len(hanging)  # a label alone is no line
            if has_text and cell_len(line + word.rstrip(" ")) > width:
                lines.append(line)
                line = hanging + word.lstrip(" ")
            else:
                line += word
        lines.append(line)
    return "\n".join(lines)


def print_line(text: str, style: str = "", stream: IO[str] | None = None, indent: int = 0) -> None:
    """A line of prose, folded and styled on a terminal. What is from outside has gone through `visible`."""
    target = stream or sys.stdout
    if not is_terminal(target):
        print(text, file=target)
        return
    screen = console(target)
    screen.print(folded(text, screen.width, indent), style=style or None, soft_wrap=True)


def print_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], styles: Sequence[str] = (), wrapped: int = 1
) -> None:
    """A table on a terminal; tab-separated lines in a pipe, so that `cut` and `awk` can read them.

    The last `wrapped` columns take several lines where the screen is narrow; with 0 they are cut.
    """
    safe = [[visible(cell) for cell in row] for row in rows]
    if not is_terminal(sys.stdout):
        for row in safe:
            print("\t".join(row))
        return
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    screen = console()
    widths = [max(map(cell_len, column)) for column in zip(heads, *safe, strict=True)]
    room = max(LEAST_CHARS, screen.width - sum(widths[:-1]) - GAP * (len(heads) - 1))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for number, (head, style) in enumerate(zip_longest(heads, styles, fillvalue="")):
        is_last = number == len(heads) - 1
        is_wrapped = number >= len(heads) - wrapped
        table.add_column(
            head,
            style="" if style == STATE else style,
            no_wrap=not is_wrapped,
            overflow="fold" if is_wrapped else "ellipsis",
            min_width=min(widths[number], LEAST_CHARS) if is_last and wrapped < 2 else None,
            max_width=room if is_last and not is_wrapped else None,
        )
    for row in safe:
        styled = zip_longest(row, styles, fillvalue="")
        table.add_row(
            *(Text(cell, STYLES.get(cell, "")) if style == STATE else cell for cell, style in styled)
        )
    screen.print(table)


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
