"""`oneclaw run`: say one thing to an agent and see it through to the answer."""

import argparse
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.cli.plain import Show
    from oneclaw.core.call import Image
    from oneclaw.core.run_event import RunEvent, RunFinished
    from oneclaw.operations.sessions import SessionRecord

EPILOG = """\
Examples:
  oneclaw run "What is in notes.txt?" --model anthropic/claude-sonnet-4-5
  oneclaw run --session last "And in English?"      go on with the last conversation
  oneclaw run --resume last                         go on where it was stopped
  git diff | oneclaw run "Review this:" -           `-` stands for what comes through the pipe
  oneclaw run --quiet "Name three rivers" > rivers.txt
  oneclaw run --model scripted/replies.json "hi"    play a script; needs no key

The answer goes to stdout, what happens on the way to stderr.
Exit codes: 0 answered, also where a limit made it the last word (stderr says so), 1 failed or refused,
2 wrong use or settings, 6 a limit ended the run before an answer, 130 stopped.
"""
UNANSWERED = ("tokens", "cost", "seconds")
FAILED = ("failed", "refusal", "cut")


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import agent_names, model_names, session_ids

    parser.add_argument(
        "words", nargs="*", default=[], metavar="TEXT", help="what to say; `-` or nothing reads the pipe"
    )
    agent = parser.add_argument("--agent", metavar="NAME", help="ask this agent (default: default)")
    agent.completer = agent_names  # pyright: ignore[reportAttributeAccessIssue]
    model = parser.add_argument("--model", metavar="NAME", default="", help="let this model answer")
    model.completer = model_names  # pyright: ignore[reportAttributeAccessIssue]
    session = parser.add_argument("--session", metavar="ID", help="go on with this session, or `last`")
    session.completer = session_ids  # pyright: ignore[reportAttributeAccessIssue]
    resume = parser.add_argument(
        "--resume", metavar="ID", help="go on where this session stands, saying nothing"
    )
    resume.completer = session_ids  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument(
        "--image", action="append", default=[], metavar="FILE", help="show the model a picture (repeatable)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print each event as JSON, one a line")
    form.add_argument("--quiet", action="store_true", help="print the answer and nothing else")


async def run(arguments: argparse.Namespace) -> int:

    try:
        check(arguments)
        text = "" if arguments.resume else read_text(arguments.words)
        images = [read_image(Path(name)) for name in arguments.image]
    except ValueError as error:
        print(f"oneclaw: {error}", file=sys.stderr)
        return 2
    return await run_once(arguments, text, images)


def check(arguments: argparse.Namespace) -> None:
    """Refuse what does not go together; raises ValueError."""
    if arguments.resume and (arguments.words or arguments.image):
        raise ValueError("--resume goes on without a new text; use --session ID to say something.")
    if arguments.resume and arguments.session:
        raise ValueError("give either --resume ID or --session ID, not both.")
    if arguments.agent and (arguments.session or arguments.resume):
        raise ValueError("a session belongs to its agent; leave out --agent, or begin a new session.")


def read_text(words: Sequence[str]) -> str:
    """What to say: the words, with what comes through the pipe where `-` stands or nothing is written."""
    if not words:
        if sys.stdin.isatty():
            raise ValueError('say something: oneclaw run "…", or pipe it in.')
        words = ["-"]
    parts: list[str] = []
    for word in words:
        is_piped = word == "-"
        separator = "\n" if is_piped or (parts and parts[-1].endswith("\n")) else " "
        if parts:
            parts.append(separator)
        parts.append(sys.stdin.read() if is_piped else word)
    text = "".join(parts).strip()
    if not text:
        raise ValueError('there is nothing to say: the text is empty. Write oneclaw run "…".')
    return text


def read_image(path: Path) -> "Image":
    """A picture from a file, its type read from its bytes; raises ValueError."""
    from oneclaw.core.call import Image
    from oneclaw.core.image import MAX_BYTES, media_type

    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"the picture {path} cannot be read ({error.strerror}).") from None
    if len(data) > MAX_BYTES:
        raise ValueError(f"the picture {path} is larger than {MAX_BYTES:,} bytes; make it smaller.")
    found = media_type(data)
    if found is None:
        raise ValueError(f"{path} is not a PNG, JPEG, GIF or WebP picture.")
    return Image(data, found)


