"""`oneclaw runs`: lists runs, shows their events and prunes old ones."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from oneclaw.cli.lines import count_text
from oneclaw.cli.opened import open_app, read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import (
    STATE,
    is_terminal,
    list_id,
    list_time,
    print_json,
    print_line,
    print_table,
    printable,
    seconds_text,
    short_id,
    time_text,
)
from oneclaw.core.event_json import envelope_json
from oneclaw.core.text.display import visible
from oneclaw.operations import runs
from oneclaw.operations.reading import reading
from oneclaw.operations.runs import RunRecord, prune_runs, run_json

MARKS = {"running": "…", "done": "✓", "stopped": "■", "failed": "✗", "interrupted": "!"}


async def run(arguments: argparse.Namespace) -> int:
    action, name = arguments.action, arguments.name
    if action in ("show", "events") and not name:
        raise WrongUse(f"say which: oneclaw runs {action} RUN")
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
            return show_run(record, asdict(await store.runs.spent(record)), arguments.json)
        async for envelope in runs.read_events(store, record, arguments.after):
            print(json.dumps(envelope_json(envelope), default=str))
        return 0


def list_runs(found: list[RunRecord], is_json: bool) -> int:
    if is_json:
        return print_json([run_json(record) for record in found])
    if not found:
        print('No runs yet. `oneclaw run "…"` makes the first.', file=sys.stderr)
        return 0
    print_table(
        ("", "RUN", "STATE", "AGENT", "STARTED BY", "WHEN", "SESSION", "LIMIT"),
        [
            (
                MARKS.get(record.state, ""),
                list_id(record.id),
                record.state,
                record.agent,
                record.origin,
                list_time(record.created),
                list_id(record.session),
                end_text(record),
            )
            for record in found
        ],
        (STATE, "bold"),
        wrapped=1,
    )
    cut_short = next((one for one in found if one.state == "interrupted"), None)
    if cut_short is not None and is_terminal(sys.stdout):
        print_line(f"Go on with one that was interrupted: oneclaw resume {short_id(cut_short.id)}", "dim")
    return 0


def end_text(record: RunRecord) -> str:
    """Why it ended, where its state does not say it."""
    reason = str((record.finished or {}).get("reason", ""))
    return "" if reason == record.state else reason


def show_run(record: RunRecord, spent: dict[str, Any], is_json: bool) -> int:
    if is_json:
        return print_json({**run_json(record), "spent": spent})
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
    async with open_app(arguments) as app:
        gone = await prune_runs(app, arguments.days)
    if arguments.json:
        return print_json({"pruned": gone})
    print(f"{gone} {'run is' if gone == 1 else 'runs are'} forgotten. Conversations stay as they are.")
    return 0
