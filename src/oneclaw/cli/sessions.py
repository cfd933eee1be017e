"""`oneclaw sessions`: lists, shows, removes, exports and imports conversations."""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from oneclaw.cli.lines import cost_text
from oneclaw.cli.opened import open_app, read_config, read_json
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import list_id, list_time, print_json, print_table
from oneclaw.operations import sessions
from oneclaw.operations.reading import reading
from oneclaw.operations.sessions import SessionTotals


async def run(arguments: argparse.Namespace) -> int:
    action, name = arguments.action, arguments.name
    if action != "list" and not name:
        wanted = "FILE.json" if action == "import" else "ID (or last)"
        raise WrongUse(f"say which: oneclaw sessions {action} {wanted}")
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
            return print_json(await sessions.export_session(store, record))
        from oneclaw.cli.conversation import show_session  # renders Markdown: only where it is shown

        show_session(await sessions.read_session(store, record))
        return 0


def show_sessions(found: list[SessionTotals], is_json: bool) -> int:
    if is_json:
        return print_json([as_row(each) for each in found])
    if not found:
        print("No conversations yet. `oneclaw chat` begins one.", file=sys.stderr)
        return 0
    rows: list[tuple[str, ...]] = []
    for each in found:
        session = each.session
        rows.append(
            (
                list_id(session.id),
                session.agent,
                str(each.messages),
                f"{each.usage.total:,}" if each.usage.total else "",
                cost_text(each.cost),
                list_time(session.updated),
                session.title or ("(asked by another agent)" if session.parent else ""),
            )
        )
    heads = ("SESSION", "AGENT", "MESSAGES", "TOKENS", "COST", "USED", "TITLE")
    return print_table(heads, rows, ("bold", "", "", "", "", "dim"), wrapped=0)


def as_row(totals: SessionTotals) -> dict[str, Any]:
    return {
        **asdict(totals.session),
        "messages": totals.messages,
        "usage": asdict(totals.usage),
        "cost": totals.cost,
    }


async def remove_session(arguments: argparse.Namespace, session_id: str) -> int:
    async with open_app(arguments) as app:
        await sessions.remove_session(app, session_id)
    print(f"Session {session_id} is forgotten.")
    return 0


async def import_session(arguments: argparse.Namespace, path: Path) -> int:
    document = read_json(path)
    async with open_app(arguments) as app:
        made = await sessions.import_session(
            app, document, format=arguments.format, agent=arguments.agent or "", source=str(path)
        )
    if arguments.json:
        return print_json(asdict(made))
    print(f"{made.messages} messages are in the new session {made.id}.")
    print(f'Go on with: oneclaw run --session {made.id} "…"', file=sys.stderr)
    return 0
