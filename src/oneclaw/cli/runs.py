"""`oneclaw runs`: the runs there were, how each stands, the events of one, and the end of old ones."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneclaw.operations.runs import RunRecord

EPILOG = """\
Examples:
  oneclaw runs                            the last runs, newest first
  oneclaw runs --state interrupted        those that a crash or a reboot cut short
  oneclaw runs show 7c1f                  one run: what it may spend, what it spent, how it ended
  oneclaw runs events 7c1f --after 12     its events as JSON, one a line
  oneclaw runs prune --days 30            forget runs that ended before that; conversations stay
  oneclaw resume 7c1f                     go on with a run that was cut short
"""
ACTIONS = ("list", "show", "events", "prune")
STATES = ("running", "done", "stopped", "failed", "interrupted")
MARKS = {"running": "…", "done": "✓", "stopped": "■", "failed": "✗", "interrupted": "!"}


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import session_ids
    from oneclaw.cli.parser import count

    parser.add_argument("action", nargs="?", default="list", choices=ACTIONS, metavar="ACTION")
    parser.add_argument("name", nargs="?", metavar="RUN", help="a run's id, or the beginning of one")
    session = parser.add_argument("--session", metavar="ID", help="list: those of this session, or `last`")
    session.completer = session_ids  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--state", choices=STATES, help="list: those that stand so")
    parser.add_argument("--limit", type=count, default=20, metavar="N", help="list: at most N (20)")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="events: those after number N")
    parser.add_argument("--days", type=float, metavar="N", help="prune: keep N days (store.keep_days)")
    parser.add_argument("--json", action="store_true", help="print JSON")


async def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import read_config
    from oneclaw.operations import runs
    from oneclaw.operations.reading import reading

    action, name = arguments.action, arguments.name
    if action in ("show", "events") and not name:
        print(f"oneclaw: say which: oneclaw runs {action} RUN", file=sys.stderr)
        return 2
    if action == "prune":
        return await prune(arguments)
    with reading(read_config(arguments)) as store:
        if action == "list":
            found = await runs.list_runs(
                store, session=arguments.session, state=arguments.state, limit=arguments.limit
            )
            return list_runs(found, arguments.json)
        record = await runs.find_run(store, name)
        assert store is not None
        if action == "show":
            from dataclasses import asdict

            return show_run(record, asdict(await store.runs.spent(record)), arguments.json)
        from oneclaw.core.event_json import envelope_json

        async for envelope in runs.read_events(store, record, arguments.after):
            print(json.dumps(envelope_json(envelope), default=str))
        return 0


def list_runs(found: "list[RunRecord]", is_json: bool) -> int:
    from oneclaw.cli.sessions import short_id
    from oneclaw.cli.terminal import (
        STATE,
        is_terminal,
        print_json,
        print_line,
        print_table,
        short_time,
        time_text,
    )
    from oneclaw.operations.runs import run_json

    if is_json:
        print_json([run_json(record) for record in found])
        return 0
    if not found:
        print('No runs yet. `oneclaw run "…"` makes the first.', file=sys.stderr)
        return 0
    is_shown = is_terminal(sys.stdout)
    when, named = (short_time, short_id) if is_shown else (time_text, str)
    print_table(
        ("", "RUN", "STATE", "AGENT", "STARTED BY", "WHEN", "SESSION", "LIMIT"),
        [
            (
                MARKS.get(record.state, ""),
                named(record.id),
                record.state,
                record.agent,
                record.origin,
                when(record.created),
                named(record.session),
                end_text(record),
            )
            for record in found
        ],
        (STATE, "bold"),
        wrapped=1,
    )
    cut_short = next((one for one in found if one.state == "interrupted"), None)
    if cut_short is not None and is_shown:
        print_line(f"Go on with one that was interrupted: oneclaw resume {short_id(cut_short.id)}", "dim")
    return 0


def end_text(record: "RunRecord") -> str:
    """Why it ended, where its state does not say it."""
    reason = str((record.finished or {}).get("reason", ""))
    return "" if reason == record.state else reason


def show_run(record: "RunRecord", spent: dict[str, Any], is_json: bool) -> int:
    from oneclaw.cli.lines import count_text
    from oneclaw.cli.terminal import print_json, print_line, printable, seconds_text, time_text
    from oneclaw.core.text.display import visible
    from oneclaw.operations.runs import run_json

    if is_json:
        print_json({**run_json(record), "spent": spent})
        return 0
    print_line(f"run {record.id}", "bold")
    limits = ", ".join(f"{name} {limit}" for name, limit in record.limits.items() if limit is not None)
    usage = spent["usage"]
    for label, text in (
        ("state", record.state + (f" ({end_text(record)})" if end_text(record) else "")),
        ("session", record.session),
        ("agent", visible(record.agent)),
        ("model", visible(record.model)),
        ("started by", record.origin + (f": {visible(record.reason)}" if record.reason else "")),
        ("when", time_text(record.created)),
        ("limits", limits or "none"),
        (
            "spent",
            f"{count_text(spent['rounds'], 'round')}, {count_text(spent['calls'], 'call')},"
            f" {usage['input'] + usage['output']:,} tokens, {seconds_text(round(spent['seconds'], 1))}",
        ),
    ):
        print_line(f"  {label:<12}{text}", indent=14)
    said = (record.finished or {}).get("text")
    if said:
        print_line(f"\n{printable(str(said))}")
    if record.state in ("interrupted", "stopped"):
        print_line(f"\nGo on with it: oneclaw resume {record.id}", "dim")
    return 0


async def prune(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json
    from oneclaw.operations.runs import prune_runs

    async with open_app(arguments) as app:
        gone = await prune_runs(app, arguments.days)
    if arguments.json:
        print_json({"pruned": gone})
    else:
        print(f"{gone} {'run is' if gone == 1 else 'runs are'} forgotten. Conversations stay as they are.")
    return 0
