"""`oneclaw run`: sends one message to an agent and prints the answer."""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.chat_screen import Screen
from oneclaw.cli.embedded import ready_model
from oneclaw.cli.lines import given_of
from oneclaw.cli.open_here import open_here, workspace_line
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.plain import PlainLines, print_event
from oneclaw.cli.prompts import Prompts
from oneclaw.cli.spinner import Spinner
from oneclaw.cli.terminal import is_terminal, print_line, printable, short_id
from oneclaw.core.call import Image
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.image import MAX_BYTES, media_type
from oneclaw.core.run_event import RunEvent, RunFinished, RunStarted
from oneclaw.operations.sessions import SessionRecord, find_session
from oneclaw.operations.skills import with_skill

if TYPE_CHECKING:
    from oneclaw.app import App

UNANSWERED = ("tokens", "cost", "seconds")
FAILED = ("failed", "refusal", "cut")


async def run(arguments: argparse.Namespace) -> int:
    try:
        check(arguments)
        text = "" if arguments.resume else read_text(arguments.words)
        images = [read_image(Path(name)) for name in arguments.image]
    except ValueError as error:
        raise WrongUse(str(error)) from None
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
    """The message: the words, with the pipe's text for `-` or when no words are given."""
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


def read_image(path: Path) -> Image:
    """A picture from a file, its type read from its bytes; raises ValueError."""
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


async def run_once(arguments: argparse.Namespace, text: str, images: Sequence[Image]) -> int:
    opened, choice = await open_here(arguments)
    async with opened as app:
        await ready_model(app, arguments.model or app.catalog.default or "")
        events = await start(app, arguments, text, images)
        return await show_events(app, arguments, events, workspace_line(choice))


async def show_events(
    app: "App", arguments: argparse.Namespace, events: AsyncGenerator[RunEvent], place: str
) -> int:
    """Show a run in the form that was asked for; returns the exit code. `place` tells the workspace."""
    if arguments.json:
        return exit_code(await follow(events, print_event))
    if arguments.quiet:
        spinner = Spinner()
        with Prompts(app.broker, spinner):
            finished = await follow(events, spinner.hear, spinner)
        return tell_answer(finished)
    return exit_code(await show_run(app, events, place))


async def start(
    app: "App", arguments: argparse.Namespace, text: str, images: Sequence[Image]
) -> AsyncGenerator[RunEvent]:
    if arguments.resume:
        return app.resume((await named_session(app, arguments.resume)).id, model=arguments.model)
    said = with_skill(app, text)
    if arguments.session:
        record = await named_session(app, arguments.session)
        return app.run(record.agent, said, session=record.id, model=arguments.model, images=images)
    return app.run(arguments.agent or "default", said, model=arguments.model, images=images)


async def named_session(app: "App", name: str) -> SessionRecord:
    """The session of an id, the beginning of one, or `last`; raises `InvalidConfig`."""
    try:
        return await find_session(app.store, name)
    except NotFound as error:  # to a run it is wrong use, and has that exit code
        raise InvalidConfig(str(error)) from None


def tell_answer(finished: RunFinished) -> int:
    """The answer alone; what went wrong goes to stderr."""
    code = exit_code(finished)
    if code == 0:
        text = printable(finished.text) if sys.stdout.isatty() else finished.text
        print(text, end="" if text.endswith("\n") else "\n")
    if finished.error:
        print_line(printable(finished.error), "yellow" if code == 0 else "red", sys.stderr)
    return code


async def show_run(app: "App", events: AsyncGenerator[RunEvent], place: str) -> RunFinished:
    """Show a run as fits where it is read: live on a terminal, below the workspace; in lines elsewhere."""
    is_live = is_terminal(sys.stdout) and is_terminal(sys.stderr)
    given = given_of(app.registry)
    shown = Screen(given, is_session_named=True) if is_live else PlainLines(given)
    with Prompts(app.broker, shown):  # before the run begins, which may ask at once
        if is_live:
            events = await headed(events, place)
        return await follow(events, shown.hear, shown)


async def headed(events: AsyncGenerator[RunEvent], place: str) -> AsyncGenerator[RunEvent]:
    """The events, below the workspace; a run that cannot begin has no header."""
    first = await anext(events)
    print_line(place, "dim")

    async def all_events() -> AsyncGenerator[RunEvent]:
        async with aclosing(events):
            yield first
            async for event in events:
                yield event

    return all_events()


async def follow(
    events: AsyncGenerator[RunEvent],
    hear: Callable[[RunEvent], None],
    shown: AbstractContextManager[object] | None = None,
) -> RunFinished:
    """Tell each event while something is shown; returns the last. Cancelled, it says how to go on."""
    session = ""
    try:
        with shown or nullcontext():
            async with aclosing(events):
                async for event in events:
                    hear(event)
                    if isinstance(event, RunStarted):
                        session = event.session
                    elif isinstance(event, RunFinished):
                        return event
    except asyncio.CancelledError:
        if session:
            print(f"Go on with: oneclaw run --resume {short_id(session)}", file=sys.stderr)
        raise
    raise RuntimeError("The run ended without saying so.")


def exit_code(finished: RunFinished) -> int:
    if finished.reason in FAILED:
        return 1
    return 6 if finished.reason in UNANSWERED or (finished.error and not finished.text) else 0
