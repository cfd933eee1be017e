"""The live line of a call that is being written or running."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from oneclaw.cli.lines import arguments_text
from oneclaw.cli.terminal import seconds_text

if TYPE_CHECKING:
    from rich.text import Text

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK_SECONDS = 0.1
INNER = "  "
"""Stands before a call that another one made."""
LEAST_CHARS = 20
"""Of the arguments, however narrow the screen is."""


@dataclass(slots=True)
class RunningCall:
    """A call on its way: its arguments are None while they are written, and `chars` counts them.

    parent     the id of the call that made this one, if one did
    is_headed  whether its line stands above the calls it made
    """

    tool: str
    arguments: Mapping[str, Any] | None = None
    parent: str = ""
    is_headed: bool = False
    chars: int = 0
    said: str = ""
    since: float = field(default_factory=monotonic)


def going_line(going: RunningCall, width: int) -> "Text":
    from rich.cells import cell_len
    from rich.text import Text

    sign = f"{INNER if going.parent else ''}{frame()} "
    line = Text.assemble((sign, "cyan"), (going.tool, "bold"), no_wrap=True, overflow="ellipsis")
    if going.arguments is None:
        return line.append(f" writing the call, {going.chars:,} characters", "dim")
    said = " ".join(part for part in (waited_text(going.since), going.said) if part)
    add_arguments(line, going.arguments, width - line.cell_len - cell_len(said) - 4)
    return line.append(f" · {said}" if said else "", "cyan")


def add_arguments(line: "Text", arguments: Mapping[str, Any], room: int) -> None:
    """Put the arguments of a call behind its name, as many as there is room for."""
    from rich.text import Text

    room = max(room, LEAST_CHARS)  # in cells: some letters take two
    given = Text(arguments_text(arguments, room))
    given.truncate(room, overflow="ellipsis")
    line.append(f" {given.plain}" if given else "", "dim")


def waited_text(since: float) -> str:
    """How long it has taken so far; nothing in the first second."""
    seconds = monotonic() - since
    return seconds_text(round(seconds, 1)) if seconds >= 1 else ""


def frame() -> str:
    """The sign that turns, as it is now."""
    return FRAMES[int(monotonic() / TICK_SECONDS) % len(FRAMES)]
