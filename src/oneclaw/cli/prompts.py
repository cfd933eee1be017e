"""Asks questions at the terminal while a run or a call is shown."""

import asyncio
import os
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from oneclaw.cli.answer_words import CHOICES, COMMAND, EXPLAIN, hint, keys_of, option_lines, read_words, told
from oneclaw.cli.diff import ASKED_LINES, diff_lines, names_in_diff, without_shown
from oneclaw.cli.terminal import GAP, console, folded
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question
from oneclaw.core.text.display import visible

LINE_BYTES = 4096
WHO = "terminal"
"""The name that the store keeps with the answer."""


class _Moving(Protocol):
    def pause(self) -> None: ...

    def resume(self) -> None: ...


class Prompts:
    """Asks one question at a time, if a person reads and writes at the terminal.

    It pauses what moves on the screen, and reads only what is typed after the question is shown.
    """

    def __init__(self, broker: Broker, screen: _Moving) -> None:
        self._broker = broker
        self._screen = screen
        self._shown: Question | None = None
        self._unbind: Callable[[], None] | None = None

    def __enter__(self) -> "Prompts":
        if sys.stdin.isatty() and sys.stderr.isatty():
            self._unbind = self._broker.bind(self._show, self._withdraw)
        return self

    def __exit__(self, *_: object) -> None:
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
        line = b""
        with suppress(OSError):  # a terminal that is gone has no line, and would be ready to read for ever
            line = os.read(sys.stdin.fileno(), LINE_BYTES)
        give_line(prompt, line.decode("utf-8", "replace"), self._broker.answer)


def give_line(question: Question, line: str, give: Callable[..., bool]) -> None:
    """Answer a question with a line of the terminal; an end of the input declines."""
    err = console(sys.stderr)
    if not line:  # Ctrl-D leaves the cursor behind the arrow
        with suppress(OSError):
            err.print()
        give(question.id, "no" if question.kind == "permission" else None, who=WHO)
        return
    if line.strip() == EXPLAIN and question.kind == "permission":
        explain_question(question)
        print_arrow()
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
    """The question and what answers it, on stderr.

    A permission is short: what, why, the command or the diff, and one line of keys. `?` tells the rest.
    """
    if question.kind == "permission" and question.title:
        _print_permission(question)
    else:
        _print_whole(question)


def explain_question(question: Question) -> None:
    """All that is known of a permission: every argument, ids, and every key with its meaning."""
    err = console(sys.stderr)
    _print_whole(question, with_diff=False)
    for key, text, answer in CHOICES:
        if answer in question.answers:
            err.print(f"[{key}] {text}", soft_wrap=True)
    for number, rule in enumerate(question.rules, 2):
        err.print(f"[w{number}] yes, always: {visible(rule)}", soft_wrap=True)


def _print_permission(question: Question) -> None:
    err = console(sys.stderr)
    err.print(folded(question.title, err.width), style="bold yellow", soft_wrap=True)
    err.print(folded(question.why, err.width), soft_wrap=True)
    for line in question.warnings:
        err.print(folded(line, err.width), style="bold red", soft_wrap=True)
    in_diff = names_in_diff(question)
    for name, value in ((name, value) for name, value in question.given.items() if name not in in_diff):
        # Left to the terminal to break: folding drops the spaces at a break, and this is what would run.
        is_command = question.is_ruled and name == COMMAND
        err.print(f"  $ {_bare(value)}" if is_command else f"  {name} = {value}", soft_wrap=True)
    for line, style in diff_lines(question.diff, ASKED_LINES) if question.diff else ():
        err.print(f"  {line}", style=style or None, soft_wrap=True)
    for line in in_lines(keys_of(question), err.width):
        err.print(line, style="bold", soft_wrap=True)


def _print_whole(question: Question, *, with_diff: bool = True) -> None:
    err = console(sys.stderr)
    head, *asked = without_shown(question)
    extent = [asked.pop()] if question.kind == "permission" else []
    err.print(folded(head, err.width), style="bold yellow", soft_wrap=True)
    for line in (*asked, *option_lines(question)):
        shown = folded(line, err.width, GAP) if line.startswith("  by default: ") else line
        err.print(shown, style="bold red" if line.startswith("  Danger: ") else None, soft_wrap=True)
    for line, style in diff_lines(question.diff, ASKED_LINES) if question.diff and with_diff else ():
        err.print(f"  {line}", style=style or None, soft_wrap=True)
    for line in (*extent, hint(question)):
        if line:
            err.print(folded(line, err.width), style="dim", soft_wrap=True)


def _bare(value: str) -> str:
    """A text argument as it was shown, without its quotes, where nothing can be mistaken for that."""
    inner = value[1:-1]
    is_text = value[:1] == value[-1:] == '"' and len(value) > 1
    is_plain = is_text and inner == inner.strip() and '" …' not in inner
    return inner.replace('\\"', '"') if is_plain and inner else value


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
