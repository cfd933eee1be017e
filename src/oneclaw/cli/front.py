"""A person at the terminal: shows what runs for long, and asks questions."""

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from oneclaw.cli.answer_words import CHOICES, hint, option_lines, read_words, told
from oneclaw.cli.terminal import GAP, console, folded, is_terminal
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event, ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question
from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from rich.status import Status

AFTER_SECONDS = 1.0
WHO = "terminal"
"""Who answers, as the store has it."""


class TerminalFront:
    """Bound while a command runs. Without a terminal it asks nobody and shows nothing."""

    def __init__(self, engine: Engine, broker: Broker) -> None:
        self._engine = engine
        self._broker = broker
        self._undo: list[Callable[[], None]] = []
        self._status: Status | None = None
        self._timer: Any = None
        self._label = ""
        self._shown: Question | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> "TerminalFront":
        if is_terminal(sys.stderr):
            self._undo.append(self._engine.subscribe(self._hear))
        if sys.stdin.isatty() and sys.stderr.isatty():
            self._undo.append(self._broker.bind(self._show, self._withdraw))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for undo in self._undo:
            undo()
        self._stop_status()

    def _hear(self, event: Event) -> None:
        if isinstance(event, ToolStarted):
            self._label = event.tool
            self._await_status()
        elif isinstance(event, ToolProgressed):
            part = "" if event.fraction is None else f" {event.fraction:.0%}"
            self._label = f"{event.tool}{part} {visible(event.text)}"
            if self._status is not None:
                self._status.update(self._label)
        elif isinstance(event, ToolFinished):
            self._stop_status()

    def _await_status(self) -> None:
        import asyncio

        self._timer = asyncio.get_running_loop().call_later(AFTER_SECONDS, self._start_status)

    def _start_status(self) -> None:
        from rich.status import Status

        self._status = Status(self._label, console=console(sys.stderr))
        self._status.start()

    def _stop_status(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _show(self, prompt: Question) -> None:
        import asyncio

        self._stop_status()
        # What the model said before it asked is still on its way to the screen, and is to be read first.
        asyncio.get_running_loop().call_soon(self._ask, prompt)

    def _ask(self, prompt: Question) -> None:
        if prompt not in self._broker.pending():  # settled meanwhile
            return
        self._shown = prompt
        print_question(prompt)
        print_arrow()
        if self._reader is None:
            # Waiting for a key must not hold up the loop, where the time limit of the prompt runs.
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()

    def _withdraw(self, prompt_id: str) -> None:
        if self._shown is not None and self._shown.id == prompt_id:
            self._shown = None
            if self._label:  # a question on the way: the tool is running on
                self._await_status()

    def _read(self) -> None:
        """One reader for all prompts: a line answers the prompt that is shown when it comes."""
        while True:
            line = sys.stdin.readline()
            prompt = self._shown
            if prompt is None:
                if not line:
                    return
                continue
            give_line(prompt, line, self._broker.answer_threadsafe)
            if not line:
                return


def give_line(question: Question, line: str, give: Callable[..., bool]) -> None:
    """Answer a question with a line of the terminal; an end of the input declines."""
    err = console(sys.stderr)
    if not line:  # Ctrl-D leaves the cursor behind the arrow
        err.print()
        give(question.id, "no" if question.kind == "permission" else None, who=WHO)
        return
    try:
        said = read_words(question, line)
        is_given = give(question.id, said.answer, pattern=said.pattern or None, seconds=said.seconds, who=WHO)
    except ValueError as error:
        err.print(folded(visible(str(error)), err.width), style="red", soft_wrap=True)
        print_arrow()
        return
    meaning = told(question, said)
    if is_given and meaning and (said.pattern or said.seconds):
        err.print(folded(visible(meaning), err.width), style="dim", soft_wrap=True)


def print_question(question: Question) -> None:
    """The question and what answers it, on stderr."""
    err = console(sys.stderr)
    head, *asked = question.text.split("\n")
    extent = [asked.pop()] if question.kind == "permission" else []
    err.print(folded(head, err.width), style="bold yellow", soft_wrap=True)
    for line in (*asked, *option_lines(question)):
        # Left to the terminal to break: folding drops the spaces at a break, and this is what would run.
        shown = folded(line, err.width, GAP) if line.startswith("  by default: ") else line
        err.print(shown, style="bold red" if line.startswith("  Danger: ") else None, soft_wrap=True)
    for line in (*extent, hint(question)):
        if line:
            err.print(folded(line, err.width), style="dim", soft_wrap=True)
    if question.kind == "permission":
        offered = [f"[{key}] {text}" for key, text, answer in CHOICES if answer in question.answers]
        for line in in_lines(offered, err.width):
            err.print(line, soft_wrap=True)


def print_arrow() -> None:
    """The sign that an answer is read now."""
    console(sys.stderr).print("> ", end="")


def in_lines(choices: list[str], width: int) -> list[str]:
    """The choices side by side, as many as fit; none is broken."""
    lines: list[str] = []
    for choice in choices:
        if lines and len(lines[-1]) + GAP + len(choice) <= width:
            lines[-1] += " " * GAP + choice
        else:
            lines.append(choice)
    return lines