async def run_once(arguments: argparse.Namespace, text: str, images: "Sequence[Image]") -> int:
    from oneclaw.cli.embedded import ready_embedded
    from oneclaw.cli.opened import open_app

    async with open_app(arguments) as app:
        await ready_embedded(app, arguments.model or app.catalog.default or "")
        return await show_events(app, arguments, await start(app, arguments, text, images))


async def show_events(app: "App", arguments: argparse.Namespace, events: "AsyncGenerator[RunEvent]") -> int:
    """Show a run in the form that was asked for; returns the exit code."""
    if arguments.json:
        from oneclaw.cli.plain import JsonLines

        return exit_code(await follow(events, JsonLines()))
    if arguments.quiet:
        return tell_answer(await ask_quietly(app, events))
    return exit_code(await show_run(app, events))


async def start(
    app: "App", arguments: argparse.Namespace, text: str, images: "Sequence[Image]"
) -> "AsyncGenerator[RunEvent]":
    if arguments.resume:
        return app.resume((await named_session(app, arguments.resume)).id, model=arguments.model)
    if arguments.session:
        record = await named_session(app, arguments.session)
        return app.run(record.agent, text, session=record.id, model=arguments.model, images=images)
    return app.run(arguments.agent or "default", text, model=arguments.model, images=images)


async def named_session(app: "App", name: str) -> "SessionRecord":
    """The session of an id, the beginning of one, or `last`; raises `InvalidConfig`."""
    from oneclaw.core.errors import InvalidConfig, NotFound
    from oneclaw.operations.sessions import find_session

    try:
        return await find_session(app.store, name)
    except NotFound as error:  # to a run it is wrong use, and has that exit code
        raise InvalidConfig(str(error)) from None


async def ask_quietly(app: "App", events: "AsyncGenerator[RunEvent]") -> "RunFinished":
    from oneclaw.cli.front import TerminalFront
    from oneclaw.cli.plain import Silent

    with TerminalFront(app.engine, app.broker):
        return await follow(events, Silent())


def tell_answer(finished: "RunFinished") -> int:
    """The answer alone; what went wrong goes to stderr."""
    from oneclaw.cli.terminal import print_line, printable

    code = exit_code(finished)
    if code == 0:
        text = printable(finished.text) if sys.stdout.isatty() else finished.text
        print(text, end="" if text.endswith("\n") else "\n")
    if finished.error:
        print_line(printable(finished.error), "yellow" if code == 0 else "red", sys.stderr)
    return code


async def show_run(app: "App", events: "AsyncGenerator[RunEvent]") -> "RunFinished":
    """Show a run as fits where it is read: live on a terminal, in lines elsewhere."""
    from oneclaw.cli.lines import given_of
    from oneclaw.cli.terminal import is_terminal

    if is_terminal(sys.stdout) and is_terminal(sys.stderr):
        from oneclaw.cli.chat_screen import Screen
        from oneclaw.cli.prompts import Prompts

        screen = Screen(given_of(app.registry), is_session_named=True)
        with Prompts(app.broker, screen):
            return await follow(events, screen)
    from oneclaw.cli.front import TerminalFront
    from oneclaw.cli.plain import PlainLines

    with TerminalFront(app.engine, app.broker):
        return await follow(events, PlainLines(given_of(app.registry)))


async def follow(events: "AsyncGenerator[RunEvent]", show: "Show") -> "RunFinished":
    """Show each event; returns the last. Cancelled, it says how to go on."""
    import asyncio
    from contextlib import aclosing

    from oneclaw.core.run_event import RunFinished, RunStarted

    session = ""
    try:
        with show:
            async with aclosing(events):
                async for event in events:
                    show.hear(event)
                    if isinstance(event, RunStarted):
                        session = event.session
                    elif isinstance(event, RunFinished):
                        return event
    except asyncio.CancelledError:
        if session:
            print(f"Go on with: oneclaw run --resume {session}", file=sys.stderr)
        raise
    raise RuntimeError("The run ended without saying so.")


def exit_code(finished: "RunFinished") -> int:
    if finished.reason in FAILED:
        return 1
    return 6 if finished.reason in UNANSWERED or (finished.error and not finished.text) else 0
