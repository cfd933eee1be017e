"""A spinner on the terminal that names a running call once it takes long."""

import asyncio
import sys
from typing import TYPE_CHECKING, Self

from oneclaw.cli.terminal import console, is_terminal
from oneclaw.core.event import ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.run_event import RunEvent
from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from rich.status import Status

AFTER_SECONDS = 1.0


class Spinner:
    """Shows what the events say on stderr; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._label = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pause()

    def hear(self, event: RunEvent) -> None:
        match event:
            case ToolStarted():
                self._label = visible(event.tool)
                self.resume()
            case ToolProgressed():
                part = "" if event.fraction is None else f" {event.fraction:.0%}"
                self._label = f"{visible(event.tool)}{part} {visible(event.text)}"
                if self._status is not None:
                    self._status.update(self._label)
            case ToolFinished():
                self._label = ""
                self.pause()
            case _:
                pass

    def pause(self) -> None:
        """Take it off the screen."""
        if self._timer is not None:
            self._timer.cancel()
        if self._status is not None:
            self._status.stop()
            self._status = None

    def resume(self) -> None:
        """Show it again in a moment, if a call is still running."""
        self.pause()
        if self._label and is_terminal(sys.stderr):
            self._timer = asyncio.get_running_loop().call_later(AFTER_SECONDS, self._start)

    def _start(self) -> None:
        from rich.status import Status

        self._status = Status(self._label, console=console(sys.stderr))
        self._status.start()
