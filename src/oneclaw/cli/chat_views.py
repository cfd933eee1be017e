"""Views of a chat's slash commands: status, diffs, one call, the last exchange, export."""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.conversation import show_message
from oneclaw.cli.diff import count_of, diff_lines, diff_of
from oneclaw.cli.lines import count_text, took_text
from oneclaw.cli.log import show_one
from oneclaw.cli.terminal import print_line, printable, short_id
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import UserMessage
from oneclaw.core.text.display import visible
from oneclaw.operations.log import find_call
from oneclaw.operations.sessions import export_session, find_session
from oneclaw.operations.skills import project_notes

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.session import Session

MOST_MESSAGES = 20
PLACE_LABEL = re.compile(r"workspace:? ")


async def show_status(app: "App", session: "Session", model: str, view: str, place: str) -> None:
    """Who answers, where (in the words of the header), in which mode, and what it took so far."""
    took = took_text(*await app.store.messages.usage(session.id))
    for label, text in (
        ("agent", session.agent),
        ("model", model),
        ("session", short_id(session.id)),
        ("workspace", PLACE_LABEL.sub("", place) or str(session.workspace.folder)),
        ("mode", app.permissions.mode),
        ("tools", f"{len(app.engine.available(session))} of {len(app.registry)}"),
        ("AGENTS.md", ", ".join(str(each.file) for each in project_notes(app)) or "none"),
        ("view", view),
        ("took", took),
    ):
        print_line(f"{label:<11}{visible(text)}", indent=11)


async def show_last(app: "App", session_id: str) -> None:
    """The last exchange of a conversation: the person's last message, and what came of it."""
    messages = [each.message for each in await app.store.messages.load(session_id)]
    said = [at for at, message in enumerate(messages) if _is_typed(message)]
    for message in messages[said[-1] if said else -4 :][:MOST_MESSAGES]:
        show_message(message)


async def show_diffs(app: "App", session: "Session", rest: str) -> None:
    """The diffs of the last answer, or of one call."""
    if rest:
        records = [(await find_call(app.store, _number(rest))).call]
    else:
        found = await app.store.calls.history(session=session.id, limit=200)
        changed = [record for record in found if diff_of(record.details) is not None]
        records = [record for record in changed if record.run == changed[0].run][::-1]
    is_shown = False
    for record in records:
        diff = diff_of(record.details)
        if diff is not None:
            is_shown = True
            print_line(f"#{record.key} {visible(record.tool)} {count_of(diff)}".rstrip(), "bold")
            for line, style in diff_lines(diff, len(str(diff["text"]))):
                print_line(f"  {line}", style)
    if not is_shown:
        print_line("No call has changed a file here.", "dim")


async def show_call(app: "App", rest: str) -> None:
    """A finished call again, whole."""
    if not rest:
        raise InvalidConfig("Name a call: /show 42. The number is at the end of its line; see /log.")
    told = await find_call(app.store, _number(rest))
    show_one(told.call, False, told.made)


async def export_chat(app: "App", session: "Session", rest: str) -> None:
    """Write the conversation to a file that `oneclaw sessions import` reads."""
    if await app.store.sessions.find(session.id) is None:
        raise InvalidConfig("Nothing was said yet, so there is nothing to export.")
    document = await export_session(app.store, await find_session(app.store, session.id))
    file = Path(rest or f"oneclaw-{short_id(session.id)}.json").expanduser()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(document, opened, ensure_ascii=False, indent=2, default=str)
    except FileExistsError:
        raise InvalidConfig(f"{file} is there already; name another file: /export FILE.") from None
    except OSError as error:
        raise InvalidConfig(f"{file} cannot be written ({error.strerror}).") from None
    count = count_text(len(document["messages"]), "message")
    print_line(f"Wrote {count} to {printable(str(file.absolute()))}")


def _number(text: str) -> int:
    number = text.removeprefix("#")
    if not (number.isascii() and number.isdigit()):
        raise InvalidConfig(f"{text[:60]!r} is not the number of a call; /log lists them.")
    return int(number)


def _is_typed(message: object) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"
