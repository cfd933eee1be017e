"""`oneclaw demo`: the tiny model in a fresh workspace: a chat, or five messages and what they lead to."""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw.cli.command_name import command_name
from oneclaw.operations.embedded import NAME

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.config import Config
    from oneclaw.core.event import ToolFinished
    from oneclaw.core.run_event import RunFinished
    from oneclaw.core.session import Session
    from oneclaw.providers.base import Request
    from oneclaw.providers.scripted import Scripted

SCRIPTED = "scripted/demo"
PROMPTS = (
    "What time is it in Tokyo?",
    'Write "buy milk and call Ada" to notes/today.txt',
    "Read it back",
    "Remember that my cat is called Miso; what do you remember about my cat?",
    "Read ../../etc/passwd",
)
SHOWN_LINES = 12


def demo_config(folder: Path, model: str = NAME) -> "Config":
    """Settings of its own: neither the user's keys nor files have to do with it."""
    from oneclaw.config import Config

    return Config(home=folder, values={"models.default": model})


def script() -> "Scripted":
    """A model that answers `PROMPTS` where the tiny one cannot run; the results it reports are real."""
    from oneclaw.providers.scripted import Call, Scripted

    calls = (
        [Call("get_current_time", timezone="Tokyo")],
        [Call("write_file", path="notes/today.txt", content="buy milk and call Ada")],
        [Call("read_file", path="notes/today.txt")],
        [Call("memory_store", key="cat", value="Miso"), Call("memory_search", query="cat")],
        [Call("read_file", path="../../etc/passwd")],
    )
    return Scripted([reply for asked in calls for reply in (asked, report_results)])


def report_results(request: "Request") -> str:
    """The results of the last answer's calls, as the tools gave them."""
    from oneclaw.core.message import ResultsMessage

    ended = request.messages[-1]
    assert isinstance(ended, ResultsMessage)
    return "\n\n".join(result.text if result.ok else result.message for result in ended.results)


def talk_here() -> int:
    """A chat in a temporary workspace."""
    import asyncio

    from oneclaw.app import App
    from oneclaw.cli.chat import talk
    from oneclaw.cli.terminal import print_line

    said = argparse.Namespace(agent=None, model="", session=None, thoughts=False)
    with tempfile.TemporaryDirectory(prefix="oneclaw-demo-") as folder, asyncio.Runner() as runner:
        app = App(demo_config(Path(folder)))
        print_line(f"Try: {' · '.join(PROMPTS[:3])}", "dim")
        runner.run(app.__aenter__())
        try:
            return talk(runner, app, said, "workspace: a temporary folder, gone at the end", is_kept=False)
        finally:
            runner.run(app.__aexit__(None, None, None))
            name = command_name()
            print_line(
                f"Next: `{name} setup` connects a bigger model, `{name} chat` keeps what is said.", "dim"
            )


def show_conversation(is_scripted: bool = False) -> int:
    """Five messages, one after the other; 0 when each of them was answered."""
    import asyncio

    with tempfile.TemporaryDirectory(prefix="oneclaw-demo-") as folder:
        return asyncio.run(play(Path(folder), is_scripted))


async def play(folder: Path, is_scripted: bool) -> int:
    from oneclaw.app import App
    from oneclaw.cli.terminal import print_line
    from oneclaw.operations.embedded import introduction

    if is_scripted:
        print_line("OneClaw: a conversation with tools. No key, and a script for a model.", "bold")
    else:
        print_line("OneClaw: a conversation with tools. No key, and the model runs on this machine.", "bold")
        print_line(introduction(NAME), "yellow")
    config = demo_config(folder, SCRIPTED if is_scripted else NAME)
    print_line("workspace: a temporary folder, gone at the end", "dim")
    begun = time.monotonic()
    answered = calls = 0
    async with App(config, providers={"scripted": script()} if is_scripted else None) as app:
        session = app.new_session()
        for prompt in PROMPTS:
            print_line(f"\nyou  {prompt}", "bold cyan", indent=5)
            finished = await show_answer(app, session, prompt)
            answered += finished.reason == "done"
            calls += finished.calls
    show_end(answered, calls, time.monotonic() - begun, is_scripted)
    return 0 if answered == len(PROMPTS) else 1


def show_end(answered: int, calls: int, seconds: float, is_scripted: bool) -> None:
    from oneclaw.cli.terminal import print_line

    style = "bold green" if answered == len(PROMPTS) else "bold red"
    told = f"{answered} of {len(PROMPTS)} messages answered, {calls} calls, {seconds:.1f} s."
    print_line(f"\n{told}", style)
    name = command_name()
    if is_scripted:
        print_line(f"Next: `{name} models` lists models that can answer, `{name} doctor` what is missing.")
    else:
        print_line(f"Next: `{name} chat --model {NAME}` to talk with it, `{name} models` for bigger ones.")


async def show_answer(app: "App", session: "Session", prompt: str) -> "RunFinished":
    from oneclaw.cli.lines import given_of
    from oneclaw.cli.terminal import print_line, printable
    from oneclaw.core.event import ToolFinished, ToolStarted
    from oneclaw.core.run_event import RunFinished

    given, started = given_of(app.registry), dict[str, Mapping[str, Any]]()
    finished: RunFinished | None = None
    async with aclosing(app.run("default", prompt, session=session)) as events:
        async for event in events:
            if isinstance(event, ToolStarted):
                started[event.call_id] = given(event.tool, event.arguments)
            elif isinstance(event, ToolFinished):
                show_call(event, started.get(event.call_id) or event.arguments or {})
            elif isinstance(event, RunFinished):
                finished = event
    assert finished is not None
    lines = printable(finished.text).splitlines()
    for line in lines[:SHOWN_LINES]:
        print_line(f"     {line}")
    if len(lines) > SHOWN_LINES:
        print_line(f"     … {len(lines) - SHOWN_LINES} more lines", "dim")
    return finished


def show_call(event: "ToolFinished", arguments: Mapping[str, Any]) -> None:
    """A call that has ended, as a chat shows it."""
    from rich.text import Text

    from oneclaw.cli.lines import arguments_text, result_text
    from oneclaw.cli.terminal import console, folded, is_terminal, print_line

    result = event.result
    mark, style = ("✓", "green") if result.ok else ("✗", "red")
    said = f"{arguments_text(arguments)}{f' · {result_text(result)}' if result.ok else ''}".strip()
    head = f"  {mark}  {event.tool}"
    if is_terminal(sys.stdout):
        screen = console()
        line = Text(folded(f"{head} {said}".rstrip(), screen.width, indent=3), "dim")
        line.stylize(f"not dim {style}", 0, len(head) - len(event.tool))
        line.stylize("not dim bold", len(head) - len(event.tool), len(head))
        screen.print(line, soft_wrap=True)
    else:
        print(f"{head} {said}".rstrip())
    if not result.ok:
        print_line(f"     {result_text(result)}", style)
