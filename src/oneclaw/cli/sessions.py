"""`oneclaw sessions`: the conversations there were; showing, removing, exporting and importing one."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from oneclaw.core.message import Message
    from oneclaw.store.sessions import SessionRecord, SessionTotals
    from oneclaw.store.store import Store

EPILOG = """\
Examples:
  oneclaw sessions                       the last conversations
  oneclaw sessions show last             what was said, with the calls and what it took
  oneclaw sessions remove 69e9688d       forget one; the beginning of an id, or of its second half, is enough
  oneclaw sessions export last > a.json
  oneclaw sessions import a.json         a new session, from our export or from another agent's history
  oneclaw run --session last "Go on."
"""
ACTIONS = ("list", "show", "remove", "export", "import")
OURS = "oneclaw"
SHORT_CHARS = 8
# Where other agents keep the list in what they save.
MEMBERS = ("messages", "contents", "input", "items", "history")


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import agent_names, history_formats, session_ids
    from oneclaw.cli.parser import count

    parser.add_argument("--json", action="store_true", help="print JSON")
    agent = parser.add_argument("--agent", metavar="NAME", help="only of this agent; for import, its agent")
    agent.completer = agent_names  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument(
        "--limit", type=count, default=30, metavar="N", help="at most N sessions (default 30)"
    )
    written = parser.add_argument(
        "--format",
        type=history_format,
        metavar="NAME",
        help="what the history to import is written in, as openai_chat; guessed",
    )
    written.completer = history_formats  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("action", nargs="?", choices=ACTIONS, default="list", help="default: list")
    name = parser.add_argument("name", nargs="?", metavar="ID", help="an id, `last`, or the file to import")
    name.completer = session_ids  # pyright: ignore[reportAttributeAccessIssue]


def history_format(text: str) -> str:
    """The format that a word of the command line means."""
    from oneclaw.agent.foreign.history import FORMATS, name_format

    found = name_format(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(FORMATS)}")
    return found


def run(arguments: argparse.Namespace) -> int:
    import asyncio

    from oneclaw.cli.opened import read_config
    from oneclaw.store.store import Store

    action, name = arguments.action, arguments.name
    if action != "list" and not name:
        wanted = "FILE.json" if action == "import" else "ID (or last)"
        print(f"oneclaw: say which: oneclaw sessions {action} {wanted}", file=sys.stderr)
        return 2
    if action == "import":
        return asyncio.run(import_session(arguments, Path(name)))
    config = read_config(arguments)
    if not config.store_file.exists():
        return list_sessions([], arguments.json) if action == "list" else say_unknown(name)
    if action == "remove":
        return asyncio.run(remove_session(arguments, name))
    with Store(config.store_file, read_only=True) as store:
        if action == "list":
            found = store.sessions.totals(agent=arguments.agent, limit=arguments.limit)
            return list_sessions(found, arguments.json)
        record = store.sessions.find(name)
        if record is None:
            return say_unknown(name)
        if action == "export" or arguments.json:
            from oneclaw.cli.terminal import print_json

            print_json(export_session(store, record))
            return 0
        from oneclaw.cli.conversation import show_session

        show_session(store, record)
        return 0


def say_unknown(name: str) -> int:
    from oneclaw.core.text.display import visible

    print(
        f"oneclaw: there is no session {visible(name[:100])!r}; `oneclaw sessions` lists them.",
        file=sys.stderr,
    )
    return 1


def list_sessions(found: "list[SessionTotals]", is_json: bool) -> int:
    from oneclaw.cli.lines import cost_text
    from oneclaw.cli.terminal import is_terminal, print_json, print_table, short_time, time_text

    if is_json:
        print_json([as_row(each) for each in found])
        return 0
    if not found:
        print("No conversations yet. `oneclaw chat` begins one.", file=sys.stderr)
        return 0
    is_short = is_terminal(sys.stdout)
    rows: list[tuple[str, ...]] = []
    for each in found:
        session = each.session
        rows.append(
            (
                short_id(session.id) if is_short else session.id,
                session.agent,
                str(each.messages),
                f"{each.usage.total:,}" if each.usage.total else "",
                cost_text(each.cost),
                short_time(session.updated) if is_short else time_text(session.updated),
                session.title or ("(asked by another agent)" if session.parent else ""),
            )
        )
    heads = ("SESSION", "AGENT", "MESSAGES", "TOKENS", "COST", "USED", "TITLE")
    print_table(heads, rows, ("bold", "", "", "", "", "dim"), wrapped=0)
    return 0


def short_id(session_id: str) -> str:
    """What is enough to name a session on a terminal: its second half, which is no time, begins so."""
    return session_id.rpartition("-")[2][:SHORT_CHARS]


def as_row(totals: "SessionTotals") -> dict[str, Any]:
    from dataclasses import asdict

    return {
        **asdict(totals.session),
        "messages": totals.messages,
        "usage": asdict(totals.usage),
        "cost": totals.cost,
    }


def export_session(store: "Store", record: "SessionRecord") -> dict[str, Any]:
    """A session with all that was said in it, as `import` reads it again."""
    from dataclasses import asdict

    from oneclaw.store.message_json import to_json

    usage, cost, _ = store.messages.usage(record.id)
    summary = store.messages.summary(record.id)
    messages = [
        {"created": each.created, "cost": each.cost, **json.loads(to_json(each.message))}
        for each in store.messages.load(record.id)
    ]
    return {
        "format": OURS,
        **asdict(record),
        "usage": asdict(usage),
        "cost": cost,
        "summary": None if summary is None else summary[0],
        "messages": messages,
    }


async def remove_session(arguments: argparse.Namespace, name: str) -> int:
    import shutil

    from oneclaw.cli.opened import open_app

    async with open_app(arguments) as app:
        record = app.store.sessions.find(name)
        if record is None or not await app.store.sessions.remove(record.id):
            return say_unknown(name)
        # The long results of its calls, which only it may read.
        shutil.rmtree(app.config.home / "sessions" / record.id, ignore_errors=True)
        print(f"Session {record.id} is forgotten.")
    return 0


MOST_BYTES = 256 << 20
"""The most of a file that is read to be imported."""


def read_json(path: Path) -> Any:
    """What stands in a file, or comes through the pipe where `-` is its name."""
    from contextlib import nullcontext

    from oneclaw.core.errors import InvalidConfig

    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidConfig(
                f"{path} has more than {MOST_BYTES >> 20} MiB, the most that is read; part it."
            )
        return json.loads(content.decode("utf-8-sig"))  # some editors put a mark before it
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise InvalidConfig(f"{path} is not JSON ({error}).") from None


async def import_session(arguments: argparse.Namespace, path: Path) -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.core.errors import InvalidConfig

    agent, title, messages = read_document(read_json(path), arguments.format)
    if not messages:
        raise InvalidConfig(f"{path} holds no messages; nothing was imported.")
    async with open_app(arguments) as app:
        agent = app.agents.get(arguments.agent or agent).name
        session = app.new_session(agent)
        for message, cost in messages:
            await app.store.messages.append(session, message, cost=cost)
        if title:
            await app.store.sessions.touch(session.id, title)
        if arguments.json:
            print_json({"id": session.id, "agent": agent, "messages": len(messages)})
        else:
            print(f"{len(messages)} messages are in the new session {session.id}.")
            print(f'Go on with: oneclaw run --session {session.id} "…"', file=sys.stderr)
    return 0


def read_document(document: Any, format: str | None) -> "tuple[str, str, list[tuple[Message, float | None]]]":
    """Agent, title, and messages with their cost, of our own export or of another agent's history."""
    from oneclaw.agent.foreign import read_history
    from oneclaw.core.subschema import is_object

    if is_object(document) and document.get("format") == OURS:
        return read_export(document)
    if is_object(document):
        named = next((name for name in MEMBERS if isinstance(document.get(name), list)), None)
        document = document if named is None else document[named]
    return "default", "", [(message, None) for message in read_history(document, format)]


def read_export(document: Any) -> "tuple[str, str, list[tuple[Message, float | None]]]":
    from oneclaw.agent.mend import mend
    from oneclaw.core.errors import InvalidConfig
    from oneclaw.core.subschema import is_object
    from oneclaw.store.message_json import from_json

    messages: list[Message] = []
    costs: dict[int, float] = {}
    given = document.get("messages")
    for number, each in enumerate(cast("list[Any]", given) if isinstance(given, list) else [], 1):
        try:
            if not is_object(each):
                raise ValueError("it is no object")
            messages.append(from_json(json.dumps(each)))
        except ValueError as error:
            raise InvalidConfig(f"Message {number} of the export cannot be read: {error}.") from None
        if isinstance(cost := each.get("cost"), int | float):
            costs[id(messages[-1])] = cost
    # A call without a result was cut off where it was exported: here nobody knows what it changed.
    found = [(message, costs.get(id(message))) for message in mend(messages).messages]
    return str(document.get("agent", "default")), str(document.get("title", "")), found
