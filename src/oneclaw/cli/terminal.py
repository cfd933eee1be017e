"""Terminal output: colour, wrapping and tables; plain text in a pipe."""

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
    from rich.text import Text

STATE = "state"
"""The style of a column whose words bring their own."""
STYLES = {
    **dict.fromkeys(("on", "allow", "✓"), "green"),
    **dict.fromkeys(("off", "deny", "✗"), "red"),
    "…": "yellow",
}
LEAST_CHARS = 8
"""How much is shown of a cell that is cut."""
READABLE_CHARS = 24
"""How wide a column of prose must at least be to be read down."""
NARROW_CHARS = 16
"""How wide, where there are many such columns."""
GAP = 2
ID_CHARS = 8


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


def print_json(value: Any) -> int:
    """Print a value as JSON; returns 0, the exit code of a command that has done its work."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))
    return 0


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
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    styles: Sequence[str] = (),
    wrapped: int = 1,
    *,
    is_escaped: bool = False,
) -> int:
    """A table on a terminal; tab-separated lines in a pipe, so that `cut` and `awk` can read them.

    The last `wrapped` columns take several lines where they must; with 0 the last is cut. Where the screen is
    too narrow for columns, each row is a few lines. `is_escaped` says that the cells are safe as they are.
    Returns 0, as `print_json` does.
    """
    safe = [list(row) if is_escaped else [visible(cell) for cell in row] for row in rows]
    if not is_terminal(sys.stdout):
        for row in safe:
            print("\t".join(row))
        return 0
    from rich.cells import cell_len

    screen = console()
    widths = [max(map(cell_len, column)) for column in zip(heads, *safe, strict=True)]
    first = len(heads) - wrapped
    readable = READABLE_CHARS if wrapped < 3 else NARROW_CHARS
    least = [*widths[:first], *(min(width, readable) for width in widths[first:])]
    if not wrapped:
        least[-1] = min(widths[-1], LEAST_CHARS)
    if sum(least) + GAP * (len(heads) - 1) > screen.width:
        _print_stacked(screen, heads, safe, styles, is_cut=not wrapped)
        return 0
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    room = max(LEAST_CHARS, screen.width - sum(widths[:-1]) - GAP * (len(heads) - 1))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for number, head in enumerate(heads):
        is_last = number == len(heads) - 1
        is_wrapped = number >= first
        table.add_column(
            head,
            no_wrap=not is_wrapped,
            overflow="fold" if is_wrapped else "ellipsis",
            min_width=least[number],
            max_width=room if is_last and not is_wrapped else None,
        )
    for row in safe:
        table.add_row(*(_styled(cell, style) for cell, style in zip_longest(row, styles, fillvalue="")))
    screen.print(table)
    return 0


def _styled(cell: str, style: str) -> "Text":
    from rich.text import Text

    return Text(cell, _style_of(cell, style))


def _print_stacked(
    screen: "Console",
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    styles: Sequence[str],
    is_cut: bool,
) -> None:
    """Each row on lines of its own: what names it, then the rest with its heads, then the last cell."""
    from rich.text import Text

    styles = [*styles, *[""] * (len(heads) - len(styles))]
    named = max((number for number, style in enumerate(styles) if style == "bold"), default=0) + 1
    marks = max((len(row[0]) for row in rows), default=0) if STATE in styles[:1] else 0
    indent = " " * (marks + GAP if marks else GAP)
    for row in rows:
        line = Text()
        for cell, style in zip(row[:named], styles[:named], strict=True):
            line.append(f"{cell:<{marks}}" if not line else cell, _style_of(cell, style)).append(" " * GAP)
        line.rstrip()
        screen.print(line, soft_wrap=True)
        rest = zip(heads[named:-1], row[named:-1], strict=True)
        middle = " · ".join(f"{head.lower()}: {cell}" for head, cell in rest if cell)
        last = row[-1] if named < len(row) else ""
        if middle:
            screen.print(folded(indent + middle, screen.width), soft_wrap=True)
        if last:
            shown = Text(indent + last if is_cut else folded(indent + last, screen.width))
            if is_cut:
                shown.truncate(screen.width, overflow="ellipsis")
            screen.print(shown, soft_wrap=True)


def _style_of(cell: str, style: str) -> str:
    return STYLES.get(cell, "") if style == STATE else style


def seconds_text(seconds: float) -> str:
    """A duration a person reads at a glance: 0.4 ms, 38 ms, 1.2 s, 3 min 4 s, 23 h 59 min."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def time_text(moment: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def list_time(moment: float) -> str:
    """A moment in a list: on a terminal short, the time of today or the day of an earlier one."""
    from datetime import datetime

    if not is_terminal(sys.stdout):
        return time_text(moment)
    then = datetime.fromtimestamp(moment).astimezone()
    is_today = then.date() == datetime.now().astimezone().date()
    return then.strftime("%H:%M:%S" if is_today else "%Y-%m-%d")


def short_id(session_id: str) -> str:
    """The short id of a session: the first characters of its random half."""
    return session_id.rpartition("-")[2][:ID_CHARS]


def list_id(name: str) -> str:
    """The id of a session or a run in a list: on a terminal short."""
    return short_id(name) if is_terminal(sys.stdout) else name
