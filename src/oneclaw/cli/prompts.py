"""Questions while a run is shown: in their place, answered by a line of the terminal."""

import asyncio
import os
import sys
import termios
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from oneclaw.cli.front import give_line, print_arrow, print_question
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question

LINE_BYTES = 4096


class _Moving(Protocol):
    def pause(self) -> None: ...

    def resume(self) -> None: ...


class Prompts:
    """Bound while a run is shown. Reads the terminal only while it asks, and no line typed before that."""

    def __init__(self, broker: Broker, screen: _Moving) -> None:
        self._broker = broker
        self._screen = screen
        self._shown: Question | None = None
        self._unbind: Callable[[], None] | None = None

    def __enter__(self) -> "Prompts":
        if sys.stdin.isatty():
            self._unbind = self._broker.bind(self._show, self._withdraw)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._unbind is not None:
            self._unbind()
        self._stop_reading()

    def _show(self, prompt: Question) -> None:
        self._shown = prompt
        # What the model said before it asked is still on its way to the screen, and is to be read first.
        asyncio.get_running_loop().call_soon(self._ask, prompt)

    def _ask(self, prompt: Question) -> None:
        if self._shown is not prompt:  # settled meanwhile
            return
        self._screen.pause()
        print_question(prompt)
        # What was typed or pasted before the question was seen is no answer to it; what comes after the
        # arrow is, so the arrow comes last.
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        print_arrow()
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._read)

    def _withdraw(self, prompt_id: str) -> None:
        if self._shown is not None and self._shown.id == prompt_id:
            self._stop_reading()
            self._screen.resume()

    def _stop_reading(self) -> None:
        if self._shown is not None:
            self._shown = None
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

    def _read(self) -> None:
        """A line is there: the terminal gives whole lines."""
        prompt = self._shown
        if prompt is None:
            return
        line = os.read(sys.stdin.fileno(), LINE_BYTES)
        give_line(prompt, line.decode("utf-8", "replace"), self._broker.answer)
