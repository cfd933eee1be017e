"""Prints a stored conversation."""

import sys

from oneclaw.cli.lines import arguments_text, count_text, is_failed, result_text, short, took_text
from oneclaw.cli.markdown import Blocks, markdown_console, rendered
from oneclaw.cli.terminal import is_terminal, list_id, print_line, printable, time_text
from oneclaw.core.call import ToolResult
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    ForeignPart,
    Message,
    ResultsMessage,
    TextPart,
    UserMessage,
)
from oneclaw.core.text.display import visible
from oneclaw.operations.sessions import SessionContent
from oneclaw.operations.skills import without_skills

SHOWN_CHARS = 200
SPEAKERS = {"user": "you", "summary": "summary", "guard": "OneClaw", "skills": "skills"}


def show_session(content: SessionContent) -> None:
    """The whole conversation, and what it took at the end."""
    record = content.session
    print_line(
        f"session {list_id(record.id)} · agent {visible(record.agent)} · {time_text(record.created)}", "dim"
    )
    for each in content.messages:
        show_message(each.message)
    print_line("\n" + took_text(content.usage, content.cost, content.answers), "dim")


def show_message(message: Message) -> None:
    match message:
        case UserMessage():
            print_line(f"\n{SPEAKERS[message.origin]}", "bold cyan")
            text, skills = without_skills(message.text)
            _print_text(text)
            if skills:
                print_line(f"(with {count_text(len(skills), 'skill')}: {visible(', '.join(skills))})", "dim")
            if message.images:
                print_line(f"({count_text(len(message.images), 'picture')})", "dim")
        case AssistantMessage():
            _show_answer(message)
        case ResultsMessage():
            for result in message.results:
                _show_result(result)


def _show_answer(message: AssistantMessage) -> None:
    print_line(f"\n{visible(message.model) or 'model'}", "bold green")
    for part in message.parts:
        match part:
            case TextPart() if part.text.strip():
                print_markdown(part.text)
            case CallPart():
                print_line(
                    f"→ {visible(part.call.name)} {arguments_text(part.call.arguments, SHOWN_CHARS)}",
                    indent=2,
                )
            case ForeignPart() if part.text:
                print_line(short(part.text, SHOWN_CHARS), "dim")
            case _:
                pass
    if message.finish not in ("stop", "calls"):
        print_line(f"({message.finish})", "yellow")


def _show_result(result: ToolResult) -> None:
    mark, style = ("✗", "red") if is_failed(result) else ("✓", "dim")
    ended = short(result.text, SHOWN_CHARS) if result.ok else result_text(result)
    print_line(f"{mark} {visible(result.tool)}: {ended}", style, indent=2)


def _print_text(text: str) -> None:
    for line in printable(text).splitlines():
        print_line(line)


def print_markdown(text: str) -> None:
    """Markdown on a terminal, block by block; the text as it is elsewhere."""
    if not is_terminal(sys.stdout):
        _print_text(text)
        return
    screen, blocks = markdown_console(), Blocks()
    parts = [part.strip("\n") for part in (*blocks.add(text), blocks.flush()) if part.strip()]
    for number, part in enumerate(parts):  # as the chat shows it: block by block, one empty line between
        if number:
            screen.print()
        screen.print(rendered(part, screen), end="")
