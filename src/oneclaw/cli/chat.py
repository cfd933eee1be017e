"""`oneclaw chat`: an interactive conversation with an agent.

The event loop stands still while a line is typed: the line editor has the terminal to itself, and Ctrl-C
there is only about the line. While an answer comes the loop runs, and Ctrl-C stops that answer: it cancels
the one task of the run, which leaves a conversation that the next message goes on with.
"""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from oneclaw.cli import setup
from oneclaw.cli.chat_commands import Chat
from oneclaw.cli.chat_screen import Screen
from oneclaw.cli.embedded import ready_model
from oneclaw.cli.line import PipedLines, TypedLines
from oneclaw.cli.lines import given_of
from oneclaw.cli.open_here import open_asking, workspace_hint, workspace_line
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.plain import PlainLines
from oneclaw.cli.prompts import Prompts
from oneclaw.cli.run import exit_code
from oneclaw.cli.terminal import is_terminal, print_line, printable
from oneclaw.core.errors import OneClawError
from oneclaw.core.run_event import RunFinished
from oneclaw.operations import embedded

if TYPE_CHECKING:
    from oneclaw.app import App


def run(arguments: argparse.Namespace) -> int:
    if arguments.agent and arguments.session:
        raise WrongUse("a session belongs to its agent; leave out --agent or --session.")
    if not (arguments.agent or arguments.session or arguments.model):
        setup.offer(arguments)
    with asyncio.Runner() as runner:
        app, choice = open_asking(runner, arguments)
        runner.run(app.__aenter__())
        watching = runner.get_loop().create_task(app.sources.watch())
        place = " · ".join(filter(None, (workspace_line(choice), workspace_hint(choice))))
        try:
            return talk(runner, app, arguments, place)
        finally:
            watching.cancel()
            runner.run(app.__aexit__(None, None, None))


def talk(
    runner: asyncio.Runner, app: "App", arguments: argparse.Namespace, place: str, *, is_kept: bool = True
) -> int:
    """Read a message, show the answer, until there are no more.

    `place` tells the workspace in the header; `is_kept`: whether one can go on later.
    """
    said = arguments.agent or "default", arguments.model, arguments.session, arguments.thoughts
    chat = runner.run(Chat.open(app, *said))
    # A pipe asks nobody: what it did not name is not fetched for it.
    if embedded.is_installed() and (sys.stdin.isatty() or not embedded.bytes_to_fetch(embedded.NAME)):
        chat.fall_back(embedded.NAME)
    chat.check()
    embedded.check_runnable(chat.model_name)  # said once, before the first message
    is_typed = sys.stdin.isatty() and is_terminal(sys.stdout)
    runner.run(ready_model(app, chat.model_name, is_greeted=is_typed))
    if is_typed:
        runner.run(embedded.warm(app, chat.model_name))
        return talk_typed(runner, chat, place, is_kept)
    return talk_piped(runner, chat)


def talk_typed(runner: asyncio.Runner, chat: Chat, place: str, is_kept: bool) -> int:
    app = chat.app
    lines = TypedLines(app.config.home / "chat_history", app.redactor.redact, chat.complete)
    chat.greet(place)
    runner.run(chat.show_last())
    while True:
        text = read_patiently(lines)
        if text is None:
            break
        if not text.strip():
            continue
        if chat.is_command(text):
            if not answer_command(runner, chat, text):
                break
            continue
        chat.tell_skill(text)
        print()
        if not run_stoppable(runner, say_typed(chat, text)):
            print_line("\nStopped. What was said so far is kept; the next message goes on.", "yellow")
        print()
    if is_kept:
        print_line(f"Go on with: oneclaw chat --session {chat.short_session}", "dim")
    return 0


def read_patiently(lines: TypedLines) -> str | None:
    """The next message. One Ctrl-C gives the line up, a second one leaves."""
    is_leaving = False
    while True:
        try:
            return lines.read()
        except KeyboardInterrupt:
            print()
            if is_leaving:
                return None
            is_leaving = True
            print_line("Ctrl-C again, Ctrl-D or /quit leaves.", "dim")


def answer_command(runner: asyncio.Runner, chat: Chat, text: str) -> bool:
    """Do what a command says; False when it was to leave."""
    try:
        return runner.run(chat.obey(text))
    except OneClawError as error:
        print_line(printable(str(error)), "red", sys.stderr)
    except KeyboardInterrupt:
        print()
    return True


async def say(chat: Chat, text: str, shown: Screen | PlainLines) -> bool:
    """Say something to the agent and show what happens; returns whether there was an answer."""
    is_answered = False
    with Prompts(chat.app.broker, shown), shown:
        async with aclosing(chat.say(text)) as events:
            async for event in events:
                shown.hear(event)
                if isinstance(event, RunFinished):
                    is_answered = exit_code(event) == 0
    return is_answered


async def say_typed(chat: Chat, text: str) -> None:
    try:
        given, is_compact = given_of(chat.app.registry), chat.is_compact
        await say(
            chat, text, Screen(given, are_thoughts_shown=chat.are_thoughts_shown, is_compact=is_compact)
        )
    except OneClawError as error:
        print_line(printable(str(error)), "red")


def run_stoppable(runner: asyncio.Runner, work: Coroutine[Any, Any, None]) -> bool:
    """Run until done, or until Ctrl-C has stopped it: then False.

    However often it is pressed, the task is cancelled once: it must keep what was said before it ends.
    """
    is_stopped = False

    async def guarded() -> None:
        nonlocal is_stopped
        task = asyncio.ensure_future(work)

        def stop() -> None:
            nonlocal is_stopped
            if not is_stopped:
                is_stopped = True
                task.cancel()

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, stop)
        try:
            with suppress(asyncio.CancelledError):
                await task
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    try:
        runner.run(guarded())
    except KeyboardInterrupt:  # pressed in the moment when nothing was left to stop
        return False
    return not is_stopped


def talk_piped(runner: asyncio.Runner, chat: Chat) -> int:
    lines = PipedLines()
    has_failed = False
    while (text := lines.read()) is not None:
        if not text.strip():
            continue
        if chat.is_command(text):
            if not answer_command(runner, chat, text):
                break
            continue
        has_failed |= not runner.run(say(chat, text, PlainLines(given_of(chat.app.registry))))
    return 1 if has_failed else 0
