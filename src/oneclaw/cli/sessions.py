"""`oneclaw sessions`: the conversations there were; showing, removing, exporting and importing one."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.operations.sessions import SessionTotals

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
SHORT_CHARS = 8


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


async def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import read_config
    from oneclaw.operations import sessions
    from oneclaw.operations.reading import reading

    action, name = arguments.action, arguments.name
    if action != "list" and not name:
        wanted = "FILE.json" if action == "import" else "ID (or last)"
        print(f"oneclaw: say which: oneclaw sessions {action} {wanted}", file=sys.stderr)
        return 2
    if action == "import":
        return await import_session(arguments, Path(name))
    with reading(read_config(arguments)) as store:
        if action == "list":
            found = await sessions.list_sessions(store, agent=arguments.agent, limit=arguments.limit)
            return show_sessions(found, arguments.json)
        record = await sessions.find_session(store, name)
        assert store is not None
        if action == "remove":
            return await remove_session(arguments, record.id)
        if action == "export" or arguments.json:
            from oneclaw.cli.terminal import print_json

            print_json(await sessions.export_session(store, record))
            return 0
        from oneclaw.cli.conversation import show_session

        show_session(await sessions.read_session(store, record))
        return 0


def show_sessions(found: "list[SessionTotals]", is_json: bool) -> int:
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


async def remove_session(arguments: argparse.Namespace, session_id: str) -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.operations import sessions

    async with open_app(arguments) as app:
        await sessions.remove_session(app, session_id)
    print(f"Session {session_id} is forgotten.")
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
    from dataclasses import asdict

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.operations import sessions

    document = read_json(path)
    async with open_app(arguments) as app:
        made = await sessions.import_session(
            app, document, format=arguments.format, agent=arguments.agent or "", source=str(path)
        )
    if arguments.json:
        print_json(asdict(made))
    else:
        print(f"{made.messages} messages are in the new session {made.id}.")
        print(f'Go on with: oneclaw run --session {made.id} "…"', file=sys.stderr)
    return 0
